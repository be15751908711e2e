//! Hazards ranked by the sum of what the rules found (severe.md section 7, "Hazard words by score").

use crate::threat::Hazard;
use crate::threat::rules::Finding;

/// The hazards that are scored, in the order that settles ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HazardKind {
    /// Tornado.
    Tornado,
    /// Large hail.
    Hail,
    /// Damaging thunderstorm wind.
    DamagingWind,
    /// Flash flood.
    FlashFlood,
}

impl HazardKind {
    const ALL: [Self; 4] = [Self::Tornado, Self::Hail, Self::DamagingWind, Self::FlashFlood];

    fn as_str(self) -> &'static str {
        match self {
            Self::Tornado => "tornado",
            Self::Hail => "hail",
            Self::DamagingWind => "damaging_wind",
            Self::FlashFlood => "flash_flood",
        }
    }
}

/// All four hazards, highest score first.
pub(super) fn rank(findings: &[Finding]) -> Vec<Hazard> {
    let mut ranked: Vec<Hazard> = HazardKind::ALL
        .into_iter()
        .map(|kind| {
            let all = findings.iter().flat_map(|finding| &finding.scores);
            let score: f64 = all.filter(|(of, _)| *of == kind).map(|(_, score)| score).sum();
            Hazard {
                hazard: kind.as_str().to_owned(),
                level: word(score).to_owned(),
                score: score.round_ties_even() as i64,
            }
        })
        .collect();
    ranked.sort_by_key(|hazard| std::cmp::Reverse(hazard.score));
    ranked
}

fn word(score: f64) -> &'static str {
    match score {
        score if score >= 80.0 => "extreme",
        score if score >= 50.0 => "high",
        score if score >= 25.0 => "moderate",
        score if score >= 10.0 => "low",
        _ => "none",
    }
}
