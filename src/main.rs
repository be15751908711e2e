//! The `stormbell` program: parse, log to stderr, dispatch, exit code. stdout belongs to answers and protocol.

use std::io::{IsTerminal, stderr};
use std::process::ExitCode;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

/// Log lines that wait for a slow reader; what is more is lost. Some megabytes, an hour of a feed in trouble.
const LINES_WAITING_MAX: usize = 10_000;

fn main() -> ExitCode {
    let mut logs = None;
    let code = stormbell::cli::run(std::env::args_os(), |level| logs = Some(start_logging(level)));
    // What still waits is written now.
    drop(logs);
    code
}

/// `STORMBELL_LOG`, else `RUST_LOG`, else `level` for our own records and warnings from the rest; of sled warnings whatever is
/// asked for. It traces while its threads come apart, when there is nothing left to write a record with, and that aborts the
/// process. Its complaint about its own settings being cloned is about nothing.
///
/// A thread of its own writes: a watch must not stand still, or die, because nobody reads its log any more.
fn start_logging(level: &str) -> WorkerGuard {
    let asked = ["STORMBELL_LOG", "RUST_LOG"].into_iter().find_map(|name| std::env::var(name).ok());
    let asked = asked.unwrap_or_else(|| format!("warn,stormbell={level}"));
    let filter = EnvFilter::new(format!("{asked},sled=warn,sled::config=off"));
    let (lines, guard) =
        NonBlockingBuilder::default().lossy(true).buffered_lines_limit(LINES_WAITING_MAX).finish(stderr());
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(lines).log_internal_errors(false);
    // Fails only when a subscriber is there already, and then it stays.
    let _ = logs.with_ansi(stderr().is_terminal()).try_init();
    guard
}
