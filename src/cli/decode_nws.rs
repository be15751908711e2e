//! `stormbell debug decode nws FILE`: what an alerts file says, as one JSON document (design/cli.md).

use crate::decode::nws;
use crate::geo::{Area, LatLon, compass, round_1dp};
use crate::warning::incidents::{Incidents, Phase};
use crate::warning::{CapStatus, Tags, Warning, WarningSnapshot, approach};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// The document for one file. A file that cannot be read gives `ok: false` with the error as its one fault.
///
/// `active` is told for `at_utc`, by default the newest `sent` in the file, by the file alone: what another product in it
/// replaces or ends is not active.
pub fn describe(
    file_name: &str,
    bytes: &[u8],
    at: Option<LatLon>,
    radius_km: Option<f64>,
    at_utc: Option<Timestamp>,
) -> Value {
    let alerts = match nws::alerts(bytes) {
        Ok(alerts) => alerts,
        Err(error) => {
            let fault = json!({"what": error.to_string(), "where": file_name, "kept_rest": false});
            return json!({"source": "nws", "file": file_name, "ok": false, "faults": [fault]});
        }
    };
    let snapshot = &alerts.snapshot;
    let now = at_utc.or_else(|| snapshot.warnings.iter().map(|warning| warning.sent_utc).max());
    let incidents = now.map(|now| lived_through(snapshot, now)).unwrap_or_default();
    let phases: std::collections::HashMap<&str, (&str, Phase)> = now
        .into_iter()
        .flat_map(|now| incidents.standing(now))
        .map(|(key, warning, phase)| (warning.id.as_str(), (key.0.as_str(), phase)))
        .collect();
    let warnings = snapshot.warnings.iter().map(|warning| {
        let mut fields = own_fields(warning);
        let standing = phases.get(warning.id.as_str());
        fields.insert("active".into(), json!(standing.is_some_and(|(_, phase)| *phase == Phase::InEffect)));
        let phase = standing.map_or("over", |(_, phase)| match phase {
            Phase::InEffect => "in_effect",
            Phase::Coming => "coming",
        });
        fields.insert("phase".into(), json!(if warning.counts() { phase } else { "not_for_people" }));
        fields.insert("incident".into(), json!(standing.map(|(key, _)| *key)));
        if let (Some(place), Some(now)) = (at, now) {
            seen_from(&mut fields, warning, place, radius_km, now);
        }
        Value::Object(fields)
    });
    let warnings: Vec<Value> = warnings.collect();
    let skipped: Vec<Value> =
        alerts.skipped.iter().map(|skipped| json!({"id": skipped.id, "why": skipped.why})).collect();
    let faults = alerts.faults.iter();
    let faults: Vec<Value> =
        faults.map(|f| json!({"what": f.what, "where": f.place, "kept_rest": f.kept_rest})).collect();
    json!({
        "source": "nws",
        "file": file_name,
        "ok": true,
        "updated_utc": snapshot.updated_utc.map(|t| t.to_string()),
        "at_utc": now.map(|t| t.to_string()),
        "warnings": warnings,
        "skipped": skipped,
        "faults": faults,
    })
}

/// The file as one poll at `now` that is as fresh as can be.
fn lived_through(snapshot: &WarningSnapshot, now: Timestamp) -> Incidents {
    let mut incidents = Incidents::default();
    incidents.take(&WarningSnapshot { updated_utc: Some(now), ..snapshot.clone() }, now);
    incidents
}

