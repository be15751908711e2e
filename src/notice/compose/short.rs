//! The words of a notification on a phone: what, where, until when, what to do; a few lines, the most important ones first.

use super::{Block, NoticeEvent, Told, evidence, opening, tells_what_stands, uncertainty, words};
use crate::notice::NoticeReason;
use crate::notice::push::{Short, TITLE_CHARS_MAX};
use crate::threat::{DISCLAIMER, Support};
use jiff::tz::TimeZone;

/// Reasons named: a screen has no room for more.
const REASONS_SHOWN: usize = 3;
/// Of a reason's sentence.
const SENTENCE_CHARS_MAX: usize = 200;
/// Of a call to action: what comes first is what to do at once. All of it is on the page.
const ADVICE_CHARS_MAX: usize = 900;

/// The words of a notification about this event under this title.
pub(super) fn short(event: &NoticeEvent<'_>, title: &str, zone: Option<&TimeZone>) -> Short {
    let mut lines: Vec<String> = Vec::new();
    match event.reason {
        NoticeReason::Raised | NoticeReason::Lowered => {
            // What makes the level uncertain comes first, as in the mail.
            lines.extend(uncertainty(event, zone));
            lines.extend(reasons(event, |told| told.supports));
        }
        NoticeReason::AllClear | NoticeReason::WentBlind | NoticeReason::SeesAgain => {
            lines.extend(opening_lines(event, zone));
            if tells_what_stands(event) {
                lines.extend(reasons(event, |told| told.supports));
            }
            if event.reason == NoticeReason::AllClear {
                lines.extend(reasons(event, |told| told.ended).into_iter().map(|line| format!("Ended: {line}")));
            }
        }
        NoticeReason::Test | NoticeReason::Digest | NoticeReason::Confirmation => {
            lines.extend(opening_lines(event, zone))
        }
    }
    let advice = event.instruction.map(|text| words::paragraphs(text, ADVICE_CHARS_MAX)).unwrap_or_default();
    if event.reason == NoticeReason::Raised {
        lines.extend(advice);
    }
    lines.push(DISCLAIMER.to_owned());
    Short { title: words::cut(title, TITLE_CHARS_MAX), body: lines.join("\n") }
}

/// The sentences that open a mail.
fn opening_lines(event: &NoticeEvent<'_>, zone: Option<&TimeZone>) -> Vec<String> {
    let texts = opening(event, zone).into_iter().filter_map(|block| match block {
        Block::Strong(text) | Block::Para(text) => Some(text),
        _ => None,
    });
    texts.collect()
}

/// The highest reasons, each once, the highest first.
fn reasons<'a>(event: &NoticeEvent<'a>, of: impl Fn(&Told<'a>) -> &'a [Support]) -> Vec<String> {
    let mut found: Vec<(&Told<'a>, &Support)> = Vec::new();
    for told in &event.points {
        for support in of(told) {
            if !found.iter().any(|(_, known)| known.reason.text == support.reason.text) {
                found.push((told, support));
            }
        }
    }
    // Stable: supports come in order of weight.
    found.sort_by_key(|(_, support)| std::cmp::Reverse(support.reason.level));
    found.into_iter().take(REASONS_SHOWN).map(|(told, support)| sentence(event, told, support)).collect()
}

/// `Inside Tornado Warning. 7.9 km (4.9 mi) to the SW. Until 16:45 CDT.`
fn sentence(event: &NoticeEvent<'_>, told: &Told<'_>, support: &Support) -> String {
    let (reason, zone) = (&support.reason, words::zone(told.point.time_zone.as_deref()));
    let what = evidence::sentence(reason, zone.as_ref(), event.now);
    let mut facts = vec![words::cut(&what, SENTENCE_CHARS_MAX).trim_end_matches('.').to_owned()];
    facts.extend(words::whereabouts(reason));
    if support.held.is_some() && support.ended_utc.is_none() {
        let seen = words::moment(support.last_supported_utc, zone.as_ref(), event.now);
        facts.push(format!("Not seen any more, last {seen}"));
    }
    if let Some(ended) = support.ended_utc {
        facts.push(format!("Ended {}", words::moment(ended, zone.as_ref(), event.now)));
    }
    if let Some(until) = reason.until_utc.filter(|until| *until > event.now) {
        facts.push(format!("Until {}", words::moment(until, zone.as_ref(), event.now)));
    }
    format!("{}.", facts.join(". "))
}
