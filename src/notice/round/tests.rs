use super::*;
use crate::notice::QuietHours;
use crate::notice::tests::scene::{Night, Quiet, at, browser, clock, email, point, subscribed, telling};
use crate::threat::BlindSpot;

const NOTHING: [&str; 0] = [];

fn asleep(id: &str) -> WatchPoint {
    WatchPoint { quiet_hours: Some("22:00-07:00".parse::<QuietHours>().unwrap()), ..point(id) }
}

/// A14: held, then ended.
#[test]
fn a_night_that_ended_before_the_morning_is_one_digest_that_says_was_and_now_over() {
    let mut night = Night::over([asleep("a")]);
    assert_eq!(night.reads("2:10", "a", Level::Elevated), NOTHING);
    assert_eq!(night.reads("3:40", "a", Level::None), NOTHING);
    assert_eq!(night.held().len(), 2);
    assert_eq!(night.pass("6:59"), NOTHING);
    assert_eq!(night.pass("7:00"), ["digest none a > x@y"]);
    assert_eq!(night.held(), NOTHING);
    assert_eq!(night.pass("7:01"), NOTHING, "once");
    let digest = &night.sent[0];
    assert_eq!(digest.subject, "place a: was ELEVATED from 02:10 CDT (07:10Z) to 03:40 CDT (08:40Z), now over");
    let lines: Vec<&str> = digest.text.lines().filter(|line| line.starts_with("- ")).collect();
    assert!(lines[0].contains("02:10 CDT") && lines[0].contains("ELEVATED threat at place a"), "{lines:?}");
    assert!(lines[1].contains("03:40 CDT") && lines[1].contains("All clear"), "{lines:?}");
    assert!(digest.text.contains("Held in your quiet hours until Wednesday 10 June 2026, 07:00 CDT"));
}

#[test]
fn what_stands_in_the_morning_is_said_to_stand_and_its_end_is_told_after_it() {
    let mut night = Night::over([asleep("a")]);
    night.reads("2:10", "a", Level::Elevated);
    assert_eq!(night.pass("7:00"), ["digest elevated a > x@y"]);
    assert_eq!(night.sent[0].subject, "place a: ELEVATED since 02:10 CDT (07:10Z)");
    assert!(night.sent[0].text.contains("Stands now: ELEVATED"));
    assert_eq!(night.state("a").episode.as_ref().unwrap().told_max, Level::Elevated);
    assert_eq!(night.reads("8:00", "a", Level::None), ["all_clear none a > x@y"]);
    assert_eq!(night.sent[1].thread_root.as_ref(), Some(&night.sent[0].id), "it answers to the digest");
}

#[test]
fn danger_breaks_through_and_the_digest_has_it_in_its_place() {
    let mut night = Night::over([asleep("a")]);
    assert_eq!(night.reads("2:10", "a", Level::Elevated), NOTHING);
    assert_eq!(night.reads("3:00", "a", Level::Extreme), ["raised extreme a > x@y"]);
    assert_eq!(night.reads("3:40", "a", Level::Elevated), NOTHING);
    assert_eq!(night.reads("4:30", "a", Level::None), NOTHING);
    assert_eq!(night.pass("7:00"), ["digest none a > x@y"]);
    let text = &night.sent[1].text;
    let order: Vec<_> =
        ["02:10 CDT (07:10Z): ELEVATED", "03:00 CDT (08:00Z): EXTREME", "This was told at once.", "03:40", "04:30"]
            .iter()
            .map(|part| text.rfind(part).unwrap_or_else(|| panic!("{part}: {text}")))
            .collect();
    assert!(order.is_sorted(), "{text}");
    // Were they told out of order, the ids of what went out would show it.
    assert_ne!(night.sent[0].id, night.sent[1].id);
}

#[test]
fn a_restless_night_of_two_points_is_one_digest_and_another_owner_and_another_address_have_their_own() {
    let mut other = asleep("c");
    other.owner = "p".into();
    let mut elsewhere = asleep("d");
    elsewhere.addresses = vec![email("z@y")];
    let mut night = Night::over([asleep("a"), asleep("b"), other, elsewhere]);
    night.moves(
        "2:00",
        &[("a", Level::Elevated), ("b", Level::Elevated), ("c", Level::Elevated), ("d", Level::Elevated)],
    );
    night.reads("2:30", "b", Level::None);
    let said = night.pass("7:00");
    assert_eq!(said, ["digest elevated a+b > x@y", "digest elevated c > x@y", "digest elevated d > z@y"]);
    assert_eq!(night.sent[0].subject, "place a and place b: was ELEVATED, 1 of 2 still up to ELEVATED");
}

