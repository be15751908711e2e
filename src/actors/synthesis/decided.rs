//! What one judgement of all points comes to: the transaction, and what is known by it.

use super::State;
use crate::actors::shared::{Event, Terms};
use crate::notice::deliver::Telling;
use crate::notice::pictured::AsPictured;
use crate::notice::round::{Means, Round, round};
use crate::notice::sequel::sequels;
use crate::notice::{OwnerSight, WatchPoint, sight};
use crate::store::Decision;
use crate::threat::PointState;
use crate::threat::basis::{Basis, Judged};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// What was found out about a point of which something has to be written down.
pub(super) struct Outcome {
    /// The point, its state, and what has to be told.
    pub telling: Telling,
    /// What the change rests on, where there is one.
    pub basis: Option<Basis>,
    /// Whether it says something new; else it is only written anew.
    pub news: bool,
}

impl Outcome {
    /// A point that is as it was, but of which something held has to be looked at.
    pub(super) fn of_held(point: WatchPoint, state: PointState) -> Self {
        Self { telling: Telling { point, state, change: None, reason: None, only: None }, basis: None, news: true }
    }
}

/// One pass over all points.
pub(super) struct Pass<'a> {
    pub terms: &'a Terms,
    pub state: &'a State,
    pub now: Timestamp,
}

/// What a pass decided.
pub(super) struct Decided {
    /// To be written.
    pub decision: Decision,
    tellings: Vec<Telling>,
    news: Vec<bool>,
    round: Round,
    sights: Vec<(String, OwnerSight)>,
}

impl Pass<'_> {
    /// Everything that these outcomes come to, as one transaction.
    pub(super) fn decide(&self, outcomes: Vec<Outcome>) -> Decided {
        let State { picture, book, seen, .. } = self.state;
        let (mut tellings, mut news, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        for Outcome { telling, basis, news: is_news } in outcomes {
            changes.extend(telling.change.clone().map(|change| Judged { change, basis }));
            news.push(is_news);
            tellings.push(telling);
        }
        let evidence = AsPictured { picture, seen, now: self.now };
        let per_owner_hour = self.terms.notices_per_owner_hour;
        let round = round(&mut tellings, &Means { book, evidence: &evidence, per_owner_hour, now: self.now });
        let sights = self.sights(&tellings);
        let mut decision = Decision {
            states: tellings.iter().map(|telling| (telling.point.id.clone(), telling.state.clone())).collect(),
            changes,
            deliveries: round.deliveries.iter().cloned().chain(sights.deliveries).collect(),
            held: round.held.clone(),
            released: round.released.clone(),
            reopened: round.reopened.clone(),
            owner_sights: sights.sights.clone(),
            at_utc: Some(self.now),
            high_water_utc: self.terms.keeps_high_water.then_some(self.now),
            sequels: BTreeMap::new(),
        };
        let changed = tellings.iter().filter(|telling| telling.change.is_some()).map(|t| (&t.point, t.reason));
        decision.sequels = sequels(changed, &decision.deliveries, &decision.held, self.now);
        self.terms.links.put(&mut decision.deliveries);
        Decided { decision, tellings, news, round, sights: sights.sights }
    }

    fn sights(&self, tellings: &[Telling]) -> sight::OwnersTold {
        let State { picture, book, points, .. } = self.state;
        let hearing = sight::hearing(picture, self.terms.started_utc, self.now);
        let news: BTreeMap<&str, &PointState> =
            tellings.iter().map(|telling| (telling.point.id.as_str(), &telling.state)).collect();
        let standing = points.values().map(|watched| {
            let state = news.get(watched.point.id.as_str()).copied().or(watched.state.as_ref());
            (&watched.point, state)
        });
        sight::owners_told(standing, hearing, book, self.now)
    }
}

impl Decided {
    /// Takes over what has been committed; what there is to say of it.
    pub(super) fn enter(self, state: &mut State, now: Timestamp) -> Vec<Event> {
        let mut events = Vec::new();
        self.round.enter(&mut state.book, now);
        state.book.sights.extend(self.sights);
        for (point, acknowledged) in self.round.reopened {
            let watched = state.points.get_mut(&point);
            if let Some(watched) = watched.filter(|watched| watched.point.acknowledged.as_ref() == Some(&acknowledged))
            {
                watched.point.acknowledged = None;
            }
        }
        for (telling, is_news) in self.tellings.into_iter().zip(self.news) {
            let Telling { point, state: stands, change, .. } = telling;
            if let Some(watched) = state.points.get_mut(&point.id) {
                watched.state = Some(stands);
                watched.written_utc = Some(now);
            }
            if !is_news {
                continue;
            }
            let id = point.id.clone();
            events.extend(change.map(|change| Event::LevelChanged(point, change)));
            events.push(Event::PointChanged(id));
        }
        events
    }
}
