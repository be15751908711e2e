//! Owners in process for the tests of the web page: tokens, addresses and browsers in memory.

use async_trait::async_trait;
use std::sync::{Arc, Mutex};
use stormbell::desk::DeskError;
use stormbell::desk::accounts::{Accounts, LinkedAddress, NewBrowser};
use stormbell::notice::{Address, AddressProof, Browser, ChannelKind, Owner};
use tokio::sync::broadcast;

/// The token of `alice` and of `bob`.
pub const ALICE_TOKEN: &str = "token-of-alice";
pub const BOB_TOKEN: &str = "token-of-bob";
/// The code and the link tokens of every address that waits.
pub const CODE: &str = "123456";
pub const CONFIRM_TOKEN: &str = "confirm-token";
pub const UNSUBSCRIBE_TOKEN: &str = "unsubscribe-token";

pub struct FakeAccounts {
    pub addresses: Mutex<Vec<AddressProof>>,
    pub browsers: Mutex<Vec<Browser>>,
    /// Ends what an owner has open.
    pub revoked: broadcast::Sender<String>,
}

pub fn email(to: &str) -> Address {
    Address { kind: ChannelKind::Email, to: to.to_owned() }
}

fn now() -> jiff::Timestamp {
    crate::fake_desk::at("2026-06-10T21:00:00Z")
}

impl FakeAccounts {
    pub fn new() -> Arc<Self> {
        Arc::new(Self { addresses: Mutex::default(), browsers: Mutex::default(), revoked: broadcast::channel(4).0 })
    }

    /// An address of an owner, proven or not.
    pub fn with_address(self: &Arc<Self>, owner: &str, to: &str, is_proven: bool) {
        self.addresses.lock().unwrap().push(AddressProof {
            owner: owner.to_owned(),
            address: email(to),
            proven_utc: is_proven.then(now),
            asked_utc: vec![now()],
            code: None,
            wrong_codes: 0,
            unsubscribed_utc: None,
            is_own: false,
        });
    }

    fn linked(&self, token: &str, expected: &str) -> Option<LinkedAddress> {
        let addresses = self.addresses.lock().unwrap();
        let first = addresses.first().filter(|_| token == expected)?;
        Some(LinkedAddress { owner: first.owner.clone(), address: first.address.clone() })
    }

    fn edit(&self, linked: &Option<LinkedAddress>, edit: impl Fn(&mut AddressProof)) {
        let mut addresses = self.addresses.lock().unwrap();
        let is_it = |proof: &&mut AddressProof| {
            linked.as_ref().is_some_and(|linked| proof.owner == linked.owner && proof.address == linked.address)
        };
        addresses.iter_mut().filter(is_it).for_each(edit);
    }
}

#[async_trait]
impl Accounts for FakeAccounts {
    async fn owner_of_token(&self, token: &str) -> Result<Option<Owner>, DeskError> {
        let id = match token {
            ALICE_TOKEN => "alice",
            BOB_TOKEN => "bob",
            _ => return Ok(None),
        };
        Ok(Some(Owner {
            id: id.to_owned(),
            name: format!("{id} <b>"),
            token_sha256: String::new(),
            created_utc: now(),
            revoked_utc: None,
        }))
    }

    async fn addresses(&self, owner: &str) -> Result<Vec<AddressProof>, DeskError> {
        Ok(self.addresses.lock().unwrap().iter().filter(|proof| proof.owner == owner).cloned().collect())
    }

    async fn prove_by_code(&self, owner: &str, address: &Address, code: &str) -> Result<bool, DeskError> {
        let linked = Some(LinkedAddress { owner: owner.to_owned(), address: address.clone() }).filter(|_| code == CODE);
        self.edit(&linked, |proof| proof.proven_utc = Some(now()));
        Ok(linked.is_some())
    }

    async fn confirmation(&self, token: &str) -> Result<Option<LinkedAddress>, DeskError> {
        Ok(self.linked(token, CONFIRM_TOKEN))
    }

    async fn prove_by_link(&self, token: &str) -> Result<Option<LinkedAddress>, DeskError> {
        let linked = self.linked(token, CONFIRM_TOKEN);
        self.edit(&linked, |proof| proof.proven_utc = Some(now()));
        Ok(linked)
    }

    async fn unsubscription(&self, token: &str) -> Result<Option<LinkedAddress>, DeskError> {
        Ok(self.linked(token, UNSUBSCRIBE_TOKEN))
    }

    async fn unsubscribe(&self, token: &str) -> Result<Option<LinkedAddress>, DeskError> {
        let linked = self.linked(token, UNSUBSCRIBE_TOKEN);
        self.edit(&linked, |proof| proof.unsubscribed_utc = Some(now()));
        Ok(linked)
    }

    async fn browsers(&self, owner: &str) -> Result<Vec<Browser>, DeskError> {
        Ok(self.browsers.lock().unwrap().iter().filter(|browser| browser.owner == owner).cloned().collect())
    }

    async fn add_browser(&self, owner: &str, browser: NewBrowser) -> Result<Browser, DeskError> {
        let NewBrowser { endpoint, p256dh, auth, label } = browser;
        if !endpoint.starts_with("https://") {
            return Err(DeskError::Invalid { field: "endpoint", why: "https only".into() });
        }
        let mut browsers = self.browsers.lock().unwrap();
        let id = format!("br-{}", browsers.len() + 1);
        let added =
            Browser { id, owner: owner.to_owned(), endpoint, p256dh, auth, label, created_utc: now(), refusals: 0 };
        browsers.push(added.clone());
        Ok(added)
    }

    async fn remove_browser(&self, owner: &str, endpoint: &str) -> Result<bool, DeskError> {
        let mut browsers = self.browsers.lock().unwrap();
        let before = browsers.len();
        browsers.retain(|browser| browser.owner != owner || browser.endpoint != endpoint);
        Ok(browsers.len() < before)
    }

    fn vapid_public_key(&self) -> Option<String> {
        Some("BPublicKey".to_owned())
    }

    fn revoked(&self) -> broadcast::Receiver<String> {
        self.revoked.subscribe()
    }
}
