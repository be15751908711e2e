use super::*;
use serde_json::Value;

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/fixtures/goes_glm/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

const EAST: &str = "OR_GLM-L2-LCFA_G19_s20303652359500_e20310010000100_c20310010000125.nc";

#[test]
fn planted_granules_read_as_planted() {
    let truth: Value = serde_json::from_slice(&fixture("truth.json")).unwrap();
    for (name, expected) in truth.as_object().unwrap() {
        let read = contents(name, &fixture(name)).unwrap();
        let granule = &read.granule;
        assert_eq!(read.faults, [], "{name}");
        assert_eq!(granule.flashes.len() as u64, expected["flashes"].as_u64().unwrap(), "{name}");
        assert_eq!(u64::from(granule.left_out), expected["left_out"].as_u64().unwrap(), "{name}");
        for (flash, stated) in granule.flashes.iter().zip(expected["first"].as_array().unwrap()) {
            let stated: Timestamp = stated.as_str().unwrap().parse().unwrap();
            let apart = flash.first_event_utc(granule).duration_since(stated).abs();
            // The planted offsets are rounded to the packing's step of 0.38 ms.
            assert!(apart < SignedDuration::from_micros(200), "{name}: {apart:?}");
        }
        let figures = [(&read.energy_j, &expected["energy_j"], 1e-15), (&read.area_km2, &expected["area_km2"], 0.2)];
        for (read, planted, step) in figures {
            for (read, planted) in read.iter().zip(planted.as_array().unwrap()) {
                match (read, planted.as_f64()) {
                    (Some(read), Some(planted)) => {
                        assert!((read - planted).abs() <= step, "{name}: {read} for {planted}")
                    }
                    (read, planted) => assert_eq!(*read, planted, "{name}"),
                }
            }
        }
    }
}

/// Across the turn of a year, with an id and an offset in the upper half of their range (field report G01), and light that
/// reaches farther than the centroid.
#[test]
fn a_flash_is_joined_with_its_light_g01() {
    let (granule, _) = granule(EAST, &fixture(EAST)).unwrap();
    assert_eq!(granule.start_utc.to_string(), "2030-12-31T23:59:50Z");
    assert_eq!(granule.end_utc.to_string(), "2031-01-01T00:00:10Z");
    let qualities: Vec<u8> = granule.flashes.iter().map(Flash::quality).collect();
    assert_eq!(qualities, [0, 3, 5]);
    let large = &granule.flashes[1];
    let west = large.lit().map(LatLon::lon).fold(0.0, f64::min);
    assert!((west + 97.90).abs() < 0.003, "{west}");
}

#[test]
fn fill_is_compared_before_sign_and_scale_g01() {
    let column = Column {
        stored: vec![-1.0, -2.0, 0.0, 32_767.0],
        signed_bits: Some(16),
        unsigned: true,
        fill: Some(-1.0),
        scale: Some(0.5),
        offset: Some(-5.0),
        units: None,
    };
    assert_eq!(column.unpacked(), [None, Some(65_534.0 * 0.5 - 5.0), Some(-5.0), Some(32_767.0 * 0.5 - 5.0)]);
    let no_fill = Column { fill: None, ..column.clone() };
    assert_eq!(no_fill.unpacked()[0], Some(65_535.0 * 0.5 - 5.0));
    let signed = Column { unsigned: false, ..column };
    assert_eq!(signed.unpacked()[1], Some(-6.0));
}

#[test]
fn names_state_their_begin_whatever_stands_before_g07() {
    let begin = |name: &str| name_start(name).map(|at| at.to_string());
    assert_eq!(begin(EAST).as_deref(), Some("2030-12-31T23:59:50Z"));
    assert_eq!(
        begin("GLM-L2-LCFA/2026/164/19/IT_GLM-L2-LCFA_G19_s20261641903405_e20261641904000_c20261641904023.nc")
            .as_deref(),
        Some("2026-06-13T19:03:40.5Z")
    );
    for odd in [
        "index.html",
        "g19_day.nc",
        "OR_GLM_s20263671903400_e.nc",
        "OR_GLM_s20260001903400_.nc",
        "OR_s2026164190340_.nc",
    ] {
        assert_eq!(begin(odd), None, "{odd}");
    }
}

#[test]
fn units_are_read_and_not_assumed_g02() {
    let unit = |text: &str| time_unit(Some(text)).map(|(us, at)| (us, at.to_string()));
    let at = "2026-06-13T19:03:40Z".to_owned();
    assert_eq!(unit("seconds since 2026-06-13 19:03:40.000"), Ok((1e6, at.clone())));
    assert_eq!(unit("milliseconds since 2026-06-13T19:03:40"), Ok((1e3, at)));
    assert!(unit("days since 2026-06-13").is_err() && unit("seconds").is_err() && time_unit(None).is_err());
}

/// Field report G05.
#[test]
fn a_cut_granule_is_refused_also_where_its_flashes_could_be_read_g05() {
    let bytes = fixture(EAST);
    for cut in [bytes.len() - 1, bytes.len() / 2, 600, 9, 0] {
        assert!(
            matches!(granule(EAST, &bytes[..cut]), Err(GlmError::Broken { .. } | GlmError::NotNetcdf { .. })),
            "{cut}"
        );
    }
}
