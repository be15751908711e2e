//! The asking side of the local socket.

use super::{ANSWER_BYTES_MAX, ANSWER_TIMEOUT, block_on, document_of, line_of, socket_path};
use crate::cli::answers::Ask;
use crate::cli::fail::Failure;
use crate::cli::print;
use crate::clock::Clock;
use serde_json::Value;
use std::io::ErrorKind;
use std::path::Path;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::UnixStream;

/// Why there is no answer.
#[derive(Debug)]
pub struct Unanswered {
    /// For the caller.
    pub failure: Failure,
    /// There is no open socket: the owner is a one-shot command as well, or has not got so far.
    pub nobody_listens: bool,
}

impl From<Failure> for Unanswered {
    fn from(failure: Failure) -> Self {
        Self { failure, nobody_listens: false }
    }
}

/// Asks the process that owns `data_dir` (its id, if known, is for the error).
///
/// # Errors
/// `in_use` when that process does not answer.
pub fn ask(data_dir: &Path, owner_pid: Option<u32>, ask: &Ask) -> Result<Value, Unanswered> {
    let path = socket_path(data_dir)?;
    let line = line_of(ask)?;
    let answer = block_on(Clock::live().timeout(ANSWER_TIMEOUT, exchange(&path, &line)))?;
    match answer {
        Some(Ok(bytes)) => Ok(document_of(&bytes)?),
        Some(Err(error)) => Err(Unanswered {
            failure: silent(owner_pid, &error.to_string()),
            nobody_listens: matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused),
        }),
        None => Err(silent(owner_pid, "no answer in time").into()),
    }
}

fn silent(owner_pid: Option<u32>, why: &str) -> Failure {
    let owner = owner_pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
    let message = format!("the data directory is in use by {owner}, which does not answer on its socket: {why}");
    Failure::new("in_use", message, "stop that process, or use another --data-dir")
}

async fn exchange(path: &Path, line: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = UnixStream::connect(path).await?;
    stream.write_all(line).await?;
    stream.shutdown().await?;
    let mut bytes = Vec::new();
    stream.take(ANSWER_BYTES_MAX).read_to_end(&mut bytes).await?;
    Ok(bytes)
}

/// Copies stdin to the running process and its words to stdout, until either ends.
///
/// # Errors
/// `in_use` when that process cannot be reached.
pub fn bridge(data_dir: &Path) -> Result<(), Failure> {
    let path = socket_path(data_dir)?;
    let line = line_of(&Ask::Mcp)?;
    block_on(async {
        let mut stream = UnixStream::connect(&path).await?;
        stream.write_all(&line).await?;
        tracing::info!(socket = %path.display(), "bridging MCP to the running process");
        splice(stream, tokio::io::stdin(), print::pipe()).await
    })?
    .map_err(|error| silent(None, &error.to_string()))
}

/// Both directions. The end of `input` closes our half and waits for the last answers; the end of the other side ends
/// all, although nobody ends `input`.
async fn splice(
    stream: UnixStream,
    mut input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> std::io::Result<()> {
    let (mut from, mut to) = stream.into_split();
    let send = async {
        tokio::io::copy(&mut input, &mut to).await?;
        to.shutdown().await
    };
    let receive = async {
        tokio::io::copy(&mut from, &mut output).await?;
        output.flush().await
    };
    tokio::pin!(send, receive);
    tokio::select! {
        received = &mut receive => received,
        sent = &mut send => {
            sent?;
            receive.await
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) async fn spliced(path: &Path, input: &'static [u8]) -> std::io::Result<Vec<u8>> {
        let mut stream = UnixStream::connect(path).await?;
        stream.write_all(b"{\"ask\":\"mcp\"}\n").await?;
        let mut output = Vec::new();
        splice(stream, input, &mut output).await?;
        Ok(output)
    }

    pub(in super::super) async fn raw(path: &Path, line: &[u8]) -> std::io::Result<Vec<u8>> {
        exchange(path, line).await
    }
}
