//! The tables of the store, by the words under which they are asked for.

use clap::ValueEnum;

/// The tables of the store that people and scripts may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Table {
    /// Counts and health.
    State,
    /// Watch points.
    Points,
    /// Levels.
    Levels,
    /// Journal.
    Journal,
    /// Outbox.
    Outbox,
    /// Ledger.
    Ledger,
    /// Cursors.
    Cursors,
    /// Source statuses.
    Sources,
}

impl Table {
    /// The word for it: the subcommand, and what a client asks over the local socket.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Points => "points",
            Self::Levels => "levels",
            Self::Journal => "journal",
            Self::Outbox => "outbox",
            Self::Ledger => "ledger",
            Self::Cursors => "cursors",
            Self::Sources => "sources",
        }
    }
}
