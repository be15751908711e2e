//! The granules of the last minutes, and what they show around a place: from one satellite, never the sum of both.

use super::squares::{Circle, Squares};
use super::{Flash, Granule, LIGHTNING_KEPT_FOR, LIGHTNING_USABLE_FOR, Satellite};
use crate::geo::LatLon;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Granules kept of one satellite: 30 minutes at 20 s are 90; shorter ones occur.
const GRANULES_MAX: usize = 200;
/// A pause shorter than this between two granules is no gap: files name their ends to the tenth of a second.
const GAP_MIN: SignedDuration = SignedDuration::from_secs(1);
/// With so much of a window missing between its granules nobody can say that it was quiet: as much as may be missing at its
/// end. A lost granule of 20 seconds hides little of a storm.
const MISSING_MAX: SignedDuration = LIGHTNING_USABLE_FOR;

/// The granules of the last 30 minutes of each satellite. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LightningWindow {
    satellites: BTreeMap<Satellite, Held>,
}

/// What is held of one satellite.
#[derive(Debug, Clone, Default, PartialEq)]
struct Held {
    /// By start, so that hearing one twice, or two editions of one, is harmless.
    granules: BTreeMap<Timestamp, Arc<Granule>>,
    /// Where their flashes are.
    squares: Squares,
    newest_end_utc: Option<Timestamp>,
    /// Stretches between granules that none covers, oldest first.
    gaps: Vec<(Timestamp, Timestamp)>,
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
    /// Granules of five minutes or more are missing among those of the window.
    Patchy {
        /// Begin of the first stretch that is missing; `None` where nothing before the window was heard.
        since_utc: Option<Timestamp>,
        /// How much is missing, seconds.
        missing_s: i64,
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
        self.satellites.entry(granule.satellite).or_default().take(granule);
    }

    /// The granules of one satellite, oldest first.
    pub fn granules(&self, satellite: Satellite) -> impl Iterator<Item = &Arc<Granule>> {
        self.satellites.get(&satellite).into_iter().flat_map(|held| held.granules.values())
    }

    /// End of the newest granule of one satellite.
    pub fn newest_end_utc(&self, satellite: Satellite) -> Option<Timestamp> {
        self.satellites.get(&satellite)?.newest_end_utc
    }

    /// Whether a satellite's newest granule may still speak.
    fn speaks(&self, satellite: Satellite, now: Timestamp) -> bool {
        self.newest_end_utc(satellite).is_some_and(|end| now.duration_since(end) < LIGHTNING_USABLE_FOR)
    }

