//! What stands in the store, in numbers.

use super::Store;
use super::beside::SLED_DIR;
use super::durable::bytes_under;
use serde::{Deserialize, Serialize};

/// Bytes on disk that an operator should look at. Every tree is bounded, and full bounds need about a quarter of it; sled
/// gives space back slowly and in odd cases not at all (field report D05), which `debug repair` cures by copying.
pub const DISK_BYTES_ALARM: u64 = 4 << 30;

/// Counts, for health and the debug door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreHealth {
    /// Watch points.
    pub watch_points: u64,
    /// Notices that still have to be told.
    pub pending: u64,
    /// Notices that were told, as far as the ledger is kept.
    pub told: u64,
    /// Notices that were given up, as far as the ledger is kept.
    pub dead: u64,
    /// Journal entries kept.
    pub journal_entries: u64,
    /// Transactions made to last since the store was made.
    pub commits: u64,
    /// Bytes on disk; 0 in memory.
    pub bytes_on_disk: u64,
    /// Whether that is more than it should ever be.
    pub disk_alarm: bool,
    /// Whether the store has closed itself after damage or a failed flush.
    pub broken: bool,
}

impl Store {
    /// Counts; reads no row.
    pub fn health(&self) -> StoreHealth {
        let counts = self.writer().counts.clone();
        let bytes_on_disk = self.dir().map_or(0, |dir| bytes_under(&dir.join(SLED_DIR)));
        StoreHealth {
            watch_points: counts.watch_points,
            pending: counts.pending,
            told: counts.told,
            dead: counts.dead,
            journal_entries: counts.journal,
            commits: counts.commits,
            bytes_on_disk,
            disk_alarm: bytes_on_disk > DISK_BYTES_ALARM,
            broken: self.0.broken.get().is_some(),
        }
    }
}
