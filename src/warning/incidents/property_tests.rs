//! Whatever order, repeats and losses polls have, nothing is withdrawn that the rules keep.

use super::tests::{event, key, snapshot, utc};
use super::*;
use proptest::prelude::*;

/// What one poll sees.
#[derive(Debug, Clone, Copy)]
enum Poll {
    /// The collection as it is.
    Whole,
    /// Nothing arrives.
    Lost,
    /// An empty collection, once: the next one is whole or older.
    Empty,
    /// An older copy of the collection, without the warning.
    Older,
    /// A collection that does not tell its time and lacks the warning.
    Undated,
    /// One that could not be read in part, and lacks the warning.
    Unread,
    /// The same answer again in a burst.
    Burst,
}

fn polls() -> impl Strategy<Value = Vec<Poll>> {
    let poll = prop_oneof![
        Just(Poll::Whole),
        Just(Poll::Lost),
        Just(Poll::Empty),
        Just(Poll::Older),
        Just(Poll::Undated),
        Just(Poll::Unread),
        Just(Poll::Burst)
    ];
    prop::collection::vec(poll, 1..60)
}

proptest! {
    #[test]
    fn no_sequence_of_faults_withdraws_what_the_rules_keep(polls in polls(), reverse in any::<bool>()) {
        let a = event("A", "12:00", "NEW", 1, &["MOC171"]);
        let b = event("B", "12:00", "NEW", 2, &["MOC171", "MOC173"]);
        let all = if reverse { [&b, &a] } else { [&a, &b] };
        let mut incidents = Incidents::default();
        let mut now = utc("12:01");
        incidents.take(&snapshot("12:01", &all), now);
        let zones = ["MOC171".to_owned()];
        let mut absent = false;
        for poll in polls {
            now += SignedDuration::from_secs(30);
            let good = |warnings: &[&Warning]| WarningSnapshot { updated_utc: Some(now), ..snapshot("12:00", warnings) };
            match poll {
                Poll::Whole => { incidents.take(&good(&all), now); absent = false; }
                Poll::Lost => {}
                // Two good polls in a row without the warning would be a withdrawal by the rules.
                Poll::Empty if absent => { incidents.take(&good(&all), now); absent = false; }
                Poll::Empty => { incidents.take(&good(&[]), now); absent = true; }
                Poll::Older => { incidents.take(&snapshot("12:00", &[]), now); }
                Poll::Undated => { incidents.take(&WarningSnapshot { updated_utc: None, ..snapshot("12:00", &[]) }, now); }
                Poll::Unread => { incidents.take(&WarningSnapshot { unread: 1, ..good(&[]) }, now); }
                Poll::Burst => for second in 0..20 {
                    let at = now + SignedDuration::from_secs(second);
                    if !absent { incidents.take(&WarningSnapshot { updated_utc: Some(at), ..snapshot("12:00", &[]) }, at); }
                    if second == 19 && !absent { now = at; incidents.take(&WarningSnapshot { updated_utc: Some(at), ..snapshot("12:00", &all) }, at); }
                },
            }
            prop_assert_eq!(incidents.around(super::tests::place(), Some(&zones), 0.0, now).len(), 2, "after {:?}", poll);
            prop_assert_eq!(incidents.fate(&key(super::tests::TO_1), now), Fate::InEffect);
        }
    }

    /// The end state depends on the products, not on the order in which polls brought them.
    #[test]
    fn the_order_of_products_does_not_matter(order in Just((0usize..5).collect::<Vec<_>>()).prop_shuffle(), split in 1usize..5) {
        let products = [
            event("A", "12:00", "NEW", 1, &["MOC171", "MOC173"]),
            super::tests::updates(event("B", "12:10", "CON", 1, &["MOC171", "MOC173"]), &["A"]),
            event("C", "12:20", "CAN", 1, &["MOC173"]),
            super::tests::updates(event("D", "12:20", "CON", 1, &["MOC171"]), &["A", "B"]),
            event("E", "12:15", "NEW", 2, &["MOC171"]),
        ];
        let shuffled: Vec<&Warning> = order.iter().map(|&n| &products[n]).collect();
        let mut incidents = Incidents::default();
        let (first, _) = shuffled.split_at(split);
        incidents.take(&snapshot("12:21", first), utc("12:21"));
        incidents.take(&snapshot("12:22", &shuffled), utc("12:22"));
        prop_assert_eq!(super::tests::in_effect(&incidents, "12:22"), ["D", "E"]);
        prop_assert_eq!(incidents.len(), 2);
    }
}
