//! Rules over lightning.

use super::{Finding, LIGHTNING_NEAR_KM, Mode, RADIUS_KM};
use crate::geo::{compass, round_1dp};
use crate::lightning::NearFlash;
use crate::threat::evidence::{Evidence, LIGHTNING_MINUTES};
use crate::threat::{Level, Reason};
use jiff::Timestamp;

/// Source id of lightning.
pub const LIGHTNING_ID: &str = "goes-glm";

pub(super) fn judge(evidence: &Evidence, now: Timestamp, mode: Mode) -> Vec<Finding> {
    let Some(flash) = evidence.lightning.nearest.as_ref() else { return Vec::new() };
    let could_be = [(LIGHTNING_NEAR_KM, "lightning_near", Level::Elevated), (RADIUS_KM, "lightning", Level::Marginal)];
    let reached = could_be.into_iter().filter(|(within_km, ..)| flash.distance_km <= mode.limit(*within_km)).collect();
    let said = mode.said(reached).into_iter();
    said.map(|(_, rule, level)| finding(evidence, flash, rule, level, now)).collect()
}

fn finding(evidence: &Evidence, flash: &NearFlash, rule: &str, level: Level, now: Timestamp) -> Finding {
    let satellite = evidence.lightning.satellite.map_or("GOES", |satellite| satellite.name());
    let (km, direction) = (round_1dp(flash.distance_km), compass(flash.bearing_deg));
    Finding {
        reason: Reason {
            rule: rule.to_owned(),
            subject: "lightning".to_owned(),
            level,
            text: format!(
                "lightning {km:.1} km {direction} at {:.0}, the nearest flash of the last {LIGHTNING_MINUTES} min ({satellite})",
                flash.first_event_utc
            ),
            source: LIGHTNING_ID.to_owned(),
            evidence_id: flash.key.clone(),
            observed_utc: flash.first_event_utc,
            age_s: flash.first_event_utc.duration_until(now).as_secs(),
            distance_km: Some(km),
            direction: Some(direction.to_owned()),
            until_utc: None,
            already_in_effect: false,
        },
        scores: Vec::new(),
    }
}
