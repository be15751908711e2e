//! What a browser's push service is given of a notice: the payload (JSON that the page's service worker shows), how urgent it
//! is, and which earlier one it replaces. Pure; rendered once, when the notice is decided.

use crate::notice::{ChannelKind, Delivery, NoticeReason, id};
use crate::threat::{DISCLAIMER, Level};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Bytes of a payload: well below the ~3 kB that every push service and bridge was seen to take (field report P02).
pub const PAYLOAD_BYTES_MAX: usize = 2_500;
/// Bytes of a payload for a push service that finds the other too large.
pub const SHORT_BYTES_MAX: usize = 1_000;
/// Bytes of any plaintext: a push service need not take a body of more than 4,096 (RFC 8030, section 7.2), of which the header
/// has 86, the delimiter 1 and the tag 16 (RFC 8188, RFC 8291; field report P01).
pub const PLAINTEXT_BYTES_MAX: usize = 4_096 - 86 - 1 - 16;
/// Layout of the payload, for a service worker that is older or newer than the server.
pub const LAYOUT: u8 = 1;
/// Characters of a title: what two lines of a phone show.
pub const TITLE_CHARS_MAX: usize = 120;
/// Points named: more of them are behind one link anyway.
const POINTS_MAX: usize = 20;
/// Begins the topic of a test, which must replace no real notice.
const TEST_TOPIC: &str = "test-";

/// The words of a notification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Short {
    /// What a phone shows in bold, at most `TITLE_CHARS_MAX` characters.
    pub title: String,
    /// Lines, the most important ones first: a phone shows two or three, and more when asked.
    pub body: String,
}

/// What the service worker gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload {
    /// `LAYOUT`.
    pub v: u8,
    /// The delivery's id: a notification of the same tag is replaced, not repeated.
    pub tag: String,
    /// What is shown in bold.
    pub title: String,
    /// What is shown below, lines ended by `\n`.
    pub body: String,
    /// The level told.
    pub level: Level,
    /// Why.
    pub reason: NoticeReason,
    /// When it was decided.
    pub at: Timestamp,
    /// Where a tap leads: a path of the page, `/points/{id}` or, for several points, `/`.
    pub url: String,
    /// Nothing has happened: it was asked for.
    pub test: bool,
    /// Watch points, at most 20.
    pub points: Vec<String>,
}

/// The payload of a delivery with these words, at most `PAYLOAD_BYTES_MAX` bytes.
pub fn payload(delivery: &Delivery, words: &Short) -> String {
    let url = match delivery.watch_points.as_slice() {
        [one] => format!("/points/{one}"),
        _ => "/".to_owned(),
    };
    let payload = Payload {
        v: LAYOUT,
        tag: delivery.id.clone(),
        title: words.title.chars().take(TITLE_CHARS_MAX).collect(),
        body: words.body.clone(),
        level: delivery.level,
        reason: delivery.reason,
        at: delivery.decided_utc,
        url,
        test: delivery.reason == NoticeReason::Test,
        points: delivery.watch_points.iter().take(POINTS_MAX).cloned().collect(),
    };
    fitted(payload, PAYLOAD_BYTES_MAX)
}

/// A delivery with its payload, where it goes to a browser.
pub fn rendered(mut delivery: Delivery, words: &Short) -> Delivery {
    if delivery.address.kind == ChannelKind::WebPush {
        delivery.payload = payload(&delivery, words);
    }
    delivery
}

/// What is sent of a delivery: its payload under its own id, or one made of its text where none was rendered (a notice that
/// stands in for an email).
pub fn plaintext(delivery: &Delivery) -> String {
    match serde_json::from_str::<Payload>(&delivery.payload) {
        Ok(payload) if payload.tag == delivery.id => delivery.payload.clone(),
        Ok(payload) => fitted(Payload { tag: delivery.id.clone(), ..payload }, PAYLOAD_BYTES_MAX),
        Err(_) => payload(delivery, &Short { title: delivery.subject.clone(), body: prose(&delivery.text) }),
    }
}

/// A payload for a push service that found this one too large; `None` when it is as short as it gets.
pub fn shortened(plaintext: &str) -> Option<String> {
    let payload: Payload = serde_json::from_str(plaintext).ok()?;
    let first: Vec<String> = payload.points.first().cloned().into_iter().collect();
    let short = fitted(Payload { points: first, ..payload }, SHORT_BYTES_MAX);
    (short.len() < plaintext.len()).then_some(short)
}

/// `Topic` (RFC 8030, section 5.4): a newer state of the same episode replaces one that has not been delivered. 32 characters
/// of base64url, the most that Apple takes (field report P05).
pub fn topic(delivery: &Delivery) -> String {
    let point = delivery.watch_points.first().map_or("", String::as_str);
    let topic = id::push_topic(point, &delivery.episode);
    match delivery.reason {
        NoticeReason::Test => TEST_TOPIC.chars().chain(topic.chars()).take(topic.len()).collect(),
        NoticeReason::Raised
        | NoticeReason::Lowered
        | NoticeReason::AllClear
        | NoticeReason::WentBlind
        | NoticeReason::SeesAgain
        | NoticeReason::Digest
        | NoticeReason::Confirmation => topic,
    }
}

/// Whether a phone is to be woken for it (RFC 8030, section 5.3): significant and extreme.
pub fn is_urgent(delivery: &Delivery) -> bool {
    delivery.level >= Level::Significant
}

/// The JSON of a payload, cut to `bytes_max`: first the body, whose disclaimer stays, then the title; what is cut is marked.
fn fitted(payload: Payload, bytes_max: usize) -> String {
    // Its own fields cannot fail to serialise.
    let json = |payload: &Payload| serde_json::to_string(payload).unwrap_or_default();
    let whole = json(&payload);
    if whole.len() <= bytes_max {
        return whole;
    }
    let (head, tail) = match payload.body.strip_suffix(DISCLAIMER) {
        Some(head) => (head.to_owned(), format!("\n{DISCLAIMER}")),
        None => (payload.body.clone(), String::new()),
    };
    let with_body = |body: String| Payload { body, ..payload.clone() };
    if let Some(body) = longest(&head, &tail, |body| json(&with_body(body.to_owned())).len() <= bytes_max) {
        return json(&with_body(body));
    }
    let bare = with_body(String::new());
    let with_title = |title: String| Payload { title, ..bare.clone() };
    let title = longest(&bare.title, "", |title| json(&with_title(title.to_owned())).len() <= bytes_max);
    json(&with_title(title.unwrap_or_default()))
}

/// The longest beginning of `head`, marked as cut and followed by `tail`, that fits; `None` where not even one letter does.
fn longest(head: &str, tail: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    let cut = |chars: usize| {
        let kept: String = head.chars().take(chars).collect();
        format!("{}…{tail}", kept.trim_end())
    };
    // A letter more is at least as many bytes of JSON: halving finds the edge.
    let (mut fitting, mut too_long) = (0, head.chars().count() + 1);
    while too_long - fitting > 1 {
        let middle = fitting.midpoint(too_long);
        if fits(&cut(middle)) { fitting = middle } else { too_long = middle }
    }
    (fitting > 0).then(|| cut(fitting))
}

/// The lines of a plain text without its title, its rules and its empty lines.
fn prose(text: &str) -> String {
    let is_rule = |line: &str| !line.is_empty() && line.chars().all(|c| c == '-');
    let lines = text.lines().skip(1).map(str::trim).filter(|line| !line.is_empty() && !is_rule(line));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
