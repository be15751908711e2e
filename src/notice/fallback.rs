//! Who gets a notice that could not be delivered for good (delivery.md, "How", 4): its owner's other proven channels. Pure.
//!
//! Invariants: what somebody else of the owner's has got is not sent on; an address gets a notice once, whoever failed before;
//! nothing goes to an address that was tried already; no address hears of something older than what it knows of the same points.

use crate::notice::compose::stand_in::stand_in;
use crate::notice::{Address, ChannelKind, Delivery, NoticeReason, id};
use crate::threat::later;
use jiff::{SignedDuration, Timestamp};

/// A notice that nobody got while it was of use is of use for this long at another address.
const USEFUL_ONCE_MORE: SignedDuration = SignedDuration::from_hours(1);

/// How far back it is looked for what an address was told of an episode, before it stands in for another one.
pub const LOOKS_BACK: SignedDuration = SignedDuration::from_hours(12);

/// Why a delivery is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUp {
    /// Refused for good.
    Refused,
    /// Its useful life is over.
    TooLate,
}

/// What has become of a delivery so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It waits in the outbox.
    Waits,
    /// It was told.
    Told,
    /// It was given up, or is not wanted any more.
    Dead,
}

/// Another delivery of the same owner.
#[derive(Debug, Clone, PartialEq)]
pub struct Other {
    /// The delivery.
    pub delivery: Delivery,
    /// What has become of it.
    pub fate: Fate,
}

impl Other {
    fn is_alive(&self) -> bool {
        self.fate != Fate::Dead
    }
}

/// Whether two deliveries are of one notice; a stand-in is of the notice that it stands in for.
pub fn is_of_one_notice(a: &Delivery, b: &Delivery) -> bool {
    a.owner == b.owner && a.episode == b.episode && a.reason == b.reason && a.decided_utc == b.decided_utc
}

fn share_a_point(a: &Delivery, b: &Delivery) -> bool {
    a.watch_points.iter().any(|id| b.watch_points.contains(id))
}

/// Whether one delivery speaks of all points that another one speaks of.
fn covers(a: &Delivery, b: &Delivery) -> bool {
    b.watch_points.iter().all(|id| a.watch_points.contains(id))
}

/// Whether one delivery says all that another says: it is of the same notice, or told who came late of the same level.
fn says_the_same(a: &Delivery, b: &Delivery) -> bool {
    let raised = NoticeReason::Raised;
    let stands = |delivery: &Delivery| delivery.reason == raised && delivery.owner == a.owner;
    let is_late_telling = || stands(a) && stands(b) && a.episode == b.episode && a.level == b.level && covers(a, b);
    is_of_one_notice(a, b) || is_late_telling()
}

/// Whether somebody else has got the notice or, where it was given up only because its time was over, may still get it.
fn found_somebody(failed: &Delivery, given_up: GivenUp, others: &[Other]) -> bool {
    let finds = |fate: Fate| fate == Fate::Told || (fate == Fate::Waits && given_up == GivenUp::TooLate);
    others.iter().any(|other| is_of_one_notice(&other.delivery, failed) && finds(other.fate))
}

/// Whether an address that has been written to as in `before` (those of `others` that went to it) hears of a failed delivery:
/// it has not been tried with it, knows nothing newer of its points, and was told of what is taken back.
fn may_hear<'a>(failed: &Delivery, before: impl Iterator<Item = &'a Other>) -> bool {
    let mut last: Option<&Delivery> = None;
    for other in before.filter(|other| !is_asked_for(&other.delivery)) {
        let delivery = &other.delivery;
        let is_known = is_of_one_notice(delivery, failed) || (other.is_alive() && says_the_same(delivery, failed));
        if is_known || (delivery.decided_utc > failed.decided_utc && covers(delivery, failed)) {
            return false;
        }
        if other.is_alive() && share_a_point(delivery, failed) {
            last = last.filter(|last| last.decided_utc > delivery.decided_utc).or(Some(delivery));
        }
    }
    // Whatever was told last of its points, unless that was their end, is what it takes back.
    let knows_it_stands = |last: &&Delivery| last.reason != NoticeReason::AllClear;
    match last.filter(knows_it_stands) {
        // A lower level stands, and is news to who knows of none; a digest tells how it all went.
        None => !matches!(failed.reason, NoticeReason::AllClear | NoticeReason::SeesAgain),
        // The level that stands was told there, whichever way it was reached.
        Some(last) => {
            let stands_there = last.level == failed.level && last.episode == failed.episode && covers(last, failed);
            failed.reason != NoticeReason::Raised || !stands_there
        }
    }
}

