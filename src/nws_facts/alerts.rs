//! Alerts as the API lists them, and the search among them.
//!
//! Boundaries: ✓ rows as sent, with what they mean; which rows a search finds; which have been replaced or are over. ✗ the life
//! of incidents over many polls and what they say of danger (see `warning::incidents`, `threat`).

mod query;
mod standing;

#[cfg(test)]
mod tests;

pub use query::{AlertQuery, FilterError, Filters, Where};

use crate::warning::Warning;
use crate::warning::incidents::Phase;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One alert.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlertRow {
    /// What it means.
    pub warning: Arc<Warning>,
    /// CAP status as sent.
    pub status: String,
    /// The zones it names by URL, with their kinds.
    pub zones: Vec<AlertZone>,
    /// Earlier messages that it replaces.
    pub references: Vec<AlertReference>,
    /// Its times as sent, with the office's own offset.
    pub times: AlertTimes,
}

/// Times of an alert as sent; `None` where missing or not a time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertTimes {
    /// When the message was sent.
    pub sent: Option<String>,
    /// From when on the message is in effect.
    pub effective: Option<String>,
    /// When the hazard begins.
    pub onset: Option<String>,
    /// When the hazard ends.
    pub ends: Option<String>,
    /// Until when the message is valid: not the end of the hazard.
    pub expires: Option<String>,
}

/// A zone of an alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertZone {
    /// `KSZ083`.
    pub code: String,
    /// What kind of zone.
    pub kind: ZoneKind,
}

/// Kinds of zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ZoneKind {
    /// A public or marine forecast zone.
    Forecast,
    /// A county.
    County,
    /// A fire weather zone.
    Fire,
}

impl ZoneKind {
    /// `forecast`, `county` or `fire`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Forecast => "forecast",
            Self::County => "county",
            Self::Fire => "fire",
        }
    }
}

/// An earlier message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertReference {
    /// Its CAP id.
    pub identifier: String,
    /// When it was sent, as sent.
    pub sent: Option<String>,
}

/// All alerts of one answer, each id once, in the order in which they were sent to us.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AlertCollection {
    /// The collection's own `updated`.
    pub updated_utc: Option<Timestamp>,
    /// The alerts.
    pub rows: Vec<Arc<AlertRow>>,
    /// How many could not be read.
    pub unread: u32,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Matching alerts, in the order of the collection.
    pub rows: Vec<Arc<AlertRow>>,
    /// Matching alerts that were left out since they are over, or another message has taken their place.
    pub over: usize,
}

impl AlertRow {
    /// Coming or in effect; `None` when it is over, by its own words or the clock.
    pub fn phase(&self, now: Timestamp) -> Option<Phase> {
        let warning = &self.warning;
        let ended = !warning.vtec.is_empty() && warning.vtec.iter().all(|vtec| vtec.end_action().is_some());
        if warning.is_past() || ended { None } else { warning.phase(now) }
    }

    /// Every zone and county that it names, by URL or by code.
    pub fn codes(&self) -> impl Iterator<Item = &str> {
        let by_url = self.zones.iter().map(|zone| zone.code.as_str());
        by_url.chain(self.warning.ugc.iter().map(String::as_str))
    }
}

impl AlertCollection {
    /// What `query` finds among these at `now`. `place_zones` are the zones of the query's point: without them only polygons
    /// can hold it.
    ///
    /// What is over is left out unless the query asks for the past; what another message of this collection replaces, or
    /// ends under the same VTEC event, for all its zones, is over.
    pub fn search(&self, query: &AlertQuery, place_zones: Option<&[String]>, now: Timestamp) -> Found {
        let mut matching: Vec<bool> = self.rows.iter().map(|row| query.matches(row, place_zones)).collect();
        let matched = matching.iter().filter(|matches| **matches).count();
        if !query.asks_for_the_past() {
            standing::strike_out(&self.rows, &mut matching, now);
        }
        let rows: Vec<_> = self.rows.iter().zip(&matching).filter(|(_, stays)| **stays).map(|(row, _)| row).collect();
        Found { over: matched - rows.len(), rows: rows.into_iter().cloned().collect() }
    }

    /// This collection with the rows of another that it lacks.
    pub fn with(mut self, other: Self) -> Self {
        let ids: std::collections::HashSet<String> = self.rows.iter().map(|row| row.warning.id.clone()).collect();
        self.rows.extend(other.rows.into_iter().filter(|row| !ids.contains(&row.warning.id)));
        self.unread = self.unread.saturating_add(other.unread);
        self
    }
}
