//! get_spc_outlook: what the Storm Prediction Center expects at a point on one day.

use super::unknown_since;
use crate::geo::LatLon;
use crate::mcp::envelope::{Envelope, Point, clock_time, utc};
use crate::outlook::{
    CATEGORICAL_DAY_MAX, Category, ConvectiveWatch, Discussion, Gap, Hazard, HazardAtPoint, Intensity, Nothing,
    OutlookAtPoint, OutlookSet,
};
use crate::threat::later;
use crate::threat::picture::Picture;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

/// The day when none is asked for.
pub const DAY_DEFAULT: u8 = 1;
/// How long discussions and watches may speak after they were read: they come with every poll, two minutes apart.
pub const MESOSCALE_USABLE_FOR: SignedDuration = SignedDuration::from_mins(15);
/// Listed as degraded while mesoscale discussions are not known.
pub const DISCUSSIONS_ID: &str = "spc-mesoscale-discussions";
/// Listed as degraded while outlines of watches are not known.
pub const WATCHES_ID: &str = "spc-watches";

/// `data` of get_spc_outlook.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SpcOutlook {
    /// The asked point.
    pub point: Point,
    /// The asked day: 1 is today.
    pub day: u8,
    /// From when the outlook speaks, as SPC writes it (YYYYMMDDHHMM, UTC); null when no outlook is known.
    pub valid_utc: Option<String>,
    /// Until when, likewise.
    pub expire_utc: Option<String>,
    /// When it was issued, likewise.
    pub issue_utc: Option<String>,
    /// From when the outlook speaks, ISO 8601 UTC.
    pub valid_iso: Option<String>,
    /// Until when, ISO 8601 UTC.
    pub expire_iso: Option<String>,
    /// When it was issued, ISO 8601 UTC.
    pub issue_iso: Option<String>,
    /// The category at the point; null outside all areas, and when it is not known (see degraded).
    pub categorical: Option<Categorical>,
    /// What is expected of each hazard.
    pub probabilities: Probabilities,
    /// Who drew the outlook.
    pub forecaster: Option<String>,
    /// The last poll that found the outlook readable, ISO 8601 UTC.
    pub confirmed_utc: Option<String>,
    /// Mesoscale discussions in effect at the point, for day 1; null when not known or not asked for.
    pub mesoscale_discussions: Option<Vec<DiscussionAtPoint>>,
    /// Watches whose outline holds the point, for day 1; null when not known or not asked for.
    pub watch_outlines: Option<Vec<WatchAtPoint>>,
}

/// A category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Categorical {
    /// SPC's number: 2 TSTM, 3 MRGL, 4 SLGT, 5 ENH, 6 MDT, 8 HIGH.
    pub dn: u8,
    /// SPC's label.
    pub label: String,
    /// In words.
    pub description: String,
}

/// Probabilities by hazard; a hazard that SPC does not forecast for that day has no key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Probabilities {
    /// Days 1 and 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tornado: Option<HazardProbability>,
    /// Days 1 and 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wind: Option<HazardProbability>,
    /// Days 1 and 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hail: Option<HazardProbability>,
    /// Day 3 and later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_severe: Option<HazardProbability>,
}

/// What is expected of one hazard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HazardProbability {
    /// Probability within 25 miles, percent; null when below the lowest contour or not known.
    pub probability_pct: Option<u8>,
    /// `CIG1` to `CIG3`: how intense it may be where it occurs.
    pub conditional_intensity: Option<String>,
    /// Whether the point lies in the hatching of outlooks before March 2026.
    pub significant: bool,
    /// Whether the layer is known: false makes a null above mean unknown.
    pub known: bool,
}

/// A mesoscale discussion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiscussionAtPoint {
    /// Its number.
    pub number: u32,
    /// When it was issued.
    pub issue_utc: String,
    /// When it ends.
    pub expire_utc: String,
    /// What it is about.
    pub concerning: Option<String>,
    /// How likely a watch is, percent.
    pub watch_probability_pct: Option<u8>,
}

/// A convective watch by its outline.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchAtPoint {
    /// Its number.
    pub number: u32,
    /// Tornado Watch or Severe Thunderstorm Watch.
    pub event: String,
    /// Whether it is a particularly dangerous situation; null when not told.
    pub is_pds: Option<bool>,
    /// When it was issued.
    pub issue_utc: String,
    /// When it ends.
    pub expire_utc: String,
    /// Largest hail expected, inches.
    pub max_hail_in: Option<f64>,
    /// Strongest gust expected, knots.
    pub max_wind_gust_kt: Option<f64>,
}

