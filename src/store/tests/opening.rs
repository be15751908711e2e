//! Opening: lock, layout, reopening at once, and what has to be there again.

use super::{at, decision, point};
use crate::store::beside::{LAYOUT, SLED_DIR};
use crate::store::trees::{Edits, In, Trees};
use crate::store::{Decision, LedgerOutcome, Store, StoreError, meta};
use std::fs;

#[test]
fn everything_is_there_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    {
        let store = Store::open(&data).unwrap();
        store.put_watch_point(&point("a")).unwrap();
        store.commit(&decision("a", "d1", 1)).unwrap();
        store.commit(&decision("a", "d2", 2)).unwrap();
        store.settle("d1", LedgerOutcome::Told("250".into()), at(3)).unwrap();
        store.commit(&Decision { high_water_utc: Some(at(4)), ..Decision::default() }).unwrap();
    }
    let store = Store::open(&data).unwrap();
    assert_eq!(store.dir(), Some(data.as_path()));
    assert_eq!(store.watch_points().unwrap().rows, [point("a")]);
    assert_eq!(store.high_water_utc().unwrap(), Some(at(4)));
    let third = store.commit(&decision("a", "d3", 5)).unwrap();
    assert_eq!((third.entries[0].number, third.rows[0].delivery.number), (3, 3));
    let health = store.health();
    assert_eq!((health.watch_points, health.pending, health.told, health.journal_entries), (1, 2, 1, 3));
    assert!(health.bytes_on_disk > 0 && !health.disk_alarm && !health.broken);
}

#[cfg(unix)]
#[test]
fn the_directory_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("deep/data");
    let _store = Store::open(&data).unwrap();
    assert_eq!(fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o700);
}

/// Field report D08: the second one is told who has it.
#[test]
fn a_second_opener_is_told_the_pid() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let refused = Store::open(dir.path()).unwrap_err();
    assert_eq!(refused, StoreError::InUse { dir: dir.path().to_owned(), pid: Some(std::process::id()) });
    assert!(refused.to_string().contains(&format!("in use by process {}", std::process::id())));
    drop(store);
    Store::open(dir.path()).unwrap();
}

/// A lock file that a killed process left says nothing: the lock went with the process.
#[test]
fn a_stale_lock_file_does_not_matter() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("stormbell.lock"), "4194304\n").unwrap();
    Store::open(dir.path()).unwrap();
}

/// Field report D02: dropping and reopening at once races sled's flusher.
#[test]
fn reopening_at_once_works() {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..20 {
        let store = Store::open(dir.path()).unwrap();
        store.put_watch_point(&point(&format!("p{n}"))).unwrap();
        let clone = store.clone();
        drop(store);
        drop(clone);
    }
    assert_eq!(Store::open(dir.path()).unwrap().health().watch_points, 20);
}

/// Field report D04: a dropped clone stops nothing.
#[test]
fn a_dropped_clone_leaves_the_others_alive() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    drop(store.clone());
    store.put_watch_point(&point("a")).unwrap();
    assert_eq!(store.health().watch_points, 1);
}

#[test]
fn a_newer_layout_is_refused_with_both_numbers_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    drop(Store::open(dir.path()).unwrap());
    fs::write(dir.path().join("stormbell.layout"), "layout 3\n").unwrap();
    let refused = Store::open(dir.path()).unwrap_err();
    assert_eq!(refused, StoreError::Newer { dir: dir.path().to_owned(), found: 3, supported: LAYOUT });
    assert!(refused.to_string().contains("made by a newer stormbell (layout 3, this one reads up to 1)"), "{refused}");
    assert!(matches!(crate::store::repair(dir.path()), Err(StoreError::Newer { found: 3, .. })));
    assert_eq!(fs::read_to_string(dir.path().join("stormbell.layout")).unwrap(), "layout 3\n");
}

#[test]
fn a_newer_layout_is_also_seen_inside_sled() {
    let dir = tempfile::tempdir().unwrap();
    drop(Store::open(dir.path()).unwrap());
    let trees = Trees::open(&dir.path().join(SLED_DIR)).unwrap();
    let mut edits = Edits::default();
    meta::put_layout(&mut edits, 2).unwrap();
    trees.apply(&edits).unwrap();
    drop(trees);
    assert!(matches!(Store::open(dir.path()), Err(StoreError::Newer { found: 2, .. })));
    fs::remove_file(dir.path().join("stormbell.layout")).unwrap();
    assert!(matches!(Store::open(dir.path()), Err(StoreError::Newer { found: 2, .. })));
}

#[test]
fn a_row_of_a_newer_format_is_named() {
    let store = super::watching(&["a"]);
    let tree = store.0.trees.tree(In::WatchPoints);
    let mut bytes = tree.get("a").unwrap().unwrap().to_vec();
    bytes[0] = u8::MAX;
    tree.insert("a", bytes).unwrap();
    assert!(store.watch_point("a").unwrap_err().to_string().contains("a newer stormbell wrote"));
}

/// A kill in the middle of making the very first store leaves nothing that the next start stumbles over.
#[test]
fn an_unfinished_creation_is_begun_again() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("stormbell.creating"), "").unwrap();
    fs::create_dir_all(dir.path().join(SLED_DIR)).unwrap();
    fs::write(dir.path().join(SLED_DIR).join("conf"), "segment_si").unwrap();
    fs::write(dir.path().join(SLED_DIR).join("db"), vec![7; 5000]).unwrap();
    let store = Store::open(dir.path()).unwrap();
    store.put_watch_point(&point("a")).unwrap();
    assert!(!dir.path().join("stormbell.creating").exists());
}

#[test]
fn a_file_in_place_of_the_directory_is_a_typed_error() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("data");
    fs::write(&file, "not a directory").unwrap();
    assert!(matches!(Store::open(&file), Err(StoreError::Io { .. })));
}

/// Field report D01, at a later moment: a page that turns out damaged in the middle of the work.
#[test]
fn a_panic_of_sled_closes_the_store_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    store.put_watch_point(&point("a")).unwrap();
    let hurt: Result<(), _> = store.run(|_| panic!("a page is torn"));
    let StoreError::Corrupt { dir: named, why, .. } = hurt.unwrap_err() else { panic!("not corrupt") };
    assert_eq!((named.as_path(), why.as_str()), (dir.path(), "a page is torn"));
    assert!(matches!(store.watch_points(), Err(StoreError::Corrupt { .. })));
    assert!(matches!(store.commit(&decision("a", "d1", 1)), Err(StoreError::Corrupt { .. })));
    assert!(store.health().broken);
    drop(store);
    assert_eq!(Store::open(dir.path()).unwrap().watch_points().unwrap().rows, [point("a")]);
}
