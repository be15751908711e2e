//! What can be seen from one place: the products around it and the radar signal near it, each with how well it is seen.
//!
//! This is where freshness is judged (levels.md, "Evidence and how long it may speak"); the rules behind it see only what
//! may still speak.

use crate::geo::LatLon;
use crate::mosaic::{Cell, Coverage, Mosaic, Product};
use crate::threat::later;
use crate::threat::picture::Picture;
use crate::threat::rules::{RADIUS_KM, THRESHOLDS};
use crate::warning::incidents::{Incidents, WarningSight};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
}

/// One radar product as seen from the place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RadarEvidence {
    /// Which.
    pub product: Product,
    /// How well it is seen.
    pub sight: Sight,
    /// What is there, if anything, where the mosaic is fresh enough to speak; a partly covered circle still raises.
    pub signal: Option<Arc<RadarSignal>>,
}

/// The signal of one mosaic within 40 km of a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RadarSignal {
    /// The mosaic's time.
    pub valid_utc: Timestamp,
    /// The mosaic's key.
    pub key: String,
    /// The largest value within 40 km; `None` only for a signal that is imagined.
    pub peak: Option<Cell>,
    /// The nearest cell that reaches each of the product's thresholds, raise and clear, in the order of `rules::THRESHOLDS`;
    /// thresholds that no cell reaches are left out.
    pub nearest: Vec<(f64, Option<Cell>)>,
}

/// What was seen of radar at one place, kept until the mosaics change: most reports bring none.
#[derive(Debug, Clone, Default)]
pub struct RadarMemory {
    seen: Vec<Option<Seen>>,
}

#[derive(Debug, Clone)]
struct Seen {
    mosaic: Arc<Mosaic>,
    /// `None` where nothing is there: then a hundred thousand places hold nothing.
    signal: Option<Arc<RadarSignal>>,
    coverage: Coverage,
}

impl Evidence {
    /// Looks around a place.
    pub fn gather(picture: &Picture, place: LatLon, now: Timestamp, memory: &mut RadarMemory) -> Self {
        let zones = picture.zones.get(&place.key_4dp());
        let warnings = picture.warnings.around(place, zones.map(|z| z.ugc.as_slice()), WARNINGS_RADIUS_KM, now);
        Self {
            place,
            warnings,
            warnings_sight: warnings_sight(&picture.warnings, now),
            zones_sight: match zones {
                Some(_) => Sight::Clear,
                None => Sight::Blind {
                    since_utc: None,
                    why: "county, forecast and fire zones of this place are not known yet; asked again and again"
                        .into(),
                },
            },
            radar: radar(picture, place, now, memory),
        }
    }
}

impl Evidence {
    /// A place of which nothing was ever seen.
    pub(super) fn nothing_seen() -> Self {
        let unseen = || Sight::Blind { since_utc: None, why: String::new() };
        let radar = Product::ALL.map(|product| RadarEvidence { product, sight: unseen(), signal: None });
        Self {
            place: LatLon::NULL_ISLAND,
            warnings: Vec::new(),
            warnings_sight: unseen(),
            zones_sight: unseen(),
            radar: radar.to_vec(),
        }
    }

    /// Whether no product and no radar signal of any threshold is around: then no rule speaks.
    pub(super) fn shows_nothing(&self) -> bool {
        let reached = |signal: &RadarSignal| signal.nearest.iter().any(|(_, cell)| cell.is_some());
        self.warnings.is_empty() && !self.radar.iter().filter_map(|radar| radar.signal.as_deref()).any(reached)
    }
}

fn warnings_sight(warnings: &Incidents, now: Timestamp) -> Sight {
    match warnings.last_good_utc {
        None => Sight::Blind { since_utc: None, why: "the warnings feed has not been heard yet".into() },
        Some(good) if now < later(good, WARNINGS_USABLE_FOR) => match warnings.unread() {
            0 => Sight::Clear,
            unread => blind(good, &format!("{unread} product(s) of the warnings feed could not be read")),
        },
        Some(good) => Sight::Blind {
            since_utc: Some(good),
            why: format!("no good answer from the warnings feed since {good:.0}"),
        },
    }
}

