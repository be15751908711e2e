//! A push service of our own that is slow and unwell in every way that push services are: it refuses connections, closes them
//! before it answers, answers 429 with and without a time and 503, takes a push and dies before it says so, hangs; and some of
//! its browsers are gone one day. It opens what it takes and keeps, in order, which notice was shown to which browser.

use crate::unwell::{Illness, Received, Server};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use p256::SecretKey;
use p256::elliptic_curve::rand_core::OsRng;
use p256::elliptic_curve::sec1::ToEncodedPoint;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use stormbell::notice::push::Payload;
use stormbell::notice::{Browser, book, id};

/// All of its browsers keep the same secret.
const AUTH: &[u8; 16] = b"sixteen bytes ok";
/// So many pushes a browser that goes takes before it is gone.
const BEFORE_GONE: usize = 4;

/// The service, and what its browsers keep to themselves.
pub struct PushService {
    pub server: Server,
    p256dh: String,
}

struct Browsers {
    private: SecretKey,
    /// Pushes taken for browsers that go.
    taken: AtomicUsize,
}

impl PushService {
    /// Starts one whose illness follows from `seed`.
    pub fn start(seed: u64) -> Self {
        let private = SecretKey::random(&mut OsRng);
        let p256dh = BASE64_URL_SAFE_NO_PAD.encode(private.public_key().to_encoded_point(false).as_bytes());
        let browsers = Arc::new(Browsers { private, taken: AtomicUsize::new(0) });
        let server = Server::start(seed, move |stream, illness| converse(stream, illness, &browsers));
        Self { server, p256dh }
    }

    /// A browser of an owner, as it subscribes. One whose name begins with `gone` will be gone after some pushes.
    pub fn browser(&self, owner: &str, name: &str) -> Browser {
        let endpoint = format!("http://127.0.0.1:{}/push/{owner}/{name}", self.server.port);
        Browser {
            id: id::browser_id(owner, &endpoint),
            owner: owner.to_owned(),
            endpoint,
            p256dh: self.p256dh.clone(),
            auth: BASE64_URL_SAFE_NO_PAD.encode(AUTH),
            label: name.to_owned(),
            created_utc: "2031-05-09T20:00:00Z".parse().unwrap(),
            refusals: 0,
        }
    }
}

struct Request {
    path: String,
    host: String,
    body: Vec<u8>,
}

/// `None` at the end of the conversation.
fn read(lines: &mut impl BufRead) -> std::io::Result<Option<Request>> {
    let (mut path, mut host, mut bytes) = (String::new(), String::new(), 0);
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        match line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value)) {
            Some((name, value)) if name == "content-length" => bytes = value.parse().unwrap(),
            Some((name, value)) if name == "host" => host = value.to_owned(),
            Some(_) => {}
            None => path = line.split(' ').nth(1).unwrap().to_owned(),
        }
    }
    let mut body = vec![0; bytes];
    lines.read_exact(&mut body)?;
    Ok(Some(Request { path, host, body }))
}

fn converse(stream: TcpStream, illness: &Illness, browsers: &Browsers) -> std::io::Result<()> {
    if illness.chance(5) {
        return Ok(());
    }
    let mut say = stream.try_clone()?;
    let mut lines = BufReader::new(stream);
    let mut answer = |status: &str, more: &str| {
        say.write_all(format!("HTTP/1.1 {status}\r\n{more}content-length: 0\r\n\r\n").as_bytes())
    };
    loop {
        let Some(request) = read(&mut lines)? else { return Ok(()) };
        let begun = illness.tick();
        illness.dawdle();
        let (owner, name) = request.path.strip_prefix("/push/").and_then(|path| path.split_once('/')).unwrap();
        if name.starts_with("gone") && browsers.taken.load(Ordering::SeqCst) >= BEFORE_GONE {
            answer("410 Gone", "")?;
            continue;
        }
        match () {
            () if illness.chance(8) => answer("503 Service Unavailable", "")?,
            () if illness.chance(4) => {
                let wait = 1 + illness.roll(90);
                answer("429 Too Many Requests", &format!("retry-after: {wait}\r\n"))?;
            }
            () if illness.chance(2) => answer("429 Too Many Requests", "")?,
            // Not taken, and nothing said.
            () if illness.chance(3) => return Ok(()),
            () => {
                let shown = web_push_native::decrypt(request.body, &browsers.private, &(*AUTH).into()).unwrap();
                let shown: Payload = serde_json::from_slice(&shown).unwrap();
                let browser = id::browser_id(owner, &format!("http://{}{}", request.host, request.path));
                illness.take(Received { to: book::browser_address(&browser), id: shown.tag, begun });
                if name.starts_with("gone") {
                    browsers.taken.fetch_add(1, Ordering::SeqCst);
                }
                if illness.chance(6) {
                    // Taken, and never said so.
                    return Ok(());
                }
                if illness.chance(2) {
                    // Taken, and said so when nobody waits any more.
                    std::thread::sleep(Duration::from_millis(1_500));
                }
                answer("201 Created", "")?;
            }
        }
    }
}
