//! A conformal map projection: from degrees to the page and back.
//!
//! Lambert's conformal conic with two standard parallels on a sphere (Snyder 1987, "Map Projections: A Working Manual", USGS
//! Professional Paper 1395, pages 104-110).

use super::page::{Frame, Spot};
use crate::geo::{EARTH_RADIUS_KM, LatLon};
use std::f64::consts::FRAC_PI_4;

/// A cone, scaled and moved to a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Projection {
    /// The frame on the page.
    pub frame: Frame,
    n: f64,
    /// km on the cone from its apex at the equator's side.
    f_km: f64,
    lon_0_deg: f64,
    /// km on the cone of the frame's middle.
    middle_km: (f64, f64),
    /// Scale.
    pub px_per_km: f64,
}

impl Projection {
    /// A cone that touches along these parallels, its middle meridian up, with no scale yet.
    fn cone(frame: Frame, parallels_deg: (f64, f64), lon_0_deg: f64) -> Self {
        let half = |lat_deg: f64| (FRAC_PI_4 + lat_deg.to_radians() / 2.0).tan();
        let (south, north) = parallels_deg;
        let ratio = (south.to_radians().cos() / north.to_radians().cos()).ln();
        let n = ratio / (half(north) / half(south)).ln();
        let f_km = EARTH_RADIUS_KM * south.to_radians().cos() * half(south).powf(n) / n;
        Self { frame, n, f_km, lon_0_deg, middle_km: (0.0, 0.0), px_per_km: 1.0 }
    }

