//! `[channels.email]`: how mail leaves, checked at start so that a wrong pair of port and security is named at once.
//!
//! The password never stands in the file or on the command line: it comes from a file of its own or from the
//! environment, in a type that does not print itself.

use super::tree::Node;
use super::{ConfigError, read_file};
use serde::Deserialize;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Where the section stands.
const SECTION: [&str; 2] = ["channels", "email"];
/// One exchange takes a handshake and a few round trips: shorter breaks greylisting servers, longer delays the next try.
const TIMEOUT_S: std::ops::RangeInclusive<u64> = 5..=600;
/// Submission port that speaks STARTTLS.
const PORT_STARTTLS: u16 = 587;
/// Submission port that speaks TLS from the first byte.
const PORT_TLS: u16 = 465;
/// Port between mail servers.
const PORT_RELAY: u16 = 25;

/// A text that must not be shown.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one place that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// How the connection is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Security {
    /// Plain at first, then upgraded; refused when the server does not offer it.
    StartTls,
    /// TLS from the first byte.
    Tls,
    /// None: on loopback only.
    None,
}

impl Security {
    /// The word for it in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::StartTls => "starttls",
            Self::Tls => "tls",
            Self::None => "none",
        }
    }
}

/// `[channels.email]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmailConfig {
    /// Whether mail is sent at all.
    pub enabled: bool,
    /// The SMTP server.
    pub host: String,
    /// Its port; 0 is the usual one of `security`.
    pub port: u16,
    /// How the connection is protected.
    pub security: Security,
    /// A certificate authority (PEM) to trust besides the system's.
    pub ca_file: Option<PathBuf>,
    /// Login name; `None` sends without login.
    pub username: Option<String>,
    /// File that holds the password.
    pub password_file: Option<PathBuf>,
    /// From `STORMBELL__CHANNELS__EMAIL__PASSWORD` only.
    pub password: Option<Secret>,
    /// Sender: `stormbell <bell@example.org>`.
    pub from: String,
    /// Where answers go, if not to `from`.
    pub reply_to: Option<String>,
    /// Limit on one whole exchange.
    pub timeout_s: u64,
}

impl Default for EmailConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            host: String::new(),
            port: 0,
            security: Security::StartTls,
            ca_file: None,
            username: None,
            password_file: None,
            password: None,
            from: String::new(),
            reply_to: None,
            timeout_s: 60,
        }
    }
}

impl EmailConfig {
    /// The port that is used.
    pub fn effective_port(&self) -> u16 {
        match (self.port, self.security) {
            (0, Security::StartTls) => PORT_STARTTLS,
            (0, Security::Tls) => PORT_TLS,
            (0, Security::None) => PORT_RELAY,
            (port, _) => port,
        }
    }

    /// Limit on one whole exchange.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_s)
    }

    /// The password: from the environment, else from its file; `None` where there is no login.
    pub fn read_password(&self) -> Result<Option<Secret>, ConfigError> {
        match (&self.password, &self.password_file) {
            (Some(secret), _) => Ok(Some(secret.clone())),
            (None, Some(path)) => {
                let of_key = |error: ConfigError| error.of_key("channels.email.password_file");
                let text = read_file(path).map_err(of_key)?;
                let password = text.trim_end_matches(['\r', '\n']);
                if password.is_empty() {
                    let (path, why) =
                        (path.display().to_string(), "is empty: the password is due on its first line".into());
                    return Err(of_key(ConfigError::Unreadable { path, why }));
                }
                Ok(Some(Secret::new(password)))
            }
            (None, None) => Ok(None),
        }
    }

    /// Whether the server is this machine: a loopback address or `localhost`.
    fn on_loopback(&self) -> bool {
        self.host.eq_ignore_ascii_case("localhost")
            || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    /// What works but is probably not meant.
    pub(super) fn warnings(&self) -> Vec<String> {
        let port = self.effective_port();
        let odd = match self.security {
            _ if !self.enabled => None,
            Security::Tls if port == PORT_STARTTLS || port == PORT_RELAY => Some("starttls"),
            Security::None if port == PORT_TLS => Some("tls"),
            Security::StartTls | Security::Tls | Security::None => None,
        };
        odd.map(|usual| {
            format!(
                "channels.email: port {port} usually wants security = \"{usual}\", not \"{}\"",
                self.security.as_str()
            )
        })
        .into_iter()
        .collect()
    }

    /// Ranges and combinations. A disabled channel may be half filled in, but not wrongly.
    pub(super) fn check(&self, root: &Node) -> Result<(), ConfigError> {
        let refuse = |key: &str, why: String| Err(root.invalid(SECTION, key, why));
        if !TIMEOUT_S.contains(&self.timeout_s) {
            return refuse("timeout_s", format!("{} to {}", TIMEOUT_S.start(), TIMEOUT_S.end()));
        }
        for (key, text) in [("from", Some(&self.from)), ("reply_to", self.reply_to.as_ref())] {
            let Some(text) = text.filter(|text| !text.is_empty()) else { continue };
            if let Err(error) = text.parse::<lettre::message::Mailbox>() {
                return refuse(
                    key,
                    format!("{text:?} is not an address such as `stormbell <bell@example.org>`: {error}"),
                );
            }
        }
        if !self.host.is_empty() {
            if self.host.contains(|c: char| c.is_whitespace() || c.is_control() || "/@[]".contains(c)) {
                return refuse("host", format!("{:?} is not a host name: without scheme, port or user", self.host));
            }
            if self.security == Security::None && !self.on_loopback() {
                return refuse(
                    "security",
                    format!("\"none\" is for this machine only, and {} is not: use \"starttls\" or \"tls\"", self.host),
                );
            }
            if self.security == Security::StartTls && self.effective_port() == PORT_TLS {
                return refuse(
                    "security",
                    format!(
                        "port {PORT_TLS} speaks TLS from the first byte: use \"tls\", or port {PORT_STARTTLS} with \"starttls\""
                    ),
                );
            }
        }
        if !self.enabled {
            return Ok(());
        }
        if self.host.is_empty() {
            return refuse("host", "needed where email is enabled".into());
        }
        if self.from.is_empty() {
            return refuse("from", "needed where email is enabled".into());
        }
        let has_password = self.password.is_some() || self.password_file.is_some();
        match (self.username.is_some(), has_password) {
            (true, false) => {
                refuse("username", "needs a password: password_file, or STORMBELL__CHANNELS__EMAIL__PASSWORD".into())
            }
            (false, true) => refuse("username", "a password is given, but no username".into()),
            (true, true) | (false, false) => Ok(()),
        }
    }
}

/// A password in the file would end in backups and version control.
pub(super) fn refuse_password_in_file(root: &Node) -> Result<(), ConfigError> {
    match root.at(&[SECTION[0], SECTION[1], "password"]) {
        Some(node) => Err(ConfigError::Invalid {
            at: node.place.clone(),
            key: "channels.email.password".into(),
            why: "never in this file: use password_file, or STORMBELL__CHANNELS__EMAIL__PASSWORD".into(),
        }),
        None => Ok(()),
    }
}
