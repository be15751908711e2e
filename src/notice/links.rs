//! Links in mails, and the codes where there can be no links: what they stand for is written in them and signed, so that
//! nothing has to be looked up to know that they are ours.
//!
//! A link token is base64url of HMAC-SHA256 (RFC 2104), 32 bytes, and what it signs: purpose, owner, address, when it was
//! given out and until when it counts. A token for one purpose is worth nothing for another.
//!
//! Boundaries: ✓ pure; `now` is an argument. ✗ whether a confirmation was used already is the store's to say.

use crate::notice::Address;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::fmt;
use std::fmt::Write;

/// Stands before what is signed: no other use of the same key can be taken for a link.
const LINK_MARK: &[u8] = b"stormbell link 1\0";
/// See `LINK_MARK`; for the codes that are typed.
const CODE_MARK: &[u8] = b"stormbell code 1\0";
/// Bytes of the signature.
const MAC_BYTES: usize = 32;
/// Longest token that is looked at, characters: an owner and the longest email address make some 500.
const TOKEN_CHARS_MAX: usize = 1_024;

/// The key of one installation.
#[derive(Clone, PartialEq, Eq)]
pub struct LinkKey([u8; 32]);

impl fmt::Debug for LinkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkKey(***)")
    }
}

/// What a link does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// Proves that whoever reads the mail wants the notices of that owner.
    Confirm,
    /// Ends all notices of that owner to the address.
    Unsubscribe,
}

/// What a link says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linked {
    /// What it does.
    pub purpose: Purpose,
    /// Whose notices it is about.
    pub owner: String,
    /// The address.
    pub address: Address,
    /// When it was given out, where that matters.
    pub issued_utc: Option<Timestamp>,
    /// Until when it counts; `None` for ever.
    pub good_until_utc: Option<Timestamp>,
}

impl LinkKey {
    /// A key of these bytes, which must be random.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The token that stands for this. The same gives the same.
    pub fn token(&self, linked: &Linked) -> String {
        // Names and times: postcard cannot fail on them; an empty body would only be a token that opens nothing.
        let body = postcard::to_stdvec(linked).unwrap_or_default();
        let mut bytes = self.mac(LINK_MARK, &body).map_or_else(Vec::new, |mac| mac.finalize().into_bytes().to_vec());
        bytes.extend(body);
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// What a token stands for; `None` for one that we did not make for this purpose, or that counts no more at `now`.
    pub fn open(&self, purpose: Purpose, token: &str, now: Timestamp) -> Option<Linked> {
        if token.len() > TOKEN_CHARS_MAX {
            return None;
        }
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(token.trim()).ok()?;
        let (signature, body) = bytes.split_at_checked(MAC_BYTES)?;
        // Compares in constant time.
        self.mac(LINK_MARK, body)?.verify_slice(signature).ok()?;
        let linked: Linked = postcard::from_bytes(body).ok()?;
        let counts = linked.good_until_utc.is_none_or(|until| now < until);
        (linked.purpose == purpose && counts).then_some(linked)
    }

    /// What is kept of a code for an address: hexadecimal, and of no use to whoever reads the store without the key (a bare
    /// hash of six digits would tell them).
    pub fn code_hash(&self, owner: &str, address: &Address, code: &str) -> String {
        let fields = [owner, address.kind.as_str(), &address.to, code].join("\0");
        let mut text = String::with_capacity(2 * MAC_BYTES);
        for byte in self.mac(CODE_MARK, fields.as_bytes()).into_iter().flat_map(|mac| mac.finalize().into_bytes()) {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }

    fn mac(&self, mark: &[u8], body: &[u8]) -> Option<Hmac<Sha256>> {
        // HMAC takes keys of any length: this is never `None`.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(mark);
        mac.update(body);
        Some(mac)
    }
}

/// How mails lead back to this installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    /// Where the web page is for those who read mails: scheme, host and port without a closing slash.
    pub public_url: Option<String>,
    /// Signs.
    pub key: LinkKey,
    /// Whom an answer to a mail reaches, where mail is set up: the way out where there is no web page.
    pub answers_to: Option<String>,
}

impl Links {
    /// For mails that nobody sends: no way back.
    pub fn none() -> Self {
        Self { public_url: None, key: LinkKey::new([0; 32]), answers_to: None }
    }

