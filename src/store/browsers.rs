//! Push subscriptions by id.

use super::error::StoreError;
use super::trees::{Edits, In};
use super::wire::{Listed, Wire};
use super::{Lasting, OutboxRow, Store};
use crate::notice::{Browser, ChannelKind};

/// Push subscriptions of one store: as many as owners may have together, well above any household.
pub const BROWSERS_MAX: usize = 100_000;

impl Wire for Browser {
    const TREE: &'static str = "browsers";
    const FORMAT: u8 = 1;
}

impl Store {
    /// Writes a push subscription, new or renewed; on disk when this returns.
    ///
    /// # Errors
    /// `Full`, or when the store cannot be written.
    pub fn put_browser(&self, browser: &Browser) -> Result<(), StoreError> {
        let mut writer = self.writer();
        let (known, count) = self
            .run(|trees| Ok((trees.tree(In::Browsers).contains_key(&browser.id)?, trees.tree(In::Browsers).len())))?;
        if !known && count >= BROWSERS_MAX {
            return Err(StoreError::Full { what: "push subscriptions", limit: BROWSERS_MAX });
        }
        let mut edits = Edits::default();
        edits.put(In::Browsers, &browser.id, browser)?;
        let counts = writer.counts.clone();
        self.write(&mut writer, edits, counts, Lasting::Yes)
    }

    /// One push subscription.
    ///
    /// # Errors
    /// When the store or this row cannot be read.
    pub fn browser(&self, id: &str) -> Result<Option<Browser>, StoreError> {
        self.run(|trees| trees.get(In::Browsers, id))
    }

    /// All push subscriptions, sorted by id.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn browsers(&self) -> Result<Listed<Browser>, StoreError> {
        self.run(|trees| trees.list(In::Browsers))
    }

    /// Removes a push subscription that its push service no longer knows, if its endpoint is still this one. What waits for it
    /// stays: its channel gives it up, notice by notice, and the owner's other channels get it. False when there is none such.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn browser_gone(&self, id: &str, endpoint: &str) -> Result<bool, StoreError> {
        let mut writer = self.writer();
        if self.browser(id)?.is_none_or(|browser| browser.endpoint != endpoint) {
            return Ok(false);
        }
        let counts = writer.counts.clone();
        let mut edits = Edits::default();
        edits.remove(In::Browsers, id);
        self.write(&mut writer, edits, counts, Lasting::Yes)?;
        Ok(true)
    }

    /// Removes a push subscription with what still waits for it, if its endpoint is still this one: a subscription that was
    /// renewed meanwhile stays (field report P07). False when there is none such.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn remove_browser(&self, id: &str, endpoint: &str) -> Result<bool, StoreError> {
        let mut writer = self.writer();
        if self.browser(id)?.is_none_or(|browser| browser.endpoint != endpoint) {
            return Ok(false);
        }
        let mut counts = writer.counts.clone();
        let mut edits = Edits::default();
        edits.remove(In::Browsers, id);
        let waits =
            |row: &OutboxRow| row.delivery.address.kind == ChannelKind::WebPush && row.delivery.address.to == id;
        for row in self.run(|trees| trees.list::<OutboxRow>(In::Outbox))?.into_iter().filter(waits) {
            edits.remove(In::Outbox, &row.delivery.id);
            counts.pending = counts.pending.saturating_sub(1);
        }
        self.write(&mut writer, edits, counts, Lasting::Yes)?;
        Ok(true)
    }

    /// Notes how a push fared: a refusal that is our fault counts, anything taken begins anew. Tells how many refusals there are
    /// in a row now; `None` when there is no such subscription any more. Only the count is written: keys that were renewed
    /// meanwhile stay.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn note_push(&self, id: &str, endpoint: &str, taken: bool) -> Result<Option<u32>, StoreError> {
        let mut writer = self.writer();
        let Some(browser) = self.browser(id)?.filter(|browser| browser.endpoint == endpoint) else { return Ok(None) };
        let refusals = if taken { 0 } else { browser.refusals.saturating_add(1) };
        if refusals != browser.refusals {
            let mut edits = Edits::default();
            edits.put(In::Browsers, id, &Browser { refusals, ..browser })?;
            let counts = writer.counts.clone();
            // Losing the last half second of it costs one more try.
            self.write(&mut writer, edits, counts, Lasting::Soon)?;
        }
        Ok(Some(refusals))
    }
}
