use super::*;
use crate::notice::{Address, ChannelKind};

fn delivery(points: &[&str]) -> Delivery {
    Delivery {
        id: "0123456789abcdef0123456789abcdef01234567".into(),
        number: 1,
        address: Address { kind: ChannelKind::WebPush, to: "br_1".into() },
        watch_points: points.iter().map(|id| (*id).into()).collect(),
        owner: "local".into(),
        reason: NoticeReason::Raised,
        level: Level::Extreme,
        episode: "ep_1".into(),
        thread_root: None,
        decided_utc: "2026-06-10T21:32:00Z".parse().unwrap(),
        useful_until_utc: "2026-06-10T22:32:00Z".parse().unwrap(),
        evidence_utc: None,
        seen_utc: None,
        subject: "EXTREME threat at home: inside Tornado Warning".into(),
        text: "EXTREME threat at home\n\nRaised.\n\nhome\n----\n- [extreme] inside Tornado Warning\n  Until 22:00Z.\n"
            .into(),
        html: String::new(),
        payload: String::new(),
        unsubscribe_url: None,
        stands_in_for: None,
    }
}

fn words(title: &str, body: &str) -> Short {
    Short { title: title.into(), body: body.into() }
}

fn read(payload: &str) -> Payload {
    serde_json::from_str(payload).unwrap()
}

/// The service worker reads exactly this: a change of it is a change of `LAYOUT`.
#[test]
fn the_payload_is_what_the_service_worker_reads() {
    let payload = payload(&delivery(&["wp_1"]), &words("EXTREME threat at home", "Inside \"X\".\nTake cover."));
    let expected = concat!(
        r#"{"v":1,"tag":"0123456789abcdef0123456789abcdef01234567","title":"EXTREME threat at home","#,
        r#""body":"Inside \"X\".\nTake cover.","level":"extreme","reason":"raised","at":"2026-06-10T21:32:00Z","#,
        r#""url":"/points/wp_1","test":false,"points":["wp_1"]}"#
    );
    assert_eq!(payload, expected);
    let several = read(&super::payload(&delivery(&["wp_1", "wp_2"]), &words("t", "b")));
    assert_eq!((several.url.as_str(), several.points.len()), ("/", 2));
    let test = Delivery { reason: NoticeReason::Test, ..delivery(&["wp_1"]) };
    assert!(read(&super::payload(&test, &words("t", "b"))).test);
}

#[test]
fn a_long_notice_is_cut_to_what_every_push_service_takes_and_says_so() {
    let points: Vec<String> = (0..200).map(|n| format!("wp_{n:012}")).collect();
    let points: Vec<&str> = points.iter().map(String::as_str).collect();
    // Letters of one, two and four bytes, and some that JSON writes as six.
    for body in ["a", "é", "🌪", "\u{1}", "\"", "a 🌪\u{1}\""] {
        let long = body.repeat(4_000);
        let cut = payload(&delivery(&points), &words(&"t".repeat(500), &long));
        assert!(cut.len() <= PAYLOAD_BYTES_MAX, "{body:?}: {}", cut.len());
        let read = read(&cut);
        assert_eq!((read.title.chars().count(), read.points.len()), (TITLE_CHARS_MAX, 20));
        assert!(read.body.ends_with('…') && read.body.chars().count() > 100, "{body:?}: {}", read.body.len());
        assert!(long.starts_with(read.body.trim_end_matches('…')));
        assert!(cut.len() > PAYLOAD_BYTES_MAX - 12, "{body:?}: cut too much: {}", cut.len());

        let short = shortened(&cut).unwrap();
        assert!(short.len() <= SHORT_BYTES_MAX, "{}", short.len());
        assert_eq!(self::read(&short).tag, read.tag);
        assert_eq!(shortened(&short), None, "once, then it is as short as it gets");
    }
    let signed = read(&payload(&delivery(&["wp_1"]), &words("t", &format!("{}\n{DISCLAIMER}", "a ".repeat(4_000)))));
    assert!(signed.body.ends_with(&format!("a…\n{DISCLAIMER}")), "{}", signed.body);
    let nothing_left = Delivery { watch_points: vec!["x".repeat(3_000)], ..delivery(&[]) };
    assert_eq!(read(&payload(&nothing_left, &words("t", "b"))).title, "");
    let exact = words("t", "as it is");
    assert_eq!(read(&payload(&delivery(&["wp_1"]), &exact)).body, "as it is");
    assert_eq!(shortened("no JSON"), None);
}

/// A stand-in bears the words of what it stands in for, under its own id.
#[test]
fn what_is_sent_bears_the_id_of_the_delivery() {
    let rendered = payload(&delivery(&["wp_1"]), &words("t", "b"));
    let own = Delivery { payload: rendered.clone(), ..delivery(&["wp_1"]) };
    assert_eq!(plaintext(&own), rendered, "the stored bytes");
    let stand_in = Delivery { id: "other".into(), ..own };
    let sent = read(&plaintext(&stand_in));
    assert_eq!((sent.tag.as_str(), sent.body.as_str()), ("other", "b"));
    // In place of an email, which has no payload.
    let sent = read(&plaintext(&delivery(&["wp_1"])));
    assert_eq!(sent.title, "EXTREME threat at home: inside Tornado Warning");
    assert_eq!(sent.body, "Raised.\nhome\n- [extreme] inside Tornado Warning\nUntil 22:00Z.");
}

#[test]
fn a_payload_is_rendered_for_browsers_alone() {
    let pushed = rendered(delivery(&["wp_1"]), &words("t", "b"));
    assert_eq!(pushed.payload, payload(&delivery(&["wp_1"]), &words("t", "b")));
    let mailed = Delivery { address: Address { kind: ChannelKind::Email, to: "x@y".into() }, ..delivery(&["wp_1"]) };
    assert_eq!(rendered(mailed.clone(), &words("t", "b")), mailed);
}

#[test]
fn a_newer_state_of_an_episode_replaces_an_older_one_and_a_test_replaces_nothing() {
    let raised = topic(&delivery(&["wp_1"]));
    let lowered = topic(&Delivery { reason: NoticeReason::Lowered, id: "x".into(), ..delivery(&["wp_1"]) });
    assert_eq!(raised, lowered);
    let test = topic(&Delivery { reason: NoticeReason::Test, ..delivery(&["wp_1"]) });
    let others =
        [test.clone(), topic(&delivery(&["wp_2"])), topic(&Delivery { episode: "ep_2".into(), ..delivery(&["wp_1"]) })];
    assert!(others.iter().all(|other| *other != raised));
    assert!(test.starts_with("test-"));
    for topic in others.iter().chain([&raised]) {
        assert!(
            topic.len() == 32 && topic.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'),
            "{topic}"
        );
    }
}

#[test]
fn phones_are_woken_for_significant_and_extreme() {
    let urgent = |level| is_urgent(&Delivery { level, ..delivery(&["wp_1"]) });
    let levels = [Level::None, Level::Marginal, Level::Elevated, Level::Significant, Level::Extreme];
    assert_eq!(levels.map(urgent), [false, false, false, true, true]);
}

#[test]
fn the_hard_limit_is_that_of_the_field_report() {
    assert_eq!(PLAINTEXT_BYTES_MAX, 3_993);
}
