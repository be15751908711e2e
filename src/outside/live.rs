//! The way out to the live upstreams: reqwest for HTTP, aws-sdk-s3 without credentials for buckets.
//!
//! Both share the limits on requests at once, and all who ask the same at the same time share one request. Nothing is
//! retried here: the caller's `backoff` decides.

mod http;
mod s3;

pub(super) use http::whole_story;

use super::limits::{Flights, Limits};
use super::{Answered, Bucket, ByteRange, Get, Got, ObjectInfo, Outside, OutsideError};
use crate::clock::Clock;
use async_trait::async_trait;
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// How the upstreams are addressed.
#[derive(Debug, Clone)]
pub struct LiveSettings {
    /// `User-Agent` with a contact: api.weather.gov answers 403 without one.
    pub user_agent: String,
    /// Limit on name lookup, connection and TLS together.
    pub connect_timeout: Duration,
}

impl LiveSettings {
    /// The usual settings, with `contact` (a mail address or a page) in the user agent.
    pub fn with_contact(contact: &str) -> Self {
        let user_agent = format!("stormbell/{} ({contact})", env!("CARGO_PKG_VERSION"));
        Self { user_agent, connect_timeout: Duration::from_secs(10) }
    }
}

/// The clients cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the HTTP client cannot be set up (user agent {user_agent:?}): {why}")]
pub struct LiveError {
    /// As configured.
    pub user_agent: String,
    /// What the client said.
    pub why: String,
}

/// The live upstreams.
pub struct LiveOutside {
    clients: Arc<Clients>,
    gets: Flights<Get, Result<Got, OutsideError>>,
    asks: Flights<Get, Result<Answered, OutsideError>>,
    ranges: Flights<(Get, ByteRange), Result<Bytes, OutsideError>>,
    lists: Flights<ListAsked, Result<Vec<ObjectInfo>, OutsideError>>,
    objects: Flights<ObjectAsked, Result<Bytes, OutsideError>>,
}

struct Clients {
    http: reqwest::Client,
    s3: s3::S3Clients,
    limits: Limits,
    clock: Clock,
}

/// One listing, as asked.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ListAsked {
    bucket: Bucket,
    prefix: String,
    start_after: Option<String>,
    objects_max: usize,
}

/// One object, as asked.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ObjectAsked {
    bucket: Bucket,
    key: String,
    bytes_max: usize,
    timeout: Duration,
}

impl LiveOutside {
    /// Sets the clients up; connects to nothing yet.
    pub fn new(settings: &LiveSettings) -> Result<Self, LiveError> {
        let http = http::client(settings)
            .map_err(|error| LiveError { user_agent: settings.user_agent.clone(), why: http::whole_story(&error) })?;
        let s3 = s3::S3Clients::new(settings.connect_timeout);
        // The upstreams run on the machine's time, whatever clock the rest of the program has.
        let clients = Clients { http, s3, limits: Limits::new(), clock: Clock::live() };
        let (gets, asks, ranges) = (Flights::new(), Flights::new(), Flights::new());
        let (lists, objects) = (Flights::new(), Flights::new());
        Ok(Self { clients: Arc::new(clients), gets, asks, ranges, lists, objects })
    }
}

#[async_trait]
impl Outside for LiveOutside {
    async fn get(&self, request: &Get) -> Result<Got, OutsideError> {
        let (clients, asked) = (Arc::clone(&self.clients), request.clone());
        self.gets.join(request.clone(), || async move { clients.get(&asked).await }).await
    }

    async fn ask(&self, request: &Get) -> Result<Answered, OutsideError> {
        let (clients, asked) = (Arc::clone(&self.clients), Get { held: None, ..request.clone() });
        self.asks.join(asked.clone(), || async move { clients.ask(&asked).await }).await
    }

    async fn get_range(&self, request: &Get, range: ByteRange) -> Result<Bytes, OutsideError> {
        let (clients, asked) = (Arc::clone(&self.clients), request.clone());
        self.ranges.join((request.clone(), range), || async move { clients.get_range(&asked, range).await }).await
    }

    async fn list(
        &self,
        bucket: &Bucket,
        prefix: &str,
        start_after: Option<&str>,
        objects_max: usize,
    ) -> Result<Vec<ObjectInfo>, OutsideError> {
        let asked = ListAsked {
            bucket: bucket.clone(),
            prefix: prefix.to_owned(),
            start_after: start_after.map(str::to_owned),
            objects_max,
        };
        let clients = Arc::clone(&self.clients);
        self.lists.join(asked.clone(), || async move { clients.list(&asked).await }).await
    }

    async fn object(
        &self,
        bucket: &Bucket,
        key: &str,
        bytes_max: usize,
        timeout: Duration,
    ) -> Result<Bytes, OutsideError> {
        let asked = ObjectAsked { bucket: bucket.clone(), key: key.to_owned(), bytes_max, timeout };
        let clients = Arc::clone(&self.clients);
        self.objects.join(asked.clone(), || async move { clients.object(&asked).await }).await
    }
}

/// The address of a host for counting: name and port.
fn authority(url: &reqwest::Url) -> String {
    format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default())
}
