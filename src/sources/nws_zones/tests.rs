use super::*;
use crate::geo::LatLon;
use crate::outside::{Bucket, ObjectInfo, Validators};
use bytes::Bytes;
use std::sync::Mutex;

const LARKFIELD: &str = include_str!("../../../fixtures/nws_zones/larkfield.json");
const COAST: &str = include_str!("../../../fixtures/nws_zones/coast.json");

/// Answers by path, and remembers the paths.
struct Points {
    answer: fn(&str) -> Result<&'static str, u16>,
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl Outside for Points {
    async fn get(&self, request: &Get) -> Result<Got, OutsideError> {
        self.asked.lock().unwrap().push(request.path.clone());
        match (self.answer)(&request.path) {
            Ok(body) => Ok(Got::Fresh { body: Bytes::from_static(body.as_bytes()), validators: Validators::default() }),
            Err(status) => Err(OutsideError::Status { url: request.path.clone(), status, retry_after: None }),
        }
    }

    async fn list(&self, _: &Bucket, _: &str, _: Option<&str>, _: usize) -> Result<Vec<ObjectInfo>, OutsideError> {
        Err(OutsideError::Absent { url: String::new(), what: "bucket" })
    }

    async fn object(&self, _: &Bucket, _: &str, _: usize, _: Duration) -> Result<Bytes, OutsideError> {
        Err(OutsideError::Absent { url: String::new(), what: "bucket" })
    }
}

fn source(answer: fn(&str) -> Result<&'static str, u16>) -> (NwsZones, Arc<Points>) {
    let points = Arc::new(Points { answer, asked: Mutex::default() });
    (open(Config::default(), Arc::clone(&points) as Arc<dyn Outside>), points)
}

fn ask(places: &[(f64, f64, bool)]) -> Ask {
    let place = |&(lat, lon, zones_known): &_| AskedPlace { at: LatLon::new(lat, lon).unwrap(), zones_known };
    Ask { places: Arc::new(places.iter().map(place).collect()) }
}

fn utc(second: i64) -> Timestamp {
    "2031-05-09T20:00:00Z".parse::<Timestamp>().unwrap() + jiff::SignedDuration::from_secs(second)
}

#[tokio::test]
async fn only_places_without_zones_are_asked_about_with_four_decimals() {
    let (mut source, points) = source(|_| Ok(LARKFIELD));
    let ask = ask(&[(38.35, -98.4, false), (40.0, -95.0, true)]);
    assert!(source.is_wanted_now(&ask));
    let poll = source.poll(&ask, utc(0)).await.unwrap();
    assert_eq!(*points.asked.lock().unwrap(), ["/points/38.3500,-98.4000"]);
    let [Observation::Zones(zones)] = poll.observations.as_slice() else { panic!("{poll:?}") };
    assert_eq!(zones.ugc, ["KSC999", "KSZ997", "KSZ998"]);
    assert_eq!(zones.time_zone.as_deref(), Some("America/Chicago"));
    assert!(poll.good && poll.faults.is_empty());
    let nothing = source.poll(&Ask::default(), utc(10)).await.unwrap();
    assert!(nothing.good && nothing.observations.is_empty(), "nothing to ask is still a heartbeat");
}

#[tokio::test]
async fn n28_a_place_over_water_gets_its_county_from_the_weather_radio_and_says_so() {
    let (mut source, _) = source(|_| Ok(COAST));
    let poll = source.poll(&ask(&[(30.2, -88.9, false)]), utc(0)).await.unwrap();
    let [Observation::Zones(zones)] = poll.observations.as_slice() else { panic!("{poll:?}") };
    assert_eq!(zones.ugc, ["GMZ999", "MSC999"]);
    assert!(poll.faults.iter().any(|fault| fault.what.contains("MSC999 is taken from the SAME code")));
}

#[tokio::test]
async fn one_bad_place_fails_none_of_the_others_and_is_tried_again() {
    let (mut source, points) = source(|path| match path {
        "/points/30.0000,-95.0000" => Err(404),
        "/points/31.0000,-95.0000" => Ok("<html>"),
        "/points/32.0000,-95.0000" => Ok("{\"properties\":{}}"),
        _ => Ok(LARKFIELD),
    });
    let ask = ask(&[(30.0, -95.0, false), (31.0, -95.0, false), (32.0, -95.0, false), (33.0, -95.0, false)]);
    let poll = source.poll(&ask, utc(0)).await.unwrap();
    assert_eq!((poll.observations.len(), poll.faults.len(), poll.good), (1, 3, true));
    assert_eq!(poll.faults[1].place, "/points/31.0000,-95.0000");
    assert!(!source.is_wanted_now(&ask), "they wait for the next round");
    source.poll(&ask, utc(10)).await.unwrap();
    assert_eq!(points.asked.lock().unwrap().len(), 8);
}

#[tokio::test]
async fn when_nothing_answers_the_poll_fails_so_that_the_shell_backs_off() {
    let (mut source, _) = source(|_| Err(503));
    let error = source.poll(&ask(&[(30.0, -95.0, false)]), utc(0)).await.unwrap_err();
    assert!(matches!(error, PollError::Outside(OutsideError::Status { status: 503, .. })));
}

#[tokio::test]
async fn no_more_than_one_request_a_second_and_everyone_has_a_turn() {
    // Nobody ever gets zones.
    let (mut source, points) = source(|_| Err(404));
    let many: Vec<(f64, f64, bool)> = (0..100).map(|n| (30.0 + f64::from(n) / 10.0, -95.0, false)).collect();
    let ask = ask(&many);
    for second in 0..100 {
        source.poll(&ask, utc(second)).await.unwrap();
    }
    let asked = points.asked.lock().unwrap().clone();
    assert!((100..=110).contains(&asked.len()), "{}", asked.len());
    let different: BTreeSet<_> = asked.iter().take(100).collect();
    assert_eq!(different.len(), 100, "all once before any twice");
}
