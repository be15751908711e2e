//! From decided notices to deliveries: grouped, rendered, addressed, numbered by their episode. Pure.

use crate::notice::book::Book;
use crate::notice::compose::{Ending, NoticeEvent, Rendered, Told, compose};
use crate::notice::{Address, ChannelKind, Delivery, NoticeReason, WatchPoint, id};
use crate::threat::{Episode, Level, LevelChange, PointState, Reason, Support, later};
use jiff::{SignedDuration, Timestamp};

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
    /// Goes to these addresses alone (`Address::text`): what was lost on its way there is told again.
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

    /// Where it goes; none: it is only recorded.
    pub(super) fn addresses(&self, book: &Book) -> Vec<Address> {
        let mut addresses = book.addresses(&self.point);
        if let Some(only) = &self.only {
            addresses.retain(|address| only.contains(&address.text()));
        }
        addresses
    }

    /// Notes in the episode that deliveries have been decided.
    pub(super) fn note(&mut self, deliveries: &[Delivery], now: Timestamp) {
        let Some(episode) = self.state.episode.as_mut() else { return };
        episode.last_decided_utc = Some(now);
        match &self.only {
            Some(only) => episode.last_deliveries.retain(|(to, _)| !only.contains(to) && !to.is_empty()),
            None => episode.last_deliveries.clear(),
        }
        for delivery in deliveries {
            let to = delivery.address.text();
            episode.last_deliveries.push((to.clone(), delivery.id.clone()));
            let threads = delivery.address.kind == ChannelKind::Email;
            if threads && !episode.thread_roots.iter().any(|(address, _)| *address == to) {
                episode.thread_roots.push((to, delivery.id.clone()));
            }
        }
    }
}

