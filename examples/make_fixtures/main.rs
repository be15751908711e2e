//! Writes what is planted in `fixtures/`: the bundled day `days/2031-05-09`, the radar files of `mrms`, the model files of
//! `rap_profiles` and the volume of `nexrad`. Run it as
//! `cargo run --example make_fixtures`.
//!
//! Everything in it is invented by the code beside this file; the same code always writes the same bytes. With `--check`
//! nothing is written: a panic says which committed files are not what this code writes.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod day;
#[allow(dead_code)] // shared with tests that use more of it
mod grib;
#[allow(dead_code)] // the same
mod level2;
#[allow(dead_code)] // the same
mod model;
mod products;
mod radar;
mod rap;
mod single;
mod storm;

use std::path::Path;

fn main() {
    let check = std::env::args().any(|word| word == "--check");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let day = format!("days/{}", day::NAME);
    let all = [
        (day.as_str(), day::files()),
        ("mrms", single::files()),
        ("mrms/odd", radar::files()),
        ("nexrad", level2::files()),
        ("rap_profiles", rap::files()),
    ];
    for (folder, files) in all {
        let folder = root.join(folder);
        if check {
            compare(&folder, &files);
        } else {
            write(&folder, &files);
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
