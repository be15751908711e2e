//! The keys of one installation, in files of their own beside the store: nobody but their owner may read them.
//!
//! - `vapid-key.pem`: the P-256 private key by which push services know this sender (RFC 8292), as PKCS#8. A browser's
//!   subscription is bound to it: with another key every browser has to switch push on again.
//! - `link-key`: 32 random bytes as hexadecimal, from which the codes in confirmation and unsubscribe links are made.
//!
//! Invariant: a key file appears whole or not at all, and is never overwritten: of two processes that make one at the same
//! moment, both end with the same key.

use super::Store;
use super::durable::sync_dir;
use super::error::StoreError;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use p256::SecretKey;
use p256::elliptic_curve::rand_core::{OsRng, RngCore};
use p256::elliptic_curve::sec1::ToEncodedPoint;
use p256::pkcs8::{DecodePrivateKey, EncodePrivateKey, LineEnding};
use std::fmt;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The key by which push services know us.
pub const VAPID_FILE: &str = "vapid-key.pem";
/// The key of links in mails.
pub const LINK_FILE: &str = "link-key";
/// A key file larger than this is some other file.
const FILE_BYTES_MAX: u64 = 4_096;
/// Bytes of the link key: as many as SHA-256 has, which is what HMAC asks for.
const LINK_KEY_BYTES: usize = 32;
/// Who else may do anything with a key file: nobody.
#[cfg(unix)]
const OTHERS: u32 = 0o077;

/// The keys. Cheap to clone; shows none of them.
#[derive(Clone)]
pub struct Secrets {
    vapid: SecretKey,
    link: [u8; LINK_KEY_BYTES],
}

/// Keys, and which of their files had to be made.
#[derive(Debug, Clone)]
pub struct OpenedSecrets {
    /// The keys.
    pub secrets: Secrets,
    /// Files that were not there and have been made.
    pub made: Vec<PathBuf>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").field("vapid_public", &self.vapid_public()).finish_non_exhaustive()
    }
}

impl Secrets {
    /// The keys in a data directory, which is made where it is missing, as are keys that are missing.
    ///
    /// # Errors
    /// `Secret` for a file that others may read or that holds no such key; `Io`.
    pub fn open(dir: &Path) -> Result<OpenedSecrets, StoreError> {
        super::open::make_dir(dir)?;
        let mut made = Vec::new();
        let vapid = keep(&dir.join(VAPID_FILE), &mut made, read_vapid, new_vapid)?;
        let link = keep(&dir.join(LINK_FILE), &mut made, read_link, new_link)?;
        Ok(OpenedSecrets { secrets: Self { vapid, link }, made })
    }

    /// The keys that belong to a store, read once: those beside it, or for a store in memory some that are as short-lived.
    ///
    /// # Errors
    /// As `open`.
    pub fn of(store: &Store) -> Result<Self, StoreError> {
        if let Some(known) = store.0.secrets.get() {
            return Ok(known.clone());
        }
        let secrets = match store.dir() {
            Some(dir) => {
                let OpenedSecrets { secrets, made } = Self::open(dir)?;
                if made.iter().any(|path| path.ends_with(VAPID_FILE)) && !store.browsers()?.rows.is_empty() {
                    tracing::warn!(
                        "{VAPID_FILE} was missing and is a new one: every browser has to switch push on again"
                    );
                }
                secrets
            }
            None => Self::in_memory(),
        };
        // Two that come at the same moment end with the same keys.
        Ok(store.0.secrets.get_or_init(|| secrets).clone())
    }

    /// Keys that are gone with the process: for a store in memory.
    pub fn in_memory() -> Self {
        let mut link = [0; LINK_KEY_BYTES];
        OsRng.fill_bytes(&mut link);
        Self { vapid: SecretKey::random(&mut OsRng), link }
    }

    /// Key of the HMAC over what a confirmation or unsubscribe link stands for.
    pub fn link_key(&self) -> &[u8; LINK_KEY_BYTES] {
        &self.link
    }

    /// The private key that signs VAPID tokens.
    pub fn vapid_key(&self) -> &SecretKey {
        &self.vapid
    }

    /// The public key as a browser wants it for `applicationServerKey`, and as it stands in the header `Authorization`: an
    /// uncompressed point as base64url without padding, 87 characters.
    pub fn vapid_public(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.vapid.public_key().to_encoded_point(false).as_bytes())
    }
}

