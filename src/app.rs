//! The running service, wired: config, outside, store, actors and doors put together for each command.
//!
//! This file is the seam between the CLI and the service: types that commands need, and one function a command.

use crate::cli::parse::{NamedPlace, Speed};
use crate::desk::{Desk, DeskError};
use crate::geo::LatLon;
use crate::notice::Delivery;
use crate::store::{RepairReport, Store, StoreError};
use crate::threat::{Assessment, LevelChange, PointState};
use jiff::Timestamp;
use serde_json::Value;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use thiserror::Error;

/// Where the configuration and the store are, as asked for; `None` takes the defaults.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--data-dir`.
    pub data_dir: Option<PathBuf>,
}

/// Why a command cannot be carried out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AppError {
    /// A key of the configuration is unknown or out of range.
    #[error("{file}: {why}")]
    Config {
        /// The file, with the line where known.
        file: String,
        /// Key and accepted range.
        why: String,
    },
    /// A recorded day that cannot be used.
    #[error("{archive}: {why}")]
    Archive {
        /// The folder.
        archive: String,
        /// What is wrong, with the line of the timeline where there is one.
        why: String,
    },
    /// The store cannot be opened, read, written or repaired.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The desk refused.
    #[error(transparent)]
    Desk(#[from] DeskError),
    /// No such thing.
    #[error("no {what} {id:?}")]
    NotFound {
        /// Of what kind.
        what: &'static str,
        /// The id given.
        id: String,
    },
    /// Anything else that ended the command.
    #[error("{0}")]
    Running(String),
}

/// Which world a service lives in.
#[derive(Debug, Clone, PartialEq)]
pub enum World {
    /// The live feeds.
    Live,
    /// A recorded day with its own clock.
    Recorded {
        /// The folder.
        archive: PathBuf,
        /// Virtual seconds a second.
        speed: f64,
    },
}

/// `replay` with everything checked.
#[derive(Debug, Clone)]
pub struct ReplayOptions {
    /// The folder.
    pub archive: PathBuf,
    /// Places to watch.
    pub watches: Vec<NamedPlace>,
    /// How fast.
    pub speed: Speed,
    /// Where to begin; `None`: the store's high-water mark, else the archive's `from`.
    pub from: Option<Timestamp>,
    /// Where to stop; `None`: the archive's `to`.
    pub until: Option<Timestamp>,
    /// Configuration and data directory; without the latter a temporary one is used.
    pub setup: Setup,
}

/// What a replay has to tell, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplayEvent {
    /// A level moved.
    LevelChange {
        /// Name of the watch point.
        watch: String,
        /// The move with its assessment.
        change: Box<LevelChange>,
    },
    /// A notice was decided.
    Notice {
        /// Names of the watch points it speaks of.
        watches: Vec<String>,
        /// The notice on one channel to one address.
        delivery: Box<Delivery>,
    },
    /// How a watch point stands at the end.
    Assessment {
        /// Name of the watch point.
        watch: String,
        /// The last assessment.
        assessment: Box<Assessment>,
        /// What stands in the store: level and supports, held ones included.
        state: Box<PointState>,
    },
}

/// The last line of a replay.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplaySummary {
    /// Watch points.
    pub watch_points: usize,
    /// Polls of all sources.
    pub polls: u64,
    /// Faults that sources reported, failed polls included.
    pub faults: u64,
    /// Level changes.
    pub level_changes: u64,
    /// Notices decided.
    pub notices: u64,
    /// Machine time, seconds.
    pub wall_s: f64,
}

const NOT_WIRED: &str = "not wired yet";

/// The data directory that these settings mean, made if it is not there.
///
/// # Errors
/// `Config` when the configuration cannot be read, `Store` when the directory cannot be made.
pub fn data_dir(setup: &Setup) -> Result<PathBuf, AppError> {
    setup.data_dir.clone().ok_or_else(|| AppError::Running(NOT_WIRED.to_owned()))
}

/// Runs the pipeline and the HTTP MCP door until stopped. Says its address in one line on stderr when ready.
///
/// # Errors
/// What keeps it from starting, or ended it.
pub fn serve(_setup: &Setup, _port: Option<u16>, _world: &World) -> Result<(), AppError> {
    Err(AppError::Running(NOT_WIRED.to_owned()))
}

/// MCP on stdin and stdout with a pipeline of its own. `StoreError::InUse` tells the CLI to bridge instead.
///
/// # Errors
/// What keeps it from starting, or ended it.
pub fn mcp(_setup: &Setup, _world: &World) -> Result<(), AppError> {
    Err(AppError::Running(NOT_WIRED.to_owned()))
}

/// The `get_threat_brief` envelope for a place, now or at an instant of a recorded day.
///
/// # Errors
/// `Archive` for a recorded day that cannot be used; upstream trouble is inside the envelope.
pub fn brief(_setup: &Setup, _at: LatLon, _recorded: Option<(PathBuf, Timestamp)>) -> Result<Value, AppError> {
    Err(AppError::Running(NOT_WIRED.to_owned()))
}

/// What a one-shot command reads and changes when no process owns the data directory.
pub struct Opened {
    /// Registering, removing and listing; its sources are never polled.
    pub desk: Arc<dyn Desk>,
    /// The tables.
    pub store: Store,
    /// Who the command line is.
    pub owner: String,
}

/// Opens the store for one command.
///
/// # Errors
/// `StoreError::InUse` when a process owns it: the CLI then asks that process.
pub fn open(_setup: &Setup) -> Result<Opened, AppError> {
    Err(AppError::Running(NOT_WIRED.to_owned()))
}

/// Puts a fresh store with all that can be read in the place of a damaged one, which is kept.
///
/// # Errors
/// `StoreError::{Healthy, InUse, NoStore, Newer}`, or a file that cannot be copied.
pub fn repair(setup: &Setup) -> Result<RepairReport, AppError> {
    Ok(crate::store::repair(&data_dir(setup)?)?)
}

/// Runs the whole pipeline over a recorded day. `tell` may break off.
///
/// # Errors
/// `Archive` before anything runs; `Store` and `Config` likewise.
pub fn replay(
    _options: &ReplayOptions,
    _tell: &mut dyn FnMut(ReplayEvent) -> ControlFlow<()>,
) -> Result<ReplaySummary, AppError> {
    Err(AppError::Running(NOT_WIRED.to_owned()))
}

/// Serves a recorded day over loopback until stopped. Says its address in one line on stderr when ready.
///
/// # Errors
/// `Archive`, or `Running` when the port is taken.
pub fn archive_serve(_dir: &std::path::Path, _port: u16, _speed: f64) -> Result<(), AppError> {
    Err(AppError::Running(NOT_WIRED.to_owned()))
}
