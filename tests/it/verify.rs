//! `stormbell verify`: the scores of two recorded days are what one reckons by hand from their reports and levels.

use crate::shared;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

fn stormbell(args: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_stormbell")).args(args).env("STORMBELL_LOG", "error").output().unwrap()
}

fn document(args: &[&str]) -> Value {
    let out = stormbell(&[args, &["--json"]].concat());
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

fn bundled() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09")
}

/// (hits, misses, verified, false alarms, undecided, shortest, median and longest lead in minutes) of a level.
fn row(scores: &Value, level: &str) -> Value {
    let score = scores.as_array().unwrap().iter().find(|score| score["level"] == level).unwrap();
    let lead = |key: &str| score.pointer(&format!("/lead_min/{key}")).cloned().unwrap_or(Value::Null);
    json!([
        score["hits"],
        score["misses"],
        score["verified"],
        score["false_alarms"],
        score["undecided"],
        lead("min"),
        lead("median"),
        lead("max")
    ])
}

/// The reports within 40 km are of 21:16 (hail 1.25 in, 24 km), 21:28 (the tornado, 6 km) and 21:33 (hail 1.75 in); the levels
/// of truth.json, seen at the next poll: marginal from 21:00, elevated from 21:05:30, significant from 21:15:30, extreme from
/// 21:22:30 to 21:58:30. Only the first hail came before the level extreme did.
fn expect_larkfield(point: &Value) {
    assert_eq!(point["events"], json!({"tornado": 1, "hail": 2, "thunderstorm_wind": 0}), "Prairie Gap is far away");
    let stood = &point["by_level"];
    assert_eq!(row(stood, "marginal"), json!([3, 0, 1, 0, 0, 16.0, 28.0, 33.0]));
    assert_eq!(row(stood, "elevated"), json!([3, 0, 1, 0, 0, 10.5, 22.5, 27.5]));
    assert_eq!(row(stood, "significant"), json!([3, 0, 1, 0, 0, 0.5, 12.5, 17.5]));
    assert_eq!(row(stood, "extreme"), json!([2, 1, 1, 0, 0, 5.5, 8.0, 10.5]));
    // 2 of 3 events; no false alarm, so that CSI is POD.
    assert_eq!((&stood[3]["pod"], &stood[3]["far"], &stood[3]["csi"]), (&json!(0.67), &json!(0.0), &json!(0.67)));
    let missed = &stood[3]["missed_events"];
    assert_eq!((&missed[0]["event_utc"], &missed[0]["in_the_dark"]), (&json!("2031-05-09T21:16:00Z"), &json!(false)));
    // Marginal is below what is told: the first notice is that of elevated.
    assert_eq!(row(&point["by_told"], "marginal"), row(stood, "elevated"));
    assert_eq!(row(&point["by_told"], "extreme"), row(stood, "extreme"));
}

#[test]
fn the_bundled_day_scores_as_reckoned_by_hand() {
    let day = bundled();
    let watches = ["--watch", "larkfield,37.74,-98.21", "--watch", "fernhill,37.35,-97.30"];
    let scored = document(&[&["verify", day.to_str().unwrap()], &watches[..]].concat());
    expect_larkfield(&scored["points"][0]);
    let fernhill = &scored["points"][1];
    assert_eq!(row(&fernhill["by_level"], "marginal"), json!([0, 0, 0, 0, 0, null, null, null]));
    assert_eq!(fernhill["by_level"][0]["pod"], Value::Null, "quiet is no success");
    assert_eq!(scored["total"]["by_level"][3]["hits"], 2);
    // The warnings feed answers nothing from 21:25:10 to 21:33:10, and is blind five minutes after its last good poll.
    assert_eq!(fernhill["dark_min"], 3);
}

