//! Lightning around one place.

use super::{Sight, blind};
use crate::geo::LatLon;
use crate::lightning::{LIGHTNING_USABLE_FOR, LightningBlind, NearFlash, Satellite};
use crate::observation::GOES_GLM;
use crate::threat::later;
use crate::threat::picture::Picture;
use crate::threat::rules::LIGHTNING_SEEN_KM;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Flashes of this many minutes count.
pub const LIGHTNING_MINUTES: i64 = 15;

/// Lightning around one place over the last `LIGHTNING_MINUTES`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LightningEvidence {
    /// Whether a satellite looks there and was heard lately.
    pub sight: Sight,
    /// The nearest flash within `LIGHTNING_SEEN_KM`.
    pub nearest: Option<NearFlash>,
    /// Who saw it.
    pub satellite: Option<Satellite>,
}

pub(super) fn see(picture: &Picture, place: LatLon, now: Timestamp) -> LightningEvidence {
    if picture.is_off(&GOES_GLM) {
        return LightningEvidence { sight: Sight::Off, nearest: None, satellite: None };
    }
    let (satellite, unseen, nearest) = picture.lightning.nearest_from(place, LIGHTNING_SEEN_KM, LIGHTNING_MINUTES, now);
    let sight = match unseen {
        None => Sight::Clear,
        Some(LightningBlind::OutOfView) => Sight::never("no GOES lightning mapper looks here"),
        Some(LightningBlind::Silent { since_utc: None }) => Sight::never("no lightning granule has been heard yet"),
        Some(LightningBlind::Silent { since_utc: Some(end) }) => {
            blind(later(end, LIGHTNING_USABLE_FOR), &format!("the newest lightning granule ends at {end:.0}"))
        }
        // Not how much: that moves with every look.
        Some(LightningBlind::Patchy { since_utc, .. }) => Sight::Blind {
            since_utc,
            why: format!("of the last {LIGHTNING_MINUTES} min of lightning five or more are missing"),
        },
    };
    let satellite = nearest.as_ref().map(|_| satellite);
    LightningEvidence { sight, nearest, satellite }
}
