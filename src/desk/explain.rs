//! Why a watch point stood at its level, and what was told of it: from the journal, the ledger, the outbox and what is held,
//! alone (levels.md, "Why, afterwards").
//!
//! Boundaries: ✓ `explain` is pure; `explained` asks the desk for what it needs. ✗ no wording (see `mcp::tools::watch`).

use super::{Desk, DeskError, PointHistory, WatchedPoint};
use crate::notice::{ChannelKind, Delivery, Fate, NoticeReason};
use crate::store::{JournalEntry, LedgerOutcome, LedgerRow, OutboxRow};
use crate::threat::{Level, later};
use jiff::{SignedDuration, Timestamp};

mod found;

pub use found::*;

/// Level changes and notices this close to the asked instant are told with it.
pub const AROUND: SignedDuration = SignedDuration::from_hours(1);
/// People name instants by the minute: an instant without seconds stands for its whole minute.
const MINUTE: SignedDuration = SignedDuration::from_millis(59_999);

/// The last instant that is meant by `at`.
pub fn through(at: Timestamp) -> Timestamp {
    let whole_minute = at.as_second().rem_euclid(60) == 0 && at.subsec_nanosecond() == 0;
    if whole_minute { later(at, MINUTE) } else { at }
}

/// How far ahead the next change is looked for, step by step, so that a long journal is not read whole.
const AHEAD: [SignedDuration; 4] =
    [AROUND, SignedDuration::from_hours(24), SignedDuration::from_hours(24 * 31), SignedDuration::from_hours(24 * 366)];

/// Asks the desk for the past of a point of `owner` and explains it; `None` when nothing is known of such a point.
///
/// # Errors
/// When the store fails.
pub async fn explained(
    desk: &dyn Desk,
    owner: &str,
    id: &str,
    at: Timestamp,
) -> Result<Option<Explanation>, DeskError> {
    let watched = desk.watched(owner).await?.into_iter().find(|watched| watched.point.id == id);
    let until = through(at);
    let to = later(until, AROUND);
    let mut history = desk.history(owner, id, later(at, -AROUND)..=to).await?;
    let standing = |history: &PointHistory| history.journal.iter().rfind(|e| e.change.at_utc <= until).cloned();
    if standing(&history).is_none() {
        // What stood had stood for longer.
        let earlier = desk.history(owner, id, Timestamp::MIN..=until).await?;
        if let Some(entry) = standing(&earlier) {
            history = desk.history(owner, id, entry.change.at_utc..=to).await?;
        }
    }
    if watched.is_none() && history.journal.is_empty() && history.ledger.is_empty() {
        let ever = desk.history(owner, id, Timestamp::MIN..=Timestamp::MAX).await?;
        if ever.journal.is_empty() && ever.ledger.is_empty() {
            return Ok(None);
        }
    }
    if watched.is_none() {
        // Where its watch ended is the last that was noted of what could be seen.
        let end = desk.history(owner, id, Timestamp::MAX..=Timestamp::MAX).await?.sights.pop();
        let noted = history.sights.last().map(|row| row.number);
        history.sights.extend(end.filter(|end| noted.is_none_or(|noted| end.number > noted)));
    }
    let mut ahead = AHEAD.into_iter();
    while history.journal.last().is_none_or(|last| last.change.at_utc <= until)
        && let Some(ahead) = ahead.next()
    {
        let after = later(until, SignedDuration::from_nanos(1));
        let next = desk.history(owner, id, after..=later(until, ahead)).await?.journal.into_iter().next();
        history.journal.extend(next);
    }
    // What was held is told by a digest when it is due.
    let held_until = history.journal.iter().filter_map(|entry| match entry.sequel.as_ref()?.fate {
        Fate::Held(_, due) => Some(later(due, AROUND)),
        Fate::Told(_) | Fate::Known(_) | Fate::Unasked => None,
    });
    if let Some(held_until) = held_until.max().filter(|held_until| *held_until > to) {
        let from = history.journal.first().map_or(at, |entry| entry.change.at_utc);
        history.ledger = desk.history(owner, id, from.min(later(at, -AROUND))..=held_until).await?.ledger;
    }
    Ok(Some(explain(id, watched.as_ref(), &history, at)))
}

