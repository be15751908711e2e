//! What may be typed about a watch point that stands, and to score a recording.

use super::parse::{self, NamedPlace, Radius};
use crate::threat::Level;
use clap::Args;
use jiff::Timestamp;
use std::path::PathBuf;

/// A watch point by id or name.
#[derive(Debug, Clone, Args)]
pub struct Which {
    /// Its name, or the id that `watch list` shows.
    #[arg(value_name = "NAME|ID")]
    pub which: String,
}

/// `watch update`.
#[derive(Debug, Args)]
pub struct WatchUpdateArgs {
    /// Which one.
    #[command(flatten)]
    pub point: Which,
    /// A new name, 1 to 80 characters.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Nothing below this level is told: none, marginal, elevated, significant or extreme.
    #[arg(long, value_name = "L", value_parser = parse::level)]
    pub min_level: Option<Level>,
    /// When people there sleep, in the place's own time, for instance 22:00-07:00; `none` for never.
    #[arg(long, value_name = "FROM-TO|none")]
    pub quiet_hours: Option<String>,
    /// When the watch ends by itself (RFC 3339), or in how long (3h, 2d); `none` for never.
    #[arg(long, value_name = "T|none")]
    pub until: Option<String>,
    /// Until when notices are held (RFC 3339), or for how long (3h, 90m), at most 7 days; `none` ends it.
    #[arg(long, value_name = "T|none")]
    pub snooze: Option<String>,
    /// Where notices go from now on, instead of where they went; may be repeated. `none` for no address any more: web push stays.
    #[arg(long, value_name = "A|none", conflicts_with = "no_channels")]
    pub email: Vec<String>,
    /// Notices go to the owner's browsers that have push switched on, from now on.
    #[arg(long, conflicts_with = "no_channels")]
    pub web_push: bool,
    /// Notices go nowhere from now on.
    #[arg(long)]
    pub no_channels: bool,
}

/// `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Its name, or its id: also of one that was removed.
    #[arg(value_name = "NAME|ID")]
    pub which: String,
    /// The instant asked about (RFC 3339); without seconds the whole minute. Default: now.
    #[arg(long, value_name = "T", value_parser = parse::time)]
    pub at: Option<Timestamp>,
}

/// `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// A recorded day (a folder with archive.toml), or a data directory; default: the data directory.
    #[arg(value_name = "ARCHIVE|JOURNAL")]
    pub path: Option<PathBuf>,
    /// A place to watch while a recorded day is run; may be repeated.
    #[arg(long, value_name = "NAME,LAT,LON|NAME=PLACE", value_parser = parse::named_place, allow_hyphen_values = true)]
    pub watch: Vec<NamedPlace>,
    /// Storm reports to score by, as GeoJSON of IEM; default: those of the recorded day, else those of IEM's archive.
    #[arg(long, value_name = "FILE")]
    pub reports: Option<PathBuf>,
    /// Reports within this of a point count; clamped to 1..500 km.
    #[arg(long, value_name = "R", default_value = "40", value_parser = parse::radius_km, allow_negative_numbers = true)]
    pub radius_km: Radius,
    /// A level counts that stood within so many minutes before the event, 0 to 1440.
    #[arg(long, value_name = "M", default_value_t = 30, value_parser = clap::value_parser!(u16).range(0..=1440))]
    pub window_min: u16,
}
