//! How products meet places.

use super::*;

fn sights(warnings: &[&Warning], zones: Option<&[&str]>, radius_km: f64) -> Vec<WarningSight> {
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:01", warnings);
    let zones = zones.map(|zones| zones.iter().map(|zone| (*zone).to_owned()).collect::<Vec<_>>());
    incidents.around(place(), zones.as_deref(), radius_km, utc("12:01"))
}

#[test]
fn n40_one_hit_by_the_best_match_kind() {
    let zones = ["MOC171", "MOZ008", "MOZ108"];
    let a = Warning { area: Some(square(40.5, -93.0)), ..event("A", "12:00", "NEW", 1, &zones) };
    let seen = sights(&[&a], Some(&zones), 100.0);
    assert_eq!(seen.len(), 1);
    assert_eq!((seen[0].matched, seen[0].distance_km, seen[0].bearing_deg), (Match::Polygon, Some(0.0), None));
    // With a polygon the zones do not count.
    let elsewhere = Warning { area: Some(square(40.5, -92.0)), ..a };
    let seen = sights(&[&elsewhere], Some(&zones), 100.0);
    assert_eq!(seen[0].matched, Match::Outside);
    assert_eq!(sights(&[&elsewhere], Some(&zones), 40.0), []);
}

#[test]
fn n25_n26_products_without_a_polygon_match_by_any_kind_of_zone() {
    let watch = |ugc: &str| event("A", "12:00", "NEW", 1, &[ugc]);
    let zones = ["COC069", "COZ038", "COZ238"];
    for code in zones {
        let seen = sights(&[&watch(code)], Some(&zones), 0.0);
        assert_eq!(
            seen.iter().map(|s| (s.matched, s.distance_km)).collect::<Vec<_>>(),
            [(Match::Zone, None)],
            "{code}"
        );
    }
    assert_eq!(sights(&[&watch("COZ239")], Some(&zones), 500.0), []);
    assert_eq!(sights(&[&watch("COZ238")], None, 500.0), [], "zones not known yet: a blind spot, not a match");
}

#[test]
fn n49_a_state_wide_code_meets_every_zone_of_the_state() {
    let a = event("A", "12:00", "NEW", 1, &["MAC000"]);
    assert_eq!(sights(&[&a], Some(&["MAC005", "MAZ017"]), 0.0).len(), 1);
    assert_eq!(sights(&[&a], Some(&["MEC005"]), 0.0), []);
}

#[test]
fn inside_first_then_zones_then_by_distance() {
    let polygon =
        |id: &str, etn, lat, lon| Warning { area: Some(square(lat, lon)), ..event(id, "12:00", "NEW", etn, &[]) };
    let far = polygon("far", 1, 41.3, -93.0);
    let near = polygon("near", 2, 40.7, -93.0);
    let inside = polygon("inside", 3, 40.55, -93.05);
    let zone = event("zone", "12:00", "NEW", 4, &["MOC171"]);
    let seen = sights(&[&far, &zone, &near, &inside], Some(&["MOC171"]), 150.0);
    assert_eq!(seen.iter().map(|s| s.warning.id.as_str()).collect::<Vec<_>>(), ["inside", "zone", "near", "far"]);
    // 0.1 degree of latitude to the edge.
    assert!((seen[2].distance_km.unwrap() - 11.12).abs() < 0.05, "{:?}", seen[2].distance_km);
    assert!(seen[2].bearing_deg.unwrap().min(360.0 - seen[2].bearing_deg.unwrap()) < 0.1);
    assert_eq!(seen[0].until_utc, Some(utc("2026-06-11T12:00:00Z")));
}

#[test]
fn an_incident_of_several_polygons_is_seen_by_the_one_that_holds_the_place() {
    let here = Warning { area: Some(square(40.5, -93.0)), ..event("here", "12:00", "EXA", 1, &["MOC171"]) };
    let there = Warning { area: Some(square(40.8, -93.0)), ..event("there", "12:00", "CON", 1, &["MOC173"]) };
    let seen = sights(&[&there, &here], None, 100.0);
    assert_eq!(seen.iter().map(|s| s.warning.id.as_str()).collect::<Vec<_>>(), ["here"]);
}

#[test]
fn a_circle_finds_what_a_plain_search_finds() {
    // Boxes around circles, checked against measuring every polygon.
    let mut warnings = Vec::new();
    for (n, (lat, lon)) in (0..300).map(|n| (n, (25.0 + f64::from(n % 20) * 1.2, -124.0 + f64::from(n / 20) * 3.8))) {
        warnings
            .push(Warning { area: Some(square(lat, lon)), ..event(&format!("{n}"), "12:00", "NEW", n as u16, &[]) });
    }
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:01", &warnings.iter().collect::<Vec<_>>());
    for (lat, lon, radius_km) in
        [(40.5, -93.0, 100.0), (48.9, -67.0, 250.0), (25.0, -80.0, 40.0), (35.0, -110.0, 1000.0)]
    {
        let place = LatLon::new(lat, lon).unwrap();
        let got = incidents.around(place, None, radius_km, utc("12:01"));
        let near = |w: &&Warning| w.area.as_ref().unwrap().nearest(place).unwrap().distance_km <= radius_km;
        assert_eq!(got.len(), warnings.iter().filter(near).count(), "{lat} {lon} {radius_km}");
    }
}
