//! Lays faults over a recorded day: a copy of its folder with lines of your own at the end of the timeline.
//!
//! A later line at the same instant and of the same specificity wins, so lines laid over the day outrank its own.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// A faulted copy of a day. The folder is removed when this is dropped.
pub struct FaultedDay {
    folder: tempfile::TempDir,
}

impl FaultedDay {
    /// The archive's folder, for `Archive::load` or `stormbell replay`.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Appends one more timeline line.
    pub fn line(&self, line: &Value) {
        let timeline = self.path().join("timeline.jsonl");
        let mut text = std::fs::read_to_string(&timeline).expect("the timeline is there");
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line.to_string());
        text.push('\n');
        std::fs::write(&timeline, text).expect("the timeline can be written");
    }

    /// Adds (or replaces) a file that a line can name.
    pub fn file(&self, name: &str, bytes: &[u8]) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be made");
        std::fs::write(path, bytes).expect("the file can be written");
    }

    /// Reads a file of the day, to make a spoiled copy of it.
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path().join(name)).expect("the file is there")
    }
}

/// Copies the archive at `day` and appends `lines` to its timeline.
pub fn lay(day: &Path, lines: &[Value]) -> FaultedDay {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    copy(day, folder.path());
    let faulted = FaultedDay { folder };
    for line in lines {
        faulted.line(line);
    }
    faulted
}

/// A timeline line for an HTTP upstream: `answer` holds `fault`, `status`, `headers`, `file`, whichever are meant.
pub fn http(at: &str, host: &str, path: &str, answer: Value) -> Value {
    merged(serde_json::json!({"at": at, "http": {"host": host, "path": path}}), answer)
}

/// A timeline line for an object; with `{"list_fault": ...}` and a prefix as `key`, for its listing.
pub fn s3(at: &str, bucket: &str, key: &str, answer: Value) -> Value {
    merged(serde_json::json!({"at": at, "s3": {"bucket": bucket, "key": key}}), answer)
}

fn merged(mut line: Value, answer: Value) -> Value {
    let fields = line.as_object_mut().expect("a line is an object");
    fields.extend(answer.as_object().cloned().expect("an answer is an object"));
    line
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("the day's folder can be read") {
        let source: PathBuf = entry.expect("the day's folder can be read").path();
        let target = to.join(source.file_name().expect("an entry has a name"));
        if source.is_dir() {
            std::fs::create_dir_all(&target).expect("a folder can be made");
            copy(&source, &target);
        } else {
            // Not fs::copy: it would carry a recording's read-only bit over, and the timeline is to be written to.
            std::fs::write(&target, std::fs::read(&source).expect("a file can be read"))
                .expect("a file can be written");
        }
    }
}
