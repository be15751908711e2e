//! Zones of places by four-decimal key, so that one place is asked for once. They can be learned again.

use super::error::StoreError;
use super::trees::{Edits, In};
use super::wire::{Listed, Wire};
use super::{Lasting, Store};
use crate::geo::LatLon;
use crate::observation::PlaceZones;

/// Places whose zones are kept: every watch point of a large store and the places asked about beside them, 30 MB. When it
/// is full, the tenth that was learned longest ago goes.
pub const ZONES_MAX: u64 = 200_000;

impl Wire for PlaceZones {
    const TREE: &'static str = "zones";
    const FORMAT: u8 = 1;

    fn check(&self) -> Result<(), String> {
        LatLon::new(self.place.lat(), self.place.lon()).map(|_| ()).map_err(|error| error.to_string())
    }
}

impl Store {
    /// Keeps the zones of a place. Not flushed: what is lost is asked for again.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn put_zones(&self, zones: &PlaceZones) -> Result<(), StoreError> {
        let key = zones.place.key_4dp();
        let mut writer = self.writer();
        let mut counts = writer.counts.clone();
        let mut edits = Edits::default();
        if !self.run(|trees| Ok(trees.tree(In::Zones).contains_key(&key)?))? {
            if counts.zones >= writer.limits.zones {
                let mut held = self.run(|trees| trees.list::<PlaceZones>(In::Zones))?.rows;
                held.sort_by_key(|zones| zones.learned_utc);
                for old in held.iter().take(held.len() / 10 + 1) {
                    edits.remove(In::Zones, old.place.key_4dp());
                    counts.zones = counts.zones.saturating_sub(1);
                }
            }
            counts.zones += 1;
        }
        edits.put(In::Zones, &key, zones)?;
        self.write(&mut writer, edits, counts, Lasting::Soon)
    }

    /// All zones, sorted by key.
    ///
    /// # Errors
    /// When the store cannot be read; single damaged rows are listed beside the others.
    pub fn zones(&self) -> Result<Listed<PlaceZones>, StoreError> {
        self.run(|trees| trees.list(In::Zones))
    }
}
