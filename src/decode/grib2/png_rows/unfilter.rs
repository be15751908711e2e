//! PNG's row filters undone (ISO/IEC 15948:2004, clause 9), in spans, of which most need no work.
//!
//! Nearly all of a national mosaic is one figure, and whatever filter its writer chose, there the filtered bytes are zero: the
//! figure of the pixel to the left, or above, goes on. Such a span is known to be of one pixel before any of it is undone, and
//! where the row buffer holds that pixel already (from two rows above) nothing is written at all.

use crate::mosaic::build::SPAN_CELLS;

/// Undoes the filters of row after row. `above` and `row` take turns.
pub(super) struct Unfilter {
    above: Vec<u8>,
    row: Vec<u8>,
    /// Which spans of `above` and of `row` are known to be one pixel throughout.
    above_uniform: Vec<bool>,
    row_uniform: Vec<bool>,
}

impl Unfilter {
    /// For rows of `line` bytes, pixels of `bytes` bytes (1 also for smaller ones).
    pub fn new(line: usize, bytes: usize) -> Self {
        let spans = line.div_ceil(SPAN_CELLS * bytes.max(1));
        let (row, uniform) = (vec![0; line], vec![true; spans]);
        Self { above: row.clone(), row, above_uniform: uniform.clone(), row_uniform: uniform }
    }

    /// The row last undone.
    pub fn row(&self) -> &[u8] {
        &self.row
    }

    /// Which spans of `SPAN_CELLS` pixels of that row are known to hold one pixel throughout.
    pub fn uniform(&self) -> &[bool] {
        &self.row_uniform
    }

    /// Undoes one row of pixels of `BYTES` bytes. False for a filter that there is not.
    pub fn undo<const BYTES: usize>(&mut self, filter: u8, filtered: &[u8]) -> bool {
        let Some(filter) = Filter::from_u8(filter) else { return false };
        std::mem::swap(&mut self.above, &mut self.row);
        std::mem::swap(&mut self.above_uniform, &mut self.row_uniform);
        let span = SPAN_CELLS * BYTES;
        let (mut left, mut above_left) = ([0; BYTES], [0; BYTES]);
        let chunks = self.row.chunks_mut(span).zip(self.above.chunks(span)).zip(filtered.chunks(span));
        for (((row, above), filtered), (uniform, above_uniform)) in
            chunks.zip(self.row_uniform.iter_mut().zip(&self.above_uniform))
        {
            let first_above = first::<BYTES>(above).filter(|_| *above_uniform);
            let known = if is_zero(filtered) { filter.goes_on(left, first_above, above_left) } else { None };
            match known {
                Some(pixel) if *uniform && first::<BYTES>(row) == Some(pixel) => {}
                Some(pixel) => row.as_chunks_mut::<BYTES>().0.fill(pixel),
                None => filter.undo::<BYTES>(filtered, above, row, left, above_left),
            }
            *uniform = known.is_some();
            left = last::<BYTES>(row);
            above_left = last::<BYTES>(above);
        }
        true
    }
}

#[derive(Clone, Copy)]
enum Filter {
    None,
    Sub,
    Up,
    Average,
    Paeth,
}

impl Filter {
    fn from_u8(filter: u8) -> Option<Self> {
        [Self::None, Self::Sub, Self::Up, Self::Average, Self::Paeth].get(usize::from(filter)).copied()
    }

    /// The one pixel that a span of zero bytes stands for, if it is one: `above` where the span above is one pixel.
    fn goes_on<const BYTES: usize>(
        self,
        left: [u8; BYTES],
        above: Option<[u8; BYTES]>,
        above_left: [u8; BYTES],
    ) -> Option<[u8; BYTES]> {
        match self {
            Self::None => Some([0; BYTES]),
            Self::Sub => Some(left),
            Self::Up => above,
            Self::Average => above.filter(|above| *above == left),
            // The predictor is left + above - above left: whichever two of the three agree, the third is met exactly.
            Self::Paeth => above.and_then(|above| match () {
                () if above == above_left => Some(left),
                () if left == above_left => Some(above),
                () => None,
            }),
        }
    }

