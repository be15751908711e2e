//! Rows as earlier builds wrote them, and how each becomes a row of this one.

use super::{LedgerOutcome, LedgerRow, OutboxRow};
use crate::geo::LatLon;
use crate::notice::{Address, AddressProof, Delivery, Held, HeldBy, NoticeReason, WatchPoint};
use crate::threat::Level;
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Reads a row of an `older` format, which is `format` unless it is one that this build does not know.
pub(super) fn older<Old: DeserializeOwned + Into<New>, New>(format: u8, older: u8, body: &[u8]) -> Result<New, String> {
    if format != older {
        return Err(format!("it has format {format}, which this build does not read"));
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
pub(super) struct Delivery1 {
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

/// A row of the ledger before `LedgerOutcome::Unwanted`, with the delivery of its format.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
pub(super) struct LedgerRowBefore3<D> {
    delivery: D,
    settled_utc: Timestamp,
    outcome: LedgerOutcome,
    attempts: u32,
}

impl<D: Into<Delivery>> From<LedgerRowBefore3<D>> for LedgerRow {
    fn from(old: LedgerRowBefore3<D>) -> Self {
        let outcome = match old.outcome {
            LedgerOutcome::Dead(why) if why == "its holder unsubscribed" => LedgerOutcome::Unwanted(why),
            outcome => outcome,
        };
        Self { delivery: old.delivery.into(), settled_utc: old.settled_utc, outcome, attempts: old.attempts }
    }
}

/// A held notice before it was known who had heard of what it changes.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
pub(super) struct Held1 {
    id: String,
    owner: String,
    watch_point: String,
    reason: NoticeReason,
    level: Level,
    decided_utc: Timestamp,
    due_utc: Timestamp,
    subject: String,
    episode: String,
    held_by: HeldBy,
    told: bool,
}

impl From<Held1> for Held {
    fn from(old: Held1) -> Self {
        Self {
            id: old.id,
            owner: old.owner,
            watch_point: old.watch_point,
            reason: old.reason,
            level: old.level,
            decided_utc: old.decided_utc,
            due_utc: old.due_utc,
            subject: old.subject,
            episode: old.episode,
            held_by: old.held_by,
            told: old.told,
            heard: Vec::new(),
        }
    }
}

/// What stood of an address before it was known whether the owner's configuration names it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(serde::Serialize))]
pub(super) struct AddressProof1 {
    owner: String,
    address: Address,
    proven_utc: Option<Timestamp>,
    asked_utc: Vec<Timestamp>,
    code: Option<(String, Timestamp)>,
    wrong_codes: u32,
    unsubscribed_utc: Option<Timestamp>,
}

impl From<AddressProof1> for AddressProof {
    fn from(old: AddressProof1) -> Self {
        // Proven without ever having been asked: by the configuration, which says at every start which these are.
        let asked = !old.asked_utc.is_empty();
        Self {
            owner: old.owner,
            address: old.address,
            proven_utc: old.proven_utc.filter(|_| asked),
            asked_utc: old.asked_utc,
            code: old.code,
            wrong_codes: old.wrong_codes,
            unsubscribed_utc: old.unsubscribed_utc,
            is_own: old.proven_utc.is_some() && !asked,
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
        let delivery: Delivery = decode::<OutboxRow>(b"d", &written(&row)).unwrap().delivery;
        let row = LedgerRowBefore3 {
            delivery: row.delivery,
            settled_utc: now(),
            outcome: LedgerOutcome::Told("250 ok".into()),
            attempts: 4,
        };
        let read: LedgerRow = decode(b"d", &written(&row)).unwrap();
        assert_eq!((read.outcome, read.attempts), (LedgerOutcome::Told("250 ok".into()), 4));
        let unsubscribed = LedgerOutcome::Dead("its holder unsubscribed".into());
        let row = LedgerRowBefore3 { delivery, settled_utc: now(), outcome: unsubscribed, attempts: 0 };
        let read: LedgerRow = decode(b"d", &postcard::to_extend(&row, vec![2]).unwrap()).unwrap();
        assert_eq!(read.outcome, LedgerOutcome::Unwanted("its holder unsubscribed".into()));
        assert_eq!((read.delivery.number, LedgerRow::FORMAT), (7, 3));
        assert!(decode::<LedgerRow>(b"d", &postcard::to_extend(&row, vec![4]).unwrap()).is_err(), "of a later build");
    }

    #[test]
    fn a_held_row_of_the_former_build_is_read() {
        let old = Held1 {
            id: "h".into(),
            owner: "local".into(),
            watch_point: "wp_1".into(),
            reason: NoticeReason::Lowered,
            level: Level::Elevated,
            decided_utc: now(),
            due_utc: now(),
            subject: "s".into(),
            episode: "ep".into(),
            held_by: HeldBy::Snooze,
            told: true,
        };
        let read: Held = decode(b"h", &written(&old)).unwrap();
        assert_eq!((read.held_by, read.told, read.heard.len(), read.episode.as_str()), (HeldBy::Snooze, true, 0, "ep"));
    }

    #[test]
    fn what_was_proven_by_the_configuration_alone_is_not_proven_for_good() {
        let read = |asked_utc: Vec<Timestamp>| -> AddressProof {
            let old = AddressProof1 {
                owner: "local".into(),
                address: Address { kind: crate::notice::ChannelKind::Email, to: "a@example.org".into() },
                proven_utc: Some(now()),
                asked_utc,
                code: None,
                wrong_codes: 0,
                unsubscribed_utc: None,
            };
            decode(b"a", &written(&old)).unwrap()
        };
        assert_eq!((read(vec![]).proven_utc, read(vec![]).is_own), (None, true));
        assert_eq!((read(vec![now()]).proven_utc, read(vec![now()]).is_own), (Some(now()), false));
    }
}
