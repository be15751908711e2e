//! Answers of api.weather.gov to field types: `/alerts/active` collections (or one alert) and `/points`.
//!
//! Boundaries: ✓ tolerant of every optional key, of old key names and of one bad feature among good ones; says what was
//! wrong and where. ✗ no judgement on what is in effect (see `warning`), no I/O, no clock.

mod feature;
mod points;
pub(super) mod text;

pub(super) use feature::id as feature_id;
pub use points::points;
pub(super) use points::radio_county;

use crate::observation::Fault;
use crate::warning::WarningSnapshot;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use thiserror::Error;

/// More features than this are refused: the nation has had at most some hundreds, a day of outbreaks a few thousand.
const FEATURES_MAX: usize = 20_000;
/// Faults kept of one answer: enough to see what is wrong, bounded whatever is sent.
const FAULTS_MAX: usize = 200;

/// An answer to `/alerts/active`, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Alerts {
    /// What could be read.
    pub snapshot: WarningSnapshot,
    /// Features that could not be read, and why.
    pub skipped: Vec<Skipped>,
    /// What was wrong with the rest.
    pub faults: Vec<Fault>,
}

/// A feature that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its id, or its place in the list where it has none.
    pub id: String,
    /// Why it was skipped.
    pub why: String,
}

impl Alerts {
    /// Faults and skipped features as one list.
    pub fn into_faults(self) -> (WarningSnapshot, Vec<Fault>) {
        let skipped = self.skipped.into_iter().map(|s| Fault {
            what: format!("skipped: {}", s.why),
            place: s.id,
            kept_rest: true,
        });
        let faults = skipped.chain(self.faults).take(FAULTS_MAX).collect();
        (self.snapshot, faults)
    }
}

/// Why an answer cannot be used at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NwsError {
    /// No bytes.
    #[error("the answer is empty")]
    Empty,
    /// A CDN's page.
    #[error("the answer is a web page, not JSON: {starts:?}")]
    WebPage {
        /// Its first characters.
        starts: String,
    },
    /// The end is missing.
    #[error("the answer is cut off after {bytes} bytes (line {line})")]
    CutOff {
        /// What there is.
        bytes: usize,
        /// Where it stops.
        line: usize,
    },
    /// Not JSON.
    #[error("the answer is not JSON: {why}")]
    NotJson {
        /// What the parser said.
        why: String,
    },
    /// The API's own way of saying no.
    #[error("the answer is a problem report: {title}")]
    Problem {
        /// Title and detail.
        title: String,
    },
    /// JSON, but something else than was asked for.
    #[error("the answer is {what}, not {wanted}")]
    Other {
        /// What it looks like.
        what: String,
        /// What was due.
        wanted: &'static str,
    },
}

/// What the readers of alerts are after.
const WANTED: &str = "a collection of alerts";

/// Reads an `/alerts/active` answer, or a single alert.
///
/// # Errors
/// `NwsError` where the whole answer is unusable; a bad feature only lands in `skipped`.
pub fn alerts(bytes: &[u8]) -> Result<Alerts, NwsError> {
    read_alerts(&document(bytes)?)
}

/// Reads an `/alerts/active` answer and nothing else: a single alert taken for the whole collection would end all others.
///
/// # Errors
/// As `alerts`, and for a single alert.
pub fn collection(bytes: &[u8]) -> Result<Alerts, NwsError> {
    read_alerts(&collection_document(bytes)?)
}

/// The JSON of a collection, which is no single alert.
pub(super) fn collection_document(bytes: &[u8]) -> Result<Value, NwsError> {
    let document = document(bytes)?;
    if document.get("type").and_then(Value::as_str) == Some("Feature") && looks_like_an_alert(&document) {
        return Err(NwsError::Other { what: "a single alert".into(), wanted: WANTED });
    }
    Ok(document)
}

