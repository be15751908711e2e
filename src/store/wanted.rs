//! Whether a delivery may still go where it is addressed: what has been unsubscribed, or taken off a watch point, while a
//! notice was decided gets nothing.

use super::addresses;
use super::error::StoreError;
use super::trees::{In, Trees};
use crate::notice::{AddressProof, ChannelKind, Delivery, NoticeReason, WatchPoint};

/// Whether the address of a delivery is still its owner's to be written to. Of a browser its channel knows: one that is gone
/// there is given up, and the owner's other channels get the notice.
pub(super) fn is_wanted(trees: &Trees, delivery: &Delivery) -> Result<bool, StoreError> {
    if delivery.address.kind != ChannelKind::Email || delivery.reason == NoticeReason::Confirmation {
        return Ok(true);
    }
    let proof = trees.get::<AddressProof>(In::Addresses, addresses::key(&delivery.owner, &delivery.address))?;
    if proof.as_ref().is_some_and(|proof| proof.unsubscribed_utc.is_some()) {
        return Ok(false);
    }
    if delivery.watch_points.is_empty() {
        return Ok(true);
    }
    // Any of the owner's addresses will do for a notice that found nobody where it was to go.
    let mut will_do = delivery.stands_in_for.is_some();
    for id in &delivery.watch_points {
        let Some(point) = trees.get::<WatchPoint>(In::WatchPoints, id)? else { continue };
        if names(&point, delivery) {
            return Ok(true);
        }
        will_do |= point.owner == delivery.owner && point.asks_for_push_alone();
    }
    let is_proven = proof.is_some_and(|proof| proof.proven_utc.is_some());
    let is_named = || -> Result<bool, StoreError> {
        Ok(trees.list::<WatchPoint>(In::WatchPoints)?.iter().any(|point| names(point, delivery)))
    };
    Ok(will_do && (is_proven || is_named()?))
}

fn names(point: &WatchPoint, delivery: &Delivery) -> bool {
    point.owner == delivery.owner && point.addresses.contains(&delivery.address)
}
