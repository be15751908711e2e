use super::*;
use crate::geo::LatLon;
use crate::notice::push::{Payload, Short};
use crate::notice::{Address, NoticeReason, WatchPoint};
use crate::store::{Decision, LedgerOutcome};
use crate::threat::Level;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use fake::{Act, Fake, Keys, after, say};
use std::net::IpAddr;
use tokio::sync::Notify;

mod fake;
mod hostile;

const NOW: &str = "2026-06-10T21:32:00Z";

/// A store with browsers, and a channel over it.
struct Bench {
    store: Store,
    keys: Keys,
    channel: WebPush,
}

struct OnlyLoopback;

#[async_trait]
impl Lookup for OnlyLoopback {
    async fn addresses(&self, _: &str) -> std::io::Result<Vec<IpAddr>> {
        Ok(vec![IpAddr::from([127, 0, 0, 1])])
    }
}

fn config(allow_loopback: bool) -> Config {
    let mut config = Config::default();
    config.service.contact = "anna@weather.net".into();
    config.channels.web_push =
        WebPushConfig { enabled: true, allow_loopback, timeout_s: 20, ..WebPushConfig::default() };
    config
}

impl Bench {
    fn with(config: &Config) -> Self {
        let store = Store::in_memory().unwrap();
        let clock = Clock::starting_at(NOW.parse().unwrap(), 1.0);
        let secrets = Secrets::of(&store).unwrap();
        let channel = WebPush::with_lookup(config, &store, &secrets, clock, Arc::new(OnlyLoopback)).unwrap();
        Self { store, keys: Keys::new(), channel }
    }

    fn new() -> Self {
        Self::with(&config(true))
    }

    fn subscribe(&self, id: &str, endpoint: String) {
        let browser = Browser {
            id: id.into(),
            owner: "local".into(),
            endpoint,
            p256dh: self.keys.p256dh(),
            auth: self.keys.auth(),
            label: "Firefox on Linux".into(),
            created_utc: NOW.parse().unwrap(),
            refusals: 0,
        };
        self.store.put_browser(&browser).unwrap();
    }

    fn refusals(&self, id: &str) -> Option<u32> {
        self.store.browser(id).unwrap().map(|browser| browser.refusals)
    }

    /// What became of a send, in words.
    async fn send(&mut self, delivery: &Delivery) -> String {
        match self.channel.send(delivery).await {
            SendOutcome::Accepted { receipt } => format!("accepted: {receipt}"),
            SendOutcome::Temporary { why, retry_after: None } => format!("temporary: {why}"),
            SendOutcome::Temporary { why, retry_after: Some(wait) } => {
                format!("temporary for {} s: {why}", wait.as_secs())
            }
            SendOutcome::Held { why, wait } => format!("held for {} s: {why}", wait.as_secs()),
            SendOutcome::Permanent { why } => format!("permanent: {why}"),
        }
    }
}

fn delivery(browser: &str) -> Delivery {
    let body = Short { title: "EXTREME threat at home".into(), body: "Take cover. ".repeat(150) };
    let mut delivery = Delivery {
        id: format!("id of {browser}"),
        number: 1,
        address: Address { kind: ChannelKind::WebPush, to: browser.into() },
        watch_points: vec!["wp_1".into()],
        owner: "local".into(),
        reason: NoticeReason::Raised,
        level: Level::Extreme,
        episode: "ep_1".into(),
        thread_root: None,
        decided_utc: NOW.parse().unwrap(),
        useful_until_utc: "2026-06-10T23:32:10Z".parse().unwrap(),
        evidence_utc: None,
        seen_utc: None,
        subject: "EXTREME threat at home".into(),
        text: "EXTREME threat at home\n\nTake cover.\n".into(),
        html: String::new(),
        payload: String::new(),
        unsubscribe_url: None,
        stands_in_for: None,
    };
    delivery.payload = push::payload(&delivery, &body);
    delivery
}

