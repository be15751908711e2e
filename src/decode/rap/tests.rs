use super::*;
use crate::decode::planted_model::{Run, Truth, grid_130, on_grid_130};

const CYCLE: (u16, u8, u8, u8) = (2031, 5, 9, 20);

fn place(lat: f64, lon: f64) -> LatLon {
    LatLon::new(lat, lon).unwrap()
}

/// That a profile holds what was planted at its point, winds relative to the earth.
fn agrees(profile: &ModelProfile, truth: &Truth) {
    let close = |a: f64, b: f64, tolerance: f64, what: &str| assert!((a - b).abs() <= tolerance, "{what}: {a} for {b}");
    assert!(profile.grid_point.distance_km(place(truth.at.0, truth.at.1)) < 0.1, "{profile:?}");
    close(profile.terrain_msl_m, truth.terrain_m, 0.06, "terrain");
    let surface = profile.column.surface();
    close(surface.pressure_hpa, truth.pressure_hpa, 0.006, "surface pressure");
    close(surface.temperature_c, truth.temperature_2m_c, 0.006, "2 m temperature");
    close(surface.dew_point_c.unwrap(), truth.dew_point_2m_c, 0.006, "2 m dew point");
    close(surface.wind.unwrap().u_ms, truth.wind_10m.0, 0.02, "10 m u");
    close(surface.wind.unwrap().v_ms, truth.wind_10m.1, 0.02, "10 m v");
    let above: Vec<_> = truth.aloft.iter().filter(|level| f64::from(level.0) < truth.pressure_hpa - 1.0).collect();
    assert_eq!(profile.column.levels().len(), above.len() + 1);
    for (level, (hpa, height_m, celsius, humidity, u, v)) in profile.column.levels().iter().skip(1).zip(above) {
        close(level.pressure_hpa, f64::from(*hpa), 0.0, "pressure");
        close(level.height_msl_m, *height_m, 0.06, "height");
        close(level.temperature_c, *celsius, 0.006, "temperature");
        let wind = level.wind.unwrap();
        close(wind.u_ms, *u, 0.02, "u");
        close(wind.v_ms, *v, 0.02, "v");
        // Magnus' formula with Sonntag's constants, an independent way to the same dew point.
        let magnus = |t: f64| (17.62 * t / (243.12 + t)).exp();
        let expected = (humidity / 100.0 * magnus(*celsius)).ln();
        close(level.dew_point_c.unwrap(), 243.12 * expected / (17.62 - expected), 0.35, "dew point");
    }
    let own = profile.model_reported;
    close(own.sfc_cape_jkg.unwrap(), truth.sfc_cape_cin.0, 0.5, "CAPE");
    close(own.sfc_cin_jkg.unwrap(), truth.sfc_cape_cin.1, 0.06, "CIN");
    assert_eq!((own.ml_cape_90mb_jkg, own.ml_cin_90mb_jkg), (Some(1200.0), Some(-45.0)));
    assert_eq!((own.srh_0_1km_m2s2, own.srh_0_3km_m2s2), (Some(120.0), Some(250.0)));
    assert_eq!(own.mu_cape_255mb_jkg, None);
    close(own.storm_motion.unwrap().u_ms, truth.motion.0, 0.02, "motion u");
    close(own.storm_motion.unwrap().v_ms, truth.motion.1, 0.02, "motion v");
}

/// The angle of the winds is -1 degree in Oklahoma, +11 in New England, -12 in Washington: all must come out earth-relative.
#[test]
fn what_is_planted_comes_out_wherever_it_is_and_earth_relative() {
    for (lat, lon) in [(37.74, -98.21), (42.5, -71.3), (47.4, -122.1), (26.0, -80.5)] {
        let run = Run::around(lat, lon, CYCLE, 0);
        let (file, _) = run.encode();
        let read = profiles(&file, "key", &[place(lat, lon)]).unwrap();
        assert_eq!(read.faults, []);
        assert_eq!((read.cycle_utc.to_string().as_str(), read.forecast_hour), ("2031-05-09T20:00:00Z", 0));
        let profile = read.each[0].1.as_ref().unwrap();
        let ((i, j), distance_km) = run.nearest(lat, lon);
        assert!((profile.distance_km - distance_km).abs() < 0.02, "{} {distance_km}", profile.distance_km);
        agrees(profile, &run.truth(i, j));
    }
}

