//! How a refusal reads: in words that a caller knows, and no longer than it needs to be.

/// What is echoed of a value that is refused, characters: enough to know it again.
const ECHO_CHARS_MAX: usize = 80;
/// Longest run of characters without a blank that is no quotation: an address of the API is shorter.
const WORD_CHARS_MAX: usize = 200;

/// `serde`'s names of types, and what a caller calls them.
const TYPES: [(&str, &str); 8] = [
    ("f64", "a number"),
    ("f32", "a number"),
    ("i64", "a whole number"),
    ("u64", "a whole number, 0 or more"),
    ("i32", "a whole number"),
    ("u32", "a whole number, 0 or more"),
    ("usize", "a whole number, 0 or more"),
    ("u8", "a whole number, 0 or more"),
];

/// A complaint of `serde` without the names of types.
pub(super) fn in_words(complaint: &str) -> String {
    let Some((start, expected)) = complaint.rsplit_once("expected ") else { return complaint.to_owned() };
    match TYPES.iter().find(|(name, _)| *name == expected) {
        Some((_, words)) => format!("{start}expected {words}"),
        None => complaint.to_owned(),
    }
}

/// A refusal in which nothing that the caller sent is echoed at length: quotations and words are cut.
pub(in crate::mcp) fn bounded(text: &str) -> String {
    let mut kept = String::with_capacity(text.len().min(1024));
    let (mut quote, mut run, mut escaped) = (None::<char>, 0_usize, false);
    for char in text.chars() {
        let max = if quote.is_some() { ECHO_CHARS_MAX } else { WORD_CHARS_MAX };
        let is_end = quote.map_or(char.is_whitespace(), |quote| char == quote && !escaped);
        escaped = quote.is_some() && char == '\\' && !escaped;
        if is_end {
            (quote, run) = (None, 0);
            kept.push(char);
        } else if quote.is_none() && matches!(char, '"' | '`') {
            (quote, run) = (Some(char), 0);
            kept.push(char);
        } else {
            run += 1;
            match run.cmp(&(max + 1)) {
                std::cmp::Ordering::Less => kept.push(char),
                std::cmp::Ordering::Equal => kept.push('…'),
                std::cmp::Ordering::Greater => {}
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_echoed_is_cut_and_the_advice_behind_it_stays() {
        let advice = "; list_watch_points shows those that stand";
        let id = "x y\"".repeat(30_000);
        let said = bounded(&format!("id: there is no watch point {id:?}{advice}"));
        assert!(
            said.starts_with("id: there is no watch point \"x y\\\"x y") && said.ends_with(&format!("…\"{advice}")),
            "{said}"
        );
        assert!(said.chars().count() < 200, "{said}");
        let said = bounded(&format!("lat {}, lon 3 is not a position on earth", 1e308));
        assert!(said.contains("0… lon 3 is not"), "{said}");
        let short =
            "arguments: unknown field `bogus`, expected one of `lat`, `lon`, or `place` instead of both figures";
        assert_eq!(bounded(short), short);
    }

    #[test]
    fn types_are_said_in_words() {
        assert_eq!(in_words("invalid type: null, expected f64"), "invalid type: null, expected a number");
        assert_eq!(in_words("invalid type: map, expected a string"), "invalid type: map, expected a string");
        assert_eq!(in_words("missing field `id`"), "missing field `id`");
    }
}
