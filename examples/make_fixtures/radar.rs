//! Small MRMS files for the tests of the mrms source and of `debug decode`, each with what it holds written beside it.

use super::grib::{self, MrmsSpec, Patch};
use serde_json::{Value, json};

/// Valid time of all of them.
const AT: &str = "2031-05-09T21:30:00Z";

/// Files by name in `fixtures/mrms`, and `truth.json`.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut truths = serde_json::Map::new();
    let specs = good_files();
    let cut = specs.first().map(|(_, spec)| grib::encode_mrms(spec)).unwrap_or_default();
    for (name, spec) in specs {
        truths.insert(name.to_owned(), truth(&spec));
        files.push((name.to_owned(), grib::encode_mrms(&spec)));
    }
    let broken: [(&str, Vec<u8>, &str); 3] = [
        ("cut_short.grib2.gz", cut[..cut.len() * 6 / 10].to_vec(), "gzip"),
        ("web_page.grib2.gz", b"<!DOCTYPE html><html><body>503 Slow Down</body></html>\n".to_vec(), "a web page"),
        ("not_grib.gz", grib::gzip(&nmq_header()), "NMQ/Q3"),
    ];
    for (name, bytes, error) in broken {
        truths.insert(name.to_owned(), json!({"error_says": error}));
        files.push((name.to_owned(), bytes));
    }
    let text = serde_json::to_string_pretty(&Value::Object(truths)).expect("a map of plain values");
    files.push(("truth.json".to_owned(), (text + "\n").into_bytes()));
    files
}

/// A hail core at a known cell, not covered in the west, a plain zero in the east.
fn good_files() -> Vec<(&'static str, MrmsSpec)> {
    let at = AT.parse().expect("a constant");
    let band = |columns: (u32, u32), value| Patch { from: (columns.0, 0), to: (columns.1, 299), value };
    let core = |value| Patch { from: (198, 98), to: (202, 102), value };
    let mut mesh = MrmsSpec::mesh_max_60min(at);
    mesh.patches = vec![band((0, 59), -3.0), band((380, 399), 0.0), core(25.4)];
    mesh.cells = vec![(200, 100, 44.5), (300, 250, 44.5)];
    let mut rotation_ml = MrmsSpec::rotation_ml_60min(at);
    rotation_ml.patches = vec![core(8.0)];
    rotation_ml.cells = vec![(201, 101, 19.0)];
    let mut rotation_ll = MrmsSpec::rotation_ll_60min(at);
    rotation_ll.cells = vec![(10, 10, 12.0)];
    let mut vil = MrmsSpec::vil(at);
    vil.patches = vec![core(35.0)];
    vil.cells = vec![(199, 99, 62.5)];
    let mut reflectivity = MrmsSpec::composite_reflectivity(at);
    reflectivity.patches =
        vec![band((0, 59), -999.0), Patch { from: (150, 50), to: (250, 150), value: -15.5 }, core(51.5)];
    reflectivity.cells = vec![(200, 100, 67.0), (300, 20, -31.0)];
    let mut narrow = MrmsSpec { num_bits: 4, ..rotation_ll.clone() };
    narrow.cells = vec![(399, 299, 15.0), (0, 0, 3.0)];
    let from_the_south = MrmsSpec { scan_mode: 0x40, ..mesh.clone() };
    let mut thinned = MrmsSpec { ni: 20, nj: 10, ..mesh.clone() };
    thinned.patches = Vec::new();
    thinned.cells = vec![(3, 3, 9999.0 / 10.0)];
    thinned.absent = Some(vec![(0, 0), (19, 9)]);
    vec![
        ("mesh_max_60min.grib2.gz", mesh),
        ("rotation_track_ml_60min.grib2.gz", rotation_ml),
        ("rotation_track_ll_60min.grib2.gz", rotation_ll),
        ("vil.grib2.gz", vil),
        ("composite_reflectivity.grib2.gz", reflectivity),
        ("four_bits.grib2.gz", narrow),
        ("from_the_south.grib2.gz", from_the_south),
        ("bitmap.grib2.gz", thinned),
    ]
}

/// What must be read from a file, counted cell by cell from what was planted.
fn truth(spec: &MrmsSpec) -> Value {
    let reflectivity = spec.category == 10;
    let (none, looked, least) = if reflectivity { (-999.0, -99.0, -30.0) } else { (-3.0, -1.0, 0.001) };
    let absent = spec.absent.as_deref().unwrap_or_default();
    let (mut signal, mut no_coverage, mut missing, mut no_echo) = (0, 0, 0, 0);
    let mut max: Option<(f64, u32, u32)> = None;
    for row in 0..spec.nj {
        for column in 0..spec.ni {
            let value = spec.value_of(column, row);
            if absent.contains(&(column, row)) {
                continue;
            }
            if value == none {
                no_coverage += 1;
            } else if value == looked {
                missing += 1;
            } else if value < least {
                no_echo += 1;
            } else {
                signal += 1;
                if max.is_none_or(|(most, ..)| value > most) {
                    max = Some((value, column, row));
                }
            }
        }
    }
    let max = max.map(|(value, column, row)| {
        let (lat, lon) = spec.centre_of(column, row);
        json!({"value": value, "lat": (lat * 1e6).round() / 1e6, "lon": (lon * 1e6).round() / 1e6})
    });
    json!({
        "parameter": {"discipline": 209, "category": spec.category, "number": spec.number},
        "valid_utc": spec.reference_utc.to_string(),
        "ni": spec.ni,
        "nj": spec.nj,
        "cells": {
            "signal": signal, "no_coverage": no_coverage, "missing": missing, "no_echo": no_echo,
            "without_value": absent.len(),
        },
        "max": max,
    })
}

/// How a mosaic of the system before MRMS begins: its date, as little-endian numbers.
fn nmq_header() -> Vec<u8> {
    let mut out: Vec<u8> = [2013i32, 9, 20, 19, 0, 0].iter().flat_map(|n| n.to_le_bytes()).collect();
    out.resize(200, 0);
    out
}
