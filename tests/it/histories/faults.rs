//! What can go wrong between the sources and the program, laid over a history minute by minute.

use super::world::{self, Answer, MINUTES, SOURCES, Truth, at};
use jiff::Timestamp;
use proptest::prelude::*;
use std::sync::Arc;
use stormbell::observation::{
    Fault, GOES_GLM, IEM_REPORTS, MRMS, NWS_WARNINGS, Observation, RAP_PROFILES, Report, SPC_OUTLOOKS, SourceName,
};
use stormbell::outlook::Layer;
use stormbell::threat::Level;
use stormbell::warning::WarningSnapshot;

/// One kind of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// No answer.
    Fails,
    /// The answer of the minute in which it began, again and again, as a cache serves it.
    Frozen,
    /// A well-formed answer with nothing in it.
    Empty,
    /// A part of the answer is missing or cannot be read.
    InPart,
    /// Radar looks nowhere near the place.
    Uncovered,
    /// Every answer comes twice.
    Twice,
    /// Every answer comes after the next one.
    Late,
}

/// A stretch of trouble with one source.
#[derive(Debug, Clone)]
pub struct Stretch {
    pub source: usize,
    pub from: i64,
    pub lasts: i64,
    pub trouble: Trouble,
}

/// All trouble of a history.
#[derive(Debug, Clone)]
pub struct Faults {
    pub stretches: Vec<Stretch>,
    /// The process ends at a minute, and starts again after so many.
    pub restarts: Vec<(i64, i64)>,
}

pub fn faults() -> impl Strategy<Value = Faults> {
    use Trouble::{Empty, Fails, Frozen, InPart, Late, Twice, Uncovered};
    let trouble = prop::sample::select(vec![Fails, Fails, Frozen, Empty, InPart, Uncovered, Twice, Late]);
    let lasts = prop_oneof![1..12_i64, 12..60_i64, 60..300_i64];
    let stretch = (0..SOURCES.len(), 0..MINUTES - 10, lasts, trouble);
    let stretch = stretch.prop_map(|(source, from, lasts, trouble)| Stretch { source, from, lasts, trouble });
    let restart = (20..MINUTES - 20, 0..20_i64);
    (prop::collection::vec(stretch, 0..8), prop::collection::vec(restart, 0..3))
        .prop_map(|(stretches, restarts)| Faults { stretches, restarts })
}

impl Faults {
    pub fn none() -> Self {
        Self { stretches: Vec::new(), restarts: Vec::new() }
    }

    /// Every answer of every source comes twice, all the time.
    pub fn twice() -> Self {
        let all = (0..SOURCES.len()).map(|source| Stretch { source, from: 0, lasts: MINUTES, trouble: Trouble::Twice });
        Self { stretches: all.collect(), restarts: Vec::new() }
    }

    /// The trouble that `source` is in, and since when, kept within what the rules promise to see through.
    fn of(&self, source: &SourceName, truth: &Truth, minute: i64) -> Option<(Trouble, i64)> {
        let mine = self.stretches.iter().filter(|stretch| SOURCES[stretch.source] == *source);
        let stretch = mine.into_iter().find(|s| (s.from..s.from + s.lasts).contains(&minute))?;
        let (into, mut trouble) = (minute - stretch.from, stretch.trouble);
        if trouble == Trouble::Uncovered && *source != MRMS {
            trouble = Trouble::Fails;
        }
        let is_seen_through = match trouble {
            // Two empty answers are a withdrawal, unless they empty a busy nation at once: that is doubted for ten minutes.
            Trouble::Empty if *source == NWS_WARNINGS => into == 0 || truth.busy_nation && into < 9,
            // Nothing in an answer of these tells that it is old or emptied: what was heard stays, what is new comes late.
            Trouble::Frozen | Trouble::Empty if *source == IEM_REPORTS => into < 10,
            // A profile speaks for three hours: that a newer one is missing is not noticed before.
            _ if *source == RAP_PROFILES => into < 20,
            Trouble::Empty | Trouble::InPart if *source == SPC_OUTLOOKS => trouble == Trouble::InPart,
            _ => true,
        };
        is_seen_through.then_some((trouble, stretch.from))
    }
}

/// What reaches the program from one source at one minute.
pub struct Heard {
    pub reports: Vec<Report>,
    /// What the last of them supports for certain.
    pub supports: Level,
}

/// The line from one source.
pub struct Line {
    pub source: SourceName,
    /// Up to when what comes piece by piece has been fetched.
    fetched: i64,
    held_back: Option<Report>,
}

impl Line {
    pub fn new(source: SourceName) -> Self {
        Self { source, fetched: i64::MIN / 2, held_back: None }
    }

