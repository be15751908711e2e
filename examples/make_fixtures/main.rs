<<<<<<< HEAD
//! Writes the bundled day `fixtures/days/2031-05-09` and the radar files `fixtures/mrms`, with planted truth:
=======
//! Writes what is planted in `fixtures/`: the bundled day `days/2031-05-09` and the radar files of `mrms`. Run it as
>>>>>>> main
//! `cargo run --example make_fixtures`.
//!
//! Everything in it is invented by the code beside this file; the same code always writes the same bytes. With `--check`
//! nothing is written: a panic says which committed files are not what this code writes.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod day;
#[allow(dead_code)] // shared with tests that use more of it
mod grib;
mod products;
<<<<<<< HEAD
mod radar;
=======
mod single;
>>>>>>> main
mod storm;

use std::path::Path;

fn main() {
    let check = std::env::args().any(|word| word == "--check");
<<<<<<< HEAD
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
=======
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let day = format!("days/{}", day::NAME);
    for (folder, files) in [(day.as_str(), day::files()), ("mrms", single::files())] {
        let folder = root.join(folder);
        if check {
            compare(&folder, &files);
        } else {
            write(&folder, &files);
>>>>>>> main
        }
        let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        println!("{}: {} files, {bytes} bytes", folder.display(), files.len());
    }
}

fn compare(folder: &Path, files: &[(String, Vec<u8>)]) {
    let differs = |(name, bytes): &&(String, Vec<u8>)| std::fs::read(folder.join(name)).ok().as_ref() != Some(bytes);
    let stale: Vec<&str> = files.iter().filter(differs).map(|(name, _)| name.as_str()).collect();
    assert!(stale.is_empty(), "not what this code writes: {stale:?}");
}

fn write(folder: &Path, files: &[(String, Vec<u8>)]) {
    // Files of an earlier shape must not linger.
    let _ = std::fs::remove_dir_all(folder);
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("every file has a folder")).expect("fixtures can be written");
        std::fs::write(path, bytes).expect("fixtures can be written");
    }
}
