use super::*;
use crate::clock::Clock;
use crate::outside::{Bucket, Get, Got, Outside, OutsideError, Validators};
use std::time::Duration;

const HEAD: &str = "name = \"planted\"\nfrom = \"2026-06-10T21:00:00Z\"\nto = \"2026-06-10T22:00:00Z\"\n";

struct Planted(tempfile::TempDir);

impl Planted {
    fn new(lines: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("archive.toml"), HEAD).unwrap();
        std::fs::write(folder.path().join("timeline.jsonl"), lines).unwrap();
        for (name, body) in [("a", "{\"is\":\"a\"}"), ("b", "{\"is\":\"b\"}"), ("c", "{\"is\":\"c\"}")] {
            std::fs::write(folder.path().join(name), body).unwrap();
        }
        Self(folder)
    }

    fn load(&self) -> Result<Archive, ArchiveError> {
        Archive::load(self.0.path())
    }
}

fn archive(lines: &str) -> Archive {
    Planted::new(lines).load().unwrap()
}

fn at(text: &str) -> Timestamp {
    format!("2026-06-10T{text}Z").parse().unwrap()
}

fn asked(archive: &Archive, path: &str, query: &[(&str, &str)], time: &str) -> ArchiveAnswer {
    let query: Vec<_> = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    archive.answer_http("h.gov", path, &query, None, at(time))
}

fn line(time: &str, http: &str, rest: &str) -> String {
    format!("{{\"at\":\"2026-06-10T{time}Z\",\"http\":{{\"host\":\"H.gov\",{http}}},{rest}}}\n")
}

fn object(time: &str, key: &str, rest: &str) -> String {
    format!("{{\"at\":\"2026-06-10T{time}Z\",\"s3\":{{\"bucket\":\"bkt\",\"key\":\"{key}\"}},{rest}}}\n")
}

#[test]
fn the_latest_matching_line_answers_from_its_instant_on() {
    let day = archive(
        &[
            line("21:10:00", "\"path\":\"/x\"", "\"file\":\"b\""),
            line("21:00:00", "\"path\":\"/x\"", "\"file\":\"a\""),
            line("21:10:00", "\"path\":\"/x\"", "\"file\":\"c\""),
        ]
        .concat(),
    );
    assert_eq!(asked(&day, "/x", &[], "20:59:59").status, 404);
    assert_eq!(asked(&day, "/x", &[], "21:00:00").body, "{\"is\":\"a\"}");
    assert_eq!(asked(&day, "/x", &[], "21:09:59").body, "{\"is\":\"a\"}");
    assert_eq!(asked(&day, "/x", &[], "21:10:00").body, "{\"is\":\"c\"}", "of one instant the later written stands");
    assert_eq!(asked(&day, "/x", &[], "23:00:00").body, "{\"is\":\"c\"}", "the last state stays");
    assert_eq!(asked(&day, "/y", &[], "21:10:00").status, 404);
    assert_eq!(day.answer_http("other.gov", "/x", &[], None, at("21:10:00")).status, 404);
}

#[test]
fn the_most_specific_line_outranks_the_latest_and_values_compare_decoded() {
    let day = archive(
        &[
            line("21:00:00", "\"path\":\"/x\",\"query\":{\"event\":\"Tornado%20Warning\"}", "\"file\":\"a\""),
            line("21:00:00", "\"path\":\"/x\",\"query\":{\"event\":\"Tornado Warning\",\"limit\":5}", "\"file\":\"b\""),
            line("21:30:00", "\"path\":\"/x\"", "\"file\":\"c\""),
        ]
        .concat(),
    );
    let (event, limit) = (("event", "Tornado Warning"), ("limit", "5"));
    assert_eq!(asked(&day, "/x", &[event, ("status", "actual")], "21:40:00").body, "{\"is\":\"a\"}");
    assert_eq!(asked(&day, "/x", &[limit, event], "21:40:00").body, "{\"is\":\"b\"}");
    assert_eq!(asked(&day, "/x", &[("event", "Flood Watch")], "21:40:00").body, "{\"is\":\"c\"}");
    assert_eq!(asked(&day, "/x", &[("event", "Flood Watch")], "21:20:00").status, 404);
    let points = archive(&line("21:00:00", "\"path\":\"/points/40.52,-92.9\"", "\"file\":\"a\""));
    assert_eq!(asked(&points, "/points/40.52%2C-92.9", &[], "21:00:00").status, 200);
}

