//! Recorded answers with storm reports against what the peer reads from them.

use crate::shared;
use crate::spc_recordings::damage;
use jiff::Timestamp;
use serde_json::{Value, json};
use stormbell::cli::decode_lsr;
use stormbell::decode::lsr;
use stormbell::geo::LatLon;
use stormbell::mcp::tools::severe::reports::{Counts, ReportAround};
use stormbell::storm_report::{Category, StormReports, once_each};

fn recording(name: &str) -> Option<Vec<u8>> {
    let root = shared::path("data")?;
    let places = [root.join("recorded/lsr").join(name), root.join("days/2026-06-10/iem/bypoint.geojson")];
    let of_day = usize::from(name.contains("bypoint"));
    std::fs::read(&places[of_day]).ok()
}

fn all(bytes: &[u8]) -> StormReports {
    let rows = lsr::reports(bytes, Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!((rows.unread, rows.faults.len()), (0, 0));
    let (from_utc, to_utc) = (Timestamp::MIN, Timestamp::MAX);
    let reports = once_each(rows.reports);
    StormReports { reports, from_utc, to_utc, read_utc: from_utc, unread: 0, is_cut: false, url: String::new() }
}

/// Counts, the newest and the nearest report of all golden points; distances to 0.1 km. Two deliberate differences: wind
/// without a thunderstorm is no severe wind (severe.md 3.6, defect), and a magnitude that is not told is null, not "".
#[test]
fn reports_read_as_the_peer_reads_them() {
    let Some(path) = shared::path("goldens/shearline.json") else { return };
    let goldens: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let (mut compared, mut other_winds) = (0, 0);
    for case in goldens["lsr"].as_array().unwrap() {
        let name = case["fixture"].as_str().unwrap();
        let Some(bytes) = recording(name) else { continue };
        let all = all(&bytes);
        let place = LatLon::new(case["lat"].as_f64().unwrap(), case["lon"].as_f64().unwrap()).unwrap();
        assert_eq!(json!(all.reports.len()), case["total"], "{name}");
        let within = |km| all.within(place, km, all.from_utc, all.to_utc);
        let (everywhere, near) = (within(20_000.0), within(80.0));
        for (found, counts) in [(&everywhere, &case["counts_all"]), (&near, &case["counts_80km"])] {
            let ours = Counts::of(found.iter().map(|near| near.report));
            let moved = ours.non_thunderstorm_wind;
            other_winds += moved;
            let as_peer = json!({
                "tornado": ours.tornado, "hail": ours.hail, "wind": ours.wind + moved, "flood": ours.flood,
                "other": ours.other - moved,
            });
            assert_eq!(&as_peer, counts, "{name} at {}", case["name"]);
        }
        assert_eq!(json!(near.len()), case["within_80km"]);
        let nearest = everywhere.iter().min_by(|a, b| a.distance_km.total_cmp(&b.distance_km)).unwrap();
        same(&json!(ReportAround::of(nearest)), &case["nearest"], name);
        // Of several reports of one time the peer shows the first in the file, we the nearest.
        let first = everywhere.iter().find(|near| json!(near.report.city) == case["first"]["city"]).unwrap();
        assert_eq!(first.report.event_utc, everywhere[0].report.event_utc, "{name}: the newest");
        same(&json!(ReportAround::of(first)), &case["first"], name);
        let hail = near.iter().filter_map(|near| near.report.hail_in()).max_by(f64::total_cmp);
        assert_eq!(json!(hail), case["max_hail_in_80km"], "{name} at {}", case["name"]);
        compared += 1;
    }
    println!("{compared} points compared");
    assert!(compared == 12 && other_winds > 0, "{compared}");
}

fn same(ours: &Value, golden: &Value, name: &str) {
    for (key, due) in golden.as_object().unwrap() {
        let due = if due == "" { &Value::Null } else { due };
        match (ours[key].as_f64(), due.as_f64()) {
            (Some(a), Some(b)) if key == "distance_km" => assert!((a - b).abs() < 0.11, "{name} {key}: {a} for {b}"),
            (Some(a), Some(b)) => assert!((a - b).abs() < 1e-9, "{name} {key}: {a} for {b}"),
            _ => assert_eq!(&ours[key], due, "{name} {key}"),
        }
    }
}

/// levels.md, worked example: three tornado reports near Unionville, at 47, 56 and 65 km.
#[test]
fn the_three_tornado_reports_near_unionville() {
    let Some(bytes) = recording("iem_lsr_sample.geojson") else { return };
    let all = all(&bytes);
    let unionville = LatLon::new(40.52, -92.90).unwrap();
    let now: Timestamp = "2026-06-10T21:15:00Z".parse().unwrap();
    let since: Timestamp = "2026-06-10T19:15:00Z".parse().unwrap();
    let near = all.within(unionville, 80.0, since, now);
    let tornadoes: Vec<(String, f64)> = near
        .iter()
        .filter(|near| near.report.category == Category::Tornado)
        .map(|near| (near.report.event_utc.to_string(), near.distance_km.round()))
        .collect();
    let due = [("20:54", 65.0), ("20:30", 47.0), ("20:30", 56.0)];
    assert_eq!(tornadoes, due.map(|(time, km)| (format!("2026-06-10T{time}:00Z"), km)));
    assert!(near.iter().all(|near| near.report.issued_utc.unwrap() <= now));
}

/// Every file of the folder gives its truth or says what it is; damaged copies never panic and never write a number that is none.
#[test]
fn every_recorded_file_is_read_or_named() {
    let Some(folder) = shared::path("data/recorded/lsr") else { return };
    let mut files: Vec<std::path::PathBuf> = Vec::new();
    for folder in [folder.join("text"), folder] {
        files.extend(
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()),
        );
    }
    let (mut read, mut named) = (0, 0);
    for path in &files {
        let bytes = std::fs::read(path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let described = decode_lsr::describe(&name, &bytes, None, 40.0);
        let what = described["faults"][0]["what"].as_str().unwrap_or_default();
        if name.starts_with("iem_") {
            assert_eq!((&described["ok"], what), (&json!(true), ""), "{name}");
            read += 1;
            continue;
        }
        assert_eq!(described["ok"], false, "{name}");
        let due = match path.extension().and_then(|end| end.to_str()) {
            Some("txt") if name.starts_with("LSR_") => "not a GeoJSON collection but an NWS text bulletin (LSR",
            Some("json") => "not a GeoJSON collection but a text product of api.weather.gov (Local Storm Report)",
            Some("geojson") => "where storm reports were due",
            Some("xml") => "not a GeoJSON collection but XML",
            _ => "not a GeoJSON collection but plain text",
        };
        assert!(what.contains(due), "{name}: {what}");
        named += 1;
    }
    assert!(read == 2 && named >= 35, "{read} read, {named} named");
    damage(&files, |bytes| {
        let described = decode_lsr::describe("x", bytes, LatLon::new(40.5, -92.9).ok(), 500.0);
        assert!(serde_json::to_string(&described).is_ok());
    });
}
