//! The common envelope of every tool result, and the schemas that describe it.
//!
//! Boundaries: ✓ the common keys, the form of times, schemas that every client can digest. ✗ nothing about any one tool.

use crate::geo::{LatLon, round_1dp};
use crate::mcp::tools::args::place::AskedPlace;
use crate::threat::DISCLAIMER;
use jiff::Timestamp;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};

/// Version of the envelope and of every `data`: renaming, removing or retyping a field is a major step, adding a minor one.
/// 1.1 added `place`.
pub const SCHEMA_VERSION: &str = "1.1";

/// What every tool answers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Envelope<T> {
    /// Version of this envelope and of `data`.
    pub schema_version: String,
    /// The facts.
    pub data: T,
    /// The facts in a few sentences, what is not known first.
    pub interpretation: String,
    /// Ids of the sources that this answer had to do without, sorted; empty when all were heard.
    pub degraded: Vec<String>,
    /// Fixed sentence.
    pub disclaimer: String,
    /// The place that was asked about, where the arguments named one by `place`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<AskedPlace>,
}

impl<T> Envelope<T> {
    /// Wraps `data`; `degraded` is sorted and freed of repeats.
    pub fn new(data: T, interpretation: String, mut degraded: Vec<String>) -> Self {
        degraded.sort();
        degraded.dedup();
        let (schema_version, disclaimer) = (SCHEMA_VERSION.into(), DISCLAIMER.into());
        Self { schema_version, data, interpretation, degraded, disclaimer, place: None }
    }
}

/// A position in decimal degrees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Point {
    /// Degrees north.
    pub lat: f64,
    /// Degrees east; western longitudes are negative.
    pub lon: f64,
}

impl From<LatLon> for Point {
    fn from(at: LatLon) -> Self {
        Self { lat: at.lat(), lon: at.lon() }
    }
}

/// Where something is as seen from the asked point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Location {
    /// Great-circle distance, km.
    pub distance_km: f64,
    /// Initial bearing from the point, degrees clockwise from north, 0 to 360.
    pub bearing_deg: i64,
    /// The same as a 16-point compass name.
    pub direction: String,
}

impl Location {
    /// From unrounded figures.
    pub fn new(distance_km: f64, bearing_deg: f64) -> Self {
        Self {
            distance_km: round_1dp(distance_km),
            bearing_deg: bearing_deg.round() as i64,
            direction: crate::geo::compass(bearing_deg).into(),
        }
    }
}

/// An instant as it stands in answers: ISO 8601 UTC with whole seconds and `Z`.
pub fn utc(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// An instant to the minute, the form in which radar scans are named.
pub fn utc_minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%MZ").to_string()
}

/// The time of day for sentences, `21:04Z`; with the date where it is not of the same day as `now`.
pub fn clock_time(at: Timestamp, now: Timestamp) -> String {
    let same_day = at.strftime("%F").to_string() == now.strftime("%F").to_string();
    at.strftime(if same_day { "%H:%MZ" } else { "%F %H:%MZ" }).to_string()
}

/// `value` rounded to `decimals` places.
pub fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (value * scale).round() / scale
}

/// The schema of what `T` serialises to, as `outputSchema`.
pub fn output_schema<T: JsonSchema>() -> JsonObject {
    object_of(SchemaSettings::draft2020_12().for_serialize(), T::json_schema)
}

/// The schema of what `T` accepts, as `inputSchema`. An optional argument reads as its plain type: leaving it out is the
/// way to say nothing, and `["string", "null"]` confuses several clients.
pub fn input_schema<T: JsonSchema>() -> JsonObject {
    let mut schema = object_of(SchemaSettings::draft2020_12(), T::json_schema);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(without_null);
    }
    schema.entry("properties").or_insert_with(|| json!({}));
    schema
}

fn object_of(
    mut settings: SchemaSettings,
    schema_of: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
) -> JsonObject {
    // No $ref and no $schema: clients on older validators refuse documents that name a draft they do not know.
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = schema_of(&mut settings.into_generator()).to_value();
    plain(&mut schema);
    let mut object = match schema {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    };
    object.remove("title");
    object.remove("description");
    object.insert("type".into(), json!("object"));
    object
}

/// `format` beside a number (`uint`, `double`, ...) is an invention of schemars that validators warn about or refuse.
/// Descriptions come from doc comments: their line breaks mean nothing.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("format").is_some_and(Value::is_string) {
                object.remove("format");
            }
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            object.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn without_null(property: &mut Value) {
    let Value::Object(property) = property else { return };
    if property.get("default").is_some_and(Value::is_null) {
        property.remove("default");
    }
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            property.insert("type".into(), only);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, JsonSchema)]
    struct Sample {
        count: u32,
        figure: Option<f64>,
        inner: Vec<Point>,
    }

    #[test]
    fn schemas_carry_no_number_format_and_no_reference() {
        let schema = Value::Object(output_schema::<Envelope<Sample>>());
        let text = schema.to_string();
        assert!(!text.contains("\"format\"") && !text.contains("$ref") && !text.contains("$schema"), "{text}");
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["properties"]["data"]["properties"]["inner"]["items"]["properties"]["lat"]["type"], "number");
        assert_eq!(schema["properties"]["data"]["properties"]["figure"]["type"], json!(["number", "null"]));
    }

    #[test]
    fn times_are_utc_with_z_whatever_the_fraction() {
        let at: Timestamp = "2026-06-10T16:31:00.7-05:00".parse().unwrap();
        assert_eq!(utc(at), "2026-06-10T21:31:00Z");
        assert_eq!(utc_minute(at), "2026-06-10T21:31Z");
        assert_eq!(clock_time(at, "2026-06-10T22:00:00Z".parse().unwrap()), "21:31Z");
        assert_eq!(clock_time(at, "2026-06-11T00:10:00Z".parse().unwrap()), "2026-06-10 21:31Z");
    }

    #[test]
    fn a_bearing_just_short_of_north_rounds_to_360() {
        let location = Location::new(12.34, 359.6);
        assert_eq!((location.distance_km, location.bearing_deg, location.direction.as_str()), (12.3, 360, "N"));
    }
}
