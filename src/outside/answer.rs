//! How an answer is read, alike for live upstreams and recorded ones, so that the two cannot drift apart. Pure.

use super::{Bucket, ByteRange, Get, Got, OutsideError, Validators};
use bytes::Bytes;
use jiff::Timestamp;
use reqwest::Url;
use std::time::Duration;

/// Limit on one page of an S3 listing, whose callers give none: a page is some 300 kB.
pub(super) const LIST_TIMEOUT: Duration = Duration::from_secs(30);
/// A `Retry-After` beyond this is read as this: no upstream means "come back next week", and sums of times stay in range.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 3600);

/// The headers that matter.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) content_type: Option<String>,
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
    pub(super) retry_after: Option<String>,
    pub(super) content_range: Option<String>,
    pub(super) date: Option<String>,
}

impl Head {
    /// Reads the headers through `header`, which takes lower-case names.
    pub(super) fn read<'a>(status: u16, header: impl Fn(&str) -> Option<&'a str>) -> Self {
        let text = |name: &str| header(name).map(str::to_owned);
        Self {
            status,
            content_type: text("content-type"),
            etag: text("etag"),
            last_modified: text("last-modified"),
            retry_after: text("retry-after"),
            content_range: text("content-range"),
            date: text("date"),
        }
    }

    /// How long to stay away. A date is held against the upstream's own clock where it tells it.
    pub(super) fn stay_away(&self, now: Timestamp) -> Option<Duration> {
        let text = self.retry_after.as_deref()?.trim();
        if let Ok(seconds) = text.parse::<u64>() {
            return Some(Duration::from_secs(seconds).min(RETRY_AFTER_MAX));
        }
        let instant = |text: &str| Timestamp::try_from(httpdate::parse_http_date(text).ok()?).ok();
        let until = instant(text)?;
        let now = self.date.as_deref().and_then(instant).unwrap_or(now);
        // A date in the past: come back at once.
        let wait = Duration::try_from(until.duration_since(now)).unwrap_or(Duration::ZERO);
        Some(wait.min(RETRY_AFTER_MAX))
    }

    /// The error that the status alone makes, if it does.
    pub(super) fn refusal(&self, url: &str, now: Timestamp) -> Option<OutsideError> {
        if self.status == 200 {
            return None;
        }
        Some(OutsideError::Status { url: url.to_owned(), status: self.status, retry_after: self.stay_away(now) })
    }

    /// The error that a status other than 206 is where a part was asked for.
    pub(super) fn no_part(&self, url: &str, range: ByteRange, now: Timestamp) -> Option<OutsideError> {
        let broken = |why: String| Some(OutsideError::Broken { url: url.to_owned(), why });
        match self.status {
            206 => {}
            200 => return broken("the whole body in answer to a byte range: broken off".to_owned()),
            _ => return self.refusal(url, now),
        }
        let Some(told) = &self.content_range else { return None };
        let start =
            told.trim().strip_prefix("bytes ").and_then(|rest| rest.split('-').next()?.trim().parse::<u64>().ok());
        if start == Some(range.start) {
            None
        } else {
            broken(format!("{told:?} where bytes from {} were due", range.start))
        }
    }

    /// A whole part, judged: as long as asked for.
    pub(super) fn part(url: &str, body: Bytes, range: ByteRange) -> Result<Bytes, OutsideError> {
        let due = range.end.map(|end| end.saturating_sub(range.start));
        match due {
            Some(due) if due != body.len() as u64 => {
                let why = format!("{} bytes where a part of {due} was due", body.len());
                Err(OutsideError::Broken { url: url.to_owned(), why })
            }
            _ => Ok(body),
        }
    }

    /// Whether this is a page for people where data was due.
    fn is_web_page(&self, body: &[u8], expected: &str) -> bool {
        if expected.contains("html") || expected.contains("xml") {
            return false;
        }
        let told = self.content_type.as_deref().is_some_and(|kind| {
            let kind = kind.trim_start().to_ascii_lowercase();
            kind.starts_with("text/html") || kind.starts_with("application/xhtml")
        });
        told || begins_like_markup(body)
    }

    /// A whole body with status 200, judged.
    pub(super) fn body(&self, url: &str, body: Bytes, expected: &str) -> Result<Bytes, OutsideError> {
        if self.is_web_page(&body, expected) {
            return Err(OutsideError::WebPage { url: url.to_owned(), expected: expected.to_owned() });
        }
        Ok(body)
    }

    /// The good answer with its validators.
    pub(super) fn fresh(&self, body: Bytes) -> Got {
        let validators = Validators { etag: self.etag.clone(), last_modified: self.last_modified.clone() };
        Got::Fresh { body, validators }
    }
}

/// JSON, GRIB, gzip, netCDF and level II begin otherwise.
fn begins_like_markup(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    body.trim_ascii_start().starts_with(b"<")
}

/// The address of a GET.
pub(super) fn url_of(request: &Get) -> Result<Url, OutsideError> {
    let text = format!("{}{}", request.base_url, request.path);
    let mut url =
        Url::parse(&text).map_err(|error| OutsideError::Broken { url: text, why: format!("no address: {error}") })?;
    if !request.query.is_empty() {
        url.query_pairs_mut().extend_pairs(&request.query);
    }
    Ok(url)
}

/// How an object or a listing is named in messages.
pub(super) fn s3_url(bucket: &Bucket, key: &str) -> String {
    format!("s3://{}/{key}", bucket.name)
}

/// An instant as HTTP writes it.
pub(super) fn http_date(instant: Timestamp) -> String {
    instant.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// 304 stands only for something held.
pub(super) fn not_modified(url: &str, held: Option<&Validators>) -> Result<Got, OutsideError> {
    if held.is_some_and(|held| held.etag.is_some() || held.last_modified.is_some()) {
        return Ok(Got::NotModified);
    }
    Err(OutsideError::Broken { url: url.to_owned(), why: "304 to a request that held nothing".to_owned() })
}

/// A range as the header `Range` writes it.
pub(super) fn range_header(range: ByteRange) -> String {
    match range.end {
        Some(end) => format!("bytes={}-{}", range.start, end.saturating_sub(1)),
        None => format!("bytes={}-", range.start),
    }
}

/// The one range of a header `Range`; `None` for several, for a suffix, and for nonsense: these are answered whole.
pub(super) fn read_range(header: &str) -> Option<ByteRange> {
    let (start, last) = header.trim().strip_prefix("bytes=")?.split_once('-')?;
    let start = start.trim().parse::<u64>().ok()?;
    let end = match last.trim() {
        "" => None,
        last => Some(last.parse::<u64>().ok()?.checked_add(1)?),
    };
    end.is_none_or(|end| end > start).then_some(ByteRange { start, end })
}
