use super::*;
use crate::geo::LatLon;
use crate::threat::{Assessment, ChangeCause, Reason};
use std::path::PathBuf;

mod below;
mod mail;
mod wording;

fn utc(text: &str) -> Timestamp {
    text.parse().expect(text)
}

fn point(name: &str, lat: f64, lon: f64, zone: Option<&str>) -> WatchPoint {
    WatchPoint {
        id: "wp_0123456789ab".into(),
        owner: "local".into(),
        name: name.into(),
        at: LatLon::new(lat, lon).expect("point"),
        min_level: Level::Elevated,
        addresses: Vec::new(),
        time_zone: zone.map(str::to_owned),
        created_utc: utc("2026-06-10T21:15:00Z"),
        until_utc: None,
        client_token: None,
        waiting: Vec::new(),
        quiet_hours: None,
        snooze_until_utc: None,
        acknowledged: None,
    }
}

fn unionville() -> WatchPoint {
    point("unionville", 40.52, -92.9, Some("America/Chicago"))
}

/// The tornado warning of the worked example in levels.md.
fn tornado_warning() -> Support {
    Support {
        reason: Reason {
            rule: "tornado_warning_inside".into(),
            subject: "KEAX.TO.W.0065.2026".into(),
            level: Level::Extreme,
            text: "inside Tornado Warning [tornado OBSERVED, tornado damage threat CONSIDERABLE, hail 1.50 in], until \
                   2026-06-10T22:00:00Z (NWS Kansas City/Pleasant Hill MO)"
                .into(),
            source: "nws-warnings".into(),
            evidence_id: "urn:oid:2.49.0.1.840.0.1".into(),
            observed_utc: utc("2026-06-10T21:31:00Z"),
            age_s: 60,
            distance_km: Some(0.0),
            direction: None,
            until_utc: Some(utc("2026-06-10T22:00:00Z")),
            already_in_effect: false,
        },
        last_supported_utc: utc("2026-06-10T21:32:00Z"),
        held: None,
        ended_utc: None,
        sight_lost: false,
    }
}

fn rotation(held: Option<&str>) -> Support {
    Support {
        reason: Reason {
            rule: "rotation_intense_near".into(),
            subject: "rotation_track_ml_60min".into(),
            level: Level::Significant,
            text: "mid-level rotation up to 0.0190 /s in the last 60 min, 10.9 km W; nearest cell of at least 0.0120 /s at \
                   7.9 km W (within 40 km)"
                .into(),
            source: "mrms-rotation_track_ml_60min".into(),
            evidence_id: "MRMS_RotationTrackML60min_00.50_20260610-214600.grib2.gz".into(),
            observed_utc: utc("2026-06-10T21:46:00Z"),
            age_s: 1440,
            distance_km: Some(7.9),
            direction: Some("NW".into()),
            until_utc: None,
            already_in_effect: false,
        },
        last_supported_utc: utc("2026-06-10T21:57:30Z"),
        held: held.map(str::to_owned),
        ended_utc: None,
        sight_lost: false,
    }
}

fn blind(source: &str, since: Option<&str>, could_raise_to: Level) -> BlindSpot {
    let why = match since {
        Some(_) => "the newest scan is older than 12 minutes",
        None => "no answer yet",
    };
    BlindSpot { source: source.into(), since_utc: since.map(utc), why: why.into(), could_raise_to }
}

fn change(
    at: &str,
    from: Level,
    to: Level,
    supports: Vec<Support>,
    ended: Vec<Support>,
    blind: Vec<BlindSpot>,
) -> LevelChange {
    let at_utc = utc(at);
    LevelChange {
        watch_point: "wp_0123456789ab".into(),
        at_utc,
        from,
        to,
        cause: if to > from { ChangeCause::Raised } else { ChangeCause::Lowered },
        supports,
        ended,
        assessment: Assessment {
            at_utc,
            level: to,
            reasons: Vec::new(),
            lingering: Vec::new(),
            blind_spots: blind,
            hazards: Vec::new(),
        },
    }
}

fn event<'a>(reason: NoticeReason, now: &str, told: Told<'a>) -> NoticeEvent<'a> {
    NoticeEvent { reason, now: utc(now), points: vec![told], ending: None, instruction: None }
}

