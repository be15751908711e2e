//! From words on the command line to checked values; every refusal names the field and what is accepted.
//!
//! Boundaries: ✓ pure. ✗ no clap types: these are plain functions from text.

use crate::desk::NAME_CHARS_MAX;
use crate::desk::names::checked_name;
use crate::geo::LatLon;
use crate::ground::gazetteer::{resolve, resolve_anywhere};
use crate::notice::QuietHours;
use crate::threat::Level;
use jiff::Timestamp;

/// Fastest accepted replay speed: above it only `max` makes sense, since one poll takes longer than its period.
pub const SPEED_MAX: f64 = 10_000.0;
/// Accepted search radius, km. Beyond 500 km "around a place" has lost its meaning.
pub const RADIUS_KM: (f64, f64) = (1.0, 500.0);

/// Accepted radius of a map, km: below it radar cells are as large as words, beyond it the whole nation is the better map.
pub const MAP_RADIUS_KM: (f64, f64) = (20.0, 1000.0);

/// A place with a name, as `--watch NAME,LAT,LON` or `--watch NAME=PLACE` gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedPlace {
    /// 1 to 80 characters.
    pub name: String,
    /// Inside the continental US.
    pub at: LatLon,
}

/// How fast a recorded day runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Speed {
    /// As fast as it can go, on a virtual clock.
    Max,
    /// Virtual seconds a second.
    Times(f64),
}

/// A radius within its range, and whether it had to be clamped to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Radius {
    /// The radius used, km.
    pub km: f64,
    /// Whether another figure was asked for.
    pub clamped: bool,
}

/// `LAT,LON` anywhere on earth.
///
/// # Errors
/// Says what is wrong and the accepted form.
pub fn lat_lon(text: &str) -> Result<LatLon, String> {
    let form = || format!("{text:?} is not LAT,LON: two decimal figures in degrees, for instance 35.22,-97.44");
    let (lat, lon) = text.split_once(',').ok_or_else(form)?;
    let number = |word: &str| word.trim().parse::<f64>().map_err(|_| form());
    LatLon::new(number(lat)?, number(lon)?).map_err(|error| error.to_string())
}

/// `LAT,LON` anywhere on earth, or a place of the United States by its name or ZIP code.
///
/// # Errors
/// Says what is wrong and the accepted form; of several places, which.
pub fn spot(text: &str) -> Result<LatLon, String> {
    if text.contains(',') && !text.chars().any(char::is_alphabetic) {
        return lat_lon(text);
    }
    resolve_anywhere(text).map(|found| found.at).map_err(|error| error.to_string())
}

/// `NAME,LAT,LON` inside the continental US, or `NAME=PLACE`. The name may itself hold commas: the last two figures count.
///
/// # Errors
/// Says what is wrong and the accepted form; of several places, which.
pub fn named_place(text: &str) -> Result<NamedPlace, String> {
    let form = || {
        format!(
            "{text:?} is neither NAME,LAT,LON nor NAME=PLACE, for instance home,35.22,-97.44 or \"home=Norman, OK\""
        )
    };
    let figures = text.rsplit_once(',').and_then(|(rest, lon)| Some((rest.rsplit_once(',')?, lon)));
    let number = |word: &str| word.trim().parse::<f64>().ok();
    if let Some(((name, lat), lon)) = figures
        && let Some((lat, lon)) = number(lat).zip(number(lon))
    {
        let at = LatLon::in_conus(lat, lon).map_err(|error| error.to_string())?;
        return Ok(NamedPlace { name: place_name(name)?, at });
    }
    let (name, place) = text.split_once('=').ok_or_else(form)?;
    let found = resolve(place).map_err(|error| error.to_string())?;
    Ok(NamedPlace { name: place_name(name)?, at: found.at })
}

/// A name of 1 to 80 characters that can be seen.
///
/// # Errors
/// Says what is wrong with it.
pub fn place_name(text: &str) -> Result<String, String> {
    checked_name(text, NAME_CHARS_MAX).map_err(|why| format!("name {text:?} {why}"))
}

/// An instant in RFC 3339.
///
/// # Errors
/// Says the accepted form.
pub fn time(text: &str) -> Result<Timestamp, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("{text:?} is not a time in RFC 3339 with an offset, for instance 2026-06-10T21:32:00Z"))
}

/// Quiet hours.
///
/// # Errors
/// Says the accepted form.
pub fn quiet_hours(text: &str) -> Result<QuietHours, String> {
    text.parse::<QuietHours>().map_err(|error| error.to_string())
}

