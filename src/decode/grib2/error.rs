//! Why a GRIB message cannot be used, with the section and byte.

use crate::mosaic::BuildError;
use thiserror::Error;

/// Why a message cannot be used. Byte offsets count from the message's `GRIB`.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GribError {
    /// Something else than GRIB.
    #[error("not GRIB: {found}")]
    NotGrib {
        /// What it looks like.
        found: String,
    },
    /// GRIB edition 1 or an unknown one.
    #[error("GRIB edition {edition} at byte 7, where 2 was due")]
    Edition {
        /// As stated.
        edition: u8,
    },
    /// The message is longer than what is there: cut off, or still being uploaded.
    #[error("cut short: section 0 states {stated} bytes, {present} are here")]
    CutShort {
        /// Total length of section 0.
        stated: u64,
        /// Bytes there.
        present: u64,
    },
    /// No `7777` where the message ends.
    #[error("no closing 7777 at byte {at}")]
    NoEnd {
        /// Where it was due.
        at: usize,
    },
    /// A section is broken.
    #[error("section {section} at byte {at}: {why}")]
    Section {
        /// Its number.
        section: u8,
        /// Where it begins.
        at: usize,
        /// What is wrong.
        why: String,
    },
    /// A section is not there.
    #[error("section {section} is missing")]
    Missing {
        /// Its number.
        section: u8,
    },
    /// A grid or packing that is not taken.
    #[error("{what} is not taken here: {why}")]
    Unsupported {
        /// Which template or flag.
        what: String,
        /// Why.
        why: String,
    },
    /// The packed data do not unpack.
    #[error("data (template 5.{template}): {why}")]
    Data {
        /// Data representation template.
        template: u16,
        /// What is wrong.
        why: String,
    },
    /// The rows do not make a grid.
    #[error(transparent)]
    Build(#[from] BuildError),
}
