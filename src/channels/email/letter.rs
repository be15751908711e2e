//! One delivery as the bytes of an email. The same delivery gives the same bytes at every try and in every process.

use crate::notice::compose::foot::with_foot;
use crate::notice::{ChannelKind, Delivery};
use lettre::Address;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart, SinglePart};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::time::Duration;

/// A finished email with its envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Letter {
    pub(super) from: Address,
    pub(super) to: Address,
    pub(super) bytes: Vec<u8>,
}

/// Builds the email; `Err` says why this delivery can never be one.
pub(super) fn build(
    delivery: &Delivery,
    from: &Mailbox,
    reply_to: Option<&Mailbox>,
    page: Option<&str>,
) -> Result<Letter, String> {
    if delivery.address.kind != ChannelKind::Email {
        return Err(format!("{} is not an email address", delivery.address.kind.as_str()));
    }
    let to: Address = delivery
        .address
        .to
        .parse()
        .map_err(|error| format!("{:?} is not an email address: {error}", delivery.address.to))?;
    if !AsRef::<str>::as_ref(&to).is_ascii() {
        // Needs SMTPUTF8 on every server on the way; refused here rather than lost there.
        return Err(format!("{to} holds letters outside ASCII"));
    }
    let answers_to: &str = reply_to.unwrap_or(from).email.as_ref();
    let one_click = delivery.unsubscribe_url.as_deref().filter(|url| url.starts_with("https://"));
    let unsubscribe = match one_click {
        Some(url) => format!("<{url}>"),
        None => format!(
            "<mailto:{}?subject=unsubscribe%20{}>",
            in_uri(answers_to),
            in_uri(&delivery.watch_points.join(" "))
        ),
    };
    // When it was decided, not when it is sent: a second try must not differ.
    let since_epoch = Duration::from_secs(u64::try_from(delivery.decided_utc.as_second()).unwrap_or(0));
    let mut builder = Message::builder()
        .from(from.clone())
        .to(Mailbox::new(None, to.clone()))
        .subject(one_line(&delivery.subject))
        .date(std::time::UNIX_EPOCH + since_epoch)
        .message_id(Some(message_id(&delivery.id, from)))
        .raw_header(HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".into()))
        // Encoded already and without blanks: folding it would break the address.
        .raw_header(HeaderValue::dangerous_new_pre_encoded(
            HeaderName::new_from_ascii_str("List-Unsubscribe"),
            unsubscribe.clone(),
            unsubscribe,
        ));
    if one_click.is_some() {
        // RFC 8058: a POST there ends it, without a question. Nothing that only follows links does it by accident.
        let name = HeaderName::new_from_ascii_str("List-Unsubscribe-Post");
        builder = builder.raw_header(HeaderValue::new(name, "List-Unsubscribe=One-Click".into()));
    }
    if let Some(reply_to) = reply_to {
        builder = builder.reply_to(reply_to.clone());
    }
    if let Some(root) = &delivery.thread_root {
        let root = message_id(root, from);
        builder = builder.in_reply_to(root.clone()).references(root);
    }
    let (text, html) = with_foot(delivery, page, answers_to);
    // The last one is the one that a reader prefers (RFC 2046).
    let body = MultiPart::alternative()
        .boundary(boundary(&delivery.id))
        .singlepart(SinglePart::plain(text))
        .singlepart(SinglePart::html(html));
    let message = builder.multipart(body).map_err(|error| format!("no email can be made of it: {error}"))?;
    Ok(Letter { from: from.email.clone(), to, bytes: message.formatted() })
}

/// `<id@domain of the sender>`: the identity by which the other side knows a second try.
pub(super) fn message_id(delivery_id: &str, from: &Mailbox) -> String {
    let id: String = delivery_id.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
    format!("<{id}@{}>", from.email.domain())
}

/// lettre would draw a random one; this one differs from message to message and not from try to try.
fn boundary(delivery_id: &str) -> String {
    let mut text = String::from("stormbell-");
    for byte in Sha256::digest(delivery_id.as_bytes()).iter().take(12) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Percent-encoding for a `mailto:` URI (RFC 6068).
fn in_uri(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"@.-_+~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
