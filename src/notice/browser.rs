//! A browser that may be pushed to: what its push service told it (RFC 8030, RFC 8291), and whose it is.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One push subscription of one owner.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Browser {
    /// Stable id, made of owner and endpoint (`id::browser_id`): `Address::to` of its deliveries. The endpoint itself is a
    /// secret of the owner's and stands nowhere else.
    pub id: String,
    /// Whose it is.
    pub owner: String,
    /// Push resource; https, from outside and untrusted.
    pub endpoint: String,
    /// The browser's public key: an uncompressed point of P-256, 65 bytes as base64url without padding.
    pub p256dh: String,
    /// The browser's authentication secret: 16 bytes as base64url without padding.
    pub auth: String,
    /// For the owner's list: "Firefox on Linux".
    pub label: String,
    /// When it was subscribed, or last renewed.
    pub created_utc: Timestamp,
    /// Refusals in a row that are our fault (400, 401, 403): from five on its notices go to the owner's other channels.
    pub refusals: u32,
}

impl fmt::Debug for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the endpoint and the keys: whoever has them may push.
        f.debug_struct("Browser").field("id", &self.id).field("owner", &self.owner).finish_non_exhaustive()
    }
}
