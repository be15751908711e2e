//! When a product speaks, and what ends it.

use super::*;

fn with_zone(warning: Warning) -> Warning {
    Warning { ugc: vec!["MOC171".into()], ..warning }
}

fn one(warning: Warning) -> Incidents {
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:01", &[&warning]);
    incidents
}

#[test]
fn n02_every_referenced_id_leaves() {
    let all: Vec<Warning> = (1..=3).map(|n| with_zone(product(&format!("old{n}"), "12:00"))).collect();
    let all: Vec<Warning> =
        all.into_iter().enumerate().map(|(n, w)| Warning { event: format!("Event {n}"), ..w }).collect();
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:05", &all.iter().collect::<Vec<_>>());
    assert_eq!(in_effect(&incidents, "12:05").len(), 3);
    // As in recordings: messageType Alert, urgency Past, the old ids in expiredReferences.
    let mut past =
        Warning { urgency: "Past".into(), response: "AllClear".into(), ..with_zone(product("past", "12:10")) };
    past.references = vec!["old1".into(), "old2".into(), "old3".into()];
    let mut listed: Vec<&Warning> = all.iter().collect();
    listed.push(&past);
    poll(&mut incidents, "12:11", &listed);
    assert_eq!(in_effect(&incidents, "12:11"), Vec::<String>::new());
    assert_eq!(incidents.fate(&key("cap:old2"), utc("12:12")), Fate::Cancelled);
}

#[test]
fn vtec_endings_count_whatever_the_message_type_says_and_only_for_their_zones() {
    for (action, message_type, fate) in
        [("CAN", "Alert", Fate::Cancelled), ("EXP", "Update", Fate::Expired), ("UPG", "Alert", Fate::Upgraded)]
    {
        let whole = event("A", "12:00", "NEW", 1, &["MOC171", "MOC173"]);
        let mut incidents = one(whole.clone());
        // It ends for the other county and goes on here.
        let other = Warning { message_type: message_type.into(), ..event("B", "12:20", action, 1, &["MOC173"]) };
        poll(&mut incidents, "12:21", &[&whole, &other]);
        assert_eq!(in_effect(&incidents, "12:21"), ["A"], "{action}");
        assert_eq!(incidents.fate(&key(TO_1), utc("12:21")), Fate::InEffect);
        let ours = Warning { message_type: message_type.into(), ..event("C", "12:30", action, 1, &["MOC171"]) };
        poll(&mut incidents, "12:31", &[&whole, &other, &ours]);
        assert_eq!(in_effect(&incidents, "12:31"), Vec::<String>::new(), "{action}");
        assert_eq!(incidents.fate(&key(TO_1), utc("12:31")), fate);
        // Also to somebody who never saw it begin.
        assert_eq!(one(ours).fate(&key(TO_1), utc("12:31")), fate);
    }
}

#[test]
fn con_segments_go_on_beside_a_can_of_the_same_product() {
    let whole = Warning { area: Some(square(40.5, -93.0)), ..event("A", "12:00", "NEW", 1, &["MOC171", "MOC173"]) };
    let can = updates(Warning { message_type: "Alert".into(), ..event("B1", "12:20", "CAN", 1, &["MOC173"]) }, &["A"]);
    let con =
        updates(Warning { area: Some(square(40.5, -93.05)), ..event("B2", "12:20", "CON", 1, &["MOC171"]) }, &["A"]);
    let mut incidents = one(whole);
    poll(&mut incidents, "12:21", &[&can, &con]);
    assert_eq!(in_effect(&incidents, "12:21"), ["B2"]);
    // In the cancelled county the old polygon no longer speaks, even while the CON is not listed yet.
    let mut lagging =
        one(Warning { area: Some(square(40.5, -93.0)), ..event("A", "12:00", "NEW", 1, &["MOC171", "MOC173"]) });
    let can = event("B1", "12:20", "CAN", 1, &["MOC173"]);
    poll(&mut lagging, "12:21", &[&can]);
    let at = |zone: &str| lagging.around(place(), Some(&[zone.to_owned()]), 0.0, utc("12:21")).len();
    assert_eq!((at("MOC171"), at("MOC173")), (1, 0));
}

#[test]
fn n31_a_cancellation_needs_no_geometry() {
    let a = Warning { area: Some(square(40.5, -93.0)), ..event("A", "12:00", "NEW", 1, &["MOC171"]) };
    let mut incidents = one(a.clone());
    let can = Warning { area: None, ..event("B", "12:20", "CAN", 1, &["MOC171"]) };
    poll(&mut incidents, "12:21", &[&a, &can]);
    assert_eq!(in_effect(&incidents, "12:21"), Vec::<String>::new());
    // And by message type alone, through references.
    let b = with_zone(product("X", "12:00"));
    let mut incidents = one(b.clone());
    let mut cancel = product("Y", "12:20");
    cancel.message_type = "Cancel".into();
    cancel.references = vec!["X".into()];
    poll(&mut incidents, "12:21", &[&b, &cancel]);
    assert_eq!(in_effect(&incidents, "12:21"), Vec::<String>::new());
    assert_eq!(incidents.fate(&key("cap:X"), utc("12:21")), Fate::Cancelled);
}

