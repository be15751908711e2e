//! The generic channel shell: sends what is pending on its channel, in order per address, and records what became of it.
//!
//! A ledger row is written only after success (or for good failure); a crash in between sends the same bytes under the
//! same id again. What fails for good goes to the owner's other channels (`notice::fallback`).

use crate::actors::notifier::NotifierMsg;
use crate::actors::shared::{Event, Shared};
use crate::actors::synthesis::SynthesisMsg;
use crate::actors::undelivered;
use crate::backoff;
use crate::channels::{Channel, SendOutcome};
use crate::notice::fallback::{self, GivenUp, Other};
use crate::notice::{Address, ChannelKind, Delivery};
use crate::outside::compute;
use crate::store::{LedgerOutcome, OutboxRow, StoreError};
use crate::threat::later;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The first wait after a temporary failure.
const RETRY_FIRST: Duration = Duration::from_secs(5);
/// The longest wait: a server that comes back is found within five minutes.
const RETRY_MAX: Duration = Duration::from_secs(300);
/// A `Retry-After` beyond this is not believed: the notice would be of no use by then.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(3_600);

/// Messages of a channel.
pub enum ChannelMsg {
    /// Something may be pending (a new decision, a restart, a minute gone by).
    Deliver,
    /// A waiting delivery's time has come.
    RetryPending,
}

/// The channel actor.
pub struct ChannelShell {
    /// What all share.
    pub shared: Arc<Shared>,
    /// Which channel.
    pub kind: ChannelKind,
}

/// The plug, and when the shell has asked to be woken.
pub struct State {
    plug: Box<dyn Channel>,
    armed_for_utc: Option<Timestamp>,
}

#[async_trait]
impl Actor for ChannelShell {
    type Msg = ChannelMsg;
    type State = State;
    type Arguments = Box<dyn Channel>;

    async fn pre_start(&self, _: ActorRef<ChannelMsg>, plug: Box<dyn Channel>) -> Result<State, ActorProcessingErr> {
        Ok(State { plug, armed_for_utc: None })
    }

    async fn post_start(&self, myself: ActorRef<ChannelMsg>, _: &mut State) -> Result<(), ActorProcessingErr> {
        myself.cast(ChannelMsg::RetryPending)?;
        Ok(())
    }

    async fn handle(
        &self,
        myself: ActorRef<ChannelMsg>,
        message: ChannelMsg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            ChannelMsg::Deliver => {}
            ChannelMsg::RetryPending => state.armed_for_utc = None,
        }
        match self.work(state.plug.as_mut()).await {
            Ok(None) => {
                let limit = state.plug.timeout();
                if self.shared.clock.timeout(limit, state.plug.rest()).await.is_none() {
                    tracing::warn!(channel = self.kind.as_str(), "the channel did not come to rest in time");
                }
            }
            Ok(Some(next)) if state.armed_for_utc.is_some_and(|armed| armed <= next) => {}
            Ok(Some(next)) => {
                state.armed_for_utc = Some(next);
                let wait = self.shared.clock.now().duration_until(next);
                let wait = self.shared.clock.runtime_duration(Duration::try_from(wait).unwrap_or(Duration::ZERO));
                myself.send_after(wait, || ChannelMsg::RetryPending);
            }
            Err(error) => {
                tracing::error!(channel = self.kind.as_str(), %error, "outbox not worked; tried again in a minute");
            }
        }
        Ok(())
    }
}

impl ChannelShell {
    /// Sends everything that is due. Returns when the next waiting delivery is due.
    async fn work(&self, plug: &mut dyn Channel) -> Result<Option<Timestamp>, StoreError> {
        let pending = compute(|| self.shared.store.pending())?.rows;
        let mut waiting: BTreeSet<Address> = BTreeSet::new();
        let mut next: Option<Timestamp> = None;
        for row in pending.into_iter().filter(|row| row.delivery.address.kind == self.kind) {
            let now = self.shared.clock.now();
            if row.delivery.useful_until_utc <= now {
                self.give_up(&row, GivenUp::TooLate, "it could not be delivered while it was of use")?;
                continue;
            }
            if waiting.contains(&row.delivery.address) {
                continue;
            }
            let not_before = match row.not_before_utc.filter(|at| *at > now) {
                Some(at) => Some(at),
                None => self.try_one(plug, &row).await?,
            };
            if let Some(at) = not_before {
                waiting.insert(row.delivery.address.clone());
                next = Some(next.map_or(at, |next| next.min(at)));
            }
        }
        Ok(next)
    }

