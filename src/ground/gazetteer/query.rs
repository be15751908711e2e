//! What a person typed: coordinates, a ZIP code, or a name with perhaps a county and a state. The words may be read in several ways.

use super::fold::{count, key, short_key};
use crate::ground::states::{STATES, state_code};

/// A query as it may be meant.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Asked {
    /// Two figures, latitude first.
    Coordinates(f64, f64),
    /// A ZIP code, with the state that was typed before it.
    Zip(u32, Option<&'static str>),
    /// A name, in each way in which it can be read.
    Named(Vec<Reading>),
    /// The name of a state and nothing else.
    State(Reading),
}

/// A name, and what was said of where it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reading {
    /// Its key.
    pub key: String,
    /// The key without the word for its kind.
    pub short: Option<String>,
    /// Two letters.
    pub state: Option<&'static str>,
    /// The key of the county.
    pub county: Option<String>,
}

impl Reading {
    fn new(name: &str, county: Option<&str>, state: Option<&'static str>) -> Option<Self> {
        let key = key(name);
        let county = county.map(self::key).filter(|county| !county.is_empty());
        (!key.is_empty()).then(|| Self { key, short: short_key(name), state, county })
    }
}

/// Reads a query; `None` where there is nothing to look for in it.
pub(super) fn read(query: &str) -> Option<Asked> {
    if let Some((lat, lon)) = coordinates(query) {
        return Some(Asked::Coordinates(lat, lon));
    }
    let mut parts: Vec<&str> = query.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    if parts.len() > 1 && parts.last().is_some_and(|last| is_nation(last)) {
        parts.pop();
    }
    if let Some((before, zip)) = parts.last().and_then(|last| zip_at_end(last)) {
        let state = if before.is_empty() { parts.iter().rev().nth(1).copied() } else { Some(before) };
        return Some(Asked::Zip(zip, state.and_then(state_at_end)));
    }
    let readings = match parts.as_slice() {
        [] => return None,
        [name] => {
            let whole = Reading::new(name, None, None)?;
            if STATES.iter().any(|(_, state)| key(state) == whole.key) {
                return Some(Asked::State(whole));
            }
            let mut readings = vec![whole];
            readings.extend(split_state(name).and_then(|(name, state)| Reading::new(name, None, Some(state))));
            readings
        }
        [name, last] => match state_of(last) {
            Some(state) => vec![Reading::new(name, None, Some(state))?],
            None => vec![Reading::new(name, Some(last), None)?],
        },
        // Of an unknown state there is no place.
        [name, county, .., last] => vec![Reading::new(name, Some(county), Some(state_of(last)?))?],
    };
    Some(Asked::Named(readings))
}

/// Two decimal figures with a comma or a space between them; anything more is none.
fn coordinates(query: &str) -> Option<(f64, f64)> {
    let query = query.trim();
    let (lat, lon) = query.split_once(',').or_else(|| query.split_once(char::is_whitespace))?;
    let figure = |text: &str| {
        let text = text.trim();
        let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'));
        is_plain.then(|| text.parse::<f64>().ok()).flatten()
    };
    // 73019 1234 is a ZIP code.
    if zip(query).is_some() { None } else { Some((figure(lat)?, figure(lon)?)) }
}

/// A ZIP code, with or without the four digits of ZIP+4.
fn zip(text: &str) -> Option<u32> {
    let digits = |text: &str, count: usize| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.trim();
    let (code, more) = text.split_at_checked(5)?;
    let more = more.trim_start_matches([' ', '-']);
    let is_zip = digits(code, 5) && (more.is_empty() && text.len() == 5 || digits(more, 4));
    is_zip.then(|| code.parse().ok()).flatten()
}

/// What stands before a ZIP code at the end, and the code.
fn zip_at_end(text: &str) -> Option<(&str, u32)> {
    if let Some(code) = zip(text) {
        return Some(("", code));
    }
    let (before, last) = text.rsplit_once(char::is_whitespace)?;
    // A house number before a street would be read so too: what cannot be a state before it is no place.
    zip(last).map(|code| (before.trim(), code))
}

fn is_nation(text: &str) -> bool {
    ["us", "usa", "unitedstates", "unitedstatesofamerica"].contains(&key(text).as_str())
}

/// A state by its letters, its name, or the beginning of its name: OK, Oklahoma, Okla.
fn state_of(text: &str) -> Option<&'static str> {
    let wanted = key(text);
    if let Some(code) = whole_state(&wanted) {
        return Some(code);
    }
    let mut beginning = STATES.iter().filter(|(_, name)| wanted.len() >= 3 && key(name).starts_with(&wanted));
    match (beginning.next(), beginning.next()) {
        (Some((code, _)), None) => Some(code),
        _ => None,
    }
}

