use super::*;
use crate::geo::LatLon;
use crate::warning::{CapStatus, Warning};
use jiff::Timestamp;
use serde_json::json;

fn utc(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A collection of one feature whose properties are those given over a few defaults.
fn collection(properties: serde_json::Value, geometry: serde_json::Value) -> Vec<u8> {
    let mut all = json!({"id": "urn:oid:test.1", "event": "Tornado Warning", "status": "Actual", "messageType": "Alert",
        "sent": "2026-06-10T16:31:00-05:00"});
    for (key, value) in properties.as_object().unwrap() {
        all[key] = value.clone();
    }
    let feature = json!({"type": "Feature", "geometry": geometry, "properties": all});
    json!({"type": "FeatureCollection", "updated": "2026-06-10T21:31:20+00:00", "features": [feature]})
        .to_string()
        .into()
}

fn only(properties: serde_json::Value) -> Warning {
    let read = alerts(&collection(properties, json!(null))).unwrap();
    assert_eq!(read.skipped, []);
    Warning::clone(&read.snapshot.warnings[0])
}

#[test]
fn whole_answers_that_cannot_be_used_are_named() {
    let text = |bytes: &[u8]| alerts(bytes).unwrap_err().to_string();
    assert_eq!(alerts(b""), Err(NwsError::Empty));
    assert_eq!(alerts(b" \n"), Err(NwsError::Empty));
    assert!(matches!(alerts(b"<!DOCTYPE html><title>Access Denied</title>"), Err(NwsError::WebPage { .. })));
    assert!(matches!(alerts(br#"{"type":"FeatureCollection","fea"#), Err(NwsError::CutOff { .. })));
    assert!(matches!(alerts(b"GRIB\0\0"), Err(NwsError::NotJson { .. })));
    assert!(text(br#"{"title":"Bad Request","status":400,"detail":"no"}"#).contains("400 Bad Request"));
    assert!(text(br#"{"type":"FeatureCollection"}"#).contains("without features"));
    assert!(text(b"[]").contains("bare list"));
    let points = br#"{"type":"Feature","properties":{"forecastZone":"x"}}"#;
    assert!(text(points).contains("/points"), "{}", text(points));
    let stations = br#"{"type":"FeatureCollection","features":[{"properties":{"@type":"wx:ObservationStation"}}]}"#;
    assert!(text(stations).contains("wx:ObservationStation"));
}

#[test]
fn one_bad_feature_never_hides_the_others() {
    let good = json!({"type": "Feature", "properties": {"id": "good", "event": "Tornado Warning", "status": "Actual",
        "sent": "2026-06-10T16:31:00-05:00", "geocode": {"UGC": ["MOC171"]}}});
    let bad = [
        json!(null),
        json!({"type": "Feature"}),
        json!({"properties": {"event": "x", "sent": "2026-06-10T16:31:00-05:00"}}),
        json!({"properties": {"id": "no event", "sent": "2026-06-10T16:31:00-05:00"}}),
        json!({"properties": {"id": "template", "event": "x", "sent": "date:now -312 seconds"}}),
    ];
    let mut features = bad.to_vec();
    features.insert(2, good);
    let document = json!({"type": "FeatureCollection", "features": features}).to_string();
    let read = alerts(document.as_bytes()).unwrap();
    assert_eq!(read.snapshot.warnings.len(), 1);
    assert_eq!((read.skipped.len(), read.snapshot.unread), (5, 5));
    assert_eq!(read.skipped[4].id, "template");
    assert!(read.skipped[4].why.contains("template"), "{:?}", read.skipped[4]);
    let (_, faults) = read.into_faults();
    assert_eq!(faults.len(), 5);
    assert!(faults.iter().all(|fault| fault.kept_rest));
}

#[test]
fn n34_every_key_but_id_and_event_may_be_missing() {
    let document = json!({"type": "FeatureCollection", "updated": "2026-06-10T21:31:20Z", "features": [
        {"properties": {"id": "a", "event": "Tornado Warning"}}, {"properties": {"id": "b", "event": "x", "parameters": {}}},
        {"properties": {"id": "c", "event": "x", "parameters": {"VTEC": [], "maxHailSize": ["0.00"]}, "references": null,
            "response": null, "ends": null, "geocode": null}}]});
    let read = alerts(document.to_string().as_bytes()).unwrap();
    assert_eq!(read.snapshot.warnings.len(), 3);
    let first = &read.snapshot.warnings[0];
    assert_eq!(first.sent_utc, utc("2026-06-10T21:31:20Z"), "the collection's own time is the last resort");
    assert_eq!(first.status, CapStatus::NotActual, "without a status nobody is told");
    assert_eq!((first.ends_utc, first.tags.max_hail_size_in), (None, None));
}

#[test]
fn duplicates_of_one_id_are_kept_once() {
    let feature = |sent: &str, event: &str| json!({"properties": {"id": "a", "event": event, "sent": sent}});
    let document = json!({"type": "FeatureCollection", "features": [
        feature("2026-06-10T21:00:00Z", "first"), feature("2026-06-10T21:05:00Z", "later"), feature("2026-06-10T21:05:00Z", "again")]});
    let read = alerts(document.to_string().as_bytes()).unwrap();
    assert_eq!(read.snapshot.warnings.len(), 1);
    assert_eq!(read.snapshot.warnings[0].event, "later");
}

#[test]
fn n02_expired_references_are_one_string_of_triples() {
    let text = "\n w-nws.webmaster@noaa.gov,urn:oid:x.2,2022-10-02T08:15:00-04:00\n w-nws.webmaster@noaa.gov,urn:oid:x.1,2022-10-01T08:15:00-04:00 broken";
    let warning = only(json!({"parameters": {"expiredReferences": [text]}, "references": [
        {"identifier": "urn:oid:x.3", "sent": "2022-10-03T08:15:00-04:00"}, {"@id": "https://api.weather.gov/alerts/urn:oid:x.1"}]}));
    assert_eq!(warning.references, ["urn:oid:x.1", "urn:oid:x.2", "urn:oid:x.3"], "oldest first, once each");
}

#[test]
fn ends_come_from_ends_or_the_event_ending_time() {
    let ending = json!({"parameters": {"eventEndingTime": ["2026-06-10T17:00:00-05:00"]}});
    assert_eq!(only(ending).ends_utc, Some(utc("2026-06-10T22:00:00Z")));
    let both =
        json!({"ends": "2026-06-10T18:00:00-05:00", "parameters": {"eventEndingTime": ["2026-06-10T17:00:00-05:00"]}});
    assert_eq!(only(both).ends_utc, Some(utc("2026-06-10T23:00:00Z")));
}

#[test]
fn zones_come_from_ugc_else_urls_else_same() {
    let all = json!({"geocode": {"UGC": ["MOZ008", "moc171", "MOC171"], "SAME": ["029000"]},
        "affectedZones": ["https://api.weather.gov/zones/county/MOC001"]});
    assert_eq!(only(all).ugc, ["MOC171", "MOZ008"]);
    let fire = json!({"geocode": {"UGC": []}, "affectedZones": ["https://api.weather.gov/zones/fire/COZ238"]});
    assert_eq!(only(fire).ugc, ["COZ238"]);
    let same = json!({"geocode": {"SAME": ["025000", "129171", "x"]}, "affectedZones": ["https://api.weather.gov/zones/forecast/AR-MARINE"]});
    assert_eq!(only(same).ugc, ["MAC000", "MOC171"]);
}

#[test]
fn legacy_keys_and_bare_values_are_read() {
    let warning =
        only(json!({"parameters": {"hailSize": "Up to .75", "windGust": ["60 MPH"], "tornadoDetection": "POSSIBLE"}}));
    assert_eq!(warning.tags.max_hail_size_in, Some(0.75));
    assert_eq!(warning.tags.max_wind_gust_mph, Some(60.0));
    assert_eq!(warning.tags.tornado_detection.as_deref(), Some("POSSIBLE"));
}

#[test]
fn motion_has_its_own_time_and_several_cells() {
    let text = "2026-06-10T21:28:00-00:00...storm...240DEG...41KT...40.15,-94.16 39.96,-94.24";
    let motion = only(json!({"parameters": {"eventMotionDescription": [text]}})).motion.unwrap();
    assert_eq!((motion.from_deg, motion.speed_kt, motion.at_utc), (240.0, 41.0, utc("2026-06-10T21:28:00Z")));
    assert_eq!(motion.cells, [LatLon::new(40.15, -94.16).unwrap(), LatLon::new(39.96, -94.24).unwrap()]);
    let read = alerts(&collection(
        json!({"geocode": {"UGC": ["MOC171"]}, "parameters": {"eventMotionDescription": ["...storm...XDEG...41KT..."]}}),
        json!(null),
    ))
    .unwrap();
    assert_eq!(read.snapshot.warnings[0].motion, None);
    assert!(read.faults[0].what.contains("no direction"), "{:?}", read.faults);
}

#[test]
fn n29_a_polygon_without_area_leaves_the_zones_to_count() {
    let line = json!({"type": "Polygon", "coordinates": [[[-95.81, 30.03], [-95.81, 30.03], [-95.79, 30.03], [-95.81, 30.03]]]});
    let read = alerts(&collection(json!({"geocode": {"UGC": ["TXC201"]}}), line.clone())).unwrap();
    assert_eq!(read.snapshot.warnings[0].area, None);
    assert!(read.faults[0].what.contains("encloses no area"), "{:?}", read.faults);
    let read = alerts(&collection(json!({}), line)).unwrap();
    assert!(!read.snapshot.warnings[0].area.as_ref().unwrap().contains(LatLon::new(40.0, -100.0).unwrap()));
}

#[test]
fn n14_only_the_word_actual_is_actual() {
    for (word, right) in
        [("Actual", CapStatus::Actual), ("Test", CapStatus::NotActual), ("Exercise", CapStatus::NotActual)]
    {
        assert_eq!(only(json!({"status": word})).status, right);
    }
}

#[test]
fn points_name_three_kinds_of_zones_and_miss_some() {
    let place = LatLon::new(40.52, -92.9).unwrap();
    let now = utc("2026-06-10T21:00:00Z");
    let zone = |kind: &str, code: &str| format!("https://api.weather.gov/zones/{kind}/{code}");
    let whole = json!({"type": "Feature", "properties": {"county": zone("county", "MOC171"), "forecastZone": zone("forecast", "MOZ008"),
        "fireWeatherZone": zone("fire", "MOZ108"), "timeZone": "America/Chicago"}});
    let (zones, faults) = points(whole.to_string().as_bytes(), place, now).unwrap();
    assert_eq!(
        (zones.ugc, zones.time_zone.as_deref()),
        (vec!["MOC171".into(), "MOZ008".into(), "MOZ108".into()], Some("America/Chicago"))
    );
    assert_eq!(faults, []);
    // N28: a point over water. Its weather radio still knows the county.
    let coast = json!({"properties": {"county": null, "forecastZone": zone("forecast", "GMZ534"), "nwr": {"sameCode": "028047"}}});
    let (zones, faults) = points(coast.to_string().as_bytes(), place, now).unwrap();
    assert_eq!(zones.ugc, ["GMZ534", "MSC047"]);
    assert!(faults[0].what.contains("taken from the SAME code"), "{faults:?}");
    assert!(points(br#"{"properties":{"cwa":"SEW"}}"#, place, now).is_err());
    assert!(points(b"<html>", place, now).is_err());
}

/// How many products of a collection of one are unread, and how many were kept.
fn unread(properties: serde_json::Value, geometry: serde_json::Value) -> (u32, usize) {
    let read = alerts(&collection(properties, geometry)).unwrap();
    (read.snapshot.unread, read.snapshot.warnings.len())
}

#[test]
fn whatever_hides_where_or_whether_a_product_counts_is_counted_as_unread() {
    let square = |second: serde_json::Value| {
        json!({"type": "Polygon",
        "coordinates": [[[-98.0, 35.0], second, [-97.0, 36.0], [-98.0, 36.0], [-98.0, 35.0]]]})
    };
    let whole = square(json!([-97.0, 35.0]));
    let zones = json!({"geocode": {"UGC": ["MOC171"]}});
    assert_eq!(unread(json!({}), whole.clone()), (0, 1));
    assert_eq!(unread(zones.clone(), json!(null)), (0, 1));
    assert_eq!(unread(zones.clone(), square(json!(null))), (1, 1), "kept by its zones, and counted");
    assert_eq!(unread(zones.clone(), json!({"type": "Polygon"})), (1, 1));
    assert_eq!(unread(json!({}), json!(null)), (1, 1), "nobody can tell where");
    for bad in [json!([7, "x"]), json!([null]), json!({}), json!(["MOC171", "MO?"])] {
        assert_eq!(unread(json!({"geocode": {"UGC": bad}}), whole.clone()), (1, 1), "{bad}");
    }
    for status in [json!("Actuel"), json!(null), json!(["Actual"])] {
        assert_eq!(unread(json!({"status": status}), whole.clone()), (1, 1), "{status}");
    }
    for status in ["Exercise", "System", "Test", "draft"] {
        assert_eq!(unread(json!({"status": status}), json!(null)), (0, 1), "{status} is meant for nobody");
    }
    for nameless in [json!({"event": null}), json!({"event": ["Tornado Warning"]}), json!({"id": null})] {
        assert_eq!(unread(nameless, whole.clone()), (1, 0));
    }
    assert_eq!(unread(json!({"ends": "soon", "expires": "2026-06-10T22:00:00Z"}), whole), (1, 1));
}

#[test]
fn a_page_of_several_is_not_the_whole_collection() {
    let page = |next: serde_json::Value| {
        let bytes = collection(json!({"geocode": {"UGC": ["MOC171"]}}), json!(null));
        let mut document: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        document["pagination"] = json!({ "next": next });
        alerts(document.to_string().as_bytes()).unwrap()
    };
    assert_eq!(page(json!(null)).snapshot.unread, 0);
    let first = page(json!("https://api.weather.gov/alerts/active?cursor=x"));
    assert_eq!(first.snapshot.unread, 1);
    assert!(first.faults[0].what.contains("next page"), "{:?}", first.faults);
}
