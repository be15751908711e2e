//! Push services that asked to be left alone, and until when. Pure.

use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::time::Duration;

/// Push services held back at once: there are a handful of vendors; more than this are of somebody who makes names up.
const HELD_MAX: usize = 1_000;

/// Until when each origin is held.
#[derive(Debug, Default)]
pub(super) struct Origins(BTreeMap<String, Timestamp>);

impl Origins {
    /// How long an origin is still held.
    pub(super) fn held(&self, origin: &str, now: Timestamp) -> Option<Duration> {
        let until = *self.0.get(origin)?;
        Duration::try_from(now.duration_until(until)).ok().filter(|left| !left.is_zero())
    }

    /// Holds an origin; a longer hold that stands already stays.
    pub(super) fn hold(&mut self, origin: &str, now: Timestamp, wait: Duration) {
        let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        let until = now.checked_add(wait).unwrap_or(Timestamp::MAX);
        self.0.retain(|_, until| *until > now);
        if self.0.len() < HELD_MAX || self.0.contains_key(origin) {
            let held = self.0.entry(origin.to_owned()).or_insert(until);
            *held = until.max(*held);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_held_the_others_are_not_and_the_longest_hold_counts() {
        let at = |second: i64| Timestamp::from_second(1_780_000_000 + second).unwrap();
        let s = Duration::from_secs;
        let mut origins = Origins::default();
        origins.hold("https://a.example", at(0), s(120));
        origins.hold("https://a.example", at(10), s(30));
        assert_eq!(origins.held("https://a.example", at(20)), Some(s(100)));
        assert_eq!(origins.held("https://a.example:8443", at(20)), None);
        assert_eq!(origins.held("https://a.example", at(120)), None);
        for n in 0..2 * HELD_MAX {
            origins.hold(&format!("https://{n}.example"), at(20), s(60));
        }
        assert!(origins.0.len() <= HELD_MAX && origins.held("https://a.example", at(20)).is_some());
        origins.hold("https://b.example", at(500), s(60));
        assert_eq!(origins.0.len(), 1, "what is over is forgotten");
    }
}
