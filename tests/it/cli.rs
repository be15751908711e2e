//! The program as scripts use it: exit codes, one document on stdout, errors on stderr, negative longitudes.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn stormbell(data_dir: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
    // No configuration of this machine's user may change the outcome.
    command.env("STORMBELL_DATA", data_dir).env_remove("STORMBELL_CONFIG").env("NO_COLOR", "1").current_dir(data_dir);
    command.args(words).output().unwrap()
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", text(&output.stdout), text(&output.stderr)))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn wrong_usage_is_2_with_words_on_stderr_and_an_object_with_json() {
    let dir = tempfile::tempdir().unwrap();
    for words in
        [&["sing"][..], &["brief", "35.2"], &["watch", "add", "x", "35.2", "97.4"], &["brief", "-97.4", "35.2"]]
    {
        let plain = stormbell(dir.path(), words);
        assert_eq!(plain.status.code(), Some(2), "{words:?}: {}", text(&plain.stderr));
        assert!(plain.stdout.is_empty() && !plain.stderr.is_empty(), "{words:?}");
        let json = stormbell(dir.path(), &[words, &["--json"]].concat());
        assert_eq!(document(&json)["error"]["kind"], "usage", "{words:?}");
    }
    let swapped = stormbell(dir.path(), &["brief", "-97.4", "35.2"]);
    assert!(text(&swapped.stderr).contains("swapped"));
}

#[test]
fn help_and_version_are_answers() {
    let dir = tempfile::tempdir().unwrap();
    for words in [&["--help"][..], &["replay", "--help"], &["debug", "decode", "--help"], &["--version"]] {
        let output = stormbell(dir.path(), words);
        assert_eq!(output.status.code(), Some(0), "{words:?}");
        assert!(text(&output.stdout).contains("stormbell"), "{words:?}");
    }
}

#[test]
fn points_are_added_listed_and_removed() {
    let dir = tempfile::tempdir().unwrap();
    let add = ["watch", "add", "lark", "37.74", "-98.21", "--min-level", "significant", "--json"];
    let added = document(&stormbell(dir.path(), &add));
    assert_eq!((&added["created"], &added["point"]["lon"]), (&Value::from(true), &Value::from(-98.21)));
    assert_eq!(document(&stormbell(dir.path(), &add))["created"], false, "registering again makes no second one");

    let listed = document(&stormbell(dir.path(), &["watch", "list", "--json"]));
    assert_eq!(listed["points"].as_array().unwrap().len(), 1);
    assert_eq!(listed["points"][0]["min_level"], "significant");
    let human = stormbell(dir.path(), &["watch", "list"]);
    assert!(text(&human.stdout).contains("lark") && !text(&human.stdout).contains('\u{1b}'));
    for table in ["state", "points", "levels", "journal", "outbox", "ledger", "cursors", "sources"] {
        let shown = document(&stormbell(dir.path(), &["debug", table, "--json"]));
        assert!(shown.get(table).is_some(), "{table}: {shown}");
        assert_eq!(stormbell(dir.path(), &["debug", table]).status.code(), Some(0));
    }

    let id = added["point"]["id"].as_str().unwrap();
    assert_eq!(document(&stormbell(dir.path(), &["watch", "remove", id, "--json"]))["removed"], id);
    let again = stormbell(dir.path(), &["watch", "remove", id, "--json"]);
    assert_eq!((again.status.code(), &document(&again)["error"]["kind"]), (Some(1), &Value::from("not_found")));
    assert_eq!(text(&again.stderr).lines().count(), 1);
}

