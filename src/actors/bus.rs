//! The bus: takes reports, keeps the present, passes each on to its subscriber.
//!
//! The present is the newest report of every source plus every report that still holds the newest observation of a slot.
//! A subscriber that comes gets the present as one message, then the stream.

use crate::actors::synthesis::SynthesisMsg;
use crate::actors::undelivered;
use crate::observation::{Report, Slot, SourceName};
use async_trait::async_trait;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Rides with a report; when the last holder drops it, the publisher goes on. Back-pressure that no crash can jam.
#[derive(Debug)]
pub struct Taken(#[expect(dead_code, reason = "its drop is the signal")] oneshot::Sender<()>);

/// Messages of the bus.
pub enum BusMsg {
    /// A new report.
    Publish(Arc<Report>, Taken),
    /// The present first, then the stream.
    SlurpAndSubscribe(ActorRef<SynthesisMsg>),
}

/// Publishes a report and waits until synthesis has taken it in (or is away: it will slurp the present when it returns).
pub async fn publish(bus: &ActorRef<BusMsg>, report: Arc<Report>) {
    let (taken, waiting) = oneshot::channel();
    match bus.cast(BusMsg::Publish(report, Taken(taken))) {
        // The sender is dropped, never used: an error is the normal end of the wait.
        Ok(()) => drop(waiting.await),
        Err(error) => undelivered("publish", error),
    }
}

/// The bus actor.
pub struct Bus;

/// The present and who listens.
#[derive(Default)]
pub struct State {
    last: BTreeMap<SourceName, Arc<Report>>,
    newest: BTreeMap<Slot, Arc<Report>>,
    subscriber: Option<ActorRef<SynthesisMsg>>,
}

impl State {
    fn keep(&mut self, report: &Arc<Report>) {
        self.last.insert(report.source.clone(), Arc::clone(report));
        for observation in &report.observations {
            self.newest.insert(observation.slot(), Arc::clone(report));
        }
    }

    /// The present, oldest first, each report once.
    fn present(&self) -> Vec<Arc<Report>> {
        let mut reports: Vec<_> = self.newest.values().chain(self.last.values()).map(Arc::clone).collect();
        reports.sort_by(|a, b| (a.polled_utc, &a.source).cmp(&(b.polled_utc, &b.source)));
        reports.dedup_by(|a, b| Arc::ptr_eq(a, b));
        reports
    }
}

#[async_trait]
impl Actor for Bus {
    type Msg = BusMsg;
    type State = State;
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<BusMsg>, (): ()) -> Result<State, ActorProcessingErr> {
        Ok(State::default())
    }

    async fn handle(&self, _: ActorRef<BusMsg>, message: BusMsg, state: &mut State) -> Result<(), ActorProcessingErr> {
        match message {
            BusMsg::Publish(report, taken) => {
                state.keep(&report);
                if let Some(subscriber) = &state.subscriber
                    && let Err(error) = subscriber.cast(SynthesisMsg::Observed(report, taken))
                {
                    undelivered("report", error);
                    state.subscriber = None;
                }
            }
            BusMsg::SlurpAndSubscribe(subscriber) => match subscriber.cast(SynthesisMsg::CaughtUp(state.present())) {
                Ok(()) => state.subscriber = Some(subscriber),
                Err(error) => undelivered("the present", error),
            },
        }
        Ok(())
    }
}
