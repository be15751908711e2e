//! Where flashes are: by squares of one degree, so that a question about one place looks at the flashes near it alone. Half an
//! hour of a busy evening holds some 36,000 flashes of a satellite; within 40 km of a place there are few, mostly none.

use super::{Flash, Granule};
use crate::geo::{EARTH_RADIUS_KM, LatLon};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

/// Squares in a row round the earth.
const COLUMNS: i32 = 360;
/// Rows from pole to pole.
const ROWS: i32 = 180;
/// Added to every side of a box, degrees (0.1 m), so that what lies on the circle is not lost to rounding.
const MARGIN_DEG: f64 = 1e-6;

/// A flash: the begin of its granule, and its number among that granule's flashes.
pub(super) type FlashId = (Timestamp, u32);

/// The flashes of one satellite by the squares in which their centroid or a pixel of theirs lies.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Squares(BTreeMap<u16, Vec<FlashId>>);

/// A circle around a place, and the box around the circle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Circle {
    /// Its middle.
    pub place: LatLon,
    /// Its radius, km.
    pub radius_km: f64,
    /// Half the height of its box, degrees.
    north_deg: f64,
    /// Half the width of its box, degrees; 180 where it holds a pole.
    east_deg: f64,
}

impl Circle {
    /// The circle around `place`.
    pub(super) fn new(place: LatLon, radius_km: f64) -> Self {
        let radius = radius_km.max(0.0) / EARTH_RADIUS_KM;
        let lat = place.lat().to_radians();
        // The meridians that touch a circle on a sphere: sin(half width) = sin(radius) / cos(latitude).
        let east =
            if lat.abs() + radius < FRAC_PI_2 { (radius.sin() / lat.cos()).min(1.0).asin() } else { f64::INFINITY };
        let east_deg = (east.to_degrees() + MARGIN_DEG).min(180.0);
        Self { place, radius_km, north_deg: radius.to_degrees() + MARGIN_DEG, east_deg }
    }

    /// Whether something `north_deg` and `east_deg` away, that reaches `reach_deg` to each side, touches the box.
    pub(super) fn may_hold(&self, north_deg: f64, east_deg: f64, reach_deg: (f64, f64)) -> bool {
        let east_deg = east_deg.abs();
        let east_deg = if east_deg > 180.0 { 360.0 - east_deg } else { east_deg };
        north_deg.abs() <= self.north_deg + reach_deg.0 && east_deg <= self.east_deg + reach_deg.1
    }
}

impl Squares {
    /// Takes the flashes of a granule in.
    pub(super) fn add(&mut self, granule: &Granule) {
        for (number, flash) in (0u32..).zip(&granule.flashes) {
            let id = (granule.start_utc, number);
            for square in squares_of(flash) {
                let held = self.0.entry(square).or_default();
                // In order whatever order granules come in: mostly this is the end.
                let place = held.partition_point(|other| *other < id);
                held.insert(place, id);
            }
        }
    }

    /// Forgets the flashes of a granule.
    pub(super) fn remove(&mut self, granule: &Granule) {
        for square in granule.flashes.iter().flat_map(squares_of) {
            let Some(held) = self.0.get_mut(&square) else { continue };
            held.retain(|(start_utc, _)| *start_utc != granule.start_utc);
            if held.is_empty() {
                self.0.remove(&square);
            }
        }
    }

    /// Every flash that may have a point in the circle, and others near it; in order, each once.
    pub(super) fn near(&self, circle: &Circle) -> Vec<FlashId> {
        let place = circle.place;
        let first_row = row(place.lat() - circle.north_deg);
        let last_row = row(place.lat() + circle.north_deg);
        let first = (place.lon() - circle.east_deg + 180.0).floor() as i32;
        let last = ((place.lon() + circle.east_deg + 180.0).floor() as i32).min(first + COLUMNS - 1);
        let mut found = Vec::new();
        for row in first_row..=last_row {
            // What lies beyond the antimeridian goes on at the row's other end.
            for (from, to) in
                [(first.max(0), last.min(COLUMNS - 1)), (first + COLUMNS, COLUMNS - 1), (0, last - COLUMNS)]
            {
                if from <= to {
                    found.extend(self.0.range(square(row, from)..=square(row, to)).flat_map(|(_, held)| held));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn row(lat_deg: f64) -> i32 {
    ((lat_deg + 90.0).floor() as i32).clamp(0, ROWS - 1)
}

/// Row and column are in range: 64,800 squares fit.
fn square(row: i32, column: i32) -> u16 {
    u16::try_from(row * COLUMNS + column).unwrap_or(u16::MAX)
}

/// The squares in which a flash lies, each once.
fn squares_of(flash: &Flash) -> Vec<u16> {
    let points = flash.centroid().into_iter().chain(flash.lit());
    let mut squares: Vec<u16> =
        points.map(|at| square(row(at.lat()), ((at.lon() + 180.0).floor() as i32).rem_euclid(COLUMNS))).collect();
    squares.sort_unstable();
    squares.dedup();
    squares
}
