use super::*;
use crate::geo::LatLon;
use crate::outside::{Get, Got, ObjectInfo};
use crate::sources::AskedPlace;
use std::sync::Mutex;

const EAST: &str = "OR_GLM-L2-LCFA_G19_s20303652359500_e20310010000100_c20310010000125.nc";
const WEST: &str = "OR_GLM-L2-LCFA_G18_s20303652359500_e20310010000100_c20310010000131.nc";
const LAST_HOUR: &str = "GLM-L2-LCFA/2030/365/23/";

/// Buckets in memory, which can be told to fail.
#[derive(Default)]
struct FakeBuckets {
    objects: Mutex<BTreeMap<(String, String), Vec<u8>>>,
    /// Buckets and prefixes that answer with an error.
    broken: Mutex<Vec<String>>,
    asked: Mutex<Vec<String>>,
}

impl FakeBuckets {
    fn put(&self, bucket: &str, key: &str, body: &[u8]) {
        self.objects.lock().unwrap().insert((bucket.to_owned(), key.to_owned()), body.to_vec());
    }

    fn check(&self, what: &str) -> Result<(), OutsideError> {
        self.asked.lock().unwrap().push(what.to_owned());
        if self.broken.lock().unwrap().iter().any(|broken| what.contains(broken.as_str())) {
            return Err(OutsideError::Broken { url: what.to_owned(), why: "connection reset".to_owned() });
        }
        Ok(())
    }

    fn asked(&self, what: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| asked.contains(what)).count()
    }
}

#[async_trait]
impl Outside for FakeBuckets {
    async fn get(&self, request: &Get) -> Result<Got, OutsideError> {
        Err(OutsideError::Absent { url: request.path.clone(), what: "object" })
    }

    async fn list(
        &self,
        bucket: &Bucket,
        prefix: &str,
        start_after: Option<&str>,
        objects_max: usize,
    ) -> Result<Vec<ObjectInfo>, OutsideError> {
        self.check(&format!("list {} {prefix} after {start_after:?}", bucket.name))?;
        let objects = self.objects.lock().unwrap();
        let after = start_after.unwrap_or("");
        let keys = objects
            .keys()
            .filter(|(name, key)| *name == bucket.name && key.starts_with(prefix) && key.as_str() > after);
        let info =
            |(_, key): &(String, String)| ObjectInfo { key: key.clone(), size_bytes: None, last_modified_utc: None };
        Ok(keys.take(objects_max).map(info).collect())
    }

