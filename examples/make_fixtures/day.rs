//! The bundled day: timeline, files, and the truth beside them.

use crate::level2::{self, GATES, VolumeSpec};
use crate::products::{self, Product};
use crate::storm::{self, FIELDS, at};
use crate::truth::{self, Planted};
use crate::{air, grib, lightning, mesonet, outlooks, routine};
use serde_json::{Value, json};

/// The folder's name.
pub const NAME: &str = "2031-05-09";

/// Upstreams answer as they did this long before the first minute.
const BEFORE_MIN: f64 = -60.0;
/// The last minute.
const END_MIN: f64 = 165.0;
/// A radar file appears this long after the time that it is valid for.
const RADAR_LATE_MIN: f64 = 2.5;
/// Instantaneous products have seconds of their own.
const RADAR_ODD_MIN: f64 = 37.0 / 60.0;
/// Minutes of the day between radar files: each may speak for 12.
const RADAR_EVERY_MIN: i32 = 6;

/// Volumes of the nearest radar: minutes of the first and the last, how often, and how long after its begin one is there. One
/// may stand for now for 30 minutes.
const VOLUMES_MIN: (i32, i32) = (-12, 156);
const VOLUME_EVERY_MIN: i32 = 12;
const VOLUME_LATE_MIN: f64 = 6.0;
/// The radar nearest to Larkfield, degrees (NOAA's table of sites).
const KICT: (f64, f64) = (37.654_444, -97.443_056);

/// Which products are listed from when on, and as changed when. Where nothing changes the collection is still renewed
/// every few minutes: one whose `updated` stood still for a quarter of an hour would be taken for a stale copy.
const LISTED: [(f64, &[u32]); 29] = [
    (BEFORE_MIN, &[1]),
    (-5.0, &[1]),
    (5.33, &[1, 2]),
    (10.0, &[1, 2]),
    (15.33, &[1, 2, 3]),
    (22.33, &[1, 2, 4]),
    (33.17, &[1, 2, 5]),
    (40.0, &[1, 2, 5]),
    (48.17, &[1, 2, 6]),
    (50.33, &[1, 6]),
    (57.0, &[1, 6]),
    (63.33, &[1]),
    (70.0, &[1]),
    (77.0, &[1]),
    (84.0, &[1]),
    (90.33, &[]),
    (95.0, &[]),
    (100.0, &[]),
    (105.0, &[]),
    (110.0, &[]),
    (115.0, &[]),
    (118.0, &[]),
    (124.0, &[]),
    (131.0, &[]),
    (138.0, &[]),
    (145.0, &[]),
    (151.0, &[]),
    (157.0, &[]),
    (163.0, &[]),
];

/// The collection answers with a web page for one poll, and with 503 for eight minutes while the tornado warning is in
/// force.
const WEB_PAGE_MIN: (f64, f64) = (18.83, 19.33);
pub const OUTAGE_MIN: (f64, f64) = (25.17, 33.17);

/// Every file of the day by its path in the folder.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut timeline = Vec::new();
    warnings(&mut files, &mut timeline);
    towns(&mut files, &mut timeline);
    outlooks::files(&mut files, &mut timeline);
    routine::of_larkfield(&mut files, &mut timeline);
    let planted = Planted {
        radar: radar(&mut files, &mut timeline),
        lightning: lightning::granules(&mut timeline),
        reports: mesonet::files(&mut files, &mut timeline),
        air: air::files(&mut files, &mut timeline),
        volumes: volumes(&mut files, &mut timeline),
    };
    timeline.sort_by_key(|line| line["at"].as_str().unwrap_or_default().to_owned());
    let lines: Vec<String> = timeline.iter().map(|line| format!("{line}\n")).collect();
    files.push(("timeline.jsonl".to_owned(), lines.concat().into_bytes()));
    files.push(("archive.toml".to_owned(), description().into_bytes()));
    files.push(("truth.json".to_owned(), format!("{:#}\n", truth::truth(planted)).into_bytes()));
    files
}

