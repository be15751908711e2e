//! The bus: takes reports, keeps the present, passes each on to its subscriber.
//!
//! The present is the newest report of every source plus every report that still holds the newest observation of a slot.
//! A subscriber that comes gets the present as one message, then the stream.

use crate::actors::synthesis::SynthesisMsg;
use crate::actors::undelivered;
use crate::observation::{Report, Slot, SourceName};
use async_trait::async_trait;
use jiff::Timestamp;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Rides with a report; when the last holder drops it, the publisher goes on. Back-pressure that no crash can jam.
#[derive(Debug)]
pub struct Taken(#[expect(dead_code, reason = "its drop is the signal")] oneshot::Sender<()>);

/// What is kept of single places: zones and four profile hours each of some 4,000.
const PLACE_SLOTS_MAX: usize = 20_000;

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
        self.forget_places();
    }

    /// Drops what was said of single places longest ago, once there is too much of it: a place that is still wanted is said
    /// anew, and the picture holds it meanwhile.
    fn forget_places(&mut self) {
        let of_places = |(slot, report): (&Slot, &Arc<Report>)| slot.is_of_a_place().then_some(report.polled_utc);
        let mut times: Vec<Timestamp> = self.newest.iter().filter_map(of_places).collect();
        if times.len() <= PLACE_SLOTS_MAX {
            return;
        }
        times.sort_unstable();
        // A tenth at once, so that this is not done at every report.
        let oldest_kept = times.get(times.len() - PLACE_SLOTS_MAX * 9 / 10).copied();
        self.newest
            .retain(|slot, report| !slot.is_of_a_place() || oldest_kept.is_none_or(|kept| report.polled_utc >= kept));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::LatLon;
    use crate::observation::{NWS_ZONES, Observation, PlaceZones};

    #[test]
    fn what_was_said_of_places_asked_about_once_is_forgotten_oldest_first() {
        let mut state = State::default();
        let at = |second: usize| Timestamp::from_second(1_900_000_000 + second as i64).unwrap();
        for n in 0..PLACE_SLOTS_MAX + 1 {
            let place = LatLon::new(25.0 + n as f64 * 1e-3, -97.0).unwrap();
            let zones = PlaceZones { place, ugc: Vec::new(), time_zone: None, learned_utc: at(n) };
            let (observations, faults) = (vec![Observation::Zones(Arc::new(zones))], Vec::new());
            // Keeping one by one would look through all of them at each: this is about the last.
            let report = Arc::new(Report { source: NWS_ZONES, polled_utc: at(n), good: true, observations, faults });
            state.newest.insert(report.observations[0].slot(), Arc::clone(&report));
        }
        state.forget_places();
        let times: Vec<Timestamp> = state.newest.values().map(|report| report.polled_utc).collect();
        assert_eq!(times.len(), PLACE_SLOTS_MAX * 9 / 10);
        assert!(times.contains(&at(PLACE_SLOTS_MAX)) && !times.contains(&at(0)));
    }
}
