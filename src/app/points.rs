//! Watch points over a store: registering, removing, listing. Used by the running service and by one-shot commands.

use crate::app::addresses::{Addresses, Sorted};
use crate::config::Config;
use crate::desk::{
    ADDRESSES_MAX, CLIENT_TOKEN_CHARS_MAX, DeskError, NAME_CHARS_MAX, NewWatchPoint, PointHistory, PointUpdate,
    Registered, SNOOZE_MAX, WatchedPoint, names,
};
use crate::ground::time_zone;
use crate::notice::{Address, QuietHours, WatchPoint, id};
use crate::outside::compute;
use crate::store::{Listed, Store, StoreError};
use crate::threat::later;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;

mod asked;

/// Watch points of one store, under the limits of one configuration.
#[derive(Clone)]
pub struct Points {
    store: Store,
    config: Arc<Config>,
    addresses: Arc<Addresses>,
}

impl Points {
    /// Over this store.
    pub fn new(store: Store, config: Arc<Config>) -> Self {
        let addresses = Arc::new(Addresses::new(store.clone(), Arc::clone(&config)));
        Self { store, config, addresses }
    }

    /// Whose addresses are whose, for those who prove and end them.
    pub fn addresses(&self) -> Arc<Addresses> {
        Arc::clone(&self.addresses)
    }

    /// Registers a point, or returns the one that stands: same owner and token, or same owner, name and point to four
    /// decimals. Of the one that stands nothing changes but that addresses which it has not yet are added.
    pub fn register(&self, wanted: NewWatchPoint, now: Timestamp) -> Result<Registered, DeskError> {
        let wanted = self.checked(wanted, now)?;
        // Also keeps two registrations of the same point at the same moment apart.
        let _turn = self.addresses.turn();
        let all = compute(|| self.store.watch_points()).map_err(store_failed)?.rows;
        let is_over = |point: &WatchPoint| point.until_utc.is_some_and(|until| until <= now);
        if let Some(point) = all.iter().find(|point| same(point, &wanted) && !is_over(point)) {
            return self.stands_already(point, wanted.addresses, now);
        }
        if let Some(point) = all.iter().find(|point| is_over(point) && is_same_place(point, &wanted)) {
            return self.begin_anew(point, wanted, now);
        }
        let limits = &self.config.limits;
        if all.len() >= limits.points_total {
            return Err(DeskError::Limit { what: "watch points in all", limit: limits.points_total });
        }
        if all.iter().filter(|point| point.owner == wanted.owner).count() >= limits.points_per_owner {
            return Err(DeskError::Limit { what: "watch points of one owner", limit: limits.points_per_owner });
        }
        let zones = compute(|| self.store.zones()).map_err(store_failed)?.rows;
        let learned = zones.into_iter().find(|zones| zones.place.key_4dp() == wanted.at.key_4dp());
        // Known at once, so that the first notice already speaks of the place's own time.
        let time_zone = learned.and_then(|zones| zones.time_zone).or_else(|| time_zone(wanted.at).map(str::to_owned));
        let Sorted { proven, waiting, asks, told } = self.addresses.sort(&wanted.owner, wanted.addresses, now)?;
        let point = WatchPoint {
            id: id::watch_point_id(&wanted.owner, &wanted.name, wanted.at, now),
            owner: wanted.owner,
            name: wanted.name,
            at: wanted.at,
            min_level: wanted.min_level,
            addresses: proven,
            time_zone,
            created_utc: now,
            until_utc: wanted.until_utc,
            client_token: wanted.client_token,
            waiting,
            quiet_hours: wanted.quiet_hours,
            snooze_until_utc: None,
            acknowledged: None,
        };
        compute(|| self.store.put_watch_point_asking(&point, &asks)).map_err(store_failed)?;
        Ok(Registered { point, created: true, added: Vec::new(), waiting: told })
    }

