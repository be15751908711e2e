//! The invented convective outlooks: all layers of all eight days, in the shape of SPC's files.

use crate::storm::at;
use serde_json::{Value, json};

/// The outlooks are all there before the day begins.
const SINCE_MIN: f64 = -60.0;

/// Boxes as west, south, east, north, degrees. Fernhill (97.30 W) lies in the thunderstorm area alone.
type Box = [f64; 4];
const THUNDER: Box = [-103.0, 33.5, -94.0, 41.5];
const MARGINAL: Box = [-100.6, 36.0, -97.6, 39.6];
const SLIGHT: Box = [-100.0, 36.6, -97.8, 39.0];
const TOMORROW: Box = [-96.0, 34.0, -90.0, 39.0];

/// Times of one day's issue, twelve digits.
struct Issue {
    valid: &'static str,
    expire: &'static str,
    issue: &'static str,
}

/// Day 1 is the issue of 20 UTC.
const ISSUES: [Issue; 8] = [
    Issue { valid: "203105092000", expire: "203105101200", issue: "203105091954" },
    Issue { valid: "203105101200", expire: "203105111200", issue: "203105091728" },
    Issue { valid: "203105111200", expire: "203105121200", issue: "203105091925" },
    Issue { valid: "203105121200", expire: "203105131200", issue: "203105090855" },
    Issue { valid: "203105131200", expire: "203105141200", issue: "203105090855" },
    Issue { valid: "203105141200", expire: "203105151200", issue: "203105090855" },
    Issue { valid: "203105151200", expire: "203105161200", issue: "203105090855" },
    Issue { valid: "203105161200", expire: "203105171200", issue: "203105090855" },
];

/// An area of a layer: DN, label, words, box.
type Contour = (u16, &'static str, &'static str, Box);

fn feature(issue: &Issue, dn: u16, label: &str, words: &str, geometry: &Value) -> Value {
    let iso = |digits: &str| {
        let part = |from: usize, to: usize| &digits[from..to];
        format!("{}-{}-{}T{}:{}:00+00:00", part(0, 4), part(4, 6), part(6, 8), part(8, 10), part(10, 12))
    };
    json!({"type": "Feature", "geometry": geometry, "properties": {
        "DN": dn, "VALID": issue.valid, "EXPIRE": issue.expire, "ISSUE": issue.issue,
        "VALID_ISO": iso(issue.valid), "EXPIRE_ISO": iso(issue.expire), "ISSUE_ISO": iso(issue.issue),
        "FORECASTER": "Nobody (invented)", "LABEL": label, "LABEL2": words, "stroke": "#000000", "fill": "#000000",
    }})
}

/// A layer with these areas; without any, the placeholder that says `nothing`.
fn layer(issue: &Issue, contours: &[Contour], nothing: &str) -> String {
    let mut features: Vec<Value> = contours
        .iter()
        .map(|(dn, label, words, [west, south, east, north])| {
            let ring = [[west, south], [east, south], [east, north], [west, north], [west, south]];
            feature(issue, *dn, label, words, &json!({"type": "MultiPolygon", "coordinates": [[ring]]}))
        })
        .collect();
    if features.is_empty() {
        features.push(feature(issue, 0, nothing, "", &json!({"type": "GeometryCollection", "geometries": []})));
    }
    format!("{}\n", json!({"type": "FeatureCollection", "features": features}))
}

/// Name under `/products/`, day, areas, what an empty one says.
type Planned = (String, usize, Vec<Contour>, &'static str);

fn planned() -> Vec<Planned> {
    let otlk = |day: usize, kind: &str| format!("outlook/day{day}otlk_{kind}.lyr.geojson");
    let thunder = (2, "TSTM", "General Thunderstorms Risk", THUNDER);
    let mut all: Vec<Planned> = vec![
        (
            otlk(1, "cat"),
            1,
            vec![thunder, (3, "MRGL", "Marginal Risk", MARGINAL), (4, "SLGT", "Slight Risk", SLIGHT)],
            "",
        ),
        (
            otlk(1, "torn"),
            1,
            vec![(2, "0.02", "2% Tornado Risk", MARGINAL), (5, "0.05", "5% Tornado Risk", SLIGHT)],
            "",
        ),
        (otlk(1, "wind"), 1, vec![(5, "0.05", "5% Wind Risk", MARGINAL), (15, "0.15", "15% Wind Risk", SLIGHT)], ""),
        (otlk(1, "hail"), 1, vec![(5, "0.05", "5% Hail Risk", MARGINAL), (15, "0.15", "15% Hail Risk", SLIGHT)], ""),
        (
            otlk(2, "cat"),
            2,
            vec![(2, "TSTM", "General Thunderstorms Risk", THUNDER), (3, "MRGL", "Marginal Risk", TOMORROW)],
            "",
        ),
        (otlk(2, "torn"), 2, vec![], "Less Than 2% All Areas"),
        (otlk(2, "wind"), 2, vec![(5, "0.05", "5% Wind Risk", TOMORROW)], ""),
        (otlk(2, "hail"), 2, vec![(5, "0.05", "5% Hail Risk", TOMORROW)], ""),
        (otlk(3, "cat"), 3, vec![thunder], ""),
        (otlk(3, "prob"), 3, vec![], "Less Than 5% All Areas"),
        (otlk(3, "cigprob"), 3, vec![], "No Area"),
    ];
    for day in [1, 2] {
        let groups = ["cigtorn", "cigwind", "cighail"];
        all.extend(groups.map(|kind| (otlk(day, kind), day, vec![], "No Area")));
    }
    for day in 4..=8 {
        let nothing = if day < 6 { "Potential Too Low" } else { "Predictability Too Low" };
        all.push((format!("exper/day4-8/day{day}prob.lyr.geojson"), day, vec![], nothing));
    }
    all
}

/// Writes every layer.
pub fn files(files: &mut Vec<(String, Vec<u8>)>, timeline: &mut Vec<Value>) {
    for (path, day, contours, nothing) in planned() {
        let name = path.rsplit('/').next().unwrap_or_default().replace(".lyr", "");
        let file = format!("spc/{name}");
        files.push((file.clone(), layer(&ISSUES[day - 1], &contours, nothing).into_bytes()));
        timeline.push(json!({
            "at": at(SINCE_MIN), "status": 200, "file": file, "headers": {"content-type": "application/geo+json"},
            "http": {"host": "www.spc.noaa.gov", "path": format!("/products/{path}")},
        }));
    }
}
