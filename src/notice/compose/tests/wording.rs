//! Times, ages, what is cut, and what a rule says, in words.

use super::utc;
use crate::notice::compose::words;

#[test]
fn times_are_in_the_zone_of_the_place_and_in_utc() {
    let cases = [
        (Some("America/Puerto_Rico"), "Friday 10 July 2026, 20:30 AST (11 July 00:30Z)"),
        (Some("America/New_York"), "Friday 10 July 2026, 20:30 EDT (11 July 00:30Z)"),
        (Some("America/Phoenix"), "Friday 10 July 2026, 17:30 MST (11 July 00:30Z)"),
        (Some("Not/AZone"), "Saturday 11 July 2026, 00:30Z"),
        (None, "Saturday 11 July 2026, 00:30Z"),
    ];
    let now = utc("2026-07-11T00:30:00Z");
    for (zone, expected) in cases {
        let zone = words::zone(zone);
        assert_eq!(words::full_moment(now, zone.as_ref()), expected);
    }
    let zone = words::zone(Some("America/New_York"));
    assert_eq!(words::moment(utc("2026-07-11T02:00:00Z"), zone.as_ref(), now), "22:00 EDT (11 July 02:00Z)");
    assert_eq!(words::moment(utc("2026-07-11T05:00:00Z"), zone.as_ref(), now), "11 July 01:00 EDT (05:00Z)");
    assert_eq!(words::moment(utc("2026-07-12T05:00:00Z"), None, now), "12 July 05:00Z");
}

#[test]
fn ages_are_rounded_down() {
    assert_eq!(
        [0, 59, 60, 3_599, 3_600, 3_900, 200_000].map(words::age),
        ["under a minute", "under a minute", "1 min", "59 min", "1 h", "1 h 5 min", "2 days"]
    );
}

#[test]
fn what_is_too_long_is_cut_between_two_words() {
    let text = "inside Tornado Warning [tornado OBSERVED, hail 1.50 in]";
    assert_eq!(words::cut(text, 80), text);
    assert_eq!(words::cut(text, 53), "inside Tornado Warning [tornado OBSERVED, hail 1.50…");
    assert_eq!(words::cut(text, 43), "inside Tornado Warning [tornado OBSERVED…", "no comma is left behind");
    assert_eq!(words::cut(&"y".repeat(60), 10), "yyyyyyyyy…", "one word");
}

#[test]
fn a_person_reads_names_of_sources_and_the_clock_of_the_place() {
    let (now, zone) = (utc("2026-06-10T22:10:00Z"), words::zone(Some("America/Chicago")));
    let plain = |text: &str| words::plain(text, 200, zone.as_ref(), now);
    assert_eq!(
        plain("its source mrms-rotation_track_ml_60min is blind since 2026-06-10T21:58:00Z"),
        "its source radar mid-level rotation of the last hour is blind since 16:58 CDT (21:58Z)"
    );
    assert_eq!(plain("spc-hail is not heard yet"), "SPC's hail probabilities is not heard yet");
    assert_eq!(plain("a text that names nothing"), "a text that names nothing");
}
