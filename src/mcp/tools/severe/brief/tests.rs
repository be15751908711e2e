use super::*;
use std::sync::Arc;

fn now() -> Timestamp {
    "2026-06-10T21:32:00Z".parse().unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn place() -> LatLon {
    LatLon::new(40.52, -92.90).unwrap()
}

/// The warnings feed last good at `heard`.
fn picture(heard: &str) -> Picture {
    let mut picture = Picture::default();
    Arc::make_mut(&mut picture.warnings).last_good_utc = Some(at(heard));
    picture
}

fn reason(level: Level, text: &str) -> Reason {
    Reason {
        rule: "r".into(),
        subject: "s".into(),
        level,
        text: text.into(),
        source: "nws-warnings".into(),
        evidence_id: "e".into(),
        observed_utc: now(),
        age_s: 0,
        distance_km: None,
        direction: None,
        until_utc: None,
        already_in_effect: false,
    }
}

fn blind(source: &str, could_raise_to: Level) -> BlindSpot {
    BlindSpot { source: source.into(), since_utc: Some(at("2026-06-10T21:04:00Z")), why: "w".into(), could_raise_to }
}

fn judgement(reasons: Vec<Reason>, blind_spots: Vec<BlindSpot>) -> Judgement {
    let level = reasons.iter().map(|reason| reason.level).max().unwrap_or_default();
    let hazards = vec![Hazard { hazard: "damaging_wind".into(), level: "high".into(), score: 60 }];
    Judgement {
        assessment: Assessment { at_utc: now(), level, reasons, lingering: Vec::new(), blind_spots, hazards },
        signature: None,
        window: AttentionWindow { window: "none".into(), until_utc: None, reasoning: String::new() },
    }
}

const FRESH: &str = "2026-06-10T21:31:30Z";
const DEAD: &str = "2026-06-10T21:04:00Z";

#[test]
fn what_could_raise_the_level_is_said_first() {
    let judged = judgement(
        vec![reason(Level::Marginal, "Severe hail 30 km E")],
        vec![blind("mrms-vil", Level::Marginal), blind("nws-warnings", Level::Extreme)],
    );
    let envelope = threat_brief(&picture(DEAD), place(), &judged, now());
    let said = &envelope.interpretation;
    assert!(
        said.starts_with("At least marginal; warnings unknown since 21:04Z. It could be as high as extreme"),
        "{said}"
    );
    assert!(said.contains("not an all-clear") && said.contains("Severe hail 30 km E."), "{said}");
    assert_eq!(envelope.data.threat_level, "marginal");
    assert_eq!(envelope.data.warnings_summary, None);
}

#[test]
fn a_blind_feed_with_nothing_else_is_no_all_clear_and_names_the_four_ids() {
    let judged = judgement(Vec::new(), vec![blind("nws-warnings", Level::Extreme)]);
    let envelope = threat_brief(&picture(DEAD), place(), &judged, now());
    for id in WARNING_IDS {
        assert!(envelope.degraded.contains(&id.to_owned()), "{id}");
    }
    let said = &envelope.interpretation;
    assert!(said.contains("not an all-clear") && !said.contains("Nothing in the warnings"), "{said}");
    assert!(envelope.data.threat_logic[0].contains("warnings are unknown since 21:04Z"));
}

#[test]
fn at_the_highest_level_a_blind_feed_is_still_said() {
    let judged = judgement(vec![reason(Level::Extreme, "Inside a tornado warning")], Vec::new());
    let envelope = threat_brief(&picture(DEAD), place(), &judged, now());
    assert!(envelope.interpretation.starts_with("Threat level: extreme. Warnings are unknown since 21:04Z"));
}

#[test]
fn with_everything_seen_nothing_is_hedged() {
    let envelope = threat_brief(&picture(FRESH), place(), &judgement(Vec::new(), Vec::new()), now());
    assert!(envelope.interpretation.starts_with("Threat level: none."), "{}", envelope.interpretation);
    assert!(!envelope.interpretation.contains("At least"));
    let summary = envelope.data.warnings_summary.unwrap();
    assert_eq!((summary.active_at_point, summary.active_within_radius), (0, 0));
    assert!(envelope.interpretation.contains("Leading hazard: damaging wind (high)."));
}

#[test]
fn six_reasons_are_told_highest_first_as_given() {
    let reasons = (0..9).map(|n| reason(Level::Elevated, &format!("reason {n}"))).collect();
    let envelope = threat_brief(&picture(FRESH), place(), &judgement(reasons, Vec::new()), now());
    assert_eq!(envelope.data.threat_logic, ["reason 0", "reason 1", "reason 2", "reason 3", "reason 4", "reason 5"]);
}

#[test]
fn what_was_never_heard_is_null_and_named() {
    let envelope = threat_brief(&picture(FRESH), place(), &judgement(Vec::new(), Vec::new()), now());
    let value = serde_json::to_value(&envelope).unwrap();
    for summary in ["lightning_summary", "outlook_summary", "environment_summary", "nearest_storm_signature"] {
        assert!(value["data"][summary].is_null() && value["data"].get(summary).is_some(), "{summary}");
    }
    for id in ["goes-glm", "spc-categorical", "rap-environment"] {
        assert!(envelope.degraded.iter().any(|named| named == id), "{id}: {:?}", envelope.degraded);
    }
    assert!(envelope.degraded.is_sorted());
}
