//! What the radar floor reads from real recordings, against independent decodes (eccodes' TRUTH.json, the reference
//! implementation's goldens, the `grib` crate cell by cell) and against brute force.

use crate::shared;
use serde_json::Value;
use stormbell::cli::decode_mrms::describe;
use stormbell::decode::mrms;
use stormbell::geo::{LatLon, compass};
use stormbell::mosaic::{Cells, Coverage, Kind, Profile};

fn json(path: &str) -> Option<Value> {
    let text = std::fs::read_to_string(shared::path(path)?).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

fn recording(name: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(shared::path(&format!("data/recorded/mrms/{name}"))?).unwrap())
}

/// Small deterministic random numbers, so that a failure repeats.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() as f64 / (1u64 << 31) as f64)
    }
}

#[test]
fn every_recording_reads_as_eccodes_read_it() {
    let Some(truth) = json("data/recorded/TRUTH.json") else { return };
    let mut files = 0;
    for (key, file) in truth["grib"].as_object().unwrap() {
        let Some(name) = key.strip_prefix("mrms/") else { continue };
        files += 1;
        let expected = &file["messages"][0]["fields"][0];
        let field = mrms::field(name, &recording(name).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let grid = *field.cells.grid();
        let number = |what: &str| expected[what].as_f64().unwrap();
        assert_eq!((f64::from(grid.ni), f64::from(grid.nj)), (number("Ni"), number("Nj")), "{name}");
        assert!((grid.lat_deg(0) - number("latitudeOfFirstGridPointInDegrees")).abs() < 1e-6, "{name}");
        let east = number("longitudeOfFirstGridPointInDegrees");
        assert!((grid.lon_deg(0).rem_euclid(360.0) - east).abs() < 1e-6, "{name}");
        let cell = |index: u64| ((index / u64::from(grid.ni)) as u32, (index % u64::from(grid.ni)) as u32);
        let most = field.cells.max();
        if field.profile.kind_of(number("max")) == Kind::Signal {
            let (value, row, column) = most.unwrap();
            assert!((value - number("max")).abs() < 1e-4, "{name}: {value}");
            assert_eq!((row, column), cell(expected["argmax"].as_u64().unwrap()), "{name}");
        } else {
            assert_eq!(most, None, "{name}");
        }
        for sample in expected["samples"].as_array().unwrap() {
            let (row, column) = cell(sample[0].as_u64().unwrap());
            agree(&field.cells, &field.profile, row, column, sample[1].as_f64().unwrap());
        }
        let counts = field.cells.counts();
        assert_eq!(counts.no_coverage as f64, number("n_eq_-3") + number("n_eq_-999"), "{name}");
        let all = counts.signal + counts.no_coverage + counts.missing + counts.no_echo + counts.absent;
        assert_eq!(all as f64, number("n"), "{name}");
    }
    assert!(files >= 10, "{files} files");
}

/// That a cell holds what an independent decoder says: the value where it is a signal, else the kind of nothing.
fn agree(cells: &Cells, profile: &Profile, row: u32, column: u32, value: f64) {
    let reading = cells.reading(row, column).unwrap();
    // The other decoders work in f32: 25.4 there is 25.399999618.
    let value = (value * 1000.0).round() / 1000.0;
    assert_eq!(reading.kind, profile.kind_of(value), "row {row} column {column}: {value}");
    if let Some(read) = reading.value {
        assert!((read - value).abs() < 1e-6, "row {row} column {column}: {read} for {value}");
    }
}

fn by_grib_crate(file: &[u8]) -> Vec<f32> {
    let mut grib_bytes = Vec::new();
    let length = u32::from_le_bytes(*file.last_chunk::<4>().unwrap()) as usize;
    grib_bytes.resize(length, 0);
    libdeflater::Decompressor::new().gzip_decompress(file, &mut grib_bytes).unwrap();
    let grib2 = grib::from_bytes(grib_bytes).unwrap();
    let (_, message) = grib2.iter().next().unwrap();
    grib::Grib2SubmessageDecoder::from(message).unwrap().dispatch().unwrap().collect()
}

#[test]
fn every_cell_equals_the_grib_crates() {
    for name in ["mrms_mesh_sample.grib2.gz", "guam_MRMS_MultiSensor_QPE_01H_Pass1_00.00_20220601-120000.grib2.gz"] {
        let Some(file) = recording(name) else { return };
        let field = mrms::field(name, &file).unwrap();
        let values = by_grib_crate(&file);
        let ni = field.cells.grid().ni as usize;
        for (n, value) in values.iter().enumerate() {
            agree(&field.cells, &field.profile, (n / ni) as u32, (n % ni) as u32, f64::from(*value));
        }
    }
}

#[test]
fn goldens_of_the_reference_implementation() {
    let Some(goldens) = json("goldens/shearline.json") else { return };
    let mut fields: std::collections::HashMap<String, Cells> = std::collections::HashMap::new();
    for golden in goldens["mrms"].as_array().unwrap() {
        let name = golden["fixture"].as_str().unwrap();
        let cells = fields
            .entry(name.to_owned())
            .or_insert_with(|| mrms::field(name, &recording(name).unwrap()).unwrap().cells);
        let place = LatLon::new(golden["lat"].as_f64().unwrap(), golden["lon"].as_f64().unwrap()).unwrap();
        let radius_km = golden["radius_km"].as_f64().unwrap();
        let what = format!("{name} {} {radius_km} km", golden["name"]);
        let sample = &golden["sample"];
        assert_eq!(cells.count_within(place, radius_km) as u64, sample["cells_in_radius"].as_u64().unwrap(), "{what}");
        let max = cells.max_within(place, radius_km);
        let Some(expected) = sample["max"].as_f64() else {
            assert_eq!(max, None, "{what}");
            continue;
        };
        let max = max.unwrap();
        assert!((max.value - expected).abs() < 1e-4, "{what}: {}", max.value);
        let location = &sample["max_location"];
        // The reference reckons longitudes from the rounded last corner: up to a millionth of a degree off.
        assert!((max.at.lat() - location["lat"].as_f64().unwrap()).abs() < 2e-6, "{what}");
        assert!((max.at.lon() - location["lon"].as_f64().unwrap()).abs() < 2e-6, "{what}");
        assert!((max.distance_km - location["distance_km_raw"].as_f64().unwrap()).abs() < 1e-3, "{what}");
        assert_eq!(compass(max.bearing_deg), location["direction"].as_str().unwrap(), "{what}");
    }
}

#[test]
fn queries_agree_with_brute_force_over_every_cell() {
    let Some(file) = recording("mrms_mesh_sample.grib2.gz") else { return };
    let field = mrms::field("x", &file).unwrap();
    let values = by_grib_crate(&file);
    let grid = *field.cells.grid();
    let signals: Vec<(u32, u32, f64)> = (0u32..)
        .zip(&values)
        .filter(|(_, value)| field.profile.kind_of(f64::from(**value)) == Kind::Signal)
        .map(|(n, value)| (n / grid.ni, n % grid.ni, (f64::from(*value) * 10.0).round() / 10.0))
        .collect();
    let mut random = Random(7);
    for round in 0..60 {
        // Half of the places near signal, half anywhere, some beyond the grid's edge.
        let place = if round % 2 == 0 {
            let (row, column, _) = signals[random.below(signals.len())];
            let centre = grid.centre(row, column).unwrap();
            LatLon::new(centre.lat() + random.between(-0.4, 0.4), centre.lon() + random.between(-0.4, 0.4)).unwrap()
        } else {
            LatLon::new(random.between(19.5, 55.5), random.between(-130.5, -59.5)).unwrap()
        };
        let radius_km = [5.0, 16.0, 40.0, 125.0][round % 4];
        let threshold = [1.0, 10.0, 25.4][round % 3];
        let within: Vec<(f64, u32, u32, f64)> = signals
            .iter()
            .map(|&(row, column, value)| (place.distance_km(grid.centre(row, column).unwrap()), row, column, value))
            .filter(|cell| cell.0 <= radius_km)
            .collect();
        let most = within.iter().copied().reduce(|best, cell| if cell.3 > best.3 { cell } else { best });
        let least = |best: (f64, u32, u32, f64), cell: (f64, u32, u32, f64)| if cell.0 < best.0 { cell } else { best };
        let nearest = within.iter().copied().filter(|cell| cell.3 >= threshold).reduce(least);
        let place_of =
            |cell: Option<(f64, u32, u32, f64)>| cell.map(|(km, row, column, v)| (v, grid.centre(row, column), km));
        let seen =
            |cell: Option<stormbell::mosaic::Cell>| cell.map(|cell| (cell.value, Some(cell.at), cell.distance_km));
        assert_eq!(field.cells.count_within(place, radius_km), within.len(), "{place:?} {radius_km}");
        assert_eq!(seen(field.cells.max_within(place, radius_km)), place_of(most), "{place:?} {radius_km}");
        let found = field.cells.nearest_at_least(place, threshold, radius_km);
        assert_eq!(seen(found), place_of(nearest), "{place:?} {radius_km} {threshold}");
        assert_eq!(field.cells.coverage(place, radius_km), brute_coverage(&field.cells, place, radius_km), "{place:?}");
    }
}

fn brute_coverage(cells: &Cells, place: LatLon, radius_km: f64) -> Coverage {
    let grid = *cells.grid();
    let middle_row = ((grid.lat_north_ndeg as f64 / 1e9 - place.lat()) / 0.01) as i64;
    let middle_column = ((place.lon() + 360.0 - grid.lon_west_ndeg as f64 / 1e9) / 0.01) as i64;
    let (rows, columns) = ((radius_km / 1.11) as i64 + 3, (radius_km / 0.62) as i64 + 3);
    let (mut yes, mut no) = (false, false);
    for row in middle_row - rows..=middle_row + rows {
        for column in middle_column - columns..=middle_column + columns {
            let centre = LatLon::new(grid.lat_deg(row), grid.lon_deg(column)).unwrap();
            if place.distance_km(centre) > radius_km {
                continue;
            }
            let inside = u32::try_from(row).ok().zip(u32::try_from(column).ok());
            let reading = inside.and_then(|(row, column)| cells.reading(row, column));
            if reading.is_some_and(|reading| reading.kind.is_covered()) { yes = true } else { no = true }
        }
    }
    match (yes, no) {
        (true, false) => Coverage::Covered,
        (true, true) => Coverage::Partial,
        _ => Coverage::Uncovered,
    }
}

#[test]
fn the_binary_form_is_small_and_loses_nothing() {
    for (name, bytes_max) in
        [("mrms_mesh_sample.grib2.gz", 300_000), ("mrms_rotationtrackml60min_sample.grib2.gz", 900_000)]
    {
        let Some(file) = recording(name) else { return };
        let cells = mrms::field(name, &file).unwrap().cells;
        let bytes = postcard::to_allocvec(&cells).unwrap();
        eprintln!("{name}: {} bytes in memory, {} bytes in binary form", cells.size_bytes(), bytes.len());
        assert!(bytes.len() < bytes_max, "{name}: {}", bytes.len());
        let back: Cells = postcard::from_bytes(&bytes).unwrap();
        assert!(back == cells, "{name}");
        let mut random = Random(3);
        for _ in 0..30 {
            let mut broken = bytes.clone();
            let at = random.below(broken.len());
            broken[at] ^= 1 << random.below(8);
            broken.truncate(bytes.len() - random.below(2) * random.below(1000));
            let _ = postcard::from_bytes::<Cells>(&broken);
        }
    }
}

#[test]
fn debug_decode_tells_of_every_recording_what_it_is() {
    let Some(folder) = shared::path("data/recorded/mrms") else { return };
    let (mut read, mut refused) = (0, Vec::new());
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let answer = describe(&name, &std::fs::read(&path).unwrap(), None, 40.0);
        if answer["ok"] == true {
            read += 1;
            assert_eq!(answer["faults"].as_array().map(Vec::len), Some(0), "{answer}");
            assert_ne!(answer["product"], "unlisted");
        } else {
            refused.push((name, answer["faults"][0]["what"].as_str().unwrap().to_owned()));
        }
    }
    refused.sort();
    assert_eq!(read, 10);
    assert!(refused[0].1.contains("NMQ/Q3") && refused[0].1.contains("2013-09-20"), "{refused:?}");
    assert!(refused[1].1.contains("xz archive") && refused[2].1.contains("xz archive"), "{refused:?}");
}