/// The place that every delivery here is about.
fn point() -> WatchPoint {
    WatchPoint {
        id: "wp_1".into(),
        owner: "local".into(),
        name: "home".into(),
        at: LatLon::new(40.52, -92.9).unwrap(),
        min_level: Level::Elevated,
        addresses: vec![Address { kind: ChannelKind::WebPush, to: String::new() }],
        time_zone: None,
        created_utc: NOW.parse().unwrap(),
        until_utc: None,
        client_token: None,
        waiting: Vec::new(),
        quiet_hours: None,
        snooze_until_utc: None,
        acknowledged: None,
    }
}

/// One browser of one push service that answers by a script.
async fn one(script: Vec<Act>) -> (Fake, Bench) {
    let (fake, bench) = (Fake::start(script).await, Bench::new());
    bench.subscribe("br_1", fake.endpoint("br_1"));
    (fake, bench)
}

#[tokio::test]
async fn a_notice_arrives_encrypted_with_its_life_its_urgency_and_what_it_replaces() {
    let (fake, mut bench) =
        one(vec![say("201 Created"), say("200 OK"), say("202 Accepted"), say("204 No Content")]).await;
    let sent = delivery("br_1");
    assert_eq!(bench.send(&sent).await, "accepted: 201 from 127.0.0.1");
    let seen = fake.seen().remove(0);
    assert_eq!(seen.line, "POST /secret/br_1?x=1 HTTP/1.1");
    let header = |name: &str| seen.headers.get(name).map(String::as_str);
    assert_eq!(header("content-encoding"), Some("aes128gcm"));
    assert_eq!(header("urgency"), Some("high"));
    assert_eq!(header("topic"), Some(push::topic(&sent).as_str()));
    let ttl: u64 = header("ttl").unwrap().parse().unwrap();
    assert!((7_190..=7_210).contains(&ttl), "what is left of its useful life: {ttl}");
    let public = Secrets::of(&bench.store).unwrap().vapid_public();
    assert!(header("authorization").unwrap().ends_with(&format!(",k={public}")), "{:?}", header("authorization"));
    assert!(header("user-agent").unwrap().contains("anna@weather.net"));
    assert_eq!(bench.keys.open(&seen.body), sent.payload);

    let quiet = Delivery { level: Level::Elevated, ..delivery("br_1") };
    for receipt in ["200", "202", "204"] {
        assert_eq!(bench.send(&quiet).await, format!("accepted: {receipt} from 127.0.0.1"));
    }
    assert_eq!(fake.seen()[1].headers["urgency"], "normal");
    assert_ne!(fake.seen()[1].body, fake.seen()[2].body, "a fresh key each time");
}

/// Field report P08: these two alone end a subscription.
#[tokio::test]
async fn a_browser_that_is_gone_goes_and_what_waits_for_it_stays_to_be_told_elsewhere() {
    for status in ["404 Not Found", "410 Gone"] {
        let (fake, mut bench) = one(vec![say(status)]).await;
        let later = Delivery { id: "later".into(), ..delivery("br_1") };
        bench.store.put_watch_point(&point()).unwrap();
        let deliveries = vec![delivery("br_1"), later.clone()];
        bench.store.commit(&Decision { deliveries, ..Decision::default() }).unwrap();
        let said = bench.send(&delivery("br_1")).await;
        assert!(
            said.starts_with("permanent: 127.0.0.1 knows the browser no more") && said.contains(&status[..3]),
            "{said}"
        );
        assert!(!said.contains("secret"), "{said}");
        assert_eq!(bench.refusals("br_1"), None);
        // The shell ends it, and falls back: for this the row must still be there.
        let now = NOW.parse().unwrap();
        let settled = bench.store.settle("id of br_1", LedgerOutcome::Dead(said), now).unwrap();
        assert!(matches!(settled, crate::store::Settled::Now(_)), "{settled:?}");
        assert_eq!(bench.send(&later).await, "permanent: the browser is no longer subscribed");
        assert_eq!(fake.seen().len(), 1);
    }
}

