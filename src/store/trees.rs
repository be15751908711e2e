//! The sled database and its trees: opening it without being hurt, and writing to several trees at once.

use super::error::StoreError;
use super::guard::caught;
use super::wire::{Listed, Wire, decode, encode};
use crate::clock::Clock;
use sled::transaction::{ConflictableTransactionError, TransactionError, TransactionalTree};
use sled::{Db, Transactional, Tree};
use std::path::Path;
use std::time::Duration;

/// Memory that sled may keep pages in. All hot rows of 100,000 watch points fit; the journal and the ledger need not.
const CACHE_BYTES: u64 = 64 << 20;
/// Waits for a closed store's flusher to let go of the files (field report D02), ms, doubling: 5 s in all. Our own lock
/// is held by then, so whoever holds sled's is about to leave.
const LET_GO_TRIES: u32 = 10;
const LET_GO_FIRST: Duration = Duration::from_millis(5);

/// Which tree a row belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum In {
    /// Layout, counters, high water.
    Meta,
    /// Watch points by id.
    WatchPoints,
    /// Zones by four-decimal key.
    Zones,
    /// Point states by watch point id.
    Levels,
    /// Journal entries by running number.
    Journal,
    /// Outbox rows by delivery id.
    Outbox,
    /// Ledger rows by delivery number.
    Ledger,
    /// Delivery number by delivery id, for the rows of the ledger.
    LedgerIds,
    /// Cursors by source.
    Cursors,
    /// Source status by source.
    Sources,
    /// Owners by id.
    Owners,
    /// Proofs of addresses by owner and address.
    Addresses,
    /// Push subscriptions by id.
    Browsers,
    /// Held notices by id.
    Held,
    /// What owners were told of sight, by owner.
    OwnerSights,
    /// What could not be seen of watch points, by running number.
    Sights,
}

impl In {
    /// All of them, in the order of `Trees::all`.
    pub(super) const ALL: [Self; 16] = [
        Self::Meta,
        Self::WatchPoints,
        Self::Zones,
        Self::Levels,
        Self::Journal,
        Self::Outbox,
        Self::Ledger,
        Self::LedgerIds,
        Self::Cursors,
        Self::Sources,
        Self::Owners,
        Self::Addresses,
        Self::Browsers,
        Self::Held,
        Self::OwnerSights,
        Self::Sights,
    ];

    /// Its name in sled, in errors and in repair's report.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::WatchPoints => "watch_points",
            Self::Zones => "zones",
            Self::Levels => "levels",
            Self::Journal => "journal",
            Self::Outbox => "outbox",
            Self::Ledger => "ledger",
            Self::LedgerIds => "ledger_ids",
            Self::Cursors => "cursors",
            Self::Sources => "sources",
            Self::Owners => "owners",
            Self::Addresses => "addresses",
            Self::Browsers => "browsers",
            Self::Held => "held",
            Self::OwnerSights => "owner_sights",
            Self::Sights => "sights",
        }
    }
}

/// An open sled with its trees.
#[derive(Debug, Clone)]
pub(super) struct Trees {
    db: Db,
    all: Vec<Tree>,
}

/// One change to one tree.
#[derive(Debug)]
struct Edit {
    tree: In,
    key: Vec<u8>,
    /// `None` removes.
    value: Option<Vec<u8>>,
}

/// Changes that are written together or not at all.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<Edit>);

impl Edits {
    /// Writes a row.
    pub(super) fn put<T: Wire>(&mut self, tree: In, key: impl AsRef<[u8]>, row: &T) -> Result<(), StoreError> {
        let key = key.as_ref();
        self.0.push(Edit { tree, key: key.to_vec(), value: Some(encode(key, row)?) });
        Ok(())
    }

