//! What an owner asks of a watch point besides watching: to be left alone with what they know, and to be sent a test.

use super::{Points, store_failed};
use crate::desk::{DeskError, WatchedPoint};
use crate::notice::book::{Book, LIMIT_WINDOW};
use crate::notice::trial::{TESTS_PER_OWNER_HOUR_MAX, trial};
use crate::notice::{Acknowledged, Address, NoticeReason, WatchPoint};
use crate::outside::compute;
use crate::store::{Decision, StoreError};
use crate::threat::{Level, PointState, later};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;

impl Points {
    /// Notes that `owner` knows of the level that stands; `None` when there is no such point.
    pub fn acknowledge(&self, owner: &str, id: &str, now: Timestamp) -> Result<Option<WatchedPoint>, DeskError> {
        let Some(WatchedPoint { point, state }) = self.one(owner, id)? else { return Ok(None) };
        let standing = state.as_ref().filter(|state| state.level >= point.min_level.max(Level::Marginal));
        let Some((level, episode)) = standing.and_then(|state| Some((state.level, state.episode.as_ref()?))) else {
            let name = &point.name;
            let why = match &state {
                None => format!("{name} has not been judged yet: nothing to acknowledge"),
                Some(_) => format!("{name} is below the level that you are told of: nothing to acknowledge"),
            };
            return Err(DeskError::Invalid { field: "id", why });
        };
        let known = Acknowledged { episode: episode.id.clone(), level, at_utc: now };
        let changed = compute(|| self.store.change_watch_point(id, |point| point.acknowledged = Some(known)));
        Ok(changed.map_err(store_failed)?.map(|point| WatchedPoint { point, state }))
    }

    /// Sends a test through every proven channel of a point of `owner`; where it goes. `None` when there is no such point.
    pub fn send_test(&self, owner: &str, id: &str, now: Timestamp) -> Result<Option<Vec<Address>>, DeskError> {
        let Some(WatchedPoint { point, state }) = self.one(owner, id)? else { return Ok(None) };
        let asked = compute(|| self.tests_within_the_hour(owner, now)).map_err(store_failed)?;
        if asked >= TESTS_PER_OWNER_HOUR_MAX {
            return Err(DeskError::Limit {
                what: "test notices of one owner within an hour",
                limit: TESTS_PER_OWNER_HOUR_MAX,
            });
        }
        let mut book = Book::default();
        book.set_browsers(compute(|| self.store.browsers()).map_err(store_failed)?);
        let state = state.unwrap_or_else(|| PointState::quiet(now));
        let mut deliveries = trial(&point, &state, book.addresses(&point), now);
        self.addresses.links()?.put(&mut deliveries);
        let decision = Decision { deliveries, ..Decision::default() };
        let committed = compute(|| self.store.commit(&decision)).map_err(store_failed)?;
        Ok(Some(committed.rows.into_iter().map(|row| row.delivery.address).collect()))
    }

    fn one(&self, owner: &str, id: &str) -> Result<Option<WatchedPoint>, DeskError> {
        let read = || -> Result<_, StoreError> { Ok((self.store.watch_point(id)?, self.store.state(id)?)) };
        let (point, state) = compute(read).map_err(store_failed)?;
        Ok(point.filter(|point: &WatchPoint| point.owner == owner).map(|point| WatchedPoint { point, state }))
    }

    fn tests_within_the_hour(&self, owner: &str, now: Timestamp) -> Result<usize, StoreError> {
        let hour_ago = later(now, SignedDuration::ZERO - LIMIT_WINDOW);
        let told = self.store.decided_since(hour_ago)?;
        let tests = told.iter().filter(|delivery| delivery.owner == owner && delivery.reason == NoticeReason::Test);
        Ok(tests.filter(|d| d.decided_utc > hour_ago).map(|d| &d.episode).collect::<BTreeSet<_>>().len())
    }
}

#[cfg(test)]
mod tests;
