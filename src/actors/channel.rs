//! The generic channel shell: sends what is pending on its channel, to distinct addresses side by side and to each in order
//! (`notice::turns`), and records what became of it.
//!
//! A ledger row is written only after success (or for good failure); a crash in between sends the same bytes under the
//! same id again. What fails for good goes to the owner's other channels (`notice::fallback`). Nothing is waited for in a
//! handler: each send is a task that answers by a message, and all of them end with the actor.

use crate::actors::notifier::NotifierMsg;
use crate::actors::shared::{Event, Shared};
use crate::actors::synthesis::SynthesisMsg;
use crate::actors::undelivered;
use crate::backoff;
use crate::channels::{Channel, SendOutcome};
use crate::notice::fallback::{self, Aftermath, GivenUp, LOOKS_BACK};
use crate::notice::turns::{UnderWay, WAIT_MAX, Waiting, turns};
use crate::notice::{ChannelKind, Delivery};
use crate::outside::compute;
use crate::store::{Due, LedgerOutcome, OutboxRow, StoreError};
use crate::threat::later;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

mod task;

/// The first wait after a temporary failure.
const RETRY_FIRST: Duration = Duration::from_secs(5);
/// The longest wait: a server that comes back is found within five minutes.
const RETRY_MAX: Duration = Duration::from_secs(300);

/// Messages of a channel.
pub enum ChannelMsg {
    /// Something may be pending (a new decision, a restart, a minute gone by).
    Deliver,
    /// A waiting delivery's time has come.
    RetryPending,
    /// A send has ended; without an outcome where it died.
    Sent(Box<OutboxRow>, Option<SendOutcome>),
}

/// The channel actor.
pub struct ChannelShell {
    /// What all share.
    pub shared: Arc<Shared>,
    /// Which channel.
    pub kind: ChannelKind,
}

/// The plug, what waits, what is under way, and when the shell has asked to be woken.
pub struct State {
    plug: Arc<dyn Channel>,
    waiting: Vec<Waiting>,
    /// `Store::next_delivery` when `waiting` was read; `None` where it has to be read anew.
    read_before: Option<u64>,
    under_way: UnderWay,
    /// What is under way ends with the actor: the next one must not send beside it.
    tasks: JoinSet<()>,
    armed_for_utc: Option<Timestamp>,
}

#[async_trait]
impl Actor for ChannelShell {
    type Msg = ChannelMsg;
    type State = State;
    type Arguments = Box<dyn Channel>;

    async fn pre_start(&self, _: ActorRef<ChannelMsg>, plug: Box<dyn Channel>) -> Result<State, ActorProcessingErr> {
        Ok(State {
            plug: Arc::from(plug),
            waiting: Vec::new(),
            read_before: None,
            under_way: UnderWay::default(),
            tasks: JoinSet::new(),
            armed_for_utc: None,
        })
    }

    async fn post_start(&self, myself: ActorRef<ChannelMsg>, _: &mut State) -> Result<(), ActorProcessingErr> {
        myself.cast(ChannelMsg::Deliver)?;
        Ok(())
    }

    async fn handle(
        &self,
        myself: ActorRef<ChannelMsg>,
        message: ChannelMsg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        while state.tasks.try_join_next().is_some() {}
        let worked = match message {
            ChannelMsg::Deliver => self.read(state),
            ChannelMsg::RetryPending => {
                state.armed_for_utc = None;
                Ok(())
            }
            ChannelMsg::Sent(row, outcome) => {
                state.under_way.end(&row.delivery.address);
                self.note(state, &row, outcome.ok_or("a send died")?)
            }
        };
        if let Err(error) = worked.and_then(|()| self.go_on(&myself, state)) {
            // What is not on record as sent must go before what follows it: all of it is read anew.
            state.waiting.clear();
            state.read_before = None;
            tracing::error!(channel = self.kind.as_str(), %error, "outbox not worked; tried again in a minute");
        }
        Ok(())
    }
}

impl ChannelShell {
    /// Reads what waits on this channel, unless nothing new has come since.
    fn read(&self, state: &mut State) -> Result<(), StoreError> {
        let next = compute(|| self.shared.store.next_delivery());
        if state.read_before == Some(next) {
            return Ok(());
        }
        state.read_before = None;
        let rows = compute(|| self.shared.store.pending())?.rows.into_iter();
        let own = rows.filter(|row| row.delivery.address.kind == self.kind);
        state.waiting = own.map(|row| Waiting::of(&row.delivery, row.attempts, row.not_before_utc)).collect();
        state.read_before = Some(next);
        Ok(())
    }

    /// Sends what may go now, gives up what is of no use any more, and asks to be woken for the rest.
    fn go_on(&self, myself: &ActorRef<ChannelMsg>, state: &mut State) -> Result<(), StoreError> {
        loop {
            let turns = turns(&state.waiting, &state.under_way, state.plug.at_once(), self.shared.clock.now());
            if turns.too_late.is_empty() && turns.go.is_empty() {
                self.arm(myself, state, turns.next_utc);
                if state.under_way.is_empty() {
                    task::rest(&mut state.tasks, Arc::clone(&state.plug));
                }
                return Ok(());
            }
            for id in &turns.too_late {
                if let Some(row) = self.still_wanted(id)? {
                    self.give_up(&row, GivenUp::TooLate, "it could not be delivered while it was of use")?;
                }
            }
            state.waiting.retain(|row| !turns.too_late.contains(&row.id));
            for id in &turns.go {
                match self.still_wanted(id)? {
                    Some(row) => {
                        state.under_way.begin(row.delivery.address.clone(), row.delivery.owner.clone());
                        task::send(&mut state.tasks, Arc::clone(&state.plug), myself.clone(), row);
                    }
                    None => state.waiting.retain(|row| row.id != *id),
                }
            }
        }
    }

