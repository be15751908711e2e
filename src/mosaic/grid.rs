//! Where the cells of a regular latitude/longitude grid lie, and which of them a circle around a place holds.
//!
//! Boundaries: ✓ geometry of the grid, rows counted from the north, columns from the west. ✗ no values.

use crate::geo::{EARTH_RADIUS_KM, LatLon};
use serde::{Deserialize, Serialize};

/// Cells of the largest grid taken: the half-kilometre rotation grid has 98 million; beyond this a header is garbage.
pub const CELLS_MAX: u64 = 120_000_000;

/// A regular latitude/longitude grid, whichever way its file stored it.
///
/// Positions are whole billionths of a degree: sums of 0.01 in floating point would drift by cells' names, if not by
/// cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// Columns.
    pub ni: u32,
    /// Rows.
    pub nj: u32,
    /// Centre of the northernmost row, 1e-9 degrees north.
    pub lat_north_ndeg: i64,
    /// Centre of the westernmost column, 1e-9 degrees east, any turn of the globe.
    pub lon_west_ndeg: i64,
    /// Distance between rows, 1e-9 degrees, positive.
    pub d_lat_ndeg: i64,
    /// Distance between columns, 1e-9 degrees, positive.
    pub d_lon_ndeg: i64,
}

const NDEG: f64 = 1e9;
const TURN_NDEG: i64 = 360_000_000_000;

impl Grid {
    /// Whether the figures describe a grid on earth of a size that is taken.
    pub fn is_sound(&self) -> bool {
        let cells = u64::from(self.ni) * u64::from(self.nj);
        let span = |n: u32, d: i64| i64::from(n.saturating_sub(1)).checked_mul(d);
        let limit = 90_000_000_000_i64;
        let Some(south) = span(self.nj, self.d_lat_ndeg).and_then(|s| self.lat_north_ndeg.checked_sub(s)) else {
            return false;
        };
        let Some(width) = span(self.ni, self.d_lon_ndeg) else { return false };
        (1..=CELLS_MAX).contains(&cells)
            && self.d_lat_ndeg > 0
            && self.d_lon_ndeg > 0
            && self.lat_north_ndeg <= limit
            && south >= -limit
            && width < TURN_NDEG
            && self.lon_west_ndeg.abs() <= 2 * TURN_NDEG
    }

    /// Latitude of a row's centres, degrees north. Rows outside the grid are reckoned on.
    pub fn lat_deg(&self, row: i64) -> f64 {
        (self.lat_north_ndeg - row * self.d_lat_ndeg) as f64 / NDEG
    }

    /// Longitude of a column's centres, degrees east, -180 <= lon < 180.
    pub fn lon_deg(&self, column: i64) -> f64 {
        let east = self.lon_west_ndeg + column * self.d_lon_ndeg;
        ((east + TURN_NDEG / 2).rem_euclid(TURN_NDEG) - TURN_NDEG / 2) as f64 / NDEG
    }

    /// The centre of a cell.
    pub fn centre(&self, row: u32, column: u32) -> Option<LatLon> {
        LatLon::new(self.lat_deg(i64::from(row)), self.lon_deg(i64::from(column))).ok()
    }

    /// The cell (row, column) whose area holds a place; `None` outside the grid.
    pub fn cell_of(&self, place: LatLon) -> Option<(u32, u32)> {
        let row = (self.row_of(place.lat()) + 0.5).floor();
        let column = (self.column_of(place.lon()) + 0.5).floor();
        let inside = row >= 0.0 && column >= 0.0 && row < f64::from(self.nj) && column < f64::from(self.ni);
        inside.then_some((row as u32, column as u32))
    }

    /// Row of a latitude, with fraction; a row's centre is a whole number.
    fn row_of(&self, lat_deg: f64) -> f64 {
        (self.lat_north_ndeg as f64 - lat_deg * NDEG) / self.d_lat_ndeg as f64
    }

    /// Column of a longitude, with fraction, on the turn of the globe that is nearest to the grid's middle.
    fn column_of(&self, lon_deg: f64) -> f64 {
        let middle = self.lon_west_ndeg as f64 + f64::from(self.ni) / 2.0 * self.d_lon_ndeg as f64;
        let turn = TURN_NDEG as f64;
        let from_middle = (lon_deg * NDEG - middle + turn / 2.0).rem_euclid(turn) - turn / 2.0;
        (from_middle + middle - self.lon_west_ndeg as f64) / self.d_lon_ndeg as f64
    }
}

/// A circle around a place, laid on a grid. Rows and columns may lie outside the grid.
pub(super) struct Circle<'a> {
    grid: &'a Grid,
    pub place: LatLon,
    pub radius_km: f64,
    /// sin² of half the radius' angle: what the haversine of every cell inside is at most.
    hav_max: f64,
    cos_lat: f64,
    lat_rad: f64,
    /// The place's column, with fraction.
    pub column: f64,
    /// First and last row whose parallel the circle may meet.
    pub rows: (i64, i64),
    /// First and last column that any row of the circle may reach.
    pub columns: (i64, i64),
}

/// Half of the earth's way round: no two places are farther apart.
const HALF_ROUND_KM: f64 = std::f64::consts::PI * EARTH_RADIUS_KM;
/// How near to a cell's centre, in cells, the circle's edge makes rounding decide: there the distance itself is asked.
const EDGE_CELLS: f64 = 1e-5;

