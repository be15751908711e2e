//! What quiet hours, a snooze or an owner's limit hold back, to be told later in one digest.

use crate::notice::NoticeReason;
use crate::threat::Level;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

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
}
