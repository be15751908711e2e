//! Whether a delivery may still go where it is addressed: what has been unsubscribed, or taken off a watch point, while a
//! notice was decided or waited gets nothing.

use super::addresses;
use super::error::StoreError;
use super::give_up::note_heard;
use super::ledger::put_settled;
use super::trees::{Edits, In, Trees};
use super::{Lasting, LedgerOutcome, OutboxRow, Store};
use crate::notice::{Address, AddressProof, Browser, ChannelKind, Delivery, NoticeReason, WatchPoint};
use jiff::Timestamp;

/// What became of a notice whose watch point no longer names its address.
const TAKEN_OFF: &str = "its address was taken off the watch point";

/// What of a pending delivery whose turn it is.
#[derive(Debug, Clone, PartialEq)]
pub enum Due {
    /// It may go.
    Wanted(Box<OutboxRow>),
    /// It was just settled as unwanted.
    Unwanted(Box<Delivery>),
    /// It is not pending any more.
    Gone,
}

impl Store {
    /// A pending delivery, if it may still go where it is addressed; one that may not is put into the ledger as unwanted, and its
    /// address has not heard of it.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn still_wanted(&self, id: &str, now: Timestamp) -> Result<Due, StoreError> {
        let mut writer = self.writer();
        let Some(row) = self.pending_row(id)? else { return Ok(Due::Gone) };
        if self.run(|trees| is_wanted(trees, &row.delivery))? {
            return Ok(Due::Wanted(Box::new(row)));
        }
        let mut counts = writer.counts.clone();
        let mut edits = Edits::default();
        let unwanted = (LedgerOutcome::Unwanted(TAKEN_OFF.to_owned()), 0);
        let settled = put_settled(&mut edits, &mut counts, row, unwanted, now)?;
        self.run(|trees| note_heard(trees, &mut edits, &settled.delivery, &[]))?;
        self.write(&mut writer, edits, counts, Lasting::Yes)?;
        Ok(Due::Unwanted(Box::new(settled.delivery)))
    }
}

/// Whether the address of a delivery is still its owner's to be written to. Whether a browser is still there its channel knows:
/// what goes to one that is gone is given up, and the owner's other channels get the notice.
pub(super) fn is_wanted(trees: &Trees, delivery: &Delivery) -> Result<bool, StoreError> {
    let is_asked_for = matches!(delivery.reason, NoticeReason::Confirmation | NoticeReason::Test);
    match delivery.address.kind {
        ChannelKind::None => Ok(true),
        ChannelKind::Email if delivery.reason == NoticeReason::Confirmation => Ok(true),
        ChannelKind::Email => mail_is_wanted(trees, delivery),
        ChannelKind::WebPush if is_asked_for || delivery.stands_in_for.is_some() => Ok(true),
        ChannelKind::WebPush => {
            for id in &delivery.watch_points {
                let point = trees.get::<WatchPoint>(In::WatchPoints, id)?;
                if point.is_none_or(|point| names(&point, delivery)) {
                    return Ok(true);
                }
            }
            Ok(delivery.watch_points.is_empty())
        }
    }
}

fn mail_is_wanted(trees: &Trees, delivery: &Delivery) -> Result<bool, StoreError> {
    let proof = trees.get::<AddressProof>(In::Addresses, addresses::key(&delivery.owner, &delivery.address))?;
    if proof.as_ref().is_some_and(|proof| proof.unsubscribed_utc.is_some()) {
        return Ok(false);
    }
    if delivery.watch_points.is_empty() {
        return Ok(true);
    }
    // Any of the owner's addresses will do for a notice that found nobody where it was to go.
    let mut will_do = delivery.stands_in_for.is_some();
    for id in &delivery.watch_points {
        let Some(point) = trees.get::<WatchPoint>(In::WatchPoints, id)? else { continue };
        if names(&point, delivery) {
            return Ok(true);
        }
        will_do |= point.owner == delivery.owner && point.asks_for_push_alone() && !has_browser(trees, &point.owner)?;
    }
    let is_own = proof.is_some_and(|proof| proof.is_own);
    let is_named = || -> Result<bool, StoreError> {
        Ok(trees.list::<WatchPoint>(In::WatchPoints)?.iter().any(|point| names(point, delivery)))
    };
    Ok(will_do && (is_own || is_named()?))
}

fn has_browser(trees: &Trees, owner: &str) -> Result<bool, StoreError> {
    Ok(trees.list::<Browser>(In::Browsers)?.iter().any(|browser| browser.owner == owner))
}

fn names(point: &WatchPoint, delivery: &Delivery) -> bool {
    let is_it = |named: &Address| match named.kind {
        // Without an id: all browsers of the owner.
        ChannelKind::WebPush if named.to.is_empty() => delivery.address.kind == ChannelKind::WebPush,
        ChannelKind::None | ChannelKind::Email | ChannelKind::WebPush => addresses::same(named, &delivery.address),
    };
    point.owner == delivery.owner && point.addresses.iter().any(is_it)
}
