//! Why a question to the API has no answer, and whether it is worth asking again.

use crate::decode::nws::NwsError;
use crate::decode::nws_api::Problem;
use crate::outside::OutsideError;
use std::time::Duration;
use thiserror::Error;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AskError {
    /// The configuration switches this source off.
    #[error("the source nws_facts is switched off in the configuration")]
    Off,
    /// 404: there is no such thing.
    #[error("{url} does not exist{}", said(.problem))]
    NotFound {
        /// The request.
        url: String,
        /// What the API says.
        problem: Problem,
    },
    /// 400: the API does not like the request.
    #[error("{url} was rejected{}", said(.problem))]
    Rejected {
        /// The request.
        url: String,
        /// What the API says.
        problem: Problem,
    },
    /// 429: too many requests.
    #[error("{url}: the API asks for fewer requests")]
    RateLimited {
        /// The request.
        url: String,
        /// How long to stay away, if it says.
        retry_after: Option<Duration>,
    },
    /// No whole answer in time.
    #[error("{url} gave no whole answer within {limit_s} s")]
    TimedOut {
        /// The request.
        url: String,
        /// The limit.
        limit_s: u64,
    },
    /// A failure over there or on the way, or a web page in place of the data.
    #[error("{url}: {why}")]
    Unavailable {
        /// The request.
        url: String,
        /// What happened.
        why: String,
        /// The status, where it was one.
        status: Option<u16>,
    },
    /// A status that stays when asked again.
    #[error("{url} answered {status}")]
    Refused {
        /// The request.
        url: String,
        /// The status.
        status: u16,
    },
    /// An answer that cannot be read.
    #[error("{url}: {why}")]
    Malformed {
        /// The request.
        url: String,
        /// What is wrong with it.
        why: String,
    },
}

fn said(problem: &Problem) -> String {
    problem.said.as_ref().map(|said| format!(": {said}")).unwrap_or_default()
}

impl AskError {
    /// Whether the same question may well be answered in some seconds.
    pub fn passes(&self) -> bool {
        match self {
            Self::RateLimited { .. } | Self::TimedOut { .. } | Self::Unavailable { .. } => true,
            Self::Off
            | Self::NotFound { .. }
            | Self::Rejected { .. }
            | Self::Refused { .. }
            | Self::Malformed { .. } => false,
        }
    }

    pub(super) fn of(url: String, error: OutsideError) -> Self {
        match error {
            OutsideError::Timeout { limit_s, .. } => Self::TimedOut { url, limit_s },
            OutsideError::WebPage { .. } => {
                Self::Unavailable { url, why: "it sent a web page in place of the data".to_owned(), status: None }
            }
            OutsideError::Broken { why, .. } => Self::Unavailable { url, why, status: None },
            OutsideError::TooLarge { limit_bytes, .. } => {
                Self::Malformed { url, why: format!("it sent more than {limit_bytes} bytes") }
            }
            OutsideError::Status { status, .. } => Self::Refused { url, status },
            OutsideError::Absent { .. } => Self::NotFound { url, problem: Problem::default() },
        }
    }

    pub(super) fn malformed(url: String, why: &NwsError) -> Self {
        Self::Malformed { url, why: why.to_string() }
    }
}
