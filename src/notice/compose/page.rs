//! A small document that renders to plain text and to HTML, so that both say the same.
//!
//! Made for a phone at night and for a screen reader: one heading of the first rank and the others in order, real lists, a
//! language, a width that follows the screen, both schemes of colour. Styles stand at the elements, since some readers drop
//! the rest; the style sheet only turns the colours in the dark.
//!
//! Invariant: every text is escaped on its way into HTML; nothing is fetched by the reader: no images, no styles from
//! elsewhere. A colour never stands without its word.

use crate::threat::Level;
use std::fmt::Write;

/// One part of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// The first line; coloured by level.
    Title(Option<Level>, String),
    /// What must not be overlooked.
    Strong(String),
    /// A paragraph.
    Para(String),
    /// Opens a section.
    Heading(String),
    /// Short answers to short questions: what, where, until when.
    Facts(Vec<(&'static str, String)>),
    /// A list.
    Items(Vec<Item>),
    /// Something to be pressed, and where it leads.
    Button(String, String),
    /// Something to be typed elsewhere.
    Code(String),
    /// Small print.
    Small(String),
}

/// One line of a list, with notes under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) level: Option<Level>,
    pub(super) text: String,
    pub(super) notes: Vec<String>,
}

/// Plain text, lines ended by `\n`.
pub(super) fn text(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        match block {
            Block::Title(_, text) | Block::Strong(text) | Block::Para(text) | Block::Small(text) => {
                let _ = writeln!(out, "{text}\n");
            }
            Block::Heading(text) => {
                let _ = writeln!(out, "{text}\n{}", "-".repeat(text.chars().count()));
            }
            Block::Facts(facts) => {
                for (name, text) in facts {
                    let _ = writeln!(out, "{name}: {text}");
                }
                out.push('\n');
            }
            Block::Button(text, url) => {
                let _ = writeln!(out, "{text}:\n{url}\n");
            }
            Block::Code(text) => {
                let _ = writeln!(out, "    {text}\n");
            }
            Block::Items(items) => {
                for item in items {
                    let level = item.level.map(|level| format!("[{level}] ")).unwrap_or_default();
                    let _ = writeln!(out, "- {level}{}", item.text);
                    for note in &item.notes {
                        let _ = writeln!(out, "  {note}");
                    }
                }
                out.push('\n');
            }
        }
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// Text, and its page.
const INK: &str = "#1a1a1a";
const PAPER: &str = "#ffffff";
/// Small print.
const DIM: &str = "#555555";
/// Links.
const LINK: &str = "#0b57d0";
/// The same in the dark, in the same order.
const AT_NIGHT: [&str; 4] = ["#eeeeee", "#121212", "#b5b5b5", "#8ab4f8"];
/// Of titles without a level, and of buttons.
const PLAIN: &str = "#455a64";
/// Ends what is read; a footer goes before it.
const END: &str = "</div>\n</body>\n</html>\n";

/// A whole HTML page.
pub(super) fn html(title: &str, blocks: &[Block]) -> String {
    let [ink, paper, dim, link] = AT_NIGHT;
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\" dir=\"ltr\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"supported-color-schemes\" content=\"light dark\">\n<title>{}</title>\n<style>\n\
         :root {{ color-scheme: light dark; supported-color-schemes: light dark; }}\n\
         @media (prefers-color-scheme: dark) {{\n.page {{ color: {ink} !important; background: {paper} !important; }}\n\
         .dim {{ color: {dim} !important; }}\n.link {{ color: {link} !important; }}\n}}\n</style>\n</head>\n\
         <body class=\"page\" style=\"margin:0;padding:16px;font-family:sans-serif;font-size:16px;line-height:1.5;\
         overflow-wrap:anywhere;color:{INK};background:{PAPER}\">\n\
         <div role=\"article\" aria-roledescription=\"email\" lang=\"en\" style=\"max-width:40em;margin:0 auto\">\n",
        escape(title)
    );
    for block in blocks {
        out.push_str(&block_html(block));
        out.push('\n');
    }
    out.push_str(END);
    out
}

/// A finished page with one more paragraph at its end.
pub(super) fn with_note(html: &str, note: &str) -> String {
    let (page, end) = html.rfind("</body>").and_then(|end| html.split_at_checked(end)).unwrap_or((html, ""));
    format!("{page}<p><strong>{}</strong></p>\n{end}", escape(note))
}

