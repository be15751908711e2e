//! `stormbell debug ...`: looking into the store and into files.

use super::parse::{self, Radius};
use crate::geo::LatLon;
use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;
use std::path::PathBuf;

/// `debug ...`.
#[derive(Debug, Subcommand)]
pub enum DebugCommand {
    /// The whole store at a glance: counts, health, the oldest unsent notice.
    #[command(after_help = "Example:\n  stormbell debug state --json")]
    State,
    /// Watch points as registered.
    #[command(after_help = "Example:\n  stormbell debug points --json")]
    Points,
    /// The level that stands for each watch point, and what it rests on.
    #[command(after_help = "Example:\n  stormbell debug levels")]
    Levels,
    /// Why levels moved, newest last.
    #[command(after_help = "Examples:\n  stormbell debug journal\n  stormbell debug journal --limit 5 --json")]
    Journal(RowLimit),
    /// What still has to be told.
    #[command(after_help = "Example:\n  stormbell debug outbox")]
    Outbox,
    /// What has really been told, and what was given up.
    #[command(after_help = "Examples:\n  stormbell debug ledger\n  stormbell debug ledger --limit 20 --json")]
    Ledger(RowLimit),
    /// What quiet hours, a snooze or an owner's limit hold back, and until when.
    #[command(after_help = "Example:\n  stormbell debug held")]
    Held,
    /// How long notices took, stage by stage: issued, seen, decided, handed over.
    #[command(after_help = "Examples:\n  stormbell debug latency\n  stormbell debug latency --limit 200 --json")]
    Latency(RowLimit),
    /// How far each source has read.
    #[command(after_help = "Example:\n  stormbell debug cursors")]
    Cursors,
    /// How each source fares: last poll, last good poll, faults.
    #[command(after_help = "Example:\n  stormbell debug sources")]
    Sources,
    /// Put a fresh store with all that can be read in the place of a damaged one. The damaged one is kept beside it.
    #[command(after_help = "Example:
  stormbell debug repair --data-dir /var/lib/stormbell --yes

Without --yes it only says what is wrong. The damaged store stays as <data dir>.damaged-<time>, and nothing is deleted. Nobody
may use the store meanwhile: stop `serve` first.")]
    Repair {
        /// Do it.
        #[arg(long)]
        yes: bool,
    },
    /// What is seen in this file, as normalised JSON.
    #[command(after_help = "Examples:
  stormbell debug decode nws active.json --at 35.22,-97.44 --at-utc 2031-05-09T21:45:00Z
  stormbell debug decode mrms MRMS_MESH_Max_60min_00.50_20310509-214200.grib2.gz --at 37.74,-98.21 --radius-km 40 --json
  stormbell debug decode rap rap.t20z.awp130pgrbf00.grib2 --at 35.34,-97.49")]
    Decode(DecodeArgs),
    /// What the soundings in a text file tell about storms: SPC/SHARPpy %RAW%, BUFKIT, or a University of Wyoming page.
    #[command(after_help = "Examples:
  stormbell debug sounding 14061619.OAX
  stormbell debug sounding rap_oun.buf --json")]
    Sounding {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

impl DebugCommand {
    /// The table this command shows, for those that show one.
    pub fn table(&self) -> Option<(Table, usize)> {
        match self {
            Self::State => Some((Table::State, ROWS_DEFAULT)),
            Self::Points => Some((Table::Points, ROWS_DEFAULT)),
            Self::Levels => Some((Table::Levels, ROWS_DEFAULT)),
            Self::Journal(rows) => Some((Table::Journal, rows.limit)),
            Self::Outbox => Some((Table::Outbox, ROWS_DEFAULT)),
            Self::Ledger(rows) => Some((Table::Ledger, rows.limit)),
            Self::Held => Some((Table::Held, ROWS_DEFAULT)),
            Self::Latency(rows) => Some((Table::Latency, rows.limit)),
            Self::Cursors => Some((Table::Cursors, ROWS_DEFAULT)),
            Self::Sources => Some((Table::Sources, ROWS_DEFAULT)),
            Self::Repair { .. } | Self::Decode(_) | Self::Sounding { .. } => None,
        }
    }
}

/// Rows shown when no limit is given: more than fits a screen, less than a journal of a busy spring.
pub const ROWS_DEFAULT: usize = 1000;

/// How many rows.
#[derive(Debug, Clone, Copy, Args)]
pub struct RowLimit {
    /// At most this many rows, the newest ones.
    #[arg(long, value_name = "N", default_value_t = ROWS_DEFAULT)]
    pub limit: usize,
}

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
    /// Held notices.
    Held,
    /// Latency of notices.
    Latency,
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
            Self::Held => "held",
            Self::Latency => "latency",
            Self::Cursors => "cursors",
            Self::Sources => "sources",
        }
    }
}

/// `debug decode`.
#[derive(Debug, Args)]
pub struct DecodeArgs {
    /// What kind of file: nws, mrms, spc, rap (any model GRIB), lsr, glm or level2.
    #[arg(value_name = "SOURCE")]
    pub source: String,
    /// The file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Also tell what lies around this place.
    #[arg(long, value_name = "LAT,LON|PLACE", value_parser = parse::spot, allow_hyphen_values = true)]
    pub at: Option<LatLon>,
    /// How far around; clamped to 1..500 km.
    #[arg(long, value_name = "R", default_value = "40", value_parser = parse::radius_km, allow_negative_numbers = true)]
    pub radius_km: Radius,
    /// The instant that "active" is meant for (RFC 3339); default: the newest `sent` in the file.
    #[arg(long, value_name = "T", value_parser = parse::time)]
    pub at_utc: Option<Timestamp>,
}
