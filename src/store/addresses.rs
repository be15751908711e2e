//! Proofs of addresses by owner and address.

use super::error::StoreError;
use super::trees::{Edits, In};
use super::wire::{Listed, Wire};
use super::{Lasting, Store};
use crate::notice::{Address, AddressProof};

/// Addresses of one store, all owners together: each costs its owner a confirmation, so this is never reached by accident.
pub const ADDRESSES_MAX: usize = 100_000;

impl Wire for AddressProof {
    const TREE: &'static str = "addresses";
    const FORMAT: u8 = 1;
}

/// No owner id and no address holds a zero.
pub(super) fn key(owner: &str, address: &Address) -> String {
    format!("{owner}\0{}\0{}", address.kind.as_str(), address.to)
}

impl Store {
    /// Writes what stands of an address; on disk when this returns.
    ///
    /// # Errors
    /// `Full`, or when the store cannot be written.
    pub fn put_address(&self, proof: &AddressProof) -> Result<(), StoreError> {
        let mut writer = self.writer();
        let key = key(&proof.owner, &proof.address);
        let (known, count) =
            self.run(|trees| Ok((trees.tree(In::Addresses).contains_key(&key)?, trees.tree(In::Addresses).len())))?;
        if !known && count >= ADDRESSES_MAX {
            return Err(StoreError::Full { what: "addresses", limit: ADDRESSES_MAX });
        }
        let mut edits = Edits::default();
        edits.put(In::Addresses, &key, proof)?;
        let counts = writer.counts.clone();
        self.write(&mut writer, edits, counts, Lasting::Yes)
    }

    /// What stands of an address of an owner.
    ///
    /// # Errors
    /// When the store or this row cannot be read.
    pub fn address(&self, owner: &str, address: &Address) -> Result<Option<AddressProof>, StoreError> {
        self.run(|trees| trees.get(In::Addresses, key(owner, address)))
    }

    /// All addresses, sorted by owner.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn addresses(&self) -> Result<Listed<AddressProof>, StoreError> {
        self.run(|trees| trees.list(In::Addresses))
    }
}
