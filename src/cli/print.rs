//! The answer path: the only place that writes to stdout. A reader that went away (`stormbell ... | head`) ends the
//! answer quietly.
//!
//! Boundaries: ✓ bytes to stdout. ✗ no wording, no judgement.

use serde_json::Value;
use std::io::{self, Write};
use std::sync::OnceLock;

/// Why stdout took no more, where that was not a reader that went away: the first reason.
static FAILED: OnceLock<String> = OnceLock::new();

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
    noted(write_line(&mut anstream::stdout().lock(), text.as_bytes()))
}

/// Writes one JSON document over several lines.
pub fn document(value: &Value) -> Reader {
    // `{:#}` of a `Value` is its indented JSON and cannot fail.
    noted(write_line(&mut io::stdout().lock(), format!("{value:#}").as_bytes()))
}

/// Writes one JSON object on one line.
pub fn json_line(value: &Value) -> Reader {
    noted(write_line(&mut io::stdout().lock(), value.to_string().as_bytes()))
}

/// Stdout as a stream of bytes, for the bridge of `mcp` to a running process.
pub fn pipe() -> tokio::io::Stdout {
    tokio::io::stdout()
}

/// Why the answer is not whole although somebody waits for it (a full disk): the command has then failed.
pub fn failure() -> Option<&'static str> {
    FAILED.get().map(String::as_str)
}

/// Keeps the reason of a write that failed, for the command's end.
pub fn noted(written: io::Result<()>) -> Reader {
    match written {
        Ok(()) => return Reader::Listening,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        // The first reason is the one told.
        Err(error) => drop(FAILED.set(error.to_string())),
    }
    Reader::Gone
}

fn write_line(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(bytes).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Refusing(io::ErrorKind);
    impl Write for Refusing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_quiet_a_full_disk_is_not_and_a_line_is_one_line() {
        let mut out = Vec::new();
        assert_eq!(noted(write_line(&mut out, b"x")), Reader::Listening);
        assert_eq!(out, b"x\n");
        assert_eq!(noted(write_line(&mut Refusing(io::ErrorKind::BrokenPipe), b"x")), Reader::Gone);
        assert_eq!(failure(), None);
        assert_eq!(noted(write_line(&mut Refusing(io::ErrorKind::StorageFull), b"x")), Reader::Gone);
        assert!(failure().is_some());
    }
}
