//! The words of a notice: what, where, until when, why, what to do, what cannot be seen, how fresh.
//!
//! Boundaries: ✓ pure rendering, once, when a notice is decided. ✗ when to tell whom is `decide`'s.
//! Invariants: with NWS warnings out of sight nothing reads as an all-clear; no text from outside can start a header or
//! a tag; the disclaimer stands under every text.

use crate::notice::push::Short;
use crate::notice::{NoticeReason, WatchPoint};
use crate::threat::{BlindSpot, DISCLAIMER, Level, LevelChange, PointState, Support};
use jiff::Timestamp;
use jiff::tz::TimeZone;

pub mod confirmation;
pub mod digest;
mod evidence;
pub mod foot;
mod page;
mod short;
pub mod sight;
pub mod stand_in;
pub mod words;

use page::Block;
pub(in crate::notice) use words::zone;

/// Subject lines longer than this are cut off by mail clients.
pub const SUBJECT_CHARS_MAX: usize = 120;
/// Longer names are cut; registering allows 80 characters.
const NAME_CHARS_MAX: usize = 80;
/// Points named in a title before "and n more".
const NAMES_SHOWN: usize = 3;
/// Points with a section of their own; more of them say nothing new about one storm.
const POINTS_SHOWN: usize = 20;
/// A reason's sentence is one sentence.
const REASON_CHARS_MAX: usize = 500;
/// NWS calls to action run to some 1,200 characters.
const INSTRUCTION_CHARS_MAX: usize = 3_000;
/// The evidence source that an all-clear cannot do without.
const WARNINGS: &str = "nws-warnings";

/// How the evidence behind an all-clear ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Its time ran out.
    Expired,
    /// Its office ended it.
    Cancelled,
    /// A lesser product or level took its place.
    Downgraded,
    /// It goes on elsewhere.
    MovedAway,
}

impl Ending {
    fn words(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Downgraded => "downgraded",
            Self::MovedAway => "moved away",
        }
    }
}

/// One watch point of a notice, as it stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Told<'a> {
    /// The point.
    pub point: &'a WatchPoint,
    /// The level before, where the notice is about a change.
    pub previous: Option<Level>,
    /// The level told.
    pub level: Level,
    /// Since when it stands, where the notice is about what stands already.
    pub since_utc: Option<Timestamp>,
    /// What it rests on, held reasons included.
    pub supports: &'a [Support],
    /// What ended.
    pub ended: &'a [Support],
    /// What cannot be seen.
    pub blind_spots: &'a [BlindSpot],
    /// Since when everything that supports the level cannot be seen.
    pub blind_since_utc: Option<Timestamp>,
}

impl<'a> Told<'a> {
    /// A point whose level changed.
    pub fn of_change(point: &'a WatchPoint, change: &'a LevelChange) -> Self {
        Self {
            point,
            previous: Some(change.from),
            level: change.to,
            since_utc: None,
            supports: &change.supports,
            ended: &change.ended,
            blind_spots: &change.assessment.blind_spots,
            blind_since_utc: None,
        }
    }

    /// A point as it stands in the store: went_blind, sees_again, test.
    pub fn of_state(point: &'a WatchPoint, state: &'a PointState) -> Self {
        Self {
            point,
            previous: None,
            level: state.level,
            since_utc: Some(state.since_utc),
            supports: &state.supports,
            ended: &[],
            blind_spots: &state.blind_spots,
            blind_since_utc: state.blind_since_utc,
        }
    }
}

/// What a notice is about.
#[derive(Debug, Clone, PartialEq)]
pub struct NoticeEvent<'a> {
    /// Why it is sent.
    pub reason: NoticeReason,
    /// When it is decided.
    pub now: Timestamp,
    /// The points, at least one, in the order to be shown.
    pub points: Vec<Told<'a>>,
    /// How the evidence ended, for `AllClear`.
    pub ending: Option<Ending>,
    /// The call to action of the product that the level rests on.
    pub instruction: Option<&'a str>,
}

/// The finished words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// One line of at most `SUBJECT_CHARS_MAX` characters.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// The same as HTML.
    pub html: String,
    /// The same in a few lines, for a notification.
    pub short: Short,
}

