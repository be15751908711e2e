//! What a channel shell has under way: tasks that answer it by a message.

use super::ChannelMsg;
use crate::channels::{Channel, SendOutcome};
use crate::clock::Clock;
use crate::store::OutboxRow;
use ractor::ActorRef;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Answers when it is dropped, so that also a send that dies is heard of.
struct Answer {
    to: ActorRef<ChannelMsg>,
    of: Option<Box<OutboxRow>>,
    outcome: Option<SendOutcome>,
}

impl Answer {
    fn is(mut self, outcome: SendOutcome) {
        self.outcome = Some(outcome);
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(row) = self.of.take() {
            // Nobody there: the shell has ended, and with it this send.
            let _ = self.to.cast(ChannelMsg::Sent(row, self.outcome.take()));
        }
    }
}

/// One try, within the channel's time limit: the other side answers in real time, however fast a recorded day is lived through.
pub(super) fn send(tasks: &mut JoinSet<()>, plug: Arc<dyn Channel>, to: ActorRef<ChannelMsg>, row: OutboxRow) {
    let answer = Answer { to, of: Some(Box::new(row)), outcome: None };
    tasks.spawn(async move {
        let Some(row) = &answer.of else { return };
        let limit = plug.timeout();
        let outcome = Clock::live().timeout(limit, plug.send(&row.delivery)).await;
        answer.is(outcome.unwrap_or_else(|| SendOutcome::Temporary {
            why: format!("no end of the exchange within {} s", limit.as_secs()),
            retry_after: None,
        }));
    });
}

/// Nothing is under way: the plug lets go of what it keeps between sends.
pub(super) fn rest(tasks: &mut JoinSet<()>, plug: Arc<dyn Channel>) {
    tasks.spawn(async move {
        if Clock::live().timeout(plug.timeout(), plug.rest()).await.is_none() {
            tracing::warn!("a channel did not come to rest in time");
        }
    });
}
