use super::*;
use crate::geo::LatLon;
use crate::threat::{Assessment, Reason};

fn point() -> WatchPoint {
    WatchPoint {
        id: "wp_1".into(),
        owner: "local".into(),
        name: "home".into(),
        at: LatLon::new(35.0, -97.0).unwrap(),
        min_level: Level::Elevated,
        addresses: vec![],
        time_zone: None,
        created_utc: at(0),
        until_utc: None,
        client_token: None,
        waiting: Vec::new(),
        quiet_hours: None,
        snooze_until_utc: None,
        acknowledged: None,
    }
}

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_780_000_000 + 60 * minute).unwrap()
}

fn change(from: Level, to: Level, cause: ChangeCause) -> LevelChange {
    LevelChange {
        watch_point: "wp_1".into(),
        at_utc: at(0),
        from,
        to,
        cause,
        supports: vec![],
        ended: vec![],
        assessment: Assessment {
            at_utc: at(0),
            level: to,
            reasons: vec![],
            lingering: vec![],
            blind_spots: vec![],
            hazards: vec![],
        },
    }
}

#[test]
fn a_min_level_that_comes_down_to_the_level_that_stands_is_told_at_once_and_one_that_goes_up_is_not() {
    let mut state = PointState::quiet(at(0));
    let mut point = WatchPoint { min_level: Level::Extreme, ..point() };
    let step = |state: &mut PointState, point: &WatchPoint, minute, change: Option<&LevelChange>| {
        decide(point, state, change, at(minute), || "ep".into())
    };
    let up = change(Level::None, Level::Significant, ChangeCause::Raised);
    state.level = Level::Significant;
    assert_eq!(step(&mut state, &point, 0, Some(&up)), None);
    point.min_level = Level::Elevated;
    assert_eq!(step(&mut state, &point, 1, None), Some(NoticeReason::Raised));
    assert_eq!(step(&mut state, &point, 2, None), None, "once");
    point.min_level = Level::Extreme;
    assert_eq!(step(&mut state, &point, 3, None), None, "nothing is over: that is no all-clear");
    point.min_level = Level::Significant;
    assert_eq!(step(&mut state, &point, 4, None), Some(NoticeReason::Raised), "wanted again");
    assert_eq!(state.episode.unwrap().sequence, 2);
}

/// What somebody was told of is ended before its watch is.
#[test]
fn a_watch_whose_time_is_over_goes_on_until_the_end_of_what_it_told_has_been_told() {
    let point = WatchPoint { until_utc: Some(at(10)), ..point() };
    let mut state = PointState::quiet(at(0));
    assert_eq!(ends_watch(&point, Some(&state), false, at(9)), None);
    assert_eq!(ends_watch(&point, Some(&state), false, at(10)), Some(at(10)));
    assert_eq!(ends_watch(&point, None, false, at(10)), Some(at(10)), "never judged");
    assert_eq!(ends_watch(&point, Some(&state), true, at(10)), None, "something waits to be told");
    state.episode = Some(crate::notice::tests::scene::episode("ep"));
    assert_eq!(ends_watch(&point, Some(&state), false, at(10)), Some(at(10)), "nobody was told");
    state.episode.as_mut().unwrap().told.push(("email:x@y".into(), "d".into()));
    assert_eq!(ends_watch(&point, Some(&state), false, at(10)), Some(at(10)), "nothing stands");
    state.supports = vec![crate::notice::tests::scene::support(Level::Extreme, "TO.65")];
    assert_eq!(ends_watch(&point, Some(&state), false, at(10 + 5 * 60)), None);
    assert_eq!(ends_watch(&point, Some(&state), false, at(10 + 6 * 60)), Some(at(10)), "not for ever");
    assert_eq!(ends_watch(&point, Some(&state), true, at(10 + 6 * 60)), None, "what is held is told");
    state.supports[0].reason.source = "spc-categorical".into();
    assert_eq!(ends_watch(&point, Some(&state), false, at(10)), Some(at(10)), "a day's outlook is no storm");
    state.episode.as_mut().unwrap().awaiting_sight = true;
    assert_eq!(ends_watch(&point, Some(&state), false, at(10)), None, "that it is seen again is due");
}

/// Runs steps of (minute, level now, blind since minute, cause) and returns what was told.
fn told(steps: &[(i64, Level, Option<i64>, ChangeCause)]) -> Vec<(i64, NoticeReason)> {
    let mut state = PointState::quiet(at(0));
    let mut told = Vec::new();
    for (minute, level, blind, cause) in steps {
        let moved = *level != state.level;
        let change = moved.then(|| change(state.level, *level, *cause));
        state.level = *level;
        state.blind_since_utc = blind.map(at);
        let reason = decide(&point(), &mut state, change.as_ref(), at(*minute), || "ep".into());
        told.extend(reason.map(|reason| (*minute, reason)));
    }
    told
}

