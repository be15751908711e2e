//! Convective outlooks of the Storm Prediction Center, as areas that can be asked about a place; beside them its mesoscale
//! discussions and convective watches (`outlook::mesoscale`).
//!
//! Boundaries: ✓ one issue of one day as one consistent set, which of several sets is in force, what may be said of a place
//! and which layers are not known. ✗ no JSON (see `decode::spc`), no I/O, no clock. "No outlook is known" (no set) is never
//! the same as "no risk" (a set without an area here).

mod in_force;
mod mesoscale;

pub use in_force::{DayOutlooks, OUTLOOK_USABLE_FOR, Outlooks};
pub use mesoscale::{ConvectiveWatch, Discussion, Discussions, WatchKind, Watches};

use crate::geo::{Area, LatLon};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The last day that outlooks are issued for.
pub const DAY_MAX: u8 = 8;
/// The last day with a category; later days have probabilities alone.
pub const CATEGORICAL_DAY_MAX: u8 = 3;

/// One issue for one day, all layers of the same VALID.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlookSet {
    /// 1 (today) to 8.
    pub day: u8,
    /// VALID: from when it speaks.
    pub valid_utc: Timestamp,
    /// EXPIRE: until when, exclusive.
    pub expire_utc: Timestamp,
    /// ISSUE, where told.
    pub issue_utc: Option<Timestamp>,
    /// Who drew it.
    pub forecaster: Option<String>,
    /// Areas of the categories, nested or cut; `None` for days 4 to 8, which have none.
    pub categorical: Option<Vec<CategoryArea>>,
    /// Features of the categorical layer that could not be read: while there are any, the category may be higher than told.
    pub categorical_unread: u32,
    /// Probabilities, in the order of `Hazard::of_day`.
    pub hazards: Vec<HazardOutlook>,
    /// Where the first layer came from.
    pub url: String,
    /// When it was first read.
    pub read_utc: Timestamp,
}

/// Categories, in order of risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Category {
    /// General thunderstorms.
    Tstm,
    /// Marginal.
    Mrgl,
    /// Slight.
    Slgt,
    /// Enhanced.
    Enh,
    /// Moderate.
    Mdt,
    /// High.
    High,
}

impl Category {
    /// All, in order of risk.
    pub const ALL: [Self; 6] = [Self::Tstm, Self::Mrgl, Self::Slgt, Self::Enh, Self::Mdt, Self::High];

    /// SPC's number, DN.
    pub fn dn(self) -> u8 {
        match self {
            Self::Tstm => 2,
            Self::Mrgl => 3,
            Self::Slgt => 4,
            Self::Enh => 5,
            Self::Mdt => 6,
            Self::High => 8,
        }
    }

    /// SPC's LABEL.
    pub fn label(self) -> &'static str {
        match self {
            Self::Tstm => "TSTM",
            Self::Mrgl => "MRGL",
            Self::Slgt => "SLGT",
            Self::Enh => "ENH",
            Self::Mdt => "MDT",
            Self::High => "HIGH",
        }
    }

    /// The name of the category, for people.
    pub fn description(self) -> &'static str {
        match self {
            Self::Tstm => "General thunderstorms",
            Self::Mrgl => "Marginal risk of severe thunderstorms",
            Self::Slgt => "Slight risk of severe thunderstorms",
            Self::Enh => "Enhanced risk of severe thunderstorms",
            Self::Mdt => "Moderate risk of severe thunderstorms",
            Self::High => "High risk of severe thunderstorms",
        }
    }
}

/// Where a category holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CategoryArea {
    /// Which.
    pub category: Category,
    /// Where.
    pub area: Area,
}

/// What a probability is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Hazard {
    /// A tornado within 25 miles (days 1 and 2).
    Tornado,
    /// Wind of 58 mph or more within 25 miles (days 1 and 2).
    Wind,
    /// Hail of 1 inch or more within 25 miles (days 1 and 2).
    Hail,
    /// Any severe thunderstorm within 25 miles (day 3 and later).
    TotalSevere,
}

