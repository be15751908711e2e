//! The judgement for one place: from the picture to an assessment, from two assessments to a level change.
//!
//! Boundaries: ✓ the rules of levels.md and severe.md, pure; `now` is an argument. ✗ no I/O, no clock, no wording of
//! messages (see `notice`).

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

pub mod picture;

pub mod assess;
pub mod basis;
mod blind_spots;
pub mod change;
pub mod evidence;
mod hazards;
pub mod rules;
pub mod start;
pub mod verification;
pub mod window;

/// Version of the rule table, journalled with every change.
pub const RULES_VERSION: &str = "5";

/// The sentence that stands under every answer and every message.
pub const DISCLAIMER: &str = "Informational only. Not a substitute for official NWS warnings.";

/// `at + by`, held within what a timestamp can say.
pub fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.checked_add(by).unwrap_or(if by.is_negative() { Timestamp::MIN } else { Timestamp::MAX })
}

/// How much threat there is to a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// No rule speaks.
    #[default]
    None,
    /// Isolated or distant.
    Marginal,
    /// Worth attention.
    Elevated,
    /// Dangerous.
    Significant,
    /// Life-threatening now.
    Extreme,
}

impl Level {
    /// All levels, lowest first.
    pub const ALL: [Self; 5] = [Self::None, Self::Marginal, Self::Elevated, Self::Significant, Self::Extreme];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Marginal => "marginal",
            Self::Elevated => "elevated",
            Self::Significant => "significant",
            Self::Extreme => "extreme",
        }
    }

    /// The next lower level; none stays none.
    pub fn one_lower(self) -> Self {
        match self {
            Self::None | Self::Marginal => Self::None,
            Self::Elevated => Self::Marginal,
            Self::Significant => Self::Elevated,
            Self::Extreme => Self::Significant,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that is not a level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a level: use none, marginal, elevated, significant or extreme")]
pub struct UnknownLevel(pub String);

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|level| level.as_str().eq_ignore_ascii_case(word.trim()))
            .ok_or_else(|| UnknownLevel(word.to_owned()))
    }
}

/// One sentence that a level rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Id of the rule that spoke, for instance `tornado_warning_inside`.
    pub rule: String,
    /// What the rule spoke about: an incident or a radar product. With `rule` it identifies the reason over time.
    pub subject: String,
    /// The level that it supports by itself.
    pub level: Level,
    /// For a person, with figures and units.
    pub text: String,
    /// Evidence source id: `nws-warnings`, `mrms-<product>`.
    pub source: String,
    /// CAP id or object key.
    pub evidence_id: String,
    /// When the evidence is of.
    pub observed_utc: Timestamp,
    /// `now - observed_utc`.
    pub age_s: i64,
    /// From the place, km, where it has one.
    pub distance_km: Option<f64>,
    /// 16-point compass word from the place, where it has one.
    pub direction: Option<String>,
    /// When the evidence ends by the clock, where it says so (a warning's end).
    pub until_utc: Option<Timestamp>,
    /// Whether it began before the watch (registration or start of the process) did.
    pub already_in_effect: bool,
}

/// Evidence that the level depends on and that is missing or too old.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlindSpot {
    /// Evidence source id, also the id in `degraded` lists: `nws-warnings`, `nws-zones`, `mrms-vil`, ...
    pub source: String,
    /// Since when it cannot be seen; `None` when it was never heard. In the state of a watch point it is always told, and
    /// stays the same as long as the blindness lasts.
    pub since_utc: Option<Timestamp>,
    /// For a person.
    pub why: String,
    /// The level that would be read if this source were at its worst and all else as it is.
    pub could_raise_to: Level,
}

/// One hazard with its score and the word for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hazard {
    /// tornado, hail, damaging_wind, flash_flood.
    pub hazard: String,
    /// none, low, moderate, high, extreme.
    pub level: String,
    /// Sum of the rules' scores, rounded.
    pub score: i64,
}

