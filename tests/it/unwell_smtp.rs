//! A mail server of our own that is slow and unwell in every way that servers are: it refuses connections, closes them before and
//! within a message, answers 451, takes a message and dies before it says so, hangs. It keeps what it got, in order.

use crate::unwell::{Illness, Received, Server};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;
use stormbell::notice::{Address, ChannelKind};

/// Starts one whose illness follows from `seed`. Recipients that begin with `refused` are refused for good.
pub fn start(seed: u64) -> Server {
    Server::start(seed, converse)
}

fn converse(stream: TcpStream, illness: &Illness) -> std::io::Result<()> {
    if illness.chance(6) {
        return Ok(());
    }
    let mut say = stream.try_clone()?;
    if illness.chance(4) {
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
        let verb = line.get(..4).unwrap_or_default().to_ascii_uppercase();
        if verb == "MAIL" {
            begun = illness.tick();
        }
        illness.dawdle();
        match verb.as_str() {
            "EHLO" => say.write_all(b"250-unwell.example\r\n250 8BITMIME\r\n")?,
            "RCPT" => {
                to = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                let refused = to.starts_with("refused");
                say.write_all(if refused { b"550 5.1.1 no such user\r\n" } else { b"250 ok\r\n" })?;
            }
            "DATA" => {
                say.write_all(b"354 go on\r\n")?;
                let Some(id) = content(&mut lines, illness)? else { return Ok(()) };
                if illness.chance(10) {
                    say.write_all(b"451 4.3.0 try again later\r\n")?;
                    continue;
                }
                illness.take(Received { to: Address { kind: ChannelKind::Email, to: to.clone() }, id, begun });
                if illness.chance(8) {
                    // Taken, and never said so.
                    return Ok(());
                }
                if illness.chance(2) {
                    // Taken, and said so when nobody waits any more.
                    std::thread::sleep(Duration::from_millis(1_500));
                }
                say.write_all(b"250 2.0.0 kept\r\n")?;
            }
            "MAIL" | "RSET" | "NOOP" => say.write_all(b"250 ok\r\n")?,
            "QUIT" => return say.write_all(b"221 bye\r\n"),
            _ => say.write_all(b"502 5.5.1 what\r\n")?,
        }
    }
}

/// Reads a message to its end; its id. `None` where the server closes half-way.
fn content(lines: &mut impl BufRead, illness: &Illness) -> std::io::Result<Option<String>> {
    let breaks_off = illness.chance(5);
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
