//! What is asked, how it is proven, and how it ends.

use super::*;
use crate::app::points::Points;
use crate::desk::{NewWatchPoint, PointUpdate};
use crate::geo::LatLon;
use crate::notice::WatchPoint;
use crate::store::LedgerOutcome;

const PUBLIC: &str = "[web]\npublic_url = \"https://bell.example.org\"\n";
const OWN: &str = "me@example.org";
const ANNA: &str = "anna@example.org";

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_780_000_000 + 60 * minute).unwrap()
}

fn email(to: &str) -> Address {
    Address { kind: ChannelKind::Email, to: to.into() }
}

struct House {
    store: Store,
    points: Points,
    addresses: Arc<Addresses>,
}

/// With email set up, one address of the local owner's, and what else the configuration says.
fn house(rest: &str) -> House {
    let text = format!(
        "[owner]\nemails = [\"{OWN}\"]\n[channels.email]\nenabled = true\nhost = \"localhost\"\nsecurity = \"none\"\n\
         from = \"bell@example.org\"\n{rest}"
    );
    let config = Arc::new(Config::from_text("test", &text, &[]).unwrap());
    let store = Store::in_memory().unwrap();
    let points = Points::new(store.clone(), config);
    let addresses = points.addresses();
    House { store, points, addresses }
}

impl House {
    fn register(&self, owner: &str, name: &str, to: &[&str], now: Timestamp) -> (WatchPoint, Vec<Asked>) {
        let registered = self.points.register(wanted(owner, name, to), now).unwrap();
        let point = self.store.watch_point(&registered.point.id).unwrap().unwrap();
        assert_eq!(point, registered.point);
        (point, registered.waiting.iter().map(|waiting| waiting.asked).collect())
    }

    fn point(&self, id: &str) -> WatchPoint {
        self.store.watch_point(id).unwrap().unwrap()
    }

    /// Confirmations that wait to be sent, in order.
    fn asked(&self) -> Vec<Delivery> {
        self.store.pending().unwrap().into_iter().map(|row| row.delivery).collect()
    }

    /// The code in the newest confirmation.
    fn code(&self) -> String {
        let text = self.asked().last().unwrap().text.clone();
        let is_code = |line: &&str| line.trim().len() == 6 && line.trim().bytes().all(|b| b.is_ascii_digit());
        text.lines().find(is_code).unwrap().trim().to_owned()
    }

    /// The token of the link in the newest confirmation.
    fn link(&self) -> String {
        let text = self.asked().last().unwrap().text.clone();
        let line = text.lines().find_map(|line| line.strip_prefix("https://bell.example.org/confirm/")).unwrap();
        line.to_owned()
    }

    fn prove(&self, owner: &str, to: &str, code: &str, now: Timestamp) -> bool {
        self.addresses.prove_by_code(owner, &email(to), code, now).unwrap()
    }
}

fn wanted(owner: &str, name: &str, to: &[&str]) -> NewWatchPoint {
    NewWatchPoint {
        owner: owner.into(),
        name: name.into(),
        at: LatLon::in_conus(40.52, -92.9).unwrap(),
        min_level: Level::Elevated,
        addresses: to.iter().map(|to| email(to)).collect(),
        until_utc: None,
        client_token: None,
        quiet_hours: None,
    }
}

