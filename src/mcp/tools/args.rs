//! What the severe-weather tools take: names, defaults and bounds as clients of such tools know them.
//!
//! Boundaries: ✓ shapes and descriptions. ✗ no clamping (see each tool).

pub mod place;

use super::severe;
use schemars::JsonSchema;
use serde::Deserialize;

/// A point and, where a tool takes one, a radius.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WarningsArgs {
    /// Latitude, decimal degrees north, 24.0 to 50.0 (continental US), for instance 40.52.
    pub lat: f64,
    /// Longitude, decimal degrees east, -125.5 to -66.5; western longitudes are negative, for instance -92.90.
    pub lon: f64,
    /// Radius around the point, km, 5 to 250; a figure outside is clamped and the clamped one shown.
    #[serde(default = "warnings_radius_km")]
    pub radius_km: f64,
}

/// See `WarningsArgs`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MrmsArgs {
    /// Latitude, decimal degrees north, 24.0 to 50.0 (continental US), for instance 40.52.
    pub lat: f64,
    /// Longitude, decimal degrees east, -125.5 to -66.5; western longitudes are negative, for instance -92.90.
    pub lon: f64,
    /// Radius around the point, km, 5 to 200; a figure outside is clamped and the clamped one shown.
    #[serde(default = "mrms_radius_km")]
    pub radius_km: f64,
}

/// A point.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointArgs {
    /// Latitude, decimal degrees north, 24.0 to 50.0 (continental US), for instance 40.52.
    pub lat: f64,
    /// Longitude, decimal degrees east, -125.5 to -66.5; western longitudes are negative, for instance -92.90.
    pub lon: f64,
}

fn warnings_radius_km() -> f64 {
    severe::warnings::RADIUS_KM_DEFAULT
}

fn mrms_radius_km() -> f64 {
    severe::mrms::RADIUS_KM_DEFAULT
}

/// See `WarningsArgs`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutlookArgs {
    /// Latitude, decimal degrees north, 24.0 to 50.0 (continental US), for instance 40.52.
    pub lat: f64,
    /// Longitude, decimal degrees east, -125.5 to -66.5; western longitudes are negative, for instance -92.90.
    pub lon: f64,
    /// Day of the outlook: 1 is today, 2 tomorrow, 3; 4 to 8 have probabilities alone.
    #[serde(default = "outlook_day")]
    pub day: i64,
}

/// See `WarningsArgs`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LightningArgs {
    /// Latitude, decimal degrees north, 24.0 to 50.0 (continental US), for instance 40.52.
    pub lat: f64,
    /// Longitude, decimal degrees east, -125.5 to -66.5; western longitudes are negative, for instance -92.90.
    pub lon: f64,
    /// Radius around the point, km, 5 to 100; a figure outside is clamped and the clamped one shown.
    #[serde(default = "lightning_radius_km")]
    pub radius_km: f64,
    /// Minutes looked back, 1 to 30; a figure outside is clamped and the clamped one shown.
    #[serde(default = "lightning_minutes")]
    pub minutes: i64,
}

/// See `WarningsArgs`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportsArgs {
    /// Latitude, decimal degrees north, 24.0 to 50.0 (continental US), for instance 40.52.
    pub lat: f64,
    /// Longitude, decimal degrees east, -125.5 to -66.5; western longitudes are negative, for instance -92.90.
    pub lon: f64,
    /// Radius around the point, km, 5 to 500; a figure outside is clamped and the clamped one shown.
    #[serde(default = "reports_radius_km")]
    pub radius_km: f64,
    /// Hours looked back, 1 to 48; a figure outside is clamped and the clamped one shown.
    #[serde(default = "reports_hours")]
    pub hours: i64,
}

/// See `WarningsArgs`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoricalArgs {
    /// Latitude, decimal degrees north, 24.0 to 50.0 (continental US), for instance 40.52.
    pub lat: f64,
    /// Longitude, decimal degrees east, -125.5 to -66.5; western longitudes are negative, for instance -92.90.
    pub lon: f64,
    /// The day, YYYY-MM-DD, from 2005 on; a UTC day unless local_day is true.
    pub date: String,
    /// Radius around the point, km, 5 to 200; a figure outside is clamped and the clamped one shown.
    #[serde(default = "reports_radius_km")]
    pub radius_km: f64,
    /// Whether the day runs from midnight to midnight at the point instead of in UTC, which cuts American evenings in two.
    #[serde(default)]
    pub local_day: bool,
}

/// See `WarningsArgs`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BriefArgs {
    /// Latitude, decimal degrees north, 24.0 to 50.0 (continental US), for instance 40.52.
    pub lat: f64,
    /// Longitude, decimal degrees east, -125.5 to -66.5; western longitudes are negative, for instance -92.90.
    pub lon: f64,
    /// A picture to go with it, as image content (PNG, some 200 kB): none, map (100 km around), or sounding (the air over it).
    #[serde(default)]
    pub picture: Picture,
}

/// A picture that can go with a brief.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Picture {
    /// No picture.
    #[default]
    None,
    /// What is seen around the point: warnings, outlook, radar.
    Map,
    /// Skew-T, hodograph and indices of the air over the point.
    Sounding,
}

fn outlook_day() -> i64 {
    i64::from(severe::outlook::DAY_DEFAULT)
}

fn lightning_radius_km() -> f64 {
    severe::lightning::RADIUS_KM_DEFAULT
}

fn lightning_minutes() -> i64 {
    severe::lightning::MINUTES_DEFAULT
}

fn reports_radius_km() -> f64 {
    severe::reports::RADIUS_KM_DEFAULT
}

fn reports_hours() -> i64 {
    severe::reports::HOURS_DEFAULT
}
