use super::*;
use crate::notice::reconcile::Known;
use crate::notice::tests::scene::{Night, at, browser, email, episode, point};
use crate::threat::Level;

fn stand_in(failed: &Delivery, to: Address) -> Delivery {
    let id = format!("for {}", to.text());
    Delivery { id, address: to, stands_in_for: Some(failed.id.clone()), ..failed.clone() }
}

/// Who refused it has not heard of it; who got it in their place hears of the end.
#[test]
fn what_ends_is_told_to_whoever_was_told_and_not_to_who_refused_it() {
    let mut night = Night::over([point("a")]);
    night.book.set_inboxes([("o".to_owned(), vec![email("x@y"), email("z@y")])].into());
    assert_eq!(night.reads("12:00", "a", Level::Significant), ["raised significant a > x@y"]);
    let failed = night.sent[0].clone();
    let instead = stand_in(&failed, email("z@y"));
    assert!(night.given_up("a", &failed, &instead));
    assert!(!night.given_up("a", &failed, &instead), "known");
    assert_eq!(night.reads("12:30", "a", Level::Elevated), ["lowered elevated a > z@y"]);
    assert_eq!(night.sent[1].stands_in_for.as_deref(), Some("for email:z@y"));
    assert_eq!(night.sent[1].thread_root.as_deref(), Some("for email:z@y"), "in the thread that it knows");
    assert_eq!(night.reads("12:40", "a", Level::None), ["all_clear none a > z@y"]);
}

/// One message about both bears the episode of the first.
#[test]
fn who_heard_of_two_points_in_one_message_hears_of_the_end_of_each() {
    let mut night = Night::over([point("a"), point("b")]);
    night.book.set_inboxes([("o".to_owned(), vec![email("x@y"), email("z@y")])].into());
    let both = [("a", Level::Significant), ("b", Level::Significant)];
    assert_eq!(night.moves("12:00", &both), ["raised significant a+b > x@y"]);
    let failed = night.sent[0].clone();
    for id in ["a", "b"] {
        assert!(night.given_up(id, &failed, &stand_in(&failed, email("z@y"))), "{id}");
    }
    assert_eq!(night.reads("12:30", "b", Level::None), ["all_clear none b > z@y"]);
    assert_eq!(night.reads("12:40", "a", Level::None), ["all_clear none a > z@y"]);
}

#[test]
fn who_was_told_while_there_was_no_browser_hears_of_the_end_when_there_is_one_again() {
    let mut night = Night::over([WatchPoint { addresses: vec![browser("")], ..point("a") }]);
    night.book.set_inboxes([("o".to_owned(), vec![email("x@y")])].into());
    assert_eq!(night.reads("12:00", "a", Level::Extreme), ["raised extreme a > x@y"]);
    night.subscribe("br_1");
    assert_eq!(night.reconcile("12:01"), ["raised extreme a > br_1"]);
    let both = ["all_clear none a > br_1", "all_clear none a > x@y"];
    assert_eq!(night.reads("12:30", "a", Level::None), both);
}

#[test]
fn who_was_taken_off_hears_nothing_more_and_is_new_when_it_comes_back() {
    let everybody = vec![email("x@y"), email("z@y"), browser("")];
    let before = WatchPoint { addresses: everybody, ..point("a") };
    let after = WatchPoint { addresses: vec![email("z@y")], ..before.clone() };
    let pairs = || ["email:x@y", "email:z@y", "web_push:br_1"].map(|to| (to.to_owned(), "id".to_owned())).to_vec();
    let known = Episode { thread_roots: pairs(), told: pairs(), last_deliveries: pairs(), ..episode("ep") };
    let mut state = PointState { episode: Some(known), ..PointState::quiet(at(0)) };
    assert!(!taken_off(&before, &before, &mut state));
    assert!(taken_off(&before, &after, &mut state));
    let left = state.episode.unwrap();
    let to = |pairs: &[(String, String)]| pairs.iter().map(|(to, _)| to.clone()).collect::<Vec<_>>();
    assert_eq!(to(&left.told), ["email:z@y"]);
    assert_eq!(left.thread_roots, pairs(), "mails go on in their thread");
    assert_eq!(to(&left.last_deliveries), ["none:", "email:z@y", "none:"]);

    let mut night = Night::over([before]);
    night.book.set_inboxes([("o".to_owned(), vec![email("x@y"), email("z@y")])].into());
    assert_eq!(night.reads("12:00", "a", Level::Significant).len(), 2);
    night.change("a", |point| *point = after.clone());
    assert_eq!(night.reads("12:30", "a", Level::None), ["all_clear none a > z@y"], "another point names x@y still");
}

