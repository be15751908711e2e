//! Channels: ways to reach a person. One file each, registered in one list.
//!
//! A channel sends rendered bytes and says what became of them. It never decides, retries, sleeps or knows an actor:
//! `actors::channel` does.

use crate::clock::Clock;
use crate::config::Config;
use crate::notice::{ChannelKind, Delivery};
use crate::store::{Secrets, Store, StoreError};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

pub mod email;
pub mod web_push;

/// What became of one delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendOutcome {
    /// Handed over; the receipt is what the other side said.
    Accepted {
        /// For the ledger.
        receipt: String,
    },
    /// Not now: try again, not before `retry_after` if given.
    Temporary {
        /// For operators.
        why: String,
        /// Asked for by the other side.
        retry_after: Option<Duration>,
    },
    /// Not tried: the other side has asked to be left alone for a while. Counts as no try.
    Held {
        /// For operators.
        why: String,
        /// For how long.
        wait: Duration,
    },
    /// Never: this address will not take it.
    Permanent {
        /// For operators.
        why: String,
    },
}

/// One way to reach people.
#[async_trait]
pub trait Channel: Send + Sync {
    /// Sends one delivery. The bytes are the same at every try; the delivery id is the identity for the other side. Sends to
    /// distinct addresses may be under way at once, at most `at_once`.
    async fn send(&self, delivery: &Delivery) -> SendOutcome;

    /// Limit on one whole `send`, which the caller keeps: what is dropped half-way must leave nothing behind that a
    /// later try would stumble over.
    fn timeout(&self) -> Duration {
        Duration::from_secs(60)
    }

    /// How many sends may be under way at once. With one, all go in the order of decision.
    fn at_once(&self) -> usize {
        1
    }

    /// Nothing is to be sent for now: lets go of what is kept between sends. The caller limits it by `timeout` too; the next
    /// send may begin before it ends.
    async fn rest(&self) {}
}

/// Makes a channel anew: at start, and again after its actor died.
pub type OpenChannel = Arc<dyn Fn() -> Box<dyn Channel> + Send + Sync>;

/// Why a channel that is set up cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Email.
    #[error(transparent)]
    Email(#[from] email::EmailError),
    /// Web push.
    #[error(transparent)]
    WebPush(#[from] web_push::WebPushError),
    /// The keys beside the store.
    #[error(transparent)]
    Keys(#[from] StoreError),
}

/// The list: every channel that is set up, ready to open. A new channel is a new file and a line here. Keys that are missing
/// beside the store are made.
///
/// # Errors
/// When a channel's configuration, or a key, does not let it open.
pub fn open_all(
    config: &Arc<Config>,
    store: &Store,
    clock: Clock,
) -> Result<BTreeMap<ChannelKind, OpenChannel>, OpenError> {
    let mut channels: BTreeMap<ChannelKind, OpenChannel> = BTreeMap::new();
    channels.insert(ChannelKind::None, Arc::new(|| Box::new(Recorded)));
    let secrets = Secrets::of(store)?;
    let block = &config.channels.email;
    if block.enabled {
        email::Email::open(block)?;
        let (block, page) = (block.clone(), config.web.public_url());
        let open = move || or_shut(email::Email::open(&block).map(|channel| channel.with_page(page.clone())));
        channels.insert(ChannelKind::Email, Arc::new(open));
    }
    if config.channels.web_push.enabled {
        web_push::WebPush::open(config, store, &secrets, clock)?;
        let (config, store) = (Arc::clone(config), store.clone());
        let open = move || or_shut(web_push::WebPush::open(&config, &store, &secrets, clock));
        channels.insert(ChannelKind::WebPush, Arc::new(open));
    }
    Ok(channels)
}

fn or_shut<C: Channel + 'static>(opened: Result<C, impl std::fmt::Display>) -> Box<dyn Channel> {
    match opened {
        Ok(channel) => Box::new(channel),
        Err(error) => Box::new(Shut { why: error.to_string() }),
    }
}

/// A channel that opened at start and does not any more (its password file is gone, say): everything waits, and says why.
struct Shut {
    why: String,
}

#[async_trait]
impl Channel for Shut {
    async fn send(&self, _: &Delivery) -> SendOutcome {
        SendOutcome::Temporary { why: self.why.clone(), retry_after: None }
    }
}

/// Whether notices can go out this way here.
pub fn is_available(kind: ChannelKind, config: &Config) -> bool {
    match kind {
        ChannelKind::None => true,
        ChannelKind::Email => config.channels.email.enabled,
        ChannelKind::WebPush => config.channels.web_push.enabled,
    }
}

/// Takes every delivery and sends none: for points without an address, and for replays at full speed.
pub struct Recorded;

#[async_trait]
impl Channel for Recorded {
    async fn send(&self, _: &Delivery) -> SendOutcome {
        SendOutcome::Accepted { receipt: "recorded".to_owned() }
    }
}

/// Every kind of channel, recorded only.
pub fn recorded() -> BTreeMap<ChannelKind, OpenChannel> {
    let kinds = [ChannelKind::None, ChannelKind::Email, ChannelKind::WebPush];
    kinds.into_iter().map(|kind| (kind, Arc::new(|| Box::new(Recorded) as Box<dyn Channel>) as OpenChannel)).collect()
}
