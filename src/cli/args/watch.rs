//! What may be typed about a watch point that stands, and to score a recording.

use super::parse;
use crate::threat::Level;
use clap::Args;
use jiff::Timestamp;

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
    /// Until when notices are held (RFC 3339), or for how long (3h, 90m); `none` ends it.
    #[arg(long, value_name = "T|none")]
    pub snooze: Option<String>,
    /// Where notices go from now on, instead of where they went; may be repeated.
    #[arg(long, value_name = "A", conflicts_with = "no_channels")]
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