#[test]
fn who_is_named_in_place_of_who_was_told_is_told_what_stands() {
    let mut night = Night::over([point("a")]);
    assert_eq!(night.reads("12:00", "a", Level::Significant), ["raised significant a > x@y"]);
    night.change("a", |point| point.addresses = vec![browser("")]);
    night.subscribe("br_1");
    assert_eq!(night.reconcile("12:01"), ["raised significant a > br_1"]);
    assert_eq!(night.reconcile("12:02"), Vec::<String>::new());
    night.change("a", |point| point.addresses = vec![email("x@y")]);
    assert_eq!(night.reconcile("12:03"), ["raised significant a > x@y"], "who comes back is new");
    assert_eq!(night.reads("12:30", "a", Level::None), ["all_clear none a > x@y"]);
}

/// A second danger within the episode: whoever was told that the first is over hears nothing of this one's end.
#[test]
fn once_it_is_over_nobody_is_told_so_again_who_was_not_told_anew() {
    let mut night = Night::over([point("a")]);
    night.book.set_inboxes([("o".to_owned(), vec![email("x@y"), email("z@y")])].into());
    assert_eq!(night.reads("12:00", "a", Level::Significant), ["raised significant a > x@y"]);
    let failed = night.sent[0].clone();
    assert!(night.given_up("a", &failed, &stand_in(&failed, email("z@y"))));
    assert_eq!(night.reads("12:10", "a", Level::None), ["all_clear none a > z@y"]);
    assert_eq!(night.reads("12:20", "a", Level::Significant), ["raised significant a > x@y"]);
    assert_eq!(night.reads("12:30", "a", Level::None), ["all_clear none a > x@y"]);
}

/// The first is refused when the second is on its way: whoever gets the second has heard of it.
#[test]
fn who_refused_one_notice_and_took_the_next_hears_of_the_end() {
    let mut night = Night::over([point("a")]);
    assert_eq!(night.reads("12:00", "a", Level::Significant).len(), 1);
    assert_eq!(night.reads("12:05", "a", Level::Extreme).len(), 1);
    let [first, second] = [night.sent[0].clone(), night.sent[1].clone()];
    assert!(night.given_up("a", &first, &stand_in(&first, email("z@y"))));
    assert_eq!(night.reads("12:30", "a", Level::None), ["all_clear none a > x@y"]);
    assert_eq!(night.sent[2].thread_root, Some(second.id), "in the thread of the mail that arrived");
}

#[test]
fn what_one_episode_remembers_is_bounded_for_each_address() {
    let mut known = episode("ep");
    for n in 0..3 * TOLD_MAX {
        notes(&mut known, "email:x@y".into(), n.to_string());
        notes(&mut known, "email:z@y".into(), format!("z{n}"));
        notes(&mut known, "email:z@y".into(), format!("z{n}"));
    }
    assert_eq!((known.told.len(), known.thread_roots.len()), (2 * TOLD_MAX, 2));
    assert!(known.told.iter().any(|(_, id)| *id == (3 * TOLD_MAX - 1).to_string()), "the newest");
}

