//! The granules of the last minutes, and what they show around a place: from one satellite, never the sum of both.

use super::{Granule, LIGHTNING_KEPT_FOR, LIGHTNING_USABLE_FOR, Satellite};
use crate::geo::LatLon;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Granules kept of one satellite: 30 minutes at 20 s are 90; shorter ones occur.
const GRANULES_MAX: usize = 200;
/// A pause shorter than this between two granules is no gap: files name their ends to the tenth of a second.
const GAP_MIN: SignedDuration = SignedDuration::from_secs(1);

/// The granules of the last 30 minutes of each satellite. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LightningWindow {
    /// By satellite and start, so that hearing one twice, or two editions of one, is harmless.
    granules: BTreeMap<Satellite, BTreeMap<Timestamp, Arc<Granule>>>,
}

/// Why lightning around a place cannot be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LightningBlind {
    /// No satellite looks there.
    OutOfView,
    /// The satellites that look there have been silent for five minutes or more: since the end of the newest granule, or
    /// never heard.
    Silent {
        /// End of the newest granule.
        since_utc: Option<Timestamp>,
    },
}

/// One flash near a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NearFlash {
    /// From the place to the nearest point of the flash, km.
    pub distance_km: f64,
    /// From the place to that point, degrees clockwise from north.
    pub bearing_deg: f64,
    /// That point: the centroid or a lit pixel.
    pub at: LatLon,
    /// From the place to the flash's centroid, km.
    pub centroid_distance_km: f64,
    /// When the flash began.
    pub first_event_utc: Timestamp,
    /// The file's quality figure.
    pub quality: u8,
    /// The granule that holds it.
    pub key: String,
}

/// What one satellite shows around a place over some minutes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LightningSight {
    /// Whose figures these are: the one that serves the place, or the other where that is silent or does not look there.
    pub satellite: Satellite,
    /// Whether the absence of flashes may be believed: `Some` when it may not.
    pub blind: Option<LightningBlind>,
    /// Begin of the minutes asked for.
    pub since_utc: Timestamp,
    /// End of the newest granule.
    pub until_utc: Option<Timestamp>,
    /// Time between `since_utc` and `until_utc` that granules really cover, seconds.
    pub covered_s: f64,
    /// Stretches between the two that no granule covers.
    pub gaps: Vec<(Timestamp, Timestamp)>,
    /// Granules that reach into the window.
    pub granules: usize,
    /// Flashes within the radius that began within the window.
    pub flash_count: usize,
    /// The nearest of them; on ties the latest.
    pub nearest: Option<NearFlash>,
    /// The latest of them.
    pub most_recent: Option<NearFlash>,
}

impl LightningSight {
    /// Flashes per minute over the time that is really covered; `None` when nothing is.
    pub fn flashes_per_min(&self) -> Option<f64> {
        (self.covered_s > 0.0).then(|| self.flash_count as f64 * 60.0 / self.covered_s)
    }

    /// Whether granules cover the window from its begin to the newest granule without a gap.
    pub fn is_whole(&self) -> bool {
        self.blind.is_none() && self.gaps.is_empty()
    }
}

impl LightningWindow {
    /// Takes a granule in. Of two that begin at one instant the later edition stays: its name ends with its creation time.
    /// Those that ended over 30 minutes before the newest of its satellite go.
    pub fn take(&mut self, granule: &Arc<Granule>) {
        let held = self.granules.entry(granule.satellite).or_default();
        let edition = held.entry(granule.start_utc).or_insert_with(|| Arc::clone(granule));
        if edition.key < granule.key {
            *edition = Arc::clone(granule);
        }
        let Some(newest) = held.values().map(|granule| granule.end_utc).max() else { return };
        held.retain(|_, granule| newest.duration_since(granule.end_utc) <= LIGHTNING_KEPT_FOR);
        while held.len() > GRANULES_MAX {
            held.pop_first();
        }
    }

    /// The granules of one satellite, oldest first.
    pub fn granules(&self, satellite: Satellite) -> impl Iterator<Item = &Arc<Granule>> {
        self.granules.get(&satellite).into_iter().flat_map(BTreeMap::values)
    }

    /// End of the newest granule of one satellite.
    pub fn newest_end_utc(&self, satellite: Satellite) -> Option<Timestamp> {
        self.granules(satellite).map(|granule| granule.end_utc).max()
    }

