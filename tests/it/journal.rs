//! The journal answers "why" by itself: every entry of a replayed day, judged again from its own basis, gives the same
//! assessment and the same change to the byte.

use std::path::Path;
use std::process::Command;
use stormbell::store::Store;

#[test]
fn every_change_of_the_bundled_day_is_judged_the_same_from_the_journal_alone() {
    let data = tempfile::tempdir().unwrap();
    let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09");
    let out = Command::new(env!("CARGO_BIN_EXE_stormbell"))
        .arg("replay")
        .arg(day)
        .args(["--watch", "larkfield,37.74,-98.21", "--json", "--data-dir"])
        .arg(data.path())
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let store = Store::open(data.path()).unwrap();
    let entries = store.journal(None, 0, 100).unwrap().rows;
    assert!(entries.len() >= 5, "{} changes", entries.len());
    for entry in entries {
        let change = entry.change;
        let basis = entry.basis.expect("every change of a service has its basis");
        let (assessment, again) = basis.judge_again(&change.watch_point, change.at_utc);
        assert_eq!(assessment, change.assessment);
        let again = again.expect("the same basis makes the same change");
        assert_eq!(serde_json::to_string(&again).unwrap(), serde_json::to_string(&change).unwrap());
    }
}
