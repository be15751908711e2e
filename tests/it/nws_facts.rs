//! The routine tools against a recorded day of their own (`fixtures/nws_facts`), which holds every kind of answer and trouble
//! that they know of. Waiting is virtual; what was asked of the upstream is counted.

mod alerts;
mod cli;
mod contract;
mod field_reports;
mod forecasts;
mod foreign;
mod observations;
mod places;
mod recordings;
mod schemas;
mod texts;
mod unwell;
mod upstream;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use stormbell::clock::Clock;
use stormbell::config::Config;
use stormbell::desk::enquiries::{Enquiries, Refusal};
use stormbell::mcp::tools::nws::{Asked, Told, answer};
use stormbell::outside::archive::{Archive, ArchiveOutside};
use stormbell::outside::{Answered, Bucket, Get, Got, ObjectInfo, Outside, OutsideError};
use stormbell::sources::OnDemand;
use stormbell::threat::picture::Picture;

/// When the day of the fixtures begins.
pub const FROM: &str = "2031-05-09T21:00:00Z";
/// Larkfield.
pub const LAT: f64 = 37.74;
pub const LON: f64 = -98.21;

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/nws_facts")
}

/// A recorded day that notes what is asked of it.
pub struct Noted {
    day: ArchiveOutside,
    clock: Clock,
    from: Timestamp,
    asked: Mutex<Vec<(f64, String)>>,
}

impl Noted {
    fn note(&self, request: &Get) {
        let pairs: Vec<String> = request.query.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let query = if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) };
        let second = self.clock.now().duration_since(self.from).as_secs_f64();
        assert_eq!(request.accept, "application/geo+json");
        self.asked.lock().unwrap().push((second.round(), format!("{}{query}", request.path)));
    }
}

#[async_trait]
impl Outside for Noted {
    async fn get(&self, request: &Get) -> Result<Got, OutsideError> {
        self.note(request);
        self.day.get(request).await
    }

    async fn ask(&self, request: &Get) -> Result<Answered, OutsideError> {
        self.note(request);
        self.day.ask(request).await
    }

    async fn list(&self, _: &Bucket, _: &str, _: Option<&str>, _: usize) -> Result<Vec<ObjectInfo>, OutsideError> {
        unreachable!("no bucket is asked")
    }

    async fn object(&self, _: &Bucket, _: &str, _: usize, _: Duration) -> Result<Bytes, OutsideError> {
        unreachable!("no bucket is asked")
    }
}

/// The tools over a recorded day.
pub struct Tools {
    pub nws: Enquiries,
    pub clock: Clock,
    outside: Arc<Noted>,
    pub picture: Option<Picture>,
}

impl Tools {
    /// Over the fixtures, at their beginning.
    pub fn new() -> Self {
        Self::over(&fixtures(), FROM, "")
    }

    /// Over another day and with more configuration.
    pub fn over(folder: &Path, from: &str, config: &str) -> Self {
        let from: Timestamp = from.parse().unwrap();
        let clock = Clock::starting_at(from, 1.0);
        let archive = Arc::new(Archive::load(folder).unwrap());
        let day = ArchiveOutside::new(archive, clock);
        let outside = Arc::new(Noted { day, clock, from, asked: Mutex::default() });
        let config = Config::from_text("test", config, &[]).unwrap();
        let on_demand = OnDemand::open(&config, &(Arc::clone(&outside) as Arc<dyn Outside>)).unwrap();
        Self { nws: Enquiries::new(Arc::new(on_demand), clock), clock, outside, picture: None }
    }

    /// Paths asked of the upstream since the last look, in order.
    pub fn asked(&self) -> Vec<String> {
        self.timed().into_iter().map(|(_, path)| path).collect()
    }

    /// The same with the second of each.
    pub fn timed(&self) -> Vec<(f64, String)> {
        std::mem::take(&mut self.outside.asked.lock().unwrap())
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Told, Refusal> {
        let asked = Asked { nws: &self.nws, seen: self.picture.as_ref() };
        answer(tool, arguments.as_object().cloned(), &asked).await
    }

    /// The structured answer, which fits the schema of its tool and whose figures are those of the text.
    pub async fn good(&self, tool: &str, arguments: Value) -> Value {
        let told =
            self.call(tool, arguments.clone()).await.unwrap_or_else(|refusal| panic!("{arguments}: {refusal:?}"));
        for key in ["schema_version", "interpretation", "degraded", "disclaimer"] {
            assert!(told.value.get(key).is_some(), "{tool} lacks {key}");
        }
        assert!(told.value.get("error").is_none());
        told.value
    }

    pub async fn text(&self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments).await.unwrap().text
    }

    pub async fn refused(&self, tool: &str, arguments: Value) -> Refusal {
        match self.call(tool, arguments.clone()).await {
            Ok(told) => panic!("{tool} {arguments} was answered: {}", told.value),
            Err(refusal) => refusal,
        }
    }

    /// The reason of a refusal, and that it says what to do.
    pub async fn reason(&self, tool: &str, arguments: Value) -> &'static str {
        let refusal = self.refused(tool, arguments).await;
        assert!(refusal.hint.len() > 20, "{refusal:?}");
        refusal.reason.unwrap_or("none")
    }
}

/// A point as the tools take it.
pub fn at(latitude: f64, longitude: f64) -> Value {
    json!({"latitude": latitude, "longitude": longitude})
}

/// Arguments with more.
pub fn with(mut arguments: Value, more: Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        arguments[key] = value.clone();
    }
    arguments
}

pub fn larkfield(more: Value) -> Value {
    with(at(LAT, LON), more)
}
