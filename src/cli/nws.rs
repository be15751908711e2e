//! `stormbell nws`: routine facts of the National Weather Service as tables; with `--json` the answers of the MCP tools.
//!
//! Boundaries: ✓ words in, tables out. ✗ no questions of its own: `mcp::tools::nws` answers, `desk::enquiries` asks.

use crate::app::{self, Setup};
use crate::cli::args::{AlertFilters, DiscussionQuestion, NwsArgs, NwsQuestion, ObservationQuestion, PointArgs};
use crate::cli::fail::Failure;
use crate::cli::print;
use crate::desk::enquiries::{Code, Refusal, reason};
use crate::geo::LatLon;
use crate::ground::gazetteer::resolve_anywhere;
use crate::mcp::tools::nws::{Asked, answer};
use serde_json::{Map, Value, json};

mod tables;

/// Asks and prints.
///
/// # Errors
/// The refusal of the question, with its reason as kind.
pub fn run(setup: &Setup, args: NwsArgs, json: bool) -> Result<(), Failure> {
    let asking = app::asking(setup, args.archive.zip(args.at))?;
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
            let office = office(&asking, &asked)?;
            ("nws_get_office_discussion", json!({"office": office, "product_type": asked.product}))
        }
    };
    let asked = Asked { nws: &asking.nws, seen: None };
    let told = asking.wait_for(answer(tool, given.as_object().cloned(), &asked)).map_err(Failure::from)?;
    if json {
        print::document(&told.value);
    } else {
        print::line(&tables::text(tool, &told.value));
    }
    Ok(())
}

/// The point as the tools take it.
fn point(point: &PointArgs) -> Value {
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
fn office(asking: &app::Asking, asked: &DiscussionQuestion) -> Result<String, Failure> {
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
    let point = asking.wait_for(asking.nws.grid_point(at)).map_err(Failure::from)?;
    point
        .office
        .clone()
        .ok_or_else(|| Failure::new(reason::OUT_OF_SCOPE, "the API names no office for this point", "give --office"))
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let kind = refusal.reason.unwrap_or(refusal.code.as_str());
        if refusal.code == Code::InvalidParams {
            return Self { kind, ..Self::usage(refusal.message, refusal.hint) };
        }
        Self::new(kind, refusal.message, refusal.hint)
    }
}
