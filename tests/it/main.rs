//! One integration binary; one module per behaviour.

// Clippy sees only functions marked as tests as tests; here everything is.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bearer;
mod bridge;
mod browser;
mod bundled_day;
mod cli;
mod config_defaults;
mod day_of_outlooks;
mod explain;
mod fake_accounts;
mod fake_desk;
mod fake_past;
mod faulted_day;
mod foreign_push;
mod foreign_smtp;
mod histories;
mod isolation;
mod journal;
mod kill;
mod kill_delivery;
mod kill_delivery_books;
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
mod side_by_side;
mod sounding_accuracy;
mod spc_recordings;
mod stderr;
mod supervision;
mod threat_goldens;
mod unwell;
mod unwell_push;
mod unwell_smtp;
mod upstream_limits;
mod upstreams;
mod verify;
mod web;
