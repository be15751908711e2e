use super::*;
use crate::geo::LatLon;
use crate::outlook::{Category, Intensity, Nothing, WatchKind};

const CATEGORICAL: &[u8] = include_bytes!("../../../fixtures/spc_outlooks/day1_cat.geojson");
const TORNADO: &[u8] = include_bytes!("../../../fixtures/spc_outlooks/day1_torn.geojson");
const EMPTY: &[u8] = include_bytes!("../../../fixtures/spc_outlooks/day1_hail_empty.geojson");
const UNPREDICTABLE: &[u8] = include_bytes!("../../../fixtures/spc_outlooks/day4_prob_unpredictable.geojson");
const DISCUSSIONS: &[u8] = include_bytes!("../../../fixtures/spc_mesoscale/discussions.geojson");
const WATCHES: &[u8] = include_bytes!("../../../fixtures/spc_mesoscale/watches.geojson");

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A collection of features with these properties (without braces) and geometries.
fn collection(features: &[(&str, &str)]) -> Vec<u8> {
    let features: Vec<String> = features
        .iter()
        .map(|(properties, geometry)| {
            format!(r#"{{"type":"Feature","properties":{{{properties}}},"geometry":{geometry}}}"#)
        })
        .collect();
    format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, features.join(",")).into_bytes()
}

const VALID: &str = r#""VALID":"203105091630","EXPIRE":"203105101200","ISSUE":"203105091622""#;
const SQUARE: &str = r#"{"type":"Polygon","coordinates":[[[-99,38],[-97,38],[-97,40],[-99,40],[-99,38]]]}"#;

#[test]
fn a_categorical_layer_with_its_times() {
    let layer = layer(CATEGORICAL, LayerKind::Categorical).unwrap();
    assert_eq!(layer.valid_utc, Some(at("2031-05-09T16:30:00Z")));
    assert_eq!(layer.expire_utc, Some(at("2031-05-10T12:00:00Z")));
    assert_eq!(layer.issue_utc, Some(at("2031-05-09T16:22:00Z")));
    assert_eq!((layer.forecaster.as_deref(), layer.features), (Some("Nobody"), 4));
    let categories: Vec<Category> = layer.categories.iter().map(|held| held.category).collect();
    assert_eq!(categories, [Category::Tstm, Category::Mrgl, Category::Slgt, Category::Enh]);
    assert!(layer.faults.is_empty(), "{:?}", layer.faults);
    assert!(layer.categories[0].area.contains(LatLon::new(28.0, -81.0).unwrap()), "the second polygon of TSTM");
}

#[test]
fn a_hazard_layer_holds_probabilities_and_groups_of_equal_dn() {
    let (kind, layer) = any_layer(TORNADO).unwrap();
    assert_eq!(kind, LayerKind::Hazard);
    let probabilities: Vec<u8> = layer.areas.probabilities.iter().map(|(pct, _)| *pct).collect();
    assert_eq!(probabilities, [2, 10]);
    assert_eq!(layer.areas.intensities[0].0, Intensity::Cig1);
    assert_eq!(layer.areas.nothing, None);
}