fn own_fields(warning: &Warning) -> Map<String, Value> {
    let time = |time: Option<Timestamp>| time.map(|t| t.to_string());
    let status = match warning.status {
        CapStatus::Actual => "Actual",
        CapStatus::NotActual => "not Actual",
    };
    let vtec: Vec<String> = warning.vtec.iter().map(ToString::to_string).collect();
    let ends =
        warning.ends_utc.or_else(|| warning.standing_vtec().and_then(|vtec| vtec.ends_utc)).or(warning.expires_utc);
    let fields = json!({
        "id": warning.id,
        "event": warning.event,
        "status": status,
        "message_type": warning.message_type,
        "severity": warning.severity,
        "certainty": warning.certainty,
        "urgency": warning.urgency,
        "response": warning.response,
        "headline": warning.headline,
        "area_desc": warning.area_desc,
        "sender": warning.sender,
        "vtec": vtec,
        "references": warning.references,
        "sent_utc": warning.sent_utc.to_string(),
        "effective_utc": time(warning.effective_utc),
        "begins_utc": warning.begins_utc().to_string(),
        "expires_utc": time(warning.expires_utc),
        "ends_utc": time(ends),
        "until_utc": warning.until_utc().to_string(),
        "ibw_tags": tags(&warning.tags),
        "storm_motion": storm_motion(warning),
        "zones": warning.ugc,
        "geometry": warning.area.as_ref().map(geometry),
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn tags(tags: &Tags) -> Value {
    json!({
        "tornado_detection": tags.tornado_detection,
        "tornado_damage_threat": tags.tornado_damage_threat,
        "thunderstorm_damage_threat": tags.thunderstorm_damage_threat,
        "flash_flood_detection": tags.flash_flood_detection,
        "flash_flood_damage_threat": tags.flash_flood_damage_threat,
        "hail_threat": tags.hail_threat,
        "wind_threat": tags.wind_threat,
        "max_hail_size_in": tags.max_hail_size_in,
        "max_wind_gust_mph": tags.max_wind_gust_mph,
    })
}

fn storm_motion(warning: &Warning) -> Option<Value> {
    let motion = warning.motion.as_ref()?;
    let toward_deg = (motion.from_deg + 180.0).rem_euclid(360.0);
    let cells: Vec<Value> = motion.cells.iter().map(|cell| json!({"lat": cell.lat(), "lon": cell.lon()})).collect();
    Some(json!({
        "at_utc": motion.at_utc.to_string(),
        "from_deg": motion.from_deg,
        "toward_deg": toward_deg,
        "toward_compass": compass(toward_deg),
        "speed_kt": motion.speed_kt,
        "storm_cells": cells,
    }))
}

/// GeoJSON: a Polygon where there is one, else a MultiPolygon.
fn geometry(area: &Area) -> Value {
    match area.rings_lonlat() {
        [polygon] => json!({"type": "Polygon", "coordinates": polygon}),
        polygons => json!({"type": "MultiPolygon", "coordinates": polygons}),
    }
}

/// What the product means at a place. Without a polygon a place alone does not tell whether it is inside: null.
fn seen_from(
    fields: &mut Map<String, Value>,
    warning: &Warning,
    place: LatLon,
    radius_km: Option<f64>,
    now: Timestamp,
) {
    let nearest = warning.area.as_ref().and_then(|area| area.nearest(place));
    let bearing = nearest.and_then(|n| n.bearing_deg);
    let inside = nearest.map(|n| n.bearing_deg.is_none());
    let approach = if inside == Some(true) { None } else { approach(warning, place, now) };
    fields.insert("point_inside".into(), json!(inside));
    fields.insert("distance_km".into(), json!(nearest.map(|n| round_1dp(n.distance_km))));
    fields.insert("bearing_deg".into(), json!(bearing.map(f64::round)));
    fields.insert("direction".into(), json!(bearing.map(compass)));
    fields.insert("arrival_min".into(), json!(approach.filter(|a| a.toward).map(|a| round_1dp(a.minutes))));
    fields.insert("passes_km".into(), json!(approach.map(|a| round_1dp(a.passes_km))));
    if let Some(radius_km) = radius_km {
        fields.insert("within_radius".into(), json!(nearest.map(|n| n.distance_km <= radius_km)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXTURE: &[u8] = include_bytes!("../../fixtures/nws_warnings/two_warnings.json");

    #[test]
    fn describes_the_fixture() {
        let place = LatLon::new(38.35, -98.1).unwrap();
        let told = describe("two_warnings.json", FIXTURE, Some(place), Some(40.0), None);
        assert_eq!((told["ok"].clone(), told["at_utc"].clone()), (json!(true), json!("2031-05-09T20:30:00Z")));
        let tornado = &told["warnings"][0];
        assert_eq!(tornado["vtec"], json!(["/O.NEW.KLKF.TO.W.0007.310509T2030Z-310509T2100Z/"]));
        assert_eq!(
            (tornado["begins_utc"].clone(), tornado["ends_utc"].clone()),
            (json!("2031-05-09T20:30:00Z"), json!("2031-05-09T21:00:00Z"))
        );
        assert_eq!((tornado["active"].clone(), tornado["point_inside"].clone()), (json!(true), json!(false)));
        // 0.1 degree east of the polygon at 38.35 N: 8.7 km, due west.
        assert_eq!((tornado["distance_km"].clone(), tornado["direction"].clone()), (json!(8.7), json!("W")));
        assert_eq!(tornado["storm_motion"]["toward_compass"], json!("ENE"));
        assert_eq!(tornado["ibw_tags"]["max_hail_size_in"], json!(0.75));
        // 35 km east at 30 kt, 55.6 km/h: some 35 minutes.
        let minutes = tornado["arrival_min"].as_f64().unwrap();
        assert!((33.0..38.0).contains(&minutes), "{minutes}");
        let red_flag = &told["warnings"][1];
        assert_eq!((red_flag["zones"].clone(), red_flag["geometry"].clone()), (json!(["KSZ998"]), json!(null)));
        assert_eq!((red_flag["point_inside"].clone(), red_flag["active"].clone()), (json!(null), json!(true)));
        assert_eq!(told["skipped"][0]["id"], json!("urn:oid:invented.0003"));
        let later = describe("x", FIXTURE, None, None, Some("2031-05-09T21:00:00Z".parse().unwrap()));
        assert_eq!(
            (later["warnings"][0]["active"].clone(), later["warnings"][0]["phase"].clone()),
            (json!(false), json!("over"))
        );
    }

    #[test]
    fn what_is_no_alerts_file_is_named() {
        for (bytes, word) in [
            (&b""[..], "empty"),
            (b"<!DOCTYPE HTML><html>", "web page"),
            (b"{\"type\":\"FeatureColl", "cut off"),
            (include_bytes!("../../fixtures/nws_zones/larkfield.json"), "wx:Point"),
        ] {
            let told = describe("f", bytes, None, None, None);
            assert_eq!(told["ok"], json!(false));
            assert!(told["faults"][0]["what"].as_str().unwrap().contains(word), "{told}");
        }
    }

    /// Copies of the fixture with bytes changed or the end missing: an answer or an error, never a panic.
    #[test]
    fn damaged_copies_never_panic() {
        let mut dice = 0x9E37_79B9_7F4A_7C15_u64;
        let mut roll = |below: usize| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) as usize % below
        };
        let place = LatLon::new(38.35, -98.1).ok();
        for _ in 0..20 {
            describe("f", &FIXTURE[..roll(FIXTURE.len())], place, None, None);
        }
        for _ in 0..200 {
            let mut copy = FIXTURE.to_vec();
            let at = roll(copy.len());
            copy[at] ^= 1 << roll(8);
            describe("f", &copy, place, Some(40.0), None);
        }
    }
}
