//! `watch ...` and `owner ...`: what is watched, and for whom.

use super::{PointArgs, WatchUpdateArgs, Which};
use crate::cli::parse;
use crate::notice::QuietHours;
use crate::threat::Level;
use clap::{Args, Subcommand};
use jiff::Timestamp;

/// `owner ...`.
#[derive(Debug, Subcommand)]
pub enum OwnerCommand {
    /// Add an owner and show their token, this once, with the link that logs them in.
    #[command(after_help = "Examples:
  stormbell owner add anna
  stormbell owner add anna --json

An MCP client sends the token as `Authorization: Bearer TOKEN`. Only a hash of it is kept.")]
    Add {
        /// A name for them, 1 to 80 characters, that no other owner bears.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// List the owners.
    #[command(after_help = "Examples:
  stormbell owner list
  stormbell owner list --json")]
    List,
    /// Give an owner a new token; the former one opens nothing any more.
    #[command(after_help = "Examples:
  stormbell owner renew anna
  stormbell owner renew ow_3f1c2a5d7e90")]
    Renew {
        /// The name, or the id that `owner list` shows.
        #[arg(value_name = "NAME|ID")]
        id: String,
    },
    /// Make the token of an owner worth nothing, at once. Their watch points stay watched.
    #[command(after_help = "Examples:
  stormbell owner revoke anna
  stormbell owner revoke ow_3f1c2a5d7e90")]
    Revoke {
        /// The name, or the id that `owner list` shows.
        #[arg(value_name = "NAME|ID")]
        id: String,
    },
}

/// `watch ...`.
#[derive(Debug, Subcommand)]
pub enum WatchCommand {
    /// Keep a place watched.
    #[command(allow_negative_numbers = true)]
    #[command(after_help = "Examples:
  stormbell watch add home 35.22 -97.44
  stormbell watch add office --place \"Norman, OK\"
  stormbell watch add school 35.34 -97.49 --min-level significant --email me@example.org")]
    Add(WatchAddArgs),
    /// List the watch points with their levels.
    #[command(after_help = "Examples:
  stormbell watch list
  stormbell watch list --json")]
    List,
    /// Change what a watch point tells, to whom and when; what is left out stays.
    #[command(after_help = "Examples:
  stormbell watch update home --min-level significant
  stormbell watch update home --quiet-hours 22:00-07:00
  stormbell watch update home --snooze 3h
  stormbell watch update wp_3f1c2a --snooze none --until none

Significant and extreme break through quiet hours and snooze; what is held comes in a digest.")]
    Update(WatchUpdateArgs),
    /// Say that the present level is known: nothing up to it is told again of this episode, a new maximum is.
    #[command(after_help = "Example:
  stormbell watch ack home")]
    Ack(Which),
    /// Send a labelled test through every channel of a watch point.
    #[command(after_help = "Example:
  stormbell watch test home")]
    Test(Which),
    /// Stop watching; pending notices are dropped, the journal is kept.
    #[command(after_help = "Examples:
  stormbell watch remove home
  stormbell watch remove wp_3f1c2a")]
    Remove(Which),
    /// Confirm an email address by the code in the mail that was sent there.
    #[command(after_help = "Example:
  stormbell watch confirm me@example.org 042137

`watch add` again sends a new code, at most 3 a day to one address.")]
    Confirm {
        /// The address.
        #[arg(value_name = "EMAIL")]
        email: String,
        /// The six digits.
        #[arg(value_name = "CODE")]
        code: String,
    },
}

/// `watch add`.
#[derive(Debug, Args)]
pub struct WatchAddArgs {
    /// A name for it, 1 to 80 characters.
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Where.
    #[command(flatten)]
    pub point: PointArgs,
    /// Nothing below this level is told: none, marginal, elevated, significant or extreme.
    #[arg(long, value_name = "L", default_value = "elevated", value_parser = parse::level)]
    pub min_level: Level,
    /// Where notices go; may be repeated. An address that is not in the configuration gets a confirmation first.
    #[arg(long, value_name = "A")]
    pub email: Vec<String>,
    /// Notices go to the owner's browsers that have push switched on.
    #[arg(long)]
    pub web_push: bool,
    /// When people there sleep, in the place's own time, for instance 22:00-07:00.
    #[arg(long, value_name = "FROM-TO", value_parser = parse::quiet_hours)]
    pub quiet_hours: Option<QuietHours>,
    /// When the watch ends by itself (RFC 3339).
    #[arg(long, value_name = "T", value_parser = parse::time)]
    pub until: Option<Timestamp>,
}
