//! Whose an address is: which count as proven, which get a confirmation, and what an answer to one changes.
//!
//! Invariants: an address that nobody proved gets nothing but its confirmation; at most `CONFIRMATIONS_A_DAY` of them a day,
//! whoever asks; whoever unsubscribed gets nothing more of that owner before a new confirmation.

use crate::channels;
use crate::channels::email::canonical;
use crate::config::Config;
use crate::desk::accounts::LinkedAddress;
use crate::desk::{ADDRESSES_MAX, Asked, DeskError, LOCAL_OWNER, Waiting};
use crate::notice::compose::confirmation::{Confirmation, confirmation};
use crate::notice::links::{LinkKey, Linked, Purpose};
use crate::notice::{Address, AddressProof, ChannelKind, Delivery, Links, NoticeReason, id};
use crate::outside::compute;
use crate::store::{Ask, Secrets, Store, StoreError};
use crate::threat::{Level, later};
use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use subtle::ConstantTimeEq;

/// Confirmations to one address within `DAY`, all owners together (delivery.md): nobody is pestered by way of us.
pub const CONFIRMATIONS_A_DAY: usize = 3;
/// Confirmations that one owner may have sent within `DAY`: a household in one go, not a mailing list of strangers.
pub const CONFIRMATIONS_OF_OWNER_A_DAY: usize = 30;
/// Wrong codes after which a confirmation counts no more: of a million codes nobody guesses one in these.
pub const CODE_TRIES_MAX: u32 = 5;
/// The window of both limits, and how long a confirmation counts: mail may lie unread overnight.
pub const DAY: SignedDuration = SignedDuration::from_hours(24);
/// A repeated registration within this does not send a second confirmation: agents try again.
const ASKED_LATELY: SignedDuration = SignedDuration::from_mins(10);
/// Codes have six digits: short enough to type.
const CODES: u64 = 1_000_000;

/// The addresses of one store.
pub struct Addresses {
    store: Store,
    config: Arc<Config>,
    links: OnceLock<Arc<Links>>,
    /// One at a time looks at proofs and writes what follows from them: an unsubscription must not fall between.
    turn: Mutex<()>,
}

/// The addresses of a registration, told apart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sorted {
    /// Notices may go there.
    pub proven: Vec<Address>,
    /// Nothing but a confirmation goes there.
    pub waiting: Vec<Address>,
    /// Confirmations to be sent, with what is noted of them.
    pub asks: Vec<Ask>,
    /// What the caller is told of those that wait.
    pub told: Vec<Waiting>,
}

impl Addresses {
    /// Over this store. Its keys are read when they are first needed.
    pub fn new(store: Store, config: Arc<Config>) -> Self {
        Self { store, config, links: OnceLock::new(), turn: Mutex::new(()) }
    }

    /// How mails of this store lead back.
    pub fn links(&self) -> Result<Arc<Links>, DeskError> {
        if let Some(links) = self.links.get() {
            return Ok(Arc::clone(links));
        }
        let secrets = compute(|| Secrets::of(&self.store)).map_err(store_failed)?;
        let email = &self.config.channels.email;
        let answers_to = email.reply_to.as_ref().filter(|text| !text.is_empty()).unwrap_or(&email.from);
        let links = Links {
            public_url: self.config.web.public_url(),
            key: LinkKey::new(*secrets.link_key()),
            answers_to: Some(answers_to.clone()).filter(|text| email.enabled && !text.is_empty()),
        };
        // Of two that come at once both have read the same key.
        Ok(Arc::clone(self.links.get_or_init(|| Arc::new(links))))
    }

    /// The right to look at proofs and write what follows.
    pub fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The addresses of one point as they are kept, each once.
    pub fn checked_all(&self, wanted: &[Address]) -> Result<Vec<Address>, DeskError> {
        let mut wanted = wanted.iter().map(|address| self.checked(address)).collect::<Result<Vec<_>, _>>()?;
        wanted.sort_unstable();
        wanted.dedup();
        match wanted.len() {
            0..=ADDRESSES_MAX => Ok(wanted),
            _ => Err(DeskError::Limit { what: "addresses of one watch point", limit: ADDRESSES_MAX }),
        }
    }

