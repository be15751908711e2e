//! The command line: what people and scripts type.

pub mod decode_mrms;
