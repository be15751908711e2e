//! Told against true (delivery.md, "Reconcile"): what of a point's newest notice was lost, and to whom; who came when it had
//! been told already. Pure.

use crate::notice::held::HELD;
use crate::notice::{Address, NoticeReason, WatchPoint, hold};
use crate::threat::{Episode, Level, PointState};
use jiff::Timestamp;

/// What the store knows of one id in `Episode::last_deliveries`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// It waits in the outbox, or is held.
    Waits,
    /// It was told, or refused for good.
    Settled,
    /// It was given up because its address wanted no more then.
    Unwanted,
    /// It was given up because it could not be delivered while it was of use.
    TooLate,
    /// Nothing.
    Nowhere,
}

/// What has to be told again of one point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// The point.
    pub watch_point: String,
    /// The ids that were found nowhere, or too late: what has been told again meanwhile has others. None where the newest notice
    /// was none: the owner knew.
    pub ids: Vec<String>,
    /// The addresses (`Address::text`) to be told; `None` for all of them.
    pub to: Option<Vec<String>>,
}

impl Lost {
    /// Whether it is still the newest notice: one that was decided meanwhile tells what is true.
    pub fn is_still(&self, state: &PointState) -> bool {
        let episode = state.episode.as_ref();
        let is_still = |episode: &Episode| {
            let last = &episode.last_deliveries;
            (last.is_empty() && self.ids.is_empty()) || last.iter().any(|(_, id)| self.ids.contains(id))
        };
        episode.is_some_and(is_still)
    }
}

/// What was lost of the newest notice of a point, or what stands and was never told to who came late: an address proven in
/// mid-storm, a new browser, a channel switched on again. `addresses` are those that its notices go to now: to one that has been
/// taken away, or has unsubscribed, nothing is told again. `oldest_kept` is when the oldest row that the ledger still keeps was
/// decided: older ones may have been told and pruned.
pub fn lost(
    point: &WatchPoint,
    state: &PointState,
    addresses: &[Address],
    oldest_kept: Option<Timestamp>,
    now: Timestamp,
    known: impl Fn(&str) -> Known,
) -> Option<Lost> {
    let is_wanted_no_more = |episode: &Episode| episode.below_since_utc.is_none();
    if state.level < point.min_level.max(Level::Marginal) && state.episode.as_ref().is_some_and(is_wanted_no_more) {
        // See `decide::retell`.
        return None;
    }
    let late = latecomers(point, state, addresses, now, &known);
    lost_on_the_way(point, state, addresses, oldest_kept, &known).or(late)
}

/// The addresses that did not get the newest notice of what stands, and would get it now; among them who had unsubscribed and
/// came back. While that notice is held its digest goes to them as well, unless what stands would wake them. Where it is held
/// all the same, or the owner has said to know of it, whoever was told before in this episode is not told again.
fn latecomers(
    point: &WatchPoint,
    state: &PointState,
    addresses: &[Address],
    now: Timestamp,
    known: impl Fn(&str) -> Known,
) -> Option<Lost> {
    let episode = state.episode.as_ref()?;
    let wakes = hold::breaks_through(NoticeReason::Raised, state.level, Level::None);
    let is_held = episode.last_deliveries.iter().any(|(to, _)| to == HELD);
    let tells_no_more = is_held || hold::known(point, episode) >= state.level;
    let was_told = |to: &String| tells_no_more && episode.told.iter().any(|(told, _)| told == to);
    let has_newest = |to: &String| {
        let mut newest = episode.last_deliveries.iter();
        newest.any(|(told, id)| told.is_empty() || (told == to && known(id) != Known::Unwanted))
    };
    let is_missing = |to: &String| (wakes || !is_held) && !has_newest(to) && !was_told(to);
    let missing: Vec<String> = addresses.iter().map(Address::text).filter(is_missing).collect();
    let sleeps = !wakes && hold::asleep_until(point, now).is_some();
    let stands = state.level >= point.min_level.max(Level::Marginal);
    let ids: Vec<String> = episode.last_deliveries.iter().map(|(_, id)| id.clone()).collect();
    let is_due = stands && !sleeps && !missing.is_empty();
    is_due.then(|| Lost { watch_point: point.id.clone(), ids, to: Some(missing) })
}

fn lost_on_the_way(
    point: &WatchPoint,
    state: &PointState,
    addresses: &[Address],
    oldest_kept: Option<Timestamp>,
    known: impl Fn(&str) -> Known,
) -> Option<Lost> {
    let episode = state.episode.as_ref().filter(|episode| is_kept(episode, oldest_kept))?;
    let stands = |to: &str| is_everybody(to) || addresses.iter().any(|address| address.text() == to);
    let nobody = Address::nobody().text();
    let looked_at: Vec<(&String, &String, Known)> = episode
        .last_deliveries
        .iter()
        .filter(|(to, _)| stands(to) || (*to == nobody && addresses.is_empty()))
        .map(|(to, id)| (to, id, known(id)))
        .collect();
    let missing: Vec<_> = looked_at.iter().filter(|(_, _, known)| *known == Known::Nowhere).collect();
    let lost = |ids: Vec<String>, to| Some(Lost { watch_point: point.id.clone(), ids, to });
    if !missing.is_empty() {
        let ids = missing.iter().map(|(_, id, _)| (*id).clone()).collect();
        let everybody = missing.iter().any(|(to, _, _)| is_everybody(to));
        let to = (!everybody).then(|| missing.iter().map(|(to, _, _)| (*to).clone()).collect());
        return lost(ids, to);
    }
    // Nobody heard of what still stands.
    let unheard = !looked_at.is_empty() && looked_at.iter().all(|(_, _, known)| *known == Known::TooLate);
    if unheard && state.level >= point.min_level.max(Level::Marginal) {
        return lost(looked_at.into_iter().map(|(_, id, _)| id.clone()).collect(), None);
    }
    None
}

/// Entries that are of no address: what is held, and what an earlier build wrote.
fn is_everybody(to: &str) -> bool {
    to == HELD || to.is_empty()
}

fn is_kept(episode: &Episode, oldest_kept: Option<Timestamp>) -> bool {
    oldest_kept.is_none_or(|oldest| episode.last_decided_utc.is_some_and(|at| at >= oldest))
}

#[cfg(test)]
mod tests;
