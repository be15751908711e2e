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
    if delivery.stands_in_for.is_some() {
        // Any proven address of the owner's will do.
        let proven = proof.is_some_and(|proof| proof.proven_utc.is_some());
        return Ok(proven || trees.list::<WatchPoint>(In::WatchPoints)?.iter().any(|point| names(point, delivery)));
    }
    for id in &delivery.watch_points {
        let point = trees.get::<WatchPoint>(In::WatchPoints, id)?;
        if point.is_some_and(|point| names(&point, delivery)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn names(point: &WatchPoint, delivery: &Delivery) -> bool {
    point.owner == delivery.owner && point.addresses.contains(&delivery.address)
}
