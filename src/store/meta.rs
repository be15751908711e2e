//! The store's own numbers: layout, counters, the virtual time reached.

use super::error::StoreError;
use super::journal::JOURNAL_ENTRIES_MAX;
use super::ledger::LEDGER_ROWS_MAX;
use super::outbox::OUTBOX_ROWS_MAX;
use super::sights::SIGHTS_MAX;
use super::trees::{Edits, In, Trees};
use super::watch_points::WATCH_POINTS_MAX;
use super::wire::{Wire, decode, key_number};
use super::zones::ZONES_MAX;
use super::{LedgerOutcome, LedgerRow, OutboxRow, Store};
use crate::notice::WatchPoint;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::Path;

const LAYOUT_KEY: &str = "layout";
const HIGH_WATER_KEY: &str = "high_water";
const COMMITS_KEY: &str = "commits";
const NEXT_JOURNAL_KEY: &str = "next_journal";
const NEXT_DELIVERY_KEY: &str = "next_delivery";
const NEXT_SIGHT_KEY: &str = "next_sight";

/// One of the store's numbers.
#[derive(Debug, Serialize, Deserialize)]
struct Number(u64);

impl Wire for Number {
    const TREE: &'static str = "meta";
    const FORMAT: u8 = 1;
}

#[derive(Debug, Serialize, Deserialize)]
struct HighWater(Timestamp);

impl Wire for HighWater {
    const TREE: &'static str = "meta";
    const FORMAT: u8 = 1;
}

/// What the writer counts. The first four are stored; the others are found by reading once, at the start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Transactions that were made to last.
    pub commits: u64,
    /// Number of the next journal entry.
    pub next_journal: u64,
    /// Number of the next delivery.
    pub next_delivery: u64,
    /// Number of the next row of what could not be seen.
    pub next_sight: u64,
    /// Watch points.
    pub watch_points: u64,
    /// Zones.
    pub zones: u64,
    /// Journal entries.
    pub journal: u64,
    /// Outbox rows.
    pub pending: u64,
    /// Ledger rows of what was told.
    pub told: u64,
    /// Ledger rows of what was given up.
    pub dead: u64,
    /// Rows of what could not be seen.
    pub sights: u64,
}

impl Counts {
    /// Adds what the stored numbers need to the edits of a transaction.
    pub(super) fn put_changed(&self, before: &Self, edits: &mut Edits) -> Result<(), StoreError> {
        for (key, now, then) in [
            (COMMITS_KEY, self.commits, before.commits),
            (NEXT_JOURNAL_KEY, self.next_journal, before.next_journal),
            (NEXT_DELIVERY_KEY, self.next_delivery, before.next_delivery),
            (NEXT_SIGHT_KEY, self.next_sight, before.next_sight),
        ] {
            if now != then {
                edits.put(In::Meta, key, &Number(now))?;
            }
        }
        Ok(())
    }

    /// Reads the numbers of an open store. Reading every tree once also finds damage at the start, not in the storm.
    pub(super) fn read(trees: &Trees) -> Result<Self, StoreError> {
        let number = |key| Ok::<_, StoreError>(trees.get::<Number>(In::Meta, key)?.map_or(0, |number| number.0));
        let mut counts = Self {
            commits: number(COMMITS_KEY)?,
            next_journal: number(NEXT_JOURNAL_KEY)?.max(1),
            next_delivery: number(NEXT_DELIVERY_KEY)?.max(1),
            next_sight: number(NEXT_SIGHT_KEY)?.max(1),
            ..Self::default()
        };
        for (tree, count) in [
            (In::WatchPoints, &mut counts.watch_points),
            (In::Zones, &mut counts.zones),
            (In::Journal, &mut counts.journal),
            (In::Sights, &mut counts.sights),
        ] {
            for item in trees.tree(tree) {
                item?;
                *count += 1;
            }
        }
        for item in trees.tree(In::Outbox) {
            let (key, bytes) = item?;
            counts.pending += 1;
            if let Ok(row) = decode::<OutboxRow>(&key, &bytes) {
                counts.next_delivery = counts.next_delivery.max(row.delivery.number.saturating_add(1));
            }
        }
        for item in trees.tree(In::Ledger) {
            let (key, bytes) = item?;
            match decode::<LedgerRow>(&key, &bytes) {
                Ok(row) => counts.settled(&row.outcome),
                // Counted as told: to tell it again would be the greater mistake.
                Err(_) => counts.told += 1,
            }
        }
        // Numbers are never given twice, also where the stored counters were lost in a repair.
        for (tree, next) in [
            (In::Journal, &mut counts.next_journal),
            (In::Ledger, &mut counts.next_delivery),
            (In::Sights, &mut counts.next_sight),
        ] {
            if let Some((key, _)) = trees.tree(tree).last()? {
                *next = (*next).max(key_number(&key).unwrap_or(0).saturating_add(1));
            }
        }
        Ok(counts)
    }

