//! Who is told that the warnings feed is blind (delivery.md, "What is told": went_blind below the level). Pure. A point at its
//! level, all of which is out of sight, has a notice of its own: `decide`. One that stands by something that is still seen (the
//! day's outlook, a warning that runs on) has none, and belongs here as well: a new warning would not be noticed there either.

use crate::notice::book::Book;
use crate::notice::compose::sight::{SightEvent, sight};
use crate::notice::compose::stand_in::without_browser;
use crate::notice::{Address, ChannelKind, Delivery, NoticeReason, OwnerSight, WatchPoint, deliver, heard, hold, id};
use crate::observation::NWS_WARNINGS;
use crate::threat::evidence::{Sight, WARNINGS_USABLE_FOR, warnings_sight};
use crate::threat::picture::Picture;
use crate::threat::start::SETTLE_FOR;
use crate::threat::{Level, PointState, later};
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// How long the warnings feed must have been blind before owners are told.
pub const TOLD_AFTER: SignedDuration = SignedDuration::from_mins(30);
/// An owner is told at most once in this time.
pub const TOLD_EVERY: SignedDuration = SignedDuration::from_hours(24);

/// How the warnings feed is heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hearing {
    /// Whole, and lately.
    Whole,
    /// Nothing that can be relied on since then.
    NotSince(Timestamp),
    /// It is heard, but not whole since then: a part cannot be read.
    InPartSince(Timestamp),
}

impl Hearing {
    /// Since when a warning could have been missed.
    fn blind_since(self) -> Option<Timestamp> {
        match self {
            Self::Whole => None,
            Self::NotSince(at) | Self::InPartSince(at) => Some(at),
        }
    }
}