    /// Writes a row unless it stands in the tree already, byte for byte.
    pub(super) fn put_changed<T: Wire>(
        &mut self,
        trees: &Trees,
        tree: In,
        key: impl AsRef<[u8]>,
        row: &T,
    ) -> Result<(), StoreError> {
        let key = key.as_ref();
        let bytes = encode(key, row)?;
        if trees.tree(tree).get(key)?.is_none_or(|held| held != bytes) {
            self.0.push(Edit { tree, key: key.to_vec(), value: Some(bytes) });
        }
        Ok(())
    }

    /// Removes a row.
    pub(super) fn remove(&mut self, tree: In, key: impl AsRef<[u8]>) {
        self.0.push(Edit { tree, key: key.as_ref().to_vec(), value: None });
    }

    /// Whether nothing but this tree is written to.
    pub(super) fn all_in(&self, tree: In) -> bool {
        self.0.iter().all(|edit| edit.tree == tree)
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Trees {
    /// Opens the sled directory. Damage comes back as `Corrupt` without a directory (see `StoreError::in_dir`).
    pub(super) fn open(sled_dir: &Path) -> Result<Self, StoreError> {
        let mut wait = LET_GO_FIRST;
        for _ in 1..LET_GO_TRIES {
            match Self::open_once(&sled::Config::new().path(sled_dir)) {
                Err(StoreError::Failed { why }) if why.contains("WouldBlock") => {
                    Clock::block_for(wait);
                    wait *= 2;
                }
                done => return done,
            }
        }
        Self::open_once(&sled::Config::new().path(sled_dir))
    }

    /// A store without a directory, gone with the process.
    pub(super) fn in_memory() -> Result<Self, StoreError> {
        Self::open_once(&sled::Config::new().temporary(true))
    }

    fn open_once(config: &sled::Config) -> Result<Self, StoreError> {
        let config = config.clone().cache_capacity(CACHE_BYTES);
        let opened = caught(|| -> Result<Self, StoreError> {
            let db = config.open()?;
            let all = In::ALL.iter().map(|tree| db.open_tree(tree.name())).collect::<Result<Vec<_>, _>>()?;
            Ok(Self { db, all })
        });
        opened.unwrap_or_else(|panic| Err(StoreError::corrupt(Path::new(""), panic)))
    }

    /// One tree.
    pub(super) fn tree(&self, tree: In) -> &Tree {
        // `In` has one variant per position of `ALL`, from which `all` is made.
        &self.all[tree as usize]
    }

    /// One row.
    pub(super) fn get<T: Wire>(&self, tree: In, key: impl AsRef<[u8]>) -> Result<Option<T>, StoreError> {
        let key = key.as_ref();
        self.tree(tree).get(key)?.map(|bytes| decode(key, &bytes)).transpose()
    }

    /// All rows of a tree in key order.
    pub(super) fn list<T: Wire>(&self, tree: In) -> Result<Listed<T>, StoreError> {
        let mut listed = Listed::default();
        for item in self.tree(tree) {
            let (key, bytes) = item?;
            listed.take(decode(&key, &bytes));
        }
        Ok(listed)
    }

    /// Writes all edits or none.
    pub(super) fn apply(&self, edits: &Edits) -> Result<(), StoreError> {
        let trees: Vec<&Tree> = self.all.iter().collect();
        let written = trees.as_slice().transaction(|views: &Vec<TransactionalTree>| {
            for edit in &edits.0 {
                let Some(view) = views.get(edit.tree as usize) else { continue };
                match &edit.value {
                    Some(value) => view.insert(edit.key.as_slice(), value.as_slice())?,
                    None => view.remove(edit.key.as_slice())?,
                };
            }
            Ok::<(), ConflictableTransactionError<()>>(())
        });
        written.map_err(|error| match error {
            TransactionError::Storage(error) => error.into(),
            TransactionError::Abort(()) => StoreError::Failed { why: "a transaction was aborted".to_owned() },
        })
    }

    /// Hands everything written so far to the operating system.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.db.flush()?;
        Ok(())
    }
}