/// The episode is over before the quiet hours are.
#[test]
fn a_digest_tells_the_end_to_whoever_heard_of_the_beginning() {
    let asleep = WatchPoint { quiet_hours: Some("22:00-07:00".parse().unwrap()), ..point("a") };
    let mut night = Night::over([asleep]);
    night.book.set_inboxes([("o".to_owned(), vec![email("x@y"), email("z@y")])].into());
    assert_eq!(night.reads("23:00", "a", Level::Significant), ["raised significant a > x@y"]);
    let failed = night.sent[0].clone();
    assert!(night.given_up("a", &failed, &stand_in(&failed, email("z@y"))));
    assert_eq!(night.reads("23:30", "a", Level::None), Vec::<String>::new());
    for time in ["24:45", "25:00"] {
        assert_eq!(night.pass(time), Vec::<String>::new());
    }
    assert_eq!(night.state("a").episode, None);
    assert_eq!(night.pass("31:00"), ["digest none a > z@y"], "who refused the beginning was never told");
    assert!(night.sent[1].stands_in_for.is_some());
}

/// It has refused; what is over or less by now is nothing to come to it with again.
#[test]
fn who_refused_is_no_latecomer() {
    let mut night = Night::over([WatchPoint { addresses: vec![email("x@y"), email("z@y")], ..point("a") }]);
    assert_eq!(night.reads("12:00", "a", Level::Extreme).len(), 2);
    let failed = night.sent[0].clone();
    assert_eq!(failed.address, email("x@y"));
    assert!(night.given_up("a", &failed, &stand_in(&failed, email("w@y"))));
    assert_eq!(night.reads("12:30", "a", Level::Elevated), ["lowered elevated a > z@y"]);
    assert_eq!(night.reconcile("12:31"), Vec::<String>::new());
    night.point("a").addresses.push(email("late@y"));
    assert_eq!(night.reconcile("12:32"), ["raised elevated a > late@y"]);
    assert_eq!(night.reads("12:40", "a", Level::Extreme).len(), 3, "a rise is tried there again");
}

fn asleep(id: &str) -> WatchPoint {
    WatchPoint { quiet_hours: Some("22:00-07:00".parse().unwrap()), ..point(id) }
}

/// Breaker's P1 and P2: the beginning broke through, its end is held, and addresses change in between.
#[test]
fn a_digest_of_an_end_goes_to_nobody_who_came_after_the_beginning_or_was_taken_off() {
    let mut night = Night::over([WatchPoint { addresses: vec![email("x@y"), email("z@y")], ..asleep("a") }]);
    night.book.set_inboxes([("o".to_owned(), vec![email("x@y"), email("z@y"), email("late@y")])].into());
    assert_eq!(night.reads("23:00", "a", Level::Extreme).len(), 2);
    assert_eq!(night.reads("23:10", "a", Level::None), Vec::<String>::new());
    night.change("a", |point| point.addresses = vec![email("late@y"), email("x@y")]);
    assert_eq!(night.pass("31:00"), ["digest none a > x@y"]);
}

#[test]
fn a_digest_of_a_whole_night_goes_to_all_and_one_of_what_nobody_heard_to_nobody() {
    let mut night = Night::over([asleep("a"), asleep("b")]);
    night.reads("23:00", "a", Level::Elevated);
    night.reads("23:10", "a", Level::None);
    night.change("a", |point| point.addresses.push(email("late@y")));
    assert_eq!(night.reads("23:20", "b", Level::Extreme), ["raised extreme b > x@y"]);
    night.reads("23:30", "b", Level::None);
    night.change("b", |point| point.addresses = vec![email("late@y")]);
    let said = night.pass("31:00");
    assert_eq!(said, ["digest none a > late@y", "digest none a > x@y", "digest none b > "], "{said:?}");
}

/// Breaker's E20: while a lower level is held, who refused the higher one is no latecomer.
#[test]
fn who_refused_is_no_latecomer_while_the_next_is_held() {
    let mut night = Night::over([asleep("a")]);
    night.book.set_inboxes([("o".to_owned(), vec![email("x@y"), email("z@y"), email("late@y")])].into());
    assert_eq!(night.reads("23:00", "a", Level::Extreme), ["raised extreme a > x@y"]);
    let failed = night.sent[0].clone();
    assert!(night.given_up("a", &failed, &stand_in(&failed, email("z@y"))));
    assert_eq!(night.reads("23:20", "a", Level::Significant), Vec::<String>::new());
    assert_eq!(night.reconcile("23:21"), Vec::<String>::new());
    night.change("a", |point| point.addresses.push(email("late@y")));
    assert_eq!(night.reconcile("23:22"), ["raised significant a > late@y"]);
}

