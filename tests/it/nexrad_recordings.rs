//! What the radar floor reads from real level II volumes, against MetPy's decode (TRUTH.json), the published station table,
//! the reference implementation's goldens, and damaged copies.

use crate::shared;
use serde_json::Value;
use std::path::PathBuf;
use stormbell::cli::decode_level2::describe;
use stormbell::decode::level2::{self, Level2Error};
use stormbell::geo::{LatLon, compass, round_1dp};
use stormbell::radar::{self, Completeness, RadarVolume};

fn json(path: &str) -> Option<Value> {
    Some(serde_json::from_str(&std::fs::read_to_string(shared::path(path)?).unwrap()).unwrap())
}

fn recording(name: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(shared::path(&format!("data/recorded/nexrad/{name}"))?).unwrap())
}

fn chunks() -> Option<Vec<Vec<u8>>> {
    let folder = shared::path("data/recorded/nexrad/chunks_TORD_20260811")?;
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    Some(paths.iter().map(|path| std::fs::read(path).unwrap()).collect())
}

/// Every recorded volume by the name that TRUTH.json gives it; the chunks put together in order.
fn volumes() -> Option<Vec<(String, Vec<u8>, Value)>> {
    let truth = json("data/recorded/TRUTH.json")?;
    let all = truth["nexrad"].as_object().unwrap().iter().map(|(key, expected)| {
        let name = key.trim_start_matches("nexrad/");
        let bytes = if name.starts_with("chunks_") { chunks().unwrap().concat() } else { recording(name).unwrap() };
        (name.to_owned(), bytes, expected.clone())
    });
    Some(all.collect())
}

fn read(name: &str, bytes: &[u8]) -> RadarVolume {
    level2::volume(name, bytes).unwrap_or_else(|error| panic!("{name}: {error}")).0
}

#[test]
fn every_volume_reads_as_metpy_read_it() {
    let Some(volumes) = volumes() else { return };
    assert!(volumes.len() >= 14);
    for (name, bytes, expected) in volumes {
        let volume = read(&name, &bytes);
        assert_eq!(format!("{}.", volume.format), expected["magic"], "{name}");
        let station = volume.station.clone().unwrap_or_else(|| "    ".to_owned());
        assert_eq!(station, expected["station"], "{name}");
        let stated = expected["volume_time"].as_str().unwrap().replace(' ', "T") + "Z";
        assert_eq!(volume.scan_start_utc, stated.parse::<jiff::Timestamp>().unwrap(), "{name}");
        assert_eq!(u64::from(volume.vcp.unwrap()), expected["vcp"].as_u64().unwrap(), "{name}");
        let radials: u32 = volume.sweeps.iter().map(|sweep| sweep.radials).sum();
        let counts = (volume.sweeps.len() as u64, u64::from(radials));
        assert_eq!(counts, (expected["n_sweeps"].as_u64().unwrap(), expected["n_radials"].as_u64().unwrap()), "{name}");
        for (sweep, expected) in volume.sweeps.iter().zip(expected["sweeps"].as_array().unwrap()) {
            let here = format!("{name} sweep {}", expected["sweep"]);
            assert_eq!(u64::from(sweep.radials), expected["n_radials"].as_u64().unwrap(), "{here}");
            assert!((sweep.elevation_deg - expected["el"].as_f64().unwrap()).abs() < 1e-3, "{here}");
            assert_eq!(serde_json::json!(sweep.moments), expected["moments"], "{here}");
            same_gate(sweep.max_reflectivity, &expected["max_ref"], &here);
        }
        same_gate(volume.max_reflectivity(), &expected["max_reflectivity"], &name);
    }
}

fn same_gate(gate: Option<radar::Gate>, expected: &Value, here: &str) {
    assert_eq!(gate.is_none(), expected.is_null(), "{here}: {gate:?} for {expected}");
    let Some(gate) = gate else { return };
    let number = |key: &str| expected[key].as_f64().unwrap();
    assert_eq!(gate.dbz, number("dbz"), "{here}");
    assert!((gate.range_km - number("range_km")).abs() < 1e-6, "{here}: {gate:?}");
    assert!((gate.azimuth_deg - number("az")).abs() < 1e-6, "{here}: {gate:?}");
    assert!((gate.elevation_deg - number("el")).abs() < 1e-6, "{here}: {gate:?}");
}

#[test]
fn debug_decode_describes_a_volume_or_says_why_not() {
    let Some(bytes) = recording("KLBB20160601_150025_V06") else { return };
    let shown = describe("KLBB20160601_150025_V06", &bytes, Some(LatLon::new(33.58, -101.85).unwrap()));
    assert_eq!(
        (shown["ok"].as_bool(), shown["vcp"].as_u64(), shown["radials"].as_u64()),
        (Some(true), Some(21), Some(5400))
    );
    assert_eq!(shown["at"]["site"]["id"], "KLBB");
    let table = recording("nexrad_station_table.txt").unwrap();
    assert_eq!(describe("nexrad_station_table.txt", &table, None)["ok"], false);
    let unix = [0x1F, 0x9D, 0x90, 0x41];
    assert!(describe("KTLX.Z", &unix, None)["faults"][0]["what"].as_str().unwrap().contains("unsupported"));
}

