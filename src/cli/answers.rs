//! What a one-shot command may ask, and the JSON document that answers it: the same from a store opened directly and
//! from a running process over the local socket.
//!
//! Boundaries: ✓ from `Desk` and `Records` to JSON. ✗ no sockets (`cli::local`), no printing.

use crate::app::AppError;
use crate::cli::args::Table;
use crate::cli::fail::Failure;
use crate::cli::nws;
use crate::cli::records::{self, Records};
use crate::desk::accounts::Operator;
use crate::desk::{Desk, LOCAL_OWNER, NewWatchPoint};
use crate::geo::LatLon;
use crate::mcp::tools::nws as routine;
use crate::notice::{Address, AddressProof, ChannelKind, QuietHours};
use crate::threat::{Level, PointState};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

mod points;

pub use points::{Typed, channels, no_email};

/// One question. On the socket: one line of JSON, `{"ask":"levels"}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Ask {
    /// Counts and health.
    State,
    /// Watch points.
    Points,
    /// Levels.
    Levels,
    /// The newest entries of the journal.
    Journal {
        /// At most this many.
        limit: usize,
    },
    /// Unsent notices.
    Outbox,
    /// The newest rows of the ledger.
    Ledger {
        /// At most this many.
        limit: usize,
    },
    /// Held notices.
    Held,
    /// Latency of the newest rows of the ledger.
    Latency {
        /// Of at most this many.
        limit: usize,
    },
    /// Cursors.
    Cursors,
    /// Source statuses.
    Sources,
    /// Register a watch point.
    WatchAdd {
        /// Its name.
        name: String,
        /// Degrees north.
        lat: f64,
        /// Degrees east.
        lon: f64,
        /// Nothing below is told.
        min_level: Level,
        /// Email addresses.
        emails: Vec<String>,
        /// Whether notices also go to the owner's browsers.
        web_push: bool,
        /// When people there sleep.
        quiet_hours: Option<QuietHours>,
        /// When the watch ends by itself.
        until_utc: Option<Timestamp>,
    },
    /// The watch points with their levels.
    WatchList,
    /// Remove a watch point.
    WatchRemove {
        /// Its id or name.
        which: String,
    },
    /// Change a watch point.
    WatchUpdate {
        /// Its id or name.
        which: String,
        /// What is to be different.
        typed: Typed,
    },
    /// Acknowledge the level of a watch point.
    WatchAck {
        /// Its id or name.
        which: String,
    },
    /// Try the channels of a watch point.
    WatchTest {
        /// Its id or name.
        which: String,
    },
    /// Why a watch point stood at its level, and what was told.
    Explain {
        /// Its id or name.
        which: String,
        /// The instant; `None` for now.
        at: Option<Timestamp>,
    },
    /// The levels of all points over time.
    Timelines,
    /// Confirm an address by a code.
    WatchConfirm {
        /// The address.
        email: String,
        /// What was sent there.
        code: String,
    },
    /// Add an owner.
    OwnerAdd {
        /// Their name.
        name: String,
    },
    /// The owners.
    OwnerList,
    /// Give an owner a new token.
    OwnerRenew {
        /// Their id.
        id: String,
    },
    /// Make the token of an owner worth nothing.
    OwnerRevoke {
        /// Their id.
        id: String,
    },
    /// The threat brief of a place, from the running service's own evidence.
    Brief {
        /// Degrees north.
        lat: f64,
        /// Degrees east.
        lon: f64,
    },
    /// A routine question, answered out of the running service's memory or by its own way to the API.
    Nws {
        /// Name of the tool.
        tool: String,
        /// Its arguments.
        arguments: serde_json::Map<String, Value>,
    },
    /// From here on the connection carries MCP.
    Mcp,
}

impl Ask {
    /// The question for a table.
    pub fn table(table: Table, limit: usize) -> Self {
        match table {
            Table::State => Self::State,
            Table::Points => Self::Points,
            Table::Levels => Self::Levels,
            Table::Journal => Self::Journal { limit },
            Table::Outbox => Self::Outbox,
            Table::Ledger => Self::Ledger { limit },
            Table::Held => Self::Held,
            Table::Latency => Self::Latency { limit },
            Table::Cursors => Self::Cursors,
            Table::Sources => Self::Sources,
        }
    }
}

