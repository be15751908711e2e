//! nws_get_forecast, nws_find_stations.

use super::{LAT, LON, Tools, at, larkfield, with};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use stormbell::desk::enquiries::Code;

const FORECAST: &str = "nws_get_forecast";
const STATIONS: &str = "nws_find_stations";

#[tokio::test(start_paused = true)]
async fn a_week_comes_on_one_page() {
    let tools = Tools::new();
    let told = tools.good(FORECAST, larkfield(json!({}))).await;
    let location = json!({"city": "Larkfield", "state": "KS", "office": "XKS", "timeZone": "America/Chicago",
        "forecastZone": "KSZ197", "county": "KSC297"});
    assert_eq!(told["location"], location);
    assert_eq!((&told["totalCount"], &told["shown"], &told["mode"]), (&json!(14), &json!(14), &json!("7-day")));
    assert_eq!(told["generatedAt"], "2031-05-09T20:30:00+00:00");
    assert!(told.get("nextCursor").is_none() && told.get("notice").is_none(), "the last page has neither");
    let first = &told["periods"][0];
    assert_eq!(
        (&first["name"], &first["temperature"], &first["temperatureUnit"]),
        (&json!("This Afternoon"), &json!(84.0), &json!("F"))
    );
    assert_eq!((&first["dewpointC"], &first["relativeHumidityPct"]), (&Value::Null, &Value::Null));
    assert_eq!(
        (&told["periods"][1]["precipChancePct"], &told["periods"][2]["precipChancePct"]),
        (&Value::Null, &json!(20))
    );
    assert_eq!(tools.asked(), ["/points/37.74,-98.21", "/gridpoints/XKS/40,60/forecast"]);
}

/// Lessons 1 and 2: both forms hold the same window and the same rounded figures.
#[tokio::test(start_paused = true)]
async fn hours_are_cut_at_48_in_both_forms_and_rounded_once() {
    let tools = Tools::new();
    let told = tools.call(FORECAST, larkfield(json!({"hourly": true}))).await.unwrap();
    let periods = told.value["periods"].as_array().unwrap();
    assert_eq!((periods.len(), &told.value["totalCount"], &told.value["mode"]), (48, &json!(156), &json!("hourly")));
    assert_eq!(told.text.matches("\n## ").count(), 48);
    // 18 degrees less a third for each hour.
    assert_eq!((&periods[1]["dewpointC"], &periods[2]["dewpointC"]), (&json!(17.7), &json!(17.3)));
    assert!(
        told.text.contains("(17.7°C)") && told.text.contains("(17.3°C)") && !told.text.contains("17.66"),
        "{}",
        told.text
    );
    assert!(told.value.to_string().matches("17.6666").count() == 0);
    // Hours have no names: the text names them in the place's own zone and in UTC.
    assert_eq!(periods[0]["name"], "");
    assert!(told.text.contains("## Fri May 9 4:00 PM CDT (21:00Z)"), "{}", told.text);
    assert!(told.value["notice"].as_str().unwrap().contains("48 of 156"));
    assert!(told.text.contains(told.value["nextCursor"].as_str().unwrap()));
}