/// Field report P07: the subscription was renewed while the push service still answered for the old one.
#[tokio::test]
async fn a_subscription_renewed_meanwhile_stays() {
    let told = Arc::new(Notify::new());
    let (fake, mut bench) = one(vec![Act::When(Arc::clone(&told), "410 Gone")]).await;
    let store = bench.store.clone();
    let renewed = async {
        fake.asked().await;
        let browser = store.browser("br_1").unwrap().unwrap();
        store.put_browser(&Browser { endpoint: fake.endpoint("renewed"), ..browser }).unwrap();
        told.notify_one();
    };
    let pushed = delivery("br_1");
    let (said, ()) = tokio::join!(bench.send(&pushed), renewed);
    assert!(said.starts_with("permanent: "), "{said}");
    assert_eq!(store.browser("br_1").unwrap().unwrap().endpoint, fake.endpoint("renewed"));
}

/// Field report P02: bridged devices take less.
#[tokio::test]
async fn what_is_too_large_is_shortened_once() {
    let (fake, mut bench) = one(vec![say("413 Payload Too Large")]).await;
    let sent = delivery("br_1");
    assert!(bench.send(&sent).await.starts_with("accepted: 201"));
    let seen = fake.seen();
    let opened: Vec<Payload> =
        seen.iter().map(|seen| serde_json::from_str(&bench.keys.open(&seen.body)).unwrap()).collect();
    assert_eq!(opened.len(), 2);
    assert!(seen[1].body.len() <= push::SHORT_BYTES_MAX + 103 && seen[1].body.len() < seen[0].body.len());
    assert_eq!((&opened[1].tag, &opened[1].title), (&opened[0].tag, &opened[0].title));
    assert!(opened[1].body.ends_with('…'));

    let (fake, mut bench) = one(vec![say("413 Payload Too Large"), say("413 Payload Too Large")]).await;
    let said = bench.send(&sent).await;
    assert!(said.starts_with("permanent: 127.0.0.1 finds it too large"), "{said}");
    assert_eq!((fake.seen().len(), bench.refusals("br_1")), (2, Some(0)), "the browser stays");

    let (fake, mut bench) = one(vec![say("413 Payload Too Large")]).await;
    let mut short = delivery("br_1");
    short.payload = push::payload(&short, &Short { title: "t".into(), body: "b".into() });
    assert!(bench.send(&short).await.starts_with("permanent: "));
    assert_eq!(fake.seen().len(), 1, "as short as it gets");
}

/// Field report P01, on the wire.
#[tokio::test]
async fn no_body_is_larger_than_4096_bytes() {
    let (fake, mut bench) = one(Vec::new()).await;
    for (bytes, expected) in [(3_993, 3_993), (3_994, push::SHORT_BYTES_MAX)] {
        let mut long = delivery("br_1");
        let mut payload: Payload = serde_json::from_str(&long.payload).unwrap();
        payload.body.push_str(&"x".repeat(bytes - long.payload.len()));
        long.payload = serde_json::to_string(&payload).unwrap();
        assert_eq!(long.payload.len(), bytes);
        assert!(bench.send(&long).await.starts_with("accepted: "));
        let body = fake.seen().pop().unwrap().body;
        assert!(body.len() <= 4_096, "{}", body.len());
        assert!(bench.keys.open(&body).len() <= expected && bench.keys.open(&body).len() > expected - 4, "{bytes}");
    }
}

#[tokio::test]
async fn a_429_holds_its_push_service_and_no_other() {
    let date = Act::Say(
        "429 Too Many Requests",
        vec!["date: Wed, 10 Jun 2026 21:32:00 GMT".into(), "retry-after: Wed, 10 Jun 2026 21:34:00 GMT".into()],
        "",
    );
    for (act, wait) in
        [(after("429 Too Many Requests", "120"), 120), (date, 120), (after("503 Service Unavailable", "120"), 120)]
    {
        let (limited, mut bench) = one(vec![act.clone()]).await;
        bench.subscribe("br_2", limited.endpoint("br_2"));
        let other = Fake::start(Vec::new()).await;
        bench.subscribe("br_3", other.endpoint("br_3"));
        let said = bench.send(&delivery("br_1")).await;
        assert!(said.starts_with(&format!("temporary for {wait} s: 127.0.0.1: ")), "{act:?}: {said}");
        for held in ["br_1", "br_2"] {
            let said = bench.send(&delivery(held)).await;
            let told: u64 = said.strip_prefix("held for ").unwrap().split(' ').next().unwrap().parse().unwrap();
            assert!(told <= wait && told > wait - 20, "{said}");
        }
        assert!(bench.send(&delivery("br_3")).await.starts_with("accepted: "), "{act:?}");
        assert_eq!((limited.seen().len(), other.seen().len()), (1, 1), "{act:?}");
        assert_eq!(bench.refusals("br_1"), Some(0));
    }
}

