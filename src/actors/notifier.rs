//! The notifier: told against true. Wakes the channels when something was decided, and every minute compares what is true
//! with what was told, so that a lost nudge or a lost row is repaired.

use crate::actors::channel::ChannelMsg;
use crate::actors::shared::Shared;
use crate::actors::synthesis::SynthesisMsg;
use crate::actors::undelivered;
use crate::outside::compute;
use crate::store::StoreError;
use async_trait::async_trait;
use jiff::Timestamp;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::sync::Arc;
use std::time::Duration;

/// How often true and told are compared.
const RECONCILE_PERIOD: Duration = Duration::from_secs(60);

/// Messages of the notifier.
pub enum NotifierMsg {
    /// Something was decided and committed; only a nudge.
    LevelChanged,
    /// Compare what is true with what was told.
    Reconcile,
}

/// The notifier actor.
pub struct Notifier(pub Arc<Shared>);

#[async_trait]
impl Actor for Notifier {
    type Msg = NotifierMsg;
    type State = ();
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<NotifierMsg>, (): ()) -> Result<(), ActorProcessingErr> {
        Ok(())
    }

    async fn post_start(&self, myself: ActorRef<NotifierMsg>, (): &mut ()) -> Result<(), ActorProcessingErr> {
        self.arm(&myself);
        Ok(())
    }

    async fn handle(
        &self,
        myself: ActorRef<NotifierMsg>,
        message: NotifierMsg,
        (): &mut (),
    ) -> Result<(), ActorProcessingErr> {
        match message {
            NotifierMsg::LevelChanged => self.wake_channels(),
            NotifierMsg::Reconcile => {
                match compute(|| self.untold_points()) {
                    Ok(ids) if ids.is_empty() => {}
                    Ok(ids) => self.retell(ids),
                    Err(error) => tracing::error!(%error, "true and told could not be compared"),
                }
                self.wake_channels();
                self.arm(&myself);
            }
        }
        Ok(())
    }
}

impl Notifier {
    fn arm(&self, myself: &ActorRef<NotifierMsg>) {
        myself.send_after(self.0.clock.runtime_duration(RECONCILE_PERIOD), || NotifierMsg::Reconcile);
    }

    fn wake_channels(&self) {
        for channel in self.0.channels() {
            if let Err(error) = channel.cast(ChannelMsg::Deliver) {
                undelivered("nudge", error);
            }
        }
    }

    /// Points whose newest notice is neither waiting nor settled.
    fn untold_points(&self) -> Result<Vec<String>, StoreError> {
        let mut untold = Vec::new();
        // What was decided before the oldest row that the ledger still keeps may have been told and pruned.
        let oldest = self.0.store.ledger(0, 1)?.rows.into_iter().next().map(|row| row.delivery.decided_utc);
        let kept = |decided: Option<Timestamp>| oldest.is_none_or(|oldest| decided.is_some_and(|at| at >= oldest));
        for (point, state) in self.0.store.states()?.rows {
            let episode = state.episode.filter(|episode| kept(episode.last_decided_utc));
            for id in episode.iter().flat_map(|episode| &episode.last_deliveries) {
                if self.0.store.pending_row(id)?.is_none() && self.0.store.ledger_row(id)?.is_none() {
                    untold.push(point.clone());
                    break;
                }
            }
        }
        Ok(untold)
    }

    fn retell(&self, ids: Vec<String>) {
        tracing::warn!(?ids, "true and told differ: telling again");
        if let Some(synthesis) = self.0.synthesis()
            && let Err(error) = synthesis.cast(SynthesisMsg::Retell(ids))
        {
            undelivered("retell", error);
        }
    }
}
