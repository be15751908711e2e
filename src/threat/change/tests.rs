//! The rules of "Change", by histories of assessments; the worked example of levels.md first.

mod sources;

use super::*;
use crate::threat::Hazard;
use proptest::prelude::*;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_780_000_000 + 60 * minute).unwrap()
}

fn reason(rule: &str, level: Level, source: &str) -> Reason {
    Reason {
        rule: rule.into(),
        subject: rule.into(),
        level,
        text: rule.into(),
        source: source.into(),
        evidence_id: String::new(),
        observed_utc: at(0),
        age_s: 0,
        distance_km: None,
        direction: None,
        until_utc: None,
        already_in_effect: false,
    }
}

fn blind(source: &str, could_raise_to: Level) -> BlindSpot {
    BlindSpot { source: source.into(), since_utc: None, why: "gone".into(), could_raise_to }
}

fn seen(now: Timestamp, reasons: &[Reason], lingering: &[Reason], blind_spots: &[BlindSpot]) -> Assessment {
    Assessment {
        at_utc: now,
        level: reasons.iter().map(|reason| reason.level).max().unwrap_or_default(),
        reasons: reasons.to_vec(),
        lingering: lingering.to_vec(),
        blind_spots: blind_spots.to_vec(),
        hazards: Vec::<Hazard>::new(),
    }
}

fn terms() -> Terms {
    Terms { hold: HOLD_DEFAULT, settling: false, watched_since_utc: at(-60) }
}

/// Lives through minutes `0..` with one assessment each and returns (minute, level) of every move.
fn moves(minutes: i64, look: impl Fn(i64) -> Assessment) -> Vec<(i64, Level)> {
    let mut state: Option<PointState> = None;
    let mut moves = Vec::new();
    for minute in 0..minutes {
        let (next, change) = change("wp", state.as_ref(), &look(minute), at(minute), terms());
        moves.extend(change.map(|change| (minute, change.to)));
        state = Some(next);
    }
    moves
}

#[test]
fn the_worked_example_of_levels_md() {
    // Minute 0 is 21:32: a tornado warning inside until 22:00; rotation from 21:33, whose source is blind from 21:58.
    let tornado = reason("tornado_warning_inside_confirmed", Level::Extreme, "nws-warnings");
    let rotation = reason("rotation_intense", Level::Significant, "mrms-rotation");
    let look = |minute: i64| {
        let mut reasons = Vec::new();
        if minute < 28 {
            reasons.push(tornado.clone());
        }
        if (1..26).contains(&minute) {
            reasons.push(rotation.clone());
        }
        let spots = if minute < 26 { vec![] } else { vec![blind("mrms-rotation", Level::Significant)] };
        seen(at(minute), &reasons, &reasons, &spots)
    };
    assert_eq!(moves(78, look), [(0, Level::Extreme), (38, Level::Significant)]);
}

#[test]
fn blindness_of_what_supports_a_level_is_noticed_from_the_moment_that_nothing_else_does() {
    let rotation = reason("rotation_intense", Level::Significant, "mrms-rotation");
    let mut state = None;
    for minute in 0..30 {
        let visible = if minute < 5 { vec![rotation.clone()] } else { vec![] };
        let spots = if minute < 5 { vec![] } else { vec![blind("mrms-rotation", Level::Significant)] };
        let (next, _) =
            change("wp", state.as_ref(), &seen(at(minute), &visible, &visible, &spots), at(minute), terms());
        state = Some(next);
    }
    let state = state.unwrap();
    assert_eq!((state.level, state.blind_since_utc), (Level::Significant, Some(at(5))));
    assert!(state.is_held() && state.supports[0].held.as_ref().unwrap().contains("mrms-rotation"));
}

#[test]
fn a_feed_gap_never_lowers_and_its_return_makes_no_false_dip() {
    let warning = reason("severe_thunderstorm_warning_inside", Level::Elevated, "nws-warnings");
    let look = |minute: i64| {
        if (10..50).contains(&minute) {
            seen(at(minute), &[], &[], &[blind("nws-warnings", Level::Extreme)])
        } else if minute < 70 {
            seen(at(minute), std::slice::from_ref(&warning), std::slice::from_ref(&warning), &[])
        } else {
            seen(at(minute), &[], &[], &[])
        }
    };
    assert_eq!(moves(100, look), [(0, Level::Elevated), (80, Level::None)]);
}

#[test]
fn values_between_the_clear_and_the_raise_threshold_do_not_flap() {
    // MESH 25.5, 24.8, 25.6, 24.9 ... and at last 20: one rise, one fall.
    let hail = reason("mesh_1in", Level::Elevated, "mrms-mesh");
    let look = |minute: i64| match minute {
        60.. => seen(at(minute), &[], &[], &[]),
        even if even % 2 == 0 => seen(at(minute), std::slice::from_ref(&hail), std::slice::from_ref(&hail), &[]),
        _ => seen(at(minute), &[], std::slice::from_ref(&hail), &[]),
    };
    assert_eq!(moves(100, look), [(0, Level::Elevated), (70, Level::None)]);
    let never = |minute: i64| seen(at(minute), &[], std::slice::from_ref(&hail), &[]);
    assert_eq!(moves(30, never), []);
}

#[test]
fn a_held_level_is_let_go_after_three_hours_as_sight_lost() {
    let rotation = reason("rotation_intense", Level::Significant, "mrms-rotation");
    let mut state = None;
    let mut changes = Vec::new();
    for minute in 0..400 {
        let visible = if minute <= 5 { vec![rotation.clone()] } else { vec![] };
        let spots = if minute <= 5 { vec![] } else { vec![blind("mrms-rotation", Level::Significant)] };
        let (next, moved) =
            change("wp", state.as_ref(), &seen(at(minute), &visible, &visible, &spots), at(minute), terms());
        changes.extend(moved.map(|moved| (minute, moved.to, moved.cause)));
        state = Some(next);
    }
    assert_eq!(changes, [(0, Level::Significant, ChangeCause::Raised), (185, Level::None, ChangeCause::SightLost)]);
}

