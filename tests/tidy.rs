//! The rules of the house as tests (std only): floors, room sizes, bans, and what every source must bring.
//!
//! A rule is a pure function from files to complaints, so that each can be fed something bad and must complain.

#[path = "tidy/bans.rs"]
mod bans;
#[path = "tidy/floors.rs"]
mod floors;
#[path = "tidy/lex.rs"]
mod lex;
#[path = "tidy/papers.rs"]
mod papers;

use std::path::{Path, PathBuf};

/// One source file: where it is, its text, and its code without comments, literals and tests.
#[derive(Debug, Clone)]
pub struct File {
    /// From the root of the repository, with forward slashes.
    pub path: String,
    /// As it is.
    pub text: String,
    /// What the compiler builds into the program: comments, literals and test modules blanked out.
    pub code: String,
}

impl File {
    /// A file with its code worked out.
    pub fn new(path: &str, text: &str) -> Self {
        let code = if is_test_file(path) { String::new() } else { lex::without_tests(&lex::code_only(text)) };
        Self { path: path.to_owned(), text: text.to_owned(), code }
    }

    /// Path of modules below `src`, for instance `["cli", "print"]`.
    pub fn modules(&self) -> Vec<&str> {
        let inner = self.path.trim_start_matches("src/").trim_end_matches(".rs");
        inner.split('/').collect()
    }
}

fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/") || path.starts_with("tests/")
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below `folder` that `wanted` accepts, sorted; paths from the root of the repository.
fn paths(folder: &str, wanted: &dyn Fn(&Path) -> bool) -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    let relative = |path: PathBuf| path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().replace('\\', "/");
    let mut found: Vec<String> = found.into_iter().filter(|path| wanted(path)).map(relative).collect();
    found.sort();
    found
}

fn rust_files(folder: &str) -> Vec<File> {
    let rust = |path: &Path| path.extension().is_some_and(|extension| extension == "rs");
    paths(folder, &rust).iter().map(|path| File::new(path, &read(path))).collect()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_default()
}

#[track_caller]
fn none(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} breach(es):\n  {}", complaints.len(), complaints.join("\n  "));
}

#[test]
fn files_look_down() {
    none(&floors::breaches(&rust_files("src")));
}

#[test]
fn rooms_are_small() {
    let files: Vec<File> = ["src", "tests", "examples", "benches"].into_iter().flat_map(rust_files).collect();
    let mut sizes: Vec<usize> = files.iter().map(|file| file.text.lines().count()).collect();
    sizes.sort_unstable();
    let at = |share: f64| sizes[((sizes.len() - 1) as f64 * share) as usize];
    println!("{} rooms: median {} lines, nine in ten below {}, largest {}", sizes.len(), at(0.5), at(0.9), at(1.0));
    none(&bans::large_rooms(&files));
}

#[test]
fn nothing_banned_is_used() {
    let files = rust_files("src");
    none(&bans::banned_words(&files));
    none(&bans::banned_names(&files));
    none(&bans::undescribed(&files));
}

#[test]
fn no_file_knows_this_machine() {
    let text = |path: &Path| {
        let known = ["rs", "toml", "md", "json", "jsonl", "run", "yml", "py", "sh"];
        path.extension().map_or(path.ends_with("run"), |e| known.iter().any(|k| e == *k))
    };
    let folders = ["src", "tests", "examples", "benches", "config", "fixtures", "assets", "scripts", ".ci"];
    let mut found: Vec<String> = folders.into_iter().flat_map(|folder| paths(folder, &text)).collect();
    found.extend(["README.md", "ARCHITECTURE.md", "Cargo.toml"].map(str::to_owned));
    let files: Vec<(String, String)> = found.into_iter().map(|path| (path.clone(), read(&path))).collect();
    none(&bans::machine_paths(&files));
}

#[test]
fn every_source_brings_its_papers() {
    let is_source = |path: &String| path.matches('/').count() == 2 && !is_test_file(path);
    let sources: Vec<String> = paths("src/sources", &|_| true).into_iter().filter(is_source).collect();
    let fixtures = paths("fixtures", &|_| true);
    none(&papers::sources(&sources, &fixtures, &read("config/default.toml"), &read("src/sources.rs")));
}

#[test]
fn every_fixture_says_where_it_came_from() {
    none(&papers::fixtures(&paths("fixtures", &|_| true), &read("fixtures/README.md")));
}

#[test]
fn every_asset_says_where_it_came_from() {
    let assets: Vec<String> = paths("assets", &|path| !path.ends_with("README.md"));
    assert!(!assets.is_empty());
    let readme = read("assets/README.md");
    let untold = assets.iter().filter(|path| !readme.contains(&format!("`{}`", path.trim_start_matches("assets/"))));
    none(&untold.map(|path| format!("{path}: assets/README.md does not say where it came from")).collect::<Vec<_>>());
}

#[test]
fn the_lock_file_is_committed() {
    assert!(!read("Cargo.lock").is_empty(), "Cargo.lock is missing");
    assert!(!read(".gitignore").contains("Cargo.lock"), "Cargo.lock is ignored by git");
}
