//! A decision becomes fact: levels, journal and outbox rows of one report in one transaction, on disk before anybody is
//! told.

use super::error::StoreError;
use super::meta::{Counts, Limits, put_high_water};
use super::trees::{Edits, In, Trees};
use super::{Decision, JournalEntry, Lasting, LedgerOutcome, OutboxRow, Store, journal, ledger, sights, wanted};
use crate::notice::{Delivery, WatchPoint};
use crate::threat::RULES_VERSION;
use crate::threat::basis::Judged;
use std::collections::{BTreeMap, BTreeSet};

/// What `commit` made of a decision.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Committed {
    /// The journal entries, with their numbers.
    pub entries: Vec<JournalEntry>,
    /// The new outbox rows, with their deliveries' numbers.
    pub rows: Vec<OutboxRow>,
    /// Ids of deliveries that stood in the outbox or the ledger already: not written again.
    pub known: Vec<String>,
    /// Watch points of the decision that no longer exist: their states, changes and notices were left out.
    pub gone: Vec<String>,
    /// Ids of deliveries to addresses that were taken away or unsubscribed while it was made: left out.
    pub unwanted: Vec<String>,
}

impl Store {
    /// Writes a decision whole or not at all; it has reached the disk when this returns. Watch points that were removed
    /// while it was made are left out, and so is a delivery whose id is in the outbox or the ledger already.
    ///
    /// # Errors
    /// `OutboxFull`, or when the store cannot be written. Nothing was written then.
    pub fn commit(&self, decision: &Decision) -> Result<Committed, StoreError> {
        let mut writer = self.writer();
        let mut counts = writer.counts.clone();
        let mut edits = Edits::default();
        let limits = &writer.limits;
        let committed = self.run(|trees| plan(trees, decision, limits, &mut edits, &mut counts))?;
        if edits.is_empty() {
            return Ok(committed);
        }
        // A passing of time that decided nothing but how late it is need not wait for the disk.
        let lasting = if edits.all_in(In::Meta) { Lasting::Soon } else { Lasting::Yes };
        self.write(&mut writer, edits, counts, lasting)?;
        Ok(committed)
    }
}

/// Works out what has to be written.
fn plan(
    trees: &Trees,
    decision: &Decision,
    limits: &Limits,
    edits: &mut Edits,
    counts: &mut Counts,
) -> Result<Committed, StoreError> {
    let mut committed = Committed::default();
    let points = Points::of(trees, decision)?;
    sights::note(trees, decision, limits.sights, edits, counts, |id| points.stands(id))?;
    for (id, state) in decision.states.iter().filter(|(id, _)| points.stands(id)) {
        edits.put_changed(trees, In::Levels, id, state)?;
    }
    for judged in decision.changes.iter().filter(|judged| points.stands(&judged.change.watch_point)) {
        let number = counts.next_journal;
        counts.next_journal += 1;
        let Judged { change, basis } = judged.clone();
        let sequel = decision.sequels.get(&change.watch_point).cloned();
        let entry = JournalEntry { number, change, basis, rules_version: RULES_VERSION.to_owned(), sequel };
        edits.put(In::Journal, number.to_be_bytes(), &entry)?;
        committed.entries.push(entry);
    }
    if let Some(now) = decision.changes.iter().map(|judged| judged.change.at_utc).max() {
        let adding = committed.entries.len() as u64;
        journal::prune(trees, edits, counts, limits.journal, adding, now)?;
        counts.journal += adding;
    }
    let deliveries = fresh_deliveries(trees, decision, &points, &mut committed)?;
    make_room(trees, limits, edits, counts, &deliveries)?;
    for delivery in deliveries {
        committed.rows.push(put_pending(edits, counts, delivery)?);
    }
    for held in decision.held.iter().filter(|held| points.stands(&held.watch_point)) {
        edits.put_changed(trees, In::Held, &held.id, held)?;
    }
    for id in &decision.released {
        edits.remove(In::Held, id);
    }
    for (id, over) in &decision.reopened {
        let point = trees.get::<WatchPoint>(In::WatchPoints, id)?;
        if let Some(point) = point.filter(|point| point.acknowledged.as_ref() == Some(over)) {
            edits.put(In::WatchPoints, id, &WatchPoint { acknowledged: None, ..point })?;
        }
    }
    for (owner, sight) in &decision.owner_sights {
        edits.put_changed(trees, In::OwnerSights, owner, sight)?;
    }
    if let Some(at) = decision.high_water_utc {
        put_high_water(trees, edits, at)?;
    }
    committed.gone = points.gone();
    Ok(committed)
}

