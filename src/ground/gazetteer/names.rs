//! Which rows go by a name: one sorted list of folded keys, for exact and for close spellings.

use super::fold::{key, short_key};
use super::tables::Texts;

/// What a key leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Row {
    /// A populated place by its name.
    Place(u32),
    /// A populated place by its name without the word for its kind: New York for New York City.
    PlaceInShort(u32),
    /// A post office.
    Office(u32),
}

/// One key.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Where its text begins, and how long it is.
    at: u32,
    length: u8,
    letters: u32,
    row: Row,
}

/// All keys, sorted.
#[derive(Debug, Default)]
pub(super) struct Names {
    texts: String,
    entries: Vec<Entry>,
}

impl Names {
    pub fn new(places: &Texts, offices: &Texts) -> Self {
        let mut keys = Vec::new();
        for (at, name) in (0..).zip(places.iter()) {
            keys.push((key(name), Row::Place(at)));
            keys.extend(short_key(name).map(|short| (short, Row::PlaceInShort(at))));
        }
        keys.extend((0..).zip(offices.iter()).map(|(at, name)| (key(name), Row::Office(at))));
        keys.sort();
        let mut names = Self { texts: String::new(), entries: Vec::with_capacity(keys.len()) };
        let mut before = (String::new(), 0);
        for (key, row) in keys {
            if before.0 != key {
                before = (key, names.texts.len());
                names.texts.push_str(&before.0);
            }
            let length = u8::try_from(before.0.len());
            // Names are short and few: neither fails.
            let (Ok(at), Ok(length)) = (u32::try_from(before.1), length) else { continue };
            names.entries.push(Entry { at, length, letters: letters(&before.0), row });
        }
        names.texts.shrink_to_fit();
        names
    }

    fn text(&self, entry: &Entry) -> &str {
        let begin = entry.at as usize;
        self.texts.get(begin..begin + usize::from(entry.length)).unwrap_or_default()
    }

    /// The rows of a key.
    pub fn exactly<'a>(&'a self, key: &'a str) -> impl Iterator<Item = Row> + 'a {
        let begin = self.entries.partition_point(|entry| self.text(entry) < key);
        let rest = self.entries.get(begin..).unwrap_or_default();
        rest.iter().take_while(move |entry| self.text(entry) == key).map(|entry| entry.row)
    }

    /// The rows whose key is spelt almost like this one, with how many letters differ.
    pub fn nearly<'a>(&'a self, key: &'a str) -> impl Iterator<Item = (usize, Row)> + 'a {
        let most = edits_most(key);
        let wanted = letters(key);
        let may_match = move |entry: &&Entry| {
            // Every edit adds, takes or changes one letter: at most two kinds of letters differ by it.
            (entry.letters ^ wanted).count_ones() as usize <= 2 * most
                && usize::from(entry.length).abs_diff(key.len()) <= most
                && !matches!(entry.row, Row::PlaceInShort(_))
        };
        self.entries.iter().filter(may_match).filter_map(move |entry| {
            let edits = strsim::osa_distance(self.text(entry), key);
            (edits <= most).then_some((edits, entry.row))
        })
    }
}

#[cfg(test)]
impl Names {
    /// On the heap.
    pub fn bytes(&self) -> usize {
        self.texts.capacity() + self.entries.capacity() * size_of::<Entry>()
    }
}

/// Letters that may differ: in a short word two make another word of it.
fn edits_most(key: &str) -> usize {
    match key.len() {
        0..4 => 0,
        4..7 => 1,
        _ => 2,
    }
}

/// Which letters a key has, one bit each.
fn letters(key: &str) -> u32 {
    key.bytes().map(|byte| 1_u32 << (byte % 32)).fold(0, |all, bit| all | bit)
}
