//! The door over a pair of byte streams: stdin and stdout, or a local socket that a bridge holds.
//!
//! Invariant: nothing but JSON-RPC lines goes to the writer.

mod lines;

use super::door::Door;
use super::session::Session;
use rmcp::service::{RoleServer, ServerInitializeError, ServiceExt};
use rmcp::transport::async_rw::AsyncRwTransport;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// Longest line read, bytes: a tool call is a few hundred.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// Why the conversation could not be had.
#[derive(Debug, Error)]
pub enum StdioError {
    /// The client did not open the conversation as the protocol says.
    #[error("MCP over stdio could not start: {0}")]
    Start(String),
    /// The task that served it failed.
    #[error("MCP over stdio failed: {0}")]
    Failed(String),
}

/// Serves one client until it closes its side or `shutdown` is cancelled.
///
/// # Errors
/// `StdioError` when the conversation could not start or its task failed. A client that leaves is no error.
pub async fn serve_stdio<R, W>(door: Door, reader: R, writer: W, shutdown: CancellationToken) -> Result<(), StdioError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (reader, too_long) = lines::measured(reader);
    let transport =
        AsyncRwTransport::<RoleServer, _, W>::new_server(reader, writer).with_max_line_length(LINE_BYTES_MAX);
    let transport = lines::Answering::new(transport, too_long);
    // A child: rmcp cancels the token that it is given when the conversation ends, and others may share `shutdown`.
    match Session::new(door).serve_with_ct(transport, shutdown.child_token()).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| StdioError::Failed(error.to_string())),
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(StdioError::Start(error.to_string())),
    }
}
