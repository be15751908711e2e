//! Whose turn it is: which of the deliveries that wait on one channel may go now, given those under way and those that are
//! backing off. Pure.
//!
//! Invariants: to one address they go one at a time, in the order of decision, so an address that hangs or backs off holds up
//! itself; owners take turns, so one owner's addresses, however many of them hang, hold up that owner.

use crate::notice::{Address, Delivery};
use crate::threat::later;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Of the places, one in so many is kept for owners to whom nothing is under way.
const KEPT_ONE_IN: usize = 4;

/// The longest wait that anything is asked to make: what a push service asks for beyond it is not believed, and what waits for
/// longer was written by a clock that ran ahead.
pub const WAIT_MAX: SignedDuration = SignedDuration::from_hours(1);

/// What goes on on a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnderWay {
    /// The addresses to which something is being sent, each with the owner of what is sent.
    to: BTreeMap<Address, String>,
    /// When owners had their last turn, counted in turns.
    last_turn: BTreeMap<String, u64>,
    turn: u64,
}

impl UnderWay {
    /// Something begins to be sent.
    pub fn begin(&mut self, to: Address, owner: String) {
        self.turn += 1;
        self.last_turn.insert(owner.clone(), self.turn);
        self.to.insert(to, owner);
    }

    /// What was sent there has ended.
    pub fn end(&mut self, to: &Address) {
        self.to.remove(to);
        if self.to.is_empty() {
            // Nobody waits for anybody: turns begin anew.
            self.last_turn.clear();
        }
    }

    /// Whether nothing is being sent.
    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }
}

/// A delivery that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its id.
    pub id: String,
    /// `Delivery::number`.
    pub number: u64,
    /// Whose it is.
    pub owner: String,
    /// Where it goes.
    pub to: Address,
    /// After this it is of no use.
    pub useful_until_utc: Timestamp,
    /// Failed tries so far.
    pub attempts: u32,
    /// Not to be tried before.
    pub not_before_utc: Option<Timestamp>,
}

impl Waiting {
    /// What of a row of the outbox matters here.
    pub fn of(delivery: &Delivery, attempts: u32, not_before_utc: Option<Timestamp>) -> Self {
        Self {
            id: delivery.id.clone(),
            number: delivery.number,
            owner: delivery.owner.clone(),
            to: delivery.address.clone(),
            useful_until_utc: delivery.useful_until_utc,
            attempts,
            not_before_utc,
        }
    }
}

/// What has to be done now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turns {
    /// Ids of those that nobody needs any more, in order of decision.
    pub too_late: Vec<String>,
    /// Ids of those that go now, at most one an address.
    pub go: Vec<String>,
    /// When there is something to do next, as far as only time has to pass.
    pub next_utc: Option<Timestamp>,
}

/// See the head of this file. `at_once` is how many may be under way. Of those that could go, the ones whose owners have the fewest
/// under way go first, then those whose owners had no turn for longest, and of an owner's the ones that have failed least: an
/// address that answers to nobody keeps the others waiting for a turn at most.
pub fn turns(waiting: &[Waiting], under_way: &UnderWay, at_once: usize, now: Timestamp) -> Turns {
    let mut turns = Turns::default();
    let mut order: Vec<&Waiting> = waiting.iter().filter(|row| !under_way.to.contains_key(&row.to)).collect();
    order.sort_unstable_by_key(|row| row.number);
    let mut ready: Vec<&Waiting> = Vec::new();
    let mut seen: BTreeSet<&Address> = BTreeSet::new();
    for row in order {
        if row.useful_until_utc <= now {
            turns.too_late.push(row.id.clone());
        } else if seen.insert(&row.to) {
            match row.not_before_utc.filter(|at| *at > now && *at <= later(now, WAIT_MAX)) {
                // It may become too late before it may go.
                Some(at) => turns.next_utc = sooner(turns.next_utc, at.min(row.useful_until_utc)),
                None => ready.push(row),
            }
        }
    }
    turns.go = places(ready, under_way, at_once);
    turns
}

/// Which of those that are ready, in order of decision, get the places that are free.
fn places(mut ready: Vec<&Waiting>, under_way: &UnderWay, at_once: usize) -> Vec<String> {
    let mut then = under_way.clone();
    let for_all = at_once - at_once / KEPT_ONE_IN;
    let mut go = Vec::new();
    while then.to.len() < at_once {
        let has = |row: &Waiting| then.to.values().filter(|owner| **owner == row.owner).count();
        let last = |row: &Waiting| then.last_turn.get(&row.owner).copied().unwrap_or(0);
        let only_kept = then.to.len() >= for_all;
        let may_go = ready.iter().enumerate().filter(|(_, row)| !only_kept || has(row) == 0);
        let chosen = may_go.min_by_key(|(index, row)| (has(row), last(row), row.attempts, *index));
        let Some((index, _)) = chosen else { break };
        let row = ready.remove(index);
        then.begin(row.to.clone(), row.owner.clone());
        go.push(row.id.clone());
    }
    go
}

fn sooner(known: Option<Timestamp>, at: Timestamp) -> Option<Timestamp> {
    Some(known.map_or(at, |known| known.min(at)))
}

#[cfg(test)]
mod tests;
