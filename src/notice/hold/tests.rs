use super::*;
use crate::notice::tests::scene::{at, clock, episode, point};
use crate::notice::{Acknowledged, QuietHours};
use NoticeReason::{AllClear, Lowered, Raised, SeesAgain, WentBlind};

fn quiet() -> WatchPoint {
    WatchPoint { quiet_hours: Some("22:00-07:00".parse::<QuietHours>().unwrap()), ..point("a") }
}

fn ask(point: &WatchPoint, reason: NoticeReason, level: Level, told: Level, time: &str) -> Verdict {
    let episode = Episode { told_max: told, ..episode("ep") };
    verdict(Asked { point, episode: &episode, reason, level, waiting: None, now: at(clock(time)) })
}

#[test]
fn quiet_hours_hold_what_is_not_dangerous_and_nothing_else() {
    let held = Verdict::Until(at(clock("7:00")), HeldBy::QuietHours);
    let none = Level::None;
    for (reason, level, told, expected) in [
        (Raised, Level::Marginal, none, held),
        (Raised, Level::Elevated, none, held),
        (Raised, Level::Significant, none, Verdict::Now),
        (Raised, Level::Extreme, none, Verdict::Now),
        // A rise above what was told, and a return to it.
        (Raised, Level::Elevated, Level::Marginal, Verdict::Now),
        (Raised, Level::Elevated, Level::Elevated, held),
        (Raised, Level::Elevated, Level::Significant, held),
        (Raised, Level::Significant, Level::Extreme, Verdict::Now),
        (Lowered, Level::Significant, Level::Extreme, held),
        (AllClear, none, Level::Extreme, held),
        (WentBlind, Level::Elevated, Level::Elevated, held),
        (WentBlind, Level::Significant, Level::Significant, Verdict::Now),
        (SeesAgain, Level::Elevated, Level::Elevated, held),
        (SeesAgain, Level::Extreme, Level::Extreme, Verdict::Now),
    ] {
        assert_eq!(ask(&quiet(), reason, level, told, "2:00"), expected, "{reason:?} {level} after {told}");
    }
    for (reason, level) in [(Raised, Level::Elevated), (Lowered, Level::Elevated), (AllClear, none)] {
        assert_eq!(ask(&quiet(), reason, level, Level::Significant, "7:00"), Verdict::Now, "they are half-open");
        assert_eq!(ask(&quiet(), reason, level, Level::Significant, "21:59"), Verdict::Now);
    }
}

#[test]
fn the_later_of_quiet_hours_and_snooze_counts_also_where_one_leads_into_the_other() {
    let until = |snooze: &str, now: &str| {
        let point = WatchPoint { snooze_until_utc: Some(at(clock(snooze))), ..quiet() };
        asleep_until(&point, at(clock(now))).map(|(until, by)| (until.duration_since(at(0)).as_mins(), by))
    };
    assert_eq!(until("5:00", "2:00"), Some((clock("7:00"), HeldBy::QuietHours)));
    assert_eq!(until("9:00", "2:00"), Some((clock("9:00"), HeldBy::Snooze)));
    assert_eq!(until("22:30", "21:00"), Some((clock("31:00"), HeldBy::QuietHours)), "it ends in quiet hours");
    assert_eq!(until("21:30", "21:00"), Some((clock("21:30"), HeldBy::Snooze)));
    assert_eq!(until("12:00", "12:00"), None);
}

#[test]
fn without_a_zone_the_clock_is_the_suns_and_not_utcs() {
    let mut point = quiet();
    point.time_zone = None;
    // At 98 degrees west the sun's clock is seven hours behind UTC: 02:00Z is seven in the evening there.
    let evening = "2026-06-11T02:00:00Z".parse().unwrap();
    assert_eq!(asleep_until(&point, evening), None);
    let night = "2026-06-11T06:00:00Z".parse().unwrap();
    assert_eq!(asleep_until(&point, night).unwrap().0.to_string(), "2026-06-11T14:00:00Z");
}

/// A04: nothing takes back what was never told.
#[test]
fn what_was_never_told_is_not_taken_back_and_what_is_held_is_told_first() {
    assert_eq!(ask(&point("a"), AllClear, Level::None, Level::None, "12:00"), Verdict::Never);
    assert_eq!(ask(&point("a"), AllClear, Level::None, Level::Elevated, "12:00"), Verdict::Now);
    let (awake, episode) = (point("a"), episode("ep"));
    let asked = Asked {
        point: &awake,
        episode: &episode,
        reason: AllClear,
        level: Level::None,
        waiting: Some((at(clock("12:30")), HeldBy::OwnerLimit)),
        now: at(clock("12:00")),
    };
    assert_eq!(verdict(asked), Verdict::Until(at(clock("12:30")), HeldBy::OwnerLimit));
    assert_eq!(verdict(Asked { reason: Raised, level: Level::Extreme, ..asked }), Verdict::Now);
}

#[test]
fn what_its_owner_knows_is_not_repeated_and_what_is_new_is() {
    let known = |episode: &str| WatchPoint {
        acknowledged: Some(Acknowledged { episode: episode.into(), level: Level::Significant, at_utc: at(0) }),
        ..point("a")
    };
    let ask = |episode: &str, reason, level| ask(&known(episode), reason, level, Level::Significant, "12:00");
    assert_eq!(ask("ep", Raised, Level::Significant), Verdict::Never);
    assert_eq!(ask("ep", Lowered, Level::Elevated), Verdict::Never);
    assert_eq!(ask("ep", Raised, Level::Extreme), Verdict::Now);
    assert_eq!(ask("ep", AllClear, Level::None), Verdict::Now);
    assert_eq!(ask("ep", WentBlind, Level::Significant), Verdict::Now);
    assert_eq!(ask("ep", SeesAgain, Level::Significant), Verdict::Now);
    assert_eq!(ask("another", Raised, Level::Significant), Verdict::Now);
    assert_eq!(ask("another", Lowered, Level::Elevated), Verdict::Now);
}
