//! Owners by id, with the hashes of their tokens; and what each has been told of sight.

use super::error::StoreError;
use super::trees::{Edits, In};
use super::wire::{Listed, Wire, decode, key_text};
use super::{Lasting, Store};
use crate::notice::{Owner, OwnerSight};

/// Owners of one store: a small company. Beyond it a person should decide.
pub const OWNERS_MAX: usize = 10_000;

impl Wire for Owner {
    const TREE: &'static str = "owners";
    const FORMAT: u8 = 1;
}

impl Wire for OwnerSight {
    const TREE: &'static str = "owner_sights";
    const FORMAT: u8 = 1;
}

impl Store {
    /// Writes an owner, new or changed; on disk when this returns.
    ///
    /// # Errors
    /// `Full`, or when the store cannot be written.
    pub fn put_owner(&self, owner: &Owner) -> Result<(), StoreError> {
        let mut writer = self.writer();
        let (known, count) =
            self.run(|trees| Ok((trees.tree(In::Owners).contains_key(&owner.id)?, trees.tree(In::Owners).len())))?;
        if !known && count >= OWNERS_MAX {
            return Err(StoreError::Full { what: "owners", limit: OWNERS_MAX });
        }
        let mut edits = Edits::default();
        edits.put(In::Owners, &owner.id, owner)?;
        let counts = writer.counts.clone();
        self.write(&mut writer, edits, counts, Lasting::Yes)
    }

    /// Changes an owner, in one piece with reading them; on disk when this returns. `None` when there is none.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn change_owner(&self, id: &str, change: impl FnOnce(&mut Owner)) -> Result<Option<Owner>, StoreError> {
        let mut writer = self.writer();
        let Some(mut owner) = self.run(|trees| trees.get::<Owner>(In::Owners, id))? else { return Ok(None) };
        change(&mut owner);
        let mut edits = Edits::default();
        edits.put(In::Owners, id, &owner)?;
        let counts = writer.counts.clone();
        self.write(&mut writer, edits, counts, Lasting::Yes)?;
        Ok(Some(owner))
    }

    /// All owners, sorted by id; the revoked ones too.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn owners(&self) -> Result<Listed<Owner>, StoreError> {
        self.run(|trees| trees.list(In::Owners))
    }

    /// Whether anybody has a token that opens something.
    ///
    /// # Errors
    /// See `owners`.
    pub fn has_owners(&self) -> Result<bool, StoreError> {
        Ok(self.owners()?.iter().any(|owner| owner.revoked_utc.is_none()))
    }

    /// What owners were told of sight, by owner. Written by `commit` alone.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn owner_sights(&self) -> Result<Listed<(String, OwnerSight)>, StoreError> {
        self.run(|trees| {
            let mut listed = Listed::default();
            for item in trees.tree(In::OwnerSights) {
                let (key, bytes) = item?;
                listed.take(decode(&key, &bytes).map(|sight| (key_text(&key), sight)));
            }
            Ok(listed)
        })
    }
}