#[test]
fn a_fault_stands_until_the_next_line_of_its_specificity() {
    let day = archive(
        &[
            line("21:00:00", "\"path\":\"/x\"", "\"file\":\"a\""),
            line("21:10:00", "\"path\":\"/x\"", "\"fault\":\"status:503\",\"headers\":{\"Retry-After\":\"30\"}"),
            line("21:20:00", "\"path\":\"/x\",\"query\":{\"q\":\"1\"}", "\"file\":\"c\""),
            line("21:30:00", "\"path\":\"/x\"", "\"file\":\"b\""),
        ]
        .concat(),
    );
    let faulted = asked(&day, "/x", &[], "21:25:00");
    assert_eq!((faulted.status, faulted.header("retry-after")), (503, Some("30")));
    assert_eq!(asked(&day, "/x", &[("q", "1")], "21:25:00").body, "{\"is\":\"c\"}");
    assert_eq!(asked(&day, "/x", &[], "21:30:00").body, "{\"is\":\"b\"}");
}

#[test]
fn validators_make_a_304_by_tag_or_else_by_date() {
    let headers = "\"headers\":{\"ETag\":\"\\\"v1\\\"\",\"Last-Modified\":\"Wed, 10 Jun 2026 21:00:00 GMT\"}";
    let day = archive(&line("21:00:00", "\"path\":\"/x\"", &format!("\"file\":\"a\",{headers}")));
    let status = |etag: Option<&str>, date: Option<&str>| {
        let held = Validators { etag: etag.map(str::to_owned), last_modified: date.map(str::to_owned) };
        day.answer_http("h.gov", "/x", &[], Some(&held), at("21:00:00")).status
    };
    assert_eq!(status(Some("\"v1\""), None), 304);
    assert_eq!(status(Some("\"v0\", W/\"v1\""), None), 304);
    assert_eq!(status(Some("\"v0\""), Some("Wed, 10 Jun 2026 22:00:00 GMT")), 200, "a tag outranks a date");
    assert_eq!(status(None, Some("Wed, 10 Jun 2026 21:00:00 GMT")), 304);
    assert_eq!(status(None, Some("Wed, 10 Jun 2026 20:59:59 GMT")), 200);
    assert_eq!(status(None, Some("yesterday")), 200);
    assert_eq!(status(None, None), 200);
}

