//! What is no longer wanted is not written, and what stands in for a dead letter comes with it or not at all.

use super::{at, delivery, point, watching};
use crate::notice::book::browser_address;
use crate::notice::fallback::{Aftermath, Fate, GivenUp};
use crate::notice::{Address, AddressProof, Browser, ChannelKind, Delivery, Held, HeldBy, NoticeReason};
use crate::store::trees::{Edits, In};
use crate::store::{Decision, Due, Lasting, LedgerOutcome, Settled, Store, addresses};

fn email(to: &str) -> Address {
    Address { kind: ChannelKind::Email, to: to.to_owned() }
}

fn proof(to: &str, proven: bool, unsubscribed: bool) -> AddressProof {
    AddressProof {
        owner: "local".to_owned(),
        address: email(to),
        proven_utc: proven.then(|| at(0)),
        asked_utc: Vec::new(),
        code: None,
        wrong_codes: 0,
        unsubscribed_utc: unsubscribed.then(|| at(1)),
        is_own: false,
    }
}

/// As a proof or an unsubscription leaves it.
fn put_address(store: &Store, proof: &AddressProof) {
    let mut writer = store.writer();
    let (mut edits, counts) = (Edits::default(), writer.counts.clone());
    edits.put(In::Addresses, addresses::key(&proof.owner, &proof.address), proof).unwrap();
    store.write(&mut writer, edits, counts, Lasting::Yes).unwrap();
}

fn instead(stand_ins: impl IntoIterator<Item = Delivery>) -> Aftermath {
    Aftermath { stand_ins: stand_ins.into_iter().collect(), ..Aftermath::default() }
}

fn commit(store: &Store, deliveries: Vec<Delivery>) -> (usize, Vec<String>) {
    let committed = store.commit(&Decision { deliveries, ..Decision::default() }).unwrap();
    (committed.rows.len(), committed.unwanted)
}

#[test]
fn an_owners_own_addresses_are_proven_until_they_unsubscribe() {
    let store = Store::in_memory().unwrap();
    let own = [email("me@example.org"), email("second@example.org")];
    store.own("local", &own).unwrap();
    assert_eq!(store.proven_addresses("local").unwrap(), own);
    store.unsubscribe("local", &own[1], at(1)).unwrap();
    store.own("local", &own).unwrap();
    assert_eq!(store.proven_addresses("local").unwrap(), own[..1], "the next start does not bring it back");
    store.own("local", &[]).unwrap();
    assert!(store.proven_addresses("local").unwrap().is_empty(), "the configuration names it no longer");
}

/// Nobody ever confirmed it: it is not written to just because points name it still.
#[test]
fn an_address_that_leaves_the_configuration_waits_on_the_points_until_it_is_confirmed_or_comes_back() {
    let store = watching(&["a"]);
    let own = [email("owner@example.org")];
    let names = || {
        let point = store.watch_point("a").unwrap().unwrap();
        (point.addresses.len(), point.waiting.len())
    };
    assert_eq!(store.own("local", &own).unwrap(), []);
    assert_eq!(names(), (1, 0));
    assert_eq!(store.own("local", &[]).unwrap(), own);
    assert_eq!((names(), store.own("local", &[]).unwrap().len()), ((0, 1), 0), "told once");
    assert_eq!(commit(&store, vec![delivery("d1", &["a"], 1)]).0, 0);
    assert_eq!(store.own("local", &[email("Owner@example.org")]).unwrap(), []);
    assert_eq!(names(), (1, 0), "named again");
    store.prove("local", &own[0], at(1), |_| true).unwrap();
    assert_eq!((store.own("local", &[]).unwrap(), names()), (vec![], (1, 0)), "confirmed");
    assert_eq!(commit(&store, vec![delivery("d2", &["a"], 1)]).0, 1);
}

