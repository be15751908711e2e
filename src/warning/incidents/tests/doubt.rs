//! A sudden loss of most incidents is believed only when it lasts.

use super::*;

/// Warnings of so many incidents, each of its own, to 13:00.
fn many(number: u16) -> Vec<Warning> {
    let until = |w| Warning { ends_utc: Some(utc("13:00")), ..w };
    (1..=number).map(|etn| until(event(&format!("A{etn}"), "12:00", "NEW", etn, &["MOC171"]))).collect()
}

/// A poll every 30 s from `from` on, seconds after 12:00, for as long as `seconds`; each time with these products.
fn polls(incidents: &mut Incidents, from: i64, seconds: i64, warnings: &[&Warning]) {
    for second in (from..=from + seconds).step_by(30) {
        let at = after(second);
        let updated_utc = Some(at);
        assert_eq!(incidents.take(&WarningSnapshot { updated_utc, ..snapshot("12:00", warnings) }, at), Taken::Good);
    }
}

fn after(second: i64) -> Timestamp {
    utc("12:00") + SignedDuration::from_secs(second)
}

fn standing(incidents: &Incidents, second: i64) -> usize {
    incidents.around(place(), Some(&["MOC171".to_owned()]), 0.0, after(second)).len()
}

fn lost(incidents: &Incidents) -> usize {
    incidents.doubt().and_then(|doubt| doubt.lost.as_ref()).map_or(0, |lost| lost.len())
}

#[test]
fn n16_n19_an_emptied_collection_is_doubted_for_ten_minutes() {
    let all = many(10);
    let all: Vec<&Warning> = all.iter().collect();
    let mut incidents = Incidents::default();
    polls(&mut incidents, 60, 0, &all);
    polls(&mut incidents, 90, 570, &[]);
    assert_eq!(standing(&incidents, 660), 10, "9 min 30 s");
    let doubt = incidents.doubt().unwrap();
    assert_eq!((doubt.since_utc, doubt.stood, lost(&incidents)), (after(90), 10, 10));
    polls(&mut incidents, 690, 0, &[]);
    assert_eq!((standing(&incidents, 690), incidents.doubt()), (0, None), "it has lasted");
    assert_eq!(incidents.fate(&key(TO_1), after(690)), Fate::Withdrawn);
    // It comes back after all.
    polls(&mut incidents, 720, 0, &all);
    assert_eq!((standing(&incidents, 720), incidents.doubt()), (10, None));
}

#[test]
fn what_comes_back_ends_the_doubt_and_what_stays_away_is_withdrawn_as_usual() {
    let all = many(10);
    let all: Vec<&Warning> = all.iter().collect();
    let mut incidents = Incidents::default();
    polls(&mut incidents, 60, 0, &all);
    polls(&mut incidents, 90, 60, &all[..3]);
    assert_eq!((standing(&incidents, 150), lost(&incidents)), (10, 7));
    // Two are back: half of what stood is away, which is not most.
    polls(&mut incidents, 180, 0, &all[..5]);
    assert_eq!((standing(&incidents, 180), incidents.doubt()), (5, None));
}

#[test]
fn the_end_of_some_by_the_clock_is_no_reason_to_believe_the_rest() {
    let mut all = many(10);
    for early in &mut all[5..] {
        early.ends_utc = Some(utc("12:05"));
    }
    let all: Vec<&Warning> = all.iter().collect();
    let mut incidents = Incidents::default();
    polls(&mut incidents, 60, 0, &all);
    polls(&mut incidents, 90, 570, &all[..1]);
    assert_eq!(standing(&incidents, 660), 5, "five ended at 12:05, four are doubted");
    assert!(incidents.doubt().is_some());
    polls(&mut incidents, 690, 0, &all[..1]);
    assert_eq!((standing(&incidents, 690), incidents.doubt()), (1, None));
}

#[test]
fn half_of_ten_and_all_of_nine_go_as_usual() {
    let all = many(10);
    let all: Vec<&Warning> = all.iter().collect();
    for (stand, left) in [(10, 5), (9, 0)] {
        let mut incidents = Incidents::default();
        polls(&mut incidents, 60, 0, &all[..stand]);
        polls(&mut incidents, 90, 30, &all[..left]);
        assert_eq!((standing(&incidents, 120), incidents.doubt()), (left, None), "{left} of {stand} left");
    }
}

#[test]
fn what_is_called_off_or_replaced_was_not_lost() {
    let all = many(10);
    let held: Vec<&Warning> = all.iter().collect();
    let mut news: Vec<Warning> =
        (1..=5).map(|etn| event(&format!("C{etn}"), "12:01", "CAN", etn, &["MOC171"])).collect();
    // Upgraded to another event, and continued under new ids.
    news.push(updates(event("U", "12:01", "NEW", 99, &["MOC171"]), &["A6"]));
    news.extend((7..=8).map(|etn| event(&format!("B{etn}"), "12:01", "CON", etn, &["MOC171"])));
    let news: Vec<&Warning> = news.iter().collect();
    let mut incidents = Incidents::default();
    polls(&mut incidents, 60, 0, &held);
    polls(&mut incidents, 90, 30, &news);
    assert_eq!((standing(&incidents, 120), incidents.doubt()), (3, None), "U, B7 and B8; 9 and 10 were withdrawn");
}

#[test]
fn a_part_that_cannot_be_read_is_no_loss_and_ends_no_doubt() {
    let all = many(12);
    let all: Vec<&Warning> = all.iter().collect();
    let mut incidents = Incidents::default();
    polls(&mut incidents, 60, 0, &all);
    let unread = |second| WarningSnapshot { updated_utc: Some(after(second)), unread: 4, ..snapshot("12:00", &[]) };
    incidents.take(&unread(90), after(90));
    incidents.take(&unread(120), after(120));
    assert_eq!((standing(&incidents, 120), incidents.doubt()), (12, None));
    polls(&mut incidents, 150, 0, &[]);
    incidents.take(&unread(900), after(900));
    assert_eq!((standing(&incidents, 900), incidents.doubt().is_some()), (12, true));
}

/// A process that starts while the collection is emptied knows how many an earlier life had seen.
#[test]
fn a_collection_emptied_over_a_restart_is_doubted_too() {
    let all = many(12);
    let all: Vec<&Warning> = all.iter().collect();
    let started = |listed: usize| {
        let mut incidents = Incidents::default();
        incidents.remember_standing(12);
        polls(&mut incidents, 60, 30, &all[..listed]);
        incidents
    };
    assert_eq!(started(6).doubt(), None, "half of them");
    let mut incidents = started(5);
    let doubt = incidents.doubt().unwrap();
    assert_eq!((doubt.since_utc, doubt.stood), (after(60), 12));
    // In it nothing more is withdrawn, and what is listed again ends it.
    polls(&mut incidents, 120, 60, &all[..4]);
    assert_eq!(standing(&incidents, 180), 5);
    assert_eq!(incidents.count_standing(), Some(5));
    polls(&mut incidents, 210, 0, &all[..7]);
    assert_eq!((standing(&incidents, 210), incidents.doubt()), (7, None));
    let mut incidents = started(5);
    polls(&mut incidents, 120, 540, &all[..5]);
    assert_eq!(incidents.doubt(), None, "it has lasted");
    // Later on what was counted before the start means nothing any more.
    incidents.remember_standing(1_000);
    polls(&mut incidents, 690, 30, &all[..5]);
    assert_eq!(incidents.doubt(), None);
}
