//! The running service, wired: config, outside, store, actors and doors put together for each command.
//!
//! Types that commands need, and one function a command; the rooms below do the work.

use crate::cli::parse::{NamedPlace, Speed};
use crate::cli::records::Records;
use crate::config::Config;
use crate::desk::Desk;
use crate::desk::accounts::Operator;
use crate::geo::LatLon;
use crate::notice::Delivery;
use crate::observation::SourceName;
use crate::store::Store;
use crate::storm_report::StormReport;
use crate::threat::picture::Picture;
use crate::threat::verification::Watched;
use crate::threat::{Assessment, LevelChange, PointState};
use jiff::Timestamp;
use serde_json::Value;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub mod accounts;
mod addresses;
mod asking;
mod error;
mod init;
mod judging;
mod look;
mod metrics;
mod one_shot;
mod points;
mod replay;
mod running;
mod serve;
mod tables;
mod timelines;
mod verify;
mod world;

pub use error::AppError;
pub use init::{Place, Ready};
pub use judging::judge;

/// Where the configuration and the store are, as asked for; `None` takes the defaults.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--data-dir` as typed: the only way to give a recorded day a store on disk. `STORMBELL_DATA` is not in here.
    pub data_dir: Option<PathBuf>,
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

/// Is told what happens in a replay, before the next thing happens; may break off.
pub type Tell = Arc<dyn Fn(ReplayEvent) -> ControlFlow<()> + Send + Sync>;

/// Variable that names the data directory of the live service.
const DATA_VARIABLE: &str = "STORMBELL_DATA";

/// The data directory that these settings mean: `--data-dir`, else `STORMBELL_DATA`, else the configuration's.
///
/// # Errors
/// `Config` when the configuration cannot be read or no directory can be found.
pub fn data_dir(setup: &Setup) -> Result<PathBuf, AppError> {
    let set = std::env::var_os(DATA_VARIABLE).filter(|dir| !dir.is_empty()).map(PathBuf::from);
    Ok(Config::load(setup.config.as_deref())?.data_dir(setup.data_dir.as_deref().or(set.as_deref()))?)
}

/// Makes what is missing of configuration, data directory and keys, and says what is next. Nothing is overwritten.
///
/// # Errors
/// `Config` or `Store` for what is there and cannot be used, or a folder that cannot be written.
pub fn init(setup: &Setup) -> Result<Ready, AppError> {
    init::init(setup)
}

/// Runs the pipeline and the HTTP MCP door until stopped. Says its address in one line on stderr when ready.
///
/// # Errors
/// What keeps it from starting, or ended it.
pub fn serve(setup: &Setup, port: Option<u16>, world: &World) -> Result<(), AppError> {
    serve::http(setup, port, world)
}

/// MCP on stdin and stdout with a pipeline of its own. `InUse` tells the CLI to bridge instead.
///
/// # Errors
/// What keeps it from starting, or ended it.
pub fn mcp(setup: &Setup, world: &World) -> Result<(), AppError> {
    serve::stdio(setup, world)
}

/// The `get_threat_brief` envelope for a place, now or at an instant of a recorded day.
///
/// # Errors
/// `Archive` for a recorded day that cannot be used; upstream trouble is inside the envelope.
pub fn brief(setup: &Setup, at: LatLon, recorded: Option<(PathBuf, Timestamp)>) -> Result<Value, AppError> {
    one_shot::brief(setup, at, recorded)
}

/// What is seen of these places now, or at an instant of a recorded day, and that instant. Only the `wanted` sources are
/// asked, all of them for `None`; the others count as switched off.
///
/// # Errors
/// `Archive` for a recorded day that cannot be used; upstream trouble is inside the picture.
pub fn look(
    setup: &Setup,
    places: &[LatLon],
    wanted: Option<&[SourceName]>,
    recorded: Option<(PathBuf, Timestamp)>,
) -> Result<(Arc<Picture>, Timestamp), AppError> {
    look::look(setup, places, wanted, recorded)
}

pub use asking::Asking;

/// Questions to the National Weather Service, live or to a recorded day: no pipeline and no store are needed.
///
/// # Errors
/// `Archive` for a recorded day that cannot be used, `Config` for a configuration that cannot.
pub fn asking(setup: &Setup, recorded: Option<(PathBuf, Timestamp)>) -> Result<Asking, AppError> {
    asking::open(setup, recorded)
}

/// What a one-shot command reads and changes when no process owns the data directory.
pub struct Opened {
    /// Registering, removing and listing; its sources are never polled.
    pub desk: Arc<dyn Desk>,
    /// Owners and addresses.
    pub operator: Arc<dyn Operator>,
    /// The tables.
    pub records: Arc<dyn Records>,
}

/// Whether a command that finds no store begins one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// It does.
    Make,
    /// It only looks: `NoStore`, and nothing is made.
    Refuse,
}

/// Opens the store for one command.
///
/// # Errors
/// `InUse` when a process owns it: the CLI then asks that process.
pub fn open(setup: &Setup, absent: Absent) -> Result<Opened, AppError> {
    one_shot::open(setup, absent)
}

/// Moves a store that cannot be opened aside and saves what can be read, if `yes`; says what it did or would do.
///
/// # Errors
/// `InUse`, or `Store` when that fails.
pub fn repair(setup: &Setup, yes: bool) -> Result<String, AppError> {
    one_shot::repair(setup, yes)
}

/// Runs the whole pipeline over a recorded day.
///
/// # Errors
/// `Archive` before anything runs; `Store` and `Config` likewise.
pub fn replay(options: &ReplayOptions, tell: Tell) -> Result<ReplaySummary, AppError> {
    replay::run(options, tell)
}

/// Runs a recorded day and gives the timelines of its places, with every storm report that it heard.
///
/// # Errors
/// As `replay`.
pub fn verify_recorded(options: &ReplayOptions) -> Result<(Vec<Watched>, Vec<StormReport>), AppError> {
    verify::recorded(options)
}

/// Storm reports around places over their watch, from the archive of reports.
///
/// # Errors
/// `Running` when it gives no answer.
pub fn storm_reports(setup: &Setup, watched: &[Watched], radius_km: f64) -> Result<Vec<StormReport>, AppError> {
    verify::reports(setup, watched, radius_km)
}

/// Serves a recorded day over loopback until stopped. Says its address in one line on stderr when ready.
///
/// # Errors
/// `Archive`, or `Running` when the port is taken.
pub fn archive_serve(dir: &Path, port: u16, speed: f64) -> Result<(), AppError> {
    serve::archive(dir, port, speed)
}

fn load_config(setup: &Setup) -> Result<Config, AppError> {
    let config = Config::load(setup.config.as_deref())?;
    for warning in config.warnings() {
        tracing::info!(%warning, "configuration");
    }
    Ok(config)
}

/// Opens the store in `dir`.
fn open_store(dir: &Path) -> Result<Store, AppError> {
    Ok(Store::open(dir)?)
}
