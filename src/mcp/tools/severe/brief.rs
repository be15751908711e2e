//! get_threat_brief: the judgement for a point with what it rests on, what cannot be seen said first.

mod summaries;

pub use summaries::{EnvironmentSummary, LightningSummary, OutlookSummary, WarningsSummary};

use super::warnings::{RADIUS_KM_DEFAULT, active_warnings};
use super::{
    WARNING_IDS, WarningsSight, ZONES_ID, lightning, mrms_severe, point_environment, spc_outlook, unknown_since,
};
use crate::geo::LatLon;
use crate::mcp::envelope::{Envelope, Point, utc};
use crate::mcp::judgement::{AttentionWindow, Judgement, StormSignature};
use crate::observation::SourceName;
use crate::threat::picture::Picture;
use crate::threat::{Assessment, BlindSpot, Hazard, Level, Reason};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// Reasons told in `threat_logic`.
const LOGIC_MAX: usize = 6;

/// `data` of get_threat_brief.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ThreatBrief {
    /// The asked point.
    pub point: Point,
    /// The instant it speaks of, UTC.
    pub at_utc: String,
    /// What the visible evidence supports; may be higher where `blind_spots` say so.
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub threat_level: String,
    /// Why, highest level first, at most six.
    pub threat_logic: Vec<String>,
    /// Hazards, highest score first.
    pub hazards_ranked: Vec<HazardRank>,
    /// Lightning within 40 km in 15 min; null when unknown.
    pub lightning_summary: Option<LightningSummary>,
    /// Warnings within 40 km; null when unknown.
    pub warnings_summary: Option<WarningsSummary>,
    /// SPC outlook for today; null when unknown.
    pub outlook_summary: Option<OutlookSummary>,
    /// Environment at the nearest grid point; null when unknown.
    pub environment_summary: Option<EnvironmentSummary>,
    /// The nearest radar cell that qualifies as a storm; null when there is none.
    pub nearest_storm_signature: Option<StormSignature>,
    /// When to look out.
    pub attention_window: AttentionWindow,
    /// Evidence that is missing or too old, and how high the level could be with it.
    pub blind_spots: Vec<BlindSpotFact>,
}

/// One hazard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HazardRank {
    /// tornado, hail, damaging_wind or flash_flood.
    pub hazard: String,
    /// none, low, moderate, high or extreme.
    pub level: String,
    /// Sum of the rules' scores.
    pub score: i64,
}

/// Evidence that is missing or too old.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BlindSpotFact {
    /// Which evidence.
    pub source: String,
    /// Since when it cannot be seen, UTC; null when it was never heard.
    pub since_utc: Option<String>,
    /// Why.
    pub why: String,
    /// The level that would be read with this evidence at its worst.
    #[schemars(extend("enum" = ["none", "marginal", "elevated", "significant", "extreme"]))]
    pub could_raise_to: String,
}

impl From<&BlindSpot> for BlindSpotFact {
    fn from(spot: &BlindSpot) -> Self {
        Self {
            source: spot.source.clone(),
            since_utc: spot.since_utc.map(utc),
            why: spot.why.clone(),
            could_raise_to: spot.could_raise_to.as_str().into(),
        }
    }
}

impl From<&Hazard> for HazardRank {
    fn from(hazard: &Hazard) -> Self {
        Self { hazard: hazard.hazard.clone(), level: hazard.level.clone(), score: hazard.score }
    }
}

/// The brief for `place` as of `now`, from a judgement of the same picture.
pub fn threat_brief(picture: &Picture, place: LatLon, judgement: &Judgement, now: Timestamp) -> Envelope<ThreatBrief> {
    let assessment = &judgement.assessment;
    let warnings = active_warnings(picture, place, RADIUS_KM_DEFAULT, now);
    let radar = mrms_severe(picture, place, super::mrms::RADIUS_KM_DEFAULT, now);
    let mut degraded = warnings.degraded;
    degraded.extend(radar.degraded);
    degraded.extend(assessment.blind_spots.iter().flat_map(|spot| degraded_ids(&spot.source)));
    let outlook = spc_outlook(picture, place, 1, now);
    let flashes =
        lightning(picture, place, super::lightning::RADIUS_KM_DEFAULT, super::lightning::MINUTES_DEFAULT, now);
    let air = point_environment(picture, place, now);
    degraded.extend([&outlook.degraded, &flashes.degraded, &air.degraded].into_iter().flatten().cloned());
    let sight = WarningsSight::of(picture, now);
    let data = ThreatBrief {
        point: place.into(),
        at_utc: utc(now),
        threat_level: assessment.level.as_str().into(),
        threat_logic: logic(assessment, sight, now),
        hazards_ranked: assessment.hazards.iter().map(HazardRank::from).collect(),
        lightning_summary: summaries::lightning(&flashes.data),
        warnings_summary: summaries::warnings(&warnings.data, sight),
        outlook_summary: summaries::outlook(&outlook.data),
        environment_summary: summaries::environment(&air.data),
        nearest_storm_signature: judgement.signature.clone(),
        attention_window: judgement.window.clone(),
        blind_spots: assessment.blind_spots.iter().map(BlindSpotFact::from).collect(),
    };
    let mut interpretation = interpret(judgement, sight, now);
    if !picture.off.is_empty() {
        let off: Vec<&str> = picture.off.iter().map(SourceName::as_str).collect();
        interpretation.push_str(&format!(" Judged without {} (switched off here).", off.join(", ")));
    }
    Envelope::new(data, interpretation, degraded)
}

