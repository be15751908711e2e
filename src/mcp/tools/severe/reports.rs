//! get_storm_reports and get_historical_storm_reports: what people and instruments saw around a point.

use super::counted;
use crate::geo::{LatLon, round_1dp};
use crate::mcp::envelope::{Envelope, Location, Point, clock_time, rounded, utc};
use crate::storm_report::{
    Category, EventWindow, Group, Magnitude, NearReport, REPORTS_USABLE_FOR, StormReport, StormReports, Unit,
};
use crate::threat::later;
use crate::threat::picture::Picture;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

/// Radius when none is asked for, km.
pub const RADIUS_KM_DEFAULT: f64 = 80.0;
/// Smallest and largest radius of get_storm_reports, km; what lies outside is clamped.
pub const RADIUS_KM: (f64, f64) = (5.0, 500.0);
/// The same of get_historical_storm_reports.
pub const HISTORICAL_RADIUS_KM: (f64, f64) = (5.0, 200.0);
/// Hours when none are asked for.
pub const HOURS_DEFAULT: i64 = 6;
/// Fewest and most hours; what lies outside is clamped.
pub const HOURS: (i64, i64) = (1, 48);
/// Reports listed by get_storm_reports; counts cover all.
const LISTED_MAX: usize = 100;
/// Reports listed by get_historical_storm_reports; counts cover all.
const HISTORICAL_LISTED_MAX: usize = 200;
/// Listed as degraded while reports are not known.
pub const REPORTS_ID: &str = "iem-lsr";
/// Listed as degraded while past reports cannot be had.
pub const HISTORICAL_ID: &str = "iem-lsr-historical";
/// The archive begins with this year.
const YEAR_MIN: i16 = 2005;
/// Before this year it is sparse.
const YEAR_DENSE: i16 = 2008;
/// How far ahead events may lie: offices' clocks differ.
const AHEAD: SignedDuration = SignedDuration::from_mins(10);
/// This many reports within half the radius are more than one storm's passing.
const MANY: usize = 3;

/// `data` of get_storm_reports and get_historical_storm_reports.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StormReportsAround {
    /// The asked point.
    pub point: Point,
    /// The radius used, km.
    pub radius_km: f64,
    /// Hours looked back, within 1 to 48.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<i64>,
    /// The asked date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The time zone that the date is meant in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Event times covered: from here, ISO 8601 UTC.
    pub from_utc: Option<String>,
    /// To here.
    pub to_utc: Option<String>,
    /// How many reports of each kind; null when reports are not known.
    pub counts: Option<Counts>,
    /// The reports, newest event first.
    pub reports: Vec<ReportAround>,
}

/// Reports by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Tornadoes and waterspouts.
    pub tornado: usize,
    /// Hail.
    pub hail: usize,
    /// Wind of thunderstorms.
    pub wind: usize,
    /// Floods and heavy rain.
    pub flood: usize,
    /// All else.
    pub other: usize,
    /// Wind without a thunderstorm: counted in `other`, since it is not severe weather.
    pub non_thunderstorm_wind: usize,
}

impl Counts {
    /// Of reports.
    pub fn of<'a>(reports: impl IntoIterator<Item = &'a StormReport>) -> Self {
        let mut counts = Self::default();
        for report in reports {
            let kind = match report.category.group() {
                Group::Tornado => &mut counts.tornado,
                Group::Hail => &mut counts.hail,
                Group::Wind => &mut counts.wind,
                Group::Flood => &mut counts.flood,
                Group::Other => &mut counts.other,
            };
            *kind += 1;
            counts.non_thunderstorm_wind += usize::from(report.category.is_other_wind());
        }
        counts
    }
}

/// One report as seen from the point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReportAround {
    /// `tornado`, `hail`, `thunderstorm_wind_gust`, ...
    pub category: String,
    /// The office's words for it.
    pub type_text: String,
    /// How large or strong; null when not told.
    pub magnitude: Option<f64>,
    /// `inches`, `mph`, ...; null without a magnitude.
    pub magnitude_units: Option<String>,
    /// When it happened, ISO 8601 UTC.
    pub time_utc: String,
    /// When it was passed on, ISO 8601 UTC; null when not told.
    pub issued_utc: Option<String>,
    /// The place in words.
    pub city: String,
    /// County, or marine zone.
    pub county: String,
    /// Two letters.
    pub state: String,
    /// Who saw it.
    pub source: String,
    /// What else was said.
    pub remarks: String,
    /// Where.
    #[serde(flatten)]
    pub location: Location,
    /// The product that carried it.
    pub evidence_id: Option<String>,
}