    fn undo<const BYTES: usize>(
        self,
        filtered: &[u8],
        above: &[u8],
        row: &mut [u8],
        mut left: [u8; BYTES],
        mut above_left: [u8; BYTES],
    ) {
        let pixels = row.as_chunks_mut::<BYTES>().0.iter_mut();
        let sources = filtered.as_chunks::<BYTES>().0.iter().zip(above.as_chunks::<BYTES>().0);
        for (pixel, (filtered, above)) in pixels.zip(sources) {
            for ((value, filtered), ((left, above), above_left)) in
                pixel.iter_mut().zip(filtered).zip(left.iter().zip(above).zip(&above_left))
            {
                let predicted = match self {
                    Self::None => 0,
                    Self::Sub => *left,
                    Self::Up => *above,
                    Self::Average => left.midpoint(*above),
                    Self::Paeth => paeth(*left, *above, *above_left),
                };
                *value = filtered.wrapping_add(predicted);
            }
            left = *pixel;
            above_left = *above;
        }
    }
}

/// The neighbour nearest to left + above - above left; on ties left before above before above left.
fn paeth(left: u8, above: u8, above_left: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(above), i16::from(above_left));
    let (to_a, to_b, to_c) = ((b - c).abs(), (a - c).abs(), (a + b - 2 * c).abs());
    if to_a <= to_b && to_a <= to_c {
        left
    } else if to_b <= to_c {
        above
    } else {
        above_left
    }
}

fn first<const BYTES: usize>(span: &[u8]) -> Option<[u8; BYTES]> {
    span.first_chunk().copied()
}

fn last<const BYTES: usize>(span: &[u8]) -> [u8; BYTES] {
    span.last_chunk().copied().unwrap_or([0; BYTES])
}

fn is_zero(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().fold(0, |sum, word| sum | u64::from_ne_bytes(*word)) == 0 && rest.iter().all(|&byte| byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % limit
        }
    }

    /// The image that the `png` crate writes with `filter`, read back by it and by us: the same pixels, whatever lies beside a
    /// stretch of one figure.
    fn same_as_the_png_crate<const BYTES: usize>(color: png::ColorType, depth: png::BitDepth) {
        let filters = [png::Filter::NoFilter, png::Filter::Sub, png::Filter::Up, png::Filter::Avg, png::Filter::Paeth];
        for (seed, filter) in (1..).zip(filters.into_iter().chain([png::Filter::Adaptive])) {
            let (width, height) = (SPAN_CELLS * 5 + 17, 60);
            let mut random = Random(seed);
            let mut pixels = vec![0u8; width * height * BYTES];
            for _ in 0..120 {
                let (x, y) = (random.below(width as u64) as usize, random.below(height as u64) as usize);
                let (w, h) = (random.below(700) as usize, random.below(9) as usize);
                let value = random.below(256) as u8;
                for row in pixels.chunks_mut(width * BYTES).skip(y).take(h) {
                    row.iter_mut().skip(x * BYTES).take(w * BYTES).for_each(|byte| *byte = value);
                }
            }
            let mut file = Vec::new();
            let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
            encoder.set_color(color);
            encoder.set_depth(depth);
            encoder.set_filter(filter);
            encoder.write_header().unwrap().write_image_data(&pixels).unwrap();

            let mut rows = super::super::Lines::open(&file, width * BYTES + 1).unwrap();
            let mut unfilter = Unfilter::new(width * BYTES, BYTES);
            for (y, expected) in pixels.chunks(width * BYTES).enumerate() {
                let (kind, filtered) = rows.next().unwrap().unwrap().split_first().unwrap();
                assert!(unfilter.undo::<BYTES>(*kind, filtered));
                assert_eq!(unfilter.row(), expected, "{filter:?}, row {y}");
                for (span, uniform) in expected.chunks(SPAN_CELLS * BYTES).zip(unfilter.uniform()) {
                    assert!(!uniform || span.chunks(BYTES).all(|pixel| pixel == &span[..BYTES]));
                }
            }
            assert!(rows.next().unwrap().is_none());
        }
    }

    #[test]
    fn every_filter_and_width_of_pixel_reads_as_with_the_png_crate() {
        same_as_the_png_crate::<1>(png::ColorType::Grayscale, png::BitDepth::Eight);
        same_as_the_png_crate::<2>(png::ColorType::Grayscale, png::BitDepth::Sixteen);
        same_as_the_png_crate::<3>(png::ColorType::Rgb, png::BitDepth::Eight);
        same_as_the_png_crate::<4>(png::ColorType::Rgba, png::BitDepth::Eight);
    }

    #[test]
    fn a_filter_that_there_is_not_is_refused() {
        assert!(!Unfilter::new(4, 1).undo::<1>(5, &[0; 4]));
    }
}
