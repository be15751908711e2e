//! Building `Cells` row by row from the codes that a file stores, without ever holding the grid.
//!
//! What makes this fast is that nearly all of a national mosaic is one figure: each stretch of 256 cells, and where it differs
//! each of 32, is first asked, eight bytes at a time, whether it is that, and only the rest is looked at cell by cell.

use super::cells::{Cells, Codes, Counts, Cover, Planes, Scale, Summary, TILE, TileRef, low_bits, tiles_over};
use super::grid::Grid;
use super::profile::{Kind, Profile};
use thiserror::Error;

/// Why cells could not be built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BuildError {
    /// The grid is empty, larger than is taken, or not on earth.
    #[error("a grid of {ni} x {nj} cells with these corners is not taken")]
    Grid {
        /// Columns.
        ni: u32,
        /// Rows.
        nj: u32,
    },
    /// A row came out of turn, too short, too long, or not at all.
    #[error("row {row} of {rows}: {why}")]
    Row {
        /// Which, from the north.
        row: u32,
        /// Rows of the grid.
        rows: u32,
        /// What is wrong.
        why: &'static str,
    },
}

/// Tiles that are looked at together first: 256 cells take about as long as 32 do when they are all the same.
const SPAN_TILES: usize = 8;
/// Cells of a row that are looked at together first.
pub const SPAN_CELLS: usize = SPAN_TILES * TILE as usize;

/// Takes rows in. Within a band of 32 rows they come north to south; the bands may come in either order.
pub struct Builder {
    cells: Cells,
    kinds: Kinds,
    /// The band that is being filled: one entry a tile column.
    states: Vec<State>,
    /// The same for stretches of `SPAN_TILES` tiles; `Mixed` where they differ.
    spans: Vec<State>,
    open: Vec<Open>,
    rows_taken: u32,
    next_in_band: u32,
}

/// A tile being filled.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// No row yet.
    Fresh,
    /// All rows so far are of one kind, not signal.
    Plain(Kind),
    /// Its bits are in `open`.
    Mixed,
}

struct Open {
    planes: Planes,
    codes: Vec<u32>,
}

/// From code to kind, with the threshold of signals worked out once.
struct Kinds {
    profile: Profile,
    scale: Scale,
    /// Every code from here up is a signal; `None` when kinds must be worked out one by one (a sentinel above the threshold).
    signal_from: Option<u32>,
    last: (u32, Kind),
}

impl Kinds {
    fn new(profile: Profile, scale: Scale) -> Self {
        let sentinels = profile.no_coverage.iter().chain(profile.looked);
        let below = sentinels.into_iter().all(|&figure| figure < profile.signal_min - 1e-3);
        let signal_from = scale.code_at_least(profile.signal_min).filter(|_| below);
        let last = (0, profile.kind_of(scale.value(0)));
        Self { profile, scale, signal_from, last }
    }

    #[inline]
    fn of(&mut self, code: u32) -> Kind {
        if self.signal_from.is_some_and(|from| code >= from) {
            return Kind::Signal;
        }
        if self.last.0 != code {
            self.last = (code, self.profile.kind_of(self.scale.value(code)));
        }
        self.last.1
    }
}

impl Builder {
    /// Begins. `bits` is the width of the widest code that will come.
    ///
    /// # Errors
    /// `BuildError::Grid` where the grid is not sound.
    pub fn new(grid: Grid, scale: Scale, bits: u8, profile: &Profile) -> Result<Self, BuildError> {
        if !grid.is_sound() {
            return Err(BuildError::Grid { ni: grid.ni, nj: grid.nj });
        }
        let across = tiles_over(grid.ni) as usize;
        let cells = Cells {
            grid,
            scale,
            states_coverage: profile.states_coverage,
            tiles: vec![0; across * tiles_over(grid.nj) as usize],
            summaries: Vec::new(),
            planes: Vec::new(),
            codes: Codes::with_bits(bits),
            counts: Counts::default(),
        };
        let open = (0..across).map(|_| Open { planes: Planes::EMPTY, codes: Vec::new() }).collect();
        let kinds = Kinds::new(*profile, scale);
        let states = vec![State::Fresh; across];
        let spans = vec![State::Fresh; across.div_ceil(SPAN_TILES)];
        Ok(Self { cells, kinds, states, spans, open, rows_taken: 0, next_in_band: 0 })
    }

    /// One row of big-endian codes of `WIDTH` bytes, west to east. `uniform` tells of each `SPAN_CELLS` cells whether they are
    /// known to hold one code throughout; where it tells nothing, that is looked at.
    ///
    /// # Errors
    /// `BuildError::Row` for a row out of turn or of the wrong length.
    pub fn row_bytes<const WIDTH: usize>(
        &mut self,
        row: u32,
        bytes: &[u8],
        uniform: &[bool],
    ) -> Result<(), BuildError> {
        let r = self.begin_row(row, bytes.len() == self.cells.grid.ni as usize * WIDTH)?;
        let uniform = uniform.iter().copied().chain(std::iter::repeat(false));
        for ((span, chunk), uniform) in bytes.chunks(SPAN_CELLS * WIDTH).enumerate().zip(uniform) {
            self.span::<WIDTH>(span, r, chunk, uniform);
        }
        self.end_row(row);
        Ok(())
    }