/// What SPC expects at `place` on `day` (1 to 8), as of `now`.
pub fn spc_outlook(picture: &Picture, place: LatLon, day: u8, now: Timestamp) -> Envelope<SpcOutlook> {
    let set = picture.outlooks.speaking(day, now).map(AsRef::as_ref);
    let here = set.map(|set| set.at(place));
    let mut degraded =
        set.map_or_else(|| ids_without_outlook(day), |set| set.gaps().into_iter().map(Gap::id).collect());
    let today = day == 1;
    let fresh = |read: Timestamp| now < later(read, MESOSCALE_USABLE_FOR);
    let discussions = picture.discussions.as_ref().filter(|held| today && fresh(held.read_utc));
    let watches = picture.watches.as_ref().filter(|held| today && fresh(held.read_utc));
    // Where one could not be read, the list may lack it.
    if today && discussions.is_none_or(|held| held.unread > 0) {
        degraded.push(DISCUSSIONS_ID.to_owned());
    }
    if today && watches.is_none_or(|held| held.unread > 0) {
        degraded.push(WATCHES_ID.to_owned());
    }
    let data = SpcOutlook {
        point: place.into(),
        day,
        valid_utc: set.map(|set| digits(set.valid_utc)),
        expire_utc: set.map(|set| digits(set.expire_utc)),
        issue_utc: set.and_then(|set| set.issue_utc).map(digits),
        valid_iso: set.map(|set| utc(set.valid_utc)),
        expire_iso: set.map(|set| utc(set.expire_utc)),
        issue_iso: set.and_then(|set| set.issue_utc).map(utc),
        categorical: here.as_ref().and_then(|here| here.categorical).map(|category| Categorical {
            dn: category.dn(),
            label: category.label().into(),
            description: category.description().into(),
        }),
        probabilities: probabilities(day, here.as_ref()),
        forecaster: set.and_then(|set| set.forecaster.clone()),
        confirmed_utc: picture.outlooks.confirmed_utc(day).map(utc),
        mesoscale_discussions: discussions.map(|held| held.at(place, now).map(discussion).collect()),
        watch_outlines: watches.map(|held| held.at(place, now).map(watch).collect()),
    };
    let mut sentences = match (set, &here) {
        (Some(set), Some(here)) => interpret(set, here, now),
        _ => vec![unknown(picture, day, now)],
    };
    sentences.extend(data.watch_outlines.iter().flatten().map(|held| {
        let pds = if held.is_pds == Some(true) { " (particularly dangerous situation)" } else { "" };
        format!("{} {}{pds} covers the point until {}.", held.event, held.number, held.expire_utc)
    }));
    sentences.extend(data.mesoscale_discussions.iter().flatten().map(|held| {
        let about = held.concerning.as_deref().map_or_else(String::new, |about| format!(": {about}"));
        format!("Mesoscale discussion {} covers the point until {}{about}.", held.number, held.expire_utc)
    }));
    Envelope::new(data, sentences.join(" "), degraded)
}

/// Without an outlook the hazards are not looked at either.
fn ids_without_outlook(day: u8) -> Vec<String> {
    let unverified = Hazard::of_day(day).iter().map(|hazard| format!("spc-{}-unverified", hazard.id()));
    let categorical = (day <= CATEGORICAL_DAY_MAX).then(|| Gap::Categorical.id());
    categorical.into_iter().chain(unverified).collect()
}

/// SPC's twelve digits.
fn digits(at: Timestamp) -> String {
    at.strftime("%Y%m%d%H%M").to_string()
}

fn probabilities(day: u8, here: Option<&OutlookAtPoint>) -> Probabilities {
    let of = |hazard| {
        Hazard::of_day(day).contains(&hazard).then(|| match here.and_then(|here| here.hazard(hazard)) {
            Some(at) => HazardProbability {
                probability_pct: at.probability_pct,
                conditional_intensity: at.conditional_intensity.map(|group| group.label().to_owned()),
                significant: at.significant,
                known: at.is_known,
            },
            None => HazardProbability::default(),
        })
    };
    Probabilities {
        tornado: of(Hazard::Tornado),
        wind: of(Hazard::Wind),
        hail: of(Hazard::Hail),
        total_severe: of(Hazard::TotalSevere),
    }
}

fn discussion(held: &Discussion) -> DiscussionAtPoint {
    DiscussionAtPoint {
        number: held.number,
        issue_utc: utc(held.issue_utc),
        expire_utc: utc(held.expire_utc),
        concerning: held.concerning.clone(),
        watch_probability_pct: held.watch_probability_pct,
    }
}

