//! The sounding maths against what SPC published for the same files, against the RAP's own figures, and every recorded sounding
//! file through `debug sounding`, whole and damaged.

use crate::shared;
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use stormbell::cli::debug_sounding::describe;
use stormbell::decode::sounding::{Form, soundings};
use stormbell::sounding::winds::Hodograph;
use stormbell::sounding::{Column, Environment, Level, Wind, environment, regime, thermo};

const SOUNDINGS: &str = "data/recorded/soundings";

fn files(folder: &str) -> Option<Vec<PathBuf>> {
    let folder = shared::path(folder)?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    Some(files)
}

fn name(path: &std::path::Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Rows of a published table by the name of their sounding in capitals.
fn published(table: &str, columns: usize) -> Option<HashMap<String, Vec<f64>>> {
    let text = std::fs::read_to_string(shared::path(&format!("{SOUNDINGS}/{table}"))?).unwrap();
    let rows = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let figures: Vec<f64> = words.get(1..)?.iter().filter_map(|word| word.parse().ok()).collect();
        (figures.len() >= columns).then(|| (words[0].to_uppercase(), figures))
    });
    Some(rows.collect())
}

/// What SHARPpy's `f0` files are called in the table: `00030302f0.pwg` is `00030302.PWG`.
fn key(path: &std::path::Path) -> String {
    name(path).to_uppercase().replace("F0.", ".")
}

fn only(path: &std::path::Path) -> Column {
    let read = soundings(&std::fs::read(path).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!((read.form, read.soundings.len()), (Form::SpcRaw, 1), "{}", path.display());
    read.soundings.into_iter().next().unwrap().column
}

/// Absolute errors of one figure.
struct Errors {
    what: &'static str,
    target: Option<f64>,
    peer: &'static str,
    sharppy: &'static str,
    all: Vec<f64>,
}

impl Errors {
    fn new(what: &'static str, target: impl Into<Option<f64>>, peer: &'static str, sharppy: &'static str) -> Self {
        Self { what, target: target.into(), peer, sharppy, all: Vec::new() }
    }

    fn add(&mut self, ours: Option<f64>, published: f64) {
        self.all.push((ours.unwrap() - published).abs());
    }

    fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.all.clone();
        sorted.sort_by(f64::total_cmp);
        let at = part * (sorted.len() - 1) as f64;
        let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
        low + (high - low) * at.fract()
    }

    fn print(&self) {
        let Self { what, target, peer, sharppy, all } = self;
        let target = target.map_or("-".to_owned(), |target| format!("{target}"));
        let (median, p90) = (self.quantile(0.5), self.quantile(0.9));
        println!(
            "| {what:<28} | {:>2} | {median:>8.2} | {p90:>8.2} | {target:>6} | {peer:>6} | {sharppy:>7} |",
            all.len()
        );
    }
}

fn print_table(title: &str, all: &[Errors]) {
    println!("\n{title}: |error| against SPC's published values");
    println!("| {:<28} |  n |   median |      p90 | target |   peer | SHARPpy |", "");
    all.iter().for_each(Errors::print);
    for errors in all {
        let (Some(target), median) = (errors.target, errors.quantile(0.5)) else { continue };
        assert!(median <= target, "{}: median {median} > {target}", errors.what);
    }
}