/// The alerts of an answer whose JSON was read.
pub(super) fn read_alerts(document: &Value) -> Result<Alerts, NwsError> {
    let features = match document.get("type").and_then(Value::as_str) {
        Some("FeatureCollection") => match document.get("features") {
            Some(Value::Array(features)) => features.as_slice(),
            _ => return Err(NwsError::Other { what: "a FeatureCollection without features".into(), wanted: WANTED }),
        },
        Some("Feature") => std::slice::from_ref(document),
        _ => return Err(NwsError::Other { what: name_of(document), wanted: WANTED }),
    };
    if features.len() > FEATURES_MAX {
        return Err(NwsError::Other { what: format!("a list of {} features", features.len()), wanted: WANTED });
    }
    if let Some(first) = features.first()
        && !features.iter().any(looks_like_an_alert)
    {
        return Err(NwsError::Other { what: name_of(first), wanted: WANTED });
    }
    let mut faults = Vec::new();
    let updated_utc = text::time(document.get("updated")).unwrap_or_else(|why| {
        faults.push(Fault { what: why, place: "updated".into(), kept_rest: true });
        None
    });
    let mut read = Alerts {
        snapshot: WarningSnapshot { updated_utc, warnings: Vec::with_capacity(features.len()), unread: 0 },
        skipped: Vec::new(),
        faults,
    };
    // Where only a part was sent, what is on the other pages is unread: at least one product.
    let mut unread = usize::from(more_pages(document));
    if unread > 0 {
        let what = "only a part of the collection was sent: there is a next page".to_owned();
        read.faults.push(Fault { what, place: "pagination".into(), kept_rest: true });
    }
    let mut places: HashMap<String, usize> = HashMap::new();
    for (number, value) in features.iter().enumerate() {
        match feature::warning(value, updated_utc) {
            Ok((warning, faults, whole)) => {
                read.faults.extend(faults);
                unread += usize::from(!whole);
                keep_once(&mut read.snapshot, &mut places, warning);
            }
            Err(why) => {
                let id = feature::id(value).unwrap_or_else(|| format!("feature {number}"));
                read.skipped.push(Skipped { id, why });
            }
        }
    }
    read.snapshot.unread = u32::try_from(unread + read.skipped.len()).unwrap_or(u32::MAX);
    read.faults.truncate(FAULTS_MAX);
    Ok(read)
}

fn more_pages(document: &Value) -> bool {
    document.get("pagination").and_then(|pages| pages.get("next")).is_some_and(|next| !next.is_null())
}

/// One id, one product: of two under one id the one sent later, else the first, stands.
fn keep_once(snapshot: &mut WarningSnapshot, places: &mut HashMap<String, usize>, warning: crate::warning::Warning) {
    let held = places.get(&warning.id).and_then(|&place| snapshot.warnings.get_mut(place));
    match held {
        Some(held) if held.sent_utc < warning.sent_utc => *held = Arc::new(warning),
        Some(_) => {}
        None => {
            places.insert(warning.id.clone(), snapshot.warnings.len());
            snapshot.warnings.push(Arc::new(warning));
        }
    }
}

/// The JSON object of an answer.
pub(super) fn document(bytes: &[u8]) -> Result<Value, NwsError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = bytes.trim_ascii_start();
    if start.is_empty() {
        return Err(NwsError::Empty);
    }
    if start.starts_with(b"<") {
        let starts = String::from_utf8_lossy(start.get(..60).unwrap_or(start)).into_owned();
        return Err(NwsError::WebPage { starts });
    }
    let document: Value = serde_json::from_slice(bytes).map_err(|error| {
        if error.is_eof() {
            NwsError::CutOff { bytes: bytes.len(), line: error.line() }
        } else {
            NwsError::NotJson { why: error.to_string() }
        }
    })?;
    match document.get("status") {
        Some(status) if document.get("title").is_some() && document.get("features").is_none() => {
            let word = |key| document.get(key).and_then(Value::as_str).unwrap_or_default();
            Err(NwsError::Problem { title: format!("{status} {}: {}", word("title"), word("detail")) })
        }
        _ => Ok(document),
    }
}

fn looks_like_an_alert(feature: &Value) -> bool {
    let Some(properties) = feature.get("properties") else { return false };
    properties.get("event").is_some() || properties.get("@type").and_then(Value::as_str) == Some("wx:Alert")
}

/// What a document seems to be, for a person.
pub(super) fn name_of(document: &Value) -> String {
    let Some(object) = document.as_object() else {
        return match document {
            Value::Array(_) => "a bare list".into(),
            _ => "a bare value".into(),
        };
    };
    let properties = object.get("properties");
    let has = |key: &str| properties.is_some_and(|p| p.get(key).is_some());
    if let Some(kind) = properties.and_then(|p| p.get("@type")).and_then(Value::as_str) {
        return format!("a {}", kind.chars().take(60).collect::<String>());
    }
    if object.contains_key("@graph") {
        return "a JSON-LD graph".into();
    }
    if has("forecastZone") || has("gridId") && has("cwa") || has("astronomicalData") {
        return "an answer of /points".into();
    }
    if has("periods") || has("forecastGenerator") {
        return "a forecast".into();
    }
    if has("station") || has("rawMessage") {
        return "an observation".into();
    }
    match object.get("type").and_then(Value::as_str) {
        Some(kind) => format!("a {} that holds no alert", kind.chars().take(60).collect::<String>()),
        None => {
            let keys: Vec<&str> = object.keys().map(String::as_str).take(5).collect();
            format!("an object with the keys {}", keys.join(", "))
        }
    }
}

#[cfg(test)]
mod tests;
