//! `replay`: the whole pipeline over a recorded day, as fast as it can go or at N virtual seconds a second.
//!
//! At full speed everything runs on one thread under tokio's paused clock, upstreams are answered in process and channels
//! are recorded: virtual time moves on only when nothing is in flight, and two runs tell the same.

use crate::actors::shared::Event;
use crate::app::points::Points;
use crate::app::running::Service;
use crate::app::{AppError, ReplayEvent, ReplayOptions, ReplaySummary, Tell, open_store, world};
use crate::channels;
use crate::cli::parse::Speed;
use crate::clock::{Clock, Stopwatch};
use crate::config::Config;
use crate::desk::{LOCAL_OWNER, NewWatchPoint};
use crate::observation::Report;
use crate::outside::archive::Archive;
use crate::store::Store;
use crate::threat::{Level, PointState, assess};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Counts and names that the witness keeps while the day runs.
#[derive(Default)]
struct Tally {
    names: Mutex<BTreeMap<String, String>>,
    polls: AtomicU64,
    faults: AtomicU64,
    level_changes: AtomicU64,
    notices: AtomicU64,
    broken_off: AtomicBool,
}

/// Is shown every report that a source makes.
pub(super) type Heard = Arc<dyn Fn(&Report) + Send + Sync>;

/// Runs the day; see `app::replay`.
pub(super) fn run(options: &ReplayOptions, tell: Tell) -> Result<ReplaySummary, AppError> {
    let store = store(options)?;
    run_over(options, store, tell, Arc::new(|_| {}))
}

/// The store that the day is written to: in memory, unless a data directory was named.
pub(super) fn store(options: &ReplayOptions) -> Result<Store, AppError> {
    let archive = world::archive(&options.archive)?;
    refuse_empty(options.from, options.until, &archive)?;
    match &options.setup.data_dir {
        Some(dir) => open_store(dir),
        None => Store::in_memory().map_err(AppError::from),
    }
}

/// Where the day ends.
pub(super) fn end(options: &ReplayOptions) -> Result<Timestamp, AppError> {
    let archive = world::archive(&options.archive)?;
    Ok(options.until.unwrap_or(archive.to_utc).min(archive.to_utc))
}

/// Runs the day over this store.
pub(super) fn run_over(
    options: &ReplayOptions,
    store: Store,
    tell: Tell,
    heard: Heard,
) -> Result<ReplaySummary, AppError> {
    let watch = Stopwatch::start();
    let config = Arc::new(Config::load(options.setup.config.as_deref()).map_err(AppError::from)?);
    let archive = world::archive(&options.archive)?;
    let mut builder = match options.speed {
        Speed::Max => tokio::runtime::Builder::new_current_thread(),
        Speed::Times(_) => tokio::runtime::Builder::new_multi_thread(),
    };
    if options.speed == Speed::Max {
        builder.start_paused(true);
    }
    let runtime = builder.enable_all().build().map_err(|error| AppError::Running(format!("no runtime: {error}")))?;
    let summary = runtime.block_on(day(options, config, archive, store, (tell, heard)))?;
    Ok(ReplaySummary { wall_s: watch.elapsed().as_secs_f64(), ..summary })
}

/// Refuses a stretch of the day in which nothing can happen.
fn refuse_empty(from: Option<Timestamp>, until: Option<Timestamp>, archive: &Archive) -> Result<(), AppError> {
    let begin = from.unwrap_or(archive.from_utc);
    let end = until.unwrap_or(archive.to_utc).min(archive.to_utc);
    if begin <= end {
        return Ok(());
    }
    let from = if from.is_some() { "--from" } else { "the day's beginning" };
    let until = if until.is_some_and(|until| until <= archive.to_utc) { "--until" } else { "the day's end" };
    Err(AppError::Usage { why: format!("{until} ({end}) lies before {from} ({begin})") })
}

