//! The air of the bundled day: unstable, sheared and hardly capped in the west, where the storm is; rain-cooled and stable in
//! the east. Handed out as NOMADS' filter does it, one cut-out that holds both towns.

use crate::model::{ISOBARS_HPA, Run, Truth, on_grid_130};
use crate::storm::{FERNHILL, LARKFIELD, at};
use serde_json::{Value, json};

/// Cycles that appear before the day ends, hours UTC, and their hours.
const CYCLES: [u8; 3] = [20, 21, 22];
const HOURS: [u32; 4] = [0, 1, 3, 6];
/// Minutes after the cycle at which the analysis and the last hour read are there.
const APPEARS_MIN: (f64, f64) = (48.0, 56.0);
/// Names of fields that the filter is asked for.
const ASKED: [&str; 12] = ["TMP", "DPT", "RH", "HGT", "UGRD", "VGRD", "PRES", "CAPE", "CIN", "HLCY", "USTM", "VSTM"];

/// West of the first longitude the air is the storm's, east of the second it is rain-cooled, degrees east.
const FRONT_DEG: (f64, f64) = (-97.9, -97.5);
/// The ground is level here, m above sea level, with this pressure, hPa.
const GROUND: (f64, f64) = (450.0, 962.0);

/// One level: hPa, temperature and dew point in °C in the west and in the east, wind from (degrees) and speed (m/s).
type Level = (f64, (f64, f64), (f64, f64), (f64, f64));

/// The ground, then the isobars above it. Between the ground and 850 hPa the west is well mixed; above the two are alike.
const LEVELS: [Level; 19] = [
    (962.0, (28.0, 18.5), (19.0, 14.5), (170.0, 6.0)),
    (950.0, (26.7, 18.0), (18.4, 13.8), (180.0, 8.0)),
    (900.0, (22.1, 16.5), (19.0, 9.0), (195.0, 11.0)),
    (850.0, (17.7, 13.5), (17.5, 5.0), (207.0, 14.0)),
    (800.0, (14.2, 7.0), (14.2, 0.0), (216.0, 16.0)),
    (750.0, (10.4, 0.0), (10.4, -3.0), (222.0, 18.0)),
    (700.0, (6.3, -6.0), (6.3, -7.0), (227.0, 20.0)),
    (650.0, (2.6, -11.0), (2.6, -11.0), (231.0, 22.0)),
    (600.0, (-1.6, -16.0), (-1.6, -16.0), (234.0, 24.0)),
    (550.0, (-6.2, -21.0), (-6.2, -21.0), (237.0, 26.0)),
    (500.0, (-11.2, -27.0), (-11.2, -27.0), (239.0, 28.0)),
    (450.0, (-17.0, -33.0), (-17.0, -33.0), (241.0, 30.0)),
    (400.0, (-23.6, -40.0), (-23.6, -40.0), (243.0, 32.0)),
    (350.0, (-31.2, -47.0), (-31.2, -47.0), (244.0, 34.0)),
    (300.0, (-40.0, -55.0), (-40.0, -55.0), (245.0, 37.0)),
    (250.0, (-50.0, -63.0), (-50.0, -63.0), (246.0, 39.0)),
    (200.0, (-55.5, -70.0), (-55.5, -70.0), (247.0, 37.0)),
    (150.0, (-59.0, -75.0), (-59.0, -75.0), (247.0, 32.0)),
    (100.0, (-64.0, -80.0), (-64.0, -80.0), (247.0, 25.0)),
];
/// The air warms and cools with the hour up to here, hPa: the ground's air.
const MIXED_HPA: f64 = 900.0;

/// Degrees by which the ground's air is warmer than at 20 UTC, by hours after it: the afternoon's last heating, then the evening.
fn warmer_k(hours_after_20z: u32) -> f64 {
    match hours_after_20z {
        0 => 0.0,
        1 => 0.4,
        2 => 0.2,
        3 => -0.6,
        later => -0.6 - 1.1 * f64::from(later - 3),
    }
}

/// Saturation vapour pressure over water, hPa, of °C: Bolton (1980, Mon. Wea. Rev. 108), equation 10.
fn saturation_hpa(celsius: f64) -> f64 {
    6.112 * (17.67 * celsius / (celsius + 243.5)).exp()
}

