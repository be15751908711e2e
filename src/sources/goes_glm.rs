//! Lightning from the mappers on GOES-East and GOES-West: granules of 20 seconds in the anonymous buckets `noaa-goes19` and
//! `noaa-goes18` of NOAA's open data on S3.
//!
//! Published every 20 seconds, 20 to 40 s late, under `GLM-L2-LCFA/{year}/{day of year}/{hour}/`; some are shorter, some are
//! missing. Each poll lists the hours that the last 15 minutes touch and reads what was not read yet, newest first, from the
//! satellites that the asked places need; the other one is asked too once the first is late. A granule without flashes is
//! evidence of quiet, a missing one is not: without granules of the last minutes no poll is good. It cannot tell strokes to
//! the ground from flashes within clouds.

use super::{Ask, Block, Poll, PollError, Ranged, Source};
use crate::decode::glm::{GRANULE_BYTES_MAX, granule, name_start};
use crate::lightning::{Granule, LIGHTNING_USABLE_FOR, Satellite};
use crate::observation::{Fault, GOES_GLM, Observation, SourceName};
use crate::outside::{Bucket, Outside, OutsideError, compute};
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::future::join_all;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// What is read again on start: the 15 minutes that can still speak (levels.md), and the granule that had begun before them,
/// which covers two minutes at most: without it every first look would have a gap at its begin.
const WINDOW: SignedDuration = SignedDuration::from_mins(17);
/// Keys listed of one hour: 180 are due.
const KEYS_MAX: usize = 1_000;
/// Granules of one satellite read in one poll: on start 51 are due, which one poll reads, so that a single question is answered
/// whole; then one a poll.
const GRANULES_PER_POLL: usize = 60;
/// How often an unreadable granule is tried again: an upload may be half done once, not for ever.
const TRIES_MAX: u8 = 3;
/// One granule takes a fraction of a second.
const OBJECT_TIMEOUT: Duration = Duration::from_secs(10);
/// One poll: lists, and on start the granules of two satellites, four at once.
const POLL_TIMEOUT: Duration = Duration::from_secs(60);
/// The other satellite is asked once the newest granule of the first is this old: before the first may no longer speak.
const LATE_AFTER: SignedDuration = SignedDuration::from_secs(150);
/// How far a key's time may be ahead of the clock: machines drift.
const AHEAD_MAX: SignedDuration = SignedDuration::from_mins(5);
/// More often gains nothing, more seldom is late.
const PERIOD_S: (u64, u64) = (10, 120);

/// `[sources.goes_glm]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Bucket of GOES-East.
    pub bucket_east: String,
    /// Bucket of GOES-West.
    pub bucket_west: String,
    /// Their AWS region.
    pub region: String,
    /// Another S3 endpoint than AWS's own: a mirror, or a replay over loopback.
    pub endpoint_url: Option<String>,
    /// Seconds between polls.
    pub period_s: u64,
}

impl Block for Config {
    fn figures(&self) -> Vec<Ranged> {
        vec![Ranged { key: "period_s", value: self.period_s, accepted: PERIOD_S }]
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            bucket_east: "noaa-goes19".to_owned(),
            bucket_west: "noaa-goes18".to_owned(),
            region: "us-east-1".to_owned(),
            endpoint_url: None,
            period_s: 20,
        }
    }
}

/// The source.
pub struct GoesGlm {
    outside: Arc<dyn Outside>,
    period: Duration,
    tracks: BTreeMap<Satellite, Track>,
}

/// How far one satellite has been read.
struct Track {
    bucket: Bucket,
    /// Keys of the window that are done with, or were tried so often.
    tried: BTreeMap<String, u8>,
    /// End of the newest granule read.
    newest_end_utc: Option<Timestamp>,
    newest_key: Option<String>,
    /// Since when it has been asked without a break: what is not there yet can be late only then.
    asked_since_utc: Option<Timestamp>,
}

