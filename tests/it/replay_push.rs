//! A rise in a recorded day reaches a browser that is not ours, by the whole program: replayed at 60 virtual seconds a second
//! with real channels, against a push service that is busy at first.

use crate::foreign_push::{PushService, plaintext};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use stormbell::notice::push::Payload;
use stormbell::notice::{Address, Browser, ChannelKind, NoticeReason};
use stormbell::store::{LedgerOutcome, Secrets, Store};
use stormbell::threat::Level;

/// Longer than the replay takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(90);

struct House {
    dir: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let text =
            "[channels.web_push]\nenabled = true\nallow_loopback = true\nsubject = \"mailto:anna@weather.net\"\n";
        std::fs::write(dir.path().join("stormbell.toml"), text).unwrap();
        let house = Self { dir };
        for words in [&["init"][..], &["watch", "add", "larkfield", "37.74", "-98.21"]] {
            let done = house.run(words).output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        }
        house
    }

    fn data(&self) -> std::path::PathBuf {
        self.dir.path().join("data")
    }

    /// Subscribes a browser, and has the one watch point's notices go there.
    fn subscribe(&self, browser: &Browser) {
        let store = Store::open(&self.data()).unwrap();
        store.put_browser(browser).unwrap();
        let mut point = store.watch_points().unwrap().rows.remove(0);
        point.addresses = vec![Address { kind: ChannelKind::WebPush, to: browser.id.clone() }];
        store.put_watch_point(&point).unwrap();
    }

    fn run(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
        command.args(args).arg("--config").arg(self.dir.path().join("stormbell.toml"));
        command.arg("--data-dir").arg(self.data()).env("STORMBELL_LOG", "error");
        command
    }

    /// Ten minutes in which the level rises once to what is told: the severe thunderstorm warning of 21:05.
    fn replay(&self) -> Child {
        let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09");
        let span = ["--from", "2031-05-09T21:04:00Z", "--until", "2031-05-09T21:14:00Z"];
        let mut command = self.run(&["replay", day.to_str().unwrap(), "--speed", "60"]);
        command.args(span).stdout(Stdio::null()).spawn().unwrap()
    }
}

fn ended(mut replay: Child) {
    let started = Instant::now();
    while replay.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < PATIENCE, "the replay does not end");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_rise_is_one_push_also_when_the_push_service_is_busy_at_first() {
    let house = House::new();
    let key = Secrets::open(&house.data()).unwrap().secrets.vapid_public();
    let Some(service) = PushService::start(&key, &["--answers", "503,429"]) else { return };
    let browser = service.browser("local");
    house.subscribe(&browser);
    ended(house.replay());

    let told = service.told(3);
    let statuses: Vec<&Value> = told.iter().map(|push| &push["status"]).collect();
    assert_eq!(statuses, [503, 429, 201], "{told:#?}");
    let texts: Vec<String> = told.iter().map(plaintext).collect();
    assert!(texts.iter().all(|text| *text == texts[0]), "the same bytes at each try: {texts:#?}");
    let shown: Payload = serde_json::from_str(&texts[0]).unwrap();
    assert_eq!((shown.level, shown.reason, shown.test), (Level::Elevated, NoticeReason::Raised, false));
    assert!(shown.title.contains("ELEVATED") && shown.title.contains("larkfield"), "{shown:?}");
    assert!(shown.body.contains("Severe Thunderstorm Warning"), "{shown:?}");
    assert_eq!(shown.url, format!("/points/{}", shown.points[0]));
    assert!(told.iter().all(|push| push["topic"] == told[0]["topic"] && push["urgency"] == "normal"), "{told:#?}");

    let store = Store::open(&house.data()).unwrap();
    let row = store.ledger_row(&shown.tag).unwrap().expect("in the ledger under the tag that was shown");
    assert_eq!((row.outcome, row.attempts), (LedgerOutcome::Told("201 from 127.0.0.1".into()), 3));
    assert!(store.pending().unwrap().rows.is_empty());
}
