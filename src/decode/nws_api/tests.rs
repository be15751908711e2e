use super::*;
use crate::nws_facts::alerts::ZoneKind;
use crate::nws_facts::forecast::TemperatureUnit;
use crate::nws_facts::grid_point::Grid;
use serde_json::json;

fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

fn observed(measures: Value) -> Read<crate::nws_facts::conditions::Conditions> {
    let mut properties = json!({"timestamp": "2031-05-09T20:53:00+00:00"});
    for (key, value) in measures.as_object().unwrap() {
        properties[key] = value.clone();
    }
    latest(&bytes(&json!({"type": "Feature", "properties": properties}))).unwrap()
}

#[test]
fn measures_come_as_numbers_as_texts_and_in_other_units() {
    let read = observed(json!({
        "temperature": {"value": "22.8", "unitCode": "unit:degC"},
        "dewpoint": {"value": 50, "unitCode": "wmoUnit:degF"},
        "windSpeed": {"value": 10.3, "unitCode": "unit:m_s-1"},
        "windGust": 36.4,
        "barometricPressure": {"value": 1013.25, "unitCode": "wmoUnit:hPa"},
        "visibility": {"value": 10, "unitCode": "wmoUnit:mi"},
        "relativeHumidity": {"value": 68.29, "unitCode": null},
        "heatIndex": null,
        "textDescription": " ",
        "cloudLayers": [{"amount": "BKN", "base": {"value": 3660, "unitCode": "wmoUnit:m"}}, {"amount": "CLR", "base": null},
            {"base": {"value": 1}}],
    }));
    let told = read.facts;
    assert_eq!((told.figures.temperature_c, told.figures.dewpoint_c), (Some(23), Some(10)));
    assert_eq!((told.figures.wind_speed_kmh, told.figures.wind_gust_kmh), (Some(37), Some(36)));
    assert_eq!((told.figures.barometric_pressure_pa, told.figures.visibility_m), (Some(101_325), Some(16_093)));
    assert_eq!(
        (told.figures.relative_humidity_pct, told.figures.heat_index_c, told.figures.wind_chill_c),
        (Some(68), None, None)
    );
    assert_eq!(told.text_description, None);
    let layers: Vec<_> = told.cloud_layers.iter().map(|layer| (layer.amount.as_str(), layer.base_m)).collect();
    assert_eq!(layers, [("BKN", Some(3_660)), ("CLR", None)]);
    assert_eq!(read.faults, Vec::new());
}

#[test]
fn what_cannot_be_read_or_was_rejected_is_missing_and_told() {
    let read = observed(json!({
        "temperature": {"value": 20, "unitCode": "wmoUnit:furlong"},
        "dewpoint": {"value": "mild", "unitCode": "wmoUnit:degC"},
        "windSpeed": {"value": 804.67, "unitCode": "wmoUnit:km_h-1", "qualityControl": "X"},
        "windDirection": {"value": 220, "unitCode": "wmoUnit:degree_(angle)", "qualityControl": "qc:V"},
        "visibility": [1, 2],
        "cloudLayers": null,
    }));
    let told = read.facts;
    assert_eq!(
        (told.figures.temperature_c, told.figures.dewpoint_c, told.figures.wind_speed_kmh, told.figures.visibility_m),
        (None, None, None, None)
    );
    assert_eq!(told.figures.wind_direction_deg, Some(220));
    let faults: Vec<&str> = read.faults.iter().map(|fault| fault.what.split(':').next().unwrap()).collect();
    assert_eq!(faults, ["temperature", "dewpoint", "windSpeed", "visibility"]);
}