#[test]
fn an_address_waits_until_its_code_is_given_and_then_counts_on_every_point() {
    let house = house("");
    let (home, asked) = house.register("ow_1", "home", &["Anna@Example.org", "anna@example.org"], at(0));
    assert_eq!((home.addresses, home.waiting, asked), (vec![], vec![email(ANNA)], vec![Asked::ByCode]));
    let (school, _) = house.register("ow_1", "school", &[ANNA], at(1));
    let (theirs, _) = house.register("ow_2", "home", &[ANNA], at(1));
    let sent = house.asked();
    assert_eq!(sent.len(), 2, "one confirmation an owner: {sent:?}");
    for mail in &sent {
        assert_eq!((mail.reason, mail.watch_points.as_slice()), (NoticeReason::Confirmation, &[][..]));
        assert_eq!(mail.useful_until_utc, later(mail.decided_utc, DAY));
        assert!(!mail.subject.bytes().any(|b| b.is_ascii_digit()), "tables show subjects: {}", mail.subject);
        assert!(!mail.text.contains("home") && !mail.html.contains("home"), "nothing of the owner's own words");
    }
    let stored = house.store.address("ow_1", &email(ANNA)).unwrap().unwrap();
    let code = sent[0].text.lines().find(|line| line.starts_with("    ")).unwrap().trim().to_owned();
    assert!(!format!("{stored:?}").contains(&code));

    assert!(!house.prove("ow_2", ANNA, &code, at(2)), "another owner's code");
    assert!(house.prove("ow_1", "ANNA@example.org", &format!(" {code} "), at(2)));
    for id in [&home.id, &school.id] {
        let point = house.point(id);
        assert_eq!((point.addresses, point.waiting), (vec![email(ANNA)], vec![]), "{id}");
    }
    assert_eq!(house.point(&theirs.id).addresses, [], "one owner's proof is not another's");
    assert!(!house.prove("ow_1", ANNA, &code, at(3)), "used");
    let (_, asked) = house.register("ow_1", "barn", &[ANNA], at(4));
    assert_eq!((asked, house.asked().len()), (vec![], 2), "proven once for all points");
}

#[test]
fn only_the_local_owner_has_the_addresses_of_the_configuration() {
    let house = house("");
    let (mine, asked) = house.register(LOCAL_OWNER, "home", &["ME@example.org"], at(0));
    assert_eq!((mine.addresses, asked), (vec![email(OWN)], vec![]));
    let (theirs, asked) = house.register("ow_1", "home", &[OWN], at(0));
    assert_eq!((theirs.addresses, asked), (vec![], vec![Asked::ByCode]));
}

#[test]
fn a_code_is_tried_five_times_and_counts_a_day() {
    let house = house("");
    let (home, _) = house.register("ow_1", "home", &[ANNA], at(0));
    let right = house.code();
    let wrong = if right == "000000" { "000001" } else { "000000" };
    for _ in 0..CODE_TRIES_MAX {
        assert!(!house.prove("ow_1", ANNA, wrong, at(1)));
    }
    assert!(!house.prove("ow_1", ANNA, &right, at(1)), "tried too often");
    // A new one at once: the former is worth nothing any more.
    let (_, asked) = house.register("ow_1", "home", &[ANNA], at(2));
    assert_eq!((asked, house.asked().len()), (vec![Asked::ByCode], 2));
    let second = house.code();
    assert!(!house.prove("ow_1", ANNA, &second, at(2 + 24 * 60)), "late");
    assert!(house.prove("ow_1", ANNA, &second, at(1 + 24 * 60)));
    assert_eq!(house.point(&home.id).addresses, [email(ANNA)]);
}

#[test]
fn three_confirmations_a_day_whoever_asks() {
    let house = house("");
    for (owner, minute) in [("ow_1", 0), ("ow_2", 1), ("ow_3", 2)] {
        assert_eq!(house.register(owner, "home", &[ANNA], at(minute)).1, [Asked::ByCode]);
    }
    assert_eq!(house.register("ow_1", "home", &[ANNA], at(5)).1, [Asked::ByCode], "asked a moment ago");
    assert_eq!(house.register("ow_4", "home", &["ANNA@EXAMPLE.ORG"], at(3)).1, [Asked::LimitReached]);
    assert_eq!(house.register("ow_1", "home", &[ANNA], at(60)).1, [Asked::LimitReached]);
    assert_eq!(house.asked().len(), 3);
    assert_eq!(house.register("ow_4", "home", &[ANNA], at(24 * 60)).1, [Asked::ByCode], "the first one left the day");
    assert_eq!(house.register("ow_1", "home", &[ANNA], at(24 * 60)).1, [Asked::LimitReached]);
    let (home, asked) = house.register("ow_4", "home", &["bob@example.org"], at(24 * 60));
    assert_eq!(
        (home.waiting, asked),
        (vec![email(ANNA), email("bob@example.org")], vec![Asked::ByCode; 2]),
        "he joins"
    );
}

