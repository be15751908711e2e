//! What may be typed where a command takes a point: two figures, or a place by its name; `brief`, and `geocode`.

use crate::cli::fail::{self, Failure};
use crate::cli::parse;
use crate::geo::LatLon;
use crate::ground::gazetteer::{PlaceError, resolve};
use clap::Args;
use jiff::Timestamp;
use std::path::PathBuf;

/// A point.
#[derive(Debug, Clone, Args)]
pub struct PointArgs {
    /// Latitude, decimal degrees, 24.0 to 50.0.
    #[arg(value_name = "LAT", allow_negative_numbers = true, requires = "lon")]
    pub lat: Option<f64>,
    /// Longitude, decimal degrees, -125.5 to -66.5 (western longitudes are negative).
    #[arg(value_name = "LON", allow_negative_numbers = true)]
    pub lon: Option<f64>,
    /// A place instead of LAT LON: "City, ST", "City, County, ST", a ZIP code or LAT,LON; see `stormbell geocode`.
    #[arg(long, value_name = "PLACE", conflicts_with_all = ["lat", "lon"], allow_hyphen_values = true)]
    pub place: Option<String>,
}

/// A point of which the National Weather Service knows something.
#[derive(Debug, Clone, Args)]
pub struct UsPointArgs {
    /// Latitude, decimal degrees, anywhere in the United States, its territories and waters.
    #[arg(value_name = "LAT", allow_negative_numbers = true, requires = "lon")]
    pub lat: Option<f64>,
    /// Longitude, decimal degrees (western longitudes are negative).
    #[arg(value_name = "LON", allow_negative_numbers = true)]
    pub lon: Option<f64>,
    /// A place in the continental US instead of LAT LON: "City, ST", "City, County, ST", a ZIP code or LAT,LON; see
    /// `stormbell geocode`.
    #[arg(long, value_name = "PLACE", conflicts_with_all = ["lat", "lon"], allow_hyphen_values = true)]
    pub place: Option<String>,
}

impl PointArgs {
    /// The point, if one was given. A place is told on stderr: whoever names it sees which one was meant.
    ///
    /// # Errors
    /// Not in the continental US; or the name is none or several, which are listed.
    pub fn point(&self) -> Result<Option<LatLon>, Failure> {
        match (&self.place, self.lat.zip(self.lon)) {
            (Some(place), _) => named(place).map(Some),
            (None, Some((lat, lon))) => Ok(Some(LatLon::in_conus(lat, lon)?)),
            (None, None) => Ok(None),
        }
    }

    /// The point.
    ///
    /// # Errors
    /// As `point`, and where none was given.
    pub fn needed(&self) -> Result<LatLon, Failure> {
        let none = || Failure::usage("LAT and LON are needed, or --place", "for instance --place \"Norman, OK\"");
        self.point()?.ok_or_else(none)
    }
}

/// The position of a place, told on stderr.
///
/// # Errors
/// The name is none or several, which are listed, or it cannot be watched.
pub fn named(place: &str) -> Result<LatLon, Failure> {
    let found = resolve(place)?;
    fail::complain(&format!("place: {found}"));
    Ok(found.at)
}

/// `brief`.
#[derive(Debug, Args)]
pub struct BriefArgs {
    /// Where.
    #[command(flatten)]
    pub point: PointArgs,
    /// Answer from this recorded day instead of the live feeds.
    #[arg(long, value_name = "DIR", requires = "at")]
    pub archive: Option<PathBuf>,
    /// The instant of the recorded day to answer at (RFC 3339).
    #[arg(long, value_name = "T", requires = "archive", value_parser = parse::time)]
    pub at: Option<Timestamp>,
}

/// `geocode`.
#[derive(Debug, Args)]
pub struct GeocodeArgs {
    /// "City, ST", "City, State", "City, County, ST", a ZIP code, ZIP+4, or LAT,LON. Several words need no quotes.
    #[arg(value_name = "QUERY", required = true, num_args = 1.., allow_negative_numbers = true)]
    pub query: Vec<String>,
    /// At most so many candidates, 1 to 25.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=25))]
    pub limit: u8,
}

impl From<PlaceError> for Failure {
    fn from(error: PlaceError) -> Self {
        let hint = match &error {
            PlaceError::Ambiguous { .. } | PlaceError::Unknown { .. } => {
                "`stormbell geocode QUERY` shows the candidates"
            }
            PlaceError::NoQuery | PlaceError::OutsideConus { .. } | PlaceError::Geo(_) => "",
        };
        Self::usage(error.to_string(), hint)
    }
}
