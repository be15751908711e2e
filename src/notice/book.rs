//! What notices stand on besides levels: what is held, which browsers there are, how much owners were told lately. Read from
//! the store when synthesis starts, and kept in step with what it commits. Pure.

use crate::notice::{Address, Browser, ChannelKind, Delivery, Held, NoticeReason, OwnerSight, WatchPoint};
use crate::threat::later;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The window of an owner's limit.
pub const LIMIT_WINDOW: SignedDuration = SignedDuration::from_hours(1);

/// See the head of this file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Book {
    /// Held notices by watch point, oldest first.
    held: BTreeMap<String, Vec<Held>>,
    /// Ids of browsers by owner.
    browsers: BTreeMap<String, Vec<String>>,
    /// Email addresses that may be written to, by owner.
    inboxes: BTreeMap<String, Vec<Address>>,
    /// What owners have been told of sight.
    pub sights: BTreeMap<String, OwnerSight>,
    /// Notices of the last hour.
    pub recent: Recent,
}

impl Book {
    /// Takes the held notices of the store in, in place of those known.
    pub fn set_held(&mut self, rows: impl IntoIterator<Item = Held>) {
        self.held.clear();
        rows.into_iter().for_each(|row| self.hold(row));
    }

    /// Takes the push subscriptions of the store in, in place of those known.
    pub fn set_browsers(&mut self, browsers: impl IntoIterator<Item = Browser>) {
        self.browsers.clear();
        for browser in browsers {
            self.browsers.entry(browser.owner).or_default().push(browser.id);
        }
    }

    /// Takes the email addresses in that may be written to, by owner, in place of those known.
    pub fn set_inboxes(&mut self, inboxes: BTreeMap<String, Vec<Address>>) {
        self.inboxes = inboxes;
    }

    /// Keeps a held notice, new or changed.
    pub fn hold(&mut self, row: Held) {
        let rows = self.held.entry(row.watch_point.clone()).or_default();
        rows.retain(|known| known.id != row.id);
        rows.push(row);
        rows.sort_by(|a, b| (a.decided_utc, &a.id).cmp(&(b.decided_utc, &b.id)));
    }

    /// Forgets held notices.
    pub fn release(&mut self, ids: &[String]) {
        let gone: BTreeSet<&String> = ids.iter().collect();
        if gone.is_empty() {
            return;
        }
        self.held.retain(|_, rows| {
            rows.retain(|row| !gone.contains(&row.id));
            !rows.is_empty()
        });
    }

    /// Changes what is held of a point.
    pub fn change_held(&mut self, watch_point: &str, change: impl FnMut(&mut Held)) {
        self.held.get_mut(watch_point).into_iter().flatten().for_each(change);
    }

    /// Forgets what is held of a point that is no longer watched.
    pub fn forget_point(&mut self, watch_point: &str) {
        self.held.remove(watch_point);
    }

    /// What is held of a point, oldest first.
    pub fn held_of(&self, watch_point: &str) -> &[Held] {
        self.held.get(watch_point).map_or(&[], Vec::as_slice)
    }

    /// Where the notices of a point go: its addresses, with one for every browser of its owner in place of "all browsers".
    /// Where push is all that was asked for and no browser is left, the owner's other proven addresses (delivery.md, "How", 4).
    /// None where they are only recorded.
    pub fn addresses(&self, point: &WatchPoint) -> Vec<Address> {
        if self.is_stranded(point) {
            return self.inboxes.get(&point.owner).cloned().unwrap_or_default();
        }
        let browsers = self.browsers_of(&point.owner);
        let mut addresses: Vec<Address> = Vec::new();
        for address in &point.addresses {
            match (address.kind, address.to.as_str()) {
                (ChannelKind::WebPush, "") => addresses.extend(browsers.iter().map(|id| browser_address(id))),
                (ChannelKind::None, _) => {}
                (ChannelKind::Email | ChannelKind::WebPush, _) => addresses.push(address.clone()),
            }
        }
        addresses.sort_unstable();
        addresses.dedup();
        addresses
    }

