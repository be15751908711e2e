//! `stormbell nws` over the recorded day of the fixtures.

use super::fixtures;
use serde_json::Value;
use std::process::{Command, Output};

const AT: &str = "2031-05-09T21:00:00Z";

fn run(words: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
    command.current_dir(folder.path()).arg("nws").args(words);
    command.args(["--at", AT, "--archive"]).arg(fixtures()).env_remove("COLUMNS").output().unwrap()
}

fn table(words: &[&str]) -> String {
    let output = run(words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn object(words: &[&str]) -> Value {
    let mut words = words.to_vec();
    words.push("--json");
    serde_json::from_str(&table(&words)).unwrap()
}

#[test]
fn every_question_has_a_table_and_an_object() {
    let here = ["37.74", "-98.21"];
    let ask = |words: &[&str]| table(&[words, &here[..]].concat());
    let week = ask(&["forecast"]);
    for part in [
        "7-day forecast near Larkfield, KS",
        "office XKS",
        "This Afternoon",
        "84 F",
        "Fri May 9 3:00 PM CDT (20:00Z)",
        "S 10 to 20 mph",
    ] {
        assert!(week.contains(part), "{part}: {week}");
    }
    let hours = ask(&["hourly"]);
    assert!(hours.contains("48 of 156") && hours.contains("--cursor "), "{hours}");
    let cursor = object(&["hourly", "37.74", "-98.21"])["nextCursor"].as_str().unwrap().to_owned();
    assert_eq!(object(&["hourly", "37.74", "-98.21", "--cursor", &cursor])["shown"], 48);
    let alerts = ask(&["alerts"]);
    assert!(
        alerts.contains("Tornado Warning") && alerts.contains("in effect") && alerts.contains("3 of 3"),
        "{alerts}"
    );
    assert!(table(&["alerts", "--area", "WY"]).contains("No active alert matches"));
    let nation = object(&["alerts", "--event", "heat", "--limit", "5"]);
    assert_eq!((&nation["shown"], &nation["totalCount"]), (&5.into(), &56.into()));
    let now = ask(&["observations"]);
    assert!(
        now.contains("KXKS (Invented Station 0)") && now.contains("27 C") && now.contains("S 19 gusts 41 km/h"),
        "{now}"
    );
    let past = table(&["observations", "--station", "KXKS", "--history", "--limit", "24"]);
    assert!(past.matches("Mostly Cloudy").count() >= 22 && past.contains("--cursor "), "{past}");
    let stations = table(&["stations", "--place", "37.74,-98.21", "--limit", "3"]);
    assert!(stations.contains("3 of 60") && stations.contains("KXKS") && stations.contains("GeoNames"), "{stations}");
    let said = ask(&["discussion"]);
    assert!(said.contains(".SHORT TERM...\nInvented storms"), "{said}");
    assert_eq!(object(&["discussion", "--office", "XKS"])["productCode"], "AFD");
    assert!(!week.contains('\u{1b}'));
}

#[test]
fn a_refusal_is_one_line_with_its_reason_and_an_exit_code() {
    for (words, kind, exit) in [
        (&["forecast", "51.5", "-0.1"][..], "out_of_scope", 1),
        (&["forecast", "28.5", "-94.5"], "marine_forecast_unsupported", 1),
        (&["observations", "--station", "XNONE"], "station_not_found", 1),
        (&["discussion", "--office", "ZZZ"], "no_products", 1),
        (&["alerts", "--area", "ZZ"], "invalid_area_code", 1),
        (&["forecast"], "invalid_arguments", 2),
        (&["hourly", "37.74", "-98.21", "--cursor", "x"], "invalid_cursor", 2),
        (&["stations", "37.74", "-98.21", "--limit", "0"], "invalid_arguments", 2),
        (&["discussion"], "usage", 2),
    ] {
        let output = run(&[words, &["--json"][..]].concat());
        let error: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((error["error"]["kind"].as_str().unwrap(), output.status.code()), (kind, Some(exit)), "{words:?}");
        assert!(error["error"]["hint"].as_str().is_some_and(|hint| hint.len() > 10), "{words:?}: {error}");
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1, "{words:?}");
    }
}

/// Lesson 16: a client that hangs up ends the whole program, and what it held is free for the next.
#[test]
fn a_client_that_hangs_up_ends_the_program() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
    command.current_dir(folder.path()).env_remove("STORMBELL_DATA").env_remove("STORMBELL_CONFIG");
    command.arg("--data-dir").arg(&data).args(["mcp", "--archive"]).arg(fixtures());
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut program = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    let hello = serde_json::json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "0"}});
    let call = serde_json::json!({"name": "nws_get_zone_forecast", "arguments": {"zone_id": "KSZ197"}});
    let mut stdin = program.stdin.take().unwrap();
    for line in [
        serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        serde_json::json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        serde_json::json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
    ] {
        writeln!(stdin, "{line}").unwrap();
    }
    // Hanging up is all that is said; the program ends by itself, or this test never does.
    drop(stdin);
    let output = program.wait_with_output().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        assert_eq!(serde_json::from_str::<Value>(line).unwrap()["jsonrpc"], "2.0", "{line}");
    }
    let mut next = Command::new(env!("CARGO_BIN_EXE_stormbell"));
    let next = next.arg("--data-dir").arg(&data).args(["watch", "list", "--json"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&next.stdout).contains("in_use"), "{next:?}");
}
