//! What the tests of this module share.

pub mod scene;
