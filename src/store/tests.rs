//! What the store promises, shown with decisions of our own making.

mod damage;
mod decisions;
mod delivering;
mod kill;
mod opening;
mod past;
mod space;

use super::{Decision, LedgerOutcome, Store};
use crate::geo::LatLon;
use crate::notice::{Address, ChannelKind, Delivery, NoticeReason, WatchPoint};
use crate::threat::{Assessment, ChangeCause, Level, LevelChange, PointState};
use jiff::{SignedDuration, Timestamp};

/// Second `n` of a made-up day.
fn at(n: i64) -> Timestamp {
    "2026-06-10T21:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_secs(n)
}

fn point(id: &str) -> WatchPoint {
    WatchPoint {
        id: id.to_owned(),
        owner: "local".to_owned(),
        name: format!("the place {id}"),
        at: LatLon::in_conus(40.52, -92.9).unwrap(),
        min_level: Level::Elevated,
        addresses: vec![Address { kind: ChannelKind::Email, to: "owner@example.org".to_owned() }],
        time_zone: Some("America/Chicago".to_owned()),
        created_utc: at(0),
        until_utc: None,
        client_token: None,
        waiting: Vec::new(),
        quiet_hours: None,
        snooze_until_utc: None,
        acknowledged: None,
    }
}

fn state(n: i64) -> PointState {
    PointState {
        level: Level::Significant,
        since_utc: at(n),
        supports: Vec::new(),
        no_more_than_since_utc: [None, Some(at(n)), None, None, None],
        blind_since_utc: None,
        episode: None,
        blind_spots: Vec::new(),
    }
}

fn judged(id: &str, n: i64) -> crate::threat::basis::Judged {
    crate::threat::basis::Judged { change: change(id, n), basis: None }
}

fn change(id: &str, n: i64) -> LevelChange {
    LevelChange {
        watch_point: id.to_owned(),
        at_utc: at(n),
        from: Level::None,
        to: Level::Significant,
        cause: ChangeCause::Raised,
        supports: Vec::new(),
        ended: Vec::new(),
        assessment: Assessment {
            at_utc: at(n),
            level: Level::Significant,
            reasons: Vec::new(),
            lingering: Vec::new(),
            blind_spots: Vec::new(),
            hazards: Vec::new(),
        },
    }
}

fn delivery(id: &str, points: &[&str], n: i64) -> Delivery {
    Delivery {
        id: id.to_owned(),
        number: 0,
        address: Address { kind: ChannelKind::Email, to: "owner@example.org".to_owned() },
        watch_points: points.iter().map(|point| (*point).to_owned()).collect(),
        owner: "local".to_owned(),
        reason: NoticeReason::Raised,
        level: Level::Significant,
        episode: "episode".to_owned(),
        thread_root: None,
        decided_utc: at(n),
        useful_until_utc: at(n + 3600),
        evidence_utc: Some(at(n - 20)),
        seen_utc: None,
        payload: String::new(),
        unsubscribe_url: None,
        stands_in_for: None,
        subject: format!("significant at second {n}"),
        text: "Take shelter.\n".repeat(20),
        html: "<p>Take shelter.</p>\n".repeat(40),
    }
}

/// A decision about one point: a state, a change, a delivery with this id.
fn decision(point: &str, delivery_id: &str, n: i64) -> Decision {
    Decision {
        states: vec![(point.to_owned(), state(n))],
        changes: vec![judged(point, n)],
        deliveries: vec![delivery(delivery_id, &[point], n)],
        ..Decision::default()
    }
}

/// Whether a delivery was really handed over.
fn was_told(store: &Store, id: &str) -> bool {
    store.ledger_row(id).unwrap().is_some_and(|row| matches!(row.outcome, LedgerOutcome::Told(_)))
}

/// A store in memory that watches these points.
fn watching(points: &[&str]) -> Store {
    let store = Store::in_memory().unwrap();
    for id in points {
        store.put_watch_point(&point(id)).unwrap();
    }
    store
}

/// Rounds of a test with dice: `default` of them, or as many as the environment variable says, for a long night.
fn rounds(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(default)
}

/// Numbers that look like chance and come again at every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below.max(1)
    }
}