/// Breaker's P11 and P9: the owner knows before anybody was told; who comes after that is told, and of the end hear those two.
#[test]
fn who_comes_after_the_owner_said_to_know_is_told_what_stands_and_its_end() {
    let mut night = Night::over([asleep("a")]);
    assert_eq!(night.reads("06:30", "a", Level::Elevated), Vec::<String>::new());
    night.acknowledge("a", "06:40");
    assert_eq!(night.pass("06:41"), Vec::<String>::new());
    assert_eq!(night.reconcile("07:01"), Vec::<String>::new(), "the owner knows");
    night.change("a", |point| point.addresses.push(email("late@y")));
    assert_eq!(night.reconcile("07:02"), ["raised elevated a > late@y"]);
    assert_eq!(night.reconcile("07:03"), Vec::<String>::new());
    assert_eq!(night.reads("07:30", "a", Level::None), ["all_clear none a > late@y", "all_clear none a > x@y"]);
}

/// Breaker's D: two points in one message, of which one has an address that came back.
#[test]
fn the_end_of_one_of_two_points_is_not_lost_with_the_address_of_the_other() {
    let mut night = Night::over([point("a"), point("b")]);
    assert_eq!(night.moves("12:00", &[("a", Level::Extreme), ("b", Level::Extreme)]), ["raised extreme a+b > x@y"]);
    night.change("a", |point| point.addresses = vec![email("y@y")]);
    night.change("a", |point| point.addresses = vec![email("x@y")]);
    let said = night.moves("12:20", &[("a", Level::None), ("b", Level::None)]);
    assert_eq!(said, ["all_clear none a > ", "all_clear none b > x@y"]);
}

/// Breaker's P5: nothing is over when the wish changes, and the end is told when it comes.
#[test]
fn what_was_told_is_ended_also_where_the_wish_went_up_meanwhile() {
    let mut night = Night::over([point("a")]);
    assert_eq!(night.reads("12:00", "a", Level::Significant), ["raised significant a > x@y"]);
    night.change("a", |point| point.min_level = Level::Extreme);
    assert_eq!(night.pass("12:05"), Vec::<String>::new());
    assert_eq!(night.reads("12:20", "a", Level::None), ["all_clear none a > x@y"]);
    assert_eq!(night.reads("12:30", "a", Level::Significant), Vec::<String>::new(), "below the wish");
    assert_eq!(night.reads("12:40", "a", Level::None), Vec::<String>::new());
}

#[test]
fn a_wish_that_goes_up_and_comes_back_tells_nothing_twice() {
    let mut night = Night::over([point("a")]);
    assert_eq!(night.reads("12:00", "a", Level::Significant).len(), 1);
    night.change("a", |point| point.min_level = Level::Extreme);
    assert_eq!(night.pass("12:05"), Vec::<String>::new());
    night.change("a", |point| point.min_level = Level::Elevated);
    assert_eq!(night.pass("12:06"), Vec::<String>::new());
    assert_eq!(night.reads("12:20", "a", Level::None), ["all_clear none a > x@y"]);
}

/// Breaker's F3b.
#[test]
fn that_sight_is_back_is_told_where_its_loss_was() {
    let mut night = Night::over([point("a")]);
    night.book.set_inboxes([("o".to_owned(), vec![email("x@y"), email("z@y")])].into());
    assert_eq!(night.reads("12:00", "a", Level::Extreme).len(), 1);
    night.blind("a", Some("12:05"));
    assert_eq!(night.pass("12:15"), ["went_blind extreme a > x@y"]);
    let failed = night.sent[1].clone();
    assert!(night.given_up("a", &failed, &stand_in(&failed, email("z@y"))));
    night.blind("a", None);
    assert_eq!(night.pass("12:30"), ["sees_again extreme a > z@y"]);
}

