//! nws_search_alerts, upstream and from memory.

use super::{Tools, fixtures};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use stormbell::desk::enquiries::Code;
use stormbell::observation::{NWS_WARNINGS, Report};
use stormbell::outside::Outside;
use stormbell::outside::archive::{Archive, ArchiveOutside};
use stormbell::sources::{Ask, Source, nws_warnings};
use stormbell::threat::picture::Picture;

const SEARCH: &str = "nws_search_alerts";
/// Distinct alerts of the nation that are actual and not over: a tornado, a red flag, a wind and a gale warning, 56 of heat.
const NATION: usize = 60;

/// What the polls of the national collection have seen.
pub async fn polled(tools: &Tools, folder: &std::path::Path) -> Picture {
    let day: Arc<dyn Outside> = Arc::new(ArchiveOutside::new(Arc::new(Archive::load(folder).unwrap()), tools.clock));
    let mut source = nws_warnings::open(nws_warnings::Config::default(), day);
    let polled_utc = tools.clock.now();
    let poll = source.poll(&Ask::default(), polled_utc).await.unwrap();
    let mut picture = Picture::default();
    picture.take(&Report {
        source: NWS_WARNINGS,
        polled_utc,
        good: poll.good,
        observations: poll.observations,
        faults: poll.faults,
    });
    picture
}

async fn watching() -> Tools {
    let mut tools = Tools::new();
    tools.picture = Some(polled(&tools, &fixtures()).await);
    tools
}

