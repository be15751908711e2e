//! From the level that stands and a new assessment to the level that stands now (levels.md, "Change").
//!
//! Invariants: raising is immediate; lowering needs a positive end, ten minutes of the lower level, and sight; a held
//! level lasts at most three hours past its last support and then goes as "unknown", never as an all-clear.

use crate::threat::{Assessment, BlindSpot, ChangeCause, Level, LevelChange, PointState, Reason, Support, later};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// A held reason lasts at most this long past its last support.
pub const HELD_FOR_MAX: SignedDuration = SignedDuration::from_hours(3);
/// How long the lower level must have stood before it is taken, unless configured otherwise.
pub const HOLD_DEFAULT: SignedDuration = SignedDuration::from_mins(10);

/// What the change depends on besides the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// How long the lower level must have stood.
    pub hold: SignedDuration,
    /// True until every source was heard once after a start, or two minutes have passed: nothing is lowered.
    pub settling: bool,
    /// Evidence from before this instant is "already in effect": the later of registration and start of the process.
    pub watched_since_utc: Timestamp,
}

/// The next state of a watch point, and the move if there is one.
pub fn change(
    watch_point: &str,
    before: Option<&PointState>,
    assessment: &Assessment,
    now: Timestamp,
    terms: Terms,
) -> (PointState, Option<LevelChange>) {
    let fresh = PointState::quiet(now);
    let before = before.unwrap_or(&fresh);
    let blind_spots = since_first(before, assessment, now);
    let spots = &blind_spots;
    let mut supports = carry(before, assessment, spots, now, terms);
    let standing = supports.iter().filter(|support| !support.has_ended(spots) && !support.sight_lost);
    let evidence_level = standing.map(|support| support.reason.level).max().unwrap_or_default();
    let no_more_than_since_utc = no_more_than(before, evidence_level, now);

    let has_ended = |support: &Support| support.has_ended(spots);
    let level = if evidence_level > before.level {
        evidence_level
    } else if terms.settling {
        before.level
    } else if above(&supports, evidence_level, |s| s.sight_lost) && !above(&supports, evidence_level, has_ended) {
        evidence_level
    } else {
        lowest_lasting(&no_more_than_since_utc, before.level, now, terms.hold)
    };
    let cause = if level > before.level {
        ChangeCause::Raised
    } else if above(&supports, level, |s| s.sight_lost) {
        ChangeCause::SightLost
    } else {
        ChangeCause::Lowered
    };

    let moved = level != before.level;
    let ended = if moved { settle_ended(&mut supports, level, spots) } else { Vec::new() };
    describe_waiting(&mut supports, terms.hold, spots);
    let blind = level > Level::None && out_of_sight(&supports, level, spots);
    let state = PointState {
        level,
        since_utc: if moved { now } else { before.since_utc },
        no_more_than_since_utc,
        blind_since_utc: match before.blind_since_utc {
            _ if !blind => None,
            Some(since) if !moved => Some(since),
            Some(_) | None => Some(now),
        },
        episode: before.episode.clone(),
        blind_spots,
        supports,
    };
    let change = moved.then(|| LevelChange {
        watch_point: watch_point.to_owned(),
        at_utc: now,
        from: before.level,
        to: level,
        cause,
        supports: state.supports.clone(),
        ended,
        assessment: Assessment { blind_spots: state.blind_spots.clone(), ..assessment.clone() },
    });
    (state, change)
}

impl PointState {
    /// The state of a point that was never assessed.
    pub fn quiet(now: Timestamp) -> Self {
        Self {
            level: Level::None,
            since_utc: now,
            supports: Vec::new(),
            no_more_than_since_utc: [None; 5],
            blind_since_utc: None,
            episode: None,
            blind_spots: Vec::new(),
        }
    }

    /// Whether the level rests on a reason that nothing supports now.
    pub fn is_held(&self) -> bool {
        !self.supports.iter().any(|support| support.reason.level == self.level && support.held.is_none())
            && self.level > Level::None
    }

