//! The table of tools: names, arguments, schemas, and how an argument error reads.
//!
//! Boundaries: ✓ what a client sees in tools/list. ✗ no transport (see `session`), no judgement.

pub mod severe;
pub mod watch;

use crate::desk::DeskError;
use crate::geo::{GeoError, LatLon};
use crate::mcp::envelope::{Envelope, input_schema, output_schema};
use crate::threat::UnknownLevel;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::{Arc, LazyLock};
use thiserror::Error;

/// Why a tool gives no answer: shown to the caller as the text of an error result.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ToolError {
    /// The arguments as a whole: a missing or unknown one.
    #[error("arguments: {0}")]
    Arguments(String),
    /// One argument.
    #[error("{field}: {why}")]
    Argument {
        /// Which.
        field: String,
        /// What is wrong and what is accepted.
        why: String,
    },
    /// The point cannot be watched.
    #[error(transparent)]
    Geo(#[from] GeoError),
    /// A level that is none.
    #[error("min_level: {0}")]
    Level(#[from] UnknownLevel),
    /// No such watch point of this owner.
    #[error("id: there is no watch point {0:?}; list_watch_points shows those that stand")]
    NoSuchPoint(String),
    /// The desk refused or failed.
    #[error(transparent)]
    Desk(#[from] DeskError),
}

/// A point and, where a tool takes one, a radius.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WarningsArgs {
    /// Latitude, decimal degrees north, 24.0 to 50.0 (continental US), for instance 40.52.
    pub lat: f64,
    /// Longitude, decimal degrees east, -125.5 to -66.5; western longitudes are negative, for instance -92.90.
    pub lon: f64,
    /// Radius around the point, km, 5 to 250; a figure outside is clamped and the clamped one shown.
    #[serde(default = "warnings_radius_km")]
    pub radius_km: f64,
}

/// See `WarningsArgs`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MrmsArgs {
    /// Latitude, decimal degrees north, 24.0 to 50.0 (continental US), for instance 40.52.
    pub lat: f64,
    /// Longitude, decimal degrees east, -125.5 to -66.5; western longitudes are negative, for instance -92.90.
    pub lon: f64,
    /// Radius around the point, km, 5 to 200; a figure outside is clamped and the clamped one shown.
    #[serde(default = "mrms_radius_km")]
    pub radius_km: f64,
}

/// A point.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointArgs {
    /// Latitude, decimal degrees north, 24.0 to 50.0 (continental US), for instance 40.52.
    pub lat: f64,
    /// Longitude, decimal degrees east, -125.5 to -66.5; western longitudes are negative, for instance -92.90.
    pub lon: f64,
}

fn warnings_radius_km() -> f64 {
    severe::warnings::RADIUS_KM_DEFAULT
}

fn mrms_radius_km() -> f64 {
    severe::mrms::RADIUS_KM_DEFAULT
}

/// The checked point of two arguments.
pub fn place(lat: f64, lon: f64) -> Result<LatLon, ToolError> {
    Ok(LatLon::in_conus(lat, lon)?)
}

/// Reads arguments. A null counts as left out: agents send it for what they do not care about. Unknown ones are refused.
pub fn arguments<T: DeserializeOwned>(given: Option<JsonObject>) -> Result<T, ToolError> {
    let mut given = given.unwrap_or_default();
    given.retain(|_, value| !value.is_null());
    serde_path_to_error::deserialize(Value::Object(given)).map_err(|error| {
        let field = error.path().to_string();
        let why = error.inner().to_string();
        if field == "." || why.starts_with("unknown field") {
            ToolError::Arguments(why)
        } else {
            ToolError::Argument { field, why }
        }
    })
}

/// How a tool acts on the world, for its annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Reads only.
    Reads,
    /// Adds, and the same call again adds nothing.
    Adds,
    /// Removes, and the same call again removes nothing.
    Removes,
}