#[test]
fn what_is_wrong_with_a_change_is_said_by_its_option() {
    let dir = tempfile::tempdir().unwrap();
    let settings = "[owner]\nemails = [\"me@example.org\"]\n[channels.email]\nenabled = true\nhost = \"127.0.0.1\"\n\
        port = 9\nsecurity = \"none\"\nfrom = \"bell@example.org\"\n";
    std::fs::write(dir.path().join("stormbell.toml"), settings).unwrap();
    let run = |words: &[&str]| stormbell(dir.path(), words);
    let add = ["watch", "add", "lark", "37.74", "-98.21", "--email"];
    assert_eq!(run(&[&add[..], &["me@example.org"]].concat()).status.code(), Some(0));
    for (words, said) in [
        (&["update", "lark"][..], "nothing was given to change"),
        (&["update", "lark", "--snooze", "8d"], "--snooze: "),
        (&["update", "lark", "--until", "2020-01-01T00:00:00Z"], "--until: "),
        (&["update", "lark", "--email", "bad"], "--email: "),
        (&["update", "lark", "--email", "none", "--email", "me@example.org"], "none stands alone"),
        (&["add", "barn", "37.74", "-98.21", "--email", "bad"], "--email: "),
    ] {
        let output = run(&[&["watch"], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(said), "{words:?}: {}", text(&output.stderr));
    }
    let point = |words: &[&str]| document(&run(words))["point"].clone();
    assert_eq!(point(&["watch", "update", "lark", "--name", "Lark", "--json"])["addresses"][0]["to"], "me@example.org");
    let confirmed = run(&["watch", "confirm", "me@example.org", "000000"]);
    assert_eq!(confirmed.status.code(), Some(0), "{}", text(&confirmed.stderr));
    assert!(text(&confirmed.stdout).contains("is confirmed already"), "{}", text(&confirmed.stdout));
    assert_eq!(run(&["watch", "confirm", "you@example.org", "000000"]).status.code(), Some(1));

    let without = point(&["watch", "update", "lark", "--email", "none", "--json"]);
    assert_eq!(without["addresses"], serde_json::json!([]), "{without}");
}

/// A place by its name: one is used and told, several are listed and nothing is done, none is exit code 1.
#[test]
fn places_go_by_their_names() {
    let dir = tempfile::tempdir().unwrap();
    let found = document(&stormbell(dir.path(), &["geocode", "Norman,", "OK", "--json"]));
    assert_eq!((&found["found"], &found["candidates"][0]["county"]), (&"one".into(), &"Cleveland County".into()));
    let none = stormbell(dir.path(), &["geocode", "Oklahma City, OK"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(text(&none.stdout).contains("Oklahoma City, OK") && text(&none.stdout).contains("GeoNames"));

    let add = |place: &str| stormbell(dir.path(), &["watch", "add", "office", "--place", place, "--json"]);
    let several = add("Springfield");
    assert_eq!((several.status.code(), &document(&several)["error"]["kind"]), (Some(2), &"usage".into()));
    assert!(text(&several.stderr).contains("Springfield, Greene County, MO"));
    assert!(!dir.path().read_dir().unwrap().any(|entry| entry.is_ok()), "nothing was made");
    let added = add("Springfield, Greene County, MO");
    assert!(text(&added.stderr).starts_with("place: Springfield, Greene County, MO"));
    let point = &document(&added)["point"];
    // Known at once, without a request.
    assert_eq!((&point["lat"], &point["time_zone"]), (&37.2153.into(), &"America/Chicago".into()));
}

#[test]
fn an_archive_that_lacks_a_file_is_refused_with_the_line() {
    let dir = tempfile::tempdir().unwrap();
    let day = dir.path().join("day");
    std::fs::create_dir(&day).unwrap();
    std::fs::write(
        day.join("archive.toml"),
        "name = \"x\"\nfrom = \"2031-05-09T21:00:00Z\"\nto = \"2031-05-09T22:00:00Z\"\nnote = \"\"\nlicence = \"\"\n",
    )
    .unwrap();
    let line =
        r#"{"at":"2031-05-09T21:00:00Z","http":{"host":"api.weather.gov","path":"/alerts/active"},"file":"gone.json"}"#;
    std::fs::write(day.join("timeline.jsonl"), line).unwrap();
    let output = stormbell(dir.path(), &["replay", day.to_str().unwrap(), "--watch", "a,40.5,-92.9", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let error = document(&output);
    assert_eq!(error["error"]["kind"], "archive");
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("timeline.jsonl:1") && message.contains("gone.json"), "{message}");
}

#[test]
fn decode_says_what_it_sees_or_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mrms/MRMS_MESH_Max_60min_00.50_20310509-213000.grib2.gz");
    let words =
        ["debug", "decode", "mrms", file.to_str().unwrap(), "--at", "41.0,-93.0", "--radius-km", "9000", "--json"];
    let output = stormbell(dir.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let seen = document(&output);
    assert_eq!((&seen["max"]["value"], &seen["radius_km"]), (&Value::from(44.5), &Value::from(500.0)));

    let junk = dir.path().join("junk");
    std::fs::write(&junk, b"<html>").unwrap();
    for source in ["mrms", "nws"] {
        let output = stormbell(dir.path(), &["debug", "decode", source, junk.to_str().unwrap(), "--json"]);
        assert_eq!(output.status.code(), Some(1), "{source}");
        let seen = document(&output);
        assert!(seen["ok"] == false && !seen["faults"].as_array().unwrap().is_empty(), "{source}: {seen}");
    }
    let unknown = stormbell(dir.path(), &["debug", "decode", "sonar", junk.to_str().unwrap()]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("nws, mrms, spc, rap, lsr, glm, level2"));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(stormbell(dir.path(), &["watch", "add", "lark", "37.74", "-98.21"]).status.code(), Some(0));
    let mut child = Command::new(env!("CARGO_BIN_EXE_stormbell"))
        .args(["debug", "points", "--json"])
        .env("STORMBELL_DATA", dir.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(!text(&output.stderr).contains("panicked"));
}

#[test]
fn looking_makes_no_store_and_a_recorded_day_leaves_the_live_one_alone() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
        command.env("STORMBELL_DATA", &data).env_remove("STORMBELL_CONFIG").current_dir(dir.path());
        command.args(words).output().unwrap()
    };
    let looks = [&["debug", "state"][..], &["debug", "points"], &["watch", "list"], &["watch", "remove", "wp_1"]];
    for words in looks.into_iter().chain([&["debug", "repair"][..]]) {
        let output = run(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        let said = text(&output.stderr);
        assert!(said.contains("there is no store in") && said.contains("watch add"), "{said}");
    }
    let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09");
    let day = day.to_str().unwrap();
    let early = run(&["replay", day, "--until", "2031-05-08T00:00:00Z", "--json"]);
    assert_eq!((early.status.code(), &document(&early)["error"]["kind"]), (Some(2), &Value::from("usage")));
    let message = document(&early)["error"]["message"].to_string();
    assert!(message.contains("2031-05-08T00:00:00Z") && message.contains("2031-05-09T"), "{message}");
    let late = run(&["replay", day, "--from", "2031-05-11T00:00:00Z"]);
    assert_eq!(late.status.code(), Some(2), "{}", text(&late.stderr));
    let short = run(&["replay", day, "--watch", "lark,37.74,-98.21", "--until", "2031-05-09T21:00:00Z"]);
    assert_eq!(short.status.code(), Some(0), "{}", text(&short.stderr));
    assert!(!data.exists());
}

#[test]
fn commands_at_the_same_time_wait_for_their_turn() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(stormbell(dir.path(), &["watch", "add", "lark", "37.74", "-98.21"]).status.code(), Some(0));
    let outputs: Vec<Output> = std::thread::scope(|scope| {
        let started: Vec<_> =
            (0..4).map(|_| scope.spawn(|| stormbell(dir.path(), &["watch", "list", "--json"]))).collect();
        started.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for output in outputs {
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_does_not_get_out_is_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(stormbell(dir.path(), &["watch", "add", "lark", "37.74", "-98.21"]).status.code(), Some(0));
    for words in [&["watch", "list"][..], &["debug", "state", "--json"], &["--help"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
        command.env("STORMBELL_DATA", dir.path()).env_remove("STORMBELL_CONFIG").current_dir(dir.path());
        let output = command.args(words).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert_eq!(text(&output.stderr).lines().count(), 1, "{}", text(&output.stderr));
    }
}

/// `stormbell serve` over the bundled day, stopped when dropped.
struct Serving(std::process::Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serving(data_dir: &Path) -> Serving {
    let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09");
    let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
    command.env_remove("STORMBELL_DATA").env_remove("STORMBELL_CONFIG").current_dir(data_dir);
    command.args(["serve", "--port", "0", "--speed", "60", "--archive"]).arg(day).arg("--data-dir").arg(data_dir);
    let child = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    eventually("the socket", || data_dir.join("stormbell.sock").exists().then_some(()));
    Serving(child)
}

/// Tries until there is something; gives up after a minute, which a loaded machine may need.
fn eventually<T>(what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    for _ in 0..600 {
        if let Some(found) = attempt() {
            return found;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("{what} never came");
}

#[test]
fn a_point_added_through_the_running_process_wakes_every_source() {
    // Those that are asked on demand are not polled.
    let all = stormbell::sources::names().count();
    // Several times: whether a wake is lost is a matter of which thread comes first.
    for _ in 0..4 {
        let dir = tempfile::tempdir().unwrap();
        let _serving = serving(dir.path());
        let add = ["watch", "add", "lark", "37.74", "-98.21", "--json"];
        eventually("the registration", || {
            let output = stormbell(dir.path(), &add);
            (output.status.code() == Some(0)).then_some(output)
        });
        eventually("a poll of every source", || {
            let sources = document(&stormbell(dir.path(), &["debug", "sources", "--json"]));
            let sources = sources["sources"].as_array()?.clone();
            (sources.len() == all && sources.iter().all(|s| s["polls"].as_u64() > Some(0))).then_some(())
        });
        let second = stormbell(dir.path(), &["serve", "--port", "0", "--json"]);
        assert_eq!((second.status.code(), &document(&second)["error"]["kind"]), (Some(1), &Value::from("in_use")));
    }
}

/// Files by name, with their bytes and, on Unix, their modes.
/// Routine questions go to the running service: out of its memory, with its clock and its way to the API.
#[test]
fn routine_questions_are_answered_by_the_running_service() {
    let dir = tempfile::tempdir().unwrap();
    let _serving = serving(dir.path());
    // The recorded day is years ahead: what this process would ask live has none of it.
    let told = eventually("an answer of the service", || {
        let output = stormbell(dir.path(), &["nws", "observations", "37.74", "-98.21", "--json"]);
        (output.status.code() == Some(0)).then(|| document(&output))
    });
    assert_eq!((&told["stationId"], &told["timestamp"]), (&"KXKS".into(), &"2031-05-09T20:55:00+00:00".into()));
    let table = text(&stormbell(dir.path(), &["nws", "forecast", "37.74", "-98.21"]).stdout);
    assert!(table.contains("7-day forecast near Larkfield, KS"), "{table}");
    let refused = stormbell(dir.path(), &["nws", "alerts", "--area", "ZZ", "--json"]);
    let kind = &document(&refused)["error"]["kind"];
    assert_eq!((refused.status.code(), kind.as_str()), (Some(1), Some("invalid_area_code")));
    let usage = stormbell(dir.path(), &["nws", "alerts", "--limit", "0", "--json"]);
    let kind = &document(&usage)["error"]["kind"];
    assert_eq!((usage.status.code(), kind.as_str()), (Some(2), Some("invalid_arguments")));
}

fn files(dir: &Path) -> Vec<(String, Vec<u8>, u32)> {
    use std::os::unix::fs::MetadataExt;
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_file())
        .map(|entry| {
            let mode = entry.metadata().unwrap().mode() & 0o777;
            (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap(), mode)
        })
        .collect();
    files.sort();
    files
}

#[test]
fn init_makes_what_is_missing_and_never_changes_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let (config, data) = (dir.path().join("etc/stormbell.toml"), dir.path().join("data"));
    let words = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
        command
            .env_remove("STORMBELL_DATA")
            .env_remove("STORMBELL_CONFIG")
            .env("NO_COLOR", "1")
            .current_dir(dir.path());
        command.args(["init", "--config"]).arg(&config).args(more).output().unwrap()
    };
    let first = words(&["--data-dir", "data"]);
    let said = text(&first.stdout);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    assert!(said.contains("made") && said.contains("vapid-key.pem") && said.contains("[service] contact"), "{said}");
    let made = files(&data);
    let modes: Vec<(&str, u32)> = made.iter().map(|(name, _, mode)| (name.as_str(), *mode)).collect();
    assert_eq!(modes, [("link-key", 0o600), ("vapid-key.pem", 0o600)]);
    assert!(!said.contains("PRIVATE") && !said.contains(text(&made[0].1).trim()), "no key is shown");

    // The data directory stands in the configuration now: a later command finds the same one.
    std::fs::write(&config, std::fs::read_to_string(&config).unwrap() + "\n# mine\n").unwrap();
    let before = (files(&data), std::fs::read(&config).unwrap());
    let second = document(&words(&["--json"]));
    for what in ["config", "data_dir", "vapid_key", "link_key"] {
        assert_eq!(second[what]["made"], false, "{second}");
    }
    assert_eq!(second["data_dir"]["path"], dir.path().canonicalize().unwrap().join("data").display().to_string());
    assert_eq!(second["vapid_public_key"].as_str().unwrap().len(), 87);
    assert_eq!((files(&data), std::fs::read(&config).unwrap()), before);

    std::fs::write(data.join("vapid-key.pem"), "garbled").unwrap();
    let refused = words(&["--json"]);
    assert_eq!((refused.status.code(), &document(&refused)["error"]["kind"]), (Some(1), &Value::from("store")));
    assert_eq!(std::fs::read(data.join("vapid-key.pem")).unwrap(), b"garbled");
}
