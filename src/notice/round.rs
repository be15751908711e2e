//! One round of telling: of all that was decided at one instant, what goes out, what is held, and which digests are due. Pure;
//! what it says is one transaction (delivery.md, "How", 1 and 5).
//!
//! Invariants: what is held of a point is told before anything that did not break through; nothing is taken back that was
//! never told; a notice is sent, held, or known to its owner already.

use crate::notice::book::Book;
use crate::notice::deliver::{self, Evidence, Telling};
use crate::notice::held::HELD_PER_POINT_MAX;
use crate::notice::hold::{self, Asked, Verdict};
use crate::notice::{Acknowledged, Delivery, Held, HeldBy, NoticeReason, WatchPoint, heard, id};
use crate::threat::Level;
use jiff::Timestamp;
use std::collections::BTreeMap;

mod digests;

/// What a round works with.
pub struct Means<'a> {
    /// What is held, who has which browsers, who was told how much lately.
    pub book: &'a Book,
    /// What the picture knows of the evidence.
    pub evidence: &'a dyn Evidence,
    /// Notices that an owner may have within an hour, but for what breaks through.
    pub per_owner_hour: usize,
    /// The instant.
    pub now: Timestamp,
}

/// What a round decided, besides the episodes of its tellings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Round {
    /// What goes out, in order.
    pub deliveries: Vec<Delivery>,
    /// What is held, new or with another time.
    pub held: Vec<Held>,
    /// Ids of held notices that a digest tells, or that nobody needs any more.
    pub released: Vec<String>,
    /// Acknowledgements that are over, by watch point.
    pub reopened: Vec<(String, Acknowledged)>,
    /// The owner of each notice that went out, one a notice.
    pub told: Vec<String>,
}

impl Round {
    /// Brings a book up to date, once the round is committed.
    pub fn enter(&self, book: &mut Book, now: Timestamp) {
        self.held.iter().for_each(|row| book.hold(row.clone()));
        book.release(&self.released);
        self.told.iter().for_each(|owner| book.recent.note(owner, now));
        book.recent.forget(now);
    }
}

/// Whether something held of a point has to be looked at now: the digest is due, its time has changed, or the owner has said to
/// know of it.
pub fn needs_look(point: &WatchPoint, held: &[Held], now: Timestamp) -> bool {
    let due = due(point, held, now);
    !held.is_empty() && (due <= now || held.iter().any(|row| row.due_utc != due || is_known(point, row)))
}

/// Holds, releases and sends.
pub fn round(tellings: &mut [Telling], means: &Means<'_>) -> Round {
    let mut round = Round::default();
    let mut rows: BTreeMap<String, Vec<Held>> = BTreeMap::new();
    let mut sent = Vec::new();
    for (index, telling) in tellings.iter_mut().enumerate() {
        let mut own = means.book.held_of(&telling.point.id).to_vec();
        drop_known(telling, &mut own, means.book, &mut round);
        if let Some(reason) = telling.reason
            && gate(telling, reason, &mut own, means, &mut round)
        {
            sent.push(index);
        }
        renew_times(telling, &mut own, means.now, &mut round);
        if !own.is_empty() {
            rows.insert(telling.point.id.clone(), own);
        }
    }
    let mut recent = means.book.recent.clone();
    digests::tell_due(tellings, &mut rows, means, &mut round);
    round.told.iter().for_each(|owner| recent.note(owner, means.now));
    for group in deliver::groups(tellings, &sent, means.book) {
        let members: Vec<&Telling> = group.iter().filter_map(|index| tellings.get(*index)).collect();
        let Some((first, reason)) = members.first().and_then(|first| Some((*first, first.reason?))) else { continue };
        let owner = first.point.owner.clone();
        let is_sent = !first.addresses(means.book).is_empty();
        let full = recent.full_until(&owner, means.per_owner_hour, means.now);
        // Who came late hears of what stands once: to hold that back would only put it off.
        let passes = |telling: &&Telling| telling.is_for_latecomers() || breaks_through(telling, reason);
        let limited = full.filter(|_| is_sent && !members.iter().any(passes));
        if let Some(until) = limited {
            for index in group {
                let Some(telling) = tellings.get_mut(index) else { continue };
                let own = rows.entry(telling.point.id.clone()).or_default();
                hold_back(telling, reason, own, (until, HeldBy::OwnerLimit), means, &mut round);
            }
            continue;
        }
        let made = deliver::message(&members, reason, means.book, means.evidence, means.now);
        for index in group {
            let Some(telling) = tellings.get_mut(index) else { continue };
            let level = telling.state.level;
            telling.note(&made, means.now);
            if let Some(episode) = telling.state.episode.as_mut() {
                episode.told_max = episode.told_max.max(level);
            }
            // What else is held of this point is told later: there it stands in its place.
            if let Some(own) = rows.get_mut(&telling.point.id).filter(|own| !own.is_empty()) {
                let (due, by) = waiting(&telling.point, own, means.now).unwrap_or((means.now, HeldBy::QuietHours));
                let row = Held { told: true, ..row(telling, reason, (due, by), means) };
                keep(row, own, &mut round);
            }
        }
        if is_sent {
            recent.note(&owner, means.now);
            round.told.push(owner);
        }
        round.deliveries.extend(made);
    }
    round
}

