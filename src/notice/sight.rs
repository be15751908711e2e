//! Who is told that the warnings feed is blind although nothing stands (delivery.md, "What is told": went_blind below the
//! level). Pure. Points at or above their level have a notice of their own: `decide`.

use crate::notice::book::Book;
use crate::notice::compose::sight::{SightEvent, sight};
use crate::notice::{Address, ChannelKind, Delivery, NoticeReason, OwnerSight, WatchPoint, deliver, hold, id};
use crate::threat::evidence::WARNINGS_USABLE_FOR;
use crate::threat::picture::Picture;
use crate::threat::start::SETTLE_FOR;
use crate::threat::{Level, later};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// How long the warnings feed must have been blind before owners are told.
pub const TOLD_AFTER: SignedDuration = SignedDuration::from_mins(30);
/// An owner is told at most once in this time.
pub const TOLD_EVERY: SignedDuration = SignedDuration::from_hours(24);

/// How the warnings feed is heard in this life of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hearing {
    /// When its last good poll was.
    LastAt(Timestamp),
    /// Never yet; since when nothing was heard.
    NotSince(Timestamp),
}

impl Hearing {
    fn silent_since(self) -> Timestamp {
        match self {
            Self::LastAt(at) | Self::NotSince(at) => at,
        }
    }
}

/// How the warnings feed is heard, where it is asked at all. A process that began amid a silence counts from what an earlier
/// life had heard, so that one that is started again and again still tells of it; but first it asks for itself.
pub fn hearing(picture: &Picture, asked: bool, started_utc: Timestamp, now: Timestamp) -> Option<Hearing> {
    let asks_still = now < later(started_utc, SETTLE_FOR);
    let before = picture.warnings.updated_utc.filter(|_| !asks_still);
    let never = || Hearing::NotSince(before.map_or(started_utc, |before| before.min(started_utc)));
    asked.then(|| picture.warnings.last_good_utc.map_or_else(never, Hearing::LastAt))
}

/// What owners have to be told now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OwnersTold {
    /// The messages.
    pub deliveries: Vec<Delivery>,
    /// What those owners have been told by that, by owner.
    pub sights: Vec<(String, OwnerSight)>,
}

/// One message to each owner who must know: that warnings have not been seen for half an hour or, where that is no longer so,
/// that they are again. `points` are all that are watched, with their levels. Where all of an owner's points sleep (quiet
/// hours, snooze) it waits until one wakes.
pub fn owners_told<'a>(
    points: impl Iterator<Item = (&'a WatchPoint, Level)>,
    hearing: Option<Hearing>,
    book: &Book,
    now: Timestamp,
) -> OwnersTold {
    let blind_since = hearing.map(Hearing::silent_since).filter(|since| now >= later(*since, TOLD_AFTER));
    // Between the last good poll and the half hour nothing is said either way. A start is no sight.
    let sees = matches!(hearing, Some(Hearing::LastAt(at)) if now < later(at, WARNINGS_USABLE_FOR));
    let mut told = OwnersTold::default();
    if blind_since.is_none() && !(sees && book.sights.values().any(|sight| sight.awaiting_sight)) {
        return told;
    }
    let mut owners: BTreeMap<&str, Vec<(&WatchPoint, Level)>> = BTreeMap::new();
    for (point, level) in points.filter(|(point, level)| *level < point.min_level.max(Level::Marginal)) {
        owners.entry(&point.owner).or_default().push((point, level));
    }
    for (owner, points) in owners {
        let sight = book.sights.get(owner).copied().unwrap_or_default();
        let Some((reason, next)) = due(sight, blind_since.is_some(), now) else { continue };
        let awake = points.iter().filter(|(point, _)| hold::asleep_until(point, now).is_none());
        let mut addresses: Vec<Address> = awake.clone().flat_map(|(point, _)| book.addresses(point)).collect();
        if awake.count() == 0 {
            continue;
        }
        addresses.sort_unstable();
        addresses.dedup();
        told.deliveries.extend(message(owner, &points, (reason, next), blind_since, addresses, now));
        told.sights.push((owner.to_owned(), next));
    }
    told
}

fn due(sight: OwnerSight, blind: bool, now: Timestamp) -> Option<(NoticeReason, OwnerSight)> {
    let lately = sight.told_blind_utc.is_some_and(|told| now < later(told, TOLD_EVERY));
    match blind {
        true if !lately => {
            Some((NoticeReason::WentBlind, OwnerSight { told_blind_utc: Some(now), awaiting_sight: true }))
        }
        false if sight.awaiting_sight => Some((NoticeReason::SeesAgain, OwnerSight { awaiting_sight: false, ..sight })),
        true | false => None,
    }
}

fn message(
    owner: &str,
    points: &[(&WatchPoint, Level)],
    (reason, next): (NoticeReason, OwnerSight),
    blind_since_utc: Option<Timestamp>,
    addresses: Vec<Address>,
    now: Timestamp,
) -> Vec<Delivery> {
    let told_utc = next.told_blind_utc.unwrap_or(now);
    let event = SightEvent { points: points.to_vec(), blind_since_utc, now };
    let mut watch_points: Vec<String> = points.iter().map(|(point, _)| point.id.clone()).collect();
    watch_points.sort_unstable();
    let words = sight(&event);
    let short = words.short.clone();
    let draft = Delivery {
        watch_points,
        owner: owner.to_owned(),
        reason,
        level: points.iter().map(|(_, level)| *level).max().unwrap_or_default(),
        episode: id::sight_episode(owner, told_utc),
        ..deliver::draft(words, now)
    };
    let answers = |address: &Address| {
        let threads = reason == NoticeReason::SeesAgain && address.kind == ChannelKind::Email;
        threads.then(|| id::sight_id(owner, NoticeReason::WentBlind, told_utc, address))
    };
    deliver::addressed(&draft, &short, addresses, |to| (id::sight_id(owner, reason, told_utc, to), answers(to)))
}

#[cfg(test)]
mod tests;
