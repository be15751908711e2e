//! The list of an owner's points: name, level, since when, why, what cannot be seen, what is not told at present.

use super::words::{self, Face, chip, counted};
use crate::desk::WatchedPoint;
use crate::notice::WatchPoint;
use crate::notice::compose::words as house;
use crate::plot::MapPoint;
use crate::threat::{Level, PointState};
use jiff::Timestamp;
use maud::{Markup, html};
use std::cmp::Reverse;

/// Points on a page: more than anybody reads at once; the highest levels come first.
pub(super) const POINTS_ON_PAGE: usize = 200;

/// Sorts points as the list shows them: those not judged yet, then the highest levels first, then by name.
pub(super) fn sort(watched: &mut [WatchedPoint]) {
    watched.sort_by(|a, b| {
        let key = |w: &WatchedPoint| (w.state.is_some(), Reverse(w.state.as_ref().map(|state| state.level)));
        key(a).cmp(&key(b)).then_with(|| a.point.name.cmp(&b.point.name)).then_with(|| a.point.id.cmp(&b.point.id))
    });
}

/// The list with its summary; `page` counts from 0. The script replaces it as a whole.
pub(super) fn list(watched: &[WatchedPoint], page: usize, now: Timestamp) -> Markup {
    let pages = watched.len().div_ceil(POINTS_ON_PAGE).max(1);
    let page = page.min(pages - 1);
    let shown = watched.iter().skip(page * POINTS_ON_PAGE).take(POINTS_ON_PAGE);
    html! {
        section #points .points data-live aria-labelledby="points-title" {
            h2 #points-title { "Watched places" }
            p.summary { (summary(watched)) }
            @if !watched.is_empty() {
                ul { @for one in shown { (item(one, now)) } }
            }
            @if pages > 1 {
                nav.pages aria-label="Pages of the list" {
                    @if page > 0 { a href=(format!("/?page={}", page - 1)) rel="prev" { "Higher levels" } }
                    span { "Page " (page + 1) " of " (pages) }
                    @if page + 1 < pages { a href=(format!("/?page={}", page + 1)) rel="next" { "Lower levels" } }
                }
            }
        }
    }
}

/// What stands above the list: the highest level first, and never "quiet" where something cannot be seen.
pub(super) fn summary(watched: &[WatchedPoint]) -> String {
    if watched.is_empty() {
        return "No place is watched yet. Add one below, or click on the map.".to_owned();
    }
    let marks: Vec<MapPoint> = watched.iter().map(|one| words::map_point(&one.point, one.state.as_ref())).collect();
    let mut sentences = Vec::new();
    let highest = marks.iter().filter_map(|mark| mark.level).max().unwrap_or_default();
    if highest > Level::None {
        let there: Vec<String> =
            marks.iter().filter(|mark| mark.level == Some(highest)).map(|mark| mark.name.clone()).collect();
        sentences.push(format!("{}: {}.", words::capitalised(highest.as_str()), house::list(&there, 4)));
    }
    let unjudged = marks.iter().filter(|mark| mark.level.is_none()).count();
    if unjudged > 0 {
        sentences.push(format!("{} not judged yet.", counted(unjudged, "place")));
    }
    let blind = marks.iter().filter(|mark| mark.is_blind).count();
    if blind > 0 {
        let of = if blind == marks.len() { "every place".to_owned() } else { counted(blind, "place") };
        sentences.push(format!("For {of} something cannot be seen: no all-clear."));
    }
    if sentences.is_empty() {
        sentences.push(format!("Nothing above none for {}.", counted(marks.len(), "place")));
    }
    sentences.join(" ")
}

fn item(one: &WatchedPoint, now: Timestamp) -> Markup {
    let WatchedPoint { point, state } = one;
    let face = Face::of(point, now);
    let mark = words::map_point(point, state.as_ref());
    let level = mark.level_words();
    html! {
        li id=(format!("in-list-{}", point.id)) data-point=(point.id) data-name=(point.name) data-words=(level)
            data-level=(mark.level.map_or("unknown", Level::as_str)) {
            div.head {
                h3 { a href=(format!("/points/{}", point.id)) { (point.name) } }
                (chip(mark.level, &level))
            }
            @match state {
                None => p.since { "It is judged as soon as its sources have been heard." },
                Some(state) => (stand(state, &face)),
            }
            @for note in notes(point, &face) { p.note { (note) } }
        }
    }
}

fn stand(state: &PointState, face: &Face) -> Markup {
    html! {
        p.since { "since " (face.time(state.since_utc)) ", " (face.ago(state.since_utc)) }
        @if let Some(support) = words::main_support(state) {
            p.because { (face.support(support)) @if let Some(held) = face.held(support) { " (" (held) ")" } }
        }
        @if let Some(support) = state.supports.iter().find(|support| support.sight_lost) {
            p.blind { "Sight was lost of: " (face.sentence(&support.reason.text)) ". Nothing says that it is over." }
        }
        (unseen(state, face))
    }
}

/// What could raise the level unseen, in a sentence.
pub(super) fn unseen(state: &PointState, face: &Face) -> Markup {
    let hidden: Vec<_> = words::hidden(state.level, &state.blind_spots).collect();
    let worst = hidden.first().map(|spot| spot.could_raise_to);
    let spots: Vec<String> = hidden.iter().map(|spot| words::spot_words(spot, face)).collect();
    html! {
        @if let Some(worst) = worst {
            p.blind { "Cannot see " (house::list(&spots, 4)) ". It may be as high as " strong { (worst) } "." }
        }
    }
}

/// What is not told at present, and to whom nothing goes.
pub(super) fn notes(point: &WatchPoint, face: &Face) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(until) = point.snooze_until_utc.filter(|until| *until > face.now()) {
        notes.push(format!("Snoozed until {}: only a new highest level is told.", face.words(until)));
    }
    if let Some(known) = &point.acknowledged {
        notes.push(format!("You know of {} (since {}): no repeats of it.", known.level, face.words(known.at_utc)));
    }
    if point.addresses.is_empty() {
        notes.push(match point.waiting.is_empty() {
            true => "Told to nobody: it is recorded and shown here only.".to_owned(),
            false => "Told to nobody yet: its address waits for confirmation.".to_owned(),
        });
    }
    if let Some(until) = point.until_utc {
        notes.push(format!("Watched until {}.", face.words(until)));
    }
    notes
}

#[cfg(test)]
mod tests;