/// What is planted over a place.
fn column((_, lon_deg): (f64, f64), warmer_k: f64) -> Truth {
    let east = ((lon_deg - FRONT_DEG.0) / (FRONT_DEG.1 - FRONT_DEG.0)).clamp(0.0, 1.0);
    let between = |west: f64, cooled: f64| west + (cooled - west) * east;
    let at_level = |level: &Level| {
        let warmer = if level.0 >= MIXED_HPA { warmer_k } else { 0.0 };
        // Warmer air keeps its vapour; the evening's cooler air is drier too.
        let dew_point = between(level.1.1, level.2.1) + warmer.min(0.0);
        (between(level.1.0, level.2.0) + warmer, dew_point)
    };
    let wind = |level: &Level| {
        let (sin, cos) = level.3.0.to_radians().sin_cos();
        (-level.3.1 * sin, -level.3.1 * cos)
    };
    let (terrain_m, pressure_hpa) = GROUND;
    let (ground_c, ground_dew_point_c) = at_level(&LEVELS[0]);
    // From isobar to isobar with the mean virtual temperature of the two (the hypsometric equation).
    let virtual_k = |hpa: f64, celsius: f64, dew_point: f64| {
        let vapour = saturation_hpa(dew_point);
        let mixing = 0.622 * vapour / (hpa - vapour);
        (celsius + 273.15) * (1.0 + 0.61 * mixing)
    };
    let mut height_m = terrain_m;
    let mut below = (pressure_hpa, virtual_k(pressure_hpa, ground_c, ground_dew_point_c));
    let mut aloft = Vec::new();
    for level in &LEVELS[1..] {
        let (celsius, dew_point) = at_level(level);
        let here = (level.0, virtual_k(level.0, celsius, dew_point));
        height_m += 29.271 * (below.1 + here.1) / 2.0 * (below.0 / here.0).ln();
        below = here;
        let humidity = 100.0 * saturation_hpa(dew_point) / saturation_hpa(celsius);
        let (u, v) = wind(level);
        aloft.push((level.0 as u32, height_m, celsius, humidity, u, v));
    }
    // 1000 hPa lies under the ground here: the model reduces the ground's values to it.
    let under_m = terrain_m - 29.271 * (ground_c + 273.15) * (1000.0_f64 / pressure_hpa).ln();
    let (u, v) = wind(&LEVELS[0]);
    let humidity = 100.0 * saturation_hpa(ground_dew_point_c) / saturation_hpa(ground_c);
    aloft.insert(0, (ISOBARS_HPA[0], under_m, ground_c, humidity, u, v));
    let west = 1.0 - east;
    Truth {
        at: (0.0, 0.0),
        terrain_m,
        pressure_hpa,
        temperature_2m_c: ground_c,
        dew_point_2m_c: ground_dew_point_c,
        aloft,
        wind_10m: (u, v),
        sfc_cape_cin: (2500.0 * west, -15.0 - 150.0 * east),
        mixed_cape_cin: (2000.0 * west, -25.0 - 150.0 * east),
        helicity: (250.0, 130.0),
        motion: (17.0, 8.0),
    }
}

/// A column of the day at a place.
fn planted(place: (f64, f64), warmer_k: f64) -> Truth {
    Truth { at: place, ..column(place, warmer_k) }
}

/// The run of a cycle at an hour over both towns, with two points to each side.
fn run(cycle: u8, hour: u32) -> Run {
    let (west, north) = on_grid_130(LARKFIELD.0, LARKFIELD.1);
    let (east, south) = on_grid_130(FERNHILL.0, FERNHILL.1);
    let corner = (west.round() as u32 - 2, south.round() as u32 - 2);
    let size = (east.round() as u32 + 3 - corner.0, north.round() as u32 + 3 - corner.1);
    let warmer_k = warmer_k(u32::from(cycle) - 20 + hour);
    Run { cycle: (2031, 5, 9, cycle), hour, corner, size, warmer_k, columns: Some(planted) }
}

/// Writes the answers of the filter; returns what is planted at the grid point nearest to each town.
pub fn files(files: &mut Vec<(String, Vec<u8>)>, timeline: &mut Vec<Value>) -> Vec<Value> {
    let mut told = Vec::new();
    for cycle in CYCLES {
        for (number, hour) in HOURS.into_iter().enumerate() {
            let run = run(cycle, hour);
            let file = format!("rap/t{cycle:02}z_f{hour:02}.grib2");
            files.push((file.clone(), run.encoded(|name| ASKED.contains(&name)).0));
            let share = number as f64 / (HOURS.len() - 1) as f64;
            let after = APPEARS_MIN.0 + (APPEARS_MIN.1 - APPEARS_MIN.0) * share;
            let query = json!({"dir": "/rap.20310509", "file": format!("rap.t{cycle:02}z.awp130pgrbf{hour:02}.grib2")});
            timeline.push(json!({
                "at": at(f64::from(cycle) * 60.0 - 21.0 * 60.0 + after), "status": 200, "file": file,
                "http": {"host": "nomads.ncep.noaa.gov", "path": "/cgi-bin/filter_rap.pl", "query": query},
                "headers": {"content-type": "application/octet-stream"},
            }));
            for (name, place) in [("larkfield", LARKFIELD), ("fernhill", FERNHILL)] {
                let ((i, j), _) = run.nearest(place.0, place.1);
                let truth = run.truth(i, j);
                told.push(json!({
                    "file": file, "place": name, "temperature_c": truth.temperature_2m_c, "dew_point_c": truth.dew_point_2m_c,
                    "grid_point": {"lat": (truth.at.0 * 1e4).round() / 1e4, "lon": (truth.at.1 * 1e4).round() / 1e4},
                }));
            }
        }
    }
    told
}
