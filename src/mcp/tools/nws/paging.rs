//! Pages of lists that are fetched whole. A cursor carries the question that it goes on with, so that it never turns the pages
//! of another one: on such a page the arguments and their limit are not read again.

use super::reading::{bad_cursor, token};
use super::reply::{PageFacts, Served};
use crate::desk::enquiries::Refusal;
use crate::nws_facts::page::{Limit, Window, cursor};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a cursor carries. Older ones carry no question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Token<Q> {
    offset: u64,
    limit: u32,
    #[serde(default = "nothing", skip_serializing_if = "Option::is_none")]
    query: Option<Q>,
}

fn nothing<Q>() -> Option<Q> {
    None
}

/// The page that is asked for.
pub struct Turn<Q> {
    window: Window,
    limit: Limit,
    /// The question that the cursor carries.
    pub query: Option<Q>,
}

impl<Q: Serialize + DeserializeOwned> Turn<Q> {
    /// The page of a cursor, else the first one with `asked` rows; at most `cap`.
    ///
    /// # Errors
    /// `invalid_cursor` for one that this tool did not make.
    pub fn of(cursor: Option<&str>, asked: u32, cap: u32) -> Result<Self, Refusal> {
        let Some(Token { offset, limit, query }) = token::<Token<Q>>(cursor)? else {
            let limit = Limit::clamped(asked, cap);
            return Ok(Self { window: Window::first(limit.effective), limit, query: None });
        };
        let window = Window { offset, limit }.checked(cap).map_err(|error| bad_cursor(&error))?;
        Ok(Self { window, limit: Limit::clamped(limit, cap), query })
    }

    /// The rows of this page and what it tells of the list; `notes` come before its own.
    pub fn page<'a, T>(&self, rows: &'a [T], query: Q, mut notes: Vec<String>) -> (&'a [T], PageFacts) {
        let (shown, next) = self.window.of(rows);
        let next_cursor =
            next.and_then(|next| cursor(&Token { offset: next.offset, limit: next.limit, query: Some(query) }));
        if shown.is_empty() && !rows.is_empty() {
            notes.push("This page lies beyond the end of the list.".to_owned());
        }
        let served = Served::new(next_cursor, self.limit, &notes);
        (shown, PageFacts { total_count: rows.len(), shown: shown.len(), served })
    }
}
