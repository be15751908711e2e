//! A mail server that follows scripts.

use crate::channels::email::Email;
use crate::config::{EmailConfig, Security};
use Act::{Hang, Leave, Say};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What the server does in place of its usual answer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    /// Says this and goes on.
    Say(&'static str),
    /// Says this and closes.
    Leave(&'static str),
    /// Says nothing and keeps the connection.
    Hang,
}
/// The script of one connection: at the next command of this verb (`HELLO` on connecting, `CONTENT` after the final
/// dot), do this. Connections beyond the scripts behave.
pub(super) type Script = Vec<(&'static str, Act)>;

#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) connections: usize,
    /// Accepted contents, as sent.
    pub(super) mails: Vec<String>,
    /// Contents received, accepted or not.
    pub(super) contents: Vec<String>,
    pub(super) commands: Vec<String>,
}

/// A mail server that follows scripts.
pub(super) struct Fake {
    pub(super) port: u16,
    pub(super) seen: Arc<Mutex<Seen>>,
}

impl Fake {
    pub(super) async fn start(extensions: &'static [&'static str], scripts: Vec<Script>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("bind");
        let port = listener.local_addr().expect("address").port();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (scripts, shared) = (Arc::new(Mutex::new(VecDeque::from(scripts))), Arc::clone(&seen));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let script = scripts.lock().expect("lock").pop_front().unwrap_or_default();
                shared.lock().expect("lock").connections += 1;
                let shared = Arc::clone(&shared);
                tokio::spawn(async move {
                    let _ = converse(stream, extensions, script.into(), &shared).await;
                });
            }
        });
        Self { port, seen }
    }

    pub(super) fn seen<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        look(&self.seen.lock().expect("lock"))
    }

    pub(super) fn mails(&self) -> Vec<String> {
        self.seen(|seen| seen.mails.clone())
    }

    pub(super) fn connections(&self) -> usize {
        self.seen(|seen| seen.connections)
    }

    pub(super) fn config(&self) -> EmailConfig {
        EmailConfig {
            enabled: true,
            host: "127.0.0.1".into(),
            port: self.port,
            security: Security::None,
            from: "Stormbell <bell@example.org>".into(),
            ..EmailConfig::default()
        }
    }

    pub(super) fn channel(&self) -> Email {
        Email::open(&self.config()).expect("channel")
    }
}

/// Answers as scripted; `None` ends the conversation.
async fn answer(
    stream: &mut BufReader<TcpStream>,
    script: &mut VecDeque<(&'static str, Act)>,
    verb: &str,
    usual: &str,
) -> Option<bool> {
    let act = match script.front() {
        Some((scripted, act)) if *scripted == verb => {
            let act = *act;
            script.pop_front();
            act
        }
        _ => Say(""),
    };
    let (text, stay) = match act {
        Say("") => (usual, true),
        Say(text) => (text, true),
        Leave(text) => (text, false),
        Hang => std::future::pending().await,
    };
    if !text.is_empty() {
        stream.write_all(format!("{text}\r\n").as_bytes()).await.ok()?;
    }
    // A 250 among what was said counts as accepted.
    stay.then_some(text.starts_with('2') || text.starts_with('3'))
}

async fn converse(
    stream: TcpStream,
    extensions: &[&str],
    mut script: VecDeque<(&'static str, Act)>,
    seen: &Mutex<Seen>,
) -> Option<()> {
    let mut stream = BufReader::new(stream);
    answer(&mut stream, &mut script, "HELLO", "220 fake ESMTP").await?;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_owned();
        let verb = line.split(' ').next().unwrap_or_default().to_ascii_uppercase();
        seen.lock().expect("lock").commands.push(line);
        let ehlo: String = extensions.iter().map(|word| format!("250-{word}\r\n")).collect::<String>() + "250 HELP";
        let usual = match verb.as_str() {
            "EHLO" => ehlo.as_str(),
            "DATA" => "354 go on",
            "AUTH" => "235 welcome",
            "QUIT" => "221 bye",
            _ => "250 ok",
        };
        let fine = answer(&mut stream, &mut script, &verb, usual).await?;
        if verb == "QUIT" {
            return None;
        }
        if verb == "DATA" && fine {
            let mut content = String::new();
            loop {
                let mut line = String::new();
                if stream.read_line(&mut line).await.ok()? == 0 {
                    return None;
                }
                if line == ".\r\n" {
                    break;
                }
                content.push_str(line.strip_prefix('.').unwrap_or(&line));
            }
            seen.lock().expect("lock").contents.push(content.clone());
            let accepts = match script.front() {
                Some(("CONTENT", Say(text) | Leave(text))) => text.starts_with("250"),
                Some(("CONTENT", Hang)) => false,
                _ => true,
            };
            if accepts {
                seen.lock().expect("lock").mails.push(content);
            }
            answer(&mut stream, &mut script, "CONTENT", "250 2.0.0 queued as 1").await?;
        }
    }
}
