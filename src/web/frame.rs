//! What stands around every page: head, banner, navigation, the line that says whether the page is live, the disclaimer.

use super::assets;
use super::visitor::Visitor;
use super::words::utc_words;
use crate::threat::DISCLAIMER;
use jiff::Timestamp;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Which part of the navigation a page belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shelf {
    /// The map and the list, and a point's page.
    Points,
    /// Where notices go.
    Notices,
    /// Outside: links of mails, logging in, refusals.
    None,
}

/// The frame of one page.
#[derive(Debug, Clone)]
pub(super) struct Frame<'a> {
    title: &'a str,
    shelf: Shelf,
    visitor: Option<&'a Visitor>,
    live: Option<Timestamp>,
    recorded_to: Option<Timestamp>,
    done: Option<&'static str>,
}

impl<'a> Frame<'a> {
    /// A page that shows nothing that could grow old.
    pub fn new(title: &'a str, shelf: Shelf) -> Self {
        Self { title, shelf, visitor: None, live: None, recorded_to: None, done: None }
    }

    /// Somebody's page: with navigation.
    pub fn of(self, visitor: &'a Visitor) -> Self {
        Self { visitor: Some(visitor), ..self }
    }

    /// A page that follows what it shows; as of this instant, of a recorded day that ends at `recorded_to` or of today.
    pub fn live(self, now: Timestamp, recorded_to: Option<Timestamp>) -> Self {
        Self { live: Some(now), recorded_to, ..self }
    }

    /// Says what has just been done.
    pub fn done(self, done: Option<&'static str>) -> Self {
        Self { done, ..self }
    }

    /// The page.
    pub fn page(self, main: Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="theme-color" content="#f4f6f8" media="(prefers-color-scheme: light)";
                    meta name="theme-color" content="#10161c" media="(prefers-color-scheme: dark)";
                    title { (self.title) " · stormbell" }
                    link rel="icon" href=(assets::at("icon.svg")) type="image/svg+xml";
                    link rel="apple-touch-icon" href=(assets::at("icon-192.png"));
                    link rel="manifest" href="/manifest.webmanifest";
                    link rel="stylesheet" href=(assets::at("style.css"));
                    @if self.live.is_some() {
                        // Without scripts the page renews itself as a whole.
                        noscript { meta http-equiv="refresh" content="60"; }
                    }
                    script type="module" src=(assets::at("page.js")) {}
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    header.banner {
                        a.home href="/" { (bell()) span { "stormbell" } }
                        @if let Some(visitor) = self.visitor {
                            (navigation(self.shelf, visitor))
                        }
                    }
                    @if let Some(now) = self.live {
                        (line(now))
                        @if let Some(to) = self.recorded_to {
                            (recorded(now, to))
                        }
                    }
                    main #main tabindex="-1" {
                        @if let Some(done) = self.done {
                            p.done role="status" { (done) }
                        }
                        (main)
                    }
                    // Level changes are spoken here by the script; always there, so that screen readers listen to it.
                    p #said .unseen aria-live="assertive" {}
                    footer {
                        p { strong { (DISCLAIMER) } " Keep a weather radio and your phone's emergency alerts on." }
                    }
                }
            }
        }
    }
}

fn navigation(shelf: Shelf, visitor: &Visitor) -> Markup {
    let current = |own: Shelf| (shelf == own).then_some("page");
    html! {
        nav aria-label="Pages" {
            ul {
                li { a href="/" aria-current=[current(Shelf::Points)] { "Map and places" } }
                li { a href="/notices" aria-current=[current(Shelf::Notices)] { "Notices" } }
            }
        }
        @if let Some(name) = &visitor.name {
            form.who method="post" action="/logout" {
                span { span.unseen { "Signed in as " } (name) }
                button.quiet type="submit" { "Sign out" }
            }
        }
    }
}

/// Whether the page is live. It is not until the script has heard the server, and says so again when it stops hearing it.
fn line(now: Timestamp) -> Markup {
    html! {
        section #line .line aria-label="Connection" data-line="page" data-now=(now.to_string()) {
            span.lamp aria-hidden="true" {}
            p {
                strong #line-state { "Not live yet." }
                " "
                span #line-words { "This is how it stood at " (utc_words(now)) "." }
            }
        }
        noscript { p.note { "Without scripts this page renews itself once a minute only, and the map stays empty." } }
    }
}

/// What lies outside of today, and for how long: a recorded day that is over falls silent, and places go out of sight.
fn recorded(now: Timestamp, to: Timestamp) -> Markup {
    html! {
        section #recorded .note data-live aria-label="A recorded day" {
            p {
                strong { "A recorded day, not today." }
                @if now < to {
                    " Its feeds end at " (utc_words(to)) "."
                } @else {
                    " It was over at " (utc_words(to)) ": nothing new comes from its feeds, and every place goes out of sight."
                }
            }
        }
    }
}

/// The bell, as in the icon.
fn bell() -> Markup {
    html! { (PreEscaped(assets::BELL)) }
}
