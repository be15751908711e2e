//! The real thing in a real browser: a headless Chromium (Debian's package) goes through the pages while a recorded storm
//! passes; see `tests/foreign/browser.py`.
//!
//! Skipped where Python or Chromium cannot be had; `STORMBELL_FOREIGN=required` makes that a failure. The pictures of every page
//! lie below `target/tmp/pages` afterwards, for a person to look at.

use crate::foreign_smtp::python;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};

const PROGRAM: &str = env!("CARGO_BIN_EXE_stormbell");
/// Slow enough that the place is added before the tornado reaches it, 22 minutes after the day's start.
const SPEED: &str = "20";

/// A program by one of its names; `None` (said on stderr) where Debian's package is not installed.
fn program(names: &[&str], package: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut files = std::env::split_paths(&path).flat_map(|dir| names.iter().map(move |name| dir.join(name)));
    let found = files.find(|file| file.is_file());
    if found.is_none() {
        let required = std::env::var("STORMBELL_FOREIGN").as_deref() == Ok("required");
        assert!(!required, "STORMBELL_FOREIGN=required, but there is no {names:?}: install Debian's package {package}");
        eprintln!("skipped: there is no {names:?} (Debian's package {package})");
    }
    found
}

fn answer(config: &Path, data: &Path, words: &[&str]) -> Value {
    let mut command = Command::new(PROGRAM);
    command
        .env_remove("STORMBELL_DATA")
        .arg("--config")
        .arg(config)
        .arg("--data-dir")
        .arg(data)
        .args(words)
        .arg("--json");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_sees_the_storm_come() {
    let chromium = program(&["chromium", "chromium-browser", "google-chrome"], "chromium");
    let bus = program(&["dbus-run-session"], "dbus");
    let (Some(python), Some(chromium), Some(bus)) = (python(), chromium, bus) else { return };
    let dir = tempfile::tempdir().unwrap();
    let (config, data) = (dir.path().join("stormbell.toml"), dir.path().join("data"));
    let settings = "[service]\ncontact = \"bell@example.org\"\n\
        [channels.web_push]\nenabled = true\nsubject = \"mailto:bell@example.org\"\nallow_loopback = true\n";
    std::fs::write(&config, settings).unwrap();
    let key = answer(&config, &data, &["init"])["vapid_public_key"].clone();

    let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09");
    let mut program = tokio::process::Command::new(PROGRAM)
        .env_remove("STORMBELL_DATA")
        .args(["serve", "--port", "0", "--speed", SPEED, "--archive"])
        .arg(&day)
        .arg("--config")
        .arg(&config)
        .arg("--data-dir")
        .arg(&data)
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stderr.take().unwrap()).lines();
    let base = loop {
        let line = lines.next_line().await.unwrap().expect("the address before the end");
        if let Some((_, url)) = line.split_once("page at ") {
            break url.trim_end_matches('/').to_owned();
        }
    };
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    let owner = answer(&config, &data, &["owner", "add", "Anna"]);

    let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    let plan =
        json!({"base": base, "login_url": owner["login_url"], "chromium": chromium, "shots": shots, "vapid_key": key});
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/browser.py");
    let run = tokio::process::Command::new(bus)
        .arg("--")
        .arg(python)
        .arg(script)
        .arg(plan.to_string())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(Duration::from_secs(900), run).await.expect("the browser ends").unwrap();
    assert!(output.status.success(), "the browser says: {}", String::from_utf8_lossy(&output.stderr));
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();

    assert_eq!(seen["after_login"], format!("{base}/"), "the token leaves the address: {seen}");
    // On two lines at some widths.
    assert_eq!(seen["who"].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" "), "Signed in as Anna");
    assert_eq!(seen["stops"][0], "Skip to the content");
    // The middle of the nation's window, as the script turns the projection round and as the program does.
    let middle = stormbell::plot::sheet::Window::nation();
    let middle =
        stormbell::plot::sheet::place((middle.x + middle.width / 2.0, middle.y + middle.height() / 2.0)).unwrap();
    let clicked: Vec<f64> = seen["clicked"].as_str().unwrap().split(", ").map(|part| part.parse().unwrap()).collect();
    let clicked = stormbell::geo::LatLon::new(clicked[0], clicked[1]).unwrap();
    assert!(clicked.distance_km(middle) < 10.0, "{clicked:?} {middle:?}");

    assert_eq!((&seen["rose_without_reload"], &seen["level"]), (&json!(true), &json!("extreme")), "{seen}");
    assert!(seen["title"].as_str().unwrap().starts_with("extreme"), "{seen}");
    assert!(seen["said"].as_str().unwrap().contains("Larkfield: extreme"), "{seen}");
    assert!(seen["push_state"].as_str().unwrap().starts_with("Push is on"), "{seen}");
    let (pushed, shown) = (&seen["pushed"], &seen["notifications"][0]);
    assert_eq!(
        (&shown["title"], &shown["tag"], &shown["data"]["url"]),
        (&pushed["title"], &pushed["tag"], &pushed["url"])
    );
    assert_eq!(seen["after_retry"], 1, "a retry replaces: {seen}");
    // A press on the notification opened the page; another one, while it was open, brought it to the front.
    assert_eq!((&seen["opened"], &seen["place_page"]), (&pushed["url"], &json!("Larkfield")), "{seen}");
    assert_eq!((&seen["focused"], &seen["opened_more"]), (&json!([pushed["url"]]), &json!(0)), "{seen}");
    let why = seen["why"].as_str().unwrap();
    assert!(why.contains("Larkfield stood at extreme") && why.contains("Because: "), "{why}");
    assert!(seen["why_telling"].as_str().unwrap().contains("to browser "), "{seen}");
    assert!(seen["why_by_form"].as_str().unwrap().starts_with("Why, at "), "{seen}");
    assert!(seen["lost"].as_str().unwrap().contains("no connection to stormbell"), "{seen}");
    assert_eq!(seen["lost_chip"], "\"was \"", "a level turns to the past: {seen}");
    let faults: Vec<&str> = seen["faults"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(faults.is_empty(), "{} fault(s):\n  {}", faults.len(), faults.join("\n  "));
    assert_eq!(seen["pages"].as_array().unwrap().len(), 9 * 4, "{seen}");
}
