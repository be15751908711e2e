//! A recorded day over loopback TCP, as a real HTTP and S3 endpoint for real clients, faults and all.
//!
//! `http://127.0.0.1:PORT/<host>/<path>` stands for `https://<host>/<path>`; `http://127.0.0.1:PORT/s3` is the endpoint
//! of every recorded bucket, path style. Never reachable from another machine.

use super::Validators;
use super::answer::{http_date, read_range};
use super::archive::{Archive, ArchiveAnswer, ListAnswer, ListedObject, ObjectAnswer, OnWire, error_xml, list_xml};
use crate::clock::Clock;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use percent_encoding::percent_decode_str;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Keys in one page of a listing: S3's own limit.
const PAGE_KEYS_MAX: usize = 1000;
/// How long a hanging upstream keeps a connection: longer than any client waits.
const HANG: Duration = Duration::from_secs(600);
/// A paced body is sent in this many pieces a second.
const PIECES_PER_S: u64 = 10;
/// Requests in the making at once, hanging ones included: far more than stormbell's own eight.
const REQUESTS_MAX: usize = 256;
/// What a broken answer promises if there is no body to break off.
const PROMISED_BYTES: usize = 4096;

/// A recorded day and the time it is asked at.
#[derive(Clone)]
struct Served {
    archive: Arc<Archive>,
    clock: Clock,
    places: Arc<Semaphore>,
}

/// Opens the endpoint on loopback (`port` 0 takes a free one). The future serves until it is dropped.
pub async fn serve(
    archive: Arc<Archive>,
    clock: Clock,
    port: u16,
) -> io::Result<(SocketAddr, impl Future<Output = io::Result<()>> + Send)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    let served = Served { archive, clock, places: Arc::new(Semaphore::new(REQUESTS_MAX)) };
    let router = Router::new().fallback(answer).with_state(served);
    Ok((address, async move { axum::serve(listener, router).await }))
}

async fn answer(State(served): State<Served>, request: Request) -> Response {
    let Ok(_place) = served.places.try_acquire() else { return status_only(StatusCode::SERVICE_UNAVAILABLE) };
    let date = http_date(served.clock.now());
    let mut response = if matches!(*request.method(), Method::GET | Method::HEAD) {
        let answer = recorded(&served, &request);
        let range = request.headers().get(header::RANGE).and_then(|value| value.to_str().ok()).and_then(read_range);
        let answer = match range {
            Some(range) => answer.ranged(range),
            None => answer,
        };
        if answer.on_wire == OnWire::Hang {
            served.clock.sleep(HANG).await;
        }
        on_wire(answer, served.clock)
    } else {
        status_only(StatusCode::METHOD_NOT_ALLOWED)
    };
    // The day's time, not the machine's: a `Retry-After` date is held against it.
    if let Ok(date) = date.try_into() {
        response.headers_mut().entry(header::DATE).or_insert(date);
    }
    response
}

/// Finds the answer: the first segment of the path is the upstream.
fn recorded(served: &Served, request: &Request) -> ArchiveAnswer {
    let path = request.uri().path();
    let query = query_of(request);
    let rest = path.strip_prefix('/').unwrap_or(path);
    let (upstream, below) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if upstream != "s3" {
        let path = if below.is_empty() { "/" } else { below };
        let held = validators(request.headers());
        return served.archive.answer_http(upstream, path, &query, held.as_ref(), served.clock.now());
    }
    let below = below.strip_prefix('/').unwrap_or(below);
    let (bucket, key) = below.split_once('/').unwrap_or((below, ""));
    let key = percent_decode_str(key).decode_utf8_lossy();
    if key.is_empty() {
        return listing(served, bucket, &query);
    }
    let resource = format!("/{bucket}/{key}");
    match served.archive.get_object(bucket, &key, served.clock.now()) {
        ObjectAnswer::Object(answer) => answer,
        ObjectAnswer::NoSuchKey => error_xml(404, "NoSuchKey", &resource),
        ObjectAnswer::NoSuchBucket => error_xml(404, "NoSuchBucket", &resource),
    }
}

fn query_of(request: &Request) -> Vec<(String, String)> {
    // The parser wants a whole address; only its query is read.
    let text = format!("http://localhost/?{}", request.uri().query().unwrap_or_default());
    let Ok(url) = reqwest::Url::parse(&text) else { return Vec::new() };
    url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

fn validators(headers: &HeaderMap) -> Option<Validators> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let held = Validators { etag: text(header::IF_NONE_MATCH), last_modified: text(header::IF_MODIFIED_SINCE) };
    (held != Validators::default()).then_some(held)
}

