//! Single radars: level II volumes in the anonymous bucket `unidata-nexrad-level2`, asked on demand and never polled.
//!
//! Published by the National Weather Service through Unidata, one object a volume, every 4 to 10 minutes, when the volume
//! has ended: 5 to 7 minutes after the time in its name. A question lists the nearest sites' day, reads the newest volume and
//! tries the next site where that fails or is old. It cannot tell what happened since that volume began.

use crate::decode::level2::{FILE_BYTES_MAX, volume};
use crate::geo::LatLon;
use crate::observation::Fault;
use crate::outside::{Bucket, Outside, OutsideError, compute};
use crate::radar::{RadarSite, RadarSnapshot, nearest_sites};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

#[cfg(test)]
mod tests;

/// Sites tried: the fourth is 200 km away or more, where the beam is above most storms.
const SITES_TRIED: usize = 3;
/// Volumes tried of one site: the newest, and the one before where that cannot be read.
const VOLUMES_TRIED: usize = 2;
/// A volume that began longer ago is not shown as if it were now: a clear-air one takes 10 minutes and comes 7 minutes late,
/// so even when one is missing the next is younger than this.
pub const VOLUME_USABLE_FOR: SignedDuration = SignedDuration::from_mins(30);
/// Keys of one site and day: 360 at four minutes each.
const KEYS_MAX: usize = 2_000;
/// A volume of 15 MB on a slow line.
const OBJECT_TIMEOUT: Duration = Duration::from_secs(30);
/// How far a key's time may be ahead of the clock: machines drift.
const AHEAD_MAX: SignedDuration = SignedDuration::from_mins(5);

/// `[sources.nexrad]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Bucket that holds the volumes.
    pub bucket: String,
    /// Its AWS region.
    pub region: String,
    /// Another S3 endpoint than AWS's own: a mirror, or a replay over loopback.
    pub endpoint_url: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self { bucket: "unidata-nexrad-level2".to_owned(), region: "us-east-1".to_owned(), endpoint_url: None }
    }
}

/// What can be asked for a radar.
pub struct Nexrad {
    enabled: bool,
    outside: Arc<dyn Outside>,
    bucket: Bucket,
}

/// An answer: the volume, and what was wrong on the way to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The newest usable volume.
    pub snapshot: RadarSnapshot,
    /// What could not be read of it, and which nearer radars failed.
    pub faults: Vec<Fault>,
}

/// None of the nearest radars has a usable volume.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("none of the nearest radars has a usable volume: {}", in_words(.faults))]
pub struct NoVolume {
    /// Why, radar by radar.
    pub faults: Vec<Fault>,
}

fn in_words(faults: &[Fault]) -> String {
    faults.iter().map(|fault| format!("{}: {}", fault.place, fault.what)).collect::<Vec<_>>().join("; ")
}

/// Opens it. Nothing is asked of the upstream yet.
pub fn open(config: Config, outside: Arc<dyn Outside>) -> Nexrad {
    Nexrad {
        enabled: true,
        outside,
        bucket: Bucket { name: config.bucket, region: config.region, endpoint_url: config.endpoint_url },
    }
}

impl Nexrad {
    /// The same, switched on or off (`[sources.nexrad] enabled`).
    pub fn switched(self, enabled: bool) -> Self {
        Self { enabled, ..self }
    }

    /// The newest usable volume of the nearest radar that has one.
    ///
    /// # Errors
    /// `NoVolume` with what was wrong with each radar.
    pub async fn snapshot(&self, place: LatLon, now: Timestamp) -> Result<Found, NoVolume> {
        let mut faults = Vec::new();
        if !self.enabled {
            let what = "switched off in the configuration".to_owned();
            faults.push(Fault { what, place: "sources.nexrad".to_owned(), kept_rest: true });
            return Err(NoVolume { faults });
        }
        for (site, distance_km) in nearest_sites(place, SITES_TRIED) {
            let keys = match self.newest_keys(&site, now).await {
                Ok(keys) => keys,
                Err(fault) => {
                    faults.push(fault);
                    continue;
                }
            };
            for key in keys {
                let body = self.outside.object(&self.bucket, &key, FILE_BYTES_MAX, OBJECT_TIMEOUT).await;
                let body = body.map_err(|error| error.to_string());
                let read = body.and_then(|body| compute(|| volume(&key, &body)).map_err(|error| error.to_string()));
                match read {
                    Ok((volume, of_volume)) => {
                        faults.extend(of_volume);
                        let bearing_deg = place.bearing_deg(site.at);
                        let snapshot = RadarSnapshot { site, distance_km, bearing_deg, key, volume };
                        return Ok(Found { snapshot, faults });
                    }
                    Err(what) => faults.push(Fault { what, place: key, kept_rest: true }),
                }
            }
        }
        Err(NoVolume { faults })
    }

    /// Keys of the newest volumes of a site that are not too old, newest first.
    async fn newest_keys(&self, site: &RadarSite, now: Timestamp) -> Result<Vec<String>, Fault> {
        let fault = |what: String| Fault { what, place: site.id.clone(), kept_rest: true };
        let yesterday = now.checked_sub(SignedDuration::from_hours(24)).unwrap_or(now);
        let mut found: Vec<(Timestamp, String)> = Vec::new();
        for day in [now, yesterday] {
            let civil = TimeZone::UTC.to_datetime(day);
            let prefix = format!("{:04}/{:02}/{:02}/{}/", civil.year(), civil.month(), civil.day(), site.id);
            let listed = self.outside.list(&self.bucket, &prefix, None, KEYS_MAX).await;
            let listed = listed.map_err(|error| fault(refusal(&error)))?;
            let named = listed.into_iter().filter_map(|object| Some((volume_time(&object.key, &site.id)?, object.key)));
            found.extend(named.filter(|(begun, _)| begun.duration_since(now) <= AHEAD_MAX));
            if !found.is_empty() {
                break;
            }
        }
        found.sort();
        let Some((newest, _)) = found.last() else {
            return Err(fault("no volume of today or yesterday: the radar is silent".to_owned()));
        };
        if now.duration_since(*newest) > VOLUME_USABLE_FOR {
            return Err(fault(format!("its newest volume began at {newest}: too old to stand for now")));
        }
        let usable = found.into_iter().rev().filter(|(begun, _)| now.duration_since(*begun) <= VOLUME_USABLE_FOR);
        Ok(usable.take(VOLUMES_TRIED).map(|(_, key)| key).collect())
    }
}

/// A refused listing in words; the bucket moved once already (September 2025), and its old name answers 403 (field report
/// R02).
fn refusal(error: &OutsideError) -> String {
    match error {
        OutsideError::Status { status: 403, .. } | OutsideError::Absent { .. } => {
            format!("{error}: has the bucket moved? (sources.nexrad.bucket)")
        }
        other => other.to_string(),
    }
}

/// When the volume with this key began: `2026/06/10/KTLX/KTLX20260610_213045_V06`. Metadata (`_MDM`), strays (`_V08.001`) and
/// anything else are none.
fn volume_time(key: &str, site: &str) -> Option<Timestamp> {
    let rest = key.rsplit('/').next()?.strip_prefix(site)?;
    let (stamp, version) = rest.split_once("_V")?;
    if version.len() != 2 || !version.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let civil = DateTime::strptime("%Y%m%d_%H%M%S", stamp).ok()?;
    TimeZone::UTC.to_timestamp(civil).ok()
}
