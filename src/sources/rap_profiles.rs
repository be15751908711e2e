//! RAP: the air over places, from NCEP's hourly model of 13 km.
//!
//! Published every hour: the analysis (f00) some 48 minutes after the hour, its forecasts within the next ten minutes. Each
//! poll looks for a cycle newer than the one held, back to four hours ago. For few grid points NOMADS' filter cuts out a box
//! around each (60 kB an hour); for many, the messages of a profile are read out of the whole file by its `.idx` (12 MB an
//! hour, however many places). Places nearest to the same grid point share what is read.
//!
//! The analysis is what watching needs; the forecast hours of the same cycle follow in the same poll for every place, because
//! a question about the trend cannot wait for the next one. They are not read before the analysis is there.
//!
//! It cannot tell how well the model meets the day, nor anything that is smaller than its grid.

use super::{Ask, Block, Poll, PollError, Ranged, Source};
use crate::decode::rap::{GridPoint, cycle_before};
use crate::geo::LatLon;
use crate::observation::{Fault, Observation, RAP_PROFILES, SourceName};
use crate::outside::Outside;
use crate::profile::ModelProfile;
use async_trait::async_trait;
use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

mod fetch;
mod files;

#[cfg(test)]
mod tests;

use fetch::{Outcome, Upstream, file_key};

/// A new cycle should be found within minutes, and NOMADS not be asked all the time.
const PERIOD_S: (u64, u64) = (60, 3_600);
/// A poll asks for the analysis and then for all forecast hours at once, four requests at a time, each within its own limit.
const POLL_TIMEOUT: Duration = Duration::from_secs(240);
/// How far back a cycle is looked for: NCEP has skipped some hours, never four.
const CYCLES_BACK_MAX: i64 = 4;
/// No analysis is there before this much of its hour has passed; it is not asked for.
const FIRST_AFTER: SignedDuration = SignedDuration::from_mins(30);
/// How long a profile may speak after what it is valid for (levels.md).
const SPEAKS: SignedDuration = SignedDuration::from_hours(3);
/// Points that may be cut out one by one. NOMADS blocks whoever makes 120 requests a minute: 20 points of four hours are 80.
const FILTER_POINTS_MAX: usize = 20;
/// What config may raise it to: with the analysis alone, the same 80.
const FILTER_POINTS_LIMIT: usize = 80;
/// Forecast hours that config may name, and how far they reach.
const HOURS_MAX: usize = 12;
const HOUR_MAX: u16 = 51;
/// Grid points asked for in one poll; watch points of a continent share some 10,000.
const POINTS_MAX: usize = 20_000;

/// `[sources.rap_profiles]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Scheme, host and port of NOMADS.
    pub filter_url: String,
    /// Where whole files lie, without a trailing slash.
    pub files_url: String,
    /// Seconds between polls.
    pub period_s: u64,
    /// Forecast hours read besides the analysis.
    pub forecast_hours: Vec<u16>,
    /// Grid points cut out one by one.
    pub filter_points_max: usize,
}

impl Block for Config {
    fn figures(&self) -> Vec<Ranged> {
        let hours = self.forecast_hours.iter().map(|hour| u64::from(*hour));
        let hours = hours.map(|value| Ranged { key: "forecast_hours", value, accepted: (1, u64::from(HOUR_MAX)) });
        let own = [
            Ranged { key: "period_s", value: self.period_s, accepted: PERIOD_S },
            Ranged {
                key: "filter_points_max",
                value: self.filter_points_max as u64,
                accepted: (0, FILTER_POINTS_LIMIT as u64),
            },
        ];
        own.into_iter().chain(hours).collect()
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            filter_url: "https://nomads.ncep.noaa.gov".to_owned(),
            files_url: "https://noaa-rap-pds.s3.amazonaws.com".to_owned(),
            period_s: 300,
            forecast_hours: vec![1, 3, 6],
            filter_points_max: FILTER_POINTS_MAX,
        }
    }
}

/// The source.
pub struct RapProfiles {
    upstream: Upstream,
    period: Duration,
    /// Forecast hours besides the analysis, rising.
    hours: Vec<u16>,
    /// What is held of each wanted grid point and hour. Only points that are still asked for.
    held: BTreeMap<(GridPoint, u16), Held>,
    /// What was published of each place and hour, by the cycle. Only places that are still asked for.
    published: BTreeMap<(String, u16), Timestamp>,
    /// Grid points that were looked for at all.
    tried: BTreeSet<GridPoint>,
}

