//! Levels that lightning, reports, outlooks and the air raised: held while their source is blind, lowered ten minutes after
//! they ended positively. Whole judgements minute by minute, from evidence or from the picture.

use super::*;
use crate::geo::Area;
use crate::observation::{GOES_GLM, IEM_REPORTS, MRMS, NWS_WARNINGS, NWS_ZONES, RAP_PROFILES, SPC_OUTLOOKS};
use crate::observation::{Observation, Report, SourceName};
use crate::outlook::{Category as Risk, CategoryArea, OutlookSet, Outlooks};
use crate::profile::{ModelProfile, ModelReported};
use crate::sounding::{Column, Environment, Level as Air};
use crate::storm_report::Category;
use crate::threat::assess::{assess, judge_evidence};
use crate::threat::evidence::{Evidence, Sight};
use crate::threat::picture::Picture;
use crate::threat::tests::scene::{self, blind, outlook, place, quiet, report};
use ChangeCause::{Lowered, Raised, SightLost};
use std::sync::Arc;

/// Minute, level and cause of every move, over minutes `0..minutes` after `scene::now`.
fn told(minutes: i64, look: impl Fn(i64) -> Assessment) -> Vec<(i64, Level, ChangeCause)> {
    let mut state: Option<PointState> = None;
    let mut told = Vec::new();
    for minute in 0..minutes {
        let now = scene::minutes(minute);
        let (next, moved) = change("wp", state.as_ref(), &look(minute), now, terms());
        told.extend(moved.map(|moved| (minute, moved.to, moved.cause)));
        state = Some(next);
    }
    told
}

fn judged(evidence: Evidence, minute: i64) -> Assessment {
    judge_evidence(&evidence, scene::minutes(minute))
}

/// Flashes 10 km away to minute 9; the satellite may fall silent for a while.
fn lightning(silent: std::ops::Range<i64>) -> impl Fn(i64) -> Assessment {
    move |minute| {
        let mut evidence = if minute < 10 { quiet().with_flash(10.0) } else { quiet() };
        if silent.contains(&minute) {
            evidence.lightning.sight = blind();
        }
        judged(evidence, minute)
    }
}

#[test]
fn lightning_that_ended_is_lowered_after_ten_minutes_and_held_while_nobody_sees_it() {
    assert_eq!(told(60, lightning(0..0)), [(0, Level::Elevated, Raised), (20, Level::None, Lowered)]);
    assert_eq!(told(90, lightning(10..40)), [(0, Level::Elevated, Raised), (50, Level::None, Lowered)]);
    // Silent in the middle of the ten minutes: they begin anew.
    assert_eq!(told(90, lightning(15..30)), [(0, Level::Elevated, Raised), (40, Level::None, Lowered)]);
    // For good: three hours after the last flash was seen.
    assert_eq!(told(240, lightning(10..999)), [(0, Level::Elevated, Raised), (189, Level::None, SightLost)]);
}

#[test]
fn a_source_that_is_switched_off_holds_nothing() {
    let off = |minute| {
        let mut evidence = if minute < 10 { quiet().with_flash(10.0) } else { quiet() };
        if minute >= 10 {
            evidence.lightning.sight = Sight::Off;
        }
        judged(evidence, minute)
    };
    assert_eq!(told(60, off), [(0, Level::Elevated, Raised), (20, Level::None, Lowered)]);
}

/// A nearest flash that wanders about 16 km and about 40 km: one rise each, one fall each.
#[test]
fn a_flash_about_its_limits_does_not_flap() {
    let look = |minute: i64| {
        let km = match minute {
            0..60 => [15.9, 16.5, 17.5][usize::try_from(minute).unwrap() % 3],
            60..120 => [39.5, 40.5, 44.0][usize::try_from(minute).unwrap() % 3],
            _ => 50.0,
        };
        judged(quiet().with_flash(km), minute)
    };
    let expected = [(0, Level::Elevated, Raised), (70, Level::Marginal, Lowered), (130, Level::None, Lowered)];
    assert_eq!(told(150, look), expected);
}

/// A tornado at minute 0, told at once; the feed may be out of sight for a while.
fn tornado(silent: std::ops::Range<i64>) -> impl Fn(i64) -> Assessment {
    move |minute| {
        let mut evidence = quiet().with_report(report(Category::Tornado, 50.0, 0));
        if silent.contains(&minute) {
            evidence.reports.sight = blind();
        }
        judged(evidence, minute)
    }
}

#[test]
fn a_tornado_report_steps_down_by_the_time_of_its_event() {
    let steps = told(150, tornado(0..0));
    let expected = [(0, Level::Significant, Raised), (71, Level::Elevated, Lowered), (131, Level::None, Lowered)];
    assert_eq!(steps, expected);
}

/// Another may have touched down that nobody hears of.
#[test]
fn with_the_feed_of_reports_blind_a_report_is_held() {
    let steps = told(150, tornado(30..100));
    let expected = [(0, Level::Significant, Raised), (110, Level::Elevated, Lowered), (131, Level::None, Lowered)];
    assert_eq!(steps, expected);
}

/// A picture in which only these sources are wanted.
fn only(wanted: &[SourceName]) -> Picture {
    let all = [NWS_WARNINGS, NWS_ZONES, MRMS, SPC_OUTLOOKS, RAP_PROFILES, IEM_REPORTS, GOES_GLM];
    let off = all.into_iter().filter(|source| !wanted.contains(source)).collect();
    Picture { off: Arc::new(off), ..Picture::default() }
}

fn heard(source: SourceName, minute: i64, observation: Observation) -> Report {
    Report {
        source,
        polled_utc: scene::minutes(minute),
        good: true,
        observations: vec![observation],
        faults: Vec::new(),
    }
}

