//! What must survive: watch points, zones, levels, journal, outbox, ledger, cursors, in one sled directory that belongs to
//! one process.
//!
//! Invariant: levels, journal and outbox rows of one report are one transaction, flushed and fsynced before anything is
//! sent. Wire structs are private to `store/*`; a newer version's directory is refused, a corrupt one is never replaced.

use crate::notice::reconcile::Known;
use crate::notice::{Acknowledged, Delivery, Held, OwnerSight, Sequel};
use crate::observation::Fault;
use crate::threat::basis::{Basis, Judged};
use crate::threat::{BlindSpot, LevelChange, PointState};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

mod addresses;
mod beside;
mod browsers;
mod commit;
mod cursors;
mod durable;
mod error;
mod formats;
mod give_up;
mod guard;
mod health;
mod held;
mod journal;
mod ledger;
mod levels;
mod lock;
mod meta;
mod open;
mod outbox;
mod owners;
mod past;
mod repair;
pub mod secrets;
mod sights;
mod trees;
mod wanted;
mod watch_points;
mod wire;
mod zones;

pub use addresses::Ask;
pub use commit::Committed;
pub use error::StoreError;
pub use health::StoreHealth;
pub use ledger::Settled;
pub use repair::{RepairReport, Saved, repair};
pub use secrets::{OpenedSecrets, Secrets};
pub use sights::{AWAY_ID, ENDED_ID};
pub use wanted::Due;
pub use wire::Listed;

use meta::Counts;
use trees::{Edits, Trees};

/// Everything that one report (or one passing of time) decided: written whole or not at all.
#[derive(Debug, Clone, Default)]
pub struct Decision {
    /// New state by watch point id.
    pub states: Vec<(String, PointState)>,
    /// Level changes with what they rest on, for the journal.
    pub changes: Vec<Judged>,
    /// What came of those changes for their owners, by watch point.
    pub sequels: BTreeMap<String, Sequel>,
    /// What has to be told.
    pub deliveries: Vec<Delivery>,
    /// What was decided and is held for a digest.
    pub held: Vec<Held>,
    /// Ids of held notices that a digest among the deliveries tells, or that nobody needs any more.
    pub released: Vec<String>,
    /// Acknowledgements that are over, by watch point: taken away where they still stand.
    pub reopened: Vec<(String, Acknowledged)>,
    /// What owners have been told of sight, by owner.
    pub owner_sights: Vec<(String, OwnerSight)>,
    /// The instant of the decision; without it nothing is noted of what could not be seen.
    pub at_utc: Option<Timestamp>,
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
    /// Not sent, since its address wants no more or is no longer named; why. Counted with the dead letters.
    Unwanted(String),
}

impl LedgerRow {
    /// What telling again has to know of it.
    pub fn known(&self) -> Known {
        match self.outcome {
            LedgerOutcome::Unwanted(_) => Known::Unwanted,
            LedgerOutcome::Dead(_) if self.settled_utc >= self.delivery.useful_until_utc => Known::TooLate,
            LedgerOutcome::Dead(_) | LedgerOutcome::Told(_) => Known::Settled,
        }
    }
}

/// One entry of the journal: why a level moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Running number.
    pub number: u64,
    /// The change with its assessment.
    pub change: LevelChange,
    /// What it rests on: judged again, it gives the same change.
    pub basis: Option<Basis>,
    /// `threat::RULES_VERSION` at that time.
    pub rules_version: String,
    /// What came of it for the owner; `None` where an earlier build wrote it.
    pub sequel: Option<Sequel>,
}

/// What could not be seen of a watch point, from an instant on until the next row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SightRow {
    /// Running number.
    pub number: u64,
    /// Watch point id.
    pub watch_point: String,
    /// From when on.
    pub at_utc: Timestamp,
    /// What could not be seen, with the level that it could have meant; empty where all was.
    pub blind_spots: Vec<BlindSpot>,
}

/// How far a source has read, for operators; nothing depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CursorRow {
    /// Name of the source.
    pub source: String,
    /// In the source's own words: a key, a time.
    pub cursor: String,
    /// When it was noted.
    pub at_utc: Timestamp,
}

/// What a source is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceState {
    /// Polls on its cadence.
    Awake,
    /// Nobody needs it.
    #[default]
    Asleep,
    /// Its last poll failed; it tries again.
    Failing,
}

