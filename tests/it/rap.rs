//! What is read from real model files, against independent decodes (eccodes' TRUTH.json), the reference implementation's
//! goldens, and files that are broken on purpose.

use crate::shared;
use crate::upstreams::live;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stormbell::cli::decode_rap::describe;
use stormbell::clock::Clock;
use stormbell::decode::grib2::{self, Field};
use stormbell::decode::{grib_index, rap};
use stormbell::geo::LatLon;
use stormbell::observation::Observation;
use stormbell::outside::Outside;
use stormbell::outside::archive::{Archive, ArchiveOutside};
use stormbell::outside::serve::serve;
use stormbell::sources::rap_profiles::{Config, open};
use stormbell::sources::{Ask, AskedPlace, Poll, Source};

fn json(path: &str) -> Option<Value> {
    let text = std::fs::read_to_string(shared::path(path)?).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

fn recorded(name: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(shared::path(&format!("data/recorded/{name}"))?).unwrap())
}

/// Names of the GRIB files in `model` and `odd`, and of what is kept there that is none.
fn files() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for folder in ["model", "odd"] {
        let Some(path) = shared::path(&format!("data/recorded/{folder}")) else { return Vec::new() };
        for entry in std::fs::read_dir(path).unwrap().flatten() {
            found.push((format!("{folder}/{}", entry.file_name().to_string_lossy()), entry.path()));
        }
    }
    found.sort();
    found
}

/// Equal but for the rounding of 32-bit floats.
fn close(read: f64, expected: f64) -> bool {
    (read - expected).abs() <= 2e-6 * expected.abs().max(read.abs()) + 1e-9
}

fn agree(field: &Field<'_>, expected: &Value, what: &str) {
    let number = |key: &str| expected[key].as_f64();
    let parameter = field.parameter();
    let stated =
        ["discipline", "parameterCategory", "parameterNumber"].map(|key| expected[key].as_u64().unwrap() as u8);
    assert_eq!([parameter.0, parameter.1, parameter.2], stated, "{what}");
    assert_eq!(Some(u64::from(field.grid_template)), expected["gridDefinitionTemplateNumber"].as_u64(), "{what}");
    assert_eq!(u64::from(field.packing.template), expected["dataRepresentationTemplateNumber"].as_u64().unwrap());
    if let Ok(geometry) = &field.geometry {
        let first = geometry.at(0).unwrap();
        assert!((first.lat() - number("latitudeOfFirstGridPointInDegrees").unwrap()).abs() < 1e-5, "{what}: {first:?}");
        let lon = number("longitudeOfFirstGridPointInDegrees").unwrap();
        assert!(((first.lon() - lon + 540.0).rem_euclid(360.0) - 180.0).abs() < 1e-5, "{what}: {first:?}");
        assert_eq!(
            (Some(geometry.size().0.into()), Some(geometry.size().1.into())),
            (number("Ni"), number("Nj")),
            "{what}"
        );
    }
    let values = field.values().unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(values.len() as f64, number("n").unwrap(), "{what}");
    let missing = values.iter().filter(|value| value.is_nan()).count();
    assert_eq!(missing as f64, number("n_missing").unwrap(), "{what}");
    let there = || values.iter().copied().filter(|value| !value.is_nan()).map(f64::from);
    if let (Some(min), Some(max), Some(mean)) = (number("min"), number("max"), number("mean")) {
        let (read_min, read_max) = (there().fold(f64::INFINITY, f64::min), there().fold(f64::NEG_INFINITY, f64::max));
        assert!(close(read_min, min) && close(read_max, max), "{what}: {read_min}..{read_max} for {min}..{max}");
        let read = there().sum::<f64>() / there().count() as f64;
        assert!((read - mean).abs() <= 1e-6 * min.abs().max(max.abs()) + 1e-9, "{what}: mean {read} for {mean}");
    }
    for sample in expected["samples"].as_array().unwrap() {
        let read = values[sample[0].as_u64().unwrap() as usize];
        match sample[1].as_f64() {
            Some(expected) => assert!(close(f64::from(read), expected), "{what} {sample}: {read}"),
            None => assert!(read.is_nan(), "{what} {sample}: {read}"),
        }
    }
}

