//! Stations, and how they lie around a place.

use crate::geo::{LatLon, compass, round_1dp};

/// One observing station.
#[derive(Debug, Clone, PartialEq)]
pub struct Station {
    /// `KICT`.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// Where it is.
    pub at: Option<LatLon>,
    /// Metres above sea level, whole.
    pub elevation_m: Option<i64>,
    /// IANA time zone name.
    pub time_zone: Option<String>,
    /// Code of its county.
    pub county: Option<String>,
    /// Code of its forecast zone.
    pub forecast_zone: Option<String>,
}

/// A station as seen from a place.
#[derive(Debug, Clone, PartialEq)]
pub struct SightedStation {
    /// Which.
    pub station: Station,
    /// Great-circle distance, km to a tenth.
    pub distance_km: f64,
    /// 16-point compass name of the direction from the place.
    pub bearing: &'static str,
}

/// Stations by their distance from a place, nearest first, whatever order they were listed in; and how many say not where
/// they are.
pub fn around(place: LatLon, stations: Vec<Station>) -> (Vec<SightedStation>, usize) {
    let listed = stations.len();
    let mut sighted: Vec<(f64, SightedStation)> = stations
        .into_iter()
        .filter_map(|station| {
            let at = station.at?;
            let km = place.distance_km(at);
            let bearing = compass(place.bearing_deg(at));
            Some((km, SightedStation { station, distance_km: round_1dp(km), bearing }))
        })
        .collect();
    sighted.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let unplaced = listed - sighted.len();
    (sighted.into_iter().map(|(_, sighted)| sighted).collect(), unplaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_comes_first_whatever_the_list_says() {
        let place = LatLon::new(37.74, -98.21).unwrap();
        let station = |id: &str, at: Option<(f64, f64)>| Station {
            id: id.to_owned(),
            name: None,
            at: at.map(|(lat, lon)| LatLon::new(lat, lon).unwrap()),
            elevation_m: None,
            time_zone: None,
            county: None,
            forecast_zone: None,
        };
        let list = vec![
            station("FAR", Some((37.65, -97.43))),
            station("NOWHERE", None),
            station("NEAR", Some((37.74, -98.10))),
        ];
        let (sighted, unplaced) = around(place, list);
        assert_eq!(unplaced, 1);
        let told: Vec<_> = sighted.iter().map(|s| (s.station.id.as_str(), s.distance_km, s.bearing)).collect();
        // By the haversine formula, reckoned elsewhere: 9.67 and 69.38 km.
        assert_eq!(told, [("NEAR", 9.7, "E"), ("FAR", 69.4, "E")]);
    }
}
