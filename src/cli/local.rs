//! The local socket `stormbell.sock` in the data directory: how a one-shot command reaches the process that owns the
//! store, and how `stormbell mcp` becomes a bridge to it.
//!
//! Protocol: the client sends one line of JSON (an [`Ask`]). The answer is one JSON document and the end of the stream;
//! after `{"ask":"mcp"}` the rest of the connection is raw MCP in both directions.
//!
//! Boundaries: ✓ sockets, limits. ✗ no answers of its own (`cli::answers`), no store. The socket's mode is 600 and it
//! lies in the owner's directory: who may connect may already read the store.

use crate::cli::answers::Ask;
use crate::cli::fail::Failure;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

mod client;
mod server;

pub use client::{Unanswered, ask, bridge};
pub use server::{Door, Listening, listen};

/// File name within the data directory.
pub const SOCKET_NAME: &str = "stormbell.sock";
/// The kernel's limit on a socket's path (`sun_path` with its closing zero is 104 bytes on macOS, 108 on Linux).
const PATH_BYTES_MAX: usize = 103;
/// Longest question: a watch point with its addresses is below 2 kB.
const ASK_BYTES_MAX: usize = 16 * 1024;
/// Longest answer: a journal of a thousand assessments is about 5 MB.
const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Connections at once; every bridged MCP client holds one.
const CONNECTIONS_MAX: usize = 32;
/// A client sends its line at once; who does not is not a client of ours.
const ASK_TIMEOUT: Duration = Duration::from_secs(5);
/// Limit on one answer: longer than any read of the store.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Where the socket of a data directory is.
///
/// # Errors
/// When the path is longer than a socket's may be.
pub fn socket_path(data_dir: &Path) -> Result<PathBuf, Failure> {
    let path = data_dir.join(SOCKET_NAME);
    let bytes = path.as_os_str().len();
    if bytes > PATH_BYTES_MAX {
        let message =
            format!("{} has {bytes} bytes; a local socket's path has at most {PATH_BYTES_MAX}", path.display());
        return Err(Failure::new("socket_path", message, "use a data directory with a shorter path"));
    }
    Ok(path)
}

/// Runs one small piece of asynchronous work to its end on this thread.
///
/// # Errors
/// When the runtime cannot be made.
pub fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new("failed", format!("no runtime: {error}"), ""))?;
    let answer = runtime.block_on(work);
    // A read of stdin that nobody ends must not hold the process.
    runtime.shutdown_background();
    Ok(answer)
}

/// One line on the wire.
fn line_of(ask: &Ask) -> Result<Vec<u8>, Failure> {
    let mut line = serde_json::to_vec(ask).map_err(|error| Failure::new("failed", error.to_string(), ""))?;
    line.push(b'\n');
    Ok(line)
}

fn document_of(bytes: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(bytes)
        .map_err(|error| Failure::new("failed", format!("the running process gave no whole answer: {error}"), ""))
}

#[cfg(test)]
mod tests;
