//! What a satellite's lightning mapper can see at all.

use super::Satellite;
use crate::geo::{EARTH_RADIUS_KM, LatLon};

/// From the earth's centre to a geostationary satellite, km (35 786 km above the equator).
const ORBIT_RADIUS_KM: f64 = 42_164.0;
/// Largest angle off straight down, along the equator or along the meridian, at which events stand in ten recorded granules
/// (7.55 degrees both ways); there the detector ends.
const AXIS_DEG_MAX: f64 = 7.55;
/// The same for the angle in any direction: the detector's corners are cut (8.22 degrees seen).
const ANY_DEG_MAX: f64 = 8.22;

impl Satellite {
    /// Longitude over which it stands, degrees east.
    fn stands_over_lon_deg(self) -> f64 {
        match self {
            Self::East => -75.2,
            Self::West => -137.0,
        }
    }

    /// Whether `place` is within its mapper's field of view (about 53 degrees north, and as far east and west). Outside it
    /// no flash means nothing.
    pub fn sees(self, place: LatLon) -> bool {
        let (north, east) = (place.lat().to_radians(), (place.lon() - self.stands_over_lon_deg()).to_radians());
        let down = ORBIT_RADIUS_KM - EARTH_RADIUS_KM * north.cos() * east.cos();
        let beside = EARTH_RADIUS_KM * north.cos() * east.sin();
        let above = EARTH_RADIUS_KM * north.sin();
        // Beyond the limb: the far side of the earth.
        if north.cos() * east.cos() < EARTH_RADIUS_KM / ORBIT_RADIUS_KM {
            return false;
        }
        let (x_deg, y_deg) = (beside.atan2(down).to_degrees(), above.atan2(down).to_degrees());
        x_deg.abs() <= AXIS_DEG_MAX && y_deg.abs() <= AXIS_DEG_MAX && x_deg.hypot(y_deg) <= ANY_DEG_MAX
    }
}
