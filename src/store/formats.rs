//! Rows as earlier builds wrote them, and how each becomes a row of this one.

use super::{LedgerOutcome, LedgerRow, OutboxRow};
use crate::geo::LatLon;
use crate::notice::{Address, Delivery, NoticeReason, WatchPoint};
use crate::threat::Level;
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Reads a row of format 1 where this build writes `present`.
pub(super) fn older<Old: DeserializeOwned + Into<New>, New>(
    format: u8,
    present: u8,
    body: &[u8],
) -> Result<New, String> {
    if format != 1 {
        return Err(format!("it has format {format}, this build reads formats 1 to {present}"));
    }
    let (row, rest) = postcard::take_from_bytes::<Old>(body).map_err(|error| error.to_string())?;
    match rest.len() {
        0 => Ok(row.into()),
        surplus => Err(format!("{surplus} bytes too many")),
    }
}

/// A watch point before quiet hours, snooze and acknowledgement.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
pub(super) struct WatchPoint1 {
    id: String,
    owner: String,
    name: String,
    at: LatLon,
    min_level: Level,
    addresses: Vec<Address>,
    time_zone: Option<String>,
    created_utc: Timestamp,
    until_utc: Option<Timestamp>,
    client_token: Option<String>,
}

impl From<WatchPoint1> for WatchPoint {
    fn from(old: WatchPoint1) -> Self {
        Self {
            id: old.id,
            owner: old.owner,
            name: old.name,
            at: old.at,
            min_level: old.min_level,
            addresses: old.addresses,
            time_zone: old.time_zone,
            created_utc: old.created_utc,
            until_utc: old.until_utc,
            client_token: old.client_token,
            waiting: Vec::new(),
            quiet_hours: None,
            snooze_until_utc: None,
            acknowledged: None,
        }
    }
}

/// A delivery before web push and one-click unsubscribing.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
struct Delivery1 {
    id: String,
    number: u64,
    address: Address,
    watch_points: Vec<String>,
    owner: String,
    reason: NoticeReason,
    level: Level,
    episode: String,
    thread_root: Option<String>,
    decided_utc: Timestamp,
    useful_until_utc: Timestamp,
    evidence_utc: Option<Timestamp>,
    subject: String,
    text: String,
    html: String,
}

impl From<Delivery1> for Delivery {
    fn from(old: Delivery1) -> Self {
        Self {
            id: old.id,
            number: old.number,
            address: old.address,
            watch_points: old.watch_points,
            owner: old.owner,
            reason: old.reason,
            level: old.level,
            episode: old.episode,
            thread_root: old.thread_root,
            decided_utc: old.decided_utc,
            useful_until_utc: old.useful_until_utc,
            evidence_utc: old.evidence_utc,
            seen_utc: None,
            subject: old.subject,
            text: old.text,
            html: old.html,
            payload: String::new(),
            unsubscribe_url: None,
            stands_in_for: None,
        }
    }
}

/// See `Delivery1`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
pub(super) struct OutboxRow1 {
    delivery: Delivery1,
    attempts: u32,
    not_before_utc: Option<Timestamp>,
    last_error: Option<String>,
}

impl From<OutboxRow1> for OutboxRow {
    fn from(old: OutboxRow1) -> Self {
        Self {
            delivery: old.delivery.into(),
            attempts: old.attempts,
            not_before_utc: old.not_before_utc,
            last_error: old.last_error,
        }
    }
}

/// See `Delivery1`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
pub(super) struct LedgerRow1 {
    delivery: Delivery1,
    settled_utc: Timestamp,
    outcome: LedgerOutcome,
    attempts: u32,
}

impl From<LedgerRow1> for LedgerRow {
    fn from(old: LedgerRow1) -> Self {
        Self {
            delivery: old.delivery.into(),
            settled_utc: old.settled_utc,
            outcome: old.outcome,
            attempts: old.attempts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::wire::{Wire, decode};

    fn now() -> Timestamp {
        "2026-06-10T21:32:00Z".parse().unwrap()
    }

    fn written(row: &impl serde::Serialize) -> Vec<u8> {
        postcard::to_extend(row, vec![1]).unwrap()
    }

    #[test]
    fn what_the_former_build_wrote_is_read() {
        let point = WatchPoint1 {
            id: "wp_1".into(),
            owner: "local".into(),
            name: "home".into(),
            at: LatLon::new(40.52, -92.9).unwrap(),
            min_level: Level::Significant,
            addresses: vec![],
            time_zone: Some("America/Chicago".into()),
            created_utc: now(),
            until_utc: None,
            client_token: Some("t".into()),
        };
        let read: WatchPoint = decode(b"wp_1", &written(&point)).unwrap();
        assert_eq!(
            (read.name.as_str(), read.min_level, read.client_token.as_deref()),
            ("home", Level::Significant, Some("t"))
        );
        let delivery = Delivery1 {
            id: "d".into(),
            number: 7,
            address: Address { kind: crate::notice::ChannelKind::Email, to: "a@example.org".into() },
            watch_points: vec!["wp_1".into()],
            owner: "local".into(),
            reason: NoticeReason::Test,
            level: Level::None,
            episode: "ep".into(),
            thread_root: None,
            decided_utc: now(),
            useful_until_utc: now(),
            evidence_utc: None,
            subject: "s".into(),
            text: "t".into(),
            html: "h".into(),
        };
        let row = OutboxRow1 { delivery, attempts: 3, not_before_utc: Some(now()), last_error: None };
        let read: OutboxRow = decode(b"d", &written(&row)).unwrap();
        assert_eq!((read.delivery.number, read.delivery.html.as_str(), read.attempts), (7, "h", 3));
        let row = LedgerRow1 {
            delivery: row.delivery,
            settled_utc: now(),
            outcome: LedgerOutcome::Told("250 ok".into()),
            attempts: 4,
        };
        let read: LedgerRow = decode(b"d", &written(&row)).unwrap();
        assert_eq!((read.outcome, read.attempts), (LedgerOutcome::Told("250 ok".into()), 4));
        assert_eq!(LedgerRow::FORMAT, 2);
    }
}
