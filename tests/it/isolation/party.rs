//! A running program with three owners, and one of them as an MCP client of few words.

use futures_util::StreamExt;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

const PROGRAM: &str = env!("CARGO_BIN_EXE_stormbell");

/// `stormbell serve` over the bundled day.
pub struct Serving {
    dir: tempfile::TempDir,
    url: String,
    _child: Child,
}

impl Serving {
    /// On a free port; `more` stands behind the other options.
    pub async fn start(more: &[&str]) -> Self {
        Self::begin(tempfile::tempdir().unwrap(), more).await
    }

    /// The same under a configuration, with the keys that its channels need.
    pub async fn configured(config: &str, more: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("stormbell.toml");
        std::fs::write(&file, config).unwrap();
        let file = file.to_str().unwrap().to_owned();
        stormbell(dir.path(), &["init", "--config", &file]);
        Self::begin(dir, &[&["--config", &*file], more].concat()).await
    }

    async fn begin(dir: tempfile::TempDir, more: &[&str]) -> Self {
        let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09");
        let mut child = Command::new(PROGRAM)
            .args(["serve", "--port", "0", "--archive"])
            .arg(day)
            .arg("--data-dir")
            .arg(dir.path())
            .args(more)
            .env_remove("STORMBELL_CONFIG")
            .env("STORMBELL_LOG", "error")
            .current_dir(dir.path())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let url = loop {
            let line = lines.next_line().await.unwrap().expect("it says its address before it ends");
            if let Some((_, url)) = line.split_once("MCP at ") {
                break url.trim().to_owned();
            }
        };
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self { dir, url, _child: child }
    }

    /// Where it listens for MCP.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its data directory.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// The local owner and two others, each with a session and a point at the same place.
    pub async fn parties(&self) -> Vec<Party> {
        let mut parties = vec![Party::join(&self.url, "local", None).await];
        for name in ["anna", "bob"] {
            let added: Value = serde_json::from_str(&stormbell(self.dir(), &["owner", "add", name, "--json"])).unwrap();
            let token = added["token"].as_str().unwrap().to_owned();
            parties.push(Party::join(&self.url, name, Some(token)).await);
        }
        parties
    }
}

/// What a command says on stdout.
pub fn stormbell(dir: &Path, words: &[&str]) -> String {
    let mut command = std::process::Command::new(PROGRAM);
    command.env("STORMBELL_DATA", dir).env_remove("STORMBELL_CONFIG").current_dir(dir).args(words);
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

/// The first message of a session.
pub fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}})
}

/// One owner.
pub struct Party {
    /// Where the program listens for MCP.
    pub url: String,
    client: Client,
    /// `None` for the local owner.
    pub token: Option<String>,
    /// Id of their session.
    pub session: String,
    /// Name of their point: nobody else's answers may hold it.
    pub name: String,
    /// Id of their point.
    pub point: String,
}

impl Party {
    async fn join(url: &str, who: &str, token: Option<String>) -> Self {
        let mut party = Self {
            url: url.to_owned(),
            client: Client::new(),
            token,
            session: String::new(),
            name: format!("the secret place of {who}"),
            point: String::new(),
        };
        let opened = party.request(&initialize()).send().await.unwrap();
        assert_eq!(opened.status(), 200);
        party.session = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(party.in_session(&party.session, &ready).send().await.unwrap().status(), 202);
        let made = party.call("register_watch_point", party.registration()).await;
        party.point = made["structuredContent"]["data"]["id"].as_str().expect("made").to_owned();
        party
    }

    /// What their point was registered with.
    pub fn registration(&self) -> Value {
        json!({"name": self.name, "lat": 37.74, "lon": -98.21, "client_token": format!("token of {}", self.name)})
    }

    fn request(&self, body: &Value) -> reqwest::RequestBuilder {
        let request = self.client.post(&self.url).header("accept", "application/json, text/event-stream").json(body);
        self.named(request)
    }

    fn named(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    fn in_session(&self, session: &str, body: &Value) -> reqwest::RequestBuilder {
        self.request(body).header("mcp-session-id", session)
    }

    /// Status and body of a request in any session.
    pub async fn post_in(&self, session: &str, method: &str, params: Value) -> (u16, String) {
        let body = json!({"jsonrpc": "2.0", "id": 5, "method": method, "params": params});
        let response = self.in_session(session, &body).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// The answer to a request in their own session: result or error.
    pub async fn ask(&self, method: &str, params: Value) -> Value {
        let (status, body) = self.post_in(&self.session, method, params).await;
        assert_eq!(status, 200, "{method}: {body}");
        let answer = messages(&body).into_iter().find(|message| message["id"] == 5);
        answer.unwrap_or_else(|| panic!("{method}: {body}"))
    }

    /// The result of a tool.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await["result"].clone()
    }

    /// The stream of notifications of any session.
    pub async fn stream_of(&self, session: &str) -> Response {
        let request =
            self.client.get(&self.url).header("accept", "text/event-stream").header("mcp-session-id", session);
        self.named(request).send().await.unwrap()
    }

    /// Tries to end any session.
    pub async fn end(&self, session: &str) {
        let request = self.client.delete(&self.url).header("mcp-session-id", session);
        self.named(request).send().await.unwrap();
    }

    /// Neither id nor name of another's point stands in an answer.
    pub fn says_nothing_of(&self, other: &Self, answer: &Value) {
        let text = answer.to_string();
        assert!(
            !text.contains(&other.point) && !text.contains(&other.name),
            "{} sees {}: {text}",
            self.name,
            other.name
        );
    }
}

/// The JSON messages of a body: server-sent events, or one document.
fn messages(body: &str) -> Vec<Value> {
    let events: Vec<Value> =
        body.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data:")?.trim()).ok()).collect();
    if events.is_empty() { serde_json::from_str(body).into_iter().collect() } else { events }
}

/// Every notification of a stream until the one that says that `uri` was updated.
pub async fn told_until(stream: Response, uri: &str, limit: Duration) -> Vec<Value> {
    let mut body = stream.bytes_stream();
    let (mut told, mut text) = (Vec::new(), String::new());
    let read = async {
        while let Some(bytes) = body.next().await {
            text.push_str(&String::from_utf8_lossy(&bytes.unwrap()));
            while let Some((line, rest)) = text.split_once('\n').map(|(line, rest)| (line.to_owned(), rest.to_owned()))
            {
                text = rest;
                let event = line.strip_prefix("data:").and_then(|data| serde_json::from_str::<Value>(data.trim()).ok());
                told.extend(event);
                if told.last().is_some_and(|told| told["params"]["uri"] == uri) {
                    return;
                }
            }
        }
        panic!("the stream ended before {uri} was updated: {told:?}");
    };
    tokio::time::timeout(limit, read).await.unwrap_or_else(|_| panic!("{uri} was never updated"));
    told
}
