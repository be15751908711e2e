//! The debug tables for a person: which columns of which answer.

use crate::cli::args::Table;
use crate::cli::print;
use crate::cli::table::{self, Column};
use serde_json::Value;

/// Prints one table from the document that answers it, wherever it came from.
pub fn show(which: Table, answer: &Value) {
    let _ = print::line(&text(which, answer));
}

/// The table as text.
pub fn text(which: Table, answer: &Value) -> String {
    let Some(content) = answer.get(which.as_str()) else { return "no answer".to_owned() };
    match content {
        Value::Array(rows) => table::lay_out(rows, columns(which), &format!("{}: nothing", which.as_str())),
        Value::Object(figures) => figures
            .iter()
            .map(|(key, value)| format!("{key:<28} {}", table::cell(Some(value))))
            .collect::<Vec<_>>()
            .join("\n"),
        other => table::cell(Some(other)),
    }
}

fn columns(which: Table) -> &'static [Column] {
    match which {
        Table::State => &[],
        Table::Points => &[
            ("id", "/id"),
            ("name", "/name"),
            ("lat", "/lat"),
            ("lon", "/lon"),
            ("min level", "/min_level"),
            ("addresses", "/addresses"),
            ("time zone", "/time_zone"),
            ("created", "/created_utc"),
            ("until", "/until_utc"),
        ],
        Table::Levels => &[
            ("watch point", "/watch_point"),
            ("name", "/name"),
            ("level", "/level"),
            ("since", "/since_utc"),
            ("held", "/held"),
            ("reasons", "/reasons"),
            ("blind spots", "/blind_spots"),
        ],
        Table::Journal => &[
            ("no", "/number"),
            ("at", "/at_utc"),
            ("watch point", "/watch_point"),
            ("from", "/from"),
            ("to", "/to"),
            ("cause", "/cause"),
            ("reasons", "/reasons"),
            ("ended", "/ended"),
        ],
        Table::Outbox => &[
            ("no", "/number"),
            ("decided", "/decided_utc"),
            ("channel", "/channel"),
            ("to", "/to"),
            ("reason", "/reason"),
            ("level", "/level"),
            ("tries", "/attempts"),
            ("not before", "/not_before_utc"),
            ("last error", "/last_error"),
        ],
        Table::Ledger => &[
            ("no", "/number"),
            ("settled", "/settled_utc"),
            ("channel", "/channel"),
            ("to", "/to"),
            ("reason", "/reason"),
            ("level", "/level"),
            ("outcome", "/outcome"),
            ("tries", "/attempts"),
            ("detail", "/detail"),
        ],
        Table::Held => &[
            ("stands", "/stands"),
            ("due", "/due_utc"),
            ("held by", "/held_by"),
            ("decided", "/decided_utc"),
            ("watch point", "/watch_point"),
            ("reason", "/reason"),
            ("level", "/level"),
            ("subject", "/subject"),
        ],
        Table::Latency => &[
            ("stage", "/stage"),
            ("deliveries", "/count"),
            ("p50 s", "/p50_s"),
            ("p90 s", "/p90_s"),
            ("p99 s", "/p99_s"),
            ("max s", "/max_s"),
        ],
        Table::Cursors => &[("source", "/source"), ("cursor", "/cursor")],
        Table::Sources => &[
            ("source", "/source"),
            ("last poll", "/last_poll_utc"),
            ("last good", "/last_good_utc"),
            ("failures in a row", "/consecutive_failures"),
            ("faults", "/faults_total"),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_table_prints_rows_and_says_when_there_are_none() {
        let tables = [Table::Points, Table::Levels, Table::Journal, Table::Outbox, Table::Ledger, Table::Held];
        for which in tables.into_iter().chain([Table::Latency, Table::Cursors]) {
            assert!(text(which, &json!({which.as_str(): []})).contains("nothing"));
            assert!(!columns(which).is_empty());
        }
        let answer = json!({"levels": [{"watch_point": "wp_1", "level": "extreme", "reasons": [{"text": "tornado"}]}]});
        let shown = text(Table::Levels, &answer);
        assert!(shown.contains("wp_1") && shown.contains("tornado"), "{shown}");
        assert!(text(Table::State, &json!({"state": {"points": 3}})).contains("points"));
    }
}
