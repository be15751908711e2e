//! The rule table: severe.md section 7, with the corrections of levels.md. One room a kind of evidence.
//!
//! `judge` looks at evidence and returns what each rule found, at the raise thresholds or at the eased clear ones.

mod active;
mod environment;
mod lightning;
mod outlook;
mod radar;
mod reports;
mod said;
mod warnings;

pub(in crate::threat) use active::storms_active;
pub use environment::ENVIRONMENT_ID;
pub use lightning::LIGHTNING_ID;
pub use radar::figure;
pub(in crate::threat) use reports::COUNTED_MIN;
pub use reports::REPORTS_ID;
pub use said::says;
pub use warnings::is_warning;

use crate::mosaic::Product;
use crate::threat::evidence::Evidence;
use crate::threat::hazards::HazardKind;
use crate::threat::window::STORM_DBZ;
use crate::threat::{Level, Reason};
use jiff::Timestamp;

/// The circle that the rules look at, km.
pub const RADIUS_KM: f64 = 40.0;
/// Within this the 60-minute radar products speak at full level, beyond it one level lower (levels.md correction 7), km.
pub const NEAR_KM: f64 = 16.0;
/// An observed, considerable or catastrophic tornado within this is significant (levels.md correction 4), km.
pub const TORNADO_NEAR_KM: f64 = 15.0;
/// A tornado that arrives within this is significant (levels.md correction 4), minutes.
pub const ARRIVAL_SOON_MIN: f64 = 30.0;
/// A tornado that comes toward the place is looked at when it arrives within this, minutes: beyond an hour the motion of
/// one scan says little.
pub const ARRIVAL_LOOKED_AT_MIN: f64 = 60.0;
/// Storm reports within this count (severe.md section 7), km.
pub const REPORTS_KM: f64 = 80.0;
/// Lightning within this is overhead or nearly so (severe.md section 7), km.
pub const LIGHTNING_NEAR_KM: f64 = 16.0;
/// Reports are looked at up to here, so that one at the edge does not flap, km.
pub const REPORTS_SEEN_KM: f64 = REPORTS_KM / CLEAR_SHARE;
/// Lightning is looked at up to here, likewise, km.
pub const LIGHTNING_SEEN_KM: f64 = RADIUS_KM / CLEAR_SHARE;
/// Radar is looked at up to here, likewise, km.
pub const RADAR_SEEN_KM: f64 = RADIUS_KM / CLEAR_SHARE;
/// Clear thresholds are this much easier than raise thresholds (levels.md, "Change").
pub const CLEAR_SHARE: f64 = 0.9;

/// One radar threshold of the rule table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// Rule id.
    pub rule: &'static str,
    /// Product that it is about.
    pub product: Product,
    /// Reached by values at or above this, in the product's unit.
    pub raise: f64,
    /// Level within `NEAR_KM` (or within `RADIUS_KM` where `steps_down` is false).
    pub level: Level,
    /// Whether it is one level lower from `NEAR_KM` to `RADIUS_KM`.
    pub steps_down: bool,
    /// Scores that it adds.
    pub scores: &'static [(HazardKind, f64)],
}

impl Threshold {
    /// The value that keeps a level which this threshold raised.
    pub fn clear(&self) -> f64 {
        self.raise * CLEAR_SHARE
    }
}

