//! Evidence that is missing or too old, each with the level that it could hide: what `judge` would say with that evidence at its
//! worst and all else as it is.

use crate::lightning::NearFlash;
use crate::mosaic::{Cell, Product};
use crate::outlook::{Category as OutlookCategory, Gap, Hazard, HazardAtPoint, Intensity, OutlookAtPoint};
use crate::sounding::Environment;
use crate::storm_report::Category;
use crate::threat::evidence::{EnvironmentSeen, Evidence, OutlookSeen, RadarSignal, ReportSeen, Sight};
use crate::threat::rules::{ENVIRONMENT_ID, LIGHTNING_ID, Mode, REPORTS_ID, judge, level, looked_for};
use crate::threat::{BlindSpot, Level, PointState};
use crate::warning::incidents::{Match, Phase, WarningSight};
use crate::warning::{IncidentKey, Warning};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Evidence source id of the NWS collection.
pub const WARNINGS_ID: &str = "nws-warnings";
/// Evidence source id of a place's zones.
pub const ZONES_ID: &str = "nws-zones";

/// The highest probability that SPC draws, percent.
const WORST_PCT: u8 = 60;

/// Something that may be out of sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hidden {
    Warnings,
    Zones,
    Radar(Product),
    Outlook,
    OutlookLayer(Gap),
    Environment,
    Reports,
    Lightning,
}

impl Hidden {
    fn source_id(self) -> String {
        match self {
            Self::Warnings => WARNINGS_ID.to_owned(),
            Self::Zones => ZONES_ID.to_owned(),
            Self::Radar(product) => product.source_id(),
            Self::Outlook => Gap::Categorical.id(),
            Self::OutlookLayer(gap) => gap.id(),
            Self::Environment => ENVIRONMENT_ID.to_owned(),
            Self::Reports => REPORTS_ID.to_owned(),
            Self::Lightning => LIGHTNING_ID.to_owned(),
        }
    }

    /// The level that would be read if this were at its worst and all else as it is.
    fn could_raise_to(self, evidence: &Evidence, now: Timestamp) -> Level {
        let mut worst = evidence.clone();
        match self {
            Self::Warnings => add_warning(&mut worst, Match::Polygon, now),
            // The worst product without a polygon: a tornado warning by county, as offices issue it when drawing fails.
            Self::Zones => add_warning(&mut worst, Match::Zone, now),
            Self::Radar(product) => set_signal(&mut worst, product, now),
            Self::Outlook | Self::OutlookLayer(Gap::Categorical) => {
                set_outlook(&mut worst, Hazard::of_day(1), true, now)
            }
            Self::OutlookLayer(Gap::Missing(hazard) | Gap::Stale(hazard)) => {
                set_outlook(&mut worst, &[hazard], false, now);
            }
            // How intense it would be only scores; how likely it is is known.
            Self::OutlookLayer(Gap::Intensity(_)) => {}
            Self::Environment => set_environment(&mut worst, now),
            Self::Reports => add_report(&mut worst, now),
            Self::Lightning => set_flash(&mut worst, now),
        }
        level(&judge(&worst, now, Mode::Raise))
    }
}

/// What each could mean where nothing else is seen: the answer for all but a few places, and costly to find out anew for
/// each of a hundred thousand when a feed is down.
static ALONE: LazyLock<BTreeMap<Hidden, Level>> = LazyLock::new(|| {
    let nothing = Evidence::nothing_seen();
    let all =
        [Hidden::Warnings, Hidden::Zones, Hidden::Outlook, Hidden::Environment, Hidden::Reports, Hidden::Lightning];
    let all = all.into_iter().chain(Product::ALL.map(Hidden::Radar));
    all.map(|hidden| (hidden, hidden.could_raise_to(&nothing, Timestamp::UNIX_EPOCH))).collect()
});

/// Every blind spot. `quiet` tells that no rule speaks on what is seen.
pub(super) fn find(evidence: &Evidence, quiet: bool, now: Timestamp) -> Vec<BlindSpot> {
    let spot = |(hidden, sight): (Hidden, &Sight)| {
        let Sight::Blind { since_utc, why } = sight else { return None };
        let known = if quiet { ALONE.get(&hidden).copied() } else { None };
        let could_raise_to = known.unwrap_or_else(|| hidden.could_raise_to(evidence, now));
        Some(BlindSpot { source: hidden.source_id(), since_utc: *since_utc, why: why.clone(), could_raise_to })
    };
    let mut spots: Vec<BlindSpot> = sights(evidence).filter_map(spot).collect();
    let issued = evidence.outlook.seen.as_ref().map(|seen| seen.issued_utc);
    spots.extend(evidence.outlook.gaps.iter().map(|&gap| BlindSpot {
        source: gap.id(),
        since_utc: issued,
        why: "this layer of the outlook in force is missing, or of another issue".to_owned(),
        could_raise_to: Hidden::OutlookLayer(gap).could_raise_to(evidence, now),
    }));
    spots
}

/// How well everything is seen.
fn sights(evidence: &Evidence) -> impl Iterator<Item = (Hidden, &Sight)> {
    let radar = evidence.radar.iter().map(|radar| (Hidden::Radar(radar.product), &radar.sight));
    let first = [(Hidden::Warnings, &evidence.warnings_sight), (Hidden::Zones, &evidence.zones_sight)];
    let others = [
        (Hidden::Outlook, &evidence.outlook.sight),
        (Hidden::Environment, &evidence.environment.sight),
        (Hidden::Reports, &evidence.reports.sight),
        (Hidden::Lightning, &evidence.lightning.sight),
    ];
    first.into_iter().chain(radar).chain(others)
}

