//! What may be typed of `debug decode`.

use crate::cli::parse::{self, Radius};
use crate::geo::LatLon;
use clap::Args;
use jiff::Timestamp;
use std::path::PathBuf;

/// `debug decode`.
#[derive(Debug, Args)]
pub struct DecodeArgs {
    /// What kind of file: nws, mrms, spc, rap (any model GRIB), lsr, glm or level2.
    #[arg(value_name = "SOURCE")]
    pub source: String,
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Also tell what lies around this place.
    #[arg(long, value_name = "LAT,LON", value_parser = parse::lat_lon, allow_hyphen_values = true)]
    pub at: Option<LatLon>,
    /// How far around; clamped to 1..500 km.
    #[arg(long, value_name = "R", default_value = "40", value_parser = parse::radius_km, allow_negative_numbers = true)]
    pub radius_km: Radius,
    /// The instant that "active" is meant for (RFC 3339); default: the newest `sent` in the file.
    #[arg(long, value_name = "T", value_parser = parse::time)]
    pub at_utc: Option<Timestamp>,
}