impl Hazard {
    /// The hazards that outlooks of `day` have probabilities for.
    pub fn of_day(day: u8) -> &'static [Self] {
        if day <= 2 { &[Self::Tornado, Self::Wind, Self::Hail] } else { &[Self::TotalSevere] }
    }

    /// `tornado`, `wind`, `hail`, `total_severe`: as tools name it.
    pub fn id(self) -> &'static str {
        match self {
            Self::Tornado => "tornado",
            Self::Wind => "wind",
            Self::Hail => "hail",
            Self::TotalSevere => "total_severe",
        }
    }
}

/// How intense a hazard may be where it occurs, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Intensity {
    /// The old hatching, until March 2026: 10 % or more of significant severe weather.
    Sign,
    /// Conditional intensity group 1.
    Cig1,
    /// Conditional intensity group 2.
    Cig2,
    /// Conditional intensity group 3.
    Cig3,
}

impl Intensity {
    /// SPC's LABEL.
    pub fn label(self) -> &'static str {
        match self {
            Self::Sign => "SIGN",
            Self::Cig1 => "CIG1",
            Self::Cig2 => "CIG2",
            Self::Cig3 => "CIG3",
        }
    }
}

/// One layer: known, or why it is not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Layer<T> {
    /// Read, and of this issue.
    Known(T),
    /// Not to be had: the reason, for a person.
    Missing(String),
    /// There, but of another issue: frozen, or not yet replaced.
    Stale {
        /// Its own VALID.
        valid_utc: Timestamp,
    },
    /// SPC issues no such layer for this day.
    NotIssued,
}

impl<T> Layer<T> {
    /// What it holds, if known.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(held) => Some(held),
            Self::Missing(_) | Self::Stale { .. } | Self::NotIssued => None,
        }
    }
}

/// The outlook of one hazard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HazardOutlook {
    /// Which.
    pub hazard: Hazard,
    /// The hazard's own layer: probabilities, and intensities where it holds them.
    pub probability: Layer<HazardAreas>,
    /// The separate layer of conditional intensities.
    pub intensity: Layer<HazardAreas>,
}

/// The areas of one hazard layer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HazardAreas {
    /// Probability within 25 miles, percent, and where it is reached.
    pub probabilities: Vec<(u8, Area)>,
    /// Intensities.
    pub intensities: Vec<(Intensity, Area)>,
    /// Areas whose label is not understood. Never read as a probability.
    pub unlabelled: Vec<(String, Area)>,
    /// Features that could not be read at all: the layer may say more than is known.
    pub unread: u32,
    /// Why there is no area, where the layer says so.
    pub nothing: Option<Nothing>,
}

impl HazardAreas {
    /// Whether it shows no area and nothing of it was unreadable.
    pub fn is_empty(&self) -> bool {
        self.probabilities.is_empty() && self.intensities.is_empty() && self.unlabelled.is_empty() && self.unread == 0
    }
}

/// What an empty layer says, the one that knows least last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Nothing {
    /// Everywhere below the lowest contour.
    BelowLowest,
    /// Days 4 to 8: the potential is too low.
    PotentialTooLow,
    /// Days 4 to 8: it cannot be told, which is not the same as low.
    PredictabilityTooLow,
}

/// A layer that an answer had to do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Gap {
    /// A part of the categorical layer.
    Categorical,
    /// A hazard's probabilities.
    Missing(Hazard),
    /// A hazard's probabilities are of another issue.
    Stale(Hazard),
    /// A hazard's conditional intensities.
    Intensity(Hazard),
}

impl Gap {
    /// The id under which tools list it as degraded.
    pub fn id(self) -> String {
        match self {
            Self::Categorical => "spc-categorical".to_owned(),
            Self::Missing(hazard) => format!("spc-{}", hazard.id()),
            Self::Stale(hazard) => format!("spc-{}-stale", hazard.id()),
            Self::Intensity(hazard) => format!("spc-{}-cig", hazard.id()),
        }
    }
}

/// What one set says of one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlookAtPoint {
    /// 1 to 8.
    pub day: u8,
    /// The highest category that holds the place; `None` outside all areas, and for days 4 to 8.
    pub categorical: Option<Category>,
    /// One entry a hazard of that day.
    pub hazards: Vec<HazardAtPoint>,
    /// Labels of areas around the place that are not understood.
    pub unlabelled: Vec<String>,
}