/// An outlook with one category everywhere around, between two minutes.
fn set(category: Risk, valid: i64, expire: i64) -> Arc<OutlookSet> {
    let ring = vec![[-110.0, 30.0], [-80.0, 30.0], [-80.0, 48.0], [-110.0, 48.0], [-110.0, 30.0]];
    Arc::new(OutlookSet {
        day: 1,
        valid_utc: scene::minutes(valid),
        expire_utc: scene::minutes(expire),
        issue_utc: Some(scene::minutes(valid)),
        forecaster: None,
        categorical: Some(vec![CategoryArea { category, area: Area::from(vec![vec![ring]]) }]),
        categorical_unread: 0,
        hazards: Vec::new(),
        url: "day1".into(),
        read_utc: scene::minutes(valid),
    })
}

/// An enhanced risk to minute 60, polled every five minutes; from minute `known` on the polls bring its successor too, which
/// holds general thunderstorms only.
fn enhanced(known: i64) -> impl Fn(i64) -> Assessment {
    move |minute| {
        let mut picture = only(&[SPC_OUTLOOKS]);
        for poll in (0..=minute).step_by(5) {
            let mut news = Outlooks::default();
            let mut sets = vec![set(Risk::Enh, -600, 60)];
            if poll >= known {
                sets.push(set(Risk::Tstm, 60, 1_500));
            }
            for set in sets {
                news.put(set, scene::minutes(poll));
            }
            news.days.entry(1).or_default().confirmed_utc = Some(scene::minutes(poll));
            picture.take(&heard(SPC_OUTLOOKS, poll, Observation::Outlooks(Arc::new(news))));
        }
        assess(&picture, place(), scene::minutes(minute))
    }
}

#[test]
fn an_outlook_that_expired_is_held_until_its_successor_is_known() {
    let lowered = |minute| [(0, Level::Elevated, Raised), (minute, Level::None, Lowered)];
    assert_eq!(told(120, enhanced(30)), lowered(70));
    assert_eq!(told(120, enhanced(90)), lowered(100));
    // Nothing ever comes: 3 h after the last minute in which it spoke.
    assert_eq!(told(260, enhanced(9_999)), [(0, Level::Elevated, Raised), (239, Level::None, SightLost)]);
    let blind = enhanced(9_999)(60).blind_spots;
    assert_eq!(
        blind.iter().map(|spot| (spot.source.as_str(), spot.could_raise_to)).collect::<Vec<_>>(),
        [("spc-categorical", Level::Significant)]
    );
}

/// A moderate risk is significant only while storms are active: lightning that is out of sight hides that they are over.
#[test]
fn what_storms_made_louder_is_held_while_lightning_is_blind() {
    let look = |silent: std::ops::Range<i64>| {
        move |minute| {
            let mut evidence = quiet().with_outlook(outlook(Some(Risk::Mdt), None));
            if minute < 10 {
                evidence = evidence.with_flash(30.0);
            }
            if silent.contains(&minute) {
                evidence.lightning.sight = blind();
            }
            judged(evidence, minute)
        }
    };
    let lowered = |minute| [(0, Level::Significant, Raised), (minute, Level::Elevated, Lowered)];
    assert_eq!(told(60, look(0..0)), lowered(20));
    assert_eq!(told(90, look(10..50)), lowered(60));
}

fn profile(valid: i64, stp: f64) -> Arc<ModelProfile> {
    let level = |(pressure_hpa, height_msl_m)| Air {
        pressure_hpa,
        height_msl_m,
        temperature_c: 10.0,
        dew_point_c: None,
        wind: None,
    };
    let levels = [(950.0, 500.0), (900.0, 1000.0), (700.0, 3000.0), (500.0, 5600.0)];
    let (column, _) = Column::new(levels.map(level).to_vec()).unwrap();
    Arc::new(ModelProfile {
        model: "RAP 13 km".into(),
        cycle_utc: scene::minutes(valid),
        valid_utc: scene::minutes(valid),
        forecast_hour: 0,
        grid_point: place(),
        asked_place: place(),
        distance_km: 0.0,
        terrain_msl_m: 500.0,
        environment: Environment { stp_effective: Some(stp), ..Environment::default() },
        column,
        model_reported: ModelReported::default(),
        key: format!("rap {valid}"),
    })
}

/// A profile of minute -30 with a parameter of 3.5, and from minute `next` on one of that minute with 0.
fn air(next: i64) -> impl Fn(i64) -> Assessment {
    move |minute| {
        let mut picture = only(&[RAP_PROFILES]);
        picture.take(&heard(RAP_PROFILES, 0, Observation::Profile(profile(-30, 3.5))));
        if minute >= next {
            picture.take(&heard(RAP_PROFILES, next, Observation::Profile(profile(next, 0.0))));
        }
        assess(&picture, place(), scene::minutes(minute))
    }
}

#[test]
fn a_profile_speaks_for_three_hours_and_is_held_for_three_more() {
    let spots = |minute| air(9_999)(minute).blind_spots;
    assert_eq!(spots(149), []);
    assert_eq!(spots(150).iter().map(|spot| spot.source.as_str()).collect::<Vec<_>>(), ["rap-environment"]);
    assert_eq!(air(9_999)(149).level, Level::Elevated);
    assert_eq!(air(9_999)(150).level, Level::None);
    let lowered = |minute| [(0, Level::Elevated, Raised), (minute, Level::None, Lowered)];
    assert_eq!(told(120, air(60)), lowered(70));
    assert_eq!(told(260, air(200)), lowered(210));
    assert_eq!(told(360, air(9_999)), [(0, Level::Elevated, Raised), (329, Level::None, SightLost)]);
}
