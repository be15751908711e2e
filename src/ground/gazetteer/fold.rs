//! How names are compared: without case, accents, punctuation and spaces, and with the post's short words for long ones.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that are written in two ways: the long one, and the short one that stands for both.
const SHORT_WORDS: [(&str, &str); 24] = [
    ("saint", "st"),
    ("sainte", "ste"),
    ("fort", "ft"),
    ("mount", "mt"),
    ("mountain", "mtn"),
    ("point", "pt"),
    ("heights", "hts"),
    ("springs", "spgs"),
    ("junction", "jct"),
    ("center", "ctr"),
    ("centre", "ctr"),
    ("village", "vlg"),
    ("township", "twp"),
    ("borough", "boro"),
    ("beach", "bch"),
    ("station", "sta"),
    ("north", "n"),
    ("south", "s"),
    ("east", "e"),
    ("west", "w"),
    ("northeast", "ne"),
    ("northwest", "nw"),
    ("southeast", "se"),
    ("southwest", "sw"),
];
/// Words that say what kind of place it is; one person says them, another does not.
const LAST_WORDS: [&str; 8] = ["city", "town", "vlg", "twp", "boro", "hamlet", "cdp", "sta"];

/// The letters of a name without case and accents, and a space for all that parts words.
fn plain(name: &str) -> String {
    let folded = |letter: char| if letter.is_alphanumeric() { letter } else { ' ' };
    if name.is_ascii() {
        // Nearly every name: there is nothing to take apart.
        return name.chars().filter(|c| !is_within_word(*c)).map(|c| folded(c.to_ascii_lowercase())).collect();
    }
    let letters = name.nfkd().filter(|c| !is_combining_mark(*c) && !is_within_word(*c));
    letters.flat_map(char::to_lowercase).map(folded).collect()
}

/// O'Fallon, D.C., and the okinas of Hawaii.
fn is_within_word(letter: char) -> bool {
    matches!(letter, '\'' | '.' | '’' | '‘' | 'ʻ' | '`')
}

fn shortened(word: &str) -> &str {
    SHORT_WORDS.iter().find(|(long, _)| *long == word).map_or(word, |(_, short)| short)
}

/// How many words a name has.
pub(super) fn count(name: &str) -> usize {
    plain(name).split_whitespace().count()
}

/// The key under which a name is found: its words without spaces, so that De Kalb is DeKalb.
pub(super) fn key(name: &str) -> String {
    plain(name).split_whitespace().map(shortened).collect()
}

/// The key without the words that say what kind of place it is; `None` where there are none, or nothing else.
pub(super) fn short_key(name: &str) -> Option<String> {
    let plain = plain(name);
    let words: Vec<&str> = plain.split_whitespace().map(shortened).collect();
    let mut kept = words.as_slice();
    if let [rest @ .., last] = kept
        && LAST_WORDS.contains(last)
    {
        kept = rest;
    }
    match kept {
        [kind, "of", rest @ ..] if LAST_WORDS.contains(kind) => kept = rest,
        ["the", rest @ ..] => kept = rest,
        _ => {}
    }
    (!kept.is_empty() && kept.len() < words.len()).then(|| kept.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_written_in_many_ways() {
        for same in [
            &["St. Louis", "Saint Louis", "ST LOUIS", "st.louis"][..],
            &["Fort Worth", "Ft. Worth", "ft worth"],
            &["Mount Vernon", "Mt Vernon", "MT. VERNON"],
            &["Cañon City", "Canon City", "Can\u{303}on City"],
            &["Coeur d'Alene", "Coeur d’Alene", "coeur dalene", "Coeur d Alene"],
            &["DeKalb", "De Kalb"],
            &["Winston-Salem", "Winston Salem"],
            &["North Little Rock", "N. Little Rock"],
            &["D.C.", "DC"],
            &["Kāʻanapali", "Ka'anapali"],
        ] {
            assert!(same.iter().all(|name| key(name) == key(same[0])), "{same:?}");
        }
        assert_ne!(key("Norman"), key("Normandy"));
        assert_eq!(key(" -- "), "");
    }

    #[test]
    fn words_for_the_kind_of_place_may_be_left_out() {
        assert_eq!(short_key("New York City").as_deref(), Some("newyork"));
        assert_eq!(short_key("City of Milford").as_deref(), Some("milford"));
        assert_eq!(short_key("The Dalles").as_deref(), Some("dalles"));
        assert_eq!(short_key("Newfield Hamlet").as_deref(), Some("newfield"));
        assert_eq!(short_key("Norman"), None);
        assert_eq!(short_key("City"), None, "nothing would be left");
    }
}
