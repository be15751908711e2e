//! Writes what is planted in `fixtures/`: the bundled day `days/2031-05-09`, the radar files of `mrms`, the model files of
//! `rap_profiles`, the volume of `nexrad` and the answers of `nws_facts`. Run it as
//! `cargo run --example make_fixtures`, and after it `scripts/make_glm_fixtures.py`, which writes the day's lightning.
//!
//! Everything in it is invented by the code beside this file; the same code always writes the same bytes. With `--check`
//! nothing is written: a panic says which committed files are not what this code writes.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod air;
mod day;
#[allow(dead_code)] // shared with tests that use more of it
mod grib;
#[allow(dead_code)] // the same
mod level2;
mod lightning;
mod mesonet;
#[allow(dead_code)] // the same
mod model;
mod outlooks;
mod products;
mod radar;
mod rap;
mod routine;
mod single;
mod storm;
mod truth;

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
        ("nws_facts", routine::files()),
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
    // Files of an earlier shape must not linger. Lightning is the other writer's.
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && entry.file_name() != lightning::FOLDER {
            let _ = std::fs::remove_dir_all(path);
        } else if path.is_file() {
            let _ = std::fs::remove_file(path);
        }
    }
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("every file has a folder")).expect("fixtures can be written");
        std::fs::write(path, bytes).expect("fixtures can be written");
    }
}
