//! Just enough of Rust's tokens to tell code from comments, literals and tests. Lengths and line breaks are kept.

/// The text with comments and the insides of literals blanked out.
pub fn code_only(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < chars.len() {
        let end = match (chars[i], chars.get(i + 1)) {
            ('/', Some('/')) => until(&chars, i, |at| chars[at] == '\n'),
            ('/', Some('*')) => block_comment(&chars, i),
            ('"', _) => string(&chars, i),
            ('r' | 'b' | 'c', _) if starts_word(&chars, i) => match prefixed_string(&chars, i) {
                Some(end) => end,
                None => keep(&mut out, chars[i], &mut i),
            },
            ('\'', _) => match char_literal(&chars, i) {
                Some(end) => end,
                None => keep(&mut out, chars[i], &mut i),
            },
            _ => keep(&mut out, chars[i], &mut i),
        };
        while i < end {
            out.push(if chars[i] == '\n' { '\n' } else { ' ' });
            i += 1;
        }
    }
    out
}

fn keep(out: &mut String, c: char, i: &mut usize) -> usize {
    out.push(c);
    *i += 1;
    *i
}

fn starts_word(chars: &[char], i: usize) -> bool {
    i == 0 || !(chars[i - 1].is_alphanumeric() || chars[i - 1] == '_')
}

fn until(chars: &[char], from: usize, stop: impl Fn(usize) -> bool) -> usize {
    (from..chars.len()).find(|at| stop(*at)).unwrap_or(chars.len())
}

fn block_comment(chars: &[char], from: usize) -> usize {
    let mut depth = 0;
    let mut i = from;
    while i < chars.len() {
        match (chars[i], chars.get(i + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                i += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return i;
                }
            }
            _ => i += 1,
        }
    }
    i
}

fn string(chars: &[char], from: usize) -> usize {
    let mut i = from + 1;
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    chars.len()
}

/// `b"..."`, `r"..."`, `br#"..."#` and the like; `None` where it is an ordinary word.
fn prefixed_string(chars: &[char], from: usize) -> Option<usize> {
    let mut i = from;
    let mut raw = false;
    while let Some('r' | 'b' | 'c') = chars.get(i) {
        raw |= chars[i] == 'r';
        i += 1;
    }
    let hashes = until(chars, i, |at| chars[at] != '#') - i;
    if chars.get(i + hashes) != Some(&'"') || (hashes > 0 && !raw) {
        return None;
    }
    if !raw {
        return Some(string(chars, i));
    }
    let closes = |at: usize| chars[at] == '"' && (1..=hashes).all(|n| chars.get(at + n) == Some(&'#'));
    Some((until(chars, i + hashes + 1, closes) + 1 + hashes).min(chars.len()))
}

/// `'x'`, `'\n'`, `'\u{1b}'`; `None` for a lifetime.
fn char_literal(chars: &[char], from: usize) -> Option<usize> {
    match (chars.get(from + 1), chars.get(from + 2)) {
        (Some('\\'), _) => Some(until(chars, from + 3, |at| chars[at] == '\'') + 1),
        (Some(_), Some('\'')) => Some(from + 3),
        _ => None,
    }
}

/// The code with every item under `#[cfg(test)]` blanked out, up to its closing brace or semicolon.
pub fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = code.to_owned();
    while let Some(start) = out.find(MARK) {
        let rest = &out[start + MARK.len()..];
        let length = MARK.len() + item_length(rest);
        let blank: String = out[start..start + length].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        // Blanks are one byte each: what was longer in bytes only gets shorter.
        out.replace_range(start..start + length, &blank);
    }
    out
}

fn item_length(rest: &str) -> usize {
    let mut depth = 0;
    for (at, c) in rest.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[test]
fn comments_literals_and_tests_are_blank_and_code_is_not() {
    let text = r##"
fn a<'x>(s: &'x str) { let q = '"'; let n = '\n'; b("un.unwrap()", r#"x"y.unwrap()"#); } // z.unwrap()
/* outer /* inner.unwrap() */ still.unwrap() */ fn kept() { real.unwrap() }
#[cfg(test)]
mod tests { fn t() { x.unwrap() } }
#[cfg(test)]
use x::unwrap;
fn last() {}
"##;
    let code = without_tests(&code_only(text));
    assert_eq!(code.matches("unwrap").count(), 1, "{code}");
    assert!(code.contains("real.unwrap()") && code.contains("fn last()") && code.contains("fn a<'x>"));
    assert_eq!(code.lines().count(), text.lines().count());
}
