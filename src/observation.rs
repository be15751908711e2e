//! What sources publish: normalised observations, bundled into the report of one poll.
//!
//! A report is self-contained and serialisable in one compact binary form, which the bus, the journal and a later
//! network bus share. Observations are full states, not deltas, so hearing one twice is harmless.

use crate::geo::LatLon;
use crate::lightning::{Granule, Satellite};
use crate::mosaic::{Mosaic, Product};
use crate::nws_facts::alerts::AlertCollection;
use crate::outlook::{Discussions, Outlooks, Watches};
use crate::profile::ModelProfile;
use crate::storm_report::StormReports;
use crate::warning::WarningSnapshot;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The name of a source, as in the config block `[sources.<name>]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceName(Cow<'static, str>);

impl SourceName {
    /// A name known at compile time.
    pub const fn new(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// NWS warnings, watches and advisories.
pub const NWS_WARNINGS: SourceName = SourceName::new("nws_warnings");
/// Zones of places, from `/points` of api.weather.gov.
pub const NWS_ZONES: SourceName = SourceName::new("nws_zones");
/// MRMS radar mosaics.
pub const MRMS: SourceName = SourceName::new("mrms");
/// SPC's convective outlooks.
pub const SPC_OUTLOOKS: SourceName = SourceName::new("spc_outlooks");
/// SPC's mesoscale discussions and convective watches.
pub const SPC_MESOSCALE: SourceName = SourceName::new("spc_mesoscale");
/// Local storm reports.
pub const IEM_REPORTS: SourceName = SourceName::new("iem_reports");
/// Lightning as GOES sees it.
pub const GOES_GLM: SourceName = SourceName::new("goes_glm");
/// Profiles of the RAP model over places.
pub const RAP_PROFILES: SourceName = SourceName::new("rap_profiles");
/// Routine facts from api.weather.gov, asked on demand.
pub const NWS_FACTS: SourceName = SourceName::new("nws_facts");
/// Single radars, asked on demand.
pub const NEXRAD: SourceName = SourceName::new("nexrad");

/// What one poll of one source yielded. An empty report is still a report: a heartbeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Who was asked.
    pub source: SourceName,
    /// When the poll began.
    pub polled_utc: Timestamp,
    /// Whether the poll proves its source alive and fresh, by the rule of that source (levels.md, "what makes a poll good").
    pub good: bool,
    /// The facts.
    pub observations: Vec<Observation>,
    /// What was wrong, in the order found.
    pub faults: Vec<Fault>,
}

/// One normalised fact, or one national snapshot of facts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Observation {
    /// All active NWS products.
    Warnings(Arc<WarningSnapshot>),
    /// The same as rows for a search, as the API lists them.
    Alerts(Arc<AlertCollection>),
    /// The newest mosaic of one product.
    Mosaic(Arc<Mosaic>),
    /// The zones that hold one place.
    Zones(Arc<PlaceZones>),
    /// Convective outlooks of all days that may still speak.
    Outlooks(Arc<Outlooks>),
    /// Mesoscale discussions in effect.
    Discussions(Arc<Discussions>),
    /// Convective watches in effect, by their outlines.
    Watches(Arc<Watches>),
    /// Storm reports of the nation.
    StormReports(Arc<StormReports>),
    /// A model's air over one place at one hour.
    Profile(Arc<ModelProfile>),
    /// About 20 seconds of one satellite's lightning.
    Granule(Arc<Granule>),
}

/// What a newer observation replaces: the bus keeps the newest of each slot as "the present".
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// The national collection of products.
    Warnings,
    /// The same as rows.
    Alerts,
    /// One radar product.
    Mosaic(Product),
    /// The zones of the place with this four-decimal key.
    Zones(String),
    /// Convective outlooks.
    Outlooks,
    /// Mesoscale discussions.
    Discussions,
    /// Convective watches.
    Watches,
    /// Storm reports.
    StormReports,
    /// The profile of the place with this four-decimal key at this forecast hour.
    Profile(String, u16),
    /// A place in the ring of one satellite's last 30 minutes: see `granule_ring`.
    Granule(Satellite, i64),
}

/// Seconds of one place in the ring of granules: shorter than any but broken granules.
const RING_STEP_S: i64 = 10;
/// Places in the ring: 30 minutes, the longest window that is asked for. A granule takes the place of that of 30 minutes ago.
const RING_STEPS: i64 = 180;

/// The place in the ring of the granule that begins at `start_utc`.
fn granule_ring(start_utc: Timestamp) -> i64 {
    start_utc.as_second().div_euclid(RING_STEP_S).rem_euclid(RING_STEPS)
}

impl Slot {
    /// Whether it is of one place: of those there are as many as anybody ever asked about.
    pub fn is_of_a_place(&self) -> bool {
        match self {
            Self::Zones(_) | Self::Profile(..) => true,
            Self::Warnings
            | Self::Alerts
            | Self::Mosaic(_)
            | Self::Outlooks
            | Self::Discussions
            | Self::Watches
            | Self::StormReports
            | Self::Granule(..) => false,
        }
    }
}

impl Observation {
    /// Which slot this observation fills.
    pub fn slot(&self) -> Slot {
        match self {
            Self::Warnings(_) => Slot::Warnings,
            Self::Alerts(_) => Slot::Alerts,
            Self::Mosaic(mosaic) => Slot::Mosaic(mosaic.product),
            Self::Zones(zones) => Slot::Zones(zones.place.key_4dp()),
            Self::Outlooks(_) => Slot::Outlooks,
            Self::Discussions(_) => Slot::Discussions,
            Self::Watches(_) => Slot::Watches,
            Self::StormReports(_) => Slot::StormReports,
            Self::Profile(profile) => Slot::Profile(profile.asked_place.key_4dp(), profile.forecast_hour),
            Self::Granule(granule) => Slot::Granule(granule.satellite, granule_ring(granule.start_utc)),
        }
    }
}

/// The public zones of one place: what products without a polygon are matched by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlaceZones {
    /// The place.
    pub place: LatLon,
    /// UGC codes: county, forecast zone and fire weather zone, sorted, without repeats.
    pub ugc: Vec<String>,
    /// IANA time zone name, if given.
    pub time_zone: Option<String>,
    /// When it was learned.
    pub learned_utc: Timestamp,
}

/// Something that was wrong with an answer. Data, not an exception: what could be read is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What is wrong, for a person.
    pub what: String,
    /// In which part: a feature id, a byte offset, a URL, a key.
    #[serde(rename = "where")]
    pub place: String,
    /// Whether the rest of the answer was kept.
    pub kept_rest: bool,
}