fn watch(held: &ConvectiveWatch) -> WatchAtPoint {
    WatchAtPoint {
        number: held.number,
        event: held.kind.name().into(),
        is_pds: held.is_pds,
        issue_utc: utc(held.issue_utc),
        expire_utc: utc(held.expire_utc),
        max_hail_in: held.max_hail_in,
        max_wind_gust_kt: held.max_wind_gust_kt,
    }
}

fn unknown(picture: &Picture, day: u8, now: Timestamp) -> String {
    let held = picture.outlooks.days.get(&day);
    let why = held.and_then(|held| held.trouble.as_deref()).map_or_else(String::new, |why| format!(" ({why})"));
    let since = unknown_since(picture.outlooks.confirmed_utc(day), now);
    format!("The SPC day {day} outlook is {since}{why}. This does not mean that there is no risk.")
}

fn interpret(set: &OutlookSet, here: &OutlookAtPoint, now: Timestamp) -> Vec<String> {
    let mut sentences = Vec::new();
    let missing: Vec<&str> = here.hazards.iter().filter(|at| !at.is_known).map(|at| name_of(at.hazard)).collect();
    if set.categorical_unread > 0 {
        sentences.push("A part of the outlook could not be read: the category may be higher than told.".to_owned());
    }
    if !missing.is_empty() {
        sentences.push(format!("Not known at present: the probability of {}.", missing.join(", ")));
    }
    let until = clock_time(set.expire_utc, now);
    match here.categorical {
        Some(category) => sentences.push(format!(
            "SPC day {}: {} ({}) at this point, until {until}.",
            set.day,
            category.description(),
            category.label()
        )),
        None if set.categorical.is_some() => {
            sentences.push(format!("SPC day {}: the point is outside of any outlook area, until {until}.", set.day));
        }
        None => {}
    }
    let told: Vec<String> = here.hazards.iter().filter_map(probability_in_words).collect();
    if !told.is_empty() {
        sentences.push(format!("Within 25 miles: {}.", told.join(", ")));
    }
    if set.day > CATEGORICAL_DAY_MAX && told.is_empty() {
        let from = clock_time(set.valid_utc, now);
        sentences.push(match here.hazards.first().and_then(|at| at.nothing) {
            Some(Nothing::PredictabilityTooLow) => {
                format!(
                    "Day {} (from {from}): predictability is too low for an outlook, which is not the same as no risk.",
                    set.day
                )
            }
            Some(Nothing::PotentialTooLow) => {
                format!("Day {} (from {from}): the potential for severe thunderstorms is too low to outline.", set.day)
            }
            Some(Nothing::BelowLowest) | None => {
                format!("Day {} (from {from}): the point is outside of any area.", set.day)
            }
        });
    }
    sentences.extend(closing(here).map(str::to_owned));
    sentences
}

fn probability_in_words(at: &HazardAtPoint) -> Option<String> {
    let intensity = match (at.conditional_intensity, at.significant) {
        (Some(group), _) => format!(" (conditional intensity {})", group.label()),
        (None, true) => format!(" (significant, {})", Intensity::Sign.label()),
        (None, false) => String::new(),
    };
    match at.probability_pct {
        Some(pct) => Some(format!("{} {pct} %{intensity}", name_of(at.hazard))),
        None if !intensity.is_empty() => Some(format!("{}{intensity}", name_of(at.hazard))),
        None => None,
    }
}

fn closing(here: &OutlookAtPoint) -> Option<&'static str> {
    let tornado = here.probability_pct(Hazard::Tornado).unwrap_or(0);
    match here.categorical {
        Some(Category::Mdt | Category::High) => {
            Some("This is a rare, high-end day: have a plan, and several ways to get warnings.")
        }
        Some(Category::Enh) => Some("Organised severe storms are expected in the area."),
        _ if tornado >= 10 => Some("Organised severe storms are expected in the area."),
        Some(Category::Mrgl | Category::Slgt) => Some("Isolated to scattered severe storms are possible."),
        Some(Category::Tstm) => Some("Thunderstorms are expected, severe ones are not."),
        None => None,
    }
}

fn name_of(hazard: Hazard) -> &'static str {
    match hazard {
        Hazard::Tornado => "tornado",
        Hazard::Wind => "damaging wind",
        Hazard::Hail => "large hail",
        Hazard::TotalSevere => "any severe thunderstorm",
    }
}

#[cfg(test)]
mod tests;
