//! Both sides of every threshold of the rule table, and the deliberate differences of levels.md.

use super::*;
use crate::geo::LatLon;
use crate::mosaic::Cell;
use crate::threat::assess::judge_evidence;
use crate::threat::evidence::{
    EnvironmentEvidence, LightningEvidence, OutlookEvidence, RadarEvidence, RadarSignal, ReportsEvidence, Sight,
};
use crate::warning::incidents::{Approach, Match, Phase, WarningSight};
use crate::warning::{IncidentKey, Tags, Warning};
use std::sync::Arc;

fn now() -> Timestamp {
    "2026-06-10T21:32:00Z".parse().unwrap()
}

fn place() -> LatLon {
    LatLon::new(40.52, -92.90).unwrap()
}

fn quiet() -> Evidence {
    let radar = Product::ALL.into_iter().map(|product| RadarEvidence { product, sight: Sight::Clear, signal: None });
    Evidence {
        place: place(),
        warnings: Vec::new(),
        warnings_sight: Sight::Clear,
        zones_sight: Sight::Clear,
        radar: radar.collect(),
        outlook: OutlookEvidence { sight: Sight::Clear, gaps: Vec::new(), seen: None },
        environment: EnvironmentEvidence { sight: Sight::Clear, seen: None },
        reports: ReportsEvidence { sight: Sight::Clear, near: Arc::default() },
        lightning: LightningEvidence { sight: Sight::Clear, nearest: None, satellite: None },
    }
}

/// A product at `km` (0: inside) with tags and an approach.
fn product(event: &str, km: f64, tags: Tags, approach: Option<Approach>) -> WarningSight {
    let mut warning = Warning::bare(event, now());
    warning.tags = tags;
    WarningSight {
        key: IncidentKey(format!("{event} {km}")),
        warning: Arc::new(warning),
        phase: Phase::InEffect,
        matched: if km == 0.0 { Match::Polygon } else { Match::Outside },
        distance_km: Some(km),
        bearing_deg: (km > 0.0).then_some(270.0),
        approach,
        until_utc: None,
    }
}

fn tags(set: impl FnOnce(&mut Tags)) -> Tags {
    let mut tags = Tags::default();
    set(&mut tags);
    tags
}

fn level_of(sight: WarningSight) -> Level {
    let evidence = Evidence { warnings: vec![sight], ..quiet() };
    level(&judge(&evidence, now(), Mode::Raise))
}

/// The level for one radar value at one distance.
fn radar_level(product: Product, value: f64, km: f64, mode: Mode) -> Level {
    let cell = Cell { value, at: place(), distance_km: km, bearing_deg: 0.0 };
    let thresholds = THRESHOLDS.iter().filter(|t| t.product == product);
    let nearest = thresholds.flat_map(|t| [t.raise, t.clear()]).map(|t| (t, (value >= t).then_some(cell))).collect();
    let mut evidence = quiet();
    for radar in evidence.radar.iter_mut().filter(|radar| radar.product == product) {
        radar.signal = Some(Arc::new(RadarSignal {
            valid_utc: now(),
            key: "key".into(),
            peak: Some(cell),
            nearest: Vec::clone(&nearest),
        }));
    }
    level(&judge(&evidence, now(), mode))
}

#[test]
fn tornado_warnings_inside() {
    let plain = Tags::default();
    let observed = tags(|t| t.tornado_detection = Some("OBSERVED".into()));
    let considerable = tags(|t| t.tornado_damage_threat = Some("CONSIDERABLE".into()));
    let indicated = tags(|t| t.tornado_detection = Some("RADAR INDICATED".into()));
    let inside = |tags| level_of(product("Tornado Warning", 0.0, tags, None));
    assert_eq!(
        [inside(plain), inside(indicated), inside(observed), inside(considerable)],
        [Level::Significant, Level::Significant, Level::Extreme, Level::Extreme]
    );
}

#[test]
fn low_level_rotation_makes_a_tornado_warning_extreme() {
    let mut evidence = Evidence { warnings: vec![product("Tornado Warning", 0.0, Tags::default(), None)], ..quiet() };
    for (value, expected) in [(9.9, Level::Significant), (10.0, Level::Extreme)] {
        let cell = Cell { value, at: place(), distance_km: 30.0, bearing_deg: 0.0 };
        let reached = |t: f64| (t, (value >= t).then_some(cell));
        evidence.radar[2].signal = Some(Arc::new(RadarSignal {
            valid_utc: now(),
            key: "key".into(),
            peak: Some(cell),
            nearest: [10.0, 9.0, 6.0, 5.4].map(reached).to_vec(),
        }));
        assert_eq!(level(&judge(&evidence, now(), Mode::Raise)), expected, "{value}");
    }
}

#[test]
fn tornado_warnings_outside_by_arrival_and_distance() {
    let toward = |minutes| Some(Approach { minutes, passes_km: 1.0, toward: true });
    let past = Some(Approach { minutes: 5.0, passes_km: 30.0, toward: false });
    let catastrophic = || tags(|t| t.tornado_damage_threat = Some("CATASTROPHIC".into()));
    let at = |km, tags, approach| level_of(product("Tornado Warning", km, tags, approach));
    assert_eq!(at(35.0, Tags::default(), toward(30.0)), Level::Significant);
    assert_eq!(at(35.0, Tags::default(), toward(31.0)), Level::Elevated);
    assert_eq!(at(60.0, Tags::default(), toward(25.0)), Level::Significant, "fast storms come from beyond 40 km");
    assert_eq!(at(60.0, Tags::default(), past), Level::None);
    assert_eq!(at(39.9, Tags::default(), past), Level::Elevated);
    assert_eq!(at(40.1, Tags::default(), None), Level::None);
    assert_eq!(at(15.0, catastrophic(), past), Level::Significant);
    assert_eq!(at(15.1, catastrophic(), past), Level::Elevated);
}

