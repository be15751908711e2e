//! A desk in process for the tests of doors: points in memory, a picture and a storm at the test's word.

use async_trait::async_trait;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use stormbell::desk::enquiries::Enquiries;
use stormbell::desk::{Asked, Waiting};
use stormbell::desk::{
    Desk, DeskError, DeskEvent, During, NewWatchPoint, PointHistory, PointUpdate, Registered, WatchedPoint,
};
use stormbell::geo::LatLon;
use stormbell::mcp::{AttentionWindow, Door, Judge, Judgement};
use stormbell::notice::{Acknowledged, Address, ChannelKind, WatchPoint};
use stormbell::observation::{Fault, PlaceZones, SourceName};
use stormbell::sources::{PollError, nexrad};
use stormbell::storm_report::{EventWindow, StormReports};
use stormbell::threat::picture::Picture;
use stormbell::threat::{Assessment, BlindSpot, Hazard, Level, PointState, Reason, Support};
use tokio::sync::broadcast;

/// The only address in this owner's configuration.
pub const OWN_ADDRESS: &str = "me@example.org";

/// Points in memory.
pub struct FakeDesk {
    state: Mutex<State>,
    events: broadcast::Sender<DeskEvent>,
    /// After a registration, a storm strikes all points within this time.
    storm_after: Option<Duration>,
    me: Weak<Self>,
}

struct State {
    now: Timestamp,
    picture: Arc<Picture>,
    points: BTreeMap<String, WatchedPoint>,
    histories: BTreeMap<String, PointHistory>,
    /// Whose the points were that are gone.
    gone: BTreeMap<String, String>,
    made: usize,
    nws: Option<Enquiries>,
    metrics: Option<String>,
}

pub fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub fn unionville() -> LatLon {
    LatLon::new(40.52, -92.90).unwrap()
}

/// Everything heard at `now`, zones of Unionville known, nothing going on.
pub fn quiet_picture(now: Timestamp) -> Picture {
    let mut picture = Picture::default();
    Arc::make_mut(&mut picture.warnings).last_good_utc = Some(now);
    let zones = PlaceZones {
        place: unionville(),
        ugc: vec!["MOC171".into(), "MOZ008".into()],
        time_zone: Some("America/Chicago".into()),
        learned_utc: now,
    };
    Arc::make_mut(&mut picture.zones).insert(unionville().key_4dp(), Arc::new(zones));
    picture
}

impl FakeDesk {
    pub fn new(now: Timestamp) -> Arc<Self> {
        Self::with_storm(now, None)
    }

    pub fn with_storm(now: Timestamp, storm_after: Option<Duration>) -> Arc<Self> {
        let picture = Arc::new(quiet_picture(now));
        let (points, histories) = (BTreeMap::new(), BTreeMap::new());
        let state = Mutex::new(State {
            now,
            picture,
            points,
            histories,
            gone: BTreeMap::new(),
            made: 0,
            nws: None,
            metrics: None,
        });
        // A small channel, so that a test can make a session lag.
        Arc::new_cyclic(|me| Self { state, events: broadcast::channel(4).0, storm_after, me: me.clone() })
    }

    pub fn set_picture(&self, picture: Picture) {
        self.state.lock().unwrap().picture = Arc::new(picture);
    }

    /// Puts routine questions through these from now on.
    pub fn set_nws(&self, nws: Enquiries) {
        self.state.lock().unwrap().nws = Some(nws);
    }

    /// Has these figures from now on.
    pub fn measure(&self, text: &str) {
        self.state.lock().unwrap().metrics = Some(text.to_owned());
    }

    pub fn say(&self, event: DeskEvent) {
        let _ = self.events.send(event);
    }

    pub fn count(&self) -> usize {
        self.state.lock().unwrap().points.len()
    }

    /// What is known of the past of a point.
    pub fn remember(&self, id: &str, history: PointHistory) {
        self.state.lock().unwrap().histories.insert(id.to_owned(), history);
    }

    /// The level of a point becomes extreme, and the desk says so.
    pub fn strike(&self, id: &str) {
        let mut state = self.state.lock().unwrap();
        let now = state.now;
        if let Some(watched) = state.points.get_mut(id) {
            watched.state = Some(struck(now));
        }
        drop(state);
        self.say(DeskEvent::PointChanged(id.into()));
    }
}

fn struck(now: Timestamp) -> PointState {
    PointState {
        level: Level::Extreme,
        since_utc: now,
        supports: vec![Support {
            reason: tornado(now),
            last_supported_utc: now,
            held: Some("the feed is blind".into()),
            ended_utc: None,
            sight_lost: false,
        }],
        no_more_than_since_utc: [None; 5],
        blind_since_utc: None,
        episode: None,
        blind_spots: Vec::new(),
    }
}

