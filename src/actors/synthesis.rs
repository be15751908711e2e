//! Synthesis: keeps the picture, judges every watch point, commits what was decided, passes it on.
//!
//! Invariant: the levels, journal entries and notices of one report are one flushed transaction; only then does anybody
//! hear of them. Where the store fails nothing has moved, and the next assessment decides the same again.

use crate::actors::bus::{BusMsg, Taken};
use crate::actors::notifier::NotifierMsg;
use crate::actors::shared::{Event, Shared};
use crate::actors::source::until_grid;
use crate::actors::undelivered;
use crate::ground::time_zone;
use crate::notice::book::{Book, LIMIT_WINDOW, Recent};
use crate::notice::deliver::Telling;
use crate::notice::fallback::Aftermath;
use crate::notice::reconcile::Lost;
use crate::notice::round::needs_look;
use crate::notice::{Delivery, Held, WatchPoint, decide, heard, id, sight};
use crate::observation::{Observation, Report, SourceName};
use crate::outside::compute;
use crate::store::StoreError;
use crate::threat::assess::judge_watched;
use crate::threat::basis::Basis;
use crate::threat::change::{self, change};
use crate::threat::evidence::{Evidence, Memory};
use crate::threat::picture::Picture;
use crate::threat::{Level, PointState, later, start};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

mod decided;

use decided::{Outcome, Pass};

/// How often levels are judged by the clock alone: a warning's end is noticed within this.
const AGE_PERIOD: Duration = Duration::from_secs(10);
/// A state that stands above none is written anew after this long, so that after a crash what it rests on is not taken for
/// much older than it is (a held reason lasts three hours past its last support).
const WRITE_ANEW_AFTER: SignedDuration = SignedDuration::from_mins(5);

/// Messages of synthesis.
pub enum SynthesisMsg {
    /// The present, as one message: judged once, so that a restart makes no false dip.
    CaughtUp(Vec<Arc<Report>>),
    /// A new report.
    Observed(Arc<Report>, Taken),
    /// Time has passed.
    Age,
    /// The set of watch points in the store has changed.
    WatchPointsChanged,
    /// A delivery was given up: its address has not heard of it, those of what stands in for it do.
    GivenUp(Box<Delivery>, Aftermath),
    /// What is true of these points was not told: tell it.
    Retell(Vec<Lost>),
}

/// The synthesis actor.
pub struct Synthesis(pub Arc<Shared>);

/// The picture and what stands for every watch point.
pub struct State {
    picture: Picture,
    points: BTreeMap<String, Watched>,
    /// False until the first present was taken in: before it nothing may be judged.
    caught_up: bool,
    /// When this picture began to be filled: a restarted actor begins anew.
    began_utc: Timestamp,
    /// What is held, who has which browsers, who was told how much lately.
    book: Book,
    /// When the last good report of each source came in.
    seen: BTreeMap<SourceName, Timestamp>,
    /// What the next judgement has to tell again, by watch point.
    lost: BTreeMap<String, Lost>,
}

struct Watched {
    point: WatchPoint,
    state: Option<PointState>,
    /// When the store last got the state; `None` for what was read from it.
    written_utc: Option<Timestamp>,
    memory: Memory,
}

