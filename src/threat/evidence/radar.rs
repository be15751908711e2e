//! Radar mosaics as seen from one place.

use super::{MOSAIC_USABLE_FOR, Sight, blind};
use crate::geo::LatLon;
use crate::mosaic::{Cell, Coverage, Mosaic, Product};
use crate::observation::MRMS;
use crate::threat::later;
use crate::threat::picture::Picture;
use crate::threat::rules::{RADAR_SEEN_KM, RADIUS_KM, looked_for};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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

/// The signal of one mosaic around a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RadarSignal {
    /// The mosaic's time.
    pub valid_utc: Timestamp,
    /// The mosaic's key.
    pub key: String,
    /// The largest value within 40 km; `None` where all of it lies beyond, and for a signal that is imagined.
    pub peak: Option<Cell>,
    /// The nearest cell within `RADAR_SEEN_KM` that reaches each of the values of `rules::looked_for`; values that no cell
    /// reaches are left out.
    pub nearest: Vec<(f64, Option<Cell>)>,
}

/// What was seen in one mosaic.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    mosaic: Arc<Mosaic>,
    /// `None` where nothing is there: then a hundred thousand places hold nothing.
    signal: Option<Arc<RadarSignal>>,
    coverage: Coverage,
}

pub(super) fn see(
    picture: &Picture,
    place: LatLon,
    now: Timestamp,
    seen: &mut Vec<Option<Seen>>,
) -> Vec<RadarEvidence> {
    seen.resize(Product::ALL.len(), None);
    for (slot, product) in seen.iter_mut().zip(Product::ALL) {
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
    let looked = seen.iter().flatten().filter(|seen| fresh(&seen.mosaic, now)).map(|seen| seen.coverage);
    let looked = looked.filter(|coverage| *coverage != Coverage::Unstated).fold(Coverage::Unstated, better);
    let off = picture.is_off(&MRMS);
    seen.iter()
        .zip(Product::ALL)
        .map(|(seen, product)| match off {
            true => RadarEvidence { product, sight: Sight::Off, signal: None },
            false => one_product(seen.as_ref(), product, looked, now),
        })
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

/// What one mosaic shows around a place; `None` where it holds no signal within `RADAR_SEEN_KM`.
pub fn signal(mosaic: &Mosaic, place: LatLon) -> Option<RadarSignal> {
    let strongest = mosaic.max_within(place, RADAR_SEEN_KM)?;
    let peak = Some(strongest).filter(|cell| cell.distance_km <= RADIUS_KM);
    let reached = looked_for(mosaic.product).filter(|value| strongest.value >= *value);
    let nearest = reached.map(|value| (value, mosaic.nearest_at_least(place, value, RADAR_SEEN_KM))).collect();
    let peak = peak.or_else(|| mosaic.max_within(place, RADIUS_KM));
    Some(RadarSignal { valid_utc: mosaic.valid_utc, key: mosaic.key.clone(), peak, nearest })
}
