//! Hand-made pasts and what has to be said of them.

use super::*;
use crate::geo::LatLon;
use crate::notice::{Address, Held, Sequel, WatchPoint};
use crate::store::SightRow;
use crate::threat::{Assessment, ChangeCause, LevelChange, PointState, Reason, Support};

const ID: &str = "wp_1";

fn at(text: &str) -> Timestamp {
    format!("2026-06-10T{text}Z").parse().unwrap()
}

fn support(level: Level, held: Option<&str>) -> Support {
    let reason = Reason {
        rule: "tornado_report".into(),
        subject: "tornado-report 1".into(),
        level,
        text: "a tornado was seen".into(),
        source: "iem-lsr".into(),
        evidence_id: "202606102054-KEAX".into(),
        observed_utc: at("20:54:00"),
        age_s: 1260,
        distance_km: Some(65.0),
        direction: Some("ENE".into()),
        until_utc: None,
        already_in_effect: true,
    };
    Support {
        reason,
        last_supported_utc: at("21:15:00"),
        held: held.map(str::to_owned),
        ended_utc: None,
        sight_lost: false,
    }
}

fn entry(number: u64, when: &str, from: Level, to: Level, fate: Fate) -> JournalEntry {
    let at_utc = at(when);
    let cause = if to > from { ChangeCause::Raised } else { ChangeCause::Lowered };
    let assessment = Assessment {
        at_utc,
        level: to,
        reasons: Vec::new(),
        lingering: Vec::new(),
        blind_spots: Vec::new(),
        hazards: Vec::new(),
    };
    let change = LevelChange {
        watch_point: ID.into(),
        at_utc,
        from,
        to,
        cause,
        supports: vec![support(to, None)],
        ended: Vec::new(),
        assessment,
    };
    let sequel =
        Sequel { min_level: Level::Elevated, quiet_hours: None, snooze_until_utc: None, acknowledged: None, fate };
    JournalEntry { number, change, basis: None, rules_version: "2".into(), sequel: Some(sequel) }
}

fn delivery(id: &str, when: &str, reason: NoticeReason, to: &str) -> Delivery {
    let kind = if to.is_empty() { ChannelKind::None } else { ChannelKind::Email };
    Delivery {
        id: id.into(),
        number: 1,
        address: Address { kind, to: to.into() },
        watch_points: vec![ID.into(), "wp_2".into()],
        owner: "ann".into(),
        reason,
        level: Level::Significant,
        episode: "ep_1".into(),
        thread_root: None,
        decided_utc: at(when),
        useful_until_utc: at("23:59:00"),
        evidence_utc: None,
        seen_utc: None,
        subject: "significant".into(),
        text: String::new(),
        html: String::new(),
        payload: String::new(),
        unsubscribe_url: None,
        stands_in_for: None,
    }
}

fn watched(created: &str, state: Option<PointState>) -> WatchedPoint {
    let point = WatchPoint {
        id: ID.into(),
        owner: "ann".into(),
        name: "home".into(),
        at: LatLon::in_conus(40.52, -92.9).unwrap(),
        min_level: Level::Elevated,
        addresses: Vec::new(),
        time_zone: None,
        created_utc: at(created),
        until_utc: None,
        client_token: None,
        waiting: Vec::new(),
        quiet_hours: None,
        snooze_until_utc: None,
        acknowledged: None,
    };
    WatchedPoint { point, state }
}

fn journal(entries: Vec<JournalEntry>) -> PointHistory {
    PointHistory { journal: entries, ..PointHistory::default() }
}

/// Raised at 21:15:12, further at 21:32:05, down at 22:10:00.
fn storm() -> Vec<JournalEntry> {
    let told = Fate::Told(NoticeReason::Raised);
    vec![
        entry(1, "21:15:12", Level::None, Level::Significant, told.clone()),
        entry(2, "21:32:05", Level::Significant, Level::Extreme, told),
        entry(3, "22:10:00", Level::Extreme, Level::Significant, Fate::Told(NoticeReason::Lowered)),
    ]
}

fn explain_storm(when: &str) -> Explanation {
    explain(ID, Some(&watched("20:00:00", None)), &journal(storm()), at(when))
}

