use super::*;
use crate::lightning::{Flash, Granule, QUALITY_GOOD, Satellite};
use jiff::SignedDuration;
use std::sync::Arc;

fn now() -> Timestamp {
    "2031-05-09T21:15:00Z".parse().unwrap()
}

fn larkfield() -> LatLon {
    LatLon::new(37.74, -98.21).unwrap()
}

/// Granules of 20 s up to 30 s before now, `minutes` of them; in the last one a flash `km` north.
fn picture(minutes: i64, km: Option<f64>) -> Picture {
    let mut picture = Picture::default();
    let end = now() - SignedDuration::from_secs(30);
    for number in (1..=minutes * 3).rev() {
        let start_utc = end - SignedDuration::from_secs(20 * number);
        let flash =
            km.filter(|_| number == 1).map(|km| Flash::new(7_000_000, larkfield().travel(0.0, km), QUALITY_GOOD, &[]));
        Arc::make_mut(&mut picture.lightning).take(&Arc::new(Granule {
            satellite: Satellite::East,
            platform: "G19".to_owned(),
            key: format!("granule-{start_utc}"),
            start_utc,
            end_utc: start_utc + SignedDuration::from_secs(20),
            flashes: flash.into_iter().collect(),
            left_out: 0,
        }));
    }
    picture
}

#[test]
fn a_flash_is_told_with_distance_time_and_rate_over_the_covered_minutes() {
    let answer = lightning(&picture(15, Some(12.0)), larkfield(), 40.0, 15, now());
    let data = &answer.data;
    assert_eq!((data.satellite.as_str(), data.granules_used), ("GOES-East (G19)", 44));
    assert_eq!((data.flash_count, data.covered_minutes, data.flashes_per_min), (Some(1), 14.5, Some(0.1)));
    let nearest = data.nearest_strike.as_ref().unwrap();
    assert_eq!((nearest.location.distance_km, nearest.location.direction.as_str()), (12.0, "N"));
    assert_eq!(nearest.time_utc, "2031-05-09T21:14:17Z");
    assert_eq!(data.most_recent_strike_utc.as_deref(), Some("2031-05-09T21:14:17Z"));
    assert_eq!(answer.degraded, Vec::<String>::new());
    assert!(answer.interpretation.contains("Suspend what is done outdoors"), "{}", answer.interpretation);
    let tier = |km| lightning(&picture(15, Some(km)), larkfield(), 40.0, 15, now()).interpretation;
    assert!(tier(9.9).contains("overhead") && tier(16.1).contains("in the area"));
}

#[test]
fn quiet_is_told_where_it_was_looked() {
    let answer = lightning(&picture(15, None), larkfield(), 40.0, 15, now());
    assert_eq!((answer.data.flash_count, answer.data.flashes_per_min), (Some(0), Some(0.0)));
    assert!(answer.degraded.is_empty() && answer.interpretation.starts_with("No flash detected"));
}

#[test]
fn nothing_heard_is_unknown_and_not_zero() {
    let answer = lightning(&Picture::default(), larkfield(), 40.0, 15, now());
    assert_eq!((answer.data.flash_count, answer.data.flashes_per_min), (None, None));
    assert_eq!(answer.degraded, [SOURCE_ID]);
    assert!(answer.interpretation.contains("unknown"), "{}", answer.interpretation);
    let stale = lightning(&picture(15, None), larkfield(), 40.0, 15, now() + SignedDuration::from_mins(5));
    assert_eq!((stale.data.flash_count, stale.degraded), (None, vec![SOURCE_ID.to_owned()]));
    assert!(stale.interpretation.contains("unknown since 21:14Z"), "{}", stale.interpretation);
}

#[test]
fn a_window_with_gaps_says_so() {
    let answer = lightning(&picture(3, None), larkfield(), 40.0, 15, now());
    assert!(answer.data.window_truncated);
    assert_eq!((answer.data.covered_minutes, answer.degraded), (3.0, vec![SOURCE_ID.to_owned()]));
    assert!(
        answer.interpretation.starts_with("Files cover only 3 of the last 15 minutes"),
        "{}",
        answer.interpretation
    );
}

#[test]
fn radius_and_minutes_are_clamped() {
    let data = lightning(&picture(15, None), larkfield(), 1e9, 500, now()).data;
    assert_eq!((data.radius_km, data.window_minutes), (100.0, 30));
    let data = lightning(&picture(15, None), larkfield(), 0.0, -3, now()).data;
    assert_eq!((data.radius_km, data.window_minutes), (5.0, 1));
}
