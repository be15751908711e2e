//! Web push against a push service and a browser that are not ours: py-vapid verifies who sends, http-ece decrypts what is
//! sent, both from PyPI, in the environment of `foreign_smtp`.

use crate::foreign_smtp::python;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use stormbell::channels::web_push::WebPush;
use stormbell::channels::{Channel, SendOutcome};
use stormbell::clock::Clock;
use stormbell::config::Config;
use stormbell::notice::push::{self, Payload, Short};
use stormbell::notice::{Address, Browser, ChannelKind, Delivery, NoticeReason, id};
use stormbell::store::{Secrets, Store};
use stormbell::threat::Level;

/// Longer than a loaded machine takes for one line.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running push service with one browser behind it.
pub struct PushService {
    child: Child,
    /// Where it listens, on 127.0.0.1.
    pub port: u16,
    p256dh: String,
    auth: String,
    told: Arc<Mutex<Vec<Value>>>,
}

impl PushService {
    /// Starts one whose browser subscribed with `key`; `None` where the packages cannot be had.
    pub fn start(key: &str, options: &[&str]) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/push_service.py");
        let mut child = Command::new(python()?)
            .arg(script)
            .arg(format!("--key={key}"))
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the push service starts");
        let mut lines = BufReader::new(child.stdout.take().expect("stdout"));
        let mut line = String::new();
        lines.read_line(&mut line).expect("a line");
        let ready: Value = serde_json::from_str(&line).expect("the push service is ready");
        let told = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&told);
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                keep.lock().expect("told").push(serde_json::from_str(&line).expect("JSON"));
            }
        });
        let text = |name: &str| ready[name].as_str().expect(name).to_owned();
        let port = ready["port"].as_u64().and_then(|port| u16::try_from(port).ok()).expect("port");
        Some(Self { child, port, p256dh: text("p256dh"), auth: text("auth"), told })
    }

    /// The browser as it subscribes for an owner.
    pub fn browser(&self, owner: &str) -> Browser {
        let endpoint = format!("http://127.0.0.1:{}/push/abc?d=1", self.port);
        Browser {
            id: id::browser_id(owner, &endpoint),
            owner: owner.into(),
            endpoint,
            p256dh: self.p256dh.clone(),
            auth: self.auth.clone(),
            label: "Foreign on Python".into(),
            created_utc: Clock::live().now(),
            refusals: 0,
        }
    }

    /// What it has told, once there are `count` of it.
    pub fn told(&self, count: usize) -> Vec<Value> {
        let started = Instant::now();
        loop {
            let told = self.told.lock().expect("told").clone();
            if told.len() >= count || started.elapsed() > PATIENCE {
                return told;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for PushService {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The plaintext that the browser got.
pub fn plaintext(push: &Value) -> String {
    let bytes = BASE64_STANDARD.decode(push["plaintext"].as_str().unwrap_or_else(|| panic!("{push}"))).expect("base64");
    String::from_utf8(bytes).expect("text")
}

struct House {
    service: PushService,
    browser: Browser,
    channel: WebPush,
    store: Store,
}

fn house(options: &[&str]) -> Option<House> {
    let store = Store::in_memory().expect("store");
    let secrets = Secrets::of(&store).expect("keys");
    let service = PushService::start(&secrets.vapid_public(), options)?;
    let browser = service.browser("local");
    store.put_browser(&browser).expect("browser");
    let text = "[channels.web_push]\nenabled = true\nallow_loopback = true\nsubject = \"mailto:anna@weather.net\"\n";
    let config = Config::from_text("test.toml", text, &[]).expect("config");
    let channel = WebPush::open(&config, &store, &secrets, Clock::live()).expect("channel");
    Some(House { service, browser, channel, store })
}

fn delivery(browser: &Browser, body: &str) -> Delivery {
    let now = Clock::live().now();
    let mut delivery = Delivery {
        id: "0123456789abcdef".into(),
        number: 1,
        address: Address { kind: ChannelKind::WebPush, to: browser.id.clone() },
        watch_points: vec!["wp_1".into()],
        owner: browser.owner.clone(),
        reason: NoticeReason::Raised,
        level: Level::Extreme,
        episode: "ep_1".into(),
        thread_root: None,
        decided_utc: now,
        useful_until_utc: now + Duration::from_secs(3_600),
        evidence_utc: None,
        seen_utc: None,
        subject: "EXTREME threat at home".into(),
        text: "EXTREME threat at home\n".into(),
        html: String::new(),
        payload: String::new(),
        unsubscribe_url: None,
        stands_in_for: None,
    };
    delivery.payload = push::payload(&delivery, &Short { title: "EXTREME threat at home".into(), body: body.into() });
    delivery
}

#[tokio::test(flavor = "multi_thread")]
async fn an_independent_push_service_takes_it_and_an_independent_browser_reads_it() {
    let Some(house) = house(&[]) else { return };
    let sent = delivery(&house.browser, "Tornado 5 km to the SW. Take cover, señor 🌪.\nNot a substitute.");
    let outcome = house.channel.send(&sent).await;
    let told = house.service.told(1);
    assert_eq!(outcome, SendOutcome::Accepted { receipt: "201 from 127.0.0.1".into() }, "{told:?}");
    let push = &told[0];
    assert_eq!(plaintext(push), sent.payload);
    assert_eq!((&push["path"], &push["urgency"]), (&Value::from("/push/abc?d=1"), &Value::from("high")));
    assert_eq!(push["topic"], push::topic(&sent));
    assert_eq!(push["claims"]["sub"], "mailto:anna@weather.net");
    let ttl = push["ttl"].as_u64().expect("ttl");
    assert!((3_500..=3_600).contains(&ttl), "{ttl}");
    house.channel.rest().await;
}

/// Field report P01: the limit to the byte, judged by somebody else.
#[tokio::test(flavor = "multi_thread")]
async fn a_plaintext_of_3993_bytes_arrives_whole_and_one_of_3994_is_never_sent_whole() {
    let Some(house) = house(&[]) else { return };
    let mut long = delivery(&house.browser, "x");
    let mut payload: Payload = serde_json::from_str(&long.payload).expect("payload");
    payload.body.push_str(&"x".repeat(3_993 - long.payload.len()));
    for (bytes, whole) in [(3_993, true), (3_994, false)] {
        long.payload = serde_json::to_string(&payload).expect("JSON");
        assert_eq!(long.payload.len(), bytes);
        assert!(matches!(house.channel.send(&long).await, SendOutcome::Accepted { .. }));
        payload.body.push('x');
        let told = house.service.told(if whole { 1 } else { 2 });
        let push = told.last().expect("a push");
        assert_eq!(push["event"], "push", "{push}");
        if whole {
            assert_eq!((push["bytes"].as_u64(), plaintext(push)), (Some(4_096), long.payload.clone()));
        } else {
            assert!(plaintext(push).len() <= push::SHORT_BYTES_MAX, "{push}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_arrives_shortened_and_what_is_gone_goes() {
    let Some(house) = house(&["--answers", "413,201,410"]) else { return };
    let sent = delivery(&house.browser, &"Take cover. ".repeat(150));
    assert!(matches!(house.channel.send(&sent).await, SendOutcome::Accepted { .. }));
    let told = house.service.told(2);
    let (long, short) = (plaintext(&told[0]), plaintext(&told[1]));
    assert_eq!(long, sent.payload);
    assert_eq!(Some(&short), push::shortened(&long).as_ref());
    assert!(matches!(house.channel.send(&sent).await, SendOutcome::Permanent { .. }));
    assert_eq!(house.store.browser(&house.browser.id).expect("store"), None);
}

/// The service is strict: a sender with another key than the browser subscribed with is refused, and that is our fault.
#[tokio::test(flavor = "multi_thread")]
async fn another_key_is_refused_and_the_browser_stays() {
    let Some(mut house) = house(&[]) else { return };
    let other = Secrets::in_memory();
    let text = "[channels.web_push]\nenabled = true\nallow_loopback = true\nsubject = \"mailto:anna@weather.net\"\n";
    let config = Config::from_text("test.toml", text, &[]).expect("config");
    house.channel = WebPush::open(&config, &house.store, &other, Clock::live()).expect("channel");
    let outcome = house.channel.send(&delivery(&house.browser, "b")).await;
    let SendOutcome::Temporary { why, .. } = outcome else { panic!("{outcome:?}") };
    assert!(why.contains("403 the browser subscribed with another key"), "{why}");
    assert_eq!(house.store.browser(&house.browser.id).expect("store").expect("stays").refusals, 1);
}
