//! A small document that renders to plain text and to HTML, so that both say the same.
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
    /// A list.
    Items(Vec<Item>),
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

/// A whole HTML page.
pub(super) fn html(title: &str, blocks: &[Block]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{}</title></head>\n\
         <body style=\"font-family:sans-serif;line-height:1.4;color:#1a1a1a;background:#ffffff;max-width:40em\">\n",
        escape(title)
    );
    for block in blocks {
        let _ = match block {
            Block::Title(level, text) => writeln!(
                out,
                "<h1 style=\"font-size:1.3em;padding:.4em .6em;color:#ffffff;background:{}\">{}</h1>",
                level.map_or("#455a64", colour),
                escape(text)
            ),
            Block::Strong(text) => writeln!(out, "<p><strong>{}</strong></p>", escape(text)),
            Block::Para(text) => writeln!(out, "<p>{}</p>", escape(text)),
            Block::Heading(text) => writeln!(out, "<h2 style=\"font-size:1.05em\">{}</h2>", escape(text)),
            Block::Items(items) => writeln!(out, "<ul>\n{}</ul>", items.iter().map(item_html).collect::<String>()),
            Block::Small(text) => {
                writeln!(out, "<p style=\"font-size:.85em;color:#555555\">{}</p>", escape(text))
            }
        };
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// A finished page with one more paragraph at its top.
pub(super) fn with_note(html: &str, note: &str) -> String {
    let body = html.find("<body").and_then(|body| Some(body + html.get(body..)?.find('>')? + 1));
    let (head, rest) = html.split_at_checked(body.unwrap_or(0)).unwrap_or(("", html));
    format!("{head}\n<p><strong>{}</strong></p>{rest}", escape(note))
}

fn item_html(item: &Item) -> String {
    let level = item.level.map_or_else(String::new, |level| {
        format!(
            "<span style=\"color:#ffffff;background:{};padding:0 .4em\">{}</span> ",
            colour(level),
            escape(level.as_str())
        )
    });
    let notes: String = item
        .notes
        .iter()
        .map(|note| format!("<br><span style=\"font-size:.85em;color:#555555\">{}</span>", escape(note)))
        .collect();
    format!("<li>{level}{}{notes}</li>\n", escape(&item.text))
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
