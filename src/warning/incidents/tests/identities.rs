//! Which messages are about the same thing.

use super::*;

#[test]
fn n01_update_is_the_same_incident() {
    let mut incidents = Incidents::default();
    let a = product("A", "12:00");
    let a = Warning { ugc: vec!["MOC171".into()], ..a };
    let b = updates(Warning { id: "B".into(), sent_utc: utc("12:10"), ..a.clone() }, &["A"]);
    poll(&mut incidents, "12:05", &[&a]);
    let before = incidents.around(place(), Some(&["MOC171".to_owned()]), 0.0, utc("12:05"));
    poll(&mut incidents, "12:11", &[&a, &b]);
    let after = incidents.around(place(), Some(&["MOC171".to_owned()]), 0.0, utc("12:11"));
    assert_eq!((before.len(), after.len()), (1, 1));
    assert_eq!(before[0].key, after[0].key, "updated, not new");
    assert_eq!(after[0].warning.id, "B");
    // Heard first after a restart, the chain has the same name.
    let mut restarted = Incidents::default();
    poll(&mut restarted, "12:11", &[&b]);
    assert_eq!(restarted.fate(&before[0].key, utc("12:11")), Fate::InEffect);
}

#[test]
fn n01_the_same_with_vtec() {
    let mut incidents = Incidents::default();
    let a = event("A", "12:00", "NEW", 1, &["MOC171"]);
    let b = updates(event("B", "12:10", "CON", 1, &["MOC171"]), &["A"]);
    poll(&mut incidents, "12:05", &[&a]);
    poll(&mut incidents, "12:11", &[&b, &a]);
    assert_eq!(in_effect(&incidents, "12:11"), ["B"]);
    assert_eq!(incidents.len(), 1);
    assert_eq!(incidents.fate(&key(TO_1), utc("12:11")), Fate::InEffect);
}

#[test]
fn n04_n23_equal_texts_are_not_the_same_event() {
    let mut incidents = Incidents::default();
    let a = Warning { area: Some(square(40.5, -93.0)), ..event("A", "12:00", "NEW", 1, &["MOC171"]) };
    let b = Warning { area: Some(square(40.55, -93.05)), ..event("B", "12:00", "NEW", 2, &["MOC171"]) };
    let c = Warning { ugc: vec!["MOC171".into()], ..product("C", "12:00") };
    let d = Warning { ugc: vec!["MOC173".into()], ..product("D", "12:00") };
    poll(&mut incidents, "12:01", &[&a, &b, &c, &d]);
    assert_eq!(in_effect(&incidents, "12:01"), ["A", "B", "C"]);
    assert_eq!(incidents.len(), 4);
}

#[test]
fn n32_a_tracking_number_given_out_twice_is_a_new_incident_if_place_or_time_are_apart() {
    let here = Warning { area: Some(square(40.5, -93.0)), ..event("A", "12:00", "NEW", 1, &["MOC171"]) };
    let elsewhere = Warning { area: Some(square(38.0, -91.0)), ..event("B", "12:02", "NEW", 1, &["MOC001"]) };
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:03", &[&here, &elsewhere]);
    assert_eq!(incidents.len(), 2);
    assert_eq!(in_effect(&incidents, "12:03"), ["A"]);
    // What follows the second one ends the second one.
    let cancel = event("C", "12:20", "CAN", 1, &["MOC001"]);
    poll(&mut incidents, "12:21", &[&here, &elsewhere, &cancel]);
    assert_eq!(in_effect(&incidents, "12:21"), ["A"]);
    assert_eq!(incidents.fate(&key(TO_1), utc("12:21")), Fate::InEffect);
    assert_eq!(incidents.fate(&key("KXXX.TO.W.0001.2026@20260610T1202Z"), utc("12:21")), Fate::Cancelled);
    // The same ground hours after the first ended: another event.
    let early = Warning { ends_utc: Some(utc("13:00")), ..event("D", "12:00", "NEW", 3, &["MOC171"]) };
    let late = event("E", "15:00", "NEW", 3, &["MOC171"]);
    poll(&mut incidents, "12:30", &[&here, &early]);
    poll(&mut incidents, "15:01", &[&here, &late]);
    assert!(in_effect(&incidents, "15:01").contains(&"E".to_owned()));
    assert_eq!(incidents.fate(&key("KXXX.TO.W.0003.2026"), utc("15:01")), Fate::OutOfTime);
}

