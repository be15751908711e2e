//! From the stored order of a message to rows from the north, and from those to sparse cells.

use super::png_rows::PngRows;
use super::{GribError, Message, unpack};
use crate::mosaic::{Builder, Cells, Profile};

/// Cells of the largest grid that may be stored column by column (or thinned by a bitmap): such a grid has to be held whole,
/// and none of MRMS is. 4 million codes take 32 MB.
const HELD_CELLS_MAX: u64 = 4_000_000;

const TEMPLATE_PNG: u16 = 41;

/// Builds the sparse cells of a message. `profile` says which figures mean what.
///
/// # Errors
/// `GribError` where the data do not unpack to exactly the grid's cells.
pub fn build(message: &Message<'_>, profile: &Profile) -> Result<Cells, GribError> {
    let cells = u64::from(message.grid.ni) * u64::from(message.grid.nj);
    let bitmap = bitmap(message, cells)?;
    let png = message.packing.template == TEMPLATE_PNG && message.packing.bits > 0;
    if bitmap.is_none() && u64::from(message.packing.points) != cells {
        let why = format!("{} values for {cells} cells, and no bitmap", message.packing.points);
        return Err(message.data_error(why));
    }
    if png && bitmap.is_none() && message.scan.is_plain() {
        return png_plain(message, profile);
    }
    let mut sink = Sink::new(message, profile)?;
    if png {
        let mut image = PngRows::open(message.data(), &message.packing)?;
        let pixels = u64::from(image.width) * u64::from(image.height);
        if pixels < u64::from(message.packing.points) {
            return Err(message.data_error(format!("PNG has {pixels} pixels for {} values", message.packing.points)));
        }
        let mut left = message.packing.points;
        let mut bitmap = bitmap;
        for _ in 0..image.height {
            image.next()?;
            for code in image.codes().take(left as usize) {
                sink.skip_absent(&mut bitmap)?;
                sink.put(Some(code))?;
                left -= 1;
            }
        }
        image.finish()?;
        sink.skip_absent(&mut bitmap)?;
        return sink.finish(left);
    }
    // A `grib` decoder handles the bitmap itself: NaN where there is no value.
    let scale = message.packing.scale;
    let step = 2f64.powi(i32::from(scale.binary));
    let power = 10f64.powi(i32::from(scale.decimal));
    for value in message.unpacked()? {
        let code = ((f64::from(value) * power - scale.reference) / step).round();
        sink.put((!value.is_nan()).then_some(code as u32))?;
    }
    sink.finish(0)
}

/// The way of every MRMS file: one image as wide as the grid, from the north-west, streamed.
fn png_plain(message: &Message<'_>, profile: &Profile) -> Result<Cells, GribError> {
    let grid = message.grid;
    let mut image = PngRows::open(message.data(), &message.packing)?;
    if (image.width, image.height) != (grid.ni, grid.nj) {
        let why = format!("PNG of {} x {} for a grid of {} x {}", image.width, image.height, grid.ni, grid.nj);
        return Err(message.data_error(why));
    }
    let mut builder = Builder::new(grid, message.packing.scale, image.bits, profile)?;
    let mut bytes = Vec::new();
    for row in 0..grid.nj {
        image.next()?;
        let (pixels, uniform) = (image.row(), image.uniform());
        match image.bits {
            8 => builder.row_bytes::<1>(row, pixels, uniform)?,
            16 => builder.row_bytes::<2>(row, pixels, uniform)?,
            24 => builder.row_bytes::<3>(row, pixels, uniform)?,
            32 => builder.row_bytes::<4>(row, pixels, uniform)?,
            _ => {
                bytes.clear();
                bytes.extend(image.codes().map(|code| code as u8));
                builder.row_bytes::<1>(row, &bytes, &[])?;
            }
        }
    }
    image.finish()?;
    Ok(builder.finish()?)
}

/// Section 6: `None` where every cell has a value, else one bit a cell.
fn bitmap<'a>(message: &Message<'a>, cells: u64) -> Result<Option<Bits<'a>>, GribError> {
    let section = message.bitmap_section;
    match section.get(5) {
        Some(255) => Ok(None),
        Some(0) => {
            let bytes = section.get(6..).unwrap_or_default();
            if (bytes.len() as u64) < cells.div_ceil(8) {
                return Err(message.data_error(format!("bitmap of {} bytes for {cells} cells", bytes.len())));
            }
            let present = (0..cells as usize).filter(|&n| bit(bytes, n)).count() as u64;
            if present != u64::from(message.packing.points) {
                let why = format!("bitmap marks {present} cells, section 5 states {}", message.packing.points);
                return Err(message.data_error(why));
            }
            Ok(Some(Bits { bytes, at: 0, cells: cells as usize }))
        }
        other => Err(GribError::Unsupported {
            what: format!("bitmap indicator {other:?}"),
            why: "a bitmap of its own (0) or none (255) is".to_owned(),
        }),
    }
}

