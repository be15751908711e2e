//! `stormbell sounding` and `stormbell map` as scripts use them: a PNG in a file, one document on stdout, errors that say what to do.

use crate::shared;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn stormbell(dir: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
    command.env("STORMBELL_DATA", dir).env_remove("STORMBELL_CONFIG").env("NO_COLOR", "1").current_dir(dir);
    command.args(words).output().unwrap()
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn bundled_day() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09")
}

/// Width and height of a PNG, from its header.
fn size_of(file: &Path) -> (u32, u32) {
    let png = std::fs::read(file).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    (reader.info().width, reader.info().height)
}

#[test]
fn a_map_of_the_bundled_day_says_what_it_shows() {
    let dir = tempfile::tempdir().unwrap();
    let day = bundled_day();
    let words = [
        "map",
        "--png",
        "map.png",
        "--archive",
        day.to_str().unwrap(),
        "--at",
        "2031-05-09T21:18:00Z",
        "--around",
        "37.74,-98.21",
        "--radius-km",
        "120",
        "--watch",
        "larkfield,37.74,-98.21",
        "--json",
    ];
    let told = document(&stormbell(dir.path(), &words));
    assert_eq!((&told["width"], &told["valid_utc"]), (&Value::from(1400), &Value::from("2031-05-09T21:18:00Z")));
    assert_eq!(told["watch_points"][0]["level"], "significant", "inside the tornado warning of 21:15Z: {told}");
    assert!(told["warnings"].as_u64().unwrap() >= 1 && told["mosaics"].as_array().unwrap().len() == 5, "{told}");
    assert!(told["flashes_until_utc"].as_str().unwrap() >= "2031-05-09T21:10:00Z", "{told}");
    let file = dir.path().join("map.png");
    assert_eq!(size_of(&file), (1400, 950));
    assert_eq!(told["bytes"], std::fs::metadata(&file).unwrap().len());
    // No store was made by looking.
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn what_cannot_be_drawn_or_written_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let day = bundled_day();
    let day = ["--archive", day.to_str().unwrap(), "--at", "2031-05-09T21:18:00Z", "--json"];
    let failed = |words: &[&str]| {
        let output = stormbell(dir.path(), &[words, &day].concat());
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        document(&output)["error"].clone()
    };
    // The bundled day's profiles are of Kansas.
    let error = failed(&["sounding", "45.0", "-70.0", "--png", "air.png"]);
    assert_eq!(error["kind"], "no_profile", "{error}");
    let error = failed(&["map", "--png", "no/such/folder/map.png"]);
    assert!(error["kind"] == "file" && error["hint"].as_str().unwrap().contains("folder"), "{error}");
    for words in [&["sounding", "--png", "a.png"][..], &["sounding", "35.3", "--png", "a.png"], &["map"]] {
        assert_eq!(stormbell(dir.path(), words).status.code(), Some(2), "{words:?}");
    }
    let file = dir.path().join("page.html");
    std::fs::write(&file, "<html>not found</html>").unwrap();
    let output = stormbell(dir.path(), &["sounding", "--file", "page.html", "--png", "a.png", "--json"]);
    assert!(document(&output)["error"]["message"].as_str().unwrap().contains("no known sounding form"));
    assert!(!dir.path().join("a.png").exists());
}

#[test]
fn the_recorded_air_over_moore_and_a_recorded_balloon_are_drawn() {
    let (Some(day), Some(balloon)) =
        (shared::path("data/days/2026-06-10"), shared::path("data/recorded/soundings/14061619.OAX"))
    else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let (day, balloon) = (day.canonicalize().unwrap(), balloon.canonicalize().unwrap());
    let at = ["--archive", day.to_str().unwrap(), "--at", "2026-06-10T21:40:00Z", "--json"];
    let told =
        document(&stormbell(dir.path(), &[&["sounding", "35.34", "-97.49", "--png", "moore.png"][..], &at].concat()));
    assert_eq!(told["valid_utc"], "2026-06-10T20:00:00Z", "{told}");
    assert_eq!(size_of(&dir.path().join("moore.png")), (1400, 950));
    // The recorded run covers central Oklahoma only.
    let output = stormbell(dir.path(), &[&["sounding", "40.52", "-92.90", "--png", "mo.png"][..], &at].concat());
    let error = document(&output)["error"].clone();
    assert!(error["kind"] == "no_profile" && error["message"].as_str().unwrap().contains("40.52"), "{error}");

    let told = document(&stormbell(
        dir.path(),
        &["sounding", "--file", balloon.to_str().unwrap(), "--png", "oax.png", "--json"],
    ));
    assert_eq!(told["valid_utc"], "2014-06-16T19:00:00Z");
    assert_eq!(size_of(&dir.path().join("oax.png")), (1400, 950));
}
