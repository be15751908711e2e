//! Why a point stood at its level at an instant, and why something was told of it or not: the same answer as the tool's and
//! the command's, with what it rests on beside it.

use super::why;
use crate::desk::explain::{Explanation, Step};
use crate::mcp::tools::ToolError;
use crate::mcp::tools::watch::explained::{ChangeFact, ExplainArgs, ExplainedPoint, asked, envelope};
use crate::notice::WatchPoint;
use crate::notice::compose::words as house;
use crate::threat::{Level, Reason, later, rules};
use crate::web::Site;
use crate::web::frame::{Frame, Shelf};
use crate::web::refusal::Refusal;
use crate::web::visitor::Visitor;
use crate::web::words::{Face, capitalised, chip, plain_chip, reason_notes};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ZonedDateTime};
use maud::{Markup, html};
use serde::Deserialize;

/// How far the links to before and after lead.
const BESIDE: SignedDuration = SignedDuration::from_hours(1);

/// What the address may say.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct When {
    /// An instant with its zone, or a time of the place's own clock as a form gives it; empty for now.
    at: String,
}

/// The page.
pub async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    Path(id): Path<String>,
    Query(When { at: typed }): Query<When>,
) -> Result<Response, Refusal> {
    let watched = site.desk.watched(&visitor.owner).await?;
    let point = watched.into_iter().map(|one| one.point).find(|point| point.id == id);
    let now = site.desk.now();
    let zone = point.as_ref().map_or(TimeZone::UTC, |point| Face::of(point, now).zone());
    let read = instant(&typed, now, &zone);
    let at_utc = read.as_ref().map_or(now, |read| read.at).to_string();
    let args = ExplainArgs { id: id.clone(), at_utc: Some(at_utc) };
    let found = match asked(&site.door(&visitor.owner), args).await {
        Ok(found) => Ok(found),
        Err(ToolError::Desk(error)) => return Err(error.into()),
        Err(ToolError::NoSuchPoint(_)) => return Err(Refusal::NotFound),
        Err(error) => Err(error.to_string()),
    };
    let scene = Scene { id: &id, point: point.as_ref(), zone: &zone, typed: &typed, now };
    let (status, main) = match (read, found) {
        (Ok(read), Ok(found)) => (StatusCode::OK, answer(&scene, &read, &found)),
        (Err(why), _) | (Ok(_), Err(why)) => (StatusCode::UNPROCESSABLE_ENTITY, refused(&scene, &why)),
    };
    let title = format!("Why: {}", point.as_ref().map_or("a place that was removed", |point| &point.name));
    Ok((status, Frame::new(&title, Shelf::Points).of(&visitor).page(main)).into_response())
}

/// What a time that was typed means.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Read {
    at: Timestamp,
    /// The other instant at which the place's clock showed the same: the hour that comes twice in autumn.
    twice: Option<Timestamp>,
}

/// An instant with a zone, or a time of the place's own clock.
fn instant(typed: &str, now: Timestamp, zone: &TimeZone) -> Result<Read, String> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Ok(Read { at: now, twice: None });
    }
    if let Ok(at) = typed.parse() {
        return Ok(Read { at, twice: None });
    }
    let wrong = |_| {
        let typed: String = typed.chars().take(40).collect();
        format!("{typed:?} is not a time: write for instance 2026-06-10T16:31, in the place's own time.")
    };
    let local: DateTime = typed.parse().map_err(wrong)?;
    let possible = zone.to_ambiguous_timestamp(local);
    let is_fold = matches!(possible.offset(), jiff::tz::AmbiguousOffset::Fold { .. });
    let twice = possible.later().ok().filter(|_| is_fold);
    Ok(Read { at: possible.compatible().map_err(wrong)?, twice })
}

/// What every answer is made from.
struct Scene<'a> {
    id: &'a str,
    /// `None` once it is removed.
    point: Option<&'a WatchPoint>,
    zone: &'a TimeZone,
    typed: &'a str,
    now: Timestamp,
}

