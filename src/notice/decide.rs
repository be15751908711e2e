//! Which notice, if any, a new state of a watch point calls for (delivery.md, "What is told"). Pure.

use crate::notice::{NoticeReason, WatchPoint};
use crate::threat::{BlindSpot, ChangeCause, Episode, Level, LevelChange, PointState, Support, later};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;

/// How long everything that supports a level must have been out of sight before people are told.
pub const BLIND_TOLD_AFTER: SignedDuration = SignedDuration::from_mins(10);
/// An episode ends when the level has been below `min_level` for this long.
pub const EPISODE_ENDS_AFTER: SignedDuration = SignedDuration::from_mins(60);

/// How long a watch goes on at most after its time, to tell the end of what it told: longer than storms last.
pub const WATCH_GOES_ON: SignedDuration = SignedDuration::from_hours(12);

/// Brings the episode of `state` up to date and says what has to be told, if anything; when and to whom is `round`'s. `episode_id` makes the id of an
/// episode that begins now.
pub fn decide(
    point: &WatchPoint,
    state: &mut PointState,
    change: Option<&LevelChange>,
    now: Timestamp,
    episode_id: impl FnOnce() -> String,
) -> Option<NoticeReason> {
    let (level, min_level) = (state.level, point.min_level.max(Level::Marginal));
    if level >= min_level && state.episode.is_none() {
        state.episode = Some(Episode {
            id: episode_id(),
            began_utc: now,
            below_since_utc: None,
            sequence: 0,
            told_max: Level::None,
            told_blind: false,
            awaiting_sight: false,
            out_of_sight: Vec::new(),
            thread_roots: Vec::new(),
            told: Vec::new(),
            last_deliveries: Vec::new(),
            last_decided_utc: None,
        });
    }
    let episode = state.episode.as_mut()?;
    let was_told_of = episode.below_since_utc.is_none() && !episode.told.is_empty() && !episode.awaiting_sight;
    let mut reached_by_wish = false;
    if level >= min_level {
        // The level stands where it stood: `min_level` came down to it.
        let begins = episode.sequence == 0 && episode.began_utc == now;
        reached_by_wish = change.is_none() && (begins || episode.below_since_utc.is_some());
        episode.below_since_utc = None;
    } else if was_told_of && change.is_none_or(|change| change.to > change.from) {
        // `min_level` went up over what was told: that is not over, and its end will be told.
    } else {
        let below = *episode.below_since_utc.get_or_insert(now);
        if change.is_none() && !episode.awaiting_sight && now >= later(below, EPISODE_ENDS_AFTER) {
            state.episode = None;
            return None;
        }
    }
    let blind_since = state.blind_since_utc;
    let is_blind = |source: &String| state.blind_spots.iter().any(|spot| spot.source == *source);
    // That a blind spot could mean less by now brings no sight back: what was told to be out of sight must be seen. Below what
    // is told nothing is held any more.
    let sees = !episode.out_of_sight.iter().any(is_blind) && (level < min_level || blind_since.is_none());
    let reason = match change {
        Some(change) => after_change(change, min_level, episode, was_told_of)?,
        None if reached_by_wish => NoticeReason::Raised,
        None => by_sight(level >= min_level, blind_since, sees, now, episode)?,
    };
    episode.sequence += 1;
    let goes_blind = reason == NoticeReason::WentBlind;
    episode.told_blind |= goes_blind;
    // What ended was seen to end. What rises meanwhile brings no sight back: that is told when it is.
    episode.awaiting_sight = goes_blind || (reason == NoticeReason::Raised && episode.awaiting_sight && !sees);
    if goes_blind || !episode.awaiting_sight {
        episode.out_of_sight = Vec::new();
    }
    if goes_blind {
        let bears = |support: &&Support| support.reason.level == level && !support.has_ended(&state.blind_spots);
        let let_go = change.into_iter().flat_map(|change| &change.ended).filter(|support| support.sight_lost);
        episode.out_of_sight = hiding_sources(state.supports.iter().filter(bears).chain(let_go), &state.blind_spots);
    }
    Some(reason)
}

