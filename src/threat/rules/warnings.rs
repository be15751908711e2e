//! Rules over NWS products.

use super::{ARRIVAL_LOOKED_AT_MIN, ARRIVAL_SOON_MIN, Finding, Mode, RADIUS_KM, TORNADO_NEAR_KM, radar, reports};
use crate::geo::{KM_PER_MILE, compass, round_1dp};
use crate::threat::evidence::Evidence;
use crate::threat::hazards::HazardKind::{self, DamagingWind, FlashFlood, Hail, Tornado};
use crate::threat::{Level, Reason};
use crate::warning::incidents::{Match, Phase, WarningSight};
use jiff::Timestamp;

/// Share of a warning's score when the place is outside its polygon (severe.md section 7).
const OUTSIDE_SHARE: f64 = 0.6;

/// The warnings among the products that rules speak about: they call for attention now (watches and advisories do not).
const WARNINGS: [&str; 7] = [
    "Tornado Warning",
    "Severe Thunderstorm Warning",
    "Flash Flood Warning",
    "Extreme Wind Warning",
    "Snow Squall Warning",
    "Dust Storm Warning",
    "Special Marine Warning",
];

/// Whether an event is one of the warnings that rules speak about.
pub fn is_warning(event: &str) -> bool {
    WARNINGS.contains(&event)
}

/// A rule's verdict on one product, before it becomes a reason.
type Verdict = (&'static str, Level, Vec<(HazardKind, f64)>);

pub(super) fn judge(evidence: &Evidence, now: Timestamp, mode: Mode) -> Vec<Finding> {
    let rotation = radar::low_level_rotation(evidence, mode).then_some(Corroboration::Rotation);
    let report = reports::tornado_reported(evidence, now, mode).then_some(Corroboration::Report);
    let seen: Vec<Corroboration> = rotation.into_iter().chain(report).collect();
    evidence
        .warnings
        .iter()
        // One that is in force and is updated with an onset ahead is not over; one that was not raises nothing.
        .filter(|sight| sight.phase == Phase::InEffect || mode == Mode::Clear)
        .flat_map(|sight| {
            let said = verdicts(sight, &seen, mode);
            said.into_iter().map(|(rule, level, scores)| Finding { reason: reason(sight, rule, level, now), scores })
        })
        .collect()
}

/// Whether its polygon is that near.
fn within(sight: &WarningSight, km: f64, mode: Mode) -> bool {
    sight.distance_km.is_some_and(|distance_km| distance_km <= mode.limit(km))
}

/// Whether the product holds the place.
fn inside(sight: &WarningSight) -> bool {
    match sight.matched {
        Match::Polygon | Match::Zone => true,
        Match::Outside => false,
    }
}

fn verdicts(sight: &WarningSight, seen: &[Corroboration], mode: Mode) -> Vec<Verdict> {
    match (sight.warning.event.as_str(), inside(sight)) {
        ("Tornado Warning", true) => mode.said(tornado_inside(sight, seen)),
        ("Tornado Warning", false) => mode.said(tornado_outside(sight, mode)),
        _ => verdict(sight, mode).into_iter().collect(),
    }
}

/// Of any product but a tornado warning.
fn verdict(sight: &WarningSight, mode: Mode) -> Option<Verdict> {
    let (inside, near) = (inside(sight), within(sight, RADIUS_KM, mode));
    match sight.warning.event.as_str() {
        "Severe Thunderstorm Warning" if inside || near => Some(severe_thunderstorm(sight, inside)),
        "Flash Flood Warning" if inside => Some(flash_flood(sight)),
        "Flash Flood Warning" if near => Some(("flash_flood_warning_near", Level::None, vec![(FlashFlood, 20.0)])),
        "Extreme Wind Warning" if inside => {
            Some(("extreme_wind_warning_inside", Level::Extreme, vec![(DamagingWind, 50.0)]))
        }
        "Snow Squall Warning" if inside => Some(("snow_squall_warning_inside", Level::Elevated, vec![])),
        "Dust Storm Warning" if inside => Some(("dust_storm_warning_inside", Level::Elevated, vec![])),
        "Special Marine Warning" if inside => Some(("special_marine_warning_inside", Level::Elevated, vec![])),
        "Tornado Watch" if inside => Some(("tornado_watch", Level::Elevated, vec![(Tornado, 15.0)])),
        "Severe Thunderstorm Watch" if inside => {
            Some(("severe_thunderstorm_watch", Level::Marginal, vec![(Hail, 8.0), (DamagingWind, 8.0)]))
        }
        "Flash Flood Watch" if inside => Some(("flash_flood_watch", Level::Marginal, vec![])),
        "Flood Watch" if inside => Some(("flood_watch", Level::Marginal, vec![])),
        _ => None,
    }
}

fn has(tag: &Option<String>, words: &[&str]) -> bool {
    tag.as_deref().is_some_and(|tag| words.iter().any(|word| tag.trim().eq_ignore_ascii_case(word)))
}

fn confirmed(sight: &WarningSight) -> bool {
    let tags = &sight.warning.tags;
    has(&tags.tornado_detection, &["OBSERVED"]) || has(&tags.tornado_damage_threat, &["CONSIDERABLE", "CATASTROPHIC"])
}

/// What else tells of a tornado around the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Corroboration {
    /// Intense low-level rotation on radar.
    Rotation,
    /// A tornado report of the last hour.
    Report,
}

