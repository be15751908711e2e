//! `[web]`: where the web page is for those who reach it from outside.

use super::tree::Node;
use super::{ConfigError, McpConfig};
use reqwest::Url;
use serde::Deserialize;
use std::net::IpAddr;

const KEY: [&str; 2] = ["web", "public_url"];

/// `[web]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WebConfig {
    /// What people type to reach this service: `https://bell.example.org`. Links in mails lead there. `None`: mails carry no
    /// links, and loopback without a token is the local owner.
    pub public_url: Option<String>,
}

impl WebConfig {
    /// The public address as scheme, host and port without a closing slash.
    pub fn public_url(&self) -> Option<String> {
        Some(self.parsed()?.ok()?.origin().ascii_serialization())
    }

    /// The host that callers from outside name.
    pub fn public_host(&self) -> Option<String> {
        self.parsed()?.ok()?.host_str().map(str::to_owned)
    }

    fn parsed(&self) -> Option<Result<Url, String>> {
        let text = self.public_url.as_deref().map(str::trim).filter(|text| !text.is_empty())?;
        Some(checked(text))
    }

    pub(super) fn check(&self, root: &Node) -> Result<(), ConfigError> {
        match self.parsed() {
            None | Some(Ok(_)) => Ok(()),
            Some(Err(why)) => Err(ConfigError::Invalid { at: root.place_of(&KEY), key: KEY.join("."), why }),
        }
    }

    /// What works but is probably not meant.
    pub(super) fn warnings(&self, mcp: &McpConfig) -> Vec<String> {
        if mcp.bind.is_loopback() {
            return Vec::new();
        }
        vec![format!(
            "mcp.bind {} can be reached from outside without encryption: tokens and places go in the clear unless only a \
             reverse proxy with TLS reaches it",
            mcp.bind
        )]
    }
}

fn checked(text: &str) -> Result<Url, String> {
    let example = "write scheme, host and port alone, for instance https://bell.example.org";
    let url = Url::parse(text).map_err(|error| format!("{text:?} is not a URL ({error}): {example}"))?;
    let host = url.host_str().ok_or_else(|| format!("{text:?} names no host: {example}"))?;
    let ip = host.trim_matches(['[', ']']).parse::<IpAddr>().ok();
    let on_loopback = host.eq_ignore_ascii_case("localhost") || ip.is_some_and(|ip| ip.is_loopback());
    match url.scheme() {
        "https" => {}
        "http" if on_loopback => {}
        "http" => {
            return Err(format!("{text:?} would carry tokens in the clear: use https (http is for loopback alone)"));
        }
        other => return Err(format!("{other:?} is not a scheme that browsers open here: use https")),
    }
    if ip.is_some_and(|ip| ip.is_unspecified()) {
        return Err(format!("{host} is no address that anybody can reach: {example}"));
    }
    let bare = url.username().is_empty() && url.password().is_none();
    if !bare || url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
        return Err(format!("{text:?} has more than a host and a port: {example}"));
    }
    Ok(url)
}
