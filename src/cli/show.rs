//! Answers of `brief` and `watch` for a person.

use crate::cli::answers::Ask;
use crate::cli::print;
use crate::cli::table;
use crate::threat::DISCLAIMER;
use crate::threat::Level;
use serde_json::Value;

/// The threat brief: level, why, hazards, what cannot be seen.
pub fn brief(envelope: &Value) {
    let _ = print::line(&brief_text(envelope));
}

fn brief_text(envelope: &Value) -> String {
    let field = |pointer: &str| envelope.pointer(pointer);
    let level = table::cell(field("/data/threat_level"));
    let mut lines = vec![format!("threat level: {}", at_least(&level, field("/data/blind_spots")))];
    if let Some(text) = field("/interpretation").and_then(Value::as_str) {
        lines.push(clean(text));
    }
    let items = |pointer| field(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    lines.extend(items("/data/threat_logic").iter().map(|item| format!("  why: {}", table::cell(Some(item)))));
    let unseen: Vec<String> = items("/degraded").iter().map(|item| table::cell(Some(item))).collect();
    if !unseen.is_empty() {
        lines.push(format!("  not seen: {}", unseen.join(", ")));
    }
    let hazards = field("/data/hazards_ranked").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for hazard in hazards.iter().filter(|hazard| hazard["level"] != "none") {
        let (what, level) = (table::cell(hazard.get("hazard")), table::cell(hazard.get("level")));
        lines.push(format!("  hazard: {what} {level} (score {})", table::cell(hazard.get("score"))));
    }
    lines.push(DISCLAIMER.to_owned());
    lines.join("\n")
}

/// A level that may be higher never reads as quiet.
fn at_least(level: &str, blind_spots: Option<&Value>) -> String {
    let spots = blind_spots.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let worst = spots.iter().filter_map(|spot| spot["could_raise_to"].as_str()?.parse::<Level>().ok()).max();
    if worst > level.parse::<Level>().ok() { format!("at least {level}") } else { level.to_owned() }
}

fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}

const OTHERWISE: &str = "`stormbell watch update` changes what it tells, to whom and when.";

/// What became of a `watch` command.
pub fn watch(ask: &Ask, answer: &Value) {
    let _ = print::line(&watch_text(ask, answer));
}

fn watch_text(ask: &Ask, answer: &Value) -> String {
    match ask {
        Ask::WatchAdd { .. } => {
            let id = table::cell(answer.pointer("/point/id"));
            let name = table::cell(answer.pointer("/point/name"));
            let from = table::cell(answer.pointer("/point/min_level"));
            let added = answer.get("added").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let added: Vec<String> = added.iter().filter_map(Value::as_str).map(address).collect();
            let (made, kept) = match (answer["created"] == true, added.as_slice()) {
                (true, _) => ("watching", String::new()),
                (false, []) => ("already watching", format!("\nNothing else was changed: {OTHERWISE}")),
                (false, to) => {
                    ("already watching", format!("\nAdded: {}. Nothing else was changed: {OTHERWISE}", to.join(", ")))
                }
            };
            let addresses = answer.pointer("/point/addresses").and_then(Value::as_array).map(Vec::as_slice);
            let to: Vec<&str> = addresses.unwrap_or_default().iter().filter_map(|at| at["to"].as_str()).collect();
            let waiting = answer.get("waiting").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let told = match to.as_slice() {
                [] if waiting.is_empty() => {
                    "to MCP subscribers and the journal only: it has no --email and no --web-push".to_owned()
                }
                [] => "to MCP subscribers and the journal for now".to_owned(),
                to => format!("to {}", to.iter().map(|to| address(to)).collect::<Vec<_>>().join(", ")),
            };
            let waiting: String =
                waiting.iter().map(|row| format!("\n{}", table::cell(row.get("what_to_do")))).collect();
            format!(
                "{made} {name} ({id}), telling from {from} up, {told}{kept}{waiting}\n\
                 It is watched, and mail goes out, while `stormbell serve` or `stormbell mcp` runs."
            )
        }
        Ask::WatchConfirm { .. } if answer["already"] == true => {
            format!("{} is confirmed already: notices go there", table::cell(answer.get("confirmed")))
        }
        Ask::WatchConfirm { .. } => {
            format!("{} is confirmed: notices go there from now on", table::cell(answer.get("confirmed")))
        }
        Ask::WatchRemove { .. } => format!("removed {}", table::cell(answer.get("removed"))),
        Ask::WatchUpdate { .. } => changed("changed", answer),
        Ask::WatchAck { .. } => match answer.pointer("/point/acknowledged/level").and_then(Value::as_str) {
            Some(level) => format!(
                "noted: nothing up to {level} is told again of this episode of {}; a new maximum is",
                table::cell(answer.pointer("/point/name"))
            ),
            None => "there is nothing to acknowledge: no episode is under way".to_owned(),
        },
        Ask::WatchTest { .. } => {
            let sent = answer.pointer("/test/sent_to").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let to: Vec<String> = sent.iter().filter_map(|to| to["to"].as_str()).map(address).collect();
            match to.as_slice() {
                [] => "nothing was sent: the point has no proven address".to_owned(),
                to => format!(
                    "a test is on its way to {}; what becomes of it: `stormbell debug ledger` (told, refused), `debug outbox` \
                     (waits, and why)",
                    to.join(", ")
                ),
            }
        }
        _ => {
            let rows = answer.get("points").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let told = |row: &Value| {
                let level = at_least(&table::cell(row.get("level")), row.get("blind_spots"));
                let mut row = row.clone();
                row["told_level"] = level.into();
                row
            };
            let rows: Vec<Value> = rows.iter().map(told).collect();
            let columns = [
                ("id", "/id"),
                ("name", "/name"),
                ("lat", "/lat"),
                ("lon", "/lon"),
                ("min level", "/min_level"),
                ("level", "/told_level"),
                ("since", "/since_utc"),
                ("blind spots", "/blind_spots"),
            ];
            table::lay_out(&rows, &columns, "no watch points; `stormbell watch add NAME LAT LON` makes one")
        }
    }
}

