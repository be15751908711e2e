//! An upstream that answers everything with the same trouble, and answers that lack a key: no tool falls over, and none takes
//! trouble for the absence of what was asked for.

use super::{fixtures, larkfield};
use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use stormbell::clock::Clock;
use stormbell::config::Config;
use stormbell::decode::nws_api;
use stormbell::desk::enquiries::{Enquiries, Refusal};
use stormbell::mcp::tools::nws::{Asked, TOOLS, Told, answer};
use stormbell::outside::{Answered, Bucket, Get, Got, ObjectInfo, Outside, OutsideError};
use stormbell::sources::OnDemand;

/// Answers everything alike, after some time.
struct Alike {
    answer: Result<Answered, OutsideError>,
    after: Duration,
    clock: Clock,
    asked: Mutex<usize>,
}

#[async_trait]
impl Outside for Alike {
    async fn get(&self, _: &Get) -> Result<Got, OutsideError> {
        unreachable!("refusals are read")
    }

    async fn ask(&self, _: &Get) -> Result<Answered, OutsideError> {
        *self.asked.lock().unwrap() += 1;
        self.clock.sleep(self.after).await;
        self.answer.clone()
    }

    async fn list(&self, _: &Bucket, _: &str, _: Option<&str>, _: usize) -> Result<Vec<ObjectInfo>, OutsideError> {
        unreachable!("no bucket is asked")
    }

    async fn object(&self, _: &Bucket, _: &str, _: usize, _: Duration) -> Result<Bytes, OutsideError> {
        unreachable!("no bucket is asked")
    }
}

fn alike(answer: Result<Answered, OutsideError>, after: Duration) -> (Arc<Alike>, Enquiries) {
    let clock = Clock::starting_at(super::FROM.parse().unwrap(), 1.0);
    let outside = Arc::new(Alike { answer, after, clock, asked: Mutex::default() });
    let config = Config::from_text("test", "", &[]).unwrap();
    let on_demand = OnDemand::open(&config, &(Arc::clone(&outside) as Arc<dyn Outside>)).unwrap();
    (outside, Enquiries::new(Arc::new(on_demand), clock))
}

async fn call(nws: &Enquiries, tool: &str, arguments: &Value) -> Result<Told, Refusal> {
    answer(tool, arguments.as_object().cloned(), &Asked { nws, seen: None }).await
}

/// A good question to every tool, and to those that take more than one way both.
fn questions() -> Vec<(&'static str, Value)> {
    let questions = vec![
        ("nws_get_forecast", larkfield(json!({}))),
        ("nws_get_forecast", larkfield(json!({"hourly": true}))),
        ("nws_search_alerts", json!({})),
        ("nws_search_alerts", json!({"point": "37.74,-98.21"})),
        ("nws_get_alert_counts", json!({})),
        ("nws_get_observations", larkfield(json!({}))),
        ("nws_get_observations", json!({"station_id": "KXKS"})),
        ("nws_get_observation_history", json!({"station_id": "KXKS"})),
        ("nws_find_stations", larkfield(json!({}))),
        ("nws_list_alert_types", json!({})),
        ("nws_get_office_discussion", json!({"office": "XKS"})),
        ("nws_get_zone_forecast", json!({"zone_id": "KSZ197"})),
    ];
    let asked: BTreeSet<&str> = questions.iter().map(|(tool, _)| *tool).collect();
    assert_eq!(asked.len(), TOOLS.len(), "every tool is asked");
    questions
}

