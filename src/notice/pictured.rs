//! What the words of a notice need to know of the evidence, as the picture has it.

use super::compose::Ending;
use super::deliver;
use crate::threat::assess::WARNINGS_ID;
use crate::threat::picture::Picture;
use crate::threat::rules::REPORTS_ID;
use crate::threat::{Reason, Support};
use crate::warning::IncidentKey;
use crate::warning::incidents::Fate;
use jiff::Timestamp;

/// The evidence of one pass.
pub struct AsPictured<'a> {
    /// The picture.
    pub picture: &'a Picture,
    /// The instant of the pass.
    pub now: Timestamp,
}

impl deliver::Evidence for AsPictured<'_> {
    fn instruction(&self, reason: &Reason) -> Option<String> {
        let mut standing = self.picture.warnings.standing(self.now);
        standing.find(|(key, _, _)| key.0 == reason.subject).and_then(|(_, warning, _)| warning.instruction.clone())
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

fn of_fate(fate: Fate) -> Ending {
    match fate {
        Fate::OutOfTime | Fate::Expired | Fate::Unknown => Ending::Expired,
        Fate::Cancelled | Fate::Withdrawn => Ending::Cancelled,
        Fate::Upgraded => Ending::Downgraded,
        Fate::InEffect | Fate::Coming => Ending::MovedAway,
    }
}
