//! `place` instead of coordinates, for every tool that takes a point: offered in its schema, turned into the two figures before the
//! tool sees its arguments, and told with the answer.
//!
//! Boundaries: ✓ the one spot where words become a position. ✗ no tool knows of it, and none chooses among places of a name.

use crate::ground::gazetteer::{ATTRIBUTION, Candidate, resolve};
use crate::mcp::tools::ToolError;
use crate::outside::compute;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// The names under which tools take a point.
const PAIRS: [(&str, &str); 2] = [("lat", "lon"), ("latitude", "longitude")];
const PLACE: &str = "place";
const DESCRIPTION: &str = "Instead of coordinates, a place in the continental US: \"Norman, OK\", \"Springfield, Greene County, MO\", a \
     ZIP code, or \"35.22,-97.44\". A name of several places is refused with a list of them; geocode_place shows them beforehand.";

/// A place as the gazetteer knows it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlaceFact {
    /// For a person, for instance "Norman, OK".
    pub label: String,
    /// What to give as `place` to mean exactly this one.
    pub query: String,
    /// Its name; of a ZIP code that of its post office.
    pub name: String,
    /// Two letters; null abroad and at sea.
    pub state: Option<String>,
    /// The county that holds it; null where not known.
    pub county: Option<String>,
    /// Five digits, of a ZIP code and of a post office.
    pub zip: Option<String>,
    /// Degrees north.
    pub lat: f64,
    /// Degrees east; western longitudes are negative.
    pub lon: f64,
    /// People; null where not counted.
    pub population: Option<u32>,
    /// IANA name.
    pub time_zone: Option<String>,
    /// city, post_office, zip or coordinates.
    pub kind: String,
    /// exact, without_kind (New York City for New York), elsewhere (another state or county), or close (spelt almost so).
    #[serde(rename = "match")]
    pub matched: String,
    /// Whether it lies in the continental US, where tools answer and points can be watched.
    pub in_conus: bool,
}

impl From<&Candidate> for PlaceFact {
    fn from(candidate: &Candidate) -> Self {
        Self {
            label: candidate.label(),
            query: candidate.query(),
            name: candidate.name.clone(),
            state: candidate.state.map(str::to_owned),
            county: candidate.county.clone(),
            zip: candidate.zip.clone(),
            lat: candidate.at.lat(),
            lon: candidate.at.lon(),
            population: candidate.population,
            time_zone: candidate.time_zone.map(str::to_owned),
            kind: candidate.kind.as_str().into(),
            matched: candidate.matched.as_str().into(),
            in_conus: candidate.in_conus,
        }
    }
}

/// The place that was asked about by name, short: it stands in the schema of every tool.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AskedPlace {
    /// For a person, for instance "Norman, OK".
    pub label: String,
    /// The county that holds it; null where not known.
    pub county: Option<String>,
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
    /// IANA name.
    pub time_zone: Option<String>,
    /// Whose names these are.
    pub attribution: String,
}

impl From<&Candidate> for AskedPlace {
    fn from(candidate: &Candidate) -> Self {
        Self {
            label: candidate.label(),
            county: candidate.county.clone(),
            lat: candidate.at.lat(),
            lon: candidate.at.lon(),
            time_zone: candidate.time_zone.map(str::to_owned),
            attribution: ATTRIBUTION.into(),
        }
    }
}

/// Offers `place` in the schema of a tool that takes a point. Neither it nor the figures are required then: a schema cannot say "one of
/// the two" in a way that all clients take.
pub fn offer(schema: &mut JsonObject) {
    let Some(pair) = pair_of(schema) else { return };
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name != pair.0 && name != pair.1);
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(PLACE.into(), json!({"type": "string", "description": DESCRIPTION}));
    }
}

fn pair_of(schema: &JsonObject) -> Option<(&'static str, &'static str)> {
    let properties = schema.get("properties")?.as_object()?;
    PAIRS.into_iter().find(|(lat, lon)| properties.contains_key(*lat) && properties.contains_key(*lon))
}

