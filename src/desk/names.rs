//! Names that people give to what is theirs: which are taken. They stand in subject lines, tables and logs, so they must be seen
//! and must not turn what stands beside them around.

/// A name without blanks around it.
///
/// # Errors
/// What is wrong with it, as the rest of a sentence that begins with the name: it is longer than `most` characters, shows nothing, is of several lines, or
/// changes the direction of the text around it.
pub fn checked_name(text: &str, most: usize) -> Result<String, String> {
    let name = text.trim();
    if let Some(turning) = name.chars().find(|c| turns_text(*c)) {
        let code = u32::from(turning);
        return Err(format!(
            "U+{code:04X} in it would turn the text around it; write it without, 1 to {most} characters"
        ));
    }
    let chars = name.chars().count();
    if chars == 0 || chars > most || name.chars().any(breaks_line) {
        return Err(format!("must be 1 to {most} characters, none of them control characters"));
    }
    if name.chars().all(is_unseen) {
        return Err(format!("must be 1 to {most} characters of which some can be seen"));
    }
    Ok(name.to_owned())
}

/// Whether a character changes the direction of what follows it (embeddings, overrides and isolates of Unicode's UAX 9).
pub fn turns_text(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn breaks_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Blanks, and what Unicode has ignored where it cannot be shown (Default_Ignorable_Code_Point), with the empty Braille cell.
fn is_unseen(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '\u{AD}'
                | '\u{34F}'
                | '\u{61C}'
                | '\u{115F}'..='\u{1160}'
                | '\u{17B4}'..='\u{17B5}'
                | '\u{180B}'..='\u{180F}'
                | '\u{200B}'..='\u{200F}'
                | '\u{202A}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{FE00}'..='\u{FE0F}'
                | '\u{FEFF}'
                | '\u{FFA0}'
                | '\u{FFF0}'..='\u{FFF8}'
                | '\u{1BCA0}'..='\u{1BCA3}'
                | '\u{1D173}'..='\u{1D17A}'
                | '\u{E0000}'..='\u{E0FFF}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_be_seen_and_leaves_the_text_beside_it_alone() {
        for good in
            ["home", " home ", "Oma's Haus", "\u{0645}\u{0646}\u{0632}\u{0644}", "a\u{200D}b", "\u{1F3E0}\u{FE0F}"]
        {
            assert_eq!(checked_name(good, 10).as_deref(), Ok(good.trim()), "{good:?}");
        }
        let why = |name: &str| checked_name(name, 10).unwrap_err();
        for unseen in ["\u{200B}", "\u{200B}\u{FEFF} \u{2060}", "\u{3164}", "\u{AD}"] {
            assert!(why(unseen).contains("some can be seen"), "{unseen:?}");
        }
        for turning in ["ab\u{202E}cd", "\u{202A}", "\u{2066}home\u{2069}"] {
            assert!(why(turning).contains("would turn the text around it"), "{turning:?}");
        }
        for bad in ["", "   ", "two\nlines", "two\u{2028}lines", "12345678901"] {
            assert!(why(bad).contains("must be 1 to 10 characters, none of them control characters"), "{bad:?}");
        }
    }
}
