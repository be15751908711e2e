//! Notices to distinct addresses go side by side: one that hangs, fails or makes the plug die holds up itself alone, and none
//! hears of anything out of order or of two things at once.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use ractor::Actor;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use stormbell::actors::root::Root;
use stormbell::actors::shared::{Shared, Terms};
use stormbell::channels::{Channel, OpenChannel, SendOutcome};
use stormbell::clock::Clock;
use stormbell::config::Config;
use stormbell::notice::{Address, ChannelKind, Delivery, Links, NoticeReason};
use stormbell::outside::Outside;
use stormbell::outside::archive::{Archive, ArchiveOutside};
use stormbell::sources::OnDemand;
use stormbell::store::{Decision, LedgerOutcome, Store};
use stormbell::threat::Level;

/// Sends that this plug allows at once.
const AT_ONCE: usize = 3;
/// How long somebody well takes, s.
const TAKES_S: u64 = 2;

fn start() -> Timestamp {
    "2031-05-09T21:00:00Z".parse().unwrap()
}

/// What was tried: to whom, which, from when to when (s since the start; none while it lasts).
type Tries = Arc<Mutex<Vec<(String, String, i64, Option<i64>)>>>;

/// Does to each address what its name says.
struct Plug {
    clock: Clock,
    tries: Tries,
}

#[async_trait]
impl Channel for Plug {
    async fn send(&self, delivery: &Delivery) -> SendOutcome {
        let second = || start().duration_until(self.clock.now()).as_secs();
        let to = delivery.address.to.as_str();
        let (tried, this) = {
            let mut tries = self.tries.lock().unwrap();
            tries.push((to.to_owned(), delivery.id.clone(), second(), None));
            (tries.iter().filter(|tried| tried.0 == to).count(), tries.len() - 1)
        };
        assert!(to != "dies" || tried > 2, "the plug dies");
        if to == "hangs" {
            self.clock.sleep(Duration::from_secs(100_000)).await;
        }
        // The other side lives in its own time.
        Clock::live().sleep(Duration::from_secs(TAKES_S)).await;
        self.tries.lock().unwrap()[this].3 = Some(second());
        match to {
            "fails" if tried <= 3 => SendOutcome::Temporary { why: "451".into(), retry_after: None },
            "busy" if tried == 1 => {
                SendOutcome::Temporary { why: "429".into(), retry_after: Some(Duration::from_secs(90)) }
            }
            "held" if tried <= 3 => SendOutcome::Held { why: "asked".into(), wait: Duration::from_secs(20) },
            _ => SendOutcome::Accepted { receipt: "250".into() },
        }
    }

    fn at_once(&self) -> usize {
        AT_ONCE
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(60)
    }
}

struct House {
    shared: Arc<Shared>,
    tries: Tries,
}

/// A service with this plug and two notices to each of these addresses, decided in turn.
async fn house(to: &[&str]) -> House {
    house_at(1.0, to).await
}

/// The same at so many seconds a second.
async fn house_at(speed: f64, to: &[&str]) -> House {
    let (store, clock, tries) = (Store::in_memory().unwrap(), Clock::starting_at(start(), speed), Tries::default());
    let delivery = |id: String, to: &str| Delivery {
        id,
        number: 0,
        address: Address { kind: ChannelKind::Email, to: to.to_owned() },
        watch_points: Vec::new(),
        owner: to.to_owned(),
        reason: NoticeReason::Test,
        level: Level::Elevated,
        episode: "ep_1".into(),
        thread_root: None,
        decided_utc: start(),
        useful_until_utc: start() + SignedDuration::from_hours(6),
        evidence_utc: None,
        seen_utc: None,
        subject: String::new(),
        text: String::new(),
        html: String::new(),
        payload: String::new(),
        unsubscribe_url: None,
        stands_in_for: None,
    };
    // The ids sort against the order of decision.
    let deliveries =
        ["z first", "a second"].iter().flat_map(|id| to.iter().map(move |to| delivery(format!("{id} {to}"), to)));
    store.commit(&Decision { deliveries: deliveries.collect(), ..Decision::default() }).unwrap();
    let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09");
    let outside: Arc<dyn Outside> = Arc::new(ArchiveOutside::new(Arc::new(Archive::load(&day).unwrap()), clock));
    let log = Arc::clone(&tries);
    let open: OpenChannel = Arc::new(move || Box::new(Plug { clock, tries: Arc::clone(&log) }));
    let terms = Terms {
        hold: SignedDuration::from_mins(10),
        started_utc: start(),
        phase: Duration::ZERO,
        notices_per_owner_hour: 30,
        keeps_high_water: false,
        sources: BTreeMap::new(),
        links: Arc::new(Links::none()),
        on_demand: Arc::new(OnDemand::open(&Config::default(), &outside).unwrap()),
        channels: BTreeMap::from([(ChannelKind::Email, open)]),
    };
    let shared = Shared::new(clock, store, terms, Arc::new(|_| {}));
    Actor::spawn(None, Root(Arc::clone(&shared)), ()).await.unwrap();
    House { shared, tries }
}

