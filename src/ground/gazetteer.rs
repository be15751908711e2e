//! Places by name, ZIP code or coordinates, offline.
//!
//! Names are GeoNames' (CC BY 4.0) and the post's, counties the Census Bureau's: see `assets/README.md`. The tables are unpacked at the
//! first question by name and stay, some 3 MB.
//! Boundaries: ✓ candidates, the best first, each with how it matched. ✗ no choice among several: one name stands for places in a
//! dozen states, and a warning for the wrong one is worse than a question.

use crate::geo::{GeoError, LatLon};
use crate::ground::states::OUTSIDE_CONUS;
use crate::ground::{state_of, time_zone};
use query::Asked;
use std::fmt;
use tables::{TABLES, Tables};
use thiserror::Error;

mod fold;
mod names;
mod query;
mod search;
mod tables;

/// What must be said wherever names are answered: the licence of GeoNames asks for it.
pub const ATTRIBUTION: &str = "Place names: GeoNames (geonames.org), CC BY 4.0.";
/// Longest query, characters: more is no place.
pub const QUERY_CHARS_MAX: usize = 200;
/// Candidates that an error lists.
const LISTED_MAX: usize = 6;

/// What a candidate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A populated place of GeoNames: a city, town, village, or a part of one.
    City,
    /// A post office that is no such place: too small, or called otherwise.
    PostOffice,
    /// A ZIP code.
    Zip,
    /// Two figures.
    Coordinates,
}

impl Kind {
    /// For answers: city, post_office, zip or coordinates.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::City => "city",
            Self::PostOffice => "post_office",
            Self::Zip => "zip",
            Self::Coordinates => "coordinates",
        }
    }
}

/// How a candidate matches the query, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// It is what was asked for.
    Exact,
    /// Without the word for the kind of place: New York City for New York.
    WithoutKind,
    /// Of that name, but not in the state or county that was asked for.
    Elsewhere,
    /// Spelt almost like it, or a ZIP code with a number near it.
    Close,
}

impl Match {
    /// For answers: exact, without_kind, elsewhere or close.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::WithoutKind => "without_kind",
            Self::Elsewhere => "elsewhere",
            Self::Close => "close",
        }
    }
}

/// One place that may be meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its name; of a ZIP code that of its post office, of coordinates the two figures.
    pub name: String,
    /// Two letters; `None` abroad and at sea.
    pub state: Option<&'static str>,
    /// The county that holds it, where known, for instance `Cleveland County`.
    pub county: Option<String>,
    /// Five digits, of a ZIP code and of a post office.
    pub zip: Option<String>,
    /// Its middle as the source has it: of a ZIP code the middle of its area.
    pub at: LatLon,
    /// People, where they were counted.
    pub population: Option<u32>,
    /// IANA name.
    pub time_zone: Option<&'static str>,
    /// What it is.
    pub kind: Kind,
    /// How it matches.
    pub matched: Match,
    /// Whether it can be watched: it lies in the continental US.
    pub in_conus: bool,
}

impl Candidate {
    /// For a person: `Norman, OK`, `73019 (Norman, OK)`, `35.2200,-97.4400`.
    pub fn label(&self) -> String {
        match (&self.zip, self.kind) {
            (Some(zip), Kind::Zip) => format!("{zip} ({})", self.named()),
            _ => self.named(),
        }
    }

    fn named(&self) -> String {
        match self.state {
            Some(state) if self.kind != Kind::Coordinates => format!("{}, {state}", self.name),
            _ => self.name.clone(),
        }
    }

    /// What to type to mean this one: the name with its county, or the ZIP code.
    pub fn query(&self) -> String {
        match (&self.zip, &self.county, self.state) {
            (Some(zip), ..) => zip.clone(),
            (None, Some(county), Some(state)) => format!("{}, {county}, {state}", self.name),
            _ => self.label(),
        }
    }
}

/// `Norman, Cleveland County, OK (35.2226,-97.4395; 128026 people)`, `73019 (Norman, OK; 35.2086,-97.4445)`.
impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at.key_4dp();
        match (self.kind, &self.zip, self.population) {
            (Kind::Coordinates, ..) => write!(f, "{at}"),
            (_, Some(zip), _) => write!(f, "{zip} ({}; {at})", self.named()),
            (_, None, Some(people)) => write!(f, "{} ({at}; {people} people)", self.query()),
            (_, None, None) => write!(f, "{} ({at})", self.query()),
        }
    }
}

/// What a query leads to.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// Exactly one place.
    One(Candidate),
    /// Several, the best matching and largest first, as many as were asked for; `total` are known.
    Several {
        /// At least one of them.
        candidates: Vec<Candidate>,
        /// How many there are.
        total: usize,
    },
    /// None; these come near.
    None {
        /// Of that name elsewhere, or spelt almost like it.
        close: Vec<Candidate>,
    },
    /// Two figures that are no position on earth.
    NoPosition(GeoError),
}

