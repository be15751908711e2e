//! One poll folded in. What products say of each other (replaced, ended, for which zones) is derived anew each time from
//! the products held, so that the order in which they came does not matter.

use super::doubt::{self, Before, Doubt};
use super::identity::{self, Ids};
use super::{Ending, Fate, INCIDENTS_MAX, Incident, REMEMBERED_FOR, Segment};
use crate::geo::Area;
use crate::warning::vtec::EndAction;
use crate::warning::{IncidentKey, Warning, WarningSnapshot};
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

type Held = BTreeMap<IncidentKey, Incident>;

/// Folds a snapshot in. An answer that is not `good` adds products and ends nothing.
pub(super) fn fold(
    held: &mut Held,
    (doubt, in_earlier_life): (&mut Option<Doubt>, &mut Option<usize>),
    snapshot: &WarningSnapshot,
    polled_utc: Timestamp,
    good: bool,
) {
    let whole = good && snapshot.unread == 0;
    let listed: HashSet<&str> = snapshot.warnings.iter().map(|warning| warning.id.as_str()).collect();
    let stood = if whole { doubt::standing(held, polled_utc) } else { BTreeSet::new() };
    let in_earlier_life = if whole { in_earlier_life.take() } else { None };
    note_absences(held, &listed, polled_utc, whole);
    let mut ids = Ids::of(held);
    let mut counting: Vec<&Arc<Warning>> = snapshot.warnings.iter().filter(|warning| warning.counts()).collect();
    // Oldest first, so that a chain finds its beginning; the id makes the order the same whatever the feed's order is.
    counting.sort_by(|a, b| (a.sent_utc, &a.id).cmp(&(b.sent_utc, &b.id)));
    for warning in &counting {
        add_segment(held, &mut ids, warning, good);
    }
    if good {
        for warning in &counting {
            add_endings(held, &mut ids, warning);
        }
    }
    if whole {
        withdraw(
            held,
            doubt::absent_for(doubt, held, &Before { stood, in_earlier_life }, snapshot, polled_utc),
            polled_utc,
        );
    }
    derive(held);
    forget(held, &listed, polled_utc);
}

fn note_absences(held: &mut Held, listed: &HashSet<&str>, polled_utc: Timestamp, whole: bool) {
    for segment in held.values_mut().flat_map(|incident| &mut incident.segments) {
        if listed.contains(segment.warning.id.as_str()) {
            segment.missed_utc = None;
            if matches!(segment.over, Some((Fate::Withdrawn, _))) {
                segment.over = None;
            }
        } else if whole {
            segment.missed_utc.get_or_insert(polled_utc);
        }
    }
}

/// What has been absent for long enough is withdrawn.
fn withdraw(held: &mut Held, absent_for: SignedDuration, polled_utc: Timestamp) {
    for segment in held.values_mut().flat_map(|incident| &mut incident.segments) {
        let long = segment.missed_utc.is_some_and(|missed| polled_utc.duration_since(missed) >= absent_for);
        if long && segment.over.is_none() && polled_utc < segment.until_utc {
            segment.over = Some((Fate::Withdrawn, polled_utc));
        }
    }
}

fn add_segment(held: &mut Held, ids: &mut Ids, warning: &Arc<Warning>, good: bool) {
    if !warning.stands() {
        return;
    }
    let key = match warning.standing_vtec() {
        Some(vtec) => identity::of_event(held, ids, vtec, warning),
        None => identity::of_chain(held, ids, warning),
    };
    if let Some(other) = ids.holder(&warning.id).filter(|other| **other != key).cloned() {
        // The same id now tells of another event: an office's slip. What it says now counts.
        if let Some(incident) = held.get_mut(&other) {
            incident.segments.retain(|segment| segment.warning.id != warning.id);
        }
    }
    ids.note(&warning.id, &warning.references, &key);
    let incident = held.entry(key).or_default();
    match incident.segments.iter_mut().find(|segment| segment.warning.id == warning.id) {
        Some(segment) => {
            segment.proven |= good;
            // Equal texts stay the one copy that is held; a changed one under the same id counts if it can be trusted.
            if good && segment.warning != *warning {
                segment.warning = Arc::clone(warning);
                (segment.begins_utc, segment.until_utc) = (warning.begins_utc(), warning.until_utc());
            }
        }
        None => incident.segments.push(Segment {
            warning: Arc::clone(warning),
            begins_utc: warning.begins_utc(),
            until_utc: warning.until_utc(),
            proven: good,
            missed_utc: None,
            gone: Vec::new(),
            over: None,
        }),
    }
}