#[test]
fn a_new_issue_after_a_cancellation_stands() {
    let mut incidents = one(event("A", "12:00", "NEW", 1, &["MOC171"]));
    let can = event("B", "12:20", "CAN", 1, &["MOC171"]);
    let back = event("C", "12:30", "EXA", 1, &["MOC171"]);
    poll(&mut incidents, "12:31", &[&can, &back]);
    assert_eq!(in_effect(&incidents, "12:31"), ["C"]);
}

#[test]
fn n05_the_successor_may_come_after_the_message_expired() {
    let a = Warning {
        expires_utc: Some(utc("12:00")),
        ends_utc: Some(utc("18:00")),
        ..event("A", "11:00", "NEW", 1, &["MOC171"])
    };
    let mut incidents = Incidents::default();
    poll(&mut incidents, "11:50", &[&a]);
    assert_eq!(in_effect(&incidents, "12:03"), ["A"], "ends counts, not expires");
    let b = updates(Warning { ends_utc: Some(utc("18:00")), ..event("B", "12:07", "CON", 1, &["MOC171"]) }, &["A"]);
    poll(&mut incidents, "12:08", &[&b]);
    assert_eq!(in_effect(&incidents, "12:08"), ["B"]);
}

#[test]
fn until_further_notice_has_ten_minutes_of_grace() {
    let mut a =
        Warning { expires_utc: Some(utc("12:30")), ends_utc: None, ..event("A", "12:00", "NEW", 1, &["MOC171"]) };
    a.vtec = vec!["/O.NEW.KXXX.FL.W.0001.260610T1200Z-000000T0000Z/".parse().unwrap()];
    let incidents = one(a.clone());
    assert_eq!(in_effect(&incidents, "12:39"), ["A"]);
    assert_eq!(in_effect(&incidents, "12:40"), Vec::<String>::new());
    assert_eq!(incidents.fate(&key("KXXX.FL.W.0001.2026"), utc("12:40")), Fate::OutOfTime);
    // Before its onset the expiry of its message means nothing.
    a.onset_utc = Some(utc("15:00"));
    let incidents = one(a);
    assert_eq!(seen(&incidents, "14:00"), [("A".to_owned(), Phase::Coming)]);
    assert_eq!(in_effect(&incidents, "15:00"), ["A"]);
}

#[test]
fn n07_expires_is_the_end_of_the_message_not_of_the_event() {
    let a = Warning {
        expires_utc: Some(utc("05:45")),
        ends_utc: Some(utc("20:00")),
        onset_utc: Some(utc("05:00")),
        ..event("A", "04:00", "NEW", 1, &["MOC171"])
    };
    let mut incidents = Incidents::default();
    poll(&mut incidents, "04:01", &[&a]);
    assert_eq!(in_effect(&incidents, "13:00"), ["A"]);
    assert_eq!(in_effect(&incidents, "20:00"), Vec::<String>::new());
}

#[test]
fn n08_a_product_that_expires_before_it_begins_is_coming() {
    let a = with_zone(Warning {
        effective_utc: Some(utc("2024-10-16T07:46:00Z")),
        onset_utc: Some(utc("2024-10-17T16:00:00Z")),
        expires_utc: Some(utc("2024-10-16T18:00:00Z")),
        ends_utc: None,
        ..product("A", "2024-10-16T07:46:00Z")
    });
    assert!(a.until_utc() > a.begins_utc(), "never an end before the beginning");
    assert_eq!(a.phase(utc("2024-10-16T12:00:00Z")), Some(Phase::Coming));
    assert_eq!(a.phase(utc("2024-10-16T20:00:00Z")), Some(Phase::Coming));
    assert_eq!(a.phase(utc("2024-10-17T17:00:00Z")), Some(Phase::InEffect));
}