/// One hazard at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HazardAtPoint {
    /// Which.
    pub hazard: Hazard,
    /// Whether the layer of probabilities is known: without it `None` below means unknown, not none.
    pub is_known: bool,
    /// The highest probability that holds the place, percent.
    pub probability_pct: Option<u8>,
    /// The highest conditional intensity group.
    pub conditional_intensity: Option<Intensity>,
    /// Whether the place lies in the old hatching.
    pub significant: bool,
    /// What an empty layer says.
    pub nothing: Option<Nothing>,
}

impl OutlookAtPoint {
    /// The entry of one hazard, if that day has it.
    pub fn hazard(&self, hazard: Hazard) -> Option<&HazardAtPoint> {
        self.hazards.iter().find(|at| at.hazard == hazard)
    }

    /// The probability of one hazard, percent; `None` where it is none, unknown, or not issued for that day.
    pub fn probability_pct(&self, hazard: Hazard) -> Option<u8> {
        self.hazard(hazard)?.probability_pct
    }
}

impl OutlookSet {
    /// What is said of `place`: polygons are nested, the highest one counts, and its edge counts as inside.
    pub fn at(&self, place: LatLon) -> OutlookAtPoint {
        let categorical =
            self.categorical.iter().flatten().filter(|held| held.area.contains(place)).map(|held| held.category).max();
        let mut unlabelled = Vec::new();
        let hazards = self.hazards.iter().map(|outlook| outlook.at(place, &mut unlabelled)).collect();
        OutlookAtPoint { day: self.day, categorical, hazards, unlabelled }
    }

    /// Layers that are not known, sorted. For a day without categories the categorical layer is none of them.
    pub fn gaps(&self) -> Vec<Gap> {
        let mut gaps: Vec<Gap> = self.hazards.iter().filter_map(HazardOutlook::gap).collect();
        if self.categorical_unread > 0 {
            gaps.push(Gap::Categorical);
        }
        gaps.sort();
        gaps
    }

    /// Whether it is of the same issue as `other`.
    pub fn is_same_issue(&self, other: &Self) -> bool {
        (self.day, self.valid_utc, self.issue_utc) == (other.day, other.valid_utc, other.issue_utc)
    }
}

impl HazardOutlook {
    fn at(&self, place: LatLon, unlabelled: &mut Vec<String>) -> HazardAtPoint {
        let layers = [self.probability.known(), self.intensity.known()];
        let intensities = || layers.into_iter().flatten().flat_map(|layer| highest(&layer.intensities, place));
        for (label, _) in layers.into_iter().flatten().flat_map(|l| &l.unlabelled).filter(|(_, a)| a.contains(place)) {
            unlabelled.push(label.clone());
        }
        let own = self.probability.known();
        HazardAtPoint {
            hazard: self.hazard,
            is_known: own.is_some(),
            probability_pct: own.and_then(|layer| highest(&layer.probabilities, place).max()),
            conditional_intensity: intensities().filter(|&held| held != Intensity::Sign).max(),
            significant: intensities().any(|held| held == Intensity::Sign),
            nothing: own.and_then(|layer| layer.nothing),
        }
    }

    /// The first thing missing. The hazard's own layer may hold the intensities too: then the other one is not missed.
    fn gap(&self) -> Option<Gap> {
        match &self.probability {
            Layer::Missing(_) => return Some(Gap::Missing(self.hazard)),
            Layer::Stale { .. } => return Some(Gap::Stale(self.hazard)),
            Layer::Known(areas) if areas.unread > 0 => return Some(Gap::Missing(self.hazard)),
            Layer::Known(areas) if !areas.intensities.is_empty() => return None,
            Layer::Known(_) | Layer::NotIssued => {}
        }
        match &self.intensity {
            Layer::Missing(_) | Layer::Stale { .. } => Some(Gap::Intensity(self.hazard)),
            Layer::Known(areas) if areas.unread > 0 => Some(Gap::Intensity(self.hazard)),
            Layer::Known(_) | Layer::NotIssued => None,
        }
    }
}

/// The values of the areas that hold the place.
fn highest<T: Copy>(areas: &[(T, Area)], place: LatLon) -> impl Iterator<Item = T> {
    areas.iter().filter(move |(_, area)| area.contains(place)).map(|&(value, _)| value)
}

#[cfg(test)]
mod tests;
