//! The map of a page: state outlines and points at once, then outlook, warnings, radar and legend, fetched by the script.
//!
//! Boundaries: ✓ SVG and words around what `plot::sheet` draws. ✗ what may still be drawn is said by `plot::seen`.
//! Invariant: what cannot be seen is written first; before anything is heard the map says that it waits.

use super::visitor::Visitor;
use super::words::{self, capitalised, counted};
use super::{Site, admit};
use crate::desk::WatchedPoint;
use crate::geo::LatLon;
use crate::observation::{GOES_GLM, IEM_REPORTS, MRMS, NWS_WARNINGS, SPC_OUTLOOKS, SourceName};
use crate::outside::compute;
use crate::plot::sheet::{self, Outlined, Window};
use crate::plot::{Extent, MapPoint, Seen, seen};
use crate::storm_report::Group;
use crate::threat::Level;
use crate::warning::incidents::Phase;
use axum::extract::{Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What the map shows.
const SHOWN: [SourceName; 5] = [NWS_WARNINGS, MRMS, SPC_OUTLOOKS, IEM_REPORTS, GOES_GLM];
/// Radius of a point's dot, units of a map drawn as wide as its nation's window.
const DOT: f64 = 9.0;

/// State outlines, made once: some 300 kB that a browser keeps.
static STATES: LazyLock<String> = LazyLock::new(|| {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><path id=\"land\" d=\"{}\"/>\
         <path id=\"borders\" vector-effect=\"non-scaling-stroke\" d=\"{}\"/></svg>",
        sheet::land(),
        sheet::borders()
    )
});

/// Names of the states with their spots, made once.
static STATE_NAMES: LazyLock<Vec<(&str, (f64, f64))>> = LazyLock::new(sheet::state_names);

/// The map with its points; `is_marked`: a click on it fills the form's place.
pub(super) fn map(watched: &[WatchedPoint], window: Window, is_marked: bool) -> Markup {
    let numbers = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let view = |window: Window| numbers(&[window.x, window.y, window.width, window.height()]);
    let keys = if is_marked {
        "Arrow keys move the map, plus and minus zoom, Enter marks the middle for a new place. The list and the form offer the same."
    } else {
        "Arrow keys move the map, plus and minus zoom. The text of this page says the same."
    };
    html! {
        section #map .map aria-labelledby="map-title" data-cone=(numbers(&sheet::constants()))
            data-size=(numbers(&[sheet::SIZE.0, sheet::SIZE.1])) data-home=(view(window))
            data-nation=(view(Window::nation())) data-narrowest=(sheet::WINDOW_MIN) data-marks=[is_marked.then_some("yes")] {
            h2 #map-title .unseen { "Map" }
            div.sheet {
                div #map-pane .pane role="group" tabindex="0" aria-label=(keys) {
                    svg #map-sheet viewBox=(view(window)) aria-hidden="true" focusable="false" {
                        use.land href="/map/states.svg#land" {}
                        g #map-outlook {}
                        use.borders href="/map/states.svg#borders" {}
                        image #map-overlay preserveAspectRatio="none" {}
                        g #map-warnings {}
                        g #map-states {
                            @for (code, (x, y)) in STATE_NAMES.iter() {
                                text.spot data-x=(tenths(*x)) data-y=(tenths(*y)) transform=(at(*x, *y, window)) text-anchor="middle" { (code) }
                            }
                        }
                        (points(watched, window))
                        g #map-pin hidden {
                            g.spot data-x="0" data-y="0" { path.pin d="M0 0C-4 -9 -10 -13 -10 -20A10 10 0 0 1 10 -20C10 -13 4 -9 0 0Z" {} }
                        }
                    }
                }
                p #map-scale .scale-bar hidden { span.bar {} span.word {} }
                div.zoom role="group" aria-label="Zoom" {
                    button #map-in type="button" { span aria-hidden="true" { "+" } span.unseen { "Zoom in" } }
                    button #map-out type="button" { span aria-hidden="true" { "−" } span.unseen { "Zoom out" } }
                    button #map-places type="button" { "Places" }
                    button #map-nation type="button" { "Nation" }
                }
            }
            @if is_marked {
                p #map-here .here hidden { span {} " " a href="#name" { "Go on in the form" } }
            }
            div #map-legend .legend {
                p.missing { strong { "Not loaded yet: " } "warnings, outlook and radar are not on the map. An empty map is not a quiet one." }
            }
        }
    }
}

