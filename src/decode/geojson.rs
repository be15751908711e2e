//! GeoJSON collections of points and areas with plain properties, as SPC and the IEM write them: the envelope, and words,
//! numbers and times in properties. What is something else is named, so that a person knows what the file is.

use crate::decode::sniff;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;
use std::borrow::Cow;
use thiserror::Error;

/// Times before this are a machine's zero: reports reach back to the 1950s at most in archives nobody serves here.
const TIME_MIN: Timestamp = Timestamp::constant(0, 0);
/// And nothing is announced for after 2200.
const TIME_MAX: Timestamp = Timestamp::constant(7_258_118_400, 0);
/// Characters of an answer that an error shows.
const SHOWN_CHARS_MAX: usize = 60;

/// Why an answer cannot be used at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GeoJsonError {
    /// No bytes.
    #[error("the answer is empty")]
    Empty,
    /// The end is missing.
    #[error("the answer is cut off after {bytes} bytes (line {line})")]
    CutOff {
        /// What there is.
        bytes: usize,
        /// Where it stops.
        line: usize,
    },
    /// Begins like JSON and is none.
    #[error("not a GeoJSON collection: {why}")]
    Broken {
        /// What the parser said.
        why: String,
    },
    /// Something else.
    #[error("not a GeoJSON collection but {what}")]
    Other {
        /// What it looks like.
        what: String,
    },
    /// A collection, but not of what was due.
    #[error("a GeoJSON collection, but {what} where {wanted} were due")]
    OtherFeatures {
        /// What its features are.
        what: String,
        /// What was due.
        wanted: &'static str,
    },
    /// More features than any answer has.
    #[error("a collection of {count} features; more than {max} are not read")]
    TooMany {
        /// Features sent.
        count: usize,
        /// The limit.
        max: usize,
    },
    /// The features of one layer are of several issues.
    #[error("features of several issues in one layer: VALID {one} and {other}")]
    MixedIssues {
        /// The first one's VALID.
        one: Timestamp,
        /// Another's.
        other: Timestamp,
    },
}

/// The features of a collection, at most `max`.
///
/// # Errors
/// Where the bytes are no GeoJSON collection.
pub(super) fn features(bytes: &[u8], max: usize) -> Result<Vec<Value>, GeoJsonError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = bytes.trim_ascii_start();
    if start.is_empty() {
        return Err(GeoJsonError::Empty);
    }
    if !start.starts_with(b"{") && !start.starts_with(b"[") {
        return Err(GeoJsonError::Other { what: what_it_is(start) });
    }
    let mut document = parsed(bytes)?;
    let is_collection = document.get("type").and_then(Value::as_str) == Some("FeatureCollection");
    match document.get_mut("features").map(Value::take) {
        Some(Value::Array(features)) if is_collection && features.len() > max => {
            Err(GeoJsonError::TooMany { count: features.len(), max })
        }
        Some(Value::Array(features)) if is_collection => Ok(features),
        _ => Err(GeoJsonError::Other { what: name_of(&document) }),
    }
}

fn parsed(bytes: &[u8]) -> Result<Value, GeoJsonError> {
    let error = match serde_json::from_slice(bytes) {
        Ok(document) => return Ok(document),
        Err(error) => error,
    };
    // Python writes numbers that are none as bare words, which no JSON parser takes.
    if let Cow::Owned(mended) = without_bare_words(bytes)
        && let Ok(document) = serde_json::from_slice(&mended)
    {
        return Ok(document);
    }
    Err(if error.is_eof() {
        GeoJsonError::CutOff { bytes: bytes.len(), line: error.line() }
    } else {
        GeoJsonError::Broken { why: error.to_string() }
    })
}

