//! Whose turn it is: which of the deliveries that wait on one channel may go now, given those under way and those that are
//! backing off. Pure.
//!
//! Invariants: to one address they go one at a time, in the order of decision, so an address that hangs or backs off holds up
//! itself; it holds up nobody else, but for the place it takes among those that are under way at once.

use crate::notice::{Address, Delivery};
use jiff::Timestamp;
use std::collections::BTreeSet;

/// A delivery that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its id.
    pub id: String,
    /// `Delivery::number`.
    pub number: u64,
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

/// See the head of this file. `under_way` are the addresses to which something is being sent; `at_once` is how many may be.
/// Of those that could go, the ones that have not failed yet go first: a few addresses that answer to nobody do not keep the
/// others waiting.
pub fn turns(waiting: &[Waiting], under_way: &BTreeSet<Address>, at_once: usize, now: Timestamp) -> Turns {
    let mut turns = Turns::default();
    let mut order: Vec<&Waiting> = waiting.iter().filter(|row| !under_way.contains(&row.to)).collect();
    order.sort_unstable_by_key(|row| row.number);
    let mut ready: Vec<&Waiting> = Vec::new();
    let mut seen: BTreeSet<&Address> = BTreeSet::new();
    for row in order {
        if row.useful_until_utc <= now {
            turns.too_late.push(row.id.clone());
        } else if seen.insert(&row.to) {
            match row.not_before_utc.filter(|at| *at > now) {
                // It may become too late before it may go.
                Some(at) => turns.next_utc = sooner(turns.next_utc, at.min(row.useful_until_utc)),
                None => ready.push(row),
            }
        }
    }
    ready.sort_by_key(|row| row.attempts > 0);
    let free = at_once.saturating_sub(under_way.len());
    turns.go = ready.into_iter().take(free).map(|row| row.id.clone()).collect();
    turns
}

fn sooner(known: Option<Timestamp>, at: Timestamp) -> Option<Timestamp> {
    Some(known.map_or(at, |known| known.min(at)))
}

#[cfg(test)]
mod tests;
