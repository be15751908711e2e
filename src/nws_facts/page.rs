//! Pages of lists, and cursors that carry their query.
//!
//! A cursor is base64 of a JSON object. It is checked like any argument: a page may be asked for by anybody.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The largest page that may be asked for; what is above a list's own cap is served as the cap.
pub const LIMIT_MAX: u32 = 10_000;
/// Longest cursor read. One with every filter set is below 1 kB; event names may have 5,000 characters, six bytes each where
/// JSON escapes them, a third more in base64.
const CURSOR_BYTES_MAX: usize = 64 << 10;
/// Rows passed over at most: no list is that long.
const OFFSET_MAX: u64 = 1_000_000;

/// A cursor that this list did not make.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cursor: {0}")]
pub struct BadCursor(pub String);

/// A page of a list that was fetched whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Rows passed over.
    pub offset: u64,
    /// Rows of a page.
    pub limit: u32,
}

impl Window {
    /// The first page.
    pub fn first(limit: u32) -> Self {
        Self { offset: 0, limit }
    }

    /// A window that a cursor carried, checked against the cap of its list.
    ///
    /// # Errors
    /// `BadCursor` for one that no page of this list can have.
    pub fn checked(self, cap: u32) -> Result<Self, BadCursor> {
        if self.limit == 0 || self.limit > cap || self.offset > OFFSET_MAX {
            return Err(BadCursor("its offset or limit is out of range".to_owned()));
        }
        Ok(self)
    }

    /// The rows of this page, and the window of the next where there is one.
    pub fn of<'a, T>(&self, rows: &'a [T]) -> (&'a [T], Option<Self>) {
        let from = usize::try_from(self.offset).unwrap_or(usize::MAX).min(rows.len());
        let to = from.saturating_add(self.limit as usize).min(rows.len());
        let next = (to < rows.len()).then_some(Self { offset: to as u64, limit: self.limit });
        (rows.get(from..to).unwrap_or_default(), next)
    }
}

/// How many rows are served of how many asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What was asked for, where it is more than is served.
    pub requested: Option<u32>,
    /// What is served.
    pub effective: u32,
}

impl Limit {
    /// Serves the cap where more is asked for.
    pub fn clamped(asked: u32, cap: u32) -> Self {
        Self { requested: (asked > cap).then_some(asked), effective: asked.clamp(1, cap) }
    }
}

/// A token that carries `what`.
pub fn cursor<T: Serialize>(what: &T) -> Option<String> {
    // Fails for maps with keys that are no strings: no token has one.
    serde_json::to_vec(what).ok().map(|json| BASE64_URL_SAFE_NO_PAD.encode(json))
}

/// What a token carries. Padded and unpadded, standard and URL-safe base64 are read.
///
/// # Errors
/// `BadCursor` for what no list of this kind made.
pub fn read_cursor<T: DeserializeOwned>(token: &str) -> Result<T, BadCursor> {
    let token = token.trim();
    if token.len() > CURSOR_BYTES_MAX {
        return Err(BadCursor(format!("it has {} characters", token.len())));
    }
    let safe: String = token.trim_end_matches('=').replace('+', "-").replace('/', "_");
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(safe).map_err(|_| BadCursor("it is not base64".to_owned()))?;
    let unfit = |error| BadCursor(format!("it does not fit this tool: {error}"));
    // By name only: a list of values would be read as the fields in their order.
    let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&bytes).map_err(unfit)?;
    T::deserialize(serde_json::Value::Object(fields)).map_err(unfit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::prelude::BASE64_STANDARD;
    use proptest::prelude::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Token {
        offset: u64,
        limit: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        area: Option<String>,
    }

    #[test]
    fn tokens_go_and_come_back_and_older_ones_without_a_query_are_read() {
        let token = Token { offset: 25, limit: 25, area: Some("OK?>>".to_owned()) };
        let text = cursor(&token).unwrap();
        assert_eq!(read_cursor::<Token>(&format!(" {text} ")), Ok(token));
        let old = BASE64_STANDARD.encode(r#"{"offset":5,"limit":25}"#);
        assert!(old.ends_with('='), "this one is padded: {old}");
        assert_eq!(read_cursor::<Token>(&old), Ok(Token { offset: 5, limit: 25, area: None }));
        for bad in [
            "%%%",
            "eyJ",
            &BASE64_STANDARD.encode("[25, 25]"),
            &BASE64_STANDARD.encode(r#"{"offset":2.5,"limit":25}"#),
            &BASE64_STANDARD.encode(r#"{"offset":-1,"limit":25}"#),
            &BASE64_STANDARD.encode(r#"{"offset":"25","limit":25}"#),
            &BASE64_STANDARD.encode(r#"{"offset":25}"#),
            &BASE64_STANDARD.encode(r#"{"offset":25,"limit":25,"hourly":true}"#),
            &"A".repeat(CURSOR_BYTES_MAX + 1),
        ] {
            assert!(read_cursor::<Token>(bad).is_err(), "{bad}");
        }
        assert!(Window { offset: 0, limit: 0 }.checked(25).is_err());
        assert!(Window { offset: 0, limit: 26 }.checked(25).is_err());
        assert!(Window { offset: u64::MAX, limit: 25 }.checked(25).is_err());
    }

    #[test]
    fn more_than_the_cap_is_served_as_the_cap_and_told() {
        assert_eq!(Limit::clamped(10, 25), Limit { requested: None, effective: 10 });
        assert_eq!(Limit::clamped(25, 25), Limit { requested: None, effective: 25 });
        assert_eq!(Limit::clamped(500, 25), Limit { requested: Some(500), effective: 25 });
    }

    proptest! {
        /// Turning pages shows every row once, in order, and ends.
        #[test]
        fn pages_show_every_row_once(rows in 0_usize..300, limit in 1_u32..60) {
            let all: Vec<usize> = (0..rows).collect();
            let (mut seen, mut window) = (Vec::new(), Some(Window::first(limit)));
            while let Some(page) = window {
                let (shown, next) = page.of(&all);
                prop_assert!(shown.len() <= limit as usize);
                seen.extend_from_slice(shown);
                window = next;
            }
            prop_assert_eq!(seen, all);
        }
    }
}
