//! Field report D01: damaged files give a typed error and a way out, never a panic and never an empty store.

use super::{Dice, at, decision, point, rounds, state, was_told};
use crate::store::beside::SLED_DIR;
use crate::store::trees::In;
use crate::store::{LedgerOutcome, Store, StoreError, repair};
use std::fs;
use std::path::{Path, PathBuf};

const POINTS: usize = 12;

/// A store with something in every tree, closed; opened twice, so that sled has written a snapshot between.
fn planted(dir: &Path) {
    let mut store = Store::open(dir).unwrap();
    for n in 0..POINTS {
        store.put_watch_point(&point(&format!("p{n:02}"))).unwrap();
    }
    for n in 0..30_i64 {
        if n == 15 {
            drop(store);
            store = Store::open(dir).unwrap();
        }
        let id = format!("d{n}");
        store.commit(&decision(&format!("p{:02}", n % 12), &id, n)).unwrap();
        if n < 20 {
            store.settle(&id, LedgerOutcome::Told("250".into()), at(n)).unwrap();
        }
        store.put_cursor("mrms", &id, at(n)).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The files of the planted store that hold something.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir.join(SLED_DIR))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && fs::metadata(path).unwrap().len() > 0)
        .map(|path| path.strip_prefix(dir).unwrap().to_owned())
        .collect();
    files.sort();
    files
}

/// What a whole store holds: watch points, journal entries, notices.
const WHOLE: [usize; 3] = [POINTS, 30, 30];

/// Everything that the store can be asked.
fn read_all(store: &Store) -> Result<[usize; 3], StoreError> {
    if let Some(error) = store.first_damage()? {
        return Err(error);
    }
    let notices = store.pending()?.len() + store.ledger(0, usize::MAX)?.len();
    Ok([store.watch_points()?.len(), store.journal(None, 0, usize::MAX)?.len(), notices])
}

fn damage(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let len = bytes.len() as u64;
    match dice.roll(3) {
        0 => bytes.truncate(dice.roll(len) as usize),
        1 => {
            for _ in 0..=dice.roll(8) {
                let place = dice.roll(len) as usize;
                bytes[place] ^= 1 << dice.roll(8);
            }
        }
        _ => {
            let from = dice.roll(len) as usize;
            let to = (from + dice.roll(4_000) as usize).min(bytes.len());
            bytes[from..to].fill(0);
        }
    }
}

#[test]
fn damaged_files_give_the_whole_store_or_a_typed_error_and_repair_helps() {
    let home = tempfile::tempdir().unwrap();
    let sound = home.path().join("sound");
    planted(&sound);
    let files = files(&sound);
    let held = |name: &str| files.iter().any(|file| file.to_string_lossy().contains(name));
    assert!(held("db") && held("conf") && held("snap"), "{files:?}");
    let mut dice = Dice(0x5eed_0002);
    let (mut whole, mut refused) = (0, 0);
    for round in 0..rounds("STORMBELL_STORE_DAMAGE_ROUNDS", 60) as usize {
        let dir = home.path().join(format!("round-{round}"));
        copy(&sound, &dir);
        let file = dir.join(&files[round % files.len()]);
        let mut bytes = fs::read(&file).unwrap();
        damage(&mut bytes, &mut dice);
        fs::write(&file, bytes).unwrap();
        match Store::open(&dir).and_then(|store| read_all(&store)) {
            Ok(held) => {
                assert_eq!(held, WHOLE, "round {round}: a silent loss");
                whole += 1;
            }
            Err(StoreError::Corrupt { dir: named, hint, .. }) => {
                assert_eq!(named, dir);
                assert!(hint.contains("stormbell debug repair --data-dir"), "{hint}");
                let again = Store::open(&dir).and_then(|store| read_all(&store));
                assert!(matches!(again, Err(StoreError::Corrupt { .. })), "round {round}: {again:?}");
                refused += 1;
            }
            Err(other) => panic!("round {round}: {other}"),
        }
        match repair(&dir) {
            Ok(report) => {
                let store = Store::open(&dir).unwrap();
                assert_eq!(read_all(&store).unwrap()[0], POINTS, "round {round}: {report:?}");
                assert!(report.damaged.join(SLED_DIR).is_dir());
                store.commit(&decision("p00", "after", 99)).unwrap();
            }
            Err(StoreError::Healthy { .. }) => {}
            Err(other) => panic!("round {round}: {other}"),
        }
    }
    assert!(whole > 0 && refused > 20, "whole {whole}, refused {refused}: the dice show too little");
    let left: Vec<_> = fs::read_dir(home.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("salvage")), "{left:?}");
}

#[test]
fn missing_and_emptied_files_are_never_a_fresh_start() {
    let home = tempfile::tempdir().unwrap();
    let sound = home.path().join("sound");
    planted(&sound);
    for (case, (file, empty)) in
        [("sled/db", true), ("sled/db", false), ("sled/conf", false), ("sled", false), ("stormbell.layout", true)]
            .into_iter()
            .enumerate()
    {
        let dir = home.path().join(format!("case-{case}"));
        copy(&sound, &dir);
        let path = dir.join(file);
        match (empty, path.is_dir()) {
            (true, _) => fs::write(&path, "").unwrap(),
            (false, true) => fs::remove_dir_all(&path).unwrap(),
            (false, false) => fs::remove_file(&path).unwrap(),
        }
        assert!(matches!(Store::open(&dir), Err(StoreError::Corrupt { .. })), "case {case}");
        let report = repair(&dir).unwrap();
        let store = Store::open(&dir).unwrap();
        assert_eq!(store.health().watch_points, POINTS as u64, "case {case}: {report:?}");
        assert!(report.from_text_copy == 0 || report.from_text_copy == POINTS);
    }
}

