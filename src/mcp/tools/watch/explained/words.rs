//! An explanation in sentences: what is not known first, then the level, why, and what became of telling it.

use crate::desk::explain::{Again, End, Explanation, Outcome, Sending, Step, Stood, Telling, WhyNot};
use crate::mcp::envelope::clock_time;
use crate::mcp::tools::severe::brief::level_in_words;
use crate::mcp::tools::severe::counted;
use crate::notice::ChannelKind;
use crate::threat::{ChangeCause, Level, RULES_VERSION, Reason, Support, rules};
use jiff::Timestamp;

/// Reasons told in words; `data` has all of them.
const REASONS_TOLD: usize = 3;

/// The whole explanation.
pub(super) fn in_words(explanation: &Explanation) -> String {
    let mut said = Vec::new();
    if explanation.unreadable > 0 {
        let rows = counted(explanation.unreadable, "row");
        said.push(format!("{rows} of the store could not be read: what follows may be incomplete."));
    }
    let unseen = explanation.unseen.as_deref().unwrap_or_default();
    let stood = explanation.stood.level().unwrap_or_default();
    if unseen.iter().any(|spot| spot.could_raise_to > stood) {
        said.push(format!("As it could be seen then: {}", level_in_words(stood, unseen, explanation.at_utc)));
    }
    said.push(level(explanation));
    said.extend(ended(explanation));
    if let Some(step) = &explanation.made_by {
        said.extend(made_by(step, explanation.at_utc));
    }
    if !explanation.around.is_empty() {
        let moves: Vec<String> = explanation.around.iter().map(|step| moved(step, explanation.at_utc)).collect();
        said.push(format!("Within the hour around it: {}.", moves.join("; ")));
    }
    for notice in &explanation.other_notices {
        said.push(format!("Besides: {}.", sending(notice, explanation.at_utc)));
    }
    said.join(" ")
}

fn level(explanation: &Explanation) -> String {
    let at = explanation.at_utc;
    let name = explanation.name.as_deref().unwrap_or("the removed point");
    let time = |other| clock_time(other, at);
    let when = crate::mcp::envelope::utc(at);
    match explanation.stood {
        Stood::Journalled { level, since_utc, until_utc } => {
            let until = until_utc.map(|until| format!(", and stood until {}", time(until))).unwrap_or_default();
            format!(
                "At {when} {name} stood at {}, reached at {}{until}.",
                or_higher(explanation, level),
                time(since_utc)
            )
        }
        Stood::LeftBy { level, until_utc } => format!(
            "At {when} {name} stood at {level} until {}; nothing is journalled of how it came to that.",
            time(until_utc)
        ),
        Stood::Quiet { since_utc } => {
            let unknown = if explanation.unseen.is_none() { " What could not be seen then was not noted." } else { "" };
            format!(
                "At {when} {name} stood at {}, as ever since it was registered at {}: nothing raised it, so nothing was told.\
                 {unknown}",
                or_higher(explanation, Level::None),
                time(since_utc)
            )
        }
        Stood::NotWatched { from_utc } => {
            format!("At {when} {name} was not watched yet: registered at {}.", time(from_utc))
        }
        Stood::Ended { left_at } => {
            let left_at = match left_at {
                Some((level, since)) => format!("its last level was {level}, reached at {}", time(since)),
                None => "nothing is journalled of its level".to_owned(),
            };
            match explanation.end {
                Some(End::At(end)) => format!(
                    "At {when} {name} was not watched any more: it was watched until {}, and nothing is known of it after that; {left_at}.",
                    time(end)
                ),
                Some(End::AfterRecord(last)) => format!(
                    "How {name} stood at {when} is not known: the last on record of it is of {}, and until when it was watched is not \
                     on record; {left_at}.",
                    time(last)
                ),
                None => format!("How {name} stood at {when} is not known; {left_at}."),
            }
        }
        Stood::Unknown => format!("How {name} stood at {when} is not known: the journal does not reach back so far."),
    }
}