/// How the warnings feed is heard; `None` where it is not asked. As levels see it: what they take for blind is told as blind. A
/// process that began amid a silence counts from what an earlier life had heard; but first it asks for a while itself, and
/// where it is started again and again, all those that have heard nothing count as one.
pub fn hearing(picture: &Picture, started_utc: Timestamp, now: Timestamp) -> Option<Hearing> {
    let since_utc = match warnings_sight(picture, now) {
        Sight::Off => return None,
        Sight::Clear => return Some(Hearing::Whole),
        Sight::Blind { since_utc, .. } => since_utc,
    };
    let warnings = &picture.warnings;
    // A part that could not be read before all of it went counts as well.
    let whole = || warnings.last_whole_utc().unwrap_or(started_utc);
    let in_this_life = since_utc.filter(|_| warnings.last_good_utc.is_some());
    let in_this_life = in_this_life.map(|since| if warnings.unread() > 0 { since.min(whole()) } else { since });
    if warnings.last_good_utc.is_some_and(|good| now < later(good, WARNINGS_USABLE_FOR)) && warnings.unread() > 0 {
        return Some(Hearing::InPartSince(whole()));
    }
    let in_vain = picture.unheard_since_utc.filter(|_| picture.heard.contains_key(&NWS_WARNINGS));
    let asks_still = now < later(in_vain.map_or(started_utc, |since| since.min(started_utc)), SETTLE_FOR);
    let before = warnings.updated_utc.filter(|_| !asks_still);
    let never = || before.map_or(started_utc, |before| before.min(started_utc));
    Some(Hearing::NotSince(in_this_life.unwrap_or_else(never)))
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
/// that they are again. `points` are all that are watched, with what stands. It waits until a point is awake (quiet hours,
/// snooze) that leads to somebody; to an owner none of whose points has or awaits an address it is only recorded.
pub fn owners_told<'a>(
    points: impl Iterator<Item = (&'a WatchPoint, Option<&'a PointState>)>,
    hearing: Option<Hearing>,
    book: &Book,
    now: Timestamp,
) -> OwnersTold {
    let told_after = |hearing: &Hearing| hearing.blind_since().is_some_and(|since| now >= later(since, TOLD_AFTER));
    let blind = hearing.filter(told_after);
    // Between the last good poll and the half hour nothing is said either way. A start is no sight.
    let sees = hearing == Some(Hearing::Whole);
    let mut told = OwnersTold::default();
    if blind.is_none() && !(sees && book.sights.values().any(|sight| !sight.awaiting.is_empty())) {
        return told;
    }
    let mut owners: BTreeMap<&str, Vec<(&WatchPoint, Level)>> = BTreeMap::new();
    let mut reachable: BTreeSet<&str> = BTreeSet::new();
    let mut own: BTreeSet<&str> = BTreeSet::new();
    for (point, state) in points {
        if !point.waiting.is_empty() || !book.addresses(point).is_empty() {
            reachable.insert(&point.owner);
        }
        if state.is_some_and(|state| has_own_notice(point, state)) {
            own.insert(&point.id);
        }
        let level = state.map_or(Level::None, |state| state.level);
        owners.entry(&point.owner).or_default().push((point, level));
    }
    for (owner, all) in owners {
        // Where all are at their level by now, that warnings are seen again is told all the same.
        let is_named = |(point, level): &(&WatchPoint, Level)| match blind {
            Some(_) => !own.contains(point.id.as_str()),
            None => *level < point.min_level.max(Level::Marginal),
        };
        let named: Vec<(&WatchPoint, Level)> = all.iter().copied().filter(is_named).collect();
        let points = if named.is_empty() && blind.is_none() { all } else { named };
        let sight = book.sights.get(owner).cloned().unwrap_or_default();
        let awake: Vec<&WatchPoint> =
            points.iter().map(|(point, _)| *point).filter(|point| hold::asleep_until(point, now).is_none()).collect();
        let mut addresses: Vec<Address> = awake.iter().flat_map(|point| book.addresses(point)).collect();
        if awake.is_empty() || (addresses.is_empty() && reachable.contains(owner)) {
            continue;
        }
        addresses.sort_unstable();
        addresses.dedup();
        let mut reached: BTreeSet<String> =
            points.iter().flat_map(|(point, _)| book.addresses(point)).map(|address| address.text()).collect();
        // Told in place of another: no point names them.
        let elsewhere =
            |address: &Address| sight.awaiting.contains(&address.text()) && !reached.contains(&address.text());
        let elsewhere: Vec<Address> = book.all_of(owner).filter(elsewhere).collect();
        let due = match blind {
            Some(_) => went_blind(&sight, addresses, now),
            None => {
                addresses.extend(elsewhere.iter().cloned());
                reached.extend(elsewhere.iter().map(Address::text));
                sees_again(&sight, addresses, &reached)
            }
        };
        let Some(Due { reason, to: addresses, next }) = due else { continue };
        let stranded = awake.iter().filter(|point| !addresses.is_empty() && book.is_stranded(point));
        let stranded: Vec<String> = stranded.map(|point| point.name.clone()).collect();
        let told_blind_utc = next.told_blind_utc.unwrap_or(now);
        let follows = |to: Address| (to.clone(), id::sight_id(owner, NoticeReason::WentBlind, told_blind_utc, &to));
        let made = message(owner, &points, (reason, &next), blind, (addresses, &stranded), now);
        told.deliveries.extend(deliver::elsewhere(made, elsewhere.into_iter().map(follows).collect()));
        told.sights.push((owner.to_owned(), next));
    }
    told
}

/// Whether lost sight of what stands at a point is told by a notice about that point.
fn has_own_notice(point: &WatchPoint, state: &PointState) -> bool {
    let episode = state.episode.as_ref();
    // Once an episode: what goes out of sight again has none.
    let is_to_come = state.blind_since_utc.is_some() && !episode.is_some_and(|episode| episode.told_blind);
    let is_told = episode.is_some_and(|episode| episode.awaiting_sight);
    state.level >= point.min_level.max(Level::Marginal) && (is_told || is_to_come)
}