/// Lesson 17: a cursor carries its question.
#[tokio::test(start_paused = true)]
async fn pages_go_on_with_the_question_that_they_began_with() {
    let tools = Tools::new();
    let mut arguments = larkfield(json!({"hourly": true}));
    let mut starts: Vec<String> = Vec::new();
    let mut pages = 0;
    loop {
        let told = tools.good(FORECAST, arguments.clone()).await;
        assert_eq!(told["mode"], "hourly");
        starts.extend(told["periods"].as_array().unwrap().iter().map(|p| p["startTime"].as_str().unwrap().to_owned()));
        pages += 1;
        let Some(cursor) = told.get("nextCursor") else { break };
        // Another mode and another place beside the cursor change nothing.
        arguments = json!({"latitude": 0.0, "longitude": 0.0, "hourly": false, "cursor": cursor});
    }
    let all = starts.len();
    starts.sort();
    starts.dedup();
    assert_eq!((pages, all, starts.len()), (4, 156, 156), "every hour once");
    // It needs no point beside it.
    let first = tools.good(FORECAST, larkfield(json!({"hourly": true}))).await;
    let second = tools.good(FORECAST, json!({"cursor": first["nextCursor"]})).await;
    assert_eq!(
        (&second["mode"], &second["periods"][0]["startTime"]),
        (&json!("hourly"), &json!("2031-05-11T16:00:00-05:00"))
    );
    // Of its kind: an hour two days ahead was called the next hour.
    let said = |told: &Value| told["interpretation"].as_str().unwrap().to_owned();
    assert!(said(&first).starts_with("The hour from Fri May 9 4:00 PM CDT (21:00Z) near Larkfield, KS: "), "{first}");
    assert!(
        said(&second).starts_with("The hour from Sun May 11 4:00 PM CDT (21:00Z) near Larkfield, KS: "),
        "{second}"
    );
    // An older token carries no question: the arguments count.
    let old = BASE64_STANDARD.encode(r#"{"offset":48,"limit":48}"#);
    let told = tools.good(FORECAST, larkfield(json!({"hourly": true, "cursor": old}))).await;
    assert_eq!((&told["shown"], &told["periods"][0]["startTime"]), (&json!(48), &json!("2031-05-11T16:00:00-05:00")));
    let beyond = BASE64_STANDARD.encode(r#"{"offset":400,"limit":48}"#);
    let told = tools.good(FORECAST, larkfield(json!({"hourly": true, "cursor": beyond}))).await;
    assert!(told["shown"] == 0 && told["notice"].as_str().unwrap().contains("beyond"), "{told}");
    // Blank is not set.
    assert_eq!(tools.good(FORECAST, larkfield(json!({"cursor": "  "}))).await["shown"], 14);
}

#[tokio::test(start_paused = true)]
async fn a_cursor_of_nobody_is_refused_before_anything_is_asked() {
    let tools = Tools::new();
    for token in [
        r#"{"offset":1.5,"limit":48}"#,
        r#"{"offset":48}"#,
        r#"{"offset":48,"limit":0}"#,
        r#"{"offset":48,"limit":49}"#,
        r#"{"offset":48,"limit":48,"query":{"hourly":"yes","at":[37.74,-98.21]}}"#,
        r#"{"offset":48,"limit":48,"query":{"hourly":true,"at":[91,0]}}"#,
        r#"{"offset":48,"limit":48,"query":{"hourly":true}}"#,
        r#"{"offset":48,"limit":48,"area":"OK"}"#,
        "[]",
    ] {
        let cursor = BASE64_STANDARD.encode(token);
        let refusal = tools.refused(FORECAST, larkfield(json!({"cursor": cursor}))).await;
        assert_eq!((refusal.code, refusal.reason), (Code::InvalidParams, Some("invalid_cursor")), "{token}");
    }
    assert_eq!(tools.reason(STATIONS, larkfield(json!({"cursor": "%"}))).await, "invalid_cursor");
    assert!(tools.asked().is_empty());
}

/// Lesson 13: 200 with no address is an answer.
#[tokio::test(start_paused = true)]
async fn places_without_a_grid_are_told_apart() {
    let tools = Tools::new();
    let refusal = tools.refused(FORECAST, at(28.5, -94.5)).await;
    assert_eq!((refusal.code, refusal.reason), (Code::NotFound, Some("marine_forecast_unsupported")));
    assert!(refusal.hint.contains("GMZ335") && refusal.facts["forecastZone"] == "GMZ335", "{refusal:?}");
    assert_eq!(tools.asked(), ["/points/28.5,-94.5"], "one request tells");
    let refusal = tools.refused(FORECAST, at(18.12, 145.77)).await;
    assert_eq!((refusal.code, refusal.reason), (Code::NotFound, Some("no_forecast_grid")));
    assert!(
        refusal.message.contains("MPZ004") && refusal.hint.contains("nws_search_alerts with zone MPZ004"),
        "{refusal:?}"
    );
    // Addresses that lead to "not for waters".
    assert_eq!(tools.reason(FORECAST, at(29.2, -94.0)).await, "marine_forecast_unsupported");
    let refusal = tools.refused(FORECAST, at(40.0, -100.0)).await;
    assert_eq!((refusal.code, refusal.reason), (Code::ServiceUnavailable, None), "some addresses and not others");
    for tool in [STATIONS, "nws_get_observations"] {
        let refusal = tools.refused(tool, at(40.1, -100.0)).await;
        assert_eq!((refusal.code, refusal.reason), (Code::ServiceUnavailable, None), "no list is not an empty list");
        assert_eq!(tools.reason(tool, at(51.5, -0.1)).await, "out_of_scope");
    }
    let refusal = tools.refused(FORECAST, at(51.5, -0.1)).await;
    assert_eq!((refusal.code, refusal.reason), (Code::ValidationError, Some("out_of_scope")));
}

/// An answer must not send us to another host.
#[tokio::test(start_paused = true)]
async fn an_address_that_leads_elsewhere_is_not_followed() {
    let tools = Tools::new();
    let refusal = tools.refused(FORECAST, at(39.6, -98.0)).await;
    assert_eq!(refusal.code, Code::SerializationError);
    assert!(refusal.message.contains("leads elsewhere"), "{refusal:?}");
    assert_eq!(tools.asked(), ["/points/39.6,-98"]);
}

#[tokio::test(start_paused = true)]
async fn coordinates_are_cut_off_and_points_are_kept_for_an_hour() {
    let tools = Tools::new();
    // Of more decimals the fifth and later are cut off.
    tools.good(FORECAST, at(37.740_09, -98.210_09)).await;
    assert_eq!(tools.asked(), ["/points/37.74,-98.21", "/gridpoints/XKS/40,60/forecast"]);
    tools.good(FORECAST, larkfield(json!({"hourly": true}))).await;
    assert_eq!(
        tools.asked(),
        ["/gridpoints/XKS/40,60/forecast/hourly"],
        "the point was known, the forecast is asked anew"
    );
    tools.clock.sleep(std::time::Duration::from_secs(3_601)).await;
    tools.good(FORECAST, larkfield(json!({}))).await;
    assert_eq!(tools.asked(), ["/points/37.74,-98.21", "/gridpoints/XKS/40,60/forecast"]);
}

#[tokio::test(start_paused = true)]
async fn stations_come_nearest_first_with_distance_and_direction() {
    let tools = Tools::new();
    let told = tools.good(STATIONS, larkfield(json!({}))).await;
    let stations = told["stations"].as_array().unwrap();
    assert_eq!((stations.len(), &told["totalCount"], &told["shown"]), (10, &json!(60), &json!(10)));
    // The list of the API ends with the nearest: 0.01 degrees of longitude to the east.
    let first = json!({"stationId": "KXKS", "name": "Invented Station 0", "distanceKm": 0.9, "bearing": "E", "elevationM": 400,
        "timeZone": "America/Chicago", "county": "KSC297", "forecastZone": "KSZ197"});
    assert_eq!(stations[0], first);
    let distances: Vec<f64> = stations.iter().map(|station| station["distanceKm"].as_f64().unwrap()).collect();
    assert!(distances.is_sorted(), "{distances:?}");
    let (mut seen, mut arguments) = (Vec::new(), larkfield(json!({"limit": 25})));
    loop {
        let told = tools.good(STATIONS, arguments).await;
        seen.extend(told["stations"].as_array().unwrap().iter().map(|s| s["stationId"].as_str().unwrap().to_owned()));
        let Some(cursor) = told.get("nextCursor") else { break };
        arguments = json!({"latitude": 0, "longitude": 0, "limit": 3, "cursor": cursor});
    }
    assert_eq!(seen.len(), 60);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 60, "every station once");
}

#[tokio::test(start_paused = true)]
async fn more_than_a_page_holds_is_served_as_a_page_and_told() {
    let tools = Tools::new();
    let told = tools.good(STATIONS, larkfield(json!({"limit": 500}))).await;
    let figures = ["shown", "requestedLimit", "effectiveLimit", "totalCount"].map(|key| told[key].as_i64().unwrap());
    assert_eq!(figures, [50, 500, 50, 60]);
    let told = tools.good(STATIONS, larkfield(json!({"limit": 50.0}))).await;
    assert!(told["shown"] == 50 && told.get("requestedLimit").is_none());
    for limit in [json!(0), json!(10_001), json!(2.5), json!(-1), json!("ten")] {
        assert_eq!(tools.reason(STATIONS, larkfield(json!({"limit": limit}))).await, "invalid_arguments", "{limit}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_place_without_stations_has_none_and_says_so() {
    let tools = Tools::new();
    for (lat, lon) in [(30.3, -88.9), (28.5, -94.5)] {
        let told = tools.good(STATIONS, at(lat, lon)).await;
        assert_eq!((&told["totalCount"], &told["stations"]), (&json!(0), &json!([])));
        assert!(told["notice"].as_str().unwrap().contains("No station"), "{told}");
        assert_eq!(tools.reason("nws_get_observations", at(lat, lon)).await, "no_stations_nearby");
    }
}

#[tokio::test(start_paused = true)]
async fn arguments_are_strict_about_names_and_tolerant_of_their_spelling() {
    let tools = Tools::new();
    let told = tools.good(FORECAST, json!({"Latitude": LAT, "LONGITUDE": LON, "hourly": null})).await;
    assert_eq!(told["shown"], 14);
    let refusal = tools.refused(FORECAST, larkfield(json!({"lattitude": 3}))).await;
    assert_eq!((refusal.code, refusal.reason), (Code::InvalidParams, Some("invalid_arguments")));
    assert!(refusal.hint.contains("Did you mean latitude?") && refusal.hint.contains("cursor"), "{refusal:?}");
    let nowhere = tools.refused(FORECAST, json!({})).await;
    assert!(nowhere.message.contains("point") && nowhere.hint.contains("place"), "{nowhere:?}");
    for bad in [
        json!({}),
        json!({"latitude": LAT}),
        at(91.0, 0.0),
        at(0.0, -180.5),
        with(at(LAT, LON), json!({"hourly": "often"})),
        json!({"latitude": "north", "longitude": LON}),
        json!({"latitude": LAT, "longitude": LON, "LATITUDE": LAT}),
    ] {
        assert_eq!(tools.reason(FORECAST, bad.clone()).await, "invalid_arguments", "{bad}");
    }
    // Only the first, good one was asked for.
    assert_eq!(tools.asked().len(), 2);
}