    /// A watch whose time is over and that goes on only to tell an end is the new one from now on, as that is wanted. Its
    /// addresses stay beside the new ones: the end is due to them.
    fn begin_anew(&self, point: &WatchPoint, wanted: NewWatchPoint, now: Timestamp) -> Result<Registered, DeskError> {
        let asked: BTreeSet<Address> = point.addresses.iter().cloned().chain(wanted.addresses).collect();
        if asked.len() > ADDRESSES_MAX {
            return Err(DeskError::Limit { what: "addresses of one watch point", limit: ADDRESSES_MAX });
        }
        let asked = asked.into_iter().collect();
        let Sorted { proven, waiting, asks, told } = self.addresses.sort(&wanted.owner, asked, now)?;
        let changed = compute(|| {
            self.store.change_watch_point_asking(&point.id, &asks, |point| {
                point.name = wanted.name;
                point.min_level = wanted.min_level;
                point.addresses = proven;
                point.waiting = waiting;
                point.until_utc = wanted.until_utc;
                point.client_token = wanted.client_token;
                point.quiet_hours = wanted.quiet_hours;
                point.snooze_until_utc = None;
            })
        });
        let gone = || DeskError::Store("the watch ended at this moment; register it again".to_owned());
        let point = changed.map_err(store_failed)?.ok_or_else(gone)?;
        Ok(Registered { point, created: true, added: Vec::new(), waiting: told })
    }

    /// The point stays as it is but for addresses that it has not yet, or not any more (an unsubscription took them): who
    /// names them wants to be told there. What waits for a proof may get another confirmation.
    fn stands_already(
        &self,
        point: &WatchPoint,
        wanted: Vec<Address>,
        now: Timestamp,
    ) -> Result<Registered, DeskError> {
        let asked: BTreeSet<Address> = point.waiting.iter().cloned().chain(wanted).collect();
        let Sorted { proven, waiting, asks, told } =
            self.addresses.sort(&point.owner, asked.into_iter().collect(), now)?;
        let mut addresses = point.addresses.clone();
        addresses.retain(|address| !waiting.contains(address) && !proven.contains(address));
        addresses.extend(proven);
        addresses.sort_unstable();
        if addresses.len().saturating_add(waiting.len()) > ADDRESSES_MAX {
            return Err(DeskError::Limit { what: "addresses of one watch point", limit: ADDRESSES_MAX });
        }
        let has = |address: &&Address| point.addresses.contains(address) || point.waiting.contains(address);
        let added: Vec<Address> = addresses.iter().chain(&waiting).filter(|address| !has(address)).cloned().collect();
        let moved = |had: &[Address], has: &[Address]| {
            had.len() != has.len() || had.iter().any(|address| !has.contains(address))
        };
        if asks.is_empty() && !moved(&point.addresses, &addresses) && !moved(&point.waiting, &waiting) {
            return Ok(Registered { point: point.clone(), created: false, added, waiting: told });
        }
        let changed = compute(|| {
            self.store.change_watch_point_asking(&point.id, &asks, |point| {
                (point.addresses, point.waiting) = (addresses, waiting);
            })
        });
        // Only who removes points takes no turn: then it is gone, and this answer was a moment too late.
        let point = changed.map_err(store_failed)?.unwrap_or_else(|| point.clone());
        Ok(Registered { point, created: false, added, waiting: told })
    }

    /// Removes a point of `owner`; false when there is none.
    pub fn unregister(&self, owner: &str, id: &str, now: Timestamp) -> Result<bool, DeskError> {
        let point = compute(|| self.store.watch_point(id)).map_err(store_failed)?;
        if point.is_none_or(|point| point.owner != owner) {
            return Ok(false);
        }
        compute(|| self.store.remove_watch_point(id, now)).map_err(store_failed)
    }

    /// The points of `owner`, sorted by id, with what stands for them.
    pub fn watched(&self, owner: &str) -> Result<Vec<WatchedPoint>, DeskError> {
        let points = compute(|| self.store.watch_points()).map_err(store_failed)?.rows;
        let mine = points.into_iter().filter(|point| point.owner == owner);
        mine.map(|point| {
            let state = compute(|| self.store.state(&point.id)).map_err(store_failed)?;
            Ok(WatchedPoint { point, state })
        })
        .collect()
    }