    async fn object(&self, bucket: &Bucket, key: &str, _: usize, _: Duration) -> Result<Bytes, OutsideError> {
        self.check(&format!("object {} {key}", bucket.name))?;
        let absent = || OutsideError::Absent { url: key.to_owned(), what: "object" };
        let held = self.objects.lock().unwrap().get(&(bucket.name.clone(), key.to_owned())).cloned();
        held.map(Bytes::from).ok_or_else(absent)
    }
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/fixtures/goes_glm/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn ask(places: &[(f64, f64)]) -> Ask {
    let place = |&(lat, lon): &(f64, f64)| AskedPlace { at: LatLon::new(lat, lon).unwrap(), zones_known: true };
    Ask { places: Arc::new(places.iter().map(place).collect()) }
}

fn larkfield() -> Ask {
    ask(&[(37.74, -98.21)])
}

fn granules(poll: &Poll) -> Vec<&Granule> {
    let granules = poll.observations.iter().filter_map(|observation| match observation {
        Observation::Granule(granule) => Some(granule.as_ref()),
        _ => None,
    });
    granules.collect()
}

#[tokio::test]
async fn granules_of_the_last_minutes_are_read_once_across_the_turn_of_a_year() {
    let buckets = Arc::new(FakeBuckets::default());
    buckets.put("noaa-goes19", &format!("{LAST_HOUR}{EAST}"), &fixture(EAST));
    buckets.put("noaa-goes19", &format!("{LAST_HOUR}index.html"), b"<html>");
    buckets.put("noaa-goes19", &format!("{LAST_HOUR}OR_GLM-L2-LCFA_G19_s20303652340000_e_c.nc"), b"too old");
    let mut source = open(Config::default(), buckets.clone());
    let first = source.poll(&larkfield(), at("2031-01-01T00:00:40Z")).await.unwrap();
    assert!(first.good && first.faults.is_empty(), "{:?}", first.faults);
    let [granule] = granules(&first)[..] else { panic!("{:?}", first.observations) };
    assert_eq!((granule.satellite, granule.flashes.len()), (Satellite::East, 3));
    assert_eq!(granule.key, format!("{LAST_HOUR}{EAST}"));
    assert!(first.cursor.unwrap().contains("c20310010000125"));
    assert_eq!(buckets.asked("list noaa-goes19 GLM-L2-LCFA/2031/001/00/"), 1);
    // A place in Kansas needs one satellite.
    assert_eq!(buckets.asked("noaa-goes18"), 0);

    let second = source.poll(&larkfield(), at("2031-01-01T00:01:00Z")).await.unwrap();
    assert!(second.good && second.observations.is_empty() && second.faults.is_empty(), "{second:?}");
    assert_eq!(buckets.asked("object"), 1);
    // The second listing begins at the window of 17 minutes, not at the hour.
    assert_eq!(buckets.asked("after Some(\"GLM-L2-LCFA/2030/365/23/OR_GLM-L2-LCFA_G19_s2030365234400\")"), 1);
}

#[tokio::test]
async fn the_satellites_that_the_places_need_are_asked() {
    let buckets = Arc::new(FakeBuckets::default());
    buckets.put("noaa-goes18", &format!("{LAST_HOUR}{WEST}"), &fixture(WEST));
    let mut source = open(Config::default(), buckets.clone());
    let poll = source.poll(&ask(&[(32.7, -117.2)]), at("2031-01-01T00:00:40Z")).await.unwrap();
    // Without a flash it is still evidence.
    assert!(poll.good);
    assert_eq!(granules(&poll)[0].flashes, []);
    assert_eq!(buckets.asked("noaa-goes19"), 0);
    let nobody = source.poll(&Ask::default(), at("2031-01-01T00:01:00Z")).await.unwrap();
    assert!(!nobody.good && nobody.observations.is_empty());
}

#[tokio::test]
async fn an_empty_bucket_is_not_quiet_and_the_other_satellite_is_asked_next() {
    let buckets = Arc::new(FakeBuckets::default());
    let mut source = open(Config::default(), buckets.clone());
    let first = source.poll(&larkfield(), at("2031-01-01T00:00:20Z")).await.unwrap();
    assert!(!first.good);
    assert!(first.faults.iter().any(|fault| fault.what.contains("GOES-East: no granule of the last 15 minutes")));
    buckets.put("noaa-goes18", &format!("{LAST_HOUR}{WEST}"), &fixture(WEST));
    let second = source.poll(&larkfield(), at("2031-01-01T00:00:40Z")).await.unwrap();
    assert!(second.good);
    assert_eq!(granules(&second)[0].satellite, Satellite::West);
    // Five minutes after the end of the newest one nothing is good any more.
    let third = source.poll(&larkfield(), at("2031-01-01T00:05:10Z")).await.unwrap();
    assert!(!third.good && third.faults.iter().any(|fault| fault.what.contains("GOES-West: the newest granule ended")));
}

#[tokio::test]
async fn an_unreadable_granule_is_a_fault_and_the_next_one_is_read_g05() {
    let buckets = Arc::new(FakeBuckets::default());
    let whole = fixture(EAST);
    let cut = format!("{LAST_HOUR}OR_GLM-L2-LCFA_G19_s20303652359300_e20303652359500_c20303652359525.nc");
    buckets.put("noaa-goes19", &cut, &whole[..whole.len() / 2]);
    buckets.put("noaa-goes19", &format!("{LAST_HOUR}{EAST}"), &whole);
    let mut source = open(Config::default(), buckets.clone());
    for round in 0..5 {
        let now = at("2031-01-01T00:00:40Z") + SignedDuration::from_secs(20 * round);
        let poll = source.poll(&larkfield(), now).await.unwrap();
        assert!(poll.good);
        assert_eq!(granules(&poll).len(), usize::from(round == 0));
        // Tried three times: it may be half uploaded once, not for ever.
        assert_eq!(
            poll.faults.iter().filter(|fault| fault.place == cut && fault.what.contains("cut short")).count(),
            usize::from(round < 3)
        );
    }
}

#[tokio::test]
async fn on_start_the_newest_granules_come_first_and_no_poll_reads_more_than_its_share() {
    let buckets = Arc::new(FakeBuckets::default());
    for minute in 46..60 {
        // Twice as many as there are, so that the share of one poll shows.
        for second in [0, 10, 20, 30, 40, 50] {
            let name = format!("OR_GLM-L2-LCFA_G19_s203036523{minute}{second:02}0_e_c.nc");
            buckets.put("noaa-goes19", &format!("{LAST_HOUR}{name}"), &fixture(EAST));
        }
    }
    let mut source = open(Config::default(), buckets.clone());
    let first = source.poll(&larkfield(), at("2031-01-01T00:00:40Z")).await.unwrap();
    assert_eq!(granules(&first).len(), 60);
    let oldest_of_first = granules(&first).iter().map(|granule| granule.key.clone()).min().unwrap();
    let second = source.poll(&larkfield(), at("2031-01-01T00:00:40Z")).await.unwrap();
    assert_eq!(granules(&second).len(), 24);
    assert!(granules(&second).iter().all(|granule| granule.key < oldest_of_first));
}

#[tokio::test]
async fn without_any_listing_the_poll_fails_and_with_one_it_does_not() {
    let buckets = Arc::new(FakeBuckets::default());
    buckets.put("noaa-goes19", &format!("{LAST_HOUR}{EAST}"), &fixture(EAST));
    let mut source = open(Config::default(), buckets.clone());
    *buckets.broken.lock().unwrap() = vec!["2031/001/00".to_owned()];
    let poll = source.poll(&larkfield(), at("2031-01-01T00:00:40Z")).await.unwrap();
    assert!(poll.good && poll.faults.len() == 1, "{:?}", poll.faults);
    *buckets.broken.lock().unwrap() = vec!["list".to_owned()];
    let error = source.poll(&larkfield(), at("2031-01-01T00:00:40Z")).await.unwrap_err();
    assert!(matches!(error, PollError::Outside(OutsideError::Broken { .. })));
}