/// The judgement for one place at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// The instant that it speaks of.
    pub at_utc: Timestamp,
    /// The highest level of any reason.
    pub level: Level,
    /// Every reason, highest level first.
    pub reasons: Vec<Reason>,
    /// Reasons that only the eased clear thresholds (10 % easier) support: they keep a level but never raise one.
    pub lingering: Vec<Reason>,
    /// What cannot be seen.
    pub blind_spots: Vec<BlindSpot>,
    /// Hazards, highest score first.
    pub hazards: Vec<Hazard>,
}

/// A reason that the present level of a watch point rests on, and how it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Support {
    /// The reason as last seen.
    pub reason: Reason,
    /// When the evidence last supported it.
    pub last_supported_utc: Timestamp,
    /// Why it still stands although nothing supports it now; `None` while supported.
    pub held: Option<String>,
    /// When it was first seen to be over; `None` while supported, and while its end was never seen. A blind spot that comes
    /// after leaves it as it is: see `Support::has_ended`.
    pub ended_utc: Option<Timestamp>,
    /// Whether it was held for three hours and let go unseen: it supports nothing, and its end is unknown.
    pub sight_lost: bool,
}

/// A stretch of time in which a watch point stood at or above its `min_level`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Episode {
    /// Stable id: threads the emails, names the push topic.
    pub id: String,
    /// When the level first reached `min_level`.
    pub began_utc: Timestamp,
    /// Since when the level is below `min_level`; the episode ends 60 min later.
    pub below_since_utc: Option<Timestamp>,
    /// Number of the last notice of this episode; 0 before the first.
    pub sequence: u32,
    /// The highest level told in this episode; what is held for a digest is not told yet.
    pub told_max: Level,
    /// Whether went_blind was told in this episode.
    pub told_blind: bool,
    /// Whether went_blind was told and sees_again was not yet.
    pub awaiting_sight: bool,
    /// The sources that went_blind told to be out of sight: sees_again waits until all of them are seen.
    pub out_of_sight: Vec<String>,
    /// By address: the id of the episode's first delivery there, which later emails answer to.
    pub thread_roots: Vec<(String, String)>,
    /// By address: the ids of the deliveries there since what stands began to be told, but for those that were given up. Who is not
    /// here has not heard of it.
    pub told: Vec<(String, String)>,
    /// By address: the id of the newest notice's delivery there, which must be in the outbox or the ledger, else it was lost.
    /// While that notice is held, the id of its row instead of all addresses.
    pub last_deliveries: Vec<(String, String)>,
    /// When the newest notice was decided.
    pub last_decided_utc: Option<Timestamp>,
}

/// What stands in the store for one watch point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointState {
    /// The level that stands.
    pub level: Level,
    /// Since when.
    pub since_utc: Timestamp,
    /// What it rests on, held reasons included.
    pub supports: Vec<Support>,
    /// For each level: since when evidence has supported no more than it. Indexed by `Level as usize`.
    pub no_more_than_since_utc: [Option<Timestamp>; 5],
    /// Since when everything that supports the level cannot be seen.
    pub blind_since_utc: Option<Timestamp>,
    /// The running episode.
    pub episode: Option<Episode>,
    /// What cannot be seen, as of the last assessment.
    pub blind_spots: Vec<BlindSpot>,
}

/// Why the level moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeCause {
    /// New evidence.
    Raised,
    /// The evidence ended positively.
    Lowered,
    /// Held for 3 h past its last support, then let go: nothing says that it is over.
    SightLost,
}

impl ChangeCause {
    /// The word for it, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Raised => "raised",
            Self::Lowered => "lowered",
            Self::SightLost => "sight_lost",
        }
    }
}

/// A move between levels of one watch point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LevelChange {
    /// Watch point id.
    pub watch_point: String,
    /// When.
    pub at_utc: Timestamp,
    /// The level before.
    pub from: Level,
    /// The level now.
    pub to: Level,
    /// Why.
    pub cause: ChangeCause,
    /// What it rests on now, held reasons included.
    pub supports: Vec<Support>,
    /// Reasons that ended with this change, as last seen.
    pub ended: Vec<Support>,
    /// The assessment of that instant.
    pub assessment: Assessment,
}

#[cfg(test)]
mod tests;
