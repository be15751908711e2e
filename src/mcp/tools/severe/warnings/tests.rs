use super::*;
use crate::warning::incidents::Approach;
use crate::warning::{CapStatus, IncidentKey, Warning};
use std::sync::Arc;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn now() -> Timestamp {
    at("2026-06-10T21:32:00Z")
}

fn place() -> LatLon {
    LatLon::new(40.52, -92.90).unwrap()
}

/// The recorded tornado warning of Putnam County, as api.weather.gov gave it, times with the office's offset.
fn warning(event: &str) -> Warning {
    let rings = vec![vec![vec![[-93.1, 40.4], [-92.7, 40.4], [-92.7, 40.6], [-93.1, 40.6], [-93.1, 40.4]]]];
    Warning {
        id: "urn:oid:2.49.0.1.840.0.b9c9.001.1".into(),
        event: event.into(),
        status: CapStatus::Actual,
        message_type: "Update".into(),
        severity: "Extreme".into(),
        certainty: "Observed".into(),
        urgency: "Immediate".into(),
        response: "Shelter".into(),
        headline: Some("Tornado Warning issued June 10 at 4:31PM CDT".into()),
        area_desc: "Putnam, MO".into(),
        sender: "NWS Kansas City/Pleasant Hill MO".into(),
        description: String::new(),
        instruction: None,
        sent_utc: at("2026-06-10T16:31:00-05:00"),
        effective_utc: Some(at("2026-06-10T16:31:00-05:00")),
        onset_utc: Some(at("2026-06-10T16:31:00-05:00")),
        expires_utc: Some(at("2026-06-10T17:00:00-05:00")),
        ends_utc: Some(at("2026-06-10T17:00:00-05:00")),
        vtec: vec![Vtec {
            class: 'O',
            action: "CON".into(),
            office: "KEAX".into(),
            phenomenon: "TO".into(),
            significance: 'W',
            etn: 58,
            begins_utc: None,
            ends_utc: None,
        }],
        references: Vec::new(),
        ugc: vec!["MOC171".into()],
        area: Some(Area::from(rings)),
        tags: Tags {
            tornado_detection: Some("OBSERVED".into()),
            tornado_damage_threat: Some("CONSIDERABLE".into()),
            max_hail_size_in: Some(1.5),
            ..Tags::default()
        },
        motion: Some(StormMotion {
            at_utc: at("2026-06-10T21:30:00Z"),
            from_deg: 251.0,
            speed_kt: 25.0,
            cells: vec![LatLon::new(40.52, -92.98).unwrap()],
        }),
    }
}

fn sight(event: &str, matched: Match) -> WarningSight {
    let outside = matched == Match::Outside;
    WarningSight {
        key: IncidentKey("KEAX.TO.W.0058.2026".into()),
        warning: Arc::new(warning(event)),
        phase: Phase::InEffect,
        matched,
        distance_km: Some(if outside { 18.26 } else { 0.0 }),
        bearing_deg: outside.then_some(251.4),
        approach: outside.then_some(Approach { minutes: 17.6, passes_km: 2.04, toward: true }),
        until_utc: Some(at("2026-06-10T22:00:00Z")),
    }
}

fn seen(sights: &[WarningSight]) -> Envelope<ActiveWarnings> {
    answer(place(), 40.0, sights, Feed { sight: WarningsSight::Fresh, zones_known: true, now: now() })
}