#[test]
fn an_address_that_was_taken_off_every_point_is_no_channel_of_its_owner_any_more() {
    let store = watching(&["a", "b"]);
    put_address(&store, &proof("owner@example.org", true, false));
    let own = || store.proven_addresses("local").unwrap();
    assert_eq!(own(), [email("owner@example.org")]);
    store.change_watch_point("a", |point| point.addresses.clear()).unwrap();
    assert_eq!(own(), [email("owner@example.org")], "the other point names it");
    store.change_watch_point("b", |point| point.addresses = vec![browser_address("br_1")]).unwrap();
    assert!(own().is_empty());
    commit(&store, vec![Delivery { address: browser_address("br_1"), ..delivery("d1", &["b"], 1) }]);
    let stand_in = Delivery { stands_in_for: Some("d1".to_owned()), ..delivery("for the owner", &["b"], 1) };
    store.give_up("d1", (GivenUp::Refused, "410"), at(2), &instead([stand_in])).unwrap();
    assert!(store.pending().unwrap().is_empty(), "nor is one that was made while it still was");
}

/// Decided for an address that is taken away before it is committed: 0 after unsubscribe.
#[test]
fn an_address_that_was_taken_away_or_unsubscribed_meanwhile_gets_nothing() {
    let store = watching(&["a", "b"]);
    let of = |id: &str, points: &[&str]| delivery(id, points, 1);
    assert_eq!(commit(&store, vec![of("d1", &["a"])]), (1, vec![]));
    store
        .put_watch_point(&crate::notice::WatchPoint { addresses: vec![email("other@example.org")], ..point("a") })
        .unwrap();
    assert_eq!(commit(&store, vec![of("d2", &["a"])]), (0, vec!["d2".to_owned()]));
    assert_eq!(commit(&store, vec![of("d3", &["a", "b"])]), (1, vec![]), "another point of the notice still names it");
    let owned = Delivery { owner: "somebody".to_owned(), ..of("d4", &["b"]) };
    assert_eq!(commit(&store, vec![owned]).0, 0, "another owner's point says nothing of this one's address");
    put_address(&store, &proof("owner@example.org", true, true));
    assert_eq!(commit(&store, vec![of("d5", &["b"])]), (0, vec!["d5".to_owned()]));
    let asks = Delivery { reason: NoticeReason::Confirmation, ..of("d6", &[]) };
    assert_eq!(commit(&store, vec![asks]).0, 1, "a confirmation goes where nothing else does");
    put_address(&store, &proof("owner@example.org", true, false));
    assert_eq!(commit(&store, vec![of("d7", &["b"])]).0, 1, "subscribed again");
}

/// The owner takes the channels off while a notice backs off.
#[test]
fn what_waits_for_an_address_that_is_taken_off_its_points_is_not_sent_any_more() {
    let store = watching(&["a", "b"]);
    let everywhere = vec![email("owner@example.org"), Address { kind: ChannelKind::WebPush, to: String::new() }];
    store.change_watch_point("a", |point| point.addresses.clone_from(&everywhere)).unwrap();
    let pushed = |id: &str| Delivery { address: browser_address("br_1"), ..delivery(id, &["a"], 1) };
    let nobody = Delivery { address: Address::nobody(), ..delivery("d4", &["a"], 1) };
    let asked_for = Delivery { reason: NoticeReason::Test, ..pushed("d5") };
    let all = vec![delivery("d1", &["a"], 1), delivery("d2", &["a", "b"], 1), pushed("d3"), nobody, asked_for];
    assert_eq!(commit(&store, all).0, 5);
    let waits = |id: &str| matches!(store.still_wanted(id, at(3)).unwrap(), Due::Wanted(_));
    assert!(["d1", "d2", "d3", "d4", "d5"].into_iter().all(waits));
    store.change_watch_point("a", |point| point.addresses.clear()).unwrap();
    assert_eq!(
        ["d1", "d2", "d3", "d4", "d5"].map(waits),
        [false, true, false, true, true],
        "b names the address still"
    );
    let row = store.ledger_row("d1").unwrap().unwrap();
    assert_eq!((row.attempts, matches!(row.outcome, LedgerOutcome::Unwanted(_))), (0, true));
    assert_eq!(store.health().pending, 3);
    // It was under way, and its server took it: what has been told is told, once.
    let told = |receipt: &str| store.settle("d1", LedgerOutcome::Told(receipt.to_owned()), at(4)).unwrap();
    assert!(matches!(told("250"), Settled::Now(row) if row.attempts == 1));
    assert!(matches!(told("251"), Settled::Before(row) if row.outcome == LedgerOutcome::Told("250".to_owned())));
    assert_eq!((store.health().told, store.health().dead), (1, 1));
}