#[test]
fn an_observation_without_its_time_is_left_out_of_a_list() {
    let feature = |properties: Value| json!({"type": "Feature", "properties": properties});
    let list = json!({"type": "FeatureCollection", "features": [
        feature(json!({"timestamp": "2031-05-09T20:53:00+00:00"})), feature(json!({"timestamp": null})), json!(null)]});
    let read = observations(&bytes(&list)).unwrap();
    let timed = read.facts.iter().filter(|read| read.observed.is_some()).count();
    assert_eq!((read.facts.len(), timed, read.faults.len()), (3, 1, 2));
    for none in [json!({"type": "FeatureCollection", "features": []}), json!({"features": null})] {
        assert_eq!(observations(&bytes(&none)).unwrap().facts.len(), 0, "{none}");
    }
    assert!(observations(&bytes(&json!({"type": "FeatureCollection"}))).is_err());
    assert!(observations(b"<html>").is_err() && observations(b"").is_err() && observations(b"[1]").is_err());
}

#[test]
fn forecasts_are_read_in_every_form_that_was_seen() {
    let periods = json!([
        {"name": "Tonight", "startTime": "2031-05-09T18:00:00-05:00", "temperature": "41", "temperatureUnit": "F",
         "windSpeed": "5 to 10 mph", "windDirection": "SW", "probabilityOfPrecipitation": {"value": 20, "unitCode": "wmoUnit:percent"}},
        {"name": "", "temperature": {"value": 29.44, "unitCode": "wmoUnit:degC"},
         "windSpeed": {"minValue": 8.2, "maxValue": 16.1, "unitCode": "wmoUnit:km_h-1"},
         "dewpoint": {"value": -7.777777777777778, "unitCode": "wmoUnit:degC"}, "relativeHumidity": {"value": 35.04}},
        {"name": null, "startTime": "date:now -527 seconds", "temperature": null, "temperatureUnit": null, "windSpeed": null,
         "probabilityOfPrecipitation": {"unitCode": null, "value": null}},
    ]);
    let read =
        forecast(&bytes(&json!({"properties": {"updateTime": "2031-05-09T17:00:00+00:00", "periods": periods}})))
            .unwrap();
    let [night, hour, empty] = read.facts.periods.as_slice() else { panic!("{read:?}") };
    assert_eq!(read.facts.generated.unwrap().text, "2031-05-09T17:00:00+00:00");
    assert_eq!((night.temperature, night.temperature_unit), (Some(41.0), Some(TemperatureUnit::F)));
    assert_eq!((night.precip_chance_pct, night.wind_speed.as_deref()), (Some(20), Some("5 to 10 mph")));
    assert_eq!((hour.temperature, hour.temperature_unit), (Some(29.4), Some(TemperatureUnit::C)));
    assert_eq!((hour.dewpoint_c, hour.relative_humidity_pct), (Some(-7.8), Some(35.0)));
    assert_eq!(hour.wind_speed.as_deref(), Some("8 to 16 km/h"));
    assert_eq!((empty.temperature, empty.temperature_unit, &empty.start), (None, None, &None));
    assert!(read.faults.len() == 1 && read.faults[0].what.contains("template"), "{:?}", read.faults);
    assert!(forecast(&bytes(&json!({"properties": {"periods": null}}))).is_err());
    assert!(forecast(&bytes(&json!({"title": "Not Found", "status": 404}))).is_err());
}

#[test]
fn a_point_tells_its_zones_and_where_its_forecasts_are() {
    let api = |path: &str| format!("https://api.weather.gov/{path}");
    let point = json!({"type": "Feature", "properties": {"cwa": "SEW", "type": "land", "forecast": api("gridpoints/SEW/125,68/forecast"),
        "forecastHourly": api("gridpoints/SEW/125,68/forecast/hourly"), "observationStations": api("gridpoints/SEW/125,68/stations"),
        "relativeLocation": {"properties": {"city": "Seattle", "state": "WA"}}, "forecastZone": api("zones/forecast/WAZ315"),
        "county": api("zones/county/WAC033"), "fireWeatherZone": api("zones/fire/WAZ654"), "timeZone": "America/Los_Angeles"}});
    let read = grid_point(&bytes(&point)).unwrap();
    assert_eq!(read.grid(), Grid::Whole);
    assert_eq!(read.ugc(), ["WAC033", "WAZ315", "WAZ654"]);
    assert_eq!(
        (read.city.as_deref(), read.office.as_deref(), read.kind.as_deref()),
        (Some("Seattle"), Some("SEW"), Some("land"))
    );
    assert!(!read.county_by_radio);
    let sea = json!({"properties": {"type": "marine", "forecast": null, "county": null, "forecastZone": api("zones/forecast/PZZ130"),
        "nwr": {"sameCode": "053033"}}});
    let read = grid_point(&bytes(&sea)).unwrap();
    assert_eq!((read.grid(), read.county.as_deref(), read.county_by_radio), (Grid::Marine, Some("WAC033"), true));
    // The same as plain JSON-LD.
    assert_eq!(grid_point(&bytes(&json!({"cwa": "SEW", "gridId": "SEW"}))).unwrap().office.as_deref(), Some("SEW"));
    assert!(grid_point(&bytes(&json!({"features": []}))).is_err());
    assert!(grid_point(&bytes(&json!({"properties": {"periods": []}}))).is_err());
}

