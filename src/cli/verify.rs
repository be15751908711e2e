//! `stormbell verify`: levels and notices scored against storm reports, as a table and as JSON.
//!
//! Boundaries: ✓ which day, which reports, the form of the answer. ✗ no scoring of its own (see `threat::verification`).

use crate::app::{self, ReplayOptions, Setup};
use crate::cli::answers::Ask;
use crate::cli::args::VerifyArgs;
use crate::cli::fail::{self, Failure};
use crate::cli::parse::Speed;
use crate::cli::{ask_store, print};
use crate::decode::lsr;
use crate::storm_report::{StormReport, once_each};
use crate::threat::Level;
use crate::threat::verification::{Score, StormEvent, Terms, Timeline, Watched, events, score};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::path::Path;

mod report;

/// The file that makes a folder a recorded day.
const ARCHIVE_FILE: &str = "archive.toml";
/// Largest file of reports, bytes: a year of the nation.
const REPORTS_BYTES_MAX: u64 = 256 << 20;

/// One point with its events and scores, one a level, lowest first.
#[derive(Debug, Clone)]
pub(super) struct Scored {
    /// The point.
    pub watched: Watched,
    /// Reports that count, within its watch.
    pub events: Vec<StormEvent>,
    /// By the level that stood.
    pub stood: Vec<Score>,
    /// By the level that was told.
    pub told: Vec<Score>,
}

/// Scores and prints.
///
/// # Errors
/// A recorded day, a store or reports that cannot be read.
pub fn run(setup: &Setup, args: VerifyArgs, json: bool) -> Result<(), Failure> {
    if args.radius_km.clamped {
        fail::complain(&format!("note: --radius-km is held to {} km", args.radius_km.km));
    }
    let terms = Terms { radius_km: args.radius_km.km, window: SignedDuration::from_mins(i64::from(args.window_min)) };
    let (watched, reports) = gathered(setup, args)?;
    if watched.is_empty() {
        return Err(Failure::usage(
            "there is no watch point to score",
            "give --watch NAME,LAT,LON, or a data directory",
        ));
    }
    let scored: Vec<Scored> = watched.into_iter().map(|watched| scored(watched, &reports, terms)).collect();
    let document = report::document(&scored, &reports, terms);
    if json {
        print::document(&document);
    } else {
        print::line(&report::text(&document));
    }
    Ok(())
}

/// The timelines of the points and the reports to score them by.
fn gathered(setup: &Setup, args: VerifyArgs) -> Result<(Vec<Watched>, Vec<StormReport>), Failure> {
    let named = args.reports.as_deref().map(read_reports).transpose()?;
    let archive = args.path.clone().filter(|path| path.join(ARCHIVE_FILE).is_file());
    if let Some(archive) = archive {
        let options = ReplayOptions {
            archive,
            watches: args.watch,
            speed: Speed::Max,
            from: None,
            until: None,
            setup: setup.clone(),
        };
        let (watched, heard) = app::verify_recorded(&options)?;
        return Ok((watched, named.unwrap_or(heard)));
    }
    if !args.watch.is_empty() {
        let why = "--watch goes with a recorded day: a folder with archive.toml".to_owned();
        return Err(Failure::usage(why, "a journal has watch points of its own"));
    }
    let setup = match args.path {
        Some(dir) => Setup { data_dir: Some(dir), ..setup.clone() },
        None => setup.clone(),
    };
    let answer = ask_store(&setup, &Ask::Timelines)?;
    let watched = watched_of(answer)?;
    let reports = match named {
        Some(named) => named,
        None => app::storm_reports(&setup, &watched, args.radius_km.km)?,
    };
    Ok((watched, reports))
}

fn watched_of(mut answer: Value) -> Result<Vec<Watched>, Failure> {
    serde_json::from_value(answer["timelines"].take())
        .map_err(|error| Failure::new("failed", format!("the timelines cannot be read: {error}"), ""))
}

fn read_reports(file: &Path) -> Result<Vec<StormReport>, Failure> {
    let failed = |why: String| Failure::new("invalid", format!("--reports {}: {why}", file.display()), "");
    let bytes = std::fs::metadata(file).map_err(|error| failed(error.to_string()))?.len();
    if bytes > REPORTS_BYTES_MAX {
        return Err(failed(format!("{bytes} bytes; at most {REPORTS_BYTES_MAX}")));
    }
    let bytes = std::fs::read(file).map_err(|error| failed(error.to_string()))?;
    // When they were heard is of no interest here.
    let rows = lsr::reports(&bytes, Timestamp::UNIX_EPOCH).map_err(|error| failed(error.to_string()))?;
    if rows.unread > 0 {
        fail::complain(&format!("note: {} of {} reports could not be read", rows.unread, rows.rows));
    }
    Ok(once_each(rows.reports))
}

fn scored(watched: Watched, reports: &[StormReport], terms: Terms) -> Scored {
    let mut events = events(reports, watched.at, terms.radius_km);
    let by_level = |timeline: &Timeline, events: &[StormEvent]| {
        let levels = Level::ALL.into_iter().filter(|level| *level > Level::None);
        levels.map(|level| score(timeline, events, level, terms)).collect()
    };
    let (stood, told) = (by_level(&watched.stood, &events), by_level(&watched.told, &events));
    let Timeline { from_utc, to_utc, .. } = watched.stood;
    events.retain(|event| from_utc <= event.at_utc && event.at_utc < to_utc);
    Scored { watched, events, stood, told }
}
