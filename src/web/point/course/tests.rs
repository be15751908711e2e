use super::*;
use crate::desk::PointHistory;
use crate::geo::LatLon;
use crate::notice::WatchPoint;
use crate::store::JournalEntry;
use crate::threat::{Assessment, ChangeCause, LevelChange, PointState};

fn at(clock: &str) -> Timestamp {
    format!("2026-06-10T{clock}:00Z").parse().unwrap()
}

fn watched(created: &str, state: Option<(Level, &str)>) -> WatchedPoint {
    let point = WatchPoint {
        id: "wp".into(),
        owner: "local".into(),
        name: "Home".into(),
        at: LatLon::new(40.52, -92.90).unwrap(),
        min_level: Level::Elevated,
        addresses: Vec::new(),
        time_zone: Some("America/Chicago".into()),
        created_utc: at(created),
        until_utc: None,
        client_token: None,
        waiting: Vec::new(),
        quiet_hours: None,
        snooze_until_utc: None,
        acknowledged: None,
    };
    let state = state.map(|(level, since)| PointState {
        level,
        since_utc: at(since),
        supports: Vec::new(),
        no_more_than_since_utc: [None; 5],
        blind_since_utc: None,
        episode: None,
        blind_spots: Vec::new(),
    });
    WatchedPoint { point, state }
}

fn history(changes: &[(&str, Level, Level)]) -> PointHistory {
    let entry = |(number, (clock, from, to)): (usize, &(&str, Level, Level))| JournalEntry {
        number: number as u64,
        change: LevelChange {
            watch_point: "wp".into(),
            at_utc: at(clock),
            from: *from,
            to: *to,
            cause: ChangeCause::Raised,
            supports: Vec::new(),
            ended: Vec::new(),
            assessment: Assessment {
                at_utc: at(clock),
                level: *to,
                reasons: Vec::new(),
                lingering: Vec::new(),
                blind_spots: Vec::new(),
                hazards: Vec::new(),
            },
        },
        basis: None,
        rules_version: "2".into(),
        sequel: None,
    };
    PointHistory { journal: changes.iter().enumerate().map(entry).collect(), ..PointHistory::default() }
}

/// Begin and level of each step between 12Z and 20Z.
fn steps_of(one: &WatchedPoint, history: &PointHistory) -> Vec<(String, Option<Level>)> {
    let scene = Scene { one, judgement: None, history, browsers: &[], now: at("20:00") };
    let steps = steps(&scene, at("12:00"));
    assert!(steps.windows(2).all(|pair| pair[0].to == pair[1].from), "no gaps: {steps:?}");
    assert_eq!((steps.first().unwrap().from, steps.last().unwrap().to), (at("12:00"), at("20:00")));
    steps.into_iter().map(|step| (step.from.strftime("%H:%M").to_string(), step.level)).collect()
}

#[test]
fn steps_follow_the_journal_and_nothing_is_quiet_that_is_not_known() {
    use Level::{Elevated, Extreme, None as Quiet};
    let changes = history(&[("14:00", Quiet, Elevated), ("15:00", Elevated, Extreme), ("18:00", Extreme, Quiet)]);
    let all = steps_of(&watched("03:00", Some((Quiet, "18:00"))), &changes);
    let expected =
        [("12:00", Some(Quiet)), ("14:00", Some(Elevated)), ("15:00", Some(Extreme)), ("18:00", Some(Quiet))];
    assert_eq!(all, expected.map(|(from, level)| (from.to_owned(), level)));

    // Registered at 13:30: before that nobody looked.
    let young = steps_of(&watched("13:30", Some((Quiet, "18:00"))), &changes);
    assert_eq!(young[..2], [("12:00".to_owned(), None), ("13:30".to_owned(), Some(Quiet))]);

    // No change in this stretch: it stood since before, or since it was first judged.
    let calm = history(&[]);
    assert_eq!(steps_of(&watched("03:00", Some((Elevated, "09:00"))), &calm), [("12:00".to_owned(), Some(Elevated))]);
    let fresh = steps_of(&watched("13:00", Some((Quiet, "13:05"))), &calm);
    assert_eq!(fresh, [("12:00".to_owned(), None), ("13:05".to_owned(), Some(Quiet))]);
    assert_eq!(steps_of(&watched("03:00", None), &calm), [("12:00".to_owned(), None)]);
}

#[test]
fn hours_are_those_of_the_place_and_have_room() {
    let (one, history) = (watched("03:00", None), history(&[]));
    let scene = Scene { one: &one, judgement: None, history: &history, browsers: &[], now: at("20:00") };
    for (width, least) in [(330.0, 2), (860.0, 5)] {
        let ticks = ticks(&scene, at("12:00"), width);
        assert!(ticks.len() >= least, "{width}: {ticks:?}");
        let from = at("12:00");
        let px = |at: Timestamp| (width - LEFT - RIGHT) * at.duration_since(from).as_secs_f64() / (8.0 * 3600.0);
        assert!(ticks.windows(2).all(|pair| px(pair[1].0) - px(pair[0].0) >= TICK - 1.0), "{width}: {ticks:?}");
        // Central daylight time: five hours behind.
        assert!(
            ticks.iter().all(|(at, words)| format!(
                "{:02}:00",
                (at.strftime("%H").to_string().parse::<i8>().unwrap() + 19) % 24
            ) == *words)
        );
    }
}

#[test]
fn the_plot_is_hidden_from_those_who_hear_it_and_said_in_words() {
    let (one, history) =
        (watched("13:30", Some((Level::None, "13:31"))), history(&[("14:00", Level::None, Level::Extreme)]));
    let scene = Scene { one: &one, judgement: None, history: &history, browsers: &[], now: at("20:00") };
    let page = course(&scene, at("12:00")).into_string();
    assert_eq!(page.matches("<svg").count(), page.matches("aria-hidden=\"true\"").count());
    assert!(
        page.contains(
            "not known from 07:00 CDT (12:00Z), none from 08:30 CDT (13:30Z), extreme from 09:00 CDT (14:00Z)."
        ),
        "{page}"
    );
    assert!(!page.contains("NaN") && page.contains("class=\"hatch\""));
}
