//! One line of a timeline: parsed and checked by itself. No matching here.

use super::{Files, LineError, StoredFile};
use jiff::Timestamp;
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

/// The faults that a line may name, as they are written.
pub const FAULT_WORDS: &str =
    "status:NNN (200 to 599), timeout, reset, truncate:BYTES, garbage, empty, slow:BYTES_PER_S, html";

/// What an upstream does instead of answering well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpstreamFault {
    /// This status, with the line's file as its body if there is one.
    Status(u16),
    /// No answer at all.
    Timeout,
    /// The connection breaks in the middle of the answer.
    Reset,
    /// The whole length is promised, this much is sent.
    Truncate {
        /// Bytes that do arrive.
        bytes: u64,
    },
    /// Bytes that are no format at all, the same ones each time.
    Garbage,
    /// Status 200 with nothing in it.
    Empty,
    /// The right answer at this pace.
    Slow {
        /// Bytes a second, at least 1.
        bytes_per_s: u64,
    },
    /// A CDN's web page with status 200.
    Html,
}

impl FromStr for UpstreamFault {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (word, figure) = match text.split_once(':') {
            Some((word, figure)) => (word, Some(figure.parse::<u64>().map_err(|_| ())?)),
            None => (text, None),
        };
        match (word, figure) {
            ("status", Some(status)) => checked_status(status).map(Self::Status).ok_or(()),
            ("timeout", None) => Ok(Self::Timeout),
            ("reset", None) => Ok(Self::Reset),
            ("truncate", Some(bytes)) => Ok(Self::Truncate { bytes }),
            ("garbage", None) => Ok(Self::Garbage),
            ("empty", None) => Ok(Self::Empty),
            ("slow", Some(bytes_per_s)) if bytes_per_s > 0 => Ok(Self::Slow { bytes_per_s }),
            ("html", None) => Ok(Self::Html),
            _ => Err(()),
        }
    }
}

/// A final status: 1xx are not answers.
fn checked_status(status: u64) -> Option<u16> {
    u16::try_from(status).ok().filter(|status| (200..=599).contains(status))
}

/// A line, ready to be indexed.
pub(super) enum Line {
    Http { host: String, path: String, line: HttpLine },
    S3 { bucket: String, line: S3Line },
}

/// From `at` on, one request is answered with this.
#[derive(Debug)]
pub(super) struct HttpLine {
    pub(super) at_utc: Timestamp,
    /// Line number: of two lines at one instant the later in the file stands.
    pub(super) number: usize,
    /// Query pairs that must be in the request, decoded.
    pub(super) query: Vec<(String, String)>,
    pub(super) status: u16,
    /// Lower-case names.
    pub(super) headers: Vec<(String, String)>,
    pub(super) file: Option<Arc<StoredFile>>,
    pub(super) fault: Option<UpstreamFault>,
}

/// From `at` on, an object exists, or fails, or the listing fails.
#[derive(Debug)]
pub(super) struct S3Line {
    pub(super) at_utc: Timestamp,
    pub(super) number: usize,
    /// Empty for a line about the bucket as a whole.
    pub(super) key: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) file: Option<Arc<StoredFile>>,
    pub(super) fault: Option<UpstreamFault>,
    pub(super) list_fault: Option<UpstreamFault>,
}

