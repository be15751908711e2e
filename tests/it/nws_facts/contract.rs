//! What prompts rely on, by the specification and not by the code: names of tools, arguments and fields, words of answers, and
//! that both forms of an answer say the same.

use super::{Tools, larkfield};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use stormbell::mcp::tools::nws::TOOLS;
use stormbell::mcp::tools::{self};

/// A tool, its arguments and the fields of its answer: `a[b c]` is a list or object `a` with the fields `b` and `c`.
const PROMISED: [(&str, &str, &str); 9] = [
    (
        "nws_get_forecast",
        "latitude longitude hourly cursor",
        "location[city state office timeZone forecastZone county] generatedAt periods[name startTime endTime temperature \
         temperatureUnit windSpeed windDirection shortForecast detailedForecast precipChancePct dewpointC relativeHumidityPct] \
         totalCount shown mode notice nextCursor",
    ),
    (
        "nws_search_alerts",
        "area point zone region_type region event severity urgency certainty status limit cursor",
        "alerts[id event headline description instruction severity urgency certainty areaDesc onset ends expires senderName \
         affectedZones[code type] sent effective status messageType references[identifier sent]] totalCount shown \
         appliedFilters notice nextCursor requestedLimit effectiveLimit",
    ),
    ("nws_get_alert_counts", "", "totalAlerts landAlerts marineAlerts areas regions"),
    (
        "nws_get_observations",
        "latitude longitude station_id",
        "stationId stationName timestamp timeZone textDescription temperatureC dewpointC windSpeedKmh windDirectionDeg \
         windGustKmh barometricPressurePa visibilityM relativeHumidityPct heatIndexC windChillC cloudLayers[amount baseM] station \
         observedAt notice",
    ),
    (
        "nws_get_observation_history",
        "station_id start end limit cursor",
        "stationId stationName timeZone observations[timestamp textDescription temperatureC dewpointC windSpeedKmh \
         windDirectionDeg windGustKmh barometricPressurePa visibilityM relativeHumidityPct heatIndexC windChillC \
         cloudLayers[amount baseM]] shown truncated cap nextCursor notice requestedLimit effectiveLimit",
    ),
    (
        "nws_find_stations",
        "latitude longitude limit cursor",
        "stations[stationId name distanceKm bearing elevationM timeZone county forecastZone] totalCount shown nextCursor notice \
         requestedLimit effectiveLimit",
    ),
    ("nws_list_alert_types", "", "count eventTypes"),
    (
        "nws_get_office_discussion",
        "office product_type",
        "issuanceTime issuingOffice productCode productName productText wmoCollectiveId",
    ),
    ("nws_get_zone_forecast", "zone_id", "zoneId updated periods[number name detailedForecast] periodCount"),
];
/// What is added to all of them.
const OWN: [&str; 6] = ["schema_version", "degraded", "disclaimer", "interpretation", "place", "error"];

/// Properties of a schema of an object or of a list of objects.
fn properties(schema: &Value) -> BTreeSet<String> {
    let own = schema["properties"].as_object().or_else(|| schema["items"]["properties"].as_object());
    own.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

fn within<'a>(schema: &'a Value, name: &str) -> &'a Value {
    let own = &schema["properties"][name];
    if own.is_null() { &schema["items"]["properties"][name] } else { own }
}

/// Fields as `PROMISED` writes them, with where they are.
fn promised(text: &str) -> Vec<(Vec<&str>, &str)> {
    let (mut fields, mut path, mut rest) = (Vec::new(), Vec::new(), text);
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(']') {
            path.pop();
            rest = after;
            continue;
        }
        let end = rest.find([' ', '[', ']', '\n']).unwrap_or(rest.len());
        if end == 0 {
            return fields;
        }
        let (name, after) = rest.split_at(end);
        fields.push((path.clone(), name));
        rest = after;
        if let Some(after) = rest.strip_prefix('[') {
            path.push(name);
            rest = after;
        }
    }
}

#[test]
fn names_arguments_and_fields_are_those_that_prompts_know() {
    assert_eq!(promised("a b[c d[e]] f").len(), 6);
    for (tool, (name, arguments, fields)) in TOOLS.iter().zip(PROMISED) {
        assert_eq!(tool.name, name);
        let input = Value::Object((*tool.input_schema).clone());
        let takes: BTreeSet<String> = properties(&input).into_iter().filter(|name| name != "place").collect();
        assert_eq!(takes, arguments.split_whitespace().map(str::to_owned).collect(), "{name}");
        let output = Value::Object(tool.output_schema.as_deref().cloned().unwrap());
        for (path, field) in promised(fields) {
            let here = path.iter().fold(&output, |schema, part| within(schema, part));
            assert!(properties(here).contains(field), "{name}: {path:?} lacks {field}: {:?}", properties(here));
        }
        // What is added is ours by name, and none of ours stands for one of theirs.
        let ours: BTreeSet<&str> = OWN.into_iter().collect();
        let top: BTreeSet<&str> =
            promised(fields).into_iter().filter(|(path, _)| path.is_empty()).map(|(_, f)| f).collect();
        assert!(ours.is_disjoint(&top) && OWN.iter().all(|key| properties(&output).contains(*key)), "{name}");
    }
}