/// Explains what stood at `at` from what is known of a point's past. `watched` while it is registered.
pub fn explain(id: &str, watched: Option<&WatchedPoint>, history: &PointHistory, at: Timestamp) -> Explanation {
    let entries = &history.journal;
    let until = through(at);
    let standing = entries.iter().rposition(|entry| entry.change.at_utc <= until);
    let step = |index: usize| {
        entries.get(index).map(|entry| self::step(id, entry, entries.get(index.saturating_add(1)), watched, history))
    };
    let near = |utc: Timestamp| utc >= later(at, -AROUND) && utc <= later(until, AROUND);
    let others = (0..entries.len()).filter(|index| Some(*index) != standing);
    let around: Vec<Step> = others.filter_map(step).filter(|step| near(step.change.at_utc)).collect();
    let made_by = standing.and_then(step);
    let mut told: Vec<&str> = Vec::new();
    for step in around.iter().chain(&made_by) {
        if let Telling::Decided(rows) | Telling::WasHeld(_, rows) = &step.telling {
            told.extend(rows.iter().map(|row| row.id.as_str()));
        }
    }
    let other_notices = sendings(id, history)
        .into_iter()
        .filter(|row| !told.contains(&row.id.as_str()) && (near(row.decided_utc) || near(row.settled_utc())))
        .collect();
    let end = if watched.is_none() { end(history) } else { None };
    let stood = match end {
        Some(end) if end.watched_until_utc() < at => Stood::Ended {
            left_at: standing.and_then(|index| entries.get(index)).map(|entry| (entry.change.to, entry.change.at_utc)),
        },
        _ => stood(entries, standing, watched, until),
    };
    Explanation {
        watch_point: id.to_owned(),
        name: watched.map(|watched| watched.point.name.clone()),
        at_utc: at,
        stood,
        end,
        made_by,
        around,
        other_notices,
        held: history.held.clone(),
        unseen: history
            .sights
            .iter()
            .rfind(|row| row.at_utc <= until && !row.is_end())
            .filter(|_| !matches!(stood, Stood::Ended { .. }))
            .map(|row| row.blind_spots.clone()),
        unreadable: history.unreadable,
    }
}

/// How the watch of a removed point ended: as noted, else after the last that is on record of it.
fn end(history: &PointHistory) -> Option<End> {
    if let Some(row) = history.sights.iter().find(|row| row.is_end()) {
        return Some(End::At(row.at_utc));
    }
    let sights = history.sights.iter().map(|row| row.at_utc);
    let journal = history.journal.iter().map(|entry| entry.change.at_utc);
    let ledger = history.ledger.iter().map(|row| row.delivery.decided_utc);
    sights.chain(journal).chain(ledger).max().map(End::AfterRecord)
}

fn stood(entries: &[JournalEntry], standing: Option<usize>, watched: Option<&WatchedPoint>, until: Timestamp) -> Stood {
    let next = entries.get(standing.map_or(0, |index| index.saturating_add(1))).map(|entry| &entry.change);
    let registered = watched.map(|watched| watched.point.created_utc);
    if let Some(from_utc) = registered.filter(|created| *created > until && standing.is_none()) {
        return Stood::NotWatched { from_utc };
    }
    match (standing.and_then(|index| entries.get(index)), next) {
        (Some(entry), next) => Stood::Journalled {
            level: entry.change.to,
            since_utc: entry.change.at_utc,
            until_utc: next.map(|next| next.at_utc),
        },
        (None, Some(next)) => Stood::LeftBy { level: next.from, until_utc: next.at_utc },
        (None, None) => match (registered, watched.and_then(|watched| watched.state.as_ref())) {
            // A level above none that nothing is journalled of: its entry is gone by age or number.
            (Some(_), Some(state)) if state.level > Level::None => Stood::Unknown,
            (Some(since_utc), _) => Stood::Quiet { since_utc },
            (None, _) => Stood::Unknown,
        },
    }
}

fn step(
    id: &str,
    entry: &JournalEntry,
    next: Option<&JournalEntry>,
    watched: Option<&WatchedPoint>,
    history: &PointHistory,
) -> Step {
    let terms = entry.basis.as_ref().map(|basis| basis.terms);
    let before_next = next.and_then(|next| Some((next.change.at_utc, next.basis.as_ref()?.before.as_ref()?)));
    // The state that stands is of this entry only while no other has come.
    let now = watched
        .and_then(|watched| watched.state.as_ref())
        .filter(|state| next.is_none() && state.since_utc == entry.change.at_utc && state.level == entry.change.to);
    let at_the_end = match (before_next, now) {
        (Some((at_utc, state)), _) => Some((at_utc, state)),
        (None, Some(state)) => {
            let last = state.supports.iter().map(|support| support.last_supported_utc).max();
            Some((last.unwrap_or(state.since_utc), state))
        }
        (None, None) => None,
    };
    Step {
        number: entry.number,
        change: entry.change.clone(),
        rules_version: entry.rules_version.clone(),
        hold: terms.map(|terms| terms.hold),
        settling: terms.is_some_and(|terms| terms.settling),
        again: again(entry),
        at_the_end: at_the_end.map(|(at_utc, state)| Stand {
            at_utc,
            supports: state.supports.clone(),
            blind_spots: state.blind_spots.clone(),
        }),
        sequel: entry.sequel.clone(),
        telling: telling(id, entry, history),
    }
}

