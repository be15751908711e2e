//! The first minutes of a judgement: what is waited for before anything is judged, and before anything is lowered
//! (levels.md, "Change"); what an earlier life had heard.

use crate::observation::{NWS_WARNINGS, SourceName};
use crate::threat::later;
use crate::threat::picture::Picture;
use crate::warning::freshness::AHEAD_MAX;
use crate::warning::incidents::ABSENT_FOR;
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// After a start nothing is judged until every source was polled once, or this has passed: a feed that hangs must not keep a
/// warning waiting.
pub const OPENING_FOR: SignedDuration = SignedDuration::from_secs(5);
/// After a start nothing is lowered until every source was heard once, or this has passed.
pub const SETTLE_FOR: SignedDuration = SignedDuration::from_mins(2);

/// Whether the first answers of a start are still coming in, within a moment of each other: one judgement over all of them
/// tells more than a first one over whichever was quickest. `sources` are those that are asked, `began` is when they first were.
pub fn is_opening<'a>(
    picture: &Picture,
    mut sources: impl Iterator<Item = &'a SourceName>,
    began: Timestamp,
    now: Timestamp,
) -> bool {
    now < later(began, OPENING_FOR) && !sources.all(|name| picture.heard.contains_key(name))
}

/// Whether it is too early to lower anything: a picture that has just begun to fill lacks much that is there. `sources` are
/// those that are asked, `began` is when the picture began.
pub fn is_settling<'a>(
    picture: &Picture,
    sources: impl Iterator<Item = &'a SourceName>,
    began: Timestamp,
    now: Timestamp,
) -> bool {
    now < later(began, SETTLE_FOR) && !sources.into_iter().all(|name| has_told(picture, name))
}

/// Names and what is kept under them, where there is anything to keep yet.
pub type Remembered = [(&'static str, Option<String>); 4];

/// What a later life of the process has to know of what was heard in this one.
pub fn to_remember(picture: &Picture) -> Remembered {
    let text = |at: Option<Timestamp>| at.map(|at| at.to_string());
    [
        (WARNINGS_ACCEPTED, text(picture.warnings.updated_utc)),
        (WARNINGS_STANDING, picture.warnings.count_standing().map(|count| count.to_string())),
        (NEWEST_REPORTED, text(picture.newest_reported_utc())),
        // Once it is heard, that is kept too: as nothing.
        (WARNINGS_UNHEARD, Some(text(picture.unheard_since_utc).unwrap_or_default())),
    ]
}

/// Takes in what was kept under this name. Other names are none of ours, and what cannot be read is not known; nor is a time
/// ahead of the clock: the clock was wrong then, or a recorded day is run again from an earlier time.
pub fn remember(picture: &mut Picture, name: &str, kept: &str, now: Timestamp) {
    let at = kept.parse::<Timestamp>().ok().filter(|at| *at <= later(now, AHEAD_MAX));
    match (name, at) {
        (WARNINGS_ACCEPTED, Some(at)) => Arc::make_mut(&mut picture.warnings).remember_accepted(at),
        (WARNINGS_STANDING, _) => {
            kept.parse()
                .ok()
                .into_iter()
                .for_each(|count| Arc::make_mut(&mut picture.warnings).remember_standing(count));
        }
        (WARNINGS_UNHEARD, Some(at)) if picture.warnings.last_good_utc.is_none() => {
            picture.unheard_since_utc = Some(picture.unheard_since_utc.map_or(at, |known| known.min(at)));
        }
        (NEWEST_REPORTED, at) => picture.reported_before_utc = picture.reported_before_utc.max(at),
        _ => {}
    }
}

/// How new the newest accepted warnings were: an older copy is refused after a restart too.
const WARNINGS_ACCEPTED: &str = "nws_warnings.accepted";
/// How many incidents stood: a collection that was emptied meanwhile is doubted.
const WARNINGS_STANDING: &str = "nws_warnings.standing";
/// Since when processes asked for warnings in vain: one that is started again and again still tells that none can be seen. What
/// is kept under it is of no meaning once no process has run for a while.
pub const WARNINGS_UNHEARD: &str = "nws_warnings.unheard";
/// The newest event reported: a feed that was emptied meanwhile ends nothing.
const NEWEST_REPORTED: &str = "iem_reports.newest_event";

/// Whether a source has told what is there and what is not.
fn has_told(picture: &Picture, name: &SourceName) -> bool {
    let heard = picture.heard.get(name).is_some_and(|heard| heard.last_good_utc.is_some());
    // One poll of the warnings tells what is there, not what is gone: that takes two.
    let absence_seen = || picture.warnings.seen_whole_for().is_some_and(|span| span >= ABSENT_FOR);
    heard && (*name != NWS_WARNINGS || absence_seen())
}

#[cfg(test)]
mod tests;
