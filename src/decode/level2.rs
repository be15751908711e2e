//! NEXRAD level II volumes (Archive II files): every generation from 1991 on, bare, gzipped or bzipped, or the chunks of a
//! real-time volume put together in order; to sweeps and their peaks.
//!
//! The wrapping is undone here, record by record and within caps; messages are read by `nexrad-decode`. (Its companion
//! `nexrad-data` inflates without a cap and gives up a whole volume for one bad record.)
//!
//! Boundaries: ✓ bytes to a `RadarVolume`, and what was wrong. ✗ no I/O, no clock, no choice of radar.

mod radial;
mod sweeps;
#[cfg(test)]
mod tests;
mod wrapping;

use crate::observation::Fault;
use crate::radar::{Completeness, RadarVolume};
use jiff::{SignedDuration, Timestamp};
use nexrad_decode::messages::{MessageContents, MessageHeader};
use radial::Radial;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use sweeps::Sweeps;
use thiserror::Error;

/// Largest file read: volumes take 4 to 15 MB, 25 MB in the worst storms.
pub const FILE_BYTES_MAX: usize = 48 << 20;
/// Bytes of one unpacked record: 120 radials of the longest kind take 8 MB.
const RECORD_BYTES_MAX: usize = 16 << 20;
/// Bytes that all records of a volume may unpack to: 14 000 of the longest radials take 250 MB.
const VOLUME_BYTES_MAX: usize = 400 << 20;
/// Bytes that a gzipped or bzipped volume may unpack to at once: the older ones, whose radials lie unpacked, take 10 to 40 MB.
const UNWRAPPED_BYTES_MAX: usize = 96 << 20;
/// Faults told of one volume: a garbled one has one in every record.
const FAULTS_MAX: usize = 20;
/// The header of a volume.
const HEADER_BYTES: usize = 24;
/// A frame of the older messages; after an unreadable one the next is looked for here (field report R14).
const FRAME_BYTES: usize = 2432;

/// Why a volume cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Level2Error {
    /// Larger than any volume, wrapped or unwrapped.
    #[error("more than the {limit_bytes} bytes that a volume can have")]
    TooLarge {
        /// The cap.
        limit_bytes: usize,
    },
    /// A wrapping that nothing here undoes.
    #[error("unsupported: {found}")]
    Unsupported {
        /// What it is.
        found: String,
    },
    /// Not a level II volume.
    #[error("not a level II volume but {found}")]
    NotLevel2 {
        /// What it looks like.
        found: String,
    },
    /// The wrapping is cut or garbled.
    #[error("{wrapping}: {why}")]
    Wrapping {
        /// `gzip` or `bzip2`.
        wrapping: &'static str,
        /// What is wrong.
        why: String,
    },
    /// No radial could be read.
    #[error("no radial could be read: {why}")]
    Empty {
        /// The first thing that was wrong.
        why: String,
    },
}

/// Reads a volume; what could not be read of it is in the faults and in its completeness.
///
/// # Errors
/// `Level2Error`, where there is nothing to show.
pub fn volume(name: &str, bytes: &[u8]) -> Result<(RadarVolume, Vec<Fault>), Level2Error> {
    if bytes.len() > FILE_BYTES_MAX {
        return Err(Level2Error::TooLarge { limit_bytes: FILE_BYTES_MAX });
    }
    let bare = wrapping::unwrapped(bytes)?;
    let header = Header::read(&bare)?;
    let mut reading = Reading::new(name);
    let body = bare.get(HEADER_BYTES..).unwrap_or_default();
    if body.starts_with(&[0; 4]) {
        // Radials lie bare in one run.
        reading.messages(body, 0);
    } else {
        reading.records(body);
    }
    reading.finish(header)
}

/// What the first 24 bytes say.
struct Header {
    format: String,
    station: Option<String>,
    start_utc: Option<Timestamp>,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Self, Level2Error> {
        let not = || Level2Error::NotLevel2 { found: wrapping::described(bytes) };
        let header = bytes.first_chunk::<HEADER_BYTES>().ok_or_else(not)?;
        let format = String::from_utf8_lossy(&header[..8]).into_owned();
        if !format.starts_with("AR2V") && format != "ARCHIVE2" {
            return Err(not());
        }
        let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let station = station(&header[20..24]);
        Ok(Self { format, station, start_utc: instant(number(12), number(16)) })
    }
}

