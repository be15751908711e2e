//! The only place that reads the time. Everything else is handed `now`, or asks a `Clock` to wait.
//!
//! Three clocks, one type: live (the machine's), scaled (a recorded day lived through at N virtual seconds a second),
//! and virtual (tokio's paused clock, which moves on only when nothing is in flight).

use jiff::{SignedDuration, Timestamp};
use std::time::Duration;
use tokio::time::Instant;

/// Tells the time and waits. Cheap to clone; all clones agree.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// `None` reads the machine's clock each time: a laptop that slept must not wake up in the past.
    course: Option<Course>,
}

/// A clock of its own: where it began and how fast it runs.
#[derive(Debug, Clone, Copy)]
struct Course {
    started: Instant,
    origin: Timestamp,
    /// Virtual seconds per second of the runtime's clock.
    speed: f64,
}

impl Clock {
    /// The machine's own time.
    pub fn live() -> Self {
        Self { course: None }
    }

    /// A clock that begins at `origin` now and runs `speed` virtual seconds a second. Under a paused tokio runtime with
    /// speed 1 this is the virtual clock. Speeds that are not finite or not positive read as 1.
    pub fn starting_at(origin: Timestamp, speed: f64) -> Self {
        let speed = if speed.is_finite() && speed > 0.0 { speed } else { 1.0 };
        Self { course: Some(Course { started: Instant::now(), origin, speed }) }
    }

    /// The present instant.
    pub fn now(&self) -> Timestamp {
        let Some(course) = self.course else { return Timestamp::now() };
        let elapsed = course.started.elapsed().mul_f64(course.speed);
        let elapsed = SignedDuration::try_from(elapsed).unwrap_or(SignedDuration::MAX);
        course.origin.checked_add(elapsed).unwrap_or(Timestamp::MAX)
    }

    /// How long the runtime has to wait for `duration` of this clock to pass.
    pub fn runtime_duration(&self, duration: Duration) -> Duration {
        self.course.map_or(duration, |course| duration.div_f64(course.speed))
    }

    /// Keeps this thread waiting, in the machine's own time: for the store, which is opened before there is a runtime.
    pub fn block_for(duration: Duration) {
        std::thread::sleep(duration);
    }

    /// Waits until `duration` of this clock has passed.
    pub async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(self.runtime_duration(duration)).await;
    }

    /// Runs `work` for at most `limit` of this clock; `None` when the limit came first.
    pub async fn timeout<F: Future>(&self, limit: Duration, work: F) -> Option<F::Output> {
        tokio::time::timeout(self.runtime_duration(limit), work).await.ok()
    }
}

/// A stopwatch on the machine's own time, for benchmarks, `wall_s` and latency records.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(std::time::Instant);

impl Stopwatch {
    /// Starts counting.
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// Machine time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
