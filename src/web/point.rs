//! A point's page: how it stands and why, what cannot be seen, its level over time, its past, and what can be done.

use super::form::{self, Draft, Wrong};
use super::frame::{Frame, Shelf};
use super::home::Ground;
use super::refusal::Refusal;
use super::visitor::Visitor;
use super::words::{self, Face, chip};
use super::{Site, list, map};
use crate::clock::Clock;
use crate::desk::{PointHistory, WatchedPoint};
use crate::mcp::Judgement;
use crate::mcp::tools::answers::ALL_SOURCES;
use crate::notice::Browser;
use crate::notice::compose::words::distance;
use crate::outside::compute;
use crate::plot::sheet::Window;
use crate::threat::{Level, later};
use axum::extract::{Path, Query, State};
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};
use serde::Deserialize;
use std::time::Duration;

pub(super) mod acts;
mod course;
pub(super) mod explain;
mod past;
mod why;

/// Stretches of the past that can be looked at: hours and words.
const STRETCHES: [(i64, &str); 3] = [(6, "6 hours"), (24, "24 hours"), (24 * 7, "7 days")];
/// The stretch that is shown first, hours.
const STRETCH_DEFAULT: i64 = 24;
/// Width of the map around the point, km.
const MAP_KM: f64 = 240.0;
/// How long the page waits for evidence of now; then it shows what is stored.
const EVIDENCE_WITHIN: Duration = Duration::from_secs(3);

/// What the address may say.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    hours: i64,
    done: String,
}

fn done(word: &str) -> Option<&'static str> {
    match word {
        "acknowledged" => Some("Noted: this level is not repeated. A higher one is told, and so is the end."),
        "snoozed" => Some("Snoozed. A new highest level is told all the same."),
        "awake" => Some("The snooze has ended."),
        "tested" => Some("A test is on its way to every channel of this place; what becomes of it stands below."),
        "nobody" => Some("There is nobody to send a test to: choose a channel first."),
        "changed" => Some("Changed."),
        "waiting" => Some("Changed. The new address gets nothing but a question first: see Notices."),
        _ => None,
    }
}

/// The page.
pub(super) async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    Path(id): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Markup, Refusal> {
    page(&site, &visitor, &id, &asked, None).await
}

/// The owner's point of this id.
pub(super) async fn point_of(site: &Site, visitor: &Visitor, id: &str) -> Result<WatchedPoint, Refusal> {
    let watched = site.desk.watched(&visitor.owner).await?;
    watched.into_iter().find(|one| one.point.id == id).ok_or(Refusal::NotFound)
}

/// The page with what was typed into its form, where that is wrong.
pub(super) async fn page(
    site: &Site,
    visitor: &Visitor,
    id: &str,
    asked: &Asked,
    typed: Option<(&Draft, &Wrong)>,
) -> Result<Markup, Refusal> {
    let one = point_of(site, visitor, id).await?;
    let picture = Clock::live().timeout(EVIDENCE_WITHIN, site.desk.picture_for(one.point.at, &ALL_SOURCES)).await;
    let now = site.desk.now();
    let judgement = picture.map(|picture| compute(|| (site.judge)(&picture, one.point.at, now)));
    let stretch =
        STRETCHES.iter().find(|(hours, _)| *hours == asked.hours).map_or(STRETCH_DEFAULT, |(hours, _)| *hours);
    let from = later(now, SignedDuration::from_hours(-stretch));
    let history = site.desk.history(&visitor.owner, id, from..=now).await?;
    let browsers = site.accounts.browsers(&visitor.owner).await?;
    let ground = Ground::of(site, visitor).await?;
    let scene = Scene { one: &one, judgement: judgement.as_ref(), history: &history, browsers: &browsers, now };
    let of_point = Draft::of(&one.point);
    let (draft, wrong) = typed.map_or((&of_point, None), |(draft, wrong)| (draft, Some(wrong)));
    let main = html! {
        (heading(&scene))
        div.point {
            (why::why(&scene))
            (map::map(std::slice::from_ref(&one), Window::around([one.point.at].into_iter(), MAP_KM).unwrap_or_else(Window::nation), false))
            section #course .course data-live aria-labelledby="course-title" {
                h2 #course-title { "Level over time" }
                (stretches(id, stretch))
                (course::course(&scene, from))
            }
            (past::past(&scene))
            // Not live: a time that is being typed stays.
            section #ask .terms aria-labelledby="ask-title" {
                h2 #ask-title { "Why was it so?" }
                p.note { "Why it stood at its level at some time, and why you were told or not." }
                (explain::form(id, &scene.face().zone(), now, None))
            }
            section #terms .terms aria-labelledby="terms-title" {
                h2 #terms-title { "Settings" }
                details open[wrong.is_some()] {
                    summary { "Change name, level, channels, quiet hours" }
                    form method="post" action=(format!("/points/{id}")) {
                        (form::fields(draft, ground.offer(), wrong, false))
                        button.main type="submit" { "Save" }
                    }
                }
                details {
                    summary { "Stop watching" }
                    form method="post" action=(format!("/points/{id}/remove")) {
                        p { "Notices that wait are dropped; the journal is kept." }
                        button.danger type="submit" { "Remove " (one.point.name) }
                    }
                }
            }
        }
    };
    Ok(Frame::new(&one.point.name, Shelf::Points)
        .of(visitor)
        .live(now, site.options.recorded_to_utc)
        .done(done(&asked.done))
        .page(main))
}

