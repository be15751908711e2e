//! What may be typed of `nws`.

use super::UsPointArgs;
use crate::cli::parse;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use std::path::PathBuf;

/// `nws ...`.
#[derive(Debug, Args)]
pub struct NwsArgs {
    /// What to ask.
    #[command(subcommand)]
    pub question: NwsQuestion,
    /// Ask this recorded day instead of api.weather.gov.
    #[arg(long, global = true, value_name = "DIR", requires = "at")]
    pub archive: Option<PathBuf>,
    /// The instant of the recorded day (RFC 3339).
    #[arg(long, global = true, value_name = "T", requires = "archive", value_parser = parse::time)]
    pub at: Option<Timestamp>,
}

/// What the National Weather Service can be asked.
#[derive(Debug, Subcommand)]
pub enum NwsQuestion {
    /// The forecast of seven days, in half days.
    #[command(allow_negative_numbers = true)]
    #[command(after_help = "Examples:
  stormbell nws forecast 47.603 -122.33
  stormbell nws forecast --place \"Norman, OK\" --json")]
    Forecast(PagedPoint),
    /// The forecast hour by hour, 48 hours to a page.
    #[command(allow_negative_numbers = true)]
    #[command(after_help = "Examples:
  stormbell nws hourly 47.603 -122.33
  stormbell nws hourly 47.603 -122.33 --cursor TOKEN      the next page, by what the one before said")]
    Hourly(PagedPoint),
    /// Active alerts: at a point, in a state, zone or region, or nationwide.
    #[command(allow_negative_numbers = true)]
    #[command(after_help = "Examples:
  stormbell nws alerts 35.34 -97.49
  stormbell nws alerts --area OK --event tornado --event \"flash flood\"
  stormbell nws alerts --severity Extreme --json")]
    Alerts(AlertFilters),
    /// What is measured: at the nearest station or at one by its id, now or over the last days.
    #[command(allow_negative_numbers = true)]
    #[command(after_help = "Examples:
  stormbell nws observations 37.74 -98.21
  stormbell nws observations --station KICT
  stormbell nws observations --station KICT --history --start 2031-05-09T12:00:00-05:00 --limit 50")]
    Observations(ObservationQuestion),
    /// The stations around a point, nearest first.
    #[command(allow_negative_numbers = true)]
    #[command(after_help = "Example:
  stormbell nws stations 37.74 -98.21 --limit 5")]
    Stations(StationQuestion),
    /// What a forecast office writes; by default the discussion of the office in charge of a point.
    #[command(allow_negative_numbers = true)]
    #[command(after_help = "Examples:
  stormbell nws discussion 37.74 -98.21
  stormbell nws discussion --office ICT --product HWO")]
    Discussion(DiscussionQuestion),
}

/// A point, page by page.
#[derive(Debug, Args)]
pub struct PagedPoint {
    /// Where; anywhere in the United States.
    #[command(flatten)]
    pub point: UsPointArgs,
    /// The page that the one before named.
    #[arg(long, value_name = "TOKEN")]
    pub cursor: Option<String>,
}

/// `nws alerts`.
#[derive(Debug, Args)]
pub struct AlertFilters {
    /// Where; without a point and the filters below, nationwide.
    #[command(flatten)]
    pub point: UsPointArgs,
    /// State, territory or marine area of two letters.
    #[arg(long, value_name = "AREA", conflicts_with_all = ["lat", "place"])]
    pub area: Option<String>,
    /// Code of a zone or county.
    #[arg(long, value_name = "ZONE", conflicts_with_all = ["lat", "place", "area"])]
    pub zone: Option<String>,
    /// Marine region: AL, AT, GL, GM, PA or PI; may be repeated.
    #[arg(long, value_name = "REGION", conflicts_with_all = ["lat", "place", "area", "zone"])]
    pub region: Vec<String>,
    /// Land or Marine: all land, or all waters.
    #[arg(long, value_name = "TYPE", conflicts_with_all = ["lat", "place", "area", "zone", "region"])]
    pub region_type: Option<String>,
    /// Part of an event's name; may be repeated, any counts.
    #[arg(long, value_name = "TEXT")]
    pub event: Vec<String>,
    /// Extreme, Severe, Moderate, Minor or Unknown; may be repeated.
    #[arg(long, value_name = "WORD")]
    pub severity: Vec<String>,
    /// Immediate, Expected, Future or Past; may be repeated.
    #[arg(long, value_name = "WORD")]
    pub urgency: Vec<String>,
    /// Observed, Likely, Possible, Unlikely or Unknown; may be repeated.
    #[arg(long, value_name = "WORD")]
    pub certainty: Vec<String>,
    /// Actual, Exercise, System, Test or Draft.
    #[arg(long, value_name = "WORD", default_value = "Actual")]
    pub status: String,
    /// Alerts of a page, up to 25.
    #[arg(long, value_name = "N", default_value_t = 25)]
    pub limit: u32,
    /// The page that the one before named.
    #[arg(long, value_name = "TOKEN")]
    pub cursor: Option<String>,
}

/// `nws observations`.
#[derive(Debug, Args)]
pub struct ObservationQuestion {
    /// Where, for the nearest station.
    #[command(flatten)]
    pub point: UsPointArgs,
    /// A station by its id instead.
    #[arg(long, value_name = "ID", conflicts_with_all = ["lat", "place"])]
    pub station: Option<String>,
    /// The last days of that station instead of its newest observation.
    #[arg(long, requires = "station")]
    pub history: bool,
    /// First instant that counts, with seconds and offset.
    #[arg(long, value_name = "T", requires = "history")]
    pub start: Option<String>,
    /// First instant that no longer counts, likewise.
    #[arg(long, value_name = "T", requires = "history")]
    pub end: Option<String>,
    /// Observations of a page, up to 100.
    #[arg(long, value_name = "N", requires = "history", default_value_t = 24)]
    pub limit: u32,
    /// The page that the one before named.
    #[arg(long, value_name = "TOKEN", requires = "history")]
    pub cursor: Option<String>,
}

/// `nws stations`.
#[derive(Debug, Args)]
pub struct StationQuestion {
    /// Where; anywhere in the United States.
    #[command(flatten)]
    pub point: UsPointArgs,
    /// Stations of a page, up to 50.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub limit: u32,
    /// The page that the one before named.
    #[arg(long, value_name = "TOKEN")]
    pub cursor: Option<String>,
}

/// `nws discussion`.
#[derive(Debug, Args)]
pub struct DiscussionQuestion {
    /// Where, for the office in charge.
    #[command(flatten)]
    pub point: UsPointArgs,
    /// An office by its code instead.
    #[arg(long, value_name = "OFFICE", conflicts_with_all = ["lat", "place"])]
    pub office: Option<String>,
    /// AFD discussion, HWO hazardous weather outlook, ZFP zone forecasts or SPS special weather statement.
    #[arg(long, value_name = "TYPE", default_value = "AFD")]
    pub product: String,
}
