//! The words of a digest: what was held, in order; what of it is over, and what stands now.
//!
//! Invariant: "over" is said only where nothing that cannot be seen could mean a level that is told.

use super::page::{self, Block, Item};
use super::{NAME_CHARS_MAX, NAMES_SHOWN, POINTS_SHOWN, REASON_CHARS_MAX, Rendered, SUBJECT_CHARS_MAX, words};
use crate::notice::push::{Short, TITLE_CHARS_MAX};
use crate::notice::{Held, HeldBy, NoticeReason, WatchPoint};
use crate::threat::{DISCLAIMER, Level, PointState};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Changes listed of one point, the newest: more of them say nothing new about the night.
const CHANGES_SHOWN: usize = 12;

/// One point of a digest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DigestPoint<'a> {
    /// The point.
    pub point: &'a WatchPoint,
    /// How it stands now.
    pub state: &'a PointState,
    /// What was held of it, oldest first.
    pub held: &'a [Held],
}

/// How what was held stands now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// At or above the level that is told.
    Stands(Level),
    /// Below the level that is told, and not none.
    Below(Level),
    /// Ended, as far as can be seen, and that is far enough.
    Over,
    /// Below, but what cannot be seen could mean this.
    Unseen(Level),
}

impl DigestPoint<'_> {
    fn standing(&self) -> Standing {
        let min_level = self.point.min_level.max(Level::Marginal);
        if self.state.level >= min_level {
            return Standing::Stands(self.state.level);
        }
        let spots = self.state.blind_spots.iter().map(|spot| spot.could_raise_to);
        match spots.filter(|level| *level >= min_level).max() {
            Some(level) => Standing::Unseen(level),
            None if self.state.level > Level::None => Standing::Below(self.state.level),
            None => Standing::Over,
        }
    }

    /// The highest level of the changes that were held, but for those that say that it fell below what is told.
    fn was(&self) -> Level {
        self.tops().map(|row| row.level).max().unwrap_or_default()
    }

    fn tops(&self) -> impl Iterator<Item = &Held> {
        self.held.iter().filter(|row| row.reason != NoticeReason::AllClear)
    }

    /// When it reached its highest level, and when it had left it for good.
    fn was_from_to(&self) -> Option<(Timestamp, Option<Timestamp>)> {
        let highest = self.was();
        let reached = self.tops().find(|row| row.level == highest)?.decided_utc;
        let is_highest = |row: &Held| row.level == highest && row.reason != NoticeReason::AllClear;
        let stood = self.held.iter().rposition(is_highest)?;
        Some((reached, self.held.get(stood + 1).map(|row| row.decided_utc)))
    }

    fn name(&self) -> String {
        words::line(&self.point.name, NAME_CHARS_MAX)
    }

    fn zone(&self) -> Option<TimeZone> {
        words::zone(self.point.time_zone.as_deref())
    }
}

