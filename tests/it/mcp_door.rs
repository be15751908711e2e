//! The MCP door over a byte stream, with rmcp's own client on the other side.

// The old form of subscription is what most clients speak.
#![allow(deprecated)]

use crate::fake_desk::{FakeDesk, OWN_ADDRESS, at, door, quiet_picture};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, GetPromptRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ResourceContents, ResourceUpdatedNotificationParam, ServerNotification, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, NotificationContext, RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceError};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use stormbell::desk::DeskEvent;
use stormbell::mcp::door::Lifetime;
use stormbell::mcp::stdio::{LINE_BYTES_MAX, serve_stdio};
use stormbell::threat::DISCLAIMER;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

mod watching;

const NOW: &str = "2026-06-10T21:32:00Z";

/// A client that notes what it is told.
struct Ears(UnboundedSender<String>);

impl ClientHandler for Ears {
    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let _ = self.0.send(params.uri);
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        let _ = self.0.send("list".into());
    }
}

struct Met {
    client: RunningService<RoleClient, Ears>,
    told: UnboundedReceiver<String>,
    desk: Arc<FakeDesk>,
}

async fn meet() -> Met {
    meet_as(ClientLifecycleMode::Initialize).await
}

async fn meet_as(mode: ClientLifecycleMode) -> Met {
    let desk = FakeDesk::new(at(NOW));
    let (here, there) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(there);
    tokio::spawn(serve_stdio(door(&desk), reader, writer, CancellationToken::new()));
    let (ears, told) = unbounded_channel();
    let client = Ears(ears).serve_with_lifecycle(here, mode).await.unwrap();
    Met { client, told, desk }
}

impl Met {
    async fn call(&self, name: &'static str, args: Value) -> CallToolResult {
        let args = args.as_object().cloned().unwrap();
        self.client.call_tool(CallToolRequestParams::new(name).with_arguments(args)).await.unwrap()
    }

    /// The structured answer, checked for the envelope's promises.
    async fn answer(&self, name: &'static str, args: Value) -> Value {
        let args_name_a_place = args.get("place").is_some();
        let result = self.call(name, args).await;
        assert_eq!(result.is_error, Some(false), "{result:?}");
        let text = text(&result);
        let structured = result.structured_content.unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), structured);
        assert!(text.starts_with("{\n  \"schema_version\": \"1.1\""), "{text}");
        assert_eq!(structured["disclaimer"], DISCLAIMER);
        assert_eq!(structured.as_object().unwrap().len(), if args_name_a_place { 6 } else { 5 });
        structured
    }

    async fn refusal(&self, name: &'static str, args: Value) -> String {
        let result = self.call(name, args).await;
        assert_eq!((result.is_error, &result.structured_content), (Some(true), &None), "{result:?}");
        text(&result)
    }

    async fn register(&self, name: &str) -> String {
        let made = self.answer("register_watch_point", json!({"name": name, "lat": 40.52, "lon": -92.90})).await;
        made["data"]["id"].as_str().unwrap().to_owned()
    }

    async fn told(&mut self) -> String {
        tokio::time::timeout(Duration::from_secs(10), self.told.recv()).await.expect("told in time").unwrap()
    }
}

fn text(result: &CallToolResult) -> String {
    result.content[0].as_text().unwrap().text.clone()
}

