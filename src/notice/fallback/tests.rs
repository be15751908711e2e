use super::*;
use crate::notice::tests::scene::{at, browser, email};
use crate::threat::Level;
use std::slice::from_ref;

/// A notice about point `a`, decided in minute 0, to this address.
fn notice(to: Address) -> Delivery {
    Delivery {
        id: format!("id {}", to.text()),
        number: 1,
        address: to,
        watch_points: vec!["a".into()],
        owner: "o".into(),
        reason: NoticeReason::Raised,
        level: Level::Extreme,
        episode: "ep".into(),
        thread_root: Some("root".into()),
        decided_utc: at(0),
        useful_until_utc: at(360),
        evidence_utc: None,
        seen_utc: None,
        subject: "EXTREME threat".into(),
        text: "EXTREME threat\n".into(),
        html: "<html>\n<body style=\"x\">\n<h1>EXTREME threat</h1>\n</body></html>\n".into(),
        payload: "{}".into(),
        unsubscribe_url: Some("https://here/for-the-first-address-only".into()),
        stands_in_for: None,
    }
}

fn other(delivery: Delivery, fate: Fate) -> Other {
    Other { delivery, fate }
}

/// What stands in.
fn stood_in(
    failed: &Delivery,
    why: (GivenUp, &str),
    others: &[Other],
    candidates: &[Address],
    now: Timestamp,
) -> Vec<Delivery> {
    aftermath(failed, why, others.to_vec(), candidates, now).stand_ins
}

/// Where stand-ins go.
fn to(failed: &Delivery, given_up: GivenUp, others: &[Other]) -> Vec<String> {
    let candidates = [email("x@y"), email("z@y"), browser("br_1")];
    let made = stood_in(failed, (given_up, "550 no such user"), others, &candidates, at(5));
    made.iter().map(|delivery| delivery.address.text()).collect()
}

#[test]
fn the_owners_other_channels_get_what_was_refused_unless_one_of_them_has_it() {
    let failed = notice(email("x@y"));
    assert_eq!(to(&failed, GivenUp::Refused, &[]), ["email:z@y", "web_push:br_1"]);
    let there = |fate| to(&failed, GivenUp::Refused, &[other(notice(email("z@y")), fate)]);
    assert_eq!(there(Fate::Told), Vec::<String>::new(), "somebody knows: nobody else need be told");
    assert_eq!(there(Fate::Waits), ["web_push:br_1"], "that one may never go");
    assert_eq!(there(Fate::Dead), ["web_push:br_1"], "tried there");
    let else_where = Delivery { episode: "another".into(), ..notice(email("z@y")) };
    assert_eq!(to(&failed, GivenUp::Refused, &[other(else_where, Fate::Told)]).len(), 2, "of another notice");
}

#[test]
fn a_stand_in_that_fails_goes_on_and_never_back() {
    let first = notice(email("x@y"));
    let made = stood_in(&first, (GivenUp::Refused, "550"), &[], &[email("x@y"), browser("br_1")], at(5)).remove(0);
    assert_eq!(made.stands_in_for.as_ref(), Some(&first.id));
    let others = [other(first.clone(), Fate::Dead)];
    assert_eq!(to(&made, GivenUp::Refused, &others), ["email:z@y"], "neither to itself nor to the first");
    let all = [other(first, Fate::Dead), other(notice(email("z@y")), Fate::Dead)];
    assert_eq!(to(&made, GivenUp::Refused, &all), Vec::<String>::new());
}

#[test]
fn two_that_fail_make_one_stand_in() {
    let id = |failed: Delivery| stood_in(&failed, (GivenUp::Refused, "550"), &[], &[email("z@y")], at(5)).remove(0).id;
    assert_eq!(id(notice(email("x@y"))), id(notice(browser("br_1"))));
}

#[test]
fn what_came_too_late_stands_in_only_where_nobody_else_got_it() {
    let failed = notice(email("x@y"));
    assert_eq!(to(&failed, GivenUp::TooLate, &[other(notice(browser("br_1")), Fate::Waits)]), Vec::<String>::new());
    assert_eq!(to(&failed, GivenUp::TooLate, &[other(notice(browser("br_1")), Fate::Dead)]), ["email:z@y"]);
    let late = stood_in(&failed, (GivenUp::TooLate, "late"), &[], &[email("z@y")], at(400)).remove(0);
    assert_eq!(late.useful_until_utc, at(460));
}