impl ReportAround {
    /// As seen from a place.
    pub fn of(near: &NearReport<'_>) -> Self {
        let report = near.report;
        let (magnitude, magnitude_units) = magnitude(report);
        Self {
            category: report.category.id().into_owned(),
            type_text: report.type_text.clone(),
            magnitude,
            magnitude_units,
            time_utc: utc(report.event_utc),
            issued_utc: report.issued_utc.map(utc),
            city: report.city.clone(),
            county: report.county.clone(),
            state: report.state.clone(),
            source: report.source.clone(),
            remarks: report.remarks.clone(),
            location: Location::new(near.distance_km, near.bearing_deg),
            evidence_id: report.product_id.clone(),
        }
    }
}

/// Speeds in miles an hour, whatever they were told in; a trace has a unit and no figure, which is said in words.
pub fn magnitude(report: &StormReport) -> (Option<f64>, Option<String>) {
    match &report.magnitude {
        Some(Magnitude::Value { unit: Unit::Knots, .. }) => {
            (report.gust_mph().map(|mph| rounded(mph, 1)), Some("mph".to_owned()))
        }
        Some(Magnitude::Value { value, unit }) => (Some(*value), unit.name().map(str::to_owned)),
        Some(Magnitude::Trace { .. }) => (None, Some("trace".to_owned())),
        None => (None, None),
    }
}

/// The nation's reports of the last minutes, where they are fresh and reach back `hours`: then nobody needs to be asked.
pub fn held_reports(picture: &Picture, hours: i64, now: Timestamp) -> Option<&StormReports> {
    let back = SignedDuration::from_hours(hours.clamp(HOURS.0, HOURS.1));
    let window = EventWindow::back_from(now, back, SignedDuration::ZERO);
    // Read a minute ago, the window began a minute earlier: that much of its far end is always missing.
    let held = picture.reports.as_deref().filter(|held| now < later(held.read_utc, REPORTS_USABLE_FOR))?;
    (held.from_utc <= window.from_utc && !held.is_cut && held.unread == 0).then_some(held)
}

/// The window to ask the archive for, for get_storm_reports.
pub fn recent(hours: i64, now: Timestamp) -> EventWindow {
    EventWindow::back_from(now, SignedDuration::from_hours(hours.clamp(HOURS.0, HOURS.1)), AHEAD)
}

/// Reports of the last `hours` (clamped) within `radius_km` (clamped) of `place`. `reports` covers that window: from the
/// archive, or `held_reports`; `None` when neither could be had.
pub fn storm_reports(
    reports: Option<&StormReports>,
    place: LatLon,
    radius_km: f64,
    hours: i64,
    now: Timestamp,
) -> Envelope<StormReportsAround> {
    let hours = hours.clamp(HOURS.0, HOURS.1);
    let ask = Asked { place, radius_km: radius_km.clamp(RADIUS_KM.0, RADIUS_KM.1), window: recent(hours, now), now };
    let span = format!("in the last {}", counted(usize::try_from(hours).unwrap_or(0), "hour"));
    let mut envelope = ask.answer(reports, REPORTS_ID, LISTED_MAX, &span);
    envelope.data.hours = Some(hours);
    envelope
}

/// What get_historical_storm_reports is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct PastDay {
    /// The day.
    pub date: Date,
    /// Whose midnight begins it.
    pub zone: TimeZone,
    /// Its event times.
    pub window: EventWindow,
}

impl PastDay {
    /// From a strict `YYYY-MM-DD` and the time zone that it is meant in.
    ///
    /// # Errors
    /// A sentence for the caller: not that form, no such day, in the future, or before the archive begins.
    pub fn parse(text: &str, zone: TimeZone, now: Timestamp) -> Result<Self, String> {
        let strict = text.len() == 10
            && text.char_indices().all(|(at, c)| if at == 4 || at == 7 { c == '-' } else { c.is_ascii_digit() });
        let date = strict.then(|| text.parse::<Date>().ok()).flatten();
        let Some(date) = date else { return Err(format!("date must be a real day as YYYY-MM-DD, not {text:?}")) };
        if date.year() < YEAR_MIN {
            return Err(format!("date {text} is before {YEAR_MIN}, where the archive of storm reports begins"));
        }
        let window = EventWindow::day(date, &zone).ok_or_else(|| format!("date {text} lies beyond all calendars"))?;
        if now < window.from_utc {
            return Err(format!("date {text} is in the future"));
        }
        Ok(Self { date, zone, window })
    }
}

/// Reports of a past day within `radius_km` (clamped) of `place`; `None` when the archive could not be had.
pub fn historical_storm_reports(
    reports: Option<&StormReports>,
    place: LatLon,
    radius_km: f64,
    day: &PastDay,
    now: Timestamp,
) -> Envelope<StormReportsAround> {
    let radius_km = radius_km.clamp(HISTORICAL_RADIUS_KM.0, HISTORICAL_RADIUS_KM.1);
    let zone = day.zone.iana_name().unwrap_or("UTC");
    let ask = Asked { place, radius_km, window: day.window, now };
    let mut envelope = ask.answer(reports, HISTORICAL_ID, HISTORICAL_LISTED_MAX, &format!("on {} ({zone})", day.date));
    envelope.data.date = Some(day.date.to_string());
    envelope.data.time_zone = Some(zone.to_owned());
    let said = &mut envelope.interpretation;
    if day.date.year() < YEAR_DENSE {
        said.push_str(&format!(" The archive is sparse before {YEAR_DENSE}: few reports do not mean little weather."));
    }
    said.push_str(" Reports are preliminary.");
    envelope
}

