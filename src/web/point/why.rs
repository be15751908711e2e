//! Why the level stands where it stands: reasons with their evidence and its age, what is held, what cannot be seen.

use super::{Scene, signature};
use crate::notice::compose::words as house;
use crate::threat::{BlindSpot, Reason, Support};
use crate::web::words::{Face, capitalised, plain_chip, reason_notes};
use maud::{Markup, html};

/// Reasons shown; the highest come first.
const REASONS_SHOWN: usize = 20;

pub(super) fn why(scene: &Scene<'_>) -> Markup {
    let face = scene.face();
    let supports = scene.one.state.as_ref().map_or(&[][..], |state| &state.supports);
    let held: Vec<&Support> = supports.iter().filter(|support| support.held.is_some() && !support.sight_lost).collect();
    let spots = match (scene.judgement, &scene.one.state) {
        (Some(judgement), _) => &judgement.assessment.blind_spots[..],
        (None, Some(state)) => &state.blind_spots[..],
        (None, None) => &[],
    };
    html! {
        section #why .why data-live aria-labelledby="why-title" {
            h2 #why-title { "Why" }
            @match scene.judgement {
                Some(judgement) => {
                    @let reasons: Vec<&Reason> = judgement.assessment.reasons.iter().collect();
                    (list(&reasons, &face))
                    @if reasons.is_empty() { p { (nothing(spots)) } }
                    @if let Some(words) = signature(judgement) { p.note { (words) } }
                    @if judgement.window.window != "none" {
                        p.note { "Look out: " (judgement.window.window) ". " (judgement.window.reasoning) }
                    }
                }
                None => {
                    p.blind { "The evidence of this moment did not come in time; this is what the level rests on." }
                    (list(&supports.iter().map(|support| &support.reason).collect::<Vec<_>>(), &face))
                }
            }
            @if !held.is_empty() {
                h3 { "Held: its end has not been seen" }
                ul.reasons {
                    @for support in held {
                        li {
                            (plain_chip(support.reason.level)) " " (support.reason.text)
                            p.note {
                                @if let Some(why) = &support.held { (capitalised(why)) ". " }
                                "Last supported " (face.time(support.last_supported_utc)) ", " (face.ago(support.last_supported_utc)) "."
                            }
                        }
                    }
                }
            }
            (unseen(spots, &face))
        }
    }
}

/// Reasons with their small print.
pub(super) fn list(reasons: &[&Reason], face: &Face) -> Markup {
    html! {
        @if !reasons.is_empty() {
            ul.reasons {
                @for reason in reasons.iter().take(REASONS_SHOWN) {
                    li {
                        (plain_chip(reason.level)) " " (reason.text)
                        p.note { (reason_notes(reason, face)) ". Rule " code { (reason.rule) } "." }
                    }
                }
                @if reasons.len() > REASONS_SHOWN { li { "and " (reasons.len() - REASONS_SHOWN) " more" } }
            }
        }
    }
}

/// Without a reason it is quiet only where everything is seen.
fn nothing(spots: &[BlindSpot]) -> &'static str {
    match spots.is_empty() {
        true => "No rule speaks for this place.",
        false => "No rule speaks for this place, as far as can be seen.",
    }
}

/// What cannot be seen, the worst first.
pub(super) fn unseen(spots: &[BlindSpot], face: &Face) -> Markup {
    let mut sorted: Vec<&BlindSpot> = spots.iter().collect();
    sorted.sort_by_key(|spot| std::cmp::Reverse(spot.could_raise_to));
    html! {
        @if !sorted.is_empty() {
            h3 { "What cannot be seen" }
            ul.reasons {
                @for spot in sorted {
                    li {
                        (capitalised(&house::source(&spot.source))) ": " (spot.why)
                        p.note {
                            @match spot.since_utc {
                                Some(since) => { "Since " (face.time(since)) ", " (face.ago(since)) ". " }
                                None => "Never heard yet. ",
                            }
                            "At its worst the level would read " (spot.could_raise_to) "."
                        }
                    }
                }
            }
        }
    }
}
