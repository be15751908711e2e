//! The edge to sled: a damaged store can make it panic, here and in its own threads. Out of this file come values only.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static INSIDE_SLED: Cell<bool> = const { Cell::new(false) };
}

/// Runs work that calls sled; a panic becomes `Err` with its message and prints nothing.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    silence_sled();
    let outer = INSIDE_SLED.replace(true);
    // Whatever the panic left half done is sled's; the caller stops using that sled afterwards.
    let result = catch_unwind(AssertUnwindSafe(work));
    INSIDE_SLED.set(outer);
    result.map_err(|payload| message(payload.as_ref()))
}

/// Panics of this thread inside `caught`, and of sled's own threads, are reported as errors and not on stderr.
fn silence_sled() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let inside = INSIDE_SLED.try_with(Cell::get).unwrap_or(false);
            let of_sled = std::thread::current().name().is_some_and(|name| name.starts_with("sled"));
            if !inside && !of_sled {
                before(info);
            }
        }));
    });
}

fn message(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "sled gave up without a message".to_owned())
}
