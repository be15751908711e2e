//! What may be typed of `sounding` and `map`.

use super::PointArgs;
use crate::cli::parse::{self, NamedPlace, Radius};
use crate::geo::LatLon;
use clap::Args;
use jiff::Timestamp;
use std::path::PathBuf;

/// `sounding`.
#[derive(Debug, Args)]
pub struct SoundingArgs {
    /// Where.
    #[command(flatten)]
    pub point: PointArgs,
    /// Where the picture goes.
    #[arg(long, value_name = "PNG")]
    pub png: PathBuf,
    /// Draw this sounding text file instead: SPC/SHARPpy %RAW%, BUFKIT, or a University of Wyoming page.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["lat", "lon", "place", "archive", "at"])]
    pub file: Option<PathBuf>,
    /// Which sounding of FILE, from 1.
    #[arg(long, value_name = "N", requires = "file", default_value_t = 1)]
    pub number: usize,
    /// Look at this recorded day instead of the live feeds.
    #[arg(long, value_name = "DIR", requires = "at")]
    pub archive: Option<PathBuf>,
    /// The instant of the recorded day (RFC 3339).
    #[arg(long, value_name = "T", requires = "archive", value_parser = parse::time)]
    pub at: Option<Timestamp>,
}

/// `map`.
#[derive(Debug, Args)]
pub struct MapArgs {
    /// Where the picture goes.
    #[arg(long, value_name = "PNG")]
    pub png: PathBuf,
    /// Draw around this place instead of the continental US.
    #[arg(long, value_name = "LAT,LON", value_parser = parse::conus_lat_lon, allow_hyphen_values = true)]
    pub around: Option<LatLon>,
    /// The same around a place by its name: "City, ST", a ZIP code; see `stormbell geocode`.
    #[arg(long, value_name = "PLACE", conflicts_with = "around")]
    pub place: Option<String>,
    /// How far around; clamped to 20..1000 km.
    #[arg(long, value_name = "R", default_value = "200", value_parser = parse::map_radius_km)]
    pub radius_km: Radius,
    /// Also show this place, judged from what the map shows; may be repeated, up to 20.
    #[arg(long, value_name = "NAME,LAT,LON|NAME=PLACE", value_parser = parse::named_place, allow_hyphen_values = true)]
    pub watch: Vec<NamedPlace>,
    /// Look at this recorded day instead of the live feeds.
    #[arg(long, value_name = "DIR", requires = "at")]
    pub archive: Option<PathBuf>,
    /// The instant of the recorded day (RFC 3339).
    #[arg(long, value_name = "T", requires = "archive", value_parser = parse::time)]
    pub at: Option<Timestamp>,
}
