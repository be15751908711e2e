//! Reading what can be read out of a copy of a damaged store, and writing it into a fresh one.

use super::reason;
use crate::notice::{AddressProof, Browser, Held, Owner, OwnerSight, WatchPoint};
use crate::observation::PlaceZones;
use crate::store::beside::{self, SLED_DIR};
use crate::store::error::StoreError;
use crate::store::guard::caught;
use crate::store::ledger::LedgerPlace;
use crate::store::meta::{self, Counts};
use crate::store::trees::{Edits, In, Trees};
use crate::store::wire::{Wire, decode};
use crate::store::{CursorRow, JournalEntry, Lasting, LedgerRow, OutboxRow, Saved, SightRow, SourceStatus, Store};
use crate::threat::PointState;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Rows written at once: a transaction holds them all in memory.
const ROWS_AT_ONCE: usize = 1_000;

/// The readable rows of one tree, by key.
type Rows<T> = BTreeMap<Vec<u8>, T>;

/// Everything that could be read.
#[derive(Debug, Default)]
pub(super) struct Salvaged {
    watch_points: Rows<WatchPoint>,
    zones: Rows<PlaceZones>,
    levels: Rows<PointState>,
    journal: Rows<JournalEntry>,
    outbox: Rows<OutboxRow>,
    ledger: Rows<LedgerRow>,
    cursors: Rows<CursorRow>,
    sources: Rows<SourceStatus>,
    owners: Rows<Owner>,
    addresses: Rows<AddressProof>,
    browsers: Rows<Browser>,
    held: Rows<Held>,
    owner_sights: Rows<OwnerSight>,
    sights: Rows<SightRow>,
    counts: Counts,
    high_water: Option<jiff::Timestamp>,
    /// Watch points that only the text copy still knew.
    pub from_text_copy: usize,
    /// What could not be read.
    pub unreadable: Vec<String>,
}

/// Reads a copy of a damaged store. The copy is changed by it.
pub(super) fn read(copy: &Path) -> Result<Salvaged, StoreError> {
    let mut found = Salvaged::default();
    match open(&copy.join(SLED_DIR)) {
        Ok(trees) => {
            read_trees(&trees, &mut found);
            mind_the_lost(&mut found, beside::Tally::noted(copy)?);
            // A damaged sled may panic in its last flush, too.
            if let Err(why) = caught(move || drop(trees)) {
                tracing::debug!(why, "closing the copy");
            }
        }
        Err(why) => found.unreadable.push(format!("sled: {why}")),
    }
    let (points, wrong) = beside::read_watch_points(copy)?;
    found.unreadable.extend(wrong);
    for point in points {
        let key = point.id.clone().into_bytes();
        if !found.watch_points.contains_key(&key) {
            found.from_text_copy += 1;
            found.watch_points.insert(key, point);
        }
    }
    // What stands in the ledger is not told again.
    let settled: BTreeSet<&str> = found.ledger.values().map(|row| row.delivery.id.as_str()).collect();
    found.outbox.retain(|_, row| !settled.contains(row.delivery.id.as_str()));
    found.levels.retain(|id, _| found.watch_points.contains_key(id));
    Ok(found)
}

/// Where sled went back in time, notices were told that it knows nothing of. Their numbers within the running episodes must
/// not be given again: a new notice under the id of an old one would be dropped as a duplicate by whoever got the old.
fn mind_the_lost(found: &mut Salvaged, noted_commits: Option<u64>) {
    let lost = noted_commits.unwrap_or(0).saturating_sub(found.counts.commits);
    if lost == 0 {
        return;
    }
    found.unreadable.push(format!("the last {lost} transactions"));
    // No transaction tells more than a rise and a loss of sight of one point.
    let skipped = u32::try_from(lost.saturating_mul(2)).unwrap_or(u32::MAX);
    for episode in found.levels.values_mut().filter_map(|state| state.episode.as_mut()) {
        episode.sequence = episode.sequence.saturating_add(skipped);
    }
}

/// Opens sled in ever less trusting ways.
fn open(sled_dir: &Path) -> Result<Trees, String> {
    if !sled_dir.join("db").is_file() {
        return Err("its log (db) is missing".to_owned());
    }
    // `conf` holds only settings that never change; sled writes it again.
    let _ = fs::remove_file(sled_dir.join("conf"));
    Trees::open(sled_dir).or_else(|_| {
        // Snapshots only shorten the reading of the log.
        for entry in fs::read_dir(sled_dir).into_iter().flatten().filter_map(Result::ok) {
            if entry.file_name().to_string_lossy().starts_with("snap") {
                let _ = fs::remove_file(entry.path());
            }
        }
        Trees::open(sled_dir).map_err(reason)
    })
}

