//! Local storm reports: what people and instruments saw, as the offices of the NWS pass it on.
//!
//! Boundaries: ✓ field types, categories and units, which of corrected and repeated reports stands, reports around a place.
//! ✗ no JSON (see `decode::lsr`), no I/O, no clock; how long a report may raise a level is a rule of `threat`.

mod category;
mod window;

pub use category::{Category, Group};
pub use window::EventWindow;

use crate::geo::{EARTH_RADIUS_KM, LatLon};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How long reports may speak after the last good poll (levels.md, table).
pub const REPORTS_USABLE_FOR: SignedDuration = SignedDuration::from_mins(15);
/// Added to a reach in latitude, degrees (0.1 m), against rounding.
const REACH_MARGIN_DEG: f64 = 1e-6;
/// Reports kept at most, the newest: ten times what the worst three hours of a nation have brought.
const KEPT_MAX: usize = 10_000;
/// Miles an hour in a knot.
const MPH_PER_KT: f64 = 1.150_779;

/// One report. Texts are as sent, without blanks around them; empty where absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StormReport {
    /// What was seen.
    pub category: Category,
    /// The office's words for it, for instance `TSTM WND GST`.
    pub type_text: String,
    /// How large or strong, where told.
    pub magnitude: Option<Magnitude>,
    /// How the magnitude is known, where told.
    pub qualifier: Option<Qualifier>,
    /// When it happened (`valid`).
    pub event_utc: Timestamp,
    /// When it was passed on: the time in its product id.
    pub issued_utc: Option<Timestamp>,
    /// When this program first heard it.
    pub heard_utc: Timestamp,
    /// Where, to about a kilometre.
    pub at: LatLon,
    /// The place in words: `3 SSE Garden Grove`.
    pub city: String,
    /// County, or the marine zone.
    pub county: String,
    /// Two letters.
    pub state: String,
    /// Who saw it: `Trained Spotter`.
    pub source: String,
    /// What else was said.
    pub remarks: String,
    /// Office, three letters.
    pub wfo: String,
    /// The product that carried it: `202606102054-KEAX-NWUS53-LSREAX`.
    pub product_id: Option<String>,
}

/// A magnitude with its unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Magnitude {
    /// A figure.
    Value {
        /// Finite.
        value: f64,
        /// Its unit.
        unit: Unit,
    },
    /// Less than can be measured.
    Trace {
        /// Of what.
        unit: Unit,
    },
}

/// Units that reports use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Inches.
    Inches,
    /// Miles an hour.
    Mph,
    /// Knots.
    Knots,
    /// Feet.
    Feet,
    /// Anything else, in lower case; empty where not told.
    Other(String),
}

impl Unit {
    /// As answers name it; `None` where not told.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Inches => Some("inches"),
            Self::Mph => Some("mph"),
            Self::Knots => Some("kt"),
            Self::Feet => Some("feet"),
            Self::Other(name) => (!name.is_empty()).then_some(name),
        }
    }
}

/// How a magnitude is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Qualifier {
    /// By an instrument.
    Measured,
    /// By eye.
    Estimated,
    /// Not told.
    Unknown,
}

impl StormReport {
    /// When it was told: the time in its product id, or when it was first heard where that was earlier or there is none. A
    /// report told long after its event explains and raises nothing (levels.md, correction 6); one that was told in time and
    /// is corrected or summed up hours later was told in time.
    pub fn told_utc(&self) -> Timestamp {
        self.issued_utc.map_or(self.heard_utc, |issued| issued.min(self.heard_utc))
    }

    /// The speed of a gust, miles an hour; `None` where there is none or no speed.
    pub fn gust_mph(&self) -> Option<f64> {
        match self.magnitude {
            Some(Magnitude::Value { value, unit: Unit::Mph }) => Some(value),
            Some(Magnitude::Value { value, unit: Unit::Knots }) => Some(value * MPH_PER_KT),
            _ => None,
        }
    }

    /// The size of hail, inches; `None` for anything else.
    pub fn hail_in(&self) -> Option<f64> {
        match self.magnitude {
            Some(Magnitude::Value { value, unit: Unit::Inches }) if self.category == Category::Hail => Some(value),
            _ => None,
        }
    }

    /// What two reports of one event have in common: office, time, kind, place and its name. Positions come in hundredths
    /// of a degree.
    pub fn key(&self) -> ReportKey {
        let hundredths = |degrees: f64| (degrees * 100.0).round() as i32;
        ReportKey {
            wfo: self.wfo.to_ascii_uppercase(),
            event_utc: self.event_utc,
            category: self.category.clone(),
            lat_cdeg: hundredths(self.at.lat()),
            lon_cdeg: hundredths(self.at.lon()),
            city: self.city.to_ascii_lowercase(),
        }
    }