#[test]
fn a_bucket_lists_and_gives_what_exists_at_the_instant() {
    let day = archive(
        &[
            object("21:04:00", "p/2", "\"file\":\"b\""),
            object("21:02:00", "p/1", "\"file\":\"a\""),
            object("21:06:00", "q/3", "\"file\":\"c\""),
            object("21:08:00", "p/1", "\"file\":\"c\""),
        ]
        .concat(),
    );
    let keys = |prefix: &str, after: Option<&str>, time: &str| match day.list_objects("bkt", prefix, after, at(time)) {
        ListAnswer::Objects(objects) => objects.into_iter().map(|object| object.key).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(keys("p/", None, "21:01:00"), Vec::<String>::new());
    assert_eq!(keys("p/", None, "21:02:00"), ["p/1"]);
    assert_eq!(keys("p/", None, "21:05:00"), ["p/1", "p/2"]);
    assert_eq!(keys("p/", Some("p/1"), "21:05:00"), ["p/2"]);
    assert_eq!(keys("", None, "21:06:00"), ["p/1", "p/2", "q/3"]);
    let ListAnswer::Objects(objects) = day.list_objects("bkt", "p/1", None, at("21:09:00")) else { panic!() };
    assert_eq!(objects[0].last_modified_utc, at("21:08:00"), "a replaced object is as old as its replacement");
    assert_eq!(day.get_object("bkt", "p/2", at("21:03:00")), ObjectAnswer::NoSuchKey);
    assert_eq!(day.get_object("bkt", "p/9", at("21:03:00")), ObjectAnswer::NoSuchKey);
    assert_eq!(day.get_object("other", "p/2", at("21:03:00")), ObjectAnswer::NoSuchBucket);
    assert_eq!(day.list_objects("other", "", None, at("21:03:00")), ListAnswer::NoSuchBucket);
    let ObjectAnswer::Object(answer) = day.get_object("bkt", "p/1", at("21:03:00")) else { panic!() };
    assert_eq!((answer.status, answer.body), (200, Bytes::from("{\"is\":\"a\"}")));
}

#[test]
fn a_listing_fault_stands_until_an_object_appears_there_or_the_bucket_is_named_again() {
    let day = archive(
        &[
            object("21:00:00", "p/1", "\"file\":\"a\""),
            object("21:00:00", "q/1", "\"file\":\"a\""),
            object("21:10:00", "p/", "\"list_fault\":\"status:503\""),
            object("21:20:00", "p/2", "\"file\":\"b\""),
            "{\"at\":\"2026-06-10T21:30:00Z\",\"s3\":{\"bucket\":\"bkt\"},\"list_fault\":\"timeout\"}\n".to_owned(),
            "{\"at\":\"2026-06-10T21:40:00Z\",\"s3\":{\"bucket\":\"bkt\"}}\n".to_owned(),
            object("21:50:00", "p/3", "\"file\":\"b\",\"list_fault\":\"empty\""),
        ]
        .concat(),
    );
    let fault = |prefix: &str, time: &str| match day.list_objects("bkt", prefix, None, at(time)) {
        ListAnswer::Objects(_) => None,
        ListAnswer::Faulted { fault, .. } => Some(fault),
        ListAnswer::NoSuchBucket => panic!(),
    };
    assert_eq!(fault("p/", "21:09:59"), None);
    assert_eq!(fault("p/", "21:10:00"), Some(UpstreamFault::Status(503)));
    assert_eq!(fault("p/2026", "21:10:00"), Some(UpstreamFault::Status(503)));
    assert_eq!(fault("q/", "21:10:00"), None);
    assert_eq!(fault("p/", "21:20:00"), None);
    assert_eq!(fault("q/", "21:30:00"), Some(UpstreamFault::Timeout));
    assert_eq!(fault("p/", "21:40:00"), None);
    assert_eq!(fault("p/", "21:50:00"), Some(UpstreamFault::Empty));
    assert_eq!(day.get_object("bkt", "p/", at("21:50:00")), ObjectAnswer::NoSuchKey, "a prefix is no object");
}

#[test]
fn a_broken_timeline_is_refused_with_its_line_before_anything_runs() {
    let good = line("21:00:00", "\"path\":\"/x\"", "\"file\":\"a\"");
    let x = |rest: &str| line("21:00:00", "\"path\":\"/x\"", rest);
    let cases = [
        (x("\"file\":\"gone\""), "timeline.jsonl:3: file \"gone\" is missing"),
        (x("\"file\":\"../a\""), "file \"../a\" leads out of the archive"),
        (x("\"file\":\"/etc/passwd\""), "leads out of the archive"),
        (x("\"file\":\".\""), "not a regular file"),
        (x("\"fault\":\"explode\""), "fault is \"explode\": known faults are status:NNN (200 to 599), timeout, reset,"),
        (x("\"fault\":\"status:99\""), "known faults are"),
        (x("\"fault\":\"slow:0\""), "known faults are"),
        (x("\"fault\":\"slow\""), "known faults are"),
        (x("\"list_fault\":\"timeout\""), "list_fault has no meaning on an http line"),
        (x("\"headers\":{}"), "names no file, status or fault"),
        (x("\"file\":\"a\",\"status\":20"), "status is \"20\": an HTTP status from 200 to 599 is needed"),
        (x("\"file\":\"a\",\"falut\":\"reset\""), "unknown field `falut`"),
        (x("\"file\":\"a\",\"headers\":{\"x\":\"a\\nb\"}"), "headers is"),
        (line("21:00:00", "\"path\":\"x\"", "\"file\":\"a\""), "path is \"x\""),
        (line("21:00:00", "\"path\":\"/x?a=b\"", "\"file\":\"a\""), "with the query apart"),
        (line("25:00:00", "\"path\":\"/x\"", "\"file\":\"a\""), "cannot be read"),
        ("{\"at\":\"2026-06-10T21:00:00Z\",\"file\":\"a\"}\n".to_owned(), "neither http nor s3"),
        (object("21:00:00", "", "\"file\":\"a\""), "an object needs a key"),
        (object("21:00:00", "k", "\"headers\":{}"), "names no file, status or fault"),
        ("{\"at\":\"2026-06-10T21:00".to_owned(), "cannot be read: EOF"),
    ];
    for (broken, expected) in cases {
        let error = Planted::new(&format!("{good}\n{broken}")).load().unwrap_err();
        assert!(matches!(error, ArchiveError::Line { line: 3, .. }), "{broken}: {error}");
        assert!(error.to_string().contains(expected), "{broken}: {error}");
    }
}

#[test]
fn a_broken_description_is_refused() {
    for (text, expected) in [
        ("name = \"x\"\nfrom = \"2026-06-10T21:00:00Z\"\n", "missing field `to`"),
        ("name = \"x\"\nfrom = \"yesterday\"\nto = \"2026-06-10T21:00:00Z\"\n", "from is \"yesterday\""),
        ("name = \"x\"\nfrom = \"2026-06-10T21:00:01Z\"\nto = \"2026-06-10T21:00:00Z\"\n", "lies before from"),
        ("name = \"x", "line 1"),
    ] {
        let planted = Planted::new("");
        std::fs::write(planted.0.path().join("archive.toml"), text).unwrap();
        let error = planted.load().unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("archive.toml"), "{error}");
    }
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(Archive::load(empty.path()), Err(ArchiveError::Unreadable { .. })));
}

