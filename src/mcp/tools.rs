//! The table of tools: names, arguments, schemas, and how an argument error reads.
//!
//! Boundaries: ✓ what a client sees in tools/list. ✗ no transport (see `session`), no judgement.

pub mod answers;
pub mod args;
mod complaints;
pub mod geocode;
pub mod nws;
pub mod severe;
pub mod watch;

pub(super) use complaints::bounded;

use args::{BriefArgs, HistoricalArgs, LightningArgs, MrmsArgs, OutlookArgs, PointArgs, ReportsArgs, WarningsArgs};

use crate::desk::DeskError;
use crate::desk::enquiries::Refusal;
use crate::geo::{GeoError, LatLon};
use crate::mcp::envelope::{Envelope, input_schema, output_schema};
use crate::threat::UnknownLevel;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
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
    /// The National Weather Service gave no answer.
    #[error(transparent)]
    Nws(#[from] Refusal),
}

/// The checked point of two arguments.
pub fn place(lat: f64, lon: f64) -> Result<LatLon, ToolError> {
    Ok(LatLon::in_conus(lat, lon)?)
}

/// What `serde` says where one half of a point is left out.
const MISSING_POINT: [&str; 4] =
    ["missing field `lat`", "missing field `lon`", "missing field `latitude`", "missing field `longitude`"];

/// Whether the arguments that a complaint names as known hold a point.
fn takes_point(complaint: &str) -> bool {
    let known = complaint.split_once("expected").map_or("", |(_, known)| known);
    ["`lat`", "`latitude`"].iter().any(|half| known.contains(half))
}

/// Reads arguments. A null counts as left out: agents send it for what they do not care about. Unknown ones are refused.
/// `15.0` is a whole number, as JSON Schema has it.
pub fn arguments<T: DeserializeOwned>(given: Option<JsonObject>) -> Result<T, ToolError> {
    let mut given = given.unwrap_or_default();
    given.retain(|_, value| !value.is_null());
    given.values_mut().for_each(make_whole);
    serde_path_to_error::deserialize(Value::Object(given)).map_err(|error| {
        let field = error.path().to_string();
        let why = complaints::in_words(&error.inner().to_string());
        if MISSING_POINT.iter().any(|missing| why.starts_with(missing)) {
            ToolError::Arguments(format!("{why}: give both figures, or place, for instance \"Norman, OK\""))
        } else if why.starts_with("unknown field") && takes_point(&why) {
            // A place has been turned into a point before.
            ToolError::Arguments(format!("{why}, or `place` instead of both figures"))
        } else if field == "." || why.starts_with("unknown field") {
            ToolError::Arguments(why)
        } else {
            ToolError::Argument { field, why }
        }
    })
}

/// Figures are whole up to here, whichever way they are written: 2^53.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// Turns a whole number that is written as a float into an integer; who wants a float takes that too.
fn make_whole(value: &mut Value) {
    let float = value.as_f64().filter(|_| value.is_f64());
    if let Some(figure) = float.filter(|figure| figure.fract() == 0.0 && figure.abs() < WHOLE_MAX) {
        *value = Value::from(figure as i64);
    }
}

/// How a tool acts on the world, for its annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Reads only.
    Reads,
    /// Reads what is in the program.
    Looks,
    /// Adds, and the same call again adds nothing.
    Adds,
    /// Removes, and the same call again removes nothing.
    Removes,
    /// Changes what stands, and the same call again changes nothing.
    Changes,
    /// Sends something out, every time.
    Sends,
}

