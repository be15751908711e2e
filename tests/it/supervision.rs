//! Any actor may die at any moment: the flow goes on, no level dips, nothing told is told again.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use ractor::Actor;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use stormbell::actors::bus::publish;
use stormbell::actors::root::Root;
use stormbell::actors::shared::{Event, Shared, Terms};
use stormbell::actors::source::SourceMsg;
use stormbell::actors::synthesis::SynthesisMsg;
use stormbell::channels;
use stormbell::clock::Clock;
use stormbell::config::Config;
use stormbell::geo::{Area, LatLon};
use stormbell::notice::{Address, ChannelKind, Links, NoticeReason, WatchPoint};
use stormbell::observation::{NWS_WARNINGS, NWS_ZONES, Observation, PlaceZones, Report, SourceName};
use stormbell::outside::Outside;
use stormbell::outside::archive::{Archive, ArchiveOutside};
use stormbell::sources::{Ask, Configured, OnDemand, OpenSource, Poll, PollError, Source};
use stormbell::store::Store;
use stormbell::threat::Level;
use stormbell::warning::{Warning, WarningSnapshot};

fn start() -> Timestamp {
    "2031-05-09T21:00:00Z".parse().unwrap()
}

/// A feed with one tornado warning over the place; dies at the polls that it is told to die at.
struct Feed {
    polls: Arc<AtomicU32>,
    dies_at: Vec<u32>,
}

#[async_trait]
impl Source for Feed {
    fn name(&self) -> SourceName {
        NWS_WARNINGS
    }
    fn period(&self) -> Duration {
        Duration::from_secs(30)
    }
    fn timeout(&self) -> Duration {
        Duration::from_secs(10)
    }
    async fn poll(&mut self, _: &Ask, now: Timestamp) -> Result<Poll, PollError> {
        let poll = self.polls.fetch_add(1, Ordering::Relaxed);
        assert!(!self.dies_at.contains(&poll), "this poll dies");
        let square = vec![vec![vec![[-98.5, 37.5], [-98.0, 37.5], [-98.0, 38.0], [-98.5, 38.0], [-98.5, 37.5]]]];
        let mut warning = Warning::bare("Tornado Warning", start());
        warning.id = "urn:tornado".into();
        warning.ends_utc = Some(start() + SignedDuration::from_hours(4));
        warning.area = Some(Area::from(square));
        let snapshot =
            WarningSnapshot { updated_utc: Some(now), warnings: vec![Arc::new(warning)], ..WarningSnapshot::default() };
        Ok(Poll { observations: vec![Observation::Warnings(Arc::new(snapshot))], good: true, ..Poll::default() })
    }
}

struct House {
    shared: Arc<Shared>,
    polls: Arc<AtomicU32>,
    told: Arc<Mutex<Vec<String>>>,
}

/// A whole service over that feed with one watch point, on a virtual clock.
async fn house(dies_at: &[u32]) -> House {
    let (polls, told) = (Arc::new(AtomicU32::new(0)), Arc::new(Mutex::new(Vec::new())));
    let open: OpenSource = {
        let (polls, dies_at) = (Arc::clone(&polls), dies_at.to_vec());
        Arc::new(move || Box::new(Feed { polls: Arc::clone(&polls), dies_at: dies_at.clone() }))
    };
    let store = Store::in_memory().unwrap();
    let at = LatLon::in_conus(37.74, -98.21).unwrap();
    store
        .put_watch_point(&WatchPoint {
            id: "wp_1".into(),
            owner: "local".into(),
            name: "home".into(),
            at,
            min_level: Level::Elevated,
            addresses: Vec::new(),
            time_zone: None,
            created_utc: start(),
            until_utc: None,
            client_token: None,
            waiting: Vec::new(),
            quiet_hours: None,
            snooze_until_utc: None,
            acknowledged: None,
        })
        .unwrap();
    let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/days/2031-05-09");
    let outside: Arc<dyn Outside> =
        Arc::new(ArchiveOutside::new(Arc::new(Archive::load(&day).unwrap()), Clock::starting_at(start(), 1.0)));
    let terms = Terms {
        hold: SignedDuration::from_mins(10),
        started_utc: start(),
        phase: Duration::ZERO,
        notices_per_owner_hour: 30,
        keeps_high_water: false,
        sources: BTreeMap::from([(NWS_WARNINGS, Configured { open, period: Duration::from_secs(30) })]),
        links: Arc::new(Links::none()),
        on_demand: Arc::new(OnDemand::open(&Config::default(), &outside).unwrap()),
        channels: channels::recorded(),
    };
    let log = Arc::clone(&told);
    let witness = Arc::new(move |event| match event {
        Event::LevelChanged(_, change) => log.lock().unwrap().push(format!("{} -> {}", change.from, change.to)),
        Event::Told(delivery, _) => log.lock().unwrap().push(format!("told {}", delivery.reason.as_str())),
        Event::Polled(_) | Event::PointChanged(_) | Event::ListChanged(_) => {}
    });
    let shared = Shared::new(Clock::starting_at(start(), 1.0), store, terms, witness);
    shared.demand.set_watched([at].into_iter(), start());
    Actor::spawn(None, Root(Arc::clone(&shared)), ()).await.unwrap();
    House { shared, polls, told }
}

impl House {
    async fn live(&self, minutes: u64) {
        self.shared.clock.sleep(Duration::from_secs(60 * minutes)).await;
    }

    fn log(&self) -> Vec<String> {
        self.told.lock().unwrap().clone()
    }
}

