//! `/points`, stations and zones.

use super::read::{Notes, last_segment};
use super::{Read, features, properties};
use crate::decode::geometry;
use crate::decode::nws::text::word;
use crate::decode::nws::{NwsError, document, radio_county};
use crate::geo::LatLon;
use crate::nws_facts::grid_point::GridPoint;
use crate::nws_facts::product::interior_point;
use crate::nws_facts::station::Station;
use crate::nws_facts::units::{Quantity, Unit, whole};
use serde_json::Value;

/// Reads an answer of `/points`.
///
/// # Errors
/// `NwsError` where the whole answer is unusable.
pub fn grid_point(bytes: &[u8]) -> Result<GridPoint, NwsError> {
    let document = document(bytes)?;
    let properties = properties(&document, "an answer of /points")?;
    // Not `type`: refusals have one.
    let known = ["gridId", "cwa", "forecast", "forecastZone", "relativeLocation", "timeZone"];
    if !known.iter().any(|key| properties.get(key).is_some()) {
        let what = crate::decode::nws::name_of(&document);
        return Err(NwsError::Other { what, wanted: "an answer of /points" });
    }
    let text = |key: &str| word(properties.get(key));
    let zone = |key: &str| last_segment(properties.get(key));
    let town = |key: &str| word(properties.pointer(&format!("/relativeLocation/properties/{key}")));
    let county = zone("county");
    let radio = if county.is_none() { radio_county(properties) } else { None };
    Ok(GridPoint {
        // JSON-LD has `@type`; `type` of a bare object is the place's.
        kind: text("type").filter(|kind| kind != "Feature"),
        city: town("city"),
        state: town("state"),
        office: text("cwa").or_else(|| text("gridId")),
        time_zone: text("timeZone"),
        forecast_zone: zone("forecastZone"),
        county_by_radio: radio.is_some(),
        county: county.or(radio),
        fire_zone: zone("fireWeatherZone"),
        forecast_url: text("forecast"),
        hourly_url: text("forecastHourly"),
        stations_url: text("observationStations"),
    })
}

/// Reads a list of stations.
///
/// # Errors
/// `NwsError` where the whole answer is unusable.
pub fn stations(bytes: &[u8]) -> Result<Read<Vec<Station>>, NwsError> {
    let document = document(bytes)?;
    let mut notes = Notes::of("stations");
    let mut list: Vec<Station> = Vec::new();
    for (number, feature) in features(&document, "a list of stations")?.iter().enumerate() {
        match one_station(feature, &mut notes) {
            // Each once.
            Some(station) if list.iter().all(|known| known.id != station.id) => list.push(station),
            Some(_) => {}
            None => notes.note(&format!("feature {number}"), "it names no station"),
        }
    }
    Ok(Read { facts: list, faults: notes.into_faults() })
}

/// Reads one station.
///
/// # Errors
/// `NwsError` where the answer is none.
pub fn station(bytes: &[u8]) -> Result<Read<Station>, NwsError> {
    let document = document(bytes)?;
    let mut notes = Notes::of("station");
    let wanted = "a station";
    let station = one_station(&document, &mut notes);
    let station = station.ok_or_else(|| NwsError::Other { what: crate::decode::nws::name_of(&document), wanted })?;
    Ok(Read { facts: station, faults: notes.into_faults() })
}

fn one_station(feature: &Value, notes: &mut Notes) -> Option<Station> {
    let properties = feature.get("properties").filter(|properties| properties.is_object()).unwrap_or(feature);
    let by_url = || last_segment(feature.get("id"));
    let id = word(properties.get("stationIdentifier")).or_else(by_url)?;
    let ordinate = |at: usize| feature.pointer(&format!("/geometry/coordinates/{at}")).and_then(Value::as_f64);
    let at = ordinate(1).zip(ordinate(0)).and_then(|(lat, lon)| LatLon::new(lat, lon).ok());
    if at.is_none() {
        notes.note(&id, "it does not say where it is");
    }
    let elevation = notes.quantity(properties, "elevation", Unit::Metre).and_then(Quantity::metres);
    Some(Station {
        name: word(properties.get("name")),
        at,
        elevation_m: elevation.map(whole),
        time_zone: word(properties.get("timeZone")),
        county: last_segment(properties.get("county")),
        forecast_zone: last_segment(properties.get("forecast")),
        id,
    })
}

/// A point well inside a zone, where its answer has an area.
///
/// # Errors
/// `NwsError` where the answer is no zone.
pub fn zone_interior(bytes: &[u8]) -> Result<Option<LatLon>, NwsError> {
    let document = document(bytes)?;
    properties(&document, "a zone")?;
    Ok(geometry::area(document.get("geometry")).ok().flatten().and_then(|area| interior_point(&area)))
}
