//! Who watches: owners with their tokens, and the proof that an address is theirs.

use crate::notice::Address;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Somebody who keeps watch points, known by a bearer token. The local owner (`desk::LOCAL_OWNER`) has none and is not
/// stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Stable id; `WatchPoint::owner`.
    pub id: String,
    /// As the operator named them.
    pub name: String,
    /// SHA-256 of the token, hexadecimal. The token itself is shown once and kept nowhere.
    pub token_sha256: String,
    /// When they were added.
    pub created_utc: Timestamp,
    /// Since when the token opens nothing any more.
    pub revoked_utc: Option<Timestamp>,
}

/// What stands of one address of one owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressProof {
    /// Whose it is said to be.
    pub owner: String,
    /// Which.
    pub address: Address,
    /// Since when it is proven: only then anything but a confirmation goes there.
    pub proven_utc: Option<Timestamp>,
    /// When confirmations were sent to it, newest last; as far back as the daily limit looks.
    pub asked_utc: Vec<Timestamp>,
    /// Hash of the code of the newest confirmation (`LinkKey::code_hash`), and until when it counts.
    pub code: Option<(String, Timestamp)>,
    /// Wrong codes typed since the newest confirmation.
    pub wrong_codes: u32,
    /// Since when its holder wants nothing more of this owner's notices: a registration needs a new confirmation then.
    pub unsubscribed_utc: Option<Timestamp>,
    /// Named as the owner's own in the configuration that the service was started with: it counts as proven while it stands
    /// there.
    pub is_own: bool,
}

impl AddressProof {
    /// Nothing is known of the address yet.
    pub fn new(owner: &str, address: &Address) -> Self {
        Self {
            owner: owner.to_owned(),
            address: address.clone(),
            proven_utc: None,
            asked_utc: Vec::new(),
            code: None,
            wrong_codes: 0,
            unsubscribed_utc: None,
            is_own: false,
        }
    }

    /// Whether notices may go there.
    pub fn is_proven(&self) -> bool {
        self.unsubscribed_utc.is_none() && (self.is_own || self.proven_utc.is_some())
    }
}

/// What stands of one owner's being told that nothing can be seen (delivery.md: below the level, one message per owner, at
/// most one a day).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerSight {
    /// When they were last told that the warnings feed is blind.
    pub told_blind_utc: Option<Timestamp>,
    /// The addresses (`Address::text`) that were told so, and not yet that it sees again.
    pub awaiting: Vec<String>,
}