    /// One row of codes, west to east; `None` is a cell without a value.
    ///
    /// # Errors
    /// `BuildError::Row` for a row out of turn or of the wrong length.
    pub fn row_codes(&mut self, row: u32, codes: &[Option<u32>]) -> Result<(), BuildError> {
        let r = self.begin_row(row, codes.len() == self.cells.grid.ni as usize)?;
        for (tile, chunk) in codes.chunks(TILE as usize).enumerate() {
            self.mixed(tile, r, chunk.iter().map(|code| (code.unwrap_or(0), code.is_some())));
        }
        self.end_row(row);
        Ok(())
    }

    /// Up to `SPAN_TILES` tiles of one row.
    fn span<const WIDTH: usize>(&mut self, span: usize, row: usize, bytes: &[u8], uniform: bool) {
        let first_tile = span * SPAN_TILES;
        let whole = self.quiet_kind::<WIDTH>(bytes, uniform);
        let Some(state) = self.spans.get_mut(span) else { return };
        *state = match (*state, whole) {
            (State::Plain(before), Some(kind)) if before == kind => return,
            (State::Fresh, Some(kind)) => State::Plain(kind),
            (State::Fresh | State::Plain(_) | State::Mixed, _) => State::Mixed,
        };
        for (tile, chunk) in (first_tile..).zip(bytes.chunks(TILE as usize * WIDTH)) {
            match whole.or_else(|| self.quiet_kind::<WIDTH>(chunk, uniform)) {
                Some(kind) => self.plain(tile, row, (chunk.len() / WIDTH) as u32, kind),
                None => self.mixed(tile, row, chunk.chunks_exact(WIDTH).map(|bytes| (code_of::<WIDTH>(bytes), true))),
            }
        }
    }

    /// The kind of cells that all hold one code which is not a signal.
    #[inline]
    fn quiet_kind<const WIDTH: usize>(&mut self, bytes: &[u8], uniform: bool) -> Option<Kind> {
        let code = first_code::<WIDTH>(bytes).filter(|_| uniform || is_uniform::<WIDTH>(bytes))?;
        Some(self.kinds.of(code)).filter(|kind| *kind != Kind::Signal)
    }

    fn begin_row(&mut self, row: u32, long_enough: bool) -> Result<usize, BuildError> {
        let rows = self.cells.grid.nj;
        let wrong = |why| Err(BuildError::Row { row, rows, why });
        if !long_enough {
            return wrong("does not have as many cells as the grid has columns");
        }
        if row >= rows || row % TILE != self.next_in_band {
            return wrong("out of turn");
        }
        self.rows_taken += 1;
        self.next_in_band += 1;
        Ok((row % TILE) as usize)
    }

    fn end_row(&mut self, row: u32) {
        if self.next_in_band == TILE || row + 1 == self.cells.grid.nj {
            self.end_band(row / TILE, self.next_in_band);
            self.next_in_band = 0;
        }
    }

    /// A stretch of one kind. Almost always the tile is of that kind already, and this is one comparison.
    #[inline]
    fn plain(&mut self, tile: usize, row: usize, width: u32, kind: Kind) {
        let Some(state) = self.states.get_mut(tile) else { return };
        match *state {
            State::Plain(before) if before == kind => {}
            State::Fresh => *state = State::Plain(kind),
            State::Plain(_) | State::Mixed => {
                self.open_tile(tile, row, width);
                if let Some(open) = self.open.get_mut(tile) {
                    open.planes.mark(row, low_bits(width), kind);
                }
            }
        }
    }

    fn mixed(&mut self, tile: usize, row: usize, cells: impl ExactSizeIterator<Item = (u32, bool)>) {
        self.open_tile(tile, row, cells.len() as u32);
        let Some(open) = self.open.get_mut(tile) else { return };
        for (column, (code, present)) in (0u32..).zip(cells) {
            let kind = if present { self.kinds.of(code) } else { Kind::Absent };
            open.planes.mark(row, 1 << column, kind);
            if kind == Kind::Signal {
                open.codes.push(code);
            }
        }
    }

    /// Makes a tile one with bits of its own, writing out the rows so far.
    fn open_tile(&mut self, tile: usize, row: usize, width: u32) {
        let (Some(state), Some(open)) = (self.states.get_mut(tile), self.open.get_mut(tile)) else { return };
        if *state == State::Mixed {
            return;
        }
        open.planes = Planes::EMPTY;
        open.codes.clear();
        if let State::Plain(kind) = *state {
            for r in 0..row {
                open.planes.mark(r, low_bits(width), kind);
            }
        }
        *state = State::Mixed;
    }