fn hhmmss(minute: f64) -> String {
    at(minute).strftime("%H%M%S").to_string()
}

fn warnings(files: &mut Vec<(String, Vec<u8>)>, timeline: &mut Vec<Value>) {
    let all = products::all();
    let request = json!({"host": "api.weather.gov", "path": "/alerts/active"});
    let answer = |minute: f64, name: &str, tag: &str| {
        json!({"at": at(minute), "http": request, "status": 200, "file": name,
            "headers": {"content-type": "application/geo+json", "etag": format!("\"{tag}\"")}})
    };
    let mut standing = (String::new(), String::new());
    for (minute, numbers) in LISTED {
        let listed: Vec<&Product> = all.iter().filter(|product| numbers.contains(&product.number)).collect();
        let tag = hhmmss(minute);
        let name = format!("nws/{tag}.json");
        files.push((name.clone(), products::collection(&listed, minute).to_string().into_bytes()));
        timeline.push(answer(minute, &name, &tag));
        if minute < WEB_PAGE_MIN.0 {
            standing = (name, tag);
        }
    }
    timeline.push(json!({"at": at(WEB_PAGE_MIN.0), "http": request, "fault": "html"}));
    timeline.push(answer(WEB_PAGE_MIN.1, &standing.0, &standing.1));
    timeline.push(json!({"at": at(OUTAGE_MIN.0), "http": request, "fault": "status:503"}));
}

fn towns(files: &mut Vec<(String, Vec<u8>)>, timeline: &mut Vec<Value>) {
    let towns =
        [("larkfield", storm::LARKFIELD, products::LARK_ZONES), ("fernhill", storm::FERNHILL, products::FERN_ZONES)];
    for (name, place, zones) in towns {
        let file = format!("nws/points_{name}.json");
        let mut point = products::points(place, zones);
        // One grid for both towns.
        let town = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
        point["properties"]["type"] = json!("land");
        point["properties"]["relativeLocation"] =
            json!({"type": "Feature", "properties": {"city": town, "state": "KS"}});
        for (key, url) in routine::addresses() {
            point["properties"][key] = json!(url);
        }
        files.push((file.clone(), point.to_string().into_bytes()));
        let (lat, lon) = place;
        let mut ways = vec![
            format!("/points/{lat:.4},{lon:.4}"),
            format!("/points/{lat:.2},{lon:.2}"),
            format!("/points/{lat},{lon}"),
        ];
        ways.dedup();
        for path in ways {
            timeline
                .push(json!({"at": at(BEFORE_MIN), "http": {"host": "api.weather.gov", "path": path}, "status": 200,
                "headers": {"content-type": "application/geo+json"}, "file": file}));
        }
    }
}

/// Writes the radar files; returns the largest planted cell of each.
fn radar(files: &mut Vec<(String, Vec<u8>)>, timeline: &mut Vec<Value>) -> Vec<Value> {
    let mut planted = Vec::new();
    for field in &FIELDS {
        for valid_min in (-6..=162).step_by(RADAR_EVERY_MIN as usize) {
            let odd = if field.last_60_min { 0.0 } else { RADAR_ODD_MIN };
            let valid = f64::from(valid_min) + odd;
            let spec = storm::file(field, valid_min, at(valid));
            let folder = format!("{}_00.50", field.folder);
            let stamp = at(valid).strftime("%Y%m%d-%H%M%S");
            let key = format!("CONUS/{folder}/{}/MRMS_{folder}_{stamp}.grib2.gz", at(valid).strftime("%Y%m%d"));
            let file = format!("mrms/{}_{}.grib2.gz", field.folder, hhmmss(valid));
            files.push((file.clone(), grib::encode_mrms(&spec)));
            let appears = at(valid + RADAR_LATE_MIN);
            timeline.push(json!({"at": appears, "s3": {"bucket": "noaa-mrms-pds", "key": key}, "file": file}));
            planted.push(largest(&spec, &key, &file));
        }
    }
    planted
}

