//! What the doors need from the judgement: one function from a picture to everything that a brief shows.
//!
//! Boundaries: ✓ the seam between doors and `threat`. ✗ no rules here: the process hands in the function.

use crate::geo::LatLon;
use crate::threat::Assessment;
use crate::threat::picture::Picture;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The judgement for one place with what a brief adds to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Level, reasons, blind spots, hazards.
    pub assessment: Assessment,
    /// The nearest radar cell that qualifies as a storm.
    pub signature: Option<StormSignature>,
    /// When to look out.
    pub window: AttentionWindow,
}

/// The nearest radar cell that qualifies as a storm signature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StormSignature {
    /// Which product: reflectivity, hail, low-level or mid-level rotation.
    pub signature: String,
    /// The value with its unit.
    pub value: String,
    /// Distance from the point, km.
    pub distance_km: f64,
    /// Bearing from the point, degrees.
    pub bearing_deg: i64,
    /// 16-point compass name of the bearing.
    pub direction: String,
    /// The time of the scan, ISO 8601 UTC.
    pub valid_utc: String,
}

/// When to look out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttentionWindow {
    /// `now`, `next 1-2 hours`, `through the outlook period` or `none`.
    pub window: String,
    /// Until when, ISO 8601 UTC, where something says so.
    pub until_utc: Option<String>,
    /// Why.
    pub reasoning: String,
}

/// The judgement as a function; pure.
pub type Judge = Arc<dyn Fn(&Picture, LatLon, Timestamp) -> Judgement + Send + Sync>;
