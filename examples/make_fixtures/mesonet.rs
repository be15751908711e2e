//! What the Iowa Environmental Mesonet passes on of the invented day: a mesoscale discussion, the watch as an outline, and
//! storm reports.

use crate::storm::{self, LARKFIELD, at};
use serde_json::{Value, json};

const HOST: &str = "mesonet.agron.iastate.edu";
/// The services answer as they did this long before the first minute.
const BEFORE_MIN: f64 = -60.0;
/// A product is with the service this long after its issue.
const LATE_MIN: f64 = 1.5;

/// The discussion: from and to, minutes.
const DISCUSSION_MIN: (f64, f64) = (-50.0, 60.0);
/// The watch, as the warnings feed has it by county.
const WATCH_MIN: (f64, f64) = (-20.0, 90.0);
/// Around Lark county; Fernhill lies outside of both.
const DISCUSSED: [f64; 4] = [-99.8, 36.8, -97.7, 38.8];
const WATCHED: [f64; 4] = [-99.4, 37.0, -97.7, 38.4];

/// One report.
struct Reported {
    kind: (&'static str, &'static str),
    inches: Option<f64>,
    event_min: f64,
    told_min: f64,
    at: (f64, f64),
    city: &'static str,
    county: (&'static str, &'static str, &'static str),
    source: &'static str,
    remark: &'static str,
}

fn reported() -> Vec<Reported> {
    let on_track = |minute: f64| storm::core(minute);
    let lark = ("Lark", "KS", "KSC297");
    vec![
        Reported {
            kind: ("H", "HAIL"),
            inches: Some(1.0),
            event_min: -75.0,
            told_min: -66.0,
            at: (39.6, -103.9),
            city: "3 W Prairie Gap",
            county: ("Gap", "CO", "COC297"),
            source: "Public",
            remark: "",
        },
        Reported {
            kind: ("H", "HAIL"),
            inches: Some(1.25),
            event_min: 16.0,
            told_min: 24.0,
            at: on_track(16.0),
            city: "15 WSW Larkfield",
            county: lark,
            source: "Trained Spotter",
            remark: "Half dollar size hail on the county road.",
        },
        Reported {
            kind: ("T", "TORNADO"),
            inches: None,
            event_min: 28.0,
            told_min: 37.0,
            at: on_track(28.0),
            city: "4 WSW Larkfield",
            county: lark,
            source: "Law Enforcement",
            remark: "Tornado crossed the road, lifted before it reached the town.",
        },
        Reported {
            kind: ("H", "HAIL"),
            inches: Some(1.75),
            event_min: 33.0,
            told_min: 41.0,
            at: LARKFIELD,
            city: "Larkfield",
            county: lark,
            source: "Public",
            remark: "Golf ball size hail, windows broken.",
        },
    ]
}

impl Reported {
    fn feature(&self) -> Value {
        let office = if self.county.1 == "KS" { "XKS" } else { "XCO" };
        let product = at(self.told_min).strftime("%Y%m%d%H%M");
        let (lat, lon) = self.at;
        let [lat, lon] = [lat, lon].map(|degrees| (degrees * 100.0).round() / 100.0);
        let remark = if self.remark.is_empty() { Value::Null } else { json!(self.remark) };
        json!({"type": "Feature", "geometry": {"type": "Point", "coordinates": [lon, lat]}, "properties": {
            "wfo": office, "type": self.kind.0, "typetext": self.kind.1, "magf": self.inches,
            "magnitude": self.inches.map(|inches| format!("{inches:.2}")).unwrap_or_default(),
            "unit": self.inches.map(|_| "Inch"), "qualifier": self.inches.map(|_| "E"),
            "city": self.city, "county": self.county.0, "state": self.county.1, "st": self.county.1, "ugc": self.county.2,
            "source": self.source, "remark": remark, "valid": at(self.event_min).to_string(), "lat": lat, "lon": lon,
            "product_id": format!("{product}-K{office}-NWUS53-LSR{office}"),
        }})
    }
}

fn outline([west, south, east, north]: [f64; 4]) -> Vec<[f64; 2]> {
    vec![[west, south], [east, south], [east, north], [west, north], [west, south]]
}

fn discussion() -> Value {
    json!({"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [outline(DISCUSSED)]}, "properties": {
        "product_id": format!("{}-KWNS-ACUS11-SWOMCD", at(DISCUSSION_MIN.0).strftime("%Y%m%d%H%M")),
        "year": 2031, "num": 655, "watch_confidence": 80, "concerning": "Severe potential...Watch likely (invented)",
        "issue": at(DISCUSSION_MIN.0).strftime("%Y-%m-%dT%H:%M:%S").to_string(),
        "expire": at(DISCUSSION_MIN.1).strftime("%Y-%m-%dT%H:%M:%S").to_string(),
    }})
}

