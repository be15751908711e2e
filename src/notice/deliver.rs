//! From decided notices to deliveries: grouped, rendered, addressed, numbered by their episode. Pure.

use crate::notice::book::Book;
use crate::notice::compose::stand_in::without_browser;
use crate::notice::compose::{Ending, NoticeEvent, Rendered, Told, compose};
use crate::notice::held::HELD;
use crate::notice::push::{self, Short};
use crate::notice::{Address, ChannelKind, Delivery, NoticeReason, WatchPoint, heard, id};
use crate::threat::{Episode, Level, LevelChange, PointState, Reason, Support, later};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;

/// Points of one owner closer than this to the first of a group hear of one storm in one message (delivery.md), km.
pub const GROUP_KM: f64 = 10.0;
/// A notice is of use at least this long, and as long as the evidence it speaks of lasts.
pub const USEFUL_FOR_MIN: SignedDuration = SignedDuration::from_hours(6);

/// One point of which something may have to be told.
#[derive(Debug, Clone)]
pub struct Telling {
    /// The point.
    pub point: WatchPoint,
    /// Its new state, whose episode has been brought up to date by `decide`.
    pub state: PointState,
    /// The change, where there is one.
    pub change: Option<LevelChange>,
    /// What is told; `None` where only what is held of it is looked at.
    pub reason: Option<NoticeReason>,
    /// Goes to these addresses alone (`Address::text`): what was lost on its way there is told again, or what stands is told to
    /// who came late.
    pub only: Option<Vec<String>>,
}

/// What the words and the latency record need of the picture.
pub trait Evidence {
    /// The call to action of the product behind a reason.
    fn instruction(&self, reason: &Reason) -> Option<String>;
    /// How the evidence behind a reason ended.
    fn ending(&self, support: &Support) -> Ending;
    /// When the poll that brought the evidence behind a reason ended; `None` where that is not known.
    fn seen_utc(&self, reason: &Reason) -> Option<Timestamp>;
}

impl Telling {
    /// How much the notice is about: the level told, or the one that was lost from sight.
    pub fn weight(&self) -> Level {
        let told = || self.state.episode.as_ref().map_or(Level::None, |episode| episode.told_max);
        match self.reason {
            Some(NoticeReason::WentBlind) => {
                self.change.as_ref().map_or(self.state.level, |change| change.from.max(self.state.level))
            }
            Some(NoticeReason::SeesAgain) if self.is_below() => told(),
            Some(_) | None => self.state.level,
        }
    }

    /// Whether the level is below what is told.
    pub fn is_below(&self) -> bool {
        self.state.level < self.point.min_level.max(Level::Marginal)
    }

    /// Where it goes; none: it is only recorded. Nothing is taken back where it was never told; what is held is told with its
    /// end in one digest, whose addresses are its own.
    pub(super) fn addresses(&self, book: &Book) -> Vec<Address> {
        let mut addresses = book.addresses(&self.point);
        let is_held = |episode: &Episode| episode.last_deliveries.iter().any(|(to, _)| to == HELD);
        let episode = self.state.episode.as_ref().filter(|_| self.takes_back());
        if let Some(episode) = episode.filter(|episode| !is_held(episode)) {
            addresses.retain(|address| heard::was_told(episode, &address.text()));
            let elsewhere = heard::told_elsewhere(&self.point, episode, book);
            addresses.extend(elsewhere.into_iter().map(|(address, _)| address));
            if self.reason == Some(NoticeReason::SeesAgain) {
                // Who was not told that sight was lost is not told that it is back.
                addresses.retain(|address| heard::has_newest(episode, &address.text()));
            }
        }
        if let Some(only) = &self.only {
            addresses.retain(|address| only.contains(&address.text()));
        }
        addresses
    }

    fn takes_back(&self) -> bool {
        matches!(self.reason, Some(NoticeReason::Lowered | NoticeReason::AllClear | NoticeReason::SeesAgain))
    }

    /// Whether it tells what stands to addresses that the newest notice did not go to: they came late.
    pub(super) fn is_for_latecomers(&self) -> bool {
        let Some((only, episode)) = self.only.as_ref().zip(self.state.episode.as_ref()) else { return false };
        let last = &episode.last_deliveries;
        only.iter().all(|to| last.iter().all(|(known, _)| known != to && !known.is_empty()))
    }