#[test]
fn a_store_that_went_back_in_time_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let (dir, old) = (home.path().join("data"), home.path().join("old"));
    planted(&dir);
    copy(&dir, &old);
    Store::open(&dir).unwrap().commit(&decision("p00", "newer", 40)).unwrap();
    fs::remove_dir_all(dir.join(SLED_DIR)).unwrap();
    copy(&old.join(SLED_DIR), &dir.join(SLED_DIR));
    let refused = Store::open(&dir).unwrap_err().to_string();
    assert!(refused.contains("62 of 63 transactions"), "{refused}");
    // The notice of the lost transaction may have gone out: its number is not given again.
    let mut with_episode = decision("p00", "newer", 41);
    with_episode.states = vec![("p00".into(), crate::threat::PointState { episode: Some(episode()), ..state(41) })];
    fs::remove_file(dir.join("stormbell.commits")).unwrap();
    Store::open(&dir).unwrap().commit(&with_episode).unwrap();
    fs::write(dir.join("stormbell.commits"), "65\n").unwrap();
    let report = repair(&dir).unwrap();
    assert_eq!(report.unreadable, ["the last 2 transactions"]);
    let held = Store::open(&dir).unwrap().state("p00").unwrap().unwrap().episode.unwrap();
    assert_eq!(held.sequence, episode().sequence + 4);
}

fn episode() -> crate::threat::Episode {
    crate::threat::Episode {
        id: "episode".into(),
        began_utc: at(1),
        below_since_utc: None,
        sequence: 3,
        told_max: crate::threat::Level::Significant,
        told_blind: false,
        awaiting_sight: false,
        out_of_sight: Vec::new(),
        thread_roots: Vec::new(),
        told: Vec::new(),
        last_deliveries: Vec::new(),
        last_decided_utc: None,
    }
}

#[test]
fn repair_keeps_everything_readable_and_the_damaged_directory() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("data");
    planted(&dir);
    fs::write(dir.join("config.toml"), "# mine\n").unwrap();
    let before = {
        let store = Store::open(&dir).unwrap();
        store.0.trees.tree(In::Levels).insert("p03", &b"\x01"[..]).unwrap();
        store.0.trees.flush().unwrap();
        (store.pending().unwrap(), store.ledger(0, 99).unwrap(), store.journal(None, 0, 99).unwrap())
    };
    let report = repair(&dir).unwrap();
    assert!(report.why.contains("\"p03\" of levels"), "{report:?}");
    assert_eq!(report.unreadable.len(), 1, "{report:?}");
    assert!(report.damaged.file_name().unwrap().to_str().unwrap().starts_with("data.damaged-"));
    let saved = |tree: &str| report.saved.iter().find(|saved| saved.tree == tree).unwrap().rows;
    assert_eq!((saved("watch_points"), saved("levels"), saved("ledger")), (12, 11, 20));
    let store = Store::open(&dir).unwrap();
    assert_eq!(before, (store.pending().unwrap(), store.ledger(0, 99).unwrap(), store.journal(None, 0, 99).unwrap()));
    assert!(was_told(&store, "d19") && store.state("p03").unwrap().is_none());
    let next = store.commit(&decision("p03", "next", 50)).unwrap();
    assert_eq!((next.entries[0].number, next.rows[0].delivery.number), (31, 31), "numbers go on");
    assert_eq!(fs::read_to_string(dir.join("config.toml")).unwrap(), "# mine\n");
}

#[test]
fn repair_leaves_healthy_used_and_foreign_directories_alone() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("data");
    planted(&dir);
    assert_eq!(repair(&dir), Err(StoreError::Healthy { dir: dir.canonicalize().unwrap() }));
    let store = Store::open(&dir).unwrap();
    assert!(matches!(repair(&dir), Err(StoreError::InUse { pid: Some(_), .. })));
    assert_eq!(store.health().watch_points, POINTS as u64);
    let foreign = home.path().join("photos");
    fs::create_dir(&foreign).unwrap();
    assert!(matches!(repair(&foreign), Err(StoreError::NoStore { .. })));
    assert!(matches!(repair(&home.path().join("absent")), Err(StoreError::NoStore { .. })));
}

#[test]
fn an_interrupted_repair_is_refused_by_open_and_finished_by_repair() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("data");
    planted(&home.path().join("data.fresh-20260610T220000Z"));
    planted(&home.path().join("data.damaged-20260610T220000Z"));
    assert!(matches!(Store::open(&dir), Err(StoreError::Corrupt { .. })));
    assert!(!dir.exists());
    repair(&dir).unwrap();
    assert_eq!(Store::open(&dir).unwrap().health().watch_points, POINTS as u64);
}
