//! A checked column of air over one place, and what can be reckoned from it.
//!
//! Boundaries: ✓ pure figures of temperature, moisture and wind over pressure and height. ✗ no place, no time, no source: who
//! measured or forecast the column is told by what carries it. ✗ never sees `threat`: a figure here is no judgement.

use serde::{Deserialize, Serialize};
use thiserror::Error;

mod air;
mod choose;
pub mod environment;
pub mod indices;
mod layers;
pub mod parcel;
pub mod regime;
pub mod thermo;
pub mod winds;

pub use environment::{Environment, environment};

/// Fewest levels that make a column: fewer cannot tell a lapse rate above and below anything.
pub const LEVELS_MIN: usize = 4;
/// Most levels taken: the finest radiosonde files (one a second) stay below 10 000.
pub const LEVELS_MAX: usize = 20_000;
/// Pressures that a level may have, hPa: above the record at sea level (1084) nothing is real, and no balloon reaches 0.1.
const PRESSURE_HPA: (f64, f64) = (0.1, 1100.0);
/// Heights that a level may have, m above sea level: from the Dead Sea to the top of any model.
const HEIGHT_M: (f64, f64) = (-500.0, 90_000.0);
/// Temperatures that a level may have, °C: the coldest mesopause and the hottest desert, with room.
const TEMPERATURE_C: (f64, f64) = (-150.0, 65.0);
/// Driest dew point taken, °C; files of dry stratospheres go to about -110, model fill to -140.
const DEW_POINT_MIN_C: f64 = -200.0;
/// A dew point this little above its temperature, K, is rounding and is set to the temperature; more is an error.
const SUPERSATURATION_MAX_K: f64 = 1.0;
/// Fastest wind taken, m/s; jets reach 130.
const WIND_MAX_MS: f64 = 200.0;

/// One level of a column of air.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// Pressure, hPa.
    pub pressure_hpa: f64,
    /// Height above mean sea level, m.
    pub height_msl_m: f64,
    /// Air temperature, °C.
    pub temperature_c: f64,
    /// Dew point over water, °C.
    pub dew_point_c: Option<f64>,
    /// Wind.
    pub wind: Option<Wind>,
}

/// Wind by its components, relative to the earth (not to a model's grid).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Wind {
    /// From the west, m/s.
    pub u_ms: f64,
    /// From the south, m/s.
    pub v_ms: f64,
}

impl Wind {
    /// Wind that blows from `from_deg` (degrees clockwise from north) at `speed_ms`.
    pub fn from_direction(from_deg: f64, speed_ms: f64) -> Self {
        let (sin, cos) = from_deg.to_radians().sin_cos();
        Self { u_ms: -speed_ms * sin, v_ms: -speed_ms * cos }
    }

    /// Speed, m/s.
    pub fn speed_ms(self) -> f64 {
        self.u_ms.hypot(self.v_ms)
    }

    /// Where it blows from, degrees clockwise from north, 0 up to 360. Calm reads as 0.
    pub fn from_deg(self) -> f64 {
        if self.u_ms == 0.0 && self.v_ms == 0.0 {
            return 0.0;
        }
        let from_deg = (-self.u_ms).atan2(-self.v_ms).to_degrees().rem_euclid(360.0);
        // A hair west of north rounds up to 360.
        if from_deg >= 360.0 { 0.0 } else { from_deg }
    }
}

/// A column of air: surface first, pressure strictly falling, height strictly rising, every figure finite and sane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Level>", into = "Vec<Level>")]
pub struct Column {
    levels: Vec<Level>,
}

/// A level, or a part of one, that was left out of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dropped {
    /// Its place in the list given, from 0.
    pub index: usize,
    /// Its pressure as given, hPa; not finite where none could be read.
    pub pressure_hpa: f64,
    /// How much of it was dropped.
    pub part: Part,
    /// Why.
    pub why: Why,
}

/// What of a level was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// All of it.
    Level,
    /// Its dew point alone.
    DewPoint,
    /// Its wind alone.
    Wind,
}