fn get(path: &str) -> Get {
    Get {
        base_url: "https://h.gov".to_owned(),
        path: path.to_owned(),
        query: vec![("event".to_owned(), "Tornado Warning,Flood Watch".to_owned())],
        accept: "application/geo+json",
        body_bytes_max: 100_000,
        timeout: Duration::from_secs(10),
        held: None,
    }
}

fn bucket() -> Bucket {
    Bucket { name: "bkt".to_owned(), region: "us-east-1".to_owned(), endpoint_url: None }
}

/// Every fault, asked for in process under a paused clock: what the caller sees and how much virtual time it took.
#[tokio::test(start_paused = true)]
async fn every_fault_is_seen_as_a_live_client_would_see_it() {
    let big = "x".repeat(50_000);
    let faults = [
        "status:503",
        "timeout",
        "reset",
        "truncate:4",
        "truncate:99999",
        "garbage",
        "empty",
        "slow:10000",
        "slow:100",
        "html",
    ];
    let lines: String = faults
        .iter()
        .flat_map(|fault| {
            let (path, key) = (format!("\"path\":\"/{fault}\""), format!("k/{fault}"));
            let rest = format!("\"file\":\"big\",\"fault\":\"{fault}\"");
            [line("21:00:00", &path, &rest), object("21:00:00", &key, &rest)]
        })
        .collect();
    let planted = Planted::new("");
    std::fs::write(planted.0.path().join("timeline.jsonl"), lines).unwrap();
    std::fs::write(planted.0.path().join("big"), &big).unwrap();
    let clock = Clock::starting_at(at("21:00:00"), 1.0);
    let outside = ArchiveOutside::new(Arc::new(planted.load().unwrap()), clock);
    for fault in faults {
        let began = clock.now();
        let http = outside.get(&get(&format!("/{fault}"))).await.map(|got| match got {
            Got::Fresh { body, .. } => body,
            Got::NotModified => panic!("nothing was held"),
        });
        let http_took_s = clock.now().duration_since(began).as_secs_f64();
        let object = outside.object(&bucket(), &format!("k/{fault}"), 100_000, Duration::from_secs(10)).await;
        for (kind, seen) in [("http", http), ("s3", object)] {
            let as_expected = match fault {
                "status:503" => matches!(&seen, Err(OutsideError::Status { status: 503, .. })),
                "timeout" | "slow:100" => matches!(&seen, Err(OutsideError::Timeout { limit_s: 10, .. })),
                "reset" | "truncate:4" => matches!(&seen, Err(OutsideError::Broken { .. })),
                "garbage" => matches!(&seen, Ok(body) if body.len() == big.len() && *body != big),
                "empty" => matches!(&seen, Ok(body) if body.is_empty()),
                "html" => matches!(&seen, Err(OutsideError::WebPage { .. })),
                _ => matches!(&seen, Ok(body) if *body == big),
            };
            assert!(as_expected, "{kind} {fault}: {seen:?}");
        }
        let expected_s = match fault {
            "timeout" | "slow:100" => 10.0,
            "slow:10000" => 5.0,
            _ => 0.0,
        };
        assert!((http_took_s - expected_s).abs() < 0.1, "{fault} took {http_took_s} s");
    }
    let twice = [outside.get(&get("/garbage")).await, outside.get(&get("/garbage")).await];
    assert_eq!(twice[0], twice[1], "garbage is the same each time");
}

