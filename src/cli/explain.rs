//! An explanation for a person: the sentences, then the entry that made the level with its reasons and notices, a line each.

use crate::cli::{print, table};
use crate::threat::DISCLAIMER;
use serde_json::Value;

/// Prints the envelope of explain_watch_point.
pub fn show(envelope: &Value) {
    let _ = print::line(&text(envelope));
}

fn text(envelope: &Value) -> String {
    let cell = |value: &Value, key: &str| whole(value.pointer(key));
    let mut lines = vec![whole(envelope.get("interpretation"))];
    if let Some(made_by) = envelope.pointer("/data/made_by").filter(|made_by| !made_by.is_null()) {
        lines.push(format!("entry {} of the journal, {}:", cell(made_by, "/number"), moved(made_by)));
        lines.extend(change(made_by));
        if let Some(end) = made_by.get("at_the_end").filter(|end| !end.is_null()) {
            lines.push(format!("  as it stood at {}:", cell(end, "/at_utc")));
            lines.extend(list(end, "reasons").iter().map(|reason| format!("  {}", reason_line("stands", reason))));
        }
        let telling = |key: &str| whole(made_by.pointer(&format!("/telling/{key}")));
        let wanted =
            [("told from", "min_level"), ("quiet hours", "quiet_hours"), ("snoozed until", "snooze_until_utc")];
        let mut then: Vec<String> = wanted
            .iter()
            .filter(|(_, key)| !made_by.pointer(&format!("/telling/{key}")).is_none_or(Value::is_null))
            .map(|(what, key)| format!("{what} {}", telling(key)))
            .collect();
        if let Some(minutes) = made_by["hold_minutes"].as_i64() {
            then.push(format!("a lower level lasts {minutes} min first"));
        }
        if !then.is_empty() {
            lines.push(format!("  wanted then: {}", then.join(", ")));
        }
    }
    let others = list(&envelope["data"], "other_changes");
    lines.extend(others.iter().map(|other| format!("also {}: {}", moved(other), cell(other, "/telling/text"))));
    lines.push(DISCLAIMER.to_owned());
    lines.join("\n")
}

/// A value for a person, never cut: an explanation without its end explains nothing. Control characters from outside never
/// reach the terminal.
fn whole(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect(),
        other => table::cell(other),
    }
}

fn moved(change: &Value) -> String {
    let cell = |key| whole(change.get(key));
    format!("{} {} -> {} ({})", cell("at_utc"), cell("from"), cell("to"), cell("cause"))
}

fn change(change: &Value) -> Vec<String> {
    let mut lines: Vec<String> = list(change, "reasons").iter().map(|reason| reason_line("why", reason)).collect();
    lines.extend(list(change, "ended").iter().map(|reason| reason_line("ended", reason)));
    for spot in list(change, "blind_spots") {
        let cell = |key| whole(spot.get(key));
        lines.push(format!(
            "  not seen: {}, {}; could have meant {}",
            cell("source"),
            cell("why"),
            cell("could_raise_to")
        ));
    }
    lines.push(format!("  telling: {}", whole(change.pointer("/telling/text"))));
    lines
}

fn reason_line(what: &str, reason: &Value) -> String {
    let cell = |key| whole(reason.get(key));
    let held = reason["why_held"].as_str().map(|_| format!("; held: {}", cell("why_held"))).unwrap_or_default();
    let says = reason["says"].as_str().map(|_| format!(" - {}", cell("says"))).unwrap_or_default();
    let place = match (reason["distance_km"].as_f64(), reason["direction"].as_str()) {
        (Some(_), Some(_)) => format!(", {} km {}", cell("distance_km"), cell("direction")),
        (Some(_), None) => format!(", {} km", cell("distance_km")),
        (None, _) => String::new(),
    };
    format!(
        "  {what}: {} {}{held}\n      rule {}{says}\n      evidence {} ({}) of {}, {} s old then{place}",
        cell("level"),
        cell("text"),
        cell("rule"),
        cell("evidence_id"),
        cell("source"),
        cell("observed_utc"),
        cell("age_s"),
    )
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_is_cut_and_no_control_character_gets_through() {
        let long = format!("{}\u{1b}[31m the end", "x".repeat(500));
        let said = text(&json!({"interpretation": long, "data": {"made_by": null, "other_changes": []}}));
        assert!(said.contains("the end") && !said.contains('\u{1b}'), "{said}");
    }

    #[test]
    fn a_person_reads_the_rule_the_evidence_and_what_was_told() {
        let reason = json!({"level": "significant", "text": "a tornado was seen", "rule": "tornado_report",
            "says": "A tornado was reported.", "evidence_id": "1-KEAX", "source": "iem-lsr",
            "observed_utc": "2026-06-10T20:54:00Z", "age_s": 1260, "distance_km": 65.0, "direction": "ENE",
            "why_held": null});
        let made_by = json!({"number": 7, "at_utc": "2026-06-10T21:15:00Z", "from": "none", "to": "significant",
            "cause": "raised", "reasons": [reason], "ended": [], "hold_minutes": 10,
            "blind_spots": [{"source": "mrms-vil", "why": "not heard yet", "could_raise_to": "none"}],
            "telling": {"text": "raised to me@example.org, handed over", "min_level": "elevated"}});
        let envelope =
            json!({"interpretation": "At 21:31 it stood.", "data": {"made_by": made_by, "other_changes": []}});
        let said = text(&envelope);
        for part in [
            "At 21:31 it stood.",
            "entry 7",
            "none -> significant",
            "rule tornado_report - A tornado was reported.",
            "1-KEAX (iem-lsr)",
            "65.0 km ENE",
            "not seen: mrms-vil",
            "told from elevated",
            "lasts 10 min",
            "handed over",
            DISCLAIMER,
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        let quiet = text(&json!({"interpretation": "Quiet.", "data": {"made_by": null, "other_changes": []}}));
        assert_eq!(quiet, format!("Quiet.\n{DISCLAIMER}"));
    }
}
