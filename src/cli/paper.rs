//! Where a picture goes: a file that is written whole or not at all, and the document that says what was drawn.

use crate::cli::fail::Failure;
use crate::cli::print;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::NamedTempFile;

/// Looks whether a picture could be written there, before anything is asked for it.
///
/// # Errors
/// As `write`.
pub fn check(file: &Path) -> Result<(), Failure> {
    beside(file).map(drop)
}

/// Writes a picture beside its place and moves it there.
///
/// # Errors
/// The folder is not there or cannot be written; an old picture is then left as it was.
pub fn write(file: &Path, png: &[u8]) -> Result<(), Failure> {
    let mut beside = beside(file)?;
    beside.write_all(png).map_err(|error| failed(file, &error))?;
    beside.persist(file).map(drop).map_err(|error| failed(file, &error.error))
}

/// A file in the same folder, that is gone again unless it is moved.
fn beside(file: &Path) -> Result<NamedTempFile, Failure> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A device, a pipe or a link would be replaced by the picture, not written to.
    if std::fs::symlink_metadata(file).is_ok_and(|there| !there.is_file()) {
        return Err(failed(file, &io::Error::other("something that is not a regular file is there")));
    }
    if !folder.is_dir() {
        return Err(failed(file, &io::Error::other(format!("there is no folder {}", folder.display()))));
    }
    // As readable as any file that this person makes: the umask is taken off. Temporary files are otherwise for the owner alone.
    let readable = std::fs::Permissions::from_mode(0o666);
    tempfile::Builder::new().permissions(readable).tempfile_in(folder).map_err(|error| failed(file, &error))
}

fn failed(file: &Path, error: &io::Error) -> Failure {
    let message = format!("{} cannot be written: {error}", file.display());
    Failure::new("file", message, "give --png a file in a folder that is there and may be written")
}

/// Tells what was drawn: a document with `facts` in it, or a line for a person.
pub fn tell(file: &Path, png: &[u8], (width, height): (u32, u32), facts: Value, json: bool) {
    let bytes = png.len();
    if json {
        let mut told = json!({"file": file.display().to_string(), "width": width, "height": height, "bytes": bytes});
        if let (Value::Object(told), Value::Object(facts)) = (&mut told, facts) {
            told.extend(facts);
        }
        print::document(&told);
    } else {
        print::line(&format!("{}: {width} x {height} pixels, {bytes} bytes", file.display()));
    }
}
