//! Email against a mail server that is not ours: aiosmtpd from PyPI, in a virtual environment below `target/`.
//!
//! Skipped, with a word on stderr, where Python or the package cannot be had; `STORMBELL_FOREIGN=required` makes that a
//! failure.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;
use stormbell::channels::email::Email;
use stormbell::channels::{Channel, SendOutcome};
use stormbell::config::{EmailConfig, Security};
use stormbell::notice::compose::Rendered;
use stormbell::notice::compose::confirmation::{Confirmation, confirmation};
use stormbell::notice::links::LinkKey;
use stormbell::notice::{Address, ChannelKind, Delivery, Links, NoticeReason};
use stormbell::threat::{DISCLAIMER, Level};

/// The Python with the foreign programs, made once a run; `None` (said on stderr) where it cannot be had.
pub fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match PYTHON.get_or_init(environment) {
        Ok(path) => Some(path),
        Err(why) => {
            let required = std::env::var("STORMBELL_FOREIGN").as_deref() == Ok("required");
            assert!(!required, "STORMBELL_FOREIGN=required, but {why}");
            eprintln!("skipped: {why}");
            None
        }
    }
}

fn environment() -> Result<PathBuf, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/environment.py");
    let made = Command::new("python3").arg(script).arg(env!("CARGO_TARGET_TMPDIR")).output();
    match made {
        Ok(output) if output.status.success() => {
            Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim().to_owned()))
        }
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(format!("python3: {error}")),
    }
}

/// A running server.
pub struct Server {
    child: Child,
    /// Where it listens, on 127.0.0.1.
    pub port: u16,
    dir: PathBuf,
}