/// Lesson 8: totals and shares of lists are named in one way.
#[test]
fn what_counts_rows_has_one_name() {
    for tool in TOOLS.iter() {
        let output = Value::Object(tool.output_schema.as_deref().cloned().unwrap());
        for name in properties(&output).iter().filter(|name| name.to_lowercase().contains("count")) {
            let expected = match tool.name.as_ref() {
                "nws_list_alert_types" => "count",
                "nws_get_zone_forecast" => "periodCount",
                _ => "totalCount",
            };
            assert_eq!(name, expected, "{}", tool.name);
        }
    }
}

/// Lesson 15: a description tells what one gets, not how it is fetched.
#[test]
fn descriptions_tell_what_one_gets() {
    for tool in TOOLS.iter() {
        let said = tool.description.as_deref().unwrap().to_lowercase();
        for inside in ["http", "endpoint", "/points", "/alerts", "/stations", "request", "upstream", "cache", "api."] {
            assert!(!said.contains(inside), "{} tells of {inside:?}: {said}", tool.name);
        }
        assert!(said.len() > 100, "{}", tool.name);
    }
}

/// Every tool of the program that takes a point takes a place by its name as well.
#[test]
fn wherever_a_point_is_taken_a_place_is() {
    let mut taking = 0;
    for tool in tools::TOOLS.iter() {
        let takes = properties(&Value::Object((*tool.input_schema).clone()));
        let point = ["lat", "latitude", "point"].iter().any(|name| takes.contains(*name));
        assert_eq!(takes.contains("place"), point, "{}", tool.name);
        taking += usize::from(point);
    }
    assert!(taking >= 14, "{taking}");
}

/// Numbers whose text form is in another unit than their name says.
fn in_words(key: &str, figure: f64) -> Option<String> {
    match key {
        "barometricPressurePa" => Some(format!("({:.0} hPa)", figure / 100.0)),
        "visibilityM" => Some(format!("({:.1} km)", figure / 1_000.0)),
        "baseM" | "elevationM" => Some(format!("({figure} m)")),
        _ => None,
    }
}

/// Every leaf of the structured form that the text lacks.
fn missing(key: &str, value: &Value, text: &str, all: &mut Vec<String>) {
    let told = match value {
        Value::Null => return,
        Value::Object(object) => {
            for (key, value) in object {
                // A wind without its speed is not available, by the specification.
                let is_unsaid = key == "windDirectionDeg" && object.get("windSpeedKmh").is_none_or(Value::is_null);
                if !is_unsaid {
                    missing(key, value, text, all);
                }
            }
            return;
        }
        Value::Array(items) => return items.iter().for_each(|item| missing(key, item, text, all)),
        Value::Bool(flag) => text.contains(&format!("{key}: {flag}")),
        Value::Number(number) => {
            let figure = number.as_f64().unwrap();
            text.contains(&in_words(key, figure).unwrap_or_else(|| figure.to_string()))
        }
        Value::String(words) => match words.parse::<Timestamp>() {
            // As sent, or in the place's zone with UTC beside it.
            Ok(at) => text.contains(words.as_str()) || text.contains(&at.strftime("%H:%MZ").to_string()),
            Err(_) if key == "phase" => text.contains(&words.replace('_', " ")),
            Err(_) => text.contains(words.trim()),
        },
    };
    if !told {
        all.push(format!("{key} = {value}"));
    }
}

/// Lessons 1 and 2: the same bounded set and the same rounded figures in both forms, everywhere.
#[tokio::test(start_paused = true)]
async fn both_forms_of_every_answer_hold_the_same() {
    let tools = Tools::new();
    for (tool, arguments, rows) in [
        ("nws_get_forecast", larkfield(json!({})), "periods"),
        ("nws_get_forecast", larkfield(json!({"hourly": true})), "periods"),
        ("nws_search_alerts", json!({}), "alerts"),
        ("nws_search_alerts", json!({"area": "KS", "limit": 2}), "alerts"),
        ("nws_search_alerts", json!({"point": "37.74,-98.21"}), "alerts"),
        ("nws_search_alerts", json!({"area": "WY"}), "alerts"),
        ("nws_get_alert_counts", json!({}), ""),
        ("nws_get_observations", json!({"station_id": "KXKS"}), ""),
        ("nws_get_observations", json!({"station_id": "KXKU"}), ""),
        ("nws_get_observation_history", json!({"station_id": "KXKS", "limit": 500}), "observations"),
        ("nws_find_stations", larkfield(json!({"limit": 60})), "stations"),
        ("nws_list_alert_types", json!({}), "eventTypes"),
        ("nws_get_office_discussion", json!({"office": "XKS"}), ""),
        ("nws_get_zone_forecast", json!({"zone_id": "KSZ197"}), "periods"),
    ] {
        let told = tools.call(tool, arguments.clone()).await.unwrap();
        let mut facts = told.value.clone();
        for key in ["schema_version", "interpretation"] {
            facts.as_object_mut().unwrap().remove(key);
        }
        let mut lacking = Vec::new();
        missing("", &facts, &told.text, &mut lacking);
        // A period's own sentences stand for its few words, a headline's event is its title.
        assert!(lacking.is_empty(), "{tool} {arguments}: the text lacks {lacking:?}\n{}", told.text);
        if let Some(rows) = told.value[rows].as_array().filter(|rows| !rows.is_empty()) {
            let told_rows = match tool {
                "nws_find_stations" | "nws_list_alert_types" | "nws_get_observation_history" => "\n- ",
                _ => "\n## ",
            };
            assert_eq!(told.text.matches(told_rows).count(), rows.len(), "{tool} {arguments}");
        }
    }
}
