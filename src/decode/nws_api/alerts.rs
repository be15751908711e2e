//! Alerts as rows for a search, their types and their counts.

use super::read::count;
use crate::decode::nws::text::{time, word};
use crate::decode::nws::{self, Alerts, NwsError, document, name_of};
use crate::nws_facts::alerts::{AlertCollection, AlertReference, AlertRow, AlertTimes, AlertZone, ZoneKind};
use crate::nws_facts::product::AlertCounts;
use crate::warning::{Warning, ugc};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Names of events kept: there are some 130.
const TYPES_MAX: usize = 2_000;
/// Areas or regions counted: there are 80.
const COUNTS_MAX: usize = 1_000;

/// Reads the answer of a search.
///
/// # Errors
/// `NwsError` where the whole answer is unusable.
pub fn alerts(bytes: &[u8]) -> Result<AlertCollection, NwsError> {
    let document = document(bytes)?;
    Ok(collection(&document, &nws::read_alerts(&document)?))
}

/// Reads the national collection: as warnings, and as rows for a search.
///
/// # Errors
/// As `nws::collection`.
pub fn national(bytes: &[u8]) -> Result<(Alerts, AlertCollection), NwsError> {
    let document = nws::collection_document(bytes)?;
    let read = nws::read_alerts(&document)?;
    let rows = collection(&document, &read);
    Ok((read, rows))
}

/// The rows of an answer whose warnings have been read: only what they do not hold is read here.
fn collection(document: &Value, read: &Alerts) -> AlertCollection {
    let mut features: HashMap<String, &Value> = HashMap::new();
    for feature in document.get("features").and_then(Value::as_array).into_iter().flatten() {
        if let Some(id) = nws::feature_id(feature) {
            features.entry(id).or_insert(feature);
        }
    }
    let rows = read.snapshot.warnings.iter().map(|warning| {
        let feature = features.get(&warning.id).copied().unwrap_or(document);
        Arc::new(row(warning, feature.get("properties").unwrap_or(&Value::Null)))
    });
    let rows = rows.collect();
    let unread = u32::try_from(read.skipped.len()).unwrap_or(u32::MAX);
    AlertCollection { updated_utc: read.snapshot.updated_utc, rows, unread }
}

fn row(warning: &Arc<Warning>, properties: &Value) -> AlertRow {
    let instant = |key: &str| match time(properties.get(key)) {
        Ok(Some(_)) => word(properties.get(key)),
        Ok(None) | Err(_) => None,
    };
    let ending = || {
        let ending = properties.pointer("/parameters/eventEndingTime/0");
        time(ending).ok().flatten().and_then(|_| word(ending))
    };
    let list = |key: &str| properties.get(key).and_then(Value::as_array).into_iter().flatten();
    let reference = |value: &Value| {
        Some(AlertReference { identifier: word(value.get("identifier"))?, sent: word(value.get("sent")) })
    };
    AlertRow {
        status: word(properties.get("status")).unwrap_or_default(),
        zones: list("affectedZones").filter_map(|value| zone(&word(Some(value))?)).collect(),
        references: list("references").filter_map(reference).collect(),
        times: AlertTimes {
            sent: instant("sent"),
            effective: instant("effective"),
            onset: instant("onset"),
            ends: instant("ends").or_else(ending),
            expires: instant("expires"),
        },
        warning: Arc::clone(warning),
    }
}

/// `https://api.weather.gov/zones/fire/COZ238`.
fn zone(url: &str) -> Option<AlertZone> {
    let mut parts = url.trim_end_matches('/').rsplit('/');
    let code = parts.next().filter(|code| !code.is_empty())?.to_owned();
    let kind = match parts.next() {
        Some("county") => ZoneKind::County,
        Some("fire") => ZoneKind::Fire,
        Some("forecast" | "public" | "coastal" | "offshore") => ZoneKind::Forecast,
        // A bare code: its third letter tells.
        _ if ugc::code(&code)?.as_bytes().get(2) == Some(&b'C') => ZoneKind::County,
        _ => ZoneKind::Forecast,
    };
    Some(AlertZone { code, kind })
}

/// Reads the names of all events, sorted, each once.
///
/// # Errors
/// `NwsError` where the answer is no such list.
pub fn alert_types(bytes: &[u8]) -> Result<Vec<String>, NwsError> {
    let document = document(bytes)?;
    let Some(Value::Array(names)) = document.get("eventTypes") else {
        return Err(NwsError::Other { what: name_of(&document), wanted: "a list of event types" });
    };
    let mut names: Vec<String> = names.iter().take(TYPES_MAX).filter_map(|name| word(Some(name))).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// Reads how many alerts are active. The counts of single zones are left out: there are thousands.
///
/// # Errors
/// `NwsError` where the answer has no counts.
pub fn alert_counts(bytes: &[u8]) -> Result<AlertCounts, NwsError> {
    let document = document(bytes)?;
    let number = |key: &str| count(document.get(key));
    let (total, land, marine) = (number("total"), number("land"), number("marine"));
    if total.is_none() && land.is_none() && marine.is_none() {
        return Err(NwsError::Other { what: name_of(&document), wanted: "counts of alerts" });
    }
    let counts = |key: &str| -> BTreeMap<String, i64> {
        let all = document.get(key).and_then(Value::as_object).into_iter().flatten().take(COUNTS_MAX);
        all.filter_map(|(code, value)| Some((code.clone(), count(Some(value))?))).collect()
    };
    let sum = || Some(land? + marine?);
    Ok(AlertCounts { total: total.or_else(sum), land, marine, areas: counts("areas"), regions: counts("regions") })
}