#[test]
fn corrupt_copies_are_refused_or_read_but_never_panic() {
    let Some(file) = recording("guam_MRMS_MultiSensor_QPE_01H_Pass1_00.00_20220601-120000.grib2.gz") else { return };
    let length = u32::from_le_bytes(*file.last_chunk::<4>().unwrap()) as usize;
    let mut bare = vec![0; length];
    libdeflater::Decompressor::new().gzip_decompress(&file, &mut bare).unwrap();
    for n in 0..20 {
        for whole in [&file, &bare] {
            let cut = &whole[..whole.len() * n / 20];
            assert!(mrms::field("x", cut).is_err(), "{n}/20");
        }
    }
    let mut random = Random(11);
    for n in 0..200 {
        let mut broken = bare.clone();
        // Half of the flips in the headers, where lengths and figures are.
        let at = if n % 2 == 0 { random.below(200) } else { random.below(length) };
        broken[at] ^= 1 << random.below(8);
        let _ = describe("x", &broken, LatLon::new(13.4, 144.8).ok(), 40.0);
        let mut broken = file.clone();
        let at = random.below(broken.len());
        broken[at] ^= 1 << random.below(8);
        let _ = mrms::field("x", &broken);
    }
}

#[test]
fn fixtures_hold_what_was_planted() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mrms/odd");
    let truth: Value = serde_json::from_str(&std::fs::read_to_string(folder.join("truth.json")).unwrap()).unwrap();
    for (name, expected) in truth.as_object().unwrap() {
        let answer = describe(name, &std::fs::read(folder.join(name)).unwrap(), None, 40.0);
        if let Some(error) = expected["error_says"].as_str() {
            assert_eq!(answer["ok"], false, "{name}");
            let what = answer["faults"][0]["what"].as_str().unwrap();
            assert!(what.contains(error), "{name}: {what}");
            continue;
        }
        assert_eq!(answer["ok"], true, "{name}: {answer}");
        for part in ["parameter", "valid_utc", "cells", "max"] {
            assert_eq!(answer[part], expected[part], "{name} {part}");
        }
        assert_eq!((&answer["grid"]["ni"], &answer["grid"]["nj"]), (&expected["ni"], &expected["nj"]), "{name}");
    }
    assert_eq!(truth.as_object().unwrap().len(), 11);
}
