//! The books of a storm: what the journal says had to be told, what the ledger says was told, what the servers say they got.
//!
//! They are kept by different hands (the rules, the channel shells, servers of the test's), and must agree. That each count can
//! fail is shown by planted faults.

use crate::unwell::Received;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use stormbell::notice::book::Book;
use stormbell::notice::{Address, Browser, ChannelKind, Held, NoticeReason, WatchPoint};
use stormbell::store::{LedgerOutcome, LedgerRow, Store};
use stormbell::threat::{Level, LevelChange, PointState};

mod planted;

/// What the books do not agree on, and how much there was.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    pub notices: usize,
    /// Of those, pushed.
    pub pushed: usize,
    /// Under the same id.
    pub repeated: usize,
    pub dead: usize,
    pub stand_ins: usize,
    pub digests: usize,
    pub lost: usize,
    pub twice: usize,
    pub out_of_order: usize,
    pub after_unsubscribe: usize,
    pub details: Vec<String>,
}

impl Counts {
    pub fn is_clean(&self) -> bool {
        self.lost + self.twice + self.out_of_order + self.after_unsubscribe == 0
    }

    pub fn add(&mut self, more: &Self) {
        self.notices += more.notices;
        self.pushed += more.pushed;
        self.repeated += more.repeated;
        self.dead += more.dead;
        self.stand_ins += more.stand_ins;
        self.digests += more.digests;
        self.lost += more.lost;
        self.twice += more.twice;
        self.out_of_order += more.out_of_order;
        self.after_unsubscribe += more.after_unsubscribe;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} notices ({} pushed, {} digests, {} dead letters, {} stand-ins; {} told again under the same id): {} lost, {} \
             sent twice under different ids, {} out of order, {} after unsubscribing",
            self.notices,
            self.pushed,
            self.digests,
            self.dead,
            self.stand_ins,
            self.repeated,
            self.lost,
            self.twice,
            self.out_of_order,
            self.after_unsubscribe
        )
    }
}

/// An address that has unsubscribed, or a browser that was removed.
#[derive(Debug, Clone)]
pub struct Left {
    pub address: Address,
    /// The clock of its server then.
    pub at: u64,
}

/// See the head of this file.
pub struct Books {
    points: Vec<WatchPoint>,
    states: BTreeMap<String, PointState>,
    changes: Vec<LevelChange>,
    ledger: Vec<LedgerRow>,
    held: Vec<Held>,
    pending: usize,
    /// By server, each in order.
    received: Vec<Received>,
    left: Vec<Left>,
    browsers: Book,
}

impl Books {
    pub fn read(store: &Store, received: Vec<Received>, left: Vec<Left>) -> Self {
        Self {
            browsers: browsers(store.browsers().unwrap().rows),
            points: store.watch_points().unwrap().rows,
            states: store.states().unwrap().into_iter().collect(),
            changes: store.journal(None, 0, usize::MAX).unwrap().into_iter().map(|entry| entry.change).collect(),
            ledger: store.ledger(0, usize::MAX).unwrap().rows,
            held: store.held().unwrap().rows,
            pending: store.pending().unwrap().len(),
            received,
            left,
        }
    }

    pub fn count(&self) -> Counts {
        let mut counts = Counts { notices: self.ledger.len(), ..Counts::default() };
        let told_by = |kind: ChannelKind| move |row: &&LedgerRow| is_told(row) && row.delivery.address.kind == kind;
        counts.pushed = self.ledger.iter().filter(told_by(ChannelKind::WebPush)).count();
        counts.dead = self.ledger.iter().filter(|row| !is_told(row)).count();
        counts.stand_ins = self.ledger.iter().filter(|row| row.delivery.stands_in_for.is_some()).count();
        counts.digests = self.ledger.iter().filter(|row| row.delivery.reason == NoticeReason::Digest).count();
        let distinct: BTreeSet<(&Address, &str)> = self.received.iter().map(|r| (&r.to, r.id.as_str())).collect();
        counts.repeated = self.received.len() - distinct.len();
        self.lost(&distinct, &mut counts);
        self.twice(&mut counts);
        self.out_of_order(&mut counts);
        let late = |received: &&Received| self.left.iter().any(|l| l.address == received.to && received.begun > l.at);
        for received in self.received.iter().filter(late) {
            counts.after_unsubscribe += 1;
            counts.details.push(format!("after unsubscribing: {received:?}"));
        }
        counts
    }

    fn has_left(&self, address: &Address) -> bool {
        self.left.iter().any(|left| left.address == *address)
    }

    /// Where the notices of a point have to go: to what has not left, is not gone and is not refused.
    fn addresses(&self, point: &WatchPoint) -> Vec<Address> {
        let mut addresses = self.browsers.addresses(point);
        addresses.retain(|address| !self.has_left(address) && !is_refused(address));
        addresses
    }

