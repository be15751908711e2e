use super::*;
use crate::config::Config;
use crate::notice::tests::scene::{at, browser, email, episode, point};
use crate::notice::{Browser, ChannelKind, WatchPoint};
use crate::store::Store;
use std::sync::Arc;

/// A store that watches a point of owner `o`, and its desk.
fn desk(point: WatchPoint) -> (Store, Points) {
    let store = Store::in_memory().unwrap();
    store.put_watch_point(&point).unwrap();
    (store.clone(), Points::new(store, Arc::new(Config::default())))
}

fn stands(store: &Store, level: Level) {
    let state = PointState { level, episode: Some(episode("ep")), ..PointState::quiet(at(0)) };
    store.commit(&Decision { states: vec![("a".into(), state)], ..Decision::default() }).unwrap();
}

#[test]
fn what_stands_is_acknowledged_by_its_owner_alone() {
    let (store, points) = desk(point("a"));
    assert!(matches!(points.acknowledge("o", "a", at(1)), Err(DeskError::Invalid { field: "id", .. })));
    stands(&store, Level::Marginal);
    assert!(points.acknowledge("o", "a", at(1)).is_err(), "below what is told");
    stands(&store, Level::Significant);
    assert_eq!(points.acknowledge("p", "a", at(1)).unwrap(), None);
    assert_eq!(points.acknowledge("o", "b", at(1)).unwrap(), None);
    assert_eq!(store.watch_point("a").unwrap().unwrap().acknowledged, None);
    let known = points.acknowledge("o", "a", at(1)).unwrap().unwrap().point.acknowledged;
    let expected = Acknowledged { episode: "ep".into(), level: Level::Significant, at_utc: at(1) };
    assert_eq!(known, Some(expected.clone()));
    // What the decision of a new maximum takes away, unless it was acknowledged anew meanwhile.
    let over = |acknowledged: &Acknowledged| Decision {
        reopened: vec![("a".into(), acknowledged.clone())],
        ..Decision::default()
    };
    store.commit(&over(&Acknowledged { at_utc: at(0), ..expected.clone() })).unwrap();
    assert_eq!(store.watch_point("a").unwrap().unwrap().acknowledged.as_ref(), Some(&expected));
    store.commit(&over(&expected)).unwrap();
    assert_eq!(store.watch_point("a").unwrap().unwrap().acknowledged, None);
}

#[test]
fn a_test_goes_through_every_proven_channel_and_touches_no_state() {
    let mut place = point("a");
    place.addresses = vec![email("x@y"), browser("")];
    place.waiting = vec![email("unproven@y")];
    let (store, points) = desk(place);
    stands(&store, Level::Significant);
    let before = store.state("a").unwrap();
    for (id, owner) in [("br_1", "o"), ("br_2", "p")] {
        let browser = Browser {
            id: id.into(),
            owner: owner.into(),
            endpoint: "https://push.example/1".into(),
            p256dh: String::new(),
            auth: String::new(),
            label: String::new(),
            created_utc: at(0),
            refusals: 0,
        };
        store.put_browser(&browser).unwrap();
    }
    assert_eq!(points.send_test("p", "a", at(1)).unwrap(), None);
    let went = points.send_test("o", "a", at(1)).unwrap().unwrap();
    assert_eq!(went, [email("x@y"), browser("br_1")]);
    let pending = store.pending().unwrap();
    assert_eq!(pending.iter().map(|row| &row.delivery.address).collect::<Vec<_>>(), [&email("x@y"), &browser("br_1")]);
    assert!(pending.iter().all(|row| row.delivery.subject.starts_with("[TEST]")));
    assert_eq!(store.state("a").unwrap(), before);
    assert!(points.send_test("o", "a", at(1)).unwrap().unwrap().is_empty(), "the same asking");
    assert_eq!(store.pending().unwrap().len(), 2);
}

#[test]
fn tests_are_limited_by_owner_and_hour() {
    let (store, points) = desk(point("a"));
    let ask = |minute| points.send_test("o", "a", at(minute));
    for minute in 0..TESTS_PER_OWNER_HOUR_MAX {
        assert_eq!(ask(minute as i64).unwrap().unwrap().len(), 1);
    }
    assert!(matches!(ask(30), Err(DeskError::Limit { limit: TESTS_PER_OWNER_HOUR_MAX, .. })));
    // Told or not makes no difference; an hour after the first does.
    for row in store.pending().unwrap() {
        store.settle(&row.delivery.id, crate::store::LedgerOutcome::Told("250".into()), at(30)).unwrap();
    }
    assert!(ask(59).is_err());
    assert!(ask(60).is_ok());
    assert!(ask(60 + 59).is_ok(), "others have left the hour by then");
}

#[test]
fn a_point_without_an_address_has_nothing_to_test() {
    let mut place = point("a");
    place.addresses = vec![];
    let (store, points) = desk(place);
    assert_eq!(points.send_test("o", "a", at(0)).unwrap(), Some(vec![]));
    assert!(store.pending().unwrap().iter().all(|row| row.delivery.address.kind != ChannelKind::None));
}
