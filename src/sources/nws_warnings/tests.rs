use super::*;
use crate::outside::{Bucket, ObjectInfo, OutsideError};
use std::collections::VecDeque;
use std::sync::Mutex;

const FIXTURE: &str = include_str!("../../../fixtures/nws_warnings/two_warnings.json");

/// Gives prepared answers in turn and remembers what was asked.
#[derive(Default)]
struct Script {
    answers: Mutex<VecDeque<Result<Got, OutsideError>>>,
    asked: Mutex<Vec<Get>>,
}

#[async_trait]
impl Outside for Script {
    async fn get(&self, request: &Get) -> Result<Got, OutsideError> {
        self.asked.lock().unwrap().push(request.clone());
        self.answers.lock().unwrap().pop_front().unwrap()
    }

    async fn list(&self, _: &Bucket, _: &str, _: Option<&str>, _: usize) -> Result<Vec<ObjectInfo>, OutsideError> {
        Err(OutsideError::Absent { url: String::new(), what: "bucket" })
    }

    async fn object(&self, _: &Bucket, _: &str, _: usize, _: Duration) -> Result<Bytes, OutsideError> {
        Err(OutsideError::Absent { url: String::new(), what: "bucket" })
    }
}

fn utc(text: &str) -> Timestamp {
    format!("2031-05-09T{text}Z").parse().unwrap()
}

fn fresh(body: &str, etag: &str) -> Result<Got, OutsideError> {
    let validators = Validators { etag: Some(etag.into()), last_modified: None };
    Ok(Got::Fresh { body: Bytes::copy_from_slice(body.as_bytes()), validators })
}

fn updated(time: &str) -> String {
    FIXTURE.replace("2031-05-09T20:31:20+00:00", &format!("2031-05-09T{time}+00:00"))
}

/// Polls once per answer at the given times.
async fn polls(answers: Vec<(&str, Result<Got, OutsideError>)>) -> (Vec<Result<Poll, PollError>>, Vec<Get>) {
    let script = Arc::new(Script::default());
    let mut source =
        open(Config { base_url: "http://x/".into(), period_s: 30 }, Arc::clone(&script) as Arc<dyn Outside>);
    let mut results = Vec::new();
    for (at, answer) in answers {
        script.answers.lock().unwrap().push_back(answer);
        results.push(source.poll(&Ask::default(), utc(at)).await);
    }
    (results, script.asked.lock().unwrap().clone())
}

#[tokio::test]
async fn one_national_request_yields_the_collection_and_its_faults() {
    let (results, asked) = polls(vec![("20:31:30", fresh(FIXTURE, "1"))]).await;
    let poll = results[0].as_ref().unwrap();
    assert!(poll.good);
    assert_eq!(poll.cursor.as_deref(), Some("2031-05-09T20:31:20Z"));
    let [Observation::Warnings(snapshot), Observation::Alerts(rows)] = poll.observations.as_slice() else {
        panic!("{poll:?}")
    };
    assert_eq!((snapshot.warnings.len(), snapshot.unread), (2, 1));
    let same = rows.rows.iter().zip(&snapshot.warnings).all(|(row, warning)| Arc::ptr_eq(&row.warning, warning));
    assert!(same && rows.rows.len() == 2, "what people search is what levels rest on");
    assert_eq!(poll.faults.len(), 1);
    assert!(poll.faults[0].what.contains("template"));
    assert_eq!((asked[0].base_url.as_str(), asked[0].path.as_str()), ("http://x", "/alerts/active"));
    assert_eq!(asked[0].query, [("status".to_owned(), "actual".to_owned())]);
    assert_eq!((asked[0].accept, asked[0].held.clone()), ("application/geo+json", None));
}