impl<'a> Circle<'a> {
    /// `None` where the circle cannot touch the grid at all, or the radius is not a number.
    pub fn new(grid: &'a Grid, place: LatLon, radius_km: f64) -> Option<Self> {
        if radius_km.is_nan() || radius_km < 0.0 {
            return None;
        }
        let angle = radius_km.min(HALF_ROUND_KM) / EARTH_RADIUS_KM;
        let lat_rad = place.lat().to_radians();
        let cos_lat = lat_rad.cos();
        let d_lat = grid.d_lat_ndeg as f64 / NDEG;
        let row = grid.row_of(place.lat());
        let reach_rows = angle.to_degrees() / d_lat + EDGE_CELLS;
        let rows = ((row - reach_rows).ceil() as i64, (row + reach_rows).floor() as i64);
        // Where the circle holds a pole it holds every meridian.
        let half_width_deg = if angle + lat_rad.abs() >= std::f64::consts::FRAC_PI_2 {
            180.0
        } else {
            (angle.sin() / cos_lat).min(1.0).asin().to_degrees()
        };
        let column = grid.column_of(place.lon());
        let reach = half_width_deg / (grid.d_lon_ndeg as f64 / NDEG) + EDGE_CELLS;
        let columns = ((column - reach).ceil() as i64, (column + reach).floor() as i64);
        let outside = rows.1 < 0
            || columns.1 < 0
            || rows.0 >= i64::from(grid.nj)
            || columns.0 >= i64::from(grid.ni)
            || rows.0 > rows.1
            || columns.0 > columns.1;
        let hav_max = (angle / 2.0).sin().powi(2);
        let circle = Self { grid, place, radius_km, hav_max, cos_lat, lat_rad, column, rows, columns };
        (!outside).then_some(circle)
    }

    /// Whether some of the circle's rows or columns lie outside the grid.
    pub fn leaves_grid(&self) -> bool {
        self.rows.0 < 0
            || self.columns.0 < 0
            || self.rows.1 >= i64::from(self.grid.nj)
            || self.columns.1 >= i64::from(self.grid.ni)
    }

    /// First and last column of a row whose centres are within the radius, not cut to the grid.
    pub fn span(&self, row: i64) -> Option<(i64, i64)> {
        let lat = self.grid.lat_deg(row).to_radians();
        let hav_lat = ((lat - self.lat_rad) / 2.0).sin().powi(2);
        let left = self.hav_max - hav_lat;
        if left < -1e-15 {
            return None;
        }
        let x = (left.max(0.0) / (self.cos_lat * lat.cos())).clamp(0.0, 1.0);
        let half = (2.0 * x.sqrt().asin()).to_degrees() * NDEG / self.grid.d_lon_ndeg as f64;
        let mut first = (self.column - half).ceil() as i64;
        let mut last = (self.column + half).floor() as i64;
        let near_whole = |at: f64| (at - at.round()).abs() < EDGE_CELLS;
        if near_whole(self.column - half) {
            let edge = (self.column - half).round() as i64;
            first = if self.holds(row, edge) { edge } else { edge + 1 };
        }
        if near_whole(self.column + half) {
            let edge = (self.column + half).round() as i64;
            last = if self.holds(row, edge) { edge } else { edge - 1 };
        }
        (first <= last).then_some((first, last))
    }

    fn holds(&self, row: i64, column: i64) -> bool {
        LatLon::new(self.grid.lat_deg(row), self.grid.lon_deg(column))
            .is_ok_and(|centre| self.place.distance_km(centre) <= self.radius_km)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conus() -> Grid {
        Grid {
            ni: 7000,
            nj: 3500,
            lat_north_ndeg: 54_995_000_000,
            lon_west_ndeg: 230_005_000_000,
            d_lat_ndeg: 10_000_000,
            d_lon_ndeg: 10_000_000,
        }
    }

    #[test]
    fn positions_are_exact_and_longitudes_of_either_turn_name_the_same_cell() {
        let grid = conus();
        let centre = grid.centre(2364, 2641).unwrap();
        assert_eq!((centre.lat(), centre.lon()), (31.355, -103.585));
        assert_eq!(grid.cell_of(centre), Some((2364, 2641)));
        // M08: 260 east and -100 are one meridian.
        let west = Grid { lon_west_ndeg: -129_995_000_000, ..grid };
        let place = LatLon::new(40.001, -100.0).unwrap();
        assert_eq!(grid.cell_of(place), west.cell_of(place));
        assert_eq!(grid.cell_of(LatLon::new(10.0, -100.0).unwrap()), None);
    }

    #[test]
    fn spans_agree_with_distances_cell_by_cell() {
        let grid = conus();
        for (lat, lon, radius_km) in [(40.52, -92.9, 40.0), (25.005, -80.005, 16.0), (49.99, -124.3, 5.0)] {
            let place = LatLon::new(lat, lon).unwrap();
            let circle = Circle::new(&grid, place, radius_km).unwrap();
            for row in circle.rows.0 - 2..=circle.rows.1 + 2 {
                let brute: Vec<i64> =
                    (circle.columns.0 - 3..=circle.columns.1 + 3).filter(|&column| circle.holds(row, column)).collect();
                let expected = brute.first().copied().zip(brute.last().copied());
                assert_eq!(circle.span(row), expected, "row {row} around {lat},{lon}");
            }
        }
    }
}
