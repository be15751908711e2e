//! Deterministic ids: two tries, two shards or a process after a crash give the same thing the same name, so that
//! telling it twice is noticed by the other side.
//!
//! All are SHA-256 over length-prefixed fields, cut to what the place of use allows.

use crate::geo::LatLon;
use crate::notice::{Address, Delivery, NoticeReason};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Hex digits of a delivery id: 160 bits, and still a comfortable Message-ID.
const DELIVERY_HEX: usize = 40;
/// Hex digits of an episode id.
const EPISODE_HEX: usize = 16;
/// Hex digits of a watch point id: short enough to type.
const WATCH_POINT_HEX: usize = 12;
/// Hex digits of an owner id: short enough to type.
const OWNER_HEX: usize = 12;
/// Hex digits of a browser id: 128 bits, nobody guesses one.
const BROWSER_HEX: usize = 32;
/// Bytes behind a push topic: 32 base64url characters, the limit of RFC 8030.
const TOPIC_BYTES: usize = 24;

/// Id of a delivery: the Message-ID of an email, the tag of a push, the key of the ledger. The order of
/// `watch_points` does not matter.
pub fn delivery_id(watch_points: &[String], episode: &str, sequence: u32, address: &Address) -> String {
    let mut points: Vec<&str> = watch_points.iter().map(String::as_str).collect();
    points.sort_unstable();
    points.dedup();
    let count = points.len().to_string();
    let sequence = sequence.to_string();
    let mut fields = vec!["delivery", &count];
    fields.extend(points);
    fields.extend([episode, &sequence, address.kind.as_str(), &address.to]);
    hex(&fields, DELIVERY_HEX)
}

/// Id of an episode of a watch point.
pub fn episode_id(watch_point: &str, began_utc: Timestamp) -> String {
    format!("ep_{}", hex(&["episode", watch_point, &began_utc.to_string()], EPISODE_HEX))
}

/// Id of an owner.
pub fn owner_id(name: &str, created_utc: Timestamp) -> String {
    format!("ow_{}", hex(&["owner", name, &created_utc.to_string()], OWNER_HEX))
}

/// What stands for the episode in the id of a confirmation: each asking is one of its own.
pub fn asking_id(owner: &str, address: &Address, asked_utc: Timestamp) -> String {
    let fields = ["asking", owner, address.kind.as_str(), &address.to, &asked_utc.to_string()];
    format!("as_{}", hex(&fields, EPISODE_HEX))
}

/// Id of a watch point.
pub fn watch_point_id(owner: &str, name: &str, at: LatLon, created_utc: Timestamp) -> String {
    let fields = ["watch_point", owner, name, &at.key_4dp(), &created_utc.to_string()];
    format!("wp_{}", hex(&fields, WATCH_POINT_HEX))
}

/// Id of a push subscription: the same browser of the same owner has the same id, whatever its keys.
pub fn browser_id(owner: &str, endpoint: &str) -> String {
    format!("br_{}", hex(&["browser", owner, endpoint], BROWSER_HEX))
}

/// Id of a held notice.
pub fn held_id(watch_point: &str, episode: &str, sequence: u32) -> String {
    hex(&["held", watch_point, episode, &sequence.to_string()], DELIVERY_HEX)
}

/// Id of a digest to one address: of the held notices that it tells, whatever their order.
pub fn digest_id(held: &[String], address: &Address) -> String {
    let mut held: Vec<&str> = held.iter().map(String::as_str).collect();
    held.sort_unstable();
    let mut fields = vec!["digest", address.kind.as_str(), &address.to];
    fields.extend(held);
    hex(&fields, DELIVERY_HEX)
}

/// Id of what stands in for a notice at another address of its owner, whichever of the notice's deliveries failed: two that
/// fail make one.
pub fn stand_in_id(notice: &Delivery, address: &Address) -> String {
    let mut points: Vec<&str> = notice.watch_points.iter().map(String::as_str).collect();
    points.sort_unstable();
    let decided = notice.decided_utc.to_string();
    let mut fields = vec!["stand_in", &notice.owner, &notice.episode, notice.reason.as_str(), &decided];
    fields.extend([address.kind.as_str(), &address.to]);
    fields.extend(points);
    hex(&fields, DELIVERY_HEX)
}

/// Id of what tells an owner that warnings cannot be seen (or can again) since they were told at `told_utc`.
pub fn sight_id(owner: &str, reason: NoticeReason, told_utc: Timestamp, address: &Address) -> String {
    let told = told_utc.to_string();
    hex(&["sight", owner, reason.as_str(), &told, address.kind.as_str(), &address.to], DELIVERY_HEX)
}

