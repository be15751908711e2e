//! Pictures that people want to look at: a sounding as skew-T with hodograph and index table, and a map of what is seen.
//!
//! Boundaries: ✓ from field types to the bytes of a PNG, the mirror image of `decode`; times and sources stand on the picture;
//! what cannot be seen is written on it and never drawn as quiet. ✗ no I/O, no clock (`now` is given), no judgement of its own.
//!
//! Lines and areas are drawn by `page`, text by `ab_glyph` with a font from a crate. The same input gives the same bytes.

mod barb;
mod hodograph;
mod ink;
mod map;
mod page;
mod projection;
mod skew_t;
mod sounding;
mod table;

pub use map::{Extent, MAP_SIZE, MapPlot, MapPoint, Seen, map, seen};
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
    /// The bitmap could not be written as PNG.
    #[error("the picture could not be written as PNG: {why}")]
    Png {
        /// What the PNG library says.
        why: String,
    },
}

#[cfg(test)]
mod tests;
