//! MRMS mosaic files: GRIB2 inside gzip, from `noaa-mrms-pds` or any mirror, to sparse cells.
//!
//! Boundaries: ✓ checks that the file is whole, is the product it is taken for, and when it is valid. ✗ no I/O, no clock.

use super::grib2::{self, GribError};
use crate::mosaic::{Cells, Mosaic, Product, Profile};
use crate::observation::Fault;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use thiserror::Error;

#[cfg(test)]
mod tests;

/// Discipline of MRMS's own parameters.
pub const DISCIPLINE: u8 = 209;
/// An unzipped file larger than this is not one of MRMS: the fullest national mosaics take 2 to 5 MB.
pub const GRIB_BYTES_MAX: usize = 16 << 20;
/// The GRIB's own time and the key's may differ by this much: products of irregular seconds are named by another clock.
const TIMES_APART_MAX: SignedDuration = SignedDuration::from_secs(90);

/// Radar does not look ahead: content later than its key by more than this was put under the wrong name.
const AHEAD_OF_KEY_MAX: SignedDuration = SignedDuration::from_mins(10);

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MrmsError {
    /// The gzip wrapper is cut or garbled.
    #[error("gzip: {why}")]
    Gzip {
        /// What is wrong.
        why: String,
    },
    /// It unzips to more than any product holds.
    #[error("unzips to more than {limit_bytes} bytes")]
    TooLarge {
        /// The cap.
        limit_bytes: usize,
    },
    /// The GRIB inside is not usable.
    #[error(transparent)]
    Grib(#[from] GribError),
    /// Another product than the key promises.
    #[error("parameter {discipline}/{category}/{number} ({name}) where {expected} was due")]
    WrongProduct {
        /// As found.
        discipline: u8,
        /// As found.
        category: u8,
        /// As found.
        number: u8,
        /// The product that has this parameter.
        name: &'static str,
        /// The product asked for.
        expected: &'static str,
    },
    /// Content from after the time that its key names.
    #[error(
        "the GRIB's own time is {valid_utc}, {ahead_min} min after that of its key: it cannot be what the key names"
    )]
    Ahead {
        /// The GRIB's own time.
        valid_utc: Timestamp,
        /// How long after the key's.
        ahead_min: i64,
    },
}

/// One file's field, whichever product it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Discipline, category and number.
    pub parameter: (u8, u8, u8),
    /// What its figures mean.
    pub profile: Profile,
    /// The GRIB's own time, or the name's where that is older by more than 90 s.
    pub valid_utc: Timestamp,
    /// The cells.
    pub cells: Cells,
    /// What was wrong and did not stand in the way.
    pub faults: Vec<Fault>,
}

/// Reads any MRMS file, gzipped or bare. `name` is its key or file name: its time is compared with the GRIB's.
///
/// # Errors
/// `MrmsError`, naming what is wrong and where.
pub fn field(name: &str, bytes: &[u8]) -> Result<Field, MrmsError> {
    let unzipped;
    let grib = if bytes.starts_with(&[0x1F, 0x8B]) {
        unzipped = gunzip(bytes)?;
        &unzipped
    } else {
        bytes
    };
    let message = grib2::read(grib)?;
    let profile = Profile::of_parameter(message.category, message.number);
    if message.discipline != DISCIPLINE {
        return Err(wrong_product(&message, "an MRMS product (discipline 209)"));
    }
    read_field(name, grib, &message, profile)
}