#[test]
fn supercell_soundings_as_spc_published_them() {
    let Some(table) = published("sars_supercell.txt", 13) else { return };
    let Some(files) = files(&format!("{SOUNDINGS}/sars_supercell")) else { return };
    // Published columns after the name: category, mixing ratio, MLCAPE, MLCIN, MLLCL, SRH 0-1, shear 0-6 (kt), STP, T500, wind
    // direction at 500, lapse rate 700-500, shear 0-3, shear 0-9, SRH 0-3.
    let mut errors = [
        Errors::new("MLCAPE J/kg", 10.0, "207", "1.0"),
        Errors::new("MLCIN J/kg", 2.0, "13", "0.4"),
        Errors::new("MLLCL m", 5.0, "32", "0.2"),
        Errors::new("SRH 0-1 km m2/s2", 6.0, "5.5", "4.5"),
        Errors::new("SRH 0-3 km m2/s2", 5.0, "4.5", "3.1"),
        Errors::new("shear 0-6 km kt", 0.1, "0.2", "0.04"),
        Errors::new("STP effective", 0.2, "0.2", "0.10"),
        Errors::new("shear 0-3 km kt", 0.1, "-", "-"),
        Errors::new("temperature 500 hPa C", 0.1, "-", "-"),
        Errors::new("lapse rate 700-500 K/km", 0.1, "-", "-"),
        Errors::new("SRH 0-1 km, Bunkers 2000", None, "5.5", "-"),
        Errors::new("SRH 0-3 km, Bunkers 2000", None, "4.5", "-"),
    ];
    for path in &files {
        let told = environment(&only(path));
        let row = &table[&key(path)];
        let pairs = [
            (told.mlcape_jkg, row[2]),
            (told.mlcin_jkg, row[3]),
            (told.ml_lcl_m_agl, row[4]),
            (told.srh_0_1km_m2s2, row[5]),
            (told.srh_0_3km_m2s2, row[13]),
            (told.bulk_shear_0_6km_kt, row[6]),
            (told.stp_effective, row[7]),
            (told.bulk_shear_0_3km_kt, row[11]),
            (told.temperature_500hpa_c, row[8]),
            (told.lapse_rate_700_500hpa_kkm, row[10]),
            (told.srh_0_1km_bunkers_2000_m2s2, row[5]),
            (told.srh_0_3km_bunkers_2000_m2s2, row[13]),
        ];
        errors.iter_mut().zip(pairs).for_each(|(errors, (ours, published))| errors.add(ours, published));
    }
    assert!(files.len() >= 17, "{} files", files.len());
    print_table("supercells", &errors);
}

#[test]
fn hail_soundings_as_spc_published_them() {
    let Some(table) = published("sars_hail.txt", 13) else { return };
    let Some(files) = files(&format!("{SOUNDINGS}/sars_hail")) else { return };
    // Published columns after the name: elevation, report, MUCAPE, MU mixing ratio, T500, T300, lapse rates 700-500 and 500-300,
    // shear 0-3, 0-6, 0-9 (m/s), SRH 0-3, SHIP.
    let mut errors = [
        Errors::new("MUCAPE J/kg", 10.0, "-", "2.2"),
        Errors::new("SHIP", 0.05, "-", "0.03"),
        Errors::new("shear 0-6 km m/s", 0.1, "-", "-"),
        Errors::new("lapse rate 700-500 K/km", 0.1, "-", "-"),
    ];
    for path in &files {
        let told = environment(&only(path));
        let row = &table[&key(path)];
        errors[0].add(told.mucape_jkg, row[2]);
        errors[1].add(told.ship, row[12]);
        errors[2].add(told.bulk_shear_0_6km_kt.map(|kt| kt * 1852.0 / 3600.0), row[9]);
        errors[3].add(told.lapse_rate_700_500hpa_kkm, row[6]);
    }
    assert!(files.len() >= 25, "{} files", files.len());
    print_table("hail", &errors);
    assert!(errors[0].quantile(0.9) <= 100.0);
}

/// The columns of goldens/shearline.json with the RAP's own figures beside them.
fn golden_columns() -> Option<Vec<(Column, Value)>> {
    let goldens = std::fs::read_to_string(shared::path("goldens/shearline.json")?).unwrap();
    let goldens: Value = serde_json::from_str(&goldens).unwrap();
    let column = |entry: &Value| {
        let profile = &entry["profile"];
        let figure = |key: &str| profile[key].as_f64().unwrap();
        let list = |key: &str| -> Vec<f64> {
            profile[key].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
        };
        let surface = Level {
            pressure_hpa: figure("surface_pressure_pa") / 100.0,
            height_msl_m: figure("elevation_m"),
            temperature_c: figure("t2m_k") - 273.15,
            dew_point_c: Some(figure("d2m_k") - 273.15),
            wind: Some(Wind { u_ms: figure("u10_ms"), v_ms: figure("v10_ms") }),
        };
        let [pressures, kelvins, humidities, heights, us, vs] =
            ["pressure_hpa", "temp_k", "rh_pct", "height_gpm", "u_ms", "v_ms"].map(list);
        let level = |i: usize| {
            let temperature_c = kelvins[i] - 273.15;
            // Bolton (1980), inverted: the dew point at which that share of the saturation pressure saturates.
            let vapour_hpa = thermo::vapour_pressure_hpa(temperature_c) * humidities[i].clamp(0.5, 100.0) / 100.0;
            let x = (vapour_hpa / 6.112).ln();
            Level {
                pressure_hpa: pressures[i],
                height_msl_m: heights[i],
                temperature_c,
                dew_point_c: Some(243.5 * x / (17.67 - x)),
                wind: Some(Wind { u_ms: us[i], v_ms: vs[i] }),
            }
        };
        let levels = std::iter::once(surface).chain((0..pressures.len()).map(level)).collect();
        let (column, dropped) = Column::new(levels).unwrap();
        // Nothing but the pressures under the ground is left out (T16).
        assert!(dropped.iter().all(|d| d.pressure_hpa >= column.surface().pressure_hpa), "{dropped:?}");
        (column, entry.clone())
    };
    Some(goldens["environment"].as_array().unwrap().iter().map(column).collect())
}