/// How what stands for an episode in messages about sight begins.
const SIGHT: &str = "sight_";

/// What stands for the episode in messages of `sight_id`: they thread, and one replaces the other.
pub fn sight_episode(owner: &str, told_utc: Timestamp) -> String {
    format!("{SIGHT}{}", hex(&["sight_episode", owner, &told_utc.to_string()], EPISODE_HEX))
}

/// Whether an episode is what stands for one in messages to an owner about sight: they name points, and tell of none.
pub fn is_sight_episode(episode: &str) -> bool {
    episode.starts_with(SIGHT)
}

/// What stands for the episode in a test that was asked for at `asked_utc`.
pub fn test_episode(watch_point: &str, asked_utc: Timestamp) -> String {
    format!("test_{}", hex(&["test", watch_point, &asked_utc.to_string()], EPISODE_HEX))
}

/// `Topic` of web push for one episode of a watch point: a newer state replaces one that is not delivered yet.
pub fn push_topic(watch_point: &str, episode: &str) -> String {
    let digest = digest(&["topic", watch_point, episode]);
    BASE64_URL_SAFE_NO_PAD.encode(digest.get(..TOPIC_BYTES).unwrap_or(&digest))
}

/// Each field goes in behind its length, so that moving a letter from one field to the next changes the id.
fn digest(fields: &[&str]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for field in fields {
        hasher.update((field.len() as u64).to_be_bytes());
        hasher.update(field.as_bytes());
    }
    hasher.finalize().into()
}

fn hex(fields: &[&str], digits: usize) -> String {
    let mut text = String::with_capacity(64);
    for byte in digest(fields) {
        let _ = write!(text, "{byte:02x}");
    }
    text.truncate(digits);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::ChannelKind;

    fn email(to: &str) -> Address {
        Address { kind: ChannelKind::Email, to: to.into() }
    }

    #[test]
    fn the_same_thing_has_the_same_id_whatever_the_order_of_points() {
        let (a, b) = ("wp_1".to_string(), "wp_2".to_string());
        let id = delivery_id(&[a.clone(), b.clone()], "ep_1", 3, &email("x@example.org"));
        assert_eq!(id, delivery_id(&[b.clone(), a.clone()], "ep_1", 3, &email("x@example.org")));
        assert_eq!(id.len(), 40);
        let others = [
            delivery_id(std::slice::from_ref(&a), "ep_1", 3, &email("x@example.org")),
            delivery_id(&[a.clone(), b.clone()], "ep_2", 3, &email("x@example.org")),
            delivery_id(&[a.clone(), b.clone()], "ep_1", 4, &email("x@example.org")),
            delivery_id(&[a.clone(), b.clone()], "ep_1", 3, &email("y@example.org")),
            delivery_id(&[a, b, "ep_1".into()], "", 3, &email("x@example.org")),
        ];
        assert!(others.iter().all(|other| *other != id));
    }

    /// Stored ids outlive a release: the reckoning was checked by sha256 over the same bytes in Python.
    #[test]
    fn the_reckoning_is_the_published_one() {
        let id = delivery_id(&["wp_1".into()], "ep_1", 1, &email("x@example.org"));
        assert_eq!(id, "1931df58f5cf2ab95eec00b453bfd8869c2de708");
    }

    #[test]
    fn ids_are_short_and_plain() {
        let at = LatLon::new(40.52, -92.9).expect("point");
        let point = watch_point_id("local", "home", at, Timestamp::UNIX_EPOCH);
        assert!(point.starts_with("wp_") && point.len() == 15, "{point}");
        assert!(point[3..].bytes().all(|b| b.is_ascii_hexdigit()));
        let later = Timestamp::from_second(1).expect("second");
        assert_ne!(point, watch_point_id("local", "home", at, later));
        assert_ne!(episode_id(&point, Timestamp::UNIX_EPOCH), episode_id(&point, later));
        assert_eq!(episode_id(&point, later), episode_id(&point, later));
    }

    /// Field report P05: Apple refuses topics over 32 characters or outside base64url.
    #[test]
    fn a_push_topic_is_32_base64url_characters() {
        let topic = push_topic("wp_1", "ep_1");
        assert_eq!(topic.len(), 32);
        assert!(topic.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'), "{topic}");
    }
}
