//! Why a question has no answer, in the form that prompts rely on: a code, a reason that does not change, words, and what to
//! do about it.

use crate::sources::nws_facts::AskError;
use serde_json::{Map, Value, json};
use thiserror::Error;

/// Kinds of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The arguments cannot be read.
    InvalidParams,
    /// The upstream fails.
    ServiceUnavailable,
    /// There is no such thing.
    NotFound,
    /// The upstream asks for fewer requests.
    RateLimited,
    /// The upstream gave no answer in time.
    Timeout,
    /// The arguments can be read and not be meant.
    ValidationError,
    /// The upstream's answer cannot be read.
    SerializationError,
    /// Anything else.
    Unknown,
}

impl Code {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::InvalidParams,
        Self::ServiceUnavailable,
        Self::NotFound,
        Self::RateLimited,
        Self::Timeout,
        Self::ValidationError,
        Self::SerializationError,
        Self::Unknown,
    ];

    /// In the manner of JSON-RPC.
    pub fn number(self) -> i64 {
        match self {
            Self::InvalidParams => -32602,
            Self::ServiceUnavailable => -32000,
            Self::NotFound => -32001,
            Self::RateLimited => -32003,
            Self::Timeout => -32004,
            Self::ValidationError => -32007,
            Self::SerializationError => -32070,
            Self::Unknown => -32099,
        }
    }

    /// As a word for scripts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidParams => "invalid_params",
            Self::ServiceUnavailable => "service_unavailable",
            Self::NotFound => "not_found",
            Self::RateLimited => "rate_limited",
            Self::Timeout => "timeout",
            Self::ValidationError => "validation_error",
            Self::SerializationError => "unreadable_answer",
            Self::Unknown => "failed",
        }
    }
}

/// Reasons that callers branch on; they never change.
pub mod reason {
    /// No forecasts there at all.
    pub const OUT_OF_SCOPE: &str = "out_of_scope";
    /// Over water.
    pub const MARINE_FORECAST_UNSUPPORTED: &str = "marine_forecast_unsupported";
    /// On land and on no grid.
    pub const NO_FORECAST_GRID: &str = "no_forecast_grid";
    /// Neither a station nor a place.
    pub const MISSING_INPUT: &str = "missing_input";
    /// No such station.
    pub const STATION_NOT_FOUND: &str = "station_not_found";
    /// A station that has not measured lately.
    pub const NO_OBSERVATIONS: &str = "no_observations";
    /// No station around.
    pub const NO_STATIONS_NEARBY: &str = "no_stations_nearby";
    /// Two filters that say where.
    pub const MUTUALLY_EXCLUSIVE_FILTERS: &str = "mutually_exclusive_filters";
    /// No such area.
    pub const INVALID_AREA_CODE: &str = "invalid_area_code";
    /// No such point.
    pub const INVALID_POINT: &str = "invalid_point";
    /// No such zone.
    pub const INVALID_ZONE: &str = "invalid_zone";
    /// The office has written none lately, or there is no such office.
    pub const NO_PRODUCTS: &str = "no_products";
    /// No such forecast zone.
    pub const ZONE_NOT_FOUND: &str = "zone_not_found";
    /// A zone whose forecast is not to be had.
    pub const ZONE_FORECAST_UNAVAILABLE: &str = "zone_forecast_unavailable";
    /// No stretch of time.
    pub const INVALID_TIME_WINDOW: &str = "invalid_time_window";
    /// A cursor of another tool, or of nobody.
    pub const INVALID_CURSOR: &str = "invalid_cursor";
    /// Arguments that do not fit the schema.
    pub const INVALID_ARGUMENTS: &str = "invalid_arguments";

    /// All of them.
    pub const ALL: [&str; 17] = [
        OUT_OF_SCOPE,
        MARINE_FORECAST_UNSUPPORTED,
        NO_FORECAST_GRID,
        MISSING_INPUT,
        STATION_NOT_FOUND,
        NO_OBSERVATIONS,
        NO_STATIONS_NEARBY,
        MUTUALLY_EXCLUSIVE_FILTERS,
        INVALID_AREA_CODE,
        INVALID_POINT,
        INVALID_ZONE,
        NO_PRODUCTS,
        ZONE_NOT_FOUND,
        ZONE_FORECAST_UNAVAILABLE,
        INVALID_TIME_WINDOW,
        INVALID_CURSOR,
        INVALID_ARGUMENTS,
    ];
}

