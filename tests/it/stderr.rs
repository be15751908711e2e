//! A service whose log nobody reads any more, or nobody reads fast enough, goes on watching: it neither dies nor stands still.

use serde_json::Value;
use std::io::Read;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

/// Longer than a loaded machine needs for half an hour of the day.
const PATIENCE: Duration = Duration::from_secs(120);

struct House(tempfile::TempDir);

impl House {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
        command.args(args).arg("--data-dir").arg(self.0.path());
        command
    }

    /// A service in the day, with much to say, and its log.
    fn serve(&self) -> (Child, ChildStderr) {
        let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09");
        let mut command = self.command(&["serve", "--port", "0", "--speed", "300"]);
        command.arg("--archive").arg(day).env("STORMBELL_LOG", "trace").stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut log = child.stderr.take().unwrap();
        // It has begun when it says something.
        log.read_exact(&mut [0; 64]).unwrap();
        (child, log)
    }

    fn levels(&self) -> Value {
        let out = self.command(&["debug", "levels", "--json"]).output().unwrap();
        serde_json::from_slice(&out.stdout).unwrap_or_default()
    }

    fn sees_the_storm(&self) {
        let began = Instant::now();
        loop {
            let levels = self.levels();
            if levels["levels"][0]["level"] == "extreme" {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "the storm has passed long ago: {levels}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

fn house() -> House {
    let house = House(tempfile::tempdir().unwrap());
    let added = house.command(&["watch", "add", "larkfield", "37.74", "-98.21"]).output().unwrap();
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    house
}

fn stop(mut child: Child) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let ended = child.wait().unwrap();
    assert!(ended.success(), "{ended}");
}

#[test]
fn a_log_that_nobody_reads_any_more_kills_nothing() {
    let house = house();
    let (child, log) = house.serve();
    drop(log);
    house.sees_the_storm();
    stop(child);
}

#[test]
fn a_log_that_nobody_drains_holds_nothing_up() {
    let house = house();
    let (child, log) = house.serve();
    house.sees_the_storm();
    stop(child);
    drop(log);
}