fn watch() -> Value {
    let polygon = [outline(WATCHED)];
    json!({"id": "0", "type": "Feature", "geometry": {"type": "MultiPolygon", "coordinates": [polygon]}, "properties": {
        "sel": "SEL3", "type": "SVR", "number": 123.0, "year": 2031, "is_pds": false,
        "max_hail_size": 2.0, "max_wind_gust_knots": 60.0, "spcurl": "https://www.spc.noaa.gov/products/watch/2031/ww0123.html",
        "issue": at(WATCH_MIN.0).to_string(), "expire": at(WATCH_MIN.1).to_string(),
    }})
}

/// From each of these minutes on a service answers with these features.
type Stages = Vec<(f64, Vec<Value>)>;

fn answers(
    (path, name): (&str, &str),
    stages: Stages,
    files: &mut Vec<(String, Vec<u8>)>,
    timeline: &mut Vec<Value>,
) -> Vec<String> {
    let mut names = Vec::new();
    for (minute, features) in stages {
        let file = format!("iem/{name}_{}.geojson", at(minute).strftime("%H%M%S"));
        let body = json!({"type": "FeatureCollection", "features": features});
        files.push((file.clone(), format!("{body}\n").into_bytes()));
        timeline.push(line(minute, path, &file));
        names.push(file);
    }
    names
}

fn line(minute: f64, path: &str, file: &str) -> Value {
    json!({"at": at(minute), "http": {"host": HOST, "path": path}, "status": 200, "file": file,
        "headers": {"content-type": "application/geo+json"}})
}

/// Writes what the four services answer; returns the reports, with how far from Larkfield they are.
pub fn files(files: &mut Vec<(String, Vec<u8>)>, timeline: &mut Vec<Value>) -> Vec<Value> {
    let discussed = vec![
        (BEFORE_MIN, vec![]),
        (DISCUSSION_MIN.0 + LATE_MIN, vec![discussion()]),
        (DISCUSSION_MIN.1 + LATE_MIN, vec![]),
    ];
    answers(("/api/1/nws/spc_mcd.geojson", "discussions"), discussed, files, timeline);
    let watched = vec![(BEFORE_MIN, vec![]), (WATCH_MIN.0 + LATE_MIN, vec![watch()]), (WATCH_MIN.1 + LATE_MIN, vec![])];
    answers(("/json/spcwatch.py", "watches"), watched, files, timeline);
    let all = reported();
    let mut stages: Stages = Vec::new();
    for (number, report) in all.iter().enumerate() {
        let known = all[..=number].iter().rev().map(Reported::feature).collect();
        stages.push(((report.told_min + LATE_MIN).max(BEFORE_MIN), known));
    }
    let minutes: Vec<f64> = stages.iter().map(|(minute, _)| *minute).collect();
    let names = answers(("/geojson/lsr.geojson", "reports"), stages, files, timeline);
    for (minute, name) in minutes.iter().zip(names) {
        // The archive of one place answers with the same rows: who asks looks at distances and times himself.
        timeline.push(line(*minute, "/api/1/nws/lsrs_by_point.geojson", &name));
    }
    let told = all.iter().map(|report| {
        json!({"what": report.kind.1, "inches": report.inches, "city": report.city, "event_utc": at(report.event_min),
            "told_utc": at(report.told_min), "heard_from_utc": at(report.told_min + LATE_MIN)})
    });
    told.collect()
}