/// Four capital letters or digits.
fn station(bytes: &[u8]) -> Option<String> {
    let plain = bytes.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    plain.then(|| String::from_utf8_lossy(bytes).into_owned())
}

/// Days counted from 1970-01-01 as day 1, and milliseconds of the day.
fn instant(days: u32, ms: u32) -> Option<Timestamp> {
    let in_range = (1..=100_000).contains(&days) && ms < 86_400_000;
    let after = SignedDuration::from_hours(24 * (i64::from(days) - 1)) + SignedDuration::from_millis(i64::from(ms));
    in_range.then(|| Timestamp::UNIX_EPOCH.checked_add(after).ok()).flatten()
}

/// A volume in the course of being read.
struct Reading<'n> {
    name: &'n str,
    sweeps: Sweeps,
    /// Pattern and number of cuts by message 5.
    pattern: Option<(u16, u32)>,
    /// Pattern as radials name it.
    radial_pattern: Option<u16>,
    /// Whether the radar may end a volume early, by message 2.
    may_end_early: Option<bool>,
    station: Option<String>,
    /// Unreadable parts that may hold radials.
    damaged: u32,
    /// Unreadable messages of other kinds: how many, and what was wrong with the first.
    passed_over: Option<(u32, String)>,
    faults: Vec<Fault>,
}

impl<'n> Reading<'n> {
    fn new(name: &'n str) -> Self {
        Self {
            name,
            sweeps: Sweeps::default(),
            pattern: None,
            radial_pattern: None,
            may_end_early: None,
            station: None,
            damaged: 0,
            passed_over: None,
            faults: Vec::new(),
        }
    }

