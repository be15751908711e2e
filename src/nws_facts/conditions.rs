//! What a station measured: figures in the units of their names, rounded once. What is missing is `None`, never 0.

use super::Moment;
use super::units::{Quantity, whole};
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

/// An observation older than this does not tell how it is now.
pub const CURRENT_FOR: SignedDuration = SignedDuration::from_hours(2);
/// With so many of the six main measures missing an observation says little.
const MISSING_OF_SIX: usize = 4;

/// One observation of one station.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conditions {
    /// When.
    pub observed: Option<Moment>,
    /// `Mostly Cloudy`; `None` where blank.
    pub text_description: Option<String>,
    /// What was measured.
    pub figures: Figures,
    /// From below.
    pub cloud_layers: Vec<CloudLayer>,
}

/// What was measured, as it is told. The names are those of answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Degrees Celsius.
    pub temperature_c: Option<i64>,
    /// Degrees Celsius.
    pub dewpoint_c: Option<i64>,
    /// Kilometres per hour.
    pub wind_speed_kmh: Option<i64>,
    /// Where the wind comes from, degrees.
    pub wind_direction_deg: Option<i64>,
    /// Kilometres per hour.
    pub wind_gust_kmh: Option<i64>,
    /// Pascals.
    pub barometric_pressure_pa: Option<i64>,
    /// Metres.
    pub visibility_m: Option<i64>,
    /// Per cent.
    pub relative_humidity_pct: Option<i64>,
    /// Degrees Celsius.
    pub heat_index_c: Option<i64>,
    /// Degrees Celsius.
    pub wind_chill_c: Option<i64>,
}

/// One layer of clouds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CloudLayer {
    /// FEW, SCT, BKN, OVC or CLR.
    pub amount: String,
    /// Metres above ground.
    pub base_m: Option<i64>,
}

/// The measures of an observation as they came.
#[derive(Debug, Clone, Copy, Default)]
pub struct Measures {
    /// Air temperature.
    pub temperature: Option<Quantity>,
    /// Dew point.
    pub dewpoint: Option<Quantity>,
    /// Wind.
    pub wind_speed: Option<Quantity>,
    /// Where it comes from.
    pub wind_direction: Option<Quantity>,
    /// Its gusts.
    pub wind_gust: Option<Quantity>,
    /// Pressure.
    pub barometric_pressure: Option<Quantity>,
    /// Visibility.
    pub visibility: Option<Quantity>,
    /// Relative humidity.
    pub relative_humidity: Option<Quantity>,
    /// Heat index.
    pub heat_index: Option<Quantity>,
    /// Wind chill.
    pub wind_chill: Option<Quantity>,
}

impl Conditions {
    /// Measures in the units of the field names, rounded: the only place where that is done.
    pub fn of(
        observed: Option<Moment>,
        text_description: Option<String>,
        measures: Measures,
        cloud_layers: Vec<CloudLayer>,
    ) -> Self {
        let told = |quantity: Option<Quantity>, unit: fn(Quantity) -> Option<f64>| quantity.and_then(unit).map(whole);
        let figures = Figures {
            temperature_c: told(measures.temperature, Quantity::celsius),
            dewpoint_c: told(measures.dewpoint, Quantity::celsius),
            wind_speed_kmh: told(measures.wind_speed, Quantity::kmh),
            wind_direction_deg: told(measures.wind_direction, Quantity::degrees),
            wind_gust_kmh: told(measures.wind_gust, Quantity::kmh),
            barometric_pressure_pa: told(measures.barometric_pressure, Quantity::pascal),
            visibility_m: told(measures.visibility, Quantity::metres),
            relative_humidity_pct: told(measures.relative_humidity, Quantity::percent),
            heat_index_c: told(measures.heat_index, Quantity::celsius),
            wind_chill_c: told(measures.wind_chill, Quantity::celsius),
        };
        Self { observed, text_description, figures, cloud_layers }
    }

    /// Whether most of the main measures are missing.
    pub fn is_limited(&self) -> bool {
        let main = [
            self.figures.temperature_c,
            self.figures.dewpoint_c,
            self.figures.wind_speed_kmh,
            self.figures.barometric_pressure_pa,
            self.figures.visibility_m,
            self.figures.relative_humidity_pct,
        ];
        main.iter().filter(|measure| measure.is_none()).count() >= MISSING_OF_SIX
    }

    /// How old it is where it is too old to stand for now.
    pub fn outdated_by(&self, now: Timestamp) -> Option<SignedDuration> {
        let age = now.duration_since(self.observed.as_ref()?.at);
        (age > CURRENT_FOR).then_some(age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nws_facts::units::Unit;

    #[test]
    fn measures_are_rounded_once_and_missing_ones_stay_missing() {
        let of = |value, unit| Some(Quantity { value, unit });
        let measures = Measures {
            temperature: of(22.8, Unit::Celsius),
            dewpoint: of(50.0, Unit::Fahrenheit),
            wind_gust: of(10.3, Unit::Ms),
            // A pressure in a unit of length is no pressure.
            barometric_pressure: of(30.1, Unit::Metre),
            ..Measures::default()
        };
        let told = Conditions::of(None, None, measures, Vec::new());
        let figures = told.figures;
        assert_eq!((figures.temperature_c, figures.dewpoint_c, figures.wind_gust_kmh), (Some(23), Some(10), Some(37)));
        assert_eq!((figures.wind_speed_kmh, figures.barometric_pressure_pa), (None, None));
        assert!(told.is_limited());
        let three = Conditions { figures: Figures { wind_speed_kmh: Some(0), ..figures }, ..told };
        assert!(!three.is_limited());
    }

    #[test]
    fn two_hours_are_the_end_of_now() {
        let at: Timestamp = "2031-05-09T20:00:00Z".parse().unwrap();
        let observed = Some(Moment { text: at.to_string(), at });
        let told = Conditions { observed, ..Conditions::default() };
        assert_eq!(told.outdated_by("2031-05-09T22:00:00Z".parse().unwrap()), None);
        assert!(told.outdated_by("2031-05-09T22:00:01Z".parse().unwrap()).is_some());
    }
}
