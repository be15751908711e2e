//! From the answers of one day's files to one consistent set, or the reason why there is none. Pure.

use super::layers::{File, Role};
use crate::decode::spc::OutlookLayer;
use crate::observation::Fault;
use crate::outlook::{HazardAreas, HazardOutlook, Layer, OutlookSet};
use crate::outside::OutsideError;
use jiff::{SignedDuration, Timestamp};

/// Layers are replaced within minutes of each other: what disagrees for longer is not being replaced.
const UNSETTLED_MAX: SignedDuration = SignedDuration::from_mins(30);

/// What one file answered.
#[derive(Debug)]
pub(super) enum Answer {
    /// A readable layer.
    Layer(Box<OutlookLayer>),
    /// Something that is no layer.
    Unreadable(String),
    /// Nothing.
    Failed(OutsideError),
}

impl Answer {
    /// What is wrong with it, for the report.
    pub(super) fn faults(&self, url: &str, into: &mut Vec<Fault>) {
        let fault = |what: String, place: String| Fault { what, place, kept_rest: true };
        match self {
            Self::Layer(layer) => {
                let told = layer.faults.iter();
                into.extend(told.map(|told| fault(told.what.clone(), format!("{url} {}", told.place))));
            }
            Self::Unreadable(why) => into.push(fault(why.clone(), url.to_owned())),
            Self::Failed(error) => into.push(fault(error.to_string(), url.to_owned())),
        }
    }
}

/// What is held of the day already.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held<'a> {
    /// The set that speaks now.
    pub speaking: Option<&'a OutlookSet>,
    /// The newest set, which may not be valid yet.
    pub newest: Option<&'a OutlookSet>,
    /// Since when the day's layers have disagreed.
    pub unsettled_since: Option<Timestamp>,
}

/// What became of the answers.
#[derive(Debug)]
pub(super) enum Settled {
    /// A set, whole or with layers that are known to be missing.
    Set(Box<OutlookSet>),
    /// The layers are being replaced: what is held stands, and they are looked at again soon.
    Unsettled(String),
    /// The layer that decides on the issue tells nothing: what is held stands.
    Unusable(String),
}

/// Judges the answers of one day; the first is the layer that decides on the issue.
pub(super) fn settle(day: u8, answers: &[&(File, Answer)], held: Held<'_>, url: &str, now: Timestamp) -> Settled {
    let leading = match answers.first() {
        Some((_, Answer::Layer(layer))) => layer,
        Some((_, Answer::Unreadable(why))) => return Settled::Unusable(why.clone()),
        Some((_, Answer::Failed(error))) => return Settled::Unusable(error.to_string()),
        None => return Settled::Unusable("no layer was asked for".to_owned()),
    };
    let (Some(valid_utc), Some(expire_utc)) = (leading.valid_utc, leading.expire_utc) else {
        // An empty collection, or times that cannot be read: no outlook is known, which is not no risk.
        return Settled::Unusable("the layer does not tell VALID and EXPIRE: no outlook is known from it".to_owned());
    };
    if expire_utc <= now || expire_utc <= valid_utc {
        return Settled::Unusable(format!("the layer is of {valid_utc} and ended at {expire_utc}: not replaced since"));
    }
    if day > 1 && valid_utc <= now {
        return Settled::Unusable(format!("the layer's own day began at {valid_utc}: not replaced since"));
    }
    let is_categorical = matches!(answers.first(), Some((File { role: Role::Categorical, .. }, _)));
    let mut set = OutlookSet {
        day,
        valid_utc,
        expire_utc,
        issue_utc: leading.issue_utc,
        forecaster: leading.forecaster.clone(),
        categorical: is_categorical.then(|| leading.categories.clone()),
        categorical_unread: if is_categorical { leading.areas.unread } else { 0 },
        hazards: Vec::new(),
        url: url.to_owned(),
        read_utc: now,
    };
    let same = held.newest.filter(|newest| newest.is_same_issue(&set));
    set.read_utc = same.map_or(now, |same| same.read_utc);
    let areas = |set: &OutlookSet| set.categorical.as_ref().map_or(0, Vec::len);
    if same.is_some_and(|same| areas(same) > 0 && areas(&set) == 0) {
        return Settled::Unusable("the same issue had areas before, and is emptied without a new one".to_owned());
    }
    let mut unsettled = Vec::new();
    for (file, _) in answers {
        let Role::Probability(hazard) = file.role else { continue };
        let mut look = |role: Role, pick: fn(&HazardOutlook) -> &Layer<HazardAreas>| {
            let Some((file, answer)) = answers.iter().find(|(file, _)| file.role == role) else {
                return Layer::NotIssued;
            };
            let of = |set: Option<&OutlookSet>| {
                let outlook = set?.hazards.iter().find(|outlook| outlook.hazard == hazard);
                outlook.map(pick).filter(|layer| layer.known().is_some()).cloned()
            };
            match judged(answer, valid_utc) {
                // An issue does not change without a new one: emptied, it is a placeholder put in its place.
                Layer::Known(areas) if areas.is_empty() => match of(same) {
                    Some(Layer::Known(before)) if !before.is_empty() => Layer::Known(before),
                    _ => Layer::Known(areas),
                },
                known @ (Layer::Known(_) | Layer::NotIssued) => known,
                // The same issue read it before: what fails now is the reading.
                Layer::Missing(why) => of(same).unwrap_or_else(|| {
                    if of(held.speaking).is_some() {
                        unsettled.push(format!("{}: {why}", file.path));
                    }
                    Layer::Missing(why)
                }),
                Layer::Stale { valid_utc: own } => {
                    // One that has ended is a relic: it is not waited for.
                    let is_over =
                        matches!(answer, Answer::Layer(layer) if layer.expire_utc.is_none_or(|end| end <= now));
                    if !is_over && of(held.speaking).is_some() {
                        unsettled.push(format!("{} is of {own}", file.path));
                    }
                    Layer::Stale { valid_utc: own }
                }
            }
        };
        let probability = look(Role::Probability(hazard), |outlook| &outlook.probability);
        let intensity = look(Role::Intensity(hazard), |outlook| &outlook.intensity);
        set.hazards.push(HazardOutlook { hazard, probability, intensity });
    }
    let mut expected = set.hazards.iter().filter_map(|outlook| outlook.probability.known());
    if is_categorical && areas(&set) == 0 && expected.any(|areas| !areas.probabilities.is_empty()) {
        return Settled::Unusable(
            "no category anywhere, and yet probabilities: the categorical layer is emptied".to_owned(),
        );
    }
    let waited_long = held.unsettled_since.is_some_and(|since| now.duration_since(since) >= UNSETTLED_MAX);
    if !unsettled.is_empty() && !waited_long {
        return Settled::Unsettled(format!("layers are being replaced (VALID {valid_utc}): {}", unsettled.join("; ")));
    }
    Settled::Set(Box::new(set))
}

/// A layer held against the issue it should be of.
fn judged(answer: &Answer, valid_utc: Timestamp) -> Layer<HazardAreas> {
    match answer {
        Answer::Layer(layer) => match layer.valid_utc {
            Some(own) if own == valid_utc => Layer::Known(layer.areas.clone()),
            Some(own) => Layer::Stale { valid_utc: own },
            None => Layer::Missing("the layer does not tell of which issue it is".to_owned()),
        },
        Answer::Unreadable(why) => Layer::Missing(why.clone()),
        Answer::Failed(error) => Layer::Missing(error.to_string()),
    }
}
