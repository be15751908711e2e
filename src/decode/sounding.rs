//! Sounding text files to columns of air: the `%RAW%` form of SPC and SHARPpy, BUFKIT, and pages of the University of Wyoming.
//!
//! Boundaries: ✓ says which form it is; every sounding of a file; what was left out and why; one bad sounding never hides the rest.
//! ✗ no I/O, no clock, no index (see `sounding`).

mod bufkit;
mod raw;
mod rows;
mod wyoming;

use crate::geo::LatLon;
use crate::observation::Fault;
use crate::sounding::{Column, Dropped};
use jiff::Timestamp;
use rows::{Found, Row};
use serde::Serialize;
use thiserror::Error;

/// Largest text read, bytes: the largest BUFKIT files (180 hours) stay below 2 MB, second-by-second radiosondes below 1 MB.
const BYTES_MAX: usize = 32 * 1024 * 1024;
/// Most soundings taken of one file: an hourly forecast of two weeks has 337.
const SOUNDINGS_MAX: usize = 1000;
/// Most rows taken of one sounding, before the column's own limit.
const ROWS_MAX: usize = 20_000;
/// Faults kept of one file: enough to see what is wrong, bounded whatever is sent.
const FAULTS_MAX: usize = 100;

/// Which kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// `%TITLE%`, `%RAW%`, `%END%`: SPC's and SHARPpy's.
    SpcRaw,
    /// BUFKIT: a model's forecast at one place, many times in a file.
    Bufkit,
    /// A page of the University of Wyoming.
    Wyoming,
}

/// A file of soundings, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Soundings {
    /// Which kind of file it is.
    pub form: Form,
    /// The soundings, in the order of the file.
    pub soundings: Vec<Sounding>,
    /// What could not be read.
    pub faults: Vec<Fault>,
}

/// One sounding.
#[derive(Debug, Clone, PartialEq)]
pub struct Sounding {
    /// Name or number of its station or point, as the file has it.
    pub station: Option<String>,
    /// Where it was taken or is forecast for, where the file tells.
    pub place: Option<LatLon>,
    /// When it was taken, or is forecast for.
    pub valid_utc: Option<Timestamp>,
    /// Hours into a forecast, where the file tells.
    pub forecast_hour: Option<i32>,
    /// The column of air.
    pub column: Column,
    /// What was left out of it.
    pub dropped: Vec<Dropped>,
}

/// Why no sounding could be read at all.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SoundingError {
    /// Too much text.
    #[error("{bytes} bytes; a sounding file has at most {BYTES_MAX}")]
    TooLarge {
        /// What there is.
        bytes: usize,
    },
    /// None of the known forms.
    #[error("no known sounding form (SPC/SHARPpy %RAW%, BUFKIT, University of Wyoming page): it is {looks_like}")]
    UnknownForm {
        /// What the bytes look like.
        looks_like: String,
    },
    /// A known form without one usable sounding.
    #[error("{form}: no sounding could be read: {why}")]
    Nothing {
        /// Which form.
        form: &'static str,
        /// The first thing that was wrong.
        why: String,
    },
}

/// Reads a sounding file of any known form.
///
/// # Errors
/// Too large, of no known form, or without one usable sounding.
pub fn soundings(bytes: &[u8]) -> Result<Soundings, SoundingError> {
    if bytes.len() > BYTES_MAX {
        return Err(SoundingError::TooLarge { bytes: bytes.len() });
    }
    // Degree signs of old code pages and damaged bytes: whatever is not UTF-8 is no figure either.
    let text = String::from_utf8_lossy(bytes);
    let mut faults = Faults::default();
    let (form, name, found) = if text.contains("%RAW%") {
        (Form::SpcRaw, "SPC/SHARPpy", raw::read(&text, &mut faults))
    } else if text.contains("SNPARM") {
        (Form::Bufkit, "BUFKIT", bufkit::read(&text, &mut faults))
    } else if wyoming::looks_so(&text) {
        (Form::Wyoming, "University of Wyoming", wyoming::read(&text, &mut faults))
    } else {
        return Err(SoundingError::UnknownForm { looks_like: super::sniff(bytes) });
    };
    let soundings: Vec<Sounding> = found.into_iter().filter_map(|found| found.into_sounding(&mut faults)).collect();
    if soundings.is_empty() {
        let why = faults.0.first().map_or_else(|| "there is none".to_owned(), |fault| fault.what.clone());
        return Err(SoundingError::Nothing { form: name, why });
    }
    let faults = faults.0.into_iter().map(|fault| Fault { kept_rest: true, ..fault }).collect();
    Ok(Soundings { form, soundings, faults })
}

/// What was wrong, up to [`FAULTS_MAX`].
#[derive(Debug, Default)]
struct Faults(Vec<Fault>);

impl Faults {
    fn add(&mut self, place: impl Into<String>, what: impl Into<String>) {
        if self.0.len() < FAULTS_MAX {
            self.0.push(Fault { what: what.into(), place: place.into(), kept_rest: false });
        }
    }
}

/// The instant of a stamp like `140616/1900`. Two digits of a year from 50 on are of the last century: routine soundings began then.
fn stamp(text: &str) -> Option<Timestamp> {
    let (date, time) = text.split_once('/')?;
    let digits = |text: &str, from: usize| -> Option<i8> { text.get(from..from + 2)?.parse().ok() };
    let year = i16::from(digits(date, 0)?);
    let century = if year < 50 { 2000 } else { 1900 };
    utc(century + year, digits(date, 2)?, digits(date, 4)?, digits(time, 0)?, digits(time, 2)?)
}

fn utc(year: i16, month: i8, day: i8, hour: i8, minute: i8) -> Option<Timestamp> {
    let civil = jiff::civil::DateTime::new(year, month, day, hour, minute, 0, 0).ok()?;
    jiff::tz::Offset::UTC.to_timestamp(civil).ok()
}

#[cfg(test)]
mod tests;