    pub fn poll(&mut self, truth: &Truth, faults: &Faults, minute: i64) -> Heard {
        let trouble = faults.of(&self.source, truth, minute);
        let asked = match trouble {
            Some((Trouble::Frozen, since)) => since,
            _ => minute,
        };
        let answer = truth.answer(&self.source, asked, self.fetched);
        let (Answer { observations, mut supports }, polled_utc) = (answer, at(minute));
        let report = |good, observations| Report {
            source: self.source.clone(),
            polled_utc,
            good,
            observations,
            faults: if good {
                Vec::new()
            } else {
                vec![Fault { what: "trouble".into(), place: String::new(), kept_rest: false }]
            },
        };
        if !matches!(trouble, None | Some((Trouble::Twice, _))) {
            supports = Level::None;
        }
        let held_back = self.held_back.take();
        let mut reports = match trouble.map(|(trouble, _)| trouble) {
            Some(Trouble::Fails) => vec![report(false, Vec::new())],
            Some(Trouble::Frozen) => vec![report(true, again(observations, polled_utc))],
            Some(Trouble::Empty) => vec![report(true, emptied(observations, polled_utc))],
            Some(Trouble::InPart) => vec![report(true, in_part(observations))],
            Some(Trouble::Uncovered) => vec![report(true, world::uncovered(&observations))],
            Some(Trouble::Twice) => vec![report(true, observations.clone()), report(true, observations)],
            Some(Trouble::Late) => {
                self.held_back = Some(report(true, observations));
                Vec::new()
            }
            None => vec![report(true, observations)],
        };
        if !matches!(trouble, Some((Trouble::Fails | Trouble::Frozen, _))) {
            self.fetched = minute;
        }
        reports.extend(held_back);
        Heard { reports, supports }
    }
}

/// An old body as the source reads it now: reports carry no time of their own, a collection of warnings does.
fn again(observations: Vec<Observation>, polled_utc: Timestamp) -> Vec<Observation> {
    let each = observations.into_iter().filter_map(|observation| match observation {
        Observation::StormReports(held) => {
            let mut read = (*held).clone();
            read.read_utc = polled_utc;
            Some(Observation::StormReports(Arc::new(read)))
        }
        Observation::Outlooks(held) => {
            let mut read = (*held).clone();
            read.days.entry(1).or_default().confirmed_utc = Some(polled_utc);
            Some(Observation::Outlooks(Arc::new(read)))
        }
        // Nothing new is listed.
        Observation::Granule(_) => None,
        other => Some(other),
    });
    each.collect()
}

fn emptied(observations: Vec<Observation>, polled_utc: Timestamp) -> Vec<Observation> {
    let each = observations.into_iter().filter_map(|observation| match observation {
        Observation::Warnings(_) => {
            let updated_utc = Some(polled_utc);
            Some(Observation::Warnings(Arc::new(WarningSnapshot { updated_utc, ..WarningSnapshot::default() })))
        }
        Observation::StormReports(held) => {
            let mut read = (*held).clone();
            read.reports.clear();
            Some(Observation::StormReports(Arc::new(read)))
        }
        _ => None,
    });
    each.collect()
}

fn in_part(observations: Vec<Observation>) -> Vec<Observation> {
    let each = observations.into_iter().enumerate().filter_map(|(number, observation)| match observation {
        Observation::Warnings(held) => {
            let mut read = (*held).clone();
            read.unread = 1;
            read.warnings.truncate(read.warnings.len() / 2);
            Some(Observation::Warnings(Arc::new(read)))
        }
        Observation::StormReports(held) => {
            let mut read = (*held).clone();
            read.unread = 2;
            read.reports.clear();
            Some(Observation::StormReports(Arc::new(read)))
        }
        Observation::Outlooks(held) => {
            let mut read = (*held).clone();
            for set in read.days.values_mut().flat_map(|day| &mut day.sets) {
                let set = Arc::make_mut(set);
                set.categorical_unread = 1;
                set.categorical = Some(Vec::new());
                for hazard in &mut set.hazards {
                    hazard.probability = Layer::Missing("404".into());
                }
            }
            Some(Observation::Outlooks(Arc::new(read)))
        }
        other => (number % 2 == 0).then_some(other),
    });
    each.collect()
}

/// Whether a source is asked at this minute.
pub fn is_asked(source: &SourceName, minute: i64) -> bool {
    let period = if *source == SPC_OUTLOOKS || *source == RAP_PROFILES { 5 } else { 1 };
    debug_assert!(*source != GOES_GLM || period == 1);
    minute % period == 0
}
