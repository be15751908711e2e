//! The outbox by delivery id: what still has to be told. Rows come by `commit`, and leave by `settle` or with their watch
//! point.

use super::error::StoreError;
use super::formats;
use super::trees::{Edits, In};
use super::wire::{Listed, Wire};
use super::{Lasting, OutboxRow, Store};
use jiff::Timestamp;

/// Notices that can wait at once: at about 8 kB each some 800 MB, which hours of a dead mail server in the widest outbreak
/// do not reach. At the limit, notices past their useful life become dead letters first; if that is not enough, the whole
/// decision is refused, loudly. Nothing is lost by that: the levels have not moved either, so the next assessment decides
/// the same again. To drop the oldest instead would lose a warning.
pub const OUTBOX_ROWS_MAX: u64 = 100_000;
/// Of what a try said, this many characters are kept: an SMTP answer is a line or two.
const ERROR_CHARS_MAX: usize = 500;

impl Wire for OutboxRow {
    const TREE: &'static str = "outbox";
    const FORMAT: u8 = 2;

    fn from_older(format: u8, body: &[u8]) -> Result<Self, String> {
        formats::older::<formats::OutboxRow1, _>(format, 1, body)
    }
}

impl Store {
    /// All that still has to be told, in the order of decision, at one instant between two writes: what was decided earlier is
    /// never missing beside what was decided later.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn pending(&self) -> Result<Listed<OutboxRow>, StoreError> {
        // sled's iteration sees writes made meanwhile before its place in the tree, and misses those behind it.
        let _no_write = self.writer();
        let mut listed = self.run(|trees| trees.list::<OutboxRow>(In::Outbox))?;
        listed.rows.sort_by_key(|row| row.delivery.number);
        Ok(listed)
    }

    /// The number that the next delivery will have: while it stays, nothing new has come into the outbox.
    pub fn next_delivery(&self) -> u64 {
        self.writer().counts.next_delivery
    }

    /// One pending notice; `None` once it is settled or its watch point is gone.
    ///
    /// # Errors
    /// When the store or this row cannot be read.
    pub fn pending_row(&self, id: &str) -> Result<Option<OutboxRow>, StoreError> {
        self.run(|trees| trees.get(In::Outbox, id))
    }

    /// Notes a failed try. False when the notice is not pending any more. Not flushed: after a crash it is tried early.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn retry_later(&self, id: &str, attempts: u32, not_before: Timestamp, error: &str) -> Result<bool, StoreError> {
        let mut writer = self.writer();
        let Some(mut row) = self.pending_row(id)? else { return Ok(false) };
        row.attempts = attempts;
        row.not_before_utc = Some(not_before);
        row.last_error = Some(error.chars().take(ERROR_CHARS_MAX).collect());
        let mut edits = Edits::default();
        edits.put(In::Outbox, id, &row)?;
        let counts = writer.counts.clone();
        self.write(&mut writer, edits, counts, Lasting::Soon)?;
        Ok(true)
    }
}