/// Why something was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Not a number, or infinite.
    #[error("not a number")]
    NotANumber,
    /// A number that air does not have.
    #[error("a value that air does not have")]
    Absurd,
    /// At the surface pressure or more: models fill their pressure levels below the ground.
    #[error("at or under the surface")]
    UnderSurface,
    /// The pressure of an earlier level again; the first one stays.
    #[error("a pressure that is there already")]
    Repeated,
    /// Pressure above that of the level before it.
    #[error("pressure does not fall")]
    OutOfOrder,
    /// Height not above that of the level before it.
    #[error("height does not rise")]
    HeightNotRising,
    /// A dew point well above the temperature.
    #[error("dew point above temperature")]
    Supersaturated,
    /// More levels than are taken.
    #[error("more than {LEVELS_MAX} levels")]
    TooMany,
}

/// Why levels do not make a column.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ColumnError {
    /// No levels at all.
    #[error("the column has no levels")]
    Empty,
    /// The surface level cannot be used, so that nothing above it has a base.
    #[error("the surface level ({pressure_hpa} hPa) cannot be used: {why}")]
    Surface {
        /// Its pressure as given.
        pressure_hpa: f64,
        /// What is wrong with it.
        why: Why,
    },
    /// Too little is left of it.
    #[error("only {kept} of {given} levels can be used; {LEVELS_MIN} are needed")]
    TooFewLevels {
        /// Levels that could be used.
        kept: usize,
        /// Levels given.
        given: usize,
    },
}

impl Column {
    /// Checks levels, surface first, and keeps those that can be used; what was left out is told.
    ///
    /// The first level is the surface: levels at its pressure or more are under the ground and are dropped.
    ///
    /// # Errors
    /// No levels, an unusable surface level, or fewer than [`LEVELS_MIN`] usable ones.
    pub fn new(levels: Vec<Level>) -> Result<(Self, Vec<Dropped>), ColumnError> {
        let given = levels.len();
        let mut dropped = Vec::new();
        let mut kept: Vec<Level> = Vec::with_capacity(given.min(LEVELS_MAX));
        for (index, mut level) in levels.into_iter().enumerate() {
            let mut drop = |part, why| dropped.push(Dropped { index, pressure_hpa: level.pressure_hpa, part, why });
            if kept.len() >= LEVELS_MAX {
                drop(Part::Level, Why::TooMany);
                break;
            }
            if let Some(why) = wrong(&level).or_else(|| out_of_place(&kept, &level)) {
                if index == 0 {
                    return Err(ColumnError::Surface { pressure_hpa: level.pressure_hpa, why });
                }
                drop(Part::Level, why);
                continue;
            }
            if let Some(dew_point_c) = level.dew_point_c {
                match dew_point(dew_point_c, level.temperature_c) {
                    Ok(dew_point_c) => level.dew_point_c = Some(dew_point_c),
                    Err(why) => {
                        level.dew_point_c = None;
                        drop(Part::DewPoint, why);
                    }
                }
            }
            if let Some(why) = level.wind.and_then(wrong_wind) {
                level.wind = None;
                drop(Part::Wind, why);
            }
            kept.push(level);
        }
        if given == 0 {
            return Err(ColumnError::Empty);
        }
        if kept.len() < LEVELS_MIN {
            return Err(ColumnError::TooFewLevels { kept: kept.len(), given });
        }
        Ok((Self { levels: kept }, dropped))
    }

    /// Its levels, surface first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The lowest level: the ground.
    pub fn surface(&self) -> &Level {
        // `new` lets no empty column through.
        &self.levels[0]
    }

    /// The highest level.
    pub fn top(&self) -> &Level {
        &self.levels[self.levels.len() - 1]
    }

    /// Height above the ground of a height above sea level, m.
    pub fn agl_m(&self, height_msl_m: f64) -> f64 {
        height_msl_m - self.surface().height_msl_m
    }

    /// Temperature at a pressure, °C, straight in ln p; `None` outside the column.
    pub fn temperature_c_at(&self, pressure_hpa: f64) -> Option<f64> {
        self.at_pressure(pressure_hpa, |level| Some(level.temperature_c))
    }

    /// Dew point at a pressure, °C, straight in ln p between the levels that have one.
    pub fn dew_point_c_at(&self, pressure_hpa: f64) -> Option<f64> {
        self.at_pressure(pressure_hpa, |level| level.dew_point_c)
    }

    /// Height at a pressure, m above sea level, straight in ln p; `None` outside the column.
    pub fn height_msl_m_at(&self, pressure_hpa: f64) -> Option<f64> {
        self.at_pressure(pressure_hpa, |level| Some(level.height_msl_m))
    }

