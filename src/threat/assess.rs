//! The assessment of one place: every reason at the raise thresholds, what lingers at the clear ones, and the blind spots
//! with the level that each could hide.

use crate::geo::LatLon;
use crate::threat::evidence::{Evidence, Memory};
use crate::threat::picture::Picture;
use crate::threat::rules::{Finding, Mode, judge, level, storms_active};
use crate::threat::{Assessment, Level, PointState, Reason, blind_spots, hazards};
use jiff::Timestamp;

pub use crate::threat::blind_spots::{WARNINGS_ID, ZONES_ID};

/// Assesses a place from the picture alone. Who assesses the same places again and again gathers the evidence with a
/// `Memory` and judges that.
pub fn assess(picture: &Picture, place: LatLon, now: Timestamp) -> Assessment {
    judge_evidence(&Evidence::gather(picture, place, now, &mut Memory::default()), now)
}

/// The judgement over what is seen.
pub fn judge_evidence(evidence: &Evidence, now: Timestamp) -> Assessment {
    // Whatever raises also keeps: where nothing keeps a level and no storm is active, nothing raises one either.
    let keeping = judge(evidence, now, Mode::Clear);
    let quiet = keeping.is_empty() && !storms_active(evidence, now, Mode::Clear);
    let findings = if quiet { Vec::new() } else { judge(evidence, now, Mode::Raise) };
    Assessment {
        at_utc: now,
        level: level(&findings),
        hazards: hazards::rank(&findings),
        reasons: reasons(findings),
        lingering: reasons(keeping),
        blind_spots: blind_spots::find(evidence, quiet, now),
    }
}

/// The judgement of a place that is watched. What stood there by a source that has been switched off since is not seen to end:
/// that is a blind spot, for as long as anything rests on it.
pub fn judge_watched(evidence: &Evidence, before: Option<&PointState>, now: Timestamp) -> Assessment {
    let mut assessment = judge_evidence(evidence, now);
    assessment.blind_spots.extend(before.into_iter().flat_map(|state| blind_spots::switched_off(evidence, state)));
    assessment
}

/// The reasons among the findings, highest level first; those that only score are none.
fn reasons(findings: Vec<Finding>) -> Vec<Reason> {
    let mut reasons: Vec<Reason> =
        findings.into_iter().map(|finding| finding.reason).filter(|reason| reason.level > Level::None).collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.level));
    reasons
}