#[tokio::test]
async fn the_server_introduces_itself() {
    let met = meet().await;
    let info = serde_json::to_value(met.client.peer_info().unwrap()).unwrap();
    assert_eq!(info["serverInfo"]["name"], "stormbell");
    assert_eq!(info["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(info["capabilities"]["resources"], json!({"subscribe": true, "listChanged": true}));
    // Where to begin, and how the routine tools follow from one another.
    let said = info["instructions"].as_str().unwrap();
    for part in
        ["get_threat_brief", "nws_get_office_discussion", "nws_get_zone_forecast", "affectedZones", "geocode_place"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let tools = met.client.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), 28);
}

#[tokio::test]
async fn weather_tools_answer_and_clamp() {
    let met = meet().await;
    let here = json!({"lat": 40.52, "lon": -92.90});
    let warnings = met.answer("get_active_warnings", json!({"lat": 40.52, "lon": -92.90, "radius_km": 9999})).await;
    assert_eq!((&warnings["data"]["radius_km"], &warnings["degraded"]), (&json!(250.0), &json!([])));
    assert_eq!(warnings["data"]["point"], here);
    let radar = met.answer("get_mrms_severe", here.clone()).await;
    assert_eq!(radar["degraded"].as_array().unwrap().len(), 5);
    assert!(radar["data"].get("hail_mesh").is_none(), "a product that failed has no block");
    assert!(radar["interpretation"].as_str().unwrap().starts_with("Radar is unknown"));
    let brief = met.answer("get_threat_brief", here).await;
    assert_eq!(brief["data"]["threat_level"], "none");
    assert_eq!(brief["data"]["hazards_ranked"].as_array().unwrap().len(), 4);
    assert_eq!(brief["data"]["lightning_summary"], Value::Null);
    assert_eq!(brief["data"]["warnings_summary"]["active_at_point"], 0);
}

#[tokio::test]
async fn with_the_warnings_feed_blind_nothing_reads_as_an_all_clear() {
    let met = meet().await;
    let mut picture = quiet_picture(at("2026-06-10T21:04:00Z"));
    picture.zones = quiet_picture(at(NOW)).zones;
    met.desk.set_picture(picture);
    let here = json!({"lat": 40.52, "lon": -92.90});
    let brief = met.answer("get_threat_brief", here.clone()).await;
    let said = brief["interpretation"].as_str().unwrap();
    assert!(said.starts_with("At least none; warnings unknown since 21:04Z"), "{said}");
    assert!(said.contains("not an all-clear"), "{said}");
    assert_eq!(brief["data"]["warnings_summary"], Value::Null);
    let degraded = brief["degraded"].as_array().unwrap();
    for id in ["nws-point-alerts", "nws-tornado-warning", "nws-severe-thunderstorm-warning", "nws-flash-flood-warning"]
    {
        assert!(degraded.contains(&json!(id)), "{id} in {degraded:?}");
    }
    let of = |prefix: &str| degraded.iter().filter(|id| id.as_str().is_some_and(|id| id.starts_with(prefix))).count();
    assert_eq!((of("nws-"), of("mrms-")), (4, 5), "four of warnings, five of radar: {degraded:?}");
    let warnings = met.answer("get_active_warnings", here).await;
    assert!(warnings["interpretation"].as_str().unwrap().contains("not an all-clear"));
}

#[tokio::test]
async fn bad_arguments_get_an_error_that_helps_and_change_nothing() {
    let met = meet().await;
    let weather = "get_threat_brief";
    assert!(met.refusal(weather, json!({"lat": 40.5, "lon": 92.9})).await.contains("did you mean lon -92.9"));
    assert!(met.refusal(weather, json!({"lat": -92.9, "lon": 40.5})).await.contains("swapped"));
    assert!(met.refusal(weather, json!({"lat": 51.5, "lon": -0.1})).await.contains("western longitudes are negative"));
    assert!(met.refusal(weather, json!({"lat": "x", "lon": -92.9})).await.starts_with("lat: "));
    assert!(met.refusal(weather, json!({"lat": 40.5})).await.contains("missing field `lon`"));
    assert!(met.refusal(weather, json!({"lat": 40.5, "lon": -92.9, "day": 1})).await.contains("unknown field `day`"));
    let register = "register_watch_point";
    let with = |key: &str, value: Value| {
        let mut args = json!({"name": "Home", "lat": 40.52, "lon": -92.90});
        args[key] = value;
        args
    };
    for (args, part) in [
        (with("name", json!("  ")), "name: must be 1 to 80"),
        (with("name", json!("x".repeat(81))), "name: must be 1 to 80"),
        (with("name", json!("a\nb")), "name: "),
        (with("name", json!("\u{200b}\u{2060}")), "name: must be 1 to 80 characters of which some can be seen"),
        (with("name", json!("\u{202e}emoH")), "name: U+202E in it would turn the text around it"),
        (with("min_level", json!("severe")), "none, marginal, elevated, significant or extreme"),
        (with("until_utc", json!("tomorrow")), "until_utc: \"tomorrow\" is not an ISO 8601 instant"),
        (with("until_utc", json!("2026-06-10T21:00:00Z")), "until_utc: 2026-06-10T21:00:00Z is not in the future"),
        (with("client_token", json!("")), "client_token: must be 1 to 128"),
        (with("channels", json!([{"kind": "pigeon", "address": "x"}])), "channels[0].kind"),
        (with("channels", json!([{"kind": "email"}])), "channels[0].address: an email channel needs its address"),
        (
            with("channels", json!([{"kind": "web_push", "address": "x"}])),
            "channels[0].address: web_push takes no address",
        ),
        (with("quiet_hours", json!("22-06")), "quiet_hours: \"22-06\" are no quiet hours"),
        (with("snooze_until_utc", json!("2026-06-11T03:00:00Z")), "unknown field `snooze_until_utc`"),
    ] {
        let said = met.refusal(register, args).await;
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(met.desk.count(), 0);
    assert!(met.refusal("get_watch_point", json!({"id": "nope"})).await.contains("no watch point \"nope\""));
    let unknown = met.client.call_tool(CallToolRequestParams::new("get_sonar")).await.unwrap_err();
    assert!(
        matches!(&unknown, ServiceError::McpError(error) if error.message.contains("get_threat_brief")),
        "{unknown}"
    );
}

/// A place by its name is answered like its coordinates, and the answer says which place it is about.
#[tokio::test]
async fn a_point_may_be_named() {
    let met = meet().await;
    let named = met.answer("get_threat_brief", json!({"place": "Unionville, MO"})).await;
    let (lat, lon) = (named["place"]["lat"].as_f64().unwrap(), named["place"]["lon"].as_f64().unwrap());
    assert!((lat - 40.477).abs() < 0.02 && (lon + 93.003).abs() < 0.02, "{named}");
    assert_eq!(
        (&named["place"]["county"], &named["place"]["time_zone"]),
        (&json!("Putnam County"), &json!("America/Chicago"))
    );
    let mut by_figures = met.answer("get_threat_brief", json!({"lat": lat, "lon": lon})).await;
    by_figures["place"] = named["place"].clone();
    assert_eq!(named, by_figures);
    assert!(named["place"]["attribution"].as_str().unwrap().contains("GeoNames"));

    let several = met.refusal("register_watch_point", json!({"name": "Home", "place": "Unionville"})).await;
    assert!(several.contains("Unionville, Putnam County, MO") && several.contains("GA"), "{several}");
    assert!(met.refusal("get_lightning", json!({})).await.contains("or place"));
    let found = met.answer("geocode_place", json!({"query": "Unionville", "limit": 2})).await;
    assert_eq!(
        (&found["data"]["found"], found["data"]["candidates"].as_array().unwrap().len()),
        (&json!("several"), 2)
    );
    let query = found["data"]["candidates"][0]["query"].as_str().unwrap();
    let made = met.answer("register_watch_point", json!({"name": "Home", "place": query})).await;
    assert_eq!(made["data"]["point"]["lat"], found["data"]["candidates"][0]["lat"]);
}

/// C10
#[tokio::test]
async fn a_repeated_registration_is_made_once() {
    let met = meet().await;
    let args = json!({"name": "Home", "lat": 40.52, "lon": -92.90, "min_level": "significant", "client_token": "t-1",
        "channels": [{"kind": "email", "address": OWN_ADDRESS}], "until_utc": "2026-06-11T03:00:00Z"});
    let first = met.answer("register_watch_point", args.clone()).await;
    assert_eq!(first["data"]["created"], true);
    assert_eq!(first["data"]["min_level"], "significant");
    assert_eq!(first["data"]["channels"], json!([{"kind": "email", "address": OWN_ADDRESS}]));
    assert_eq!(first["data"]["waiting_for_confirmation"], json!([]));
    assert_eq!(first["data"]["only_while_client_runs"], false);
    assert_eq!(first["data"]["until_utc"], "2026-06-11T03:00:00Z");
    let again = met.answer("register_watch_point", args).await;
    assert_eq!((&again["data"]["id"], &again["data"]["created"]), (&first["data"]["id"], &json!(false)));
    let rounded = json!({"name": "Home", "lat": 40.520_001, "lon": -92.900_001, "min_level": null});
    let rounded = met.answer("register_watch_point", rounded).await;
    assert_eq!((&rounded["data"]["id"], met.desk.count()), (&first["data"]["id"], 1));
}

/// Of its kind: after an unsubscription the address was dropped without a word when the point was registered again.
#[tokio::test]
async fn a_repeated_registration_adds_the_channels_that_the_point_has_not() {
    let met = meet().await;
    let first = met.answer("register_watch_point", json!({"name": "Home", "lat": 40.52, "lon": -92.90})).await;
    let args = json!({"name": "Home", "lat": 40.52, "lon": -92.90, "min_level": "extreme",
        "channels": [{"kind": "email", "address": "new@example.org"}, {"kind": "email", "address": OWN_ADDRESS}]});
    let again = met.answer("register_watch_point", args).await;
    assert_eq!((&again["data"]["id"], &again["data"]["created"]), (&first["data"]["id"], &json!(false)));
    assert_eq!(again["data"]["min_level"], "elevated", "only channels are added");
    assert_eq!(again["data"]["channels"], json!([{"kind": "email", "address": OWN_ADDRESS}]));
    assert_eq!(again["data"]["waiting_for_confirmation"], json!(["new@example.org"]));
    let words = again["interpretation"].as_str().unwrap();
    assert!(words.contains(&format!("added channels ({OWN_ADDRESS}, new@example.org)")), "{words}");
    assert!(words.contains("new@example.org gets no notices before"), "{words}");
}

#[tokio::test]
async fn points_are_listed_in_pages_read_and_removed() {
    let met = meet().await;
    for number in 0..5 {
        met.register(&format!("Place {number}")).await;
    }
    let mut seen = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = met.answer("list_watch_points", json!({"limit": 2, "cursor": cursor})).await;
        let data = &page["data"];
        assert_eq!((&data["total"], &data["limit"]), (&json!(5), &json!(2)));
        seen.extend(data["watch_points"].as_array().unwrap().iter().map(|point| point["id"].clone()));
        // C07: the last page has no cursor at all, not a null one.
        let Some(next) = data.get("next_cursor") else { break };
        cursor = next.clone();
    }
    assert_eq!(seen, ["wp-001", "wp-002", "wp-003", "wp-004", "wp-005"].map(|id| json!(id)));
    let clamped = met.answer("list_watch_points", json!({"limit": 0})).await;
    assert_eq!(clamped["data"]["limit"], 1);
    let point = met.answer("get_watch_point", json!({"id": "wp-002"})).await;
    assert_eq!((&point["data"]["level"], &point["data"]["since_utc"]), (&json!("none"), &Value::Null));
    assert_eq!(point["data"]["resource"], "watch://points/wp-002");
    met.desk.strike("wp-002");
    let point = met.answer("get_watch_point", json!({"id": "wp-002"})).await;
    assert_eq!((&point["data"]["level"], &point["data"]["evidence_level"]), (&json!("extreme"), &json!("none")));
    assert_eq!(point["data"]["held"][0]["why_held"], "the feed is blind");
    assert_eq!(point["data"]["held"][0]["rule"], "tornado_warning_inside");
    let removed = |value: Value| value["data"]["removed"].clone();
    assert_eq!(removed(met.answer("unregister_watch_point", json!({"id": "wp-002"})).await), true);
    assert_eq!(removed(met.answer("unregister_watch_point", json!({"id": "wp-002"})).await), false);
}

#[tokio::test]
async fn an_address_that_is_not_proven_waits_and_the_answer_says_so() {
    let met = meet().await;
    let channels = json!([{"kind": "email", "address": OWN_ADDRESS}, {"kind": "email", "address": "new@example.org"},
        {"kind": "web_push"}]);
    let args = json!({"name": "Home", "lat": 40.52, "lon": -92.90, "channels": channels, "quiet_hours": "22:00-07:00"});
    let made = met.answer("register_watch_point", args).await;
    assert_eq!(made["data"]["waiting_for_confirmation"], json!(["new@example.org"]));
    let proven = json!([{"kind": "email", "address": OWN_ADDRESS}, {"kind": "web_push", "address": ""}]);
    assert_eq!(made["data"]["channels"], proven);
    assert_eq!(made["data"]["quiet_hours"], "22:00-07:00");
    let said = made["interpretation"].as_str().unwrap();
    assert!(said.contains("new@example.org gets no notices before"), "{said}");
    let read = met.answer("get_watch_point", json!({"id": made["data"]["id"]})).await;
    assert_eq!(read["data"]["waiting_for_confirmation"], json!(["new@example.org"]));
}

#[tokio::test]
async fn prompts_are_listed_and_given() {
    let met = meet().await;
    let prompts = met.client.list_all_prompts().await.unwrap();
    let names: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(names, ["storm_briefing", "set_up_watch"]);
    let required = prompts.iter().flat_map(|prompt| prompt.arguments.iter().flatten()).map(|a| a.required);
    assert!(required.clone().count() == 4 && required.into_iter().all(|required| required == Some(true)));
    let ask = |name: &str, given: Value| {
        let params = GetPromptRequestParams::new(name).with_arguments(given.as_object().cloned().unwrap());
        met.client.get_prompt(params)
    };
    let got = ask("storm_briefing", json!({"lat": "40.52", "lon": "-92.90"})).await.unwrap();
    assert!(got.messages[0].content.as_text().unwrap().text.contains("get_threat_brief"));
    for (name, given, part) in [
        ("storm_briefing", json!({"lat": "40.52"}), "lon: is missing"),
        ("set_up_watch", json!({"place": "here"}), "who: is missing"),
        ("tea", json!({}), "storm_briefing and set_up_watch"),
    ] {
        let refused = ask(name, given).await.unwrap_err();
        assert!(matches!(&refused, ServiceError::McpError(error) if error.message.contains(part)), "{refused}");
    }
}

#[tokio::test]
async fn a_service_that_ends_with_its_client_says_so() {
    let desk = FakeDesk::new(at(NOW));
    let args = json!({"name": "Home", "lat": 40.52, "lon": -92.90}).as_object().cloned();
    let door = door(&desk).with_lifetime(Lifetime::WithClient);
    let made = door.call("register_watch_point", args).await.unwrap().structured_content.unwrap();
    assert_eq!(made["data"]["only_while_client_runs"], true);
    assert!(made["interpretation"].as_str().unwrap().contains("only while this client runs"));
}

fn json_of(contents: &ResourceContents) -> Value {
    let ResourceContents::TextResourceContents { mime_type, text, .. } = contents else { panic!("{contents:?}") };
    assert_eq!(mime_type.as_deref(), Some("application/json"));
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn resources_are_listed_read_and_told_of() {
    let mut met = meet().await;
    let id = met.register("Home").await;
    assert_eq!(met.told().await, "list");
    let uri = format!("watch://points/{id}");
    let uris: Vec<String> = met.client.list_all_resources().await.unwrap().into_iter().map(|r| r.uri).collect();
    assert_eq!(uris, ["watch://points".to_owned(), "nws://alert-types".to_owned(), uri.clone()]);
    let templates = met.client.list_all_resource_templates().await.unwrap();
    assert_eq!(templates[0].uri_template, "watch://points/{id}");
    let read = met.client.read_resource(ReadResourceRequestParams::new(uri.clone())).await.unwrap();
    assert_eq!(json_of(&read.contents[0])["data"]["level"], "none");
    for wrong in ["watch://points/none-such", "file:///etc/passwd"] {
        assert!(met.client.read_resource(ReadResourceRequestParams::new(wrong)).await.is_err());
        assert!(met.client.subscribe(SubscribeRequestParams::new(wrong)).await.is_err());
    }
    met.client.subscribe(SubscribeRequestParams::new(uri.clone())).await.unwrap();
    met.desk.strike(&id);
    assert_eq!(met.told().await, uri);
    let read = met.client.read_resource(ReadResourceRequestParams::new(uri.clone())).await.unwrap();
    assert_eq!(json_of(&read.contents[0])["data"]["level"], "extreme");
    // The list too, once subscribed; a point that nobody here owns says nothing.
    met.client.subscribe(SubscribeRequestParams::new("watch://points")).await.unwrap();
    met.desk.say(DeskEvent::PointChanged("somebody-elses".into()));
    met.desk.strike(&id);
    assert_eq!([met.told().await, met.told().await], [uri.clone(), "watch://points".to_owned()]);
    met.client.unsubscribe(UnsubscribeRequestParams::new(uri.clone())).await.unwrap();
    met.desk.strike(&id);
    assert_eq!(met.told().await, "watch://points");
}

#[tokio::test]
async fn a_session_that_lags_is_told_everything_again() {
    let mut met = meet().await;
    let id = met.register("Home").await;
    assert_eq!(met.told().await, "list");
    let uri = format!("watch://points/{id}");
    met.client.subscribe(SubscribeRequestParams::new(uri.clone())).await.unwrap();
    // More events in one go than the desk's channel holds: the announcing task cannot run in between.
    for _ in 0..50 {
        met.desk.say(DeskEvent::PointChanged("somebody-elses".into()));
    }
    assert_eq!([met.told().await, met.told().await], ["list".to_owned(), uri]);
}

#[tokio::test]
async fn the_new_form_of_subscription_is_served_too() {
    let newest = ProtocolVersion::V_2026_07_28;
    let met = meet_as(ClientLifecycleMode::Discover { preferred_versions: vec![newest] }).await;
    let id = met.register("Home").await;
    let uri = format!("watch://points/{id}");
    let filter = SubscriptionFilter::builder().resource_subscriptions([uri.as_str(), "file:///else"]).build();
    let mut stream = met.client.listen(filter).await.unwrap();
    assert_eq!(stream.acknowledged().resource_subscriptions, Some(vec![uri.clone()]));
    // The acknowledgment goes out just before the server begins to listen to the desk.
    tokio::time::sleep(Duration::from_millis(50)).await;
    met.desk.strike(&id);
    let next = tokio::time::timeout(Duration::from_secs(10), stream.next()).await.unwrap().unwrap();
    let Some(ServerNotification::ResourceUpdatedNotification(update)) = next else { panic!("{next:?}") };
    assert_eq!(update.params.uri, uri);
}

/// C01: whatever comes in, what goes out is one JSON-RPC message a line.
#[tokio::test]
async fn every_line_out_is_json_rpc() {
    let desk = FakeDesk::new(at(NOW));
    let (here, there) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(there);
    let served = tokio::spawn(serve_stdio(door(&desk), reader, writer, CancellationToken::new()));
    let (from, mut to) = tokio::io::split(here);
    for line in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
            "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}})
        .to_string(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
        "this is no JSON".into(),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string(),
        json!({"jsonrpc": "2.0", "id": 3, "method": "no/such"}).to_string(),
        json!({"jsonrpc": "2.0", "id": 4, "method": "resources/list"}).to_string(),
    ] {
        to.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
    let mut lines = BufReader::new(from).lines();
    let mut ids = Vec::new();
    while !(ids.contains(&2) && ids.contains(&3) && ids.contains(&4)) {
        let line = tokio::time::timeout(Duration::from_secs(10), lines.next_line()).await.unwrap().unwrap().unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        assert!(!line.contains("ursor\":null"), "C07: {line}");
        ids.extend(message["id"].as_i64());
        if message["id"] == 1 {
            assert_eq!(message["result"]["protocolVersion"], "2025-06-18");
        }
    }
    to.shutdown().await.unwrap();
    drop((to, lines));
    tokio::time::timeout(Duration::from_secs(10), served).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn a_line_that_is_too_long_is_answered_and_the_next_one_heard() {
    let desk = FakeDesk::new(at(NOW));
    let (here, there) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(there);
    let served = tokio::spawn(serve_stdio(door(&desk), reader, writer, CancellationToken::new()));
    let (from, mut to) = tokio::io::split(here);
    let mut lines = BufReader::new(from).lines();
    let hello = json!({"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}});
    let call = |id: i64, query: &str| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "geocode_place",
            "arguments": {"query": query}}})
        .to_string()
    };
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    let huge = call(4, &"x".repeat(3 * LINE_BYTES_MAX));
    let mut answers = Vec::new();
    // Before and after the conversation is opened; the last one is the end of all that is said.
    let said =
        [huge.clone(), call(1, "Norman, OK"), hello.to_string(), ready, huge.clone(), call(3, "Norman, OK"), huge];
    for (line, wanted) in said.into_iter().zip([1, 1, 1, 0, 1, 1, 1]) {
        to.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        for _ in 0..wanted {
            let line =
                tokio::time::timeout(Duration::from_secs(10), lines.next_line()).await.unwrap().unwrap().unwrap();
            answers.push(serde_json::from_str::<Value>(&line).unwrap());
        }
    }
    for at in [0, 3, 5] {
        let error = &answers[at]["error"];
        assert!(answers[at]["id"].is_null() && error["code"] == -32600, "{}", answers[at]);
        assert!(error["message"].as_str().unwrap().contains("at most 1048576 bytes"), "{error}");
    }
    let early = answers[1]["error"]["message"].as_str().unwrap();
    assert!(answers[1]["id"] == 1 && early.starts_with("send `initialize` first"), "{early}");
    assert_eq!((&answers[2]["id"], &answers[4]["id"]), (&json!(2), &json!(3)));
    assert_eq!(answers[4]["result"]["isError"], false);
    to.shutdown().await.unwrap();
    drop((to, lines));
    tokio::time::timeout(Duration::from_secs(10), served).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn a_refusal_echoes_no_more_than_is_needed() {
    let met = meet().await;
    for id in ["x".repeat(100_000), "two words \"and\" ".repeat(10_000)] {
        let said = met.refusal("get_watch_point", json!({"id": id})).await;
        assert!(
            said.starts_with("id: there is no watch point \"") && said.ends_with("shows those that stand"),
            "{said}"
        );
        assert!(said.chars().count() < 200, "{said}");
    }
    let said = met.refusal("get_threat_brief", json!({"lat": 1e308, "lon": -92.9})).await;
    assert!(said.chars().count() < 500, "{said}");
    let lightning = met.answer("get_lightning", json!({"lat": 40.52, "lon": -92.9, "minutes": 15.0})).await;
    assert_eq!(lightning["data"]["window_minutes"], 15);
}
