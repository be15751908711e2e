//! The words of a notice that stands in for one that could not be delivered: the same, with a sentence that says so.

use super::{REASON_CHARS_MAX, page, words};
use crate::notice::{ChannelKind, Delivery};

/// Text and HTML of `failed`, for another address of its owner.
pub fn stand_in(failed: &Delivery, why: &str) -> (String, String) {
    let to = match failed.address.kind {
        ChannelKind::Email => failed.address.to.as_str(),
        ChannelKind::WebPush => "a browser that was to show it",
        ChannelKind::None => "its address",
    };
    let why = words::line(why, REASON_CHARS_MAX);
    let note = format!("Sent here because it could not be delivered to {to} ({}).", why.trim_end_matches('.'));
    (format!("{note}\n\n{}", failed.text), page::with_note(&failed.html, &note))
}
