//! NWS warnings, watches and advisories: the national collection of all that is active, from `/alerts/active` of
//! api.weather.gov.
//!
//! Published by the offices of the National Weather Service, continuously, about a minute after issue; one answer holds the
//! nation (1 to 2 MB). Each poll yields the whole collection; whether it is fresh is told by its own `updated`, never by the
//! HTTP status: caches in front of the API serve older copies now and then. It cannot tell why a product disappeared.

use super::{Ask, Block, Poll, PollError, Ranged, Source};
use crate::decode::nws_api;
use crate::nws_facts::alerts::AlertCollection;
use crate::observation::{Fault, NWS_WARNINGS, Observation, SourceName};
use crate::outside::{Get, Got, Outside, Validators, compute};
use crate::warning::{WarningSnapshot, freshness};
use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// The largest collection recorded has 1.8 MB; a day of outbreaks may have several times that.
const BODY_BYTES_MAX: usize = 16 << 20;
/// Error pages of the API clear within seconds; a slower answer is worth less than the next poll.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);
/// One poll: one request and its decoding.
const POLL_TIMEOUT: Duration = Duration::from_secs(25);
/// The API asks for no more than this, and a warning must not wait for more than five minutes.
const PERIOD_S: (u64, u64) = (10, 300);
/// Where the collection is.
const PATH: &str = "/alerts/active";
/// Faults passed on of one poll: enough for a person to see what is wrong.
const FAULTS_MAX: usize = 50;

/// `[sources.nws_warnings]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Scheme, host and port, without a path.
    pub base_url: String,
    /// Seconds between polls.
    pub period_s: u64,
}

impl Block for Config {
    fn figures(&self) -> Vec<Ranged> {
        vec![Ranged { key: "period_s", value: self.period_s, accepted: PERIOD_S }]
    }
}

impl Default for Config {
    fn default() -> Self {
        Self { base_url: "https://api.weather.gov".to_owned(), period_s: 30 }
    }
}

/// The source.
pub struct NwsWarnings {
    outside: Arc<dyn Outside>,
    base_url: String,
    period: Duration,
    /// The newest `updated` accepted.
    accepted_utc: Option<Timestamp>,
    held: Option<Held>,
}

/// The collection accepted last, for answers that say or show that nothing changed.
struct Held {
    body: Bytes,
    validators: Validators,
    snapshot: Arc<WarningSnapshot>,
    rows: Arc<AlertCollection>,
    updated_utc: Timestamp,
    faults: Vec<Fault>,
}

/// Opens the source. Nothing is asked of the upstream yet.
pub fn open(config: Config, outside: Arc<dyn Outside>) -> NwsWarnings {
    NwsWarnings {
        outside,
        base_url: config.base_url.trim_end_matches('/').to_owned(),
        period: Duration::from_secs(config.period_s),
        accepted_utc: None,
        held: None,
    }
}

#[async_trait]
impl Source for NwsWarnings {
    fn name(&self) -> SourceName {
        NWS_WARNINGS
    }

    fn period(&self) -> Duration {
        self.period
    }

    fn timeout(&self) -> Duration {
        POLL_TIMEOUT
    }

    async fn poll(&mut self, _ask: &Ask, now: Timestamp) -> Result<Poll, PollError> {
        let request = Get {
            base_url: self.base_url.clone(),
            path: PATH.to_owned(),
            query: vec![("status".to_owned(), "actual".to_owned())],
            accept: "application/geo+json",
            body_bytes_max: BODY_BYTES_MAX,
            timeout: REQUEST_TIMEOUT,
            held: self.held.as_ref().map(|held| held.validators.clone()),
        };
        match self.outside.get(&request).await? {
            Got::NotModified => self.again(now),
            Got::Fresh { body, validators } => {
                if let Some(held) = self.held.as_mut().filter(|held| held.body == body) {
                    held.validators = validators;
                    return self.again(now);
                }
                self.read(body, validators, now)
            }
        }
    }
}

impl NwsWarnings {
    /// The held collection once more: nothing changed, which is a good poll as long as it is not too old.
    fn again(&mut self, now: Timestamp) -> Result<Poll, PollError> {
        let Some(held) = &self.held else {
            return Err(self.refused("the answer is that nothing changed, but nothing is held".to_owned()));
        };
        if let Err(stale) = freshness(held.updated_utc, self.accepted_utc, now) {
            // The next request is unconditional: whoever keeps confirming the old copy is not asked about it again.
            self.held = None;
            return Err(self.refused(stale.to_string()));
        }
        Ok(Poll {
            observations: told(&held.snapshot, &held.rows),
            faults: held.faults.clone(),
            good: true,
            cursor: Some(held.updated_utc.to_string()),
        })
    }

    fn read(&mut self, body: Bytes, validators: Validators, now: Timestamp) -> Result<Poll, PollError> {
        let read = compute(|| nws_api::national(&body));
        let (alerts, rows) = read.map_err(|why| self.refused(why.to_string()))?;
        let rows = Arc::new(rows);
        let (snapshot, mut faults) = alerts.into_faults();
        faults.truncate(FAULTS_MAX);
        let updated_utc = snapshot.updated_utc;
        let snapshot = Arc::new(snapshot);
        let Some(updated_utc) = updated_utc else {
            let observations = vec![Observation::Warnings(snapshot)];
            // It can raise, but proves nothing: it is not held, and the poll is not good.
            faults.insert(0, self.fault("the collection does not tell when it was updated".to_owned(), true));
            return Ok(Poll { observations, faults, good: false, cursor: None });
        };
        freshness(updated_utc, self.accepted_utc, now).map_err(|stale| self.refused(stale.to_string()))?;
        let observations = told(&snapshot, &rows);
        // One dated ahead of the clock must not make true ones look old.
        self.accepted_utc = Some(updated_utc.min(now));
        self.held = Some(Held { body, validators, snapshot, rows, updated_utc, faults: faults.clone() });
        Ok(Poll { observations, faults, good: true, cursor: Some(updated_utc.to_string()) })
    }

    fn fault(&self, what: String, kept_rest: bool) -> Fault {
        Fault { what, place: format!("{}{PATH}", self.base_url), kept_rest }
    }

    fn refused(&self, what: String) -> PollError {
        PollError::Refused(self.fault(what, false))
    }
}

/// One collection, told twice: what levels rest on, and what people search.
fn told(snapshot: &Arc<WarningSnapshot>, rows: &Arc<AlertCollection>) -> Vec<Observation> {
    vec![Observation::Warnings(Arc::clone(snapshot)), Observation::Alerts(Arc::clone(rows))]
}