    /// The parallels and the meridian that maps of the continental US use, with the box given in the frame.
    pub fn of_box(frame: Frame, lat_deg: (f64, f64), lon_deg: (f64, f64)) -> Self {
        let cone = Self::cone(frame, (33.0, 45.0), (lon_deg.0 + lon_deg.1) / 2.0);
        let (mut low, mut high) = ((f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        for step in 0..=40 {
            let part = f64::from(step) / 40.0;
            let lat = lat_deg.0 + (lat_deg.1 - lat_deg.0) * part;
            let lon = lon_deg.0 + (lon_deg.1 - lon_deg.0) * part;
            for (lat, lon) in [(lat, lon_deg.0), (lat, lon_deg.1), (lat_deg.0, lon), (lat_deg.1, lon)] {
                let (x, y) = cone.km(lat, lon);
                (low, high) = ((low.0.min(x), low.1.min(y)), (high.0.max(x), high.1.max(y)));
            }
        }
        let px_per_km = (frame.width() / (high.0 - low.0)).min(frame.height() / (high.1 - low.1)) * 0.97;
        Self { middle_km: ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0), px_per_km, ..cone }
    }

    /// A circle around a place in the frame.
    pub fn around(frame: Frame, place: LatLon, radius_km: f64) -> Self {
        // Parallels a little to both sides: on the place itself the cone's constant would be 0 over 0.
        let (south, north) = (place.lat() - 1.0, place.lat() + 1.0);
        let cone = Self::cone(frame, (south, north), place.lon());
        let px_per_km = frame.width().min(frame.height()) / (2.0 * radius_km) * 0.97;
        Self { middle_km: cone.km(place.lat(), place.lon()), px_per_km, ..cone }
    }

    /// The same cone on another frame, whose middle shows what is at `middle` here, so many times as large.
    pub fn zoomed(&self, frame: Frame, middle: Spot, times: f64) -> Self {
        let (x, y) = self.frame.middle();
        let right_km = (middle.0 - x) / self.px_per_km;
        let up_km = (y - middle.1) / self.px_per_km;
        let middle_km = (self.middle_km.0 + right_km, self.middle_km.1 + up_km);
        Self { frame, middle_km, px_per_km: self.px_per_km * times, ..*self }
    }

    /// What a program elsewhere needs to turn spots into positions: the cone's constant, its scale (km), its meridian
    /// (degrees), the frame's middle on it (km) and pixels a km.
    pub fn constants(&self) -> [f64; 6] {
        [self.n, self.f_km, self.lon_0_deg, self.middle_km.0, self.middle_km.1, self.px_per_km]
    }

    /// On the cone, km: to the right and up, from the point of the middle meridian nearest the apex.
    fn km(&self, lat_deg: f64, lon_deg: f64) -> (f64, f64) {
        // Near the pole of the other hemisphere the cone runs off to infinity.
        let lat = lat_deg.clamp(-80.0, 89.9).to_radians();
        let rho = self.f_km / (FRAC_PI_4 + lat / 2.0).tan().powf(self.n);
        let turn = (lon_deg - self.lon_0_deg + 540.0).rem_euclid(360.0) - 180.0;
        let theta = self.n * turn.to_radians();
        (rho * theta.sin(), -rho * theta.cos())
    }

    /// Where a position is on the page; it may lie far outside the frame.
    pub fn spot(&self, lat_deg: f64, lon_deg: f64) -> Spot {
        let (x, y) = self.km(lat_deg, lon_deg);
        let frame = &self.frame;
        let middle = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
        (middle.0 + (x - self.middle_km.0) * self.px_per_km, middle.1 - (y - self.middle_km.1) * self.px_per_km)
    }

    /// The position at a spot of the page.
    pub fn place(&self, (x, y): Spot) -> Option<LatLon> {
        let frame = &self.frame;
        let middle = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
        let x_km = (x - middle.0) / self.px_per_km + self.middle_km.0;
        let y_km = self.middle_km.1 - (y - middle.1) / self.px_per_km;
        let rho = x_km.hypot(y_km);
        let theta = x_km.atan2(-y_km);
        let lat = 2.0 * (self.f_km / rho).powf(1.0 / self.n).atan() - 2.0 * FRAC_PI_4;
        let lon = self.lon_0_deg + (theta / self.n).to_degrees();
        LatLon::new(lat.to_degrees(), (lon + 540.0).rem_euclid(360.0) - 180.0).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_and_true_to_scale() {
        let frame = Frame::new(10.0, 10.0, 810.0, 610.0);
        let okc = LatLon::new(35.47, -97.52).unwrap();
        for projection in [
            Projection::of_box(frame, (24.0, 50.0), (-125.5, -66.5)),
            Projection::around(frame, LatLon::new(36.0, -97.0).unwrap(), 150.0),
        ] {
            let spot = projection.spot(okc.lat(), okc.lon());
            let back = projection.place(spot).unwrap();
            assert!(okc.distance_km(back) < 0.001, "{back:?}");
            // 100 km to the north-east are 100 km on the map, to the 2 % that the cone strays between its parallels.
            let there = okc.travel(45.0, 100.0);
            let (x, y) = projection.spot(there.lat(), there.lon());
            let px = (x - spot.0).hypot(y - spot.1);
            assert!((px / projection.px_per_km - 100.0).abs() < 2.0, "{}", px / projection.px_per_km);
            assert!(x > spot.0 && y < spot.1);
        }
    }

    #[test]
    fn a_zoomed_frame_shows_the_same_places() {
        let wide = Projection::of_box(Frame::new(0.0, 0.0, 1000.0, 640.0), (24.0, 50.0), (-125.5, -66.5));
        let okc = LatLon::new(35.47, -97.52).unwrap();
        let at = wide.spot(okc.lat(), okc.lon());
        let near = wide.zoomed(Frame::new(0.0, 0.0, 600.0, 400.0), (at.0 + 10.0, at.1 - 5.0), 8.0);
        let (x, y) = near.spot(okc.lat(), okc.lon());
        assert!((x - (300.0 - 80.0)).abs() < 1e-6 && (y - (200.0 + 40.0)).abs() < 1e-6, "{x} {y}");
    }

    #[test]
    fn the_whole_box_is_inside_the_frame() {
        let frame = Frame::new(0.0, 50.0, 1000.0, 650.0);
        let projection = Projection::of_box(frame, (24.0, 50.0), (-125.5, -66.5));
        for (lat, lon) in [(24.0, -125.5), (24.0, -66.5), (50.0, -125.5), (50.0, -66.5), (50.0, -96.0), (24.0, -96.0)] {
            assert!(frame.holds(projection.spot(lat, lon)), "{lat} {lon}");
        }
    }
}
