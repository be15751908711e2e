use super::*;
use crate::geo::LatLon;
use crate::outside::{Bucket, ObjectInfo, OutsideError};
use crate::storm_report::Category;
use std::sync::Mutex;

const NATIONAL: &[u8] = include_bytes!("../../../fixtures/iem_reports/national.geojson");

/// Answers everything alike and remembers what was asked.
struct Always {
    answer: Mutex<Result<Vec<u8>, OutsideError>>,
    asked: Mutex<Vec<Get>>,
}

impl Always {
    fn new(body: &[u8]) -> Arc<Self> {
        Arc::new(Self { answer: Mutex::new(Ok(body.to_vec())), asked: Mutex::default() })
    }

    fn query(&self, key: &str) -> String {
        let asked = self.asked.lock().unwrap();
        let query = &asked.last().unwrap().query;
        query.iter().find(|(held, _)| held == key).map(|(_, value)| value.clone()).unwrap_or_default()
    }
}

#[async_trait]
impl Outside for Always {
    async fn get(&self, request: &Get) -> Result<Got, OutsideError> {
        self.asked.lock().unwrap().push(request.clone());
        let body = self.answer.lock().unwrap().clone()?;
        Ok(Got::Fresh { body: body.into(), validators: crate::outside::Validators::default() })
    }

    async fn list(&self, _: &Bucket, _: &str, _: Option<&str>, _: usize) -> Result<Vec<ObjectInfo>, OutsideError> {
        Err(OutsideError::Absent { url: String::new(), what: "bucket" })
    }

    async fn object(&self, _: &Bucket, _: &str, _: usize, _: Duration) -> Result<Bytes, OutsideError> {
        Err(OutsideError::Absent { url: String::new(), what: "object" })
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[tokio::test]
async fn a_poll_reads_the_whole_window_again() {
    let outside = Always::new(NATIONAL);
    let mut source = open(Config::default(), Arc::clone(&outside) as Arc<dyn Outside>);
    let poll = source.poll(&Ask::default(), at("2031-05-09T21:40:00Z")).await.unwrap();
    let [Observation::StormReports(reports)] = poll.observations.as_slice() else { panic!("{poll:?}") };
    assert!(poll.good && poll.faults.len() == 1);
    assert_eq!((reports.reports.len(), reports.unread), (4, 1), "once each, and none from before the window");
    assert_eq!(reports.reports[0].category, Category::Tornado);
    assert_eq!([outside.query("sts"), outside.query("ets")], ["2031-05-09T18:40Z", "2031-05-09T21:50Z"]);
    assert_eq!(outside.query("hours"), "", "the cached form mixes up subsets");
    // What was heard first stays told.
    let poll = source.poll(&Ask::default(), at("2031-05-09T21:41:00Z")).await.unwrap();
    let [Observation::StormReports(again)] = poll.observations.as_slice() else { panic!("{poll:?}") };
    assert_eq!(again.reports[0].heard_utc, at("2031-05-09T21:40:00Z"));
}

#[tokio::test]
async fn what_is_no_collection_is_refused_and_an_empty_one_is_good() {
    let outside = Always::new(b"Too many requests from your IP address, slow down.");
    let mut source = open(Config::default(), Arc::clone(&outside) as Arc<dyn Outside>);
    let error = source.poll(&Ask::default(), at("2031-05-09T21:40:00Z")).await.unwrap_err();
    assert!(error.to_string().contains("Too many requests"), "{error}");
    *outside.answer.lock().unwrap() = Ok(br#"{"type":"FeatureCollection","features":[]}"#.to_vec());
    let poll = source.poll(&Ask::default(), at("2031-05-09T21:41:00Z")).await.unwrap();
    assert!(poll.good && poll.observations.len() == 1);
}

#[tokio::test]
async fn by_point_always_gives_both_ends() {
    let outside = Always::new(NATIONAL);
    let archive = open_archive(&Config::default(), Arc::clone(&outside) as Arc<dyn Outside>);
    let zone = jiff::tz::TimeZone::get("America/Chicago").unwrap();
    let window = EventWindow::day("2031-05-09".parse().unwrap(), &zone).unwrap();
    let place = LatLon::new(38.6, -98.2).unwrap();
    let (reports, faults) = archive.by_point(place, 80.0, window, at("2031-05-10T12:00:00Z")).await.unwrap();
    assert_eq!((reports.reports.len(), faults.len()), (5, 1));
    let asked = ["begints", "endts", "radius_miles", "lat", "lon"].map(|key| outside.query(key));
    assert_eq!(asked, ["2031-05-09T05:00:00Z", "2031-05-10T05:00:00Z", "49.8", "38.6000", "-98.2000"]);
    let evening = reports.within(place, 20.0, window.from_utc, window.to_utc);
    assert_eq!(evening.len(), 1);
}