#[test]
fn alerts_keep_what_was_sent_and_a_missing_text_hides_nothing() {
    let alert = |id: &str, more: Value| {
        let mut properties = json!({"id": id, "event": "Red Flag Warning", "status": "Actual", "sent": "2026-07-15T12:00:00-06:00",
            "severity": "Severe", "description": null, "headline": null, "instruction": null});
        for (key, value) in more.as_object().unwrap() {
            properties[key] = value.clone();
        }
        json!({"type": "Feature", "geometry": null, "properties": properties})
    };
    let zones = json!([
        "https://api.weather.gov/zones/fire/COZ238",
        "https://api.weather.gov/zones/county/COC069",
        "https://api.weather.gov/zones/forecast/COZ038",
        "COC001",
        "COZ001",
        ""
    ]);
    let first = alert(
        "a",
        json!({"affectedZones": zones, "onset": "2026-07-15T12:00:00-06:00", "ends": null,
        "expires": "1970-01-01T00:00:00Z", "parameters": {"eventEndingTime": ["2026-07-15T20:00:00-06:00"]},
        "references": [{"identifier": "z", "sent": "2026-07-14T12:00:00-06:00"}, {"sender": "w"}]}),
    );
    let again = alert("a", json!({"severity": "Minor"}));
    let broken = json!({"type": "Feature", "properties": {"id": "c", "event": null}});
    let list = json!({"type": "FeatureCollection", "updated": "2026-07-15T18:00:00+00:00",
        "features": [first, again, alert("b", json!({})), broken]});
    let read = alerts(&bytes(&list)).unwrap();
    assert_eq!((read.rows.len(), read.unread), (2, 1));
    let row = &read.rows[0];
    assert_eq!(
        (row.warning.id.as_str(), row.warning.severity.as_str(), row.warning.description.as_str()),
        ("a", "Severe", "")
    );
    let kinds: Vec<_> = row.zones.iter().map(|zone| (zone.code.as_str(), zone.kind)).collect();
    use ZoneKind::{County, Fire, Forecast};
    assert_eq!(
        kinds,
        [("COZ238", Fire), ("COC069", County), ("COZ038", Forecast), ("COC001", County), ("COZ001", Forecast)]
    );
    assert_eq!((row.references.len(), row.references[0].identifier.as_str()), (1, "z"));
    assert_eq!(row.times.onset.as_deref(), Some("2026-07-15T12:00:00-06:00"));
    // An end of 1970 is none; the event's own ending time stands for a missing `ends`.
    assert_eq!((row.times.expires.as_deref(), row.times.ends.as_deref()), (None, Some("2026-07-15T20:00:00-06:00")));
    // The same rows beside the warnings that levels rest on.
    let (warnings, rows) = national(&bytes(&list)).unwrap();
    assert_eq!((rows, warnings.snapshot.warnings.len(), warnings.snapshot.unread), (read, 2, 3));
    // For levels the two whose places are not wholly known count as unread as well.
    assert!(national(&bytes(&alert("a", json!({})))).is_err(), "a single alert is no collection");
}

