//! A mail server of our own that is slow and unwell in every way that servers are: it refuses connections, closes them before and
//! within a message, answers 451, takes a message and dies before it says so, hangs. It keeps what it got, in order.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A message whose content came in whole.
#[derive(Debug, Clone)]
pub struct Received {
    /// The recipient of the envelope.
    pub to: String,
    /// Its Message-ID, without brackets and domain.
    pub id: String,
    /// The clock of `Unwell::tick` when its transaction began.
    pub begun: u64,
}

/// The server. It ends with the test.
pub struct Unwell {
    /// On 127.0.0.1.
    pub port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    well: AtomicBool,
    over: AtomicBool,
    clock: AtomicU64,
    dice: Mutex<u64>,
    received: Mutex<Vec<Received>>,
}

impl Shared {
    /// True `percent` times in a hundred, while unwell.
    fn chance(&self, percent: u64) -> bool {
        !self.well.load(Ordering::SeqCst) && self.roll(100) < percent
    }

    fn roll(&self, below: u64) -> u64 {
        let mut dice = self.dice.lock().unwrap();
        *dice ^= *dice << 13;
        *dice ^= *dice >> 7;
        *dice ^= *dice << 17;
        *dice % below
    }

    fn dawdle(&self) {
        if !self.well.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(self.roll(8)));
        }
    }
}

impl Unwell {
    /// Starts one whose illness follows from `seed`. Recipients that begin with `refused` are refused for good.
    pub fn start(seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            well: AtomicBool::new(false),
            over: AtomicBool::new(false),
            clock: AtomicU64::new(0),
            dice: Mutex::new(seed | 1),
            received: Mutex::new(Vec::new()),
        });
        let server = Arc::clone(&shared);
        std::thread::spawn(move || listen(listener, port, &server));
        Self { port, shared }
    }

    /// From now on it does what servers should.
    pub fn recover(&self) {
        self.shared.well.store(true, Ordering::SeqCst);
    }

    /// A later instant than all before.
    pub fn tick(&self) -> u64 {
        self.shared.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// What came in so far, in order.
    pub fn received(&self) -> Vec<Received> {
        self.shared.received.lock().unwrap().clone()
    }
}

impl Drop for Unwell {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
    }
}

fn listen(listener: TcpListener, port: u16, shared: &Arc<Shared>) {
    let mut open = Some(listener);
    while !shared.over.load(Ordering::SeqCst) {
        let Some(listener) = &open else {
            // Gone for a while: connections are refused.
            std::thread::sleep(Duration::from_millis(shared.roll(150)));
            open = TcpListener::bind(("127.0.0.1", port)).ok();
            continue;
        };
        listener.set_nonblocking(true).unwrap();
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).unwrap();
                let shared = Arc::clone(shared);
                // A client that is killed breaks the conversation off: that is an error of the stream, and fine.
                std::thread::spawn(move || drop(converse(stream, &shared)));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
        if !shared.well.load(Ordering::SeqCst) && shared.roll(400) == 0 {
            open = None;
        }
    }
}

fn converse(stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    if shared.chance(6) {
        return Ok(());
    }
    stream.set_nodelay(true)?;
    let mut say = stream.try_clone()?;
    if shared.chance(4) {
        return say.write_all(b"421 4.3.2 too busy\r\n");
    }
    say.write_all(b"220 unwell.example ESMTP\r\n")?;
    let mut lines = BufReader::new(stream);
    let (mut to, mut begun) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 {
            return Ok(());
        }
        shared.dawdle();
        let line = line.trim_end().to_owned();
        let verb = line.get(..4).unwrap_or_default().to_ascii_uppercase();
        match verb.as_str() {
            "EHLO" => say.write_all(b"250-unwell.example\r\n250 8BITMIME\r\n")?,
            "MAIL" => {
                begun = shared.clock.fetch_add(1, Ordering::SeqCst);
                say.write_all(b"250 ok\r\n")?;
            }
            "RCPT" => {
                to = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                let refused = to.starts_with("refused");
                say.write_all(if refused { b"550 5.1.1 no such user\r\n" } else { b"250 ok\r\n" })?;
            }
            "DATA" => {
                say.write_all(b"354 go on\r\n")?;
                let Some(id) = content(&mut lines, shared)? else { return Ok(()) };
                if shared.chance(10) {
                    say.write_all(b"451 4.3.0 try again later\r\n")?;
                    continue;
                }
                shared.received.lock().unwrap().push(Received { to: to.clone(), id, begun });
                if shared.chance(8) {
                    // Taken, and never said so.
                    return Ok(());
                }
                if shared.chance(2) {
                    // Taken, and said so when nobody waits any more.
                    std::thread::sleep(Duration::from_millis(1_500));
                }
                say.write_all(b"250 2.0.0 kept\r\n")?;
            }
            "RSET" | "NOOP" => say.write_all(b"250 ok\r\n")?,
            "QUIT" => return say.write_all(b"221 bye\r\n"),
            _ => say.write_all(b"502 5.5.1 what\r\n")?,
        }
    }
}

/// Reads a message to its end; its id. `None` where the server closes half-way.
fn content(lines: &mut impl BufRead, shared: &Shared) -> std::io::Result<Option<String>> {
    let breaks_off = shared.chance(5);
    let mut id = String::new();
    for number in 0.. {
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 || (breaks_off && number == 12) {
            return Ok(None);
        }
        if line == ".\r\n" {
            break;
        }
        if let Some(value) = line.strip_prefix("Message-ID: <") {
            id = value.split('@').next().unwrap_or_default().to_owned();
        }
    }
    assert!(!id.is_empty(), "every message has an id");
    Ok(Some(id))
}
