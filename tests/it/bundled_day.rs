//! The fixtures that `examples/make_fixtures` plants: every radar file reads back as planted, and the bundled day is
//! decided as `truth.json` says, reckoned by hand from the rules.

use serde_json::Value;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use stormbell::app::{self, ReplayEvent, ReplayOptions, Setup};
use stormbell::cli::decode_mrms;
use stormbell::cli::parse::{self, Speed};
use stormbell::threat::Level;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn day() -> PathBuf {
    fixtures().join("days/2031-05-09")
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// What `debug decode` says of a file.
fn described(path: &Path) -> Value {
    let name = path.file_name().unwrap().to_str().unwrap();
    decode_mrms::describe(name, &std::fs::read(path).unwrap(), None, 40.0)
}

#[track_caller]
fn is_near(found: &Value, planted: &Value, what: &str) {
    let (found, planted) = (found.as_f64().unwrap_or(f64::NAN), planted.as_f64().unwrap());
    assert!((found - planted).abs() < 1e-3, "{what}: {found} instead of {planted}");
}

#[test]
fn single_radar_files_read_back_as_planted() {
    let truth = json(&fixtures().join("mrms/truth.json"));
    assert_eq!(truth.as_array().unwrap().len(), 5);
    for planted in truth.as_array().unwrap() {
        let name = planted["file"].as_str().unwrap();
        let seen = described(&fixtures().join("mrms").join(name));
        assert_eq!(seen["ok"], true, "{name}: {seen}");
        for key in ["value", "lat", "lon"] {
            is_near(&seen["max"][key], &planted["max"][key], name);
        }
        assert_eq!(seen["valid_utc"], planted["valid_utc"], "{name}");
        assert_eq!((&seen["grid"]["ni"], &seen["grid"]["nj"]), (&planted["ni"], &planted["nj"]), "{name}");
        assert_eq!(seen["cells"]["signal"], planted["signal_cells"], "{name}");
        if planted["no_coverage_cells"] != 0 {
            assert_eq!(seen["cells"]["no_coverage"], planted["no_coverage_cells"], "{name}");
        }
    }
}

#[test]
fn every_radar_file_of_the_day_reads_back_as_planted() {
    let truth = json(&day().join("truth.json"));
    for planted in truth["radar"].as_array().unwrap() {
        let name = planted["file"].as_str().unwrap();
        let seen = described(&day().join(name));
        assert_eq!(seen["ok"], true, "{name}: {seen}");
        assert_eq!(seen["cells"]["signal"], planted["signal_cells"], "{name}");
        if planted["max"].is_null() {
            assert!(seen["max"].is_null(), "{name}: {}", seen["max"]);
            continue;
        }
        is_near(&seen["max"]["value"], &planted["max"], name);
        let at_planted = |cell: &Value| {
            let off = |key: &str| (seen["max"][key].as_f64().unwrap() - cell[key].as_f64().unwrap()).abs();
            off("lat") < 1e-3 && off("lon") < 1e-3
        };
        assert!(planted["max_cells"].as_array().unwrap().iter().any(at_planted), "{name}: {}", seen["max"]);
    }
}

fn replayed() -> Vec<ReplayEvent> {
    let watches = ["larkfield,37.74,-98.21", "fernhill,37.35,-97.30"];
    let options = ReplayOptions {
        archive: day(),
        watches: watches.iter().map(|text| parse::named_place(text).unwrap()).collect(),
        speed: Speed::Max,
        from: None,
        until: None,
        setup: Setup::default(),
    };
    let events = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&events);
    app::replay(
        &options,
        Arc::new(move |event| {
            told.lock().unwrap().push(event);
            ControlFlow::Continue(())
        }),
    )
    .unwrap();
    std::mem::take(&mut events.lock().unwrap())
}

#[test]
fn the_day_is_decided_as_the_rules_say() {
    let truth = json(&day().join("truth.json"));
    let events = replayed();
    let changes: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            ReplayEvent::LevelChange { watch, change } => Some((watch.as_str(), change)),
            _ => None,
        })
        .collect();
    let told = |from: &str, to: &str| format!("{from} -> {to}");
    let expected: Vec<String> = truth["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| told(change["from"].as_str().unwrap(), change["to"].as_str().unwrap()))
        .collect();
    let found: Vec<String> = changes.iter().map(|(_, c)| told(c.from.as_str(), c.to.as_str())).collect();
    assert_eq!(found, expected);
    for ((watch, change), planted) in changes.iter().zip(truth["changes"].as_array().unwrap()) {
        assert_eq!(*watch, planted["watch"].as_str().unwrap(), "fernhill stays quiet");
        let by: jiff::Timestamp = planted["by_utc"].as_str().unwrap().parse().unwrap();
        assert!(change.at_utc <= by && change.at_utc >= by - jiff::SignedDuration::from_secs(150), "{}", change.at_utc);
    }
    let notices: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            ReplayEvent::Notice { delivery, .. } => Some(delivery.reason.as_str()),
            _ => None,
        })
        .collect();
    let planted = truth["changes"].as_array().unwrap().iter();
    let expected: Vec<&str> = planted.filter_map(|change| change["notice"].as_str()).collect();
    assert_eq!(notices, expected);
    let closing = events.iter().filter_map(|event| match event {
        ReplayEvent::Assessment { state, .. } => Some(state.level),
        _ => None,
    });
    assert_eq!(closing.collect::<Vec<_>>(), [Level::None, Level::None]);
}
