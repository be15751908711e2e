//! Routine facts of the National Weather Service: what is forecast, what is measured, what is in force, what an office
//! writes. Everything that api.weather.gov may leave out is an `Option`; what is told is rounded here, once, so that text and
//! figures cannot differ.
//!
//! Boundaries: ✓ field types, filters, pages and their cursors, units, windows of time. ✗ no JSON of the upstream (see
//! `decode::nws_api`), no I/O, no clock.

pub mod alerts;
pub mod conditions;
pub mod forecast;
pub mod grid_point;
pub mod ids;
pub mod page;
pub mod product;
pub mod region;
pub mod span;
pub mod station;
pub mod units;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// An instant with the words in which it was sent: their offset is the office's own and is passed on as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// As sent, ISO 8601 with an offset.
    pub text: String,
    /// What it means.
    pub at: Timestamp,
}

/// An instant as people at a place read it, with UTC beside it: `Wed Jul 15 3:00 PM CDT (20:00Z)`.
pub fn local_time(at: Timestamp, zone: Option<&TimeZone>) -> String {
    let Some(zone) = zone else { return at.strftime("%a %b %-d %H:%MZ").to_string() };
    let there = at.to_zoned_datetime(zone.clone());
    // Where the days differ, UTC says its own.
    let same_day = there.date() == TimeZone::UTC.to_datetime(at).date();
    let utc = at.strftime(if same_day { "%H:%MZ" } else { "%a %H:%MZ" });
    format!("{} ({utc})", there.strftime("%a %b %-d %-I:%M %p %Z"))
}

/// The time zone of this IANA name, where it is known.
pub fn zone_named(name: Option<&str>) -> Option<TimeZone> {
    TimeZone::get(name?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// N44: the offset -04:00 is Atlantic time in Puerto Rico and eastern daylight time in Florida: the place's own zone says
    /// which.
    #[test]
    fn n44_times_are_told_in_the_zone_of_the_place_and_in_utc() {
        let at: Timestamp = "2026-07-15T22:30:00-04:00".parse().unwrap();
        let told = |zone| local_time(at, zone_named(zone).as_ref());
        assert_eq!(told(Some("America/Puerto_Rico")), "Wed Jul 15 10:30 PM AST (Thu 02:30Z)");
        assert_eq!(told(Some("America/New_York")), "Wed Jul 15 10:30 PM EDT (Thu 02:30Z)");
        assert!(told(Some("Pacific/Guam")).eq_ignore_ascii_case("Thu Jul 16 12:30 PM ChST (02:30Z)"));
        assert_eq!(told(None), "Thu Jul 16 02:30Z");
        assert_eq!(told(Some("Mars/Olympus")), told(None));
    }
}
