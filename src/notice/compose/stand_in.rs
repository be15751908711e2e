//! The words of a notice that stands in for one that could not be delivered: the same, with a sentence at its end that says so. The
//! danger comes first: a phone shows no more than the beginning.

use super::{NAME_CHARS_MAX, NAMES_SHOWN, REASON_CHARS_MAX, Rendered, page, words};
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
    (format!("{}\n{note}\n", failed.text), page::with_note(&failed.html, &note))
}

/// The same for a notice of points that ask for push, with these names, where no browser is left. Nothing to add for none.
pub fn without_browser(words: Rendered, names: &[String]) -> Rendered {
    if names.is_empty() {
        return words;
    }
    let names: Vec<String> = names.iter().map(|name| words::line(name, NAME_CHARS_MAX)).collect();
    let note = format!(
        "Sent here because push is asked for at {} and no browser is left to show it.",
        words::list(&names, NAMES_SHOWN)
    );
    Rendered { text: format!("{}\n{note}\n", words.text), html: page::with_note(&words.html, &note), ..words }
}
