//! nws_get_observations, nws_get_observation_history.

use super::args::{HistoryArgs, ObservationArgs};
use super::reading::{bad_cursor, token};
use super::reply::{Served, Told, notice};
use super::words::{height, or_dash, percent, pressure, temperature, visibility, when, wind};
use super::{Asked, place};
use crate::desk::enquiries::{Code, HISTORY_PAGE_MAX, History, Observed, Refusal, reason};
use crate::nws_facts::conditions::{CloudLayer, Conditions, Figures};
use crate::nws_facts::page::{BadCursor, Limit, cursor};
use crate::nws_facts::span::Span;
use crate::nws_facts::zone_named;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One observation with its station.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservationFacts {
    /// Id of the station.
    pub station_id: String,
    /// Its name.
    pub station_name: Option<String>,
    /// Its IANA time zone.
    pub time_zone: Option<String>,
    /// The measures.
    #[serde(flatten)]
    pub measures: MeasureFacts,
    /// Id and name of the station.
    pub station: String,
    /// When it was observed, as sent.
    pub observed_at: Option<String>,
    /// What a reader has to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub notice: Option<String>,
}

/// What was measured at one time. What was not measured is null, never 0.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MeasureFacts {
    /// When, as sent.
    pub timestamp: Option<String>,
    /// In words.
    pub text_description: Option<String>,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// From below.
    pub cloud_layers: Vec<CloudLayer>,
}

/// Observations of one station.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryFacts {
    /// Id of the station.
    pub station_id: String,
    /// Its name.
    pub station_name: Option<String>,
    /// Its IANA time zone.
    pub time_zone: Option<String>,
    /// Newest first.
    pub observations: Vec<MeasureFacts>,
    /// Rows of this page.
    pub shown: usize,
    /// Whether there are older rows than these.
    pub truncated: bool,
    /// Rows of a page at most.
    pub cap: u32,
    /// How it was served.
    #[serde(flatten)]
    pub served: Served,
}

/// The newest observation of a station or around a point.
pub(super) async fn get(args: ObservationArgs, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let observed = match (&args.station_id, args.latitude.zip(args.longitude)) {
        (Some(id), _) => asked.nws.conditions_of(id).await?,
        (None, Some((latitude, longitude))) => asked.nws.conditions_at(place(latitude, longitude)?).await?,
        (None, None) => {
            return Err(Refusal::new(
                Code::ValidationError,
                reason::MISSING_INPUT,
                "Neither a station_id nor a whole point is given.",
                "Give station_id, or latitude and longitude together.",
            ));
        }
    };
    let now = asked.nws.now();
    let facts = facts(&observed, now);
    let zone = zone_named(facts.time_zone.as_deref());
    let text = markdown(&facts, &observed.conditions, zone.as_ref());
    let words = format!(
        "{} at {}: {}, wind {}.",
        or_dash(facts.measures.text_description.as_deref()),
        facts.station,
        temperature(facts.measures.figures.temperature_c),
        wind(&facts.measures.figures)
    );
    Told::new(facts, text, words, Vec::new())
}

fn facts(observed: &Observed, now: Timestamp) -> ObservationFacts {
    let station = observed.station.as_ref();
    let name = station.and_then(|station| station.name.clone());
    let mut notes = Vec::new();
    if let Some(age) = observed.conditions.outdated_by(now) {
        let hours = age.as_secs_f64() / 3600.0;
        notes.push(format!("This observation is {hours:.1} h old: try another station (nws_find_stations)."));
    }
    if observed.conditions.is_limited() {
        notes.push("Limited data: most measures are missing.".to_owned());
    }
    if station.is_none() {
        notes.push("Name and time zone of the station could not be looked up.".to_owned());
    }
    let measures = measures(&observed.conditions);
    ObservationFacts {
        station_id: observed.station_id.clone(),
        time_zone: station.and_then(|station| station.time_zone.clone()),
        station: match &name {
            Some(name) => format!("{} ({name})", observed.station_id),
            None => observed.station_id.clone(),
        },
        station_name: name,
        observed_at: measures.timestamp.clone(),
        measures,
        notice: notice(&notes),
    }
}

fn measures(conditions: &Conditions) -> MeasureFacts {
    MeasureFacts {
        timestamp: conditions.observed.as_ref().map(|observed| observed.text.clone()),
        text_description: conditions.text_description.clone(),
        figures: conditions.figures,
        cloud_layers: conditions.cloud_layers.clone(),
    }
}

fn markdown(facts: &ObservationFacts, conditions: &Conditions, zone: Option<&TimeZone>) -> String {
    let measures = &facts.measures;
    let mut lines = vec![
        format!("# Observation at {}", facts.station),
        format!(
            "Observed {} · time zone {}",
            when(measures.timestamp.as_deref(), zone),
            or_dash(facts.time_zone.as_deref())
        ),
    ];
    if conditions.is_limited() {
        lines.push("Limited data: most measures are missing.".to_owned());
    }
    lines.extend(measures.text_description.clone());
    let figures = &measures.figures;
    lines.push(format!("Temperature: {}", temperature(figures.temperature_c)));
    lines.push(format!("Dew point: {}", temperature(figures.dewpoint_c)));
    lines.push(format!("Wind: {}", wind(figures)));
    lines.push(format!("Pressure: {}", pressure(figures.barometric_pressure_pa)));
    lines.push(format!("Visibility: {}", visibility(figures.visibility_m)));
    lines.push(format!("Humidity: {}", percent(figures.relative_humidity_pct)));
    lines.extend(figures.heat_index_c.map(|c| format!("Heat index: {}", temperature(Some(c)))));
    lines.extend(figures.wind_chill_c.map(|c| format!("Wind chill: {}", temperature(Some(c)))));
    lines.extend(clouds(measures).map(|clouds| format!("Clouds: {clouds}")));
    lines.push(String::new());
    lines.push(format!("station: {} · observedAt: {}", facts.station, or_dash(facts.observed_at.as_deref())));
    lines.extend(facts.notice.as_ref().map(|notice| format!("notice: {notice}")));
    lines.join("\n")
}