fn tornado_inside(sight: &WarningSight, seen: &[Corroboration]) -> Vec<Verdict> {
    if confirmed(sight) {
        return vec![("tornado_warning_inside_confirmed", Level::Extreme, vec![(Tornado, 60.0 + 30.0)])];
    }
    let by = |corroboration: &Corroboration| match corroboration {
        Corroboration::Rotation => "tornado_warning_inside_rotation",
        Corroboration::Report => "tornado_warning_inside_report",
    };
    let corroborated = seen.iter().map(|seen| (by(seen), Level::Extreme, vec![(Tornado, 60.0 + 20.0)]));
    let alone = ("tornado_warning_inside", Level::Significant, vec![(Tornado, 60.0)]);
    corroborated.chain([alone]).collect()
}

fn tornado_outside(sight: &WarningSight, mode: Mode) -> Vec<Verdict> {
    let arrival_min = sight.approach.filter(|approach| approach.toward).map(|approach| approach.minutes);
    let arrives = |within_min| arrival_min.is_some_and(|minutes| minutes <= mode.limit(within_min));
    let could_be = [
        (arrives(ARRIVAL_SOON_MIN), "tornado_warning_arriving", Level::Significant),
        (confirmed(sight) && within(sight, TORNADO_NEAR_KM, mode), "tornado_near", Level::Significant),
        (arrives(ARRIVAL_LOOKED_AT_MIN), "tornado_warning_toward", Level::Elevated),
        (within(sight, RADIUS_KM, mode), "tornado_warning_near", Level::Elevated),
    ];
    let are = could_be.into_iter().filter(|(is, ..)| *is);
    are.map(|(_, rule, level)| (rule, level, vec![(Tornado, 35.0)])).collect()
}

fn severe_thunderstorm(sight: &WarningSight, inside: bool) -> Verdict {
    let tags = &sight.warning.tags;
    let hail = match tags.max_hail_size_in.unwrap_or(0.0) {
        inches if inches >= 1.75 => 45.0,
        inches if inches >= 1.0 => 30.0,
        _ => 10.0,
    };
    let wind = match tags.max_wind_gust_mph.unwrap_or(0.0) {
        mph if mph >= 80.0 => 50.0,
        mph if mph >= 60.0 => 30.0,
        _ => 10.0,
    };
    let share = if inside { 1.0 } else { OUTSIDE_SHARE };
    let mut scores = vec![(Hail, hail * share), (DamagingWind, wind * share)];
    if has(&tags.tornado_detection, &["POSSIBLE"]) {
        scores.push((Tornado, 15.0));
    }
    if inside && has(&tags.thunderstorm_damage_threat, &["DESTRUCTIVE"]) {
        return ("severe_thunderstorm_warning_inside_destructive", Level::Extreme, scores);
    }
    if inside && has(&tags.thunderstorm_damage_threat, &["CONSIDERABLE"]) {
        return ("severe_thunderstorm_warning_inside_considerable", Level::Significant, scores);
    }
    let rule = if inside { "severe_thunderstorm_warning_inside" } else { "severe_thunderstorm_warning_near" };
    (rule, Level::Elevated, scores)
}