fn add_endings(held: &mut Held, ids: &mut Ids, warning: &Arc<Warning>) {
    let cancels = warning.message_type.eq_ignore_ascii_case("Cancel");
    let mut targets: Vec<(IncidentKey, Fate)> = warning
        .endings()
        .map(|(vtec, action)| {
            let how = match action {
                EndAction::Cancelled => Fate::Cancelled,
                EndAction::Expired => Fate::Expired,
                EndAction::Upgraded => Fate::Upgraded,
            };
            (identity::of_event(held, ids, vtec, warning), how)
        })
        .collect();
    if targets.is_empty() && warning.is_past() {
        targets.push((identity::of_chain(held, ids, warning), Fate::Cancelled));
    }
    for (key, how) in targets {
        ids.note(&warning.id, &warning.references, &key);
        let incident = held.entry(key).or_default();
        if incident.endings.iter().any(|ending| ending.id == warning.id) {
            continue;
        }
        incident.endings.push(Ending {
            id: warning.id.clone(),
            how,
            sent_utc: warning.sent_utc,
            ugc: warning.ugc.clone(),
            references: warning.references.clone(),
            located: is_located(warning),
            ends_referenced: cancels || warning.vtec.is_empty(),
        });
    }
}

/// What a message does to the products that it references.
struct Referrer {
    id: String,
    key: IncidentKey,
    sent_utc: Timestamp,
    /// `None`: replaced by a product that stands.
    ended: Option<Fate>,
    whatever_key: bool,
    /// Whether one can tell where it is.
    located: bool,
}

/// Whether one can tell where a product is.
fn is_located(warning: &Warning) -> bool {
    !warning.ugc.is_empty() || warning.area.as_ref().is_some_and(Area::has_extent)
}

/// For every id that is referenced, who references it.
fn referrers(held: &Held) -> HashMap<String, Vec<Referrer>> {
    let mut found: HashMap<String, Vec<Referrer>> = HashMap::new();
    for (key, incident) in held {
        let mut add = |referred: &String, id: &String, sent_utc, ended, whatever_key, located| {
            let referrer = Referrer { id: id.clone(), key: key.clone(), sent_utc, ended, whatever_key, located };
            found.entry(referred.clone()).or_default().push(referrer);
        };
        // A product that was withdrawn takes nobody's place: if the older one is listed still, it speaks again.
        let standing = incident.segments.iter().filter(|s| s.proven && !matches!(s.over, Some((Fate::Withdrawn, _))));
        for warning in standing.map(|segment| &segment.warning) {
            for referred in &warning.references {
                add(referred, &warning.id, warning.sent_utc, None, true, is_located(warning));
            }
        }
        for ending in &incident.endings {
            for referred in &ending.references {
                add(referred, &ending.id, ending.sent_utc, Some(ending.how), ending.ends_referenced, true);
            }
        }
    }
    found
}

/// What takes the place of a product in force is in force itself, also where its own onset lies ahead (an office's clock, or ours):
/// nothing ends by being updated, and not by being updated twice before anybody asks.
fn hand_on(held: &mut Held, referrers: &HashMap<String, Vec<Referrer>>) {
    let mut begins: HashMap<String, Timestamp> = HashMap::new();
    // Who takes over when, from whom, and until when that one stands.
    let mut taken: Vec<(Timestamp, String, String, Timestamp)> = Vec::new();
    for incident in held.values() {
        let newer = standing(incident);
        for segment in &incident.segments {
            let (warning, until) = (&segment.warning, segment.until_utc);
            begins.insert(warning.id.clone(), segment.begins_utc);
            let withdrawn = matches!(segment.over, Some((Fate::Withdrawn, _)));
            if withdrawn || by_endings(&mut segment.clone(), &incident.endings).is_some() {
                continue;
            }
            let by_reference = referrers.get(&warning.id).into_iter().flatten();
            let by_reference = by_reference.filter(|r| r.ended.is_none() && is_successor(r, warning));
            taken.extend(by_reference.map(|r| (r.sent_utc, r.id.clone(), warning.id.clone(), until)));
            let by_zones = taken_by(segment, &newer).into_iter();
            taken.extend(by_zones.map(|newer| (newer.sent_utc, newer.id.clone(), warning.id.clone(), until)));
        }
    }
    // In order of issue: what one has taken over the next one takes over from it.
    taken.sort_unstable();
    for (sent_utc, id, from, until) in taken {
        let in_force = begins.get(&from).copied().filter(|began| *began <= sent_utc && sent_utc < until);
        if let Some((began, own)) = in_force.zip(begins.get_mut(&id)) {
            *own = began.min(*own);
        }
    }
    for segment in held.values_mut().flat_map(|incident| &mut incident.segments) {
        if let Some(began) = begins.get(&segment.warning.id) {
            segment.begins_utc = segment.begins_utc.min(*began);
        }
    }
}

/// The products of an incident that can take the place of others.
fn standing(incident: &Incident) -> Vec<Arc<Warning>> {
    let stands = |segment: &&Segment| segment.proven && !matches!(segment.over, Some((Fate::Withdrawn, _)));
    incident.segments.iter().filter(stands).map(|segment| Arc::clone(&segment.warning)).collect()
}

