//! Rules over NWS products: tags, distances, arrivals.

use super::*;
use crate::threat::tests::scene::{plain, product, tags};
use crate::warning::Tags;
use crate::warning::incidents::{Approach, Phase, WarningSight};

fn level_of(sight: WarningSight) -> Level {
    raised(&quiet().with_warning(sight))
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
fn low_level_rotation_makes_a_tornado_warning_extreme() {
    for (value, expected) in [(9.9, Level::Significant), (10.0, Level::Extreme)] {
        let warned = quiet().with_warning(plain("Tornado Warning", 0.0));
        let evidence = warned.with_radar(Product::RotationTrackLl60min, &[(value, 30.0)]);
        assert_eq!(raised(&evidence), expected, "{value}");
    }
    // Mid-level rotation does not.
    let warned = quiet().with_warning(plain("Tornado Warning", 0.0));
    assert_eq!(raised(&warned.with_radar(Product::RotationTrackMl60min, &[(20.0, 5.0)])), Level::Significant);
}

#[test]
fn distances_and_arrivals_are_kept_ten_percent_farther() {
    let toward = |minutes| Some(Approach { minutes, passes_km: 1.0, toward: true });
    let observed = || tags(|t| t.tornado_detection = Some("OBSERVED".into()));
    for (sight, raises, keeps) in [
        (product("Tornado Warning", 60.0, Tags::default(), toward(33.0)), Level::Elevated, Level::Significant),
        (product("Tornado Warning", 60.0, Tags::default(), toward(33.4)), Level::Elevated, Level::Elevated),
        (product("Tornado Warning", 60.0, Tags::default(), toward(66.0)), Level::None, Level::Elevated),
        (product("Tornado Warning", 60.0, Tags::default(), toward(67.0)), Level::None, Level::None),
        (product("Tornado Warning", 16.6, observed(), None), Level::Elevated, Level::Significant),
        (product("Tornado Warning", 16.7, observed(), None), Level::Elevated, Level::Elevated),
        (plain("Tornado Warning", 44.4), Level::None, Level::Elevated),
        (plain("Tornado Warning", 44.5), Level::None, Level::None),
        (plain("Severe Thunderstorm Warning", 44.4), Level::None, Level::Elevated),
        (plain("Severe Thunderstorm Warning", 44.5), Level::None, Level::None),
    ] {
        let told = format!("{} {:?} {:?}", sight.warning.event, sight.distance_km, sight.approach);
        let evidence = quiet().with_warning(sight);
        assert_eq!((raised(&evidence), kept(&evidence)), (raises, keeps), "{told}");
    }
}