/// Whether something newer about the same points waits for the address of a failed delivery: that one speaks, or is stood in for.
fn is_superseded(failed: &Delivery, others: &[Other]) -> bool {
    let follows = |other: &Delivery| {
        other.address == failed.address && other.decided_utc > failed.decided_utc && share_a_point(other, failed)
    };
    others.iter().any(|other| other.fate == Fate::Waits && follows(&other.delivery) && !is_asked_for(&other.delivery))
}

/// The deliveries that wait for the address of a failed one and tell the end of what was never told there: nobody needs them.
fn voided(failed: &Delivery, others: &[Other]) -> Vec<Delivery> {
    // A digest may tell of other points and other storms as well: it is left.
    let is_end = |other: &Delivery| other.reason == NoticeReason::AllClear;
    let there: Vec<&Other> =
        others.iter().filter(|other| other.delivery.address == failed.address && other.is_alive()).collect();
    // Of none of its points something stands that was told there.
    let is_idle = |end: &Delivery| {
        end.watch_points.iter().all(|point| {
            let before = there.iter().map(|other| &other.delivery);
            let before =
                before.filter(|other| other.decided_utc < end.decided_utc && other.watch_points.contains(point));
            let last = before.filter(|other| !is_asked_for(other)).max_by_key(|other| other.decided_utc);
            last.is_none_or(is_end)
        })
    };
    let ends = there.iter().filter(|other| other.fate == Fate::Waits && is_end(&other.delivery));
    let after = |end: &&Delivery| end.decided_utc > failed.decided_utc && share_a_point(end, failed);
    ends.map(|other| &other.delivery).filter(after).filter(|end| is_idle(end)).cloned().collect()
}

fn is_asked_for(delivery: &Delivery) -> bool {
    matches!(delivery.reason, NoticeReason::Test | NoticeReason::Confirmation)
}

/// What comes of a delivery that is given up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aftermath {
    /// What stands in for it.
    pub stand_ins: Vec<Delivery>,
    /// What waits for its address and is of no use any more.
    pub voided: Vec<Delivery>,
}

/// What comes of a delivery that is given up, for `why`. `decided` are the deliveries of the `LOOKS_BACK` before it and since, of
/// whomever; `candidates` the owner's proven addresses and browsers on channels that are open.
pub fn aftermath(
    failed: &Delivery,
    (given_up, why): (GivenUp, &str),
    decided: Vec<Other>,
    candidates: &[Address],
    now: Timestamp,
) -> Aftermath {
    let is_of_sight = id::is_sight_episode(&failed.episode);
    let is_another = |other: &Other| {
        let delivery = &other.delivery;
        // A message about sight names points, and tells of none.
        let is_alike = id::is_sight_episode(&delivery.episode) == is_of_sight;
        delivery.owner == failed.owner && delivery.id != failed.id && is_alike
    };
    let others: Vec<Other> = decided.into_iter().filter(is_another).collect();
    Aftermath {
        stand_ins: stand_ins(failed, (given_up, why), &others, candidates, now),
        voided: voided(failed, &others),
    }
}

/// What stands in for a delivery that is given up and has found nobody: one to each of `candidates` that may hear of it.
/// `others` are those of its owner; `why` is said in the words.
fn stand_ins(
    failed: &Delivery,
    (given_up, why): (GivenUp, &str),
    others: &[Other],
    candidates: &[Address],
    now: Timestamp,
) -> Vec<Delivery> {
    let is_of_no_use = is_asked_for(failed) || failed.address.kind == ChannelKind::None;
    if is_of_no_use || found_somebody(failed, given_up, others) || is_superseded(failed, others) {
        return Vec::new();
    }
    let (text, html) = stand_in(failed, why);
    let useful_until_utc = match given_up {
        GivenUp::Refused => failed.useful_until_utc,
        GivenUp::TooLate => failed.useful_until_utc.max(later(now, USEFUL_ONCE_MORE)),
    };
    let hears = |to: &&Address| {
        let before = others.iter().filter(|other| other.delivery.address == **to);
        **to != failed.address && may_hear(failed, before)
    };
    let hearing = candidates.iter().filter(hears);
    let made = hearing.map(|to| Delivery {
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

#[cfg(test)]
mod tests;
