//! The cells of one grid, kept only where they say something: 32 x 32 tiles, of which all but a few per cent are of one kind
//! throughout and cost four bytes.
//!
//! Boundaries: ✓ storage. ✗ queries (see `query`), building (see `build`), the binary form (see `wire`).

use super::grid::Grid;
use super::profile::Kind;
use std::fmt;

/// Rows and columns of a tile: one machine word of bits a row.
pub(super) const TILE: u32 = 32;
/// In the index, from here up: a tile of several kinds, or with signal. Below: the one `Kind` of the whole tile.
const MIXED: u32 = 8;

/// From the whole numbers that a file stores to values: `(R + code * 2^E) / 10^D`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// R.
    pub reference: f64,
    /// E.
    pub binary: i16,
    /// D.
    pub decimal: i16,
}

impl Scale {
    /// The value of a code. Divides by 10^D rather than multiplying by its inverse, so that one inch packed as 254 tenths of
    /// a millimetre is 25.4 and meets the threshold 25.4.
    pub fn value(&self, code: u32) -> f64 {
        let scaled = self.reference + f64::from(code) * 2f64.powi(i32::from(self.binary));
        let power = 10f64.powi(i32::from(self.decimal.unsigned_abs()));
        if self.decimal >= 0 { scaled / power } else { scaled * power }
    }

    /// The least code whose value is at least `threshold`; `None` when no code reaches it.
    pub(super) fn code_at_least(&self, threshold: f64) -> Option<u32> {
        if self.value(u32::MAX).partial_cmp(&threshold).is_none_or(std::cmp::Ordering::is_lt) {
            return None;
        }
        // Values rise with codes, so the answer can be halved in on.
        let (mut low, mut high) = (0u32, u32::MAX);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.value(middle) >= threshold {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(low)
    }
}

/// Codes of the cells with signal, as narrow as the file's own.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Codes {
    /// Up to 8 bits.
    Narrow(Vec<u8>),
    /// Up to 16.
    Middle(Vec<u16>),
    /// Up to 32.
    Wide(Vec<u32>),
}

impl Codes {
    pub fn with_bits(bits: u8) -> Self {
        match bits {
            0..=8 => Self::Narrow(Vec::new()),
            9..=16 => Self::Middle(Vec::new()),
            _ => Self::Wide(Vec::new()),
        }
    }

    /// Takes codes in; one that is too wide for the store (which a builder never sends) is cut to its limit.
    pub fn extend(&mut self, codes: impl Iterator<Item = u32>) {
        match self {
            Self::Narrow(all) => all.extend(codes.map(|code| u8::try_from(code).unwrap_or(u8::MAX))),
            Self::Middle(all) => all.extend(codes.map(|code| u16::try_from(code).unwrap_or(u16::MAX))),
            Self::Wide(all) => all.extend(codes),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(all) => all.len(),
            Self::Middle(all) => all.len(),
            Self::Wide(all) => all.len(),
        }
    }

    #[inline]
    pub fn get(&self, at: usize) -> u32 {
        match self {
            Self::Narrow(all) => all.get(at).copied().map_or(0, u32::from),
            Self::Middle(all) => all.get(at).copied().map_or(0, u32::from),
            Self::Wide(all) => all.get(at).copied().unwrap_or(0),
        }
    }

    pub fn bits(&self) -> u8 {
        match self {
            Self::Narrow(_) => 8,
            Self::Middle(_) => 16,
            Self::Wide(_) => 32,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Narrow(all) => all.capacity(),
            Self::Middle(all) => all.capacity() * 2,
            Self::Wide(all) => all.capacity() * 4,
        }
    }

    pub fn shrink(&mut self) {
        match self {
            Self::Narrow(all) => all.shrink_to_fit(),
            Self::Middle(all) => all.shrink_to_fit(),
            Self::Wide(all) => all.shrink_to_fit(),
        }
    }
}

/// What a query asks of a mixed tile first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Summary {
    /// Largest code of the tile.
    pub max_code: u32,
    /// Its first cell in scan order: row * 32 + column within the tile.
    pub max_at: u16,
    /// Cells with signal.
    pub count: u16,
    /// Where the tile's codes begin in `Cells::codes`.
    pub first: u32,
    /// How much of it radar looked at.
    pub cover: Cover,
}