/// All tools, in the order in which they are listed.
pub static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let mut tools = vec![
        tool::<WarningsArgs, severe::warnings::ActiveWarnings>(
            "get_active_warnings",
            "Active NWS warnings near a point",
            "Tornado, severe thunderstorm, flash flood, extreme wind, special marine, snow squall and dust storm warnings \
             that hold a point in the continental US or lie within radius_km of it, and the watches at the point. Distances \
             in km, times in UTC, with impact tags, storm motion and minutes to arrival. Read `degraded`: an empty list \
             while the feed is blind is not an all-clear. Example: {\"lat\": 40.52, \"lon\": -92.90, \"radius_km\": 60}.",
            Effect::Reads,
        ),
        tool::<OutlookArgs, severe::outlook::SpcOutlook>(
            "get_spc_outlook",
            "SPC severe-weather outlook at a point",
            "What the Storm Prediction Center expects at a point: category (TSTM, MRGL, SLGT, ENH, MDT, HIGH), probabilities of \
             tornado, wind and hail within 25 miles, conditional intensity, and for today the mesoscale discussions and watch \
             outlines that hold the point. Days 1 to 3, and 4 to 8 as probabilities. Read `degraded`: no outlook known is not \
             no risk. Example: {\"lat\": 40.52, \"lon\": -92.90, \"day\": 1}.",
            Effect::Reads,
        ),
        tool::<PointArgs, severe::environment::PointEnvironment>(
            "get_point_environment",
            "Storm environment at a point",
            "What the air over a point would do to storms, from the newest RAP profile: CAPE and CIN of surface, mixed-layer and \
             most unstable parcels (J/kg), heights (m above ground), shear (kt), helicity (m2/s2), storm motion, SCP, STP, SHIP, \
             with a reading in words that says when the air is capped. Example: {\"lat\": 35.34, \"lon\": -97.49}.",
            Effect::Reads,
        ),
        tool::<PointArgs, severe::environment::EnvironmentTrend>(
            "get_environment_trend",
            "How the storm environment changes over six hours",
            "MLCAPE, MLCIN, deep shear, helicity, SCP and STP at a point now and 1, 3 and 6 hours into one run of the RAP model, \
             with the change in words, reckoned from now. Example: {\"lat\": 35.34, \"lon\": -97.49}.",
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
        tool::<LightningArgs, severe::lightning::Lightning>(
            "get_lightning",
            "Lightning near a point",
            "Flashes seen by the GOES lightning mappers within radius_km of a point over the last minutes: count, rate over the \
             time really covered, the nearest flash (to its nearest lit pixel) and the latest. Total lightning: a flash in the \
             cloud counts. Read `degraded`: no file heard is not no lightning. Example: {\"lat\": 40.52, \"lon\": -92.90}.",
            Effect::Reads,
        ),
        tool::<ReportsArgs, severe::reports::StormReportsAround>(
            "get_storm_reports",
            "Storm reports near a point",
            "What spotters and instruments reported within radius_km of a point in the last hours: tornadoes, hail (inches), \
             thunderstorm wind (mph), floods and others, newest first, each event once. Reports come minutes to hours late. \
             Example: {\"lat\": 40.52, \"lon\": -92.90, \"radius_km\": 80, \"hours\": 6}.",
            Effect::Reads,
        ),
        tool::<HistoricalArgs, severe::reports::StormReportsAround>(
            "get_historical_storm_reports",
            "Storm reports of a past day",
            "Storm reports within radius_km of a point on one day since 2005, a UTC day or (local_day) a day of the point's own \
             time zone. Preliminary; sparse before 2008. Example: {\"lat\": 35.34, \"lon\": -97.49, \"date\": \"2024-05-07\"}.",
            Effect::Reads,
        ),
        tool::<BriefArgs, severe::brief::ThreatBrief>(
            "get_threat_brief",
            "Severe-weather threat at a point, ranked and reasoned",
            "One judgement for a point in the continental US: threat level (none, marginal, elevated, significant, \
             extreme), the reasons, hazards ranked by score, the nearest storm signature, when to look out, and what \
             cannot be seen at present. A map or a sounding can come with it as a picture. Start here; use the other tools for \
             detail. Example: {\"lat\": 35.34, \"lon\": -97.49}.",
            Effect::Reads,
        ),
        tool::<PointArgs, severe::radar::Radar>(
            "get_radar_snapshot",
            "The nearest weather radar's newest volume",
            "The newest NEXRAD volume of the nearest radar that has one: scanning pattern (VCP), strongest echo with its place, and \
             an estimate of the echo top (km, kft). Downloads 4 to 15 MB. Where the nearest radar has nothing usable the next \
             ones are tried and named. Example: {\"lat\": 35.34, \"lon\": -97.49}.",
            Effect::Reads,
        ),
        tool::<geocode::GeocodeArgs, geocode::GeocodedPlaces>(
            "geocode_place",
            "Find a US place by name or ZIP code",
            "Coordinates, county, population and time zone of a place in the US, from a gazetteer in the program: \"City, ST\", \
             \"City, County, ST\", a ZIP code or \"lat,lon\". Candidates come ranked; where `found` is several, ask which one is \
             meant instead of taking the first. Place names: GeoNames, CC BY 4.0. Example: {\"query\": \"Springfield, MO\"}.",
            Effect::Looks,
        ),
        tool::<watch::RegisterArgs, watch::RegisteredPoint>(
            "register_watch_point",
            "Keep a point watched",
            "Has a point watched until it is removed: changes of its threat level are recorded, told to the given \
             channels, and announced on the resource watch://points/{id}, which can be subscribed to. The same call \
             again (same client_token, or same name and point to 4 decimals) returns the point that stands, and adds \
             channels that it has not yet. Example: {\"name\": \"Home\", \"lat\": 40.52, \"lon\": -92.90, \"min_level\": \"elevated\"}.",
            Effect::Adds,
        ),
        tool::<watch::IdArgs, watch::Unregistered>(
            "unregister_watch_point",
            "Stop watching a point",
            "Removes a watch point. Notices still waiting for it are dropped, its journal is kept. Removing one that does \
             not exist is no error.",
            Effect::Removes,
        ),
        tool::<watch::change::UpdateArgs, watch::change::ChangedPoint>(
            "update_watch_point",
            "Change what a watched point tells",
            "Changes from which level on a watch point tells (min_level), where to, its quiet hours, when the watch ends, or \
             snoozes it; what is left out stays. Acts at once: a min_level lowered to the level that stands has it told. Example: \
             {\"id\": \"wp_1\", \"min_level\": \"significant\", \"quiet_hours\": \"22:00-07:00\"}.",
            Effect::Changes,
        ),
        tool::<watch::IdArgs, watch::change::ChangedPoint>(
            "acknowledge_watch_point",
            "Say that the present level is known",
            "Stops repeats of the level that stands at a watch point: of this episode nothing up to it is told again. A new \
             maximum is told all the same, and so is the end.",
            Effect::Changes,
        ),
        tool::<watch::IdArgs, watch::change::TestSent>(
            "send_test_notice",
            "Try the channels of a watched point",
            "Sends a notice that is marked as a test through every channel of a watch point, and says where it goes. Touches no \
             state.",
            Effect::Sends,
        ),
        tool::<watch::explained::ExplainArgs, watch::explained::ExplainedPoint>(
            "explain_watch_point",
            "Why a watched point stood at its level, and what was told",
            "Why did it say significant at 21:31? Why was I not told at 21:04? The journal of a watch point around an instant: the \
             level that stood, the change that made it, each reason with its rule, evidence and age, what was held and what could \
             not be seen, and what was told to whom and when, or why not. Also says whether judging the journalled evidence again \
             gives the same. Example: {\"id\": \"wp_1\", \"at_utc\": \"2026-06-10T21:31:00Z\"}.",
            Effect::Reads,
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
    ];
    tools.extend(nws::TOOLS.iter().cloned());
    tools
});

