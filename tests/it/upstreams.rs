//! The live way out against real sockets: recorded days served over loopback, beside the same days in process.

use crate::shared;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use stormbell::clock::Clock;
use stormbell::outside::archive::{Archive, ArchiveOutside};
use stormbell::outside::live::{LiveOutside, LiveSettings};
use stormbell::outside::serve::serve;
use stormbell::outside::{Bucket, ByteRange, Get, Got, ObjectInfo, Outside, OutsideError, Validators};

const NOON: &str = "2026-06-10T12:00:00Z";
pub const LIMIT: Duration = Duration::from_secs(2);

pub fn live() -> LiveOutside {
    LiveOutside::new(&LiveSettings::with_contact("test@example.org")).unwrap()
}

pub fn ask(base_url: &str, path: &str) -> Get {
    Get {
        base_url: base_url.to_owned(),
        path: path.to_owned(),
        query: Vec::new(),
        accept: "application/geo+json",
        body_bytes_max: 1 << 20,
        timeout: LIMIT,
        held: None,
    }
}

/// A clock that as good as stands.
fn standing(instant: &str) -> Clock {
    Clock::starting_at(instant.parse().unwrap(), 1e-6)
}

/// A clock at `NOON` that runs.
fn running() -> Clock {
    Clock::starting_at(NOON.parse().unwrap(), 1.0)
}

/// A clock at `NOON` on which waiting is short.
fn hurried() -> Clock {
    Clock::starting_at(NOON.parse().unwrap(), 100.0)
}

/// An archive with these timeline lines and `big`, a file of 50,000 bytes.
fn planted(lines: &[String]) -> Arc<Archive> {
    let folder = tempfile::tempdir().unwrap();
    let head = format!("name = \"planted\"\nfrom = \"{NOON}\"\nto = \"{NOON}\"\n");
    std::fs::write(folder.path().join("archive.toml"), head).unwrap();
    std::fs::write(folder.path().join("timeline.jsonl"), lines.concat()).unwrap();
    std::fs::write(folder.path().join("big"), "x".repeat(50_000)).unwrap();
    Arc::new(Archive::load(folder.path()).unwrap())
}

fn http_line(path: &str, rest: &str) -> String {
    format!("{{\"at\":\"{NOON}\",\"http\":{{\"host\":\"api.weather.gov\",\"path\":\"{path}\"}},{rest}}}\n")
}

fn s3_line(key: &str, rest: &str) -> String {
    format!("{{\"at\":\"{NOON}\",\"s3\":{{\"bucket\":\"bkt\",\"key\":\"{key}\"}},{rest}}}\n")
}

/// Serves `archive`; gives the root address.
async fn loopback(archive: &Arc<Archive>, clock: Clock) -> String {
    let (address, serving) = serve(Arc::clone(archive), clock, 0).await.unwrap();
    assert!(address.ip().is_loopback());
    tokio::spawn(serving);
    format!("http://{address}")
}

pub fn bucket(name: &str, endpoint_url: Option<&str>) -> Bucket {
    Bucket { name: name.to_owned(), region: "us-east-1".to_owned(), endpoint_url: endpoint_url.map(str::to_owned) }
}

/// What a caller can tell apart, without the wording.
pub fn kind<T: AsRef<[u8]>>(result: &Result<T, OutsideError>) -> String {
    match result {
        Ok(body) => format!("{} bytes, {:?}", body.as_ref().len(), body.as_ref().first()),
        Err(OutsideError::Status { status, retry_after, .. }) => format!("status {status} {retry_after:?}"),
        Err(OutsideError::Absent { what, .. }) => format!("absent {what}"),
        Err(OutsideError::Timeout { limit_s, .. }) => format!("timeout {limit_s}"),
        Err(OutsideError::Broken { .. }) => "broken".to_owned(),
        Err(OutsideError::TooLarge { limit_bytes, .. }) => format!("too large {limit_bytes}"),
        Err(OutsideError::WebPage { expected, .. }) => format!("web page for {expected}"),
    }
}

