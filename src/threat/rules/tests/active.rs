//! Whether storms are active (levels.md, correction 5), seen at a slight risk: marginal when quiet, elevated when active.

use super::*;
use crate::outlook::Category as Risk;
use crate::storm_report::Category;
use crate::threat::later;
use crate::threat::tests::scene::{outlook, plain, report};
use crate::warning::incidents::{Match, Phase, WarningSight};

/// Active at the raise thresholds, and at the clear ones; the slight risk must say the same.
fn active(evidence: Evidence) -> (bool, bool) {
    let risk = evidence.with_outlook(outlook(Some(Risk::Slgt), None));
    let both = [Mode::Raise, Mode::Clear].map(|mode| {
        let active = storms_active(&risk, now(), mode);
        let rules: Vec<String> = spoken(&risk, mode).into_iter().map(|(rule, _)| rule).collect();
        assert_eq!(rules.contains(&"spc_slight_active".to_owned()), active, "{rules:?}");
        active
    });
    (both[0], both[1])
}

#[test]
fn without_storms_they_are_not_active() {
    assert_eq!(active(quiet()), (false, false));
}

#[test]
fn storm_warnings_within_40_km() {
    let warned = |event: &str, km| active(quiet().with_warning(plain(event, km)));
    for event in ["Tornado Warning", "Severe Thunderstorm Warning", "Special Marine Warning"] {
        assert_eq!(warned(event, 0.0), (true, true), "{event}");
        assert_eq!(warned(event, 40.0), (true, true), "{event}");
        assert_eq!(warned(event, 40.1), (false, true), "{event}");
        assert_eq!(warned(event, 44.5), (false, false), "{event}");
    }
    for event in
        ["Flash Flood Warning", "Dust Storm Warning", "Snow Squall Warning", "Extreme Wind Warning", "Tornado Watch"]
    {
        assert_eq!(warned(event, 0.0), (false, false), "{event}");
    }
    let by_zone = WarningSight { matched: Match::Zone, distance_km: None, ..plain("Special Marine Warning", 0.0) };
    assert_eq!(active(quiet().with_warning(by_zone)), (true, true));
    let coming = WarningSight { phase: Phase::Coming, ..plain("Tornado Warning", 0.0) };
    assert_eq!(active(quiet().with_warning(coming)), (false, false));
}

#[test]
fn reflectivity_from_50_dbz() {
    let echo = |dbz| active(quiet().with_echo(dbz));
    assert_eq!(
        [echo(50.0), echo(49.9), echo(45.0), echo(44.9)],
        [(true, true), (false, true), (false, true), (false, false)]
    );
    let far = |km| active(quiet().with_radar(Product::CompositeReflectivity, &[(55.0, km)]));
    assert_eq!([far(40.0), far(40.1), far(44.5)], [(true, true), (false, true), (false, false)]);
    // The 60-minute products look back and tell of no storm now.
    assert_eq!(active(quiet().with_radar(Product::MeshMax60min, &[(60.0, 5.0)])), (false, false));
    assert_eq!(active(quiet().with_radar(Product::RotationTrackLl60min, &[(20.0, 5.0)])), (false, false));
}

#[test]
fn a_flash_within_40_km() {
    let flash = |km| active(quiet().with_flash(km));
    assert_eq!(
        [flash(40.0), flash(40.1), flash(44.4), flash(44.5)],
        [(true, true), (false, true), (false, true), (false, false)]
    );
}

#[test]
fn reports_of_thunderstorms_within_80_km_and_90_min() {
    let told =
        |category: &Category, km, minutes_ago| active(quiet().with_report(report(category.clone(), km, minutes_ago)));
    let storms = [
        Category::Tornado,
        Category::Hail,
        Category::ThunderstormWindGust,
        Category::ThunderstormWindDamage,
        Category::MarineThunderstormWind,
    ];
    for category in storms {
        assert_eq!(told(&category, 80.0, 90), (true, true), "{category:?}");
        assert_eq!(told(&category, 80.1, 90), (false, true), "{category:?}");
        assert_eq!(told(&category, 89.0, 90), (false, false), "{category:?}");
        assert_eq!(told(&category, 10.0, 91), (false, false), "{category:?}");
    }
    assert_eq!(told(&Category::Waterspout, 15.0, 5), (true, true));
    assert_eq!(told(&Category::Waterspout, 15.1, 5), (false, false));
}

#[test]
fn dust_snow_synoptic_wind_and_floods_do_not_count() {
    for category in [
        Category::Dust,
        Category::Other("snow".into()),
        Category::Other("snow_squall".into()),
        Category::NonThunderstormWindGust,
        Category::NonThunderstormWindDamage,
        Category::HighSustainedWind,
        Category::FlashFlood,
        Category::Flood,
        Category::HeavyRain,
        Category::FunnelCloud,
    ] {
        assert_eq!(active(quiet().with_report(report(category.clone(), 1.0, 5))), (false, false), "{category:?}");
    }
}

#[test]
fn a_report_told_late_makes_no_storm_active() {
    let late = |told_after: i64| {
        let mut hail = report(Category::Hail, 10.0, 60);
        hail.told_utc = later(hail.event_utc, jiff::SignedDuration::from_mins(told_after));
        active(quiet().with_report(hail))
    };
    assert_eq!(late(45), (true, true));
    assert_eq!(late(46), (false, false));
}