#[tokio::test]
async fn a_429_without_a_time_holds_a_while_and_what_is_past_holds_nothing() {
    let (fake, mut bench) = one(vec![say("429 Too Many Requests")]).await;
    assert!(bench.send(&delivery("br_1")).await.starts_with("temporary: "));
    assert!(bench.send(&delivery("br_1")).await.contains("asked to be left alone"));
    assert_eq!(fake.seen().len(), 1);
    for wait in ["0", "Wed, 10 Jun 2020 21:34:00 GMT"] {
        let (fake, mut bench) = one(vec![after("429 Too Many Requests", wait)]).await;
        assert!(bench.send(&delivery("br_1")).await.starts_with("temporary for 0 s: "));
        assert!(bench.send(&delivery("br_1")).await.starts_with("accepted: "), "{wait}");
        assert_eq!(fake.seen().len(), 2);
    }
}

/// Field reports P08 and P13: refused for a day, and then not any more.
#[tokio::test]
async fn what_is_our_fault_keeps_the_browser_and_falls_back_after_five_in_a_row() {
    for status in ["400 Bad Request", "401 Unauthorized", "403 Forbidden", "418 I'm a teapot", "307 Temporary Redirect"]
    {
        let body = "{\"reason\":\r\n \"BadJwtToken\"}\u{1b}[31m";
        let (fake, mut bench) = one(vec![Act::Say(status, Vec::new(), body); 6]).await;
        for refusals in 1..=4 {
            let said = bench.send(&delivery("br_1")).await;
            assert!(said.starts_with("temporary: ") && said.contains(&status[..3]), "{said}");
            assert!(said.contains("{\"reason\": \"BadJwtToken\"}") && !said.contains('\u{1b}'), "{said}");
            assert_eq!(bench.refusals("br_1"), Some(refusals));
        }
        for refusals in 5..=6 {
            let said = bench.send(&delivery("br_1")).await;
            assert!(said.starts_with(&format!("permanent: 127.0.0.1 refused {refusals} pushes in a row")), "{said}");
        }
        assert_eq!(bench.refusals("br_1"), Some(6), "still subscribed");
        assert!(bench.send(&delivery("br_1")).await.starts_with("accepted: "));
        assert_eq!(bench.refusals("br_1"), Some(0), "and begins anew");
        assert_eq!(fake.seen().len(), 7);
    }
}

#[tokio::test]
async fn trouble_of_the_push_service_is_temporary_and_counts_nothing() {
    let statuses = ["500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable", "408 Request Timeout"];
    let (fake, mut bench) = one(statuses.into_iter().map(say).collect()).await;
    for status in statuses {
        let said = bench.send(&delivery("br_1")).await;
        assert!(said.starts_with(&format!("temporary: 127.0.0.1: {}", &status[..3])), "{said}");
    }
    assert!(bench.send(&delivery("br_1")).await.starts_with("accepted: "));
    assert_eq!((fake.seen().len(), bench.refusals("br_1")), (5, Some(0)));
}

#[tokio::test]
async fn a_push_service_that_is_down_or_silent_costs_its_time_once_and_not_once_a_browser() {
    let mut config = config(true);
    config.channels.web_push.timeout_s = 1;
    for act in [Act::Silent, Act::HangUp] {
        let (fake, mut bench) = (Fake::start(vec![act.clone()]).await, Bench::with(&config));
        for id in ["br_1", "br_2"] {
            bench.subscribe(id, fake.endpoint(id));
        }
        let said = bench.send(&delivery("br_1")).await;
        assert!(said.starts_with("temporary: 127.0.0.1: ") && !said.contains("secret"), "{act:?}: {said}");
        assert!(bench.send(&delivery("br_2")).await.contains("asked to be left alone"), "{act:?}");
        assert_eq!(fake.seen().len(), 1);
        assert!(bench.channel.timeout() > Duration::from_secs(2), "two exchanges fit in");
    }
}
