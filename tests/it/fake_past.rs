//! What the store keeps of a point's past, for the tests of doors.

use crate::fake_desk::{OWN_ADDRESS, at, tornado};
use stormbell::desk::PointHistory;
use stormbell::notice::{Address, ChannelKind, Delivery, Fate, NoticeReason, Sequel};
use stormbell::store::{JournalEntry, LedgerOutcome, LedgerRow};
use stormbell::threat::{Assessment, BlindSpot, ChangeCause, Level, LevelChange, Support};

/// One change, none to extreme at 21:15:12 UTC, told by email two seconds later, as the store keeps it.
pub fn past(id: &str) -> PointHistory {
    let at_utc = at("2026-06-10T21:15:12Z");
    let reason = tornado(at("2026-06-10T21:14:00Z"));
    let support = Support { reason, last_supported_utc: at_utc, held: None, ended_utc: None, sight_lost: false };
    let blind = BlindSpot {
        source: "mrms-vil".into(),
        since_utc: None,
        why: "not heard yet".into(),
        could_raise_to: Level::None,
    };
    let assessment = Assessment {
        at_utc,
        level: Level::Extreme,
        reasons: vec![support.reason.clone()],
        lingering: Vec::new(),
        blind_spots: vec![blind],
        hazards: Vec::new(),
    };
    let change = LevelChange {
        watch_point: id.into(),
        at_utc,
        from: Level::None,
        to: Level::Extreme,
        cause: ChangeCause::Raised,
        supports: vec![support],
        ended: Vec::new(),
        assessment,
    };
    let sequel = Sequel {
        min_level: Level::Elevated,
        quiet_hours: None,
        snooze_until_utc: None,
        acknowledged: None,
        fate: Fate::Told(NoticeReason::Raised),
    };
    let delivery = Delivery {
        id: "d1".into(),
        number: 1,
        address: Address { kind: ChannelKind::Email, to: OWN_ADDRESS.into() },
        watch_points: vec![id.into()],
        owner: "local".into(),
        reason: NoticeReason::Raised,
        level: Level::Extreme,
        episode: "ep_1".into(),
        thread_root: None,
        decided_utc: at_utc,
        useful_until_utc: at("2026-06-11T03:00:00Z"),
        evidence_utc: None,
        seen_utc: None,
        subject: "Home: extreme".into(),
        text: String::new(),
        html: String::new(),
        payload: String::new(),
        unsubscribe_url: None,
        stands_in_for: None,
    };
    let told = LedgerOutcome::Told("250 2.0.0 queued".into());
    PointHistory {
        journal: vec![JournalEntry { number: 7, change, basis: None, rules_version: "1".into(), sequel: Some(sequel) }],
        ledger: vec![LedgerRow { delivery, settled_utc: at("2026-06-10T21:15:14Z"), outcome: told, attempts: 1 }],
        ..PointHistory::default()
    }
}