/// Renders a digest; the same points give the same bytes.
pub fn digest(points: &[DigestPoint<'_>], now: Timestamp) -> Rendered {
    let zone = points.first().and_then(DigestPoint::zone);
    let subject = words::cut(&title(points, now), SUBJECT_CHARS_MAX);
    let level = points.iter().map(|point| point.state.level).max().unwrap_or_default();
    let mut blocks = vec![Block::Title(Some(level), title(points, now))];
    let held_by = points.iter().flat_map(|point| point.held).find(|row| !row.told).map(|row| row.held_by);
    blocks.push(Block::Para(format!(
        "{} until {}. This is all of it, in order.",
        match held_by {
            Some(HeldBy::QuietHours) | None => "Held in your quiet hours",
            Some(HeldBy::Snooze) => "Held while you had notices snoozed",
            Some(HeldBy::OwnerLimit) => "Held because there were more notices within an hour than your limit allows",
        },
        words::full_moment(now, zone.as_ref())
    )));
    for point in points.iter().take(POINTS_SHOWN) {
        blocks.extend(section(point, now));
    }
    if let Some(more) = points.len().checked_sub(POINTS_SHOWN).filter(|more| *more > 0) {
        blocks.push(Block::Para(format!("And {more} more places.")));
    }
    blocks.push(Block::Small(format!("As of {}.", words::full_moment(now, zone.as_ref()))));
    blocks.push(Block::Small(DISCLAIMER.into()));
    let short = short(points, now);
    Rendered { text: page::text(&blocks), html: page::html(&subject, &blocks), short, subject }
}

/// The same for a phone: each point in a line.
fn short(points: &[DigestPoint<'_>], now: Timestamp) -> Short {
    let line = |point: &DigestPoint<'_>| format!("{}: {}", point.name(), summary(point, now));
    let lines = points.iter().take(POINTS_SHOWN).map(line).chain([DISCLAIMER.to_owned()]);
    let body = lines.skip(usize::from(points.len() == 1)).collect::<Vec<_>>().join("\n");
    Short { title: words::cut(&title(points, now), TITLE_CHARS_MAX), body }
}

fn title(points: &[DigestPoint<'_>], now: Timestamp) -> String {
    if let [point] = points {
        return format!("{}: {}", point.name(), summary(point, now));
    }
    let names: Vec<String> = points.iter().map(DigestPoint::name).collect();
    let standing: Vec<Level> = points
        .iter()
        .filter_map(|point| match point.standing() {
            Standing::Stands(level) => Some(level),
            Standing::Below(_) | Standing::Over | Standing::Unseen(_) => None,
        })
        .collect();
    let below = points.iter().filter_map(|point| match point.standing() {
        Standing::Below(level) => Some(level),
        Standing::Stands(_) | Standing::Over | Standing::Unseen(_) => None,
    });
    let unseen = points.iter().any(|point| matches!(point.standing(), Standing::Unseen(_)));
    let now_words = match standing.iter().max() {
        Some(level) if standing.len() == points.len() => format!("up to {} now", loud(*level)),
        Some(level) => format!("{} of {} still up to {}", standing.len(), points.len(), loud(*level)),
        None if unseen => "ended, but not everything can be seen".to_owned(),
        None => match below.max() {
            Some(level) => format!("below your level now: still up to {}", loud(level)),
            None => "now over".to_owned(),
        },
    };
    let was = match points.iter().map(DigestPoint::was).max().unwrap_or_default() {
        Level::None => String::new(),
        level => format!("was {}, ", loud(level)),
    };
    format!("{}: {was}{now_words}", words::list(&names, NAMES_SHOWN))
}

/// "was ELEVATED 02:10 to 03:40 CDT (...), now over".
fn summary(point: &DigestPoint<'_>, now: Timestamp) -> String {
    let zone = point.zone();
    let moment = |at| words::moment(at, zone.as_ref(), now);
    let since = |row: Option<&Held>| row.map_or_else(String::new, |row| format!(" since {}", moment(row.decided_utc)));
    // The rise itself may have been told before: then only its end was held.
    let (was, to) = match (point.was(), point.was_from_to()) {
        (Level::None, _) | (_, None) => (None, None),
        (level, Some((from, to))) => (Some(format!("was {} from {}", loud(level), moment(from))), to),
    };
    let ended = |words: &str| match (&was, to) {
        (Some(was), Some(to)) => format!("{was} to {}, now {words}", moment(to)),
        (Some(was), None) => format!("{was}, now {words}"),
        (None, _) => format!("{words}{}", since(point.held.last())),
    };
    let before = was.as_ref().map_or_else(String::new, |was| format!("{was}, "));
    match point.standing() {
        Standing::Stands(level) if level == point.was() => {
            format!("{} since {}", loud(level), moment(point.state.since_utc))
        }
        Standing::Stands(level) => format!("{before}now {}", loud(level)),
        Standing::Below(level) => ended(&format!("below your level (still {})", loud(level))),
        Standing::Over => ended("over"),
        Standing::Unseen(_) => format!("{before}ended, but not everything can be seen"),
    }
}

fn section(point: &DigestPoint<'_>, now: Timestamp) -> Vec<Block> {
    let zone = point.zone();
    let (at, level) = (point.point.at, point.state.level);
    let mut blocks =
        vec![Block::Heading(format!("{} ({}, {}): {}", point.name(), at.lat(), at.lon(), summary(point, now)))];
    let hidden = point.held.len().saturating_sub(CHANGES_SHOWN);
    if hidden > 0 {
        blocks.push(Block::Para(format!("{hidden} earlier changes are left out.")));
    }
    let items = point.held.iter().skip(hidden).map(|row| Item {
        level: Some(row.level),
        text: format!(
            "{}: {}",
            words::moment(row.decided_utc, zone.as_ref(), now),
            words::line(&row.subject, REASON_CHARS_MAX)
        ),
        notes: match row.told {
            true => vec!["This was told at once.".to_owned()],
            false if row.reason == NoticeReason::WentBlind => vec!["This is not an all-clear.".to_owned()],
            false => Vec::new(),
        },
    });
    blocks.push(Block::Items(items.collect()));
    let reason = point.state.supports.first().map(|support| &support.reason.text);
    let reason = reason.map(|text| words::plain(text, REASON_CHARS_MAX, zone.as_ref(), now));
    let why = reason.map_or_else(String::new, |text| format!(": {text}"));
    blocks.push(match point.standing() {
        Standing::Stands(_) => {
            let since = words::moment(point.state.since_utc, zone.as_ref(), now);
            Block::Strong(format!("Stands now: {}, since {since}{why}", loud(level)))
        }
        Standing::Below(_) => Block::Strong(format!(
            "Below the level that you asked to be told of, and not over: it reads {level} now{why}"
        )),
        Standing::Over => Block::Para(format!("Over: it reads {level} now.")),
        Standing::Unseen(could) => Block::Strong(format!(
            "It reads {level} now, but this is not an all-clear: what cannot be seen could mean {could}."
        )),
    });
    blocks
}

fn loud(level: Level) -> String {
    level.as_str().to_uppercase()
}
