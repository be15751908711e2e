//! SPC's outlook for today, as it speaks of one place.

use super::{Sight, blind};
use crate::geo::LatLon;
use crate::observation::SPC_OUTLOOKS;
use crate::outlook::{Gap, OUTLOOK_USABLE_FOR, OutlookAtPoint, OutlookSet};
use crate::threat::later;
use crate::threat::picture::Picture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The day that rules look at: today.
const DAY: u8 = 1;

/// The outlook for today at one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlookEvidence {
    /// Whether an outlook is in force and known.
    pub sight: Sight,
    /// Layers of it that are not known.
    pub gaps: Vec<Gap>,
    /// What it says.
    pub seen: Option<Arc<OutlookSeen>>,
}

/// What an outlook says of one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlookSeen {
    /// Category, probabilities, intensities.
    pub at: OutlookAtPoint,
    /// When it was issued, else from when it is valid.
    pub issued_utc: Timestamp,
    /// Until when it speaks.
    pub expire_utc: Timestamp,
    /// Where it was read.
    pub url: String,
}

/// The set that was asked last, and its answer.
pub(super) type Remembered = Option<(Arc<OutlookSet>, Arc<OutlookSeen>)>;

pub(super) fn see(picture: &Picture, place: LatLon, now: Timestamp, memory: &mut Remembered) -> OutlookEvidence {
    let unseen = |sight| OutlookEvidence { sight, gaps: Vec::new(), seen: None };
    if picture.is_off(&SPC_OUTLOOKS) {
        return unseen(Sight::Off);
    }
    let Some(set) = picture.outlooks.speaking(DAY, now) else {
        return unseen(match picture.outlooks.confirmed_utc(DAY) {
            None => Sight::never("no outlook for today has been heard yet"),
            Some(last) if now < later(last, OUTLOOK_USABLE_FOR) => {
                blind(last, "no outlook that is known is in force now")
            }
            Some(last) => blind(last, &format!("no good answer from SPC since {last:.0}")),
        });
    };
    if !memory.as_ref().is_some_and(|(asked, _)| Arc::ptr_eq(asked, set)) {
        let seen = OutlookSeen {
            at: set.at(place),
            issued_utc: set.issue_utc.unwrap_or(set.valid_utc),
            expire_utc: set.expire_utc,
            url: set.url.clone(),
        };
        *memory = Some((Arc::clone(set), Arc::new(seen)));
    }
    let seen = memory.as_ref().map(|(_, seen)| Arc::clone(seen));
    OutlookEvidence { sight: Sight::Clear, gaps: set.gaps(), seen }
}
