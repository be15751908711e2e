//! An independent MCP client (the `mcp` package from PyPI) uses the nine routine tools of the program itself over a day built
//! from recordings of api.weather.gov; answers and refusals are checked against the output schemas by Python's `jsonschema`
//! and, where there is a Node, by Ajv in strict mode.

use crate::foreign_smtp::python;
use crate::shared;
use jiff::civil::Time;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// The instant that the recordings are put to: that of the national collection among them.
pub const NOW: &str = "2026-07-15T20:01:00Z";

/// A text with the times that weather.gov's test data leave open filled in: `date:now -312 seconds`, `date:now:hour 3 hours`,
/// `date:today 06:00:-5 +1 days`.
pub fn at_time(text: &str, now: &str) -> String {
    let now: Timestamp = now.parse().unwrap();
    let Ok(mut document) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    fill(&mut document, now);
    document.to_string()
}

fn fill(value: &mut Value, now: Timestamp) {
    match value {
        Value::String(text) => {
            if let Some(rest) = text.strip_prefix("date:") {
                let (template, tail) =
                    rest.split_once(" / ").map_or((rest, String::new()), |(a, b)| (a, format!("/{b}")));
                let at = instant(template, now).unwrap_or_else(|| panic!("template {text:?}"));
                *text = format!("{}{tail}", at.strftime("%Y-%m-%dT%H:%M:%S+00:00"));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, now)),
        Value::Object(object) => object.values_mut().for_each(|item| fill(item, now)),
        _ => {}
    }
}

