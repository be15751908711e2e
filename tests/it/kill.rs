//! `kill -9` at random moments of a replay with a data directory, followed by the same command: nothing is lost, and what
//! was told is told again only under the same delivery id.
//!
//! `STORMBELL_KILLS` sets how many kills (50 unless set; `scripts/kill-1000.sh` makes a thousand).

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const WATCHES: [&str; 4] = ["--watch", "larkfield,37.74,-98.21", "--watch", "fernhill,37.35,-97.30"];

fn day() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09")
}

fn replay(data_dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
    command.arg("replay").arg(day()).args(WATCHES).arg("--json").arg("--data-dir").arg(data_dir);
    command.env("STORMBELL_LOG", "off").stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Runs to the end, or kills after `kill_after`. The whole lines that it printed, and whether it came to its end.
fn live(data_dir: &Path, kill_after: Option<Duration>) -> (Vec<Value>, bool) {
    let mut child = replay(data_dir).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).unwrap();
        text
    });
    if let Some(wait) = kill_after {
        std::thread::sleep(wait);
        // SIGKILL; an error means that it has ended already.
        let _ = child.kill();
    }
    let status = child.wait().unwrap();
    let text = reader.join().unwrap();
    // A line may be cut by the kill; what was not printed whole was not told.
    let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    (lines, status.success())
}

/// Notices as (watch, reason, level), in order, each delivery once.
fn notices(lines: &[Value]) -> Vec<(String, String, String)> {
    let mut seen = Vec::new();
    let mut notices = Vec::new();
    for line in lines.iter().filter(|line| line["event"] == "notice") {
        let id = line["delivery"].as_str().unwrap().to_owned();
        if !seen.contains(&id) {
            seen.push(id);
            let text = |key: &str| line[key].as_str().unwrap().to_owned();
            notices.push((text("watch"), text("reason"), text("level")));
        }
    }
    notices
}

fn closing_levels(lines: &[Value]) -> BTreeMap<String, String> {
    let closing = lines.iter().filter(|line| line["event"] == "assessment");
    closing.map(|line| (line["watch"].as_str().unwrap().into(), line["level"].as_str().unwrap().into())).collect()
}

fn table(data_dir: &Path, name: &str) -> Vec<Value> {
    let out = Command::new(env!("CARGO_BIN_EXE_stormbell"))
        .args(["debug", name, "--json", "--data-dir"])
        .arg(data_dir)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let document: Value = serde_json::from_slice(&out.stdout).unwrap();
    document[name].as_array().unwrap().clone()
}

/// A small generator of its own (xorshift64*), so that a failing run can be repeated from its printed seed.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }
}

#[test]
fn nothing_is_lost_and_nothing_told_twice_through_kills_at_random_moments() {
    let kills_wanted: usize = std::env::var("STORMBELL_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(50);
    let seed = std::env::var("STORMBELL_KILL_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0x5EED_u64);
    let mut dice = Dice(seed);
    let calm = tempfile::tempdir().unwrap();
    let started = std::time::Instant::now();
    let (undisturbed, ended) = live(calm.path(), None);
    // How long a life lasts here and now, so that kills fall all over it on any machine.
    let life_ms = started.elapsed().as_millis().max(200) as u64;
    assert!(ended);
    let (expected, levels) = (notices(&undisturbed), closing_levels(&undisturbed));
    assert!(expected.len() >= 4, "the day tells enough to lose: {expected:?}");

    let (mut kills, mut repeats, mut lives) = (0, 0, 0);
    while kills < kills_wanted {
        lives += 1;
        let data = tempfile::tempdir().unwrap();
        let (mut told, mut here) = (Vec::new(), 0);
        let closing = loop {
            let kill_after = (here < 8 && kills + here < kills_wanted)
                .then(|| Duration::from_millis(dice.below(life_ms * 4 / 5) + 5));
            let (lines, ended) = live(data.path(), kill_after);
            told.extend(lines.iter().filter(|line| line["event"] == "notice").cloned());
            if ended {
                break lines;
            }
            here += 1;
        };
        kills += here;
        let context = format!("seed {seed}, life {lives}, {here} kills");
        assert_eq!(notices(&told), expected, "{context}");
        assert_eq!(closing_levels(&closing), levels, "{context}");
        let distinct = notices(&told).len();
        assert!(told.len() - distinct <= here, "{context}: more repeats than kills");
        repeats += told.len() - distinct;
        assert!(table(data.path(), "outbox").is_empty(), "{context}: something was never told");
        assert_eq!(table(data.path(), "points").len(), 2, "{context}");
        let ledger = table(data.path(), "ledger");
        assert_eq!(ledger.len(), distinct, "{context}: each notice is in the ledger once");
    }
    println!("{kills} kills in {lives} lives: 0 notices lost, {repeats} told again under the same id, 0 under another");
}

/// Of its kind: what a start knows not yet must not begin the ten minutes of a lower level anew.
#[test]
fn a_restart_while_a_lower_level_is_waiting_does_not_begin_its_ten_minutes_anew() {
    let calm = tempfile::tempdir().unwrap();
    let times = |lines: &[Value]| -> Vec<String> {
        let moved = lines.iter().filter(|line| line["event"] == "level_change");
        moved.map(|line| format!("{} {}", line["at"], line["to"])).collect()
    };
    let (undisturbed, _) = live(calm.path(), None);
    let expected = times(&undisturbed);
    let lowered = undisturbed.iter().rev().find(|line| line["event"] == "level_change").unwrap();
    let at: jiff::Timestamp = lowered["at"].as_str().unwrap().parse().unwrap();
    for minutes in [9, 5, 1] {
        let data = tempfile::tempdir().unwrap();
        let until = at - jiff::SignedDuration::from_mins(minutes);
        let first = replay(data.path()).args(["--until", &until.to_string()]).output().unwrap();
        let before = String::from_utf8_lossy(&first.stdout);
        let mut lines: Vec<Value> = before.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        lines.extend(live(data.path(), None).0);
        assert_eq!(times(&lines), expected, "stopped {minutes} min before");
    }
}

/// A limit on file sizes stands in for a full disk: the store closes itself at the first write that fails.
#[test]
fn a_full_disk_ends_the_program_and_the_same_command_goes_on_where_it_was() {
    let calm = tempfile::tempdir().unwrap();
    let expected = notices(&live(calm.path(), None).0);
    let data = tempfile::tempdir().unwrap();
    let dir = data.path().join("data");
    let command = replay(&dir);
    let mut limited = Command::new("bash");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 600; exec \"$@\"", "limited"]).arg(command.get_program());
    let out = limited.args(command.get_args()).env("STORMBELL_LOG", "off").output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "it does not go on deaf: {said}");
    assert!(said.contains("the store can no longer be written"), "{said}");
    let before = String::from_utf8_lossy(&out.stdout);
    let mut told: Vec<Value> = before.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let (after, ended) = live(&dir, None);
    assert!(ended);
    told.extend(after);
    assert_eq!(notices(&told), expected);
}
