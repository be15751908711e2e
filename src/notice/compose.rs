//! The words of a notice: what, where, until when, why, what to do, what cannot be seen, how fresh.
//!
//! Boundaries: ✓ pure rendering, once, when a notice is decided. ✗ when to tell whom is `decide`'s.
//! Invariants: with NWS warnings out of sight nothing reads as an all-clear; no text from outside can start a header or
//! a tag; the disclaimer stands under every text.

use crate::notice::{NoticeReason, WatchPoint};
use crate::threat::{BlindSpot, DISCLAIMER, Level, LevelChange, PointState, Reason, Support};
use jiff::Timestamp;
use jiff::tz::TimeZone;

mod page;
mod words;

use page::{Block, Item};

/// Subject lines longer than this are cut off by mail clients.
pub const SUBJECT_CHARS_MAX: usize = 120;
/// Longer names are cut; registering allows 80 characters.
const NAME_CHARS_MAX: usize = 80;
/// Points named in a title before "and n more".
const NAMES_SHOWN: usize = 3;
/// Points with a section of their own; more of them say nothing new about one storm.
const POINTS_SHOWN: usize = 20;
/// Reasons listed for a point: the highest come first.
const REASONS_SHOWN: usize = 10;
/// Blind spots listed.
const BLIND_SPOTS_SHOWN: usize = 10;
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// One line of at most `SUBJECT_CHARS_MAX` characters.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// The same as HTML.
    pub html: String,
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
    let mut blocks = vec![Block::Title(shown_level, title)];
    blocks.extend(opening(event, zone.as_ref()));
    for told in event.points.iter().take(POINTS_SHOWN) {
        blocks.extend(section(event, told));
    }
    if event.points.len() > POINTS_SHOWN {
        blocks.push(Block::Para(format!("And {} more places.", event.points.len() - POINTS_SHOWN)));
    }
    if let Some(instruction) = event.instruction {
        let advice = words::paragraphs(instruction, INSTRUCTION_CHARS_MAX);
        if !advice.is_empty() {
            blocks.push(Block::Heading("What to do (National Weather Service)".into()));
            blocks.extend(advice.into_iter().map(Block::Para));
        }
    }
    blocks.extend(unseen(event, zone.as_ref()));
    blocks.push(Block::Small(freshness(event, zone.as_ref())));
    blocks.push(Block::Small(DISCLAIMER.into()));
    Rendered { text: page::text(&blocks), html: page::html(&subject, &blocks), subject }
}

/// The highest level of the points.
fn level(event: &NoticeEvent<'_>) -> Level {
    event.points.iter().map(|told| told.level).max().unwrap_or_default()
}

/// The highest reason behind the level.
fn top<'a>(event: &NoticeEvent<'a>) -> Option<&'a Reason> {
    // The first of equals: supports come in order of weight.
    event
        .points
        .iter()
        .flat_map(|told| told.supports)
        .map(|support| &support.reason)
        .reduce(|best, reason| if reason.level > best.level { reason } else { best })
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

fn title(event: &NoticeEvent<'_>) -> String {
    let (names, level) = (names(event), level(event));
    let loud = level.as_str().to_uppercase();
    match event.reason {
        NoticeReason::Raised => format!("{loud} threat at {names}"),
        NoticeReason::Lowered => format!("Down to {loud} at {names}"),
        NoticeReason::AllClear if warnings_blind(event) => {
            format!("Threat ended at {names}, but NWS warnings cannot be seen")
        }
        NoticeReason::AllClear => match event.ending {
            Some(ending) => format!("All clear at {names}: {}", ending.words()),
            None => format!("All clear at {names}"),
        },
        NoticeReason::WentBlind if event.points.iter().all(|told| told.supports.is_empty()) => {
            format!("NWS warnings cannot be seen for {names}")
        }
        NoticeReason::WentBlind => format!("Sight lost at {names}: {loud} when last seen"),
        NoticeReason::SeesAgain => format!("Sight restored at {names}: now {loud}"),
        NoticeReason::Test => format!("[TEST] A test notice for {names}"),
    }
}