pub async fn body_of(outside: &dyn Outside, request: &Get) -> Result<Vec<u8>, OutsideError> {
    outside.get(request).await.map(|got| match got {
        Got::Fresh { body, .. } => body.to_vec(),
        Got::NotModified => b"not modified".to_vec(),
    })
}

fn keys(objects: Vec<ObjectInfo>) -> Vec<String> {
    objects.into_iter().map(|object| object.key).collect()
}

const FAULTS: [&str; 11] = [
    "status:503",
    "status:403",
    "status:404",
    "timeout",
    "reset",
    "truncate:4",
    "garbage",
    "empty",
    "slow:100000",
    "slow:1000",
    "html",
];

#[tokio::test]
async fn every_fault_looks_the_same_in_process_and_on_the_wire() {
    let lines: Vec<String> = FAULTS
        .iter()
        .flat_map(|fault| {
            let rest = format!("\"file\":\"big\",\"fault\":\"{fault}\"");
            [http_line(&format!("/{fault}"), &rest), s3_line(&format!("k/{fault}"), &rest)]
        })
        .chain([http_line("/bare-reset", "\"fault\":\"reset\""), http_line("/late", "\"fault\":\"timeout\"")])
        .collect();
    let archive = planted(&lines);
    let root = loopback(&archive, running()).await;
    let endpoint = format!("{root}/s3");
    let (live, recorded) = (live(), ArchiveOutside::new(archive, hurried()));
    let mut seen = BTreeSet::new();
    for path in FAULTS.into_iter().chain(["bare-reset"]).map(|fault| format!("/{fault}")) {
        let on_wire = body_of(&live, &ask(&format!("{root}/api.weather.gov"), &path)).await;
        let in_process = body_of(&recorded, &ask("https://api.weather.gov", &path)).await;
        assert_eq!(kind(&on_wire), kind(&in_process), "{path}: {on_wire:?}");
        seen.insert(kind(&on_wire));
    }
    for fault in FAULTS {
        let key = format!("k/{fault}");
        let on_wire = live.object(&bucket("bkt", Some(&endpoint)), &key, 1 << 20, LIMIT).await;
        let in_process = recorded.object(&bucket("bkt", None), &key, 1 << 20, LIMIT).await;
        assert_eq!(kind(&on_wire), kind(&in_process), "{key}: {on_wire:?}");
        seen.insert(kind(&on_wire));
    }
    for expected in [
        "status 503 None",
        "status 403 None",
        "absent object",
        "timeout 2",
        "broken",
        "0 bytes, None",
        "50000 bytes, Some(120)",
        "web page for an object",
        "web page for application/geo+json",
    ] {
        assert!(seen.contains(expected), "{expected} of {seen:?}");
    }
}

#[tokio::test]
async fn every_listing_fault_looks_the_same_in_process_and_on_the_wire() {
    // Not timeout: a page's own limit is 30 s.
    let faults: Vec<&str> = FAULTS.into_iter().filter(|fault| !matches!(*fault, "timeout" | "slow:1000")).collect();
    let lines: Vec<String> = faults
        .iter()
        .map(|fault| s3_line(&format!("{fault}/object"), &format!("\"file\":\"big\",\"list_fault\":\"{fault}\"")))
        .collect();
    let archive = planted(&lines);
    let endpoint = format!("{}/s3", loopback(&archive, running()).await);
    let (live, recorded) = (live(), ArchiveOutside::new(archive, hurried()));
    for fault in faults {
        let prefix = format!("{fault}/");
        let first = |objects: Vec<ObjectInfo>| keys(objects).concat().into_bytes();
        let on_wire = live.list(&bucket("bkt", Some(&endpoint)), &prefix, None, 10).await.map(first);
        let in_process = recorded.list(&bucket("bkt", None), &prefix, None, 10).await.map(first);
        assert_eq!(kind(&on_wire), kind(&in_process), "{fault}: {on_wire:?} {in_process:?}");
        assert_eq!(on_wire.is_ok(), fault.starts_with("slow"), "{fault}");
    }
}

