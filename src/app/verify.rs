//! What `verify` scores: a recorded day run through the pipeline, or a store as it stands, and the storm reports to score by.

use crate::app::replay::{self, Heard};
use crate::app::{AppError, ReplayOptions, Setup, load_config, timelines, world};
use crate::clock::Clock;
use crate::observation::{Observation, Report};
use crate::outside::Outside;
use crate::outside::live::LiveOutside;
use crate::sources::OnDemand;
use crate::storm_report::{EventWindow, StormReport, once_each};
use crate::threat::verification::Watched;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// Runs a recorded day; the timelines of its places, and every report that it heard.
pub(super) fn recorded(options: &ReplayOptions) -> Result<(Vec<Watched>, Vec<StormReport>), AppError> {
    let reports: Arc<Mutex<Vec<StormReport>>> = Arc::default();
    let heard: Heard = {
        let reports = Arc::clone(&reports);
        Arc::new(move |report: &Report| {
            for observation in &report.observations {
                if let Observation::StormReports(new) = observation {
                    let mut all = reports.lock().unwrap_or_else(PoisonError::into_inner);
                    *all = once_each(std::mem::take(&mut *all).into_iter().chain(new.reports.iter().cloned()));
                }
            }
        })
    };
    let store = replay::store(options)?;
    let end = replay::end(options)?;
    replay::run_over(options, store.clone(), Arc::new(|_| ControlFlow::Continue(())), heard)?;
    let watched = timelines::of(&store, end)?;
    let reports = std::mem::take(&mut *reports.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((watched, reports))
}

/// The reports around these places over their watch, from the archive of reports.
pub(super) fn reports(setup: &Setup, watched: &[Watched], radius_km: f64) -> Result<Vec<StormReport>, AppError> {
    let Some(span) = timelines::span(watched) else { return Ok(Vec::new()) };
    let window = EventWindow { from_utc: *span.start(), to_utc: *span.end() };
    let config = Arc::new(load_config(setup)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| AppError::Running(format!("no runtime: {error}")))?;
    runtime.block_on(async {
        let outside: Arc<dyn Outside> = Arc::new(LiveOutside::new(&world::live_settings(&config))?);
        let archive = OnDemand::open(&config, &outside).map_err(AppError::from)?.reports;
        let mut all = Vec::new();
        for watched in watched {
            let found = archive.by_point(watched.at, radius_km, window, Clock::live().now()).await;
            let (found, faults) =
                found.map_err(|error| AppError::Running(format!("the archive of storm reports: {error}")))?;
            for fault in faults {
                tracing::warn!(what = fault.what, place = fault.place, "a storm report could not be read");
            }
            all = once_each(all.into_iter().chain(found.reports));
        }
        Ok(all)
    })
}
