//! Configuration: one TOML file, laid over the built-in defaults, under `STORMBELL__SECTION__KEY` variables.
//!
//! Boundaries: ✓ finding and reading the file, refusing what is misspelt, from the future or out of range, with file,
//! line and the nearest known key. ✗ sources' blocks are kept as trees: each source reads its own with
//! `Config::source`. Every key with its default and a comment: `config/default.toml`.

use crate::notice::{Address, ChannelKind};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use thiserror::Error;

mod email;
mod find;
mod read;
mod sources;
mod tree;
mod web;
mod web_push;

pub use email::{EmailConfig, Secret, Security};
pub use find::{Found, find, write_first};
use tree::{Node, Value};
pub use tree::{Place, VARIABLE_PREFIX};
pub use web::WebConfig;
pub use web_push::WebPushConfig;

/// The shipped `config/default.toml`: every key, its default, a comment each.
pub const DEFAULT_TOML: &str = include_str!("../config/default.toml");
/// What `stormbell init` writes for a household that has no configuration: all of it commented out.
pub const HOUSEHOLD_TOML: &str = include_str!("../config/household.toml");
/// Names the configuration file, like `--config`.
pub const CONFIG_VARIABLE: &str = "STORMBELL_CONFIG";
/// Looked for in the working directory.
const FILE_HERE: &str = "stormbell.toml";
/// Folder of this program below the platform's config and data directories.
const PROGRAM_FOLDER: &str = "stormbell";
/// A configuration file larger than this is some other file.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// A level held longer than this after its evidence ended would tell people of a storm long gone.
const HOLD_MINUTES_MAX: u32 = 180;
/// Watch points of one store: a picture is assessed for all of them at each report.
const POINTS_MAX: usize = 1_000_000;

/// More notices than one every four seconds nobody reads.
const NOTICES_AN_HOUR_MAX: usize = 1_000;

/// Why the configuration is refused. Nothing is half applied.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {why}")]
    Unreadable {
        /// As it was named.
        path: String,
        /// What the system said.
        why: String,
    },
    /// Not TOML.
    #[error("{at}: {why}")]
    Syntax {
        /// File and line.
        at: Place,
        /// What the parser said.
        why: String,
    },
    /// A misspelt key, or one of a later version.
    #[error("{at}: unknown key {key}{}", .nearest.as_ref().map(|n| format!(" (did you mean {n}?)")).unwrap_or_default())]
    UnknownKey {
        /// File and line, or the variable.
        at: Place,
        /// The whole key, dotted.
        key: String,
        /// The nearest key known in that section.
        nearest: Option<String>,
    },
    /// A value of the wrong type, or out of range.
    #[error("{at}: {key}: {why}")]
    Invalid {
        /// File and line, or the variable.
        at: Place,
        /// The whole key, dotted.
        key: String,
        /// What is accepted.
        why: String,
    },
}

/// The whole configuration, checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    /// `[service]`
    pub service: ServiceConfig,
    /// `[owner]`
    pub owner: OwnerConfig,
    /// `[channels]`
    pub channels: ChannelsConfig,
    /// `[mcp]`
    pub mcp: McpConfig,
    /// `[web]`
    pub web: WebConfig,
    /// `[limits]`
    pub limits: LimitsConfig,
    /// The file that was read, if any.
    pub file: Option<PathBuf>,
    sources: BTreeMap<String, Node>,
}

/// `[service]`: the program as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServiceConfig {
    /// Whom upstreams may write to; stands in the User-Agent. NWS asks for one.
    pub contact: String,
    /// Where the store is; `None` is the platform's data directory. `--data-dir` and `STORMBELL_DATA` come first.
    pub data_dir: Option<PathBuf>,
    /// How long a lower level must have held before it is believed.
    pub hold_minutes: u32,
}

impl Default for ServiceConfig {
    fn default() -> Self {
        Self { contact: String::new(), data_dir: None, hold_minutes: 10 }
    }
}

/// `[owner]`: the local owner.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OwnerConfig {
    /// Their own email addresses. They count as proven: no confirmation is asked for.
    pub emails: Vec<String>,
}

