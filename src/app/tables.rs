//! The tables of a store for the debug commands.

use crate::app::{AppError, timelines};
use crate::cli::records::Records;
use crate::notice::{Held, WatchPoint};
use crate::store::{JournalEntry, LedgerRow, Listed, OutboxRow, Store};
use crate::threat::PointState;
use crate::threat::verification::Watched;
use jiff::Timestamp;
use serde_json::{Value, json};

/// Journal and ledger entries read at once while looking for the newest.
const PAGE: usize = 1_000;

/// A store as the debug commands read it.
pub struct Tables(pub Store);

/// The readable rows; the damaged ones are said on stderr, where the tables stay usable.
fn rows<T>(listed: Listed<T>) -> Vec<T> {
    for error in &listed.damaged {
        tracing::error!(%error, "damaged row");
    }
    listed.rows
}

impl Records for Tables {
    fn health(&self) -> Result<Value, AppError> {
        let health = self.0.health();
        Ok(json!({
            "data_dir": self.0.dir().map(|dir| dir.display().to_string()),
            "watch_points": health.watch_points,
            "pending": health.pending,
            "told": health.told,
            "dead": health.dead,
            "held": self.0.held()?.len(),
            "journal_entries": health.journal_entries,
            "commits": health.commits,
            "bytes_on_disk": health.bytes_on_disk,
            "disk_alarm": health.disk_alarm,
            "broken": health.broken,
            "high_water_utc": self.0.high_water_utc()?,
        }))
    }

    fn points(&self) -> Result<Vec<WatchPoint>, AppError> {
        Ok(rows(self.0.watch_points()?))
    }

    fn states(&self) -> Result<Vec<(String, PointState)>, AppError> {
        Ok(rows(self.0.states()?))
    }

    fn journal(&self, limit: usize) -> Result<Vec<JournalEntry>, AppError> {
        newest(limit, |from| Ok(rows(self.0.journal(None, from, PAGE)?)), |entry| entry.number)
    }

    fn outbox(&self) -> Result<Vec<OutboxRow>, AppError> {
        Ok(rows(self.0.pending()?))
    }

    fn ledger(&self, limit: usize) -> Result<Vec<LedgerRow>, AppError> {
        newest(limit, |from| Ok(rows(self.0.ledger(from, PAGE)?)), |row| row.delivery.number)
    }

    fn held(&self) -> Result<Vec<Held>, AppError> {
        let mut held = rows(self.0.held()?);
        held.sort_by_key(|row| (row.due_utc, row.decided_utc));
        Ok(held)
    }

    fn cursors(&self) -> Result<Vec<(String, String)>, AppError> {
        Ok(rows(self.0.cursors()?).into_iter().map(|row| (row.source, row.cursor)).collect())
    }

    fn timelines(&self, now: Timestamp) -> Result<Vec<Watched>, AppError> {
        timelines::of(&self.0, self.0.high_water_utc()?.unwrap_or(now))
    }

    fn sources(&self) -> Result<Vec<Value>, AppError> {
        let statuses = rows(self.0.source_statuses()?);
        Ok(statuses
            .into_iter()
            .map(|(source, status)| {
                json!({
                    "source": source,
                    "state": status.state,
                    "last_poll_utc": status.last_poll_utc,
                    "last_good_utc": status.last_good_utc,
                    "next_poll_utc": status.next_poll_utc,
                    "consecutive_failures": status.consecutive_failures,
                    "polls": status.polls,
                    "faults_total": status.faults_total,
                    "last_faults": status.last_faults,
                })
            })
            .collect())
    }
}

/// The newest `limit` entries of a numbered table, oldest of them first.
fn newest<T>(
    limit: usize,
    page: impl Fn(u64) -> Result<Vec<T>, AppError>,
    number: impl Fn(&T) -> u64,
) -> Result<Vec<T>, AppError> {
    let (mut kept, mut from) = (std::collections::VecDeque::new(), 0);
    loop {
        let read = page(from)?;
        let Some(last) = read.last().map(&number) else { return Ok(kept.into()) };
        kept.extend(read);
        let too_many = kept.len().saturating_sub(limit);
        kept.drain(..too_many);
        from = last.saturating_add(1);
    }
}
