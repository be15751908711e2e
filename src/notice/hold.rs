//! Whether a notice goes out now, is held for a digest, or is known already (delivery.md, "How", 5). Pure.
//!
//! Told at once, whatever the hour: a rise to significant or extreme, a rise above a level that was told in this episode, and
//! lost or returned sight of a significant or extreme level. The rest waits until quiet hours and snooze are over.

use crate::notice::{HeldBy, NoticeReason, WatchPoint, compose};
use crate::threat::{Episode, Level};
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

/// Degrees of longitude that the sun passes in an hour.
const DEGREES_AN_HOUR: f64 = 15.0;
/// Snooze and quiet hours may lead into each other this often before what is held is told all the same.
const LINKS_MAX: usize = 4;

/// What becomes of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is sent.
    Now,
    /// It waits for the digest.
    Until(Timestamp, HeldBy),
    /// Its owner has said to know it already, or it would take back what was never told.
    Never,
}

/// What decides about one notice.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The point.
    pub point: &'a WatchPoint,
    /// Its episode, brought up to date by `decide`; what was told in it before this notice.
    pub episode: &'a Episode,
    /// Why it would be sent.
    pub reason: NoticeReason,
    /// How much it is about: the level told, or the one that was lost from sight.
    pub level: Level,
    /// When what is held of this point already is due; `None` where nothing is.
    pub waiting: Option<(Timestamp, HeldBy)>,
    /// The instant.
    pub now: Timestamp,
}

/// What becomes of a notice, but for the owner's limit.
pub fn verdict(asked: Asked<'_>) -> Verdict {
    let Asked { point, episode, reason, level, waiting, now } = asked;
    let known = known(point, episode);
    let repeats = match reason {
        NoticeReason::Raised | NoticeReason::Lowered => level <= known,
        NoticeReason::AllClear
        | NoticeReason::WentBlind
        | NoticeReason::SeesAgain
        | NoticeReason::Test
        | NoticeReason::Digest
        | NoticeReason::Confirmation => false,
    };
    if repeats && known > Level::None {
        return Verdict::Never;
    }
    let told = episode.told_max.max(known);
    if breaks_through(reason, level, told) {
        return Verdict::Now;
    }
    let takes_back = matches!(reason, NoticeReason::Lowered | NoticeReason::AllClear | NoticeReason::SeesAgain);
    match (asleep_until(point, now), waiting) {
        (Some((until, by)), _) => Verdict::Until(until, by),
        // What came before it is told first, with it in the same digest.
        (None, Some((due, by))) => Verdict::Until(due.max(now), by),
        (None, None) if takes_back && told == Level::None => Verdict::Never,
        (None, None) => Verdict::Now,
    }
}

/// Whether nothing holds a notice: neither quiet hours nor snooze nor the owner's limit. `told` is the highest level that was
/// told in this episode.
pub fn breaks_through(reason: NoticeReason, level: Level, told: Level) -> bool {
    match reason {
        NoticeReason::Raised => level >= Level::Significant || (told > Level::None && level > told),
        NoticeReason::WentBlind | NoticeReason::SeesAgain => level >= Level::Significant,
        NoticeReason::Lowered | NoticeReason::AllClear => false,
        NoticeReason::Test | NoticeReason::Digest | NoticeReason::Confirmation => true,
    }
}

/// The level that the owner has said to know of, in this episode.
pub fn known(point: &WatchPoint, episode: &Episode) -> Level {
    let acknowledged = point.acknowledged.as_ref().filter(|acknowledged| acknowledged.episode == episode.id);
    acknowledged.map_or(Level::None, |acknowledged| acknowledged.level)
}

/// Whether a notice ends an acknowledgement: a new maximum is told, or it is over and may begin anew. `below`: the level is
/// below what is told.
pub fn reopens(reason: NoticeReason, level: Level, known: Level, below: bool) -> bool {
    match reason {
        NoticeReason::Raised => level > known,
        NoticeReason::AllClear => true,
        NoticeReason::WentBlind => below,
        NoticeReason::Lowered
        | NoticeReason::SeesAgain
        | NoticeReason::Test
        | NoticeReason::Digest
        | NoticeReason::Confirmation => false,
    }
}

/// Until when quiet hours and snooze hold what is held of a point, the later of them, and which it is. A snooze that ends in
/// quiet hours is followed by them.
pub fn asleep_until(point: &WatchPoint, now: Timestamp) -> Option<(Timestamp, HeldBy)> {
    let mut asleep: Option<(Timestamp, HeldBy)> = None;
    for _ in 0..LINKS_MAX {
        let from = asleep.map_or(now, |(until, _)| until);
        let snooze = point.snooze_until_utc.filter(|until| *until > from).map(|until| (until, HeldBy::Snooze));
        let quiet = point.quiet_hours.and_then(|hours| hours.end_after(from, Some(&zone(point))));
        let Some(next) = quiet.map(|until| (until, HeldBy::QuietHours)).into_iter().chain(snooze).max_by_key(|x| x.0)
        else {
            break;
        };
        asleep = Some(next);
    }
    asleep
}

/// The clock of a place. Where its zone is not known yet, the sun's: to take UTC for it would hold an afternoon's notices.
fn zone(point: &WatchPoint) -> TimeZone {
    compose::zone(point.time_zone.as_deref()).unwrap_or_else(|| {
        let hours = (point.at.lon() / DEGREES_AN_HOUR).round();
        // Rounded longitudes lie within a day.
        Offset::from_hours(hours as i8).map_or(TimeZone::UTC, TimeZone::fixed)
    })
}

#[cfg(test)]
mod tests;
