use super::*;
use crate::decode::level2;
use crate::decode::planted_volume;
use crate::radar::nearest_sites;

fn larkfield() -> LatLon {
    LatLon::new(37.74, -98.21).unwrap()
}

fn now() -> Timestamp {
    "2031-05-09T21:34:00Z".parse().unwrap()
}

fn found() -> RadarSnapshot {
    let (name, bytes) = planted_volume::files().remove(0);
    let (volume, _) = level2::volume(&name, &bytes).unwrap();
    let (site, distance_km) = nearest_sites(larkfield(), 1).remove(0);
    let bearing_deg = larkfield().bearing_deg(site.at);
    RadarSnapshot { site, distance_km, bearing_deg, key: format!("2031/05/09/KICT/{name}"), volume }
}

#[test]
fn a_volume_is_told_in_the_known_fields() {
    let answer = radar_snapshot(Some(&found()), &[], larkfield(), now());
    let json = serde_json::to_value(&answer.data).unwrap();
    assert_eq!((json["site"]["id"].as_str(), json["site"]["state"].as_str()), (Some("KICT"), Some("KS")));
    assert_eq!(json["volume"]["s3_key"], "2031/05/09/KICT/KICT20310509_212500_V06");
    assert_eq!(
        (json["volume"]["scan_start_utc"].as_str(), json["volume"]["age_s"].as_i64()),
        (Some("2031-05-09T21:25:00Z"), Some(540))
    );
    assert_eq!((json["vcp"].as_i64(), json["sweep_count"].as_i64()), (Some(212), Some(3)));
    assert_eq!(json["max_reflectivity"]["dbz"], 61.5);
    assert_eq!(json["max_reflectivity"]["azimuth_deg"], 250.5);
    let top = &json["echo_top_estimate"];
    assert_eq!((top["threshold_dbz"].as_f64(), top["km_above_radar"].as_f64()), (Some(18.0), Some(3.4)));
    assert!(json.get("point").is_none());
    assert!(answer.degraded.is_empty());
    assert!(answer.interpretation.contains("severe-weather precipitation"), "{}", answer.interpretation);
}

#[test]
fn nearer_radars_that_failed_are_named() {
    let fault = Fault { what: "the radar is silent".to_owned(), place: "KVNX".to_owned(), kept_rest: true };
    let answer = radar_snapshot(Some(&found()), std::slice::from_ref(&fault), larkfield(), now());
    assert_eq!(answer.data.not_used[0].what, "KVNX");
    let none = radar_snapshot(None, &[fault], larkfield(), now());
    assert_eq!(none.degraded, [SOURCE_ID]);
    assert!(none.interpretation.contains("unknown, not quiet") && none.interpretation.contains("KVNX"));
    let json = serde_json::to_value(&none.data).unwrap();
    assert!(json.get("site").is_none() && json["point"]["lat"] == 37.74);
}

#[test]
fn a_part_of_a_volume_is_not_told_as_whole_and_clear_air_is_said() {
    let mut part = found();
    part.volume.completeness = Completeness::Incomplete { why: "the end of the volume is missing".to_owned() };
    part.volume.vcp = Some(35);
    let answer = radar_snapshot(Some(&part), &[], larkfield(), now());
    assert_eq!(answer.degraded, [SOURCE_ID]);
    assert!(answer.interpretation.starts_with("This volume is a part"), "{}", answer.interpretation);
    assert!(answer.interpretation.contains("clear-air"));
}
