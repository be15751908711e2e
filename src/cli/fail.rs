//! How a command fails: one line for a person on stderr, with `--json` also one object on stdout, and an exit code.

use super::print;
use crate::app::AppError;
use crate::desk::DeskError;
use crate::geo::GeoError;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

/// How long a line on stderr is waited for: a reader that does not take it within this is not there.
const COMPLAINED_WITHIN: Duration = Duration::from_secs(1);

/// A failure as the caller sees it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// A word that scripts can branch on.
    pub kind: &'static str,
    /// What is wrong, in one line.
    pub message: String,
    /// What to do about it; empty when there is nothing to say.
    pub hint: String,
    /// 1 failed, 2 wrong usage.
    pub exit: u8,
}

impl Failure {
    /// Failed, exit code 1.
    pub fn new(kind: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: hint.into(), exit: 1 }
    }

    /// A value on the command line that is not accepted, exit code 2.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: "usage", message: message.into(), hint: hint.into(), exit: 2 }
    }

    /// The object that `--json` prints.
    pub fn to_json(&self) -> Value {
        let hint = if self.hint.is_empty() { Value::Null } else { Value::from(self.hint.as_str()) };
        json!({"error": {"kind": self.kind, "message": one_line(&self.message), "hint": hint}})
    }

    /// Tells it and gives the exit code.
    pub fn report(&self, json: bool) -> ExitCode {
        let hint = if self.hint.is_empty() { String::new() } else { format!(" ({})", one_line(&self.hint)) };
        complain(&format!("error: {}{hint}", one_line(&self.message)));
        if json {
            print::document(&self.to_json());
        }
        ExitCode::from(self.exit)
    }
}

/// One line on stderr for a person.
pub fn complain(line: &str) {
    use std::io::Write;
    let line = format!("{line}\n");
    let (written, waits) = std::sync::mpsc::channel();
    // By a thread of its own: where nobody drains a full pipe, a service must go on all the same.
    std::thread::spawn(move || {
        // A closed stderr leaves nobody to tell.
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
        let _ = written.send(());
    });
    let _ = waits.recv_timeout(COMPLAINED_WITHIN);
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl From<GeoError> for Failure {
    fn from(error: GeoError) -> Self {
        Self::usage(error.to_string(), "")
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        let (kind, hint) = match &error {
            AppError::InUse { .. } => ("in_use", "stop that process, or use another --data-dir"),
            AppError::Config { .. } => ("config", "see config/default.toml for every key"),
            AppError::Archive { .. } => ("archive", "nothing was run"),
            AppError::Usage { .. } => return Self::usage(error.to_string(), ""),
            AppError::Damaged { .. } => {
                ("store", "`stormbell debug repair` puts a fresh store with all that can be read in its place")
            }
            AppError::Store { .. } => ("store", ""),
            AppError::NoStore { .. } => ("no_store", "stormbell watch add or serve makes one"),
            AppError::NewerStore { .. } => ("newer_store", "use the newer stormbell, or another --data-dir"),
            AppError::Desk(DeskError::Invalid { .. }) => ("invalid", ""),
            AppError::Desk(DeskError::Limit { .. }) => ("limit", "remove a watch point first"),
            AppError::Desk(DeskError::Store(_)) => ("store", ""),
            AppError::NotFound { .. } => ("not_found", "`stormbell watch list` shows the ids"),
            AppError::Running(_) => ("failed", ""),
        };
        Self::new(kind, error.to_string(), hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoreError;

    #[test]
    fn an_error_is_one_line_and_one_object() {
        let failure = Failure::from(AppError::InUse { pid: Some(41) });
        assert_eq!(failure.exit, 1);
        let json = Failure::new("x", "two\nlines", "").to_json();
        assert_eq!(json["error"]["message"], "two lines");
        assert!(json["error"]["hint"].is_null());
        assert_eq!(failure.to_json()["error"]["kind"], "in_use");
    }

    #[test]
    fn only_a_damaged_store_is_sent_to_repair() {
        let full = Failure::from(AppError::from(StoreError::Failed { why: "No space left on device".to_owned() }));
        assert!(full.kind == "store" && !full.hint.contains("repair"), "{full:?}");
        let (dir, why, hint) = ("d".into(), "cut".to_owned(), String::new());
        let damaged = Failure::from(AppError::from(StoreError::Corrupt { dir, why, hint }));
        assert!(damaged.kind == "store" && damaged.hint.contains("repair"), "{damaged:?}");
    }
}
