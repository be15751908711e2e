//! The assessment of one place: every reason at the raise thresholds, what lingers at the clear ones, and the blind spots
//! with the level that each could hide.

use crate::geo::LatLon;
use crate::mosaic::{Cell, Product};
use crate::threat::evidence::{Evidence, RadarMemory, RadarSignal, Sight};
use crate::threat::picture::Picture;
use crate::threat::rules::{Finding, Mode, THRESHOLDS, judge, level};
use crate::threat::{Assessment, BlindSpot, Level, Reason, hazards};
use crate::warning::incidents::{Match, Phase, WarningSight};
use crate::warning::{IncidentKey, Warning};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Evidence source id of the NWS collection.
pub const WARNINGS_ID: &str = "nws-warnings";
/// Evidence source id of a place's zones.
pub const ZONES_ID: &str = "nws-zones";

/// Assesses a place from the picture alone. Who assesses the same places again and again gathers the evidence with a
/// `RadarMemory` and judges that.
pub fn assess(picture: &Picture, place: LatLon, now: Timestamp) -> Assessment {
    judge_evidence(&Evidence::gather(picture, place, now, &mut RadarMemory::default()), now)
}

/// The judgement over what is seen.
pub fn judge_evidence(evidence: &Evidence, now: Timestamp) -> Assessment {
    let quiet = evidence.shows_nothing();
    let judge = |mode| if quiet { Vec::new() } else { judge(evidence, now, mode) };
    let findings = judge(Mode::Raise);
    Assessment {
        at_utc: now,
        level: level(&findings),
        hazards: hazards::rank(&findings),
        reasons: reasons(findings),
        lingering: reasons(judge(Mode::Clear)),
        blind_spots: blind_spots(evidence, quiet, now),
    }
}

/// The reasons among the findings, highest level first; those that only score are none.
fn reasons(findings: Vec<Finding>) -> Vec<Reason> {
    let mut reasons: Vec<Reason> =
        findings.into_iter().map(|finding| finding.reason).filter(|reason| reason.level > Level::None).collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.level));
    reasons
}

/// Something that may be out of sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hidden {
    Warnings,
    Zones,
    Radar(Product),
}

impl Hidden {
    fn source_id(self) -> String {
        match self {
            Self::Warnings => WARNINGS_ID.to_owned(),
            Self::Zones => ZONES_ID.to_owned(),
            Self::Radar(product) => product.source_id(),
        }
    }

    /// The level that would be read if this were at its worst and all else as it is.
    fn could_raise_to(self, evidence: &Evidence, now: Timestamp) -> Level {
        let worst = match self {
            Self::Warnings => with_warning(evidence, "Tornado Warning", Match::Polygon, now),
            // The worst product without a polygon: a tornado warning by county, as offices issue it when drawing fails.
            Self::Zones => with_warning(evidence, "Tornado Warning", Match::Zone, now),
            Self::Radar(product) => with_signal(evidence, product, now),
        };
        level(&judge(&worst, now, Mode::Raise))
    }
}

/// What each could mean where nothing else is seen: the answer for all but a few places, and costly to find out anew for
/// each of a hundred thousand when a feed is down.
static ALONE: LazyLock<BTreeMap<Hidden, Level>> = LazyLock::new(|| {
    let nothing = Evidence::nothing_seen();
    let all = [Hidden::Warnings, Hidden::Zones].into_iter().chain(Product::ALL.map(Hidden::Radar));
    all.map(|hidden| (hidden, hidden.could_raise_to(&nothing, Timestamp::UNIX_EPOCH))).collect()
});

fn blind_spots(evidence: &Evidence, quiet: bool, now: Timestamp) -> Vec<BlindSpot> {
    let radar = evidence.radar.iter().map(|radar| (Hidden::Radar(radar.product), &radar.sight));
    let all = [(Hidden::Warnings, &evidence.warnings_sight), (Hidden::Zones, &evidence.zones_sight)];
    let spot = |(hidden, sight): (Hidden, &Sight)| {
        let Sight::Blind { since_utc, why } = sight else { return None };
        let known = if quiet { ALONE.get(&hidden).copied() } else { None };
        let could_raise_to = known.unwrap_or_else(|| hidden.could_raise_to(evidence, now));
        Some(BlindSpot { source: hidden.source_id(), since_utc: *since_utc, why: why.clone(), could_raise_to })
    };
    all.into_iter().chain(radar).filter_map(spot).collect()
}

fn with_warning(evidence: &Evidence, event: &str, matched: Match, now: Timestamp) -> Evidence {
    let mut warning = Warning::bare(event, now);
    warning.tags.tornado_detection = Some("OBSERVED".to_owned());
    let mut evidence = evidence.clone();
    evidence.warnings.push(WarningSight {
        key: IncidentKey(String::new()),
        warning: Arc::new(warning),
        phase: Phase::InEffect,
        matched,
        distance_km: None,
        bearing_deg: None,
        approach: None,
        until_utc: None,
    });
    evidence
}

/// The evidence as it would be with one radar product at its worst: every threshold reached right here.
fn with_signal(evidence: &Evidence, product: Product, now: Timestamp) -> Evidence {
    let mut evidence = evidence.clone();
    let here = |value| Cell { value, at: evidence.place, distance_km: 0.0, bearing_deg: 0.0 };
    let thresholds = THRESHOLDS.iter().filter(|t| t.product == product);
    let nearest: Vec<_> =
        thresholds.flat_map(|t| [t.raise, t.clear()]).map(|value| (value, Some(here(value)))).collect();
    for radar in evidence.radar.iter_mut().filter(|radar| radar.product == product) {
        let nearest = nearest.clone();
        radar.signal = Some(Arc::new(RadarSignal { valid_utc: now, key: String::new(), peak: None, nearest }));
    }
    evidence
}