#[test]
fn placeholders_say_nothing_but_their_times() {
    let layer = layer(EMPTY, LayerKind::Hazard).unwrap();
    assert_eq!(layer.valid_utc, Some(at("2031-05-09T16:30:00Z")));
    assert!(layer.areas.probabilities.is_empty() && layer.areas.unlabelled.is_empty() && layer.areas.unread == 0);
    assert_eq!(layer.areas.nothing, Some(Nothing::BelowLowest), "not 5 %, though its label says so");
    let later = any_layer(UNPREDICTABLE).unwrap().1;
    assert_eq!(later.areas.nothing, Some(Nothing::PredictabilityTooLow));
    let potential = format!(r#"{VALID},"DN":0,"LABEL":"Potential Too Low""#);
    let later = any_layer(&collection(&[(&potential, "null")])).unwrap().1;
    assert_eq!(later.areas.nothing, Some(Nothing::PotentialTooLow));
}

/// Field reports S01 and S11: what is not understood or cannot be an area is told, and hides nothing else.
#[test]
fn one_bad_feature_hides_no_other() {
    let named = |label: &str, dn: u8| format!(r#"{VALID},"DN":{dn},"LABEL":"{label}""#);
    let world = r#"{"type":"Polygon","coordinates":[[[-170,-80],[170,-80],[170,80],[-170,80],[-170,-80]]]}"#;
    let line = r#"{"type":"Polygon","coordinates":[[[-99,38],[-97,40],[-99,38]]]}"#;
    let (unknown, good, wide) = (named("CIG7", 2), named("0.30", 30), named("SIGN", 10));
    let features =
        [(unknown.as_str(), SQUARE), (&wide, world), (&wide, line), (&wide, r#"{"type":"Circle"}"#), (&good, SQUARE)];
    let layer = layer(&collection(&features), LayerKind::Hazard).unwrap();
    assert_eq!(layer.areas.probabilities.len(), 1);
    assert_eq!(layer.areas.unlabelled[0].0, "CIG7");
    assert_eq!((layer.areas.unread, layer.faults.len()), (3, 4));
    assert!(layer.areas.intensities.is_empty());
    let said: String = layer.faults.iter().map(|fault| fault.what.clone() + "\n").collect();
    for part in ["CIG7", "beyond any outlook", "encloses nothing", "Circle"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_category_goes_by_its_label_then_by_its_dn() {
    let feature = |label: &str, dn: &str| format!(r#"{VALID},"DN":{dn},"LABEL":"{label}""#);
    let features = [feature("mdt", "6"), feature("Marginal", "3"), feature("SLGT", "5"), feature("NEW", "7")];
    let features: Vec<(&str, &str)> = features.iter().map(|f| (f.as_str(), SQUARE)).collect();
    let layer = layer(&collection(&features), LayerKind::Categorical).unwrap();
    let categories: Vec<Category> = layer.categories.iter().map(|held| held.category).collect();
    assert_eq!(categories, [Category::Mdt, Category::Mrgl, Category::Slgt]);
    assert_eq!(layer.areas.unread, 1, "an unknown category may be a high one");
    assert_eq!(layer.faults.len(), 3);
}

#[test]
fn features_of_two_issues_are_no_layer() {
    let one = format!(r#"{VALID},"DN":2,"LABEL":"0.02""#);
    let other = r#""VALID":"203105092000","EXPIRE":"203105101200","DN":5,"LABEL":"0.05""#;
    let error = layer(&collection(&[(&one, SQUARE), (other, SQUARE)]), LayerKind::Hazard).unwrap_err();
    assert!(matches!(error, GeoJsonError::MixedIssues { .. }), "{error}");
}

#[test]
fn other_collections_are_refused_and_empty_ones_tell_no_issue() {
    let error = layer(WATCHES, LayerKind::Hazard).unwrap_err();
    assert!(error.to_string().contains("areas of an SPC outlook were due"), "{error}");
    assert!(discussions(CATEGORICAL, at("2031-05-09T20:40:00Z")).is_err());
    assert!(watches(DISCUSSIONS, at("2031-05-09T20:40:00Z")).is_err());
    let empty = layer(&collection(&[]), LayerKind::Categorical).unwrap();
    assert_eq!((empty.valid_utc, empty.features), (None, 0));
}

#[test]
fn discussions_and_watches() {
    let now = at("2031-05-09T20:40:00Z");
    let (found, faults) = discussions(DISCUSSIONS, now).unwrap();
    assert_eq!((found.discussions.len(), found.unread, faults.len()), (1, 1, 1));
    let discussion = &found.discussions[0];
    assert_eq!((discussion.number, discussion.watch_probability_pct), (712, Some(80)));
    assert_eq!(discussion.issue_utc, at("2031-05-09T20:05:00Z"), "a time without an offset is UTC");
    let here = LatLon::new(38.5, -98.0).unwrap();
    assert_eq!(found.at(here, now).count(), 1);
    assert_eq!(found.at(here, at("2031-05-09T22:00:00Z")).count(), 0);
    let (found, faults) = watches(WATCHES, now).unwrap();
    assert!(faults.is_empty(), "{faults:?}");
    let watch = &found.watches[0];
    assert_eq!((watch.number, watch.kind, watch.is_pds), (214, WatchKind::Tornado, Some(true)));
    assert_eq!((watch.max_hail_in, watch.max_wind_gust_kt), (Some(3.5), Some(70.0)));
    assert_eq!(found.at(here, now).count(), 1);
    let (none, _) = watches(&collection(&[]), now).unwrap();
    assert!(none.watches.is_empty(), "an empty answer means that none is in effect");
}

#[test]
fn damaged_copies_end_in_values_or_errors() {
    let now = at("2031-05-09T20:40:00Z");
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    for whole in [CATEGORICAL, TORNADO, EMPTY, DISCUSSIONS, WATCHES] {
        for cut in 0..20 {
            let _ = any_layer(&whole[..whole.len() * cut / 20]);
        }
        for _ in 0..200 {
            let mut bytes = whole.to_vec();
            for _ in 0..3 {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                let place = (seed % bytes.len() as u64) as usize;
                bytes[place] ^= (seed >> 32) as u8 | 1;
            }
            let _ = (any_layer(&bytes), discussions(&bytes, now), watches(&bytes, now));
        }
    }
}