#[test]
fn nothing_reads_as_over_that_cannot_be_seen() {
    let mut night = Night::over([asleep("a")]);
    night.reads("2:00", "a", Level::Elevated);
    night.reads("3:00", "a", Level::None);
    let spot = BlindSpot {
        source: "nws-warnings".into(),
        since_utc: Some(at(0)),
        why: "gone".into(),
        could_raise_to: Level::Extreme,
    };
    night.points.get_mut("a").unwrap().1.blind_spots = vec![spot];
    night.pass("7:00");
    assert!(night.sent[0].subject.ends_with("ended, but not everything can be seen"), "{}", night.sent[0].subject);
    assert!(night.sent[0].text.contains("not an all-clear") && !night.sent[0].text.contains("Over:"));
}

#[test]
fn a_snooze_that_is_taken_back_tells_at_once_and_one_that_is_given_later_holds_longer() {
    let mut night = Night::over([point("a")]);
    night.point("a").snooze_until_utc = Some(at(clock("12:00")));
    night.reads("9:00", "a", Level::Elevated);
    assert_eq!(night.pass("10:00"), NOTHING);
    night.point("a").snooze_until_utc = Some(at(clock("13:00")));
    assert_eq!(night.pass("10:01"), NOTHING);
    assert_eq!(night.book.held_of("a")[0].due_utc, at(clock("13:00")));
    assert_eq!(night.pass("12:00"), NOTHING);
    night.point("a").snooze_until_utc = None;
    assert_eq!(night.pass("12:30"), ["digest elevated a > x@y"]);
    assert!(night.sent[0].text.contains("snoozed"));
}

/// N22: a limit never delays a fresh danger or an escalation.
#[test]
fn over_the_owners_limit_the_rest_waits_until_the_hours_oldest_is_gone() {
    let ids = ["a", "b", "c", "d"];
    let mut night = Night::over(ids.map(|id| {
        let mut point = point(id);
        // Too far from each other to be one message.
        point.at = crate::geo::LatLon::new(36.0 + f64::from(id.as_bytes()[0] - b'a'), -98.0).unwrap();
        point
    }));
    night.limit = 2;
    assert_eq!(night.reads("12:00", "a", Level::Elevated).len(), 1);
    assert_eq!(night.reads("12:10", "b", Level::Elevated).len(), 1);
    assert_eq!(night.reads("12:20", "c", Level::Elevated), NOTHING);
    assert_eq!(night.book.held_of("c")[0].due_utc, at(clock("13:00")));
    assert_eq!(night.reads("12:21", "d", Level::Significant), ["raised significant d > x@y"]);
    assert_eq!(night.reads("12:22", "a", Level::Significant), ["raised significant a > x@y"]);
    assert_eq!(night.reads("12:30", "c", Level::None), NOTHING, "its end is told with its beginning");
    assert_eq!(night.pass("12:59"), NOTHING);
    assert_eq!(night.pass("13:00"), ["digest none c > x@y"]);
    assert!(night.sent.last().unwrap().text.contains("than your limit allows"));
}

#[test]
fn what_is_only_recorded_wakes_nobody_and_is_not_held() {
    let mut quiet = asleep("a");
    quiet.addresses = vec![];
    let mut night = Night::over([quiet]);
    night.limit = 1;
    assert_eq!(night.reads("2:00", "a", Level::Elevated), ["raised elevated a > "]);
    assert_eq!(night.reads("2:30", "a", Level::None), ["all_clear none a > "]);
}

