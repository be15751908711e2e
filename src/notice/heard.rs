//! Who has heard of what stands (`Episode::told`), as deliveries fail, are stood in for, and addresses are taken off. Pure.
//!
//! Invariants: what ends is told to whoever was told of it, and to nobody else; once it is over nobody is told so again; who was
//! taken off a point and comes back is new there.

use crate::notice::book::Book;
use crate::notice::held::HELD;
use crate::notice::{Address, ChannelKind, Delivery, Held, NoticeReason, WatchPoint};
use crate::threat::{Episode, PointState};

/// Deliveries of one episode to one address that are remembered, the newest: that so many in a row are refused and an older one
/// was not does not happen.
const TOLD_MAX: usize = 16;

/// Notes a delivery to an address (`Address::text`).
pub(super) fn notes(episode: &mut Episode, to: String, id: String) {
    if !episode.thread_roots.iter().any(|(known, _)| *known == to) {
        episode.thread_roots.push((to.clone(), id.clone()));
    }
    let told = &mut episode.told;
    if told.iter().any(|(_, known)| *known == id) {
        return;
    }
    if told.iter().filter(|(known, _)| *known == to).count() >= TOLD_MAX
        && let Some(oldest) = told.iter().position(|(known, _)| *known == to)
    {
        told.remove(oldest);
    }
    told.push((to, id));
}

/// Whether an entry of `Episode::last_deliveries` is of an address.
pub(super) fn is_of_address(to: &str) -> bool {
    !to.is_empty() && to != HELD && to != Address::nobody().text()
}

/// Notes that the newest notice is held. Who had the one before, or refused it, is no latecomer meanwhile.
pub(super) fn is_held(episode: &mut Episode, row: &Held) {
    let before = std::mem::take(&mut episode.last_deliveries).into_iter().map(|(to, _)| to);
    let known = before.filter(|to| is_of_address(to));
    episode.last_deliveries = [HELD.to_owned()].into_iter().chain(known).map(|to| (to, row.id.clone())).collect();
}

/// Notes that the owner has said to know of what these held rows would have told: so do their addresses of that time, but for
/// those that refused what was told before.
pub(super) fn is_known(episode: &mut Episode, dropped: &[Held], addresses: &[Address]) {
    let Some(row) = dropped.first() else { return };
    let arrived = episode.told.first().map(|(_, id)| id.clone());
    let before = std::mem::take(&mut episode.last_deliveries);
    for address in addresses.iter().map(Address::text) {
        let is_told = episode.told.iter().any(|(to, _)| *to == address);
        if !is_told && !before.iter().any(|(to, _)| *to == address) {
            episode.told.push((address, row.id.clone()));
        }
    }
    let is_gone = |id: &String| dropped.iter().any(|row| row.id == *id);
    let kept = before.into_iter().filter_map(|(to, id)| match is_gone(&id) {
        false => Some((to, id)),
        true if is_of_address(&to) => arrived.clone().map(|arrived| (to, arrived)),
        true => None,
    });
    episode.last_deliveries = kept.collect();
}

/// Whether an address (`Address::text`) has heard of what stands; of an episode that an earlier build began, everybody may have.
pub(super) fn was_told(episode: &Episode, to: &str) -> bool {
    let began_earlier = || episode.last_deliveries.iter().any(|(known, _)| known.is_empty());
    episode.told.iter().any(|(known, _)| known == to) || began_earlier()
}

/// Whether an address (`Address::text`) has heard the newest notice of what stands.
pub(super) fn has_newest(episode: &Episode, to: &str) -> bool {
    let last = &episode.last_deliveries;
    last.iter().any(|entry| entry.0.is_empty() || (entry.0 == to && episode.told.contains(entry)))
}

/// The first delivery of an episode to an address, where later ones answer to it: mail does.
pub(super) fn thread_root(episode: &Episode, address: &Address) -> Option<String> {
    let to = address.text();
    let root = || episode.thread_roots.iter().find(|(known, _)| *known == to).map(|(_, root)| root.clone());
    (address.kind == ChannelKind::Email).then(root).flatten()
}

/// The owner's addresses that heard of what stands at a point although its notices do not go there now: what another address had
/// refused, or what no browser was there for. Each with a delivery that told it.
pub(super) fn told_elsewhere(point: &WatchPoint, episode: &Episode, book: &Book) -> Vec<(Address, String)> {
    elsewhere(point, book, |to| episode.told.iter().find(|(known, _)| known == to).map(|(_, id)| id.clone()))
}

/// The same of what is held, or what that changes: the episode may be over. Each with a held row that it follows.
pub(super) fn held_elsewhere(point: &WatchPoint, held: &[Held], book: &Book) -> Vec<(Address, String)> {
    elsewhere(point, book, |to| {
        held.iter().find(|row| row.heard.iter().any(|known| known == to)).map(|row| row.id.clone())
    })
}

fn elsewhere(point: &WatchPoint, book: &Book, heard_by: impl Fn(&str) -> Option<String>) -> Vec<(Address, String)> {
    let usual = book.addresses(point);
    let others = book.all_of(&point.owner).filter(|address| !usual.contains(address));
    others.filter_map(|address| heard_by(&address.text()).map(|id| (address, id))).collect()
}

