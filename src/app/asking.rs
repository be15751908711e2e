//! Questions of one command to the National Weather Service: no pipeline, no store.

use crate::app::{AppError, Setup, load_config, world};
use crate::clock::Clock;
use crate::desk::enquiries::Enquiries;
use crate::outside::Outside;
use crate::outside::live::LiveOutside;
use crate::sources::OnDemand;
use jiff::Timestamp;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::Runtime;

/// Puts questions for one command.
pub struct Asking {
    runtime: Runtime,
    /// Puts them.
    pub nws: Enquiries,
}

impl Asking {
    /// Waits for an answer.
    pub fn wait_for<T>(&self, answer: impl Future<Output = T>) -> T {
        self.runtime.block_on(answer)
    }
}

/// See `app::asking`.
pub(super) fn open(setup: &Setup, recorded: Option<(PathBuf, Timestamp)>) -> Result<Asking, AppError> {
    let config = load_config(setup)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| AppError::Running(format!("no runtime: {error}")))?;
    let guard = runtime.enter();
    let (clock, outside): (Clock, Arc<dyn Outside>) = match recorded {
        Some((folder, at)) => {
            let clock = Clock::starting_at(at, 1.0);
            (clock, world::recorded(world::archive(&folder)?, clock))
        }
        None => (Clock::live(), Arc::new(LiveOutside::new(&world::live_settings(&config))?)),
    };
    let nws = Enquiries::new(Arc::new(OnDemand::open(&config, &outside)?), clock);
    drop(guard);
    Ok(Asking { runtime, nws })
}
