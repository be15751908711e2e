//! One integration binary; one module per behaviour.

// Clippy sees only functions marked as tests as tests; here everything is.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bridge;
mod bundled_day;
mod cli;
mod config_defaults;
mod day_of_outlooks;
mod fake_desk;
mod faulted_day;
mod foreign_push;
mod foreign_smtp;
mod histories;
mod journal;
mod kill;
mod lsr_recordings;
mod mcp_door;
mod mcp_foreign;
mod mcp_http;

mod glm_recordings;
mod mcp_schema;
mod mrms;
mod nexrad_recordings;
mod nws_facts;
mod nws_recordings;
mod outages;
mod plots;
mod rap;
mod recorded_day;
mod replay_day;
mod replay_email;
mod replay_faults;
mod replay_push;
mod shared;
mod sounding_accuracy;
mod spc_recordings;
mod supervision;
mod threat_goldens;
mod upstream_limits;
mod upstreams;
