//! The recorded day 2026-06-10 through the whole pipeline: the worked example of levels.md, both columns, by the program
//! itself.

use crate::shared;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Runs `stormbell replay` over a day with the two watch points of the worked example, warnings and radar alone; its lines.
pub fn replay(day: &Path, more: &[&str]) -> Vec<Value> {
    let others = ["GOES_GLM", "IEM_REPORTS", "RAP_PROFILES", "SPC_MESOSCALE", "SPC_OUTLOOKS"];
    let off = others.map(|source| (format!("STORMBELL__SOURCES__{source}__ENABLED"), "false".to_owned()));
    replay_with(day, more, &off)
}

/// The same with these variables in the environment: with none, all sources speak.
pub fn replay_with(day: &Path, more: &[&str], variables: &[(String, String)]) -> Vec<Value> {
    let out = Command::new(env!("CARGO_BIN_EXE_stormbell"))
        .envs(variables.iter().cloned())
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

/// The second column: the outlook, the three tornado reports near Unionville and the capped Moore profile all speak.
#[test]
fn with_all_sources_the_worked_example_comes_out_to_the_minute() {
    let Some(day) = shared::path("data/days/2026-06-10") else { return };
    let lines = replay_with(&day, &[], &[]);
    let expected = [
        ("21:15", "unionville none -> significant"),
        ("21:15", "unionville notice raised"),
        ("21:32", "unionville significant -> extreme"),
        ("21:32", "unionville notice raised"),
        ("22:10", "unionville extreme -> significant"),
        ("22:10", "unionville notice lowered"),
        ("22:20", "unionville notice went_blind"),
    ];
    assert_eq!(told(&lines), expected.map(|(at, what)| (at.to_owned(), what.to_owned())));

    let changes: Vec<&Value> = lines.iter().filter(|line| line["event"] == "level_change").collect();
    let reasons = |change: &Value| change["reasons"].to_string();
    let first = reasons(changes[0]);
    for spoken in ["3 storm reports", "20:54Z 65.", "20:30Z 46.", "20:30Z 56.", "Enhanced risk", "already in effect"] {
        assert!(first.contains(spoken), "{spoken}: {first}");
    }
    assert!(reasons(changes[1]).contains("Tornado Warning") && reasons(changes[1]).contains("Enhanced risk"));
    let held = reasons(changes[2]);
    assert!(
        held.contains("mid-level rotation") && held.contains("held: its source mrms-rotation_track_ml_60min"),
        "{held}"
    );

    let closing =
        |watch: &str| lines.iter().find(|line| line["event"] == "assessment" && line["watch"] == watch).unwrap();
    let blind = |watch: &str| closing(watch)["blind_spots"].to_string();
    for (watch, profile_missing) in [("unionville", true), ("moore", false)] {
        for spot in ["goes-glm", "mrms-rotation_track_ll_60min", "mrms-vil", "mrms-composite_reflectivity"] {
            assert!(blind(watch).contains(spot), "{spot} at {watch}");
        }
        assert_eq!(blind(watch).contains("rap-environment"), profile_missing, "the one profile is Oklahoma's: {watch}");
        assert!(!blind(watch).contains("spc-categorical") && !blind(watch).contains("iem-lsr"), "{watch}");
    }
    assert_eq!(closing("moore")["level"], "none");
}

#[test]
fn two_runs_print_the_same_bytes_but_for_the_machine_time() {
    let Some(day) = shared::path("data/days/2026-06-10") else { return };
    let run = || {
        let mut lines = replay_with(&day, &[], &[]);
        lines.last_mut().unwrap()["wall_s"] = Value::Null;
        lines
    };
    assert_eq!(run(), run());
}
