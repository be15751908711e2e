use super::*;
use crate::notice::Acknowledged;
use crate::notice::tests::scene::{at, browser, email, episode, point};
use Known::{Nowhere, Settled, TooLate, Unwanted, Waits};

/// What is lost of a point at `level` whose newest notice went to these addresses and ended so.
fn lost_of(level: Level, last: &[(&str, Known)]) -> Option<Option<Vec<String>>> {
    let mut state = PointState { level, episode: Some(episode("ep")), ..PointState::quiet(at(0)) };
    let ids = last.iter().map(|(to, _)| ((*to).to_owned(), format!("id {to}")));
    let episode = state.episode.as_mut().unwrap();
    (episode.last_deliveries, episode.last_decided_utc) = (ids.collect(), Some(at(10)));
    let known = |id: &str| last.iter().find(|(to, _)| id == format!("id {to}")).unwrap().1;
    let found = lost_on_the_way(&point("a"), &state, &[email("x@y"), browser("br_1")], Some(at(0)), known);
    found.map(|lost| lost.to)
}

#[test]
fn what_waits_is_held_or_settled_is_not_told_again() {
    for known in [Waits, Settled] {
        assert_eq!(lost_of(Level::Extreme, &[("email:x@y", known), ("web_push:br_1", known)]), None);
        assert_eq!(lost_of(Level::Extreme, &[("held", known)]), None);
    }
}

#[test]
fn what_is_nowhere_is_told_again_to_those_whom_it_was_lost_to() {
    let one = lost_of(Level::Extreme, &[("email:x@y", Settled), ("web_push:br_1", Nowhere)]);
    assert_eq!(one, Some(Some(vec!["web_push:br_1".to_owned()])));
    assert_eq!(lost_of(Level::None, &[("email:x@y", Nowhere)]), Some(Some(vec!["email:x@y".to_owned()])));
    assert_eq!(lost_of(Level::Elevated, &[("held", Nowhere)]), Some(None), "a held row that is gone");
    assert_eq!(lost_of(Level::Elevated, &[("", Nowhere)]), Some(None), "of an earlier build");
}

/// A browser that went and an address that unsubscribed take their rows with them: nobody is to be told again.
#[test]
fn addresses_that_were_taken_away_are_not_missed() {
    let gone = lost_of(Level::Extreme, &[("email:was@y", Nowhere), ("web_push:br_9", Nowhere), ("email:x@y", Settled)]);
    assert_eq!(gone, None);
    assert_eq!(lost_of(Level::Extreme, &[("web_push:br_9", Nowhere)]), None);
}

#[test]
fn what_nobody_heard_while_it_was_of_use_is_told_again_while_it_stands() {
    let late = [("email:x@y", TooLate), ("web_push:br_1", TooLate)];
    assert_eq!(lost_of(Level::Elevated, &late), Some(None));
    assert_eq!(lost_of(Level::None, &late), None, "it is over");
    assert_eq!(lost_of(Level::Elevated, &[("email:x@y", TooLate), ("web_push:br_1", Settled)]), None);
}

#[test]
fn what_the_ledger_no_longer_keeps_may_have_been_told() {
    let state = |decided| {
        let last_deliveries = vec![("email:x@y".to_owned(), "id".to_owned())];
        let episode = Episode { last_deliveries, last_decided_utc: decided, ..episode("ep") };
        PointState { level: Level::Extreme, episode: Some(episode), ..PointState::quiet(at(0)) }
    };
    let lost = |decided, oldest| lost(&point("a"), &state(decided), &[email("x@y")], oldest, at(11), |_| Nowhere);
    assert_eq!(lost(Some(at(9)), Some(at(10))), None);
    assert!(lost(Some(at(10)), Some(at(10))).is_some());
    assert!(lost(Some(at(9)), None).is_some(), "an empty ledger has pruned nothing");
    assert!(lost(Some(at(10)), None).unwrap().is_still(&state(Some(at(10)))));
}

/// Whom the present state has to be told to, where the newest notice went to `last` and all of it was told.
fn late(point: &WatchPoint, level: Level, last: &[&str], minute: i64) -> Vec<String> {
    let mut state = PointState { level, episode: Some(episode("ep")), ..PointState::quiet(at(0)) };
    let episode = state.episode.as_mut().unwrap();
    episode.last_deliveries = last.iter().map(|to| ((*to).to_owned(), format!("id {to}"))).collect();
    let found = lost(point, &state, &[email("x@y"), browser("br_1")], None, at(minute), |_| Settled);
    found.map_or_else(Vec::new, |lost| {
        assert!(lost.is_still(&state));
        lost.to.unwrap()
    })
}

