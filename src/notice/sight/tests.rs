use super::*;
use crate::notice::QuietHours;
use crate::notice::tests::scene::{at, clock, email, point};
use crate::observation::{Observation, Report};
use crate::threat::start;
use crate::warning::WarningSnapshot;
use std::sync::Arc;

/// What owners are told at a time when the feed was last heard at another.
fn told(book: &mut Book, points: &[(WatchPoint, Level)], last_heard: &str, now: &str) -> Vec<String> {
    let heard = at(clock(last_heard));
    let lately = at(clock(now)) < later(heard, WARNINGS_USABLE_FOR);
    told_by(book, points, if lately { Hearing::Whole } else { Hearing::NotSince(heard) }, now)
}

fn told_by(book: &mut Book, points: &[(WatchPoint, Level)], hearing: Hearing, now: &str) -> Vec<String> {
    let states: Vec<PointState> = points.iter().map(|(_, level)| unseen(*level)).collect();
    let points = points.iter().map(|(point, _)| point).zip(states.iter().map(Some));
    let told = owners_told(points, Some(hearing), book, at(clock(now)));
    book.sights.extend(told.sights);
    let said = told
        .deliveries
        .iter()
        .map(|d| format!("{} {} > {}", d.reason.as_str(), d.watch_points.join("+"), d.address.to));
    said.collect()
}

/// A level, all of which is out of sight.
fn unseen(level: Level) -> PointState {
    PointState { level, blind_since_utc: Some(at(0)), ..PointState::quiet(at(0)) }
}

fn house() -> Vec<(WatchPoint, Level)> {
    let mut elsewhere = point("b");
    elsewhere.addresses = vec![email("z@y"), email("x@y")];
    vec![(point("a"), Level::None), (elsewhere, Level::Marginal), (point("c"), Level::Extreme)]
}

#[test]
fn after_half_an_hour_each_owner_gets_one_message_about_what_is_below_its_level() {
    let (mut book, house) = (Book::default(), house());
    assert_eq!(told(&mut book, &house, "12:00", "12:29"), Vec::<String>::new());
    let expected = ["went_blind a+b > x@y", "went_blind a+b > z@y"];
    assert_eq!(told(&mut book, &house, "12:00", "12:30"), expected);
    assert_eq!(told(&mut book, &house, "12:00", "12:31"), Vec::<String>::new(), "once");
    // Heard again: at once.
    assert_eq!(told(&mut book, &house, "13:00", "13:00"), ["sees_again a+b > x@y", "sees_again a+b > z@y"]);
    assert_eq!(told(&mut book, &house, "13:00", "13:01"), Vec::<String>::new());
    // Blind again the same day, and the next.
    assert_eq!(told(&mut book, &house, "14:00", "16:00"), Vec::<String>::new());
    assert_eq!(told(&mut book, &house, "16:00", "16:00"), Vec::<String>::new());
    assert_eq!(told(&mut book, &house, "14:00", "36:29"), Vec::<String>::new());
    assert_eq!(told(&mut book, &house, "14:00", "36:30"), expected);
}

#[test]
fn neither_blind_for_long_nor_seen_says_nothing_and_a_feed_that_is_not_asked_is_not_missed() {
    let (mut book, house) = (Book::default(), house());
    told(&mut book, &house, "12:00", "12:30");
    assert_eq!(told(&mut book, &house, "12:40", "12:45"), Vec::<String>::new(), "not fresh enough to be seen");
    let points = house.iter().map(|(point, _)| (point, None));
    assert_eq!(owners_told(points, None, &book, at(clock("20:00"))), OwnersTold::default());
    let picture = Picture::default();
    assert_eq!(hearing(&picture, at(0), at(3)), Some(Hearing::NotSince(at(0))), "dead from the start on");
    let off = Picture { off: Arc::new([NWS_WARNINGS].into()), ..picture };
    assert_eq!(hearing(&off, at(0), at(3)), None);
}

#[test]
fn a_start_amid_a_silence_goes_on_counting_it_and_is_no_sight() {
    let (mut book, house) = (Book::default(), house());
    told(&mut book, &house, "12:00", "12:30");
    let started = at(clock("13:00"));
    let mut picture = Picture::default();
    assert_eq!(told_by(&mut book, &house, Hearing::NotSince(started), "13:01"), Vec::<String>::new(), "no sight");

    Arc::make_mut(&mut picture.warnings).remember_accepted(at(clock("12:10")));
    let after = |text: &str| hearing(&picture, started, at(clock(text)));
    assert_eq!(after("13:01"), Some(Hearing::NotSince(started)), "it asks for itself first");
    let silent = after("13:02").unwrap();
    assert_eq!(silent, Hearing::NotSince(at(clock("12:10"))));
    let expected = ["went_blind a+b > x@y", "went_blind a+b > z@y"];
    assert_eq!(told_by(&mut Book::default(), &house, silent, "13:02"), expected);
}

