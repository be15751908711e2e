//! A recorded day: a folder whose timeline says from when on an upstream answers a request with what. Loading reads the
//! whole timeline, so that nothing runs on a broken one; answering is a pure function of the asked-for instant.
//!
//! The same archive answers in this process (`ArchiveOutside`) and over loopback TCP (`outside::serve`).

mod http;
mod in_process;
mod objects;
mod timeline;

#[cfg(test)]
mod tests;

pub use http::{ArchiveAnswer, OnWire};
pub use in_process::ArchiveOutside;
pub use objects::{ListAnswer, ListedObject, ObjectAnswer, error_xml, etag, list_xml};
pub use timeline::{FAULT_WORDS, UpstreamFault};

use bytes::Bytes;
use jiff::Timestamp;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// A timeline longer than this is refused: a day of every upstream polled twice a minute has some 30,000 lines of 200 bytes.
const TIMELINE_BYTES_MAX: u64 = 64 << 20;
/// Files are held in memory up to this total, so that a replay is not slowed by the disk; later ones are read when asked for.
const HELD_BYTES_MAX: u64 = 256 << 20;
/// A single file larger than this is refused: no upstream object that stormbell reads comes near it.
const FILE_BYTES_MAX: u64 = 512 << 20;

/// Why an archive is refused.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// A file of the archive cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// `archive.toml` is not what it should be.
    #[error("{}: {why}", path.display())]
    Description {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column where known.
        why: String,
    },
    /// A line of the timeline cannot be used.
    #[error("{}:{line}: {why}", path.display())]
    Line {
        /// The timeline.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What is wrong with it.
        why: LineError,
    },
    /// A file is larger than any that can be meant.
    #[error("{} holds {bytes} bytes, at most {bytes_max} are read", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        bytes_max: u64,
    },
}

/// What is wrong with one line of a timeline.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LineError {
    /// Not JSON, an unknown field, a time that is none.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// Neither `http` nor `s3`, or both.
    #[error("names {0}: exactly one of http and s3 is needed")]
    Upstream(&'static str),
    /// Nothing to answer with.
    #[error("names no file, status or fault to answer with")]
    NoAnswer,
    /// A field that does not belong to this kind of line.
    #[error("{field} has no meaning on an {kind} line")]
    Misplaced {
        /// The field.
        field: &'static str,
        /// `http` or `s3`.
        kind: &'static str,
    },
    /// A field with a value that cannot be meant.
    #[error("{field} is {value:?}: {expected}")]
    Value {
        /// The field.
        field: &'static str,
        /// What it holds.
        value: String,
        /// What it may hold.
        expected: String,
    },
    /// A path that leads out of the archive.
    #[error("file {0:?} leads out of the archive: only relative paths without .. are read")]
    Escapes(String),
    /// A file that is not there.
    #[error("file {0:?} is missing")]
    MissingFile(String),
    /// A file that is there and cannot be read.
    #[error("file {file:?}: {why}")]
    UnreadableFile {
        /// The file as named.
        file: String,
        /// What is wrong.
        why: String,
    },
}

/// `archive.toml`.
#[derive(Deserialize)]
struct RawDescription {
    name: String,
    from: toml::Value,
    to: toml::Value,
    #[serde(default)]
    note: String,
    #[serde(default)]
    licence: String,
    sources: Option<Vec<String>>,
}

/// A recorded day, checked and indexed.
#[derive(Debug)]
pub struct Archive {
    /// What the day is called.
    pub name: String,
    /// Where a replay begins.
    pub from_utc: Timestamp,
    /// Where a replay ends.
    pub to_utc: Timestamp,
    /// What was recorded and what was arranged.
    pub note: String,
    /// Who owns the recordings.
    pub licence: String,
    /// The sources that the day holds, where it says so (`sources = ["mrms", ...]`): a replay asks no others, rather than
    /// taking what was never recorded for a feed that is down. `None`: all of them.
    pub sources: Option<Vec<String>>,
    /// Lines by host (lower case) and decoded path.
    http: HashMap<(String, String), Vec<timeline::HttpLine>>,
    buckets: BTreeMap<String, objects::BucketLines>,
}

