//! `cargo bench --bench mosaic`: what it costs to turn a national mosaic into sparse cells, and to ask them.
//!
//! Everything is measured in one run, one thing after the other, so that the ratios mean something on a shared machine. The
//! recordings are looked for in `../shared` (or `STORMBELL_SHARED_DIR`); where they are missing, made-up files of the
//! same size and about the same number of signals stand in.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use stormbell::clock::Stopwatch;
use stormbell::decode::mrms;
use stormbell::geo::{CONUS_LAT_DEG, CONUS_LON_DEG, LatLon};
use stormbell::mosaic::{Cells, Grid, Kind, Mosaic, Product};
use stormbell::observation::{
    GOES_GLM, IEM_REPORTS, NWS_WARNINGS, Observation, PlaceZones, RAP_PROFILES, Report, SPC_MESOSCALE, SPC_OUTLOOKS,
};
use stormbell::threat::assess::judge_evidence;
use stormbell::threat::evidence::{Evidence, Memory};
use stormbell::threat::picture::Picture;
use stormbell::warning::WarningSnapshot;

#[path = "../examples/make_fixtures/grib.rs"]
#[allow(dead_code)]
mod planted;

/// Counts what is allocated, so that "memory that the decode adds" is a figure and not a belief.
#[global_allocator]
static ALLOCATOR: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

/// What a run of `work` adds at most to the memory held.
fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = work();
    (result, ALLOCATOR.peak_usage() - before)
}