    fn fault(&mut self, what: String, at: usize) {
        self.damaged += 1;
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(Fault { what, place: format!("{} byte {at}", self.name), kept_rest: true });
        }
    }

    /// Records, each with its length before it and bzipped by itself.
    fn records(&mut self, body: &[u8]) {
        let mut at = 0;
        let mut left = VOLUME_BYTES_MAX;
        let mut unpacked = Vec::new();
        while let Some((length, rest)) = body.get(at..).and_then(<[u8]>::split_first_chunk::<4>) {
            let length = usize::try_from(i32::from_be_bytes(*length).unsigned_abs()).unwrap_or(usize::MAX);
            let start = at + 4;
            let Some(record) = rest.get(..length).filter(|record| !record.is_empty()) else {
                self.fault(format!("a record of {length} bytes is cut short: {} follow", rest.len()), start);
                return;
            };
            match wrapping::unpack_record(record, &mut unpacked, RECORD_BYTES_MAX.min(left)) {
                Ok(()) => self.messages(&unpacked, start),
                Err(error) => self.fault(error.to_string(), start),
            }
            left = left.saturating_sub(unpacked.len());
            if left == 0 {
                self.fault(format!("unpacks to more than {VOLUME_BYTES_MAX} bytes: the rest is left unread"), start);
                return;
            }
            at = start + length;
        }
    }

    /// The messages of one record, or of a whole bare volume. `at` is where the record stands in its file.
    fn messages(&mut self, data: &[u8], at: usize) {
        let mut offset = 0;
        while let Some(rest) = data.get(offset..).filter(|rest| !rest.is_empty()) {
            // The crate is sound on all that was tried; what it did not foresee must still not end the answer.
            let read = catch_unwind(AssertUnwindSafe(|| self.run_of_messages(rest)));
            let (reached, why) = match read {
                Ok((_, None)) => return,
                Ok((reached, Some(why))) => (reached, why),
                Err(_) => (0, "the reader gave up on damaged data".to_owned()),
            };
            offset += reached;
            let header = data.get(offset..).and_then(|rest| MessageHeader::parse(rest).ok());
            let kind = header.as_ref().map(MessageHeader::message_type_raw);
            if kind.is_some_and(|kind| NO_RADIALS.contains(&kind)) {
                // Maps of radars before 2008 number their segments in a way of their own.
                self.passed_over.get_or_insert((0, why)).0 += 1;
            } else {
                self.fault(why, at + offset);
            }
            // Older messages stand in frames of one size, so the next can be found; radials of today do not.
            if !header.is_some_and(|header| header.is_fixed_frame()) {
                return;
            }
            offset += FRAME_BYTES;
        }
    }

    /// Reads until the end or the first unreadable message: how far, and what was wrong with it.
    fn run_of_messages(&mut self, data: &[u8]) -> (usize, Option<String>) {
        let mut messages = nexrad_decode::iter_messages(data);
        loop {
            let message = match messages.next() {
                None => return (messages.offset(), None),
                Some(Err(error)) => return (messages.offset(), Some(error.to_string())),
                Some(Ok(message)) => message,
            };
            match message.contents() {
                MessageContents::DigitalRadarData(radial) => {
                    if let Some(block) = radial.volume_data_block() {
                        self.radial_pattern.get_or_insert(block.inner().vcp_number_raw());
                    }
                    if self.station.is_none() {
                        self.station = station(radial.header().radar_identifier_raw());
                    }
                    self.sweeps.take(&Radial::of_today(radial));
                }
                MessageContents::DigitalRadarDataLegacy(radial) => {
                    self.radial_pattern.get_or_insert(radial.vcp_number_raw());
                    self.sweeps.take(&Radial::of_old(radial));
                }
                MessageContents::RdaVolumeCoveragePattern(pattern) => {
                    let header = pattern.header();
                    // Before 2008 this message could be there and empty.
                    if header.vcp_number_raw() != 0 {
                        let cuts = u32::from(header.elevation_cut_count());
                        self.pattern.get_or_insert((header.vcp_number_raw(), cuts));
                    }
                }
                MessageContents::RdaStatusData(status) => {
                    let flags = status.rda_scan_and_data_flags_raw();
                    self.may_end_early = match (flags & AVSET_ON != 0, flags & AVSET_OFF != 0) {
                        (true, false) => Some(true),
                        (false, true) => Some(false),
                        (true, true) | (false, false) => self.may_end_early,
                    };
                }
                // Maps, maintenance and adaptation data say nothing of the weather.
                _ => {}
            }
        }
    }

    fn finish(mut self, header: Header) -> Result<(RadarVolume, Vec<Fault>), Level2Error> {
        if let Some((number, first)) = self.passed_over.take() {
            let what = format!("{number} messages that are not radials could not be read; the first: {first}");
            self.faults.push(Fault { what, place: self.name.to_owned(), kept_rest: true });
        }
        let first_fault = || self.faults.first().map_or_else(|| "it holds none".to_owned(), |fault| fault.what.clone());
        let Some((first_utc, last_utc)) = self.sweeps.times() else {
            return Err(Level2Error::Empty { why: first_fault() });
        };
        let scan_start_utc = header.start_utc.unwrap_or(first_utc);
        let completeness = self.completeness();
        let volume = RadarVolume {
            station: header.station.or(self.station),
            format: header.format,
            scan_start_utc,
            scan_end_utc: last_utc.max(scan_start_utc),
            vcp: self.pattern.map(|(vcp, _)| vcp).or(self.radial_pattern).filter(|vcp| *vcp != 0),
            completeness,
            sweeps: self.sweeps.finish(),
        };
        Ok((volume, self.faults))
    }

    fn completeness(&self) -> Completeness {
        let cuts = self.sweeps.count();
        let of = self.pattern.map(|(_, cuts)| cuts).filter(|of| *of > cuts);
        let parts = || of.map_or_else(|| format!("{cuts} sweeps"), |of| format!("{cuts} of {of} cuts"));
        let incomplete = |why: &str| Completeness::Incomplete { why: format!("{why}; {} read", parts()) };
        if self.damaged > 0 {
            return incomplete("parts could not be read");
        }
        if !self.sweeps.has_ended() {
            return incomplete("the end of the volume is missing");
        }
        if let Some((number, degrees)) = self.sweeps.first_gap() {
            return incomplete(&format!("sweep {number} looks at {degrees} of 360 degrees"));
        }
        match of {
            None => Completeness::Complete,
            Some(_) if self.may_end_early == Some(false) => incomplete("it ends early though the radar does not do so"),
            Some(of) => Completeness::EndedEarly { cuts, of },
        }
    }
}

/// Types of messages that hold no radials and stand in frames: status, maintenance, patterns, commands, maps, adaptation.
const NO_RADIALS: [u8; 13] = [2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 15, 18];
/// Message 2, scan and data flags: volumes may end where no echo is aloft (ICD 2620002, AVSET enabled).
const AVSET_ON: u16 = 2;
/// The same: they may not.
const AVSET_OFF: u16 = 4;

/// Bytes without their outer wrapping.
type Bare<'a> = Cow<'a, [u8]>;
