//! The running service: actors started over a store, and the desk that doors ask.

use crate::actors::notifier::NotifierMsg;
use crate::actors::root::{Root, RootMsg};
use crate::actors::shared::{Event, Shared, Terms, Witness};
use crate::actors::source::SourceMsg;
use crate::actors::synthesis::SynthesisMsg;
use crate::app::accounts::{StoreAccounts, Told};
use crate::app::points::Points;
use crate::app::{AppError, metrics};
use crate::clock::Clock;
use crate::config::Config;
use crate::desk;
use crate::desk::enquiries::Enquiries;
use crate::desk::{
    Desk, DeskError, DeskEvent, During, NewWatchPoint, PointHistory, PointUpdate, Registered, WatchedPoint,
};
use crate::geo::LatLon;
use crate::notice::Address;
use crate::observation::{Fault, GOES_GLM, NWS_ZONES, RAP_PROFILES, SourceName};
use crate::outside::compute;
use crate::sources::{PollError, nexrad};
use crate::store::Store;
use crate::storm_report::{EventWindow, StormReports};
use crate::threat::picture::Picture;
use crate::threat::start;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use ractor::{Actor, ActorRef};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// A question waits this long for sources that it had to wake; then it is answered with what is there, and says so.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);
/// Evidence heard within this is fresh enough to answer from: two polls of the fastest source.
const FRESH_WITHIN: SignedDuration = SignedDuration::from_secs(60);
/// Desk events that a slow subscriber may lag behind before it has to re-read.
const EVENTS_KEPT: usize = 1_024;
/// How long a stopping service waits for its actors.
const STOP_WITHIN: Duration = Duration::from_secs(10);

/// A service that runs until it is stopped.
pub struct Service {
    shared: Arc<Shared>,
    points: Points,
    accounts: Arc<StoreAccounts>,
    root: ActorRef<RootMsg>,
    events: broadcast::Sender<DeskEvent>,
}

impl Service {
    /// Starts every actor. `watches` is told of everything that happens, in order.
    ///
    /// # Errors
    /// When the root cannot be started.
    pub async fn start(
        config: Arc<Config>,
        clock: Clock,
        store: Store,
        terms: Terms,
        watches: Witness,
    ) -> Result<Self, AppError> {
        let (events, _) = broadcast::channel(EVENTS_KEPT);
        let announce = events.clone();
        let witness: Witness = Arc::new(move |event| {
            // Without subscribers there is nobody to tell.
            drop(match &event {
                Event::PointChanged(id) => announce.send(DeskEvent::PointChanged(id.clone())),
                Event::ListChanged(owner) => announce.send(DeskEvent::ListChanged(owner.clone())),
                Event::Polled(_) | Event::LevelChanged(..) | Event::Told(..) => Ok(0),
            });
            watches(event);
        });
        if let Some(since) = store.note_away(clock.now()).map_err(AppError::from)? {
            tracing::info!(%since, "nothing was watched since then: noted as unseen");
            // Nobody asked meanwhile: this process is not one of a row that asks in vain.
            store.put_cursor(start::WARNINGS_UNHEARD, "", clock.now()).map_err(AppError::from)?;
        }
        for address in store.own(desk::LOCAL_OWNER, &config.own_addresses()).map_err(AppError::from)? {
            let to = &address.to;
            tracing::warn!(
                to,
                "not sent to any more: [owner] emails names it no longer, and it was never confirmed. Save a watch point with it \
                 to ask"
            );
        }
        let points = Points::new(store.clone(), Arc::clone(&config));
        let terms = Terms { links: points.addresses().links()?, ..terms };
        let shared = Shared::new(clock, store.clone(), terms, witness);
        let told = Arc::new(Changes(Arc::clone(&shared)));
        let accounts = Arc::new(StoreAccounts::new(store, config, points.addresses(), told));
        let watched = shared.store.watch_points().map_err(AppError::from)?;
        shared.demand.set_watched(watched.iter().map(|point| point.at), shared.clock.now());
        let (root, _) = Actor::spawn(None, Root(Arc::clone(&shared)), ())
            .await
            .map_err(|error| AppError::Running(format!("the actors did not start: {error}")))?;
        Ok(Self { shared, points, accounts, root, events })
    }

    /// Owners, and whose addresses are whose.
    pub fn accounts(&self) -> Arc<StoreAccounts> {
        Arc::clone(&self.accounts)
    }

