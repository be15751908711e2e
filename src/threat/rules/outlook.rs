//! Rules over SPC's outlook for today.

use super::{Finding, Mode};
use crate::outlook::{Category, Gap, Hazard, HazardAtPoint};
use crate::threat::evidence::{Evidence, OutlookSeen};
use crate::threat::hazards::HazardKind::{self, DamagingWind, Hail, Tornado};
use crate::threat::{Level, Reason};
use jiff::Timestamp;

/// Tornado probability that is a rule of its own, percent.
const TORNADO_PCT: f64 = 10.0;
/// Tornado probability that is significant while storms are active, percent.
const TORNADO_PCT_ACTIVE: f64 = 15.0;
/// Score of any conditional intensity, and of the old hatching.
const INTENSITY_SCORE: f64 = 10.0;

pub(super) fn judge(evidence: &Evidence, active: bool, now: Timestamp, mode: Mode) -> Vec<Finding> {
    let Some(seen) = evidence.outlook.seen.as_deref() else { return Vec::new() };
    let category = seen.at.categorical.and_then(|category| by_category(category, active).map(|said| (category, said)));
    let by_category = category.map(|(category, (rule, level))| Finding {
        reason: reason(seen, rule, "category", level, category_text(seen, category, active), now),
        scores: Vec::new(),
    });
    let hazards = seen.at.hazards.iter().flat_map(|hazard| by_hazard(seen, hazard, active, now, mode));
    by_category.into_iter().chain(hazards).collect()
}

fn by_category(category: Category, active: bool) -> Option<(&'static str, Level)> {
    Some(match (category, active) {
        (Category::High, _) => ("spc_high", Level::Significant),
        (Category::Mdt, true) => ("spc_moderate_active", Level::Significant),
        (Category::Mdt, false) => ("spc_moderate", Level::Elevated),
        (Category::Enh, _) => ("spc_enhanced", Level::Elevated),
        (Category::Slgt, true) => ("spc_slight_active", Level::Elevated),
        (Category::Slgt, false) => ("spc_slight", Level::Marginal),
        (Category::Mrgl, _) => ("spc_marginal", Level::Marginal),
        (Category::Tstm, _) => return None,
    })
}

fn category_text(seen: &OutlookSeen, category: Category, active: bool) -> String {
    let spoken: Vec<String> = seen
        .at
        .hazards
        .iter()
        .filter_map(|at| Some(format!("{} {} %", at.hazard.id().replace('_', " "), at.probability_pct?)))
        .collect();
    let within = if spoken.is_empty() { String::new() } else { format!(" ({} within 25 mi)", spoken.join(", ")) };
    let storms = if active { ", storms active nearby" } else { "" };
    let category_words = category.description();
    format!("SPC outlook for today: {category_words}{within}{storms}, until {:.0}", seen.expire_utc)
}

/// Up to two findings: the tornado probability as a rule, and the scores of the hazard.
fn by_hazard(seen: &OutlookSeen, at: &HazardAtPoint, active: bool, now: Timestamp, mode: Mode) -> Vec<Finding> {
    let Some((kind, share)) = scored(at.hazard) else { return Vec::new() };
    let pct = at.probability_pct.map_or(0.0, f64::from);
    let intense = at.significant || at.conditional_intensity.is_some();
    let score = pct * share + if intense { INTENSITY_SCORE } else { 0.0 };
    let tornado = at.hazard == Hazard::Tornado && pct >= mode.threshold(TORNADO_PCT);
    if !tornado && score == 0.0 {
        return Vec::new();
    }
    let (rule, level) = match tornado {
        false => ("spc_probability", Level::None),
        true if active && pct >= mode.threshold(TORNADO_PCT_ACTIVE) => ("spc_tornado_15pct_active", Level::Significant),
        true => ("spc_tornado_10pct", Level::Elevated),
    };
    let intensity = at.conditional_intensity.map(|group| format!(", conditional intensity {}", group.label()));
    let hatched = at.significant.then(|| ", significant severe possible".to_owned());
    let text = format!(
        "SPC outlook for today: {} probability {pct:.0} % within 25 mi{}, until {:.0}",
        at.hazard.id().replace('_', " "),
        intensity.or(hatched).unwrap_or_default(),
        seen.expire_utc
    );
    vec![Finding { reason: reason(seen, rule, at.hazard.id(), level, text, now), scores: vec![(kind, score)] }]
}

/// Which hazard a probability scores for, and how much a percent counts.
fn scored(hazard: Hazard) -> Option<(HazardKind, f64)> {
    match hazard {
        Hazard::Tornado => Some((Tornado, 2.0)),
        Hazard::Hail => Some((Hail, 1.0)),
        Hazard::Wind => Some((DamagingWind, 1.0)),
        Hazard::TotalSevere => None,
    }
}

fn reason(seen: &OutlookSeen, rule: &str, subject: &str, level: Level, text: String, now: Timestamp) -> Reason {
    Reason {
        rule: rule.to_owned(),
        subject: format!("spc-day1-{subject}"),
        level,
        text,
        source: match subject {
            "category" => Gap::Categorical.id(),
            hazard => format!("spc-{hazard}"),
        },
        evidence_id: seen.url.clone(),
        observed_utc: seen.issued_utc,
        age_s: seen.issued_utc.duration_until(now).as_secs(),
        distance_km: None,
        direction: None,
        until_utc: Some(seen.expire_utc),
        already_in_effect: false,
    }
}
