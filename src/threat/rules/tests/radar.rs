//! Rules over the radar mosaics: each threshold, and the step beyond 16 km.

use super::*;

/// The level for one radar value at one distance.
fn radar_level(product: Product, value: f64, km: f64, mode: Mode) -> Level {
    level(&judge(&quiet().with_radar(product, &[(value, km)]), now(), mode))
}

#[test]
fn radar_thresholds_and_their_step_beyond_16_km() {
    use Level::{Elevated, Marginal, None, Significant};
    let ml = Product::RotationTrackMl60min;
    let ll = Product::RotationTrackLl60min;
    for (product, value, km, expected) in [
        (Product::MeshMax60min, 50.8, 16.0, Significant),
        (Product::MeshMax60min, 50.8, 16.1, Elevated),
        (Product::MeshMax60min, 50.7, 16.0, Elevated),
        (Product::MeshMax60min, 25.4, 16.0, Elevated),
        (Product::MeshMax60min, 25.4, 39.0, Marginal),
        (Product::MeshMax60min, 25.3, 1.0, None),
        (ml, 12.0, 10.0, Significant),
        (ml, 11.9, 10.0, Elevated),
        (ml, 8.0, 30.0, Marginal),
        (ml, 7.9, 1.0, None),
        (ll, 10.0, 10.0, Significant),
        (ll, 6.0, 10.0, Elevated),
        (ll, 5.9, 10.0, None),
        (Product::CompositeReflectivity, 60.0, 39.0, Elevated),
        (Product::CompositeReflectivity, 59.9, 1.0, None),
        (Product::Vil, 70.0, 1.0, None),
    ] {
        assert_eq!(radar_level(product, value, km, Mode::Raise), expected, "{product:?} {value} at {km} km");
    }
}

#[test]
fn clear_thresholds_are_ten_percent_easier() {
    let mesh = |value, mode| radar_level(Product::MeshMax60min, value, 1.0, mode);
    assert_eq!([mesh(22.9, Mode::Raise), mesh(22.9, Mode::Clear)], [Level::None, Level::Elevated]);
    assert_eq!(mesh(22.8, Mode::Clear), Level::None);
}

/// What each threshold keeps and lets go, on both sides.
#[test]
fn every_radar_threshold_is_let_go_ten_percent_below() {
    for threshold in THRESHOLDS.iter().filter(|threshold| threshold.level > Level::None) {
        let rules = |value: f64, mode| -> Vec<String> {
            let evidence = quiet().with_radar(threshold.product, &[(value, 1.0)]);
            judge(&evidence, now(), mode).into_iter().map(|found| found.reason.rule).collect()
        };
        let spoken = |value, mode| rules(value, mode).iter().any(|rule| rule == threshold.rule);
        let (raise, clear) = (threshold.raise, threshold.clear());
        let told = format!("{} of {:?}", threshold.rule, threshold.product);
        assert!(spoken(raise, Mode::Raise) && !spoken(raise - 0.01, Mode::Raise), "{told}");
        assert!(spoken(clear, Mode::Clear) && !spoken(clear - 0.01, Mode::Clear), "{told}");
    }
}

/// 24.9 / 25.5 / 24.8 mm: between the two thresholds a level neither rises nor falls.
#[test]
fn hail_about_one_inch_does_not_flap() {
    let mesh = |mm: f64| quiet().with_radar(Product::MeshMax60min, &[(mm, 5.0)]);
    let both = [24.9, 25.5, 24.8, 22.9, 22.8].map(|mm| (raised(&mesh(mm)), kept(&mesh(mm))));
    assert_eq!(
        both,
        [
            (Level::None, Level::Elevated),
            (Level::Elevated, Level::Elevated),
            (Level::None, Level::Elevated),
            (Level::None, Level::Elevated),
            (Level::None, Level::None),
        ]
    );
}

/// levels.md, corrections 7 and 9: a weaker cell nearby counts as such, whatever peaks farther away.
#[test]
fn a_near_cell_and_a_stronger_one_far_off_are_both_looked_at() {
    let mesh = |cells: &[(f64, f64)]| judge(&quiet().with_radar(Product::MeshMax60min, cells), now(), Mode::Raise);
    let found = mesh(&[(60.0, 30.0), (26.0, 10.0)]);
    assert_eq!((found.len(), level(&found)), (1, Level::Elevated));
    assert_eq!(found[0].reason.distance_km, Some(30.0));
    let found = mesh(&[(60.0, 12.0), (26.0, 3.0)]);
    assert_eq!((level(&found), found[0].reason.distance_km), (Level::Significant, Some(12.0)));
}

/// The circle of 40 km has an eased side as well, 44.4 km: a cell about its rim does not flap.
#[test]
fn the_rim_of_the_circle_is_eased_for_what_keeps_a_level() {
    use Level::{Elevated, Marginal, None};
    for (product, value, level) in [
        (Product::MeshMax60min, 26.0, Marginal),
        (Product::RotationTrackMl60min, 13.0, Elevated),
        (Product::RotationTrackLl60min, 7.0, Marginal),
        (Product::CompositeReflectivity, 61.0, Elevated),
    ] {
        let at = |km| [Mode::Raise, Mode::Clear].map(|mode| radar_level(product, value, km, mode));
        assert_eq!(at(40.0), [level, level], "{product:?}");
        assert_eq!(at(40.1), [None, level], "{product:?}");
        assert_eq!(at(44.5), [None, None], "{product:?}");
    }
}

/// The same from a mosaic: what lies beyond the circle is looked at, raises nothing and keeps what it raised.
#[test]
fn a_mosaic_is_looked_at_as_far_as_a_level_may_be_kept() {
    use crate::geo::LatLon;
    use crate::mosaic::{Grid, Mosaic};
    use crate::threat::evidence::signal;
    use crate::threat::rules::RADAR_SEEN_KM;
    let (lat_north_ndeg, lon_west_ndeg) = (41_000_000_000, -93_000_000_000);
    let grid = Grid { ni: 200, nj: 100, lat_north_ndeg, lon_west_ndeg, d_lat_ndeg: 10_000_000, d_lon_ndeg: 10_000_000 };
    let hail = |row, column| if (row, column) == (50, 50) { 60.0 } else { -1.0 };
    let mosaic = Mosaic::from_values(Product::MeshMax60min, now(), "k", grid, hail).unwrap();
    let cell = LatLon::new(40.5, -92.5).unwrap();
    let seen_from = |km: f64| signal(&mosaic, cell.travel(90.0, km));
    let inside = seen_from(39.0).unwrap();
    assert_eq!(inside.peak.map(|peak| peak.value), Some(60.0));
    let rim = seen_from(42.0).unwrap();
    assert_eq!(rim.peak, None);
    assert!(rim.nearest.iter().all(|(_, cell)| cell.is_some_and(|cell| (41.0..43.0).contains(&cell.distance_km))));
    assert_eq!(rim.nearest.len(), 4, "both thresholds, raise and clear");
    assert_eq!(seen_from(RADAR_SEEN_KM + 1.5), None);
}
