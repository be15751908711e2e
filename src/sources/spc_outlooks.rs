//! Convective outlooks of NOAA's Storm Prediction Center: days 1 to 3 (categories, probabilities, conditional intensities) and
//! 4 to 8 (probabilities), one small GeoJSON file a day and layer under `www.spc.noaa.gov/products`.
//!
//! Issued five times a day for day 1, twice for days 2 and 3, once for days 4 to 8, within minutes of fixed times; layers are
//! replaced one by one, so a set is taken only when all agree on VALID. Frozen files of layers that are no longer made keep
//! answering 200 for years: VALID tells them. Each poll yields everything that may still speak; which set of a day does is
//! said by `outlook::Outlooks::speaking`. It cannot tell why a layer is not there, and the server's caching headers are not
//! to be relied on: bodies are small and are simply read again.

mod layers;
mod settle;

pub use layers::{File, Role, archived, files};

use super::{Ask, Block, Poll, PollError, Ranged, Source};
use crate::decode::spc::{LayerKind, layer};
use crate::observation::{Fault, Observation, SPC_OUTLOOKS, SourceName};
use crate::outlook::{DAY_MAX, Outlooks};
use crate::outside::{Get, Got, Outside, OutsideError, compute};
use async_trait::async_trait;
use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use settle::{Answer, Settled, settle};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// The largest layer recorded has 11 kB.
const BODY_BYTES_MAX: usize = 2 << 20;
/// A layer takes a fraction of a second.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
/// One poll: some twenty layers, four at a time.
const POLL_TIMEOUT: Duration = Duration::from_secs(120);
/// Issue times want to be seen within minutes; the files change a few times a day.
const PERIOD_S: (u64, u64) = (60, 3_600);
/// While layers are being replaced they are looked at again after this.
const UNSETTLED_PERIOD: Duration = Duration::from_secs(60);
/// How often the archive is asked for the issue in force, where a start fell between the issue and its VALID.
const ARCHIVE_EVERY: SignedDuration = SignedDuration::from_mins(30);
/// Faults passed on of one poll.
const FAULTS_MAX: usize = 50;

/// `[sources.spc_outlooks]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Scheme, host and port, without a path.
    pub base_url: String,
    /// Seconds between polls.
    pub period_s: u64,
    /// The last day that is read.
    pub last_day: u8,
}

impl Block for Config {
    fn figures(&self) -> Vec<Ranged> {
        vec![
            Ranged { key: "period_s", value: self.period_s, accepted: PERIOD_S },
            Ranged { key: "last_day", value: u64::from(self.last_day), accepted: (1, u64::from(DAY_MAX)) },
        ]
    }
}

impl Default for Config {
    fn default() -> Self {
        Self { base_url: "https://www.spc.noaa.gov".to_owned(), period_s: 300, last_day: DAY_MAX }
    }
}

/// The source.
pub struct SpcOutlooks {
    outside: Arc<dyn Outside>,
    base_url: String,
    period: Duration,
    last_day: u8,
    held: Outlooks,
    /// Since when the layers of a day have disagreed.
    unsettled_since: BTreeMap<u8, Timestamp>,
    archive_asked_utc: Option<Timestamp>,
}

/// Opens the source. Nothing is asked of the upstream yet.
pub fn open(config: Config, outside: Arc<dyn Outside>) -> SpcOutlooks {
    SpcOutlooks {
        outside,
        base_url: config.base_url.trim_end_matches('/').to_owned(),
        period: Duration::from_secs(config.period_s),
        last_day: config.last_day.clamp(1, DAY_MAX),
        held: Outlooks::default(),
        unsettled_since: BTreeMap::new(),
        archive_asked_utc: None,
    }
}

#[async_trait]
impl Source for SpcOutlooks {
    fn name(&self) -> SourceName {
        SPC_OUTLOOKS
    }

    /// Shorter while a day's layers are being replaced.
    fn period(&self) -> Duration {
        if self.unsettled_since.is_empty() { self.period } else { self.period.min(UNSETTLED_PERIOD) }
    }

    fn timeout(&self) -> Duration {
        POLL_TIMEOUT
    }

    async fn poll(&mut self, _ask: &Ask, now: Timestamp) -> Result<Poll, PollError> {
        let wanted: Vec<File> = (1..=self.last_day).flat_map(files).collect();
        let answers = self.read(wanted).await;
        if let Some(error) = nothing_answered(&answers) {
            return Err(PollError::Outside(error));
        }
        let mut poll = Poll::default();
        for (file, answer) in &answers {
            answer.faults(&self.url(file), &mut poll.faults);
        }
        for day in 1..=self.last_day {
            let of_day: Vec<&(File, Answer)> = answers.iter().filter(|(file, _)| file.day == day).collect();
            let confirmed = self.take(day, &of_day, now, &mut poll.faults);
            poll.good |= day == 1 && confirmed;
        }
        self.fill_from_archive(now, &mut poll.faults).await;
        poll.faults.truncate(FAULTS_MAX);
        poll.cursor = Some(self.cursor());
        poll.observations.push(Observation::Outlooks(Arc::new(self.held.clone())));
        Ok(poll)
    }
}

