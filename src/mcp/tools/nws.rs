//! The routine tools: forecasts, alerts, observations, stations, texts of offices. Their names, arguments, field names and
//! reasons are those that prompts for such tools have known for years; what is stormbell's own is added to them.
//!
//! Every answer is given twice, as structured content and as Markdown: both are made of the same bounded, rounded facts.
//! Boundaries: ✓ arguments, forms of answers, their words. ✗ which requests are made and what their failing means (see
//! `desk::enquiries`).

mod alerts;
mod args;
mod forecast;
mod named;
mod observations;
mod paging;
mod reading;
mod reply;
mod stations;
mod texts;
mod words;

pub use reply::Told;

use super::{Effect, described};
use crate::desk::Desk;
use crate::desk::enquiries::{Code, Enquiries, Refusal};
use crate::geo::LatLon;
use crate::mcp::door::Door;
use crate::nws_facts::page::BadCursor;
use crate::threat::picture::Picture;
use args::{
    AlertArgs, DiscussionArgs, ForecastArgs, HistoryArgs, NoArgs, ObservationArgs, StationArgs, ZoneForecastArgs,
};
use rmcp::model::{CallToolResult, JsonObject, Tool};
use schemars::JsonSchema;
use serde_json::Value;
use std::sync::{Arc, LazyLock};

/// The resource that lists the types of alerts.
pub const ALERT_TYPES_URI: &str = "nws://alert-types";
/// How long a reader may keep it: types are added a few times a year.
pub const ALERT_TYPES_TTL_MS: u64 = 3_600_000;

/// What the tools are asked with.
pub struct Asked<'a> {
    /// Puts the questions.
    pub nws: &'a Enquiries,
    /// What the polls have seen, where there are polls.
    pub seen: Option<&'a Picture>,
}

/// The routine tools, in the order in which they are listed.
pub static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    vec![
        tool::<ForecastArgs, forecast::ForecastFacts>(
            "nws_get_forecast",
            "Forecast for a point",
            "The National Weather Service's forecast for a point in the United States: seven days in half days, or (hourly) \
             some 156 hours, 48 to a page. Temperatures in the unit told beside them, chances of precipitation, wind in words. \
             It also tells the office, forecast zone, county and time zone of the point. Example: {\"latitude\": 47.603, \
             \"longitude\": -122.33}.",
        ),
        tool::<AlertArgs, alerts::AlertList>(
            "nws_search_alerts",
            "Search active alerts",
            "Active watches, warnings, advisories and statements of the National Weather Service, nationwide or for one state \
             or water (area), point, zone or marine region, by parts of event names, severity, urgency and certainty. `ends` \
             is the end of the hazard, `expires` only that of the message; `phase` tells what is in effect and what is \
             upcoming. What is over is left out. Example: {\"area\": \"OK\", \"event\": [\"tornado\"]}.",
        ),
        tool::<NoArgs, alerts::AlertCountFacts>(
            "nws_get_alert_counts",
            "How many alerts are active",
            "Numbers of active alerts in the nation, on land and on water, by state and by marine region. Tests and exercises \
             are counted too, and an alert for two states counts in both. In regions AL is Alaska's waters, in areas Alabama.",
        ),
        tool::<ObservationArgs, observations::ObservationFacts>(
            "nws_get_observations",
            "Weather now at a station",
            "The newest observation of a station, or of the one nearest to a point: temperature, dew point, wind, pressure, \
             visibility, humidity, clouds, in metric units. What was not measured is null. Example: {\"station_id\": \
             \"KICT\"} or {\"latitude\": 37.74, \"longitude\": -98.21}.",
        ),
        tool::<HistoryArgs, observations::HistoryFacts>(
            "nws_get_observation_history",
            "What a station measured in the last days",
            "Observations of a station, newest first, over up to about seven days: start is in, end is out. Where \
             `nextCursor` is present, pass it as cursor for older ones. Example: {\"station_id\": \"KICT\", \"start\": \
             \"2031-05-09T12:00:00-05:00\"}.",
        ),
        tool::<StationArgs, stations::StationList>(
            "nws_find_stations",
            "Stations around a point",
            "Observing stations around a point, nearest first, with distance (km) and direction from the point, elevation, \
             time zone and zones. Example: {\"latitude\": 37.74, \"longitude\": -98.21, \"limit\": 5}.",
        ),
        tool::<NoArgs, alerts::AlertTypeFacts>(
            "nws_list_alert_types",
            "Types of alerts",
            "The names of all types of alerts that the National Weather Service issues, sorted: what `event` of \
             nws_search_alerts can match. The same list is the resource nws://alert-types.",
        ),
        tool::<DiscussionArgs, texts::DiscussionFacts>(
            "nws_get_office_discussion",
            "What a forecast office writes",
            "The newest text of a forecast office: the Area Forecast Discussion (AFD), in which forecasters reason, the \
             Hazardous Weather Outlook (HWO), the Zone Forecast Product (ZFP) or a Special Weather Statement (SPS). \
             nws_get_forecast tells the office of a point. Example: {\"office\": \"ICT\"}.",
        ),
        tool::<ZoneForecastArgs, texts::ZoneForecastFacts>(
            "nws_get_zone_forecast",
            "Forecast in words for a zone",
            "The forecast in words for a public forecast zone. nws_get_forecast tells the zone of a point, alerts name the \
             zones that they are for. Example: {\"zone_id\": \"KSZ083\"}.",
        ),
    ]
});

