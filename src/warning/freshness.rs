//! Whether an answer of the alerts API is fresh. Its own `updated` proves it; an HTTP status or a download time does not.

use jiff::{SignedDuration, Timestamp};
use thiserror::Error;

/// An answer that is further behind the clock is a stale copy from some cache: nationally something changes every minute.
pub const BEHIND_MAX: SignedDuration = SignedDuration::from_mins(15);
/// An answer further ahead of the clock is garbage. Believing it makes every later one look stale until the clock has
/// caught up, so that this is also how long one such answer can mute the feed; clocks differ by seconds.
pub const AHEAD_MAX: SignedDuration = SignedDuration::from_mins(5);

/// Why an answer must not be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Stale {
    /// An older copy than the one accepted last.
    #[error("updated {updated} is older than {accepted}, which was accepted before: a stale copy")]
    Backwards {
        /// Of this answer.
        updated: Timestamp,
        /// Of the last accepted one.
        accepted: Timestamp,
    },
    /// Too far behind the clock.
    #[error("updated {updated} is {behind_min} min behind the clock: a stale copy")]
    Behind {
        /// Of this answer.
        updated: Timestamp,
        /// By how much.
        behind_min: i64,
    },
    /// Too far ahead of the clock.
    #[error("updated {updated} is {ahead_min} min ahead of the clock: that cannot be")]
    Ahead {
        /// Of this answer.
        updated: Timestamp,
        /// By how much.
        ahead_min: i64,
    },
}

/// Whether an answer with this `updated` may be used. Equal to the last accepted one is fresh: nothing changed.
///
/// # Errors
/// `Stale` says why not.
pub fn freshness(updated: Timestamp, accepted: Option<Timestamp>, now: Timestamp) -> Result<(), Stale> {
    if let Some(accepted) = accepted
        && updated < accepted
    {
        return Err(Stale::Backwards { updated, accepted });
    }
    let behind = now.duration_since(updated);
    if behind > BEHIND_MAX {
        return Err(Stale::Behind { updated, behind_min: behind.as_mins() });
    }
    if behind < -AHEAD_MAX {
        return Err(Stale::Ahead { updated, ahead_min: -behind.as_mins() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n17_n37_only_the_answers_own_time_proves_it_fresh() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = at("2026-06-10T12:06:00Z");
        let accepted = Some(at("2026-06-10T12:05:00Z"));
        assert_eq!(freshness(at("2026-06-10T12:05:00Z"), accepted, now), Ok(()), "equal is good");
        assert_eq!(freshness(at("2026-06-10T12:05:30Z"), accepted, now), Ok(()));
        assert!(matches!(freshness(at("2026-06-10T11:58:00Z"), accepted, now), Err(Stale::Backwards { .. })));
        assert_eq!(freshness(at("2026-06-10T11:51:00Z"), None, now), Ok(()), "15 min behind still counts");
        assert!(matches!(freshness(at("2026-06-10T11:50:59Z"), None, now), Err(Stale::Behind { .. })));
        assert_eq!(freshness(at("2026-06-10T12:11:00Z"), None, now), Ok(()), "5 min ahead still counts");
        for ahead in ["2026-06-10T12:11:01Z", "2026-06-12T12:00:00Z"] {
            assert!(matches!(freshness(at(ahead), None, now), Err(Stale::Ahead { .. })), "{ahead}");
        }
    }
}
