//! Whole columns, above all those that went wrong for others (cases/field-reports.md, rows T).

use super::*;
use crate::sounding::parcel::lift;
use crate::sounding::{Column, Level, Wind};

/// A column from (hPa, °C, °C) rows; heights by the hypsometric equation, winds turning with height.
fn column(surface_m: f64, rows: &[(f64, f64, f64)]) -> Column {
    let mut height_msl_m = surface_m;
    let mut levels: Vec<Level> = Vec::new();
    for &(pressure_hpa, temperature_c, dew_point_c) in rows {
        let virtual_k = thermo::virtual_temperature_c(pressure_hpa, temperature_c, dew_point_c) + thermo::ZERO_C_K;
        if let Some(below) = levels.last() {
            let below_c =
                thermo::virtual_temperature_c(below.pressure_hpa, below.temperature_c, below.dew_point_c.unwrap());
            let mean_k = 0.5 * (virtual_k + below_c + thermo::ZERO_C_K);
            height_msl_m += 287.05 / 9.80665 * mean_k * (below.pressure_hpa / pressure_hpa).ln();
        }
        let wind = Some(Wind::from_direction(
            150.0 + (height_msl_m - surface_m) / 60.0,
            5.0 + (height_msl_m - surface_m) / 300.0,
        ));
        levels.push(Level { pressure_hpa, height_msl_m, temperature_c, dew_point_c: Some(dew_point_c), wind });
    }
    Column::new(levels).unwrap().0
}

/// Hot and moist below, a warm lid at 850-800 hPa, steep above, a stable top: a capped plains column.
fn capped() -> Vec<(f64, f64, f64)> {
    vec![
        (965.0, 31.0, 20.0),
        (950.0, 28.5, 19.0),
        (925.0, 26.2, 18.5),
        (900.0, 24.0, 18.0),
        (875.0, 22.0, 17.0),
        (850.0, 23.0, 8.0),
        (800.0, 21.0, 2.0),
        (750.0, 16.5, -2.0),
        (700.0, 11.5, -5.0),
        (600.0, 1.0, -12.0),
        (500.0, -11.0, -25.0),
        (400.0, -25.0, -40.0),
        (300.0, -42.0, -55.0),
        (250.0, -51.0, -65.0),
        (200.0, -55.0, -75.0),
        (100.0, -58.0, -85.0),
    ]
}

/// The lid is in the surface parcel's CIN though a superadiabatic layer lies under it: the reference nets the two and reads 0.
#[test]
fn a_lid_over_a_hot_surface_is_never_netted_away() {
    let told = environment(&column(400.0, &capped()));
    assert!(told.sbcape_jkg.unwrap() > 1500.0, "{told:?}");
    let cin = told.sbcin_jkg.unwrap();
    assert!((-200.0..-20.0).contains(&cin), "{cin}");
    assert!(told.mlcin_jkg.unwrap() < cin, "the mixed layer is held down harder");
    assert!(told.sb_lcl_m_agl < told.sb_lfc_m_agl && told.sb_lfc_m_agl < told.sb_el_m_agl);
    // A hotter surface makes the superadiabatic layer stronger and must not turn the cap positive or deeper.
    let mut hotter = capped();
    hotter[0].1 += 2.0;
    let hotter = environment(&column(400.0, &hotter));
    assert!(hotter.sbcin_jkg.unwrap() <= 0.0 && hotter.sbcin_jkg.unwrap() > cin);
}

/// T01 and T05: no positive area, or hardly one: CAPE is 0, never negative, and there is no level of free convection to reach.
#[test]
fn t01_t05_stable_and_neutral_columns_have_no_cape() {
    let stable: Vec<(f64, f64, f64)> =
        (0..20).map(|i| (1000.0 - 45.0 * f64::from(i), 5.0 - 2.2 * f64::from(i), 0.0 - 3.5 * f64::from(i))).collect();
    let told = environment(&column(100.0, &stable));
    assert_eq!((told.sbcape_jkg, told.mlcape_jkg, told.mucape_jkg), (Some(0.0), Some(0.0), Some(0.0)));
    assert_eq!((told.sbcin_jkg, told.mucin_jkg, told.sb_lfc_m_agl), (None, None, None));
    assert_eq!(
        (told.scp, told.stp_effective, told.stp_fixed_layer, told.ship),
        (Some(0.0), Some(0.0), Some(0.0), Some(0.0))
    );
    // Saturated all along its own moist adiabat: the parcel is as warm as the air, to rounding.
    let adiabat_c = thermo::moist_adiabat_c(1000.0, 12.0);
    let neutral: Vec<(f64, f64, f64)> = (0..36)
        .map(|i| {
            let pressure_hpa = 1000.0 - 25.0 * f64::from(i);
            let celsius = thermo::moist_temperature_c(thermo::exner(pressure_hpa), adiabat_c, 0.0);
            (pressure_hpa, celsius, celsius)
        })
        .collect();
    let told = environment(&column(100.0, &neutral));
    assert_eq!((told.sbcape_jkg, told.mucape_jkg, told.sbcin_jkg), (Some(0.0), Some(0.0), None));
}