#[test]
fn rap_columns_against_the_models_own_figures() {
    let Some(columns) = golden_columns() else { return };
    let mut sbcin = Errors::new("SBCIN J/kg", 40.0, "42", "-");
    let mut mlcin = Errors::new("MLCIN 90 mb J/kg", 10.0, "-", "-");
    println!("\nplace: SBCAPE ours / RAP / peer; SBCIN ours / RAP / peer; ML90CIN ours / RAP");
    for (column, entry) in &columns {
        let told = environment(column);
        let model = |key: &str| entry["profile"]["model_reported"][key].as_f64().unwrap();
        let peer = |key: &str| &entry["rounded"]["thermodynamics"][key];
        println!(
            "{:>7} {:>7}: {:.0} / {:.0} / {}; {:.0} / {:.0} / {}; {:.0} / {:.0}",
            entry["lat"],
            entry["lon"],
            told.sbcape_jkg.unwrap(),
            model("sfc_cape_jkg"),
            peer("sbcape_jkg"),
            told.sbcin_jkg.unwrap(),
            model("sfc_cin_jkg"),
            peer("sbcin_jkg"),
            told.ml90cin_jkg.unwrap(),
            model("ml_cin_90mb_jkg"),
        );
        sbcin.add(told.sbcin_jkg, model("sfc_cin_jkg"));
        mlcin.add(told.ml90cin_jkg, model("ml_cin_90mb_jkg"));
        for (ours, rap) in
            [(told.sbcin_jkg.unwrap(), model("sfc_cin_jkg")), (told.ml90cin_jkg.unwrap(), model("ml_cin_90mb_jkg"))]
        {
            assert!(ours <= 0.0, "CIN is never positive");
            assert!(rap > -100.0 || ours < -50.0, "the RAP has {rap}, ours reads {ours}");
        }
    }
    print_table("RAP columns", &[sbcin, mlcin]);
}

/// Moore, 2026-06-10 20Z: the reference says nothing of the cap; the reading says it.
#[test]
fn the_capped_column_over_moore_is_said_to_be_capped() {
    let Some(columns) = golden_columns() else { return };
    let told = environment(&columns[0].0);
    let reading = regime::read(&told).unwrap();
    assert!(reading.capped, "{told:?}");
    let text = reading.sentences.join(" ");
    assert!(text.starts_with("If storms form") && text.contains("Strongly capped (MLCIN -2"), "{text}");
}

/// Field report T10 on real hodographs: the left mover mirrors the right one, 7.5 m/s from the mean wind each.
#[test]
fn both_movers_of_every_recorded_hodograph() {
    let Some(files) = files(&format!("{SOUNDINGS}/sars_supercell")) else { return };
    for path in &files {
        let winds = Hodograph::new(&only(path)).unwrap();
        for motion in [winds.motion_bunkers_2000().unwrap(), winds.motion_fixed_layer().unwrap()] {
            assert!((motion.right.minus(motion.mean).speed_ms() - 7.5).abs() < 1e-9);
            assert!(((motion.right.u_ms + motion.left.u_ms) / 2.0 - motion.mean.u_ms).abs() < 1e-9);
        }
    }
}

fn all_files() -> Option<Vec<PathBuf>> {
    let mut all = files(SOUNDINGS)?;
    for folder in ["sars_supercell", "sars_hail"] {
        all.extend(files(&format!("{SOUNDINGS}/{folder}"))?);
    }
    Some(all)
}

