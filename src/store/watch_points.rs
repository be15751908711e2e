//! Watch points by id. Removing one takes its state and its pending notices with it; journal and ledger stay.

use super::addresses::Ask;
use super::error::StoreError;
use super::formats;
use super::sights;
use super::trees::{Edits, In};
use super::wire::{Listed, Wire};
use super::{Lasting, OutboxRow, Store};
use crate::geo::LatLon;
use crate::notice::{Held, OwnerSight, WatchPoint, heard, sight};
use jiff::Timestamp;

/// Watch points of one store: ten times what one synthesis is measured with. The limits per owner are the desk's.
pub const WATCH_POINTS_MAX: u64 = 1_000_000;

impl Wire for WatchPoint {
    const TREE: &'static str = "watch_points";
    const FORMAT: u8 = 2;

    fn from_older(format: u8, body: &[u8]) -> Result<Self, String> {
        formats::older::<formats::WatchPoint1, _>(format, 1, body)
    }

    fn check(&self) -> Result<(), String> {
        LatLon::new(self.at.lat(), self.at.lon()).map(|_| ()).map_err(|error| error.to_string())
    }
}

impl Store {
    /// Writes a watch point, new or changed; it has reached the disk when this returns.
    ///
    /// # Errors
    /// `TooManyWatchPoints`, or when the store cannot be written.
    pub fn put_watch_point(&self, point: &WatchPoint) -> Result<(), StoreError> {
        self.put_watch_point_asking(point, &[])
    }

    /// The same with the confirmations that its addresses need, in one transaction.
    ///
    /// # Errors
    /// As `put_watch_point`; `OutboxFull`, or `Full` when no more addresses can be stored.
    pub fn put_watch_point_asking(&self, point: &WatchPoint, asks: &[Ask]) -> Result<(), StoreError> {
        let mut writer = self.writer();
        let known = self.run(|trees| Ok(trees.tree(In::WatchPoints).contains_key(&point.id)?))?;
        let mut edits = Edits::default();
        let mut counts = self.put_asks(&writer, asks, &mut edits)?;
        if !known {
            let limit = writer.limits.watch_points;
            if counts.watch_points >= limit {
                return Err(StoreError::TooManyWatchPoints { limit });
            }
            counts.watch_points += 1;
        }
        edits.put(In::WatchPoints, &point.id, point)?;
        self.write(&mut writer, edits, counts, Lasting::Yes)?;
        self.renew_copy();
        Ok(())
    }

    /// Changes what stands of a watch point, in one piece with reading it, so that no two changes undo each other and none
    /// brings a removed point back; on disk when this returns. `None` when there is no such point.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn change_watch_point(
        &self,
        id: &str,
        change: impl FnOnce(&mut WatchPoint),
    ) -> Result<Option<WatchPoint>, StoreError> {
        self.change_watch_point_asking(id, &[], change)
    }

    /// The same with the confirmations that its addresses need, in one transaction.
    ///
    /// # Errors
    /// As `change_watch_point`; `OutboxFull`, or `Full` when no more addresses can be stored.
    pub fn change_watch_point_asking(
        &self,
        id: &str,
        asks: &[Ask],
        change: impl FnOnce(&mut WatchPoint),
    ) -> Result<Option<WatchPoint>, StoreError> {
        let mut writer = self.writer();
        let Some(before) = self.watch_point(id)? else { return Ok(None) };
        let mut point = before.clone();
        change(&mut point);
        let mut edits = Edits::default();
        self.forget_taken_off(&mut edits, &before, &point)?;
        let counts = self.put_asks(&writer, asks, &mut edits)?;
        edits.put(In::WatchPoints, id, &point)?;
        self.write(&mut writer, edits, counts, Lasting::Yes)?;
        self.renew_copy();
        Ok(Some(point))
    }

    /// What is taken off a point has not heard of its episode any more, nor of lost sight where no other point names it.
    pub(super) fn forget_taken_off(
        &self,
        edits: &mut Edits,
        before: &WatchPoint,
        after: &WatchPoint,
    ) -> Result<(), StoreError> {
        if let Some(mut state) = self.state(&after.id)?
            && heard::taken_off(before, after, &mut state)
        {
            edits.put(In::Levels, &after.id, &state)?;
        }
        if before.addresses.iter().all(|address| after.addresses.contains(address)) {
            return Ok(());
        }
        for mut row in self.held()?.into_iter().filter(|row| row.watch_point == after.id) {
            if heard::held_taken_off(before, after, &mut row) {
                edits.put(In::Held, &row.id, &row)?;
            }
        }
        if let Some(mut stands) = self.run(|trees| trees.get::<OwnerSight>(In::OwnerSights, &after.owner))? {
            let others = self.watch_points()?.rows;
            let others = others.iter().filter(|other| other.owner == after.owner && other.id != after.id);
            if sight::taken_off(&mut stands, before, after, others) {
                edits.put(In::OwnerSights, &after.owner, &stands)?;
            }
        }
        Ok(())
    }

    /// Called under the writer's lock: two registrations at once must not put an older copy over a newer one.
    pub(super) fn renew_copy(&self) {
        if let Err(error) = self.copy_watch_points(None) {
            // The point stands in sled; a copy that lags behind is brought up to date at the next change or start.
            tracing::warn!(%error, "the copy of the watch points lags behind");
        }
    }

    /// Removes a watch point with its state and its pending notices, and notes that its watch ended at `at_utc`. A notice that
    /// speaks of other points too loses only this one. False when there is no such point.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn remove_watch_point(&self, id: &str, at_utc: Timestamp) -> Result<bool, StoreError> {
        let mut writer = self.writer();
        if !self.run(|trees| Ok(trees.tree(In::WatchPoints).contains_key(id)?))? {
            return Ok(false);
        }
        // The copy goes first: it must never name a point that sled does not hold, which would read as a loss.
        self.copy_watch_points(Some(id))?;
        let mut counts = writer.counts.clone();
        let mut edits = Edits::default();
        edits.remove(In::WatchPoints, id);
        edits.remove(In::Levels, id);
        counts.watch_points = counts.watch_points.saturating_sub(1);
        let pending = self.run(|trees| trees.list::<OutboxRow>(In::Outbox))?;
        for mut row in pending {
            if !row.delivery.watch_points.iter().any(|point| point == id) {
                continue;
            }
            row.delivery.watch_points.retain(|point| point != id);
            if row.delivery.watch_points.is_empty() {
                edits.remove(In::Outbox, &row.delivery.id);
                counts.pending = counts.pending.saturating_sub(1);
            } else {
                edits.put(In::Outbox, &row.delivery.id, &row)?;
            }
        }
        for held in self.run(|trees| trees.list::<Held>(In::Held))?.into_iter().filter(|held| held.watch_point == id) {
            edits.remove(In::Held, &held.id);
        }
        let limit = writer.limits.sights;
        self.run(|trees| sights::note_end(trees, id, at_utc, limit, &mut edits, &mut counts))?;
        self.write(&mut writer, edits, counts, Lasting::Yes)?;
        Ok(true)
    }

    /// All watch points, sorted by id.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn watch_points(&self) -> Result<Listed<WatchPoint>, StoreError> {
        self.run(|trees| trees.list(In::WatchPoints))
    }

    /// One watch point.
    ///
    /// # Errors
    /// When the store or this row cannot be read.
    pub fn watch_point(&self, id: &str) -> Result<Option<WatchPoint>, StoreError> {
        self.run(|trees| trees.get(In::WatchPoints, id))
    }
}
