use super::*;
use crate::clock::Clock;
use crate::notice::{Address, ChannelKind, NoticeReason};
use crate::threat::Level;
use fake::Act::{Hang, Leave, Say};
use fake::{Fake, Script};
use std::sync::Arc;
use tokio::net::TcpListener;

mod fake;

fn delivery(id: &str) -> Delivery {
    Delivery {
        id: id.into(),
        number: 1,
        address: Address { kind: ChannelKind::Email, to: "anna@example.org".into() },
        watch_points: vec!["wp_1".into(), "wp_2".into()],
        owner: "local".into(),
        reason: NoticeReason::Raised,
        level: Level::Extreme,
        episode: "ep_1".into(),
        thread_root: Some("root1".into()),
        decided_utc: "2026-06-10T21:32:00.5Z".parse().expect("time"),
        useful_until_utc: "2026-06-10T22:32:00Z".parse().expect("time"),
        evidence_utc: None,
        seen_utc: None,
        payload: String::new(),
        unsubscribe_url: None,
        stands_in_for: None,
        subject: "EXTREME threat at Côte\r\nBcc: eve@example.org".into(),
        text: "Line one\n.\n..dots — and more\n".into(),
        html: "<p>Line one</p>\n".into(),
    }
}

fn is_accepted(outcome: &SendOutcome) -> bool {
    matches!(outcome, SendOutcome::Accepted { .. })
}

fn why(outcome: SendOutcome) -> String {
    match outcome {
        SendOutcome::Temporary { why, .. } => format!("temporary: {why}"),
        SendOutcome::Held { why, wait } => format!("held for {wait:?}: {why}"),
        SendOutcome::Permanent { why } => format!("permanent: {why}"),
        SendOutcome::Accepted { receipt } => format!("accepted: {receipt}"),
    }
}

fn header<'a>(mail: &'a str, name: &str) -> Option<&'a str> {
    let head = mail.split("\r\n\r\n").next()?;
    head.split("\r\n").find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[tokio::test]
async fn one_mail_arrives_with_its_identity() {
    let fake = Fake::start(&[], Vec::new()).await;
    let channel = fake.channel();
    let outcome = channel.send(&delivery("abc123")).await;
    assert_eq!(why(outcome), "accepted: 250 2.0.0 queued as 1");
    channel.rest().await;
    let mails = fake.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    let expected = [
        ("Message-ID", "<abc123@example.org>"),
        ("In-Reply-To", "<root1@example.org>"),
        ("References", "<root1@example.org>"),
        ("Date", "Wed, 10 Jun 2026 21:32:00 +0000"),
        ("From", "Stormbell <bell@example.org>"),
        ("To", "anna@example.org"),
        ("Auto-Submitted", "auto-generated"),
        ("List-Unsubscribe", "<mailto:bell@example.org?subject=unsubscribe%20wp_1%20wp_2>"),
        ("MIME-Version", "1.0"),
    ];
    for (name, value) in expected {
        assert_eq!(header(mail, name), Some(value), "{name}\n{mail}");
    }
    assert!(header(mail, "Content-Type").is_some_and(|value| value.starts_with("multipart/alternative;")), "{mail}");
    assert!(mail.contains("text/plain; charset=utf-8") && mail.contains("text/html; charset=utf-8"), "{mail}");
    assert_eq!(header(mail, "Bcc"), None, "a subject starts no header");
    let commands = fake.seen(|seen| seen.commands.clone());
    assert!(commands.contains(&"MAIL FROM:<bell@example.org>".to_owned()), "{commands:?}");
    assert_eq!(commands.iter().filter(|line| line.starts_with("RCPT")).count(), 1);
    assert_eq!(commands.last().map(String::as_str), Some("QUIT"));
}

/// RFC 8058: one https address, and the header that makes a POST there enough; nothing else counts as one click.
#[test]
fn one_click_ends_it_where_there_is_a_page_and_an_answer_where_there_is_none() {
    let from: Mailbox = "Stormbell <bell@example.org>".parse().expect("from");
    let mail = |delivery: &Delivery, page: Option<&str>| {
        let letter = letter::build(delivery, &from, None, page).expect("letter");
        String::from_utf8(letter.bytes).expect("text")
    };
    let url = format!("https://bell.example.org/unsubscribe/{}", "Ab-_9".repeat(60));
    let with_page = Delivery { unsubscribe_url: Some(url.clone()), ..delivery("a") };
    let sent = mail(&with_page, Some("https://bell.example.org"));
    assert_eq!(header(&sent, "List-Unsubscribe"), Some(format!("<{url}>").as_str()));
    assert_eq!(header(&sent, "List-Unsubscribe-Post"), Some("List-Unsubscribe=One-Click"));
    assert_eq!(sent, mail(&with_page, Some("https://bell.example.org")));
    assert!(sent.split("\r\n").all(|line| line.len() <= 998));

    let local = Delivery { unsubscribe_url: Some("http://127.0.0.1:1/unsubscribe/x".into()), ..delivery("a") };
    for other in [&delivery("a"), &local] {
        let sent = mail(other, None);
        assert!(header(&sent, "List-Unsubscribe").is_some_and(|value| value.starts_with("<mailto:bell@")), "{sent}");
        assert_eq!(header(&sent, "List-Unsubscribe-Post"), None);
    }
}

