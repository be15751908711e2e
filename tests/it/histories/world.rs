//! An invented stretch of weather around one place, and what every source would have to say of it at any minute.

mod shapes;

pub use shapes::uncovered;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use shapes::{mosaic, outlook, product, profile};
use std::sync::Arc;
use stormbell::geo::LatLon;
use stormbell::lightning::{Flash, Granule, Satellite};
use stormbell::mosaic::Product;
use stormbell::observation::{
    GOES_GLM, IEM_REPORTS, MRMS, NWS_WARNINGS, NWS_ZONES, Observation, PlaceZones, RAP_PROFILES, SPC_OUTLOOKS,
    SourceName,
};
use stormbell::outlook::{Category as Risk, Outlooks};
use stormbell::storm_report::{Category, StormReport, StormReports, once_each};
use stormbell::threat::Level;
use stormbell::warning::WarningSnapshot;

/// Minutes that a history lasts: longer than a level is held unseen.
pub const MINUTES: i64 = 320;

/// Every source that tells of the weather.
pub const SOURCES: [SourceName; 7] = [NWS_WARNINGS, NWS_ZONES, MRMS, IEM_REPORTS, GOES_GLM, SPC_OUTLOOKS, RAP_PROFILES];

pub fn place() -> LatLon {
    LatLon::new(38.0, -98.0).unwrap()
}

/// 2031-05-09T18:00:00Z.
const BEGIN: Timestamp = Timestamp::constant(1936116000, 0);

/// An instant of the history.
pub fn at(minute: i64) -> Timestamp {
    BEGIN + SignedDuration::from_mins(minute)
}

/// A product of the NWS: from its issue to its end, called off before that or not, renewed half-way under a new id.
#[derive(Debug, Clone)]
pub struct TrueWarning {
    pub kind: usize,
    pub sent: i64,
    pub lasts: i64,
    pub cancelled_after: Option<i64>,
}

/// A stretch of one radar product: a value at a distance; elsewhere nothing.
#[derive(Debug, Clone)]
pub struct TrueEcho {
    pub product: Product,
    pub from: i64,
    pub lasts: i64,
    pub share: f64,
    pub km: f64,
}

/// A storm report.
#[derive(Debug, Clone)]
pub struct TrueReport {
    pub category: Category,
    pub event: i64,
    pub told_after: i64,
    pub km: f64,
}

/// Lightning: a flash every minute at a distance.
#[derive(Debug, Clone)]
pub struct TrueStorm {
    pub from: i64,
    pub lasts: i64,
    pub km: f64,
}

/// What really happens.
#[derive(Debug, Clone)]
pub struct Truth {
    pub warnings: Vec<TrueWarning>,
    /// Whether many other products stand elsewhere all the time.
    pub busy_nation: bool,
    pub echoes: Vec<TrueEcho>,
    pub reports: Vec<TrueReport>,
    pub lightning: Vec<TrueStorm>,
    /// By two-hour stretches.
    pub risks: Vec<Option<Risk>>,
    /// By hours.
    pub stp: Vec<f64>,
}

/// A kind of product, and the level that it supports by itself, read off the table of levels.md.
pub struct Kind {
    pub event: &'static str,
    /// VTEC phenomenon and significance.
    pub vtec: &'static str,
    pub tornado: Option<&'static str>,
    pub damage: Option<&'static str>,
    /// From the place to its polygon; `None`: it has none and names the county.
    pub km: Option<f64>,
    pub level: Level,
}

const fn kind(event: &'static str, vtec: &'static str, km: Option<f64>, level: Level) -> Kind {
    Kind { event, vtec, tornado: None, damage: None, km, level }
}

pub const KINDS: [Kind; 7] = [
    kind("Tornado Warning", "TO.W", Some(0.0), Level::Significant),
    Kind { tornado: Some("OBSERVED"), ..kind("Tornado Warning", "TO.W", Some(0.0), Level::Extreme) },
    kind("Tornado Warning", "TO.W", Some(25.0), Level::Elevated),
    kind("Severe Thunderstorm Warning", "SV.W", Some(0.0), Level::Elevated),
    Kind { damage: Some("DESTRUCTIVE"), ..kind("Severe Thunderstorm Warning", "SV.W", Some(0.0), Level::Extreme) },
    kind("Flash Flood Warning", "FF.W", Some(0.0), Level::Elevated),
    kind("Severe Thunderstorm Watch", "SV.A", None, Level::Marginal),
];

/// Raise threshold within 16 km and its level.
fn strongest(product: Product) -> (f64, Level) {
    match product {
        Product::MeshMax60min => (50.8, Level::Significant),
        Product::RotationTrackMl60min => (12.0, Level::Significant),
        Product::RotationTrackLl60min => (10.0, Level::Significant),
        Product::CompositeReflectivity => (60.0, Level::Elevated),
        Product::Vil => (45.0, Level::None),
    }
}

fn stretch() -> impl Strategy<Value = (i64, i64)> {
    (-30..MINUTES - 40, prop_oneof![5..40_i64, 40..240_i64])
}

