//! From the tree to typed structs by serde, keeping the place of whatever is wrong.
//!
//! Why an own `Deserializer`: toml's loses the spans of merged values, and a value from the environment has to take the
//! type of the key that it is read as.

use super::ConfigError;
use super::tree::{Node, Place, Value, array_of};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use std::collections::btree_map;
use std::fmt;

/// How far a key may be from a known one to be offered as "did you mean": a third of its letters, at least two.
const NEAR_LETTERS_MIN: usize = 2;

/// Reads `node`, which stands at `key` (dotted), as a `T`.
pub(super) fn read<T: DeserializeOwned>(node: &Node, key: &str) -> Result<T, ConfigError> {
    T::deserialize(Reader(node)).map_err(|error| error.into_config_error(node, key))
}

/// The known key nearest to a misspelt one.
pub(super) fn nearest<'a>(key: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = NEAR_LETTERS_MIN.max(key.len() / 3);
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(key, candidate), candidate))
        .filter(|(distance, _)| *distance <= near)
        .min()
        .map(|(_, candidate)| candidate.to_owned())
}

/// What serde found wrong, with the way to it.
#[derive(Debug)]
struct ReadError {
    kind: Kind,
    /// Keys from the innermost outwards.
    path: Vec<String>,
    place: Option<Place>,
}

#[derive(Debug)]
enum Kind {
    Unknown { key: String, known: &'static [&'static str] },
    Other(String),
}

impl ReadError {
    /// Adds one step of the way; the innermost place stays.
    fn under(mut self, key: &str, place: &Place) -> Self {
        self.path.push(key.to_owned());
        self.place.get_or_insert_with(|| place.clone());
        self
    }

    fn placed(mut self, place: &Place) -> Self {
        self.place.get_or_insert_with(|| place.clone());
        self
    }

    fn into_config_error(self, node: &Node, key: &str) -> ConfigError {
        let at = self.place.unwrap_or_else(|| node.place.clone());
        let mut parts: Vec<String> = if key.is_empty() { Vec::new() } else { vec![key.to_owned()] };
        parts.extend(self.path.into_iter().rev());
        match self.kind {
            Kind::Unknown { key, known } => {
                let nearest = nearest(&key, known.iter().copied());
                parts.push(key);
                ConfigError::UnknownKey { at, key: parts.join("."), nearest }
            }
            Kind::Other(why) => ConfigError::Invalid { at, key: parts.join("."), why },
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Unknown { key, .. } => write!(f, "unknown key {key}"),
            Kind::Other(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for ReadError {}

impl serde::de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { kind: Kind::Other(message.to_string()), path: Vec::new(), place: None }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self { kind: Kind::Unknown { key: field.to_owned(), known: expected }, path: Vec::new(), place: None }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::custom(format!("{variant:?} is not one of {}", expected.join(", ")))
    }
}

struct Reader<'a>(&'a Node);

impl Reader<'_> {
    /// The value as text of the environment, where it is that.
    fn untyped(&self) -> Option<&str> {
        match &self.0.value {
            Value::Untyped(text) => Some(text.trim()),
            _ => None,
        }
    }
}

/// Whole numbers: a variable's text is parsed, a file's value goes as it is.
macro_rules! whole_numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            match self.untyped() {
                Some(text) => match text.parse() {
                    Ok(number) => visitor.visit_i64(number),
                    Err(_) => Err(serde::de::Error::custom(format!("{text:?} is not a whole number"))),
                },
                None => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match &self.0.value {
            Value::Text(text) | Value::Untyped(text) => visitor.visit_str(text),
            Value::Integer(number) => visitor.visit_i64(*number),
            Value::Float(number) => visitor.visit_f64(*number),
            Value::Boolean(yes) => visitor.visit_bool(*yes),
            Value::Array(items) => visitor.visit_seq(Items(items.iter())),
            Value::Table(entries) => visitor.visit_map(Entries { left: entries.iter(), current: None }),
        }
    }

    whole_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.untyped() {
            Some(text) => match text.parse() {
                Ok(number) => visitor.visit_f64(number),
                Err(_) => Err(serde::de::Error::custom(format!("{text:?} is not a number"))),
            },
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.untyped() {
            Some(text) => match text.parse() {
                Ok(yes) => visitor.visit_bool(yes),
                Err(_) => Err(serde::de::Error::custom(format!("{text:?} is neither true nor false"))),
            },
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.untyped() {
            Some("") => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let Some(text) = self.untyped() else { return self.deserialize_any(visitor) };
        let items = if text.starts_with('[') {
            array_of(text, &self.0.place)
                .ok_or_else(|| <ReadError as serde::de::Error>::custom("write [\"a\", \"b\"], or a, b"))?
        } else {
            let untyped = |item: &str| Node { value: Value::Untyped(item.to_owned()), place: self.0.place.clone() };
            text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(untyped).collect()
        };
        visitor.visit_seq(Items(items.iter()))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match &self.0.value {
            Value::Text(word) | Value::Untyped(word) => visitor.visit_enum(word.trim().into_deserializer()),
            _ => Err(serde::de::Error::custom(format!("write one of the words {}", variants.join(", ")))),
        }
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'a>(std::slice::Iter<'a, Node>);

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some(item) = self.0.next() else { return Ok(None) };
        seed.deserialize(Reader(item)).map(Some).map_err(|error| error.placed(&item.place))
    }
}

struct Entries<'a> {
    left: btree_map::Iter<'a, String, Node>,
    current: Option<(&'a str, &'a Node)>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        let Some((key, node)) = self.left.next() else { return Ok(None) };
        self.current = Some((key, node));
        seed.deserialize(key.as_str().into_deserializer())
            .map(Some)
            .map_err(|error: ReadError| error.placed(&node.place))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let Some((key, node)) = self.current.take() else {
            return Err(serde::de::Error::custom("a value without a key"));
        };
        seed.deserialize(Reader(node)).map_err(|error| error.under(key, &node.place))
    }
}
