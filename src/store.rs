//! What must survive: watch points, zones, levels, journal, outbox, ledger, cursors, in one sled directory that belongs to
//! one process.
//!
//! Invariant: levels, journal and outbox rows of one report are one transaction, flushed and fsynced before anything is
//! sent. Wire structs are private to `store/*`; a newer version's directory is refused, a corrupt one is never replaced.

use crate::notice::Delivery;
use crate::threat::{LevelChange, PointState};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Everything that one report (or one passing of time) decided: written whole or not at all.
#[derive(Debug, Clone, Default)]
pub struct Decision {
    /// New state by watch point id.
    pub states: Vec<(String, PointState)>,
    /// Level changes with their assessments, for the journal.
    pub changes: Vec<LevelChange>,
    /// What has to be told.
    pub deliveries: Vec<Delivery>,
    /// Virtual time reached, for a replay that resumes; `None` when live.
    pub high_water_utc: Option<Timestamp>,
}

/// One row of the outbox: what still has to be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutboxRow {
    /// What.
    pub delivery: Delivery,
    /// Failed tries so far.
    pub attempts: u32,
    /// Not to be tried before.
    pub not_before_utc: Option<Timestamp>,
    /// What the last try said.
    pub last_error: Option<String>,
}

/// One row of the ledger: what has really been told, or was given up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerRow {
    /// What.
    pub delivery: Delivery,
    /// When it was handed over or given up.
    pub settled_utc: Timestamp,
    /// How it ended.
    pub outcome: LedgerOutcome,
    /// Tries that it took.
    pub attempts: u32,
}

/// How a delivery ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LedgerOutcome {
    /// The other side took it; its receipt.
    Told(String),
    /// Dead letter: refused for good, or no longer of use; why.
    Dead(String),
}

/// One entry of the journal: why a level moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Running number.
    pub number: u64,
    /// The change with its assessment.
    pub change: LevelChange,
    /// `threat::RULES_VERSION` at that time.
    pub rules_version: String,
}