/// How much of a tile radar looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cover {
    Nowhere,
    Partly,
    Everywhere,
}

/// Bits of a mixed tile; bit 0 of a row is its westernmost cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Planes {
    /// Cells with signal.
    pub signal: [u32; TILE as usize],
    /// Cells that radar looked at, those with signal included.
    pub covered: [u32; TILE as usize],
    /// Of the cells without signal: those that are `NoEcho` (covered) or `Absent` (not covered).
    pub other: [u32; TILE as usize],
}

impl Planes {
    pub const EMPTY: Self = Self { signal: [0; TILE as usize], covered: [0; TILE as usize], other: [0; TILE as usize] };

    /// Marks the cells `mask` of a row as being of one kind.
    #[inline]
    pub fn mark(&mut self, row: usize, mask: u32, kind: Kind) {
        let (Some(signal), Some(covered), Some(other)) =
            (self.signal.get_mut(row), self.covered.get_mut(row), self.other.get_mut(row))
        else {
            return;
        };
        match kind {
            Kind::NoCoverage => {}
            Kind::Absent => *other |= mask,
            Kind::Looked => *covered |= mask,
            Kind::NoEcho => {
                *covered |= mask;
                *other |= mask;
            }
            Kind::Signal => {
                *covered |= mask;
                *signal |= mask;
            }
        }
    }

    /// The kind of one cell.
    pub fn kind(&self, row: usize, column: u32) -> Kind {
        let bit = |rows: &[u32; TILE as usize]| rows.get(row).is_some_and(|bits| bits >> column & 1 == 1);
        match (bit(&self.signal), bit(&self.covered), bit(&self.other)) {
            (true, ..) => Kind::Signal,
            (false, true, true) => Kind::NoEcho,
            (false, true, false) => Kind::Looked,
            (false, false, true) => Kind::Absent,
            (false, false, false) => Kind::NoCoverage,
        }
    }

    /// How many signals stand before a cell in the tile's scan order.
    #[inline]
    pub fn rank(&self, row: usize, column: u32) -> u32 {
        let before: u32 = self.signal.iter().take(row).map(|bits| bits.count_ones()).sum();
        before + self.signal.get(row).map_or(0, |bits| (bits & ((1u32 << column) - 1)).count_ones())
    }
}

/// How many cells say what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Cells with a value that counts.
    pub signal: u64,
    /// Cells that no radar looks at (-3, -999, figures of unknown meaning).
    pub no_coverage: u64,
    /// Cells with the figure that NSSL's table calls missing (-1, -99): looked, nothing there.
    pub missing: u64,
    /// Cells with a figure below what counts as a signal: 0 mm, -31 dBZ.
    pub no_echo: u64,
    /// Cells that a bitmap leaves without a value.
    pub absent: u64,
}

impl Counts {
    pub(super) fn add(&mut self, kind: Kind, cells: u64) {
        match kind {
            Kind::NoCoverage => self.no_coverage += cells,
            Kind::Absent => self.absent += cells,
            Kind::Looked => self.missing += cells,
            Kind::NoEcho => self.no_echo += cells,
            Kind::Signal => self.signal += cells,
        }
    }
}

/// What one cell reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Its kind.
    pub kind: Kind,
    /// Its value, where it is a signal.
    pub value: Option<f64>,
}

/// The cells of one grid.
#[derive(Clone, PartialEq)]
pub struct Cells {
    pub(super) grid: Grid,
    pub(super) scale: Scale,
    pub(super) states_coverage: bool,
    /// One entry a tile, west to east, north to south: a `Kind`, or `MIXED` + position in `summaries` and `planes`.
    pub(super) tiles: Vec<u32>,
    pub(super) summaries: Vec<Summary>,
    pub(super) planes: Vec<Planes>,
    pub(super) codes: Codes,
    pub(super) counts: Counts,
}

/// What the index says of one tile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TileRef {
    /// One kind throughout.
    Plain(Kind),
    /// Several kinds, or signal: position in `summaries` and `planes`.
    Mixed(usize),
}

