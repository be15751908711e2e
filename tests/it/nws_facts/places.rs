//! `place` in the arguments of the routine tools.

use super::{LAT, LON, Tools, larkfield};
use serde_json::json;
use stormbell::mcp::tools::nws::TOOLS;

#[tokio::test(start_paused = true)]
async fn a_point_may_be_named() {
    let tools = Tools::new();
    let told = tools.call("nws_get_forecast", json!({"Place": "37.74, -98.21"})).await.unwrap();
    assert_eq!(
        (&told.value["shown"], &told.value["place"]["lat"], &told.value["place"]["lon"]),
        (&json!(14), &json!(LAT), &json!(LON))
    );
    assert!(told.text.contains("place: ") && told.text.contains("GeoNames"), "{}", told.text);
    let told = tools.good("nws_search_alerts", json!({"place": "37.74,-98.21", "event": ["tornado"]})).await;
    assert_eq!(
        (&told["totalCount"], &told["appliedFilters"]),
        (&json!(1), &json!("point=37.74,-98.21, event~tornado"))
    );
    let told = tools.good("nws_get_observations", json!({"place": "37.74,-98.21"})).await;
    assert_eq!(told["stationId"], "KXKS");
    assert_eq!(tools.good("nws_find_stations", json!({"place": "37.74,-98.21"})).await["totalCount"], 60);
    // Without a place there is none in the answer.
    assert!(tools.good("nws_get_forecast", larkfield(json!({}))).await.get("place").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_name_of_several_places_is_never_the_first_of_them() {
    let tools = Tools::new();
    let refusal = tools.refused("nws_get_forecast", json!({"place": "Springfield"})).await;
    assert_eq!(refusal.reason, Some("invalid_arguments"));
    assert!(refusal.message.contains("Greene County, MO") && refusal.message.contains("IL"), "{refusal:?}");
    for bad in [
        json!({"place": "Qqqqqqq"}),
        json!({"place": 7}),
        larkfield(json!({"place": "Norman, OK"})),
        json!({"place": "Norman, OK", "latitude": 1}),
    ] {
        assert_eq!(tools.reason("nws_get_forecast", bad.clone()).await, "invalid_arguments", "{bad}");
    }
    let both = json!({"place": "Norman, OK", "point": "1,2"});
    assert_eq!(tools.reason("nws_search_alerts", both).await, "invalid_arguments");
    let with_area = json!({"place": "Norman, OK", "area": "OK"});
    assert_eq!(tools.reason("nws_search_alerts", with_area).await, "mutually_exclusive_filters");
    assert_eq!(tools.reason("nws_get_alert_counts", json!({"place": "Norman, OK"})).await, "invalid_arguments");
    assert!(tools.asked().is_empty());
}

/// Beyond the continental US there are forecasts too.
#[tokio::test(start_paused = true)]
async fn places_in_alaska_are_asked_about() {
    let tools = Tools::new();
    let reason = tools.reason("nws_get_forecast", json!({"place": "Anchorage, AK"})).await;
    assert_eq!(reason, "out_of_scope", "the recorded day does not know it");
    assert!(tools.asked()[0].starts_with("/points/61.2"));
}

#[test]
fn every_tool_with_a_point_offers_a_place() {
    for tool in TOOLS.iter() {
        let properties = tool.input_schema["properties"].as_object().unwrap();
        let takes_point = properties.contains_key("latitude") || properties.contains_key("point");
        assert_eq!(properties.contains_key("place"), takes_point, "{}", tool.name);
    }
}