/// What became of an `owner` command.
pub fn owner(ask: &Ask, answer: &Value) {
    let _ = print::line(&owner_text(ask, answer));
}

fn owner_text(ask: &Ask, answer: &Value) -> String {
    let cell = |pointer: &str| table::cell(answer.pointer(pointer));
    match ask {
        Ask::OwnerAdd { .. } | Ask::OwnerRenew { .. } => format!(
            "{} ({})\ntoken: {}\nlogin: {}\nThis is shown once. An MCP client sends `Authorization: Bearer TOKEN`.",
            cell("/owner/name"),
            cell("/owner/id"),
            cell("/token"),
            cell("/login_url")
        ),
        Ask::OwnerRevoke { .. } => {
            let kept = match answer.pointer("/revoked/watch_points").and_then(Value::as_u64) {
                None | Some(0) => String::new(),
                Some(points) => format!(
                    "\nTheir watch points ({points}) stay watched, with their notices; `stormbell owner renew` gives them \
                     a new token."
                ),
            };
            format!("the token of {} ({}) opens nothing any more{kept}", cell("/revoked/name"), cell("/revoked/id"))
        }
        _ => {
            let rows = answer.get("owners").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let columns = [
                ("id", "/id"),
                ("name", "/name"),
                ("added", "/created_utc"),
                ("revoked", "/revoked_utc"),
                ("watch points", "/watch_points"),
            ];
            table::lay_out(rows, &columns, "no owners; `stormbell owner add NAME` makes one")
        }
    }
}

/// An address for a person.
fn address(to: &str) -> String {
    if to.is_empty() { "all browsers with push switched on".to_owned() } else { clean(to) }
}

/// What stands after a change.
fn changed(verb: &str, answer: &Value) -> String {
    let cell = |pointer: &str| table::cell(answer.pointer(pointer));
    let given = |pointer: &str| answer.pointer(pointer).filter(|value| !value.is_null());
    let mut text =
        format!("{verb} {} ({}), telling from {} up", cell("/point/name"), cell("/point/id"), cell("/point/min_level"));
    for (what, pointer) in [
        ("quiet hours", "/point/quiet_hours"),
        ("snoozed until", "/point/snooze_until_utc"),
        ("watched until", "/point/until_utc"),
    ] {
        text.push_str(
            &given(pointer).map(|value| format!(", {what} {}", table::cell(Some(value)))).unwrap_or_default(),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_brief_says_the_level_the_reasons_and_what_is_not_seen() {
        let envelope = json!({"data": {"threat_level": "extreme", "threat_logic": ["inside a tornado warning"],
            "hazards_ranked": [{"hazard": "tornado", "level": "extreme", "score": 90},
                {"hazard": "hail", "level": "none", "score": 0}]},
            "interpretation": "Take cover.", "degraded": ["mrms-vil"]});
        let text = brief_text(&envelope);
        for part in ["threat level: extreme", "inside a tornado warning", "not seen: mrms-vil", "score 90", DISCLAIMER]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("hail"));
    }

    #[test]
    fn watch_commands_say_what_they_did() {
        let ask = Ask::WatchAdd {
            name: "lark".to_owned(),
            lat: 37.7,
            lon: -98.2,
            min_level: crate::threat::Level::Elevated,
            emails: vec![],
            web_push: false,
            quiet_hours: None,
            until_utc: None,
        };
        let answer = json!({"created": false, "point": {"id": "wp_1", "name": "lark", "min_level": "elevated"}});
        assert!(watch_text(&ask, &answer).starts_with("already watching lark (wp_1)"));
        let answer = json!({"created": false, "added": ["me@example.org", ""], "point": {"id": "wp_1", "name": "lark",
            "min_level": "elevated", "addresses": [{"to": ""}]}, "waiting": [{"what_to_do": "me@example.org waits."}]});
        let text = watch_text(&ask, &answer);
        assert!(text.contains("\nAdded: me@example.org, all browsers with push switched on. Nothing else"), "{text}");
        assert!(text.contains("\nme@example.org waits."), "{text}");
        assert!(watch_text(&Ask::WatchList, &json!({"points": []})).contains("watch add"));
    }
}
