//! The books of a storm: what the journal says had to be told, what the ledger says was told, what the servers say they got.
//!
//! They are kept by different hands (the rules, the channel shells, servers of the test's), and must agree. That each count can
//! fail is shown below, by planted faults.

use crate::unwell::Received;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use stormbell::notice::book::Book;
use stormbell::notice::{Address, Browser, ChannelKind, Held, NoticeReason, WatchPoint};
use stormbell::store::{LedgerOutcome, LedgerRow, Store};
use stormbell::threat::{Level, LevelChange, PointState};

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

/// Faults, planted into books that agree.
mod planted {
    use super::*;
    use stormbell::geo::LatLon;
    use stormbell::notice::Delivery;
    use stormbell::threat::{Assessment, ChangeCause};

    const INBOX: usize = 0;
    const BROWSER: usize = 1;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_900_000_000 + 60 * minute).unwrap()
    }

    fn addresses() -> [Address; 2] {
        [
            Address { kind: ChannelKind::Email, to: "a@example.org".into() },
            Address { kind: ChannelKind::WebPush, to: "br_1".into() },
        ]
    }

    fn change(minute: i64, from: Level, to: Level) -> LevelChange {
        let assessment = Assessment {
            at_utc: at(minute),
            level: to,
            reasons: Vec::new(),
            lingering: Vec::new(),
            blind_spots: Vec::new(),
            hazards: Vec::new(),
        };
        let cause = if to > from { ChangeCause::Raised } else { ChangeCause::Lowered };
        let (supports, ended) = (Vec::new(), Vec::new());
        LevelChange { watch_point: "wp_1".into(), at_utc: at(minute), from, to, cause, supports, ended, assessment }
    }

    fn row(number: u64, to: usize, reason: NoticeReason, minute: i64) -> LedgerRow {
        let delivery = Delivery {
            id: format!("id {number}"),
            number,
            address: addresses()[to].clone(),
            watch_points: vec!["wp_1".into()],
            owner: "anna".into(),
            reason,
            level: Level::Elevated,
            episode: "ep_1".into(),
            thread_root: None,
            decided_utc: at(minute),
            useful_until_utc: at(minute + 360),
            evidence_utc: None,
            seen_utc: None,
            subject: "ELEVATED threat at home".into(),
            text: String::new(),
            html: String::new(),
            payload: String::new(),
            unsubscribe_url: None,
            stands_in_for: None,
        };
        LedgerRow { delivery, settled_utc: at(minute), outcome: LedgerOutcome::Told("250".into()), attempts: 1 }
    }

    fn received(number: u64, to: usize, begun: u64) -> Received {
        Received { to: addresses()[to].clone(), id: format!("id {number}"), begun }
    }

    /// A point that rose and came to rest, as its owner was told by mail and push.
    fn agreed() -> Books {
        let point = WatchPoint {
            id: "wp_1".into(),
            owner: "anna".into(),
            name: "home".into(),
            at: LatLon::in_conus(37.74, -98.21).unwrap(),
            min_level: Level::Elevated,
            addresses: vec![addresses()[INBOX].clone(), Address { kind: ChannelKind::WebPush, to: String::new() }],
            time_zone: None,
            created_utc: at(0),
            until_utc: None,
            client_token: None,
            waiting: Vec::new(),
            quiet_hours: None,
            snooze_until_utc: None,
            acknowledged: None,
        };
        let browser = Browser {
            id: "br_1".into(),
            owner: "anna".into(),
            endpoint: String::new(),
            p256dh: String::new(),
            auth: String::new(),
            label: String::new(),
            created_utc: at(0),
            refusals: 0,
        };
        Books {
            points: vec![point],
            states: BTreeMap::from([("wp_1".into(), PointState::quiet(at(2)))]),
            changes: vec![change(1, Level::None, Level::Elevated), change(2, Level::Elevated, Level::None)],
            ledger: vec![
                row(1, INBOX, NoticeReason::Raised, 1),
                row(2, BROWSER, NoticeReason::Raised, 1),
                row(3, INBOX, NoticeReason::AllClear, 2),
                row(4, BROWSER, NoticeReason::AllClear, 2),
            ],
            held: Vec::new(),
            pending: 0,
            received: vec![
                received(1, INBOX, 1),
                received(3, INBOX, 2),
                received(2, BROWSER, 1),
                received(4, BROWSER, 2),
            ],
            left: Vec::new(),
            browsers: browsers(vec![browser]),
        }
    }

    /// Lost, twice, out of order, after unsubscribing; and what was told again under the same id.
    fn found(plant: impl FnOnce(&mut Books)) -> ([usize; 4], usize) {
        let mut books = agreed();
        plant(&mut books);
        let counts = books.count();
        assert_eq!(counts.is_clean(), counts.details.is_empty(), "{counts}: {:#?}", counts.details);
        ([counts.lost, counts.twice, counts.out_of_order, counts.after_unsubscribe], counts.repeated)
    }

    #[test]
    fn books_that_agree_are_clean_and_what_is_allowed_is_no_fault() {
        assert_eq!(found(|_| {}), ([0; 4], 0));
        let again = found(|books| books.received.push(received(1, INBOX, 9)));
        assert_eq!(again, ([0; 4], 1), "told again under its id, after a crash, also after what came later");
        let before = found(|books| books.left.push(Left { address: addresses()[INBOX].clone(), at: 2 }));
        assert_eq!(before, ([0; 4], 0), "what began before it left");
        let waits = found(|books| {
            // Of a browser that was removed neither what waited nor what was under way is on record.
            books.left.push(Left { address: addresses()[BROWSER].clone(), at: 5 });
            books.ledger.remove(3);
        });
        assert_eq!(waits, ([0; 4], 0));
    }

    #[test]
    fn what_is_lost_is_counted() {
        assert_eq!(found(|books| books.pending = 1).0, [1, 0, 0, 0], "it still waits");
        for number in 0..4 {
            let never_came = found(|books| drop(books.received.remove(number)));
            assert_eq!(never_came.0, [1, 0, 0, 0], "the ledger says that it was told");
            let given_up = found(|books| books.ledger[number].outcome = LedgerOutcome::Dead("too late".into()));
            assert!(given_up.0[0] >= 1 && given_up.0[1..] == [0; 3], "{given_up:?}");
            let forgotten = found(|books| {
                let gone = books.ledger.remove(number).delivery;
                books.received.retain(|received| received.id != gone.id);
            });
            assert!(forgotten.0[0] >= 1 && forgotten.0[1..] == [0; 3], "never decided, or dropped: {forgotten:?}");
        }
        let not_on_record = found(|books| books.received.push(received(5, INBOX, 3)));
        assert_eq!(not_on_record.0, [1, 0, 0, 0]);
        let stale = found(|books| books.states.get_mut("wp_1").unwrap().level = Level::None);
        assert_eq!(stale.0, [0; 4]);
        let stale = found(|books| {
            books.changes.truncate(1);
            books.ledger.truncate(2);
            books.received.retain(|received| ["id 1", "id 2"].contains(&received.id.as_str()));
        });
        assert_eq!(stale.0, [2, 0, 0, 0], "both last heard of a level that does not stand");
    }

    #[test]
    fn what_is_told_twice_is_counted() {
        let other_id = found(|books| {
            books.ledger.push(row(5, INBOX, NoticeReason::AllClear, 2));
            books.received.push(received(5, INBOX, 3));
        });
        assert_eq!(other_id.0, [0, 1, 0, 0]);
        let decided_again = found(|books| {
            books.ledger.push(row(5, BROWSER, NoticeReason::AllClear, 3));
            books.received.push(received(5, BROWSER, 3));
        });
        assert_eq!(decided_again.0, [0, 1, 0, 0], "nothing changed then");
    }

    #[test]
    fn what_is_out_of_order_is_counted_for_each_address_alone() {
        assert_eq!(found(|books| books.received.swap(0, 1)).0, [0, 0, 1, 0]);
        assert_eq!(found(|books| books.received.swap(2, 3)).0, [0, 0, 1, 0]);
        assert_eq!(found(|books| books.received.rotate_left(2)).0, [0; 4], "the browser before the inbox");
    }

    #[test]
    fn what_comes_after_unsubscribing_is_counted() {
        for (who, kind) in [(INBOX, "unsubscribed"), (BROWSER, "removed")] {
            let late = found(|books| books.left.push(Left { address: addresses()[who].clone(), at: 1 }));
            assert_eq!(late.0, [0, 0, 0, 1], "{kind}");
        }
    }
}