#[test]
fn forecast_hours_and_many_places_of_one_file() {
    let run = Run::around(37.74, -98.21, CYCLE, 6);
    let (file, _) = run.encode();
    let places = [place(37.74, -98.21), place(37.4, -98.5), place(40.52, -92.90), place(38.2, -97.8)];
    let read = profiles(&file, "key", &places).unwrap();
    assert_eq!((read.forecast_hour, read.valid_utc.to_string().as_str()), (6, "2031-05-10T02:00:00Z"));
    for (at, profile) in &read.each {
        let ((i, j), distance_km) = run.nearest(at.lat(), at.lon());
        match profile {
            Ok(profile) => agrees(profile, &run.truth(i, j)),
            Err(RapError::NotCovered { distance_km: told, .. }) => {
                assert!(distance_km > 400.0 && (told - distance_km).abs() < 0.1, "{told} {distance_km}");
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(read.each[2].1.is_err() && read.each.iter().filter(|each| each.1.is_ok()).count() == 3);
    let told = read.each[2].1.as_ref().unwrap_err().to_string();
    assert!(told.contains("40.5200,-92.9000") && told.contains("km away"), "{told}");
}

/// T16 of the field reports: isobars below the ground are left out, 2 m and 10 m values stand at the surface pressure.
#[test]
fn t16_isobars_under_the_ground_are_left_out() {
    let run = Run::around(37.74, -98.21, CYCLE, 0);
    let read = profiles(&run.encode().0, "key", &[place(37.74, -98.21)]).unwrap();
    let profile = read.each[0].1.as_ref().unwrap();
    let surface_hpa = profile.column.surface().pressure_hpa;
    assert!(surface_hpa < 950.0, "1000 and 950 hPa are planted under the ground: {surface_hpa}");
    assert!(profile.column.levels()[1].pressure_hpa == 900.0);
}

#[test]
fn a_missing_field_is_named_and_a_broken_one_does_not_hide_the_rest() {
    let run = Run::around(37.74, -98.21, CYCLE, 0);
    let (file, index) = run.encode();
    let offset_of = |name: &str| {
        let line = index.lines().find(|line| line.contains(name)).unwrap();
        line.split(':').nth(1).unwrap().parse::<usize>().unwrap()
    };
    let read = |file: &[u8]| profiles(file, "key", &[place(37.74, -98.21)]).unwrap();
    // Section 7 of one message begins with another number: that field is lost, the others are not.
    let mut broken = file.clone();
    let (begin, end) = (offset_of(":TMP:500 mb"), offset_of(":RH:500 mb"));
    let at = begin + file[begin..end].windows(3).rposition(|w| w == [6, 255, 0]).unwrap() + 6;
    assert_eq!(broken[at], 7, "section 7");
    broken[at] = 9;
    let read_broken = read(&broken);
    assert!(!read_broken.faults.is_empty());
    let profile = read_broken.each[0].1.as_ref().unwrap();
    assert!(profile.column.levels().iter().all(|level| level.pressure_hpa != 500.0));
    assert_eq!(profile.column.levels().len() + 1, read(&file).each[0].1.as_ref().unwrap().column.levels().len());
    // Without the surface pressure there is no column.
    let (begin, end) = (offset_of(":PRES:surface"), offset_of(":HGT:surface"));
    let without: Vec<u8> = [&file[..begin], &file[end..]].concat();
    let error = read(&without).each[0].1.clone().unwrap_err();
    assert_eq!(error.to_string(), "PRES surface is not in the file");
}

#[test]
fn two_cycles_in_one_file_are_not_mixed() {
    let one = Run::around(37.74, -98.21, CYCLE, 0);
    let two = Run { cycle: (2031, 5, 9, 19), warmer_k: 9.0, ..one.clone() };
    let both = [one.encode().0, two.encode().0].concat();
    let read = profiles(&both, "key", &[place(37.74, -98.21)]).unwrap();
    let ((i, j), _) = one.nearest(37.74, -98.21);
    agrees(read.each[0].1.as_ref().unwrap(), &one.truth(i, j));
    assert!(read.faults.iter().all(|fault| fault.what.contains("of another time")) && read.faults.len() > 50);
}

#[test]
fn what_is_no_profile_is_named() {
    let at = [place(37.74, -98.21)];
    let told = |bytes: &[u8]| profiles(bytes, "key", &at).unwrap_err().to_string();
    assert!(told(b"").contains("0 bytes"));
    assert!(told(b"<html><body>gone</body></html>").contains("web page"));
    let (file, _) = Run::around(37.74, -98.21, CYCLE, 0).encode();
    assert!(told(&file[..200]).contains("cut short"), "{}", told(&file[..200]));
    let mut old = file[..300].to_vec();
    old[7] = 1;
    assert!(told(&old).contains("edition 1"), "{}", told(&old));
}

/// The grid that cut-outs come from, by the planted files' own projection; two places in one cell share a point.
#[test]
fn grid_points_are_those_of_grid_130() {
    for (lat, lon) in [(35.34, -97.49), (47.4, -122.1), (26.0, -80.5), (24.1, -125.4), (49.9, -66.6)] {
        let point = GridPoint::of(place(lat, lon)).unwrap();
        let (i, j) = on_grid_130(lat, lon);
        assert_eq!((f64::from(point.i), f64::from(point.j)), (i.round(), j.round()));
        let (lat, lon) = grid_130(i.round(), j.round());
        let lon = if lon > 180.0 { lon - 360.0 } else { lon };
        assert!(point.place().unwrap().distance_km(place(lat, lon)) < 0.01);
    }
    assert_eq!(GridPoint::of(place(35.339, -97.487)), GridPoint::of(place(35.36, -97.50)));
    assert_ne!(GridPoint::of(place(35.339, -97.487)), GridPoint::of(place(35.5, -97.50)));
}

#[test]
fn cycles_are_whole_hours() {
    let now = "2026-06-10T21:05:00Z".parse().unwrap();
    let told: Vec<String> = [0, 1, 22].iter().map(|back| cycle_before(now, *back).unwrap().to_string()).collect();
    assert_eq!(told, ["2026-06-10T21:00:00Z", "2026-06-10T20:00:00Z", "2026-06-09T23:00:00Z"]);
}

#[test]
fn the_committed_fixtures_hold_what_their_truth_says() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rap_profiles");
    let text = std::fs::read_to_string(root.join("truth.json")).unwrap();
    let truth: serde_json::Value = serde_json::from_str(&text).unwrap();
    for file in truth["files"].as_array().unwrap() {
        let number = |path: &str| file.pointer(path).and_then(serde_json::Value::as_f64).unwrap();
        let bytes = std::fs::read(root.join(file["file"].as_str().unwrap())).unwrap();
        let read = profiles(&bytes, "key", &[place(number("/place/lat"), number("/place/lon"))]).unwrap();
        let profile = read.each[0].1.as_ref().unwrap();
        assert!((profile.distance_km - number("/distance_km")).abs() < 0.02);
        assert!((profile.grid_point.lat() - number("/grid_point/lat")).abs() < 1e-3);
        assert!((profile.grid_point.lon() - number("/grid_point/lon")).abs() < 1e-3);
        let close = |a: f64, path: &str, tolerance: f64| assert!((a - number(path)).abs() < tolerance, "{path}: {a}");
        let surface = profile.column.surface();
        close(surface.pressure_hpa, "/surface/pressure_hpa", 0.01);
        close(surface.dew_point_c.unwrap(), "/surface/dew_point_c", 0.01);
        close(surface.wind.unwrap().v_ms, "/surface/v_ms", 0.02);
        let aloft = profile.column.levels().iter().find(|level| level.pressure_hpa == 500.0).unwrap();
        close(aloft.height_msl_m, "/at_500_hpa/height_m", 0.1);
        close(aloft.temperature_c, "/at_500_hpa/temperature_c", 0.01);
        close(aloft.wind.unwrap().u_ms, "/at_500_hpa/u_ms", 0.02);
    }
    let (lines, faults) =
        crate::decode::grib_index::read(&std::fs::read(root.join("larkfield_t20z_f00.grib2.idx")).unwrap()).unwrap();
    assert!(faults.is_empty() && lines.iter().filter(|line| is_of_profile(&line.variable, &line.level)).count() > 100);
}
