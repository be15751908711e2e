//! What stations measured: by their id or around a place, now and over some days.

use super::{Code, Enquiries, Refusal, once, patiently, reason};
use crate::geo::LatLon;
use crate::nws_facts::conditions::Conditions;
use crate::nws_facts::grid_point::cut_4dp;
use crate::nws_facts::ids::ApiId;
use crate::nws_facts::span::Span;
use crate::nws_facts::station::Station;
use crate::sources::nws_facts::AskError;
use futures_util::future::{Either, select};
use serde_json::json;
use std::pin::pin;

/// The largest page of observations.
pub const PAGE_MAX: u32 = 100;

/// One observation and its station.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// Its id.
    pub station_id: String,
    /// The station, where it could be asked.
    pub station: Option<Station>,
    /// What it measured.
    pub conditions: Conditions,
}

/// Observations of one station, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// Its id.
    pub station_id: String,
    /// The station, where it could be asked.
    pub station: Option<Station>,
    /// At most as many as asked for.
    pub observations: Vec<Conditions>,
    /// Whether there are older ones in the span.
    pub more: bool,
}

impl Enquiries {
    /// The newest observation of the nearest station.
    ///
    /// # Errors
    /// `no_stations_nearby`, `no_observations`, `out_of_scope`, or the upstream's trouble.
    pub async fn conditions_at(&self, place: LatLon) -> Result<Observed, Refusal> {
        let around = self.stations(place).await?;
        let Some(nearest) = around.stations.into_iter().next() else {
            return Err(Refusal::new(
                Code::NotFound,
                reason::NO_STATIONS_NEARBY,
                format!("No station is listed around {}.", cut_4dp(place)),
                "Try a point nearby, on land, or give a station_id.",
            ));
        };
        let station = nearest.station;
        // The list named it: that it does not exist would be no true answer.
        let id = ApiId::new(&station.id).ok_or_else(|| silent(&station.id))?;
        match patiently(self.clock, || self.facts().latest(&id)).await {
            Ok(conditions) if conditions.observed.is_some() => {
                Ok(Observed { station_id: station.id.clone(), station: Some(station), conditions })
            }
            Ok(_) | Err(AskError::NotFound { .. }) => Err(silent(&station.id)),
            Err(error) => Err(Refusal::of(&error)),
        }
    }

    /// The newest observation of a station.
    ///
    /// # Errors
    /// `station_not_found`, `no_observations`, or the upstream's trouble.
    pub async fn conditions_of(&self, station_id: &str) -> Result<Observed, Refusal> {
        let id = ApiId::new(station_id).ok_or_else(|| unknown(station_id))?;
        let latest = patiently(self.clock, || self.facts().latest(&id));
        let (station, latest) = self.with_station(&id, latest).await?;
        let station_id = id.as_str().to_owned();
        match latest {
            Ok(conditions) if conditions.observed.is_some() => {
                Ok(Observed { station_id, station: station.ok(), conditions })
            }
            Ok(_) | Err(AskError::NotFound { .. }) => match station {
                Ok(_) => Err(silent(&station_id)),
                // Whether there is such a station at all could not be asked.
                Err(error) => Err(Refusal::of(&error)),
            },
            Err(error) => Err(Refusal::of(&error)),
        }
    }

    /// The newest `limit` observations of a station in a span.
    ///
    /// # Errors
    /// `station_not_found`, or the upstream's trouble.
    pub async fn history(&self, station_id: &str, span: Span, limit: u32) -> Result<History, Refusal> {
        let id = ApiId::new(station_id).ok_or_else(|| unknown(station_id))?;
        let limit = limit.clamp(1, PAGE_MAX);
        // One more than is shown: where it comes there are older ones.
        let probed = limit + 1;
        let asked = patiently(self.clock, || self.facts().observations(&id, span, probed));
        let (station, asked) = self.with_station(&id, asked).await?;
        let listed = match asked {
            Ok(listed) => listed,
            Err(AskError::NotFound { .. }) => match station {
                Ok(_) => Vec::new(),
                Err(error) => return Err(Refusal::of(&error)),
            },
            Err(error) => return Err(Refusal::of(&error)),
        };
        let full = listed.len() > limit as usize;
        let (mut observations, left_out) = newest_first(listed, span);
        // A row that is left out took the place of the one that would have told.
        let more = observations.len() > limit as usize || full && left_out;
        observations.truncate(limit as usize);
        Ok(History { station_id: id.as_str().to_owned(), station: station.ok(), observations, more })
    }

    /// Asks for a station beside another question. An unknown station is told as such whatever became of the other: first
    /// come, first believed would call it a station without observations.
    async fn with_station<T>(
        &self,
        id: &ApiId,
        other: impl Future<Output = Result<T, AskError>>,
    ) -> Result<(Result<Station, AskError>, Result<T, AskError>), Refusal> {
        let (station, other) = (pin!(once(|| self.facts().station(id))), pin!(other));
        let told = |station: &Result<Station, AskError>| match station {
            Err(AskError::NotFound { .. }) => Err(unknown(id.as_str())),
            Ok(_) | Err(_) => Ok(()),
        };
        match select(station, other).await {
            Either::Left((station, other)) => {
                told(&station)?;
                Ok((station, other.await))
            }
            Either::Right((other, station)) => {
                let station = station.await;
                told(&station)?;
                Ok((station, other))
            }
        }
    }
}

/// In the span, newest first, of each instant one; and whether rows were left out, beyond the span or of an instant that is
/// there.
fn newest_first(listed: Vec<Conditions>, span: Span) -> (Vec<Conditions>, bool) {
    let at = |conditions: &Conditions| conditions.observed.as_ref().map(|observed| observed.at);
    let count = listed.len();
    let mut kept: Vec<Conditions> =
        listed.into_iter().filter(|row| at(row).is_some_and(|observed| span.holds(observed))).collect();
    kept.sort_by_key(|row| std::cmp::Reverse(at(row)));
    kept.dedup_by_key(|row| at(row));
    let left_out = kept.len() < count;
    (kept, left_out)
}

fn unknown(id: &str) -> Refusal {
    let shown: String = id.trim().chars().take(40).collect();
    Refusal::new(
        Code::NotFound,
        reason::STATION_NOT_FOUND,
        format!("There is no station {shown:?}."),
        "Stations have ids such as KICT; nws_find_stations lists those around a place.",
    )
    .with("stationId", json!(shown))
}

fn silent(id: &str) -> Refusal {
    Refusal::new(
        Code::NotFound,
        reason::NO_OBSERVATIONS,
        format!("The station {id} has no recent observation."),
        "Take another station: nws_find_stations lists those around a place.",
    )
    .with("stationId", json!(id))
}
