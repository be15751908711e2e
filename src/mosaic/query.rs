//! What lies around a place: the questions that every watch point asks of every new mosaic.
//!
//! Most places see nothing, so each question first reads the index of the few tiles that the circle's box touches, and only
//! goes down to cells where a tile holds a signal that could change the answer.

use super::cells::{Cells, Cover, Planes, Summary, TILE, TileRef, low_bits};
use super::grid::Circle;
use super::{Cell, Coverage, build::bits_of};
use crate::geo::{EARTH_RADIUS_KM, LatLon};

/// A tile with signal near the circle.
struct Candidate<'a> {
    /// Row and column of its north-west cell.
    row: u32,
    column: u32,
    summary: Summary,
    planes: &'a Planes,
}

/// First and last column of each row of a circle, worked out when first asked for.
struct Spans<'c, 'g> {
    circle: &'c Circle<'g>,
    first_row: i64,
    known: Vec<Option<Option<(i64, i64)>>>,
}

impl<'c, 'g> Spans<'c, 'g> {
    fn new(circle: &'c Circle<'g>) -> Self {
        Self { circle, first_row: circle.rows.0, known: Vec::new() }
    }

    fn get(&mut self, row: u32) -> Option<(i64, i64)> {
        let row = i64::from(row);
        let at = usize::try_from(row - self.first_row).ok()?;
        if self.known.is_empty() {
            let rows = self.circle.rows.1 - self.first_row + 1;
            self.known = vec![None; usize::try_from(rows).unwrap_or(0)];
        }
        let slot = self.known.get_mut(at)?;
        *slot.get_or_insert_with(|| self.circle.span(row))
    }

    /// The bits of a tile's row that lie inside the circle.
    fn mask(&mut self, row: u32, tile_column: u32) -> u32 {
        let Some((first, last)) = self.get(row) else { return 0 };
        let first = (first - i64::from(tile_column)).clamp(0, i64::from(TILE)) as u32;
        let end = (last + 1 - i64::from(tile_column)).clamp(0, i64::from(TILE)) as u32;
        low_bits(end) & !low_bits(first)
    }
}

impl Cells {
    /// Whether the product tells covered from not covered.
    pub fn states_coverage(&self) -> bool {
        self.states_coverage
    }

    /// Tells every cell with a signal of at least `threshold`, as row, column and value, tile by tile from the north-west.
    pub fn each_signal(&self, threshold: f64, mut tell: impl FnMut(u32, u32, f64)) {
        let Some(least) = self.scale.code_at_least(threshold) else { return };
        let across = super::cells::tiles_over(self.grid.ni);
        for (n, &entry) in (0u32..).zip(&self.tiles) {
            let TileRef::Mixed(at) = super::cells::tile_ref(entry) else { continue };
            let (Some(summary), Some(planes)) = (self.summaries.get(at), self.planes.get(at)) else { continue };
            if summary.count == 0 || summary.max_code < least {
                continue;
            }
            let mut position = summary.first as usize;
            for (row, bits) in (n / across * TILE..).zip(planes.signal) {
                for column in bits_of(bits) {
                    let code = self.codes.get(position);
                    position += 1;
                    if code >= least {
                        tell(row, n % across * TILE + u32::from(column), self.scale.value(code));
                    }
                }
            }
        }
    }

    /// The largest value within `radius_km`; on ties the first in scan order.
    pub fn max_within(&self, place: LatLon, radius_km: f64) -> Option<Cell> {
        let circle = Circle::new(&self.grid, place, radius_km)?;
        let mut candidates = self.candidates(&circle, 0);
        candidates.sort_by(|a, b| {
            b.summary.max_code.cmp(&a.summary.max_code).then((a.row, a.column).cmp(&(b.row, b.column)))
        });
        let mut spans = Spans::new(&circle);
        let mut best: Option<(u32, u32, u32)> = None;
        for candidate in &candidates {
            if best.is_some_and(|(code, ..)| candidate.summary.max_code < code) {
                break;
            }
            let Some(found) = self.max_of_tile(candidate, &mut spans) else { continue };
            let better = best.is_none_or(|(code, row, column)| {
                found.0 > code || (found.0 == code && (found.1, found.2) < (row, column))
            });
            if better {
                best = Some(found);
            }
        }
        let (code, row, column) = best?;
        self.seen_from(place, code, row, column)
    }