/// T02: absolutely unstable from the ground up: nothing holds the parcel, CIN is 0 and not positive.
#[test]
fn t02_an_absolutely_unstable_low_layer_has_cin_0() {
    let mut rows = capped();
    rows[0] = (965.0, 36.0, 24.0);
    for row in &mut rows[1..8] {
        row.1 -= 7.0;
        row.2 = row.2.min(row.1 - 1.0);
    }
    let told = environment(&column(400.0, &rows));
    assert!(told.sbcape_jkg.unwrap() > 1000.0);
    assert_eq!(told.sbcin_jkg, Some(0.0));
}

/// T04: with two positive areas CAPE is the sum of both, and the larger one names the level of free convection.
#[test]
fn t04_of_two_positive_areas_the_larger_one_counts() {
    let mut rows = capped();
    // A sliver above the condensation level, under a warm layer.
    rows.splice(
        4..6,
        [(875.0, 21.5, 16.5), (860.0, 20.0, 16.0), (845.0, 18.2, 15.0), (830.0, 16.8, 14.0), (815.0, 19.0, 4.0)],
    );
    let air = Air::new(&column(400.0, &rows)).unwrap();
    let ascent = lift_in(&air, choose::surface(&air).unwrap()).unwrap();
    let buoyant = |point: &crate::sounding::parcel::TracePoint| point.virtual_temperature_c > point.around_c;
    let lfc_hpa = ascent.lfc.unwrap().pressure_hpa;
    let above_lcl: Vec<_> = ascent.trace.iter().filter(|point| point.pressure_hpa <= ascent.lcl.pressure_hpa).collect();
    let sliver = above_lcl.iter().position(|point| buoyant(point)).unwrap();
    let lid = sliver + above_lcl[sliver..].iter().position(|point| !buoyant(point)).unwrap();
    assert!(lfc_hpa < above_lcl[lid].pressure_hpa, "the larger area begins above the lid: {lfc_hpa}");
    assert!(ascent.cin_jkg.unwrap() < -1.0, "the lid between counts");
    assert!(ascent.el.unwrap().pressure_hpa < 300.0);
}

/// T07 and T16 on a whole column: a repeated level and levels under the ground change nothing.
#[test]
fn t07_t16_repeated_and_buried_levels_change_nothing() {
    let clean = column(400.0, &capped());
    let mut levels = clean.levels().to_vec();
    levels.insert(4, levels[3]);
    levels.insert(1, Level { pressure_hpa: 1000.0, height_msl_m: 90.0, temperature_c: 33.0, ..levels[0] });
    let (dirty, dropped) = Column::new(levels).unwrap();
    assert_eq!((environment(&dirty), dropped.len()), (environment(&clean), 2));
}

/// T08: the height of the ground above the sea changes no figure but the freezing level of SHIP.
#[test]
fn t08_heights_are_reckoned_from_the_ground() {
    let (low, high) = (environment(&column(0.0, &capped())), environment(&column(1500.0, &capped())));
    let same = |a: Option<f64>, b: Option<f64>| (a.unwrap() - b.unwrap()).abs() < 1e-6;
    assert!(same(low.srh_0_1km_m2s2, high.srh_0_1km_m2s2) && same(low.srh_0_3km_m2s2, high.srh_0_3km_m2s2));
    assert!(same(low.bulk_shear_0_6km_kt, high.bulk_shear_0_6km_kt) && same(low.ml_lcl_m_agl, high.ml_lcl_m_agl));
    assert!(
        same(low.freezing_level_m_agl, high.freezing_level_m_agl)
            && same(low.critical_angle_deg, high.critical_angle_deg)
    );
}

