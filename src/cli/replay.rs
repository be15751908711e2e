//! `replay`: what the pipeline tells over a recorded day, one line an event (design: one JSON object a line, or text).

use crate::app::{self, ReplayEvent, ReplayOptions, ReplaySummary};
use crate::cli::fail::Failure;
use crate::cli::print::{self, Reader};
use crate::cli::records;
use crate::notice::ChannelKind;
use crate::threat::{BlindSpot, Support};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Runs the replay and prints its events as they come.
///
/// # Errors
/// A recorded day that cannot be used, before anything runs.
pub fn run(options: &ReplayOptions, json: bool) -> Result<(), Failure> {
    let tell = move |event: ReplayEvent| {
        let reader = if json { print::json_line(&event_json(&event)) } else { print::line(&event_text(&event)) };
        match reader {
            Reader::Listening => ControlFlow::Continue(()),
            Reader::Gone => ControlFlow::Break(()),
        }
    };
    let summary = app::replay(options, Arc::new(tell))?;
    if json {
        print::json_line(&summary_json(&summary));
    } else {
        print::line(&summary_text(&summary));
    }
    Ok(())
}

/// One event as the archive format's document describes it.
pub fn event_json(event: &ReplayEvent) -> Value {
    match event {
        ReplayEvent::LevelChange { watch, change } => json!({
            "event": "level_change", "at": change.at_utc, "watch": watch,
            "from": change.from, "to": change.to, "cause": change.cause,
            "reasons": reasons(&change.supports),
            "blind_spots": blind_spots(&change.assessment.blind_spots),
            "hazards": change.assessment.hazards,
        }),
        ReplayEvent::Notice { watches, delivery } => json!({
            "event": "notice", "at": delivery.decided_utc, "watch": watches.join(", "),
            "reason": delivery.reason, "level": delivery.level,
            "channel": delivery.address.kind, "to": delivery.address.to,
            "delivery": delivery.id, "subject": delivery.subject,
        }),
        ReplayEvent::Assessment { watch, assessment, state } => json!({
            "event": "assessment", "at": assessment.at_utc, "watch": watch,
            "level": state.level, "held": records::held(state),
            "reasons": reasons(&state.supports),
            "blind_spots": blind_spots(&assessment.blind_spots),
        }),
    }
}

/// The closing line.
pub fn summary_json(summary: &ReplaySummary) -> Value {
    json!({
        "event": "summary", "watch_points": summary.watch_points, "polls": summary.polls, "faults": summary.faults,
        "level_changes": summary.level_changes, "notices": summary.notices, "wall_s": summary.wall_s,
    })
}

/// Reasons as sentences; one from before the watch says so, and a held one why it is held.
pub fn reasons(supports: &[Support]) -> Vec<String> {
    let sentence = |support: &Support| {
        let before = if support.reason.already_in_effect { " (already in effect)" } else { "" };
        let held = support.held.as_ref().map(|why| format!(" (held: {why})")).unwrap_or_default();
        format!("{}{before}{held}", support.reason.text)
    };
    supports.iter().map(sentence).collect()
}

/// Blind spots as sentences that begin with the source.
pub fn blind_spots(spots: &[BlindSpot]) -> Vec<String> {
    spots.iter().map(|spot| format!("{}: {}", spot.source, spot.why)).collect()
}