/// Each life is shorter than the time that one asks for itself.
#[test]
fn a_process_that_is_started_again_and_again_amid_a_silence_tells_of_it() {
    let polled = |minute: i64| Report {
        source: NWS_WARNINGS,
        polled_utc: at(minute),
        good: false,
        observations: Vec::new(),
        faults: Vec::new(),
    };
    let mut kept: Vec<(&str, String)> = Vec::new();
    let mut life = |started: i64, fails: bool| {
        let mut picture = Picture::default();
        Arc::make_mut(&mut picture.warnings).remember_accepted(at(-40));
        kept.iter().for_each(|(name, text)| start::remember(&mut picture, name, text, at(started)));
        if fails {
            picture.take(&polled(started));
        }
        kept = start::to_remember(&picture).into_iter().filter_map(|(name, text)| Some((name, text?))).collect();
        hearing(&picture, at(started), at(started)).unwrap()
    };
    assert_eq!([0, 1].map(|minute| life(minute, true)), [0, 1].map(|minute| Hearing::NotSince(at(minute))));
    assert_eq!(life(2, false), Hearing::NotSince(at(2)), "it has not asked yet");
    assert_eq!(life(3, true), Hearing::NotSince(at(-40)), "the third that asks in vain");

    let mut picture = Picture::default();
    kept.iter().for_each(|(name, text)| start::remember(&mut picture, name, text, at(4)));
    let quiet = WarningSnapshot { updated_utc: Some(at(4)), warnings: Vec::new(), unread: 0 };
    let snapshot = Observation::Warnings(Arc::new(quiet));
    picture.take(&Report { good: true, observations: vec![snapshot], ..polled(4) });
    assert_eq!(picture.unheard_since_utc, None);
    kept = start::to_remember(&picture).into_iter().filter_map(|(name, text)| Some((name, text?))).collect();
    assert!(kept.iter().any(|(name, text)| name.ends_with("unheard") && text.is_empty()), "what was kept is over");
}

/// Nothing is listed, but for what cannot be read.
fn heard(picture: &mut Picture, minute: i64, unread: u32) {
    let snapshot = WarningSnapshot { updated_utc: Some(at(minute)), warnings: Vec::new(), unread };
    let observations = vec![Observation::Warnings(Arc::new(snapshot))];
    let report = Report { source: NWS_WARNINGS, polled_utc: at(minute), good: true, observations, faults: Vec::new() };
    picture.take(&report);
}

/// What levels take for blind is told as blind, and is no sight.
#[test]
fn a_feed_that_is_heard_and_cannot_be_relied_on_is_not_seen() {
    let mut picture = Picture::default();
    heard(&mut picture, 0, 0);
    assert_eq!(hearing(&picture, at(0), at(0)), Some(Hearing::Whole));
    heard(&mut picture, 1, 1);
    assert_eq!(hearing(&picture, at(0), at(1)), Some(Hearing::InPartSince(at(0))));
    heard(&mut picture, 31, 1);
    let in_part = hearing(&picture, at(0), at(31)).unwrap();
    let mut book = Book::default();
    assert_eq!(told_by(&mut book, &house(), in_part, "0:31").len(), 2);
    heard(&mut picture, 32, 0);
    let whole = hearing(&picture, at(0), at(32)).unwrap();
    assert_eq!(told_by(&mut book, &house(), whole, "0:32"), ["sees_again a+b > x@y", "sees_again a+b > z@y"]);

    // In part, and then nothing any more: it is one blindness.
    heard(&mut picture, 40, 1);
    assert_eq!(hearing(&picture, at(0), at(50)), Some(Hearing::NotSince(at(32))));

    // Emptied with a fresh time: an earlier life of the process had counted sixty.
    let mut picture = Picture::default();
    Arc::make_mut(&mut picture.warnings).remember_standing(60);
    heard(&mut picture, 0, 0);
    assert_eq!(hearing(&picture, at(-60), at(0)), Some(Hearing::NotSince(at(0))), "doubted");
}