    /// Where one click ends all notices of `owner` to `address`. It counts for ever: an old mail is as good as a new one.
    pub fn unsubscribe_url(&self, owner: &str, address: &Address) -> Option<String> {
        let (owner, address) = (owner.to_owned(), address.clone());
        let linked = Linked { purpose: Purpose::Unsubscribe, owner, address, issued_utc: None, good_until_utc: None };
        self.page(&format!("/unsubscribe?token={}", self.key.token(&linked)))
    }

    /// Where an address is confirmed.
    pub fn confirm_url(
        &self,
        owner: &str,
        address: &Address,
        issued_utc: Timestamp,
        good_until_utc: Timestamp,
    ) -> Option<String> {
        let (owner, address) = (owner.to_owned(), address.clone());
        let (issued_utc, good_until_utc) = (Some(issued_utc), Some(good_until_utc));
        let linked = Linked { purpose: Purpose::Confirm, owner, address, issued_utc, good_until_utc };
        self.page(&format!("/confirm?token={}", self.key.token(&linked)))
    }

    /// The page of a watch point.
    pub fn point_url(&self, id: &str) -> Option<String> {
        self.page(&format!("/points/{id}"))
    }

    fn page(&self, path: &str) -> Option<String> {
        Some(format!("{}{path}", self.public_url.as_deref()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::ChannelKind;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_780_000_000 + second).unwrap()
    }

    fn anna() -> Address {
        Address { kind: ChannelKind::Email, to: "anna@example.org".into() }
    }

    fn linked(purpose: Purpose) -> Linked {
        let (issued_utc, good_until_utc) = (Some(at(0)), Some(at(60)));
        Linked { purpose, owner: "ow_1".into(), address: anna(), issued_utc, good_until_utc }
    }

    #[test]
    fn a_token_says_what_it_was_made_for_until_its_time_is_over() {
        let key = LinkKey::new([7; 32]);
        let token = key.token(&linked(Purpose::Confirm));
        assert_eq!(token, key.token(&linked(Purpose::Confirm)), "the same bytes at every try");
        assert!(token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'), "{token}");
        assert_eq!(key.open(Purpose::Confirm, &token, at(59)), Some(linked(Purpose::Confirm)));
        assert_eq!(key.open(Purpose::Confirm, &token, at(60)), None, "late");
        assert_eq!(key.open(Purpose::Unsubscribe, &token, at(0)), None, "for something else");
        assert_eq!(LinkKey::new([8; 32]).open(Purpose::Confirm, &token, at(0)), None, "of another installation");
        for cut in [0, 1, 42, token.len() - 1] {
            assert_eq!(key.open(Purpose::Confirm, &token[..cut], at(0)), None);
        }
        for place in 0..token.len() {
            let mut other = token.clone().into_bytes();
            other[place] = if other[place] == b'A' { b'B' } else { b'A' };
            let other = String::from_utf8(other).unwrap();
            assert_eq!(key.open(Purpose::Confirm, &other, at(0)), None, "character {place}");
        }
        assert_eq!(key.open(Purpose::Confirm, &"A".repeat(1_000_000), at(0)), None);
    }

    /// RFC 2104 by Python's `hmac`, over the same bytes.
    #[test]
    fn a_code_is_kept_as_an_hmac() {
        let key = LinkKey::new([7; 32]);
        let hash = key.code_hash("ow_1", &anna(), "012345");
        assert_eq!(hash, "107453f8c3542c802eb957ddb14c3e07ebe3e28840ec01086d01a6901fcba494");
        assert_ne!(hash, key.code_hash("ow_2", &anna(), "012345"));
        assert_ne!(hash, key.code_hash("ow_1", &anna(), "012346"));
    }

    #[test]
    fn links_lead_to_the_public_page_or_nowhere() {
        let links = Links { public_url: Some("https://bell.example.org".into()), ..Links::none() };
        let url = links.unsubscribe_url("ow_1", &anna()).unwrap();
        let token = url.strip_prefix("https://bell.example.org/unsubscribe?token=").unwrap();
        let opened = links.key.open(Purpose::Unsubscribe, token, Timestamp::MAX).unwrap();
        assert_eq!((opened.owner.as_str(), opened.address), ("ow_1", anna()));
        assert_eq!(links.point_url("wp_1").unwrap(), "https://bell.example.org/points/wp_1");
        let none = Links::none();
        assert_eq!(none.unsubscribe_url("ow_1", &anna()), None);
        assert_eq!(none.confirm_url("ow_1", &anna(), at(0), at(1)), None);
        assert!(!format!("{links:?}").contains("[7"));
    }
}