impl Server {
    /// Starts one that keeps its mails in `dir`; `None` where the package cannot be had. Options: see the script.
    pub fn start(dir: &Path, options: &[&str]) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/smtp_aiosmtpd.py");
        let mut child = Command::new(python()?)
            .arg(script)
            .arg("--dir")
            .arg(dir)
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // aiosmtpd prints a traceback for each handshake that a client breaks off.
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("stdout"));
        let mut line = String::new();
        lines.read_line(&mut line).expect("a line");
        let ready: serde_json::Value = serde_json::from_str(&line).expect("the server is ready");
        // Whatever it says later must not fill the pipe.
        std::thread::spawn(move || for _ in lines.lines() {});
        let port = ready["port"].as_u64().and_then(|port| u16::try_from(port).ok()).expect("port");
        Some(Self { child, port, dir: dir.to_path_buf() })
    }

    /// Every mail kept so far as a mail program that is not ours reads it.
    pub fn read(&self) -> Vec<serde_json::Value> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/read_mail.py");
        let read = Command::new("python3").arg(script).arg(&self.dir).output().expect("python3");
        assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
        serde_json::from_slice(&read.stdout).expect("JSON")
    }

    /// Every mail kept so far, oldest first.
    pub fn mails(&self) -> Vec<String> {
        let mut paths: Vec<_> = std::fs::read_dir(&self.dir)
            .expect("dir")
            .map(|entry| entry.expect("entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "eml"))
            .collect();
        paths.sort();
        paths.iter().map(|path| std::fs::read_to_string(path).expect("mail")).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The value of a header of a mail.
pub fn header<'a>(mail: &'a str, name: &str) -> Option<&'a str> {
    let head = mail.split("\r\n\r\n").next()?;
    head.split("\r\n").find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

fn config(port: u16) -> EmailConfig {
    EmailConfig {
        enabled: true,
        host: "127.0.0.1".into(),
        port,
        security: Security::None,
        from: "stormbell <bell@example.org>".into(),
        ..EmailConfig::default()
    }
}

fn delivery(id: &str) -> Delivery {
    Delivery {
        id: id.into(),
        number: 1,
        address: Address { kind: ChannelKind::Email, to: "anna@example.org".into() },
        watch_points: vec!["wp_1".into()],
        owner: "local".into(),
        reason: NoticeReason::Raised,
        level: Level::Extreme,
        episode: "ep_1".into(),
        thread_root: None,
        decided_utc: "2026-06-10T21:32:00Z".parse().expect("time"),
        useful_until_utc: "2026-06-10T22:32:00Z".parse().expect("time"),
        evidence_utc: None,
        seen_utc: None,
        payload: String::new(),
        unsubscribe_url: None,
        stands_in_for: None,
        subject: "EXTREME threat at unionville".into(),
        text: "Take cover.\n.\nThat was a dot.\n".into(),
        html: "<p>Take cover.</p>\n".into(),
    }
}

fn is_accepted(outcome: &SendOutcome) -> bool {
    matches!(outcome, SendOutcome::Accepted { .. })
}

fn ids(server: &Server) -> Vec<String> {
    server.mails().iter().map(|mail| header(mail, "Message-ID").expect("Message-ID").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_answers_of_451_and_still_exactly_one_mail() {
    let dir = tempfile::tempdir().expect("tempdir");
    let Some(server) = Server::start(dir.path(), &["--refuse-first", "2"]) else { return };
    let channel = Email::open(&config(server.port)).expect("channel");
    for _ in 0..2 {
        let outcome = channel.send(&delivery("abc")).await;
        assert!(matches!(outcome, SendOutcome::Temporary { .. }), "{outcome:?}");
    }
    let outcome = channel.send(&delivery("abc")).await;
    assert_eq!(outcome, SendOutcome::Accepted { receipt: "250 2.0.0 kept as 1".into() });
    channel.rest().await;
    assert_eq!(ids(&server), ["<abc@example.org>"]);
    let mail = &server.mails()[0];
    assert!(mail.contains("Take cover.\r\n.\r\nThat was a dot."), "{mail}");
}

/// What a mail program that is not ours reads in it: `email.policy.default` of Python, by the server's own parsing.
#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_reader_finds_the_thread_the_way_out_and_the_text_before_the_page() {
    let dir = tempfile::tempdir().expect("tempdir");
    let Some(server) = Server::start(dir.path(), &[]) else { return };
    let page = "https://bell.example.org";
    let channel = Email::open(&config(server.port)).expect("channel").with_page(Some(page.into()));
    let links = Links { public_url: Some(page.into()), key: LinkKey::new([7; 32]), answers_to: None };
    let to = delivery("first").address;
    let unsubscribe_url = links.unsubscribe_url("ow_1", &to);
    let first = Delivery { unsubscribe_url: unsubscribe_url.clone(), ..delivery("first") };
    let second = Delivery { thread_root: Some("first".into()), ..first.clone() };
    let second = Delivery { id: "second".into(), html: "<p>Ünder wäys \u{26c8}</p>".into(), ..second };
    let until = "2026-06-11T21:32:00Z".parse().expect("time");
    let asked = Confirmation {
        service: Some(page),
        url: Some("https://bell.example.org/confirm/abc"),
        code: None,
        asked_utc: first.decided_utc,
        good_until_utc: until,
    };
    let Rendered { subject, text, html, .. } = confirmation(&asked);
    let third = Delivery {
        id: "third".into(),
        reason: NoticeReason::Confirmation,
        watch_points: Vec::new(),
        subject,
        text,
        html,
        ..first.clone()
    };
    for mail in [&first, &second, &third] {
        assert!(is_accepted(&channel.send(mail).await));
    }
    channel.rest().await;
    let read = server.read();
    let url = unsubscribe_url.expect("url");
    for mail in &read {
        assert_eq!(mail["parts"], serde_json::json!(["text/plain", "text/html"]), "{mail}");
        assert_eq!(mail["defects"], serde_json::json!([]), "{mail}");
        assert_eq!(mail["headers"]["List-Unsubscribe"], format!("<{url}>"));
        assert_eq!(mail["headers"]["List-Unsubscribe-Post"], "List-Unsubscribe=One-Click");
        assert!(mail["text"].as_str().expect("text").contains(&url), "{mail}");
        assert!(mail["html"].as_str().expect("html").contains(&format!("href=\"{url}\"")), "{mail}");
    }
    assert_eq!(read[0]["headers"]["References"], serde_json::Value::Null);
    assert_eq!(read[1]["headers"]["In-Reply-To"], "<first@example.org>");
    assert_eq!(read[1]["headers"]["References"], "<first@example.org>");
    assert!(read[1]["html"].as_str().expect("html").contains("Ünder wäys \u{26c8}"), "{}", read[1]);
    assert!(read[1]["text"].as_str().expect("text").contains("https://bell.example.org/points/wp_1"), "{}", read[1]);
    let asked = read[2]["text"].as_str().expect("text");
    assert!(asked.contains("https://bell.example.org/confirm/abc") && asked.contains(DISCLAIMER), "{asked}");
    assert!(!asked.contains("/points/"), "{asked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_connection_closed_by_the_server_loses_and_repeats_nothing() {
    let dir = tempfile::tempdir().expect("tempdir");
    let Some(server) = Server::start(dir.path(), &["--idle-s", "0.3"]) else { return };
    let channel = Email::open(&config(server.port)).expect("channel");
    for id in ["one", "two", "three"] {
        let outcome = channel.send(&delivery(id)).await;
        assert!(is_accepted(&outcome), "{outcome:?}");
        tokio::time::sleep(Duration::from_millis(700)).await;
    }
    assert_eq!(ids(&server), ["<one@example.org>", "<two@example.org>", "<three@example.org>"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_down_for_a_while_gets_it_when_it_is_back() {
    let dir = tempfile::tempdir().expect("tempdir");
    let Some(server) = Server::start(dir.path(), &[]) else { return };
    let port = server.port;
    let channel = Email::open(&config(port)).expect("channel");
    assert!(is_accepted(&channel.send(&delivery("before")).await));
    drop(server);
    for _ in 0..3 {
        let outcome = channel.send(&delivery("abc")).await;
        assert!(matches!(outcome, SendOutcome::Temporary { .. }), "{outcome:?}");
    }
    let Some(server) = Server::start(dir.path(), &["--port", &port.to_string()]) else { return };
    assert!(is_accepted(&channel.send(&delivery("abc")).await));
    assert_eq!(ids(&server), ["<before@example.org>", "<abc@example.org>"]);
}

/// Both kinds of TLS, with a certificate authority of our own; and a server whose certificate nobody vouches for.
#[tokio::test(flavor = "multi_thread")]
async fn mail_goes_encrypted_by_starttls_and_by_tls_or_not_at_all() {
    let dir = tempfile::tempdir().expect("tempdir");
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into(), "127.0.0.1".into()]).expect("certificate");
    let authority = dir.path().join("ca.pem");
    std::fs::write(&authority, made.cert.pem()).expect("write");
    let both = dir.path().join("server.pem");
    std::fs::write(&both, made.cert.pem() + &made.signing_key.serialize_pem()).expect("write");
    for security in [Security::StartTls, Security::Tls] {
        let mails = tempfile::tempdir().expect("tempdir");
        let options = ["--security", security.as_str(), "--cert", both.to_str().expect("path")];
        let Some(server) = Server::start(mails.path(), &options) else { return };
        let unknown = EmailConfig { security, ..config(server.port) };
        let outcome = Email::open(&unknown).expect("channel").send(&delivery("abc")).await;
        assert!(matches!(outcome, SendOutcome::Temporary { .. }), "{security:?}: {outcome:?}");
        assert_eq!(server.mails().len(), 0);

        let plain = EmailConfig { security: Security::None, ..config(server.port) };
        let channel = Email::open(&plain).expect("channel");
        let sent = tokio::time::timeout(Duration::from_secs(1), channel.send(&delivery("abc"))).await;
        assert!(!matches!(sent, Ok(SendOutcome::Accepted { .. })), "{security:?}: {sent:?}");

        let known = EmailConfig { ca_file: Some(authority.clone()), ..unknown };
        let channel = Email::open(&known).expect("channel");
        for id in ["one", "two"] {
            let outcome = channel.send(&delivery(id)).await;
            assert!(is_accepted(&outcome), "{security:?}: {outcome:?}");
        }
        channel.rest().await;
        assert_eq!(ids(&server), ["<one@example.org>", "<two@example.org>"], "{security:?}");
    }
}
