//! The MCP doors: what agents may ask and how they are told of changes, over stdio and over streamable HTTP.
//!
//! ```text
//! stdio / HTTP -> door (rmcp) -> tools, resources -> Desk (picture, watch points) -> envelope
//!                      prompts
//! DeskEvent -> subscriptions -> notifications/resources/updated
//! ```
//!
//! Boundaries: ✓ the protocol, the wording of answers for agents, argument checks. ✗ no judgement (see `threat`), no
//! actors, no store: everything comes through `desk::Desk`. The functions from a picture to `data` are pure, so that the
//! CLI gives the same answers.

pub mod door;
pub mod envelope;
pub mod http;
pub mod judgement;
pub mod prompts;
pub mod resources;
pub mod session;
pub mod stdio;
pub mod tools;

pub use door::{Door, Lifetime};
pub use envelope::Envelope;
pub use judgement::{AttentionWindow, Judge, Judgement, StormSignature};