fn again(entry: &JournalEntry) -> Again {
    let Some(basis) = &entry.basis else { return Again::NotKept };
    let change = &entry.change;
    let (assessment, moved) = basis.judge_again(&change.watch_point, change.at_utc);
    let bytes = |assessment, change| serde_json::to_vec(&(assessment, change)).ok();
    let same = bytes(&assessment, moved.as_ref()) == bytes(&change.assessment, Some(change));
    if same { Again::Same } else { Again::Differs(moved.map_or(change.from, |moved| moved.to)) }
}

fn telling(id: &str, entry: &JournalEntry, history: &PointHistory) -> Telling {
    let at = entry.change.at_utc;
    let all = sendings(id, history);
    let with_it = |row: &&Sending| {
        let of_change = !matches!(row.reason, NoticeReason::Digest | NoticeReason::Test | NoticeReason::Confirmation);
        row.decided_utc == at && of_change
    };
    let decided: Vec<Sending> = all.iter().filter(with_it).cloned().collect();
    if !decided.is_empty() {
        return Telling::Decided(decided);
    }
    if let Some(held) = history.held.iter().find(|held| held.decided_utc == at) {
        return Telling::Held(held.clone());
    }
    let Some(sequel) = &entry.sequel else { return Telling::Not(WhyNot::NotJournalled) };
    match sequel.fate {
        Fate::Told(_) => Telling::Decided(Vec::new()),
        Fate::Held(_, due) => {
            let digests = all.into_iter().filter(|row| row.reason == NoticeReason::Digest && row.decided_utc >= at);
            let first = digests.clone().map(|row| row.decided_utc).min();
            Telling::WasHeld(due, digests.filter(|row| Some(row.decided_utc) == first).collect())
        }
        Fate::Known(_) => Telling::Not(WhyNot::Known(sequel.acknowledged)),
        Fate::Unasked => {
            let min_level = sequel.min_level.max(Level::Marginal);
            let below = entry.change.from.max(entry.change.to) < min_level;
            Telling::Not(if below || entry.change.to > entry.change.from {
                WhyNot::Below(min_level)
            } else {
                WhyNot::NothingToTakeBack
            })
        }
    }
}

/// Every delivery that speaks of a point, in the order of decision.
fn sendings(id: &str, history: &PointHistory) -> Vec<Sending> {
    let settled = history.ledger.iter().map(|row| sending(id, &row.delivery, row.attempts, ended(row)));
    let pending = history.outbox.iter().map(|row| sending(id, &row.delivery, row.attempts, waits(row)));
    let mut all: Vec<Sending> = settled.chain(pending).collect();
    all.sort_by_key(|row| row.decided_utc);
    all
}

fn ended(row: &LedgerRow) -> Outcome {
    match &row.outcome {
        LedgerOutcome::Told(_) if row.delivery.address.kind == ChannelKind::None => Outcome::Recorded,
        LedgerOutcome::Told(receipt) => Outcome::Told(row.settled_utc, receipt.clone()),
        LedgerOutcome::Dead(why) | LedgerOutcome::Unwanted(why) => Outcome::Dead(row.settled_utc, why.clone()),
    }
}

fn waits(row: &OutboxRow) -> Outcome {
    match row.delivery.address.kind {
        ChannelKind::None => Outcome::Recorded,
        ChannelKind::Email | ChannelKind::WebPush => Outcome::Pending(row.last_error.clone(), row.not_before_utc),
    }
}

fn sending(id: &str, delivery: &Delivery, tries: u32, outcome: Outcome) -> Sending {
    Sending {
        id: delivery.id.clone(),
        address: delivery.address.clone(),
        reason: delivery.reason,
        level: delivery.level,
        subject: delivery.subject.clone(),
        decided_utc: delivery.decided_utc,
        together_with: delivery.watch_points.iter().filter(|other| *other != id).cloned().collect(),
        stands_in_for: delivery.stands_in_for.clone(),
        tries,
        outcome,
    }
}

impl Sending {
    /// When it was handed over or given up; else when it was decided.
    fn settled_utc(&self) -> Timestamp {
        match &self.outcome {
            Outcome::Told(at, _) | Outcome::Dead(at, _) => *at,
            Outcome::Recorded | Outcome::Pending(..) => self.decided_utc,
        }
    }
}

#[cfg(test)]
mod tests;
