//! Lightning as the mappers on the GOES satellites see it: granules of about 20 seconds, flashes, and what they show
//! around a place.
//!
//! The mappers see total lightning and cannot tell a stroke to the ground from one inside a cloud: the word here is flash.
//! A flash is told by its centroid, yet its light may reach tens of km from it, so distances go to the nearest lit pixel.
//!
//! Boundaries: ✓ storage, what time is really covered, queries. ✗ no netCDF (see `decode::glm`), no I/O, no clock.

use crate::geo::LatLon;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use squares::Circle;

mod squares;
#[cfg(test)]
mod tests;
mod view;
mod window;

pub use window::{LightningBlind, LightningSight, LightningWindow, NearFlash};

/// How long the newest granule may speak after its end (levels.md).
pub const LIGHTNING_USABLE_FOR: SignedDuration = SignedDuration::from_mins(5);
/// How long granules are kept: the longest window that get_lightning offers.
pub const LIGHTNING_KEPT_FOR: SignedDuration = SignedDuration::from_mins(30);
/// Places east of this longitude ask GOES-East, others GOES-West: half-way between 75.2 W and 137 W is 106.1 W, and the
/// overlap is cut a little nearer to West, whose pixels there are the smaller ones (upstreams.md: 103 to 106 W).
pub const EAST_OF_LON_DEG: f64 = -104.5;

/// Quality of a flash: nothing wrong.
pub const QUALITY_GOOD: u8 = 0;
/// Quality of a flash: its events are out of time order. The only flashes that are left out.
pub const QUALITY_OUT_OF_ORDER: u8 = 1;
/// Quality of a flash: more events than the algorithm's threshold. A large, real flash.
pub const QUALITY_MANY_EVENTS: u8 = 3;
/// Quality of a flash: longer than the algorithm's threshold. A large, real flash.
pub const QUALITY_LONG: u8 = 5;

/// Thousandths of a degree in one degree: the step in which lit pixels are kept. A pixel is 8 to 14 km wide, the step 0.1 km.
const STEPS_PER_DEG: f64 = 1000.0;

/// One of the two places over the equator from which the continental US is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Satellite {
    /// GOES-East, 75.2 W (GOES-19 since 2025-04-07).
    East,
    /// GOES-West, 137 W (GOES-18).
    West,
}

impl Satellite {
    /// Both.
    pub const ALL: [Self; 2] = [Self::East, Self::West];

    /// `GOES-East` or `GOES-West`: the orbital slot as NOAA names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::East => "GOES-East",
            Self::West => "GOES-West",
        }
    }

    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::East => Self::West,
            Self::West => Self::East,
        }
    }

    /// The one that is asked first for a place.
    pub fn first_for(place: LatLon) -> Self {
        if place.lon() > EAST_OF_LON_DEG { Self::East } else { Self::West }
    }
}

/// What one file covers: about 20 seconds of one satellite. One without flashes is a true "nothing seen".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Granule {
    /// Whose.
    pub satellite: Satellite,
    /// The spacecraft, for instance `G19`.
    pub platform: String,
    /// Object key or file name: its evidence id.
    pub key: String,
    /// Begin of the time covered.
    pub start_utc: Timestamp,
    /// End of the time covered.
    pub end_utc: Timestamp,
    /// The flashes, in the file's order. Some began up to two seconds before `start_utc`.
    pub flashes: Vec<Flash>,
    /// Flashes of the file that were left out, because their events are out of order or their figures are unusable.
    pub left_out: u32,
}

/// One flash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Flash {
    first_event_us: i32,
    lat_deg: f32,
    lon_deg: f32,
    quality: u8,
    reach: (u16, u16),
    lit: Vec<(i16, i16)>,
}

