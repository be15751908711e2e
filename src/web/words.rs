//! Times, levels and blindness in words, as every page writes them.

use crate::notice::compose::words;
use crate::notice::{ChannelKind, WatchPoint};
use crate::plot::MapPoint;
use crate::threat::{BlindSpot, Level, PointState, Reason, Support};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use maud::{Markup, html};

/// Longer sentences of a rule are cut: they are one line or two.
const SENTENCE_CHARS_MAX: usize = 500;

/// Tells times in a place's own zone, as of an instant.
#[derive(Debug, Clone)]
pub(super) struct Face {
    zone: Option<TimeZone>,
    now: Timestamp,
}

impl Face {
    /// The clock of a watch point.
    pub fn of(point: &WatchPoint, now: Timestamp) -> Self {
        Self { zone: words::zone(point.time_zone.as_deref()), now }
    }

    /// A clock in UTC, for what is watched no more.
    pub fn utc(now: Timestamp) -> Self {
        Self { zone: None, now }
    }

    /// `16:32 CDT (21:32Z)`, with the day where it is another.
    pub fn time(&self, at: Timestamp) -> Markup {
        html! { time datetime=(format!("{at:.0}")) { (self.words(at)) } }
    }

    /// The same as bare words.
    pub fn words(&self, at: Timestamp) -> String {
        words::moment(at, self.zone.as_ref(), self.now)
    }

    /// A rule's sentence with its instants in the place's own time, and sources by their names.
    pub fn sentence(&self, text: &str) -> String {
        capitalised(&self.clause(text))
    }

    /// The same to stand within a sentence.
    fn clause(&self, text: &str) -> String {
        words::plain(text, SENTENCE_CHARS_MAX, self.zone.as_ref(), self.now)
    }

    /// What a level rests on. Until when it would have held is not said of what was seen to end.
    pub fn support(&self, support: &Support) -> String {
        let reason = &support.reason;
        let until = reason.until_utc.filter(|_| support.ended_utc.is_some()).map(|until| format!(", until {until:.0}"));
        self.sentence(&until.map_or_else(|| reason.text.clone(), |until| reason.text.replacen(&until, "", 1)))
    }

    /// Why a reason still stands although nothing supports it now; `None` while something does.
    pub fn held(&self, support: &Support) -> Option<String> {
        let why = self.clause(support.held.as_deref()?);
        Some(match support.ended_utc {
            None if why.starts_with("its source") => "held: its end has not been seen".to_owned(),
            // It is not seen any more, and what is blind may hide that it is there all the same.
            None => format!("held, it may not be over: {why}"),
            Some(_) if why.starts_with("ended") => why,
            Some(ended) => format!("ended {}, but held: {why}", self.words(ended)),
        })
    }

    /// `12 min ago`; what lies ahead has no age.
    pub fn ago(&self, at: Timestamp) -> String {
        format!("{} ago", words::age(self.now.duration_since(at).as_secs()))
    }

    /// The instant that ages are told from.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The zone, for axes; UTC where it is not known.
    pub fn zone(&self) -> TimeZone {
        self.zone.clone().unwrap_or(TimeZone::UTC)
    }
}

/// `21:32Z on 10 June 2026`.
pub(super) fn utc_words(at: Timestamp) -> Markup {
    let utc = ZonedDateTime::new(at, TimeZone::UTC);
    html! { time datetime=(format!("{at:.0}")) { (utc.strftime("%H:%MZ on %-d %B %Y").to_string()) } }
}

/// A level as a chip: a colour and a word, never a colour alone.
pub(super) fn chip(level: Option<Level>, words: &str) -> Markup {
    html! { span.chip data-level=(level.map_or("unknown", Level::as_str)) { (words) } }
}

/// A level by its own word.
pub(super) fn plain_chip(level: Level) -> Markup {
    chip(Some(level), level.as_str())
}

/// How a point stands, for the map and for chips.
pub(super) fn map_point(point: &WatchPoint, state: Option<&PointState>) -> MapPoint {
    let level = state.map(|state| state.level);
    MapPoint {
        name: point.name.clone(),
        at: point.at,
        level,
        is_blind: state.is_some_and(|state| hidden(state.level, &state.blind_spots).next().is_some()),
    }
}