/// `[channels]`: ways to reach a person.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChannelsConfig {
    /// `[channels.email]`
    pub email: EmailConfig,
    /// `[channels.web_push]`
    pub web_push: WebPushConfig,
}

/// `[mcp]`: the HTTP door.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct McpConfig {
    /// Address to listen on; one that is not loopback needs owners with tokens.
    pub bind: IpAddr,
    /// Port to listen on; 0 lets the system choose.
    pub port: u16,
    /// `Host` headers accepted besides loopback names.
    pub allowed_hosts: Vec<String>,
    /// `Origin` headers accepted besides none at all.
    pub allowed_origins: Vec<String>,
}

impl Default for McpConfig {
    fn default() -> Self {
        Self {
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 8741,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
        }
    }
}

/// `[limits]`: how much one store bears.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// Watch points of one owner.
    pub points_per_owner: usize,
    /// Watch points of all owners.
    pub points_total: usize,
    /// Notices of one owner within an hour; what is above it waits for a digest, but for what is told whatever the hour.
    pub notices_per_owner_hour: usize,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self { points_per_owner: 1_000, points_total: 100_000, notices_per_owner_hour: 30 }
    }
}

/// What of the machine decides which file is read: replaced in tests.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Environment variables.
    pub variables: Vec<(OsString, OsString)>,
    /// Where `./stormbell.toml` is looked for.
    pub working_dir: PathBuf,
    /// The platform's config directory.
    pub config_dir: Option<PathBuf>,
}

impl Surroundings {
    /// The real ones.
    pub fn of_this_process() -> Self {
        use etcetera::BaseStrategy;
        Self {
            variables: std::env::vars_os().collect(),
            working_dir: PathBuf::new(),
            config_dir: etcetera::choose_base_strategy().ok().map(|strategy| strategy.config_dir()),
        }
    }
}

impl Config {
    /// Reads the configuration: `--config FILE`, else `STORMBELL_CONFIG`, else `./stormbell.toml`, else the platform's
    /// config directory, else the defaults; then the variables. A file that was named must be there.
    pub fn load(named: Option<&Path>) -> Result<Self, ConfigError> {
        Self::load_in(named, &Surroundings::of_this_process())
    }

    /// `load` in given surroundings.
    pub fn load_in(named: Option<&Path>, around: &Surroundings) -> Result<Self, ConfigError> {
        let (file, text) = match find(named, around) {
            Found::Named(path) | Found::There(path) => {
                let text = read_file(&path)?;
                (Some(path), text)
            }
            Found::Nowhere(_) => (None, String::new()),
        };
        let name = file.as_ref().map_or_else(String::new, |path| path.display().to_string());
        Ok(Self { file, ..Self::from_text(&name, &text, &around.variables)? })
    }

    /// Reads TOML text; `name` is how the file is called in messages.
    pub fn from_text(name: &str, text: &str, variables: &[(OsString, OsString)]) -> Result<Self, ConfigError> {
        let mut root = Node::parse(name, text)?;
        email::refuse_password_in_file(&root)?;
        root.overlay(variables)?;
        let mut config = Self::default();
        let Value::Table(sections) = &root.value else { return Ok(config) };
        for (section, node) in sections {
            match section.as_str() {
                "service" => config.service = read::read(node, section)?,
                "owner" => config.owner = read::read(node, section)?,
                "channels" => config.channels = read::read(node, section)?,
                "mcp" => config.mcp = read::read(node, section)?,
                "web" => config.web = read::read(node, section)?,
                "limits" => config.limits = read::read(node, section)?,
                "sources" => config.sources = sources::blocks(node)?,
                _ => {
                    let known = ["service", "owner", "channels", "mcp", "web", "limits", "sources"];
                    let nearest = read::nearest(section, known);
                    return Err(ConfigError::UnknownKey { at: node.place.clone(), key: section.clone(), nearest });
                }
            }
        }
        config.check(&root)?;
        Ok(config)
    }

