//! Bearer tokens at the HTTP door: who is who, what a refused caller learns, and that a session is its owner's alone.

use crate::fake_desk::{FakeDesk, at, door};
use async_trait::async_trait;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use stormbell::desk::DeskError;
use stormbell::desk::accounts::{Accounts, LinkedAddress, NewBrowser};
use stormbell::desk::tries::WRONG_TOKENS_MAX;
use stormbell::mcp::http::{Callers, HttpOptions, listen, router, serve};
use stormbell::notice::{Address, AddressProof, Browser, Owner};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

const ANNA: &str = "token-of-anna";
const BOB: &str = "token-of-bob";

/// Owners by token; the rest is not asked here.
struct FakeAccounts {
    owners: Mutex<Vec<(&'static str, Owner)>>,
    revoked: broadcast::Sender<String>,
}

impl FakeAccounts {
    fn new() -> Arc<Self> {
        let owner = |id: &str| Owner {
            id: id.into(),
            name: id.into(),
            token_sha256: String::new(),
            created_utc: at("2026-06-10T21:00:00Z"),
            revoked_utc: None,
        };
        let owners = Mutex::new(vec![(ANNA, owner("ow_anna")), (BOB, owner("ow_bob"))]);
        Arc::new(Self { owners, revoked: broadcast::channel(4).0 })
    }

    fn revoke(&self, token: &str) {
        let mut owners = self.owners.lock().unwrap();
        let place = owners.iter().position(|(known, _)| *known == token).unwrap();
        let (_, owner) = owners.remove(place);
        self.revoked.send(owner.id).unwrap();
    }
}

#[async_trait]
impl Accounts for FakeAccounts {
    async fn owner_of_token(&self, token: &str) -> Result<Option<Owner>, DeskError> {
        let owners = self.owners.lock().unwrap();
        Ok(owners.iter().find(|(known, _)| *known == token).map(|(_, owner)| owner.clone()))
    }

    async fn addresses(&self, _: &str) -> Result<Vec<AddressProof>, DeskError> {
        unimplemented!()
    }

    async fn prove_by_code(&self, _: &str, _: &Address, _: &str) -> Result<bool, DeskError> {
        unimplemented!()
    }

    async fn confirmation(&self, _: &str) -> Result<Option<LinkedAddress>, DeskError> {
        unimplemented!()
    }

    async fn prove_by_link(&self, _: &str) -> Result<Option<LinkedAddress>, DeskError> {
        unimplemented!()
    }

    async fn unsubscription(&self, _: &str) -> Result<Option<LinkedAddress>, DeskError> {
        unimplemented!()
    }

    async fn unsubscribe(&self, _: &str) -> Result<Option<LinkedAddress>, DeskError> {
        unimplemented!()
    }

    async fn browsers(&self, _: &str) -> Result<Vec<Browser>, DeskError> {
        unimplemented!()
    }

    async fn add_browser(&self, _: &str, _: NewBrowser) -> Result<Browser, DeskError> {
        unimplemented!()
    }

    async fn remove_browser(&self, _: &str, _: &str) -> Result<bool, DeskError> {
        unimplemented!()
    }

    fn vapid_public_key(&self) -> Option<String> {
        None
    }

    fn revoked(&self) -> broadcast::Receiver<String> {
        self.revoked.subscribe()
    }
}

struct Served {
    addr: SocketAddr,
    client: Client,
    accounts: Arc<FakeAccounts>,
    _stop: tokio_util::sync::DropGuard,
}

async fn served(local_without_token: bool, sessions_max: usize) -> Served {
    let desk = FakeDesk::new(at("2026-06-10T21:32:00Z"));
    let accounts = FakeAccounts::new();
    let stop = CancellationToken::new();
    let bind = "127.0.0.1:0".parse().unwrap();
    let options = HttpOptions { bind, sessions_max, ..HttpOptions::default() };
    let listener = listen(&options, true).await.unwrap();
    let addr = listener.local_addr().unwrap();
    let callers = Callers::with_tokens(Arc::clone(&accounts) as Arc<dyn Accounts>, local_without_token);
    let routes = router(door(&desk), callers, &options, stop.clone()).unwrap();
    tokio::spawn(serve(listener, routes, stop.clone()));
    Served { addr, client: Client::new(), accounts, _stop: stop.drop_guard() }
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}})
}

fn list() -> Value {
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
}

impl Served {
    async fn post(&self, token: Option<&str>, session: Option<&str>, body: &Value) -> Response {
        let url = format!("http://{}/mcp", self.addr);
        let mut request = self.client.post(url).header("accept", "application/json, text/event-stream").json(body);
        if let Some(token) = token {
            request = request.header("authorization", token);
        }
        if let Some(session) = session {
            request = request.header("mcp-session-id", session);
        }
        request.send().await.unwrap()
    }

    async fn open(&self, token: Option<&str>) -> String {
        let response = self.post(token, None, &initialize()).await;
        assert_eq!(response.status(), 200);
        let id = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.post(token, Some(&id), &ready).await.status(), 202);
        id
    }

    async fn stream(&self, token: &str, session: &str) -> Response {
        let url = format!("http://{}/mcp", self.addr);
        let request = self.client.get(url).header("accept", "text/event-stream").header("authorization", token);
        request.header("mcp-session-id", session).send().await.unwrap()
    }
}

