//! The life of incidents over many polls: a fold over snapshots, by VTEC and references (levels.md, "Which warnings
//! count").
//!
//! An incident is office + phenomenon + significance + tracking number + year, or a chain of CAP ids. It has segments (one
//! product each, for some of its zones) and lives while any of them stands. Boundaries: ✓ a pure fold; the present is an
//! argument. ✗ no judgement of danger (see `threat`).
//!
//! Invariants: nothing that a stale answer says counts; an answer without a time of its own can add and never ends; a
//! product is withdrawn only by being absent from two good polls at least 30 s apart, and when most are gone at once only
//! after ten minutes.

mod doubt;
mod fold;
mod identity;
mod sight;

pub use doubt::{DOUBTED_FOR, DOUBTED_FROM, Doubt};

use crate::geo::LatLon;
use crate::warning::{IncidentKey, Warning, WarningSnapshot, freshness};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Absence counts only over this long: two polls in a burst may meet the same lagging copy.
pub const ABSENT_FOR: SignedDuration = SignedDuration::from_secs(30);
/// What ended is remembered for this long: a level may rest on it for three hours after, and a cancelled product may
/// still be listed, or come back from a lagging copy, for a day.
pub const REMEMBERED_FOR: SignedDuration = SignedDuration::from_hours(24);
/// More incidents than this are not held; the longest ended go first. A busy day has a thousand.
pub const INCIDENTS_MAX: usize = 20_000;

/// All incidents that can still speak, and how fresh the feed is. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Incidents {
    /// The newest `updated` accepted.
    pub updated_utc: Option<Timestamp>,
    /// The last good poll.
    pub last_good_utc: Option<Timestamp>,
    /// The first good poll without unreadable products.
    first_whole_utc: Option<Timestamp>,
    /// The last one.
    last_whole_utc: Option<Timestamp>,
    /// Unreadable products of the newest good poll.
    unread: u32,
    doubt: Option<Doubt>,
    /// How many stood after the last whole poll.
    standing: Option<usize>,
    /// How many had stood in an earlier life of the process, until the first whole poll of this one.
    stood_before: Option<usize>,
    held: Arc<BTreeMap<IncidentKey, Incident>>,
    index: Arc<sight::Index>,
}

/// What became of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// Fresh: everything it says counts.
    Good,
    /// It does not tell its time: what it adds counts, what it ends does not.
    Undated,
    /// Stale: it changed nothing.
    Refused,
}

/// Where an incident stands in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Phase {
    /// Issued, before its onset: shown, raises nothing.
    Coming,
    /// Between onset and end.
    InEffect,
}

/// How a product meets a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Match {
    /// The place is inside the polygon or on its edge.
    Polygon,
    /// The product has no polygon and one of the place's zones is listed.
    Zone,
    /// The polygon is elsewhere, at `distance_km`.
    Outside,
}

/// When a storm with a stated motion comes nearest to a place.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Approach {
    /// Minutes from now to the nearest approach; not negative.
    pub minutes: f64,
    /// Distance of the nearest approach, km.
    pub passes_km: f64,
    /// Whether that is within half the polygon's width across the track (at least 5 km): it comes toward the place.
    pub toward: bool,
}

/// One incident as seen from one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WarningSight {
    /// Identity over the incident's life.
    pub key: IncidentKey,
    /// The newest product of it that meets the place best.
    pub warning: Arc<Warning>,
    /// Coming or in effect.
    pub phase: Phase,
    /// How it meets the place.
    pub matched: Match,
    /// To the nearest point of the polygon, km; 0 inside; `None` without a polygon.
    pub distance_km: Option<f64>,
    /// From the place to that point, degrees; `None` inside or without a polygon.
    pub bearing_deg: Option<f64>,
    /// For products with storm motion that do not hold the place.
    pub approach: Option<Approach>,
    /// When it ends by the clock.
    pub until_utc: Option<Timestamp>,
}

/// What has become of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// A segment of it is in effect.
    InEffect,
    /// None is in effect yet, one is coming.
    Coming,
    /// Its time is over, by the clock.
    OutOfTime,
    /// Called off.
    Cancelled,
    /// Its office said that it ran out.
    Expired,
    /// Something else took its place.
    Upgraded,
    /// Gone from the feed without a word, for two good polls at least 30 s apart.
    Withdrawn,
    /// Not heard of, and the feed has not been seen whole since the start.
    Unknown,
}

impl Fate {
    /// Whether the incident is known to be over.
    pub fn is_over(self) -> bool {
        match self {
            Self::InEffect | Self::Coming | Self::Unknown => false,
            Self::OutOfTime | Self::Cancelled | Self::Expired | Self::Upgraded | Self::Withdrawn => true,
        }
    }
}

/// One incident: the products that stand for it, and the messages that ended parts of it.
#[derive(Debug, Clone, Default)]
struct Incident {
    segments: Vec<Segment>,
    endings: Vec<Ending>,
}

/// One product of an incident.
#[derive(Debug, Clone)]
struct Segment {
    warning: Arc<Warning>,
    begins_utc: Timestamp,
    until_utc: Timestamp,
    /// Seen in a good poll: only then it takes the place of others.
    proven: bool,
    /// First good poll that lacked it.
    missed_utc: Option<Timestamp>,
    /// Zones for which it no longer stands.
    gone: Vec<String>,
    /// How and when it ended other than by the clock.
    over: Option<(Fate, Timestamp)>,
}

/// A message that ends an incident for some zones (all if it names none), or what it references.
#[derive(Debug, Clone)]
struct Ending {
    id: String,
    how: Fate,
    sent_utc: Timestamp,
    ugc: Vec<String>,
    references: Vec<String>,
    /// Whether one can tell where it holds.
    located: bool,
    /// Whether everything referenced ends, whatever its zones: a CAP Cancel, or a message without VTEC.
    ends_referenced: bool,
}