/// A new row of the outbox, under the next number.
pub(super) fn put_pending(edits: &mut Edits, counts: &mut Counts, delivery: Delivery) -> Result<OutboxRow, StoreError> {
    let delivery = Delivery { number: counts.next_delivery, ..delivery };
    counts.next_delivery += 1;
    counts.pending += 1;
    let row = OutboxRow { delivery, attempts: 0, not_before_utc: None, last_error: None };
    edits.put(In::Outbox, &row.delivery.id, &row)?;
    Ok(row)
}

/// Whether a delivery id stands in the outbox or the ledger.
pub(super) fn is_stored(trees: &Trees, id: &str) -> Result<bool, StoreError> {
    Ok(trees.tree(In::Outbox).contains_key(id)? || trees.tree(In::LedgerIds).contains_key(id)?)
}

/// Which watch points of a decision still exist.
struct Points<'a>(BTreeMap<&'a str, bool>);

impl<'a> Points<'a> {
    fn of(trees: &Trees, decision: &'a Decision) -> Result<Self, StoreError> {
        let states = decision.states.iter().map(|(id, _)| id.as_str());
        let changes = decision.changes.iter().map(|judged| judged.change.watch_point.as_str());
        let held = decision.held.iter().map(|held| held.watch_point.as_str());
        let told = decision.deliveries.iter().flat_map(|delivery| delivery.watch_points.iter().map(String::as_str));
        let mut points = BTreeMap::new();
        for id in states.chain(changes).chain(held).chain(told) {
            if !points.contains_key(id) {
                points.insert(id, trees.tree(In::WatchPoints).contains_key(id)?);
            }
        }
        Ok(Self(points))
    }

    fn stands(&self, id: &str) -> bool {
        self.0.get(id).copied().unwrap_or(false)
    }

    fn gone(&self) -> Vec<String> {
        self.0.iter().filter(|(_, stands)| !**stands).map(|(id, _)| (*id).to_owned()).collect()
    }
}

/// The deliveries that are new, without the points that are gone. One that speaks of none from the start (a test) stays.
fn fresh_deliveries(
    trees: &Trees,
    decision: &Decision,
    points: &Points<'_>,
    committed: &mut Committed,
) -> Result<Vec<Delivery>, StoreError> {
    let mut fresh = Vec::new();
    let mut seen = BTreeSet::new();
    for delivery in &decision.deliveries {
        let id = delivery.id.as_str();
        if is_stored(trees, id)? || !seen.insert(id) {
            committed.known.push(id.to_owned());
            continue;
        }
        if !wanted::is_wanted(trees, delivery)? {
            committed.unwanted.push(id.to_owned());
            continue;
        }
        let mut delivery = delivery.clone();
        let spoke_of_none = delivery.watch_points.is_empty();
        delivery.watch_points.retain(|id| points.stands(id));
        if spoke_of_none || !delivery.watch_points.is_empty() {
            fresh.push(delivery);
        }
    }
    Ok(fresh)
}

/// Makes sure that the outbox can take the new deliveries: what is past its useful life makes room, nothing else does.
pub(super) fn make_room(
    trees: &Trees,
    limits: &Limits,
    edits: &mut Edits,
    counts: &mut Counts,
    deliveries: &[Delivery],
) -> Result<(), StoreError> {
    let adding = deliveries.len() as u64;
    let Some(now) = deliveries.iter().map(|delivery| delivery.decided_utc).max() else { return Ok(()) };
    if counts.pending + adding <= limits.pending {
        return Ok(());
    }
    for row in trees.list::<OutboxRow>(In::Outbox)? {
        if row.delivery.useful_until_utc < now {
            let why = "its useful life ended while the outbox was full".to_owned();
            ledger::put_settled(edits, counts, row, (LedgerOutcome::Dead(why), 0), now)?;
        }
    }
    ledger::prune(trees, edits, counts, limits.ledger, now)?;
    if counts.pending + adding > limits.pending {
        return Err(StoreError::OutboxFull { pending: counts.pending, adding, limit: limits.pending });
    }
    Ok(())
}
