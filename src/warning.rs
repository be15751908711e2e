//! One NWS product (warning, watch, advisory, statement) as api.weather.gov describes it in CAP, and the incident that a
//! series of products is about.
//!
//! Boundaries: ✓ field types and the pure rules of their life. ✗ no JSON (see `decode::nws`), no I/O, no clock.

use crate::geo::{Area, LatLon};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

mod approach;
pub mod freshness;
pub mod incidents;
mod life;
pub mod ugc;
pub mod vtec;

pub use approach::approach;
pub use freshness::{Stale, freshness};

/// The collection of all active products of the nation, as one poll saw it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WarningSnapshot {
    /// The collection's own `updated`: its last change. `None` when the answer lacked it: such an answer can raise, but
    /// proves no freshness and ends nothing.
    pub updated_utc: Option<Timestamp>,
    /// Every product that could be read, duplicates removed.
    pub warnings: Vec<Arc<Warning>>,
    /// How many products could not be read. While there are any, a product's absence proves nothing.
    pub unread: u32,
}

/// One product. Times are UTC instants; texts are as sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// CAP identifier (`urn:oid:...`); changes with every message of an incident.
    pub id: String,
    /// Event name, for instance `Tornado Warning`.
    pub event: String,
    /// CAP status: only `Actual` counts.
    pub status: CapStatus,
    /// `Alert`, `Update`, `Cancel`, as sent.
    pub message_type: String,
    /// CAP severity, certainty, urgency, response as sent; empty when absent.
    pub severity: String,
    /// See `severity`.
    pub certainty: String,
    /// See `severity`.
    pub urgency: String,
    /// See `severity`.
    pub response: String,
    /// Headline, if any.
    pub headline: Option<String>,
    /// Names of the areas, separated by semicolons.
    pub area_desc: String,
    /// Issuing office as shown (`senderName`).
    pub sender: String,
    /// Product text.
    pub description: String,
    /// Call to action, if any.
    pub instruction: Option<String>,
    /// When the message was sent.
    pub sent_utc: Timestamp,
    /// `effective`, if readable.
    pub effective_utc: Option<Timestamp>,
    /// `onset`, if readable.
    pub onset_utc: Option<Timestamp>,
    /// `expires`: the end of this message, not of the event.
    pub expires_utc: Option<Timestamp>,
    /// `ends`, else `parameters.eventEndingTime`: the end of the event.
    pub ends_utc: Option<Timestamp>,
    /// P-VTEC strings of the message, in order; empty for products without VTEC.
    pub vtec: Vec<Vtec>,
    /// CAP ids that this message replaces or ends (`references` and `parameters.expiredReferences`).
    pub references: Vec<String>,
    /// UGC codes of the affected zones and counties, sorted (`MOC171`, `MOZ008`).
    pub ugc: Vec<String>,
    /// The polygon, where the product has one. With a polygon the zones do not count.
    pub area: Option<Area>,
    /// Impact-based-warning tags.
    pub tags: Tags,
    /// Storm motion, where the product gives it.
    pub motion: Option<StormMotion>,
}

/// CAP `status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CapStatus {
    /// The only one that people are told about.
    Actual,
    /// Exercise, System, Test, Draft or a word not known.
    NotActual,
}

/// Impact-based-warning tags; texts as sent, `None` when absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tags {
    /// POSSIBLE, RADAR INDICATED, OBSERVED.
    pub tornado_detection: Option<String>,
    /// CONSIDERABLE, CATASTROPHIC.
    pub tornado_damage_threat: Option<String>,
    /// CONSIDERABLE, DESTRUCTIVE.
    pub thunderstorm_damage_threat: Option<String>,
    /// RADAR INDICATED, OBSERVED.
    pub flash_flood_detection: Option<String>,
    /// CONSIDERABLE, CATASTROPHIC.
    pub flash_flood_damage_threat: Option<String>,
    /// RADAR INDICATED, OBSERVED.
    pub hail_threat: Option<String>,
    /// RADAR INDICATED, OBSERVED.
    pub wind_threat: Option<String>,
    /// Largest hail, inches; `None` when untagged or 0.
    pub max_hail_size_in: Option<f64>,
    /// Strongest gust, mph; `None` when untagged or 0.
    pub max_wind_gust_mph: Option<f64>,
}

/// Motion of a storm: where it was, when, and where it heads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StormMotion {
    /// When the storm was at `cells`.
    pub at_utc: Timestamp,
    /// Direction that the storm comes from, degrees.
    pub from_deg: f64,
    /// Speed, knots.
    pub speed_kt: f64,
    /// One position is a cell, two or more are a line.
    pub cells: Vec<LatLon>,
}

/// One P-VTEC string, NWS Directive 10-1703: `/k.aaa.cccc.pp.s.####.yymmddThhnnZB-yymmddThhnnZE/`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vtec {
    /// Product class: O operational, T test, E experimental, X experimental VTEC in an operational product.
    pub class: char,
    /// NEW, CON, EXT, EXA, EXB, UPG, CAN, EXP, COR, ROU.
    pub action: String,
    /// Issuing office, four letters.
    pub office: String,
    /// Phenomenon, two letters (TO, SV, FF, ...).
    pub phenomenon: String,
    /// Significance: W warning, A watch, Y advisory, S statement.
    pub significance: char,
    /// Event tracking number.
    pub etn: u16,
    /// Begin; `None` for 000000T0000Z (already under way).
    pub begins_utc: Option<Timestamp>,
    /// End; `None` for 000000T0000Z (until further notice).
    pub ends_utc: Option<Timestamp>,
}

/// What a series of products is about. Products without VTEC go by CAP id and references.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct IncidentKey(pub String);

impl Warning {
    /// A product with nothing but an event and a time: what hypotheses ("the worst that this feed could say") and tests
    /// start from.
    pub fn bare(event: &str, sent_utc: Timestamp) -> Self {
        Self {
            id: String::new(),
            event: event.to_owned(),
            status: CapStatus::Actual,
            message_type: "Alert".to_owned(),
            severity: String::new(),
            certainty: String::new(),
            urgency: String::new(),
            response: String::new(),
            headline: None,
            area_desc: String::new(),
            sender: String::new(),
            description: String::new(),
            instruction: None,
            sent_utc,
            effective_utc: None,
            onset_utc: None,
            expires_utc: None,
            ends_utc: None,
            vtec: Vec::new(),
            references: Vec::new(),
            ugc: Vec::new(),
            area: None,
            tags: Tags::default(),
            motion: None,
        }
    }
}
