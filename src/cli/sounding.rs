//! `stormbell sounding`: the air over a place, or a sounding text file, as a picture.
//!
//! Boundaries: ✓ which profile, why there is none, where the picture goes. ✗ no drawing (see `plot`), no maths.

use crate::app::{self, Setup};
use crate::cli::args::SoundingArgs;
use crate::cli::fail::Failure;
use crate::cli::{decode, paper};
use crate::decode::sounding::soundings;
use crate::geo::LatLon;
use crate::observation::RAP_PROFILES;
use crate::plot::{self, PlotError, SOUNDING_SIZE, SoundingPlot};
use crate::profile::ModelProfile;
use crate::sounding::environment;
use crate::threat::picture::Picture;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Draws and writes the picture.
///
/// # Errors
/// No profile covers the place, the file cannot be read, or the picture cannot be written.
pub fn run(setup: &Setup, args: &SoundingArgs, json: bool) -> Result<(), Failure> {
    paper::check(&args.png)?;
    let (png, facts) = match (&args.file, args.point.point()?) {
        (Some(file), _) => of_file(file, args.number)?,
        (None, Some(place)) => of_place(setup, args, place)?,
        (None, None) => {
            let needed = "LAT and LON, --place or --file are needed";
            return Err(Failure::usage(needed, "see `stormbell sounding --help`"));
        }
    };
    paper::write(&args.png, &png)?;
    paper::tell(&args.png, &png, SOUNDING_SIZE, facts, json);
    Ok(())
}

fn of_place(setup: &Setup, args: &SoundingArgs, place: LatLon) -> Result<(Vec<u8>, Value), Failure> {
    let recorded = args.archive.clone().zip(args.at);
    let (picture, now) = app::look(setup, &[place], Some(&[RAP_PROFILES]), recorded)?;
    // The recorded day's clock has gone on while the source was asked; the picture is of the instant asked for.
    let now = args.at.unwrap_or(now);
    let Some(profile) = newest(&picture, place, now) else { return Err(none(&picture, place)) };
    let facts = json!({
        "valid_utc": profile.valid_utc,
        "cycle_utc": profile.cycle_utc,
        "model": profile.model,
        "grid_point": {"lat": profile.grid_point.lat(), "lon": profile.grid_point.lon()},
        "distance_km": profile.distance_km,
        "key": profile.key,
    });
    Ok((plot::profile(profile, now)?, facts))
}

/// The profile of the place valid last among those whose time has come, as the rules choose it.
fn newest(picture: &Picture, place: LatLon, now: Timestamp) -> Option<&Arc<ModelProfile>> {
    let come = picture.profiles.get(&place.key_4dp())?.values().filter(|profile| profile.valid_utc <= now);
    come.max_by_key(|profile| (profile.valid_utc, profile.cycle_utc))
}

/// Why no profile covers a place.
fn none(picture: &Picture, place: LatLon) -> Failure {
    let (lat, lon) = (place.lat(), place.lon());
    if picture.is_off(&RAP_PROFILES) {
        let message = format!("no profile of {lat},{lon}: the source rap_profiles is switched off");
        return Failure::new("no_profile", message, "switch it on in the configuration: [sources.rap_profiles]");
    }
    let heard = picture.heard.get(&RAP_PROFILES);
    let why = match heard.map(|heard| heard.faults.as_slice()) {
        None => "rap_profiles has not answered".to_owned(),
        Some([]) => "rap_profiles has no file that covers it".to_owned(),
        Some(faults) => {
            faults.iter().map(|fault| format!("{}: {}", fault.place, fault.what)).collect::<Vec<_>>().join("; ")
        }
    };
    let hint = "try again in some minutes; `stormbell sounding --file FILE` draws a sounding text file";
    Failure::new("no_profile", format!("no profile covers {lat},{lon}: {why}"), hint)
}

fn of_file(file: &Path, number: usize) -> Result<(Vec<u8>, Value), Failure> {
    let bytes = decode::read(file)?;
    let read = soundings(&bytes).map_err(|error| {
        Failure::new(
            "file",
            format!("{}: {error}", file.display()),
            "`stormbell debug sounding FILE` says what is in it",
        )
    })?;
    let count = read.soundings.len();
    let Some(sounding) = number.checked_sub(1).and_then(|at| read.soundings.get(at)) else {
        return Err(Failure::usage(format!("--number {number}: {} has {count} sounding(s)", file.display()), ""));
    };
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let valid = sounding.valid_utc.map_or_else(|| "time not told".to_owned(), |at| format!("valid {at:.0}"));
    let hour = sounding.forecast_hour.map(|hour| format!(", {hour} h forecast")).unwrap_or_default();
    let number_of = if count > 1 { format!(", sounding {number} of {count}") } else { String::new() };
    let mut alarms = Vec::new();
    if !sounding.dropped.is_empty() {
        alarms.push(format!("{} level(s) or parts could not be used", sounding.dropped.len()));
    }
    let told = environment(&sounding.column);
    let plot = SoundingPlot {
        title: format!("Sounding {}", sounding.station.as_deref().unwrap_or("of a station not named")),
        source: format!("{valid}{hour}   {} levels   file {name}{number_of}", sounding.column.levels().len()),
        alarms,
        column: &sounding.column,
        environment: &told,
    };
    let facts = json!({"valid_utc": sounding.valid_utc, "station": sounding.station, "number": number, "of": count});
    Ok((plot::sounding(&plot)?, facts))
}

impl From<PlotError> for Failure {
    fn from(error: PlotError) -> Self {
        Self::new("failed", error.to_string(), "")
    }
}
