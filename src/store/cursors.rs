//! Cursors and source status: for operators, nothing depends on them. As many rows as there are sources.

use super::error::StoreError;
use super::trees::{Edits, In};
use super::wire::{Listed, Wire, decode, key_text};
use super::{CursorRow, FAULTS_KEPT_MAX, Lasting, SourceStatus, Store};
use jiff::Timestamp;

impl Wire for CursorRow {
    const TREE: &'static str = "cursors";
    const FORMAT: u8 = 1;
}

impl Wire for SourceStatus {
    const TREE: &'static str = "sources";
    const FORMAT: u8 = 1;
}

impl Store {
    /// Notes how far a source has read. Not flushed.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn put_cursor(&self, source: &str, cursor: &str, at: Timestamp) -> Result<(), StoreError> {
        let row = CursorRow { source: source.to_owned(), cursor: cursor.to_owned(), at_utc: at };
        let mut edits = Edits::default();
        edits.put(In::Cursors, source, &row)?;
        self.write_soon(edits)
    }

    /// All cursors, sorted by source.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn cursors(&self) -> Result<Listed<CursorRow>, StoreError> {
        self.run(|trees| trees.list(In::Cursors))
    }

    /// Notes how a source fares; of its faults the newest are kept. Not flushed.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn put_source_status(&self, name: &str, status: &SourceStatus) -> Result<(), StoreError> {
        let mut status = status.clone();
        let surplus = status.last_faults.len().saturating_sub(FAULTS_KEPT_MAX);
        status.last_faults.drain(..surplus);
        let mut edits = Edits::default();
        edits.put(In::Sources, name, &status)?;
        self.write_soon(edits)
    }

    /// All source statuses by name, sorted.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn source_statuses(&self) -> Result<Listed<(String, SourceStatus)>, StoreError> {
        self.run(|trees| {
            let mut listed = Listed::default();
            for item in trees.tree(In::Sources) {
                let (key, bytes) = item?;
                listed.take(decode(&key, &bytes).map(|status| (key_text(&key), status)));
            }
            Ok(listed)
        })
    }

    /// Writes edits that change no count.
    pub(super) fn write_soon(&self, edits: Edits) -> Result<(), StoreError> {
        let mut writer = self.writer();
        let counts = writer.counts.clone();
        self.write(&mut writer, edits, counts, Lasting::Soon)
    }
}