/// The dots; replaced by the script when levels change.
fn points(watched: &[WatchedPoint], window: Window) -> Markup {
    let mut marks: Vec<(&str, MapPoint)> =
        watched.iter().map(|one| (one.point.id.as_str(), words::map_point(&one.point, one.state.as_ref()))).collect();
    // The highest last and on top.
    marks.sort_by_key(|(_, mark)| mark.level);
    html! {
        g #map-points data-live {
            @for (id, mark) in marks {
                @let (x, y) = sheet::spot(mark.at);
                a href=(format!("/points/{id}")) tabindex="-1" data-rank=(mark.level.map_or(5, |level| level as usize)) {
                    g.spot data-x=(tenths(x)) data-y=(tenths(y)) transform=(at(x, y, window)) {
                        circle.dot r=(DOT) data-level=(mark.level.map_or("unknown", Level::as_str)) {}
                        @if mark.is_blind || mark.level.is_none() { text.what text-anchor="middle" y="4.5" { "?" } }
                        text.label x="14" y="5" data-name=(mark.name) { (mark.name) ": " (mark.level_words()) }
                    }
                }
            }
        }
    }
}

fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

/// Moves and sizes a mark for a map a thousand pixels wide; the script does it for the real one.
fn at(x: f64, y: f64, window: Window) -> String {
    format!("translate({x:.1} {y:.1}) scale({:.3})", window.width / 1_000.0)
}

/// State outlines as a picture of their own.
pub(super) async fn states() -> Response {
    // The file changes with the program alone, whose page asks for it by the same name: a day is soon enough.
    let headers = [(CONTENT_TYPE, "image/svg+xml"), (CACHE_CONTROL, "max-age=86400")];
    (headers, STATES.as_str()).into_response()
}

async fn look(site: &Site, visitor: &Visitor) -> Result<Seen, crate::desk::DeskError> {
    // Sources are woken for a place: one that is watched anyway, where there is one.
    let watched = site.desk.watched(&visitor.owner).await?;
    let lookout = Extent::Conus.lookouts().first().map_or(LatLon::NULL_ISLAND, |(place, _)| *place);
    let place = watched.first().map_or(lookout, |one| one.point.at);
    let picture = site.desk.picture_for(place, &SHOWN).await;
    let now = site.desk.now();
    Ok(compute(|| seen(&picture, Extent::Conus, now)))
}

/// Outlook, warnings and legend of the nation, for the script to put into the map.
pub(super) async fn layers(State(site): State<Site>, visitor: Visitor) -> Result<Markup, super::refusal::Refusal> {
    let seen = look(&site, &visitor).await?;
    Ok(compute(|| drawn(&seen)))
}

/// Which part of the sheet to draw over.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Over {
    x: f64,
    y: f64,
    w: f64,
}

/// Radar, lightning and reports over a window, as PNG.
pub(super) async fn overlay(
    State(site): State<Site>,
    visitor: Visitor,
    Query(over): Query<Over>,
) -> Result<Response, super::refusal::Refusal> {
    let seen = look(&site, &visitor).await?;
    let Ok(_permit) = site.drawings.acquire().await else { return Ok(admit::busy()) };
    let window = Window { x: over.x, y: over.y, width: over.w };
    let drawn = compute(|| sheet::overlay(&seen, window));
    let png = drawn.map_err(|error| crate::desk::DeskError::Store(error.to_string()))?;
    // The script names the scan in the address, so that the same picture is not asked for again.
    Ok(([(CONTENT_TYPE, "image/png"), (CACHE_CONTROL, "private, max-age=60")], png).into_response())
}

fn drawn(seen: &Seen) -> Markup {
    let (warnings, left_out) = sheet::warnings(seen);
    html! {
        svg {
            g #map-outlook {
                @for shape in sheet::outlook(seen) {
                    path fill=(shape.colour) stroke=(shape.colour) fill-rule="evenodd" d=(shape.path) {}
                }
            }
            g #map-warnings {
                @for warning in &warnings {
                    path fill=(warning.shape.colour) stroke=(warning.shape.colour) fill-rule="evenodd" d=(warning.shape.path)
                        data-phase=(phase_word(warning.phase)) { title { (title(warning)) } }
                }
            }
        }
        div #map-legend .legend data-scans=(scans(seen)) { (legend(seen, &warnings, left_out)) }
    }
}

fn phase_word(phase: Phase) -> &'static str {
    match phase {
        Phase::InEffect => "in effect",
        Phase::Coming => "coming",
    }
}

fn title(outlined: &Outlined) -> String {
    let warning = &outlined.warning;
    let until = warning.ends_utc.or(warning.expires_utc).map_or_else(String::new, |at| format!(" until {}", clock(at)));
    format!("{} ({}){until}: {}", warning.event, phase_word(outlined.phase), warning.area_desc)
}

fn clock(at: Timestamp) -> String {
    at.strftime("%H:%MZ").to_string()
}

