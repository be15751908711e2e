//! The whole picture of a sounding: diagram, barbs, hodograph, table, and what it is of.

use super::page::{Frame, Page, Painted, Side, fitted, paint};
use super::{PlotError, hodograph, ink, skew_t, table};
use crate::profile::ModelProfile;
use crate::sounding::{Column, Environment, parcel};
use crate::threat::evidence::PROFILE_USABLE_FOR;
use crate::threat::{DISCLAIMER, later};
use jiff::Timestamp;

/// Width and height of the picture, pixels.
pub const SOUNDING_SIZE: (u32, u32) = (1400, 950);

pub(super) const DIAGRAM: Frame = Frame::new(58.0, 84.0, 778.0, 890.0);
const BARBS_X: f64 = 834.0;
const HODOGRAPH: Frame = Frame::new(876.0, 84.0, 1386.0, 454.0);
const TABLE_X: (f64, f64) = (876.0, 1386.0);
const TABLE_Y: (f64, f64) = (496.0, 916.0);

/// What a picture of a sounding is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct SoundingPlot<'a> {
    /// What it is of: `RAP 13 km over 35.34 N 97.49 W`.
    pub title: String,
    /// Times and source, one line.
    pub source: String,
    /// What must not be overlooked (a profile that is too old, no wind), one line each, in red.
    pub alarms: Vec<String>,
    /// The air.
    pub column: &'a Column,
    /// What it tells.
    pub environment: &'a Environment,
}

/// Draws a model's profile as PNG. One that may no longer speak is drawn and says so.
///
/// # Errors
/// Only defects of the build: see [`PlotError`].
pub fn profile(profile: &ModelProfile, now: Timestamp) -> Result<Vec<u8>, PlotError> {
    sounding(&of_profile(profile, now))
}

pub(super) fn of_profile(profile: &ModelProfile, now: Timestamp) -> SoundingPlot<'_> {
    let place = profile.asked_place;
    let kind = match profile.forecast_hour {
        0 => "analysis".to_owned(),
        hour => format!("{hour} h forecast"),
    };
    let mut alarms = Vec::new();
    let end = later(profile.valid_utc, PROFILE_USABLE_FOR);
    if now >= end {
        let hours = now.duration_since(profile.valid_utc).as_hours();
        alarms.push(format!("TOO OLD: valid {hours} h ago; levels are judged without it since {end:.0}"));
    }
    SoundingPlot {
        title: format!("{} over {}", profile.model, degrees(place.lat(), place.lon())),
        source: format!(
            "valid {:.0}  ({kind}, run of {:.0})   grid point {} {:.1} km away   file {}",
            profile.valid_utc,
            profile.cycle_utc,
            degrees(profile.grid_point.lat(), profile.grid_point.lon()),
            profile.distance_km,
            profile.key
        ),
        alarms,
        column: &profile.column,
        environment: &profile.environment,
    }
}

/// Draws a sounding as PNG.
///
/// # Errors
/// Only defects of the build: see [`PlotError`].
pub fn sounding(plot: &SoundingPlot) -> Result<Vec<u8>, PlotError> {
    painted(plot).map(|painted| painted.png)
}

pub(super) fn painted(plot: &SoundingPlot) -> Result<Painted, PlotError> {
    paint(SOUNDING_SIZE, |page| draw(page, plot))
}

fn draw(page: &mut Page, plot: &SoundingPlot) {
    // The mixed-layer parcel: what air near the ground does once it is stirred.
    let ascent = parcel::lift_mixed_layer(plot.column);
    heading(page, plot, ascent.is_some());
    skew_t::skew_t(page, DIAGRAM, BARBS_X, plot.column, plot.environment, ascent.as_ref());
    hodograph::hodograph(page, HODOGRAPH, plot.column, plot.environment);
    table::table(page, TABLE_X, TABLE_Y, plot.environment);
    footer(page, ascent.is_some());
}

fn heading(page: &mut Page, plot: &SoundingPlot, lifted: bool) {
    let width = page.whole().width() - 28.0;
    page.text((14.0, 22.0), Side::Left, 23.0, ink::BLACK, &fitted(&plot.title, 23.0, width));
    page.text((14.0, 46.0), Side::Left, 14.0, ink::GREY, &fitted(&plot.source, 14.0, width));
    let mut alarms = plot.alarms.clone();
    if !lifted {
        alarms.push("no dew point at the ground: no parcel can be lifted".to_owned());
    }
    if !alarms.is_empty() {
        let words = alarms.join("   ");
        page.text((14.0, 67.0), Side::Left, 15.0, ink::ALARM, &fitted(&words, 15.0, width));
    }
}

fn footer(page: &mut Page, lifted: bool) {
    let y = 929.0;
    let mut x = DIAGRAM.left;
    let mut entry = |ink, on_off: Option<(f64, f64)>, width, words: &str| {
        match on_off {
            // An area.
            None if width > 8.0 => {
                let swatch = Frame::new(x, y - 6.0, x + 26.0, y + 6.0).corners();
                page.fill(std::slice::from_ref(&swatch), ink);
            }
            Some(on_off) => page.dashes(&[(x, y), (x + 26.0, y)], on_off, width, ink),
            None => page.line((x, y), (x + 26.0, y), width, ink),
        }
        page.text((x + 32.0, y), Side::Left, 12.0, ink::BLACK, words);
        x += 44.0 + super::page::text_width(12.0, words);
    };
    entry(ink::TEMPERATURE, None, 2.6, "temperature");
    entry(ink::DEW_POINT, None, 2.6, "dew point");
    entry(ink::TEMPERATURE, Some((5.0, 4.0)), 1.2, "virtual temp.");
    if lifted {
        entry(ink::PARCEL, Some((9.0, 5.0)), 2.0, "ML parcel (virtual)");
        entry(ink::CAPE, None, 12.0, "CAPE");
        entry(ink::CIN, None, 12.0, "CIN");
    }
    page.text((TABLE_X.1, y), Side::Right, 12.0, ink::GREY, DISCLAIMER);
}

/// A place as people write it.
pub(super) fn degrees(lat: f64, lon: f64) -> String {
    let (north, east) = (if lat < 0.0 { "S" } else { "N" }, if lon < 0.0 { "W" } else { "E" });
    format!("{:.2}°{north} {:.2}°{east}", lat.abs(), lon.abs())
}
