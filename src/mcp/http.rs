//! The door over streamable HTTP at `/mcp`: callers known by bearer tokens, Host and Origin checked, everything bounded.
//!
//! ```text
//! request -> callers (token -> owner) -> the owner's room (sessions, bounds) -> rmcp
//! ```
//!
//! Every owner has a room of their own: a session id means nothing in another one, so that a token of somebody else's gets the
//! same 404 as an id that never was.
//!
//! Boundaries: ✓ who may connect, how many, how much they may send. ✗ the protocol (rmcp), tools and resources.

use super::door::Door;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::timeout::RequestBodyTimeoutLayer;

mod callers;
mod connections;
mod room;
mod rooms;

pub use callers::{Callers, bearer};
pub use connections::{CONNECTIONS_MAX, HEAD_WITHIN, serve};
use rooms::Rooms;

/// Where the door stands.
pub const PATH: &str = "/mcp";
/// The port when none is configured; the same as the reference implementation's, so that configurations carry over.
pub const PORT_DEFAULT: u16 = 8741;
/// Largest request body, bytes: a tool call is a few hundred.
pub const BODY_BYTES_MAX: usize = 1 << 20;
/// Within this a part of a request's body must be there: it keeps a place in its owner's room.
pub const BODY_PART_WITHIN: Duration = Duration::from_secs(10);
/// Most sessions of one owner at once; the least recently used one without an open stream makes room for a new one.
pub const SESSIONS_MAX: usize = 256;
/// Most sessions of all owners at once, at some ten kilobytes each.
pub const SESSIONS_TOTAL_MAX: usize = 4 * SESSIONS_MAX;
/// What a refused client is asked to wait.
const RETRY_AFTER_S: &str = "5";
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
    /// Address and port.
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
    /// Others could reach it, and nobody has a token.
    #[error(
        "mcp.bind: {0} can be reached from outside, and there is no owner whose token would open it: `stormbell owner add NAME` \
         makes one, or bind to 127.0.0.1 or [::1]"
    )]
    NoOwners(SocketAddr),
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
/// `NoOwners` for an address that others can reach while nobody has a token, `Bind` when it cannot be had.
pub async fn listen(options: &HttpOptions, has_owners: bool) -> Result<TcpListener, HttpError> {
    let bind = options.bind;
    if !bind.ip().is_loopback() && !has_owners {
        return Err(HttpError::NoOwners(bind));
    }
    TcpListener::bind(bind).await.map_err(|source| HttpError::Bind { bind, source })
}

/// The routes of this door. `door` is what all owners share; each gets it under their own name.
///
/// # Errors
/// `Host` for `0.0.0.0`, `[::]` or nothing as an allowed host.
pub fn router(
    door: Door,
    callers: Callers,
    options: &HttpOptions,
    shutdown: CancellationToken,
) -> Result<Router, HttpError> {
    if let Some(host) = options.allowed_hosts.iter().find(|host| names_any_address(host)) {
        return Err(HttpError::Host(host.clone()));
    }
    let hosts = LOOPBACK_HOSTS.into_iter().map(String::from).chain(options.allowed_hosts.iter().cloned()).collect();
    let origins =
        LOOPBACK_ORIGINS.into_iter().map(String::from).chain(options.allowed_origins.iter().cloned()).collect();
    let revoked = callers.revoked();
    let rooms = Arc::new(Rooms::new(door, hosts, origins, options.sessions_max.max(1), shutdown.clone()));
    if let Some(revoked) = revoked {
        let watching = Arc::clone(&rooms).shut_the_revoked(revoked);
        tokio::spawn(shutdown.run_until_cancelled_owned(watching));
    }
    let entrance = Entrance { callers, rooms };
    Ok(Router::new().route(PATH, any(call)).layer(RequestBodyTimeoutLayer::new(BODY_PART_WITHIN)).with_state(entrance))
}

/// What a request meets first.
#[derive(Clone)]
struct Entrance {
    callers: Callers,
    rooms: Arc<Rooms>,
}

async fn call(State(Entrance { callers, rooms }): State<Entrance>, request: Request) -> Response {
    let owner = match callers.owner(request.headers()).await {
        Ok(owner) => owner,
        Err(refusal) => return refusal,
    };
    let Some((room, is_new)) = rooms.of(&owner) else { return busy() };
    // A token that was revoked since it was looked at must not leave a room behind it.
    if is_new && let Err(refusal) = callers.owner(request.headers()).await {
        rooms.shut(&owner);
        return refusal;
    }
    let ends = request.method() == Method::DELETE;
    let mut response = rooms.call(room, request).await;
    if ends && response.status() == StatusCode::ACCEPTED {
        // Done, not merely taken: clients warn of a session whose end is only accepted.
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

fn busy() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, RETRY_AFTER_S)], "too many MCP clients at once").into_response()
}

fn names_any_address(host: &str) -> bool {
    let host = host.trim();
    let bare = host.parse::<SocketAddr>().map(|addr| addr.ip()).or_else(|_| host.trim_matches(['[', ']']).parse());
    host.is_empty()
        || host == "*"
        || bare.is_ok_and(|ip: IpAddr| ip.is_unspecified())
        || host.rsplit_once(':').is_some_and(|(name, _)| name == "0.0.0.0" || name == "*")
}
