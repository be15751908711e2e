//! From a number of failed tries to a delay; the caller waits.

use std::time::Duration;

/// The delay before try number `attempt + 1` after `attempt` failures in a row: doubling from `first` up to `max`, minus
/// up to half of it by jitter, so that many callers do not return at once. The jitter comes from `seed` and `attempt`
/// alone: the same caller waits the same time, different callers wait different times.
pub fn delay(attempt: u32, first: Duration, max: Duration, seed: &str) -> Duration {
    use std::hash::{Hash, Hasher};
    let full = first.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1).min(31))).min(max);
    // SipHash with fixed keys: stable within a build, which is all that repeatable replays need.
    let mut hasher = std::hash::DefaultHasher::new();
    (seed, attempt).hash(&mut hasher);
    let share = (hasher.finish() % 1000) as f64 / 1000.0;
    full.mul_f64(1.0 - share / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_up_to_the_limit_with_jitter_of_at_most_half() {
        let (first, max) = (Duration::from_secs(1), Duration::from_secs(300));
        for attempt in 1..40 {
            let full = first.saturating_mul(2_u32.saturating_pow((attempt - 1).min(31))).min(max);
            let got = delay(attempt, first, max, "mrms");
            assert!(got <= full && got >= full / 2, "{attempt}: {got:?} of {full:?}");
        }
        assert_eq!(delay(3, first, max, "a"), delay(3, first, max, "a"));
        assert_ne!(delay(3, first, max, "a"), delay(3, first, max, "b"));
    }
}
