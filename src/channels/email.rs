//! Email by SMTP: STARTTLS, TLS, or plain on loopback.
//!
//! Connections are kept between sends, as many as are under way at once, not lettre's pool: the pool starts a task when it is made and when it is
//! dropped (outside a runtime that aborts the process), takes any positive answer for a sign of life (a server that
//! says `221 idle timeout` gives one), and hides how far a message got. Here the connection is taken out for a send and
//! put back only when the server has answered, so that a send dropped by its time limit takes the connection with it;
//! before it is used again it has to answer RSET with 250; and one that turns out dead before any content was sent is
//! replaced once by a fresh one. So the message goes once, with nothing lost.
//!
//! Boundaries: ✗ no retries, no waiting, no clock: the limit on a whole exchange (`timeout`) is the caller's to keep,
//! because lettre's own covers connecting only.

use crate::channels::{Channel, SendOutcome};
use crate::config::{ConfigError, EmailConfig, Security};
use crate::notice::Delivery;
use async_trait::async_trait;
use lettre::message::Mailbox;
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::response::Response;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use thiserror::Error;

mod letter;

use letter::Letter;

/// Limit on connecting to one address of the host: a dead one must leave time for the next.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Messages under way at once, each on a connection of its own: enough that one that hangs holds up few, and no more than
/// small mail servers allow one client.
const AT_ONCE: usize = 4;
/// Opens a certificate in a PEM file.
const PEM_MARK: &[u8] = b"-----BEGIN CERTIFICATE-----";
/// What the server said goes into the ledger and the log; more than this is prose.
const REPLY_CHARS_MAX: usize = 300;

/// Why the channel cannot be opened.
#[derive(Debug, Error)]
pub enum EmailError {
    /// The password file cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// `from` or `reply_to` is not an address.
    #[error("channels.email.{key}: {text:?} is not an email address")]
    Address {
        /// Which key.
        key: &'static str,
        /// Its value.
        text: String,
    },
    /// The certificate authority cannot be used.
    #[error("channels.email.ca_file: {0}")]
    Authority(String),
    /// TLS cannot be set up for this host.
    #[error("channels.email.host: {0}")]
    Tls(String),
}

/// The channel.
pub struct Email {
    host: String,
    port: u16,
    tls: Option<(TlsParameters, Security)>,
    credentials: Option<Credentials>,
    from: Mailbox,
    reply_to: Option<Mailbox>,
    /// Where the web page is, for those who read mails.
    page: Option<String>,
    timeout: Duration,
    /// Idle, and at the start of a transaction once RSET is answered; at most `AT_ONCE`.
    kept: Mutex<Vec<AsyncSmtpConnection>>,
}

impl std::fmt::Debug for Email {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the credentials.
        f.debug_struct("Email").field("host", &self.host).field("port", &self.port).finish_non_exhaustive()
    }
}

/// How far a message got before it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Sender,
    Recipient,
    Data,
    Content,
}

/// A send that failed, and where.
struct Stopped {
    step: Step,
    error: SmtpError,
}

impl Stopped {
    /// The connection is of no more use. 421 means that the server closes it.
    fn is_lost(&self) -> bool {
        match self.error.status() {
            Some(code) => u16::from(code) == 421,
            None => true,
        }
    }

    /// What this means for the delivery. Only what is said of the recipient or of the content is final; everything else
    /// is about the server, the way there or our account, and may be over at the next try.
    fn outcome(&self) -> SendOutcome {
        let said = cut(&self.error.to_string());
        let code = self.error.status().filter(|_| self.error.is_permanent()).map(u16::from);
        match (self.step, code) {
            (Step::Recipient, Some(code)) if !is_about_us(code) => {
                SendOutcome::Permanent { why: format!("the server refuses the recipient: {said}") }
            }
            (Step::Data | Step::Content, Some(code)) if !is_about_us(code) => {
                SendOutcome::Permanent { why: format!("the server refuses the message: {said}") }
            }
            (Step::Content, None) if self.error.status().is_none() => temporary(format!(
                "the connection broke after the content was sent ({said}): it may have arrived; the next try bears the \
                 same Message-ID"
            )),
            (Step::Sender, Some(_)) => temporary(format!("the server refuses the sender: {said}")),
            _ => temporary(said),
        }
    }
}

