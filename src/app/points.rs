//! Watch points over a store: registering, removing, listing. Used by the running service and by one-shot commands.

use crate::channels;
use crate::config::Config;
use crate::desk::{
    ADDRESSES_MAX, CLIENT_TOKEN_CHARS_MAX, DeskError, NAME_CHARS_MAX, NewWatchPoint, Registered, WatchedPoint,
};
use crate::ground::time_zone;
use crate::notice::{Address, ChannelKind, WatchPoint, id};
use crate::outside::compute;
use crate::store::{Store, StoreError};
use jiff::Timestamp;
use std::sync::Arc;

/// Watch points of one store, under the limits of one configuration.
#[derive(Debug, Clone)]
pub struct Points {
    store: Store,
    config: Arc<Config>,
}

impl Points {
    /// Over this store.
    pub fn new(store: Store, config: Arc<Config>) -> Self {
        Self { store, config }
    }

    /// Registers a point, or returns the one that stands: same owner and token, or same owner, name and point to four
    /// decimals.
    pub fn register(&self, wanted: NewWatchPoint, now: Timestamp) -> Result<Registered, DeskError> {
        let wanted = self.checked(wanted, now)?;
        let all = compute(|| self.store.watch_points()).map_err(store_failed)?.rows;
        if let Some(point) = all.iter().find(|point| same(point, &wanted)) {
            return Ok(Registered { point: point.clone(), created: false });
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
        let point = WatchPoint {
            id: id::watch_point_id(&wanted.owner, &wanted.name, wanted.at, now),
            owner: wanted.owner,
            name: wanted.name,
            at: wanted.at,
            min_level: wanted.min_level,
            addresses: wanted.addresses,
            time_zone,
            created_utc: now,
            until_utc: wanted.until_utc,
            client_token: wanted.client_token,
            waiting: Vec::new(),
            quiet_hours: wanted.quiet_hours,
            snooze_until_utc: None,
            acknowledged: None,
        };
        compute(|| self.store.put_watch_point(&point)).map_err(store_failed)?;
        Ok(Registered { point, created: true })
    }

    /// Removes a point of `owner`; false when there is none.
    pub fn unregister(&self, owner: &str, id: &str) -> Result<bool, DeskError> {
        let point = compute(|| self.store.watch_point(id)).map_err(store_failed)?;
        if point.is_none_or(|point| point.owner != owner) {
            return Ok(false);
        }
        compute(|| self.store.remove_watch_point(id)).map_err(store_failed)
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

    fn checked(&self, mut wanted: NewWatchPoint, now: Timestamp) -> Result<NewWatchPoint, DeskError> {
        let invalid = |field, why: String| Err(DeskError::Invalid { field, why });
        wanted.name = wanted.name.trim().to_owned();
        let chars = wanted.name.chars().count();
        if chars == 0 || chars > NAME_CHARS_MAX || wanted.name.chars().any(char::is_control) {
            return invalid("name", format!("1 to {NAME_CHARS_MAX} characters, none of them control characters"));
        }
        if let Some(until) = wanted.until_utc
            && until <= now
        {
            return invalid("until_utc", format!("{until} is past; now is {now:.0}"));
        }
        if wanted.client_token.as_ref().is_some_and(|token| token.chars().count() > CLIENT_TOKEN_CHARS_MAX) {
            return invalid("client_token", format!("at most {CLIENT_TOKEN_CHARS_MAX} characters"));
        }
        wanted.addresses.sort_unstable();
        wanted.addresses.dedup();
        if wanted.addresses.len() > ADDRESSES_MAX {
            return Err(DeskError::Limit { what: "addresses of one watch point", limit: ADDRESSES_MAX });
        }
        wanted.addresses.iter().try_for_each(|address| self.check_address(address))?;
        Ok(wanted)
    }

    fn check_address(&self, address: &Address) -> Result<(), DeskError> {
        let refuse = |why: String| Err(DeskError::Invalid { field: "channels", why });
        if !channels::is_available(address.kind, &self.config) {
            return refuse(format!(
                "no {} channel is set up here; see [channels] in the configuration",
                address.kind.as_str()
            ));
        }
        match address.kind {
            ChannelKind::Email if self.config.is_proven_email(&address.to) => Ok(()),
            ChannelKind::Email => refuse(format!(
                "{} is not proven: only addresses listed under [owner] emails in the configuration are used",
                address.to
            )),
            ChannelKind::None | ChannelKind::WebPush => Ok(()),
        }
    }
}

fn same(point: &WatchPoint, wanted: &NewWatchPoint) -> bool {
    let token = wanted.client_token.is_some() && point.client_token == wanted.client_token;
    let place = point.name == wanted.name && point.at.key_4dp() == wanted.at.key_4dp();
    point.owner == wanted.owner && (token || place)
}

fn store_failed(error: StoreError) -> DeskError {
    DeskError::Store(error.to_string())
}