#[test]
fn a_warning_that_holds_the_point_has_the_golden_fields_in_utc() {
    let envelope = seen(&[sight("Tornado Warning", Match::Polygon)]);
    let data = &envelope.data;
    assert!(data.point_inside_warning && envelope.degraded.is_empty());
    assert_eq!(data.counts, BTreeMap::from([("Tornado Warning".to_owned(), 1)]));
    let warning = &data.warnings[0];
    assert_eq!(warning.effective_utc.as_deref(), Some("2026-06-10T21:31:00Z"));
    assert_eq!(warning.expires_utc.as_deref(), Some("2026-06-10T22:00:00Z"));
    assert_eq!((warning.distance_km, warning.bearing_deg, &warning.direction), (Some(0.0), None, &None));
    assert_eq!((warning.arrival_min, &warning.scope), (None, &None));
    let motion = warning.storm_motion.as_ref().unwrap();
    assert_eq!((motion.from_deg, motion.toward_deg, motion.toward_compass.as_str()), (251, 71, "ENE"));
    assert_eq!((motion.speed_kt, motion.storm_cells[0].lat), (25, 40.52));
    assert_eq!(warning.polygon_lonlat[0][0], json!([-93.1, 40.4]));
    assert_eq!(warning.vtec, ["O.CON.KEAX.TO.W.0058"]);
    let said = &envelope.interpretation;
    for part in ["inside a Tornado Warning", "observed", "considerable", "1.5 in", "until 22:00Z", "ENE at 25 kt"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_warning_elsewhere_has_distance_direction_and_arrival() {
    let envelope = seen(&[sight("Severe Thunderstorm Warning", Match::Outside)]);
    let warning = &envelope.data.warnings[0];
    assert!(!envelope.data.point_inside_warning && !warning.point_inside);
    assert_eq!((warning.distance_km, warning.bearing_deg), (Some(18.3), Some(251)));
    assert_eq!((warning.direction.as_deref(), warning.arrival_min), (Some("WSW"), Some(18)));
    let said = &envelope.interpretation;
    assert!(
        said.contains("1 warning within 40 km") && said.contains("18.3 km WSW") && said.contains("18 min"),
        "{said}"
    );
}

#[test]
fn of_several_that_hold_the_point_the_gravest_comes_first_and_none_is_left_out() {
    let storm = || {
        let mut storm = sight("Severe Thunderstorm Warning", Match::Polygon);
        let warning = Arc::make_mut(&mut storm.warning);
        warning.tags = Tags { max_wind_gust_mph: Some(60.0), ..Tags::default() };
        storm
    };
    let mut flood = sight("Flash Flood Warning", Match::Polygon);
    Arc::make_mut(&mut flood.warning).tags = Tags::default();
    flood.phase = Phase::Coming;
    let elsewhere = sight("Tornado Warning", Match::Outside);
    let envelope = seen(&[flood.clone(), storm(), sight("Tornado Warning", Match::Polygon), elsewhere]);
    let order: Vec<(&str, bool)> =
        envelope.data.warnings.iter().map(|warning| (warning.event.as_str(), warning.point_inside)).collect();
    let wanted = [
        ("Tornado Warning", true),
        ("Severe Thunderstorm Warning", true),
        ("Flash Flood Warning", true),
        ("Tornado Warning", false),
    ];
    assert_eq!(order, wanted);
    let said = &envelope.interpretation;
    assert!(said.starts_with("The point is inside a Tornado Warning (tornado observed, "), "{said}");
    let also = "Also at the point: a Severe Thunderstorm Warning (gusts to 60 mph, until 22:00Z, moving ENE at 25 kt); \
                a Flash Flood Warning, not begun yet (until 22:00Z, moving ENE at 25 kt).";
    assert!(said.contains(also), "{said}");
    assert!(said.contains("1 other warning within 40 km; the nearest is a Tornado Warning, 18.3 km WSW"), "{said}");

    // An emergency comes before a plain tornado warning, and the last of very many are a number.
    Arc::make_mut(&mut flood.warning).tags.flash_flood_damage_threat = Some("CATASTROPHIC".into());
    flood.phase = Phase::InEffect;
    let mut many = vec![sight("Tornado Warning", Match::Polygon); 9];
    many.push(flood);
    let said = seen(&many).interpretation;
    assert!(said.starts_with("The point is inside a Flash Flood Warning (damage threat catastrophic"), "{said}");
    assert!(said.contains("; and 3 more."), "{said}");
    assert_eq!(words::with_article("Extreme Wind Warning"), "an Extreme Wind Warning");
}

#[test]
fn a_product_without_polygon_counts_by_zone() {
    let mut zonal = sight("Flash Flood Warning", Match::Zone);
    zonal.distance_km = None;
    Arc::make_mut(&mut zonal.warning).area = None;
    let envelope = seen(&[zonal]);
    let value = serde_json::to_value(&envelope.data.warnings[0]).unwrap();
    assert_eq!((&value["scope"], &value["point_inside"]), (&json!("zone"), &json!(true)));
    assert!(value.get("distance_km").is_none() && value["polygon_lonlat"].is_null() && value["bearing_deg"].is_null());
}

#[test]
fn watches_count_only_at_the_point_and_end_with_the_event() {
    let envelope = seen(&[sight("Tornado Watch", Match::Zone), sight("Severe Thunderstorm Watch", Match::Outside)]);
    assert!(envelope.data.warnings.is_empty());
    let [watch] = envelope.data.watches_at_point.as_slice() else { panic!("{:?}", envelope.data.watches_at_point) };
    assert_eq!((watch.event.as_str(), watch.expires_utc.as_deref()), ("Tornado Watch", Some("2026-06-10T22:00:00Z")));
    assert!(envelope.interpretation.contains("No active warning within 40 km"));
}

#[test]
fn other_events_are_not_warnings() {
    let envelope = seen(&[sight("Air Quality Alert", Match::Zone), sight("Flood Advisory", Match::Polygon)]);
    assert!(envelope.data.warnings.is_empty() && envelope.data.watches_at_point.is_empty());
}

#[test]
fn a_blind_feed_is_never_an_all_clear() {
    let since = at("2026-06-10T21:04:00Z");
    let feed = Feed { sight: WarningsSight::BlindSince(Some(since)), zones_known: true, now: now() };
    let empty = answer(place(), 40.0, &[], feed);
    assert_eq!(empty.degraded, {
        let mut ids = WARNING_IDS.map(String::from).to_vec();
        ids.sort();
        ids
    });
    assert!(empty.interpretation.starts_with("Warnings are unknown since 21:04Z"), "{}", empty.interpretation);
    assert!(empty.interpretation.contains("not an all-clear") && !empty.interpretation.contains("No active warning"));
    let known = answer(place(), 40.0, &[sight("Tornado Warning", Match::Polygon)], feed);
    assert!(known.interpretation.contains("When last heard"), "{}", known.interpretation);
}

#[test]
fn unknown_zones_are_said() {
    let feed = Feed { sight: WarningsSight::Fresh, zones_known: false, now: now() };
    let envelope = answer(place(), 40.0, &[], feed);
    assert_eq!(envelope.degraded, [ZONES_ID]);
    assert!(envelope.interpretation.contains("zones of this point are not known"));
}

#[test]
fn a_radius_out_of_range_is_clamped_and_shown() {
    let picture = Picture::default();
    let radius = |asked| active_warnings(&picture, place(), asked, now()).data.radius_km;
    assert_eq!([radius(1.0), radius(60.0), radius(1e9), radius(-3.0)], [5.0, 60.0, 250.0, 5.0]);
}
