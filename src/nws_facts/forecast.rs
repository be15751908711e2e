//! A forecast for a grid point, in half days or hours.

use super::Moment;

/// A forecast, its periods in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forecast {
    /// When it was made.
    pub generated: Option<Moment>,
    /// Its periods: 14 half days, or some 156 hours.
    pub periods: Vec<Period>,
}

/// One period. Figures are rounded as they are told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Period {
    /// `Tonight`; empty for hours.
    pub name: String,
    /// When it begins.
    pub start: Option<Moment>,
    /// When it ends.
    pub end: Option<Moment>,
    /// In `temperature_unit`.
    pub temperature: Option<f64>,
    /// `F` or `C`.
    pub temperature_unit: Option<TemperatureUnit>,
    /// In words: `10 to 15 mph`.
    pub wind_speed: Option<String>,
    /// In words: `SW`.
    pub wind_direction: Option<String>,
    /// A few words.
    pub short_forecast: Option<String>,
    /// Some sentences.
    pub detailed_forecast: Option<String>,
    /// Chance of precipitation, per cent.
    pub precip_chance_pct: Option<i64>,
    /// Dew point, degrees Celsius to a tenth.
    pub dewpoint_c: Option<f64>,
    /// Relative humidity, per cent to a tenth.
    pub relative_humidity_pct: Option<f64>,
}

/// The unit of a forecast's temperature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemperatureUnit {
    /// Degrees Fahrenheit.
    F,
    /// Degrees Celsius.
    C,
}

impl TemperatureUnit {
    /// `F` or `C`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::F => "F",
            Self::C => "C",
        }
    }
}