    /// Notes in the episode that deliveries have been decided.
    pub(super) fn note(&mut self, deliveries: &[Delivery], now: Timestamp) {
        let Some(episode) = self.state.episode.as_mut() else { return };
        episode.last_decided_utc = Some(now);
        let before = std::mem::take(&mut episode.last_deliveries);
        let mut passed_over = Vec::new();
        match &self.only {
            Some(only) => {
                episode.last_deliveries = before;
                episode.last_deliveries.retain(|(to, _)| !only.contains(to) && !to.is_empty());
            }
            // Who refused what this takes back is no latecomer either.
            None => passed_over.extend(before.into_iter().map(|(to, _)| to).filter(|to| heard::is_of_address(to))),
        }
        for delivery in deliveries {
            let to = delivery.address.text();
            episode.last_deliveries.push((to.clone(), delivery.id.clone()));
            let is_somebody = delivery.address.kind != ChannelKind::None;
            if is_somebody {
                heard::notes(episode, to, delivery.id.clone());
            }
        }
        passed_over.retain(|to| episode.last_deliveries.iter().all(|(known, _)| known != to));
        let first = deliveries.first().map(|delivery| delivery.id.clone());
        episode.last_deliveries.extend(passed_over.into_iter().zip(first.into_iter().cycle()));
        if self.reason == Some(NoticeReason::AllClear) {
            episode.told.clear();
        }
    }
}

