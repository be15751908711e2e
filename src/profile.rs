//! A model's profile over one place: a column of air at the nearest grid point, with its times and where it came from.
//!
//! Boundaries: ✓ what a model says of one point and hour, and which places that point may speak for. ✗ no judgement: indices
//! are `sounding`'s, levels are `threat`'s.

use crate::geo::LatLon;
use crate::sounding::{Column, Environment, Wind};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How far the nearest grid point may be, km: beyond it a profile does not cover the place (levels.md). On a grid of 13.5 km
/// the farthest that a place can be from a point is 9.6 km.
pub const COVERS_KM_MAX: f64 = 20.0;

/// What a model says of the air over one place at one hour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelProfile {
    /// Which model, for a person: `RAP 13 km`.
    pub model: String,
    /// When its run began.
    pub cycle_utc: Timestamp,
    /// What it is valid for.
    pub valid_utc: Timestamp,
    /// Hours from the one to the other; 0 is the analysis.
    pub forecast_hour: u16,
    /// The grid point whose column it is.
    pub grid_point: LatLon,
    /// The place it was made for.
    pub asked_place: LatLon,
    /// Between the two, km (great circle).
    pub distance_km: f64,
    /// The model's ground at the grid point, m above sea level. Heights in the column are above sea level too.
    pub terrain_msl_m: f64,
    /// The air, from the ground up, winds relative to the earth.
    pub column: Column,
    /// What the column tells about storms: reckoned once, where the profile is read.
    pub environment: Environment,
    /// The model's own figures for the point.
    pub model_reported: ModelReported,
    /// The file it was read from, by its upstream's name.
    pub key: String,
}

/// What the model reckoned itself, for comparison. `None` where the file does not say it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelReported {
    /// CAPE of a surface parcel, J/kg.
    pub sfc_cape_jkg: Option<f64>,
    /// CIN of a surface parcel, J/kg, 0 or below.
    pub sfc_cin_jkg: Option<f64>,
    /// CAPE of the lowest 90 hPa, J/kg.
    pub ml_cape_90mb_jkg: Option<f64>,
    /// CIN of the lowest 90 hPa, J/kg, 0 or below.
    pub ml_cin_90mb_jkg: Option<f64>,
    /// CAPE of the most unstable parcel of the lowest 255 hPa, J/kg.
    pub mu_cape_255mb_jkg: Option<f64>,
    /// CIN of that parcel, J/kg, 0 or below.
    pub mu_cin_255mb_jkg: Option<f64>,
    /// Storm-relative helicity of the lowest kilometre, m²/s².
    pub srh_0_1km_m2s2: Option<f64>,
    /// Storm-relative helicity of the lowest three kilometres, m²/s².
    pub srh_0_3km_m2s2: Option<f64>,
    /// Storm motion, relative to the earth.
    pub storm_motion: Option<Wind>,
}

impl ModelProfile {
    /// The same column for another place near the grid point; `None` where the point does not cover it.
    pub fn for_place(&self, place: LatLon) -> Option<Self> {
        let distance_km = place.distance_km(self.grid_point);
        (distance_km <= COVERS_KM_MAX).then(|| Self { asked_place: place, distance_km, ..self.clone() })
    }

    /// Whether it replaces `held`: of one place and hour the newer run does, and the same run read again.
    pub fn replaces(&self, held: &Self) -> bool {
        self.cycle_utc >= held.cycle_utc
    }
}
