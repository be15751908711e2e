//! `[channels.web_push]`: who stands behind the pushes, checked at start: push services answer a bad subject with 403, one
//! notice at a time, when it is too late.

use super::tree::Node;
use super::{ConfigError, ServiceConfig};
use crate::outside::guard;
use serde::Deserialize;
use std::time::Duration;

/// Where the section stands.
const SECTION: [&str; 2] = ["channels", "web_push"];
/// One exchange takes a name lookup, a handshake and a round trip: shorter breaks slow lines, longer delays the others.
const TIMEOUT_S: std::ops::RangeInclusive<u64> = 5..=120;
/// Where no mail can be sent to (RFC 2606, RFC 6761, RFC 6762): Apple answers `BadJwtToken` to such (field report P04).
const NO_MAIL: [&str; 8] = ["localhost", "localdomain", "invalid", "test", "example", "local", "internal", "lan"];
/// Names of the documentation: whoever left one in has forgotten to put their own.
const PLACEHOLDERS: [&str; 3] = ["example.org", "example.com", "example.net"];

/// `[channels.web_push]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WebPushConfig {
    /// Whether browsers are pushed to at all.
    pub enabled: bool,
    /// Whom a push service may write to: `mailto:` or `https:`. Empty: `service.contact`.
    pub subject: String,
    /// Lets push services on this machine through, also by http. For tests.
    pub allow_loopback: bool,
    /// Limit on one whole exchange.
    pub timeout_s: u64,
}

impl Default for WebPushConfig {
    fn default() -> Self {
        Self { enabled: false, subject: String::new(), allow_loopback: false, timeout_s: 30 }
    }
}

impl WebPushConfig {
    /// Limit on one whole exchange.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_s)
    }

    /// What stands in the VAPID token as `sub`: the configured subject, else what `service.contact` makes.
    pub fn effective_subject(&self, contact: &str) -> String {
        let contact = contact.trim();
        match self.subject.trim() {
            "" if contact.is_empty() || contact.starts_with("https:") || contact.starts_with("mailto:") => {
                contact.to_owned()
            }
            "" => format!("mailto:{contact}"),
            subject => subject.to_owned(),
        }
    }

    /// What works but is probably not meant.
    pub(super) fn warnings(&self, service: &ServiceConfig) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.enabled {
            return warnings;
        }
        if self.allow_loopback {
            warnings.push(
                "channels.web_push.allow_loopback is for tests: whoever may subscribe can reach this machine".into(),
            );
        }
        let subject = self.effective_subject(&service.contact);
        if PLACEHOLDERS.iter().any(|name| subject.ends_with(name)) {
            warnings.push(format!("channels.web_push: {subject} is the address of an example: put your own"));
        }
        warnings
    }

    /// Ranges and combinations. A disabled channel may be half filled in, but not wrongly.
    pub(super) fn check(&self, service: &ServiceConfig, root: &Node) -> Result<(), ConfigError> {
        let refuse = |key: &str, why: String| Err(root.invalid(SECTION, key, why));
        if !TIMEOUT_S.contains(&self.timeout_s) {
            return refuse("timeout_s", format!("{} to {}", TIMEOUT_S.start(), TIMEOUT_S.end()));
        }
        let subject = self.effective_subject(&service.contact);
        match check_subject(&subject) {
            Ok(()) => Ok(()),
            // The contact of `[service]` may be anything as long as nothing is made of it.
            Err(_) if self.subject.trim().is_empty() && !self.enabled => Ok(()),
            Err(_) if subject.is_empty() => refuse(
                "subject",
                "needed where web push is enabled: \"mailto:you@your.domain\", or set service.contact to your address"
                    .into(),
            ),
            Err(why) => refuse("subject", format!("{subject:?} {why}: push services refuse it")),
        }
    }
}

/// What every push service takes for a subject (RFC 8292, section 2.1, and what Apple makes of it).
fn check_subject(subject: &str) -> Result<(), String> {
    if subject.starts_with("https:") {
        let url = guard::check_url(subject, false).map_err(|error| format!("is no page to find you at ({error})"))?;
        return reachable(url.host_str().unwrap_or_default());
    }
    let Some(address) = subject.strip_prefix("mailto:") else {
        return Err("begins neither with mailto: nor with https:".into());
    };
    if address.starts_with("mailto:") {
        return Err("says mailto: twice".into());
    }
    let address: lettre::Address = address.parse().map_err(|error| format!("is no email address ({error})"))?;
    reachable(address.domain())
}

/// Whether a domain could be one of the world's.
fn reachable(domain: &str) -> Result<(), String> {
    let domain = domain.trim_end_matches('.').to_ascii_lowercase();
    let last = domain.rsplit('.').next().unwrap_or_default();
    let plain = domain.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.');
    if !plain || !domain.contains('.') || NO_MAIL.contains(&last) {
        return Err(format!("names {domain}, which nobody else can reach"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
