//! Figures and times in words, each made of the told (rounded) figure.

use crate::geo::compass;
use crate::nws_facts::conditions::Figures;
use crate::nws_facts::local_time;
use crate::nws_facts::units::{celsius, fahrenheit, feet, hectopascals, inches_of_mercury, kilometres, miles, mph};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// What is said of a measure that is not there.
pub const NOT_AVAILABLE: &str = "Not available";

/// An instant as sent, in the place's zone and in UTC; as it came where it is no instant.
pub fn when(text: Option<&str>, zone: Option<&TimeZone>) -> String {
    match text {
        None => "not stated".to_owned(),
        Some(text) => text.parse::<Timestamp>().map_or_else(|_| text.to_owned(), |at| local_time(at, zone)),
    }
}

/// `73°F (23°C)` of told degrees Celsius.
pub fn temperature(c: Option<i64>) -> String {
    c.map_or_else(|| NOT_AVAILABLE.to_owned(), |c| format!("{}°F ({c}°C)", fahrenheit(c as f64)))
}

/// The same of a forecast, whose figure may be in either unit.
pub fn forecast_temperature(value: f64, unit: &str) -> String {
    match unit {
        "C" => format!("{}°F ({value}°C)", fahrenheit(value)),
        _ => format!("{value}°F ({}°C)", celsius(value)),
    }
}

/// `SW (220°) 12 mph (19 km/h), gusts 25 mph (40 km/h)`.
pub fn wind(figures: &Figures) -> String {
    let speed = |kmh: i64| format!("{} mph ({kmh} km/h)", mph(kmh));
    let gust = figures.wind_gust_kmh.map(|kmh| format!("gusts {}", speed(kmh)));
    let Some(kmh) = figures.wind_speed_kmh else {
        return gust.map_or_else(|| NOT_AVAILABLE.to_owned(), |gust| format!("{NOT_AVAILABLE}, {gust}"));
    };
    if kmh == 0 && gust.is_none() {
        return "Calm".to_owned();
    }
    let from = figures.wind_direction_deg.map(|deg| format!("{} ({deg}°) ", compass(deg as f64))).unwrap_or_default();
    let gust = gust.map(|gust| format!(", {gust}")).unwrap_or_default();
    format!("{from}{}{gust}", speed(kmh))
}

/// `29.92 inHg (1013 hPa)`.
pub fn pressure(pa: Option<i64>) -> String {
    pa.map_or_else(
        || NOT_AVAILABLE.to_owned(),
        |pa| format!("{} inHg ({} hPa)", inches_of_mercury(pa), hectopascals(pa)),
    )
}

/// `10.0 mi (16.1 km)`.
pub fn visibility(m: Option<i64>) -> String {
    m.map_or_else(|| NOT_AVAILABLE.to_owned(), |m| format!("{} mi ({} km)", miles(m), kilometres(m)))
}

/// `68%`.
pub fn percent(value: Option<i64>) -> String {
    value.map_or_else(|| NOT_AVAILABLE.to_owned(), |value| format!("{value}%"))
}

/// `12008 ft (3660 m)`.
pub fn height(m: i64) -> String {
    format!("{} ft ({m} m)", feet(m))
}

/// A text, or a dash.
pub fn or_dash(text: Option<&str>) -> &str {
    text.unwrap_or("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calm_is_not_the_same_as_not_measured() {
        let wind = |wind_speed_kmh, wind_direction_deg, wind_gust_kmh| {
            wind(&Figures { wind_speed_kmh, wind_direction_deg, wind_gust_kmh, ..Figures::default() })
        };
        assert_eq!(wind(Some(0), Some(0), None), "Calm");
        assert_eq!(wind(Some(0), None, Some(40)), "0 mph (0 km/h), gusts 25 mph (40 km/h)");
        assert_eq!(wind(None, Some(220), None), NOT_AVAILABLE);
        assert_eq!(wind(Some(19), Some(220), Some(40)), "SW (220°) 12 mph (19 km/h), gusts 25 mph (40 km/h)");
        assert_eq!(wind(Some(5), None, None), "3 mph (5 km/h)");
    }

    #[test]
    fn every_figure_comes_in_both_systems() {
        assert_eq!(temperature(Some(-7)), "19°F (-7°C)");
        assert_eq!(pressure(Some(102_440)), "30.25 inHg (1024 hPa)");
        assert_eq!(visibility(Some(16_090)), "10.0 mi (16.1 km)");
        assert_eq!(forecast_temperature(85.0, "F"), "85°F (29°C)");
        assert_eq!(forecast_temperature(29.4, "C"), "85°F (29.4°C)");
        assert_eq!((temperature(None), percent(None)), (NOT_AVAILABLE.to_owned(), NOT_AVAILABLE.to_owned()));
    }
}
