//! The ground under places, known offline: which clock is kept where, where the states lie, what a place is called.
//!
//! Boundaries: ✓ pure questions to data that are built into the program and unpacked when first asked for. ✗ nothing that changes from
//! day to day, no network. Where the data came from and under which licence: `assets/README.md`.

pub mod gazetteer;
pub mod outlines;
mod packed;
mod states;
mod time_zone;

pub use outlines::{outlines, outlines_within, state_of};
pub use states::{STATES, state_code, state_name};
pub use time_zone::time_zone;