    /// Everything that the journal calls for has been told to each address of its point, or waits in a digest; what the ledger
    /// says was told has come in; what was told last is true.
    fn lost(&self, came_in: &BTreeSet<(&Address, &str)>, counts: &mut Counts) {
        let mut lost = |what: String| {
            counts.lost += 1;
            counts.details.push(format!("lost: {what}"));
        };
        if self.pending > 0 {
            lost(format!("{} still pending", self.pending));
        }
        for row in self.ledger.iter().filter(|row| is_told(row) && row.delivery.address.kind != ChannelKind::None) {
            if !came_in.contains(&(&row.delivery.address, row.delivery.id.as_str())) {
                lost(format!("{} is in the ledger and never came in", row.delivery.id));
            }
        }
        for change in &self.changes {
            let Some(point) = self.points.iter().find(|point| point.id == change.watch_point) else { continue };
            let min_level = point.min_level.max(Level::Marginal);
            let called_for = if change.to > change.from { change.to >= min_level } else { change.from >= min_level };
            let is_held = self.held.iter().any(|row| row.watch_point == point.id && row.decided_utc == change.at_utc);
            if !called_for || is_held {
                continue;
            }
            for address in self.addresses(point) {
                let tells = |row: &&LedgerRow| self.tells(row, change) && row.delivery.address == address;
                match self.ledger.iter().find(tells) {
                    None => lost(format!(
                        "{} -> {} of {} at {} to {}",
                        change.from, change.to, point.name, change.at_utc, address.to
                    )),
                    Some(row) if !is_told(row) => {
                        lost(format!("{} to {} was given up: {:?}", row.delivery.id, address.to, row.outcome));
                    }
                    Some(_) => {}
                }
            }
        }
        for point in &self.points {
            let Some(state) = self.states.get(&point.id) else { continue };
            let min_level = point.min_level.max(Level::Marginal);
            for address in self.addresses(point) {
                let of_it = |row: &&LedgerRow| {
                    row.delivery.address == address && row.delivery.watch_points.contains(&point.id) && is_told(row)
                };
                let last = self.ledger.iter().filter(of_it).max_by_key(|row| row.delivery.number);
                let waits = self.held.iter().any(|row| row.watch_point == point.id);
                let Some(last) = last.filter(|_| !waits) else { continue };
                if last.delivery.reason == NoticeReason::Raised && state.level < min_level {
                    lost(format!("{} was last told that {} stands at {}", address.to, point.name, last.delivery.level));
                }
            }
        }
    }

    /// Whether a row tells of a change: decided with it, or a digest after it.
    fn tells(&self, row: &LedgerRow, change: &LevelChange) -> bool {
        let delivery = &row.delivery;
        let direct = delivery.decided_utc == change.at_utc && delivery.reason != NoticeReason::Digest;
        let later = delivery.decided_utc >= change.at_utc && delivery.reason == NoticeReason::Digest;
        delivery.watch_points.contains(&change.watch_point) && (direct || later)
    }

    /// One thing is told to one address under one id, and nothing is told that did not happen.
    fn twice(&self, counts: &mut Counts) {
        let mut told: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
        for row in &self.ledger {
            let delivery = &row.delivery;
            let what = (&delivery.address, &delivery.watch_points, delivery.decided_utc, delivery.reason.as_str());
            told.entry(what).or_default().insert(&delivery.id);
        }
        for (what, ids) in told.into_iter().filter(|(_, ids)| ids.len() > 1) {
            counts.twice += ids.len() - 1;
            counts.details.push(format!("twice: {what:?} as {ids:?}"));
        }
        let changed: BTreeSet<(&str, Timestamp)> =
            self.changes.iter().map(|change| (change.watch_point.as_str(), change.at_utc)).collect();
        for delivery in self.ledger.iter().map(|row| &row.delivery) {
            let moved =
                matches!(delivery.reason, NoticeReason::Raised | NoticeReason::Lowered | NoticeReason::AllClear);
            let happened = |id: &String| changed.contains(&(id.as_str(), delivery.decided_utc));
            if moved && !delivery.watch_points.iter().all(happened) {
                counts.twice += 1;
                counts.details.push(format!("told again: {} at {}", delivery.subject, delivery.decided_utc));
            }
        }
    }

    /// Each address gets its notices in the order of their decision.
    fn out_of_order(&self, counts: &mut Counts) {
        let numbers: BTreeMap<&str, u64> =
            self.ledger.iter().map(|row| (row.delivery.id.as_str(), row.delivery.number)).collect();
        let mut newest: BTreeMap<&Address, u64> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for received in &self.received {
            // What came in once may come in again at any time; what counts is when it first did.
            if !seen.insert((&received.to, received.id.as_str())) {
                continue;
            }
            let Some(number) = numbers.get(received.id.as_str()) else {
                // With a browser that is removed goes what waits for it, and what may have arrived is not known.
                if received.to.kind == ChannelKind::WebPush && self.has_left(&received.to) {
                    continue;
                }
                counts.lost += 1;
                counts.details.push(format!("came in and is in no ledger: {received:?}"));
                continue;
            };
            let newest = newest.entry(&received.to).or_default();
            if number < newest {
                counts.out_of_order += 1;
                counts.details.push(format!("out of order: {received:?} has number {number}, after {newest}"));
            }
            *newest = (*newest).max(*number);
        }
    }
}

fn is_told(row: &LedgerRow) -> bool {
    matches!(row.outcome, LedgerOutcome::Told(_))
}

fn is_refused(address: &Address) -> bool {
    address.to.starts_with("refused")
}

fn browsers(rows: Vec<Browser>) -> Book {
    let mut book = Book::default();
    book.set_browsers(rows);
    book
}
