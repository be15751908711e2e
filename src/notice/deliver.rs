//! From decided notices to deliveries: grouped, rendered, addressed, numbered by their episode. Pure.

use crate::notice::compose::{Ending, NoticeEvent, Told, compose};
use crate::notice::{Address, ChannelKind, Delivery, NoticeReason, WatchPoint, id, push};
use crate::threat::{LevelChange, PointState, Reason, Support, later};
use jiff::{SignedDuration, Timestamp};

/// Points of one owner closer than this to the first of a group hear of one storm in one message (delivery.md), km.
pub const GROUP_KM: f64 = 10.0;
/// A notice is of use at least this long, and as long as the evidence it speaks of lasts.
pub const USEFUL_FOR_MIN: SignedDuration = SignedDuration::from_hours(6);

/// One point that has something to be told.
#[derive(Debug)]
pub struct Telling {
    /// The point.
    pub point: WatchPoint,
    /// Its new state, whose episode has been brought up to date by `decide`.
    pub state: PointState,
    /// The change, where there is one.
    pub change: Option<LevelChange>,
    /// What is told.
    pub reason: NoticeReason,
}

/// What the words need of the picture.
pub trait Evidence {
    /// The call to action of the product behind a reason.
    fn instruction(&self, reason: &Reason) -> Option<String>;
    /// How the evidence behind a reason ended.
    fn ending(&self, support: &Support) -> Ending;
}

/// The deliveries for all that is told at one instant, in the order of the tellings. Notes each episode's first delivery in
/// the tellings' states.
pub fn deliveries(tellings: &mut [Telling], evidence: &dyn Evidence, now: Timestamp) -> Vec<Delivery> {
    let mut deliveries = Vec::new();
    for group in groups(tellings) {
        let members: Vec<&Telling> = group.iter().filter_map(|index| tellings.get(*index)).collect();
        let made = one_message(&members, evidence, now);
        for index in group {
            let Some(episode) = tellings.get_mut(index).and_then(|telling| telling.state.episode.as_mut()) else {
                continue;
            };
            episode.last_decided_utc = Some(now);
            episode.last_deliveries = made.iter().map(|delivery| delivery.id.clone()).collect();
            for delivery in &made {
                let to = address_text(&delivery.address);
                if !episode.thread_roots.iter().any(|(address, _)| *address == to) {
                    episode.thread_roots.push((to, delivery.id.clone()));
                }
            }
        }
        deliveries.extend(made);
    }
    deliveries
}

/// Indices of tellings that go out as one message each.
fn groups(tellings: &[Telling]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, telling) in tellings.iter().enumerate() {
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
        NoticeReason::AllClear => ended.or(supports),
        NoticeReason::Raised
        | NoticeReason::Lowered
        | NoticeReason::WentBlind
        | NoticeReason::SeesAgain
        | NoticeReason::Test
        | NoticeReason::Digest
        | NoticeReason::Confirmation => supports.or(ended),
    };
    about.map(|support| support.reason.subject.as_str())
}

fn one_message(members: &[&Telling], evidence: &dyn Evidence, now: Timestamp) -> Vec<Delivery> {
    let Some(first) = members.first() else { return Vec::new() };
    let Some(episode) = &first.state.episode else { return Vec::new() };
    let top = first.state.supports.first();
    let instruction = top.and_then(|support| evidence.instruction(&support.reason));
    let ended = first.change.as_ref().and_then(|change| change.ended.first());
    let rendered = compose(&NoticeEvent {
        reason: first.reason,
        now,
        points: members.iter().map(|telling| told(telling)).collect(),
        ending: ended.map(|support| evidence.ending(support)),
        instruction: instruction.as_deref(),
    });
    let mut watch_points: Vec<String> = members.iter().map(|telling| telling.point.id.clone()).collect();
    watch_points.sort_unstable();
    let useful_until_utc = first
        .state
        .supports
        .iter()
        .filter_map(|support| support.reason.until_utc)
        .chain([later(now, USEFUL_FOR_MIN)])
        .max()
        .unwrap_or(now);
    addresses(&first.point)
        .map(|address| Delivery {
            id: id::delivery_id(&watch_points, &episode.id, episode.sequence, &address),
            number: 0,
            watch_points: watch_points.clone(),
            owner: first.point.owner.clone(),
            reason: first.reason,
            level: first.state.level,
            episode: episode.id.clone(),
            thread_root: thread_root(&episode.thread_roots, &address),
            decided_utc: now,
            useful_until_utc,
            evidence_utc: top.map(|support| support.reason.observed_utc),
            seen_utc: None,
            payload: String::new(),
            unsubscribe_url: None,
            stands_in_for: None,
            subject: rendered.subject.clone(),
            text: rendered.text.clone(),
            html: rendered.html.clone(),
            address,
        })
        .map(|delivery| push::rendered(delivery, &rendered.short))
        .collect()
}

fn told(telling: &Telling) -> Told<'_> {
    match &telling.change {
        Some(change) => {
            Told { blind_since_utc: telling.state.blind_since_utc, ..Told::of_change(&telling.point, change) }
        }
        None => Told::of_state(&telling.point, &telling.state),
    }
}

/// Where the notices of a point go; a point without an address has them recorded.
fn addresses(point: &WatchPoint) -> impl Iterator<Item = Address> + '_ {
    let nobody = point.addresses.is_empty().then(|| Address { kind: ChannelKind::None, to: String::new() });
    point.addresses.iter().cloned().chain(nobody)
}

fn address_text(address: &Address) -> String {
    format!("{}:{}", address.kind.as_str(), address.to)
}

fn thread_root(roots: &[(String, String)], address: &Address) -> Option<String> {
    let to = address_text(address);
    roots.iter().find(|(known, _)| *known == to).map(|(_, root)| root.clone())
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