/// Why a query gives no place that can be watched.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PlaceError {
    /// Nothing, or far too much.
    #[error(
        "a place is a name with its state (\"Norman, OK\"), a ZIP code, or \"lat,lon\", up to {QUERY_CHARS_MAX} characters"
    )]
    NoQuery,
    /// No such place.
    #[error("no place {query:?} is known{}; a place is a name with its state (\"Norman, OK\"), a ZIP code, or \"lat,lon\"", listed("; is one of these meant? ", .close, .close.len()))]
    Unknown {
        /// As asked.
        query: String,
        /// What comes near.
        close: Vec<Candidate>,
    },
    /// More than one.
    #[error("{query:?} may be any of {total} places; ask for one of them by state, county, ZIP code or coordinates{}", listed(": ", .candidates, *.total))]
    Ambiguous {
        /// As asked.
        query: String,
        /// The best of them.
        candidates: Vec<Candidate>,
        /// How many there are.
        total: usize,
    },
    /// Where nothing is watched.
    #[error("{label} is outside the continental US, which is all that stormbell covers")]
    OutsideConus {
        /// The place.
        label: String,
    },
    /// Coordinates that cannot be used.
    #[error(transparent)]
    Geo(#[from] GeoError),
}

fn listed(before: &str, candidates: &[Candidate], total: usize) -> String {
    let shown: Vec<String> = candidates.iter().take(LISTED_MAX).map(ToString::to_string).collect();
    let more = if total > shown.len() { format!("; and {} more", total - shown.len()) } else { String::new() };
    if shown.is_empty() { String::new() } else { format!("{before}{}{more}", shown.join("; ")) }
}

/// What a query may mean, at most `limit` candidates of it: `City, ST`, `City, State`, `City ST`, `City, County, ST`, a ZIP code, ZIP+4,
/// `lat,lon`. Case, accents, punctuation and the short forms of Saint, Fort, Mount and the like do not matter.
pub fn find(query: &str, limit: usize) -> Found {
    let asked = if query.chars().count() > QUERY_CHARS_MAX { None } else { query::read(query) };
    match asked {
        None => Found::None { close: Vec::new() },
        Some(Asked::Coordinates(lat, lon)) => at_coordinates(lat, lon),
        Some(Asked::Zip(code, state)) => search::zip(&TABLES, code, state, limit),
        Some(Asked::Named(readings)) => search::named(&TABLES, &readings, false, limit),
        // Whoever types the name of a state may mean the state: one of its places is not chosen silently.
        Some(Asked::State(reading)) => search::named(&TABLES, &[reading], true, limit),
    }
}

/// The one place that a query means and that can be watched.
///
/// # Errors
/// There is none, or more than one: the error lists them; or it lies outside of the continental US.
pub fn resolve(query: &str) -> Result<Candidate, PlaceError> {
    let one = resolve_anywhere(query)?;
    if one.in_conus {
        return Ok(one);
    }
    match LatLon::in_conus(one.at.lat(), one.at.lon()) {
        Err(error) if one.kind == Kind::Coordinates => Err(error.into()),
        _ => Err(PlaceError::OutsideConus { label: one.label() }),
    }
}

/// The one place that a query means, be it in Alaska or on Guam.
///
/// # Errors
/// There is none, or more than one: the error lists them.
pub fn resolve_anywhere(query: &str) -> Result<Candidate, PlaceError> {
    if query.trim().is_empty() || query.chars().count() > QUERY_CHARS_MAX {
        return Err(PlaceError::NoQuery);
    }
    let asked = || query.trim().to_owned();
    match find(query, LISTED_MAX) {
        Found::NoPosition(error) => Err(error.into()),
        Found::None { close } => Err(PlaceError::Unknown { query: asked(), close }),
        Found::Several { candidates, total } => Err(PlaceError::Ambiguous { query: asked(), candidates, total }),
        Found::One(one) => Ok(one),
    }
}

fn at_coordinates(lat: f64, lon: f64) -> Found {
    let at = match LatLon::new(lat, lon) {
        Ok(at) => at,
        // Figures outside of the globe may be swapped: the other check guesses so.
        Err(error) => return Found::NoPosition(LatLon::in_conus(lat, lon).err().unwrap_or(error)),
    };
    Found::One(Candidate {
        name: at.key_4dp(),
        state: state_of(at),
        county: None,
        zip: None,
        at,
        population: None,
        time_zone: time_zone(at),
        kind: Kind::Coordinates,
        matched: Match::Exact,
        in_conus: LatLon::in_conus(lat, lon).is_ok(),
    })
}

fn is_in_conus(state: Option<&'static str>, at: LatLon) -> bool {
    state.is_some_and(|state| !OUTSIDE_CONUS.contains(&state)) && LatLon::in_conus(at.lat(), at.lon()).is_ok()
}

/// Unpacks the tables now, so that no question has to wait for it.
pub fn load() {
    let _: &Tables = &TABLES;
}

#[cfg(test)]
mod tests;
