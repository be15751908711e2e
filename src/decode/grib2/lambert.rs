//! The Lambert conformal cone on a sphere, forwards and back.
//!
//! Formulas: Snyder, J. P., 1987: Map Projections, a Working Manual. USGS Professional Paper 1395, pp. 104-107 (sphere).

use crate::geo::LatLon;
use std::f64::consts::FRAC_PI_4;

/// Standard parallels nearer than this to the equator or a pole, degrees, make no cone that a model uses.
const PARALLEL_DEG: (f64, f64) = (0.5, 89.5);

/// A cone over a sphere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lambert {
    /// Cone constant n: the sine of the latitude where a tangent cone touches; negative in the south.
    cone: f64,
    /// R F, in metres.
    scale_m: f64,
    /// The meridian that runs straight up, degrees east.
    lov_deg: f64,
}

impl Lambert {
    /// A cone through two parallels (the same twice: touching in one). `None` where they make none.
    pub fn new(radius_m: f64, latin1_deg: f64, latin2_deg: f64, lov_deg: f64) -> Option<Self> {
        let usable = |deg: f64| deg.abs() >= PARALLEL_DEG.0 && deg.abs() <= PARALLEL_DEG.1;
        let one_side = latin1_deg.signum() == latin2_deg.signum();
        if !(usable(latin1_deg) && usable(latin2_deg) && one_side && lov_deg.is_finite() && radius_m > 0.0) {
            return None;
        }
        let (one, two) = (latin1_deg.to_radians(), latin2_deg.to_radians());
        let stretch = |phi: f64| (FRAC_PI_4 + phi / 2.0).tan();
        let cone = if (one - two).abs() < 1e-9 {
            one.sin()
        } else {
            (one.cos() / two.cos()).ln() / (stretch(two) / stretch(one)).ln()
        };
        let scale_m = radius_m * one.cos() * stretch(one).powf(cone) / cone;
        Some(Self { cone, scale_m, lov_deg })
    }

    /// Metres right of the straight meridian and up, from the cone's tip. The tip is the origin: only differences are used.
    pub fn forward(&self, place: LatLon) -> (f64, f64) {
        let rho = self.scale_m / (FRAC_PI_4 + place.lat().to_radians() / 2.0).tan().powf(self.cone);
        let theta = self.cone * self.east_of_meridian_deg(place.lon()).to_radians();
        (rho * theta.sin(), -rho * theta.cos())
    }

    /// The place at these metres; `None` where there is none on earth.
    pub fn inverse(&self, x_m: f64, y_m: f64) -> Option<LatLon> {
        let side = self.cone.signum();
        let rho = side * x_m.hypot(y_m);
        let theta = (side * x_m).atan2(-side * y_m);
        let lat = (2.0 * (self.scale_m / rho).powf(1.0 / self.cone).atan() - 2.0 * FRAC_PI_4).to_degrees();
        let lon = self.lov_deg + (theta / self.cone).to_degrees();
        LatLon::new(lat, (lon + 540.0).rem_euclid(360.0) - 180.0).ok()
    }

    /// How far the grid's upward direction is turned from true north at a longitude, radians clockwise: n (lon - LoV).
    pub fn rotation_rad(&self, lon_deg: f64) -> f64 {
        self.cone * self.east_of_meridian_deg(lon_deg).to_radians()
    }

    fn east_of_meridian_deg(&self, lon_deg: f64) -> f64 {
        (lon_deg - self.lov_deg + 540.0).rem_euclid(360.0) - 180.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cone(latin1: f64, latin2: f64, lov: f64) -> Lambert {
        Lambert::new(6_371_229.0, latin1, latin2, lov).unwrap()
    }

    #[test]
    fn there_and_back_also_in_the_south_and_across_the_date_line() {
        // M16 of the field reports: southern cones with negative parallels.
        for (one, two, lov, lat, lon) in [
            (25.0, 25.0, 265.0, 35.34, -97.49),
            (25.0, 25.0, -95.0, 47.0, -122.3),
            (33.0, 45.0, -95.0, 24.5, -70.0),
            (-30.0, -60.0, 180.0, -41.0, 175.0),
            (-40.0, -40.0, 295.0, -35.0, -60.0),
            (60.0, 60.0, 180.0, 62.0, -179.0),
        ] {
            let lambert = cone(one, two, lov);
            let place = LatLon::new(lat, lon).unwrap();
            let (x, y) = lambert.forward(place);
            let back = lambert.inverse(x, y).unwrap();
            assert!(place.distance_km(back) < 1e-6, "{place:?} {back:?}");
        }
    }

    /// Snyder's own numerical example, p. 295: sphere of radius 1, parallels 33 and 45 N, origin 23 N 96 W, point 35 N 75 W.
    #[test]
    fn agrees_with_the_papers_worked_example() {
        let lambert = Lambert::new(1.0, 33.0, 45.0, -96.0).unwrap();
        let (x, y) = lambert.forward(LatLon::new(35.0, -75.0).unwrap());
        let (_, y0) = lambert.forward(LatLon::new(23.0, -96.0).unwrap());
        assert!((x - 0.296_678_5).abs() < 1e-6 && (y - y0 - 0.246_211_2).abs() < 1e-6, "{x} {}", y - y0);
    }

    /// The turn of the grid is what a step up the grid does to the bearing.
    #[test]
    fn the_rotation_is_the_bearing_of_the_grids_upward_direction() {
        let lambert = cone(25.0, 25.0, 265.0);
        for (lon, expected_deg) in [(-97.5, -1.06), (-70.0, 10.57), (-122.3, -11.54), (-95.0, 0.0)] {
            let place = LatLon::new(38.0, lon).unwrap();
            let (x, y) = lambert.forward(place);
            let bearing = place.bearing_deg(lambert.inverse(x, y + 1000.0).unwrap());
            let turned = lambert.rotation_rad(lon).to_degrees();
            assert!((turned - expected_deg).abs() < 0.02, "{lon}: {turned}");
            // East of the straight meridian "up" on the map leans to the east of north.
            assert!(((bearing - turned + 180.0).rem_euclid(360.0) - 180.0).abs() < 0.01, "{lon}: {bearing} {turned}");
        }
    }

    #[test]
    fn what_makes_no_cone_is_none() {
        for (one, two) in [(0.0, 0.0), (90.0, 90.0), (30.0, -30.0), (f64::NAN, 25.0)] {
            assert_eq!(Lambert::new(6_371_229.0, one, two, 265.0), None);
        }
    }
}