#[test]
fn severe_thunderstorm_and_flood_tags() {
    let storm = |km, word: Option<&str>| {
        let tags = tags(|t| t.thunderstorm_damage_threat = word.map(str::to_owned));
        level_of(product("Severe Thunderstorm Warning", km, tags, None))
    };
    assert_eq!(storm(0.0, None), Level::Elevated);
    assert_eq!(storm(0.0, Some("CONSIDERABLE")), Level::Significant);
    assert_eq!(storm(0.0, Some("DESTRUCTIVE")), Level::Extreme);
    assert_eq!(storm(20.0, Some("DESTRUCTIVE")), Level::Elevated);
    assert_eq!(storm(60.0, Some("DESTRUCTIVE")), Level::None);
    let flood = |km, word: Option<&str>| {
        let tags = tags(|t| t.flash_flood_damage_threat = word.map(str::to_owned));
        level_of(product("Flash Flood Warning", km, tags, None))
    };
    assert_eq!(flood(0.0, None), Level::Elevated);
    assert_eq!(flood(0.0, Some("CONSIDERABLE")), Level::Significant);
    assert_eq!(flood(0.0, Some("CATASTROPHIC")), Level::Extreme);
    assert_eq!(flood(5.0, Some("CATASTROPHIC")), Level::None);
}

#[test]
fn the_other_events_and_those_that_say_nothing() {
    let inside = |event| level_of(product(event, 0.0, Tags::default(), None));
    for (event, expected) in [
        ("Extreme Wind Warning", Level::Extreme),
        ("Snow Squall Warning", Level::Elevated),
        ("Dust Storm Warning", Level::Elevated),
        ("Special Marine Warning", Level::Elevated),
        ("Tornado Watch", Level::Elevated),
        ("Severe Thunderstorm Watch", Level::Marginal),
        ("Flash Flood Watch", Level::Marginal),
        ("Flood Watch", Level::Marginal),
        ("Heat Advisory", Level::None),
        ("Special Weather Statement", Level::None),
    ] {
        assert_eq!(inside(event), expected, "{event}");
    }
    let coming = WarningSight { phase: Phase::Coming, ..product("Tornado Warning", 0.0, Tags::default(), None) };
    assert_eq!(level_of(coming), Level::None, "before its onset a product raises nothing");
}

#[test]
fn radar_thresholds_and_their_step_beyond_16_km() {
    use Level::{Elevated, Marginal, None, Significant};
    let ml = Product::RotationTrackMl60min;
    let ll = Product::RotationTrackLl60min;
    for (product, value, km, expected) in [
        (Product::MeshMax60min, 50.8, 16.0, Significant),
        (Product::MeshMax60min, 50.8, 16.1, Elevated),
        (Product::MeshMax60min, 50.7, 16.0, Elevated),
        (Product::MeshMax60min, 25.4, 16.0, Elevated),
        (Product::MeshMax60min, 25.4, 39.0, Marginal),
        (Product::MeshMax60min, 25.3, 1.0, None),
        (ml, 12.0, 10.0, Significant),
        (ml, 11.9, 10.0, Elevated),
        (ml, 8.0, 30.0, Marginal),
        (ml, 7.9, 1.0, None),
        (ll, 10.0, 10.0, Significant),
        (ll, 6.0, 10.0, Elevated),
        (ll, 5.9, 10.0, None),
        (Product::CompositeReflectivity, 60.0, 39.0, Elevated),
        (Product::CompositeReflectivity, 59.9, 1.0, None),
        (Product::Vil, 70.0, 1.0, None),
    ] {
        assert_eq!(radar_level(product, value, km, Mode::Raise), expected, "{product:?} {value} at {km} km");
    }
}

#[test]
fn clear_thresholds_are_ten_percent_easier() {
    let mesh = |value, mode| radar_level(Product::MeshMax60min, value, 1.0, mode);
    assert_eq!([mesh(22.9, Mode::Raise), mesh(22.9, Mode::Clear)], [Level::None, Level::Elevated]);
    assert_eq!(mesh(22.8, Mode::Clear), Level::None);
}

#[test]
fn a_blind_spot_tells_what_it_could_mean() {
    let blind = || Sight::Blind { since_utc: None, why: "gone".into() };
    let could = |evidence: &Evidence, source: &str| {
        let spots = judge_evidence(evidence, now()).blind_spots;
        spots.into_iter().find(|spot| spot.source == source).map(|spot| spot.could_raise_to)
    };
    let mut evidence = quiet();
    assert_eq!(judge_evidence(&evidence, now()).blind_spots, []);
    for radar in &mut evidence.radar {
        radar.sight = blind();
    }
    evidence.warnings_sight = blind();
    evidence.zones_sight = blind();
    assert_eq!(could(&evidence, "nws-warnings"), Some(Level::Extreme));
    assert_eq!(could(&evidence, "nws-zones"), Some(Level::Extreme));
    assert_eq!(could(&evidence, "mrms-rotation_track_ll_60min"), Some(Level::Significant));
    assert_eq!(could(&evidence, "mrms-composite_reflectivity"), Some(Level::Elevated));
    assert_eq!(could(&evidence, "mrms-vil"), Some(Level::None));
    // With a tornado warning in force, low-level rotation could make it extreme; mid-level rotation could not.
    evidence.warnings = vec![product("Tornado Warning", 0.0, Tags::default(), None)];
    assert_eq!(could(&evidence, "mrms-rotation_track_ll_60min"), Some(Level::Extreme));
    assert_eq!(could(&evidence, "mrms-rotation_track_ml_60min"), Some(Level::Significant));
}