/// The median of several runs.
fn time<T>(runs: usize, mut work: impl FnMut() -> T) -> Duration {
    let mut all: Vec<Duration> = (0..runs)
        .map(|_| {
            let watch = Stopwatch::start();
            std::hint::black_box(work());
            watch.elapsed()
        })
        .collect();
    all.sort();
    all[all.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

struct Random(u64);

impl Random {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((self.0 >> 11) as f64 / (1u64 << 53) as f64)
    }
}

fn file(name: &str, made_up: impl Fn() -> planted::MrmsSpec) -> Vec<u8> {
    let shared = std::env::var_os("STORMBELL_SHARED_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let path = shared.join("data/recorded/mrms").join(name);
    std::fs::read(&path).unwrap_or_else(|_| {
        println!("{} is not here: a made-up file stands in", path.display());
        planted::encode_mrms(&made_up())
    })
}

/// A national grid with storms strewn over it.
fn made_up(mut spec: planted::MrmsSpec, (ni, nj): (u32, u32), storms: usize, lowest: f64) -> planted::MrmsSpec {
    (spec.ni, spec.nj, spec.lat_north_deg, spec.lon_west_deg) = (ni, nj, 54.995, -129.995);
    let mut random = Random(5);
    for _ in 0..storms {
        let (i, j) = (random.between(0.2, 0.8) * f64::from(ni), random.between(0.2, 0.8) * f64::from(nj));
        let (width, height) = (random.between(5.0, 30.0), random.between(5.0, 30.0));
        let value = random.between(lowest, lowest * 10.0).round();
        let patch = planted::Patch { from: (i as u32, j as u32), to: ((i + width) as u32, (j + height) as u32), value };
        spec.patches.push(patch);
    }
    spec
}

/// The PNG inside a bare GRIB message, and its whole zlib stream.
fn png_of(grib: &[u8]) -> (&[u8], Vec<u8>) {
    let start = grib.windows(8).position(|w| w == b"\x89PNG\r\n\x1a\n").expect("a PNG inside");
    let png = &grib[start..grib.len() - 4];
    let (mut at, mut zlib) = (8, Vec::new());
    while at + 8 <= png.len() {
        let length = u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize;
        if &png[at + 4..at + 8] == b"IDAT" {
            zlib.extend_from_slice(&png[at + 8..at + 8 + length]);
        }
        at += 12 + length;
    }
    (png, zlib)
}

fn png_full(png: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut out = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut out).unwrap();
    out
}

fn png_rows(png: &[u8]) -> u64 {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut row = vec![0; reader.output_line_size(reader.info().width).unwrap()];
    let mut sum = 0;
    while reader.read_row(&mut row).unwrap().is_some() {
        sum += u64::from(row[0]);
    }
    sum
}

fn grib_full(grib: &[u8]) -> Vec<f32> {
    let grib2 = grib::from_bytes(grib).unwrap();
    let (_, message) = grib2.iter().next().unwrap();
    grib::Grib2SubmessageDecoder::from(message).unwrap().dispatch().unwrap().collect()
}

fn decode(name: &str, gz: &[u8]) -> Cells {
    let field = mrms::field(name, gz).unwrap();
    field.cells
}

fn compare(name: &str, gz: &[u8], grib: &[u8]) {
    let field = mrms::field(name, gz).unwrap();
    let ni = field.cells.grid().ni as usize;
    let (mut differing, mut signals) = (0u64, 0u64);
    for (n, value) in grib_full(grib).into_iter().enumerate() {
        let reading = field.cells.reading((n / ni) as u32, (n % ni) as u32).unwrap();
        // The grib crate works in f32; rounding to thousandths gives back what was packed.
        let value = (f64::from(value) * 1e3).round() / 1e3;
        let same = reading.kind == field.profile.kind_of(value)
            && reading.value.is_none_or(|read| (read - value).abs() < 1e-6);
        differing += u64::from(!same);
        signals += u64::from(reading.kind == Kind::Signal);
    }
    println!(
        "  cell by cell against the grib crate: {differing} of {} differ ({signals} signals)",
        field.cells.counts_all()
    );
    assert_eq!(differing, 0, "{name}");
}

trait CountsAll {
    fn counts_all(&self) -> u64;
}

impl CountsAll for Cells {
    fn counts_all(&self) -> u64 {
        u64::from(self.grid().ni) * u64::from(self.grid().nj)
    }
}

fn decoding(title: &str, name: &str, gz: &[u8], product: Product) {
    let mut grib = vec![0; u32::from_le_bytes(*gz.last_chunk::<4>().unwrap()) as usize];
    let gunzip = time(9, || libdeflater::Decompressor::new().gzip_decompress(gz, &mut grib).unwrap());
    let (png, zlib) = png_of(&grib);
    let cells = decode(name, gz);
    println!("\n{title}: {} cells, {} bytes gzipped", cells.counts_all(), gz.len());

    let pixels = png_full(png).len();
    let mut buffer = vec![0u8; pixels + cells.grid().nj as usize];
    let inflate = time(9, || libdeflater::Decompressor::new().zlib_decompress(&zlib, &mut buffer).unwrap());
    drop(buffer);
    let (_, png_bytes) = peak_of(|| png_full(png));
    let (_, our_bytes) = peak_of(|| decode(name, gz));
    // Taken in turns, so that a busy neighbour hits all alike.
    let (mut full, mut rows, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..9 {
        full.push(time(1, || png_full(png)));
        rows.push(time(1, || png_rows(png)));
        ours.push(time(1, || decode(name, gz)));
    }
    let median = |all: &mut Vec<Duration>| {
        all.sort();
        all[all.len() / 2]
    };
    let (full, rows, ours) = (median(&mut full), median(&mut rows), median(&mut ours));
    let grib_crate = time(1, || grib_full(&grib));
    let line = |what: &str, time: Duration| {
        println!("  {what:<58} {:>9.2} ms  {:>6.3} x png", ms(time), ms(time) / ms(full));
    };
    line("gunzip (libdeflater)", gunzip);
    line("inflate alone (libdeflater into a reused buffer)", inflate);
    line("png crate, row by row, nothing kept", rows);
    line("png crate, full decode", full);
    line("grib crate, full decode to f32", grib_crate);
    line("ours: gz to sparse cells", ours);
    println!("  target: ours <= 0.6 x png full decode: {}", verdict(ms(ours) <= 0.6 * ms(full)));
    let mb = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    println!("  memory added at peak: ours {:.2} MB (png full decode {:.1} MB)", mb(our_bytes), mb(png_bytes));
    println!("  target: decode adds <= 32 MB: {}", verdict(our_bytes <= 32 << 20));
    let wire = postcard::to_allocvec(&cells).unwrap().len();
    println!("  sparse cells: {} bytes held, {wire} bytes in binary form", cells.size_bytes());
    let to_wire = time(3, || postcard::to_allocvec(&cells).unwrap());
    println!("  writing the binary form {:.2} ms", ms(to_wire));
    compare(name, gz, &grib);
    asking(&cells, product);
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}

fn places_over_conus(n: usize) -> Vec<LatLon> {
    let mut random = Random(1);
    (0..n)
        .map(|_| {
            let lat = random.between(CONUS_LAT_DEG.0, CONUS_LAT_DEG.1);
            LatLon::new(lat, random.between(CONUS_LON_DEG.0, CONUS_LON_DEG.1)).unwrap()
        })
        .collect()
}

/// Places within `km` of a cell with signal.
fn places_near_signal(cells: &Cells, n: usize, km: f64) -> Vec<LatLon> {
    let grid = *cells.grid();
    let mut signals = Vec::new();
    for row in 0..grid.nj {
        for column in 0..grid.ni {
            if cells.reading(row, column).is_some_and(|reading| reading.kind == Kind::Signal) {
                signals.push((row, column));
            }
        }
    }
    let mut random = Random(2);
    (0..n)
        .map(|_| {
            let (row, column) = signals[random.between(0.0, signals.len() as f64) as usize];
            let centre = grid.centre(row, column).unwrap();
            centre.travel(random.between(0.0, 360.0), random.between(0.0, km))
        })
        .collect()
}

fn asking(cells: &Cells, product: Product) {
    let at: jiff::Timestamp = "2026-06-10T21:30:00Z".parse().unwrap();
    let mosaic = Arc::new(Mosaic { product, valid_utc: at, key: "new".to_owned(), cells: cells.clone() });
    let conus = places_over_conus(100_000);
    let near = places_near_signal(cells, 100_000, 60.0);
    let mut before = healthy(at);
    before.zones = Arc::new(conus.iter().chain(&near).map(|&place| (place.key_4dp(), zones(place, at))).collect());
    let mut picture = before.clone();
    picture.mosaics.insert(product, mosaic);
    for (what, places) in [("over CONUS", &conus), ("within 60 km of signal", &near)] {
        let mut each: Vec<Duration> = places
            .iter()
            .take(20_000)
            .map(|&place| {
                let watch = Stopwatch::start();
                std::hint::black_box(cells.max_within(place, 40.0));
                watch.elapsed()
            })
            .collect();
        each.sort();
        let us = |at: f64| each[((each.len() - 1) as f64 * at) as usize].as_secs_f64() * 1e6;
        println!(
            "  maximum within 40 km, {what:<22} median {:>7.2} µs   p99 {:>7.2} µs   most {:>8.2} µs{}",
            us(0.5),
            us(0.99),
            us(1.0),
            if what == "over CONUS" {
                format!("   target <= 20 µs: {}", verdict(us(0.5) <= 20.0))
            } else {
                String::new()
            }
        );
        let nearest = time(3, || places.iter().filter(|&&p| cells.nearest_at_least(p, 10.0, 40.0).is_some()).count());
        println!(
            "  nearest cell >= 10 within 40 km, {what}: {:.2} µs a place",
            ms(nearest) * 1e3 / places.len() as f64
        );
        // What synthesis does when a mosaic is new: look at it from every watch point and judge each. What it saw of the
        // other products it remembers.
        let mut all: Vec<Duration> = (0..3)
            .map(|_| {
                let mut memories: Vec<Memory> = places.iter().map(|&place| remembered(&before, place, at)).collect();
                let watch = Stopwatch::start();
                for (memory, &place) in memories.iter_mut().zip(places) {
                    std::hint::black_box(judge_evidence(&Evidence::gather(&picture, place, at, memory), at));
                }
                watch.elapsed()
            })
            .collect();
        all.sort();
        println!(
            "  100,000 watch points {what} assessed against the new mosaic: {:.3} s{}",
            all[1].as_secs_f64(),
            if what == "over CONUS" {
                format!("   target <= 0.5 s: {}", verdict(all[1].as_secs_f64() <= 0.5))
            } else {
                String::new()
            }
        );
    }
}

fn remembered(picture: &Picture, place: LatLon, at: jiff::Timestamp) -> Memory {
    let mut memory = Memory::default();
    std::hint::black_box(Evidence::gather(picture, place, at, &mut memory));
    memory
}

/// The zones of a place, as every watch point has them within a minute.
fn zones(place: LatLon, at: jiff::Timestamp) -> Arc<PlaceZones> {
    let ugc = vec!["KSC001".to_owned(), "KSZ001".to_owned()];
    Arc::new(PlaceZones { place, ugc, time_zone: None, learned_utc: at })
}

/// A picture with warnings and radar up and nothing going on: a good poll of warnings, a quiet mosaic of each product. The other
/// sources are switched off (`benches/severe` measures with all of them).
fn healthy(at: jiff::Timestamp) -> Picture {
    let off = [GOES_GLM, IEM_REPORTS, RAP_PROFILES, SPC_MESOSCALE, SPC_OUTLOOKS];
    let mut picture = Picture { off: Arc::new(off.into_iter().collect()), ..Picture::default() };
    let snapshot = WarningSnapshot { updated_utc: Some(at), ..WarningSnapshot::default() };
    picture.take(&Report {
        source: NWS_WARNINGS,
        polled_utc: at,
        good: true,
        observations: vec![Observation::Warnings(Arc::new(snapshot))],
        faults: Vec::new(),
    });
    let grid = Grid {
        ni: 700,
        nj: 350,
        lat_north_ndeg: 54_950_000_000,
        lon_west_ndeg: -129_950_000_000,
        d_lat_ndeg: 100_000_000,
        d_lon_ndeg: 100_000_000,
    };
    for product in Product::ALL {
        let nothing = match product {
            Product::MeshMax60min | Product::Vil => -1.0,
            Product::RotationTrackMl60min | Product::RotationTrackLl60min => 0.0,
            Product::CompositeReflectivity => -99.0,
        };
        let quiet = Mosaic::from_values(product, at, "quiet", grid, |_, _| nothing).unwrap();
        picture.mosaics.insert(product, Arc::new(quiet));
    }
    picture
}

fn main() {
    let at: jiff::Timestamp = "2026-06-10T21:30:00Z".parse().unwrap();
    let mesh =
        file("mrms_mesh_sample.grib2.gz", || made_up(planted::MrmsSpec::mesh_max_60min(at), (7000, 3500), 60, 5.0));
    decoding("MESH, 0.01 degrees, 16 bits", "mrms_mesh_sample.grib2.gz", &mesh, Product::MeshMax60min);
    let rotation = file("mrms_rotationtrackml60min_sample.grib2.gz", || {
        made_up(planted::MrmsSpec::rotation_ml_60min(at), (14_000, 7000), 800, 3.0)
    });
    decoding(
        "Rotation, 0.005 degrees, 8 bits",
        "mrms_rotationtrackml60min_sample.grib2.gz",
        &rotation,
        Product::RotationTrackMl60min,
    );
}
