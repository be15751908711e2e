//! Writes the bundled day `fixtures/days/2031-05-09` and the radar files `fixtures/mrms`, with planted truth:
//! `cargo run --example make_fixtures`.
//!
//! Everything in it is invented by the code beside this file; the same code always writes the same bytes. With `--check`
//! nothing is written: exit code 1 says that the committed files are not what this code writes.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod day;
#[allow(dead_code)] // shared with tests that use more of it
mod grib;
mod products;
mod radar;
mod storm;

use std::path::Path;

fn main() {
    let check = std::env::args().any(|word| word == "--check");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    write(&fixtures.join("days").join(day::NAME), &day::files(), check);
    write(&fixtures.join("mrms"), &radar::files(), check);
}

fn write(root: &Path, files: &[(String, Vec<u8>)], check: bool) {
    let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    if check {
        let differs = |(name, bytes): &&(String, Vec<u8>)| std::fs::read(root.join(name)).ok().as_ref() != Some(bytes);
        let stale: Vec<&str> = files.iter().filter(differs).map(|(name, _)| name.as_str()).collect();
        assert!(stale.is_empty(), "not what this code writes: {stale:?}");
    } else {
        // Files of an earlier shape must not linger in the folder.
        let _ = std::fs::remove_dir_all(root);
        for (name, bytes) in files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().expect("every file has a folder")).expect("fixtures can be written");
            std::fs::write(path, bytes).expect("fixtures can be written");
        }
    }
    println!("{}: {} files, {bytes} bytes", root.display(), files.len());
}