/// Two reasons at once: the higher one ends positively in the minute in which the lower one is let go unseen. The level steps
/// down, and what remains of it was not seen to end: no all-clear.
#[test]
fn a_reason_let_go_unseen_beside_one_that_ended_is_not_taken_for_ended() {
    let tornado = reason("tornado_warning_inside", Level::Extreme, "nws-warnings");
    let hail = reason("mesh_1in", Level::Elevated, "mrms-mesh");
    let mut state = None;
    let mut changes = Vec::new();
    for minute in 0..260 {
        let warned = if minute < 176 { vec![tornado.clone()] } else { vec![] };
        let seen_hail = if minute < 5 { vec![hail.clone()] } else { vec![] };
        let reasons = [warned, seen_hail].concat();
        let spots = if minute < 5 { vec![] } else { vec![blind("mrms-mesh", Level::Significant)] };
        let (next, moved) =
            change("wp", state.as_ref(), &seen(at(minute), &reasons, &reasons, &spots), at(minute), terms());
        changes.extend(moved.map(|moved| (minute, moved.to, moved.cause)));
        state = Some(next);
    }
    let expected = [
        (0, Level::Extreme, ChangeCause::Raised),
        (186, Level::Elevated, ChangeCause::Lowered),
        (187, Level::None, ChangeCause::SightLost),
    ];
    assert_eq!(changes, expected);
}

#[test]
fn while_settling_a_level_rises_but_never_falls() {
    let before = {
        let warning = reason("tornado_watch", Level::Elevated, "nws-warnings");
        change("wp", None, &seen(at(0), &[warning], &[], &[]), at(0), terms()).0
    };
    let settling = Terms { settling: true, hold: SignedDuration::ZERO, ..terms() };
    let (state, moved) = change("wp", Some(&before), &seen(at(30), &[], &[], &[]), at(30), settling);
    assert_eq!((state.level, moved.is_none()), (Level::Elevated, true));
    let tornado = reason("tornado_warning_inside", Level::Significant, "nws-warnings");
    let (state, _) = change("wp", Some(&state), &seen(at(31), &[tornado], &[], &[]), at(31), settling);
    assert_eq!(state.level, Level::Significant);
}

#[test]
fn what_began_before_the_watch_is_labelled_and_keeps_its_label() {
    let old = Reason { observed_utc: at(-90), ..reason("tornado_watch", Level::Elevated, "nws-warnings") };
    let (state, _) = change("wp", None, &seen(at(0), std::slice::from_ref(&old), &[], &[]), at(0), terms());
    assert!(state.supports[0].reason.already_in_effect);
    let new = Reason { observed_utc: at(1), ..old };
    let (state, _) = change("wp", Some(&state), &seen(at(1), &[new], &[], &[]), at(1), terms());
    assert!(state.supports[0].reason.already_in_effect);
}

fn any_level() -> impl Strategy<Value = Level> {
    prop::sample::select(Level::ALL.to_vec())
}

/// One minute of evidence: the level that warnings support, the level that radar supports, and who is blind.
fn any_minute() -> impl Strategy<Value = (Level, Level, bool, bool)> {
    (any_level(), any_level(), any::<bool>(), any::<bool>())
}

fn look(minute: i64, (warned, radar, warnings_blind, radar_blind): (Level, Level, bool, bool)) -> Assessment {
    let mut reasons = Vec::new();
    if warned > Level::None {
        reasons.push(reason("w", warned, "nws-warnings"));
    }
    if radar > Level::None && !radar_blind {
        reasons.push(reason("r", radar, "mrms-mesh"));
    }
    let mut spots = Vec::new();
    if warnings_blind {
        spots.push(blind("nws-warnings", Level::Extreme));
    }
    if radar_blind {
        spots.push(blind("mrms-mesh", Level::Significant));
    }
    seen(at(minute), &reasons, &reasons, &spots)
}

proptest! {
    #[test]
    fn raising_is_never_later_than_the_evidence_and_blindness_never_lowers(
        history in prop::collection::vec(any_minute(), 1..120)
    ) {
        let mut state: Option<PointState> = None;
        for (minute, evidence) in (0..).zip(history) {
            let before = state.as_ref().map_or(Level::None, |state| state.level);
            let assessment = look(minute, evidence);
            let (next, moved) = change("wp", state.as_ref(), &assessment, at(minute), terms());
            prop_assert!(next.level >= assessment.level, "the evidence is above the level");
            let warnings_blind = evidence.2;
            if next.level < before {
                let moved = moved.unwrap();
                prop_assert!(
                    !warnings_blind || moved.cause == ChangeCause::SightLost,
                    "lowered while the warnings feed was blind"
                );
            }
            state = Some(next);
        }
    }

    #[test]
    fn the_same_evidence_heard_twice_changes_nothing(history in prop::collection::vec(any_minute(), 1..60)) {
        let (mut once, mut twice): (Option<PointState>, Option<PointState>) = (None, None);
        for (minute, evidence) in (0..).zip(history) {
            let assessment = look(minute, evidence);
            once = Some(change("wp", once.as_ref(), &assessment, at(minute), terms()).0);
            let first = change("wp", twice.as_ref(), &assessment, at(minute), terms()).0;
            let (second, moved) = change("wp", Some(&first), &assessment, at(minute), terms());
            prop_assert!(moved.is_none());
            twice = Some(second);
        }
        prop_assert_eq!(once, twice);
    }
}