#[tokio::test]
async fn answers_of_a_well_behaved_upstream() {
    let retry = |value: &str| format!("\"status\":503,\"headers\":{{\"Retry-After\":\"{value}\"}}");
    let lines = [
        http_line("/tagged", "\"file\":\"big\",\"headers\":{\"ETag\":\"\\\"v1\\\"\"}"),
        http_line("/dated", "\"file\":\"big\",\"headers\":{\"Last-Modified\":\"Wed, 10 Jun 2026 11:00:00 GMT\"}"),
        http_line("/seconds", &retry("120")),
        http_line("/date", &retry("Wed, 10 Jun 2026 12:05:00 GMT")),
        http_line("/past", &retry("Wed, 10 Jun 2026 11:05:00 GMT")),
        http_line("/nonsense", &retry("soon")),
        http_line("/points/40.52,-92.9", "\"file\":\"big\""),
    ];
    let base = format!("{}/api.weather.gov", loopback(&planted(&lines), standing(NOON)).await);
    let live = live();
    for path in ["/tagged", "/dated"] {
        let Got::Fresh { body, validators } = live.get(&ask(&base, path)).await.unwrap() else { panic!("{path}") };
        assert_eq!(body.len(), 50_000);
        assert_ne!(validators, Validators::default());
        let again = Get { held: Some(validators), ..ask(&base, path) };
        assert_eq!(live.get(&again).await, Ok(Got::NotModified), "{path}");
        let other = Validators { etag: Some("\"v0\"".to_owned()), last_modified: None };
        let again = Get { held: Some(other), ..ask(&base, path) };
        assert!(matches!(live.get(&again).await, Ok(Got::Fresh { .. })), "{path}");
    }
    for (path, expected) in [("/seconds", Some(120)), ("/date", Some(300)), ("/past", Some(0)), ("/nonsense", None)] {
        let error = live.get(&ask(&base, path)).await.unwrap_err();
        assert!(matches!(error, OutsideError::Status { status: 503, .. }), "{path}: {error}");
        assert_eq!(error.retry_after(), expected.map(Duration::from_secs), "{path}");
    }
    let absent = live.get(&ask(&base, "/nowhere")).await;
    assert!(matches!(absent, Err(OutsideError::Status { status: 404, .. })), "{absent:?}");
    let small = Get { body_bytes_max: 49_999, ..ask(&base, "/tagged") };
    assert!(matches!(live.get(&small).await, Err(OutsideError::TooLarge { limit_bytes: 49_999, .. })));
    let encoded = body_of(&live, &ask(&base, "/points/40.52%2C-92.9")).await;
    assert_eq!(encoded.unwrap().len(), 50_000);
}

