//! From a level change to words for a person: what is told, to whom, in which words, under which id.
//!
//! Boundaries: ✓ pure decisions and rendering; `now` is an argument. ✗ no sending (see `channels`), no store.

pub mod decide;
pub mod deliver;

use crate::geo::LatLon;
use crate::threat::Level;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub mod compose;
pub mod id;
pub mod pictured;

/// A place that is kept watched for an owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WatchPoint {
    /// Stable id.
    pub id: String,
    /// Who registered it.
    pub owner: String,
    /// Name chosen by the owner.
    pub name: String,
    /// Where.
    pub at: LatLon,
    /// Nothing below is told.
    pub min_level: Level,
    /// Where notices go.
    pub addresses: Vec<Address>,
    /// IANA time zone of the place, once known.
    pub time_zone: Option<String>,
    /// When it was registered.
    pub created_utc: Timestamp,
    /// When the watch ends by itself.
    pub until_utc: Option<Timestamp>,
    /// The caller's token that makes registering idempotent.
    pub client_token: Option<String>,
}

/// The kinds of channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChannelKind {
    /// Nobody: a watch without an address; its notices are recorded only.
    None,
    /// SMTP.
    Email,
    /// A browser's push service.
    WebPush,
}

impl ChannelKind {
    /// The word for it, as in config and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Email => "email",
            Self::WebPush => "web_push",
        }
    }
}

/// One way to one person.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Address {
    /// Which channel.
    pub kind: ChannelKind,
    /// Email address or push endpoint; empty for `None`.
    pub to: String,
}

/// Why a notice is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeReason {
    /// The level reached `min_level` or rose further above it.
    Raised,
    /// It fell and is still at or above `min_level`.
    Lowered,
    /// It fell below `min_level`, positively.
    AllClear,
    /// Everything that supports the level is out of sight.
    WentBlind,
    /// Sight returned after `WentBlind`.
    SeesAgain,
    /// Asked for, to try the channels.
    Test,
}

impl NoticeReason {
    /// The word for it, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Raised => "raised",
            Self::Lowered => "lowered",
            Self::AllClear => "all_clear",
            Self::WentBlind => "went_blind",
            Self::SeesAgain => "sees_again",
            Self::Test => "test",
        }
    }
}

/// One notice on one channel to one address, rendered once: retries send the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// hash(sorted watch points, episode, sequence, address): the email's Message-ID, the push tag, the ledger key.
    pub id: String,
    /// Order of decision over all deliveries of this store: per address they go out in this order.
    pub number: u64,
    /// Where to.
    pub address: Address,
    /// The points it speaks of.
    pub watch_points: Vec<String>,
    /// Their owner.
    pub owner: String,
    /// Why.
    pub reason: NoticeReason,
    /// The level told.
    pub level: Level,
    /// Episode id of the first point: threads emails, names the push topic.
    pub episode: String,
    /// Delivery id of the first notice of the episode to this address, for In-Reply-To; `None` for the first itself.
    pub thread_root: Option<String>,
    /// When it was decided.
    pub decided_utc: Timestamp,
    /// After this instant it is of no use and becomes a dead letter.
    pub useful_until_utc: Timestamp,
    /// When the evidence was issued and seen, for the latency record.
    pub evidence_utc: Option<Timestamp>,
    /// Subject line.
    pub subject: String,
    /// Plain text body.
    pub text: String,
    /// HTML body.
    pub html: String,
}