/// Reads a key, or makes it. Whoever loses the race to make it reads the winner's.
fn keep<T>(
    path: &Path,
    made: &mut Vec<PathBuf>,
    read: fn(&str) -> Result<T, &'static str>,
    new: fn() -> Option<String>,
) -> Result<T, StoreError> {
    let read_key = |text: &str| {
        read(text).map_err(|what| StoreError::Secret {
            path: path.to_owned(),
            why: format!("holds no {what}: restore it from a backup, or move it away to have a new one made"),
        })
    };
    if let Some(text) = read_private(path)? {
        return read_key(&text);
    }
    let no_key = || StoreError::Secret { path: path.to_owned(), why: "no key can be drawn".to_owned() };
    let text = new().ok_or_else(no_key)?;
    if make(path, &text)? {
        made.push(path.to_owned());
        return read_key(&text);
    }
    let theirs = read_private(path)?;
    read_key(&theirs.ok_or_else(|| StoreError::Secret { path: path.to_owned(), why: "came and went".to_owned() })?)
}

/// Writes a new file for its owner alone, lastingly; false where one stands already.
fn make(path: &Path, text: &str) -> Result<bool, StoreError> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = |error: &std::io::Error| StoreError::io(path, "write", error);
    // Made with mode 600; ends in `.tmp` as everything unfinished here does.
    let mut beside =
        tempfile::Builder::new().prefix(".key-").suffix(".tmp").tempfile_in(dir).map_err(|e| failed(&e))?;
    beside.write_all(text.as_bytes()).and_then(|()| beside.as_file().sync_all()).map_err(|e| failed(&e))?;
    match beside.persist_noclobber(path) {
        Ok(_) => sync_dir(dir).map(|()| true),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed(&error.error)),
    }
}

/// The text of a file that nobody else may read; `None` where there is none.
fn read_private(path: &Path) -> Result<Option<String>, StoreError> {
    let failed = |error: &std::io::Error| StoreError::io(path, "read", error);
    let refused = |why: String| StoreError::Secret { path: path.to_owned(), why };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    // Of the open file, not of the name: what is checked is what is read.
    let meta = file.metadata().map_err(|error| failed(&error))?;
    if !meta.is_file() {
        return Err(refused("is no file".to_owned()));
    }
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::MetadataExt::mode(&meta) & 0o777;
        if mode & OTHERS != 0 {
            let why = format!("can be read or written by others (mode {mode:03o}): chmod 600 {}", path.display());
            return Err(refused(why));
        }
    }
    let mut text = String::new();
    match file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text) {
        Ok(_) if text.len() as u64 <= FILE_BYTES_MAX => Ok(Some(text)),
        Ok(_) => Err(refused(format!("is larger than {FILE_BYTES_MAX} bytes: not a key"))),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Err(refused("is not text".to_owned())),
        Err(error) => Err(failed(&error)),
    }
}

fn read_vapid(text: &str) -> Result<SecretKey, &'static str> {
    SecretKey::from_pkcs8_pem(text.trim()).map_err(|_| "P-256 private key (PKCS#8, PEM)")
}

fn new_vapid() -> Option<String> {
    SecretKey::random(&mut OsRng).to_pkcs8_pem(LineEnding::LF).ok().map(|pem| pem.to_string())
}

fn read_link(text: &str) -> Result<[u8; LINK_KEY_BYTES], &'static str> {
    let what = "link key (64 hexadecimal digits)";
    let digits: Vec<u8> =
        text.trim().chars().map_while(|c| c.to_digit(16)).filter_map(|d| u8::try_from(d).ok()).collect();
    let bytes: Vec<u8> = digits.chunks_exact(2).filter_map(|pair| Some(pair.first()? << 4 | pair.last()?)).collect();
    let whole = text.trim().len() == 2 * LINK_KEY_BYTES && digits.len() == 2 * LINK_KEY_BYTES;
    if whole { bytes.try_into().map_err(|_| what) } else { Err(what) }
}

fn new_link() -> Option<String> {
    use std::fmt::Write;
    let mut bytes = [0; LINK_KEY_BYTES];
    OsRng.fill_bytes(&mut bytes);
    let mut text = String::with_capacity(2 * LINK_KEY_BYTES + 1);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text.push('\n');
    Some(text)
}

#[cfg(test)]
mod tests;
