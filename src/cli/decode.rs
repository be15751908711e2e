//! `debug decode SOURCE FILE`: what is seen in a file, by the same decoders that the sources use.
//!
//! Boundaries: ✓ reads one file, picks the decoder, prints. ✗ no decoding of its own.

use crate::cli::args::DecodeArgs;
use crate::cli::fail::Failure;
use crate::cli::print;
use crate::cli::table;
use crate::cli::{decode_glm, decode_level2, decode_lsr, decode_mrms, decode_nws, decode_rap, decode_spc};
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

/// Largest file read: the largest upstream file that a source reads is below 20 MB.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The sources whose files can be described.
const KNOWN: [&str; 7] = ["nws", "mrms", "spc", "rap", "lsr", "glm", "level2"];

/// Describes a file. Exit code 1 when it cannot be read at all.
///
/// # Errors
/// An unknown SOURCE, or a file that is not there or too large.
pub fn run(args: &DecodeArgs, json: bool) -> Result<ExitCode, Failure> {
    if !KNOWN.contains(&args.source.as_str()) {
        let message = format!("SOURCE {:?} is not known: use {}", args.source, KNOWN.join(", "));
        return Err(Failure::usage(message, ""));
    }
    let bytes = read(&args.file)?;
    let name = args.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut described = describe(args, &name, &bytes);
    if let (true, Value::Object(described)) = (args.at.is_some(), &mut described) {
        // The figure really used, also where another was asked for.
        described.insert("radius_km".to_owned(), json!(args.radius_km.km));
        described.insert("radius_clamped".to_owned(), json!(args.radius_km.clamped));
    }
    if json {
        print::document(&described);
    } else {
        print::line(&text(&described));
    }
    Ok(if described["ok"] == true { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn describe(args: &DecodeArgs, name: &str, bytes: &[u8]) -> Value {
    match args.source.as_str() {
        "mrms" => decode_mrms::describe(name, bytes, args.at, args.radius_km.km),
        "spc" => decode_spc::describe(name, bytes, args.at),
        "lsr" => decode_lsr::describe(name, bytes, args.at, args.radius_km.km),
        "rap" => decode_rap::describe(name, bytes, args.at),
        "glm" => decode_glm::describe(name, bytes, args.at, args.radius_km.km),
        "level2" => decode_level2::describe(name, bytes, args.at),
        // `run` lets no other name through.
        _ => decode_nws::describe(name, bytes, args.at, Some(args.radius_km.km), args.at_utc),
    }
}

/// Reads a file for a description: a regular one, of bounded size.
///
/// # Errors
/// Not there, not a regular file, too large.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error: std::io::Error| Failure::new("file", format!("FILE {}: {error}", path.display()), "");
    // Before opening: a named pipe would wait for its writer for ever, a device would never end.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(Failure::new("file", format!("FILE {}: not a regular file", path.display()), ""));
    }
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let message = format!("FILE {} has more than {FILE_BYTES_MAX} bytes", path.display());
        return Err(Failure::new("file", message, ""));
    }
    Ok(bytes)
}

/// The description for a person: one line a field, one a row of a list.
fn text(described: &Value) -> String {
    let Value::Object(fields) = described else { return table::cell(Some(described)) };
    let mut lines = Vec::new();
    for (key, value) in fields {
        match value {
            Value::Array(rows) => {
                lines.push(format!("{key}: {}", rows.len()));
                lines.extend(rows.iter().map(|row| format!("  {}", row_text(row))));
            }
            Value::Object(_) => lines.push(format!("{key}: {}", row_text(value))),
            other => lines.push(format!("{key}: {}", table::cell(Some(other)))),
        }
    }
    lines.join("\n")
}

/// The plain fields of an object on one line; what is nested deeper is left to `--json`.
fn row_text(row: &Value) -> String {
    let Value::Object(fields) = row else { return table::cell(Some(row)) };
    let plain = fields.iter().filter(|(_, value)| !value.is_null() && !value.is_array());
    let parts: Vec<String> = plain
        .map(|(key, value)| match value {
            Value::Object(_) => format!("{key} ({})", row_text(value)),
            other => format!("{key} {}", table::cell(Some(other))),
        })
        .collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(source: &str, file: &Path) -> DecodeArgs {
        DecodeArgs {
            source: source.to_owned(),
            file: file.to_owned(),
            at: None,
            radius_km: super::super::parse::radius_km("40").unwrap(),
            at_utc: None,
        }
    }

    #[test]
    fn unknown_sources_and_missing_files_are_named() {
        let failure = run(&args("sonar", Path::new("x")), true).unwrap_err();
        assert!(failure.exit == 2 && failure.message.contains("nws, mrms, spc, rap, lsr, glm, level2"));
        let failure = run(&args("nws", Path::new("no/such/file")), true).unwrap_err();
        assert!(failure.exit == 1 && failure.message.contains("no/such/file"));
        for odd in [Path::new("/dev/zero"), &std::env::temp_dir()] {
            let failure = run(&args("mrms", odd), true).unwrap_err();
            assert!(failure.exit == 1 && failure.message.contains("not a regular file"), "{failure}");
        }
    }

    #[test]
    fn a_description_reads_as_lines() {
        let shown =
            text(&json!({"ok": true, "max": {"value": 24.7, "lat": 40.4}, "warnings": [{"event": "X", "id": null}]}));
        assert!(
            shown.contains("max: ") && shown.contains("value 24.7") && shown.contains("warnings: 1\n  event X"),
            "{shown}"
        );
    }
}