/// A point that asks for push and has no browser: any proven address of its owner will do, none of another's.
#[test]
fn what_has_no_browser_left_may_go_to_any_proven_address_of_the_owner() {
    let store = watching(&["a"]);
    let pushed = crate::notice::WatchPoint {
        addresses: vec![Address { kind: ChannelKind::WebPush, to: String::new() }],
        ..point("b")
    };
    store.put_watch_point(&pushed).unwrap();
    let to = |id: &str, to: &str| Delivery { address: email(to), ..delivery(id, &["b"], 1) };
    assert_eq!(commit(&store, vec![to("d1", "owner@example.org")]).0, 1, "another point names it");
    assert_eq!(commit(&store, vec![to("d2", "proven@example.org")]).0, 0);
    put_address(&store, &proof("proven@example.org", true, false));
    assert_eq!(commit(&store, vec![to("d3", "proven@example.org")]).0, 0, "proven once, named nowhere any more");
    store.own("local", &[email("proven@example.org")]).unwrap();
    assert_eq!(commit(&store, vec![to("d3", "proven@example.org")]).0, 1);
    let browser = Browser {
        id: "br_1".to_owned(),
        owner: "local".to_owned(),
        endpoint: "https://push.example/1".to_owned(),
        p256dh: String::new(),
        auth: String::new(),
        label: String::new(),
        created_utc: at(0),
        refusals: 0,
    };
    store.put_browser(&browser).unwrap();
    assert!(matches!(store.still_wanted("d1", at(1)).unwrap(), Due::Unwanted(_)), "there is a browser again");
    assert_eq!(store.still_wanted("d1", at(1)).unwrap(), Due::Gone);
    assert_eq!(commit(&store, vec![to("d4", "proven@example.org")]).0, 0);
    store.remove_browser(&browser.id, &browser.endpoint).unwrap();
    store.unsubscribe("local", &email("proven@example.org"), at(1)).unwrap();
    assert_eq!(commit(&store, vec![to("d4", "proven@example.org")]).0, 0, "unsubscribed");
    assert_eq!(store.inboxes().unwrap(), [("local".to_owned(), vec![email("owner@example.org")])].into());
    let foreign = Delivery { owner: "somebody".to_owned(), ..to("d5", "owner@example.org") };
    assert_eq!(commit(&store, vec![foreign]).0, 0);
}

#[test]
fn a_dead_letter_and_what_stands_in_for_it_are_one_transaction_and_made_once() {
    let store = watching(&["a"]);
    store.own("local", &[email("second@example.org")]).unwrap();
    put_address(&store, &proof("waiting@example.org", false, false));
    put_address(&store, &proof("gone@example.org", true, true));
    commit(&store, vec![delivery("d1", &["a"], 1)]);
    let proven = store.proven_addresses("local").unwrap();
    assert_eq!(proven, [email("owner@example.org"), email("second@example.org")]);
    assert!(store.proven_addresses("somebody").unwrap().is_empty());
    let stand_in = |to: &str| Delivery {
        address: email(to),
        stands_in_for: Some("d1".to_owned()),
        ..delivery(&format!("for {to}"), &["a"], 1)
    };
    let all = ["second", "waiting", "gone"].map(|name| stand_in(&format!("{name}@example.org")));
    let Settled::Now(row) = store.give_up("d1", (GivenUp::Refused, "550"), at(2), &instead(all.clone())).unwrap()
    else {
        panic!("not settled")
    };
    assert_eq!((row.outcome, row.attempts), (LedgerOutcome::Dead("550".to_owned()), 1));
    let pending = store.pending().unwrap();
    assert_eq!(pending.iter().map(|row| row.delivery.id.as_str()).collect::<Vec<_>>(), ["for second@example.org"]);
    assert_eq!(pending[0].delivery.number, 2);
    assert_eq!((store.health().pending, store.health().dead), (1, 1));
    assert!(matches!(
        store.give_up("d1", (GivenUp::Refused, "550"), at(3), &instead(all.clone())).unwrap(),
        Settled::Before(_)
    ));
    assert_eq!(store.give_up("d9", (GivenUp::Refused, "550"), at(3), &instead(all.clone())).unwrap(), Settled::Unknown);
    assert_eq!(store.pending().unwrap().len(), 1);
    // A sibling that dies as well would make the same stand-in.
    commit(&store, vec![delivery("d2", &["a"], 1)]);
    store.give_up("d2", (GivenUp::Refused, "550"), at(4), &instead(all)).unwrap();
    assert_eq!(store.pending().unwrap().len(), 1);
}

