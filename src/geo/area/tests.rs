use super::*;
use proptest::prelude::*;

fn at(lat: f64, lon: f64) -> LatLon {
    LatLon::new(lat, lon).unwrap()
}

fn polygon(corners: &[[f64; 2]]) -> Area {
    Area::from(vec![vec![corners.to_vec()]])
}

fn square() -> Area {
    polygon(&[[-98.0, 35.0], [-97.0, 35.0], [-97.0, 36.0], [-98.0, 36.0], [-98.0, 35.0]])
}

#[test]
fn the_edge_and_the_corners_count_as_inside() {
    let area = square();
    for place in [at(35.0, -97.5), at(35.5, -97.0), at(36.0, -98.0), at(35.0, -98.0), at(35.7, -98.0)] {
        assert!(area.contains(place), "{place:?}");
        assert_eq!(area.nearest(place), Some(Nearest { distance_km: 0.0, bearing_deg: None }));
    }
    // A side that is not parallel to an axis: a third of the way along it is not exactly representable.
    let slanted = polygon(&[[-93.6, 40.41], [-93.68, 39.92], [-94.36, 39.89], [-93.6, 40.41]]);
    let third = at(40.41 + (39.92 - 40.41) / 3.0, -93.6 + (-93.68 + 93.6) / 3.0);
    assert!(slanted.contains(third));
    assert!(!area.contains(at(34.9999, -97.5)));
}

#[test]
fn a_hole_is_outside_and_its_rim_is_the_nearest_point() {
    let area = Area::from(vec![vec![
        vec![[-98.0, 35.0], [-97.0, 35.0], [-97.0, 36.0], [-98.0, 36.0], [-98.0, 35.0]],
        vec![[-97.6, 35.4], [-97.4, 35.4], [-97.4, 35.6], [-97.6, 35.6], [-97.6, 35.4]],
    ]]);
    assert!(!area.contains(at(35.5, -97.5)));
    let nearest = area.nearest(at(35.5, -97.5)).unwrap();
    // 0.1 degree of longitude at 35.5 N: 111.195 km x 0.1 x cos 35.5 = 9.05 km.
    assert!((nearest.distance_km - 9.05).abs() < 0.02, "{nearest:?}");
}

#[test]
fn s12_14_the_nearest_point_is_nearest_in_kilometres_not_in_degrees() {
    // A slanted side at 40 N: the foot of the perpendicular in degrees is a different point of the side.
    let area = polygon(&[[-93.0, 40.0], [-92.0, 41.0], [-92.0, 40.0], [-93.0, 40.0]]);
    let place = at(41.0, -93.0);
    let along = |share: f64| at(40.0 + share, -93.0 + share);
    let truth = (0..=100_000).map(|i| place.distance_km(along(f64::from(i) / 100_000.0))).fold(f64::INFINITY, f64::min);
    let got = area.nearest(place).unwrap().distance_km;
    assert!((got - truth).abs() < 0.01, "{got} {truth}");
    let planar = place.distance_km(along(0.5));
    assert!(planar - truth > 0.3, "the planar foot is {planar}, the truth {truth}");
}

#[test]
fn n29_degenerate_rings_hold_nobody_and_never_panic() {
    let rings: [&[[f64; 2]]; 6] = [
        &[],
        &[[-95.81, 30.03]],
        &[[-95.81, 30.03], [-95.81, 30.03], [-95.81, 30.03], [-95.81, 30.03]],
        &[[-95.81, 30.03], [-95.81, 30.03], [-95.79, 30.02], [-95.79, 30.03]],
        &[[-95.81, 30.03], [-95.79, 30.03], [-95.81, 30.03]],
        &[[f64::NAN, 30.0], [-95.0, f64::INFINITY]],
    ];
    for ring in rings {
        let area = polygon(ring);
        for place in [at(40.0, -100.0), at(0.0, 0.0), at(-30.0, 84.0), at(90.0, 0.0)] {
            assert!(!area.contains(place), "{ring:?}");
            assert!(area.nearest(place).is_none_or(|n| n.distance_km > 1.0), "{ring:?}");
        }
    }
    assert!(!polygon(rings[2]).has_extent() && !polygon(rings[4]).has_extent());
    assert!(polygon(rings[3]).has_extent(), "a small triangle with a repeated vertex is repaired");
    assert!(polygon(rings[3]).contains(at(30.029, -95.792)));
}

#[test]
fn g08_a_polygon_across_the_antimeridian_holds_both_sides_and_not_the_rest() {
    let area = polygon(&[[179.0, -1.0], [-179.0, -1.0], [-179.0, 1.0], [179.0, 1.0], [179.0, -1.0]]);
    assert!(area.contains(at(0.0, 179.5)) && area.contains(at(0.0, -179.5)) && area.contains(at(0.5, 180.0)));
    assert!(!area.contains(at(0.0, 0.0)) && !area.contains(at(0.0, 178.5)) && !area.contains(at(0.0, -178.5)));
    let nearest = area.nearest(at(0.0, -178.0)).unwrap();
    assert!((nearest.distance_km - 111.195).abs() < 0.1, "{nearest:?}");
    assert!((nearest.bearing_deg.unwrap() - 270.0).abs() < 1.0);
}

#[test]
fn width_is_measured_across_the_track() {
    let area = square();
    assert!((area.width_across_km(90.0) - 111.2).abs() < 0.2, "north to south");
    let east_west = area.width_across_km(0.0);
    assert!((90.0..92.0).contains(&east_west), "east to west at 35 to 36 N: {east_west}");
    assert_eq!(Area::from(Vec::new()).width_across_km(10.0), 0.0);
}

#[test]
fn an_area_survives_serialisation() {
    let area = square();
    let bytes = postcard::to_stdvec(&area).unwrap();
    assert_eq!(postcard::from_bytes::<Area>(&bytes).unwrap(), area);
}

proptest! {
    /// Any ring, any place: no panic; the distance agrees with a dense walk along the sides.
    #[test]
    fn distance_agrees_with_a_walk_along_the_sides(
        corners in prop::collection::vec((-100.0..-94.0, 33.0..39.0), 1..8),
        lat in 30.0..42.0, lon in -104.0..-90.0,
    ) {
        let ring: Vec<[f64; 2]> = corners.iter().map(|&(x, y)| [x, y]).collect();
        let (area, place) = (polygon(&ring), at(lat, lon));
        let got = area.nearest(place).unwrap();
        if area.contains(place) {
            prop_assert_eq!(got.distance_km, 0.0);
        } else {
            let mut closed = ring.clone();
            closed.push(ring[0]);
            let walk = closed.windows(2).flat_map(|w| (0..=2000).map(move |i| {
                let s = f64::from(i) / 2000.0;
                at(w[0][1] + s * (w[1][1] - w[0][1]), w[0][0] + s * (w[1][0] - w[0][0]))
            })).map(|p| place.distance_km(p)).fold(f64::INFINITY, f64::min);
            // The walk has steps of up to 400 m.
            prop_assert!((got.distance_km - walk).abs() < 0.3, "{} {}", got.distance_km, walk);
        }
    }
}