#[test]
fn one_owner_hears_nothing_of_another_and_one_whose_points_all_stand_hears_of_each() {
    let mut other = point("p1");
    (other.owner, other.addresses) = ("p".into(), vec![email("p@y")]);
    let mut book = Book::default();
    let points = [(point("a"), Level::None), (other, Level::None)];
    assert_eq!(told(&mut book, &points, "12:00", "12:30"), ["went_blind a > x@y", "went_blind p1 > p@y"]);
    let standing = [(point("a"), Level::Elevated)];
    assert_eq!(told(&mut Book::default(), &standing, "12:00", "12:30"), Vec::<String>::new());
}

#[test]
fn sleepers_are_not_woken_for_it_and_told_when_they_wake() {
    let mut asleep = point("a");
    asleep.quiet_hours = Some("22:00-07:00".parse::<QuietHours>().unwrap());
    let (mut book, points) = (Book::default(), [(asleep, Level::None)]);
    assert_eq!(told(&mut book, &points, "1:00", "3:00"), Vec::<String>::new());
    assert_eq!(told(&mut book, &points, "1:00", "7:00"), ["went_blind a > x@y"]);
}

/// A point that leads to nobody tells nobody for those that sleep.
#[test]
fn a_point_without_an_address_does_not_swallow_what_the_sleepers_have_to_hear() {
    let mut asleep = point("a");
    asleep.quiet_hours = Some("22:00-07:00".parse::<QuietHours>().unwrap());
    let cabin = WatchPoint { addresses: vec![], ..point("b") };
    let unproven = WatchPoint { waiting: vec![email("w@y")], ..cabin.clone() };
    for silent in [cabin.clone(), unproven.clone()] {
        let (mut book, points) = (Book::default(), [(asleep.clone(), Level::None), (silent, Level::None)]);
        assert_eq!(told(&mut book, &points, "1:00", "3:00"), Vec::<String>::new());
        assert_eq!(told(&mut book, &points, "1:00", "7:00"), ["went_blind a+b > x@y"]);
    }
    // One whose level stands leads to somebody as well.
    let standing = [(point("a"), Level::Extreme), (cabin.clone(), Level::None)];
    assert_eq!(told(&mut Book::default(), &standing, "1:00", "3:00"), Vec::<String>::new());
    // Nobody anywhere: recorded.
    assert_eq!(told(&mut Book::default(), &[(cabin, Level::None)], "1:00", "3:00"), ["went_blind b > "]);
    // Somebody who has not said yes yet is waited for.
    let mut book = Book::default();
    assert_eq!(told(&mut book, &[(unproven, Level::None)], "1:00", "3:00"), Vec::<String>::new());
    let proven = [(WatchPoint { addresses: vec![email("w@y")], ..point("b") }, Level::None)];
    assert_eq!(told(&mut book, &proven, "1:00", "3:05"), ["went_blind b > w@y"]);
}

#[test]
fn the_words_name_what_is_not_seen_and_the_answer_threads() {
    let (book, house) = (Book::default(), house());
    let states: Vec<PointState> = house.iter().map(|(_, level)| unseen(*level)).collect();
    let points = || house.iter().map(|(point, _)| point).zip(states.iter().map(Some));
    let blind = owners_told(points(), Some(Hearing::NotSince(at(clock("12:00")))), &book, at(clock("12:30")));
    let first = &blind.deliveries[0];
    assert_eq!(first.subject, "NWS warnings cannot be seen for place a and place b");
    assert!(first.text.contains("Not seen since 12:00 CDT (17:00Z)") && first.text.contains("not an all-clear"));
    let mut book = book;
    book.sights.extend(blind.sights.clone());
    let again = owners_told(points(), Some(Hearing::Whole), &book, at(clock("13:00")));
    assert_eq!(again.deliveries[0].thread_root.as_ref(), Some(&first.id));
    assert_eq!(again.deliveries[0].episode, first.episode);
    assert_ne!(again.deliveries[0].id, first.id);
}

#[test]
fn that_it_sees_again_is_told_to_those_who_were_told_that_it_does_not() {
    let mut mums = point("m");
    (mums.addresses, mums.quiet_hours) = (vec![email("mum@y")], Some("13:00-14:00".parse::<QuietHours>().unwrap()));
    let (mut book, mut points) = (Book::default(), vec![(point("a"), Level::None), (mums, Level::None)]);
    assert_eq!(told(&mut book, &points, "12:00", "12:30"), ["went_blind a+m > mum@y", "went_blind a+m > x@y"]);
    // Somebody comes who never heard of it, and mum sleeps when it is over.
    points[0].0.addresses.push(email("gran@y"));
    assert_eq!(told(&mut book, &points, "13:10", "13:10"), ["sees_again a+m > x@y"]);
    assert_eq!(told(&mut book, &points, "13:59", "13:59"), Vec::<String>::new());
    assert_eq!(told(&mut book, &points, "14:00", "14:00"), ["sees_again a+m > mum@y"], "when she wakes");
    assert_eq!(told(&mut book, &points, "14:01", "14:01"), Vec::<String>::new());
}

