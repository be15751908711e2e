//! Faults, planted into books that agree: each count can fail.

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
        received: vec![received(1, INBOX, 1), received(3, INBOX, 2), received(2, BROWSER, 1), received(4, BROWSER, 2)],
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
