//! The generic source shell: polls one plug while somebody needs it, publishes what it yields, backs off when it fails.
//!
//! Every poll publishes, even an empty or a failed one: silence is not safety.

use crate::actors::shared::{Event, Shared};
use crate::actors::{bus, undelivered};
use crate::backoff;
use crate::observation::{Fault, Report, SourceName};
use crate::outside::compute;
use crate::sources::{Ask, LEFT_ALONE_FOR, Poll, PollError, Source};
use crate::store::{FAULTS_KEPT_MAX, SourceState, SourceStatus};
use async_trait::async_trait;
use jiff::Timestamp;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::sync::Arc;
use std::time::Duration;

/// The first wait after a failed poll.
const RETRY_FIRST: Duration = Duration::from_secs(2);
/// A `Retry-After` beyond this is not believed: the source would be lost for the day.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(15 * 60);

/// Messages of a source.
pub enum SourceMsg {
    /// Its time has come.
    Poll(PollToken),
    /// Somebody needs it: a sleeping source polls at once, a waking one only if it has something new to look for.
    Wake,
}

/// Tells the newest armed poll from older ones: arming again makes the older ones void.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PollToken(u64);

/// The source actor.
pub struct SourceShell(pub Arc<Shared>);

/// One plug and how it is doing.
pub struct State {
    plug: Box<dyn Source>,
    name: SourceName,
    awake: bool,
    armed: PollToken,
    failures: u32,
    status: SourceStatus,
}

#[async_trait]
impl Actor for SourceShell {
    type Msg = SourceMsg;
    type State = State;
    type Arguments = Box<dyn Source>;

    async fn pre_start(&self, _: ActorRef<SourceMsg>, plug: Box<dyn Source>) -> Result<State, ActorProcessingErr> {
        let name = plug.name();
        Ok(State { plug, name, awake: false, armed: PollToken(0), failures: 0, status: SourceStatus::default() })
    }

    async fn post_start(&self, myself: ActorRef<SourceMsg>, _: &mut State) -> Result<(), ActorProcessingErr> {
        self.arm(&myself, PollToken(0), Duration::ZERO);
        Ok(())
    }

    async fn handle(
        &self,
        myself: ActorRef<SourceMsg>,
        message: SourceMsg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        let now = self.0.clock.now();
        let Some(ask) = self.0.demand.present(&self.0.picture.borrow().zones, now) else {
            state.awake = false;
            self.note(state, now, None);
            return Ok(());
        };
        let due = match message {
            SourceMsg::Poll(token) => token == state.armed,
            SourceMsg::Wake => !state.awake || state.plug.is_wanted_now(&ask),
        };
        if !due {
            return Ok(());
        }
        state.awake = true;
        let wait = self.poll(state, &ask, now).await;
        state.armed = PollToken(state.armed.0 + 1);
        self.arm(&myself, state.armed, wait);
        let next = self.0.clock.now().checked_add(wait).ok();
        self.note(state, now, next);
        Ok(())
    }
}

impl SourceShell {
    fn arm(&self, myself: &ActorRef<SourceMsg>, token: PollToken, wait: Duration) {
        myself.send_after(self.0.clock.runtime_duration(wait), move || SourceMsg::Poll(token));
    }

    /// One poll, published. Returns how long to wait for the next.
    async fn poll(&self, state: &mut State, ask: &Ask, now: Timestamp) -> Duration {
        let limit = state.plug.timeout();
        let result = self.0.clock.timeout(limit, state.plug.poll(ask, now)).await;
        let result = result.unwrap_or_else(|| {
            Err(PollError::Refused(Fault {
                what: format!("no end of the poll within {} s", limit.as_secs()),
                place: state.name.to_string(),
                kept_rest: false,
            }))
        });
        let (poll, failed) = match result {
            Ok(poll) => (poll, None),
            Err(error) => {
                // Said once an outage; the rest is in the status.
                if state.failures == 0 {
                    tracing::warn!(source = %state.name, %error, "poll failed; asked again until it answers");
                } else {
                    tracing::debug!(source = %state.name, failures = state.failures + 1, %error, "poll failed");
                }
                let fault = fault(&state.name, &error);
                (Poll { faults: vec![fault], ..Poll::default() }, Some(error))
            }
        };
        if failed.is_none() && state.failures > 0 {
            tracing::info!(source = %state.name, failures = state.failures, "answers again");
        }
        state.failures = if failed.is_some() { state.failures.saturating_add(1) } else { 0 };
        self.publish(state, poll, now).await;
        self.wait(state, failed.as_ref())
    }

    async fn publish(&self, state: &mut State, poll: Poll, now: Timestamp) {
        let status = &mut state.status;
        status.polls += 1;
        status.faults_total += poll.faults.len() as u64;
        status.last_poll_utc = Some(now);
        status.last_good_utc = if poll.good { Some(now) } else { status.last_good_utc };
        status.last_faults.extend(poll.faults.iter().cloned());
        let too_many = status.last_faults.len().saturating_sub(FAULTS_KEPT_MAX);
        status.last_faults.drain(..too_many);
        if let Some(cursor) = &poll.cursor
            && let Err(error) = self.0.store.put_cursor(state.name.as_str(), cursor, now)
        {
            tracing::warn!(source = %state.name, %error, "cursor not kept; nothing depends on it");
        }
        let report = Arc::new(Report {
            source: state.name.clone(),
            polled_utc: now,
            good: poll.good,
            observations: poll.observations,
            faults: poll.faults,
        });
        match self.0.bus() {
            Some(line) => bus::publish(&line, Arc::clone(&report)).await,
            None => undelivered("report", "the bus is being restarted"),
        }
        self.0.tell(Event::Polled(report));
    }