    /// It may have gone meanwhile: its watch point was removed or changed, its address has unsubscribed.
    fn still_wanted(&self, id: &str) -> Result<Option<OutboxRow>, StoreError> {
        match compute(|| self.shared.store.still_wanted(id, self.shared.clock.now()))? {
            Due::Wanted(row) => Ok(Some(*row)),
            Due::Unwanted(delivery) => {
                self.say_given_up(*delivery, Aftermath::default());
                Ok(None)
            }
            Due::Gone => Ok(None),
        }
    }

    fn say_given_up(&self, failed: Delivery, aftermath: Aftermath) {
        if let Some(synthesis) = self.shared.synthesis() {
            let given_up = SynthesisMsg::GivenUp(Box::new(failed), aftermath);
            synthesis.cast(given_up).unwrap_or_else(|error| undelivered("given up", error));
        }
    }

    fn arm(&self, myself: &ActorRef<ChannelMsg>, state: &mut State, next_utc: Option<Timestamp>) {
        let Some(next) = next_utc.filter(|next| state.armed_for_utc.is_none_or(|armed| *next < armed)) else { return };
        state.armed_for_utc = Some(next);
        let wait = self.shared.clock.now().duration_until(next);
        let wait = self.shared.clock.runtime_duration(Duration::try_from(wait).unwrap_or(Duration::ZERO));
        myself.send_after(wait, || ChannelMsg::RetryPending);
    }

    /// Puts on record what became of a try.
    fn note(&self, state: &mut State, row: &OutboxRow, outcome: SendOutcome) -> Result<(), StoreError> {
        let delivery = &row.delivery;
        let now = self.shared.clock.now();
        let (attempts, wait, why) = match outcome {
            SendOutcome::Accepted { receipt } => {
                let names = compute(|| self.names(&delivery.watch_points));
                self.shared.tell(Event::Told(delivery.clone(), names));
                compute(|| self.shared.store.settle(&delivery.id, LedgerOutcome::Told(receipt), now))?;
                state.waiting.retain(|waiting| waiting.id != delivery.id);
                return Ok(());
            }
            SendOutcome::Permanent { why } => {
                self.give_up(row, GivenUp::Refused, &why)?;
                state.waiting.retain(|waiting| waiting.id != delivery.id);
                return Ok(());
            }
            SendOutcome::Temporary { why, retry_after } => {
                let attempts = row.attempts.saturating_add(1);
                let backoff = backoff::delay(attempts, RETRY_FIRST, RETRY_MAX, &delivery.id);
                (attempts, retry_after.map_or(backoff, |asked| asked.max(backoff)), why)
            }
            SendOutcome::Held { why, wait } => (row.attempts, wait, why),
        };
        let not_before = later(now, SignedDuration::try_from(wait).unwrap_or(WAIT_MAX).min(WAIT_MAX));
        tracing::warn!(delivery = %delivery.id, attempts, %why, %not_before, "not delivered yet");
        compute(|| self.shared.store.retry_later(&delivery.id, attempts, not_before, &why))?;
        if let Some(waiting) = state.waiting.iter_mut().find(|waiting| waiting.id == delivery.id) {
            (waiting.attempts, waiting.not_before_utc) = (attempts, Some(not_before));
        }
        Ok(())
    }

    /// A dead letter. The owner's other channels get the notice, in the same transaction.
    fn give_up(&self, row: &OutboxRow, given_up: GivenUp, why: &str) -> Result<(), StoreError> {
        let failed = &row.delivery;
        let now = self.shared.clock.now();
        let mut aftermath = compute(|| self.aftermath(failed, (given_up, why), now))?;
        self.shared.terms.links.put(&mut aftermath.stand_ins);
        let stand_ins = aftermath.stand_ins.len();
        tracing::error!(delivery = %failed.id, to = %failed.address.to, why, stand_ins, "dead letter");
        compute(|| self.shared.store.give_up(&failed.id, (given_up, why), now, &aftermath))?;
        if stand_ins > 0
            && let Some(notifier) = self.shared.notifier()
        {
            notifier.cast(NotifierMsg::LevelChanged).unwrap_or_else(|error| undelivered("nudge", error));
        }
        self.say_given_up(failed.clone(), aftermath);
        if self.kind == ChannelKind::WebPush
            && let Some(synthesis) = self.shared.synthesis()
        {
            // A browser that is gone is written to no more.
            synthesis.cast(SynthesisMsg::WatchPointsChanged).unwrap_or_else(|error| undelivered("browsers", error));
        }
        Ok(())
    }

    fn aftermath(&self, failed: &Delivery, why: (GivenUp, &str), now: Timestamp) -> Result<Aftermath, StoreError> {
        let store = &self.shared.store;
        let mut candidates = store.proven_addresses(&failed.owner)?;
        candidates.retain(|address| self.shared.terms.channels.contains_key(&address.kind));
        let decided = store.fates_since(later(failed.decided_utc, SignedDuration::ZERO - LOOKS_BACK))?.rows;
        Ok(fallback::aftermath(failed, why, decided, &candidates, now))
    }

    /// Names of watch points, for people; the id where a point is gone.
    fn names(&self, ids: &[String]) -> Vec<String> {
        let name = |id: &String| match self.shared.store.watch_point(id) {
            Ok(Some(point)) => point.name,
            Ok(None) | Err(_) => id.clone(),
        };
        ids.iter().map(name).collect()
    }
}