/// Opens the source. Nothing is asked of the upstream yet.
pub fn open(config: Config, outside: Arc<dyn Outside>) -> GoesGlm {
    let track = |name: String| Track {
        bucket: Bucket { name, region: config.region.clone(), endpoint_url: config.endpoint_url.clone() },
        tried: BTreeMap::new(),
        newest_end_utc: None,
        newest_key: None,
        asked_since_utc: None,
    };
    let tracks = [(Satellite::East, track(config.bucket_east)), (Satellite::West, track(config.bucket_west))];
    let period = Duration::from_secs(config.period_s);
    GoesGlm { outside, period, tracks: BTreeMap::from(tracks) }
}

#[async_trait]
impl Source for GoesGlm {
    fn name(&self) -> SourceName {
        GOES_GLM
    }

    fn period(&self) -> Duration {
        self.period
    }

    fn timeout(&self) -> Duration {
        POLL_TIMEOUT
    }

    async fn poll(&mut self, ask: &Ask, now: Timestamp) -> Result<Poll, PollError> {
        let needed = self.needed(ask, now);
        for (satellite, track) in &mut self.tracks {
            let asked = needed.contains(satellite);
            track.asked_since_utc = asked.then(|| track.asked_since_utc.unwrap_or(now));
        }
        let outside = self.outside.as_ref();
        let tracks = self.tracks.iter().filter(|(satellite, _)| needed.contains(satellite));
        let answers =
            join_all(tracks.map(async |(satellite, track)| (*satellite, track.unread(outside, now).await))).await;
        let mut poll = Poll::default();
        let (mut lists, mut refused) = (0, None);
        for (satellite, unread) in answers {
            let Some(track) = self.tracks.get_mut(&satellite) else { continue };
            poll.faults.extend(unread.faults);
            match unread.listed {
                Ok(()) => lists += 1,
                Err(error) => {
                    refused.get_or_insert(error);
                }
            }
            track.take(unread.objects, &mut poll, now);
            if !track.is_fresh(now) {
                let what = match track.newest_end_utc {
                    Some(end) => format!("{}: the newest granule ended at {end}", satellite.name()),
                    None => format!("{}: no granule of the last 15 minutes", satellite.name()),
                };
                poll.faults.push(Fault { what, place: track.bucket.name.clone(), kept_rest: true });
            }
        }
        if let (0, Some(error)) = (lists, refused) {
            return Err(PollError::Outside(error));
        }
        poll.good = self.tracks.iter().any(|(satellite, track)| needed.contains(satellite) && track.is_fresh(now));
        poll.cursor = Some(self.cursor());
        Ok(poll)
    }
}

impl GoesGlm {
    /// The satellites that the asked places are served by, and the other one where the first is late and the other looks
    /// there too.
    fn needed(&self, ask: &Ask, now: Timestamp) -> BTreeSet<Satellite> {
        let mut needed = BTreeSet::new();
        for place in ask.places.iter().map(|place| place.at) {
            let first = Satellite::first_for(place);
            needed.insert(first);
            let late = self.tracks.get(&first).is_some_and(|track| track.is_late(now));
            if (late || !first.sees(place)) && first.other().sees(place) {
                needed.insert(first.other());
            }
        }
        needed
    }

    /// The newest file read of each satellite.
    fn cursor(&self) -> String {
        let read = |(satellite, track): (&Satellite, &Track)| {
            let file = track.newest_key.as_deref().and_then(|key| key.rsplit('/').next());
            format!("{}: {}", satellite.name(), file.unwrap_or("none yet"))
        };
        self.tracks.iter().map(read).collect::<Vec<_>>().join(", ")
    }
}

/// What one satellite's bucket had.
struct Unread {
    /// Whether any hour could be listed.
    listed: Result<(), OutsideError>,
    /// New objects, oldest first.
    objects: Vec<(String, Result<Bytes, OutsideError>)>,
    faults: Vec<Fault>,
}

impl Track {
    /// Whether its newest granule may still speak.
    fn is_fresh(&self, now: Timestamp) -> bool {
        self.newest_end_utc.is_some_and(|end| now.duration_since(end) < LIGHTNING_USABLE_FOR)
    }

    /// Whether it is asked and its granules stay away.
    fn is_late(&self, now: Timestamp) -> bool {
        let last = self.newest_end_utc.max(self.asked_since_utc);
        // The first poll finds out whether there is anything; the second may already know better.
        self.asked_since_utc.is_some() && last.is_some_and(|last| now.duration_since(last) >= LATE_AFTER)
            || self.asked_since_utc.is_some_and(|since| since < now) && self.newest_end_utc.is_none()
    }

