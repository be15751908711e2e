//! MRMS: NSSL's national radar mosaics, from the anonymous bucket `noaa-mrms-pds` of NOAA's open data on S3.
//!
//! Published every two minutes, a few minutes late; one object a product and time, under
//! `CONUS/{product}_00.50/{YYYYMMDD}/`. Each poll lists what is newer than the newest key read, reads the newest object by name,
//! and yields it as a sparse mosaic. It cannot tell low-level rotation from none where radar does not look: rotation files
//! write 0 for both. An object that is cut short (still being uploaded) is a fault, the mosaic held before stays, and the
//! same object is read again at the next poll.

use super::{Ask, Block, Poll, PollError, Ranged, Source};
use crate::decode::mrms::{mosaic, name_time};
use crate::mosaic::{Mosaic, Product};
use crate::observation::{Fault, MRMS, Observation, SourceName};
use crate::outside::{Bucket, Outside, OutsideError, compute};
use async_trait::async_trait;
use bytes::Bytes;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// Keys listed for one product and day: one every two minutes is 720; beyond this a listing is garbage.
const KEYS_MAX: usize = 2_000;
/// Bytes of one object: the fullest composites take 2 MB.
const OBJECT_BYTES_MAX: usize = 8 << 20;
/// One object takes a second on a slow line; a hanging one must leave the others their turn within the poll.
const OBJECT_TIMEOUT: Duration = Duration::from_secs(20);
/// One poll: lists and objects of all products, four at once.
const POLL_TIMEOUT: Duration = Duration::from_secs(50);

/// Seconds between polls: the products come every two minutes, and evidence is blind after twelve.
const PERIOD_S: (u64, u64) = (20, 300);

/// `[sources.mrms]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Bucket that holds the products.
    pub bucket: String,
    /// Its AWS region.
    pub region: String,
    /// Another S3 endpoint than AWS's own: a mirror, or a replay over loopback.
    pub endpoint_url: Option<String>,
    /// Seconds between polls.
    pub period_s: u64,
    /// Which products are read.
    pub products: Vec<ProductName>,
}

/// A product as config names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProductName {
    /// See `Product::MeshMax60min`.
    #[serde(rename = "mesh_max_60min")]
    MeshMax60min,
    /// See `Product::RotationTrackMl60min`.
    #[serde(rename = "rotation_track_ml_60min")]
    RotationTrackMl60min,
    /// See `Product::RotationTrackLl60min`.
    #[serde(rename = "rotation_track_ll_60min")]
    RotationTrackLl60min,
    /// See `Product::Vil`.
    Vil,
    /// See `Product::CompositeReflectivity`.
    CompositeReflectivity,
}

impl From<ProductName> for Product {
    fn from(name: ProductName) -> Self {
        match name {
            ProductName::MeshMax60min => Self::MeshMax60min,
            ProductName::RotationTrackMl60min => Self::RotationTrackMl60min,
            ProductName::RotationTrackLl60min => Self::RotationTrackLl60min,
            ProductName::Vil => Self::Vil,
            ProductName::CompositeReflectivity => Self::CompositeReflectivity,
        }
    }
}

impl Block for Config {
    fn figures(&self) -> Vec<Ranged> {
        vec![Ranged { key: "period_s", value: self.period_s, accepted: PERIOD_S }]
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            bucket: "noaa-mrms-pds".to_owned(),
            region: "us-east-1".to_owned(),
            endpoint_url: None,
            period_s: 60,
            products: vec![
                ProductName::MeshMax60min,
                ProductName::RotationTrackMl60min,
                ProductName::RotationTrackLl60min,
                ProductName::Vil,
                ProductName::CompositeReflectivity,
            ],
        }
    }
}

/// The name of a product's folder, which is not always NSSL's name of the product.
fn folder(product: Product) -> &'static str {
    match product {
        Product::MeshMax60min => "MESH_Max_60min_00.50",
        Product::RotationTrackMl60min => "RotationTrackML60min_00.50",
        Product::RotationTrackLl60min => "RotationTrack60min_00.50",
        Product::Vil => "VIL_00.50",
        Product::CompositeReflectivity => "MergedReflectivityQCComposite_00.50",
    }
}

/// The source.
pub struct Mrms {
    outside: Arc<dyn Outside>,
    bucket: Bucket,
    period: Duration,
    products: Vec<Track>,
}

/// How far one product has been read.
struct Track {
    product: Product,
    /// The newest key whose mosaic was published.
    read_key: Option<String>,
}

/// Opens the source. Nothing is asked of the upstream yet.
pub fn open(config: Config, outside: Arc<dyn Outside>) -> Mrms {
    let bucket = Bucket { name: config.bucket, region: config.region, endpoint_url: config.endpoint_url };
    let mut products: Vec<Track> = Vec::new();
    for name in config.products {
        let product = Product::from(name);
        if products.iter().all(|track| track.product != product) {
            products.push(Track { product, read_key: None });
        }
    }
    Mrms { outside, bucket, period: Duration::from_secs(config.period_s), products }
}

