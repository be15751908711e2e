//! Rows of one watch point in a tree of all of them by running number: found from the newest back, without reading more of
//! the others than their beginning.

use super::error::StoreError;
use super::trees::{In, Trees};
use super::wire::{Listed, Wire, decode};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use std::ops::RangeInclusive;

/// Rows are in the order of their times, but for a clock that was set back by less than this.
const CLOCK_SET_BACK_MAX: SignedDuration = SignedDuration::from_hours(24);

/// The beginning of a row of any format: enough to know whose it is, and of when.
#[derive(Deserialize)]
pub(super) struct Beginning<'a> {
    _number: u64,
    pub watch_point: &'a str,
    pub at_utc: Timestamp,
}

/// `None` for a row that cannot be read, or has a format that is none of these.
pub(super) fn beginning<'a>(bytes: &'a [u8], formats: &[u8]) -> Option<Beginning<'a>> {
    let (format, body) = bytes.split_first()?;
    let known = formats.contains(format);
    known.then(|| postcard::take_from_bytes::<Beginning<'_>>(body).ok().map(|(row, _)| row)).flatten()
}

/// The rows of `watch_point` with times in `within`, oldest first; of more than `limit` the newest. A damaged row is nobody's
/// and everybody's.
pub(super) fn rows_of<T: Wire>(
    trees: &Trees,
    tree: In,
    formats: &[u8],
    watch_point: &str,
    within: RangeInclusive<Timestamp>,
    limit: usize,
) -> Result<Listed<T>, StoreError> {
    let (from, to) = within.into_inner();
    let long_before = from.checked_sub(CLOCK_SET_BACK_MAX).unwrap_or(Timestamp::MIN);
    let mut listed = Listed::default();
    for item in trees.tree(tree).iter().rev() {
        if listed.rows.len() >= limit {
            break;
        }
        let (key, bytes) = item?;
        match beginning(&bytes, formats) {
            Some(row) if row.at_utc < long_before => break,
            Some(row) if row.watch_point != watch_point || row.at_utc < from || row.at_utc > to => {}
            Some(_) | None => listed.take(decode(&key, &bytes)),
        }
    }
    listed.rows.reverse();
    Ok(listed)
}
