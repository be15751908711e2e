//! The connections below the HTTP door: how many there may be, and how long one may take to say what it wants and to take its
//! answer. Whoever connects and says nothing, or half of it, or does not listen, is hung up on: else a few hundred such would
//! shut every door.

use super::HttpError;
use crate::clock::Clock;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

/// Most connections at once, open streams included; never more than half of the files that the system lets the process have:
/// the feeds and the store need theirs whatever comes in at the door.
pub const CONNECTIONS_MAX: usize = 1024;
/// Open files asked for at the start, where the system gives fewer: usual are 1,024, on macOS 256.
const FILES_WANTED: u64 = 4096;
/// Open files reckoned with where the system does not say.
const FILES_ASSUMED: u64 = 256;
/// Within this the head of a request must be there; as long, nothing may be asked on a connection that is kept.
pub const HEAD_WITHIN: Duration = Duration::from_secs(30);
/// Within this a part of an answer must be taken. An event stream sends something more often and may last for ever.
const TAKEN_WITHIN: Duration = Duration::from_secs(30);
/// Largest head of a request, bytes: its lines are a few hundred, a token and a cookie among them.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// How long answers under way are waited for when the door closes.
const LEAVE_WITHIN: Duration = Duration::from_secs(10);
/// After a failure to accept that is not the client's: no file is left, or no memory.
const ACCEPT_AGAIN: Duration = Duration::from_secs(1);

/// Serves until `shutdown` is cancelled; open streams end then.
///
/// # Errors
/// `Serve` when the address of the listener is gone.
pub async fn serve(listener: TcpListener, router: Router, shutdown: CancellationToken) -> Result<(), HttpError> {
    listener.local_addr()?;
    let places = Arc::new(Semaphore::new(places()));
    let ending = GracefulShutdown::new();
    let clock = Clock::live();
    while let Some(accepted) = shutdown.run_until_cancelled(next(&listener, &places)).await {
        let (stream, place) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_of_client(&error) => continue,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken; tried again in a second");
                clock.sleep(ACCEPT_AGAIN).await;
                continue;
            }
        };
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN).max_buf_size(HEAD_BYTES_MAX);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(TAKEN_WITHIN));
        let served = http.serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router.clone()));
        let served = ending.watch(served);
        tokio::spawn(async move {
            // What ends early is the client's affair: it left, or was hung up on.
            if let Err(error) = served.await {
                tracing::debug!(%error, "a connection ended");
            }
            drop(place);
        });
    }
    if clock.timeout(LEAVE_WITHIN, ending.shutdown()).await.is_none() {
        tracing::warn!("connections that did not end in time are cut");
    }
    Ok(())
}

/// How many connections there may be on this system.
fn places() -> usize {
    let files = rlimit::increase_nofile_limit(FILES_WANTED).unwrap_or(FILES_ASSUMED);
    usize::try_from(files / 2).unwrap_or(CONNECTIONS_MAX).min(CONNECTIONS_MAX)
}

/// The next connection, once there is a place for it: until then they wait in the system's queue.
async fn next(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(tokio::net::TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    // Events and short answers are not held back for more to come.
    stream.set_nodelay(true)?;
    Ok((stream, place))
}

/// Whether a client gave up before it was taken.
fn is_of_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, InvalidInput, NotConnected};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | NotConnected | InvalidInput)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    /// More than lies in the buffers of two sockets.
    const ANSWER_BYTES: usize = 64 << 20;

    /// The clock of this test runs ahead while nothing happens.
    #[tokio::test(start_paused = true)]
    async fn who_does_not_take_the_answer_is_hung_up_on() {
        let router = Router::new().route("/", get(|| async { vec![0_u8; ANSWER_BYTES] }));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut deaf = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        tokio::spawn(serve(listener, router, CancellationToken::new()));
        deaf.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        deaf.read_u8().await.unwrap();
        tokio::time::sleep(10 * TAKEN_WITHIN).await;
        let (mut taken, mut part) = (0, vec![0; 1 << 20]);
        while let Ok(read @ 1..) = deaf.read(&mut part).await {
            taken += read;
        }
        assert!(taken < ANSWER_BYTES, "{taken}");
    }
}
