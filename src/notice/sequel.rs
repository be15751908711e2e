//! What came of a level change for its owner, journalled with it: why it was told, or why not, has an answer afterwards,
//! whatever the owner wants by then. Pure.

use crate::notice::{Delivery, Held, NoticeReason, QuietHours, WatchPoint};
use crate::threat::Level;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What was wanted at the time of a level change, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequel {
    /// Nothing below was told.
    pub min_level: Level,
    /// When people there slept.
    pub quiet_hours: Option<QuietHours>,
    /// Until when notices were held.
    pub snooze_until_utc: Option<Timestamp>,
    /// The level that the owner had said to know of.
    pub acknowledged: Option<Level>,
    /// What came of it.
    pub fate: Fate,
}

/// What came of a level change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// A notice was decided, one delivery to each address.
    Told(NoticeReason),
    /// A notice was decided and held for a digest, due then.
    Held(NoticeReason, Timestamp),
    /// A notice was decided, and its owner knew already.
    Known(NoticeReason),
    /// It was below what is told, or there was nothing to take back.
    Unasked,
}

/// The sequels of what changed at `now`, by watch point: each with the reason for which a notice was decided, if one was, among
/// all that was decided then.
pub fn sequels<'a>(
    changed: impl IntoIterator<Item = (&'a WatchPoint, Option<NoticeReason>)>,
    deliveries: &[Delivery],
    held: &[Held],
    now: Timestamp,
) -> BTreeMap<String, Sequel> {
    let sent = deliveries.iter().filter(|sent| sent.reason != NoticeReason::Digest);
    let sent: BTreeSet<&str> = sent.flat_map(|sent| &sent.watch_points).map(String::as_str).collect();
    let held = held.iter().filter(|row| row.decided_utc == now && !row.told);
    let held: BTreeMap<&str, &Held> = held.map(|row| (row.watch_point.as_str(), row)).collect();
    let fate = |point: &WatchPoint, reason| match (reason, held.get(point.id.as_str())) {
        (None, _) => Fate::Unasked,
        (Some(reason), _) if sent.contains(point.id.as_str()) => Fate::Told(reason),
        (Some(reason), Some(row)) => Fate::Held(reason, row.due_utc),
        (Some(reason), None) => Fate::Known(reason),
    };
    let sequel = |point: &WatchPoint, reason| Sequel {
        min_level: point.min_level,
        quiet_hours: point.quiet_hours,
        snooze_until_utc: point.snooze_until_utc,
        acknowledged: point.acknowledged.as_ref().map(|acknowledged| acknowledged.level),
        fate: fate(point, reason),
    };
    changed.into_iter().map(|(point, reason)| (point.id.clone(), sequel(point, reason))).collect()
}
