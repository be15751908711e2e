//! Making it last: sled's `flush` is only `sync_file_range`, which outlives a killed process but not surely a power cut, so
//! after a flush that must hold, the store's files and directories are fsynced through handles of our own.
//!
//! Also the two small files beside sled: written whole under another name, fsynced, renamed.

use super::error::StoreError;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The files of one sled directory, for fsync.
#[derive(Debug)]
pub(super) struct SledFiles {
    dir: PathBuf,
    /// The log; sled writes it in place, so one handle serves for the life of the store.
    db: File,
    /// Blobs and snapshots already synced. They are written once and never changed.
    synced: BTreeSet<PathBuf>,
}

impl SledFiles {
    /// Takes hold of the files of an open sled directory.
    pub(super) fn of(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join("db");
        let db = File::open(&path).map_err(|error| StoreError::io(&path, "open", &error))?;
        Ok(Self { dir: dir.to_owned(), db, synced: BTreeSet::new() })
    }

    /// Returns when everything written so far would survive a power cut.
    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        self.db.sync_all().map_err(|error| StoreError::io(&self.dir.join("db"), "fsync", &error))?;
        let blobs = self.dir.join("blobs");
        let mut present = BTreeSet::new();
        for folder in [self.dir.as_path(), blobs.as_path()] {
            let mut fresh = false;
            for file in files_in(folder)? {
                if !self.synced.contains(&file) && sync_if_there(&file)? {
                    fresh = true;
                }
                present.insert(file);
            }
            if fresh {
                sync_dir(folder)?;
            }
        }
        // What sled removed meanwhile is forgotten, so this set stays as small as the directory.
        self.synced = present;
        Ok(())
    }
}

/// Regular files of a folder; none when it does not exist.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io(folder, "list", &error)),
    };
    let files = entries.filter_map(Result::ok).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    Ok(files.map(|entry| entry.path()).collect())
}

/// Fsyncs a file; false when sled removed or renamed it meanwhile.
fn sync_if_there(path: &Path) -> Result<bool, StoreError> {
    match File::open(path).and_then(|file| file.sync_all()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(StoreError::io(path, "fsync", &error)),
    }
}

/// Makes the names in a directory last.
pub(super) fn sync_dir(dir: &Path) -> Result<(), StoreError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(|error| StoreError::io(dir, "fsync", &error))
}

/// Replaces a small file: whoever reads it sees the old or the new one, whole, also after a power cut.
pub(super) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let beside = path.with_extension("tmp");
    let mut file = File::create(&beside).map_err(|error| StoreError::io(&beside, "create", &error))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|error| StoreError::io(&beside, "write", &error))?;
    fs::rename(&beside, path).map_err(|error| StoreError::io(path, "put in place", &error))?;
    path.parent().map_or(Ok(()), sync_dir)
}

/// The bytes of a small file, `None` where there is none.
pub(super) fn read_file(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(path, "read", &error)),
    }
}

/// Bytes of all files under a directory.
pub(super) fn bytes_under(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    entries
        .filter_map(Result::ok)
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => bytes_under(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}