/// A11: what is known is not repeated; its end is told.
#[test]
fn an_acknowledged_level_is_not_told_again_its_new_maximum_and_its_end_are() {
    let mut night = Night::over([point("a")]);
    night.reads("12:00", "a", Level::Significant);
    night.acknowledge("a", "12:01");
    assert_eq!(night.reads("12:10", "a", Level::Elevated), NOTHING);
    assert_eq!(night.reads("12:20", "a", Level::Significant), NOTHING);
    assert!(night.point("a").acknowledged.is_some());
    assert_eq!(night.reads("12:30", "a", Level::Extreme), ["raised extreme a > x@y"]);
    assert_eq!(night.point("a").acknowledged, None, "it is open again");
    assert_eq!(night.reads("12:40", "a", Level::Significant), ["lowered significant a > x@y"]);
    night.acknowledge("a", "12:41");
    assert_eq!(night.reads("12:50", "a", Level::None), ["all_clear none a > x@y"]);
    assert_eq!(night.reads("12:55", "a", Level::Significant), ["raised significant a > x@y"], "anew after its end");
}

#[test]
fn acknowledging_lets_go_of_what_was_held_of_that_level() {
    let mut night = Night::over([asleep("a")]);
    night.reads("2:00", "a", Level::Elevated);
    night.acknowledge("a", "2:30");
    assert_eq!(night.pass("2:30"), NOTHING);
    assert_eq!(night.held(), NOTHING);
    assert!(night.state("a").episode.as_ref().unwrap().last_deliveries.is_empty(), "nothing there to be missed");
    assert_eq!(night.pass("7:00"), NOTHING);
    assert_eq!(night.reads("7:30", "a", Level::None), ["all_clear none a > x@y"]);
}

#[test]
fn the_same_night_has_the_same_ids_and_the_held_rows_leave_with_the_digest() {
    let live = || {
        let mut night = Night::over([asleep("a"), asleep("b")]);
        night.moves("2:00", &[("a", Level::Elevated), ("b", Level::Elevated)]);
        night.pass("7:00");
        night
    };
    let (one, two) = (live(), live());
    assert_eq!(one.sent, two.sent);
    let last = one.rounds.last().unwrap();
    assert_eq!(last.released.len(), 2);
    assert_eq!(last.deliveries.len(), 1);
    let held: Vec<_> = one.rounds.iter().flat_map(|round| &round.held).map(|row| &row.id).collect();
    assert_eq!(held, last.released.iter().collect::<Vec<_>>());
}

/// Something that was lost on its way to one address is told there again, and nowhere else.
#[test]
fn a_lost_notice_is_told_again_to_the_address_that_it_was_lost_to() {
    let mut lost = telling("a", Level::Extreme, "TO.65");
    lost.point.addresses = vec![email("x@y"), email("z@y")];
    let means = Means { book: &Book::default(), evidence: &Quiet, per_owner_hour: 30, now: at(0) };
    let mut first = [lost.clone()];
    assert_eq!(round(&mut first, &means).deliveries.len(), 2);
    let mut again = [Telling { only: Some(vec!["email:z@y".into()]), ..first[0].clone() }];
    again[0].state.episode.as_mut().unwrap().sequence += 1;
    let made = round(&mut again, &means).deliveries;
    assert_eq!(made.iter().map(|delivery| delivery.address.to.as_str()).collect::<Vec<_>>(), ["z@y"]);
    let noted = &again[0].state.episode.as_ref().unwrap().last_deliveries;
    assert_eq!(noted.len(), 2);
    assert_eq!(noted[0], first[0].state.episode.as_ref().unwrap().last_deliveries[0], "the other one stands");
}

/// What a digest says of the highest level is of that level.
#[test]
fn a_digest_dates_the_highest_level_by_its_own_time() {
    let mut night = Night::over([asleep("a")]);
    night.reads("2:05", "a", Level::Elevated);
    night.reads("2:22", "a", Level::Extreme);
    night.reads("3:10", "a", Level::Significant);
    night.pass("7:00");
    let last = |night: &Night| night.sent.last().unwrap().subject.clone();
    assert_eq!(last(&night), "place a: was EXTREME from 02:22 CDT (07:22Z), now SIGNIFICANT");

    let mut night = Night::over([asleep("a")]);
    night.reads("2:05", "a", Level::Elevated);
    night.reads("2:22", "a", Level::Extreme);
    night.reads("3:10", "a", Level::Elevated);
    night.reads("4:00", "a", Level::None);
    night.pass("7:00");
    assert_eq!(last(&night), "place a: was EXTREME from 02:22 CDT (07:22Z) to 03:10 CDT (08:10Z), now over");
}

