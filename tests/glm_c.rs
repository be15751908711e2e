//! The C library reads every recorded granule as the reader in Rust does. A binary of its own: with the feature everything that is
//! tested would be compiled anew.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "it/shared.rs"]
mod shared;

use stormbell::decode::glm;

#[test]
fn the_c_library_gives_the_same_numbers() {
    let Some(folder) = shared::path("data/recorded/glm") else { return };
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let (name, bytes) = (path.file_name().unwrap().to_string_lossy(), std::fs::read(&path).unwrap());
        assert_eq!(glm::granule(&name, &bytes).unwrap(), glm::granule_by_c_library(&name, &bytes).unwrap(), "{name}");
        compared += 1;
    }
    assert!(compared >= 10, "{compared}");
}