    /// What works but is probably not meant, a line each.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.channels.email.warnings();
        warnings.extend(self.channels.web_push.warnings(&self.service));
        if self.service.contact.is_empty() {
            warnings.push("service.contact is empty: NWS asks every program for an address to write to".into());
        }
        warnings.extend(self.web.warnings(&self.mcp));
        warnings
    }

    /// The User-Agent of every request.
    pub fn user_agent(&self) -> String {
        let program = concat!("stormbell/", env!("CARGO_PKG_VERSION"));
        if self.service.contact.is_empty() { program.into() } else { format!("{program} ({})", self.service.contact) }
    }

    /// Whether this email address stands in the local owner's own configuration, and so needs no confirmation.
    pub fn is_proven_email(&self, address: &str) -> bool {
        self.owner.emails.iter().any(|own| own.trim().eq_ignore_ascii_case(address.trim()))
    }

    /// The local owner's own email addresses.
    pub fn own_addresses(&self) -> Vec<Address> {
        let own = self.owner.emails.iter();
        own.map(|to| Address { kind: ChannelKind::Email, to: to.trim().to_owned() }).collect()
    }

    /// Where the store is: what was named (`--data-dir`, `STORMBELL_DATA`), else `service.data_dir`, else the platform's
    /// data directory.
    pub fn data_dir(&self, named: Option<&Path>) -> Result<PathBuf, ConfigError> {
        use etcetera::BaseStrategy;
        if let Some(path) = named.or(self.service.data_dir.as_deref()) {
            return Ok(path.to_path_buf());
        }
        etcetera::choose_base_strategy().map(|strategy| strategy.data_dir().join(PROGRAM_FOLDER)).map_err(|error| {
            ConfigError::Invalid {
                at: Place::BuiltIn,
                key: "service.data_dir".into(),
                why: format!("{error}: name one, or use --data-dir"),
            }
        })
    }

    /// Ranges and combinations; types are checked already.
    fn check(&self, root: &Node) -> Result<(), ConfigError> {
        let refuse = |keys: &[&str], why: String| {
            Err(ConfigError::Invalid { at: root.place_of(keys), key: keys.join("."), why })
        };
        if self.service.hold_minutes > HOLD_MINUTES_MAX {
            return refuse(&["service", "hold_minutes"], format!("0 to {HOLD_MINUTES_MAX}"));
        }
        let contact = &self.service.contact;
        if contact.len() > 200
            || !contact.chars().all(|c| c.is_ascii_graphic() || c == ' ')
            || contact.contains(['(', ')'])
        {
            return refuse(&["service", "contact"], "an address in plain ASCII, without parentheses".into());
        }
        for address in &self.owner.emails {
            if let Err(error) = address.parse::<lettre::Address>() {
                return refuse(&["owner", "emails"], format!("{address:?} is not an email address: {error}"));
            }
        }
        self.web.check(root)?;
        for (key, limit) in
            [("points_per_owner", self.limits.points_per_owner), ("points_total", self.limits.points_total)]
        {
            if !(1..=POINTS_MAX).contains(&limit) {
                return refuse(&["limits", key], format!("1 to {POINTS_MAX}"));
            }
        }
        let notices = self.limits.notices_per_owner_hour;
        if !(1..=NOTICES_AN_HOUR_MAX).contains(&notices) {
            return refuse(&["limits", "notices_per_owner_hour"], format!("1 to {NOTICES_AN_HOUR_MAX}"));
        }
        self.channels.web_push.check(&self.service, root)?;
        self.channels.email.check(root)
    }
}

impl ConfigError {
    /// The same of a file that a key names.
    fn of_key(self, key: &str) -> Self {
        match self {
            Self::Unreadable { path, why } => Self::Unreadable { path: format!("{key}: {path}"), why },
            other => other,
        }
    }
}

fn read_file(path: &Path) -> Result<String, ConfigError> {
    let unreadable = |why: String| ConfigError::Unreadable { path: path.display().to_string(), why };
    let file = std::fs::File::open(path).map_err(|error| unreadable(error.to_string()))?;
    let mut text = String::new();
    file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text).map_err(|error| unreadable(error.to_string()))?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(unreadable(format!("larger than {FILE_BYTES_MAX} bytes: not a configuration file")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
