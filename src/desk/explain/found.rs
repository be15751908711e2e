//! What an explanation is made of.

use crate::notice::{Address, Held, NoticeReason, Sequel};
use crate::threat::{BlindSpot, Level, LevelChange, Support};
use jiff::{SignedDuration, Timestamp};

/// What is known of a watch point at an instant, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Id of the watch point.
    pub watch_point: String,
    /// Its name; `None` once it is removed.
    pub name: Option<String>,
    /// The instant asked about.
    pub at_utc: Timestamp,
    /// What stood then.
    pub stood: Stood,
    /// How its watch ended; `None` while it is watched.
    pub end: Option<End>,
    /// The change that made that level; `None` where nothing is journalled before.
    pub made_by: Option<Step>,
    /// Other changes within `AROUND` of the instant, oldest first.
    pub around: Vec<Step>,
    /// Notices within `AROUND` of the instant that belong to none of these changes: lost and returned sight, digests, tests.
    pub other_notices: Vec<Sending>,
    /// What is still held for a digest.
    pub held: Vec<Held>,
    /// What could not be seen at that instant; `None` where that was not noted.
    pub unseen: Option<Vec<BlindSpot>>,
    /// Rows that could not be read and may belong here.
    pub unreadable: usize,
}

/// The level that stood at an instant, and how that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stood {
    /// It was journalled.
    Journalled {
        /// The level.
        level: Level,
        /// When it was reached.
        since_utc: Timestamp,
        /// When it was left; `None` while it stands.
        until_utc: Option<Timestamp>,
    },
    /// Nothing is journalled before the instant, and the next entry says which level it left.
    LeftBy {
        /// The level.
        level: Level,
        /// When it was left.
        until_utc: Timestamp,
    },
    /// Nothing is journalled: the level has been none since the registration.
    Quiet {
        /// When it was registered.
        since_utc: Timestamp,
    },
    /// It was not watched yet.
    NotWatched {
        /// When it was registered.
        from_utc: Timestamp,
    },
    /// It was not watched any more, or it is not on record that it was: nothing judged it then.
    Ended {
        /// The level that it was left at, and when that was reached; `None` where nothing is journalled.
        left_at: Option<(Level, Timestamp)>,
    },
    /// The point is gone and its journal does not reach back.
    Unknown,
}

/// How the watch of a point that is removed ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It was removed, or its time was over, then.
    At(Timestamp),
    /// That is not on record; the last that is on record of the point is of then.
    AfterRecord(Timestamp),
}

impl End {
    /// Until when it was watched at least.
    pub fn watched_until_utc(self) -> Timestamp {
        match self {
            Self::At(at) | Self::AfterRecord(at) => at,
        }
    }
}

impl Stood {
    /// The level, where it is known.
    pub fn level(self) -> Option<Level> {
        match self {
            Self::Journalled { level, .. } | Self::LeftBy { level, .. } => Some(level),
            Self::Quiet { .. } => Some(Level::None),
            Self::NotWatched { .. } | Self::Ended { .. } | Self::Unknown => None,
        }
    }
}

/// One level change with what it rests on and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Number of its entry in the journal.
    pub number: u64,
    /// The change, with its supports (held ones included), what ended, and its assessment.
    pub change: LevelChange,
    /// Version of the rules that made it.
    pub rules_version: String,
    /// How long a lower level had to last; `None` where the basis was not kept.
    pub hold: Option<SignedDuration>,
    /// Whether nothing was lowered yet because the process had just started.
    pub settling: bool,
    /// Whether the journalled evidence, judged again by this program, gives the same.
    pub again: Again,
    /// How the level stood when the next change came, as far as that is journalled: what was held by then, what was unseen.
    pub at_the_end: Option<Stand>,
    /// What was wanted then and what came of it; `None` where an earlier version wrote the entry.
    pub sequel: Option<Sequel>,
    /// What became of telling it.
    pub telling: Telling,
}

/// How a level stood at an instant between changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Stand {
    /// The instant.
    pub at_utc: Timestamp,
    /// What it rested on, held reasons included.
    pub supports: Vec<Support>,
    /// What could not be seen.
    pub blind_spots: Vec<BlindSpot>,
}

/// What comes of judging journalled evidence again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// The same assessment and the same change, to the byte.
    Same,
    /// Something else; the level that comes of it.
    Differs(Level),
    /// Its basis was not kept, or is of a form that this version cannot judge.
    NotKept,
}

/// What became of telling a level change.
#[derive(Debug, Clone, PartialEq)]
pub enum Telling {
    /// A notice was decided; one row an address. Without rows their record is gone.
    Decided(Vec<Sending>),
    /// It is held still.
    Held(Held),
    /// It was held until then; the digests that followed.
    WasHeld(Timestamp, Vec<Sending>),
    /// Nothing was told.
    Not(WhyNot),
}

/// Why nothing was told of a level change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyNot {
    /// The level was, before and after, below the one from which on its owner wanted to be told.
    Below(Level),
    /// It fell, and of this episode nothing had been told that could be taken back.
    NothingToTakeBack,
    /// Its owner had said to know of this level.
    Known(Option<Level>),
    /// An earlier version wrote the entry, and no notice was decided with it.
    NotJournalled,
}

/// One notice on its way to one address.
#[derive(Debug, Clone, PartialEq)]
pub struct Sending {
    /// Delivery id.
    pub id: String,
    /// Where to; the owner's own.
    pub address: Address,
    /// Why.
    pub reason: NoticeReason,
    /// The level told.
    pub level: Level,
    /// Its subject line.
    pub subject: String,
    /// When it was decided.
    pub decided_utc: Timestamp,
    /// Other watch points that the same message speaks of.
    pub together_with: Vec<String>,
    /// The delivery that failed for good and that this one stands in for.
    pub stands_in_for: Option<String>,
    /// Failed tries, and the last one where it was handed over.
    pub tries: u32,
    /// How it stands.
    pub outcome: Outcome,
}

/// How a delivery stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Handed over then; the receipt.
    Told(Timestamp, String),
    /// The point has no address: recorded only.
    Recorded,
    /// Given up then; why.
    Dead(Timestamp, String),
    /// Still to be sent; what the last try said, and not before when the next one comes.
    Pending(Option<String>, Option<Timestamp>),
}