/// Until when a point that is gone was watched, unless that is said with its level.
fn ended(explanation: &Explanation) -> Option<String> {
    let at = explanation.at_utc;
    match (explanation.stood, explanation.end?) {
        (Stood::Ended { .. }, _) => None,
        (_, End::At(end)) => Some(format!("It was watched until {}.", clock_time(end, at))),
        (_, End::AfterRecord(_)) => Some("It is not watched any more; until when it was is not on record.".to_owned()),
    }
}

/// A level, "or higher" where something unseen could have meant more.
fn or_higher(explanation: &Explanation, level: Level) -> String {
    let at_the_change = explanation.made_by.as_ref().map_or(&[][..], |step| &step.change.assessment.blind_spots);
    let unseen = explanation.unseen.as_deref().unwrap_or(at_the_change);
    if unseen.iter().any(|spot| spot.could_raise_to > level) {
        format!("{level} or higher (something could not be seen)")
    } else {
        level.to_string()
    }
}

fn made_by(step: &Step, at: Timestamp) -> Vec<String> {
    let change = &step.change;
    let unseen = &change.assessment.blind_spots;
    let mut said = Vec::new();
    if unseen.iter().any(|spot| spot.could_raise_to > change.to) {
        said.push(format!("When it was judged: {}", level_in_words(change.to, unseen, at)));
    }
    said.push(format!("{}.", cause(step, at)));
    let bearing = change.supports.iter().filter(|support| support.reason.level == change.to).take(REASONS_TOLD);
    said.extend(bearing.map(|support| because(support, at)));
    if change.to < change.from {
        said.extend(change.ended.iter().take(REASONS_TOLD).map(|support| {
            format!(
                "Ended: {} (last supported at {}).",
                support.reason.text,
                clock_time(support.last_supported_utc, at)
            )
        }));
    }
    if let Some(stand) = &step.at_the_end {
        let held = stand.supports.iter().filter(|support| support.reason.level == change.to);
        said.extend(held.filter_map(|support| {
            let held = support.held.as_ref()?;
            Some(format!("By {} it was held: {} ({held}).", clock_time(stand.at_utc, at), support.reason.text))
        }));
    }
    said.push(format!("{}.", telling(step)));
    said.push(again(step));
    said
}

fn cause(step: &Step, at: Timestamp) -> String {
    let change = &step.change;
    let verb = match change.cause {
        ChangeCause::Raised => "raised",
        ChangeCause::Lowered => "lowered, its evidence having ended",
        ChangeCause::SightLost => "let go after 3 h out of sight, not over as far as is known",
    };
    let hold = match (change.cause, step.hold) {
        (ChangeCause::Lowered, Some(hold)) => format!(" and the lower level having lasted {} min", hold.as_mins()),
        _ => String::new(),
    };
    format!(
        "Entry {} of {}: {} to {}, {verb}{hold}",
        step.number,
        clock_time(change.at_utc, at),
        change.from,
        change.to
    )
}

fn because(support: &Support, at: Timestamp) -> String {
    let Reason { rule, text, evidence_id, observed_utc, source, .. } = &support.reason;
    let says = rules::says(rule).map(|says| format!(" {says}")).unwrap_or_default();
    let age = minutes(support.reason.age_s);
    let held = support.held.as_ref().map(|held| format!(", held: {held}")).unwrap_or_default();
    let before = if support.reason.already_in_effect { ", in effect before the watch began" } else { "" };
    format!(
        "Because: {text}{held}{before}. Rule {rule}:{says} Evidence {evidence_id} of {source}, of {}, {age} old then.",
        clock_time(*observed_utc, at)
    )
}

fn minutes(seconds: i64) -> String {
    if seconds < 120 { format!("{seconds} s") } else { format!("{} min", seconds / 60) }
}

fn moved(step: &Step, at: Timestamp) -> String {
    let change = &step.change;
    format!("{} {} to {} ({})", clock_time(change.at_utc, at), change.from, change.to, telling(step))
}