/// The ids under which a blind spot stands in `degraded`.
pub fn degraded_ids(source: &str) -> Vec<String> {
    match source {
        "nws-warnings" => WARNING_IDS.map(String::from).to_vec(),
        "nws-zones" => vec![ZONES_ID.into()],
        other => vec![other.into()],
    }
}

fn logic(assessment: &Assessment, sight: WarningsSight, now: Timestamp) -> Vec<String> {
    if !assessment.reasons.is_empty() {
        return assessment.reasons.iter().take(LOGIC_MAX).map(|reason| reason.text.clone()).collect();
    }
    let line = if sight.is_blind() {
        format!("No rule speaks on the evidence that can be seen; warnings are {}.", sight.in_words(now))
    } else if hiding(assessment.level, &assessment.blind_spots).next().is_some() {
        "No rule speaks on the evidence that can be seen; some evidence is missing.".into()
    } else {
        "No warning, watch or radar signal in or near the point supports a level.".into()
    };
    vec![line]
}

/// Blind spots that could raise the level above what it reads.
fn hiding(level: Level, blind_spots: &[BlindSpot]) -> impl Iterator<Item = &BlindSpot> {
    blind_spots.iter().filter(move |spot| spot.could_raise_to > level)
}

/// The first sentence: what the level is at least, and what could raise it.
pub fn level_in_words(level: Level, blind_spots: &[BlindSpot], now: Timestamp) -> String {
    let hidden: Vec<String> = hiding(level, blind_spots).map(|spot| spot_in_words(spot, now)).collect();
    if hidden.is_empty() {
        return format!("Threat level: {level}.");
    }
    let highest = hiding(level, blind_spots).map(|spot| spot.could_raise_to).max().unwrap_or(level);
    format!("At least {level}; {}. It could be as high as {highest}: this is not an all-clear.", grouped(hidden))
}

/// Repeats among radar products told once.
fn grouped(mut spots: Vec<String>) -> String {
    spots.sort_by_key(|words| !words.starts_with("warnings"));
    spots.dedup();
    spots.join("; ")
}

fn spot_in_words(spot: &BlindSpot, now: Timestamp) -> String {
    let name = match spot.source.as_str() {
        "nws-warnings" => "warnings".to_owned(),
        "nws-zones" => "zone-based watches and warnings".to_owned(),
        "spc-categorical" => "the SPC outlook".to_owned(),
        "rap-environment" => "the storm environment".to_owned(),
        "iem-lsr" => "storm reports".to_owned(),
        "goes-glm" => "lightning".to_owned(),
        other => match other.strip_prefix("mrms-") {
            Some(product) => format!("radar {}", product.replace('_', " ")),
            None => other.to_owned(),
        },
    };
    format!("{name} {}", unknown_since(spot.since_utc, now))
}

fn interpret(judgement: &Judgement, sight: WarningsSight, now: Timestamp) -> String {
    let assessment = &judgement.assessment;
    let mut sentences = vec![level_in_words(assessment.level, &assessment.blind_spots, now)];
    let warnings_told = hiding(assessment.level, &assessment.blind_spots).any(|spot| spot.source == "nws-warnings");
    if sight.is_blind() && !warnings_told {
        // The level may be at its highest already; the reader must still know that warnings are not being seen.
        sentences.push(format!("Warnings are {}: no all-clear can be given.", sight.in_words(now)));
    }
    let top: Vec<&Reason> = assessment.reasons.iter().filter(|reason| reason.level == assessment.level).collect();
    match top.first() {
        Some(reason) => sentences.push(ended(&reason.text)),
        None if assessment.level == Level::None && assessment.blind_spots.is_empty() && !sight.is_blind() => {
            sentences.push("Nothing in the warnings and radar evidence supports a level at this point.".into());
        }
        None => {}
    }
    if let Some(hazard) = assessment.hazards.first().filter(|hazard| hazard.score > 0) {
        sentences.push(format!("Leading hazard: {} ({}).", hazard.hazard.replace('_', " "), hazard.level));
    }
    if let Some(signature) = &judgement.signature {
        sentences.push(format!(
            "Nearest storm signature: {} {}, {} km {}.",
            signature.signature, signature.value, signature.distance_km, signature.direction
        ));
    }
    if judgement.window.window != "none" {
        let until = judgement.window.until_utc.as_ref().map_or_else(String::new, |until| format!(" until {until}"));
        sentences.push(format!("Attention: {}{until}.", judgement.window.window));
    }
    sentences.join(" ")
}

/// `text` as a sentence: a capital first, a full stop last.
fn ended(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let stop = if text.ends_with(['.', '!']) { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}

#[cfg(test)]
mod tests;