/// The arguments with a position in the place of `place`, and the place. Where there is no `place`, and for tools that take no point,
/// they stay as they are. A blank one counts as left out, like null.
///
/// # Errors
/// The place is none or several, or figures are given as well.
pub fn located(tool: &Tool, given: Option<JsonObject>) -> Result<(Option<JsonObject>, Option<Candidate>), ToolError> {
    let (Some((lat, lon)), Some(mut given)) = (pair_of(&tool.input_schema), given.clone()) else {
        return Ok((given, None));
    };
    let bad = |why: String| ToolError::Argument { field: PLACE.into(), why };
    let asked = match given.remove(PLACE) {
        None | Some(Value::Null) => return Ok((Some(given), None)),
        Some(Value::String(text)) if text.trim().is_empty() => return Ok((Some(given), None)),
        Some(Value::String(text)) => text,
        Some(other) => return Err(bad(format!("{other} is no text; write for instance \"Norman, OK\""))),
    };
    if [lat, lon].into_iter().any(|name| given.get(name).is_some_and(|value| !value.is_null())) {
        return Err(bad(format!("give either place, or {lat} and {lon}, not both")));
    }
    let found = compute(|| resolve(&asked)).map_err(|error| bad(error.to_string()))?;
    given.insert(lat.into(), json!(found.at.lat()));
    given.insert(lon.into(), json!(found.at.lon()));
    Ok((Some(given), Some(found)))
}

/// The answer with the place that it is about, in the object and in its text alike. An error stays as it is.
pub fn told(mut result: CallToolResult, asked: Option<&Candidate>) -> CallToolResult {
    let Some(asked) = asked.filter(|_| result.is_error != Some(true)) else { return result };
    let fact = AskedPlace::from(asked);
    if let (Some(Value::Object(answer)), Ok(value)) = (&mut result.structured_content, serde_json::to_value(&fact)) {
        answer.insert(PLACE.into(), value);
    }
    if let (Some(ContentBlock::Text(text)), Ok(words)) =
        (result.content.first_mut(), serde_json::to_string_pretty(&fact))
        && let Some(before) = text.text.strip_suffix("\n}")
    {
        // The last key of the envelope.
        text.text = format!("{before},\n  \"{PLACE}\": {}\n}}", words.replace('\n', "\n  "));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tools::TOOLS;

    fn tool(name: &str) -> &'static Tool {
        TOOLS.iter().find(|tool| tool.name == name).unwrap()
    }

    fn located_in(name: &str, given: Value) -> Result<(JsonObject, Option<Candidate>), String> {
        let located = located(tool(name), given.as_object().cloned()).map_err(|error| error.to_string());
        located.map(|(given, asked)| (given.unwrap(), asked))
    }

    /// A new tool that takes a point takes a place as well, without doing anything for it.
    #[test]
    fn every_tool_with_a_point_offers_a_place_and_requires_neither() {
        let mut with_point = 0;
        for tool in TOOLS.iter() {
            let properties = tool.input_schema["properties"].as_object().unwrap();
            let takes_point = ["lat", "latitude", "point"].iter().any(|name| properties.contains_key(*name));
            assert_eq!(properties.contains_key(PLACE), takes_point, "{}", tool.name);
            let required = tool.input_schema.get("required").map(ToString::to_string).unwrap_or_default();
            assert!(!required.contains("\"lat") && !required.contains("\"lon"), "{}: {required}", tool.name);
            with_point += usize::from(takes_point);
        }
        assert!(with_point >= 11, "{with_point}");
    }

    #[test]
    fn a_place_becomes_a_position() {
        let (given, asked) = located_in("get_mrms_severe", json!({"place": "Norman, OK", "radius_km": 20})).unwrap();
        assert!((given["lat"].as_f64().unwrap() - 35.22).abs() < 0.02 && given["radius_km"] == 20);
        assert!(!given.contains_key(PLACE) && asked.unwrap().label() == "Norman, OK");
        // Null and blank are left out; figures stay what they are.
        for left_out in [json!(null), json!(" ")] {
            let (given, asked) = located_in("get_lightning", json!({"lat": 1, "lon": 2, "place": left_out})).unwrap();
            assert!(given["lat"] == 1 && asked.is_none() && !given.contains_key(PLACE));
        }
        let (given, _) = located_in("get_lightning", json!({"place": "73019", "lat": null, "lon": null})).unwrap();
        assert!(given["lat"].is_f64());
        let (given, asked) = located_in("list_watch_points", json!({"place": "Norman, OK"})).unwrap();
        assert!(given.contains_key(PLACE) && asked.is_none(), "not of this tool: it refuses it itself");
    }

    #[test]
    fn what_is_not_one_place_is_refused_with_what_to_do() {
        let why = |given| located_in("get_threat_brief", given).unwrap_err();
        let several = why(json!({"place": "Springfield"}));
        assert!(several.starts_with("place: ") && several.contains("Springfield, Greene County, MO"), "{several}");
        assert!(why(json!({"place": "Norman, OK", "lat": 35.2})).contains("not both"));
        assert!(why(json!({"place": "Honolulu, HI"})).contains("outside the continental US"));
        assert!(why(json!({"place": "Xyzzyville, OK"})).contains("no place"));
        assert!(why(json!({"place": 73019})).contains("no text"));
        assert!(why(json!({"place": "35.2,97.4"})).contains("did you mean lon -97.4"));
    }
}
