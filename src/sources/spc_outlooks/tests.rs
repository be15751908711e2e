use super::*;
use crate::geo::LatLon;
use crate::outlook::{Category, Gap, Hazard, Nothing, OutlookSet};
use crate::outside::{Bucket, ObjectInfo, Validators};
use bytes::Bytes;
use std::sync::Mutex;

const CATEGORICAL: &str = include_str!("../../../fixtures/spc_outlooks/day1_cat.geojson");
const TORNADO: &str = include_str!("../../../fixtures/spc_outlooks/day1_torn.geojson");
const EMPTY: &str = include_str!("../../../fixtures/spc_outlooks/day1_hail_empty.geojson");
const RELIC: &str = include_str!("../../../fixtures/spc_outlooks/day1_wind_relic.geojson");
const UNPREDICTABLE: &str = include_str!("../../../fixtures/spc_outlooks/day4_prob_unpredictable.geojson");
/// VALID of the fixtures, and of the issue before and after.
const ISSUE: &str = "203105091630";

/// Answers by path; what is not there is 404.
#[derive(Default)]
struct Site {
    files: Mutex<BTreeMap<String, Result<String, u16>>>,
    asked: Mutex<Vec<String>>,
}

impl Site {
    fn put(&self, kind: &str, text: impl Into<String>) {
        let path = format!("/products/outlook/day1otlk_{kind}.lyr.geojson");
        self.files.lock().unwrap().insert(path, Ok(text.into()));
    }

    fn fail(&self, kind: &str, status: u16) {
        let path = format!("/products/outlook/day1otlk_{kind}.lyr.geojson");
        self.files.lock().unwrap().insert(path, Err(status));
    }

    /// All layers of one issue.
    fn issue(&self, valid: &str) {
        self.put("cat", of_issue(CATEGORICAL, valid));
        self.put("torn", of_issue(TORNADO, valid));
        for kind in ["wind", "hail", "cigtorn", "cigwind", "cighail"] {
            self.put(kind, of_issue(EMPTY, valid));
        }
    }
}

/// The same layer with another VALID (the ISO form is taken out: old files have the digits alone).
fn of_issue(text: &str, valid: &str) -> String {
    let iso = |key: &str| format!("\"{key}_ISO\"");
    text.replace(&iso("VALID"), "\"_\"")
        .replace(ISSUE, valid)
        .replace("203105091622", valid)
        .replace(&iso("ISSUE"), "\"_\"")
}

#[async_trait]
impl Outside for Site {
    async fn get(&self, request: &Get) -> Result<Got, OutsideError> {
        self.asked.lock().unwrap().push(request.path.clone());
        let answer = self.files.lock().unwrap().get(&request.path).cloned().unwrap_or(Err(404));
        let status = |status| OutsideError::Status { url: request.path.clone(), status, retry_after: None };
        answer.map_err(status).map(|text| Got::Fresh { body: Bytes::from(text), validators: Validators::default() })
    }

    async fn list(&self, _: &Bucket, _: &str, _: Option<&str>, _: usize) -> Result<Vec<ObjectInfo>, OutsideError> {
        Err(OutsideError::Absent { url: String::new(), what: "bucket" })
    }