#[test]
fn the_level_at_an_instant_is_that_of_the_change_before_it() {
    let explained = explain_storm("21:31:00");
    let (level, since_utc, until_utc) = (Level::Significant, at("21:15:12"), Some(at("21:32:05")));
    assert_eq!(explained.stood, Stood::Journalled { level, since_utc, until_utc });
    assert_eq!(explained.made_by.as_ref().unwrap().number, 1);
    assert_eq!(explained.around.iter().map(|step| step.number).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(explain_storm("21:32:05").made_by.unwrap().number, 2, "from its very second on");
    assert_eq!(explain_storm("21:32:04").made_by.unwrap().number, 1);
    assert_eq!(explain_storm("23:00:30").stood.level(), Some(Level::Significant));
    assert_eq!(explain_storm("23:30:30").around, [], "no change within an hour");
}

#[test]
fn an_instant_without_seconds_is_its_whole_minute() {
    assert_eq!(explain_storm("21:32:00").made_by.unwrap().number, 2, "as a person says it");
    assert_eq!(explain_storm("21:32:01").made_by.unwrap().number, 1, "who gives seconds means them");
}

#[test]
fn before_the_first_entry_the_next_one_says_what_stood() {
    assert_eq!(explain_storm("21:14:00").stood, Stood::LeftBy { level: Level::None, until_utc: at("21:15:12") });
    assert_eq!(explain_storm("19:59:30").stood, Stood::NotWatched { from_utc: at("20:00:00") });
    let quiet = explain(ID, Some(&watched("20:00:00", None)), &PointHistory::default(), at("21:00:00"));
    assert_eq!(quiet.stood, Stood::Quiet { since_utc: at("20:00:00") });
    let mut state = PointState::quiet(at("20:30:00"));
    state.level = Level::Elevated;
    let pruned = explain(ID, Some(&watched("20:00:00", Some(state))), &PointHistory::default(), at("21:00:00"));
    assert_eq!(pruned.stood, Stood::Unknown, "its entry is gone: that is not none");
    assert_eq!(explain(ID, None, &PointHistory::default(), at("21:00:00")).stood, Stood::Unknown);
}

/// Nothing judged it after its end: what stood last stands no more.
#[test]
fn after_the_end_of_its_watch_nothing_is_known_of_a_point() {
    let row = |number, when: &str, source: &str| SightRow {
        number,
        watch_point: ID.into(),
        at_utc: at(when),
        blind_spots: vec![crate::threat::BlindSpot {
            source: source.into(),
            since_utc: None,
            why: String::new(),
            could_raise_to: Level::Extreme,
        }],
    };
    let sights = vec![row(1, "21:20:00", "mrms-vil"), row(2, "21:40:00", crate::store::ENDED_ID)];
    let ended = PointHistory { sights, ..journal(storm()[..2].to_vec()) };
    let left_at = Some((Level::Extreme, at("21:32:05")));
    for (when, level, unseen) in
        [("21:39:59", Some(Level::Extreme), true), ("21:40:00", Some(Level::Extreme), true), ("21:40:01", None, false)]
    {
        let found = explain(ID, None, &ended, at(when));
        assert_eq!((found.stood.level(), found.end), (level, Some(End::At(at("21:40:00")))), "{when}");
        assert_eq!(found.unseen.as_ref().is_some_and(|spots| spots[0].source == "mrms-vil"), unseen, "{when}");
        assert!(level.is_some() || found.stood == Stood::Ended { left_at }, "{when}: {found:?}");
    }
    // Where its end was not noted, the last that is on record of it is the last that is known.
    let record = journal(storm()[..2].to_vec());
    let end = Some(End::AfterRecord(at("21:32:05")));
    for (when, level) in
        [("21:31:00", Some(Level::Significant)), ("21:32:00", Some(Level::Extreme)), ("21:33:00", None)]
    {
        let found = explain(ID, None, &record, at(when));
        assert_eq!((found.stood.level(), found.end), (level, end), "{when}");
    }
    let watched = explain(ID, Some(&watched("20:00:00", None)), &record, at("21:50:00"));
    assert_eq!((watched.stood.level(), watched.end), (Some(Level::Extreme), None));
}

#[test]
fn what_was_held_shows_in_the_state_before_the_next_change() {
    let mut entries = storm();
    let mut before = PointState::quiet(at("21:32:05"));
    before.level = Level::Extreme;
    before.supports = vec![support(Level::Extreme, Some("ended 22:00; the lower level must last 10 min first"))];
    let scene = crate::threat::basis::Basis {
        evidence: crate::threat::evidence::Evidence::gather(
            &crate::threat::picture::Picture::default(),
            LatLon::in_conus(40.52, -92.9).unwrap(),
            at("22:10:00"),
            &mut crate::threat::evidence::Memory::default(),
        ),
        before: Some(before.clone()),
        terms: crate::threat::change::Terms {
            hold: SignedDuration::from_mins(10),
            settling: false,
            watched_since_utc: at("20:00:00"),
        },
    };
    entries[2].basis = Some(scene);
    let step = explain(ID, None, &journal(entries), at("22:05:00")).made_by.unwrap();
    let stand = step.at_the_end.unwrap();
    assert_eq!((stand.at_utc, stand.supports), (at("22:10:00"), before.supports));
    assert_eq!(step.hold, None, "of its own basis, which was not kept");
}

/// The rows decided at the instant of a change are its notices; how each ended is told.
#[test]
fn notices_are_told_with_their_end() {
    let mut history = journal(storm());
    let row = |id: &str, to: &str, outcome| LedgerRow {
        delivery: delivery(id, "21:15:12", NoticeReason::Raised, to),
        settled_utc: at("21:15:14"),
        outcome,
        attempts: 1,
    };
    history.ledger.push(row("d1", "ann@example.org", LedgerOutcome::Told("250 ok".into())));
    history.ledger.push(row("d2", "gone@example.org", LedgerOutcome::Dead("550 no such user".into())));
    history.ledger.push(row("d3", "", LedgerOutcome::Told("recorded".into())));
    history.outbox.push(OutboxRow {
        delivery: delivery("d4", "21:32:05", NoticeReason::Raised, "ann@example.org"),
        attempts: 3,
        not_before_utc: Some(at("21:36:00")),
        last_error: Some("421 try later".into()),
    });
    let blind = delivery("d5", "21:50:00", NoticeReason::WentBlind, "ann@example.org");
    history.ledger.push(LedgerRow {
        delivery: blind,
        settled_utc: at("21:50:01"),
        outcome: LedgerOutcome::Told("250 ok".into()),
        attempts: 1,
    });
    let explained = explain(ID, None, &history, at("21:31:00"));
    let Telling::Decided(rows) = &explained.made_by.as_ref().unwrap().telling else { panic!("{explained:?}") };
    let ends: Vec<_> = rows.iter().map(|row| row.outcome.clone()).collect();
    let expected = [
        Outcome::Told(at("21:15:14"), "250 ok".into()),
        Outcome::Dead(at("21:15:14"), "550 no such user".into()),
        Outcome::Recorded,
    ];
    assert_eq!(ends, expected);
    assert_eq!(rows[0].together_with, ["wp_2"], "grouped with");
    let Telling::Decided(rows) = &explained.around[0].telling else { panic!("{explained:?}") };
    assert_eq!(rows[0].outcome, Outcome::Pending(Some("421 try later".into()), Some(at("21:36:00"))));
    let Telling::Decided(rows) = &explained.around[1].telling else { panic!("{explained:?}") };
    assert_eq!(rows.len(), 0, "decided, and no row says any more what became of it");
    assert_eq!(explained.other_notices.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["d5"]);
}

#[test]
fn why_nothing_was_told_is_what_was_journalled_then() {
    let told = |from, to, fate, min_level| {
        let mut made = entry(1, "21:04:10", from, to, fate);
        made.sequel.as_mut().unwrap().min_level = min_level;
        explain(ID, Some(&watched("20:00:00", None)), &journal(vec![made]), at("21:04:00")).made_by.unwrap().telling
    };
    use Level::{Elevated, Extreme, Marginal, Significant};
    assert_eq!(
        told(Marginal, Elevated, Fate::Unasked, Significant),
        Telling::Not(WhyNot::Below(Significant)),
        "whatever the point wants today"
    );
    assert_eq!(told(Significant, Elevated, Fate::Unasked, Elevated), Telling::Not(WhyNot::NothingToTakeBack));
    assert_eq!(told(Elevated, Extreme, Fate::Known(NoticeReason::Raised), Elevated), Telling::Not(WhyNot::Known(None)));
    let mut old = entry(1, "21:04:10", Elevated, Extreme, Fate::Unasked);
    old.sequel = None;
    let old = explain(ID, None, &journal(vec![old]), at("21:04:00")).made_by.unwrap();
    assert_eq!(old.telling, Telling::Not(WhyNot::NotJournalled));
}

#[test]
fn what_quiet_hours_held_is_told_as_held_and_later_with_its_digest() {
    let due = at("23:00:00");
    let mut history =
        journal(vec![entry(1, "21:04:10", Level::None, Level::Elevated, Fate::Held(NoticeReason::Raised, due))]);
    let held = Held {
        id: "h1".into(),
        owner: "ann".into(),
        watch_point: ID.into(),
        reason: NoticeReason::Raised,
        level: Level::Elevated,
        decided_utc: at("21:04:10"),
        due_utc: due,
        subject: "elevated".into(),
        episode: "ep_1".into(),
        held_by: crate::notice::HeldBy::QuietHours,
        told: false,
        heard: Vec::new(),
    };
    history.held.push(held.clone());
    let explained = explain(ID, None, &history, at("21:04:00"));
    assert_eq!(explained.made_by.unwrap().telling, Telling::Held(held));
    history.held.clear();
    let digest = delivery("d1", "23:00:00", NoticeReason::Digest, "ann@example.org");
    history.ledger.push(LedgerRow {
        delivery: digest,
        settled_utc: at("23:00:01"),
        outcome: LedgerOutcome::Told("250 ok".into()),
        attempts: 1,
    });
    let Telling::WasHeld(until, rows) = explain(ID, None, &history, at("21:04:00")).made_by.unwrap().telling else {
        panic!("it was held");
    };
    assert_eq!((until, rows[0].id.as_str()), (due, "d1"));
}

#[test]
fn rows_that_could_not_be_read_are_counted() {
    let history = PointHistory { unreadable: 2, ..journal(storm()) };
    assert_eq!(explain(ID, None, &history, at("21:31:00")).unreadable, 2);
}
