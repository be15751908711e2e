//! The journal by running number: why each level moved. Bounded by count and age, oldest first.

use super::error::StoreError;
use super::meta::Counts;
use super::past;
use super::trees::{Edits, In, Trees};
use super::wire::{Listed, Wire, decode};
use super::{JournalEntry, Store};
use crate::threat::LevelChange;
use jiff::{SignedDuration, Timestamp};
use std::ops::RangeInclusive;

/// Entries kept: at about 4 kB each some 200 MB, years of a household and a storm season of a large store.
pub const JOURNAL_ENTRIES_MAX: u64 = 50_000;
/// Entries older than this go: a year, so that last spring can be compared with this one.
pub const JOURNAL_KEEP: SignedDuration = SignedDuration::from_hours(24 * 366);
/// Entries that age may take out of the journal (or the ledger) within one transaction, so that no commit of a storm waits
/// for a year's housekeeping.
pub(super) const PRUNED_AT_ONCE: usize = 64;

impl Wire for JournalEntry {
    const TREE: &'static str = "journal";
    const FORMAT: u8 = 3;

    /// Formats 1 (evidence of warnings and radar alone) and 2 (radar no farther than 40 km) were judged by other rules: what was
    /// decided stands, but this build cannot judge it again, so their basis is left out. Their number is that of the rules.
    fn from_older(format: u8, body: &[u8]) -> Result<Self, String> {
        if !OLDER_FORMATS.contains(&format) {
            return Err(format!("it has format {format}, this build reads formats 1 to {}", Self::FORMAT));
        }
        let ((number, change), _) =
            postcard::take_from_bytes::<(u64, LevelChange)>(body).map_err(|error| error.to_string())?;
        Ok(Self { number, change, basis: None, rules_version: format.to_string(), sequel: None })
    }
}

/// See `JournalEntry::from_older`.
const OLDER_FORMATS: [u8; 2] = [1, 2];
/// All that are read.
const FORMATS: [u8; 3] = [1, 2, JournalEntry::FORMAT];

/// Entries of one watch point read at once: a storm day of a restless place has some dozens, and each may hold a hundred
/// warnings.
pub const JOURNAL_OF_POINT_MAX: usize = 500;

impl Store {
    /// Entries from `from_number` on, in order, at most `limit`; of one watch point, or of all.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn journal(
        &self,
        watch_point: Option<&str>,
        from_number: u64,
        limit: usize,
    ) -> Result<Listed<JournalEntry>, StoreError> {
        self.run(|trees| {
            let mut listed = Listed::default();
            for item in trees.tree(In::Journal).range(from_number.to_be_bytes()..) {
                if listed.rows.len() >= limit {
                    break;
                }
                let (key, bytes) = item?;
                if watch_point.is_none_or(|wanted| may_be_of(&bytes, wanted)) {
                    listed.take(decode(&key, &bytes));
                }
            }
            Ok(listed)
        })
    }

    /// The entries of one watch point with times in `within`, in order; of more than `JOURNAL_OF_POINT_MAX` the newest. Of
    /// the entries of other points only the beginning is read.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn journal_of(
        &self,
        watch_point: &str,
        within: RangeInclusive<Timestamp>,
    ) -> Result<Listed<JournalEntry>, StoreError> {
        self.run(|trees| past::rows_of(trees, In::Journal, &FORMATS, watch_point, within, JOURNAL_OF_POINT_MAX))
    }
}

/// False only where a row surely belongs to another watch point: a damaged row is nobody's and everybody's.
fn may_be_of(bytes: &[u8], wanted: &str) -> bool {
    past::beginning(bytes, &FORMATS).is_none_or(|row| row.watch_point == wanted)
}

/// Takes out of the journal what is beyond its bounds (`limit` entries) once `adding` entries of `now` have come in.
pub(super) fn prune(
    trees: &Trees,
    edits: &mut Edits,
    counts: &mut Counts,
    limit: u64,
    adding: u64,
    now: Timestamp,
) -> Result<(), StoreError> {
    let surplus = usize::try_from((counts.journal + adding).saturating_sub(limit)).unwrap_or(usize::MAX);
    let oldest = now.checked_sub(JOURNAL_KEEP).unwrap_or(Timestamp::MIN);
    for (index, item) in trees.tree(In::Journal).iter().take(surplus.saturating_add(PRUNED_AT_ONCE)).enumerate() {
        let (key, bytes) = item?;
        let aged = || decode::<JournalEntry>(&key, &bytes).is_ok_and(|entry| entry.change.at_utc < oldest);
        if index >= surplus && !aged() {
            break;
        }
        edits.remove(In::Journal, &key);
        counts.journal = counts.journal.saturating_sub(1);
    }
    Ok(())
}
