//! Which of the sets that are held speaks now: a new issue may be there hours before it is valid.

use super::OutlookSet;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How long outlooks may speak after the last poll that found them readable (levels.md, table).
pub const OUTLOOK_USABLE_FOR: SignedDuration = SignedDuration::from_hours(6);
/// Sets kept of one day: the one in force, the coming one, and two issued in between.
const SETS_PER_DAY_MAX: usize = 4;

/// Everything that may still speak, of all days.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Outlooks {
    /// By day, 1 to 8.
    pub days: BTreeMap<u8, DayOutlooks>,
}

/// What is held of one day.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DayOutlooks {
    /// Sets by VALID, then ISSUE.
    pub sets: Vec<Arc<OutlookSet>>,
    /// The last poll that found the day's layers readable and of one issue.
    pub confirmed_utc: Option<Timestamp>,
    /// What was wrong at the last poll, if anything was: the reason why an answer may be missing.
    pub trouble: Option<String>,
}

impl Outlooks {
    /// The set that speaks for `day` at `now`, if one does.
    ///
    /// Day 1: VALID <= now < EXPIRE, the one that became valid last. Later days lie ahead by their nature: the newest one whose
    /// VALID has not come yet, since one whose day has begun should have been replaced hours ago. None of them longer than
    /// `OUTLOOK_USABLE_FOR` after the day's last good poll.
    pub fn speaking(&self, day: u8, now: Timestamp) -> Option<&Arc<OutlookSet>> {
        let held = self.days.get(&day)?;
        held.confirmed_utc.filter(|&last| now.duration_since(last) < OUTLOOK_USABLE_FOR)?;
        held.sets.iter().filter(|set| speaks(set, now)).max_by_key(|set| order(set))
    }

    /// The last good poll of `day`.
    pub fn confirmed_utc(&self, day: u8) -> Option<Timestamp> {
        self.days.get(&day)?.confirmed_utc
    }

    /// Takes a set that was read at `now`, in place of one of the same issue.
    pub fn put(&mut self, set: Arc<OutlookSet>, now: Timestamp) {
        let held = self.days.entry(set.day).or_default();
        held.put(set);
        held.drop_spent(now);
    }

    /// Takes in what a poll of `now` says of the same days: newer polls win, no set that may still speak is lost.
    pub fn take(&mut self, other: &Self, now: Timestamp) {
        for (&day, news) in &other.days {
            let held = self.days.entry(day).or_default();
            // From the future it would keep every true one out.
            let confirmed_utc = news.confirmed_utc.min(Some(now));
            if held.confirmed_utc <= confirmed_utc {
                for set in &news.sets {
                    held.put(Arc::clone(set));
                }
                held.confirmed_utc = confirmed_utc;
                held.trouble.clone_from(&news.trouble);
            } else {
                // Older news may bring what was never seen, and replaces nothing.
                for set in &news.sets {
                    if !held.sets.iter().any(|own| own.is_same_issue(set)) {
                        held.put(Arc::clone(set));
                    }
                }
            }
            // What is spent by the newest poll does not come back with an older one.
            let newest = held.confirmed_utc.map_or(now, |confirmed| confirmed.max(now));
            held.drop_spent(newest);
        }
    }
}

impl DayOutlooks {
    fn put(&mut self, set: Arc<OutlookSet>) {
        self.sets.retain(|held| !held.is_same_issue(&set));
        self.sets.push(set);
        self.sets.sort_by_key(|held| order(held));
    }

    fn drop_spent(&mut self, now: Timestamp) {
        self.sets.retain(|held| now < held.expire_utc);
        let too_many = self.sets.len().saturating_sub(SETS_PER_DAY_MAX);
        self.sets.drain(..too_many);
    }
}

fn speaks(set: &OutlookSet, now: Timestamp) -> bool {
    if set.day == 1 { set.valid_utc <= now && now < set.expire_utc } else { now < set.valid_utc }
}

/// By what becomes valid last; of one VALID by what was issued last.
fn order(set: &OutlookSet) -> (Timestamp, Option<Timestamp>) {
    (set.valid_utc, set.issue_utc)
}
