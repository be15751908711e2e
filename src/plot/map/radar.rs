//! Radar: the strongest cell under each pixel, and where no radar looks.

use super::Seen;
use crate::geo::LatLon;
use crate::mosaic::{Mosaic, Product};
use crate::plot::ink::{self, Ink};
use crate::plot::page::{Frame, Page, Spot};
use crate::plot::projection::Projection;

/// What is drawn of radar, the lowest layer first (the hail of an hour lies under the echoes of now, rotation over both): products, colours by steps, name and unit.
pub(super) struct RadarLayer {
    pub products: &'static [Product],
    pub steps: &'static [(f64, Ink)],
    pub name: &'static str,
    pub unit: &'static str,
}

pub(super) const LAYERS: [RadarLayer; 3] = [
    RadarLayer { products: &[Product::MeshMax60min], steps: &ink::HAIL, name: "hail, 60 min", unit: "mm" },
    RadarLayer {
        products: &[Product::CompositeReflectivity],
        steps: &ink::REFLECTIVITY,
        name: "composite reflectivity",
        unit: "dBZ",
    },
    RadarLayer {
        products: &[Product::RotationTrackMl60min, Product::RotationTrackLl60min],
        steps: &ink::ROTATION,
        name: "rotation, 60 min",
        unit: "0.001/s",
    },
];

/// Colours every pixel by its strongest cell.
pub(super) fn echoes(page: &mut Page, projection: &Projection, seen: &Seen) {
    for layer in &LAYERS {
        let Some(&(least, _)) = layer.steps.first() else { continue };
        let mut strongest = Strongest::new(projection.frame);
        for mosaic in layer.products.iter().filter_map(|product| seen.mosaic(*product)) {
            strongest.take(projection, mosaic, least);
        }
        for (x, y, value) in strongest.reached(least) {
            let reached = layer.steps.iter().take_while(|(from, _)| value >= *from).last();
            if let Some(&(_, ink)) = reached {
                page.pixel(x, y, ink);
            }
        }
    }
}

/// The strongest value under each pixel of a frame.
struct Strongest {
    frame: Frame,
    width: usize,
    values: Vec<f64>,
}

impl Strongest {
    fn new(frame: Frame) -> Self {
        // A frame is a part of the page.
        let (width, height) = (frame.width() as usize + 1, frame.height() as usize + 1);
        Self { frame, width, values: vec![f64::NEG_INFINITY; width * height] }
    }

    fn take(&mut self, projection: &Projection, mosaic: &Mosaic, least: f64) {
        let grid = *mosaic.cells.grid();
        let half = (grid.d_lat_ndeg as f64 / 2e9, grid.d_lon_ndeg as f64 / 2e9);
        mosaic.cells.each_signal(least, |row, column, value| {
            let (lat, lon) = (grid.lat_deg(i64::from(row)), grid.lon_deg(i64::from(column)));
            let (middle_x, middle_y) = projection.spot(lat, lon);
            // Half a cell on the page, from its corner; a cell smaller than a pixel colours that one.
            let (corner_x, corner_y) = projection.spot(lat + half.0, lon + half.1);
            let (reach_x, reach_y) = ((corner_x - middle_x).abs().max(0.5), (corner_y - middle_y).abs().max(0.5));
            let spot = Frame::new(middle_x - reach_x, middle_y - reach_y, middle_x + reach_x, middle_y + reach_y);
            if spot.meets(&self.frame) {
                self.raise(&spot, value);
            }
        });
    }

    fn raise(&mut self, spot: &Frame, value: f64) {
        // Within the frame, so neither negative nor large.
        let pixel = |at: f64, from: f64, size: f64| (at - from).round().clamp(0.0, size) as usize;
        let (left, width) = (self.frame.left, self.frame.width());
        let (top, height) = (self.frame.top, self.frame.height());
        let columns = pixel(spot.left, left, width)..=pixel(spot.right - 1.0, left, width);
        for row in pixel(spot.top, top, height)..=pixel(spot.bottom - 1.0, top, height) {
            for column in columns.clone() {
                if let Some(held) = self.values.get_mut(row * self.width + column) {
                    *held = held.max(value);
                }
            }
        }
    }

    /// Pixels of the page with at least a value.
    fn reached(&self, least: f64) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        let (left, top) = (self.frame.left as u32, self.frame.top as u32);
        let pixels = self.values.iter().enumerate().filter(move |(_, value)| **value >= least);
        pixels.map(move |(at, value)| (left + (at % self.width) as u32, top + (at / self.width) as u32, *value))
    }
}

/// Lines over what no radar that may still speak has looked at: nothing drawn there would read as quiet.
pub(super) fn hatch_unseen(page: &mut Page, projection: &Projection, seen: &Seen) {
    let looked: Vec<&Mosaic> =
        seen.mosaics.iter().map(|mosaic| &**mosaic).filter(|mosaic| mosaic.cells.states_coverage()).collect();
    hatch(page, projection.frame, |spot| {
        let place = projection.place(spot);
        !place.is_some_and(|place| looked.iter().any(|mosaic| covers(mosaic, place)))
    });
}

/// Distance between the lines of the hatching, pixels along an edge.
pub(super) const HATCH_EVERY: i32 = 9;

/// Slanted lines over the part of a frame where `is_hatched` holds, looked up pixel by pixel along each line.
pub(super) fn hatch(page: &mut Page, frame: Frame, is_hatched: impl Fn(Spot) -> bool) {
    let (left, right) = (frame.left as i32, frame.right as i32);
    let (top, bottom) = (frame.top as i32, frame.bottom as i32);
    let mut lines: Vec<[Spot; 2]> = Vec::new();
    for sum in (left + top..=right + bottom).filter(|sum| sum % HATCH_EVERY == 0) {
        let mut run: Option<[Spot; 2]> = None;
        for y in top.max(sum - right)..=bottom.min(sum - left) {
            let spot = (f64::from(sum - y), f64::from(y));
            match (&mut run, is_hatched(spot)) {
                (Some([_, end]), true) => *end = spot,
                (None, true) => run = Some([spot, spot]),
                (_, false) => lines.extend(run.take()),
            }
        }
        lines.extend(run);
    }
    page.paths(&lines, 1.0, ink::faint(ink::UNSEEN, 0.8));
}

fn covers(mosaic: &Mosaic, place: LatLon) -> bool {
    let reading = mosaic.cells.grid().cell_of(place).and_then(|(row, column)| mosaic.cells.reading(row, column));
    reading.is_some_and(|reading| reading.kind.is_covered())
}
