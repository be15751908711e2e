//! Proofs of addresses by owner and address, with what hangs on them: a confirmation goes out with what asks for it, a proof
//! moves waiting addresses over, an unsubscription takes an address from everything; each in one transaction.

use super::commit::make_room;
use super::error::StoreError;
use super::meta::Counts;
use super::trees::{Edits, In};
use super::wire::{Listed, Wire};
use super::{Lasting, LedgerOutcome, OutboxRow, Store, Writer};
use super::{formats, ledger};
use crate::notice::{Address, AddressProof, Delivery, WatchPoint};
use jiff::Timestamp;

/// Addresses of one store, all owners together: each costs its owner a confirmation, so this is never reached by accident.
pub const ADDRESSES_MAX: usize = 100_000;
/// What became of the notices that still waited for somebody who wants no more.
const UNSUBSCRIBED: &str = "its holder unsubscribed";

impl Wire for AddressProof {
    const TREE: &'static str = "addresses";
    const FORMAT: u8 = 2;

    fn from_older(format: u8, body: &[u8]) -> Result<Self, String> {
        formats::older::<formats::AddressProof1, _>(format, 1, body)
    }
}

/// A confirmation that goes out, with what is noted of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// What stands of the address from now on.
    pub proof: AddressProof,
    /// The confirmation; it gets its number here.
    pub delivery: Delivery,
}

/// No owner id and no address holds a zero; small and large letters are one inbox.
pub(super) fn key(owner: &str, address: &Address) -> String {
    format!("{owner}\0{}\0{}", address.kind.as_str(), address.to.to_ascii_lowercase())
}

/// Whether two are one inbox: nobody tells Anna from anna.
pub(super) fn same(a: &Address, b: &Address) -> bool {
    a.kind == b.kind && a.to.eq_ignore_ascii_case(&b.to)
}

/// Moves an address from one list to another, where it stands there.
fn shift(address: &Address, from: &mut Vec<Address>, to: &mut Vec<Address>) {
    let before = from.len();
    from.retain(|known| !same(known, address));
    if from.len() < before {
        to.retain(|known| !same(known, address));
        to.push(address.clone());
        to.sort_unstable();
    }
}

impl Store {
    /// What stands of an address of an owner.
    ///
    /// # Errors
    /// When the store or this row cannot be read.
    pub fn address(&self, owner: &str, address: &Address) -> Result<Option<AddressProof>, StoreError> {
        self.run(|trees| trees.get(In::Addresses, key(owner, address)))
    }