pub fn truth() -> impl Strategy<Value = Truth> {
    let warning = (0..KINDS.len(), stretch(), prop::option::of(5..60_i64));
    let warning =
        warning.prop_map(|(kind, (sent, lasts), cancelled_after)| TrueWarning { kind, sent, lasts, cancelled_after });
    let echo = (
        prop::sample::select(Product::ALL.to_vec()),
        stretch(),
        0.6..1.3_f64,
        prop::sample::select(vec![3.0, 25.0, 41.5]),
    );
    let echo = echo.prop_map(|(product, (from, lasts), share, km)| TrueEcho { product, from, lasts, share, km });
    let category = prop::sample::select(vec![Category::Tornado, Category::Hail, Category::ThunderstormWindGust]);
    let report = (category, -60..MINUTES - 20, prop_oneof![1..30_i64, 46..90_i64], 5.0..79.0_f64);
    let report = report.prop_map(|(category, event, told_after, km)| TrueReport { category, event, told_after, km });
    let storm = (stretch(), prop::sample::select(vec![8.0, 30.0, 43.0]));
    let storm = storm.prop_map(|((from, lasts), km)| TrueStorm { from, lasts, km });
    let risk = prop::option::of(prop::sample::select(Risk::ALL.to_vec()));
    (
        prop::collection::vec(warning, 0..4),
        any::<bool>(),
        prop::collection::vec(echo, 0..4),
        prop::collection::vec(report, 0..5),
        prop::collection::vec(storm, 0..3),
        prop::collection::vec(risk, 4),
        prop::collection::vec(prop::sample::select(vec![0.0, 0.95, 1.5, 2.8, 3.5]), 8),
    )
        .prop_map(|(warnings, busy_nation, echoes, reports, lightning, risks, stp)| Truth {
            warnings,
            busy_nation,
            echoes,
            reports,
            lightning,
            risks,
            stp,
        })
}

/// Everything that a source has to say at one minute.
#[derive(Debug, Clone)]
pub struct Answer {
    pub observations: Vec<Observation>,
    /// The level that this alone supports at that minute: what must not be read lower once it is heard.
    pub supports: Level,
}

impl Truth {
    /// What `source` answers at `minute` when what comes piece by piece was fetched up to the minute `heard`.
    pub fn answer(&self, source: &SourceName, minute: i64, heard: i64) -> Answer {
        if *source == NWS_WARNINGS {
            self.warnings_at(minute)
        } else if *source == NWS_ZONES {
            let (place, ugc) = (place(), vec!["KSC001".to_owned(), "KSZ001".to_owned()]);
            let zones = PlaceZones { place, ugc, time_zone: None, learned_utc: at(0) };
            Answer { observations: vec![Observation::Zones(Arc::new(zones))], supports: Level::None }
        } else if *source == MRMS {
            self.mosaics_at(minute, heard)
        } else if *source == IEM_REPORTS {
            self.reports_at(minute)
        } else if *source == GOES_GLM {
            self.granules_at(minute, heard)
        } else if *source == SPC_OUTLOOKS {
            self.outlooks_at(minute)
        } else {
            self.profiles_at(minute)
        }
    }

    fn warnings_at(&self, minute: i64) -> Answer {
        let mut listed = Vec::new();
        let mut supports = Level::None;
        for (number, true_warning) in self.warnings.iter().enumerate() {
            let TrueWarning { kind, sent, lasts, cancelled_after } = *true_warning;
            let (end, renewed) = (sent + lasts, sent + lasts / 2);
            let cancelled = cancelled_after.map(|after| sent + after).filter(|at| *at < end);
            if minute < sent || minute >= end {
                continue;
            }
            if cancelled.is_some_and(|at| minute >= at) {
                if cancelled.is_some_and(|at| minute < at + 15) {
                    listed.push(product(number, kind, "CAN", cancelled.unwrap(), (sent, end)));
                }
                continue;
            }
            let (action, issued) = if minute >= renewed { ("CON", renewed) } else { ("NEW", sent) };
            listed.push(product(number, kind, action, issued, (sent, end)));
            supports = supports.max(KINDS[kind].level);
        }
        if self.busy_nation {
            listed.extend((100..114).map(|number| product(number, 3, "NEW", -60, (-60, MINUTES + 60))));
        }
        let warnings = listed.into_iter().map(Arc::new).collect();
        let snapshot = WarningSnapshot { updated_utc: Some(at(minute)), warnings, unread: 0 };
        Answer { observations: vec![Observation::Warnings(Arc::new(snapshot))], supports }
    }

    /// A mosaic of each product every second minute, three minutes after its time.
    fn mosaics_at(&self, minute: i64, heard: i64) -> Answer {
        let newest = |minute: i64| (minute - 3).div_euclid(2) * 2;
        let valid = newest(minute);
        let mut supports = Level::None;
        if newest(heard) >= valid {
            return Answer { observations: Vec::new(), supports };
        }
        let observations = Product::ALL.map(|product| {
            let echoes = self.echoes.iter().filter(|echo| echo.product == product);
            let now: Vec<&TrueEcho> =
                echoes.filter(|echo| (echo.from..echo.from + echo.lasts).contains(&valid)).collect();
            let (threshold, level) = strongest(product);
            if now.iter().any(|echo| echo.share >= 1.01 && echo.km < 10.0) {
                supports = supports.max(level);
            }
            Observation::Mosaic(Arc::new(mosaic(product, valid, &now, threshold)))
        });
        Answer { observations: observations.to_vec(), supports }
    }