const INSTRUCTION: &str = "TAKE COVER NOW! Move to a basement or an interior room on the\nlowest floor of a sturdy \
                           building. Avoid windows.\n\nIf you spot a tornado, report it.";

fn raised_change() -> LevelChange {
    let spots = vec![blind("mrms-vil", None, Level::Elevated)];
    change("2026-06-10T21:32:00Z", Level::None, Level::Extreme, vec![tornado_warning()], Vec::new(), spots)
}

/// Compares with `fixtures/notices/<name>.txt`; `STORMBELL_BLESS=1` writes it, for a person to read.
fn reads_as(name: &str, rendered: &Rendered) {
    is_in_file(&format!("{name}.txt"), &format!("Subject: {}\n\n{}", rendered.subject, rendered.text));
    is_in_file(&format!("{name}.push.txt"), &format!("{}\n\n{}\n", rendered.short.title, rendered.short.body));
}

fn is_in_file(name: &str, found: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/notices").join(name);
    if std::env::var_os("STORMBELL_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("parent")).expect("mkdir");
        std::fs::write(&path, found).expect("write");
    }
    let expected = std::fs::read_to_string(&path).expect("fixture").replace("\r\n", "\n");
    assert_eq!(found, expected, "{}", path.display());
}

/// One heading of the first rank, the others without a gap, every element closed, a language, both schemes: what a screen
/// reader and a phone need.
fn is_readable(html: &str) {
    for once in
        ["<html lang=\"en\"", "<title>", "<h1 ", "name=\"viewport\"", "name=\"color-scheme\"", "role=\"article\""]
    {
        assert_eq!(html.matches(once).count(), 1, "{once}");
    }
    assert!(html.find("<h1 ") < html.find("<h2 ").or(Some(usize::MAX)));
    for skipped in ["<h3", "<table", "<center", "<font"] {
        assert!(!html.contains(skipped), "{skipped}");
    }
    let mut open: Vec<&str> = Vec::new();
    for tag in html.split('<').skip(1).map(|rest| rest.split(['>', ' ']).next().unwrap_or_default()) {
        match tag.strip_prefix('/') {
            Some(end) => assert_eq!(open.pop(), Some(end), "{html}"),
            None if ["!doctype", "meta", "br"].contains(&tag) => {}
            None => open.push(tag),
        }
    }
    assert_eq!(open, [""; 0]);
    for list in ["ul", "dl"] {
        assert!(!html.contains(&format!("<{list} style=\"margin:0 0 16px\">\n</{list}>")), "an empty list");
    }
}

fn is_sound(rendered: &Rendered) {
    is_readable(&rendered.html);
    assert!(rendered.subject.chars().count() <= SUBJECT_CHARS_MAX);
    assert!(!rendered.subject.contains(['\n', '\r']));
    for body in [&rendered.text, &rendered.html] {
        assert!(body.contains(DISCLAIMER), "{body}");
    }
    for fetched in ["<img", "url(", "src=", "<link", "<script"] {
        assert!(!rendered.html.contains(fetched), "{fetched}");
    }
}

#[test]
fn a_tornado_warning_raises() {
    let (point, change) = (unionville(), raised_change());
    let mut event = event(NoticeReason::Raised, "2026-06-10T21:32:00Z", Told::of_change(&point, &change));
    event.instruction = Some(INSTRUCTION);
    let rendered = compose(&event);
    is_sound(&rendered);
    reads_as("raised", &rendered);
    assert_eq!(rendered, compose(&event), "the same event gives the same bytes");
    assert!(rendered.html.contains("TAKE COVER NOW!") && rendered.html.contains(">extreme</span>"));
}

/// A rule writes its instants for machines; a person reads them by the clock of the place.
#[test]
fn instants_in_a_rules_sentence_are_told_by_the_clock_of_the_place() {
    let now = utc("2026-06-10T21:32:00Z");
    let zone = words::zone(Some("America/Chicago"));
    let told = |text: &str| words::plain(text, 200, zone.as_ref(), now);
    assert_eq!(
        told("Tornado Warning [x], until 2026-06-10T22:00:00Z (NWS Kansas City)"),
        "Tornado Warning [x], until 17:00 CDT (22:00Z) (NWS Kansas City)"
    );
    for same in ["", "Ü 2026-06-10", "2026-06-10T22:00:00", "2026-99-10T22:00:00Z", "gusts 2 mph \u{2603}Z"] {
        assert_eq!(told(same), same);
    }
}

