//! `init`: what was made, what was there already, what is next.

use crate::app::{self, Place, Ready, Setup};
use crate::cli::fail::Failure;
use crate::cli::print;
use serde_json::{Value, json};

/// Makes what is missing and tells.
///
/// # Errors
/// A configuration or a key that is there and cannot be used, or a folder that cannot be written.
pub fn run(setup: &Setup, json: bool) -> Result<(), Failure> {
    let ready = app::init(setup)?;
    if json {
        print::document(&document(&ready));
    } else {
        print::line(&lines(&ready).join("\n"));
    }
    Ok(())
}

fn document(ready: &Ready) -> Value {
    let place = |place: &Place| json!({"path": place.path.display().to_string(), "made": place.made});
    json!({
        "config": place(&ready.config),
        "data_dir": place(&ready.data_dir),
        "vapid_key": place(&ready.vapid_key),
        "link_key": place(&ready.link_key),
        "vapid_public_key": ready.vapid_public,
        "next": ready.next,
    })
}

fn lines(ready: &Ready) -> Vec<String> {
    let line = |place: &Place, what: &str| {
        let did = if place.made { "made       " } else { "was there  " };
        format!("{did}{}  ({what})", place.path.display())
    };
    let mut lines = vec![
        line(&ready.config, "configuration"),
        line(&ready.data_dir, "watch points, notices and keys"),
        line(&ready.vapid_key, "browsers know this installation by it: keep a copy"),
        line(&ready.link_key, "the links in mails are made with it"),
        String::new(),
        "Next:".to_owned(),
    ];
    lines.extend(ready.next.iter().enumerate().map(|(index, step)| format!("  {}. {step}", index + 1)));
    lines
}
