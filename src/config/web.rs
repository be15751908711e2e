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
    /// Name of the owner whose token may read `/metrics`: Prometheus. Without a token it is the local owner's alone.
    pub metrics_owner: Option<String>,
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

    /// The origin of its pages, with the port, as browsers mean it.
    pub fn public_origin(&self) -> Option<String> {
        let url = self.parsed()?.ok()?;
        Some(format!("{}://{}:{}", url.scheme(), url.host_str()?, url.port_or_known_default()?))
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
        let mut warnings = vec![format!(
            "mcp.bind {} can be reached from outside without encryption: tokens and places go in the clear unless only a \
             reverse proxy with TLS reaches it",
            mcp.bind
        )];
        if mcp.bind.is_unspecified() && mcp.allowed_hosts.is_empty() && self.parsed().is_none() {
            warnings.push(format!(
                "mcp.bind {} takes callers from everywhere, but only those that name a loopback host: name the hosts by which \
                 they reach it in mcp.allowed_hosts, or set web.public_url",
                mcp.bind
            ));
        }
        warnings
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

#[cfg(test)]
mod tests {
    use crate::config::{Config, ConfigError};

    fn read(text: &str) -> Result<Config, ConfigError> {
        Config::from_text("stormbell.toml", text, &[])
    }

    #[test]
    fn the_public_url_is_a_host_that_is_reached_safely() {
        let read_url = |url: &str| read(&format!("[web]\npublic_url = '{url}'"));
        let good = [
            ("https://bell.example.org", "https://bell.example.org", "bell.example.org"),
            ("HTTPS://Bell.Example.org:443/", "https://bell.example.org", "bell.example.org"),
            ("https://bell.example.org:8443", "https://bell.example.org:8443", "bell.example.org"),
            ("http://127.0.0.1:8741", "http://127.0.0.1:8741", "127.0.0.1"),
            ("http://[::1]:8741/", "http://[::1]:8741", "[::1]"),
            ("http://localhost:8741", "http://localhost:8741", "localhost"),
        ];
        for (url, said, host) in good {
            let web = read_url(url).expect(url).web;
            assert_eq!((web.public_url().as_deref(), web.public_host().as_deref()), (Some(said), Some(host)), "{url}");
        }
        assert_eq!(read_url("").expect("empty").web.public_url(), None);
        let bad = [
            ("http://bell.example.org", "would carry tokens in the clear"),
            ("http://192.168.1.4", "would carry tokens in the clear"),
            ("https://bell.example.org/bell", "more than a host and a port"),
            ("https://bell.example.org/?a=b", "more than a host and a port"),
            ("https://bell.example.org/#a", "more than a host and a port"),
            ("https://anna:x@bell.example.org", "more than a host and a port"),
            ("https://0.0.0.0", "no address that anybody can reach"),
            ("bell.example.org", "not a URL"),
            ("ftp://bell.example.org", "not a scheme"),
            ("javascript:alert(1)", "names no host"),
        ];
        for (url, said) in bad {
            let refused = read_url(url).expect_err(url).to_string();
            assert!(refused.starts_with("stormbell.toml:2: web.public_url: ") && refused.contains(said), "{refused}");
        }
        let open = read("[service]\ncontact = 'c'\n[mcp]\nbind = '0.0.0.0'").expect("owners make it safe").warnings();
        assert!(open.iter().any(|warning| warning.contains("without encryption")), "{open:?}");
    }
}
