//! Routine facts of the National Weather Service from api.weather.gov, asked on demand and never polled: forecasts, stations
//! and what they measure, alerts, texts of offices.
//!
//! Published by the NWS: forecasts several times a day, observations once an hour and oftener (five to twenty minutes late),
//! alerts within a minute or so. One question here is one request; it goes out by the same way as the polls of warnings, with
//! the same user agent and the same limits. Only what `/points` says is kept, for an hour: it changes a few times a year. It
//! cannot tell whether an answer that is missing will come at the next try: who asks decides (`desk::enquiries`).

use crate::config::ConfigError;
use crate::decode::nws::NwsError;
use crate::decode::nws_api::{self, Problem, Read};
use crate::geo::LatLon;
use crate::nws_facts::alerts::{AlertCollection, AlertQuery};
use crate::nws_facts::conditions::Conditions;
use crate::nws_facts::forecast::Forecast;
use crate::nws_facts::grid_point::{GridPoint, cut_4dp};
use crate::nws_facts::ids::{ApiId, ProductId};
use crate::nws_facts::product::{AlertCounts, Product, ProductLine, ZoneForecast};
use crate::nws_facts::span::Span;
use crate::nws_facts::station::Station;
use crate::observation::NWS_FACTS;
use crate::outside::{Answered, Get, Outside, compute};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

mod error;
mod kept;

#[cfg(test)]
mod tests;

pub use error::AskError;
use kept::KeptPoints;

/// An hourly forecast has 150 kB, a text at most 100 kB.
const BODY_BYTES_MAX: usize = 4 << 20;
/// As for the polls of the national collection.
const ALERTS_BYTES_MAX: usize = 16 << 20;
/// Zones of Alaska have borders of 100,000 corners.
const ZONE_BYTES_MAX: usize = 16 << 20;
/// One try: usual answers take a fraction of a second.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Who serves the URLs that answers name.
const HOST: &str = "api.weather.gov";
/// On every request: without it the API serves data days old.
const ACCEPT: &str = "application/geo+json";

/// `[sources.nws_facts]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Scheme, host and port, without a path.
    pub base_url: String,
}

impl Default for Config {
    fn default() -> Self {
        Self { base_url: format!("https://{HOST}") }
    }
}

/// What can be asked.
pub struct NwsFacts {
    enabled: bool,
    outside: Arc<dyn Outside>,
    base_url: String,
    points: Mutex<KeptPoints>,
}

/// Opens it. Nothing is asked of the upstream yet.
pub fn open(config: &Config, outside: Arc<dyn Outside>) -> NwsFacts {
    NwsFacts {
        enabled: true,
        outside,
        base_url: config.base_url.trim_end_matches('/').to_owned(),
        points: Mutex::default(),
    }
}

/// Opens it as configured.
///
/// # Errors
/// When its block names an unknown key or a value of the wrong type.
pub fn configured(config: &crate::config::Config, outside: Arc<dyn Outside>) -> Result<NwsFacts, ConfigError> {
    let enabled = config.is_source_enabled(NWS_FACTS.as_str())?;
    Ok(open(&config.source(NWS_FACTS.as_str())?, outside).switched(enabled))
}

impl NwsFacts {
    /// The same, switched on or off (`[sources.nws_facts] enabled`).
    pub fn switched(self, enabled: bool) -> Self {
        Self { enabled, ..self }
    }

    /// What `/points` says of a place, kept for an hour.
    ///
    /// # Errors
    /// `AskError`, as for every question here.
    pub async fn grid_point(&self, place: LatLon, now: Timestamp) -> Result<Arc<GridPoint>, AskError> {
        let key = cut_4dp(place);
        if let Some(kept) = self.kept().of(&key, now) {
            return Ok(kept);
        }
        let (url, body) = self.body(&format!("/points/{key}"), Vec::new(), BODY_BYTES_MAX).await?;
        let point = Arc::new(nws_api::grid_point(&body).map_err(|why| AskError::malformed(url, &why))?);
        self.kept().keep(key, Arc::clone(&point), now);
        Ok(point)
    }