    /// The nearest cell within `radius_km` whose value is at least `threshold`; on ties the first in scan order.
    pub fn nearest_at_least(&self, place: LatLon, threshold: f64, radius_km: f64) -> Option<Cell> {
        let circle = Circle::new(&self.grid, place, radius_km)?;
        let code_min = self.scale.code_at_least(threshold)?;
        let mut candidates: Vec<_> = self
            .candidates(&circle, code_min)
            .into_iter()
            .map(|candidate| (self.least_distance_km(&circle, &candidate), candidate))
            .collect();
        candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1.row, a.1.column).cmp(&(b.1.row, b.1.column))));
        let mut best: Option<(f64, u32, u32, u32)> = None;
        for (at_least_km, candidate) in &candidates {
            // The slack covers rounding of the bound, which must never hide a nearer cell.
            if best.is_some_and(|(km, ..)| at_least_km - 1e-6 > km) {
                break;
            }
            self.nearest_of_tile(&circle, candidate, code_min, &mut best);
        }
        let (_, code, row, column) = best?;
        self.seen_from(place, code, row, column)
    }

    /// How many cells within `radius_km` hold a signal.
    pub fn count_within(&self, place: LatLon, radius_km: f64) -> usize {
        let Some(circle) = Circle::new(&self.grid, place, radius_km) else { return 0 };
        let mut spans = Spans::new(&circle);
        let mut count = 0;
        for candidate in self.candidates(&circle, 0) {
            for (row, &bits) in (candidate.row..).zip(&candidate.planes.signal) {
                if bits != 0 {
                    count += (bits & spans.mask(row, candidate.column)).count_ones() as usize;
                }
            }
        }
        count
    }

    /// Whether the circle was looked at. A circle so small that it holds no cell's centre is judged by the cell it is in.
    pub fn coverage(&self, place: LatLon, radius_km: f64) -> Coverage {
        if !self.states_coverage {
            return Coverage::Unstated;
        }
        let Some(circle) = Circle::new(&self.grid, place, radius_km) else { return self.coverage_at(place) };
        let Some(box_tiles) = self.tiles_of(&circle) else { return Coverage::Uncovered };
        let (mut covered, mut uncovered) = (false, circle.leaves_grid());
        let mut mixed = false;
        for (tile_row, tile_column) in box_tiles.clone() {
            match self.cover(self.tile(tile_row, tile_column)) {
                Cover::Everywhere => covered = true,
                Cover::Nowhere => uncovered = true,
                Cover::Partly => mixed = true,
            }
        }
        if mixed || (covered && uncovered) {
            (covered, uncovered) = self.coverage_by_rows(&circle, box_tiles);
        }
        match (covered, uncovered) {
            (true, false) => Coverage::Covered,
            (true, true) => Coverage::Partial,
            (false, true) => Coverage::Uncovered,
            (false, false) => self.coverage_at(place),
        }
    }

    fn coverage_at(&self, place: LatLon) -> Coverage {
        let reading = self.grid.cell_of(place).and_then(|(row, column)| self.reading(row, column));
        if reading.is_some_and(|reading| reading.kind.is_covered()) { Coverage::Covered } else { Coverage::Uncovered }
    }

    /// Whether some cell of the circle is covered, and whether some is not, a part outside the grid among them.
    fn coverage_by_rows(&self, circle: &Circle<'_>, box_tiles: impl Iterator<Item = (u32, u32)>) -> (bool, bool) {
        let mut spans = Spans::new(circle);
        let (mut covered, mut uncovered) = (false, circle.leaves_grid());
        for (tile_row, tile_column) in box_tiles {
            let tile = self.tile(tile_row, tile_column);
            let already = match self.cover(tile) {
                Cover::Everywhere => covered,
                Cover::Nowhere => uncovered,
                Cover::Partly => covered && uncovered,
            };
            if already {
                continue;
            }
            let width = low_bits(self.grid.ni - tile_column * TILE);
            let rows = tile_row * TILE..self.grid.nj.min((tile_row + 1) * TILE);
            for (r, row) in rows.enumerate() {
                let mask = spans.mask(row, tile_column * TILE) & width;
                if mask == 0 {
                    continue;
                }
                let looked = match tile {
                    TileRef::Plain(kind) => {
                        if kind.is_covered() {
                            u32::MAX
                        } else {
                            0
                        }
                    }
                    TileRef::Mixed(at) => {
                        self.planes.get(at).and_then(|planes| planes.covered.get(r)).copied().unwrap_or(0)
                    }
                };
                covered |= mask & looked != 0;
                uncovered |= mask & !looked != 0;
                if covered && uncovered {
                    return (true, true);
                }
            }
        }
        (covered, uncovered)
    }

    /// Every tile (row, column) that the circle's box touches, in scan order; `None` where that is none.
    fn tiles_of(&self, circle: &Circle<'_>) -> Option<impl Iterator<Item = (u32, u32)> + Clone + use<>> {
        let cut = |from: i64, to: i64, n: u32| {
            let from = u32::try_from(from.max(0)).ok()?;
            let to = u32::try_from(to.min(i64::from(n) - 1)).ok()?;
            (from <= to).then_some((from / TILE, to / TILE))
        };
        let (top, bottom) = cut(circle.rows.0, circle.rows.1, self.grid.nj)?;
        let (left, right) = cut(circle.columns.0, circle.columns.1, self.grid.ni)?;
        Some((top..=bottom).flat_map(move |row| (left..=right).map(move |column| (row, column))))
    }

    /// The tiles in the circle's box that hold a code of at least `code_min`, in scan order.
    fn candidates(&self, circle: &Circle<'_>, code_min: u32) -> Vec<Candidate<'_>> {
        let mut found = Vec::new();
        let Some(tiles) = self.tiles_of(circle) else { return found };
        for (tile_row, tile_column) in tiles {
            let TileRef::Mixed(at) = self.tile(tile_row, tile_column) else { continue };
            let (Some(&summary), Some(planes)) = (self.summaries.get(at), self.planes.get(at)) else { continue };
            if summary.count > 0 && summary.max_code >= code_min {
                found.push(Candidate { row: tile_row * TILE, column: tile_column * TILE, summary, planes });
            }
        }
        found
    }

    /// Code, row and column of the largest code that a tile has inside the circle.
    fn max_of_tile(&self, tile: &Candidate<'_>, spans: &mut Spans<'_, '_>) -> Option<(u32, u32, u32)> {
        let (r, c) = (u32::from(tile.summary.max_at) / TILE, u32::from(tile.summary.max_at) % TILE);
        if spans.mask(tile.row + r, tile.column) >> c & 1 == 1 {
            return Some((tile.summary.max_code, tile.row + r, tile.column + c));
        }
        let mut best: Option<(u32, u32, u32)> = None;
        let mut before = tile.summary.first;
        for (row, &bits) in (tile.row..).zip(&tile.planes.signal) {
            if bits == 0 {
                continue;
            }
            for column in bits_of(bits & spans.mask(row, tile.column)).map(u32::from) {
                let rank = (bits & low_bits(column)).count_ones();
                let code = self.codes.get((before + rank) as usize);
                if best.is_none_or(|(most, ..)| code > most) {
                    best = Some((code, row, tile.column + column));
                }
            }
            before += bits.count_ones();
        }
        best
    }

    /// Betters `best` (distance, code, row, column) with the nearest cell of one tile whose code is at least `code_min`.
    fn nearest_of_tile(
        &self,
        circle: &Circle<'_>,
        tile: &Candidate<'_>,
        code_min: u32,
        best: &mut Option<(f64, u32, u32, u32)>,
    ) {
        let pivot = (circle.column.round() - f64::from(tile.column)).clamp(0.0, f64::from(TILE)) as u32;
        let mut before = tile.summary.first;
        for (row, &bits) in (tile.row..).zip(&tile.planes.signal) {
            let first = before;
            before += bits.count_ones();
            let lat_km = (self.grid.lat_deg(i64::from(row)) - circle.place.lat()).abs().to_radians() * EARTH_RADIUS_KM;
            let limit_km = best.map_or(circle.radius_km, |(km, ..)| km);
            if bits == 0 || lat_km - 1e-6 > limit_km {
                continue;
            }
            let code_at = |column: u32| self.codes.get((first + (bits & low_bits(column)).count_ones()) as usize);
            let enough = |column: &u32| code_at(*column) >= code_min;
            // In one row the nearest cell is the first that qualifies on either side of the place's column.
            let west = (0..pivot).rev().filter(|column| bits >> column & 1 == 1).find(enough);
            let east = (pivot..TILE).filter(|column| bits >> column & 1 == 1).find(enough);
            for column in [west, east].into_iter().flatten() {
                let Some(centre) = self.grid.centre(row, tile.column + column) else { continue };
                let km = circle.place.distance_km(centre);
                let at = (row, tile.column + column);
                let nearer =
                    best.is_none_or(|(least, _, row, column)| km < least || (km == least && at < (row, column)));
                if km <= circle.radius_km && nearer {
                    *best = Some((km, code_at(column), at.0, at.1));
                }
            }
        }
    }

    /// A distance that no cell of the tile is nearer than.
    fn least_distance_km(&self, circle: &Circle<'_>, tile: &Candidate<'_>) -> f64 {
        let place = circle.place;
        let north = self.grid.lat_deg(i64::from(tile.row));
        let south = self.grid.lat_deg(i64::from(tile.row + TILE - 1));
        let lat_gap_deg = (place.lat() - north).max(south - place.lat()).max(0.0);
        let west = f64::from(tile.column) - circle.column;
        let east = circle.column - f64::from(tile.column + TILE - 1);
        let lon_gap_deg = west.max(east).max(0.0) * self.grid.d_lon_ndeg as f64 / 1e9;
        // The distance to a meridian; beyond a quarter turn it would shrink again, which no circle here reaches.
        let to_meridian = (lon_gap_deg.min(90.0).to_radians().sin() * place.lat().to_radians().cos()).asin();
        lat_gap_deg.to_radians().max(to_meridian) * EARTH_RADIUS_KM
    }

    fn seen_from(&self, place: LatLon, code: u32, row: u32, column: u32) -> Option<Cell> {
        let at = self.grid.centre(row, column)?;
        let (distance_km, bearing_deg) = (place.distance_km(at), place.bearing_deg(at));
        Some(Cell { value: self.scale.value(code), at, distance_km, bearing_deg })
    }
}