/// The given tellings in groups that go out as one message each.
pub(super) fn groups(tellings: &[Telling], sent: &[usize], book: &Book) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for index in sent.iter().copied() {
        let Some(telling) = tellings.get(index) else { continue };
        let home = groups.iter_mut().find(|group| {
            group
                .first()
                .and_then(|first| tellings.get(*first))
                .is_some_and(|first| belong_together(first, telling, book))
        });
        match home {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

fn belong_together(a: &Telling, b: &Telling, book: &Book) -> bool {
    let hear = |telling: &Telling| telling.addresses(book).into_iter().collect::<BTreeSet<_>>();
    a.point.owner == b.point.owner
        && a.reason == b.reason
        && a.only == b.only
        && a.state.level == b.state.level
        && !a.point.addresses.is_empty()
        && a.point.addresses == b.point.addresses
        && a.point.at.distance_km(b.point.at) <= GROUP_KM
        && subject(a) == subject(b)
        && hear(a) == hear(b)
}

/// What the message is about: the first support of the level told, or what ended.
fn subject(telling: &Telling) -> Option<&str> {
    let supports = telling.state.supports.first();
    let ended = telling.change.as_ref().and_then(|change| change.ended.first());
    let about = match telling.reason {
        Some(NoticeReason::AllClear) => ended.or(supports),
        Some(_) | None => supports.or(ended),
    };
    about.map(|support| support.reason.subject.as_str())
}

/// The words of one message about these points.
pub(super) fn words(members: &[&Telling], reason: NoticeReason, evidence: &dyn Evidence, now: Timestamp) -> Rendered {
    let first = members.first();
    let top = first.and_then(|first| first.state.supports.first());
    let instruction = top.and_then(|support| evidence.instruction(&support.reason));
    let ended = first.and_then(|first| first.change.as_ref()).and_then(|change| change.ended.first());
    compose(&NoticeEvent {
        reason,
        now,
        points: members.iter().map(|telling| told(telling)).collect(),
        ending: ended.map(|support| evidence.ending(support)),
        instruction: instruction.as_deref(),
    })
}

/// One message about these points, a delivery to each address of theirs.
pub(super) fn message(
    members: &[&Telling],
    reason: NoticeReason,
    book: &Book,
    evidence: &dyn Evidence,
    now: Timestamp,
) -> Vec<Delivery> {
    let Some(first) = members.first() else { return Vec::new() };
    let Some(episode) = &first.state.episode else { return Vec::new() };
    let top = first.state.supports.first().map(|support| &support.reason);
    // What was in effect before the watch began says nothing of how quickly it was seen.
    let brought = top.filter(|reason| !reason.already_in_effect && !first.is_for_latecomers());
    let watch_points = ids(members);
    let words = without_browser(words(members, reason, evidence, now), &stranded(members, book));
    let short = words.short.clone();
    let draft = Delivery {
        watch_points,
        owner: first.point.owner.clone(),
        reason,
        level: first.state.level,
        episode: episode.id.clone(),
        useful_until_utc: useful_until(members, now),
        evidence_utc: top.map(|reason| reason.observed_utc),
        seen_utc: brought.and_then(|reason| evidence.seen_utc(reason)),
        ..draft(words, now)
    };
    let name = |to: &Address| id::delivery_id(&draft.watch_points, &episode.id, episode.sequence, to);
    let made = addressed(&draft, &short, first.addresses(book), |to| (name(to), heard::thread_root(episode, to)));
    elsewhere(made, heard::told_elsewhere(&first.point, episode, book))
}

/// Marks what goes to addresses that its points do not name: it follows what stood in for another delivery there.
pub(super) fn elsewhere(mut made: Vec<Delivery>, told: Vec<(Address, String)>) -> Vec<Delivery> {
    for delivery in &mut made {
        let follows = told.iter().find(|(address, _)| *address == delivery.address);
        delivery.stands_in_for = follows.map(|(_, root)| root.clone());
    }
    made
}

/// One delivery of a draft to each address; to nobody, which is to say recorded, where there is none. `named` gives the id and
/// what it answers to.
pub(super) fn addressed(
    draft: &Delivery,
    short: &Short,
    addresses: Vec<Address>,
    named: impl Fn(&Address) -> (String, Option<String>),
) -> Vec<Delivery> {
    let addresses = if addresses.is_empty() { vec![Address::nobody()] } else { addresses };
    let deliveries = addresses.into_iter().map(|address| {
        let (id, thread_root) = named(&address);
        push::rendered(Delivery { id, thread_root, address, ..draft.clone() }, short)
    });
    deliveries.collect()
}

/// A delivery that has words and nothing else yet.
pub(crate) fn draft(rendered: Rendered, now: Timestamp) -> Delivery {
    Delivery {
        id: String::new(),
        number: 0,
        address: Address::nobody(),
        watch_points: Vec::new(),
        owner: String::new(),
        reason: NoticeReason::Raised,
        level: Level::None,
        episode: String::new(),
        thread_root: None,
        decided_utc: now,
        useful_until_utc: later(now, USEFUL_FOR_MIN),
        evidence_utc: None,
        seen_utc: None,
        subject: rendered.subject,
        text: rendered.text,
        html: rendered.html,
        payload: String::new(),
        unsubscribe_url: None,
        stands_in_for: None,
    }
}

/// The points' ids, sorted.
pub(super) fn ids(members: &[&Telling]) -> Vec<String> {
    let mut ids: Vec<String> = members.iter().map(|telling| telling.point.id.clone()).collect();
    ids.sort_unstable();
    ids
}

/// Names of the points whose notices go elsewhere because no browser is left to show them.
pub(super) fn stranded(members: &[&Telling], book: &Book) -> Vec<String> {
    let stranded = members.iter().filter(|telling| book.is_stranded(&telling.point));
    let stranded = stranded.filter(|telling| !book.addresses(&telling.point).is_empty());
    stranded.map(|telling| telling.point.name.clone()).collect()
}

/// Until when a message about these points is of use.
pub(super) fn useful_until(members: &[&Telling], now: Timestamp) -> Timestamp {
    let supports = members.iter().flat_map(|telling| &telling.state.supports);
    let ends = supports.filter_map(|support| support.reason.until_utc);
    ends.chain([later(now, USEFUL_FOR_MIN)]).max().unwrap_or(now)
}

fn told(telling: &Telling) -> Told<'_> {
    match &telling.change {
        Some(change) => {
            Told { blind_since_utc: telling.state.blind_since_utc, ..Told::of_change(&telling.point, change) }
        }
        None => Told::of_state(&telling.point, &telling.state),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::tests::scene::{Quiet, at, browser, email, telling};

    /// Which points each message speaks of.
    fn told(tellings: &[Telling]) -> Vec<Vec<String>> {
        let all: Vec<usize> = (0..tellings.len()).collect();
        let groups = groups(tellings, &all, &Book::default());
        groups
            .into_iter()
            .map(|group| group.into_iter().map(|index| tellings[index].point.id.clone()).collect())
            .collect()
    }

    fn to(addresses: &[Address], id: &str, lat: f64, subject: &str) -> Telling {
        let mut telling = telling(id, Level::Extreme, subject);
        telling.point.at = crate::geo::LatLon::new(lat, -92.9).unwrap();
        telling.point.addresses = addresses.to_vec();
        telling
    }

    #[test]
    fn n41_one_storm_over_two_near_points_is_one_message_that_lists_both() {
        let (home, near, far) = (40.52, 40.54, 40.90);
        let x = [email("x@y")];
        assert_eq!(told(&[to(&x, "a", home, "TO.65"), to(&x, "b", near, "TO.65")]), [["a", "b"]]);
        assert_eq!(told(&[to(&x, "a", home, "TO.65"), to(&x, "b", far, "TO.65")]).len(), 2, "36 km apart");
        assert_eq!(told(&[to(&x, "a", home, "TO.65"), to(&x, "b", near, "TO.66")]).len(), 2, "two storms");
        let mut other = to(&x, "b", near, "TO.65");
        other.point.owner = "p".into();
        assert_eq!(told(&[to(&x, "a", home, "TO.65"), other]).len(), 2, "two owners");
        assert_eq!(told(&[to(&[], "a", home, "TO.65"), to(&[], "b", near, "TO.65")]).len(), 2, "no inbox to spare");
        let all_browsers = [browser("")];
        assert_eq!(told(&[to(&all_browsers, "a", home, "TO.65"), to(&all_browsers, "b", near, "TO.65")]).len(), 1);
    }

    #[test]
    fn all_browsers_of_the_owner_is_a_delivery_to_each_and_nobody_where_there_is_none() {
        let telling = to(&[browser(""), email("x@y")], "a", 40.0, "TO.65");
        let mut book = Book::default();
        let sent = |book: &Book, telling: &Telling| -> Vec<String> {
            let made = message(&[telling], NoticeReason::Raised, book, &Quiet, at(0));
            made.iter().map(|delivery| delivery.address.text()).collect()
        };
        assert_eq!(sent(&book, &telling), ["email:x@y"]);
        let of = |id: &str, owner: &str| crate::notice::Browser {
            id: id.into(),
            owner: owner.into(),
            endpoint: String::new(),
            p256dh: String::new(),
            auth: String::new(),
            label: String::new(),
            created_utc: at(0),
            refusals: 0,
        };
        book.set_browsers([of("br_2", "o"), of("br_1", "o"), of("br_3", "p")]);
        assert_eq!(sent(&book, &telling), ["email:x@y", "web_push:br_1", "web_push:br_2"]);
        let pushed = to(&[browser("")], "a", 40.0, "TO.65");
        assert_eq!(sent(&Book::default(), &pushed), ["none:"]);
        let mut bereft = Book::default();
        bereft.set_inboxes([("o".to_owned(), vec![email("proven@y")]), ("p".to_owned(), vec![email("p@y")])].into());
        assert_eq!(
            sent(&bereft, &pushed),
            ["email:proven@y"],
            "push is all that was asked for, and no browser is left"
        );
        assert_eq!(sent(&bereft, &telling), ["email:x@y"], "another address was asked for");
        assert_eq!(sent(&bereft, &to(&[], "a", 40.0, "TO.65")), ["none:"], "no address was asked for");
        bereft.set_browsers([of("br_1", "o")]);
        assert_eq!(sent(&bereft, &pushed), ["web_push:br_1"]);
    }

    #[test]
    fn later_notices_of_an_episode_answer_to_its_first_and_have_ids_of_their_own() {
        let (mut telling, book) = (to(&[email("x@y")], "a", 40.52, "TO.65"), Book::default());
        let made = |telling: &Telling| message(&[telling], NoticeReason::Raised, &book, &Quiet, at(0)).remove(0);
        let root = made(&telling);
        assert_eq!(root.thread_root, None);
        telling.note(std::slice::from_ref(&root), at(0));
        assert_eq!(telling.state.episode.as_ref().unwrap().last_deliveries, [("email:x@y".into(), root.id.clone())]);
        telling.state.episode.as_mut().unwrap().sequence = 2;
        let second = made(&telling);
        assert_eq!(second.thread_root, Some(root.id.clone()));
        assert_ne!(second.id, root.id);
    }

    #[test]
    fn seen_is_told_of_what_was_seen_to_come_and_not_of_what_was_there_already() {
        let (mut telling, book) = (to(&[email("x@y")], "a", 40.52, "TO.65"), Book::default());
        let seen =
            |telling: &Telling| message(&[telling], NoticeReason::Raised, &book, &Quiet, at(0)).remove(0).seen_utc;
        assert_eq!(seen(&telling), Some(at(-1)));
        telling.state.supports[0].reason.already_in_effect = true;
        assert_eq!(seen(&telling), None);
    }
}
