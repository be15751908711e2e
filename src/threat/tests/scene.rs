//! Evidence made up for the tests of this module: a place where everything is seen and nothing is there, and what is put on it.

use crate::geo::LatLon;
use crate::lightning::{NearFlash, Satellite};
use crate::mosaic::{Cell, Product};
use crate::outlook::{Category as OutlookCategory, Hazard, HazardAtPoint, OutlookAtPoint};
use crate::sounding::Environment;
use crate::storm_report::Category;
use crate::threat::evidence::{
    EnvironmentEvidence, EnvironmentSeen, Evidence, LightningEvidence, OutlookEvidence, OutlookSeen, RadarEvidence,
    RadarSignal, ReportSeen, ReportsEvidence, Sight,
};
use crate::threat::later;
use crate::threat::rules::{RADIUS_KM, looked_for};
use crate::warning::incidents::{Approach, Match, Phase, WarningSight};
use crate::warning::{IncidentKey, Tags, Warning};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// When the scene is looked at.
pub fn now() -> Timestamp {
    "2026-06-10T21:32:00Z".parse().unwrap()
}

/// So many minutes after `now`.
pub fn minutes(after: i64) -> Timestamp {
    later(now(), SignedDuration::from_mins(after))
}

/// Where it is looked at from.
pub fn place() -> LatLon {
    LatLon::new(40.52, -92.90).unwrap()
}

/// Everything seen, nothing there.
pub fn quiet() -> Evidence {
    let radar = Product::ALL.into_iter().map(|product| RadarEvidence { product, sight: Sight::Clear, signal: None });
    Evidence {
        place: place(),
        warnings: Vec::new(),
        warnings_sight: Sight::Clear,
        zones_sight: Sight::Clear,
        radar: radar.collect(),
        outlook: OutlookEvidence { sight: Sight::Clear, gaps: Vec::new(), seen: None },
        environment: EnvironmentEvidence { sight: Sight::Clear, seen: None },
        reports: ReportsEvidence { sight: Sight::Clear, near: Arc::default() },
        lightning: LightningEvidence { sight: Sight::Clear, nearest: None, satellite: None },
    }
}

/// Out of sight.
pub fn blind() -> Sight {
    Sight::Blind { since_utc: Some(now()), why: "gone".into() }
}

/// Tags with some set.
pub fn tags(set: impl FnOnce(&mut Tags)) -> Tags {
    let mut tags = Tags::default();
    set(&mut tags);
    tags
}

/// A product at `km` (0: inside) with tags and an approach.
pub fn product(event: &str, km: f64, tags: Tags, approach: Option<Approach>) -> WarningSight {
    let mut warning = Warning::bare(event, now());
    warning.tags = tags;
    WarningSight {
        key: IncidentKey(format!("{event} {km}")),
        warning: Arc::new(warning),
        phase: Phase::InEffect,
        matched: if km == 0.0 { Match::Polygon } else { Match::Outside },
        distance_km: Some(km),
        bearing_deg: (km > 0.0).then_some(270.0),
        approach,
        until_utc: None,
    }
}

/// A product without tags at `km`.
pub fn plain(event: &str, km: f64) -> WarningSight {
    product(event, km, Tags::default(), None)
}

/// What a mosaic with these cells, and nothing else, shows: values in the product's unit with their distances, km.
pub fn radar_signal(product: Product, cells: &[(f64, f64)]) -> RadarSignal {
    let cell = |&(value, distance_km): &(f64, f64)| Cell { value, at: place(), distance_km, bearing_deg: 0.0 };
    let cells: Vec<Cell> = cells.iter().map(cell).collect();
    let nearest = |t: f64| {
        cells.iter().filter(|cell| cell.value >= t).min_by(|a, b| a.distance_km.total_cmp(&b.distance_km)).copied()
    };
    let within = cells.iter().filter(|cell| cell.distance_km <= RADIUS_KM);
    RadarSignal {
        valid_utc: now(),
        key: "key".into(),
        peak: within.max_by(|a, b| a.value.total_cmp(&b.value)).copied(),
        nearest: looked_for(product).filter_map(|t| nearest(t).map(|cell| (t, Some(cell)))).collect(),
    }
}