/// One event for a person.
pub fn event_text(event: &ReplayEvent) -> String {
    match event {
        ReplayEvent::LevelChange { watch, change } => {
            let mut lines = vec![format!("{}  {watch}: {} -> {}", change.at_utc, change.from, change.to)];
            lines.extend(reasons(&change.supports).iter().map(|text| format!("    {text}")));
            lines.extend(reasons(&change.ended).iter().map(|text| format!("    ended: {text}")));
            if let Some(line) = not_seen(&change.assessment.blind_spots) {
                lines.push(line);
            }
            lines.join("\n")
        }
        ReplayEvent::Notice { watches, delivery } => {
            let to = match delivery.address.kind {
                ChannelKind::None => "recorded only".to_owned(),
                kind => format!("by {} to {}", kind.as_str(), delivery.address.to),
            };
            format!(
                "{}  {}: notice {}, {to}: {}",
                delivery.decided_utc,
                watches.join(", "),
                delivery.reason.as_str(),
                delivery.subject
            )
        }
        ReplayEvent::Assessment { watch, assessment, state } => {
            let held = if records::held(state) { " (held)" } else { "" };
            let mut lines = vec![format!("{}  {watch}: stands at {}{held}", assessment.at_utc, state.level)];
            lines.extend(reasons(&state.supports).iter().map(|text| format!("    {text}")));
            if let Some(line) = not_seen(&assessment.blind_spots) {
                lines.push(line);
            }
            lines.join("\n")
        }
    }
}

fn not_seen(spots: &[BlindSpot]) -> Option<String> {
    if spots.is_empty() {
        return None;
    }
    let sources: Vec<&str> = spots.iter().map(|spot| spot.source.as_str()).collect();
    Some(format!("    not seen: {}", sources.join(", ")))
}

/// The closing line for a person.
pub fn summary_text(summary: &ReplaySummary) -> String {
    let hint = if summary.watch_points == 0 { "; --watch NAME,LAT,LON watches a place" } else { "" };
    format!(
        "{} watch point(s), {} polls, {} fault(s), {} level change(s), {} notice(s), {:.1} s{hint}",
        summary.watch_points, summary.polls, summary.faults, summary.level_changes, summary.notices, summary.wall_s
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::cli::records::tests::{a_state, a_support};
    use crate::threat::{Assessment, ChangeCause, Level, LevelChange};

    pub(crate) fn an_assessment(level: Level) -> Assessment {
        Assessment {
            at_utc: "2031-05-09T21:32:00Z".parse().unwrap(),
            level,
            reasons: Vec::new(),
            lingering: Vec::new(),
            blind_spots: vec![BlindSpot {
                source: "mrms-vil".to_owned(),
                since_utc: None,
                why: "not heard yet".to_owned(),
                could_raise_to: Level::Significant,
            }],
            hazards: Vec::new(),
        }
    }

    pub(crate) fn a_change(from: Level, to: Level) -> ReplayEvent {
        let change = LevelChange {
            watch_point: "wp_1".to_owned(),
            at_utc: "2031-05-09T21:32:00Z".parse().unwrap(),
            from,
            to,
            cause: if from < to { ChangeCause::Raised } else { ChangeCause::Lowered },
            supports: vec![a_support(to, Some("its source is blind"))],
            ended: Vec::new(),
            assessment: an_assessment(to),
        };
        ReplayEvent::LevelChange { watch: "lark".to_owned(), change: Box::new(change) }
    }

    #[test]
    fn a_change_is_one_object_with_sentences() {
        let row = event_json(&a_change(Level::None, Level::Extreme));
        assert_eq!(row["event"], "level_change");
        assert_eq!(
            (&row["at"], &row["from"], &row["to"]),
            (&json!("2031-05-09T21:32:00Z"), &json!("none"), &json!("extreme"))
        );
        assert_eq!(row["reasons"][0], "Tornado Warning until 21:45Z (held: its source is blind)");
        assert_eq!(row["blind_spots"][0], "mrms-vil: not heard yet");
        assert!(!row.to_string().contains('\n'));
    }

    #[test]
    fn the_closing_assessment_says_whether_the_level_is_held() {
        let event = ReplayEvent::Assessment {
            watch: "lark".to_owned(),
            assessment: Box::new(an_assessment(Level::None)),
            state: Box::new(a_state(Level::Extreme, vec![a_support(Level::Extreme, Some("blind"))])),
        };
        let row = event_json(&event);
        assert_eq!((&row["level"], &row["held"]), (&json!("extreme"), &json!(true)));
        assert!(event_text(&event).contains("(held)") && event_text(&event).contains("not seen: mrms-vil"));
        assert_eq!(summary_json(&ReplaySummary::default())["event"], "summary");
    }
}
