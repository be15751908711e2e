//! What `/points` said, kept for an hour.

use crate::nws_facts::grid_point::GridPoint;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Grids and zones change a few times a year; an hour keeps an afternoon's questions from asking again.
const KEPT_FOR: SignedDuration = SignedDuration::from_hours(1);
/// Places kept at once, some 500 bytes each; beyond it the oldest is forgotten.
const POINTS_MAX: usize = 2_000;

/// Places by how `/points` takes them.
#[derive(Debug, Default)]
pub(super) struct KeptPoints(BTreeMap<String, (Timestamp, Arc<GridPoint>)>);

impl KeptPoints {
    pub(super) fn of(&self, key: &str, now: Timestamp) -> Option<Arc<GridPoint>> {
        let (learned_utc, point) = self.0.get(key)?;
        let age = now.duration_since(*learned_utc);
        // One learned in the future: the clock was set back, and nothing is known of its age.
        (SignedDuration::ZERO..KEPT_FOR).contains(&age).then(|| Arc::clone(point))
    }

    pub(super) fn keep(&mut self, key: String, point: Arc<GridPoint>, now: Timestamp) {
        if self.0.len() >= POINTS_MAX && !self.0.contains_key(&key) {
            let oldest = self.0.iter().min_by_key(|(_, (learned_utc, _))| *learned_utc).map(|(key, _)| key.clone());
            oldest.and_then(|key| self.0.remove(&key));
        }
        self.0.insert(key, (now, point));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_kept_for_an_hour_and_the_oldest_goes_first() {
        let second = |seconds: i64| Timestamp::from_second(1_936_000_000 + seconds).unwrap();
        let mut kept = KeptPoints::default();
        let point = Arc::new(GridPoint::default());
        kept.keep("a".to_owned(), Arc::clone(&point), second(0));
        assert!(kept.of("a", second(3_599)).is_some() && kept.of("a", second(3_600)).is_none());
        assert!(kept.of("a", second(-1)).is_none() && kept.of("b", second(0)).is_none());
        for n in 1..=POINTS_MAX {
            kept.keep(n.to_string(), Arc::clone(&point), second(n as i64));
        }
        assert!(kept.0.len() == POINTS_MAX && kept.of("a", second(9)).is_none() && kept.of("1", second(9)).is_some());
    }
}
