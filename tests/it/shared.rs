//! Where the recordings shared by the project are, if they are here.

use std::path::PathBuf;

/// The path of a file or folder under `../shared`, or `None` (said on stderr) where the recordings are not there.
///
/// With `STORMBELL_SHARED=required` a missing file fails the test instead.
pub fn path(relative: &str) -> Option<PathBuf> {
    let root = std::env::var_os("STORMBELL_SHARED_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let path = root.join(relative);
    if path.exists() {
        return Some(path);
    }
    assert!(
        std::env::var("STORMBELL_SHARED").as_deref() != Ok("required"),
        "STORMBELL_SHARED=required, but {} is missing",
        path.display()
    );
    eprintln!("skipped: {} is not here", path.display());
    None
}