/// How far a key's time may be ahead of the clock: machines drift, radar does not look ahead.
const AHEAD_MAX: SignedDuration = SignedDuration::from_mins(5);

/// What the upstream had for one product.
enum Newest {
    /// Nothing newer than what was read.
    Nothing,
    /// A newer object.
    Object(String, Bytes),
    /// The listing worked, the newer object could not be had.
    NoObject(String, OutsideError),
    /// No listing.
    NoList(String, OutsideError),
}

#[async_trait]
impl Source for Mrms {
    fn name(&self) -> SourceName {
        MRMS
    }

    fn period(&self) -> Duration {
        self.period
    }

    fn timeout(&self) -> Duration {
        POLL_TIMEOUT
    }

    async fn poll(&mut self, _ask: &Ask, now: Timestamp) -> Result<Poll, PollError> {
        let (outside, bucket) = (self.outside.as_ref(), &self.bucket);
        let asked = self.products.iter().map(|track| newest(outside, bucket, track, now));
        let answers = futures_util::future::join_all(asked).await;
        let lists = answers.iter().filter(|answer| !matches!(answer, Newest::NoList(..))).count();
        let mut poll = Poll { good: lists > 0, ..Poll::default() };
        let mut refused = None;
        for (track, answer) in self.products.iter_mut().zip(answers) {
            match answer {
                Newest::Nothing => {}
                Newest::Object(key, body) => match compute(|| mosaic(track.product, &key, &body)) {
                    Ok((mosaic, faults)) => {
                        poll.faults.extend(faults);
                        poll.observations.push(Observation::Mosaic(Arc::<Mosaic>::new(mosaic)));
                        track.read_key = Some(key);
                    }
                    Err(error) => poll.faults.push(fault(error.to_string(), key)),
                },
                Newest::NoObject(key, error) => poll.faults.push(fault(error.to_string(), key)),
                Newest::NoList(prefix, error) => {
                    poll.faults.push(fault(error.to_string(), prefix));
                    refused.get_or_insert(error);
                }
            }
        }
        if let (0, Some(error)) = (lists, refused) {
            return Err(PollError::Outside(error));
        }
        poll.cursor = Some(self.cursor());
        Ok(poll)
    }
}

impl Mrms {
    /// The newest file read of each product; a product that the bucket does not have is named as such.
    fn cursor(&self) -> String {
        let read = |track: &Track| match track.read_key.as_deref().and_then(|key| key.rsplit('/').next()) {
            Some(file) => file.to_owned(),
            None => format!("{}: none yet", track.product.id()),
        };
        self.products.iter().map(read).collect::<Vec<_>>().join(", ")
    }
}

fn fault(what: String, place: String) -> Fault {
    Fault { what, place, kept_rest: true }
}

/// Looks for an object newer than what was read: in the UTC day's folder, and in yesterday's where that has none.
async fn newest(outside: &dyn Outside, bucket: &Bucket, track: &Track, now: Timestamp) -> Newest {
    let yesterday = now.checked_sub(SignedDuration::from_hours(24)).unwrap_or(now);
    for day in [now, yesterday] {
        let prefix = format!("CONUS/{}/{}/", folder(track.product), day_name(day));
        let read = track.read_key.as_deref();
        if read.is_some_and(|key| key > prefix.as_str() && !key.starts_with(&prefix)) {
            // What was read is of a later day than this folder.
            return Newest::Nothing;
        }
        let after = read.filter(|key| key.starts_with(&prefix));
        let listed = match outside.list(bucket, &prefix, after, KEYS_MAX).await {
            Ok(listed) => listed,
            Err(error) => return Newest::NoList(prefix, error),
        };
        let newer = listed
            .into_iter()
            .map(|object| object.key)
            .filter(|key| read.is_none_or(|read| key.as_str() > read) && is_mosaic(track.product, key, now));
        if let Some(key) = newer.max() {
            return match outside.object(bucket, &key, OBJECT_BYTES_MAX, OBJECT_TIMEOUT).await {
                Ok(body) => Newest::Object(key, body),
                Err(error) => Newest::NoObject(key, error),
            };
        }
        if after.is_some() {
            return Newest::Nothing;
        }
    }
    Newest::Nothing
}

/// Whether a key is named as the product's files are, with a time that has come. Anything else in the folder (an index page,
/// a time of the future) could be the highest key for ever and stand before every true mosaic.
fn is_mosaic(product: Product, key: &str, now: Timestamp) -> bool {
    let file = key.rsplit('/').next().unwrap_or(key);
    let named = file.strip_prefix("MRMS_").and_then(|rest| rest.strip_prefix(folder(product)));
    let time = named.filter(|rest| rest.starts_with('_')).and_then(|_| name_time(file));
    time.is_some_and(|time| time.duration_since(now) <= AHEAD_MAX)
}

/// `YYYYMMDD` of an instant, UTC.
fn day_name(at: Timestamp) -> String {
    let day = TimeZone::UTC.to_datetime(at).date();
    format!("{:04}{:02}{:02}", day.year(), day.month(), day.day())
}