#[test]
fn what_was_decided_lately_is_found_whether_it_waits_or_is_settled() {
    let store = watching(&["a"]);
    for n in [10, 20, 30] {
        commit(&store, vec![delivery(&format!("d{n}"), &["a"], n)]);
    }
    store.settle("d10", LedgerOutcome::Told("250".to_owned()), at(31)).unwrap();
    store.give_up("d20", (GivenUp::Refused, "550"), at(31), &Aftermath::default()).unwrap();
    let fates = |since| {
        let others = store.fates_since(at(since)).unwrap().into_iter();
        let mut fates: Vec<(String, Fate)> = others.map(|other| (other.delivery.id, other.fate)).collect();
        fates.sort_by(|a, b| a.0.cmp(&b.0));
        fates
    };
    let expected = [("d10", Fate::Told), ("d20", Fate::Dead), ("d30", Fate::Waits)];
    assert_eq!(fates(10), expected.map(|(id, fate)| (id.to_owned(), fate)));
    assert_eq!(fates(11).len(), 2);
    assert_eq!(store.decided_since(at(30)).unwrap().len(), 1);
}

#[test]
fn held_rows_come_with_a_decision_and_go_with_the_digest_that_tells_them() {
    let store = watching(&["a"]);
    let held = Held {
        id: "h1".to_owned(),
        owner: "local".to_owned(),
        watch_point: "a".to_owned(),
        reason: NoticeReason::Raised,
        level: crate::threat::Level::Elevated,
        decided_utc: at(1),
        due_utc: at(2),
        subject: "elevated".to_owned(),
        episode: "episode".to_owned(),
        held_by: HeldBy::QuietHours,
        told: false,
        heard: Vec::new(),
    };
    store.commit(&Decision { held: vec![held.clone()], ..Decision::default() }).unwrap();
    assert_eq!(store.held().unwrap().rows, std::slice::from_ref(&held));
    // Who is taken off has not heard of what it ends any more.
    let heard = ["email:owner@example.org", "email:z@example.org"].map(str::to_owned);
    store.commit(&Decision { held: vec![Held { heard: heard.to_vec(), ..held }], ..Decision::default() }).unwrap();
    store.change_watch_point("a", |point| point.addresses = vec![email("other@example.org")]).unwrap();
    assert_eq!(store.held().unwrap().rows[0].heard, heard[1..]);
    store.change_watch_point("a", |point| point.addresses = vec![email("owner@example.org")]).unwrap();
    let digest = Decision {
        deliveries: vec![delivery("digest", &["a"], 2)],
        released: vec!["h1".to_owned()],
        ..Decision::default()
    };
    store.commit(&digest).unwrap();
    assert_eq!((store.held().unwrap().len(), store.pending().unwrap().len()), (0, 1));
}

/// A listing that holds a later notice and misses an earlier one would have the later one sent first.
#[test]
fn what_waits_is_listed_without_gaps_while_more_is_decided() {
    let store = watching(&["a"]);
    let id = |n: u32| format!("{:08x}", n.wrapping_mul(2_654_435_761));
    std::thread::scope(|scope| {
        let deciding = scope.spawn(|| {
            for n in 0..600 {
                commit(&store, vec![delivery(&id(2 * n), &["a"], 1), delivery(&id(2 * n + 1), &["a"], 1)]);
            }
        });
        while !deciding.is_finished() {
            let numbers: Vec<u64> = store.pending().unwrap().iter().map(|row| row.delivery.number).collect();
            let gap = numbers.windows(2).find(|pair| pair[1] != pair[0] + 1);
            assert_eq!(gap, None, "of {}", numbers.len());
        }
    });
    assert_eq!(store.next_delivery(), 1_201);
}