/// What the newest cycle that answered for a grid point and hour yielded.
struct Held {
    cycle_utc: Timestamp,
    /// The profile, or why there is none: a file that does not cover the point will not do so when asked again.
    profile: Result<Arc<ModelProfile>, Fault>,
}

/// Places by the grid point nearest to each.
type Groups = BTreeMap<GridPoint, Vec<LatLon>>;

/// Opens the source. Nothing is asked of the upstream yet.
pub fn open(config: Config, outside: Arc<dyn Outside>) -> RapProfiles {
    let hours: BTreeSet<u16> = config.forecast_hours.into_iter().filter(|hour| (1..=HOUR_MAX).contains(hour)).collect();
    RapProfiles {
        upstream: Upstream {
            outside,
            filter_url: config.filter_url.trim_end_matches('/').to_owned(),
            files_url: config.files_url.trim_end_matches('/').to_owned(),
            filter_points_max: config.filter_points_max.min(FILTER_POINTS_LIMIT),
        },
        period: Duration::from_secs(config.period_s),
        hours: hours.into_iter().take(HOURS_MAX).collect(),
        held: BTreeMap::new(),
        published: BTreeMap::new(),
        tried: BTreeSet::new(),
    }
}

#[async_trait]
impl Source for RapProfiles {
    fn name(&self) -> SourceName {
        RAP_PROFILES
    }

    fn period(&self) -> Duration {
        self.period
    }

    fn timeout(&self) -> Duration {
        POLL_TIMEOUT
    }

    fn is_wanted_now(&self, ask: &Ask) -> bool {
        ask.places.iter().filter_map(|place| Some((GridPoint::of(place.at)?, place.at))).any(|(point, at)| {
            let profile = self.held.get(&(point, 0)).and_then(|held| held.profile.as_ref().ok());
            let unpublished = profile.is_some() && !self.published.contains_key(&(at.key_4dp(), 0));
            unpublished || !self.tried.contains(&point)
        })
    }

    async fn poll(&mut self, ask: &Ask, now: Timestamp) -> Result<Poll, PollError> {
        let groups = groups(ask);
        self.forget(&groups);
        let mut looked = Looked::default();
        let cycle = self.look_for_analysis(&groups, now, &mut looked).await;
        if let Some(cycle) = cycle {
            self.look_for_forecasts(&groups, cycle, &mut looked).await;
        }
        self.tried.extend(groups.keys().copied());
        let mut poll = Poll { faults: looked.faults, ..Poll::default() };
        self.publish(&groups, &mut poll);
        // Nothing came back and nothing is new: the shell backs off. What is held goes on speaking by its own times.
        let failed = !looked.answered && looked.error.is_some();
        if let (true, Some(error), true) = (failed, looked.error, poll.observations.is_empty()) {
            return Err(error);
        }
        let covered = self.covered(&groups, now);
        poll.good = !failed && covered > 0;
        let cycle = cycle.map_or_else(|| "no cycle".to_owned(), |cycle| format!("cycle {cycle}"));
        poll.cursor = Some(format!("{cycle}, {covered} of {} grid points", groups.len()));
        Ok(poll)
    }
}

/// How the looking of one poll went.
#[derive(Default)]
struct Looked {
    /// Whether the upstream answered anything that makes sense, be it "not there yet".
    answered: bool,
    /// The first trouble on the way.
    error: Option<PollError>,
    faults: Vec<Fault>,
}

impl RapProfiles {
    /// Drops what belongs to places that nobody asks for any more.
    fn forget(&mut self, groups: &Groups) {
        self.held.retain(|(point, _), _| groups.contains_key(point));
        self.tried.retain(|point| groups.contains_key(point));
        let keys: BTreeSet<String> = groups.values().flatten().map(|place| place.key_4dp()).collect();
        self.published.retain(|(key, _), _| keys.contains(key));
    }

