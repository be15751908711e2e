//! Stations around Larkfield and what they measured.

use super::{Day, api, minutes, problem, utc};
use serde_json::{Value, json};

/// Stations around Larkfield.
const STATIONS: i64 = 60;
/// Rows of the station's history.
const ROWS: i64 = 101;

fn station(number: i64) -> Value {
    let id = match number {
        0 => "KXKS".to_owned(),
        1 => "KXKT".to_owned(),
        2 => "KXKU".to_owned(),
        number => format!("XK{number:03}"),
    };
    // A spiral around Larkfield: a kilometre or so further out each time.
    let (north, east) = ((number as f64).sin() * 0.01, (number as f64).cos() * 0.01);
    let out = 1.0 + number as f64;
    let lat = ((37.74 + north * out) * 1e4).round() / 1e4;
    let lon = ((-98.21 + east * out) * 1e4).round() / 1e4;
    json!({"id": api(&format!("/stations/{id}")), "type": "Feature", "geometry": {"type": "Point", "coordinates": [lon, lat]},
        "properties": {"@type": "wx:ObservationStation", "stationIdentifier": id, "name": format!("Invented Station {number}"),
            "elevation": {"unitCode": "wmoUnit:m", "value": 399.6 + number as f64}, "timeZone": "America/Chicago",
            "forecast": api("/zones/forecast/KSZ197"), "county": api("/zones/county/KSC297"), "fireWeatherZone": api("/zones/fire/KSZ997")}})
}

pub(super) fn stations(day: &mut Day) {
    // The nearest comes last.
    let list: Vec<Value> = (0..STATIONS).rev().map(station).collect();
    let body = json!({"type": "FeatureCollection", "features": list, "observationStations": [],
        "pagination": {"next": api("/stations?cursor=invented")}});
    day.answer("/gridpoints/XKS/40,60/stations", &[], "stations/sixty.json", &body);
    for number in 0..3 {
        let station = station(number);
        let id = station["properties"]["stationIdentifier"].as_str().expect("an id").to_owned();
        day.answer(&format!("/stations/{id}"), &[], &format!("stations/{id}.json"), &station);
    }
    day.answer("/stations/KXKS/observations/latest", &[], "observations/latest.json", &row(0));
}

pub(super) fn odd_stations(day: &mut Day) {
    // A station that is silent, one that measured little and long ago, one that does not exist and yet has observations.
    let none = problem("NotFound", 404, "Not Found");
    day.refuse("/stations/KXKT/observations/latest", &[], 404, "problems/not_found.json", &none);
    let mut old = row(60);
    for key in ["dewpoint", "barometricPressure", "visibility", "relativeHumidity", "windSpeed"] {
        old["properties"][key] = json!({"unitCode": "wmoUnit:m", "value": null});
    }
    day.answer("/stations/KXKU/observations/latest", &[], "observations/old.json", &old);
    day.refuse("/stations/XNONE", &[], 404, "problems/not_found.json", &none);
    day.answer("/stations/XNONE/observations/latest", &[], "observations/latest.json", &row(0));
    let unstated = json!({"type": "Feature", "properties": {"timestamp": null, "temperature": {"value": 20}}});
    day.answer("/stations/XTIME", &[], "stations/KXKS.json", &station(0));
    day.answer("/stations/XTIME/observations/latest", &[], "observations/no_time.json", &unstated);
    // Its own page fails; what it measures comes.
    day.fault(0, "/stations/XPAGE", "status:503");
    day.answer("/stations/XPAGE/observations/latest", &[], "observations/latest.json", &row(0));
}

/// Every five minutes, newest first.
fn row(number: i64) -> Value {
    let at = minutes(-5 - 5 * number);
    let figure =
        |unit: &str, value: f64| json!({"unitCode": format!("wmoUnit:{unit}"), "value": value, "qualityControl": "V"});
    json!({"id": api(&format!("/stations/KXKS/observations/{}", utc(at))), "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [-98.2, 37.74]},
        "properties": {"@type": "wx:ObservationStation", "station": api("/stations/KXKS"), "stationId": "KXKS",
            "timestamp": utc(at), "rawMessage": "", "textDescription": if number == 1 { "" } else { "Mostly Cloudy" },
            "temperature": figure("degC", 26.7 - number as f64 / 10.0), "dewpoint": figure("degC", 18.3),
            "windDirection": figure("degree_(angle)", 190.0), "windSpeed": figure("km_h-1", 18.504),
            "windGust": if number == 0 { figure("km_h-1", 40.7) } else { json!({"unitCode": "wmoUnit:km_h-1", "value": null}) },
            "barometricPressure": figure("Pa", 100_440.0 - number as f64), "visibility": figure("m", 16_090.0),
            "relativeHumidity": figure("percent", 60.297_979), "heatIndex": {"unitCode": "wmoUnit:degC", "value": null},
            "windChill": {"unitCode": "wmoUnit:degC", "value": null},
            "cloudLayers": [{"base": {"unitCode": "wmoUnit:m", "value": 1_370}, "amount": "BKN"}]}})
}

/// The pages in which the history is turned, as the API cuts them: newest first, end exclusive, one row more than is shown.
pub(super) fn history(day: &mut Day, page: i64) {
    let limit = (page + 1).to_string();
    for from in (0..ROWS).step_by(page as usize) {
        let name = format!("observations/{page}_from_{from}.json");
        let end = stamp(from - 1);
        let query = [("limit", limit.as_str()), ("end", end.as_str())];
        let rows = rows(from..(from + page + 1).min(ROWS));
        day.answer(OBSERVATIONS, if from == 0 { &query[..1] } else { &query }, &name, &rows);
    }
}

const OBSERVATIONS: &str = "/stations/KXKS/observations";

fn rows(rows: std::ops::Range<i64>) -> Value {
    json!({"type": "FeatureCollection", "features": rows.map(row).collect::<Vec<_>>(),
        "pagination": {"next": api("/stations/KXKS/observations?cursor=invented")}})
}

/// The time of a row as it stands in a query.
fn stamp(number: i64) -> String {
    minutes(-5 - 5 * number).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

pub(super) fn odd_histories(day: &mut Day) {
    // A window that holds ten rows and is asked for ten: nothing is left.
    let start = stamp(9);
    day.answer(OBSERVATIONS, &[("limit", "11"), ("start", &start)], "observations/ten.json", &rows(0..10));
    // In no order, with a row twice and one beyond the window: an API that takes the end for inclusive.
    let end = stamp(4);
    let mut odd: Vec<Value> = [7, 5, 6, 5, 4].map(row).to_vec();
    odd.push(json!({"type": "Feature", "properties": {"timestamp": null}}));
    let odd = json!({"type": "FeatureCollection", "features": odd});
    day.answer(OBSERVATIONS, &[("limit", "6"), ("end", &end)], "observations/odd.json", &odd);
    // The row that would have told of older ones is a repeat.
    let twice: Vec<Value> = [21, 22, 22, 23].map(row).to_vec();
    let twice = json!({"type": "FeatureCollection", "features": twice});
    let end = stamp(20);
    day.answer(OBSERVATIONS, &[("limit", "4"), ("end", &end)], "observations/twice.json", &twice);
    let none = json!({"type": "FeatureCollection", "features": []});
    day.answer("/stations/KXKT/observations", &[], "observations/none.json", &none);
}