/// Below the level that was asked for is not over.
#[test]
fn a_digest_says_over_of_nothing_that_stands() {
    let mut night = Night::over([asleep("a")]);
    night.reads("2:05", "a", Level::Elevated);
    night.reads("3:10", "a", Level::Marginal);
    night.pass("7:00");
    let subject =
        "place a: was ELEVATED from 02:05 CDT (07:05Z) to 03:10 CDT (08:10Z), now below your level (still MARGINAL)";
    assert_eq!(night.sent[0].subject, subject);

    // What rose was told at once: only its end was held.
    let mut night = Night::over([WatchPoint { min_level: Level::Extreme, ..asleep("a") }]);
    night.reads("2:05", "a", Level::Extreme);
    night.reads("3:10", "a", Level::Significant);
    night.pass("7:00");
    let digest = &night.sent[1];
    assert_eq!(digest.subject, "place a: below your level (still SIGNIFICANT) since 03:10 CDT (08:10Z)");
    let section = digest.text.lines().find(|line| line.starts_with("Below the level")).unwrap();
    assert!(section.ends_with("it reads significant now: inside Tornado Warning"), "{section}");
    assert!(!digest.text.contains("\nOver:") && !digest.text.contains("now over"), "{}", digest.text);
    assert!(!digest.text.contains("All clear"), "{}", digest.text);
}

#[test]
fn what_is_held_of_one_point_is_bounded_and_the_oldest_go() {
    let mut night = Night::over([asleep("a")]);
    for n in 0..130 {
        let level = if n % 2 == 0 { Level::Elevated } else { Level::None };
        night.reads(&format!("1:{}", n % 60), "a", level);
    }
    assert_eq!(night.held().len(), HELD_PER_POINT_MAX);
    assert_eq!(night.pass("7:00").len(), 1);
    assert_eq!(night.held(), NOTHING);
}

/// Nothing is all-cleared that was never told, to nobody.
#[test]
fn who_came_late_is_told_what_stands_before_its_end_and_without_that_not_of_its_end() {
    let mut night = Night::over([point("a")]);
    assert_eq!(night.reads("12:00", "a", Level::Extreme), ["raised extreme a > x@y"]);
    night.point("a").addresses.push(email("late@y"));
    assert_eq!(night.reconcile("12:01"), ["raised extreme a > late@y"]);
    assert!(
        night.sent[1].text.contains("Already in effect since Wednesday 10 June 2026, 12:00 CDT"),
        "{}",
        night.sent[1].text
    );
    assert_eq!(night.sent[1].seen_utc, None, "how quickly it was seen is another's measure");
    assert_eq!(night.reconcile("12:02"), NOTHING, "once");
    night.point("a").addresses.push(email("later@y"));
    assert_eq!(night.reads("12:30", "a", Level::Elevated), ["lowered elevated a > late@y", "lowered elevated a > x@y"]);
    assert_eq!(night.reconcile("12:31"), ["raised elevated a > later@y"]);
    night.point("a").addresses.push(email("last@y"));
    let over = ["all_clear none a > late@y", "all_clear none a > later@y", "all_clear none a > x@y"];
    assert_eq!(night.reads("13:00", "a", Level::None), over);
    assert_eq!(night.reconcile("13:01"), NOTHING, "it is over");
    let again = night.reads("13:20", "a", Level::Elevated);
    assert_eq!(again.len(), 4, "a rise is told to all: {again:?}");
}

#[test]
fn a_browser_added_in_mid_storm_is_told_what_stands() {
    let mut watched = point("a");
    watched.addresses = vec![browser("")];
    let mut night = Night::over([watched]);
    let of = subscribed;
    night.book.set_browsers([of("br_1")]);
    assert_eq!(night.reads("12:00", "a", Level::Elevated), ["raised elevated a > br_1"]);
    night.book.set_browsers([of("br_1"), of("br_2")]);
    assert_eq!(night.reconcile("12:01"), ["raised elevated a > br_2"]);
    night.book.set_browsers([of("br_1"), of("br_2"), of("br_3")]);
    assert_eq!(night.reads("12:30", "a", Level::None), ["all_clear none a > br_1", "all_clear none a > br_2"]);
}

