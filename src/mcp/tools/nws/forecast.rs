//! nws_get_forecast.

use super::args::ForecastArgs;
use super::paging::Turn;
use super::reply::{PageFacts, Told};
use super::words::{forecast_temperature, or_dash, when};
use super::{Asked, position};
use crate::desk::enquiries::Refusal;
use crate::nws_facts::forecast::{Forecast, Period, TemperatureUnit};
use crate::nws_facts::grid_point::GridPoint;
use crate::nws_facts::{Moment, local_time, zone_named};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Periods of a page: two days of hours; a week of half days fits whole.
const PAGE: u32 = 48;

/// A forecast.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastFacts {
    /// What the forecast is for.
    pub location: ForecastLocation,
    /// When it was made, as sent.
    pub generated_at: Option<String>,
    /// The periods of this page, in order.
    pub periods: Vec<ForecastPeriod>,
    /// `7-day` or `hourly`.
    pub mode: String,
    /// The page.
    #[serde(flatten)]
    pub page: PageFacts,
}

/// What a forecast is for.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastLocation {
    /// The nearest town.
    pub city: Option<String>,
    /// Its state.
    pub state: Option<String>,
    /// The forecast office.
    pub office: Option<String>,
    /// IANA time zone name.
    pub time_zone: Option<String>,
    /// Public forecast zone.
    pub forecast_zone: Option<String>,
    /// County.
    pub county: Option<String>,
}

/// One period.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastPeriod {
    /// `Tonight`; empty for hours.
    pub name: String,
    /// When it begins, with the place's own offset.
    pub start_time: Option<String>,
    /// When it ends.
    pub end_time: Option<String>,
    /// In temperatureUnit.
    pub temperature: Option<f64>,
    /// F or C.
    pub temperature_unit: Option<String>,
    /// In words, for instance 10 to 15 mph.
    pub wind_speed: Option<String>,
    /// Where the wind comes from, for instance SW.
    pub wind_direction: Option<String>,
    /// A few words.
    pub short_forecast: Option<String>,
    /// Some sentences; missing for hours.
    pub detailed_forecast: Option<String>,
    /// Chance of precipitation, per cent.
    pub precip_chance_pct: Option<i64>,
    /// Dew point, degrees Celsius; missing for half days.
    pub dewpoint_c: Option<f64>,
    /// Relative humidity, per cent; missing for half days.
    pub relative_humidity_pct: Option<f64>,
}

/// What a cursor carries of the question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    hourly: bool,
    at: (f64, f64),
}

/// One page of the forecast for a point.
pub(super) async fn get(args: ForecastArgs, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let turn = Turn::<Question>::of(args.cursor.as_deref(), PAGE, PAGE)?;
    let carried = turn.query.as_ref();
    let hourly = carried.map_or(args.hourly, |carried| carried.hourly);
    let at = position(carried.map(|carried| carried.at), args.latitude, args.longitude)?;
    let (point, forecast) = asked.nws.forecast(at, hourly).await?;
    let mut notes = Vec::new();
    if forecast.periods.is_empty() {
        notes.push("The forecast has no periods at present.".to_owned());
    }
    let question = Question { hourly, at: (at.lat(), at.lon()) };
    let (shown, mut page) = turn.page(&forecast.periods, question, notes);
    if page.served.next_cursor.is_some() {
        let told =
            format!("{} of {} periods are shown; pass nextCursor as cursor for more.", page.shown, page.total_count);
        page.served.notice = Some(told);
    }
    let facts = ForecastFacts {
        location: location(&point),
        generated_at: forecast.generated.as_ref().map(|generated| generated.text.clone()),
        periods: shown.iter().map(period).collect(),
        mode: if hourly { "hourly" } else { "7-day" }.to_owned(),
        page,
    };
    let zone = zone_named(point.time_zone.as_deref());
    let text = markdown(&facts, &forecast, zone.as_ref());
    let words = in_words(&facts, zone.as_ref());
    Told::new(facts, text, words, Vec::new())
}

