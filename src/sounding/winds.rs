//! Winds of a column: shear, means over layers, storm motion, storm-relative helicity.
//!
//! Boundaries: ✓ pure vector figures in m/s; heights over the ground in m, never above sea level. ✗ no heat, no moisture: where a
//! definition needs a parcel's levels they are given by the caller.
//!
//! Between levels each component runs straight in ln p, as SPC's programs have it, and so straight in height.

use super::{Column, Wind, mix};
use serde::Serialize;

/// How far Bunkers et al. (2000) found supercells to deviate from the mean wind, m/s.
const DEVIATION_MS: f64 = 7.5;
/// Depth of the layer whose mean wind and shear carry a storm, m.
const STEERING_M: f64 = 6000.0;
/// Depth of the two layers whose difference is the shear of Bunkers et al. (2000), m.
const SHEAR_LAYER_M: f64 = 500.0;
/// How far up from inflow base to equilibrium level the steering layer of Bunkers et al. (2014) reaches.
const STEERING_PART: f64 = 0.65;
/// Shear below which its direction means nothing, m/s, so that a storm has no left or right of it.
const SHEAR_MIN_MS: f64 = 0.01;

impl Wind {
    /// The difference to another wind: what the air at `self` does as seen by something that moves with `other`.
    pub fn minus(self, other: Self) -> Self {
        Self { u_ms: self.u_ms - other.u_ms, v_ms: self.v_ms - other.v_ms }
    }

    fn plus(self, other: Self, times: f64) -> Self {
        Self { u_ms: self.u_ms + other.u_ms * times, v_ms: self.v_ms + other.v_ms * times }
    }
}

/// One wind of a hodograph.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HodographPoint {
    /// Pressure, hPa.
    pub pressure_hpa: f64,
    /// Height above the ground, m.
    pub height_agl_m: f64,
    /// The wind.
    pub wind: Wind,
}

/// The winds of a column over height, surface first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hodograph {
    points: Vec<HodographPoint>,
}

/// How right-moving and left-moving supercells would move.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StormMotion {
    /// Right of the shear.
    pub right: Wind,
    /// Left of the shear: the mirror image at the mean wind.
    pub left: Wind,
    /// The mean wind that carries them.
    pub mean: Wind,
}

impl Hodograph {
    /// The winds of a column; `None` where the ground has none, since shear and helicity begin there.
    pub fn new(column: &Column) -> Option<Self> {
        column.surface().wind?;
        let point = |level: &super::Level| {
            let height_agl_m = column.agl_m(level.height_msl_m);
            Some(HodographPoint { pressure_hpa: level.pressure_hpa, height_agl_m, wind: level.wind? })
        };
        Some(Self { points: column.levels().iter().filter_map(point).collect() })
    }

    /// Its winds, surface first.
    pub fn points(&self) -> &[HodographPoint] {
        &self.points
    }

    /// The wind at the ground.
    pub fn surface(&self) -> Wind {
        self.points[0].wind
    }

    /// The wind at a height over the ground; `None` outside the column.
    pub fn at_height(&self, height_agl_m: f64) -> Option<HodographPoint> {
        self.at(
            |point| point.height_agl_m < height_agl_m,
            |lower, upper| (height_agl_m - lower.height_agl_m) / (upper.height_agl_m - lower.height_agl_m),
        )
    }

    /// The wind at a pressure; `None` outside the column.
    pub fn at_pressure(&self, pressure_hpa: f64) -> Option<HodographPoint> {
        self.at(
            |point| point.pressure_hpa > pressure_hpa,
            |lower, upper| (lower.pressure_hpa / pressure_hpa).ln() / (lower.pressure_hpa / upper.pressure_hpa).ln(),
        )
    }

