//! From a level change to words for a person: what is told, to whom, in which words, under which id.
//!
//! Boundaries: ✓ pure decisions and rendering; `now` is an argument. ✗ no sending (see `channels`), no store.

pub mod decide;
pub mod deliver;
pub mod round;

use crate::geo::LatLon;
use crate::threat::Level;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub mod book;
pub mod browser;
pub mod compose;
pub mod fallback;
pub mod heard;
pub mod held;
pub mod hold;
pub mod id;
pub mod latency;
pub mod links;
pub mod owner;
pub mod pictured;
pub mod push;
pub mod quiet;
pub mod reconcile;
pub mod sequel;
pub mod sight;
pub mod trial;
pub mod turns;

pub use browser::Browser;
pub use held::{Held, HeldBy};
pub use links::Links;
pub use owner::{AddressProof, Owner, OwnerSight};
pub use quiet::QuietHours;
pub use sequel::{Fate, Sequel};

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
    /// Where notices go: proven addresses, and `WebPush` with an empty `to` for all browsers of the owner.
    pub addresses: Vec<Address>,
    /// IANA time zone of the place, once known.
    pub time_zone: Option<String>,
    /// When it was registered.
    pub created_utc: Timestamp,
    /// When the watch ends by itself.
    pub until_utc: Option<Timestamp>,
    /// The caller's token that makes registering idempotent.
    pub client_token: Option<String>,
    /// Addresses that become `addresses` once they are proven; until then nothing but a confirmation goes there.
    #[serde(default)]
    pub waiting: Vec<Address>,
    /// When people there sleep.
    #[serde(default)]
    pub quiet_hours: Option<QuietHours>,
    /// Until then notices are held, but for a rise to a new maximum and for what breaks through quiet hours.
    #[serde(default)]
    pub snooze_until_utc: Option<Timestamp>,
    /// What its owner has said to know already.
    #[serde(default)]
    pub acknowledged: Option<Acknowledged>,
}

impl WatchPoint {
    /// Whether its notices go to the browsers of its owner and nowhere else.
    pub fn asks_for_push_alone(&self) -> bool {
        let of_kind = |kind| self.addresses.iter().filter(move |address| address.kind == kind);
        let all_browsers = of_kind(ChannelKind::WebPush).all(|address| address.to.is_empty());
        all_browsers && of_kind(ChannelKind::WebPush).count() > 0 && of_kind(ChannelKind::Email).count() == 0
    }
}

/// A level that the owner knows of: of that episode nothing up to it is told again, but its end is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledged {
    /// Id of the episode.
    pub episode: String,
    /// The level that stood.
    pub level: Level,
    /// When.
    pub at_utc: Timestamp,
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
    /// Email address, or `Browser::id`; empty for `None`, and in a registration for all browsers of the owner.
    pub to: String,
}

impl Address {
    /// Nobody: a notice that is only recorded.
    pub fn nobody() -> Self {
        Self { kind: ChannelKind::None, to: String::new() }
    }

    /// Kind and address in one word, as episodes keep it.
    pub fn text(&self) -> String {
        format!("{}:{}", self.kind.as_str(), self.to)
    }
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
    /// What was held in quiet hours, with what is over already.
    Digest,
    /// Asks whether an address is its owner's; the only thing that goes to an unproven one.
    Confirmation,
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
            Self::Digest => "digest",
            Self::Confirmation => "confirmation",
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
    /// When the evidence was issued, for the latency record.
    pub evidence_utc: Option<Timestamp>,
    /// When the poll that brought it ended, for the latency record.
    pub seen_utc: Option<Timestamp>,
    /// Subject line.
    pub subject: String,
    /// Plain text body.
    pub text: String,
    /// HTML body.
    pub html: String,
    /// What a browser shows, as JSON of at most `push::PAYLOAD_BYTES_MAX` bytes; empty where none was rendered.
    pub payload: String,
    /// Where one click ends all mail to this address (RFC 8058).
    pub unsubscribe_url: Option<String>,
    /// The delivery that failed for good and that this one stands in for.
    pub stands_in_for: Option<String>,
}

#[cfg(test)]
pub(crate) mod tests;
