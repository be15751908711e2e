//! The binary form of cells: what recorder, journal and a network bus carry. Runs of kinds and small differences of codes, as
//! variable-length numbers; a national MESH mosaic takes tens of kilobytes.
//!
//! Reading trusts nothing: every run must fit, every tile must be told, and the grid must be of a size that is taken.

use super::cells::{Cells, Codes, Counts, Planes, Scale, TILE, TileRef, tiles_over};
use super::grid::Grid;
use super::profile::Kind;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use thiserror::Error;

/// What is written.
#[derive(Serialize, Deserialize)]
struct Wire<'a> {
    grid: Grid,
    reference: f64,
    binary: i16,
    decimal: i16,
    states_coverage: bool,
    code_bits: u8,
    /// Tiles in scan order: `n << 3 | kind` for `n` tiles of one kind, `MIXED_MARK` for a tile of several, followed by runs
    /// `n << 3 | kind` over its cells.
    kinds: Cow<'a, [u8]>,
    /// The codes of all signals in tile order, each as the zigzag difference to the one before.
    codes: Cow<'a, [u8]>,
}

/// No kind has this number.
const MIXED_MARK: u64 = 7;

#[derive(Debug, Error)]
enum WireError {
    #[error("the grid is not one that is taken")]
    Grid,
    #[error("kinds end or overrun at byte {at}")]
    Kinds { at: usize },
    #[error("codes end or overrun at byte {at}")]
    Codes { at: usize },
}

impl Serialize for Cells {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wire {
            grid: self.grid,
            reference: self.scale.reference,
            binary: self.scale.binary,
            decimal: self.scale.decimal,
            states_coverage: self.states_coverage,
            code_bits: self.codes.bits(),
            kinds: Cow::Owned(self.write_kinds()),
            codes: Cow::Owned(self.write_codes()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Cells {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        read(&wire).map_err(D::Error::custom)
    }
}

impl Cells {
    fn write_kinds(&self) -> Vec<u8> {
        let mut out = Runs::default();
        let across = tiles_over(self.grid.ni);
        for n in 0..self.tiles.len() as u32 {
            match self.tile(n / across, n % across) {
                TileRef::Plain(kind) => out.add(kind, 1),
                TileRef::Mixed(at) => {
                    out.flush();
                    put(&mut out.bytes, MIXED_MARK);
                    let width = (self.grid.ni - n % across * TILE).min(TILE);
                    let rows = (self.grid.nj - n / across * TILE).min(TILE);
                    let Some(planes) = self.planes.get(at) else { continue };
                    for row in 0..rows as usize {
                        (0..width).for_each(|column| out.add(planes.kind(row, column), 1));
                    }
                    out.flush();
                }
            }
        }
        out.flush();
        out.bytes
    }

    /// In the order of the index, which is not the order of the store where bands came from the south.
    fn write_codes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.codes.len() + self.codes.len() / 4);
        let across = tiles_over(self.grid.ni);
        let mut last = 0i64;
        for n in 0..self.tiles.len() as u32 {
            let TileRef::Mixed(at) = self.tile(n / across, n % across) else { continue };
            let Some(summary) = self.summaries.get(at) else { continue };
            for k in 0..u32::from(summary.count) {
                let code = i64::from(self.codes.get((summary.first + k) as usize));
                let difference = code - last;
                put(&mut out, (difference << 1 ^ difference >> 63) as u64);
                last = code;
            }
        }
        out
    }
}

/// Joins neighbours of one kind.
#[derive(Default)]
struct Runs {
    bytes: Vec<u8>,
    run: Option<(Kind, u64)>,
}

impl Runs {
    fn add(&mut self, kind: Kind, n: u64) {
        match &mut self.run {
            Some((running, count)) if *running == kind => *count += n,
            _ => {
                self.flush();
                self.run = Some((kind, n));
            }
        }
    }

    fn flush(&mut self) {
        if let Some((kind, n)) = self.run.take() {
            put(&mut self.bytes, n << 3 | kind as u64);
        }
    }
}

