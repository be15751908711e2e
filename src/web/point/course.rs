//! The level over time as a plot, from the journal: steps, what was told, where nothing is known.
//!
//! Invariant: a time in which the point was not watched or not judged is hatched, never drawn as quiet.

use super::Scene;
use crate::desk::WatchedPoint;
use crate::threat::{Level, later};
use jiff::{SignedDuration, Timestamp, ZonedDateTime};
use maud::{Markup, html};

/// Widths drawn, pixels: of a phone and of a desk; the style shows the one that fits.
const WIDTHS: [(f64, &str); 2] = [(330.0, "narrow"), (860.0, "wide")];
/// Room at the left for the words of the levels, above, to the right and for the hours below.
const LEFT: f64 = 78.0;
const TOP: f64 = 8.0;
const RIGHT: f64 = 8.0;
const BELOW: f64 = 24.0;
/// Height of a level.
const ROW: f64 = 26.0;
/// Room that an hour's word takes, pixels.
const TICK: f64 = 52.0;

/// A stretch of time at one level; `None` where it is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub from: Timestamp,
    pub to: Timestamp,
    pub level: Option<Level>,
}

/// The steps between `from` and now, in order and without gaps.
pub(super) fn steps(scene: &Scene<'_>, from: Timestamp) -> Vec<Step> {
    let WatchedPoint { point, state } = scene.one;
    let now = scene.now;
    let mut steps: Vec<Step> = Vec::new();
    let mut push = |from: Timestamp, to: Timestamp, level: Option<Level>| {
        if from < to {
            match steps.last_mut() {
                Some(last) if last.level == level => last.to = to,
                _ => steps.push(Step { from, to, level }),
            }
        }
    };
    let began = point.created_utc.clamp(from, now);
    push(from, began, None);
    let mut at = began;
    let changes: Vec<_> =
        scene.history.journal.iter().map(|entry| &entry.change).filter(|c| c.at_utc >= from).collect();
    for change in &changes {
        let until = change.at_utc.clamp(at, now);
        push(at, until, Some(change.from));
        at = until;
    }
    match (changes.last(), state) {
        (Some(last), _) => push(at, now, Some(last.to)),
        // Without an entry the level stands since before, or since it was first judged.
        (None, Some(state)) => {
            let since = state.since_utc.clamp(at, now);
            push(at, since, None);
            push(since, now, Some(state.level));
        }
        (None, None) => push(at, now, None),
    }
    steps
}

pub(super) fn course(scene: &Scene<'_>, from: Timestamp) -> Markup {
    let steps = steps(scene, from);
    html! {
        figure {
            @for (width, class) in WIDTHS { (plot(scene, &steps, from, width, class)) }
            figcaption { (caption(scene, &steps)) }
        }
    }
}

/// The plot in words.
fn caption(scene: &Scene<'_>, steps: &[Step]) -> String {
    let face = scene.face();
    let known: Vec<String> = steps
        .iter()
        .rev()
        .take(8)
        .rev()
        .map(|step| {
            let level = step.level.map_or("not known", Level::as_str);
            format!("{level} from {}", face.words(step.from))
        })
        .collect();
    let left_out = steps.len().saturating_sub(known.len());
    let before = if left_out > 0 { format!("After {left_out} earlier steps: ") } else { String::new() };
    format!("{before}{}.", known.join(", "))
}