    async fn object(&self, _: &Bucket, _: &str, _: usize, _: Duration) -> Result<Bytes, OutsideError> {
        Err(OutsideError::Absent { url: String::new(), what: "object" })
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn larkfield() -> LatLon {
    LatLon::new(38.5, -98.0).unwrap()
}

/// The site and a source of day 1 alone.
fn day_one() -> (Arc<Site>, SpcOutlooks) {
    let site = Arc::new(Site::default());
    let source = open(Config { last_day: 1, ..Config::default() }, Arc::clone(&site) as Arc<dyn Outside>);
    (site, source)
}

async fn poll(source: &mut SpcOutlooks, now: &str) -> (Outlooks, Poll) {
    let poll = source.poll(&Ask::default(), at(now)).await.unwrap();
    let [Observation::Outlooks(outlooks)] = poll.observations.as_slice() else { panic!("{poll:?}") };
    (outlooks.as_ref().clone(), poll)
}

fn speaking(outlooks: &Outlooks, now: &str) -> OutlookSet {
    outlooks.speaking(1, at(now)).unwrap().as_ref().clone()
}

/// Field reports S07 and S08: each hazard's path names that hazard, day 3 has no hazards of its own, all paths are nested
/// layers and none is asked for twice.
#[test]
fn the_table_of_files() {
    let all: Vec<File> = (1..=8).flat_map(files).collect();
    assert_eq!(all.len(), 7 + 7 + 3 + 5);
    let mut paths: Vec<&str> = all.iter().map(|file| file.path.as_str()).collect();
    assert!(paths.iter().all(|path| path.ends_with(".lyr.geojson") && !path.contains("nolyr")));
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), all.len());
    for file in &all {
        let word = match file.role {
            Role::Categorical => "_cat.",
            Role::Probability(Hazard::Tornado) => "_torn.",
            Role::Probability(Hazard::Wind) => "_wind.",
            Role::Probability(Hazard::Hail) => "_hail.",
            Role::Probability(Hazard::TotalSevere) => "prob.",
            Role::Intensity(Hazard::Tornado) => "_cigtorn.",
            Role::Intensity(Hazard::Wind) => "_cigwind.",
            Role::Intensity(Hazard::Hail) => "_cighail.",
            Role::Intensity(Hazard::TotalSevere) => "_cigprob.",
        };
        assert!(file.path.contains(word) && file.path.contains(&format!("day{}", file.day)), "{file:?}");
    }
    let third: Vec<&str> = all.iter().filter(|file| file.day == 3).map(|file| file.path.as_str()).collect();
    let third: Vec<&str> = third.iter().filter_map(|path| path.split('_').nth(1)).collect();
    assert_eq!(third, ["cat.lyr.geojson", "prob.lyr.geojson", "cigprob.lyr.geojson"]);
    assert_eq!(files(4)[0].path, "/products/exper/day4-8/day4prob.lyr.geojson");
}

#[test]
fn the_archive_names_the_issue_in_force() {
    let first = |now: &str| archived(at(now))[0].path.clone();
    let path = |issue: &str| format!("/products/outlook/archive/2031/day1otlk_{issue}_cat.lyr.geojson");
    assert_eq!(first("2031-05-09T07:10:00Z"), path("20310509_0100"));
    assert_eq!(first("2031-05-09T12:00:00Z"), path("20310509_1200"));
    assert_eq!(first("2031-05-09T16:29:00Z"), path("20310509_1300"));
    assert_eq!(first("2031-05-10T00:20:00Z"), path("20310509_2000"));
}

#[tokio::test]
async fn a_whole_issue_is_one_set() {
    let (site, mut source) = day_one();
    site.issue(ISSUE);
    let (outlooks, poll) = poll(&mut source, "2031-05-09T16:35:00Z").await;
    assert!(poll.good && poll.faults.is_empty(), "{:?}", poll.faults);
    let set = speaking(&outlooks, "2031-05-09T16:35:00Z");
    assert!(set.gaps().is_empty());
    let here = set.at(larkfield());
    assert_eq!(here.categorical, Some(Category::Enh));
    assert_eq!(here.probability_pct(Hazard::Tornado), Some(10));
    assert_eq!(here.hazard(Hazard::Hail).unwrap().nothing, Some(Nothing::BelowLowest));
    assert_eq!(source.period(), Duration::from_secs(300));
}

/// A missing layer is a fault and a gap; the category still speaks. So is a relic (by VALID), and what is no layer.
#[tokio::test]
async fn missing_layers_are_gaps_and_the_rest_speaks() {
    let (site, mut source) = day_one();
    site.issue(ISSUE);
    site.put("wind", RELIC);
    site.fail("hail", 404);
    site.put("cighail", "");
    site.fail("cigwind", 404);
    site.put("cigtorn", "<html>");
    let (outlooks, poll) = poll(&mut source, "2031-05-09T16:35:00Z").await;
    assert!(poll.good, "the category is readable and everything that is there agrees");
    let set = speaking(&outlooks, "2031-05-09T16:35:00Z");
    assert_eq!(set.at(larkfield()).categorical, Some(Category::Enh));
    let gaps: Vec<String> = set.gaps().into_iter().map(Gap::id).collect();
    assert_eq!(gaps, ["spc-hail", "spc-wind-stale"], "tornado has its groups in its own layer");
    assert_eq!(set.at(larkfield()).probability_pct(Hazard::Wind), None);
    assert_eq!(poll.faults.len(), 4, "{:?}", poll.faults);
    assert_eq!(source.period(), Duration::from_secs(300), "a relic is not waited for");
}

