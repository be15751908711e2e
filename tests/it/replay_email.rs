//! A rise in a recorded day reaches a mail server that is not ours exactly once, by the whole program: registered with
//! `watch add`, replayed at 60 virtual seconds a second with real channels.

use crate::foreign_smtp::{Server, header};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ANNA: &str = "anna@example.org";
/// Longer than the replay takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(90);

struct House {
    dir: tempfile::TempDir,
}

impl House {
    /// A data directory with one watch point whose notices go to Anna.
    fn new(port: u16) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let text = format!(
            "[owner]\nemails = [\"{ANNA}\"]\n[channels.email]\nenabled = true\nhost = \"127.0.0.1\"\nport = {port}\n\
             security = \"none\"\nfrom = \"stormbell <bell@example.org>\"\n"
        );
        std::fs::write(dir.path().join("stormbell.toml"), text).unwrap();
        let house = Self { dir };
        let added = house.run(&["watch", "add", "larkfield", "37.74", "-98.21", "--email", ANNA]).output().unwrap();
        assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
        house
    }

    fn run(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stormbell"));
        command.args(args).arg("--config").arg(self.dir.path().join("stormbell.toml"));
        command.arg("--data-dir").arg(self.dir.path().join("data")).env("STORMBELL_LOG", "error");
        command
    }

    /// Five minutes in which the level rises once to what is told: the severe thunderstorm warning of 21:05.
    fn replay(&self) -> Child {
        let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09");
        let day = day.to_str().unwrap();
        let span = ["--from", "2031-05-09T21:04:00Z", "--until", "2031-05-09T21:14:00Z"];
        let mut command = self.run(&["replay", day, "--speed", "60"]);
        command.args(span).stdout(Stdio::null()).spawn().unwrap()
    }
}

fn one_mail_for_the_rise(server: &Server) {
    let mails = server.mails();
    assert_eq!(mails.len(), 1, "{mails:#?}");
    let subject = header(&mails[0], "Subject").unwrap();
    assert!(subject.contains("ELEVATED") && subject.contains("larkfield"), "{subject}");
    let id = header(&mails[0], "Message-ID").unwrap();
    assert!(id.ends_with("@example.org>"), "{id}");
    assert!(mails[0].contains("Severe Thunderstorm Warning"));
}

fn ended(mut replay: Child) {
    let started = Instant::now();
    while replay.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < PATIENCE, "the replay does not end");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_rise_is_one_mail_also_when_the_server_answers_451_twice_first() {
    let box_dir = tempfile::tempdir().unwrap();
    let Some(server) = Server::start(box_dir.path(), &["--refuse-first", "2"]) else { return };
    let house = House::new(server.port);
    ended(house.replay());
    one_mail_for_the_rise(&server);
}

#[test]
fn a_rise_is_one_mail_also_when_the_server_is_down_for_a_while() {
    let box_dir = tempfile::tempdir().unwrap();
    // A port that was free a moment ago; the server comes to it later.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let house = House::new(port);
    let replay = house.replay();
    // The rise is decided at 21:05:30, a second and a half in.
    std::thread::sleep(Duration::from_secs(4));
    let port_option = port.to_string();
    let Some(server) = Server::start(box_dir.path(), &["--port", &port_option]) else { return ended(replay) };
    ended(replay);
    one_mail_for_the_rise(&server);
}
