//! The rooms of all owners: made when somebody comes, shut when their token is revoked, bounded together.

use super::room::Room;
use super::{BODY_BYTES_MAX, SESSIONS_TOTAL_MAX, busy};
use crate::desk::LOCAL_OWNER;
use crate::mcp::door::Door;
use axum::extract::Request;
use axum::response::Response;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

/// Owners that have sessions at once; a room that nobody is in makes room for another.
const ROOMS_MAX: usize = 512;

/// See the head of this file.
pub(super) struct Rooms {
    door: Door,
    hosts: Vec<String>,
    origins: Vec<String>,
    sessions_max: usize,
    shutdown: CancellationToken,
    rooms: Mutex<HashMap<String, Arc<Room>>>,
}

impl Rooms {
    pub(super) fn new(
        door: Door,
        hosts: Vec<String>,
        origins: Vec<String>,
        sessions_max: usize,
        shutdown: CancellationToken,
    ) -> Self {
        Self { door, hosts, origins, sessions_max, shutdown, rooms: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Room>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The room of an owner, and whether it was made now; `None` when there are too many.
    pub(super) fn of(&self, owner: &str) -> Option<(Arc<Room>, bool)> {
        let mut rooms = self.lock();
        if let Some(room) = rooms.get(owner) {
            return Some((Arc::clone(room), false));
        }
        if rooms.len() >= ROOMS_MAX {
            rooms.retain(|_, room| !room.is_empty());
        }
        if rooms.len() >= ROOMS_MAX {
            return None;
        }
        let ended = self.shutdown.child_token();
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(self.hosts.iter().cloned())
            .with_allowed_origins(self.origins.iter().cloned())
            .enforce_origin_validation()
            .with_max_request_body_bytes(BODY_BYTES_MAX)
            .with_cancellation_token(ended.clone());
        let room = Arc::new(Room::new(self.door.clone().of_owner(owner), config, ended, self.sessions_max));
        rooms.insert(owner.to_owned(), Arc::clone(&room));
        Some((room, true))
    }

    /// Ends everything that an owner has open.
    pub(super) fn shut(&self, owner: &str) {
        if let Some(room) = self.lock().remove(owner) {
            room.shut();
        }
    }

    /// Shuts the rooms of those whose token is revoked.
    pub(super) async fn shut_the_revoked(self: Arc<Self>, mut revoked: Receiver<String>) {
        loop {
            match revoked.recv().await {
                Ok(owner) => self.shut(&owner),
                // Who it was is not known any more: all come back with their tokens.
                Err(RecvError::Lagged(_)) => {
                    let others: Vec<String> = self.lock().keys().filter(|id| *id != LOCAL_OWNER).cloned().collect();
                    others.iter().for_each(|owner| self.shut(owner));
                }
                Err(RecvError::Closed) => return,
            }
        }
    }

    /// Answers a request in a room.
    pub(super) async fn call(&self, room: Arc<Room>, request: Request) -> Response {
        let all: Vec<Arc<Room>> = self.lock().values().cloned().collect();
        let others: usize = all.iter().filter(|other| !Arc::ptr_eq(other, &room)).map(|other| other.sessions()).sum();
        let free = SESSIONS_TOTAL_MAX.saturating_sub(others);
        match room.admit(request, free).await {
            Ok(response) => response,
            Err(()) => busy(),
        }
    }
}
