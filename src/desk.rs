//! What doors (CLI, MCP, web) may ask of the running service: one small trait, so that no door holds an actor.

use crate::geo::LatLon;
use crate::notice::{Address, Held, QuietHours, WatchPoint};
use crate::observation::{Fault, SourceName};
use crate::sources::{PollError, nexrad};
use crate::store::{JournalEntry, LedgerRow, OutboxRow, SightRow};
use crate::storm_report::{EventWindow, StormReports};
use crate::threat::picture::Picture;
use crate::threat::{Level, PointState};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use thiserror::Error;
use tokio::sync::broadcast;

pub mod accounts;
pub mod enquiries;
pub mod explain;
pub mod names;
pub mod tries;

use enquiries::Enquiries;

/// Who asks on the command line, on stdio and on loopback HTTP without a token: the owner of the data directory.
pub const LOCAL_OWNER: &str = "local";

/// Longest name of a watch point, characters: it stands in subject lines.
pub const NAME_CHARS_MAX: usize = 80;
/// Addresses of one watch point: a household, not a mailing list.
pub const ADDRESSES_MAX: usize = 8;
/// Longest client token, characters: room for a UUID or a hash, not for a document.
pub const CLIENT_TOKEN_CHARS_MAX: usize = 128;
/// The longest snooze: a holiday. What is held longer would be forgotten; a higher `min_level` says the same for good.
pub const SNOOZE_MAX: SignedDuration = SignedDuration::from_hours(7 * 24);

/// What a caller wants watched.
#[derive(Debug, Clone, PartialEq)]
pub struct NewWatchPoint {
    /// Who asks.
    pub owner: String,
    /// A name for it, 1 to 80 characters.
    pub name: String,
    /// Where; checked against the continental US box before.
    pub at: LatLon,
    /// Nothing below is told.
    pub min_level: Level,
    /// Where notices go; none means that changes are only recorded.
    pub addresses: Vec<Address>,
    /// When the watch ends by itself.
    pub until_utc: Option<Timestamp>,
    /// Makes the call idempotent across retries.
    pub client_token: Option<String>,
    /// When people there sleep, in the place's own time.
    pub quiet_hours: Option<QuietHours>,
}

/// The answer to a registration.
#[derive(Debug, Clone, PartialEq)]
pub struct Registered {
    /// The point, new or the one that stood already.
    pub point: WatchPoint,
    /// Whether this call made it.
    pub created: bool,
    /// Addresses that this call put on a point that stood already, waiting ones included.
    pub added: Vec<Address>,
    /// What became of the addresses of the point that reach nobody yet, in their order.
    pub waiting: Vec<Waiting>,
}

/// An address that gets nothing but its confirmation until it is proven, or push that no browser takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The address.
    pub address: Address,
    /// How it is proven.
    pub asked: Asked,
}

/// How an address can be proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// By the link in the confirmation that went there.
    ByLink,
    /// By the code in the confirmation that went there.
    ByCode,
    /// Not at all: push goes to browsers, and none of this owner has it switched on.
    NoBrowser,
    /// Not at present: as many confirmations went there, or were asked for by this owner, as may within a day.
    LimitReached,
}

impl Asked {
    /// The word for it in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ByLink => "by_link",
            Self::ByCode => "by_code",
            Self::NoBrowser => "no_browser",
            Self::LimitReached => "limit_reached",
        }
    }
}

impl fmt::Display for Waiting {
    /// What is to be done, as a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = &self.address.to;
        match self.asked {
            Asked::ByLink => {
                write!(f, "{to} gets no notices before its holder has opened the link in the mail that was sent there.")
            }
            Asked::ByCode => write!(
                f,
                "{to} gets no notices before the code in the mail that was sent there is given: \
                 `stormbell watch confirm {to} CODE`, or on the web page."
            ),
            Asked::NoBrowser => write!(
                f,
                "Web push reaches nobody yet: open the web page in a browser and switch push on there, under Notices."
            ),
            Asked::LimitReached => write!(
                f,
                "{to} gets no notices and no confirmation now: no more of them may be sent within a day; register again tomorrow."
            ),
        }
    }
}

/// A watch point with what stands for it in the store.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchedPoint {
    /// The registration.
    pub point: WatchPoint,
    /// Level, supports, blind spots; `None` before the first assessment.
    pub state: Option<PointState>,
}

/// What is to be different about a watch point; what is `None` stays as it is, and the inner `None` takes a value away.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PointUpdate {
    /// A new name.
    pub name: Option<String>,
    /// Nothing below is told.
    pub min_level: Option<Level>,
    /// Where notices go.
    pub addresses: Option<Vec<Address>>,
    /// When people there sleep.
    pub quiet_hours: Option<Option<QuietHours>>,
    /// When the watch ends by itself.
    pub until_utc: Option<Option<Timestamp>>,
    /// Until when notices are held.
    pub snooze_until_utc: Option<Option<Timestamp>>,
}

