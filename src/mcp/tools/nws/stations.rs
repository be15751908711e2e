//! nws_find_stations.

use super::args::{STATIONS_PAGE_MAX, StationArgs};
use super::paging::Turn;
use super::reply::{PageFacts, Told};
use super::words::{height, or_dash};
use super::{Asked, position};
use crate::desk::enquiries::Refusal;
use crate::nws_facts::station::SightedStation;
use crate::nws_facts::units::miles_of_km;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A page of stations.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StationList {
    /// Nearest first.
    pub stations: Vec<StationFacts>,
    /// The page.
    #[serde(flatten)]
    pub page: PageFacts,
}

/// One station as seen from the point.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StationFacts {
    /// Id, for instance KICT.
    pub station_id: String,
    /// Its name.
    pub name: Option<String>,
    /// Distance from the point, km.
    pub distance_km: f64,
    /// Direction from the point, 16-point compass name.
    pub bearing: String,
    /// Metres above sea level.
    pub elevation_m: Option<i64>,
    /// IANA time zone name.
    pub time_zone: Option<String>,
    /// Its county.
    pub county: Option<String>,
    /// Its forecast zone.
    pub forecast_zone: Option<String>,
}

/// What a cursor carries of the question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    at: (f64, f64),
}

/// One page of the stations around a point.
pub(super) async fn find(args: StationArgs, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let turn = Turn::<Question>::of(args.cursor.as_deref(), args.limit, STATIONS_PAGE_MAX)?;
    let at = position(turn.query.as_ref().map(|carried| carried.at), args.latitude, args.longitude)?;
    let around = asked.nws.stations(at).await?;
    let mut notes = Vec::new();
    if around.stations.is_empty() {
        notes.push("No station is listed around this point; try one nearby, on land.".to_owned());
    }
    if around.unplaced > 0 {
        notes.push(format!("{} station(s) do not say where they are and are left out.", around.unplaced));
    }
    let (shown, page) = turn.page(&around.stations, Question { at: (at.lat(), at.lon()) }, notes);
    let facts = StationList { stations: shown.iter().map(station).collect(), page };
    let text = markdown(&facts);
    let words = match facts.stations.first() {
        Some(first) => format!(
            "{} stations are listed around the point; the first shown is {}, {} km {}.",
            facts.page.total_count, first.station_id, first.distance_km, first.bearing
        ),
        None => facts.page.served.notice.clone().unwrap_or_default(),
    };
    Told::new(facts, text, words, Vec::new())
}

fn station(sighted: &SightedStation) -> StationFacts {
    let station = sighted.station.clone();
    StationFacts {
        station_id: station.id,
        name: station.name,
        distance_km: sighted.distance_km,
        bearing: sighted.bearing.to_owned(),
        elevation_m: station.elevation_m,
        time_zone: station.time_zone,
        county: station.county,
        forecast_zone: station.forecast_zone,
    }
}

fn markdown(facts: &StationList) -> String {
    let mut lines = vec!["# Stations around the point, nearest first".to_owned()];
    for station in &facts.stations {
        lines.push(format!(
            "- {} {}: {} mi ({} km) {} · elevation {} · time zone {} · county {} · forecast zone {}",
            station.station_id,
            or_dash(station.name.as_deref()),
            miles_of_km(station.distance_km),
            station.distance_km,
            station.bearing,
            station.elevation_m.map_or_else(|| "-".to_owned(), height),
            or_dash(station.time_zone.as_deref()),
            or_dash(station.county.as_deref()),
            or_dash(station.forecast_zone.as_deref())
        ));
    }
    lines.push(String::new());
    lines.extend(facts.page.lines());
    lines.join("\n")
}