#[test]
fn nobody_writes_to_many_strangers_by_way_of_us() {
    let house = house("");
    let asked = |n: usize| {
        let (name, to) = (format!("p{n}"), format!("a{n}@example.org"));
        house.register("ow_1", &name, &[&to], at(0)).1
    };
    for n in 0..CONFIRMATIONS_OF_OWNER_A_DAY {
        assert_eq!(asked(n), [Asked::ByCode]);
    }
    assert_eq!(asked(99), [Asked::LimitReached]);
    assert_eq!(house.register("ow_2", "home", &["a99@example.org"], at(0)).1, [Asked::ByCode]);
    let many: Vec<String> = (0..9).map(|n| format!("b{n}@example.org")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(matches!(house.points.register(wanted("ow_3", "x", &many), at(0)), Err(DeskError::Limit { .. })));
}

#[test]
fn a_link_proves_once_and_looking_at_it_proves_nothing() {
    let house = house(PUBLIC);
    let (home, asked) = house.register("ow_1", "home", &[ANNA], at(0));
    assert_eq!(asked, [Asked::ByLink]);
    let mail = house.asked().remove(0);
    assert!(mail.unsubscribe_url.is_some_and(|url| url.starts_with("https://bell.example.org/unsubscribe/")));
    let link = house.link();
    let expected = LinkedAddress { owner: "ow_1".into(), address: email(ANNA) };
    for _ in 0..2 {
        assert_eq!(house.addresses.confirmation(&link, at(1)).unwrap(), Some(expected.clone()));
    }
    assert_eq!(house.point(&home.id).addresses, [], "a mail scanner follows links");
    assert_eq!(house.addresses.unsubscription(&link, at(1)).unwrap(), None, "no link is good for both");
    assert_eq!(house.addresses.prove_by_link(&link, at(24 * 60)).unwrap(), None, "late");
    assert_eq!(house.addresses.prove_by_link(&link, at(2)).unwrap(), Some(expected));
    assert_eq!(house.point(&home.id).addresses, [email(ANNA)]);
    assert_eq!(house.addresses.prove_by_link(&link, at(3)).unwrap(), None, "used");
    assert_eq!(house.addresses.confirmation(&link, at(3)).unwrap(), None);
    for junk in ["", "x", "%00", &"A".repeat(5_000)] {
        assert_eq!(house.addresses.prove_by_link(junk, at(3)).unwrap(), None);
        assert_eq!(house.addresses.unsubscribe(junk, at(3)).unwrap(), None);
    }
}

fn notice(id: &str, point: &WatchPoint, to: &str) -> Delivery {
    Delivery {
        id: id.into(),
        number: 0,
        address: email(to),
        watch_points: vec![point.id.clone()],
        owner: point.owner.clone(),
        reason: NoticeReason::Raised,
        level: Level::Extreme,
        episode: "ep".into(),
        thread_root: None,
        decided_utc: at(5),
        useful_until_utc: at(500),
        evidence_utc: None,
        seen_utc: None,
        subject: "s".into(),
        text: "t".into(),
        html: "h".into(),
        payload: String::new(),
        unsubscribe_url: None,
        stands_in_for: None,
    }
}

#[test]
fn who_unsubscribes_gets_nothing_more_until_a_new_confirmation() {
    let house = house(PUBLIC);
    let (home, _) = house.register("ow_1", "home", &[ANNA, "bob@example.org"], at(0));
    let (school, _) = house.register("ow_1", "school", &[ANNA], at(0));
    let (theirs, _) = house.register("ow_2", "home", &[ANNA], at(0));
    for mail in house.asked() {
        let token = mail.text.lines().find_map(|line| line.strip_prefix("https://bell.example.org/confirm/"));
        assert!(house.addresses.prove_by_link(token.unwrap(), at(1)).unwrap().is_some());
        house.store.settle(&mail.id, LedgerOutcome::Told("ok".into()), at(1)).unwrap();
    }
    let home = house.point(&home.id);
    let deliveries = vec![
        notice("to-anna", &home, ANNA),
        notice("to-bob", &home, "bob@example.org"),
        notice("of-another", &house.point(&theirs.id), ANNA),
    ];
    house.store.commit(&crate::store::Decision { deliveries, ..Default::default() }).unwrap();

    let links = house.addresses.links().unwrap();
    let url = links.unsubscribe_url("ow_1", &email(ANNA)).unwrap();
    let token = url.split_once("unsubscribe/").unwrap().1;
    let named = LinkedAddress { owner: "ow_1".into(), address: email(ANNA) };
    assert_eq!(house.addresses.unsubscription(token, at(6)).unwrap(), Some(named.clone()));
    assert_eq!(house.asked().len(), 3, "a look ends nothing");
    for _ in 0..2 {
        assert_eq!(house.addresses.unsubscribe(token, at(6)).unwrap(), Some(named.clone()), "twice is as good as once");
    }
    assert_eq!(house.asked().iter().map(|d| d.id.as_str()).collect::<Vec<_>>(), ["to-bob", "of-another"]);
    let ended = house.store.ledger_row("to-anna").unwrap().unwrap();
    assert!(
        matches!(ended.outcome, LedgerOutcome::Unwanted(why) if why.contains("unsubscribed")),
        "nothing is lost unsaid"
    );
    assert_eq!(house.point(&home.id).addresses, [email("bob@example.org")]);
    assert_eq!(house.point(&school.id).addresses, []);
    assert_eq!(house.point(&theirs.id).addresses, [email(ANNA)]);
    assert_eq!(house.store.health().pending, 2);

    // The old proof counts no more, also for a point that is changed; the confirmation of then neither.
    let update = PointUpdate { addresses: Some(vec![email(ANNA)]), ..PointUpdate::default() };
    let updated = house.points.update("ow_1", &school.id, update, at(20)).unwrap().unwrap().point;
    assert_eq!((updated.addresses, updated.waiting), (vec![], vec![email(ANNA)]));
    assert_eq!(house.asked().len(), 3);
    assert!(house.addresses.prove_by_link(&house.link(), at(21)).unwrap().is_some());
    assert_eq!(house.point(&school.id).addresses, [email(ANNA)]);
}

#[test]
fn an_address_of_the_configuration_can_unsubscribe_too() {
    let house = house(PUBLIC);
    let (home, _) = house.register(LOCAL_OWNER, "home", &[OWN], at(0));
    let url = house.addresses.links().unwrap().unsubscribe_url(LOCAL_OWNER, &email(OWN)).unwrap();
    house.addresses.unsubscribe(url.split_once("unsubscribe/").unwrap().1, at(1)).unwrap().unwrap();
    assert_eq!(house.point(&home.id).addresses, []);
    let (barn, asked) = house.register(LOCAL_OWNER, "barn", &[OWN], at(2));
    assert_eq!((barn.addresses, asked), (vec![], vec![Asked::ByLink]));
}

#[test]
fn what_is_no_address_is_refused_and_says_why() {
    let house = house("");
    let refused = |to: &str| match house.points.register(wanted("ow_1", "home", &[to]), at(0)) {
        Err(DeskError::Invalid { field: "channels", why }) => why,
        other => panic!("{to}: {other:?}"),
    };
    for bad in
        ["", "anna", "anna@", "@example.org", "a b@example.org", "anna@example.org\r\nBcc: x@y.z", "anna\0@example.org"]
    {
        assert!(refused(bad).contains("is not an email address"), "{bad}");
    }
    assert!(refused("ännä@example.org").contains("outside ASCII"));
    assert!(refused(&format!("{}@example.org", "a".repeat(300))).contains("at most 254"));
    assert_eq!(house.store.watch_points().unwrap().rows, []);
    let push = NewWatchPoint {
        addresses: vec![Address { kind: ChannelKind::WebPush, to: String::new() }],
        ..wanted("ow_1", "home", &[])
    };
    let set_up = channels::is_available(ChannelKind::WebPush, &Config::default());
    assert_eq!(house.points.register(push, at(0)).is_ok(), set_up);
}

/// Of its kind: who unsubscribed, or let a code expire, and registers the place again named an address that was dropped.
#[test]
fn registering_again_adds_what_the_point_has_not_and_asks_anew() {
    let house = house(PUBLIC);
    let (home, _) = house.register("ow_1", "home", &[ANNA], at(0));
    assert!(house.addresses.prove_by_link(&house.link(), at(1)).unwrap().is_some());
    let unsubscribe = house.asked()[0].unsubscribe_url.clone().unwrap();
    let token = unsubscribe.rsplit('/').next().unwrap().to_owned();
    assert!(house.addresses.unsubscribe(&token, at(5)).unwrap().is_some());
    assert_eq!((house.point(&home.id).addresses, house.asked().len()), (vec![], 0));

    let (again, asked) = house.register("ow_1", "home", &[ANNA], at(6));
    assert_eq!((again.id.as_str(), again.waiting, asked), (home.id.as_str(), vec![email(ANNA)], vec![Asked::ByLink]));
    assert_eq!(house.asked().len(), 1, "a confirmation, at once: the old one counts no more");
    // Nothing else of a registration that stands is touched, and a try again sends nothing.
    let other = NewWatchPoint { min_level: Level::Extreme, ..wanted("ow_1", "home", &[ANNA]) };
    let stood = house.points.register(other, at(7)).unwrap();
    assert_eq!((stood.point.min_level, stood.added, house.asked().len()), (Level::Elevated, vec![], 1));
    // A day later the link is worth nothing: a new one, and the third of that day is the last.
    for (minute, asks) in [(24 * 60 + 30, Asked::ByLink), (24 * 60 + 60, Asked::ByLink), (24 * 60 + 90, Asked::ByLink)]
    {
        assert_eq!(house.register("ow_1", "home", &[ANNA], at(minute)).1, [asks], "{minute}");
    }
    assert_eq!(house.register("ow_1", "home", &[ANNA], at(24 * 60 + 120)).1, [Asked::LimitReached]);
    assert!(house.addresses.prove_by_link(&house.link(), at(24 * 60 + 121)).unwrap().is_some());
    assert_eq!((house.point(&home.id).addresses, house.point(&home.id).waiting), (vec![email(ANNA)], vec![]));
}

#[test]
fn registering_again_joins_proven_addresses_and_keeps_to_the_limit_of_a_point() {
    let house = house("");
    let (home, _) = house.register(LOCAL_OWNER, "home", &[], at(0));
    let again = house.points.register(wanted(LOCAL_OWNER, "home", &[OWN, ANNA]), at(1)).unwrap();
    assert_eq!((again.created, again.added), (false, vec![email(OWN), email(ANNA)]));
    let point = house.point(&home.id);
    assert_eq!((&point.addresses, &point.waiting), (&vec![email(OWN)], &vec![email(ANNA)]));
    let many: Vec<String> = (0..ADDRESSES_MAX).map(|n| format!("n{n}@example.org")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let refused = house.points.register(wanted(LOCAL_OWNER, "home", &many), at(2));
    assert!(matches!(refused, Err(DeskError::Limit { limit: ADDRESSES_MAX, .. })), "{refused:?}");
    assert_eq!((house.point(&home.id), house.asked().len()), (point, 1), "and nothing was sent");
}
