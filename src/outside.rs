//! Everything beyond this process, behind one trait: HTTP GET and anonymous S3. Answered by the live upstreams, or by a
//! recorded day (`outside::archive`).
//!
//! Invariant: implementations limit themselves: body size, time, at most 8 requests at once per process and 4 per host,
//! and one request per resource however many ask. They never retry (the caller's `backoff` decides) and never judge.

mod answer;
pub mod archive;
pub mod guard;
mod limits;
pub mod live;
pub mod serve;

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use std::time::Duration;
use thiserror::Error;

/// Requests at once over all hosts: more gains nothing on the handful of upstreams there are.
pub const REQUESTS_AT_ONCE_MAX: usize = 8;
/// Requests at once to one host: what NOAA's front ends bear without answering 429.
pub const REQUESTS_AT_ONCE_PER_HOST_MAX: usize = 4;

/// One HTTP GET.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Get {
    /// Scheme, host and port as configured, without a trailing slash: `https://api.weather.gov`.
    pub base_url: String,
    /// Path with a leading slash, already percent-encoded where needed.
    pub path: String,
    /// Query pairs, decoded.
    pub query: Vec<(String, String)>,
    /// `Accept` header: api.weather.gov serves days-old data without one.
    pub accept: &'static str,
    /// A decoded body larger than this is refused.
    pub body_bytes_max: usize,
    /// Limit on the whole exchange.
    pub timeout: Duration,
    /// Validators of the copy already held, for a conditional request.
    pub held: Option<Validators>,
}

/// What makes a request conditional.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Validators {
    /// `ETag` as received.
    pub etag: Option<String>,
    /// `Last-Modified` as received.
    pub last_modified: Option<String>,
}

/// A good HTTP answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Got {
    /// 304: what is held still stands.
    NotModified,
    /// 200 with a body that is not a CDN's HTML page.
    Fresh {
        /// The decoded body.
        body: Bytes,
        /// For the next conditional request.
        validators: Validators,
    },
}

/// An answer whose refusals are read as well: APIs say in the body of a 400 or a 404 what they did not like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// Status 200 with a body that is not a CDN's HTML page.
    Good(Bytes),
    /// Any other status.
    Refused {
        /// The status.
        status: u16,
        /// What came with it: at most `REFUSAL_BYTES_MAX`, and nothing where it did not arrive.
        body: Bytes,
        /// From `Retry-After` (seconds or a date), if sent.
        retry_after: Option<Duration>,
    },
}

/// What is read of the body of a refusal: a problem document has less than 2 kB.
pub const REFUSAL_BYTES_MAX: usize = 64 << 10;

/// Part of a body, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ByteRange {
    /// The first byte.
    pub start: u64,
    /// The byte after the last; `None` to the end of the body.
    pub end: Option<u64>,
}

/// One S3 bucket, anonymous.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bucket {
    /// Bucket name.
    pub name: String,
    /// AWS region.
    pub region: String,
    /// Endpoint other than AWS's own, for a replay over loopback or a mirror.
    pub endpoint_url: Option<String>,
}

/// One object of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Key.
    pub key: String,
    /// Size in bytes, if told.
    pub size_bytes: Option<u64>,
    /// When it appeared, if told.
    pub last_modified_utc: Option<Timestamp>,
}

/// Why there is no answer. Every variant is expected trouble: a value, never a panic.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OutsideError {
    /// An HTTP status other than 200, 206 and 304.
    #[error("{} answered {status}", shown(url))]
    Status {
        /// The request.
        url: String,
        /// The status.
        status: u16,
        /// From `Retry-After` (seconds or a date), if sent.
        retry_after: Option<Duration>,
    },
    /// No such object or bucket.
    #[error("{}: no such {what}", shown(url))]
    Absent {
        /// The request.
        url: String,
        /// `object` or `bucket`.
        what: &'static str,
    },
    /// The time limit passed.
    #[error("{} gave no whole answer within {limit_s} s", shown(url))]
    Timeout {
        /// The request.
        url: String,
        /// The limit.
        limit_s: u64,
    },
    /// Connection refused or reset, TLS or name trouble, a body cut short.
    #[error("{}: {why}", shown(url))]
    Broken {
        /// The request.
        url: String,
        /// What the client said.
        why: String,
    },
    /// The body is larger than allowed.
    #[error("{} sent more than {limit_bytes} bytes", shown(url))]
    TooLarge {
        /// The request.
        url: String,
        /// The cap.
        limit_bytes: usize,
    },
    /// A web page where data was due: a CDN's error page with status 200.
    #[error("{} sent a web page where {expected} was due", shown(url))]
    WebPage {
        /// The request.
        url: String,
        /// The `Accept` type or the product.
        expected: String,
    },
}

