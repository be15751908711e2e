//! What the other tools would say, in a line each. `None` where it is not known.

use crate::mcp::tools::severe::WarningsSight;
use crate::mcp::tools::severe::environment::PointEnvironment;
use crate::mcp::tools::severe::lightning::Lightning;
use crate::mcp::tools::severe::outlook::{HazardProbability, SpcOutlook};
use crate::mcp::tools::severe::warnings::ActiveWarnings;
use schemars::JsonSchema;
use serde::Serialize;

/// Lightning near the point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LightningSummary {
    /// Flashes.
    pub flash_count: usize,
    /// Flashes per minute over the time covered.
    pub flashes_per_min: Option<f64>,
    /// Distance of the nearest, km.
    pub nearest_strike_km: Option<f64>,
}

/// Warnings around the point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WarningsSummary {
    /// Warnings that hold the point.
    pub active_at_point: usize,
    /// Warnings that hold the point or lie within 40 km.
    pub active_within_radius: usize,
    /// Event names of the watches that hold the point.
    pub watches_at_point: Vec<String>,
}

/// SPC outlook at the point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OutlookSummary {
    /// Category label.
    pub categorical: Option<String>,
    /// Tornado probability, percent.
    pub tornado_pct: Option<u8>,
    /// Hail probability, percent.
    pub hail_pct: Option<u8>,
    /// Wind probability, percent.
    pub wind_pct: Option<u8>,
    /// Probability of any severe weather, percent.
    pub total_severe_pct: Option<u8>,
}

/// Environment at the point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EnvironmentSummary {
    /// Mixed-layer CAPE, J/kg.
    pub mlcape_jkg: Option<i64>,
    /// Mixed-layer CIN, J/kg; null without a level of free convection.
    pub mlcin_jkg: Option<i64>,
    /// Bulk shear 0 to 6 km, knots.
    pub bulk_shear_0_6km_kt: Option<i64>,
    /// Storm-relative helicity 0 to 1 km, m2/s2.
    pub srh_0_1km_m2s2: Option<i64>,
    /// Significant tornado parameter, effective layer.
    pub stp_effective: Option<f64>,
    /// Supercell composite parameter.
    pub scp: Option<f64>,
}

pub(super) fn warnings(data: &ActiveWarnings, sight: WarningsSight) -> Option<WarningsSummary> {
    let nothing_known = data.warnings.is_empty() && data.watches_at_point.is_empty();
    if sight.is_blind() && nothing_known {
        return None;
    }
    Some(WarningsSummary {
        active_at_point: data.warnings.iter().filter(|warning| warning.point_inside).count(),
        active_within_radius: data.warnings.len(),
        watches_at_point: data.watches_at_point.iter().map(|watch| watch.event.clone()).collect(),
    })
}

pub(super) fn lightning(data: &Lightning) -> Option<LightningSummary> {
    Some(LightningSummary {
        flash_count: data.flash_count?,
        flashes_per_min: data.flashes_per_min,
        nearest_strike_km: data.nearest_strike.as_ref().map(|strike| strike.location.distance_km),
    })
}

/// `None` while no outlook is in force.
pub(super) fn outlook(data: &SpcOutlook) -> Option<OutlookSummary> {
    data.valid_utc.as_ref()?;
    let pct = |hazard: &Option<HazardProbability>| hazard.as_ref().and_then(|hazard| hazard.probability_pct);
    Some(OutlookSummary {
        categorical: data.categorical.as_ref().map(|category| category.label.clone()),
        tornado_pct: pct(&data.probabilities.tornado),
        hail_pct: pct(&data.probabilities.hail),
        wind_pct: pct(&data.probabilities.wind),
        total_severe_pct: pct(&data.probabilities.total_severe),
    })
}

pub(super) fn environment(data: &PointEnvironment) -> Option<EnvironmentSummary> {
    let (energy, winds) = (data.thermodynamics.as_ref()?, data.kinematics.as_ref()?);
    let composites = data.composites.as_ref()?;
    Some(EnvironmentSummary {
        mlcape_jkg: energy.mlcape_jkg,
        mlcin_jkg: energy.mlcin_jkg,
        bulk_shear_0_6km_kt: winds.bulk_shear_0_6km_kt,
        srh_0_1km_m2s2: winds.srh_0_1km_m2s2,
        stp_effective: composites.stp_effective,
        scp: composites.scp,
    })
}
