//! A push service on this machine that answers as it is told, and a browser's keys.

use super::*;
use p256::SecretKey;
use p256::elliptic_curve::rand_core::OsRng;
use p256::elliptic_curve::sec1::ToEncodedPoint;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What the fake does with one request. After the script it answers 201.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// Answers this status line and these headers, with a body.
    Say(&'static str, Vec<String>, &'static str),
    /// Answers a head and then a body without end.
    Endless(&'static str),
    /// Answers this when told to.
    When(Arc<Notify>, &'static str),
    /// Never answers.
    Silent,
    /// Closes the connection.
    HangUp,
}

pub(super) fn say(status: &'static str) -> Act {
    Act::Say(status, Vec::new(), "")
}

pub(super) fn after(status: &'static str, wait: &str) -> Act {
    Act::Say(status, vec![format!("retry-after: {wait}")], "")
}

/// One request as it came.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) line: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

pub(super) struct Fake {
    pub(super) port: u16,
    script: Arc<Mutex<VecDeque<Act>>>,
    seen: Arc<Mutex<Vec<Seen>>>,
    came: Arc<Notify>,
}

impl Fake {
    pub(super) async fn start(script: Vec<Act>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let fake =
            Self { port, script: Arc::new(Mutex::new(script.into())), seen: Arc::default(), came: Arc::default() };
        let (script, seen, came) = (Arc::clone(&fake.script), Arc::clone(&fake.seen), Arc::clone(&fake.came));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&script), Arc::clone(&seen), Arc::clone(&came)));
            }
        });
        fake
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits until a request has come.
    pub(super) async fn asked(&self) {
        self.came.notified().await;
    }

    pub(super) fn endpoint(&self, id: &str) -> String {
        format!("http://127.0.0.1:{}/secret/{id}?x=1", self.port)
    }
}

async fn serve(
    mut stream: TcpStream,
    script: Arc<Mutex<VecDeque<Act>>>,
    seen: Arc<Mutex<Vec<Seen>>>,
    came: Arc<Notify>,
) {
    while let Some(request) = read(&mut stream).await {
        seen.lock().unwrap().push(request);
        came.notify_one();
        let act = script.lock().unwrap().pop_front().unwrap_or_else(|| say("201 Created"));
        let answer = |status: &str, headers: &[String], body: &str| {
            let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
            format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
        };
        match act {
            Act::Say(status, headers, body) => {
                if stream.write_all(answer(status, &headers, body).as_bytes()).await.is_err() {
                    return;
                }
            }
            Act::When(told, status) => {
                told.notified().await;
                let _ = stream.write_all(answer(status, &[], "").as_bytes()).await;
            }
            Act::Endless(status) => {
                let _ = stream.write_all(format!("HTTP/1.1 {status}\r\n\r\n").as_bytes()).await;
                while stream.write_all(&[b'z'; 65_536]).await.is_ok() {}
                return;
            }
            Act::Silent => return std::future::pending().await,
            Act::HangUp => return,
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let line = lines.next()?.to_owned();
    let headers: BTreeMap<String, String> =
        lines.filter_map(|line| line.split_once(": ")).map(|(name, value)| (name.into(), value.into())).collect();
    let length: usize = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Seen { line, headers, body })
}

/// What a browser keeps to itself.
pub(super) struct Keys {
    private: SecretKey,
    auth: [u8; 16],
}

impl Keys {
    pub(super) fn new() -> Self {
        Self { private: SecretKey::random(&mut OsRng), auth: *b"sixteen bytes ok" }
    }

    pub(super) fn p256dh(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.private.public_key().to_encoded_point(false).as_bytes())
    }

    pub(super) fn auth(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.auth)
    }

    pub(super) fn open(&self, body: &[u8]) -> String {
        String::from_utf8(web_push_native::decrypt(body.to_vec(), &self.private, &self.auth.into()).unwrap()).unwrap()
    }
}