/// Seven bits a byte, lowest first.
fn put(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bytes<'_> {
    fn take(&mut self) -> Option<u64> {
        let mut n = 0u64;
        for shift in (0..63).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            n |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(n);
            }
        }
        None
    }

    /// A run: its kind (or `None` for the mark of a mixed tile) and length.
    fn run(&mut self) -> Option<(Option<Kind>, u64)> {
        let n = self.take()?;
        let kind = Kind::from_u8((n & 7) as u8);
        (kind.is_some() || n == MIXED_MARK).then_some((kind, n >> 3))
    }
}

fn read(wire: &Wire<'_>) -> Result<Cells, WireError> {
    if !wire.grid.is_sound() {
        return Err(WireError::Grid);
    }
    let across = tiles_over(wire.grid.ni);
    let total = across * tiles_over(wire.grid.nj);
    let mut cells = Cells {
        grid: wire.grid,
        scale: Scale { reference: wire.reference, binary: wire.binary, decimal: wire.decimal },
        states_coverage: wire.states_coverage,
        tiles: Vec::with_capacity(total as usize),
        summaries: Vec::new(),
        planes: Vec::new(),
        codes: Codes::with_bits(wire.code_bits),
        counts: Counts::default(),
    };
    let mut kinds = Bytes { bytes: &wire.kinds, at: 0 };
    let mut codes = Bytes { bytes: &wire.codes, at: 0 };
    let mut last = 0i64;
    while (cells.tiles.len() as u32) < total {
        let wrong = WireError::Kinds { at: kinds.at };
        let Some((kind, tiles)) = kinds.run() else { return Err(wrong) };
        let n = cells.tiles.len() as u32;
        if let Some(kind) = kind {
            if tiles == 0 || tiles > u64::from(total - n) {
                return Err(wrong);
            }
            for n in n..n + tiles as u32 {
                let (width, rows) = extent(&wire.grid, n / across, n % across);
                cells.counts.add(kind, u64::from(width * rows));
                cells.tiles.push(TileRef::Plain(kind).entry());
            }
            continue;
        }
        let (width, rows) = extent(&wire.grid, n / across, n % across);
        let planes = read_planes(&mut kinds, width, rows)?;
        let signals: u32 = planes.signal.iter().map(|bits| bits.count_ones()).sum();
        let mut tile_codes = Vec::with_capacity(signals as usize);
        for _ in 0..signals {
            let wrong = WireError::Codes { at: codes.at };
            let Some(zigzag) = codes.take() else { return Err(wrong) };
            last = last.wrapping_add((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64));
            let limit = 1u64.checked_shl(u32::from(cells.codes.bits())).unwrap_or(u64::MAX);
            match u32::try_from(last) {
                Ok(code) if u64::from(code) < limit => tile_codes.push(code),
                _ => return Err(wrong),
            }
        }
        let entry = cells.take_tile(&planes, &tile_codes, width, rows).entry();
        cells.tiles.push(entry);
    }
    if kinds.at != wire.kinds.len() {
        return Err(WireError::Kinds { at: kinds.at });
    }
    if codes.at != wire.codes.len() {
        return Err(WireError::Codes { at: codes.at });
    }
    Ok(cells)
}

fn extent(grid: &Grid, tile_row: u32, tile_column: u32) -> (u32, u32) {
    ((grid.ni - tile_column * TILE).min(TILE), (grid.nj - tile_row * TILE).min(TILE))
}

fn read_planes(kinds: &mut Bytes<'_>, width: u32, rows: u32) -> Result<Planes, WireError> {
    let mut planes = Planes::EMPTY;
    let all = width * rows;
    let mut done = 0;
    while done < all {
        let wrong = WireError::Kinds { at: kinds.at };
        let Some((Some(kind), n)) = kinds.run() else { return Err(wrong) };
        if n == 0 || n > u64::from(all - done) {
            return Err(wrong);
        }
        for cell in done..done + n as u32 {
            planes.mark((cell / width) as usize, 1 << (cell % width), kind);
        }
        done += n as u32;
    }
    Ok(planes)
}