/// A refusal.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{message}")]
pub struct Refusal {
    /// Its kind.
    pub code: Code,
    /// What callers branch on; `None` for the upstream's trouble.
    pub reason: Option<&'static str>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// More about it, by names.
    pub facts: Map<String, Value>,
}

impl Refusal {
    /// With a reason.
    pub fn new(code: Code, reason: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { reason: Some(reason), ..Self::plain(code, message, hint) }
    }

    /// Without one.
    pub fn plain(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, reason: None, message: message.into(), hint: hint.into(), facts: Map::new() }
    }

    /// With one more fact.
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.facts.insert(name.to_owned(), value);
        self
    }

    /// With other words before its own, and another hint.
    pub fn saying(mut self, first: impl Into<String>, hint: impl Into<String>) -> Self {
        self.message = format!("{} {}", first.into(), self.message);
        self.hint = hint.into();
        self
    }

    /// The reason, or the kind where there is none: one word for scripts.
    pub fn kind(&self) -> &'static str {
        self.reason.unwrap_or(self.code.as_str())
    }

    /// A word of `kind` that came from elsewhere.
    pub fn kind_named(word: &str) -> Option<&'static str> {
        let codes = Code::ALL.into_iter().map(Code::as_str);
        reason::ALL.into_iter().chain(codes).find(|kind| *kind == word)
    }

    /// Whether the upstream is at fault.
    pub fn is_of_upstream(&self) -> bool {
        matches!(self.code, Code::ServiceUnavailable | Code::RateLimited | Code::Timeout | Code::SerializationError)
    }

    /// What the upstream's trouble means where nothing more special is known of it.
    pub fn of(error: &AskError) -> Self {
        let text = |what: &str| format!("{what} {error}.");
        match error {
            AskError::Off => Self::plain(
                Code::ServiceUnavailable,
                text("Nothing was asked:"),
                "Set enabled = true under [sources.nws_facts] in stormbell's configuration.",
            ),
            AskError::NotFound { .. } => {
                Self::plain(Code::NotFound, text("The API has no such thing:"), "Check the ids and codes given.")
            }
            AskError::Rejected { .. } => {
                Self::plain(Code::ValidationError, text("The API does not accept this:"), "Check the arguments given.")
            }
            AskError::RateLimited { retry_after, .. } => {
                let wait_s = retry_after.map(|wait| wait.as_secs());
                Self::plain(Code::RateLimited, text("The API gave no answer:"), "Wait a minute, then ask less often.")
                    .with("retryAfterSeconds", json!(wait_s))
            }
            AskError::TimedOut { .. } => {
                Self::plain(Code::Timeout, text("The API gave no answer:"), "Try again in a minute.")
            }
            AskError::Unavailable { .. } => {
                Self::plain(Code::ServiceUnavailable, text("The API gave no answer:"), "Try again in some minutes.")
            }
            AskError::Refused { status: 403, .. } => Self::plain(
                Code::ServiceUnavailable,
                text("The API refuses to answer:"),
                "Set service.contact in stormbell's configuration to a mail address that the NWS can write to.",
            ),
            AskError::Refused { status: 501, .. } => Self::plain(
                Code::ServiceUnavailable,
                text("The API does not do this at present:"),
                "Asking again does not help; try something else.",
            ),
            AskError::Refused { .. } => Self::plain(Code::Unknown, text("Unexpected:"), "Try again in some minutes."),
            AskError::Malformed { .. } => Self::plain(
                Code::SerializationError,
                text("The API's answer cannot be read:"),
                "Asking again at once does not help; try again in some minutes.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn kinds_come_back_from_their_words() {
        let kinds: Vec<&str> = reason::ALL.into_iter().chain(Code::ALL.into_iter().map(Code::as_str)).collect();
        assert!(kinds.iter().all(|kind| Refusal::kind_named(kind) == Some(*kind)));
        assert_eq!(kinds.iter().collect::<BTreeSet<_>>().len(), kinds.len(), "each is one thing");
        assert_eq!(Refusal::kind_named("passwords"), None);
        let numbers: BTreeSet<i64> = Code::ALL.into_iter().map(Code::number).collect();
        assert_eq!(numbers.len(), Code::ALL.len());
    }
}