/// The state's episode, where a delivery is of it and speaks of the point. One about several points bears the episode of the first
/// alone; the others know it by its id, or by that of what it stands in for.
fn of_it<'a>(watch_point: &str, state: &'a mut PointState, delivery: &Delivery) -> Option<&'a mut Episode> {
    let speaks_of_it = delivery.watch_points.iter().any(|id| id == watch_point);
    let is_known = |id: &String| *id == delivery.id || Some(id) == delivery.stands_in_for.as_ref();
    state.episode.as_mut().filter(|episode| {
        let mut told = episode.told.iter().chain(&episode.last_deliveries);
        speaks_of_it && (episode.id == delivery.episode || told.any(|(_, id)| is_known(id)))
    })
}

/// Notes in the episode of a point that the addresses of `stand_ins` hear of what another one does not: its delivery was given up.
/// False where that changes nothing.
pub fn given_up(watch_point: &str, state: &mut PointState, failed: &Delivery, stand_ins: &[Delivery]) -> bool {
    let before = state.episode.clone();
    for stand_in in stand_ins {
        hears(watch_point, state, stand_in);
    }
    // Last: by this the stand-ins knew the episode.
    if let Some(episode) = of_it(watch_point, state, failed) {
        episode.told.retain(|(_, id)| *id != failed.id);
        let next = episode.told.iter().find(|(to, _)| *to == failed.address.text()).map(|(_, id)| id.clone());
        for root in episode.thread_roots.iter_mut().filter(|(_, root)| *root == failed.id) {
            // Mails answer to one that arrived.
            root.1 = next.clone().unwrap_or_default();
        }
        episode.thread_roots.retain(|(_, root)| !root.is_empty());
    }
    state.episode != before
}

/// What comes next is not news to who hears of it by a stand-in, and what is over may be said there.
fn hears(watch_point: &str, state: &mut PointState, stand_in: &Delivery) {
    let Some(episode) = of_it(watch_point, state, stand_in) else { return };
    let (to, id) = (stand_in.address.text(), stand_in.id.clone());
    if stand_in.reason != NoticeReason::AllClear {
        notes(episode, to.clone(), id.clone());
    }
    let last = &mut episode.last_deliveries;
    let is_newest = last.iter().any(|(_, id)| Some(id) == stand_in.stands_in_for.as_ref());
    if is_newest && !last.iter().any(|(known, _)| *known == to) {
        last.push((to, id));
    }
}

/// The same in what is held of a point, whose state notes it already. Of an episode that is over it is not known any more who
/// heard by what.
pub fn held_given_up(row: &mut Held, state: &PointState, failed: &Delivery, stand_ins: &[Delivery]) -> bool {
    let episode = state.episode.as_ref().filter(|episode| episode.id == row.episode);
    let follows = failed.watch_points.contains(&row.watch_point) && row.decided_utc >= failed.decided_utc;
    let Some(episode) = episode.filter(|_| follows) else { return false };
    let before = row.heard.clone();
    let (to, told) = (failed.address.text(), |to: &String| episode.told.iter().any(|(known, _)| known == to));
    row.heard.retain(|known| *known != to || told(known));
    let new = stand_ins.iter().map(|stand_in| stand_in.address.text()).filter(|to| told(to) && !before.contains(to));
    row.heard.extend(new);
    row.heard != before
}

/// Whose notices of a point end between `before` and `after`: an address (`Address::text`) that it names no more.
pub fn taken_from<'a>(before: &'a WatchPoint, after: &'a WatchPoint) -> impl Fn(&str) -> bool + 'a {
    let gone = || before.addresses.iter().filter(|address| !after.addresses.contains(address)).map(Address::text);
    let all_browsers = Address { kind: ChannelKind::WebPush, to: String::new() }.text();
    move |to| gone().any(|gone| gone == to || (gone == all_browsers && to.starts_with(&gone)))
}

/// Forgets what the addresses have heard that were taken off a point between `before` and `after`. False where there are none.
pub fn taken_off(before: &WatchPoint, after: &WatchPoint, state: &mut PointState) -> bool {
    let Some(episode) = state.episode.as_mut() else { return false };
    let is_gone = taken_from(before, after);
    let told = episode.told.len();
    episode.told.retain(|(to, _)| !is_gone(to));
    // The notice itself stays the newest: who comes now is told what stands.
    let mut gone_now = episode.last_deliveries.iter_mut().filter(|(to, _)| is_gone(to)).peekable();
    let is_new = gone_now.peek().is_some() || episode.told.len() < told;
    gone_now.for_each(|(to, _)| *to = Address::nobody().text());
    is_new
}

/// The same in what is held of the point.
pub fn held_taken_off(before: &WatchPoint, after: &WatchPoint, row: &mut Held) -> bool {
    let is_gone = taken_from(before, after);
    let heard = row.heard.len();
    row.heard.retain(|to| !is_gone(to));
    row.heard.len() < heard
}

#[cfg(test)]
mod tests;