/// The sources that keep these reasons out of sight; sorted, each once.
fn hiding_sources<'a>(supports: impl Iterator<Item = &'a Support>, spots: &[BlindSpot]) -> Vec<String> {
    let sources: BTreeSet<&String> = supports.filter_map(|support| Some(&support.hidden_by(spots)?.source)).collect();
    sources.into_iter().cloned().collect()
}

/// The end of a watch whose time is over; `None` while it goes on. Amid a storm that somebody was told of it goes on until its end
/// has been told, for `WATCH_GOES_ON` at the longest. `waits`: something of the point is held or not delivered yet.
pub fn ends_watch(point: &WatchPoint, state: Option<&PointState>, waits: bool, now: Timestamp) -> Option<Timestamp> {
    let until = point.until_utc.filter(|until| *until <= now)?;
    let is_told_of = state.and_then(|state| state.episode.as_ref()).is_some_and(|episode| !episode.told.is_empty());
    ((!is_told_of && !waits) || now >= later(until, WATCH_GOES_ON)).then_some(until)
}

/// What has to be told of a point whose newest notice was lost: its present state, under a new number.
pub fn retell(point: &WatchPoint, state: &mut PointState) -> Option<NoticeReason> {
    let min_level = point.min_level.max(Level::Marginal);
    let episode = state.episode.as_mut()?;
    episode.sequence += 1;
    Some(match (state.level >= min_level, episode.awaiting_sight) {
        // What has risen since is seen.
        (true, true) if state.blind_since_utc.is_none() => NoticeReason::Raised,
        (_, true) => NoticeReason::WentBlind,
        (true, false) => NoticeReason::Raised,
        (false, false) => NoticeReason::AllClear,
    })
}

/// `was_told_of`: what stood before was told, and its end was not.
fn after_change(change: &LevelChange, min_level: Level, episode: &Episode, was_told_of: bool) -> Option<NoticeReason> {
    if change.to > change.from {
        return (change.to >= min_level).then_some(NoticeReason::Raised);
    }
    if (change.from < min_level && !was_told_of) || episode.sequence == 0 {
        // Below what is told, or nothing of it was ever told: nothing to take back.
        return None;
    }
    match change.cause {
        ChangeCause::SightLost => Some(NoticeReason::WentBlind),
        ChangeCause::Raised | ChangeCause::Lowered if change.to >= min_level => Some(NoticeReason::Lowered),
        ChangeCause::Raised | ChangeCause::Lowered => Some(NoticeReason::AllClear),
    }
}

fn by_sight(
    told_level: bool,
    blind_since: Option<Timestamp>,
    sees: bool,
    now: Timestamp,
    episode: &Episode,
) -> Option<NoticeReason> {
    if episode.awaiting_sight {
        return sees.then_some(NoticeReason::SeesAgain);
    }
    let long_blind = blind_since.is_some_and(|since| now >= later(since, BLIND_TOLD_AFTER));
    (told_level && long_blind && !episode.told_blind).then_some(NoticeReason::WentBlind)
}

#[cfg(test)]
mod tests {
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
        assert_eq!(ends_watch(&point, Some(&state), false, at(10 + 11 * 60)), None);
        assert_eq!(ends_watch(&point, Some(&state), true, at(10 + 12 * 60)), Some(at(10)), "not for ever");
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
        assert_eq!(
            told(&steps),
            [(1, NoticeReason::Raised), (30, NoticeReason::Lowered), (40, NoticeReason::AllClear)]
        );
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
        assert_eq!(
            told(&steps),
            [(0, NoticeReason::Raised), (15, NoticeReason::WentBlind), (21, NoticeReason::SeesAgain)]
        );
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
        let steps = [
            (0, Level::Elevated, None, Raised),
            (1, Level::Significant, None, Raised),
            (1, Level::Extreme, None, Raised),
        ];
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
}
