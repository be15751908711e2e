//! The `stormbell` binary.

fn main() {}
