//! The rule table against the peer's answers (goldens/shearline.json, `threat`): equal levels and hazards, but for the
//! deliberate differences of levels.md, each of which stands in one table here.

use crate::shared;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::sync::Arc;
use stormbell::geo::LatLon;
use stormbell::lightning::{NearFlash, Satellite};
use stormbell::mosaic::{Cell, Product};
use stormbell::outlook::{Category as Risk, Hazard as OutlookHazard, HazardAtPoint, OutlookAtPoint};
use stormbell::sounding::Environment;
use stormbell::storm_report::Category;
use stormbell::threat::assess::judge_evidence;
use stormbell::threat::evidence::{
    EnvironmentEvidence, EnvironmentSeen, Evidence, LightningEvidence, OutlookEvidence, OutlookSeen, RadarEvidence,
    RadarSignal, ReportSeen, ReportsEvidence, Sight,
};
use stormbell::threat::rules::looked_for;
use stormbell::threat::window::attention_window;
use stormbell::threat::{Assessment, Hazard, Level};
use stormbell::warning::incidents::{Match, Phase, WarningSight};
use stormbell::warning::{IncidentKey, Tags, Warning};

/// Every golden whose level is not ours: its name, our level, and why.
const DIFFERENCES: &[(&str, Level, &str)] = &[
    ("svr_inside_destructive", Level::Extreme, "levels.md correction 3: DESTRUCTIVE inside is extreme"),
    ("reports_other_only", Level::Marginal, "levels.md correction 5: a report of dust or snow is no active storm"),
];
/// The number of goldens: a change of the file is not overlooked.
const GOLDENS: usize = 46;

fn now() -> Timestamp {
    "2026-06-10T21:32:00Z".parse().unwrap()
}

fn place() -> LatLon {
    LatLon::new(40.52, -92.90).unwrap()
}

fn goldens() -> Option<Vec<(String, Value)>> {
    let path = shared::path("goldens/shearline.json")?;
    let all: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let Value::Object(threat) = all["threat"].clone() else { panic!("no object of goldens") };
    Some(threat.into_iter().collect())
}