    /// Whether this state says something that the other does not, ages and the progress of live reasons apart: what
    /// has to be written down.
    pub fn differs_from(&self, other: &Self) -> bool {
        let supports = |state: &Self| -> Vec<_> {
            state.supports.iter().map(|s| (key(&s.reason), s.held.is_some(), s.ended_utc, s.sight_lost)).collect()
        };
        // Not since when: for a feed of which a part cannot be read, that is every poll anew.
        let spots = |state: &Self| -> Vec<_> { state.blind_spots.iter().map(|spot| spot.source.clone()).collect() };
        self.level != other.level
            || self.since_utc != other.since_utc
            || self.no_more_than_since_utc != other.no_more_than_since_utc
            || self.blind_since_utc != other.blind_since_utc
            || self.episode != other.episode
            || supports(self) != supports(other)
            || spots(self) != spots(other)
    }
}

impl Support {
    /// Whether the reason has ended positively, beside these blind spots: seen to be over, and nothing hides that it is back.
    pub fn has_ended(&self, spots: &[BlindSpot]) -> bool {
        self.ended_utc.is_some() && hiding(&self.reason, spots).is_none()
    }

    /// The blind spot because of which one cannot see whether the reason still stands; `None` while it is seen to stand, or
    /// to be over.
    pub fn hidden_by<'a>(&self, spots: &'a [BlindSpot]) -> Option<&'a BlindSpot> {
        hiding(&self.reason, spots).filter(|_| self.held.is_some())
    }
}

/// The blind spots, each since it was first missed without a break: what a source that is read in part, or one never heard,
/// says of its beginning moves with every look.
fn since_first(before: &PointState, assessment: &Assessment, now: Timestamp) -> Vec<BlindSpot> {
    let known = |spot: &BlindSpot| before.blind_spots.iter().find(|old| old.source == spot.source)?.since_utc;
    let spots = assessment.blind_spots.iter();
    spots
        .map(|spot| BlindSpot {
            since_utc: spot.since_utc.into_iter().chain(known(spot)).min().or(Some(now)),
            ..spot.clone()
        })
        .collect()
}

/// A reason's identity over time. The level belongs to it: a rule that now speaks lower has ended at the higher level.
fn key(reason: &Reason) -> (String, String, Level) {
    (reason.rule.clone(), reason.subject.clone(), reason.level)
}

/// The supports of the new state: what the assessment says now, and how what stood before stands now.
fn carry(
    before: &PointState,
    assessment: &Assessment,
    spots: &[BlindSpot],
    now: Timestamp,
    terms: Terms,
) -> Vec<Support> {
    let mut supports: Vec<Support> =
        assessment.reasons.iter().map(|reason| supported(reason, before, now, terms)).collect();
    for old in &before.supports {
        let replaced = |s: &Support| s.reason.subject == old.reason.subject && s.reason.level >= old.reason.level;
        if supports.iter().any(replaced) {
            continue;
        }
        let lingering = assessment.lingering.iter().find(|reason| key(reason) == key(&old.reason));
        if let Some(reason) = lingering {
            // The same thing told lower by the raise thresholds is not told twice.
            supports.retain(|s| s.reason.subject != reason.subject);
            supports.push(supported(&kept(reason), before, now, terms));
            continue;
        }
        // What was seen to end keeps that time: while something is blind it may be back, and then it is supported anew.
        let (held, ended_utc, sight_lost) = match hiding(&old.reason, spots) {
            None => (None, Some(old.ended_utc.unwrap_or(now)), false),
            Some(_) if now >= later(old.last_supported_utc, HELD_FOR_MAX) => {
                (Some("unknown: not seen for 3 h".to_owned()), old.ended_utc, true)
            }
            Some(spot) => (Some(held_because(&old.reason, spot)), old.ended_utc, false),
        };
        supports.push(Support { held, ended_utc, sight_lost, ..old.clone() });
    }
    supports.sort_by_key(|support| std::cmp::Reverse(support.reason.level));
    supports
}

/// A reason that would not raise its level, and keeps it: its figure may be beyond the one that its rule names.
fn kept(reason: &Reason) -> Reason {
    Reason { text: format!("{}; it keeps the level, and would not raise it now", reason.text), ..reason.clone() }
}