fn bit(bytes: &[u8], n: usize) -> bool {
    bytes.get(n / 8).is_some_and(|byte| byte >> (7 - n % 8) & 1 == 1)
}

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    cells: usize,
}

impl Message<'_> {
    fn data_error(&self, why: impl Into<String>) -> GribError {
        GribError::Data { template: self.packing.template, why: why.into() }
    }

    fn data(&self) -> &[u8] {
        self.data_section.get(5..).unwrap_or_default()
    }

    /// Values in stored order by the `grib` crate, one a cell.
    fn unpacked(&self) -> Result<Vec<f32>, GribError> {
        unpack::by_crate(&unpack::Packed {
            points: self.grid.ni as usize * self.grid.nj as usize,
            packing: &self.packing,
            representation: self.packing_section,
            bitmap: self.bitmap_section,
            data: self.data_section,
        })
    }
}

/// Takes codes in stored order and hands whole rows to the builder in its order.
struct Sink<'m> {
    message: &'m Message<'m>,
    builder: Builder,
    line: Vec<Option<u32>>,
    /// Rows (or columns) completed.
    lines: u32,
    /// Rows from the south wait here until their band of 32 is complete; whole grids stored by columns wait to the end.
    waiting: Vec<Vec<Option<u32>>>,
}

impl<'m> Sink<'m> {
    fn new(message: &'m Message<'m>, profile: &Profile) -> Result<Self, GribError> {
        let grid = message.grid;
        let cells = u64::from(grid.ni) * u64::from(grid.nj);
        if message.scan.by_columns() && cells > HELD_CELLS_MAX {
            return Err(GribError::Unsupported {
                what: format!("a grid of {cells} cells stored column by column"),
                why: format!("up to {HELD_CELLS_MAX} are"),
            });
        }
        let builder = Builder::new(grid, message.packing.scale, 32, profile)?;
        Ok(Self { message, builder, line: Vec::new(), lines: 0, waiting: Vec::new() })
    }

    /// Puts cells without a value up to the next one with a value.
    fn skip_absent(&mut self, bitmap: &mut Option<Bits<'_>>) -> Result<(), GribError> {
        let Some(bits) = bitmap else { return Ok(()) };
        while bits.at < bits.cells && !bit(bits.bytes, bits.at) {
            bits.at += 1;
            self.put(None)?;
        }
        bits.at += 1;
        Ok(())
    }

    fn put(&mut self, code: Option<u32>) -> Result<(), GribError> {
        let grid = self.message.grid;
        let length = if self.message.scan.by_columns() { grid.nj } else { grid.ni };
        self.line.push(code);
        if self.line.len() == length as usize {
            let mut line = std::mem::take(&mut self.line);
            if self.message.scan.to_and_fro() && self.lines % 2 == 1 {
                line.reverse();
            }
            let at = self.lines;
            self.lines += 1;
            if self.message.scan.by_columns() { self.waiting.push(line) } else { self.row(at, line)? }
        }
        Ok(())
    }

    /// The `at`-th stored row.
    fn row(&mut self, at: u32, mut line: Vec<Option<u32>>) -> Result<(), GribError> {
        let nj = self.message.grid.nj;
        if at >= nj {
            return Err(self.message.data_error("more values than cells"));
        }
        if self.message.scan.westward() {
            line.reverse();
        }
        if !self.message.scan.northward() {
            return Ok(self.builder.row_codes(at, &line)?);
        }
        let row = nj - 1 - at;
        self.waiting.push(line);
        if row.is_multiple_of(32) {
            for (row, line) in (row..).zip(std::mem::take(&mut self.waiting).iter().rev()) {
                self.builder.row_codes(row, line)?;
            }
        }
        Ok(())
    }

    fn finish(mut self, missing: u32) -> Result<Cells, GribError> {
        if missing > 0 {
            return Err(self.message.data_error(format!("{missing} values are missing")));
        }
        if self.message.scan.by_columns() {
            let columns = std::mem::take(&mut self.waiting);
            for at in 0..self.message.grid.nj {
                let row = columns.iter().map(|column| column.get(at as usize).copied().flatten()).collect();
                self.row(at, row)?;
            }
        }
        Ok(self.builder.finish()?)
    }
}