/// Syntax, order and authentication: our program or our account is wrong, not this address.
fn is_about_us(code: u16) -> bool {
    matches!(code, 500..=504 | 530 | 534 | 535 | 538)
}

/// Longest email address, characters (RFC 5321, 4.5.3.1.3).
const ADDRESS_CHARS_MAX: usize = 254;

/// An email address as it is kept: in small letters, since one inbox must not count as two.
///
/// # Errors
/// Why it is none, or none that mail can go to from here.
pub fn canonical(text: &str) -> Result<String, String> {
    let text = text.trim();
    let shown: String = text.chars().filter(|c| !c.is_control()).take(ADDRESS_CHARS_MAX).collect();
    if !text.is_ascii() {
        return Err(format!("{shown:?} holds letters outside ASCII, which not every server on the way can take"));
    }
    if text.len() > ADDRESS_CHARS_MAX {
        return Err(format!("an email address has at most {ADDRESS_CHARS_MAX} characters, not {}", text.len()));
    }
    let none = |why: String| format!("{shown:?} is not an email address such as anna@example.org: {why}");
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(none("it holds blanks".to_owned()));
    }
    let address = text.parse::<lettre::Address>().map_err(|error| none(error.to_string()))?;
    if address.domain().starts_with('[') {
        return Err(none("it names a machine by its number".to_owned()));
    }
    Ok(text.to_ascii_lowercase())
}

fn temporary(why: String) -> SendOutcome {
    SendOutcome::Temporary { why, retry_after: None }
}