fn supported(reason: &Reason, before: &PointState, now: Timestamp, terms: Terms) -> Support {
    let known = before.supports.iter().find(|old| old.reason.subject == reason.subject);
    let already_in_effect = match known {
        Some(old) => old.reason.already_in_effect,
        None => reason.observed_utc < terms.watched_since_utc,
    };
    Support {
        reason: Reason { already_in_effect, ..reason.clone() },
        last_supported_utc: now,
        held: None,
        ended_utc: None,
        sight_lost: false,
    }
}

/// The blind spot that hides the end of a reason: its own source, or one that could raise as high.
fn hiding<'a>(reason: &Reason, spots: &'a [BlindSpot]) -> Option<&'a BlindSpot> {
    let own = spots.iter().find(|spot| spot.source == reason.source);
    own.or_else(|| spots.iter().find(|spot| spot.could_raise_to >= reason.level))
}

fn held_because(reason: &Reason, spot: &BlindSpot) -> String {
    let since = spot.since_utc.map_or_else(|| "not heard yet".to_owned(), |since| format!("blind since {since:.0}"));
    if spot.source == reason.source {
        format!("its source {} is {since}", spot.source)
    } else {
        format!("{} is {since} and could mean {}", spot.source, spot.could_raise_to)
    }
}

fn no_more_than(before: &PointState, evidence_level: Level, now: Timestamp) -> [Option<Timestamp>; 5] {
    let mut since = before.no_more_than_since_utc;
    for (slot, level) in since.iter_mut().zip(Level::ALL) {
        *slot = if evidence_level <= level { Some(slot.unwrap_or(now)) } else { None };
    }
    since
}

/// The lowest level that evidence has not exceeded for the whole hold time.
fn lowest_lasting(since: &[Option<Timestamp>; 5], standing: Level, now: Timestamp, hold: SignedDuration) -> Level {
    let lasting = Level::ALL.into_iter().zip(since);
    lasting
        .filter(|(level, since)| *level < standing && since.is_some_and(|since| now >= later(since, hold)))
        .map(|(level, _)| level)
        .min()
        .unwrap_or(standing)
}

/// Whether a reason above `level` is of this kind.
fn above(supports: &[Support], level: Level, kind: impl Fn(&Support) -> bool) -> bool {
    supports.iter().any(|support| support.reason.level > level && kind(support))
}

/// Takes out the reasons above the new level that no longer stand: they are told once, with the change. Those at the level go
/// with the next one: what was let go unseen must not be forgotten before that is told.
fn settle_ended(supports: &mut Vec<Support>, level: Level, spots: &[BlindSpot]) -> Vec<Support> {
    let gone = |support: &Support| (support.has_ended(spots) || support.sight_lost) && support.reason.level > level;
    let ended = supports.iter().filter(|support| gone(support)).cloned().collect();
    supports.retain(|support| !gone(support));
    ended
}

/// Says of ended reasons why the level still stands; drops those at or below what is seen to be supported. The others stay until
/// the level has fallen: what goes blind meanwhile may hide that they are back.
fn describe_waiting(supports: &mut Vec<Support>, hold: SignedDuration, spots: &[BlindSpot]) {
    let seen = supports.iter().filter(|support| support.held.is_none() && support.ended_utc.is_none());
    let supported = seen.map(|support| support.reason.level).max().unwrap_or_default();
    supports.retain(|support| !support.has_ended(spots) || support.reason.level > supported);
    for support in supports.iter_mut().filter(|support| support.has_ended(spots)) {
        let since = support.ended_utc.map_or_else(String::new, |ended| format!(" {ended:.0}"));
        support.held = Some(format!("ended{since}; the lower level must last {} min first", hold.as_mins()));
    }
}

/// Whether everything that supports the level is held because its end cannot be seen.
fn out_of_sight(supports: &[Support], level: Level, spots: &[BlindSpot]) -> bool {
    let bears = |support: &&Support| support.reason.level == level && !support.has_ended(spots);
    let mut bearing = supports.iter().filter(bears).peekable();
    bearing.peek().is_some() && bearing.all(|support| support.held.is_some())
}

#[cfg(test)]
mod tests;
