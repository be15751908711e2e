//! A sparse, tiled national radar grid: which cells hold a signal, where coverage ends, and what lies around a place.
//!
//! Boundaries: ✓ storage and queries. ✗ no GRIB (see `decode::mrms`), no I/O, no clock, no judgement of severity.
//!
//! Three kinds of "nothing" are kept apart: no coverage (unknown), looked and nothing there (a true zero), and a figure too
//! small to count. `profile` says which figure means what in which product.

use crate::geo::LatLon;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub mod build;
pub mod cells;
pub mod grid;
pub mod profile;
mod query;
#[cfg(test)]
mod tests;
mod wire;

pub use build::{BuildError, Builder};
pub use cells::{Cells, Counts, Reading, Scale};
pub use grid::Grid;
pub use profile::{Kind, Profile};

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

    /// The unit of its values.
    pub fn unit(self) -> &'static str {
        Profile::of(self).unit
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
    /// Its cells.
    pub cells: Cells,
}

/// One cell of a mosaic as seen from a place.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
    pub fn max_within(&self, place: LatLon, radius_km: f64) -> Option<Cell> {
        self.cells.max_within(place, radius_km)
    }

    /// The nearest cell within `radius_km` whose value is at least `threshold`.
    pub fn nearest_at_least(&self, place: LatLon, threshold: f64, radius_km: f64) -> Option<Cell> {
        self.cells.nearest_at_least(place, threshold, radius_km)
    }

    /// How many cells within `radius_km` hold a signal.
    pub fn count_within(&self, place: LatLon, radius_km: f64) -> usize {
        self.cells.count_within(place, radius_km)
    }

    /// Whether the circle was looked at.
    pub fn coverage(&self, place: LatLon, radius_km: f64) -> Coverage {
        self.cells.coverage(place, radius_km)
    }

    /// A mosaic from one value a cell, asked row by row from the north-west: for tests and made-up days. Values are kept in
    /// steps of 0.1 from -999.
    ///
    /// # Errors
    /// `BuildError` where the grid is not sound.
    pub fn from_values(
        product: Product,
        valid_utc: Timestamp,
        key: &str,
        grid: Grid,
        value: impl Fn(u32, u32) -> f64,
    ) -> Result<Self, BuildError> {
        let scale = Scale { reference: -9990.0, binary: 0, decimal: 1 };
        let mut builder = Builder::new(grid, scale, 32, &Profile::of(product))?;
        let code = |value: f64| (!value.is_nan()).then(|| (value * 10.0 - scale.reference).round() as u32);
        for row in 0..grid.nj {
            let codes: Vec<_> = (0..grid.ni).map(|column| code(value(row, column))).collect();
            builder.row_codes(row, &codes)?;
        }
        Ok(Self { product, valid_utc, key: key.to_owned(), cells: builder.finish()? })
    }
}