    /// Whether a satellite's newest granule may still speak.
    fn speaks(&self, satellite: Satellite, now: Timestamp) -> bool {
        self.newest_end_utc(satellite).is_some_and(|end| now.duration_since(end) < LIGHTNING_USABLE_FOR)
    }

    /// Which satellite's granules stand for `place`, and why they may not be believed to be quiet, if so.
    pub fn serving(&self, place: LatLon, now: Timestamp) -> (Satellite, Option<LightningBlind>) {
        let first = Satellite::first_for(place);
        let looking = [first, first.other()].into_iter().filter(|satellite| satellite.sees(place));
        let looking: Vec<Satellite> = looking.collect();
        if let Some(speaking) = looking.iter().find(|satellite| self.speaks(**satellite, now)) {
            return (*speaking, None);
        }
        let newest = looking.iter().filter_map(|&satellite| Some((self.newest_end_utc(satellite)?, satellite)));
        match (looking.first(), newest.max_by_key(|(end, _)| *end)) {
            (None, _) => (first, Some(LightningBlind::OutOfView)),
            (Some(_), Some((end, satellite))) => (satellite, Some(LightningBlind::Silent { since_utc: Some(end) })),
            (Some(&satellite), None) => (satellite, Some(LightningBlind::Silent { since_utc: None })),
        }
    }

    /// What the serving satellite shows within `radius_km` of `place` over the last `minutes` before `now`. Flashes are
    /// told also where the sight is blind or has gaps: what was seen was seen.
    pub fn seen_from(&self, place: LatLon, radius_km: f64, minutes: i64, now: Timestamp) -> LightningSight {
        let (satellite, blind) = self.serving(place, now);
        let since_utc = now.checked_sub(SignedDuration::from_mins(minutes)).unwrap_or(now);
        let within: Vec<&Arc<Granule>> =
            self.granules(satellite).filter(|granule| granule.end_utc > since_utc).collect();
        let until_utc = within.iter().map(|granule| granule.end_utc).max();
        let (covered_s, gaps) = coverage(&within, since_utc);
        let mut sight = LightningSight {
            satellite,
            blind,
            since_utc,
            until_utc,
            covered_s,
            gaps,
            granules: within.len(),
            flash_count: 0,
            nearest: None,
            most_recent: None,
        };
        for granule in within {
            for flash in &granule.flashes {
                let first_event_utc = flash.first_event_utc(granule);
                if first_event_utc < since_utc {
                    continue;
                }
                let Some((at, distance_km)) = flash.nearest_point(place, radius_km) else { continue };
                sight.flash_count += 1;
                let nearer = sight.nearest.as_ref().is_none_or(|held| {
                    distance_km < held.distance_km
                        || (distance_km == held.distance_km && first_event_utc > held.first_event_utc)
                });
                let later = sight.most_recent.as_ref().is_none_or(|held| first_event_utc > held.first_event_utc);
                if !nearer && !later {
                    continue;
                }
                let found = NearFlash {
                    distance_km,
                    bearing_deg: place.bearing_deg(at),
                    at,
                    centroid_distance_km: flash.centroid().map_or(distance_km, |at| place.distance_km(at)),
                    first_event_utc,
                    quality: flash.quality(),
                    key: granule.key.clone(),
                };
                if later {
                    sight.most_recent = Some(found.clone());
                }
                if nearer {
                    sight.nearest = Some(found);
                }
            }
        }
        sight
    }
}

/// Seconds covered after `since`, and the stretches between `since` and the newest end that are not.
fn coverage(granules: &[&Arc<Granule>], since: Timestamp) -> (f64, Vec<(Timestamp, Timestamp)>) {
    let mut spans: Vec<(Timestamp, Timestamp)> =
        granules.iter().map(|granule| (granule.start_utc.max(since), granule.end_utc)).collect();
    spans.sort_unstable();
    let mut gaps = Vec::new();
    let mut covered = SignedDuration::ZERO;
    let mut reached = since;
    for (start, end) in spans {
        if start.duration_since(reached) >= GAP_MIN {
            gaps.push((reached, start));
        }
        let fresh = end.duration_since(start.max(reached));
        if fresh.is_positive() {
            covered = covered.saturating_add(fresh);
            reached = end;
        }
    }
    (covered.as_secs_f64(), gaps)
}
