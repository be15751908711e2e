//! How well levels foretold what was then reported: hits, misses, false alarms and lead times of one watch point. Pure.
//!
//! Definitions, after Wilks, "Statistical Methods in the Atmospheric Sciences" (chapter on forecast verification), and
//! Schaefer (1990), "The Critical Success Index as an Indicator of Warning Skill", Wea. Forecasting 5, 570-575:
//! - An *event* is a storm report within `Terms::radius_km` of the point: a tornado (a waterspout within 15 km), hail of at
//!   least 1 in, or thunderstorm wind, at its event time.
//! - A *spell* at L is a stretch of time, half-open, in which the level was at or above L without a break.
//! - An event is *hit* at L if a spell at L covers any of the time from `Terms::window` before it to it; else it is *missed*. Its
//!   *lead time* is from the beginning of the newest such spell to the event.
//! - A spell is *verified* if it is hit by an event, that is if one falls between its beginning and `window` after its end; a *false
//!   alarm* if none does; *undecided* while one still could.
//! - POD = hits / events. FAR = false alarms / decided spells. Events and spells are counted differently, so
//!   CSI = 1 / (1/POD + 1/(1-FAR) - 1) (Schaefer 1990), as the NWS scores its warnings.
//! - There are no correct rejections: a quiet hour without a report proves nothing, a blind one less. A miss while something
//!   unseen could have meant L is counted as a miss, and said to be one *in the dark*.

use crate::geo::LatLon;
use crate::storm_report::{Category, Group, StormReport};
use crate::threat::{BlindSpot, Level, later};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Hail of at least this size is severe (NWS criterion), inches.
pub const SEVERE_HAIL_IN: f64 = 1.0;
/// A waterspout counts as a tornado within this (levels.md, correction 6), km.
pub const WATERSPOUT_KM: f64 = 15.0;
/// Radius when none is named: the circle that the rules look at, km.
pub const RADIUS_KM_DEFAULT: f64 = super::rules::RADIUS_KM;
/// Window when none is named: twice the mean lead time of a tornado warning.
pub const WINDOW_DEFAULT: SignedDuration = SignedDuration::from_mins(30);

/// What counts as a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Reports within this count, km.
    pub radius_km: f64,
    /// The level must have stood within this before the event.
    pub window: SignedDuration,
}

/// The kinds of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A tornado.
    Tornado,
    /// Hail of at least an inch.
    Hail,
    /// Wind of a thunderstorm.
    Wind,
}

impl Kind {
    /// The word for it, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tornado => "tornado",
            Self::Hail => "hail",
            Self::Wind => "thunderstorm_wind",
        }
    }
}

/// One report that counts.
#[derive(Debug, Clone, PartialEq)]
pub struct StormEvent {
    /// What was seen.
    pub kind: Kind,
    /// When it happened.
    pub at_utc: Timestamp,
    /// From the point, km.
    pub distance_km: f64,
    /// Where, in the report's words.
    pub place: String,
    /// The product that carried it.
    pub product_id: Option<String>,
}

/// The level of a watch point over time, and when something was unseen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Watched from here,
    pub from_utc: Timestamp,
    /// to here, exclusive.
    pub to_utc: Timestamp,
    /// Level from each instant on, in order; none before the first.
    pub steps: Vec<(Timestamp, Level)>,
    /// Stretches in which something unseen could have meant a higher level.
    pub dark: Vec<Dark>,
}

/// A watch point with the levels that stood and the levels that were told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Watched {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Where.
    pub at: LatLon,
    /// Levels as they stood.
    pub stood: Timeline,
    /// Levels as they were told, from the moment on at which the first address had them.
    pub told: Timeline,
}

/// A stretch in which evidence was unseen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dark {
    /// From here,
    pub from_utc: Timestamp,
    /// to here, exclusive.
    pub to_utc: Timestamp,
    /// The level that it could have meant.
    pub could_mean: Level,
}

