//! The guard before addresses that come from outside (push endpoints, and any URL that somebody hands in): this process must
//! not be made to ask something that only it can reach.
//!
//! `check_url` judges a URL by itself, when it is handed in and again at each use. What a name stands for is judged when it
//! is looked up: `GuardedClient` connects to the very addresses that were judged, follows no redirects and asks no proxy,
//! which would look names up by itself.

mod addresses;
mod client;

pub use addresses::is_public;
pub use client::{Answered, GuardedClient, Lookup, Post, PostError, SystemLookup};

use reqwest::Url;
use std::net::IpAddr;
use thiserror::Error;
use url::Host;

/// Push endpoints have some 200 characters; longer than this is no address that anybody handed out.
pub const URL_CHARS_MAX: usize = 2_048;

/// Last labels of names that mean something of one house or one machine alone (RFC 6761, RFC 6762, RFC 8375, and what
/// routers hand out).
const PRIVATE_NAMES: [&str; 12] = [
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "private",
    "lan",
    "home",
    "corp",
    "home.arpa",
    "onion",
    "invalid",
];

/// Why a URL from outside is not asked. Shows the host alone: the rest of a push endpoint is its owner's secret.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GuardError {
    /// No URL, or not one with a host.
    #[error("not a web address: {why}")]
    NotAUrl {
        /// What the parser said.
        why: String,
    },
    /// Not https.
    #[error("{scheme}:// is refused: only https:// is asked")]
    NotHttps {
        /// What it is instead.
        scheme: String,
    },
    /// `https://user:password@host`.
    #[error("an address with a user or password in it is refused")]
    Credentials,
    /// A host that is not out in the public network, by its spelling.
    #[error("{host} is refused: it is not in the public internet")]
    PrivateHost {
        /// As the parser reads it: `0x7f.1` is 127.0.0.1.
        host: String,
    },
    /// A name all of whose addresses are not public.
    #[error("{host} is refused: it stands for {address}, which is not in the public internet")]
    PrivateAddress {
        /// The name.
        host: String,
        /// One of them.
        address: IpAddr,
    },
}

/// Judges a URL from outside by itself, without asking anybody. `allow_loopback` lets through addresses of this machine, also
/// by http: for tests against a server on it.
///
/// # Errors
/// Says why it must not be asked.
pub fn check_url(text: &str, allow_loopback: bool) -> Result<Url, GuardError> {
    let not_a_url = |why: String| GuardError::NotAUrl { why };
    if text.len() > URL_CHARS_MAX {
        return Err(not_a_url(format!("longer than {URL_CHARS_MAX} characters")));
    }
    let url = Url::parse(text).map_err(|error| not_a_url(error.to_string()))?;
    let host = url.host().ok_or_else(|| not_a_url("no host".to_owned()))?;
    let loopback = allow_loopback && is_loopback(&host);
    match url.scheme() {
        "https" => {}
        "http" if loopback => {}
        scheme => return Err(GuardError::NotHttps { scheme: scheme.to_owned() }),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(GuardError::Credentials);
    }
    let public = match &host {
        Host::Ipv4(address) => is_public((*address).into()),
        Host::Ipv6(address) => is_public((*address).into()),
        Host::Domain(name) => is_public_name(name),
    };
    let refused = || GuardError::PrivateHost { host: host.to_string() };
    if url.port() == Some(0) || !(public || loopback) { Err(refused()) } else { Ok(url) }
}

/// Whether a looked-up address may be connected to.
fn may_connect(address: IpAddr, allow_loopback: bool) -> bool {
    is_public(address) || (allow_loopback && address.is_loopback())
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
        Host::Domain(name) => plain(name) == "localhost",
    }
}

/// A name of at least two labels that is not of one house alone.
fn is_public_name(name: &str) -> bool {
    let name = plain(name);
    let is_below = |last: &str| name.strip_suffix(last).is_some_and(|head| head.is_empty() || head.ends_with('.'));
    name.contains('.') && !PRIVATE_NAMES.into_iter().any(is_below)
}

/// Without the dot of the root: `localhost.` is `localhost`.
fn plain(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