/// What an outlook says here.
pub fn outlook(category: Option<OutlookCategory>, tornado_pct: Option<u8>) -> OutlookSeen {
    let at = |hazard| HazardAtPoint {
        hazard,
        is_known: true,
        probability_pct: tornado_pct.filter(|_| hazard == Hazard::Tornado),
        conditional_intensity: None,
        significant: false,
        nothing: None,
    };
    OutlookSeen {
        at: OutlookAtPoint {
            day: 1,
            categorical: category,
            hazards: Hazard::of_day(1).iter().copied().map(at).collect(),
            unlabelled: Vec::new(),
        },
        issued_utc: minutes(-90),
        expire_utc: "2026-06-11T12:00:00Z".parse().unwrap(),
        url: "day1".into(),
    }
}

/// A report of so many minutes ago, told five minutes after its event.
pub fn report(category: Category, km: f64, minutes_ago: i64) -> ReportSeen {
    let event_utc = minutes(-minutes_ago);
    ReportSeen {
        id: format!("{} {event_utc} {km}", category.id()),
        category,
        event_utc,
        told_utc: later(event_utc, SignedDuration::from_mins(5)),
        distance_km: km,
        bearing_deg: 45.0,
        where_text: String::new(),
    }
}

/// A flash at `km`.
pub fn flash(km: f64) -> NearFlash {
    NearFlash {
        distance_km: km,
        bearing_deg: 90.0,
        at: place(),
        centroid_distance_km: km,
        first_event_utc: minutes(-1),
        quality: 0,
        key: "granule".into(),
    }
}

impl Evidence {
    /// With one more product.
    pub fn with_warning(mut self, sight: WarningSight) -> Self {
        self.warnings.push(sight);
        self
    }

    /// With these cells in one radar product; see `radar_signal`.
    pub fn with_radar(mut self, product: Product, cells: &[(f64, f64)]) -> Self {
        for radar in self.radar.iter_mut().filter(|radar| radar.product == product) {
            radar.signal = (!cells.is_empty()).then(|| Arc::new(radar_signal(product, cells)));
        }
        self
    }

    /// With an echo of so many dBZ 12 km away.
    pub fn with_echo(self, dbz: f64) -> Self {
        self.with_radar(Product::CompositeReflectivity, &[(dbz, 12.0)])
    }

    /// With this outlook in force.
    pub fn with_outlook(mut self, seen: OutlookSeen) -> Self {
        self.outlook.seen = Some(Arc::new(seen));
        self
    }

    /// With this air.
    pub fn with_air(mut self, environment: Environment) -> Self {
        self.environment.seen = Some(Arc::new(EnvironmentSeen {
            environment,
            model: "RAP 13 km".into(),
            cycle_utc: minutes(-92),
            valid_utc: minutes(-32),
            distance_km: 3.0,
            key: "rap".into(),
        }));
        self
    }

    /// With one more report; the newest event stays first.
    pub fn with_report(mut self, report: ReportSeen) -> Self {
        let near = Arc::make_mut(&mut self.reports.near);
        near.push(report);
        near.sort_by_key(|report| std::cmp::Reverse(report.event_utc));
        self
    }

    /// With this as the nearest flash.
    pub fn with_flash(mut self, km: f64) -> Self {
        self.lightning.nearest = Some(flash(km));
        self.lightning.satellite = Some(Satellite::East);
        self
    }
}

/// Chance from a seed: a linear congruential generator (Knuth, MMIX), whose upper bits are good enough to pick scenes by.
pub struct Chance(u64);

impl Chance {
    /// The same seed gives the same scenes.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// `0..end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next()).unwrap() % end
    }

    /// Once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// Somewhere between the two.
    pub fn within(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * (self.next() as f64 / f64::from(1_u32 << 31))
    }
}
