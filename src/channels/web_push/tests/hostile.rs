//! Push services and rows that mean no good: endless answers, redirects, private addresses, keys that are none.

use super::fake::{Act, Fake, Keys};
use super::*;

/// RustSec advisory on web-push before 0.10.3 (field report P10): an answer without end.
#[tokio::test]
async fn an_endless_answer_is_not_read_to_its_end() {
    for (status, expected) in
        [("201 Created", "accepted: 201"), ("500 Oh", "temporary: 127.0.0.1: 500 zzz"), ("410 Gone", "permanent: ")]
    {
        let (_fake, mut bench) = one(vec![Act::Endless(status)]).await;
        let pushed = delivery("br_1");
        let said = tokio::time::timeout(Duration::from_secs(15), bench.send(&pushed)).await.expect("it ends");
        assert!(said.starts_with(expected) && said.len() < 400, "{said}");
    }
}

#[tokio::test]
async fn a_redirect_leads_nowhere() {
    let target = Fake::start(Vec::new()).await;
    let to = format!("location: http://127.0.0.1:{}/", target.port);
    let (_fake, mut bench) = one(vec![Act::Say("301 Moved", vec![to], "")]).await;
    assert!(bench.send(&delivery("br_1")).await.starts_with("temporary: 127.0.0.1 refused it (1 in a row): 301"));
    assert!(target.seen().is_empty());
}

/// Rows may be older than the guard, and names change what they stand for.
#[tokio::test]
async fn nothing_private_is_asked_whatever_stands_in_the_store() {
    let fake = Fake::start(Vec::new()).await;
    let mut bench = Bench::with(&config(false));
    for endpoint in [
        fake.endpoint("x"),
        format!("https://127.0.0.1:{}/x", fake.port),
        format!("https://[::1]:{}/x", fake.port),
        format!("https://localhost:{}/x", fake.port),
        "https://169.254.169.254/latest/meta-data".into(),
    ] {
        bench.subscribe("br_1", endpoint.clone());
        assert!(bench.send(&delivery("br_1")).await.starts_with("permanent: "), "{endpoint}");
    }
    bench.subscribe("br_1", format!("https://push.example.com:{}/x", fake.port));
    let said = bench.send(&delivery("br_1")).await;
    assert!(
        said.starts_with("temporary: ") && said.contains("127.0.0.1, which is not in the public internet"),
        "{said}"
    );
    assert_eq!(bench.refusals("br_1"), Some(1), "five times, and its notices go elsewhere");
    assert!(fake.seen().is_empty());
}

#[tokio::test]
async fn what_can_never_be_pushed_is_refused_without_a_connection() {
    let (fake, mut bench) = one(Vec::new()).await;
    let mail = Address { kind: ChannelKind::Email, to: "x@y".into() };
    for odd in [
        Delivery { address: mail, ..delivery("br_1") },
        Delivery { owner: "somebody else".into(), ..delivery("br_1") },
        delivery("br_9"),
    ] {
        assert!(bench.send(&odd).await.starts_with("permanent: "));
    }
    let browser = bench.store.browser("br_1").unwrap().unwrap();
    bench.store.put_browser(&Browser { p256dh: "BBBB".into(), ..browser }).unwrap();
    assert!(bench.send(&delivery("br_1")).await.contains("p256dh"));
    assert!(fake.seen().is_empty());
}

#[test]
fn a_subscription_is_judged_before_it_is_kept() {
    let (keys, config) = (Keys::new(), config(false).channels.web_push);
    let check = |endpoint: &str, p256dh: &str, auth: &str| check_subscription(endpoint, p256dh, auth, &config);
    let (good, p256dh, auth) = ("https://push.example.com/x", keys.p256dh(), keys.auth());
    assert_eq!(check(good, &p256dh, &auth), Ok(()));
    assert!(matches!(check("https://127.0.0.1/x", &p256dh, &auth), Err(SubscriptionError::Endpoint(_))));
    assert!(matches!(check(good, "AAAA", &auth), Err(SubscriptionError::Keys(SealError::PublicKey))));
    assert!(matches!(check(good, &p256dh, "AAAA"), Err(SubscriptionError::Keys(SealError::Auth))));
}

#[test]
fn browsers_get_the_key_that_the_channel_signs_with_or_none() {
    let store = Store::in_memory().unwrap();
    let key = Secrets::of(&store).unwrap().vapid_public();
    assert_eq!(public_key(&config(false).channels.web_push, &store), Ok(Some(key)));
    assert_eq!(public_key(&WebPushConfig::default(), &store), Ok(None));
}
