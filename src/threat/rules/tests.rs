//! Both sides of every threshold of the rule table, and the deliberate differences of levels.md. One room a kind of evidence.

mod active;
mod environment;
mod hysteresis;
mod lightning;
mod outlook;
mod radar;
mod reports;
mod warnings;

use super::*;
use crate::threat::tests::scene::{now, quiet};

/// The level that this raises.
fn raised(evidence: &Evidence) -> Level {
    level(&judge(evidence, now(), Mode::Raise))
}

/// The highest level that this keeps.
fn kept(evidence: &Evidence) -> Level {
    level(&judge(evidence, now(), Mode::Clear))
}

/// The rules that speak, each with its level; those that only score are left out.
fn spoken(evidence: &Evidence, mode: Mode) -> Vec<(String, Level)> {
    let found = judge(evidence, now(), mode).into_iter().map(|finding| (finding.reason.rule, finding.reason.level));
    found.filter(|(_, level)| *level > Level::None).collect()
}