/// One question.
struct Asked {
    place: LatLon,
    radius_km: f64,
    window: EventWindow,
    now: Timestamp,
}

impl Asked {
    fn answer(
        &self,
        reports: Option<&StormReports>,
        id: &str,
        listed_max: usize,
        span: &str,
    ) -> Envelope<StormReportsAround> {
        // The window's end is exclusive.
        let until = self.window.to_utc.checked_sub(SignedDuration::from_nanos(1)).unwrap_or(self.window.to_utc);
        let near = reports.map(|all| all.within(self.place, self.radius_km, self.window.from_utc, until));
        let whole = reports.is_some_and(|all| {
            all.unread == 0 && !all.is_cut && all.from_utc <= self.window.from_utc && self.now.min(until) < all.to_utc
        });
        let data = StormReportsAround {
            point: self.place.into(),
            radius_km: self.radius_km,
            hours: None,
            date: None,
            time_zone: None,
            from_utc: Some(utc(self.window.from_utc)),
            to_utc: Some(utc(self.window.to_utc)),
            counts: near.as_ref().map(|near| Counts::of(near.iter().map(|near| near.report))),
            reports: near.iter().flatten().take(listed_max).map(ReportAround::of).collect(),
        };
        let interpretation = match &near {
            Some(near) => self.in_words(near, whole, span),
            None => format!(
                "Storm reports {span} are unknown: the service gave no answer. This does not mean quiet weather."
            ),
        };
        let degraded = if whole { Vec::new() } else { vec![id.to_owned()] };
        Envelope::new(data, interpretation, degraded)
    }

    fn in_words(&self, near: &[NearReport<'_>], whole: bool, span: &str) -> String {
        let mut sentences = Vec::new();
        if !whole {
            sentences.push("Not all reports could be had: there may be more.".to_owned());
        }
        let within = self.radius_km;
        if near.is_empty() {
            sentences.push(format!("No storm report within {within} km {span}. Reports come minutes to hours late."));
            return sentences.join(" ");
        }
        let counts = Counts::of(near.iter().map(|near| near.report));
        let kinds = [
            (counts.tornado, "tornado"),
            (counts.hail, "hail"),
            (counts.wind, "thunderstorm wind"),
            (counts.flood, "flood"),
            (counts.other, "other"),
        ];
        let kinds: Vec<String> =
            kinds.into_iter().filter(|(count, _)| *count > 0).map(|(count, kind)| format!("{count} {kind}")).collect();
        let all = counted(near.len(), "storm report");
        sentences.push(format!("{all} within {within} km {span}: {}.", kinds.join(", ")));
        sentences.extend(self.notable(near));
        let half = near.iter().filter(|near| near.distance_km <= within / 2.0).count();
        if near.iter().any(|near| near.report.category == Category::Tornado) {
            sentences.push("A tornado was reported: treat the situation as dangerous.".to_owned());
        } else if half >= MANY {
            sentences.push(format!("{half} of them lie within {} km of the point.", round_1dp(within / 2.0)));
        }
        sentences.join(" ")
    }

    /// The latest tornado, the largest hail, the strongest gust.
    fn notable(&self, near: &[NearReport<'_>]) -> Vec<String> {
        let seen = |near: &NearReport<'_>| {
            let place = Location::new(near.distance_km, near.bearing_deg);
            let time = clock_time(near.report.event_utc, self.now);
            format!("{} km {} at {time} ({})", place.distance_km, place.direction, near.report.city)
        };
        let mut sentences = Vec::new();
        // Newest first: the first one is the latest.
        if let Some(tornado) = near.iter().find(|near| near.report.category.group() == Group::Tornado) {
            let kind = if tornado.report.category == Category::Waterspout { "waterspout" } else { "tornado" };
            sentences.push(format!("Latest {kind}: {}.", seen(tornado)));
        }
        let largest = |figure: fn(&StormReport) -> Option<f64>| {
            let figures = near.iter().filter_map(|near| Some((figure(near.report)?, near)));
            figures.max_by(|a, b| a.0.total_cmp(&b.0))
        };
        if let Some((inches, near)) = largest(StormReport::hail_in) {
            sentences.push(format!("Largest hail: {inches} in, {}.", seen(near)));
        }
        let gust = |report: &StormReport| report.gust_mph().filter(|_| report.category.group() == Group::Wind);
        if let Some((mph, near)) = largest(gust) {
            sentences.push(format!("Peak thunderstorm gust: {} mph, {}.", rounded(mph, 0), seen(near)));
        }
        sentences
    }
}

#[cfg(test)]
mod tests;
