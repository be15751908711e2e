//! How many wrong tokens are answered: enough for every mistake, too few to fill a log.

use crate::threat::later;
use jiff::{SignedDuration, Timestamp};

/// Wrong tokens that are answered as such within `WINDOW`, from all callers together: behind a reverse proxy they share one
/// address. Guessing 256 bits is hopeless anyway; what is limited is the work and the noise.
pub const WRONG_TOKENS_MAX: u32 = 30;
/// See `WRONG_TOKENS_MAX`.
pub const WINDOW: SignedDuration = SignedDuration::from_mins(1);

/// Counts wrong tokens.
#[derive(Debug, Default)]
pub struct Tries {
    since: Option<Timestamp>,
    count: u32,
}

impl Tries {
    /// Counts one more at `now`; `Some` when there were too many: seconds to wait.
    pub fn note(&mut self, now: Timestamp) -> Option<u64> {
        let since = match self.since {
            // Also when the machine's clock was set back.
            Some(since) if since <= now && now < later(since, WINDOW) => since,
            Some(_) | None => {
                self.count = 0;
                *self.since.insert(now)
            }
        };
        self.count = self.count.saturating_add(1);
        if self.count <= WRONG_TOKENS_MAX {
            return None;
        }
        let left_s = now.duration_until(later(since, WINDOW)).as_secs() + 1;
        Some(u64::try_from(left_s).unwrap_or(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_takes_so_many_and_the_next_one_as_many_again() {
        let at = |second: i64| Timestamp::from_second(1_780_000_000 + second).unwrap();
        let mut tries = Tries::default();
        for n in 0..i64::from(WRONG_TOKENS_MAX) {
            assert_eq!(tries.note(at(n)), None, "{n}");
        }
        assert_eq!(tries.note(at(40)), Some(21));
        assert_eq!(tries.note(at(59)), Some(2));
        assert_eq!(tries.note(at(60)), None, "a new minute");
        assert_eq!(tries.note(at(10)), None, "the clock was set back");
    }
}