    /// Tells checked addresses apart. Call it, and write what comes of it, within one `turn`.
    pub fn sort(&self, owner: &str, wanted: Vec<Address>, now: Timestamp) -> Result<Sorted, DeskError> {
        let mut sorted = Sorted::default();
        for address in wanted {
            let proof = compute(|| self.store.address(owner, &address)).map_err(store_failed)?;
            if self.is_proven(owner, &address, proof.as_ref()) {
                if address.kind == ChannelKind::WebPush && !self.has_browser(owner)? {
                    sorted.told.push(Waiting { address: address.clone(), asked: Asked::NoBrowser });
                }
                sorted.proven.push(address);
                continue;
            }
            let asked = self.ask(owner, &address, proof, now, &mut sorted.asks)?;
            sorted.told.push(Waiting { address: address.clone(), asked });
            sorted.waiting.push(address);
        }
        Ok(sorted)
    }

    fn checked(&self, address: &Address) -> Result<Address, DeskError> {
        let refuse = |why: String| Err(DeskError::Invalid { field: "channels", why });
        if !channels::is_available(address.kind, &self.config) {
            let kind = address.kind.as_str();
            return refuse(format!("no {kind} channel is set up here; see [channels] in the configuration"));
        }
        match address.kind {
            ChannelKind::Email => match canonical(&address.to) {
                Ok(to) => Ok(Address { kind: address.kind, to }),
                Err(why) => refuse(why),
            },
            ChannelKind::None | ChannelKind::WebPush => Ok(address.clone()),
        }
    }

    /// Whether notices of this owner may go there.
    fn is_proven(&self, owner: &str, address: &Address, proof: Option<&AddressProof>) -> bool {
        match (address.kind, proof) {
            // The browser's own permission is the proof.
            (ChannelKind::None | ChannelKind::WebPush, _) => true,
            (ChannelKind::Email, Some(proof)) if proof.unsubscribed_utc.is_some() => false,
            (ChannelKind::Email, Some(proof)) if proof.is_proven() => true,
            (ChannelKind::Email, _) => owner == LOCAL_OWNER && self.config.is_proven_email(&address.to),
        }
    }

    fn has_browser(&self, owner: &str) -> Result<bool, DeskError> {
        let browsers = compute(|| self.store.browsers()).map_err(store_failed)?;
        Ok(browsers.iter().any(|browser| browser.owner == owner))
    }

    /// Adds a confirmation, unless one went there a moment ago or no more may go there today.
    fn ask(
        &self,
        owner: &str,
        address: &Address,
        proof: Option<AddressProof>,
        now: Timestamp,
        asks: &mut Vec<Ask>,
    ) -> Result<Asked, DeskError> {
        let links = self.links()?;
        let how = if links.public_url.is_some() { Asked::ByLink } else { Asked::ByCode };
        let mut proof = proof.unwrap_or_else(|| AddressProof::new(owner, address));
        let last = proof.asked_utc.last().copied();
        let ended = |at: Timestamp| last.is_none_or(|last| last <= at);
        let counts =
            |proof: &AddressProof| !proof.unsubscribed_utc.is_some_and(ended) && proof.wrong_codes < CODE_TRIES_MAX;
        let lately = last.is_some_and(|asked| now < later(asked, ASKED_LATELY));
        if lately && counts(&proof) {
            return Ok(how);
        }
        let stored = compute(|| self.store.addresses()).map_err(store_failed)?.rows;
        let within = |proof: &AddressProof| proof.asked_utc.iter().filter(|asked| now < later(**asked, DAY)).count();
        let to_it: usize = stored.iter().filter(|other| other.address == *address).map(within).sum();
        let by_owner: usize = stored.iter().filter(|other| other.owner == owner).map(within).sum();
        if to_it >= CONFIRMATIONS_A_DAY || by_owner + asks.len() >= CONFIRMATIONS_OF_OWNER_A_DAY {
            return Ok(Asked::LimitReached);
        }
        // Whole seconds: that is what its link carries.
        let asked_utc = Timestamp::from_second(now.as_second()).unwrap_or(now);
        let good_until_utc = later(asked_utc, DAY);
        let code = match how {
            Asked::ByCode => Some(new_code()?),
            Asked::ByLink | Asked::NoBrowser | Asked::LimitReached => None,
        };
        proof.asked_utc.retain(|asked| now < later(*asked, DAY));
        proof.asked_utc.push(asked_utc);
        proof.code = code.as_ref().map(|code| (links.key.code_hash(owner, address, code), good_until_utc));
        proof.wrong_codes = 0;
        let url = links.confirm_url(owner, address, asked_utc, good_until_utc);
        let rendered = confirmation(&Confirmation {
            service: links.public_url.as_deref(),
            url: url.as_deref(),
            code: code.as_deref(),
            asked_utc,
            good_until_utc,
        });
        let episode = id::asking_id(owner, address, asked_utc);
        let delivery = Delivery {
            id: id::delivery_id(&[], &episode, 0, address),
            number: 0,
            address: address.clone(),
            watch_points: Vec::new(),
            owner: owner.to_owned(),
            reason: NoticeReason::Confirmation,
            level: Level::None,
            episode,
            thread_root: None,
            decided_utc: now,
            useful_until_utc: good_until_utc,
            evidence_utc: None,
            seen_utc: None,
            subject: rendered.subject,
            text: rendered.text,
            html: rendered.html,
            payload: String::new(),
            unsubscribe_url: links.unsubscribe_url(owner, address),
            stands_in_for: None,
        };
        asks.push(Ask { proof, delivery });
        Ok(how)
    }

