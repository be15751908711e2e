//! Held notices by id. They come and go by `commit`, and go with their watch point.

use super::Store;
use super::error::StoreError;
use super::formats;
use super::trees::In;
use super::wire::{Listed, Wire};
use crate::notice::Held;

impl Wire for Held {
    const TREE: &'static str = "held";
    const FORMAT: u8 = 2;

    fn from_older(format: u8, body: &[u8]) -> Result<Self, String> {
        formats::older::<formats::Held1, _>(format, 1, body)
    }
}

impl Store {
    /// All that is held, in no particular order.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn held(&self) -> Result<Listed<Held>, StoreError> {
        self.run(|trees| trees.list(In::Held))
    }
}
