//! gzip and bzip2 around a volume and around its records, within caps.

use super::{Bare, Level2Error, UNWRAPPED_BYTES_MAX};
use crate::decode::sniff;
use bzip2::read::BzDecoder;
use std::borrow::Cow;
use std::io::Read;

/// deflate makes at most 1032 bytes of one: a length that promises more is garbled.
const DEFLATE_RATIO_MAX: usize = 1032;

/// The volume without a wrapping around all of it.
pub(super) fn unwrapped(bytes: &[u8]) -> Result<Bare<'_>, Level2Error> {
    if bytes.starts_with(&[0x1F, 0x8B]) {
        return gunzip(bytes).map(Cow::Owned);
    }
    if bytes.starts_with(b"BZh") {
        let mut out = Vec::new();
        bunzip(bytes, &mut out, UNWRAPPED_BYTES_MAX)?;
        return Ok(Cow::Owned(out));
    }
    if bytes.starts_with(&[0x1F, 0x9D]) {
        return Err(Level2Error::Unsupported { found: "Unix compress (.Z); unpack it first".to_owned() });
    }
    Ok(Cow::Borrowed(bytes))
}

/// What bytes are that do not begin as a volume.
pub(super) fn described(bytes: &[u8]) -> String {
    if bytes.get(4..7) == Some(b"BZh") {
        return "a record or a real-time chunk without the volume header (its volume's S chunk comes first)".to_owned();
    }
    sniff(bytes)
}

fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, Level2Error> {
    let wrong = |why: &str| Level2Error::Wrapping { wrapping: "gzip", why: why.to_owned() };
    let stated = bytes.last_chunk::<4>().map_or(0, |length| u32::from_le_bytes(*length) as usize);
    if stated > bytes.len().saturating_mul(DEFLATE_RATIO_MAX) {
        return Err(wrong("cut short or garbled: its last bytes promise more than it can hold"));
    }
    if stated > UNWRAPPED_BYTES_MAX {
        return Err(Level2Error::TooLarge { limit_bytes: UNWRAPPED_BYTES_MAX });
    }
    let mut out = vec![0; stated];
    let written = libdeflater::Decompressor::new().gzip_decompress(bytes, &mut out).map_err(|error| match error {
        libdeflater::DecompressionError::BadData => wrong("cut short or garbled"),
        libdeflater::DecompressionError::InsufficientSpace => wrong("cut short: longer than its last bytes say"),
    })?;
    out.truncate(written);
    Ok(out)
}

/// One record, bzipped by itself, into `out`.
pub(super) fn unpack_record(record: &[u8], out: &mut Vec<u8>, bytes_max: usize) -> Result<(), Level2Error> {
    out.clear();
    if !record.starts_with(b"BZ") {
        return Err(Level2Error::Unsupported { found: format!("a record that is not bzip2 but {}", sniff(record)) });
    }
    bunzip(record, out, bytes_max)
}

fn bunzip(bytes: &[u8], out: &mut Vec<u8>, bytes_max: usize) -> Result<(), Level2Error> {
    let one_more = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    let read = BzDecoder::new(bytes).take(one_more).read_to_end(out);
    read.map_err(|error| Level2Error::Wrapping { wrapping: "bzip2", why: error.to_string() })?;
    if out.len() > bytes_max {
        out.clear();
        return Err(Level2Error::TooLarge { limit_bytes: bytes_max });
    }
    Ok(())
}