/// A payload's data, and whether there was a payload at all: the peer's `null` is a payload that threw.
fn payload<'a>(golden: &'a Value, name: &str) -> (&'a Value, Sight) {
    let payload = &golden["inputs"][name];
    let sight = if payload.is_null() { Sight::Blind { since_utc: None, why: "failed".into() } } else { Sight::Clear };
    (&payload["data"], sight)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn warnings(data: &Value) -> Vec<WarningSight> {
    let listed = data["warnings"].as_array().into_iter().flatten();
    let watches = data["watches_at_point"].as_array().into_iter().flatten();
    let sight = |item: &Value, inside: bool| {
        let tags = &item["ibw_tags"];
        let mut warning = Warning::bare(item["event"].as_str().unwrap(), now());
        warning.tags = Tags {
            tornado_detection: text(&tags["tornado_detection"]),
            tornado_damage_threat: text(&tags["tornado_damage_threat"]),
            thunderstorm_damage_threat: text(&tags["thunderstorm_damage_threat"]),
            hail_threat: text(&tags["hail_threat"]),
            wind_threat: text(&tags["wind_threat"]),
            max_hail_size_in: tags["max_hail_size_in"].as_f64(),
            max_wind_gust_mph: tags["max_wind_gust_mph"].as_f64(),
            ..Tags::default()
        };
        WarningSight {
            key: IncidentKey(warning.event.clone()),
            warning: Arc::new(warning),
            phase: Phase::InEffect,
            matched: if inside { Match::Polygon } else { Match::Outside },
            distance_km: item["distance_km"].as_f64(),
            bearing_deg: None,
            approach: None,
            until_utc: item["expires_utc"].as_str().map(|until| until.parse().unwrap()),
        }
    };
    let listed = listed.map(|item| sight(item, item["point_inside"].as_bool().unwrap()));
    listed.chain(watches.map(|item| sight(item, true))).collect()
}

fn risk(label: &str) -> Risk {
    let all = [Risk::Tstm, Risk::Mrgl, Risk::Slgt, Risk::Enh, Risk::Mdt, Risk::High];
    all.into_iter().find(|risk| risk.label() == label).unwrap()
}

/// SPC's twelve digits.
fn spc_time(digits: &str) -> Timestamp {
    let civil = jiff::civil::DateTime::strptime("%Y%m%d%H%M", digits).unwrap();
    jiff::tz::TimeZone::UTC.to_timestamp(civil).unwrap()
}

fn outlook(data: &Value) -> Option<OutlookSeen> {
    let category = data["categorical"]["label"].as_str()?;
    let hazard = |&hazard: &OutlookHazard| {
        let said = &data["probabilities"][hazard.id()];
        assert!(said["conditional_intensity"].is_null(), "no golden has one");
        HazardAtPoint {
            hazard,
            is_known: true,
            probability_pct: said["probability_pct"].as_u64().map(|pct| u8::try_from(pct).unwrap()),
            conditional_intensity: None,
            significant: said["significant"].as_bool().unwrap_or_default(),
            nothing: None,
        }
    };
    Some(OutlookSeen {
        at: OutlookAtPoint {
            day: 1,
            categorical: Some(risk(category)),
            hazards: OutlookHazard::of_day(1).iter().map(hazard).collect(),
            unlabelled: Vec::new(),
        },
        issued_utc: now(),
        expire_utc: spc_time(data["expire_utc"].as_str().unwrap()),
        url: String::new(),
    })
}

fn air(data: &Value) -> Option<EnvironmentSeen> {
    let composites = data.get("composites")?;
    let environment = Environment {
        scp: composites["scp"].as_f64(),
        stp_effective: composites["stp_effective"].as_f64(),
        stp_fixed_layer: composites["stp_fixed_layer"].as_f64(),
        bulk_shear_0_6km_kt: data["kinematics"]["bulk_shear_0_6km_kt"].as_f64(),
        mucape_jkg: data["thermodynamics"]["mucape_jkg"].as_f64(),
        mlcape_jkg: data["thermodynamics"]["mlcape_jkg"].as_f64(),
        ..Environment::default()
    };
    Some(EnvironmentSeen {
        environment,
        model: "RAP".into(),
        cycle_utc: now(),
        valid_utc: now(),
        distance_km: 0.0,
        key: String::new(),
    })
}

/// Where the peer holds a product's largest value, what it calls it, and our unit in its unit.
fn radar_block(product: Product) -> (&'static str, &'static str, f64) {
    match product {
        Product::MeshMax60min => ("hail_mesh", "max_mesh_in", 25.4),
        Product::RotationTrackMl60min => ("rotation_midlevel", "max_azimuthal_shear_s1", 1000.0),
        Product::RotationTrackLl60min => ("rotation_lowlevel", "max_azimuthal_shear_s1", 1000.0),
        Product::Vil => ("vil", "max_vil_kg_m2", 1.0),
        Product::CompositeReflectivity => ("composite_reflectivity", "max_dbz", 1.0),
    }
}

fn radar(data: &Value, product: Product, sight: Sight) -> RadarEvidence {
    let (block, figure, unit) = radar_block(product);
    let signal = data[block][figure].as_f64().map(|max| {
        let location = &data[block]["max_location"];
        let cell = Cell {
            value: max * unit,
            at: place(),
            distance_km: location["distance_km"].as_f64().unwrap_or(12.0),
            bearing_deg: location["bearing_deg"].as_f64().unwrap_or(90.0),
        };
        let nearest = looked_for(product).filter(|t| cell.value >= *t).map(|t| (t, Some(cell))).collect();
        Arc::new(RadarSignal { valid_utc: now(), key: String::new(), peak: Some(cell), nearest })
    });
    RadarEvidence { product, sight, signal }
}

/// So many reports of each kind, ten minutes old and 30 km away.
fn reports(data: &Value) -> Vec<ReportSeen> {
    let kinds = [
        ("tornado", Category::Tornado),
        ("hail", Category::Hail),
        ("wind", Category::ThunderstormWindGust),
        ("flood", Category::FlashFlood),
        ("other", Category::Dust),
    ];
    let event_utc = now().checked_sub(SignedDuration::from_mins(10)).unwrap();
    let one = |category: &Category, number| ReportSeen {
        category: category.clone(),
        event_utc,
        told_utc: now(),
        distance_km: 30.0,
        bearing_deg: 0.0,
        where_text: String::new(),
        id: format!("{} {number}", category.id()),
    };
    let of_kind = |(name, category): &(&str, Category)| -> Vec<ReportSeen> {
        (0..data["counts"][name].as_u64().unwrap_or(0)).map(|number| one(category, number)).collect()
    };
    kinds.iter().flat_map(of_kind).collect()
}

fn evidence(golden: &Value) -> Evidence {
    let (warned, warnings_sight) = payload(golden, "warnings");
    let (mosaics, radar_sight) = payload(golden, "mrms");
    let (risks, outlook_sight) = payload(golden, "outlook");
    let (column, environment_sight) = payload(golden, "environment");
    let (reported, reports_sight) = payload(golden, "reports");
    let (lightning, lightning_sight) = payload(golden, "lightning");
    let nearest = lightning["nearest_strike"]["distance_km"].as_f64().map(|distance_km| NearFlash {
        distance_km,
        bearing_deg: 0.0,
        at: place(),
        centroid_distance_km: distance_km,
        first_event_utc: now(),
        quality: 0,
        key: String::new(),
    });
    Evidence {
        place: place(),
        warnings: warnings(warned),
        warnings_sight,
        zones_sight: Sight::Clear,
        radar: Product::ALL.map(|product| radar(mosaics, product, radar_sight.clone())).to_vec(),
        outlook: OutlookEvidence { sight: outlook_sight, gaps: Vec::new(), seen: outlook(risks).map(Arc::new) },
        environment: EnvironmentEvidence { sight: environment_sight, seen: air(column).map(Arc::new) },
        reports: ReportsEvidence { sight: reports_sight, near: Arc::new(reports(reported)) },
        lightning: LightningEvidence { sight: lightning_sight, nearest, satellite: Some(Satellite::East) },
    }
}

fn judged(golden: &Value) -> (Evidence, Assessment) {
    let evidence = evidence(golden);
    let assessment = judge_evidence(&evidence, now());
    (evidence, assessment)
}

#[test]
fn levels_differ_from_the_peers_only_where_levels_md_says_so() {
    let Some(goldens) = goldens() else { return };
    assert_eq!(goldens.len(), GOLDENS);
    let mut wrong = Vec::new();
    for (name, golden) in &goldens {
        let theirs: Level = golden["level"].as_str().unwrap().parse().unwrap();
        let ours = judged(golden).1.level;
        let expected = DIFFERENCES.iter().find(|(known, ..)| known == name);
        match expected {
            None if ours != theirs => {
                wrong.push(format!("{name}: we say {ours}, the peer {theirs}, and no row says why"))
            }
            Some((_, said, why)) if ours != *said => wrong.push(format!("{name}: {ours}, not {said} ({why})")),
            Some((_, _, why)) if ours == theirs => wrong.push(format!("{name}: no longer differs ({why})")),
            _ => {}
        }
    }
    for (name, ..) in DIFFERENCES {
        if !goldens.iter().any(|(known, _)| known == name) {
            wrong.push(format!("{name}: no such golden"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Ranking, words and scores: no correction of levels.md touches them on any golden.
#[test]
fn hazards_are_ranked_and_scored_as_the_peer_does() {
    let Some(goldens) = goldens() else { return };
    for (name, golden) in &goldens {
        let theirs: Vec<Hazard> = serde_json::from_value(golden["hazards"].clone()).unwrap();
        assert_eq!(judged(golden).1.hazards, theirs, "{name}");
    }
}

/// The same windows; their ends are instants, where the peer passes SPC's twelve digits on.
#[test]
fn attention_windows_are_the_peers() {
    let Some(goldens) = goldens() else { return };
    for (name, golden) in &goldens {
        let (evidence, _) = judged(golden);
        let echo = evidence.radar.iter().find(|radar| radar.product == Product::CompositeReflectivity);
        let dbz = echo.and_then(|radar| radar.signal.as_ref()?.peak).map(|cell| cell.value);
        let ours = attention_window(&evidence.warnings, dbz, evidence.outlook.seen.as_deref(), false);
        assert_eq!(ours.window, golden["attention_window"], "{name}");
        let until = golden["until"].as_str();
        let until = until.map(|until| until.parse().unwrap_or_else(|_| spc_time(until)));
        assert_eq!(ours.until_utc, until, "{name}");
    }
}

/// severe.md section 7, \[defect\]: with every feed down the peer says `none`, and nothing more.
#[test]
fn with_every_feed_down_none_is_not_an_all_clear() {
    let Some(goldens) = goldens() else { return };
    let could_be = |name: &str| {
        let (_, golden) = goldens.iter().find(|(known, _)| known == name).unwrap();
        let assessment = judged(golden).1;
        assert_eq!(assessment.level, Level::None, "{name}");
        assessment.blind_spots.iter().map(|spot| spot.could_raise_to).max()
    };
    assert_eq!(could_be("all_none"), Some(Level::Extreme));
    assert_eq!(could_be("all_empty"), None);
}
