//! Test notices: asked for, marked as a test, and of no consequence. Pure.

use crate::notice::compose::{NoticeEvent, Told, compose};
use crate::notice::{Address, Delivery, NoticeReason, WatchPoint, deliver, id};
use crate::threat::{PointState, later};
use jiff::{SignedDuration, Timestamp};

/// A test that has not arrived after this long has failed.
pub const TEST_USEFUL_FOR: SignedDuration = SignedDuration::from_hours(1);
/// Tests that an owner may ask for within an hour: enough to set up every channel of a household, too few to be a nuisance.
pub const TESTS_PER_OWNER_HOUR_MAX: usize = 10;

/// A test of every one of `addresses`. Each asking has ids of its own; asked for at the same instant it is the same test.
pub fn trial(point: &WatchPoint, state: &PointState, addresses: Vec<Address>, now: Timestamp) -> Vec<Delivery> {
    let event = NoticeEvent {
        reason: NoticeReason::Test,
        now,
        points: vec![Told::of_state(point, state)],
        ending: None,
        instruction: None,
    };
    let words = compose(&event);
    let short = words.short.clone();
    let draft = Delivery {
        watch_points: vec![point.id.clone()],
        owner: point.owner.clone(),
        reason: NoticeReason::Test,
        level: state.level,
        episode: id::test_episode(&point.id, now),
        useful_until_utc: later(now, TEST_USEFUL_FOR),
        ..deliver::draft(words, now)
    };
    if addresses.is_empty() {
        return Vec::new();
    }
    let name = |to: &Address| id::delivery_id(&draft.watch_points, &draft.episode, 0, to);
    deliver::addressed(&draft, &short, addresses, |to| (name(to), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::tests::scene::{at, email, point};

    #[test]
    fn a_test_says_so_everywhere_and_has_an_id_of_its_own_each_time() {
        let (point, state) = (point("a"), PointState::quiet(at(0)));
        let ask = |minute| trial(&point, &state, vec![email("x@y"), email("z@y")], at(minute));
        let first = ask(0);
        assert_eq!(first.len(), 2);
        for delivery in &first {
            assert!(delivery.subject.starts_with("[TEST] "), "{}", delivery.subject);
            assert!(delivery.text.contains("This is a test"), "{}", delivery.text);
            assert!(delivery.episode.starts_with("test_"));
            assert_eq!((delivery.reason, delivery.evidence_utc), (NoticeReason::Test, None));
        }
        assert_eq!(first, ask(0));
        let ids = |deliveries: &[Delivery]| deliveries.iter().map(|d| d.id.clone()).collect::<Vec<_>>();
        assert!(ids(&ask(1)).iter().all(|id| !ids(&first).contains(id)));
    }
}