#[test]
fn the_same_delivery_gives_the_same_bytes_and_another_gives_others() {
    let from: Mailbox = "Stormbell <bell@example.org>".parse().expect("from");
    let build = |id: &str| letter::build(&delivery(id), &from, None, None).expect("letter").bytes;
    assert_eq!(build("a"), build("a"));
    assert_ne!(build("a"), build("b"));
    let text = String::from_utf8(build("a")).expect("ASCII");
    assert!(text.is_ascii());
    assert!(text.split("\r\n").all(|line| !line.contains(['\n', '\r']) && line.len() <= 998), "{text}");
}

/// Field report E10, and the case that the issue names.
#[tokio::test]
async fn answers_of_451_are_tried_again_with_the_same_bytes() {
    let fake = Fake::start(
        &[],
        vec![vec![
            ("MAIL", Say("451 4.3.2 later")),
            ("RCPT", Say("451 4.7.1 greylisted")),
            ("CONTENT", Say("451 4.3.0 disk")),
        ]],
    )
    .await;
    let channel = fake.channel();
    for _ in 0..3 {
        let outcome = channel.send(&delivery("abc")).await;
        assert!(matches!(outcome, SendOutcome::Temporary { retry_after: None, .. }), "{outcome:?}");
    }
    assert!(is_accepted(&channel.send(&delivery("abc")).await));
    let (contents, mails) = fake.seen(|seen| (seen.contents.clone(), seen.mails.clone()));
    assert_eq!((contents.len(), mails.len()), (2, 1));
    assert_eq!(contents[0], contents[1], "the same bytes at each try");
    assert_eq!(fake.connections(), 1, "a refusal is no reason to reconnect");
}

#[tokio::test]
async fn a_refused_recipient_is_final_for_that_one_alone() {
    let fake =
        Fake::start(&[], vec![vec![("RCPT", Say("550 5.1.1 no such user")), ("CONTENT", Say("554 5.7.1 spam"))]]).await;
    let channel = fake.channel();
    let refused = why(channel.send(&delivery("a")).await);
    assert!(
        refused.starts_with("permanent: the server refuses the recipient: ") && refused.contains("no such user"),
        "{refused}"
    );
    let refused = why(channel.send(&delivery("b")).await);
    assert!(refused.starts_with("permanent: the server refuses the message: "), "{refused}");
    assert!(is_accepted(&channel.send(&delivery("c")).await));
    assert_eq!((fake.mails().len(), fake.connections()), (1, 1));
}

#[tokio::test]
async fn what_can_never_be_an_email_is_refused_without_a_connection() {
    let fake = Fake::start(&[], Vec::new()).await;
    let channel = fake.channel();
    for (kind, to) in [
        (ChannelKind::Email, "nobody"),
        (ChannelKind::Email, "anna@example.org\r\nRCPT TO:<eve@example.org>"),
        (ChannelKind::Email, "ännä@example.org"),
        (ChannelKind::WebPush, "anna@example.org"),
    ] {
        let mut delivery = delivery("a");
        delivery.address = Address { kind, to: to.into() };
        assert!(matches!(channel.send(&delivery).await, SendOutcome::Permanent { .. }), "{to}");
    }
    assert_eq!(fake.connections(), 0);
}

