use super::*;
use crate::decode::planted::{self, MrmsSpec};
use crate::geo::LatLon;
use crate::mosaic::Coverage;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// A bucket in memory, which can be told to fail.
#[derive(Default)]
struct FakeBucket {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    /// Prefixes and keys that answer with an error.
    broken: Mutex<Vec<String>>,
    asked: Mutex<Vec<String>>,
}

impl FakeBucket {
    fn put(&self, key: &str, body: Vec<u8>) {
        self.objects.lock().unwrap().insert(key.to_owned(), body);
    }

    fn check(&self, what: &str) -> Result<(), OutsideError> {
        self.asked.lock().unwrap().push(what.to_owned());
        if self.broken.lock().unwrap().iter().any(|broken| what.contains(broken.as_str())) {
            return Err(OutsideError::Broken { url: what.to_owned(), why: "connection reset".to_owned() });
        }
        Ok(())
    }
}

#[async_trait]
impl Outside for FakeBucket {
    async fn get(&self, request: &crate::outside::Get) -> Result<crate::outside::Got, OutsideError> {
        Err(OutsideError::Absent { url: request.path.clone(), what: "object" })
    }

    async fn list(
        &self,
        bucket: &Bucket,
        prefix: &str,
        start_after: Option<&str>,
        objects_max: usize,
    ) -> Result<Vec<crate::outside::ObjectInfo>, OutsideError> {
        assert_eq!(bucket.name, "noaa-mrms-pds");
        self.check(&format!("list {prefix} after {start_after:?}"))?;
        let objects = self.objects.lock().unwrap();
        let after = start_after.unwrap_or("");
        let keys = objects.keys().filter(|key| key.starts_with(prefix) && key.as_str() > after).take(objects_max);
        let info =
            |key: &String| crate::outside::ObjectInfo { key: key.clone(), size_bytes: None, last_modified_utc: None };
        Ok(keys.map(info).collect())
    }

