//! Commands that do one thing and end: a brief, a look into the store, a repair.

use crate::app::accounts::{StoreAccounts, Told};
use crate::app::points::Points;
use crate::app::tables::Tables;
use crate::app::{Absent, AppError, Opened, Setup, data_dir, judge, load_config, look, open_store};
use crate::clock::Clock;
use crate::config::Config;
use crate::desk::{
    Desk, DeskError, DeskEvent, During, NewWatchPoint, PointHistory, PointUpdate, Registered, WatchedPoint,
};
use crate::geo::LatLon;
use crate::mcp::tools::severe::threat_brief;
use crate::notice::Address;
use crate::observation::{Fault, SourceName};
use crate::sources::{PollError, nexrad};
use crate::store::{self, Store, StoreError};
use crate::storm_report::{EventWindow, StormReports};
use crate::threat::picture::Picture;
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::broadcast;

/// The envelope of `get_threat_brief`; see `app::brief`.
pub(super) fn brief(setup: &Setup, at: LatLon, recorded: Option<(PathBuf, Timestamp)>) -> Result<Value, AppError> {
    let (picture, now) = look::look(setup, &[at], None, recorded)?;
    let envelope = threat_brief(&picture, at, &judge(&picture, at, now), now);
    serde_json::to_value(envelope).map_err(|error| AppError::Running(error.to_string()))
}

/// Opens the store for one command; see `app::open`.
pub(super) fn open(setup: &Setup, absent: Absent) -> Result<Opened, AppError> {
    let config = Arc::new(load_config(setup)?);
    let dir = data_dir(setup)?;
    if absent == Absent::Refuse && !Store::is_in(&dir)? {
        return Err(AppError::NoStore { dir: dir.display().to_string() });
    }
    let store = open_store(&dir)?;
    let desk = StoreDesk::new(store.clone(), Arc::clone(&config));
    let accounts = StoreAccounts::new(store.clone(), config, desk.points.addresses(), Arc::new(NobodyElse));
    Ok(Opened { desk: Arc::new(desk), operator: Arc::new(accounts), records: Arc::new(Tables(store)) })
}

/// Repairs the store; see `app::repair`.
pub(super) fn repair(setup: &Setup, yes: bool) -> Result<String, AppError> {
    let dir = data_dir(setup)?;
    if !yes {
        // Opening would make one; a store that is damaged is an error here, and is told below.
        if matches!(Store::is_in(&dir), Ok(false)) {
            return Err(AppError::NoStore { dir: dir.display().to_string() });
        }
        return match Store::open(&dir) {
            Ok(_) => Ok(format!("the store in {} opens; there is nothing to repair", dir.display())),
            Err(error @ crate::store::StoreError::InUse { .. }) => Err(error.into()),
            Err(error) => Ok(format!(
                "{}. With --yes it is set aside as {}.damaged-<time> (never deleted) and all that can be read goes \
                 into a fresh store",
                wrong_with(&dir, error),
                dir.display()
            )),
        };
    }
    let report = store::repair(&dir)?;
    let saved: Vec<_> = report.saved.iter().map(|saved| format!("{} {}", saved.rows, saved.tree)).collect();
    let mut said = format!(
        "{}: {}; the damaged directory is kept as {}; saved: {}",
        report.dir.display(),
        report.why,
        report.damaged.display(),
        if saved.is_empty() { "nothing".to_owned() } else { saved.join(", ") }
    );
    if report.from_text_copy > 0 {
        said.push_str(&format!("; {} watch points came from the text copy", report.from_text_copy));
    }
    for line in &report.unreadable {
        said.push_str(&format!("\nnot readable: {line}"));
    }
    Ok(said)
}

/// What is wrong with a store, without the hint to repair it, which whoever reads this follows already.
fn wrong_with(dir: &Path, error: StoreError) -> String {
    match error {
        StoreError::Corrupt { why, .. } => format!("the store in {} is damaged: {why}", dir.display()),
        other => other.to_string(),
    }
}

/// No service runs over this store: there is nobody to tell of changes.
struct NobodyElse;

impl Told for NobodyElse {
    fn now(&self) -> Timestamp {
        Clock::live().now()
    }

    fn addresses_changed(&self, _: &str) {}
}

/// The desk of a store that nobody runs a service over: registering and listing only.
struct StoreDesk {
    points: Points,
    events: broadcast::Sender<DeskEvent>,
    /// Where a replay into this store has come: its past may lie in the future.
    reached_utc: Option<Timestamp>,
}

impl StoreDesk {
    fn new(store: Store, config: Arc<Config>) -> Self {
        let reached_utc = store.high_water_utc().ok().flatten();
        Self { points: Points::new(store, config), events: broadcast::Sender::new(1), reached_utc }
    }
}

#[async_trait]
impl Desk for StoreDesk {
    fn now(&self) -> Timestamp {
        let now = Clock::live().now();
        self.reached_utc.map_or(now, |reached| reached.max(now))
    }

    async fn picture_for(&self, _: LatLon, _: &[SourceName]) -> Arc<Picture> {
        Arc::default()
    }

    async fn radar(&self, _: LatLon) -> Result<nexrad::Found, nexrad::NoVolume> {
        Err(nexrad::NoVolume { faults: Vec::new() })
    }

    async fn past_reports(&self, _: LatLon, _: f64, _: EventWindow) -> Result<(StormReports, Vec<Fault>), PollError> {
        let what = "no service runs over this store".to_owned();
        Err(PollError::Refused(Fault { what, place: "iem_reports".to_owned(), kept_rest: false }))
    }

    async fn register(&self, wanted: NewWatchPoint) -> Result<Registered, DeskError> {
        self.points.register(wanted, self.now())
    }

    async fn unregister(&self, owner: &str, id: &str) -> Result<bool, DeskError> {
        self.points.unregister(owner, id, self.now())
    }

    async fn watched(&self, owner: &str) -> Result<Vec<WatchedPoint>, DeskError> {
        self.points.watched(owner)
    }

    async fn update(&self, owner: &str, id: &str, update: PointUpdate) -> Result<Option<WatchedPoint>, DeskError> {
        self.points.update(owner, id, update, self.now())
    }

    async fn acknowledge(&self, owner: &str, id: &str) -> Result<Option<WatchedPoint>, DeskError> {
        self.points.acknowledge(owner, id, self.now())
    }

    /// It waits in the outbox until a service runs over this store.
    async fn send_test(&self, owner: &str, id: &str) -> Result<Option<Vec<Address>>, DeskError> {
        self.points.send_test(owner, id, self.now())
    }

    async fn history(&self, owner: &str, id: &str, during: During) -> Result<PointHistory, DeskError> {
        self.points.history(owner, id, *during.start(), *during.end())
    }

    fn events(&self) -> broadcast::Receiver<DeskEvent> {
        self.events.subscribe()
    }
}
