//! When to pay attention, and the nearest storm signature on radar (severe.md section 7, levels.md correction 9).

use crate::geo::LatLon;
use crate::mosaic::{Cell, Product};
use crate::outlook::Category;
use crate::threat::evidence::{MOSAIC_USABLE_FOR, OutlookSeen};
use crate::threat::later;
use crate::threat::picture::Picture;
use crate::threat::rules::{self, RADIUS_KM};
use crate::warning::incidents::{Phase, WarningSight};
use jiff::Timestamp;

/// Composite reflectivity of an active storm, dBZ.
pub const STORM_DBZ: f64 = 50.0;

/// When to pay attention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttentionWindow {
    /// `now`, `next 1-2 hours`, `through the outlook period`, `none`.
    pub window: &'static str,
    /// Until when, where evidence says so.
    pub until_utc: Option<Timestamp>,
    /// Why.
    pub reasoning: String,
}

/// The nearest cell that counts as a storm signature.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// Which product shows it.
    pub product: Product,
    /// Where and how much.
    pub cell: Cell,
    /// The mosaic's time.
    pub valid_utc: Timestamp,
}

/// Signature thresholds in the products' units; ties in distance go to the earlier.
const SIGNATURES: [(Product, f64); 4] = [
    (Product::CompositeReflectivity, STORM_DBZ),
    (Product::MeshMax60min, 12.7),
    (Product::RotationTrackLl60min, 4.0),
    (Product::RotationTrackMl60min, 4.0),
];

/// The lowest category that calls for attention through the whole outlook period: a marginal risk calls for none.
const OUTLOOK_CATEGORY: Category = Category::Slgt;

/// The attention window from what is in effect around the place. `outlook` is what the outlook in force today says of it;
/// `unseen` tells whether something that could raise the level is out of sight.
pub fn attention_window(
    warnings: &[WarningSight],
    strongest_dbz: Option<f64>,
    outlook: Option<&OutlookSeen>,
    unseen: bool,
) -> AttentionWindow {
    let counts = |sight: &&WarningSight| sight.phase == Phase::InEffect && rules::is_warning(&sight.warning.event);
    let in_effect: Vec<_> = warnings.iter().filter(counts).collect();
    if let Some(first) = in_effect.first() {
        return AttentionWindow {
            window: "now",
            until_utc: in_effect.iter().filter_map(|sight| sight.until_utc).max(),
            reasoning: format!("{} in effect; latest end of all warnings around", first.warning.event),
        };
    }
    if let Some(dbz) = strongest_dbz.filter(|dbz| *dbz >= STORM_DBZ) {
        return AttentionWindow {
            window: "next 1-2 hours",
            until_utc: None,
            reasoning: format!("an active storm of {dbz:.0} dBZ is within {RADIUS_KM:.0} km"),
        };
    }
    let risk = outlook.and_then(|seen| Some((seen.at.categorical.filter(|held| *held >= OUTLOOK_CATEGORY)?, seen)));
    if let Some((category, seen)) = risk {
        return AttentionWindow {
            window: "through the outlook period",
            until_utc: Some(seen.expire_utc),
            reasoning: format!("SPC outlook for today: {}", category.description()),
        };
    }
    if unseen {
        let reasoning = "unknown: warnings or radar cannot be seen, and what can be seen calls for none".into();
        return AttentionWindow { window: "none", until_utc: None, reasoning };
    }
    AttentionWindow {
        window: "none",
        until_utc: None,
        reasoning: "no warning in effect and no strong storm seen".into(),
    }
}

/// The nearest qualifying cell of any fresh mosaic, whatever peaks farther away.
pub fn nearest_signature(picture: &Picture, place: LatLon, radius_km: f64, now: Timestamp) -> Option<Signature> {
    let mut nearest: Option<Signature> = None;
    for (product, threshold) in SIGNATURES {
        let Some(mosaic) = picture.mosaics.get(&product) else { continue };
        if now >= later(mosaic.valid_utc, MOSAIC_USABLE_FOR) {
            continue;
        }
        let Some(cell) = mosaic.nearest_at_least(place, threshold, radius_km) else { continue };
        if nearest.as_ref().is_none_or(|held| cell.distance_km < held.cell.distance_km) {
            nearest = Some(Signature { product, cell, valid_utc: mosaic.valid_utc });
        }
    }
    nearest
}

#[cfg(test)]
mod tests;
