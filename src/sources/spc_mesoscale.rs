//! Mesoscale discussions and convective watches of the Storm Prediction Center, from the keyless services of the Iowa
//! Environmental Mesonet (`/api/1/nws/spc_mcd.geojson` and `/json/spcwatch.py`).
//!
//! Issued when something develops, one to two minutes late; each answer holds all that are in effect, and an empty one means
//! none. The two are asked one after the other and fail apart: either never hides the other, and neither hides outlooks. A
//! watch comes as its outline; which counties it is in effect for is told by NWS alone (`nws_warnings`).

use super::{Ask, Block, Poll, PollError, Ranged, Source};
use crate::decode::spc::{GeoJsonError, discussions, watches};
use crate::observation::{Fault, Observation, SPC_MESOSCALE, SourceName};
use crate::outside::{Get, Got, Outside, OutsideError};
use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// Answers have less than 20 kB.
const BODY_BYTES_MAX: usize = 2 << 20;
/// The service answers within a second or two.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);
/// One poll: two requests.
const POLL_TIMEOUT: Duration = Duration::from_secs(45);
/// The service asks for at least a minute between polls of one address.
const PERIOD_S: (u64, u64) = (60, 3_600);
/// Discussions in effect.
const DISCUSSIONS_PATH: &str = "/api/1/nws/spc_mcd.geojson";
/// Watches in effect.
const WATCHES_PATH: &str = "/json/spcwatch.py";

/// `[sources.spc_mesoscale]`.
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
        Self { base_url: "https://mesonet.agron.iastate.edu".to_owned(), period_s: 120 }
    }
}

/// The source.
pub struct SpcMesoscale {
    outside: Arc<dyn Outside>,
    base_url: String,
    period: Duration,
}

/// Opens the source. Nothing is asked of the upstream yet.
pub fn open(config: Config, outside: Arc<dyn Outside>) -> SpcMesoscale {
    SpcMesoscale {
        outside,
        base_url: config.base_url.trim_end_matches('/').to_owned(),
        period: Duration::from_secs(config.period_s),
    }
}

/// Why one of the two was not learned.
enum Trouble {
    Outside(OutsideError),
    Unusable(GeoJsonError),
}

#[async_trait]
impl Source for SpcMesoscale {
    fn name(&self) -> SourceName {
        SPC_MESOSCALE
    }

    fn period(&self) -> Duration {
        self.period
    }

    fn timeout(&self) -> Duration {
        POLL_TIMEOUT
    }

    fn leaves_alone_for(&self) -> Duration {
        // The same service as that of storm reports.
        super::iem_reports::LEFT_ALONE_FOR
    }

    async fn poll(&mut self, _ask: &Ask, now: Timestamp) -> Result<Poll, PollError> {
        let mut poll = Poll::default();
        let mut failed = Vec::new();
        let mut counts = Vec::new();
        match self.ask(DISCUSSIONS_PATH, |body| discussions(body, now)).await {
            Ok((found, faults)) => {
                counts.push(format!("{} discussions", found.discussions.len()));
                poll.faults.extend(faults);
                poll.observations.push(Observation::Discussions(Arc::new(found)));
            }
            Err(trouble) => failed.push((DISCUSSIONS_PATH, trouble)),
        }
        match self.ask(WATCHES_PATH, |body| watches(body, now)).await {
            Ok((found, faults)) => {
                counts.push(format!("{} watches", found.watches.len()));
                poll.faults.extend(faults);
                poll.observations.push(Observation::Watches(Arc::new(found)));
            }
            Err(trouble) => failed.push((WATCHES_PATH, trouble)),
        }
        let all_failed = poll.observations.is_empty();
        poll.good = failed.is_empty();
        for (path, trouble) in failed {
            let what = match trouble {
                // Nothing at all came back: the shell backs off, for as long as it was asked to.
                Trouble::Outside(error) if all_failed => return Err(PollError::Outside(error)),
                Trouble::Outside(error) => error.to_string(),
                Trouble::Unusable(error) => error.to_string(),
            };
            poll.faults.push(Fault { what, place: format!("{}{path}", self.base_url), kept_rest: true });
        }
        poll.cursor = (!counts.is_empty()).then(|| counts.join(", "));
        Ok(poll)
    }
}

impl SpcMesoscale {
    async fn ask<T>(&self, path: &str, read: impl Fn(&[u8]) -> Result<T, GeoJsonError>) -> Result<T, Trouble> {
        let request = Get {
            base_url: self.base_url.clone(),
            path: path.to_owned(),
            query: Vec::new(),
            accept: "application/geo+json",
            body_bytes_max: BODY_BYTES_MAX,
            timeout: REQUEST_TIMEOUT,
            held: None,
        };
        match self.outside.get(&request).await.map_err(Trouble::Outside)? {
            Got::Fresh { body, .. } => read(&body).map_err(Trouble::Unusable),
            Got::NotModified => Err(Trouble::Unusable(GeoJsonError::Empty)),
        }
    }
}