fn of(token: &str) -> String {
    format!("Bearer {token}")
}

#[tokio::test]
async fn without_a_right_token_nobody_gets_in_and_is_told_what_is_missing() {
    let served = served(false, 4).await;
    let cases = [
        (None, "Bearer realm=\"stormbell\""),
        (Some("Bearer wrong"), "Bearer realm=\"stormbell\", error=\"invalid_token\""),
        (Some("Bearer "), "Bearer realm=\"stormbell\", error=\"invalid_token\""),
        (Some("Basic dG9rZW4tb2YtYW5uYQ=="), "Bearer realm=\"stormbell\", error=\"invalid_token\""),
        (Some(ANNA), "Bearer realm=\"stormbell\", error=\"invalid_token\""),
    ];
    for (token, challenge) in cases {
        let refused = served.post(token, None, &initialize()).await;
        assert_eq!(refused.status(), 401, "{token:?}");
        assert_eq!(refused.headers()["www-authenticate"], challenge, "{token:?}");
        let body: Value = refused.json().await.unwrap();
        assert_eq!(body["error"]["kind"], "unauthorized");
        assert!(body["error"]["hint"].as_str().unwrap().contains("stormbell owner add"), "{body}");
    }
    for right in [of(ANNA), format!("bearer  {ANNA}"), format!("BEARER {ANNA} ")] {
        assert_eq!(served.post(Some(&right), None, &initialize()).await.status(), 200, "{right}");
    }
}

#[tokio::test]
async fn on_loopback_without_a_token_it_is_the_local_owner_and_a_wrong_one_is_nobody() {
    let served = served(true, 4).await;
    let local = served.open(None).await;
    assert_eq!(served.post(Some("Bearer wrong"), None, &initialize()).await.status(), 401);
    assert_eq!(served.post(Some(&of(ANNA)), Some(&local), &list()).await.status(), 404, "not her session");
    assert_eq!(served.post(None, Some(&local), &list()).await.status(), 200);
}

#[tokio::test]
async fn a_session_is_its_owners_alone_and_to_others_as_if_it_never_was() {
    let served = served(false, 4).await;
    let (anna, bob) = (of(ANNA), of(BOB));
    let session = served.open(Some(&anna)).await;
    let theirs = served.post(Some(&bob), Some(&session), &list()).await;
    let unknown = served.post(Some(&bob), Some("no-such-session"), &list()).await;
    assert_eq!((theirs.status().as_u16(), unknown.status().as_u16()), (404, 404));
    assert_eq!(theirs.text().await.unwrap(), unknown.text().await.unwrap());
    assert_eq!(served.stream(&bob, &session).await.status(), 404);
    let url = format!("http://{}/mcp", served.addr);
    let ended = served.client.delete(url).header("authorization", &bob).header("mcp-session-id", &session);
    let ended = ended.send().await.unwrap().status();
    assert!(ended.is_client_error() || ended.is_success(), "{ended}");
    assert_eq!(served.post(Some(&anna), Some(&session), &list()).await.status(), 200, "nobody else ended it");
}

#[tokio::test]
async fn one_owner_takes_no_room_from_another() {
    let served = served(false, 2).await;
    let (anna, bob) = (of(ANNA), of(BOB));
    let first = served.open(Some(&anna)).await;
    for _ in 0..5 {
        served.open(Some(&bob)).await;
    }
    assert_eq!(served.post(Some(&anna), Some(&first), &list()).await.status(), 200);
}

#[tokio::test]
async fn a_revoked_token_shuts_what_it_had_open_at_once() {
    let served = served(false, 4).await;
    let (anna, bob) = (of(ANNA), of(BOB));
    let (hers, his) = (served.open(Some(&anna)).await, served.open(Some(&bob)).await);
    let stream = served.stream(&anna, &hers).await;
    assert_eq!(stream.status(), 200);
    served.accounts.revoke(ANNA);
    let ended = tokio::time::timeout(Duration::from_secs(10), stream.bytes()).await;
    ended.expect("her stream ends").ok();
    assert_eq!(served.post(Some(&anna), Some(&hers), &list()).await.status(), 401);
    assert_eq!(served.post(Some(&bob), Some(&hers), &list()).await.status(), 404);
    assert_eq!(served.post(Some(&bob), Some(&his), &list()).await.status(), 200);
}

#[tokio::test]
async fn many_wrong_tokens_are_too_many_but_a_right_one_is_never_refused_for_them() {
    let served = served(false, 4).await;
    let mut answers = Vec::new();
    for n in 0..=WRONG_TOKENS_MAX {
        answers.push(served.post(Some(&format!("Bearer guess-{n}")), None, &initialize()).await);
    }
    let refused = answers.iter().filter(|answer| answer.status() == 429).count();
    assert_eq!(refused, 1);
    let last = answers.pop().unwrap();
    assert!(last.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() <= 61);
    assert_eq!(last.json::<Value>().await.unwrap()["error"]["kind"], "too_many_tries");
    assert_eq!(served.post(Some(&of(ANNA)), None, &initialize()).await.status(), 200);
}
