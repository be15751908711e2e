//! Web push: a notice, encrypted for one browser (RFC 8291), handed to the push service of that browser's vendor (RFC 8030),
//! which knows us by our key (VAPID, RFC 8292).
//!
//! What a push service says is read strictly: only 404 and 410 end a subscription. What it refuses as ill-made (400, 401, 403)
//! is our fault until proven otherwise: the subscription stays, and only after five refusals in a row its notices go to the
//! owner's other channels. 413 is answered by a shorter payload, once. 429, and any `Retry-After`, hold back everything for
//! the same push service, and nothing for others.
//!
//! Boundaries: ✗ no retries, no waiting. Invariant: endpoints come from whoever subscribes; nothing is asked but by
//! `outside::guard`, and none of them, nor a browser's keys, stands in a log, a receipt or an error.

use crate::channels::{Channel, SendOutcome};
use crate::clock::Clock;
use crate::config::{Config, WebPushConfig};
use crate::notice::push::{self, PLAINTEXT_BYTES_MAX};
use crate::notice::{Browser, ChannelKind, Delivery};
use crate::outside::compute;
use crate::outside::guard::{GuardError, GuardedClient, Lookup, Post, PostError, SystemLookup, check_url};
use crate::store::{Secrets, Store, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use thiserror::Error;

mod origins;
mod seal;
mod vapid;
mod verdict;

use origins::Origins;
pub use seal::SealError;
use vapid::Vapid;
use verdict::Verdict;

/// Refusals in a row that are our fault, from which on a browser's notices go to the owner's other channels.
pub const REFUSALS_MAX: u32 = 5;
/// Pushes under way at once: browsers of one vendor share a push service, and some of those answer slowly.
const AT_ONCE: usize = 8;
/// How long everything for a push service waits after a 429 that says no time, and after no answer at all: so that a dead one
/// costs its time limit once, not once a browser.
const REST: Duration = Duration::from_secs(30);
/// Time beyond the limit on one exchange that a send may take: two exchanges where the first was too large, and the store.
const SLACK: Duration = Duration::from_secs(5);
/// A push service keeps a message for four weeks at most.
const TTL_MAX: Duration = Duration::from_secs(28 * 24 * 3_600);

/// Why the channel cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WebPushError {
    /// The HTTP client cannot be set up.
    #[error("the HTTP client for web push cannot be set up: {0}")]
    Client(String),
    /// The VAPID key does not sign.
    #[error("the VAPID key cannot be used: {0}")]
    Key(String),
}

