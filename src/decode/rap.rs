//! RAP: from the GRIB of a cut-out, or of some messages of a whole file, to the columns of air over places.
//!
//! RAP gives temperature, relative humidity, height and wind on 37 isobars, and pressure, height, temperature, dew point and
//! wind at the surface. Winds come along the grid's axes and are turned to east and north here.
//!
//! Boundaries: ✓ one file, one cycle, one forecast hour, many places. ✗ no indices, no I/O, no clock.

use crate::decode::grib2::{self, Field, GribError, Lambert, Parameter, Point};
use crate::geo::LatLon;
use crate::observation::Fault;
use crate::profile::{COVERS_KM_MAX, ModelProfile};
use jiff::{SignedDuration, Timestamp};
use thiserror::Error;

mod air;

#[cfg(test)]
mod tests;

use air::Air;

/// What the model is called.
pub const MODEL: &str = "RAP 13 km";
/// Forecasts reach 51 hours; beyond this a time is garbled.
const FORECAST_HOUR_MAX: i64 = 96;

/// Why a place has no profile, or a file none at all.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RapError {
    /// The file is no usable GRIB.
    #[error(transparent)]
    Grib(#[from] GribError),
    /// No field of it belongs to a profile.
    #[error("none of its {fields} fields is one of a profile")]
    NoProfile {
        /// Fields read.
        fields: usize,
    },
    /// The time of the forecast is none that RAP makes.
    #[error("a forecast for {valid} from {cycle} is none of a whole number of hours up to {FORECAST_HOUR_MAX}")]
    Hour {
        /// Reference time.
        cycle: Timestamp,
        /// Valid time.
        valid: String,
    },
    /// The file's points are all too far from the place: a cut-out of somewhere else.
    #[error(
        "does not cover {lat:.4},{lon:.4}: its nearest grid point {point_lat:.3},{point_lon:.3} is {distance_km:.1} km away, up to {COVERS_KM_MAX} km are taken"
    )]
    NotCovered {
        /// The place, degrees north.
        lat: f64,
        /// The place, degrees east.
        lon: f64,
        /// The nearest grid point, degrees north.
        point_lat: f64,
        /// The nearest grid point, degrees east.
        point_lon: f64,
        /// Between the two, km.
        distance_km: f64,
    },
    /// A field that a column cannot do without is not there.
    #[error("{what} is not in the file")]
    Missing {
        /// Parameter and level.
        what: &'static str,
    },
    /// What is there does not make a column of air.
    #[error("no column of air: {why}")]
    Column {
        /// What is wrong.
        why: String,
    },
}

/// What one file yielded.
#[derive(Debug, Clone, PartialEq)]
pub struct Profiles {
    /// The model's cycle.
    pub cycle_utc: Timestamp,
    /// What the file is valid for.
    pub valid_utc: Timestamp,
    /// Hours between the two.
    pub forecast_hour: u16,
    /// One for each place asked for, in that order.
    pub each: Vec<(LatLon, Result<ModelProfile, RapError>)>,
    /// What was wrong with fields that could be done without.
    pub faults: Vec<Fault>,
}