/// Notes where a message that warnings cannot be seen has gone: it was given up at one address, and went to those of `stand_ins`.
/// False where that changes nothing.
pub fn given_up(sight: &mut OwnerSight, failed: &Delivery, stand_ins: &[Delivery]) -> bool {
    let episode = sight.told_blind_utc.map(|told| id::sight_episode(&failed.owner, told));
    if failed.reason != NoticeReason::WentBlind || episode.as_ref() != Some(&failed.episode) {
        return false;
    }
    let kept = sight.awaiting.iter().filter(|to| **to != failed.address.text()).cloned();
    let awaiting: BTreeSet<String> = kept.chain(stand_ins.iter().map(|delivery| delivery.address.text())).collect();
    let before = std::mem::replace(&mut sight.awaiting, awaiting.into_iter().collect());
    sight.awaiting != before
}

/// Forgets that an address was told that warnings cannot be seen, which was taken off a point between `before` and `after`, where
/// none of the owner's `others` names it. False where that changes nothing.
pub fn taken_off<'a>(
    sight: &mut OwnerSight,
    before: &WatchPoint,
    after: &'a WatchPoint,
    others: impl Iterator<Item = &'a WatchPoint>,
) -> bool {
    let is_gone = heard::taken_from(before, after);
    let named: BTreeSet<String> = others.chain([after]).flat_map(|point| &point.addresses).map(Address::text).collect();
    let all_browsers = Address { kind: ChannelKind::WebPush, to: String::new() }.text();
    let is_named = |to: &str| named.contains(to) || (to.starts_with(&all_browsers) && named.contains(&all_browsers));
    let before = sight.awaiting.len();
    sight.awaiting.retain(|to| !is_gone(to) || is_named(to));
    sight.awaiting.len() < before
}

/// What an owner has to be told, where, and what stands of it then.
struct Due {
    reason: NoticeReason,
    to: Vec<Address>,
    next: OwnerSight,
}

/// `awake` are the addresses of points that are awake; none: it is only recorded.
fn went_blind(sight: &OwnerSight, awake: Vec<Address>, now: Timestamp) -> Option<Due> {
    let lately = sight.told_blind_utc.is_some_and(|told| now < later(told, TOLD_EVERY));
    let told =
        if awake.is_empty() { vec![Address::nobody().text()] } else { awake.iter().map(Address::text).collect() };
    let awaiting: BTreeSet<String> = sight.awaiting.iter().cloned().chain(told).collect();
    let next = OwnerSight { told_blind_utc: Some(now), awaiting: awaiting.into_iter().collect() };
    (!lately).then_some(Due { reason: NoticeReason::WentBlind, to: awake, next })
}

/// It goes to those who were told that nothing is seen, and to each when a point of theirs is awake. `reached` are the addresses
/// (`Address::text`) of all points, asleep ones too: who is no longer among them is waited for no more.
fn sees_again(sight: &OwnerSight, awake: Vec<Address>, reached: &BTreeSet<String>) -> Option<Due> {
    let to: Vec<Address> = awake.into_iter().filter(|address| sight.awaiting.contains(&address.text())).collect();
    let told: BTreeSet<String> = to.iter().map(Address::text).collect();
    let is_recorded = to.is_empty() && sight.awaiting.contains(&Address::nobody().text());
    let awaiting = sight.awaiting.iter().filter(|waits| reached.contains(*waits) && !told.contains(*waits));
    let next = OwnerSight { awaiting: awaiting.cloned().collect(), ..*sight };
    (!to.is_empty() || is_recorded).then_some(Due { reason: NoticeReason::SeesAgain, to, next })
}

fn message(
    owner: &str,
    points: &[(&WatchPoint, Level)],
    (reason, next): (NoticeReason, &OwnerSight),
    blind: Option<Hearing>,
    (addresses, stranded): (Vec<Address>, &[String]),
    now: Timestamp,
) -> Vec<Delivery> {
    let told_utc = next.told_blind_utc.unwrap_or(now);
    let event = SightEvent { points: points.to_vec(), blind, now };
    let mut watch_points: Vec<String> = points.iter().map(|(point, _)| point.id.clone()).collect();
    watch_points.sort_unstable();
    let words = without_browser(sight(&event), stranded);
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
