//! The command tree as typed by a person: clap derive types, one example block per command.
//!
//! Boundaries: ✓ what may be typed and its help text. ✗ no meaning: `cli::parse` checks the values, `cli` dispatches.

use super::parse::{self, NamedPlace, Speed};
use clap::{Args, Parser, Subcommand};
use jiff::Timestamp;
use std::path::PathBuf;

/// Watches places in the continental US for severe weather and rings a bell when the threat changes.
///
/// Informational only. Not a substitute for official NWS warnings.
#[derive(Debug, Parser)]
#[command(name = "stormbell", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Examples:
  stormbell demo                               a recorded storm, explained, offline
  stormbell init                               first steps: configuration, data directory, keys
  stormbell watch add home 35.22 -97.44        keep a place watched
  stormbell serve                              live: feeds, notices, MCP at http://127.0.0.1:8741/mcp
  stormbell mcp                                MCP over stdio, for Claude Desktop and other clients

Exit codes: 0 fine, 1 failed, 2 wrong usage.")]
pub struct Cli {
    /// What applies to every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options that may stand before or after the subcommand.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// Directory of the store; default: STORMBELL_DATA, else the configuration's, else the platform's data directory.
    /// A recorded day (replay, --archive) is kept in memory alone unless this option is given.
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Configuration file; default: ./stormbell.toml, else the platform's config directory.
    #[arg(long, global = true, value_name = "FILE", env = "STORMBELL_CONFIG")]
    pub config: Option<PathBuf>,
    /// One JSON document on stdout (replay: one object a line) instead of text.
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make configuration, data directory and keys where they are missing, and say what is next. Changes nothing that is there.
    #[command(after_help = "Examples:
  stormbell init
  stormbell init --config /etc/stormbell/stormbell.toml --data-dir /var/lib/stormbell
  stormbell init --json

The configuration is commented out line by line; --data-dir is kept in it. Keep a copy of vapid-key.pem.")]
    Init,
    /// Run the pipeline, the web page and the HTTP MCP door until stopped; prints both addresses.
    #[command(after_help = "Examples:
  stormbell serve
  stormbell serve --port 8760 --data-dir /var/lib/stormbell
  stormbell serve --archive fixtures/days/2031-05-09 --speed 60")]
    Serve(ServeArgs),
    /// Speak MCP on stdin and stdout; bridges to a running `serve` on the same data directory.
    #[command(after_help = "Examples:
  stormbell mcp
  stormbell mcp --archive fixtures/days/2031-05-09 --speed 60
  claude mcp add stormbell -- stormbell mcp")]
    Mcp(McpArgs),
    /// What threatens this place now, and why.
    #[command(allow_negative_numbers = true)]
    #[command(after_help = "Examples:
  stormbell brief 35.22 -97.44
  stormbell brief --place \"Norman, OK\" --json
  stormbell brief 37.74 -98.21 --archive fixtures/days/2031-05-09 --at 2031-05-09T21:45:00Z")]
    Brief(BriefArgs),
    /// Draw the air over a place as skew-T with hodograph and indices: a model's profile, or a sounding text file.
    #[command(allow_negative_numbers = true)]
    #[command(after_help = "Examples:
  stormbell sounding 35.34 -97.49 --png moore.png
  stormbell sounding --place 73160 --png moore.png
  stormbell sounding 35.34 -97.49 --png moore.png --archive DAY --at 2026-06-10T21:40:00Z
  stormbell sounding --file 14061619.OAX --png oax.png

The picture is written whole or not at all. A profile that is too old to judge from is drawn and says so.")]
    Sounding(SoundingArgs),
    /// Draw what is seen: watch points with their levels, warnings, outlook, radar, and what cannot be seen.
    #[command(allow_negative_numbers = true)]
    #[command(after_help = "Examples:
  stormbell map --png now.png
  stormbell map --png home.png --around 40.52,-92.90 --radius-km 150
  stormbell map --png norman.png --place \"Norman, OK\"
  stormbell map --png then.png --archive DAY --at 2026-06-10T21:40:00Z --watch unionville,40.52,-92.90

Watch points of the store are drawn with the level that stands there; those of --watch are judged from what the map shows.
With --archive the store is only read when --data-dir names one.")]
    Map(MapArgs),
    /// Find a place by name or ZIP code, offline: coordinates, county, people, time zone.
    #[command(allow_negative_numbers = true)]
    #[command(after_help = "Examples:
  stormbell geocode Norman, OK
  stormbell geocode Springfield --limit 20
  stormbell geocode \"Springfield, Greene County, MO\" --json
  stormbell geocode 73019

Exit code 1 when nothing matches. Place names: GeoNames (geonames.org), CC BY 4.0; ZIP codes: USPS and GeoNames; counties: US Census Bureau.")]
    Geocode(GeocodeArgs),
    /// Routine facts of the National Weather Service: forecasts, alerts, observations, stations, discussions.
    #[command(after_help = "Examples:
  stormbell nws forecast --place \"Norman, OK\"
  stormbell nws alerts --area OK --severity Extreme
  stormbell nws hourly 37.74 -98.21 --archive fixtures/nws_facts --at 2031-05-09T21:00:00Z")]
    Nws(NwsArgs),
    /// Add, list, change and remove watch points.
    #[command(subcommand)]
    Watch(WatchCommand),
    /// People who watch from elsewhere: each has a token for the web page and for MCP over HTTP.
    #[command(subcommand)]
    Owner(OwnerCommand),
    /// Why a watch point stood at its level, and what was told of it: the journal around an instant.
    #[command(after_help = "Examples:
  stormbell explain home
  stormbell explain home --at 2026-06-10T21:31:00Z
  stormbell explain wp_3f1c2a --at 2026-06-10T16:04:00-05:00 --json

Answers why it said significant at 21:31 and why nothing was told at 21:04, from the journal, the ledger and the outbox
alone, and says whether judging the journalled evidence again gives the same to the byte.")]
    Explain(ExplainArgs),
    /// Run the whole pipeline over a recorded day.
    #[command(after_help = "Examples:
  stormbell replay fixtures/days/2031-05-09 --watch lark,37.74,-98.21
  stormbell replay DAY --watch home,40.52,-92.90 --watch work,35.34,-97.49 --json
  stormbell replay DAY --watch home,40.52,-92.90 --speed 60 --until 2026-06-10T22:00:00Z

At --speed max (the default) channels are recorded, not sent.")]
    Replay(ReplayArgs),
    /// Score levels and notices against storm reports at the watched points: hits, misses, false alarms, lead time.
    #[command(after_help = "Examples:
  stormbell verify fixtures/days/2031-05-09 --watch lark,37.74,-98.21
  stormbell verify DAY --watch home,40.52,-92.90 --radius-km 60 --window-min 45 --json
  stormbell verify                                    the journal of the data directory, reports from IEM's archive
  stormbell verify /var/lib/stormbell --reports lsr.geojson

An event is a report within the radius: a tornado (a waterspout within 15 km), hail of at least 1 in, or thunderstorm wind.
It is hit at a level if that level or a higher one stood (or had been told) within the window before it, else missed. A
spell of a level without an event from its beginning to the window after its end is a false alarm; one that may still be
verified is undecided. POD = hits / events; FAR = false alarms / decided spells; CSI = 1 / (1/POD + 1/(1-FAR) - 1)
(Schaefer 1990, Wea. Forecasting 5). Misses while something unseen could have meant the level are counted as misses and
shown apart; a quiet or a blind hour is never counted as correct. Reports come late: score a day some days after it.")]
    Verify(VerifyArgs),
    /// Replay the bundled day and explain what happens. Needs no network.
    #[command(after_help = "Examples:
  stormbell demo
  stormbell demo --json")]
    Demo,
    /// Work with recorded days.
    #[command(subcommand)]
    Archive(ArchiveCommand),
    /// Look into the store and into files.
    #[command(subcommand)]
    Debug(DebugCommand),
}