#[test]
fn every_recording_reads_as_eccodes_read_it() {
    let Some(truth) = json("data/recorded/TRUTH.json") else { return };
    let (mut fields_read, mut files_read) = (0, 0);
    for (name, file) in truth["grib"].as_object().unwrap() {
        if name.starts_with("mrms/") {
            continue;
        }
        let bytes = recorded(name).unwrap();
        if file["messages"][0]["edition"] == 1 {
            let error = grib2::fields(&bytes).unwrap_err().to_string();
            assert!(error.contains("edition 1") || error.contains("gzip"), "{name}: {error}");
            continue;
        }
        let (fields, faults) = grib2::fields(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(faults.iter().all(|fault| fault.what.contains("no GRIB")), "{name}: {faults:?}");
        let mut messages: Vec<usize> = fields.iter().map(|field| field.message_at).collect();
        messages.dedup();
        assert_eq!(messages.len() as u64, file["n_messages"].as_u64().unwrap(), "{name}");
        for message in file["messages"].as_array().unwrap() {
            let offset = message["offset"].as_u64().unwrap() as usize;
            let here: Vec<&Field<'_>> = fields.iter().filter(|field| field.message_at == offset).collect();
            let expected = message["fields"].as_array().unwrap();
            assert_eq!(here.len(), expected.len(), "{name} at {offset}");
            for (field, expected) in here.iter().zip(expected) {
                agree(field, expected, &format!("{name} at {offset}.{}", field.number_in_message));
                fields_read += 1;
            }
        }
        files_read += 1;
    }
    eprintln!("{fields_read} fields of {files_read} files are as eccodes read them");
    assert!(files_read >= 24 && fields_read > 200);
}

/// The peer's profiles and grids. Where the nearest point by great circle is another than the peer's by degrees, the test says so.
#[test]
fn profiles_are_the_references_with_winds_turned_to_earth() {
    let Some(goldens) = json("goldens/shearline.json") else { return };
    for golden in goldens["environment"].as_array().unwrap() {
        let fixture = golden["fixture"].as_str().unwrap();
        let bytes = recorded(&format!("model/{fixture}")).unwrap();
        let number = |value: &Value| value.as_f64().unwrap();
        let place = LatLon::new(number(&golden["lat"]), number(&golden["lon"])).unwrap();
        let read = rap::profiles(&bytes, fixture, &[place]).unwrap();
        assert_eq!(read.faults, []);
        let profile = read.each[0].1.as_ref().unwrap();
        let expected = &golden["profile"];
        let what = format!("{fixture} {},{}", place.lat(), place.lon());
        let point = &expected["grid_point"];
        assert!((profile.grid_point.lat() - number(&point["lat"])).abs() < 6e-4, "{what}: {:?}", profile.grid_point);
        assert!((profile.grid_point.lon() - number(&point["lon"])).abs() < 6e-4, "{what}: {:?}", profile.grid_point);
        assert!((profile.distance_km - number(&point["distance_km"])).abs() < 0.06, "{what}: {}", profile.distance_km);
        let minute = |at: jiff::Timestamp| at.strftime("%Y-%m-%dT%H:%MZ").to_string();
        assert_eq!(minute(profile.cycle_utc), expected["cycle_utc"], "{what}");
        assert_eq!(minute(profile.valid_utc), expected["valid_utc"], "{what}");
        assert!((profile.terrain_msl_m - number(&expected["elevation_m"])).abs() < 1e-3, "{what}");
        let surface = profile.column.surface();
        assert!((surface.pressure_hpa * 100.0 - number(&expected["surface_pressure_pa"])).abs() < 0.02, "{what}");
        assert!((surface.temperature_c + 273.15 - number(&expected["t2m_k"])).abs() < 1e-4, "{what}");
        assert!((surface.dew_point_c.unwrap() + 273.15 - number(&expected["d2m_k"])).abs() < 1e-4, "{what}");
        let angle = 25f64.to_radians().sin() * (profile.grid_point.lon() + 95.0).to_radians();
        let turned = |u: f64, v: f64| (u * angle.cos() + v * angle.sin(), v * angle.cos() - u * angle.sin());
        let wind_close = |wind: stormbell::sounding::Wind, u: &Value, v: &Value| {
            let (u, v) = turned(number(u), number(v));
            assert!((wind.u_ms - u).abs() < 1e-3 && (wind.v_ms - v).abs() < 1e-3, "{what}: {wind:?} for {u} {v}");
        };
        wind_close(surface.wind.unwrap(), &expected["u10_ms"], &expected["v10_ms"]);
        let isobars = expected["pressure_hpa"].as_array().unwrap();
        let mut compared = 0;
        for (n, hpa) in isobars.iter().enumerate() {
            let found = profile.column.levels().iter().skip(1).find(|level| Some(level.pressure_hpa) == hpa.as_f64());
            let Some(level) = found else {
                assert!(number(hpa) >= surface.pressure_hpa - 1.0, "{what}: {hpa} hPa is not there");
                continue;
            };
            assert!((level.temperature_c + 273.15 - number(&expected["temp_k"][n])).abs() < 1e-4, "{what} {hpa}");
            assert!((level.height_msl_m - number(&expected["height_gpm"][n])).abs() < 2e-3, "{what} {hpa}");
            wind_close(level.wind.unwrap(), &expected["u_ms"][n], &expected["v_ms"][n]);
            compared += 1;
        }
        assert_eq!(compared + 1, profile.column.levels().len(), "{what}");
        let (own, reported) = (profile.model_reported, &expected["model_reported"]);
        for (read, key) in [
            (own.sfc_cape_jkg, "sfc_cape_jkg"),
            (own.sfc_cin_jkg, "sfc_cin_jkg"),
            (own.ml_cape_90mb_jkg, "ml_cape_90mb_jkg"),
            (own.ml_cin_90mb_jkg, "ml_cin_90mb_jkg"),
            (own.srh_0_1km_m2s2, "srh_0_1km_m2s2"),
            (own.srh_0_3km_m2s2, "srh_0_3km_m2s2"),
        ] {
            assert!((read.unwrap() - number(&reported[key])).abs() < 1e-3, "{what} {key}: {read:?}");
        }
        wind_close(own.storm_motion.unwrap(), &reported["storm_motion_u_ms"], &reported["storm_motion_v_ms"]);
    }
    for (name, file) in goldens["grib"].as_object().unwrap().iter().filter(|(name, _)| name.starts_with("rap")) {
        let bytes = recorded(&format!("model/{name}")).unwrap();
        let (fields, _) = grib2::fields(&bytes).unwrap();
        let geometry = fields[0].geometry.as_ref().unwrap();
        let (lats, lons) = (file["grid"]["lats"].as_array().unwrap(), file["grid"]["lons"].as_array().unwrap());
        for (n, (lat, lon)) in lats.iter().zip(lons).enumerate() {
            let at = geometry.at(n).unwrap();
            let lon = (lon.as_f64().unwrap() + 180.0).rem_euclid(360.0) - 180.0;
            assert!((at.lat() - lat.as_f64().unwrap()).abs() < 1e-6 && (at.lon() - lon).abs() < 1e-6, "{name} {n}");
            let nearest = geometry.nearest(at).unwrap();
            assert!(nearest.index == n && nearest.distance_km < 1e-6, "{name} {n}: {nearest:?}");
        }
    }
}

#[test]
fn the_moore_cut_out_does_not_cover_missouri() {
    let Some(bytes) = recorded("model/rap_subset_moore.grib2") else { return };
    let read = rap::profiles(&bytes, "key", &[LatLon::new(40.52, -92.90).unwrap()]).unwrap();
    let error = read.each[0].1.as_ref().unwrap_err().to_string();
    assert!(error.contains("does not cover 40.5200,-92.9000") && error.contains("km away"), "{error}");
}

#[test]
fn recorded_indexes_lead_to_whole_messages() {
    let Some(bytes) = recorded("model/rap_t20z_awp130pgrbf00.idx") else { return };
    let (lines, faults) = grib_index::read(&bytes).unwrap();
    assert!(faults.is_empty());
    assert!(lines.iter().all(|line| line.cycle_utc.to_string() == "2026-06-10T20:00:00Z"));
    let offsets: std::collections::BTreeSet<u64> = lines.iter().map(|line| line.offset).collect();
    assert_eq!(offsets.len(), 306);
    let span = |variable: &str, level: &str, lines: &[grib_index::IndexLine]| {
        grib_index::spans(lines, 0, |line| line.variable == variable && line.level == level)
    };
    // U and V of 100 mb are one message, which ends where the next different offset begins.
    let expected = grib_index::Span { start: 799_467, end: Some(865_573) };
    assert_eq!(span("UGRD", "100 mb", &lines), [expected]);
    assert_eq!(span("VGRD", "100 mb", &lines), [expected]);
    assert_eq!(span("USTM", "0-6000 m above ground", &lines), span("VSTM", "0-6000 m above ground", &lines));
    assert_eq!(span("SBT114", "top of atmosphere", &lines), [grib_index::Span { start: 18_194_685, end: None }]);
    let wanted = |line: &grib_index::IndexLine| rap::is_of_profile(&line.variable, &line.level);
    // 37 isobars of five fields; surface: 4; 2 m: 3; 10 m: 2; layers: 2 x 2; HLCY 2; motion 2.
    assert_eq!(lines.iter().filter(|line| wanted(line)).count(), 37 * 5 + 4 + 3 + 2 + 4 + 2 + 2);
    let spans = grib_index::spans(&lines, grib_index::GAP_MAX_BYTES, wanted);
    let bytes_asked: u64 = spans.iter().map(|span| span.end.unwrap() - span.start).sum();
    eprintln!("RAP: {} ranges, {bytes_asked} of 18.3 million bytes", spans.len());
    assert!(spans.len() <= 8 && bytes_asked < 13_000_000);
    assert!(spans.windows(2).all(|pair| pair[0].end.unwrap() < pair[1].start));
    // HRRR has a line and a message for each component.
    let (lines, faults) = grib_index::read(&recorded("model/hrrr_wrfprsf00.idx").unwrap()).unwrap();
    assert!(faults.is_empty() && lines.len() == 708);
    assert_eq!(
        span("USTM", "0-6000 m above ground", &lines),
        [grib_index::Span { start: 341_283_821, end: Some(342_343_399) }]
    );
    assert_ne!(span("USTM", "0-6000 m above ground", &lines), span("VSTM", "0-6000 m above ground", &lines));
    let error = grib_index::read(&recorded("odd/rap_filter_404_response.html").unwrap()).unwrap_err();
    assert!(error.to_string().contains("web page"), "{error}");
}

#[test]
fn every_file_through_debug_decode_is_truth_or_a_clear_error() {
    for (name, path) in files() {
        let bytes = std::fs::read(path).unwrap();
        let begun = std::time::Instant::now();
        let answer = describe(&name, &bytes, None);
        let took = begun.elapsed();
        let is_grib = bytes.windows(8).any(|window| window.starts_with(b"GRIB") && window[7] == 2);
        if is_grib {
            assert_eq!(answer["ok"], true, "{name}: {answer:#}");
            let wrong: Vec<&Value> = answer["faults"].as_array().unwrap().iter().collect();
            assert!(wrong.iter().all(|fault| fault["what"].as_str().unwrap().contains("no GRIB")), "{name}: {wrong:?}");
        } else {
            assert_eq!(answer["ok"], false, "{name}");
            let what = answer["faults"][0]["what"].as_str().unwrap();
            assert!(what.contains("not GRIB") || what.contains("edition 1"), "{name}: {what}");
        }
        eprintln!("{name}: {} fields in {took:?}", answer["fields_read"]);
    }
}

/// Small deterministic random numbers, so that a failure repeats.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// Reads everything that can be read; what counts is that it ends.
fn read_all(bytes: &[u8]) -> usize {
    let Ok((fields, _)) = grib2::fields(bytes) else { return 0 };
    let mut values = 0;
    for field in &fields {
        values += field.values().map_or(0, |values| values.len());
        if let Ok(geometry) = &field.geometry {
            let _ = (geometry.at(usize::MAX), geometry.nearest(LatLon::new(35.0, -97.0).unwrap()));
        }
    }
    let _ = rap::profiles(bytes, "key", &[LatLon::new(35.339, -97.487).unwrap()]);
    values
}

/// Cut at 20 places and with 200 single bytes changed: values or errors, never a panic, a hang or an abort. Half of the changes
/// are in the head, where every byte has a meaning; of files of many messages the first is taken. In a debug build large files
/// get fewer copies, unless STORMBELL_ALL_COPIES is set.
#[test]
fn broken_copies_end_in_values_or_errors() {
    // Caught panics of the unpacking crates would fill the screen.
    std::panic::set_hook(Box::new(|_| {}));
    let mut slowest = (std::time::Duration::ZERO, String::new());
    for (name, path) in files() {
        let whole = std::fs::read(path).unwrap();
        let Ok((fields, _)) = grib2::fields(&whole) else { continue };
        let begin = fields[0].message_at;
        let end = fields.iter().map(|field| field.message_at).find(|at| *at > begin).unwrap_or(whole.len());
        let bytes = &whole[begin..end];
        let mut random = Random(name.bytes().map(u64::from).sum());
        let mut run = |copy: &[u8], what: String| {
            let begun = std::time::Instant::now();
            read_all(copy);
            let took = begun.elapsed();
            if took > slowest.0 {
                slowest = (took, format!("{name} {what}"));
            }
        };
        for n in 0..20 {
            run(&bytes[..bytes.len() * n / 20], format!("cut {n}"));
        }
        // A large field takes half a second in a debug build: there fewer copies, garbled in the headers.
        let all = !cfg!(debug_assertions) || std::env::var_os("STORMBELL_ALL_COPIES").is_some();
        let large = bytes.len() > 200_000 && !all;
        let (flips, reach) = if large { (40, 400) } else { (200, bytes.len()) };
        for n in 0..flips {
            let mut copy = bytes.to_vec();
            let at = if n % 2 == 0 {
                random.below(reach.min(400).min(copy.len()))
            } else {
                random.below(reach.min(copy.len()))
            };
            copy[at] ^= 1 << random.below(8);
            run(&copy, format!("byte {at}"));
        }
    }
    let _ = std::panic::take_hook();
    eprintln!("slowest broken copy: {} in {:?}", slowest.1, slowest.0);
}

fn ask(places: &[(f64, f64)]) -> Ask {
    let at = |&(lat, lon): &(f64, f64)| AskedPlace { at: LatLon::new(lat, lon).unwrap(), zones_known: true };
    Ask { places: Arc::new(places.iter().map(at).collect()) }
}

async fn poll(outside: Arc<dyn Outside>, config: Config, places: &[(f64, f64)], now: &str) -> Poll {
    open(config, outside).poll(&ask(places), now.parse().unwrap()).await.unwrap()
}

/// The recorded day answers every place with the cut-out of Moore: refused for Missouri by its distance, right for Moore.
#[tokio::test]
async fn the_recorded_day_has_a_profile_for_moore_and_none_for_missouri() {
    let Some(folder) = shared::path("data/days/2026-06-10") else { return };
    let archive = Arc::new(Archive::load(&folder).unwrap());
    for (now, there) in [("2026-06-10T20:47:00Z", false), ("2026-06-10T21:40:00Z", true)] {
        let outside =
            Arc::new(ArchiveOutside::new(Arc::clone(&archive), Clock::starting_at(now.parse().unwrap(), 1e-6)));
        let places = ask(&[(35.339, -97.487), (40.52, -92.90)]);
        let polled = open(Config::default(), outside).poll(&places, now.parse().unwrap()).await;
        if !there {
            assert!(polled.unwrap_err().to_string().contains("no cycle of the last 4 hours"));
            continue;
        }
        let polled = polled.unwrap();
        let [Observation::Profile(profile)] = polled.observations.as_slice() else { panic!("{polled:?}") };
        assert_eq!((profile.asked_place.lat(), profile.forecast_hour), (35.339, 0));
        assert_eq!(profile.key, "rap.20260610/rap.t20z.awp130pgrbf00.grib2");
        assert!(profile.distance_km < 1.0 && polled.good);
        let refused: Vec<_> =
            polled.faults.iter().filter(|fault| fault.what.contains("does not cover 40.5200")).collect();
        assert_eq!((refused.len(), polled.faults.len()), (1, 1), "{:?}", polled.faults);
    }
}

/// The whole file of a bucket by its index and byte ranges: in process and over a socket, the same profile.
#[tokio::test]
async fn a_bucket_of_whole_files_is_read_by_ranges_in_process_and_on_the_wire() {
    const NOW: &str = "2031-05-09T21:05:00Z";
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rap_profiles");
    let folder = tempfile::tempdir().unwrap();
    let head = format!("name = \"planted\"\nfrom = \"{NOW}\"\nto = \"{NOW}\"\n");
    std::fs::write(folder.path().join("archive.toml"), head).unwrap();
    let mut lines = String::new();
    for end in ["", ".idx"] {
        std::fs::copy(fixtures.join(format!("larkfield_t20z_f00.grib2{end}")), folder.path().join(format!("f{end}")))
            .unwrap();
        let key = format!("rap.20310509/rap.t20z.awp130pgrbf00.grib2{end}");
        let s3 = serde_json::json!({"bucket": "noaa-rap-pds", "key": key});
        lines += &format!("{}\n", serde_json::json!({"at": NOW, "s3": s3, "file": format!("f{end}")}));
    }
    std::fs::write(folder.path().join("timeline.jsonl"), lines).unwrap();
    let archive = Arc::new(Archive::load(folder.path()).unwrap());
    let clock = || Clock::starting_at(NOW.parse().unwrap(), 1e-6);
    let config = Config { filter_points_max: 0, forecast_hours: vec![3], ..Config::default() };
    let places = [(37.74, -98.21)];
    let in_process =
        poll(Arc::new(ArchiveOutside::new(Arc::clone(&archive), clock())), config.clone(), &places, NOW).await;
    let (address, serving) = serve(archive, clock(), 0).await.unwrap();
    tokio::spawn(serving);
    let files_url = format!("http://{address}/noaa-rap-pds.s3.amazonaws.com");
    let on_wire = poll(Arc::new(live()), Config { files_url, ..config }, &places, NOW).await;
    assert_eq!((in_process.observations.len(), in_process.good), (1, true), "{:?}", in_process.faults);
    assert_eq!(in_process, on_wire);
}
