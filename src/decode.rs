//! Bytes to field types. Boundaries: ✓ pure, returns what could be read plus what was wrong. ✗ no I/O, no clock.

mod geojson;
mod geometry;
pub mod glm;
pub mod grib2;
pub mod grib_index;
pub mod level2;
pub mod lsr;
pub mod mrms;
pub mod nws;
pub mod nws_api;
pub mod rap;
pub mod sounding;
pub mod spc;

/// The encoder behind the fixtures: files with planted truth for the tests of this floor and of the sources.
#[cfg(test)]
#[path = "../examples/make_fixtures/grib.rs"]
#[allow(dead_code, missing_docs, reason = "an example's file; each user takes what it needs")]
pub(crate) mod planted;

/// The encoder of model files, alike.
#[cfg(test)]
#[path = "../examples/make_fixtures/model.rs"]
#[allow(dead_code, missing_docs, reason = "an example's file; each user takes what it needs")]
pub(crate) mod planted_model;
/// The same for volumes of single radars.
#[cfg(test)]
#[path = "../examples/make_fixtures/level2.rs"]
#[allow(dead_code, missing_docs, reason = "an example's file; each user takes what it needs")]
pub(crate) mod planted_volume;

/// What bytes look like that are not what was due, for an error that a person can act on.
pub(crate) fn sniff(bytes: &[u8]) -> String {
    let known: [(&[u8], &str); 8] = [
        (b"\xFD7zXZ\0", "an xz archive"),
        (b"\x1F\x8B", "gzip data"),
        (b"BZh", "a bzip2 archive"),
        (b"\x89HDF", "an HDF5 or netCDF-4 file"),
        (b"CDF", "a netCDF file"),
        (b"GRIB", "GRIB data"),
        (b"{", "JSON"),
        (b"<?xml", "XML"),
    ];
    if bytes.is_empty() {
        return "nothing: 0 bytes".to_owned();
    }
    if let Some((_, name)) = known.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return (*name).to_owned();
    }
    let head: String = bytes.iter().take(64).map(|&byte| char::from(byte).to_ascii_lowercase()).collect();
    if head.trim_start().starts_with("<!doctype html") || head.trim_start().starts_with("<html") {
        return "a web page".to_owned();
    }
    let words: Vec<i32> = bytes.as_chunks::<4>().0.iter().take(3).map(|word| i32::from_le_bytes(*word)).collect();
    if let [year @ 1990..=2100, month @ 1..=12, day @ 1..=31] = words[..] {
        return format!(
            "a binary mosaic of the old NMQ/Q3 system (its header begins with {year:04}-{month:02}-{day:02})"
        );
    }
    let first: Vec<String> = bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("unknown data beginning {}", first.join(" "))
}