/// A stretch at or above a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spell {
    /// From here,
    pub from_utc: Timestamp,
    /// to here, exclusive; the end of the watch while it stands.
    pub to_utc: Timestamp,
    /// Whether it stood still at the end of the watch.
    pub stands: bool,
}

/// An event that was foretold.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The event.
    pub event: StormEvent,
    /// From the beginning of the spell to the event.
    pub lead: SignedDuration,
}

/// An event that was not.
#[derive(Debug, Clone, PartialEq)]
pub struct Miss {
    /// The event.
    pub event: StormEvent,
    /// Whether something unseen could have meant the level.
    pub in_the_dark: bool,
}

/// How well one level of one point foretold; of several points, added up.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The level.
    pub level: Level,
    /// Events foretold.
    pub hits: Vec<Hit>,
    /// Events not foretold.
    pub misses: Vec<Miss>,
    /// Spells with an event.
    pub verified: Vec<Spell>,
    /// Spells without one.
    pub false_alarms: Vec<Spell>,
    /// Spells that an event may still verify.
    pub undecided: Vec<Spell>,
}

/// Lead times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leads {
    /// Half are at least this.
    pub median: SignedDuration,
    /// Shortest.
    pub min: SignedDuration,
    /// Longest.
    pub max: SignedDuration,
}

/// The reports that are events around a place, oldest first. Each report of an event counts once already.
pub fn events(reports: &[StormReport], place: LatLon, radius_km: f64) -> Vec<StormEvent> {
    let event = |report: &StormReport| {
        let distance_km = place.distance_km(report.at);
        let kind = match report.category.group() {
            Group::Tornado if report.category == Category::Waterspout && distance_km > WATERSPOUT_KM => return None,
            Group::Tornado => Kind::Tornado,
            Group::Hail if report.hail_in().is_some_and(|inches| inches >= SEVERE_HAIL_IN) => Kind::Hail,
            Group::Wind => Kind::Wind,
            Group::Hail | Group::Flood | Group::Other => return None,
        };
        (distance_km <= radius_km).then(|| StormEvent {
            kind,
            at_utc: report.event_utc,
            distance_km,
            place: report.city.clone(),
            product_id: report.product_id.clone(),
        })
    };
    let mut events: Vec<StormEvent> = reports.iter().filter_map(event).collect();
    events.sort_by(|a, b| a.at_utc.cmp(&b.at_utc).then(a.distance_km.total_cmp(&b.distance_km)));
    events
}

/// The stretches in which something was unseen, from what was unseen from each instant on.
pub fn dark<'a>(unseen: impl IntoIterator<Item = (Timestamp, &'a [BlindSpot])>, to_utc: Timestamp) -> Vec<Dark> {
    let unseen: Vec<(Timestamp, Level)> = unseen
        .into_iter()
        .map(|(at, spots)| (at, spots.iter().map(|spot| spot.could_raise_to).max().unwrap_or_default()))
        .collect();
    let ends = unseen.iter().skip(1).map(|(at, _)| *at).chain([to_utc]);
    let stretches = unseen.iter().zip(ends).map(|((from_utc, could_mean), to_utc)| Dark {
        from_utc: *from_utc,
        to_utc,
        could_mean: *could_mean,
    });
    stretches.filter(|dark| dark.could_mean > Level::None && dark.from_utc < dark.to_utc).collect()
}

impl Timeline {
    /// The spells at or above a level.
    pub fn spells(&self, level: Level) -> Vec<Spell> {
        let mut spells = Vec::new();
        let mut since: Option<Timestamp> = None;
        for (at, stands) in &self.steps {
            match (since, *stands >= level) {
                (None, true) => since = Some(*at),
                (Some(from_utc), false) => {
                    spells.push(Spell { from_utc, to_utc: *at, stands: false });
                    since = None;
                }
                (Some(_), true) | (None, false) => {}
            }
        }
        spells.extend(since.map(|from_utc| Spell { from_utc, to_utc: self.to_utc, stands: true }));
        spells.retain(|spell| spell.stands || spell.from_utc < spell.to_utc);
        spells
    }

