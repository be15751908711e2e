//! The ledger by delivery number, with an index by delivery id: what has really been told, or was given up. Bounded by
//! count and age, oldest first. A delivery id that left it cannot come again: the episode and sequence that it is made of
//! stand in the levels and only count up.

use super::error::StoreError;
use super::formats;
use super::journal::PRUNED_AT_ONCE;
use super::meta::Counts;
use super::trees::{Edits, In, Trees};
use super::wire::{Listed, Wire, decode};
use super::{Lasting, LedgerOutcome, LedgerRow, OutboxRow, Store};
use crate::notice::{Address, Delivery};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Rows kept: at about 8 kB each some 160 MB. They are read once at the start, which this keeps below a second.
pub const LEDGER_ROWS_MAX: u64 = 20_000;
/// Rows older than this go, as in the journal.
pub const LEDGER_KEEP: SignedDuration = super::journal::JOURNAL_KEEP;

impl Wire for LedgerRow {
    const TREE: &'static str = "ledger";
    const FORMAT: u8 = 3;

    fn from_older(format: u8, body: &[u8]) -> Result<Self, String> {
        match format {
            1 => formats::older::<formats::LedgerRowBefore3<formats::Delivery1>, _>(format, 1, body),
            _ => formats::older::<formats::LedgerRowBefore3<Delivery>, _>(format, 2, body),
        }
    }
}

/// Rows of one watch point read at once: a long episode told to a household.
pub const LEDGER_OF_POINT_MAX: usize = 500;

/// The beginning of a row of any format: enough to know whose it is. The order of `Delivery`'s fields.
#[derive(Deserialize)]
struct Beginning<'a> {
    _id: &'a str,
    _number: u64,
    _address: Address,
    watch_points: Vec<&'a str>,
    owner: &'a str,
}

/// `None` for a row that cannot be read.
fn beginning(bytes: &[u8]) -> Option<Beginning<'_>> {
    match bytes.split_first() {
        Some((&(1..=LedgerRow::FORMAT), body)) => {
            postcard::take_from_bytes::<Beginning<'_>>(body).ok().map(|(row, _)| row)
        }
        Some(_) | None => None,
    }
}

/// Where the ledger row of a delivery id lies.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct LedgerPlace(pub u64);

impl Wire for LedgerPlace {
    const TREE: &'static str = "ledger_ids";
    const FORMAT: u8 = 1;
}

/// What became of a call to `settle`.
#[derive(Debug, Clone, PartialEq)]
pub enum Settled {
    /// It was pending and is in the ledger now.
    Now(LedgerRow),
    /// It was settled before; this is how. Nothing was changed.
    Before(LedgerRow),
    /// It is neither pending nor in the ledger: its watch point was removed while it was under way.
    Unknown,
}