#[tokio::test]
async fn a_bucket_is_listed_over_pages_and_absences_are_told_apart() {
    let mut names: Vec<String> = (0..2500).map(|number| format!("many/{number:05}")).collect();
    names.extend(["odd/a & <b>", "odd/c+d e%20f", "odd/deep/g", "odd/deep/h"].map(str::to_owned));
    let lines: Vec<String> = names.iter().map(|name| s3_line(name, "\"file\":\"big\"")).collect();
    let root = loopback(&planted(&lines), standing(NOON)).await;
    let endpoint = format!("{root}/s3");
    let (live, bkt) = (live(), bucket("bkt", Some(&endpoint)));
    let all = live.list(&bkt, "many/", None, 10_000).await.unwrap();
    assert_eq!(all[7].size_bytes, Some(50_000));
    assert_eq!(all[7].last_modified_utc, Some(NOON.parse().unwrap()));
    assert_eq!(keys(all), names[..2500]);
    assert_eq!(keys(live.list(&bkt, "many/", Some("many/01990"), 10_000).await.unwrap()), names[1991..2500]);
    assert_eq!(keys(live.list(&bkt, "many/", None, 1500).await.unwrap()), names[..1500]);
    assert_eq!(keys(live.list(&bkt, "", None, 10_000).await.unwrap()), names);
    assert!(live.list(&bkt, "none/", None, 10_000).await.unwrap().is_empty());
    for name in &names[2500..] {
        let object = live.object(&bkt, name, 1 << 20, LIMIT).await;
        assert_eq!(object.map(|body| body.len()), Ok(50_000), "{name}");
    }
    let small = live.object(&bkt, &names[0], 100, LIMIT).await;
    assert!(matches!(small, Err(OutsideError::TooLarge { limit_bytes: 100, .. })), "{small:?}");
    assert_eq!(kind(&live.object(&bkt, "many/x", 100, LIMIT).await), "absent object");
    let elsewhere = bucket("other", Some(&endpoint));
    assert_eq!(kind(&live.object(&elsewhere, "many/x", 100, LIMIT).await), "absent bucket");
    let listed = live.list(&elsewhere, "", None, 10).await;
    assert!(matches!(listed, Err(OutsideError::Absent { what: "bucket", .. })), "{listed:?}");

    // What stormbell itself does not ask for, as any S3 client may.
    let raw = |query: &'static str| {
        let url = format!("{endpoint}/bkt?list-type=2&{query}");
        async move { reqwest::get(url).await.unwrap().text().await.unwrap() }
    };
    let folders = raw("delimiter=/").await;
    let expected = "<CommonPrefixes><Prefix>many/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>odd/</Prefix>";
    assert!(folders.contains(expected) && folders.contains("<KeyCount>2</KeyCount>"), "{folders}");
    let page = raw("delimiter=/&max-keys=1").await;
    assert!(page.contains("<NextContinuationToken>many/</NextContinuationToken>"), "{page}");
    let page = raw("delimiter=/&max-keys=1&continuation-token=many/").await;
    assert!(page.contains("<Prefix>odd/</Prefix>") && page.contains("<IsTruncated>false"), "{page}");
    let page = raw("prefix=odd/&delimiter=/").await;
    assert!(page.contains("<Key>odd/a &amp; &lt;b&gt;</Key>") && page.contains("<Prefix>odd/deep/</Prefix>"), "{page}");
}

/// Every line of the recorded day, asked for at its own instant: the same bytes in process and over the wire, and they
/// are the bytes of the file that the line names.
#[tokio::test]
async fn the_recorded_day_is_the_same_in_process_and_on_the_wire() {
    let Some(day) = shared::path("data/days/2026-06-10") else { return };
    let archive = Arc::new(Archive::load(&day).unwrap());
    let live = live();
    let timeline = std::fs::read_to_string(day.join("timeline.jsonl")).unwrap();
    let mut asked = 0;
    for line in timeline.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let clock = standing(line["at"].as_str().unwrap());
        let root = loopback(&archive, clock).await;
        let recorded = ArchiveOutside::new(Arc::clone(&archive), clock);
        let file = std::fs::read(Path::new(&day).join(line["file"].as_str().unwrap())).unwrap();
        let limit = Duration::from_secs(30);
        let (on_wire, in_process) = if let Some(http) = line.get("http") {
            let (host, path) = (http["host"].as_str().unwrap(), http["path"].as_str().unwrap());
            let query = http["query"].as_object().into_iter().flatten();
            let query = query.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect();
            let request =
                Get { query, body_bytes_max: 16 << 20, timeout: limit, ..ask(&format!("{root}/{host}"), path) };
            let direct = Get { base_url: format!("https://{host}"), ..request.clone() };
            (body_of(&live, &request).await.unwrap(), body_of(&recorded, &direct).await.unwrap())
        } else {
            let (name, key) = (line["s3"]["bucket"].as_str().unwrap(), line["s3"]["key"].as_str().unwrap());
            let (there, here) = (bucket(name, Some(&format!("{root}/s3"))), bucket(name, None));
            let folder = key.rsplit_once('/').unwrap().0;
            let listed = live.list(&there, folder, None, 1000).await.unwrap();
            assert_eq!(listed, recorded.list(&here, folder, None, 1000).await.unwrap());
            assert!(listed.iter().any(|object| object.key == key));
            let on_wire = live.object(&there, key, 16 << 20, limit).await.unwrap();
            (on_wire.to_vec(), recorded.object(&here, key, 16 << 20, limit).await.unwrap().to_vec())
        };
        assert!(on_wire == file && in_process == file, "{line}");
        asked += 1;
    }
    assert!(asked > 80, "{asked} lines");
}