/// A stretch of the past, both ends included, UTC.
pub type During = RangeInclusive<Timestamp>;

/// What is known of a watch point's past, oldest first. The journal and the ledger outlive the point; whose a removed point
/// was, only the ledger still says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PointHistory {
    /// Why its level moved.
    pub journal: Vec<JournalEntry>,
    /// What was told of it, or given up.
    pub ledger: Vec<LedgerRow>,
    /// What still has to be told of it.
    pub outbox: Vec<OutboxRow>,
    /// What is held for a digest.
    pub held: Vec<Held>,
    /// What could not be seen: the row that holds at the beginning of the time, and those that follow.
    pub sights: Vec<SightRow>,
    /// Rows that could not be read and may have belonged here.
    pub unreadable: usize,
}

/// Something that a subscriber of resources wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeskEvent {
    /// The level (or the sight) of this watch point changed.
    PointChanged(String),
    /// Points of this owner were added, removed or renamed.
    ListChanged(String),
}

/// Why the desk cannot do what is asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeskError {
    /// A field of the request is out of range.
    #[error("{field}: {why}")]
    Invalid {
        /// Which.
        field: &'static str,
        /// What is accepted.
        why: String,
    },
    /// A named limit is reached.
    #[error("{what}: at most {limit}")]
    Limit {
        /// Of what.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The store failed.
    #[error("the store failed: {0}")]
    Store(String),
}

/// The service as doors see it.
#[async_trait]
pub trait Desk: Send + Sync + 'static {
    /// The present instant of the service's clock (a recorded day has its own).
    fn now(&self) -> Timestamp;

    /// The picture, once `sources` have been heard recently enough to answer about `place`, or a deadline passed. Wakes
    /// sleeping sources and keeps them awake for ten minutes.
    async fn picture_for(&self, place: LatLon, sources: &[SourceName]) -> Arc<Picture>;

    /// The newest volume of the nearest radar that has one.
    async fn radar(&self, place: LatLon) -> Result<nexrad::Found, nexrad::NoVolume>;

    /// Storm reports of a past stretch of time around a place, with what could not be read.
    async fn past_reports(
        &self,
        place: LatLon,
        radius_km: f64,
        window: EventWindow,
    ) -> Result<(StormReports, Vec<Fault>), PollError>;

    /// Registers a watch point, or returns the one that stands already.
    async fn register(&self, wanted: NewWatchPoint) -> Result<Registered, DeskError>;

    /// Removes a watch point of `owner`: pending notices are dropped, the journal is kept. False when there is none.
    async fn unregister(&self, owner: &str, id: &str) -> Result<bool, DeskError>;

    /// All watch points of `owner`, sorted by id.
    async fn watched(&self, owner: &str) -> Result<Vec<WatchedPoint>, DeskError>;

    /// Changes a watch point of `owner`; `None` when there is none.
    async fn update(&self, owner: &str, id: &str, update: PointUpdate) -> Result<Option<WatchedPoint>, DeskError>;

    /// Notes that `owner` knows of the level that stands: of this episode nothing up to it is told again. `None` when there
    /// is no such point.
    async fn acknowledge(&self, owner: &str, id: &str) -> Result<Option<WatchedPoint>, DeskError>;

    /// Sends a labelled test through every channel of a watch point of `owner`; where it goes. It touches no state. `None`
    /// when there is no such point.
    async fn send_test(&self, owner: &str, id: &str) -> Result<Option<Vec<Address>>, DeskError>;

    /// The past of a watch point of `owner` during a stretch of time, both ends included: of more than some hundred rows of a
    /// kind the newest. Empty when nothing is known of it, or not that it is this owner's.
    async fn history(&self, owner: &str, id: &str, during: During) -> Result<PointHistory, DeskError>;

    /// Routine questions to the National Weather Service; `None` where nothing runs that could put them.
    fn nws(&self) -> Option<Enquiries> {
        None
    }

    /// What has been seen so far, without waking or waiting for anybody; `None` where nothing is watched.
    fn seen(&self) -> Option<Arc<Picture>> {
        None
    }

    /// Figures of the whole service for the one who runs it, in Prometheus's text format, nobody and no place named; `None`
    /// where nothing runs.
    async fn metrics(&self) -> Result<Option<String>, DeskError> {
        Ok(None)
    }

    /// Changes from now on. A receiver that lags must re-read what it shows.
    fn events(&self) -> broadcast::Receiver<DeskEvent>;
}
