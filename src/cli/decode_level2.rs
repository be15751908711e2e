//! `stormbell debug decode level2 FILE`: what a volume of a single radar says, as one JSON document (design/cli.md).

use crate::decode::level2;
use crate::geo::{LatLon, compass, round_1dp};
use crate::radar::{self, Completeness, Gate, vcp_meaning};
use serde_json::{Value, json};

/// The document for one file. A file that cannot be read gives `ok: false` with the error as its one fault.
pub fn describe(file_name: &str, bytes: &[u8], at: Option<LatLon>) -> Value {
    let (volume, faults) = match level2::volume(file_name, bytes) {
        Ok(read) => read,
        Err(error) => {
            let fault = json!({"what": error.to_string(), "where": file_name, "kept_rest": false});
            return json!({"source": "level2", "file": file_name, "ok": false, "faults": [fault]});
        }
    };
    let faults: Vec<Value> =
        faults.iter().map(|f| json!({"what": f.what, "where": f.place, "kept_rest": f.kept_rest})).collect();
    let (word, missing) = match &volume.completeness {
        Completeness::Complete => ("complete", None),
        Completeness::EndedEarly { cuts, of } => ("ended early", Some(format!("{cuts} of {of} cuts"))),
        Completeness::Incomplete { why } => ("incomplete", Some(why.clone())),
    };
    let sweeps: Vec<Value> = volume
        .sweeps
        .iter()
        .map(|sweep| {
            json!({
                "elevation_deg": sweep.elevation_deg,
                "radials": sweep.radials,
                "azimuths_covered_deg": sweep.azimuths_covered_deg,
                "moments": sweep.moments,
                "max_reflectivity": sweep.max_reflectivity.as_ref().map(gate),
            })
        })
        .collect();
    let mut answer = json!({
        "source": "level2",
        "file": file_name,
        "ok": true,
        "format": volume.format,
        "station": volume.station,
        "scan_start_utc": volume.scan_start_utc.to_string(),
        "scan_end_utc": volume.scan_end_utc.to_string(),
        "vcp": volume.vcp,
        "vcp_meaning": volume.vcp.map(vcp_meaning),
        "completeness": word,
        "missing": missing,
        "sweep_count": volume.sweeps.len(),
        "radials": volume.sweeps.iter().map(|sweep| sweep.radials).sum::<u32>(),
        "max_reflectivity": volume.max_reflectivity().as_ref().map(gate),
        "echo_top": volume.echo_top().map(|top| {
            json!({"km_above_radar": top.km_above_radar, "gate": gate(&top.gate)})
        }),
        "sweeps": sweeps,
        "faults": faults,
    });
    if let (Some(place), Some(object)) = (at, answer.as_object_mut()) {
        let site = volume.station.as_deref().and_then(radar::site);
        object.insert("at".to_owned(), describe_at(site.as_ref(), place));
    }
    answer
}

fn gate(gate: &Gate) -> Value {
    json!({
        "dbz": gate.dbz,
        "range_km": gate.range_km,
        "azimuth_deg": gate.azimuth_deg,
        "elevation_deg": gate.elevation_deg,
    })
}

/// Where the radar stands as seen from a place.
fn describe_at(site: Option<&radar::RadarSite>, place: LatLon) -> Value {
    let seen = site.map(|site| {
        let bearing_deg = place.bearing_deg(site.at);
        json!({
            "id": site.id,
            "name": site.name,
            "distance_km": round_1dp(place.distance_km(site.at)),
            "bearing_deg": bearing_deg.round(),
            "direction": compass(bearing_deg),
        })
    });
    json!({"lat": place.lat(), "lon": place.lon(), "site": seen})
}
