//! The past of a point: what was known, which rule spoke, what was told to whom and when; the newest first.

use super::{Scene, explain, why};
use crate::notice::compose::words as house;
use crate::notice::{Address, Browser, ChannelKind, Delivery, Held, NoticeReason};
use crate::store::{JournalEntry, LedgerOutcome, LedgerRow, OutboxRow};
use crate::threat::{ChangeCause, Level, Reason};
use crate::web::words::{Face, capitalised, channel, counted, plain_chip};
use jiff::Timestamp;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Instants shown: a stormy week has some dozens.
const INSTANTS_SHOWN: usize = 200;

/// What happened at one instant.
#[derive(Debug, Default)]
struct Instant<'a> {
    changes: Vec<&'a JournalEntry>,
    told: Vec<Told<'a>>,
}

/// A notice and what became of it.
#[derive(Debug, Clone, Copy)]
enum Told<'a> {
    Settled(&'a LedgerRow),
    Pending(&'a OutboxRow),
    Held(&'a Held),
}

pub(super) fn past(scene: &Scene<'_>) -> Markup {
    let face = scene.face();
    let instants = instants(scene);
    let shown = instants.iter().rev().take(INSTANTS_SHOWN);
    html! {
        section #past .past data-live aria-labelledby="past-title" {
            h2 #past-title { "Journal" }
            @if instants.is_empty() { p { "Its level has not moved in this time, and nothing was told." } }
            ol.journal {
                @for (at, instant) in shown { (entry(*at, instant, scene, &face)) }
            }
            @if scene.history.unreadable > 0 {
                p.blind { (counted(scene.history.unreadable, "damaged record")) " could not be read and may have belonged here." }
            }
            @if instants.len() > INSTANTS_SHOWN { p.note { "Only the newest " (INSTANTS_SHOWN) " are shown." } }
        }
    }
}

/// Changes and notices by the instant at which they were decided.
fn instants<'a>(scene: &Scene<'a>) -> BTreeMap<Timestamp, Instant<'a>> {
    let mut instants: BTreeMap<Timestamp, Instant<'a>> = BTreeMap::new();
    let history = scene.history;
    for entry in &history.journal {
        instants.entry(entry.change.at_utc).or_default().changes.push(entry);
    }
    let settled = history.ledger.iter().map(|row| (row.delivery.decided_utc, Told::Settled(row)));
    let pending = history.outbox.iter().map(|row| (row.delivery.decided_utc, Told::Pending(row)));
    let held = history.held.iter().map(|held| (held.decided_utc, Told::Held(held)));
    for (at, told) in settled.chain(pending).chain(held) {
        instants.entry(at).or_default().told.push(told);
    }
    instants
}

fn entry(at: Timestamp, instant: &Instant<'_>, scene: &Scene<'_>, face: &Face) -> Markup {
    html! {
        li {
            h3 { (face.time(at)) }
            p.note { a href=(explain::link(&scene.one.point.id, at)) { "Why" span.unseen { ", at " (face.words(at)) } } }
            @for entry in &instant.changes { (change(entry, &Face::of(&scene.one.point, at))) }
            @if !instant.told.is_empty() {
                ul.told { @for told in &instant.told { li { (told_words(told, scene.browsers, face)) } } }
            } @else if !instant.changes.is_empty() {
                p.note { (untold(instant, scene)) }
            }
        }
    }
}

fn change(entry: &JournalEntry, face: &Face) -> Markup {
    let change = &entry.change;
    let reasons: Vec<&Reason> =
        change.supports.iter().filter(|support| !support.sight_lost).map(|support| &support.reason).collect();
    let cause = match change.cause {
        ChangeCause::Raised => "raised by new evidence",
        ChangeCause::Lowered => "lowered: what supported it ended",
        ChangeCause::SightLost => "let go unseen after three hours: nothing says that it is over",
    };
    html! {
        p.move { (plain_chip(change.from)) span aria-hidden="true" { " → " } span.unseen { " to " } (plain_chip(change.to)) " " (cause) }
        details id=(format!("known-{}", entry.number)) {
            summary { "What was known then" }
            (why::list(&reasons, face))
            @if reasons.is_empty() { p { "No rule spoke for this level." } }
            @if !change.ended.is_empty() {
                h4 { "What ended" }
                ul.reasons { @for support in &change.ended { li { (plain_chip(support.reason.level)) " " (face.sentence(&support.reason.text)) } } }
            }
            (why::unseen(&change.assessment.blind_spots, face))
            p.note { "Journal entry " (entry.number) ", rules of version " (entry.rules_version) "." }
        }
    }
}

