//! A sparse, tiled national radar grid: which cells hold a signal, where coverage ends, and what lies around a place.
//!
//! Boundaries: ✓ storage and queries. ✗ no GRIB (see `decode::mrms`), no I/O, no clock, no judgement of severity.

use crate::geo::LatLon;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The MRMS products that stormbell reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Product {
    /// Maximum expected size of hail over 60 minutes, mm.
    MeshMax60min,
    /// Mid-level (3-6 km AGL) azimuthal shear maximum over 60 minutes, 0.001 /s.
    RotationTrackMl60min,
    /// Low-level (0-2 km AGL) azimuthal shear maximum over 60 minutes, 0.001 /s.
    RotationTrackLl60min,
    /// Vertically integrated liquid, kg/m2.
    Vil,
    /// Composite reflectivity, dBZ.
    CompositeReflectivity,
}

impl Product {
    /// All products, in the order in which tools list them.
    pub const ALL: [Self; 5] = [
        Self::MeshMax60min,
        Self::RotationTrackMl60min,
        Self::RotationTrackLl60min,
        Self::Vil,
        Self::CompositeReflectivity,
    ];

    /// The id in `degraded` lists and blind spots, without the `mrms-` in front.
    pub fn id(self) -> &'static str {
        match self {
            Self::MeshMax60min => "mesh_max_60min",
            Self::RotationTrackMl60min => "rotation_track_ml_60min",
            Self::RotationTrackLl60min => "rotation_track_ll_60min",
            Self::Vil => "vil",
            Self::CompositeReflectivity => "composite_reflectivity",
        }
    }

    /// The id of this product as a source of evidence: in `degraded` lists, blind spots and reasons.
    pub fn source_id(self) -> String {
        format!("mrms-{}", self.id())
    }

    /// What it shows, in words.
    pub fn title(self) -> &'static str {
        match self {
            Self::MeshMax60min => "hail size (MESH)",
            Self::RotationTrackMl60min => "mid-level rotation",
            Self::RotationTrackLl60min => "low-level rotation",
            Self::Vil => "vertically integrated liquid",
            Self::CompositeReflectivity => "composite reflectivity",
        }
    }
}

/// One product at one time over one domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mosaic {
    /// Which product.
    pub product: Product,
    /// The time the values are valid for: the older of the GRIB's own time and the key's where they differ by over 90 s.
    pub valid_utc: Timestamp,
    /// The object key (or file name) it came from: its evidence id.
    pub key: String,
}

/// One cell of a mosaic as seen from a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The value in the product's unit (see `Product`).
    pub value: f64,
    /// The cell's centre.
    pub at: LatLon,
    /// From the place to the centre.
    pub distance_km: f64,
    /// From the place to the centre, degrees.
    pub bearing_deg: f64,
}

/// Whether radar looked at the whole circle around a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coverage {
    /// Every cell of the circle was looked at.
    Covered,
    /// Some cells of the circle, or a part outside the grid, were not looked at.
    Partial,
    /// No cell was looked at.
    Uncovered,
    /// The product does not say (rotation: 0 means nothing there or not looked).
    Unstated,
}

impl Mosaic {
    /// The largest value within `radius_km`; on ties the first in scan order (north-west first). `None` when no cell
    /// there holds a signal.
    pub fn max_within(&self, _place: LatLon, _radius_km: f64) -> Option<Cell> {
        None
    }

    /// The nearest cell within `radius_km` whose value is at least `threshold`.
    pub fn nearest_at_least(&self, _place: LatLon, _threshold: f64, _radius_km: f64) -> Option<Cell> {
        None
    }

    /// How many cells within `radius_km` hold a signal.
    pub fn count_within(&self, _place: LatLon, _radius_km: f64) -> usize {
        0
    }

    /// Whether the circle was looked at.
    pub fn coverage(&self, _place: LatLon, _radius_km: f64) -> Coverage {
        Coverage::Unstated
    }
}
