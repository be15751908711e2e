//! The door over streamable HTTP at `/mcp`: loopback by default, Host and Origin checked, everything bounded.
//!
//! Boundaries: ✓ who may connect, how many, how much they may send. ✗ the protocol (rmcp), tools and resources.

use super::door::Door;
use super::session::Session;
use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Where the door stands.
pub const PATH: &str = "/mcp";
/// The port when none is configured; the same as the reference implementation's, so that configurations carry over.
pub const PORT_DEFAULT: u16 = 8741;
/// Largest request body, bytes: a tool call is a few hundred.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// Most sessions at once; the least recently used one without an open stream makes room for a new one.
pub const SESSIONS_MAX: usize = 256;
/// Most answers under way at once, open streams included: twice the sessions, as each may hold a stream and ask.
pub const ANSWERS_MAX: usize = 2 * SESSIONS_MAX;
/// What a refused client is asked to wait.
const RETRY_AFTER_S: &str = "5";
const SESSION_ID: &str = "mcp-session-id";
const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
const LOOPBACK_ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// Where to listen and whom to believe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpOptions {
    /// Address and port; loopback only.
    pub bind: SocketAddr,
    /// Host names accepted beside the loopback ones, with or without a port.
    pub allowed_hosts: Vec<String>,
    /// Browser origins accepted beside the loopback ones: `https://app.example.com:443`, or `:*` for any port.
    pub allowed_origins: Vec<String>,
    /// See `SESSIONS_MAX`.
    pub sessions_max: usize,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            bind: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT_DEFAULT),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            sessions_max: SESSIONS_MAX,
        }
    }
}

