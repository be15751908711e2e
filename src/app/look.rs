//! One look at a world: every source asked once about some places, and the picture that comes of it.

use crate::app::running::Service;
use crate::app::{AppError, Setup, load_config, world};
use crate::channels;
use crate::clock::Clock;
use crate::desk::Desk;
use crate::geo::LatLon;
use crate::observation::SourceName;
use crate::outside::Outside;
use crate::outside::live::LiveOutside;
use crate::store::Store;
use crate::threat::picture::Picture;
use jiff::Timestamp;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// See `app::look`.
pub(super) fn look(
    setup: &Setup,
    places: &[LatLon],
    wanted: Option<&[SourceName]>,
    recorded: Option<(PathBuf, Timestamp)>,
) -> Result<(Arc<Picture>, Timestamp), AppError> {
    let config = Arc::new(load_config(setup)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| AppError::Running(format!("no runtime: {error}")))?;
    let archive = recorded.map(|(folder, at)| world::archive(&folder).map(|archive| (archive, at))).transpose()?;
    runtime.block_on(async {
        let (clock, outside): (Clock, Arc<dyn Outside>) = match archive {
            Some((archive, at)) => {
                let clock = Clock::starting_at(at, 1.0);
                (clock, world::recorded(archive, clock))
            }
            None => (Clock::live(), Arc::new(LiveOutside::new(&world::live_settings(&config))?)),
        };
        let store = Store::in_memory()?;
        let mut terms = world::terms(&config, &outside, clock, Duration::ZERO, channels::recorded())?;
        if let Some(wanted) = wanted {
            terms.sources.retain(|name, _| wanted.contains(name));
        }
        let sources: Vec<SourceName> = terms.sources.keys().cloned().collect();
        let service = Service::start(config, clock, store, terms, Arc::new(|_| {})).await?;
        let mut picture = Arc::default();
        for &place in places {
            picture = service.picture_for(place, &sources).await;
        }
        let now = clock.now();
        service.stop().await;
        Ok((picture, now))
    })
}
