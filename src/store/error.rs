//! What can go wrong with the store, with the facts that a person needs to go on.

use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why the store did not do what was asked. Nothing is half done: a write that failed has changed nothing that is read
/// later.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    /// Another process (or another part of this one) holds the data directory.
    #[error("{} is {}", dir.display(), in_use_by(*pid))]
    InUse {
        /// The data directory.
        dir: PathBuf,
        /// Who holds it, if the lock file says so.
        pid: Option<u32>,
    },
    /// The directory was written by a later stormbell.
    #[error(
        "{} was made by a newer stormbell (layout {found}, this one reads up to {supported}): upgrade stormbell or use another --data-dir",
        dir.display()
    )]
    Newer {
        /// The data directory.
        dir: PathBuf,
        /// Layout of the directory.
        found: u64,
        /// Newest layout that this build reads.
        supported: u64,
    },
    /// The store is damaged. It is never replaced by an empty one.
    #[error("the store in {} is damaged: {why}; {hint}", dir.display())]
    Corrupt {
        /// The data directory.
        dir: PathBuf,
        /// What was found.
        why: String,
        /// What to do.
        hint: String,
    },
    /// One row cannot be read; the others can.
    #[error("row {key:?} of {tree} cannot be read: {why}")]
    Row {
        /// Which tree.
        tree: &'static str,
        /// Its key, as text where it is text.
        key: String,
        /// What is wrong.
        why: String,
    },
    /// A row larger than anything that stormbell makes.
    #[error("row {key:?} of {tree} has {bytes} bytes, at most {limit} are stored")]
    TooLarge {
        /// Which tree.
        tree: &'static str,
        /// Its key.
        key: String,
        /// Its size.
        bytes: usize,
        /// The cap.
        limit: usize,
    },
    /// No more notices can wait. The decision was not written at all and will be made again.
    #[error("{pending} notices wait already and {adding} more came; at most {limit} can: see to the channels")]
    OutboxFull {
        /// Rows that wait and are still of use.
        pending: u64,
        /// Rows that were to be added.
        adding: u64,
        /// The cap.
        limit: u64,
    },
    /// No more watch points can be stored.
    #[error("{limit} watch points are stored already, which is the most that one store holds")]
    TooManyWatchPoints {
        /// The cap.
        limit: u64,
    },
    /// No more of a kind can be stored.
    #[error("{limit} {what} are stored already, which is the most that one store holds")]
    Full {
        /// Of what.
        what: &'static str,
        /// The cap.
        limit: usize,
    },
    /// A file could not be read or written.
    #[error("{}: cannot {what}: {why}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What the system said.
        why: String,
    },
    /// A key file that must not be used as it is. It is never replaced.
    #[error("{} {why}", path.display())]
    Secret {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        why: String,
    },
    /// The store's own machinery failed: a full disk, a failed flush. Nothing is trusted until it is opened again.
    #[error("the store failed: {why}")]
    Failed {
        /// What it said.
        why: String,
    },
    /// `repair` was asked for a directory that holds no store.
    #[error("{} holds no store", dir.display())]
    NoStore {
        /// The directory.
        dir: PathBuf,
    },
    /// `repair` was asked for a store that is not damaged; nothing was touched.
    #[error("the store in {} is healthy: nothing to repair", dir.display())]
    Healthy {
        /// The directory.
        dir: PathBuf,
    },
}

impl StoreError {
    /// A damaged store, with the way out.
    pub(super) fn corrupt(dir: &Path, why: impl Into<String>) -> Self {
        Self::Corrupt {
            dir: dir.to_owned(),
            why: why.into(),
            hint: format!("run stormbell debug repair --data-dir {}", dir.display()),
        }
    }

    /// A file operation that failed.
    pub(super) fn io(path: &Path, what: &'static str, error: &std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), what, why: error.to_string() }
    }

    /// The same error, with the directory filled in where the place of the failure did not know it.
    pub(super) fn in_dir(self, dir: &Path) -> Self {
        match self {
            Self::Corrupt { dir: unknown, why, .. } if unknown.as_os_str().is_empty() => Self::corrupt(dir, why),
            other => other,
        }
    }
}

impl From<sled::Error> for StoreError {
    fn from(error: sled::Error) -> Self {
        match error {
            sled::Error::Corruption { at, .. } => {
                let place = at.map_or_else(String::new, |at| format!(" at {at:?}"));
                Self::corrupt(Path::new(""), format!("sled found corruption{place}"))
            }
            sled::Error::ReportableBug(why) => Self::corrupt(Path::new(""), why),
            sled::Error::Unsupported(why) => Self::corrupt(Path::new(""), why),
            sled::Error::Io(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Self::corrupt(Path::new(""), format!("a file is cut short: {error}"))
            }
            sled::Error::Io(_) | sled::Error::CollectionNotFound(_) => Self::Failed { why: error.to_string() },
        }
    }
}

fn in_use_by(pid: Option<u32>) -> String {
    pid.map_or_else(|| "in use by another process".to_owned(), |pid| format!("in use by process {pid}"))
}
