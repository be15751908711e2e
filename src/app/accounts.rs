//! Owners and their tokens, and what they and the holders of addresses may do, over a store.

use crate::app::addresses::Addresses;
use crate::channels::web_push::check_subscription;
use crate::config::Config;
use crate::desk::accounts::{Accounts, LinkedAddress, NewBrowser, NewOwner, OWNER_NAME_CHARS_MAX, Operator, OwnerRow};
use crate::desk::{DeskError, LOCAL_OWNER, names};
use crate::notice::{Address, AddressProof, Browser, Owner, id};
use crate::outside::compute;
use crate::store::{Secrets, Store, StoreError};
use async_trait::async_trait;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use subtle::ConstantTimeEq;
use tokio::sync::broadcast;

/// Bytes of a token: nobody guesses 256 bits.
const TOKEN_BYTES: usize = 32;
/// Longest token that is looked at, characters: ours have 43.
const TOKEN_CHARS_MAX: usize = 128;
/// Browsers of one owner that are pushed to: every device of a household, and a notice costs one push each.
const BROWSERS_OF_OWNER_MAX: usize = 64;
/// Longest name of a browser, characters.
const LABEL_CHARS_MAX: usize = 80;
/// Revocations that a slow door may lag behind before it asks anew of everybody.
const REVOCATIONS_KEPT: usize = 64;

/// What a change of accounts has to be told to.
pub trait Told: Send + Sync + 'static {
    /// The present instant.
    fn now(&self) -> Timestamp;
    /// Watch points of this owner have other addresses now.
    fn addresses_changed(&self, owner: &str);
}

/// The accounts of one store.
pub struct StoreAccounts {
    store: Store,
    config: Arc<Config>,
    addresses: Arc<Addresses>,
    told: Arc<dyn Told>,
    revoked: broadcast::Sender<String>,
    /// Where the door of this process listens, once it does.
    door: OnceLock<SocketAddr>,
    /// One at a time changes owners: names are unique.
    turn: Mutex<()>,
}

impl StoreAccounts {
    /// Over this store.
    pub fn new(store: Store, config: Arc<Config>, addresses: Arc<Addresses>, told: Arc<dyn Told>) -> Self {
        let revoked = broadcast::Sender::new(REVOCATIONS_KEPT);
        Self { store, config, addresses, told, revoked, door: OnceLock::new(), turn: Mutex::new(()) }
    }

    /// Where the door of this process listens: login links lead there when there is no public address.
    pub fn listens_at(&self, door: SocketAddr) {
        // A process has one door.
        let _ = self.door.set(door);
    }

    /// The id of who is named by it or, in letters of either case, by name.
    fn known(&self, who: &str) -> Result<Option<String>, DeskError> {
        let owners = self.all()?;
        let by_id = owners.iter().find(|owner| owner.id == who);
        let known = by_id.or_else(|| owners.iter().find(|owner| owner.name.eq_ignore_ascii_case(who.trim())));
        Ok(known.map(|owner| owner.id.clone()))
    }