pub fn tornado(now: Timestamp) -> Reason {
    Reason {
        rule: "tornado_warning_inside".into(),
        subject: "KEAX.TO.W.0058".into(),
        level: Level::Extreme,
        text: "Inside a tornado warning: observed, considerable".into(),
        source: "nws-warnings".into(),
        evidence_id: "urn:oid:1".into(),
        observed_utc: now,
        age_s: 0,
        distance_km: Some(0.0),
        direction: None,
        until_utc: None,
        already_in_effect: false,
    }
}

/// A judgement that knows only two things: whether the feed was heard within five minutes, and nothing else.
pub fn judge() -> Judge {
    Arc::new(|picture: &Picture, _place: LatLon, now: Timestamp| {
        let heard = picture.warnings.last_good_utc;
        let fresh = heard.is_some_and(|heard| now.duration_since(heard).as_mins() < 5);
        let blind_spots = if fresh {
            Vec::new()
        } else {
            vec![BlindSpot {
                source: "nws-warnings".into(),
                since_utc: heard,
                why: "not heard for over 5 min".into(),
                could_raise_to: Level::Extreme,
            }]
        };
        let hazards = ["tornado", "hail", "damaging_wind", "flash_flood"]
            .map(|hazard| Hazard { hazard: hazard.into(), level: "none".into(), score: 0 })
            .to_vec();
        let assessment = Assessment {
            at_utc: now,
            level: Level::None,
            reasons: Vec::new(),
            lingering: Vec::new(),
            blind_spots,
            hazards,
        };
        let window = AttentionWindow { window: "none".into(), until_utc: None, reasoning: "nothing stands".into() };
        Judgement { assessment, signature: None, window }
    })
}

pub fn door(desk: &Arc<FakeDesk>) -> Door {
    Door::new(Arc::clone(desk) as Arc<dyn Desk>, judge())
}

#[async_trait]
impl Desk for FakeDesk {
    fn now(&self) -> Timestamp {
        self.state.lock().unwrap().now
    }

    async fn picture_for(&self, _place: LatLon, _sources: &[SourceName]) -> Arc<Picture> {
        Arc::clone(&self.state.lock().unwrap().picture)
    }

    async fn radar(&self, _: LatLon) -> Result<nexrad::Found, nexrad::NoVolume> {
        Err(nexrad::NoVolume { faults: Vec::new() })
    }

    async fn past_reports(&self, _: LatLon, _: f64, _: EventWindow) -> Result<(StormReports, Vec<Fault>), PollError> {
        Err(PollError::Refused(Fault { what: "no archive here".into(), place: "test".into(), kept_rest: false }))
    }

    async fn register(&self, wanted: NewWatchPoint) -> Result<Registered, DeskError> {
        let proven = |address: &Address| address.kind == ChannelKind::WebPush || address.to == OWN_ADDRESS;
        let (addresses, waiting): (Vec<Address>, Vec<Address>) = wanted.addresses.into_iter().partition(proven);
        let asked = |address: &Address| Waiting { address: address.clone(), asked: Asked::ByLink };
        let mut state = self.state.lock().unwrap();
        let same = |point: &WatchPoint| {
            point.owner == wanted.owner
                && ((point.name == wanted.name && point.at.key_4dp() == wanted.at.key_4dp())
                    || (point.client_token.is_some() && point.client_token == wanted.client_token))
        };
        if let Some(stands) = state.points.values_mut().find(|watched| same(&watched.point)) {
            let point = &mut stands.point;
            let mut added = Vec::new();
            for (has, wanted) in [(&mut point.addresses, addresses), (&mut point.waiting, waiting)] {
                let new: Vec<Address> = wanted.into_iter().filter(|address: &Address| !has.contains(address)).collect();
                has.extend(new.clone());
                added.extend(new);
            }
            let waiting = point.waiting.iter().map(asked).collect();
            return Ok(Registered { point: point.clone(), created: false, added, waiting });
        }
        state.made += 1;
        let point = WatchPoint {
            id: format!("wp-{:03}", state.made),
            owner: wanted.owner,
            name: wanted.name,
            at: wanted.at,
            min_level: wanted.min_level,
            addresses,
            time_zone: None,
            created_utc: state.now,
            until_utc: wanted.until_utc,
            client_token: wanted.client_token,
            waiting,
            quiet_hours: wanted.quiet_hours,
            snooze_until_utc: None,
            acknowledged: None,
        };
        state.points.insert(point.id.clone(), WatchedPoint { point: point.clone(), state: None });
        drop(state);
        self.say(DeskEvent::ListChanged(point.owner.clone()));
        if let Some(after) = self.storm_after {
            let (id, me) = (point.id.clone(), self.me.clone());
            tokio::spawn(async move {
                tokio::time::sleep(after).await;
                if let Some(me) = me.upgrade() {
                    me.strike(&id);
                }
            });
        }
        let waiting = point.waiting.iter().map(asked).collect();
        Ok(Registered { point, created: true, added: Vec::new(), waiting })
    }