    /// Proves an address by the code that was sent to it.
    pub fn prove_by_code(&self, owner: &str, address: &Address, code: &str, now: Timestamp) -> Result<bool, DeskError> {
        let Ok(address) = self.checked(address) else { return Ok(false) };
        let typed = self.links()?.key.code_hash(owner, &address, code.trim());
        let _turn = self.turn();
        let judge = |proof: &mut AddressProof| {
            let Some((hash, good_until_utc)) = &proof.code else { return false };
            if now >= *good_until_utc || proof.wrong_codes >= CODE_TRIES_MAX {
                return false;
            }
            let right = bool::from(hash.as_bytes().ct_eq(typed.as_bytes()));
            proof.wrong_codes += u32::from(!right);
            right
        };
        let proven = compute(|| self.store.prove(owner, &address, now, judge)).map_err(store_failed)?;
        Ok(proven.is_some())
    }

    /// The address that a confirmation link names, while that may still prove it.
    pub fn confirmation(&self, token: &str, now: Timestamp) -> Result<Option<LinkedAddress>, DeskError> {
        let Some(linked) = self.links()?.key.open(Purpose::Confirm, token, now) else { return Ok(None) };
        let proof = compute(|| self.store.address(&linked.owner, &linked.address)).map_err(store_failed)?;
        Ok(proof.filter(|proof| is_open(proof, &linked)).map(|_| named(linked)))
    }

    /// Proves the address that a confirmation link names.
    pub fn prove_by_link(&self, token: &str, now: Timestamp) -> Result<Option<LinkedAddress>, DeskError> {
        let Some(linked) = self.links()?.key.open(Purpose::Confirm, token, now) else { return Ok(None) };
        let _turn = self.turn();
        let judge = |proof: &mut AddressProof| is_open(proof, &linked);
        let proven = compute(|| self.store.prove(&linked.owner, &linked.address, now, judge)).map_err(store_failed)?;
        Ok(proven.map(|_| named(linked)))
    }

    /// The address that an unsubscribe link names.
    pub fn unsubscription(&self, token: &str, now: Timestamp) -> Result<Option<LinkedAddress>, DeskError> {
        Ok(self.links()?.key.open(Purpose::Unsubscribe, token, now).map(named))
    }

    /// Ends all notices of that owner to the address that an unsubscribe link names.
    pub fn unsubscribe(&self, token: &str, now: Timestamp) -> Result<Option<LinkedAddress>, DeskError> {
        let Some(linked) = self.unsubscription(token, now)? else { return Ok(None) };
        let _turn = self.turn();
        compute(|| self.store.unsubscribe(&linked.owner, &linked.address, now)).map_err(store_failed)?;
        tracing::info!(owner = %linked.owner, "an address unsubscribed");
        Ok(Some(linked))
    }
}

/// Whether a confirmation was neither used nor overtaken: it is one that was sent, and since then nothing was proven or ended.
fn is_open(proof: &AddressProof, linked: &Linked) -> bool {
    let Some(issued) = linked.issued_utc else { return false };
    let since = |at: Option<Timestamp>| at.is_some_and(|at| at >= issued);
    proof.asked_utc.contains(&issued) && !since(proof.proven_utc) && !since(proof.unsubscribed_utc)
}

fn named(linked: Linked) -> LinkedAddress {
    LinkedAddress { owner: linked.owner, address: linked.address }
}

/// Six random digits.
fn new_code() -> Result<String, DeskError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| DeskError::Store(format!("no random code: {error}")))?;
    Ok(format!("{:06}", u64::from_le_bytes(bytes) % CODES))
}

fn store_failed(error: StoreError) -> DeskError {
    DeskError::Store(error.to_string())
}

#[cfg(test)]
mod tests;