/// Why a subscription is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SubscriptionError {
    /// Its endpoint must not be asked.
    #[error("endpoint: {0}")]
    Endpoint(#[from] GuardError),
    /// Nothing can be encrypted for its keys.
    #[error("keys: {0}")]
    Keys(#[from] SealError),
}

/// Judges a subscription as a browser hands it over: endpoint and keys. The name in the endpoint is looked up, and judged again,
/// at each send.
///
/// # Errors
/// Says what is wrong with it.
pub fn check_subscription(
    endpoint: &str,
    p256dh: &str,
    auth: &str,
    config: &WebPushConfig,
) -> Result<(), SubscriptionError> {
    check_url(endpoint, config.allow_loopback)?;
    seal::keys(p256dh, auth)?;
    Ok(())
}

/// The public key that browsers subscribe with; `None` where web push is not set up.
///
/// # Errors
/// When a key file cannot be used.
pub fn public_key(config: &WebPushConfig, store: &Store) -> Result<Option<String>, StoreError> {
    if config.enabled { Secrets::of(store).map(|secrets| Some(secrets.vapid_public())) } else { Ok(None) }
}

/// The channel.
pub struct WebPush {
    store: Store,
    client: GuardedClient,
    vapid: Vapid,
    timeout: Duration,
    allow_loopback: bool,
    /// The service's own: useful lives of notices are told by it.
    clock: Clock,
    origins: Mutex<Origins>,
}

/// One push, ready to go but for its body.
struct Addressed {
    browser: Browser,
    url: Url,
    origin: String,
    headers: HeaderMap,
}

/// Why there is nothing to be sent.
type Stopped = SendOutcome;

impl WebPush {
    /// Opens the channel; asks nobody yet.
    ///
    /// # Errors
    /// `WebPushError`.
    pub fn open(config: &Config, store: &Store, secrets: &Secrets, clock: Clock) -> Result<Self, WebPushError> {
        Self::with_lookup(config, store, secrets, clock, Arc::new(SystemLookup))
    }

    /// `open` with another name lookup than the system's.
    ///
    /// # Errors
    /// `WebPushError`.
    pub fn with_lookup(
        config: &Config,
        store: &Store,
        secrets: &Secrets,
        clock: Clock,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Self, WebPushError> {
        let block = &config.channels.web_push;
        let client =
            GuardedClient::new(&config.user_agent(), block.allow_loopback, lookup).map_err(WebPushError::Client)?;
        let subject = block.effective_subject(&config.service.contact);
        let vapid = Vapid::new(secrets, subject);
        // A key that does not sign is better known at start.
        vapid.header("https://push.example.net", Clock::live().now()).map_err(WebPushError::Key)?;
        Ok(Self {
            store: store.clone(),
            client,
            vapid,
            timeout: block.timeout(),
            allow_loopback: block.allow_loopback,
            clock,
            origins: Mutex::default(),
        })
    }

    /// Where a delivery goes and with which headers.
    fn address(&self, delivery: &Delivery) -> Result<Addressed, Stopped> {
        if delivery.address.kind != ChannelKind::WebPush {
            return Err(permanent(format!("{} is no browser", delivery.address.kind.as_str())));
        }
        let browser = match compute(|| self.store.browser(&delivery.address.to)) {
            Ok(Some(browser)) => browser,
            Ok(None) => return Err(permanent("the browser is no longer subscribed".to_owned())),
            Err(error) => return Err(temporary(error.to_string(), None)),
        };
        if browser.owner != delivery.owner {
            return Err(permanent("the browser is another owner's".to_owned()));
        }
        let url = check_url(&browser.endpoint, self.allow_loopback).map_err(|error| permanent(error.to_string()))?;
        let origin = url.origin().ascii_serialization();
        let now = self.clock.now();
        if let Some(wait) = self.origins().held(&origin, now) {
            return Err(SendOutcome::Held { why: format!("{origin} asked to be left alone"), wait });
        }
        let headers = self.headers(delivery, &origin, now).map_err(|why| temporary(why, None))?;
        Ok(Addressed { browser, url, origin, headers })
    }

    fn headers(&self, delivery: &Delivery, origin: &str, now: Timestamp) -> Result<HeaderMap, String> {
        let value = |text: &str| HeaderValue::from_str(text).map_err(|error| error.to_string());
        let urgency = if push::is_urgent(delivery) { "high" } else { "normal" };
        // Push services and tokens live by the machine's time, whatever clock the rest of the program has.
        let mut token = value(&self.vapid.header(origin, Clock::live().now())?)?;
        token.set_sensitive(true);
        Ok(HeaderMap::from_iter([
            (AUTHORIZATION, token),
            (CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
            (CONTENT_ENCODING, HeaderValue::from_static("aes128gcm")),
            (HeaderName::from_static("ttl"), HeaderValue::from(self.ttl(delivery, now).as_secs())),
            (HeaderName::from_static("urgency"), HeaderValue::from_static(urgency)),
            (HeaderName::from_static("topic"), value(&push::topic(delivery))?),
        ]))
    }

    /// How long the push service may keep it: as long as it is of use.
    fn ttl(&self, delivery: &Delivery, now: Timestamp) -> Duration {
        let left = Duration::try_from(now.duration_until(delivery.useful_until_utc)).unwrap_or(Duration::ZERO);
        self.clock.runtime_duration(left).min(TTL_MAX)
    }

    /// One exchange with this plaintext.
    async fn exchange(&self, to: &Addressed, plaintext: &str) -> Result<Verdict, Stopped> {
        let sealed = seal::seal(plaintext.as_bytes(), &to.browser.p256dh, &to.browser.auth);
        let body = sealed.map_err(|error| permanent(error.to_string()))?;
        let post = Post { url: to.url.to_string(), headers: to.headers.clone(), body, timeout: self.timeout };
        match self.client.post(post).await {
            Ok(answered) => Ok(verdict::of(answered)),
            // By its name it stood for something private: whoever holds the name did that, and may undo it.
            Err(PostError::Guarded(error)) => Ok(Verdict::OurFault { why: error.to_string() }),
            Err(error @ (PostError::Timeout { .. } | PostError::Broken { .. })) => {
                Ok(Verdict::Later { why: error.to_string(), hold: Some(REST), retry_after: None })
            }
        }
    }

    /// What an answer means for the subscription, the push service and the delivery.
    fn settle(&self, to: &Addressed, verdict: Verdict) -> SendOutcome {
        let (browser, host) = (&to.browser, to.url.host_str().unwrap_or_default());
        match verdict {
            Verdict::Accepted { status } => {
                self.note(browser, true);
                SendOutcome::Accepted { receipt: format!("{status} from {host}") }
            }
            Verdict::Gone { why } => {
                if let Err(error) = compute(|| self.store.browser_gone(&browser.id, &browser.endpoint)) {
                    return temporary(error.to_string(), None);
                }
                permanent(format!("{host} knows the browser no more ({why})"))
            }
            Verdict::OurFault { why } => match self.note(browser, false) {
                Some(refusals) if refusals >= REFUSALS_MAX => permanent(format!(
                    "{host} refused {refusals} pushes in a row, this one with {why}; the browser stays subscribed"
                )),
                Some(refusals) => temporary(format!("{host} refused it ({refusals} in a row): {why}"), None),
                None => permanent("the browser is no longer subscribed".to_owned()),
            },
            Verdict::TooLarge { why } => permanent(format!("{host} finds it too large, shortened as it is ({why})")),
            Verdict::Later { why, hold, retry_after } => {
                if let Some(hold) = hold {
                    self.origins().hold(&to.origin, self.clock.now(), hold);
                }
                temporary(format!("{host}: {why}"), retry_after)
            }
        }
    }

    fn origins(&self) -> MutexGuard<'_, Origins> {
        self.origins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a refusal, or begins anew; how many there are in a row.
    fn note(&self, browser: &Browser, taken: bool) -> Option<u32> {
        compute(|| self.store.note_push(&browser.id, &browser.endpoint, taken)).unwrap_or_else(|error| {
            tracing::warn!(browser = %browser.id, %error, "how a push fared is not noted");
            Some(browser.refusals.saturating_add(1))
        })
    }
}

fn permanent(why: String) -> SendOutcome {
    SendOutcome::Permanent { why }
}

fn temporary(why: String, retry_after: Option<Duration>) -> SendOutcome {
    SendOutcome::Temporary { why, retry_after }
}

#[async_trait]
impl Channel for WebPush {
    async fn send(&self, delivery: &Delivery) -> SendOutcome {
        let to = match self.address(delivery) {
            Ok(to) => to,
            Err(stopped) => return stopped,
        };
        let mut plaintext = push::plaintext(delivery);
        if plaintext.len() > PLAINTEXT_BYTES_MAX {
            // Rendered by another build, perhaps: too large for anybody.
            plaintext = push::shortened(&plaintext).unwrap_or(plaintext);
        }
        let mut verdict = self.exchange(&to, &plaintext).await;
        if let Ok(Verdict::TooLarge { .. }) = verdict
            && let Some(short) = push::shortened(&plaintext)
        {
            verdict = self.exchange(&to, &short).await;
        }
        match verdict {
            Ok(verdict) => self.settle(&to, verdict),
            Err(stopped) => stopped,
        }
    }

    fn at_once(&self) -> usize {
        AT_ONCE
    }

    fn timeout(&self) -> Duration {
        self.timeout.saturating_mul(2).saturating_add(SLACK)
    }
}

#[cfg(test)]
mod tests;