fn largest(spec: &grib::MrmsSpec, key: &str, file: &str) -> Value {
    let place = |cell: &(u32, u32, f64)| {
        let (lat, lon) = spec.centre_of(cell.0, cell.1);
        json!({"lat": (lat * 1e4).round() / 1e4, "lon": (lon * 1e4).round() / 1e4})
    };
    let value = spec.cells.iter().map(|cell| cell.2).fold(f64::NEG_INFINITY, f64::max);
    let cells: Vec<Value> = spec.cells.iter().filter(|cell| cell.2 == value).map(place).collect();
    json!({"key": key, "file": file, "max": if cells.is_empty() { Value::Null } else { json!(value) }, "max_cells": cells,
        "signal_cells": spec.cells.iter().filter(|cell| cell.2 > 0.0).count()})
}

/// Writes the radar's volumes; returns where each has its largest echo.
fn volumes(files: &mut Vec<(String, Vec<u8>)>, timeline: &mut Vec<Value>) -> Vec<Value> {
    let echo = FIELDS.iter().find(|field| field.folder == "MergedReflectivityQCComposite").expect("it is planted");
    let mut planted = Vec::new();
    for minute in (VOLUMES_MIN.0..=VOLUMES_MIN.1).step_by(VOLUME_EVERY_MIN as usize) {
        let begun = at(f64::from(minute));
        let mut spec = VolumeSpec::new("KICT", begun);
        (spec.cuts_deg, spec.cuts_promised) = (vec![0.5, 6.4], 2);
        let (bearing_deg, km) = storm::from_place(KICT, storm::core(f64::from(minute)));
        let gate = ((km - 2.125) / 0.25).round();
        let dbz = (echo.core)(minute);
        // A storm out of reach (102 km in these volumes) or a faded one leaves nothing.
        let seen = dbz > 0.0 && gate < f64::from(GATES);
        if seen {
            let (radial, gate) = (bearing_deg as u16, gate as u16);
            spec.echoes =
                vec![(0, radial, gate, dbz), (0, radial + 1, gate, dbz - 10.0), (1, radial, gate, dbz - 20.0)];
        }
        let stamp = begun.strftime("%Y%m%d_%H%M%S");
        let file = format!("nexrad/{}", hhmmss(f64::from(minute)));
        let key = format!("{}/KICT/KICT{stamp}_V06", begun.strftime("%Y/%m/%d"));
        files.push((file.clone(), level2::encode(&spec)));
        let appears = at(f64::from(minute) + VOLUME_LATE_MIN);
        timeline.push(json!({"at": appears, "s3": {"bucket": "unidata-nexrad-level2", "key": key}, "file": file}));
        planted.push(json!({"file": file, "key": key, "max_dbz": if seen { json!(dbz) } else { Value::Null }}));
    }
    planted
}

fn description() -> String {
    format!(
        "name = \"an invented tornado at Larkfield, Kansas\"\nfrom = \"{}\"\nto = \"{}\"\n\
        licence = \"invented by examples/make_fixtures; licensed like the program\"\n\
        note = \"\"\"Every byte is invented: the towns, the office KXKS, the storm and what every upstream says of it. A Slight risk, a severe\n\
        thunderstorm watch by county, a severe thunderstorm warning at 21:05Z, a tornado warning at 21:15Z that an update at 21:22Z makes\n\
        observed and considerable, the storm over Larkfield at 21:32Z, cancellation at 21:48Z, reports of hail and of the tornado some\n\
        minutes after each. The warnings feed answers one web page at 21:19Z and 503 from 21:25Z to 21:33Z. Five radar products on a grid\n\
        of 0.05 degrees every six minutes, granules of lightning of two minutes each, one cut-out of the model an hour for whoever asks,\n\
        one radar's volumes out to 102 km. truth.json says what must be decided when.\"\"\"\n",
        at(0.0),
        at(END_MIN)
    )
}
