//! A collection that has lost most of what stood in it, at once and without a word: an emptied or half copied answer with a
//! fresh time. Its absences are believed only once they have lasted; until then what is gone speaks on and the feed is blind.

use super::{ABSENT_FOR, Incident};
use crate::warning::{IncidentKey, WarningSnapshot};
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// So long a sudden loss of most incidents must last before it is believed.
pub const DOUBTED_FOR: SignedDuration = SignedDuration::from_mins(10);
/// With fewer incidents than this standing, losing most of them is an ordinary evening.
pub const DOUBTED_FROM: usize = 10;

/// A loss that is not believed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// The first good poll that lacked them.
    pub since_utc: Timestamp,
    /// How many incidents stood before.
    pub stood: usize,
    /// Which of them were gone.
    pub lost: BTreeSet<IncidentKey>,
}

/// The incidents that stand by their own time and were not called off.
pub(super) fn standing(held: &BTreeMap<IncidentKey, Incident>, polled_utc: Timestamp) -> BTreeSet<IncidentKey> {
    let stands = |incident: &Incident| incident.segments.iter().any(|s| s.over.is_none() && polled_utc < s.until_utc);
    held.iter().filter(|(_, incident)| stands(incident)).map(|(key, _)| key.clone()).collect()
}

/// For how long a product must be absent before it counts as withdrawn, after a whole poll that `held` has taken in already;
/// brings `doubt` up to date. `stood` are the incidents that stood before it.
pub(super) fn absent_for(
    doubt: &mut Option<Doubt>,
    held: &BTreeMap<IncidentKey, Incident>,
    stood: &BTreeSet<IncidentKey>,
    snapshot: &WarningSnapshot,
    polled_utc: Timestamp,
) -> SignedDuration {
    let listed: HashSet<&str> = snapshot.warnings.iter().map(|warning| warning.id.as_str()).collect();
    let replaced: HashSet<&str> = snapshot.warnings.iter().flat_map(|w| &w.references).map(String::as_str).collect();
    let is_listed = |key: &IncidentKey| {
        held.get(key).is_some_and(|incident| incident.segments.iter().any(|s| listed.contains(s.warning.id.as_str())))
    };
    // A word about it is an ending among its messages, or a product that takes its place.
    let is_gone = |key: &IncidentKey| {
        held.get(key).is_some_and(|incident| {
            incident.segments.iter().all(|segment| {
                let id = segment.warning.id.as_str();
                !listed.contains(id)
                    && !replaced.contains(id)
                    && incident.endings.iter().all(|ending| ending.sent_utc < segment.warning.sent_utc)
            })
        })
    };
    let gone: BTreeSet<IncidentKey> = stood.iter().filter(|key| is_gone(key)).cloned().collect();
    if let Some(held) = doubt {
        let back = held.lost.iter().filter(|key| is_listed(key)).count();
        let most_are_away = (held.lost.len() - back) * 2 > held.stood;
        let lasted = polled_utc.duration_since(held.since_utc) >= DOUBTED_FOR;
        if lasted || !most_are_away || held.lost.is_disjoint(&gone) {
            *doubt = None;
            return ABSENT_FOR;
        }
        return DOUBTED_FOR;
    }
    if stood.len() >= DOUBTED_FROM && gone.len() * 2 > stood.len() {
        *doubt = Some(Doubt { since_utc: polled_utc, stood: stood.len(), lost: gone });
        return DOUBTED_FOR;
    }
    ABSENT_FOR
}
