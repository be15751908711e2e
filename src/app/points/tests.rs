//! What an owner may change, and whose past is told to whom.

use super::*;
use crate::geo::LatLon;
use crate::notice::{Address, ChannelKind, Delivery, Held, NoticeReason};
use crate::store::{Decision, LedgerOutcome};
use crate::threat::basis::Judged;
use crate::threat::{Assessment, ChangeCause, Level, LevelChange};

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_780_000_000 + 60 * minute).unwrap()
}

fn points() -> Points {
    Points::new(Store::in_memory().unwrap(), Arc::new(Config::default()))
}

fn wanted(owner: &str, name: &str) -> NewWatchPoint {
    NewWatchPoint {
        owner: owner.into(),
        name: name.into(),
        at: LatLon::in_conus(40.52, -92.9).unwrap(),
        min_level: Level::Elevated,
        addresses: Vec::new(),
        until_utc: None,
        client_token: None,
        quiet_hours: None,
    }
}

fn decision(id: &str, owner: &str, minute: i64) -> Decision {
    let assessment = Assessment {
        at_utc: at(minute),
        level: Level::Elevated,
        reasons: Vec::new(),
        lingering: Vec::new(),
        blind_spots: Vec::new(),
        hazards: Vec::new(),
    };
    let change = LevelChange {
        watch_point: id.into(),
        at_utc: at(minute),
        from: Level::None,
        to: Level::Elevated,
        cause: ChangeCause::Raised,
        supports: Vec::new(),
        ended: Vec::new(),
        assessment,
    };
    let delivery = Delivery {
        id: format!("{id}-{minute}"),
        number: 0,
        address: Address { kind: ChannelKind::None, to: String::new() },
        watch_points: vec![id.into()],
        owner: owner.into(),
        reason: NoticeReason::Raised,
        level: Level::Elevated,
        episode: "episode".into(),
        thread_root: None,
        decided_utc: at(minute),
        useful_until_utc: at(minute + 60),
        evidence_utc: None,
        seen_utc: None,
        subject: "elevated".into(),
        text: String::new(),
        html: String::new(),
        payload: String::new(),
        unsubscribe_url: None,
        stands_in_for: None,
    };
    let held = Held {
        id: format!("held-{id}-{minute}"),
        owner: owner.into(),
        watch_point: id.into(),
        reason: NoticeReason::Lowered,
        level: Level::Elevated,
        decided_utc: at(minute),
        due_utc: at(minute + 300),
        subject: "lowered".into(),
        episode: "episode".into(),
        held_by: crate::notice::HeldBy::QuietHours,
        told: false,
        heard: Vec::new(),
    };
    Decision {
        changes: vec![Judged { change, basis: None }],
        deliveries: vec![delivery],
        held: vec![held],
        ..Decision::default()
    }
}

#[test]
fn an_update_changes_what_it_names_and_leaves_the_rest() {
    let points = points();
    let made = points.register(wanted("ann", "home"), at(0)).unwrap().point;
    let hours: QuietHours = "22:00-07:00".parse().unwrap();
    let update = PointUpdate {
        min_level: Some(Level::Significant),
        quiet_hours: Some(Some(hours)),
        snooze_until_utc: Some(Some(at(90))),
        ..PointUpdate::default()
    };
    let changed = points.update("ann", &made.id, update, at(1)).unwrap().unwrap().point;
    let expected = WatchPoint {
        min_level: Level::Significant,
        quiet_hours: Some(hours),
        snooze_until_utc: Some(at(90)),
        ..made.clone()
    };
    assert_eq!(changed, expected);
    assert_eq!(points.watched("ann").unwrap()[0].point, expected, "as it is stored");
    let away = PointUpdate { quiet_hours: Some(None), snooze_until_utc: Some(None), ..PointUpdate::default() };
    let changed = points.update("ann", &made.id, away, at(2)).unwrap().unwrap().point;
    assert_eq!(changed, WatchPoint { min_level: Level::Significant, ..made }, "the inner None takes a value away");
}

