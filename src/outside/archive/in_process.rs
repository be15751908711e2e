//! The way out, answered from a recorded day inside this process: no sockets, no tasks, and the same result every time.
//! Waiting (a hanging or slow upstream) is waiting on the given clock.

use super::{Archive, ArchiveAnswer, ListAnswer, ListedObject, ObjectAnswer, OnWire, UpstreamFault, list_xml};
use crate::clock::Clock;
use crate::outside::answer::{self, Head, LIST_TIMEOUT};
use crate::outside::{Answered, Bucket, ByteRange, Get, Got, ObjectInfo, Outside, OutsideError, REFUSAL_BYTES_MAX};
use async_trait::async_trait;
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;

/// A recorded day as the way out.
#[derive(Debug, Clone)]
pub struct ArchiveOutside {
    archive: Arc<Archive>,
    clock: Clock,
}

impl ArchiveOutside {
    /// Answers from `archive` as of `clock`'s time.
    pub fn new(archive: Arc<Archive>, clock: Clock) -> Self {
        Self { archive, clock }
    }

    /// Lets `answer` arrive as a live client would see it: the body with status 200, or the trouble.
    async fn receive(
        &self,
        url: &str,
        answer: ArchiveAnswer,
        bytes_max: usize,
        timeout: Duration,
    ) -> Result<(Head, Bytes), OutsideError> {
        let url = url.to_owned();
        let late = |url| OutsideError::Timeout { url, limit_s: timeout.as_secs() };
        if answer.on_wire == OnWire::Hang {
            self.clock.sleep(timeout).await;
            return Err(late(url));
        }
        let head = Head::read(answer.status, |name| answer.header(name));
        if head.status != 206
            && let Some(refusal) = head.refusal(&url, self.clock.now())
        {
            return Err(refusal);
        }
        if answer.body.len() > bytes_max {
            return Err(OutsideError::TooLarge { url, limit_bytes: bytes_max });
        }
        match answer.on_wire {
            OnWire::Whole | OnWire::Hang => {}
            OnWire::Paced { bytes_per_s } => {
                let needed = Duration::from_secs_f64(answer.body.len() as f64 / bytes_per_s as f64);
                self.clock.sleep(needed.min(timeout)).await;
                if needed >= timeout {
                    return Err(late(url));
                }
            }
            OnWire::Cut { after_bytes } => {
                let why = format!("the body ended after {after_bytes} of {} bytes", answer.body.len());
                return Err(OutsideError::Broken { url, why });
            }
            OnWire::Reset => return Err(OutsideError::Broken { url, why: "connection reset".to_owned() }),
        }
        Ok((head, answer.body))
    }
}

#[async_trait]
impl Outside for ArchiveOutside {
    fn holds(&self) -> Option<&[String]> {
        self.archive.sources.as_deref()
    }

    async fn get(&self, request: &Get) -> Result<Got, OutsideError> {
        let parsed = answer::url_of(request)?;
        let query: Vec<(String, String)> =
            parsed.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        let host = parsed.host_str().unwrap_or_default();
        let answer = self.archive.answer_http(host, parsed.path(), &query, request.held.as_ref(), self.clock.now());
        let url = parsed.as_str();
        // Nothing of a 304 is slow to come: it has no body.
        if answer.status == 304 && matches!(answer.on_wire, OnWire::Whole | OnWire::Paced { .. }) {
            return answer::not_modified(url, request.held.as_ref());
        }
        let gzip = answer.is_gzip();
        let (head, body) = self.receive(url, answer, request.body_bytes_max, request.timeout).await?;
        let body = if gzip { inflated(url, &body, request.body_bytes_max)? } else { body };
        let body = head.body(url, body, request.accept)?;
        Ok(head.fresh(body))
    }

    async fn ask(&self, request: &Get) -> Result<Answered, OutsideError> {
        let parsed = answer::url_of(request)?;
        let query: Vec<(String, String)> =
            parsed.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        let host = parsed.host_str().unwrap_or_default();
        let answer = self.archive.answer_http(host, parsed.path(), &query, None, self.clock.now());
        let words = answer.body.slice(..answer.body.len().min(REFUSAL_BYTES_MAX));
        let words = if answer.on_wire == OnWire::Whole { words } else { Bytes::new() };
        match self.get(&Get { held: None, ..request.clone() }).await {
            Ok(Got::Fresh { body, .. }) => Ok(Answered::Good(body)),
            Ok(Got::NotModified) => {
                let why = "304 to a request that held nothing".to_owned();
                Err(OutsideError::Broken { url: parsed.into(), why })
            }
            Err(OutsideError::Status { status, retry_after, .. }) => {
                Ok(Answered::Refused { status, body: words, retry_after })
            }
            Err(other) => Err(other),
        }
    }

