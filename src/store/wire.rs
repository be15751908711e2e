//! How a row lies in sled: one format byte, then postcard. One impl of `Wire` per tree names its format and is the place
//! where rows of an older format are brought forward.

use super::error::StoreError;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Largest row, bytes. A journal entry or a rendered notice has some kB; anything near this is a mistake of ours, and
/// would make every later reading of its tree expensive.
pub(super) const ROW_BYTES_MAX: usize = 4 << 20;

/// A row of one tree.
pub(super) trait Wire: Serialize + DeserializeOwned {
    /// Name of the tree.
    const TREE: &'static str;
    /// Format that this build writes. Raise it when the fields of the row change, and read the former one in `from_older`.
    const FORMAT: u8;

    /// Reads a row of an older format, where there is one.
    fn from_older(format: u8, _body: &[u8]) -> Result<Self, String> {
        Err(format!("it has format {format}, this build reads format {}", Self::FORMAT))
    }

    /// What the types cannot say: whether the values make sense.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The bytes of a row.
pub(super) fn encode<T: Wire>(key: &[u8], row: &T) -> Result<Vec<u8>, StoreError> {
    let bytes = postcard::to_extend(row, vec![T::FORMAT]).map_err(|error| StoreError::Row {
        tree: T::TREE,
        key: key_text(key),
        why: error.to_string(),
    })?;
    if bytes.len() > ROW_BYTES_MAX {
        return Err(StoreError::TooLarge {
            tree: T::TREE,
            key: key_text(key),
            bytes: bytes.len(),
            limit: ROW_BYTES_MAX,
        });
    }
    Ok(bytes)
}

/// The row of these bytes, or what is wrong with them.
pub(super) fn decode<T: Wire>(key: &[u8], bytes: &[u8]) -> Result<T, StoreError> {
    read(bytes).map_err(|why| StoreError::Row { tree: T::TREE, key: key_text(key), why })
}

fn read<T: Wire>(bytes: &[u8]) -> Result<T, String> {
    let (&format, body) = bytes.split_first().ok_or("it is empty")?;
    let row = if format == T::FORMAT {
        let (row, rest) = postcard::take_from_bytes::<T>(body).map_err(|error| error.to_string())?;
        if !rest.is_empty() {
            return Err(format!("{} bytes too many", rest.len()));
        }
        row
    } else if format > T::FORMAT {
        return Err(format!("it has format {format}, which a newer stormbell wrote"));
    } else {
        T::from_older(format, body)?
    };
    row.check()?;
    Ok(row)
}

/// A key for a person: text as it is, eight bytes as the number they are, else hexadecimal.
pub(super) fn key_text(key: &[u8]) -> String {
    if let Ok(number) = <[u8; 8]>::try_from(key)
        && number.first() == Some(&0)
    {
        return u64::from_be_bytes(number).to_string();
    }
    match std::str::from_utf8(key) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        Ok(_) | Err(_) => key.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// The number that a running key stands for.
pub(super) fn key_number(key: &[u8]) -> Option<u64> {
    key.try_into().ok().map(u64::from_be_bytes)
}

/// The rows of one tree that could be read, and what was wrong with the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed<T> {
    /// In key order, or in the order that the listing call names.
    pub rows: Vec<T>,
    /// One error per row that could not be read, naming its tree and key.
    pub damaged: Vec<StoreError>,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), damaged: Vec::new() }
    }
}

impl<T> Listed<T> {
    /// The same with other rows.
    pub(super) fn map<U>(self, row: impl FnMut(T) -> U) -> Listed<U> {
        Listed { rows: self.rows.into_iter().map(row).collect(), damaged: self.damaged }
    }

    /// Takes one reading in.
    pub(super) fn take(&mut self, row: Result<T, StoreError>) {
        match row {
            Ok(row) => self.rows.push(row),
            Err(error) => self.damaged.push(error),
        }
    }
}

impl<T> std::ops::Deref for Listed<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.rows
    }
}

impl<T> IntoIterator for Listed<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows.into_iter()
    }
}
