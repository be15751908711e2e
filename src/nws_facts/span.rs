//! Stretches of time as callers write them, checked here: the API answers dates without a time with 400 and days that do not
//! exist with 500.

use jiff::Timestamp;
use thiserror::Error;

/// Why a stretch of time cannot be asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SpanError {
    /// Not a whole instant.
    #[error(
        "{field} is {text:?}: {why}; write an ISO 8601 time with seconds and an offset, for instance 2031-05-09T15:00:00-05:00 or 2031-05-09T20:00:00Z"
    )]
    NotAnInstant {
        /// `start` or `end`.
        field: &'static str,
        /// As given.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Nothing lies between.
    #[error("start ({start}) is not before end ({end})")]
    Empty {
        /// The start.
        start: Timestamp,
        /// The end.
        end: Timestamp,
    },
}

/// From `start`, inclusive, to `end`, exclusive; either may be open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// The first instant that counts.
    pub start: Option<Timestamp>,
    /// The first that no longer counts.
    pub end: Option<Timestamp>,
}

impl Span {
    /// Checks both ends.
    ///
    /// # Errors
    /// `SpanError` where one is no whole instant or nothing lies between.
    pub fn new(start: Option<&str>, end: Option<&str>) -> Result<Self, SpanError> {
        let read = |field, text: Option<&str>| text.map(|text| instant(field, text)).transpose();
        let span = Self { start: read("start", start)?, end: read("end", end)? };
        match (span.start, span.end) {
            (Some(start), Some(end)) if start >= end => Err(SpanError::Empty { start, end }),
            _ => Ok(span),
        }
    }

    /// Whether an instant lies in it.
    pub fn holds(&self, at: Timestamp) -> bool {
        self.start.is_none_or(|start| at >= start) && self.end.is_none_or(|end| at < end)
    }
}

/// `YYYY-MM-DDTHH:MM:SS[.ffffff](Z|±HH:MM)`, a time that exists.
fn instant(field: &'static str, given: &str) -> Result<Timestamp, SpanError> {
    let text = given.trim();
    let wrong = |why| SpanError::NotAnInstant { field, text: given.chars().take(60).collect(), why };
    let (civil, rest) = text.split_at_checked(19).ok_or_else(|| wrong("it is no whole date and time"))?;
    let digits = civil.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        10 => byte == b'T',
        13 | 16 => byte == b':',
        _ => byte.is_ascii_digit(),
    });
    if !digits {
        return Err(wrong("it does not read YYYY-MM-DDTHH:MM:SS"));
    }
    let offset = match rest.strip_prefix('.') {
        None => rest,
        Some(fraction) => {
            let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
            if !(1..=6).contains(&end) {
                return Err(wrong("fractions of a second have one to six digits"));
            }
            fraction.get(end..).unwrap_or_default()
        }
    };
    let numbered = |offset: &str| {
        offset.len() == 6
            && offset.starts_with(['+', '-'])
            && offset.bytes().skip(1).enumerate().all(|(at, b)| if at == 2 { b == b':' } else { b.is_ascii_digit() })
    };
    if offset != "Z" && !numbered(offset) {
        return Err(wrong("an offset is due at its end, Z or +HH:MM"));
    }
    // A 60th second would be taken for the 59th.
    if civil.ends_with("60") {
        return Err(wrong("there is no such time"));
    }
    text.parse().map_err(|_| wrong("there is no such time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_whole_and_exist() {
        for good in [
            "2031-05-09T20:00:00Z",
            "2031-05-09T15:00:00-05:00",
            "2031-05-09T20:00:00.123456Z",
            " 2032-02-29T00:00:00+00:00 ",
        ] {
            assert!(Span::new(Some(good), None).is_ok(), "{good}");
        }
        for bad in [
            "2031-05-09",
            "2031-05-09T20:00Z",
            "2031-05-09T20:00:00",
            "2031-05-09 20:00:00Z",
            "2031-05-09T20:00:00.1234567Z",
            "2031-05-09T20:00:00.Z",
            "2031-02-30T20:00:00Z",
            "2031-02-29T20:00:00Z",
            "2031-05-09T24:00:00Z",
            "2031-05-09T20:00:60Z",
            "2031-05-09T20:00:00-0500",
            "2031-05-09T20:00:00Z[UTC]",
            "20310509T200000Z",
            "yesterday",
            "2031-05-09T20:00:0éZ",
        ] {
            let error = Span::new(None, Some(bad)).unwrap_err().to_string();
            assert!(error.starts_with("end is ") && error.contains("ISO 8601"), "{bad}: {error}");
        }
    }

    #[test]
    fn the_start_is_in_and_the_end_is_out() {
        let (from, to) = ("2031-05-09T20:00:00Z", "2031-05-09T21:00:00Z");
        let span = Span::new(Some(from), Some(to)).unwrap();
        assert!(span.holds(from.parse().unwrap()) && !span.holds(to.parse().unwrap()));
        assert!(matches!(Span::new(Some(to), Some(from)), Err(SpanError::Empty { .. })));
        assert!(matches!(Span::new(Some(to), Some(to)), Err(SpanError::Empty { .. })));
    }
}