#[test]
fn nobody_hears_of_something_older_than_they_know_and_tests_stay_where_they_are() {
    let failed = notice(email("x@y"));
    let newer = Delivery { decided_utc: at(3), episode: "ep2".into(), ..notice(email("z@y")) };
    assert_eq!(to(&failed, GivenUp::Refused, &[other(newer.clone(), Fate::Told)]), ["web_push:br_1"]);
    let of_another_point = Delivery { watch_points: vec!["b".into()], ..newer };
    assert_eq!(to(&failed, GivenUp::Refused, &[other(of_another_point, Fate::Told)]).len(), 2);
    for reason in [NoticeReason::Test, NoticeReason::Confirmation] {
        assert_eq!(to(&Delivery { reason, ..notice(email("x@y")) }, GivenUp::Refused, &[]), Vec::<String>::new());
    }
}

#[test]
fn the_words_say_why_they_come_here_and_nothing_of_another_address_goes_along() {
    let why = "550 <b>no such user</b>";
    let made = stood_in(&notice(email("x@y")), (GivenUp::Refused, why), &[], &[email("z@y")], at(5)).remove(0);
    let note = "Sent here because it could not be delivered to x@y (550 <b>no such user</b>).";
    assert_eq!(made.text, format!("EXTREME threat\n\n{note}\n"), "the danger first");
    assert!(made.html.contains("</h1>\n<p><strong>Sent here because"), "{}", made.html);
    assert!(!made.html.contains("<b>no such"), "escaped");
    assert_eq!((made.unsubscribe_url, made.thread_root), (None, None));
}

#[test]
fn what_takes_something_back_goes_only_where_it_was_told() {
    let over = Delivery { reason: NoticeReason::AllClear, decided_utc: at(50), ..notice(email("x@y")) };
    assert_eq!(to(&over, GivenUp::Refused, &[]), Vec::<String>::new());
    let told = [other(notice(email("z@y")), Fate::Told), other(notice(browser("br_1")), Fate::Dead)];
    assert_eq!(to(&over, GivenUp::Refused, &told), ["email:z@y"]);
}

/// A message about two points bears the episode of the first; the end of the second is taken back all the same.
#[test]
fn what_is_over_at_one_of_two_points_goes_where_both_were_told() {
    let both = Delivery { watch_points: vec!["a".into(), "b".into()], ..notice(email("z@y")) };
    let over = Delivery {
        reason: NoticeReason::AllClear,
        watch_points: vec!["b".into()],
        episode: "of b".into(),
        decided_utc: at(50),
        ..notice(email("x@y"))
    };
    assert_eq!(to(&over, GivenUp::Refused, &[other(both.clone(), Fate::Told)]), ["email:z@y"]);
    let before = Delivery { id: "end there".into(), decided_utc: at(20), address: email("z@y"), ..over.clone() };
    let told = [other(both, Fate::Told), other(before, Fate::Told)];
    assert_eq!(to(&over, GivenUp::Refused, &told), Vec::<String>::new(), "it knows of an end, and of nothing since");
}

#[test]
fn who_was_told_of_the_level_is_not_told_again_for_one_who_came_late() {
    let late = Delivery { decided_utc: at(5), ..notice(email("x@y")) };
    let before = [other(notice(email("z@y")), Fate::Told), other(notice(browser("br_1")), Fate::Dead)];
    assert_eq!(to(&late, GivenUp::Refused, &before), ["web_push:br_1"], "which never got it");
}

/// The raise is refused when its end was decided already: nothing stands, and nobody needs to hear of either.
#[test]
fn what_is_refused_when_something_newer_waits_behind_it_is_left_to_that() {
    let failed = notice(email("x@y"));
    let later = |minute, reason| Delivery { id: reason_id(reason), decided_utc: at(minute), reason, ..failed.clone() };
    let over = other(later(50, NoticeReason::AllClear), Fate::Waits);
    assert_eq!(to(&failed, GivenUp::Refused, from_ref(&over)), Vec::<String>::new());
    let ids = |others: &[Other]| voided(&failed, others).into_iter().map(|end| end.id).collect::<Vec<_>>();
    assert_eq!(ids(from_ref(&over)), ["all_clear"], "it ends what was never told there");
    // A rise behind it speaks for itself, and its end is told once it has arrived.
    let rise = |fate| other(later(20, NoticeReason::Raised), fate);
    assert_eq!(to(&failed, GivenUp::Refused, &[rise(Fate::Waits), over.clone()]), Vec::<String>::new());
    assert_eq!(ids(&[rise(Fate::Waits), over.clone()]), Vec::<String>::new());
    assert_eq!(ids(&[rise(Fate::Told), over.clone()]), Vec::<String>::new());
    assert_eq!(ids(&[rise(Fate::Dead), over.clone()]), ["all_clear"]);
    // An earlier danger, told and over, is not this one.
    let earlier = Delivery { id: "earlier end".into(), decided_utc: at(-10), ..later(0, NoticeReason::AllClear) };
    assert_eq!(ids(&[other(earlier, Fate::Told), over]), ["all_clear"]);
}