impl Archive {
    /// Reads and checks the archive in `folder`.
    pub fn load(folder: &Path) -> Result<Self, ArchiveError> {
        let description = read_description(&folder.join("archive.toml"))?;
        let timeline_path = folder.join("timeline.jsonl");
        let text = read_text(&timeline_path, TIMELINE_BYTES_MAX)?;
        let mut archive = Self {
            name: description.name,
            from_utc: description.from_utc,
            to_utc: description.to_utc,
            note: description.note,
            licence: description.licence,
            sources: description.sources,
            http: HashMap::new(),
            buckets: BTreeMap::new(),
        };
        let mut files = Files { folder, held_bytes: 0, known: HashMap::new() };
        for (index, text) in text.lines().enumerate() {
            if text.trim().is_empty() {
                continue;
            }
            let line = index + 1;
            let parsed = timeline::parse(text, line, &mut files).map_err(|why| ArchiveError::Line {
                path: timeline_path.clone(),
                line,
                why,
            })?;
            match parsed {
                timeline::Line::Http { host, path, line } => archive.http.entry((host, path)).or_default().push(line),
                timeline::Line::S3 { bucket, line } => archive.buckets.entry(bucket).or_default().push(line),
            }
        }
        for bucket in archive.buckets.values_mut() {
            bucket.settle();
        }
        Ok(archive)
    }
}

/// `archive.toml`, checked.
struct Description {
    name: String,
    from_utc: Timestamp,
    to_utc: Timestamp,
    note: String,
    licence: String,
    sources: Option<Vec<String>>,
}

fn read_description(path: &Path) -> Result<Description, ArchiveError> {
    let refuse = |why: String| ArchiveError::Description { path: path.to_owned(), why };
    let text = read_text(path, TIMELINE_BYTES_MAX)?;
    let raw: RawDescription = toml::from_str(&text).map_err(|error| refuse(error.to_string()))?;
    let instant = |field: &str, value: &toml::Value| {
        // Quoted or as TOML's own date-time: both are RFC 3339.
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.parse::<Timestamp>()
            .map_err(|error| refuse(format!("{field} is {text:?}: not an RFC 3339 time with an offset: {error}")))
    };
    let (from_utc, to_utc) = (instant("from", &raw.from)?, instant("to", &raw.to)?);
    if to_utc < from_utc {
        return Err(refuse(format!("to ({to_utc}) lies before from ({from_utc})")));
    }
    Ok(Description { name: raw.name, from_utc, to_utc, note: raw.note, licence: raw.licence, sources: raw.sources })
}

fn read_text(path: &Path, bytes_max: u64) -> Result<String, ArchiveError> {
    let unreadable = |source| ArchiveError::Unreadable { path: path.to_owned(), source };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        // Before opening: a named pipe would wait for its writer for ever.
        return Err(unreadable(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
    }
    let bytes = metadata.len();
    if bytes > bytes_max {
        return Err(ArchiveError::TooLarge { path: path.to_owned(), bytes, bytes_max });
    }
    std::fs::read_to_string(path).map_err(unreadable)
}

/// The bytes of one file: held, or read when asked for.
#[derive(Debug)]
struct StoredFile {
    path: PathBuf,
    size_bytes: u64,
    held: Option<Bytes>,
}

impl StoredFile {
    fn bytes(&self) -> io::Result<Bytes> {
        self.held.clone().map_or_else(|| std::fs::read(&self.path).map(Bytes::from), Ok)
    }
}

/// The files that a timeline names, each opened once.
struct Files<'a> {
    folder: &'a Path,
    held_bytes: u64,
    known: HashMap<String, Arc<StoredFile>>,
}

impl Files<'_> {
    fn open(&mut self, name: &str) -> Result<Arc<StoredFile>, LineError> {
        if let Some(file) = self.known.get(name) {
            return Ok(Arc::clone(file));
        }
        let relative = Path::new(name);
        let inside =
            relative.components().all(|component| matches!(component, Component::Normal(_) | Component::CurDir));
        if name.is_empty() || name.contains('\\') || !inside {
            return Err(LineError::Escapes(name.to_owned()));
        }
        let path = self.folder.join(relative);
        let unreadable = |why: String| LineError::UnreadableFile { file: name.to_owned(), why };
        let metadata = match std::fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(LineError::MissingFile(name.to_owned()));
            }
            Err(error) => return Err(unreadable(error.to_string())),
        };
        if !metadata.is_file() {
            return Err(unreadable("not a regular file".to_owned()));
        }
        let mut size_bytes = metadata.len();
        if size_bytes > FILE_BYTES_MAX {
            return Err(unreadable(format!("holds {size_bytes} bytes, at most {FILE_BYTES_MAX} are read")));
        }
        let held = if self.held_bytes.saturating_add(size_bytes) <= HELD_BYTES_MAX {
            let bytes = std::fs::read(&path).map_err(|error| unreadable(error.to_string()))?;
            size_bytes = bytes.len() as u64;
            self.held_bytes = self.held_bytes.saturating_add(size_bytes);
            Some(Bytes::from(bytes))
        } else {
            // Opened all the same: a file that may not be read is found now, not in the middle of the day.
            std::fs::File::open(&path).map_err(|error| unreadable(error.to_string()))?;
            None
        };
        let file = Arc::new(StoredFile { path, size_bytes, held });
        self.known.insert(name.to_owned(), Arc::clone(&file));
        Ok(file)
    }
}