/// Reads profiles for `places` from a file. Cycle and hour are those of its first field of a profile; others are told and left out.
///
/// # Errors
/// `RapError` where the file is of no use to any place. What is wrong for one place stands in `Profiles::each`.
pub fn profiles(bytes: &[u8], key: &str, places: &[LatLon]) -> Result<Profiles, RapError> {
    let (fields, mut faults) = grib2::fields(bytes)?;
    let wanted: Vec<(&Field<'_>, Part)> = fields.iter().filter_map(|field| Some((field, Part::of(field)?))).collect();
    let Some((first, _)) = wanted.first() else { return Err(RapError::NoProfile { fields: fields.len() }) };
    let (cycle_utc, valid_utc) = (first.reference_utc, first.valid_utc);
    let (valid_utc, forecast_hour) = hour(cycle_utc, valid_utc)?;
    let mut airs: Vec<Air> = places.iter().map(|_| Air::default()).collect();
    let mut spots = Spots::default();
    for (field, part) in wanted {
        let place =
            || format!("{} {} at byte {}", field.product.name(field.discipline), part.level(), field.message_at);
        let mut fault = |what: String| faults.push(Fault { what, place: place(), kept_rest: true });
        if (field.reference_utc, field.valid_utc) != (cycle_utc, Some(valid_utc)) {
            fault(format!("of another time than {cycle_utc} f{forecast_hour:02}: left out"));
            continue;
        }
        let points = match spots.of(field, places) {
            Ok(points) => points,
            Err(error) => {
                fault(error.to_string());
                continue;
            }
        };
        // A file that covers no place is not unpacked for nothing.
        if points.iter().all(|point| point.is_none_or(|point| point.distance_km > COVERS_KM_MAX)) {
            continue;
        }
        match field.values() {
            Ok(values) => {
                for (air, point) in airs.iter_mut().zip(points) {
                    let value =
                        point.and_then(|point| values.get(point.index)).copied().filter(|value| value.is_finite());
                    if let Some(value) = value {
                        air.put(part, f64::from(value));
                    }
                }
            }
            Err(error) => fault(error.to_string()),
        }
    }
    let Some((geometry, points)) = spots.settled() else {
        let why = fields.iter().find_map(|field| field.geometry.clone().err());
        return Err(why.map_or(RapError::NoProfile { fields: fields.len() }, RapError::Grib));
    };
    let times = air::Times { cycle_utc, valid_utc, forecast_hour, key };
    let each = places.iter().zip(airs).zip(points).map(|((place, air), point)| {
        let profile = covered(*place, *point).and_then(|point| air.profile(geometry, point, *place, &times));
        (*place, profile)
    });
    Ok(Profiles { cycle_utc, valid_utc, forecast_hour, each: each.collect(), faults })
}

fn hour(cycle: Timestamp, valid: Option<Timestamp>) -> Result<(Timestamp, u16), RapError> {
    let whole = valid.and_then(|valid| {
        let seconds = valid.duration_since(cycle).as_secs();
        let hours = seconds / 3600;
        let taken = seconds % 3600 == 0 && (0..=FORECAST_HOUR_MAX).contains(&hours);
        Some((valid, u16::try_from(hours).ok().filter(|_| taken)?))
    });
    whole.ok_or_else(|| RapError::Hour { cycle, valid: valid.map_or_else(|| "?".to_owned(), |at| at.to_string()) })
}

fn covered(place: LatLon, point: Option<Point>) -> Result<Point, RapError> {
    let point = point.ok_or(RapError::Missing { what: "a grid point on earth" })?;
    if point.distance_km <= COVERS_KM_MAX {
        return Ok(point);
    }
    Err(RapError::NotCovered {
        lat: place.lat(),
        lon: place.lon(),
        point_lat: point.at.lat(),
        point_lon: point.at.lon(),
        distance_km: point.distance_km,
    })
}

/// The nearest points of a file's grid, reckoned once. Fields on other grids are refused: a column is of one point.
#[derive(Default)]
struct Spots<'a> {
    held: Option<Held<'a>>,
}

/// A grid as section 3 writes it, where its points are, and those nearest to the places.
type Held<'a> = (&'a [u8], &'a grib2::Geometry, Vec<Option<Point>>);

impl<'a> Spots<'a> {
    fn of(&mut self, field: &'a Field<'_>, places: &[LatLon]) -> Result<&[Option<Point>], GribError> {
        let geometry = field.geometry.as_ref().map_err(Clone::clone)?;
        let (section, _, points) = self.held.get_or_insert_with(|| {
            (field.grid_section, geometry, places.iter().map(|place| geometry.nearest(*place)).collect())
        });
        if *section != field.grid_section {
            return Err(GribError::Unsupported {
                what: "a second grid in one file".to_owned(),
                why: "a column is of one grid".to_owned(),
            });
        }
        Ok(points)
    }

    fn settled(&self) -> Option<(&'a grib2::Geometry, &[Option<Point>])> {
        self.held.as_ref().map(|(_, geometry, points)| (*geometry, points.as_slice()))
    }
}

/// Which part of a profile a field is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    /// A quantity on an isobar, Pa.
    Isobar(f64, Aloft),
    /// A quantity at the surface.
    Surface(Low),
    /// A figure of the model's own.
    Reported(Own),
}

/// What is given on isobars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aloft {
    Temperature,
    Humidity,
    DewPoint,
    Height,
    U,
    V,
}

/// What is given at the surface, at 2 m and 10 m.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Low {
    Pressure,
    Height,
    Temperature2m,
    DewPoint2m,
    Humidity2m,
    U10m,
    V10m,
}

/// What the model reckons itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Own {
    SfcCape,
    SfcCin,
    MlCape,
    MlCin,
    MuCape,
    MuCin,
    Srh1km,
    Srh3km,
    MotionU,
    MotionV,
}

