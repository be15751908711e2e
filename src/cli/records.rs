//! The tables of the store as JSON rows: units in the names, times ISO 8601 UTC, unknown = null.
//!
//! Boundaries: ✓ from records to rows, pure. ✗ no store of its own: whoever holds one implements `Records`.

use crate::app::AppError;
use crate::desk::accounts::{NewOwner, OwnerRow};
use crate::desk::{Waiting, WatchedPoint};
use crate::notice::{Delivery, Held, WatchPoint, latency};
use crate::store::{JournalEntry, LedgerOutcome, LedgerRow, OutboxRow};
use crate::threat::verification::Watched;
use crate::threat::{BlindSpot, PointState, Support};
use jiff::Timestamp;
use serde_json::{Value, json};

/// What the debug commands read, one method a table.
pub trait Records: Send + Sync {
    /// Counts and health, as one object.
    ///
    /// # Errors
    /// What the store says; likewise below.
    fn health(&self) -> Result<Value, AppError>;
    /// Watch points, sorted by id.
    ///
    /// # Errors
    /// See `health`.
    fn points(&self) -> Result<Vec<WatchPoint>, AppError>;
    /// State by watch point id.
    ///
    /// # Errors
    /// See `health`.
    fn states(&self) -> Result<Vec<(String, PointState)>, AppError>;
    /// The newest `limit` entries, oldest of them first.
    ///
    /// # Errors
    /// See `health`.
    fn journal(&self, limit: usize) -> Result<Vec<JournalEntry>, AppError>;
    /// Unsent notices in order of decision.
    ///
    /// # Errors
    /// See `health`.
    fn outbox(&self) -> Result<Vec<OutboxRow>, AppError>;
    /// The newest `limit` rows, oldest of them first.
    ///
    /// # Errors
    /// See `health`.
    fn ledger(&self, limit: usize) -> Result<Vec<LedgerRow>, AppError>;
    /// Held notices, what is due first before the others.
    ///
    /// # Errors
    /// See `health`.
    fn held(&self) -> Result<Vec<Held>, AppError>;
    /// Cursor by source.
    ///
    /// # Errors
    /// See `health`.
    fn cursors(&self) -> Result<Vec<(String, String)>, AppError>;
    /// The levels of all points over time, as they stood and as they were told, until now or the end of the last replay.
    ///
    /// # Errors
    /// See `health`.
    fn timelines(&self, now: Timestamp) -> Result<Vec<Watched>, AppError>;
    /// One object a source.
    ///
    /// # Errors
    /// See `health`.
    fn sources(&self) -> Result<Vec<Value>, AppError>;
}

/// A watch point as registered.
pub fn point(point: WatchPoint) -> Value {
    json!({
        "id": point.id, "owner": point.owner, "name": point.name,
        "lat": point.at.lat(), "lon": point.at.lon(),
        "min_level": point.min_level,
        "addresses": point.addresses, "waiting_addresses": point.waiting,
        "time_zone": point.time_zone,
        "created_utc": point.created_utc, "until_utc": point.until_utc,
        "waiting": point.waiting,
        "quiet_hours": point.quiet_hours.map(|hours| hours.to_string()),
        "snooze_until_utc": point.snooze_until_utc,
        "acknowledged": point.acknowledged,
    })
}

/// An address that gets nothing but its confirmation so far.
pub fn waiting(waiting: &Waiting) -> Value {
    json!({"address": waiting.address.to, "confirmed": waiting.asked.as_str(), "what_to_do": waiting.to_string()})
}

/// An owner as the operator sees them.
pub fn owner(row: OwnerRow) -> Value {
    json!({
        "id": row.owner.id, "name": row.owner.name, "created_utc": row.owner.created_utc,
        "revoked_utc": row.owner.revoked_utc, "watch_points": row.watch_points,
    })
}

/// An owner with the token that is shown this once.
pub fn new_owner(new: NewOwner) -> Value {
    json!({
        "owner": {"id": new.owner.id, "name": new.owner.name, "created_utc": new.owner.created_utc},
        "token": new.token, "login_url": new.login_url,
    })
}

