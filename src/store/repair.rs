//! A damaged data directory: what can be read goes into a fresh store under the old name, the damaged directory is kept
//! beside it as `<dir>.damaged-<utc stamp>`. Nothing is ever deleted but copies of our own making.
//!
//! All reading is done on a copy, because sled repairs what it opens in its own way and loses by it. The fresh store stands
//! whole beside the old one before either is renamed, so a kill at any moment leaves one of the two under the old name, or
//! both beside it, which `open` refuses and the next `repair` finishes.

use super::beside::{self, Found, OWN_FILES, SLED_DIR};
use super::error::StoreError;
use super::lock::{DirLock, LOCK_FILE};
use super::{Store, durable};
use crate::clock::Clock;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

mod salvage;

/// What a repair did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairReport {
    /// The repaired data directory.
    pub dir: PathBuf,
    /// Where the damaged one is now, untouched.
    pub damaged: PathBuf,
    /// What was wrong.
    pub why: String,
    /// What the fresh store holds.
    pub saved: Vec<Saved>,
    /// Watch points that only the text copy still knew.
    pub from_text_copy: usize,
    /// What could not be read, a line each.
    pub unreadable: Vec<String>,
    /// Files of others that stay in the damaged directory alone (folders, sockets).
    pub left_behind: Vec<String>,
}

/// Rows of one tree that were saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// Name of the tree.
    pub tree: String,
    /// How many.
    pub rows: u64,
}

/// Puts a fresh store with all that can be read in the place of a damaged one, and keeps the damaged one.
///
/// # Errors
/// `Healthy`, `InUse`, `NoStore` and `Newer` leave the directory as it was; so does a file error on the way.
pub fn repair(dir: &Path) -> Result<RepairReport, StoreError> {
    let dir = full_path(dir)?;
    if let Some((fresh, damaged)) = interrupted(&dir) {
        return finish(&dir, &fresh, &damaged);
    }
    if !dir.is_dir() {
        return Err(StoreError::NoStore { dir });
    }
    let _lock = DirLock::take(&dir)?;
    let stamp = free_stamp(&dir);
    let scratch = Scratch::new(beside_dir(&dir, "salvage", &stamp))?;
    let why = match beside::look(&dir) {
        Ok(Found::Nothing) => return Err(StoreError::NoStore { dir }),
        Err(error @ StoreError::Newer { .. }) => return Err(error),
        Err(error @ StoreError::Corrupt { .. }) => reason(error),
        Err(error) => return Err(error),
        Ok(Found::Store) => match examine(&dir, &scratch.at("examined")?)? {
            Some(why) => why,
            None => return Err(StoreError::Healthy { dir }),
        },
    };
    let copy = scratch.at("copy")?;
    copy_own(&dir, &copy)?;
    let found = salvage::read(&copy)?;
    let fresh = beside_dir(&dir, "fresh", &stamp);
    // The directory appears under the name that `interrupted` looks for only when it is whole.
    let unfinished = beside_dir(&dir, "unfinished", &stamp);
    let written = salvage::write(&found, &unfinished).and_then(|saved| Ok((saved, carry_over(&dir, &unfinished)?)));
    let (saved, left_behind) = match written {
        Ok(written) => written,
        Err(error) => {
            // A copy of our own making; the damaged directory has not been touched.
            let _ = fs::remove_dir_all(&unfinished);
            return Err(error);
        }
    };
    let damaged = beside_dir(&dir, "damaged", &stamp);
    rename(&unfinished, &fresh)?;
    rename(&dir, &damaged)?;
    rename(&fresh, &dir)?;
    Ok(RepairReport {
        dir,
        damaged,
        why,
        saved,
        from_text_copy: found.from_text_copy,
        unreadable: found.unreadable,
        left_behind,
    })
}

/// Refuses to make a new store where a repair was cut short between its two renames.
pub(super) fn refuse_interrupted(dir: &Path) -> Result<(), StoreError> {
    let Ok(full) = full_path(dir) else { return Ok(()) };
    match interrupted(&full) {
        Some(_) => Err(StoreError::corrupt(dir, "a repair was interrupted")),
        None => Ok(()),
    }
}

/// What is wrong with the store, tried on a copy; `None` when it is whole.
fn examine(dir: &Path, copy: &Path) -> Result<Option<String>, StoreError> {
    copy_own(dir, copy)?;
    let store = match Store::open(copy) {
        Ok(store) => store,
        Err(StoreError::Newer { found, supported, .. }) => {
            return Err(StoreError::Newer { dir: dir.to_owned(), found, supported });
        }
        Err(error @ StoreError::Corrupt { .. }) => return Ok(Some(reason(error))),
        Err(error) => return Err(error),
    };
    match store.first_damage() {
        Ok(damage) => Ok(damage.map(|error| error.to_string())),
        Err(error) => Ok(Some(reason(error))),
    }
}

impl Store {
    /// The first row of any tree that cannot be read.
    pub(super) fn first_damage(&self) -> Result<Option<StoreError>, StoreError> {
        let all = usize::MAX;
        let damaged = [
            self.watch_points()?.damaged,
            self.zones()?.damaged,
            self.states()?.damaged,
            self.journal(None, 0, all)?.damaged,
            self.pending()?.damaged,
            self.ledger(0, all)?.damaged,
            self.cursors()?.damaged,
            self.source_statuses()?.damaged,
        ];
        Ok(damaged.into_iter().flatten().next())
    }
}

