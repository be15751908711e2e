use super::*;
use crate::notice::tests::scene::{at, email};

fn row(number: u64, to: &str) -> Waiting {
    Waiting {
        id: number.to_string(),
        number,
        owner: "o".into(),
        to: email(to),
        useful_until_utc: at(600),
        attempts: 0,
        not_before_utc: None,
    }
}

fn backing_off(number: u64, to: &str, until_min: i64) -> Waiting {
    Waiting { attempts: 1, not_before_utc: Some(at(until_min)), ..row(number, to) }
}

fn under_way(to: &[&str]) -> UnderWay {
    hanging(to.iter().map(|to| ("o", (*to).to_owned())))
}

fn hanging<'a>(to: impl Iterator<Item = (&'a str, String)>) -> UnderWay {
    let mut under_way = UnderWay::default();
    to.for_each(|(owner, to)| under_way.begin(email(&to), owner.to_owned()));
    under_way
}

fn of(owner: &str, row: Waiting) -> Waiting {
    Waiting { owner: owner.into(), ..row }
}

#[test]
fn one_an_address_goes_and_distinct_addresses_go_side_by_side() {
    // The store lists them by id: the order of decision is the numbers'.
    let waiting = [row(4, "a"), row(1, "a"), row(3, "b"), row(2, "c")];
    assert_eq!(turns(&waiting, &under_way(&[]), 8, at(0)).go, ["1", "2", "3"]);
    assert_eq!(turns(&waiting, &under_way(&["a"]), 8, at(0)).go, ["2", "3"]);
    assert_eq!(turns(&waiting, &under_way(&[]), 2, at(0)).go, ["1", "2"], "so many at once");
    assert_eq!(turns(&waiting, &under_way(&["b", "x"]), 3, at(0)).go, ["1"], "those under way count");
    assert_eq!(turns(&waiting, &under_way(&["x", "y"]), 2, at(0)), Turns::default());
}

#[test]
fn an_address_that_backs_off_holds_up_itself_and_nobody_else() {
    let waiting = [backing_off(1, "ill", 5), row(2, "ill"), row(3, "well"), backing_off(4, "iller", 3)];
    let now = turns(&waiting, &under_way(&[]), 8, at(0));
    assert_eq!((now.go, now.next_utc), (vec!["3".to_owned()], Some(at(3))));
    let then = turns(&waiting, &under_way(&[]), 8, at(5));
    assert_eq!(then.go, ["3", "1", "4"], "the first again, never the second before it");
    assert_eq!(then.next_utc, None);
}

#[test]
fn what_a_clock_that_ran_ahead_put_off_goes_now() {
    let put_off = |until_min| turns(&[backing_off(1, "a", until_min)], &UnderWay::default(), 8, at(0)).go.len();
    assert_eq!((put_off(60), put_off(61)), (0, 1));
}

#[test]
fn what_has_not_failed_yet_goes_before_what_has() {
    let waiting = [backing_off(1, "a", 0), backing_off(2, "b", 0), row(3, "c"), row(4, "d")];
    assert_eq!(turns(&waiting, &under_way(&[]), 3, at(1)).go, ["3", "4", "1"]);
}

#[test]
fn an_owner_whose_addresses_all_hang_leaves_places_for_the_others() {
    let hung: Vec<Waiting> = (0..40).map(|n| row(n, &format!("hung{n}"))).collect();
    let first = turns(&hung, &UnderWay::default(), 8, at(0)).go;
    assert_eq!(first.len(), 6, "the others' places stay free");
    let hanging = hanging((0..6).map(|n| ("o", format!("hung{n}"))));
    let mut waiting = hung;
    waiting.extend([of("p", row(90, "p1")), of("p", row(91, "p2")), of("q", row(92, "q1")), of("r", row(93, "r1"))]);
    assert_eq!(turns(&waiting, &hanging, 8, at(0)).go, ["90", "92"], "one each, in order of decision");
    // Greylisted once, and then on its turn, however many first tries of the first owner are still to come.
    waiting.truncate(40);
    waiting.extend([of("p", backing_off(1, "p1", 0)), of("q", row(93, "q1"))]);
    assert_eq!(turns(&waiting, &hanging, 8, at(0)).go, ["93", "1"], "what has not failed yet goes before what has");
}

/// Four owners whose provider hangs, and one who was greylisted once: after one round of time limits it is their turn.
#[test]
fn no_number_of_owners_that_hang_keeps_one_from_its_turn() {
    let owners = ["o", "p", "q", "r"];
    let all = owners.into_iter().enumerate();
    let mut waiting: Vec<Waiting> = all
        .flat_map(|(o, owner)| (0..6).map(move |n| of(owner, row(10 * o as u64 + n, &format!("{owner}{n}")))))
        .collect();
    waiting.push(of("dora", backing_off(100, "dora", 0)));
    let mut busy = hanging(owners.into_iter().map(|owner| (owner, format!("{owner}0"))));
    assert_eq!(turns(&waiting, &busy, 4, at(1)).go, Vec::<String>::new());
    busy.end(&email("o0"));
    let back = Waiting { attempts: 1, not_before_utc: Some(at(2)), ..waiting.remove(0) };
    waiting.push(back);
    assert_eq!(turns(&waiting, &busy, 4, at(1)).go, ["100"], "the owner that hangs had a turn since");
}

#[test]
fn owners_take_turns() {
    let mut waiting: Vec<Waiting> = (0..10).map(|n| row(n, &format!("o{n}"))).collect();
    waiting.extend([of("p", row(20, "p1")), of("p", row(21, "p2")), of("p", row(22, "p3"))]);
    assert_eq!(turns(&waiting, &UnderWay::default(), 8, at(0)).go, ["0", "20", "1", "21", "2", "22"]);
}

#[test]
fn what_is_of_no_use_any_more_is_let_go_of_and_what_comes_after_it_goes() {
    let late = Waiting { useful_until_utc: at(10), ..backing_off(1, "a", 60) };
    let waiting = [late, row(2, "a")];
    let before = turns(&waiting, &under_way(&[]), 8, at(9));
    assert_eq!((before.go.len(), before.next_utc), (0, Some(at(10))), "it is looked at when its use is over");
    let then = turns(&waiting, &under_way(&[]), 8, at(10));
    assert_eq!((then.too_late, then.go), (vec!["1".to_owned()], vec!["2".to_owned()]));
    let sending = turns(&waiting, &under_way(&["a"]), 8, at(10));
    assert_eq!(sending, Turns::default(), "what is under way may still arrive");
}
