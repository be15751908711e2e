//! Which objects a recorded bucket holds at an instant, and S3's own XML for them.

use super::timeline::{S3Line, UpstreamFault};
use super::{Archive, ArchiveAnswer};
use crate::outside::answer::http_date;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a bucket answers to GetObject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectAnswer {
    /// The object, or the fault laid over it.
    Object(ArchiveAnswer),
    /// The bucket has no such key at this instant.
    NoSuchKey,
    /// No line of the archive names the bucket.
    NoSuchBucket,
}

/// What a bucket answers to ListObjectsV2, before paging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListAnswer {
    /// The keys in order.
    Objects(Vec<ListedObject>),
    /// The listing fails, or is spoiled on its way.
    Faulted {
        /// How.
        fault: UpstreamFault,
        /// Makes garbage repeatable.
        seed: u64,
        /// What would have been listed.
        objects: Vec<ListedObject>,
    },
    /// No line of the archive names the bucket.
    NoSuchBucket,
}

/// One object of a recorded bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedObject {
    /// Key.
    pub key: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// The `at` of the line that made it.
    pub last_modified_utc: Timestamp,
}

/// The lines of one bucket.
#[derive(Debug, Default)]
pub(super) struct BucketLines {
    /// Lines by key; those about listings alone are under their key (perhaps a prefix, perhaps empty) too.
    lines: BTreeMap<String, Vec<S3Line>>,
}

impl BucketLines {
    pub(super) fn push(&mut self, line: S3Line) {
        self.lines.entry(line.key.clone()).or_default().push(line);
    }

    /// Puts the lines of each key in order of time; of one instant, as written.
    pub(super) fn settle(&mut self) {
        for lines in self.lines.values_mut() {
            lines.sort_by_key(|line| (line.at_utc, line.number));
        }
    }

    /// Keys that begin with `prefix`, in order, each with its lines.
    fn under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a String, &'a Vec<S3Line>)> {
        self.lines.range(prefix.to_owned()..).take_while(move |(key, _)| key.starts_with(prefix))
    }

    /// The line that decides how a listing of `prefix` fares at `now`: the latest that concerns it. A listing fault
    /// therefore stands until the next object appears there, or until a line names its bucket again.
    fn listing_fault(&self, prefix: &str, now: Timestamp) -> Option<(UpstreamFault, u64)> {
        let above = (0..prefix.len())
            .filter(|end| prefix.is_char_boundary(*end))
            .filter_map(|end| self.lines.get(prefix.get(..end)?))
            .flatten()
            .filter(|line| !line.is_object());
        above
            .chain(self.under(prefix).flat_map(|(_, lines)| lines))
            .filter(|line| line.at_utc <= now)
            .max_by_key(|line| (line.at_utc, line.number))
            .and_then(|line| Some((line.list_fault?, line.number as u64)))
    }
}

/// The object that the lines of one key make at `now`: size of the newest file, and since when.
fn object_at(key: &str, lines: &[S3Line], now: Timestamp) -> Option<ListedObject> {
    let standing = || lines.iter().rev().filter(|line| line.at_utc <= now && line.is_object());
    let made = standing().find(|line| line.file.is_some()).or_else(|| standing().next())?;
    Some(ListedObject {
        key: key.to_owned(),
        size_bytes: made.file.as_ref().map_or(0, |file| file.size_bytes),
        last_modified_utc: made.at_utc,
    })
}

