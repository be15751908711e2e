//! stormbell watches places in the continental US and rings a bell when the threat to one of them changes.
//!
//! source -> report -> bus -> picture -> assessment -> level change -> notice -> delivery. See ARCHITECTURE.md.

pub mod actors;
pub mod app;
pub mod backoff;
pub mod channels;
pub mod cli;
pub mod clock;
pub mod config;
pub mod decode;
pub mod desk;
pub mod geo;
pub mod ground;
pub mod lightning;
pub mod mcp;
pub mod mosaic;
pub mod notice;
pub mod nws_facts;
pub mod observation;
pub mod outlook;
pub mod outside;
pub mod plot;
pub mod profile;
pub mod radar;
pub mod sounding;
pub mod sources;
pub mod store;
pub mod storm_report;
pub mod threat;
pub mod warning;
pub mod web;