/// `NaN`, `Infinity` and `-Infinity` outside of strings become `null`.
fn without_bare_words(bytes: &[u8]) -> Cow<'_, [u8]> {
    const WORDS: [&[u8]; 3] = [b"NaN", b"-Infinity", b"Infinity"];
    let mut mended: Vec<u8> = Vec::new();
    let (mut at, mut copied, mut in_string) = (0, 0, false);
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        match byte {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            b'N' | b'I' | b'-' if !in_string => {
                if let Some(word) = WORDS.into_iter().find(|word| rest.starts_with(word)) {
                    mended.extend_from_slice(bytes.get(copied..at).unwrap_or_default());
                    mended.extend_from_slice(b"null");
                    at += word.len();
                    copied = at;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    if copied == 0 {
        return Cow::Borrowed(bytes);
    }
    mended.extend_from_slice(bytes.get(copied..).unwrap_or_default());
    Cow::Owned(mended)
}

/// What bytes are that do not begin like JSON.
fn what_it_is(start: &[u8]) -> String {
    let head = start.get(..400).unwrap_or(start);
    let is_text = head.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | 1 | 3 | 0x1e | b' '..=b'~' | 0x80..));
    if !is_text || head.starts_with(b"<") || head.starts_with(b"CDF") || head.starts_with(b"GRIB") {
        return sniff(start);
    }
    let text = String::from_utf8_lossy(head);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    // `NWUS53 KEAX 102054`, below it the product's name `LSREAX`.
    let header = lines.iter().take(4).position(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let digits = |word: &str, count| word.len() == count && word.bytes().all(|byte| byte.is_ascii_digit());
        matches!(words.as_slice(), [group, office, time, ..]
            if group.len() == 6 && office.len() == 4 && digits(time, 6)
            && group.get(4..).is_some_and(|number| digits(number, 2)))
    });
    match header.map(|at| lines.get(at + 1)) {
        Some(Some(name)) => format!("an NWS text bulletin ({}), which is not read here", shown(name)),
        Some(None) => "an NWS text bulletin, which is not read here".to_owned(),
        None => format!("plain text beginning {:?}", shown(lines.first().copied().unwrap_or_default())),
    }
}

/// What a JSON document is that is no collection.
fn name_of(document: &Value) -> String {
    let word = |key| document.get(key).and_then(Value::as_str).map(shown);
    match (document, word("productName"), word("title"), word("type")) {
        (Value::Array(_), ..) => "a bare list".to_owned(),
        (Value::Object(_), Some(product), ..) => {
            format!("a text product of api.weather.gov ({product}), which is not read here")
        }
        (Value::Object(object), _, title, kind) => match (object.get("detail"), title, kind) {
            (Some(detail), ..) => format!("an error report: {}", shown(&detail.to_string())),
            (_, Some(title), None) => format!("a report titled {title:?}"),
            (.., Some(kind)) => format!("a {kind}"),
            _ => {
                let keys: Vec<String> = object.keys().take(5).map(|key| shown(key)).collect();
                format!("an object with the keys {}", keys.join(", "))
            }
        },
        _ => "a bare value".to_owned(),
    }
}

/// What the features of a collection are about, by the names of their properties.
pub(super) fn features_are(features: &[Value]) -> String {
    let first = features.first().and_then(|feature| feature.get("properties")).and_then(Value::as_object);
    let keys: Vec<String> = first.into_iter().flat_map(|all| all.keys()).take(6).map(|key| shown(key)).collect();
    if keys.is_empty() {
        "features without properties".to_owned()
    } else {
        format!("features with {}", keys.join(", "))
    }
}

/// A short form of what was sent, for messages.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(SHOWN_CHARS_MAX).collect()
}