    /// Which satellite's granules stand for `place`, and why they may not be believed to be quiet, if so.
    pub fn serving(&self, place: LatLon, now: Timestamp) -> (Satellite, Option<LightningBlind>) {
        let first = Satellite::first_for(place);
        // Nearly always; the rest is for outages and for the ends of what they see.
        if self.speaks(first, now) && first.sees(place) {
            return (first, None);
        }
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

    /// The same over the last `minutes`: a satellite of whose granules too many are missing gives way to one that saw more of
    /// them, if that one speaks too.
    fn serving_over(&self, place: LatLon, minutes: i64, now: Timestamp) -> (Satellite, Option<LightningBlind>) {
        let (first, blind) = self.serving(place, now);
        let since_utc = since(minutes, now);
        let patchy = |satellite| self.satellites.get(&satellite).and_then(|held| held.patchy(since_utc));
        let (None, Some(first_patchy)) = (&blind, patchy(first)) else { return (first, blind) };
        let other = first.other();
        let is_better = other.sees(place) && self.speaks(other, now) && patchy(other).is_none();
        if is_better { (other, None) } else { (first, Some(first_patchy)) }
    }

    /// What the serving satellite shows within `radius_km` of `place` over the last `minutes` before `now`. Flashes are
    /// told also where the sight is blind or has gaps: what was seen was seen.
    pub fn seen_from(&self, place: LatLon, radius_km: f64, minutes: i64, now: Timestamp) -> LightningSight {
        let (satellite, blind) = self.serving(place, now);
        let since_utc = since(minutes, now);
        let within: Vec<&Arc<Granule>> =
            self.granules(satellite).filter(|granule| granule.end_utc > since_utc).collect();
        let (covered_s, gaps) = coverage(&within, since_utc);
        let (mut flash_count, mut nearest, mut most_recent) = (0, None, None);
        self.flashes_within(satellite, &Circle::new(place, radius_km), since_utc, |seen| {
            flash_count += 1;
            keep(&mut nearest, seen, Seen::is_nearer);
            keep(&mut most_recent, seen, |seen, held| seen.first_event_utc > held.first_event_utc);
        });
        LightningSight {
            satellite,
            blind,
            since_utc,
            until_utc: within.iter().map(|granule| granule.end_utc).max(),
            covered_s,
            gaps,
            granules: within.len(),
            flash_count,
            nearest: nearest.map(|seen| seen.told(place)),
            most_recent: most_recent.map(|seen| seen.told(place)),
        }
    }

    /// The nearest flash alone, with who serves the place and whether its absence may be believed: what `seen_from` tells of
    /// them, without a look at every granule. Gaps that `seen_from` lists are blindness here once they are long.
    pub fn nearest_from(
        &self,
        place: LatLon,
        radius_km: f64,
        minutes: i64,
        now: Timestamp,
    ) -> (Satellite, Option<LightningBlind>, Option<NearFlash>) {
        let (satellite, blind) = self.serving_over(place, minutes, now);
        let mut nearest = None;
        self.flashes_within(satellite, &Circle::new(place, radius_km), since(minutes, now), |seen| {
            keep(&mut nearest, seen, Seen::is_nearer);
        });
        (satellite, blind, nearest.map(|seen| seen.told(place)))
    }

    /// Hands on every flash in the circle that began since then, oldest granule first.
    fn flashes_within<'a>(
        &'a self,
        satellite: Satellite,
        circle: &Circle,
        since_utc: Timestamp,
        mut found: impl FnMut(Seen<'a>),
    ) {
        let Some(held) = self.satellites.get(&satellite) else { return };
        for of_one in held.squares.near(circle).chunk_by(|a, b| a.0 == b.0) {
            let granule = of_one.first().and_then(|(start_utc, _)| held.granules.get(start_utc));
            let Some(granule) = granule.filter(|granule| granule.end_utc > since_utc) else { continue };
            let flashes = of_one.iter().filter_map(|(_, number)| granule.flashes.get(usize::try_from(*number).ok()?));
            for flash in flashes {
                let first_event_utc = flash.first_event_utc(granule);
                if first_event_utc < since_utc {
                    continue;
                }
                if let Some((at, distance_km)) = flash.nearest_point(circle) {
                    found(Seen { granule, flash, first_event_utc, at, distance_km });
                }
            }
        }
    }
}

impl Held {
    fn take(&mut self, granule: &Arc<Granule>) {
        let known = self.granules.get(&granule.start_utc).cloned();
        if known.as_ref().is_none_or(|known| known.key < granule.key) {
            known.iter().for_each(|known| self.squares.remove(known));
            self.squares.add(granule);
            self.granules.insert(granule.start_utc, Arc::clone(granule));
        }
        let Some(newest) = self.granules.values().map(|granule| granule.end_utc).max() else { return };
        self.newest_end_utc = Some(newest);
        let is_old = |granule: &Granule| newest.duration_since(granule.end_utc) > LIGHTNING_KEPT_FOR;
        let old: Vec<Timestamp> =
            self.granules.iter().filter(|(_, granule)| is_old(granule)).map(|(start_utc, _)| *start_utc).collect();
        old.into_iter()
            .filter_map(|start_utc| self.granules.remove(&start_utc))
            .for_each(|gone| self.squares.remove(&gone));
        while self.granules.len() > GRANULES_MAX {
            self.granules.pop_first().iter().for_each(|(_, gone)| self.squares.remove(gone));
        }
        let held: Vec<&Arc<Granule>> = self.granules.values().collect();
        self.gaps = held.first().map_or_else(Vec::new, |first| coverage(&held, first.start_utc).1);
    }

    /// Whether too much of the time from `since_utc` to the newest granule is missing.
    fn patchy(&self, since_utc: Timestamp) -> Option<LightningBlind> {
        let (first, _) = self.granules.first_key_value()?;
        let unheard = (since_utc < *first).then_some((since_utc, *first));
        let within = self.gaps.iter().filter(|(_, end)| *end > since_utc);
        let missing = unheard.iter().chain(within.clone());
        let missing = missing.map(|(begin, end)| (*begin).max(since_utc).duration_until(*end));
        let missing = missing.fold(SignedDuration::ZERO, SignedDuration::saturating_add);
        let since_utc = within.map(|(begin, _)| *begin).next().filter(|_| unheard.is_none());
        (missing >= MISSING_MAX).then(|| LightningBlind::Patchy { since_utc, missing_s: missing.as_secs() })
    }
}

/// A flash in the circle, not yet told.
#[derive(Clone, Copy)]
struct Seen<'a> {
    granule: &'a Granule,
    flash: &'a Flash,
    first_event_utc: Timestamp,
    at: LatLon,
    distance_km: f64,
}

impl Seen<'_> {
    /// Nearer than `held`; on ties later.
    fn is_nearer(&self, held: &Self) -> bool {
        self.distance_km < held.distance_km
            || (self.distance_km == held.distance_km && self.first_event_utc > held.first_event_utc)
    }

    fn told(self, place: LatLon) -> NearFlash {
        NearFlash {
            distance_km: self.distance_km,
            bearing_deg: place.bearing_deg(self.at),
            at: self.at,
            centroid_distance_km: self.flash.centroid().map_or(self.distance_km, |at| place.distance_km(at)),
            first_event_utc: self.first_event_utc,
            quality: self.flash.quality(),
            key: self.granule.key.clone(),
        }
    }
}

/// Keeps `seen` where it is better than what is held.
fn keep<'a>(held: &mut Option<Seen<'a>>, seen: Seen<'a>, is_better: impl Fn(&Seen<'a>, &Seen<'a>) -> bool) {
    if held.as_ref().is_none_or(|held| is_better(&seen, held)) {
        *held = Some(seen);
    }
}

fn since(minutes: i64, now: Timestamp) -> Timestamp {
    now.checked_sub(SignedDuration::from_mins(minutes)).unwrap_or(now)
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