    /// Changes a point of `owner`, under the checks of a registration; `None` when there is none.
    pub fn update(
        &self,
        owner: &str,
        id: &str,
        update: PointUpdate,
        now: Timestamp,
    ) -> Result<Option<WatchedPoint>, DeskError> {
        let mut update = self.checked_update(update, now)?;
        let _turn = self.addresses.turn();
        let all = compute(|| self.store.watch_points()).map_err(store_failed)?.rows;
        let mine = |point: &&WatchPoint| point.owner == owner;
        let Some(point) = all.iter().filter(mine).find(|point| point.id == id) else { return Ok(None) };
        if let Some(name) = &update.name
            && all
                .iter()
                .filter(mine)
                .any(|other| other.id != id && other.name == *name && other.at.key_4dp() == point.at.key_4dp())
        {
            let why = format!("another watch point of yours at this place is called {name:?}");
            return Err(DeskError::Invalid { field: "name", why });
        }
        let addresses =
            update.addresses.take().map(|addresses| self.addresses.sort(owner, addresses, now)).transpose()?;
        let asks = addresses.as_ref().map(|sorted| sorted.asks.clone()).unwrap_or_default();
        let changed =
            compute(|| self.store.change_watch_point_asking(id, &asks, |point| put(update, addresses, point)));
        let Some(point) = changed.map_err(store_failed)? else { return Ok(None) };
        compute(|| self.settle_unwanted(id, now)).map_err(store_failed)?;
        let state = compute(|| self.store.state(id)).map_err(store_failed)?;
        Ok(Some(WatchedPoint { point, state }))
    }

    /// Gives up at once what waits for addresses that a point names no more: one that comes back is new there, and would be told
    /// the same again.
    fn settle_unwanted(&self, id: &str, now: Timestamp) -> Result<(), StoreError> {
        for row in self.store.pending()?.rows {
            if row.delivery.watch_points.iter().any(|point| point == id) {
                self.store.still_wanted(&row.delivery.id, now)?;
            }
        }
        Ok(())
    }

    /// The past of a point of `owner`. Of a point that was removed only the ledger still says whose it was: where it does
    /// not, nothing is known.
    pub fn history(
        &self,
        owner: &str,
        id: &str,
        from_utc: Timestamp,
        to_utc: Timestamp,
    ) -> Result<PointHistory, DeskError> {
        compute(|| self.read_history(owner, id, from_utc, to_utc)).map_err(store_failed)
    }

    fn read_history(
        &self,
        owner: &str,
        id: &str,
        from_utc: Timestamp,
        to_utc: Timestamp,
    ) -> Result<PointHistory, StoreError> {
        let whose = match self.store.watch_point(id)? {
            Some(point) => Some(point.owner),
            None => self.store.owner_told_of(id)?,
        };
        if whose.is_none_or(|whose| whose != owner) {
            return Ok(PointHistory::default());
        }
        let mut unreadable = 0;
        let journal = read(self.store.journal_of(id, from_utc..=to_utc)?, &mut unreadable);
        let ledger = read(self.store.ledger_of(id, from_utc..=to_utc)?, &mut unreadable);
        let mut outbox = read(self.store.pending()?, &mut unreadable);
        outbox.retain(|row| row.delivery.decided_utc <= to_utc && row.delivery.watch_points.iter().any(|p| p == id));
        let sights = read(self.store.sights_of(id, from_utc..=to_utc)?, &mut unreadable);
        let mut held = read(self.store.held()?, &mut unreadable);
        held.retain(|held| !held.told && held.decided_utc <= to_utc && held.watch_point == id);
        held.sort_by_key(|held| held.decided_utc);
        Ok(PointHistory { journal, ledger, outbox, held, sights, unreadable })
    }

    fn checked(&self, mut wanted: NewWatchPoint, now: Timestamp) -> Result<NewWatchPoint, DeskError> {
        wanted.name = checked_name(&wanted.name)?;
        check_future("until_utc", wanted.until_utc, now)?;
        check_quiet_hours(wanted.quiet_hours)?;
        if wanted.client_token.as_ref().is_some_and(|token| token.chars().count() > CLIENT_TOKEN_CHARS_MAX) {
            return invalid("client_token", format!("at most {CLIENT_TOKEN_CHARS_MAX} characters"));
        }
        wanted.addresses = self.addresses.checked_all(&wanted.addresses)?;
        Ok(wanted)
    }

