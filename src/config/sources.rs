//! The blocks `[sources.<name>]`: kept as trees, since each source knows its own keys; only `enabled` is everybody's.

use super::tree::{Node, Place, Value};
use super::{Config, ConfigError, DEFAULT_TOML, read};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Ends the keys of a source's block that hold an upstream's address.
const URL_SUFFIX: &str = "_url";
/// The key of a source's block that switches it off.
const ENABLED_KEY: &str = "enabled";

impl Config {
    /// The block `[sources.<name>]` as the source's own struct; its defaults where there is none. The struct derives
    /// `Deserialize` and `Default`, with `#[serde(deny_unknown_fields, default)]`; the key `enabled`, which every block may
    /// have, is not for it.
    ///
    /// # Errors
    /// An unknown key, or a value of the wrong type.
    pub fn source<T: DeserializeOwned + Default>(&self, name: &str) -> Result<T, ConfigError> {
        let Some(node) = self.sources.get(name) else { return Ok(T::default()) };
        let mut own = node.clone();
        if let Value::Table(entries) = &mut own.value {
            entries.remove(ENABLED_KEY);
        }
        read::read(&own, &format!("sources.{name}"))
    }

    /// Whether a source is asked at all: `[sources.<name>] enabled`, true unless set.
    ///
    /// # Errors
    /// When the key is set to anything but true or false.
    pub fn is_source_enabled(&self, name: &str) -> Result<bool, ConfigError> {
        let set = self.sources.get(name).and_then(|node| node.at(&[ENABLED_KEY]));
        set.map_or(Ok(true), |node| read::read(node, &format!("sources.{name}.{ENABLED_KEY}")))
    }

    /// Complains about a value of a source's block, which the source itself found out of range.
    pub fn invalid_source_key(&self, name: &str, key: &str, why: impl Into<String>) -> ConfigError {
        let at = self.sources.get(name).map_or(Place::BuiltIn, |node| node.place_of(&[key]));
        ConfigError::Invalid { at, key: format!("sources.{name}.{key}"), why: why.into() }
    }
}

/// An upstream's address; refused here rather than found out at each poll.
fn checked_url(set: &str) -> Result<(), String> {
    let wanted = "an address such as \"https://api.weather.gov\" is due here";
    let url = reqwest::Url::parse(set).map_err(|error| format!("{set:?}: {error}; {wanted}"))?;
    let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    match matches!(url.scheme(), "http" | "https") && url.has_host() && plain {
        true => Ok(()),
        false => Err(format!("{set:?}: {wanted}: http or https, a host, no user, no query")),
    }
}

/// The blocks under `[sources]`. Known names are those of the shipped defaults: every source has its block there.
pub(super) fn blocks(node: &Node) -> Result<BTreeMap<String, Node>, ConfigError> {
    let not_a_table = |node: &Node, key: &str| ConfigError::Invalid {
        at: node.place.clone(),
        key: key.to_owned(),
        why: "a section is due here".into(),
    };
    let Value::Table(blocks) = &node.value else { return Err(not_a_table(node, "sources")) };
    let shipped = Node::parse("config/default.toml", DEFAULT_TOML)?;
    let known: Vec<&str> = match shipped.at(&["sources"]).map(|sources| &sources.value) {
        Some(Value::Table(blocks)) => blocks.keys().map(String::as_str).collect(),
        Some(_) | None => Vec::new(),
    };
    for (name, block) in blocks {
        let key = format!("sources.{name}");
        if !known.contains(&name.as_str()) {
            let nearest = read::nearest(name, known.iter().copied());
            return Err(ConfigError::UnknownKey { at: block.place.clone(), key, nearest });
        }
        let Value::Table(entries) = &block.value else { return Err(not_a_table(block, &key)) };
        for (entry, node) in entries.iter().filter(|(entry, _)| entry.ends_with(URL_SUFFIX)) {
            let set: String = read::read(node, &format!("{key}.{entry}"))?;
            if let Err(why) = checked_url(&set) {
                return Err(ConfigError::Invalid { at: node.place.clone(), key: format!("{key}.{entry}"), why });
            }
        }
    }
    Ok(blocks.clone())
}
