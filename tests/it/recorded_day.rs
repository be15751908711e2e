//! The recorded day of 2026-06-10, asked as a source asks, with and without faults laid over it.

use crate::{faulted_day, shared};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use stormbell::clock::Clock;
use stormbell::outside::archive::{Archive, ArchiveOutside};
use stormbell::outside::{Bucket, Get, Got, Outside, OutsideError};

const MRMS: &str = "noaa-mrms-pds";
const MESH: &str = "CONUS/MESH_Max_60min_00.50/20260610/";

fn alerts() -> Get {
    Get {
        base_url: "https://api.weather.gov".to_owned(),
        path: "/alerts/active".to_owned(),
        query: vec![("status".to_owned(), "actual".to_owned())],
        accept: "application/geo+json",
        body_bytes_max: 16 << 20,
        timeout: Duration::from_secs(30),
        held: None,
    }
}

fn bucket() -> Bucket {
    Bucket { name: MRMS.to_owned(), region: "us-east-1".to_owned(), endpoint_url: None }
}

/// The day as it is at a virtual instant.
fn at(archive: &Arc<Archive>, instant: &str) -> ArchiveOutside {
    ArchiveOutside::new(Arc::clone(archive), Clock::starting_at(instant.parse().unwrap(), 1.0))
}

#[tokio::test(start_paused = true)]
async fn the_day_answers_with_the_bytes_of_the_file_that_stands() {
    let Some(day) = shared::path("data/days/2026-06-10") else { return };
    let archive = Arc::new(Archive::load(&day).unwrap());
    assert_eq!(archive.from_utc.to_string(), "2026-06-10T21:15:00Z");
    for (instant, file) in [
        ("2026-06-10T21:32:09Z", "nws/213135.json"),
        ("2026-06-10T21:32:10Z", "nws/213210.json"),
        ("2026-06-11T00:00:00Z", "nws/225010.json"),
    ] {
        let Ok(Got::Fresh { body, .. }) = at(&archive, instant).get(&alerts()).await else { panic!("{instant}") };
        assert!(body == std::fs::read(day.join(file)).unwrap(), "{instant} is {file}");
    }
    let keys = |objects: Vec<stormbell::outside::ObjectInfo>| objects.into_iter().map(|it| it.key).collect::<Vec<_>>();
    let early = at(&archive, "2026-06-10T21:32:09Z").list(&bucket(), MESH, None, 1000).await.unwrap();
    assert!(early.is_empty());
    let late = keys(at(&archive, "2026-06-10T22:00:00Z").list(&bucket(), MESH, None, 1000).await.unwrap());
    assert_eq!(late.len(), 3);
    let newest = keys(at(&archive, "2026-06-10T22:00:00Z").list(&bucket(), MESH, Some(&late[1]), 1000).await.unwrap());
    assert_eq!(newest, late[2..]);
    let limit = Duration::from_secs(30);
    let object = at(&archive, "2026-06-10T22:00:00Z").object(&bucket(), &late[2], 16 << 20, limit).await.unwrap();
    assert!(object == std::fs::read(day.join("mrms/MESH_Max_60min_214600.grib2.gz")).unwrap());
}

#[tokio::test(start_paused = true)]
async fn faults_laid_over_the_day_outrank_its_own_lines() {
    let Some(day) = shared::path("data/days/2026-06-10") else { return };
    let key = format!("{MESH}MRMS_MESH_Max_60min_00.50_20260610-213000.grib2.gz");
    let faulted = faulted_day::lay(
        &day,
        &[
            faulted_day::http("2026-06-10T21:32:10Z", "api.weather.gov", "/alerts/active", json!({"fault": "html"})),
            faulted_day::s3("2026-06-10T21:32:10Z", MRMS, MESH, json!({"list_fault": "status:503"})),
            faulted_day::s3("2026-06-10T21:36:00Z", MRMS, &key, json!({"file": "mrms/cut.gz"})),
        ],
    );
    let whole = faulted.read("mrms/MESH_Max_60min_213000.grib2.gz");
    faulted.file("mrms/cut.gz", &whole[..whole.len() / 2]);
    let archive = Arc::new(Archive::load(faulted.path()).unwrap());
    let seen = at(&archive, "2026-06-10T21:32:10Z").get(&alerts()).await;
    assert!(matches!(seen, Err(OutsideError::WebPage { .. })), "{seen:?}");
    let seen = at(&archive, "2026-06-10T21:34:10Z").get(&alerts()).await;
    assert!(matches!(seen, Ok(Got::Fresh { .. })), "the next line of the day ends the fault: {seen:?}");
    let seen = at(&archive, "2026-06-10T21:33:00Z").list(&bucket(), MESH, None, 1000).await;
    assert!(matches!(seen, Err(OutsideError::Status { status: 503, .. })), "{seen:?}");
    let seen = at(&archive, "2026-06-10T21:36:00Z").object(&bucket(), &key, 16 << 20, Duration::from_secs(30)).await;
    assert_eq!(seen.unwrap().len(), whole.len() / 2);
}

#[test]
fn a_day_with_a_missing_file_is_refused_by_line() {
    let Some(day) = shared::path("data/days/2026-06-10") else { return };
    let lines = std::fs::read_to_string(day.join("timeline.jsonl")).unwrap().lines().count();
    let faulted = faulted_day::lay(
        &day,
        &[faulted_day::http("2026-06-10T21:32:10Z", "api.weather.gov", "/x", json!({"file": "nws/gone.json"}))],
    );
    let refusal = Archive::load(faulted.path()).unwrap_err().to_string();
    assert!(
        refusal.ends_with(&format!("timeline.jsonl:{}: file \"nws/gone.json\" is missing", lines + 1)),
        "{refusal}"
    );
}