fn flash_flood(sight: &WarningSight) -> Verdict {
    let scores = vec![(FlashFlood, 45.0)];
    let threat = &sight.warning.tags.flash_flood_damage_threat;
    if has(threat, &["CATASTROPHIC"]) {
        return ("flash_flood_warning_inside_catastrophic", Level::Extreme, scores);
    }
    if has(threat, &["CONSIDERABLE"]) {
        return ("flash_flood_warning_inside_considerable", Level::Significant, scores);
    }
    ("flash_flood_warning_inside", Level::Elevated, scores)
}

fn reason(sight: &WarningSight, rule: &str, level: Level, now: Timestamp) -> Reason {
    let warning = &sight.warning;
    Reason {
        rule: rule.to_owned(),
        subject: sight.key.0.clone(),
        level,
        // Words from outside: one line, nothing that moves a cursor.
        text: text(sight).replace(char::is_control, " "),
        source: crate::threat::assess::WARNINGS_ID.to_owned(),
        evidence_id: warning.id.clone(),
        observed_utc: warning.sent_utc,
        age_s: warning.sent_utc.duration_until(now).as_secs(),
        distance_km: sight.distance_km.map(round_1dp),
        direction: sight.bearing_deg.map(|bearing| compass(bearing).to_owned()),
        until_utc: sight.until_utc,
        already_in_effect: false,
    }
}

fn text(sight: &WarningSight) -> String {
    let warning = &sight.warning;
    let place = match sight.matched {
        Match::Polygon => format!("inside {}", warning.event),
        Match::Zone => format!("{} for a zone of this place", warning.event),
        Match::Outside => {
            let km = sight.distance_km.unwrap_or_default();
            let direction = sight.bearing_deg.map_or("", compass);
            format!("{} {:.1} km ({:.0} mi) {direction}", warning.event, km, km / KM_PER_MILE)
        }
    };
    let arrival =
        sight.approach.filter(|approach| approach.toward && sight.matched == Match::Outside).map(|approach| {
            format!(
                ", coming toward this place, nearest in {:.0} min at {:.0} mi",
                approach.minutes,
                approach.passes_km / KM_PER_MILE
            )
        });
    let until = sight.until_utc.map(|until| format!(", until {until:.0}"));
    let tags = tags(sight);
    let tags = if tags.is_empty() { String::new() } else { format!(" [{}]", tags.join(", ")) };
    format!("{place}{tags}{}{} ({})", arrival.unwrap_or_default(), until.unwrap_or_default(), warning.sender)
}

/// The damage tags, in the words of the product.
fn tags(sight: &WarningSight) -> Vec<String> {
    let tags = &sight.warning.tags;
    let words = [
        ("tornado", &tags.tornado_detection),
        ("tornado damage threat", &tags.tornado_damage_threat),
        ("thunderstorm damage threat", &tags.thunderstorm_damage_threat),
        ("flash flood", &tags.flash_flood_detection),
        ("flash flood damage threat", &tags.flash_flood_damage_threat),
    ];
    let mut told: Vec<String> =
        words.into_iter().filter_map(|(name, word)| word.as_ref().map(|word| format!("{name} {word}"))).collect();
    told.extend(tags.max_hail_size_in.map(|inches| format!("hail {inches:.2} in")));
    told.extend(tags.max_wind_gust_mph.map(|mph| format!("gusts {mph:.0} mph")));
    told
}
