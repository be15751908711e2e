//! `kill -9` at random moments of a storm over 200 watch points, while mail goes out to a server that is slow and unwell: nothing
//! is lost, nothing is told twice under different ids, nothing out of order, nothing after an address has unsubscribed.
//!
//! `STORMBELL_DELIVERY_KILLS` sets how many kills; without it the test is skipped, since it has not yet been seen to come to its
//! end (`scripts/kill-delivery.sh` asks for a thousand).

use crate::kill_delivery_books::{Books, Counts};
use crate::unwell_smtp::Unwell;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use stormbell::geo::LatLon;
use stormbell::notice::{Address, ChannelKind, WatchPoint};
use stormbell::store::Store;
use stormbell::threat::Level;

/// Watch points around Larkfield, which the storm of the bundled day comes to.
const POINTS: usize = 200;
/// Their owners.
const OWNERS: usize = 10;
/// Virtual seconds a second: the storm passes in about ten.
const SPEED: &str = "600";
/// By then the storm is over and what was held is told.
const STORM_OVER: &str = "2031-05-09T23:05:00Z";
/// Longer than any run takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(180);

fn email(to: &str) -> Address {
    Address { kind: ChannelKind::Email, to: to.to_owned() }
}

fn at(time: &str) -> jiff::Timestamp {
    time.parse().unwrap()
}

/// Point `n` of a grid of 20 by 10, some 50 km wide. Some sleep, some are snoozed, some want to know more or less; some have an
/// address that nobody reads any more.
fn point(n: usize) -> WatchPoint {
    let owner = n % OWNERS;
    let mut addresses = vec![email(&format!("o{owner}@example.org"))];
    if n % 2 == 1 {
        addresses.push(email(&format!("b{owner}@example.org")));
    }
    if n.is_multiple_of(5) {
        addresses.push(email(&format!("refused{owner}@example.org")));
    }
    WatchPoint {
        id: format!("wp_{n:03}"),
        owner: format!("owner{owner}"),
        name: format!("place {n}"),
        at: LatLon::in_conus(37.50 + 0.05 * (n / 20) as f64, -98.50 + 0.03 * (n % 20) as f64).unwrap(),
        min_level: [Level::Elevated, Level::Marginal, Level::Elevated, Level::Significant][n % 4],
        addresses,
        time_zone: Some("America/Chicago".to_owned()),
        created_utc: at("2031-05-09T20:00:00Z"),
        until_utc: None,
        client_token: None,
        waiting: Vec::new(),
        quiet_hours: (n % 4 == 2).then(|| "15:30-16:50".parse().unwrap()),
        snooze_until_utc: (n % 7 == 3).then(|| at("2031-05-09T21:40:00Z")),
        acknowledged: None,
    }
}

/// A data directory with all points and a configuration for this mail server.
struct House {
    dir: tempfile::TempDir,
}

impl House {
    fn new(port: u16) -> Self {
        let house = Self { dir: tempfile::tempdir().unwrap() };
        let text = format!(
            "[channels.email]\nenabled = true\nhost = \"127.0.0.1\"\nport = {port}\nsecurity = \"none\"\n\
             from = \"stormbell <bell@example.org>\"\ntimeout_s = 600\n"
        );
        std::fs::write(house.dir.path().join("stormbell.toml"), text).unwrap();
        let store = house.store();
        for n in 0..POINTS {
            store.put_watch_point(&point(n)).unwrap();
        }
        house
    }

    /// The store, while no process runs over it.
    fn store(&self) -> Store {
        Store::open(&self.dir.path().join("data")).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
        command.args(args).arg("--config").arg(self.dir.path().join("stormbell.toml"));
        command.arg("--data-dir").arg(self.dir.path().join("data")).env("STORMBELL_LOG", "off");
        command
    }

    /// The live service over the recorded day, from where it was left.
    fn serve(&self) -> Child {
        let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09");
        let mut command = self.command(&["serve", "--port", "0", "--speed", SPEED, "--archive"]);
        command.arg(day).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn state(&self) -> Option<Value> {
        let out = self.command(&["debug", "state", "--json"]).output().unwrap();
        let document: Value = serde_json::from_slice(&out.stdout).ok()?;
        Some(document["state"].clone())
    }

    /// Whether the storm is over and nothing waits.
    fn is_done(&self) -> bool {
        let Some(state) = self.state() else { return false };
        let reached = state["high_water_utc"].as_str().map(at);
        reached.is_some_and(|reached| reached >= at(STORM_OVER)) && state["pending"] == 0
    }
}

fn kill(mut child: Child) {
    // SIGKILL; an error means that it has ended already.
    let _ = child.kill();
    child.wait().unwrap();
}

/// One storm with kills at random moments, until it has passed. Returns what the books say.
fn storm(dice: &mut crate::kill::Dice, kills: usize) -> Counts {
    let server = Unwell::start(dice.below(u64::MAX));
    let house = House::new(server.port);
    let leaver = dice.below(OWNERS as u64);
    let leaves_after = dice.below(kills as u64) as usize;
    let mut left_at = None;
    for number in 0..kills {
        let child = house.serve();
        std::thread::sleep(Duration::from_millis(dice.below(2_200) + 50));
        kill(child);
        if number == leaves_after {
            house
                .store()
                .unsubscribe(&format!("owner{leaver}"), &email(&format!("o{leaver}@example.org")), at(STORM_OVER))
                .unwrap();
            left_at = Some(server.tick());
        }
    }
    server.recover();
    let child = house.serve();
    let started = Instant::now();
    while !house.is_done() {
        assert!(started.elapsed() < PATIENCE, "the storm does not pass: {:?}", house.state());
        std::thread::sleep(Duration::from_millis(200));
    }
    kill(child);
    Books::read(&house.store(), &server.received()).count(&format!("o{leaver}@example.org"), left_at)
}

#[test]
fn a_storm_through_kills_and_an_unwell_mail_server_loses_and_doubles_nothing() {
    let Some(wanted) = std::env::var("STORMBELL_DELIVERY_KILLS").ok().and_then(|text| text.parse::<usize>().ok())
    else {
        println!("skipped: STORMBELL_DELIVERY_KILLS is not set");
        return;
    };
    let seed = std::env::var("STORMBELL_KILL_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0x5EED_u64);
    let mut dice = crate::kill::Dice(seed);
    let (mut kills, mut storms, mut all) = (0, 0, Counts::default());
    while kills < wanted {
        let here = 8.min(wanted - kills);
        let counts = storm(&mut dice, here);
        (kills, storms) = (kills + here, storms + 1);
        all.add(&counts);
        assert!(counts.is_clean(), "seed {seed}, storm {storms}: {counts}\n{}", counts.details.join("\n"));
        println!("{kills} kills in {storms} storms over {POINTS} points: {all}");
    }
    assert!(all.notices > 100, "the storm tells enough to lose: {all}");
}
