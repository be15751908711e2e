//! The messages of a profile out of a whole file, by its `.idx` and byte ranges.

use super::fetch::{Outcome, Upstream, file_key, is_absent};
use crate::decode::grib_index::{self, GAP_MAX_BYTES, Span};
use crate::decode::rap::{GridPoint, is_of_profile};
use crate::geo::LatLon;
use crate::outside::{ByteRange, Get, Got, OutsideError};
use bytes::Bytes;
use futures_util::future::try_join_all;
use jiff::Timestamp;
use std::time::Duration;

/// An index has 17 kB.
const INDEX_BYTES_MAX: usize = 1 << 20;
const INDEX_TIMEOUT: Duration = Duration::from_secs(20);
/// All parts together have 12 MB; a whole file 18.
const PARTS_BYTES_MAX: usize = 24 << 20;
/// The largest part has 11 MB: a slow line takes a minute.
const PART_TIMEOUT: Duration = Duration::from_secs(90);
/// Parts of one file: three by the index of today.
const PARTS_MAX: usize = 60;

impl Upstream {
    /// Profiles of one cycle and hour for any number of points.
    pub(super) async fn by_ranges(&self, cycle: Timestamp, hour: u16, asked: &[(GridPoint, LatLon)]) -> Outcome {
        let mut outcome = Outcome::default();
        let key = file_key(cycle, hour);
        let index = match self.index(&key).await {
            Ok(index) => index,
            Err(error) => {
                outcome.trouble(error, &format!("{key}.idx"));
                return outcome;
            }
        };
        let lines = match grib_index::read(&index) {
            Ok((lines, faults)) => {
                outcome.faults.extend(faults);
                lines
            }
            Err(error) => {
                outcome.refuse(error.to_string(), &format!("{key}.idx"));
                return outcome;
            }
        };
        let wanted =
            |line: &grib_index::IndexLine| line.cycle_utc == cycle && is_of_profile(&line.variable, &line.level);
        let spans = grib_index::spans(&lines, GAP_MAX_BYTES, wanted);
        if spans.is_empty() || spans.len() > PARTS_MAX {
            let what = format!("the index leads to {} parts of {} lines", spans.len(), lines.len());
            outcome.refuse(what, &format!("{key}.idx"));
            return outcome;
        }
        match self.parts(&key, &spans).await {
            Ok(bytes) => outcome.read(&bytes, asked, cycle, hour),
            // The index appears before the file is complete.
            Err(error) if is_absent(&error) => outcome.answered = true,
            Err(error) => outcome.trouble(error, &key),
        }
        outcome
    }

    fn file(&self, key: &str, accept: &'static str, body_bytes_max: usize, timeout: Duration) -> Get {
        Get {
            base_url: self.files_url.clone(),
            path: format!("/{key}"),
            query: Vec::new(),
            accept,
            body_bytes_max,
            timeout,
            held: None,
        }
    }

    async fn index(&self, key: &str) -> Result<Bytes, OutsideError> {
        let request = self.file(&format!("{key}.idx"), "text/plain", INDEX_BYTES_MAX, INDEX_TIMEOUT);
        match self.outside.get(&request).await? {
            Got::Fresh { body, .. } => Ok(body),
            Got::NotModified => {
                let why = "the answer is that nothing changed, but nothing is held".to_owned();
                Err(OutsideError::Broken { url: format!("{}/{key}.idx", self.files_url), why })
            }
        }
    }

    /// All parts, one after the other as in the file. Each must be whole messages.
    async fn parts(&self, key: &str, spans: &[Span]) -> Result<Vec<u8>, OutsideError> {
        let url = || format!("{}/{key}", self.files_url);
        let length = |span: &Span| span.end.map_or(0, |end| end.saturating_sub(span.start));
        let stated = spans.iter().map(length).fold(0u64, u64::saturating_add);
        if stated > PARTS_BYTES_MAX as u64 {
            return Err(OutsideError::TooLarge { url: url(), limit_bytes: PARTS_BYTES_MAX });
        }
        let request = self.file(key, "application/octet-stream", PARTS_BYTES_MAX, PART_TIMEOUT);
        let asked = spans.iter().map(|span| {
            let range = ByteRange { start: span.start, end: span.end };
            self.outside.get_range(&request, range)
        });
        let parts = try_join_all(asked).await?;
        let mut bytes = Vec::new();
        for (part, span) in parts.iter().zip(spans) {
            if !part.starts_with(b"GRIB") || !part.ends_with(b"7777") {
                let what = crate::decode::sniff(part);
                let why = format!("bytes from {} are no whole GRIB messages but {what}", span.start);
                return Err(OutsideError::Broken { url: url(), why });
            }
            if bytes.len().saturating_add(part.len()) > PARTS_BYTES_MAX {
                return Err(OutsideError::TooLarge { url: url(), limit_bytes: PARTS_BYTES_MAX });
            }
            bytes.extend_from_slice(part);
        }
        Ok(bytes)
    }
}
