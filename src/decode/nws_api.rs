//! Answers of api.weather.gov to questions about routine facts, to field types.
//!
//! Boundaries: ✓ every key may be missing or null; figures come as numbers, as strings, or with a unit that is not the usual
//! one; says what was wrong with the rest. ✗ no I/O, no clock, no judgement; what people are warned by is read by
//! `decode::nws`, which shares its words and times with this.

mod alerts;
mod forecast;
mod observation;
mod place;
mod problem;
mod product;
mod read;

#[cfg(test)]
mod tests;

pub use alerts::{alert_counts, alert_types, alerts, national};
pub use forecast::{forecast, zone_forecast};
pub use observation::{latest, observations};
pub use place::{grid_point, station, stations, zone_interior};
pub use problem::{Problem, problem};
pub use product::{product, products};

use super::nws::NwsError;
use crate::observation::Fault;
use serde_json::Value;

/// Rows read of one answer: far more than any has (500 observations, some hundred stations, 156 hours), bounded whatever is
/// sent.
const ROWS_MAX: usize = 2_000;

/// What an answer says, and what was wrong with the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Read<T> {
    /// What it says.
    pub facts: T,
    /// What could not be read.
    pub faults: Vec<Fault>,
}

/// The properties of a GeoJSON feature; of plain JSON-LD, which has none, the document itself.
fn properties<'a>(document: &'a Value, wanted: &'static str) -> Result<&'a Value, NwsError> {
    match document.get("properties") {
        Some(properties) if properties.is_object() => Ok(properties),
        None if document.is_object() && document.get("features").is_none() => Ok(document),
        _ => Err(NwsError::Other { what: super::nws::name_of(document), wanted }),
    }
}

/// The features of a collection. Missing or null reads as none: an answer without rows.
fn features<'a>(document: &'a Value, wanted: &'static str) -> Result<&'a [Value], NwsError> {
    match document.get("features") {
        Some(Value::Array(features)) => Ok(features.get(..ROWS_MAX).unwrap_or(features)),
        Some(Value::Null) => Ok(&[]),
        _ => Err(NwsError::Other { what: super::nws::name_of(document), wanted }),
    }
}
