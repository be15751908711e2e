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
    /// Which of them were gone; `None` where an earlier life of the process had counted them.
    pub lost: Option<BTreeSet<IncidentKey>>,
}

/// What is known of before the poll.
pub(super) struct Before {
    /// The incidents that stood.
    pub stood: BTreeSet<IncidentKey>,
    /// How many stood in an earlier life of the process, at the first whole poll of this one.
    pub in_earlier_life: Option<usize>,
}

/// The incidents that stand by their own time and were not called off.
pub(super) fn standing(held: &BTreeMap<IncidentKey, Incident>, polled_utc: Timestamp) -> BTreeSet<IncidentKey> {
    let stands = |incident: &Incident| incident.segments.iter().any(|s| s.over.is_none() && polled_utc < s.until_utc);
    held.iter().filter(|(_, incident)| stands(incident)).map(|(key, _)| key.clone()).collect()
}

/// For how long a product must be absent before it counts as withdrawn, after a whole poll that `held` has taken in already;
/// brings `doubt` up to date.
pub(super) fn absent_for(
    doubt: &mut Option<Doubt>,
    held: &BTreeMap<IncidentKey, Incident>,
    before: &Before,
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
    let gone: BTreeSet<IncidentKey> = before.stood.iter().filter(|key| is_gone(key)).cloned().collect();
    if let Some(doubted) = doubt {
        let most_are_away = match &doubted.lost {
            Some(lost) => {
                let back = lost.iter().filter(|key| is_listed(key)).count();
                (lost.len() - back) * 2 > doubted.stood && !lost.is_disjoint(&gone)
            }
            None => standing(held, polled_utc).len() * 2 < doubted.stood,
        };
        if most_are_away && polled_utc.duration_since(doubted.since_utc) < DOUBTED_FOR {
            return DOUBTED_FOR;
        }
        *doubt = None;
        return ABSENT_FOR;
    }
    let stood = before.stood.len();
    if stood >= DOUBTED_FROM && gone.len() * 2 > stood {
        *doubt = Some(Doubt { since_utc: polled_utc, stood, lost: Some(gone) });
        return DOUBTED_FOR;
    }
    if let Some(stood) = before.in_earlier_life.filter(|stood| *stood >= DOUBTED_FROM)
        && standing(held, polled_utc).len() * 2 < stood
    {
        *doubt = Some(Doubt { since_utc: polled_utc, stood, lost: None });
        return DOUBTED_FOR;
    }
    ABSENT_FOR
}
