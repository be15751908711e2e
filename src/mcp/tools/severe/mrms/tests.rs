use super::*;
use crate::mosaic::Grid;
use std::sync::Arc;

fn now() -> Timestamp {
    "2026-06-10T21:32:00Z".parse().unwrap()
}

/// The centre of a cell, so that distances are known.
fn place() -> LatLon {
    LatLon::new(40.5, -92.9).unwrap()
}

/// 201 by 201 cells of 0.01 degrees around the place; `value` of (rows south, columns east) of it.
fn mosaic(product: Product, valid: &str, value: impl Fn(i64, i64) -> f64) -> Arc<Mosaic> {
    let grid = Grid {
        ni: 201,
        nj: 201,
        lat_north_ndeg: 41_500_000_000,
        lon_west_ndeg: -93_900_000_000,
        d_lat_ndeg: 10_000_000,
        d_lon_ndeg: 10_000_000,
    };
    let key = format!("{}-{valid}", product.id());
    let value = |row: u32, column: u32| value(i64::from(row) - 100, i64::from(column) - 100);
    Arc::new(Mosaic::from_values(product, valid.parse().unwrap(), &key, grid, value).unwrap())
}

/// One cell of `peak` 11.1 km north, `quiet` elsewhere.
fn planted(product: Product, valid: &str, peak: f64, quiet: f64) -> Arc<Mosaic> {
    mosaic(product, valid, |south, east| if (south, east) == (-10, 0) { peak } else { quiet })
}

fn picture(mosaics: impl IntoIterator<Item = Arc<Mosaic>>) -> Picture {
    let mut picture = Picture::default();
    picture.mosaics.extend(mosaics.into_iter().map(|mosaic| (mosaic.product, mosaic)));
    picture
}

const AT: &str = "2026-06-10T21:30:40Z";

fn stormy() -> Picture {
    picture([
        planted(Product::MeshMax60min, AT, 38.1, -1.0),
        planted(Product::RotationTrackMl60min, AT, 12.3, 0.0),
        planted(Product::RotationTrackLl60min, AT, 6.1, 0.0),
        planted(Product::Vil, AT, 41.0, -1.0),
        planted(Product::CompositeReflectivity, AT, 57.5, -99.0),
    ])
}

#[test]
fn every_product_tells_its_maximum_in_its_units_and_where() {
    let envelope = mrms_severe(&stormy(), place(), 40.0, now());
    let data = &envelope.data;
    let hail = data.hail_mesh.as_ref().unwrap();
    assert_eq!((hail.max_mesh_mm, hail.max_mesh_in), (Some(38.1), Some(1.5)));
    let location = hail.scan.max_location.as_ref().unwrap();
    assert_eq!((location.distance_km, location.bearing_deg, location.direction.as_str()), (11.1, 0, "N"));
    assert_eq!((hail.scan.valid_utc.as_str(), hail.scan.age_s), ("2026-06-10T21:30Z", 80));
    assert_eq!((hail.scan.window.as_str(), hail.scan.cells_in_radius), ("last 60 minutes", 1));
    assert_eq!(hail.scan.covered, Some(true));
    let (mid, low) = (data.rotation_midlevel.as_ref().unwrap(), data.rotation_lowlevel.as_ref().unwrap());
    assert_eq!((mid.max_azimuthal_shear_s1, mid.layer.as_str()), (Some(0.0123), "3-6 km AGL"));
    assert_eq!((low.max_azimuthal_shear_s1, low.layer.as_str()), (Some(0.0061), "0-2 km AGL"));
    assert_eq!(low.scan.covered, Some(true), "coverage of rotation comes from hail and reflectivity");
    assert_eq!(data.vil.as_ref().unwrap().max_vil_kg_m2, Some(41.0));
    let reflectivity = data.composite_reflectivity.as_ref().unwrap();
    assert_eq!((reflectivity.max_dbz, reflectivity.scan.window.as_str()), (Some(57.5), "latest scan"));
    assert!(envelope.degraded.is_empty(), "{:?}", envelope.degraded);
    let said = &envelope.interpretation;
    for part in ["Strong storms: up to 57.5 dBZ 11.1 km N", "Severe hail", "1.5 in", "Intense mid-level", "41 kg/m2"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn an_old_mosaic_is_degraded_and_never_the_last_hour() {
    let mut old = stormy();
    // Twelve minutes to the second before now: no longer usable.
    let stale = planted(Product::MeshMax60min, "2026-06-10T21:20:00Z", 50.0, -1.0);
    old.mosaics.insert(Product::MeshMax60min, stale);
    let envelope = mrms_severe(&old, place(), 40.0, now());
    assert!(envelope.data.hail_mesh.is_none() && envelope.data.vil.is_some());
    assert_eq!(envelope.degraded, ["mrms-mesh_max_60min"]);
    assert!(envelope.interpretation.starts_with("Not known at present: hail size."), "{}", envelope.interpretation);
    let value = serde_json::to_value(&envelope.data).unwrap();
    assert!(value.get("hail_mesh").is_none(), "a product that failed has no block");
}

#[test]
fn without_any_mosaic_radar_is_unknown_not_quiet() {
    let envelope = mrms_severe(&Picture::default(), place(), 40.0, now());
    assert_eq!(envelope.degraded.len(), 5);
    let said = &envelope.interpretation;
    assert!(said.contains("Radar is unknown") && said.contains("does not mean quiet"), "{said}");
    assert!(!said.contains("Quiet:"), "{said}");
}

#[test]
fn a_true_zero_is_null_and_quiet() {
    let quiet = picture([planted(Product::CompositeReflectivity, AT, -99.0, -99.0)]);
    let envelope = mrms_severe(&quiet, place(), 40.0, now());
    let block = envelope.data.composite_reflectivity.as_ref().unwrap();
    assert_eq!((block.max_dbz, &block.scan.max_location, block.scan.cells_in_radius), (None, &None, 0));
    assert_eq!(block.scan.covered, Some(true));
    assert!(envelope.interpretation.contains("Quiet: no echo"), "{}", envelope.interpretation);
}

#[test]
fn no_coverage_is_blind_not_quiet() {
    let blind = picture([planted(Product::CompositeReflectivity, AT, -999.0, -999.0)]);
    let envelope = mrms_severe(&blind, place(), 40.0, now());
    let block = envelope.data.composite_reflectivity.as_ref().unwrap();
    assert_eq!((block.max_dbz, block.scan.covered), (None, Some(false)));
    assert!(envelope.degraded.contains(&"mrms-composite_reflectivity".to_owned()));
    assert!(envelope.interpretation.contains("blind, not quiet"), "{}", envelope.interpretation);
    let half = picture([mosaic(Product::CompositeReflectivity, AT, |south, _| if south > 0 { -999.0 } else { -99.0 })]);
    let envelope = mrms_severe(&half, place(), 40.0, now());
    assert!(envelope.interpretation.contains("only a part of this circle"), "{}", envelope.interpretation);
    assert!(!envelope.interpretation.contains("Quiet"), "{}", envelope.interpretation);
}

#[test]
fn a_radius_out_of_range_is_clamped_and_shown() {
    let radius = |asked| mrms_severe(&Picture::default(), place(), asked, now()).data.radius_km;
    assert_eq!([radius(0.0), radius(60.0), radius(1e9)], [5.0, 60.0, 200.0]);
}
