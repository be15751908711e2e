//! `stormbell debug sounding FILE`: the soundings in a text file and what they tell about storms, by the maths that the threat rests on.
//!
//! Boundaries: ✓ reads one file, reckons, prints. ✗ no maths and no decoding of its own.

use crate::cli::fail::Failure;
use crate::cli::{decode, print, table};
use crate::decode::sounding::{Sounding, soundings};
use crate::sounding::{environment, regime};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// Columns of the table that a file with several soundings is shown as.
const COLUMNS: &[table::Column] = &[
    ("valid", "/valid_utc"),
    ("levels", "/levels"),
    ("sbcape", "/environment/sbcape_jkg"),
    ("sbcin", "/environment/sbcin_jkg"),
    ("mlcape", "/environment/mlcape_jkg"),
    ("mlcin", "/environment/mlcin_jkg"),
    ("mucape", "/environment/mucape_jkg"),
    ("0-6 km kt", "/environment/bulk_shear_0_6km_kt"),
    ("SRH 0-1", "/environment/srh_0_1km_m2s2"),
    ("SRH 0-3", "/environment/srh_0_3km_m2s2"),
    ("SCP", "/environment/scp"),
    ("STP", "/environment/stp_effective"),
    ("SHIP", "/environment/ship"),
];
/// Dropped levels told of one sounding: enough to see why.
const DROPPED_MAX: usize = 50;

/// Describes a file. Exit code 1 when no sounding can be read.
///
/// # Errors
/// A file that is not there, no regular file, or too large.
pub fn run(file: &Path, json: bool) -> Result<ExitCode, Failure> {
    let bytes = decode::read(file)?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let described = describe(&name, &bytes);
    if json {
        print::document(&described);
    } else {
        print::line(&text(&described));
    }
    Ok(if described["ok"] == true { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The document for one file. A file that cannot be read gives `ok: false` with the error as its one fault.
pub fn describe(file_name: &str, bytes: &[u8]) -> Value {
    match soundings(bytes) {
        Ok(read) => json!({
            "source": "sounding",
            "file": file_name,
            "ok": true,
            "form": read.form,
            "soundings": read.soundings.iter().map(one).collect::<Vec<_>>(),
            "faults": read.faults,
        }),
        Err(error) => {
            let fault = json!({"what": error.to_string(), "where": file_name, "kept_rest": false});
            json!({"source": "sounding", "file": file_name, "ok": false, "faults": [fault]})
        }
    }
}

fn one(sounding: &Sounding) -> Value {
    let column = &sounding.column;
    let told = environment(column);
    let dropped = sounding.dropped.iter().take(DROPPED_MAX);
    let dropped: Vec<Value> = dropped
        .map(|dropped| json!({"pressure_hpa": dropped.pressure_hpa, "part": dropped.part, "why": dropped.why.to_string()}))
        .collect();
    json!({
        "station": sounding.station,
        "place": sounding.place.map(|place| json!({"lat": place.lat(), "lon": place.lon()})),
        "valid_utc": sounding.valid_utc.map(|at| at.to_string()),
        "forecast_hour": sounding.forecast_hour,
        "levels": column.levels().len(),
        "surface_hpa": column.surface().pressure_hpa,
        "surface_msl_m": column.surface().height_msl_m,
        "top_hpa": column.top().pressure_hpa,
        "dropped": dropped,
        "environment": told,
        "reading": regime::read(&told).map(|reading| reading.sentences),
    })
}

/// For a person: everything of a single sounding, a table of several.
fn text(described: &Value) -> String {
    let mut lines = Vec::new();
    match described["soundings"].as_array().map(Vec::as_slice) {
        Some([one]) => {
            let head =
                ["station", "place", "valid_utc", "forecast_hour", "levels", "surface_hpa", "surface_msl_m", "top_hpa"];
            lines.extend(head.iter().filter(|key| !one[**key].is_null()).map(|key| row(key, &one[*key])));
            if let Value::Object(figures) = &one["environment"] {
                lines.extend(figures.iter().map(|(key, value)| row(key, &rounded(value))));
            }
            lines.extend(one["dropped"].as_array().into_iter().flatten().map(|dropped| row("dropped", dropped)));
            lines.extend(one["reading"].as_array().into_iter().flatten().map(|said| table::cell(Some(said))));
        }
        Some(several) => {
            let rows: Vec<Value> = several.iter().map(with_rounded_figures).collect();
            lines.push(table::lay_out(&rows, COLUMNS, "no soundings"));
        }
        None => {}
    }
    let faults = described["faults"].as_array().into_iter().flatten();
    lines.extend(faults.map(|fault| row("fault", &fault["what"])));
    lines.join("\n")
}

fn row(key: &str, value: &Value) -> String {
    let told = match value {
        Value::Object(fields) => {
            let parts: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key} {}", table::cell(Some(&rounded(value))))).collect();
            parts.join(", ")
        }
        plain => table::cell(Some(plain)),
    };
    format!("{key:<30} {told}")
}

/// To a tenth, for reading; `--json` has the figures in full.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            json!(number.as_f64().map(|figure| (figure * 10.0).round() / 10.0))
        }
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), rounded(value))).collect(),
        other => other.clone(),
    }
}

fn with_rounded_figures(sounding: &Value) -> Value {
    json!({
        "valid_utc": sounding["valid_utc"],
        "levels": sounding["levels"],
        "environment": rounded(&sounding["environment"]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = "%TITLE%\n KLKF 310509/2100\n\n%RAW%\n 960,450,30,21,160,15\n 850,1500,19,15,200,30\n 700,3140,8,-5,230,40\n 500,5820,-14,-30,250,60\n 300,9500,-42,-60,255,90\n 200,12100,-55,-70,255,80\n%END%\n";

    #[test]
    fn one_sounding_is_told_in_full() {
        let told = describe("a.raw", RAW.as_bytes());
        assert_eq!((told["ok"].clone(), told["form"].clone()), (json!(true), json!("spc_raw")));
        let sounding = &told["soundings"][0];
        assert_eq!((sounding["station"].clone(), sounding["levels"].clone()), (json!("KLKF"), json!(6)));
        assert!(sounding["environment"]["mlcape_jkg"].as_f64().unwrap() > 500.0);
        let shown = text(&told);
        assert!(shown.contains("mlcape_jkg") && shown.contains("2031-05-09T21:00:00Z"), "{shown}");
        assert!(shown.contains("SCP") && shown.contains("bunkers_right"), "{shown}");
    }

    #[test]
    fn several_are_a_table_and_none_is_a_failure() {
        let told = describe("two.raw", format!("{RAW}{RAW}").as_bytes());
        assert_eq!(told["soundings"].as_array().unwrap().len(), 2);
        assert!(text(&told).lines().count() >= 3);
        let told = describe("x", b"nothing of the kind");
        assert_eq!(told["ok"], json!(false));
        assert!(text(&told).contains("no known sounding form"), "{}", text(&told));
    }
}