    fn at(
        &self,
        below: impl Fn(&HodographPoint) -> bool,
        part: impl Fn(&HodographPoint, &HodographPoint) -> f64,
    ) -> Option<HodographPoint> {
        let above = self.points.partition_point(below);
        let upper = self.points.get(above)?;
        if above == 0 {
            // At the ground itself the part above the (same) lower level is 0 over 0.
            return (part(upper, self.points.get(1)?) == 0.0).then_some(*upper);
        }
        let lower = self.points.get(above - 1)?;
        let part = part(lower, upper);
        Some(HodographPoint {
            pressure_hpa: mix(lower.pressure_hpa.ln(), upper.pressure_hpa.ln(), part).exp(),
            height_agl_m: mix(lower.height_agl_m, upper.height_agl_m, part),
            wind: Wind {
                u_ms: mix(lower.wind.u_ms, upper.wind.u_ms, part),
                v_ms: mix(lower.wind.v_ms, upper.wind.v_ms, part),
            },
        })
    }

    /// Wind at the top of a layer minus that at its foot.
    pub fn shear(&self, foot_agl_m: f64, top_agl_m: f64) -> Option<Wind> {
        Some(self.at_height(top_agl_m)?.wind.minus(self.at_height(foot_agl_m)?.wind))
    }

    /// The points of a layer, its foot and top among them.
    fn layer(&self, foot_agl_m: f64, top_agl_m: f64) -> Option<Vec<HodographPoint>> {
        if foot_agl_m >= top_agl_m {
            return None;
        }
        let (foot, top) = (self.at_height(foot_agl_m)?, self.at_height(top_agl_m)?);
        let inside = |point: &&HodographPoint| point.height_agl_m > foot_agl_m && point.height_agl_m < top_agl_m;
        let inner = self.points.iter().filter(inside).copied();
        Some(std::iter::once(foot).chain(inner).chain(std::iter::once(top)).collect())
    }

    fn mean(
        &self,
        foot_agl_m: f64,
        top_agl_m: f64,
        weight: impl Fn(&HodographPoint, &HodographPoint) -> (f64, f64),
    ) -> Option<Wind> {
        let layer = self.layer(foot_agl_m, top_agl_m)?;
        let (mut sum, mut weights) = (Wind { u_ms: 0.0, v_ms: 0.0 }, 0.0);
        for pair in layer.windows(2) {
            let (lower, upper) = weight(&pair[0], &pair[1]);
            sum = sum.plus(pair[0].wind, lower).plus(pair[1].wind, upper);
            weights += lower + upper;
        }
        (weights > 0.0).then(|| Wind { u_ms: sum.u_ms / weights, v_ms: sum.v_ms / weights })
    }

    /// Mean wind over height: every metre counts alike ("not pressure-weighted" in Bunkers et al. 2000).
    pub fn mean_over_height(&self, foot_agl_m: f64, top_agl_m: f64) -> Option<Wind> {
        self.mean(foot_agl_m, top_agl_m, |lower, upper| {
            let depth_m = upper.height_agl_m - lower.height_agl_m;
            (0.5 * depth_m, 0.5 * depth_m)
        })
    }

    /// Mean wind over pressure: every hectopascal, and so every kilogram of air, counts alike.
    pub fn mean_over_mass(&self, foot_agl_m: f64, top_agl_m: f64) -> Option<Wind> {
        self.mean(foot_agl_m, top_agl_m, |lower, upper| over_pressure(lower.pressure_hpa, upper.pressure_hpa, 1.0))
    }

    /// Mean wind over pressure weighted with the pressure itself: what SPC's programs call pressure-weighted.
    pub fn mean_pressure_weighted(&self, foot_agl_m: f64, top_agl_m: f64) -> Option<Wind> {
        self.mean(foot_agl_m, top_agl_m, |lower, upper| over_pressure(lower.pressure_hpa, upper.pressure_hpa, 2.0))
    }

    /// Storm motion as SPC's programs reckon it where no parcel rises: mean wind of the lowest 6 km over pressure, and 7.5 m/s
    /// across the wind difference between 6 km and the ground.
    ///
    /// After Bunkers et al. (2000, Wea. Forecasting 15, 61-79), but with that simpler shear and that mean.
    pub fn motion_fixed_layer(&self) -> Option<StormMotion> {
        across(self.mean_over_mass(0.0, STEERING_M)?, self.shear(0.0, STEERING_M)?)
    }