    /// The forecast at a URL of `/points`.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn forecast(&self, url: &str) -> Result<Forecast, AskError> {
        self.read_url(url, nws_api::forecast).await
    }

    /// The stations at a URL of `/points`.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn stations(&self, url: &str) -> Result<Vec<Station>, AskError> {
        self.read_url(url, nws_api::stations).await
    }

    /// One station.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn station(&self, id: &ApiId) -> Result<Station, AskError> {
        self.read(&format!("/stations/{}", id.as_str()), Vec::new(), nws_api::station).await
    }

    /// The newest observation of a station.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn latest(&self, id: &ApiId) -> Result<Conditions, AskError> {
        self.read(&format!("/stations/{}/observations/latest", id.as_str()), Vec::new(), nws_api::latest).await
    }

    /// At most `limit` observations of a station, as listed.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn observations(&self, id: &ApiId, span: Span, limit: u32) -> Result<Vec<Conditions>, AskError> {
        let mut query = Vec::new();
        for (key, end) in [("start", span.start), ("end", span.end)] {
            // To the microsecond, which is as fine as the API reads.
            query.extend(end.map(|at| (key.to_owned(), at.strftime("%Y-%m-%dT%H:%M:%S%.fZ").to_string())));
        }
        query.push(("limit".to_owned(), limit.to_string()));
        self.read(&format!("/stations/{}/observations", id.as_str()), query, nws_api::observations).await
    }

    /// The active alerts that the API lists for a query.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn alerts(&self, query: &AlertQuery) -> Result<AlertCollection, AskError> {
        self.alerts_by(query.upstream()).await
    }

    /// The same for several zones at once, in the place of the query's own.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn alerts_of_zones(&self, query: &AlertQuery, zones: &[String]) -> Result<AlertCollection, AskError> {
        let mut pairs = query.anywhere().upstream();
        pairs.push(("zone".to_owned(), zones.join(",")));
        self.alerts_by(pairs).await
    }

    async fn alerts_by(&self, query: Vec<(String, String)>) -> Result<AlertCollection, AskError> {
        let (url, body) = self.body("/alerts/active", query, ALERTS_BYTES_MAX).await?;
        compute(|| nws_api::alerts(&body)).map_err(|why| AskError::malformed(url, &why))
    }

    /// The names of all events.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn alert_types(&self) -> Result<Vec<String>, AskError> {
        let (url, body) = self.body("/alerts/types", Vec::new(), BODY_BYTES_MAX).await?;
        nws_api::alert_types(&body).map_err(|why| AskError::malformed(url, &why))
    }

    /// How many alerts are active.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn alert_counts(&self) -> Result<AlertCounts, AskError> {
        let (url, body) = self.body("/alerts/active/count", Vec::new(), BODY_BYTES_MAX).await?;
        nws_api::alert_counts(&body).map_err(|why| AskError::malformed(url, &why))
    }

    /// The products of one type that an office has written lately. `kind` is of the fixed list of the caller.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn products(&self, kind: &'static str, office: &ApiId) -> Result<Vec<ProductLine>, AskError> {
        let path = format!("/products/types/{kind}/locations/{}", office.as_str());
        self.read(&path, Vec::new(), nws_api::products).await
    }

    /// One product.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn product(&self, id: &ProductId) -> Result<Product, AskError> {
        self.read(&format!("/products/{}", id.as_str()), Vec::new(), nws_api::product).await
    }

    /// Whether there is such an office: `NotFound` where there is none.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn office(&self, office: &ApiId) -> Result<(), AskError> {
        self.body(&format!("/offices/{}", office.as_str()), Vec::new(), BODY_BYTES_MAX).await.map(|_| ())
    }

    /// The forecast in words for a zone.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn zone_forecast(&self, zone: &ApiId) -> Result<ZoneForecast, AskError> {
        self.read(&format!("/zones/forecast/{}/forecast", zone.as_str()), Vec::new(), nws_api::zone_forecast).await
    }

    /// A point well inside a forecast zone, where its area is told: `NotFound` where there is no such zone.
    ///
    /// # Errors
    /// `AskError`.
    pub async fn zone_interior(&self, zone: &ApiId) -> Result<Option<LatLon>, AskError> {
        let path = format!("/zones/forecast/{}", zone.as_str());
        let (url, body) = self.body(&path, Vec::new(), ZONE_BYTES_MAX).await?;
        compute(|| nws_api::zone_interior(&body)).map_err(|why| AskError::malformed(url, &why))
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, KeptPoints> {
        // What is kept is whole whatever happened to a holder.
        self.points.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn read<T>(
        &self,
        path: &str,
        query: Vec<(String, String)>,
        decode: fn(&[u8]) -> Result<Read<T>, NwsError>,
    ) -> Result<T, AskError> {
        let (url, body) = self.body(path, query, BODY_BYTES_MAX).await?;
        let read = decode(&body).map_err(|why| AskError::malformed(url.clone(), &why))?;
        for fault in &read.faults {
            tracing::debug!(url, place = fault.place, what = fault.what, "part of an answer could not be read");
        }
        Ok(read.facts)
    }

    /// The same for a URL that an answer named.
    async fn read_url<T>(&self, url: &str, decode: fn(&[u8]) -> Result<Read<T>, NwsError>) -> Result<T, AskError> {
        let (path, query) = self.within(url).ok_or_else(|| AskError::Malformed {
            url: url.chars().take(200).collect(),
            why: "an answer named it, and it leads elsewhere".to_owned(),
        })?;
        self.read(&path, query, decode).await
    }

    /// Path and query of a URL of the API; `None` for any other. A mirror passes the API's own URLs on as they are: they are
    /// asked of the mirror.
    fn within(&self, url: &str) -> Option<(String, Vec<(String, String)>)> {
        let url = reqwest::Url::parse(url).ok().filter(|url| matches!(url.scheme(), "https" | "http"))?;
        let base = reqwest::Url::parse(&self.base_url).ok()?;
        let path = if url.host_str() == Some(HOST) {
            url.path()
        } else if url.origin() == base.origin() {
            url.path().strip_prefix(base.path().trim_end_matches('/')).filter(|path| path.starts_with('/'))?
        } else {
            return None;
        };
        let query = url.query_pairs().map(|(key, value)| (key.into_owned(), value.into_owned())).collect();
        Some((path.to_owned(), query))
    }

    async fn body(
        &self,
        path: &str,
        query: Vec<(String, String)>,
        body_bytes_max: usize,
    ) -> Result<(String, bytes::Bytes), AskError> {
        if !self.enabled {
            return Err(AskError::Off);
        }
        let request = Get {
            base_url: self.base_url.clone(),
            path: path.to_owned(),
            query,
            accept: ACCEPT,
            body_bytes_max,
            timeout: REQUEST_TIMEOUT,
            held: None,
        };
        let url = format!("{}{path}", self.base_url);
        match self.outside.ask(&request).await {
            Ok(Answered::Good(body)) => Ok((url, body)),
            Ok(Answered::Refused { status, body, retry_after }) => {
                Err(AskError::by_status(url, status, &body, retry_after))
            }
            Err(error) => Err(AskError::of(url, error)),
        }
    }
}

impl AskError {
    fn by_status(url: String, status: u16, body: &[u8], retry_after: Option<Duration>) -> Self {
        let problem: Problem = nws_api::problem(body);
        match status {
            400 => Self::Rejected { url, problem },
            404 => Self::NotFound { url, problem },
            429 => Self::RateLimited { url, retry_after },
            501 => Self::Refused { url, status },
            500..=599 => Self::Unavailable { url, why: format!("it answered {status}"), status: Some(status) },
            _ => Self::Refused { url, status },
        }
    }
}