/// Field report S04: 404, an empty body, an empty collection, a page and a frozen file are no outlook; never "no risk".
#[tokio::test]
async fn without_a_readable_categorical_layer_no_outlook_is_known() {
    let empty_collection = r#"{"type":"FeatureCollection","features":[]}"#;
    for body in ["", empty_collection, "<html>", RELIC, "{\"type\":\"FeatureColl"] {
        let (site, mut source) = day_one();
        site.issue(ISSUE);
        site.put("cat", body);
        let (outlooks, poll) = poll(&mut source, "2031-05-09T16:35:00Z").await;
        assert!(!poll.good && outlooks.speaking(1, at("2031-05-09T16:35:00Z")).is_none(), "{body}");
        assert!(outlooks.days[&1].trouble.is_some() && !poll.faults.is_empty(), "{body}");
    }
    let (site, mut source) = day_one();
    site.issue(ISSUE);
    site.fail("cat", 404);
    let (outlooks, _) = poll(&mut source, "2031-05-09T16:35:00Z").await;
    assert!(outlooks.speaking(1, at("2031-05-09T16:35:00Z")).is_none());
    let (_, mut alone) = day_one();
    let error = alone.poll(&Ask::default(), at("2031-05-09T16:35:00Z")).await.unwrap_err();
    assert!(matches!(error, PollError::Outside(OutsideError::Status { status: 404, .. })), "{error}");
}

/// severe.md, defect 11: layers are replaced one by one; a fresh one must neither be called stale nor be mixed with old ones.
#[tokio::test]
async fn while_layers_are_replaced_the_old_set_stands() {
    let (site, mut source) = day_one();
    site.issue(ISSUE);
    let (before, _) = poll(&mut source, "2031-05-09T19:55:00Z").await;
    let old = speaking(&before, "2031-05-09T19:55:00Z");
    // First the category is new.
    site.put("cat", of_issue(CATEGORICAL, "203105092000"));
    let (during, report) = poll(&mut source, "2031-05-09T20:00:00Z").await;
    assert_eq!(speaking(&during, "2031-05-09T20:00:00Z"), old);
    assert!(!report.good && report.faults.iter().any(|fault| fault.what.contains("being replaced")), "{report:?}");
    assert_eq!(source.period(), Duration::from_secs(60), "looked at again soon");
    // Then a hazard that was there is away for a moment.
    site.issue("203105092000");
    site.fail("torn", 503);
    let (during, _) = poll(&mut source, "2031-05-09T20:01:00Z").await;
    assert_eq!(speaking(&during, "2031-05-09T20:01:00Z"), old);
    site.issue("203105092000");
    let (after, report) = poll(&mut source, "2031-05-09T20:02:00Z").await;
    assert!(report.good);
    assert_eq!(speaking(&after, "2031-05-09T20:02:00Z").valid_utc, at("2031-05-09T20:00:00Z"));
    assert_eq!(source.period(), Duration::from_secs(300));
}

#[tokio::test]
async fn a_hazard_that_is_new_before_the_category_waits_for_it_and_what_lags_for_long_is_stale() {
    let (site, mut source) = day_one();
    site.issue(ISSUE);
    poll(&mut source, "2031-05-09T19:50:00Z").await;
    site.put("torn", of_issue(TORNADO, "203105092000"));
    let (outlooks, report) = poll(&mut source, "2031-05-09T19:55:00Z").await;
    assert!(!report.good && speaking(&outlooks, "2031-05-09T19:55:00Z").gaps().is_empty());
    // The category came, the tornado layer went back to the old one and stays so.
    site.issue("203105092000");
    site.put("torn", of_issue(TORNADO, ISSUE));
    poll(&mut source, "2031-05-09T20:00:00Z").await;
    let (outlooks, report) = poll(&mut source, "2031-05-09T20:26:00Z").await;
    let set = speaking(&outlooks, "2031-05-09T20:26:00Z");
    assert_eq!((set.valid_utc, report.good), (at("2031-05-09T20:00:00Z"), true));
    assert_eq!(set.gaps(), [Gap::Stale(Hazard::Tornado)]);
}

#[tokio::test]
async fn a_failed_read_of_the_same_issue_takes_nothing_away() {
    let (site, mut source) = day_one();
    site.issue(ISSUE);
    poll(&mut source, "2031-05-09T16:35:00Z").await;
    site.fail("torn", 503);
    let (outlooks, report) = poll(&mut source, "2031-05-09T16:40:00Z").await;
    let set = speaking(&outlooks, "2031-05-09T16:40:00Z");
    assert_eq!(set.at(larkfield()).probability_pct(Hazard::Tornado), Some(10));
    assert!(report.good && report.faults.len() == 1 && set.gaps().is_empty());
}

