//! Whether storms are active around a place (levels.md correction 5): it lets outlooks and the air speak louder.

use super::radar::nearest_of;
use super::{Mode, RADIUS_KM, REPORTS_KM, reports};
use crate::mosaic::Product;
use crate::storm_report::Group;
use crate::threat::evidence::Evidence;
use crate::threat::window::STORM_DBZ;
use crate::warning::incidents::Phase;

/// Warnings that mean thunderstorms: tornado, severe thunderstorm, special marine.
const STORM_WARNINGS: [&str; 3] = ["Tornado Warning", "Severe Thunderstorm Warning", "Special Marine Warning"];
/// A report of a tornado, hail or thunderstorm wind means an active storm for this long, minutes.
const REPORT_MINUTES: i64 = 90;

/// A storm warning within 40 km; reflectivity of 50 dBZ within 40 km; a flash within 40 km in 15 min; or a tornado, hail or
/// thunderstorm-wind report within 80 km not older than 90 min.
pub(in crate::threat) fn storms_active(evidence: &Evidence, now: jiff::Timestamp, mode: Mode) -> bool {
    let warned = evidence.warnings.iter().any(|sight| {
        // Inside means a distance of 0, or a zone without a polygon.
        sight.phase == Phase::InEffect
            && sight.distance_km.is_none_or(|km| km <= mode.limit(RADIUS_KM))
            && STORM_WARNINGS.contains(&sight.warning.event.as_str())
    });
    let echo = evidence
        .radar
        .iter()
        .filter(|radar| radar.product == Product::CompositeReflectivity)
        .any(|radar| radar.signal.as_ref().is_some_and(|signal| nearest_of(signal, STORM_DBZ, mode).is_some()));
    let flash = evidence.lightning.nearest.as_ref().is_some_and(|flash| flash.distance_km <= mode.limit(RADIUS_KM));
    let reported = || {
        let spoken = reports::speaking(evidence, REPORT_MINUTES, mode.limit(REPORTS_KM), now);
        spoken.into_iter().any(|report| match report.category.group() {
            Group::Tornado | Group::Hail | Group::Wind => true,
            Group::Flood | Group::Other => false,
        })
    };
    warned || echo || flash || reported()
}