/// Renders a notice. The same event gives the same bytes.
pub fn compose(event: &NoticeEvent<'_>) -> Rendered {
    let title = title(event);
    let subject = words::cut(&subject(event, &title), SUBJECT_CHARS_MAX);
    let zone = event.points.first().and_then(|told| words::zone(told.point.time_zone.as_deref()));
    let shown_level = match event.reason {
        NoticeReason::Test => None,
        _ => Some(level(event)),
    };
    let short = short::short(event, &title, zone.as_ref());
    let mut blocks = vec![Block::Title(shown_level, title)];
    blocks.extend(opening(event, zone.as_ref()));
    if tells_what_stands(event) {
        blocks.extend(top(event).map(|(told, support)| evidence::facts(told, support, event.now)));
    }
    if let Some(instruction) = event.instruction {
        let advice = words::paragraphs(instruction, INSTRUCTION_CHARS_MAX);
        if !advice.is_empty() {
            blocks.push(Block::Heading("What to do (National Weather Service)".into()));
            blocks.extend(advice.into_iter().map(Block::Para));
        }
    }
    for told in event.points.iter().take(POINTS_SHOWN) {
        blocks.extend(evidence::section(event, told));
    }
    if event.points.len() > POINTS_SHOWN {
        blocks.push(Block::Para(format!("And {} more places.", event.points.len() - POINTS_SHOWN)));
    }
    blocks.extend(evidence::unseen(event, zone.as_ref()));
    blocks.push(Block::Small(evidence::freshness(event, zone.as_ref())));
    blocks.push(Block::Small(DISCLAIMER.into()));
    Rendered { text: page::text(&blocks), html: page::html(&subject, &blocks), short, subject }
}

/// Whether what stands is what the notice is about.
fn tells_what_stands(event: &NoticeEvent<'_>) -> bool {
    match event.reason {
        NoticeReason::Raised | NoticeReason::Lowered | NoticeReason::SeesAgain => true,
        NoticeReason::AllClear => level(event) > Level::None,
        NoticeReason::WentBlind | NoticeReason::Test | NoticeReason::Digest | NoticeReason::Confirmation => false,
    }
}

/// The highest level of the points.
fn level(event: &NoticeEvent<'_>) -> Level {
    event.points.iter().map(|told| told.level).max().unwrap_or_default()
}

/// The highest support of the level, and the point that it stands for.
fn top<'a, 'b>(event: &'b NoticeEvent<'a>) -> Option<(&'b Told<'a>, &'a Support)> {
    // The first of equals: supports come in order of weight.
    event
        .points
        .iter()
        .flat_map(|told| told.supports.iter().map(move |support| (told, support)))
        .reduce(|best, other| if other.1.reason.level > best.1.reason.level { other } else { best })
}

fn names(event: &NoticeEvent<'_>) -> String {
    let names: Vec<String> = event.points.iter().map(|told| words::line(&told.point.name, NAME_CHARS_MAX)).collect();
    words::list(&names, NAMES_SHOWN)
}

/// NWS warnings are out of sight and could raise the level: nothing may read as an all-clear.
fn warnings_blind(event: &NoticeEvent<'_>) -> bool {
    event
        .points
        .iter()
        .any(|told| told.blind_spots.iter().any(|spot| spot.source == WARNINGS && spot.could_raise_to > told.level))
}

/// The highest level that something out of sight could mean, where that is a level that the owner asked to be told of.
fn could_still_matter(event: &NoticeEvent<'_>) -> Option<Level> {
    let spots = event.points.iter().flat_map(|told| told.blind_spots.iter().map(move |spot| (told, spot)));
    spots.filter(|(told, spot)| spot.could_raise_to >= told.point.min_level).map(|(_, spot)| spot.could_raise_to).max()
}

fn title(event: &NoticeEvent<'_>) -> String {
    let (names, level) = (names(event), level(event));
    let loud = level.as_str().to_uppercase();
    match event.reason {
        NoticeReason::Raised => format!("{loud} threat at {names}"),
        NoticeReason::Lowered => format!("Down to {loud} at {names}"),
        // What is below the level that was asked for may be dangerous all the same.
        NoticeReason::AllClear if level > Level::None => {
            let ended = event.ending.map_or_else(String::new, |ending| format!("higher threat {}, ", ending.words()));
            format!("Below your level at {names}: {ended}still {loud}{}", unseen(event))
        }
        NoticeReason::AllClear if warnings_blind(event) => format!("Threat ended at {names}{}", unseen(event)),
        NoticeReason::AllClear if could_still_matter(event).is_some() => {
            format!("Threat ended at {names}{}{}", ending(event), unseen(event))
        }
        NoticeReason::AllClear => match event.ending {
            Some(ending) => format!("All clear at {names}: {}", ending.words()),
            None => format!("All clear at {names}"),
        },
        NoticeReason::WentBlind if event.points.iter().all(|told| told.supports.is_empty()) => {
            match warnings_blind(event) {
                true => format!("NWS warnings cannot be seen for {names}"),
                false => format!("Sight lost at {names}"),
            }
        }
        NoticeReason::WentBlind => format!("Sight lost at {names}: {loud} when last seen"),
        NoticeReason::SeesAgain => format!("Sight restored at {names}: now {loud}"),
        NoticeReason::Test => format!("[TEST] A test notice for {names}"),
        NoticeReason::Digest => format!("Held notices for {names}"),
        NoticeReason::Confirmation => "Please confirm your address".to_owned(),
    }
}

