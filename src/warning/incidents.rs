//! The life of incidents over many polls: a fold over snapshots, by VTEC and references (levels.md, "Which warnings
//! count").

use crate::geo::LatLon;
use crate::warning::{IncidentKey, Warning, WarningSnapshot};
use jiff::Timestamp;
use std::sync::Arc;

/// All incidents that can still speak, and how fresh the feed is.
#[derive(Debug, Clone, Default)]
pub struct Incidents {
    /// The newest `updated` accepted.
    pub updated_utc: Option<Timestamp>,
    /// The last good poll.
    pub last_good_utc: Option<Timestamp>,
}

/// Where an incident stands in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Issued, before its onset: shown, raises nothing.
    Coming,
    /// Between onset and end.
    InEffect,
}

/// How a product meets a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// The place is inside the polygon or on its edge.
    Polygon,
    /// The product has no polygon and one of the place's zones is listed.
    Zone,
    /// The polygon is elsewhere, at `distance_km`.
    Outside,
}

/// When a storm with a stated motion comes nearest to a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approach {
    /// Minutes from now to the nearest approach; not negative.
    pub minutes: f64,
    /// Distance of the nearest approach, km.
    pub passes_km: f64,
    /// Whether that is within half the polygon's width across the track (at least 5 km): it comes toward the place.
    pub toward: bool,
}

/// One incident as seen from one place.
#[derive(Debug, Clone, PartialEq)]
pub struct WarningSight {
    /// Identity over the incident's life.
    pub key: IncidentKey,
    /// The newest product of it.
    pub warning: Arc<Warning>,
    /// Coming or in effect.
    pub phase: Phase,
    /// How it meets the place.
    pub matched: Match,
    /// To the nearest point of the polygon, km; 0 inside; `None` without a polygon.
    pub distance_km: Option<f64>,
    /// From the place to that point, degrees; `None` inside or without a polygon.
    pub bearing_deg: Option<f64>,
    /// For products with storm motion that do not hold the place.
    pub approach: Option<Approach>,
    /// When it ends by the clock.
    pub until_utc: Option<Timestamp>,
}

impl Incidents {
    /// Takes one poll's snapshot in: newer products replace those they reference, ended segments leave, what is absent
    /// from two good polls at least 30 s apart is withdrawn. A snapshot whose `updated` runs backwards changes nothing.
    pub fn take(&mut self, _snapshot: &WarningSnapshot, _polled_utc: Timestamp) {}

    /// Every incident that is coming or in effect at `now` and holds the place or whose polygon is within `radius_km`;
    /// inside first, then by distance. `ugc` are the place's zones; `None` when they are not known yet.
    pub fn around(
        &self,
        _place: LatLon,
        _ugc: Option<&[String]>,
        _radius_km: f64,
        _now: Timestamp,
    ) -> Vec<WarningSight> {
        Vec::new()
    }
}