fn reason_id(reason: NoticeReason) -> String {
    reason.as_str().to_owned()
}

/// An address that was told that it came down to a level is not told that it stands there, for another that came late.
#[test]
fn who_knows_the_level_that_stands_is_not_told_it_again_whichever_way_it_was_reached() {
    let down = Delivery { reason: NoticeReason::Lowered, level: Level::Elevated, ..notice(email("z@y")) };
    let late = Delivery { level: Level::Elevated, decided_utc: at(5), ..notice(email("x@y")) };
    assert_eq!(to(&late, GivenUp::Refused, &[other(down.clone(), Fate::Told)]), ["web_push:br_1"]);
    let rise = Delivery { level: Level::Extreme, ..late };
    assert_eq!(to(&rise, GivenUp::Refused, &[other(down, Fate::Told)]), ["email:z@y", "web_push:br_1"]);
}

/// Who knows of one point only hears of the other by what is refused elsewhere.
#[test]
fn who_was_told_of_one_of_two_points_is_told_of_both() {
    let both = Delivery { watch_points: vec!["a".into(), "b".into()], ..notice(email("x@y")) };
    let one = Delivery { watch_points: vec!["b".into()], decided_utc: at(3), ..notice(email("z@y")) };
    assert_eq!(to(&both, GivenUp::Refused, &[other(one, Fate::Told)]), ["email:z@y", "web_push:br_1"]);
}

/// The lower level stands: with the rise behind it refused, nobody would know of any.
#[test]
fn a_lower_level_is_news_to_who_was_told_of_none() {
    let down =
        Delivery { reason: NoticeReason::Lowered, level: Level::Elevated, decided_utc: at(9), ..notice(email("x@y")) };
    let refused = other(notice(email("x@y")), Fate::Dead);
    assert_eq!(to(&down, GivenUp::Refused, from_ref(&refused)), ["email:z@y", "web_push:br_1"]);
}

/// It may tell of more than what its own address had heard before.
#[test]
fn a_digest_that_is_refused_goes_to_the_owners_other_addresses() {
    let digest = Delivery {
        id: "digest".into(),
        reason: NoticeReason::Digest,
        level: Level::None,
        decided_utc: at(90),
        ..notice(email("x@y"))
    };
    let told = other(notice(email("x@y")), Fate::Told);
    assert_eq!(to(&digest, GivenUp::Refused, &[told]), ["email:z@y", "web_push:br_1"]);
}

/// Breaker's TD and TE: what else it tells would be lost.
#[test]
fn a_digest_is_never_voided() {
    let failed = notice(email("x@y"));
    let digest = Delivery { reason: NoticeReason::Digest, level: Level::None, decided_utc: at(30), ..failed.clone() };
    assert_eq!(voided(&failed, &[other(digest, Fate::Waits)]), []);
}

/// Breaker's GC: of one of two points the beginning was refused, of the other it was told.
#[test]
fn an_end_of_two_points_is_not_voided_where_one_of_them_was_told() {
    let failed = notice(email("x@y"));
    let told = Delivery { id: "b".into(), watch_points: vec!["b".into()], decided_utc: at(-20), ..failed.clone() };
    let end = |points: &[&str]| Delivery {
        id: "end".into(),
        reason: NoticeReason::AllClear,
        watch_points: points.iter().map(|point| (*point).to_owned()).collect(),
        decided_utc: at(30),
        ..failed.clone()
    };
    let voids = |end: Delivery| voided(&failed, &[other(told.clone(), Fate::Told), other(end, Fate::Waits)]).len();
    assert_eq!((voids(end(&["a", "b"])), voids(end(&["a"]))), (0, 1));
}
