//! Winds against figures worked out by hand.

use super::*;
use crate::sounding::Level;

/// A column of winds at heights over a ground at 357 m; an atmosphere of scale height 8 km.
fn hodograph(winds: &[(f64, f64, f64)]) -> Hodograph {
    let level = |&(height_agl_m, u_ms, v_ms): &(f64, f64, f64)| Level {
        pressure_hpa: 1000.0 * (-height_agl_m / 8000.0).exp(),
        height_msl_m: 357.0 + height_agl_m,
        temperature_c: 20.0 - 0.0065 * height_agl_m,
        dew_point_c: None,
        wind: Some(Wind { u_ms, v_ms }),
    };
    Hodograph::new(&Column::new(winds.iter().map(level).collect()).unwrap().0).unwrap()
}

/// A quarter circle of radius 10 m/s in the lowest 3 km, then straight shear from the west.
fn curved() -> Hodograph {
    let bend = (0..=12).map(|i| {
        let angle = f64::from(i) / 12.0 * std::f64::consts::FRAC_PI_2;
        (250.0 * f64::from(i), 10.0 - 10.0 * angle.cos(), 10.0 * angle.sin())
    });
    let straight = (1..=10).map(|i| (3000.0 + 500.0 * f64::from(i), 10.0 + 2.0 * f64::from(i), 10.0));
    hodograph(&bend.chain(straight).collect::<Vec<_>>())
}

fn near(found: Wind, u_ms: f64, v_ms: f64) -> bool {
    (found.u_ms - u_ms).abs() < 1e-6 && (found.v_ms - v_ms).abs() < 1e-6
}

#[test]
fn shear_and_winds_at_heights() {
    let winds = curved();
    assert!(near(winds.shear(0.0, 6000.0).unwrap(), 22.0, 10.0));
    assert!(near(winds.at_height(3250.0).unwrap().wind, 11.0, 10.0));
    assert!(near(winds.at_height(0.0).unwrap().wind, 0.0, 0.0) && near(winds.surface(), 0.0, 0.0));
    assert_eq!((winds.at_height(-1.0), winds.at_height(8001.0), winds.shear(0.0, 9000.0)), (None, None, None));
    let there = winds.at_pressure(1000.0 * (-0.4_f64).exp()).unwrap();
    assert!((there.height_agl_m - 3200.0).abs() < 1e-6 && (there.wind.u_ms - 10.8).abs() < 1e-6);
}

#[test]
fn means_over_height_mass_and_pressure() {
    let winds = hodograph(&[(0.0, 0.0, 0.0), (2000.0, 10.0, 0.0), (4000.0, 20.0, 0.0), (8000.0, 40.0, 0.0)]);
    // u = z / 200: over height its mean is that of the middle; over mass and pressure the low winds count for more.
    assert!(near(winds.mean_over_height(0.0, 8000.0).unwrap(), 20.0, 0.0));
    // Integral of z/200 d(exp(-z/8000)) over 1 - 1/e: 40 (1 - 2/e) / (1 - 1/e).
    let e = std::f64::consts::E;
    assert!(near(winds.mean_over_mass(0.0, 8000.0).unwrap(), 40.0 * (1.0 - 2.0 / e) / (1.0 - 1.0 / e), 0.0));
    // The same with exp(-2z/8000): 20 (1 - 3/e²) / (1 - 1/e²).
    let weighted = 20.0 * (1.0 - 3.0 / (e * e)) / (1.0 - 1.0 / (e * e));
    assert!(near(winds.mean_pressure_weighted(0.0, 8000.0).unwrap(), weighted, 0.0));
    assert_eq!((winds.mean_over_height(3000.0, 3000.0), winds.mean_over_height(0.0, 8001.0)), (None, None));
}

/// T10: on a curved hodograph the exact form of 2000 takes the shear between two layer means and the mean over height; the left
/// mover is the mirror image of the right one at the mean wind.
#[test]
fn t10_bunkers_2000_exactly() {
    let winds = curved();
    let motion = winds.motion_bunkers_2000().unwrap();
    let low = winds.mean_over_height(0.0, 500.0).unwrap();
    let high = winds.mean_over_height(5500.0, 6000.0).unwrap();
    assert!(near(high, 21.0, 10.0));
    let (du, dv) = (high.u_ms - low.u_ms, high.v_ms - low.v_ms);
    let mean = winds.mean_over_height(0.0, 6000.0).unwrap();
    let length = du.hypot(dv);
    assert!(near(motion.right, mean.u_ms + 7.5 * dv / length, mean.v_ms - 7.5 * du / length));
    assert!(near(motion.left, 2.0 * mean.u_ms - motion.right.u_ms, 2.0 * mean.v_ms - motion.right.v_ms));
    // SPC's simpler form is another motion on such a hodograph, and 7.5 m/s from its mean as well.
    let simple = winds.motion_fixed_layer().unwrap();
    assert!((simple.right.minus(simple.mean).speed_ms() - 7.5).abs() < 1e-9);
    assert!(simple.right.minus(motion.right).speed_ms() > 0.5);
}

/// T08: helicity by the area swept, whatever the height of the ground above the sea. For a storm at the centre of a circle it is
/// twice the sector's area.
#[test]
fn t08_helicity_is_twice_the_area_swept() {
    let winds = curved();
    let centre = Wind { u_ms: 10.0, v_ms: 0.0 };
    // Twelve chords of a quarter circle: 12 r² sin(7.5°).
    let chords = 12.0 * 100.0 * 7.5_f64.to_radians().sin();
    assert!((winds.helicity_m2s2(0.0, 3000.0, centre).unwrap() - chords).abs() < 1e-6);
    let half = winds.helicity_m2s2(0.0, 1500.0, centre).unwrap();
    assert!((half - chords / 2.0).abs() < 1e-6);
    assert_eq!(winds.helicity_m2s2(500.0, 500.0, centre), Some(0.0));
    assert_eq!((winds.helicity_m2s2(0.0, 9000.0, centre), winds.helicity_m2s2(9000.0, 9000.0, centre)), (None, None));
    // Seen from the other side it is negative.
    let other = Wind { u_ms: -10.0, v_ms: 20.0 };
    assert!(winds.helicity_m2s2(0.0, 3000.0, other).unwrap() < 0.0);
}

#[test]
fn the_critical_angle() {
    let winds = hodograph(&[(0.0, 0.0, 0.0), (500.0, 0.0, 5.0), (3000.0, 10.0, 10.0), (7000.0, 30.0, 10.0)]);
    let angle = |u_ms, v_ms| winds.critical_angle_deg(Wind { u_ms, v_ms });
    assert!((angle(10.0, 0.0).unwrap() - 90.0).abs() < 1e-9);
    assert!((angle(10.0, 10.0).unwrap() - 45.0).abs() < 1e-9);
    assert_eq!(angle(0.0, 0.0), None);
}