/// T11: the parcel lifted for the record and the one lifted by itself agree to the bit.
#[test]
fn t11_one_lifting_serves_all() {
    let column = column(400.0, &capped());
    let told = environment(&column);
    let surface = column.surface();
    let parcel = Parcel {
        pressure_hpa: surface.pressure_hpa,
        temperature_c: surface.temperature_c,
        dew_point_c: surface.dew_point_c.unwrap(),
    };
    let ascent = lift(&column, parcel).unwrap();
    assert_eq!((Some(ascent.cape_jkg), ascent.cin_jkg), (told.sbcape_jkg, told.sbcin_jkg));
    let low: f64 = told.sbcape_0_3km_jkg.unwrap();
    assert!(low >= 0.0 && low < ascent.cape_jkg);
}

/// T13: four levels within 3 hPa: nothing is told, nothing lies above the column.
#[test]
fn t13_a_thin_column_tells_nothing() {
    let thin = column(2700.0, &[(733.0, 12.0, 2.0), (732.0, 11.9, 1.9), (731.0, 11.7, 1.8), (730.0, 11.6, 1.7)]);
    assert_eq!(environment(&thin), Environment::default());
    let surface = Parcel { pressure_hpa: 733.0, temperature_c: 12.0, dew_point_c: 2.0 };
    assert_eq!(lift(&thin, surface), None);
}

/// T14: where the surface parcel is the most unstable one, both tell the same.
#[test]
fn t14_surface_and_most_unstable_agree_where_they_are_one() {
    let rows = [
        (959.0, 22.2, 19.0),
        (931.0, 20.0, 16.5),
        (925.0, 19.8, 16.0),
        (850.0, 15.5, 10.0),
        (700.0, 5.5, -4.0),
        (500.0, -14.0, -30.0),
        (269.0, -50.0, -60.0),
    ];
    let told = environment(&column(300.0, &rows));
    assert_eq!(told.mu_start_m_agl, Some(0.0));
    assert_eq!((told.sbcape_jkg, told.sbcin_jkg), (told.mucape_jkg, told.mucin_jkg));
    assert_eq!(told.sb_lfc_m_agl, told.mu_lfc_m_agl);
}

/// T17: no parcel feeds a storm: no layer, composites 0. Cold surface air under a moist layer aloft: the layer begins there, is
/// called elevated, and nothing speaks of tornadoes from the ground.
#[test]
fn t17_inflow_layers_that_are_absent_or_elevated() {
    let mut rows = capped();
    for row in &mut rows[..4] {
        row.1 -= 14.0;
        row.2 = row.1 - 6.0;
    }
    rows[4] = (875.0, 19.0, 17.5);
    rows.insert(5, (850.0, 19.0, 17.0));
    rows.remove(6);
    for row in &mut rows[6..9] {
        row.1 -= 5.0;
    }
    let told = environment(&column(400.0, &rows));
    let base_m = told.effective_inflow_base_m_agl.unwrap();
    assert!(told.inflow_elevated && base_m > 500.0, "{told:?}");
    assert!(told.mucape_jkg.unwrap() > 100.0 && told.mu_start_m_agl.unwrap() > 500.0);
    assert_eq!((told.stp_effective, told.stp_fixed_layer), (Some(0.0), Some(0.0)));
    assert!(told.effective_srh_m2s2.is_some() && told.scp.is_some());

    rows.iter_mut().for_each(|row| row.2 = row.1 - 25.0);
    let dry = environment(&column(400.0, &rows));
    assert_eq!((dry.effective_inflow_base_m_agl, dry.effective_srh_m2s2, dry.inflow_elevated), (None, None, false));
    assert_eq!((dry.scp, dry.stp_effective), (Some(0.0), Some(0.0)));
}

/// Defect of the reference: a layer of one level gave STP from the fixed formula. Here its helicity is 0, and so are the composites.
#[test]
fn an_inflow_layer_of_one_level_holds_no_helicity() {
    let mut rows = capped();
    for row in &mut rows[1..5] {
        row.2 -= 12.0;
    }
    let told = environment(&column(400.0, &rows));
    assert_eq!((told.effective_inflow_base_m_agl, told.effective_inflow_top_m_agl), (Some(0.0), Some(0.0)));
    assert_eq!((told.effective_srh_m2s2, told.scp, told.stp_effective), (Some(0.0), Some(0.0), Some(0.0)));
}