fn whole_state(wanted: &str) -> Option<&'static str> {
    let by_name = || STATES.iter().find(|(_, name)| key(name) == wanted).map(|(code, _)| *code);
    state_code(wanted).or_else(by_name)
}

/// The last words as a state, and the words before them.
fn split_state(text: &str) -> Option<(&str, &'static str)> {
    let ends = text.match_indices(char::is_whitespace).map(|(at, _)| at).rev();
    // The longest first: New Mexico, then Mexico. No name of a state has more than three words.
    let mut splits: Vec<(&str, &str)> = ends.filter_map(|at| text.split_at_checked(at)).collect();
    splits.retain(|(name, state)| count(name) > 0 && (1..=3).contains(&count(state)));
    splits.iter().rev().find_map(|(name, state)| Some((name.trim(), whole_state(&key(state))?)))
}

fn state_at_end(text: &str) -> Option<&'static str> {
    state_of(text).or_else(|| split_state(text).map(|(_, state)| state))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(query: &str) -> Vec<(String, Option<String>, Option<&'static str>)> {
        match read(query) {
            Some(Asked::Named(readings)) => readings.into_iter().map(|r| (r.key, r.county, r.state)).collect(),
            other => panic!("{query}: {other:?}"),
        }
    }

    #[test]
    fn names_with_and_without_a_state() {
        let norman = |state| ("norman".to_owned(), None, state);
        for query in ["Norman, OK", "norman,ok", " Norman ,  Oklahoma ", "Norman, Okla.", "Norman, OK, USA"] {
            assert_eq!(named(query), [norman(Some("OK"))], "{query}");
        }
        assert_eq!(named("Norman"), [norman(None)]);
        assert_eq!(named("Norman OK"), [("normanok".to_owned(), None, None), norman(Some("OK"))]);
        assert_eq!(named("Las Cruces New Mexico")[1], ("lascruces".to_owned(), None, Some("NM")));
        assert_eq!(named("Charleston West Virginia")[1], ("charleston".to_owned(), None, Some("WV")));
        assert_eq!(named("Washington, D.C.")[0], ("washington".to_owned(), None, Some("DC")));
        let county = Some("greenecounty".to_owned());
        assert_eq!(named("Springfield, Greene County, MO")[0], ("springfield".to_owned(), county.clone(), Some("MO")));
        assert_eq!(named("Springfield, Greene County")[0], ("springfield".to_owned(), county, None));
    }

    #[test]
    fn states_alone_and_what_is_none() {
        assert!(matches!(read("Oklahoma"), Some(Asked::State(_))) && matches!(read("new york"), Some(Asked::State(_))));
        assert_eq!(state_of("Miss."), None, "of two states");
        assert_eq!(read("Main Street 5, Paris, France"), None);
        for nothing in ["", "  ", ",", " , ,", "--"] {
            assert_eq!(read(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn zip_codes_in_their_forms() {
        for query in ["73019", " 73019 ", "73019-1234", "73019 1234", "73019, USA"] {
            assert_eq!(read(query), Some(Asked::Zip(73019, None)), "{query}");
        }
        for query in ["Norman, OK 73019", "Norman OK 73019", "Norman, Oklahoma, 73019-1234", "OK 73019"] {
            assert_eq!(read(query), Some(Asked::Zip(73019, Some("OK"))), "{query}");
        }
        assert_eq!(read("01001"), Some(Asked::Zip(1001, None)));
        assert!(matches!(read("7301"), Some(Asked::Named(_))) && matches!(read("730191"), Some(Asked::Named(_))));
    }

    /// The empty half of a pair was once read as 0.
    #[test]
    fn coordinates_are_two_figures_and_nothing_else() {
        for query in ["35.22,-97.44", "35.22, -97.44", "35.22 -97.44", "  35.22  ,-97.44 ", "+35.22,-97.44"] {
            assert_eq!(read(query), Some(Asked::Coordinates(35.22, -97.44)), "{query}");
        }
        for query in ["47.6,", ",-97", "47.6", "35.2,-97.4,3", "nan,-97", "1e1,-97", "35.2N,97.4W"] {
            assert!(!matches!(read(query), Some(Asked::Coordinates(..))), "{query}");
        }
        assert!(matches!(read("97.44 -35.22"), Some(Asked::Coordinates(..))), "out of range is for others to say");
    }
}
