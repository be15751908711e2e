use super::*;
use crate::geo::LatLon;
use crate::notice::tests::scene::support;
use crate::threat::{BlindSpot, Support};

fn one(name: &str, level: Option<Level>, could_raise_to: Option<Level>) -> WatchedPoint {
    let now: Timestamp = "2026-06-10T21:32:00Z".parse().unwrap();
    let blind_spots = could_raise_to.map(|could_raise_to| BlindSpot {
        source: "nws-warnings".into(),
        since_utc: Some(now),
        why: "not heard".into(),
        could_raise_to,
    });
    let point = WatchPoint {
        id: name.into(),
        owner: "local".into(),
        name: name.into(),
        at: LatLon::new(40.52, -92.90).unwrap(),
        min_level: Level::Elevated,
        addresses: Vec::new(),
        time_zone: None,
        created_utc: now,
        until_utc: None,
        client_token: None,
        waiting: Vec::new(),
        quiet_hours: None,
        snooze_until_utc: None,
        acknowledged: None,
    };
    let state = level.map(|level| PointState {
        level,
        since_utc: now,
        supports: Vec::new(),
        no_more_than_since_utc: [None; 5],
        blind_since_utc: None,
        episode: None,
        blind_spots: blind_spots.into_iter().collect(),
    });
    WatchedPoint { point, state }
}

#[test]
fn the_highest_come_first_and_what_is_not_judged_before_them() {
    let mut all = [
        one("quiet", Some(Level::None), None),
        one("b", Some(Level::Extreme), None),
        one("new", None, None),
        one("a", Some(Level::Extreme), None),
    ];
    sort(&mut all);
    assert_eq!(all.map(|one| one.point.name), ["new", "a", "b", "quiet"]);
}

#[test]
fn the_summary_says_quiet_only_where_all_is_seen() {
    let summary_of = |all: &[WatchedPoint]| summary(all);
    assert_eq!(summary_of(&[one("a", Some(Level::None), None)]), "Nothing above none for 1 place.");
    assert_eq!(
        summary_of(&[one("a", Some(Level::None), Some(Level::Extreme)), one("b", Some(Level::None), None)]),
        "For 1 place something cannot be seen: no all-clear."
    );
    assert_eq!(
        summary_of(&[one("a", Some(Level::None), Some(Level::Extreme)), one("b", None, None)]),
        "1 place not judged yet. For 1 place something cannot be seen: no all-clear."
    );
    // What a blind spot could do no worse than is no reason to speak of it.
    let extreme = one("a", Some(Level::Extreme), Some(Level::Extreme));
    assert_eq!(summary_of(&[extreme, one("b", Some(Level::None), None)]), "Extreme: a.");
}

#[test]
fn long_lists_have_pages_and_every_point_stands_on_one() {
    let all: Vec<WatchedPoint> =
        (0..POINTS_ON_PAGE + 3).map(|n| one(&format!("p{n}"), Some(Level::None), None)).collect();
    let now = "2026-06-10T21:32:00Z".parse().unwrap();
    let count = |page: usize| list(&all, page, now).into_string().matches("<li ").count();
    assert_eq!((count(0), count(1), count(99)), (POINTS_ON_PAGE, 3, 3));
}

#[test]
fn the_reason_shown_is_the_first_of_equals_as_in_notices() {
    let mut watched = one("home", Some(Level::Elevated), None);
    let state = watched.state.as_mut().unwrap();
    let lost = Support { sight_lost: true, ..support(Level::Elevated, "unseen") };
    state.supports = vec![lost, support(Level::Elevated, "warning"), support(Level::Elevated, "air")];
    assert_eq!(words::main_support(state).map(|support| support.reason.subject.as_str()), Some("warning"));
}