impl Store {
    /// Ends a delivery: into the ledger and out of the outbox in one transaction that has reached the disk when this
    /// returns. The second time it changes nothing, but that what was unwanted while it was under way, and arrived, is told. The
    /// row's tries are the failed ones noted by `retry_later`, and the last one unless it was not tried any more.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn settle(&self, id: &str, outcome: LedgerOutcome, settled_utc: Timestamp) -> Result<Settled, StoreError> {
        let mut writer = self.writer();
        let mut counts = writer.counts.clone();
        let mut edits = Edits::default();
        if let Some(row) = self.ledger_row(id)? {
            let was_under_way =
                matches!(row.outcome, LedgerOutcome::Unwanted(_)) && matches!(outcome, LedgerOutcome::Told(_));
            if !was_under_way {
                return Ok(Settled::Before(row));
            }
            // It was taken from its address while that took it: what has been told is told.
            let row = LedgerRow { outcome, attempts: row.attempts.saturating_add(1), settled_utc, ..row };
            edits.put(In::Ledger, row.delivery.number.to_be_bytes(), &row)?;
            counts.dead = counts.dead.saturating_sub(1);
            counts.settled(&row.outcome);
            self.write(&mut writer, edits, counts, Lasting::Yes)?;
            return Ok(Settled::Now(row));
        }
        let Some(row) = self.pending_row(id)? else { return Ok(Settled::Unknown) };
        let last_tries = u32::from(!matches!(outcome, LedgerOutcome::Unwanted(_)));
        let settled = put_settled(&mut edits, &mut counts, row, (outcome, last_tries), settled_utc)?;
        let limit = writer.limits.ledger;
        self.run(|trees| prune(trees, &mut edits, &mut counts, limit, settled_utc))?;
        self.write(&mut writer, edits, counts, Lasting::Yes)?;
        Ok(Settled::Now(settled))
    }

    /// Rows of the ledger by delivery number from `from_number` on, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn ledger(&self, from_number: u64, limit: usize) -> Result<Listed<LedgerRow>, StoreError> {
        self.run(|trees| {
            let mut listed = Listed::default();
            for item in trees.tree(In::Ledger).range(from_number.to_be_bytes()..).take(limit) {
                let (key, bytes) = item?;
                listed.take(decode(&key, &bytes));
            }
            Ok(listed)
        })
    }

    /// The rows that speak of one watch point and were decided or settled in `within`, in order; of more than
    /// `LEDGER_OF_POINT_MAX` the newest. Of the rows of other points only the beginning is read.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn ledger_of(
        &self,
        watch_point: &str,
        within: RangeInclusive<Timestamp>,
    ) -> Result<Listed<LedgerRow>, StoreError> {
        let (from, to) = within.into_inner();
        self.run(|trees| {
            let mut listed = Listed::default();
            for item in trees.tree(In::Ledger).iter().rev() {
                if listed.rows.len() >= LEDGER_OF_POINT_MAX {
                    break;
                }
                let (key, bytes) = item?;
                if beginning(&bytes).is_some_and(|row| !row.watch_points.contains(&watch_point)) {
                    continue;
                }
                let row = decode::<LedgerRow>(&key, &bytes);
                if row.as_ref().map_or(true, |row| row.delivery.decided_utc <= to && row.settled_utc >= from) {
                    listed.take(row);
                }
            }
            listed.rows.reverse();
            Ok(listed)
        })
    }

    /// The owner of whom a watch point's newest row in the ledger says that it was told: what is still known of a point
    /// that was removed. `None` when nothing was ever told of it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn owner_told_of(&self, watch_point: &str) -> Result<Option<String>, StoreError> {
        self.run(|trees| {
            for item in trees.tree(In::Ledger).iter().rev() {
                let (_, bytes) = item?;
                if let Some(row) = beginning(&bytes).filter(|row| row.watch_points.contains(&watch_point)) {
                    return Ok(Some(row.owner.to_owned()));
                }
            }
            Ok(None)
        })
    }

    /// The newest rows, at most `limit`, newest first.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn newest_settled(&self, limit: usize) -> Result<Listed<LedgerRow>, StoreError> {
        self.run(|trees| {
            let mut listed = Listed::default();
            for item in trees.tree(In::Ledger).iter().rev().take(limit) {
                let (key, bytes) = item?;
                listed.take(decode(&key, &bytes));
            }
            Ok(listed)
        })
    }

    /// How a delivery ended; `None` while it is pending or unknown.
    ///
    /// # Errors
    /// When the store or this row cannot be read.
    pub fn ledger_row(&self, id: &str) -> Result<Option<LedgerRow>, StoreError> {
        self.run(|trees| {
            let place = trees.get::<LedgerPlace>(In::LedgerIds, id)?;
            place.map_or(Ok(None), |place| trees.get(In::Ledger, place.0.to_be_bytes()))
        })
    }
}

/// Moves a row from the outbox to the ledger; `last_tries` are those since the last failed one that is on record.
pub(super) fn put_settled(
    edits: &mut Edits,
    counts: &mut Counts,
    row: OutboxRow,
    (outcome, last_tries): (LedgerOutcome, u32),
    settled_utc: Timestamp,
) -> Result<LedgerRow, StoreError> {
    let attempts = row.attempts.saturating_add(last_tries);
    let settled = LedgerRow { delivery: row.delivery, settled_utc, outcome, attempts };
    let number = settled.delivery.number;
    edits.put(In::Ledger, number.to_be_bytes(), &settled)?;
    edits.put(In::LedgerIds, &settled.delivery.id, &LedgerPlace(number))?;
    edits.remove(In::Outbox, &settled.delivery.id);
    counts.settled(&settled.outcome);
    counts.pending = counts.pending.saturating_sub(1);
    Ok(settled)
}

/// Takes out of the ledger what is beyond its bounds (`limit` rows); `counts` holds the rows that are about to come in already.
pub(super) fn prune(
    trees: &Trees,
    edits: &mut Edits,
    counts: &mut Counts,
    limit: u64,
    now: Timestamp,
) -> Result<(), StoreError> {
    let surplus = (counts.told + counts.dead).saturating_sub(limit);
    let surplus = usize::try_from(surplus).unwrap_or(usize::MAX);
    let oldest = now.checked_sub(LEDGER_KEEP).unwrap_or(Timestamp::MIN);
    for (index, item) in trees.tree(In::Ledger).iter().take(surplus.saturating_add(PRUNED_AT_ONCE)).enumerate() {
        let (key, bytes) = item?;
        let row = decode::<LedgerRow>(&key, &bytes);
        if index >= surplus && !row.as_ref().is_ok_and(|row| row.settled_utc < oldest) {
            break;
        }
        edits.remove(In::Ledger, &key);
        match row {
            Ok(row) => {
                edits.remove(In::LedgerIds, &row.delivery.id);
                match row.outcome {
                    LedgerOutcome::Told(_) => counts.told = counts.told.saturating_sub(1),
                    LedgerOutcome::Dead(_) | LedgerOutcome::Unwanted(_) => counts.dead = counts.dead.saturating_sub(1),
                }
            }
            // Its entry in the index stays, and leads nowhere.
            Err(_) => counts.told = counts.told.saturating_sub(1),
        }
    }
    Ok(())
}