impl Scene<'_> {
    fn face(&self, at: Timestamp) -> Face {
        self.point.map_or_else(|| Face::utc(at), |point| Face::of(point, at))
    }

    fn link(&self, at: Timestamp) -> String {
        link(self.id, at)
    }

    fn back(&self) -> Markup {
        html! { @if let Some(point) = self.point { p { a href=(format!("/points/{}", point.id)) { "Back to " (point.name) } } } }
    }
}

/// Where an instant of a point is explained; to the nanosecond, so that a change is among what had happened by then.
pub(super) fn link(id: &str, at: Timestamp) -> String {
    format!("/points/{id}/explain?at={at}")
}

/// The form that asks for a time; `at` stands in it.
pub(super) fn form(id: &str, zone: &TimeZone, at: Timestamp, typed: Option<&str>) -> Markup {
    let local = |at: DateTime| at.strftime("%Y-%m-%dT%H:%M").to_string();
    // A browser complains of a value that is no time: that one is said in words above.
    let value = match typed {
        None => local(ZonedDateTime::new(at, zone.clone()).datetime()),
        Some(typed) => typed.trim().parse().map(local).unwrap_or_default(),
    };
    let name = zone.iana_name().filter(|name| *name != "UTC");
    html! {
        form.ask method="get" action=(format!("/points/{id}/explain")) {
            div.field {
                label for="at" { "Day and time" }
                input #at name="at" type="datetime-local" required value=(value) aria-invalid=[typed.map(|_| "true")]
                    aria-describedby="at-hint";
                p #at-hint .hint {
                    @match name {
                        Some(name) => { "In the place's own time (" (name) ")." }
                        None => "In UTC.",
                    }
                }
            }
            button.main type="submit" { "Why was it so?" }
        }
    }
}

fn refused(scene: &Scene<'_>, why: &str) -> Markup {
    html! {
        (scene.back())
        h1 { "Why" }
        div.explained {
            p #wrong .wrong role="alert" tabindex="-1" { (why) }
            section.card { (form(scene.id, scene.zone, scene.now, Some(scene.typed))) }
        }
    }
}

fn answer(scene: &Scene<'_>, read: &Read, found: &Explanation) -> Markup {
    let said = envelope(found);
    let face = scene.face(read.at);
    let level = found.stood.level();
    let name = found.name.as_deref().unwrap_or("A place that was removed");
    let zone = scene.point.and_then(|point| house::zone(point.time_zone.as_deref()));
    html! {
        (scene.back())
        h1 { "Why, at " (house::full_moment(read.at, zone.as_ref())) }
        div.explained {
            section.card aria-labelledby="then-title" {
                div.head {
                    h2 #then-title { (name) " then" }
                    (chip(level, level.map_or("not known", Level::as_str)))
                }
                @if let Some(other) = read.twice {
                    p.note {
                        "That hour came twice that night. This is the first time; "
                        a href=(scene.link(other)) { "the second is " (face.time(other)) } "."
                    }
                }
                p #answer { (said.interpretation) }
            }
            @if let (Some(step), Some(fact)) = (&found.made_by, &said.data.made_by) {
                (rested_on(step, &face))
                (told(fact))
            }
            @if let Some(spots) = &found.unseen { @if !spots.is_empty() { section.card { (why::unseen(spots, &face)) } } }
            (around(scene, found, &said.data))
            section.card aria-labelledby="other-title" {
                h2 #other-title { "Another time" }
                nav.stretches aria-label="Before and after" {
                    ul {
                        li { a href=(scene.link(later(read.at, -BESIDE))) { "1 hour before" } }
                        @if later(read.at, BESIDE) <= scene.now { li { a href=(scene.link(later(read.at, BESIDE))) { "1 hour after" } } }
                    }
                }
                (form(scene.id, scene.zone, read.at, None))
            }
        }
    }
}

/// Every reason of the change that made the level, with its rule in words and its evidence by id.
fn rested_on(step: &Step, face: &Face) -> Markup {
    let supports = &step.change.supports;
    let ended = &step.change.ended;
    html! {
        section.card aria-labelledby="rested-title" {
            h2 #rested-title { "What it rested on" }
            @if supports.is_empty() { p { "No rule spoke for a higher level." } }
            @if !supports.is_empty() {
                ul.reasons { @for support in supports { (reason(&support.reason, support.held.as_deref(), face)) } }
            }
            @if !ended.is_empty() {
                h3 { "What had ended" }
                ul.reasons { @for support in ended { (reason(&support.reason, support.held.as_deref(), face)) } }
            }
            p.note { "Journal entry " (step.number) ", rules of version " (step.rules_version) "." }
        }
    }
}

