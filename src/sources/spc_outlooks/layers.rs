//! Which files there are: the table of layers, by day, hazard and role.

use crate::outlook::{CATEGORICAL_DAY_MAX, Hazard};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// What a file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Categories.
    Categorical,
    /// Probabilities of a hazard.
    Probability(Hazard),
    /// Conditional intensities of a hazard.
    Intensity(Hazard),
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// 1 to 8.
    pub day: u8,
    /// What it tells.
    pub role: Role,
    /// Where it is.
    pub path: String,
}

/// SPC's word for the layer. Nested polygons (`lyr`) throughout.
fn kind(role: Role) -> &'static str {
    match role {
        Role::Categorical => "cat",
        Role::Probability(Hazard::Tornado) => "torn",
        Role::Probability(Hazard::Wind) => "wind",
        Role::Probability(Hazard::Hail) => "hail",
        Role::Probability(Hazard::TotalSevere) => "prob",
        Role::Intensity(Hazard::Tornado) => "cigtorn",
        Role::Intensity(Hazard::Wind) => "cigwind",
        Role::Intensity(Hazard::Hail) => "cighail",
        Role::Intensity(Hazard::TotalSevere) => "cigprob",
    }
}

/// The files of one day, the one that decides on the issue first. Files that are no longer made (`sigtorn`, `day3otlk_sigprob`)
/// and such as never were (`day3otlk_torn`) are not asked for.
pub fn files(day: u8) -> Vec<File> {
    let path = |role| match day {
        1..=CATEGORICAL_DAY_MAX => format!("/products/outlook/day{day}otlk_{}.lyr.geojson", kind(role)),
        _ => format!("/products/exper/day4-8/day{day}prob.lyr.geojson"),
    };
    roles(day).into_iter().map(|role| File { day, role, path: path(role) }).collect()
}

fn roles(day: u8) -> Vec<Role> {
    let hazards = Hazard::of_day(day);
    let probabilities = hazards.iter().map(|&hazard| Role::Probability(hazard));
    if day > CATEGORICAL_DAY_MAX {
        return probabilities.collect();
    }
    let intensities = hazards.iter().map(|&hazard| Role::Intensity(hazard));
    std::iter::once(Role::Categorical).chain(probabilities).chain(intensities).collect()
}

/// Names of the day-1 issues in the archive, hour and minute UTC; 1200 is the one issued at 06Z.
const ISSUES: [(i8, i8); 5] = [(20, 0), (16, 30), (13, 0), (12, 0), (1, 0)];

/// The archived files of the newest day-1 issue whose VALID lies before `now`.
pub fn archived(now: Timestamp) -> Vec<File> {
    let time = TimeZone::UTC.to_datetime(now);
    let named = |(hour, minute)| (hour, minute) <= (time.hour(), time.minute());
    let (at, (hour, minute)) = match ISSUES.into_iter().find(|&issue| named(issue)) {
        Some(issue) => (now, issue),
        // Before 01Z yesterday's last issue is in force.
        None => (now.checked_sub(SignedDuration::from_hours(24)).unwrap_or(now), (20, 0)),
    };
    let day = TimeZone::UTC.to_datetime(at).date();
    let (year, date) = (day.year(), day.strftime("%Y%m%d").to_string());
    let path = |role| {
        format!("/products/outlook/archive/{year}/day1otlk_{date}_{hour:02}{minute:02}_{}.lyr.geojson", kind(role))
    };
    roles(1).into_iter().map(|role| File { day: 1, role, path: path(role) }).collect()
}
