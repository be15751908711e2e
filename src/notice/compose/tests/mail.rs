//! Whole mails: what stands under a notice, and what asks for a proof.

use super::*;
use crate::notice::{Address, ChannelKind, Delivery};

fn mail(rendered: Rendered, reason: NoticeReason, watch_points: &[&str]) -> Delivery {
    let now = utc("2026-06-10T21:32:00Z");
    Delivery {
        id: "d".into(),
        number: 1,
        address: Address { kind: ChannelKind::Email, to: "anna@example.org".into() },
        watch_points: watch_points.iter().map(|id| (*id).to_owned()).collect(),
        owner: "local".into(),
        reason,
        level: Level::Extreme,
        episode: "ep".into(),
        thread_root: None,
        decided_utc: now,
        useful_until_utc: now,
        evidence_utc: None,
        seen_utc: None,
        subject: rendered.subject,
        text: rendered.text,
        html: rendered.html,
        payload: String::new(),
        unsubscribe_url: Some("https://bell.example.org/unsubscribe/abc".into()),
        stands_in_for: None,
    }
}

/// The whole mail with its footer, to be opened in a browser: `fixtures/notices/mail.html`.
#[test]
fn a_mail_says_why_it_came_where_more_is_and_how_it_ends() {
    let (point, change) = (unionville(), raised_change());
    let mut event = event(NoticeReason::Raised, "2026-06-10T21:32:00Z", Told::of_change(&point, &change));
    event.instruction = Some(INSTRUCTION);
    let delivery = mail(compose(&event), NoticeReason::Raised, &["wp_0123456789ab"]);
    let (text, html) = foot::with_foot(&delivery, Some("https://bell.example.org"), "bell@example.org");
    is_readable(&html);
    is_in_file("mail.html", &html);
    is_in_file("mail.txt", &text);
    for body in [&text, &html] {
        for part in ["https://bell.example.org/points/wp_0123456789ab", "unsubscribe/abc", "anna@example.org"] {
            assert!(body.contains(part), "{part}: {body}");
        }
    }
    let alone = Delivery { unsubscribe_url: None, ..delivery };
    let (text, html) = foot::with_foot(&alone, None, "bell@example.org");
    assert!(text.contains("write to bell@example.org") && html.contains("write to bell@example.org"), "{text}");
    assert!(!text.contains("https://") && !html.contains("href"), "{html}");
    let hostile = Delivery {
        address: Address { to: "\"<b>\"@example.org".into(), ..alone.address.clone() },
        unsubscribe_url: Some("https://x.example/?a=\"><script>".into()),
        ..alone
    };
    let (_, html) = foot::with_foot(&hostile, Some("https://x.example"), "<i>@example.org");
    assert!(!html.contains("<b>") && !html.contains("<script") && !html.contains("<i>"), "{html}");
}

#[test]
fn a_confirmation_asks_and_says_nothing_else() {
    let asked = confirmation::Confirmation {
        service: Some("https://bell.example.org"),
        url: Some("https://bell.example.org/confirm/abc"),
        code: None,
        asked_utc: utc("2026-06-10T21:32:00Z"),
        good_until_utc: utc("2026-06-11T21:32:00Z"),
    };
    let by_link = confirmation::confirmation(&asked);
    is_sound(&by_link);
    let delivery = mail(by_link, NoticeReason::Confirmation, &[]);
    let (text, html) = foot::with_foot(&delivery, Some("https://bell.example.org"), "bell@example.org");
    is_in_file("confirmation_by_link.html", &html);
    is_in_file("confirmation_by_link.txt", &text);
    assert!(html.contains("href=\"https://bell.example.org/confirm/abc\""), "{html}");
    let by_code = confirmation::confirmation(&confirmation::Confirmation {
        service: None,
        url: None,
        code: Some("042137"),
        ..asked
    });
    is_sound(&by_code);
    reads_as("confirmation_by_code", &by_code);
    assert!(!by_code.subject.contains("042137") && by_code.html.contains(">042137<"));
}
