//! Everything that was recorded of api.weather.gov is read, and a national search answers out of the recordings.

use crate::shared;
use serde_json::Value;
use std::path::PathBuf;
use stormbell::decode::nws_api;
use stormbell::geo::LatLon;
use stormbell::nws_facts::alerts::Filters;
use stormbell::nws_facts::station::around;

fn recorded(folder: &str) -> Vec<(String, Vec<u8>)> {
    let Some(folder) = shared::path(&format!("data/recorded/{folder}")) else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
        .into_iter()
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap()))
        .collect()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

/// Times of the recordings made absolute: `date:now -312 seconds` and the like stand in test data of weather.gov.
fn untemplated(bytes: &[u8]) -> Vec<u8> {
    super::foreign::at_time(&String::from_utf8_lossy(bytes), super::foreign::NOW).into_bytes()
}

#[test]
fn points_tell_their_grid_and_zones() {
    for (name, bytes) in recorded("nws-alerts/api-points") {
        let point = nws_api::grid_point(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let raw = &json(&bytes)["properties"];
        let tail = |key: &str| raw[key].as_str().and_then(|url| url.rsplit('/').next()).map(str::to_owned);
        assert_eq!((point.forecast_zone, point.fire_zone), (tail("forecastZone"), tail("fireWeatherZone")), "{name}");
        assert_eq!(point.time_zone.as_deref(), raw["timeZone"].as_str(), "{name}");
        assert_eq!(point.city.as_deref(), raw["relativeLocation"]["properties"]["city"].as_str(), "{name}");
        assert_eq!(point.forecast_url.as_deref(), raw["forecast"].as_str(), "{name}");
    }
}

#[test]
fn forecasts_and_stations_are_read_whole() {
    for (name, bytes) in recorded("nws-alerts/api-gridpoints") {
        if name.ends_with("forecast.json") || name.ends_with("forecast_hourly.json") {
            let read = nws_api::forecast(&untemplated(&bytes)).unwrap_or_else(|error| panic!("{name}: {error}"));
            let raw = json(&bytes);
            let periods = raw["properties"]["periods"].as_array().unwrap();
            assert_eq!(read.facts.periods.len(), periods.len(), "{name}");
            for (period, raw) in read.facts.periods.iter().zip(periods) {
                assert_eq!(period.temperature, raw["temperature"].as_f64(), "{name}");
                assert_eq!(period.short_forecast.as_deref(), raw["shortForecast"].as_str(), "{name}");
                assert_eq!(period.precip_chance_pct, raw["probabilityOfPrecipitation"]["value"].as_i64(), "{name}");
                assert!(period.start.is_some() && period.end.is_some(), "{name}: {raw}");
            }
            assert!(read.faults.is_empty(), "{name}: {:?}", read.faults);
        } else if name.contains("stations") {
            let read = nws_api::stations(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            let raw = json(&bytes)["features"].as_array().unwrap().len();
            assert_eq!((read.facts.len(), read.faults.len()), (raw, 0), "{name}");
        }
    }
    let Some((_, bytes)) =
        recorded("nws-alerts/api-gridpoints").into_iter().find(|(name, _)| name.contains("ALY_71,67_stations"))
    else {
        return;
    };
    let (sighted, _) = around(LatLon::new(42.745, -73.752).unwrap(), nws_api::stations(&bytes).unwrap().facts);
    // Reckoned from the file by the haversine formula, elsewhere.
    let nearest: Vec<_> = sighted.iter().take(3).map(|one| (one.station.id.as_str(), one.distance_km)).collect();
    assert_eq!(nearest, [("KALB", 3.9), ("KDDH", 44.3), ("KAQW", 47.9)]);
}

#[test]
fn observations_of_every_age_and_form_are_read() {
    let mut read = 0;
    for (name, bytes) in recorded("nws-alerts/api-stations").into_iter().chain(recorded("nws-alerts")) {
        if !name.contains("observations") {
            continue;
        }
        let bytes = untemplated(&bytes);
        let raw = json(&bytes);
        if raw["type"] == "Feature" {
            let told = nws_api::latest(&bytes).unwrap_or_else(|error| panic!("{name}: {error}")).facts;
            assert!(told.observed.is_some() && told.figures.temperature_c.is_some(), "{name}");
            continue;
        }
        let told = nws_api::observations(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let features = raw["features"].as_array().cloned().unwrap_or_default();
        assert_eq!(told.facts.len(), features.len(), "{name}: {:?}", told.faults);
        for (one, raw) in told.facts.iter().zip(&features) {
            let figure = |key: &str| {
                let value = &raw["properties"][key]["value"];
                value.as_f64().or_else(|| value.as_str().and_then(|text| text.parse().ok()))
            };
            let celsius = |key: &str| match raw["properties"][key]["unitCode"].as_str() {
                Some(code) if code.ends_with("degF") => figure(key).map(|f| (f - 32.0) / 1.8),
                _ => figure(key),
            };
            let kmh = |key: &str| match raw["properties"][key]["unitCode"].as_str() {
                Some(code) if code.ends_with("m_s-1") => figure(key).map(|ms| ms * 3.6),
                _ => figure(key),
            };
            let whole = |value: Option<f64>| value.map(|value| value.round() as i64);
            assert_eq!(one.figures.temperature_c, whole(celsius("temperature")), "{name}");
            assert_eq!(one.figures.wind_speed_kmh, whole(kmh("windSpeed")), "{name}");
            assert_eq!(one.figures.barometric_pressure_pa, whole(figure("barometricPressure")), "{name}");
            read += 1;
        }
    }
    assert!(read > 20 || shared::path("data/recorded").is_none(), "{read}");
}

#[test]
fn texts_of_offices_are_read_whole() {
    for (name, bytes) in recorded("nws-products/api-products") {
        let product = nws_api::product(&bytes).unwrap_or_else(|error| panic!("{name}: {error}")).facts;
        let raw = json(&bytes);
        assert_eq!(
            (product.text.as_str(), product.code.as_deref()),
            (raw["productText"].as_str().unwrap(), Some("AFD")),
            "{name}"
        );
        assert!(product.issued.is_some(), "{name}");
    }
    let Some((_, list)) = recorded("nws-products").into_iter().find(|(name, _)| name == "api_product-list-tor.json")
    else {
        return;
    };
    let read = nws_api::products(&list).unwrap().facts;
    let raw = json(&list);
    assert_eq!(read.len(), raw["@graph"].as_array().unwrap().len());
}

/// Whether one feature without VTEC says later what another says, of the same place and by the same office.
fn same_words_later(feature: &Value, other: &Value) -> bool {
    let (a, b) = (&feature["properties"], &other["properties"]);
    let sent = |p: &Value| p["sent"].as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    let is_untracked = |p: &Value| p["parameters"]["VTEC"].is_null();
    let refers_to_none = b["references"].as_array().is_none_or(Vec::is_empty);
    is_untracked(a)
        && is_untracked(b)
        && refers_to_none
        && ["senderName", "event", "description", "status"].iter().all(|key| a[key] == b[key])
        && a["geocode"]["UGC"] == b["geocode"]["UGC"]
        && feature["geometry"] == other["geometry"]
        && sent(b) > sent(a)
}

/// The national collections: the search tells what a plain count of the file tells.
#[test]
fn national_collections_are_searched_as_a_plain_count_says() {
    for (name, bytes) in recorded("nws-alerts")
        .into_iter()
        .filter(|(name, _)| name.starts_with("active_") && name.ends_with("reconstructed.json"))
    {
        let raw = json(&bytes);
        let features = raw["features"].as_array().unwrap();
        let (_, rows) = nws_api::national(&bytes).unwrap();
        let now = rows.updated_utc.unwrap();
        let mut ids: Vec<&str> = features.iter().map(|f| f["properties"]["id"].as_str().unwrap()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!((rows.rows.len(), rows.unread), (ids.len(), 0), "{name}: each id once");
        let all = rows.search(&Filters::default().check().unwrap(), None, now);
        assert_eq!(all.rows.len() + all.over, ids.len(), "{name}");
        // Of these recordings only what says so itself is over (urgency Past, or an end that has passed), and what was issued
        // again in the same words without a word of the former (N43).
        let over = |f: &&Value| {
            let end = f["properties"]["ends"].as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
            f["properties"]["urgency"] == "Past" || end.is_some_and(|end| end <= now)
        };
        let is_issued_anew = |f: &&Value| features.iter().any(|other| same_words_later(f, other));
        let plain: std::collections::BTreeSet<&str> = features
            .iter()
            .filter(|f| over(f) || is_issued_anew(f))
            .map(|f| f["properties"]["id"].as_str().unwrap())
            .collect();
        println!("{name}: {} alerts, {} over, {} of them by their own words", ids.len(), all.over, plain.len());
        assert!(
            all.over >= plain.len() && all.over <= plain.len() + 3,
            "{name}: {} over, plainly {}",
            all.over,
            plain.len()
        );
        for (filters, fits) in [
            (
                Filters { severity: vec!["Severe".into()], ..Filters::default() },
                &(|p: &Value| p["severity"] == "Severe") as &dyn Fn(&Value) -> bool,
            ),
            (Filters { event: vec!["flood".into()], ..Filters::default() }, &|p| {
                p["event"].as_str().unwrap().to_lowercase().contains("flood")
            }),
            (Filters { area: Some("CA".into()), ..Filters::default() }, &|p| {
                p["geocode"]["UGC"].as_array().unwrap().iter().any(|code| code.as_str().unwrap().starts_with("CA"))
            }),
        ] {
            let found = rows.search(&filters.check().unwrap(), None, now);
            let plain: std::collections::BTreeSet<&str> = features
                .iter()
                .map(|f| &f["properties"])
                .filter(|p| fits(p))
                .map(|p| p["id"].as_str().unwrap())
                .collect();
            assert_eq!(found.rows.len() + found.over, plain.len(), "{name} {filters:?}");
        }
        // Field report N26: products without a polygon are found by any of their zones.
        let row = rows
            .rows
            .iter()
            .find(|row| row.warning.area.is_none() && !row.zones.is_empty() && row.phase(now).is_some())
            .unwrap();
        let zone = row.zones[0].code.clone();
        let point = Filters { point: Some("0,0".into()), ..Filters::default() }.check().unwrap();
        let found = rows.search(&point, Some(&[zone]), now);
        assert!(found.rows.iter().any(|one| one.warning.id == row.warning.id), "{name}");
    }
}
