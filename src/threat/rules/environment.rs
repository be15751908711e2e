//! Rules over the air: what it would do to storms, louder while there are some.

use super::{Finding, Mode, level};
use crate::sounding::Environment;
use crate::sounding::regime::CAPPED_JKG;
use crate::threat::evidence::{EnvironmentSeen, Evidence};
use crate::threat::hazards::HazardKind::{self, DamagingWind, Hail, Tornado};
use crate::threat::{Level, Reason};
use jiff::Timestamp;

/// Source id of the air.
pub const ENVIRONMENT_ID: &str = "rap-environment";
/// Significant tornado parameter of the two rules.
const STP: (f64, f64) = (3.0, 1.0);
/// Supercell composite parameter that speaks while storms are active.
const SCP: f64 = 4.0;
/// Most unstable CAPE, J/kg, and 0-6 km shear, kt, that together make organised storms.
const ORGANISED: (f64, f64) = (2000.0, 40.0);

/// Rule, subject, level, scores and figure, before they become a finding.
type Said = (&'static str, &'static str, Level, Vec<(HazardKind, f64)>, String);

/// `so_far` is what the rules before this one found: the last rule is silent where they are significant already.
pub(super) fn judge(evidence: &Evidence, active: bool, so_far: &[Finding], now: Timestamp, mode: Mode) -> Vec<Finding> {
    let Some(seen) = evidence.environment.seen.as_deref() else { return Vec::new() };
    let air = &seen.environment;
    let louder = |quiet: Level, loud: Level| if active { loud } else { quiet };
    let mut said: Vec<Said> = Vec::new();
    if let Some((stp, layer)) = significant_tornado(air) {
        let figure = format!("significant tornado parameter {stp:.1} ({layer})");
        let could_be = [
            (STP.0, "stp_3", louder(Level::Elevated, Level::Significant), 30.0),
            (STP.1, "stp_1", louder(Level::Marginal, Level::Elevated), 15.0),
        ];
        let reached = could_be.into_iter().filter(|(raise, ..)| stp >= mode.threshold(*raise)).collect();
        for (_, rule, level, score) in mode.said(reached) {
            said.push((rule, "stp", level, vec![(Tornado, score)], figure.clone()));
        }
    }
    if let Some(scp) = air.scp.filter(|scp| active && *scp >= mode.threshold(SCP)) {
        let figure = format!("supercell composite parameter {scp:.1}");
        said.push(("scp_4_active", "scp", Level::Elevated, vec![(Hail, 10.0)], figure));
    }
    let gravest = level(so_far).max(said.iter().map(|(_, _, level, ..)| *level).max().unwrap_or_default());
    // What is only nearly significant silences nothing that a level rests on.
    let silent = mode == Mode::Raise && gravest >= Level::Significant;
    if let (Some(cape), Some(shear), false) = (air.mucape_jkg, air.bulk_shear_0_6km_kt, silent)
        && cape >= mode.threshold(ORGANISED.0)
        && shear >= mode.threshold(ORGANISED.1)
    {
        let level = louder(Level::Marginal, Level::Elevated);
        let figure = format!("most unstable CAPE {cape:.0} J/kg with 0-6 km shear {shear:.0} kt");
        said.push(("cape_and_shear", "cape-shear", level, vec![(Hail, 15.0), (DamagingWind, 10.0)], figure));
    }
    said.into_iter()
        .map(|(rule, subject, level, scores, figure)| Finding {
            reason: reason(seen, rule, subject, level, figure, active, now),
            scores,
        })
        .collect()
}

/// The significant tornado parameter of the effective layer, else of fixed layers.
fn significant_tornado(air: &Environment) -> Option<(f64, &'static str)> {
    let effective = air.stp_effective.map(|stp| (stp, "effective layer"));
    effective.or_else(|| air.stp_fixed_layer.map(|stp| (stp, "fixed layers")))
}

fn reason(
    seen: &EnvironmentSeen,
    rule: &str,
    subject: &str,
    level: Level,
    figure: String,
    active: bool,
    now: Timestamp,
) -> Reason {
    let storms = if active { ", storms active nearby" } else { "" };
    let cap = seen.environment.mlcin_jkg.filter(|cin| *cin <= CAPPED_JKG);
    let cap = cap.map(|cin| format!(", capped (MLCIN {cin:.0} J/kg)")).unwrap_or_default();
    Reason {
        rule: rule.to_owned(),
        subject: format!("rap-{subject}"),
        level,
        text: format!("{figure}{storms}{cap}; {} of {:.0}", seen.model, seen.valid_utc),
        source: ENVIRONMENT_ID.to_owned(),
        evidence_id: seen.key.clone(),
        observed_utc: seen.valid_utc,
        age_s: seen.valid_utc.duration_until(now).as_secs(),
        distance_km: None,
        direction: None,
        until_utc: None,
        already_in_effect: false,
    }
}
