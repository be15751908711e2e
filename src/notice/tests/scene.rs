//! An owner with watch points, and the nights they live through: levels in, what is told out.

use crate::geo::LatLon;
use crate::notice::book::Book;
use crate::notice::compose::Ending;
use crate::notice::deliver::{Evidence, Telling};
use crate::notice::reconcile::{Known, lost};
use crate::notice::round::{Means, Round, needs_look, round};
use crate::notice::{Address, Browser, ChannelKind, Delivery, NoticeReason, WatchPoint, decide, heard};
use crate::threat::{Assessment, ChangeCause, Episode, Level, LevelChange, PointState, Reason, Support};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Minute `minute` after midnight in Kansas (CDT) of 10 June 2026.
pub fn at(minute: i64) -> Timestamp {
    Timestamp::from_second("2026-06-10T05:00:00Z".parse::<Timestamp>().unwrap().as_second() + 60 * minute).unwrap()
}

/// `2:10` as minutes.
pub fn clock(text: &str) -> i64 {
    let (hour, minute) = text.split_once(':').unwrap();
    hour.parse::<i64>().unwrap() * 60 + minute.parse::<i64>().unwrap()
}

pub fn email(to: &str) -> Address {
    Address { kind: ChannelKind::Email, to: to.into() }
}

pub fn browser(id: &str) -> Address {
    Address { kind: ChannelKind::WebPush, to: id.into() }
}

/// A point of owner `o` in Kansas that is told of elevated and above by mail to x@y.
pub fn point(id: &str) -> WatchPoint {
    WatchPoint {
        id: id.into(),
        owner: "o".into(),
        name: format!("place {id}"),
        at: LatLon::new(37.74, -98.21).unwrap(),
        min_level: Level::Elevated,
        addresses: vec![email("x@y")],
        time_zone: Some("America/Chicago".into()),
        created_utc: at(-1000),
        until_utc: None,
        client_token: None,
        waiting: Vec::new(),
        quiet_hours: None,
        snooze_until_utc: None,
        acknowledged: None,
    }
}

/// What a level rests on.
pub fn support(level: Level, subject: &str) -> Support {
    let reason = Reason {
        rule: "tornado_warning_inside".into(),
        subject: subject.into(),
        level,
        text: "inside Tornado Warning".into(),
        source: "nws-warnings".into(),
        evidence_id: "urn:x".into(),
        observed_utc: at(-2),
        age_s: 0,
        distance_km: Some(0.0),
        direction: None,
        until_utc: None,
        already_in_effect: false,
    };
    Support { reason, last_supported_utc: at(0), held: None, ended_utc: None, sight_lost: false }
}

/// An episode that has told nothing.
pub fn episode(id: &str) -> Episode {
    Episode {
        id: id.into(),
        began_utc: at(0),
        below_since_utc: None,
        sequence: 1,
        told_max: Level::None,
        told_blind: false,
        awaiting_sight: false,
        out_of_sight: Vec::new(),
        thread_roots: Vec::new(),
        told: Vec::new(),
        last_deliveries: Vec::new(),
        last_decided_utc: None,
    }
}

/// A point that rose to `level` on the evidence of `subject`, for the first time.
pub fn telling(id: &str, level: Level, subject: &str) -> Telling {
    let mut state = PointState::quiet(at(0));
    state.level = level;
    state.supports = vec![support(level, subject)];
    state.episode = Some(episode(&format!("ep_{id}")));
    Telling { point: point(id), state, change: None, reason: Some(NoticeReason::Raised), only: None }
}

/// Evidence without texts, all of it seen a minute before midnight.
pub struct Quiet;

impl Evidence for Quiet {
    fn instruction(&self, _: &Reason) -> Option<String> {
        None
    }
    fn ending(&self, _: &Support) -> Ending {
        Ending::Expired
    }
    fn seen_utc(&self, _: &Reason) -> Option<Timestamp> {
        Some(at(-1))
    }
}

/// A push subscription of the owner's.
pub fn subscribed(id: &str) -> Browser {
    Browser {
        id: id.into(),
        owner: "o".into(),
        endpoint: String::new(),
        p256dh: String::new(),
        auth: String::new(),
        label: String::new(),
        created_utc: at(0),
        refusals: 0,
    }
}

/// One owner's points and what they are told.
pub struct Night {
    pub points: BTreeMap<String, (WatchPoint, PointState)>,
    pub book: Book,
    /// Notices an hour.
    pub limit: usize,
    /// All that went out, in order.
    pub sent: Vec<Delivery>,
    pub rounds: Vec<Round>,
}

impl Night {
    pub fn over(points: impl IntoIterator<Item = WatchPoint>) -> Self {
        let points = points.into_iter().map(|point| (point.id.clone(), (point, PointState::quiet(at(0)))));
        Self { points: points.collect(), book: Book::default(), limit: 30, sent: Vec::new(), rounds: Vec::new() }
    }

    pub fn point(&mut self, id: &str) -> &mut WatchPoint {
        &mut self.points.get_mut(id).unwrap().0
    }

    pub fn state(&self, id: &str) -> &PointState {
        &self.points[id].1
    }

