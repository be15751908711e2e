//! Which incidents meet a place: polygons by an R-tree of their boxes, zones by a table.

use super::{Incident, Match, Phase, WarningSight};
use crate::geo::{EARTH_RADIUS_KM, LatLon};
use crate::warning::ugc;
use crate::warning::{IncidentKey, Warning, approach};
use jiff::Timestamp;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Boxes are searched this much wider than the circle, degrees: rounding must not lose a polygon on its rim.
const BOX_MARGIN_DEG: f64 = 0.01;

type Boxed = GeomWithData<Rectangle<[f64; 2]>, usize>;

/// The products that have not been ended or replaced, findable by place.
#[derive(Debug, Default)]
pub(super) struct Index {
    entries: Vec<Entry>,
    boxes: RTree<Boxed>,
    by_zone: HashMap<String, Vec<usize>>,
    /// Products for a whole state, by its two letters.
    by_state: HashMap<String, Vec<usize>>,
}

#[derive(Debug)]
struct Entry {
    key: IncidentKey,
    warning: Arc<Warning>,
    begins_utc: Timestamp,
    until_utc: Timestamp,
    /// Zones for which it no longer stands.
    gone: Vec<String>,
}

impl Index {
    pub(super) fn of(held: &BTreeMap<IncidentKey, Incident>) -> Self {
        let mut index = Self::default();
        let mut boxes = Vec::new();
        let segments = held.iter().flat_map(|(key, incident)| incident.segments.iter().map(move |s| (key, s)));
        for (key, segment) in segments.filter(|(_, segment)| segment.over.is_none()) {
            let (warning, number) = (&segment.warning, index.entries.len());
            match warning.area.as_ref() {
                Some(area) => {
                    let bounds = area.bounds_lonlat();
                    boxes.extend(bounds.map(|(low, high)| Boxed::new(Rectangle::from_corners(low, high), number)));
                }
                // With a polygon the zones do not count.
                None => {
                    for code in warning.ugc.iter().filter(|code| !segment.gone.contains(code)) {
                        let (table, code) = match code.get(..2) {
                            Some(state) if ugc::is_state_wide(code) => (&mut index.by_state, state),
                            _ => (&mut index.by_zone, code.as_str()),
                        };
                        table.entry(code.to_owned()).or_default().push(number);
                    }
                }
            }
            index.entries.push(Entry {
                key: key.clone(),
                warning: Arc::clone(warning),
                begins_utc: segment.begins_utc,
                until_utc: segment.until_utc,
                gone: segment.gone.clone(),
            });
        }
        index.boxes = RTree::bulk_load(boxes);
        index
    }

    pub(super) fn around(
        &self,
        place: LatLon,
        zones: Option<&[String]>,
        radius_km: f64,
        now: Timestamp,
    ) -> Vec<WarningSight> {
        let mut numbers: Vec<usize> = self.near(place, radius_km);
        for zone in zones.unwrap_or_default() {
            numbers.extend(self.by_zone.get(zone).into_iter().flatten());
            numbers.extend(zone.get(..2).and_then(|state| self.by_state.get(state)).into_iter().flatten());
        }
        numbers.sort_unstable();
        numbers.dedup();
        let seen = numbers.into_iter().filter_map(|n| self.entries.get(n)?.seen_from(place, zones, radius_km, now));
        // Entries lie in the order of keys: the segments of one incident are neighbours. One sight of each, the best.
        let mut sights: Vec<WarningSight> = Vec::new();
        for sight in seen {
            match sights.last_mut() {
                Some(last) if last.key == sight.key => {
                    if order(&sight, last).is_lt() {
                        *last = sight;
                    }
                }
                _ => sights.push(sight),
            }
        }
        sights.sort_by(|a, b| holding(a).cmp(&holding(b)).then(by_distance(a, b)).then_with(|| a.key.cmp(&b.key)));
        sights
    }

    /// Entries with a polygon whose box meets the box around the circle.
    fn near(&self, place: LatLon, radius_km: f64) -> Vec<usize> {
        let radius_deg = (radius_km.max(0.0) / EARTH_RADIUS_KM).to_degrees() + BOX_MARGIN_DEG;
        let (low, high) = ((place.lat() - radius_deg).max(-90.0), (place.lat() + radius_deg).min(90.0));
        // Meridians are closest at the end of the box that is nearer to a pole.
        let narrow = low.abs().max(high.abs()).to_radians().cos();
        let half_deg = if narrow > 1e-3 { (radius_deg / narrow).min(180.0) } else { 180.0 };
        let turned = [0.0, -360.0, 360.0].into_iter().flat_map(|turn| {
            let lon = place.lon() + turn;
            self.boxes
                .locate_in_envelope_intersecting(AABB::from_corners([lon - half_deg, low], [lon + half_deg, high]))
        });
        turned.map(|boxed| boxed.data).collect()
    }
}

impl Entry {
    fn seen_from(
        &self,
        place: LatLon,
        zones: Option<&[String]>,
        radius_km: f64,
        now: Timestamp,
    ) -> Option<WarningSight> {
        if now >= self.until_utc {
            return None;
        }
        let phase = if now >= self.begins_utc { Phase::InEffect } else { Phase::Coming };
        let zones = zones.unwrap_or_default();
        let listed = |code: &String| zones.iter().any(|zone| ugc::covers(code, zone));
        let (matched, distance_km, bearing_deg) = match self.warning.area.as_ref() {
            Some(area) => {
                let nearest = area.nearest(place)?;
                match nearest.bearing_deg {
                    // Inside a polygon, but the event has ended for the place's county and goes on for another.
                    None if self.gone.iter().any(listed) && !self.left().any(listed) => return None,
                    None => (Match::Polygon, Some(0.0), None),
                    Some(_) if nearest.distance_km > radius_km => return None,
                    bearing => (Match::Outside, Some(nearest.distance_km), bearing),
                }
            }
            None if self.left().any(listed) => (Match::Zone, None, None),
            None => return None,
        };
        let approach = if matched == Match::Outside { approach(&self.warning, place, now) } else { None };
        Some(WarningSight {
            key: self.key.clone(),
            warning: Arc::clone(&self.warning),
            phase,
            matched,
            distance_km,
            bearing_deg,
            approach,
            until_utc: Some(self.until_utc),
        })
    }

    fn left(&self) -> impl Iterator<Item = &String> {
        self.warning.ugc.iter().filter(|code| !self.gone.contains(code))
    }
}

/// Polygon before zone before elsewhere.
fn holding(sight: &WarningSight) -> u8 {
    match sight.matched {
        Match::Polygon => 0,
        Match::Zone => 1,
        Match::Outside => 2,
    }
}

fn by_distance(a: &WarningSight, b: &WarningSight) -> std::cmp::Ordering {
    a.distance_km.unwrap_or(0.0).total_cmp(&b.distance_km.unwrap_or(0.0))
}

/// Which of two segments of one incident is the better sight: one that holds the place, in effect, by polygon, near, new.
fn order(a: &WarningSight, b: &WarningSight) -> std::cmp::Ordering {
    let outside = |s: &WarningSight| s.matched == Match::Outside;
    outside(a)
        .cmp(&outside(b))
        .then(b.phase.cmp(&a.phase))
        .then(holding(a).cmp(&holding(b)))
        .then(by_distance(a, b))
        .then(b.warning.sent_utc.cmp(&a.warning.sent_utc))
        .then_with(|| a.warning.id.cmp(&b.warning.id))
}