/// An issue says what it says: placeholders under the same VALID and ISSUE take nothing away, and no category beside
/// probabilities is not quiet.
#[tokio::test]
async fn placeholders_under_the_same_issue_take_nothing_away() {
    let (site, mut source) = day_one();
    site.issue(ISSUE);
    poll(&mut source, "2031-05-09T16:35:00Z").await;
    site.put("torn", of_issue(EMPTY, ISSUE));
    let (outlooks, _) = poll(&mut source, "2031-05-09T16:40:00Z").await;
    let set = speaking(&outlooks, "2031-05-09T16:40:00Z");
    assert_eq!(set.at(larkfield()).probability_pct(Hazard::Tornado), Some(10));
    let category = set.at(larkfield()).categorical;
    site.put("cat", of_issue(EMPTY, ISSUE));
    let (outlooks, report) = poll(&mut source, "2031-05-09T16:45:00Z").await;
    assert_eq!(speaking(&outlooks, "2031-05-09T16:45:00Z").at(larkfield()).categorical, category);
    assert!(!report.good && report.faults.iter().any(|fault| fault.what.contains("emptied")), "{:?}", report.faults);
    // Heard for the first time: the categorical layer contradicts its own issue.
    let (site, mut anew) = day_one();
    site.issue(ISSUE);
    site.put("cat", of_issue(EMPTY, ISSUE));
    let (outlooks, report) = poll(&mut anew, "2031-05-09T16:50:00Z").await;
    assert!(outlooks.speaking(1, at("2031-05-09T16:50:00Z")).is_none() && !report.good, "{:?}", report.faults);
}

/// The 06Z issue is VALID only from 12Z: what was in force stays in force, also after a start in between (from the archive).
#[tokio::test]
async fn an_issue_that_is_not_valid_yet_waits_its_turn() {
    let (site, mut source) = day_one();
    site.issue("203105100100");
    poll(&mut source, "2031-05-10T01:05:00Z").await;
    let next = |text: &str| {
        of_issue(text, "203105101200")
            .replace("\"EXPIRE\":\"203105101200\"", "\"EXPIRE\":\"203105111200\"")
            .replace("\"EXPIRE_ISO\"", "\"_\"")
    };
    for kind in ["cat", "torn"] {
        site.put(kind, next(if kind == "cat" { CATEGORICAL } else { TORNADO }));
    }
    for kind in ["wind", "hail", "cigtorn", "cigwind", "cighail"] {
        site.put(kind, next(EMPTY));
    }
    let (outlooks, report) = poll(&mut source, "2031-05-10T06:05:00Z").await;
    assert!(report.good, "{:?}", report.faults);
    assert_eq!(speaking(&outlooks, "2031-05-10T11:59:00Z").valid_utc, at("2031-05-10T01:00:00Z"));
    assert_eq!(speaking(&outlooks, "2031-05-10T12:00:00Z").valid_utc, at("2031-05-10T12:00:00Z"));
    // Started anew: the archive has the one in force.
    let mut anew = open(Config { last_day: 1, ..Config::default() }, Arc::clone(&site) as Arc<dyn Outside>);
    let (outlooks, report) = poll(&mut anew, "2031-05-10T07:00:00Z").await;
    assert!(outlooks.speaking(1, at("2031-05-10T07:00:00Z")).is_none());
    assert!(report.faults.iter().any(|fault| fault.what.contains("the issue in force")), "{report:?}");
    let path = archived(at("2031-05-10T07:40:00Z"))[0].path.clone();
    site.files.lock().unwrap().insert(path, Ok(of_issue(CATEGORICAL, "203105100100")));
    let (outlooks, _) = poll(&mut anew, "2031-05-10T07:40:00Z").await;
    let set = speaking(&outlooks, "2031-05-10T07:40:00Z");
    assert_eq!((set.valid_utc, set.at(larkfield()).categorical), (at("2031-05-10T01:00:00Z"), Some(Category::Enh)));
}

#[tokio::test]
async fn later_days_keep_low_and_unpredictable_apart() {
    let site = Arc::new(Site::default());
    site.issue(ISSUE);
    let path = files(4)[0].path.clone();
    site.files.lock().unwrap().insert(path, Ok(UNPREDICTABLE.to_owned()));
    let mut source = open(Config::default(), Arc::clone(&site) as Arc<dyn Outside>);
    let (outlooks, report) = poll(&mut source, "2031-05-09T16:35:00Z").await;
    assert!(report.good, "other days are no part of it");
    assert_eq!(site.asked.lock().unwrap().len(), 22);
    let set = outlooks.speaking(4, at("2031-05-09T16:35:00Z")).unwrap();
    let here = set.at(larkfield());
    assert_eq!((here.categorical, here.hazards[0].nothing), (None, Some(Nothing::PredictabilityTooLow)));
    assert!(set.gaps().is_empty() && set.categorical.is_none());
    assert!(outlooks.speaking(5, at("2031-05-09T16:35:00Z")).is_none());
}