#[test]
fn lowered_to_a_held_reason_says_that_it_is_held() {
    let held = rotation(Some("its source mrms-rotation_track_ml_60min is blind since 2026-06-10T21:58:00Z"));
    let spots = vec![blind("mrms-rotation_track_ml_60min", Some("2026-06-10T21:58:00Z"), Level::Significant)];
    let change =
        change("2026-06-10T22:10:00Z", Level::Extreme, Level::Significant, vec![held], vec![tornado_warning()], spots);
    let point = unionville();
    let rendered = compose(&event(NoticeReason::Lowered, "2026-06-10T22:10:00Z", Told::of_change(&point, &change)));
    is_sound(&rendered);
    reads_as("lowered_held", &rendered);
}

#[test]
fn all_clear_says_how_it_ended() {
    let change =
        change("2026-06-10T22:10:00Z", Level::Extreme, Level::None, Vec::new(), vec![tornado_warning()], Vec::new());
    let point = unionville();
    let mut event = event(NoticeReason::AllClear, "2026-06-10T22:10:00Z", Told::of_change(&point, &change));
    event.ending = Some(Ending::Expired);
    let rendered = compose(&event);
    is_sound(&rendered);
    reads_as("all_clear_expired", &rendered);
    let endings =
        [(Ending::Cancelled, "cancelled"), (Ending::Downgraded, "downgraded"), (Ending::MovedAway, "moved away")];
    for (ending, word) in endings {
        event.ending = Some(ending);
        assert!(compose(&event).subject.ends_with(word), "{}", compose(&event).subject);
    }
}

#[test]
fn with_warnings_out_of_sight_nothing_reads_as_an_all_clear() {
    let spots = vec![blind("nws-warnings", Some("2026-06-10T21:04:00Z"), Level::Extreme)];
    let change =
        change("2026-06-10T22:10:00Z", Level::Extreme, Level::Marginal, Vec::new(), vec![tornado_warning()], spots);
    let point = unionville();
    for ending in [None, Some(Ending::Expired)] {
        let mut event = event(NoticeReason::AllClear, "2026-06-10T22:10:00Z", Told::of_change(&point, &change));
        event.ending = ending;
        let rendered = compose(&event);
        is_sound(&rendered);
        assert!(!rendered.subject.to_lowercase().contains("all clear"), "{}", rendered.subject);
        assert!(!rendered.text.to_lowercase().contains("all clear"), "{}", rendered.text);
        assert!(rendered.text.contains("not an all-clear"));
        let second_paragraph = rendered.text.split("\n\n").nth(1);
        assert_eq!(second_paragraph, Some("At least marginal; NWS warnings unknown since 16:04 CDT (21:04Z)."));
    }
}

fn blind_state() -> PointState {
    PointState {
        level: Level::Significant,
        since_utc: utc("2026-06-10T22:10:00Z"),
        supports: vec![rotation(Some("its source mrms-rotation_track_ml_60min is blind since 2026-06-10T21:58:00Z"))],
        no_more_than_since_utc: [None; 5],
        blind_since_utc: Some(utc("2026-06-10T22:10:00Z")),
        episode: None,
        blind_spots: vec![blind("mrms-rotation_track_ml_60min", Some("2026-06-10T21:58:00Z"), Level::Significant)],
    }
}

#[test]
fn losing_and_regaining_sight() {
    let (point, state) = (unionville(), blind_state());
    let rendered = compose(&event(NoticeReason::WentBlind, "2026-06-10T22:20:00Z", Told::of_state(&point, &state)));
    is_sound(&rendered);
    reads_as("went_blind", &rendered);

    let mut state = state;
    state.supports = vec![rotation(None)];
    state.supports[0].reason.observed_utc = utc("2026-06-10T22:28:00Z");
    state.blind_spots = Vec::new();
    let rendered = compose(&event(NoticeReason::SeesAgain, "2026-06-10T22:30:00Z", Told::of_state(&point, &state)));
    is_sound(&rendered);
    reads_as("sees_again", &rendered);
}