/// Every recorded file gives soundings with sane figures or a clear error.
#[test]
fn every_recorded_file_is_read_or_refused_clearly() {
    let Some(files) = all_files() else { return };
    let (mut read, mut slowest) = (0, (0.0, String::new()));
    for path in &files {
        let bytes = std::fs::read(path).unwrap();
        let started = std::time::Instant::now();
        let told = describe(&name(path), &bytes);
        let seconds = started.elapsed().as_secs_f64();
        if seconds > slowest.0 {
            slowest = (seconds, name(path));
        }
        // The tables, the parameter list and the JSON beside a sounding hold none.
        let sounding = !path.extension().is_some_and(|extension| extension == "txt" || extension == "json");
        assert_eq!(told["ok"], Value::from(sounding), "{}: {}", path.display(), told["faults"]);
        if !sounding {
            assert!(told["faults"][0]["what"].as_str().unwrap().contains("no known sounding form"));
            continue;
        }
        for one in told["soundings"].as_array().unwrap() {
            read += 1;
            assert!(one["valid_utc"].is_string() && one["station"].is_string(), "{}", path.display());
            let figure = |key: &str| one["environment"][key].as_f64();
            assert!(
                figure("sbcape_jkg").unwrap() >= 0.0
                    && figure("mucape_jkg").unwrap() >= figure("mlcape_jkg").unwrap() - 600.0
            );
            assert!(
                figure("sbcin_jkg").is_none_or(|cin| cin <= 0.0) && figure("mlcin_jkg").is_none_or(|cin| cin <= 0.0)
            );
            assert!((0.0..90.0).contains(&figure("precipitable_water_mm").unwrap()));
        }
    }
    println!("{read} soundings of {} files; slowest {} {:.3} s", files.len(), slowest.1, slowest.0);
    assert!(read > 500, "{read}");
}

/// BUFKIT files carry the precipitable water of every hour: an independent figure for the column and for each of several times.
#[test]
fn precipitable_water_is_what_bufkit_files_say() {
    let Some(files) = files(SOUNDINGS) else { return };
    let mut compared = 0;
    for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "buf")) {
        let text = std::fs::read_to_string(path).unwrap();
        let said: Vec<f64> = text
            .match_indices("PWAT = ")
            .map(|(at, _)| text[at + 7..].split_whitespace().next().unwrap().parse().unwrap())
            .collect();
        let read = soundings(text.as_bytes()).unwrap();
        if said.len() != read.soundings.len() {
            // An hour without a table: which figure belongs to which is not plain.
            assert!(!read.faults.is_empty());
            continue;
        }
        for (sounding, said) in read.soundings.iter().zip(said) {
            let ours = environment(&sounding.column).precipitable_water_mm.unwrap();
            assert!((ours - said).abs() <= 0.05 * said + 0.2, "{}: {ours} {said}", path.display());
            compared += 1;
        }
    }
    println!("precipitable water of {compared} BUFKIT soundings within 5 %");
    assert!(compared > 300, "{compared}");
}

/// Copies cut at 20 places and with 200 random bits flipped: values or errors, never a panic, and no figure that is none.
#[test]
fn damaged_recordings_never_panic() {
    let Some(files) = all_files() else { return };
    let mut dice = 0x9E37_79B9_7F4A_7C15_u64;
    let mut roll = |below: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % below
    };
    // The first of a BUFKIT file's hours are like all others, and a debug build is slow; STORMBELL_ALL_COPIES takes them whole.
    let all = !cfg!(debug_assertions) || std::env::var_os("STORMBELL_ALL_COPIES").is_some();
    let taken = if all { usize::MAX } else { 12_000 };
    let mut read = 0;
    for path in &files {
        let mut bytes = std::fs::read(path).unwrap();
        bytes.truncate(taken);
        let mut check = |bytes: &[u8]| {
            for sounding in soundings(bytes).map(|read| read.soundings).unwrap_or_default() {
                let told: Environment = environment(&sounding.column);
                read += 1;
                let finite = serde_json::to_value(told).unwrap();
                let back: Environment = serde_json::from_value(finite).unwrap();
                // JSON turns what is no number into null: then the two would differ.
                assert_eq!(back.mlcape_jkg.is_some(), told.mlcape_jkg.is_some());
                assert!(told.mlcape_jkg.is_none_or(|cape| cape >= 0.0) && told.mlcin_jkg.is_none_or(|cin| cin <= 0.0));
                assert!(told.scp.is_none_or(f64::is_finite) && told.ship.is_none_or(f64::is_finite));
            }
        };
        for _ in 0..20 {
            check(&bytes[..roll(bytes.len())]);
        }
        for _ in 0..200 {
            let mut copy = bytes.clone();
            let at = roll(copy.len());
            copy[at] ^= 1 << roll(8);
            check(&copy);
        }
    }
    assert!(read > 5_000, "{read}");
}