/// A watch point with what stands for it.
pub fn watched(watched: WatchedPoint) -> Value {
    let WatchedPoint { point: registered, state } = watched;
    let mut row = point(registered);
    if let Value::Object(row) = &mut row {
        row.insert("level".to_owned(), json!(state.as_ref().map(|s| s.level)));
        row.insert("since_utc".to_owned(), json!(state.as_ref().map(|s| s.since_utc)));
        let blind = state.as_ref().map(|s| s.blind_spots.as_slice()).unwrap_or_default();
        row.insert("blind_spots".to_owned(), blind.iter().map(blind_spot).collect());
    }
    row
}

/// The level that stands for one watch point.
pub fn level(points: &[WatchPoint], id: &str, state: &PointState) -> Value {
    json!({
        "watch_point": id,
        "name": points.iter().find(|p| p.id == id).map(|p| p.name.as_str()),
        "level": state.level,
        "since_utc": state.since_utc,
        "held": held(state),
        "reasons": state.supports.iter().map(support).collect::<Vec<_>>(),
        "blind_spots": state.blind_spots.iter().map(blind_spot).collect::<Vec<_>>(),
        "blind_since_utc": state.blind_since_utc,
        "episode": state.episode,
    })
}

/// Whether a level stands only because reasons for it are held.
pub fn held(state: &PointState) -> bool {
    let mut carrying = state.supports.iter().filter(|s| s.reason.level >= state.level).peekable();
    carrying.peek().is_some() && carrying.all(|s| s.held.is_some())
}

/// Why a level moved.
pub fn journal(entry: JournalEntry) -> Value {
    let change = entry.change;
    json!({
        "number": entry.number,
        "at_utc": change.at_utc,
        "watch_point": change.watch_point,
        "from": change.from, "to": change.to, "cause": change.cause,
        "reasons": change.supports.iter().map(support).collect::<Vec<_>>(),
        "ended": change.ended.iter().map(support).collect::<Vec<_>>(),
        "assessment": change.assessment,
        "rules_version": entry.rules_version,
    })
}

/// What still has to be told.
pub fn outbox(row: OutboxRow) -> Value {
    merged(
        delivery(&row.delivery),
        json!({
            "attempts": row.attempts, "not_before_utc": row.not_before_utc, "last_error": row.last_error,
        }),
    )
}

/// What has been told or was given up.
pub fn ledger(row: LedgerRow) -> Value {
    let (outcome, detail) = match &row.outcome {
        LedgerOutcome::Told(receipt) => ("told", receipt),
        LedgerOutcome::Dead(why) => ("dead", why),
        LedgerOutcome::Unwanted(why) => ("unwanted", why),
    };
    merged(
        delivery(&row.delivery),
        json!({
            "attempts": row.attempts, "settled_utc": row.settled_utc, "outcome": outcome, "detail": detail,
        }),
    )
}

/// What is held.
pub fn held_notice(row: Held) -> Value {
    let stands = if row.told { "told already; listed for the digest" } else { "held for the digest" };
    json!({
        "stands": stands,
        "held": row.id, "owner": row.owner, "watch_point": row.watch_point,
        "reason": row.reason, "level": row.level, "episode": row.episode,
        "decided_utc": row.decided_utc, "due_utc": row.due_utc, "held_by": row.held_by, "told": row.told,
        "subject": row.subject,
    })
}

/// How long what was told took, a row a stage.
pub fn latency(rows: &[LedgerRow]) -> Vec<Value> {
    let told = rows.iter().filter(|row| matches!(row.outcome, LedgerOutcome::Told(_)));
    let stages = latency::latency(told.map(|row| (&row.delivery, row.settled_utc)));
    stages.into_iter().map(|stage| json!(stage)).collect()
}