    fn checked_update(&self, mut update: PointUpdate, now: Timestamp) -> Result<PointUpdate, DeskError> {
        update.name = update.name.as_deref().map(checked_name).transpose()?;
        check_future("until_utc", update.until_utc.flatten(), now)?;
        check_future("snooze_until_utc", update.snooze_until_utc.flatten(), now)?;
        check_snooze(update.snooze_until_utc.flatten(), now)?;
        check_quiet_hours(update.quiet_hours.flatten())?;
        update.addresses = update.addresses.map(|addresses| self.addresses.checked_all(&addresses)).transpose()?;
        Ok(update)
    }
}

fn checked_name(name: &str) -> Result<String, DeskError> {
    names::checked_name(name, NAME_CHARS_MAX).map_err(|why| DeskError::Invalid { field: "name", why })
}

fn check_future(field: &'static str, at: Option<Timestamp>, now: Timestamp) -> Result<(), DeskError> {
    match at.filter(|at| *at <= now) {
        Some(past) => invalid(field, format!("{past} is past; now is {now:.0}")),
        None => Ok(()),
    }
}

fn check_snooze(until: Option<Timestamp>, now: Timestamp) -> Result<(), DeskError> {
    let last = later(now, SNOOZE_MAX);
    match until.filter(|until| *until > last) {
        Some(until) => {
            let days = SNOOZE_MAX.as_hours() / 24;
            invalid(
                "snooze_until_utc",
                format!(
                    "{until} is too far ahead: at most {days} days, which is until {last:.0}; a higher min_level holds for longer"
                ),
            )
        }
        None => Ok(()),
    }
}

fn check_quiet_hours(hours: Option<QuietHours>) -> Result<(), DeskError> {
    // What is written out must read as the same hours again.
    match hours.filter(|hours| hours.to_string().parse() != Ok(*hours)) {
        Some(hours) => invalid("quiet_hours", format!("{hours} are none; write for instance 22:00-07:00")),
        None => Ok(()),
    }
}

fn invalid<T>(field: &'static str, why: String) -> Result<T, DeskError> {
    Err(DeskError::Invalid { field, why })
}

/// Puts a checked update into what stands.
fn put(update: PointUpdate, addresses: Option<Sorted>, point: &mut WatchPoint) {
    let PointUpdate { name, min_level, addresses: _, quiet_hours, until_utc, snooze_until_utc } = update;
    point.name = name.unwrap_or_else(|| std::mem::take(&mut point.name));
    point.min_level = min_level.unwrap_or(point.min_level);
    if let Some(sorted) = addresses {
        point.addresses = sorted.proven;
        point.waiting = sorted.waiting;
    }
    point.quiet_hours = quiet_hours.unwrap_or(point.quiet_hours);
    point.until_utc = until_utc.unwrap_or(point.until_utc);
    point.snooze_until_utc = snooze_until_utc.unwrap_or(point.snooze_until_utc);
}

/// The rows that could be read; the others are counted, and said in the log.
fn read<T>(listed: Listed<T>, unreadable: &mut usize) -> Vec<T> {
    for error in &listed.damaged {
        tracing::error!(%error, "damaged row; run stormbell debug repair");
    }
    *unreadable += listed.damaged.len();
    listed.rows
}

fn same(point: &WatchPoint, wanted: &NewWatchPoint) -> bool {
    let token = wanted.client_token.is_some() && point.client_token == wanted.client_token;
    (point.owner == wanted.owner && token) || is_same_place(point, wanted)
}

fn is_same_place(point: &WatchPoint, wanted: &NewWatchPoint) -> bool {
    point.owner == wanted.owner && point.name == wanted.name && point.at.key_4dp() == wanted.at.key_4dp()
}

fn store_failed(error: StoreError) -> DeskError {
    DeskError::Store(error.to_string())
}

#[cfg(test)]
mod tests;