impl Flash {
    /// A flash that began `first_event_us` microseconds after its granule's start (may be negative), with its centroid
    /// and the centres of the pixels that it lit. Repeats are dropped; pixels farther than 32 degrees away are not its own
    /// and are dropped too. Without pixels the centroid stands alone.
    pub fn new(first_event_us: i32, centroid: LatLon, quality: u8, lit: &[LatLon]) -> Self {
        let (lat_deg, lon_deg) = (centroid.lat() as f32, centroid.lon() as f32);
        let mut steps: Vec<(i16, i16)> = lit
            .iter()
            .filter_map(|at| {
                let east = (at.lon() - f64::from(lon_deg) + 540.0).rem_euclid(360.0) - 180.0;
                Some((steps(at.lat() - f64::from(lat_deg))?, steps(east)?))
            })
            .collect();
        steps.sort_unstable();
        steps.dedup();
        let reach = steps.iter().fold((0, 0), |(north, east): (u16, u16), step| {
            (north.max(step.0.unsigned_abs()), east.max(step.1.unsigned_abs()))
        });
        Self { first_event_us, lat_deg, lon_deg, quality, reach, lit: steps }
    }

    /// When it began; `granule` is the one that holds it.
    pub fn first_event_utc(&self, granule: &Granule) -> Timestamp {
        let after = SignedDuration::from_micros(i64::from(self.first_event_us));
        granule.start_utc.checked_add(after).unwrap_or(granule.start_utc)
    }

    /// Its centroid, weighted by energy; `None` where the stored figures are not on earth.
    pub fn centroid(&self) -> Option<LatLon> {
        LatLon::new(f64::from(self.lat_deg), f64::from(self.lon_deg)).ok()
    }

    /// See the `QUALITY_` constants: an enumeration, not bits.
    pub fn quality(&self) -> u8 {
        self.quality
    }

    /// The pixels that it lit.
    pub fn lit(&self) -> impl Iterator<Item = LatLon> + '_ {
        self.lit.iter().filter_map(|step| self.pixel(*step))
    }

    /// Its point nearest to the middle of `circle`, centroid or lit pixel, with the distance in km; `None` outside it.
    fn nearest_point(&self, circle: &Circle) -> Option<(LatLon, f64)> {
        let (lat, lon) = (f64::from(self.lat_deg), f64::from(self.lon_deg));
        // What lies outside the box around the circle is passed over without trigonometry.
        let north_deg = lat - circle.place.lat();
        let east_deg = (lon - circle.place.lon() + 540.0).rem_euclid(360.0) - 180.0;
        let deg = |steps: u16| f64::from(steps) / STEPS_PER_DEG;
        if !circle.may_hold(north_deg, east_deg, (deg(self.reach.0), deg(self.reach.1))) {
            return None;
        }
        let is_in_box = |step: &&(i16, i16)| {
            let (north, east) = (f64::from(step.0) / STEPS_PER_DEG, f64::from(step.1) / STEPS_PER_DEG);
            circle.may_hold(north_deg + north, east_deg + east, (0.0, 0.0))
        };
        let lit = self.lit.iter().filter(is_in_box).filter_map(|step| self.pixel(*step));
        let measured = self.centroid().into_iter().chain(lit).map(|at| (at, circle.place.distance_km(at)));
        let nearest = measured.min_by(|a, b| a.1.total_cmp(&b.1))?;
        (nearest.1 <= circle.radius_km).then_some(nearest)
    }

    fn pixel(&self, step: (i16, i16)) -> Option<LatLon> {
        let lat = f64::from(self.lat_deg) + f64::from(step.0) / STEPS_PER_DEG;
        let lon = f64::from(self.lon_deg) + f64::from(step.1) / STEPS_PER_DEG;
        LatLon::new(lat.clamp(-90.0, 90.0), (lon + 540.0).rem_euclid(360.0) - 180.0).ok()
    }
}

/// A difference in degrees as steps, where it fits.
fn steps(deg: f64) -> Option<i16> {
    let steps = (deg * STEPS_PER_DEG).round();
    // In range: no cut. NaN fails the comparison.
    (steps.abs() <= f64::from(i16::MAX)).then_some(steps as i16)
}
