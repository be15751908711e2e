//! Reports as rules get to see them: each event once, with the time it was told, and how well the feed is seen.

use super::*;
use crate::observation::{Observation, Report};
use crate::storm_report::{StormReport, once_each};
use crate::threat::assess::assess;
use crate::threat::tests::scene::{minutes, now, place};
use crate::threat::{Level, Reason};

/// A report of so many minutes ago 20 km east, passed on and heard `told_after` minutes after its event.
fn row(category: Category, city: &str, minutes_ago: i64, told_after: i64) -> StormReport {
    let told_utc = minutes(told_after - minutes_ago);
    StormReport {
        category,
        type_text: String::new(),
        magnitude: None,
        qualifier: None,
        event_utc: minutes(-minutes_ago),
        issued_utc: Some(told_utc),
        heard_utc: told_utc,
        at: place().travel(90.0, 20.0),
        city: city.into(),
        county: String::new(),
        state: "MO".into(),
        source: String::new(),
        remarks: String::new(),
        wfo: "ZZZ".into(),
        product_id: Some(format!("{told_utc}-LSRZZZ")),
    }
}

fn picture(rows: Vec<StormReport>, set: impl FnOnce(&mut StormReports)) -> Picture {
    let mut reports = StormReports {
        reports: once_each(rows),
        from_utc: minutes(-180),
        to_utc: now(),
        read_utc: now(),
        unread: 0,
        is_cut: false,
        url: String::new(),
    };
    set(&mut reports);
    let mut picture = Picture::default();
    picture.take(&Report {
        source: IEM_REPORTS,
        polled_utc: now(),
        good: true,
        observations: vec![Observation::StormReports(Arc::new(reports))],
        faults: Vec::new(),
    });
    picture
}

fn reasons(rows: Vec<StormReport>) -> Vec<Reason> {
    assess(&picture(rows, |_| {}), place(), now()).reasons
}

#[test]
fn corrected_and_repeated_reports_count_once() {
    let hail = |city, told_after| row(Category::Hail, city, 30, told_after);
    assert_eq!(reasons(vec![hail("Larkfield", 5), hail("Larkfield", 10), hail("larkfield", 15), hail("Elm", 5)]), []);
    let three = reasons(vec![hail("Larkfield", 5), hail("Oak", 5), hail("Elm", 5)]);
    assert_eq!((three.len(), three[0].level), (1, Level::Elevated));
}

#[test]
fn a_tornado_told_in_time_and_corrected_late_still_raises() {
    let tornado = |told_after| row(Category::Tornado, "Larkfield", 55, told_after);
    assert_eq!(reasons(vec![tornado(50)]), [], "first told 50 min after");
    let mut corrected = tornado(50);
    corrected.heard_utc = minutes(-53);
    let found = reasons(vec![corrected]);
    assert_eq!((found[0].rule.as_str(), found[0].level), ("tornado_report", Level::Significant));
}

#[test]
fn a_feed_that_is_silent_cut_or_garbled_is_out_of_sight_and_still_speaks() {
    let tornado = || vec![row(Category::Tornado, "Larkfield", 10, 5)];
    let seen = |picture: &Picture, at| see(picture, place(), at, &mut None);
    let whole = picture(tornado(), |_| {});
    assert_eq!(seen(&whole, minutes(14)).sight, Sight::Clear);
    for (picture, at) in [
        (whole, minutes(15)),
        (picture(tornado(), |reports| reports.unread = 1), now()),
        (picture(tornado(), |reports| reports.is_cut = true), now()),
    ] {
        let evidence = seen(&picture, at);
        assert!(matches!(evidence.sight, Sight::Blind { .. }), "{:?}", evidence.sight);
        assert_eq!(evidence.near.len(), 1);
    }
    assert!(matches!(seen(&Picture::default(), now()).sight, Sight::Blind { since_utc: None, .. }));
}

/// The poll that is read in part is always the newest: what tells since when is the last one that was read whole.
#[test]
fn blindness_of_a_feed_read_in_part_begins_when_it_was_last_read_whole() {
    let mut held = picture(vec![row(Category::Tornado, "Larkfield", 10, 5)], |_| {});
    for minute in 1..4 {
        let part = picture(Vec::new(), |reports| (reports.read_utc, reports.unread) = (minutes(minute), 2));
        held.take(&Report {
            source: IEM_REPORTS,
            polled_utc: minutes(minute),
            good: true,
            observations: vec![Observation::StormReports(Arc::clone(part.reports.as_ref().unwrap()))],
            faults: Vec::new(),
        });
        let sight = see(&held, place(), minutes(minute), &mut None).sight;
        assert!(matches!(sight, Sight::Blind { since_utc: Some(since), .. } if since == now()), "{sight:?}");
    }
}

/// A process that starts while the feed is emptied does not know what it had heard: it knows that there was something.
#[test]
fn what_an_earlier_life_had_heard_and_is_listed_no_more_is_out_of_sight_while_it_could_speak() {
    let look = |rows, before| {
        let picture = Picture { reported_before_utc: Some(minutes(before)), ..picture(rows, |_| {}) };
        see(&picture, place(), now(), &mut None).sight
    };
    let emptied = look(Vec::new(), -30);
    assert!(
        matches!(&emptied, Sight::Blind { since_utc: Some(since), why } if *since == minutes(-30) && why.contains("not listed"))
    );
    let hail = |ago| vec![row(Category::Hail, "Larkfield", ago, 5)];
    assert!(matches!(look(hail(60), -30), Sight::Blind { .. }), "the newest is not among them");
    assert_eq!(look(hail(30), -30), Sight::Clear);
    assert!(matches!(look(Vec::new(), -120), Sight::Blind { .. }));
    assert_eq!(look(Vec::new(), -121), Sight::Clear, "over two hours old: it could not speak any more");
}
