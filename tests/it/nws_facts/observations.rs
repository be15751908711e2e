//! nws_get_observations, nws_get_observation_history.

use super::{Tools, larkfield};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use stormbell::desk::enquiries::Code;

const NOW: &str = "nws_get_observations";
const HISTORY: &str = "nws_get_observation_history";

#[tokio::test(start_paused = true)]
async fn the_nearest_station_tells_how_it_is() {
    let tools = Tools::new();
    let told = tools.call(NOW, larkfield(json!({}))).await.unwrap();
    let value = &told.value;
    assert_eq!((&value["stationId"], &value["stationName"]), (&json!("KXKS"), &json!("Invented Station 0")));
    assert_eq!(
        (&value["timestamp"], &value["observedAt"]),
        (&json!("2031-05-09T20:55:00+00:00"), &json!("2031-05-09T20:55:00+00:00"))
    );
    assert_eq!(
        (&value["station"], &value["timeZone"]),
        (&json!("KXKS (Invented Station 0)"), &json!("America/Chicago"))
    );
    let measures = [
        "temperatureC",
        "dewpointC",
        "windSpeedKmh",
        "windDirectionDeg",
        "windGustKmh",
        "barometricPressurePa",
        "visibilityM",
        "relativeHumidityPct",
        "heatIndexC",
        "windChillC",
    ]
    .map(|key| value[key].clone());
    let right = [
        json!(27),
        json!(18),
        json!(19),
        json!(190),
        json!(41),
        json!(100_440),
        json!(16_090),
        json!(60),
        Value::Null,
        Value::Null,
    ];
    assert_eq!(measures, right);
    assert_eq!(value["cloudLayers"], json!([{"amount": "BKN", "baseM": 1370}]));
    assert!(value.get("notice").is_none());
    // The text is made of the rounded figures: 27 C is 81 F, whatever 26.7 would be.
    for part in [
        "81°F (27°C)",
        "S (190°) 12 mph (19 km/h), gusts 25 mph (41 km/h)",
        "29.66 inHg (1004 hPa)",
        "10.0 mi (16.1 km)",
        "60%",
        "BKN at 4495 ft (1370 m)",
        "Fri May 9 3:55 PM CDT (20:55Z)",
    ] {
        assert!(told.text.contains(part), "{part}: {}", told.text);
    }
    assert_eq!(
        tools.asked(),
        ["/points/37.74,-98.21", "/gridpoints/XKS/40,60/stations", "/stations/KXKS/observations/latest"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_station_counts_before_a_point() {
    let tools = Tools::new();
    let told = tools.good(NOW, larkfield(json!({"station_id": " kxks "}))).await;
    assert_eq!((&told["stationId"], &told["temperatureC"]), (&json!("KXKS"), &json!(27)));
    let mut asked = tools.asked();
    asked.sort();
    assert_eq!(asked, ["/stations/KXKS", "/stations/KXKS/observations/latest"]);
    for half in [json!({}), json!({"latitude": 37.74}), json!({"longitude": -98.21}), json!({"station_id": " "})] {
        let refusal = tools.refused(NOW, half.clone()).await;
        assert_eq!((refusal.code, refusal.reason), (Code::ValidationError, Some("missing_input")), "{half}");
    }
}

/// Lesson 3: two questions at once, and the unknown station is told whatever the other says.
#[tokio::test(start_paused = true)]
async fn an_unknown_station_is_unknown_and_a_silent_one_silent() {
    let tools = Tools::new();
    assert_eq!(
        tools.reason(NOW, json!({"station_id": "XNONE"})).await,
        "station_not_found",
        "its observations were answered"
    );
    assert_eq!(tools.reason(NOW, json!({"station_id": "KXKT"})).await, "no_observations");
    assert_eq!(
        tools.reason(NOW, json!({"station_id": "XTIME"})).await,
        "no_observations",
        "without its time it tells nothing"
    );
    assert_eq!(tools.reason(HISTORY, json!({"station_id": "XNONE"})).await, "station_not_found");
    // The station's own page fails once and is not asked again: what it measures is told.
    tools.asked();
    let told = tools.good(NOW, json!({"station_id": "XPAGE"})).await;
    assert_eq!(
        (&told["stationName"], &told["timeZone"], &told["temperatureC"]),
        (&Value::Null, &Value::Null, &json!(27))
    );
    assert!(told["notice"].as_str().unwrap().contains("could not be looked up"));
    assert_eq!(tools.asked().iter().filter(|path| *path == "/stations/XPAGE").count(), 1);
}

/// Lesson 12: a station that the API itself lists around a point exists, whatever it answers of its observations.
#[tokio::test(start_paused = true)]
async fn a_listed_station_that_is_silent_is_not_unknown() {
    let tools = Tools::new();
    let refusal = tools.refused(NOW, json!({"latitude": 37.7568, "longitude": -98.1992})).await;
    assert_eq!((refusal.code, refusal.reason), (Code::NotFound, Some("no_observations")));
    assert_eq!(
        (&refusal.facts["stationId"], tools.asked().last().unwrap().as_str()),
        (&json!("KXKT"), "/stations/KXKT/observations/latest")
    );
}

/// An id that climbs out of its path is refused without a request.
#[tokio::test(start_paused = true)]
async fn ids_that_are_none_are_not_asked_for() {
    let tools = Tools::new();
    for id in ["..", "KXKS/../../points/1,1", "K%2E", "K XKS", "KXKS?x=1", "Ä"] {
        assert_eq!(tools.reason(NOW, json!({"station_id": id})).await, "station_not_found", "{id}");
        assert_eq!(tools.reason(HISTORY, json!({"station_id": id})).await, "station_not_found", "{id}");
        assert_eq!(tools.reason("nws_get_zone_forecast", json!({"zone_id": id})).await, "zone_not_found", "{id}");
        assert_eq!(tools.reason("nws_get_office_discussion", json!({"office": id})).await, "no_products", "{id}");
        assert_eq!(tools.reason("nws_search_alerts", json!({"zone": id})).await, "invalid_zone", "{id}");
    }
    assert!(tools.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn old_and_limited_observations_say_so() {
    let tools = Tools::new();
    let told = tools.call(NOW, json!({"station_id": "KXKU"})).await.unwrap();
    let notice = told.value["notice"].as_str().unwrap();
    assert!(notice.contains("5.1 h old") && notice.contains("Limited data"), "{notice}");
    assert!(told.text.contains("Wind: Not available") && told.text.contains("Limited data"), "{}", told.text);
    assert_eq!((&told.value["dewpointC"], &told.value["windSpeedKmh"]), (&Value::Null, &Value::Null), "never 0");
}

/// Turns all pages; the times shown.
async fn turn(tools: &Tools, limit: u32) -> (Vec<String>, usize) {
    let (mut times, mut pages) = (Vec::new(), 0);
    let mut arguments = json!({"station_id": "KXKS", "limit": limit});
    loop {
        let told = tools.good(HISTORY, arguments).await;
        let rows = told["observations"].as_array().unwrap();
        assert_eq!(told["shown"], rows.len());
        times.extend(rows.iter().map(|row| row["timestamp"].as_str().unwrap().to_owned()));
        pages += 1;
        assert_eq!(told["truncated"].as_bool().unwrap(), told.get("nextCursor").is_some());
        let Some(cursor) = told.get("nextCursor") else { break };
        arguments = json!({"station_id": "KXKT", "limit": 7, "start": "2031-05-09T20:00:00Z", "cursor": cursor});
    }
    (times, pages)
}

#[tokio::test(start_paused = true)]
async fn a_history_is_turned_by_its_oldest_row() {
    for (limit, pages) in [(24, 5), (100, 2)] {
        let tools = Tools::new();
        let (times, turned) = turn(&tools, limit).await;
        assert_eq!((times.len(), turned), (101, pages));
        let mut sorted = times.clone();
        sorted.sort();
        sorted.dedup();
        sorted.reverse();
        assert_eq!(times, sorted, "newest first, every row once");
        // One more than is shown is asked for; the upstream's own next page never.
        let asked: Vec<String> = tools.asked().into_iter().filter(|path| path.contains("observations")).collect();
        assert!(
            asked.iter().all(|path| path.contains(&format!("limit={}", limit + 1)) && !path.contains("cursor")),
            "{asked:?}"
        );
        assert!(
            asked[0].ends_with(&format!("?limit={}", limit + 1)) && asked[1].contains("?end=2031-05-09T"),
            "{asked:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_that_holds_just_a_page_ends_there() {
    let tools = Tools::new();
    let start = "2031-05-09T20:10:00Z";
    let told = tools.good(HISTORY, json!({"station_id": "KXKS", "limit": 10, "start": start})).await;
    assert_eq!((&told["shown"], &told["truncated"], &told["cap"]), (&json!(10), &json!(false), &json!(10)));
    assert!(told.get("nextCursor").is_none() && told.get("totalCount").is_none());
    // Clamped and told.
    let told = tools.good(HISTORY, json!({"station_id": "KXKS", "limit": 5_000})).await;
    let figures = ["shown", "requestedLimit", "effectiveLimit", "cap"].map(|key| told[key].as_i64().unwrap());
    assert_eq!(figures, [100, 5_000, 100, 100]);
    let told = tools.good(HISTORY, json!({"station_id": "KXKT"})).await;
    assert!(told["shown"] == 0 && told["notice"].as_str().unwrap().contains("seven days"), "{told}");
}

/// Unordered, twice the same, one at the end itself and one without a time: order and window are made here.
#[tokio::test(start_paused = true)]
async fn rows_are_put_in_order_and_kept_to_their_window() {
    let tools = Tools::new();
    let told = tools.good(HISTORY, json!({"station_id": "KXKS", "limit": 5, "end": "2031-05-09T20:35:00Z"})).await;
    let times: Vec<&str> =
        told["observations"].as_array().unwrap().iter().map(|row| row["timestamp"].as_str().unwrap()).collect();
    assert_eq!(times, ["2031-05-09T20:30:00+00:00", "2031-05-09T20:25:00+00:00", "2031-05-09T20:20:00+00:00"]);
}

/// The row that was asked for to see whether there are older ones may be a repeat: the page is not the last one then.
#[tokio::test(start_paused = true)]
async fn a_repeated_row_does_not_end_the_history() {
    let tools = Tools::new();
    let told = tools.good(HISTORY, json!({"station_id": "KXKS", "limit": 3, "end": "2031-05-09T19:15:00Z"})).await;
    assert_eq!((&told["shown"], &told["truncated"]), (&json!(3), &json!(true)));
    assert!(told["nextCursor"].is_string(), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_row_without_its_time_does_not_end_the_history() {
    let tools = Tools::new();
    let told = tools.good(HISTORY, json!({"station_id": "KXKS", "limit": 5, "end": "2031-05-09T20:35:00Z"})).await;
    assert_eq!((&told["shown"], &told["truncated"]), (&json!(3), &json!(true)));
    assert!(told["nextCursor"].is_string(), "{told}");
}

#[tokio::test(start_paused = true)]
async fn windows_are_checked_before_anything_is_asked() {
    let tools = Tools::new();
    for (start, end) in [
        (json!("2031-05-09"), json!(null)),
        (json!("2031-02-30T00:00:00Z"), json!(null)),
        (json!(null), json!("2031-05-09T20:00:00.1234567Z")),
        (json!("2031-05-09T20:00:00"), json!(null)),
        (json!("2031-05-09T20:00:00Z"), json!("2031-05-09T20:00:00Z")),
        (json!("2031-05-09T21:00:00Z"), json!("2031-05-09T15:30:00-05:00")),
    ] {
        let refusal = tools.refused(HISTORY, json!({"station_id": "KXKS", "start": start, "end": end})).await;
        assert_eq!(
            (refusal.code, refusal.reason),
            (Code::ValidationError, Some("invalid_time_window")),
            "{start} {end}"
        );
    }
    for token in [
        r#"{"limit":24}"#,
        r#"{"limit":24,"end":"yesterday"}"#,
        r#"{"limit":500,"end":"2031-05-09T20:00:00Z"}"#,
        r#"{"limit":24,"end":"2031-05-09T20:00:00Z","start":"2031-05-09T20:30:00Z"}"#,
        r#"{"offset":24,"limit":24}"#,
    ] {
        let cursor = BASE64_STANDARD.encode(token);
        let reason = tools.reason(HISTORY, json!({"station_id": "KXKS", "cursor": cursor})).await;
        assert_eq!(reason, "invalid_cursor", "{token}");
    }
    assert!(tools.asked().is_empty());
    assert_eq!(tools.reason(HISTORY, json!({"limit": 5})).await, "invalid_arguments", "a station is due");
}