/// All tools, in the order in which they are listed.
pub static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    vec![
        tool::<WarningsArgs, severe::warnings::ActiveWarnings>(
            "get_active_warnings",
            "Active NWS warnings near a point",
            "Tornado, severe thunderstorm, flash flood, extreme wind, special marine, snow squall and dust storm warnings \
             that hold a point in the continental US or lie within radius_km of it, and the watches at the point. Distances \
             in km, times in UTC, with impact tags, storm motion and minutes to arrival. Read `degraded`: an empty list \
             while the feed is blind is not an all-clear. Example: {\"lat\": 40.52, \"lon\": -92.90, \"radius_km\": 60}.",
            Effect::Reads,
        ),
        tool::<MrmsArgs, severe::mrms::MrmsSevere>(
            "get_mrms_severe",
            "Radar severe-weather maxima near a point",
            "Largest hail size (mm and in, last 60 minutes), rotation (1/s, last 60 minutes, 0-2 and 3-6 km above ground), \
             vertically integrated liquid (kg/m2) and composite reflectivity (dBZ) within radius_km of a point, from the \
             MRMS national radar mosaics, with place, age and coverage. A product older than 12 minutes is left out and \
             named in `degraded`. Example: {\"lat\": 40.52, \"lon\": -92.90}.",
            Effect::Reads,
        ),
        tool::<PointArgs, severe::brief::ThreatBrief>(
            "get_threat_brief",
            "Severe-weather threat at a point, ranked and reasoned",
            "One judgement for a point in the continental US: threat level (none, marginal, elevated, significant, \
             extreme), the reasons, hazards ranked by score, the nearest storm signature, when to look out, and what \
             cannot be seen at present. Start here; use the other tools for detail. Example: {\"lat\": 35.34, \"lon\": -97.49}.",
            Effect::Reads,
        ),
        tool::<watch::RegisterArgs, watch::RegisteredPoint>(
            "register_watch_point",
            "Keep a point watched",
            "Has a point watched until it is removed: changes of its threat level are recorded, told to the given \
             channels, and announced on the resource watch://points/{id}, which can be subscribed to. The same call \
             again (same client_token, or same name and point to 4 decimals) returns the point that stands. Example: \
             {\"name\": \"Home\", \"lat\": 40.52, \"lon\": -92.90, \"min_level\": \"elevated\"}.",
            Effect::Adds,
        ),
        tool::<watch::IdArgs, watch::Unregistered>(
            "unregister_watch_point",
            "Stop watching a point",
            "Removes a watch point. Notices still waiting for it are dropped, its journal is kept. Removing one that does \
             not exist is no error.",
            Effect::Removes,
        ),
        tool::<watch::ListArgs, watch::WatchPointList>(
            "list_watch_points",
            "Watched points and their levels",
            "All watch points with level, since when, and what cannot be seen for them, sorted by id, a page at a time. \
             Where `next_cursor` is present, pass it as `cursor` for the next page.",
            Effect::Reads,
        ),
        tool::<watch::IdArgs, watch::WatchPointFacts>(
            "get_watch_point",
            "One watched point with its assessment",
            "The present assessment of a watch point: the level that stands and since when, every reason with its \
             evidence and age, what is held although nothing supports it now, and what cannot be seen.",
            Effect::Reads,
        ),
    ]
});

fn tool<Args: JsonSchema, Data: JsonSchema>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    effect: Effect,
) -> Tool {
    let annotations = ToolAnnotations::with_title(title)
        .read_only(effect == Effect::Reads)
        .destructive(effect == Effect::Removes)
        .idempotent(true)
        .open_world(effect == Effect::Reads);
    Tool::new(name, description, Arc::new(input_schema::<Args>()))
        .with_title(title)
        .with_raw_output_schema(Arc::new(output_schema::<Envelope<Data>>()))
        .with_annotations(annotations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read<T: DeserializeOwned>(value: Value) -> Result<T, ToolError> {
        arguments(value.as_object().cloned())
    }

    #[test]
    fn argument_errors_name_the_field() {
        let text = |value| read::<WarningsArgs>(value).unwrap_err().to_string();
        assert_eq!(text(json!({"lat": "north", "lon": -92.9})), "lat: invalid type: string \"north\", expected f64");
        assert!(text(json!({"lat": 40.5})).contains("missing field `lon`"));
        let unknown = text(json!({"lat": 40.5, "lon": -92.9, "radius": 3}));
        assert!(unknown.contains("unknown field `radius`") && unknown.contains("radius_km"), "{unknown}");
        assert!(text(Value::Null).contains("missing field `lat`"));
    }

    #[test]
    fn a_null_argument_counts_as_left_out() {
        let args: MrmsArgs = read(json!({"lat": 40.5, "lon": -92.9, "radius_km": null})).unwrap();
        assert!((args.radius_km - 40.0).abs() < f64::EPSILON);
        assert!(read::<MrmsArgs>(json!({"lat": null, "lon": -92.9})).is_err());
    }

    #[test]
    fn points_outside_the_box_are_explained() {
        let text = |lat, lon| place(lat, lon).unwrap_err().to_string();
        assert!(text(40.5, 92.9).contains("did you mean lon -92.9"));
        assert!(text(-92.9, 40.5).contains("swapped"));
    }
}
