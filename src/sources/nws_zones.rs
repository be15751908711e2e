//! Which public zones hold a place: county, forecast zone and fire weather zone, from `/points` of api.weather.gov.
//!
//! Published by the National Weather Service; zones change a few times a year, so what was learned is kept by the store and
//! only places without zones are asked about. One small request a place, never more than one a second over time. It cannot
//! tell the zones of places on the open sea: those stay a blind spot and are asked about again, after the others.

use super::{Ask, AskedPlace, Block, Poll, PollError, Ranged, Source};
use crate::decode::nws;
use crate::observation::{Fault, NWS_ZONES, Observation, PlaceZones, SourceName};
use crate::outside::{Get, Got, Outside, OutsideError};
use async_trait::async_trait;
use futures_util::future::join_all;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// An answer has 3 kB.
const BODY_BYTES_MAX: usize = 1 << 20;
/// Usual answers take a fraction of a second.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Requests of one poll go at once; the way out lets four at a time through to one host.
const POLL_TIMEOUT: Duration = Duration::from_secs(150);
/// A new place should not wait for long, and a silent one not be asked about for ever.
const PERIOD_S: (u64, u64) = (5, 3_600);
/// Requests of one poll: beyond this they could not be answered within the poll's limit.
const PLACES_PER_POLL_MAX: usize = 50;
/// Requests a second on average: what the API's limits bear beside the polling of warnings.
const REQUESTS_PER_S: f64 = 1.0;

/// `[sources.nws_zones]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Scheme, host and port, without a path.
    pub base_url: String,
    /// Seconds between rounds.
    pub period_s: u64,
    /// Places asked about in one round.
    pub places_per_poll: usize,
}

impl Block for Config {
    fn figures(&self) -> Vec<Ranged> {
        vec![
            Ranged { key: "period_s", value: self.period_s, accepted: PERIOD_S },
            Ranged {
                key: "places_per_poll",
                value: self.places_per_poll as u64,
                accepted: (1, PLACES_PER_POLL_MAX as u64),
            },
        ]
    }
}

impl Default for Config {
    fn default() -> Self {
        Self { base_url: "https://api.weather.gov".to_owned(), period_s: 10, places_per_poll: 10 }
    }
}

/// The source.
pub struct NwsZones {
    outside: Arc<dyn Outside>,
    base_url: String,
    period: Duration,
    per_poll: usize,
    /// Requests that may be made now, refilled with time.
    allowed: f64,
    refilled_utc: Option<Timestamp>,
    /// Places asked about already, by key: they come after those that were not. Only places that are still asked for.
    tried: BTreeSet<String>,
}

/// Opens the source. Nothing is asked of the upstream yet.
pub fn open(config: Config, outside: Arc<dyn Outside>) -> NwsZones {
    let per_poll = config.places_per_poll.clamp(1, PLACES_PER_POLL_MAX);
    NwsZones {
        outside,
        base_url: config.base_url.trim_end_matches('/').to_owned(),
        period: Duration::from_secs(config.period_s),
        per_poll,
        allowed: per_poll as f64,
        refilled_utc: None,
        tried: BTreeSet::new(),
    }
}

#[async_trait]
impl Source for NwsZones {
    fn name(&self) -> SourceName {
        NWS_ZONES
    }

    fn period(&self) -> Duration {
        self.period
    }

    fn timeout(&self) -> Duration {
        POLL_TIMEOUT
    }

    fn is_wanted_now(&self, ask: &Ask) -> bool {
        unknown(ask).any(|place| !self.tried.contains(&place.at.key_4dp()))
    }

    async fn poll(&mut self, ask: &Ask, now: Timestamp) -> Result<Poll, PollError> {
        let places = self.next_places(ask, now);
        let asked = places.iter().map(|place| self.zones_of(place, now));
        let answers = join_all(asked).await;
        let mut poll = Poll::default();
        let (mut answered, mut first_error) = (places.is_empty(), None);
        for (place, answer) in places.iter().zip(answers) {
            match answer {
                Ok((zones, faults)) => {
                    answered = true;
                    poll.observations.push(Observation::Zones(Arc::new(zones)));
                    poll.faults.extend(faults);
                }
                Err(Trouble::Outside(error)) => {
                    poll.faults.push(fault(error.to_string(), place));
                    // A place that the API does not know (400, 404) is the place's trouble, not the API's.
                    match error {
                        OutsideError::Status { status: 400..=404, .. } | OutsideError::Absent { .. } => answered = true,
                        other => first_error = first_error.or(Some(other)),
                    }
                }
                Err(Trouble::Unusable(why)) => {
                    answered = true;
                    poll.faults.push(fault(why, place));
                }
            }
        }
        match first_error {
            // Nothing at all came back: the shell backs off.
            Some(error) if !answered => Err(PollError::Outside(error)),
            _ => {
                poll.good = answered;
                poll.cursor = Some(format!("{} places without zones", unknown(ask).count() - poll.observations.len()));
                Ok(poll)
            }
        }
    }
}

/// Why the zones of one place were not learned.
enum Trouble {
    Outside(OutsideError),
    Unusable(String),
}

impl NwsZones {
    /// The places to ask about now: those never tried first, then in turn, as many as the rate allows.
    fn next_places(&mut self, ask: &Ask, now: Timestamp) -> Vec<AskedPlace> {
        let passed_s = self.refilled_utc.map_or(0.0, |then| now.duration_since(then).as_secs_f64().max(0.0));
        self.refilled_utc = Some(now);
        self.allowed = (self.allowed + passed_s * REQUESTS_PER_S).min(self.per_poll as f64);
        let wanted: BTreeSet<String> = unknown(ask).map(|place| place.at.key_4dp()).collect();
        self.tried.retain(|key| wanted.contains(key));
        if self.tried.len() == wanted.len() {
            // Everyone had a turn: a new round.
            self.tried.clear();
        }
        let untried = unknown(ask).filter(|place| !self.tried.contains(&place.at.key_4dp()));
        let places: Vec<AskedPlace> = untried.take(self.allowed as usize).cloned().collect();
        self.allowed -= places.len() as f64;
        self.tried.extend(places.iter().map(|place| place.at.key_4dp()));
        places
    }

    async fn zones_of(&self, place: &AskedPlace, now: Timestamp) -> Result<(PlaceZones, Vec<Fault>), Trouble> {
        let request = Get {
            base_url: self.base_url.clone(),
            path: format!("/points/{}", place.at.key_4dp()),
            query: Vec::new(),
            accept: "application/geo+json",
            body_bytes_max: BODY_BYTES_MAX,
            timeout: REQUEST_TIMEOUT,
            held: None,
        };
        match self.outside.get(&request).await.map_err(Trouble::Outside)? {
            Got::NotModified => {
                Err(Trouble::Unusable("the answer is that nothing changed, but nothing is held".into()))
            }
            Got::Fresh { body, .. } => {
                nws::points(&body, place.at, now).map_err(|why| Trouble::Unusable(why.to_string()))
            }
        }
    }
}

fn unknown(ask: &Ask) -> impl Iterator<Item = &AskedPlace> {
    ask.places.iter().filter(|place| !place.zones_known)
}

fn fault(what: String, place: &AskedPlace) -> Fault {
    Fault { what, place: format!("/points/{}", place.at.key_4dp()), kept_rest: true }
}
