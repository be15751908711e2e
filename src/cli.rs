//! The command line.

pub mod decode_nws;
