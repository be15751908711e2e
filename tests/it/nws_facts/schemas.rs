//! What a client sees of the routine tools: both forms of answers and refusals, and the resource.

use super::{Tools, fixtures, larkfield};
use crate::fake_desk::{FakeDesk, at as instant, door};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};
use stormbell::mcp::door::Door;
use stormbell::mcp::tools::nws::TOOLS;
use stormbell::threat::DISCLAIMER;

fn guest(tools: &Tools) -> Door {
    let desk = FakeDesk::new(instant(super::FROM));
    desk.set_nws(tools.nws.clone());
    door(&desk)
}

async fn call(door: &Door, tool: &str, arguments: Value) -> CallToolResult {
    door.call(tool, arguments.as_object().cloned()).await.unwrap()
}

fn text(result: &CallToolResult) -> String {
    result.content[0].as_text().unwrap().text.clone()
}

#[tokio::test(start_paused = true)]
async fn an_answer_has_stormbells_keys_beside_its_own() {
    let tools = Tools::new();
    let result = call(&guest(&tools), "nws_find_stations", larkfield(json!({}))).await;
    assert_eq!(result.is_error, Some(false));
    let value = result.structured_content.clone().unwrap();
    let keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    let right =
        ["degraded", "disclaimer", "interpretation", "nextCursor", "schema_version", "shown", "stations", "totalCount"];
    assert_eq!(keys, right);
    assert_eq!((&value["disclaimer"], &value["schema_version"]), (&json!(DISCLAIMER), &json!("1.1")));
    assert!(text(&result).ends_with(DISCLAIMER));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_tells_code_reason_and_what_to_do_in_both_forms() {
    let tools = Tools::new();
    let guest = guest(&tools);
    let result = call(&guest, "nws_get_observations", json!({"station_id": "XNONE"})).await;
    assert_eq!(result.is_error, Some(true));
    let value = result.structured_content.clone().unwrap();
    let error = &value["error"];
    assert_eq!((&error["code"], &error["data"]["reason"]), (&json!(-32001), &json!("station_not_found")));
    assert_eq!(error["data"]["stationId"], "XNONE");
    let hint = error["data"]["recovery"]["hint"].as_str().unwrap();
    let said = text(&result);
    assert!(said.contains(error["message"].as_str().unwrap()) && said.contains(hint), "{said}");
    assert!(said.ends_with("(reason station_not_found)"), "{said}");
    assert_eq!(value["degraded"], json!([]), "nothing failed");
    for (tool, arguments, code) in [
        ("nws_get_forecast", json!({}), -32602),
        ("nws_search_alerts", json!({"cursor": "?"}), -32602),
        ("nws_search_alerts", json!({"area": "XX"}), -32007),
        ("nws_get_forecast", json!({"latitude": 25, "longitude": -70}), -32000),
        ("nws_get_forecast", json!({"latitude": 39, "longitude": -98}), -32003),
        ("nws_get_forecast", json!({"latitude": 39.3, "longitude": -98}), -32004),
        ("nws_get_forecast", json!({"latitude": 39.4, "longitude": -98}), -32070),
    ] {
        let result = call(&guest, tool, arguments.clone()).await;
        let value = result.structured_content.unwrap();
        assert_eq!((result.is_error, &value["error"]["code"]), (Some(true), &json!(code)), "{tool} {arguments}");
        assert_eq!(
            value["degraded"] == json!(["nws-api"]),
            code > -32005 && code != -32001 || code == -32070,
            "{value}"
        );
    }
}

#[tokio::test]
async fn without_a_service_the_tools_say_so() {
    let desk = FakeDesk::new(instant(super::FROM));
    let result = call(&door(&desk), "nws_list_alert_types", json!({})).await;
    assert!(result.is_error == Some(true) && text(&result).contains("stormbell serve"), "{result:?}");
    assert!(door(&desk).call("nws_get_moon", None).await.is_none());
}

#[test]
fn the_nine_tools_only_read_and_their_schemas_admit_a_refusal() {
    let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name.as_ref()).collect();
    let right = [
        "nws_get_forecast",
        "nws_search_alerts",
        "nws_get_alert_counts",
        "nws_get_observations",
        "nws_get_observation_history",
        "nws_find_stations",
        "nws_list_alert_types",
        "nws_get_office_discussion",
        "nws_get_zone_forecast",
    ];
    assert_eq!(names, right);
    for tool in TOOLS.iter() {
        assert!(tool.annotations.as_ref().unwrap().read_only_hint == Some(true), "{}", tool.name);
        let output = Value::Object(tool.output_schema.as_deref().cloned().unwrap());
        assert!(output["properties"]["error"]["properties"]["data"]["properties"]["recovery"].is_object());
        let either: Vec<Vec<&str>> = output["anyOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect())
            .collect();
        assert_eq!(either.len(), 2);
        assert!(either[1].contains(&"error") && !either[0].contains(&"error"));
        // A key that is left out on the last page is never due, and never null.
        assert!(!either[0].contains(&"nextCursor") && !either[0].contains(&"notice"), "{}", tool.name);
        let cursor = &output["properties"]["nextCursor"]["type"];
        assert!(cursor.is_null() || cursor == "string", "{}: {cursor}", tool.name);
    }
    assert!(fixtures().is_dir());
}