/// Byte ranges: exactly the part, by HTTP and out of a bucket alike; whatever is no part is trouble.
#[tokio::test]
async fn parts_of_a_body_are_the_same_in_process_and_on_the_wire() {
    let mut lines = vec![http_line("/big", "\"file\":\"big\""), s3_line("day/big.grib2", "\"file\":\"big\"")];
    for fault in ["status:503", "reset", "truncate:100", "empty"] {
        lines.push(http_line(&format!("/{fault}"), &format!("\"file\":\"big\",\"fault\":\"{fault}\"")));
    }
    let archive = planted(&lines);
    let root = loopback(&archive, standing(NOON)).await;
    let (wire, process) = (live(), ArchiveOutside::new(archive, standing(NOON)));
    let range = |start, end| ByteRange { start, end };
    for (host, path, part, expected) in [
        ("api.weather.gov", "/big", range(10, Some(30)), "20 bytes, Some(120)"),
        ("api.weather.gov", "/big", range(49_000, None), "1000 bytes, Some(120)"),
        ("bkt.s3.amazonaws.com", "/day/big.grib2", range(0, Some(1)), "1 bytes, Some(120)"),
        ("bkt.s3.amazonaws.com", "/day/none.grib2", range(0, Some(1)), "status 404 None"),
        ("api.weather.gov", "/big", range(60_000, None), "status 416 None"),
        // Asked for more than there is: the part is shorter than asked for.
        ("api.weather.gov", "/big", range(49_990, Some(50_010)), "broken"),
        ("api.weather.gov", "/status:503", range(0, Some(10)), "status 503 None"),
        ("api.weather.gov", "/reset", range(0, Some(10)), "broken"),
        ("api.weather.gov", "/truncate:100", range(90, Some(110)), "broken"),
        ("api.weather.gov", "/truncate:100", range(0, Some(50)), "50 bytes, Some(120)"),
        ("api.weather.gov", "/empty", range(0, Some(10)), "status 416 None"),
        ("api.weather.gov", "/none", range(0, Some(10)), "status 404 None"),
    ] {
        let on_wire = wire.get_range(&ask(&format!("{root}/{host}"), path), part).await;
        let in_process = process.get_range(&ask(&format!("https://{host}"), path), part).await;
        assert_eq!((kind(&on_wire), kind(&in_process)), (expected.to_owned(), expected.to_owned()), "{path} {part:?}");
    }
}

/// A server that knows no ranges sends the whole file with 200: it is broken off, not read.
#[tokio::test]
async fn a_whole_body_in_answer_to_a_range_is_broken_off() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut asked = [0; 1024];
        let read = stream.read(&mut asked).await.unwrap();
        let head = String::from_utf8_lossy(&asked[..read]).to_lowercase();
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\nGRIB").await;
        head
    });
    let range = ByteRange { start: 5, end: Some(9) };
    let answer = live().get_range(&ask(&format!("http://{address}"), "/file"), range).await;
    assert!(matches!(&answer, Err(OutsideError::Broken { why, .. }) if why.contains("the whole body")), "{answer:?}");
    let head = server.await.unwrap();
    assert!(head.contains("range: bytes=5-8") && head.contains("accept-encoding: identity"), "{head}");
}