fn radar(picture: &Picture, place: LatLon, now: Timestamp, memory: &mut RadarMemory) -> Vec<RadarEvidence> {
    memory.seen.resize(Product::ALL.len(), None);
    for (slot, product) in memory.seen.iter_mut().zip(Product::ALL) {
        let Some(mosaic) = picture.mosaics.get(&product) else { continue };
        if !slot.as_ref().is_some_and(|seen| Arc::ptr_eq(&seen.mosaic, mosaic)) {
            *slot = Some(Seen {
                mosaic: Arc::clone(mosaic),
                signal: signal(mosaic, place).map(Arc::new),
                coverage: mosaic.coverage(place, RADIUS_KM),
            });
        }
    }
    // Rotation says nothing of coverage: it is covered where a fresh MESH or reflectivity mosaic says that radar looked.
    let looked = memory.seen.iter().flatten().filter(|seen| fresh(&seen.mosaic, now)).map(|seen| seen.coverage);
    let looked = looked.filter(|coverage| *coverage != Coverage::Unstated).fold(Coverage::Unstated, better);
    memory
        .seen
        .iter()
        .zip(Product::ALL)
        .map(|(seen, product)| one_product(seen.as_ref(), product, looked, now))
        .collect()
}

fn one_product(seen: Option<&Seen>, product: Product, looked: Coverage, now: Timestamp) -> RadarEvidence {
    let Some(seen) = seen else {
        let why = format!("no {} mosaic has been heard yet", product.title());
        return RadarEvidence { product, sight: Sight::Blind { since_utc: None, why }, signal: None };
    };
    let valid = seen.mosaic.valid_utc;
    if !fresh(&seen.mosaic, now) {
        let since = later(valid, MOSAIC_USABLE_FOR);
        let why = format!("the newest {} mosaic is of {valid:.0}", product.title());
        return RadarEvidence { product, sight: Sight::Blind { since_utc: Some(since), why }, signal: None };
    }
    let coverage = if seen.coverage == Coverage::Unstated { looked } else { seen.coverage };
    let sight = match coverage {
        Coverage::Covered => Sight::Clear,
        Coverage::Partial => blind(valid, "radar covers only part of the circle of 40 km"),
        Coverage::Uncovered => blind(valid, "no radar coverage here"),
        Coverage::Unstated => blind(valid, "neither MESH nor reflectivity tells whether radar covers this place"),
    };
    RadarEvidence { product, sight, signal: seen.signal.clone() }
}

fn blind(since: Timestamp, why: &str) -> Sight {
    Sight::Blind { since_utc: Some(since), why: why.to_owned() }
}

fn fresh(mosaic: &Mosaic, now: Timestamp) -> bool {
    now < later(mosaic.valid_utc, MOSAIC_USABLE_FOR)
}

fn better(a: Coverage, b: Coverage) -> Coverage {
    let rank = |coverage| match coverage {
        Coverage::Covered => 3,
        Coverage::Partial => 2,
        Coverage::Uncovered => 1,
        Coverage::Unstated => 0,
    };
    if rank(a) >= rank(b) { a } else { b }
}

/// What one mosaic shows within 40 km of a place; `None` where it holds no signal there.
pub fn signal(mosaic: &Mosaic, place: LatLon) -> Option<RadarSignal> {
    let peak = mosaic.max_within(place, RADIUS_KM)?;
    let thresholds = THRESHOLDS.iter().filter(|t| t.product == mosaic.product).flat_map(|t| [t.raise, t.clear()]);
    let reached = thresholds.filter(|threshold| peak.value >= *threshold);
    let nearest = reached.map(|reached| (reached, mosaic.nearest_at_least(place, reached, RADIUS_KM))).collect();
    Some(RadarSignal { valid_utc: mosaic.valid_utc, key: mosaic.key.clone(), peak: Some(peak), nearest })
}
