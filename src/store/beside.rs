//! The small files beside sled, which tell a damaged or emptied store from a new one, and survive when sled does not:
//!
//! - `stormbell.layout`: a store was made here, and in which layout. `stormbell.creating` stands before it does.
//! - `stormbell.commits`: how many transactions have been made to last, written after each: a sled that recovers to fewer
//!   has lost some, and says nothing itself.
//! - `watch_points.jsonl`: the watch points as text. It may lag behind sled after a kill, but never runs ahead.

use super::durable::{read_file, replace_file, sync_dir};
use super::error::StoreError;
use crate::notice::WatchPoint;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Layout of the data directory that this build writes, and the newest that it reads.
pub(super) const LAYOUT: u64 = 1;

/// Sled's own directory.
pub(super) const SLED_DIR: &str = "sled";
const LAYOUT_FILE: &str = "stormbell.layout";
const CREATING_FILE: &str = "stormbell.creating";
const COMMITS_FILE: &str = "stormbell.commits";
const WATCH_POINTS_FILE: &str = "watch_points.jsonl";

/// Every name that the store itself makes in a data directory.
pub(super) const OWN_FILES: [&str; 6] =
    [SLED_DIR, LAYOUT_FILE, CREATING_FILE, COMMITS_FILE, WATCH_POINTS_FILE, super::lock::LOCK_FILE];

/// What a data directory holds, before sled is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing of ours, or a creation that a kill cut short before anything was stored.
    Nothing,
    /// A store.
    Store,
}

/// Looks at a data directory without touching sled.
pub(super) fn look(dir: &Path) -> Result<Found, StoreError> {
    let sled = dir.join(SLED_DIR);
    match read_file(&dir.join(LAYOUT_FILE))? {
        Some(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            let found = text.trim().strip_prefix("layout ").and_then(|number| number.parse::<u64>().ok());
            match found {
                Some(found) => refuse_newer(dir, found)?,
                None => return Err(StoreError::corrupt(dir, format!("{LAYOUT_FILE} does not name a layout"))),
            }
            for name in ["db", "conf"] {
                if !sled.join(name).is_file() {
                    return Err(StoreError::corrupt(dir, format!("{SLED_DIR}/{name} is missing")));
                }
            }
            Ok(Found::Store)
        }
        None if dir.join(CREATING_FILE).exists() => Ok(Found::Nothing),
        // The mark was lost, for instance by an incomplete copy: sled itself knows what it is.
        None if sled.join("db").is_file() => Ok(Found::Store),
        None if dir.join(WATCH_POINTS_FILE).exists() || sled.exists() => {
            Err(StoreError::corrupt(dir, format!("{LAYOUT_FILE} and {SLED_DIR}/db are missing from what was a store")))
        }
        None => Ok(Found::Nothing),
    }
}

/// Refuses a layout that this build cannot read.
pub(super) fn refuse_newer(dir: &Path, found: u64) -> Result<(), StoreError> {
    if found > LAYOUT {
        return Err(StoreError::Newer { dir: dir.to_owned(), found, supported: LAYOUT });
    }
    Ok(())
}

/// Before sled is made: from here to `mark_made`, a killed process leaves nothing worth keeping.
pub(super) fn mark_creating(dir: &Path) -> Result<(), StoreError> {
    replace_file(&dir.join(CREATING_FILE), b"")?;
    let sled = dir.join(SLED_DIR);
    if sled.exists() {
        // Left by a creation that was cut short; `look` has made sure that no store was ever handed out.
        fs::remove_dir_all(&sled).map_err(|error| StoreError::io(&sled, "clear an unfinished creation", &error))?;
    }
    Ok(())
}

/// After sled's first flush that holds: from here on the directory is a store.
pub(super) fn mark_made(dir: &Path) -> Result<(), StoreError> {
    replace_file(&dir.join(LAYOUT_FILE), format!("layout {LAYOUT}\n").as_bytes())?;
    let creating = dir.join(CREATING_FILE);
    match fs::remove_file(&creating) {
        Ok(()) => sync_dir(dir),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(StoreError::io(&creating, "remove", &error)),
    }
}

/// The number of transactions that were made to last.
#[derive(Debug)]
pub(super) struct Tally {
    path: PathBuf,
    file: File,
}

impl Tally {
    /// Opens or makes the file.
    pub(super) fn open(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(COMMITS_FILE);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        Ok(Self { file: file.map_err(|error| StoreError::io(&path, "open", &error))?, path })
    }

    /// What was last noted. `None` where the file is missing or says nothing: no proof of anything.
    pub(super) fn noted(dir: &Path) -> Result<Option<u64>, StoreError> {
        let bytes = read_file(&dir.join(COMMITS_FILE))?;
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()).and_then(|text| text.trim().parse().ok()))
    }

    /// Notes a number. Not fsynced: it may lag behind the store, which it then accuses of nothing.
    pub(super) fn note(&mut self, commits: u64) -> Result<(), StoreError> {
        // One write of one length: a kill between two digits would leave a number that never was, and an accusation.
        let text = format!("{commits:020}\n");
        let written = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.write_all(text.as_bytes()));
        written.map_err(|error| StoreError::io(&self.path, "write", &error))
    }
}

/// Writes the safety copy.
pub(super) fn write_watch_points(dir: &Path, points: &[WatchPoint]) -> Result<(), StoreError> {
    let path = dir.join(WATCH_POINTS_FILE);
    let mut text = Vec::new();
    for point in points {
        serde_json::to_writer(&mut text, point).map_err(|error| StoreError::io(&path, "write", &error.into()))?;
        text.push(b'\n');
    }
    if read_file(&path)?.is_some_and(|held| held == text) {
        return Ok(());
    }
    replace_file(&path, &text)
}

/// Reads the safety copy: the points, and what is wrong with its other lines.
pub(super) fn read_watch_points(dir: &Path) -> Result<(Vec<WatchPoint>, Vec<String>), StoreError> {
    let bytes = read_file(&dir.join(WATCH_POINTS_FILE))?.unwrap_or_default();
    let (mut points, mut wrong) = (Vec::new(), Vec::new());
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
        match serde_json::from_slice::<WatchPoint>(line) {
            Ok(point) => points.push(point),
            Err(error) => wrong.push(format!("{WATCH_POINTS_FILE} line {}: {error}", index + 1)),
        }
    }
    Ok((points, wrong))
}

/// Whether the mark of a store stands.
pub(super) fn is_marked(dir: &Path) -> bool {
    dir.join(LAYOUT_FILE).exists() && !dir.join(CREATING_FILE).exists()
}
