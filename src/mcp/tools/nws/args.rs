//! What the routine tools take.

use crate::desk::enquiries::{HISTORY_PAGE_MAX, ProductKind};
use crate::nws_facts::page::LIMIT_MAX;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Alerts of a page, at most.
pub const ALERTS_PAGE_MAX: u32 = 25;
/// Stations of a page, at most.
pub const STATIONS_PAGE_MAX: u32 = 50;

/// Nothing.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArgs {}

/// nws_get_forecast.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForecastArgs {
    /// Latitude, decimal degrees north, for instance 47.603.
    #[schemars(range(min = -90, max = 90))]
    pub latitude: Option<f64>,
    /// Longitude, decimal degrees east; western longitudes are negative, for instance -122.33.
    #[schemars(range(min = -180, max = 180))]
    pub longitude: Option<f64>,
    /// Hours instead of half days.
    #[serde(default)]
    pub hourly: bool,
    /// `nextCursor` of the page before; it carries the point and the mode.
    pub cursor: Option<String>,
}

/// nws_search_alerts.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertArgs {
    /// State, territory or marine area, two letters, for instance OK or GM. At most one of area, point, zone, region_type and
    /// region.
    pub area: Option<String>,
    /// A point as "latitude,longitude" in decimal degrees, for instance "35.34,-97.49".
    pub point: Option<String>,
    /// Code of a forecast zone, fire weather zone or county, for instance OKZ025 or OKC027.
    pub zone: Option<String>,
    /// All land, or all waters.
    #[schemars(extend("enum" = ["Land", "Marine"]))]
    pub region_type: Option<String>,
    /// Marine regions: AL Alaska, AT Atlantic, GL Great Lakes, GM Gulf, PA eastern Pacific, PI central and western Pacific.
    #[serde(default)]
    #[schemars(extend("items" = {"type": "string", "enum": ["AL", "AT", "GL", "GM", "PA", "PI"]}))]
    pub region: Vec<String>,
    /// Parts of event names, any of which must match, in whatever case, for instance ["tornado", "flash flood"].
    #[serde(default)]
    pub event: Vec<String>,
    /// Severities, any of which must match.
    #[serde(default)]
    #[schemars(extend("items" = {"type": "string", "enum": ["Extreme", "Severe", "Moderate", "Minor", "Unknown"]}))]
    pub severity: Vec<String>,
    /// Urgencies, any of which must match. With Past, alerts that are over are listed too.
    #[serde(default)]
    #[schemars(extend("items" = {"type": "string", "enum": ["Immediate", "Expected", "Future", "Past"]}))]
    pub urgency: Vec<String>,
    /// Certainties, any of which must match.
    #[serde(default)]
    #[schemars(extend("items" = {"type": "string", "enum": ["Observed", "Likely", "Possible", "Unlikely", "Unknown"]}))]
    pub certainty: Vec<String>,
    /// Status; everything but Actual is not meant for people.
    #[serde(default = "actual")]
    #[schemars(extend("enum" = ["Actual", "Exercise", "System", "Test", "Draft"]))]
    pub status: String,
    /// Alerts of a page, 1 to 25; more is served as 25 and told.
    #[serde(default = "alerts_limit", deserialize_with = "whole_number")]
    #[schemars(range(min = 1, max = 10_000))]
    pub limit: u32,
    /// `nextCursor` of the page before; it carries the filters, which are not read again.
    pub cursor: Option<String>,
}

/// nws_get_observations.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservationArgs {
    /// Latitude, decimal degrees north; with longitude, where no station_id is given.
    #[schemars(range(min = -90, max = 90))]
    pub latitude: Option<f64>,
    /// Longitude, decimal degrees east; western longitudes are negative.
    #[schemars(range(min = -180, max = 180))]
    pub longitude: Option<f64>,
    /// Id of a station, for instance KICT; it counts before the point.
    pub station_id: Option<String>,
}

/// nws_get_observation_history.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryArgs {
    /// Id of a station, for instance KICT.
    pub station_id: String,
    /// First instant that counts, ISO 8601 with seconds and offset, for instance 2031-05-09T12:00:00-05:00.
    pub start: Option<String>,
    /// First instant that no longer counts, likewise.
    pub end: Option<String>,
    /// Observations of a page, 1 to 100; more is served as 100 and told.
    #[serde(default = "history_limit", deserialize_with = "whole_number")]
    #[schemars(range(min = 1, max = 10_000))]
    pub limit: u32,
    /// `nextCursor` of the page before; it carries the station and the span.
    pub cursor: Option<String>,
}

/// nws_find_stations.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StationArgs {
    /// Latitude, decimal degrees north, for instance 37.74.
    #[schemars(range(min = -90, max = 90))]
    pub latitude: Option<f64>,
    /// Longitude, decimal degrees east; western longitudes are negative, for instance -98.21.
    #[schemars(range(min = -180, max = 180))]
    pub longitude: Option<f64>,
    /// Stations of a page, 1 to 50; more is served as 50 and told.
    #[serde(default = "stations_limit", deserialize_with = "whole_number")]
    #[schemars(range(min = 1, max = 10_000))]
    pub limit: u32,
    /// `nextCursor` of the page before; it carries the point.
    pub cursor: Option<String>,
}

/// nws_get_office_discussion.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscussionArgs {
    /// Code of a forecast office, for instance ICT.
    pub office: String,
    /// AFD discussion, HWO hazardous weather outlook, ZFP zone forecasts, SPS special weather statement.
    #[serde(default)]
    #[schemars(with = "String", extend("enum" = ["AFD", "HWO", "ZFP", "SPS"]))]
    pub product_type: ProductType,
}

/// Products that can be asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProductType {
    /// Area Forecast Discussion.
    #[default]
    #[serde(rename = "AFD")]
    Afd,
    /// Hazardous Weather Outlook.
    #[serde(rename = "HWO")]
    Hwo,
    /// Zone Forecast Product.
    #[serde(rename = "ZFP")]
    Zfp,
    /// Special Weather Statement.
    #[serde(rename = "SPS")]
    Sps,
}

impl From<ProductType> for ProductKind {
    fn from(asked: ProductType) -> Self {
        match asked {
            ProductType::Afd => Self::Afd,
            ProductType::Hwo => Self::Hwo,
            ProductType::Zfp => Self::Zfp,
            ProductType::Sps => Self::Sps,
        }
    }
}

/// nws_get_zone_forecast.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZoneForecastArgs {
    /// Code of a public forecast zone, for instance KSZ083.
    pub zone_id: String,
}

fn actual() -> String {
    "Actual".to_owned()
}

fn alerts_limit() -> u32 {
    ALERTS_PAGE_MAX
}

fn history_limit() -> u32 {
    24.min(HISTORY_PAGE_MAX)
}

fn stations_limit() -> u32 {
    10.min(STATIONS_PAGE_MAX)
}

/// A whole number from 1 to the largest limit; 10.0 is one.
fn whole_number<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let number = f64::deserialize(from)?;
    if number.fract() != 0.0 || !(1.0..=f64::from(LIMIT_MAX)).contains(&number) {
        return Err(serde::de::Error::custom(format!("{number} is no whole number from 1 to {LIMIT_MAX}")));
    }
    Ok(number as u32)
}