fn read_trees(trees: &Trees, found: &mut Salvaged) {
    let wrong = &mut found.unreadable;
    found.watch_points = rows(trees, In::WatchPoints, wrong);
    found.zones = rows(trees, In::Zones, wrong);
    found.levels = rows(trees, In::Levels, wrong);
    found.journal = rows(trees, In::Journal, wrong);
    found.outbox = rows(trees, In::Outbox, wrong);
    found.ledger = rows(trees, In::Ledger, wrong);
    found.cursors = rows(trees, In::Cursors, wrong);
    found.sources = rows(trees, In::Sources, wrong);
    found.owners = rows(trees, In::Owners, wrong);
    found.addresses = rows(trees, In::Addresses, wrong);
    found.browsers = rows(trees, In::Browsers, wrong);
    found.held = rows(trees, In::Held, wrong);
    found.owner_sights = rows(trees, In::OwnerSights, wrong);
    found.sights = rows(trees, In::Sights, wrong);
    // Without the counters, numbers go on after the highest that could be read.
    found.counts = caught(|| Counts::read(trees)).ok().and_then(Result::ok).unwrap_or_default();
    found.high_water = caught(|| meta::high_water(trees)).ok().and_then(Result::ok).flatten();
}

/// The readable rows of a tree: from its beginning to the first damage, and from its end back to the last.
fn rows<T: Wire>(trees: &Trees, tree: In, wrong: &mut Vec<String>) -> Rows<T> {
    let mut rows = Rows::new();
    let mut damaged = BTreeSet::new();
    for backward in [false, true] {
        let ended = caught(|| {
            let mut iter = trees.tree(tree).iter();
            loop {
                let (key, bytes) = match if backward { iter.next_back() } else { iter.next() } {
                    None => return None,
                    Some(Err(error)) => return Some(error.to_string()),
                    Some(Ok(item)) => item,
                };
                let seen = match decode::<T>(&key, &bytes) {
                    Ok(row) => rows.insert(key.to_vec(), row).is_some(),
                    Err(error) => !damaged.insert(error.to_string()),
                };
                if seen {
                    return None;
                }
            }
        });
        match ended {
            Ok(None) => break,
            Ok(Some(why)) | Err(why) => {
                let side = if backward { "from its end" } else { "from its beginning" };
                wrong.push(format!("{}, read {side}: {why}", tree.name()));
            }
        }
    }
    wrong.extend(damaged);
    rows
}

/// Makes a fresh store of what was read, and opens it once more to make sure.
pub(super) fn write(found: &Salvaged, dir: &Path) -> Result<Vec<Saved>, StoreError> {
    let store = Store::open(dir)?;
    let saved = [
        put(&store, In::WatchPoints, &found.watch_points)?,
        put(&store, In::Zones, &found.zones)?,
        put(&store, In::Levels, &found.levels)?,
        put(&store, In::Journal, &found.journal)?,
        put(&store, In::Outbox, &found.outbox)?,
        put(&store, In::Ledger, &found.ledger)?,
        put(&store, In::Cursors, &found.cursors)?,
        put(&store, In::Sources, &found.sources)?,
        put(&store, In::Owners, &found.owners)?,
        put(&store, In::Addresses, &found.addresses)?,
        put(&store, In::Browsers, &found.browsers)?,
        put(&store, In::Held, &found.held)?,
        put(&store, In::OwnerSights, &found.owner_sights)?,
        put(&store, In::Sights, &found.sights)?,
    ];
    let places: Vec<_> = found.ledger.values().map(|row| (row.delivery.id.as_str(), row.delivery.number)).collect();
    for part in places.chunks(ROWS_AT_ONCE) {
        let mut edits = Edits::default();
        for (id, number) in part {
            edits.put(In::LedgerIds, id, &LedgerPlace(*number))?;
        }
        store.write_soon(edits)?;
    }
    let mut edits = Edits::default();
    if let Some(at) = found.high_water {
        store.run(|trees| meta::put_high_water(trees, &mut edits, at))?;
    }
    let mut writer = store.writer();
    let mut counts = writer.counts.clone();
    counts.next_journal = counts.next_journal.max(found.counts.next_journal);
    counts.next_delivery = counts.next_delivery.max(found.counts.next_delivery);
    store.write(&mut writer, edits, counts, Lasting::Yes)?;
    drop(writer);
    drop(store);
    let checked = Store::open(dir)?;
    match checked.first_damage()? {
        Some(error) => Err(error),
        None => Ok(saved.into_iter().collect()),
    }
}

fn put<T: Wire>(store: &Store, tree: In, rows: &Rows<T>) -> Result<Saved, StoreError> {
    let all: Vec<_> = rows.iter().collect();
    for part in all.chunks(ROWS_AT_ONCE) {
        let mut edits = Edits::default();
        for (key, row) in part {
            edits.put(tree, key, *row)?;
        }
        store.write_soon(edits)?;
    }
    Ok(Saved { tree: tree.name().to_owned(), rows: rows.len() as u64 })
}
