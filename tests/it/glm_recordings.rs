//! What the lightning floor reads from real granules, against netCDF4's decode (TRUTH.json), the reference
//! implementation's goldens, and damaged copies.

use crate::shared;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use stormbell::cli::decode_glm::describe;
use stormbell::decode::glm::{self, GlmError};
use stormbell::geo::{LatLon, compass, round_1dp};
use stormbell::lightning::{LightningWindow, Satellite};

fn json(path: &str) -> Option<Value> {
    Some(serde_json::from_str(&std::fs::read_to_string(shared::path(path)?).unwrap()).unwrap())
}

/// Every recorded granule with its name.
fn recordings() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = shared::path("data/recorded/glm") else { return Vec::new() };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

#[test]
fn every_granule_reads_as_netcdf4_read_it() {
    let Some(truth) = json("data/recorded/TRUTH.json") else { return };
    let files = recordings();
    assert!(files.len() >= 10);
    for (name, bytes) in files {
        let expected = &truth["glm"][format!("glm/{name}")];
        let read = glm::contents(&name, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let granule = &read.granule;
        assert_eq!(read.faults, [], "{name}");
        assert_eq!(granule.platform, expected["platform_ID"], "{name}");
        assert_eq!(granule.satellite.name(), expected["orbital_slot"], "{name}");
        let time = |key: &str| expected[key].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
        assert_eq!(
            (granule.start_utc, granule.end_utc),
            (time("time_coverage_start"), time("time_coverage_end")),
            "{name}"
        );
        let count = |key: &str| expected[key].as_u64().unwrap() as usize;
        assert_eq!(
            (granule.flashes.len(), read.groups, read.events),
            (count("n_flashes"), count("n_groups"), count("n_events")),
            "{name}"
        );
        if granule.flashes.is_empty() {
            continue;
        }
        let number = |key: &str| expected[key].as_f64().unwrap();
        let of = |figure: fn(LatLon) -> f64| granule.flashes.iter().map(move |flash| figure(flash.centroid().unwrap()));
        // Positions are 32-bit floats in the file: equal to the last digit.
        assert!((of(LatLon::lat).fold(f64::MAX, f64::min) - number("lat_min")).abs() < 1e-9, "{name}");
        assert!((of(LatLon::lat).fold(f64::MIN, f64::max) - number("lat_max")).abs() < 1e-9, "{name}");
        assert!((of(LatLon::lon).fold(f64::MAX, f64::min) - number("lon_min")).abs() < 1e-4, "{name}");
        assert!((of(LatLon::lon).fold(f64::MIN, f64::max) - number("lon_max")).abs() < 1e-4, "{name}");
        let first = granule.flashes.iter().map(|flash| flash.first_event_utc(granule)).min().unwrap();
        let stated: jiff::Timestamp = format!("{}Z", expected["first_event_time"].as_str().unwrap()).parse().unwrap();
        assert!(
            first.duration_since(stated).abs() <= jiff::SignedDuration::from_micros(1),
            "{name}: {first} for {stated}"
        );
        assert_eq!(read.time_units.as_deref(), expected["time_units"].as_str(), "{name}");
        for (quality, n) in expected["quality_counts"].as_object().unwrap() {
            assert_eq!(read.quality_counts[&quality.parse().unwrap()] as u64, n.as_u64().unwrap(), "{name}");
        }
        let energy: f64 = read.energy_j.iter().flatten().sum();
        assert!((energy / number("sum_flash_energy_J") - 1.0).abs() < 1e-5, "{name}: {energy}");
        let area = read.area_km2.iter().flatten().fold(0.0_f64, |a, b| a.max(*b));
        let per_km2 = if expected["flash_area_units"] == "m2" { 1e6 } else { 1.0 };
        assert!((area * per_km2 / number("max_flash_area") - 1.0).abs() < 1e-5, "{name}: {area} km2");
        let brightest = &expected["max_energy_flash"];
        let index = brightest["index"].as_u64().unwrap() as usize;
        assert!((read.energy_j[index].unwrap() / brightest["energy_J"].as_f64().unwrap() - 1.0).abs() < 1e-5, "{name}");
        let lat = granule.flashes[index].centroid().unwrap().lat();
        assert!((lat - brightest["lat"].as_f64().unwrap()).abs() < 1e-9, "{name}");
    }
}

/// Field report G01: read as signed, the upper half of the offsets would be 25 s early. Every event lies within its flash's
/// granule. Two flashes of 2021 have groups but no events; every other one holds at least one lit pixel.
#[test]
fn unsigned_offsets_stay_within_their_granule_g01() {
    let mut dark = 0;
    for (name, bytes) in recordings() {
        let (granule, _) = glm::granule(&name, &bytes).unwrap();
        for flash in &granule.flashes {
            let at = flash.first_event_utc(&granule);
            assert!(
                at >= granule.start_utc - jiff::SignedDuration::from_secs(3) && at <= granule.end_utc,
                "{name}: {at}"
            );
            dark += usize::from(flash.lit().count() == 0);
        }
    }
    assert!(dark <= 2, "{dark} flashes without light");
}

/// The goldens reckon to centroids and ask one granule; ours reaches farther where a flash's light does.
#[test]
fn flashes_around_a_place_equal_the_goldens() {
    let Some(goldens) = json("goldens/shearline.json") else { return };
    let files = recordings();
    let (name, bytes) = files.iter().find(|(name, _)| name == "goes_glm_lcfa_sample.nc").unwrap();
    let (granule, _) = glm::granule(name, bytes).unwrap();
    let now = granule.end_utc + jiff::SignedDuration::from_secs(30);
    let mut window = LightningWindow::default();
    window.take(&Arc::new(granule.clone()));
    let mut nearer = 0;
    for golden in goldens["glm"].as_array().unwrap() {
        let number = |key: &str| golden[key].as_f64().unwrap();
        let place = LatLon::new(number("lat"), number("lon")).unwrap();
        let radius_km = number("radius_km");
        let mut by_centroid: Vec<(f64, LatLon, jiff::Timestamp)> = granule
            .flashes
            .iter()
            .map(|flash| {
                let at = flash.centroid().unwrap();
                (place.distance_km(at), at, flash.first_event_utc(&granule))
            })
            .filter(|(km, ..)| *km <= radius_km)
            .collect();
        by_centroid.sort_by(|a, b| a.0.total_cmp(&b.0));
        let expected = golden["flashes"].as_array().unwrap();
        assert_eq!(by_centroid.len() as u64, golden["flash_count"].as_u64().unwrap(), "{place:?}");
        for ((km, at, time), flash) in by_centroid.iter().zip(expected) {
            assert!((km - flash["distance_km_raw"].as_f64().unwrap()).abs() < 1e-6, "{place:?}");
            assert_eq!(round_1dp(*km), flash["distance_km"].as_f64().unwrap());
            assert_eq!(compass(place.bearing_deg(*at)), flash["direction"]);
            assert_eq!(time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(), flash["time_utc"]);
        }
        let sight = window.seen_from(place, radius_km, 15, now);
        assert_eq!(sight.satellite, Satellite::East);
        assert!(sight.flash_count >= by_centroid.len(), "{place:?}");
        if let Some(nearest) = &sight.nearest {
            let centroid_km = by_centroid.first().map_or(f64::MAX, |(km, ..)| *km);
            assert!(nearest.distance_km <= centroid_km + 1e-9);
            nearer += usize::from(nearest.distance_km < centroid_km - 1.0);
        }
    }
    assert!(nearer > 0, "somewhere light is more than 1 km nearer than any centroid");
}

/// Field report G05 and a file of another kind: a clear error each.
#[test]
fn files_that_are_no_granules_are_refused_g05() {
    let files = recordings();
    let Some((name, bytes)) = files.last() else { return };
    for cut in [0, 3, 100, 2_000, 80_000, bytes.len() - 1] {
        let error = glm::granule(name, &bytes[..cut]).unwrap_err();
        assert!(matches!(error, GlmError::Broken { .. } | GlmError::NotNetcdf { .. }), "{cut}: {error}");
    }
    let synthetic = std::fs::read(shared::path("data/recorded/odd/FGE_split_merge_GLM.nc").unwrap()).unwrap();
    let error = glm::granule("FGE_split_merge_GLM.nc", &synthetic).unwrap_err();
    assert_eq!(error, GlmError::NotGlm { what: "global attribute orbital_slot".to_owned() });
    assert!(matches!(glm::granule("x.nc", b"<html>"), Err(GlmError::NotNetcdf { .. })));
    assert!(matches!(glm::granule("x.nc", &vec![0; 17 << 20]), Err(GlmError::TooLarge { .. })));
}

#[test]
fn debug_decode_describes_every_file_or_says_why_not() {
    let place = LatLon::new(36.0, -92.0).unwrap();
    for (name, bytes) in recordings() {
        let shown = describe(&name, &bytes, Some(place), 40.0);
        assert_eq!(shown["ok"], true, "{name}");
        if name == "goes_glm_lcfa_sample.nc" {
            assert_eq!((shown["flashes"].as_u64(), shown["events"].as_u64()), (Some(500), Some(16_763)));
            // The nearest centroid is 12.1 km away (goldens), the nearest light nearer.
            assert!(shown["at"]["nearest"]["distance_km"].as_f64().unwrap() <= 12.1, "{}", shown["at"]);
            assert!(shown["at"]["flashes"].as_u64().unwrap() >= 19);
        }
    }
    let shown = describe("x.nc", b"<html></html>", None, 40.0);
    assert!(shown["ok"] == false && shown["faults"][0]["what"].as_str().unwrap().contains("a web page"), "{shown}");
}

/// Cut at 20 places, and with up to 200 random bytes changed: values or errors, in bounded time and memory. Large granules
/// in fewer copies.
#[test]
fn damaged_copies_end_in_values_or_errors() {
    let mut seed = 7_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for (name, bytes) in recordings() {
        for part in 0..20 {
            assert!(glm::granule(&name, &bytes[..bytes.len() * part / 20]).is_err(), "{name}");
        }
        for copy in 0..if bytes.len() < 300_000 { 200 } else { 40 } {
            let mut damaged = bytes.clone();
            for _ in 0..if copy % 2 == 0 { 1 + random(8) } else { 200 } {
                let at = random(damaged.len());
                damaged[at] ^= 1 << random(8);
            }
            if let Ok((granule, _)) = glm::granule(&name, &damaged) {
                assert!(granule.flashes.len() <= glm::ENTRIES_MAX);
            }
        }
    }
}
