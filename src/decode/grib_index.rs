//! The `.idx` beside a GRIB file on NOAA's servers: which message lies where, so that a part of the file is enough.
//!
//! One line a field: `12.1:799467:d=2026061020:UGRD:100 mb:anl:` (number, offset, cycle, name, level, forecast). Fields that
//! share a message share its offset, in lines `12.1` and `12.2`: a message ends where the next *different* offset begins.

use crate::observation::Fault;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;
use thiserror::Error;

/// Lines of one index; the longest of NOAA's have 1,200.
const LINES_MAX: usize = 20_000;
/// Unwanted bytes between two wanted messages that are fetched along rather than asked around: a request costs about as
/// much time as this many bytes.
pub const GAP_MAX_BYTES: u64 = 64 << 10;

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexLine {
    /// Number as written: `12` or `12.1`.
    pub number: String,
    /// Where its message begins, bytes.
    pub offset: u64,
    /// The model's cycle.
    pub cycle_utc: Timestamp,
    /// Parameter: `TMP`.
    pub variable: String,
    /// Level: `500 mb`.
    pub level: String,
    /// Forecast: `anl`, `3 hour fcst`.
    pub forecast: String,
}

/// Bytes of a file that hold wanted messages and nothing cut in two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: u64,
    /// The byte after the last; `None` to the end of the file.
    pub end: Option<u64>,
}

/// Why an index cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IndexError {
    /// Something else.
    #[error("not an index of GRIB messages: {found}")]
    NotAnIndex {
        /// What it looks like.
        found: String,
    },
}

/// Reads an index; lines that make no sense are told and left out.
///
/// # Errors
/// `NotAnIndex` where no line makes sense.
pub fn read(bytes: &[u8]) -> Result<(Vec<IndexLine>, Vec<Fault>), IndexError> {
    let text = String::from_utf8_lossy(bytes);
    let (mut lines, mut wrong) = (Vec::new(), Vec::new());
    for (n, text) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).take(LINES_MAX) {
        match line(text) {
            Some(line) => lines.push(line),
            None => wrong.push(n + 1),
        }
    }
    if lines.is_empty() {
        return Err(IndexError::NotAnIndex { found: super::sniff(bytes) });
    }
    let faults = wrong.first().map(|first| Fault {
        what: format!("{} lines of the index make no sense", wrong.len()),
        place: format!("line {first}"),
        kept_rest: true,
    });
    Ok((lines, faults.into_iter().collect()))
}

fn line(text: &str) -> Option<IndexLine> {
    let mut parts = text.split(':');
    let number = parts.next()?.trim();
    let (whole, part) = number.split_once('.').unwrap_or((number, "1"));
    let digits = |text: &str| !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) {
        return None;
    }
    let offset = parts.next()?.parse().ok()?;
    let cycle_utc = cycle(parts.next()?.strip_prefix("d=")?)?;
    let mut word = || parts.next().map(|part| part.trim().to_owned());
    let (variable, level, forecast) = (word()?, word()?, word()?);
    Some(IndexLine { number: number.to_owned(), offset, cycle_utc, variable, level, forecast })
}

/// `YYYYMMDDHH`.
fn cycle(text: &str) -> Option<Timestamp> {
    let figure = |from: usize, to: usize| text.get(from..to)?.parse::<i16>().ok();
    let small = |from: usize| i8::try_from(figure(from, from + 2)?).ok();
    if text.len() != 10 {
        return None;
    }
    let civil = DateTime::new(figure(0, 4)?, small(4)?, small(6)?, small(8)?, 0, 0, 0).ok()?;
    TimeZone::UTC.to_timestamp(civil).ok()
}

/// Which bytes hold the wanted messages, neighbours joined over gaps of up to `gap_max_bytes`.
pub fn spans(lines: &[IndexLine], gap_max_bytes: u64, wanted: impl Fn(&IndexLine) -> bool) -> Vec<Span> {
    let offsets: BTreeSet<u64> = lines.iter().map(|line| line.offset).collect();
    let wanted: BTreeSet<u64> = lines.iter().filter(|line| wanted(line)).map(|line| line.offset).collect();
    let mut spans: Vec<Span> = Vec::new();
    for start in wanted {
        let end = offsets.range(start.saturating_add(1)..).next().copied();
        match spans.last_mut() {
            Some(last) if last.end.is_some_and(|before| start - before <= gap_max_bytes) => last.end = end,
            _ => spans.push(Span { start, end }),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by hand after upstreams.md section 4: a pair in one message, an unwanted field, one that stands alone, the last.
    const INDEX: &str = "1:0:d=2031050920:HGT:100 mb:anl:\n2.1:500:d=2031050920:UGRD:100 mb:anl:\n\
        2.2:500:d=2031050920:VGRD:100 mb:anl:\n3:900:d=2031050920:VVEL:100 mb:anl:\n\
        4:950:d=2031050920:TMP:125 mb:anl:\nnonsense\n5:90000:d=2031050920:RH:125 mb:anl:\n";

    #[test]
    fn a_pair_shares_its_messages_whole_range() {
        let (lines, faults) = read(INDEX.as_bytes()).unwrap();
        assert_eq!((lines.len(), faults.len()), (6, 1));
        assert_eq!((lines[2].number.as_str(), lines[2].offset), ("2.2", 500));
        assert_eq!(lines[0].cycle_utc.to_string(), "2031-05-09T20:00:00Z");
        let of = |names: &'static [&'static str], gap| {
            spans(&lines, gap, move |line: &IndexLine| names.contains(&line.variable.as_str()))
        };
        assert_eq!(of(&["UGRD"], 0), [Span { start: 500, end: Some(900) }]);
        assert_eq!(of(&["VGRD"], 0), of(&["UGRD", "VGRD"], 0));
        assert_eq!(of(&["HGT", "UGRD"], 0), [Span { start: 0, end: Some(900) }]);
        assert_eq!(of(&["UGRD", "TMP"], 0).len(), 2);
        assert_eq!(of(&["UGRD", "TMP"], 50), [Span { start: 500, end: Some(90_000) }]);
        assert_eq!(of(&["RH"], 0), [Span { start: 90_000, end: None }]);
        assert_eq!(of(&["TMP", "RH"], 0), [Span { start: 950, end: None }]);
    }

    #[test]
    fn what_is_no_index_is_named() {
        let error = read(b"<html><body>404</body></html>").unwrap_err();
        assert!(error.to_string().contains("web page"), "{error}");
        assert!(read(b"").is_err() && read(b"1:x:d=2031050920:TMP:1 mb:anl:").is_err());
    }
}
