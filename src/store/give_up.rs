//! Dead letters: a delivery ends unheard, and what stands in for it begins, in one transaction.

use super::addresses::same;
use super::commit::{is_stored, put_pending};
use super::error::StoreError;
use super::ledger::{prune, put_settled};
use super::trees::{Edits, In, Trees};
use super::wire::{Listed, decode};
use super::{Lasting, LedgerOutcome, LedgerRow, OutboxRow, Settled, Store, wanted};
use crate::notice::book::browser_address;
use crate::notice::fallback::{Aftermath, Fate, GivenUp, Other};
use crate::notice::{Address, ChannelKind, Delivery, Held, OwnerSight, heard, sight};
use crate::threat::PointState;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Deliveries are numbered in the order of their decision, but for stand-ins, which bear the time of what they stand in for: at
/// most the useful life of a notice before their number.
const OUT_OF_ORDER_MAX: SignedDuration = SignedDuration::from_hours(48);

/// What became of the end of something that its address was never told of.
const NEVER_TOLD: &str = "what it ends was never told there";

impl Store {
    /// Gives a delivery up: into the ledger as a dead letter, out of the outbox, what comes of it likewise, and who has heard into
    /// the episodes, all in one transaction that has reached the disk when this returns. A stand-in that stands already, or whose
    /// address is no longer wanted, is left out. The second time it changes nothing.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn give_up(
        &self,
        id: &str,
        (given_up, why): (GivenUp, &str),
        at: Timestamp,
        aftermath: &Aftermath,
    ) -> Result<Settled, StoreError> {
        let mut writer = self.writer();
        if let Some(row) = self.ledger_row(id)? {
            return Ok(Settled::Before(row));
        }
        let Some(row) = self.pending_row(id)? else { return Ok(Settled::Unknown) };
        let mut counts = writer.counts.clone();
        let mut edits = Edits::default();
        let last_tries = u32::from(given_up == GivenUp::Refused);
        let dead = (LedgerOutcome::Dead(why.to_owned()), last_tries);
        let settled = put_settled(&mut edits, &mut counts, row, dead, at)?;
        let limit = writer.limits.ledger;
        self.run(|trees| {
            let mut heard = Vec::new();
            for stand_in in &aftermath.stand_ins {
                if !is_stored(trees, &stand_in.id)? && wanted::is_wanted(trees, stand_in)? {
                    heard.push(put_pending(&mut edits, &mut counts, stand_in.clone())?.delivery);
                }
            }
            for voided in &aftermath.voided {
                if let Some(row) = trees.get::<OutboxRow>(In::Outbox, &voided.id)? {
                    let never_told = LedgerOutcome::Unwanted(NEVER_TOLD.to_owned());
                    put_settled(&mut edits, &mut counts, row, (never_told, 0), at)?;
                }
            }
            note_heard(trees, &mut edits, &settled.delivery, &heard)?;
            prune(trees, &mut edits, &mut counts, limit, at)
        })?;
        self.write(&mut writer, edits, counts, Lasting::Yes)?;
        Ok(Settled::Now(settled))
    }

    /// Where an owner may be written to: their inboxes and their browsers.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn proven_addresses(&self, owner: &str) -> Result<Vec<Address>, StoreError> {
        let mut addresses = self.inboxes()?.remove(owner).unwrap_or_default();
        let browsers = self.browsers()?.into_iter().filter(|browser| browser.owner == owner);
        addresses.extend(browsers.map(|browser| browser_address(&browser.id)));
        addresses.sort_unstable();
        Ok(addresses)
    }

    /// Where each owner may be written to by mail: the addresses of their watch points, and those that their configuration names
    /// as theirs. None that has unsubscribed, and none that was taken off every point.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn inboxes(&self) -> Result<BTreeMap<String, Vec<Address>>, StoreError> {
        let mut inboxes: BTreeMap<String, BTreeSet<Address>> = BTreeMap::new();
        for point in self.watch_points()? {
            let named = point.addresses.into_iter().filter(|address| address.kind == ChannelKind::Email);
            inboxes.entry(point.owner).or_default().extend(named);
        }
        for proof in self.addresses()?.into_iter().filter(|proof| proof.address.kind == ChannelKind::Email) {
            let inboxes = inboxes.entry(proof.owner).or_default();
            if proof.unsubscribed_utc.is_some() {
                inboxes.retain(|address| !same(address, &proof.address));
            } else if proof.is_own && !inboxes.iter().any(|address| same(address, &proof.address)) {
                inboxes.insert(proof.address);
            }
        }
        inboxes.retain(|_, addresses| !addresses.is_empty());
        Ok(inboxes.into_iter().map(|(owner, addresses)| (owner, addresses.into_iter().collect())).collect())
    }

    /// Every delivery that was decided at `since` or later, settled or not, in no particular order.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn decided_since(&self, since: Timestamp) -> Result<Listed<Delivery>, StoreError> {
        Ok(self.fates_since(since)?.map(|other| other.delivery))
    }

    /// The same, each with what has become of it.
    ///
    /// # Errors
    /// See `decided_since`.
    pub fn fates_since(&self, since: Timestamp) -> Result<Listed<Other>, StoreError> {
        let long_before = since.checked_sub(OUT_OF_ORDER_MAX).unwrap_or(Timestamp::MIN);
        self.run(|trees| {
            // The outbox first: what is settled between the two is then seen twice, not missed.
            let waiting = trees.list::<OutboxRow>(In::Outbox)?;
            let mut listed = waiting.map(|row| Other { delivery: row.delivery, fate: Fate::Waits });
            for item in trees.tree(In::Ledger).iter().rev() {
                let (key, bytes) = item?;
                match decode::<LedgerRow>(&key, &bytes) {
                    Ok(row) if row.delivery.decided_utc < long_before => break,
                    row => listed.take(row.map(|row| Other { fate: fate(&row.outcome), delivery: row.delivery })),
                }
            }
            listed.rows.retain(|other| other.delivery.decided_utc >= since);
            Ok(listed)
        })
    }
}

/// Notes in the episodes of its points, and with its owner, who has heard of a delivery that was given up, and who has not.
pub(super) fn note_heard(
    trees: &Trees,
    edits: &mut Edits,
    failed: &Delivery,
    stand_ins: &[Delivery],
) -> Result<(), StoreError> {
    let held = trees.list::<Held>(In::Held)?;
    for id in &failed.watch_points {
        let Some(mut state) = trees.get::<PointState>(In::Levels, id)? else { continue };
        if heard::given_up(id, &mut state, failed, stand_ins) {
            edits.put(In::Levels, id, &state)?;
        }
        for row in held.iter().filter(|row| row.watch_point == *id) {
            let mut row = row.clone();
            if heard::held_given_up(&mut row, &state, failed, stand_ins) {
                edits.put(In::Held, &row.id, &row)?;
            }
        }
    }
    if let Some(mut stands) = trees.get::<OwnerSight>(In::OwnerSights, &failed.owner)?
        && sight::given_up(&mut stands, failed, stand_ins)
    {
        edits.put(In::OwnerSights, &failed.owner, &stands)?;
    }
    Ok(())
}

fn fate(outcome: &LedgerOutcome) -> Fate {
    match outcome {
        LedgerOutcome::Told(_) => Fate::Told,
        LedgerOutcome::Dead(_) | LedgerOutcome::Unwanted(_) => Fate::Dead,
    }
}
