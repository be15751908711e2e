//! What the level of a place rests on, what ended, what cannot be seen, and how old it all is.

use super::page::{Block, Item};
use super::{NAME_CHARS_MAX, NoticeEvent, REASON_CHARS_MAX, Told, words};
use crate::notice::NoticeReason;
use crate::threat::{BlindSpot, Level, Reason, Support};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Reasons listed for a point: the highest come first.
const REASONS_SHOWN: usize = 10;
/// Blind spots listed.
const BLIND_SPOTS_SHOWN: usize = 10;

/// One point: where it is, and why it stands where it stands.
pub(super) fn section(event: &NoticeEvent<'_>, told: &Told<'_>) -> Vec<Block> {
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
        true if told.level > Level::None => Block::Para(
            "No rule speaks for this place any more; the level goes further down once that has lasted.".into(),
        ),
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
    if let (Some(why), Some(_)) = (&support.held, support.ended_utc) {
        notes.push(format!("{}.", capitalised(&words::plain(why, REASON_CHARS_MAX, zone, now))));
    } else if let Some(why) = &support.held {
        notes.push(format!(
            "Held, not seen any more: {}. Last supported {}.",
            words::plain(why, REASON_CHARS_MAX, zone, now).trim_end_matches('.'),
            words::moment(support.last_supported_utc, zone, now)
        ));
    }
    if reason.already_in_effect {
        notes.push("Already in effect when watching began.".into());
    }
    let mut facts = Vec::new();
    facts.extend(words::whereabouts(reason));
    if let Some(until) = reason.until_utc.filter(|_| support.ended_utc.is_none()) {
        let verb = if until <= now { "Ended" } else { "Until" };
        facts.push(format!("{verb} {}", words::moment(until, zone, now)));
    }
    facts.push(seen(reason, zone, now));
    notes.push(format!("{}.", facts.join(". ")));
    Item { level: Some(reason.level), text: sentence(reason, zone, now), notes }
}

/// The sentence of a reason, with the times of its place. Until when it holds is said beside it.
pub(super) fn sentence(reason: &Reason, zone: Option<&TimeZone>, now: Timestamp) -> String {
    capitalised(&clause(reason, zone, now))
}

fn clause(reason: &Reason, zone: Option<&TimeZone>, now: Timestamp) -> String {
    let until = reason.until_utc.map(|until| format!(", until {until:.0}"));
    let text = until.map_or_else(|| reason.text.clone(), |until| reason.text.replacen(&until, "", 1));
    words::plain(&text, REASON_CHARS_MAX, zone, now)
}

/// What a sentence begins with, to stand behind a title.
pub(super) fn headline(reason: &Reason, zone: Option<&TimeZone>, now: Timestamp) -> String {
    let clause = clause(reason, zone, now);
    clause.split_once("; ").map_or(clause.as_str(), |(first, _)| first).to_owned()
}

/// What, where, until when: what the highest reason says, for who reads no further.
pub(super) fn facts(told: &Told<'_>, support: &Support, now: Timestamp) -> Block {
    let reason = &support.reason;
    let zone = words::zone(told.point.time_zone.as_deref());
    let zone = zone.as_ref();
    let name = words::line(&told.point.name, NAME_CHARS_MAX);
    let place = match (reason.distance_km, &reason.direction) {
        (Some(km), _) if km <= 0.0 => Some(format!("at {name} itself")),
        (Some(km), Some(direction)) => Some(format!("{} to the {direction} of {name}", words::distance(km))),
        (Some(km), None) => Some(format!("{} from {name}", words::distance(km))),
        (None, _) => None,
    };
    let mut facts = vec![("What", sentence(reason, zone, now))];
    facts.extend(place.map(|place| ("Where", place)));
    let label = |until| if until <= now { "Ended" } else { "Until" };
    // What was cancelled, or has left the place, does not last until its time.
    let until = support.ended_utc.or(reason.until_utc);
    facts.extend(until.map(|until| (label(until), words::moment(until, zone, now))));
    Block::Facts(facts)
}

/// A reason that ended.
fn ended(support: &Support, zone: Option<&TimeZone>, now: Timestamp) -> Item {
    let reason = &support.reason;
    Item {
        level: Some(reason.level),
        text: sentence(reason, zone, now),
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
pub(super) fn unseen(event: &NoticeEvent<'_>, zone: Option<&TimeZone>) -> Vec<Block> {
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
                    words::plain(&spot.why, REASON_CHARS_MAX, zone, event.now)
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
pub(super) fn freshness(event: &NoticeEvent<'_>, zone: Option<&TimeZone>) -> String {
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