    /// Counts one more ledger row.
    pub(super) fn settled(&mut self, outcome: &LedgerOutcome) {
        match outcome {
            LedgerOutcome::Told(_) => self.told += 1,
            LedgerOutcome::Dead(_) | LedgerOutcome::Unwanted(_) => self.dead += 1,
        }
    }
}

/// How much the bounded trees hold. Always the named constants, but in tests, which cannot wait for so many rows.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    pub watch_points: u64,
    pub zones: u64,
    pub journal: u64,
    pub pending: u64,
    pub ledger: u64,
    pub sights: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            watch_points: WATCH_POINTS_MAX,
            zones: ZONES_MAX,
            journal: JOURNAL_ENTRIES_MAX,
            pending: OUTBOX_ROWS_MAX,
            ledger: LEDGER_ROWS_MAX,
            sights: SIGHTS_MAX,
        }
    }
}

/// The layout that the store was made in; `None` where sled has lost what it held.
pub(super) fn layout(trees: &Trees) -> Result<Option<u64>, StoreError> {
    Ok(trees.get::<Number>(In::Meta, LAYOUT_KEY)?.map(|number| number.0))
}

/// Marks a new store.
pub(super) fn put_layout(edits: &mut Edits, layout: u64) -> Result<(), StoreError> {
    edits.put(In::Meta, LAYOUT_KEY, &Number(layout))
}

/// The virtual time reached.
pub(super) fn high_water(trees: &Trees) -> Result<Option<Timestamp>, StoreError> {
    Ok(trees.get::<HighWater>(In::Meta, HIGH_WATER_KEY)?.map(|high_water| high_water.0))
}

/// Adds the virtual time reached to a transaction, unless a later one stands already.
pub(super) fn put_high_water(trees: &Trees, edits: &mut Edits, at: Timestamp) -> Result<(), StoreError> {
    if high_water(trees)?.is_none_or(|held| held < at) {
        edits.put(In::Meta, HIGH_WATER_KEY, &HighWater(at))?;
    }
    Ok(())
}

/// Whether sled still holds what the files beside it prove that it held.
pub(super) fn refuse_losses(
    dir: &Path,
    trees: &Trees,
    counts: &Counts,
    noted_commits: Option<u64>,
    copied: &[WatchPoint],
) -> Result<(), StoreError> {
    if let Some(noted) = noted_commits.filter(|noted| *noted > counts.commits) {
        let why = format!("sled came back with {} of {noted} transactions", counts.commits);
        return Err(StoreError::corrupt(dir, why));
    }
    for point in copied {
        if !trees.tree(In::WatchPoints).contains_key(&point.id)? {
            return Err(StoreError::corrupt(dir, format!("watch point {:?} ({}) is lost", point.name, point.id)));
        }
    }
    Ok(())
}

impl Store {
    /// The virtual time that a replay has reached; `None` when none ever ran.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn high_water_utc(&self) -> Result<Option<Timestamp>, StoreError> {
        self.run(high_water)
    }
}