/// Who answers.
#[derive(Clone, Copy)]
pub struct Answering<'a> {
    /// Watch points.
    pub desk: &'a dyn Desk,
    /// Owners and addresses.
    pub operator: &'a dyn Operator,
    /// The tables.
    pub records: &'a dyn Records,
}

/// The answer: a document, or `{"error":{...}}`.
pub async fn answer(by: Answering<'_>, ask: &Ask) -> Value {
    answered(by, ask).await.unwrap_or_else(|failure| failure.to_json())
}

async fn answered(by: Answering<'_>, ask: &Ask) -> Result<Value, Failure> {
    let Answering { desk, operator, records: store } = by;
    let rows = match ask {
        Ask::State => json!({"state": store.health()?}),
        Ask::Points => json!({"points": each(store.points()?, records::point)}),
        Ask::Levels => {
            let points = store.points()?;
            let row = |(id, state): (String, PointState)| records::level(&points, &id, &state);
            json!({"levels": each(store.states()?, row)})
        }
        Ask::Journal { limit } => json!({"journal": each(store.journal(*limit)?, records::journal)}),
        Ask::Outbox => json!({"outbox": each(store.outbox()?, records::outbox)}),
        Ask::Ledger { limit } => json!({"ledger": each(store.ledger(*limit)?, records::ledger)}),
        Ask::Held => json!({"held": each(store.held()?, records::held_notice)}),
        Ask::Latency { limit } => json!({"latency": records::latency(&store.ledger(*limit)?)}),
        Ask::Cursors => {
            let row = |(source, cursor): (String, String)| json!({"source": source, "cursor": cursor});
            json!({"cursors": each(store.cursors()?, row)})
        }
        Ask::Sources => json!({"sources": store.sources()?}),
        Ask::WatchAdd { name, lat, lon, min_level, emails, web_push, quiet_hours, until_utc } => {
            let wanted = NewWatchPoint {
                owner: LOCAL_OWNER.to_owned(),
                name: super::parse::place_name(name).map_err(|why| Failure::usage(why, ""))?,
                at: LatLon::in_conus(*lat, *lon)?,
                min_level: *min_level,
                addresses: channels(emails, *web_push, true).unwrap_or_default(),
                until_utc: *until_utc,
                client_token: None,
                quiet_hours: *quiet_hours,
            };
            let registered = desk.register(wanted).await.map_err(points::by_option)?;
            let waiting = registered.waiting.iter().map(records::waiting).collect::<Vec<_>>();
            let added: Vec<&str> = registered.added.iter().map(|address| address.to.as_str()).collect();
            json!({"created": registered.created, "added": added, "point": records::point(registered.point),
                "waiting": waiting})
        }
        Ask::WatchList => {
            let watched = desk.watched(LOCAL_OWNER).await.map_err(AppError::from)?;
            json!({"points": each(watched, records::watched)})
        }
        Ask::WatchConfirm { email, code } => {
            let address = Address { kind: ChannelKind::Email, to: email.trim().to_ascii_lowercase() };
            let proven = operator.prove_by_code(LOCAL_OWNER, &address, code).await.map_err(AppError::from)?;
            if !proven && !is_confirmed(desk, operator, &address).await? {
                return Err(wrong_code(&address.to));
            }
            json!({"confirmed": address.to, "already": !proven})
        }
        Ask::OwnerAdd { name } => records::new_owner(operator.add_owner(name).await.map_err(AppError::from)?),
        Ask::OwnerList => {
            json!({"owners": each(operator.owners().await.map_err(AppError::from)?, records::owner)})
        }
        Ask::OwnerRenew { id } => match operator.renew_owner(id).await.map_err(AppError::from)? {
            Some(renewed) => records::new_owner(renewed),
            None => return Err(no_owner(id)),
        },
        Ask::OwnerRevoke { id } => match operator.revoke_owner(id).await.map_err(AppError::from)? {
            Some(revoked) => json!({"revoked": records::owner(revoked)}),
            None => return Err(no_owner(id)),
        },
        Ask::WatchRemove { which } => points::remove(desk, which).await?,
        Ask::WatchUpdate { which, typed } => points::update(desk, which, typed).await?,
        Ask::WatchAck { which } => points::acknowledge(desk, which).await?,
        Ask::WatchTest { which } => points::send_test(desk, which).await?,
        Ask::Explain { which, at } => points::explain(desk, which, *at).await?,
        Ask::Timelines => json!({"timelines": store.timelines(desk.now())?}),
        Ask::Nws { tool, arguments } => match routine::ask(desk, tool, Some(arguments.clone())).await {
            Ok(told) => json!({"nws": told.value}),
            Err(refusal) => json!({"refusal": nws::refusal_json(&refusal)}),
        },
        Ask::Brief { .. } => return Err(Failure::new("usage", "no service runs here that has evidence", "")),
        Ask::Mcp => return Err(Failure::new("usage", "mcp is a connection, not a question", "")),
    };
    Ok(rows)
}