#[tokio::test]
async fn not_modified_and_equal_bodies_are_good_polls_with_the_held_collection() {
    let (results, asked) = polls(vec![
        ("20:31:30", fresh(FIXTURE, "1")),
        ("20:32:00", Ok(Got::NotModified)),
        ("20:32:30", fresh(FIXTURE, "2")),
        ("20:33:00", Ok(Got::NotModified)),
    ])
    .await;
    for result in &results {
        let poll = result.as_ref().unwrap();
        assert!(poll.good);
        assert_eq!(poll.observations, results[0].as_ref().unwrap().observations);
    }
    let etags: Vec<_> = asked.iter().map(|get| get.held.as_ref().and_then(|held| held.etag.as_deref())).collect();
    assert_eq!(etags, [None, Some("1"), Some("1"), Some("2")]);
}

#[tokio::test]
async fn n17_n37_stale_answers_are_refused_and_recovery_needs_no_hand() {
    let (results, asked) = polls(vec![
        ("20:31:30", fresh(FIXTURE, "1")),
        ("20:32:00", fresh(&updated("20:25:00"), "old")),
        ("20:46:00", fresh(&updated("20:45:30"), "2")),
        ("21:02:00", Ok(Got::NotModified)),
        ("21:02:30", fresh(&updated("20:46:00"), "older")),
        ("21:03:00", fresh(&updated("21:02:40"), "3")),
    ])
    .await;
    let refused = |n: usize| match &results[n] {
        Err(PollError::Refused(fault)) => fault.what.clone(),
        other => panic!("{n}: {other:?}"),
    };
    assert!(refused(1).contains("stale copy"));
    assert!(results[2].is_ok());
    assert!(refused(3).contains("behind the clock"));
    assert!(refused(4).contains("behind the clock"));
    assert!(results[5].as_ref().unwrap().good);
    let etags: Vec<_> = asked.iter().map(|get| get.held.as_ref().and_then(|held| held.etag.as_deref())).collect();
    // What was refused never becomes what is held; after a stale 304 the whole is asked for.
    assert_eq!(etags, [None, Some("1"), Some("1"), Some("2"), None, None]);
}

#[tokio::test]
async fn without_updated_it_is_published_but_proves_nothing() {
    let undated = FIXTURE.replace("\"updated\": \"2031-05-09T20:31:20+00:00\",", "");
    let (results, asked) = polls(vec![("20:31:30", fresh(&undated, "1")), ("20:32:00", fresh(FIXTURE, "2"))]).await;
    let poll = results[0].as_ref().unwrap();
    assert!(!poll.good && poll.observations.len() == 1);
    assert!(poll.faults[0].what.contains("does not tell"));
    assert_eq!(asked[1].held, None);
}

#[tokio::test]
async fn n38_trouble_is_named_and_what_is_held_stays() {
    let status = || Err(OutsideError::Status { url: "u".into(), status: 503, retry_after: None });
    let (results, _) = polls(vec![
        ("20:31:30", fresh(FIXTURE, "1")),
        ("20:32:00", status()),
        ("20:32:30", fresh("<html>limit</html>", "x")),
        ("20:33:00", fresh("", "x")),
        ("20:33:30", fresh(FIXTURE.get(..500).unwrap(), "x")),
        ("20:34:00", Ok(Got::NotModified)),
    ])
    .await;
    assert!(matches!(results[1], Err(PollError::Outside(_))));
    for (n, word) in [(2, "web page"), (3, "empty"), (4, "cut off")] {
        let text = results[n].as_ref().unwrap_err().to_string();
        assert!(text.contains(word), "{text}");
    }
    assert!(results[5].as_ref().unwrap().good);
}

#[tokio::test]
async fn a_single_alert_is_not_the_collection() {
    let document: serde_json::Value = serde_json::from_str(FIXTURE).unwrap();
    let lone = document["features"].as_array().unwrap().iter().find(|f| f["properties"]["event"].is_string()).unwrap();
    let mut lone = lone.clone();
    lone["updated"] = document["updated"].clone();
    let (results, _) = polls(vec![("20:31:30", fresh(&lone.to_string(), "1"))]).await;
    let Err(PollError::Refused(fault)) = &results[0] else { panic!("{:?}", results[0]) };
    assert!(fault.what.contains("a single alert, not a collection"), "{}", fault.what);
}
