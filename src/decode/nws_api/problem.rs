//! Problem documents: what the API did not like.

use crate::decode::nws::text::word;
use serde_json::Value;

/// What a refusal says. Everything may be missing: pages of a content network refuse too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// The last part of its `type`: `NotFound`, `InvalidZone`, `MarineForecastNotSupported`.
    pub kind: Option<String>,
    /// What is wrong, in the API's words.
    pub said: Option<String>,
}

/// Texts kept of one problem: there are as many as parameters.
const MESSAGES_MAX: usize = 10;
/// Longest text kept, characters.
const SAID_CHARS_MAX: usize = 600;

/// Reads the body of a refusal. Never fails: what is no problem document says nothing.
pub fn problem(bytes: &[u8]) -> Problem {
    let Ok(document) = serde_json::from_slice::<Value>(bytes) else { return Problem::default() };
    let kind = word(document.get("type"))
        .and_then(|kind| kind.rsplit(['/', '#']).next().map(str::to_owned))
        .filter(|kind| !kind.is_empty() && kind != "about:blank");
    let mut messages: Vec<String> = Vec::new();
    for error in document.get("parameterErrors").and_then(Value::as_array).into_iter().flatten().take(MESSAGES_MAX) {
        if let Some(message) = word(error.get("message"))
            && !messages.contains(&message)
        {
            messages.push(message);
        }
    }
    let detail = || word(document.get("detail")).filter(|detail| detail != "Bad Request");
    let said =
        if messages.is_empty() { detail().or_else(|| word(document.get("title"))) } else { Some(messages.join("; ")) };
    Problem { kind, said: said.map(|said| said.chars().take(SAID_CHARS_MAX).collect()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(document: &Value) -> Option<String> {
        problem(document.to_string().as_bytes()).said
    }

    #[test]
    fn the_most_telling_words_are_taken() {
        let errors = json!([{"parameter": "query.limit", "message": "not recognized"},
            {"message": "not recognized"}, {"message": "no such area"}, {}]);
        assert_eq!(
            said(&json!({"parameterErrors": errors, "detail": "Bad Request"})),
            Some("not recognized; no such area".into())
        );
        let detail = json!({"detail": "Unable to provide data", "title": "Data Unavailable", "parameterErrors": []});
        assert_eq!(said(&detail), Some("Unable to provide data".into()));
        assert_eq!(said(&json!({"detail": "Bad Request", "title": "Bad"})), Some("Bad".into()));
        for nothing in [json!({}), json!([]), json!(null)] {
            assert_eq!(problem(nothing.to_string().as_bytes()), Problem::default());
        }
        assert_eq!(problem(b"<html>"), Problem::default());
    }

    #[test]
    fn the_kind_is_the_end_of_its_type() {
        let kind = |text: &str| problem(json!({"type": text}).to_string().as_bytes()).kind;
        assert_eq!(kind("https://api.weather.gov/problems/InvalidZone"), Some("InvalidZone".into()));
        assert_eq!(kind("https://api.weather.gov/problems/"), None);
        assert_eq!(kind("about:blank"), None);
    }
}
