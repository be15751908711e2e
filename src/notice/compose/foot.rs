//! What stands under a mail: why it came, where more is to be read, how it ends. It differs from address to address, unlike
//! the words above it.

use super::page::{self, FootLine};
use crate::notice::{Delivery, NoticeReason};

/// Pages of watch points linked; more of them are found from one.
const PAGES_LINKED: usize = 3;

/// The two bodies of a delivery with what stands under them. `page` is where the web page is, if others can reach it;
/// `answers_to` is whom an answer reaches.
pub fn with_foot(delivery: &Delivery, page: Option<&str>, answers_to: &str) -> (String, String) {
    let lines = lines(delivery, page, answers_to);
    (page::text_with_foot(&delivery.text, &lines), page::html_with_foot(&delivery.html, &lines))
}

fn lines(delivery: &Delivery, page: Option<&str>, answers_to: &str) -> Vec<FootLine> {
    let to = &delivery.address.to;
    let plain = |text: String| FootLine { text, url: None };
    let link = |text: String, url: String| FootLine { text, url: Some(url) };
    let mut lines = Vec::new();
    if let Some(page) = page {
        let ids = delivery.watch_points.iter().take(PAGES_LINKED);
        lines.extend(ids.map(|id| link("This watch point as it stands now".into(), format!("{page}/points/{id}"))));
    }
    let asks = delivery.reason == NoticeReason::Confirmation;
    lines.push(plain(match asks {
        true => format!("You get this because notices to {to} were asked for."),
        false => {
            format!("You get this because a place is watched with notices to {to}.")
        }
    }));
    lines.push(match (&delivery.unsubscribe_url, asks) {
        (Some(url), true) => link("Nothing from here any more: unsubscribe".into(), url.clone()),
        (Some(url), false) => link("End all notices to this address: unsubscribe".into(), url.clone()),
        (None, _) => plain(format!("To end them, write to {answers_to}.")),
    });
    lines
}
