//! Rules over storm reports (levels.md, correction 6): by the time of the event, and only when told in time.

use super::*;
use crate::storm_report::Category;
use crate::threat::evidence::ReportSeen;
use crate::threat::later;
use crate::threat::tests::scene::{minutes, report};
use jiff::SignedDuration;

fn with(reports: impl IntoIterator<Item = ReportSeen>) -> Evidence {
    reports.into_iter().fold(quiet(), Evidence::with_report)
}

fn tornado(km: f64, minutes_ago: i64) -> [Level; 2] {
    let evidence = with([report(Category::Tornado, km, minutes_ago)]);
    [raised(&evidence), kept(&evidence)]
}

#[test]
fn a_tornado_report_is_significant_for_an_hour_and_elevated_for_two() {
    use Level::{Elevated, None, Significant};
    assert_eq!(tornado(80.0, 0), [Significant; 2]);
    assert_eq!(tornado(80.0, 60), [Significant; 2]);
    assert_eq!(tornado(80.0, 61), [Elevated; 2]);
    assert_eq!(tornado(80.0, 120), [Elevated; 2]);
    assert_eq!(tornado(80.0, 121), [None; 2]);
    assert_eq!(tornado(80.1, 5), [None, Significant]);
    assert_eq!(tornado(88.8, 5), [None, Significant]);
    assert_eq!(tornado(88.9, 5), [None; 2]);
}

#[test]
fn the_newest_tornado_counts_and_is_what_the_reason_is_about() {
    let both = with([report(Category::Tornado, 20.0, 90), report(Category::Tornado, 70.0, 10)]);
    let found = judge(&both, now(), Mode::Raise);
    assert_eq!(found.len(), 1, "one reason for all of them");
    let reason = &found[0].reason;
    assert_eq!((reason.level, reason.observed_utc), (Level::Significant, minutes(-10)));
    assert_eq!(reason.distance_km, Some(20.0), "and the nearest is its distance");
    assert!(reason.text.starts_with("2 storm reports nearby: tornado 21:22Z 70.0 km NE"), "{}", reason.text);
}

#[test]
fn a_report_told_over_45_min_late_raises_nothing() {
    let told_after = |category: Category, seconds| {
        let late = report(category, 10.0, 50);
        raised(&with([ReportSeen { told_utc: later(late.event_utc, SignedDuration::from_secs(seconds)), ..late }]))
    };
    assert_eq!(told_after(Category::Tornado, 45 * 60), Level::Significant);
    assert_eq!(told_after(Category::Tornado, 45 * 60 + 1), Level::None);
    let late_hail: Vec<ReportSeen> = (0..3)
        .map(|number| {
            let hail = report(Category::Hail, 10.0 + f64::from(number), 60);
            ReportSeen { told_utc: later(hail.event_utc, SignedDuration::from_mins(46)), ..hail }
        })
        .collect();
    assert_eq!(judge(&with(late_hail), now(), Mode::Raise), []);
}

#[test]
fn an_event_a_little_ahead_of_the_clock_counts_and_one_far_ahead_does_not() {
    assert_eq!(tornado(10.0, -5)[0], Level::Significant);
    assert_eq!(tornado(10.0, -6)[0], Level::None);
}

#[test]
fn a_waterspout_is_a_tornado_only_within_15_km() {
    let spout = |km| raised(&with([report(Category::Waterspout, km, 5)]));
    assert_eq!([spout(15.0), spout(15.1), spout(60.0)], [Level::Significant, Level::None, Level::None]);
    // One far away does not stand before a tornado that counts.
    let both = with([report(Category::Waterspout, 60.0, 1), report(Category::Tornado, 60.0, 10)]);
    assert_eq!(raised(&both), Level::Significant);
    assert_eq!(raised(&with([report(Category::FunnelCloud, 1.0, 1)])), Level::None);
}

#[test]
fn three_reports_of_hail_and_thunderstorm_wind_of_two_hours_are_elevated() {
    let hail = |km, ago| report(Category::Hail, km, ago);
    let gust = |km, ago| report(Category::ThunderstormWindGust, km, ago);
    let damage = |km, ago| report(Category::ThunderstormWindDamage, km, ago);
    assert_eq!(raised(&with([hail(10.0, 10), gust(20.0, 20)])), Level::None);
    assert_eq!(raised(&with([hail(10.0, 10), gust(20.0, 20), damage(80.0, 120)])), Level::Elevated);
    assert_eq!(raised(&with([hail(10.0, 10), gust(20.0, 20), damage(80.0, 121)])), Level::None);
    let edge = with([hail(10.0, 10), gust(20.0, 20), damage(80.1, 30)]);
    assert_eq!([raised(&edge), kept(&edge)], [Level::None, Level::Elevated]);
}

#[test]
fn other_wind_floods_and_dust_are_not_counted_among_them() {
    for category in [
        Category::NonThunderstormWindGust,
        Category::NonThunderstormWindDamage,
        Category::HighSustainedWind,
        Category::Dust,
        Category::Other("snow".into()),
        Category::FlashFlood,
        Category::HeavyRain,
    ] {
        let many = (0..5).map(|n| report(category.clone(), 10.0 + f64::from(n), 10));
        assert_eq!(raised(&with(many)), Level::None, "{category:?}");
    }
}

#[test]
fn scores_count_a_kind_once() {
    let scores = |reports: Vec<ReportSeen>| -> Vec<i64> {
        let found = judge(&with(reports), now(), Mode::Raise);
        let ranked = crate::threat::hazards::rank(&found);
        let of = |name: &str| ranked.iter().find(|hazard| hazard.hazard == name).map_or(-1, |hazard| hazard.score);
        ["tornado", "hail", "damaging_wind", "flash_flood"].map(of).to_vec()
    };
    let each = [Category::Tornado, Category::Hail, Category::ThunderstormWindGust, Category::FlashFlood];
    let once: Vec<ReportSeen> = each.iter().map(|category| report(category.clone(), 10.0, 10)).collect();
    let twice = once.iter().cloned().chain(each.iter().map(|category| report(category.clone(), 20.0, 20))).collect();
    assert_eq!(scores(once), [35, 15, 12, 10]);
    assert_eq!(scores(twice), [35, 15, 12, 10]);
}

#[test]
fn a_report_makes_a_tornado_warning_extreme_for_an_hour() {
    let warned = |km, ago, mode| {
        let warning = crate::threat::tests::scene::plain("Tornado Warning", 0.0);
        level(&judge(&with([report(Category::Tornado, km, ago)]).with_warning(warning), now(), mode))
    };
    assert_eq!(warned(80.0, 60, Mode::Raise), Level::Extreme);
    assert_eq!(warned(80.0, 61, Mode::Raise), Level::Significant);
    assert_eq!([warned(80.1, 5, Mode::Raise), warned(80.1, 5, Mode::Clear)], [Level::Significant, Level::Extreme]);
}
