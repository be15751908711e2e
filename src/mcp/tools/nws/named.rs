//! `place` in the arguments of the routine tools: a name, a ZIP code or a pair of figures instead of coordinates, anywhere in the
//! United States. A refusal has the form of these tools.

use super::reading::invalid;
use crate::desk::enquiries::Refusal;
use crate::ground::gazetteer::{Candidate, PlaceError, resolve_anywhere};
use crate::outside::compute;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Arguments that say where, in pairs or alone; `place` stands for the first that a tool has.
const POINTS: [&[&str]; 2] = [&["latitude", "longitude"], &["point"]];
const PLACE: &str = "place";
const DESCRIPTION: &str = "Instead of coordinates, a place in the United States: \"Norman, OK\", \"Springfield, Greene County, MO\", a \
     ZIP code, or \"35.22,-97.44\". A name of several places is refused with a list of them; geocode_place shows them beforehand.";

fn point_of(schema: &JsonObject) -> Option<&'static [&'static str]> {
    let properties = schema.get("properties")?.as_object()?;
    POINTS.into_iter().find(|names| names.iter().all(|name| properties.contains_key(*name)))
}

/// Offers `place` where a tool takes a point. Neither is required then: a schema cannot say "one of the two" in a way that all clients
/// take.
pub fn offer(schema: &mut JsonObject) {
    let Some(names) = point_of(schema) else { return };
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| !names.iter().any(|point| name == point));
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(PLACE.to_owned(), json!({"type": "string", "description": DESCRIPTION}));
    }
}

/// Puts the position of `place` into regular arguments, and tells the place.
///
/// # Errors
/// `invalid_arguments`: it is none or several places, or a point is given as well.
pub fn located(given: &mut JsonObject, schema: &JsonObject) -> Result<Option<Candidate>, Refusal> {
    let Some(names) = point_of(schema) else { return Ok(None) };
    let asked = match given.remove(PLACE) {
        None => return Ok(None),
        Some(Value::String(asked)) => asked,
        Some(other) => {
            let shown: String = other.to_string().chars().take(60).collect();
            return Err(refused(format!("place: {shown} is no text."), "Write for instance \"Norman, OK\"."));
        }
    };
    if names.iter().any(|name| given.contains_key(*name)) {
        let message = format!("Both place and {} are given.", names.join(", "));
        return Err(refused(message, "Give one of the two: place, or the figures."));
    }
    let found = compute(|| resolve_anywhere(&asked)).map_err(|error| {
        let hint = match error {
            PlaceError::Ambiguous { .. } => "Ask which one is meant, and give it as it stands in the list.",
            _ => "geocode_place shows what a name may mean.",
        };
        refused(format!("place: {error}."), hint)
    })?;
    match names {
        [lat, lon] => {
            given.insert((*lat).to_owned(), json!(found.at.lat()));
            given.insert((*lon).to_owned(), json!(found.at.lon()));
        }
        names => {
            let point = json!(format!("{},{}", found.at.lat(), found.at.lon()));
            given.extend(names.iter().map(|name| ((*name).to_owned(), point.clone())));
        }
    }
    Ok(Some(found))
}

fn refused(message: String, hint: &str) -> Refusal {
    invalid(message, hint.to_owned()).with("field", json!(PLACE))
}
