//! `kill -9` at any moment: what was said to be committed is there, and nothing is half there (field reports D01, E07).

use super::{Dice, at, delivery, judged, point, rounds, state, was_told};
use crate::store::{Decision, LedgerOutcome, Store};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const CHILD_DIR: &str = "STORMBELL_STORE_KILL_DIR";
const POINTS: [&str; 3] = ["a", "b", "c"];
const ROUNDS: u64 = 15;
const ROUNDS_VARIABLE: &str = "STORMBELL_STORE_KILL_ROUNDS";

/// Second `n` decides `n` for all points, and tells one of the notices of the second before.
fn whole(n: i64) -> Decision {
    Decision {
        states: POINTS.iter().map(|id| ((*id).to_owned(), state(n))).collect(),
        changes: POINTS.iter().map(|id| judged(id, n)).collect(),
        deliveries: (0..2).map(|k| delivery(&format!("{n}-{k}"), &POINTS, n)).collect(),
        high_water_utc: Some(at(n)),
        ..Decision::default()
    }
}

/// Not a test of its own: the process that is killed.
#[test]
fn writer_process() {
    let Some(dir) = std::env::var_os(CHILD_DIR) else { return };
    let store = Store::open(Path::new(&dir)).unwrap();
    for id in POINTS {
        store.put_watch_point(&point(id)).unwrap();
    }
    // What the process before this one had committed and not yet told.
    for row in store.pending().unwrap().iter().filter(|row| row.delivery.id.ends_with("-0")) {
        store.settle(&row.delivery.id, LedgerOutcome::Told("250".into()), at(0)).unwrap();
    }
    for passing in store.watch_points().unwrap().iter().filter(|point| point.id.starts_with('w')) {
        store.remove_watch_point(&passing.id, at(0)).unwrap();
    }
    let mut out = std::io::stdout();
    let first = store.state("a").unwrap().map_or(1, |state| second(state.since_utc) + 1);
    for n in first.. {
        store.commit(&whole(n)).unwrap();
        writeln!(out, "\ncommitted {n}").unwrap();
        out.flush().unwrap();
        store.settle(&format!("{n}-0"), LedgerOutcome::Told("250".into()), at(n)).unwrap();
        writeln!(out, "\nsettled {n}").unwrap();
        out.flush().unwrap();
        // Points that come and go: a kill between sled and the text copy must not read as a loss afterwards.
        store.put_watch_point(&point(&format!("w{n}"))).unwrap();
        store.remove_watch_point(&format!("w{}", n - 2), at(0)).unwrap();
    }
}

fn second(time: jiff::Timestamp) -> i64 {
    time.as_second() - at(0).as_second()
}

#[test]
fn nothing_that_was_committed_is_lost_and_nothing_is_half() {
    let dir = tempfile::tempdir().unwrap();
    let mut dice = Dice(0x5eed_0001);
    let (mut last_seen, mut settled) = (0, 0);
    for round in 0..rounds(ROUNDS_VARIABLE, ROUNDS) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::tests::kill::writer_process", "--nocapture", "--test-threads=1"])
            .env(CHILD_DIR, dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        // Every fourth is killed while the store is being opened.
        let patience = Duration::from_millis(if round % 4 == 0 { dice.roll(60) } else { 40 + dice.roll(400) });
        let killer = std::thread::spawn(move || {
            std::thread::sleep(patience);
            child.kill().unwrap();
            child.wait().unwrap();
        });
        let mut said = BTreeMap::from([("committed", 0), ("settled", 0)]);
        for line in out.lines().map_while(Result::ok) {
            for (word, n) in &mut said {
                if let Some(number) = line.strip_prefix(word) {
                    *n = number.trim().parse().unwrap();
                }
            }
        }
        killer.join().unwrap();
        settled = said["settled"].max(settled);
        last_seen = check(dir.path(), said["committed"].max(last_seen), settled);
    }
    assert!(last_seen > 10, "the rounds were too short to show anything: {last_seen}");
}

/// Checks the store against what the killed process said; gives the last second that it holds.
fn check(dir: &Path, committed: i64, settled: i64) -> i64 {
    let store = Store::open(dir).unwrap();
    let states = store.states().unwrap();
    let last = states.first().map_or(0, |(_, state)| second(state.since_utc));
    assert!(last >= committed, "said {committed}, holds {last}");
    assert!(last <= committed + 1, "more than one commit was under way: {committed}, {last}");
    assert!(states.iter().all(|(_, state)| second(state.since_utc) == last), "half a decision: {states:?}");
    let journal = store.journal(None, 0, usize::MAX).unwrap();
    assert!(journal.damaged.is_empty());
    let seconds: Vec<i64> = journal.iter().map(|entry| second(entry.change.at_utc)).collect();
    let expected: Vec<i64> = (1..=last).flat_map(|n| [n; 3]).collect();
    assert_eq!(seconds, expected);
    let numbers: Vec<u64> = journal.iter().map(|entry| entry.number).collect();
    assert_eq!(numbers, (1..=3 * last as u64).collect::<Vec<_>>());
    let (pending, ledger) = (store.pending().unwrap(), store.ledger(0, usize::MAX).unwrap());
    assert_eq!((pending.len() + ledger.len()) as i64, 2 * last, "a notice is lost, or in both");
    for n in 1..=last {
        let (first, second) = (format!("{n}-0"), format!("{n}-1"));
        assert_eq!(was_told(&store, &first), store.pending_row(&first).unwrap().is_none());
        assert!(store.pending_row(&second).unwrap().is_some());
        assert!(n > settled || was_told(&store, &first), "{n} was told and forgotten");
    }
    let passing = store.watch_points().unwrap().iter().filter(|point| point.id.starts_with('w')).count();
    assert!(passing <= 3, "{passing} points that should have gone");
    assert!(last == 0 || store.high_water_utc().unwrap() == Some(at(last)));
    last
}
