//! Human tables: columns picked out of JSON rows by pointer, laid out by `comfy-table`.
//!
//! Boundaries: ✓ from rows to text. ✗ no printing.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};
use jiff::Timestamp;
use serde_json::Value;

/// Width used when the terminal does not tell its own: the classic one would break every line of a journal.
const WIDTH_DEFAULT: u16 = 120;
/// Longest cell shown, characters; the whole text is in `--json`.
const CELL_CHARS_MAX: usize = 160;

/// Words up to this long are never broken, whatever the width: instants, names of time zones.
const WORD_CHARS_KEPT: u16 = 20;
/// Blanks behind a column.
const GAP: u16 = 2;

/// One column: heading and JSON pointer into a row.
pub type Column = (&'static str, &'static str);

/// Lays rows out; an empty list says so.
pub fn lay_out(rows: &[Value], columns: &[Column], when_empty: &str) -> String {
    if rows.is_empty() {
        return when_empty.to_owned();
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width());
    table.set_header(columns.iter().map(|(heading, _)| *heading));
    for row in rows {
        table.add_row(columns.iter().map(|(_, pointer)| cell(row.pointer(pointer))));
    }
    for (column, (heading, pointer)) in table.column_iter_mut().zip(columns) {
        let cells = rows.iter().map(|row| cell(row.pointer(pointer))).chain([(*heading).to_owned()]);
        let longest = cells.flat_map(|cell| cell.split(' ').map(|word| word.chars().count()).max()).max().unwrap_or(0);
        let room = u16::try_from(longest).unwrap_or(WORD_CHARS_KEPT).min(WORD_CHARS_KEPT);
        column.set_padding((0, GAP)).set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(room + GAP)));
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// `COLUMNS` where a shell exports it.
fn width() -> u16 {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.filter(|columns| *columns >= 40).unwrap_or(WIDTH_DEFAULT)
}

/// A value as a person reads it: lists by their texts, null as a dash. Control characters from outside never reach the
/// terminal.
pub fn cell(value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => whole_seconds(text).unwrap_or_else(|| text.clone()),
        Some(Value::Array(items)) if items.is_empty() => "-".to_owned(),
        Some(Value::Array(items)) => items.iter().map(brief).collect::<Vec<_>>().join("; "),
        Some(Value::Object(_)) => value.map(brief).unwrap_or_default(),
        Some(other) => other.to_string(),
    };
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if clean.chars().count() <= CELL_CHARS_MAX {
        return clean;
    }
    clean.chars().take(CELL_CHARS_MAX - 1).chain(['…']).collect()
}

/// An instant without its fraction, which tells a person nothing and breaks columns.
fn whole_seconds(text: &str) -> Option<String> {
    let at = text.parse::<Timestamp>().ok().filter(|_| text.contains('.'))?;
    Some(at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// The telling part of an object: its text, its source, its address, or all of it.
fn brief(value: &Value) -> String {
    let told = ["/text", "/source", "/to", "/what", "/id"];
    let text = told.iter().find_map(|pointer| value.pointer(pointer)).and_then(Value::as_str);
    match (text, value.as_str()) {
        (Some(text), _) | (None, Some(text)) => text.to_owned(),
        (None, None) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn columns_come_from_pointers_and_lists_by_their_texts() {
        let rows = [json!({"name": "lark", "reasons": [{"text": "hail"}, {"text": "wind"}], "since": null})];
        let text = lay_out(&rows, &[("name", "/name"), ("why", "/reasons"), ("since", "/since")], "none");
        let last = text.lines().last().unwrap();
        assert!(last.contains("lark") && last.contains("hail; wind") && last.ends_with('-'), "{text}");
        assert_eq!(lay_out(&[], &[("name", "/name")], "no watch points"), "no watch points");
    }

    #[test]
    fn words_are_broken_only_where_they_are_too_long_for_any_screen() {
        let columns = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map(|name| (name, "/zone"));
        let text = lay_out(&[json!({"zone": "America/Chicago"})], &columns, "");
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(lay_out(&[json!({"zone": "x".repeat(150)})], &columns, "").lines().count() > 2);
    }

    #[test]
    fn instants_are_told_to_the_second() {
        let row = json!({"at": "2031-05-09T21:02:58.231367216Z", "text": "1.5 in"});
        assert_eq!(cell(row.pointer("/at")), "2031-05-09T21:02:58Z");
        assert_eq!(cell(row.pointer("/text")), "1.5 in");
    }

    #[test]
    fn escape_sequences_from_outside_are_defused_and_long_text_is_cut() {
        let row = json!({"x": format!("\u{1b}[31m{}", "y".repeat(500))});
        let text = cell(row.pointer("/x"));
        assert!(!text.contains('\u{1b}') && text.chars().count() == CELL_CHARS_MAX);
    }
}