/// Names the newest evidence of the overlay: while it is the same, so is the picture.
fn scans(seen: &Seen) -> String {
    let mosaics = seen.mosaics.iter().map(|mosaic| mosaic.valid_utc.as_second());
    let others = [seen.flashes_until_utc.map_or(0, Timestamp::as_second), seen.reports.len() as i64];
    mosaics.chain(others).map(|number| number.to_string()).collect::<Vec<_>>().join("-")
}

fn legend(seen: &Seen, warnings: &[Outlined], left_out: usize) -> Markup {
    let mut events: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    // The gravest lie on top, which is last.
    for (rank, outlined) in warnings.iter().rev().enumerate() {
        let known = events.keys().find(|(_, event)| *event == outlined.warning.event).map_or(rank, |(rank, _)| *rank);
        *events.entry((known, outlined.warning.event.as_str())).or_default() += 1;
    }
    html! {
        @if !seen.unseen.is_empty() {
            details #legend-unseen .blind open[seen.warnings_are_blind] {
                summary { strong { "Not seen: " } (names(&seen.unseen.iter().map(|unseen| unseen.what.clone()).collect::<Vec<_>>())) }
                ul { @for unseen in &seen.unseen { li { (capitalised(&unseen.what)) ": " (unseen.why) } } }
            }
        }
        details #legend-all {
            summary { "Map as of " (clock(seen.now)) ": " (in_short(seen, &events)) }
            dl {
                dt { "Warnings with an outline" }
                dd { (event_list(seen, &events, left_out)) }
                dt { "Outlook for today" }
                dd { (outlook_list(seen)) }
                @for (name, unit, steps, is_seen) in sheet::radar_scales(seen) {
                    dt { "Radar, " (name) " (" (unit) ")" }
                    dd {
                        @if is_seen { ul.scale { @for (from, colour) in steps { li { (swatch(&colour)) (from) } } } }
                        @else { "not seen" }
                    }
                }
                dt { "Lightning and reports" }
                dd { (marks(seen)) }
                dt { "Hatched" }
                dd { "No radar looks there." }
            }
        }
    }
}

fn names(names: &[String]) -> String {
    crate::notice::compose::words::list(names, 4)
}

fn in_short(seen: &Seen, events: &BTreeMap<(usize, &str), usize>) -> String {
    let mut parts: Vec<String> =
        events.iter().take(2).map(|((_, event), count)| counted(*count, &event.to_lowercase())).collect();
    if parts.is_empty() {
        parts.push(if seen.warnings_are_blind { "warnings not seen" } else { "no warning with an outline" }.to_owned());
    }
    if let Some(worst) =
        seen.outlook.iter().flat_map(|set| set.categorical.iter().flatten()).map(|area| area.category).max()
    {
        parts.push(format!("outlook up to {}", worst.label()));
    }
    parts.join(", ")
}

fn event_list(seen: &Seen, events: &BTreeMap<(usize, &str), usize>, left_out: usize) -> Markup {
    html! {
        ul {
            @for ((_, event), count) in events {
                li { (swatch(&sheet::event_colour(event))) (count) " " (event) }
            }
            @if events.is_empty() { li { "none" @if seen.warnings_are_blind { " seen: there may be some" } } }
            @if left_out > 0 { li { (counted(left_out, "more product")) " left off the map" } }
            @if seen.without_polygon > 0 { li { (counted(seen.without_polygon, "more product")) " for whole counties or zones, not drawn" } }
        }
    }
}

fn outlook_list(seen: &Seen) -> Markup {
    html! {
        @match &seen.outlook {
            None => "not known",
            Some(set) => ul {
                @let held: std::collections::BTreeSet<_> = set.categorical.iter().flatten().map(|area| area.category).collect();
                @for category in held { li { (swatch(&sheet::category_colour(category))) (category.description()) } }
                li { "valid " (clock(set.valid_utc)) " to " (clock(set.expire_utc)) }
            },
        }
    }
}

fn marks(seen: &Seen) -> Markup {
    let count = |group: Group| seen.reports.iter().filter(|report| report.category.group() == group).count();
    html! {
        ul {
            li {
                (counted(seen.flashes.len(), "flash").replace("flashs", "flashes")) " in 15 min (crosses)"
                @if seen.lightning_is_blind { "; there may be others" }
            }
            li {
                "reports of the last two hours: " (count(Group::Tornado)) " tornado (T), " (count(Group::Hail)) " hail (H), "
                (count(Group::Wind)) " wind (W)"
                @if seen.reports_are_blind { "; there may be others" }
            }
        }
    }
}

fn swatch(colour: &str) -> Markup {
    html! { (PreEscaped("<svg class=\"swatch\" viewBox=\"0 0 2 1\" aria-hidden=\"true\">")) rect width="2" height="1" fill=(colour) {} (PreEscaped("</svg>")) }
}
