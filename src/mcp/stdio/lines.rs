//! The lines that come in, and what is said where one cannot be taken: rmcp drops what is too long without an answer.

use super::LINE_BYTES_MAX;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How rmcp begins where a request comes before the conversation was opened.
const NOT_OPENED: &str = "request _meta is missing";

/// A reader that measures its lines as they pass, and what it tells of those that are too long. At most one is told for each
/// megabyte that was read.
pub(super) fn measured<R>(inner: R) -> (Measured<R>, UnboundedReceiver<()>) {
    let (too_long, told) = unbounded_channel();
    (Measured { inner, line: Line::default(), too_long }, told)
}

/// See `measured`.
#[derive(Debug)]
pub(super) struct Measured<R> {
    inner: R,
    line: Line,
    too_long: UnboundedSender<()>,
}

/// The line that is being read.
#[derive(Debug, Default)]
struct Line {
    bytes: usize,
    is_told: bool,
}

impl Line {
    /// How many lines become too long with these bytes.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let mut too_long = 0;
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.bytes += part.len();
            if self.bytes > LINE_BYTES_MAX && !self.is_told {
                self.is_told = true;
                too_long += 1;
            }
            if part.ends_with(b"\n") {
                *self = Self::default();
            }
        }
        too_long
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Measured<R> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        ready!(Pin::new(&mut this.inner).poll_read(context, buf))?;
        for _ in 0..this.line.take(buf.filled().get(before..).unwrap_or_default()) {
            // Nobody listens any more only where the conversation is over.
            let _ = this.too_long.send(());
        }
        Poll::Ready(Ok(()))
    }
}

/// A transport that answers lines that are too long, and says to who has not opened the conversation what to do.
#[derive(Debug)]
pub(super) struct Answering<T> {
    inner: T,
    too_long: UnboundedReceiver<()>,
}

impl<T> Answering<T> {
    pub(super) fn new(inner: T, too_long: UnboundedReceiver<()>) -> Self {
        Self { inner, too_long }
    }
}

impl<T: Transport<RoleServer>> Answering<T> {
    fn refuse(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let limit = LINE_BYTES_MAX;
        tracing::warn!(limit, "a line on stdin is longer than the limit: refused, and left out");
        let why = format!("Invalid request: a line has at most {limit} bytes; this one was longer and was not read");
        // Without an id: it stands somewhere in what was not read.
        self.inner.send(TxJsonRpcMessage::<RoleServer>::error(ErrorData::invalid_request(why, None), None))
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Answering<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(with_advice(item))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            tokio::select! {
                biased;
                Some(()) = self.too_long.recv() => {
                    // By itself: this future may be dropped at any await, and half a line must not be.
                    tokio::spawn(self.refuse());
                }
                message = self.inner.receive() => {
                    if message.is_none() && self.too_long.try_recv().is_ok() {
                        // The last that was said was too long: a client that waits for it is told all the same.
                        let _ = self.refuse().await;
                    }
                    return message;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

fn with_advice(item: TxJsonRpcMessage<RoleServer>) -> TxJsonRpcMessage<RoleServer> {
    let JsonRpcMessage::Error(mut said) = item else { return item };
    if said.error.message.starts_with(NOT_OPENED) {
        said.error.message =
            format!("send `initialize` first, or these fields with every request: {}", said.error.message).into();
    }
    JsonRpcMessage::Error(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_too_long_once_however_it_comes() {
        let mut line = Line::default();
        assert_eq!(line.take(b"short\n"), 0);
        let exact = [vec![b'x'; LINE_BYTES_MAX - 1], b"\n".to_vec()].concat();
        assert_eq!(line.take(&exact), 0);
        let told: Vec<usize> = vec![b'x'; 2 * LINE_BYTES_MAX + 1].chunks(1000).map(|chunk| line.take(chunk)).collect();
        assert_eq!(told.iter().sum::<usize>(), 1);
        // Its end, and another long one in the same breath.
        let next = [b"\n".to_vec(), exact, vec![b'y'; LINE_BYTES_MAX + 1]].concat();
        assert_eq!((line.take(&next), line.take(b"y")), (1, 0));
    }
}