    /// The owner says to know of the level that stands.
    pub fn acknowledge(&mut self, id: &str, time: &str) {
        let (point, state) = self.points.get_mut(id).unwrap();
        let episode = state.episode.as_ref().unwrap().id.clone();
        point.acknowledged = Some(crate::notice::Acknowledged { episode, level: state.level, at_utc: at(clock(time)) });
    }

    /// What the level rests on is out of sight since then, or seen again.
    pub fn blind(&mut self, id: &str, since: Option<&str>) {
        self.points.get_mut(id).unwrap().1.blind_since_utc = since.map(|time| at(clock(time)));
    }

    /// Time passes.
    pub fn pass(&mut self, time: &str) -> Vec<String> {
        self.moves(time, &[])
    }

    /// A point reads another level; down is a positive end.
    pub fn reads(&mut self, time: &str, id: &str, level: Level) -> Vec<String> {
        self.moves(time, &[(id, level)])
    }

    /// Points read other levels at one instant. What goes out, as "reason level points > addresses".
    pub fn moves(&mut self, time: &str, moves: &[(&str, Level)]) -> Vec<String> {
        let now = at(clock(time));
        let mut tellings = Vec::new();
        for (id, (point, state)) in &mut self.points {
            let to = moves.iter().find(|(moved, _)| moved == id).map_or(state.level, |(_, level)| *level);
            let mut next = PointState { level: to, ..state.clone() };
            let change = (to != state.level).then(|| {
                next.since_utc = now;
                next.supports = if to == Level::None { vec![] } else { vec![support(to, "TO.65")] };
                changed(id, state, &next, now)
            });
            let reason = decide::decide(point, &mut next, change.as_ref(), now, || format!("ep_{id}_{time}"));
            if reason.is_some() || change.is_some() || needs_look(point, self.book.held_of(id), now) {
                tellings.push(Telling { point: point.clone(), state: next, change, reason, only: None });
            } else {
                *state = next;
            }
        }
        self.tell(tellings, now)
    }

    /// True and told are compared, where everything that was decided has arrived; what goes out then.
    pub fn reconcile(&mut self, time: &str) -> Vec<String> {
        let now = at(clock(time));
        let mut tellings = Vec::new();
        for (point, state) in self.points.values() {
            let addresses = self.book.addresses(point);
            let Some(lost) = lost(point, state, &addresses, None, now, |_| Known::Settled) else { continue };
            assert!(lost.is_still(state));
            let mut state = state.clone();
            let reason = decide::retell(point, &mut state);
            tellings.push(Telling { point: point.clone(), state, change: None, reason, only: lost.to });
        }
        self.tell(tellings, now)
    }

    /// Something was given up, and this stands in for it; whether that is new to a point.
    pub fn given_up(&mut self, id: &str, failed: &Delivery, stand_in: &Delivery) -> bool {
        let stand_ins = std::slice::from_ref(stand_in);
        let state = &mut self.points.get_mut(id).unwrap().1;
        let is_new = heard::given_up(id, state, failed, stand_ins);
        self.book.change_held(id, |row| {
            heard::held_given_up(row, state, failed, stand_ins);
        });
        is_new
    }

    /// The owner switches push on in a browser.
    pub fn subscribe(&mut self, browser: &str) {
        self.book.set_browsers([subscribed(browser)]);
    }

    /// The owner changes a point.
    pub fn change(&mut self, id: &str, change: impl FnOnce(&mut WatchPoint)) {
        let (point, state) = self.points.get_mut(id).unwrap();
        let before = point.clone();
        change(point);
        heard::taken_off(&before, point, state);
        self.book.change_held(id, |row| {
            heard::held_taken_off(&before, point, row);
        });
    }

    fn tell(&mut self, mut tellings: Vec<Telling>, now: Timestamp) -> Vec<String> {
        let means = Means { book: &self.book, evidence: &Quiet, per_owner_hour: self.limit, now };
        let made = round(&mut tellings, &means);
        for telling in tellings {
            self.points.get_mut(&telling.point.id).unwrap().1 = telling.state;
        }
        for (id, _) in &made.reopened {
            self.point(id).acknowledged = None;
        }
        made.enter(&mut self.book, now);
        let said = made.deliveries.iter().map(said).collect();
        self.sent.extend(made.deliveries.iter().cloned());
        self.rounds.push(made);
        said
    }

    /// Ids of what is held, of all points.
    pub fn held(&self) -> Vec<String> {
        self.points.keys().flat_map(|id| self.book.held_of(id)).map(|row| row.id.clone()).collect()
    }
}

fn said(delivery: &Delivery) -> String {
    let points = delivery.watch_points.join("+");
    format!("{} {} {points} > {}", delivery.reason.as_str(), delivery.level, delivery.address.to)
}

fn changed(id: &str, before: &PointState, next: &PointState, now: Timestamp) -> LevelChange {
    let up = next.level > before.level;
    LevelChange {
        watch_point: id.to_owned(),
        at_utc: now,
        from: before.level,
        to: next.level,
        cause: if up { ChangeCause::Raised } else { ChangeCause::Lowered },
        supports: next.supports.clone(),
        ended: if up { vec![] } else { before.supports.clone() },
        assessment: Assessment {
            at_utc: now,
            level: next.level,
            reasons: vec![],
            lingering: vec![],
            blind_spots: vec![],
            hazards: vec![],
        },
    }
}
