use super::*;
use geo::{Area, GeodesicArea};

fn at(lat: f64, lon: f64) -> LatLon {
    LatLon::new(lat, lon).unwrap()
}

#[test]
fn there_are_49_closed_outlines_inside_the_box() {
    assert_eq!(outlines().len(), 49);
    assert!(outlines().is_sorted_by(|a, b| a.code < b.code));
    for outline in outlines() {
        for ring in outline.rings_lonlat() {
            assert!(ring.len() > 3 && ring.first() == ring.last(), "{}", outline.code);
            for [lon, lat] in ring {
                assert!(LatLon::in_conus(lat, lon).is_ok(), "{} {lat} {lon}", outline.code);
            }
        }
    }
}

/// Land areas in km2 as the Census Bureau publishes them (2010 census, "State Area Measurements"); the outlines also hold lakes and
/// bays within them, but no open water of the Great Lakes.
#[test]
fn areas_are_those_of_the_states() {
    let land_and_inland_water = [
        ("CO", 268_431.0, 1_170.0),
        ("IA", 144_669.0, 1_077.0),
        ("KS", 211_754.0, 1_346.0),
        ("OK", 177_660.0, 3_374.0),
        ("TX", 676_587.0, 14_530.0),
        ("WY", 251_470.0, 1_864.0),
        ("RI", 2_678.0, 485.0),
        ("DC", 158.0, 19.0),
    ];
    for (code, land, water) in land_and_inland_water {
        let outline = outlines().iter().find(|outline| outline.code == code).unwrap();
        let km2 = outline.shape.geodesic_area_signed().abs() / 1e6;
        assert!((land * 0.98..(land + water) * 1.02).contains(&km2), "{code}: {km2:.0}");
    }
}

#[test]
fn places_are_in_their_states() {
    let known = [
        ("Norman", 35.2226, -97.4395, "OK"),
        ("Texarkana, west of State Line Avenue", 33.425, -94.077, "TX"),
        ("Texarkana, east of State Line Avenue", 33.4418, -94.0077, "AR"),
        ("Kansas City, west of the state line", 39.1142, -94.6275, "KS"),
        ("Kansas City, east of the state line", 39.0997, -94.5786, "MO"),
        ("Kentucky Bend, land cut off from the rest", 36.55, -89.51, "KY"),
        ("Northwest Angle", 49.35, -95.05, "MN"),
        ("Upper Peninsula", 46.5436, -87.3954, "MI"),
        ("Long Island", 40.8, -73.0, "NY"),
        ("Eastern Shore of Virginia", 37.55, -75.82, "VA"),
        ("the Mall", 38.8895, -77.0353, "DC"),
        ("Key West", 24.5551, -81.78, "FL"),
    ];
    for (name, lat, lon, code) in known {
        assert_eq!(state_of(at(lat, lon)), Some(code), "{name}");
    }
    // Just off Galveston's beach; far out in the Gulf; Windsor and Ciudad Juarez lie abroad, farther than a shore is blurred.
    assert_eq!(state_of(at(29.255, -94.83)), Some("TX"));
    for (lat, lon) in [(27.0, -90.0), (42.23, -83.05), (31.63, -106.45), (51.5, -0.1)] {
        assert_eq!(state_of(at(lat, lon)), None, "{lat} {lon}");
    }
}

/// Neighbours share their border: no place between two of them is in none or in both.
#[test]
fn states_neither_overlap_nor_leave_gaps() {
    let inland = [(39.0, -102.05), (37.0, -100.0), (41.0, -95.9), (36.5, -90.0), (43.0, -104.0), (35.0, -85.5)];
    for (lat, lon) in inland {
        for n in -200..200 {
            let place = at(lat + f64::from(n) * 0.001, lon + f64::from(n % 7) * 0.002);
            let holding = outlines().iter().filter(|outline| outline.contains(place)).count();
            assert_eq!(holding, 1, "{place:?}");
        }
    }
}

#[test]
fn a_small_map_needs_few_corners_and_neighbours_still_fit() {
    let count = |states: &[DrawnState]| states.iter().flat_map(|s| &s.rings_lonlat).map(Vec::len).sum::<usize>();
    let (large, small) = (outlines_within(Bounds::of_conus(), 5_000), outlines_within(Bounds::of_conus(), 400));
    assert_eq!((large.len(), small.len()), (49, 49));
    assert!(count(&small) * 3 < count(&large), "{} {}", count(&small), count(&large));
    // The whole is as large as its parts: simplified states overlap nowhere and leave no gap between them.
    let area = |states: &[DrawnState]| {
        let polygon = |ring: &Vec<[f64; 2]>| Polygon::new(ring.iter().map(|c| (c[0], c[1])).collect(), Vec::new());
        states.iter().flat_map(|s| s.rings_lonlat.iter().map(polygon)).map(|p| p.unsigned_area()).sum::<f64>()
    };
    assert!((area(&small) / area(&large) - 1.0).abs() < 0.01);
    let corner_of = |states: &[DrawnState], code: &str| {
        states.iter().find(|s| s.code == code).unwrap().rings_lonlat.concat().into_iter().collect::<Vec<_>>()
    };
    let (kansas, colorado) = (corner_of(&small, "KS"), corner_of(&small, "CO"));
    assert!(kansas.iter().filter(|corner| colorado.contains(corner)).count() >= 2);
}

#[test]
fn a_box_gets_what_it_touches_and_each_border_once() {
    let codes = |lat, lon, km| -> Vec<&str> {
        outlines_within(Bounds::around(at(lat, lon), km), 800).iter().map(|state| state.code).collect()
    };
    assert_eq!(codes(39.05, -105.5, 20.0), ["CO"]);
    // Where four states meet.
    assert_eq!(codes(36.999, -109.045, 20.0), ["AZ", "CO", "NM", "UT"]);
    let borders = borders_within(Bounds::around(at(36.999, -109.045), 20.0), 800);
    assert!(borders.len() >= 4 && borders.iter().all(|border| border.is_between_states));
    let all = borders_within(Bounds::of_conus(), 2_000);
    assert!(
        all.iter().any(|border| !border.is_between_states) && all.iter().all(|border| border.line_lonlat.len() > 1)
    );
    let mut lines: Vec<_> = all.iter().map(|border| format!("{:?}", border.line_lonlat)).collect();
    let count = lines.len();
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), count);
}

#[test]
fn a_damaged_file_is_no_atlas() {
    for cut in [0, 3, 4, 40, BYTES.len() / 2, BYTES.len() - 1] {
        assert!(atlas(Packed(&BYTES[..cut])).is_none(), "{cut}");
    }
    for at in (4..BYTES.len()).step_by(97) {
        let mut bytes = BYTES.to_vec();
        bytes[at] ^= 0xff;
        let _ = atlas(Packed(&bytes));
    }
}
