//! Which module stands on which floor, and that every reference looks down, or sideways where the house allows it.

use super::File;

/// Module and floor. A new module must be given its place here.
const FLOORS: &[(&str, u8)] = &[
    ("geo", 0),
    ("ground", 0),
    ("backoff", 0),
    ("warning", 0),
    ("outlook", 0),
    ("mosaic", 0),
    ("storm_report", 0),
    ("lightning", 0),
    ("radar", 0),
    ("sounding", 0),
    ("profile", 0),
    ("nws_facts", 0),
    ("observation", 0),
    ("threat", 0),
    ("notice", 0),
    ("decode", 1),
    ("plot", 1),
    ("outside", 2),
    ("store", 2),
    ("config", 2),
    ("clock", 2),
    ("sources", 3),
    ("channels", 3),
    ("actors", 4),
    ("desk", 5),
    ("cli", 5),
    ("mcp", 5),
    ("web", 5),
    ("app", 5),
    ("main", 5),
    ("lib", 5),
];

/// Inside floor 0: a module sees only what has a lower rank. Equal ranks do not see each other.
const FIELD_RANKS: &[(&str, u8)] =
    &[("geo", 0), ("backoff", 0), ("profile", 2), ("nws_facts", 2), ("observation", 3), ("threat", 4), ("notice", 5)];

/// The field's own things between `geo` and `observation`.
const FIELD_RANK_OTHERS: u8 = 1;

/// The floor of a top-level module.
pub fn floor(module: &str) -> Option<u8> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|(_, floor)| *floor)
}

fn field_rank(module: &str) -> u8 {
    FIELD_RANKS.iter().find(|(name, _)| *name == module).map_or(FIELD_RANK_OTHERS, |(_, rank)| *rank)
}

/// Every reference that looks up, or sideways where it must not.
pub fn breaches(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let modules = file.modules();
        let Some(own_floor) = floor(modules[0]) else {
            complaints.push(format!(
                "{}: module {} has no floor; give it one in tests/tidy/floors.rs",
                file.path, modules[0]
            ));
            continue;
        };
        // Paths that reach the crate root by `super` would slip past the table.
        if file.code.contains("super::super::") || (modules.len() == 1 && file.code.contains("super::")) {
            complaints.push(format!("{}: write crate::... instead of climbing with super::", file.path));
        }
        for seen in references(&file.code) {
            if let Some(why) = forbidden(modules[0], own_floor, &seen) {
                complaints.push(format!("{}: sees {seen}, but {why}", file.path));
            }
        }
    }
    complaints
}

fn forbidden(own: &str, own_floor: u8, seen: &str) -> Option<String> {
    if seen == own {
        return None;
    }
    // An item of the crate root that is no module.
    let seen_floor = floor(seen)?;
    if seen_floor > own_floor {
        return Some(format!("floor {own_floor} must not look up to floor {seen_floor}"));
    }
    if own_floor == 0 && seen_floor == 0 && field_rank(seen) >= field_rank(own) {
        return Some("the order is geo <- warning, mosaic, ... <- observation <- threat <- notice".to_owned());
    }
    if own_floor == 3 && seen_floor == 3 {
        return Some("sources and channels never see each other".to_owned());
    }
    None
}

/// The top-level modules that `crate::a`, `crate::{a, b::c}` and `stormbell::a` name.
fn references(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for root in ["crate::", "stormbell::"] {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '$') {
                continue;
            }
            let rest = &code[at + root.len()..];
            match rest.strip_prefix('{') {
                Some(group) => found.extend(group_members(group)),
                None => found.push(word(rest)),
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The first word of each member at the top of a `{...}` group.
fn group_members(group: &str) -> Vec<String> {
    let mut depth = 0;
    let mut members = Vec::new();
    let mut member = String::new();
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => members.push(std::mem::take(&mut member)),
            c if depth == 0 => member.push(c),
            _ => {}
        }
    }
    members.push(member);
    members.iter().map(|member| word(member.trim())).filter(|member| !member.is_empty()).collect()
}

#[cfg(test)]
#[track_caller]
fn check(path: &str, text: &str, complaints: usize) {
    let found = breaches(&[File::new(path, text)]);
    assert_eq!(found.len(), complaints, "{path}: {found:?}");
}

#[test]
fn looking_up_is_refused_and_looking_down_is_not() {
    check("src/threat.rs", "use crate::store::Store;", 1);
    check("src/threat/rules.rs", "fn f() { crate::actors::root::go() }", 1);
    check("src/sources/mrms.rs", "use crate::{geo::LatLon, outside::{Get, Outside}, actors::Bus};", 1);
    check("src/actors/bus.rs", "use crate::{geo::LatLon, sources::Source, clock::Clock};", 0);
    check("src/main.rs", "fn main() { stormbell::cli::run() }", 0);
}

#[test]
fn the_field_keeps_its_order() {
    check("src/observation.rs", "use crate::threat::Level;", 1);
    check("src/threat/picture.rs", "use crate::observation::Report; use crate::notice::Delivery;", 1);
    check("src/warning.rs", "use crate::mosaic::Mosaic;", 1);
    check("src/sounding/winds.rs", "use crate::threat::Level;", 1);
    check("src/notice/decide.rs", "use crate::threat::Level; use crate::geo::LatLon; use crate::notice::Delivery;", 0);
}

#[test]
fn sources_never_see_channels_nor_the_other_way_round() {
    check("src/sources/mrms.rs", "use crate::channels::Channel;", 1);
    check("src/channels/email.rs", "use crate::sources::Poll;", 1);
}

#[test]
fn unknown_rooms_climbing_and_tests() {
    check("src/attic.rs", "", 1);
    check("src/geo.rs", "use super::threat::Level;", 1);
    check("src/geo/area.rs", "use super::super::threat::Level;", 1);
    check("src/geo/area.rs", "use super::LatLon;", 0);
    check("src/geo.rs", "#[cfg(test)] mod tests { use super::*; use crate::threat::Level; }", 0);
}
