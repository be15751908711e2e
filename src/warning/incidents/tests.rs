use super::*;
use crate::geo::Area;
use crate::warning::{CapStatus, StormMotion, Tags};

mod doubt;
mod ends;
mod identities;
mod matches;
mod polls;

pub(crate) fn utc(text: &str) -> Timestamp {
    let text = if text.len() == 5 { format!("2026-06-10T{text}:00Z") } else { text.to_owned() };
    text.parse().unwrap()
}

/// A tornado warning without VTEC, zones or polygon, sent at a time, ending a day later.
pub(crate) fn product(id: &str, sent: &str) -> Warning {
    let sent_utc = utc(sent);
    Warning {
        id: id.into(),
        event: "Tornado Warning".into(),
        status: CapStatus::Actual,
        message_type: "Alert".into(),
        severity: "Extreme".into(),
        certainty: "Observed".into(),
        urgency: "Immediate".into(),
        response: "Shelter".into(),
        headline: None,
        area_desc: "Example County".into(),
        sender: "NWS Example".into(),
        description: "text".into(),
        instruction: None,
        sent_utc,
        effective_utc: Some(sent_utc),
        onset_utc: Some(sent_utc),
        expires_utc: Some(sent_utc + SignedDuration::from_hours(24)),
        ends_utc: Some(sent_utc + SignedDuration::from_hours(24)),
        vtec: vec![],
        references: vec![],
        ugc: vec![],
        area: None,
        tags: Tags::default(),
        motion: None::<StormMotion>,
    }
}

/// With VTEC `/O.<action>.KXXX.TO.W.<etn>...` and zones.
pub(crate) fn event(id: &str, sent: &str, action: &str, etn: u16, ugc: &[&str]) -> Warning {
    let vtec = format!("/O.{action}.KXXX.TO.W.{etn:04}.260610T1200Z-260611T2100Z/").parse().unwrap();
    Warning { vtec: vec![vtec], ugc: ugc.iter().map(|code| (*code).into()).collect(), ..product(id, sent) }
}

pub(crate) fn updates(mut warning: Warning, references: &[&str]) -> Warning {
    warning.message_type = "Update".into();
    warning.references = references.iter().map(|id| (*id).into()).collect();
    warning
}

/// A square of 0.2 degrees around a point.
pub(crate) fn square(lat: f64, lon: f64) -> Area {
    let ring = [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1], [-0.1, -0.1]];
    Area::from(vec![vec![ring.map(|[x, y]| [lon + x, lat + y]).to_vec()]])
}

pub(crate) fn snapshot(updated: &str, warnings: &[&Warning]) -> WarningSnapshot {
    let warnings = warnings.iter().map(|w| Arc::new(Warning::clone(w))).collect();
    WarningSnapshot { updated_utc: Some(utc(updated)), warnings, unread: 0 }
}

/// One poll at a time with `updated` of the same time.
pub(crate) fn poll(incidents: &mut Incidents, at: &str, warnings: &[&Warning]) -> Taken {
    incidents.take(&snapshot(at, warnings), utc(at))
}

pub(crate) fn place() -> LatLon {
    LatLon::new(40.5, -93.0).unwrap()
}

/// Ids of what holds the place (its zones are MOC171, MOZ008 and MOZ108) or lies within 100 km, with the phase.
pub(crate) fn seen(incidents: &Incidents, now: &str) -> Vec<(String, Phase)> {
    let zones = ["MOC171".to_owned(), "MOZ008".to_owned(), "MOZ108".to_owned()];
    let sights = incidents.around(place(), Some(&zones), 100.0, utc(now));
    sights.into_iter().map(|sight| (sight.warning.id.clone(), sight.phase)).collect()
}

pub(crate) fn in_effect(incidents: &Incidents, now: &str) -> Vec<String> {
    seen(incidents, now).into_iter().filter(|(_, phase)| *phase == Phase::InEffect).map(|(id, _)| id).collect()
}

pub(crate) fn key(text: &str) -> IncidentKey {
    IncidentKey(text.into())
}

pub(crate) const TO_1: &str = "KXXX.TO.W.0001.2026";
