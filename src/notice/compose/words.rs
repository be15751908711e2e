//! Times, ages, distances, names and lists in words.

use crate::geo::KM_PER_MILE;
use crate::threat::Reason;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, ZonedDateTime};
use std::sync::LazyLock;

/// The zones that come with the program: the same words on every machine, and no file is read.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// The zone of a place, if it is known and real.
pub fn zone(name: Option<&str>) -> Option<TimeZone> {
    ZONES.get(name?).ok()
}

/// `16:32 CDT (21:32Z)`, with the day where it is not that of `now`. Without a zone: `21:32Z`.
pub fn moment(at: Timestamp, zone: Option<&TimeZone>, now: Timestamp) -> String {
    let utc = ZonedDateTime::new(at, TimeZone::UTC);
    let clock = |with_day: bool| utc.strftime(if with_day { "%-d %B %H:%MZ" } else { "%H:%MZ" }).to_string();
    let Some(zone) = zone else {
        return clock(utc.date() != ZonedDateTime::new(now, TimeZone::UTC).date());
    };
    let local = ZonedDateTime::new(at, zone.clone());
    let other_day = local.date() != ZonedDateTime::new(now, zone.clone()).date();
    let words = local.strftime(if other_day { "%-d %B %H:%M %Z" } else { "%H:%M %Z" });
    format!("{words} ({})", clock(utc.date() != local.date()))
}

/// `Wednesday 10 June 2026, 16:32 CDT (21:32Z)`.
pub fn full_moment(at: Timestamp, zone: Option<&TimeZone>) -> String {
    let local = ZonedDateTime::new(at, zone.cloned().unwrap_or(TimeZone::UTC));
    let day = local.strftime("%A %-d %B %Y");
    format!("{day}, {}", moment(at, zone, at))
}

/// `under a minute`, `4 min`, `1 h 5 min`, `2 days`.
pub fn age(seconds: i64) -> String {
    let minutes = seconds.max(0) / 60;
    match (minutes / 60, minutes % 60) {
        (0, 0) => "under a minute".into(),
        (0, minutes) => format!("{minutes} min"),
        (hours, _) if hours >= 48 => format!("{} days", hours / 24),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// `4.9 mi (7.9 km)`.
pub fn distance(km: f64) -> String {
    format!("{:.1} mi ({km:.1} km)", km / KM_PER_MILE)
}

/// `4.9 mi (7.9 km) to the NW`, `4.9 mi (7.9 km) away`; `None` for what is at the place itself, or everywhere.
pub fn whereabouts(reason: &Reason) -> Option<String> {
    let km = reason.distance_km.filter(|km| *km > 0.0)?;
    let direction = reason.direction.as_ref().map_or_else(|| "away".to_owned(), |to| format!("to the {to}"));
    Some(format!("{} {direction}", distance(km)))
}

/// Characters of an instant as rules write it: `2026-06-10T22:00:00Z`.
const INSTANT_CHARS: usize = 20;

/// A rule's sentence with its instants as a person reads them.
fn with_local_times(text: &str, zone: Option<&TimeZone>, now: Timestamp) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let whole = rest.get(..INSTANT_CHARS).filter(|word| c == '2' && word.ends_with('Z'));
        match whole.and_then(|word| word.parse::<Timestamp>().ok()) {
            Some(at) => {
                out.push_str(&moment(at, zone, now));
                rest = rest.get(INSTANT_CHARS..).unwrap_or_default();
            }
            None => {
                out.push(c);
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
            }
        }
    }
    out
}

/// `a`, `a and b`, `a, b and c`, `a, b and 5 more`.
pub fn list(names: &[String], shown: usize) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        _ if names.len() > shown => {
            let head = names.iter().take(shown.saturating_sub(1)).cloned().collect::<Vec<_>>();
            format!("{} and {} more", head.join(", "), names.len() - head.len())
        }
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

/// A text from outside as one harmless line: no controls (a line break in a subject would start a new header), no marks
/// that turn the direction of writing, runs of blanks as one, at most `chars` characters.
pub fn line(text: &str, chars: usize) -> String {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).filter(|c| !turns(*c)).collect();
    cut(&plain.split_whitespace().collect::<Vec<_>>().join(" "), chars)
}

/// NWS prose: hard-wrapped at 69 columns, paragraphs apart by an empty line.
pub fn paragraphs(text: &str, chars: usize) -> Vec<String> {
    let mut left = chars;
    let mut out = Vec::new();
    for paragraph in text.replace("\r\n", "\n").split("\n\n") {
        let paragraph = line(paragraph, left);
        if left == 0 {
            break;
        }
        left = left.saturating_sub(paragraph.chars().count());
        if !paragraph.is_empty() {
            out.push(paragraph);
        }
    }
    out
}

/// How far back a cut looks for the end of a word, characters.
const WORD_CHARS: usize = 24;

/// At most `chars` characters, between two words where there are any; what is cut is marked.
pub(super) fn cut(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let head: String = text.chars().take(chars.saturating_sub(1)).collect();
    let whole = head.rsplit_once(char::is_whitespace).filter(|(_, rest)| rest.chars().count() < WORD_CHARS);
    let head = whole.map_or(head.as_str(), |(whole, _)| whole);
    format!("{}…", head.trim_end_matches(|c: char| c.is_whitespace() || c == ',' || c == ';'))
}

/// A rule's words as a person reads them: one line of at most `chars` characters, instants in the time of the place, sources
/// by their names.
pub fn plain(text: &str, chars: usize, zone: Option<&TimeZone>, now: Timestamp) -> String {
    let mut text = line(text, chars);
    for (id, name) in SOURCES {
        // An id that is the beginning of another one would leave half of it; none is.
        if text.contains(id) {
            text = text.replace(id, name);
        }
    }
    with_local_times(&text, zone, now)
}

/// A source id in words.
pub fn source(id: &str) -> String {
    SOURCES.iter().find(|(known, _)| *known == id).map_or(id, |(_, name)| name).to_owned()
}

/// Source ids, and their names.
const SOURCES: [(&str, &str); 14] = [
    ("nws-warnings", "NWS warnings"),
    ("nws-zones", "the NWS zones of this place"),
    ("mrms-mesh_max_60min", "radar hail size of the last hour"),
    ("mrms-rotation_track_ml_60min", "radar mid-level rotation of the last hour"),
    ("mrms-rotation_track_ll_60min", "radar low-level rotation of the last hour"),
    ("mrms-vil", "radar water content (VIL)"),
    ("mrms-composite_reflectivity", "radar reflectivity"),
    ("spc-categorical", "SPC's outlook for today"),
    ("spc-tornado", "SPC's tornado probabilities"),
    ("spc-wind", "SPC's wind probabilities"),
    ("spc-hail", "SPC's hail probabilities"),
    ("rap-environment", "the air over this place (RAP model)"),
    ("iem-lsr", "storm reports"),
    ("goes-glm", "lightning seen by GOES"),
];