#[test]
fn segments_of_one_product_are_one_incident_and_one_sight() {
    let west = event("A1", "12:00", "NEW", 1, &["MOZ008"]);
    let east = event("A2", "12:00", "NEW", 1, &["MOZ009"]);
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:01", &[&west, &east]);
    assert_eq!(incidents.len(), 1);
    assert_eq!(in_effect(&incidents, "12:01"), ["A1"]);
    // A later update of one leaves the other.
    let next = updates(event("B2", "12:30", "CON", 1, &["MOZ009"]), &["A2"]);
    poll(&mut incidents, "12:31", &[&west, &next]);
    assert_eq!(in_effect(&incidents, "12:31"), ["A1"]);
    assert_eq!(incidents.standing(utc("12:31")).count(), 2);
}

#[test]
fn n43_of_reissues_without_references_the_newest_wins() {
    let x = |id: &str, sent: &str| Warning { ugc: vec!["MOC171".into()], ..product(id, sent) };
    let all = [x("x1", "12:00"), x("x2", "12:10"), x("x3", "12:20"), x("x4", "12:30"), x("x5", "12:40")];
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:25", &[&all[0], &all[1], &all[2]]);
    assert_eq!(in_effect(&incidents, "12:25"), ["x3"]);
    let first = incidents.standing(utc("12:25")).next().unwrap().0.clone();
    poll(&mut incidents, "12:45", &all.iter().collect::<Vec<_>>());
    assert_eq!(in_effect(&incidents, "12:45"), ["x5"]);
    assert_eq!(incidents.fate(&first, utc("12:45")), Fate::InEffect);
    assert_eq!(incidents.len(), 1);
    let other_area = Warning { area: Some(square(40.5, -93.0)), ..x("y", "12:50") };
    poll(&mut incidents, "12:51", &[&all[4], &other_area]);
    assert_eq!(in_effect(&incidents, "12:51"), ["y", "x5"], "another polygon is another event");
}

#[test]
fn n47_products_without_vtec_go_by_id_and_references() {
    let area = Some(square(40.5, -93.0));
    let a = Warning { area: area.clone(), ..product("A", "12:00") };
    let b = updates(
        Warning { id: "B".into(), sent_utc: utc("12:20"), area: Some(square(40.52, -92.95)), ..a.clone() },
        &["A"],
    );
    let c = updates(Warning { id: "C".into(), sent_utc: utc("12:40"), ..b.clone() }, &["A", "B"]);
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:01", &[&a]);
    // The update in between is never seen.
    poll(&mut incidents, "12:41", &[&c]);
    assert_eq!(in_effect(&incidents, "12:41"), ["C"]);
    assert_eq!(incidents.fate(&key("cap:A"), utc("12:41")), Fate::InEffect);
    assert_eq!(incidents.len(), 1);
    // An older copy of it that comes back does not.
    poll(&mut incidents, "12:42", &[&a, &b, &c]);
    assert_eq!(in_effect(&incidents, "12:42"), ["C"]);
}

#[test]
fn an_event_of_december_goes_on_in_january() {
    let mut incidents = Incidents::default();
    let old = event("A", "2026-12-31T22:00:00Z", "NEW", 1, &["MOC171"]);
    let next = event("B", "2027-01-01T04:00:00Z", "CON", 1, &["MOC171"]);
    let fresh = Warning { area: None, ..event("C", "2027-01-01T04:00:00Z", "NEW", 1, &["MOC999"]) };
    incidents.take(&snapshot("2026-12-31T22:01:00Z", &[&old]), utc("2026-12-31T22:01:00Z"));
    incidents.take(&snapshot("2027-01-01T04:01:00Z", &[&next, &fresh]), utc("2027-01-01T04:01:00Z"));
    let keys: Vec<&str> = incidents.standing(utc("2027-01-01T04:01:00Z")).map(|(key, ..)| key.0.as_str()).collect();
    assert_eq!(keys, [TO_1, "KXXX.TO.W.0001.2027"]);
    // Without the memory of December it is named after January: the stored key still leads to it.
    let mut restarted = Incidents::default();
    restarted.take(&snapshot("2027-01-01T04:01:00Z", &[&next]), utc("2027-01-01T04:01:00Z"));
    assert_eq!(restarted.fate(&key(TO_1), utc("2027-01-01T04:01:00Z")), Fate::InEffect);
}

#[test]
fn products_that_reference_each_other_or_themselves_do_not_vanish() {
    let a = updates(Warning { ugc: vec!["MOC171".into()], ..product("A", "12:00") }, &["A", "B"]);
    let b = updates(Warning { ugc: vec!["MOC171".into()], ..product("B", "12:00") }, &["A"]);
    let mut incidents = Incidents::default();
    poll(&mut incidents, "12:01", &[&a, &b]);
    assert_eq!(in_effect(&incidents, "12:01").len(), 1);
}