#[test]
fn types_and_counts_are_lists_and_numbers() {
    let types = json!({"eventTypes": ["Wind Advisory", "Tornado Warning", "Wind Advisory", null]});
    assert_eq!(alert_types(&bytes(&types)).unwrap(), ["Tornado Warning", "Wind Advisory"]);
    assert!(alert_types(&bytes(&json!({"types": []}))).is_err());
    let counts = json!({"total": 5, "land": "3", "marine": 2, "areas": {"OK": 2, "KS": null}, "regions": {"GM": 2},
        "zones": {"OKZ025": 1}});
    let read = alert_counts(&bytes(&counts)).unwrap();
    assert_eq!((read.total, read.land, read.marine), (Some(5), Some(3), Some(2)));
    assert_eq!(read.areas.into_iter().collect::<Vec<_>>(), [("OK".to_owned(), 2)]);
    assert!(alert_counts(&bytes(&json!({"zones": {}}))).is_err());
    assert_eq!(alert_counts(&bytes(&json!({"land": 3, "marine": 2}))).unwrap().total, Some(5));
}

#[test]
fn stations_say_what_they_know() {
    let station = |id: Value, at: Value| {
        json!({"type": "Feature", "id": "https://api.weather.gov/stations/KXKS", "geometry": at,
        "properties": {"stationIdentifier": id, "name": "Larkfield", "elevation": {"value": 399.6, "unitCode": "wmoUnit:m"},
        "county": "https://api.weather.gov/zones/county/KSC297"}})
    };
    let here = json!({"type": "Point", "coordinates": [-98.2, 37.7]});
    let list = json!({"type": "FeatureCollection", "features": [station(json!("KXKS"), here.clone()), station(json!("KXKS"), here),
        station(json!("KXKT"), json!(null)), station(json!(null), json!(null)), json!({})]});
    let read = stations(&bytes(&list)).unwrap();
    let ids: Vec<_> = read.facts.iter().map(|station| (station.id.as_str(), station.at.is_some())).collect();
    assert_eq!(ids, [("KXKS", true), ("KXKT", false)]);
    assert_eq!((read.facts[0].elevation_m, read.facts[0].county.as_deref()), (Some(400), Some("KSC297")));
    assert!(station_of_nothing().is_err());
}

fn station_of_nothing() -> Result<Read<crate::nws_facts::station::Station>, NwsError> {
    station(&bytes(&json!({"type": "Feature", "properties": {}})))
}

#[test]
fn products_have_ids_that_fit_into_a_path() {
    let line = |id: &str| json!({"id": id, "issuanceTime": "2031-05-09T20:00:00+00:00"});
    let read = products(&bytes(&json!({"@graph": [line("1234-ab"), line("../x"), {}]}))).unwrap();
    assert_eq!((read.facts.len(), read.faults.len()), (1, 2));
    assert!(products(&bytes(&json!({"features": []}))).is_err());
    let read = product(&bytes(&json!({"productText": "\n000\nFXUS63\n", "productCode": "AFD"}))).unwrap().facts;
    assert_eq!((read.text.as_str(), read.issuing_office), ("\n000\nFXUS63\n", None));
    assert!(product(&bytes(&json!({"productCode": "AFD"}))).is_err());
}

#[test]
fn a_zone_without_an_area_has_no_inside() {
    let ring = json!([[[-98.0, 37.0], [-97.0, 37.0], [-97.0, 38.0], [-98.0, 38.0], [-98.0, 37.0]]]);
    let zone =
        |geometry: Value| bytes(&json!({"type": "Feature", "geometry": geometry, "properties": {"id": "KSZ083"}}));
    let inside = zone_interior(&zone(json!({"type": "Polygon", "coordinates": ring}))).unwrap().unwrap();
    assert!((37.0..38.0).contains(&inside.lat()) && (-98.0..-97.0).contains(&inside.lon()));
    assert_eq!(zone_interior(&zone(Value::Null)).unwrap(), None);
    assert_eq!(zone_interior(&zone(json!({"type": "Circle"}))).unwrap(), None);
}
