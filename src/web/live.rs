//! Server-sent events: that the server is there, and which of an owner's points changed. The page then reads itself anew.
//!
//! Nothing is ever replayed: every connection begins with `hello`, upon which the page reads everything, so that whatever was
//! missed between two connections is made good (`Last-Event-ID` is not needed). The beat is what a page lives by: without it the
//! page says that it is not live.

use super::visitor::Caller;
use super::{Site, admit};
use crate::clock::Clock;
use crate::desk::{Desk, DeskEvent};
use crate::mcp::resources::next_event;
use axum::extract::State;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio_util::sync::CancellationToken;

/// How often a page hears that all is well. It takes the line for lost after somewhat more than two of them.
pub const BEAT_EVERY: Duration = Duration::from_secs(15);
/// Streams of one owner at once: a household's open tabs.
pub const STREAMS_OF_OWNER_MAX: usize = 24;
/// Streams of all owners at once: each holds a connection and a place among the desk's listeners.
const STREAMS_MAX: usize = 2_000;

/// Streams by owner.
#[derive(Debug, Clone, Default)]
pub(super) struct Streams(Arc<Mutex<BTreeMap<String, usize>>>);

/// A place taken until it is dropped.
#[derive(Debug)]
struct Seat {
    streams: Streams,
    owner: String,
}

impl Streams {
    fn take(&self, owner: &str) -> Option<Seat> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = held.get(owner).copied().unwrap_or_default();
        if own >= STREAMS_OF_OWNER_MAX || held.values().sum::<usize>() >= STREAMS_MAX {
            return None;
        }
        held.insert(owner.to_owned(), own + 1);
        Some(Seat { streams: self.clone(), owner: owner.to_owned() })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut held = self.streams.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = held.get_mut(&self.owner) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                held.remove(&self.owner);
            }
        }
    }
}

/// One open page.
struct Line {
    desk: Arc<dyn Desk>,
    owner: String,
    events: Receiver<DeskEvent>,
    /// Ids of the owner's points as last read: what happens to others says nothing here.
    own: BTreeSet<String>,
    is_new: bool,
    closing: CancellationToken,
    _seat: Seat,
}

/// The stream of an owner's changes.
pub(super) async fn events(State(site): State<Site>, Caller(visitor): Caller) -> Response {
    let Some(seat) = site.streams.take(&visitor.owner) else { return admit::busy() };
    let mut line = Line {
        desk: Arc::clone(&site.desk),
        owner: visitor.owner,
        // Listening before reading, so that nothing between the two is missed.
        events: site.desk.events(),
        own: BTreeSet::new(),
        is_new: true,
        closing: site.closing.clone(),
        _seat: seat,
    };
    line.read().await;
    let stream = unfold(line, |mut line| async move {
        let event = line.next().await?;
        Some((Ok::<Event, Infallible>(event), line))
    });
    Sse::new(stream).into_response()
}

impl Line {
    /// Reads which points are the owner's. Where that fails the former ones stand, and the page's own reading will tell.
    async fn read(&mut self) {
        match self.desk.watched(&self.owner).await {
            Ok(watched) => self.own = watched.into_iter().map(|one| one.point.id).collect(),
            Err(error) => tracing::warn!(%error, "a page's points cannot be read"),
        }
    }

    /// The next event; `None` ends the stream.
    async fn next(&mut self) -> Option<Event> {
        if std::mem::take(&mut self.is_new) {
            return Some(self.said("hello", json!({})));
        }
        // One beat for all that says nothing here: what others do must not put it off.
        let clock = Clock::live();
        let mut beat = std::pin::pin!(clock.sleep(BEAT_EVERY));
        loop {
            let event = tokio::select! {
                () = self.closing.cancelled() => return None,
                () = &mut beat => return Some(self.said("beat", json!({}))),
                event = next_event(&mut self.events) => event?,
            };
            if let Some(event) = self.heard(event).await {
                return Some(event);
            }
        }
    }

    /// What a desk's event says to this owner; `None` stands for some that were missed.
    async fn heard(&mut self, event: Option<DeskEvent>) -> Option<Event> {
        match event {
            Some(DeskEvent::PointChanged(id)) if self.own.contains(&id) => Some(self.said("point", json!({"id": id}))),
            Some(DeskEvent::ListChanged(owner)) if owner == self.owner => {
                self.read().await;
                Some(self.said("list", json!({})))
            }
            Some(DeskEvent::PointChanged(_) | DeskEvent::ListChanged(_)) => None,
            None => {
                self.read().await;
                Some(self.said("hello", json!({})))
            }
        }
    }

    /// An event with the present instant, by which a page knows as of when it is live.
    fn said(&self, name: &str, mut data: Value) -> Event {
        data["now_utc"] = json!(format!("{:.0}", self.desk.now()));
        Event::default().event(name).data(data.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_counted_by_owner_and_given_back() {
        let streams = Streams::default();
        let mut seats: Vec<Seat> = (0..STREAMS_OF_OWNER_MAX).map(|_| streams.take("a").unwrap()).collect();
        assert!(streams.take("a").is_none() && streams.take("b").is_some());
        seats.pop();
        assert!(streams.take("a").is_some());
        drop(seats);
        assert!(streams.0.lock().unwrap().is_empty());
    }
}
