//! Hand-made days, on both sides of each boundary.

use super::*;

const TERMS: Terms = Terms { radius_km: 40.0, window: SignedDuration::from_mins(30) };

/// Second `s` of minute `m` of a made-up day.
fn at(m: i64, s: i64) -> Timestamp {
    Timestamp::from_second(1_780_000_020 + 60 * m + s).unwrap()
}

/// Watched for ten hours; level from each minute on.
fn timeline(steps: &[(i64, Level)]) -> Timeline {
    let steps = steps.iter().map(|(minute, level)| (at(*minute, 0), *level)).collect();
    Timeline { from_utc: at(0, 0), to_utc: at(600, 0), steps, dark: Vec::new() }
}

fn event(at_utc: Timestamp) -> StormEvent {
    StormEvent { kind: Kind::Hail, at_utc, distance_km: 10.0, place: "there".into(), product_id: None }
}

/// Hits, misses, verified spells, false alarms, undecided spells.
fn counts(score: &Score) -> [usize; 5] {
    let Score { hits, misses, verified, false_alarms, undecided, .. } = score;
    [hits.len(), misses.len(), verified.len(), false_alarms.len(), undecided.len()]
}

/// Elevated from minute 100 to 160.
fn hour() -> Timeline {
    timeline(&[(100, Level::Elevated), (160, Level::None)])
}

#[test]
fn an_event_within_the_window_of_a_spell_is_hit_and_verifies_it() {
    let scored = |at_utc| counts(&score(&hour(), &[event(at_utc)], Level::Elevated, TERMS));
    assert_eq!(scored(at(99, 59)), [0, 1, 0, 1, 0], "the level came a second late");
    assert_eq!(scored(at(100, 0)), [1, 0, 1, 0, 0], "with the event itself");
    assert_eq!(scored(at(189, 59)), [1, 0, 1, 0, 0], "half an hour after its end, but a second");
    assert_eq!(scored(at(190, 0)), [0, 1, 0, 1, 0], "spells are half-open");
}

#[test]
fn a_level_counts_at_or_above_the_one_asked_about() {
    let storm =
        timeline(&[(100, Level::Marginal), (110, Level::Significant), (120, Level::Elevated), (160, Level::None)]);
    let scored = |level| counts(&score(&storm, &[event(at(115, 0))], level, TERMS));
    assert_eq!(scored(Level::Marginal), [1, 0, 1, 0, 0]);
    assert_eq!(scored(Level::Elevated), [1, 0, 1, 0, 0]);
    assert_eq!(scored(Level::Significant), [1, 0, 1, 0, 0]);
    assert_eq!(scored(Level::Extreme), [0, 1, 0, 0, 0]);
    let spells = storm.spells(Level::Elevated);
    assert_eq!(
        spells,
        [Spell { from_utc: at(110, 0), to_utc: at(160, 0), stands: false }],
        "a fall within it is no break"
    );
}

#[test]
fn lead_time_is_from_the_newest_spell_that_counts() {
    let twice = timeline(&[(100, Level::Elevated), (110, Level::None), (120, Level::Elevated), (130, Level::None)]);
    let leads = |events: &[StormEvent]| {
        let score = score(&twice, events, Level::Elevated, TERMS);
        score.hits.iter().map(|hit| hit.lead.as_mins()).collect::<Vec<_>>()
    };
    assert_eq!(leads(&[event(at(125, 0))]), [5], "not 25");
    assert_eq!(leads(&[event(at(119, 0))]), [19]);
    let three = score(&twice, &[event(at(102, 0)), event(at(105, 0)), event(at(109, 0))], Level::Elevated, TERMS);
    let expected = Leads {
        median: SignedDuration::from_mins(5),
        min: SignedDuration::from_mins(2),
        max: SignedDuration::from_mins(9),
    };
    assert_eq!(three.leads(), Some(expected));
    let two = score(&twice, &[event(at(102, 0)), event(at(105, 0))], Level::Elevated, TERMS);
    assert_eq!(two.leads().unwrap().median.as_secs(), 210, "between the two");
    assert_eq!(score(&twice, &[], Level::Elevated, TERMS).leads(), None);
}

#[test]
fn a_spell_that_an_event_may_still_verify_is_undecided() {
    let scored = |end: i64| {
        counts(&score(&timeline(&[(500, Level::Elevated), (end, Level::None)]), &[], Level::Elevated, TERMS))
    };
    assert_eq!(scored(570), [0, 0, 0, 1, 0], "its window ends with the watch");
    assert_eq!(scored(571), [0, 0, 0, 0, 1]);
    let stands = timeline(&[(500, Level::Elevated)]);
    assert_eq!(counts(&score(&stands, &[], Level::Elevated, TERMS)), [0, 0, 0, 0, 1]);
    assert_eq!(counts(&score(&stands, &[event(at(599, 59))], Level::Elevated, TERMS)), [1, 0, 1, 0, 0]);
}

#[test]
fn events_outside_of_the_watch_do_not_count() {
    let scored = |at_utc| counts(&score(&timeline(&[]), &[event(at_utc)], Level::Elevated, TERMS));
    assert_eq!(scored(at(-1, 59)), [0, 0, 0, 0, 0]);
    assert_eq!(scored(at(0, 0)), [0, 1, 0, 0, 0]);
    assert_eq!(scored(at(599, 59)), [0, 1, 0, 0, 0]);
    assert_eq!(scored(at(600, 0)), [0, 0, 0, 0, 0]);
}