    /// What the actors share: the store, the clock, the picture.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Stops every actor, the sources first.
    pub async fn stop(&self) {
        let stopped = self.root.stop_and_wait(Some("the service stops".to_owned()), Some(STOP_WITHIN)).await;
        if let Err(error) = stopped {
            tracing::warn!(%error, "the actors did not stop in time");
        }
    }

    async fn changed(&self, owner: &str) {
        // Before anybody is woken: a source that wakes to no demand goes back to sleep.
        match compute(|| self.shared.store.watch_points()) {
            Ok(watched) => {
                self.shared.demand.set_watched(watched.iter().map(|point| point.at), self.shared.clock.now());
            }
            Err(error) => tracing::warn!(%error, "demand not renewed; synthesis will do it"),
        }
        self.judge_anew();
        self.wake();
        self.shared.tell(Event::ListChanged(owner.to_owned()));
    }

    /// Synthesis reads the watch points and judges them.
    fn judge_anew(&self) {
        judge_anew(&self.shared);
    }

    /// A confirmation was written and goes out at once.
    fn asked(&self) {
        if let Some(notifier) = self.shared.notifier()
            && let Err(error) = notifier.cast(NotifierMsg::LevelChanged)
        {
            tracing::debug!(%error, "the notifier is away; it looks when it returns");
        }
    }

    fn wake(&self) {
        for source in self.shared.sources() {
            if let Err(error) = source.cast(SourceMsg::Wake) {
                tracing::debug!(%error, "a source is away; it polls when it returns");
            }
        }
    }
}

fn judge_anew(shared: &Shared) {
    if let Some(synthesis) = shared.synthesis()
        && let Err(error) = synthesis.cast(SynthesisMsg::WatchPointsChanged)
    {
        tracing::debug!(%error, "synthesis is away; it reads the watch points when it returns");
    }
}

/// Where the changes of accounts go.
struct Changes(Arc<Shared>);

impl Told for Changes {
    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    fn addresses_changed(&self, owner: &str) {
        judge_anew(&self.0);
        self.0.tell(Event::ListChanged(owner.to_owned()));
    }
}

/// Whether the picture can answer about a place without waiting for this source: it was heard since the question, or lately
/// (as often as it is asked at all), and what it says by place it has said of this one. A source that was asked lately for
/// this place, needed since `needed`, and had nothing usable to say will not say more in the next seconds: that is an answer
/// too, a blind spot.
fn is_heard(
    picture: &Picture,
    place: LatLon,
    (source, period): &(SourceName, SignedDuration),
    (needed, asked): (Timestamp, Timestamp),
) -> bool {
    let Some(heard) = picture.heard.get(source) else { return false };
    let recently = |at: Timestamp| at.duration_until(asked) <= FRESH_WITHIN.max(*period);
    if needed <= heard.last_poll_utc && recently(heard.last_poll_utc) {
        return true;
    }
    let lately = || heard.last_good_utc.is_some_and(recently);
    let of_this_place = if *source == NWS_ZONES {
        picture.zones.contains_key(&place.key_4dp())
    } else if *source == RAP_PROFILES {
        picture.profiles.contains_key(&place.key_4dp()) && lately()
    } else if *source == GOES_GLM {
        picture.lightning.serving(place, asked).1.is_none() && lately()
    } else {
        lately()
    };
    of_this_place || heard.last_poll_utc >= asked
}

#[async_trait]
impl Desk for Service {
    fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    async fn picture_for(&self, place: LatLon, sources: &[SourceName]) -> Arc<Picture> {
        let asked = self.shared.clock.now();
        let needed = self.shared.demand.ask(place, asked);
        let mut picture = self.shared.picture.subscribe();
        let configured = &self.shared.terms.sources;
        let period = |name| configured.get(name).and_then(|source| SignedDuration::try_from(source.period).ok());
        let wanted: Vec<_> = sources.iter().filter_map(|name| Some((name.clone(), period(name)?))).collect();
        let enough =
            |picture: &Arc<Picture>| wanted.iter().all(|source| is_heard(picture, place, source, (needed, asked)));
        if !enough(&picture.borrow()) {
            self.wake();
            let waited = Clock::live().timeout(ANSWER_WITHIN, picture.wait_for(|picture| enough(picture))).await;
            if waited.is_none() {
                tracing::warn!(?wanted, "a question is answered without all its sources");
            }
        }
        let picture = picture.borrow();
        Arc::clone(&picture)
    }

    async fn radar(&self, place: LatLon) -> Result<nexrad::Found, nexrad::NoVolume> {
        self.shared.terms.on_demand.nexrad.snapshot(place, self.shared.clock.now()).await
    }