/// The given tellings in groups that go out as one message each.
pub(super) fn groups(tellings: &[Telling], sent: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for index in sent.iter().copied() {
        let Some(telling) = tellings.get(index) else { continue };
        let home = groups.iter_mut().find(|group| {
            group.first().and_then(|first| tellings.get(*first)).is_some_and(|first| belong_together(first, telling))
        });
        match home {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

fn belong_together(a: &Telling, b: &Telling) -> bool {
    a.point.owner == b.point.owner
        && a.reason == b.reason
        && a.only == b.only
        && a.state.level == b.state.level
        && !a.point.addresses.is_empty()
        && a.point.addresses == b.point.addresses
        && a.point.at.distance_km(b.point.at) <= GROUP_KM
        && subject(a) == subject(b)
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
    let brought = top.filter(|reason| !reason.already_in_effect);
    let watch_points = ids(members);
    let draft = Delivery {
        watch_points,
        owner: first.point.owner.clone(),
        reason,
        level: first.state.level,
        episode: episode.id.clone(),
        useful_until_utc: useful_until(members, now),
        evidence_utc: top.map(|reason| reason.observed_utc),
        seen_utc: brought.and_then(|reason| evidence.seen_utc(reason)),
        ..draft(words(members, reason, evidence, now), now)
    };
    let deliveries = or_nobody(first.addresses(book)).into_iter().map(|address| Delivery {
        id: id::delivery_id(&draft.watch_points, &episode.id, episode.sequence, &address),
        thread_root: thread_root(episode, &address),
        address,
        ..draft.clone()
    });
    deliveries.collect()
}

/// A delivery that has words and nothing else yet.
pub(super) fn draft(rendered: Rendered, now: Timestamp) -> Delivery {
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

/// Until when a message about these points is of use.
pub(super) fn useful_until(members: &[&Telling], now: Timestamp) -> Timestamp {
    let supports = members.iter().flat_map(|telling| &telling.state.supports);
    let ends = supports.filter_map(|support| support.reason.until_utc);
    ends.chain([later(now, USEFUL_FOR_MIN)]).max().unwrap_or(now)
}

/// A notice that goes nowhere is recorded.
pub(super) fn or_nobody(addresses: Vec<Address>) -> Vec<Address> {
    if addresses.is_empty() { vec![Address::nobody()] } else { addresses }
}

fn told(telling: &Telling) -> Told<'_> {
    match &telling.change {
        Some(change) => {
            Told { blind_since_utc: telling.state.blind_since_utc, ..Told::of_change(&telling.point, change) }
        }
        None => Told::of_state(&telling.point, &telling.state),
    }
}

/// The first delivery of an episode to an address.
pub(super) fn thread_root(episode: &Episode, address: &Address) -> Option<String> {
    let to = address.text();
    episode.thread_roots.iter().find(|(known, _)| *known == to).map(|(_, root)| root.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::LatLon;
    use crate::threat::{Episode, Level};

    struct NoEvidence;

    impl Evidence for NoEvidence {
        fn instruction(&self, _: &Reason) -> Option<String> {
            None
        }
        fn ending(&self, _: &Support) -> Ending {
            Ending::Expired
        }
    }

    fn now() -> Timestamp {
        "2026-06-10T21:32:00Z".parse().unwrap()
    }

    /// A point of `owner` that rose to extreme on the evidence of `subject`.
    fn telling(id: &str, owner: &str, lat: f64, subject: &str, to: &str) -> Telling {
        let reason = Reason {
            rule: "tornado_warning_inside_confirmed".into(),
            subject: subject.into(),
            level: Level::Extreme,
            text: "inside Tornado Warning".into(),
            source: "nws-warnings".into(),
            evidence_id: "urn:x".into(),
            observed_utc: now(),
            age_s: 0,
            distance_km: Some(0.0),
            direction: None,
            until_utc: None,
            already_in_effect: false,
        };
        let support = Support { reason, last_supported_utc: now(), held: None, ended_utc: None, sight_lost: false };
        let mut state = PointState::quiet(now());
        state.level = Level::Extreme;
        state.supports = vec![support];
        state.episode = Some(Episode {
            id: format!("ep_{id}"),
            began_utc: now(),
            below_since_utc: None,
            sequence: 1,
            told_max: Level::Extreme,
            told_blind: false,
            awaiting_sight: false,
            out_of_sight: Vec::new(),
            thread_roots: Vec::new(),
            last_deliveries: Vec::new(),
            last_decided_utc: None,
        });
        let addresses = match to {
            "" => Vec::new(),
            to => vec![Address { kind: ChannelKind::Email, to: to.into() }],
        };
        Telling {
            point: WatchPoint {
                id: id.into(),
                owner: owner.into(),
                name: format!("place {id}"),
                at: LatLon::new(lat, -92.9).unwrap(),
                min_level: Level::Elevated,
                addresses,
                time_zone: None,
                created_utc: now(),
                until_utc: None,
                client_token: None,
                waiting: Vec::new(),
                quiet_hours: None,
                snooze_until_utc: None,
                acknowledged: None,
            },
            state,
            change: None,
            reason: NoticeReason::Raised,
        }
    }

    /// Which points each message speaks of.
    fn told(mut tellings: Vec<Telling>) -> Vec<Vec<String>> {
        deliveries(&mut tellings, &NoEvidence, now()).into_iter().map(|delivery| delivery.watch_points).collect()
    }

    #[test]
    fn n41_one_storm_over_two_near_points_is_one_message_that_lists_both() {
        let (home, near, far) = (40.52, 40.54, 40.90);
        let both = told(vec![telling("a", "o", home, "TO.65", "x@y"), telling("b", "o", near, "TO.65", "x@y")]);
        assert_eq!(both, [["a", "b"]]);
        let apart = told(vec![telling("a", "o", home, "TO.65", "x@y"), telling("b", "o", far, "TO.65", "x@y")]);
        assert_eq!(apart.len(), 2, "36 km apart");
        let two_storms = told(vec![telling("a", "o", home, "TO.65", "x@y"), telling("b", "o", near, "TO.66", "x@y")]);
        assert_eq!(two_storms.len(), 2);
        let two_owners = told(vec![telling("a", "o", home, "TO.65", "x@y"), telling("b", "p", near, "TO.65", "x@y")]);
        assert_eq!(two_owners.len(), 2);
        let recorded = told(vec![telling("a", "o", home, "TO.65", ""), telling("b", "o", near, "TO.65", "")]);
        assert_eq!(recorded.len(), 2, "without an address there is no inbox to spare");
    }

    #[test]
    fn later_notices_of_an_episode_answer_to_its_first_and_have_ids_of_their_own() {
        let mut first = vec![telling("a", "o", 40.52, "TO.65", "x@y")];
        let root = deliveries(&mut first, &NoEvidence, now()).remove(0);
        assert_eq!(root.thread_root, None);
        assert_eq!(first[0].state.episode.as_ref().unwrap().last_deliveries, std::slice::from_ref(&root.id));
        first[0].state.episode.as_mut().unwrap().sequence = 2;
        let second = deliveries(&mut first, &NoEvidence, now()).remove(0);
        assert_eq!(second.thread_root, Some(root.id.clone()));
        assert_ne!(second.id, root.id);
    }
}
