//! `stormbell debug decode glm FILE`: what a lightning granule says, as one JSON document (design/cli.md).

use crate::decode::glm::{self, Contents};
use crate::geo::{LatLon, compass, round_1dp};
use crate::lightning::LightningWindow;
use jiff::SignedDuration;
use serde_json::{Value, json};
use std::sync::Arc;

/// The document for one file. A file that cannot be read gives `ok: false` with the error as its one fault.
pub fn describe(file_name: &str, bytes: &[u8], at: Option<LatLon>, radius_km: f64) -> Value {
    let read = match glm::contents(file_name, bytes) {
        Ok(read) => read,
        Err(error) => {
            let fault = json!({"what": error.to_string(), "where": file_name, "kept_rest": false});
            return json!({"source": "glm", "file": file_name, "ok": false, "faults": [fault]});
        }
    };
    let granule = &read.granule;
    let times: Vec<_> = granule.flashes.iter().map(|flash| flash.first_event_utc(granule)).collect();
    let largest_km2 = read.area_km2.iter().flatten().copied().reduce(f64::max);
    let energies: Vec<f64> = read.energy_j.iter().flatten().copied().collect();
    let faults: Vec<Value> =
        read.faults.iter().map(|f| json!({"what": f.what, "where": f.place, "kept_rest": f.kept_rest})).collect();
    let qualities: serde_json::Map<String, Value> =
        read.quality_counts.iter().map(|(quality, count)| (quality.to_string(), json!(count))).collect();
    let mut answer = json!({
        "source": "glm",
        "file": file_name,
        "ok": true,
        "satellite": granule.satellite.name(),
        "platform": granule.platform,
        "start_utc": granule.start_utc.to_string(),
        "end_utc": granule.end_utc.to_string(),
        "covered_s": granule.end_utc.duration_since(granule.start_utc).as_secs_f64(),
        "flashes": granule.flashes.len(),
        "left_out": granule.left_out,
        "groups": read.groups,
        "events": read.events,
        "lit_pixels": granule.flashes.iter().map(|flash| flash.lit().count()).sum::<usize>(),
        "first_event_utc": times.iter().min().map(ToString::to_string),
        "last_flash_began_utc": times.iter().max().map(ToString::to_string),
        "time_units": read.time_units,
        "quality": qualities,
        "sum_energy_j": energies.iter().sum::<f64>(),
        "largest_area_km2": largest_km2,
        "faults": faults,
    });
    if let (Some(place), Some(object)) = (at, answer.as_object_mut()) {
        object.insert("at".to_owned(), describe_at(&read, place, radius_km));
    }
    answer
}

/// What the granule shows around a place, whichever satellite serves the place.
fn describe_at(read: &Contents, place: LatLon, radius_km: f64) -> Value {
    let granule = &read.granule;
    let mut window = LightningWindow::default();
    window.take(&Arc::new(granule.clone()));
    let now = granule.end_utc.checked_add(SignedDuration::from_secs(1)).unwrap_or(granule.end_utc);
    let sight = window.seen_from(place, radius_km, 1, now);
    let nearest = sight.nearest.as_ref().map(|flash| {
        json!({
            "distance_km": round_1dp(flash.distance_km),
            "bearing_deg": flash.bearing_deg.round(),
            "direction": compass(flash.bearing_deg),
            "lat": flash.at.lat(),
            "lon": flash.at.lon(),
            "centroid_distance_km": round_1dp(flash.centroid_distance_km),
            "first_event_utc": flash.first_event_utc.to_string(),
        })
    });
    json!({
        "lat": place.lat(),
        "lon": place.lon(),
        "radius_km": radius_km,
        "in_view": granule.satellite.sees(place),
        "flashes": sight.flash_count,
        "nearest": nearest,
    })
}