/// Field reports E01 and E05: a connection that the server closed while it lay idle.
#[tokio::test]
async fn a_kept_connection_that_the_server_closed_is_replaced_and_the_message_goes_once() {
    let goodbyes: Vec<Script> = vec![
        vec![("CONTENT", Leave("250 ok"))],
        vec![("CONTENT", Leave("250 ok\r\n221 2.0.0 idle timeout"))],
        vec![("CONTENT", Leave("250 ok\r\n421 4.4.2 idle timeout"))],
        vec![("CONTENT", Say("250 ok\r\n421 4.4.2 says so and stays"))],
        vec![("RSET", Leave("421 4.4.2 timeout"))],
        vec![("RSET", Leave(""))],
        vec![("RSET", Say("502 5.5.1 what?"))],
        vec![("RSET", Say("250 ok")), ("MAIL", Leave("421 4.4.2 timeout"))],
        vec![("RSET", Say("250 ok")), ("RCPT", Leave(""))],
        vec![("RSET", Say("250 ok")), ("DATA", Leave(""))],
    ];
    for goodbye in goodbyes {
        let script = format!("{goodbye:?}");
        // Steps under RSET are met by the second message alone: the first sends none.
        let fake = Fake::start(&[], vec![goodbye]).await;
        let channel = fake.channel();
        assert!(is_accepted(&channel.send(&delivery("one")).await), "{script}");
        tokio::time::sleep(Duration::from_millis(20)).await;
        let outcome = channel.send(&delivery("two")).await;
        assert!(is_accepted(&outcome), "{script}: {outcome:?}");
        let ids: Vec<String> =
            fake.mails().iter().map(|mail| header(mail, "Message-ID").expect("id").to_owned()).collect();
        assert_eq!(ids, ["<one@example.org>", "<two@example.org>"], "{script}");
        assert_eq!(fake.connections(), 2, "{script}");
    }
}

#[tokio::test]
async fn a_live_connection_is_used_again() {
    let fake = Fake::start(&[], Vec::new()).await;
    let channel = fake.channel();
    for id in ["one", "two", "three"] {
        assert!(is_accepted(&channel.send(&delivery(id)).await));
    }
    assert_eq!((fake.mails().len(), fake.connections()), (3, 1));
    channel.rest().await;
    assert!(is_accepted(&channel.send(&delivery("four")).await));
    assert_eq!(fake.connections(), 2);
}

/// Field report E05: a break after the content is an unknown outcome; the next try bears the same identity.
#[tokio::test]
async fn a_break_after_the_content_is_tried_again_under_the_same_id() {
    let fake =
        Fake::start(&[], vec![vec![("CONTENT", Leave(""))], vec![("CONTENT", Leave("421 4.3.2 shutting down"))]]).await;
    let channel = fake.channel();
    let said = why(channel.send(&delivery("abc")).await);
    assert!(said.starts_with("temporary: the connection broke after the content was sent"), "{said}");
    assert!(why(channel.send(&delivery("abc")).await).starts_with("temporary: "));
    assert!(is_accepted(&channel.send(&delivery("abc")).await));
    let contents = fake.seen(|seen| seen.contents.clone());
    assert_eq!(contents.len(), 3);
    assert!(contents.iter().all(|content| *content == contents[0]));
    assert_eq!(fake.connections(), 3);
}

#[tokio::test]
async fn trouble_with_the_server_is_temporary() {
    let scripts: Vec<Script> = vec![
        vec![("HELLO", Leave("421 4.3.2 busy"))],
        vec![("HELLO", Leave("554 5.3.2 no service here"))],
        vec![("HELLO", Leave("I am no mail server"))],
        vec![("HELLO", Leave(""))],
        vec![("EHLO", Leave("550 5.7.1 who are you"))],
        vec![("MAIL", Say("550 5.7.1 sender refused"))],
        vec![("MAIL", Say("538 5.7.0 Must issue STARTTLS"))],
        vec![("RCPT", Say("530 5.7.0 authentication required"))],
        vec![("DATA", Say("451 4.3.0 later"))],
        vec![("DATA", Leave(""))],
    ];
    for script in scripts {
        let words = format!("{script:?}");
        let fake = Fake::start(&[], vec![script]).await;
        let channel = fake.channel();
        let outcome = channel.send(&delivery("a")).await;
        assert!(matches!(outcome, SendOutcome::Temporary { .. }), "{words}: {outcome:?}");
        assert!(is_accepted(&channel.send(&delivery("a")).await), "{words}");
        assert_eq!(fake.mails().len(), 1, "{words}");
    }
}

#[tokio::test]
async fn a_server_that_is_down_is_temporary() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("bind");
    let port = listener.local_addr().expect("address").port();
    drop(listener);
    let fake = Fake { port, seen: Arc::default() };
    let said = why(fake.channel().send(&delivery("a")).await);
    assert!(said.starts_with(&format!("temporary: 127.0.0.1:{port}: cannot connect")), "{said}");
}

