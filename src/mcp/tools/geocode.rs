//! geocode_place: which places a name, a ZIP code or a pair of figures may mean, from the gazetteer in the program.
//!
//! Boundaries: ✓ candidates and what to do with them in words. ✗ no request goes anywhere, and nothing is chosen.

use super::ToolError;
use super::args::place::PlaceFact;
use crate::ground::gazetteer::{ATTRIBUTION, Candidate, Found, QUERY_CHARS_MAX, find};
use crate::mcp::envelope::Envelope;
use crate::outside::compute;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fewest and most candidates of one answer; what lies outside is clamped.
pub const LIMIT: (i64, i64) = (1, 25);
/// Candidates when no number is asked for.
pub const LIMIT_DEFAULT: i64 = 5;

/// Arguments of geocode_place.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeocodeArgs {
    /// "City, ST", "City, State", "City, County, ST", a ZIP code, ZIP+4, or "lat,lon", for instance "Norman, OK".
    pub query: String,
    /// Candidates, 1 to 25; a figure outside is clamped and the clamped one shown.
    #[serde(default = "limit_default")]
    pub limit: i64,
}

fn limit_default() -> i64 {
    LIMIT_DEFAULT
}

/// `data` of geocode_place.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GeocodedPlaces {
    /// As asked.
    pub query: String,
    /// one: it means exactly this place. several: ask which. none: nothing matches, `close` comes near.
    #[schemars(extend("enum" = ["one", "several", "none"]))]
    pub found: String,
    /// Places that match, the best match and the most people first, at most `limit`.
    pub candidates: Vec<PlaceFact>,
    /// How many match in all.
    pub total: usize,
    /// The limit used.
    pub limit: i64,
    /// Where nothing matches: places of that name elsewhere, or spelt almost so. None of them may be taken unasked.
    pub close: Vec<PlaceFact>,
    /// Whose names these are.
    pub attribution: String,
}

/// geocode_place.
pub fn geocode(args: &GeocodeArgs) -> Result<Envelope<GeocodedPlaces>, ToolError> {
    let query = args.query.trim().to_owned();
    if query.is_empty() || query.chars().count() > QUERY_CHARS_MAX {
        let why =
            format!("1 to {QUERY_CHARS_MAX} characters, for instance \"Norman, OK\", \"73019\" or \"35.22,-97.44\"");
        return Err(ToolError::Argument { field: "query".into(), why });
    }
    let limit = args.limit.clamp(LIMIT.0, LIMIT.1);
    let (found, matching, total, close) = match compute(|| find(&query, usize::try_from(limit).unwrap_or(1))) {
        Found::NoPosition(error) => return Err(error.into()),
        Found::One(one) => ("one", vec![one], 1, Vec::new()),
        Found::Several { candidates, total } => ("several", candidates, total, Vec::new()),
        Found::None { close } => ("none", Vec::new(), 0, close),
    };
    let words = in_words(&query, &matching, total, &close);
    let facts = |candidates: &[Candidate]| candidates.iter().map(PlaceFact::from).collect();
    let (candidates, close) = (facts(&matching), facts(&close));
    let data =
        GeocodedPlaces { query, found: found.into(), candidates, total, limit, close, attribution: ATTRIBUTION.into() };
    Ok(Envelope::new(data, words, Vec::new()))
}

fn in_words(query: &str, matching: &[Candidate], total: usize, close: &[Candidate]) -> String {
    let outside = "It is outside the continental US: no tool answers about it.";
    match (matching, close) {
        ([one], _) if total == 1 => {
            format!("{query:?} is {one}.{}", if one.in_conus { String::new() } else { format!(" {outside}") })
        }
        ([], []) => format!("No place {query:?} is known in the US."),
        ([], [first, rest @ ..]) => {
            let more = if rest.is_empty() { String::new() } else { format!(", and {} more", rest.len()) };
            format!("No place {query:?} is known in the US. Near it comes {first}{more}: ask whether that is meant.")
        }
        ([first, ..], _) => format!(
            "{total} place{} may be meant by {query:?}, first {first}: ask which one, and give its `query` as `place`.",
            if total == 1 { "" } else { "s" }
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str, limit: i64) -> Envelope<GeocodedPlaces> {
        geocode(&GeocodeArgs { query: query.into(), limit }).unwrap()
    }

    #[test]
    fn one_several_and_none() {
        let one = asked("Norman, OK", 5);
        assert_eq!((one.data.found.as_str(), one.data.total, one.data.candidates.len()), ("one", 1, 1));
        let norman = &one.data.candidates[0];
        assert_eq!((norman.label.as_str(), norman.time_zone.as_deref()), ("Norman, OK", Some("America/Chicago")));
        assert!(one.data.attribution.contains("GeoNames") && one.degraded.is_empty());

        let several = asked(" Springfield ", 3);
        assert_eq!((several.data.found.as_str(), several.data.candidates.len()), ("several", 3));
        assert!(several.data.total > 3 && several.interpretation.contains("ask which one"));
        assert_eq!(asked("Springfield", 900).data.limit, 25);

        let none = asked("Oklahma City, OK", 5);
        assert_eq!((none.data.found.as_str(), none.data.candidates.len()), ("none", 0));
        assert!(none.data.close[0].label == "Oklahoma City, OK" && none.data.close[0].matched == "close");
        assert!(asked("Honolulu, HI", 5).interpretation.contains("outside the continental US"));
    }

    #[test]
    fn what_cannot_be_asked_is_refused() {
        let why = |query: &str| geocode(&GeocodeArgs { query: query.into(), limit: 5 }).unwrap_err().to_string();
        assert!(why("  ").contains("Norman, OK") && why(&"x".repeat(201)).contains("200"));
        assert!(why("-97.4,35.2").contains("swapped"));
    }
}