fn plot(scene: &Scene<'_>, steps: &[Step], from: Timestamp, width: f64, class: &str) -> Markup {
    let rows = Level::ALL.len() as f64;
    let height = TOP + ROW * rows + BELOW;
    let span_s = scene.now.duration_since(from).as_secs_f64().max(1.0);
    let x = |at: Timestamp| {
        let part = (at.duration_since(from).as_secs_f64() / span_s).clamp(0.0, 1.0);
        LEFT + (width - LEFT - RIGHT) * part
    };
    let y = |level: Level| TOP + ROW * (rows - 0.5 - level as usize as f64);
    let bottom = TOP + ROW * rows;
    html! {
        svg class=(class) viewBox=(format!("0 0 {width} {height}")) aria-hidden="true" focusable="false" {
            @for level in Level::ALL {
                rect.row x=(LEFT) y=(y(level) - ROW / 2.0) width=(width - LEFT - RIGHT) height=(ROW) {}
                text.word x=(LEFT - 8.0) y=(y(level) + 4.0) text-anchor="end" { (level) }
            }
            @let told_from = y(scene.one.point.min_level) + ROW / 2.0;
            line.told-from x1=(LEFT) x2=(width - RIGHT) y1=(told_from) y2=(told_from) {}
            @for (at, words) in ticks(scene, from, width) {
                line.tick x1=(fixed(x(at))) x2=(fixed(x(at))) y1=(TOP) y2=(bottom + 4.0) {}
                text.hour x=(fixed(x(at))) y=(bottom + 18.0) text-anchor="middle" { (words) }
            }
            @for step in steps {
                @let (left, right) = (x(step.from), x(step.to));
                @match step.level {
                    None => { (hatch(left, right, bottom)) }
                    Some(level) => {
                        rect.area data-level=(level) x=(fixed(left)) y=(fixed(y(level))) width=(fixed((right - left).max(1.0)))
                            height=(fixed(bottom - y(level))) {}
                        line.step data-level=(level) x1=(fixed(left)) x2=(fixed(right.max(left + 2.0))) y1=(y(level)) y2=(y(level)) {}
                    }
                }
            }
            @for pair in steps.windows(2) {
                @if let [Step { level: Some(before), .. }, Step { from: at, level: Some(after), .. }] = pair {
                    line.rise x1=(fixed(x(*at))) x2=(fixed(x(*at))) y1=(y(*before)) y2=(y(*after)) {}
                }
            }
            @for row in scene.history.ledger.iter().filter(|row| row.settled_utc >= from) {
                path.mark d=(format!("M{0:.1} {1}l-4 7h8z", x(row.settled_utc), bottom - 8.0)) {
                    title { (row.delivery.reason.as_str()) }
                }
            }
        }
    }
}

fn fixed(value: f64) -> String {
    format!("{value:.1}")
}

/// Slanted lines over what is not known.
fn hatch(left: f64, right: f64, bottom: f64) -> Markup {
    const EVERY: f64 = 9.0;
    let height = bottom - TOP;
    let count = ((right - left + height) / EVERY).ceil().clamp(0.0, 400.0) as u32;
    let lines = (1..count).filter_map(|number| {
        // Along x + y = const, cut off at the sides.
        let sum = f64::from(number) * EVERY;
        let (from_x, to_x) = ((sum - height).max(0.0), sum.min(right - left));
        (from_x < to_x).then(|| {
            format!("M{:.1} {:.1}L{:.1} {:.1}", left + from_x, TOP + sum - from_x, left + to_x, TOP + sum - to_x)
        })
    });
    let path: String = lines.collect();
    html! { path.hatch d=(path) { title { "not known" } } }
}

/// Hours of the place's own clock, as many as there is room for.
fn ticks(scene: &Scene<'_>, from: Timestamp, width: f64) -> Vec<(Timestamp, String)> {
    const STEPS_H: [i64; 7] = [1, 2, 3, 6, 12, 24, 48];
    let hours = scene.now.duration_since(from).as_hours().max(1);
    let room = ((width - LEFT - RIGHT) / TICK).floor().max(1.0) as i64;
    let step = STEPS_H.into_iter().find(|step| hours / step < room).unwrap_or(168);
    let zone = scene.face().zone();
    let mut ticks = Vec::new();
    // From hour to hour, so that a change of clocks moves the ticks with it.
    let local = ZonedDateTime::new(from, zone.clone());
    let first =
        local.date().at(local.hour(), 0, 0, 0).to_zoned_datetime(zone.clone()).map_or(from, |zoned| zoned.timestamp());
    let margin = edge(hours, width);
    for hour in 1..=hours {
        let at = later(first, SignedDuration::from_hours(hour));
        let local = ZonedDateTime::new(at, zone.clone());
        let is_tick = if step >= 24 {
            local.hour() == 0 && (step == 24 || local.day() % 2 == 0)
        } else {
            i64::from(local.hour()) % step == 0
        };
        let is_inside = at > later(from, margin) && at < later(scene.now, -margin);
        if is_tick && is_inside {
            ticks.push((at, local.strftime(if step >= 24 { "%a %-d" } else { "%H:%M" }).to_string()));
        }
    }
    ticks
}

/// A word at the edge would be cut off: so long from the edges there is none.
fn edge(hours: i64, width: f64) -> SignedDuration {
    let share = TICK / 2.0 / (width - LEFT - RIGHT);
    SignedDuration::from_secs((hours as f64 * 3600.0 * share) as i64)
}
