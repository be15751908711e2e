//! Figures with their units as api.weather.gov sends them, in the units in which they are told. An unknown unit makes a
//! figure unknown: it is never taken for the usual one.

/// Kilometres per hour in a metre per second.
const KMH_PER_MS: f64 = 3.6;
/// Kilometres in a statute mile, and so km/h in a mile per hour.
const KM_PER_MILE: f64 = crate::geo::KM_PER_MILE;
/// Pascals in an inch of mercury.
const PA_PER_INHG: f64 = 3_386.389;
/// Metres in a foot.
const M_PER_FT: f64 = 0.3048;

/// Miles per hour in a kilometre per hour, and miles in a kilometre.
const MILES_PER_KM: f64 = 0.621_371;
/// Inches of mercury in a pascal.
const INHG_PER_PA: f64 = 0.000_295_3;
/// Miles in a metre.
const MILES_PER_M: f64 = 0.000_621_371;
/// Feet in a metre.
const FT_PER_M: f64 = 3.280_84;

/// A unit of the WMO's code list, as far as the API uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Degrees Celsius.
    Celsius,
    /// Degrees Fahrenheit.
    Fahrenheit,
    /// Kelvin.
    Kelvin,
    /// Kilometres per hour.
    Kmh,
    /// Metres per second.
    Ms,
    /// Knots.
    Knot,
    /// Miles per hour.
    Mph,
    /// Pascals.
    Pascal,
    /// Hectopascals.
    Hectopascal,
    /// Inches of mercury.
    InchHg,
    /// Metres.
    Metre,
    /// Kilometres.
    Kilometre,
    /// Feet.
    Foot,
    /// Statute miles.
    Mile,
    /// Per cent.
    Percent,
    /// Degrees of a circle.
    Degree,
}

impl Unit {
    /// Reads `wmoUnit:degC`, `unit:degC`, `http://codes.wmo.int/common/unit/degC` or `degC`.
    pub fn by_code(code: &str) -> Option<Self> {
        let name = code.rsplit(['/', ':']).next().unwrap_or(code).trim();
        Some(match name {
            "degC" | "C" => Self::Celsius,
            "degF" | "F" => Self::Fahrenheit,
            "K" => Self::Kelvin,
            "km_h-1" | "km/h" => Self::Kmh,
            "m_s-1" | "m/s" => Self::Ms,
            "kt" | "kn" => Self::Knot,
            "mi_h-1" | "mph" => Self::Mph,
            "Pa" => Self::Pascal,
            "hPa" | "mbar" => Self::Hectopascal,
            "inHg" | "in_Hg" => Self::InchHg,
            "m" => Self::Metre,
            "km" => Self::Kilometre,
            "ft" => Self::Foot,
            "mi" => Self::Mile,
            "percent" | "%" => Self::Percent,
            "degree_(angle)" | "degree" | "deg" => Self::Degree,
            _ => return None,
        })
    }
}

/// A figure and its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    /// The figure, finite.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
}

impl Quantity {
    /// In degrees Celsius; `None` for a figure of another kind.
    pub fn celsius(self) -> Option<f64> {
        match self.unit {
            Unit::Celsius => Some(self.value),
            Unit::Fahrenheit => Some((self.value - 32.0) / 1.8),
            Unit::Kelvin => Some(self.value - 273.15),
            _ => None,
        }
    }

    /// In km/h; `None` for a figure of another kind.
    pub fn kmh(self) -> Option<f64> {
        let factor = match self.unit {
            Unit::Kmh => 1.0,
            Unit::Ms => KMH_PER_MS,
            Unit::Knot => crate::geo::KMH_PER_KT,
            Unit::Mph => KM_PER_MILE,
            _ => return None,
        };
        Some(self.value * factor)
    }

    /// In pascals; `None` for a figure of another kind.
    pub fn pascal(self) -> Option<f64> {
        let factor = match self.unit {
            Unit::Pascal => 1.0,
            Unit::Hectopascal => 100.0,
            Unit::InchHg => PA_PER_INHG,
            _ => return None,
        };
        Some(self.value * factor)
    }

    /// In metres; `None` for a figure of another kind.
    pub fn metres(self) -> Option<f64> {
        let factor = match self.unit {
            Unit::Metre => 1.0,
            Unit::Kilometre => 1_000.0,
            Unit::Foot => M_PER_FT,
            Unit::Mile => KM_PER_MILE * 1_000.0,
            _ => return None,
        };
        Some(self.value * factor)
    }

