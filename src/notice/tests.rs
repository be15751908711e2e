//! What the tests of notices share.

pub mod scene;
