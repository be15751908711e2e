//! Which alerts of one collection are over: by the clock, by their own words, or by another message of the collection.

use super::AlertRow;
use crate::warning::{Vtec, ugc};
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;

/// An event by its VTEC: office, phenomenon, significance, number.
type Event<'a> = (&'a str, &'a str, char, u16);

fn event(vtec: &Vtec) -> Event<'_> {
    (&vtec.office, &vtec.phenomenon, vtec.significance, vtec.etn)
}

/// A product that is tracked neither by VTEC nor by references: its office, event and zones.
type Issue<'a> = (&'a str, &'a str, &'a [String]);

fn issue(row: &AlertRow) -> Option<Issue<'_>> {
    let warning = &row.warning;
    let is_somewhere = !warning.ugc.is_empty() || warning.area.is_some();
    (warning.vtec.is_empty() && is_somewhere).then_some((&warning.sender, &warning.event, &warning.ugc))
}

/// Whether the same was issued again later, without a reference, for the same ground. Its words must be the same: an air
/// quality alert of this afternoon is for tomorrow, while that of yesterday is for today.
fn reissued(messages: &[&AlertRow], row: &AlertRow) -> bool {
    messages.iter().any(|message| {
        message.status.eq_ignore_ascii_case(&row.status)
            && message.warning.references.is_empty()
            && message.warning.sent_utc > row.warning.sent_utc
            && message.warning.area == row.warning.area
            && message.warning.description == row.warning.description
    })
}

/// Takes the mark from every row that is over. Rows without a mark speak all the same: a cancellation that was not searched
/// for still cancels.
pub(super) fn strike_out(rows: &[Arc<AlertRow>], marked: &mut [bool], now: Timestamp) {
    let mut successors: HashMap<&str, Vec<&AlertRow>> = HashMap::new();
    let mut enders: HashMap<Event<'_>, Vec<&AlertRow>> = HashMap::new();
    let mut issues: HashMap<Issue<'_>, Vec<&AlertRow>> = HashMap::new();
    for row in rows {
        if let Some(issue) = issue(row) {
            issues.entry(issue).or_default().push(row);
        }
        for id in &row.warning.references {
            successors.entry(id).or_default().push(row);
        }
        for (vtec, _) in row.warning.endings() {
            enders.entry(event(vtec)).or_default().push(row);
        }
    }
    for (row, mark) in rows.iter().zip(marked) {
        if !*mark {
            continue;
        }
        let replaced = successors.get(row.warning.id.as_str()).is_some_and(|by| cover(by, row));
        let ended = |vtec: &Vtec| enders.get(&event(vtec)).is_some_and(|by| cover(by, row));
        let issued_anew = issue(row).is_some_and(|issue| issues.get(&issue).is_some_and(|by| reissued(by, row)));
        let called_off = row.warning.standing_vtec().is_some_and(ended);
        *mark = row.phase(now).is_some() && !replaced && !called_off && !issued_anew;
    }
}

/// Whether later messages of the same status speak for every zone of a row. Where only some of its zones are spoken for, it
/// stands: better told twice than not at all.
fn cover(messages: &[&AlertRow], row: &AlertRow) -> bool {
    let warning = &row.warning;
    let later = |message: &&&AlertRow| {
        message.status.eq_ignore_ascii_case(&row.status)
            && message.warning.sent_utc >= warning.sent_utc
            && message.warning.id != warning.id
    };
    let mut later = messages.iter().filter(later).peekable();
    if later.peek().is_none() {
        return false;
    }
    let spoken: Vec<&str> = later.clone().flat_map(|message| message.warning.ugc.iter().map(String::as_str)).collect();
    // One that names no zone speaks for all.
    later.any(|message| message.warning.ugc.is_empty())
        || warning.ugc.iter().all(|zone| spoken.iter().any(|listed| ugc::covers(listed, zone)))
}