    async fn get_range(&self, request: &Get, range: ByteRange) -> Result<Bytes, OutsideError> {
        let parsed = answer::url_of(request)?;
        let query: Vec<(String, String)> =
            parsed.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        let host = parsed.host_str().unwrap_or_default();
        let answer = self.archive.answer_http(host, parsed.path(), &query, None, self.clock.now()).ranged(range);
        let url = parsed.as_str();
        let (head, body) = self.receive(url, answer, request.body_bytes_max, request.timeout).await?;
        match head.no_part(url, range, self.clock.now()) {
            Some(trouble) => Err(trouble),
            None => Head::part(url, body, range),
        }
    }

    async fn list(
        &self,
        bucket: &Bucket,
        prefix: &str,
        start_after: Option<&str>,
        objects_max: usize,
    ) -> Result<Vec<ObjectInfo>, OutsideError> {
        let url = answer::s3_url(bucket, prefix);
        let objects = match self.archive.list_objects(&bucket.name, prefix, start_after, self.clock.now()) {
            ListAnswer::NoSuchBucket => return Err(OutsideError::Absent { url, what: "bucket" }),
            ListAnswer::Objects(objects) => objects,
            ListAnswer::Faulted { fault, seed, objects } => {
                let xml = list_xml(&bucket.name, prefix, objects_max, &objects, &[], None);
                let spoiled = ArchiveAnswer::xml(xml).with_fault(fault, seed);
                let (_, _) = self.receive(&url, spoiled, usize::MAX, LIST_TIMEOUT).await?;
                match fault {
                    UpstreamFault::Html => {
                        return Err(OutsideError::WebPage { url, expected: "a bucket listing".to_owned() });
                    }
                    UpstreamFault::Garbage | UpstreamFault::Empty => {
                        return Err(OutsideError::Broken { url, why: "the listing cannot be read".to_owned() });
                    }
                    UpstreamFault::Status(_)
                    | UpstreamFault::Timeout
                    | UpstreamFault::Reset
                    | UpstreamFault::Truncate { .. }
                    | UpstreamFault::Slow { .. } => objects,
                }
            }
        };
        Ok(objects.into_iter().take(objects_max).map(info).collect())
    }

    async fn object(
        &self,
        bucket: &Bucket,
        key: &str,
        bytes_max: usize,
        timeout: Duration,
    ) -> Result<Bytes, OutsideError> {
        let url = answer::s3_url(bucket, key);
        let answer = match self.archive.get_object(&bucket.name, key, self.clock.now()) {
            ObjectAnswer::NoSuchBucket => return Err(OutsideError::Absent { url, what: "bucket" }),
            ObjectAnswer::NoSuchKey => return Err(OutsideError::Absent { url, what: "object" }),
            ObjectAnswer::Object(answer) if answer.status == 404 => {
                return Err(OutsideError::Absent { url, what: "object" });
            }
            ObjectAnswer::Object(answer) => answer,
        };
        let (head, body) = self.receive(&url, answer, bytes_max, timeout).await?;
        head.body(&url, body, "an object")
    }
}

/// A body that was recorded compressed, as a client decodes it.
fn inflated(url: &str, body: &[u8], bytes_max: usize) -> Result<Bytes, OutsideError> {
    // gzip ends with the decoded size.
    let size = body.last_chunk::<4>().map_or(0, |tail| u32::from_le_bytes(*tail)) as usize;
    if size > bytes_max {
        return Err(OutsideError::TooLarge { url: url.to_owned(), limit_bytes: bytes_max });
    }
    let mut decoded = vec![0; size];
    match libdeflater::Decompressor::new().gzip_decompress(body, &mut decoded) {
        Ok(length) => {
            decoded.truncate(length);
            Ok(Bytes::from(decoded))
        }
        Err(error) => Err(OutsideError::Broken { url: url.to_owned(), why: format!("gzip: {error}") }),
    }
}

fn info(object: ListedObject) -> ObjectInfo {
    ObjectInfo {
        key: object.key,
        size_bytes: Some(object.size_bytes),
        last_modified_utc: Some(object.last_modified_utc),
    }
}