/// Whether a notice goes out now. One that does not is held, or known.
fn gate(
    telling: &mut Telling,
    reason: NoticeReason,
    own: &mut Vec<Held>,
    means: &Means<'_>,
    round: &mut Round,
) -> bool {
    let recorded = telling.addresses(means.book).is_empty();
    let Some(episode) = telling.state.episode.as_ref() else { return false };
    let asked = Asked {
        point: &telling.point,
        episode,
        reason,
        level: telling.weight(),
        waiting: waiting(&telling.point, own, means.now),
        now: means.now,
    };
    if telling.is_for_latecomers() {
        // Whoever has said to know of it was there before them. What would be held of it is told when it need not be any
        // more, if it still stands.
        let point = WatchPoint { acknowledged: None, ..telling.point.clone() };
        return hold::verdict(Asked { point: &point, ..asked }) == Verdict::Now && !recorded;
    }
    let verdict = hold::verdict(asked);
    let known = hold::known(&telling.point, episode);
    if let Some(acknowledged) = &telling.point.acknowledged
        && (acknowledged.episode != episode.id || hold::reopens(reason, telling.state.level, known, telling.is_below()))
    {
        round.reopened.push((telling.point.id.clone(), acknowledged.clone()));
    }
    match verdict {
        Verdict::Now => true,
        // Nobody is woken by what is only recorded.
        Verdict::Until(..) if recorded => true,
        Verdict::Until(due, by) => {
            hold_back(telling, reason, own, (due, by), means, round);
            false
        }
        Verdict::Never => {
            if let Some(episode) = telling.state.episode.as_mut().filter(|_| telling.change.is_none()) {
                episode.last_deliveries.clear();
            }
            false
        }
    }
}

fn breaks_through(telling: &Telling, reason: NoticeReason) -> bool {
    let Some(episode) = telling.state.episode.as_ref() else { return true };
    let told = episode.told_max.max(hold::known(&telling.point, episode));
    hold::breaks_through(reason, telling.weight(), told)
}

/// When all that is held of a point is due, and what holds it.
fn waiting(point: &WatchPoint, own: &[Held], now: Timestamp) -> Option<(Timestamp, HeldBy)> {
    let last = own.iter().filter(|row| !row.told).max_by_key(|row| row.due_utc)?;
    Some((due(point, own, now), last.held_by))
}

