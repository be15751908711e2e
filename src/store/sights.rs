//! What could not be seen of each watch point, by running number: one row whenever that changes, so that afterwards a quiet
//! stretch and a blind one can be told apart. Bounded by count and age, oldest first.

use super::error::StoreError;
use super::journal::JOURNAL_KEEP;
use super::meta::Counts;
use super::past;
use super::trees::{Edits, In, Trees};
use super::wire::{Listed, Wire, decode};
use super::{Decision, Lasting, SightRow, Store};
use crate::threat::{BlindSpot, Level, PointState};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Rows kept: at about 300 bytes each some 60 MB, two hundred outages of one source over a thousand points.
pub const SIGHTS_MAX: u64 = 200_000;
/// Rows of one watch point read at once.
pub const SIGHTS_OF_POINT_MAX: usize = 2_000;
/// A process that was away for longer than this was blind: shorter is a restart, within what every source may be late.
pub const AWAY_NOTED_AFTER: SignedDuration = SignedDuration::from_mins(5);
/// Source id of the process itself.
pub const AWAY_ID: &str = "stormbell";

/// Source id of the end of a watch: from then on nothing of the point is seen.
pub const ENDED_ID: &str = "watch";

impl Wire for SightRow {
    const TREE: &'static str = "sights";
    const FORMAT: u8 = 1;
}

/// Adds a row for each watch point of which something else is unseen than before, and takes out what is beyond the bounds.
pub(super) fn note(
    trees: &Trees,
    decision: &Decision,
    limit: u64,
    edits: &mut Edits,
    counts: &mut Counts,
    stands: impl Fn(&str) -> bool,
) -> Result<(), StoreError> {
    let Some(at_utc) = decision.at_utc else { return Ok(()) };
    let mut adding = 0;
    for (id, state) in decision.states.iter().filter(|(id, _)| stands(id)) {
        let before = trees.get::<PointState>(In::Levels, id)?;
        if before.is_none_or(|before| unseen(&before.blind_spots) != unseen(&state.blind_spots)) {
            put(edits, counts, id, at_utc, state.blind_spots.clone())?;
            adding += 1;
        }
    }
    if adding > 0 { prune(trees, edits, counts, limit, at_utc) } else { Ok(()) }
}

fn unseen(spots: &[BlindSpot]) -> Vec<(&str, Level)> {
    spots.iter().map(|spot| (spot.source.as_str(), spot.could_raise_to)).collect()
}

fn put(
    edits: &mut Edits,
    counts: &mut Counts,
    watch_point: &str,
    at_utc: Timestamp,
    blind_spots: Vec<BlindSpot>,
) -> Result<(), StoreError> {
    let row = SightRow { number: counts.next_sight, watch_point: watch_point.to_owned(), at_utc, blind_spots };
    edits.put(In::Sights, row.number.to_be_bytes(), &row)?;
    counts.next_sight += 1;
    counts.sights += 1;
    Ok(())
}

/// Notes that a point is not watched any more, so that its past is never read on beyond that.
pub(super) fn note_end(
    trees: &Trees,
    watch_point: &str,
    at_utc: Timestamp,
    limit: u64,
    edits: &mut Edits,
    counts: &mut Counts,
) -> Result<(), StoreError> {
    let ended = BlindSpot {
        source: ENDED_ID.to_owned(),
        since_utc: Some(at_utc),
        why: "it is not watched any more".to_owned(),
        could_raise_to: Level::Extreme,
    };
    put(edits, counts, watch_point, at_utc, vec![ended])?;
    prune(trees, edits, counts, limit, at_utc)
}

fn prune(trees: &Trees, edits: &mut Edits, counts: &mut Counts, limit: u64, now: Timestamp) -> Result<(), StoreError> {
    let surplus = usize::try_from(counts.sights.saturating_sub(limit)).unwrap_or(usize::MAX);
    let oldest = now.checked_sub(JOURNAL_KEEP).unwrap_or(Timestamp::MIN);
    let looked_at = surplus.saturating_add(super::journal::PRUNED_AT_ONCE);
    for (index, item) in trees.tree(In::Sights).iter().take(looked_at).enumerate() {
        let (key, bytes) = item?;
        let aged = || decode::<SightRow>(&key, &bytes).is_ok_and(|row| row.at_utc < oldest);
        if index >= surplus && !aged() {
            break;
        }
        edits.remove(In::Sights, &key);
        counts.sights = counts.sights.saturating_sub(1);
    }
    Ok(())
}

impl SightRow {
    /// Whether this is where the watch of its point ended.
    pub fn is_end(&self) -> bool {
        self.blind_spots.iter().any(|spot| spot.source == ENDED_ID)
    }
}

impl Store {
    /// What could not be seen of a watch point in `within`: the row that holds at its beginning and those that follow, in order; of
    /// more than `SIGHTS_OF_POINT_MAX` the newest. Each row holds from its time until the next.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn sights_of(
        &self,
        watch_point: &str,
        within: RangeInclusive<Timestamp>,
    ) -> Result<Listed<SightRow>, StoreError> {
        let (from, to) = within.into_inner();
        self.run(|trees| {
            let mut listed = Listed::default();
            for item in trees.tree(In::Sights).iter().rev() {
                let (key, bytes) = item?;
                let at_utc = match past::beginning(&bytes, &[SightRow::FORMAT]) {
                    Some(row) if row.watch_point != watch_point || row.at_utc > to => continue,
                    row => row.map(|row| row.at_utc),
                };
                listed.take(decode(&key, &bytes));
                if at_utc.is_some_and(|at| at <= from) || listed.rows.len() >= SIGHTS_OF_POINT_MAX {
                    break;
                }
            }
            listed.rows.reverse();
            Ok(listed)
        })
    }

    /// Notes that the process was away until `now`, if it was: from the last poll of any source on, nothing was seen of any
    /// point. Called once at the start, before anything is polled. Returns since when.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn note_away(&self, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let polled = self.source_statuses()?.rows.into_iter().filter_map(|(_, status)| status.last_poll_utc).max();
        let Some(since) = polled.filter(|polled| now.duration_since(*polled) > AWAY_NOTED_AFTER) else {
            return Ok(None);
        };
        let points = self.watch_points()?.rows;
        let states: BTreeMap<String, PointState> = self.states()?.rows.into_iter().collect();
        let mut writer = self.writer();
        let mut counts = writer.counts.clone();
        let mut edits = Edits::default();
        for point in &points {
            let Some(state) = states.get(&point.id) else { continue };
            let away = BlindSpot {
                source: AWAY_ID.to_owned(),
                since_utc: Some(since),
                why: "stormbell did not run".to_owned(),
                could_raise_to: Level::Extreme,
            };
            put(&mut edits, &mut counts, &point.id, since, vec![away])?;
            put(&mut edits, &mut counts, &point.id, now, state.blind_spots.clone())?;
        }
        let limit = writer.limits.sights;
        self.run(|trees| prune(trees, &mut edits, &mut counts, limit, now))?;
        self.write(&mut writer, edits, counts, Lasting::Soon)?;
        Ok(Some(since))
    }
}
