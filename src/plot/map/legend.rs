//! The legend: only what is on the map, with its times; what cannot be seen in red.

use super::layers::{event_ink, event_rank};
use super::marks::{self, Marks};
use super::points::MapPoint;
use super::radar::{LAYERS, RadarLayer, hatch};
use super::sight::{FLASHES_FOR, REPORTS_FOR, Seen};
use crate::plot::ink::{self, Ink};
use crate::plot::page::{Frame, Page, Side, fitted, wrapped};
use crate::threat::Level;
use crate::warning::incidents::Phase;
use std::collections::BTreeMap;

const SIZE: f64 = 13.5;
const LINE: f64 = 18.0;
/// Under what is drawn of a source that is not heard.
const MAY_BE_OTHERS: &str = "NOT SEEN: there may be others";

struct Pen<'p> {
    page: &'p mut Page,
    frame: Frame,
    y: f64,
}

impl Pen<'_> {
    fn has_room(&self, lines: f64) -> bool {
        self.y + lines * LINE <= self.frame.bottom
    }

    fn head(&mut self, words: &str) {
        if !self.has_room(2.0) {
            return;
        }
        self.y += 6.0;
        self.page.text(
            (self.frame.left, self.y),
            Side::Left,
            15.5,
            ink::BLACK,
            &fitted(words, 15.5, self.frame.width()),
        );
        self.y += LINE + 2.0;
    }

    fn words(&mut self, ink: Ink, words: &str) {
        for line in wrapped(words, SIZE, self.frame.width()) {
            if self.has_room(1.0) {
                self.page.text((self.frame.left, self.y), Side::Left, SIZE, ink, &line);
                self.y += LINE;
            }
        }
    }

    fn entry(&mut self, words: &str, draw: impl FnOnce(&mut Page, Frame)) {
        if self.has_room(1.0) {
            let swatch = Frame::new(self.frame.left, self.y - 6.0, self.frame.left + 26.0, self.y + 6.0);
            draw(self.page, swatch);
            let words = fitted(words, SIZE, self.frame.width() - 34.0);
            self.page.text((self.frame.left + 34.0, self.y), Side::Left, SIZE, ink::BLACK, &words);
            self.y += LINE;
        }
    }
}

pub(super) fn legend(page: &mut Page, frame: Frame, seen: &Seen, marks: &Marks, points: &[MapPoint], outside: usize) {
    let mut pen = Pen { page, frame, y: frame.top + 4.0 };
    unseen(&mut pen, seen);
    // Before all that may take its room: the hatching is on every map.
    pen.entry("no radar seen here", |page, swatch| {
        hatch(page, swatch, |_| true);
        page.outline(&swatch.corners(), 1.0, ink::GREY);
    });
    levels(&mut pen, points, outside);
    warnings(&mut pen, seen);
    lightning(&mut pen, seen, marks);
    reports(&mut pen, seen, marks);
    outlook(&mut pen, seen);
    for layer in &LAYERS {
        radar(&mut pen, layer, seen);
    }
}

fn unseen(pen: &mut Pen, seen: &Seen) {
    if seen.unseen.is_empty() {
        return;
    }
    pen.page.text((pen.frame.left, pen.y), Side::Left, 15.5, ink::ALARM, "NOT SEEN");
    pen.y += LINE + 2.0;
    for unseen in &seen.unseen {
        pen.words(ink::ALARM, &format!("{}: {}", unseen.what, unseen.why));
    }
}

fn levels(pen: &mut Pen, points: &[MapPoint], outside: usize) {
    let elsewhere = if outside > 0 { format!(", {outside} outside") } else { String::new() };
    pen.head(&format!("Watch points: {}{elsewhere}", points.len()));
    for level in Level::ALL.into_iter().rev() {
        let count = points.iter().filter(|point| point.level == Some(level)).count();
        let words = if points.is_empty() { level.to_string() } else { format!("{level} ({count})") };
        pen.entry(&words, |page, swatch| {
            page.disc(swatch.middle(), 5.5, ink::level(Some(level)));
            page.circle(swatch.middle(), 5.5, 1.4, ink::BLACK);
        });
    }
    if points.iter().any(|point| point.is_blind) {
        pen.words(ink::GREY, "? may be higher: something that counts cannot be seen");
    }
}

