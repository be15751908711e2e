use super::*;
use crate::desk::DeskError;
use crate::notice::id;

fn point(quiet: Option<&str>) -> WatchPoint {
    let at = LatLon::new(40.52, -92.90).unwrap();
    let created_utc = "2026-06-10T00:00:00Z".parse().unwrap();
    WatchPoint {
        id: id::watch_point_id("local", "Home", at, created_utc),
        owner: "local".into(),
        name: "Home".into(),
        at,
        min_level: Level::Elevated,
        addresses: Vec::new(),
        time_zone: Some("America/Chicago".into()),
        created_utc,
        until_utc: None,
        client_token: None,
        waiting: Vec::new(),
        quiet_hours: quiet.map(|hours| hours.parse().unwrap()),
        snooze_until_utc: None,
        acknowledged: None,
    }
}

fn draft() -> Draft {
    Draft { name: "Home".into(), place: "40.52, -92.90".into(), min_level: "elevated".into(), ..Draft::default() }
}

#[test]
fn morning_is_the_end_of_the_quiet_hours_or_seven() {
    let at = |quiet, now: &str| morning(&point(quiet), now.parse().unwrap()).to_string();
    // Central daylight time: five hours behind.
    assert_eq!(at(None, "2026-06-10T08:00:00Z"), "2026-06-10T12:00:00Z", "at three in the morning: the same day");
    assert_eq!(at(None, "2026-06-10T12:00:00Z"), "2026-06-11T12:00:00Z", "at seven: tomorrow");
    assert_eq!(at(None, "2026-06-11T02:00:00Z"), "2026-06-11T12:00:00Z", "in the evening: tomorrow");
    assert_eq!(at(Some("22:00-05:30"), "2026-06-11T04:00:00Z"), "2026-06-11T10:30:00Z");
    assert_eq!(at(Some("22:00-05:30"), "2026-06-10T20:00:00Z"), "2026-06-11T12:00:00Z", "outside of them: seven");
}

#[test]
fn coordinates_are_read_in_any_of_the_usual_forms() {
    for words in ["40.52, -92.90", "40.52 -92.90", "40.52,-92.90", "40.52,  -92.9"] {
        let at = located(words).unwrap();
        assert_eq!((at.lat(), at.lon()), (40.52, -92.90), "{words}");
    }
    for words in ["", "40.52", "NaN, NaN", "inf -inf", "40.52, 92.90", "1, 2, 3", "0, 0"] {
        assert!(located(words).is_err(), "{words}");
    }
}

#[test]
fn a_draft_becomes_a_point_and_a_point_a_draft() {
    let mut typed = draft();
    typed.quiet_from = "22:00".into();
    typed.quiet_to = "07:00".into();
    typed.until = "2026-07-01T18:00".into();
    typed.push = true;
    typed.emails = BTreeSet::from(["em@example.org".to_owned()]);
    typed.new_email = "other@example.org".into();
    let wanted = typed.new_point("alice").unwrap();
    assert_eq!((&*wanted.owner, &*wanted.name, wanted.min_level), ("alice", "Home", Level::Elevated));
    assert_eq!(
        wanted.until_utc,
        Some("2026-07-01T23:00:00Z".parse().unwrap()),
        "in the place's own time, found by its place"
    );
    let addresses: Vec<(ChannelKind, &str)> = wanted.addresses.iter().map(|a| (a.kind, &*a.to)).collect();
    let expected =
        [(ChannelKind::Email, "em@example.org"), (ChannelKind::Email, "other@example.org"), (ChannelKind::WebPush, "")];
    assert_eq!(addresses, expected);

    let mut stands = point(Some("22:00-07:00"));
    stands.addresses = wanted.addresses[..1].to_vec();
    stands.waiting = wanted.addresses[1..].to_vec();
    stands.until_utc = wanted.until_utc;
    let again = Draft::of(&stands);
    let both = BTreeSet::from(["em@example.org".to_owned(), "other@example.org".to_owned()]);
    assert_eq!((again.emails, again.push, &*again.until), (both, true, "2026-07-01T18:00"));
    // Saving what stands changes nothing, an address that waits among it.
    let update = Draft::of(&stands).update(&stands).unwrap();
    assert_eq!(update.addresses.unwrap().len(), 3);
    assert_eq!(
        (update.until_utc, update.quiet_hours, update.snooze_until_utc),
        (Some(stands.until_utc), Some(stands.quiet_hours), None)
    );
}

#[test]
fn a_fresh_form_offers_what_is_proven() {
    let proof = |to: &str, proven: bool, gone: bool| AddressProof {
        owner: "local".into(),
        address: Address { kind: ChannelKind::Email, to: to.into() },
        proven_utc: proven.then_some(Timestamp::UNIX_EPOCH),
        asked_utc: Vec::new(),
        code: None,
        wrong_codes: 0,
        unsubscribed_utc: gone.then_some(Timestamp::UNIX_EPOCH),
        is_own: false,
    };
    let addresses = [proof("a@x.org", true, false), proof("b@x.org", false, false), proof("c@x.org", true, true)];
    let fresh = Draft::fresh(&addresses, false);
    assert_eq!((fresh.emails, fresh.push), (BTreeSet::from(["a@x.org".to_owned()]), false));
}

#[test]
fn an_end_that_is_past_is_said_without_utc() {
    let error = DeskError::Invalid { field: "until_utc", why: "2020-01-01T06:00:00Z is past; now is later".into() };
    let wrong = crate::web::home::of_desk(&error);
    assert_eq!((wrong.field, wrong.why.as_str()), ("until", "That time is past already, by the clock of the place."));
}