/// `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Port of the web page and the MCP door; 0 takes a free one. Default: the configuration's, else 8741.
    #[arg(long, value_name = "P")]
    pub port: Option<u16>,
    /// Which world to live in.
    #[command(flatten)]
    pub world: World,
}

/// `mcp`.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Which world to live in.
    #[command(flatten)]
    pub world: World,
}

/// Live, or a recorded day with its own clock.
#[derive(Debug, Clone, Args)]
pub struct World {
    /// Live through this recorded day instead of the live feeds.
    #[arg(long, value_name = "DIR")]
    pub archive: Option<PathBuf>,
    /// Virtual seconds a second of the recorded day.
    #[arg(long, value_name = "N", requires = "archive", value_parser = parse::finite_speed)]
    pub speed: Option<f64>,
}

/// `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The recorded day: a folder with archive.toml and timeline.jsonl.
    #[arg(value_name = "ARCHIVE")]
    pub archive: PathBuf,
    /// A place to watch during the replay; may be repeated.
    #[arg(long, value_name = "NAME,LAT,LON|NAME=PLACE", value_parser = parse::named_place, allow_hyphen_values = true)]
    pub watch: Vec<NamedPlace>,
    /// `max`, or virtual seconds a second.
    #[arg(long, value_name = "max|N", default_value = "max", value_parser = parse::speed)]
    pub speed: Speed,
    /// Stop at this instant (RFC 3339); default: the archive's `to`.
    #[arg(long, value_name = "T", value_parser = parse::time)]
    pub until: Option<Timestamp>,
    /// Start at this instant (RFC 3339); default: where the data directory stopped, else the archive's `from`.
    #[arg(long, value_name = "T", value_parser = parse::time)]
    pub from: Option<Timestamp>,
}

/// `archive ...`.
#[derive(Debug, Subcommand)]
pub enum ArchiveCommand {
    /// Serve a recorded day over loopback as a real HTTP and S3 endpoint.
    #[command(after_help = "Examples:
  stormbell archive serve fixtures/days/2031-05-09
  stormbell archive serve DAY --port 9000 --speed 10

Point the base URLs and the S3 endpoint of the configuration at the address it prints on stderr.")]
    Serve {
        /// The recorded day.
        #[arg(value_name = "DIR")]
        dir: PathBuf,
        /// Port on loopback; 0 takes a free one.
        #[arg(long, value_name = "P", default_value_t = 0)]
        port: u16,
        /// Virtual seconds a second.
        #[arg(long, value_name = "N", default_value = "1", value_parser = parse::finite_speed)]
        speed: f64,
    },
}

mod debug;
mod nws;
mod watch;
pub use debug::{DebugCommand, DecodeArgs, ROWS_DEFAULT, RowLimit, Table};
pub use watch::{ExplainArgs, VerifyArgs, WatchUpdateArgs, Which};

mod pictures;
mod point;
mod watching;
pub use nws::{
    AlertFilters, DiscussionQuestion, NwsArgs, NwsQuestion, ObservationQuestion, PagedPoint, StationQuestion,
};
pub use pictures::{MapArgs, SoundingArgs};
pub use point::{BriefArgs, GeocodeArgs, PointArgs, UsPointArgs, named};
pub use watching::{OwnerCommand, WatchAddArgs, WatchCommand};

#[cfg(test)]
mod tests;
