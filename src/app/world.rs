//! The world a service lives in: live upstreams on the machine's clock, or a recorded day on its own.

use crate::actors::shared::Terms;
use crate::app::AppError;
use crate::channels::OpenChannel;
use crate::clock::Clock;
use crate::config::Config;
use crate::notice::{ChannelKind, Links};
use crate::observation::SourceName;
use crate::outside::Outside;
use crate::outside::archive::{Archive, ArchiveOutside};
use crate::outside::live::LiveSettings;
use crate::sources::{self, OnDemand};
use crate::store::Store;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Phases are spread over this: a minute, the longest period of a fast source.
const PHASE_MAX_MS: u64 = 60_000;

/// The recorded day in `folder`, checked whole.
///
/// # Errors
/// `Archive`, with the line of the timeline where there is one.
pub fn archive(folder: &Path) -> Result<Arc<Archive>, AppError> {
    Archive::load(folder)
        .map(Arc::new)
        .map_err(|error| AppError::Archive { archive: folder.display().to_string(), why: error.to_string() })
}

/// Where a recorded day goes on: where the store was left, else where it begins.
///
/// # Errors
/// When the store cannot be read.
pub fn begin(archive: &Archive, store: &Store, from: Option<Timestamp>) -> Result<Timestamp, AppError> {
    let left = match from {
        Some(from) => Some(from),
        None => store.high_water_utc().map_err(AppError::from)?,
    };
    Ok(left.unwrap_or(archive.from_utc))
}

/// The recorded day as an outside, answered in process.
pub fn recorded(archive: Arc<Archive>, clock: Clock) -> Arc<dyn Outside> {
    Arc::new(ArchiveOutside::new(archive, clock))
}

/// The terms of a service in this world.
///
/// # Errors
/// When a source's config block is wrong.
pub fn terms(
    config: &Config,
    outside: &Arc<dyn Outside>,
    clock: Clock,
    phase: Duration,
    channels: BTreeMap<ChannelKind, OpenChannel>,
) -> Result<Terms, AppError> {
    let mut sources = sources::open_all(config, outside).map_err(AppError::from)?;
    if let Some(held) = outside.holds() {
        if let Some(unknown) = held.iter().find(|held| sources::names().all(|name| name.as_str() != held.as_str())) {
            let known: Vec<_> = sources::names().map(SourceName::as_str).collect();
            let why = format!("archive.toml: sources: {unknown:?} is none; known are {}", known.join(", "));
            return Err(AppError::Usage { why });
        }
        sources.retain(|name, _| held.iter().any(|held| held == name.as_str()));
    }
    Ok(Terms {
        hold: SignedDuration::from_mins(i64::from(config.service.hold_minutes)),
        started_utc: clock.now(),
        phase,
        notices_per_owner_hour: config.limits.notices_per_owner_hour,
        keeps_high_water: false,
        sources,
        links: Arc::new(Links::none()),
        on_demand: Arc::new(OnDemand::open(config, outside).map_err(AppError::from)?),
        channels,
    })
}

/// How the live way out behaves.
pub fn live_settings(config: &Config) -> LiveSettings {
    LiveSettings { user_agent: config.user_agent(), ..LiveSettings::with_contact(&config.service.contact) }
}

/// Where on the polling grid this process asks: its own place, so that not everybody asks the NWS on the full minute.
pub fn phase(store: &Store) -> Duration {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (store.dir(), std::process::id()).hash(&mut hasher);
    Duration::from_millis(hasher.finish() % PHASE_MAX_MS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels;

    /// The terms of a service over an empty day whose description ends with `sources`.
    async fn terms_of(sources: &str) -> Result<Terms, AppError> {
        let day = tempfile::tempdir().unwrap();
        let times = "from = \"2031-05-09T21:00:00Z\"\nto = \"2031-05-09T22:00:00Z\"\n";
        std::fs::write(day.path().join("archive.toml"), format!("name = \"empty\"\n{times}{sources}\n")).unwrap();
        std::fs::write(day.path().join("timeline.jsonl"), "").unwrap();
        let archive = archive(day.path()).unwrap();
        let clock = Clock::starting_at(archive.from_utc, 1.0);
        let outside = recorded(archive, clock);
        terms(&Config::default(), &outside, clock, Duration::ZERO, channels::recorded())
    }

    #[tokio::test(start_paused = true)]
    async fn a_recorded_day_is_asked_for_the_sources_that_it_holds_and_no_others() {
        let names = |terms: Terms| terms.sources.keys().map(|name| name.as_str().to_owned()).collect::<Vec<_>>();
        assert_eq!(names(terms_of("").await.unwrap()).len(), sources::names().count());
        assert_eq!(names(terms_of("sources = [\"mrms\", \"nws_warnings\"]").await.unwrap()), ["mrms", "nws_warnings"]);
        let refused = terms_of("sources = [\"mrms\", \"satellites\"]").await.err().unwrap().to_string();
        assert!(refused.contains("satellites") && refused.contains("goes_glm"), "{refused}");
    }
}
