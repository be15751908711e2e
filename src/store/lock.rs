//! One process per data directory: an advisory lock on `stormbell.lock`, which carries the holder's pid.

use super::error::StoreError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The lock file's name in the data directory.
pub(super) const LOCK_FILE: &str = "stormbell.lock";

/// The lock, held until dropped. The file stays: removing it would let two processes lock two different files.
#[derive(Debug)]
pub(super) struct DirLock {
    file: File,
}

impl DirLock {
    /// Takes the lock of `dir`, without waiting.
    pub(super) fn take(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(LOCK_FILE);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| StoreError::io(&path, "open the lock file", &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::InUse { dir: dir.to_owned(), pid: holder(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::io(&path, "lock", &error)),
        }
        let written = file
            .set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| file.write_all(format!("{}\n", std::process::id()).as_bytes()));
        written.map_err(|error| StoreError::io(&path, "write the lock file", &error))?;
        Ok(Self { file })
    }
}

impl Drop for DirLock {
    fn drop(&mut self) {
        // Closing the file releases the lock too; doing it by name leaves no doubt when a copy of the handle lives on.
        if let Err(error) = self.file.unlock() {
            tracing::debug!(%error, "unlocking the data directory");
        }
    }
}

/// The pid that the holder wrote; `None` in the moment before it did.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
