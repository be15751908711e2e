//! The planted storm: where it is at every minute and what radar makes of it. Written by hand, so that what the rules
//! must say follows from this file alone.

use crate::grib::{MrmsSpec, Patch};
use jiff::{SignedDuration, Timestamp};

/// Minute 0 of the day.
pub const START_UTC: &str = "2031-05-09T21:00:00Z";
/// The town that the storm crosses, degrees.
pub const LARKFIELD: (f64, f64) = (37.74, -98.21);
/// A town that it leaves alone, 91 km to the south-east.
pub const FERNHILL: (f64, f64) = (37.35, -97.30);
/// The storm is over Larkfield at this minute.
pub const PASSES_MIN: f64 = 32.0;
/// It comes from here, degrees.
pub const FROM_DEG: f64 = 240.0;
/// And moves at this speed, knots.
pub const SPEED_KT: f64 = 50.0;

const KM_PER_MIN: f64 = SPEED_KT * 1.852 / 60.0;
const KM_PER_DEG: f64 = 111.195;

/// The instant of a minute of the day (fractions allowed).
pub fn at(minute: f64) -> Timestamp {
    let start: Timestamp = START_UTC.parse().expect("a constant");
    start.checked_add(SignedDuration::from_secs((minute * 60.0).round() as i64)).expect("within the day")
}

/// `from` moved by some kilometres along a bearing; flat-earth, good to a few hundred metres at these distances.
pub fn moved(from: (f64, f64), bearing_deg: f64, km: f64) -> (f64, f64) {
    let (sin, cos) = bearing_deg.to_radians().sin_cos();
    (from.0 + km * cos / KM_PER_DEG, from.1 + km * sin / (KM_PER_DEG * from.0.to_radians().cos()))
}

/// Bearing and distance (km) of one point from another, in the same flat-earth way.
pub fn from_place(place: (f64, f64), point: (f64, f64)) -> (f64, f64) {
    let north = (point.0 - place.0) * KM_PER_DEG;
    let east = (point.1 - place.1) * KM_PER_DEG * place.0.to_radians().cos();
    (east.atan2(north).to_degrees().rem_euclid(360.0), north.hypot(east))
}

/// Where the core is.
pub fn core(minute: f64) -> (f64, f64) {
    moved(LARKFIELD, FROM_DEG, (PASSES_MIN - minute) * KM_PER_MIN)
}

/// A box along the track between two minutes, half as wide as told, as GeoJSON coordinates of two decimals.
pub fn box_along(from_min: f64, to_min: f64, half_width_km: f64) -> Vec<[f64; 2]> {
    let side = |minute, bearing| {
        let (lat, lon) = moved(core(minute), bearing, half_width_km);
        [(lon * 100.0).round() / 100.0, (lat * 100.0).round() / 100.0]
    };
    let (left, right) = (FROM_DEG + 90.0, FROM_DEG - 90.0);
    vec![side(from_min, left), side(from_min, right), side(to_min, right), side(to_min, left), side(from_min, left)]
}

/// One radar product: its folder name, how its file is made, what the core holds when, and whether it is the maximum of
/// the last 60 minutes.
pub struct Field {
    pub folder: &'static str,
    pub spec: fn(Timestamp) -> MrmsSpec,
    pub core: fn(i32) -> f64,
    pub not_covered: Option<f64>,
    pub last_60_min: bool,
}

pub const FIELDS: [Field; 5] = [
    Field {
        folder: "MESH_Max_60min",
        spec: MrmsSpec::mesh_max_60min,
        core: |minute| by_phase(minute, [15.0, 44.5, 8.0]),
        not_covered: Some(-3.0),
        last_60_min: true,
    },
    Field {
        folder: "RotationTrackML60min",
        spec: MrmsSpec::rotation_ml_60min,
        core: |minute| rotation(minute, 14.0),
        not_covered: None,
        last_60_min: true,
    },
    Field {
        folder: "RotationTrack60min",
        spec: MrmsSpec::rotation_ll_60min,
        core: |minute| rotation(minute, 8.0),
        not_covered: None,
        last_60_min: true,
    },
    Field {
        folder: "VIL",
        spec: MrmsSpec::vil,
        core: |minute| by_phase(minute, [20.0, 52.0, 20.0]),
        not_covered: Some(-3.0),
        last_60_min: false,
    },
    Field {
        folder: "MergedReflectivityQCComposite",
        spec: MrmsSpec::composite_reflectivity,
        core: |minute| by_phase(minute, [45.0, 57.5, 45.0]),
        not_covered: Some(-999.0),
        last_60_min: false,
    },
];

/// Growing until minute 5, severe until 36, fading until 60.
fn by_phase(minute: i32, [growing, severe, fading]: [f64; 3]) -> f64 {
    match minute {
        -30..5 => growing,
        5..=36 => severe,
        37..=60 => fading,
        _ => 0.0,
    }
}

/// Intense from minute 16 to 34, weak traces around it.
fn rotation(minute: i32, intense: f64) -> f64 {
    match minute {
        16..=34 => intense,
        35..=45 => 3.0,
        _ => 0.0,
    }
}

/// The grid of every file: 0.05 degrees over Kansas and its south, north-west cell at 40 N 102 W.
fn on_grid(spec: MrmsSpec) -> MrmsSpec {
    MrmsSpec { ni: 151, nj: 101, lat_north_deg: 40.0, lon_west_deg: -102.0, d_deg: 0.05, ..spec }
}

/// The file of one product valid at a minute of the day: the core's cell holds exactly the planted value, its eight
/// neighbours half of it (rounded down to whole units).
pub fn file(field: &Field, valid_min: i32, valid_utc: Timestamp) -> MrmsSpec {
    let mut spec = on_grid((field.spec)(valid_utc));
    if let Some(value) = field.not_covered {
        // No radar looks into the north-west corner.
        spec.patches.push(Patch { from: (0, 0), to: (11, 9), value });
    }
    let first = if field.last_60_min { valid_min - 59 } else { valid_min };
    let mut planted: Vec<(u32, u32, f64)> = Vec::new();
    let mut plant = |cell: (u32, u32), value: f64| match planted.iter_mut().find(|c| (c.0, c.1) == cell) {
        Some(held) => held.2 = held.2.max(value),
        None => planted.push((cell.0, cell.1, value)),
    };
    for minute in (first..=valid_min).filter(|minute| (field.core)(*minute) > 0.0) {
        let (lat, lon) = core(f64::from(minute));
        let Some((column, row)) = spec.cell_of(lat, lon) else { continue };
        let value = (field.core)(minute);
        for (c, r) in (column - 1..=column + 1).flat_map(|c| (row - 1..=row + 1).map(move |r| (c, r))) {
            plant((c, r), if (c, r) == (column, row) { value } else { (value / 2.0).floor() });
        }
    }
    spec.cells = planted;
    spec
}