#[tokio::test(start_paused = true)]
async fn trouble_is_never_taken_for_an_answer() {
    let refused = |status| Ok(Answered::Refused { status, body: Bytes::new(), retry_after: None });
    let good = |text: &str| Ok(Answered::Good(Bytes::from(text.to_owned())));
    let url = || "u".to_owned();
    let troubles: Vec<(&str, Result<Answered, OutsideError>)> = vec![
        ("500", refused(500)),
        ("502", refused(502)),
        ("503", refused(503)),
        ("429", refused(429)),
        ("403", refused(403)),
        ("418", refused(418)),
        ("a web page", Err(OutsideError::WebPage { url: url(), expected: "JSON".into() })),
        ("nothing in time", Err(OutsideError::Timeout { url: url(), limit_s: 10 })),
        ("a broken line", Err(OutsideError::Broken { url: url(), why: "reset".into() })),
        ("too much", Err(OutsideError::TooLarge { url: url(), limit_bytes: 1 })),
        ("nothing", good("")),
        ("a web page called JSON", good("<!DOCTYPE html><html></html>")),
        ("half an answer", good(r#"{"type":"FeatureCollection","features":[{"type":"#)),
        ("null", good("null")),
        ("a list", good("[]")),
        ("a text", good("\"maintenance\"")),
        ("no UTF-8", Ok(Answered::Good(Bytes::from_static(b"{\"a\":\"\xff\"}")))),
        (
            "a refusal with 200",
            good(r#"{"title":"Data Unavailable","type":"https://api.weather.gov/problems/DataUnavailable"}"#),
        ),
    ];
    for (what, trouble) in troubles {
        for (tool, arguments) in questions() {
            let (outside, nws) = alike(trouble.clone(), Duration::ZERO);
            let told = call(&nws, tool, &arguments).await;
            let refusal = match told {
                Err(refusal) => refusal,
                Ok(told) => panic!("{tool} {arguments} over {what}: {}", told.value),
            };
            // A document without a time or a place is all that cannot be told from an observation that has none.
            let is_silence = tool == "nws_get_observations" && refusal.reason == Some("no_observations");
            assert!(refusal.reason.is_none() || is_silence, "{tool} over {what}: {refusal:?}");
            assert!(refusal.hint.len() > 20 && !refusal.message.is_empty(), "{tool} over {what}: {refusal:?}");
            // Three tries of one question; of two that go out together, three and one, or three each.
            assert!((1..=6).contains(&*outside.asked.lock().unwrap()), "{tool} over {what}");
        }
    }
}

/// Whoever stops waiting stops the asking.
#[tokio::test(start_paused = true)]
async fn a_question_that_was_given_up_is_not_asked_again() {
    let trouble = Ok(Answered::Refused { status: 503, body: Bytes::new(), retry_after: None });
    let (outside, nws) = alike(trouble, Duration::from_secs(1));
    let clock = outside.clock;
    let given_up = clock.timeout(Duration::from_millis(1_500), call(&nws, "nws_get_alert_counts", &json!({}))).await;
    assert!(given_up.is_none());
    clock.sleep(Duration::from_secs(60)).await;
    assert_eq!(*outside.asked.lock().unwrap(), 1);
}

/// Pointers to every key of a document, of lists only to what their first item holds.
fn pointers(value: &Value, path: &str, all: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
                all.push(path.clone());
                pointers(value, &path, all);
            }
        }
        Value::Array(items) => {
            if let Some(first) = items.first() {
                pointers(first, &format!("{path}/0"), all);
            }
        }
        _ => {}
    }
}

/// Every copy of a document in which one key is null, missing or of another kind.
fn damaged(document: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    pointers(document, "", &mut all);
    let mut copies = Vec::new();
    for pointer in all {
        for other in [Value::Null, json!(7), json!("a word"), json!({}), json!([null])] {
            let mut copy = document.clone();
            *copy.pointer_mut(&pointer).unwrap() = other;
            copies.push((pointer.clone(), copy));
        }
        let mut copy = document.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let key = key.replace("~1", "/").replace("~0", "~");
        copy.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(&key);
        copies.push((pointer, copy));
    }
    copies
}

/// Lesson 7: every field of the upstream is optional, and one that is odd costs at most its own row.
#[test]
fn a_missing_or_odd_key_costs_at_most_its_own_row() {
    fn rows_of<T>(read: Result<T, impl std::error::Error>, count: impl Fn(T) -> usize) -> Option<usize> {
        read.ok().map(count)
    }
    type Count = fn(&[u8]) -> Option<usize>;
    // Keys without which there is no list at all.
    let cases: [(&str, usize, &[&str], Count); 7] = [
        ("alerts/nation.json", 62, &["/features", "/type"], |bytes| {
            rows_of(nws_api::alerts(bytes), |read| read.rows.len())
        }),
        ("forecast/hourly.json", 156, &["/properties", "/properties/periods"], |bytes| {
            rows_of(nws_api::forecast(bytes), |read| read.facts.periods.len())
        }),
        ("stations/sixty.json", 60, &["/features"], |bytes| rows_of(nws_api::stations(bytes), |read| read.facts.len())),
        ("observations/24_from_0.json", 25, &["/features"], |bytes| {
            rows_of(nws_api::observations(bytes), |read| read.facts.len())
        }),
        ("products/list.json", 3, &["/@graph"], |bytes| rows_of(nws_api::products(bytes), |read| read.facts.len())),
        ("zones/forecast.json", 3, &["/properties", "/properties/periods"], |bytes| {
            rows_of(nws_api::zone_forecast(bytes), |read| read.facts.periods.len())
        }),
        ("points/land.json", 1, &["/properties"], |bytes| rows_of(nws_api::grid_point(bytes), |_| 1)),
    ];
    for (file, rows, needed, count) in cases {
        let document: Value = serde_json::from_slice(&std::fs::read(fixtures().join(file)).unwrap()).unwrap();
        assert_eq!(count(document.to_string().as_bytes()), Some(rows), "{file}");
        let copies = damaged(&document);
        assert!(copies.len() > 40, "{file}: {}", copies.len());
        for (pointer, copy) in copies {
            let read = count(copy.to_string().as_bytes());
            if !needed.contains(&pointer.as_str()) {
                assert!(read.is_some_and(|read| read + 1 >= rows), "{file} without {pointer}: {read:?} of {rows} rows");
            }
        }
    }
}