    async fn object(&self, _: &Bucket, key: &str, _: usize, _: Duration) -> Result<Bytes, OutsideError> {
        self.check(&format!("object {key}"))?;
        let absent = || OutsideError::Absent { url: key.to_owned(), what: "object" };
        self.objects.lock().unwrap().get(key).map(|body| Bytes::from(body.clone())).ok_or_else(absent)
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn mesh_key(stamp: &str) -> String {
    format!("CONUS/MESH_Max_60min_00.50/{}/MRMS_MESH_Max_60min_00.50_{stamp}.grib2.gz", &stamp[..8])
}

fn mesh(when: &str, hail_mm: f64) -> Vec<u8> {
    let mut spec = MrmsSpec::mesh_max_60min(at(when));
    spec.cells.push((200, 100, hail_mm));
    planted::encode_mrms(&spec)
}

async fn poll(source: &mut Mrms, now: &str) -> Poll {
    source.poll(&Ask::default(), at(now)).await.unwrap()
}

fn mosaics(poll: &Poll) -> Vec<&Mosaic> {
    poll.observations
        .iter()
        .filter_map(|observation| match observation {
            Observation::Mosaic(mosaic) => Some(mosaic.as_ref()),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn the_newest_key_by_name_is_read_once_and_the_next_one_when_it_comes() {
    let bucket = Arc::new(FakeBucket::default());
    bucket.put(&mesh_key("20260520-212800"), mesh("2026-05-20T21:28:00Z", 10.0));
    bucket.put(&mesh_key("20260520-213000"), mesh("2026-05-20T21:30:00Z", 44.5));
    let mut source = open(Config::default(), bucket.clone());

    let first = poll(&mut source, "2026-05-20T21:32:00Z").await;
    assert!(first.good && first.faults.is_empty(), "{:?}", first.faults);
    let [mosaic] = mosaics(&first)[..] else { panic!("{:?}", first.observations) };
    assert_eq!((mosaic.product, mosaic.valid_utc), (Product::MeshMax60min, at("2026-05-20T21:30:00Z")));
    assert_eq!(mosaic.key, mesh_key("20260520-213000"));
    let place = LatLon::new(41.0, -93.0).unwrap();
    assert_eq!(mosaic.max_within(place, 1.0).map(|cell| cell.value), Some(44.5));
    assert_eq!(mosaic.coverage(place, 40.0), Coverage::Covered);
    // Products without any key are told by the cursor, not as a fault.
    let cursor = first.cursor.unwrap();
    assert!(cursor.contains("213000") && cursor.contains("vil: none yet"), "{cursor}");

    let second = poll(&mut source, "2026-05-20T21:33:00Z").await;
    assert!(second.good && second.observations.is_empty() && second.faults.is_empty());

    bucket.put(&mesh_key("20260520-213200"), mesh("2026-05-20T21:32:00Z", 50.0));
    assert_eq!(mosaics(&poll(&mut source, "2026-05-20T21:34:00Z").await)[0].key, mesh_key("20260520-213200"));
    let asked = bucket.asked.lock().unwrap();
    assert!(asked.iter().any(|asked| asked.starts_with("list CONUS/MESH") && asked.contains("213000")));
    assert_eq!(asked.iter().filter(|asked| asked.starts_with("object")).count(), 2);
}

#[tokio::test]
async fn a_key_of_the_future_does_not_stand_before_the_true_ones() {
    let bucket = Arc::new(FakeBucket::default());
    bucket.put(&mesh_key("20260520-213000"), mesh("2026-05-20T21:30:00Z", 44.5));
    bucket.put(&mesh_key("20260520-234500"), mesh("2026-05-20T23:45:00Z", 0.0));
    let mut source = open(Config::default(), bucket.clone());
    assert_eq!(mosaics(&poll(&mut source, "2026-05-20T21:32:00Z").await)[0].key, mesh_key("20260520-213000"));
    bucket.put(&mesh_key("20260520-213200"), mesh("2026-05-20T21:32:00Z", 50.0));
    assert_eq!(mosaics(&poll(&mut source, "2026-05-20T21:34:00Z").await)[0].key, mesh_key("20260520-213200"));
}

#[tokio::test]
async fn a_key_that_is_no_mosaic_does_not_stand_before_the_true_ones() {
    let bucket = Arc::new(FakeBucket::default());
    bucket.put(&mesh_key("20260520-213000"), mesh("2026-05-20T21:30:00Z", 44.5));
    let folder = "CONUS/MESH_Max_60min_00.50/20260520";
    for odd in ["index.html", "zzz_20260520-213100.grib2.gz", "MRMS_Zzz_00.50_20260520-213100.grib2.gz", "MRMS_zzz"] {
        bucket.put(&format!("{folder}/{odd}"), b"<html>".to_vec());
    }
    let mut source = open(Config::default(), bucket.clone());
    let first = poll(&mut source, "2026-05-20T21:32:00Z").await;
    assert!(first.faults.is_empty(), "{:?}", first.faults);
    assert_eq!(mosaics(&first)[0].key, mesh_key("20260520-213000"));
    bucket.put(&mesh_key("20260520-213200"), mesh("2026-05-20T21:32:00Z", 50.0));
    assert_eq!(mosaics(&poll(&mut source, "2026-05-20T21:34:00Z").await)[0].key, mesh_key("20260520-213200"));
}

#[tokio::test]
async fn just_after_midnight_yesterdays_folder_is_read() {
    let bucket = Arc::new(FakeBucket::default());
    bucket.put(&mesh_key("20260520-235800"), mesh("2026-05-20T23:58:00Z", 10.0));
    let mut source = open(Config::default(), bucket.clone());
    assert_eq!(mosaics(&poll(&mut source, "2026-05-21T00:00:30Z").await)[0].key, mesh_key("20260520-235800"));
    assert!(mosaics(&poll(&mut source, "2026-05-21T00:01:30Z").await).is_empty());
    bucket.put(&mesh_key("20260521-000000"), mesh("2026-05-21T00:00:00Z", 10.0));
    assert_eq!(mosaics(&poll(&mut source, "2026-05-21T00:02:30Z").await)[0].key, mesh_key("20260521-000000"));
}

#[tokio::test]
async fn m13_a_half_uploaded_object_is_a_fault_and_is_read_again() {
    let bucket = Arc::new(FakeBucket::default());
    let whole = mesh("2026-05-20T21:30:00Z", 44.5);
    let key = mesh_key("20260520-213000");
    bucket.put(&key, whole[..whole.len() * 6 / 10].to_vec());
    let vil = MrmsSpec::vil(at("2026-05-20T21:30:00Z"));
    bucket.put("CONUS/VIL_00.50/20260520/MRMS_VIL_00.50_20260520-213007.grib2.gz", planted::encode_mrms(&vil));
    let mut source = open(Config::default(), bucket.clone());

    let first = poll(&mut source, "2026-05-20T21:32:00Z").await;
    assert_eq!(mosaics(&first).iter().map(|mosaic| mosaic.product).collect::<Vec<_>>(), [Product::Vil]);
    assert!(first.good);
    assert_eq!(first.faults[0].place, key);
    assert!(first.faults[0].what.contains("gzip"), "{:?}", first.faults);

    bucket.put(&key, whole);
    let second = poll(&mut source, "2026-05-20T21:33:00Z").await;
    assert_eq!(mosaics(&second)[0].product, Product::MeshMax60min);
    assert!(second.faults.is_empty());
}

#[tokio::test]
async fn one_product_out_of_reach_does_not_hide_the_others_and_all_out_of_reach_is_an_error() {
    let bucket = Arc::new(FakeBucket::default());
    bucket.put(&mesh_key("20260520-213000"), mesh("2026-05-20T21:30:00Z", 44.5));
    bucket.broken.lock().unwrap().push("list CONUS/VIL".to_owned());
    let mut source = open(Config::default(), bucket.clone());
    let first = poll(&mut source, "2026-05-20T21:32:00Z").await;
    assert!(first.good && mosaics(&first).len() == 1);
    assert!(first.faults[0].place.contains("VIL") && first.faults[0].what.contains("reset"));

    *bucket.broken.lock().unwrap() = vec!["list".to_owned()];
    let error = source.poll(&Ask::default(), at("2026-05-20T21:33:00Z")).await.unwrap_err();
    assert!(error.to_string().contains("reset"), "{error}");
}

#[tokio::test]
async fn the_wrong_product_under_a_key_is_refused() {
    let bucket = Arc::new(FakeBucket::default());
    let vil = MrmsSpec::vil(at("2026-05-20T21:30:00Z"));
    bucket.put(&mesh_key("20260520-213000"), planted::encode_mrms(&vil));
    let mut source = open(Config::default(), bucket);
    let first = poll(&mut source, "2026-05-20T21:32:00Z").await;
    assert!(first.observations.is_empty());
    let what = &first.faults[0].what;
    assert!(what.contains("209/3/41 (VIL)") && what.contains("MESH_Max_60min was due"), "{what}");
}

#[tokio::test]
async fn where_the_gribs_time_and_the_keys_differ_the_older_counts_and_is_told() {
    let bucket = Arc::new(FakeBucket::default());
    bucket.put(&mesh_key("20260520-213000"), mesh("2026-05-20T21:20:00Z", 44.5));
    let mut source = open(Config::default(), bucket.clone());
    let first = poll(&mut source, "2026-05-20T21:32:00Z").await;
    assert_eq!(mosaics(&first)[0].valid_utc, at("2026-05-20T21:20:00Z"));
    assert!(first.faults[0].what.contains("the older one counts"));
    // M14: irregular seconds are no fault; the GRIB's own time counts.
    bucket.put(&mesh_key("20260520-213207"), mesh("2026-05-20T21:31:40Z", 44.5));
    let second = poll(&mut source, "2026-05-20T21:34:00Z").await;
    assert_eq!(mosaics(&second)[0].valid_utc, at("2026-05-20T21:31:40Z"));
    assert!(second.faults.is_empty());
}

#[test]
fn config_knows_its_keys_and_refuses_others() {
    assert_eq!(toml::from_str::<Config>("").unwrap(), Config::default());
    let one: Config = toml::from_str("products = ['vil', 'vil']\nendpoint_url = 'http://127.0.0.1:9'").unwrap();
    assert_eq!(open(one, Arc::new(FakeBucket::default())).products.len(), 1);
    assert!(toml::from_str::<Config>("buckets = 'x'").unwrap_err().to_string().contains("buckets"));
    let names = toml::to_string(&Config::default()).unwrap();
    for product in Product::ALL {
        assert!(names.contains(product.id()), "{names}");
    }
}

/// Content of a later time under an older name: what the key is said to show it cannot show.
#[tokio::test]
async fn content_from_after_its_key_is_refused_and_the_newest_true_mosaic_goes_on_speaking() {
    let bucket = Arc::new(FakeBucket::default());
    bucket.put(&mesh_key("20260520-212800"), mesh("2026-05-20T21:38:00Z", 10.0));
    let mut source = open(Config::default(), bucket.clone());
    let first = poll(&mut source, "2026-05-20T21:39:00Z").await;
    assert_eq!(mosaics(&first)[0].valid_utc, at("2026-05-20T21:28:00Z"), "ten minutes: the older one counts");
    bucket.put(&mesh_key("20260520-213000"), mesh("2026-05-20T23:30:00Z", 10.0));
    let refused = poll(&mut source, "2026-05-20T21:40:00Z").await;
    assert!(refused.observations.is_empty(), "{refused:?}");
    let what = &refused.faults[0].what;
    assert!(what.contains("2026-05-20T23:30:00Z") && what.contains("120 min after"), "{what}");
    bucket.put(&mesh_key("20260520-213200"), mesh("2026-05-20T21:32:00Z", 12.0));
    assert_eq!(mosaics(&poll(&mut source, "2026-05-20T21:41:00Z").await)[0].key, mesh_key("20260520-213200"));
}