fn warnings(pen: &mut Pen, seen: &Seen) {
    let mut counts: BTreeMap<(usize, &str, bool), usize> = BTreeMap::new();
    for (warning, phase) in &seen.warnings {
        let coming = *phase == Phase::Coming;
        *counts.entry((event_rank(&warning.event), &warning.event, coming)).or_default() += 1;
    }
    pen.head("NWS products, nationwide");
    if seen.warnings_are_blind {
        // An empty or short list of a feed that is not heard is no quiet.
        pen.words(ink::ALARM, MAY_BE_OTHERS);
    } else if counts.is_empty() {
        pen.words(ink::GREY, "none with a polygon");
    }
    for ((_, event, coming), count) in counts {
        let ink = event_ink(event);
        let words = format!("{count} {event}{}", if coming { " (coming)" } else { "" });
        pen.entry(&words, |page, swatch| {
            page.fill(&[swatch.corners()], ink::faint(ink, ink::WARNING_ALPHA));
            page.outline(&swatch.corners(), 2.4, ink);
        });
    }
    if seen.without_polygon > 0 {
        pen.words(ink::GREY, &format!("{} more hold for counties or zones and are not drawn", seen.without_polygon));
    }
}

/// The flashes on the map, and until when they were looked for.
fn lightning(pen: &mut Pen, seen: &Seen, marks: &Marks) {
    pen.head(&format!("GOES lightning, {} min", FLASHES_FOR.as_mins()));
    if seen.lightning_is_blind {
        pen.words(ink::ALARM, MAY_BE_OTHERS);
    }
    if let Some(until) = seen.flashes_until_utc {
        pen.words(ink::GREY, &format!("until {until:.0}"));
        pen.entry(&format!("flash ({})", marks.flashes()), |page, swatch| marks::cross(page, swatch.middle()));
    }
}

/// The reports on the map by kind.
fn reports(pen: &mut Pen, seen: &Seen, marks: &Marks) {
    pen.head(&format!("Storm reports, {} h", REPORTS_FOR.as_hours()));
    if seen.reports_are_blind {
        pen.words(ink::ALARM, MAY_BE_OTHERS);
    }
    let counts = marks::REPORTS.map(|(group, ..)| marks.reports(group));
    if counts == [0; 3] && !seen.reports_are_blind {
        pen.words(ink::GREY, "none of tornado, hail or wind here");
    }
    for ((_, letter, ink, words), count) in marks::REPORTS.into_iter().zip(counts).filter(|(_, count)| *count > 0) {
        pen.entry(&format!("{words} ({count})"), |page, swatch| {
            marks::lettered(page, swatch.middle(), letter, ink, false);
        });
    }
}

fn outlook(pen: &mut Pen, seen: &Seen) {
    let Some(set) = &seen.outlook else { return };
    pen.head("SPC outlook, day 1");
    let issued = set.issue_utc.unwrap_or(set.valid_utc);
    pen.words(ink::GREY, &format!("issued {issued:.0}"));
    pen.words(ink::GREY, &format!("until {:.0}", set.expire_utc));
    let mut categories: Vec<_> = set.categorical.iter().flatten().map(|held| held.category).collect();
    categories.sort();
    categories.dedup();
    for category in categories.into_iter().rev() {
        let ink = ink::category(category);
        pen.entry(category.label(), |page, swatch| {
            page.fill(&[swatch.corners()], ink::faint(ink, ink::CATEGORY_ALPHA));
            page.outline(&swatch.corners(), 1.6, ink);
        });
    }
    let gaps: Vec<String> = set.gaps().into_iter().map(|gap| gap.id()).collect();
    if !gaps.is_empty() {
        pen.words(ink::ALARM, &format!("not known: {}", gaps.join(", ")));
    }
}

/// A bar of colours with the figures under it, where a product of the layer is drawn.
fn radar(pen: &mut Pen, layer: &RadarLayer, seen: &Seen) {
    let times = layer.products.iter().filter_map(|product| Some(seen.mosaic(*product)?.valid_utc));
    let Some(valid) = times.min().filter(|_| pen.has_room(4.0)) else { return };
    pen.head(&format!("MRMS {} ({})", layer.name, layer.unit));
    let minutes = seen.now.duration_since(valid).as_mins();
    pen.words(ink::GREY, &format!("valid {valid:.0}"));
    pen.words(ink::GREY, &format!("{minutes} min before this map"));
    // Whole pixels and their edges, so that no white shows between the colours.
    let width = (pen.frame.width() / layer.steps.len() as f64).min(46.0).floor();
    for (at, (from, ink)) in (0u32..).zip(layer.steps) {
        let left = pen.frame.left + f64::from(at) * width;
        let cell = Frame::new(left - 0.5, pen.y - 6.5, left + width - 0.5, pen.y + 6.5);
        pen.page.fill(&[cell.corners()], *ink);
        // Every second figure where they would touch.
        if width > 40.0 || at % 2 == 0 {
            let words = from.to_string();
            pen.page.text((left, pen.y + 15.0), Side::Left, 12.0, ink::GREY, &words);
        }
    }
    pen.y += LINE * 2.0;
}