#[async_trait]
impl Actor for Synthesis {
    type Msg = SynthesisMsg;
    type State = State;
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<SynthesisMsg>, (): ()) -> Result<State, ActorProcessingErr> {
        let off = Arc::clone(&self.0.picture.borrow().off);
        let picture = Picture { off, ..Picture::default() };
        let began_utc = self.0.clock.now();
        let (points, book, seen, lost) = Default::default();
        Ok(State { picture, points, caught_up: false, began_utc, book, seen, lost })
    }

    async fn post_start(&self, myself: ActorRef<SynthesisMsg>, state: &mut State) -> Result<(), ActorProcessingErr> {
        compute(|| self.load(state).and_then(|()| self.recall(state)))?;
        if let Some(bus) = self.0.bus()
            && let Err(error) = bus.cast(BusMsg::SlurpAndSubscribe(myself.clone()))
        {
            undelivered("subscription", error);
        }
        if let Some(notifier) = self.0.notifier()
            && let Err(error) = notifier.cast(NotifierMsg::Reconcile)
        {
            undelivered("comparison", error);
        }
        self.arm(&myself);
        Ok(())
    }

    async fn handle(
        &self,
        myself: ActorRef<SynthesisMsg>,
        message: SynthesisMsg,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            SynthesisMsg::CaughtUp(reports) => {
                for report in &reports {
                    self.take(state, report);
                }
                state.caught_up = true;
                self.pass(state);
            }
            SynthesisMsg::Observed(report, taken) => {
                let before = start::to_remember(&state.picture);
                self.take(state, &report);
                self.keep_remembered(before, &state.picture);
                compute(|| self.keep_zones(state, &report));
                self.pass(state);
                drop(taken);
            }
            SynthesisMsg::Age => {
                self.retire(state);
                self.pass(state);
                self.arm(&myself);
            }
            SynthesisMsg::WatchPointsChanged => {
                compute(|| self.load(state))?;
                self.pass(state);
            }
            SynthesisMsg::GivenUp(failed, aftermath) => {
                if let Some(stands) = state.book.sights.get_mut(&failed.owner) {
                    sight::given_up(stands, &failed, &aftermath.stand_ins);
                }
                for watched in state.points.values_mut() {
                    let Some(stands) = watched.state.as_mut() else { continue };
                    if heard::given_up(&watched.point.id, stands, &failed, &aftermath.stand_ins) {
                        watched.written_utc = None;
                    }
                    let heard = |row: &mut Held| {
                        heard::held_given_up(row, stands, &failed, &aftermath.stand_ins);
                    };
                    state.book.change_held(&watched.point.id, heard);
                }
            }
            SynthesisMsg::Retell(lost) => {
                state.lost = lost.into_iter().map(|lost| (lost.watch_point.clone(), lost)).collect();
                self.pass(state);
            }
        }
        Ok(())
    }
}

impl Synthesis {
    fn arm(&self, myself: &ActorRef<SynthesisMsg>) {
        let wait = until_grid(self.0.clock.now(), AGE_PERIOD, Duration::ZERO);
        myself.send_after(self.0.clock.runtime_duration(wait), || SynthesisMsg::Age);
    }

    fn take(&self, state: &mut State, report: &Report) {
        state.picture.take(report);
        if report.good {
            state.seen.insert(report.source.clone(), self.0.clock.now());
        }
    }

    /// How much owners were told in the hour before the start.
    fn recall(&self, state: &mut State) -> Result<(), StoreError> {
        let now = self.0.clock.now();
        let hour_ago = later(now, SignedDuration::ZERO - LIMIT_WINDOW);
        state.book.recent = Recent::of(&said(self.0.store.decided_since(hour_ago)?), now);
        Ok(())
    }

    /// Reads watch points, states, zones and what is held; what is remembered of points that are still there is kept.
    fn load(&self, state: &mut State) -> Result<(), StoreError> {
        let mut stored: BTreeMap<String, PointState> = said(self.0.store.states()?).into_iter().collect();
        let mut known = std::mem::take(&mut state.points);
        for point in said(self.0.store.watch_points()?) {
            let point = self.with_zone(point);
            let watched = match known.remove(&point.id) {
                Some(mut kept) => {
                    if let Some(state) = kept.state.as_mut()
                        && heard::taken_off(&kept.point, &point, state)
                    {
                        kept.written_utc = None;
                    }
                    Watched { point, ..kept }
                }
                None => {
                    let state = stored.remove(&point.id);
                    Watched { point, state, written_utc: None, memory: Memory::default() }
                }
            };
            state.points.insert(watched.point.id.clone(), watched);
        }
        let now = self.0.clock.now();
        for row in said(self.0.store.cursors()?) {
            start::remember(&mut state.picture, &row.source, &row.cursor, now);
        }
        let zones = Arc::make_mut(&mut state.picture.zones);
        for place in said(self.0.store.zones()?) {
            zones.entry(place.place.key_4dp()).or_insert_with(|| Arc::new(place));
        }
        state.book.set_held(said(self.0.store.held()?));
        state.book.set_browsers(said(self.0.store.browsers()?));
        state.book.set_inboxes(self.0.inboxes()?);
        state.book.sights = said(self.0.store.owner_sights()?).into_iter().collect();
        self.0.demand.set_watched(state.points.values().map(|watched| watched.point.at), self.0.clock.now());
        Ok(())
    }

