//! What doors may ask about owners: whose token it is, which addresses are proven, which browsers are pushed to.

use super::DeskError;
use crate::notice::{Address, AddressProof, Browser, Owner};
use async_trait::async_trait;
use tokio::sync::broadcast;

/// Longest name of an owner, characters: it stands in tables.
pub const OWNER_NAME_CHARS_MAX: usize = 80;

/// A push subscription as a browser hands it over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBrowser {
    /// Push resource.
    pub endpoint: String,
    /// Its public key, base64url.
    pub p256dh: String,
    /// Its authentication secret, base64url.
    pub auth: String,
    /// For the owner's list: "Firefox on Linux".
    pub label: String,
}

/// What a link in a mail leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedAddress {
    /// Whose.
    pub owner: String,
    /// Which address.
    pub address: Address,
}

/// Owners as doors see them. Nothing here tells one owner of another.
#[async_trait]
pub trait Accounts: Send + Sync + 'static {
    /// The owner whose token this is; `None` for a wrong or revoked one. Compared in constant time.
    async fn owner_of_token(&self, token: &str) -> Result<Option<Owner>, DeskError>;

    /// The addresses of an owner and what stands of each, unsubscribed ones included.
    async fn addresses(&self, owner: &str) -> Result<Vec<AddressProof>, DeskError>;

    /// Proves an address by the code that was sent to it. False for a wrong, used or late code.
    async fn prove_by_code(&self, owner: &str, address: &Address, code: &str) -> Result<bool, DeskError>;

    /// The address that a confirmation link names, without confirming it (a GET shows a button); `None` for a link that is
    /// not ours, used or late.
    async fn confirmation(&self, link_token: &str) -> Result<Option<LinkedAddress>, DeskError>;

    /// Proves the address that a confirmation link names.
    async fn prove_by_link(&self, link_token: &str) -> Result<Option<LinkedAddress>, DeskError>;

    /// The address that an unsubscribe link names, without ending anything.
    async fn unsubscription(&self, link_token: &str) -> Result<Option<LinkedAddress>, DeskError>;

    /// Ends all notices of that owner to the address that an unsubscribe link names, pending ones included.
    async fn unsubscribe(&self, link_token: &str) -> Result<Option<LinkedAddress>, DeskError>;

    /// The browsers of an owner.
    async fn browsers(&self, owner: &str) -> Result<Vec<Browser>, DeskError>;

    /// Adds a browser, or renews it.
    async fn add_browser(&self, owner: &str, browser: NewBrowser) -> Result<Browser, DeskError>;

    /// Removes a browser of an owner by its endpoint; false when there is none.
    async fn remove_browser(&self, owner: &str, endpoint: &str) -> Result<bool, DeskError>;

    /// The public key that browsers subscribe with (VAPID, RFC 8292), base64url; `None` where web push is not set up.
    fn vapid_public_key(&self) -> Option<String>;

    /// Ids of owners whose token opens nothing any more from now on: what they have open is to be shut. A receiver that lags
    /// must ask anew of everybody.
    fn revoked(&self) -> broadcast::Receiver<String>;
}

/// An owner with the token that is shown this once.
#[derive(Clone, PartialEq, Eq)]
pub struct NewOwner {
    /// The owner.
    pub owner: Owner,
    /// 32 random bytes as base64url.
    pub token: String,
    /// Opens the web page with the token and keeps it in a cookie.
    pub login_url: String,
}

impl std::fmt::Debug for NewOwner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewOwner").field("owner", &self.owner).finish_non_exhaustive()
    }
}

/// An owner as the operator sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerRow {
    /// The owner.
    pub owner: Owner,
    /// How many watch points they have.
    pub watch_points: usize,
}

/// What only the one who runs the program may do: the command line, and the local socket that is open to them alone.
#[async_trait]
pub trait Operator: Accounts {
    /// Adds an owner under a name that no other one bears.
    async fn add_owner(&self, name: &str) -> Result<NewOwner, DeskError>;

    /// A new token for an owner, named by id or by name, also for one that was revoked; the former one opens nothing any more.
    /// `None` when there is no such owner.
    async fn renew_owner(&self, who: &str) -> Result<Option<NewOwner>, DeskError>;

    /// All owners, the revoked ones too.
    async fn owners(&self) -> Result<Vec<OwnerRow>, DeskError>;

    /// Makes the token of an owner, named by id or by name, worth nothing. Their watch points stay watched: nobody is left
    /// without notice unawares. `None` when there is no such owner.
    async fn revoke_owner(&self, who: &str) -> Result<Option<OwnerRow>, DeskError>;
}
