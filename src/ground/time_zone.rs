//! The IANA time zone of a place, offline.
//!
//! The borders are those of timezone-boundary-builder (made from OpenStreetMap, Open Database License), as the crate `tzf-rs` carries
//! them: 4 MB in the program, read in place, so that the first question costs some milliseconds and under a megabyte.
//! Boundaries: ✓ which zone. ✗ no clock, and no rules of zones: those are `jiff`'s.

use crate::geo::LatLon;
use std::sync::LazyLock;
use tzf_rs::EmbeddedFinder;

static ZONES: LazyLock<EmbeddedFinder> = LazyLock::new(EmbeddedFinder::new);

/// How far out the coast's clock is kept: 200 nautical miles, as far as a coast's state has a say.
const COAST_KM: f64 = 370.4;
/// Between two circles on which the coast is looked for, km.
const RING_KM: f64 = 10.0;
/// Directions looked into.
const BEARINGS: u32 = 32;

/// The IANA name of the zone whose clock is kept at a place, for instance `America/Chicago`.
///
/// Beyond the territorial waters the open sea has zones by its longitude alone, without daylight-saving time. Nobody in a boat goes by
/// them: near a coast the zone of that coast is told, far from any the sea's own (`Etc/GMT+5`). `None` only where no border is known.
pub fn time_zone(at: LatLon) -> Option<&'static str> {
    let zone = zone_at(at)?;
    if is_of_land(zone) { Some(zone) } else { Some(coast_of(at).unwrap_or(zone)) }
}

fn zone_at(at: LatLon) -> Option<&'static str> {
    Some(ZONES.get_tz_name(at.lon(), at.lat())).filter(|name| !name.is_empty())
}

fn is_of_land(zone: &str) -> bool {
    !zone.starts_with("Etc/")
}

/// The zone of the nearest coast.
fn coast_of(at: LatLon) -> Option<&'static str> {
    let rings = (1..).map(|n| f64::from(n) * RING_KM).take_while(|km| *km <= COAST_KM);
    let mut spots = rings.flat_map(|km| (0..BEARINGS).map(move |n| (f64::from(n) * 360.0 / f64::from(BEARINGS), km)));
    spots.find_map(|(bearing_deg, km)| zone_at(at.travel(bearing_deg, km)).filter(|zone| is_of_land(zone)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::{CONUS_LAT_DEG, CONUS_LON_DEG};
    use std::collections::BTreeSet;

    /// Places whose clock is known from law and from daily life, on both sides of borders that states and counties share.
    #[test]
    fn split_states_and_places_without_daylight_saving() {
        let known = [
            ("Phoenix AZ", 33.448, -112.074, "America/Phoenix"),
            ("Window Rock AZ, Navajo Nation", 35.681, -109.053, "America/Denver"),
            ("Kayenta AZ, Navajo Nation", 36.727, -110.255, "America/Denver"),
            ("Hotevilla AZ, Hopi land within Navajo land", 35.926, -110.667, "America/Phoenix"),
            ("Indianapolis IN", 39.768, -86.158, "America/Indiana/Indianapolis"),
            ("Gary IN", 41.593, -87.346, "America/Chicago"),
            ("Evansville IN", 37.972, -87.571, "America/Chicago"),
            ("Tell City IN", 37.951, -86.768, "America/Indiana/Tell_City"),
            ("Knox IN", 41.296, -86.625, "America/Indiana/Knox"),
            ("Vincennes IN", 38.677, -87.529, "America/Indiana/Vincennes"),
            ("Louisville KY", 38.253, -85.759, "America/Kentucky/Louisville"),
            ("Bowling Green KY", 36.990, -86.444, "America/Chicago"),
            ("Lexington KY", 38.041, -84.504, "America/New_York"),
            ("Monticello KY", 36.830, -84.849, "America/Kentucky/Monticello"),
            ("Knoxville TN", 35.961, -83.921, "America/New_York"),
            ("Nashville TN", 36.163, -86.781, "America/Chicago"),
            ("Pensacola FL", 30.421, -87.217, "America/Chicago"),
            ("Panama City FL", 30.159, -85.660, "America/Chicago"),
            ("Tallahassee FL", 30.438, -84.281, "America/New_York"),
            ("Boise ID", 43.615, -116.202, "America/Boise"),
            ("Coeur d'Alene ID", 47.678, -116.781, "America/Los_Angeles"),
            ("Malheur County's seat, Vale OR", 43.982, -117.238, "America/Boise"),
            ("Portland OR", 45.515, -122.679, "America/Los_Angeles"),
            ("Rapid City SD", 44.081, -103.231, "America/Denver"),
            ("Sioux Falls SD", 43.550, -96.700, "America/Chicago"),
            ("Dickinson ND", 46.879, -102.790, "America/Denver"),
            ("Bismarck ND", 46.808, -100.784, "America/Chicago"),
            ("Beulah ND", 47.263, -101.778, "America/North_Dakota/Beulah"),
            ("Scottsbluff NE", 41.867, -103.667, "America/Denver"),
            ("Omaha NE", 41.257, -95.934, "America/Chicago"),
            ("Goodland KS", 39.351, -101.710, "America/Denver"),
            ("Dodge City KS", 37.753, -100.017, "America/Chicago"),
            ("El Paso TX", 31.759, -106.487, "America/Denver"),
            ("Van Horn TX", 31.040, -104.831, "America/Chicago"),
            ("Detroit MI", 42.331, -83.046, "America/Detroit"),
            ("Iron Mountain MI", 45.820, -88.066, "America/Menominee"),
            ("Key West FL", 24.555, -81.780, "America/New_York"),
            ("West Wendover NV", 40.739, -114.073, "America/Denver"),
            ("Miami FL", 25.774, -80.194, "America/New_York"),
        ];
        for (name, lat, lon, zone) in known {
            assert_eq!(time_zone(LatLon::new(lat, lon).unwrap()), Some(zone), "{name}");
        }
    }

    #[test]
    fn a_boat_keeps_the_clock_of_its_coast() {
        let zone = |lat, lon| time_zone(LatLon::new(lat, lon).unwrap());
        // 60 km off Cape Canaveral, 80 km south of Louisiana, 100 km off Oregon.
        assert_eq!(zone(28.46, -79.9), Some("America/New_York"));
        assert_eq!(zone(28.3, -90.5), Some("America/Chicago"));
        assert_eq!(zone(44.6, -125.4), Some("America/Los_Angeles"));
        assert_eq!(zone(32.0, -140.0), Some("Etc/GMT+9"), "the middle of the ocean");
    }

    /// What `jiff` does not know would be shown in UTC.
    #[test]
    fn every_zone_of_the_box_has_rules() {
        let mut zones = BTreeSet::new();
        let steps = |(low, high): (f64, f64)| (0..60).map(move |n| low + (high - low) * f64::from(n) / 59.0);
        for lat in steps(CONUS_LAT_DEG) {
            zones.extend(steps(CONUS_LON_DEG).map(|lon| time_zone(LatLon::new(lat, lon).unwrap()).unwrap()));
        }
        assert!(zones.len() > 20, "{zones:?}");
        for zone in zones {
            assert!(jiff::tz::TimeZone::get(zone).is_ok(), "{zone}");
        }
    }
}
