//! Which notice, if any, a new state of a watch point calls for (delivery.md, "What is told"). Pure.

use crate::notice::held::HELD;
use crate::notice::{NoticeReason, WatchPoint, hold};
use crate::threat::{BlindSpot, ChangeCause, Episode, Level, LevelChange, PointState, Support, later};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;

/// How long everything that supports a level must have been out of sight before people are told.
pub const BLIND_TOLD_AFTER: SignedDuration = SignedDuration::from_mins(10);
/// An episode ends when the level has been below `min_level` for this long.
pub const EPISODE_ENDS_AFTER: SignedDuration = SignedDuration::from_mins(60);

/// How long a watch goes on at most after its time, to tell the end of what it told: longer than storms last.
pub const WATCH_GOES_ON: SignedDuration = SignedDuration::from_hours(6);

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
    let was_told_of = episode.below_since_utc.is_none() && !episode.told.is_empty();
    // `min_level` went up over what was told: that is not over, and its end will be told.
    let is_wanted_no_more = level < min_level && was_told_of && change.is_none_or(|change| change.to > change.from);
    if let Some(change) = change.filter(|_| is_wanted_no_more) {
        // That it rose from there is told once it is wanted again, whatever was told before in this episode.
        episode.told_max = episode.told_max.min(change.from);
    }
    let mut reached_by_wish = false;
    if level >= min_level {
        // The level stands where it stood: `min_level` came down to it.
        let begins = episode.sequence == 0 && episode.began_utc == now;
        // It rose while `min_level` was above it, and was told of before.
        let is_held = episode.last_deliveries.iter().any(|(to, _)| to == HELD);
        let told = episode.told_max.max(hold::known(point, episode));
        let has_risen = !is_held && !episode.told.is_empty() && level > told;
        reached_by_wish = change.is_none() && (begins || has_risen || episode.below_since_utc.is_some());
        episode.below_since_utc = None;
    } else if !is_wanted_no_more {
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
    let is_over = level < min_level && !is_wanted_no_more;
    let sees = !episode.out_of_sight.iter().any(is_blind) && (is_over || blind_since.is_none());
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
/// has been told, for `WATCH_GOES_ON` at the longest; a day's outlook is no storm. `waits`: something of the point is held or not
/// delivered yet; that has an end of its own.
pub fn ends_watch(point: &WatchPoint, state: Option<&PointState>, waits: bool, now: Timestamp) -> Option<Timestamp> {
    let until = point.until_utc.filter(|until| *until <= now)?;
    let is_told_of = state.is_some_and(|state| {
        let is_storm = state.supports.iter().any(|support| !support.reason.source.starts_with("spc-"));
        state.episode.as_ref().is_some_and(|told| !told.told.is_empty() && (is_storm || told.awaiting_sight))
    });
    (!waits && (!is_told_of || now >= later(until, WATCH_GOES_ON))).then_some(until)
}

/// What has to be told of a point whose newest notice was lost: its present state, under a new number.
pub fn retell(point: &WatchPoint, state: &mut PointState) -> Option<NoticeReason> {
    let min_level = point.min_level.max(Level::Marginal);
    let episode = state.episode.as_mut()?;
    if state.level < min_level && episode.below_since_utc.is_none() {
        // It stands as it did, and is wanted no more: neither a rise nor an end.
        return None;
    }
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
mod tests;
