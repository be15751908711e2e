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
    watched: BTreeMap<String, Needed>,
    asked: BTreeMap<String, Needed>,
}

/// A place that somebody needs.
#[derive(Debug, Clone, Copy)]
struct Needed {
    at: LatLon,
    /// Without a pause since then: polls since then were told of the place.
    since_utc: Timestamp,
    /// The last question.
    last_utc: Timestamp,
}

impl Demand {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the set of watched places.
    pub fn set_watched(&self, places: impl Iterator<Item = LatLon>, now: Timestamp) {
        let mut inner = self.lock();
        let since = |key: &str| inner.watched.get(key).map_or(now, |known| known.since_utc);
        let watched = places.map(|at| (at.key_4dp(), at));
        let watched = watched.map(|(key, at)| {
            let since_utc = since(&key);
            (key, Needed { at, since_utc, last_utc: now })
        });
        let watched = watched.collect();
        inner.watched = watched;
    }

    /// Notes a question about a place. Returns since when it has been needed without a pause: what was polled since then
    /// was polled for this place too.
    pub fn ask(&self, place: LatLon, now: Timestamp) -> Timestamp {
        let mut inner = self.lock();
        inner.forget(now);
        let key = place.key_4dp();
        let known = [inner.watched.get(&key), inner.asked.get(&key)].into_iter().flatten();
        let since_utc = known.map(|known| known.since_utc).fold(now, Timestamp::min);
        inner.asked.insert(key, Needed { at: place, since_utc, last_utc: now });
        if inner.asked.len() > ASKED_PLACES_MAX {
            let oldest = inner.asked.iter().min_by_key(|(_, needed)| needed.last_utc).map(|(key, _)| key.clone());
            oldest.and_then(|key| inner.asked.remove(&key));
        }
        since_utc
    }

    /// What is needed at present; `None` when nobody needs anything.
    pub fn present(&self, zones: &BTreeMap<String, Arc<PlaceZones>>, now: Timestamp) -> Option<Ask> {
        let mut inner = self.lock();
        inner.forget(now);
        let all = inner.watched.iter().chain(&inner.asked);
        let places: BTreeMap<&String, AskedPlace> = all
            .map(|(key, needed)| (key, AskedPlace { at: needed.at, zones_known: zones.contains_key(key) }))
            .collect();
        (!places.is_empty()).then(|| Ask { places: Arc::new(places.into_values().collect()) })
    }
}

impl Inner {
    /// Forgets the questions of long ago.
    fn forget(&mut self, now: Timestamp) {
        self.asked.retain(|_, needed| needed.last_utc.duration_until(now) < AWAKE_AFTER_QUESTION);
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
        demand.set_watched([place, place].into_iter(), later(10));
        let ask = demand.present(&zones, later(60)).unwrap();
        assert_eq!(*ask.places, [AskedPlace { at: place, zones_known: false }]);
    }
    #[test]
    fn a_place_is_needed_since_the_first_question_or_since_it_is_watched() {
        let demand = Demand::default();
        let minute = |minutes: i64| Timestamp::from_second(1_780_000_000 + minutes * 60).unwrap();
        let [asked, watched] = [35.0, 36.0].map(|lat| LatLon::new(lat, -97.0).unwrap());
        assert_eq!(demand.ask(asked, minute(0)), minute(0));
        assert_eq!(demand.ask(asked, minute(9)), minute(0));
        assert_eq!(demand.ask(asked, minute(18)), minute(0));
        // After ten minutes without a question the sources may have slept.
        assert_eq!(demand.ask(asked, minute(28)), minute(28));
        demand.set_watched([watched].into_iter(), minute(1));
        demand.set_watched([watched].into_iter(), minute(20));
        assert_eq!(demand.ask(watched, minute(30)), minute(1));
    }
}