    /// Whether a point asks for push alone and its owner has no browser left.
    pub fn is_stranded(&self, point: &WatchPoint) -> bool {
        point.asks_for_push_alone() && self.browsers_of(&point.owner).is_empty()
    }

    /// All addresses of an owner that may be written to.
    pub fn all_of(&self, owner: &str) -> impl Iterator<Item = Address> {
        let inboxes = self.inboxes.get(owner).into_iter().flatten().cloned();
        inboxes.chain(self.browsers_of(owner).iter().map(|id| browser_address(id)))
    }

    fn browsers_of(&self, owner: &str) -> &[String] {
        self.browsers.get(owner).map_or(&[], Vec::as_slice)
    }
}

/// The address of one browser.
pub fn browser_address(id: &str) -> Address {
    Address { kind: ChannelKind::WebPush, to: id.to_owned() }
}

/// When owners were told something, within the last hour.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recent(BTreeMap<String, VecDeque<Timestamp>>);

impl Recent {
    /// What stored deliveries say of the hour before `now`. One notice to many addresses is one.
    pub fn of<'a>(deliveries: impl IntoIterator<Item = &'a Delivery>, now: Timestamp) -> Self {
        let counted = |delivery: &&Delivery| {
            let asked_for = matches!(delivery.reason, NoticeReason::Test | NoticeReason::Confirmation);
            delivery.address.kind != ChannelKind::None && delivery.stands_in_for.is_none() && !asked_for
        };
        let notices: BTreeSet<(Timestamp, &str, &[String])> = deliveries
            .into_iter()
            .filter(counted)
            .map(|delivery| (delivery.decided_utc, delivery.owner.as_str(), delivery.watch_points.as_slice()))
            .collect();
        let mut recent = Self::default();
        for (at, owner, _) in notices {
            recent.note(owner, at);
        }
        recent.forget(now);
        recent
    }

    /// Counts one notice.
    pub fn note(&mut self, owner: &str, at: Timestamp) {
        self.0.entry(owner.to_owned()).or_default().push_back(at);
    }

    /// Lets go of what is older than the window.
    pub fn forget(&mut self, now: Timestamp) {
        self.0.retain(|_, times| {
            while times.front().is_some_and(|at| later(*at, LIMIT_WINDOW) <= now) {
                times.pop_front();
            }
            !times.is_empty()
        });
    }

    /// `None` where the owner may have one more notice now; else when so many have left the window that they may.
    pub fn full_until(&self, owner: &str, limit: usize, now: Timestamp) -> Option<Timestamp> {
        let times = self.0.get(owner)?;
        let within = times.iter().filter(|at| later(**at, LIMIT_WINDOW) > now);
        let surplus = within.clone().count().checked_sub(limit.max(1))?;
        within.clone().nth(surplus).map(|at| later(*at, LIMIT_WINDOW))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_780_000_000 + 60 * minute).unwrap()
    }

    #[test]
    fn a_window_is_full_until_its_oldest_leaves_and_half_open() {
        let mut recent = Recent::default();
        for minute in [0, 10, 20] {
            recent.note("o", at(minute));
        }
        assert_eq!(recent.full_until("o", 4, at(20)), None);
        assert_eq!(recent.full_until("o", 3, at(20)), Some(at(60)));
        assert_eq!(recent.full_until("o", 2, at(20)), Some(at(70)), "two must leave before one more may come");
        assert_eq!(recent.full_until("p", 3, at(20)), None, "another owner");
        assert_eq!(recent.full_until("o", 3, at(59)), Some(at(60)));
        assert_eq!(recent.full_until("o", 3, at(60)), None);
        recent.forget(at(70));
        assert_eq!(recent, Recent(BTreeMap::from([("o".to_owned(), VecDeque::from([at(20)]))])));
    }
}
