//! Nobody reads, changes or is told of another owner's points: over every tool, resource, subscription, session, command and
//! page.
//!
//! The whole program over the bundled day, with the local owner and two others who watch the same place. Whatever one of them
//! asks about a point of another's has to read as if there were no such point. Tools, commands and pages are taken from the
//! program's own lists, so that one that is added without a case here fails.

use crate::isolation::party::{Party, Serving, stormbell};
use clap::CommandFactory;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use stormbell::cli::args::Cli;
use stormbell::mcp::tools::TOOLS;

mod pages;
pub mod party;

/// Shaped like an id, and nobody's.
const NOBODYS: &str = "wp_000000000000";

/// What a tool is called with where it is about a place and not about a point.
fn weather(tool: &str) -> Option<Value> {
    let here = json!({"lat": 37.74, "lon": -98.21});
    match tool {
        "get_active_warnings"
        | "get_spc_outlook"
        | "get_point_environment"
        | "get_environment_trend"
        | "get_mrms_severe"
        | "get_lightning"
        | "get_storm_reports"
        | "get_threat_brief"
        | "get_radar_snapshot" => Some(here),
        "get_historical_storm_reports" => Some(json!({"lat": 37.74, "lon": -98.21, "date": "2024-05-07"})),
        "geocode_place" => Some(json!({"query": "Norman, OK"})),
        "nws_get_forecast" | "nws_get_observations" | "nws_find_stations" => {
            Some(json!({"latitude": 37.74, "longitude": -98.21}))
        }
        "nws_search_alerts" => Some(json!({"area": "KS"})),
        "nws_get_alert_counts" | "nws_list_alert_types" => Some(json!({})),
        "nws_get_observation_history" => Some(json!({"station_id": "KICT"})),
        "nws_get_office_discussion" => Some(json!({"office": "ICT"})),
        "nws_get_zone_forecast" => Some(json!({"zone_id": "KSZ069"})),
        _ => None,
    }
}