fn clouds(measures: &MeasureFacts) -> Option<String> {
    let layer = |layer: &CloudLayer| match layer.base_m {
        Some(base) => format!("{} at {}", layer.amount, height(base)),
        None => layer.amount.clone(),
    };
    let layers: Vec<String> = measures.cloud_layers.iter().map(layer).collect();
    (!layers.is_empty()).then(|| layers.join(", "))
}

/// What a cursor carries: the question of the first page, and the oldest row shown as the next end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Token {
    limit: u32,
    end: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    station: Option<String>,
}

/// One page of what a station measured.
pub(super) async fn history(args: HistoryArgs, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let token = token::<Token>(args.cursor.as_deref())?;
    let (station, span, limit) = match token {
        None => {
            let span = Span::new(args.start.as_deref(), args.end.as_deref()).map_err(|error| {
                let hint = "Give start before end, both with seconds and an offset; the API keeps about seven days.";
                Refusal::new(Code::ValidationError, reason::INVALID_TIME_WINDOW, format!("{error}."), hint)
            })?;
            (args.station_id, span, Limit::clamped(args.limit, HISTORY_PAGE_MAX))
        }
        Some(Token { limit, end, start, station }) => {
            if !(1..=HISTORY_PAGE_MAX).contains(&limit) {
                return Err(bad_cursor(&BadCursor("its limit is out of range".to_owned())));
            }
            let span = Span::new(start.as_deref(), Some(&end));
            let span = span.map_err(|error| bad_cursor(&BadCursor(error.to_string())))?;
            (station.unwrap_or(args.station_id), span, Limit::clamped(limit, HISTORY_PAGE_MAX))
        }
    };
    let found = asked.nws.history(&station, span, limit.effective).await?;
    let next_cursor = next(&found, span, limit.effective);
    let facts = history_facts(&found, limit, next_cursor);
    let zone = zone_named(facts.time_zone.as_deref());
    let text = history_markdown(&facts, zone.as_ref());
    let words = match facts.observations.as_slice() {
        [] => format!("No observation of {} lies in this stretch of time.", facts.station_id),
        [newest, ..] => format!(
            "{} observation(s) of {}, the newest {}.",
            facts.shown,
            facts.station_id,
            when(newest.timestamp.as_deref(), zone.as_ref())
        ),
    };
    Told::new(facts, text, words, Vec::new())
}

/// The next page ends where this one does. Rows at one instant are one row, so that none is passed over.
fn next(found: &History, span: Span, limit: u32) -> Option<String> {
    let exact = |at: Timestamp| at.strftime("%Y-%m-%dT%H:%M:%S%.fZ").to_string();
    let oldest = found.observations.last().filter(|_| found.more)?.observed.as_ref()?.at;
    let (start, station) = (span.start.map(exact), Some(found.station_id.clone()));
    cursor(&Token { limit, end: exact(oldest), start, station })
}

fn history_facts(found: &History, limit: Limit, next_cursor: Option<String>) -> HistoryFacts {
    let station = found.station.as_ref();
    let mut notes = Vec::new();
    if found.observations.is_empty() {
        notes.push("Nothing was observed in this stretch of time; the API keeps about seven days.".to_owned());
    }
    if next_cursor.is_some() {
        notes.push("There are older observations; pass nextCursor as cursor for them.".to_owned());
    }
    if station.is_none() {
        notes.push("Name and time zone of the station could not be looked up.".to_owned());
    }
    HistoryFacts {
        station_id: found.station_id.clone(),
        station_name: station.and_then(|station| station.name.clone()),
        time_zone: station.and_then(|station| station.time_zone.clone()),
        observations: found.observations.iter().map(measures).collect(),
        shown: found.observations.len(),
        truncated: next_cursor.is_some(),
        cap: limit.effective,
        served: Served::new(next_cursor, limit, &notes),
    }
}

fn history_markdown(facts: &HistoryFacts, zone: Option<&TimeZone>) -> String {
    let name = facts.station_name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    let mut lines = vec![
        format!("# Observations of {}{name}", facts.station_id),
        format!("Newest first · time zone {}", or_dash(facts.time_zone.as_deref())),
        String::new(),
    ];
    for row in &facts.observations {
        let figures = &row.figures;
        let mut parts = vec![
            temperature(figures.temperature_c),
            format!("dew point {}", temperature(figures.dewpoint_c)),
            format!("wind {}", wind(figures)),
            format!("pressure {}", pressure(figures.barometric_pressure_pa)),
            format!("visibility {}", visibility(figures.visibility_m)),
            format!("humidity {}", percent(figures.relative_humidity_pct)),
        ];
        parts.extend(figures.heat_index_c.map(|c| format!("heat index {}", temperature(Some(c)))));
        parts.extend(figures.wind_chill_c.map(|c| format!("wind chill {}", temperature(Some(c)))));
        parts.extend(clouds(row).map(|clouds| format!("clouds {clouds}")));
        parts.extend(row.text_description.clone());
        lines.push(format!("- {}: {}", when(row.timestamp.as_deref(), zone), parts.join(" · ")));
    }
    lines.push(String::new());
    lines.push(format!("shown: {} · truncated: {} · cap: {}", facts.shown, facts.truncated, facts.cap));
    lines.extend(facts.served.lines());
    lines.join("\n")
}
