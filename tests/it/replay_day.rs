//! The recorded day 2026-06-10 through the whole pipeline: the worked example of levels.md, column "warnings and radar
//! only", by the program itself.

use crate::shared;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Runs `stormbell replay` over a day with the two watch points of the worked example; its lines.
pub fn replay(day: &Path, more: &[&str]) -> Vec<Value> {
    let out = Command::new(env!("CARGO_BIN_EXE_stormbell"))
        .arg("replay")
        .arg(day)
        .args(["--watch", "unionville,40.52,-92.90", "--watch", "moore,35.34,-97.49", "--json"])
        .args(more)
        .env("STORMBELL_LOG", "error")
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Level changes and notices as (time, kind, watch, what).
pub fn told(lines: &[Value]) -> Vec<(String, String)> {
    let text = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    lines
        .iter()
        .filter_map(|line| {
            let what = match line["event"].as_str()? {
                "level_change" => {
                    format!("{} {} -> {}", text(line, "watch"), text(line, "from"), text(line, "to"))
                }
                "notice" => format!("{} notice {}", text(line, "watch"), text(line, "reason")),
                _ => return None,
            };
            Some((text(line, "at")[11..16].to_owned(), what))
        })
        .collect()
}

/// What the worked example says, and nothing else.
pub fn worked_example() -> Vec<(String, String)> {
    [
        ("21:32", "unionville none -> extreme"),
        ("21:32", "unionville notice raised"),
        ("22:10", "unionville extreme -> significant"),
        ("22:10", "unionville notice lowered"),
        ("22:20", "unionville notice went_blind"),
    ]
    .map(|(at, what)| (at.to_owned(), what.to_owned()))
    .to_vec()
}

#[test]
fn the_worked_example_comes_out_to_the_minute() {
    let Some(day) = shared::path("data/days/2026-06-10") else { return };
    let lines = replay(&day, &[]);
    assert_eq!(told(&lines), worked_example());

    let raised = lines.iter().find(|line| line["event"] == "level_change").unwrap();
    assert_eq!(raised["at"], "2026-06-10T21:32:00Z");
    let reason = raised["reasons"][0].as_str().unwrap();
    assert!(
        reason.contains("Tornado Warning") && reason.contains("OBSERVED") && reason.contains("CONSIDERABLE"),
        "{reason}"
    );
    let lowered = lines.iter().filter(|line| line["event"] == "level_change").nth(1).unwrap();
    let held = lowered["reasons"][0].as_str().unwrap();
    assert!(held.contains("mid-level rotation") && held.contains("held"), "{held}");

    let closing: Vec<&Value> = lines.iter().filter(|line| line["event"] == "assessment").collect();
    let moore = closing.iter().find(|line| line["watch"] == "moore").unwrap();
    assert_eq!((&moore["level"], &moore["held"]), (&json!("none"), &json!(false)));
    assert!(moore["blind_spots"].to_string().contains("mrms-rotation_track_ll_60min"));
    let unionville = closing.iter().find(|line| line["watch"] == "unionville").unwrap();
    assert_eq!((&unionville["level"], &unionville["held"]), (&json!("significant"), &json!(true)));
    assert_eq!(lines.last().unwrap()["event"], "summary");
}

#[test]
fn two_runs_print_the_same_bytes_but_for_the_machine_time() {
    let Some(day) = shared::path("data/days/2026-06-10") else { return };
    let run = || {
        let mut lines = replay(&day, &[]);
        lines.last_mut().unwrap()["wall_s"] = Value::Null;
        lines
    };
    assert_eq!(run(), run());
}
