//! `stormbell debug decode rap FILE`: every field of a model's GRIB file, and with `--at` the profile over a place, as one JSON
//! document (design/cli.md).

use crate::decode::grib2::{self, Field};
use crate::decode::rap;
use crate::geo::{LatLon, round_1dp};
use crate::observation::Fault;
use crate::profile::ModelProfile;
use serde_json::{Value, json};

/// The document for one file. A file that cannot be read gives `ok: false` with the error as its one fault; so does one that
/// cannot give the profile asked for.
pub fn describe(file_name: &str, bytes: &[u8], at: Option<LatLon>) -> Value {
    let fault = |what: String| json!({"what": what, "where": file_name, "kept_rest": false});
    let (fields, faults) = match grib2::fields(bytes) {
        Ok(read) => read,
        Err(error) => {
            return json!({"source": "rap", "file": file_name, "ok": false, "faults": [fault(error.to_string())]});
        }
    };
    let mut faults: Vec<Value> = faults.iter().map(told).collect();
    let rows: Vec<Value> = fields.iter().map(|field| row(field, &mut faults)).collect();
    let mut messages: Vec<usize> = fields.iter().map(|field| field.message_at).collect();
    messages.dedup();
    let read = rows.iter().filter(|row| row["error"].is_null()).count();
    let mut answer = json!({
        "source": "rap",
        "file": file_name,
        "ok": read > 0,
        "messages": messages.len(),
        "fields_read": read,
        "fields": rows,
    });
    let Some(object) = answer.as_object_mut() else { return answer };
    if let Some(place) = at {
        match rap::profiles(bytes, file_name, &[place]) {
            Ok(profiles) => match profiles.each.into_iter().next() {
                Some((_, Ok(profile))) => {
                    object.insert("profile".to_owned(), profile_of(&profile));
                    object.insert("levels".to_owned(), levels_of(&profile));
                }
                Some((_, Err(error))) => {
                    object.insert("ok".to_owned(), json!(false));
                    faults.push(fault(error.to_string()));
                }
                None => {}
            },
            Err(error) => {
                object.insert("ok".to_owned(), json!(false));
                faults.push(fault(error.to_string()));
            }
        }
    }
    object.insert("faults".to_owned(), Value::Array(faults));
    answer
}

fn told(fault: &Fault) -> Value {
    json!({"what": fault.what, "where": fault.place, "kept_rest": fault.kept_rest})
}

/// One field; one that does not unpack is a fault, and its row says so.
fn row(field: &Field<'_>, faults: &mut Vec<Value>) -> Value {
    let name = field.product.name(field.discipline);
    let place = format!("byte {}.{}", field.message_at, field.number_in_message);
    let mut row = json!({
        "at_byte": field.message_at,
        "number_in_message": field.number_in_message,
        "name": name,
        "level": field.product.levels.map(|levels| levels.name()),
        "unit": field.product.unit(field.discipline),
        "parameter": {
            "discipline": field.discipline, "category": field.product.category, "number": field.product.number,
        },
        "reference_utc": field.reference_utc.to_string(),
        "valid_utc": field.valid_utc.map(|at| at.to_string()),
        "packing": {"template": field.packing.template, "bits": field.packing.bits},
        "points": field.points,
    });
    let Some(object) = row.as_object_mut() else { return row };
    let grid = match &field.geometry {
        Ok(geometry) => {
            let (ni, nj) = geometry.size();
            let first = geometry.at(0).map(|at| json!({"lat": at.lat(), "lon": at.lon()}));
            json!({"template": field.grid_template, "name": geometry.name(), "ni": ni, "nj": nj, "first": first})
        }
        Err(error) => json!({"template": field.grid_template, "unplaced": error.to_string()}),
    };
    object.insert("grid".to_owned(), grid);
    match field.values() {
        Ok(values) => {
            let there = || values.iter().copied().filter(|value| !value.is_nan());
            let (min, max) = (there().min_by(f32::total_cmp), there().max_by(f32::total_cmp));
            let count = there().count();
            let mean = there().map(f64::from).sum::<f64>() / count as f64;
            object.insert("missing".to_owned(), json!(values.len() - count));
            object.insert("min".to_owned(), json!(min));
            object.insert("max".to_owned(), json!(max));
            object.insert("mean".to_owned(), json!((count > 0).then_some(mean)));
        }
        Err(error) => {
            object.insert("error".to_owned(), json!(error.to_string()));
            faults.push(json!({"what": error.to_string(), "where": format!("{name} at {place}"), "kept_rest": true}));
        }
    }
    row
}

fn profile_of(profile: &ModelProfile) -> Value {
    json!({
        "model": profile.model,
        "cycle_utc": profile.cycle_utc.to_string(),
        "valid_utc": profile.valid_utc.to_string(),
        "forecast_hour": profile.forecast_hour,
        "asked_place": {"lat": profile.asked_place.lat(), "lon": profile.asked_place.lon()},
        "grid_point": {"lat": profile.grid_point.lat(), "lon": profile.grid_point.lon()},
        "distance_km": round_1dp(profile.distance_km),
        "terrain_msl_m": profile.terrain_msl_m,
        "model_reported": profile.model_reported,
    })
}

/// To a thousandth: finer than any packing.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn levels_of(profile: &ModelProfile) -> Value {
    let levels = profile.column.levels().iter().map(|level| {
        json!({
            "pressure_hpa": rounded(level.pressure_hpa),
            "height_msl_m": rounded(level.height_msl_m),
            "temperature_c": rounded(level.temperature_c),
            "dew_point_c": level.dew_point_c.map(rounded),
            "u_ms": level.wind.map(|wind| rounded(wind.u_ms)),
            "v_ms": level.wind.map(|wind| rounded(wind.v_ms)),
            "wind_from_deg": level.wind.map(|wind| wind.from_deg().round()),
            "wind_ms": level.wind.map(|wind| rounded(wind.speed_ms())),
        })
    });
    Value::Array(levels.collect())
}
