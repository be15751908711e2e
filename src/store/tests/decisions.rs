//! Decisions, numbering, the outbox and the ledger.

use super::{at, change, decision, delivery, judged, point, state, was_told, watching};
use crate::observation::{Fault, PlaceZones};
use crate::store::trees::In;
use crate::store::{Decision, LedgerOutcome, Settled, SourceState, SourceStatus, Store, StoreError};

fn told() -> LedgerOutcome {
    LedgerOutcome::Told("250 queued".to_owned())
}

#[test]
fn a_decision_is_numbered_and_read_back_whole() {
    let store = watching(&["a", "b"]);
    let first = store.commit(&decision("a", "d1", 1)).unwrap();
    let both = Decision {
        states: vec![("a".into(), state(2)), ("b".into(), state(2))],
        changes: vec![judged("b", 2), judged("a", 2)],
        deliveries: vec![delivery("zz", &["b"], 2), delivery("aa", &["a", "b"], 2)],
        high_water_utc: Some(at(2)),
        ..Decision::default()
    };
    let second = store.commit(&both).unwrap();
    assert_eq!(first.entries[0].number, 1);
    assert_eq!(second.entries.iter().map(|entry| entry.number).collect::<Vec<_>>(), [2, 3]);
    // The order of decision, not of ids.
    let pending = store.pending().unwrap();
    assert_eq!(pending.iter().map(|row| row.delivery.id.as_str()).collect::<Vec<_>>(), ["d1", "zz", "aa"]);
    assert_eq!(pending.iter().map(|row| row.delivery.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(pending.rows[1..], second.rows);
    assert_eq!(store.state("a").unwrap(), Some(state(2)));
    assert_eq!(store.states().unwrap().rows, [("a".to_owned(), state(2)), ("b".to_owned(), state(2))]);
    assert_eq!(store.high_water_utc().unwrap(), Some(at(2)));
    let of_a = store.journal(Some("a"), 0, 10).unwrap();
    assert_eq!(of_a.iter().map(|entry| entry.number).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(of_a[1].change, change("a", 2));
    assert_eq!(store.journal(None, 2, 1).unwrap().rows, second.entries[..1]);
}

#[test]
fn a_known_delivery_is_not_written_twice() {
    let store = watching(&["a"]);
    store.commit(&decision("a", "d1", 1)).unwrap();
    let again = store.commit(&decision("a", "d1", 2)).unwrap();
    assert_eq!((again.rows.len(), again.known.as_slice()), (0, ["d1".to_owned()].as_slice()));
    store.settle("d1", told(), at(3)).unwrap();
    let after = store.commit(&decision("a", "d1", 4)).unwrap();
    assert_eq!((after.rows.len(), after.known.len(), store.health().pending), (0, 1, 0));
    let twice =
        Decision { deliveries: vec![delivery("d2", &["a"], 5), delivery("d2", &["a"], 5)], ..Decision::default() };
    assert_eq!(store.commit(&twice).unwrap().rows.len(), 1);
    assert_eq!(store.pending_row("d2").unwrap().unwrap().delivery.number, 2, "no number is lost to a known one");
}

/// Field report A02: two senders, one idempotency key.
#[test]
fn settling_is_idempotent_and_the_first_outcome_stands() {
    let store = watching(&["a"]);
    store.commit(&decision("a", "d1", 1)).unwrap();
    assert!(store.retry_later("d1", 14, at(60), &"451 later ".repeat(200)).unwrap());
    let waiting = store.pending_row("d1").unwrap().unwrap();
    assert_eq!((waiting.attempts, waiting.not_before_utc), (14, Some(at(60))));
    assert!(waiting.last_error.unwrap().len() <= 500);
    let Settled::Now(row) = store.settle("d1", told(), at(61)).unwrap() else { panic!("not settled") };
    assert_eq!((row.attempts, row.settled_utc, row.delivery.number), (15, at(61), 1));
    let late = store.settle("d1", LedgerOutcome::Dead("550".into()), at(99)).unwrap();
    assert_eq!(late, Settled::Before(row.clone()));
    assert_eq!(store.ledger(0, 10).unwrap().rows, [row]);
    assert!(was_told(&store, "d1") && !was_told(&store, "d2"));
    assert_eq!(store.settle("d2", told(), at(99)).unwrap(), Settled::Unknown);
    assert!(!store.retry_later("d1", 1, at(99), "late").unwrap());
    let health = store.health();
    assert_eq!((health.pending, health.told, health.dead, health.journal_entries), (0, 1, 0, 1));
}

#[test]
fn a_dead_letter_was_not_told() {
    let store = watching(&["a"]);
    store.commit(&decision("a", "d1", 1)).unwrap();
    store.settle("d1", LedgerOutcome::Dead("550 no such user".into()), at(2)).unwrap();
    assert!(!was_told(&store, "d1"));
    assert_eq!((store.health().told, store.health().dead), (0, 1));
}

#[test]
fn removing_a_point_takes_its_state_and_its_notices_and_nothing_else() {
    let store = watching(&["a", "b"]);
    store.commit(&decision("a", "told", 1)).unwrap();
    store.settle("told", told(), at(2)).unwrap();
    let more = Decision {
        states: vec![("a".into(), state(3)), ("b".into(), state(3))],
        deliveries: vec![delivery("of-a", &["a"], 3), delivery("of-both", &["a", "b"], 3), delivery("of-b", &["b"], 3)],
        ..Decision::default()
    };
    store.commit(&more).unwrap();
    assert!(store.remove_watch_point("a", at(4)).unwrap());
    assert!(!store.remove_watch_point("a", at(4)).unwrap());
    assert_eq!(store.watch_points().unwrap().iter().map(|point| point.id.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(store.states().unwrap().rows, [("b".to_owned(), state(3))]);
    let pending = store.pending().unwrap();
    let left: Vec<_> =
        pending.iter().map(|row| (row.delivery.id.as_str(), row.delivery.watch_points.clone())).collect();
    assert_eq!(left, [("of-both", vec!["b".to_owned()]), ("of-b", vec!["b".to_owned()])]);
    assert_eq!((store.journal(Some("a"), 0, 10).unwrap().len(), store.ledger(0, 10).unwrap().len()), (1, 1));
    assert_eq!(store.health().pending, 2);
    let sights = store.sights_of("a", at(100)..=at(100)).unwrap().rows;
    assert_eq!(
        sights.iter().map(|row| (row.at_utc, row.is_end())).collect::<Vec<_>>(),
        [(at(4), true)],
        "its end is kept"
    );

    // A decision that was under way when the point went.
    let late = Decision {
        states: vec![("a".into(), state(9)), ("b".into(), state(9))],
        changes: vec![judged("a", 9)],
        deliveries: vec![delivery("late", &["a"], 9), delivery("late-both", &["a", "b"], 9)],
        ..Decision::default()
    };
    let committed = store.commit(&late).unwrap();
    assert_eq!((committed.gone.as_slice(), committed.entries.len()), (["a".to_owned()].as_slice(), 0));
    assert_eq!(committed.rows.len(), 1);
    assert_eq!(committed.rows[0].delivery.watch_points, ["b"]);
    assert_eq!((store.state("a").unwrap(), store.state("b").unwrap()), (None, Some(state(9))));
}

#[test]
fn a_test_notice_about_no_point_is_kept() {
    let store = watching(&[]);
    let test = Decision { deliveries: vec![delivery("test", &[], 1)], ..Decision::default() };
    assert_eq!(store.commit(&test).unwrap().rows.len(), 1);
}

#[test]
fn what_stands_already_costs_no_flush() {
    let store = watching(&["a"]);
    store.commit(&decision("a", "d1", 1)).unwrap();
    let before = store.health().commits;
    let same = Decision { states: vec![("a".into(), state(1))], high_water_utc: Some(at(2)), ..Decision::default() };
    store.commit(&same).unwrap();
    assert_eq!((store.health().commits, store.high_water_utc().unwrap()), (before, Some(at(2))));
    store.commit(&Decision { states: vec![("a".into(), state(2))], ..Decision::default() }).unwrap();
    assert_eq!(store.health().commits, before + 1);
}

#[test]
fn high_water_only_rises() {
    let store = watching(&["a"]);
    assert_eq!(store.high_water_utc().unwrap(), None);
    for n in [50, 20, 30] {
        store.commit(&Decision { high_water_utc: Some(at(n)), ..Decision::default() }).unwrap();
    }
    assert_eq!(store.high_water_utc().unwrap(), Some(at(50)));
}

#[test]
fn a_full_outbox_refuses_the_whole_decision_and_loses_nothing() {
    let store = watching(&["a"]);
    store.writer().limits.pending = 3;
    for n in 0..3 {
        store.commit(&decision("a", &format!("d{n}"), n)).unwrap();
    }
    let refused = store.commit(&decision("a", "d3", 10)).unwrap_err();
    assert_eq!(refused, StoreError::OutboxFull { pending: 3, adding: 1, limit: 3 });
    assert_eq!(store.state("a").unwrap(), Some(state(2)), "the level has not moved either");
    assert_eq!((store.journal(None, 0, 10).unwrap().len(), store.health().pending), (3, 3));
    // A decision without notices goes through, and the next one finds room once notices are past their useful life.
    store.commit(&Decision { states: vec![("a".into(), state(11))], ..Decision::default() }).unwrap();
    let later = store.commit(&decision("a", "d3", 3602)).unwrap();
    assert_eq!(later.rows.len(), 1);
    let pending = store.pending().unwrap();
    assert_eq!(pending.iter().map(|row| row.delivery.id.as_str()).collect::<Vec<_>>(), ["d2", "d3"]);
    assert_eq!((store.health().pending, store.health().dead), (2, 2));
}

#[test]
fn journal_and_ledger_are_bounded_by_count_and_by_age() {
    let store = watching(&["a"]);
    store.writer().limits.journal = 5;
    store.writer().limits.ledger = 4;
    for n in 0..12 {
        let id = format!("d{n}");
        store.commit(&decision("a", &id, n)).unwrap();
        store.settle(&id, told(), at(n)).unwrap();
    }
    let numbers = |store: &Store| store.journal(None, 0, 99).unwrap().iter().map(|e| e.number).collect::<Vec<_>>();
    assert_eq!(numbers(&store), [8, 9, 10, 11, 12]);
    assert_eq!(store.ledger(0, 99).unwrap().iter().map(|r| r.delivery.number).collect::<Vec<_>>(), [9, 10, 11, 12]);
    assert_eq!(store.ledger_row("d0").unwrap(), None);
    let two_years_on = 2 * 366 * 86_400;
    store.commit(&decision("a", "late", two_years_on)).unwrap();
    store.settle("late", told(), at(two_years_on)).unwrap();
    assert_eq!(numbers(&store), [13]);
    assert_eq!((store.health().journal_entries, store.health().told), (1, 1));
}

/// An entry of before the outlooks: what was decided is still told, by whom it was decided as well.
#[test]
fn a_journal_entry_of_the_first_format_is_read_without_its_basis() {
    let store = watching(&["a"]);
    store.commit(&decision("a", "d1", 1)).unwrap();
    let then = change("a", 0);
    let old = postcard::to_extend(&(7_u64, &then, "evidence in its old shape", "1"), vec![1_u8]).unwrap();
    store.0.trees.tree(In::Journal).insert(7_u64.to_be_bytes(), old).unwrap();
    let listed = store.journal(Some("a"), 2, 9).unwrap();
    assert!(listed.damaged.is_empty(), "{:?}", listed.damaged);
    assert_eq!((listed[0].number, &listed[0].change, &listed[0].basis), (7, &then, &None));
    assert_eq!(listed[0].rules_version, "1");
    assert!(store.journal(Some("b"), 2, 9).unwrap().is_empty());
}

#[test]
fn a_row_that_cannot_be_read_is_named_and_the_rest_is_listed() {
    let store = watching(&["a", "b", "c"]);
    let tree = store.0.trees.tree(In::WatchPoints);
    tree.insert("b", vec![99, 1, 2]).unwrap();
    let listed = store.watch_points().unwrap();
    assert_eq!(listed.iter().map(|point| point.id.as_str()).collect::<Vec<_>>(), ["a", "c"]);
    let text = listed.damaged[0].to_string();
    assert!(text.contains("\"b\" of watch_points") && text.contains("format 99"), "{text}");
    assert!(matches!(store.watch_point("b"), Err(StoreError::Row { tree: "watch_points", .. })));
    // A position off the earth is not a watch point, whatever its bytes say.
    let mut bytes = tree.get("a").unwrap().unwrap().to_vec();
    let lat = bytes.windows(8).position(|eight| eight == 40.52_f64.to_le_bytes()).unwrap();
    bytes[lat..lat + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    tree.insert("a", bytes).unwrap();
    assert!(store.watch_point("a").unwrap_err().to_string().contains("not a position on earth"));
    store.commit(&decision("c", "d1", 1)).unwrap();
    store.0.trees.tree(In::Journal).insert(1_u64.to_be_bytes(), &b"\x01junk"[..]).unwrap();
    assert_eq!(store.journal(None, 0, 9).unwrap().damaged[0].to_string().find("row \"1\" of journal"), Some(0));
}

#[test]
fn zones_cursors_and_source_status_are_kept() {
    let store = watching(&[]);
    let zones = |lat: f64| PlaceZones {
        place: crate::geo::LatLon::in_conus(lat, -92.9).unwrap(),
        ugc: vec!["MOC171".into()],
        time_zone: Some("America/Chicago".into()),
        learned_utc: at(lat as i64),
    };
    store.writer().limits.zones = 10;
    for n in 0..11 {
        store.put_zones(&zones(30.0 + f64::from(n))).unwrap();
    }
    let held = store.zones().unwrap();
    assert_eq!(held.len(), 9, "one in ten and one more made room, the longest known first");
    assert_eq!(held[0], zones(32.0));
    store.put_cursor("mrms", "MESH_20260610-214600", at(1)).unwrap();
    store.put_cursor("mrms", "MESH_20260610-214800", at(2)).unwrap();
    assert_eq!(store.cursors().unwrap()[0].cursor, "MESH_20260610-214800");
    let fault = |n: usize| Fault { what: format!("{n}"), place: "here".into(), kept_rest: true };
    let status = SourceStatus {
        state: SourceState::Failing,
        last_faults: (0..25).map(fault).collect(),
        ..SourceStatus::default()
    };
    store.put_source_status("mrms", &status).unwrap();
    let held = store.source_statuses().unwrap();
    assert_eq!((held[0].0.as_str(), held[0].1.state), ("mrms", SourceState::Failing));
    assert_eq!(held[0].1.last_faults, (15..25).map(fault).collect::<Vec<_>>());
}

#[test]
fn watch_points_are_limited_but_can_be_changed_at_the_limit() {
    let store = watching(&["a", "b"]);
    store.writer().limits.watch_points = 2;
    assert_eq!(store.put_watch_point(&point("c")), Err(StoreError::TooManyWatchPoints { limit: 2 }));
    let renamed = crate::notice::WatchPoint { name: "home".into(), ..point("a") };
    store.put_watch_point(&renamed).unwrap();
    assert_eq!(store.watch_point("a").unwrap(), Some(renamed));
    let huge = crate::notice::WatchPoint { name: "x".repeat(5 << 20), ..point("a") };
    assert!(matches!(store.put_watch_point(&huge), Err(StoreError::TooLarge { tree: "watch_points", .. })));
}
