//! `stormbell nws`: routine facts of the National Weather Service as tables; with `--json` the answers of the MCP tools.
//!
//! Boundaries: ✓ words in, tables out. ✗ no questions of its own: `mcp::tools::nws` answers, `desk::enquiries` asks.

use crate::app::{self, Setup};
use crate::cli::answers::Ask;
use crate::cli::args::{AlertFilters, DiscussionQuestion, NwsArgs, NwsQuestion, ObservationQuestion, UsPointArgs};
use crate::cli::fail::Failure;
use crate::cli::local;
use crate::cli::print;
use crate::desk::enquiries::{Code, Refusal, reason};
use crate::geo::LatLon;
use crate::ground::gazetteer::resolve_anywhere;
use crate::mcp::tools::nws::{Asked, answer};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

mod tables;

/// Asks and prints. Where a service runs over this data directory it answers, out of its memory where it can and through its
/// one way to the API; else this process asks the API itself.
///
/// # Errors
/// The refusal of the question, with its reason as kind.
pub fn run(setup: &Setup, args: NwsArgs, json: bool) -> Result<(), Failure> {
    let recorded = args.archive.zip(args.at);
    let (tool, given) = match args.question {
        NwsQuestion::Forecast(asked) => {
            ("nws_get_forecast", with(point(&asked.point), json!({"cursor": asked.cursor})))
        }
        NwsQuestion::Hourly(asked) => {
            ("nws_get_forecast", with(point(&asked.point), json!({"hourly": true, "cursor": asked.cursor})))
        }
        NwsQuestion::Alerts(filters) => ("nws_search_alerts", alerts(filters)),
        NwsQuestion::Observations(asked) => observations(asked)?,
        NwsQuestion::Stations(asked) => {
            let paged = json!({"limit": asked.limit, "cursor": asked.cursor});
            ("nws_find_stations", with(point(&asked.point), paged))
        }
        NwsQuestion::Discussion(asked) => {
            let office = office(setup, recorded.clone(), &asked)?;
            ("nws_get_office_discussion", json!({"office": office, "product_type": asked.product}))
        }
    };
    let given = given.as_object().cloned().unwrap_or_default();
    let of_service = if recorded.is_none() { of_service(setup, tool, &given)? } else { None };
    let value = match of_service {
        Some(value) => value,
        None => {
            let asking = app::asking(setup, recorded)?;
            let asked = Asked { nws: &asking.nws, seen: None };
            asking.wait_for(answer(tool, Some(given), &asked)).map_err(Failure::from)?.value
        }
    };
    if json {
        print::document(&value);
    } else {
        print::line(&tables::text(tool, &value));
    }
    Ok(())
}

/// The answer of the service that runs over this data directory; `None` where none does, or it is one that does not know this
/// question yet.
fn of_service(setup: &Setup, tool: &str, given: &Map<String, Value>) -> Result<Option<Value>, Failure> {
    let ask = Ask::Nws { tool: tool.to_owned(), arguments: given.clone() };
    let Ok(mut answer) = local::ask(&app::data_dir(setup)?, None, &ask) else { return Ok(None) };
    if let Some(refusal) = answer.get("refusal") {
        return Err(refused(refusal));
    }
    Ok(answer.get_mut("nws").map(Value::take))
}

/// A refusal as it goes over the socket.
pub fn refusal_json(refusal: &Refusal) -> Value {
    let is_usage = refusal.code == Code::InvalidParams;
    json!({"kind": refusal.kind(), "message": refusal.message, "hint": refusal.hint, "usage": is_usage})
}

fn refused(refusal: &Value) -> Failure {
    let text = |key: &str| refusal.get(key).and_then(Value::as_str).unwrap_or_default();
    let kind = Refusal::kind_named(text("kind")).unwrap_or("failed");
    let failure = Failure::new(kind, text("message"), text("hint"));
    Failure { exit: if refusal["usage"] == true { 2 } else { failure.exit }, ..failure }
}

/// The point as the tools take it.
fn point(point: &UsPointArgs) -> Value {
    let named = point.place.as_ref().map(|place| ("place".to_owned(), json!(place)));
    let figures = point.lat.zip(point.lon).map(|(lat, lon)| [("latitude", json!(lat)), ("longitude", json!(lon))]);
    let figures = figures.into_iter().flatten().map(|(name, value)| (name.to_owned(), value));
    Value::Object(named.into_iter().chain(figures).collect::<Map<_, _>>())
}

fn with(mut arguments: Value, more: Value) -> Value {
    if let (Some(arguments), Value::Object(more)) = (arguments.as_object_mut(), more) {
        arguments.extend(more);
    }
    arguments
}

fn alerts(filters: AlertFilters) -> Value {
    let here = filters.point.lat.zip(filters.point.lon).map(|(lat, lon)| format!("{lat},{lon}"));
    json!({
        "place": filters.point.place, "point": here, "area": filters.area, "zone": filters.zone, "region": filters.region,
        "region_type": filters.region_type,
        "event": filters.event, "severity": filters.severity, "urgency": filters.urgency, "certainty": filters.certainty,
        "status": filters.status, "limit": filters.limit, "cursor": filters.cursor,
    })
}

fn observations(asked: ObservationQuestion) -> Result<(&'static str, Value), Failure> {
    match (asked.station, asked.history) {
        (Some(station), true) => Ok((
            "nws_get_observation_history",
            json!({"station_id": station, "start": asked.start, "end": asked.end, "limit": asked.limit, "cursor": asked.cursor}),
        )),
        (Some(station), false) => Ok(("nws_get_observations", json!({"station_id": station}))),
        (None, _) => Ok(("nws_get_observations", point(&asked.point))),
    }
}

/// The office that was named, or the one in charge of the point.
fn office(
    setup: &Setup,
    recorded: Option<(PathBuf, Timestamp)>,
    asked: &DiscussionQuestion,
) -> Result<String, Failure> {
    if let Some(office) = &asked.office {
        return Ok(office.clone());
    }
    let at = match (&asked.point.place, asked.point.lat.zip(asked.point.lon)) {
        (Some(place), _) => resolve_anywhere(place)?.at,
        (None, Some((lat, lon))) => LatLon::new(lat, lon)?,
        (None, None) => {
            return Err(Failure::usage("LAT and LON, --place or --office are needed", "for instance --office ICT"));
        }
    };
    let asking = app::asking(setup, recorded)?;
    let point = asking.wait_for(asking.nws.grid_point(at)).map_err(Failure::from)?;
    point
        .office
        .clone()
        .ok_or_else(|| Failure::new(reason::OUT_OF_SCOPE, "the API names no office for this point", "give --office"))
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        refused(&refusal_json(&refusal))
    }
}
