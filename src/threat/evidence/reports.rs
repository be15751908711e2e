//! Storm reports around one place.

use super::{Sight, blind};
use crate::geo::LatLon;
use crate::observation::IEM_REPORTS;
use crate::storm_report::{Category, NearReport, REPORTS_USABLE_FOR, StormReports};
use crate::threat::later;
use crate::threat::picture::Picture;
use crate::threat::rules::{COUNTED_MIN, REPORTS_SEEN_KM};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A report passed on later than this after its event raises nothing, it only explains (levels.md correction 6).
const TOLD_WITHIN: SignedDuration = SignedDuration::from_mins(45);
/// How far an event may lie ahead of the clock: people write down times to the minute, by their own watches.
const AHEAD_MAX: SignedDuration = SignedDuration::from_mins(5);

/// Reports around one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportsEvidence {
    /// Whether the feed was heard lately, and whole.
    pub sight: Sight,
    /// What is known within `REPORTS_SEEN_KM`, newest event first.
    pub near: Arc<Vec<ReportSeen>>,
}

/// One report as seen from a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportSeen {
    /// What was seen.
    pub category: Category,
    /// When it happened.
    pub event_utc: Timestamp,
    /// When it was passed on.
    pub told_utc: Timestamp,
    /// From the place, km.
    pub distance_km: f64,
    /// From the place, degrees.
    pub bearing_deg: f64,
    /// Where, in the office's words, with the state.
    pub where_text: String,
    /// The product that carried it, or what else tells it from others.
    pub id: String,
}

impl ReportSeen {
    fn new(near: &NearReport<'_>) -> Self {
        let report = near.report;
        let event = report.event_utc;
        Self {
            category: report.category.clone(),
            event_utc: event,
            told_utc: report.told_utc(),
            distance_km: near.distance_km,
            bearing_deg: near.bearing_deg,
            where_text: format!("{} {}", report.city, report.state).trim().to_owned(),
            id: report.product_id.clone().unwrap_or_else(|| format!("{} {event:.0} {}", report.wfo, report.city)),
        }
    }

    /// Whether it may raise a level `minutes` after its event: passed on in time, and not older than that.
    pub fn speaks_for(&self, minutes: i64, now: Timestamp) -> bool {
        let age = self.event_utc.duration_until(now);
        let told_after = self.event_utc.duration_until(self.told_utc);
        told_after <= TOLD_WITHIN && -AHEAD_MAX <= age && age <= SignedDuration::from_mins(minutes)
    }
}

/// The snapshot that was looked through last, and what of it is near.
pub(super) type Remembered = Option<(Arc<StormReports>, Arc<Vec<ReportSeen>>)>;

pub(super) fn see(picture: &Picture, place: LatLon, now: Timestamp, memory: &mut Remembered) -> ReportsEvidence {
    if picture.is_off(&IEM_REPORTS) {
        return ReportsEvidence { sight: Sight::Off, near: Arc::default() };
    }
    let Some(reports) = &picture.reports else {
        return ReportsEvidence { sight: Sight::never("no storm reports have been heard yet"), near: Arc::default() };
    };
    if !memory.as_ref().is_some_and(|(read, _)| Arc::ptr_eq(read, reports)) {
        let near = reports.within(place, REPORTS_SEEN_KM, Timestamp::MIN, Timestamp::MAX);
        let near: Vec<ReportSeen> = near.iter().map(ReportSeen::new).collect();
        *memory = Some((Arc::clone(reports), Arc::new(near)));
    }
    let near = memory.as_ref().map(|(_, near)| Arc::clone(near)).unwrap_or_default();
    let read = reports.read_utc;
    // Since all of them were read last: the poll of which a part is missing is the newest, and another one the next time.
    let in_part = |why| Sight::Blind { since_utc: picture.reports_whole_utc, why };
    let sight = if now >= later(read, REPORTS_USABLE_FOR) {
        blind(read, &format!("no good answer from the feed of storm reports since {read:.0}"))
    } else if reports.unread > 0 {
        in_part(format!("{} storm report(s) could not be read", reports.unread))
    } else if reports.is_cut {
        in_part("the feed of storm reports was cut at its limit".to_owned())
    } else if let Some(newest) = emptied(picture, now) {
        blind(newest, &format!("reports of {newest:.0} and before, heard earlier, are not listed any more"))
    } else {
        Sight::Clear
    };
    ReportsEvidence { sight, near }
}

/// The newest event reported to an earlier life of the process, where it could still speak and nothing as new is listed. In
/// one life reports once heard are kept whatever the feed lists (`StormReports::with_earlier`).
fn emptied(picture: &Picture, now: Timestamp) -> Option<Timestamp> {
    let newest = picture.reported_before_utc.filter(|at| now <= later(*at, SignedDuration::from_mins(COUNTED_MIN)))?;
    let listed = picture.reports.as_ref().and_then(|held| Some(held.reports.first()?.event_utc));
    listed.is_none_or(|listed| listed < newest).then_some(newest)
}

#[cfg(test)]
mod tests;