#[test]
fn what_is_missing_is_none_and_the_rest_is_told() {
    let whole = column(400.0, &capped());
    let without = |change: &dyn Fn(&mut Level)| {
        let mut levels = whole.levels().to_vec();
        levels.iter_mut().for_each(change);
        environment(&Column::new(levels).unwrap().0)
    };
    let calm = without(&|level| level.wind = None);
    assert!(calm.mlcape_jkg.is_some() && calm.bulk_shear_0_6km_kt.is_none() && calm.stp_effective.is_none());
    let dry = without(&|level| level.dew_point_c = None);
    assert!(
        dry.mlcape_jkg.is_none()
            && dry.bulk_shear_0_6km_kt.is_some()
            && dry.srh_0_3km_m2s2.is_some()
            && dry.scp.is_none()
    );
    // No shear at all: no left and right of it.
    let still = without(&|level| level.wind = Some(Wind { u_ms: 3.0, v_ms: 0.0 }));
    assert_eq!((still.bunkers_right, still.srh_0_1km_m2s2), (None, None));
    assert!(still.bulk_shear_0_6km_kt.unwrap() < 1e-9);
}

/// Layer figures of the column, checked by hand from its rows.
#[test]
fn layers_are_those_of_the_rows() {
    let told = environment(&column(400.0, &capped()));
    // 11.5 to -11 °C over some 2640 m; with virtual temperatures 0.2 K/km more.
    assert!((told.lapse_rate_700_500hpa_kkm.unwrap() - 8.7).abs() < 0.3, "{told:?}");
    assert_eq!(told.temperature_500hpa_c, Some(-11.0));
    // Between 600 hPa (1 °C) and 500 hPa (-11 °C), a twelfth of the way up from 4.4 km.
    assert!((3900.0..4500.0).contains(&told.freezing_level_m_agl.unwrap()));
    assert!((25.0..40.0).contains(&told.precipitable_water_mm.unwrap()));
    assert!((500.0..2000.0).contains(&told.dcape_jkg.unwrap()));
    let written = serde_json::to_string(&told).unwrap();
    let back: Environment = serde_json::from_str(&written).unwrap();
    assert!((back.mlcape_jkg.unwrap() - told.mlcape_jkg.unwrap()).abs() < 1e-6);
}

/// A column of a level every few metres costs little more: the search for the inflow layer is thinned, the answer the same.
#[test]
fn fine_columns_tell_what_coarse_ones_do() {
    let coarse = column(400.0, &capped());
    let levels = coarse.levels().windows(2).flat_map(|pair| {
        (0..200).map(|i| {
            let part = f64::from(i) / 200.0;
            let between = |low: f64, high: f64| low + (high - low) * part;
            Level {
                pressure_hpa: between(pair[0].pressure_hpa.ln(), pair[1].pressure_hpa.ln()).exp(),
                height_msl_m: between(pair[0].height_msl_m, pair[1].height_msl_m),
                temperature_c: between(pair[0].temperature_c, pair[1].temperature_c),
                dew_point_c: pair[0].dew_point_c.zip(pair[1].dew_point_c).map(|(low, high)| between(low, high)),
                wind: pair[0]
                    .wind
                    .zip(pair[1].wind)
                    .map(|(low, high)| Wind { u_ms: between(low.u_ms, high.u_ms), v_ms: between(low.v_ms, high.v_ms) }),
            }
        })
    });
    let fine = Column::new(levels.collect()).unwrap().0;
    assert!(fine.levels().len() > 2500);
    let (coarse, fine) = (environment(&coarse), environment(&fine));
    let near = |a: Option<f64>, b: Option<f64>, within: f64| (a.unwrap() - b.unwrap()).abs() <= within;
    let parcels =
        |told: &Environment| (told.sbcape_jkg, told.sbcin_jkg, told.mlcape_jkg, told.mlcin_jkg, told.sb_el_m_agl);
    assert!(near(coarse.sbcape_jkg, fine.sbcape_jkg, 130.0), "{:?} {:?}", parcels(&coarse), parcels(&fine));
    assert!(near(coarse.sbcin_jkg, fine.sbcin_jkg, 10.0), "{:?} {:?}", parcels(&coarse), parcels(&fine));
    assert!(near(coarse.bulk_shear_0_6km_kt, fine.bulk_shear_0_6km_kt, 1e-6));
    assert!(near(coarse.srh_0_3km_bunkers_2000_m2s2, fine.srh_0_3km_bunkers_2000_m2s2, 1e-6));
    assert!(near(coarse.freezing_level_m_agl, fine.freezing_level_m_agl, 60.0));
}