/// How a source fares, for `debug sources`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceStatus {
    /// The last poll, good or not.
    pub last_poll_utc: Option<Timestamp>,
    /// The last good poll.
    pub last_good_utc: Option<Timestamp>,
    /// Failed polls since the last good one.
    pub consecutive_failures: u32,
    /// Polls since the process started.
    pub polls: u64,
    /// Faults since the process started.
    pub faults_total: u64,
    /// The newest faults, at most `FAULTS_KEPT_MAX`, newest last.
    pub last_faults: Vec<Fault>,
    /// When it will be asked next.
    pub next_poll_utc: Option<Timestamp>,
    /// What it is doing.
    pub state: SourceState,
}

/// Faults kept with a source's status: enough to see a pattern on one screen.
pub const FAULTS_KEPT_MAX: usize = 10;

/// The store. Cheap to clone; all clones are one. Every call is synchronous and may touch the disk: async callers wrap it in
/// `outside::compute`.
#[derive(Debug, Clone)]
pub struct Store(Arc<Inner>);

/// Field order is drop order: sled lets go of its files before the lock of the directory is released.
#[derive(Debug)]
struct Inner {
    trees: Trees,
    /// One writer at a time: numbers are given out and counted under this lock.
    writer: Mutex<Writer>,
    /// Set once sled has panicked, found damage or failed to flush: nothing is trusted until the store is opened again.
    broken: OnceLock<StoreError>,
    /// Once somebody has asked for them.
    secrets: OnceLock<Secrets>,
    on_disk: Option<OnDisk>,
}

#[derive(Debug)]
struct OnDisk {
    dir: PathBuf,
    _lock: lock::DirLock,
}

/// What the one writer keeps.
#[derive(Debug)]
struct Writer {
    counts: Counts,
    limits: meta::Limits,
    /// `None` in memory.
    files: Option<(durable::SledFiles, beside::Tally)>,
}

/// Whether a write must have reached the disk before its call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lasting {
    /// Flushed and fsynced.
    Yes,
    /// Sled's own flusher will take it along within half a second; losing it costs nothing.
    Soon,
}

impl Store {
    /// The data directory; `None` in memory.
    pub fn dir(&self) -> Option<&Path> {
        self.0.on_disk.as_ref().map(|on_disk| on_disk.dir.as_path())
    }

    /// Runs work on sled: its panics become errors, and damage closes the store to further use.
    fn run<T>(&self, work: impl FnOnce(&Trees) -> Result<T, StoreError>) -> Result<T, StoreError> {
        if let Some(error) = self.0.broken.get() {
            return Err(error.clone());
        }
        let dir = self.dir().unwrap_or(Path::new("memory"));
        let done = guard::caught(|| work(&self.0.trees)).unwrap_or_else(|why| Err(StoreError::corrupt(dir, why)));
        done.map_err(|error| {
            let error = error.in_dir(dir);
            if matches!(error, StoreError::Corrupt { .. } | StoreError::Failed { .. }) {
                tracing::error!(%error, "the store is closed to further use");
                // Losing the race to another thread's error is fine: either closes the store.
                let _ = self.0.broken.set(error.clone());
            }
            error
        })
    }

    /// The right to write. Writers are short; a panic inside one has closed the store, so a poisoned lock is not news.
    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.0.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes edits in one transaction, as lastingly as asked, and takes the new counts over.
    fn write(&self, writer: &mut Writer, mut edits: Edits, counts: Counts, lasting: Lasting) -> Result<(), StoreError> {
        let mut counts = counts;
        if lasting == Lasting::Yes {
            counts.commits += 1;
        }
        counts.put_changed(&writer.counts, &mut edits)?;
        self.run(|trees| {
            trees.apply(&edits)?;
            if lasting == Lasting::Yes {
                last(trees, &mut writer.files, counts.commits)?;
            }
            Ok(())
        })?;
        writer.counts = counts;
        Ok(())
    }
}

/// Returns when everything written so far would survive a power cut.
fn last(
    trees: &Trees,
    files: &mut Option<(durable::SledFiles, beside::Tally)>,
    commits: u64,
) -> Result<(), StoreError> {
    let Some((files, tally)) = files else { return Ok(()) };
    trees.flush()?;
    // After a failed fsync the kernel may have dropped the pages: what sled remembers is no longer what is on disk.
    files.sync().map_err(|error| StoreError::Failed { why: error.to_string() })?;
    tally.note(commits).map_err(|error| StoreError::Failed { why: error.to_string() })
}

#[cfg(test)]
mod tests;
