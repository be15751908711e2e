//! What a poll proves, and what it does not.

use super::*;

fn held() -> (Incidents, Warning) {
    let a = event("A", "12:00", "NEW", 1, &["MOC171"]);
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:01", &[&a]);
    (incidents, a)
}

fn empty_at(incidents: &mut Incidents, at: &str) -> Taken {
    incidents.take(&snapshot(at, &[]), utc(at))
}

#[test]
fn n16_n19_a10_one_empty_poll_ends_nothing_and_two_thirty_seconds_apart_do() {
    let (mut incidents, a) = held();
    empty_at(&mut incidents, "2026-06-10T12:01:30Z");
    assert_eq!(in_effect(&incidents, "12:02"), ["A"]);
    poll(&mut incidents, "12:02", &[&a]);
    empty_at(&mut incidents, "2026-06-10T12:02:30Z");
    assert_eq!(in_effect(&incidents, "12:03"), ["A"], "absences in a row are counted, not in all");
    empty_at(&mut incidents, "2026-06-10T12:02:45Z");
    assert_eq!(in_effect(&incidents, "12:03"), ["A"], "15 s apart is one look");
    empty_at(&mut incidents, "2026-06-10T12:03:00Z");
    assert_eq!(in_effect(&incidents, "12:03"), Vec::<String>::new());
    assert_eq!(incidents.fate(&key(TO_1), utc("12:03")), Fate::Withdrawn);
    // It comes back: the copy had lagged.
    poll(&mut incidents, "12:04", &[&a]);
    assert_eq!(in_effect(&incidents, "12:04"), ["A"]);
    assert_eq!(incidents.fate(&key(TO_1), utc("12:04")), Fate::InEffect);
}

#[test]
fn n19_after_its_end_absence_is_no_withdrawal() {
    let a = Warning { ends_utc: Some(utc("12:30")), ..event("A", "12:00", "NEW", 1, &["MOC171"]) };
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:29", &[&a]);
    empty_at(&mut incidents, "12:30");
    empty_at(&mut incidents, "12:31");
    assert_eq!(incidents.fate(&key(TO_1), utc("12:31")), Fate::OutOfTime);
}

#[test]
fn n17_an_answer_that_runs_backwards_changes_nothing() {
    let (mut incidents, a) = held();
    poll(&mut incidents, "12:05", &[&a]);
    let b = event("B", "11:58", "NEW", 2, &["MOC171"]);
    for at in ["12:06", "12:07", "12:08"] {
        assert_eq!(incidents.take(&snapshot("11:58", &[&b]), utc(at)), Taken::Refused);
    }
    assert_eq!(in_effect(&incidents, "12:08"), ["A"]);
    assert_eq!(incidents.last_good_utc, Some(utc("12:05")));
    // Recovery needs no hand.
    assert_eq!(poll(&mut incidents, "12:09", &[&a, &b]), Taken::Good);
    assert_eq!(in_effect(&incidents, "12:09"), ["A", "B"]);
}

#[test]
fn equal_updated_is_good_and_a_quarter_of_an_hour_behind_the_clock_is_not() {
    let (mut incidents, a) = held();
    assert_eq!(incidents.take(&snapshot("12:01", &[&a]), utc("12:15")), Taken::Good);
    assert_eq!(incidents.last_good_utc, Some(utc("12:15")));
    assert_eq!(incidents.take(&snapshot("12:01", &[&a]), utc("12:17")), Taken::Refused);
    assert_eq!(
        incidents.take(&snapshot("2027-01-01T00:00:00Z", &[&a]), utc("12:18")),
        Taken::Refused,
        "the future too"
    );
    assert_eq!(poll(&mut incidents, "12:19", &[&a]), Taken::Good);
}

#[test]
fn an_answer_without_updated_can_raise_and_ends_nothing() {
    let (mut incidents, a) = held();
    let undated = |warnings: &[&Warning]| WarningSnapshot { updated_utc: None, ..snapshot("12:00", warnings) };
    let b = event("B", "12:02", "NEW", 2, &["MOC171"]);
    let can = event("C", "12:02", "CAN", 1, &["MOC171"]);
    let smaller = updates(event("D", "12:02", "CON", 1, &["MOC173"]), &["A"]);
    for at in ["12:02", "12:03", "12:04"] {
        assert_eq!(incidents.take(&undated(&[&b, &can, &smaller]), utc(at)), Taken::Undated);
    }
    assert_eq!(in_effect(&incidents, "12:04"), ["A", "B"]);
    assert_eq!(incidents.last_good_utc, Some(utc("12:01")));
    // The next good answer decides.
    poll(&mut incidents, "12:05", &[&a, &b, &can]);
    assert_eq!(in_effect(&incidents, "12:05"), ["B"]);
}

#[test]
fn while_products_cannot_be_read_absence_proves_nothing() {
    let (mut incidents, _) = held();
    for at in ["12:02", "12:03", "12:04"] {
        incidents.take(&WarningSnapshot { unread: 1, ..snapshot(at, &[]) }, utc(at));
    }
    assert_eq!(in_effect(&incidents, "12:04"), ["A"]);
}

