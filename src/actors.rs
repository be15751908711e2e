//! The running flow. Shells only: each actor receives, calls a pure function or a plug, passes on.
//!
//! ```text
//!   source ──Publish──▶ bus ──Observed──▶ synthesis ══one transaction══▶ store (levels, journal, outbox)
//!   source ──┘  ▲                            │  │                          │
//!      ▲        └─ SlurpAndSubscribe ────────┘  └─LevelChanged─▶ notifier ──┤ told against true
//!      │                                     │                     │       │
//!   demand ◀── doors ◀── watch<Picture> ◀────┘                  channel ◀──┘ pending rows ──▶ ledger
//! ```
//!
//! Invariants: data goes one way; a source asks again only when synthesis has taken its report in; expected trouble is a
//! value, never an `Err` out of a handler; every actor may die at any moment and be started anew by the root.

pub mod bus;
pub mod channel;
pub mod demand;
pub mod notifier;
pub mod root;
pub mod shared;
pub mod source;
pub mod synthesis;

use std::fmt::Display;

/// Says in the log that a message found nobody: its receiver is being restarted, and will read the state itself.
fn undelivered(what: &str, error: impl Display) {
    tracing::debug!(what, %error, "receiver is away");
}
