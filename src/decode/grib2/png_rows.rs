//! Template 5.41: the image that holds the codes, read one row at a time.
//!
//! Codes are as wide as the image's own pixels, whatever section 5 states: writers round 10 bits up to a 16-bit image, and
//! the pixels then hold the codes plainly. A code wider than the stated count means that one of the two is wrong: refused.

use super::{GribError, Packing};
use lines::Lines;
use unfilter::Unfilter;

mod lines;
mod unfilter;

/// Room for the `png` crate's own buffers while it reads the header.
const DECODER_BYTES_MAX: usize = 1 << 20;
/// Bytes of the longest row taken: a row of the widest MRMS grid takes 14 kB, 56 kB were it in four bytes.
const LINE_BYTES_MAX: usize = 1 << 20;

/// An open image.
pub(super) struct PngRows<'a> {
    lines: Lines<'a>,
    unfilter: Unfilter,
    pub width: u32,
    pub height: u32,
    /// Bits of one pixel.
    pub bits: u8,
    stated_bits: u8,
    rows_read: u32,
}

fn wrong(why: impl Into<String>) -> GribError {
    GribError::Data { template: 41, why: why.into() }
}

impl<'a> PngRows<'a> {
    pub fn open(data: &'a [u8], packing: &Packing) -> Result<Self, GribError> {
        let limits = png::Limits { bytes: DECODER_BYTES_MAX };
        let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(data), limits);
        decoder.set_ignore_text_chunk(true);
        let info = decoder.read_header_info().map_err(|error| wrong(format!("PNG: {error}")))?;
        let (width, height) = (info.width, info.height);
        let depth = info.bit_depth as u8;
        let bits = match (info.color_type, depth) {
            (png::ColorType::Grayscale, 1 | 2 | 4 | 8 | 16) => depth,
            (png::ColorType::Rgb, 8) => 24,
            (png::ColorType::Rgba, 8) => 32,
            (color, depth) => return Err(wrong(format!("PNG: {color:?} pixels of {depth} bits do not hold codes"))),
        };
        if info.interlaced {
            return Err(wrong("PNG: interlaced"));
        }
        if packing.bits > bits {
            return Err(wrong(format!("section 5 states {} bits a value, the PNG has {bits}", packing.bits)));
        }
        let line = (u64::from(width) * u64::from(bits)).div_ceil(8);
        let line = usize::try_from(line).ok().filter(|line| *line <= LINE_BYTES_MAX);
        let line = line.ok_or_else(|| wrong(format!("PNG: rows of {width} pixels are too long")))?;
        let lines = Lines::open(data, line + 1).map_err(|why| wrong(format!("PNG: {why}")))?;
        let unfilter = Unfilter::new(line, usize::from(bits / 8).max(1));
        Ok(Self { lines, unfilter, width, height, bits, stated_bits: packing.bits, rows_read: 0 })
    }

    /// Reads the next row.
    pub fn next(&mut self) -> Result<(), GribError> {
        let at = self.rows_read;
        let height = self.height;
        let named = |why: String| wrong(format!("PNG row {at} of {height}: {why}"));
        let line = self.lines.next().map_err(named)?;
        let Some((&filter, filtered)) = line.and_then(<[u8]>::split_first) else {
            return Err(wrong(format!("PNG ends after {at} of {height} rows")));
        };
        let undone = match self.bits {
            16 => self.unfilter.undo::<2>(filter, filtered),
            24 => self.unfilter.undo::<3>(filter, filtered),
            32 => self.unfilter.undo::<4>(filter, filtered),
            _ => self.unfilter.undo::<1>(filter, filtered),
        };
        if !undone {
            return Err(named(format!("filter {filter} is none")));
        }
        self.rows_read += 1;
        if self.bits >= 8 && self.stated_bits < self.bits {
            self.check_width()?;
        }
        Ok(())
    }

    /// The row last read as PNG holds it: several pixels a byte below 8 bits, else the pixel's own big-endian bytes.
    pub fn row(&self) -> &[u8] {
        self.unfilter.row()
    }

    /// Which spans of `mosaic::build::SPAN_CELLS` pixels of the row last read are known to hold one code throughout. Only for
    /// pixels of whole bytes.
    pub fn uniform(&self) -> &[bool] {
        self.unfilter.uniform()
    }

    /// Pixels of the row last read as codes.
    pub fn codes(&self) -> impl Iterator<Item = u32> + '_ {
        let bits = usize::from(self.bits);
        let per_byte = if bits < 8 { 8 / bits } else { 1 };
        let bytes = (bits / 8).max(1);
        let mask = if bits < 8 { (1u32 << bits) - 1 } else { u32::MAX };
        self.unfilter
            .row()
            .chunks_exact(bytes)
            .flat_map(move |pixel| {
                let whole = pixel.iter().fold(0u32, |code, &byte| code << 8 | u32::from(byte));
                // Leftmost pixel in the highest bits; whatever pads the last byte is cut off below.
                (0..per_byte).map(move |n| if bits < 8 { whole >> (8 - bits * (n + 1)) & mask } else { whole })
            })
            .take(self.width as usize)
    }

    fn check_width(&self) -> Result<(), GribError> {
        let limit = 1u64 << self.stated_bits;
        match self.codes().find(|&code| u64::from(code) >= limit) {
            None => Ok(()),
            Some(code) => Err(wrong(format!(
                "PNG row {}: code {code} does not fit the {} bits that section 5 states (the PNG has {})",
                self.rows_read - 1,
                self.stated_bits,
                self.bits
            ))),
        }
    }

    /// Reads on to the end of the image, so that a cut or garbled tail is noticed.
    pub fn finish(mut self) -> Result<(), GribError> {
        match self.lines.next() {
            Ok(None) => Ok(()),
            Ok(Some(_)) => Err(wrong(format!("PNG holds more than its {} rows", self.height))),
            Err(why) => Err(wrong(format!("PNG end: {why}"))),
        }
    }
}