    fn is_dark(&self, from: Timestamp, to: Timestamp, level: Level) -> bool {
        let unseen = |dark: &Dark| dark.could_mean >= level && dark.from_utc <= to && from < dark.to_utc;
        self.dark.iter().any(unseen)
    }
}

/// Scores one level of one point. Events outside of the watch do not count.
pub fn score(timeline: &Timeline, events: &[StormEvent], level: Level, terms: Terms) -> Score {
    let Terms { window, .. } = terms;
    let spells = timeline.spells(level);
    let before = |at: Timestamp| later(at, -window);
    // A spell that stands at the end of the watch stands at its last instant too.
    let covers = |spell: &Spell, at: Timestamp| spell.from_utc <= at && (spell.stands || before(at) < spell.to_utc);
    let mut score = Score::none(level);
    let watched = |event: &&StormEvent| timeline.from_utc <= event.at_utc && event.at_utc < timeline.to_utc;
    for event in events.iter().filter(watched) {
        match spells.iter().rfind(|spell| covers(spell, event.at_utc)) {
            Some(spell) => {
                let lead = spell.from_utc.duration_until(event.at_utc);
                score.hits.push(Hit { event: event.clone(), lead });
            }
            None => {
                let in_the_dark = timeline.is_dark(before(event.at_utc), event.at_utc, level);
                score.misses.push(Miss { event: event.clone(), in_the_dark });
            }
        }
    }
    for spell in spells {
        if events.iter().any(|event| covers(&spell, event.at_utc)) {
            score.verified.push(spell);
        } else if spell.stands || later(spell.to_utc, window) > timeline.to_utc {
            score.undecided.push(spell);
        } else {
            score.false_alarms.push(spell);
        }
    }
    score
}

impl Score {
    /// Nothing counted yet.
    pub fn none(level: Level) -> Self {
        Self {
            level,
            hits: Vec::new(),
            misses: Vec::new(),
            verified: Vec::new(),
            false_alarms: Vec::new(),
            undecided: Vec::new(),
        }
    }

    /// Adds what was counted of another point.
    pub fn add(&mut self, other: Self) {
        self.hits.extend(other.hits);
        self.misses.extend(other.misses);
        self.verified.extend(other.verified);
        self.false_alarms.extend(other.false_alarms);
        self.undecided.extend(other.undecided);
    }

    /// Probability of detection; `None` without events.
    pub fn pod(&self) -> Option<f64> {
        share(self.hits.len(), self.hits.len() + self.misses.len())
    }

    /// False alarm ratio; `None` without decided spells.
    pub fn far(&self) -> Option<f64> {
        share(self.false_alarms.len(), self.false_alarms.len() + self.verified.len())
    }

    /// Critical success index; 0 where nothing was hit, `None` where POD or FAR cannot be told.
    pub fn csi(&self) -> Option<f64> {
        let (pod, success) = (self.pod()?, 1.0 - self.far()?);
        let csi = 1.0 / (1.0 / pod + 1.0 / success - 1.0);
        Some(if pod > 0.0 && success > 0.0 { csi } else { 0.0 })
    }

    /// Lead times of the hits; `None` without any.
    pub fn leads(&self) -> Option<Leads> {
        let mut leads: Vec<SignedDuration> = self.hits.iter().map(|hit| hit.lead).collect();
        leads.sort_unstable();
        let (min, max) = (*leads.first()?, *leads.last()?);
        let upper = *leads.get(leads.len() / 2)?;
        let lower = *leads.get((leads.len() - 1) / 2)?;
        let median = SignedDuration::from_secs((lower.as_secs() + upper.as_secs()) / 2);
        Some(Leads { median, min, max })
    }

    /// Misses while something unseen could have meant the level.
    pub fn misses_in_the_dark(&self) -> usize {
        self.misses.iter().filter(|miss| miss.in_the_dark).count()
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests;