impl TileRef {
    pub fn entry(self) -> u32 {
        match self {
            Self::Plain(kind) => kind as u32,
            Self::Mixed(at) => u32::try_from(at).unwrap_or(u32::MAX - MIXED) + MIXED,
        }
    }
}

impl Cells {
    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// How codes become values.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// How many cells say what.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Bytes held in memory.
    pub fn size_bytes(&self) -> usize {
        self.tiles.capacity() * size_of::<u32>()
            + self.summaries.capacity() * size_of::<Summary>()
            + self.planes.capacity() * size_of::<Planes>()
            + self.codes.bytes()
            + size_of::<Self>()
    }

    /// What the cell at a row (from the north) and column (from the west) reads; `None` outside the grid.
    pub fn reading(&self, row: u32, column: u32) -> Option<Reading> {
        if row >= self.grid.nj || column >= self.grid.ni {
            return None;
        }
        let nothing = |kind| Some(Reading { kind, value: None });
        let at = match self.tile(row / TILE, column / TILE) {
            TileRef::Plain(kind) => return nothing(kind),
            TileRef::Mixed(at) => at,
        };
        let planes = self.planes.get(at)?;
        let (row, column) = ((row % TILE) as usize, column % TILE);
        let kind = planes.kind(row, column);
        if kind != Kind::Signal {
            return nothing(kind);
        }
        let code = self.codes.get((self.summaries.get(at)?.first + planes.rank(row, column)) as usize);
        Some(Reading { kind, value: Some(self.scale.value(code)) })
    }

    /// The largest value of the grid with its row and column; on ties the first in scan order.
    pub fn max(&self) -> Option<(f64, u32, u32)> {
        let across = tiles_over(self.grid.ni);
        let mut best: Option<(u32, u32, u32)> = None;
        for (n, &entry) in (0u32..).zip(&self.tiles) {
            let TileRef::Mixed(at) = tile_ref(entry) else { continue };
            let Some(summary) = self.summaries.get(at).filter(|summary| summary.count > 0) else { continue };
            let row = n / across * TILE + u32::from(summary.max_at) / TILE;
            let column = n % across * TILE + u32::from(summary.max_at) % TILE;
            let better = best.is_none_or(|(code, best_row, best_column)| {
                summary.max_code > code || (summary.max_code == code && (row, column) < (best_row, best_column))
            });
            if better {
                best = Some((summary.max_code, row, column));
            }
        }
        best.map(|(code, row, column)| (self.scale.value(code), row, column))
    }

    /// How much of a tile radar looked at.
    pub(super) fn cover(&self, tile: TileRef) -> Cover {
        match tile {
            TileRef::Plain(kind) if kind.is_covered() => Cover::Everywhere,
            TileRef::Plain(_) => Cover::Nowhere,
            TileRef::Mixed(at) => self.summaries.get(at).map_or(Cover::Nowhere, |summary| summary.cover),
        }
    }

    #[inline]
    pub(super) fn tile(&self, tile_row: u32, tile_column: u32) -> TileRef {
        let at = tile_row as usize * tiles_over(self.grid.ni) as usize + tile_column as usize;
        self.tiles.get(at).map_or(TileRef::Plain(Kind::NoCoverage), |&entry| tile_ref(entry))
    }
}

#[inline]
pub(super) fn tile_ref(entry: u32) -> TileRef {
    match entry.checked_sub(MIXED) {
        Some(at) => TileRef::Mixed(at as usize),
        None => TileRef::Plain(u8::try_from(entry).ok().and_then(Kind::from_u8).unwrap_or(Kind::NoCoverage)),
    }
}

/// Tiles needed for so many cells.
pub(super) fn tiles_over(cells: u32) -> u32 {
    cells.div_ceil(TILE)
}

/// A word with the lowest `width` (at most 32) bits set.
#[inline]
pub(super) fn low_bits(width: u32) -> u32 {
    if width >= TILE { u32::MAX } else { (1 << width) - 1 }
}

impl fmt::Debug for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cells")
            .field("grid", &self.grid)
            .field("counts", &self.counts)
            .field("mixed_tiles", &self.planes.len())
            .finish_non_exhaustive()
    }
}