/// The browsers of a point that asks for push alone go in mid-storm: the owner's inbox hears of all that follows.
#[test]
fn where_no_browser_is_left_the_owners_inbox_gets_what_follows() {
    let mut watched = point("a");
    watched.addresses = vec![browser("")];
    let mut night = Night::over([watched]);
    night.book.set_inboxes([("o".to_owned(), vec![email("x@y")])].into());
    night.book.set_browsers([subscribed("br_1")]);
    assert_eq!(night.reads("12:00", "a", Level::Significant), ["raised significant a > br_1"]);

    night.book.set_browsers([]);
    let gone = crate::notice::Delivery { address: email("x@y"), ..night.sent[0].clone() };
    let stand_in = crate::notice::Delivery { id: "stand-in".into(), stands_in_for: Some(gone.id.clone()), ..gone };
    assert!(night.given_up("a", &night.sent[0].clone(), &stand_in));
    assert_eq!(night.reconcile("12:01"), NOTHING, "the stand-in told it");
    assert_eq!(night.reads("12:07", "a", Level::Extreme), ["raised extreme a > x@y"]);
    let said = "Sent here because push is asked for at place a and no browser is left to show it.";
    assert!(
        night.sent[1].text.trim_end().ends_with(said) && night.sent[1].html.contains(said),
        "{}",
        night.sent[1].text
    );
    assert_eq!(night.sent[1].thread_root.as_deref(), Some("stand-in"), "in the thread that it knows");
    assert_eq!(night.reads("12:40", "a", Level::None), ["all_clear none a > x@y"]);

    night.book.set_browsers([subscribed("br_2")]);
    assert_eq!(night.reads("13:00", "a", Level::Elevated), ["raised elevated a > br_2"]);
    assert!(!night.sent[3].text.contains("no browser"), "{}", night.sent[3].text);
}

/// Without a stand-in (the owner removed the browser) the inbox is told what stands.
#[test]
fn a_browser_that_was_removed_in_mid_storm_leaves_what_stands_to_the_inbox() {
    let mut watched = point("a");
    watched.addresses = vec![browser("")];
    let mut night = Night::over([watched]);
    night.book.set_browsers([subscribed("br_1")]);
    night.reads("12:00", "a", Level::Extreme);
    night.book.set_browsers([]);
    assert_eq!(night.reconcile("12:01"), NOTHING, "nobody to tell");
    night.book.set_inboxes([("o".to_owned(), vec![email("x@y")])].into());
    assert_eq!(night.reconcile("12:02"), ["raised extreme a > x@y"]);
    assert_eq!(night.reconcile("12:03"), NOTHING, "once");
}

/// A channel that was switched off while the level rose, and is switched on again.
#[test]
fn who_comes_back_is_told_what_stands_by_now() {
    let mut night = Night::over([point("a")]);
    night.point("a").addresses.push(email("z@y"));
    assert_eq!(night.reads("12:00", "a", Level::Elevated).len(), 2);
    night.change("a", |point| drop(point.addresses.pop()));
    assert_eq!(night.reads("12:10", "a", Level::Extreme), ["raised extreme a > x@y"]);
    night.point("a").addresses.push(email("z@y"));
    assert_eq!(night.reconcile("12:11"), ["raised extreme a > z@y"]);
    assert_eq!(night.sent[3].thread_root.as_ref(), Some(&night.sent[1].id), "in the thread that it knows");
}

/// An address hears of what stands once, when it comes: to put that off until others have said less could be for good.
#[test]
fn who_came_late_is_told_at_once_whatever_the_limit_and_it_counts() {
    let mut night = Night::over([point("a")]);
    night.limit = 1;
    assert_eq!(night.reads("12:00", "a", Level::Elevated), ["raised elevated a > x@y"]);
    night.point("a").addresses.push(email("late@y"));
    assert_eq!(night.reconcile("12:01"), ["raised elevated a > late@y"]);
    assert_eq!((night.reconcile("12:02"), night.held()), (vec![], vec![]));
    assert_eq!(night.reads("13:00", "a", Level::Marginal), NOTHING, "it counts: the end is held until 13:01");
    assert_eq!(night.held().len(), 1);
}