#[tokio::test(start_paused = true)]
async fn sources_sleep_until_somebody_asks_and_again_ten_minutes_later() {
    let house = house(&[]).await;
    house.live(1).await;
    house.shared.store.remove_watch_point("wp_1", house.shared.clock.now()).unwrap();
    house.shared.synthesis().unwrap().cast(SynthesisMsg::WatchPointsChanged).unwrap();
    house.live(5).await;
    let asleep = house.polls.load(Ordering::Relaxed);
    house.live(60).await;
    assert_eq!(house.polls.load(Ordering::Relaxed), asleep, "nobody needs anything");
    let place = LatLon::in_conus(35.34, -97.49).unwrap();
    house.shared.demand.ask(place, house.shared.clock.now());
    for source in house.shared.sources() {
        source.cast(SourceMsg::Wake).unwrap();
    }
    house.live(5).await;
    assert!(house.polls.load(Ordering::Relaxed) >= asleep + 10, "a question wakes it");
    house.live(6).await;
    let after = house.polls.load(Ordering::Relaxed);
    house.live(60).await;
    assert_eq!(house.polls.load(Ordering::Relaxed), after, "and it sleeps again");
}

/// One rise, told once: what every history below must come to.
fn one_rise() -> [&'static str; 2] {
    ["none -> significant", "told raised"]
}

#[tokio::test(start_paused = true)]
async fn a_source_that_dies_is_started_again_and_goes_on() {
    let house = house(&[2, 3, 5]).await;
    house.live(20).await;
    assert_eq!(house.log(), one_rise());
    assert!(house.polls.load(Ordering::Relaxed) > 30, "it polls on");
}

#[tokio::test(start_paused = true)]
async fn synthesis_may_die_at_any_moment_without_a_dip_or_a_second_notice() {
    let house = house(&[]).await;
    for _ in 0..10 {
        house.live(3).await;
        house.shared.synthesis().unwrap().kill();
    }
    house.live(30).await;
    assert_eq!(house.log(), one_rise());
    let level = house.shared.store.state("wp_1").unwrap().unwrap().level;
    assert_eq!(level, Level::Significant);
}

#[tokio::test(start_paused = true)]
async fn a_point_of_an_earlier_build_has_its_clock_without_asking_anybody() {
    let house = house(&[]).await;
    house.live(1).await;
    let point = house.shared.store.watch_point("wp_1").unwrap().unwrap();
    assert_eq!(point.time_zone.as_deref(), Some("America/Chicago"), "only the warnings are asked in this house");
}

/// Where what went out went, with its reason.
fn went(house: &House) -> Vec<(NoticeReason, String)> {
    let waits = house.shared.store.pending().unwrap().rows.into_iter().map(|row| row.delivery);
    let settled = house.shared.store.ledger(0, 100).unwrap().rows.into_iter().map(|row| row.delivery);
    let mut all: Vec<_> = settled.chain(waits).collect();
    all.sort_by_key(|delivery| delivery.number);
    all.into_iter().map(|delivery| (delivery.reason, delivery.address.text())).collect()
}

#[tokio::test(start_paused = true)]
async fn an_address_that_comes_in_mid_storm_is_told_what_stands_once() {
    let house = house(&[]).await;
    house.live(5).await;
    let late = Address { kind: ChannelKind::Email, to: "late@example.com".into() };
    let add = |point: &mut WatchPoint| point.addresses.push(late.clone());
    house.shared.store.change_watch_point("wp_1", add).unwrap();
    house.shared.synthesis().unwrap().cast(SynthesisMsg::WatchPointsChanged).unwrap();
    house.live(10).await;
    let (nobody, late) = ((NoticeReason::Raised, "none:".to_owned()), (NoticeReason::Raised, late.text()));
    assert_eq!(went(&house), [nobody, late]);
}

#[tokio::test(start_paused = true)]
async fn the_store_knows_how_lately_a_level_was_supported() {
    let house = house(&[]).await;
    house.live(120).await;
    let state = house.shared.store.state("wp_1").unwrap().unwrap();
    let age = state.supports[0].last_supported_utc.duration_until(house.shared.clock.now());
    assert!(age <= SignedDuration::from_mins(6), "after a crash it is held from {age:#} ago");
    assert_eq!(house.log(), one_rise());
}

#[tokio::test(start_paused = true)]
async fn notifier_channels_and_even_the_bus_may_die() {
    let house = house(&[]).await;
    house.live(2).await;
    house.shared.notifier().unwrap().kill();
    for channel in house.shared.channels() {
        channel.kill();
    }
    house.live(10).await;
    let before = house.polls.load(Ordering::Relaxed);
    house.shared.bus().unwrap().kill();
    house.live(20).await;
    assert_eq!(house.log(), one_rise());
    assert!(house.polls.load(Ordering::Relaxed) > before + 20, "the tree stands again behind a new bus");
}

#[tokio::test(start_paused = true)]
async fn b01_a_burst_of_a_thousand_reports_loses_none() {
    let house = house(&[]).await;
    house.live(1).await;
    let bus = house.shared.bus().unwrap();
    let publishing = (0..1_000).map(|n| {
        let place = LatLon::new(30.0 + f64::from(n) / 100.0, -97.0).unwrap();
        let zones = PlaceZones { place, ugc: vec!["OKC001".into()], time_zone: None, learned_utc: start() };
        let report = Report {
            source: NWS_ZONES,
            polled_utc: start(),
            good: true,
            observations: vec![Observation::Zones(Arc::new(zones))],
            faults: Vec::new(),
        };
        let bus = bus.clone();
        tokio::spawn(async move { publish(&bus, Arc::new(report)).await })
    });
    for published in publishing.collect::<Vec<_>>() {
        published.await.unwrap();
    }
    assert_eq!(house.shared.picture.borrow().zones.len(), 1_000, "each publisher waited until its report was taken in");
}
