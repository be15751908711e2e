//! The digests that are due: one message an owner and set of addresses.

use super::{Means, Round, due, highest};
use crate::notice::book::Book;
use crate::notice::compose::digest::{DigestPoint, digest};
use crate::notice::compose::stand_in::without_browser;
use crate::notice::deliver::{self, Telling};
use crate::notice::{Address, Delivery, Held, NoticeReason, heard, id};
use crate::threat::Level;
use std::collections::BTreeMap;

/// Whose, and where to.
type Recipient = (String, Vec<Address>);

/// Tells what is due, and takes it out of `rows`.
pub(super) fn tell_due(
    tellings: &mut [Telling],
    rows: &mut BTreeMap<String, Vec<Held>>,
    means: &Means<'_>,
    round: &mut Round,
) {
    let mut groups: Vec<(Recipient, Vec<usize>)> = Vec::new();
    for (index, telling) in tellings.iter().enumerate() {
        let Some(own) = rows.get(&telling.point.id) else { continue };
        if due(&telling.point, own, means.now) > means.now {
            continue;
        }
        let key = (telling.point.owner.clone(), recipients(telling, own, means.book));
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(index),
            None => groups.push((key, vec![index])),
        }
    }
    for ((owner, addresses), group) in groups {
        let is_sent = !addresses.is_empty();
        let made = one_digest(tellings, &group, rows, addresses, means);
        for index in group {
            let Some(telling) = tellings.get_mut(index) else { continue };
            let own = rows.remove(&telling.point.id).unwrap_or_default();
            note(telling, &own, &made, means);
            // What was held and is told within one round never reaches the store.
            round.held.retain(|row| own.iter().all(|told| told.id != row.id));
            round.released.extend(own.into_iter().map(|row| row.id));
        }
        round.deliveries.extend(made);
        if is_sent {
            round.told.push(owner);
        }
    }
}

fn one_digest(
    tellings: &[Telling],
    group: &[usize],
    rows: &BTreeMap<String, Vec<Held>>,
    addresses: Vec<Address>,
    means: &Means<'_>,
) -> Vec<Delivery> {
    let members: Vec<&Telling> = group.iter().filter_map(|index| tellings.get(*index)).collect();
    let Some(first) = members.first() else { return Vec::new() };
    let own = |telling: &Telling| rows.get(&telling.point.id).map_or(&[][..], Vec::as_slice);
    let told: Vec<String> = members.iter().flat_map(|telling| own(telling)).map(|row| row.id.clone()).collect();
    let points =
        members.iter().map(|telling| DigestPoint { point: &telling.point, state: &telling.state, held: own(telling) });
    let standing = first.state.episode.as_ref();
    let episode = standing.map(|episode| episode.id.clone());
    let words = digest(&points.collect::<Vec<_>>(), means.now);
    let words = without_browser(words, &deliver::stranded(&members, means.book));
    let short = words.short.clone();
    let draft = Delivery {
        watch_points: deliver::ids(&members),
        owner: first.point.owner.clone(),
        reason: NoticeReason::Digest,
        level: members.iter().map(|telling| telling.state.level).max().unwrap_or_default(),
        episode: episode.or_else(|| own(first).first().map(|row| row.episode.clone())).unwrap_or_default(),
        useful_until_utc: deliver::useful_until(&members, means.now),
        ..deliver::draft(words, means.now)
    };
    let root = |to: &Address| standing.and_then(|episode| heard::thread_root(episode, to));
    let made = deliver::addressed(&draft, &short, addresses, |to| (id::digest_id(&told, to), root(to)));
    deliver::elsewhere(made, heard::held_elsewhere(&first.point, own(first), means.book))
}

/// Who is told. What stands is news to all. Of what is over hear those who heard how it began; a storm of which all was held, from
/// its beginning on, nobody has heard of, and all are told.
fn recipients(telling: &Telling, own: &[Held], book: &Book) -> Vec<Address> {
    let mut addresses = book.addresses(&telling.point);
    let is_out_of_sight = telling.state.episode.as_ref().is_some_and(|episode| episode.awaiting_sight);
    if telling.is_below() && !is_out_of_sight && !tells_a_whole_storm(own) {
        addresses.retain(|address| own.iter().any(|row| row.heard.contains(&address.text())));
    }
    addresses.extend(heard::held_elsewhere(&telling.point, own, book).into_iter().map(|(address, _)| address));
    addresses
}

/// Whether a storm lies in these rows from its beginning to its end, nothing of it told at once.
fn tells_a_whole_storm(own: &[Held]) -> bool {
    let mut may_begin = own.first().is_some_and(|row| row.heard.is_empty());
    let mut is_held = false;
    for row in own {
        is_held = !row.told && (is_held || (may_begin && row.reason == NoticeReason::Raised));
        may_begin = row.reason == NoticeReason::AllClear;
        if is_held && may_begin {
            return true;
        }
    }
    is_held
}

/// Notes in the episode what its digest has told.
fn note(telling: &mut Telling, own: &[Held], made: &[Delivery], means: &Means<'_>) {
    telling.only = None;
    telling.note(made, means.now);
    let is_below = telling.is_below();
    let standing = if is_below { Level::None } else { telling.state.level };
    if let Some(episode) = telling.state.episode.as_mut() {
        if is_below {
            episode.told.clear();
        }
        let of_it: Vec<Held> = own.iter().filter(|row| row.episode == episode.id).cloned().collect();
        if !of_it.is_empty() {
            episode.told_max = episode.told_max.max(highest(&of_it, standing));
        }
    }
}
