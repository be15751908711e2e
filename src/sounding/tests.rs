//! What makes a column, and what is left out of one.

use super::*;

fn level(pressure_hpa: f64, height_msl_m: f64, temperature_c: f64) -> Level {
    let wind = Some(Wind { u_ms: 5.0, v_ms: 0.0 });
    Level { pressure_hpa, height_msl_m, temperature_c, dew_point_c: Some(temperature_c - 5.0), wind }
}

fn plain() -> Vec<Level> {
    vec![
        level(1000.0, 100.0, 25.0),
        level(900.0, 1000.0, 18.0),
        level(800.0, 2000.0, 11.0),
        level(700.0, 3100.0, 4.0),
        level(500.0, 5800.0, -14.0),
    ]
}

fn whys(dropped: &[Dropped]) -> Vec<(usize, Part, Why)> {
    dropped.iter().map(|d| (d.index, d.part, d.why)).collect()
}

/// Field report T07: a repeated pressure is taken once.
#[test]
fn t07_repeated_pressures_are_taken_once() {
    let mut levels = plain();
    levels.insert(2, level(900.0, 1001.0, 17.0));
    let (column, dropped) = Column::new(levels).unwrap();
    assert_eq!(column.levels(), plain());
    assert_eq!(whys(&dropped), [(2, Part::Level, Why::Repeated)]);
}

/// Field report T16: a model's pressure levels under the ground are no air; the surface level is the one given.
#[test]
fn t16_levels_under_the_ground_are_dropped() {
    let mut levels = vec![level(780.0, 2200.0, 20.0)];
    levels.extend([1000.0, 900.0, 800.0, 780.0].map(|p| level(p, (1000.0 - p) * 10.0, 25.0)));
    levels.extend([level(775.0, 2260.0, 19.0), level(700.0, 3100.0, 12.0), level(600.0, 4400.0, 3.0)]);
    let (column, dropped) = Column::new(levels).unwrap();
    assert_eq!(column.surface().pressure_hpa, 780.0);
    assert_eq!(column.levels().len(), 4);
    assert_eq!(dropped.len(), 4);
    assert!(dropped.iter().all(|d| d.why == Why::UnderSurface));
}

#[test]
fn what_air_does_not_have_is_left_out_and_told() {
    let mut levels = plain();
    levels[1].temperature_c = f64::NAN;
    levels[2].dew_point_c = Some(30.0);
    levels[3].wind = Some(Wind { u_ms: 400.0, v_ms: 0.0 });
    levels.push(level(400.0, 5700.0, -20.0));
    levels.push(level(450.0, 7000.0, -20.0));
    levels.push(level(300.0, 9000.0, 300.0));
    let (column, dropped) = Column::new(levels).unwrap();
    assert_eq!(column.levels().len(), 5);
    let expected = [
        (1, Part::Level, Why::NotANumber),
        (2, Part::DewPoint, Why::Supersaturated),
        (3, Part::Wind, Why::Absurd),
        (5, Part::Level, Why::HeightNotRising),
        (7, Part::Level, Why::Absurd),
    ];
    assert_eq!(whys(&dropped), expected);
    let mut levels = plain();
    levels[1].dew_point_c = Some(18.4);
    assert_eq!(Column::new(levels).unwrap().0.levels()[1].dew_point_c, Some(18.0));
}

#[test]
fn what_is_no_column_is_refused() {
    assert_eq!(Column::new(Vec::new()), Err(ColumnError::Empty));
    assert_eq!(Column::new(plain()[..3].to_vec()), Err(ColumnError::TooFewLevels { kept: 3, given: 3 }));
    let mut levels = plain();
    levels[0].pressure_hpa = 5000.0;
    assert!(matches!(Column::new(levels), Err(ColumnError::Surface { why: Why::Absurd, .. })));
}

#[test]
fn figures_between_levels_are_straight_in_ln_p() {
    let mut levels = plain();
    levels[2].wind = None;
    levels[2].dew_point_c = None;
    let (column, _) = Column::new(levels).unwrap();
    let middle = (1000.0_f64 * 900.0).sqrt();
    assert!((column.temperature_c_at(middle).unwrap() - 21.5).abs() < 1e-9);
    assert!((column.height_msl_m_at(middle).unwrap() - 550.0).abs() < 1e-9);
    assert!((column.pressure_hpa_at(550.0).unwrap() - middle).abs() < 1e-9);
    // Over the gap at 800 hPa: between 900 and 700.
    let gap = (900.0_f64 * 700.0).sqrt();
    assert!((column.dew_point_c_at(gap).unwrap() - 6.0).abs() < 1e-9);
    assert!((column.wind_at(800.0).unwrap().u_ms - 5.0).abs() < 1e-9);
    assert_eq!(column.temperature_c_at(1000.0), Some(25.0));
    assert_eq!(column.temperature_c_at(500.0), Some(-14.0));
    for outside in [1000.1, 499.9, f64::NAN] {
        assert_eq!(column.temperature_c_at(outside), None);
    }
    assert_eq!((column.pressure_hpa_at(99.0), column.pressure_hpa_at(5801.0)), (None, None));
    assert_eq!(column.agl_m(550.0), 450.0);
}

#[test]
fn winds_turn_into_components_and_back() {
    let south = Wind::from_direction(180.0, 10.0);
    assert!((south.u_ms.abs() < 1e-9) && (south.v_ms - 10.0).abs() < 1e-9);
    for from_deg in [0.0, 45.0, 200.0, 359.0] {
        let wind = Wind::from_direction(from_deg, 12.0);
        assert!((wind.from_deg() - from_deg).abs() < 1e-9 && (wind.speed_ms() - 12.0).abs() < 1e-9);
    }
}

#[test]
fn a_column_is_checked_again_when_it_is_read_back() {
    let (column, _) = Column::new(plain()).unwrap();
    let written = serde_json::to_string(&column).unwrap();
    assert_eq!(serde_json::from_str::<Column>(&written).unwrap(), column);
    assert!(serde_json::from_str::<Column>("[]").is_err());
}