/// One page of ListObjectsV2.
fn listing(served: &Served, bucket: &str, query: &[(String, String)]) -> ArchiveAnswer {
    let asked = |name: &str| query.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str());
    if asked("list-type") != Some("2") {
        return error_xml(501, "NotImplemented", bucket);
    }
    let prefix = asked("prefix").unwrap_or_default();
    // The token is the last name sent: a client must not read it, so it may be as plain as that.
    let after = asked("continuation-token").or_else(|| asked("start-after"));
    let max_keys = match asked("max-keys").map(str::parse::<usize>) {
        None => PAGE_KEYS_MAX,
        Some(Ok(max_keys)) => max_keys.min(PAGE_KEYS_MAX),
        Some(Err(_)) => return error_xml(400, "InvalidArgument", bucket),
    };
    let page = |objects: &[ListedObject]| {
        let delimiter = asked("delimiter").filter(|delimiter| !delimiter.is_empty());
        let page = Page::cut(objects, prefix, delimiter, after, max_keys);
        let next = page.next.as_deref();
        list_xml(bucket, prefix, max_keys, &page.objects, &page.common_prefixes, next)
    };
    match served.archive.list_objects(bucket, prefix, None, served.clock.now()) {
        ListAnswer::NoSuchBucket => error_xml(404, "NoSuchBucket", bucket),
        ListAnswer::Objects(objects) => ArchiveAnswer::xml(page(&objects)),
        ListAnswer::Faulted { fault, seed, objects } => ArchiveAnswer::xml(page(&objects)).with_fault(fault, seed),
    }
}

/// What one page holds: keys and, with a delimiter, the folders that stand for the keys below them.
struct Page {
    objects: Vec<ListedObject>,
    common_prefixes: Vec<String>,
    next: Option<String>,
}

impl Page {
    fn cut(
        objects: &[ListedObject],
        prefix: &str,
        delimiter: Option<&str>,
        after: Option<&str>,
        max_keys: usize,
    ) -> Self {
        let mut page = Self { objects: Vec::new(), common_prefixes: Vec::new(), next: None };
        let mut last: Option<String> = None;
        for object in objects {
            let below = object.key.get(prefix.len()..).unwrap_or_default();
            let folder = delimiter.and_then(|delimiter| {
                let end = below.find(delimiter)?.checked_add(delimiter.len())?;
                Some(format!("{prefix}{}", below.get(..end)?))
            });
            let name = folder.as_deref().unwrap_or(&object.key);
            let passed = after.is_some_and(|after| name <= after) || last.as_deref() == Some(name);
            if passed {
                continue;
            }
            if page.objects.len() + page.common_prefixes.len() >= max_keys {
                page.next = last.filter(|_| max_keys > 0);
                return page;
            }
            last = Some(name.to_owned());
            match folder {
                Some(folder) => page.common_prefixes.push(folder),
                None => page.objects.push(object.clone()),
            }
        }
        page
    }
}

/// Sends `answer` as it is to arrive.
fn on_wire(answer: ArchiveAnswer, clock: Clock) -> Response {
    let mut builder = Response::builder().status(answer.status);
    for (name, value) in &answer.headers {
        // Ours alone: a recorded length or coding could contradict the bytes that are sent.
        let coding = name == "content-encoding" && !answer.is_gzip();
        if !coding && !matches!(name.as_str(), "content-length" | "transfer-encoding" | "connection") {
            builder = builder.header(name, value);
        }
    }
    let body = answer.body;
    let response = match answer.on_wire {
        OnWire::Whole => builder.body(Body::from(body)),
        OnWire::Paced { bytes_per_s } => {
            let piece = usize::try_from((bytes_per_s / PIECES_PER_S).max(1)).unwrap_or(usize::MAX);
            let wait = Duration::from_secs_f64(piece as f64 / bytes_per_s.max(1) as f64);
            let length = body.len();
            let pieces = stream::unfold(body, move |mut left| async move {
                if left.is_empty() {
                    return None;
                }
                clock.sleep(wait).await;
                let sent = left.split_to(piece.min(left.len()));
                Some((Ok::<_, Infallible>(sent), left))
            });
            builder.header(header::CONTENT_LENGTH, length).body(Body::from_stream(pieces))
        }
        OnWire::Cut { after_bytes } => broken_off(builder, body, after_bytes),
        OnWire::Reset | OnWire::Hang => {
            let body = if body.is_empty() { Bytes::from(vec![b' '; PROMISED_BYTES]) } else { body };
            let half = body.len() / 2;
            broken_off(builder, body, half)
        }
    };
    response.unwrap_or_else(|_| status_only(StatusCode::INTERNAL_SERVER_ERROR))
}

/// Promises the whole of `body`, sends its first bytes, and drops the connection.
fn broken_off(
    builder: axum::http::response::Builder,
    body: Bytes,
    after_bytes: usize,
) -> Result<Response, axum::http::Error> {
    let builder = builder.header(header::CONTENT_LENGTH, body.len());
    let sent = body.slice(..after_bytes.min(body.len()));
    let end = io::Error::new(io::ErrorKind::ConnectionReset, "the recorded day breaks off here");
    builder.body(Body::from_stream(stream::iter([Ok(sent), Err(end)])))
}

fn status_only(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