    fn all(&self) -> Result<Vec<Owner>, DeskError> {
        let listed = compute(|| self.store.owners()).map_err(store_failed)?;
        for error in &listed.damaged {
            tracing::error!(%error, "an owner cannot be read");
        }
        Ok(listed.rows)
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn login_url(&self, token: &str) -> String {
        let page = self.config.web.public_url().unwrap_or_else(|| {
            let at = self.door.get().copied();
            let at = at.unwrap_or_else(|| SocketAddr::new(self.config.mcp.bind, self.config.mcp.port));
            format!("http://{at}")
        });
        format!("{page}/login?token={token}")
    }

    fn with_token(&self, owner: Owner, token: String) -> NewOwner {
        NewOwner { login_url: self.login_url(&token), owner, token }
    }

    fn row(&self, owner: Owner) -> Result<OwnerRow, DeskError> {
        let points = compute(|| self.store.watch_points()).map_err(store_failed)?;
        let watch_points = points.iter().filter(|point| point.owner == owner.id).count();
        Ok(OwnerRow { owner, watch_points })
    }

    /// Their token is worth nothing from now on.
    fn say_revoked(&self, id: &str) {
        // Without a door there is nobody to tell.
        let _ = self.revoked.send(id.to_owned());
    }
}

/// A fresh token.
fn new_token() -> Result<String, DeskError> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| DeskError::Store(format!("no random token: {error}")))?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// What is kept of a token: SHA-256, hexadecimal. It has 256 random bits: no salt and no slow hash would add to them.
fn hash(token: &str) -> String {
    let mut text = String::with_capacity(2 * TOKEN_BYTES);
    for byte in Sha256::digest(token.as_bytes()) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn checked_name(name: &str) -> Result<String, DeskError> {
    let invalid = |why: String| DeskError::Invalid { field: "name", why };
    let name = names::checked_name(name, OWNER_NAME_CHARS_MAX).map_err(invalid)?;
    if name.eq_ignore_ascii_case(LOCAL_OWNER) {
        return Err(invalid(format!("{LOCAL_OWNER:?} is who runs this program and needs no token")));
    }
    Ok(name)
}

fn store_failed(error: StoreError) -> DeskError {
    DeskError::Store(error.to_string())
}

#[async_trait]
impl Accounts for StoreAccounts {
    async fn owner_of_token(&self, token: &str) -> Result<Option<Owner>, DeskError> {
        if token.len() > TOKEN_CHARS_MAX {
            return Ok(None);
        }
        let given = hash(token);
        let mut found = None;
        // All of them are looked at, each in constant time: how long it takes tells nothing.
        for owner in self.all()? {
            let same = bool::from(owner.token_sha256.as_bytes().ct_eq(given.as_bytes()));
            if same && owner.revoked_utc.is_none() {
                found = Some(owner);
            }
        }
        Ok(found)
    }

    async fn addresses(&self, owner: &str) -> Result<Vec<AddressProof>, DeskError> {
        let stored = compute(|| self.store.addresses()).map_err(store_failed)?;
        Ok(stored.into_iter().filter(|proof| proof.owner == owner).collect())
    }

    async fn prove_by_code(&self, owner: &str, address: &Address, code: &str) -> Result<bool, DeskError> {
        let proven = self.addresses.prove_by_code(owner, address, code, self.told.now())?;
        if proven {
            self.told.addresses_changed(owner);
        }
        Ok(proven)
    }

    async fn confirmation(&self, link_token: &str) -> Result<Option<LinkedAddress>, DeskError> {
        self.addresses.confirmation(link_token, self.told.now())
    }

    async fn prove_by_link(&self, link_token: &str) -> Result<Option<LinkedAddress>, DeskError> {
        let linked = self.addresses.prove_by_link(link_token, self.told.now())?;
        if let Some(linked) = &linked {
            self.told.addresses_changed(&linked.owner);
        }
        Ok(linked)
    }

    async fn unsubscription(&self, link_token: &str) -> Result<Option<LinkedAddress>, DeskError> {
        self.addresses.unsubscription(link_token, self.told.now())
    }

    async fn unsubscribe(&self, link_token: &str) -> Result<Option<LinkedAddress>, DeskError> {
        let linked = self.addresses.unsubscribe(link_token, self.told.now())?;
        if let Some(linked) = &linked {
            self.told.addresses_changed(&linked.owner);
        }
        Ok(linked)
    }

    async fn browsers(&self, owner: &str) -> Result<Vec<Browser>, DeskError> {
        let stored = compute(|| self.store.browsers()).map_err(store_failed)?;
        Ok(stored.into_iter().filter(|browser| browser.owner == owner).collect())
    }

    async fn add_browser(&self, owner: &str, browser: NewBrowser) -> Result<Browser, DeskError> {
        let NewBrowser { endpoint, p256dh, auth, label } = browser;
        let config = &self.config.channels.web_push;
        if !config.enabled {
            return Err(DeskError::Invalid { field: "browser", why: "web push is not set up here".to_owned() });
        }
        check_subscription(&endpoint, &p256dh, &auth, config)
            .map_err(|error| DeskError::Invalid { field: "browser", why: error.to_string() })?;
        let id = id::browser_id(owner, &endpoint);
        let label = label.chars().filter(|c| !c.is_control() && !names::turns_text(*c)).take(LABEL_CHARS_MAX).collect();
        let _turn = self.turn();
        let known = compute(|| self.store.browsers()).map_err(store_failed)?;
        let others = known.iter().filter(|browser| browser.owner == owner && browser.id != id).count();
        if others >= BROWSERS_OF_OWNER_MAX {
            return Err(DeskError::Limit { what: "browsers of one owner", limit: BROWSERS_OF_OWNER_MAX });
        }
        let (owner, created_utc) = (owner.to_owned(), self.told.now());
        let browser = Browser { id, owner, endpoint, p256dh, auth, label, created_utc, refusals: 0 };
        compute(|| self.store.put_browser(&browser)).map_err(store_failed)?;
        self.told.addresses_changed(&browser.owner);
        Ok(browser)
    }

    async fn remove_browser(&self, owner: &str, endpoint: &str) -> Result<bool, DeskError> {
        let id = id::browser_id(owner, endpoint);
        let removed = compute(|| self.store.remove_browser(&id, endpoint)).map_err(store_failed)?;
        if removed {
            self.told.addresses_changed(owner);
        }
        Ok(removed)
    }

    fn vapid_public_key(&self) -> Option<String> {
        if !self.config.channels.web_push.enabled {
            return None;
        }
        compute(|| Secrets::of(&self.store))
            .map_err(|error| tracing::error!(%error, "the VAPID key cannot be read"))
            .ok()
            .map(|secrets| secrets.vapid_public())
    }

    fn revoked(&self) -> broadcast::Receiver<String> {
        self.revoked.subscribe()
    }
}

#[async_trait]
impl Operator for StoreAccounts {
    async fn add_owner(&self, name: &str) -> Result<NewOwner, DeskError> {
        let name = checked_name(name)?;
        let _turn = self.turn();
        if self.all()?.iter().any(|owner| owner.name.eq_ignore_ascii_case(&name)) {
            let why =
                format!("there is an owner {name:?} already; `stormbell owner renew NAME` gives them a new token");
            return Err(DeskError::Invalid { field: "name", why });
        }
        let (token, now) = (new_token()?, self.told.now());
        let id = id::owner_id(&name, now);
        let owner = Owner { id, name, token_sha256: hash(&token), created_utc: now, revoked_utc: None };
        compute(|| self.store.put_owner(&owner)).map_err(store_failed)?;
        Ok(self.with_token(owner, token))
    }

    async fn renew_owner(&self, who: &str) -> Result<Option<NewOwner>, DeskError> {
        let token = new_token()?;
        let _turn = self.turn();
        let Some(id) = self.known(who)? else { return Ok(None) };
        let id = id.as_str();
        let renewed = compute(|| {
            self.store.change_owner(id, |owner| {
                owner.token_sha256 = hash(&token);
                owner.revoked_utc = None;
            })
        });
        let renewed = renewed.map_err(store_failed)?;
        self.say_revoked(id);
        Ok(renewed.map(|owner| self.with_token(owner, token)))
    }

    async fn owners(&self) -> Result<Vec<OwnerRow>, DeskError> {
        let mut owners = self.all()?;
        owners.sort_by(|a, b| (a.created_utc, &a.id).cmp(&(b.created_utc, &b.id)));
        owners.into_iter().map(|owner| self.row(owner)).collect()
    }

    async fn revoke_owner(&self, who: &str) -> Result<Option<OwnerRow>, DeskError> {
        let now = self.told.now();
        let _turn = self.turn();
        let Some(id) = self.known(who)? else { return Ok(None) };
        let id = id.as_str();
        let revoked = compute(|| {
            self.store.change_owner(id, |owner| {
                owner.revoked_utc.get_or_insert(now);
            })
        });
        self.say_revoked(id);
        revoked.map_err(store_failed)?.map(|owner| self.row(owner)).transpose()
    }
}

#[cfg(test)]
mod tests;
