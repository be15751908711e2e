//! Mesoscale discussions and convective watches, as the Iowa Environmental Mesonet serves them.

use crate::decode::geojson::{self, GeoJsonError, number, shown, time, whole, word};
use crate::decode::geometry;
use crate::geo::Area;
use crate::observation::Fault;
use crate::outlook::{ConvectiveWatch, Discussion, Discussions, WatchKind, Watches};
use jiff::Timestamp;
use serde_json::Value;

/// Discussions or watches in effect at once: the busiest days had some twenty.
const FEATURES_MAX: usize = 1_000;
/// Faults kept of one answer.
const FAULTS_MAX: usize = 50;
/// Hail larger than this, inches, never fell; gusts beyond this, knots, never blew.
const HAIL_IN_MAX: f64 = 12.0;
/// See `HAIL_IN_MAX`.
const GUST_KT_MAX: f64 = 250.0;

/// Reads an answer of `/api/1/nws/spc_mcd.geojson`. An empty collection means that none is in effect.
///
/// # Errors
/// Where the answer is no such collection.
pub fn discussions(bytes: &[u8], now: Timestamp) -> Result<(Discussions, Vec<Fault>), GeoJsonError> {
    let features = geojson::features(bytes, FEATURES_MAX)?;
    ours(&features, "watch_confidence", "mesoscale discussions")?;
    let (mut discussions, unread, faults) = read(&features, |properties, area| {
        let (issue_utc, expire_utc) = span(properties)?;
        Ok(Discussion {
            number: u32::from(whole(properties, "num").ok_or("it has no number")?),
            year: whole(properties, "year").and_then(|year| i16::try_from(year).ok()).unwrap_or(0),
            issue_utc,
            expire_utc,
            watch_probability_pct: number(properties, "watch_confidence")
                .filter(|pct| (0.0..=100.0).contains(pct))
                // In range by the test before it.
                .map(|pct| pct.round() as u8),
            concerning: word(properties, "concerning"),
            product_id: word(properties, "product_id"),
            area,
        })
    });
    discussions.sort_by_key(|held| (held.year, held.number, held.issue_utc));
    Ok((Discussions { discussions, unread, read_utc: now }, faults))
}

/// Reads an answer of `/json/spcwatch.py`. An empty collection means that none is in effect.
///
/// # Errors
/// Where the answer is no such collection.
pub fn watches(bytes: &[u8], now: Timestamp) -> Result<(Watches, Vec<Fault>), GeoJsonError> {
    let features = geojson::features(bytes, FEATURES_MAX)?;
    ours(&features, "sel", "convective watches")?;
    let (mut watches, unread, faults) = read(&features, |properties, area| {
        let (issue_utc, expire_utc) = span(properties)?;
        let kind = word(properties, "type").unwrap_or_default().to_ascii_uppercase();
        let within = |key, max| number(properties, key).filter(|value| (0.0..=max).contains(value) && *value > 0.0);
        Ok(ConvectiveWatch {
            number: u32::from(
                whole(properties, "number").or_else(|| whole(properties, "num")).ok_or("it has no number")?,
            ),
            kind: match kind.get(..1) {
                Some("T") => WatchKind::Tornado,
                Some("S") => WatchKind::SevereThunderstorm,
                _ => return Err(format!("its type {:?} is not known", shown(&kind))),
            },
            is_pds: yes_or_no(properties.get("is_pds")),
            issue_utc,
            expire_utc,
            max_hail_in: within("max_hail_size", HAIL_IN_MAX),
            max_wind_gust_kt: within("max_wind_gust_knots", GUST_KT_MAX),
            url: word(properties, "spcurl"),
            area,
        })
    });
    watches.sort_by_key(|held| (held.issue_utc, held.number));
    Ok((Watches { watches, unread, read_utc: now }, faults))
}

/// Refuses a collection of something else, which would read as none in effect.
fn ours(features: &[Value], key: &str, wanted: &'static str) -> Result<(), GeoJsonError> {
    let has = |feature: &Value| feature.get("properties").is_some_and(|properties| properties.get(key).is_some());
    if features.is_empty() || features.iter().any(has) {
        return Ok(());
    }
    Err(GeoJsonError::OtherFeatures { what: geojson::features_are(features), wanted })
}

/// Every feature that can be read, how many could not, and why.
fn read<T>(features: &[Value], one: impl Fn(&Value, Area) -> Result<T, String>) -> (Vec<T>, u32, Vec<Fault>) {
    let (mut found, mut faults, mut unread) = (Vec::new(), Vec::new(), 0_u32);
    for (number, feature) in features.iter().enumerate() {
        let properties = feature.get("properties").unwrap_or(&Value::Null);
        let area = geometry::area(feature.get("geometry")).and_then(|area| area.ok_or("it has no area".to_owned()));
        match area.and_then(|area| one(properties, area)) {
            Ok(item) => found.push(item),
            Err(why) => {
                unread = unread.saturating_add(1);
                let fault =
                    Fault { what: format!("skipped: {why}"), place: format!("feature {number}"), kept_rest: true };
                faults.push(fault);
            }
        }
    }
    faults.truncate(FAULTS_MAX);
    (found, unread, faults)
}

/// From when until when. Names differ between the two services.
fn span(properties: &Value) -> Result<(Timestamp, Timestamp), String> {
    let issue =
        time(properties, "issue").or_else(|| time(properties, "utc_issued")).ok_or("it has no time of issue")?;
    let expire = time(properties, "expire").or_else(|| time(properties, "utc_expired")).ok_or("it has no end")?;
    if expire <= issue {
        return Err("it ends before it begins".to_owned());
    }
    Ok((issue, expire))
}

/// A truth value, however it is written.
fn yes_or_no(value: Option<&Value>) -> Option<bool> {
    match value? {
        Value::Bool(yes) => Some(*yes),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "yes" | "true" | "t" | "1" => Some(true),
            "no" | "false" | "f" | "0" => Some(false),
            _ => None,
        },
        Value::Number(number) => number.as_f64().map(|number| number != 0.0),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
