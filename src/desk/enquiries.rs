//! Questions to the National Weather Service on behalf of a door: several requests put one after the other or beside each
//! other, asked again where trouble passes, and what it means that one of them has no answer.
//!
//! Boundaries: ✓ which requests, in which order, how patiently; which reason a refusal has. ✗ no wording of answers (see
//! `mcp::tools::nws`, `cli::nws`), no HTTP (see `sources::nws_facts`, which never waits and never asks twice).

mod alerts;
mod observations;
mod patience;
mod refusal;
mod texts;

pub use alerts::{AlertAnswer, FRESH_FOR};
pub use observations::{History, Observed, PAGE_MAX as HISTORY_PAGE_MAX};
pub use refusal::{Code, Refusal, reason};
pub use texts::ProductKind;

use crate::clock::Clock;
use crate::geo::LatLon;
use crate::nws_facts::forecast::Forecast;
use crate::nws_facts::grid_point::{Grid, GridPoint, cut_4dp};
use crate::nws_facts::product::AlertCounts;
use crate::nws_facts::station::{SightedStation, around};
use crate::sources::OnDemand;
use crate::sources::nws_facts::{AskError, NwsFacts};
use patience::{once, patiently};
use serde_json::json;
use std::sync::Arc;

/// Puts questions. Cheap to clone.
#[derive(Clone)]
pub struct Enquiries {
    on_demand: Arc<OnDemand>,
    clock: Clock,
}

/// The stations around a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Surroundings {
    /// What the place is.
    pub place: Arc<GridPoint>,
    /// Nearest first.
    pub stations: Vec<SightedStation>,
    /// Stations that do not say where they are, and are left out.
    pub unplaced: usize,
}

impl Enquiries {
    /// Over the sources that are asked on demand.
    pub fn new(on_demand: Arc<OnDemand>, clock: Clock) -> Self {
        Self { on_demand, clock }
    }

    fn facts(&self) -> &NwsFacts {
        &self.on_demand.nws
    }

    /// The present instant of the service's clock.
    pub fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }

    /// What `/points` says of a place.
    ///
    /// # Errors
    /// `out_of_scope` where the NWS does not go; the upstream's trouble otherwise.
    pub async fn grid_point(&self, place: LatLon) -> Result<Arc<GridPoint>, Refusal> {
        let asked = patiently(self.clock, || self.facts().grid_point(place, self.clock.now())).await;
        asked.map_err(|error| {
            let here = cut_4dp(place);
            match &error {
                AskError::NotFound { .. } => Refusal::new(
                    Code::ValidationError,
                    reason::OUT_OF_SCOPE,
                    format!("The National Weather Service has no forecasts for {here}."),
                    "It covers the United States, its territories and the waters around them. Check the signs: western \
                     longitudes are negative.",
                ),
                AskError::Unavailable { status: Some(500..), .. } => Refusal::of(&error).saying(
                    format!("The API fails for the point {here}."),
                    "Points on the open ocean (25,-70 for instance) fail always: try one on or near land. For a point on \
                     land it is an outage: try again in some minutes.",
                ),
                _ => Refusal::of(&error),
            }
        })
    }

    /// The forecast for a place, in half days or hours.
    ///
    /// # Errors
    /// `marine_forecast_unsupported`, `no_forecast_grid`, `out_of_scope`, or the upstream's trouble.
    pub async fn forecast(&self, place: LatLon, hourly: bool) -> Result<(Arc<GridPoint>, Forecast), Refusal> {
        let point = self.grid_point(place).await?;
        let url = if hourly { &point.hourly_url } else { &point.forecast_url };
        let url = match (url, point.grid()) {
            (_, Grid::Part) => return Err(incomplete(place)),
            (Some(url), _) => url,
            (None, Grid::Marine) => return Err(marine(place, &point)),
            (None, Grid::Whole | Grid::None) => return Err(gridless(place, &point)),
        };
        match patiently(self.clock, || self.facts().forecast(url)).await {
            Ok(forecast) => Ok((point, forecast)),
            Err(AskError::NotFound { problem, .. }) if problem.kind.as_deref() == Some(MARINE) => {
                Err(marine(place, &point))
            }
            Err(AskError::NotFound { .. }) => Err(gridless(place, &point)),
            Err(error) => Err(Refusal::of(&error)),
        }
    }

    /// The stations around a place, nearest first. A place without a list has none around.
    ///
    /// # Errors
    /// `out_of_scope`, or the upstream's trouble.
    pub async fn stations(&self, place: LatLon) -> Result<Surroundings, Refusal> {
        let point = self.grid_point(place).await?;
        let listed = match &point.stations_url {
            // Others are named: that this one is not is a fault, not an answer.
            None if point.grid() == Grid::Part => return Err(incomplete(place)),
            None => Vec::new(),
            Some(url) => match patiently(self.clock, || self.facts().stations(url)).await {
                Ok(stations) => stations,
                Err(AskError::NotFound { .. }) => Vec::new(),
                Err(error) => return Err(Refusal::of(&error)),
            },
        };
        let (stations, unplaced) = around(place, listed);
        Ok(Surroundings { place: point, stations, unplaced })
    }

    /// The names of all events.
    ///
    /// # Errors
    /// The upstream's trouble.
    pub async fn alert_types(&self) -> Result<Vec<String>, Refusal> {
        patiently(self.clock, || self.facts().alert_types()).await.map_err(|error| Refusal::of(&error))
    }

    /// How many alerts are active.
    ///
    /// # Errors
    /// The upstream's trouble.
    pub async fn alert_counts(&self) -> Result<AlertCounts, Refusal> {
        patiently(self.clock, || self.facts().alert_counts()).await.map_err(|error| Refusal::of(&error))
    }
}

fn incomplete(place: LatLon) -> Refusal {
    Refusal::plain(
        Code::ServiceUnavailable,
        format!("What the API says of {} is incomplete: some of its addresses are missing.", cut_4dp(place)),
        "Try again in some minutes.",
    )
}

/// What the API calls the lack of forecasts over water.
const MARINE: &str = "MarineForecastNotSupported";

fn marine(place: LatLon, point: &GridPoint) -> Refusal {
    let zone = point.forecast_zone.as_deref();
    let told = zone.map(|zone| format!(" It lies in the marine zone {zone}.")).unwrap_or_default();
    let hint = match zone {
        Some(zone) => format!(
            "Take a point on land, or use nws_search_alerts with zone {zone} for what is in force on the water."
        ),
        None => "Take a point on land, or use nws_search_alerts for what is in force on the water.".to_owned(),
    };
    let message = format!("{} is over water, where the API has no forecasts.{told}", cut_4dp(place));
    Refusal::new(Code::NotFound, reason::MARINE_FORECAST_UNSUPPORTED, message, hint).with("forecastZone", json!(zone))
}

fn gridless(place: LatLon, point: &GridPoint) -> Refusal {
    let zone = point.forecast_zone.as_deref();
    let told = zone.map(|zone| format!(" It lies in the forecast zone {zone}.")).unwrap_or_default();
    let hint = match zone {
        Some(zone) => format!("Use nws_search_alerts with zone {zone}, or nws_get_zone_forecast with zone_id {zone}."),
        None => "Try a point nearby, or nws_search_alerts with this point.".to_owned(),
    };
    let message = format!("{} is on land and on no forecast grid.{told}", cut_4dp(place));
    Refusal::new(Code::NotFound, reason::NO_FORECAST_GRID, message, hint).with("forecastZone", json!(zone))
}