impl Archive {
    /// What GetObject answers at `now`.
    pub fn get_object(&self, bucket: &str, key: &str, now: Timestamp) -> ObjectAnswer {
        let Some(bucket) = self.buckets.get(bucket) else { return ObjectAnswer::NoSuchBucket };
        let Some(lines) = bucket.lines.get(key) else { return ObjectAnswer::NoSuchKey };
        let standing = || lines.iter().rev().filter(|line| line.at_utc <= now && line.is_object());
        let Some(line) = standing().next() else { return ObjectAnswer::NoSuchKey };
        let made = standing().find(|line| line.file.is_some()).unwrap_or(line);
        let mut answer = ArchiveAnswer::from_parts(200, &made.headers, made.file.as_ref());
        let mut default = |name: &str, value: String| {
            if answer.header(name).is_none() {
                answer.headers.push((name.to_owned(), value));
            }
        };
        default("content-type", "binary/octet-stream".to_owned());
        if let Some(object) = object_at(key, lines, now) {
            default("etag", etag(&object));
            default("last-modified", http_date(object.last_modified_utc));
        }
        ObjectAnswer::Object(match line.fault {
            None => answer,
            Some(UpstreamFault::Status(status)) => {
                let mut answer = error_xml(status, status_code_name(status), &answer_resource(key));
                answer.headers.extend(line.headers.iter().filter(|(name, _)| name != "content-type").cloned());
                answer
            }
            Some(fault) => answer.with_fault(fault, line.number as u64),
        })
    }

    /// What ListObjectsV2 answers at `now`: every key under `prefix` that sorts after `start_after`, unpaged.
    pub fn list_objects(&self, bucket: &str, prefix: &str, start_after: Option<&str>, now: Timestamp) -> ListAnswer {
        let Some(lines) = self.buckets.get(bucket) else { return ListAnswer::NoSuchBucket };
        let objects = lines
            .under(prefix)
            .filter(|(key, _)| start_after.is_none_or(|after| key.as_str() > after))
            .filter_map(|(key, lines)| object_at(key, lines, now))
            .collect();
        match lines.listing_fault(prefix, now) {
            None => ListAnswer::Objects(objects),
            Some((fault, seed)) => ListAnswer::Faulted { fault, seed, objects },
        }
    }
}

fn answer_resource(key: &str) -> String {
    format!("/{key}")
}

/// S3's name for a failing status.
pub(super) fn status_code_name(status: u16) -> &'static str {
    match status {
        403 => "AccessDenied",
        404 => "NoSuchKey",
        503 => "SlowDown",
        _ => "InternalError",
    }
}

/// An S3 error answer.
pub fn error_xml(status: u16, code: &str, resource: &str) -> ArchiveAnswer {
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{}</Code><Message>answered by a recorded \
         day</Message><Resource>{}</Resource><RequestId>recorded</RequestId></Error>",
        escaped(code),
        escaped(resource)
    );
    ArchiveAnswer::plain(status, "application/xml", body)
}

/// An entity tag that changes when the object does.
pub fn etag(object: &ListedObject) -> String {
    format!("\"{:x}-{:x}\"", object.last_modified_utc.as_second(), object.size_bytes)
}

/// One page of a listing as S3 writes it. `next` is the continuation token, if there is more.
pub fn list_xml(
    bucket: &str,
    prefix: &str,
    max_keys: usize,
    objects: &[ListedObject],
    common_prefixes: &[String],
    next: Option<&str>,
) -> String {
    let mut xml = String::with_capacity(512 + objects.len() * 256);
    // Writing to a String cannot fail.
    let _ = write!(
        xml,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult \
         xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>{}</Name><Prefix>{}</Prefix><KeyCount>{}</KeyCount>\
         <MaxKeys>{max_keys}</MaxKeys><IsTruncated>{}</IsTruncated>",
        escaped(bucket),
        escaped(prefix),
        objects.len() + common_prefixes.len(),
        next.is_some()
    );
    if let Some(next) = next {
        let _ = write!(xml, "<NextContinuationToken>{}</NextContinuationToken>", escaped(next));
    }
    for object in objects {
        let _ = write!(
            xml,
            "<Contents><Key>{}</Key><LastModified>{:.3}</LastModified><ETag>{}</ETag><Size>{}</Size>\
             <StorageClass>STANDARD</StorageClass></Contents>",
            escaped(&object.key),
            object.last_modified_utc,
            escaped(&etag(object)),
            object.size_bytes
        );
    }
    for prefix in common_prefixes {
        let _ = write!(xml, "<CommonPrefixes><Prefix>{}</Prefix></CommonPrefixes>", escaped(prefix));
    }
    xml.push_str("</ListBucketResult>");
    xml
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
