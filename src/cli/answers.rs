//! What a one-shot command may ask, and the JSON document that answers it: the same from a store opened directly and
//! from a running process over the local socket.
//!
//! Boundaries: ✓ from `Desk` and `Store` to JSON. ✗ no sockets (`cli::local`), no printing.

use crate::app::AppError;
use crate::cli::args::Table;
use crate::cli::fail::Failure;
use crate::cli::records;
use crate::desk::{Desk, NewWatchPoint};
use crate::geo::LatLon;
use crate::notice::{Address, ChannelKind};
use crate::outside::compute;
use crate::store::{JournalEntry, LedgerRow, Listed, Store, StoreError};
use crate::threat::{Level, PointState};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Rows read from the store at once on the way to the newest ones.
const PAGE_ROWS: usize = 1000;

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
    },
    /// The watch points with their levels.
    WatchList,
    /// Remove a watch point.
    WatchRemove {
        /// Its id.
        id: String,
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
            Table::Cursors => Self::Cursors,
            Table::Sources => Self::Sources,
        }
    }
}

/// The answer: a document, or `{"error":{...}}`. `owner` is whose watch points are meant.
pub async fn answer(desk: &dyn Desk, store: &Store, owner: &str, ask: &Ask) -> Value {
    let answered = match ask {
        Ask::WatchAdd { .. } | Ask::WatchList | Ask::WatchRemove { .. } => watch(desk, owner, ask).await,
        Ask::Mcp => Err(Failure::new("usage", "mcp is a connection, not a question", "")),
        table => compute(|| read(store, table)).map_err(Failure::from),
    };
    answered.unwrap_or_else(|failure| failure.to_json())
}

async fn watch(desk: &dyn Desk, owner: &str, ask: &Ask) -> Result<Value, Failure> {
    match ask {
        Ask::WatchAdd { name, lat, lon, min_level, emails } => {
            let wanted = new_watch_point(owner, name, (*lat, *lon), *min_level, emails)?;
            let registered = desk.register(wanted).await.map_err(AppError::from)?;
            Ok(json!({"created": registered.created, "point": records::point(registered.point)}))
        }
        Ask::WatchRemove { id } => {
            if !desk.unregister(owner, id).await.map_err(AppError::from)? {
                return Err(AppError::NotFound { what: "watch point", id: id.clone() }.into());
            }
            Ok(json!({"removed": id}))
        }
        _ => {
            let watched = desk.watched(owner).await.map_err(AppError::from)?;
            Ok(json!({"points": watched.into_iter().map(records::watched).collect::<Vec<_>>()}))
        }
    }
}

/// One table as a document. Rows that cannot be read are named beside the others.
fn read(store: &Store, ask: &Ask) -> Result<Value, AppError> {
    match ask {
        Ask::State => {
            let health = serde_json::to_value(store.health()).unwrap_or(Value::Null);
            Ok(json!({"state": health}))
        }
        Ask::Points => Ok(rows("points", store.watch_points()?, records::point)),
        Ask::Levels => {
            let points = store.watch_points()?.rows;
            let row = |(id, state): (String, PointState)| records::level(&points, &id, &state);
            Ok(rows("levels", store.states()?, row))
        }
        Ask::Journal { limit } => Ok(rows("journal", newest_of_journal(store, *limit)?, records::journal)),
        Ask::Outbox => Ok(rows("outbox", store.pending()?, records::outbox)),
        Ask::Ledger { limit } => Ok(rows("ledger", newest_of_ledger(store, *limit)?, records::ledger)),
        Ask::Cursors => Ok(rows("cursors", store.cursors()?, records::cursor)),
        Ask::Sources => Ok(rows("sources", store.source_statuses()?, records::source)),
        Ask::WatchAdd { .. } | Ask::WatchList | Ask::WatchRemove { .. } | Ask::Mcp => Ok(Value::Null),
    }
}

fn rows<T>(name: &str, listed: Listed<T>, row: impl FnMut(T) -> Value) -> Value {
    let damaged: Vec<String> = listed.damaged.iter().map(ToString::to_string).collect();
    let mut document = serde_json::Map::new();
    document.insert(name.to_owned(), listed.rows.into_iter().map(row).collect());
    if !damaged.is_empty() {
        document.insert("damaged".to_owned(), json!(damaged));
    }
    Value::Object(document)
}

fn newest_of_journal(store: &Store, limit: usize) -> Result<Listed<JournalEntry>, StoreError> {
    newest(limit, |from| store.journal(None, from, PAGE_ROWS), |entry| entry.number)
}

fn newest_of_ledger(store: &Store, limit: usize) -> Result<Listed<LedgerRow>, StoreError> {
    newest(limit, |from| store.ledger(from, PAGE_ROWS), |row| row.delivery.number)
}

/// The last `limit` rows of a table that is read forwards, page by page.
fn newest<T>(
    limit: usize,
    mut page: impl FnMut(u64) -> Result<Listed<T>, StoreError>,
    number: impl Fn(&T) -> u64,
) -> Result<Listed<T>, StoreError> {
    let mut kept = Listed::default();
    let mut from = 0;
    loop {
        let Listed { rows, damaged } = page(from)?;
        kept.damaged.extend(damaged);
        let Some(last) = rows.last() else { return Ok(kept) };
        from = number(last).saturating_add(1);
        kept.rows.extend(rows);
        let surplus = kept.rows.len().saturating_sub(limit);
        kept.rows.drain(..surplus);
    }
}

fn new_watch_point(
    owner: &str,
    name: &str,
    (lat, lon): (f64, f64),
    min_level: Level,
    emails: &[String],
) -> Result<NewWatchPoint, Failure> {
    let name = super::parse::place_name(name).map_err(|why| Failure::usage(why, ""))?;
    let addresses =
        emails.iter().map(|to| Address { kind: ChannelKind::Email, to: to.trim().to_owned() }).collect();
    Ok(NewWatchPoint {
        owner: owner.to_owned(),
        name,
        at: LatLon::in_conus(lat, lon)?,
        min_level,
        addresses,
        until_utc: None,
        client_token: None,
    })
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
const KINDS: [&str; 6] = ["usage", "invalid", "limit", "not_found", "store", "corrupt_store"];

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
