//! Severe-weather tools: pure functions from a picture to an answer.
//!
//! Boundaries: ✓ what is shown, in which units and words, and what the answer had to do without. ✗ no rules for levels.

pub mod brief;
pub mod environment;
pub mod lightning;
pub mod mrms;
pub mod outlook;
pub mod radar;
pub mod reports;
pub mod warnings;

pub use brief::threat_brief;
pub use environment::{environment_trend, point_environment};
pub use lightning::lightning;
pub use mrms::mrms_severe;
pub use outlook::spc_outlook;
pub use radar::radar_snapshot;
pub use reports::{historical_storm_reports, storm_reports};
pub use warnings::active_warnings;

use crate::geo::LatLon;
use crate::mcp::envelope::clock_time;
use crate::mosaic::{Mosaic, Product};
use crate::threat::evidence::{MOSAIC_USABLE_FOR, Sight, warnings_sight};
use crate::threat::later;
use crate::threat::picture::Picture;
use jiff::Timestamp;

/// Everything that cannot be told while the warnings feed is blind.
pub const WARNING_IDS: [&str; 4] =
    ["nws-point-alerts", "nws-tornado-warning", "nws-severe-thunderstorm-warning", "nws-flash-flood-warning"];
/// What cannot be told while the zones of a place are not known: products without a polygon.
pub const ZONES_ID: &str = "nws-point-alerts";

/// Whether the warnings feed can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarningsSight {
    /// Heard recently enough, and whole.
    Fresh,
    /// Not heard since then, or never.
    BlindSince(Option<Timestamp>),
}

impl WarningsSight {
    /// As of `now`.
    pub fn of(picture: &Picture, now: Timestamp) -> Self {
        match warnings_sight(picture, now) {
            Sight::Clear => Self::Fresh,
            Sight::Blind { since_utc, .. } => Self::BlindSince(since_utc),
            Sight::Off => Self::BlindSince(None),
        }
    }

    /// Whether it cannot be seen.
    pub fn is_blind(self) -> bool {
        matches!(self, Self::BlindSince(_))
    }

    /// `unknown since 21:04Z` or `unknown: never heard yet`.
    pub fn in_words(self, now: Timestamp) -> String {
        match self {
            Self::Fresh => "known".into(),
            Self::BlindSince(since) => unknown_since(since, now),
        }
    }
}

/// `unknown since 21:04Z`, or that nothing was ever heard.
pub fn unknown_since(since: Option<Timestamp>, now: Timestamp) -> String {
    since.map_or_else(|| "unknown, not heard yet".into(), |since| format!("unknown since {}", clock_time(since, now)))
}

/// The newest mosaic of `product`, if it may still speak.
pub fn usable_mosaic(picture: &Picture, product: Product, now: Timestamp) -> Option<&Mosaic> {
    let mosaic = picture.mosaics.get(&product)?;
    (now < later(mosaic.valid_utc, MOSAIC_USABLE_FOR)).then_some(mosaic.as_ref())
}

/// The zones of `place`, once known.
pub fn zones_of(picture: &Picture, place: LatLon) -> Option<&[String]> {
    picture.zones.get(&place.key_4dp()).map(|zones| zones.ugc.as_slice())
}

/// `item` or `items`, with the number before it.
pub fn counted(number: usize, item: &str) -> String {
    format!("{number} {item}{}", if number == 1 { "" } else { "s" })
}
