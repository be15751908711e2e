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
    let spots = match (scene.judgement, &scene.one.state) {
        (Some(judgement), _) => &judgement.assessment.blind_spots[..],
        (None, Some(state)) => &state.blind_spots[..],
        (None, None) => &[],
    };
    // Without evidence of this moment: what the level rests on, as it is stored.
    let reasons: Vec<&Reason> = match scene.judgement {
        Some(judgement) => judgement.assessment.reasons.iter().collect(),
        None => supports.iter().filter(|one| one.held.is_none() || one.sight_lost).map(|one| &one.reason).collect(),
    };
    let (above, below) = held(supports, &reasons);
    html! {
        section #why .why data-live aria-labelledby="why-title" {
            h2 #why-title { "Why" }
            (held_list(&above, &face))
            @if !above.is_empty() && !reasons.is_empty() { h3 { "What is seen now" } }
            @if scene.judgement.is_none() {
                p.blind { "The evidence of this moment did not come in time; this is what the level rests on." }
            }
            (list(&reasons, &face))
            @if let Some(judgement) = scene.judgement {
                @if reasons.is_empty() { p { (nothing(spots)) } }
                @if let Some(words) = signature(judgement) { p.note { (words) } }
                @if judgement.window.window != "none" {
                    p.note { "Look out: " (judgement.window.window) ". " (face.sentence(&judgement.window.reasoning)) }
                }
            }
            (held_list(&below, &face))
            (unseen(spots, &face))
        }
    }
}

/// What is held although nothing supports it now: what the level rests on, which is above every reason that is seen, and the
/// rest of it.
fn held<'a>(supports: &'a [Support], reasons: &[&Reason]) -> (Vec<&'a Support>, Vec<&'a Support>) {
    let seen = reasons.iter().map(|reason| reason.level).max();
    let held = supports.iter().filter(|support| support.held.is_some() && !support.sight_lost);
    held.partition(|support| Some(support.reason.level) > seen)
}

/// Under a heading of their own: what has ended, and what was never seen to end.
fn held_list(held: &[&Support], face: &Face) -> Markup {
    let (ended, unseen): (Vec<&Support>, Vec<&Support>) = held.iter().partition(|support| support.ended_utc.is_some());
    html! {
        @for (title, supports) in [("Ended, but not let go yet", ended), ("Held: it may not be over", unseen)] {
            @if !supports.is_empty() {
                h3 { (title) }
                ul.reasons { @for support in supports { (held_item(support, face)) } }
            }
        }
    }
}

fn held_item(support: &Support, face: &Face) -> Markup {
    let why = match support.ended_utc {
        Some(_) => face.held(support),
        None => support.held.as_deref().map(|why| face.sentence(why)),
    };
    html! {
        li {
            (plain_chip(support.reason.level)) " " (face.support(support))
            p.note {
                @if let Some(why) = why { (capitalised(&why)) ". " }
                "Last supported " (face.time(support.last_supported_utc)) ", " (face.ago(support.last_supported_utc)) "."
            }
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
                        (plain_chip(reason.level)) " " (face.sentence(&reason.text))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::tests::scene::support;
    use crate::threat::Level;

    #[test]
    fn what_the_level_rests_on_comes_first_although_it_has_ended() {
        let ended = Support {
            held: Some("ended 2026-06-10T21:30:00Z; the lower level must last 10 min first".into()),
            ended_utc: Some("2026-06-10T21:30:00Z".parse().unwrap()),
            ..support(Level::Extreme, "warning")
        };
        let lost = Support { held: Some("not seen".into()), sight_lost: true, ..support(Level::Extreme, "unseen") };
        let lower = Support { held: Some("not seen".into()), ..support(Level::Marginal, "air") };
        let supports = [lost, ended, support(Level::Significant, "rotation"), lower];
        let (above, below) = held(&supports, &[&supports[2].reason]);
        let subjects = |held: &[&Support]| held.iter().map(|one| one.reason.subject.clone()).collect::<Vec<_>>();
        assert_eq!((subjects(&above), subjects(&below)), (vec!["warning".into()], vec!["air".to_owned()]));

        let face = Face::utc("2026-06-10T21:32:00Z".parse().unwrap());
        let shown = held_list(&above, &face).into_string();
        assert!(shown.contains("Ended, but not let go yet") && !shown.contains("has not been seen"), "{shown}");
        assert!(shown.contains("Ended 21:30Z; the lower level must last 10 min first."), "{shown}");
        let shown = held_list(&below, &face).into_string();
        assert!(shown.contains("Held: it may not be over") && shown.contains("Not seen."), "{shown}");
    }
}