impl Segment {
    fn phase(&self, now: Timestamp) -> Option<Phase> {
        if self.over.is_some() || now >= self.until_utc {
            None
        } else if now >= self.begins_utc {
            Some(Phase::InEffect)
        } else {
            Some(Phase::Coming)
        }
    }
}

impl Incident {
    fn fate(&self, now: Timestamp) -> Fate {
        match self.segments.iter().filter_map(|segment| segment.phase(now)).max() {
            Some(Phase::InEffect) => return Fate::InEffect,
            Some(Phase::Coming) => return Fate::Coming,
            None => {}
        }
        let segments = self.segments.iter().map(|s| s.over.unwrap_or((Fate::OutOfTime, s.until_utc)));
        let endings = self.endings.iter().map(|e| (e.how, e.sent_utc));
        // A product that was called off is over since then, also when its own end has passed by now.
        let last = if self.segments.is_empty() { endings.max_by_key(|e| e.1) } else { segments.max_by_key(|s| s.1) };
        last.map_or(Fate::Unknown, |(how, _)| how)
    }
}

impl Incidents {
    /// Takes one poll's snapshot in: newer products replace those they reference, ended segments leave, what is absent
    /// from two good polls at least 30 s apart is withdrawn. A snapshot whose `updated` runs backwards changes nothing.
    pub fn take(&mut self, snapshot: &WarningSnapshot, polled_utc: Timestamp) -> Taken {
        let taken = match snapshot.updated_utc {
            None => Taken::Undated,
            Some(updated) => match freshness(updated, self.updated_utc, polled_utc) {
                Ok(()) => Taken::Good,
                Err(_) => return Taken::Refused,
            },
        };
        if taken == Taken::Good {
            // One dated ahead of the clock must not make true ones look old.
            self.updated_utc = snapshot.updated_utc.min(Some(polled_utc));
            self.last_good_utc = self.last_good_utc.max(Some(polled_utc));
            self.unread = snapshot.unread;
            if snapshot.unread == 0 {
                self.first_whole_utc = Some(self.first_whole_utc.map_or(polled_utc, |first| first.min(polled_utc)));
                self.last_whole_utc = self.last_whole_utc.max(Some(polled_utc));
            }
        }
        let held = Arc::make_mut(&mut self.held);
        let beliefs = (&mut self.doubt, &mut self.stood_before);
        fold::fold(held, beliefs, snapshot, polled_utc, taken == Taken::Good);
        if taken == Taken::Good && snapshot.unread == 0 {
            self.standing = Some(doubt::standing(held, polled_utc).len());
        }
        self.index = Arc::new(sight::Index::of(held));
        taken
    }

    /// Raises `updated_utc` to what an earlier life of the process had accepted: an older copy is refused after a restart
    /// too. It does not count as a good poll.
    pub fn remember_accepted(&mut self, updated: Timestamp) {
        self.updated_utc = self.updated_utc.max(Some(updated));
    }

    /// How many incidents stood after the last whole poll, what is doubted to be gone included.
    pub fn count_standing(&self) -> Option<usize> {
        self.standing
    }

    /// Takes in how many incidents an earlier life of the process had seen stand: a collection that lists less than half of
    /// them at the start is doubted like one that loses them.
    pub fn remember_standing(&mut self, stood: usize) {
        if self.standing.is_none() {
            self.stood_before = Some(stood);
        }
    }

    /// How many products of the newest good poll could not be read, whole or in what decides where they are; while there
    /// are any, nobody can be called clear.
    pub fn unread(&self) -> u32 {
        self.unread
    }

    /// The last good poll without unreadable products.
    pub fn last_whole_utc(&self) -> Option<Timestamp> {
        self.last_whole_utc
    }

    /// Whether the collection has lost most of what stood, too suddenly to be believed yet: nobody can be called clear.
    pub fn doubt(&self) -> Option<&Doubt> {
        self.doubt.as_ref()
    }

    /// From the first to the last good poll without unreadable products; `None` before there was one.
    pub fn seen_whole_for(&self) -> Option<SignedDuration> {
        self.first_whole_utc.zip(self.last_whole_utc).map(|(first, last)| last.duration_since(first))
    }

    /// Every incident that is coming or in effect at `now` and holds the place or whose polygon is within `radius_km`;
    /// inside first, then by distance. `ugc` are the place's zones; `None` when they are not known yet.
    pub fn around(&self, place: LatLon, ugc: Option<&[String]>, radius_km: f64, now: Timestamp) -> Vec<WarningSight> {
        self.index.around(place, ugc, radius_km, now)
    }

    /// What has become of the incident of this key. By the clock it tells also while the feed is dead.
    pub fn fate(&self, key: &IncidentKey, now: Timestamp) -> Fate {
        if let Some(incident) = identity::neighbours(key).into_iter().find_map(|key| self.held.get(&key)) {
            return incident.fate(now);
        }
        if self.seen_whole_for().is_some_and(|span| span >= ABSENT_FOR) { Fate::Withdrawn } else { Fate::Unknown }
    }

    /// Every product that is coming or in effect at `now`, nationwide, in the order of keys.
    pub fn standing(&self, now: Timestamp) -> impl Iterator<Item = (&IncidentKey, &Arc<Warning>, Phase)> {
        self.held.iter().flat_map(move |(key, incident)| {
            let segments = incident.segments.iter();
            segments.filter_map(move |segment| Some((key, &segment.warning, segment.phase(now)?)))
        })
    }

    /// How many incidents are remembered, ended ones included.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether none is remembered.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
pub(super) mod tests;