#[test]
fn an_incident_never_heard_of_is_unknown_until_the_feed_was_seen_whole() {
    let mut incidents = Incidents::default();
    assert_eq!(incidents.fate(&key(TO_1), utc("12:00")), Fate::Unknown);
    empty_at(&mut incidents, "12:00");
    assert_eq!(incidents.fate(&key(TO_1), utc("12:00")), Fate::Unknown);
    empty_at(&mut incidents, "2026-06-10T12:00:30Z");
    assert_eq!(incidents.fate(&key(TO_1), utc("12:01")), Fate::Withdrawn);
}

#[test]
fn a_withdrawn_successor_gives_way_to_its_predecessor_that_is_listed_still() {
    let a = event("A", "12:00", "NEW", 1, &["MOC171"]);
    let b = updates(event("B", "12:10", "CON", 1, &["MOC171"]), &["A"]);
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:11", &[&b]);
    poll(&mut incidents, "12:12", &[&a]);
    assert_eq!(in_effect(&incidents, "12:12"), ["B"]);
    poll(&mut incidents, "12:13", &[&a]);
    assert_eq!(in_effect(&incidents, "12:13"), ["A"], "never a gap");
}

#[test]
fn what_ended_is_forgotten_after_a_day_and_never_more_than_the_limit_is_held() {
    let (mut incidents, _) = held();
    let can = event("C", "12:10", "CAN", 1, &["MOC171"]);
    poll(&mut incidents, "12:11", &[&can]);
    let later = "2026-06-13T12:11:00Z";
    incidents.take(&snapshot(later, &[]), utc(later));
    assert!(incidents.is_empty());
    let many: Vec<Warning> = (0..INCIDENTS_MAX + 50).map(|n| product(&format!("{n}"), "12:00")).collect();
    let many: Vec<Warning> =
        many.into_iter().map(|w| Warning { references: vec!["none".to_owned() + &w.id], ..w }).collect();
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:01", &many.iter().collect::<Vec<_>>());
    assert_eq!(incidents.len(), INCIDENTS_MAX);
}

#[test]
fn a_clone_is_not_touched_by_what_comes_later() {
    let (mut incidents, _) = held();
    let before = incidents.clone();
    let can = event("C", "12:10", "CAN", 1, &["MOC171"]);
    poll(&mut incidents, "12:11", &[&can]);
    assert_eq!(in_effect(&before, "12:11"), ["A"]);
    assert_eq!(in_effect(&incidents, "12:11"), Vec::<String>::new());
}

#[test]
fn how_much_is_unread_and_how_long_the_feed_was_whole_are_told() {
    let mut incidents = Incidents::default();
    assert_eq!((incidents.unread(), incidents.seen_whole_for()), (0, None));
    incidents.take(&WarningSnapshot { unread: 3, ..snapshot("12:00", &[]) }, utc("12:00"));
    assert_eq!((incidents.unread(), incidents.seen_whole_for()), (3, None));
    poll(&mut incidents, "12:01", &[]);
    poll(&mut incidents, "12:03", &[]);
    assert_eq!((incidents.unread(), incidents.seen_whole_for()), (0, Some(SignedDuration::from_mins(2))));
    incidents.take(&WarningSnapshot { unread: 1, ..snapshot("12:02", &[]) }, utc("12:04"));
    assert_eq!(incidents.unread(), 0, "a refused copy changes nothing");
}

#[test]
fn a_product_that_cannot_be_located_takes_the_place_of_none_that_can() {
    let located = event("A", "12:00", "NEW", 1, &["MOC171"]);
    let nowhere = updates(event("B", "12:05", "CON", 1, &[]), &["A"]);
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:01", &[&located]);
    for at in ["12:06", "12:07"] {
        incidents.take(&WarningSnapshot { unread: 1, ..snapshot(at, &[&nowhere]) }, utc(at));
    }
    assert_eq!(in_effect(&incidents, "12:07"), ["A"]);
    // Nor does an ending of who knows which of its zones end it.
    let end = updates(event("X", "12:07", "CAN", 1, &[]), &[]);
    incidents.take(&WarningSnapshot { unread: 1, ..snapshot("12:08", &[&end]) }, utc("12:08"));
    assert_eq!(in_effect(&incidents, "12:08"), ["A"]);
    // The next message that can be read speaks for both.
    let next = updates(event("C", "12:10", "CON", 1, &["MOC171"]), &["A", "B"]);
    poll(&mut incidents, "12:11", &[&next]);
    assert_eq!(in_effect(&incidents, "12:11"), ["C"]);
}

#[test]
fn a_copy_older_than_an_earlier_life_had_accepted_is_refused() {
    let mut incidents = Incidents::default();
    incidents.remember_accepted(utc("12:05"));
    incidents.remember_accepted(utc("12:03"));
    assert_eq!(incidents.take(&snapshot("12:04", &[]), utc("12:06")), Taken::Refused);
    assert_eq!(incidents.last_good_utc, None);
    assert_eq!(incidents.take(&snapshot("12:05", &[]), utc("12:06")), Taken::Good);
}
