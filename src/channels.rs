//! Channels: ways to reach a person. One file each, registered in one list.
//!
//! A channel sends rendered bytes and says what became of them. It never decides, retries, sleeps or knows an actor:
//! `actors::channel` does.

use crate::notice::Delivery;
use async_trait::async_trait;
use std::time::Duration;

pub mod email;

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
    /// Never: this address will not take it.
    Permanent {
        /// For operators.
        why: String,
    },
}

/// One way to reach people.
#[async_trait]
pub trait Channel: Send {
    /// Sends one delivery. The bytes are the same at every try; the delivery id is the identity for the other side.
    async fn send(&mut self, delivery: &Delivery) -> SendOutcome;

    /// Limit on one whole `send`, which the caller keeps: what is dropped half-way must leave nothing behind that a
    /// later try would stumble over.
    fn timeout(&self) -> Duration {
        Duration::from_secs(60)
    }

    /// Nothing more is to be sent for now: lets go of what is kept between sends. The caller limits it by `timeout` too.
    async fn rest(&mut self) {}
}
