//! SPC's recorded layers against what the peer reads from them, through the decoders and `debug decode`.

use crate::shared;
use serde_json::Value;
use std::path::Path;
use stormbell::cli::decode_spc;
use stormbell::geo::LatLon;

fn goldens() -> Option<Value> {
    let text = std::fs::read(shared::path("goldens/shearline.json")?).unwrap();
    Some(serde_json::from_slice::<Value>(&text).unwrap()["spc"].clone())
}

/// A recording by the name that goldens use: some lie with the recorded day.
fn recording(name: &str) -> Option<Vec<u8>> {
    let day = name.replace("spc_day", "day").replace("_cat", "otlk_cat").replace("_prob", "otlk_prob");
    let places = [format!("data/recorded/spc/{name}"), format!("data/days/2026-06-10/spc/{day}")];
    let root = shared::path("data")?;
    places.iter().find_map(|place| std::fs::read(root.parent()?.join(place)).ok())
}

fn described(name: &str, bytes: &[u8], case: &Value) -> Value {
    let place = LatLon::new(case["lat"].as_f64().unwrap(), case["lon"].as_f64().unwrap()).unwrap();
    let described = decode_spc::describe(name, bytes, Some(place));
    assert_eq!(described["ok"], true, "{name}: {described}");
    described["at"].clone()
}

/// All points of the peer's goldens: category, probability, intensity, hatching.
#[test]
fn points_read_as_the_peer_reads_them() {
    let Some(goldens) = goldens() else { return };
    let (mut compared, mut absent) = (0, Vec::new());
    for (section, keys) in [
        ("categorical", &["dn", "label"][..]),
        ("probability", &["probability_pct", "conditional_intensity", "significant"][..]),
    ] {
        for case in goldens[section].as_array().unwrap() {
            let name = case["file"].as_str().unwrap();
            let Some(bytes) = recording(name) else {
                absent.push(name.to_owned());
                continue;
            };
            let here = described(name, &bytes, case);
            for key in keys {
                assert_eq!(here[key], case[key], "{name} at {}: {key}", case["name"]);
            }
            compared += 1;
        }
    }
    absent.dedup();
    println!("{compared} points compared; not recorded here: {absent:?}");
    assert!(compared >= 50, "only {compared} compared");
}

#[test]
fn times_read_as_the_peer_reads_them() {
    let Some(goldens) = goldens() else { return };
    let digits = |value: &Value| {
        let at: jiff::Timestamp = value.as_str().unwrap().parse().unwrap();
        at.strftime("%Y%m%d%H%M").to_string()
    };
    let mut compared = 0;
    for case in goldens["meta"].as_array().unwrap() {
        let name = case["file"].as_str().unwrap();
        let Some(bytes) = recording(name) else { continue };
        let described = decode_spc::describe(name, &bytes, None);
        for key in ["valid_utc", "expire_utc", "issue_utc"] {
            assert_eq!(digits(&described[key]), case[key].as_str().unwrap(), "{name}: {key}");
        }
        compared += 1;
    }
    assert!(compared >= 6, "only {compared} compared");
}

/// Field report S13: the cut form of the same layer gives the same categories everywhere.
#[test]
fn nested_and_cut_layers_agree() {
    let (Some(nested), Some(cut)) = (recording("spc_day1_cat.geojson"), recording("spc_day1_cat_nolyr.geojson")) else {
        return;
    };
    let mut seen = std::collections::BTreeSet::new();
    for row in 0..52 {
        for column in 0..118 {
            let place = LatLon::new(24.1 + f64::from(row) * 0.5, -125.3 + f64::from(column) * 0.5).unwrap();
            let label = |bytes: &[u8]| decode_spc::describe("x", bytes, Some(place))["at"]["label"].clone();
            if (row + column) % 4 != 0 {
                continue;
            }
            let label_nested = label(&nested);
            assert_eq!(label_nested, label(&cut), "{place:?}");
            seen.insert(label_nested.to_string());
        }
    }
    assert_eq!(seen.len(), 5, "{seen:?}");
}

/// Every file of the folder gives its truth or says what it is; damaged copies never panic.
#[test]
fn every_recorded_file_is_read_or_named() {
    let Some(folder) = shared::path("data/recorded/spc") else { return };
    let mut files = Vec::new();
    collect(&folder, &mut files);
    let (mut read, mut named) = (0, 0);
    for path in &files {
        let bytes = std::fs::read(path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let described = decode_spc::describe(&name, &bytes, None);
        if name.ends_with(".geojson") {
            assert_eq!(described["ok"], true, "{name}: {described}");
            assert_eq!(described["faults"].as_array().unwrap().len(), 0, "{name}: {described}");
            read += 1;
        } else {
            let what = described["faults"][0]["what"].as_str().unwrap();
            assert!(what.starts_with("not a GeoJSON collection but an NWS text bulletin ("), "{name}: {what}");
            named += 1;
        }
    }
    assert!(read >= 7 && named >= 40, "{read} read, {named} named");
    damage(&files, |bytes| drop(decode_spc::describe("x", bytes, LatLon::new(40.5, -92.9).ok())));
}

fn collect(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}

/// Each file truncated at 20 places and with 200 random bytes changed, one after the other.
pub fn damage(files: &[std::path::PathBuf], mut read: impl FnMut(&[u8])) {
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    for path in files {
        let whole = std::fs::read(path).unwrap();
        for cut in 0..20 {
            read(&whole[..whole.len() * cut / 20]);
        }
        for _ in 0..200 {
            let mut bytes = whole.clone();
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let place = (seed % bytes.len() as u64) as usize;
            bytes[place] ^= (seed >> 32) as u8 | 1;
            read(&bytes);
        }
    }
}
