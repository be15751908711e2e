//! The `stormbell` program: parse, log to stderr, dispatch, exit code. stdout belongs to answers and protocol.

use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    stormbell::cli::run(std::env::args_os(), start_logging)
}

/// `STORMBELL_LOG`, else `RUST_LOG`, else `level` for our own records and warnings from the rest. sled's complaint about its
/// own settings being cloned is about nothing.
fn start_logging(level: &str) {
    let asked = ["STORMBELL_LOG", "RUST_LOG"].into_iter().find_map(|name| std::env::var(name).ok());
    let filter = EnvFilter::new(asked.unwrap_or_else(|| format!("warn,sled::config=off,stormbell={level}")));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // Fails only when a subscriber is there already, and then it stays.
    let _ = logs.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).try_init();
}
