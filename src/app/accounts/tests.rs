//! Tokens: who has one, what is kept of it, what a revoked one opens.

use super::*;
use crate::app::points::Points;
use crate::desk::NewWatchPoint;
use crate::geo::LatLon;
use crate::threat::Level;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting(AtomicUsize);

impl Told for Counting {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(1_780_000_000).unwrap()
    }

    fn addresses_changed(&self, _: &str) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn accounts(config: &str) -> (StoreAccounts, Points, Store) {
    let config = Arc::new(Config::from_text("test", config, &[]).unwrap());
    let store = Store::in_memory().unwrap();
    let points = Points::new(store.clone(), Arc::clone(&config));
    let told = Arc::new(Counting(AtomicUsize::new(0)));
    (StoreAccounts::new(store.clone(), config, points.addresses(), told), points, store)
}

#[tokio::test]
async fn a_token_is_shown_once_and_kept_as_a_hash() {
    let (accounts, _, store) = accounts("");
    let new = accounts.add_owner(" anna ").await.unwrap();
    assert_eq!(new.owner.name, "anna");
    assert_eq!(BASE64_URL_SAFE_NO_PAD.decode(&new.token).unwrap().len(), 32);
    let stored = store.owners().unwrap().rows.remove(0);
    // FIPS 180-4 by another program: sha256("abc").
    assert_eq!(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(stored.token_sha256, hash(&new.token));
    assert!(!format!("{stored:?}{new:?}").contains(&new.token));
    assert_eq!(accounts.owner_of_token(&new.token).await.unwrap(), Some(stored));
    for wrong in ["", "x", &new.token[1..], &format!("{}x", new.token), &hash(&new.token), &"x".repeat(100_000)] {
        assert_eq!(accounts.owner_of_token(wrong).await.unwrap(), None, "{wrong:.50}");
    }
    let other = accounts.add_owner("bob").await.unwrap();
    assert_ne!(other.token, new.token);
    assert_eq!(accounts.owner_of_token(&other.token).await.unwrap().unwrap().id, other.owner.id);
}

#[tokio::test]
async fn names_are_one_of_a_kind_and_local_is_taken() {
    let (accounts, ..) = accounts("");
    accounts.add_owner("anna").await.unwrap();
    for bad in ["anna", "ANNA", "", "  ", "a\nb", &"x".repeat(81), "local", "Local"] {
        assert!(matches!(accounts.add_owner(bad).await, Err(DeskError::Invalid { field: "name", .. })), "{bad}");
    }
    assert_eq!(accounts.owners().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_revoked_token_opens_nothing_and_a_renewed_one_only_the_new_way() {
    let (accounts, points, _) = accounts("");
    let mut revoked = accounts.revoked();
    assert!(!accounts.store.has_owners().unwrap());
    let anna = accounts.add_owner("anna").await.unwrap();
    let id = anna.owner.id.as_str();
    let wanted = NewWatchPoint {
        owner: id.to_owned(),
        name: "home".into(),
        at: LatLon::in_conus(40.52, -92.9).unwrap(),
        min_level: Level::Elevated,
        addresses: Vec::new(),
        until_utc: None,
        client_token: None,
        quiet_hours: None,
    };
    points.register(wanted, accounts.told.now()).unwrap();
    assert!(accounts.store.has_owners().unwrap());
    let row = accounts.revoke_owner(id).await.unwrap().unwrap();
    assert_eq!((row.watch_points, row.owner.revoked_utc), (1, Some(accounts.told.now())));
    assert_eq!(revoked.recv().await.unwrap(), id);
    assert_eq!(accounts.owner_of_token(&anna.token).await.unwrap(), None);
    assert!(!accounts.store.has_owners().unwrap());
    assert_eq!(points.watched(id).unwrap().len(), 1, "what they watch stays watched");
    let renewed = accounts.renew_owner(" Anna").await.unwrap().expect("by name as well");
    assert_eq!(revoked.recv().await.unwrap(), id, "what the former token had open is shut");
    assert_eq!(accounts.owner_of_token(&anna.token).await.unwrap(), None);
    assert_eq!(accounts.owner_of_token(&renewed.token).await.unwrap().unwrap().id, id);
    assert_eq!(accounts.revoke_owner("ow_none").await.unwrap(), None);
    assert_eq!(accounts.renew_owner("ow_none").await.unwrap(), None);
}

#[tokio::test]
async fn a_login_link_leads_to_where_the_page_is() {
    let (local, ..) = accounts("[mcp]\nport = 9000");
    let url = local.add_owner("anna").await.unwrap();
    assert_eq!(url.login_url, format!("http://127.0.0.1:9000/login?token={}", url.token));
    local.listens_at("127.0.0.1:4711".parse().unwrap());
    assert!(local.add_owner("bob").await.unwrap().login_url.starts_with("http://127.0.0.1:4711/login?token="));
    let (public, ..) = accounts("[web]\npublic_url = \"https://bell.example.org/\"");
    assert!(public.add_owner("anna").await.unwrap().login_url.starts_with("https://bell.example.org/login?token="));
}

/// The keys of RFC 8291's example (section 5).
fn browser(number: usize) -> NewBrowser {
    NewBrowser {
        endpoint: format!("https://push.example.org/{number}"),
        p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4".into(),
        auth: "BTBZMqHH6r4Tts7J_aSIgg".into(),
        label: format!("browser {number}"),
    }
}

const PUSH: &str = "[service]\ncontact = \"a@example.org\"\n\
    [channels.web_push]\nenabled = true\nsubject = \"mailto:a@example.org\"";

#[tokio::test]
async fn an_owner_has_so_many_browsers_and_no_more() {
    let (accounts, ..) = accounts(PUSH);
    for number in 0..BROWSERS_OF_OWNER_MAX {
        accounts.add_browser("anna", browser(number)).await.unwrap();
    }
    let refused = accounts.add_browser("anna", browser(BROWSERS_OF_OWNER_MAX)).await;
    let limit = DeskError::Limit { what: "browsers of one owner", limit: 64 };
    assert_eq!(refused, Err(limit));
    // One that is known is renewed at the limit too, and another owner has a limit of their own, for the same browser even.
    let renewed = NewBrowser { label: "renewed".into(), ..browser(7) };
    assert_eq!(accounts.add_browser("anna", renewed).await.unwrap().label, "renewed");
    assert_eq!(accounts.browsers("anna").await.unwrap().len(), BROWSERS_OF_OWNER_MAX);
    accounts.add_browser("bob", browser(7)).await.unwrap();
    assert_eq!(accounts.browsers("bob").await.unwrap().len(), 1);
    assert!(!accounts.remove_browser("bob", "https://push.example.org/8").await.unwrap(), "not bob's");
    // One that goes makes room.
    assert!(accounts.remove_browser("anna", "https://push.example.org/8").await.unwrap());
    accounts.add_browser("anna", browser(BROWSERS_OF_OWNER_MAX)).await.unwrap();
    assert_eq!(accounts.browsers("anna").await.unwrap().len(), BROWSERS_OF_OWNER_MAX);
}

#[tokio::test]
async fn browsers_are_not_taken_where_push_is_not_set_up() {
    let (accounts, ..) = accounts("");
    assert!(matches!(accounts.add_browser("anna", browser(0)).await, Err(DeskError::Invalid { field: "browser", .. })));
    assert!(accounts.browsers("anna").await.unwrap().is_empty());
}