/// An office's clock, or ours, that is a little off must not make a gap in a warning.
#[test]
fn what_takes_the_place_of_a_product_in_force_is_in_force_whatever_its_onset() {
    let a = event("A", "12:00", "NEW", 1, &["MOC171"]);
    let ahead = |warning| Warning { onset_utc: Some(utc("12:11")), ..warning };
    let update = ahead(updates(event("B", "12:10", "CON", 1, &["MOC171"]), &["A"]));
    let without_reference = ahead(event("B", "12:10", "CON", 1, &["MOC171"]));
    let upgrade = ahead(updates(event("B", "12:10", "NEW", 2, &["MOC171"]), &["A"]));
    for b in [&update, &without_reference, &upgrade] {
        let mut incidents = Incidents::default();
        poll(&mut incidents, "12:01", &[&a]);
        for at in ["12:10", "12:11"] {
            poll(&mut incidents, at, &[b]);
            assert_eq!(in_effect(&incidents, at), ["B"], "{b:?}");
        }
        // Both at once, or the older one late.
        let mut incidents = Incidents::default();
        poll(&mut incidents, "12:10", &[b]);
        assert_eq!(seen(&incidents, "12:10"), [("B".to_owned(), Phase::Coming)], "nothing was in force that is known");
        poll(&mut incidents, "12:10", &[b, &a]);
        assert_eq!(in_effect(&incidents, "12:10"), ["B"]);
    }
    // Two updates within one poll, each of which names the one before.
    let second = ahead(updates(event("C", "12:10", "CON", 1, &["MOC171"]), &["B"]));
    let second = Warning { sent_utc: utc("2026-06-10T12:10:30Z"), onset_utc: Some(utc("12:12")), ..second };
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:01", &[&a]);
    poll(&mut incidents, "12:11", &[&update, &second]);
    assert_eq!(in_effect(&incidents, "12:11"), ["C"]);
    // What had not begun, was over, or was called off hands nothing on.
    let coming = Warning { onset_utc: Some(utc("13:00")), ..a.clone() };
    let over = Warning { ends_utc: Some(utc("12:05")), ..a.clone() };
    for before in [coming, over] {
        let mut incidents = Incidents::default();
        poll(&mut incidents, "12:01", &[&before]);
        poll(&mut incidents, "12:10", &[&update]);
        assert_eq!(seen(&incidents, "12:10"), [("B".to_owned(), Phase::Coming)]);
    }
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:01", &[&a]);
    poll(&mut incidents, "12:06", &[&a, &event("C", "12:05", "CAN", 1, &["MOC171"])]);
    poll(&mut incidents, "12:10", &[&without_reference]);
    assert_eq!(seen(&incidents, "12:10"), [("B".to_owned(), Phase::Coming)]);
}

#[test]
fn n10_issued_but_not_begun_is_seen_as_coming() {
    let a = Warning {
        onset_utc: Some(utc("21:00")),
        expires_utc: Some(utc("22:00")),
        ends_utc: Some(utc("2026-06-11T18:00:00Z")),
        ..event("A", "13:47", "NEW", 1, &["MOC171"])
    };
    let mut incidents = Incidents::default();
    poll(&mut incidents, "14:00", &[&a]);
    assert_eq!(seen(&incidents, "14:00"), [("A".to_owned(), Phase::Coming)]);
    assert_eq!(in_effect(&incidents, "21:00"), ["A"]);
    assert_eq!(in_effect(&incidents, "2026-06-11T17:59:59Z"), ["A"]);
}

#[test]
fn n11_n35_the_clock_ends_it_half_open_also_while_the_feed_is_dead() {
    let a = Warning { ends_utc: Some(utc("13:00")), ..event("A", "12:00", "NEW", 1, &["MOC171"]) };
    let mut incidents = one(a.clone());
    assert_eq!(in_effect(&incidents, "2026-06-10T12:59:59Z"), ["A"]);
    assert_eq!(in_effect(&incidents, "13:00"), Vec::<String>::new());
    assert_eq!(incidents.fate(&key(TO_1), utc("13:00")), Fate::OutOfTime);
    assert_eq!(in_effect(&incidents, "2026-06-12T12:00:00Z"), Vec::<String>::new());
    // Past ones are filtered also when the API lists them.
    poll(&mut incidents, "13:05", &[&a]);
    assert_eq!(in_effect(&incidents, "13:05"), Vec::<String>::new());
}

#[test]
fn n46_a_product_without_a_usable_end_is_not_instantly_over_and_not_forever() {
    let a = with_zone(Warning {
        expires_utc: None,
        ends_utc: None,
        onset_utc: None,
        effective_utc: None,
        ..product("A", "12:00")
    });
    let incidents = one(a);
    assert_eq!(in_effect(&incidents, "12:05"), ["A"]);
    assert_eq!(in_effect(&incidents, "2026-06-11T11:59:00Z"), ["A"]);
    assert_eq!(in_effect(&incidents, "2026-06-11T12:00:00Z"), Vec::<String>::new());
}

#[test]
fn n14_tests_exercises_and_experiments_never_count() {
    let mut incidents = Incidents::default();
    let test = with_zone(Warning { status: CapStatus::NotActual, ..product("A", "12:00") });
    let mut classes = Vec::new();
    for class in ["T", "E", "X", "O"] {
        let mut w = event(class, "12:00", "NEW", 1, &["MOC171"]);
        w.vtec =
            vec![format!("/{class}.NEW.KXXX.TO.W.000{}.260610T1200Z-260611T2100Z/", classes.len()).parse().unwrap()];
        classes.push(w);
    }
    poll(&mut incidents, "12:01", &[&test, &classes[0], &classes[1], &classes[2], &classes[3]]);
    assert_eq!(in_effect(&incidents, "12:01"), ["X", "O"]);
    // Nor does a test cancellation end a real warning.
    let mut cancel = event("C", "12:02", "CAN", 2, &["MOC171"]);
    cancel.status = CapStatus::NotActual;
    poll(&mut incidents, "12:03", &[&classes[2], &cancel]);
    assert!(in_effect(&incidents, "12:03").contains(&"X".to_owned()));
}