    /// Storm motion from the layer that feeds the storm: pressure-weighted mean wind from the inflow base to 65 % of the way to the
    /// most unstable parcel's equilibrium level, and 7.5 m/s across the shear of that layer.
    ///
    /// Bunkers, Barber, Thompson, Edwards and Garner (2014, J. Operational Meteor. 2 (11), 129-145), as SPC's programs have it.
    pub fn motion_inflow_layer(&self, base_agl_m: f64, el_agl_m: f64) -> Option<StormMotion> {
        let top_agl_m = mix(base_agl_m, el_agl_m, STEERING_PART);
        across(self.mean_pressure_weighted(base_agl_m, top_agl_m)?, self.shear(base_agl_m, top_agl_m)?)
    }

    /// Storm motion exactly as in Bunkers, Klimowski, Zeitler, Thompson and Weisman (2000, Wea. Forecasting 15, 61-79): mean wind of
    /// the lowest 6 km over height, and 7.5 m/s across the shear from the mean of 0-0.5 km to the mean of 5.5-6 km.
    pub fn motion_bunkers_2000(&self) -> Option<StormMotion> {
        let low = self.mean_over_height(0.0, SHEAR_LAYER_M)?;
        let high = self.mean_over_height(STEERING_M - SHEAR_LAYER_M, STEERING_M)?;
        across(self.mean_over_height(0.0, STEERING_M)?, high.minus(low))
    }

    /// Storm-relative helicity of a layer, m²/s²: twice the area that the storm-relative hodograph sweeps.
    ///
    /// Davies-Jones, Burgess and Foster (1990, Preprints, 16th Conf. Severe Local Storms, 588-592).
    pub fn helicity_m2s2(&self, foot_agl_m: f64, top_agl_m: f64, storm: Wind) -> Option<f64> {
        if foot_agl_m == top_agl_m {
            // A layer without depth holds no helicity, but only where there is a layer at all.
            return self.at_height(foot_agl_m).map(|_| 0.0);
        }
        let layer = self.layer(foot_agl_m, top_agl_m)?;
        let swept = layer.windows(2).map(|pair| {
            let (from, to) = (pair[0].wind.minus(storm), pair[1].wind.minus(storm));
            to.u_ms * from.v_ms - from.u_ms * to.v_ms
        });
        Some(swept.sum())
    }

    /// Angle between the storm-relative wind at the ground and the shear of the lowest 500 m, degrees: 90 is purely streamwise
    /// vorticity.
    ///
    /// Esterheld and Giuliano (2008, Electronic J. Severe Storms Meteor. 3 (2), 1-18).
    pub fn critical_angle_deg(&self, storm: Wind) -> Option<f64> {
        let inflow = storm.minus(self.surface());
        let shear = self.shear(0.0, SHEAR_LAYER_M)?;
        let lengths = inflow.speed_ms() * shear.speed_ms();
        let cos = (inflow.u_ms * shear.u_ms + inflow.v_ms * shear.v_ms) / lengths;
        (lengths > 0.0).then(|| cos.clamp(-1.0, 1.0).acos().to_degrees())
    }
}

/// Weights of the two ends of a layer in the mean of something that runs straight in ln p, over p^`power`: exact integrals.
fn over_pressure(lower_hpa: f64, upper_hpa: f64, power: f64) -> (f64, f64) {
    let (low, high) = (lower_hpa.powf(power) / power, upper_hpa.powf(power) / power);
    // How ln p runs from foot to top, integrated by parts.
    let to_top = (low - high) / (power * (lower_hpa / upper_hpa).ln()) - high;
    let all = low - high;
    (all - to_top, to_top)
}

fn across(mean: Wind, shear: Wind) -> Option<StormMotion> {
    let length_ms = shear.speed_ms();
    if length_ms < SHEAR_MIN_MS {
        return None;
    }
    let right_of_shear = Wind { u_ms: shear.v_ms / length_ms, v_ms: -shear.u_ms / length_ms };
    Some(StormMotion {
        right: mean.plus(right_of_shear, DEVIATION_MS),
        left: mean.plus(right_of_shear, -DEVIATION_MS),
        mean,
    })
}

#[cfg(test)]
mod tests;
