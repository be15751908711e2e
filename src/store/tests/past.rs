//! The past of one point is found among that of many, newest first, whatever the clock did.

use super::{at, decision, watching};
use crate::store::journal::JOURNAL_OF_POINT_MAX;
use crate::store::{Decision, Store};
use jiff::Timestamp;

#[test]
fn of_a_long_past_the_newest_entries_are_told_in_order() {
    let store = watching(&["a", "b"]);
    let many = JOURNAL_OF_POINT_MAX as i64 + 10;
    for n in 0..many {
        let changes = vec![super::judged("a", n), super::judged("b", n)];
        store.commit(&Decision { changes, ..Decision::default() }).unwrap();
    }
    let read = store.journal_of("a", Timestamp::MIN..=Timestamp::MAX).unwrap();
    let times: Vec<_> = read.iter().map(|entry| entry.change.at_utc).collect();
    assert_eq!(times, (10..many).map(at).collect::<Vec<_>>());
    assert_eq!(store.journal_of("c", Timestamp::MIN..=Timestamp::MAX).unwrap().rows, []);
}

#[test]
fn an_entry_from_before_the_clock_was_set_back_is_still_found() {
    let store = watching(&["a"]);
    for n in [0, 7_200, 3_600] {
        store.commit(&decision("a", &format!("d{n}"), n)).unwrap();
    }
    let read = store.journal_of("a", at(7_000)..=at(7_300)).unwrap();
    assert_eq!(read.iter().map(|entry| entry.change.at_utc).collect::<Vec<_>>(), [at(7_200)]);
}

#[test]
fn a_change_to_a_point_that_is_gone_brings_nothing_back() {
    let store = watching(&["a"]);
    let renamed = store.change_watch_point("a", |point| point.name = "new".into()).unwrap().unwrap();
    assert_eq!(store.watch_point("a").unwrap().unwrap(), renamed);
    store.remove_watch_point("a", at(9)).unwrap();
    assert_eq!(store.change_watch_point("a", |point| point.name = "again".into()), Ok(None));
    assert_eq!(store.watch_point("a"), Ok(None));
    assert_eq!(store.health().watch_points, 0);
}

/// Printed, not asserted: how long a look into a full journal takes, `cargo test --release --lib past -- --ignored`.
#[test]
#[ignore = "a measurement of half a minute"]
fn a_full_journal_is_looked_into() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    for n in 0..100 {
        store.put_watch_point(&super::point(&format!("wp_{n:03}"))).unwrap();
    }
    for round in 0..500 {
        let changes = (0..100).map(|n| {
            let mut judged = super::judged(&format!("wp_{n:03}"), round * 100 + n);
            let spot = crate::threat::BlindSpot {
                source: "mrms".into(),
                since_utc: Some(at(n)),
                why: "x".repeat(4_000),
                could_raise_to: crate::threat::Level::Extreme,
            };
            judged.change.assessment.blind_spots.push(spot);
            judged
        });
        store.commit(&Decision { changes: changes.collect(), ..Decision::default() }).unwrap();
    }
    drop(store);
    let store = Store::open(dir.path()).unwrap();
    for look in ["cold", "warm"] {
        let began = crate::clock::Stopwatch::start();
        let read = store.journal_of("wp_050", Timestamp::MIN..=Timestamp::MAX).unwrap();
        eprintln!("{look}: {} of {} entries in {:?}", read.rows.len(), store.health().journal_entries, began.elapsed());
    }
}
