//! The configuration as a tree of values that know where they were written: a line of a file, or a variable.
//!
//! Boundaries: ✓ TOML text and environment variables to one tree. ✗ no meaning of keys (see `read` and the structs).

use super::ConfigError;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Variables with this prefix set keys: `STORMBELL__SECTION__KEY`.
pub const VARIABLE_PREFIX: &str = "STORMBELL__";

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line of a file, counted from 1.
    File {
        /// The file as it was named.
        path: String,
        /// The line.
        line: usize,
    },
    /// An environment variable.
    Variable(String),
    /// Nowhere: the value is the built-in one.
    BuiltIn,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(f, "{path}:{line}"),
            Self::Variable(name) => f.write_str(name),
            Self::BuiltIn => f.write_str("configuration"),
        }
    }
}

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) place: Place,
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Array(Vec<Node>),
    Table(BTreeMap<String, Node>),
    /// From the environment: takes the type of the key that it is read as.
    Untyped(String),
}

impl Node {
    /// Reads TOML; `path` is how the file is called in messages.
    pub(super) fn parse(path: &str, text: &str) -> Result<Self, ConfigError> {
        let table = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
            at: place(path, text, error.span().map_or(0, |span| span.start)),
            why: one_line(error.message()),
        })?;
        table_node(path, text, table.get_ref(), Place::File { path: path.to_owned(), line: 1 })
    }

    /// The entry at `keys`, if any.
    pub(super) fn at(&self, keys: &[&str]) -> Option<&Self> {
        keys.iter().try_fold(self, |node, key| match &node.value {
            Value::Table(entries) => entries.get(*key),
            _ => None,
        })
    }

    /// Where the value of `keys` was written.
    pub(super) fn place_of(&self, keys: &[&str]) -> Place {
        self.at(keys).map_or(Place::BuiltIn, |node| node.place.clone())
    }

    /// What is wrong with a key of a section. One that is missing altogether is looked for where the section is.
    pub(super) fn invalid(&self, section: [&str; 2], key: &str, why: String) -> ConfigError {
        let keys = [section[0], section[1], key];
        let at = match self.place_of(&keys) {
            Place::BuiltIn => self.place_of(&section),
            place => place,
        };
        ConfigError::Invalid { at, key: keys.join("."), why }
    }

    /// Lays the `STORMBELL__SECTION__KEY` variables over the tree. Names are put in order first, so that the outcome
    /// does not depend on the order of the environment.
    pub(super) fn overlay(&mut self, variables: &[(OsString, OsString)]) -> Result<(), ConfigError> {
        let mut ours: Vec<_> = variables
            .iter()
            .filter_map(|(name, value)| {
                let name = name.to_str()?;
                Some((name, name.strip_prefix(VARIABLE_PREFIX)?.to_ascii_lowercase(), value))
            })
            .collect();
        ours.sort();
        for (name, keys, value) in ours {
            let at = Place::Variable(name.to_owned());
            let invalid =
                |why: &str| ConfigError::Invalid { at: at.clone(), key: keys.replace("__", "."), why: why.into() };
            let value = value.to_str().ok_or_else(|| invalid("the value is not UTF-8"))?;
            let path: Vec<&str> = keys.split("__").collect();
            if path.iter().any(|key| key.is_empty()) {
                return Err(invalid("write STORMBELL__SECTION__KEY, with two underscores between the parts"));
            }
            let leaf = Self { value: Value::Untyped(value.to_owned()), place: at.clone() };
            self.insert(&path, leaf).map_err(|parent| invalid(&format!("{parent} is a value, not a section")))?;
        }
        Ok(())
    }

    /// Puts `leaf` at `path`, making tables on the way. `Err` names an entry on the way that is no table.
    fn insert(&mut self, path: &[&str], leaf: Self) -> Result<(), String> {
        let Some((key, rest)) = path.split_first() else { return Ok(()) };
        let Value::Table(entries) = &mut self.value else { return Err("an outer key".to_owned()) };
        if rest.is_empty() {
            entries.insert((*key).to_owned(), leaf);
            return Ok(());
        }
        let place = leaf.place.clone();
        let next =
            entries.entry((*key).to_owned()).or_insert_with(|| Self { value: Value::Table(BTreeMap::new()), place });
        if !matches!(next.value, Value::Table(_)) {
            return Err((*key).to_owned());
        }
        next.insert(rest, leaf)
    }
}

/// Reads a TOML array out of a variable: `["a", "b"]`.
pub(super) fn array_of(text: &str, place: &Place) -> Option<Vec<Node>> {
    let value = DeValue::parse(text).ok()?;
    let array = value.get_ref().as_array()?;
    array.iter().map(|item| node("", "", item, Some(place.clone())).ok()).collect()
}

fn table_node(path: &str, text: &str, table: &DeTable<'_>, at: Place) -> Result<Node, ConfigError> {
    let mut entries = BTreeMap::new();
    for (key, value) in table {
        // The key's line, not the value's: that is where a person looks.
        let at = place(path, text, key.span().start);
        entries.insert(key.get_ref().to_string(), node(path, text, value, Some(at))?);
    }
    Ok(Node { value: Value::Table(entries), place: at })
}

fn node(path: &str, text: &str, value: &Spanned<DeValue<'_>>, at: Option<Place>) -> Result<Node, ConfigError> {
    let at = at.unwrap_or_else(|| place(path, text, value.span().start));
    let invalid = |why: String| ConfigError::Syntax { at: at.clone(), why };
    let read = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => Value::Integer(
            i64::from_str_radix(number.as_str(), number.radix())
                .map_err(|_| invalid(format!("{number} is too large a number")))?,
        ),
        DeValue::Float(number) => {
            Value::Float(number.as_str().parse().map_err(|_| invalid(format!("{} is not a number", number.as_str())))?)
        }
        DeValue::Boolean(yes) => Value::Boolean(*yes),
        DeValue::Datetime(time) => Value::Text(time.to_string()),
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| node(path, text, item, None)).collect::<Result<_, ConfigError>>()?)
        }
        DeValue::Table(table) => return table_node(path, text, table, at),
    };
    Ok(Node { value: read, place: at })
}

fn place(path: &str, text: &str, offset: usize) -> Place {
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    Place::File { path: path.to_owned(), line: before.iter().filter(|byte| **byte == b'\n').count() + 1 }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
