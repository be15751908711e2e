//! Why a command cannot be carried out, as far as the command line tells cases apart.

use crate::channels::OpenError;
use crate::config::ConfigError;
use crate::desk::DeskError;
use crate::outside::live::LiveError;
use crate::store::StoreError;
use thiserror::Error;

/// Why a command cannot be carried out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AppError {
    /// Another process owns the data directory.
    #[error("the data directory is in use by process {}", .pid.map_or_else(|| "(unknown)".to_owned(), |pid| pid.to_string()))]
    InUse {
        /// Which, if it said.
        pid: Option<u32>,
    },
    /// A key of the configuration is unknown or out of range.
    #[error("{why}")]
    Config {
        /// File and line, key and accepted range.
        why: String,
    },
    /// A recorded day that cannot be used.
    #[error("{archive}: {why}")]
    Archive {
        /// The folder.
        archive: String,
        /// What is wrong, with the line of the timeline where there is one.
        why: String,
    },
    /// The store cannot be opened, read or written.
    #[error("{why}")]
    Store {
        /// What is wrong, with the directory.
        why: String,
    },
    /// The store is damaged.
    #[error("{why}")]
    Damaged {
        /// What is wrong, with the directory.
        why: String,
    },
    /// A command that only looks found no store.
    #[error("there is no store in {dir}")]
    NoStore {
        /// The directory.
        dir: String,
    },
    /// Values of a command that do not go together.
    #[error("{why}")]
    Usage {
        /// Which, and why not.
        why: String,
    },
    /// The store was written by a newer version.
    #[error("{why}")]
    NewerStore {
        /// Directory and both layouts.
        why: String,
    },
    /// The desk refused.
    #[error(transparent)]
    Desk(#[from] DeskError),
    /// No such thing.
    #[error("no {what} {id:?}")]
    NotFound {
        /// Of what kind.
        what: &'static str,
        /// The id given.
        id: String,
    },
    /// Anything else that ended the command.
    #[error("{0}")]
    Running(String),
}

impl From<ConfigError> for AppError {
    fn from(error: ConfigError) -> Self {
        Self::Config { why: error.to_string() }
    }
}

impl From<OpenError> for AppError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Email(error) => Self::Config { why: error.to_string() },
            OpenError::WebPush(error) => Self::Running(error.to_string()),
            OpenError::Keys(error) => error.into(),
        }
    }
}

impl From<LiveError> for AppError {
    fn from(error: LiveError) -> Self {
        Self::Running(error.to_string())
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::InUse { pid, .. } => Self::InUse { pid },
            StoreError::Corrupt { .. } => Self::Damaged { why: error.to_string() },
            StoreError::Newer { .. } => Self::NewerStore { why: error.to_string() },
            other => Self::Store { why: other.to_string() },
        }
    }
}