#[test]
fn a_storm_and_its_end_are_told_once_each() {
    use ChangeCause::{Lowered, Raised};
    let steps = [
        (0, Level::Marginal, None, Raised),
        (1, Level::Extreme, None, Raised),
        (2, Level::Extreme, None, Raised),
        (30, Level::Elevated, None, Lowered),
        (40, Level::None, None, Lowered),
        (41, Level::None, None, Lowered),
    ];
    assert_eq!(told(&steps), [(1, NoticeReason::Raised), (30, NoticeReason::Lowered), (40, NoticeReason::AllClear)]);
}

#[test]
fn blindness_is_told_once_an_episode_and_its_end_once() {
    use ChangeCause::Raised;
    let steps = [
        (0, Level::Significant, None, Raised),
        (5, Level::Significant, Some(5), Raised),
        (14, Level::Significant, Some(5), Raised),
        (15, Level::Significant, Some(5), Raised),
        (20, Level::Significant, Some(5), Raised),
        (21, Level::Significant, None, Raised),
        (22, Level::Significant, None, Raised),
        (30, Level::Significant, Some(25), Raised),
        (45, Level::Significant, Some(25), Raised),
    ];
    assert_eq!(told(&steps), [(0, NoticeReason::Raised), (15, NoticeReason::WentBlind), (21, NoticeReason::SeesAgain)]);
}

#[test]
fn lost_sight_is_never_an_all_clear_and_what_was_not_told_is_not_taken_back() {
    use ChangeCause::{Lowered, Raised, SightLost};
    let lost = [(0, Level::Significant, None, Raised), (190, Level::None, None, SightLost)];
    assert_eq!(told(&lost), [(0, NoticeReason::Raised), (190, NoticeReason::WentBlind)]);
    let quiet = [(0, Level::Marginal, None, Raised), (20, Level::None, None, Lowered)];
    assert_eq!(told(&quiet), []);
}

#[test]
fn a01_a07_every_rise_and_every_end_is_told_exactly_once() {
    use ChangeCause::{Lowered, Raised};
    let steps = [
        (0, Level::Elevated, None, Raised),
        (12, Level::None, None, Lowered),
        (13, Level::None, None, Lowered),
        (20, Level::Elevated, None, Raised),
        (35, Level::None, None, Lowered),
        (36, Level::None, None, Lowered),
    ];
    let expected = [NoticeReason::Raised, NoticeReason::AllClear, NoticeReason::Raised, NoticeReason::AllClear];
    assert_eq!(told(&steps).into_iter().map(|(_, reason)| reason).collect::<Vec<_>>(), expected);
}

#[test]
fn a13_n22_nothing_delays_an_escalation() {
    use ChangeCause::Raised;
    let steps =
        [(0, Level::Elevated, None, Raised), (1, Level::Significant, None, Raised), (1, Level::Extreme, None, Raised)];
    assert_eq!(told(&steps).len(), 3);
}

fn spot(source: &str, could_raise_to: Level) -> BlindSpot {
    BlindSpot { source: source.into(), since_utc: Some(at(0)), why: "gone".into(), could_raise_to }
}

/// A support by radar, held while it is blind; with `sight_lost` let go unseen.
fn held(level: Level, sight_lost: bool) -> Support {
    let reason = Reason {
        rule: "mesh_2in".into(),
        subject: "mesh".into(),
        level,
        text: "hail".into(),
        source: MESH.into(),
        evidence_id: String::new(),
        observed_utc: at(0),
        age_s: 0,
        distance_km: None,
        direction: None,
        until_utc: None,
        already_in_effect: false,
    };
    Support { reason, last_supported_utc: at(0), held: Some("blind".into()), ended_utc: None, sight_lost }
}

const MESH: &str = "mrms-mesh_max_60min";