/// Why the door does not open.
#[derive(Debug, Error)]
pub enum HttpError {
    /// Others could reach it, and nothing would tell them apart.
    #[error(
        "http.bind: {0} can be reached from outside and needs tokens, which this version does not have: bind to 127.0.0.1 or [::1]"
    )]
    NotLoopback(SocketAddr),
    /// A host name that no client reaches us by.
    #[error("http.allowed_hosts: {0:?} is not a host name that a client may use; leave it out")]
    Host(String),
    /// The address cannot be had.
    #[error(
        "cannot listen on {bind}: {source}; is another stormbell there? choose another port with --port (0: any free one)"
    )]
    Bind {
        /// The address.
        bind: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// Serving ended by itself.
    #[error("the HTTP door failed: {0}")]
    Serve(#[from] io::Error),
}

/// Listens on the configured address.
///
/// # Errors
/// `NotLoopback` for an address that others can reach, `Bind` when it cannot be had.
pub async fn listen(options: &HttpOptions) -> Result<TcpListener, HttpError> {
    let bind = options.bind;
    if !bind.ip().is_loopback() {
        return Err(HttpError::NotLoopback(bind));
    }
    TcpListener::bind(bind).await.map_err(|source| HttpError::Bind { bind, source })
}

/// The routes of this door.
///
/// # Errors
/// `Host` for `0.0.0.0`, `[::]` or nothing as an allowed host.
pub fn router(door: Door, options: &HttpOptions, shutdown: CancellationToken) -> Result<Router, HttpError> {
    if let Some(host) = options.allowed_hosts.iter().find(|host| names_any_address(host)) {
        return Err(HttpError::Host(host.clone()));
    }
    let hosts = LOOPBACK_HOSTS.into_iter().map(String::from).chain(options.allowed_hosts.iter().cloned());
    let origins = LOOPBACK_ORIGINS.into_iter().map(String::from).chain(options.allowed_origins.iter().cloned());
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(BODY_BYTES_MAX)
        .with_cancellation_token(shutdown);
    let mut sessions = LocalSessionManager::default();
    // A client that waits for a storm says nothing for hours: sessions end when they are closed or make room.
    sessions.session_config.keep_alive = None;
    let sessions = Arc::new(sessions);
    let gate = Gate {
        sessions: Arc::clone(&sessions),
        sessions_max: options.sessions_max.max(1),
        usage: Arc::default(),
        answers: Arc::new(Semaphore::new(ANSWERS_MAX)),
    };
    let service = StreamableHttpService::new(move || Ok(Session::new(door.clone())), sessions, config);
    Ok(Router::new().route_service(PATH, service).layer(from_fn_with_state(gate, admit)))
}

/// Serves until `shutdown` is cancelled; open streams end then.
///
/// # Errors
/// `Serve` when the listener fails.
pub async fn serve(listener: TcpListener, router: Router, shutdown: CancellationToken) -> Result<(), HttpError> {
    Ok(axum::serve(listener, router).with_graceful_shutdown(shutdown.cancelled_owned()).await?)
}

fn names_any_address(host: &str) -> bool {
    let host = host.trim();
    let bare = host.parse::<SocketAddr>().map(|addr| addr.ip()).or_else(|_| host.trim_matches(['[', ']']).parse());
    host.is_empty()
        || host == "*"
        || bare.is_ok_and(|ip: IpAddr| ip.is_unspecified())
        || host.rsplit_once(':').is_some_and(|(name, _)| name == "0.0.0.0" || name == "*")
}

/// Bounds on sessions and answers.
#[derive(Debug, Clone)]
struct Gate {
    sessions: Arc<LocalSessionManager>,
    sessions_max: usize,
    usage: Arc<Mutex<Usage>>,
    answers: Arc<Semaphore>,
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

impl Gate {
    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
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
    async fn make_room(&self) -> bool {
        let known: Vec<_> = self.sessions.sessions.read().await.keys().cloned().collect();
        let idle = {
            let mut usage = self.usage();
            usage.seats.retain(|id, _| known.iter().any(|known| known.as_ref() == id));
            if known.len() < self.sessions_max {
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
}

/// Lets a request through, or refuses it, and counts it for as long as its answer lasts.
async fn admit(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let Ok(permit) = Arc::clone(&gate.answers).try_acquire_owned() else { return busy() };
    let opens_stream = request.method() == Method::GET;
    let mut id = session_id(request.headers());
    let known = match &id {
        Some(id) => gate.knows(id).await,
        None => false,
    };
    let request = if request.method() == Method::POST && !known {
        match opening(&gate, request).await {
            Ok(request) => request,
            Err(refusal) => return refusal,
        }
    } else {
        request
    };
    if let Some(id) = id.as_deref().filter(|_| known) {
        gate.used(id);
    }
    let response = next.run(request).await;
    if let Some(new) = session_id(response.headers()) {
        gate.used(&new);
        id = Some(new);
    }
    let stream = id.filter(|_| opens_stream && known && response.status().is_success());
    let open = stream.map(|id| OpenStream::new(gate, id));
    response.map(|body| Body::new(Counted { body, _permit: permit, _open: open }))
}

/// A POST of a client that is not in a session that we know. An `initialize` is always welcome, also with the id of a
/// session that a restart ended: it opens a new one. Anything else is left to rmcp, which answers 404 to an unknown id.
async fn opening(gate: &Gate, request: Request) -> Result<Request, Response> {
    #[derive(Deserialize)]
    struct Peek {
        method: Option<String>,
    }
    let (mut parts, body) = request.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, BODY_BYTES_MAX).await else {
        return Err((StatusCode::PAYLOAD_TOO_LARGE, "the request body is too large or was cut short").into_response());
    };
    let opens = serde_json::from_slice::<Peek>(&bytes).is_ok_and(|peek| peek.method.as_deref() == Some("initialize"));
    if opens {
        parts.headers.remove(SESSION_ID);
        if !gate.make_room().await {
            return Err(busy());
        }
    }
    parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

fn session_id(headers: &HeaderMap) -> Option<String> {
    Some(headers.get(SESSION_ID)?.to_str().ok()?.to_owned())
}

fn busy() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, RETRY_AFTER_S)], "too many MCP clients at once").into_response()
}

/// Marks a session as holding a stream for as long as it lives.
struct OpenStream {
    gate: Gate,
    id: String,
}

impl OpenStream {
    fn new(gate: Gate, id: String) -> Self {
        gate.usage().seats.entry(id.clone()).or_default().streams += 1;
        Self { gate, id }
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        if let Some(seat) = self.gate.usage().seats.get_mut(&self.id) {
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
