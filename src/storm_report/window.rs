//! Windows of event times: back from now, a UTC day, a local day.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// From `from_utc`, inclusive, to `to_utc`, exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventWindow {
    /// The beginning.
    pub from_utc: Timestamp,
    /// The end, exclusive.
    pub to_utc: Timestamp,
}

impl EventWindow {
    /// From `back` before `now` to `ahead` after it.
    pub fn back_from(now: Timestamp, back: SignedDuration, ahead: SignedDuration) -> Self {
        Self {
            from_utc: now.checked_sub(back).unwrap_or(Timestamp::MIN),
            to_utc: now.checked_add(ahead).unwrap_or(Timestamp::MAX),
        }
    }

    /// The day as clocks in `zone` have it: 23 or 25 hours where summer time begins or ends. A UTC day splits the evenings of
    /// the US, when most storms are. `None` where the day lies beyond all calendars.
    pub fn day(date: Date, zone: &TimeZone) -> Option<Self> {
        let next = date.tomorrow().ok()?;
        let start = |date: Date| zone.to_timestamp(date.at(0, 0, 0, 0)).ok();
        Some(Self { from_utc: start(date)?, to_utc: start(next)? })
    }

    /// Whether an event of that time lies inside.
    pub fn holds(&self, at: Timestamp) -> bool {
        self.from_utc <= at && at < self.to_utc
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Field report L11: what is sent is UTC, also on the night when clocks change.
    #[test]
    fn a_local_day_is_as_long_as_its_clocks_say() {
        let zone = TimeZone::get("America/Chicago").unwrap();
        let day = |text: &str, zone: &TimeZone| EventWindow::day(text.parse().unwrap(), zone).unwrap();
        let summer = day("2026-06-10", &zone);
        assert_eq!(summer.from_utc.to_string(), "2026-06-10T05:00:00Z");
        assert_eq!(summer.to_utc.to_string(), "2026-06-11T05:00:00Z");
        let spring = day("2026-03-08", &zone);
        assert_eq!(spring.to_utc.duration_since(spring.from_utc), SignedDuration::from_hours(23));
        let autumn = day("2026-11-01", &zone);
        assert_eq!(autumn.to_utc.duration_since(autumn.from_utc), SignedDuration::from_hours(25));
        let utc = day("2026-06-10", &TimeZone::UTC);
        assert!(utc.holds("2026-06-10T23:59:59.5Z".parse().unwrap()) && !utc.holds(utc.to_utc));
        assert_eq!(EventWindow::day(Date::MAX, &zone), None);
    }
}
