//! What can be seen from one place: products, radar, outlook, air, reports and lightning around it, each with how well it is seen.
//!
//! This is where freshness is judged (levels.md, "Evidence and how long it may speak"); the rules behind it see only what
//! may still speak. One room a kind of evidence.

mod environment;
mod lightning;
mod outlook;
mod radar;
mod reports;

pub use environment::{EnvironmentEvidence, EnvironmentSeen, PROFILE_USABLE_FOR, profile_for};
pub use lightning::{LIGHTNING_MINUTES, LightningEvidence};
pub use outlook::{OutlookEvidence, OutlookSeen};
pub use radar::{RadarEvidence, RadarSignal, signal};
pub use reports::{ReportSeen, ReportsEvidence};

use crate::geo::LatLon;
use crate::mosaic::Product;
use crate::observation::{NWS_WARNINGS, NWS_ZONES};
use crate::threat::later;
use crate::threat::picture::Picture;
use crate::warning::incidents::WarningSight;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How long the NWS collection may speak after the last good poll.
pub const WARNINGS_USABLE_FOR: SignedDuration = SignedDuration::from_mins(5);
/// How long a mosaic may speak after its own time.
pub const MOSAIC_USABLE_FOR: SignedDuration = SignedDuration::from_mins(12);
/// Products farther away than this are not looked at: in 30 min the fastest storms (60 kt) cover 56 km.
pub const WARNINGS_RADIUS_KM: f64 = 100.0;

/// Whether a piece of evidence may speak.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sight {
    /// Fresh, and the place is covered.
    Clear,
    /// Not to be relied on for quiet.
    Blind {
        /// Since when; `None` when it was never heard.
        since_utc: Option<Timestamp>,
        /// For a person.
        why: String,
    },
    /// Its source is switched off in the configuration: levels are judged without it, by decision and not by accident.
    Off,
}

impl Sight {
    fn never(why: impl Into<String>) -> Self {
        Self::Blind { since_utc: None, why: why.into() }
    }
}

/// Everything that the rules look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Seen from here.
    pub place: LatLon,
    /// Products within `WARNINGS_RADIUS_KM`, in effect or coming. They speak by their own clock also when the feed is dead.
    pub warnings: Vec<WarningSight>,
    /// How well the collection is seen.
    pub warnings_sight: Sight,
    /// Whether the place's zones are known.
    pub zones_sight: Sight,
    /// One entry per product of `Product::ALL`, in that order.
    pub radar: Vec<RadarEvidence>,
    /// SPC's outlook for today.
    pub outlook: OutlookEvidence,
    /// The air over the place.
    pub environment: EnvironmentEvidence,
    /// What people saw around it.
    pub reports: ReportsEvidence,
    /// Lightning around it.
    pub lightning: LightningEvidence,
}

/// What was seen at one place, kept until what it was seen in changes: most reports bring news of one kind only.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    radar: Vec<Option<radar::Seen>>,
    outlook: outlook::Remembered,
    environment: environment::Remembered,
    reports: reports::Remembered,
}

impl Evidence {
    /// Looks around a place.
    pub fn gather(picture: &Picture, place: LatLon, now: Timestamp, memory: &mut Memory) -> Self {
        let key = place.key_4dp();
        let zones = picture.zones.get(&key);
        let warnings = picture.warnings.around(place, zones.map(|z| z.ugc.as_slice()), WARNINGS_RADIUS_KM, now);
        Self {
            place,
            warnings,
            warnings_sight: warnings_sight(picture, now),
            zones_sight: match zones {
                _ if picture.is_off(&NWS_ZONES) || picture.is_off(&NWS_WARNINGS) => Sight::Off,
                Some(_) => Sight::Clear,
                None => Sight::never(
                    "county, forecast and fire zones of this place are not known yet; asked again and again",
                ),
            },
            radar: radar::see(picture, place, now, &mut memory.radar),
            outlook: outlook::see(picture, place, now, &mut memory.outlook),
            environment: environment::see(picture, &key, now, &mut memory.environment),
            reports: reports::see(picture, place, now, &mut memory.reports),
            lightning: lightning::see(picture, place, now),
        }
    }

    /// A place of which nothing was ever seen.
    pub(super) fn nothing_seen() -> Self {
        let unseen = || Sight::never("");
        let radar = Product::ALL.map(|product| RadarEvidence { product, sight: unseen(), signal: None });
        Self {
            place: LatLon::NULL_ISLAND,
            warnings: Vec::new(),
            warnings_sight: unseen(),
            zones_sight: unseen(),
            radar: radar.to_vec(),
            outlook: OutlookEvidence { sight: unseen(), gaps: Vec::new(), seen: None },
            environment: EnvironmentEvidence { sight: unseen(), seen: None },
            reports: ReportsEvidence { sight: unseen(), near: Default::default() },
            lightning: LightningEvidence { sight: unseen(), nearest: None, satellite: None },
        }
    }
}

/// How well the warnings feed is seen.
pub fn warnings_sight(picture: &Picture, now: Timestamp) -> Sight {
    let warnings = &picture.warnings;
    if picture.is_off(&NWS_WARNINGS) {
        return Sight::Off;
    }
    let Some(good) = warnings.last_good_utc else {
        return match warnings.updated_utc {
            Some(before) => blind(before, "the warnings feed has not been heard since the start"),
            None => Sight::never("the warnings feed has not been heard yet"),
        };
    };
    if now >= later(good, WARNINGS_USABLE_FOR) {
        return blind(good, &format!("no good answer from the warnings feed since {good:.0}"));
    }
    if let Some(doubt) = warnings.doubt() {
        let (since, stood) = (doubt.since_utc, doubt.stood);
        let most = doubt.lost.as_ref().map_or_else(|| "most".to_owned(), |lost| lost.len().to_string());
        let why = format!("{most} of {stood} incidents vanished from the warnings feed without a word, by {since:.0}");
        return blind(since, &why);
    }
    match warnings.unread() {
        0 => Sight::Clear,
        // Since it was last read whole: the poll of which a part is unread is the newest, and another one the next time.
        unread => Sight::Blind {
            since_utc: warnings.last_whole_utc(),
            why: format!("{unread} product(s) of the warnings feed could not be read"),
        },
    }
}

fn blind(since: Timestamp, why: &str) -> Sight {
    Sight::Blind { since_utc: Some(since), why: why.to_owned() }
}