/// A string that says something, without the blanks around it; numbers as their text.
pub(super) fn word(properties: &Value, key: &str) -> Option<String> {
    match properties.get(key)? {
        Value::String(text) => Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A finite number, also where it is sent as text.
pub(super) fn number(properties: &Value, key: &str) -> Option<f64> {
    let number = match properties.get(key)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    number.filter(|number| number.is_finite())
}

/// A whole number of at most four digits: a year, a number of a product.
pub(super) fn whole(properties: &Value, key: &str) -> Option<u16> {
    let number = number(properties, key)?;
    // In range by the test before it.
    ((0.0..=9_999.0).contains(&number) && number.fract() == 0.0).then_some(number as u16)
}

/// An instant: with an offset, or without one and then UTC, as database exports write it (`2026-06-10T20:05:00`,
/// `2026/06/10 20:05:00`), or SPC's twelve digits.
pub(super) fn instant(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let sane = |time: Timestamp| (TIME_MIN..=TIME_MAX).contains(&time).then_some(time);
    if let Ok(time) = text.parse::<Timestamp>() {
        return sane(time);
    }
    if text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let part = |from: usize, to: usize| text.get(from..to)?.parse::<i8>().ok();
        let year = text.get(..4)?.parse::<i16>().ok()?;
        let at = DateTime::new(year, part(4, 6)?, part(6, 8)?, part(8, 10)?, part(10, 12)?, 0, 0).ok()?;
        return sane(TimeZone::UTC.to_timestamp(at).ok()?);
    }
    let at: DateTime = text.replace('/', "-").parse().ok()?;
    sane(TimeZone::UTC.to_timestamp(at).ok()?)
}

/// The instant under `key`.
pub(super) fn time(properties: &Value, key: &str) -> Option<Timestamp> {
    instant(&word(properties, key)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(bytes: &[u8]) -> String {
        features(bytes, 10).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_collection_is_named() {
        assert_eq!(error(b" \n"), "the answer is empty");
        assert!(error(br#"{"type":"FeatureCollection","features":[{"#).contains("cut off after 41 bytes"));
        assert!(error(b"{oops}").starts_with("not a GeoJSON collection: "));
        assert!(error(b"<!DOCTYPE html><html>").contains("a web page"));
        let bulletin = b"\x01\r\r\n139 \r\r\nWUUS01 KWNS 061251\r\r\nPTSDY1\r\r\n\r\r\nDAY 1";
        assert!(error(bulletin).contains("an NWS text bulletin (PTSDY1)"), "{}", error(bulletin));
        assert!(error(b"ZTIME,WSR_ID\n1,2").contains("plain text beginning \"ZTIME,WSR_ID\""));
        assert!(error(br#"{"productName":"Local Storm Report"}"#).contains("a text product of api.weather.gov"));
        assert!(error(br#"{"detail":[{"msg":"bad"}]}"#).contains("an error report"));
        assert!(error(br#"{"type":"Feature"}"#).ends_with("but a Feature"));
        assert!(error(b"[1]").ends_with("a bare list"));
        assert!(error(br#"{"a":1}"#).contains("the keys a"));
        assert!(error(b"\x1f\x8b\x08").contains("gzip"));
        let many = format!(r#"{{"type":"FeatureCollection","features":[{}1]}}"#, "1,".repeat(10));
        assert!(error(many.as_bytes()).contains("11 features"));
    }

    /// Field report L01: numbers that are none, written bare, take nothing else with them.
    #[test]
    fn bare_words_of_python_become_null_outside_of_strings() {
        let text =
            br#"{"type":"FeatureCollection","features":[{"a":NaN,"b":-Infinity,"c":"NaN \" NaN","d":[Infinity]}]}"#;
        let read = features(text, 10).unwrap();
        assert_eq!(read[0], serde_json::json!({"a": null, "b": null, "c": "NaN \" NaN", "d": [null]}));
    }

    #[test]
    fn times_in_all_forms_are_the_same_instant() {
        let due = instant("2026-06-10T20:05:00Z");
        assert!(due.is_some());
        for text in [
            "2026-06-10T20:05:00+00:00",
            "2026-06-10T15:05:00-05:00",
            "2026-06-10T20:05:00",
            "2026/06/10 20:05:00",
            "202606102005",
        ] {
            assert_eq!(instant(text), due, "{text}");
        }
        for text in ["", "tomorrow", "202613102005", "999999999999", "2026-06-10T25:00:00Z", "0001-01-01T00:00:00Z"] {
            assert_eq!(instant(text), None, "{text}");
        }
    }
}