/// Characters of an address in a message: a model's subset names a hundred fields.
const URL_CHARS_SHOWN: usize = 160;

/// An address as far as a message needs it.
fn shown(url: &str) -> String {
    let head: String = url.chars().take(URL_CHARS_SHOWN).collect();
    if head.len() < url.len() { format!("{head}…") } else { head }
}

impl OutsideError {
    /// Whether the upstream says that it has too much to do: 429 or 503.
    pub fn is_too_much(&self) -> bool {
        matches!(self, Self::Status { status: 429 | 503, .. })
    }

    /// How long the upstream asked to be left alone, if it said.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            Self::Absent { .. }
            | Self::Timeout { .. }
            | Self::Broken { .. }
            | Self::TooLarge { .. }
            | Self::WebPage { .. } => None,
        }
    }
}

/// The way out.
#[async_trait]
pub trait Outside: Send + Sync {
    /// Names of the sources that can be asked here at all; `None`: every one. A recorded day may hold but a few.
    fn holds(&self) -> Option<&[String]> {
        None
    }

    /// One GET.
    async fn get(&self, request: &Get) -> Result<Got, OutsideError>;

    /// One GET that also tells what a refusal says. `held` of the request means nothing here.
    ///
    /// Ways out that do not read refusals keep this default, which knows their status alone.
    async fn ask(&self, request: &Get) -> Result<Answered, OutsideError> {
        match self.get(&Get { held: None, ..request.clone() }).await {
            Ok(Got::Fresh { body, .. }) => Ok(Answered::Good(body)),
            Ok(Got::NotModified) => {
                let url = format!("{}{}", request.base_url, request.path);
                Err(OutsideError::Broken { url, why: "304 to a request that held nothing".to_owned() })
            }
            Err(OutsideError::Status { status, retry_after, .. }) => {
                Ok(Answered::Refused { status, body: Bytes::new(), retry_after })
            }
            Err(other) => Err(other),
        }
    }

    /// Part of what one GET would answer: exactly these bytes, by status 206. Anything else is trouble, and a whole body
    /// (status 200) is broken off: the file may be a thousand times the part. `held` of the request means nothing here.
    ///
    /// Ways out that know no parts keep this default.
    async fn get_range(&self, request: &Get, range: ByteRange) -> Result<Bytes, OutsideError> {
        let url = format!("{}{}", request.base_url, request.path);
        Err(OutsideError::Broken { url, why: format!("parts of a body are not answered here ({range:?})") })
    }

    /// All keys under `prefix` that sort after `start_after`, in key order, over all pages up to `objects_max`.
    async fn list(
        &self,
        bucket: &Bucket,
        prefix: &str,
        start_after: Option<&str>,
        objects_max: usize,
    ) -> Result<Vec<ObjectInfo>, OutsideError>;

    /// One whole object of at most `bytes_max`.
    async fn object(
        &self,
        bucket: &Bucket,
        key: &str,
        bytes_max: usize,
        timeout: Duration,
    ) -> Result<Bytes, OutsideError>;
}

/// Runs work that holds the processor for long (a decode, a flush) without starving the other tasks: beside them on a
/// threaded runtime, in place on a current-thread one, where order must not depend on threads.
pub fn compute<T>(work: impl FnOnce() -> T) -> T {
    match tokio::runtime::Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(tokio::runtime::RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        Ok(_) | Err(_) => work(),
    }
}
