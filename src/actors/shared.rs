//! What all actors of one service hold in common: read-only terms, the store, the published picture, and the lines to each
//! other (which change when an actor is restarted).

use crate::actors::bus::BusMsg;
use crate::actors::channel::ChannelMsg;
use crate::actors::demand::Demand;
use crate::actors::notifier::NotifierMsg;
use crate::actors::source::SourceMsg;
use crate::actors::synthesis::SynthesisMsg;
use crate::channels::OpenChannel;
use crate::clock::Clock;
use crate::notice::{Address, ChannelKind, Delivery, Links, WatchPoint};
use crate::observation::{Report, SourceName};
use crate::sources::{self, Configured, OnDemand};
use crate::store::{Store, StoreError};
use crate::threat::LevelChange;
use crate::threat::picture::Picture;
use jiff::{SignedDuration, Timestamp};
use ractor::ActorRef;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::watch;

/// Is told of everything that happens, in order, before the next thing happens.
pub type Witness = Arc<dyn Fn(Event) + Send + Sync>;

/// Something that happened, for doors that show it.
#[derive(Debug, Clone)]
pub enum Event {
    /// A source was polled and its report taken in.
    Polled(Arc<Report>),
    /// The level of a watch point moved; committed.
    LevelChanged(WatchPoint, LevelChange),
    /// Something that a reader of this watch point would see has changed.
    PointChanged(String),
    /// Watch points of this owner were added, removed or renamed.
    ListChanged(String),
    /// A delivery was handed over, with the names of its watch points.
    Told(Delivery, Vec<String>),
}

/// Read-only terms of one service.
#[derive(Clone)]
pub struct Terms {
    /// How long a lower level must have stood before it is taken.
    pub hold: SignedDuration,
    /// When this process began to watch.
    pub started_utc: Timestamp,
    /// Offset of the polling grid: zero in a replay, the installation's own when live, so that not everybody asks on :00.
    pub phase: Duration,
    /// Notices that an owner may have within an hour, but for what is told whatever the hour.
    pub notices_per_owner_hour: usize,
    /// Whether the store keeps the virtual time reached, for a replay that resumes.
    pub keeps_high_water: bool,
    /// Sources by name.
    pub sources: BTreeMap<SourceName, Configured>,
    /// What is asked only when somebody asks.
    pub on_demand: Arc<OnDemand>,
    /// How mails lead back; set when the service starts.
    pub links: Arc<Links>,
    /// Channels by kind.
    pub channels: BTreeMap<ChannelKind, OpenChannel>,
}

/// The lines between actors; empty while one is being restarted.
#[derive(Default)]
struct Lines {
    bus: Option<ActorRef<BusMsg>>,
    synthesis: Option<ActorRef<SynthesisMsg>>,
    notifier: Option<ActorRef<NotifierMsg>>,
    channels: BTreeMap<ChannelKind, ActorRef<ChannelMsg>>,
    sources: BTreeMap<SourceName, ActorRef<SourceMsg>>,
}

/// What all actors hold.
pub struct Shared {
    /// The time.
    pub clock: Clock,
    /// What must survive.
    pub store: Store,
    /// Terms.
    pub terms: Terms,
    /// What is needed of sources.
    pub demand: Demand,
    /// The picture as doors see it; synthesis writes.
    pub picture: watch::Sender<Arc<Picture>>,
    /// Why the service cannot go on, once it cannot: the process ends, and a supervisor starts it anew.
    failed: watch::Sender<Option<String>>,
    witness: Witness,
    lines: RwLock<Lines>,
}

impl Shared {
    /// Everything in place, no actor started yet.
    pub fn new(clock: Clock, store: Store, terms: Terms, witness: Witness) -> Arc<Self> {
        let off = sources::names().filter(|name| !terms.sources.contains_key(*name)).cloned().collect();
        let picture = Picture { off: Arc::new(off), ..Picture::default() };
        Arc::new(Self {
            clock,
            store,
            terms,
            demand: Demand::default(),
            picture: watch::Sender::new(Arc::new(picture)),
            failed: watch::Sender::new(None),
            witness,
            lines: RwLock::default(),
        })
    }

    /// Tells the witness.
    pub fn tell(&self, event: Event) {
        (self.witness)(event);
    }

    /// Where each owner can be written to by mail, where mail is sent at all.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn inboxes(&self) -> Result<BTreeMap<String, Vec<Address>>, StoreError> {
        match self.terms.channels.contains_key(&ChannelKind::Email) {
            true => self.store.inboxes(),
            false => Ok(BTreeMap::new()),
        }
    }

    /// Says that the service cannot go on.
    pub fn fail(&self, why: String) {
        self.failed.send_replace(Some(why));
    }

    /// Waits until the service cannot go on; why.
    pub async fn failure(&self) -> String {
        let mut failed = self.failed.subscribe();
        match failed.wait_for(Option::is_some).await {
            Ok(why) => why.clone().unwrap_or_default(),
            Err(closed) => closed.to_string(),
        }
    }

    fn read<T>(&self, pick: impl FnOnce(&Lines) -> T) -> T {
        pick(&self.lines.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write(&self, change: impl FnOnce(&mut Lines)) {
        change(&mut self.lines.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// The bus, unless it is away.
    pub fn bus(&self) -> Option<ActorRef<BusMsg>> {
        self.read(|lines| lines.bus.clone())
    }

    /// Synthesis, unless it is away.
    pub fn synthesis(&self) -> Option<ActorRef<SynthesisMsg>> {
        self.read(|lines| lines.synthesis.clone())
    }

    /// The notifier, unless it is away.
    pub fn notifier(&self) -> Option<ActorRef<NotifierMsg>> {
        self.read(|lines| lines.notifier.clone())
    }

    /// All channels that are there.
    pub fn channels(&self) -> Vec<ActorRef<ChannelMsg>> {
        self.read(|lines| lines.channels.values().cloned().collect())
    }

    /// All sources that are there.
    pub fn sources(&self) -> Vec<ActorRef<SourceMsg>> {
        self.read(|lines| lines.sources.values().cloned().collect())
    }

    pub(super) fn set_bus(&self, bus: Option<ActorRef<BusMsg>>) {
        self.write(|lines| lines.bus = bus);
    }

    pub(super) fn set_synthesis(&self, synthesis: Option<ActorRef<SynthesisMsg>>) {
        self.write(|lines| lines.synthesis = synthesis);
    }

    pub(super) fn set_notifier(&self, notifier: Option<ActorRef<NotifierMsg>>) {
        self.write(|lines| lines.notifier = notifier);
    }

    pub(super) fn set_channel(&self, kind: ChannelKind, channel: ActorRef<ChannelMsg>) {
        self.write(|lines| {
            lines.channels.insert(kind, channel);
        });
    }

    pub(super) fn set_source(&self, name: SourceName, source: ActorRef<SourceMsg>) {
        self.write(|lines| {
            lines.sources.insert(name, source);
        });
    }
}
