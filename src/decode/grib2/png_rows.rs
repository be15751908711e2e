//! Template 5.41: the image that holds the codes, read one row at a time.
//!
//! Codes are as wide as the image's own pixels, whatever section 5 states: writers round 10 bits up to a 16-bit image, and
//! the pixels then hold the codes plainly. A code wider than the stated count means that one of the two is wrong: refused.

use super::{GribError, Packing};

/// Room for the `png` crate's own buffers: a few rows of the widest grid, and the 32 kB window of inflate.
const DECODER_BYTES_MAX: usize = 16 << 20;

/// An open image.
pub(super) struct PngRows<'a> {
    reader: png::Reader<std::io::Cursor<&'a [u8]>>,
    row: Vec<u8>,
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
        decoder.set_transformations(png::Transformations::IDENTITY);
        decoder.set_ignore_text_chunk(true);
        let reader = decoder.read_info().map_err(|error| wrong(format!("PNG: {error}")))?;
        let info = reader.info();
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
        let line = reader.output_line_size(width).ok_or_else(|| wrong("PNG: rows too long"))?;
        Ok(Self { reader, row: vec![0; line], width, height, bits, stated_bits: packing.bits, rows_read: 0 })
    }

    /// The next row as whole bytes: one byte a pixel below 8 bits, else the pixel's own big-endian bytes.
    pub fn next(&mut self) -> Result<&[u8], GribError> {
        let at = self.rows_read;
        let read = self.reader.read_row(&mut self.row);
        if read.map_err(|error| wrong(format!("PNG row {at} of {}: {error}", self.height)))?.is_none() {
            return Err(wrong(format!("PNG ends after {at} of {} rows", self.height)));
        }
        self.rows_read += 1;
        if self.bits < 8 {
            return Ok(&self.row);
        }
        if self.stated_bits < self.bits {
            self.check_width()?;
        }
        Ok(&self.row)
    }

    /// Pixels of the row last read as codes.
    pub fn codes(&self) -> impl Iterator<Item = u32> + '_ {
        let bits = usize::from(self.bits);
        let per_byte = if bits < 8 { 8 / bits } else { 1 };
        let bytes = (bits / 8).max(1);
        let mask = if bits < 8 { (1u32 << bits) - 1 } else { u32::MAX };
        self.row
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
        self.reader.finish().map_err(|error| wrong(format!("PNG end: {error}")))
    }
}