#[test]
fn an_update_is_checked_like_a_registration_and_changes_nothing_when_it_is_refused() {
    let points = points();
    let home = points.register(wanted("ann", "home"), at(0)).unwrap().point;
    points.register(wanted("ann", "school"), at(0)).unwrap();
    let barn = points.register(wanted("bob", "barn"), at(0)).unwrap().point;
    let field = |update: PointUpdate| match points.update("ann", &home.id, update, at(5)) {
        Err(DeskError::Invalid { field, .. }) => field,
        Err(DeskError::Limit { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    let name = |name: &str| PointUpdate { name: Some(name.into()), ..PointUpdate::default() };
    assert_eq!(field(name(" ")), "name");
    assert_eq!(field(name(&"x".repeat(NAME_CHARS_MAX + 1))), "name");
    assert_eq!(field(name("two\nlines")), "name");
    assert_eq!(field(name("school")), "name", "the same name at the same place would be one registration");
    assert_eq!(field(PointUpdate { until_utc: Some(Some(at(5))), ..PointUpdate::default() }), "until_utc");
    assert_eq!(
        field(PointUpdate { snooze_until_utc: Some(Some(at(4))), ..PointUpdate::default() }),
        "snooze_until_utc"
    );
    let snooze = |until| PointUpdate { snooze_until_utc: Some(Some(until)), ..PointUpdate::default() };
    assert_eq!(field(snooze(at(5 + 7 * 24 * 60 + 1))), "snooze_until_utc", "elevated is not held for ever");
    assert_eq!(field(snooze(Timestamp::MAX)), "snooze_until_utc");
    points.update("bob", &barn.id, snooze(at(5 + 7 * 24 * 60)), at(5)).unwrap().unwrap();
    let never = QuietHours { from_min: 60, to_min: 60 };
    assert_eq!(field(PointUpdate { quiet_hours: Some(Some(never)), ..PointUpdate::default() }), "quiet_hours");
    let strangers = vec![Address { kind: ChannelKind::Email, to: "x@example.org".into() }];
    assert_eq!(field(PointUpdate { addresses: Some(strangers), ..PointUpdate::default() }), "channels");
    assert_eq!(points.watched("ann").unwrap().iter().find(|w| w.point.id == home.id).unwrap().point, home);
    assert_eq!(points.update("ann", &home.id, name(" barn "), at(5)).unwrap().unwrap().point.name, "barn");
}

#[test]
fn nobody_changes_or_reads_the_past_of_anothers_point() {
    let points = points();
    let id = points.register(wanted("ann", "home"), at(0)).unwrap().point.id;
    points.store.commit(&decision(&id, "ann", 1)).unwrap();
    let update = PointUpdate { min_level: Some(Level::Extreme), ..PointUpdate::default() };
    assert_eq!(points.update("bob", &id, update, at(2)).unwrap(), None);
    assert_eq!(points.watched("ann").unwrap()[0].point.min_level, Level::Elevated);
    assert_eq!(points.history("bob", &id, at(0), at(9)).unwrap(), PointHistory::default());
    let mine = points.history("ann", &id, at(0), at(9)).unwrap();
    assert_eq!((mine.journal.len(), mine.outbox.len(), mine.held.len(), mine.ledger.len()), (1, 1, 1, 0));
}

#[test]
fn a_removed_point_keeps_its_past_for_the_owner_whom_the_ledger_names() {
    let points = points();
    let told = points.register(wanted("ann", "home"), at(0)).unwrap().point.id;
    let silent = points.register(wanted("ann", "silent"), at(0)).unwrap().point.id;
    points.store.commit(&decision(&told, "ann", 1)).unwrap();
    points.store.settle(&format!("{told}-1"), LedgerOutcome::Told("ok".into()), at(2)).unwrap();
    points.store.commit(&decision(&silent, "ann", 1)).unwrap();
    assert!(points.unregister("ann", &told, at(3)).unwrap() && points.unregister("ann", &silent, at(3)).unwrap());
    let past = points.history("ann", &told, at(0), at(9)).unwrap();
    assert_eq!((past.journal.len(), past.ledger.len(), past.outbox.len(), past.held.len()), (1, 1, 0, 0));
    assert_eq!(points.history("bob", &told, at(0), at(9)).unwrap(), PointHistory::default());
    // Its notice was pending and is dropped: nothing says any more whose it was.
    assert_eq!(points.history("ann", &silent, at(0), at(9)).unwrap(), PointHistory::default());
}

#[test]
fn a_past_has_the_rows_of_its_time_and_its_point_alone() {
    let points = points();
    let id = points.register(wanted("ann", "home"), at(0)).unwrap().point.id;
    let other = points.register(wanted("ann", "school"), at(0)).unwrap().point.id;
    for minute in [1, 10, 20, 30] {
        points.store.commit(&decision(&id, "ann", minute)).unwrap();
        points.store.commit(&decision(&other, "ann", minute)).unwrap();
        points.store.settle(&format!("{id}-{minute}"), LedgerOutcome::Told("ok".into()), at(minute + 2)).unwrap();
    }
    let past = points.history("ann", &id, at(10), at(20)).unwrap();
    let journal: Vec<_> = past.journal.iter().map(|entry| entry.change.at_utc).collect();
    assert_eq!(journal, [at(10), at(20)]);
    assert!(past.journal.iter().all(|entry| entry.change.watch_point == id));
    let ledger: Vec<_> = past.ledger.iter().map(|row| row.delivery.decided_utc).collect();
    assert_eq!(ledger, [at(10), at(20)]);
    // What was decided before and handed over within belongs to the time too.
    let ledger = points.history("ann", &id, at(12), at(12)).unwrap().ledger;
    assert_eq!(ledger.iter().map(|row| row.delivery.decided_utc).collect::<Vec<_>>(), [at(10)]);
    assert_eq!(past.unreadable, 0);
}

/// Breaker's E4: the address comes back while the notice still backs off, and is told what stands as if it were new.
#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_an_address_that_is_taken_off_is_given_up_at_once() {
    let store = Store::in_memory().unwrap();
    let place = crate::notice::tests::scene::point("a");
    store.put_watch_point(&place).unwrap();
    let points = Points::new(store.clone(), Arc::new(Config::default()));
    let deliver = |id: &str, reason| Delivery {
        id: id.into(),
        address: place.addresses[0].clone(),
        watch_points: vec!["a".into()],
        owner: place.owner.clone(),
        reason,
        ..crate::notice::deliver::draft(crate::notice::compose::Rendered::default(), place.created_utc)
    };
    let deliveries = vec![deliver("d1", NoticeReason::Raised), deliver("d2", NoticeReason::Confirmation)];
    store.commit(&Decision { deliveries, ..Decision::default() }).unwrap();
    let update = PointUpdate { addresses: Some(Vec::new()), ..PointUpdate::default() };
    points.update(&place.owner, "a", update, place.created_utc).unwrap().unwrap();
    let waits: Vec<String> = store.pending().unwrap().into_iter().map(|row| row.delivery.id).collect();
    assert_eq!(waits, ["d2"]);
}

/// Breaker's SF: what goes on to tell an end only would be removed with it, and the new watch with that.
#[tokio::test(flavor = "multi_thread")]
async fn a_watch_that_is_over_and_goes_on_for_an_end_begins_anew_when_it_is_registered_again() {
    let points = points();
    let until = NewWatchPoint { until_utc: Some(at(10)), ..wanted("o", "home") };
    let first = points.register(until, at(0)).unwrap().point;
    let again = points.register(NewWatchPoint { min_level: Level::Extreme, ..wanted("o", "home") }, at(5)).unwrap();
    assert_eq!((again.created, again.point.until_utc), (false, Some(at(10))), "its time is not over");
    let anew = points.register(NewWatchPoint { min_level: Level::Extreme, ..wanted("o", "home") }, at(12)).unwrap();
    assert_eq!((anew.created, &anew.point.id), (true, &first.id));
    // Another place under the same token is another watch.
    let token =
        |name: &str, until_utc| NewWatchPoint { client_token: Some("token".into()), until_utc, ..wanted("o", name) };
    let over = points.register(token("fair", Some(at(13))), at(12)).unwrap().point;
    let next = points.register(token("match", None), at(14)).unwrap();
    assert!(next.created && next.point.id != over.id);
    assert_eq!(points.register(token("match", None), at(15)).unwrap().point.id, next.point.id);
    assert_eq!((anew.point.until_utc, anew.point.min_level), (None, Level::Extreme));
}
