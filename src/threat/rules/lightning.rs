//! Rules over lightning.

use super::{Finding, LIGHTNING_NEAR_KM, Mode, RADIUS_KM};
use crate::geo::{compass, round_1dp};
use crate::threat::evidence::{Evidence, LIGHTNING_MINUTES};
use crate::threat::{Level, Reason};
use jiff::Timestamp;

/// Source id of lightning.
pub const LIGHTNING_ID: &str = "goes-glm";

pub(super) fn judge(evidence: &Evidence, now: Timestamp, mode: Mode) -> Option<Finding> {
    let flash = evidence.lightning.nearest.as_ref()?;
    let (rule, level) = match flash.distance_km {
        km if km <= mode.limit(LIGHTNING_NEAR_KM) => ("lightning_near", Level::Elevated),
        km if km <= mode.limit(RADIUS_KM) => ("lightning", Level::Marginal),
        _ => return None,
    };
    let satellite = evidence.lightning.satellite.map_or("GOES", |satellite| satellite.name());
    let (km, direction) = (round_1dp(flash.distance_km), compass(flash.bearing_deg));
    Some(Finding {
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
    })
}
