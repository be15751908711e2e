//! What the live way out spares the upstreams and itself: few requests at once, one per resource, capped bodies.

use crate::upstreams::{LIMIT, ask, body_of, bucket, kind, live};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::get;
use futures_util::StreamExt;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use stormbell::outside::live::LiveOutside;
use stormbell::outside::{Get, Got, Outside, OutsideError};

/// Counts what reaches it: requests in all, at once, and most at once.
#[derive(Clone, Default)]
struct Counts(Arc<[AtomicUsize; 3]>);

impl Counts {
    fn total(&self) -> usize {
        self.0[0].load(Ordering::SeqCst)
    }

    fn most_at_once(&self) -> usize {
        self.0[2].load(Ordering::SeqCst)
    }
}

async fn counted(State(counts): State<Counts>, headers: HeaderMap) -> String {
    let [total, at_once, most] = &*counts.0;
    total.fetch_add(1, Ordering::SeqCst);
    most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(500)).await;
    at_once.fetch_sub(1, Ordering::SeqCst);
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    format!("{}|{}|{}", text("user-agent"), text("accept"), text("accept-encoding"))
}

async fn open(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

async fn counting(counts: &Counts) -> String {
    open(Router::new().fallback(get(counted)).with_state(counts.clone())).await
}

async fn all(live: &Arc<LiveOutside>, requests: Vec<Get>) -> Vec<Result<Got, OutsideError>> {
    let tasks: Vec<_> = requests
        .into_iter()
        .map(|request| {
            let live = Arc::clone(live);
            tokio::spawn(async move { live.get(&request).await })
        })
        .collect();
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.unwrap());
    }
    results
}

#[tokio::test]
async fn one_host_sees_at_most_four_at_once_and_all_hosts_at_most_eight() {
    let (live, counts) = (Arc::new(live()), Counts::default());
    let base = counting(&counts).await;
    let got = all(&live, (0..13).map(|number| ask(&base, &format!("/{number}"))).collect()).await;
    assert!(got.iter().all(Result::is_ok), "{got:?}");
    assert_eq!((counts.total(), counts.most_at_once()), (13, 4));

    let counts = Counts::default();
    let bases = [counting(&counts).await, counting(&counts).await, counting(&counts).await];
    let requests = (0..15).map(|number| ask(&bases[number % 3], &format!("/{number}"))).collect();
    let got = all(&live, requests).await;
    assert!(got.iter().all(Result::is_ok), "{got:?}");
    assert_eq!((counts.total(), counts.most_at_once()), (15, 8));
}

#[tokio::test]
async fn however_many_ask_the_upstream_is_asked_once() {
    let (live, counts) = (Arc::new(live()), Counts::default());
    let base = counting(&counts).await;
    let leader = tokio::spawn({
        let (live, request) = (Arc::clone(&live), ask(&base, "/same"));
        async move { live.get(&request).await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let followers = tokio::spawn({
        let (live, request) = (Arc::clone(&live), ask(&base, "/same"));
        async move { all(&live, vec![request; 20]).await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    leader.abort();
    let got = followers.await.unwrap();
    assert_eq!(counts.total(), 1);
    let Ok(Got::Fresh { body, .. }) = &got[0] else { panic!("{got:?}") };
    let said = String::from_utf8_lossy(body);
    assert!(said.starts_with("stormbell/") && said.contains("(test@example.org)|application/geo+json|"), "{said}");
    assert!(said.contains("gzip"), "{said}");
    assert!(got.iter().all(|one| one == &got[0]));
    live.get(&ask(&base, "/same")).await.unwrap();
    assert_eq!(counts.total(), 2, "who comes later asks anew");
}

#[tokio::test]
async fn a_compressed_body_is_capped_by_its_decoded_size() {
    let mut zipped = vec![0; 1 << 20];
    let plain = vec![b' '; 8 << 20];
    let length = libdeflater::Compressor::new(libdeflater::CompressionLvl::default())
        .gzip_compress(&plain, &mut zipped)
        .unwrap();
    zipped.truncate(length);
    assert!(zipped.len() < 100_000);
    let answer = move || async move { ([("content-encoding", "gzip"), ("content-type", "application/json")], zipped) };
    let base = open(Router::new().fallback(get(answer))).await;
    let live = live();
    let capped = live.get(&ask(&base, "/bomb")).await;
    assert!(matches!(capped, Err(OutsideError::TooLarge { .. })), "{capped:?}");
    let roomy = Get { body_bytes_max: 8 << 20, ..ask(&base, "/bomb") };
    assert_eq!(body_of(&live, &roomy).await.unwrap().len(), 8 << 20);
}

#[tokio::test]
async fn a_listing_without_end_is_given_up() {
    let endless = || async {
        let page = "<ListBucketResult><Contents><Key>".to_owned() + &"k".repeat(1 << 16);
        let pages = futures_util::stream::repeat(page).map(Ok::<_, Infallible>);
        ([("content-type", "application/xml")], Body::from_stream(pages))
    };
    let base = open(Router::new().fallback(get(endless))).await;
    let listed = live().list(&bucket("bkt", Some(&base)), "p/", None, 10).await;
    assert!(matches!(listed, Err(OutsideError::TooLarge { .. })), "{listed:?}");
    let object = live().object(&bucket("bkt", Some(&base)), "k", 1 << 20, LIMIT).await;
    assert!(matches!(object, Err(OutsideError::TooLarge { .. })), "{object:?}");
    let body = live().get(&Get { accept: "application/xml", ..ask(&base, "/x") }).await;
    assert!(matches!(body, Err(OutsideError::TooLarge { .. })), "{body:?}");
}

#[tokio::test]
async fn redirects_stay_on_their_host() {
    let elsewhere = Counts::default();
    let other = counting(&elsewhere).await;
    let to_other = move || async move { (StatusCode::FOUND, [("location", other)]).into_response() };
    let to_same = || async { (StatusCode::MOVED_PERMANENTLY, [("location", "/points/40.52,-92.9")]) };
    let round = || async { (StatusCode::FOUND, [("location", "/round")]) };
    let router = Router::new()
        .route("/other", get(to_other))
        .route("/points/40.520,-92.900", get(to_same))
        .route("/points/40.52,-92.9", get(|| async { "{}" }))
        .route("/round", get(round));
    let base = open(router).await;
    let live = live();
    assert_eq!(body_of(&live, &ask(&base, "/points/40.520,-92.900")).await.unwrap(), b"{}");
    let refused = live.get(&ask(&base, "/other")).await.unwrap_err();
    assert!(refused.to_string().contains("redirected to another host"), "{refused}");
    assert_eq!(elsewhere.total(), 0);
    let refused = live.get(&ask(&base, "/round")).await.unwrap_err();
    assert!(refused.to_string().contains("redirected too often"), "{refused}");
}

#[tokio::test]
async fn nobody_there_is_a_broken_connection() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let root = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let live = live();
    assert_eq!(kind(&body_of(&live, &ask(&root, "/x")).await), "broken");
    let there = bucket("bkt", Some(&format!("{root}/s3")));
    assert_eq!(kind(&live.object(&there, "k", 100, LIMIT).await), "broken");
    assert!(matches!(live.list(&there, "k", None, 100).await, Err(OutsideError::Broken { .. })));
    assert_eq!(kind(&body_of(&live, &ask("nonsense", "/x")).await), "broken");
}