impl Part {
    fn of(field: &Field<'_>) -> Option<Self> {
        let levels = field.product.levels?;
        let Parameter(0, category, number) = field.parameter() else { return None };
        if levels.is_at(100, None) {
            let pressure_pa = levels.first.value?;
            let aloft = match (category, number) {
                (0, 0) => Aloft::Temperature,
                (0, 6) => Aloft::DewPoint,
                (1, 1) => Aloft::Humidity,
                (3, 5) => Aloft::Height,
                (2, 2) => Aloft::U,
                (2, 3) => Aloft::V,
                _ => return None,
            };
            return Some(Self::Isobar(pressure_pa, aloft));
        }
        let (ground, two, ten) = (levels.is_at(1, None), levels.is_at(103, Some(2.0)), levels.is_at(103, Some(10.0)));
        let between = |kind: u8, depth: f64| levels.is_between(kind, 0.0, depth);
        Some(match (category, number) {
            (3, 0) if ground => Self::Surface(Low::Pressure),
            (3, 5) if ground => Self::Surface(Low::Height),
            (0, 0) if two => Self::Surface(Low::Temperature2m),
            (0, 6) if two => Self::Surface(Low::DewPoint2m),
            (1, 1) if two => Self::Surface(Low::Humidity2m),
            (2, 2) if ten => Self::Surface(Low::U10m),
            (2, 3) if ten => Self::Surface(Low::V10m),
            (7, 6) if ground => Self::Reported(Own::SfcCape),
            (7, 7) if ground => Self::Reported(Own::SfcCin),
            (7, 6) if between(108, 9000.0) => Self::Reported(Own::MlCape),
            (7, 7) if between(108, 9000.0) => Self::Reported(Own::MlCin),
            (7, 6) if between(108, 25_500.0) => Self::Reported(Own::MuCape),
            (7, 7) if between(108, 25_500.0) => Self::Reported(Own::MuCin),
            (7, 8) if between(103, 1000.0) => Self::Reported(Own::Srh1km),
            (7, 8) if between(103, 3000.0) => Self::Reported(Own::Srh3km),
            (2, 194) if between(103, 6000.0) => Self::Reported(Own::MotionU),
            (2, 195) if between(103, 6000.0) => Self::Reported(Own::MotionV),
            _ => return None,
        })
    }

    fn level(self) -> String {
        match self {
            Self::Isobar(pressure_pa, _) => format!("on {} hPa", pressure_pa / 100.0),
            Self::Surface(_) => "at the surface".to_owned(),
            Self::Reported(_) => "of the model's own".to_owned(),
        }
    }
}

/// Whether a line of an index names a field of a profile: what `profiles` reads, by the inventory's names.
pub fn is_of_profile(variable: &str, level: &str) -> bool {
    let isobar = level.strip_suffix(" mb").and_then(|figure| figure.parse::<u16>().ok());
    match (variable, level) {
        ("TMP" | "RH" | "HGT" | "UGRD" | "VGRD", _) if isobar.is_some_and(|hpa| (100..=1000).contains(&hpa)) => true,
        ("PRES" | "HGT" | "CAPE" | "CIN", "surface") => true,
        ("TMP" | "DPT" | "RH", "2 m above ground") | ("UGRD" | "VGRD", "10 m above ground") => true,
        ("CAPE" | "CIN", "90-0 mb above ground" | "255-0 mb above ground") => true,
        ("HLCY", "1000-0 m above ground" | "3000-0 m above ground") => true,
        ("USTM" | "VSTM", "0-6000 m above ground") => true,
        _ => false,
    }
}

/// A point of RAP's grid over the continental US (NCEP's grid 130), by column and row from its south-west corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GridPoint {
    /// Column.
    pub i: i32,
    /// Row.
    pub j: i32,
}

/// NCEP grid 130 (Office Note 388, table B): south-west corner, degrees; spacing, m; earth, m.
const CORNER_DEG: (f64, f64) = (16.281, -126.138);
const SPACING_M: f64 = 13_545.087;
const EARTH_M: f64 = 6_371_229.0;

impl GridPoint {
    /// The point nearest to a place; places that share one can share a cut-out. `None` never happens on earth but at the poles.
    pub fn of(place: LatLon) -> Option<Self> {
        let (cone, corner) = grid_130()?;
        let (x, y) = cone.forward(place);
        let cell = |from: f64, to: f64| {
            let steps = ((to - from) / SPACING_M).round();
            (steps.abs() < 1e6).then_some(steps as i32)
        };
        Some(Self { i: cell(corner.0, x)?, j: cell(corner.1, y)? })
    }

    /// Where it is.
    pub fn place(self) -> Option<LatLon> {
        let (cone, corner) = grid_130()?;
        cone.inverse(corner.0 + f64::from(self.i) * SPACING_M, corner.1 + f64::from(self.j) * SPACING_M)
    }
}

fn grid_130() -> Option<(Lambert, (f64, f64))> {
    let cone = Lambert::new(EARTH_M, 25.0, 25.0, -95.0)?;
    let corner = LatLon::new(CORNER_DEG.0, CORNER_DEG.1).ok()?;
    Some((cone, cone.forward(corner)))
}

/// The cycle `hours` before the hour that `now` lies in.
pub fn cycle_before(now: Timestamp, hours: i64) -> Option<Timestamp> {
    let hour = now.as_second().div_euclid(3600).checked_mul(3600)?;
    Timestamp::from_second(hour).ok()?.checked_sub(SignedDuration::from_hours(hours)).ok()
}
