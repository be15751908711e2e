//! `cargo bench --bench severe`: what each source costs to read, what a brief costs with everything in memory, and what the
//! program itself costs from its start.
//!
//! Everything is measured in one run, one thing after the other, against a bound measured in the same run, so that the ratios
//! mean something on a shared machine. The peer's figures are those of `goldens/shearline.json`, taken on another day: they
//! tell the order of magnitude. Nothing is asserted but what is independent of the machine. Recordings are looked for in
//! `../shared` (or `STORMBELL_SHARED_DIR`); without them there is nothing to measure.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;
use std::time::Duration;
use stormbell::clock::Stopwatch;

#[path = "severe/alerts.rs"]
mod alerts;
#[path = "severe/briefs.rs"]
mod briefs;
#[path = "severe/decoders.rs"]
mod decoders;
#[path = "severe/program.rs"]
mod program;
#[path = "severe/scene.rs"]
mod scene;

/// A file of the recordings, and the file as bytes.
fn shared(path: &str) -> PathBuf {
    std::env::var_os("STORMBELL_SHARED_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from)
        .join(path)
}

fn recorded(path: &str) -> Vec<u8> {
    let path = shared("data/recorded").join(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Keeps the compiler from leaving out what nobody reads.
fn done<T>(result: T) {
    std::hint::black_box(result);
}

/// Each run of `work` by itself, shortest first.
fn times<T>(runs: usize, mut work: impl FnMut(usize) -> T) -> Vec<Duration> {
    let mut all: Vec<Duration> = (0..runs)
        .map(|run| {
            let watch = Stopwatch::start();
            std::hint::black_box(work(run));
            watch.elapsed()
        })
        .collect();
    all.sort();
    all
}

/// The one at `share` of sorted times: 0.5 is the median.
fn at(sorted: &[Duration], share: f64) -> Duration {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}

/// What the peer took for the same, in ms, and its memory in MB.
struct Peer(serde_json::Value);

impl Peer {
    fn read() -> Self {
        let path = shared("goldens/shearline.json");
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let goldens: serde_json::Value = serde_json::from_slice(&text).unwrap();
        Self(goldens["timings"].clone())
    }

    fn figure(&self, what: &str, figure: &str) -> f64 {
        self.0[what][figure].as_f64().unwrap_or_else(|| panic!("no {what} {figure} in goldens/shearline.json"))
    }

    fn warm_ms(&self, what: &str) -> f64 {
        self.figure(what, "warm_median_s") * 1e3
    }
}

fn main() {
    if !shared("data/recorded").is_dir() {
        println!("skipped: no recordings in {}", shared("data/recorded").display());
        return;
    }
    let peer = Peer::read();
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
    if wanted("decoders") {
        decoders::rap(&peer);
        decoders::glm(&peer);
        decoders::spc(&peer);
    }
    if wanted("alerts") {
        alerts::searches();
    }
    if wanted("briefs") {
        briefs::all(&peer);
    }
    if wanted("program") {
        program::over_stdio(&peer);
    }
    if wanted("files") {
        program::every_file();
    }
}
