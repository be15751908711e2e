//! `stormbell debug decode mrms FILE`: what a radar file says, as one JSON document (design/cli.md).

use crate::decode::mrms::{self, Field};
use crate::geo::{LatLon, compass, round_1dp};
use crate::mosaic::Coverage;
use serde_json::{Value, json};

/// The document for one file. A file that cannot be read gives `ok: false` with the error as its one fault.
pub fn describe(file_name: &str, bytes: &[u8], at: Option<LatLon>, radius_km: f64) -> Value {
    let field = match mrms::field(file_name, bytes) {
        Ok(field) => field,
        Err(error) => {
            let fault = json!({"what": error.to_string(), "where": file_name, "kept_rest": false});
            return json!({"source": "mrms", "file": file_name, "ok": false, "faults": [fault]});
        }
    };
    let grid = field.cells.grid();
    let counts = field.cells.counts();
    let corner = (grid.lat_deg(0), grid.lon_deg(0));
    let max = field.cells.max().map(|(value, row, column)| {
        json!({"value": value, "lat": grid.lat_deg(i64::from(row)), "lon": grid.lon_deg(i64::from(column))})
    });
    let faults: Vec<Value> =
        field.faults.iter().map(|f| json!({"what": f.what, "where": f.place, "kept_rest": f.kept_rest})).collect();
    let mut answer = json!({
        "source": "mrms",
        "file": file_name,
        "ok": true,
        "product": field.profile.name,
        "parameter": {
            "discipline": field.parameter.0, "category": field.parameter.1, "number": field.parameter.2,
        },
        "valid_utc": field.valid_utc.to_string(),
        "grid": {
            "ni": grid.ni,
            "nj": grid.nj,
            "lat_first": corner.0,
            "lon_first": corner.1,
            "d_deg": grid.d_lat_ndeg as f64 / 1e9,
        },
        "unit": field.profile.unit,
        "cells": {
            "signal": counts.signal,
            "no_coverage": counts.no_coverage,
            "missing": counts.missing,
            "no_echo": counts.no_echo,
            "without_value": counts.absent,
        },
        "states_coverage": field.profile.states_coverage,
        "max": max,
        "faults": faults,
    });
    if let (Some(place), Some(object)) = (at, answer.as_object_mut()) {
        object.insert("at".to_owned(), describe_at(&field, place, radius_km));
    }
    answer
}

fn describe_at(field: &Field, place: LatLon, radius_km: f64) -> Value {
    let max = field.cells.max_within(place, radius_km).map(|cell| {
        json!({
            "value": cell.value,
            "lat": cell.at.lat(),
            "lon": cell.at.lon(),
            "distance_km": round_1dp(cell.distance_km),
            "bearing_deg": cell.bearing_deg.round(),
            "direction": compass(cell.bearing_deg),
        })
    });
    let (covered, word) = match field.cells.coverage(place, radius_km) {
        Coverage::Covered => (Some(true), "covered"),
        Coverage::Partial => (Some(false), "partial"),
        Coverage::Uncovered => (Some(false), "uncovered"),
        Coverage::Unstated => (None, "unstated"),
    };
    json!({
        "lat": place.lat(),
        "lon": place.lon(),
        "radius_km": radius_km,
        "max": max,
        "cells": field.cells.count_within(place, radius_km),
        "covered": covered,
        "coverage": word,
    })
}