    /// Lists the hours of the window and fetches what is new in them.
    async fn unread(&self, outside: &dyn Outside, now: Timestamp) -> Unread {
        let since = now.checked_sub(WINDOW).unwrap_or(now);
        let mut faults = Vec::new();
        let (mut listed, mut keys) = (None, BTreeSet::new());
        for prefix in hours(since, now) {
            match outside.list(&self.bucket, &prefix, self.start_after(&prefix, since).as_deref(), KEYS_MAX).await {
                Ok(found) => {
                    listed = Some(Ok(()));
                    keys.extend(found.into_iter().map(|object| object.key).filter(|key| is_due(key, since, now)));
                }
                Err(error) => {
                    faults.push(Fault { what: error.to_string(), place: prefix, kept_rest: true });
                    listed.get_or_insert(Err(error));
                }
            }
        }
        let unread = keys.into_iter().rev().filter(|key| self.tried.get(key).is_none_or(|tries| *tries < TRIES_MAX));
        let newest: Vec<String> = unread.take(GRANULES_PER_POLL).collect();
        let fetched = newest.into_iter().rev().map(async |key| {
            let body = outside.object(&self.bucket, &key, GRANULE_BYTES_MAX, OBJECT_TIMEOUT).await;
            (key, body)
        });
        Unread { listed: listed.unwrap_or(Ok(())), objects: join_all(fetched).await, faults }
    }

    /// A key just before the window's begin, by the names seen so far: so that a listing holds what is new and little else.
    fn start_after(&self, prefix: &str, since: Timestamp) -> Option<String> {
        let file = self.newest_key.as_deref()?.rsplit('/').next()?;
        let (head, _) = file.split_once("_s")?;
        let begin = TimeZone::UTC.to_datetime(since);
        let stamp = format!(
            "{:04}{:03}{:02}{:02}{:02}",
            begin.year(),
            begin.date().day_of_year(),
            begin.hour(),
            begin.minute(),
            begin.second()
        );
        Some(format!("{prefix}{head}_s{stamp}"))
    }

    /// Decodes what was fetched.
    fn take(&mut self, objects: Vec<(String, Result<Bytes, OutsideError>)>, poll: &mut Poll, now: Timestamp) {
        let since = now.checked_sub(WINDOW).unwrap_or(now);
        for (key, body) in objects {
            let read = body.map_err(|error| error.to_string());
            let read = read.and_then(|body| compute(|| granule(&key, &body)).map_err(|error| error.to_string()));
            match read {
                Ok((granule, faults)) => {
                    poll.faults.extend(faults);
                    self.newest_end_utc = self.newest_end_utc.max(Some(granule.end_utc));
                    self.newest_key = self.newest_key.take().max(Some(key.clone()));
                    self.tried.insert(key, TRIES_MAX);
                    poll.observations.push(Observation::Granule(Arc::<Granule>::new(granule)));
                }
                Err(what) => {
                    *self.tried.entry(key.clone()).or_insert(0) += 1;
                    poll.faults.push(Fault { what, place: key, kept_rest: true });
                }
            }
        }
        self.tried.retain(|key, _| is_due(key, since, now));
    }
}

/// Folders of the hours from `since` to `now`, oldest first.
fn hours(since: Timestamp, now: Timestamp) -> Vec<String> {
    let folder = |at: Timestamp| {
        let at = TimeZone::UTC.to_datetime(at);
        format!("GLM-L2-LCFA/{:04}/{:03}/{:02}/", at.year(), at.date().day_of_year(), at.hour())
    };
    let mut folders = vec![folder(since), folder(now)];
    folders.dedup();
    folders
}

/// Whether a key is named as granules are, with a begin within the window. Whatever else lies in the folder is passed over.
fn is_due(key: &str, since: Timestamp, now: Timestamp) -> bool {
    let start = name_start(key).filter(|_| key.contains("GLM-L2-LCFA") && key.ends_with(".nc"));
    start.is_some_and(|start| start >= since && start.duration_since(now) <= AHEAD_MAX)
}