#[test]
fn sight_that_returns_after_it_was_lost_is_told_also_below_the_level() {
    let mut state = PointState::quiet(at(0));
    let mut step = |minute, level, spots: Vec<BlindSpot>| {
        let moved = level != state.level;
        let cause = if level > state.level { ChangeCause::Raised } else { ChangeCause::SightLost };
        let lost = if cause == ChangeCause::SightLost { vec![held(state.level, true)] } else { vec![] };
        let change = moved.then(|| LevelChange { ended: lost, ..change(state.level, level, cause) });
        (state.level, state.blind_spots) = (level, spots);
        decide(&point(), &mut state, change.as_ref(), at(minute), || "ep".into())
    };
    assert_eq!(step(0, Level::Significant, vec![]), Some(NoticeReason::Raised));
    assert_eq!(step(190, Level::None, vec![spot(MESH, Level::Significant)]), Some(NoticeReason::WentBlind));
    assert_eq!(step(200, Level::None, vec![spot(MESH, Level::Significant)]), None);
    // It could mean less by now, and still nobody sees it.
    assert_eq!(step(250, Level::None, vec![spot(MESH, Level::Marginal)]), None);
    // Another source that nobody sees was never what the level rested on.
    assert_eq!(step(300, Level::None, vec![spot("mrms-vil", Level::None)]), Some(NoticeReason::SeesAgain));
    assert_eq!(step(301, Level::None, vec![]), None);
}

#[test]
fn sight_is_back_when_what_the_level_rests_on_is_seen_and_not_when_something_else_supports_it() {
    let mut state = PointState { level: Level::Significant, ..PointState::quiet(at(0)) };
    let up = change(Level::None, Level::Significant, ChangeCause::Raised);
    assert_eq!(decide(&point(), &mut state, Some(&up), at(0), || "ep".into()), Some(NoticeReason::Raised));
    let mut step = |minute, blind: Option<i64>, spots: Vec<BlindSpot>| {
        let level = state.level;
        state.supports = if spots.is_empty() { vec![] } else { vec![held(level, false)] };
        (state.blind_spots, state.blind_since_utc) = (spots, blind.map(at));
        decide(&point(), &mut state, None, at(minute), || "ep".into())
    };
    assert_eq!(step(10, Some(0), vec![spot(MESH, Level::Significant)]), Some(NoticeReason::WentBlind));
    // A tornado report supports the level meanwhile; radar is as blind as before.
    assert_eq!(step(12, None, vec![spot(MESH, Level::Significant)]), None);
    assert_eq!(step(20, None, vec![]), Some(NoticeReason::SeesAgain));
}

#[test]
fn a_rise_while_sight_is_lost_leaves_its_return_to_be_told() {
    let mut state = PointState { level: Level::Significant, ..PointState::quiet(at(0)) };
    let step = |state: &mut PointState, minute, change: Option<&LevelChange>| {
        decide(&point(), state, change, at(minute), || "ep".into())
    };
    let rise = |from, to| change(from, to, ChangeCause::Raised);
    let first = rise(Level::None, Level::Significant);
    assert_eq!(step(&mut state, 0, Some(&first)), Some(NoticeReason::Raised));
    state.supports = vec![held(Level::Significant, false)];
    (state.blind_spots, state.blind_since_utc) = (vec![spot(MESH, Level::Significant)], Some(at(0)));
    assert_eq!(step(&mut state, 10, None), Some(NoticeReason::WentBlind));
    // A warning that is seen; radar is as blind as before.
    (state.level, state.blind_since_utc) = (Level::Extreme, None);
    assert_eq!(step(&mut state, 12, Some(&rise(Level::Significant, Level::Extreme))), Some(NoticeReason::Raised));
    assert_eq!(retell(&point(), &mut state), Some(NoticeReason::Raised), "what stands is seen");
    assert_eq!(step(&mut state, 13, None), None);
    state.blind_spots = vec![];
    assert_eq!(step(&mut state, 20, None), Some(NoticeReason::SeesAgain));
    assert_eq!(step(&mut state, 21, None), None, "once");
}

#[test]
fn an_episode_lasts_until_an_hour_below() {
    let mut state = PointState::quiet(at(0));
    let step = |state: &mut PointState, minute, level, id: &str| {
        let moved = level != state.level;
        let cause = if level > state.level { ChangeCause::Raised } else { ChangeCause::Lowered };
        let change = moved.then(|| change(state.level, level, cause));
        state.level = level;
        decide(&point(), state, change.as_ref(), at(minute), || id.into());
        state.episode.as_ref().map(|episode| (episode.id.clone(), episode.sequence))
    };
    assert_eq!(step(&mut state, 0, Level::Elevated, "a"), Some(("a".into(), 1)));
    assert_eq!(step(&mut state, 10, Level::None, "b"), Some(("a".into(), 2)));
    assert_eq!(step(&mut state, 60, Level::Elevated, "c"), Some(("a".into(), 3)));
    assert_eq!(step(&mut state, 70, Level::None, "d"), Some(("a".into(), 4)));
    assert_eq!(step(&mut state, 130, Level::None, "e"), None);
    assert_eq!(step(&mut state, 140, Level::Elevated, "f"), Some(("f".into(), 1)));
}
