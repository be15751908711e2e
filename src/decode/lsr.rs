//! Local storm reports, as both services of the Iowa Environmental Mesonet write them: the national
//! `/geojson/lsr.geojson` (magnitude as text, `magf` as number) and `/api/1/nws/lsrs_by_point.geojson` (magnitude as number).
//!
//! Boundaries: ✓ codes and words in any case, units, traces, magnitudes that are none; one bad row never hides the others.
//! ✗ no choice among repeated reports (see `storm_report::once_each`), no I/O, no clock.

use crate::decode::geojson::{self, GeoJsonError, instant, number, shown, word};
use crate::geo::LatLon;
use crate::observation::Fault;
use crate::storm_report::{Category, Magnitude, Qualifier, StormReport, Unit};
use jiff::Timestamp;
use serde_json::Value;

/// Rows of one answer: the national service sends 10,000 at most, the other has no limit of its own.
const ROWS_MAX: usize = 20_000;
/// Faults kept of one answer.
const FAULTS_MAX: usize = 50;

/// An answer, read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportRows {
    /// Every report that could be read, in the order sent, repeated ones included.
    pub reports: Vec<StormReport>,
    /// Rows sent.
    pub rows: usize,
    /// Rows that could not be read.
    pub unread: u32,
    /// What was wrong.
    pub faults: Vec<Fault>,
}

/// Reads an answer of either service; `now` is when it was heard.
///
/// # Errors
/// Where the answer is no collection of storm reports.
pub fn reports(bytes: &[u8], now: Timestamp) -> Result<ReportRows, GeoJsonError> {
    let features = geojson::features(bytes, ROWS_MAX)?;
    let is_ours =
        |feature: &Value| feature.get("properties").is_some_and(|properties| properties.get("typetext").is_some());
    if !features.is_empty() && !features.iter().any(is_ours) {
        let what = geojson::features_are(&features);
        return Err(GeoJsonError::OtherFeatures { what, wanted: "storm reports" });
    }
    let mut read = ReportRows { reports: Vec::new(), rows: features.len(), unread: 0, faults: Vec::new() };
    for (row, feature) in features.iter().enumerate() {
        match report(feature, now) {
            Ok(report) => read.reports.push(report),
            Err(why) => {
                read.unread = read.unread.saturating_add(1);
                let fault = Fault { what: format!("skipped: {why}"), place: format!("row {row}"), kept_rest: true };
                read.faults.push(fault);
            }
        }
    }
    read.faults.truncate(FAULTS_MAX);
    Ok(read)
}

fn report(feature: &Value, now: Timestamp) -> Result<StormReport, String> {
    let properties = feature.get("properties").filter(|p| p.is_object()).ok_or("it has no properties")?;
    let text = |key| word(properties, key).unwrap_or_default();
    let valid = word(properties, "valid").ok_or("it has no time")?;
    let event_utc = instant(&valid).ok_or_else(|| format!("{:?} is no time", shown(&valid)))?;
    let (code, type_text, county) = (text("type"), text("typetext"), text("county"));
    if code.is_empty() && type_text.is_empty() {
        return Err("it does not tell what was seen".to_owned());
    }
    // The national service writes the marine zone where the county would be, the other one has the zone beside it.
    let zone = word(properties, "ugc").unwrap_or_else(|| county.clone());
    let category = Category::of(&code, &type_text, &zone);
    let product_id = word(properties, "product_id");
    Ok(StormReport {
        magnitude: magnitude(properties, &category),
        category,
        type_text,
        qualifier: qualifier(&text("qualifier")),
        event_utc,
        issued_utc: product_id.as_deref().and_then(|id| instant(id.get(..12)?)),
        heard_utc: now,
        at: position(feature, properties)?,
        city: text("city"),
        county,
        state: word(properties, "st").or_else(|| word(properties, "state")).unwrap_or_default(),
        source: text("source"),
        remarks: text("remark"),
        wfo: text("wfo"),
        product_id,
    })
}

/// The position of the point, else the properties.
fn position(feature: &Value, properties: &Value) -> Result<LatLon, String> {
    let point = feature.get("geometry").and_then(|geometry| geometry.get("coordinates"));
    let of_point = |at: usize| point.and_then(|pair| pair.get(at)).and_then(Value::as_f64);
    let lon = of_point(0).or_else(|| number(properties, "lon")).ok_or("it has no position")?;
    let lat = of_point(1).or_else(|| number(properties, "lat")).ok_or("it has no position")?;
    LatLon::new(lat, lon).map_err(|why| why.to_string())
}

fn qualifier(text: &str) -> Option<Qualifier> {
    match text.get(..1)?.to_ascii_uppercase().as_str() {
        "M" => Some(Qualifier::Measured),
        "E" => Some(Qualifier::Estimated),
        "U" => Some(Qualifier::Unknown),
        _ => None,
    }
}

/// `magf` where there is one, else `magnitude`, a number or text such as `59`, `1.00 IN` or `T` (a trace). What is no number
/// is unknown, never zero.
fn magnitude(properties: &Value, category: &Category) -> Option<Magnitude> {
    let told = word(properties, "unit").unwrap_or_default();
    let text = word(properties, "magnitude").unwrap_or_default();
    let (figure, rest) = split_figure(&text);
    let unit = unit(if told.is_empty() { rest } else { &told }, category);
    if rest.eq_ignore_ascii_case("T")
        || rest.eq_ignore_ascii_case("TRACE")
        || told.to_ascii_uppercase().starts_with("T ")
    {
        return Some(Magnitude::Trace { unit });
    }
    let value = number(properties, "magf").or(figure)?;
    let means_something = value.is_finite() && (value > 0.0 || !category.wants_positive());
    means_something.then_some(Magnitude::Value { value, unit })
}

/// `1.00 IN` as 1.00 and `IN`; what does not begin with a figure is all rest.
fn split_figure(text: &str) -> (Option<f64>, &str) {
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))).unwrap_or(text.len());
    let (figure, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let figure = figure.parse::<f64>().ok().filter(|figure| figure.is_finite());
    (figure, if figure.is_some() { rest.trim() } else { text.trim() })
}

/// The unit by its name in any case; without one, that of the kind of report.
fn unit(name: &str, category: &Category) -> Unit {
    let name = name.trim().trim_end_matches('.').to_ascii_lowercase();
    match name.strip_prefix("t ").unwrap_or(&name) {
        "in" | "inch" | "inches" | "\"" => Unit::Inches,
        "mph" => Unit::Mph,
        "kt" | "kts" | "knot" | "knots" => Unit::Knots,
        "ft" | "foot" | "feet" => Unit::Feet,
        "" | "t" | "trace" => match category {
            Category::Hail | Category::HeavyRain => Unit::Inches,
            Category::ThunderstormWindGust
            | Category::NonThunderstormWindGust
            | Category::HighSustainedWind
            | Category::MarineThunderstormWind => Unit::Mph,
            Category::Tornado
            | Category::FunnelCloud
            | Category::Waterspout
            | Category::ThunderstormWindDamage
            | Category::NonThunderstormWindDamage
            | Category::FlashFlood
            | Category::Flood
            | Category::Dust
            | Category::Other(_) => Unit::Other(String::new()),
        },
        other => Unit::Other(shown(other)),
    }
}

#[cfg(test)]
mod tests;