    /// After a good poll: the next point of the period's grid. After a failed one: the backoff, or what was asked for.
    fn wait(&self, state: &State, failed: Option<&PollError>) -> Duration {
        let period = state.plug.period();
        let Some(error) = failed else {
            return until_grid(self.0.clock.now(), period, self.0.terms.phase);
        };
        after_failure(state.failures, error, period, state.plug.leaves_alone_for(), state.name.as_str())
    }

    fn note(&self, state: &mut State, now: Timestamp, next: Option<Timestamp>) {
        state.status.state = match (state.awake, state.failures) {
            (false, _) => SourceState::Asleep,
            (true, 0) => SourceState::Awake,
            (true, _) => SourceState::Failing,
        };
        state.status.consecutive_failures = state.failures;
        state.status.next_poll_utc = next;
        let written = compute(|| self.0.store.put_source_status(state.name.as_str(), &state.status));
        if let Err(error) = written {
            tracing::warn!(source = %state.name, %now, %error, "source status not kept; nothing depends on it");
        }
    }
}

fn fault(name: &SourceName, error: &PollError) -> Fault {
    match error {
        PollError::Refused(fault) => fault.clone(),
        PollError::Outside(error) => Fault { what: error.to_string(), place: name.to_string(), kept_rest: false },
    }
}

/// How long to wait after so many failures in a row, the last of them `error`.
fn after_failure(
    failures: u32,
    error: &PollError,
    period: Duration,
    leaves_alone_for: Duration,
    seed: &str,
) -> Duration {
    let backoff = match is_too_much(error) && leaves_alone_for > LEFT_ALONE_FOR {
        // Whoever asks to be left alone for so long is not asked sooner than usual either.
        true => backoff::delay(failures, period, leaves_alone_for.max(period), seed).max(period),
        false => backoff::delay(failures, RETRY_FIRST, LEFT_ALONE_FOR.max(period), seed),
    };
    retry_after(error).map_or(backoff, |asked| asked.min(RETRY_AFTER_MAX).max(backoff))
}

fn is_too_much(error: &PollError) -> bool {
    match error {
        PollError::Outside(error) => error.is_too_much(),
        PollError::Refused(_) => false,
    }
}

fn retry_after(error: &PollError) -> Option<Duration> {
    match error {
        PollError::Outside(error) => error.retry_after(),
        PollError::Refused(_) => None,
    }
}

/// From `now` to the next instant that lies `phase` after a whole number of periods.
pub(super) fn until_grid(now: Timestamp, period: Duration, phase: Duration) -> Duration {
    let period_ms = i128::try_from(period.as_millis()).unwrap_or(i128::MAX).max(1);
    let phase_ms = i128::try_from(phase.as_millis()).unwrap_or(0);
    let past_ms = (i128::from(now.as_millisecond()) - phase_ms).rem_euclid(period_ms);
    Duration::from_millis(u64::try_from(period_ms - past_ms).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outside::OutsideError;

    #[test]
    fn the_grid_is_aligned_and_never_now() {
        let (period, none) = (Duration::from_secs(30), Duration::ZERO);
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        assert_eq!(until_grid(at("2026-06-10T21:15:00Z"), period, none), Duration::from_secs(30));
        assert_eq!(until_grid(at("2026-06-10T21:15:29.999Z"), period, none), Duration::from_millis(1));
        assert_eq!(until_grid(at("2026-06-10T21:15:00Z"), period, Duration::from_secs(7)), Duration::from_secs(7));
    }

    #[test]
    fn an_upstream_with_too_much_to_do_is_left_alone_for_as_long_as_it_asks() {
        let status =
            |status, retry_after| PollError::Outside(OutsideError::Status { url: String::new(), status, retry_after });
        let (minute, ten) = (Duration::from_secs(60), Duration::from_secs(600));
        let after =
            |failures, error: &PollError, longest| after_failure(failures, error, minute, longest, "iem_reports");
        for too_much in [429, 503] {
            for failures in 1..20 {
                let wait = after(failures, &status(too_much, None), ten);
                let full = (minute * 2_u32.saturating_pow(failures - 1)).min(ten);
                assert!(wait >= minute.max(full / 2) && wait <= full, "{too_much} {failures}: {wait:?}");
                assert!(after(failures, &status(too_much, None), LEFT_ALONE_FOR) <= minute, "others come back soon");
            }
        }
        // Anything else is no reason to stay away, and what is asked for is obeyed.
        assert!(after(19, &status(502, None), ten) <= minute);
        assert_eq!(after(1, &status(429, Some(ten)), ten), ten);
        assert_eq!(after(1, &status(429, Some(ten * 12)), ten), RETRY_AFTER_MAX);
    }
}
