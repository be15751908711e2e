//! The state of each watch point. Written by `commit` alone.

use super::Store;
use super::error::StoreError;
use super::trees::In;
use super::wire::{Listed, Wire, decode, key_text};
use crate::threat::PointState;

impl Wire for PointState {
    const TREE: &'static str = "levels";
    const FORMAT: u8 = 1;
}

impl Store {
    /// All states by watch point id, sorted.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn states(&self) -> Result<Listed<(String, PointState)>, StoreError> {
        self.run(|trees| {
            let mut listed = Listed::default();
            for item in trees.tree(In::Levels) {
                let (key, bytes) = item?;
                listed.take(decode(&key, &bytes).map(|state| (key_text(&key), state)));
            }
            Ok(listed)
        })
    }

    /// The state of one watch point; `None` before its first assessment.
    ///
    /// # Errors
    /// When the store or this row cannot be read.
    pub fn state(&self, id: &str) -> Result<Option<PointState>, StoreError> {
        self.run(|trees| trees.get(In::Levels, id))
    }
}