/// All that a point's page is made from.
pub(super) struct Scene<'a> {
    one: &'a WatchedPoint,
    /// `None` where the evidence of now did not come in time.
    judgement: Option<&'a Judgement>,
    history: &'a PointHistory,
    browsers: &'a [Browser],
    now: Timestamp,
}

impl Scene<'_> {
    fn face(&self) -> Face {
        Face::of(&self.one.point, self.now)
    }
}

fn heading(scene: &Scene<'_>) -> Markup {
    let WatchedPoint { point, state } = scene.one;
    let face = scene.face();
    let mark = words::map_point(point, state.as_ref());
    let level = mark.level_words();
    html! {
        section #stand .stand data-live data-point=(point.id) data-name=(point.name) data-words=(level)
            data-level=(mark.level.map_or("unknown", Level::as_str)) {
            div.head {
                h1 { (point.name) }
                (chip(mark.level, &level))
            }
            @match state {
                Some(state) => {
                    p.since { "since " (face.time(state.since_utc)) ", " (face.ago(state.since_utc)) }
                    (list::unseen(state, &face))
                }
                None => p.since { "Not judged yet: its sources have not been heard." },
            }
            @for note in list::notes(point, &face) { p.note { (note) } }
            p.where { (format!("{:.4}, {:.4}", point.at.lat(), point.at.lon())) ". Told from " (point.min_level) "."
                @if let Some(hours) = point.quiet_hours { " Quiet " (hours) "." } }
            (acts(scene))
        }
    }
}

fn acts(scene: &Scene<'_>) -> Markup {
    let point = &scene.one.point;
    let to = |act: &str| format!("/points/{}/{act}", point.id);
    let level = scene.one.state.as_ref().map(|state| state.level);
    let is_snoozed = point.snooze_until_utc.is_some_and(|until| until > scene.now);
    html! {
        div.acts role="group" aria-label="What you can do" {
            @if level.is_some_and(|level| level >= point.min_level) {
                form method="post" action=(to("acknowledge")) { button type="submit" { "I know of it" } }
            }
            form method="post" action=(to("snooze")) {
                @if is_snoozed {
                    button type="submit" name="for" value="end" { "End the snooze" }
                } @else {
                    button type="submit" name="for" value="hour" { "Snooze 1 hour" }
                    button type="submit" name="for" value="morning" { "Snooze until morning" }
                }
            }
            form method="post" action=(to("test")) { button type="submit" { "Send a test" } }
        }
    }
}

fn stretches(id: &str, current: i64) -> Markup {
    html! {
        nav.stretches aria-label="Stretch of time" {
            ul {
                @for (hours, words) in STRETCHES {
                    li { a href=(format!("/points/{id}?hours={hours}")) aria-current=[(hours == current).then_some("true")] { (words) } }
                }
            }
        }
    }
}

/// How far the nearest storm is, in a sentence.
fn signature(judgement: &Judgement) -> Option<String> {
    let signature = judgement.signature.as_ref()?;
    Some(format!(
        "Nearest storm on radar: {} {}, {} to the {}.",
        signature.signature,
        signature.value,
        distance(signature.distance_km),
        signature.direction
    ))
}
