//! What the words of a notice need to know of the evidence, as the picture has it.

use super::compose::Ending;
use super::deliver;
use crate::observation::{GOES_GLM, IEM_REPORTS, MRMS, NWS_WARNINGS, RAP_PROFILES, SPC_OUTLOOKS, SourceName};
use crate::threat::assess::WARNINGS_ID;
use crate::threat::picture::Picture;
use crate::threat::rules::{ENVIRONMENT_ID, LIGHTNING_ID, REPORTS_ID};
use crate::threat::{Reason, Support};
use crate::warning::IncidentKey;
use crate::warning::incidents::Fate;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// The evidence of one pass.
pub struct AsPictured<'a> {
    /// The picture.
    pub picture: &'a Picture,
    /// When the last good poll of each source had come in.
    pub seen: &'a BTreeMap<SourceName, Timestamp>,
    /// The instant of the pass.
    pub now: Timestamp,
}

impl deliver::Evidence for AsPictured<'_> {
    fn instruction(&self, reason: &Reason) -> Option<String> {
        let mut standing = self.picture.warnings.standing(self.now);
        standing.find(|(key, _, _)| key.0 == reason.subject).and_then(|(_, warning, _)| warning.instruction.clone())
    }

    fn seen_utc(&self, reason: &Reason) -> Option<Timestamp> {
        self.seen.get(&brought_by(&reason.source)?).copied()
    }

    fn ending(&self, support: &Support) -> Ending {
        let source = support.reason.source.as_str();
        if source == WARNINGS_ID {
            return of_fate(self.picture.warnings.fate(&IncidentKey(support.reason.subject.clone()), self.now));
        }
        // Reports grow too old to speak, and an outlook's time runs out or a new one says less; what is measured goes elsewhere.
        if source == REPORTS_ID {
            Ending::Expired
        } else if source.starts_with("spc-") {
            if support.reason.until_utc.is_some_and(|until| until <= self.now) {
                Ending::Expired
            } else {
                Ending::Downgraded
            }
        } else {
            Ending::MovedAway
        }
    }
}

/// The source that brings the evidence of this id; see `threat::blind_spots`.
fn brought_by(evidence_source: &str) -> Option<SourceName> {
    let kind = evidence_source.split('-').next();
    Some(match evidence_source {
        WARNINGS_ID => NWS_WARNINGS,
        REPORTS_ID => IEM_REPORTS,
        ENVIRONMENT_ID => RAP_PROFILES,
        LIGHTNING_ID => GOES_GLM,
        _ if kind == Some("mrms") => MRMS,
        _ if kind == Some("spc") => SPC_OUTLOOKS,
        _ => return None,
    })
}

fn of_fate(fate: Fate) -> Ending {
    match fate {
        Fate::OutOfTime | Fate::Expired | Fate::Unknown => Ending::Expired,
        Fate::Cancelled | Fate::Withdrawn => Ending::Cancelled,
        Fate::Upgraded => Ending::Downgraded,
        Fate::InEffect | Fate::Coming => Ending::MovedAway,
    }
}