fn cut(text: &str) -> String {
    text.chars().take(REPLY_CHARS_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

impl Email {
    /// Opens the channel; connects to nobody yet.
    pub fn open(config: &EmailConfig) -> Result<Self, EmailError> {
        let mailbox = |key: &'static str, text: &str| {
            text.parse::<Mailbox>().map_err(|_| EmailError::Address { key, text: text.to_owned() })
        };
        let tls = match config.security {
            Security::None => None,
            security @ (Security::StartTls | Security::Tls) => Some((tls_parameters(config)?, security)),
        };
        let credentials = match (&config.username, config.read_password()?) {
            (Some(user), Some(password)) => Some(Credentials::new(user.clone(), password.expose().to_owned())),
            _ => None,
        };
        let reply_to = config.reply_to.as_deref().filter(|text| !text.is_empty());
        Ok(Self {
            host: config.host.clone(),
            port: config.effective_port(),
            tls,
            credentials,
            from: mailbox("from", &config.from)?,
            reply_to: reply_to.map(|text| mailbox("reply_to", text)).transpose()?,
            page: None,
            timeout: config.timeout(),
            kept: Mutex::default(),
        })
    }

    /// The same with links to the web page.
    pub fn with_page(self, page: Option<String>) -> Self {
        Self { page, ..self }
    }

    /// A fresh connection, protected and logged in.
    async fn connect(&self) -> Result<AsyncSmtpConnection, String> {
        let hello = ClientId::default();
        let wrapped = match &self.tls {
            Some((parameters, Security::Tls)) => Some(parameters.clone()),
            _ => None,
        };
        let server = (self.host.as_str(), self.port);
        let mut connection = AsyncSmtpConnection::connect_tokio1(server, Some(CONNECT_TIMEOUT), &hello, wrapped, None)
            .await
            .map_err(|error| self.explain("cannot connect", &error))?;
        if let Some((parameters, Security::StartTls)) = &self.tls {
            if !connection.can_starttls() {
                return Err(self.explain_text("the server offers no STARTTLS, and nothing is sent in the clear"));
            }
            connection
                .starttls(parameters.clone(), &hello)
                .await
                .map_err(|error| self.explain("STARTTLS failed", &error))?;
        }
        if let Some(credentials) = &self.credentials {
            connection
                .auth(&[Mechanism::Plain, Mechanism::Login], credentials)
                .await
                .map_err(|error| self.explain("login failed", &error))?;
        }
        Ok(connection)
    }

    fn explain(&self, what: &str, error: &SmtpError) -> String {
        let hint = match &self.tls {
            Some((_, Security::Tls)) if error.status().is_none() => {
                "; if the server speaks STARTTLS (usually port 587), set channels.email.security = \"starttls\""
            }
            Some((_, Security::StartTls)) if error.status().is_none() => {
                "; if the server speaks TLS from the first byte (usually port 465), set channels.email.security = \"tls\""
            }
            _ => "",
        };
        self.explain_text(&format!("{what}: {}{hint}", cut(&error.to_string())))
    }

    fn explain_text(&self, what: &str) -> String {
        format!("{}:{}: {what}", self.host, self.port)
    }
}

fn tls_parameters(config: &EmailConfig) -> Result<TlsParameters, EmailError> {
    let mut builder = TlsParameters::builder(config.host.clone());
    if let Some(path) = &config.ca_file {
        let unusable = |why: String| EmailError::Authority(format!("{}: {why}", path.display()));
        let pem = std::fs::read(path).map_err(|error| unusable(error.to_string()))?;
        // A file without any certificate reads as an empty list.
        if !pem.windows(PEM_MARK.len()).any(|window| window == PEM_MARK) {
            return Err(unusable("holds no PEM certificate".into()));
        }
        builder =
            builder.add_root_certificate(Certificate::from_pem(&pem).map_err(|error| unusable(error.to_string()))?);
    }
    builder.build_rustls().map_err(|error| EmailError::Tls(error.to_string()))
}

/// One mail transaction. Step by step rather than by lettre's `send`, to know how far it got.
async fn hand_over(connection: &mut AsyncSmtpConnection, letter: &Letter) -> Result<Response, Stopped> {
    let at = |step| move |error| Stopped { step, error };
    connection.command(Mail::new(Some(letter.from.clone()), Vec::new())).await.map_err(at(Step::Sender))?;
    connection.command(Rcpt::new(letter.to.clone(), Vec::new())).await.map_err(at(Step::Recipient))?;
    connection.command(Data).await.map_err(at(Step::Data))?;
    connection.message(&letter.bytes).await.map_err(at(Step::Content))
}

#[async_trait]
impl Channel for Email {
    async fn send(&self, delivery: &Delivery) -> SendOutcome {
        let letter = match letter::build(delivery, &self.from, self.reply_to.as_ref(), self.page.as_deref()) {
            Ok(letter) => letter,
            Err(why) => return SendOutcome::Permanent { why },
        };
        let kept = self.kept().pop();
        if let Some(mut connection) = kept {
            // Only 250 will do: a server that closes for idleness has left 221 or 421 in the pipe.
            if connection.command(Rset).await.is_ok_and(|reply| reply.has_code(250)) {
                match hand_over(&mut connection, &letter).await {
                    // Died between RSET and the content: nothing went out, a fresh connection may try at once.
                    Err(stopped) if stopped.is_lost() && stopped.step != Step::Content => {}
                    result => return self.settle(connection, result),
                }
            }
        }
        match self.connect().await {
            Ok(mut connection) => {
                let result = hand_over(&mut connection, &letter).await;
                self.settle(connection, result)
            }
            Err(why) => temporary(why),
        }
    }

    fn timeout(&self) -> Duration {
        self.timeout
    }

    fn at_once(&self) -> usize {
        AT_ONCE
    }

    async fn rest(&self) {
        let kept = std::mem::take(&mut *self.kept());
        for mut connection in kept {
            // QUIT is a courtesy: what the server answers changes nothing.
            let _ = connection.quit().await;
        }
    }
}

impl Email {
    fn kept(&self) -> MutexGuard<'_, Vec<AsyncSmtpConnection>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, connection: AsyncSmtpConnection) {
        let mut kept = self.kept();
        if kept.len() < AT_ONCE {
            kept.push(connection);
        }
    }

    /// Keeps the connection where the server still answers on it, and says what became of the message.
    fn settle(&self, connection: AsyncSmtpConnection, result: Result<Response, Stopped>) -> SendOutcome {
        match result {
            Ok(reply) => {
                self.keep(connection);
                let said: Vec<&str> = reply.message().collect();
                SendOutcome::Accepted { receipt: cut(&format!("{} {}", reply.code(), said.join(" "))) }
            }
            Err(stopped) => {
                if !stopped.is_lost() {
                    self.keep(connection);
                }
                stopped.outcome()
            }
        }
    }
}

#[cfg(test)]
mod tests;