#[test]
fn a_miss_is_in_the_dark_where_something_unseen_could_have_meant_the_level() {
    let blind = |from: i64, to: i64, could_mean| {
        let mut timeline = timeline(&[]);
        timeline.dark = vec![Dark { from_utc: at(from, 0), to_utc: at(to, 0), could_mean }];
        let score = score(&timeline, &[event(at(200, 0))], Level::Significant, TERMS);
        assert_eq!(score.misses.len(), 1, "a miss all the same");
        score.misses_in_the_dark()
    };
    assert_eq!(blind(190, 210, Level::Extreme), 1);
    assert_eq!(blind(190, 210, Level::Significant), 1);
    assert_eq!(blind(190, 210, Level::Elevated), 0, "it could not have meant that much");
    assert_eq!(blind(100, 170, Level::Extreme), 0, "sight was back when the window began");
    assert_eq!(blind(100, 171, Level::Extreme), 1);
    assert_eq!(blind(200, 300, Level::Extreme), 1, "blind from the event on");
    assert_eq!(blind(201, 300, Level::Extreme), 0);
}

#[test]
fn what_was_unseen_holds_until_the_next_row() {
    let spot = |could_raise_to| BlindSpot { source: "x".into(), since_utc: None, why: String::new(), could_raise_to };
    let (low, high) = ([spot(Level::Marginal)], [spot(Level::Extreme), spot(Level::None)]);
    let rows: [(Timestamp, &[BlindSpot]); 4] =
        [(at(0, 0), &[]), (at(10, 0), &low), (at(20, 0), &high), (at(30, 0), &[])];
    let expected = [
        Dark { from_utc: at(10, 0), to_utc: at(20, 0), could_mean: Level::Marginal },
        Dark { from_utc: at(20, 0), to_utc: at(30, 0), could_mean: Level::Extreme },
    ];
    assert_eq!(dark(rows, at(60, 0)), expected);
    let to_the_end = dark(rows.into_iter().take(3), at(60, 0));
    assert_eq!(to_the_end[1].to_utc, at(60, 0));
}

/// The arithmetic by hand: 3 of 4 events hit, 1 of 4 decided spells a false alarm.
#[test]
fn scores_are_what_the_textbook_makes_of_the_counts() {
    let mut score = Score::none(Level::Elevated);
    assert_eq!((score.pod(), score.far(), score.csi()), (None, None, None));
    let spell = Spell { from_utc: at(0, 0), to_utc: at(1, 0), stands: false };
    let hit = Hit { event: event(at(0, 0)), lead: SignedDuration::ZERO };
    score.hits = vec![hit.clone(), hit.clone(), hit];
    score.misses = vec![Miss { event: event(at(0, 0)), in_the_dark: false }];
    score.verified = vec![spell; 3];
    score.false_alarms = vec![spell];
    score.undecided = vec![spell; 5];
    assert_eq!((score.pod(), score.far()), (Some(0.75), Some(0.25)));
    // 1 / (4/3 + 4/3 - 1) = 3/5; with equal counts it is hits / (hits + misses + false alarms), too.
    assert!((score.csi().unwrap() - 0.6).abs() < 1e-12);
    score.hits.clear();
    assert_eq!((score.pod(), score.csi()), (Some(0.0), Some(0.0)));
    let mut both = score.clone();
    both.add(score);
    assert_eq!(counts(&both), [0, 2, 6, 2, 10]);
}

fn report(category: Category, km_north: f64, inches: Option<f64>) -> StormReport {
    use crate::storm_report::{Magnitude, Unit};
    StormReport {
        category,
        type_text: String::new(),
        magnitude: inches.map(|value| Magnitude::Value { value, unit: Unit::Inches }),
        qualifier: None,
        event_utc: at(0, 0),
        issued_utc: None,
        heard_utc: at(0, 0),
        at: LatLon::new(40.0 + km_north / 111.194_93, -92.9).unwrap(),
        city: "there".into(),
        county: String::new(),
        state: String::new(),
        source: String::new(),
        remarks: String::new(),
        wfo: "EAX".into(),
        product_id: None,
    }
}

#[test]
fn events_are_severe_reports_within_the_radius() {
    let place = LatLon::new(40.0, -92.9).unwrap();
    let kind =
        |category, km, inches| events(&[report(category, km, inches)], place, 40.0).first().map(|event| event.kind);
    assert_eq!(kind(Category::Tornado, 39.9, None), Some(Kind::Tornado));
    assert_eq!(kind(Category::Tornado, 40.1, None), None);
    assert_eq!(kind(Category::Waterspout, 14.9, None), Some(Kind::Tornado));
    assert_eq!(kind(Category::Waterspout, 15.1, None), None);
    assert_eq!(kind(Category::Hail, 10.0, Some(1.0)), Some(Kind::Hail));
    assert_eq!(kind(Category::Hail, 10.0, Some(0.99)), None);
    assert_eq!(kind(Category::Hail, 10.0, None), None, "of unknown size");
    assert_eq!(kind(Category::ThunderstormWindDamage, 10.0, None), Some(Kind::Wind));
    assert_eq!(kind(Category::NonThunderstormWindDamage, 10.0, None), None);
    assert_eq!(kind(Category::FlashFlood, 10.0, None), None);
    assert_eq!(kind(Category::FunnelCloud, 10.0, None), None);
}
