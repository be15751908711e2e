//! The answer path: the only place that writes to stdout. A reader that went away (`stormbell ... | head`) ends the
//! answer quietly.
//!
//! Boundaries: ✓ bytes to stdout. ✗ no wording, no judgement.

use serde_json::Value;
use std::io::{self, Write};

/// Whether there is still somebody to print for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Go on.
    Listening,
    /// The pipe is closed: stop quietly.
    Gone,
}

/// Writes one line of text, in colour where stdout is a terminal that wants it.
pub fn line(text: &str) -> Reader {
    write_line(&mut anstream::stdout().lock(), text.as_bytes())
}

/// Writes one JSON document over several lines.
pub fn document(value: &Value) -> Reader {
    // `{:#}` of a `Value` is its indented JSON and cannot fail.
    write_line(&mut io::stdout().lock(), format!("{value:#}").as_bytes())
}

/// Writes one JSON object on one line.
pub fn json_line(value: &Value) -> Reader {
    write_line(&mut io::stdout().lock(), value.to_string().as_bytes())
}

/// Stdout as a stream of bytes, for the bridge of `mcp` to a running process.
pub fn pipe() -> tokio::io::Stdout {
    tokio::io::stdout()
}

fn write_line(out: &mut impl Write, bytes: &[u8]) -> Reader {
    let written = out.write_all(bytes).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    match written {
        Ok(()) => Reader::Listening,
        Err(error) => {
            if error.kind() != io::ErrorKind::BrokenPipe {
                tracing::warn!(%error, "stdout takes no more");
            }
            Reader::Gone
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_quiet_and_a_line_is_one_line() {
        assert_eq!(write_line(&mut Closed, b"x"), Reader::Gone);
        let mut out = Vec::new();
        assert_eq!(write_line(&mut out, b"x"), Reader::Listening);
        assert_eq!(out, b"x\n");
    }
}