    fn reports_at(&self, minute: i64) -> Answer {
        let told = self.reports.iter().filter(|report| (report.event + report.told_after) <= minute);
        let told: Vec<&TrueReport> = told.filter(|report| report.event >= minute - 180).collect();
        let mut supports = Level::None;
        for report in told.iter().filter(|report| report.category == Category::Tornado && report.told_after <= 45) {
            supports = supports.max(match minute - report.event {
                0..=60 => Level::Significant,
                61..=120 => Level::Elevated,
                _ => Level::None,
            });
        }
        let snapshot = StormReports {
            reports: once_each(told.into_iter().map(|report| report.row(minute))),
            from_utc: at(minute - 180),
            to_utc: at(minute),
            read_utc: at(minute),
            unread: 0,
            is_cut: false,
            url: String::new(),
        };
        Answer { observations: vec![Observation::StormReports(Arc::new(snapshot))], supports }
    }

    /// Granules of a minute, each there when the next one begins: those of the last 17 minutes that were not heard yet.
    fn granules_at(&self, minute: i64, heard: i64) -> Answer {
        let new = (minute - 17).max(heard)..minute;
        let observations = new.clone().map(|start| Observation::Granule(Arc::new(self.granule(start)))).collect();
        let near = |within: f64| {
            let mut storms = self.lightning.iter().filter(|storm| storm.km <= within);
            storms.any(|storm| new.clone().any(|start| start > minute - 15 && storm.is_on(start)))
        };
        let supports = if near(16.0) {
            Level::Elevated
        } else if near(40.0) {
            Level::Marginal
        } else {
            Level::None
        };
        Answer { observations, supports }
    }

    fn granule(&self, start: i64) -> Granule {
        let storms = self.lightning.iter().filter(|storm| storm.is_on(start));
        let flashes = storms.map(|storm| Flash::new(30_000_000, place().travel(200.0, storm.km), 0, &[]));
        Granule {
            satellite: Satellite::East,
            platform: "G19".into(),
            key: format!("granule {start}"),
            start_utc: at(start),
            end_utc: at(start + 1),
            flashes: flashes.collect(),
            left_out: 0,
        }
    }

    /// Sets of two hours each, of which the next is there an hour before it is valid.
    fn outlooks_at(&self, minute: i64) -> Answer {
        let mut news = Outlooks::default();
        let mut supports = Level::None;
        for (number, risk) in (0_i64..).zip(&self.risks) {
            let (valid, expire) = (number * 120 - 60, number * 120 + 60);
            if (valid - 60..expire).contains(&minute) {
                news.put(Arc::new(outlook(*risk, valid, expire)), at(minute));
            }
            if (valid..expire).contains(&minute) {
                supports = match risk {
                    Some(Risk::High) => Level::Significant,
                    Some(Risk::Mdt | Risk::Enh) => Level::Elevated,
                    Some(Risk::Slgt | Risk::Mrgl) => Level::Marginal,
                    Some(Risk::Tstm) | None => Level::None,
                };
            }
        }
        news.days.entry(1).or_default().confirmed_utc = Some(at(minute));
        Answer { observations: vec![Observation::Outlooks(Arc::new(news))], supports }
    }

    /// An analysis an hour, 50 minutes after its time.
    fn profiles_at(&self, minute: i64) -> Answer {
        let hour = (minute - 50).div_euclid(60);
        let stp = usize::try_from(hour + 1).ok().and_then(|n| self.stp.get(n)).copied().unwrap_or(0.0);
        let supports = match stp {
            3.0.. => Level::Elevated,
            1.0.. => Level::Marginal,
            _ => Level::None,
        };
        Answer { observations: vec![Observation::Profile(Arc::new(profile(hour * 60, stp)))], supports }
    }
}

impl TrueStorm {
    fn is_on(&self, minute: i64) -> bool {
        (self.from..self.from + self.lasts).contains(&minute)
    }
}

impl TrueReport {
    fn row(&self, minute: i64) -> StormReport {
        let told_utc = at(self.event + self.told_after);
        StormReport {
            category: self.category.clone(),
            type_text: String::new(),
            magnitude: None,
            qualifier: None,
            event_utc: at(self.event),
            issued_utc: Some(told_utc),
            heard_utc: at(minute),
            at: place().travel(45.0, self.km),
            city: format!("{:.1} NE", self.km),
            county: String::new(),
            state: "KS".into(),
            source: String::new(),
            remarks: String::new(),
            wfo: "KXX".into(),
            product_id: Some(format!("{told_utc}-LSRKXX")),
        }
    }
}