/// Derives for every segment whether it was replaced, ended, and for which zones.
fn derive(held: &mut Held) {
    let referrers = referrers(held);
    hand_on(held, &referrers);
    for (key, incident) in held.iter_mut() {
        let newer = standing(incident);
        let endings = &incident.endings;
        incident.segments.retain_mut(|segment| {
            let withdrawn = segment.over.filter(|over| over.0 == Fate::Withdrawn);
            segment.over = None;
            let ended = by_endings(segment, endings);
            let by_reference = referrers.get(&segment.warning.id).into_iter().flatten();
            let by_reference = by_reference.filter(|r| r.ended.is_none() || r.whatever_key || r.key != *key);
            for referrer in by_reference.filter(|r| r.ended.is_some() || is_successor(r, &segment.warning)) {
                match referrer.ended {
                    // Replaced within the incident: the newer product speaks for it.
                    None if referrer.key == *key => return false,
                    None => segment.over = segment.over.or(Some((Fate::Upgraded, referrer.sent_utc))),
                    Some(how) => segment.over = segment.over.or(Some((how, referrer.sent_utc))),
                }
            }
            segment.over = segment.over.or(ended);
            let replaced = segment.over.is_none() && is_replaced(segment, &newer);
            segment.over = segment.over.or(withdrawn);
            !replaced
        });
    }
}

/// Whether a standing product that references `warning` comes after it: not itself, not an older one, and of two that
/// reference each other (an office's slip) one. What cannot be located does not silence what can.
fn is_successor(referrer: &Referrer, warning: &Warning) -> bool {
    referrer.id != warning.id
        && referrer.sent_utc >= warning.sent_utc
        && (referrer.located || !is_located(warning))
        && !(warning.references.contains(&referrer.id) && warning.id > referrer.id)
}

/// Applies the endings of the incident to the zones of a segment; the ending that took the last zone, if all are gone.
fn by_endings(segment: &mut Segment, endings: &[Ending]) -> Option<(Fate, Timestamp)> {
    let warning = &segment.warning;
    segment.gone.clear();
    // An ending that nobody can place may be meant for other zones of the incident.
    let placed = is_located(warning);
    let applies = |e: &&Ending| e.sent_utc >= warning.sent_utc && e.id != warning.id && (e.located || !placed);
    let mut applying: Vec<&Ending> = endings.iter().filter(applies).collect();
    applying.sort_by_key(|ending| ending.sent_utc);
    for ending in applying {
        let all = ending.ugc.is_empty() || warning.ugc.is_empty();
        let taken = warning.ugc.iter().filter(|code| all || ending.ugc.contains(code));
        segment.gone.extend(taken.cloned());
        segment.gone.sort_unstable();
        segment.gone.dedup();
        if all || segment.gone.len() >= warning.ugc.len() {
            return Some((ending.how, ending.sent_utc));
        }
    }
    None
}

/// The newer products of the incident that stand for zones of this one. A product that nobody can place does not silence one that
/// stands somewhere.
fn taken_by(segment: &Segment, products: &[Arc<Warning>]) -> Vec<Arc<Warning>> {
    let ours = &segment.warning;
    let anywhere = !is_located(ours);
    let shares = |newer: &Warning| {
        ours.ugc.is_empty() || newer.ugc.is_empty() || ours.ugc.iter().any(|code| newer.ugc.contains(code))
    };
    let takes =
        |newer: &&Arc<Warning>| newer.sent_utc > ours.sent_utc && (anywhere || is_located(newer)) && shares(newer);
    products.iter().filter(takes).cloned().collect()
}

/// Whether newer products of the incident stand for all zones that this one has left; the zones they took are gone.
fn is_replaced(segment: &mut Segment, products: &[Arc<Warning>]) -> bool {
    let newer = taken_by(segment, products);
    let ours = &segment.warning.ugc;
    if newer.iter().any(|newer| ours.is_empty() || newer.ugc.is_empty()) {
        return true;
    }
    for newer in newer {
        segment.gone.extend(ours.iter().filter(|code| newer.ugc.contains(code)).cloned());
    }
    segment.gone.sort_unstable();
    segment.gone.dedup();
    !ours.is_empty() && segment.gone.len() >= ours.len()
}

/// Lets go of what ended long ago, and of the longest ended when there is too much.
fn forget(held: &mut Held, listed: &HashSet<&str>, polled_utc: Timestamp) {
    let kept = |id: &str, ended: Timestamp| listed.contains(id) || ended + REMEMBERED_FOR > polled_utc;
    for incident in held.values_mut() {
        incident.segments.retain(|s| kept(&s.warning.id, s.over.map_or(s.until_utc, |(_, at)| at)));
        let longest = incident.segments.iter().map(|s| s.until_utc).max();
        incident.endings.retain(|e| kept(&e.id, longest.map_or(e.sent_utc, |until| until.max(e.sent_utc))));
    }
    held.retain(|_, incident| !(incident.segments.is_empty() && incident.endings.is_empty()));
    let excess = held.len().saturating_sub(INCIDENTS_MAX);
    if excess > 0 {
        let last = |incident: &Incident| {
            let segments = incident.segments.iter().map(|s| s.over.map_or(s.until_utc, |(_, at)| at));
            segments.chain(incident.endings.iter().map(|e| e.sent_utc)).max()
        };
        let mut order: Vec<_> = held.iter().map(|(key, incident)| (last(incident), key.clone())).collect();
        order.sort();
        for (_, key) in order.into_iter().take(excess) {
            held.remove(&key);
        }
    }
}