/// Field reports R07 and R08: a volume that was cut is not taken for one that ended.
#[test]
fn volumes_say_whether_they_are_whole_r07_r08() {
    let Some(volumes) = volumes() else { return };
    for (name, bytes, _) in volumes {
        let volume = read(&name, &bytes);
        let whole = !matches!(volume.completeness, Completeness::Incomplete { .. });
        // Trimmed by their projects to three sweeps, or to 120 radials.
        let trimmed = name.ends_with(".bin") || name.contains("compressed");
        assert_eq!(whole, !trimmed, "{name}: {:?}", volume.completeness);
        if name == "KLBB20160601_150025_V06" {
            let short = read(&name, &bytes[..bytes.len() / 2]);
            assert!(matches!(short.completeness, Completeness::Incomplete { .. }));
            assert!(short.sweeps.len() < volume.sweeps.len());
        }
    }
}

/// Field reports R01 and R08: the volume ends with its E chunk, not at a number of chunks; a chunk from the middle alone is
/// no volume, and the volume without its end is incomplete.
#[test]
fn chunks_are_read_in_order_and_alone_they_are_refused_r01_r08() {
    let Some(chunks) = chunks() else { return };
    assert_eq!(read("all", &chunks.concat()).completeness, Completeness::Complete);
    let error = level2::volume("one", &chunks[7]).unwrap_err();
    assert!(
        matches!(&error, Level2Error::NotLevel2 { found } if found.contains("without the volume header")),
        "{error}"
    );
    let half = read("half", &chunks[..20].concat());
    assert!(matches!(half.completeness, Completeness::Incomplete { .. }));
    assert!(half.sweeps.last().unwrap().azimuths_covered_deg < 360 || half.sweeps.len() < 16);
}

/// The table of sites equals NOAA's, row by row; nearest sites equal the goldens.
#[test]
fn the_site_table_is_the_published_one() {
    let Some(path) = shared::path("data/recorded/nexrad/nexrad_station_table.txt") else { return };
    let table = std::fs::read_to_string(path).unwrap();
    let mut rows = 0;
    for line in table.lines().skip(2) {
        let part = |from: usize, to: usize| line.get(from..to.min(line.len())).unwrap_or("").trim();
        let name = part(20, 50);
        let test_radar = name.contains("RDA") || name.contains("NSSL") || line[20..50].contains("ROC ");
        if !part(140, 190).contains("NEXRAD") || test_radar {
            continue;
        }
        rows += 1;
        let site = radar::site(part(9, 13)).unwrap_or_else(|| panic!("{line}"));
        assert_eq!((site.name.to_uppercase(), site.state.as_str()), (name.to_uppercase(), part(72, 74)), "{line}");
        let number = |from: usize, to: usize| part(from, to).parse::<f64>().unwrap();
        assert_eq!((site.at.lat(), site.at.lon()), (number(106, 115), number(116, 126)), "{line}");
        assert_eq!(f64::from(site.elevation_ft), number(127, 133), "{line}");
    }
    assert_eq!((rows, radar::sites().count()), (161, 161));
    let goldens = json("goldens/shearline.json").unwrap();
    for point in goldens["nexrad"]["points"].as_array().unwrap() {
        let place = LatLon::new(point["lat"].as_f64().unwrap(), point["lon"].as_f64().unwrap()).unwrap();
        let near = radar::nearest_sites(place, 3);
        for ((site, km), expected) in near.iter().zip(point["nearest3"].as_array().unwrap()) {
            assert_eq!(
                (site.id.as_str(), site.name.as_str(), site.state.as_str()),
                (
                    expected["id"].as_str().unwrap(),
                    expected["name"].as_str().unwrap(),
                    expected["state"].as_str().unwrap()
                )
            );
            assert_eq!(round_1dp(*km), expected["distance_km"].as_f64().unwrap(), "{}", point["name"]);
            let bearing_deg = place.bearing_deg(site.at);
            assert_eq!(
                (bearing_deg.round() as u64, compass(bearing_deg)),
                (expected["bearing_deg"].as_u64().unwrap(), expected["direction"].as_str().unwrap())
            );
        }
    }
}

/// Small enough for many copies in an unoptimised test.
const SMALL_BYTES: usize = 600_000;

/// Cut at 20 places, and with up to 200 random bytes changed: values or errors, in bounded time and memory. Large volumes,
/// which take a second each, in fewer copies.
#[test]
fn damaged_copies_end_in_values_or_errors() {
    let Some(volumes) = volumes() else { return };
    let mut seed = 11_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for (name, bytes, _) in volumes {
        // A large volume takes seconds in a debug build: there fewer copies, unless STORMBELL_ALL_COPIES is set.
        let all = !cfg!(debug_assertions) || std::env::var_os("STORMBELL_ALL_COPIES").is_some();
        let small = all || bytes.len() < SMALL_BYTES;
        for part in (0..20).step_by(if small { 1 } else { 7 }) {
            if let Ok((volume, _)) = level2::volume(&name, &bytes[..bytes.len() * part / 20]) {
                assert!(matches!(volume.completeness, Completeness::Incomplete { .. }), "{name} {part}");
            }
        }
        let copies = match (all, small) {
            (true, _) => 200,
            (false, true) => 30,
            (false, false) => 2,
        };
        for copy in 0..copies {
            let mut damaged = bytes.clone();
            for _ in 0..if copy % 2 == 0 { 1 + random(8) } else { 200 } {
                let at = random(damaged.len());
                damaged[at] ^= 1 << random(8);
            }
            if let Ok((volume, _)) = level2::volume(&name, &damaged) {
                assert!(volume.sweeps.len() <= 64);
            }
        }
        println!("{name}: damaged copies end in values or errors");
    }
}
