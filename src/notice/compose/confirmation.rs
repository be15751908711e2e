//! The mail that asks whether an address is its owner's: the only one that goes to an address before it is proven.
//!
//! Invariant: nothing in it was written by whoever asked, so that nobody can send their words to strangers by way of us.

use super::Rendered;
use super::page::{self, Block};
use super::words;
use crate::notice::push::Short;
use crate::threat::DISCLAIMER;
use jiff::Timestamp;

/// What a confirmation is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confirmation<'a> {
    /// Where the service is, where it can be reached.
    pub service: Option<&'a str>,
    /// The page with the button, where there is one.
    pub url: Option<&'a str>,
    /// The code to be typed, where there is no page.
    pub code: Option<&'a str>,
    /// When it was asked for.
    pub asked_utc: Timestamp,
    /// Until when it counts.
    pub good_until_utc: Timestamp,
}

/// Renders a confirmation. The same gives the same bytes.
pub fn confirmation(asked: &Confirmation<'_>) -> Rendered {
    let subject = "Please confirm that stormbell may write to this address".to_owned();
    let service = asked.service.map_or_else(String::new, |service| format!(" at {service}"));
    let until = words::full_moment(asked.good_until_utc, None);
    let mut blocks = vec![
        Block::Title(None, "Is this your address?".into()),
        Block::Para(format!(
            "Somebody asked stormbell{service} to send notices of severe weather to this address ({}).",
            words::full_moment(asked.asked_utc, None)
        )),
    ];
    if let Some(url) = asked.url {
        blocks.push(Block::Para("If you want them, open this page and press its button.".into()));
        blocks.push(Block::Button("Confirm this address".into(), url.to_owned()));
    }
    if let Some(code) = asked.code {
        blocks.push(Block::Para(
            "If you want them, type this code where they were asked for, or tell it to whoever asked:".into(),
        ));
        blocks.push(Block::Code(code.to_owned()));
    }
    blocks.push(Block::Para(format!("It counts until {until}, and once.")));
    blocks.push(Block::Para(
        "If you know nothing of it, do nothing: no notices come here unless this is confirmed.".into(),
    ));
    blocks.push(Block::Small(DISCLAIMER.into()));
    // A browser's own permission is its proof: this goes nowhere but to inboxes.
    Rendered { text: page::text(&blocks), html: page::html(&subject, &blocks), short: Short::default(), subject }
}