    /// Finds the newest cycle whose analysis answers, and its analysis for every point that lacks it. Gives the newest held.
    async fn look_for_analysis(&mut self, groups: &Groups, now: Timestamp, looked: &mut Looked) -> Option<Timestamp> {
        for back in 0..=CYCLES_BACK_MAX {
            let Some(cycle) = cycle_before(now, back).filter(|cycle| now.duration_since(*cycle) >= FIRST_AFTER) else {
                continue;
            };
            let answered = self.held.values().any(|held| held.cycle_utc == cycle);
            let missing: Groups = groups
                .iter()
                .filter(|(point, _)| self.held.get(&(**point, 0)).is_none_or(|held| held.cycle_utc < cycle))
                .map(|(point, places)| (*point, places.clone()))
                .collect();
            let outcome = self.upstream.fetch(cycle, 0, &missing).await;
            let down = outcome.down;
            if self.keep(cycle, 0, outcome, looked) || answered {
                return Some(cycle);
            }
            if down {
                break;
            }
            if self.held.iter().any(|((_, hour), held)| *hour == 0 && held.cycle_utc >= cycle) {
                break;
            }
        }
        let newest = self.held.iter().filter(|((_, hour), _)| *hour == 0).map(|(_, held)| held.cycle_utc).max();
        if newest.is_none() && !groups.is_empty() && looked.faults.is_empty() {
            let what = format!("no cycle of the last {CYCLES_BACK_MAX} hours is there");
            let place = cycle_before(now, 0).map_or_else(String::new, |cycle| file_key(cycle, 0));
            let fault = Fault { what, place, kept_rest: false };
            looked.error.get_or_insert(PollError::Refused(fault.clone()));
            looked.answered = false;
            looked.faults.push(fault);
        }
        newest
    }

    /// The forecast hours of a cycle, for points that have its analysis. An hour that is not there yet is no fault.
    async fn look_for_forecasts(&mut self, groups: &Groups, cycle: Timestamp, looked: &mut Looked) {
        let lacking = |hour: u16| -> Groups {
            let of_cycle =
                |point: GridPoint, hour: u16| self.held.get(&(point, hour)).filter(|held| held.cycle_utc == cycle);
            let wanted = |point: GridPoint| {
                of_cycle(point, 0).is_some_and(|held| held.profile.is_ok()) && of_cycle(point, hour).is_none()
            };
            groups.iter().filter(|(point, _)| wanted(**point)).map(|(point, at)| (*point, at.clone())).collect()
        };
        let asked: Vec<(u16, Groups)> = self.hours.iter().map(|hour| (*hour, lacking(*hour))).collect();
        let upstream = &self.upstream;
        let fetches = asked.iter().map(|(hour, groups)| upstream.fetch(cycle, *hour, groups));
        let outcomes = join_all(fetches).await;
        for ((hour, _), outcome) in asked.iter().zip(outcomes) {
            self.keep(cycle, *hour, outcome, looked);
        }
    }

    /// Keeps what was fetched. True where the file was there and answered for a point at all.
    fn keep(&mut self, cycle: Timestamp, hour: u16, outcome: Outcome, looked: &mut Looked) -> bool {
        looked.answered |= outcome.answered;
        looked.faults.extend(outcome.faults);
        if let Some(error) = outcome.error {
            looked.error.get_or_insert(error);
        }
        let there = !outcome.profiles.is_empty();
        for (point, profile) in outcome.profiles {
            self.held.insert((point, hour), Held { cycle_utc: cycle, profile: profile.map(Arc::new) });
        }
        there
    }

    /// What places do not have yet of what is held. Points that are not covered are told in every poll.
    fn publish(&mut self, groups: &Groups, poll: &mut Poll) {
        for ((point, hour), held) in &self.held {
            let profile = match &held.profile {
                Ok(profile) => profile,
                Err(fault) => {
                    poll.faults.push(fault.clone());
                    continue;
                }
            };
            for place in groups.get(point).into_iter().flatten() {
                let slot = (place.key_4dp(), *hour);
                if self.published.get(&slot) == Some(&held.cycle_utc) {
                    continue;
                }
                let Some(of_place) = profile.for_place(*place) else { continue };
                self.published.insert(slot, held.cycle_utc);
                poll.observations.push(Observation::Profile(Arc::new(of_place)));
            }
        }
    }

    /// Grid points whose analysis may still speak.
    fn covered(&self, groups: &Groups, now: Timestamp) -> usize {
        let speaks = |point: &&GridPoint| {
            let profile = self.held.get(&(**point, 0)).and_then(|held| held.profile.as_ref().ok());
            profile.is_some_and(|profile| now.duration_since(profile.valid_utc) <= SPEAKS)
        };
        groups.keys().filter(speaks).count()
    }
}

/// Places by grid point, each place once.
fn groups(ask: &Ask) -> Groups {
    let mut groups = Groups::new();
    for place in ask.places.iter() {
        let Some(point) = GridPoint::of(place.at) else { continue };
        if groups.len() >= POINTS_MAX && !groups.contains_key(&point) {
            continue;
        }
        let places = groups.entry(point).or_default();
        if places.iter().all(|known| known.key_4dp() != place.at.key_4dp()) {
            places.push(place.at);
        }
    }
    groups
}