/// Radar thresholds; within a product the higher one comes first and is the only one that speaks.
pub const THRESHOLDS: &[Threshold] = &[
    threshold("mesh_2in", Product::MeshMax60min, 50.8, Level::Significant, true, &[(HazardKind::Hail, 45.0)]),
    threshold("mesh_1in", Product::MeshMax60min, 25.4, Level::Elevated, true, &[(HazardKind::Hail, 25.0)]),
    threshold(
        "rotation_intense",
        Product::RotationTrackMl60min,
        12.0,
        Level::Significant,
        true,
        &[(HazardKind::Tornado, 25.0)],
    ),
    threshold(
        "rotation_strong",
        Product::RotationTrackMl60min,
        8.0,
        Level::Elevated,
        true,
        &[(HazardKind::Tornado, 12.0)],
    ),
    threshold(
        "rotation_intense",
        Product::RotationTrackLl60min,
        10.0,
        Level::Significant,
        true,
        &[(HazardKind::Tornado, 25.0)],
    ),
    threshold(
        "rotation_strong",
        Product::RotationTrackLl60min,
        6.0,
        Level::Elevated,
        true,
        &[(HazardKind::Tornado, 12.0)],
    ),
    threshold("reflectivity_60dbz", Product::CompositeReflectivity, 60.0, Level::Elevated, false, &[]),
    threshold("vil_45", Product::Vil, 45.0, Level::None, false, &[(HazardKind::Hail, 10.0)]),
];

const fn threshold(
    rule: &'static str,
    product: Product,
    raise: f64,
    level: Level,
    steps_down: bool,
    scores: &'static [(HazardKind, f64)],
) -> Threshold {
    Threshold { rule, product, raise, level, steps_down, scores }
}

/// Every value of a product that some rule looks for, raise and clear.
pub fn looked_for(product: Product) -> impl Iterator<Item = f64> {
    let rules = THRESHOLDS.iter().filter(move |t| t.product == product).flat_map(|t| [t.raise, t.clear()]);
    let active = (product == Product::CompositeReflectivity).then_some([STORM_DBZ, STORM_DBZ * CLEAR_SHARE]);
    rules.chain(active.into_iter().flatten())
}

/// Which thresholds to judge by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// What raises a level.
    Raise,
    /// What keeps one: 10 % easier.
    Clear,
}

impl Mode {
    /// A threshold that values must reach.
    pub fn threshold(self, raise: f64) -> f64 {
        match self {
            Self::Raise => raise,
            Self::Clear => raise * CLEAR_SHARE,
        }
    }

    /// A distance or time that must not be exceeded.
    pub fn limit(self, raise: f64) -> f64 {
        match self {
            Self::Raise => raise,
            Self::Clear => raise / CLEAR_SHARE,
        }
    }

    /// Of what one subject could be said to be, gravest first: the gravest raises, but each keeps what it raised. Where a
    /// graver one is nearly there too, it must not hide the one that a level rests on.
    fn said<T>(self, mut could_be: Vec<T>) -> Vec<T> {
        if self == Self::Raise {
            could_be.truncate(1);
        }
        could_be
    }
}

/// What one rule found: a reason (with level none it only scores) and the scores that it adds.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The reason.
    pub reason: Reason,
    /// Hazard scores.
    pub scores: Vec<(HazardKind, f64)>,
}

/// Everything that the rules find in the evidence, in the order of the rule table.
pub fn judge(evidence: &Evidence, now: Timestamp, mode: Mode) -> Vec<Finding> {
    let active = storms_active(evidence, now, mode);
    let mut findings = warnings::judge(evidence, now, mode);
    // Where storms are nearly active, what was raised without them is kept too.
    for active in mode.said(if active { vec![true, false] } else { vec![false] }) {
        for said in outlook::judge(evidence, active, now, mode) {
            push_new(&mut findings, said);
        }
        for said in environment::judge(evidence, active, &findings, now, mode) {
            push_new(&mut findings, said);
        }
    }
    findings.extend(radar::judge(evidence, now, mode));
    findings.extend(reports::judge(evidence, now, mode));
    findings.extend(lightning::judge(evidence, now, mode));
    findings
}

fn push_new(findings: &mut Vec<Finding>, said: Finding) {
    let new = &said.reason;
    let is_same = |held: &Reason| (&held.rule, &held.subject, held.level) == (&new.rule, &new.subject, new.level);
    if !findings.iter().any(|held| is_same(&held.reason)) {
        findings.push(said);
    }
}

/// The highest level of any finding.
pub fn level(findings: &[Finding]) -> Level {
    findings.iter().map(|finding| finding.reason.level).max().unwrap_or_default()
}

#[cfg(test)]
mod tests;