    /// Wind at a pressure, each component straight in ln p between the levels that have one.
    pub fn wind_at(&self, pressure_hpa: f64) -> Option<Wind> {
        let u_ms = self.at_pressure(pressure_hpa, |level| level.wind.map(|wind| wind.u_ms))?;
        let v_ms = self.at_pressure(pressure_hpa, |level| level.wind.map(|wind| wind.v_ms))?;
        Some(Wind { u_ms, v_ms })
    }

    /// Pressure at a height above sea level, hPa: ln p straight in height; `None` outside the column.
    pub fn pressure_hpa_at(&self, height_msl_m: f64) -> Option<f64> {
        let above = self.levels.partition_point(|level| level.height_msl_m < height_msl_m);
        let upper = self.levels.get(above)?;
        if upper.height_msl_m == height_msl_m {
            return Some(upper.pressure_hpa);
        }
        let lower = self.levels.get(above.checked_sub(1)?)?;
        let part = (height_msl_m - lower.height_msl_m) / (upper.height_msl_m - lower.height_msl_m);
        Some(mix(lower.pressure_hpa.ln(), upper.pressure_hpa.ln(), part).exp())
    }

    /// A quantity at a pressure from the nearest levels below and above that have it.
    fn at_pressure(&self, pressure_hpa: f64, value: impl Fn(&Level) -> Option<f64>) -> Option<f64> {
        if pressure_hpa.is_nan() {
            return None;
        }
        let above = self.levels.partition_point(|level| level.pressure_hpa > pressure_hpa);
        let (below, above) = self.levels.split_at(above);
        let (upper, upper_value) = above.iter().find_map(|level| Some((level, value(level)?)))?;
        if upper.pressure_hpa == pressure_hpa {
            return Some(upper_value);
        }
        let (lower, lower_value) = below.iter().rev().find_map(|level| Some((level, value(level)?)))?;
        let part = (lower.pressure_hpa / pressure_hpa).ln() / (lower.pressure_hpa / upper.pressure_hpa).ln();
        Some(mix(lower_value, upper_value, part))
    }
}

impl TryFrom<Vec<Level>> for Column {
    type Error = ColumnError;

    /// For reading back what was written: whatever would be dropped was dropped before it was written.
    fn try_from(levels: Vec<Level>) -> Result<Self, ColumnError> {
        Self::new(levels).map(|(column, _)| column)
    }
}

impl From<Column> for Vec<Level> {
    fn from(column: Column) -> Self {
        column.levels
    }
}

fn mix(from: f64, to: f64, part: f64) -> f64 {
    from + (to - from) * part
}

/// What is wrong with the figures that a level cannot do without.
fn wrong(level: &Level) -> Option<Why> {
    let figures =
        [(level.pressure_hpa, PRESSURE_HPA), (level.height_msl_m, HEIGHT_M), (level.temperature_c, TEMPERATURE_C)];
    if figures.iter().any(|(value, _)| !value.is_finite()) {
        return Some(Why::NotANumber);
    }
    figures.iter().any(|(value, (low, high))| value < low || value > high).then_some(Why::Absurd)
}

/// What is wrong with a level's place over those kept before it.
fn out_of_place(kept: &[Level], level: &Level) -> Option<Why> {
    let (surface, last) = (kept.first()?, kept.last()?);
    if level.pressure_hpa >= surface.pressure_hpa {
        return Some(Why::UnderSurface);
    }
    if level.pressure_hpa >= last.pressure_hpa {
        let known = kept.iter().any(|other| other.pressure_hpa == level.pressure_hpa);
        return Some(if known { Why::Repeated } else { Why::OutOfOrder });
    }
    (level.height_msl_m <= last.height_msl_m).then_some(Why::HeightNotRising)
}

fn dew_point(dew_point_c: f64, temperature_c: f64) -> Result<f64, Why> {
    if !dew_point_c.is_finite() {
        return Err(Why::NotANumber);
    }
    if dew_point_c < DEW_POINT_MIN_C {
        return Err(Why::Absurd);
    }
    if dew_point_c > temperature_c + SUPERSATURATION_MAX_K {
        return Err(Why::Supersaturated);
    }
    Ok(dew_point_c.min(temperature_c))
}

fn wrong_wind(wind: Wind) -> Option<Why> {
    let speed_ms = wind.speed_ms();
    if !speed_ms.is_finite() {
        return Some(Why::NotANumber);
    }
    (speed_ms > WIND_MAX_MS).then_some(Why::Absurd)
}

#[cfg(test)]
mod tests;
