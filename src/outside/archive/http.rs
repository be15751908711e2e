//! Which line answers an HTTP request at an instant, and what the answer is, faults and all.

use super::timeline::{HttpLine, UpstreamFault, decoded};
use super::{Archive, ObjectAnswer, StoredFile, error_xml};
use crate::outside::{ByteRange, Validators};
use bytes::Bytes;
use jiff::Timestamp;
use std::sync::Arc;

/// What a line's `garbage` sends when there is no file to take the length from.
const GARBAGE_BYTES: usize = 4096;

/// The page that a content network sends in place of the data.
const WEB_PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Service Unavailable</title></head>\n<body><h1>Service \
                        Unavailable</h1><p>The request could not be satisfied. Please try again later.</p></body></html>\n";

/// One answer, before anything is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveAnswer {
    /// HTTP status.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Bytes,
    /// How much of it arrives, and how.
    pub on_wire: OnWire,
}

/// What happens to an answer on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnWire {
    /// It arrives.
    Whole,
    /// It arrives at this pace.
    Paced {
        /// Bytes a second, at least 1.
        bytes_per_s: u64,
    },
    /// The connection ends after this many bytes of the body.
    Cut {
        /// Less than the body's length.
        after_bytes: usize,
    },
    /// The connection breaks in the middle.
    Reset,
    /// Nothing ever comes.
    Hang,
}

impl ArchiveAnswer {
    /// A header's value by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
    }

    /// Whether the body is compressed as its header says. Recorders often store the decoded body beside that header.
    pub(in crate::outside) fn is_gzip(&self) -> bool {
        self.header("content-encoding") == Some("gzip") && self.body.starts_with(&[0x1F, 0x8B])
    }

    /// An answer without headers that arrives whole.
    pub(super) fn plain(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Self { status, headers, body: body.into(), on_wire: OnWire::Whole }
    }

    /// The part that a request for a byte range gets of a good answer; other answers stand as they are.
    pub(in crate::outside) fn ranged(mut self, range: ByteRange) -> Self {
        if self.status != 200 {
            return self;
        }
        let whole = self.body.len();
        let start = usize::try_from(range.start).unwrap_or(usize::MAX);
        if start >= whole {
            self.status = 416;
            self.headers.push(("content-range".to_owned(), format!("bytes */{whole}")));
            return self;
        }
        let end = range.end.map_or(whole, |end| usize::try_from(end).unwrap_or(usize::MAX).min(whole)).max(start);
        self.status = 206;
        self.body = self.body.slice(start..end);
        self.headers.push(("content-range".to_owned(), format!("bytes {start}-{}/{whole}", end.saturating_sub(1))));
        if let OnWire::Cut { after_bytes } = self.on_wire {
            // The connection ends at that byte of the whole.
            let after_bytes = after_bytes.saturating_sub(start);
            self.on_wire = if after_bytes < self.body.len() { OnWire::Cut { after_bytes } } else { OnWire::Whole };
        }
        self
    }

    /// A good answer in XML.
    pub(in crate::outside) fn xml(body: String) -> Self {
        Self::plain(200, "application/xml", body)
    }

    /// What a line answers without its fault. A file that has gone since loading is the upstream's failure, said plainly.
    pub(super) fn from_parts(status: u16, headers: &[(String, String)], file: Option<&Arc<StoredFile>>) -> Self {
        match file.map(|file| (file, file.bytes())) {
            None => Self { status, headers: headers.to_vec(), body: Bytes::new(), on_wire: OnWire::Whole },
            Some((_, Ok(body))) => Self { status, headers: headers.to_vec(), body, on_wire: OnWire::Whole },
            Some((file, Err(error))) => {
                Self::plain(500, "text/plain", format!("{} of the archive: {error}", file.path.display()))
            }
        }
    }

    /// Lays `fault` over this answer. `seed` makes garbage differ between lines and equal between runs.
    pub(in crate::outside) fn with_fault(mut self, fault: UpstreamFault, seed: u64) -> Self {
        let web_page = matches!(fault, UpstreamFault::Html);
        match fault {
            UpstreamFault::Status(status) => self.status = status,
            UpstreamFault::Timeout => self.on_wire = OnWire::Hang,
            UpstreamFault::Reset => self.on_wire = OnWire::Reset,
            UpstreamFault::Truncate { bytes } => {
                let after_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
                if after_bytes < self.body.len() {
                    self.on_wire = OnWire::Cut { after_bytes };
                }
            }
            UpstreamFault::Slow { bytes_per_s } => self.on_wire = OnWire::Paced { bytes_per_s },
            UpstreamFault::Garbage | UpstreamFault::Empty | UpstreamFault::Html => {
                self.status = 200;
                self.body = match fault {
                    UpstreamFault::Garbage => garbage(seed, self.body.len()),
                    _ if web_page => Bytes::from_static(WEB_PAGE.as_bytes()),
                    _ => Bytes::new(),
                };
                // Validators belong to the good body: kept, they would make a client ask for "changed since the garbage".
                self.headers.retain(|(name, _)| !matches!(name.as_str(), "etag" | "last-modified"));
                if web_page {
                    self.headers.retain(|(name, _)| name != "content-type");
                    self.headers.push(("content-type".to_owned(), "text/html; charset=utf-8".to_owned()));
                }
            }
        }
        self
    }
}