fn events(told: &Value) -> Vec<&str> {
    told["alerts"].as_array().unwrap().iter().map(|alert| alert["event"].as_str().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn an_alert_is_told_with_everything_that_it_says() {
    let tools = Tools::new();
    let told = tools.call(SEARCH, json!({"area": " ks "})).await.unwrap();
    let value = &told.value;
    assert_eq!(
        (&value["totalCount"], &value["shown"], &value["appliedFilters"]),
        (&json!(3), &json!(3), &json!("area=KS"))
    );
    let tornado = &value["alerts"][0];
    let right = json!({
        "id": "urn:oid:2.999.2031.5.9.001.1", "event": "Tornado Warning", "phase": "in_effect", "headline": "Tornado Warning issued",
        "description": "Invented description 1.", "instruction": "TAKE COVER NOW!", "severity": "Extreme", "urgency": "Immediate",
        "certainty": "Observed", "areaDesc": "Invented area 1", "onset": "2031-05-09T15:30:00-05:00",
        "ends": "2031-05-09T22:00:00-05:00", "expires": "2031-05-09T17:00:00-05:00", "sent": "2031-05-09T15:00:00-05:00",
        "effective": "2031-05-09T15:00:00-05:00", "status": "Actual", "messageType": "Update", "senderName": "NWS Larkfield KS",
        "affectedZones": [{"code": "KSC297", "type": "county"}],
        "references": [{"identifier": "urn:oid:2.999.2031.5.9.900.1", "sent": "2031-05-09T14:30:00-05:00"}]});
    assert_eq!(tornado, &right);
    // Lessons 6 and 7: a missing text or end hides nothing, and both ends are labelled.
    let red_flag = &value["alerts"][1];
    assert_eq!(
        (&red_flag["description"], &red_flag["headline"], &red_flag["ends"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(red_flag["affectedZones"], json!([{"code": "KSZ997", "type": "fire"}]));
    assert_eq!(value["alerts"][2]["phase"], "upcoming");
    for part in [
        "Hazard ends: Fri May 9 10:00 PM CDT (Sat 03:00Z)",
        "Message valid until: Fri May 9 5:00 PM CDT (22:00Z)",
        "Hazard ends: open-ended",
        "upcoming: issued, the hazard has not begun",
        "appliedFilters: area=KS",
    ] {
        assert!(told.text.contains(part), "{part}: {}", told.text);
    }
    assert_eq!(tools.asked(), ["/alerts/active?status=actual&area=KS"]);
}

/// Lesson 10, and what never goes upstream.
#[tokio::test(start_paused = true)]
async fn the_nation_is_counted_once_and_turned_in_pages() {
    for from_memory in [false, true] {
        let tools = if from_memory { watching().await } else { Tools::new() };
        let (mut ids, mut arguments, mut pages) = (Vec::new(), json!({}), 0);
        loop {
            let told = tools.good(SEARCH, arguments).await;
            assert_eq!(
                (&told["totalCount"], &told["appliedFilters"]),
                (&json!(NATION), &json!("national (no filters)"))
            );
            assert_eq!(told["overLeftOut"], 1, "one was called off");
            assert_eq!(told["collectionUpdated"], "2031-05-09T20:59:00Z");
            ids.extend(told["alerts"].as_array().unwrap().iter().map(|alert| alert["id"].as_str().unwrap().to_owned()));
            pages += 1;
            let Some(cursor) = told.get("nextCursor") else { break };
            arguments = json!({"cursor": cursor});
        }
        assert_eq!((pages, ids.len()), (3, NATION));
        let mut once = ids.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), NATION, "every alert once");
        let asked = tools.asked();
        if from_memory {
            assert!(asked.is_empty(), "memory covers it: {asked:?}");
        } else {
            assert!(asked.iter().all(|path| path == "/alerts/active?status=actual"), "{asked:?}");
        }
    }
}

/// Lesson 17: other filters beside a cursor change nothing; its limit goes on.
#[tokio::test(start_paused = true)]
async fn a_cursor_carries_its_filters() {
    let tools = watching().await;
    let first = tools.good(SEARCH, json!({"event": ["heat"], "limit": 10})).await;
    assert_eq!((&first["totalCount"], &first["shown"]), (&json!(56), &json!(10)));
    let second = tools
        .good(SEARCH, json!({"cursor": first["nextCursor"], "area": "ZZ", "event": ["tornado"], "limit": 3}))
        .await;
    assert_eq!(
        (&second["totalCount"], &second["shown"], &second["appliedFilters"]),
        (&json!(56), &json!(10), &json!("national, event~heat"))
    );
    assert!(second["alerts"][0]["id"] != first["alerts"][0]["id"]);
    // An older one carries none: the arguments count.
    let old = BASE64_STANDARD.encode(r#"{"offset":25,"limit":25}"#);
    let told = tools.good(SEARCH, json!({"cursor": old, "event": ["heat"]})).await;
    assert_eq!((&told["totalCount"], &told["shown"]), (&json!(56), &json!(25)));
    for token in [
        r#"{"offset":0,"limit":26}"#,
        r#"{"offset":0,"limit":25,"filters":{"area":"XX"}}"#,
        r#"{"offset":0,"limit":25,"filters":{"severity":["Awful"]}}"#,
        r#"{"offset":0,"limit":25,"filters":{"colour":"red"}}"#,
        r#"{"offset":0,"limit":25,"hourly":true}"#,
    ] {
        let cursor = BASE64_STANDARD.encode(token);
        assert_eq!(tools.reason(SEARCH, json!({"cursor": cursor})).await, "invalid_cursor", "{token}");
    }
}

#[tokio::test(start_paused = true)]
async fn limits_are_clamped_and_told() {
    let tools = watching().await;
    let told = tools.good(SEARCH, json!({"limit": 1_000})).await;
    let figures = ["shown", "requestedLimit", "effectiveLimit"].map(|key| told[key].as_i64().unwrap());
    assert_eq!(figures, [25, 1_000, 25]);
    let told = tools.call(SEARCH, json!({"limit": 1_000})).await.unwrap();
    assert!(told.text.contains("requestedLimit: 1000 · effectiveLimit: 25"));
    assert!(tools.good(SEARCH, json!({"limit": 25})).await.get("requestedLimit").is_none());
}

#[tokio::test(start_paused = true)]
async fn filters_that_cannot_be_used_have_their_own_reasons() {
    let tools = Tools::new();
    for (arguments, reason) in [
        (json!({"area": "KS", "zone": "KSZ197"}), "mutually_exclusive_filters"),
        (json!({"region": ["GM"], "region_type": "Marine"}), "mutually_exclusive_filters"),
        (json!({"area": "XX"}), "invalid_area_code"),
        (json!({"point": "37.74,"}), "invalid_point"),
        (json!({"point": "37.74"}), "invalid_point"),
        (json!({"zone": "QQZ001"}), "invalid_zone"),
        (json!({"severity": ["Awful"]}), "invalid_arguments"),
        (json!({"status": "Real"}), "invalid_arguments"),
        (json!({"areas": "KS"}), "invalid_arguments"),
    ] {
        let refusal = tools.refused(SEARCH, arguments.clone()).await;
        let code = if reason == "invalid_arguments" { Code::InvalidParams } else { Code::ValidationError };
        assert_eq!((refusal.reason, refusal.code), (Some(reason), code), "{arguments}");
    }
    assert!(tools.asked().is_empty(), "nothing of that goes upstream");
    // A zone that only the API knows not to be one: its words are passed on.
    let refusal = tools.refused(SEARCH, json!({"zone": "KSZ000"})).await;
    assert_eq!((refusal.reason, refusal.code), (Some("invalid_zone"), Code::ValidationError));
    assert!(refusal.message.contains("KSZ000 is not a valid zone"), "{refusal:?}");
}

/// Lessons 5 and 9.
#[tokio::test(start_paused = true)]
async fn filters_are_regular_before_they_go_upstream_and_blank_ones_are_not_set() {
    let tools = Tools::new();
    tools.good(SEARCH, json!({"region": ["gm", "AT"], "severity": [" severe ", ""], "area": "", "zone": " "})).await;
    assert_eq!(tools.asked(), ["/alerts/active?status=actual&region=GM,AT&severity=Severe"]);
    tools.good(SEARCH, json!({"regionType": "MARINE", "event": "gale"})).await;
    assert_eq!(tools.asked(), ["/alerts/active?status=actual&region_type=marine"]);
    tools.good(SEARCH, json!({"point": " 37.740019 , -98.210019 "})).await;
    assert!(tools.asked().contains(&"/alerts/active?status=actual&point=37.74,-98.21".to_owned()));
    let told = tools.good(SEARCH, json!({"area": "  ", "event": [], "cursor": ""})).await;
    assert_eq!(told["appliedFilters"], "national (no filters)", "the widening is told");
}

/// Field report N25: a fire weather zone is one of the zones of a point, also where the API's own search does not say so.
#[tokio::test(start_paused = true)]
async fn n25_the_fire_weather_zone_of_a_point_counts() {
    let tools = Tools::new();
    let upstream = tools.good(SEARCH, json!({"point": "37.74,-98.21"})).await;
    assert_eq!(events(&upstream), ["Tornado Warning", "Wind Advisory", "Red Flag Warning"]);
    let asked = tools.asked();
    let point = "/alerts/active?status=actual&point=37.74,-98.21";
    assert_eq!(asked, ["/points/37.74,-98.21", point, "/alerts/active?status=actual&zone=KSZ997"]);
    let tools = watching().await;
    let mut memory = tools.good(SEARCH, json!({"point": "37.74,-98.21"})).await;
    assert_eq!(tools.asked(), ["/points/37.74,-98.21"], "only the zones had to be learned");
    memory["alerts"].as_array_mut().unwrap().sort_by_key(|alert| alert["id"].as_str().unwrap().to_owned());
    let mut expected = upstream["alerts"].clone();
    expected.as_array_mut().unwrap().sort_by_key(|alert| alert["id"].as_str().unwrap().to_owned());
    assert_eq!(memory["alerts"], expected);
    // A point in the same zones and outside the tornado's polygon.
    assert_eq!(memory["degraded"], json!([]));
}

/// Field report N28: a place over water gets the alerts of the county that its weather radio names, and is told so.
#[tokio::test(start_paused = true)]
async fn n28_over_water_the_county_of_the_weather_radio_counts() {
    let tools = Tools::new();
    let told = tools.good(SEARCH, json!({"point": "30.3,-88.9"})).await;
    assert_eq!(events(&told), ["Coastal Flood Warning"]);
    assert!(told["notice"].as_str().unwrap().contains("MSC047"), "{told}");
}

/// Field report N14.
#[tokio::test(start_paused = true)]
async fn n14_tests_are_found_by_who_asks_for_tests() {
    let tools = watching().await;
    assert!(events(&tools.good(SEARCH, json!({"severity": ["Extreme"]})).await) == ["Tornado Warning"]);
    assert!(tools.asked().is_empty());
    let told = tools.good(SEARCH, json!({"status": "test"})).await;
    assert_eq!((events(&told), &told["appliedFilters"]), (vec!["Test"], &json!("national, status=test")));
    assert_eq!(tools.asked(), ["/alerts/active?status=test"], "memory holds only what is actual");
}

/// Field report N02: what was called off is not active; who asks for the past gets it.
#[tokio::test(start_paused = true)]
async fn n02_what_is_over_is_left_out_and_counted() {
    let tools = watching().await;
    let told = tools.good(SEARCH, json!({"zone": "KSZ197"})).await;
    assert_eq!((events(&told), &told["overLeftOut"]), (vec!["Wind Advisory"], &json!(1)));
    let past = tools.good(SEARCH, json!({"urgency": ["Past"]})).await;
    assert_eq!((events(&past), &past["alerts"][0]["phase"]), (vec!["Flood Advisory"], &json!("over")));
    // N11: by the clock, also where the API would list it on.
    tools.clock.sleep(Duration::from_secs(60)).await;
    assert_eq!(tools.good(SEARCH, json!({"event": ["heat"]})).await["totalCount"], 56);
}

/// Field report N35: a memory that is not renewed does not answer.
#[tokio::test(start_paused = true)]
async fn n35_memory_answers_while_it_is_fresh_and_no_longer() {
    let tools = watching().await;
    tools.clock.sleep(Duration::from_secs(119)).await;
    tools.good(SEARCH, json!({})).await;
    assert!(tools.asked().is_empty());
    tools.clock.sleep(Duration::from_secs(2)).await;
    tools.good(SEARCH, json!({})).await;
    assert_eq!(tools.asked(), ["/alerts/active?status=actual"]);
    // What was not a good poll never answers.
    let mut picture = Picture::default();
    let seen = watching().await.picture.unwrap();
    let collection = seen.alerts.unwrap().0;
    picture.take(&Report {
        source: NWS_WARNINGS,
        polled_utc: tools.clock.now(),
        good: false,
        observations: vec![stormbell::observation::Observation::Alerts(collection)],
        faults: Vec::new(),
    });
    assert!(picture.alerts.is_none());
}

/// Field reports N17 and N37: an old copy with status 200 is told, and its silence is no all-clear.
#[tokio::test(start_paused = true)]
async fn n17_n37_an_old_copy_is_told() {
    let tools = Tools::new();
    let told = tools.good(SEARCH, json!({"severity": ["Minor"]})).await;
    assert_eq!((&told["totalCount"], &told["degraded"]), (&json!(0), &json!(["nws-active-alerts"])));
    let notice = told["notice"].as_str().unwrap();
    assert!(
        notice.contains("old copy") && notice.contains("91 min behind") || notice.contains("90 min behind"),
        "{notice}"
    );
    // Without any trouble nothing found is nothing in force.
    let told = tools.good(SEARCH, json!({"area": "WY"})).await;
    assert_eq!((&told["totalCount"], &told["degraded"]), (&json!(0), &json!([])));
    assert!(told["notice"].as_str().unwrap().contains("No active alert matches (area=WY)"), "{told}");
}

/// Field report N44: the zone of the place where a point was asked for, else that of the state first named.
#[tokio::test(start_paused = true)]
async fn n44_times_are_those_of_the_place() {
    let tools = watching().await;
    let text = tools.text(SEARCH, json!({"region": ["GM"]})).await;
    assert!(text.contains("Hazard onset: Fri May 9 3:30 PM CDT (20:30Z)"), "{text}");
}
