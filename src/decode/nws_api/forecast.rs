//! Forecasts for grid points and for zones.

use super::read::{Notes, count};
use super::{ROWS_MAX, Read, properties};
use crate::decode::nws::text::word;
use crate::decode::nws::{NwsError, document, name_of};
use crate::nws_facts::forecast::{Forecast, Period, TemperatureUnit};
use crate::nws_facts::product::{ZoneForecast, ZonePeriod};
use crate::nws_facts::units::{Quantity, Unit, tenth, whole};
use serde_json::Value;

/// Reads a forecast in half days or hours.
///
/// # Errors
/// `NwsError` where the whole answer is unusable.
pub fn forecast(bytes: &[u8]) -> Result<Read<Forecast>, NwsError> {
    let document = document(bytes)?;
    let (properties, periods) = periods(&document, "a forecast")?;
    let mut notes = Notes::of("forecast");
    // Beside `generatedAt` older answers have `updateTime` and `updated`.
    let generated = ["generatedAt", "updateTime", "updated"].iter().find_map(|key| notes.moment(properties, key));
    let mut faults = notes.into_faults();
    let mut list = Vec::with_capacity(periods.len());
    for (number, value) in periods.iter().enumerate() {
        let mut notes = Notes::of(format!("period {}", number + 1));
        list.push(period(value, &mut notes));
        faults.extend(notes.into_faults());
    }
    Ok(Read { facts: Forecast { generated, periods: list }, faults })
}

fn periods<'a>(document: &'a Value, wanted: &'static str) -> Result<(&'a Value, &'a [Value]), NwsError> {
    let properties = properties(document, wanted)?;
    match properties.get("periods") {
        Some(Value::Array(periods)) => Ok((properties, periods.get(..ROWS_MAX).unwrap_or(periods))),
        _ => Err(NwsError::Other { what: format!("{} without periods", name_of(document)), wanted }),
    }
}

fn period(value: &Value, notes: &mut Notes) -> Period {
    let text = |key: &str| word(value.get(key));
    let (temperature, temperature_unit) = temperature(value, notes);
    let percent = |notes: &mut Notes, key: &str| notes.quantity(value, key, Unit::Percent).and_then(Quantity::percent);
    Period {
        name: text("name").unwrap_or_default(),
        start: notes.moment(value, "startTime"),
        end: notes.moment(value, "endTime"),
        temperature,
        temperature_unit,
        wind_speed: wind(value, notes),
        wind_direction: text("windDirection"),
        short_forecast: text("shortForecast"),
        detailed_forecast: text("detailedForecast"),
        precip_chance_pct: percent(notes, "probabilityOfPrecipitation").map(whole),
        dewpoint_c: notes.quantity(value, "dewpoint", Unit::Celsius).and_then(Quantity::celsius).map(tenth),
        relative_humidity_pct: percent(notes, "relativeHumidity").map(tenth),
    }
}

/// A number whose unit stands beside it, or (as the API has announced for years) a figure with its unit.
fn temperature(value: &Value, notes: &mut Notes) -> (Option<f64>, Option<TemperatureUnit>) {
    let beside = word(value.get("temperatureUnit")).map(|unit| Unit::by_code(&unit));
    let usual = beside.flatten().unwrap_or(Unit::Fahrenheit);
    let Some(quantity) = notes.quantity(value, "temperature", usual) else { return (None, None) };
    match quantity.unit {
        Unit::Fahrenheit => (Some(tenth(quantity.value)), Some(TemperatureUnit::F)),
        _ => (quantity.celsius().map(tenth), quantity.celsius().map(|_| TemperatureUnit::C)),
    }
}

/// `10 to 15 mph` as sent; a figure with its unit in words.
fn wind(value: &Value, notes: &mut Notes) -> Option<String> {
    let speed = value.get("windSpeed").filter(|speed| !speed.is_null())?;
    if !speed.is_object() {
        return word(Some(speed));
    }
    let kmh = |quantity: Option<Quantity>| quantity.and_then(Quantity::kmh).map(whole);
    let end = |notes: &mut Notes, key: &str| {
        let one = serde_json::json!({"windSpeed": {"value": speed.get(key), "unitCode": speed.get("unitCode")}});
        kmh(notes.quantity(&one, "windSpeed", Unit::Kmh))
    };
    match (end(notes, "minValue"), end(notes, "maxValue"), end(notes, "value")) {
        (Some(least), Some(most), _) if least != most => Some(format!("{least} to {most} km/h")),
        (_, Some(most), _) => Some(format!("{most} km/h")),
        (_, _, Some(only)) | (Some(only), _, _) => Some(format!("{only} km/h")),
        (None, None, None) => None,
    }
}

/// Reads a forecast in words for a zone.
///
/// # Errors
/// `NwsError` where the whole answer is unusable.
pub fn zone_forecast(bytes: &[u8]) -> Result<Read<ZoneForecast>, NwsError> {
    let document = document(bytes)?;
    let (properties, periods) = periods(&document, "a zone forecast")?;
    let mut notes = Notes::of("zone forecast");
    let updated = notes.moment(properties, "updated");
    let period = |value: &Value| ZonePeriod {
        number: count(value.get("number")),
        name: word(value.get("name")),
        detailed_forecast: word(value.get("detailedForecast")),
    };
    let facts = ZoneForecast { updated, periods: periods.iter().map(period).collect() };
    Ok(Read { facts, faults: notes.into_faults() })
}