/// What stands by a source that has been switched off since, or was let go unseen by it: nothing says that it is over.
pub(super) fn switched_off(evidence: &Evidence, state: &PointState) -> Vec<BlindSpot> {
    let is_of = |hidden: Hidden, source: &str| match hidden {
        Hidden::Outlook => source.starts_with("spc-"),
        _ => hidden.source_id() == source,
    };
    let is_off = |source: &str| sights(evidence).any(|(hidden, sight)| *sight == Sight::Off && is_of(hidden, source));
    let stands = state.supports.iter().map(|support| (support.reason.source.as_str(), support.reason.level));
    let let_go =
        state.episode.iter().filter(|episode| episode.awaiting_sight).flat_map(|episode| &episode.out_of_sight);
    // What was let go keeps no level: it only stays unseen.
    let let_go = let_go.map(|source| (source.as_str(), Level::None));
    let mut spots: Vec<BlindSpot> = Vec::new();
    for (source, could_raise_to) in stands.chain(let_go).filter(|(source, _)| is_off(source)) {
        match spots.iter_mut().find(|spot| spot.source == source) {
            Some(spot) => spot.could_raise_to = spot.could_raise_to.max(could_raise_to),
            None => spots.push(BlindSpot {
                source: source.to_owned(),
                since_utc: None,
                why: "switched off in the configuration while the level rested on it".to_owned(),
                could_raise_to,
            }),
        }
    }
    spots
}

fn add_warning(evidence: &mut Evidence, matched: Match, now: Timestamp) {
    let mut warning = Warning::bare("Tornado Warning", now);
    warning.tags.tornado_detection = Some("OBSERVED".to_owned());
    evidence.warnings.push(WarningSight {
        key: IncidentKey(String::new()),
        warning: Arc::new(warning),
        phase: Phase::InEffect,
        matched,
        distance_km: None,
        bearing_deg: None,
        approach: None,
        until_utc: None,
    });
}

/// Every threshold of the product reached right here.
fn set_signal(evidence: &mut Evidence, product: Product, now: Timestamp) {
    let here = |value| Cell { value, at: evidence.place, distance_km: 0.0, bearing_deg: 0.0 };
    let nearest: Vec<_> = looked_for(product).map(|value| (value, Some(here(value)))).collect();
    let peak = nearest.iter().filter_map(|(_, cell)| *cell).max_by(|a, b| a.value.total_cmp(&b.value));
    for radar in evidence.radar.iter_mut().filter(|radar| radar.product == product) {
        let nearest = nearest.clone();
        radar.signal = Some(Arc::new(RadarSignal { valid_utc: now, key: String::new(), peak, nearest }));
    }
}

/// These hazards at their most likely and most intense; with `high`, the highest category too.
fn set_outlook(evidence: &mut Evidence, hazards: &[Hazard], high: bool, now: Timestamp) {
    let nothing = || OutlookSeen {
        at: OutlookAtPoint { day: 1, categorical: None, hazards: Vec::new(), unlabelled: Vec::new() },
        issued_utc: now,
        expire_utc: now,
        url: String::new(),
    };
    let mut seen = evidence.outlook.seen.as_deref().cloned().unwrap_or_else(nothing);
    if high {
        seen.at.categorical = Some(OutlookCategory::High);
    }
    seen.at.hazards.retain(|at| !hazards.contains(&at.hazard));
    seen.at.hazards.extend(hazards.iter().map(|&hazard| HazardAtPoint {
        hazard,
        is_known: true,
        probability_pct: Some(WORST_PCT),
        conditional_intensity: Some(Intensity::Cig3),
        significant: false,
        nothing: None,
    }));
    evidence.outlook.seen = Some(Arc::new(seen));
}

fn set_environment(evidence: &mut Evidence, now: Timestamp) {
    // Beyond every threshold of the rules.
    let air = Environment {
        mucape_jkg: Some(5_000.0),
        bulk_shear_0_6km_kt: Some(80.0),
        scp: Some(40.0),
        stp_effective: Some(10.0),
        ..Environment::default()
    };
    evidence.environment.seen = Some(Arc::new(EnvironmentSeen {
        environment: air,
        model: String::new(),
        cycle_utc: now,
        valid_utc: now,
        distance_km: 0.0,
        key: String::new(),
    }));
}

fn add_report(evidence: &mut Evidence, now: Timestamp) {
    Arc::make_mut(&mut evidence.reports.near).insert(
        0,
        ReportSeen {
            category: Category::Tornado,
            event_utc: now,
            told_utc: now,
            distance_km: 0.0,
            bearing_deg: 0.0,
            where_text: String::new(),
            id: String::new(),
        },
    );
}

fn set_flash(evidence: &mut Evidence, now: Timestamp) {
    evidence.lightning.nearest = Some(NearFlash {
        distance_km: 0.0,
        bearing_deg: 0.0,
        at: evidence.place,
        centroid_distance_km: 0.0,
        first_event_utc: now,
        quality: 0,
        key: String::new(),
    });
}

#[cfg(test)]
mod tests;
