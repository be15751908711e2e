//! The shapes of the watch tools: arguments as they come, `data` as it goes out. Schemas are made from these types.

use crate::mcp::envelope::Point;
use crate::mcp::tools::severe::brief::{BlindSpotFact, HazardRank};
use crate::mcp::tools::watch::PAGE_DEFAULT;
use crate::threat::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Arguments of register_watch_point.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterArgs {
    /// A name for the point, 1 to 80 characters, for instance "Home".
    pub name: String,
    /// Latitude, decimal degrees north, 24.0 to 50.0 (continental US), for instance 40.52.
    pub lat: f64,
    /// Longitude, decimal degrees east, -125.5 to -66.5; western longitudes are negative, for instance -92.90.
    pub lon: f64,
    /// Nothing below this level is told.
    #[serde(default = "min_level_default")]
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub min_level: String,
    /// Where notices go, at most 8; none means that changes are recorded and announced to subscribers only. An
    /// address that is not proven yet gets a confirmation first, and nothing else before a person has answered that.
    #[serde(default)]
    pub channels: Vec<ChannelArg>,
    /// When people there sleep, in the place's own time, for instance "22:00-07:00": notices are held then and told in a digest;
    /// significant and extreme break through.
    pub quiet_hours: Option<String>,
    /// When the watch ends by itself, ISO 8601, in the future, for instance "2026-06-11T03:00:00Z". Left out: never.
    pub until_utc: Option<String>,
    /// Any text of 1 to 128 characters that stays the same when the call is repeated: the point is then made only once.
    pub client_token: Option<String>,
}

/// One channel.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelArg {
    /// Kind of channel.
    pub kind: ChannelArgKind,
    /// Email address; left out for web_push, which goes to all browsers of the owner that have push switched on.
    #[serde(default)]
    pub address: String,
}

/// Kinds of channel that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChannelArgKind {
    /// Email.
    Email,
    /// Push to the owner's browsers.
    WebPush,
}

/// The id of a watch point.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IdArgs {
    /// Id of the watch point, as register_watch_point and list_watch_points give it.
    pub id: String,
}

/// Arguments of list_watch_points.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListArgs {
    /// `next_cursor` of the page before; left out for the first page.
    pub cursor: Option<String>,
    /// Points on a page, 1 to 200; a figure outside is clamped and the clamped one shown.
    #[serde(default = "page_default")]
    pub limit: i64,
}

fn min_level_default() -> String {
    Level::Elevated.as_str().into()
}

fn page_default() -> i64 {
    PAGE_DEFAULT
}

/// `data` of register_watch_point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RegisteredPoint {
    /// The registration.
    #[serde(flatten)]
    pub registration: Registration,
    /// Whether this call made it; false when it stood already.
    pub created: bool,
    /// True where the point is watched only as long as this client runs.
    pub only_while_client_runs: bool,
}

/// A registration.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Registration {
    /// Stable id.
    pub id: String,
    /// Resource with the present assessment; subscribe to be told of changes.
    pub resource: String,
    /// Name.
    pub name: String,
    /// Where.
    pub point: Point,
    /// Nothing below this level is told.
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub min_level: String,
    /// Where notices go.
    pub channels: Vec<ChannelFact>,
    /// When it was registered, UTC.
    pub created_utc: String,
    /// When the watch ends by itself, UTC; null for never.
    pub until_utc: Option<String>,
    /// Addresses that still have to be confirmed before anything but a confirmation is sent to them.
    pub waiting_for_confirmation: Vec<String>,
    /// Quiet hours in the place's own time, for instance 22:00-07:00; null for none.
    pub quiet_hours: Option<String>,
    /// The place's time zone, once known.
    pub time_zone: Option<String>,
    /// Until when notices are held, UTC; null when not snoozed.
    pub snooze_until_utc: Option<String>,
    /// The level that the owner has said to know of, in the episode under way; null for none.
    pub acknowledged_level: Option<String>,
}

/// One channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChannelFact {
    /// email or web_push.
    pub kind: String,
    /// Address; for web_push the id of a browser, or empty for all browsers of the owner.
    pub address: String,
}

impl ChannelFact {
    /// For a person.
    pub(super) fn in_words(&self) -> String {
        match self.address.as_str() {
            "" => "all browsers with push switched on".to_owned(),
            address if self.kind == "web_push" => format!("browser {address}"),
            address => address.to_owned(),
        }
    }
}

/// `data` of unregister_watch_point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unregistered {
    /// The id.
    pub id: String,
    /// Whether there was such a point.
    pub removed: bool,
}

/// `data` of list_watch_points.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchPointList {
    /// Points of this page, sorted by id.
    pub watch_points: Vec<WatchPointLine>,
    /// Number of points on all pages.
    pub total: usize,
    /// The page size used.
    pub limit: i64,
    /// For the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One point of the list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchPointLine {
    /// Stable id.
    pub id: String,
    /// Resource with the present assessment.
    pub resource: String,
    /// Name.
    pub name: String,
    /// Where.
    pub point: Point,
    /// Nothing below this level is told.
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub min_level: String,
    /// The level that stands: none, marginal, elevated, significant or extreme; null before the first assessment.
    pub level: Option<String>,
    /// Since when, UTC.
    pub since_utc: Option<String>,
    /// What cannot be seen.
    pub blind_spots: Vec<BlindSpotFact>,
}

/// `data` of get_watch_point, and of the resource watch://points/{id}.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchPointFacts {
    /// The registration.
    #[serde(flatten)]
    pub registration: Registration,
    /// The level that stands; as the evidence reads now, before the first assessment of the watch.
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub level: String,
    /// Since when it stands, UTC; null before the first assessment of the watch.
    pub since_utc: Option<String>,
    /// The instant that the evidence below is read at, UTC.
    pub assessed_utc: String,
    /// The level that the visible evidence supports now.
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub evidence_level: String,
    /// Every reason, highest level first.
    pub reasons: Vec<ReasonFact>,
    /// What the level rests on although nothing supports it now.
    pub held: Vec<HeldFact>,
    /// What cannot be seen.
    pub blind_spots: Vec<BlindSpotFact>,
    /// Hazards, highest score first.
    pub hazards_ranked: Vec<HazardRank>,
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReasonFact {
    /// Id of the rule.
    pub rule: String,
    /// The level that it supports by itself.
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub level: String,
    /// For a person.
    pub text: String,
    /// Which evidence.
    pub source: String,
    /// CAP id or object key.
    pub evidence_id: String,
    /// When the evidence is of, UTC.
    pub observed_utc: String,
    /// Its age at `assessed_utc`, seconds.
    pub age_s: i64,
    /// From the point, km.
    pub distance_km: Option<f64>,
    /// Compass name from the point.
    pub direction: Option<String>,
    /// When it ends by the clock, UTC.
    pub until_utc: Option<String>,
    /// Whether it began before the watch did.
    pub already_in_effect: bool,
}

/// A reason that is held.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HeldFact {
    /// The reason as last seen.
    #[serde(flatten)]
    pub reason: ReasonFact,
    /// Why it is held.
    pub why_held: String,
    /// When the evidence last supported it, UTC.
    pub last_supported_utc: String,
}
