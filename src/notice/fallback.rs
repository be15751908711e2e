//! Who gets a notice that could not be delivered for good (delivery.md, "How", 4): its owner's other proven channels. Pure.
//!
//! Invariants: an address gets a notice once, whoever failed before; nothing goes to an address that was tried already; no
//! address hears of something older than what it knows of the same points.

use crate::notice::compose::stand_in::stand_in;
use crate::notice::{Address, ChannelKind, Delivery, NoticeReason, id};
use crate::threat::{PointState, later};
use jiff::{SignedDuration, Timestamp};

/// A notice that nobody got while it was of use is of use for this long at another address.
const USEFUL_ONCE_MORE: SignedDuration = SignedDuration::from_hours(1);

/// Why a delivery is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUp {
    /// Refused for good.
    Refused,
    /// Its useful life is over.
    TooLate,
}

/// What became of another delivery of the same owner, so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Other {
    /// The delivery.
    pub delivery: Delivery,
    /// False for a dead letter.
    pub is_alive: bool,
}

/// Whether two deliveries are of one notice; a stand-in is of the notice that it stands in for.
pub fn is_of_one_notice(a: &Delivery, b: &Delivery) -> bool {
    a.owner == b.owner && a.episode == b.episode && a.reason == b.reason && a.decided_utc == b.decided_utc
}

/// Whether one delivery says what another says: it is of the same notice, or told who came late of the same level.
fn says_the_same(a: &Delivery, b: &Delivery) -> bool {
    let raised = NoticeReason::Raised;
    let stands = |delivery: &Delivery| delivery.reason == raised && delivery.owner == a.owner;
    let is_of_it = || a.watch_points.iter().any(|id| b.watch_points.contains(id));
    is_of_one_notice(a, b) || (stands(a) && stands(b) && a.episode == b.episode && a.level == b.level && is_of_it())
}

/// What stands in for a delivery that is given up: one to each of `candidates` (the owner's proven addresses and browsers) that
/// has not got the notice. What takes something back goes only to those who were told of it. `others` are the owner's deliveries
/// that were decided in the hours before it and since; `why` is said in the words.
pub fn stand_ins(
    failed: &Delivery,
    given_up: GivenUp,
    why: &str,
    others: &[Other],
    candidates: &[Address],
    now: Timestamp,
) -> Vec<Delivery> {
    if matches!(failed.reason, NoticeReason::Test | NoticeReason::Confirmation)
        || failed.address.kind == ChannelKind::None
    {
        return Vec::new();
    }
    let siblings = || others.iter().filter(|other| is_of_one_notice(&other.delivery, failed));
    let got_by_another = siblings().any(|other| other.is_alive && other.delivery.id != failed.id);
    if given_up == GivenUp::TooLate && got_by_another {
        return Vec::new();
    }
    let is_there_already = |other: &Other| {
        let delivery = &other.delivery;
        is_of_one_notice(delivery, failed) || (other.is_alive && says_the_same(delivery, failed))
    };
    let tried = |to: &Address| {
        *to == failed.address || others.iter().any(|other| other.delivery.address == *to && is_there_already(other))
    };
    let takes_back = matches!(failed.reason, NoticeReason::Lowered | NoticeReason::AllClear | NoticeReason::SeesAgain);
    let was_told = |to: &Address| {
        let told = |other: &Other| other.is_alive && other.delivery.episode == failed.episode;
        others.iter().any(|other| other.delivery.address == *to && told(other))
    };
    let speaks_of_it = |other: &Delivery| other.watch_points.iter().any(|id| failed.watch_points.contains(id));
    let knows_better = |to: &Address| {
        others
            .iter()
            .map(|other| &other.delivery)
            .any(|other| other.address == *to && other.decided_utc > failed.decided_utc && speaks_of_it(other))
    };
    let (text, html) = stand_in(failed, why);
    let useful_until_utc = match given_up {
        GivenUp::Refused => failed.useful_until_utc,
        GivenUp::TooLate => failed.useful_until_utc.max(later(now, USEFUL_ONCE_MORE)),
    };
    let may_hear = |to: &Address| !takes_back || was_told(to);
    let wanting = candidates.iter().filter(|to| may_hear(to) && !tried(to) && !knows_better(to));
    let made = wanting.map(|to| Delivery {
        id: id::stand_in_id(failed, to),
        number: 0,
        address: to.clone(),
        thread_root: None,
        useful_until_utc,
        text: text.clone(),
        html: html.clone(),
        // Of another tag: its channel makes one of the text.
        payload: String::new(),
        unsubscribe_url: None,
        stands_in_for: Some(failed.stands_in_for.clone().unwrap_or_else(|| failed.id.clone())),
        ..failed.clone()
    });
    made.collect()
}

/// Notes in the episode of a point that an address hears of it by a stand-in: what comes next is not news there, and what is over
/// may be said there. False where the stand-in is of another point or episode.
pub fn heard(watch_point: &str, state: &mut PointState, stand_in: &Delivery) -> bool {
    let is_of_it = stand_in.watch_points.iter().any(|id| id == watch_point);
    let Some(episode) = state.episode.as_mut().filter(|episode| is_of_it && episode.id == stand_in.episode) else {
        return false;
    };
    let (to, id) = (stand_in.address.text(), stand_in.id.clone());
    if !episode.thread_roots.iter().any(|(known, _)| *known == to) {
        episode.thread_roots.push((to.clone(), id.clone()));
    }
    let last = &mut episode.last_deliveries;
    let is_newest = last.iter().any(|(_, id)| Some(id) == stand_in.stands_in_for.as_ref());
    if is_newest && !last.iter().any(|(known, _)| *known == to) {
        last.push((to, id));
    }
    true
}

#[cfg(test)]
mod tests;
