//! The answering side of the local socket.

use super::{ASK_BYTES_MAX, ASK_TIMEOUT, CONNECTIONS_MAX, socket_path};
use crate::cli::answers::Ask;
use crate::cli::fail::Failure;
use crate::clock::Clock;
use async_trait::async_trait;
use serde_json::Value;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;

/// What answers behind the socket.
#[async_trait]
pub trait Door: Send + Sync + 'static {
    /// The document for a question; errors are documents too.
    async fn answer(&self, ask: Ask) -> Value;
    /// Speaks MCP on the stream until either side ends it.
    async fn mcp(&self, stream: BufReader<UnixStream>);
}

/// A socket that is answered until this is dropped.
#[derive(Debug)]
pub struct Listening {
    path: PathBuf,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
        // Left behind at worst: the next owner of the store removes it.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Opens the socket of `data_dir` and answers it. Only the process that holds the store's lock may call this: what lies
/// at the path is then stale and is removed.
///
/// # Errors
/// When the path is too long, or the socket cannot be made.
pub fn listen(data_dir: &Path, door: Arc<dyn Door>) -> Result<Listening, Failure> {
    let path = socket_path(data_dir)?;
    let failed = |error: std::io::Error| Failure::new("socket", format!("{}: {error}", path.display()), "");
    match std::fs::symlink_metadata(&path) {
        Ok(found) if found.file_type().is_socket() => std::fs::remove_file(&path).map_err(failed)?,
        Ok(_) => {
            let message = format!("{} is there and is not a socket", path.display());
            return Err(Failure::new("socket", message, "move it away"));
        }
        Err(_) => {}
    }
    let listener = UnixListener::bind(&path).map_err(failed)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
    let task = tokio::spawn(accept(listener, door));
    Ok(Listening { path, task })
}

async fn accept(listener: UnixListener, door: Arc<dyn Door>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        // A permit before the connection: who comes when the room is full waits in the kernel's queue.
        let Ok(permit) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let door = Arc::clone(&door);
                tokio::spawn(async move {
                    converse(stream, &*door).await;
                    drop(permit);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "the local socket takes no connection");
                // Out of file descriptors, most likely: give them time to come back.
                Clock::live().sleep(std::time::Duration::from_millis(200)).await;
            }
        }
    }
}

async fn converse(stream: UnixStream, door: &dyn Door) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    let mut limited = (&mut stream).take(ASK_BYTES_MAX as u64);
    let read = Clock::live().timeout(ASK_TIMEOUT, limited.read_until(b'\n', &mut line)).await;
    let asked = match read {
        Some(Ok(_)) => serde_json::from_slice::<Ask>(&line).map_err(|error| error.to_string()),
        Some(Err(error)) => Err(error.to_string()),
        None => Err(format!("no question within {} s", ASK_TIMEOUT.as_secs())),
    };
    let document = match asked {
        Ok(Ask::Mcp) => return door.mcp(stream).await,
        Ok(ask) => door.answer(ask).await,
        Err(why) => Failure::new("usage", format!("not a question: {why}"), "").to_json(),
    };
    // A client that went away before its answer is no trouble of ours.
    let _ = stream.write_all(document.to_string().as_bytes()).await;
    let _ = stream.shutdown().await;
}