/// A level by its word.
///
/// # Errors
/// Lists the words.
pub fn level(text: &str) -> Result<Level, String> {
    text.parse::<Level>().map_err(|error| error.to_string())
}

/// `max`, or a number of virtual seconds a second.
///
/// # Errors
/// Says the accepted range.
pub fn speed(text: &str) -> Result<Speed, String> {
    if text.trim().eq_ignore_ascii_case("max") {
        return Ok(Speed::Max);
    }
    finite_speed(text).map(Speed::Times).map_err(|why| format!("{why}, or max"))
}

/// A number of virtual seconds a second.
///
/// # Errors
/// Says the accepted range.
pub fn finite_speed(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value > 0.0 && value <= SPEED_MAX => Ok(value),
        Ok(_) | Err(_) => Err(format!("speed {text:?} must be a number above 0 and up to {SPEED_MAX}")),
    }
}

/// `LAT,LON` inside the continental US.
///
/// # Errors
/// Says what is wrong and the accepted form.
pub fn conus_lat_lon(text: &str) -> Result<LatLon, String> {
    // Outside the globe may be a missing sign or swapped figures: `in_conus` guesses which.
    let (lat, lon) = text.split_once(',').unwrap_or((text, ""));
    match (lat.trim().parse(), lon.trim().parse()) {
        (Ok(lat), Ok(lon)) => LatLon::in_conus(lat, lon).map_err(|error| error.to_string()),
        _ => lat_lon(text),
    }
}

/// A radius in km, clamped to its range.
///
/// # Errors
/// Only for what is not a number.
pub fn radius_km(text: &str) -> Result<Radius, String> {
    clamped_km(text, RADIUS_KM)
}

/// The radius of a map in km, clamped to its range.
///
/// # Errors
/// Only for what is not a number.
pub fn map_radius_km(text: &str) -> Result<Radius, String> {
    clamped_km(text, MAP_RADIUS_KM)
}

fn clamped_km(text: &str, (low, high): (f64, f64)) -> Result<Radius, String> {
    let asked: f64 = text.trim().parse().map_err(|_| format!("radius {text:?} is not a number of kilometres"))?;
    if !asked.is_finite() {
        return Err(format!("radius {text:?} must be {low} to {high} km"));
    }
    let km = asked.clamp(low, high);
    Ok(Radius { km, clamped: km.to_bits() != asked.to_bits() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_refused_with_reasons() {
        assert_eq!(lat_lon("35.22,-97.44").unwrap().lon(), -97.44);
        assert_eq!(lat_lon(" 13.4 , 144.7 ").unwrap().lon(), 144.7);
        for bad in ["", "35.22", "35.22;-97", "a,b", "91,0", "nan,-97", "35,-97,2"] {
            let why = lat_lon(bad).unwrap_err();
            assert!(why.contains("LAT,LON") || why.contains("not a position"), "{bad}: {why}");
        }
        let place = named_place("Smith, Bob,40.52,-92.90").unwrap();
        assert_eq!((place.name.as_str(), place.at.lat()), ("Smith, Bob", 40.52));
        assert!(named_place("home,-92.9,40.52").unwrap_err().contains("swapped"));
        assert!(named_place(",40.52,-92.9").unwrap_err().contains("1 to 80"));
        assert!(named_place(&format!("{},40.52,-92.9", "x".repeat(81))).is_err());
        assert!(named_place("40.52,-92.9").unwrap_err().contains("NAME,LAT,LON"));
    }

    #[test]
    fn times_need_an_offset() {
        assert_eq!(time("2026-06-10T16:32:00-05:00").unwrap().to_string(), "2026-06-10T21:32:00Z");
        assert!(time("2026-06-10T21:32:00").unwrap_err().contains("RFC 3339"));
    }

    #[test]
    fn speeds_and_radii_keep_their_ranges() {
        assert_eq!(speed("MAX"), Ok(Speed::Max));
        assert_eq!(speed("2.5"), Ok(Speed::Times(2.5)));
        for bad in ["0", "-1", "inf", "nan", "10001", "x"] {
            assert!(speed(bad).unwrap_err().contains("10000"), "{bad}");
        }
        assert_eq!(radius_km("40"), Ok(Radius { km: 40.0, clamped: false }));
        assert_eq!(radius_km("-3"), Ok(Radius { km: 1.0, clamped: true }));
        assert!(radius_km("inf").is_err());
    }
}
