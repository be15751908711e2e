//! Bytes to field types. Boundaries: ✓ pure, returns what could be read plus what was wrong. ✗ no I/O, no clock.

pub mod nws;
