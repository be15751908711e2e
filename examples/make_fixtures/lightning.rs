//! The lightning of the bundled day: which granules there are and what is in them. The netCDF files themselves are written by
//! `scripts/make_glm_fixtures.py` from what is said here (in the day's `truth.json`): a writer of HDF5 is no small thing.

use crate::storm::{self, at};
use serde_json::{Value, json};

/// Where they lie in the day's folder.
pub const FOLDER: &str = "glm";

/// Minutes of the first and the last granule's start: without a pause from a quarter of an hour before the day to its end.
const STARTS_MIN: (i32, i32) = (-17, 165);
/// A granule covers two minutes, the longest that the program takes; real ones cover 20 s.
const COVERS_MIN: i32 = 2;
/// Seconds after its end at which a granule is there, and made.
const LATE_S: f64 = 5.0;
const MADE_S: f64 = 2.0;
/// Its light reaches this far from a flash's centre, degrees: never farther than 3 km.
const REACH_DEG: f64 = 0.02;

/// Seconds after a granule's start at which flashes begin, by its start minute: a few while the storm grows, many while it is
/// severe, few while it fades, none after 22:00.
fn flashes_s(start_min: i32) -> &'static [f64] {
    match start_min {
        ..1 => &[30.0],
        1..5 => &[18.0, 60.0],
        5..37 => &[12.0, 36.0, 54.0, 78.0, 102.0],
        37..53 => &[24.0, 84.0],
        53..59 => &[48.0],
        _ => &[],
    }
}

fn rounded(degrees: f64) -> f64 {
    (degrees * 1e4).round() / 1e4
}

/// The granules by start; adds a line to the timeline for each.
pub fn granules(timeline: &mut Vec<Value>) -> Vec<Value> {
    let mut planted = Vec::new();
    let mut id = 0_u32;
    for start_min in (STARTS_MIN.0..=STARTS_MIN.1).step_by(COVERS_MIN as usize) {
        let (start, end) = (f64::from(start_min), f64::from(start_min + COVERS_MIN));
        let stamp = |minute: f64| format!("{}0", at(minute).strftime("%Y%j%H%M%S"));
        let made = end + MADE_S / 60.0;
        let name = format!("OR_GLM-L2-LCFA_G19_s{}_e{}_c{}.nc", stamp(start), stamp(end), stamp(made));
        let key = format!("GLM-L2-LCFA/{}/{name}", at(start).strftime("%Y/%j/%H"));
        let file = format!("{FOLDER}/{}.nc", at(start).strftime("%H%M"));
        timeline.push(json!({
            "at": at(end + LATE_S / 60.0), "s3": {"bucket": "noaa-goes19", "key": key}, "file": file,
        }));
        let flashes: Vec<Value> = flashes_s(start_min)
            .iter()
            .map(|&seconds| {
                id += 1;
                let (lat, lon) = storm::core(start + seconds / 60.0);
                let lit = [[lat, lon], [lat + REACH_DEG, lon], [lat, lon - REACH_DEG]];
                json!({"id": id, "seconds": seconds, "lat": rounded(lat), "lon": rounded(lon),
                    "lit": lit.map(|at| at.map(rounded))})
            })
            .collect();
        planted
            .push(json!({"file": file, "name": name, "start_utc": at(start), "end_utc": at(end), "flashes": flashes}));
    }
    planted
}