impl House {
    async fn live(&self, seconds: u64) {
        self.shared.clock.sleep(Duration::from_secs(seconds)).await;
    }

    /// Ids told to an address, with the tries that each took.
    fn told(&self, to: &str) -> Vec<(String, u32)> {
        let rows = self.shared.store.ledger(0, 99).unwrap().into_iter();
        let told = rows.filter(|row| row.delivery.address.to == to && matches!(row.outcome, LedgerOutcome::Told(_)));
        told.map(|row| (row.delivery.id, row.attempts)).collect()
    }

    /// When the tries to an address began, s since the start.
    fn began(&self, to: &str) -> Vec<i64> {
        self.tries.lock().unwrap().iter().filter(|tried| tried.0 == to).map(|tried| tried.2).collect()
    }

    /// No address was tried twice at once, none heard the second before the first, and never more than allowed were under way.
    fn is_in_order(&self) {
        let tries = self.tries.lock().unwrap().clone();
        for (n, (to, id, began, _)) in tries.iter().enumerate() {
            let under_way = tries[..n].iter().filter(|tried| tried.3.is_none_or(|ended| ended > *began));
            // What hung was broken off at its limit.
            let under_way: Vec<_> = under_way.filter(|tried| tried.2 + 60 > *began && tried.0 != "dies").collect();
            assert!(under_way.len() < AT_ONCE, "{tries:#?}");
            assert!(under_way.iter().all(|tried| tried.0 != *to), "{tries:#?}");
            if id.starts_with('a') {
                let first = format!("z first {to}");
                assert!(self.shared.store.ledger_row(&first).unwrap().is_some(), "{id}: {tries:#?}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_address_that_hangs_or_fails_holds_up_itself_alone() {
    let house = house(&["hangs", "fails", "a", "b", "c", "d"]).await;
    // Ten sends of two seconds through the two places that are left.
    house.live(15).await;
    for to in ["a", "b", "c", "d"] {
        assert_eq!(house.told(to), [(format!("z first {to}"), 1), (format!("a second {to}"), 1)]);
    }
    assert_eq!((house.told("hangs").len(), house.told("fails").len()), (0, 0));
    house.live(120).await;
    assert_eq!(house.told("fails"), [("z first fails".into(), 4), ("a second fails".into(), 1)]);
    assert!(house.began("hangs").len() >= 2, "broken off at its limit, and tried again: {:?}", house.began("hangs"));
    house.is_in_order();
}

/// At 60 seconds a second a limit of a minute is not over after one: what was taken is not sent twice.
#[tokio::test(start_paused = true)]
async fn a_recorded_day_that_runs_fast_leaves_the_other_side_its_time() {
    let house = house_at(60.0, &["a"]).await;
    house.live(10 * 60).await;
    assert_eq!(house.told("a"), [("z first a".into(), 1), ("a second a".into(), 1)]);
    assert_eq!(house.began("a").len(), 2);
    let house = house_at(60.0, &["hangs"]).await;
    house.live(65 * 60).await;
    assert!(house.began("hangs").len() >= 2, "the limit stands: {:?}", house.began("hangs"));
}

#[tokio::test(start_paused = true)]
async fn what_it_was_asked_to_wait_binds_one_address_and_being_held_counts_as_no_try() {
    let house = house(&["busy", "held", "a"]).await;
    house.live(85).await;
    assert_eq!((house.told("a").len(), house.told("busy").len()), (2, 0));
    assert_eq!(house.told("held"), [("z first held".into(), 1), ("a second held".into(), 1)]);
    assert_eq!(house.began("busy").len(), 1);
    house.live(20).await;
    assert_eq!(house.told("busy"), [("z first busy".into(), 2), ("a second busy".into(), 1)]);
    house.is_in_order();
}

#[tokio::test(start_paused = true)]
async fn a_plug_that_dies_is_opened_again_and_goes_on_in_order() {
    let house = house(&["dies", "a", "b"]).await;
    house.live(300).await;
    for to in ["dies", "a", "b"] {
        let told: Vec<String> = house.told(to).into_iter().map(|(id, _)| id).collect();
        assert_eq!(told, [format!("z first {to}"), format!("a second {to}")]);
    }
    assert_eq!(house.began("dies").len(), 4);
}

#[tokio::test(start_paused = true)]
async fn what_is_decided_while_somebody_hangs_goes_at_once() {
    let house = house(&["hangs"]).await;
    house.live(5).await;
    let hanging = house.shared.store.pending().unwrap().rows.remove(0).delivery;
    let address = Address { to: "late".into(), ..hanging.address.clone() };
    let late = Delivery { id: "late".into(), address, ..hanging };
    house.shared.store.commit(&Decision { deliveries: vec![late], ..Decision::default() }).unwrap();
    for channel in house.shared.channels() {
        channel.cast(stormbell::actors::channel::ChannelMsg::Deliver).unwrap();
    }
    house.live(5).await;
    assert_eq!(house.told("late"), [("late".into(), 1)]);
}