    /// All addresses, sorted by owner.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn addresses(&self) -> Result<Listed<AddressProof>, StoreError> {
        self.run(|trees| trees.list(In::Addresses))
    }

    /// Adds confirmations to a transaction; the counts after it.
    pub(super) fn put_asks(&self, writer: &Writer, asks: &[Ask], edits: &mut Edits) -> Result<Counts, StoreError> {
        let deliveries: Vec<Delivery> = asks.iter().map(|ask| ask.delivery.clone()).collect();
        let mut counts = writer.counts.clone();
        self.run(|trees| {
            let mut known = trees.tree(In::Addresses).len();
            for ask in asks {
                let key = key(&ask.proof.owner, &ask.proof.address);
                known += usize::from(!trees.tree(In::Addresses).contains_key(&key)?);
                edits.put(In::Addresses, &key, &ask.proof)?;
            }
            if known > ADDRESSES_MAX && !asks.is_empty() {
                return Err(StoreError::Full { what: "addresses", limit: ADDRESSES_MAX });
            }
            make_room(trees, &writer.limits, edits, &mut counts, &deliveries)
        })?;
        for mut delivery in deliveries {
            delivery.number = counts.next_delivery;
            counts.next_delivery += 1;
            counts.pending += 1;
            let row = OutboxRow { delivery, attempts: 0, not_before_utc: None, last_error: None };
            edits.put(In::Outbox, &row.delivery.id, &row)?;
        }
        Ok(counts)
    }

    /// Notes which addresses an owner's own configuration names, and so need no confirmation; what waited for one on the
    /// owner's points is proven with that. Whatever else was so named is not any more, and waits on the points again unless it
    /// was confirmed: returns these. An unsubscription stands. All in one transaction.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn own(&self, owner: &str, addresses: &[Address]) -> Result<Vec<Address>, StoreError> {
        let mut writer = self.writer();
        let known = self.run(|trees| trees.list::<AddressProof>(In::Addresses))?;
        let mut proofs: Vec<AddressProof> = known.into_iter().filter(|proof| proof.owner == owner).collect();
        for address in addresses {
            if !proofs.iter().any(|proof| same(&proof.address, address)) {
                proofs.push(AddressProof::new(owner, address));
            }
        }
        let mut edits = Edits::default();
        let (mut proven, mut unproven) = (Vec::new(), Vec::new());
        for mut proof in proofs {
            let is_own = addresses.iter().any(|address| same(&proof.address, address));
            if proof.is_own == is_own {
                continue;
            }
            proof.is_own = is_own;
            edits.put(In::Addresses, key(owner, &proof.address), &proof)?;
            if proof.is_proven() {
                proven.push(proof.address);
            } else if proof.unsubscribed_utc.is_none() {
                unproven.push(proof.address);
            }
        }
        for mut point in self.points_of(owner)? {
            let before = point.clone();
            proven.iter().for_each(|address| shift(address, &mut point.waiting, &mut point.addresses));
            unproven.iter().for_each(|address| shift(address, &mut point.addresses, &mut point.waiting));
            if point != before {
                self.forget_taken_off(&mut edits, &before, &point)?;
                edits.put(In::WatchPoints, &point.id, &point)?;
            }
        }
        if !edits.is_empty() {
            let counts = writer.counts.clone();
            self.write(&mut writer, edits, counts, Lasting::Yes)?;
            self.renew_copy();
        }
        Ok(unproven)
    }

    /// Looks at what stands of an address of an owner, and changes it, in one piece. Where `judge` says that this proves the
    /// address, it moves from `waiting` to `addresses` on all of the owner's points in the same transaction. The proof as it
    /// stands now, if it was proven; on disk when this returns.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn prove(
        &self,
        owner: &str,
        address: &Address,
        at_utc: Timestamp,
        judge: impl FnOnce(&mut AddressProof) -> bool,
    ) -> Result<Option<AddressProof>, StoreError> {
        let mut writer = self.writer();
        let Some(before) = self.address(owner, address)? else { return Ok(None) };
        let mut proof = before.clone();
        let proven = judge(&mut proof);
        let mut edits = Edits::default();
        if proven {
            proof.proven_utc = Some(at_utc);
            proof.unsubscribed_utc = None;
            proof.code = None;
            proof.wrong_codes = 0;
            for mut point in self.points_of(owner)? {
                let waited = point.waiting.len();
                shift(address, &mut point.waiting, &mut point.addresses);
                if point.waiting.len() < waited {
                    edits.put(In::WatchPoints, &point.id, &point)?;
                }
            }
        }
        if proof != before {
            edits.put(In::Addresses, key(owner, address), &proof)?;
            let counts = writer.counts.clone();
            self.write(&mut writer, edits, counts, Lasting::Yes)?;
            self.renew_copy();
        }
        Ok(proven.then_some(proof))
    }

    /// Ends everything of an owner that goes to an address: it is taken from all points, what waits for it goes to the ledger
    /// as given up, and it is marked, so that only a new confirmation brings it back. All in one transaction, on disk when
    /// this returns.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn unsubscribe(&self, owner: &str, address: &Address, at_utc: Timestamp) -> Result<(), StoreError> {
        let mut writer = self.writer();
        let mut counts = writer.counts.clone();
        let mut edits = Edits::default();
        for mut point in self.points_of(owner)? {
            let before = point.clone();
            point.addresses.retain(|known| !same(known, address));
            point.waiting.retain(|known| !same(known, address));
            if point != before {
                self.forget_taken_off(&mut edits, &before, &point)?;
                edits.put(In::WatchPoints, &point.id, &point)?;
            }
        }
        let mut proof = self.address(owner, address)?.unwrap_or_else(|| AddressProof::new(owner, address));
        proof.proven_utc = None;
        proof.code = None;
        proof.unsubscribed_utc = Some(at_utc);
        edits.put(In::Addresses, key(owner, address), &proof)?;
        let pending = self.run(|trees| trees.list::<OutboxRow>(In::Outbox))?;
        for row in pending.into_iter().filter(|row| row.delivery.owner == owner && same(&row.delivery.address, address))
        {
            // Given up rather than dropped: what is neither waiting nor in the ledger counts as lost, and would be told again.
            let unwanted = LedgerOutcome::Unwanted(UNSUBSCRIBED.to_owned());
            ledger::put_settled(&mut edits, &mut counts, row, (unwanted, 0), at_utc)?;
        }
        let limit = writer.limits.ledger;
        self.run(|trees| ledger::prune(trees, &mut edits, &mut counts, limit, at_utc))?;
        self.write(&mut writer, edits, counts, Lasting::Yes)?;
        self.renew_copy();
        Ok(())
    }

    fn points_of(&self, owner: &str) -> Result<impl Iterator<Item = WatchPoint>, StoreError> {
        let owner = owner.to_owned();
        Ok(self.watch_points()?.into_iter().filter(move |point| point.owner == owner))
    }
}