    /// Whether this one stands against `other` of the same key: the newest product does.
    fn outranks(&self, other: &Self) -> bool {
        (self.issued_utc, &self.product_id) > (other.issued_utc, &other.product_id)
    }
}

/// See `StormReport::key`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReportKey {
    wfo: String,
    event_utc: Timestamp,
    category: Category,
    lat_cdeg: i32,
    lon_cdeg: i32,
    city: String,
}

/// All reports of the nation over a window of event times, as one poll saw them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StormReports {
    /// Newest event first, each event once.
    pub reports: Vec<StormReport>,
    /// The window asked for: from here,
    pub from_utc: Timestamp,
    /// to here.
    pub to_utc: Timestamp,
    /// The poll.
    pub read_utc: Timestamp,
    /// Rows that could not be read: while there are any, an absent report proves nothing.
    pub unread: u32,
    /// Whether the upstream's limit on rows was reached: then there may be more.
    pub is_cut: bool,
    /// The request.
    pub url: String,
}

/// A report as seen from a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearReport<'a> {
    /// The report.
    pub report: &'a StormReport,
    /// Great-circle distance, km.
    pub distance_km: f64,
    /// Bearing from the place, degrees.
    pub bearing_deg: f64,
}

impl StormReports {
    /// Reports within `radius_km` of `place` whose event lies in `since..=until`; newest event first, of one time the nearest.
    pub fn within(&self, place: LatLon, radius_km: f64, since: Timestamp, until: Timestamp) -> Vec<NearReport<'_>> {
        // A degree of latitude tells most of them apart before any trigonometry: a hundred thousand places look through
        // the thousand reports of an outbreak.
        let reach_deg = (radius_km / EARTH_RADIUS_KM).to_degrees() + REACH_MARGIN_DEG;
        let mut near: Vec<NearReport<'_>> = self
            .reports
            .iter()
            .filter(|report| (report.at.lat() - place.lat()).abs() <= reach_deg)
            .filter(|report| since <= report.event_utc && report.event_utc <= until)
            .map(|report| (report, place.distance_km(report.at)))
            .filter(|(_, distance_km)| *distance_km <= radius_km)
            .map(|(report, distance_km)| NearReport { report, distance_km, bearing_deg: place.bearing_deg(report.at) })
            .collect();
        near.sort_by(|a, b| b.report.event_utc.cmp(&a.report.event_utc).then(a.distance_km.total_cmp(&b.distance_km)));
        near
    }

    /// These reports with what an earlier poll had heard and this one lacks, as long as its event lies within this one's window:
    /// an answer that is empty, or a part, takes nothing back. A report that its office withdraws speaks on until its own time is
    /// over; of one that was corrected the newest product's word counts, and it keeps when it was first heard.
    pub fn with_earlier(&self, earlier: &Self) -> Self {
        let earlier = earlier.reports.iter().filter(|report| report.event_utc >= self.from_utc);
        let mut first_heard: HashMap<ReportKey, Timestamp> = HashMap::new();
        for report in earlier.clone().chain(&self.reports) {
            let heard = first_heard.entry(report.key()).or_insert(report.heard_utc);
            *heard = report.heard_utc.min(*heard);
        }
        let mut reports = once_each(self.reports.iter().chain(earlier).cloned());
        for report in &mut reports {
            report.heard_utc = first_heard.get(&report.key()).copied().unwrap_or(report.heard_utc);
        }
        reports.truncate(KEPT_MAX);
        let Self { from_utc, to_utc, read_utc, unread, is_cut, url, .. } = self;
        let (from_utc, to_utc, read_utc, unread, is_cut) = (*from_utc, *to_utc, *read_utc, *unread, *is_cut);
        Self { reports, from_utc, to_utc, read_utc, unread, is_cut, url: url.clone() }
    }
}

/// Each event once, the newest product's word for it; newest event first.
pub fn once_each(reports: impl IntoIterator<Item = StormReport>) -> Vec<StormReport> {
    let mut standing: HashMap<ReportKey, StormReport> = HashMap::new();
    for report in reports {
        let key = report.key();
        match standing.get(&key) {
            Some(held) if !report.outranks(held) => {}
            _ => {
                standing.insert(key, report);
            }
        }
    }
    let mut sorted: Vec<(ReportKey, StormReport)> = standing.into_iter().collect();
    sorted.sort_by(|(a, report), (b, other)| other.event_utc.cmp(&report.event_utc).then_with(|| a.cmp(b)));
    sorted.into_iter().map(|(_, report)| report).collect()
}

#[cfg(test)]
mod tests;