    /// A point that an earlier build stored without its time zone: the ground knows it at once.
    fn with_zone(&self, mut point: WatchPoint) -> WatchPoint {
        let zone = if point.time_zone.is_none() { time_zone(point.at) } else { None };
        let Some(zone) = zone else { return point };
        point.time_zone = Some(zone.to_owned());
        let learn = |stored: &mut WatchPoint| stored.time_zone = Some(zone.to_owned());
        if let Err(error) = self.0.store.change_watch_point(&point.id, learn) {
            tracing::warn!(watch_point = %point.id, %error, "time zone not kept; it will be looked up again");
        }
        point
    }

    /// Keeps what a later life of the process has to know of what was heard, where it has changed.
    fn keep_remembered(&self, before: start::Remembered, picture: &Picture) {
        for ((name, heard), (_, known)) in start::to_remember(picture).into_iter().zip(before) {
            let Some(heard) = heard.filter(|heard| Some(heard) != known.as_ref()) else { continue };
            let kept = compute(|| self.0.store.put_cursor(name, &heard, self.0.clock.now()));
            if let Err(error) = kept {
                tracing::warn!(%error, name, "what was heard is not kept for the next start");
            }
        }
    }

    /// Zones learned are kept: they hold for weeks and cost a request each. A point takes its time zone from them.
    fn keep_zones(&self, state: &mut State, report: &Report) {
        for observation in &report.observations {
            let Observation::Zones(zones) = observation else { continue };
            let mut written = self.0.store.put_zones(zones);
            for watched in state.points.values_mut() {
                let point = &mut watched.point;
                if point.time_zone.is_none() && zones.time_zone.is_some() && point.at.key_4dp() == zones.place.key_4dp()
                {
                    point.time_zone.clone_from(&zones.time_zone);
                    let learn = |stored: &mut WatchPoint| stored.time_zone.clone_from(&zones.time_zone);
                    written = written.and_then(|()| self.0.store.change_watch_point(&point.id, learn).map(|_| ()));
                }
            }
            if let Err(error) = written {
                tracing::warn!(place = %zones.place.key_4dp(), %error, "zones not kept; they will be asked for again");
            }
        }
    }

    /// Watches whose time is over end by themselves.
    fn retire(&self, state: &mut State) {
        let now = self.0.clock.now();
        let is_over = |watched: &&Watched| watched.point.until_utc.is_some_and(|until| until <= now);
        if !state.points.values().any(|watched| is_over(&watched)) {
            return;
        }
        let pending = match compute(|| self.0.store.pending()) {
            Ok(pending) => said(pending),
            Err(error) => return tracing::error!(%error, "watches whose time is over not removed"),
        };
        let waits = |id: &String| {
            pending.iter().any(|row| row.delivery.watch_points.contains(id)) || !state.book.held_of(id).is_empty()
        };
        let ends = |watched: &Watched| {
            let Watched { point, state, .. } = watched;
            Some((point.id.clone(), decide::ends_watch(point, state.as_ref(), waits(&point.id), now)?))
        };
        let ended: Vec<(String, Timestamp)> = state.points.values().filter(is_over).filter_map(ends).collect();
        for (id, until) in ended {
            match compute(|| self.0.store.remove_watch_point(&id, until)) {
                Ok(_) => {
                    state.book.forget_point(&id);
                    if let Some(gone) = state.points.remove(&id) {
                        self.0.tell(Event::ListChanged(gone.point.owner));
                    }
                }
                Err(error) => tracing::error!(watch_point = %id, %error, "watch whose time is over not removed"),
            }
        }
    }