    fn end_band(&mut self, band: u32, rows: u32) {
        self.spans.fill(State::Fresh);
        let ni = self.cells.grid.ni;
        let across = self.states.len();
        for (tile, state) in self.states.iter_mut().enumerate() {
            let width = (ni - tile as u32 * TILE).min(TILE);
            let entry = match std::mem::replace(state, State::Fresh) {
                State::Fresh => TileRef::Plain(Kind::NoCoverage),
                State::Plain(kind) => {
                    self.cells.counts.add(kind, u64::from(width * rows));
                    TileRef::Plain(kind)
                }
                State::Mixed => match self.open.get(tile) {
                    Some(open) => self.cells.take_tile(&open.planes, &open.codes, width, rows),
                    None => TileRef::Plain(Kind::NoCoverage),
                },
            };
            if let Some(slot) = self.cells.tiles.get_mut(band as usize * across + tile) {
                *slot = entry.entry();
            }
        }
    }

    /// The finished cells.
    ///
    /// # Errors
    /// `BuildError::Row` when rows are missing.
    pub fn finish(mut self) -> Result<Cells, BuildError> {
        let rows = self.cells.grid.nj;
        if self.rows_taken != rows {
            return Err(BuildError::Row { row: self.rows_taken, rows, why: "never came" });
        }
        self.cells.summaries.shrink_to_fit();
        self.cells.planes.shrink_to_fit();
        self.cells.codes.shrink();
        Ok(self.cells)
    }
}

impl Cells {
    /// Stores a tile of `width` columns and `rows` rows, as plain where it turns out to be of one kind.
    pub(super) fn take_tile(&mut self, planes: &Planes, codes: &[u32], width: u32, rows: u32) -> TileRef {
        let ones = |bits: &[u32; TILE as usize]| bits.iter().map(|row| u64::from(row.count_ones())).sum::<u64>();
        let (signal, covered) = (ones(&planes.signal), ones(&planes.covered));
        let both = |a: &[u32; TILE as usize], b: &[u32; TILE as usize]| {
            a.iter().zip(b).map(|(a, b)| u64::from((a & b).count_ones())).sum::<u64>()
        };
        let no_echo = both(&planes.covered, &planes.other);
        let absent = ones(&planes.other) - no_echo;
        let all = u64::from(width * rows);
        let by_kind = [
            (Kind::Signal, signal),
            (Kind::NoEcho, no_echo),
            (Kind::Looked, covered - signal - no_echo),
            (Kind::Absent, absent),
            (Kind::NoCoverage, all - covered - absent),
        ];
        for (kind, n) in by_kind {
            self.counts.add(kind, n);
        }
        if let Some((kind, _)) = by_kind.into_iter().find(|&(kind, n)| n == all && kind != Kind::Signal) {
            return TileRef::Plain(kind);
        }
        let (mut max_code, mut max_at) = (0, 0u16);
        let places = (0u16..).zip(&planes.signal).flat_map(|(row, &bits)| bits_of(bits).map(move |c| row * 32 + c));
        for (n, (at, &code)) in places.zip(codes).enumerate() {
            if n == 0 || code > max_code {
                (max_code, max_at) = (code, at);
            }
        }
        let first = u32::try_from(self.codes.len()).unwrap_or(u32::MAX);
        self.codes.extend(codes.iter().copied());
        let cover = match covered {
            0 => Cover::Nowhere,
            n if n == all => Cover::Everywhere,
            _ => Cover::Partly,
        };
        self.summaries.push(Summary { max_code, max_at, count: codes.len() as u16, first, cover });
        self.planes.push(*planes);
        TileRef::Mixed(self.planes.len() - 1)
    }
}

/// The positions of the bits that are set, lowest first.
pub(super) fn bits_of(mut bits: u32) -> impl Iterator<Item = u16> {
    std::iter::from_fn(move || {
        let at = (bits != 0).then(|| bits.trailing_zeros() as u16)?;
        bits &= bits - 1;
        Some(at)
    })
}

#[inline]
fn code_of<const WIDTH: usize>(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |code, &byte| code << 8 | u32::from(byte))
}

#[inline]
fn first_code<const WIDTH: usize>(chunk: &[u8]) -> Option<u32> {
    chunk.get(..WIDTH).map(code_of::<WIDTH>)
}

/// Whether all cells of a chunk hold the same code.
#[inline]
fn is_uniform<const WIDTH: usize>(chunk: &[u8]) -> bool {
    // A chunk equals itself one cell on exactly when all cells are the same. Three-byte cells compare bytewise as well.
    if WIDTH == 1 || WIDTH == 2 {
        let Some(&[a, b]) = chunk.first_chunk::<2>() else { return true };
        let two = if WIDTH == 1 { [a, a] } else { [a, b] };
        let pattern = u64::from(u16::from_ne_bytes(two)) * 0x0001_0001_0001_0001;
        let (words, rest) = chunk.as_chunks::<8>();
        let differing = words.iter().fold(0, |sum, word| sum | (u64::from_ne_bytes(*word) ^ pattern));
        return differing == 0 && rest.iter().zip(two.iter().cycle()).all(|(x, y)| x == y);
    }
    chunk.get(WIDTH..).is_none_or(|shifted| chunk.get(..shifted.len()) == Some(shifted))
}