fn tool<Args: JsonSchema, Data: JsonSchema>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    effect: Effect,
) -> Tool {
    let mut input = input_schema::<Args>();
    args::place::offer(&mut input);
    described(name, title, description, effect, input, output_schema::<Envelope<Data>>())
}

/// A tool as it is listed.
fn described(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    effect: Effect,
    input: JsonObject,
    output: JsonObject,
) -> Tool {
    let annotations = ToolAnnotations::with_title(title)
        .read_only(matches!(effect, Effect::Reads | Effect::Looks))
        .destructive(effect == Effect::Removes)
        .idempotent(effect != Effect::Sends)
        .open_world(matches!(effect, Effect::Reads | Effect::Sends));
    Tool::new(name, description, Arc::new(input))
        .with_title(title)
        .with_raw_output_schema(Arc::new(output))
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
        assert_eq!(
            text(json!({"lat": "north", "lon": -92.9})),
            "lat: invalid type: string \"north\", expected a number"
        );
        assert!(text(json!({"lat": 40.5})).contains("missing field `lon`"));
        let unknown = text(json!({"lat": 40.5, "lon": -92.9, "radius": 3}));
        assert!(unknown.contains("unknown field `radius`") && unknown.contains("radius_km"), "{unknown}");
        assert!(text(Value::Null).contains("missing field `lat`"));
    }

    #[test]
    fn whole_numbers_may_be_written_as_floats() {
        let args: super::args::LightningArgs = read(json!({"lat": 40.0, "lon": -92.9, "minutes": 15.0})).unwrap();
        assert_eq!((args.lat, args.lon, args.minutes), (40.0, -92.9, 15));
        let args: super::args::LightningArgs = read(json!({"lat": 40.0, "lon": -92.9, "minutes": 1e9})).unwrap();
        assert_eq!(args.minutes, 1_000_000_000);
        let minutes = |figure: f64| {
            read::<super::args::LightningArgs>(json!({"lat": 40.0, "lon": -92.9, "minutes": figure}))
                .unwrap_err()
                .to_string()
        };
        let wanted = "minutes: invalid type: floating point `15.5`, expected a whole number";
        assert_eq!(minutes(15.5), wanted);
        assert!(minutes(1e300).ends_with("expected a whole number"));
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
