//! The notifier: told against true. Wakes the channels when something was decided, and on start and every minute compares what
//! is true with what was told, so that a lost nudge or a lost row is repaired.

use crate::actors::channel::ChannelMsg;
use crate::actors::shared::Shared;
use crate::actors::synthesis::SynthesisMsg;
use crate::actors::undelivered;
use crate::notice::book::Book;
use crate::notice::reconcile::{self, Known, Lost};
use crate::outside::compute;
use crate::store::StoreError;
use async_trait::async_trait;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::collections::{BTreeMap, BTreeSet};
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
    /// The same, and again in a minute.
    Minute,
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
            NotifierMsg::Reconcile => self.reconcile(),
            NotifierMsg::Minute => {
                self.reconcile();
                self.arm(&myself);
            }
        }
        Ok(())
    }
}

impl Notifier {
    fn arm(&self, myself: &ActorRef<NotifierMsg>) {
        myself.send_after(self.0.clock.runtime_duration(RECONCILE_PERIOD), || NotifierMsg::Minute);
    }

    fn wake_channels(&self) {
        for channel in self.0.channels() {
            if let Err(error) = channel.cast(ChannelMsg::Deliver) {
                undelivered("nudge", error);
            }
        }
    }

    fn reconcile(&self) {
        match compute(|| self.lost()) {
            Ok(lost) if lost.is_empty() => {}
            Ok(lost) => self.retell(lost),
            Err(error) => tracing::error!(%error, "true and told could not be compared"),
        }
        self.wake_channels();
    }

    /// What of the newest notices is neither waiting nor held nor settled.
    fn lost(&self) -> Result<Vec<Lost>, StoreError> {
        let store = &self.0.store;
        let states: BTreeMap<_, _> = store.states()?.rows.into_iter().collect();
        let held: BTreeSet<String> = store.held()?.rows.into_iter().map(|row| row.id).collect();
        let mut book = Book::default();
        book.set_browsers(store.browsers()?.rows);
        book.set_inboxes(self.0.inboxes()?);
        let oldest_kept = store.ledger(0, 1)?.rows.into_iter().next().map(|row| row.delivery.decided_utc);
        let known = |id: &str| -> Result<Known, StoreError> {
            if held.contains(id) || store.pending_row(id)?.is_some() {
                return Ok(Known::Waits);
            }
            Ok(store.ledger_row(id)?.map_or(Known::Nowhere, |row| row.known()))
        };
        let mut found = Vec::new();
        for point in store.watch_points()?.rows {
            let Some(state) = states.get(&point.id) else { continue };
            let ids = state.episode.iter().flat_map(|episode| &episode.last_deliveries);
            let fates: BTreeMap<&str, Known> =
                ids.map(|(_, id)| Ok((id.as_str(), known(id)?))).collect::<Result<_, StoreError>>()?;
            let known = |id: &str| fates.get(id).copied().unwrap_or(Known::Nowhere);
            let addresses = book.addresses(&point);
            found.extend(reconcile::lost(&point, state, &addresses, oldest_kept, self.0.clock.now(), known));
        }
        Ok(found)
    }

    fn retell(&self, lost: Vec<Lost>) {
        for one in &lost {
            let to = one.to.as_ref().map_or_else(|| "all its addresses".to_owned(), |to| to.join(", "));
            tracing::info!(watch_point = %one.watch_point, to, "telling what stands and was not heard there");
        }
        if let Some(synthesis) = self.0.synthesis()
            && let Err(error) = synthesis.cast(SynthesisMsg::Retell(lost))
        {
            undelivered("retell", error);
        }
    }
}
