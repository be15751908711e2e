//! Scores as a JSON document, and that document as tables.

use super::Scored;
use crate::cli::table;
use crate::mcp::envelope::{rounded, utc};
use crate::storm_report::StormReport;
use crate::threat::verification::{Kind, Score, Spell, StormEvent, Terms};
use serde_json::{Value, json};

/// The whole answer. `reports` are all that were known, near or far.
pub(super) fn document(scored: &[Scored], reports: &[StormReport], terms: Terms) -> Value {
    let total = |pick: fn(&Scored) -> &Vec<Score>| {
        let mut all: Vec<Score> = Vec::new();
        for score in scored.iter().flat_map(pick) {
            match all.iter_mut().find(|sum| sum.level == score.level) {
                Some(sum) => sum.add(score.clone()),
                None => all.push(score.clone()),
            }
        }
        all.iter().map(counts).collect::<Vec<_>>()
    };
    json!({
        "radius_km": terms.radius_km,
        "window_min": terms.window.as_mins(),
        "reports": {
            "known": reports.len(),
            "newest_event_utc": reports.iter().map(|report| report.event_utc).max().map(utc),
            "newest_issued_utc": reports.iter().filter_map(|report| report.issued_utc).max().map(utc),
        },
        "total": {"by_level": total(|scored| &scored.stood), "by_told": total(|scored| &scored.told)},
        "points": scored.iter().map(point).collect::<Vec<_>>(),
    })
}

fn point(scored: &Scored) -> Value {
    let watched = &scored.watched;
    let dark: i64 = watched.stood.dark.iter().map(|dark| dark.from_utc.duration_until(dark.to_utc).as_secs()).sum();
    let number = |kind| scored.events.iter().filter(|event| event.kind == kind).count();
    json!({
        "id": watched.id,
        "name": watched.name,
        "point": {"lat": watched.at.lat(), "lon": watched.at.lon()},
        "from_utc": utc(watched.stood.from_utc),
        "to_utc": utc(watched.stood.to_utc),
        "dark_min": dark / 60,
        "events": {
            "tornado": number(Kind::Tornado), "hail": number(Kind::Hail), "thunderstorm_wind": number(Kind::Wind),
        },
        "by_level": scored.stood.iter().map(in_full).collect::<Vec<_>>(),
        "by_told": scored.told.iter().map(in_full).collect::<Vec<_>>(),
    })
}

fn counts(score: &Score) -> Value {
    let minutes = |lead: jiff::SignedDuration| rounded(lead.as_secs_f64() / 60.0, 1);
    let leads = score.leads();
    json!({
        "level": score.level,
        "events": score.hits.len() + score.misses.len(),
        "hits": score.hits.len(),
        "misses": score.misses.len(),
        "misses_in_the_dark": score.misses_in_the_dark(),
        "verified": score.verified.len(),
        "false_alarms": score.false_alarms.len(),
        "undecided": score.undecided.len(),
        "pod": score.pod().map(|pod| rounded(pod, 2)),
        "far": score.far().map(|far| rounded(far, 2)),
        "csi": score.csi().map(|csi| rounded(csi, 2)),
        "lead_min": leads.map(|leads| json!({
            "median": minutes(leads.median), "min": minutes(leads.min), "max": minutes(leads.max),
        })),
    })
}

/// The counts with everything that was counted.
fn in_full(score: &Score) -> Value {
    let mut full = counts(score);
    let spells = |spells: &[Spell]| spells.iter().map(spell).collect::<Vec<_>>();
    if let Value::Object(full) = &mut full {
        let hits = score.hits.iter().map(|hit| {
            let mut hit_event = event(&hit.event);
            hit_event["lead_s"] = json!(hit.lead.as_secs());
            hit_event
        });
        let misses = score.misses.iter().map(|miss| {
            let mut missed = event(&miss.event);
            missed["in_the_dark"] = json!(miss.in_the_dark);
            missed
        });
        full.insert("hit_events".to_owned(), hits.collect());
        full.insert("missed_events".to_owned(), misses.collect());
        full.insert("false_alarm_spells".to_owned(), json!(spells(&score.false_alarms)));
        full.insert("undecided_spells".to_owned(), json!(spells(&score.undecided)));
    }
    full
}

fn event(event: &StormEvent) -> Value {
    json!({
        "kind": event.kind.as_str(),
        "event_utc": utc(event.at_utc),
        "distance_km": rounded(event.distance_km, 1),
        "place": event.place,
        "product_id": event.product_id,
    })
}

fn spell(spell: &Spell) -> Value {
    json!({"from_utc": utc(spell.from_utc), "to_utc": utc(spell.to_utc), "stands": spell.stands})
}

/// The document as tables.
pub(super) fn text(document: &Value) -> String {
    let cell = |value: &Value, pointer: &str| table::cell(value.pointer(pointer));
    let mut lines = vec![format!(
        "events within {} km; a level counts that stood or had been told within {} min before; {} reports known, newest passed on {}",
        cell(document, "/radius_km"),
        cell(document, "/window_min"),
        cell(document, "/reports/known"),
        cell(document, "/reports/newest_issued_utc"),
    )];
    for point in list(document, "/points") {
        lines.push(String::new());
        lines.push(format!(
            "{}: {} tornado, {} hail, {} thunderstorm wind; watched {} to {}, {} min of it something was unseen",
            cell(point, "/name"),
            cell(point, "/events/tornado"),
            cell(point, "/events/hail"),
            cell(point, "/events/thunderstorm_wind"),
            cell(point, "/from_utc"),
            cell(point, "/to_utc"),
            cell(point, "/dark_min"),
        ));
        lines.push(scores("level that stood", list(point, "/by_level")));
        lines.push(scores("level that was told", list(point, "/by_told")));
        lines.extend(missed(point));
    }
    if list(document, "/points").len() > 1 {
        lines.push(String::new());
        lines.push("all points together".to_owned());
        lines.push(scores("level that stood", list(document, "/total/by_level")));
        lines.push(scores("level that was told", list(document, "/total/by_told")));
    }
    lines.join("\n")
}

fn scores(title: &'static str, rows: &[Value]) -> String {
    let columns = [
        (title, "/level"),
        ("events", "/events"),
        ("hits", "/hits"),
        ("misses", "/misses"),
        ("in the dark", "/misses_in_the_dark"),
        ("verified", "/verified"),
        ("false alarms", "/false_alarms"),
        ("open", "/undecided"),
        ("POD", "/pod"),
        ("FAR", "/far"),
        ("CSI", "/csi"),
        ("lead min", "/lead_min/min"),
        ("median", "/lead_min/median"),
        ("max", "/lead_min/max"),
    ];
    table::lay_out(rows, &columns, "no scores")
}

/// What a person asks next: which event was missed, which spell was a false alarm.
fn missed(point: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for score in list(point, "/by_level") {
        let level = table::cell(score.get("level"));
        lines.extend(list(score, "/missed_events").iter().map(|missed| {
            let cell = |key| table::cell(missed.get(key));
            let dark = if missed["in_the_dark"] == true { ", in the dark" } else { "" };
            format!(
                "  missed at {level}: {} {} {} km ({}){dark}",
                cell("event_utc"),
                cell("kind"),
                cell("distance_km"),
                cell("place")
            )
        }));
        lines.extend(list(score, "/false_alarm_spells").iter().map(|spell| {
            format!(
                "  false alarm at {level}: {} to {}",
                table::cell(spell.get("from_utc")),
                table::cell(spell.get("to_utc"))
            )
        }));
    }
    lines
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