/// ` (expired)`, where that is known.
fn ending(event: &NoticeEvent<'_>) -> String {
    event.ending.map_or_else(String::new, |ending| format!(" ({})", ending.words()))
}

/// What must stand behind an end where something that is not seen could still matter.
fn unseen(event: &NoticeEvent<'_>) -> &'static str {
    match () {
        () if warnings_blind(event) => ", but NWS warnings cannot be seen",
        () if could_still_matter(event).is_some() => ", but not everything can be seen",
        () => "",
    }
}

fn subject(event: &NoticeEvent<'_>, title: &str) -> String {
    match (event.reason, top(event)) {
        (NoticeReason::Raised, Some((told, support))) => {
            let zone = words::zone(told.point.time_zone.as_deref());
            format!("{title}: {}", evidence::headline(&support.reason, zone.as_ref(), event.now))
        }
        _ => title.to_owned(),
    }
}

/// What happened, in a sentence or two; what makes the level uncertain comes first.
fn opening(event: &NoticeEvent<'_>, zone: Option<&TimeZone>) -> Vec<Block> {
    let now = words::full_moment(event.now, zone);
    let mut blocks: Vec<Block> = uncertainty(event, zone).into_iter().map(Block::Strong).collect();
    let from = match event.points.as_slice() {
        [told] => told.previous.map(|previous| format!(" from {previous}")).unwrap_or_default(),
        _ => String::new(),
    };
    blocks.push(Block::Para(match event.reason {
        NoticeReason::Raised => match event.points.iter().filter_map(|told| told.since_utc).min() {
            Some(since) => format!("Already in effect since {}.", words::full_moment(since, zone)),
            None => format!("Raised{from} on {now}."),
        },
        NoticeReason::Lowered => format!("Lowered{from} on {now}. It is not over yet."),
        NoticeReason::AllClear if warnings_blind(event) => {
            format!("What was told has ended ({now}), but this is not an all-clear: a new warning could not be seen.")
        }
        NoticeReason::AllClear => match could_still_matter(event) {
            None => {
                let still = match level(event) {
                    Level::None => String::new(),
                    level => format!(" It is not over: {level} stands."),
                };
                format!("Lowered{from} on {now}, below the level that you asked to be told of.{still}")
            }
            Some(level) => format!(
                "What was told has ended ({now}), but this is not an all-clear: what cannot be seen could mean {level}."
            ),
        },
        NoticeReason::WentBlind => {
            format!("Nothing that the level rests on can be seen ({now}). This is not an all-clear.")
        }
        NoticeReason::SeesAgain => format!("The evidence can be seen again ({now})."),
        NoticeReason::Digest => format!("What was held until {now}."),
        NoticeReason::Confirmation => format!("Asked for on {now}."),
        NoticeReason::Test => {
            format!("This is a test of stormbell's notices, asked for on {now}. Nothing has happened.")
        }
    }));
    blocks
}

/// One sentence for every source that could raise a level above what it reads.
fn uncertainty(event: &NoticeEvent<'_>, zone: Option<&TimeZone>) -> Option<String> {
    let reads = level(event);
    let mut unknown: Vec<String> = Vec::new();
    for spot in event.points.iter().flat_map(|told| told.blind_spots).filter(|spot| spot.could_raise_to > reads) {
        let words = match spot.since_utc {
            Some(since) => {
                format!("{} unknown since {}", words::source(&spot.source), words::moment(since, zone, event.now))
            }
            None => format!("{} not heard yet", words::source(&spot.source)),
        };
        if !unknown.contains(&words) {
            unknown.push(words);
        }
    }
    let known = match reads {
        Level::None => "Status unknown, not an all-clear".to_owned(),
        _ => format!("At least {reads}"),
    };
    (!unknown.is_empty()).then(|| format!("{known}; {}.", words::list(&unknown, NAMES_SHOWN)))
}

#[cfg(test)]
mod tests;