/// Breaker's SN: a delivery is lost while the wish is above what stands; nothing fell, so nothing is taken back.
#[test]
fn what_is_wanted_no_more_is_neither_told_again_nor_taken_back() {
    let mut night = Night::over([point("a")]);
    assert_eq!(night.reads("12:00", "a", Level::Significant).len(), 1);
    night.change("a", |point| point.min_level = Level::Extreme);
    assert_eq!(night.pass("12:05"), Vec::<String>::new());
    let (point, state) = night.points["a"].clone();
    let found = crate::notice::reconcile::lost(&point, &state, &[email("x@y")], None, at(6), |_| Known::Nowhere);
    assert_eq!(found, None);
    assert_eq!(crate::notice::decide::retell(&point, &mut state.clone()), None);
    assert_eq!(night.reads("12:20", "a", Level::None), ["all_clear none a > x@y"]);
}

/// Breaker's SA4: the wish goes up while sight is lost.
#[test]
fn what_was_told_is_ended_also_where_the_wish_went_up_while_nothing_was_seen() {
    let mut night = Night::over([point("a")]);
    assert_eq!(night.reads("12:00", "a", Level::Significant).len(), 1);
    night.blind("a", Some("12:05"));
    assert_eq!(night.pass("12:15"), ["went_blind significant a > x@y"]);
    night.change("a", |point| point.min_level = Level::Extreme);
    assert_eq!(night.pass("12:17"), Vec::<String>::new());
    night.blind("a", None);
    assert_eq!(night.pass("12:20"), ["sees_again significant a > x@y"]);
    assert_eq!(night.reads("12:40", "a", Level::Elevated), ["all_clear elevated a > x@y"]);
}

/// Breaker's TJ and UJ: the first storm was told at once, the second is held from its beginning to its end.
#[test]
fn a_second_storm_that_was_wholly_held_is_told_to_all() {
    let mut night = Night::over([asleep("a")]);
    assert_eq!(night.reads("23:00", "a", Level::Significant), ["raised significant a > x@y"]);
    night.reads("23:10", "a", Level::None);
    night.change("a", |point| point.addresses = vec![email("y@y")]);
    night.reads("23:20", "a", Level::Elevated);
    night.reads("23:30", "a", Level::None);
    assert_eq!(night.pass("31:00"), ["digest none a > y@y"]);
}

/// Breaker's MA: it rises while the wish is above it, and is wanted again then.
#[test]
fn what_rose_while_it_was_not_wanted_is_told_when_it_is() {
    let mut night = Night::over([point("a")]);
    assert_eq!(night.reads("12:00", "a", Level::Elevated).len(), 1);
    night.change("a", |point| point.min_level = Level::Extreme);
    assert_eq!(night.reads("12:10", "a", Level::Significant), Vec::<String>::new());
    night.change("a", |point| point.min_level = Level::Elevated);
    assert_eq!(night.pass("12:13"), ["raised significant a > x@y"]);
    assert_eq!(night.pass("12:14"), Vec::<String>::new(), "once");
    assert_eq!(night.reads("12:30", "a", Level::None), ["all_clear none a > x@y"]);
    // Also where something higher was told before in the episode.
    assert_eq!(night.reads("12:40", "a", Level::Extreme).len(), 1);
    assert_eq!(night.reads("12:45", "a", Level::Elevated), ["lowered elevated a > x@y"]);
    night.change("a", |point| point.min_level = Level::Extreme);
    assert_eq!(night.reads("12:50", "a", Level::Significant), Vec::<String>::new());
    night.change("a", |point| point.min_level = Level::Elevated);
    assert_eq!(night.pass("12:55"), ["raised significant a > x@y"]);
    assert_eq!(night.pass("12:56"), Vec::<String>::new(), "once");
}