fn subject(event: &NoticeEvent<'_>, title: &str) -> String {
    match (event.reason, top(event)) {
        (NoticeReason::Raised, Some(reason)) => {
            format!("{title}: {}", words::line(&reason.text, REASON_CHARS_MAX))
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
        NoticeReason::Raised => format!("Raised{from} on {now}."),
        NoticeReason::Lowered => format!("Lowered{from} on {now}. It is not over yet."),
        NoticeReason::AllClear if warnings_blind(event) => {
            format!("What was told has ended ({now}), but this is not an all-clear: a new warning could not be seen.")
        }
        NoticeReason::AllClear => format!("Lowered{from} on {now}, below the level that you asked to be told of."),
        NoticeReason::WentBlind => {
            format!("Nothing that the level rests on can be seen ({now}). This is not an all-clear.")
        }
        NoticeReason::SeesAgain => format!("The evidence can be seen again ({now})."),
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

/// One point: where it is, and why it stands where it stands.
fn section(event: &NoticeEvent<'_>, told: &Told<'_>) -> Vec<Block> {
    let zone = words::zone(told.point.time_zone.as_deref());
    let zone = zone.as_ref();
    let name = words::line(&told.point.name, NAME_CHARS_MAX);
    let mut blocks =
        vec![Block::Heading(format!("{name} ({}, {}): {}", told.point.at.lat(), told.point.at.lon(), told.level))];
    if let (NoticeReason::WentBlind, Some(since)) = (event.reason, told.blind_since_utc) {
        blocks.push(Block::Para(format!("Out of sight since {}.", words::moment(since, zone, event.now))));
    }
    let mut items: Vec<Item> =
        told.supports.iter().take(REASONS_SHOWN).map(|support| standing(support, zone, event.now)).collect();
    if told.supports.len() > REASONS_SHOWN {
        items.push(Item { level: None, text: more(told.supports.len() - REASONS_SHOWN), notes: Vec::new() });
    }
    blocks.push(match items.is_empty() {
        true if told.blind_spots.is_empty() => Block::Para("No rule speaks for this place.".into()),
        true => Block::Para("No rule speaks for this place, as far as can be seen.".into()),
        false => Block::Items(items),
    });
    if !told.ended.is_empty() {
        blocks.push(Block::Para("What ended:".into()));
        blocks.push(Block::Items(
            told.ended.iter().take(REASONS_SHOWN).map(|support| ended(support, zone, event.now)).collect(),
        ));
    }
    blocks
}

fn more(count: usize) -> String {
    format!("and {count} more")
}

/// A reason that the level rests on: its sentence, where, until when, from whom and how old.
fn standing(support: &Support, zone: Option<&TimeZone>, now: Timestamp) -> Item {
    let reason = &support.reason;
    let mut notes = Vec::new();
    if let Some(why) = &support.held {
        notes.push(format!(
            "Held, not seen any more: {}. Last supported {}.",
            words::line(why, REASON_CHARS_MAX).trim_end_matches('.'),
            words::moment(support.last_supported_utc, zone, now)
        ));
    }
    if reason.already_in_effect {
        notes.push("Already in effect when watching began.".into());
    }
    let mut facts = Vec::new();
    match (reason.distance_km, &reason.direction) {
        (Some(km), Some(direction)) if km > 0.0 => facts.push(format!("{} to the {direction}", words::distance(km))),
        (Some(km), None) if km > 0.0 => facts.push(format!("{} away", words::distance(km))),
        _ => {}
    }
    if let Some(until) = reason.until_utc {
        let verb = if until <= now { "Ended" } else { "Until" };
        facts.push(format!("{verb} {}", words::moment(until, zone, now)));
    }
    facts.push(seen(reason, zone, now));
    notes.push(format!("{}.", facts.join(". ")));
    Item { level: Some(reason.level), text: words::line(&reason.text, REASON_CHARS_MAX), notes }
}

/// A reason that ended.
fn ended(support: &Support, zone: Option<&TimeZone>, now: Timestamp) -> Item {
    let reason = &support.reason;
    Item {
        level: Some(reason.level),
        text: words::line(&reason.text, REASON_CHARS_MAX),
        notes: vec![format!("Last supported {}.", words::moment(support.last_supported_utc, zone, now))],
    }
}

/// `NWS warnings, 16:31 CDT (21:31Z), 1 min old`.
fn seen(reason: &Reason, zone: Option<&TimeZone>, now: Timestamp) -> String {
    format!(
        "{}, {}, {} old",
        capitalised(&words::source(&reason.source)),
        words::moment(reason.observed_utc, zone, now),
        words::age(age_s(reason, now))
    )
}

fn age_s(reason: &Reason, now: Timestamp) -> i64 {
    now.duration_since(reason.observed_utc).as_secs()
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// What cannot be seen, each source once, with the worst that it may hide.
fn unseen(event: &NoticeEvent<'_>, zone: Option<&TimeZone>) -> Vec<Block> {
    let mut spots: Vec<&BlindSpot> = Vec::new();
    for spot in event.points.iter().flat_map(|told| told.blind_spots) {
        match spots.iter_mut().find(|known| known.source == spot.source) {
            Some(known) if known.could_raise_to < spot.could_raise_to => *known = spot,
            Some(_) => {}
            None => spots.push(spot),
        }
    }
    // The worst first; the sort is stable, so equals keep their order.
    spots.sort_by_key(|spot| std::cmp::Reverse(spot.could_raise_to));
    let mut items: Vec<Item> = spots
        .iter()
        .take(BLIND_SPOTS_SHOWN)
        .map(|spot| {
            let since = match spot.since_utc {
                Some(since) => format!("since {}", words::moment(since, zone, event.now)),
                None => "never heard yet".into(),
            };
            Item {
                level: None,
                text: format!(
                    "{}: {}",
                    capitalised(&words::source(&spot.source)),
                    words::line(&spot.why, REASON_CHARS_MAX)
                ),
                notes: vec![format!(
                    "{}. At its worst the level would read {}.",
                    capitalised(&since),
                    spot.could_raise_to
                )],
            }
        })
        .collect();
    if spots.len() > BLIND_SPOTS_SHOWN {
        items.push(Item { level: None, text: more(spots.len() - BLIND_SPOTS_SHOWN), notes: Vec::new() });
    }
    match items.is_empty() {
        true => Vec::new(),
        false => vec![Block::Heading("What cannot be seen".into()), Block::Items(items)],
    }
}

/// How old what stands above is.
fn freshness(event: &NoticeEvent<'_>, zone: Option<&TimeZone>) -> String {
    let ages = event.points.iter().flat_map(|told| told.supports).map(|support| age_s(&support.reason, event.now));
    let now = words::full_moment(event.now, zone);
    match (ages.clone().min(), ages.max()) {
        (Some(newest), Some(oldest)) if newest / 60 != oldest / 60 => {
            format!("As of {now}. The evidence is {} to {} old.", words::age(newest), words::age(oldest))
        }
        (Some(newest), _) => format!("As of {now}. The evidence is {} old.", words::age(newest)),
        (None, _) => format!("As of {now}."),
    }
}

#[cfg(test)]
mod tests;
