//! `stormbell explain` over the journal of the bundled day: the level, the rule, the evidence, what was told.

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

fn stormbell(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stormbell"))
        .args(args)
        .arg("--data-dir")
        .arg(dir)
        .env("STORMBELL_LOG", "error")
        .output()
        .unwrap()
}

fn document(dir: &Path, args: &[&str]) -> Value {
    let out = stormbell(dir, &[args, &["--json"]].concat());
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

fn lived_through() -> tempfile::TempDir {
    let data = tempfile::tempdir().unwrap();
    let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09");
    let out = stormbell(data.path(), &["replay", day.to_str().unwrap(), "--watch", "larkfield,37.74,-98.21"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    data
}

#[test]
fn the_past_of_a_point_is_explained_from_its_store() {
    let data = lived_through();
    let dir = data.path();
    let at = |when: &str| document(dir, &["explain", "larkfield", "--at", when]);
    // Extreme from 21:22:30 by the update of the tornado warning; marginal before any notice was wanted.
    let extreme = at("2031-05-09T21:40:00Z");
    let made_by = &extreme["data"]["made_by"];
    assert_eq!((&extreme["data"]["level"], &made_by["judged_again"]), (&json!("extreme"), &json!("same")));
    assert_eq!(made_by["at_utc"], "2031-05-09T21:22:30Z");
    assert_eq!(made_by["reasons"][0]["rule"], "tornado_warning_inside_confirmed");
    assert!(made_by["reasons"][0]["says"].as_str().unwrap().ends_with("extreme."));
    assert_eq!((&made_by["hold_minutes"], &made_by["telling"]["min_level"]), (&json!(10), &json!("elevated")));
    assert_eq!(made_by["telling"]["notices"][0]["outcome"], "recorded", "the point has no address");
    assert_eq!(made_by["at_the_end"]["at_utc"], "2031-05-09T21:58:30Z");
    assert!(made_by["at_the_end"]["reasons"][0]["why_held"].as_str().unwrap().contains("must last 10 min first"));
    let marginal = at("2031-05-09T21:03:00Z");
    let telling = &marginal["data"]["made_by"]["telling"];
    assert_eq!((&marginal["data"]["level"], &telling["outcome"]), (&json!("marginal"), &json!("not_told")));
    assert!(telling["text"].as_str().unwrap().contains("below elevated"), "{telling}");
    // The warnings feed is out from 21:25:10; five minutes after its last good poll it is blind. An extreme level has no higher
    // one to hide, but what was unseen is told.
    let blind = at("2031-05-09T21:32:00Z");
    assert_eq!(blind["data"]["blind_spots"][0]["source"], "nws-warnings", "{}", blind["data"]["blind_spots"]);
    assert_eq!(extreme["data"]["blind_spots"], json!([]), "sight was back at 21:33:10");
    let early = at("2031-05-09T20:00:30Z");
    assert_eq!(early["data"]["known_by"], "not_watched");
    let text =
        String::from_utf8(stormbell(dir, &["explain", "LARKFIELD", "--at", "2031-05-09T21:40:00Z"]).stdout).unwrap();
    for part in
        ["stood at extreme", "rule tornado_warning_inside_confirmed", "the same to the byte", "told from elevated"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_point_goes_by_its_name_while_only_one_has_it() {
    let data = tempfile::tempdir().unwrap();
    let dir = data.path();
    let add = |name: &str, lat: &str| document(dir, &["watch", "add", name, lat, "-97.44"])["point"]["id"].clone();
    let (home, other) = (add("home", "35.22"), add("home", "36.00"));
    let twice = stormbell(dir, &["watch", "update", "home", "--min-level", "extreme"]);
    let said = String::from_utf8_lossy(&twice.stderr).into_owned();
    assert_eq!(twice.status.code(), Some(2), "{said}");
    assert!(said.contains(home.as_str().unwrap()) && said.contains(other.as_str().unwrap()), "{said}");
    document(dir, &["watch", "remove", other.as_str().unwrap()]);
    let changed = document(dir, &["watch", "update", "Home", "--min-level", "extreme", "--quiet-hours", "22:00-07:00"]);
    let point = &changed["point"];
    assert_eq!(
        (&point["id"], &point["min_level"], &point["quiet_hours"]),
        (&home, &json!("extreme"), &json!("22:00-07:00"))
    );
    let changed = document(dir, &["watch", "update", "home", "--snooze", "3h", "--quiet-hours", "none"]);
    assert_eq!((&changed["point"]["min_level"], &changed["point"]["quiet_hours"]), (&json!("extreme"), &Value::Null));
    assert!(changed["point"]["snooze_until_utc"].is_string());
    let quiet = document(dir, &["explain", "home"]);
    assert_eq!((&quiet["data"]["known_by"], &quiet["data"]["blind_spots"]), (&json!("registration"), &Value::Null));
    for (args, part) in [
        (&["watch", "update", "nowhere", "--min-level", "none"][..], "nowhere"),
        (&["watch", "update", "home", "--quiet-hours", "late"], "22:00-07:00"),
        (&["watch", "update", "home", "--until", "yesterday"], "--until"),
        (&["explain", "nowhere"], "nowhere"),
        (&["explain", "home", "--at", "2099-01-01T00:00:00Z"], "not past yet"),
    ] {
        let out = stormbell(dir, args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success() && said.contains(part), "{args:?}: {said}");
    }
}