    async fn past_reports(
        &self,
        place: LatLon,
        radius_km: f64,
        window: EventWindow,
    ) -> Result<(StormReports, Vec<Fault>), PollError> {
        self.shared.terms.on_demand.reports.by_point(place, radius_km, window, self.shared.clock.now()).await
    }

    async fn register(&self, wanted: NewWatchPoint) -> Result<Registered, DeskError> {
        let registered = self.points.register(wanted, self.shared.clock.now())?;
        if !registered.waiting.is_empty() {
            self.asked();
        }
        if registered.created || !registered.added.is_empty() {
            self.changed(&registered.point.owner).await;
        }
        Ok(registered)
    }

    async fn unregister(&self, owner: &str, id: &str) -> Result<bool, DeskError> {
        let removed = self.points.unregister(owner, id, self.now())?;
        if removed {
            self.changed(owner).await;
        }
        Ok(removed)
    }

    async fn watched(&self, owner: &str) -> Result<Vec<WatchedPoint>, DeskError> {
        self.points.watched(owner)
    }

    async fn update(&self, owner: &str, id: &str, update: PointUpdate) -> Result<Option<WatchedPoint>, DeskError> {
        let renamed = update.name.is_some();
        let updated = self.points.update(owner, id, update, self.shared.clock.now())?;
        if let Some(updated) = &updated {
            if !updated.point.waiting.is_empty() {
                self.asked();
            }
            self.judge_anew();
            self.shared.tell(Event::PointChanged(id.to_owned()));
            if renamed {
                self.shared.tell(Event::ListChanged(owner.to_owned()));
            }
        }
        Ok(updated)
    }

    async fn acknowledge(&self, owner: &str, id: &str) -> Result<Option<WatchedPoint>, DeskError> {
        let known = self.points.acknowledge(owner, id, self.shared.clock.now())?;
        if known.is_some() {
            self.judge_anew();
            self.shared.tell(Event::PointChanged(id.to_owned()));
        }
        Ok(known)
    }

    async fn send_test(&self, owner: &str, id: &str) -> Result<Option<Vec<Address>>, DeskError> {
        let sent = self.points.send_test(owner, id, self.shared.clock.now())?;
        if let Some(notifier) = self.shared.notifier().filter(|_| sent.is_some())
            && let Err(error) = notifier.cast(NotifierMsg::LevelChanged)
        {
            tracing::debug!(%error, "the notifier is away; it wakes the channels when it returns");
        }
        Ok(sent)
    }

    async fn history(&self, owner: &str, id: &str, during: During) -> Result<PointHistory, DeskError> {
        self.points.history(owner, id, *during.start(), *during.end())
    }

    fn nws(&self) -> Option<Enquiries> {
        Some(Enquiries::new(Arc::clone(&self.shared.terms.on_demand), self.shared.clock))
    }

    fn seen(&self) -> Option<Arc<Picture>> {
        Some(Arc::clone(&self.shared.picture.borrow()))
    }

    async fn metrics(&self) -> Result<Option<String>, DeskError> {
        let text = compute(|| metrics::text(&self.shared.store, self.shared.clock.now()));
        text.map(Some).map_err(|error| DeskError::Store(error.to_string()))
    }

    fn events(&self) -> broadcast::Receiver<DeskEvent> {
        self.events.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::{MRMS, Report};

    /// A source that answers without anything usable (no mosaic yet, a place outside the model's domain) is asked again by its
    /// period only: every question would wait for twenty seconds in vain.
    #[test]
    fn a_source_that_had_nothing_to_say_of_a_place_is_not_waited_for_again() {
        let second = |seconds: i64| Timestamp::from_second(1_780_000_000 + seconds).unwrap();
        let place = LatLon::new(40.52, -92.90).unwrap();
        let mut picture = Picture::default();
        for source in [MRMS, RAP_PROFILES, NWS_ZONES, GOES_GLM] {
            let nothing = |polled_utc| Report {
                source: source.clone(),
                polled_utc,
                good: false,
                observations: Vec::new(),
                faults: Vec::new(),
            };
            let source = (source.clone(), SignedDuration::from_secs(60));
            let heard =
                |picture: &Picture, needed, asked| is_heard(picture, place, &source, (second(needed), second(asked)));
            assert!(!heard(&picture, 0, 0), "never asked");
            picture.take(&nothing(second(1)));
            assert!(heard(&picture, 0, 0), "asked since the question");
            assert!(heard(&picture, 0, 30), "asked lately for this place");
            assert!(!heard(&picture, 0, 62), "asked long ago");
            assert!(!heard(&picture, 30, 30), "asked lately, but not for this place");
        }
    }
}
