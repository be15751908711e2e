//! Stand-in until owners have accounts.

use crate::desk::DeskError;
use crate::desk::accounts::{Accounts, LinkedAddress, NewBrowser};
use crate::notice::{Address, AddressProof, Browser, Owner};
use async_trait::async_trait;

pub struct NoAccounts;

#[async_trait]
impl Accounts for NoAccounts {
    async fn owner_of_token(&self, _: &str) -> Result<Option<Owner>, DeskError> {
        Ok(None)
    }
    async fn addresses(&self, _: &str) -> Result<Vec<AddressProof>, DeskError> {
        Ok(Vec::new())
    }
    async fn prove_by_code(&self, _: &str, _: &Address, _: &str) -> Result<bool, DeskError> {
        Ok(false)
    }
    async fn confirmation(&self, _: &str) -> Result<Option<LinkedAddress>, DeskError> {
        Ok(None)
    }
    async fn prove_by_link(&self, _: &str) -> Result<Option<LinkedAddress>, DeskError> {
        Ok(None)
    }
    async fn unsubscription(&self, _: &str) -> Result<Option<LinkedAddress>, DeskError> {
        Ok(None)
    }
    async fn unsubscribe(&self, _: &str) -> Result<Option<LinkedAddress>, DeskError> {
        Ok(None)
    }
    async fn browsers(&self, _: &str) -> Result<Vec<Browser>, DeskError> {
        Ok(Vec::new())
    }
    async fn add_browser(&self, _: &str, _: NewBrowser) -> Result<Browser, DeskError> {
        Err(DeskError::Store("no accounts".into()))
    }
    async fn remove_browser(&self, _: &str, _: &str) -> Result<bool, DeskError> {
        Ok(false)
    }
    fn vapid_public_key(&self) -> Option<String> {
        None
    }
}
