//! Opening: the directory, its lock, its layout, sled, and the proof that sled still holds what it held.

use super::beside::{self, Found, LAYOUT, SLED_DIR, Tally};
use super::durable::SledFiles;
use super::error::StoreError;
use super::lock::DirLock;
use super::meta::{self, Counts, Limits};
use super::trees::{Edits, In, Trees};
use super::{Inner, OnDisk, Store, Writer, guard, last, repair};
use crate::notice::WatchPoint;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

impl Store {
    /// Opens the store in `dir`, making the directory (readable by its owner alone) and the store where there is neither.
    ///
    /// # Errors
    /// `InUse` when another process has it, `Newer` when a later version made it, `Corrupt` when it is damaged or has lost
    /// something that it held; never a fresh start in place of a damaged store.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        repair::refuse_interrupted(dir)?;
        make_dir(dir)?;
        let lock = DirLock::take(dir)?;
        Self::open_locked(dir, lock)
    }

    /// Whether `dir` holds a store. Nothing is made or locked.
    ///
    /// # Errors
    /// `Newer` or `Corrupt` where the directory's marks alone tell.
    pub fn is_in(dir: &Path) -> Result<bool, StoreError> {
        repair::refuse_interrupted(dir)?;
        Ok(beside::look(dir)? != Found::Nothing)
    }

    /// Opens the store of a directory whose lock is held.
    pub(super) fn open_locked(dir: &Path, lock: DirLock) -> Result<Self, StoreError> {
        let found = beside::look(dir)?;
        if found == Found::Nothing {
            beside::mark_creating(dir)?;
        }
        let sled_dir = dir.join(SLED_DIR);
        let trees = Trees::open(&sled_dir).map_err(|error| error.in_dir(dir))?;
        let counts = guard::caught(|| ready(dir, &trees, found))
            .unwrap_or_else(|why| Err(StoreError::corrupt(dir, why)))
            .map_err(|error| error.in_dir(dir))?;
        let mut files = Some((SledFiles::of(&sled_dir)?, Tally::open(dir)?));
        last(&trees, &mut files, counts.commits)?;
        if found == Found::Nothing || !beside::is_marked(dir) {
            beside::mark_made(dir)?;
        }
        let on_disk = Some(OnDisk { dir: dir.to_owned(), _lock: lock });
        let store = Self::of(trees, Writer { counts, limits: Limits::default(), files }, on_disk);
        store.copy_watch_points(None)?;
        Ok(store)
    }

    /// A store that is gone with the process: for replays without a data directory, and for tests.
    ///
    /// # Errors
    /// When the system's directory for temporary files cannot be used.
    pub fn in_memory() -> Result<Self, StoreError> {
        let trees = Trees::in_memory()?;
        let counts = Counts::read(&trees)?;
        Ok(Self::of(trees, Writer { counts, limits: Limits::default(), files: None }, None))
    }

    fn of(trees: Trees, writer: Writer, on_disk: Option<OnDisk>) -> Self {
        let (broken, secrets) = (OnceLock::new(), OnceLock::new());
        Self(Arc::new(Inner { trees, writer: Mutex::new(writer), broken, secrets, on_disk }))
    }
}

/// Marks a new store, or makes sure of an old one.
fn ready(dir: &Path, trees: &Trees, found: Found) -> Result<Counts, StoreError> {
    match (found, meta::layout(trees)?) {
        (Found::Nothing, _) => {
            let mut edits = Edits::default();
            meta::put_layout(&mut edits, LAYOUT)?;
            trees.apply(&edits)?;
            Counts::read(trees)
        }
        (Found::Store, None) => Err(StoreError::corrupt(dir, "sled came back empty")),
        (Found::Store, Some(layout)) => {
            beside::refuse_newer(dir, layout)?;
            let counts = Counts::read(trees)?;
            let (copied, _) = beside::read_watch_points(dir)?;
            meta::refuse_losses(dir, trees, &counts, Tally::noted(dir)?, &copied)?;
            Ok(counts)
        }
    }
}

impl Store {
    /// Brings the safety copy of the watch points up to date, leaving out the one that is about to be removed.
    pub(super) fn copy_watch_points(&self, without: Option<&str>) -> Result<(), StoreError> {
        let Some(dir) = self.dir() else { return Ok(()) };
        let listed = self.run(|trees| trees.list::<WatchPoint>(In::WatchPoints))?;
        let damaged = !listed.damaged.is_empty();
        let mut kept: Vec<WatchPoint> = listed.into_iter().filter(|point| Some(point.id.as_str()) != without).collect();
        if damaged {
            // What the copy still knows of rows that sled cannot read stays in it, for repair.
            for point in beside::read_watch_points(dir)?.0 {
                let stands = self.run(|trees| Ok(trees.tree(In::WatchPoints).contains_key(&point.id)?))?;
                if stands && Some(point.id.as_str()) != without && kept.iter().all(|held| held.id != point.id) {
                    kept.push(point);
                }
            }
        }
        beside::write_watch_points(dir, &kept)
    }
}

/// Makes the data directory where it is missing: watch points and addresses are nobody else's business.
pub(super) fn make_dir(dir: &Path) -> Result<(), StoreError> {
    if dir.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|error| StoreError::io(dir, "make the data directory", &error))
}