fn delivery(delivery: &Delivery) -> Value {
    json!({
        "delivery": delivery.id, "number": delivery.number,
        "channel": delivery.address.kind, "to": delivery.address.to,
        "watch_points": delivery.watch_points,
        "reason": delivery.reason, "level": delivery.level, "episode": delivery.episode,
        "evidence_utc": delivery.evidence_utc, "seen_utc": delivery.seen_utc, "decided_utc": delivery.decided_utc,
        "useful_until_utc": delivery.useful_until_utc,
        "stands_in_for": delivery.stands_in_for,
        "subject": delivery.subject,
    })
}

fn merged(mut left: Value, right: Value) -> Value {
    if let (Value::Object(left), Value::Object(right)) = (&mut left, right) {
        left.extend(right);
    }
    left
}

/// A reason with how it stands.
pub fn support(support: &Support) -> Value {
    let reason = serde_json::to_value(&support.reason).unwrap_or(Value::Null);
    merged(reason, json!({"last_supported_utc": support.last_supported_utc, "held": support.held}))
}

/// A blind spot.
pub fn blind_spot(spot: &BlindSpot) -> Value {
    json!({"source": spot.source, "since_utc": spot.since_utc, "why": spot.why, "could_raise_to": spot.could_raise_to})
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::geo::LatLon;
    use crate::threat::{Level, Reason};

    pub(crate) fn a_support(level: Level, held: Option<&str>) -> Support {
        let at = "2031-05-09T21:00:00Z".parse().unwrap();
        Support {
            reason: Reason {
                rule: "tornado_warning_inside".to_owned(),
                subject: "KICT.TO.W.7.2031".to_owned(),
                level,
                text: "Tornado Warning until 21:45Z".to_owned(),
                source: "nws-warnings".to_owned(),
                evidence_id: "urn:x".to_owned(),
                observed_utc: at,
                age_s: 0,
                distance_km: Some(0.0),
                direction: None,
                until_utc: None,
                already_in_effect: false,
            },
            last_supported_utc: at,
            held: held.map(str::to_owned),
            ended_utc: None,
            sight_lost: false,
        }
    }

    pub(crate) fn a_state(level: Level, supports: Vec<Support>) -> PointState {
        PointState {
            level,
            since_utc: "2031-05-09T21:00:00Z".parse().unwrap(),
            supports,
            no_more_than_since_utc: [None; 5],
            blind_since_utc: None,
            episode: None,
            blind_spots: Vec::new(),
        }
    }

    #[test]
    fn a_level_is_held_only_when_everything_that_carries_it_is() {
        let fresh = a_support(Level::Extreme, None);
        let kept = a_support(Level::Extreme, Some("its source is blind"));
        let lower = a_support(Level::Elevated, None);
        assert!(!held(&a_state(Level::Extreme, vec![fresh, kept.clone()])));
        assert!(held(&a_state(Level::Extreme, vec![kept, lower])));
        assert!(!held(&a_state(Level::None, Vec::new())));
    }

    #[test]
    fn rows_carry_plain_figures_and_iso_times() {
        let row = level(&[], "wp_1", &a_state(Level::Extreme, vec![a_support(Level::Extreme, None)]));
        assert_eq!(row["level"], "extreme");
        assert_eq!(row["since_utc"], "2031-05-09T21:00:00Z");
        assert_eq!(row["reasons"][0]["distance_km"], 0.0);
        assert!(row["name"].is_null() && row["reasons"][0]["held"].is_null());
        let place = LatLon::new(37.74, -98.21).unwrap();
        let spot = WatchPoint {
            id: "wp_1".to_owned(),
            owner: "local".to_owned(),
            name: "lark".to_owned(),
            at: place,
            min_level: Level::Elevated,
            addresses: Vec::new(),
            time_zone: None,
            created_utc: "2031-05-09T21:00:00Z".parse().unwrap(),
            until_utc: None,
            client_token: None,
            waiting: Vec::new(),
            quiet_hours: None,
            snooze_until_utc: None,
            acknowledged: None,
        };
        assert_eq!(point(spot.clone())["lon"], -98.21);
        let row = watched(WatchedPoint { point: spot, state: None });
        assert!(row["level"].is_null() && row["blind_spots"].as_array().unwrap().is_empty());
    }
}
