//! The sessions of one owner: which are open, which makes room for a new one, how many answers are under way.

use super::BODY_BYTES_MAX;
use crate::mcp::door::Door;
use crate::mcp::session::Session;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

const SESSION_ID: &str = "mcp-session-id";

/// See the head of this file.
pub(super) struct Room {
    service: StreamableHttpService<Session, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    sessions_max: usize,
    usage: Arc<Mutex<Usage>>,
    /// Answers under way at once, open streams included.
    answers: Arc<Semaphore>,
    ended: CancellationToken,
}

/// Which session was used when, by a running number, and which hold a stream open.
#[derive(Debug, Default)]
struct Usage {
    number: u64,
    seats: HashMap<String, Seat>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Seat {
    used: u64,
    streams: usize,
}

impl Room {
    /// A room for the owner of `door`; `ended` ends every stream in it.
    pub(super) fn new(
        door: Door,
        config: StreamableHttpServerConfig,
        ended: CancellationToken,
        sessions_max: usize,
    ) -> Self {
        let mut sessions = LocalSessionManager::default();
        // A client that waits for a storm says nothing for hours: sessions end when they are closed or make room.
        sessions.session_config.keep_alive = None;
        let sessions = Arc::new(sessions);
        let service = StreamableHttpService::new(move || Ok(Session::new(door.clone())), Arc::clone(&sessions), config);
        // Each session may hold a stream and ask.
        let answers = Arc::new(Semaphore::new(answers_max(sessions_max)));
        Self { service, sessions, sessions_max, usage: Arc::default(), answers, ended }
    }

    /// Sessions that are open.
    pub(super) fn sessions(&self) -> usize {
        // Whoever holds the lock is about to let go; what was used lately is near enough for a bound.
        self.sessions.sessions.try_read().map_or_else(|_| self.usage().seats.len(), |sessions| sessions.len())
    }

    /// Whether nobody is in it and nothing is under way.
    pub(super) fn is_empty(&self) -> bool {
        self.sessions() == 0 && self.answers.available_permits() == answers_max(self.sessions_max)
    }

    /// Ends every stream; the sessions go with the room.
    pub(super) fn shut(&self) {
        self.ended.cancel();
    }

    /// Lets a request through, or refuses it, and counts it for as long as its answer lasts. At most `free` sessions may be in
    /// this room. `Err` when there are too many of something.
    pub(super) async fn admit(&self, request: Request, free: usize) -> Result<Response, ()> {
        let permit = Arc::clone(&self.answers).try_acquire_owned().map_err(|_| ())?;
        let opens_stream = request.method() == Method::GET;
        let mut id = session_id(request.headers());
        let known = match &id {
            Some(id) => self.knows(id).await,
            None => false,
        };
        let request = if request.method() == Method::POST && !known {
            match self.opening(request, free).await? {
                Ok(request) => request,
                Err(refusal) => return Ok(refusal),
            }
        } else {
            request
        };
        if let Some(id) = id.as_deref().filter(|_| known) {
            self.used(id);
        }
        let response = self.service.handle(request).await;
        if let Some(new) = session_id(response.headers()) {
            self.used(&new);
            id = Some(new);
        }
        let stream = id.filter(|_| opens_stream && known && response.status().is_success());
        let open = stream.map(|id| OpenStream::new(Arc::clone(&self.usage), id));
        Ok(response.map(|body| Body::new(Counted { body: Body::new(body), _permit: permit, _open: open })))
    }

    fn usage(&self) -> MutexGuard<'_, Usage> {
        locked(&self.usage)
    }

    async fn knows(&self, id: &str) -> bool {
        self.sessions.sessions.read().await.keys().any(|known| known.as_ref() == id)
    }

    fn used(&self, id: &str) {
        let mut usage = self.usage();
        usage.number += 1;
        let number = usage.number;
        usage.seats.entry(id.to_owned()).or_default().used = number;
    }

    /// Makes room for one more session; false when all hold a stream open.
    async fn make_room(&self, free: usize) -> bool {
        let known: Vec<_> = self.sessions.sessions.read().await.keys().cloned().collect();
        let idle = {
            let mut usage = self.usage();
            usage.seats.retain(|id, _| known.iter().any(|known| known.as_ref() == id));
            if known.len() < self.sessions_max.min(free) {
                return true;
            }
            let seat = |id: &str| usage.seats.get(id).copied().unwrap_or_default();
            known.into_iter().filter(|id| seat(id).streams == 0).min_by_key(|id| seat(id).used)
        };
        let Some(idle) = idle else { return false };
        tracing::info!(
            sessions_max = self.sessions_max,
            "the least recently used MCP session makes room for a new one"
        );
        self.sessions.close_session(&idle).await.is_ok()
    }

    /// A POST of a client that is not in a session that we know. An `initialize` is always welcome, also with the id of a
    /// session that a restart ended: it opens a new one. Anything else is left to rmcp, which answers 404 to an unknown id.
    async fn opening(&self, request: Request, free: usize) -> Result<Result<Request, Response>, ()> {
        #[derive(Deserialize)]
        struct Peek {
            method: Option<String>,
        }
        let (mut parts, body) = request.into_parts();
        let Ok(bytes) = axum::body::to_bytes(body, BODY_BYTES_MAX).await else {
            let why = "the request body is too large or was cut short";
            return Ok(Err((StatusCode::PAYLOAD_TOO_LARGE, why).into_response()));
        };
        let opens =
            serde_json::from_slice::<Peek>(&bytes).is_ok_and(|peek| peek.method.as_deref() == Some("initialize"));
        if opens {
            parts.headers.remove(SESSION_ID);
            if !self.make_room(free).await {
                return Err(());
            }
        }
        parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        Ok(Ok(Request::from_parts(parts, Body::from(bytes))))
    }
}

fn answers_max(sessions_max: usize) -> usize {
    2 * sessions_max.max(super::SESSIONS_MAX)
}

fn locked(usage: &Mutex<Usage>) -> MutexGuard<'_, Usage> {
    usage.lock().unwrap_or_else(PoisonError::into_inner)
}

fn session_id(headers: &HeaderMap) -> Option<String> {
    Some(headers.get(SESSION_ID)?.to_str().ok()?.to_owned())
}

/// Marks a session as holding a stream for as long as it lives.
struct OpenStream {
    usage: Arc<Mutex<Usage>>,
    id: String,
}

impl OpenStream {
    fn new(usage: Arc<Mutex<Usage>>, id: String) -> Self {
        locked(&usage).seats.entry(id.clone()).or_default().streams += 1;
        Self { usage, id }
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        if let Some(seat) = locked(&self.usage).seats.get_mut(&self.id) {
            seat.streams = seat.streams.saturating_sub(1);
        }
    }
}

/// A body that holds its permit until it is sent or dropped.
struct Counted {
    body: Body,
    _permit: OwnedSemaphorePermit,
    _open: Option<OpenStream>,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
