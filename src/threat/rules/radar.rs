//! Rules over the radar mosaics.

use super::{Finding, Mode, NEAR_KM, RADIUS_KM, THRESHOLDS, Threshold};
use crate::geo::{compass, round_1dp};
use crate::mosaic::{Cell, Product};
use crate::threat::evidence::{Evidence, RadarEvidence, RadarSignal};
use crate::threat::{Level, Reason};
use jiff::Timestamp;

/// Millimetres in an inch.
const MM_PER_IN: f64 = 25.4;

pub(super) fn judge(evidence: &Evidence, now: Timestamp, mode: Mode) -> Vec<Finding> {
    evidence.radar.iter().flat_map(|radar| speak(radar, now, mode)).collect()
}

/// Whether low-level rotation of the intense class is within the circle: it makes a tornado warning extreme.
pub(super) fn low_level_rotation(evidence: &Evidence, mode: Mode) -> bool {
    let intense = THRESHOLDS.iter().find(|t| t.product == Product::RotationTrackLl60min);
    evidence
        .radar
        .iter()
        .filter(|radar| radar.product == Product::RotationTrackLl60min)
        .filter_map(|radar| radar.signal.as_ref())
        .any(|signal| intense.is_some_and(|threshold| nearest(signal, threshold, mode).is_some()))
}

/// The thresholds of the product that are reached, the one with the highest level first.
fn speak(radar: &RadarEvidence, now: Timestamp, mode: Mode) -> Vec<Finding> {
    let Some(signal) = radar.signal.as_ref() else { return Vec::new() };
    let mut reached: Vec<(Level, &Threshold, Cell)> = Vec::new();
    for threshold in THRESHOLDS.iter().filter(|t| t.product == radar.product) {
        let Some(cell) = nearest(signal, threshold, mode) else { continue };
        if !threshold.steps_down || cell.distance_km <= mode.limit(NEAR_KM) {
            reached.push((threshold.level, threshold, cell));
        }
        if threshold.steps_down {
            reached.push((threshold.level.one_lower(), threshold, cell));
        }
    }
    reached.sort_by_key(|(level, ..)| std::cmp::Reverse(*level));
    let said = mode.said(reached).into_iter();
    said.map(|(level, threshold, cell)| finding(radar.product, signal, level, threshold, cell, now, mode)).collect()
}

fn finding(
    product: Product,
    signal: &RadarSignal,
    level: Level,
    threshold: &Threshold,
    cell: Cell,
    now: Timestamp,
    mode: Mode,
) -> Finding {
    let peak = signal.peak.unwrap_or(cell);
    Finding {
        reason: Reason {
            rule: threshold.rule.to_owned(),
            subject: product.id().to_owned(),
            level,
            text: text(product, &peak, &cell, threshold, mode),
            source: product.source_id(),
            evidence_id: signal.key.clone(),
            observed_utc: signal.valid_utc,
            age_s: signal.valid_utc.duration_until(now).as_secs(),
            distance_km: Some(round_1dp(cell.distance_km)),
            direction: Some(compass(cell.bearing_deg).to_owned()),
            until_utc: None,
            already_in_effect: false,
        },
        scores: threshold.scores.to_vec(),
    }
}

fn nearest(signal: &RadarSignal, threshold: &Threshold, mode: Mode) -> Option<Cell> {
    nearest_of(signal, threshold.raise, mode)
}

/// The nearest cell that reaches this raise threshold, or its clear one, within the circle that goes with it.
pub(super) fn nearest_of(signal: &RadarSignal, raise: f64, mode: Mode) -> Option<Cell> {
    let wanted = mode.threshold(raise);
    let (_, cell) = signal.nearest.iter().find(|(value, _)| *value == wanted)?;
    cell.filter(|cell| cell.distance_km <= mode.limit(RADIUS_KM))
}

fn text(product: Product, peak: &Cell, nearest: &Cell, threshold: &Threshold, mode: Mode) -> String {
    let reached = if mode == Mode::Raise { threshold.raise } else { threshold.clear() };
    let place = |cell: &Cell| format!("{:.1} km {}", cell.distance_km, compass(cell.bearing_deg));
    let look_back = match product {
        Product::MeshMax60min | Product::RotationTrackMl60min | Product::RotationTrackLl60min => " in the last 60 min",
        Product::Vil | Product::CompositeReflectivity => "",
    };
    format!(
        "{} up to {}{look_back}, {}; nearest cell of at least {} at {} (within {:.0} km)",
        product.title(),
        figure(product, peak.value),
        place(peak),
        figure(product, reached),
        place(nearest),
        mode.limit(RADIUS_KM),
    )
}

/// A value of a radar product with its unit, for a person.
pub fn figure(product: Product, value: f64) -> String {
    match product {
        Product::MeshMax60min => format!("{value:.1} mm ({:.2} in)", value / MM_PER_IN),
        Product::RotationTrackMl60min | Product::RotationTrackLl60min => format!("{:.4} /s", value / 1000.0),
        Product::Vil => format!("{value:.1} kg/m2"),
        Product::CompositeReflectivity => format!("{value:.1} dBZ"),
    }
}
