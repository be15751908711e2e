//! nws_search_alerts, upstream and from memory.

use super::{Tools, fixtures, larkfield, with};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use stormbell::desk::enquiries::Code;
use stormbell::observation::{NWS_WARNINGS, Report};
use stormbell::outside::Outside;
use stormbell::outside::archive::{Archive, ArchiveOutside};
use stormbell::sources::{Ask, Source, nws_warnings};
use stormbell::threat::picture::Picture;

pub const SEARCH: &str = "nws_search_alerts";
/// Distinct alerts of the nation that are actual and not over: a tornado, a red flag, a wind and a gale warning, 56 of heat.
const NATION: usize = 60;

pub fn archive(folder: &Path, tools: &Tools) -> Arc<dyn Outside> {
    Arc::new(ArchiveOutside::new(Arc::new(Archive::load(folder).unwrap()), tools.clock))
}

/// What the polls of the national collection have seen.
pub async fn polled(tools: &Tools, folder: &Path) -> Picture {
    let mut source = nws_warnings::open(nws_warnings::Config::default(), archive(folder, tools));
    let mut picture = Picture::default();
    take(&mut picture, &mut source, tools).await;
    picture
}

/// One poll more.
pub async fn take(picture: &mut Picture, source: &mut dyn Source, tools: &Tools) {
    let polled_utc = tools.clock.now();
    let poll = source.poll(&Ask::default(), polled_utc).await.unwrap();
    picture.take(&Report {
        source: NWS_WARNINGS,
        polled_utc,
        good: poll.good,
        observations: poll.observations,
        faults: poll.faults,
    });
}

pub async fn watching() -> Tools {
    let mut tools = Tools::new();
    tools.picture = Some(polled(&tools, &fixtures()).await);
    tools
}

pub fn events(told: &Value) -> Vec<&str> {
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
        r#"{"offset":0,"limit":25,"query":{"area":"XX"}}"#,
        r#"{"offset":0,"limit":25,"query":{"severity":["Awful"]}}"#,
        r#"{"offset":0,"limit":25,"query":{"colour":"red"}}"#,
        r#"{"offset":0,"limit":25,"hourly":true}"#,
    ] {
        let cursor = BASE64_STANDARD.encode(token);
        assert_eq!(tools.reason(SEARCH, json!({"cursor": cursor})).await, "invalid_cursor", "{token}");
    }
}

/// A cursor of another tool, or of another list, is nobody's here; and nothing is asked for it.
#[tokio::test(start_paused = true)]
async fn cursors_of_other_tools_are_refused() {
    let tools = Tools::new();
    let stations = tools.good("nws_find_stations", larkfield(json!({"limit": 5}))).await;
    let hours = tools.good("nws_get_forecast", larkfield(json!({"hourly": true}))).await;
    let history = tools.good("nws_get_observation_history", json!({"station_id": "KXKS"})).await;
    let alerts = tools.good(SEARCH, json!({})).await;
    tools.asked();
    let owners = [
        ("nws_find_stations", larkfield(json!({})), &stations),
        ("nws_get_forecast", larkfield(json!({})), &hours),
        ("nws_get_observation_history", json!({"station_id": "KXKS"}), &history),
        (SEARCH, json!({}), &alerts),
    ];
    for (tool, arguments, own) in &owners {
        for (other, _, answer) in owners.iter().filter(|(_, _, answer)| answer != own) {
            let reason = tools.reason(tool, with(arguments.clone(), json!({"cursor": answer["nextCursor"]}))).await;
            assert_eq!(reason, "invalid_cursor", "{tool} with a cursor of {other}");
        }
        for odd in [json!("A".repeat(100_000)), json!("ünïcode"), json!("{}"), json!(BASE64_STANDARD.encode("{}"))] {
            let reason = tools.reason(tool, with(arguments.clone(), json!({"cursor": odd}))).await;
            assert_eq!(reason, "invalid_cursor", "{tool}");
        }
    }
    assert!(tools.asked().is_empty());
}

/// However many words a search had, its cursor turns its pages.
#[tokio::test(start_paused = true)]
async fn a_search_of_many_words_can_be_turned() {
    let tools = watching().await;
    let mut events: Vec<String> =
        (0..150).map(|number| format!("invented and long name of an event {number}")).collect();
    events.truncate(120);
    events.push("heat".to_owned());
    let first = tools.good(SEARCH, json!({"event": events, "limit": 10})).await;
    assert_eq!((&first["totalCount"], &first["shown"]), (&json!(56), &json!(10)));
    let second = tools.good(SEARCH, json!({"cursor": first["nextCursor"]})).await;
    assert_eq!((&second["totalCount"], &second["shown"]), (&json!(56), &json!(10)));
    assert_eq!(second["appliedFilters"], first["appliedFilters"]);
    for much in [json!(vec!["x"; 201]), json!(vec!["x".repeat(201)]), json!(vec!["x".repeat(100); 51])] {
        assert_eq!(tools.reason(SEARCH, json!({"event": much})).await, "invalid_arguments");
    }
}

/// What is refused is not told back by the megabyte.
#[tokio::test(start_paused = true)]
async fn refusals_stay_short_whatever_was_given() {
    let tools = Tools::new();
    let long = "ü".repeat(1_000_000);
    for (tool, arguments) in [
        (SEARCH, json!({"area": long})),
        (SEARCH, json!({"point": long})),
        (SEARCH, json!({"zone": long})),
        (SEARCH, json!({"status": long})),
        (SEARCH, json!({"severity": [long]})),
        (SEARCH, json!({"limit": long})),
        (SEARCH, json!({"place": [long]})),
        (SEARCH, json!({"place": long})),
        (SEARCH, json!({long.clone(): 1})),
        ("nws_get_observations", json!({"station_id": long})),
        ("nws_get_observation_history", json!({"station_id": "KXKS", "start": long})),
        ("nws_get_office_discussion", json!({"office": "XKS", "product_type": long})),
        ("nws_get_office_discussion", json!({"office": long})),
        ("nws_get_zone_forecast", json!({"zone_id": long})),
    ] {
        let refusal = tools.refused(tool, arguments).await;
        let facts = serde_json::to_string(&refusal.facts).unwrap();
        let told = refusal.message.chars().count() + refusal.hint.chars().count() + facts.chars().count();
        assert!(told < 1_500, "{tool}: {told} characters");
    }
    assert!(tools.asked().is_empty());
}

/// States, Alaska, Hawaii, territories and waters are areas; their zones are zones.
#[tokio::test(start_paused = true)]
async fn areas_beyond_the_continental_us_are_areas() {
    let tools = Tools::new();
    for area in ["ak", "HI", "PR", "GU", "AS", "VI", "MP", "FM", "MH", "PW", "DC", "GM", "PK", "SL", "LO"] {
        let told = tools.good(SEARCH, json!({"area": area})).await;
        assert_eq!(told["appliedFilters"], format!("area={}", area.to_uppercase()));
        let asked = tools.asked();
        assert_eq!(asked, [format!("/alerts/active?status=actual&area={}", area.to_uppercase())]);
    }
    for zone in ["AKZ101", "hic001", "PRZ001", "GUZ001", "PKZ011"] {
        tools.good(SEARCH, json!({"zone": zone})).await;
    }
    for none in ["XX", "USA", "U", "ÄÖ", "00", "A K"] {
        assert_eq!(tools.reason(SEARCH, json!({"area": none})).await, "invalid_area_code", "{none}");
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