impl SpcOutlooks {
    /// Judges one day's answers; true where its layers are readable and of one issue.
    fn take(&mut self, day: u8, answers: &[&(File, Answer)], now: Timestamp, faults: &mut Vec<Fault>) -> bool {
        let since = self.unsettled_since.get(&day).copied();
        let url = answers.first().map(|(file, _)| self.url(file)).unwrap_or_default();
        let speaking = self.held.speaking(day, now).map(AsRef::as_ref);
        let newest = self.held.days.get(&day).and_then(|held| held.sets.last()).map(AsRef::as_ref);
        let settled = settle(day, answers, settle::Held { speaking, newest, unsettled_since: since }, &url, now);
        self.unsettled_since.remove(&day);
        let (set, trouble) = match settled {
            Settled::Set(set) => (Some(set), None),
            Settled::Unsettled(why) => {
                self.unsettled_since.insert(day, since.unwrap_or(now));
                (None, Some(why))
            }
            Settled::Unusable(why) => (None, Some(why)),
        };
        if let Some(what) = &trouble {
            faults.push(Fault { what: format!("day {day}: {what}"), place: url, kept_rest: true });
        }
        let confirmed = set.is_some();
        if let Some(set) = set {
            self.held.put(Arc::new(*set), now);
        }
        let held = self.held.days.entry(day).or_default();
        held.trouble = trouble;
        held.confirmed_utc = if confirmed { Some(now) } else { held.confirmed_utc };
        confirmed
    }

    /// A start between an issue and its VALID finds only the coming day-1 set: the one in force is in SPC's archive.
    async fn fill_from_archive(&mut self, now: Timestamp, faults: &mut Vec<Fault>) {
        let waits = self.held.days.get(&1).is_some_and(|held| held.sets.iter().any(|set| now < set.valid_utc));
        let asked_lately = self.archive_asked_utc.is_some_and(|last| now.duration_since(last) < ARCHIVE_EVERY);
        if !waits || asked_lately || self.held.speaking(1, now).is_some() {
            return;
        }
        self.archive_asked_utc = Some(now);
        let answers = self.read(archived(now)).await;
        let of_day: Vec<&(File, Answer)> = answers.iter().collect();
        let url = answers.first().map(|(file, _)| self.url(file)).unwrap_or_default();
        let nothing = settle::Held { speaking: None, newest: None, unsettled_since: None };
        match settle(1, &of_day, nothing, &url, now) {
            Settled::Set(set) => self.held.put(Arc::new(*set), now),
            Settled::Unsettled(what) | Settled::Unusable(what) => {
                faults.push(Fault { what: format!("the issue in force: {what}"), place: url, kept_rest: true });
            }
        }
    }

    async fn read(&self, files: Vec<File>) -> Vec<(File, Answer)> {
        let asked = files.iter().map(|file| self.layer(file));
        let answers = join_all(asked).await;
        files.into_iter().zip(answers).collect()
    }

    async fn layer(&self, file: &File) -> Answer {
        let request = Get {
            base_url: self.base_url.clone(),
            path: file.path.clone(),
            query: Vec::new(),
            accept: "application/geo+json",
            body_bytes_max: BODY_BYTES_MAX,
            timeout: REQUEST_TIMEOUT,
            held: None,
        };
        let kind = if file.role == Role::Categorical { LayerKind::Categorical } else { LayerKind::Hazard };
        match self.outside.get(&request).await {
            Ok(Got::Fresh { body, .. }) => match compute(|| layer(&body, kind)) {
                Ok(layer) => Answer::Layer(Box::new(layer)),
                Err(why) => Answer::Unreadable(why.to_string()),
            },
            Ok(Got::NotModified) => Answer::Unreadable("304 to a request that held nothing".to_owned()),
            Err(error) => Answer::Failed(error),
        }
    }

    fn url(&self, file: &File) -> String {
        format!("{}{}", self.base_url, file.path)
    }

    /// The newest VALID of each day.
    fn cursor(&self) -> String {
        let told = self.held.days.iter().map(|(day, held)| match held.sets.last() {
            Some(set) => format!("day {day} valid {}", set.valid_utc),
            None => format!("day {day}: none"),
        });
        told.collect::<Vec<_>>().join(", ")
    }
}

/// The error to back off for, where not one layer came.
fn nothing_answered(answers: &[(File, Answer)]) -> Option<OutsideError> {
    let mut failed = answers.iter().map(|(_, answer)| match answer {
        Answer::Failed(error) => Some(error),
        Answer::Layer(_) | Answer::Unreadable(_) => None,
    });
    let first = failed.next()??.clone();
    failed.all(|error| error.is_some()).then_some(first)
}
