use super::*;
use crate::decode::planted_volume::{self as planted, VolumeSpec};
use crate::outside::{Get, Got, ObjectInfo};
use async_trait::async_trait;
use bytes::Bytes;
use std::collections::BTreeMap;

/// A bucket in memory, which can be told to fail.
#[derive(Default)]
struct FakeBucket {
    objects: BTreeMap<String, Vec<u8>>,
    /// Prefixes and keys, and the status that they answer with.
    refused: Vec<(&'static str, u16)>,
}

#[async_trait]
impl Outside for FakeBucket {
    async fn get(&self, request: &Get) -> Result<Got, OutsideError> {
        Err(OutsideError::Absent { url: request.path.clone(), what: "object" })
    }

    async fn list(
        &self,
        bucket: &Bucket,
        prefix: &str,
        _: Option<&str>,
        objects_max: usize,
    ) -> Result<Vec<ObjectInfo>, OutsideError> {
        assert_eq!(bucket.name, "unidata-nexrad-level2");
        self.check(prefix)?;
        let keys = self.objects.keys().filter(|key| key.starts_with(prefix)).take(objects_max);
        Ok(keys.map(|key| ObjectInfo { key: key.clone(), size_bytes: None, last_modified_utc: None }).collect())
    }

    async fn object(&self, _: &Bucket, key: &str, _: usize, _: Duration) -> Result<Bytes, OutsideError> {
        self.check(key)?;
        let absent = || OutsideError::Absent { url: key.to_owned(), what: "object" };
        self.objects.get(key).map(|body| Bytes::from(body.clone())).ok_or_else(absent)
    }
}

impl FakeBucket {
    fn check(&self, what: &str) -> Result<(), OutsideError> {
        match self.refused.iter().find(|(part, _)| what.contains(part)) {
            Some((_, status)) => Err(OutsideError::Status { url: what.to_owned(), status: *status, retry_after: None }),
            None => Ok(()),
        }
    }
}

/// Larkfield, an invented town in Kansas; its nearest radar is KICT.
fn larkfield() -> LatLon {
    LatLon::new(37.74, -98.21).unwrap()
}

fn volume_of(station: &'static str, begun: &str, dbz: f64) -> Vec<u8> {
    let start_utc = format!("2031-05-09T{begun}Z").parse().unwrap();
    planted::encode(&VolumeSpec { echoes: vec![(0, 10, 100, dbz)], ..VolumeSpec::new(station, start_utc) })
}

fn key(station: &str, stamp: &str) -> String {
    format!("2031/05/09/{station}/{station}20310509_{stamp}_V06")
}

fn now() -> Timestamp {
    "2031-05-09T21:34:00Z".parse().unwrap()
}

fn asked(bucket: FakeBucket) -> Nexrad {
    open(Config::default(), Arc::new(bucket))
}

#[tokio::test]
async fn the_newest_volume_of_the_nearest_radar_is_read() {
    let mut bucket = FakeBucket::default();
    bucket.objects.insert(key("KICT", "212000"), volume_of("KICT", "21:20:00", 40.0));
    bucket.objects.insert(key("KICT", "212500"), volume_of("KICT", "21:25:00", 61.5));
    // Strays that sort after it: metadata, a part, one of the future, a page.
    for odd in ["20310509_213000_V06_MDM", "20310509_213000_V08.001", "20310509_224500_V06", "index.html"] {
        bucket.objects.insert(format!("2031/05/09/KICT/KICT{odd}"), b"stray".to_vec());
    }
    let found = asked(bucket).snapshot(larkfield(), now()).await.unwrap();
    assert_eq!(found.faults, []);
    let snapshot = found.snapshot;
    assert_eq!((snapshot.site.id.as_str(), snapshot.key.as_str()), ("KICT", key("KICT", "212500").as_str()));
    assert_eq!(snapshot.volume.max_reflectivity().unwrap().dbz, 61.5);
    assert_eq!((snapshot.vcp_meaning(), snapshot.sweep_count()), ("severe-weather precipitation", 3));
    assert!((snapshot.distance_km - larkfield().distance_km(snapshot.site.at)).abs() < 1e-9);
}

#[tokio::test]
async fn where_the_nearest_fails_the_next_is_tried_and_said() {
    let near: Vec<String> = nearest_sites(larkfield(), 3).into_iter().map(|(site, _)| site.id).collect();
    assert_eq!(near[0], "KICT");
    let third: &'static str = Box::leak(near[2].clone().into_boxed_str());
    let mut bucket = FakeBucket::default();
    // The nearest sends rubbish twice, the second is silent, the third answers.
    bucket.objects.insert(key("KICT", "212000"), b"<html>".to_vec());
    bucket.objects.insert(key("KICT", "212500"), volume_of("KICT", "21:25:00", 40.0)[..100].to_vec());
    bucket.objects.insert(key(third, "212600"), volume_of(third, "21:26:00", 33.0));
    let found = asked(bucket).snapshot(larkfield(), now()).await.unwrap();
    assert_eq!(found.snapshot.site.id, third);
    let places: Vec<&str> = found.faults.iter().map(|fault| fault.place.as_str()).collect();
    assert!(
        places[0].ends_with("212500_V06") && places.iter().any(|place| place.ends_with("212000_V06")),
        "{places:?}"
    );
    assert!(found.faults.iter().any(|fault| fault.place == near[1] && fault.what.contains("silent")));
}

#[tokio::test]
async fn an_old_volume_is_not_shown_as_now() {
    let mut bucket = FakeBucket::default();
    bucket.objects.insert(key("KICT", "205959"), volume_of("KICT", "20:59:59", 61.5));
    let error = asked(bucket).snapshot(larkfield(), now()).await.unwrap_err();
    assert_eq!(error.faults.len(), 3);
    assert!(error.faults[0].what.contains("too old"), "{error}");
}

#[tokio::test]
async fn a_bucket_that_moved_is_asked_about_r02() {
    let bucket = FakeBucket { refused: vec![("/", 403)], ..FakeBucket::default() };
    let error = asked(bucket).snapshot(larkfield(), now()).await.unwrap_err();
    assert!(error.to_string().contains("403") && error.to_string().contains("has the bucket moved?"), "{error}");
}

#[tokio::test]
async fn just_after_midnight_yesterdays_folder_is_read() {
    let mut bucket = FakeBucket::default();
    bucket.objects.insert(key("KICT", "235500"), volume_of("KICT", "23:55:00", 20.0));
    let found = asked(bucket).snapshot(larkfield(), "2031-05-10T00:04:00Z".parse().unwrap()).await.unwrap();
    assert_eq!(found.snapshot.key, key("KICT", "235500"));
}
