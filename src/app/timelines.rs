//! From the journal, the ledger and the notes of what was unseen to the timelines that `verify` scores.

use crate::app::AppError;
use crate::notice::NoticeReason;
use crate::store::{LedgerOutcome, LedgerRow, Listed, Store};
use crate::threat::verification::{Timeline, Watched, dark};
use crate::threat::{Level, later};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Journal and ledger rows read at once: what a timeline needs of them is small, what they hold is not.
const PAGE: usize = 500;
/// The store keeps no more of the past than this.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 366);

/// Level from each instant on.
type Steps = Vec<(Timestamp, Level)>;

/// The timelines of all points that are registered, until `to`.
pub(super) fn of(store: &Store, to: Timestamp) -> Result<Vec<Watched>, AppError> {
    let mut stood = stood(store)?;
    let mut told = told(store)?;
    let kept = later(to, -KEPT);
    let points = rows(store.watch_points()?).into_iter().map(|point| {
        let (began_at, steps) = stood.remove(&point.id).unwrap_or_default();
        let mut from_utc = point.created_utc.max(kept);
        if began_at > Level::None
            && let Some((first, _)) = steps.first()
        {
            // The entries before are gone: what stood then is not known.
            from_utc = from_utc.max(*first);
        }
        let sights = rows(store.sights_of(&point.id, from_utc..=to)?);
        let unseen = sights.iter().map(|row| (row.at_utc.max(from_utc), row.blind_spots.as_slice()));
        let dark = dark(unseen, to);
        let timeline = |steps| Timeline { from_utc, to_utc: to, steps, dark: dark.clone() };
        let told = timeline(told.remove(&point.id).unwrap_or_default());
        Ok(Watched { id: point.id, name: point.name, at: point.at, stood: timeline(steps), told })
    });
    points.collect()
}

/// By watch point: the level that its oldest entry left, and the levels from each instant on.
fn stood(store: &Store) -> Result<BTreeMap<String, (Level, Steps)>, AppError> {
    let mut all: BTreeMap<String, (Level, Steps)> = BTreeMap::new();
    let mut from = 0;
    loop {
        let page = rows(store.journal(None, from, PAGE)?);
        let Some(last) = page.last() else { return Ok(all) };
        from = last.number.saturating_add(1);
        for entry in page {
            let (_, steps) = all.entry(entry.change.watch_point).or_insert((entry.change.from, Vec::new()));
            steps.push((entry.change.at_utc, entry.change.to));
        }
    }
}

/// By watch point: the level last told, from each instant on. A notice is told once it has reached the first address.
fn told(store: &Store) -> Result<BTreeMap<String, Steps>, AppError> {
    let mut notices: BTreeMap<(String, Timestamp), (Timestamp, Level)> = BTreeMap::new();
    let mut from = 0;
    loop {
        let page = rows(store.ledger(from, PAGE)?);
        let Some(last) = page.last() else { break };
        from = last.delivery.number.saturating_add(1);
        for row in page {
            let Some(level) = level_told(&row) else { continue };
            for point in &row.delivery.watch_points {
                let told = notices.entry((point.clone(), row.delivery.decided_utc)).or_insert((row.settled_utc, level));
                told.0 = told.0.min(row.settled_utc);
            }
        }
    }
    let mut all: BTreeMap<String, Steps> = BTreeMap::new();
    for ((point, _), (settled, level)) in notices {
        let steps = all.entry(point).or_default();
        // Decided in this order: what came late does not overtake what was decided after it.
        let at = steps.last().map_or(settled, |(before, _)| settled.max(*before));
        steps.push((at, level));
    }
    Ok(all)
}

fn level_told(row: &LedgerRow) -> Option<Level> {
    let LedgerOutcome::Told(_) = row.outcome else { return None };
    match row.delivery.reason {
        // A point may be below its level, and a threat stand there all the same.
        NoticeReason::Raised
        | NoticeReason::Lowered
        | NoticeReason::AllClear
        | NoticeReason::WentBlind
        | NoticeReason::SeesAgain
        | NoticeReason::Digest => Some(row.delivery.level),
        NoticeReason::Test | NoticeReason::Confirmation => None,
    }
}

/// The readable rows; the damaged ones are said on stderr.
fn rows<T>(listed: Listed<T>) -> Vec<T> {
    for error in &listed.damaged {
        tracing::error!(%error, "damaged row: left out of the score");
    }
    listed.rows
}

/// The stretch that all timelines together cover; `None` without any.
pub(super) fn span(watched: &[Watched]) -> Option<RangeInclusive<Timestamp>> {
    let from = watched.iter().map(|watched| watched.stood.from_utc).min()?;
    let to = watched.iter().map(|watched| watched.stood.to_utc).max()?;
    Some(from..=to)
}
