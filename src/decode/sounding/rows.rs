//! Rows of a table to a column: finds the ground, and fills what some rows leave open.

use super::{Faults, Sounding};
use crate::geo::LatLon;
use crate::sounding::{Column, Level, Wind};
use jiff::Timestamp;

/// Metres per second in a knot.
pub(super) const MS_PER_KT: f64 = 1852.0 / 3600.0;
/// At or below this a figure is a filler (-9999 in all three forms): no quantity of a sounding goes so low.
const FILLER: f64 = -9990.0;

/// One row as the file has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub pressure_hpa: f64,
    pub height_msl_m: Option<f64>,
    pub temperature_c: Option<f64>,
    pub dew_point_c: Option<f64>,
    pub wind: Option<Wind>,
}

/// A sounding as found in a file, not yet checked.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    /// Where in the file, for faults.
    pub at: String,
    pub station: Option<String>,
    pub place: Option<LatLon>,
    pub valid_utc: Option<Timestamp>,
    pub forecast_hour: Option<i32>,
    pub rows: Vec<Row>,
}

impl Row {
    /// A row of figures; fillers and what is no number read as missing. `None` without a pressure.
    pub fn new(pressure_hpa: f64, rest: [f64; 5], ms_per_unit: f64) -> Option<Self> {
        let [height_msl_m, temperature_c, dew_point_c, from_deg, speed] = rest.map(figure);
        let wind = from_deg.zip(speed).filter(|(from_deg, speed)| (0.0..=360.0).contains(from_deg) && *speed >= 0.0);
        Some(Self {
            pressure_hpa: figure(pressure_hpa).filter(|pressure_hpa| *pressure_hpa > 0.0)?,
            height_msl_m,
            temperature_c,
            dew_point_c,
            wind: wind.map(|(from_deg, speed)| Wind::from_direction(from_deg, speed * ms_per_unit)),
        })
    }
}

/// A figure that is one.
fn figure(value: f64) -> Option<f64> {
    (value.is_finite() && value > FILLER).then_some(value)
}

impl Found {
    /// Checks the rows; a fault and `None` where they make no column.
    pub fn into_sounding(self, faults: &mut Faults) -> Option<Sounding> {
        match Column::new(levels(&self.rows)) {
            Ok((column, dropped)) => Some(Sounding {
                station: self.station,
                place: self.place,
                valid_utc: self.valid_utc,
                forecast_hour: self.forecast_hour,
                column,
                dropped,
            }),
            Err(why) => {
                faults.add(self.at, why.to_string());
                None
            }
        }
    }
}

/// The rows that make levels. The lowest row with temperature and height is the ground; what lies before it are pressures under
/// the ground. A row without temperature or height (a wind at a height) takes it from the rows around, straight in ln p.
fn levels(rows: &[Row]) -> Vec<Level> {
    let ground = rows.iter().position(|row| row.temperature_c.is_some() && row.height_msl_m.is_some());
    let rows = ground.and_then(|ground| rows.get(ground..)).unwrap_or_default();
    // For each row the nearest one above it that has the figure, from the top down.
    let temperatures = filled(rows, |row| row.temperature_c);
    let heights = filled(rows, |row| row.height_msl_m);
    let whole = rows.iter().zip(temperatures).zip(heights);
    whole
        .filter_map(|((row, temperature_c), height_msl_m)| {
            Some(Level {
                pressure_hpa: row.pressure_hpa,
                height_msl_m: height_msl_m?,
                temperature_c: temperature_c?,
                dew_point_c: row.dew_point_c.filter(|_| row.temperature_c.is_some()),
                wind: row.wind,
            })
        })
        .collect()
}

/// A figure of every row: its own, or one between the nearest rows below and above that have it.
fn filled(rows: &[Row], own: impl Fn(&Row) -> Option<f64>) -> Vec<Option<f64>> {
    let known = |row: &Row| Some((row.pressure_hpa, own(row)?));
    let mut above: Vec<Option<(f64, f64)>> = Vec::with_capacity(rows.len());
    let mut next = None;
    for row in rows.iter().rev() {
        above.push(next);
        next = known(row).or(next);
    }
    above.reverse();
    let mut below: Option<(f64, f64)> = None;
    let mut all = Vec::with_capacity(rows.len());
    for (row, above) in rows.iter().zip(above) {
        let between = || {
            let ((low_hpa, low), (high_hpa, high)) = below.zip(above)?;
            let inside = low_hpa > row.pressure_hpa && row.pressure_hpa > high_hpa;
            let part = (low_hpa / row.pressure_hpa).ln() / (low_hpa / high_hpa).ln();
            inside.then_some(low + (high - low) * part)
        };
        all.push(own(row).or_else(between));
        below = known(row).or(below);
    }
    all
}
