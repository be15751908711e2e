//! Places on the earth: checked coordinates, great-circle distance and bearing, compass words, areas.
//!
//! Boundaries: ✓ pure geometry on a sphere of 6371 km (the field's usual mean radius). ✗ no I/O, no clock,
//! no knowledge of warnings or radar.

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub mod area;
pub use area::Area;

/// Mean earth radius, km. The same figure that NWS tools and the reference implementation use, so distances compare.
pub const EARTH_RADIUS_KM: f64 = 6371.0;
/// Kilometres in a statute mile.
pub const KM_PER_MILE: f64 = 1.609_344;
/// Kilometres per hour in a knot.
pub const KMH_PER_KT: f64 = 1.852;

/// Latitude range of the continental US box, degrees north, inclusive.
pub const CONUS_LAT_DEG: (f64, f64) = (24.0, 50.0);
/// Longitude range of the continental US box, degrees east, inclusive.
pub const CONUS_LON_DEG: (f64, f64) = (-125.5, -66.5);

/// A checked position: finite, latitude within ±90, longitude within ±180 (degrees north and east).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LatLon {
    lat_deg: f64,
    lon_deg: f64,
}

/// Why a pair of numbers is not a usable position.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GeoError {
    /// Not a number, infinite, or outside the globe.
    #[error(
        "lat {lat}, lon {lon} is not a position on earth: lat must be -90..90 and lon -180..180, in decimal degrees"
    )]
    NotOnEarth {
        /// Latitude as given.
        lat: f64,
        /// Longitude as given.
        lon: f64,
    },
    /// Outside the box that stormbell covers.
    #[error(
        "lat {lat}, lon {lon} is outside the continental US (lat 24.0..50.0, lon -125.5..-66.5; western longitudes are negative){hint}"
    )]
    OutsideConus {
        /// Latitude as given.
        lat: f64,
        /// Longitude as given.
        lon: f64,
        /// A guess at the mistake, with the corrected pair; empty when there is none.
        hint: String,
    },
}

impl LatLon {
    /// Latitude and longitude 0: for hypotheses that need a place and do not care which.
    pub const NULL_ISLAND: Self = Self { lat_deg: 0.0, lon_deg: 0.0 };

    /// A position anywhere on earth.
    ///
    /// # Errors
    /// `NotOnEarth` for NaN, infinities and figures outside the globe.
    pub fn new(lat: f64, lon: f64) -> Result<Self, GeoError> {
        if !lat.is_finite() || !lon.is_finite() || lat.abs() > 90.0 || lon.abs() > 180.0 {
            return Err(GeoError::NotOnEarth { lat, lon });
        }
        Ok(Self { lat_deg: lat, lon_deg: lon })
    }

    /// A position that stormbell can watch: inside the continental US box.
    ///
    /// # Errors
    /// `NotOnEarth`, or `OutsideConus` with a hint where the sign is missing or the two figures are swapped.
    pub fn in_conus(lat: f64, lon: f64) -> Result<Self, GeoError> {
        if inside_box(lat, lon) {
            return Self::new(lat, lon);
        }
        let hint = if inside_box(lat, -lon) {
            format!("; did you mean lon {}?", -lon)
        } else if inside_box(lon, lat) {
            format!("; lat and lon look swapped, did you mean lat {lon}, lon {lat}?")
        } else if inside_box(lon, -lat) {
            format!("; lat and lon look swapped and the sign is missing, did you mean lat {lon}, lon {}?", -lat)
        } else {
            String::new()
        };
        if hint.is_empty() {
            Self::new(lat, lon)?;
        }
        Err(GeoError::OutsideConus { lat, lon, hint })
    }

    /// Degrees north.
    pub fn lat(self) -> f64 {
        self.lat_deg
    }

    /// Degrees east; western longitudes are negative.
    pub fn lon(self) -> f64 {
        self.lon_deg
    }

