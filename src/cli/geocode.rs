//! `stormbell geocode`: which places a name, a ZIP code or a pair of figures may mean.
//!
//! Boundaries: ✓ the table and the words around it. ✗ no search (see `ground::gazetteer`).

use crate::cli::args::GeocodeArgs;
use crate::cli::fail::Failure;
use crate::cli::{print, table};
use crate::ground::gazetteer::ATTRIBUTION;
use crate::mcp::tools::geocode::{self, GeocodedPlaces};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Prints the candidates; exit code 1 where nothing matches.
///
/// # Errors
/// An empty query, or figures that are no position.
pub fn run(args: &GeocodeArgs, json: bool) -> Result<ExitCode, Failure> {
    let asked = geocode::GeocodeArgs { query: args.query.join(" "), limit: i64::from(args.limit) };
    let envelope = geocode::geocode(&asked).map_err(|error| Failure::usage(error.to_string(), ""))?;
    if json {
        print::document(&json!(envelope.data));
    } else {
        print::line(&text(&envelope.data, &envelope.interpretation));
    }
    Ok(if envelope.data.candidates.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn text(data: &GeocodedPlaces, words: &str) -> String {
    let columns = [
        ("place", "/label"),
        ("county", "/county"),
        ("lat", "/lat"),
        ("lon", "/lon"),
        ("people", "/population"),
        ("time zone", "/time_zone"),
        ("kind", "/kind"),
        ("match", "/match"),
        ("watchable", "/in_conus"),
    ];
    let rows: Vec<Value> = data.candidates.iter().chain(&data.close).map(|fact| json!(fact)).collect();
    let shown = if data.total > data.candidates.len() {
        format!("\n{} of {} are shown; --limit shows more.", data.candidates.len(), data.total)
    } else {
        String::new()
    };
    if rows.is_empty() {
        return words.to_owned();
    }
    let words = match data.candidates.as_slice() {
        [first, _, ..] => &format!(
            "{} places may be meant by {:?}. Name the one that you mean by state, county, ZIP code or coordinates: \
             --place {:?}",
            data.total, data.query, first.query
        ),
        _ => words,
    };
    format!("{words}\n{}{shown}\n{ATTRIBUTION}", table::lay_out(&rows, &columns, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(query: &str) -> String {
        let asked = geocode::GeocodeArgs { query: query.to_owned(), limit: 3 };
        let envelope = geocode::geocode(&asked).unwrap();
        text(&envelope.data, &envelope.interpretation)
    }

    #[test]
    fn candidates_stand_in_a_table_with_their_origin() {
        let several = told("Springfield");
        assert!(
            several.contains("Greene County") && several.contains("3 of ") && several.contains("GeoNames"),
            "{several}"
        );
        assert!(told("Norman, OK").contains("America/Chicago"));
        assert!(told("Oklahma City, OK").contains("close"));
        assert_eq!(told("Qqqqqqq").lines().count(), 1);
    }
}