/// Why nothing was told of a change.
fn untold(instant: &Instant<'_>, scene: &Scene<'_>) -> String {
    let point = &scene.one.point;
    let highest = instant.changes.iter().map(|entry| entry.change.from.max(entry.change.to)).max();
    match highest {
        Some(highest) if highest < point.min_level => {
            format!("Not told: below {}, the level that this place is told from.", point.min_level)
        }
        _ if point.addresses.is_empty() => "Not told: this place has no channel.".to_owned(),
        _ => "No notice of it is on record.".to_owned(),
    }
}

fn told_words(told: &Told<'_>, browsers: &[Browser], face: &Face) -> Markup {
    html! {
        @match told {
            Told::Settled(row) => {
                (notice(&row.delivery)) " "
                @match &row.outcome {
                    LedgerOutcome::Told(_) if row.delivery.address.kind == ChannelKind::None => { "recorded; this place had no channel." }
                    LedgerOutcome::Told(_) => { "told by " (to(&row.delivery.address, browsers)) " at " (face.time(row.settled_utc)) (took(row)) "." }
                    LedgerOutcome::Unwanted(why) => { "not sent by " (to(&row.delivery.address, browsers)) ": " (house::line(why, 300)) }
                    LedgerOutcome::Dead(why) => { strong { "not delivered" } " by " (to(&row.delivery.address, browsers)) ", given up at " (face.time(row.settled_utc)) ": " (house::line(why, 300)) }
                }
            }
            Told::Pending(row) => {
                (notice(&row.delivery)) " " strong { "on its way" } " by " (to(&row.delivery.address, browsers))
                @if row.attempts > 0 {
                    ", " (row.attempts) " tried"
                    @if let Some(error) = &row.last_error { ", which said: " (house::line(error, 300)) }
                }
                "."
            }
            Told::Held(held) => {
                (capitalised(word(held.reason, held.level))) " to " (held.level) ", held until " (face.time(held.due_utc)) " for a digest."
            }
        }
    }
}

fn notice(delivery: &Delivery) -> Markup {
    html! { span title=(format!("delivery {}", delivery.id)) { (capitalised(word(delivery.reason, delivery.level))) } ":" }
}

fn word(reason: NoticeReason, level: Level) -> &'static str {
    match reason {
        NoticeReason::Raised => "raised",
        NoticeReason::Lowered => "lowered",
        NoticeReason::AllClear if level > Level::None => "below the level",
        NoticeReason::AllClear => "all clear",
        NoticeReason::WentBlind => "sight lost",
        NoticeReason::SeesAgain => "sees again",
        NoticeReason::Test => "test",
        NoticeReason::Digest => "digest",
        NoticeReason::Confirmation => "confirmation",
    }
}

/// Channel and address; a browser by the name that its owner knows.
fn to(address: &Address, browsers: &[Browser]) -> String {
    let to = match address.kind {
        ChannelKind::WebPush => browsers
            .iter()
            .find(|browser| browser.id == address.to)
            .map_or("a browser that is gone", |browser| &browser.label),
        ChannelKind::Email | ChannelKind::None => &address.to,
    };
    if to.is_empty() { channel(address.kind).to_owned() } else { format!("{} to {to}", channel(address.kind)) }
}

/// How long it took, where that was long.
fn took(row: &LedgerRow) -> String {
    let seconds = row.settled_utc.duration_since(row.delivery.decided_utc).as_secs();
    if seconds < 60 { String::new() } else { format!(", {} after it was decided", house::age(seconds)) }
}