const NOBODY: [&str; 0] = [];

#[test]
fn who_comes_in_mid_storm_is_told_what_stands() {
    let noon = 12 * 60;
    assert_eq!(late(&point("a"), Level::Elevated, &["email:x@y"], noon), ["web_push:br_1"]);
    assert_eq!(late(&point("a"), Level::Elevated, &["none:"], noon), ["email:x@y", "web_push:br_1"]);
    assert_eq!(late(&point("a"), Level::Elevated, &["email:x@y", "web_push:br_1"], noon), NOBODY);
    assert_eq!(late(&point("a"), Level::Marginal, &["email:x@y"], noon), NOBODY, "below what is told");
    assert_eq!(late(&point("a"), Level::Elevated, &["held"], noon), NOBODY, "the digest goes to everybody");
    assert_eq!(late(&point("a"), Level::Elevated, &[""], noon), NOBODY, "an earlier build told everybody");
}

#[test]
fn who_comes_late_and_sleeps_is_not_woken() {
    let asleep = WatchPoint { quiet_hours: Some("22:00-07:00".parse().unwrap()), ..point("a") };
    assert_eq!(late(&asleep, Level::Elevated, &["email:x@y"], 6 * 60), NOBODY);
    assert_eq!(late(&asleep, Level::Elevated, &["email:x@y"], 7 * 60), ["web_push:br_1"]);
    assert_eq!(late(&asleep, Level::Significant, &["email:x@y"], 6 * 60), ["web_push:br_1"]);
}

/// Who has to be told what stands at `level`, of these who were told before and what the newest notice went to.
fn due_to(point: &WatchPoint, level: Level, told: &[&str], last: &[(&str, Known)], now: i64) -> Option<Vec<String>> {
    let pair = |to: &str| (to.to_owned(), format!("id {to}"));
    let episode = Episode {
        told: told.iter().map(|to| pair(to)).collect(),
        last_deliveries: last.iter().map(|(to, _)| pair(to)).collect(),
        ..episode("ep")
    };
    let state = PointState { level, episode: Some(episode), ..PointState::quiet(at(0)) };
    let known = |id: &str| last.iter().find(|(to, _)| id == format!("id {to}")).unwrap().1;
    let addresses = [email("x@y"), email("late@y")];
    latecomers(point, &state, &addresses, at(now), known).and_then(|lost| lost.to)
}

#[test]
fn who_comes_late_is_told_of_what_wakes_although_something_is_held() {
    let point = WatchPoint { quiet_hours: Some("22:00-07:00".parse().unwrap()), ..point("a") };
    let night = [("held", Waits)];
    assert_eq!(due_to(&point, Level::Significant, &["email:x@y"], &night, 60), Some(vec!["email:late@y".to_owned()]));
    assert_eq!(due_to(&point, Level::Elevated, &["email:x@y"], &night, 60), None, "its digest goes there too");
}

#[test]
fn who_comes_after_another_said_to_know_of_it_is_told_all_the_same() {
    let acknowledged = Acknowledged { episode: "ep".into(), level: Level::Extreme, at_utc: at(5) };
    let point = WatchPoint { acknowledged: Some(acknowledged), ..point("a") };
    let last = [("email:x@y", Settled)];
    assert_eq!(due_to(&point, Level::Extreme, &["email:x@y"], &last, 60), Some(vec!["email:late@y".to_owned()]));
    let both = ["email:x@y", "email:late@y"];
    assert_eq!(due_to(&point, Level::Extreme, &both, &last, 60), None, "it was told before");
}

#[test]
fn who_unsubscribed_while_a_notice_waited_and_came_back_is_told_what_stands() {
    let both = ["email:x@y", "email:late@y"];
    let last = [("email:x@y", Settled), ("email:late@y", Unwanted)];
    assert_eq!(due_to(&point("a"), Level::Extreme, &both, &last, 60), Some(vec!["email:late@y".to_owned()]));
    assert_eq!(due_to(&point("a"), Level::None, &both, &last, 60), None, "it is over");
}