/// Reads a file that must hold `product`.
///
/// # Errors
/// `MrmsError`; `WrongProduct` where the file holds another, `Ahead` where its time is well after the key's.
pub fn mosaic(product: Product, key: &str, bytes: &[u8]) -> Result<(Mosaic, Vec<Fault>), MrmsError> {
    let grib = gunzip(bytes)?;
    let message = grib2::read(&grib)?;
    let profile = Profile::of(product);
    if (message.discipline, message.category, message.number) != (DISCIPLINE, profile.parameter.0, profile.parameter.1)
    {
        return Err(wrong_product(&message, profile.name));
    }
    if let Some(ahead) = name_time(key).map(|named| message.reference_utc.duration_since(named))
        && ahead > AHEAD_OF_KEY_MAX
    {
        return Err(MrmsError::Ahead { valid_utc: message.reference_utc, ahead_min: ahead.as_mins() });
    }
    let Field { valid_utc, cells, faults, .. } = read_field(key, &grib, &message, profile)?;
    Ok((Mosaic { product, valid_utc, key: key.to_owned(), cells }, faults))
}

fn wrong_product(message: &grib2::Message<'_>, expected: &'static str) -> MrmsError {
    let (discipline, category, number) = (message.discipline, message.category, message.number);
    let name = if discipline == DISCIPLINE { Profile::of_parameter(category, number).name } else { "not MRMS" };
    MrmsError::WrongProduct { discipline, category, number, name, expected }
}

fn read_field(name: &str, grib: &[u8], message: &grib2::Message<'_>, profile: Profile) -> Result<Field, MrmsError> {
    let mut faults = Vec::new();
    let mut fault = |what: String| faults.push(Fault { what, place: name.to_owned(), kept_rest: true });
    if grib.len() > message.length {
        fault(format!("{} bytes follow the first message and are left unread", grib.len() - message.length));
    }
    let mut valid_utc = message.reference_utc;
    if let Some(named) = name_time(name)
        && named.duration_since(valid_utc).abs() > TIMES_APART_MAX
    {
        fault(format!("the GRIB's own time is {valid_utc}, the name says {named}: the older one counts"));
        valid_utc = valid_utc.min(named);
    }
    let cells = grib2::build(message, &profile)?;
    let parameter = (message.discipline, message.category, message.number);
    Ok(Field { parameter, profile, valid_utc, cells, faults })
}

/// The time in `..._20260610-213000.grib2.gz`; `None` where the name carries none.
pub fn name_time(name: &str) -> Option<Timestamp> {
    let stem = name.rsplit('/').next()?.split('.').rev().find(|part| part.contains('_') && part.contains('-'))?;
    let (date, time) = stem.rsplit('_').next()?.split_once('-')?;
    let digits = |text: &str, from: usize, to: usize| text.get(from..to)?.parse::<i16>().ok();
    if date.len() != 8 || time.len() != 6 {
        return None;
    }
    let small = |text: &str, from: usize| i8::try_from(digits(text, from, from + 2)?).ok();
    let civil = DateTime::new(
        digits(date, 0, 4)?,
        small(date, 4)?,
        small(date, 6)?,
        small(time, 0)?,
        small(time, 2)?,
        small(time, 4)?,
        0,
    );
    TimeZone::UTC.to_timestamp(civil.ok()?).ok()
}

/// Unzips. The length in the trailer is only a hint: a file that is cut short ends in arbitrary bytes.
fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, MrmsError> {
    let wrong = |why: &str| MrmsError::Gzip { why: why.to_owned() };
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return Err(MrmsError::Gzip { why: format!("not gzip but {}", super::sniff(bytes)) });
    }
    let Some(stated) = bytes.last_chunk::<4>().map(|length| u32::from_le_bytes(*length) as usize) else {
        return Err(wrong("too short"));
    };
    let mut out = vec![0; stated.min(GRIB_BYTES_MAX)];
    let unzipped = libdeflater::Decompressor::new().gzip_decompress(bytes, &mut out);
    let written = unzipped.map_err(|error| match error {
        libdeflater::DecompressionError::InsufficientSpace if stated > GRIB_BYTES_MAX => {
            MrmsError::TooLarge { limit_bytes: GRIB_BYTES_MAX }
        }
        libdeflater::DecompressionError::BadData => wrong("cut short or garbled"),
        libdeflater::DecompressionError::InsufficientSpace => wrong("cut short: longer than its last bytes say"),
    })?;
    out.truncate(written);
    Ok(out)
}
