//! What doors may ask about owners: whose token it is, which addresses are proven, which browsers are pushed to.

use super::DeskError;
use crate::notice::{Address, AddressProof, Browser, Owner};
use async_trait::async_trait;

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
}