#[tokio::test(start_paused = true)]
async fn in_process_limits_and_absences_are_typed() {
    let held = "\"headers\":{\"ETag\":\"\\\"v1\\\"\",\"Retry-After\":\"Wed, 10 Jun 2026 21:02:00 GMT\"}";
    let day = archive(
        &[
            line("21:00:00", "\"path\":\"/x\"", &format!("\"file\":\"a\",{held}")),
            line("21:00:00", "\"path\":\"/busy\"", &format!("\"status\":429,{held}")),
            line("21:00:00", "\"path\":\"/slow\"", &format!("\"file\":\"a\",\"fault\":\"slow:1\",{held}")),
            object("21:00:00", "p/1", "\"file\":\"a\""),
            object("21:00:00", "p/2", "\"file\":\"a\""),
            object("21:00:00", "listed/1", "\"file\":\"a\",\"list_fault\":\"html\""),
            object("21:00:00", "spoiled/1", "\"file\":\"a\",\"list_fault\":\"garbage\""),
            object("21:00:00", "denied/1", "\"fault\":\"status:403\",\"list_fault\":\"status:403\""),
        ]
        .concat(),
    );
    let outside = ArchiveOutside::new(Arc::new(day), Clock::starting_at(at("21:00:00"), 1.0));
    let Got::Fresh { validators, .. } = outside.get(&get("/x")).await.unwrap() else { panic!() };
    let conditional = Get { held: Some(validators), ..get("/x") };
    assert_eq!(outside.get(&conditional).await, Ok(Got::NotModified));
    let slow = Get { held: conditional.held.clone(), ..get("/slow") };
    assert_eq!(outside.get(&slow).await, Ok(Got::NotModified), "nothing of it is slow to come");
    let busy = outside.get(&get("/busy")).await.unwrap_err();
    assert_eq!(busy.retry_after(), Some(Duration::from_secs(120)));
    let small = Get { body_bytes_max: 3, ..get("/x") };
    assert!(matches!(outside.get(&small).await, Err(OutsideError::TooLarge { limit_bytes: 3, .. })));
    let limit = Duration::from_secs(1);
    assert!(matches!(outside.object(&bucket(), "p/1", 3, limit).await, Err(OutsideError::TooLarge { .. })));
    assert!(matches!(
        outside.object(&bucket(), "p/9", 30, limit).await,
        Err(OutsideError::Absent { what: "object", .. })
    ));
    let elsewhere = Bucket { name: "other".to_owned(), ..bucket() };
    assert!(matches!(
        outside.object(&elsewhere, "p/1", 30, limit).await,
        Err(OutsideError::Absent { what: "bucket", .. })
    ));
    assert!(matches!(outside.list(&elsewhere, "", None, 9).await, Err(OutsideError::Absent { what: "bucket", .. })));
    assert_eq!(outside.list(&bucket(), "p/", None, 9).await.unwrap().len(), 2);
    assert_eq!(outside.list(&bucket(), "p/", None, 1).await.unwrap()[0].key, "p/1");
    assert!(matches!(outside.list(&bucket(), "listed/", None, 9).await, Err(OutsideError::WebPage { .. })));
    assert!(matches!(outside.list(&bucket(), "spoiled/", None, 9).await, Err(OutsideError::Broken { .. })));
    assert!(matches!(outside.list(&bucket(), "denied/", None, 9).await, Err(OutsideError::Status { status: 403, .. })));
    assert!(matches!(outside.get(&get("/nowhere")).await, Err(OutsideError::Status { status: 404, .. })));
}

/// A day that was recorded from some upstreams alone says so; one that says nothing holds them all.
#[test]
fn a_day_says_which_sources_it_holds() {
    let whole = Planted::new("");
    assert_eq!(whole.load().unwrap().sources, None);
    std::fs::write(whole.0.path().join("archive.toml"), format!("{HEAD}sources = [\"mrms\"]\n")).unwrap();
    assert_eq!(whole.load().unwrap().sources, Some(vec!["mrms".to_owned()]));
    std::fs::write(whole.0.path().join("archive.toml"), format!("{HEAD}sources = \"mrms\"\n")).unwrap();
    assert!(matches!(whole.load(), Err(ArchiveError::Description { .. })));
}
