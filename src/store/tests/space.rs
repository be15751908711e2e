//! Field report D05: a store that writes and deletes all day stays small.

use super::{at, decision, point};
use crate::store::{LedgerOutcome, Store};

/// Bytes that the loop below may leave on disk. What lives at its end is under 1 MB; sled keeps segments of 512 kB and
/// rewrites lazily.
const BYTES_MAX: u64 = 64 << 20;

#[test]
fn space_is_bounded_when_rows_come_and_go() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    store.put_watch_point(&point("a")).unwrap();
    store.writer().limits.journal = 100;
    store.writer().limits.ledger = 20;
    let mut most = 0;
    // 10 kB a notice, written twice: 40 MB and more through the log.
    for n in 0..1_500 {
        let mut one = decision("a", &format!("d{n}"), n);
        one.deliveries[0].html = format!("{n} ").repeat(2_500);
        store.commit(&one).unwrap();
        store.settle(&format!("d{n}"), LedgerOutcome::Told("250".into()), at(n)).unwrap();
        most = most.max(if n % 100 == 0 { store.health().bytes_on_disk } else { 0 });
    }
    let health = store.health();
    assert_eq!((health.journal_entries, health.told), (100, 20));
    assert!(most < BYTES_MAX, "{most} bytes on disk");
}