/// Field report E02: a server that says nothing; the limit on the whole exchange is the caller's.
#[tokio::test]
async fn a_send_dropped_by_its_time_limit_leaves_no_half_used_connection() {
    let scripts: Vec<Script> =
        vec![vec![("HELLO", Hang)], vec![("RCPT", Hang)], vec![("CONTENT", Hang)], vec![("RSET", Hang)]];
    for script in scripts {
        let words = format!("{script:?}");
        let waits_for_second = matches!(script.first(), Some(("RSET", _)));
        let fake = Fake::start(&[], vec![script]).await;
        let channel = fake.channel();
        assert_eq!(channel.timeout(), Duration::from_secs(60));
        if waits_for_second {
            assert!(is_accepted(&channel.send(&delivery("first")).await));
        }
        let outcome = Clock::live().timeout(Duration::from_millis(100), channel.send(&delivery("a"))).await;
        assert_eq!(outcome, None, "{words}");
        assert!(is_accepted(&channel.send(&delivery("a")).await), "{words}");
        assert_eq!(fake.connections(), 2, "{words}");
        assert_eq!(fake.mails().iter().filter(|mail| mail.contains("<a@example.org>")).count(), 1, "{words}");
    }
}

#[tokio::test]
async fn nothing_is_sent_in_the_clear_where_tls_is_asked_for() {
    for (extensions, security, said) in [
        (&[][..], Security::StartTls, "the server offers no STARTTLS"),
        (&["STARTTLS"][..], Security::StartTls, "STARTTLS failed"),
        (&[][..], Security::Tls, "channels.email.security = \"starttls\""),
    ] {
        let fake = Fake::start(extensions, vec![vec![("STARTTLS", Leave("220 go on"))]]).await;
        let config = EmailConfig { security, ..fake.config() };
        let channel = Email::open(&config).expect("channel");
        let limited = Clock::live().timeout(Duration::from_secs(10), channel.send(&delivery("a"))).await;
        let outcome = why(limited.expect("no hang"));
        assert!(outcome.starts_with("temporary: ") && outcome.contains(said), "{security:?}: {outcome}");
        let commands = fake.seen(|seen| seen.commands.clone());
        assert!(!commands.iter().any(|line| line.starts_with("MAIL") || line.starts_with("AUTH")), "{commands:?}");
    }
}

#[tokio::test]
async fn logs_in_where_a_password_is_given_and_takes_a_refusal_for_temporary() {
    let fake = Fake::start(&["AUTH PLAIN LOGIN"], vec![vec![("AUTH", Say("535 5.7.8 bad credentials"))]]).await;
    let config = EmailConfig {
        username: Some("bell".into()),
        password: Some(crate::config::Secret::new("secret")),
        ..fake.config()
    };
    let channel = Email::open(&config).expect("channel");
    let said = why(channel.send(&delivery("a")).await);
    assert!(said.starts_with("temporary: ") && said.contains("login failed") && !said.contains("secret"), "{said}");
    assert!(is_accepted(&channel.send(&delivery("a")).await));
    // base64 of "\0bell\0secret", RFC 4616.
    let commands = fake.seen(|seen| seen.commands.clone());
    assert!(commands.contains(&"AUTH PLAIN AGJlbGwAc2VjcmV0".to_owned()), "{commands:?}");
    assert!(!format!("{channel:?}").contains("secret"));
}

/// lettre's pool aborts the process here.
#[test]
fn dropping_the_channel_outside_the_runtime_is_harmless() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("runtime");
    let channel = runtime.block_on(async {
        let fake = Fake::start(&[], Vec::new()).await;
        let channel = fake.channel();
        assert!(is_accepted(&channel.send(&delivery("a")).await));
        assert_eq!(channel.kept().len(), 1);
        channel
    });
    drop(runtime);
    drop(channel);
}

#[test]
fn an_unreadable_password_or_authority_is_named() {
    let config = EmailConfig {
        host: "127.0.0.1".into(),
        security: Security::None,
        from: "bell@example.org".into(),
        username: Some("bell".into()),
        password_file: Some("no-such-file".into()),
        ..EmailConfig::default()
    };
    let said = Email::open(&config).expect_err("no file").to_string();
    assert!(said.starts_with("channels.email.password_file: no-such-file: "), "{said}");
    let dir = tempfile::tempdir().expect("tempdir");
    let file = dir.path().join("secret");
    std::fs::write(&file, "hunter2\n").expect("write");
    let config = EmailConfig { password_file: Some(file.clone()), ..config };
    assert_eq!(config.read_password().expect("password").expect("password").expose(), "hunter2");
    std::fs::write(&file, "\n").expect("write");
    let said = Email::open(&config).expect_err("empty").to_string();
    assert!(said.starts_with("channels.email.password_file: ") && said.contains("is empty"), "{said}");
    let config = EmailConfig { security: Security::Tls, ca_file: Some(file), ..config };
    let said = Email::open(&config).expect_err("no certificate").to_string();
    assert!(said.starts_with("channels.email.ca_file: ") && !said.contains("hunter2"), "{said}");
}
