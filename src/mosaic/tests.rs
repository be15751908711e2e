use super::*;

/// A 0.01-degree grid of 100 x 70 cells whose north-west cell is centred on 41 N 93 W.
fn grid() -> Grid {
    Grid {
        ni: 100,
        nj: 70,
        lat_north_ndeg: 41_000_000_000,
        lon_west_ndeg: -93_000_000_000,
        d_lat_ndeg: 10_000_000,
        d_lon_ndeg: 10_000_000,
    }
}

fn mosaic(product: Product, value: impl Fn(u32, u32) -> f64) -> Mosaic {
    Mosaic::from_values(product, Timestamp::UNIX_EPOCH, "made/up", grid(), value).unwrap()
}

fn place(row: f64, column: f64) -> LatLon {
    LatLon::new(41.0 - row * 0.01, -93.0 + column * 0.01).unwrap()
}

#[test]
fn the_largest_value_wins_and_on_ties_the_first_in_scan_order() {
    let hail = |row, column| match (row, column) {
        (20, 60) | (20, 40) | (40, 10) => 30.0,
        (21, 50) => 12.5,
        _ => -1.0,
    };
    let mesh = mosaic(Product::MeshMax60min, hail);
    let found = mesh.max_within(place(21.0, 50.0), 40.0).unwrap();
    assert_eq!((found.value, found.at), (30.0, LatLon::new(40.8, -92.6).unwrap()));
    assert_eq!(mesh.count_within(place(21.0, 50.0), 40.0), 4);
    // Within 5 km only the weak cell is left.
    assert_eq!(mesh.max_within(place(21.0, 50.0), 5.0).map(|cell| cell.value), Some(12.5));
    assert_eq!(mesh.max_within(place(60.0, 90.0), 5.0), None);
}

#[test]
fn the_nearest_cell_that_qualifies_is_not_the_largest() {
    let mesh = mosaic(Product::MeshMax60min, |row, column| match (row, column) {
        (35, 50) => 25.4,
        (36, 50) => 25.3,
        (10, 50) => 60.0,
        _ => -1.0,
    });
    let near = mesh.nearest_at_least(place(37.0, 50.0), 25.4, 40.0).unwrap();
    assert_eq!((near.value, near.at), (25.4, LatLon::new(40.65, -92.5).unwrap()));
    assert!((near.bearing_deg - 0.0).abs() < 1e-9 && (near.distance_km - 2.2239).abs() < 1e-3);
    assert_eq!(mesh.nearest_at_least(place(37.0, 50.0), 61.0, 40.0), None);
}

#[test]
fn m07_unknown_looked_and_quiet_are_told_apart() {
    // The western third is not covered, the middle was looked at and is empty, the east holds a plain zero.
    let kinds = |_, column| match column {
        0..=32 => -3.0,
        33..=66 => -1.0,
        _ => 0.0,
    };
    let mesh = mosaic(Product::MeshMax60min, kinds);
    let at = |column| (mesh.coverage(place(35.0, column), 5.0), mesh.max_within(place(35.0, column), 5.0));
    assert_eq!(at(10.0), (Coverage::Uncovered, None));
    assert_eq!(at(33.0), (Coverage::Partial, None));
    assert_eq!(at(50.0), (Coverage::Covered, None));
    assert_eq!(at(90.0), (Coverage::Covered, None));
    let counts = mesh.cells.counts();
    assert_eq!((counts.no_coverage, counts.missing, counts.no_echo, counts.signal), (33 * 70, 34 * 70, 33 * 70, 0));
    // Rotation writes 0 for "nothing" and for "not looked": it must not vouch for coverage.
    let rotation = mosaic(Product::RotationTrackMl60min, |_, _| 0.0);
    assert_eq!(rotation.coverage(place(35.0, 50.0), 5.0), Coverage::Unstated);
}

#[test]
fn a_circle_that_leaves_the_grid_is_not_covered_there() {
    let mesh = mosaic(Product::MeshMax60min, |_, _| -1.0);
    assert_eq!(mesh.coverage(place(35.0, 50.0), 20.0), Coverage::Covered);
    assert_eq!(mesh.coverage(place(35.0, 5.0), 20.0), Coverage::Partial);
    assert_eq!(mesh.coverage(place(0.0, 50.0), 20.0), Coverage::Partial);
    assert_eq!(mesh.coverage(LatLon::new(30.0, -93.0).unwrap(), 20.0), Coverage::Uncovered);
    // Smaller than a cell: judged by the cell it is in.
    assert_eq!(mesh.coverage(place(35.4, 50.4), 0.1), Coverage::Covered);
    assert_eq!(mesh.max_within(place(35.0, 50.0), f64::NAN), None);
}

#[test]
fn reflectivity_below_zero_is_a_signal_and_minus_99_is_not() {
    let echo = mosaic(Product::CompositeReflectivity, |row, column| match (row, column) {
        (30, 30) => -15.5,
        (30, 31) => -31.0,
        (_, 0..=9) => -999.0,
        _ => -99.0,
    });
    assert_eq!(echo.max_within(place(31.0, 31.0), 5.0).map(|cell| cell.value), Some(-15.5));
    assert_eq!(echo.count_within(place(31.0, 31.0), 5.0), 1);
    assert_eq!(echo.coverage(place(31.0, 31.0), 5.0), Coverage::Covered);
    assert_eq!(echo.coverage(place(31.0, 12.0), 5.0), Coverage::Partial);
}

#[test]
fn a_report_carries_a_mosaic_through_the_binary_form() {
    let mesh = mosaic(Product::MeshMax60min, |row, column| if row == column { f64::from(row) } else { -1.0 });
    let bytes = postcard::to_allocvec(&mesh).unwrap();
    assert!(bytes.len() < 1000, "{}", bytes.len());
    assert_eq!(postcard::from_bytes::<Mosaic>(&bytes).unwrap(), mesh);
}

#[test]
fn one_inch_packed_in_tenths_meets_the_threshold_of_one_inch() {
    let scale = Scale { reference: -30.0, binary: 0, decimal: 1 };
    assert_eq!(scale.value(284), 25.4);
    assert_eq!(scale.code_at_least(25.4), Some(284));
    assert_eq!(scale.code_at_least(-5.0), Some(0));
    let narrow = Scale { reference: 0.0, binary: 0, decimal: 40 };
    assert_eq!(narrow.code_at_least(1.0), None);
}