/// When all that is held of a point is due: its quiet hours or its snooze may be others by now.
fn due(point: &WatchPoint, own: &[Held], now: Timestamp) -> Timestamp {
    match hold::asleep_until(point, now) {
        Some((until, _)) => until,
        None => {
            let limited = own.iter().filter(|row| row.held_by == HeldBy::OwnerLimit).map(|row| row.due_utc);
            // Past or present: due.
            limited.max().unwrap_or_else(|| own.iter().map(|row| row.due_utc.min(now)).max().unwrap_or(now))
        }
    }
}

fn hold_back(
    telling: &mut Telling,
    reason: NoticeReason,
    own: &mut Vec<Held>,
    (due, by): (Timestamp, HeldBy),
    means: &Means<'_>,
    round: &mut Round,
) {
    let row = row(telling, reason, (due, by), means);
    if let Some(episode) = telling.state.episode.as_mut() {
        episode.last_decided_utc = Some(means.now);
        heard::is_held(episode, &row);
    }
    keep(row, own, round);
}

fn keep(row: Held, own: &mut Vec<Held>, round: &mut Round) {
    if own.len() >= HELD_PER_POINT_MAX {
        // The first of all says how it began.
        let next = own.remove(usize::from(own.len() > 1));
        round.held.retain(|row| row.id != next.id);
        round.released.push(next.id);
    }
    own.push(row.clone());
    round.held.push(row);
}

fn row(telling: &Telling, reason: NoticeReason, (due_utc, held_by): (Timestamp, HeldBy), means: &Means<'_>) -> Held {
    let (episode, sequence) = telling.state.episode.as_ref().map_or((String::new(), 0), |e| (e.id.clone(), e.sequence));
    Held {
        id: id::held_id(&telling.point.id, &episode, sequence),
        owner: telling.point.owner.clone(),
        watch_point: telling.point.id.clone(),
        reason,
        level: telling.state.level,
        decided_utc: means.now,
        due_utc,
        subject: deliver::words(&[telling], reason, means.evidence, means.now).subject,
        episode,
        held_by,
        told: false,
        heard: telling.state.episode.iter().flat_map(|episode| &episode.told).map(|(to, _)| to.clone()).collect(),
    }
}

/// Whether the owner has said to know of what a row would tell.
fn is_known(point: &WatchPoint, row: &Held) -> bool {
    let acknowledged = point.acknowledged.as_ref().filter(|known| known.episode == row.episode);
    let repeats = matches!(row.reason, NoticeReason::Raised | NoticeReason::Lowered);
    acknowledged.is_some_and(|known| repeats && row.level <= known.level && row.decided_utc <= known.at_utc)
}

/// Lets go of what the owner knows, and of what is left when nothing untold is.
fn drop_known(telling: &mut Telling, own: &mut Vec<Held>, book: &Book, round: &mut Round) {
    let (dropped, kept): (Vec<Held>, Vec<Held>) =
        std::mem::take(own).into_iter().partition(|row| is_known(&telling.point, row));
    let (kept, idle) = if kept.iter().all(|row| row.told) { (Vec::new(), kept) } else { (kept, Vec::new()) };
    *own = kept;
    let known = dropped.len();
    let gone: Vec<Held> = dropped.into_iter().chain(idle).collect();
    if let Some(episode) = telling.state.episode.as_mut().filter(|_| known > 0) {
        heard::is_known(episode, &gone, &book.addresses(&telling.point));
    }
    round.released.extend(gone.into_iter().map(|row| row.id));
}

/// Brings the times of what is held up to date.
fn renew_times(telling: &Telling, own: &mut [Held], now: Timestamp, round: &mut Round) {
    let due = due(&telling.point, own, now);
    for row in own.iter_mut().filter(|row| due > now && row.due_utc != due) {
        row.due_utc = due;
        round.held.retain(|known| known.id != row.id);
        round.held.push(row.clone());
    }
}

/// The level that a person is told of by `told` rows and by the level that stands.
fn highest(own: &[Held], standing: Level) -> Level {
    own.iter().map(|row| row.level).chain([standing]).max().unwrap_or(standing)
}

#[cfg(test)]
mod tests;
