//! `kill -9` at random moments of a storm over 200 watch points, while mail and pushes go out to servers that are slow and unwell:
//! nothing is lost, nothing is told twice under different ids, nothing out of order, nothing after an address has unsubscribed or
//! a browser was removed.
//!
//! `STORMBELL_DELIVERY_KILLS` sets how many kills (10 unless set; `scripts/kill-delivery.sh` makes a thousand).

use crate::kill_delivery_books::{Books, Counts, Left};
use crate::unwell::Server;
use crate::unwell_push::PushService;
use crate::unwell_smtp;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use stormbell::geo::LatLon;
use stormbell::notice::links::LinkKey;
use stormbell::notice::{Address, Browser, ChannelKind, Links, WatchPoint, book};
use stormbell::store::{Secrets, Store};
use stormbell::threat::Level;

/// Watch points around Larkfield, which the storm of the bundled day comes to.
const POINTS: usize = 200;
/// Their owners.
const OWNERS: usize = 10;
/// Kills within one storm, at most.
const KILLS_A_STORM: usize = 25;
/// Virtual seconds a second while nobody kills: what is left of the storm passes in some seconds.
const SPEED_AT_LAST: f64 = 600.0;
/// Virtual seconds a second while what still waits goes out: a notice is of use for six hours.
const SPEED_OF_THE_REST: f64 = 60.0;
/// By then the storm is over and what was held is told.
const STORM_OVER: &str = "2031-05-09T23:05:00Z";
/// A life works for up to about this long after it has started.
const WORKS_MS: u64 = 1_400;
/// The host under which the page is known outside.
const PUBLIC: &str = "bell.example.org";
/// Given up when for this long neither the day goes on nor anything is told: no machine is that slow.
const PATIENCE: Duration = Duration::from_secs(120);

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
    if n % 3 != 1 {
        addresses.push(Address { kind: ChannelKind::WebPush, to: String::new() });
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

/// A data directory with all points, and a configuration for these servers.
struct House {
    dir: tempfile::TempDir,
    smtp: Server,
    pushes: [PushService; 2],
}

impl House {
    fn new(dice: &mut crate::kill::Dice) -> Self {
        let mut seed = || dice.below(u64::MAX);
        let smtp = unwell_smtp::start(seed());
        let pushes = [PushService::start(seed()), PushService::start(seed())];
        let house = Self { dir: tempfile::tempdir().unwrap(), smtp, pushes };
        let text = format!(
            "[channels.email]\nenabled = true\nhost = \"127.0.0.1\"\nport = {}\nsecurity = \"none\"\n\
             from = \"stormbell <bell@example.org>\"\ntimeout_s = 600\n\
             [channels.web_push]\nenabled = true\nallow_loopback = true\nsubject = \"mailto:anna@weather.net\"\n\
             [web]\npublic_url = \"https://{PUBLIC}\"\n",
            house.smtp.port
        );
        std::fs::write(house.dir.path().join("stormbell.toml"), text).unwrap();
        let store = house.store();
        for owner in 0..OWNERS {
            house.browsers(owner).iter().for_each(|browser| store.put_browser(browser).unwrap());
        }
        for n in 0..POINTS {
            store.put_watch_point(&point(n)).unwrap();
        }
        house
    }

    /// The browsers of an owner: one of either vendor, one alone, or none; one of them goes in the middle of it all.
    fn browsers(&self, owner: usize) -> Vec<Browser> {
        let name = format!("owner{owner}");
        let one = |vendor: usize, browser: &str| self.pushes[vendor].browser(&name, browser);
        match owner % 4 {
            0 => vec![one(0, "phone"), one(1, "desk")],
            1 => vec![one(1, "phone")],
            2 => vec![one(0, "gone"), one(0, "desk")],
            _ => Vec::new(),
        }
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
    fn serve(&self, speed: f64) -> Child {
        self.serving(speed).spawn().unwrap()
    }

    fn serving(&self, speed: f64) -> Command {
        let day = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/days/2031-05-09");
        let speed = speed.to_string();
        let mut command = self.command(&["serve", "--port", "0", "--speed", &speed, "--archive", day]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn state(&self) -> Option<Value> {
        let out = self.command(&["debug", "state", "--json"]).output().unwrap();
        let document: Value = serde_json::from_slice(&out.stdout).ok()?;
        Some(document["state"].clone())
    }

    /// The same, once it listens, with its port: before, whoever asks for its state would open the store in its place.
    fn listening(&self, speed: f64) -> (Child, u16) {
        let mut command = self.serving(speed);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        // Before it says so it may say that the recorded day is over.
        let said = BufReader::new(child.stderr.as_mut().unwrap()).lines().map_while(Result::ok);
        let port_of = |line: String| line.split_once("MCP at http://127.0.0.1:")?.1.split('/').next()?.parse().ok();
        let port = said.into_iter().find_map(port_of).expect("it listens");
        (child, port)
    }

    /// How long a start takes here and now.
    fn start_ms(&self) -> u64 {
        let started = Instant::now();
        kill(self.listening(1.0).0);
        started.elapsed().as_millis() as u64
    }

    /// An owner's address unsubscribes by one click while notices go out, and the service is killed at the answer; then a browser
    /// of another owner is removed.
    fn leave(&self, speed: f64, dice: &mut crate::kill::Dice) -> Vec<Left> {
        let leaver = dice.below(OWNERS as u64);
        let address = email(&format!("o{leaver}@example.org"));
        let key = LinkKey::new(*Secrets::of(&self.store()).unwrap().link_key());
        let links = Links { public_url: Some(format!("https://{PUBLIC}")), key, answers_to: None };
        let url = links.unsubscribe_url(&format!("owner{leaver}"), &address).unwrap();
        let (child, port) = self.listening(speed);
        std::thread::sleep(Duration::from_millis(dice.below(WORKS_MS)));
        one_click(port, &url);
        kill(child);
        let store = self.store();
        let browser = &self.browsers(4 * dice.below(2) as usize)[0];
        assert!(store.remove_browser(&browser.id, &browser.endpoint).unwrap());
        vec![
            Left { address, at: self.smtp.tick() },
            Left { address: book::browser_address(&browser.id), at: self.pushes[0].server.tick() },
        ]
    }

    /// The servers recover, and the storm passes.
    fn pass(&self) {
        self.smtp.recover();
        self.pushes.iter().for_each(|service| service.server.recover());
        let over =
            |state: &Value| state["high_water_utc"].as_str().is_some_and(|reached| at(reached) >= at(STORM_OVER));
        self.until(SPEED_AT_LAST, over);
        // Time goes on more slowly than the slowest machine delivers: what is late is of no use any more.
        self.until(SPEED_OF_THE_REST, |state| over(state) && state["pending"] == 0);
    }

    /// Serves until its state is as wanted.
    fn until(&self, speed: f64, is_done: impl Fn(&Value) -> bool) {
        let (child, _) = self.listening(speed);
        let (mut before, mut since) = (None, Instant::now());
        loop {
            let state = self.state();
            if state.as_ref().is_some_and(&is_done) {
                break;
            }
            if state != before {
                (before, since) = (state, Instant::now());
            }
            assert!(since.elapsed() < PATIENCE, "the storm does not pass: {before:?}");
            std::thread::sleep(Duration::from_millis(200));
        }
        kill(child);
    }
}

/// As mail programs do it (RFC 8058).
fn one_click(port: u16, url: &str) {
    let path = url.split_once(PUBLIC).unwrap().1;
    let form = "List-Unsubscribe=One-Click";
    let kind = "Content-Type: application/x-www-form-urlencoded";
    let length = form.len();
    let mut door = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(door, "POST {path} HTTP/1.1\r\nHost: {PUBLIC}\r\n{kind}\r\nContent-Length: {length}\r\n\r\n{form}").unwrap();
    let mut answer = String::new();
    BufReader::new(door).read_line(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

fn kill(mut child: Child) {
    // SIGKILL; an error means that it has ended already.
    let _ = child.kill();
    child.wait().unwrap();
}

/// One storm with kills at random moments, until it has passed. Returns what the books say.
fn storm(dice: &mut crate::kill::Dice, kills: usize) -> Counts {
    let house = House::new(dice);
    let start_ms = house.start_ms();
    // Fewer kills lie further apart.
    let speed = 6_000.0 / kills.max(5) as f64;
    let leaves_after = dice.below(kills as u64) as usize;
    let mut left = Vec::new();
    for number in 0..kills {
        let child = house.serve(speed);
        std::thread::sleep(Duration::from_millis(dice.below(start_ms + WORKS_MS) + 10));
        kill(child);
        if number == leaves_after {
            left = house.leave(speed, dice);
        }
    }
    house.pass();
    let mut received = house.smtp.received();
    received.extend(house.pushes.iter().flat_map(|service| service.server.received()));
    Books::read(&house.store(), received, left).count()
}

#[test]
fn a_storm_through_kills_and_unwell_servers_loses_and_doubles_nothing() {
    let asked_for = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let wanted = asked_for("STORMBELL_DELIVERY_KILLS").unwrap_or(10) as usize;
    let seed = asked_for("STORMBELL_KILL_SEED").unwrap_or(0x5EED);
    let mut dice = crate::kill::Dice(seed);
    let (mut kills, mut storms, mut all) = (0, 0, Counts::default());
    while kills < wanted {
        let here = KILLS_A_STORM.min(wanted - kills);
        let counts = storm(&mut dice, here);
        (kills, storms) = (kills + here, storms + 1);
        all.add(&counts);
        println!("{kills} kills in {storms} storms over {POINTS} points, seed {seed}: {all}");
        assert!(counts.is_clean(), "seed {seed}, storm {storms}: {counts}\n{}", counts.details.join("\n"));
    }
    assert!(all.notices > 100 && all.pushed > 20, "the storm tells enough to lose: {all}");
}