/// The second half of a repair that was cut short.
fn finish(dir: &Path, fresh: &Path, damaged: &Path) -> Result<RepairReport, StoreError> {
    let health = Store::open(fresh)?.health();
    rename(fresh, dir)?;
    let saved = [
        ("watch_points", health.watch_points),
        ("outbox", health.pending),
        ("ledger", health.told + health.dead),
        ("journal", health.journal_entries),
    ];
    Ok(RepairReport {
        dir: dir.to_owned(),
        damaged: damaged.to_owned(),
        why: "an earlier repair was interrupted; it is finished now".to_owned(),
        saved: saved.into_iter().map(|(tree, rows)| Saved { tree: tree.to_owned(), rows }).collect(),
        from_text_copy: 0,
        unreadable: Vec::new(),
        left_behind: Vec::new(),
    })
}

/// The fresh and the damaged directory of a repair that was cut short between its renames.
fn interrupted(dir: &Path) -> Option<(PathBuf, PathBuf)> {
    if dir.exists() {
        return None;
    }
    let prefix = beside_dir(dir, "fresh", "");
    let prefix = prefix.file_name()?.to_str()?;
    let mut stamps: Vec<String> = fs::read_dir(dir.parent()?)
        .ok()?
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().to_str()?.strip_prefix(prefix).map(str::to_owned))
        .collect();
    stamps.sort();
    let stamp = stamps.pop()?;
    let (fresh, damaged) = (beside_dir(dir, "fresh", &stamp), beside_dir(dir, "damaged", &stamp));
    damaged.is_dir().then_some((fresh, damaged))
}

/// `<dir>.<what>-<stamp>`.
fn beside_dir(dir: &Path, what: &str, stamp: &str) -> PathBuf {
    let mut name: OsString = dir.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{what}-{stamp}"));
    dir.with_file_name(name)
}

/// The present instant, as it stands in names; with a running number where that second was used already.
fn free_stamp(dir: &Path) -> String {
    let stamp = Clock::live().now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let taken =
        |stamp: &str| ["damaged", "fresh", "unfinished"].iter().any(|what| beside_dir(dir, what, stamp).exists());
    std::iter::once(stamp.clone())
        .chain((2..100).map(|number| format!("{stamp}-{number}")))
        .find(|stamp| !taken(stamp))
        .unwrap_or(stamp)
}

/// The directory's own name, also where it is given as `.` or through links.
fn full_path(dir: &Path) -> Result<PathBuf, StoreError> {
    let found = if dir.exists() {
        dir.canonicalize()
    } else {
        match (dir.parent(), dir.file_name()) {
            (Some(parent), Some(name)) if parent.as_os_str().is_empty() => Ok(Path::new(".").join(name)),
            (Some(parent), Some(name)) => parent.canonicalize().map(|parent| parent.join(name)),
            _ => Ok(dir.to_owned()),
        }
    };
    found.map_err(|error| StoreError::io(dir, "find", &error))
}

fn reason(error: StoreError) -> String {
    match error {
        StoreError::Corrupt { why, .. } => why,
        other => other.to_string(),
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), StoreError> {
    fs::rename(from, to).map_err(|error| StoreError::io(from, "rename", &error))?;
    to.parent().map_or(Ok(()), durable::sync_dir)
}

/// Copies everything of the store's own but the lock.
fn copy_own(dir: &Path, to: &Path) -> Result<(), StoreError> {
    for name in OWN_FILES.into_iter().filter(|name| *name != LOCK_FILE) {
        let from = dir.join(name);
        if from.is_dir() {
            copy_tree(&from, &to.join(name))?;
        } else if from.exists() {
            copy_file(&from, &to.join(name))?;
        }
    }
    Ok(())
}

/// Copies files that are not the store's own (a config file, say) into the fresh directory; names what it leaves.
fn carry_over(dir: &Path, to: &Path) -> Result<Vec<String>, StoreError> {
    let mut left = Vec::new();
    let entries = fs::read_dir(dir).map_err(|error| StoreError::io(dir, "list", &error))?;
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if OWN_FILES.contains(&name.as_str()) || name.ends_with(".tmp") {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            copy_file(&entry.path(), &to.join(entry.file_name()))?;
        } else {
            left.push(name);
        }
    }
    left.sort();
    Ok(left)
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(to).map_err(|error| StoreError::io(to, "make", &error))?;
    let entries = fs::read_dir(from).map_err(|error| StoreError::io(from, "list", &error))?;
    for entry in entries.filter_map(Result::ok) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() { copy_tree(&path, &target)? } else { copy_file(&path, &target)? }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> Result<(), StoreError> {
    fs::copy(from, to).map(|_| ()).map_err(|error| StoreError::io(from, "copy", &error))
}

/// A directory of our own making that goes when it is no longer needed.
struct Scratch(PathBuf);

impl Scratch {
    fn new(path: PathBuf) -> Result<Self, StoreError> {
        fs::create_dir_all(path.join(SLED_DIR)).map_err(|error| StoreError::io(&path, "make", &error))?;
        Ok(Self(path))
    }

    fn at(&self, name: &str) -> Result<PathBuf, StoreError> {
        let path = self.0.join(name);
        fs::create_dir_all(&path).map_err(|error| StoreError::io(&path, "make", &error))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, path = %self.0.display(), "a scratch copy could not be removed");
        }
    }
}