    /// One try. `Some` is when to try again.
    async fn try_one(&self, plug: &mut dyn Channel, row: &OutboxRow) -> Result<Option<Timestamp>, StoreError> {
        let (delivery, limit) = (&row.delivery, plug.timeout());
        // The row may have gone while an earlier one was being sent: its watch point was removed.
        if compute(|| self.shared.store.pending_row(&delivery.id))?.is_none() {
            return Ok(None);
        }
        let outcome = self.shared.clock.timeout(limit, plug.send(delivery)).await;
        let outcome = outcome.unwrap_or_else(|| SendOutcome::Temporary {
            why: format!("no end of the exchange within {} s", limit.as_secs()),
            retry_after: None,
        });
        let now = self.shared.clock.now();
        match outcome {
            SendOutcome::Accepted { receipt } => {
                let names = compute(|| self.names(&delivery.watch_points));
                self.shared.tell(Event::Told(delivery.clone(), names));
                compute(|| self.shared.store.settle(&delivery.id, LedgerOutcome::Told(receipt), now))?;
                Ok(None)
            }
            SendOutcome::Permanent { why } => {
                self.give_up(row, GivenUp::Refused, &why)?;
                Ok(None)
            }
            SendOutcome::Temporary { why, retry_after } => {
                let attempts = row.attempts.saturating_add(1);
                let backoff = backoff::delay(attempts, RETRY_FIRST, RETRY_MAX, &delivery.id);
                let wait = retry_after.map_or(backoff, |asked| asked.min(RETRY_AFTER_MAX).max(backoff));
                let not_before = later(now, SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX));
                tracing::warn!(delivery = %delivery.id, attempts, %why, %not_before, "not delivered yet");
                compute(|| self.shared.store.retry_later(&delivery.id, attempts, not_before, &why))?;
                Ok(Some(not_before))
            }
        }
    }

    /// A dead letter. The owner's other channels get the notice, in the same transaction.
    fn give_up(&self, row: &OutboxRow, given_up: GivenUp, why: &str) -> Result<(), StoreError> {
        let failed = &row.delivery;
        let now = self.shared.clock.now();
        let mut stand_ins = compute(|| self.stand_ins(failed, given_up, why, now))?;
        self.shared.terms.links.put(&mut stand_ins);
        tracing::error!(delivery = %failed.id, to = %failed.address.to, why, stand_ins = stand_ins.len(), "dead letter");
        let stood_in = !stand_ins.is_empty();
        compute(|| self.shared.store.give_up(&failed.id, why, now, stand_ins))?;
        if stood_in && let Some(notifier) = self.shared.notifier() {
            notifier.cast(NotifierMsg::LevelChanged).unwrap_or_else(|error| undelivered("nudge", error));
        }
        if self.kind == ChannelKind::WebPush
            && let Some(synthesis) = self.shared.synthesis()
        {
            // A browser that is gone is written to no more.
            synthesis.cast(SynthesisMsg::WatchPointsChanged).unwrap_or_else(|error| undelivered("browsers", error));
        }
        Ok(())
    }

    fn stand_ins(
        &self,
        failed: &Delivery,
        given_up: GivenUp,
        why: &str,
        now: Timestamp,
    ) -> Result<Vec<Delivery>, StoreError> {
        let store = &self.shared.store;
        let candidates = store.proven_addresses(&failed.owner)?;
        let open = |address: &Address| self.shared.terms.channels.contains_key(&address.kind);
        let candidates: Vec<Address> = candidates.into_iter().filter(open).collect();
        let others = store.fates_since(failed.decided_utc)?.rows.into_iter();
        let others = others.filter(|(delivery, _)| delivery.owner == failed.owner && delivery.id != failed.id);
        let others: Vec<Other> = others.map(|(delivery, is_alive)| Other { delivery, is_alive }).collect();
        Ok(fallback::stand_ins(failed, given_up, why, &others, &candidates, now))
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
