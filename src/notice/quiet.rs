//! Quiet hours of a watch point: a daily stretch of its own clock in which people sleep.

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// From when to when, in the place's own time; half-open, over midnight where the end lies before the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuietHours {
    /// Minutes after midnight at which they begin, 0 to 1439.
    pub from_min: u16,
    /// Minutes after midnight at which they end, 0 to 1439; not the same as the beginning.
    pub to_min: u16,
}

/// Not quiet hours.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} are no quiet hours: write from and to in the place's own time, for instance \"22:00-07:00\"")]
pub struct NotQuietHours(pub String);

const MINUTES_A_DAY: u16 = 24 * 60;

impl QuietHours {
    /// When the quiet hours that hold `now` end; `None` outside them. Without a zone the clock is UTC's. On the night when
    /// the clocks change they end when the clock says so.
    pub fn end_after(self, now: Timestamp, zone: Option<&TimeZone>) -> Option<Timestamp> {
        let zone = zone.cloned().unwrap_or(TimeZone::UTC);
        let local = ZonedDateTime::new(now, zone.clone());
        let minute = u16::try_from(i32::from(local.hour()) * 60 + i32::from(local.minute())).ok()?;
        let over_midnight = self.to_min < self.from_min;
        let inside = match over_midnight {
            true => minute >= self.from_min || minute < self.to_min,
            false => (self.from_min..self.to_min).contains(&minute),
        };
        if !inside {
            return None;
        }
        let day = match over_midnight && minute >= self.from_min {
            true => local.date().tomorrow().ok()?,
            false => local.date(),
        };
        let end = day.to_datetime(clock(self.to_min)?).to_zoned_datetime(zone).ok()?.timestamp();
        (end > now).then_some(end)
    }
}

fn clock(minute: u16) -> Option<Time> {
    Time::new(i8::try_from(minute / 60).ok()?, i8::try_from(minute % 60).ok()?, 0, 0).ok()
}

impl FromStr for QuietHours {
    type Err = NotQuietHours;

    fn from_str(text: &str) -> Result<Self, NotQuietHours> {
        let bad = || NotQuietHours(text.to_owned());
        let minute = |part: &str| -> Option<u16> {
            let (hour, minute) = part.trim().split_once(':')?;
            let digits = |text: &str| {
                (text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse::<u16>().ok())
            };
            let (hour, minute) = (digits(hour)??, digits(minute)??);
            (hour < 24 && minute < 60).then_some(hour * 60 + minute)
        };
        let (from, to) = text.split_once('-').ok_or_else(bad)?;
        let (from_min, to_min) = (minute(from).ok_or_else(bad)?, minute(to).ok_or_else(bad)?);
        if from_min == to_min || from_min >= MINUTES_A_DAY {
            return Err(bad());
        }
        Ok(Self { from_min, to_min })
    }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from_min, self.to_min);
        write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(hours: &str, now: &str) -> Option<String> {
        let zone = TimeZone::get("America/Chicago").unwrap();
        let hours: QuietHours = hours.parse().unwrap();
        hours.end_after(now.parse().unwrap(), Some(&zone)).map(|end| end.to_string())
    }

    #[test]
    fn they_are_half_open_and_may_pass_midnight() {
        // Central daylight time: five hours behind.
        assert_eq!(end("22:00-07:00", "2026-06-11T02:59:59Z"), None);
        assert_eq!(end("22:00-07:00", "2026-06-11T03:00:00Z").unwrap(), "2026-06-11T12:00:00Z");
        assert_eq!(end("22:00-07:00", "2026-06-11T11:59:59Z").unwrap(), "2026-06-11T12:00:00Z");
        assert_eq!(end("22:00-07:00", "2026-06-11T12:00:00Z"), None);
        assert_eq!(end("01:00-06:30", "2026-06-11T06:10:00Z").unwrap(), "2026-06-11T11:30:00Z");
        assert_eq!(end("01:00-06:30", "2026-06-11T05:59:00Z"), None);
    }

    #[test]
    fn they_end_by_the_clock_on_the_night_when_it_changes() {
        // Back to standard time on 2026-11-01 at 2:00: seven in the morning is 13:00Z.
        assert_eq!(end("22:00-07:00", "2026-11-01T04:00:00Z").unwrap(), "2026-11-01T13:00:00Z");
        assert_eq!(end("22:00-07:00", "2026-03-08T05:00:00Z").unwrap(), "2026-03-08T12:00:00Z");
    }

    #[test]
    fn what_is_typed_comes_back_and_nonsense_is_refused() {
        let hours: QuietHours = " 22:00 - 07:05 ".parse().unwrap();
        assert_eq!(hours.to_string(), "22:00-07:05");
        for bad in ["", "22-7", "22:00", "24:00-07:00", "22:60-07:00", "07:00-07:00", "2:00-07:00", "-1:00-07:00"] {
            assert!(bad.parse::<QuietHours>().is_err(), "{bad}");
        }
    }
}