#[test]
fn blind_below_the_threshold_names_the_feed() {
    let mut state = blind_state();
    state.level = Level::None;
    state.supports = Vec::new();
    state.blind_spots = vec![blind("nws-warnings", Some("2026-06-10T21:50:00Z"), Level::Extreme)];
    let point = unionville();
    let rendered = compose(&event(NoticeReason::WentBlind, "2026-06-10T22:20:00Z", Told::of_state(&point, &state)));
    is_sound(&rendered);
    assert_eq!(rendered.subject, "NWS warnings cannot be seen for unionville");
    assert!(
        rendered.text.contains("Status unknown, not an all-clear; NWS warnings unknown since 16:50 CDT (21:50Z)."),
        "{}",
        rendered.text
    );
}

#[test]
fn a_test_is_marked_as_one() {
    let (point, mut state) = (unionville(), blind_state());
    state.level = Level::None;
    state.supports = Vec::new();
    state.blind_spots = Vec::new();
    let rendered = compose(&event(NoticeReason::Test, "2026-06-11T03:20:00Z", Told::of_state(&point, &state)));
    is_sound(&rendered);
    reads_as("test", &rendered);
}

/// Field report N41: two saved places near each other gave two identical pushes.
#[test]
fn one_product_over_two_points_is_one_message_that_lists_both() {
    let (home, school) = (unionville(), point("school", 40.53, -92.91, Some("America/Chicago")));
    let change = raised_change();
    let mut event = event(NoticeReason::Raised, "2026-06-10T21:32:00Z", Told::of_change(&home, &change));
    event.points.push(Told::of_change(&school, &change));
    let rendered = compose(&event);
    is_sound(&rendered);
    assert!(rendered.subject.starts_with("EXTREME threat at unionville and school: "), "{}", rendered.subject);
    for place in ["unionville (40.52, -92.9): extreme", "school (40.53, -92.91): extreme"] {
        assert!(rendered.text.contains(place), "{}", rendered.text);
    }
    assert_eq!(rendered.text.matches("What cannot be seen").count(), 1);
}

/// Field report N44: "-04:00" is Atlantic standard time in San Juan and Eastern daylight time in New York.
#[test]
fn text_from_outside_starts_no_header_and_no_tag() {
    let mut point = unionville();
    point.name = "home\r\nBcc: eve@example.org <b onload=\"x\">\u{202e}".into();
    let mut change = raised_change();
    change.supports[0].reason.text = format!("<script>alert('x')</script> & {}", "y".repeat(5_000));
    let mut event = event(NoticeReason::Raised, "2026-06-10T21:32:00Z", Told::of_change(&point, &change));
    event.instruction = Some("</p><img src=x>");
    let rendered = compose(&event);
    assert!(!rendered.subject.contains(['\r', '\n', '\u{202e}']), "{:?}", rendered.subject);
    assert_eq!(rendered.subject.chars().count(), SUBJECT_CHARS_MAX);
    for raw in ["<b onload", "<script", "<img"] {
        assert!(!rendered.html.contains(raw), "{raw}");
    }
    assert!(rendered.html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; y"));
    assert!(rendered.text.len() < 4_000, "{}", rendered.text.len());
}

#[test]
fn already_in_effect_is_said() {
    let (point, mut change) = (unionville(), raised_change());
    change.supports[0].reason.already_in_effect = true;
    let rendered = compose(&event(NoticeReason::Raised, "2026-06-10T21:32:00Z", Told::of_change(&point, &change)));
    assert!(rendered.text.contains("Already in effect when watching began."), "{}", rendered.text);
}

#[test]
fn long_lists_say_how_much_is_left_out() {
    let points: Vec<WatchPoint> = (0..30).map(|n| point(&format!("p{n}"), 40.0, -92.0, None)).collect();
    let mut change = raised_change();
    change.supports = vec![rotation(None); 14];
    let event = NoticeEvent {
        reason: NoticeReason::Raised,
        now: utc("2026-06-10T21:50:00Z"),
        points: points.iter().map(|point| Told::of_change(point, &change)).collect(),
        ending: None,
        instruction: None,
    };
    let rendered = compose(&event);
    assert!(rendered.subject.starts_with("SIGNIFICANT") || rendered.subject.contains("p0, p1 and 28 more"));
    assert!(rendered.text.contains("And 10 more places.") && rendered.text.contains("and 4 more"), "{}", rendered.text);
}