impl S3Line {
    /// Whether this line makes an object, beside what it says about listings.
    pub(super) fn is_object(&self) -> bool {
        self.file.is_some() || self.fault.is_some()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLine {
    at: Timestamp,
    http: Option<RawHttp>,
    s3: Option<RawS3>,
    status: Option<u64>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    file: Option<String>,
    fault: Option<String>,
    list_fault: Option<String>,
    /// For people.
    #[serde(default, rename = "note")]
    _note: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawHttp {
    host: String,
    path: String,
    #[serde(default)]
    query: BTreeMap<String, RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawS3 {
    bucket: String,
    #[serde(default)]
    key: String,
}

/// A query value; figures are often written without quotes.
#[derive(Deserialize)]
#[serde(untagged)]
enum RawValue {
    Text(String),
    Figure(serde_json::Number),
    Flag(bool),
}

impl RawValue {
    fn decoded(&self) -> String {
        match self {
            Self::Text(text) => decoded(text),
            Self::Figure(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
        }
    }
}

/// `text` after percent-decoding: paths and query values compare in this form.
pub(super) fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Reads line `number`.
pub(super) fn parse(text: &str, number: usize, files: &mut Files<'_>) -> Result<Line, LineError> {
    let raw: RawLine = serde_json::from_str(text).map_err(|error| LineError::Unreadable(error.to_string()))?;
    let fault = raw.fault.as_deref().map(|word| known_fault("fault", word)).transpose()?;
    let list_fault = raw.list_fault.as_deref().map(|word| known_fault("list_fault", word)).transpose()?;
    let status = raw
        .status
        .map(|status| {
            checked_status(status).ok_or_else(|| LineError::Value {
                field: "status",
                value: status.to_string(),
                expected: "an HTTP status from 200 to 599 is needed".to_owned(),
            })
        })
        .transpose()?;
    let headers = checked_headers(raw.headers)?;
    let file = raw.file.as_deref().map(|name| files.open(name)).transpose()?;
    match (raw.http, raw.s3) {
        (Some(http), None) => {
            if list_fault.is_some() {
                return Err(LineError::Misplaced { field: "list_fault", kind: "http" });
            }
            if file.is_none() && fault.is_none() && status.is_none() {
                return Err(LineError::NoAnswer);
            }
            let (host, path) = checked_request(&http)?;
            let query = http.query.iter().map(|(name, value)| (decoded(name), value.decoded())).collect();
            let status = status.unwrap_or(200);
            let line = HttpLine { at_utc: raw.at, number, query, status, headers, file, fault };
            Ok(Line::Http { host, path, line })
        }
        (None, Some(s3)) => {
            // A bare status is the same thing as the fault of that name.
            let fault = fault.or_else(|| status.filter(|status| *status != 200).map(UpstreamFault::Status));
            let line = S3Line { at_utc: raw.at, number, key: s3.key, headers, file, fault, list_fault };
            if s3.bucket.is_empty() || s3.bucket.contains('/') {
                return Err(LineError::Value {
                    field: "bucket",
                    value: s3.bucket,
                    expected: "a bucket's name is needed".to_owned(),
                });
            }
            if line.key.is_empty() && line.is_object() {
                return Err(LineError::Value {
                    field: "key",
                    value: line.key,
                    expected: "an object needs a key".to_owned(),
                });
            }
            if !line.key.is_empty() && !line.is_object() && list_fault.is_none() {
                return Err(LineError::NoAnswer);
            }
            Ok(Line::S3 { bucket: s3.bucket, line })
        }
        (None, None) => Err(LineError::Upstream("neither http nor s3")),
        (Some(_), Some(_)) => Err(LineError::Upstream("both http and s3")),
    }
}

fn known_fault(field: &'static str, word: &str) -> Result<UpstreamFault, LineError> {
    word.parse().map_err(|()| LineError::Value {
        field,
        value: word.to_owned(),
        expected: format!("known faults are {FAULT_WORDS}"),
    })
}

/// Host in lower case and path decoded.
fn checked_request(http: &RawHttp) -> Result<(String, String), LineError> {
    if http.host.is_empty() || http.host.contains(['/', '?', '#', ' ']) {
        return Err(LineError::Value {
            field: "host",
            value: http.host.clone(),
            expected: "a host name without scheme or path is needed".to_owned(),
        });
    }
    if !http.path.starts_with('/') || http.path.contains(['?', '#']) {
        return Err(LineError::Value {
            field: "path",
            value: http.path.clone(),
            expected: "a path that begins with / is needed, with the query apart under query".to_owned(),
        });
    }
    Ok((http.host.to_ascii_lowercase(), decoded(&http.path)))
}

/// Only headers that can be sent: a line break in one would speak for the server.
fn checked_headers(raw: BTreeMap<String, String>) -> Result<Vec<(String, String)>, LineError> {
    raw.into_iter()
        .map(|(name, value)| {
            let name = name.to_ascii_lowercase();
            let sendable = reqwest::header::HeaderName::try_from(name.as_str()).is_ok()
                && reqwest::header::HeaderValue::try_from(value.as_str()).is_ok();
            if sendable {
                return Ok((name, value));
            }
            Err(LineError::Value {
                field: "headers",
                value: format!("{name}: {value}"),
                expected: "names and values as HTTP allows them are needed".to_owned(),
            })
        })
        .collect()
}