/// Bytes that begin like no known format (SplitMix64, so that they are the same on every machine).
fn garbage(seed: u64, length: usize) -> Bytes {
    let length = if length == 0 { GARBAGE_BYTES } else { length };
    let mut state = seed;
    let mut bytes = Vec::with_capacity(length.saturating_add(8));
    bytes.push(0xFF);
    while bytes.len() < length {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bytes.extend_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes());
    }
    bytes.truncate(length);
    Bytes::from(bytes)
}

impl Archive {
    /// What `host` answers at `now` to a GET of `path` (as sent, perhaps percent-encoded) with `query` (decoded pairs).
    pub fn answer_http(
        &self,
        host: &str,
        path: &str,
        query: &[(String, String)],
        held: Option<&Validators>,
        now: Timestamp,
    ) -> ArchiveAnswer {
        let not_found =
            || ArchiveAnswer::plain(404, "application/problem+json", r#"{"status":404,"title":"Not Found"}"#);
        let Some(lines) = self.http.get(&(host.to_ascii_lowercase(), decoded(path))) else {
            return self.bucket_by_http(host, path, now).unwrap_or_else(not_found);
        };
        let standing: Vec<&HttpLine> = lines.iter().filter(|line| line.at_utc <= now && line.matches(query)).collect();
        let Some(line) = newest(standing.iter().copied()) else { return not_found() };
        let Some(fault) = line.fault else {
            return conditional(ArchiveAnswer::from_parts(line.status, &line.headers, line.file.as_ref()), held);
        };
        // A fault that says nothing of the bytes spoils what would be answered without it.
        let beneath = match (fault, &line.file) {
            (UpstreamFault::Truncate { .. } | UpstreamFault::Slow { .. } | UpstreamFault::Reset, None) => {
                newest(standing.iter().copied().filter(|line| line.fault.is_none())).unwrap_or(line)
            }
            _ => line,
        };
        let answer = ArchiveAnswer::from_parts(beneath.status, &beneath.headers, beneath.file.as_ref());
        let answer = if matches!(fault, UpstreamFault::Slow { .. }) { conditional(answer, held) } else { answer };
        answer.with_fault(fault, line.number as u64)
    }
}

impl Archive {
    /// A bucket answers plain HTTP too, as `https://<bucket>.s3.amazonaws.com/<key>`; `None` where no line names the bucket.
    fn bucket_by_http(&self, host: &str, path: &str, now: Timestamp) -> Option<ArchiveAnswer> {
        let host = host.to_ascii_lowercase();
        let bucket = host.strip_suffix(".s3.amazonaws.com")?;
        let key = decoded(path.strip_prefix('/')?);
        match self.get_object(bucket, &key, now) {
            ObjectAnswer::Object(answer) => Some(answer),
            ObjectAnswer::NoSuchKey => Some(error_xml(404, "NoSuchKey", path)),
            ObjectAnswer::NoSuchBucket => None,
        }
    }
}

impl HttpLine {
    /// Whether every pair that the line names is in the request; other pairs of the request are ignored.
    fn matches(&self, query: &[(String, String)]) -> bool {
        self.query.iter().all(|pair| query.contains(pair))
    }

    /// Most specific, then latest, then last written.
    fn rank(&self) -> (usize, Timestamp, usize) {
        (self.query.len(), self.at_utc, self.number)
    }
}

/// The line that answers, of those that match.
fn newest<'a>(lines: impl Iterator<Item = &'a HttpLine>) -> Option<&'a HttpLine> {
    lines.max_by_key(|line| line.rank())
}

/// 304 in place of `answer` if what the caller holds is the same (RFC 9110: a tag, where sent, outranks a date).
fn conditional(answer: ArchiveAnswer, held: Option<&Validators>) -> ArchiveAnswer {
    let Some(held) = held.filter(|_| answer.status == 200) else { return answer };
    let same = match (&held.etag, answer.header("etag")) {
        (Some(asked), Some(tag)) => {
            asked.trim() == "*" || asked.split(',').any(|asked| weak(asked.trim()) == weak(tag.trim()))
        }
        (Some(_), None) => false,
        (None, _) => {
            let date = |text: &str| httpdate::parse_http_date(text).ok();
            let since = held.last_modified.as_deref().and_then(date);
            let changed = answer.header("last-modified").and_then(date);
            matches!((changed, since), (Some(changed), Some(since)) if changed <= since)
        }
    };
    if same { ArchiveAnswer { status: 304, body: Bytes::new(), ..answer } } else { answer }
}

fn weak(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}