fn block_html(block: &Block) -> String {
    match block {
        Block::Title(level, text) => format!(
            "<h1 style=\"margin:0 0 16px;padding:12px 16px;border-radius:6px;font-size:22px;line-height:1.3;color:#ffffff;\
             background:{}\">{}</h1>",
            level.map_or(PLAIN, colour),
            escape(text)
        ),
        Block::Strong(text) => format!("<p style=\"margin:0 0 16px\"><strong>{}</strong></p>", escape(text)),
        Block::Para(text) => format!("<p style=\"margin:0 0 16px\">{}</p>", escape(text)),
        Block::Heading(text) => {
            format!("<h2 style=\"margin:24px 0 8px;font-size:18px;line-height:1.3\">{}</h2>", escape(text))
        }
        Block::Facts(facts) => {
            let fact = |(name, text): &(&str, String)| {
                format!(
                    "<dt style=\"font-weight:bold\">{}</dt>\n<dd style=\"margin:0 0 8px\">{}</dd>\n",
                    escape(name),
                    escape(text)
                )
            };
            format!("<dl style=\"margin:0 0 16px\">\n{}</dl>", facts.iter().map(fact).collect::<String>())
        }
        Block::Items(items) => format!(
            "<ul style=\"margin:0 0 16px;padding-left:20px\">\n{}</ul>",
            items.iter().map(item_html).collect::<String>()
        ),
        Block::Button(text, url) => format!(
            "<p style=\"margin:0 0 16px\"><a href=\"{}\" style=\"display:inline-block;padding:12px 20px;border-radius:6px;\
             font-weight:bold;text-decoration:none;color:#ffffff;background:{PLAIN}\">{}</a></p>",
            escape(url),
            escape(text)
        ),
        Block::Code(text) => format!(
            "<p style=\"margin:0 0 16px;font-family:monospace;font-size:28px;letter-spacing:4px\">{}</p>",
            escape(text)
        ),
        Block::Small(text) => small(&escape(text)),
    }
}

/// Small print around HTML that is safe already.
fn small(html: &str) -> String {
    format!("<p class=\"dim\" style=\"margin:0 0 8px;font-size:14px;color:{DIM}\">{html}</p>")
}

fn item_html(item: &Item) -> String {
    let level = item.level.map_or_else(String::new, |level| {
        format!(
            "<span style=\"padding:1px 6px;border-radius:4px;color:#ffffff;background:{}\">{}</span> ",
            colour(level),
            escape(level.as_str())
        )
    });
    let notes: String = item
        .notes
        .iter()
        .map(|note| format!("<br><span class=\"dim\" style=\"font-size:14px;color:{DIM}\">{}</span>", escape(note)))
        .collect();
    format!("<li style=\"margin:0 0 8px\">{level}{}{notes}</li>\n", escape(&item.text))
}

/// One line of a footer: words, and a link where there is one.
pub(super) struct FootLine {
    pub(super) text: String,
    pub(super) url: Option<String>,
}

/// A finished text with small print under it.
pub(super) fn text_with_foot(text: &str, lines: &[FootLine]) -> String {
    let mut out = format!("{text}\n");
    for line in lines {
        let _ = match &line.url {
            Some(url) => writeln!(out, "{}: {url}", line.text),
            None => writeln!(out, "{}", line.text),
        };
    }
    out
}

/// A finished page with small print under it.
pub(super) fn html_with_foot(html: &str, lines: &[FootLine]) -> String {
    let foot: String = lines
        .iter()
        .map(|line| {
            let text = escape(&line.text);
            small(&match &line.url {
                Some(url) => {
                    format!("<a class=\"link\" href=\"{}\" style=\"color:{LINK}\">{text}</a>", escape(url))
                }
                None => text,
            }) + "\n"
        })
        .collect();
    // What an earlier build rendered ends otherwise.
    let end = html.rfind(END).or_else(|| html.rfind("</body>")).unwrap_or(html.len());
    let (page, end) = html.split_at_checked(end).unwrap_or((html, ""));
    format!("{page}{foot}{end}")
}

/// Backgrounds that white text stands out on by at least 4.5 to 1.
fn colour(level: Level) -> &'static str {
    match level {
        Level::None => "#455a64",
        Level::Marginal => "#2e7d32",
        Level::Elevated => "#8a6100",
        Level::Significant => "#bf360c",
        Level::Extreme => "#8e0038",
    }
}

/// Text that is safe between tags and inside attribute quotes.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WCAG 2.2: relative luminance and contrast ratio.
    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |colour: &str| {
            let channel = |at: usize| {
                let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
                if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn everything_stands_out_by_day_and_by_night() {
        assert!((contrast("#ffffff", "#000000") - 21.0).abs() < 1e-9);
        let [ink, paper, dim, link] = AT_NIGHT;
        let mut pairs = vec![(INK, PAPER), (DIM, PAPER), (LINK, PAPER), (ink, paper), (dim, paper), (link, paper)];
        let levels = [Level::None, Level::Marginal, Level::Elevated, Level::Significant, Level::Extreme];
        pairs.extend(levels.map(|level| ("#ffffff", colour(level))));
        pairs.push(("#ffffff", PLAIN));
        for (text, ground) in pairs {
            assert!(contrast(text, ground) >= 4.5, "{text} on {ground}: {:.2}", contrast(text, ground));
        }
    }

    #[test]
    fn a_footer_goes_to_the_end_of_any_page() {
        let line = || vec![FootLine { text: "a < b".into(), url: Some("https://x.example/?a=1&b=2".into()) }];
        let page = html_with_foot(&html("t", &[Block::Para("p".into())]), &line());
        assert!(page.ends_with(&format!("a &lt; b</a></p>\n{END}")) && page.contains("?a=1&amp;b=2"), "{page}");
        assert!(html_with_foot("<p>old</p>\n</body></html>", &line()).ends_with("</p>\n</body></html>"));
        assert!(html_with_foot("bare", &line()).starts_with("bare<p"));
        assert_eq!(text_with_foot("old\n", &line()), "old\n\na < b: https://x.example/?a=1&b=2\n");
    }
}
