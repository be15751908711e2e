//! Answers of the routine tools as tables.

use crate::cli::table::{self, Column};
use crate::nws_facts::region::predominant_zone;
use crate::nws_facts::{local_time, zone_named};
use crate::threat::DISCLAIMER;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

/// The answer of a tool for a person.
pub fn text(tool: &str, value: &Value) -> String {
    let mut lines = match tool {
        "nws_get_forecast" => forecast(value),
        "nws_search_alerts" => alerts(value),
        "nws_get_observations" => observation(value),
        "nws_get_observation_history" => history(value),
        "nws_find_stations" => stations(value),
        _ => discussion(value),
    };
    // How a program asks for the next page is said otherwise below.
    let notice = value["notice"].as_str().map(|notice| notice.split("; pass nextCursor").next().unwrap_or(notice));
    lines.extend(notice.map(clean));
    if let Some(cursor) = value["nextCursor"].as_str() {
        lines.push(format!("The next page: --cursor {cursor}"));
    }
    lines.extend(value["place"]["attribution"].as_str().map(str::to_owned));
    lines.push(DISCLAIMER.to_owned());
    lines.join("\n")
}

fn rows<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

/// Control characters from outside never reach the terminal.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}

/// An instant in the place's zone and in UTC.
fn when(value: &Value, zone: Option<&TimeZone>) -> Value {
    let at = value.as_str().and_then(|text| text.parse::<Timestamp>().ok());
    at.map_or(Value::Null, |at| json!(local_time(at, zone)))
}

/// A figure with its unit; null stays null.
fn unit(value: &Value, unit: &str) -> Value {
    if value.is_null() { Value::Null } else { json!(format!("{value}{unit}")) }
}

/// A figure of a forecast, whole where it is.
fn degrees(value: &Value, unit: &Value) -> Value {
    value.as_f64().map_or(Value::Null, |figure| json!(format!("{figure} {}", unit.as_str().unwrap_or_default())))
}

fn wind(row: &Value) -> Value {
    let speed = &row["windSpeedKmh"];
    if speed.is_null() {
        return Value::Null;
    }
    let from = row["windDirectionDeg"].as_f64().map(|deg| format!("{} ", crate::geo::compass(deg))).unwrap_or_default();
    let gust = row["windGustKmh"].as_i64().map(|gust| format!(" gusts {gust}")).unwrap_or_default();
    json!(format!("{from}{speed}{gust} km/h"))
}

fn forecast(value: &Value) -> Vec<String> {
    let location = &value["location"];
    let zone = zone_named(location["timeZone"].as_str());
    let word = |key: &str| table::cell(location.get(key));
    let told: Vec<Value> = rows(value, "periods")
        .map(|period| {
            json!({
                "name": period["name"].as_str().filter(|name| !name.is_empty()),
                "from": when(&period["startTime"], zone.as_ref()),
                "temperature": degrees(&period["temperature"], &period["temperatureUnit"]),
                "rain": unit(&period["precipChancePct"], " %"),
                "wind": format!("{} {}", table::cell(period.get("windDirection")), table::cell(period.get("windSpeed"))),
                "what": period["shortForecast"],
            })
        })
        .collect();
    let columns: [Column; 6] = [
        ("period", "/name"),
        ("from", "/from"),
        ("temperature", "/temperature"),
        ("rain", "/rain"),
        ("wind", "/wind"),
        ("what", "/what"),
    ];
    // Hours have no names.
    let columns = if value["mode"] == "hourly" { &columns[1..] } else { &columns[..] };
    vec![
        format!("{} forecast near {}, {}", word_of(&value["mode"]), word("city"), word("state")),
        format!("office {}, forecast zone {}, county {}", word("office"), word("forecastZone"), word("county")),
        table::lay_out(&told, columns, "no periods"),
    ]
}

fn word_of(value: &Value) -> String {
    table::cell(Some(value))
}

fn alerts(value: &Value) -> Vec<String> {
    let told: Vec<Value> = rows(value, "alerts")
        .map(|alert| {
            let zone = alert["affectedZones"][0]["code"].as_str().and_then(predominant_zone);
            let ends = when(&alert["ends"], zone.as_ref());
            json!({
                "event": alert["event"], "phase": alert["phase"].as_str().map(|phase| phase.replace('_', " ")),
                "severity": alert["severity"], "areas": alert["areaDesc"], "onset": when(&alert["onset"], zone.as_ref()),
                "ends": if ends.is_null() { json!("open-ended") } else { ends },
            })
        })
        .collect();
    let columns: [Column; 6] = [
        ("event", "/event"),
        ("phase", "/phase"),
        ("severity", "/severity"),
        ("areas", "/areas"),
        ("hazard onset", "/onset"),
        ("hazard ends", "/ends"),
    ];
    let (shown, total) = (word_of(&value["shown"]), word_of(&value["totalCount"]));
    vec![
        format!("active alerts, {}: {shown} of {total}", word_of(&value["appliedFilters"])),
        table::lay_out(&told, &columns, "none"),
    ]
}

fn measured(row: &Value, zone: Option<&TimeZone>) -> Value {
    json!({
        "when": when(&row["timestamp"], zone), "temperature": unit(&row["temperatureC"], " C"), "dewpoint": unit(&row["dewpointC"], " C"),
        "wind": wind(row), "pressure": row["barometricPressurePa"].as_i64().map(|pa| format!("{} hPa", pa as f64 / 100.0)),
        "visibility": unit(&row["visibilityM"], " m"), "humidity": unit(&row["relativeHumidityPct"], " %"), "sky": row["textDescription"],
    })
}

const MEASURES: [Column; 8] = [
    ("when", "/when"),
    ("temperature", "/temperature"),
    ("dew point", "/dewpoint"),
    ("wind", "/wind"),
    ("pressure", "/pressure"),
    ("visibility", "/visibility"),
    ("humidity", "/humidity"),
    ("sky", "/sky"),
];

fn observation(value: &Value) -> Vec<String> {
    let zone = zone_named(value["timeZone"].as_str());
    let told = [measured(value, zone.as_ref())];
    vec![format!("observed at {}", word_of(&value["station"])), table::lay_out(&told, &MEASURES, "nothing")]
}

fn history(value: &Value) -> Vec<String> {
    let zone = zone_named(value["timeZone"].as_str());
    let told: Vec<Value> = rows(value, "observations").map(|row| measured(row, zone.as_ref())).collect();
    let station = format!("observed at {} ({})", word_of(&value["stationId"]), word_of(&value["stationName"]));
    vec![station, table::lay_out(&told, &MEASURES, "no observations")]
}

fn stations(value: &Value) -> Vec<String> {
    let told: Vec<Value> = rows(value, "stations").cloned().collect();
    let columns: [Column; 7] = [
        ("station", "/stationId"),
        ("name", "/name"),
        ("km", "/distanceKm"),
        ("direction", "/bearing"),
        ("elevation m", "/elevationM"),
        ("county", "/county"),
        ("zone", "/forecastZone"),
    ];
    let (shown, total) = (word_of(&value["shown"]), word_of(&value["totalCount"]));
    vec![
        format!("stations, nearest first: {shown} of {total}"),
        table::lay_out(&told, &columns, "none are listed here"),
    ]
}

fn discussion(value: &Value) -> Vec<String> {
    let word = |key: &str| table::cell(value.get(key));
    vec![
        format!(
            "{} of {}, issued {}",
            word("productName"),
            word("issuingOffice"),
            word_of(&when(&value["issuanceTime"], None))
        ),
        clean(value["productText"].as_str().unwrap_or_default().trim()),
    ]
}