fn instant(template: &str, now: Timestamp) -> Option<Timestamp> {
    let words: Vec<&str> = template.split_whitespace().collect();
    let shift = |count: &str, unit: &str| {
        let count: i64 = count.parse().ok()?;
        Some(match unit {
            "seconds" => SignedDuration::from_secs(count),
            "hours" => SignedDuration::from_hours(count),
            "days" => SignedDuration::from_hours(24 * count),
            _ => return None,
        })
    };
    match words.as_slice() {
        ["now", count, unit] => Some(now + shift(count, unit)?),
        ["now:hour", count, unit] => {
            let hour = Timestamp::from_second(now.as_second() / 3600 * 3600).ok()?;
            Some(hour + shift(count, unit)?)
        }
        ["today", clock, rest @ ..] => {
            let (time, offset) = clock.rsplit_once(':')?;
            let time: Time = format!("{time}:00").parse().ok()?;
            let hours: i8 = offset.parse().ok()?;
            let zone = jiff::tz::Offset::from_hours(hours).ok()?;
            let today = zone.to_datetime(now).date().to_datetime(time);
            let at = zone.to_timestamp(today).ok()?;
            match rest {
                [] => Some(at),
                [count, unit] => Some(at + shift(count, unit)?),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A recorded day in `folder` out of the recordings; `None` where they are not here. What was not recorded (types, counts, a
/// zone's forecast) is made of what was.
pub fn day_of_recordings(folder: &Path) -> Option<()> {
    let recorded = shared::path("data/recorded")?;
    let read = |path: &str| -> Value {
        let text = std::fs::read_to_string(recorded.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        serde_json::from_str(&at_time(&text, NOW)).unwrap()
    };
    let mut lines = Vec::new();
    let mut answer = |path: &str, status: u16, body: &Value| {
        let name = format!("{:03}.json", lines.len());
        std::fs::write(folder.join(&name), body.to_string()).unwrap();
        let headers = json!({"content-type": "application/geo+json"});
        let http = json!({"host": "api.weather.gov", "path": path});
        lines.push(
            json!({"at": "2026-07-15T19:00:00Z", "http": http, "status": status, "headers": headers, "file": name})
                .to_string(),
        );
    };
    let grid = "nws-alerts/api-gridpoints/air-quality-alerts_gridpoints_ALY_71,67";
    let point = read("nws-alerts/api-points/air-quality-alerts_points_42.745,-73.752.json");
    // The second place is arranged: in the same grid, next to a station whose observation was recorded.
    for path in ["/points/42.745,-73.752", "/points/42.89,-73.25"] {
        answer(path, 200, &point);
    }
    let forecast = read(&format!("{grid}_forecast.json"));
    answer("/gridpoints/ALY/71,67/forecast", 200, &forecast);
    answer(
        "/gridpoints/ALY/71,67/forecast/hourly",
        200,
        &read("nws-alerts/api-gridpoints/testing_gridpoints_LWX_95,71_forecast_hourly.json"),
    );
    let stations = read(&format!("{grid}_stations.json"));
    answer("/gridpoints/ALY/71,67/stations", 200, &stations);
    let station = stations["features"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["properties"]["stationIdentifier"] == "KDDH")
        .unwrap();
    answer("/stations/KDDH", 200, station);
    let observations = read("nws-alerts/api-stations/air-quality-alerts_stations_KDDH_observations__limit=1.json");
    answer("/stations/KDDH/observations", 200, &observations);
    answer("/stations/KDDH/observations/latest", 200, &observations["features"][0]);
    let alerts = read("nws-alerts/active_aq20260715_open.reconstructed.json");
    answer("/alerts/active", 200, &alerts);
    let features = alerts["features"].as_array().unwrap();
    let mut types: Vec<&str> = features.iter().map(|f| f["properties"]["event"].as_str().unwrap()).collect();
    types.sort_unstable();
    types.dedup();
    answer("/alerts/types", 200, &json!({"eventTypes": types}));
    answer(
        "/alerts/active/count",
        200,
        &json!({"total": features.len(), "land": features.len(), "marine": 0, "areas": {"NY": 1}, "regions": {}}),
    );
    let names: Vec<PathBuf> =
        std::fs::read_dir(recorded.join("nws-products/api-products")).unwrap().map(|e| e.unwrap().path()).collect();
    let mut graph = Vec::new();
    for name in names {
        let product: Value = serde_json::from_slice(&std::fs::read(&name).unwrap()).unwrap();
        answer(&format!("/products/{}", product["id"].as_str().unwrap()), 200, &product);
        if product["issuingOffice"] == "KTAE" {
            let mut line = product;
            line.as_object_mut().unwrap().remove("productText");
            graph.push(line);
        }
    }
    answer("/products/types/AFD/locations/TAE", 200, &json!({"@graph": graph}));
    let periods: Vec<Value> = forecast["properties"]["periods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| json!({"number": p["number"], "name": p["name"], "detailedForecast": p["detailedForecast"]}))
        .collect();
    answer(
        "/zones/forecast/NYZ052/forecast",
        200,
        &json!({"type": "Feature", "properties": {"updated": NOW, "periods": periods}}),
    );
    std::fs::write(folder.join("timeline.jsonl"), lines.join("\n")).unwrap();
    let about = format!(
        "name = \"recordings\"\nfrom = \"{NOW}\"\nto = \"2026-07-15T21:00:00Z\"\nsources = [\"nws_warnings\"]\n"
    );
    std::fs::write(folder.join("archive.toml"), about).unwrap();
    Some(())
}

fn script(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign").join(file)
}

async fn run(mut command: Command) -> Value {
    let output =
        tokio::time::timeout(Duration::from_secs(180), command.stdin(Stdio::null()).kill_on_drop(true).output());
    let output = output.await.expect("it ends").unwrap();
    assert!(output.status.success(), "it says: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stdout)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_nine_tools_answer_it_out_of_the_recordings() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    if day_of_recordings(folder.path()).is_none() {
        return;
    }
    let day = folder.path().to_str().unwrap();
    let kept = folder.path().join("answers.json");
    let mut command = Command::new(python);
    command.arg(script("nws_client.py")).args(["--keep", kept.to_str().unwrap()]);
    command.args(["--stdio", env!("CARGO_BIN_EXE_stormbell"), "mcp", "--archive", day]);
    let done = run(command).await;
    assert_eq!(done["tools"], 9, "{done}");
    assert!(done["answers"].as_u64().unwrap() >= 14 && done["refusals"].as_u64().unwrap() >= 8, "{done}");
    // A page turn repeats no row: 195 distinct alerts, less those that are over.
    assert!(done["alerts"].as_u64().unwrap() > 150, "{done}");
    strict_schemas(&kept).await;
}

/// Ajv in strict mode. A machine without Node goes without it, whatever is required: `.ci/run` installs Node where it may and
/// says so where it cannot.
async fn strict_schemas(answers: &Path) {
    if let Some(missing) = ["node", "npm"].into_iter().find(|program| !runs(program)) {
        eprintln!("skipped: there is no {missing}, so that answers are not checked by Ajv");
        return;
    }
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ajv-8.17.1");
    if !made.is_dir() {
        // Made aside and moved into place: what stands is whole.
        let aside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(aside.path()).arg("ajv@8.17.1");
        let installed = npm.stdin(Stdio::null()).output().await.unwrap();
        if !installed.status.success() {
            assert!(
                std::env::var("STORMBELL_FOREIGN").as_deref() != Ok("required"),
                "ajv cannot be installed: {}",
                String::from_utf8_lossy(&installed.stderr)
            );
            eprintln!("skipped: Ajv cannot be installed");
            return;
        }
        // Another test may have been first.
        let _ = std::fs::rename(aside.keep(), &made);
    }
    let mut node = Command::new("node");
    node.arg(script("strict_schemas.cjs")).arg(&made).arg(answers);
    let done = run(node).await;
    assert_eq!(done["schemas"], 9, "{done}");
    assert!(done["answers"].as_u64().unwrap() >= 22, "{done}");
}

fn runs(program: &str) -> bool {
    std::process::Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
