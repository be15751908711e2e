//! get_lightning: what the lightning mappers saw around a point.
//!
//! The field names keep the word strike, which clients know; the mappers see flashes, within clouds and to the ground alike.

use crate::geo::LatLon;
use crate::lightning::{LightningBlind, LightningSight, NearFlash};
use crate::mcp::envelope::{Envelope, Location, Point, clock_time, rounded, utc};
use crate::threat::picture::Picture;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// Radius when none is asked for, km.
pub const RADIUS_KM_DEFAULT: f64 = 40.0;
/// Smallest and largest radius, km; what lies outside is clamped.
pub const RADIUS_KM: (f64, f64) = (5.0, 100.0);
/// Minutes when none are asked for.
pub const MINUTES_DEFAULT: i64 = 15;
/// Fewest and most minutes; what lies outside is clamped.
pub const MINUTES: (i64, i64) = (1, 30);
/// The id in `degraded`.
pub const SOURCE_ID: &str = "goes-glm";
/// Overhead: the next flash may be here (severe.md section 8).
const OVERHEAD_KM: f64 = 10.0;
/// Within this one suspends what one does outdoors, until 30 minutes after the last flash.
const SUSPEND_KM: f64 = 16.0;

/// `data` of get_lightning. Where lightning is not known, counts are null, not 0.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Lightning {
    /// The asked point.
    pub point: Point,
    /// The satellite that serves the point, with its spacecraft: `GOES-East (G19)`.
    pub satellite: String,
    /// The minutes looked back: the asked ones within 1 to 30.
    pub window_minutes: i64,
    /// The radius used, km: the asked one within 5 to 100.
    pub radius_km: f64,
    /// Files that the answer rests on, about 20 seconds each.
    pub granules_used: usize,
    /// Whether files cover less than the window up to the newest one.
    pub window_truncated: bool,
    /// Minutes of the window that files really cover.
    pub covered_minutes: f64,
    /// End of the time covered, UTC; null when there is no file.
    pub covered_until_utc: Option<String>,
    /// Flashes whose light came within the radius; null when nothing is known.
    pub flash_count: Option<usize>,
    /// Flashes per minute over the minutes really covered; null when none are.
    pub flashes_per_min: Option<f64>,
    /// The nearest flash: its nearest lit pixel, or its centroid where that is nearer.
    pub nearest_strike: Option<Strike>,
    /// When the latest flash within the radius began, UTC.
    pub most_recent_strike_utc: Option<String>,
}

/// One flash as seen from the point.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Strike {
    /// Where its nearest light was.
    #[serde(flatten)]
    pub location: Location,
    /// When it began, UTC.
    pub time_utc: String,
    /// Distance of the flash's centroid, km: farther where the flash is large.
    pub centroid_distance_km: f64,
    /// Object key of the file.
    pub evidence_id: String,
}

impl From<&NearFlash> for Strike {
    fn from(flash: &NearFlash) -> Self {
        Self {
            location: Location::new(flash.distance_km, flash.bearing_deg),
            time_utc: utc(flash.first_event_utc),
            centroid_distance_km: rounded(flash.centroid_distance_km, 1),
            evidence_id: flash.key.clone(),
        }
    }
}

/// Lightning within `radius_km` of `place` over the last `minutes` (both clamped), as of `now`.
pub fn lightning(
    picture: &Picture,
    place: LatLon,
    radius_km: f64,
    minutes: i64,
    now: Timestamp,
) -> Envelope<Lightning> {
    let radius_km = radius_km.clamp(RADIUS_KM.0, RADIUS_KM.1);
    let minutes = minutes.clamp(MINUTES.0, MINUTES.1);
    let sight = picture.lightning.seen_from(place, radius_km, minutes, now);
    let platform = picture.lightning.granules(sight.satellite).last().map(|granule| granule.platform.as_str());
    let name = sight.satellite.name();
    // Blind with nothing seen is unknown; what was seen stays seen.
    let known = sight.blind.is_none() || sight.flash_count > 0;
    let data = Lightning {
        point: place.into(),
        satellite: platform.map_or_else(|| name.to_owned(), |platform| format!("{name} ({platform})")),
        window_minutes: minutes,
        radius_km,
        granules_used: sight.granules,
        window_truncated: !sight.is_whole(),
        covered_minutes: rounded(sight.covered_s / 60.0, 1),
        covered_until_utc: sight.until_utc.map(utc),
        flash_count: known.then_some(sight.flash_count),
        flashes_per_min: sight.flashes_per_min().filter(|_| known).map(|rate| rounded(rate, 1)),
        nearest_strike: sight.nearest.as_ref().map(Strike::from),
        most_recent_strike_utc: sight.most_recent.as_ref().map(|flash| utc(flash.first_event_utc)),
    };
    let degraded = if sight.is_whole() { Vec::new() } else { vec![SOURCE_ID.to_owned()] };
    Envelope::new(data, interpret(&sight, radius_km, minutes, now), degraded)
}

fn interpret(sight: &LightningSight, radius_km: f64, minutes: i64, now: Timestamp) -> String {
    let mut sentences = Vec::new();
    sentences.extend(match &sight.blind {
        Some(LightningBlind::OutOfView) => {
            Some("No satellite looks here: lightning is unknown, not absent.".to_owned())
        }
        Some(LightningBlind::Silent { since_utc: Some(since) }) => Some(format!(
            "Lightning is unknown since {}: no newer file of {}. This does not mean that there is none.",
            clock_time(*since, now),
            sight.satellite.name()
        )),
        Some(LightningBlind::Silent { since_utc: None }) => {
            Some("Lightning is unknown: no file heard yet. This does not mean that there is none.".to_owned())
        }
        Some(LightningBlind::Patchy { .. }) | None if !sight.gaps.is_empty() => Some(format!(
            "Files cover only {} of the last {minutes} minutes: there may have been more than is told.",
            rounded(sight.covered_s / 60.0, 1)
        )),
        Some(LightningBlind::Patchy { .. }) | None => None,
    });
    let Some(nearest) = &sight.nearest else {
        if sight.blind.is_none() {
            sentences.push(format!("No flash detected within {radius_km} km in the minutes covered."));
        }
        return sentences.join(" ");
    };
    let place = Location::new(nearest.distance_km, nearest.bearing_deg);
    let here = format!("{} km {} at {}", place.distance_km, place.direction, clock_time(nearest.first_event_utc, now));
    sentences.push(if nearest.distance_km <= OVERHEAD_KM {
        format!("Lightning overhead: a flash {here}. Danger: be indoors or in a closed car.")
    } else if nearest.distance_km <= SUSPEND_KM {
        format!("Lightning within reach: a flash {here}. Suspend what is done outdoors until 30 minutes after the last flash.")
    } else {
        format!("Lightning in the area: the nearest flash {here}.")
    });
    let plural = if sight.flash_count == 1 { "flash" } else { "flashes" };
    sentences.push(format!("{} {plural} within {radius_km} km, in clouds and to the ground alike.", sight.flash_count));
    sentences.join(" ")
}

#[cfg(test)]
mod tests;