#[test]
fn a_wider_radius_and_a_narrower_window_change_what_counts() {
    let day = bundled();
    let larkfield = ["verify", day.to_str().unwrap(), "--watch", "larkfield,37.74,-98.21"];
    let near = document(&[&larkfield[..], &["--radius-km", "10"]].concat());
    assert_eq!(
        row(&near["points"][0]["by_level"], "extreme"),
        json!([2, 0, 1, 0, 0, 5.5, 8.0, 10.5]),
        "not the hail at 24 km"
    );
    let dir = tempfile::tempdir().unwrap();
    let none = dir.path().join("none.geojson");
    std::fs::write(&none, r#"{"type": "FeatureCollection", "features": []}"#).unwrap();
    let nothing = document(&[&larkfield[..], &["--reports", none.to_str().unwrap()]].concat());
    assert_eq!(row(&nothing["points"][0]["by_level"], "extreme"), json!([0, 0, 0, 1, 0, null, null, null]));
    assert_eq!(
        row(&nothing["points"][0]["by_level"], "marginal"),
        json!([0, 0, 0, 0, 1, null, null, null]),
        "it stands still"
    );
}

/// A journal gives the same scores as the day that it was written on.
#[test]
fn a_journal_is_scored_by_a_file_of_reports() {
    let data = tempfile::tempdir().unwrap();
    let (day, dir) = (bundled(), data.path().to_str().unwrap());
    let replay = ["replay", day.to_str().unwrap(), "--watch", "larkfield,37.74,-98.21", "--data-dir", dir];
    assert!(stormbell(&replay).status.success());
    let reports = day.join("iem/reports_214230.geojson");
    let scored = document(&["verify", dir, "--reports", reports.to_str().unwrap()]);
    expect_larkfield(&scored["points"][0]);
    let text = String::from_utf8(stormbell(&["verify", dir, "--reports", reports.to_str().unwrap()]).stdout).unwrap();
    assert!(text.contains("missed at extreme: 2031-05-09T21:16:00Z hail 24.4 km (15 WSW Larkfield)"), "{text}");
    let wrong = stormbell(&["verify", dir, "--watch", "x,40.0,-92.0", "--json"]);
    assert_eq!(wrong.status.code(), Some(2), "a journal has points of its own");
    let wrong = stormbell(&["verify", dir, "--reports", "no/such/file"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("--reports no/such/file"), "{wrong:?}");
}

/// Every report near Unionville is of before 21:15, when the recording begins: no event. Extreme stood from 21:32 to 22:10, and
/// half an hour after it the day still runs: a false alarm, as far as its reports tell. Significant stands to the end: undecided.
#[test]
fn the_day_in_june_has_no_report_to_score_by() {
    let Some(day) = shared::path("data/days/2026-06-10") else { return };
    let day = day.to_str().unwrap();
    let watches = ["--watch", "unionville,40.52,-92.90", "--watch", "moore,35.34,-97.49"];
    let scored = document(&[&["verify", day], &watches[..]].concat());
    let (moore, unionville) = (&scored["points"][0], &scored["points"][1]);
    assert_eq!((&moore["name"], &unionville["name"]), (&json!("moore"), &json!("unionville")));
    let none = json!({"tornado": 0, "hail": 0, "thunderstorm_wind": 0});
    assert_eq!((&moore["events"], &unionville["events"]), (&none, &none));
    assert_eq!(row(&unionville["by_level"], "extreme"), json!([0, 0, 0, 1, 0, null, null, null]));
    assert_eq!(row(&unionville["by_level"], "significant"), json!([0, 0, 0, 0, 1, null, null, null]));
    assert_eq!(row(&moore["by_level"], "marginal"), json!([0, 0, 0, 0, 0, null, null, null]));
    assert_eq!(moore["dark_min"], 95, "products that were not recorded are unseen all day");
    // With a window that reaches beyond the end of the recording nothing is decided any more.
    let wider = document(&[&["verify", day, "--window-min", "41"], &watches[..]].concat());
    assert_eq!(row(&wider["points"][1]["by_level"], "extreme"), json!([0, 0, 0, 0, 1, null, null, null]));
}