    /// Great-circle distance, km (haversine).
    pub fn distance_km(self, other: Self) -> f64 {
        let (p1, p2) = (self.lat_deg.to_radians(), other.lat_deg.to_radians());
        let dp = p2 - p1;
        let dl = (other.lon_deg - self.lon_deg).to_radians();
        let a = (dp / 2.0).sin().powi(2) + p1.cos() * p2.cos() * (dl / 2.0).sin().powi(2);
        2.0 * EARTH_RADIUS_KM * a.sqrt().min(1.0).asin()
    }

    /// Initial bearing towards `other`, degrees clockwise from north, 0 <= b < 360.
    pub fn bearing_deg(self, other: Self) -> f64 {
        let (p1, p2) = (self.lat_deg.to_radians(), other.lat_deg.to_radians());
        let dl = (other.lon_deg - self.lon_deg).to_radians();
        let y = dl.sin() * p2.cos();
        let x = p1.cos() * p2.sin() - p1.sin() * p2.cos() * dl.cos();
        y.atan2(x).to_degrees().rem_euclid(360.0)
    }

    /// The position reached after `km` along the great circle that starts at `bearing_deg`.
    pub fn travel(self, bearing_deg: f64, km: f64) -> Self {
        let d = km / EARTH_RADIUS_KM;
        let (p, b) = (self.lat_deg.to_radians(), bearing_deg.to_radians());
        let lat = (p.sin() * d.cos() + p.cos() * d.sin() * b.cos()).clamp(-1.0, 1.0).asin();
        let dlon = (b.sin() * d.sin() * p.cos()).atan2(d.cos() - p.sin() * lat.sin());
        let lon = (self.lon_deg + dlon.to_degrees() + 540.0).rem_euclid(360.0) - 180.0;
        Self { lat_deg: lat.to_degrees(), lon_deg: lon }
    }

    /// Both figures rounded to four decimals (about 11 m): what makes two registrations the same place, and the form
    /// that `/points` of api.weather.gov takes.
    pub fn key_4dp(self) -> String {
        format!("{:.4},{:.4}", self.lat_deg, self.lon_deg)
    }
}

fn inside_box(lat: f64, lon: f64) -> bool {
    (CONUS_LAT_DEG.0..=CONUS_LAT_DEG.1).contains(&lat) && (CONUS_LON_DEG.0..=CONUS_LON_DEG.1).contains(&lon)
}

/// The 16-point compass name of a bearing.
pub fn compass(bearing_deg: f64) -> &'static str {
    const NAMES: [&str; 16] =
        ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"];
    // The remainder is below 16 by construction; NaN casts to 0.
    NAMES[((bearing_deg.rem_euclid(360.0) / 22.5 + 0.5) as usize) % 16]
}

/// Rounded to one decimal, the precision in which distances are told.
pub fn round_1dp(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_and_bearing_of_known_pairs() {
        let okc = LatLon::new(35.4676, -97.5164).unwrap();
        let tulsa = LatLon::new(36.1540, -95.9928).unwrap();
        assert!((okc.distance_km(tulsa) - 156.9).abs() < 0.5);
        assert_eq!(compass(okc.bearing_deg(tulsa)), "ENE");
        let there = okc.travel(60.0, 100.0);
        assert!((okc.distance_km(there) - 100.0).abs() < 1e-6);
    }

    #[test]
    fn conus_gate_explains_itself() {
        let text = |lat, lon| LatLon::in_conus(lat, lon).unwrap_err().to_string();
        assert!(text(35.0, 97.0).contains("did you mean lon -97"));
        assert!(text(-97.0, 35.0).contains("swapped"));
        assert!(text(51.0, -0.1).contains("western longitudes are negative"));
        assert!(LatLon::in_conus(f64::NAN, -97.0).is_err());
        assert!(LatLon::in_conus(24.0, -125.5).is_ok() && LatLon::in_conus(50.0, -66.5).is_ok());
    }

    #[test]
    fn compass_has_sixteen_names_and_wraps() {
        assert_eq!(["N", "N", "NNE", "N"], [compass(0.0), compass(359.9), compass(22.5), compass(f64::NAN)]);
    }
}