async fn day(
    options: &ReplayOptions,
    config: Arc<Config>,
    archive: Arc<Archive>,
    store: Store,
    (tell, heard): (Tell, Heard),
) -> Result<ReplaySummary, AppError> {
    let begin = world::begin(&archive, &store, options.from)?;
    let end = options.until.unwrap_or(archive.to_utc).min(archive.to_utc);
    let (clock, channels) = match options.speed {
        Speed::Max => (Clock::starting_at(begin, 1.0), channels::recorded()),
        Speed::Times(speed) => {
            let clock = Clock::starting_at(begin, speed);
            (clock, channels::open_all(&config, &store, clock).map_err(AppError::from)?)
        }
    };
    register(options, &config, &store, begin)?;
    let outside = world::recorded(archive, clock);
    let mut terms = world::terms(&config, &outside, clock, Duration::ZERO, channels)?;
    terms.keeps_high_water = true;
    let tally = Arc::new(Tally::default());
    for point in store.watch_points().map_err(AppError::from)?.rows {
        tally.names.lock().unwrap_or_else(PoisonError::into_inner).insert(point.id, point.name);
    }
    let witness = {
        let (tally, tell) = (Arc::clone(&tally), Arc::clone(&tell));
        Arc::new(move |event| {
            if let Event::Polled(report) = &event {
                heard(report);
            }
            witness(&tally, &tell, event);
        })
    };
    let service = Service::start(config, clock, store.clone(), terms, witness).await?;
    while clock.now() < end && !tally.broken_off.load(Ordering::Relaxed) {
        let left = Duration::try_from(clock.now().duration_until(end)).unwrap_or(Duration::ZERO);
        tokio::select! {
            biased;
            why = service.shared().failure() => return Err(AppError::Running(why)),
            () = clock.sleep(left.min(Duration::from_secs(30))) => {}
        }
    }
    // What falls on the last instant itself still belongs to the day.
    clock.sleep(Duration::from_millis(1)).await;
    let points = closing(&service, &store, end, &tell)?;
    service.stop().await;
    Ok(ReplaySummary {
        watch_points: points,
        polls: tally.polls.load(Ordering::Relaxed),
        faults: tally.faults.load(Ordering::Relaxed),
        level_changes: tally.level_changes.load(Ordering::Relaxed),
        notices: tally.notices.load(Ordering::Relaxed),
        wall_s: 0.0,
    })
}

/// Registers the places of `--watch`; those that stand in the store already stay as they are.
fn register(options: &ReplayOptions, config: &Arc<Config>, store: &Store, now: Timestamp) -> Result<(), AppError> {
    let points = Points::new(store.clone(), Arc::clone(config));
    for place in &options.watches {
        points.register(
            NewWatchPoint {
                owner: LOCAL_OWNER.to_owned(),
                name: place.name.clone(),
                at: place.at,
                min_level: Level::Elevated,
                addresses: Vec::new(),
                until_utc: None,
                client_token: None,
                quiet_hours: None,
            },
            now,
        )?;
    }
    Ok(())
}

fn witness(tally: &Tally, tell: &Tell, event: Event) {
    let told = match event {
        Event::Polled(report) => {
            tally.polls.fetch_add(1, Ordering::Relaxed);
            tally.faults.fetch_add(report.faults.len() as u64, Ordering::Relaxed);
            return;
        }
        Event::LevelChanged(point, change) => {
            tally.level_changes.fetch_add(1, Ordering::Relaxed);
            tally.names.lock().unwrap_or_else(PoisonError::into_inner).insert(point.id, point.name.clone());
            ReplayEvent::LevelChange { watch: point.name, change: Box::new(change) }
        }
        Event::Told(delivery, watches) => {
            tally.notices.fetch_add(1, Ordering::Relaxed);
            ReplayEvent::Notice { watches, delivery: Box::new(delivery) }
        }
        Event::PointChanged(_) | Event::ListChanged(_) => return,
    };
    if tell(told) == ControlFlow::Break(()) {
        tally.broken_off.store(true, Ordering::Relaxed);
    }
}

/// How every watch point stands at the end, by name. Returns how many there are.
fn closing(service: &Service, store: &Store, end: Timestamp, tell: &Tell) -> Result<usize, AppError> {
    let picture = Arc::clone(&service.shared().picture.borrow());
    let mut points = store.watch_points().map_err(AppError::from)?.rows;
    points.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    let now = service.shared().clock.now().min(end);
    for point in &points {
        let state = store.state(&point.id).map_err(AppError::from)?;
        let event = ReplayEvent::Assessment {
            watch: point.name.clone(),
            assessment: Box::new(assess::assess(&picture, point.at, now)),
            state: Box::new(state.unwrap_or_else(|| PointState::quiet(now))),
        };
        if tell(event) == ControlFlow::Break(()) {
            break;
        }
    }
    Ok(points.len())
}