    async fn unregister(&self, owner: &str, id: &str) -> Result<bool, DeskError> {
        let removed = {
            let mut state = self.state.lock().unwrap();
            let owns = state.points.get(id).is_some_and(|watched| watched.point.owner == owner);
            if owns {
                state.gone.insert(id.to_owned(), owner.to_owned());
            }
            owns && state.points.remove(id).is_some()
        };
        if removed {
            self.say(DeskEvent::ListChanged(owner.to_owned()));
        }
        Ok(removed)
    }

    async fn watched(&self, owner: &str) -> Result<Vec<WatchedPoint>, DeskError> {
        let state = self.state.lock().unwrap();
        Ok(state.points.values().filter(|watched| watched.point.owner == owner).cloned().collect())
    }

    async fn update(&self, owner: &str, id: &str, update: PointUpdate) -> Result<Option<WatchedPoint>, DeskError> {
        let updated = {
            let mut state = self.state.lock().unwrap();
            let found = state.points.get_mut(id).filter(|watched| watched.point.owner == owner);
            found.map(|watched| {
                let point = &mut watched.point;
                point.name = update.name.unwrap_or_else(|| point.name.clone());
                point.min_level = update.min_level.unwrap_or(point.min_level);
                point.addresses = update.addresses.unwrap_or_else(|| point.addresses.clone());
                point.quiet_hours = update.quiet_hours.unwrap_or(point.quiet_hours);
                point.until_utc = update.until_utc.unwrap_or(point.until_utc);
                point.snooze_until_utc = update.snooze_until_utc.unwrap_or(point.snooze_until_utc);
                watched.clone()
            })
        };
        if updated.is_some() {
            self.say(DeskEvent::PointChanged(id.to_owned()));
        }
        Ok(updated)
    }

    async fn acknowledge(&self, owner: &str, id: &str) -> Result<Option<WatchedPoint>, DeskError> {
        let known = {
            let mut state = self.state.lock().unwrap();
            let now = state.now;
            let found = state.points.get_mut(id).filter(|watched| watched.point.owner == owner);
            found.map(|watched| {
                let level = watched.state.as_ref().map_or(Level::None, |state| state.level);
                let episode = "ep_1".to_owned();
                watched.point.acknowledged =
                    (level > Level::None).then_some(Acknowledged { episode, level, at_utc: now });
                watched.clone()
            })
        };
        if known.is_some() {
            self.say(DeskEvent::PointChanged(id.to_owned()));
        }
        Ok(known)
    }

    async fn send_test(&self, owner: &str, id: &str) -> Result<Option<Vec<Address>>, DeskError> {
        let state = self.state.lock().unwrap();
        let found = state.points.get(id).filter(|watched| watched.point.owner == owner);
        Ok(found.map(|watched| watched.point.addresses.clone()))
    }

    async fn history(&self, owner: &str, id: &str, during: During) -> Result<PointHistory, DeskError> {
        let (from_utc, to_utc) = during.into_inner();
        let state = self.state.lock().unwrap();
        let whose = state.points.get(id).map(|watched| &watched.point.owner).or_else(|| state.gone.get(id));
        if whose.is_none_or(|whose| whose != owner) {
            return Ok(PointHistory::default());
        }
        let mut known = state.histories.get(id).cloned().unwrap_or_default();
        known.journal.retain(|entry| (from_utc..=to_utc).contains(&entry.change.at_utc));
        known.ledger.retain(|row| row.delivery.decided_utc <= to_utc && row.settled_utc >= from_utc);
        known.outbox.retain(|row| row.delivery.decided_utc <= to_utc);
        known.held.retain(|held| held.decided_utc <= to_utc);
        known.sights.retain(|row| row.at_utc <= to_utc);
        Ok(known)
    }

    fn nws(&self) -> Option<Enquiries> {
        self.state.lock().unwrap().nws.clone()
    }

    fn seen(&self) -> Option<Arc<Picture>> {
        Some(Arc::clone(&self.state.lock().unwrap().picture))
    }

    async fn metrics(&self) -> Result<Option<String>, DeskError> {
        Ok(self.state.lock().unwrap().metrics.clone())
    }

    fn events(&self) -> broadcast::Receiver<DeskEvent> {
        self.events.subscribe()
    }
}