fn tool<Args: JsonSchema, Facts: JsonSchema>(name: &'static str, title: &'static str, about: &'static str) -> Tool {
    let mut input = crate::mcp::envelope::input_schema::<Args>();
    named::offer(&mut input);
    described(name, title, about, Effect::Reads, input, reply::schema::<Facts>())
}

/// Whether a tool is one of these.
pub fn is_one(name: &str) -> bool {
    TOOLS.iter().any(|tool| tool.name == name)
}

/// Calls a routine tool for a client.
pub async fn call(door: &Door, name: &str, given: Option<JsonObject>) -> CallToolResult {
    match ask(&*door.desk, name, given).await {
        Ok(told) => told.into_result(),
        Err(refusal) => reply::refused(&refusal),
    }
}

/// What the resource of alert types holds: the answer of nws_list_alert_types.
///
/// # Errors
/// As the tool.
pub async fn alert_types(door: &Door) -> Result<Value, Refusal> {
    ask(&*door.desk, "nws_list_alert_types", None).await.map(|told| told.value)
}

/// Asks a service, which answers out of its memory where it can.
///
/// # Errors
/// A refusal with its reason.
pub async fn ask(desk: &dyn Desk, name: &str, given: Option<JsonObject>) -> Result<Told, Refusal> {
    let seen = desk.seen();
    match desk.nws() {
        Some(nws) => answer(name, given, &Asked { nws: &nws, seen: seen.as_deref() }).await,
        None => Err(Refusal::plain(
            Code::ServiceUnavailable,
            "No service runs here that could ask the National Weather Service.",
            "Start stormbell serve, or stormbell mcp.",
        )),
    }
}

/// Answers by a tool's name.
///
/// # Errors
/// A refusal with its reason.
pub async fn answer(name: &str, given: Option<JsonObject>, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let schema = TOOLS.iter().find(|tool| tool.name == name).map(|tool| Arc::clone(&tool.input_schema));
    let schema = schema.unwrap_or_default();
    let mut given = reading::regular(given, &schema)?;
    let place = named::located(&mut given, &schema)?;
    let told = match name {
        "nws_get_forecast" => forecast::get(reading::read(given, &schema)?, asked).await,
        "nws_search_alerts" => alerts::search(reading::read(given, &schema)?, asked).await,
        "nws_get_alert_counts" => {
            reading::read::<NoArgs>(given, &schema)?;
            alerts::counts(asked).await
        }
        "nws_get_observations" => observations::get(reading::read(given, &schema)?, asked).await,
        "nws_get_observation_history" => observations::history(reading::read(given, &schema)?, asked).await,
        "nws_find_stations" => stations::find(reading::read(given, &schema)?, asked).await,
        "nws_list_alert_types" => {
            reading::read::<NoArgs>(given, &schema)?;
            alerts::types(asked).await
        }
        "nws_get_office_discussion" => texts::discussion(reading::read(given, &schema)?, asked).await,
        "nws_get_zone_forecast" => texts::zone_forecast(reading::read(given, &schema)?, asked).await,
        other => Err(reading::invalid(format!("There is no tool {other:?}."), "See the list of tools.".to_owned())),
    }?;
    Ok(match place {
        Some(place) => told.about(&place),
        None => told,
    })
}

/// The place of two arguments, anywhere on earth: the API says where it does not go.
fn place(latitude: f64, longitude: f64) -> Result<LatLon, Refusal> {
    LatLon::new(latitude, longitude).map_err(|_| {
        reading::invalid(
            format!("latitude {latitude}, longitude {longitude} is no position: -90 to 90 and -180 to 180 are due."),
            "Give decimal degrees; western longitudes are negative.".to_owned(),
        )
    })
}

/// The place of a question: that of its cursor, else that of its arguments.
fn position(carried: Option<(f64, f64)>, latitude: Option<f64>, longitude: Option<f64>) -> Result<LatLon, Refusal> {
    if let Some((latitude, longitude)) = carried {
        let none = || reading::bad_cursor(&BadCursor("its point is none".to_owned()));
        return LatLon::new(latitude, longitude).map_err(|_| none());
    }
    let Some((latitude, longitude)) = latitude.zip(longitude) else {
        return Err(reading::invalid(
            "No whole point is given.".to_owned(),
            "Give latitude and longitude, or place, for instance \"Norman, OK\".".to_owned(),
        ));
    };
    place(latitude, longitude)
}
