//! The HTTP door from outside, with a plain HTTP client: who gets in, how many, and what a refused one learns.

use crate::fake_desk::{FakeDesk, at, door};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use std::net::SocketAddr;
use stormbell::mcp::http::{BODY_BYTES_MAX, BODY_PART_WITHIN, Callers, HttpError, HttpOptions, listen, router, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

struct Served {
    addr: SocketAddr,
    stop: CancellationToken,
    done: tokio::task::JoinHandle<Result<(), HttpError>>,
    client: Client,
}

fn options() -> HttpOptions {
    HttpOptions { bind: "127.0.0.1:0".parse().unwrap(), ..HttpOptions::default() }
}

async fn served(options: HttpOptions) -> Served {
    let desk = FakeDesk::new(at("2026-06-10T21:32:00Z"));
    let stop = CancellationToken::new();
    let listener = listen(&options, false).await.unwrap();
    let addr = listener.local_addr().unwrap();
    let routes = router(door(&desk), Callers::local_only(), &options, stop.clone()).unwrap();
    let done = tokio::spawn(serve(listener, routes, stop.clone()));
    Served { addr, stop, done, client: Client::new() }
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}})
}

impl Served {
    async fn post(&self, headers: &[(&str, &str)], body: &Value) -> Response {
        let url = format!("http://{}/mcp", self.addr);
        let mut request = self.client.post(url).header("accept", "application/json, text/event-stream").json(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    async fn open(&self) -> String {
        let response = self.post(&[], &initialize()).await;
        assert_eq!(response.status(), 200);
        let id = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.post(&[("mcp-session-id", &id)], &ready).await.status(), 202);
        id
    }

    async fn list_status(&self, id: &str) -> u16 {
        let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
        self.post(&[("mcp-session-id", id)], &list).await.status().as_u16()
    }

    /// The standalone stream on which notifications come.
    async fn stream(&self, id: &str) -> Response {
        let url = format!("http://{}/mcp", self.addr);
        let request = self.client.get(url).header("accept", "text/event-stream").header("mcp-session-id", id);
        request.send().await.unwrap()
    }
}

#[tokio::test]
async fn a_session_opens_asks_and_closes() {
    let served = served(options()).await;
    let id = served.open().await;
    let call = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": {"name": "get_threat_brief", "arguments": {"lat": 40.52, "lon": -92.9}}});
    let body = served.post(&[("mcp-session-id", &id)], &call).await.text().await.unwrap();
    assert!(body.contains("threat_level") && body.contains("Informational only."), "{body}");
    let url = format!("http://{}/mcp", served.addr);
    let closed = served.client.delete(url).header("mcp-session-id", &id).send().await.unwrap();
    assert_eq!(closed.status(), 204, "done, not merely accepted: clients warn of that");
    assert_eq!(served.list_status(&id).await, 404);
}

#[tokio::test]
async fn params_that_are_none_are_told_from_methods_that_are_none() {
    let served = served(options()).await;
    let id = served.open().await;
    let asked = async |method: &str, params: Value| {
        let call = json!({"jsonrpc": "2.0", "id": 3, "method": method, "params": params});
        served.post(&[("mcp-session-id", &id)], &call).await.text().await.unwrap()
    };
    let body = asked("tools/call", json!({"name": "get_threat_brief", "arguments": [40.52, -92.9]})).await;
    assert!(body.contains("-32602") && body.contains("arguments") && body.contains("an object"), "{body}");
    let body = asked("prompts/get", json!({})).await;
    assert!(body.contains("-32602") && body.contains("the name of a prompt"), "{body}");
    let body = asked("tools/cull", json!({})).await;
    assert!(body.contains("-32601") && body.contains("tools/cull"), "{body}");
}

/// C02, C08
#[tokio::test]
async fn an_unknown_session_is_404_and_may_start_again() {
    let served = served(options()).await;
    let live = served.open().await;
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let gone = served.post(&[("mcp-session-id", "from-before-the-restart")], &list).await;
    assert_eq!(gone.status(), 404);
    let body = gone.text().await.unwrap();
    assert!(!body.contains(&live) && !body.contains("from-before-the-restart"), "{body}");
    let again = served.post(&[("mcp-session-id", "from-before-the-restart")], &initialize()).await;
    assert_eq!(again.status(), 200);
    let fresh = again.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    assert!(fresh != "from-before-the-restart" && fresh != live);
}

/// C04
#[tokio::test]
async fn strange_hosts_and_origins_are_refused() {
    let served = served(options()).await;
    let port = served.addr.port();
    for host in ["0.0.0.0".into(), format!("0.0.0.0:{port}"), "evil.example".into(), format!("evil.example:{port}")] {
        assert_eq!(served.post(&[("host", &host)], &initialize()).await.status(), 403, "{host}");
    }
    for host in [format!("localhost:{port}"), format!("[::1]:{port}"), "127.0.0.1".into()] {
        assert_eq!(served.post(&[("host", &host)], &initialize()).await.status(), 200, "{host}");
    }
    for origin in ["https://evil.example", "null", "http://127.0.0.1.evil.example"] {
        assert_eq!(served.post(&[("origin", origin)], &initialize()).await.status(), 403, "{origin}");
    }
    for origin in ["http://localhost:5173", "http://127.0.0.1"] {
        assert_eq!(served.post(&[("origin", origin)], &initialize()).await.status(), 200, "{origin}");
    }
}

#[tokio::test]
async fn hosts_and_origins_can_be_added_but_never_any_address() {
    let mut wider = options();
    wider.allowed_hosts = vec!["bell.example".into()];
    wider.allowed_origins = vec!["https://bell.example:443".into()];
    let served = served(wider).await;
    let headers = [("host", "bell.example"), ("origin", "https://bell.example")];
    assert_eq!(served.post(&headers, &initialize()).await.status(), 200);
    assert_eq!(served.post(&[("host", "0.0.0.0")], &initialize()).await.status(), 403);
    for host in ["0.0.0.0", "0.0.0.0:8741", "[::]", "::", "*", ""] {
        let desk = FakeDesk::new(at("2026-06-10T21:32:00Z"));
        let options = HttpOptions { allowed_hosts: vec![host.into()], ..options() };
        let refused = router(door(&desk), Callers::local_only(), &options, CancellationToken::new());
        assert!(matches!(refused, Err(HttpError::Host(_))), "{host:?}");
    }
}

#[tokio::test]
async fn an_address_that_others_can_reach_is_bound_only_where_somebody_has_a_token() {
    let open = HttpOptions { bind: "0.0.0.0:0".parse().unwrap(), ..options() };
    assert!(listen(&open, true).await.is_ok());
    for bind in ["0.0.0.0:0", "[::]:0", "192.0.2.7:0"] {
        let options = HttpOptions { bind: bind.parse().unwrap(), ..options() };
        let error = listen(&options, false).await.unwrap_err();
        assert!(error.to_string().contains("stormbell owner add"), "{error}");
    }
}

#[tokio::test]
async fn bodies_are_capped_and_other_paths_are_nothing() {
    let served = served(options()).await;
    let id = served.open().await;
    let mut large = initialize();
    large["params"]["clientInfo"]["name"] = json!("x".repeat(BODY_BYTES_MAX));
    assert_eq!(served.post(&[], &large).await.status(), 413);
    assert_eq!(served.post(&[("mcp-session-id", &id)], &large).await.status(), 413);
    let root = served.client.get(format!("http://{}/", served.addr)).send().await.unwrap();
    assert_eq!(root.status(), 404);
    assert_eq!(served.list_status(&id).await, 200);
}

#[tokio::test]
async fn the_least_recently_used_session_without_a_stream_makes_room() {
    let mut small = options();
    small.sessions_max = 2;
    let served = served(small).await;
    let (watching, idle) = (served.open().await, served.open().await);
    let stream = served.stream(&watching).await;
    assert_eq!(stream.status(), 200);
    assert_eq!(served.list_status(&idle).await, 200);
    // The watching one was used longest ago, but holds a stream open.
    let third = served.open().await;
    assert_eq!([served.list_status(&watching).await, served.list_status(&idle).await], [200, 404]);
    let stream_3 = served.stream(&third).await;
    let refused = served.post(&[], &initialize()).await;
    assert_eq!((refused.status().as_u16(), refused.headers().contains_key("retry-after")), (503, true));
    drop((stream, stream_3));
}

#[tokio::test]
async fn open_streams_end_when_the_service_stops() {
    let served = served(options()).await;
    let id = served.open().await;
    let stream = served.stream(&id).await;
    assert_eq!(stream.status(), 200);
    served.stop.cancel();
    let limit = std::time::Duration::from_secs(10);
    tokio::time::timeout(limit, stream.bytes()).await.expect("the stream ends").ok();
    tokio::time::timeout(limit, served.done).await.expect("the server ends").unwrap().unwrap();
}

/// The clock of this test runs ahead while nothing happens.
#[tokio::test(start_paused = true)]
async fn half_a_body_is_not_waited_for_without_end() {
    let served = served(options()).await;
    let mut stream = tokio::net::TcpStream::connect(served.addr).await.unwrap();
    let json = "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: 1000";
    let half = format!("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n{json}\r\n\r\n{{\"jsonrpc\"");
    stream.write_all(half.as_bytes()).await.unwrap();
    let mut answer = vec![0; 64];
    let read = tokio::time::timeout(10 * BODY_PART_WITHIN, stream.read(&mut answer)).await;
    let answer = String::from_utf8_lossy(&answer[..read.expect("left waiting").unwrap()]).into_owned();
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
}
