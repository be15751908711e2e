//! What quiet hours, a snooze or an owner's limit hold back, to be told later in one digest.

use crate::notice::NoticeReason;
use crate::threat::Level;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Held notices of one watch point: lowering takes ten minutes, so this is a restless night and more. Of more the oldest go.
pub const HELD_PER_POINT_MAX: usize = 100;
/// What stands in `Episode::last_deliveries` in place of an address while the newest notice is held.
pub const HELD: &str = "held";

/// One notice that was decided and is held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// hash(watch point, episode, sequence): deciding it again gives the same.
    pub id: String,
    /// Whose.
    pub owner: String,
    /// Which point.
    pub watch_point: String,
    /// Why it would have been sent.
    pub reason: NoticeReason,
    /// The level it would have told.
    pub level: Level,
    /// When it was decided.
    pub decided_utc: Timestamp,
    /// When the digest is due.
    pub due_utc: Timestamp,
    /// What it would have said: its subject line.
    pub subject: String,
    /// Episode of the point.
    pub episode: String,
    /// What holds it.
    pub held_by: HeldBy,
    /// Whether it was told at once after all, and stands here only so that the digest tells all in order: a rise that broke
    /// through while others were held.
    pub told: bool,
    /// Who had heard of what it changes or ends (`Address::text`): the episode may be over before the digest is due.
    pub heard: Vec<String>,
}

/// What holds a notice back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldBy {
    /// The point's quiet hours.
    QuietHours,
    /// Its owner's snooze.
    Snooze,
    /// The owner has had as many notices within an hour as the limit allows.
    OwnerLimit,
}

impl HeldBy {
    /// The words for it, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::QuietHours => "quiet_hours",
            Self::Snooze => "snooze",
            Self::OwnerLimit => "owner_limit",
        }
    }
}
