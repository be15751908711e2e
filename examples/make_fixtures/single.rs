//! Single radar files with planted cells, one of each product, at MRMS's own spacing: for `debug decode` and its tests.

use crate::grib::{self, MrmsSpec, Patch};
use serde_json::{Value, json};

/// All five are valid at this instant.
const VALID_UTC: &str = "2031-05-09T21:30:00Z";

/// File by name, and the truth beside them.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let valid: jiff::Timestamp = VALID_UTC.parse().expect("a constant");
    let planted: [(&str, &str, MrmsSpec, f64, Option<f64>); 5] = [
        ("MESH_Max_60min", "mm", MrmsSpec::mesh_max_60min(valid), 44.5, Some(-3.0)),
        ("RotationTrackML60min", "0.001 /s", MrmsSpec::rotation_ml_60min(valid), 14.0, None),
        ("RotationTrack60min", "0.001 /s", MrmsSpec::rotation_ll_60min(valid), 8.0, None),
        ("VIL", "kg/m2", MrmsSpec::vil(valid), 52.0, Some(-3.0)),
        ("MergedReflectivityQCComposite", "dBZ", MrmsSpec::composite_reflectivity(valid), 57.5, Some(-999.0)),
    ];
    let mut files = Vec::new();
    let mut truth = Vec::new();
    for (product, unit, mut spec, value, not_covered) in planted {
        // The largest cell at column 200, row 100, a lesser one beside it, and a corner without radar.
        spec.cells.extend([(200, 100, value), (201, 100, (value / 2.0).floor())]);
        if let Some(nothing) = not_covered {
            spec.patches.push(Patch { from: (0, 0), to: (19, 9), value: nothing });
        }
        let name = format!("MRMS_{product}_00.50_20310509-213000.grib2.gz");
        truth.push(truth_of(&name, unit, &spec, value, not_covered.is_some()));
        files.push((name, grib::encode_mrms(&spec)));
    }
    files.push(("truth.json".to_owned(), format!("{:#}\n", json!(truth)).into_bytes()));
    files
}

fn truth_of(name: &str, unit: &str, spec: &MrmsSpec, value: f64, has_corner: bool) -> Value {
    let (lat, lon) = spec.centre_of(200, 100);
    json!({
        "file": name, "unit": unit, "valid_utc": VALID_UTC, "ni": spec.ni, "nj": spec.nj,
        "max": {"value": value, "lat": (lat * 1e4).round() / 1e4, "lon": (lon * 1e4).round() / 1e4},
        "signal_cells": 2, "no_coverage_cells": if has_corner { 200 } else { 0 },
    })
}