/// Blind spots that could raise the level above what it reads, the worst first.
pub(super) fn hidden(level: Level, spots: &[BlindSpot]) -> impl Iterator<Item = &BlindSpot> {
    let mut hiding: Vec<&BlindSpot> = spots.iter().filter(|spot| spot.could_raise_to > level).collect();
    hiding.sort_by_key(|spot| std::cmp::Reverse(spot.could_raise_to));
    hiding.into_iter()
}

/// `NWS warnings since 16:04 CDT (21:04Z)`.
pub(super) fn spot_words(spot: &BlindSpot, face: &Face) -> String {
    let since =
        spot.since_utc.map_or_else(|| ", never heard yet".to_owned(), |at| format!(" since {}", face.words(at)));
    format!("{}{since}", words::source(&spot.source))
}

/// What a level rests on first: supports stand in the order of their weight, here as in notices.
pub(super) fn main_support(state: &PointState) -> Option<&Support> {
    state.supports.iter().find(|support| !support.sight_lost)
}

/// Where the evidence is, until when it counts, where it comes from and how old it is: the small print under a reason.
pub(super) fn reason_notes(reason: &Reason, face: &Face) -> String {
    let mut facts = Vec::new();
    facts.extend(words::whereabouts(reason));
    if let Some(until) = reason.until_utc {
        facts.push(format!("{} {}", if until <= face.now { "ended" } else { "until" }, face.words(until)));
    }
    facts.push(format!(
        "{} of {}, {}",
        words::source(&reason.source),
        face.words(reason.observed_utc),
        face.ago(reason.observed_utc)
    ));
    if reason.already_in_effect {
        facts.push("already in effect when watching began".to_owned());
    }
    capitalised(&facts.join("; "))
}

/// A channel for people.
pub(super) fn channel(kind: ChannelKind) -> &'static str {
    match kind {
        ChannelKind::None => "recorded only",
        ChannelKind::Email => "email",
        ChannelKind::WebPush => "push",
    }
}

/// With a capital letter first.
pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// `1 point`, `2 points`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::tests::scene::support;

    #[test]
    fn what_was_seen_to_end_is_said_to_have_ended_by_the_clock_of_the_place() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let face = Face { zone: words::zone(Some("America/Chicago")), now: at("2031-05-09T21:50:00Z") };
        let mut warning = support(Level::Extreme, "warning");
        assert_eq!(face.held(&warning), None);
        warning.reason.until_utc = Some(at("2031-05-09T22:00:00Z"));
        warning.reason.text = "inside Tornado Warning, until 2031-05-09T22:00:00Z".into();
        warning.held = Some("its source nws-warnings is not heard yet".into());
        assert_eq!(face.held(&warning).as_deref(), Some("held: its end has not been seen"));
        warning.held = Some("nws-zones is not heard yet and could mean extreme".into());
        let wanted = "held, it may not be over: the NWS zones of this place is not heard yet and could mean extreme";
        assert_eq!(face.held(&warning).as_deref(), Some(wanted));
        assert!(
            face.support(&warning).starts_with("Inside Tornado Warning, until 17:00 CDT"),
            "{}",
            face.support(&warning)
        );

        warning.ended_utc = Some(at("2031-05-09T21:48:30Z"));
        warning.held = Some("ended 2031-05-09T21:48:30Z; the lower level must last 10 min first".into());
        let wanted = "ended 16:48 CDT (21:48Z); the lower level must last 10 min first";
        assert_eq!(face.held(&warning).as_deref(), Some(wanted));
        assert_eq!(face.support(&warning), "Inside Tornado Warning");
        // It ended, and what went blind after that may hide that it is back.
        warning.held = Some("nws-warnings not heard".into());
        let wanted = "ended 16:48 CDT (21:48Z), but held: NWS warnings not heard";
        assert_eq!(face.held(&warning).as_deref(), Some(wanted));
    }
}