fn location(point: &GridPoint) -> ForecastLocation {
    let point = point.clone();
    ForecastLocation {
        city: point.city,
        state: point.state,
        office: point.office,
        time_zone: point.time_zone,
        forecast_zone: point.forecast_zone,
        county: point.county,
    }
}

fn period(period: &Period) -> ForecastPeriod {
    let text = |moment: &Option<Moment>| moment.as_ref().map(|moment| moment.text.clone());
    ForecastPeriod {
        name: period.name.clone(),
        start_time: text(&period.start),
        end_time: text(&period.end),
        temperature: period.temperature,
        temperature_unit: period.temperature_unit.map(TemperatureUnit::as_str).map(str::to_owned),
        wind_speed: period.wind_speed.clone(),
        wind_direction: period.wind_direction.clone(),
        short_forecast: period.short_forecast.clone(),
        detailed_forecast: period.detailed_forecast.clone(),
        precip_chance_pct: period.precip_chance_pct,
        dewpoint_c: period.dewpoint_c,
        relative_humidity_pct: period.relative_humidity_pct,
    }
}

fn town(location: &ForecastLocation) -> String {
    match (&location.city, &location.state) {
        (Some(city), Some(state)) => format!("{city}, {state}"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => "a place without a town".to_owned(),
    }
}

fn markdown(facts: &ForecastFacts, forecast: &Forecast, zone: Option<&TimeZone>) -> String {
    let location = &facts.location;
    let kind = if facts.mode == "hourly" { "Hourly" } else { "7-day" };
    let mut lines = vec![
        format!("# {kind} forecast near {}", town(location)),
        format!(
            "Office {} · forecast zone {} · county {} · time zone {}",
            or_dash(location.office.as_deref()),
            or_dash(location.forecast_zone.as_deref()),
            or_dash(location.county.as_deref()),
            or_dash(location.time_zone.as_deref())
        ),
    ];
    lines.extend(forecast.generated.as_ref().map(|made| format!("Made {}", local_time(made.at, zone))));
    for period in &facts.periods {
        lines.push(String::new());
        lines.push(heading(period, zone));
        lines.push(figures(period));
        let detailed = period.detailed_forecast.as_ref();
        lines.extend(detailed.or(period.short_forecast.as_ref()).cloned());
    }
    lines.push(String::new());
    lines.push(format!("mode: {}", facts.mode));
    lines.extend(facts.page.lines());
    lines.join("\n")
}

/// Hours have no names of their own.
fn heading(period: &ForecastPeriod, zone: Option<&TimeZone>) -> String {
    let (from, to) = (when(period.start_time.as_deref(), zone), when(period.end_time.as_deref(), zone));
    match period.name.as_str() {
        "" => format!("## {from}"),
        name => format!("## {name}: {from} to {to}"),
    }
}

fn figures(period: &ForecastPeriod) -> String {
    let mut parts = Vec::new();
    if let Some(value) = period.temperature {
        parts.push(forecast_temperature(value, or_dash(period.temperature_unit.as_deref())));
    }
    if let Some(speed) = &period.wind_speed {
        let from = period.wind_direction.as_ref().map(|from| format!("{from} ")).unwrap_or_default();
        parts.push(format!("wind {from}{speed}"));
    }
    parts.extend(period.precip_chance_pct.map(|chance| format!("precipitation {chance}%")));
    parts.extend(period.dewpoint_c.map(|dewpoint| format!("dew point {}", forecast_temperature(dewpoint, "C"))));
    parts.extend(period.relative_humidity_pct.map(|humidity| format!("humidity {humidity}%")));
    parts.extend(period.short_forecast.clone());
    if parts.is_empty() { "No figures.".to_owned() } else { parts.join(" · ") }
}

fn in_words(facts: &ForecastFacts, zone: Option<&TimeZone>) -> String {
    let near = town(&facts.location);
    let Some(first) = facts.periods.first() else {
        return format!("No periods of the forecast near {near} are shown.");
    };
    // Whatever page this is: "the next hour" would be the first one's alone.
    let what = match first.name.as_str() {
        "" => format!("The hour from {}", when(first.start_time.as_deref(), zone)),
        name => name.to_owned(),
    };
    format!("{what} near {near}: {}.", figures(first))
}
