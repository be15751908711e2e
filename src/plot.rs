//! Pictures that people want to look at: a sounding as skew-T with hodograph and index table, and a map of what is seen.
//!
//! Boundaries: ✓ from field types to the bytes of a PNG, the mirror image of `decode`; times and sources stand on the picture;
//! what cannot be seen is written on it and never drawn as quiet. ✗ no I/O, no clock (`now` is given), no judgement of its own.
//!
//! Lines, areas and text are drawn by `tiny-skia` behind `page`; the outlines of characters are read by `ab_glyph` from the font of
//! a crate. The same input gives the same bytes.

mod barb;
mod hodograph;
mod ink;
mod map;
mod page;
mod projection;
mod skew_t;
mod sounding;
mod table;

pub use map::{Extent, MAP_SIZE, MapPlot, MapPoint, Seen, Unseen, map, seen, sheet};
pub use sounding::{SOUNDING_SIZE, SoundingPlot, profile, sounding};

use thiserror::Error;

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlotError {
    /// The built-in font cannot be used: a defect of the build.
    #[error("the built-in font cannot be used: {why}")]
    Font {
        /// What the text library says.
        why: String,
    },
    /// There is no page of this size: a defect of the build.
    #[error("there is no page of {width} by {height} pixels")]
    Size {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// The bitmap could not be written as PNG.
    #[error("the picture could not be written as PNG: {why}")]
    Png {
        /// What the PNG library says.
        why: String,
    },
}

#[cfg(test)]
mod tests;