/// What became of telling a change.
pub(super) fn telling(step: &Step) -> String {
    let at = step.change.at_utc;
    match &step.telling {
        Telling::Decided(rows) if rows.is_empty() => {
            "a notice was decided; what became of it is no longer on record".to_owned()
        }
        Telling::Decided(rows) => sendings(rows, at),
        Telling::Held(held) => format!("held until {}, when a digest tells it", clock_time(held.due_utc, at)),
        Telling::WasHeld(until, rows) => {
            let then = if rows.is_empty() { "no digest is on record".to_owned() } else { sendings(rows, at) };
            format!("not told at once: held until {}; then {then}", clock_time(*until, at))
        }
        Telling::Not(why) => format!("not told: {}", why_not(*why)),
    }
}

fn why_not(why: WhyNot) -> String {
    match why {
        WhyNot::Below(min_level) => format!("it was below {min_level}, from which on notices were wanted"),
        WhyNot::NothingToTakeBack => "it fell, and nothing had been told that could be taken back".to_owned(),
        WhyNot::Known(Some(level)) => format!("its owner had acknowledged {level}"),
        WhyNot::Known(None) => "its owner knew already, or nothing had been told that could be taken back".to_owned(),
        WhyNot::NotJournalled => "no notice is on record, and an earlier version did not journal why".to_owned(),
    }
}

fn sendings(rows: &[Sending], at: Timestamp) -> String {
    rows.iter().map(|row| sending(row, at)).collect::<Vec<_>>().join(", and ")
}

fn sending(row: &Sending, at: Timestamp) -> String {
    let to = match row.address.kind {
        ChannelKind::None => "to nobody".to_owned(),
        ChannelKind::Email => format!("to {}", row.address.to),
        ChannelKind::WebPush => format!("to browser {}", row.address.to),
    };
    let what = row.reason.as_str().replace('_', " ");
    let decided = clock_time(row.decided_utc, at);
    let end = match &row.outcome {
        Outcome::Told(told, receipt) => format!("handed over at {} ({receipt})", seconds_of(*told, at)),
        Outcome::Recorded => "recorded only: the point has no address".to_owned(),
        Outcome::Dead(given_up, why) => format!("given up at {}: {why}", clock_time(*given_up, at)),
        Outcome::Pending(said, not_before) => {
            let said = said.as_ref().map(|said| format!(", the last try said: {said}")).unwrap_or_default();
            let next = not_before.map(|next| format!(", next try from {}", seconds_of(next, at))).unwrap_or_default();
            format!("still to be sent after {}{said}{next}", counted(row.tries as usize, "failed attempt"))
        }
    };
    let together = match row.together_with.len() {
        0 => String::new(),
        others => format!(", in one message with {}", counted(others, "other point")),
    };
    let instead = if row.stands_in_for.is_some() { ", instead of one that failed for good" } else { "" };
    format!("{what} ({}) {to}, decided {decided}{together}{instead}, {end}", row.level)
}

/// To the second: a handing over follows its decision within seconds.
fn seconds_of(other: Timestamp, at: Timestamp) -> String {
    let minute = clock_time(other, at);
    format!("{}:{}Z", minute.trim_end_matches('Z'), other.strftime("%S"))
}

fn again(step: &Step) -> String {
    let theirs = &step.rules_version;
    let by = if theirs == RULES_VERSION {
        format!("under rules version {theirs}")
    } else {
        format!("made under rules version {theirs}, judged under {RULES_VERSION}")
    };
    match step.again {
        Again::Same => format!("Judged again from the journalled evidence, {by}: the same to the byte."),
        Again::Differs(_) if theirs == RULES_VERSION => {
            format!("Judged again from the journalled evidence, {by}: NOT the same. That is a fault; please report it.")
        }
        Again::Differs(level) => format!("Judged again from the journalled evidence, {by}: now {level}."),
        Again::NotKept => format!("Rules version {theirs}; its evidence was not kept, so it cannot be judged again."),
    }
}