/// What a tool is called with about one point.
fn about_a_point(tool: &str, id: &str) -> Option<Value> {
    match tool {
        "get_watch_point"
        | "unregister_watch_point"
        | "acknowledge_watch_point"
        | "send_test_notice"
        | "explain_watch_point" => Some(json!({"id": id})),
        "update_watch_point" => Some(json!({"id": id, "min_level": "extreme"})),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_tool_answers_of_anothers_point_as_of_none() {
    let serving = Serving::start(&[]).await;
    let parties = serving.parties().await;
    for tool in TOOLS.iter() {
        let name = tool.name.as_ref();
        for (viewer, other) in pairs(&parties) {
            if let Some(args) = weather(name) {
                viewer.says_nothing_of(other, &viewer.call(name, args).await);
            } else if about_a_point(name, NOBODYS).is_some() {
                let theirs = viewer.call(name, about_a_point(name, &other.point).unwrap()).await;
                let nobodys = viewer.call(name, about_a_point(name, NOBODYS).unwrap()).await;
                let theirs = theirs.to_string().replace(&other.point, NOBODYS);
                assert_eq!(theirs, nobodys.to_string(), "{name}");
                assert!(!theirs.contains(&other.name), "{name}: {theirs}");
            } else if name == "list_watch_points" {
                let listed = viewer.call(name, json!({})).await;
                assert!(listed.to_string().contains(&viewer.point), "{listed}");
                viewer.says_nothing_of(other, &listed);
            } else if name == "register_watch_point" {
                // Everything that makes registering idempotent, as the other gave it.
                let made = viewer.call(name, other.registration()).await;
                let id = made["structuredContent"]["data"]["id"].as_str().unwrap_or_default().to_owned();
                assert_eq!(made["structuredContent"]["data"]["created"], true, "{made}");
                assert!(!made.to_string().contains(&other.point), "{made}");
                viewer.call("unregister_watch_point", json!({"id": id})).await;
            } else {
                panic!("{name} is new: say in this test what it may tell of another owner's points");
            }
        }
    }
    for party in &parties {
        let mine = party.call("get_watch_point", json!({"id": party.point})).await;
        assert_eq!(mine["structuredContent"]["data"]["min_level"], "elevated", "changed by nobody: {mine}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn resources_sessions_and_streams_are_their_owners_alone() {
    let serving = Serving::start(&[]).await;
    let parties = serving.parties().await;
    for (viewer, other) in pairs(&parties) {
        let listed = viewer.ask("resources/list", json!({})).await;
        assert!(listed.to_string().contains(&viewer.point), "{listed}");
        viewer.says_nothing_of(other, &listed);
        let points = viewer.ask("resources/read", json!({"uri": "watch://points"})).await;
        viewer.says_nothing_of(other, &points);
        for method in ["resources/read", "resources/subscribe"] {
            let of = |id: &str| json!({"uri": format!("watch://points/{id}")});
            let theirs = viewer.ask(method, of(&other.point)).await;
            let nobodys = viewer.ask(method, of(NOBODYS)).await;
            assert!(theirs["error"].is_object(), "{theirs}");
            assert_eq!(theirs.to_string().replace(&other.point, NOBODYS), nobodys.to_string(), "{method}");
        }
        for (method, body) in [("tools/list", json!({})), ("resources/list", json!({}))] {
            let theirs = viewer.post_in(&other.session, method, body.clone()).await;
            let nobodys = viewer.post_in("no-such-session", method, body).await;
            assert_eq!((theirs.0, nobodys.0), (404, 404), "{method}");
            assert_eq!(theirs.1, nobodys.1, "{method}");
        }
        assert_eq!(viewer.stream_of(&other.session).await.status(), 404);
        viewer.end(&other.session).await;
        assert_eq!(other.post_in(&other.session, "tools/list", json!({})).await.0, 200, "nobody else ends a session");
    }
}

/// The storm strikes all three points, and each adds another one: everybody is told of their own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_told_of_anothers_points() {
    let serving = Serving::start(&["--speed", "60"]).await;
    let parties = serving.parties().await;
    let mut streams = Vec::new();
    for party in &parties {
        streams.push(party.stream_of(&party.session).await);
        for uri in ["watch://points".to_owned(), format!("watch://points/{}", party.point)] {
            assert_eq!(party.ask("resources/subscribe", json!({"uri": uri})).await["error"], Value::Null);
        }
    }
    for party in &parties {
        let more = json!({"name": format!("more of {}", party.name), "lat": 37.8, "lon": -98.3});
        party.call("register_watch_point", more).await;
    }
    for (party, stream) in parties.iter().zip(streams) {
        // Until its own point was struck: what others' points did by then would have come too.
        let mine = format!("watch://points/{}", party.point);
        let told = party::told_until(stream, &mine, Duration::from_secs(120)).await;
        let lists = told.iter().filter(|told| told["method"] == "notifications/resources/list_changed").count();
        // Each has registered twice, all together six times.
        assert!((1..=2).contains(&lists), "no lists but their own: {told:?}");
        for other in parties.iter().filter(|other| other.name != party.name) {
            assert!(!format!("{told:?}").contains(&other.point), "{told:?}");
        }
    }
}

/// What each command may show: only what the local owner has, the operator's own tables, or nothing of points at all.
#[derive(Debug, PartialEq)]
enum Shows {
    Mine,
    Tables,
    NoPoints,
}

fn shows(command: &str) -> Option<Shows> {
    Some(match command {
        "watch add" | "watch list" | "watch update" | "watch ack" | "watch test" | "watch remove" | "watch confirm"
        | "mcp" | "map" | "explain" => Shows::Mine,
        // The one who runs the program holds the store: these show all of it, over a socket that is open to them alone.
        "debug state" | "debug points" | "debug levels" | "debug journal" | "debug outbox" | "debug ledger"
        | "debug repair" | "debug latency" | "debug held" | "owner add" | "owner list" | "owner renew"
        | "owner revoke" | "verify" => Shows::Tables,
        "geocode" | "nws forecast" | "nws hourly" | "nws alerts" | "nws observations" | "nws stations"
        | "nws discussion" | "serve" | "brief" | "sounding" | "replay" | "demo" | "archive serve" | "debug cursors"
        | "debug sources" | "debug decode" | "debug sounding" | "init" => Shows::NoPoints,
        _ => return None,
    })
}

#[test]
fn every_command_has_its_place() {
    fn leaves(command: &clap::Command, path: &str, found: &mut Vec<String>) {
        let own: Vec<_> = command.get_subcommands().filter(|sub| sub.get_name() != "help").collect();
        if own.is_empty() {
            found.push(path.trim().to_owned());
        }
        for sub in own {
            leaves(sub, &format!("{path} {}", sub.get_name()), found);
        }
    }
    let mut found = Vec::new();
    leaves(&Cli::command(), "", &mut found);
    assert!(found.len() > 20, "{found:?}");
    for command in found {
        assert!(shows(&command).is_some(), "`{command}` is new: say in this test whose points it may show");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_that_are_the_local_owners_show_and_change_nothing_of_others() {
    let serving = Serving::start(&[]).await;
    let parties = serving.parties().await;
    let [local, others @ ..] = parties.as_slice() else { panic!("three parties") };
    let dir = serving.dir();
    let listed = stormbell(dir, &["watch", "list", "--json"]);
    assert!(listed.contains(&local.point), "{listed}");
    let mut bridged = bridge(dir).await;
    bridged.push_str(&listed);
    for other in others {
        assert!(!bridged.contains(&other.point) && !bridged.contains(&other.name), "{bridged}");
        for words in [&["watch", "remove"][..], &["watch", "ack"], &["watch", "test"], &["explain"]] {
            let of = |id: &str| stormbell(dir, &[words, &[id, "--json"]].concat());
            assert_eq!(of(&other.point).replace(&other.point, NOBODYS), of(NOBODYS), "{words:?}");
        }
        // An address of theirs is confirmed by their own code alone, and nobody learns whether there is one.
        let guess = |to: &str| stormbell(dir, &["watch", "confirm", to, "000000", "--json"]);
        assert!(guess("anna@example.org").contains("does not confirm"));
        let again = other.call("get_watch_point", json!({"id": other.point})).await;
        assert_eq!(again["structuredContent"]["data"]["id"], other.point.as_str(), "still there");
    }
    let tables = stormbell(dir, &["debug", "points", "--json"]);
    assert!(others.iter().all(|other| tables.contains(&other.point)), "the operator's tables show all: {tables}");
    assert_eq!(shows("debug points"), Some(Shows::Tables));
}

/// `stormbell mcp` beside a running service is a bridge in the local owner's name: what it lists and reads.
async fn bridge(dir: &Path) -> String {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_stormbell"))
        .args(["mcp", "--data-dir"])
        .arg(dir)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let asks = [
        party::initialize(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "list_watch_points", "arguments": {}}}),
        json!({"jsonrpc": "2.0", "id": 8, "method": "resources/list"}),
    ];
    for ask in asks {
        stdin.write_all(format!("{ask}\n").as_bytes()).await.unwrap();
    }
    let mut said = String::new();
    while !(said.contains("\"id\":7") && said.contains("\"id\":8")) {
        let line = tokio::time::timeout(Duration::from_secs(30), lines.next_line()).await.expect("in time");
        said.push_str(&line.unwrap().expect("it answers before it ends"));
    }
    said
}

fn pairs(parties: &[Party]) -> Vec<(&Party, &Party)> {
    let mut pairs = Vec::new();
    for one in parties {
        pairs.extend(parties.iter().filter(|other| other.name != one.name).map(|other| (one, other)));
    }
    pairs
}
