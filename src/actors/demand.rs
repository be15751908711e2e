//! What is needed of sources: with watch points, everything; with none, only what was asked lately. So a laptop that runs
//! only the stdio door downloads nothing until somebody asks.

use crate::geo::LatLon;
use crate::observation::PlaceZones;
use crate::sources::{Ask, AskedPlace};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A question keeps the sources awake for this long: the next question about a storm comes within minutes.
pub const AWAKE_AFTER_QUESTION: SignedDuration = SignedDuration::from_mins(10);
/// Places asked about that are remembered at once; the oldest is forgotten. Far above what one agent asks in ten minutes.
pub const ASKED_PLACES_MAX: usize = 1_000;

/// Who needs what. Shared by doors (asking) and source shells (looking).
#[derive(Debug, Default)]
pub struct Demand {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    watched: BTreeMap<String, LatLon>,
    asked: BTreeMap<String, (LatLon, Timestamp)>,
}

impl Demand {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the set of watched places.
    pub fn set_watched(&self, places: impl Iterator<Item = LatLon>) {
        self.lock().watched = places.map(|at| (at.key_4dp(), at)).collect();
    }

    /// Notes a question about a place.
    pub fn ask(&self, place: LatLon, now: Timestamp) {
        let mut inner = self.lock();
        inner.asked.insert(place.key_4dp(), (place, now));
        if inner.asked.len() > ASKED_PLACES_MAX {
            let oldest = inner.asked.iter().min_by_key(|(_, (_, at))| *at).map(|(key, _)| key.clone());
            oldest.and_then(|key| inner.asked.remove(&key));
        }
    }

    /// What is needed at present; `None` when nobody needs anything.
    pub fn present(&self, zones: &BTreeMap<String, Arc<PlaceZones>>, now: Timestamp) -> Option<Ask> {
        let mut inner = self.lock();
        inner.asked.retain(|_, (_, at)| at.duration_until(now) < AWAKE_AFTER_QUESTION);
        let all = inner.watched.iter().chain(inner.asked.iter().map(|(key, (at, _))| (key, at)));
        let places: BTreeMap<&String, AskedPlace> =
            all.map(|(key, at)| (key, AskedPlace { at: *at, zones_known: zones.contains_key(key) })).collect();
        (!places.is_empty()).then(|| Ask { places: Arc::new(places.into_values().collect()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_sleep_unless_a_place_is_watched_or_was_asked_about_lately() {
        let (demand, zones) = (Demand::default(), BTreeMap::new());
        let now = Timestamp::from_second(1_780_000_000).unwrap();
        let later = |minutes| now + SignedDuration::from_mins(minutes);
        let place = LatLon::new(35.0, -97.0).unwrap();
        assert_eq!(demand.present(&zones, now), None);
        demand.ask(place, now);
        assert_eq!(demand.present(&zones, later(9)).unwrap().places.len(), 1);
        assert_eq!(demand.present(&zones, later(10)), None);
        demand.set_watched([place, place].into_iter());
        let ask = demand.present(&zones, later(60)).unwrap();
        assert_eq!(*ask.places, [AskedPlace { at: place, zones_known: false }]);
    }
}