    /// Judges every point, commits, passes on.
    fn pass(&self, state: &mut State) {
        self.0.picture.send_replace(Arc::new(state.picture.clone()));
        if !state.caught_up {
            return;
        }
        let now = self.0.clock.now();
        if start::is_opening(&state.picture, self.0.terms.sources.keys(), state.began_utc, now) {
            return;
        }
        let decided = compute(|| {
            let outcomes = self.judge(state, now);
            Pass { terms: &self.0.terms, state, now }.decide(outcomes)
        });
        state.lost.clear();
        let decision = &decided.decision;
        if let Err(error) = compute(|| self.0.store.commit(decision)) {
            tracing::error!(%error, changes = decision.changes.len(), "decision not written; it will be made again");
            if self.0.store.health().broken {
                // The store closed itself after a failed write, so as not to build on sand: only a new process opens it.
                self.0.fail(format!("the store can no longer be written: {error}"));
            }
            return;
        }
        let is_told = !decision.deliveries.is_empty();
        for event in decided.enter(state, now) {
            self.0.tell(event);
        }
        if is_told
            && let Some(notifier) = self.0.notifier()
            && let Err(error) = notifier.cast(NotifierMsg::LevelChanged)
        {
            undelivered("nudge", error);
        }
    }

    fn judge(&self, state: &mut State, now: Timestamp) -> Vec<Outcome> {
        let settling = start::is_settling(&state.picture, self.0.terms.sources.keys(), state.began_utc, now);
        let State { picture, points, lost, book, .. } = state;
        let judged = points.values_mut().filter_map(|watched| {
            let judged = self.judge_one(picture, watched, now, settling, lost.get(&watched.point.id));
            judged.or_else(|| {
                let looked_at = needs_look(&watched.point, book.held_of(&watched.point.id), now);
                watched.state.clone().filter(|_| looked_at).map(|state| Outcome::of_held(watched.point.clone(), state))
            })
        });
        judged.collect()
    }

    /// Judges one point. A state that says nothing new is taken at once; one that does waits for the commit.
    fn judge_one(
        &self,
        picture: &Picture,
        watched: &mut Watched,
        now: Timestamp,
        settling: bool,
        lost: Option<&Lost>,
    ) -> Option<Outcome> {
        let Watched { point, state: before, written_utc, memory } = watched;
        let evidence = Evidence::gather(picture, point.at, now, memory);
        let assessment = judge_watched(&evidence, before.as_ref(), now);
        let terms = change::Terms {
            hold: self.0.terms.hold,
            settling,
            watched_since_utc: point.created_utc.max(self.0.terms.started_utc),
        };
        let (mut state, change) = change(&point.id, before.as_ref(), &assessment, now, terms);
        let new_episode = || id::episode_id(&point.id, now);
        let decided = decide::decide(point, &mut state, change.as_ref(), now, new_episode);
        let lost = lost.filter(|lost| decided.is_none() && lost.is_still(&state));
        let reason = decided.or_else(|| lost.and_then(|_| decide::retell(point, &mut state)));
        let differs = before.as_ref().is_none_or(|before| state.differs_from(before));
        let news = differs || change.is_some() || reason.is_some();
        let lately = written_utc.is_some_and(|written| now < later(written, WRITE_ANEW_AFTER));
        if !news && (lately || state.level == Level::None) {
            *before = Some(state);
            return None;
        }
        let basis = change.as_ref().map(|_| Basis::of(evidence, before.clone(), terms));
        let only = lost.and_then(|lost| lost.to.clone());
        Some(Outcome { telling: Telling { point: point.clone(), state, change, reason, only }, basis, news })
    }
}

/// The rows that could be read; the others are said in the log, once per reading.
fn said<T>(listed: crate::store::Listed<T>) -> Vec<T> {
    for error in &listed.damaged {
        tracing::error!(%error, "damaged row; run stormbell debug repair");
    }
    listed.rows
}
