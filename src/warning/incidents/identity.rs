//! Which incident a message is about.

use super::Incident;
use crate::warning::ugc;
use crate::warning::{IncidentKey, Vtec, Warning};
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, HashMap};

/// Segments of one product without polygons are sent within this of each other; a NEW sent later is a new event.
const ONE_PRODUCT: SignedDuration = SignedDuration::from_mins(5);
/// A re-issue without references may come this long after the one before it ended.
const REISSUE_GRACE: SignedDuration = SignedDuration::from_mins(10);

/// Ids to keys: of products and endings held, and of all that they reference.
pub(super) struct Ids {
    held: HashMap<String, IncidentKey>,
    referenced: HashMap<String, IncidentKey>,
}

impl Ids {
    pub(super) fn of(incidents: &BTreeMap<IncidentKey, Incident>) -> Self {
        let mut ids = Self { held: HashMap::new(), referenced: HashMap::new() };
        for (key, incident) in incidents {
            for segment in &incident.segments {
                ids.note(&segment.warning.id, &segment.warning.references, key);
            }
            for ending in &incident.endings {
                ids.note(&ending.id, &ending.references, key);
            }
        }
        ids
    }

    /// Remembers that the message of this id, and what it references, are about `key`.
    pub(super) fn note(&mut self, id: &str, references: &[String], key: &IncidentKey) {
        self.held.insert(id.to_owned(), key.clone());
        for reference in references {
            self.referenced.entry(reference.clone()).or_insert_with(|| key.clone());
        }
    }

    pub(super) fn holder(&self, id: &str) -> Option<&IncidentKey> {
        self.held.get(id)
    }

    fn linked(&self, warning: &Warning) -> Option<&IncidentKey> {
        let references = &warning.references;
        self.held
            .get(&warning.id)
            .or_else(|| self.referenced.get(&warning.id))
            .or_else(|| references.iter().find_map(|id| self.held.get(id)))
            .or_else(|| references.iter().find_map(|id| self.referenced.get(id)))
    }
}

/// The key of a message about a VTEC event.
///
/// The year is that in which the event was first heard of: a message without NEW joins an event held from last year. An
/// office that gives a tracking number out twice in a year makes two events, if place or time are apart.
pub(super) fn of_event(
    incidents: &BTreeMap<IncidentKey, Incident>,
    ids: &Ids,
    vtec: &Vtec,
    warning: &Warning,
) -> IncidentKey {
    let prefix = format!("{}.", vtec.event_id());
    if let Some(key) = ids.linked(warning)
        && key.0.starts_with(&prefix)
    {
        return key.clone();
    }
    let year = warning.sent_utc.strftime("%Y").to_string();
    let plain = IncidentKey(format!("{prefix}{year}"));
    let first = IncidentKey(prefix.clone());
    let known = incidents.range(first..).take_while(|(key, _)| key.0.starts_with(&prefix));
    let is_new = vtec.action == "NEW";
    let known: Vec<_> = known.filter(|(key, _)| !is_new || key.0.starts_with(&plain.0)).collect();
    if known.is_empty() {
        return plain;
    }
    let newest =
        |(_, incident): &&(&IncidentKey, &Incident)| incident.segments.iter().map(|s| s.warning.sent_utc).max();
    if is_new {
        let same = known.iter().filter(|(_, incident)| !is_another(warning, incident)).max_by_key(newest);
        let apart = || IncidentKey(format!("{}@{}", plain.0, warning.sent_utc.strftime("%Y%m%dT%H%MZ")));
        return same.map_or_else(apart, |(key, _)| (*key).clone());
    }
    let meets = |incident: &Incident| incident.segments.iter().any(|s| areas_meet(warning, &s.warning));
    let near = known.iter().filter(|(_, incident)| meets(incident)).max_by_key(newest);
    near.or_else(|| known.iter().max_by_key(newest)).map_or(plain, |(key, _)| (*key).clone())
}

/// Whether a NEW message cannot be about this incident of the same tracking number.
fn is_another(warning: &Warning, incident: &Incident) -> bool {
    let begins = warning.begins_utc();
    !incident.segments.is_empty()
        && incident.segments.iter().all(|segment| {
            let held = &segment.warning;
            let later = held.sent_utc.duration_since(warning.sent_utc).abs() > ONE_PRODUCT;
            let polygons = held.area.is_some() && warning.area.is_some();
            let apart_in_time = begins >= segment.until_utc || warning.until_utc() <= segment.begins_utc;
            (later || polygons) && !areas_meet(warning, held) || later && apart_in_time
        })
}

/// Whether two messages can be about the same ground: by their polygons if both have one, else by zones. A message
/// without either may be about any.
fn areas_meet(one: &Warning, other: &Warning) -> bool {
    if let (Some(ours), Some(theirs)) = (&one.area, &other.area) {
        return ours.bounds_meet(theirs);
    }
    one.ugc.is_empty()
        || other.ugc.is_empty()
        || one.ugc.iter().any(|a| other.ugc.iter().any(|b| ugc::covers(a, b) || ugc::covers(b, a)))
}

/// The key of a message without VTEC: the incident that its id or references lead to; else the one of the same office,
/// event and area that it re-issues; else a new one under the oldest id of its chain.
pub(super) fn of_chain(incidents: &BTreeMap<IncidentKey, Incident>, ids: &Ids, warning: &Warning) -> IncidentKey {
    if let Some(key) = ids.linked(warning) {
        return key.clone();
    }
    if warning.references.is_empty() && !(warning.ugc.is_empty() && warning.area.is_none()) {
        let reissued =
            |incident: &Incident| incident.segments.iter().any(|s| reissues(warning, &s.warning, s.until_utc));
        // Keys of chains begin with "cap:", which sorts after every office.
        let chains = incidents.range(IncidentKey(CHAIN.to_owned())..).take_while(|(key, _)| key.0.starts_with(CHAIN));
        if let Some((key, _)) = chains.into_iter().find(|(_, incident)| reissued(incident)) {
            return key.clone();
        }
    }
    IncidentKey(format!("{CHAIN}{}", warning.references.first().unwrap_or(&warning.id)))
}

/// How keys of products without VTEC begin.
const CHAIN: &str = "cap:";

fn reissues(warning: &Warning, held: &Warning, held_until: Timestamp) -> bool {
    held.vtec.is_empty()
        && held.sender == warning.sender
        && held.event == warning.event
        && held.ugc == warning.ugc
        && held.area == warning.area
        && warning.sent_utc <= held_until + REISSUE_GRACE
        && held.sent_utc <= warning.until_utc() + REISSUE_GRACE
}

/// The key itself, and the same event under the year before and after: a message heard first in January may be about an
/// event of December.
pub(super) fn neighbours(key: &IncidentKey) -> Vec<IncidentKey> {
    let mut keys = vec![key.clone()];
    if let Some((event, year)) = key.0.rsplit_once('.')
        && !key.0.starts_with(CHAIN)
        && let Ok(year) = year.parse::<i32>()
    {
        keys.extend([year - 1, year + 1].map(|year| IncidentKey(format!("{event}.{year}"))));
    }
    keys
}
