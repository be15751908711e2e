//! What the answer of a push service means (RFC 8030, and what vendors make of it). Pure.

use super::REST;
use crate::outside::guard::Answered;
use std::time::Duration;

/// What the other side said goes into the ledger and the log; more than this is prose.
const WORDS_CHARS_MAX: usize = 200;

/// What an answer means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Taken.
    Accepted {
        /// The status.
        status: u16,
    },
    /// The subscription is over.
    Gone {
        /// Status and words.
        why: String,
    },
    /// We did something wrong, or are believed to.
    OurFault {
        /// Status and words.
        why: String,
    },
    /// Too many bytes.
    TooLarge {
        /// Status and words.
        why: String,
    },
    /// Not now.
    Later {
        /// Status and words.
        why: String,
        /// How long everything for this push service waits.
        hold: Option<Duration>,
        /// How long this delivery waits, if it was said.
        retry_after: Option<Duration>,
    },
}

/// Reads an answer.
pub(super) fn of(answered: Answered) -> Verdict {
    let Answered { status, retry_after, words } = answered;
    let words: String = words.chars().take(WORDS_CHARS_MAX).collect();
    let why = if words.is_empty() { status.to_string() } else { format!("{status} {words}") };
    match status {
        200..=299 => Verdict::Accepted { status },
        404 | 410 => Verdict::Gone { why },
        413 => Verdict::TooLarge { why },
        429 => Verdict::Later { why, hold: Some(retry_after.unwrap_or(REST)), retry_after },
        408 | 425 | 500.. => Verdict::Later { why, hold: retry_after, retry_after },
        // 400, 401, 403; a redirect, which no push service sends; and whatever else nobody has heard of.
        _ => Verdict::OurFault { why },
    }
}
