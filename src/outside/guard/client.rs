//! One POST to a URL from outside: the addresses that were judged are the ones connected to, no redirects, no proxy, a limit
//! on the whole exchange and on what is read of the answer.

use super::{GuardError, check_url, may_connect};
use crate::clock::Clock;
use crate::outside::answer::Head;
use crate::outside::live::whole_story;
use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Response, Url};
use std::error::Error as _;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Limit on name lookup, connection and TLS together: a dead host must not take the whole exchange's time.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// An idle connection is closed before the other side's front end closes it under a request.
const IDLE_CONNECTION_MAX: Duration = Duration::from_secs(50);
/// What is read of a refusal's words: enough for a reason, whatever the other side goes on to send.
const WORDS_BYTES_MAX: usize = 2_048;
/// How long a refusal's words may take: the status, which is what counts, has come already.
const WORDS_TIMEOUT: Duration = Duration::from_secs(2);

/// From a name to addresses. The system's, or a test's.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// All addresses of a name.
    async fn addresses(&self, name: &str) -> std::io::Result<Vec<IpAddr>>;
}

/// The system's own name lookup.
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn addresses(&self, name: &str) -> std::io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|found| found.ip()).collect())
    }
}

/// What is sent.
#[derive(Debug, Clone)]
pub struct Post {
    /// Where to; judged again.
    pub url: String,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Vec<u8>,
    /// Limit on the whole exchange.
    pub timeout: Duration,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The status; a redirect is one like any other.
    pub status: u16,
    /// From `Retry-After` (seconds or a date), at most a day.
    pub retry_after: Option<Duration>,
    /// The beginning of what a status other than 2xx says, as one harmless line.
    pub words: String,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PostError {
    /// It is not asked at all.
    #[error(transparent)]
    Guarded(#[from] GuardError),
    /// The time limit passed.
    #[error("no answer within {limit_s} s")]
    Timeout {
        /// The limit.
        limit_s: u64,
    },
    /// Connection refused or reset, TLS or name trouble.
    #[error("{why}")]
    Broken {
        /// What the client said, without the URL.
        why: String,
    },
}

/// The client.
pub struct GuardedClient {
    http: reqwest::Client,
    allow_loopback: bool,
    clock: Clock,
}

impl GuardedClient {
    /// Sets the client up; asks nobody yet.
    ///
    /// # Errors
    /// What the HTTP client said, for instance of a user agent that is no header.
    pub fn new(user_agent: &str, allow_loopback: bool, lookup: Arc<dyn Lookup>) -> Result<Self, String> {
        let http = reqwest::Client::builder()
            .user_agent(user_agent)
            .redirect(Policy::none())
            .no_proxy()
            .no_gzip()
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(IDLE_CONNECTION_MAX)
            .dns_resolver(Guarding { allow_loopback, lookup })
            .build()
            .map_err(|error| whole_story(&error))?;
        // Other machines run on the machine's time, whatever clock the rest of the program has.
        Ok(Self { http, allow_loopback, clock: Clock::live() })
    }

    /// One POST. Never retried.
    ///
    /// # Errors
    /// `PostError`; a status of any kind is an answer.
    pub async fn post(&self, post: Post) -> Result<Answered, PostError> {
        let limit = post.timeout;
        let done = self.clock.timeout(limit, self.exchange(post)).await;
        done.unwrap_or(Err(PostError::Timeout { limit_s: limit.as_secs() }))
    }

    async fn exchange(&self, post: Post) -> Result<Answered, PostError> {
        let url: Url = check_url(&post.url, self.allow_loopback)?;
        let sent = self.http.post(url).headers(post.headers).body(post.body).send().await;
        let response = sent.map_err(|error| refusal(&error.without_url()))?;
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let status = response.status();
        let retry_after = Head::read(status.as_u16(), header).stay_away(self.clock.now());
        let words = if status.is_success() { String::new() } else { self.words(response).await };
        Ok(Answered { status: status.as_u16(), retry_after, words })
    }

    /// What a refusal says, as far as it says it soon.
    async fn words(&self, mut response: Response) -> String {
        let mut read = Vec::new();
        let reading = async {
            while let Ok(Some(chunk)) = response.chunk().await {
                read.extend(chunk.iter().take(WORDS_BYTES_MAX.saturating_sub(read.len())));
                if read.len() >= WORDS_BYTES_MAX {
                    break;
                }
            }
        };
        let _ = self.clock.timeout(WORDS_TIMEOUT, reading).await;
        let text = String::from_utf8_lossy(&read);
        text.split(|c: char| c.is_whitespace() || c.is_control())
            .filter(|w| !w.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The lookup between the HTTP client and the system: what must not be connected to is not handed on.
struct Guarding {
    allow_loopback: bool,
    lookup: Arc<dyn Lookup>,
}

impl Resolve for Guarding {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookup, allow_loopback) = (Arc::clone(&self.lookup), self.allow_loopback);
        Box::pin(async move {
            let found = lookup.addresses(name.as_str()).await?;
            let first = found.first().copied();
            let may: Vec<SocketAddr> = found
                .into_iter()
                .filter(|address| may_connect(*address, allow_loopback))
                .map(|address| SocketAddr::new(address, 0))
                .collect();
            match first {
                Some(address) if may.is_empty() => {
                    Err(GuardError::PrivateAddress { host: name.as_str().to_owned(), address }.into())
                }
                _ => Ok(Box::new(may.into_iter()) as Addrs),
            }
        })
    }
}

/// A guard's refusal comes back wrapped in the client's errors.
fn refusal(error: &reqwest::Error) -> PostError {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(guarded) = error.downcast_ref::<GuardError>() {
            return PostError::Guarded(guarded.clone());
        }
        cause = error.source();
    }
    PostError::Broken { why: whole_story(error) }
}