fn reason(reason: &Reason, held: Option<&str>, face: &Face) -> Markup {
    html! {
        li {
            (plain_chip(reason.level)) " " (face.sentence(&reason.text))
            @if let Some(held) = held { " (held: " (held) ")" }
            p.note {
                (reason_notes(reason, face)) ". Rule " code { (reason.rule) }
                @if let Some(says) = rules::says(&reason.rule) { ": " (says) } @else { "." }
                " Evidence " code { (reason.evidence_id) } "."
            }
        }
    }
}

/// What came of telling it, and what was wanted then.
fn told(fact: &ChangeFact) -> Markup {
    let telling = &fact.telling;
    html! {
        section.card aria-labelledby="told-title" {
            h2 #told-title { @if telling.outcome == "not_told" { "Why it was not told" } @else { "What was told of it" } }
            p #telling { (capitalised(&telling.text)) "." }
            p.note {
                @if let Some(level) = &telling.min_level { "Wanted then: from " (level) "." }
                @if let Some(hours) = &telling.quiet_hours { " Quiet hours " (hours) "." }
                @if let Some(until) = &telling.snooze_until_utc { " Snoozed until " (until) "." }
            }
        }
    }
}

/// Changes before and after, each with what came of it and a way to its own explanation.
fn around(scene: &Scene<'_>, found: &Explanation, data: &ExplainedPoint) -> Markup {
    let moves: Vec<_> = found.around.iter().zip(&data.other_changes).collect();
    html! {
        @if !moves.is_empty() {
            section.card aria-labelledby="around-title" {
                h2 #around-title { "Within the hour before and after" }
                ol.journal {
                    @for (step, fact) in moves {
                        @let at = step.change.at_utc;
                        li {
                            h3 { a href=(scene.link(at)) { (scene.face(at).time(at)) } }
                            p { (plain_chip(step.change.from)) span aria-hidden="true" { " → " } span.unseen { " to " } (plain_chip(step.change.to)) }
                            p { (capitalised(&fact.telling.text)) "." }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(typed: &str) -> Result<Read, String> {
        let zone = TimeZone::get("America/Chicago").unwrap();
        instant(typed, "2026-06-10T21:32:00Z".parse().unwrap(), &zone)
    }

    #[test]
    fn a_time_is_of_the_places_own_clock_unless_it_names_its_zone() {
        let at = |typed: &str| read(typed).map(|read| read.at.to_string());
        assert_eq!(at("").as_deref(), Ok("2026-06-10T21:32:00Z"));
        assert_eq!(at(" 2026-06-10T16:31 ").as_deref(), Ok("2026-06-10T21:31:00Z"), "CDT is 5 hours behind");
        assert_eq!(at("2026-01-10T16:31").as_deref(), Ok("2026-01-10T22:31:00Z"), "CST is 6 hours behind");
        assert_eq!(at("2026-06-10T16:31:07.5Z").as_deref(), Ok("2026-06-10T16:31:07.5Z"));
        assert_eq!(at("2026-06-10T16:31-04:00").as_deref(), Ok("2026-06-10T20:31:00Z"));
        for wrong in ["yesterday", "16:31", "2026-13-10T16:31", "<b>"] {
            assert!(read(wrong).is_err_and(|why| why.contains("is not a time")), "{wrong}");
        }
    }

    /// On the first Sunday of November 01:30 comes twice (CDT, then CST); on the second one of March 02:30 never comes.
    #[test]
    fn the_hour_that_comes_twice_is_said_to() {
        let twice = read("2026-11-01T01:30").unwrap();
        assert_eq!(twice.at.to_string(), "2026-11-01T06:30:00Z");
        assert_eq!(twice.twice.map(|at| at.to_string()).as_deref(), Some("2026-11-01T07:30:00Z"));
        let never = read("2026-03-08T02:30").unwrap();
        assert_eq!((never.at.to_string().as_str(), never.twice), ("2026-03-08T08:30:00Z", None));
    }
}
