//! The words for an owner whose warnings cannot be seen, or can again.

use super::page::{self, Block, Item};
use super::{NAME_CHARS_MAX, NAMES_SHOWN, POINTS_SHOWN, Rendered, SUBJECT_CHARS_MAX, words};
use crate::notice::WatchPoint;
use crate::notice::push::{Short, TITLE_CHARS_MAX};
use crate::notice::sight::Hearing;
use crate::threat::{DISCLAIMER, Level};
use jiff::Timestamp;

/// Where warnings can be heard all the same.
const ELSEWHERE: &str =
    "listen to a weather radio, and keep your phone's emergency alerts on. This is not an all-clear.";

/// What an owner is told of sight.
#[derive(Debug, Clone, PartialEq)]
pub struct SightEvent<'a> {
    /// Their points below the level that is told, with what they read: at least one.
    pub points: Vec<(&'a WatchPoint, Level)>,
    /// How the warnings feed is heard while it is blind; `None` now that it sees again.
    pub blind: Option<Hearing>,
    /// The instant.
    pub now: Timestamp,
}

/// Renders it; the same event gives the same bytes.
pub fn sight(event: &SightEvent<'_>) -> Rendered {
    let names: Vec<String> = event.points.iter().map(|(point, _)| words::line(&point.name, NAME_CHARS_MAX)).collect();
    let names = words::list(&names, NAMES_SHOWN);
    let zone = event.points.first().and_then(|(point, _)| words::zone(point.time_zone.as_deref()));
    let now = words::full_moment(event.now, zone.as_ref());
    let since = |at: Timestamp| words::moment(at, zone.as_ref(), event.now);
    let (title, said) = match event.blind {
        Some(Hearing::NotSince(at)) => (
            format!("NWS warnings cannot be seen for {names}"),
            format!("Not seen since {}. A new warning would not be noticed here: {ELSEWHERE}", since(at)),
        ),
        Some(Hearing::InPartSince(at)) => (
            format!("NWS warnings cannot all be read for {names}"),
            format!("A part of them since {}. A new warning could be missed here: {ELSEWHERE}", since(at)),
        ),
        Some(Hearing::Whole) | None => (
            format!("NWS warnings can be seen again for {names}"),
            format!("They are read again ({now}). What they say now is below."),
        ),
    };
    let subject = words::cut(&title, SUBJECT_CHARS_MAX);
    let shown = event.points.iter().take(POINTS_SHOWN).map(|(point, level)| Item {
        level: Some(*level),
        text: format!("{} ({}, {})", words::line(&point.name, NAME_CHARS_MAX), point.at.lat(), point.at.lon()),
        notes: Vec::new(),
    });
    let short = Short { title: words::cut(&title, TITLE_CHARS_MAX), body: format!("{said}\n{DISCLAIMER}") };
    let mut blocks = vec![Block::Title(None, title), Block::Strong(said), Block::Items(shown.collect())];
    if let Some(more) = event.points.len().checked_sub(POINTS_SHOWN).filter(|more| *more > 0) {
        blocks.push(Block::Para(format!("And {more} more places.")));
    }
    if event.blind.is_some() {
        blocks.push(Block::Para(
            "The levels are those of the other evidence. You are told this at most once a day.".into(),
        ));
    }
    blocks.push(Block::Small(format!("As of {now}.")));
    blocks.push(Block::Small(DISCLAIMER.into()));
    Rendered { text: page::text(&blocks), html: page::html(&subject, &blocks), short, subject }
}