    /// In per cent; `None` for a figure of another kind.
    pub fn percent(self) -> Option<f64> {
        (self.unit == Unit::Percent).then_some(self.value)
    }

    /// In degrees of a circle; `None` for a figure of another kind.
    pub fn degrees(self) -> Option<f64> {
        (self.unit == Unit::Degree).then_some(self.value)
    }
}

/// Rounded to a whole number, the precision in which measurements are told.
pub fn whole(value: f64) -> i64 {
    value.round() as i64
}

/// Rounded to a tenth, without a negative zero.
pub fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0 + 0.0
}

/// Degrees Fahrenheit, whole, of told degrees Celsius.
pub fn fahrenheit(celsius: f64) -> i64 {
    whole(1.8 * celsius + 32.0)
}

/// Degrees Celsius, whole, of told degrees Fahrenheit.
pub fn celsius(fahrenheit: f64) -> i64 {
    whole((fahrenheit - 32.0) / 1.8)
}

/// Miles per hour, whole, of told km/h.
pub fn mph(kmh: i64) -> i64 {
    whole(kmh as f64 * MILES_PER_KM)
}

/// Inches of mercury of told pascals, two decimals.
pub fn inches_of_mercury(pa: i64) -> String {
    format!("{:.2}", pa as f64 * INHG_PER_PA)
}

/// Hectopascals, whole, of told pascals.
pub fn hectopascals(pa: i64) -> i64 {
    whole(pa as f64 / 100.0)
}

/// Miles of told metres, one decimal.
pub fn miles(metres: i64) -> String {
    format!("{:.1}", metres as f64 * MILES_PER_M)
}

/// Kilometres of told metres, one decimal.
pub fn kilometres(metres: i64) -> String {
    format!("{:.1}", metres as f64 / 1_000.0)
}

/// Miles of told kilometres, one decimal.
pub fn miles_of_km(km: f64) -> String {
    format!("{:.1}", km * MILES_PER_KM)
}

/// Feet, whole, of told metres.
pub fn feet(metres: i64) -> i64 {
    whole(metres as f64 * FT_PER_M)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_in_every_spelling_and_unknown_ones_are_none() {
        for code in ["wmoUnit:degC", "unit:degC", "http://codes.wmo.int/common/unit/degC", "degC"] {
            assert_eq!(Unit::by_code(code), Some(Unit::Celsius), "{code}");
        }
        assert_eq!(Unit::by_code("wmoUnit:km_h-1"), Some(Unit::Kmh));
        assert_eq!(Unit::by_code("unit:m_s-1"), Some(Unit::Ms));
        assert_eq!(Unit::by_code("wmoUnit:degree_(angle)"), Some(Unit::Degree));
        assert_eq!(Unit::by_code("wmoUnit:furlong"), None);
        assert_eq!(Unit::by_code(""), None);
    }

    #[test]
    fn figures_come_in_one_unit_and_never_in_that_of_another_kind() {
        let of = |value, unit| Quantity { value, unit };
        assert!((of(50.0, Unit::Fahrenheit).celsius().unwrap() - 10.0).abs() < 1e-9);
        assert!((of(10.0, Unit::Ms).kmh().unwrap() - 36.0).abs() < 1e-9);
        assert!((of(10.0, Unit::Knot).kmh().unwrap() - 18.52).abs() < 1e-9);
        assert!((of(1_013.25, Unit::Hectopascal).pascal().unwrap() - 101_325.0).abs() < 1e-6);
        assert!((of(10.0, Unit::Mile).metres().unwrap() - 16_093.44).abs() < 1e-6);
        assert_eq!(of(10.0, Unit::Celsius).kmh(), None);
        assert_eq!(of(10.0, Unit::Kmh).celsius(), None);
    }

    /// The worked examples of the specification: 1.8 C + 32, 0.621371, 0.0002953, 0.000621371, 3.28084.
    #[test]
    fn conversions_are_those_specified() {
        assert_eq!((fahrenheit(23.0), fahrenheit(-40.0), fahrenheit(0.0)), (73, -40, 32));
        assert_eq!(mph(100), 62);
        assert_eq!((inches_of_mercury(101_325).as_str(), hectopascals(101_325)), ("29.92", 1_013));
        assert_eq!((miles(16_090).as_str(), kilometres(16_090).as_str()), ("10.0", "16.1"));
        assert_eq!(feet(3_660), 12_008);
        assert_eq!((tenth(-0.04).to_string().as_str(), tenth(-7.777_8)), ("0", -7.8));
    }
}