/// What the desk found of a point of this owner.
fn owned<T>(found: Option<T>, id: &str) -> Result<T, Failure> {
    found.ok_or_else(|| AppError::NotFound { what: "watch point", id: id.to_owned() }.into())
}

fn no_owner(id: &str) -> Failure {
    Failure::new("not_found", format!("no owner {id:?}"), "`stormbell owner list` shows the ids")
}

/// Whether notices go to this address of the local owner anyway: whoever types here may know that.
async fn is_confirmed(desk: &dyn Desk, operator: &dyn Operator, address: &Address) -> Result<bool, Failure> {
    // One of the configuration needs no proof: it stands with the points that name it.
    let watched = desk.watched(LOCAL_OWNER).await.map_err(AppError::from)?;
    if watched.iter().any(|watched| watched.point.addresses.contains(address)) {
        return Ok(true);
    }
    let known = operator.addresses(LOCAL_OWNER).await.map_err(AppError::from)?;
    let stands = |proof: &AddressProof| proof.is_own || proof.proven_utc.is_some();
    Ok(known.iter().any(|proof| proof.address == *address && stands(proof) && proof.unsubscribed_utc.is_none()))
}

fn wrong_code(to: &str) -> Failure {
    let message = format!("this code does not confirm {to}: it is wrong, used, too old, or was tried too often");
    Failure::new("invalid", message, "take the newest mail; `stormbell watch add` again sends another, at most 3 a day")
}

fn each<T>(rows: Vec<T>, row: impl FnMut(T) -> Value) -> Vec<Value> {
    rows.into_iter().map(row).collect()
}

/// The failure that an answer carries, if it carries one. Kinds become a fixed set again, as scripts know them.
pub fn refused(answer: &Value) -> Option<Failure> {
    let error = answer.get("error")?;
    let text = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    let kind = KINDS.into_iter().find(|kind| *kind == text("kind")).unwrap_or("failed");
    let mut failure = Failure::new(kind, text("message"), text("hint"));
    if kind == "usage" {
        failure.exit = 2;
    }
    Some(failure)
}

/// Every kind that an answer may carry.
const KINDS: [&str; 9] =
    ["usage", "invalid", "limit", "not_found", "store", "newer_store", "in_use", "config", "archive"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_are_one_line_of_json_and_unknown_ones_are_refused() {
        let ask = Ask::Journal { limit: 3 };
        let line = serde_json::to_string(&ask).unwrap();
        assert_eq!(line, r#"{"ask":"journal","limit":3}"#);
        assert_eq!(serde_json::from_str::<Ask>(&line).unwrap(), ask);
        assert_eq!(serde_json::from_str::<Ask>(r#"{"ask":"levels"}"#).unwrap(), Ask::Levels);
        assert!(serde_json::from_str::<Ask>(r#"{"ask":"passwords"}"#).is_err());
    }

    #[test]
    fn an_error_survives_the_way_through_the_socket() {
        let failure = Failure::from(AppError::NotFound { what: "watch point", id: "wp_1".to_owned() });
        assert_eq!(refused(&failure.to_json()), Some(failure));
        assert_eq!(refused(&json!({"points": []})), None);
    }
}