/// Who got it in place of another hears that they can be seen again; who refused it does not.
#[test]
fn sight_is_given_back_to_whoever_was_told_that_it_was_lost() {
    let (mut book, points) = (Book::default(), [(point("a"), Level::None)]);
    book.set_inboxes([("o".to_owned(), vec![email("x@y"), email("z@y")])].into());
    let (own, now) = (points.iter().map(|(point, _)| (point, None)), at(clock("12:30")));
    let told = owners_told(own, Some(Hearing::NotSince(at(clock("12:00")))), &book, now);
    book.sights.extend(told.sights);
    let failed = told.deliveries[0].clone();
    assert_eq!(failed.address, email("x@y"));
    let stand_in = Delivery { id: "instead".into(), address: email("z@y"), ..failed.clone() };
    let stands = book.sights.get_mut("o").unwrap();
    assert!(given_up(stands, &failed, std::slice::from_ref(&stand_in)));
    assert!(!given_up(stands, &failed, std::slice::from_ref(&stand_in)), "known");
    let other = Delivery { episode: "another day's".into(), ..failed };
    assert!(!given_up(stands, &other, &[]));
    let own = points.iter().map(|(point, _)| (point, None));
    let back = owners_told(own, Some(Hearing::Whole), &book, at(clock("13:00")));
    let to: Vec<&str> = back.deliveries.iter().map(|delivery| delivery.address.to.as_str()).collect();
    assert_eq!(to, ["z@y"]);
    assert!(back.deliveries[0].stands_in_for.is_some(), "no point names it: it is wanted all the same");
    assert!(back.sights[0].1.awaiting.is_empty());
}

/// Breaker's H12: the feed comes back with a warning at the only point.
#[test]
fn that_warnings_are_seen_again_is_told_also_where_all_points_are_at_their_level_by_then() {
    let mut book = Book::default();
    let house = |level| [(point("a"), level)];
    assert_eq!(told(&mut book, &house(Level::None), "12:00", "12:30"), ["went_blind a > x@y"]);
    assert_eq!(told(&mut book, &house(Level::Extreme), "12:40", "12:40"), ["sees_again a > x@y"]);
}

/// Breaker's G.
#[test]
fn who_was_taken_off_waits_for_nothing_unless_another_point_names_them() {
    let (before, after) = (point("a"), WatchPoint { addresses: vec![email("y@y")], ..point("a") });
    let told = || OwnerSight { told_blind_utc: Some(at(0)), awaiting: vec!["email:x@y".into(), "email:z@y".into()] };
    let mut sight = told();
    let also = point("b");
    assert!(!taken_off(&mut sight, &before, &after, [&also].into_iter()));
    assert!(taken_off(&mut sight, &before, &after, std::iter::empty()));
    assert_eq!(sight.awaiting, ["email:z@y"], "which stood in, and was named by no point");
}

/// Breaker's SX and SY: the day's outlook, or a warning that runs on, holds the level; a new warning would not be noticed.
#[test]
fn a_point_that_stands_by_what_is_still_seen_is_told_that_warnings_are_not() {
    let (book, home) = (Book::default(), point("a"));
    let told = |state: &PointState| {
        let hearing = Some(Hearing::NotSince(at(clock("12:00"))));
        owners_told([(&home, Some(state))].into_iter(), hearing, &book, at(clock("12:30"))).deliveries.len()
    };
    let seen = PointState { blind_since_utc: None, ..unseen(Level::Elevated) };
    assert_eq!((told(&seen), told(&unseen(Level::Elevated))), (1, 0));
    let mut was_told = seen;
    was_told.episode = Some(crate::notice::tests::scene::episode("ep"));
    assert_eq!(told(&was_told), 1);
    let of = |told: &mut PointState, awaiting_sight| {
        let episode = told.episode.as_mut().unwrap();
        (episode.told_blind, episode.awaiting_sight) = (true, awaiting_sight);
    };
    of(&mut was_told, true);
    assert_eq!(told(&was_told), 0, "by a notice of its own");
    of(&mut was_told, false);
    was_told.blind_since_utc = Some(at(0));
    assert_eq!(told(&was_told), 1, "it has had its own, and is blind again");
}
