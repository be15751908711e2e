//! The root: starts every actor in order, restarts what dies, stops all in reverse. It never sleeps in a handler.

use crate::actors::bus::Bus;
use crate::actors::channel::ChannelShell;
use crate::actors::notifier::Notifier;
use crate::actors::shared::Shared;
use crate::actors::source::SourceShell;
use crate::actors::synthesis::Synthesis;
use crate::backoff;
use crate::notice::ChannelKind;
use crate::observation::SourceName;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use ractor::{Actor, ActorCell, ActorId, ActorProcessingErr, ActorRef, SupervisionEvent};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The first wait before a restart.
const RESTART_FIRST: Duration = Duration::from_secs(1);
/// The longest wait before a restart; never given up.
const RESTART_MAX: Duration = Duration::from_secs(300);
/// An actor that lived this long starts its backoff anew when it dies.
const STEADY_AFTER: SignedDuration = SignedDuration::from_mins(10);

/// Which child.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Child {
    /// The bus.
    Bus,
    /// One channel.
    Channel(ChannelKind),
    /// The notifier.
    Notifier,
    /// Synthesis.
    Synthesis,
    /// One source.
    Source(SourceName),
}

impl fmt::Display for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bus => f.write_str("bus"),
            Self::Channel(kind) => write!(f, "channel {}", kind.as_str()),
            Self::Notifier => f.write_str("notifier"),
            Self::Synthesis => f.write_str("synthesis"),
            Self::Source(name) => write!(f, "source {name}"),
        }
    }
}

/// Messages of the root.
pub enum RootMsg {
    /// Start this child (again).
    Start(Child),
    /// Start whatever does not run, in order.
    StartAll,
}

/// The root actor.
pub struct Root(pub Arc<Shared>);

/// Who runs, and how often each has died lately.
#[derive(Default)]
pub struct State {
    running: BTreeMap<ActorId, (Child, ActorCell, Timestamp)>,
    deaths: BTreeMap<Child, u32>,
}

impl Root {
    /// All children in starting order: bus, channels, notifier, synthesis, sources.
    fn children(&self) -> Vec<Child> {
        let terms = &self.0.terms;
        [Child::Bus]
            .into_iter()
            .chain(terms.channels.keys().map(|kind| Child::Channel(*kind)))
            .chain([Child::Notifier, Child::Synthesis])
            .chain(terms.sources.keys().map(|name| Child::Source(name.clone())))
            .collect()
    }

    async fn start(&self, myself: &ActorRef<RootMsg>, child: Child, state: &mut State) {
        match self.spawn(myself.get_cell(), &child).await {
            Ok(cell) => {
                state.running.insert(cell.get_id(), (child, cell, self.0.clock.now()));
            }
            // A failing start raises no supervision event: it is counted here.
            Err(error) => self.died(myself, child, &error.to_string(), state),
        }
    }

    async fn spawn(&self, me: ActorCell, child: &Child) -> Result<ActorCell, ActorProcessingErr> {
        let shared = Arc::clone(&self.0);
        // Names stay unset: the registry is one per process, and tests run several services in one.
        Ok(match child {
            Child::Bus => {
                let (actor, _) = Actor::spawn_linked(None, Bus, (), me).await?;
                shared.set_bus(Some(actor.clone()));
                actor.get_cell()
            }
            Child::Channel(kind) => {
                let open = shared.terms.channels.get(kind).ok_or("no such channel")?;
                let plug = open();
                let shell = ChannelShell { shared: Arc::clone(&shared), kind: *kind };
                let (actor, _) = Actor::spawn_linked(None, shell, plug, me).await?;
                shared.set_channel(*kind, actor.clone());
                actor.get_cell()
            }
            Child::Notifier => {
                let (actor, _) = Actor::spawn_linked(None, Notifier(Arc::clone(&shared)), (), me).await?;
                shared.set_notifier(Some(actor.clone()));
                actor.get_cell()
            }
            Child::Synthesis => {
                let (actor, _) = Actor::spawn_linked(None, Synthesis(Arc::clone(&shared)), (), me).await?;
                shared.set_synthesis(Some(actor.clone()));
                actor.get_cell()
            }
            Child::Source(name) => {
                let source = shared.terms.sources.get(name).ok_or("no such source")?;
                let plug = (source.open)();
                let (actor, _) = Actor::spawn_linked(None, SourceShell(Arc::clone(&shared)), plug, me).await?;
                shared.set_source(name.clone(), actor.clone());
                actor.get_cell()
            }
        })
    }

    fn died(&self, myself: &ActorRef<RootMsg>, child: Child, why: &str, state: &mut State) {
        let deaths = state.deaths.entry(child.clone()).and_modify(|deaths| *deaths += 1).or_insert(1);
        let wait = backoff::delay(*deaths, RESTART_FIRST, RESTART_MAX, &child.to_string());
        tracing::error!(%child, why, deaths = *deaths, wait_s = wait.as_secs(), "died; it will be started again");
        if child == Child::Bus {
            // Everything holds the bus: the whole tree starts anew behind it.
            self.0.set_bus(None);
            for (_, (_, cell, _)) in std::mem::take(&mut state.running) {
                cell.stop(Some("the bus died".to_owned()));
            }
            self.after(myself, wait, RootMsg::StartAll);
        } else {
            self.after(myself, wait, RootMsg::Start(child));
        }
    }

    fn after(&self, myself: &ActorRef<RootMsg>, wait: Duration, message: RootMsg) {
        myself.send_after(self.0.clock.runtime_duration(wait), move || message);
    }

    async fn start_missing(&self, myself: &ActorRef<RootMsg>, wanted: Vec<Child>, state: &mut State) {
        for child in wanted {
            let runs = state.running.values().any(|(running, _, _)| *running == child);
            // Nothing is of use without the bus; it brings the others with it.
            if !runs && (child == Child::Bus || self.0.bus().is_some()) {
                self.start(myself, child, state).await;
            }
        }
    }
}

#[async_trait]
impl Actor for Root {
    type Msg = RootMsg;
    type State = State;
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<RootMsg>, (): ()) -> Result<State, ActorProcessingErr> {
        Ok(State::default())
    }

    async fn post_start(&self, myself: ActorRef<RootMsg>, state: &mut State) -> Result<(), ActorProcessingErr> {
        self.start_missing(&myself, self.children(), state).await;
        Ok(())
    }

    async fn handle(
        &self,
        myself: ActorRef<RootMsg>,
        message: RootMsg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            RootMsg::Start(child) => self.start_missing(&myself, vec![child], state).await,
            RootMsg::StartAll => self.start_missing(&myself, self.children(), state).await,
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<RootMsg>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        let (who, why) = match event {
            SupervisionEvent::ActorFailed(who, error) => (who, error.to_string()),
            SupervisionEvent::ActorTerminated(who, _, reason) => (who, reason.unwrap_or_else(|| "stopped".to_owned())),
            SupervisionEvent::ActorStarted(_) | SupervisionEvent::ProcessGroupChanged(_) => return Ok(()),
            #[allow(unreachable_patterns, reason = "ractor's cluster feature adds an event")]
            _ => return Ok(()),
        };
        // Not among the running: it was stopped on purpose, with the tree.
        let Some((child, _, since)) = state.running.remove(&who.get_id()) else { return Ok(()) };
        if since.duration_until(self.0.clock.now()) >= STEADY_AFTER {
            state.deaths.remove(&child);
        }
        self.died(&myself, child, &why, state);
        Ok(())
    }
}
